/* Bounces. A bounce stops a centre and throws it out again, twice at most, as in bodies that have legs or bend. A body
 * that then returns without having left trembles. A flight no longer than the previous touch does not count. */
#include "step/filtered/bounce.h"

static bool going_on(const vv_bounce *b) { return b->phase >= VV_BOUNCE_SINKS && b->phase < VV_BOUNCE_STAYS; }

static void touch(vv_bounce *b, double power)
{
    if (b->phase == VV_BOUNCE_NEW || b->flown > b->touched) {
        b->phase = VV_BOUNCE_SINKS;
        b->touched = 0;
    }
    b->flown = 0;
    b->touched++;
    const bool sinks = b->phase == VV_BOUNCE_SINKS || b->phase == VV_BOUNCE_SINKS_AGAIN;
    if (going_on(b) && (sinks ? power < 0 : power > 0))
        b->phase++;
}

bool vv_bounce_take(vv_bounce *b, bool touches, double power)
{
    if (touches) {
        touch(b, power);
        return power != 0 && going_on(b);
    }
    return b->flown++ == 0 && going_on(b); /* it leaves */
}

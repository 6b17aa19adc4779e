/* Bounces. A bounce stops a centre and throws it out again, once. What then comes back without having left stays, and
 * so does what had left for no longer than it had touched before: it trembles, and where it leaves only by what
 * trembles, it is no bounce that would have to give anything back. */
#include "step/bounce.h"

static void touch(vv_bounce *b, double power)
{
    if (b->phase == VV_BOUNCE_FLIES) {
        b->phase = b->flown > b->touched || b->touched == 0 ? VV_BOUNCE_SINKS : VV_BOUNCE_STAYS;
        b->touched = 0;
    }
    b->touched++;
    if (b->phase == VV_BOUNCE_SINKS && power < 0)
        b->phase = VV_BOUNCE_RISES;
    else if (b->phase == VV_BOUNCE_RISES && power > 0)
        b->phase = VV_BOUNCE_STAYS;
}

bool vv_bounce_take(vv_bounce *b, bool touches, double power)
{
    const bool before = b->phase == VV_BOUNCE_SINKS || b->phase == VV_BOUNCE_RISES;
    if (touches) {
        touch(b, power);
        return power != 0 && b->phase != VV_BOUNCE_STAYS;
    }
    b->flown = b->phase == VV_BOUNCE_FLIES ? b->flown + 1 : 1;
    b->phase = VV_BOUNCE_FLIES;
    return before;
}

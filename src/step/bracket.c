/* Roots by bisection, or by the secant of Anderson and Björck: the end that stays is weighed less the longer it stays, so that both
 * ends close in on the root. Where that is slow, it bisects. */
#include "step/bracket.h"

#include <math.h>

enum { SLOW = 3 }; /* evaluations in which the secant has to halve the interval */

static void keep_best(vv_bracketed *best, double x, double f)
{
    if (fabs(f) < fabs(best->value))
        best->x = x, best->value = f;
}

/* Between the ends, or halfway where the secant has no place. */
static double next_place(double a, double fa, double b, double fb, bool halve)
{
    double half = a + 0.5 * (b - a), x = b - fb * (b - a) / (fb - fa);
    bool inside = (x > a && x < b) || (x < a && x > b);
    return halve || !isfinite(x) || !inside ? half : x;
}

vv_bracketed vv_bracket_root(const vv_bracket *b, double x0, double f0, double x1, double f1)
{
    vv_bracketed best = { x0, f0, 0 };
    keep_best(&best, x1, f1);
    double width = fabs(x1 - x0);
    for (int since = 0; best.evaluations < b->most && fabs(best.value) > b->tolerance; since++) {
        if (fabs(x1 - x0) <= 0.5 * width)
            width = fabs(x1 - x0), since = 0;
        double x = next_place(x0, f0, x1, f1, b->bisect || since >= SLOW);
        if (x == x0 || x == x1) /* neighbouring numbers */
            break;
        double f = b->value(b->user, x);
        f = isnan(f) ? INFINITY : f;
        best.evaluations++;
        keep_best(&best, x, f);
        if ((f > 0) == (f1 > 0)) {
            double weight = 1 - f / f1; /* Anderson and Björck; halved where f has not come nearer */
            f0 *= weight > 0 ? weight : 0.5;
        } else {
            x0 = x1, f0 = f1;
        }
        x1 = x, f1 = f;
    }
    return best;
}

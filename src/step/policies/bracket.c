/* Roots by bisection, or by a secant with ends on both sides: the first point is the secant's, later ones are roots of
 * the parabola through both ends and the previous end. Where that is slow, it bisects. */
#include "step/policies/bracket.h"

#include <math.h>

enum { SLOW = 3 }; /* evaluations in which the interval has to halve */

typedef struct place {
    double x, f;
} place;

static void keep_best(vv_bracketed *best, place p)
{
    if (fabs(p.f) < fabs(best->value))
        best->x = p.x, best->value = p.f;
}

static bool inside(double x, place a, place b) { return (x > a.x && x < b.x) || (x < a.x && x > b.x); }

static double secant(place a, place b) { return b.x - b.f * (b.x - a.x) / (b.f - a.f); }

/* Where the parabola through three places is 0 between the first two; NaN: nowhere. */
static double parabola(place a, place b, place c)
{
    double first = (b.f - a.f) / (b.x - a.x), bend = ((c.f - b.f) / (c.x - b.x) - first) / (c.x - a.x);
    double slope = first + bend * (b.x - a.x), root = sqrt(slope * slope - 4 * bend * b.f);
    double x = b.x - 2 * b.f / (slope + root), y = b.x - 2 * b.f / (slope - root);
    return inside(x, a, b) ? x : inside(y, a, b) ? y : NAN;
}

/* Between a and b; c: an end before them, of an infinite value where there is none. */
static double next_place(place a, place b, place c, bool halve)
{
    double x = halve ? NAN : isfinite(c.f) ? parabola(a, b, c) : secant(a, b);
    if (!halve && !inside(x, a, b))
        x = secant(a, b);
    return inside(x, a, b) ? x : a.x + 0.5 * (b.x - a.x);
}

vv_bracketed vv_bracket_root(const vv_bracket *bracket, double x0, double f0, double x1, double f1)
{
    place a = { x0, f0 }, b = { x1, f1 }, before = { 0, INFINITY };
    const place end = b;
    vv_bracketed best = { x0, f0, 0 };
    double width = fabs(x1 - x0);
    for (int since = 0; best.evaluations < bracket->most && fabs(best.value) > bracket->tolerance; since++) {
        if (fabs(b.x - a.x) <= 0.5 * width)
            width = fabs(b.x - a.x), since = 0;
        double x = next_place(a, b, before, bracket->bisect || since >= SLOW);
        if (x == a.x || x == b.x) /* neighbouring numbers */
            break;
        place p = { x, bracket->value(bracket->user, x) };
        p.f = isnan(p.f) ? INFINITY : p.f;
        best.evaluations++;
        keep_best(&best, p);
        if ((p.f > 0) == (b.f > 0))
            before = b, b = p;
        else
            before = a, a = p;
    }
    if (fabs(best.value) > bracket->tolerance)
        keep_best(&best, end);
    return best;
}

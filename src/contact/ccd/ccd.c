/* vv_ccd_advance (theory §5.9): conservative advancement, with planes that separate the two primitives.
 *
 * Along any direction n, the gap of points i of the first and j of the second primitive, (x_i - x_j).n + t (p_i -
 * p_j).n - keep |n|, is linear in t, and while it is positive for all pairs, between two known times, the primitives
 * (convex sets) are farther apart than `keep`. The search advances to the end of that interval and takes a new n along
 * the nearest points there: never less than (d - keep) / max |p_i - p_j|, the step of additive CCD, and the whole path
 * to a head-on contact. The choice of n affects only the length of the step. The intervals are computed from the
 * original positions at t = 0, with bounds on the rounding, so that errors do not accumulate.
 *
 * Primitives that rotate fast while they hardly approach make short steps; then steps with a plane that turns from one
 * direction to another are tried (`turns`). */
#include "contact/ccd/ccd.h"

#include "base/vec.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum { MOST_PAIRS = 4, MOST_STEPS = 2000, PLAIN_STEPS = 3 };
/* Relative to the sum of its terms' magnitudes, a dot product of a rounded difference has an error below 5 2^-53. */
#define ROUNDING 1e-15
#define LOST 1e-290 /* more than underflow loses in products, for lengths scaled to 1 */
#define HUGE_SUM 1e300
#define ENOUGH 0.01 /* of the first gap, or of `near`: the search ends when less is left */

/* The stencil, scaled to a size near 1, relative to its point 0. */
typedef struct motion {
    vv_stencil kind;
    int points, pairs;
    double x[4][3], p[4][3];
    double pair_x[MOST_PAIRS][3], pair_p[MOST_PAIRS][3]; /* first primitive's point minus second's */
    double keep, near;
} motion;

/* A direction, and per pair a lower bound a + b t on its gap along it. */
typedef struct plane {
    double a[MOST_PAIRS], b[MOST_PAIRS];
    double begin, end; /* all gaps are >= 0 here */
    /* m, scaled: the smallest at the time asked for; negative if that is not between begin and end */
    double gap;
} plane;

static double larger(double a, double b) { return a > b ? a : b; }
static double smaller(double a, double b) { return a < b ? a : b; }
static double magnitude(const double v[3]) { return larger(fabs(v[0]), larger(fabs(v[1]), fabs(v[2]))); }

/* False if the numbers are too large, or not numbers. */
static bool take(motion *m, vv_stencil kind, const double x[4][3], const double p[4][3], double keep, double near)
{
    int n = vv_stencil_points(kind), first = kind == VV_STENCIL_EE ? 2 : 1;
    double size = keep, scale;
    for (int i = 1; i < n; i++)
        for (int c = 0; c < 3; c++)
            size = larger(size, fabs(x[i][c] - x[0][c]));
    int exponent = 0;
    frexp(size, &exponent);
    scale = ldexp(1, exponent < -1000 ? 1000 : -exponent);
    *m = (motion){ .kind = kind, .points = n, .keep = keep * scale, .near = near * scale };
    double sum = m->keep;
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 3; c++) {
            m->x[i][c] = (x[i][c] - x[0][c]) * scale;
            m->p[i][c] = (p[i][c] - p[0][c]) * scale;
            sum += fabs(m->x[i][c]) + fabs(m->p[i][c]);
        }
    for (int i = 0; i < first; i++)
        for (int j = first; j < n; j++, m->pairs++)
            for (int c = 0; c < 3; c++) {
                m->pair_x[m->pairs][c] = (x[i][c] - x[j][c]) * scale;
                m->pair_p[m->pairs][c] = (p[i][c] - p[j][c]) * scale;
                sum += fabs(m->pair_x[m->pairs][c]) + fabs(m->pair_p[m->pairs][c]);
            }
    return sum < HUGE_SUM;
}

/* A lower bound of the exact v.n */
static double dot_below(const double v[3], const double n[3])
{
    if (v[0] == 0 && v[1] == 0 && v[2] == 0)
        return 0;
    double t[3] = { v[0] * n[0], v[1] * n[1], v[2] * n[2] };
    return t[0] + t[1] + t[2] - ROUNDING * (fabs(t[0]) + fabs(t[1]) + fabs(t[2])) - LOST;
}

/* Where a + b t >= 0 for t >= 0, rounded inwards. */
static void clip(double a, double b, double *begin, double *end)
{
    if (a < 0)
        *begin = b > 0 ? larger(*begin, -a / b * (1 + 4 * DBL_EPSILON) + DBL_MIN) : INFINITY;
    else if (b < 0)
        *end = smaller(*end, a / -b * (1 - 4 * DBL_EPSILON) - DBL_MIN);
}

/* The plane of direction n (any length), evaluated at time t. False if n has no direction. */
static bool plane_along(const motion *m, const double n[3], double t, plane *out)
{
    double largest = magnitude(n), unit[3];
    if (!(largest > 0 && isfinite(n[0] + n[1] + n[2])))
        return false;
    for (int c = 0; c < 3; c++)
        unit[c] = n[c] / largest;
    double length = vv_norm(unit), keep = m->keep * length * (1 + ROUNDING);
    *out = (plane){ .end = INFINITY, .gap = INFINITY };
    for (int k = 0; k < m->pairs; k++) {
        out->a[k] = (dot_below(m->pair_x[k], unit) - keep) / length;
        out->b[k] = dot_below(m->pair_p[k], unit) / length;
        clip(out->a[k], out->b[k], &out->begin, &out->end);
        out->gap = smaller(out->gap, out->a[k] + t * out->b[k]);
    }
    if (!(out->begin <= t && t <= out->end))
        out->gap = -INFINITY;
    return true;
}

/* Keeps the better plane; takes n or -n, whichever points away from the second primitive. */
static void consider(const motion *m, const double n[3], const double from_second[3], double t, plane *best)
{
    plane other;
    double sign = vv_dot(n, from_second) < 0 ? -1 : 1, oriented[3] = { sign * n[0], sign * n[1], sign * n[2] };
    if (plane_along(m, oriented, t, &other) && other.gap > best->gap)
        *best = other;
}

/* v minus its component along e */
static void reject(const double v[3], const double e[3], double out[3])
{
    double ee = vv_dot(e, e), part = ee > 0 ? vv_dot(v, e) / ee : 0;
    for (int c = 0; c < 3; c++)
        out[c] = v[c] - part * e[c];
}

/* The plane with the largest gap at time t. Where the vector between the nearest points is too short for its
 * direction to be known, directions from the primitives' edges are tried. */
static plane best_plane(const motion *m, double t)
{
    plane best = { .gap = -INFINITY };
    double y[4][3], w[4], r[3] = { 0 }, pair[3];
    for (int i = 0; i < m->points; i++)
        for (int c = 0; c < 3; c++)
            y[i][c] = m->x[i][c] + t * m->p[i][c];
    vv_stencil_distance2(m->kind, (const double(*)[3])y, NULL, w);
    for (int i = 0; i < m->points; i++)
        for (int c = 0; c < 3; c++)
            r[c] += w[i] * y[i][c];
    consider(m, r, r, t, &best);
    if (best.gap + m->keep > 0.999 * vv_norm(r) || m->points == 2)
        return best;
    int first = m->kind == VV_STENCIL_EE ? 2 : 1;
    double edge[3][3], n[3];
    int edges = m->kind == VV_STENCIL_VE ? 1 : m->kind == VV_STENCIL_EE ? 2 : 3;
    for (int e = 0; e < edges; e++) {
        int from = m->kind == VV_STENCIL_EE ? 2 * e : 1 + e, to = m->kind == VV_STENCIL_VT && e == 2 ? 1 : from + 1;
        vv_sub(y[to], y[from], edge[e]);
        reject(r, edge[e], n);
        consider(m, n, r, t, &best);
    }
    vv_sub(y[0], y[first], pair);
    for (int e = 1; e < edges; e++) {
        vv_cross(edge[0], edge[e], n);
        consider(m, n, pair, t, &best);
    }
    return best;
}

/* Whether the primitives stay apart from s to t, where the planes `from` and `to` separate them: along a direction that
 * is interpolated linearly between the two, the gaps are quadratic, and positive where their Bernstein coefficients
 * are. */
static bool turns(const motion *m, const plane *from, double s, const plane *to, double t)
{
    if (!(from->gap > 0 && to->gap > 0))
        return false;
    for (int k = 0; k < m->pairs; k++) {
        double terms[4] = { to->a[k], to->b[k] * s, from->a[k], from->b[k] * t };
        double size = fabs(terms[0]) + fabs(terms[1]) + fabs(terms[2]) + fabs(terms[3]);
        if (!(terms[0] + terms[1] + terms[2] + terms[3] > ROUNDING * size))
            return false;
    }
    return true;
}

/* Time until which the direction between the primitives' centres separates them (0: it does not): enough for most
 * distant pairs. */
static double middles_part(const motion *m)
{
    double n[3] = { 0 };
    plane middle;
    for (int k = 0; k < m->pairs; k++)
        for (int c = 0; c < 3; c++)
            n[c] += m->pair_x[k][c];
    return plane_along(m, n, 0, &middle) && middle.gap > 0 ? middle.end : 0;
}

/* The result below the limit does not depend on the limit, so that the minimum over many stencils does not depend on
 * their order. */
double vv_ccd_advance(vv_stencil kind, const double x[4][3], const double p[4][3], double keep, double near,
                      double limit)
{
    motion m;
    if (!(keep >= 0 && limit > 0) || !take(&m, kind, x, p, keep, near))
        return 0;
    double t = 0, stride = 4, parted = middles_part(&m), horizon = larger(limit, 1);
    if (parted >= limit)
        return limit;
    plane here = best_plane(&m, 0);
    if (!(here.gap > 0))
        return parted;
    double enough = ENOUGH * smaller(here.gap, m.near);
    for (int step = 0; step < MOST_STEPS && here.gap > 0 && (step == 0 || here.gap > enough); step++) {
        double next = step == 0 ? larger(here.end, parted) : here.end;
        if (next >= limit)
            return limit;
        if (step >= PLAIN_STEPS) {
            double far = smaller(horizon, t + stride * (next - t));
            plane there = best_plane(&m, far);
            if (turns(&m, &here, t, &there, far)) {
                if (far >= limit)
                    return limit;
                t = far;
                here = there;
                stride *= 2;
                continue;
            }
            stride *= 0.5;
            if (stride > 2)
                continue;
            stride = 2;
        }
        if (!(next > t))
            break;
        t = next;
        here = best_plane(&m, t);
    }
    return t;
}

/* Advancing stencils without contact: against a rigorous search in long double at random, and motions with exact
 * answers. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "contact/ccd/ccd.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

static uint64_t state64 = 7;
static double uniform(void) /* in [0, 1) */
{
    state64 ^= state64 << 13;
    state64 ^= state64 >> 7;
    state64 ^= state64 << 17;
    return (double)(state64 >> 11) * 0x1p-53;
}
static double between(double a, double b) { return a + (b - a) * uniform(); }
static double power(double a, double b) { return pow(10, between(a, b)); }
static void random_vector(double size, double v[3])
{
    for (int c = 0; c < 3; c++)
        v[c] = between(-size, size);
}

/* ---- distances in long double: all features one after the other ---------------------------------------------------
 */

typedef long double real;

static real dot(const real a[3], const real b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void sub(const real a[3], const real b[3], real out[3])
{
    for (int c = 0; c < 3; c++)
        out[c] = a[c] - b[c];
}
static void cross(const real a[3], const real b[3], real out[3])
{
    for (int c = 0; c < 3; c++)
        out[c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
}

static real to_segment(const real p[3], const real a[3], const real b[3])
{
    real e[3], d[3];
    sub(b, a, e);
    sub(p, a, d);
    real length2 = dot(e, e), t = length2 > 0 ? dot(d, e) / length2 : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    for (int c = 0; c < 3; c++)
        d[c] -= t * e[c];
    return sqrtl(dot(d, d));
}

static real to_triangle(const real p[3], const real a[3], const real b[3], const real c[3])
{
    real least = fminl(to_segment(p, a, b), fminl(to_segment(p, b, c), to_segment(p, c, a)));
    real ab[3], ac[3], ap[3], n[3], u[3], v[3];
    sub(b, a, ab);
    sub(c, a, ac);
    sub(p, a, ap);
    cross(ab, ac, n);
    cross(ap, ac, u);
    cross(ab, ap, v);
    real nn = dot(n, n), s = dot(u, n), t = dot(v, n);
    if (nn > 0 && s >= 0 && t >= 0 && s + t <= nn)
        least = fminl(least, fabsl(dot(ap, n)) / sqrtl(nn));
    return least;
}

static real of_segments(const real a[3], const real b[3], const real c[3], const real d[3])
{
    real least =
        fminl(fminl(to_segment(a, c, d), to_segment(b, c, d)), fminl(to_segment(c, a, b), to_segment(d, a, b)));
    real u[3], v[3], w[3], n[3], s[3], t[3];
    sub(b, a, u);
    sub(d, c, v);
    sub(c, a, w);
    cross(u, v, n);
    cross(w, v, s);
    cross(w, u, t);
    real nn = dot(n, n), at = dot(s, n), on = dot(t, n);
    if (nn > 0 && at >= 0 && at <= nn && on >= 0 && on <= nn)
        least = fminl(least, fabsl(dot(w, n)) / sqrtl(nn));
    return least;
}

typedef struct query {
    vv_stencil kind;
    double x[4][3], p[4][3];
} query;

static double advance(const query *q, double keep, double limit)
{
    return vv_ccd_advance(q->kind, (const double(*)[3])q->x, (const double(*)[3])q->p, keep, INFINITY, limit);
}

static real distance_at(const query *q, real t)
{
    real y[4][3], zero[3] = { 0 };
    for (int i = 0; i < vv_stencil_points(q->kind); i++)
        for (int c = 0; c < 3; c++)
            y[i][c] = ((real)q->x[i][c] - q->x[0][c]) + t * ((real)q->p[i][c] - q->p[0][c]);
    sub(zero, y[0], zero);
    switch (q->kind) {
    case VV_STENCIL_VV: return to_segment(y[0], y[1], y[1]);
    case VV_STENCIL_VE: return to_segment(y[0], y[1], y[2]);
    case VV_STENCIL_VT: return to_triangle(y[0], y[1], y[2], y[3]);
    default: return of_segments(y[0], y[1], y[2], y[3]);
    }
}

/* An upper bound on how fast the distance changes, and the size of the positions. */
static void measure(const query *q, real *speed, real *size)
{
    *speed = *size = 0;
    for (int i = 1; i < vv_stencil_points(q->kind); i++)
        for (int j = 0; j < i; j++) {
            real dx[3], dp[3];
            for (int c = 0; c < 3; c++) {
                dx[c] = (real)q->x[i][c] - q->x[j][c];
                dp[c] = (real)q->p[i][c] - q->p[j][c];
            }
            *speed = fmaxl(*speed, sqrtl(dot(dp, dp)));
            *size = fmaxl(*size, sqrtl(dot(dx, dx)));
        }
}

/* The first time in [a, b] at which the distance is below `keep`, to within rounding; INFINITY: it is not. Where the
 * distance cannot fall to `keep` from what it is in the middle, nothing is missed; *work bounds the search. */
static real first_below(const query *q, real keep, real speed, real a, real b, int depth, int *work)
{
    real middle = a + (b - a) / 2, d = distance_at(q, middle);
    --*work;
    if (d - speed * (b - a) / 2 >= keep || *work < 0)
        return INFINITY;
    if (depth == 0)
        return d < keep ? middle : (real)INFINITY;
    real first = first_below(q, keep, speed, a, middle, depth - 1, work);
    return first < INFINITY ? first : first_below(q, keep, speed, middle, b, depth - 1, work);
}

/* ---- (i) at random ------------------------------------------------------------------------------------------------
 */

static double random_weights(int n, double w[3])
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += w[i] = uniform() < 0.2 ? 0 : uniform();
    for (int i = 0; i < n; i++)
        w[i] = sum > 0 ? w[i] / sum : i == 0;
    return sum;
}

/* Points at random that meet at time `meet` up to `off`, or that are `off` apart at t = 0 when meet = 0. */
static query random_query(vv_stencil kind, double scale, double speed, double meet, double off, double offset)
{
    query q = { .kind = kind };
    int n = vv_stencil_points(kind), first = kind == VV_STENCIL_EE ? 2 : 1;
    double w[4] = { 0 }, r[3] = { 0 }, common[3], away[3], place[3];
    random_weights(first, w);
    random_weights(n - first, w + first);
    random_vector(speed * power(-2, 3), common);
    random_vector(off, away);
    random_vector(offset, place);
    bool thin = uniform() < 0.2, shared = uniform() < 0.3;
    for (int i = 0; i < n; i++) {
        random_vector(scale * (thin ? power(-6, 0) : 1), q.x[i]);
        random_vector(speed * (uniform() < 0.3 ? power(-4, 0) : 1), q.p[i]);
        if (shared && i != 0 && i != first)
            memcpy(q.p[i], q.p[i < first ? 0 : first], sizeof q.p[i]);
    }
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 3; c++)
            r[c] += (i < first ? w[i] : -w[i]) * q.x[i][c];
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 3; c++) {
            q.x[i][c] += (i < first ? away[c] - r[c] : 0) + place[c] - meet * q.p[i][c];
            q.p[i][c] += common[c];
        }
    return q;
}

typedef struct tally {
    int contacts, free_runs, unresolved;
} tally;

static void check(const query *q, double keep_part, tally *count)
{
    real speed, size, d0 = distance_at(q, 0);
    measure(q, &speed, &size);
    double keep = (double)(keep_part * d0), t = advance(q, keep, 1);
    real rounding = 1e-17L * (size + t * speed);
    assert_true(t >= 0 && t <= 1);
    int work = 20000; /* where nothing is to be kept, d = 0 is sought: not at t, before which it gets as near as
        rounding */
    real least = keep > 0 ? keep - rounding : rounding, end = keep > 0 ? t : 0.999L * t;
    if (d0 > 1e4L * rounding && first_below(q, least, speed, 0, end, 60, &work) < INFINITY)
        fail_msg("%d: comes closer than %g before t = %.17g", (int)q->kind, keep, t);
    if (t == 1) {
        count->free_runs++;
        return;
    }
    /* what is left is a small part of the first distance, or rounding */
    real left = distance_at(q, t) - keep, resolved = 1e-13L * (size + speed * t);
    if (d0 - keep < 2 * resolved)
        count->unresolved++;
    else if (left > 0.011L * (d0 - keep) + resolved)
        fail_msg("%d: stops at t = %.17g, where %Lg of %Lg is left, keep %g, size %Lg, speed %Lg", (int)q->kind, t,
                 left, d0 - keep, keep, size, speed);
    else
        count->contacts++;
}

static void random_motions_are_safe_and_go_far(void **state)
{
    (void)state;
    static const double part[] = { 0, 0.1, 0.5 };
    tally all = { 0 };
    for (int round = 0; round < 30000; round++) {
        vv_stencil kind = (vv_stencil)(round % 4);
        double scale = power(-9, 6), speed = scale * power(-6, 6), keep = part[round / 4 % 3];
        double offset = round % 5 == 0 ? scale * power(0, 6) : 0;
        bool meets = round % 3 != 0;
        double meet = meets ? uniform() < 0.3 ? power(-6, 0) : uniform() : 0;
        double off = meets ? uniform() < 0.5 ? 0 : scale * power(-9, 0) : scale * power(-9, 1);
        query q = random_query(kind, scale, speed, meet, off, offset);
        check(&q, keep, &all);
    }
    assert_true(all.contacts > 5000 && all.free_runs > 5000 && all.unresolved < 100);
}

/* ---- (ii) motions whose first contact is known exactly ------------------------------------------------------------
 */

enum { VV = VV_STENCIL_VV, VE = VV_STENCIL_VE, VT = VV_STENCIL_VT, EE = VV_STENCIL_EE };
#define NEVER INFINITY
#define MISS 0x1p-40 /* about 1e-12 */

typedef struct example {
    const char *name;
    int kind;
    double x[4][3], p[4][3];
    double first;   /* time of the first contact in [0, 1]; NEVER */
    double quarter; /* first time at which a quarter of the distance at t = 0 is left; 0: not stated */
} example;

static const example examples[] = {
    { "points head on", VV, { { 0, 0, 1 } }, { { 0, 0, -2 } }, 0.5, 0.375 },
    { "points, one follows the other, faster", VV, { { 4, 0, 0 } }, { { 2, 0, 0 }, { 10, 0, 0 } }, 0.5, 0.375 },
    { "points, one follows the other, slower", VV, { { 4, 0, 0 } }, { { 10, 0, 0 }, { 2, 0, 0 } }, NEVER, NEVER },
    { "points that just miss", VV, { { -1, MISS, 0 } }, { { 2, 0, 0 } }, NEVER, 0.375 },
    { "points that miss", VV, { { -1, 0.5, 0 } }, { { 2, 0, 0 } }, NEVER, NEVER },
    { "points too slow to meet", VV, { { 0, 0, 1 } }, { { 0, 0, -0.984375 } }, NEVER, 0.75 / 0.984375 },
    { "points that meet at the end", VV, { { 0, 0, 1 } }, { { 0, 0, -1 } }, 1, 0.75 },
    { "points, very fast", VV, { { 0, 0, 1 } }, { { 0, 0, -0x1p40 } }, 0x1p-40, 0.75 * 0x1p-40 },

    { "point onto the middle of a segment",
      VE,
      { { 0, 1, 0 }, { -1, 0, 0 }, { 1, 0, 0 } },
      { { 0, -2, 0 } },
      0.5,
      0.375 },
    { "point grazes the end of a segment",
      VE,
      { { -1, 0, 0 }, { 0, 0, 0 }, { 0, 1, 0 } },
      { { 2, 0, 0 } },
      0.5,
      0.375 },
    { "point just misses the end of a segment",
      VE,
      { { -1, 0, 0 }, { 0, MISS, 0 }, { 0, 1, 0 } },
      { { 2, 0, 0 } },
      NEVER,
      0.375 },
    { "point along the line of a segment",
      VE,
      { { -3, 0, 0 }, { 0, 0, 0 }, { 1, 0, 0 } },
      { { 4, 0, 0 } },
      0.75,
      0.5625 },
    { "point slides along a segment",
      VE,
      { { -3, MISS, 0 }, { -1, 0, 0 }, { 1, 0, 0 } },
      { { 8, 0, 0 } },
      NEVER,
      0.1875 },
    { "segment turns to a point",
      VE,
      { { 0.5, 0.5, 0 }, { 0, 0, 0 }, { 2, 0, 0 } },
      { { 0 }, { 0 }, { -2, 2, 0 } },
      0.5,
      0 },
    { "segment turns to a point later",
      VE,
      { { 0.25, 0.75, 0 }, { 0, 0, 0 }, { 2, 0, 0 } },
      { { 0 }, { 0 }, { -2, 2, 0 } },
      0.75,
      0 },
    { "segment without length", VE, { { 0, 0, 1 } }, { { 0, 0, -4 } }, 0.25, 0.1875 },
    { "segment that shrinks to a point there",
      VE,
      { { 0, 1, 0 }, { -1, 0, 0 }, { 1, 0, 0 } },
      { { 0, -1, 0 }, { 1, 0, 0 }, { -1, 0, 0 } },
      1,
      0.75 },

    { "point through a triangle",
      VT,
      { { 0.25, 0.25, 1 }, { 0 }, { 1, 0, 0 }, { 0, 1, 0 } },
      { { 0, 0, -4 } },
      0.25,
      0.1875 },
    { "point through a triangle in a tiny part of the step",
      VT,
      { { 0.25, 0.25, 1 }, { 0 }, { 1, 0, 0 }, { 0, 1, 0 } },
      { { 0, 0, -0x1p20 } },
      0x1p-20,
      0.75 * 0x1p-20 },
    { "point reaches the triangle at the end",
      VT,
      { { 0.25, 0.25, 1 }, { 0 }, { 1, 0, 0 }, { 0, 1, 0 } },
      { { 0, 0, -1 } },
      1,
      0.75 },
    { "point onto a corner", VT, { { 0, 0, 1 }, { 0 }, { 1, 0, 0 }, { 0, 1, 0 } }, { { 0, 0, -2 } }, 0.5, 0.375 },
    { "point onto an edge", VT, { { 0.5, 0.5, 1 }, { 0 }, { 1, 0, 0 }, { 0, 1, 0 } }, { { 0, 0, -2 } }, 0.5, 0.375 },
    { "point just beside a corner",
      VT,
      { { -MISS, -MISS, 1 }, { 0 }, { 1, 0, 0 }, { 0, 1, 0 } },
      { { 0, 0, -2 } },
      NEVER,
      0.375 },
    { "point slides above a triangle",
      VT,
      { { -3, 0.25, MISS }, { 0 }, { 1, 0, 0 }, { 0, 1, 0 } },
      { { 7, 0, 0 } },
      NEVER,
      2.25 / 7 },
    { "point in the triangle's plane meets its side",
      VT,
      { { 2, 0.25, 0 }, { 0 }, { 1, 0, 0 }, { 0, 1, 0 } },
      { { -2.5, 0, 0 } },
      0.5,
      0.375 },
    { "point in the triangle's plane passes",
      VT,
      { { 2, 1.5, 0 }, { 0 }, { 1, 0, 0 }, { 0, 1, 0 } },
      { { -4, 0, 0 } },
      NEVER,
      NEVER },
    { "point in the box of a triangle at rest",
      VT,
      { { 0.25, 0.25, 0.25 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
      { { 0 } },
      NEVER,
      NEVER },
    { "triangle with its corners on a line",
      VT,
      { { 0.5, 0, 1 }, { 0 }, { 2, 0, 0 }, { 1, 0, 0 } },
      { { 0, 0, -2 } },
      0.5,
      0.375 },
    { "triangle with two corners in one place",
      VT,
      { { 0.5, 0, 1 }, { 0 }, { 1, 0, 0 }, { 1, 0, 0 } },
      { { 0, 0, -2 } },
      0.5,
      0.375 },
    { "triangle that is a point", VT, { { 0, 0, 1 } }, { { 0, 0, -4 } }, 0.25, 0.1875 },
    { "triangle swings to a point",
      VT,
      { { 1, 0, 1 }, { 0, -4, 0 }, { 0, 4, 0 }, { 8, 0, 0 } },
      { { 0 }, { 0 }, { 0 }, { -8, 0, 8 } },
      0.5,
      0 },
    { "triangle swings to a point later",
      VT,
      { { 1, 0, 3 }, { 0, -4, 0 }, { 0, 4, 0 }, { 8, 0, 0 } },
      { { 0 }, { 0 }, { 0 }, { -8, 0, 8 } },
      0.75,
      0 },
    { "triangle tilts below a point it never meets",
      VT,
      { { 0, 0, 0.0625 }, { -1, -1, 0 }, { -1, 1, 0 }, { 2, 0, 0 } },
      { { 0 }, { 0, 0, 2 }, { 0, 0, 2 }, { 0, 0, -4 } },
      NEVER,
      0 },
    { "triangle collapses onto the point",
      VT,
      { { 0, 0, 1 }, { -1, -1, 0 }, { -1, 1, 0 }, { 2, 0, 0 } },
      { { 0 }, { 1, 1, 1 }, { 1, -1, 1 }, { -2, 0, 1 } },
      1,
      0.75 },

    { "crossed segments",
      EE,
      { { -1, 0, 1 }, { 1, 0, 1 }, { 0, -1, 0 }, { 0, 1, 0 } },
      { { 0, 0, -2 }, { 0, 0, -2 } },
      0.5,
      0.375 },
    { "parallel segments",
      EE,
      { { 0, 0, 1 }, { 1, 0, 1 }, { 0, 0, 0 }, { 1, 0, 0 } },
      { { 0, 0, -2 }, { 0, 0, -2 } },
      0.5,
      0.375 },
    { "parallel segments that slide as they fall",
      EE,
      { { 0, 0, 1 }, { 1, 0, 1 }, { 0, 0, 0 }, { 1, 0, 0 } },
      { { 1, 0, -2 }, { 1, 0, -2 } },
      0.5,
      0.375 },
    { "parallel segments that slide past",
      EE,
      { { 0, MISS, 0 }, { 1, MISS, 0 }, { 2, 0, 0 }, { 3, 0, 0 } },
      { { 6, 0, 0 }, { 6, 0, 0 } },
      NEVER,
      0.125 },
    { "segments end to end on a line",
      EE,
      { { 0 }, { 1, 0, 0 }, { 3, 0, 0 }, { 5, 0, 0 } },
      { { 4, 0, 0 }, { 4, 0, 0 } },
      0.5,
      0.375 },
    { "segments that meet at two ends",
      EE,
      { { 0, 0, 1 }, { -1, 0, 2 }, { 0 }, { 1, 1, 0 } },
      { { 0, 0, -4 }, { 0, 0, -4 } },
      0.25,
      0.1875 },
    { "segments that just miss with their ends",
      EE,
      { { 0, MISS, 1 }, { 0, 1, 1 }, { 0 }, { 0, -1, 0 } },
      { { 0, 0, -4 }, { 0, 0, -4 } },
      NEVER,
      0.1875 },
    { "in a plane, end against the side",
      EE,
      { { 1, 1, 0 }, { 1, 2, 0 }, { 0 }, { 2, 0, 0 } },
      { { 0, -2, 0 }, { 0, -2, 0 } },
      0.5,
      0.375 },
    { "segment dips at one end",
      EE,
      { { -1, 0, 1 }, { 1, 0, 1 }, { -0.5, -1, 0 }, { -0.5, 1, 0 } },
      { { 0, 0, -4 }, { 0, 0, 4 } },
      0.5,
      0 },
    { "segment without length",
      EE,
      { { 0, 0, 1 }, { 0, 0, 1 }, { -1, 0, 0 }, { 1, 0, 0 } },
      { { 0, 0, -2 }, { 0, 0, -2 } },
      0.5,
      0.375 },
    { "segments nearly parallel",
      EE,
      { { -1, -MISS, 1 }, { 1, MISS, 1 }, { -1, 0, 0 }, { 1, 0, 0 } },
      { { 0, 0, -2 }, { 0, 0, -2 } },
      0.5,
      0.375 },
    { "one segment passes the other's line out of reach",
      EE,
      { { 2, 0, 1 }, { 4, 0, 1 }, { -1, 0, 0 }, { 1, 0, 0 } },
      { { 0, 0, -2 }, { 0, 0, -2 } },
      NEVER,
      NEVER },
    { "segments at rest that cross in projection",
      EE,
      { { -1, -1, MISS }, { 1, 1, MISS }, { -1, 1, 0 }, { 1, -1, 0 } },
      { { 0 } },
      NEVER,
      NEVER },
};
enum { EXAMPLES = sizeof examples / sizeof *examples };

/* What must not change the answer: units, another order of the points or axes, mirror images, and a shift of place or
 * velocity that leaves all numbers exact. */
typedef struct variant {
    int exponent, turn, mirror, reverse;
    double shift, wind;
} variant;

static query make(const example *e, const variant *v)
{
    query q = { .kind = (vv_stencil)e->kind };
    int n = vv_stencil_points(q.kind), first = q.kind == VV_STENCIL_EE ? 2 : 1;
    for (int i = 0; i < n; i++) {
        int from = !v->reverse ? i : i < first ? first - 1 - i : n - 1 - (i - first);
        for (int c = 0; c < 3; c++) {
            int to = (c + v->turn) % 3;
            double sign = v->mirror >> c & 1 ? -1 : 1;
            q.x[i][to] = ldexp(sign * e->x[from][c] + v->shift, v->exponent);
            q.p[i][to] = ldexp(sign * e->p[from][c] + v->wind, v->exponent);
        }
    }
    if (v->reverse && q.kind == VV_STENCIL_EE) {
        query swapped = q;
        memcpy(q.x, swapped.x[2], sizeof q.x / 2), memcpy(q.x[2], swapped.x, sizeof q.x / 2);
        memcpy(q.p, swapped.p[2], sizeof q.p / 2), memcpy(q.p[2], swapped.p, sizeof q.p / 2);
    }
    return q;
}

/* What the search leaves is at most this part of the gap to `keep`. */
static const double LEFT = 0.011;

static void check_example(const example *e, const variant *v)
{
    query q = make(e, v);
    real d0 = distance_at(&q, 0);
    double t = advance(&q, 0, 1), half = advance(&q, 0, 0.5);
    if (!(t >= 0 && t <= 1 && t < e->first))
        fail_msg("%s: t = %.17g, first contact at %.17g", e->name, t, e->first);
    if (t < 1 && distance_at(&q, t) > LEFT * d0)
        fail_msg("%s: t = %.17g, where %Lg of %Lg is left", e->name, t, distance_at(&q, t), d0);
    if (e->first <= 1 && t < 0.98 * e->first)
        fail_msg("%s: t = %.17g is too short of %.17g", e->name, t, e->first);
    assert_true(half <= 0.5 && half < e->first &&
                (e->first <= 0.5 || half == 0.5 || distance_at(&q, half) <= LEFT * d0));
    /* a distance kept */
    double keep = (double)(d0 / 4), kept = advance(&q, keep, 1);
    if (e->quarter > 0 && !(kept <= fmin(1, e->quarter * (1 + DBL_EPSILON))))
        fail_msg("%s: a quarter is left at t = %.17g already, not %.17g", e->name, e->quarter, kept);
    if (kept < 1 && distance_at(&q, kept) > keep + LEFT * 0.75 * d0)
        fail_msg("%s: t = %.17g, where %Lg is left, not %g", e->name, kept, distance_at(&q, kept), keep);
    assert_true(kept >= 0 && kept <= fmax(t, 0));
    assert_true(!(e->quarter > 1) || kept == 1);
}

static void known_motions_stop_just_before_contact(void **state)
{
    (void)state;
    static const int exponents[] = { 0, -1000, -300, -30, 20, 300, 900 };
    for (int i = 0; i < EXAMPLES; i++)
        for (int k = 0; k < 7 * 3 * 8 * 2; k++) {
            variant v = { exponents[k % 7], k / 7 % 3, k / 21 % 8, k / 168, 0, 0 };
            check_example(&examples[i], &v);
        }
}

static bool just_misses(const example *e)
{
    for (int i = 0; i < 4; i++)
        for (int c = 0; c < 3; c++)
            if (fabs(e->x[i][c]) == MISS)
                return true;
    return false;
}

static void far_from_the_origin_and_in_the_wind_too(void **state)
{
    (void)state;
    for (int i = 0; i < EXAMPLES; i++) {
        bool fine = just_misses(&examples[i]); /* 2^-40 leaves 12 bits */
        for (int k = 0; k < 2 * 3 * 8; k++) {
            variant v = { k % 2 ? -20 : 0, k / 2 % 3, k / 6, k % 2, fine ? 4096 : 0x1p30, 0 };
            check_example(&examples[i], &v);
            v.wind = fine ? 512 : 1024;
            check_example(&examples[i], &v);
        }
    }
}

static void where_it_never_meets_it_goes_all_the_way(void **state)
{
    (void)state;
    int checked = 0;
    for (int i = 0; i < EXAMPLES; i++)
        for (int k = 0; k < 48 && examples[i].first > 1; k++) {
            variant v = { 0, k % 3, k / 3 % 8, k / 24, 0, 0 };
            query q = make(&examples[i], &v);
            double least = 1;
            for (int s = 0; s <= 4096; s++)
                least = fmin(least, (double)(distance_at(&q, s / 4096.0L) / distance_at(&q, 0)));
            if (least > 0.02) {
                checked++;
                assert_true(advance(&q, 0, 1) == 1);
            }
        }
    assert_true(checked > 48);
}

static double integer(double most) { return floor(between(-most, most + 1)); }

/* Whether the first primitive moves out of the plane (the line, the place) in which it touches the second. */
static bool approaches(const query *q, const double motion[3])
{
    real u[3], v[3], n[3], m[3] = { motion[0], motion[1], motion[2] };
    int last = vv_stencil_points(q->kind) - 1;
    for (int c = 0; c < 3; c++) {
        u[c] = q->x[last][c] - q->x[last - 1][c];
        v[c] = q->kind == VV_STENCIL_EE ? q->x[1][c] - q->x[0][c] : q->x[2][c] - q->x[1][c];
    }
    if (q->kind == VV_STENCIL_VV)
        return dot(m, m) > 0;
    cross(u, q->kind == VV_STENCIL_VE ? m : v, n);
    return q->kind == VV_STENCIL_VE ? dot(n, n) > 0 : dot(n, m) != 0;
}

/* Integers: the first primitive flies to a point of the second, in its inside, which it reaches at 1 / k exactly. Where
 * the gap is small against the coordinates, a sum rounded the wrong way would be seen. */
static bool flight(vv_stencil kind, int k, double size, double travel, query *q)
{
    int n = vv_stencil_points(kind), first = kind == VV_STENCIL_EE ? 2 : 1, parts = n - first;
    static const int weights[3][3] = { { 8, 0, 0 }, { 3, 5, 0 }, { 1, 5, 2 } };
    double r[3] = { 0 }, motion[3], wind[3];
    *q = (query){ .kind = kind };
    for (int c = 0; c < 3; c++) {
        motion[c] = integer(travel);
        wind[c] = uniform() < 0.5 ? integer(1000) : 0;
        for (int i = 0; i < n; i++) {
            q->x[i][c] = 8 * integer(size);
            r[c] += (i >= first              ? -weights[parts - 1][i - first]
                     : kind == VV_STENCIL_EE ? (i ? 7 : 1)
                                             : 8) *
                    q->x[i][c] / 8;
        }
        for (int i = 0; i < n; i++) {
            q->x[i][c] -= i < first ? r[c] + motion[c] : 0;
            q->p[i][c] = (i < first ? k * motion[c] : 0) + wind[c];
        }
    }
    return approaches(q, motion);
}

static void flights_end_just_before_contact(void **state)
{
    (void)state;
    int flights = 0, sharp = 0;
    for (int round = 0; round < 40000; round++) {
        query q;
        int k = 1 + round / 4 % 7;
        if (!flight((vv_stencil)(round % 4), k, 0x1p18, round % 3 ? 4 : 0x1p20, &q))
            continue;
        flights++;
        double t = advance(&q, 0, 1);
        sharp += (real)t * k > 1 - 1e-12L;
        if (!((real)t * k < 1 && distance_at(&q, t) <= LEFT * distance_at(&q, 0)))
            fail_msg("%d: t = %.17g, contact at 1 / %d", (int)q.kind, t, k);
    }
    assert_true(flights > 30000 && sharp > 15000);
}

/* ---- the corners of the definition --------------------------------------------------------------------------------
 */

static query points(double gap, double speed)
{
    return (query){ .kind = VV_STENCIL_VV, .x = { { gap } }, .p = { { -speed } } };
}

static void starts_in_contact_stay(void **state)
{
    (void)state;
    static const double touching[4][4][3] = {
        { { 1, 2, 3 }, { 1, 2, 3 } },
        { { 1, 0, 0 }, { 0, 0, 0 }, { 2, 0, 0 } },
        { { 1, 1, 0 }, { 0, 0, 0 }, { 4, 0, 0 }, { 0, 4, 0 } },
        { { -1, 0, 0 }, { 1, 0, 0 }, { 0, -1, 0 }, { 0, 1, 0 } },
    };
    for (int kind = 0; kind < 4; kind++)
        for (int k = 0; k < 20; k++) {
            query q = { .kind = (vv_stencil)kind };
            memcpy(q.x, touching[kind], sizeof q.x);
            for (int i = 0; i < 4 && k > 0; i++)
                random_vector(1, q.p[i]);
            assert_true(advance(&q, 0, 1) == 0);
        }
    query none = { .kind = VV_STENCIL_VT };
    assert_true(advance(&none, 0, 1) == 0);
    query q = points(1, 1);
    assert_true(advance(&q, 1, 1) == 0 && advance(&q, 2, 1) == 0 && advance(&q, 1e300, 1) == 0);
    assert_true(advance(&q, INFINITY, 1) == 0);
}

static void limits(void **state)
{
    (void)state;
    query near = points(1, 1), apart = points(1, -1), rest = points(1, 0);
    assert_true(advance(&near, 0, 0) == 0 && advance(&near, 0, -1) == 0 && advance(&near, 0, NAN) == 0);
    assert_true(advance(&near, NAN, 1) == 0 && advance(&near, -1, 1) == 0);
    assert_true(advance(&near, 0, 0.25) == 0.25 && advance(&near, 0.5, 0.25) == 0.25);
    double t = advance(&near, 0, INFINITY);
    assert_true(t < 1 && t > 0.99);
    assert_true(advance(&apart, 0.5, INFINITY) == INFINITY && advance(&apart, 0.5, 1e300) == 1e300);
    assert_true(advance(&rest, 0.5, INFINITY) == INFINITY && advance(&rest, 0, 1) == 1);
}

/* What a limit allows is what would be found without it: the least of many is the same in any order. */
static void a_limit_changes_nothing_before_it(void **state)
{
    (void)state;
    int contacts = 0;
    for (int k = 0; k < 400000; k++) {
        double x[4][3], p[4][3], speed = power(-1.5, 1.5), w[4];
        vv_stencil kind = k % 2 ? VV_STENCIL_EE : VV_STENCIL_VT;
        for (int i = 0; i < 4; i++) {
            random_vector(1, x[i]);
            random_vector(speed, p[i]);
        }
        double near = fmin(sqrt(vv_stencil_distance2(kind, (const double(*)[3])x, NULL, w)), 0.3), keep = 0.1 * near;
        double whole = vv_ccd_advance(kind, (const double(*)[3])x, (const double(*)[3])p, keep, near, 1);
        contacts += whole < 1;
        for (int i = 0; i < 4; i++) {
            double limit = 1 - uniform(),
                   t = vv_ccd_advance(kind, (const double(*)[3])x, (const double(*)[3])p, keep, near, limit);
            if (t != fmin(whole, limit))
                fail_msg("motion %d: %.17g without a limit, %.17g with %.17g", k, whole, t, limit);
        }
    }
    assert_true(contacts > 10000);
}

static void tiny_huge_and_no_numbers(void **state)
{
    (void)state;
    const double least = 0x1p-1074;
    query q = points(1000 * least, 2000 * least);
    double t = advance(&q, 0, 1);
    assert_true(t > 0.495 && t < 0.5);
    q = points(1, 1e200);
    t = advance(&q, 0, 1);
    assert_true(t > 0.99e-200 && t < 1e-200);
    q = points(1e200, 1);
    assert_true(advance(&q, 0, 1) == 1);
    q = points(1, least);
    assert_true(advance(&q, 0, 1) == 1);
    q = points(1e308, 1e308);
    t = advance(&q, 0, 1);
    assert_true(t > 0.99 && t < 1);
    static const double wild[] = {
        NAN, INFINITY, -INFINITY, DBL_MAX, -DBL_MAX, DBL_MIN, 0x1p-1074, 1e154, -1e-162, 0, 1
    };
    enum { WILD = sizeof wild / sizeof *wild };
    for (int round = 0; round < 40000; round++) {
        query w = { .kind = (vv_stencil)(round % 4) };
        bool number = true;
        for (int i = 0; i < vv_stencil_points(w.kind); i++)
            for (int c = 0; c < 3; c++) {
                w.x[i][c] = uniform() < 0.2 ? wild[(int)(WILD * uniform())] : between(-1, 1);
                w.p[i][c] = uniform() < 0.2 ? wild[(int)(WILD * uniform())] : between(-1, 1);
                number = number && isfinite(w.x[i][c]) && isfinite(w.p[i][c]);
            }
        t = advance(&w, 0, 1);
        assert_true(t >= 0 && t <= 1 && (number || t == 0));
    }
}

/* Advancing knows no length of its own: light years or atoms, the same part of the way. */
static void scale_does_not_matter(void **state)
{
    (void)state;
    static const vv_stencil kinds[] = { VV_STENCIL_VV, VV_STENCIL_VE, VV_STENCIL_VT, VV_STENCIL_EE };
    static const int powers[] = { -300, 300 };
    int stopped = 0, through = 0;
    for (int round = 0; round < 4000; round++) {
        query q = { .kind = kinds[round % 4] };
        for (int i = 0; i < 4; i++)
            for (int c = 0; c < 3; c++) {
                q.x[i][c] = between(-1, 1);
                q.p[i][c] = between(-2, 2);
            }
        double t = advance(&q, 1e-3, 1);
        stopped += t > 0 && t < 1, through += t == 1;
        for (int k = 0; k < 2; k++) {
            query other = q;
            for (int i = 0; i < 4; i++)
                for (int c = 0; c < 3; c++) {
                    other.x[i][c] = ldexp(q.x[i][c], powers[k]);
                    other.p[i][c] = ldexp(q.p[i][c], powers[k]);
                }
            assert_true(fabs(advance(&other, ldexp(1e-3, powers[k]), 1) - t) <= 1e-12);
        }
    }
    assert_true(stopped > 100 && through > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scale_does_not_matter),
        cmocka_unit_test(random_motions_are_safe_and_go_far),
        cmocka_unit_test(known_motions_stop_just_before_contact),
        cmocka_unit_test(far_from_the_origin_and_in_the_wind_too),
        cmocka_unit_test(where_it_never_meets_it_goes_all_the_way),
        cmocka_unit_test(flights_end_just_before_contact),
        cmocka_unit_test(starts_in_contact_stay),
        cmocka_unit_test(limits),
        cmocka_unit_test(a_limit_changes_nothing_before_it),
        cmocka_unit_test(tiny_huge_and_no_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

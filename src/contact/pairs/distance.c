/* Distances of the contact stencils.
 *
 * All four are the least length of r = q - s a - t b over the parameters of their features. The unconstrained minimum
 * is found by orthogonalising (b against a, then q against both), which stays accurate where the normal equations
 * cancel: for needles and near-parallel segments. If it lies outside, the constrained minimum lies on a side whose
 * constraint it violates, as every path from it into the allowed set crosses such a side: one or two distances to a
 * segment. Degenerate features try all of their sides. */
#include "contact/pairs/distance.h"
#include "base/vec.h"

/* b counts as parallel to a if its squared part across a, relative to b, is below this: what is left is rounding. */
static const double PARALLEL = 1e-26;

static double length2(const double a[3]) { return vv_dot(a, a); }

/* Point p and segment a b: *t in [0, 1]; exactly 0 or 1 at the ends. */
static double point_segment(const double p[3], const double a[3], const double b[3], double *t)
{
    double e[3], q[3];
    vv_sub(b, a, e);
    vv_sub(p, a, q);
    double along = vv_dot(q, e), whole = length2(e);
    if (!(along > 0)) { /* also for a segment without length */
        *t = 0;
        return length2(q);
    }
    if (along >= whole || along / whole >= 1) {
        *t = 1;
        vv_sub(p, b, q);
        return length2(q);
    }
    *t = along / whole;
    for (int k = 0; k < 3; k++)
        q[k] -= *t * e[k];
    return length2(q);
}

/* The s, t that make r = q - s a - t b shortest, and r. False where a and b are parallel or without length. */
static int shortest(const double q[3], const double a[3], const double b[3], double *s, double *t, double r[3])
{
    double aa = length2(a), ab = vv_dot(a, b), qa = vv_dot(q, a), across[3], rest[3];
    if (aa == 0)
        return 0;
    for (int k = 0; k < 3; k++) {
        across[k] = b[k] - ab / aa * a[k];
        rest[k] = q[k] - qa / aa * a[k];
    }
    double bb = length2(across);
    if (bb <= PARALLEL * length2(b))
        return 0;
    *t = vv_dot(rest, across) / bb;
    for (int k = 0; k < 3; k++)
        rest[k] = q[k] - *t * b[k];
    *s = vv_dot(rest, a) / aa;
    for (int k = 0; k < 3; k++)
        r[k] = rest[k] - *s * a[k];
    return 1;
}

static double point_triangle(const double x[4][3], double w[4])
{
    static const int side[3][2] = { { 1, 2 }, { 2, 3 }, { 1, 3 } };
    double a[3], b[3], q[3], r[3], s = -1, t = -1, least = INFINITY;
    vv_sub(x[2], x[1], a);
    vv_sub(x[3], x[1], b);
    vv_sub(x[0], x[1], q);
    int flat = !shortest(q, a, b, &s, &t, r);
    double u = 1 - s - t;
    if (!flat && s > 0 && t > 0 && u > 0) {
        w[0] = 1, w[1] = -u, w[2] = -s, w[3] = -t;
        return length2(r);
    }
    const int out[3] = { flat || !(t > 0), flat || !(u > 0), flat || !(s > 0) };
    for (int k = 0; k < 3; k++) {
        double z, d2;
        if (!out[k])
            continue;
        d2 = point_segment(x[0], x[side[k][0]], x[side[k][1]], &z);
        if (!(d2 >= least)) { /* NaN propagates */
            least = d2;
            w[0] = 1, w[1] = w[2] = w[3] = 0;
            w[side[k][0]] = z - 1;
            w[side[k][1]] = -z;
        }
    }
    return least;
}

static double segments(const double x[4][3], double w[4])
{
    double a[3], b[3], q[3], r[3], s = 0, t = 0, least = INFINITY;
    vv_sub(x[0], x[1], a); /* r = (x0 - x2) - s a - t b at (1 - s) x0 + s x1, (1 - t) x2 + t x3 */
    vv_sub(x[3], x[2], b);
    vv_sub(x[0], x[2], q);
    int parallel = !shortest(q, a, b, &s, &t, r);
    if (!parallel && s > 0 && s < 1 && t > 0 && t < 1) {
        w[0] = 1 - s, w[1] = s, w[2] = t - 1, w[3] = -t;
        return length2(r);
    }
    const int out[4] = { parallel || !(s > 0), parallel || !(s < 1), parallel || !(t > 0), parallel || !(t < 1) };
    for (int end = 0; end < 4; end++) { /* each end against the other segment */
        if (!out[end])
            continue;
        int other = end < 2 ? 2 : 0;
        double z, d2 = point_segment(x[end], x[other], x[other + 1], &z);
        if (!(d2 >= least)) { /* NaN propagates */
            double sign = end < 2 ? 1 : -1;
            least = d2;
            w[end] = sign, w[end ^ 1] = 0;
            w[other] = -sign * (1 - z);
            w[other + 1] = -sign * z;
        }
    }
    return least;
}

double vv_stencil_distance2(vv_stencil kind, const double x[4][3], unsigned *nearest, double w[4])
{
    double d2, t, r[3];
    if (kind == VV_STENCIL_VT) {
        d2 = point_triangle(x, w);
    } else if (kind == VV_STENCIL_EE) {
        d2 = segments(x, w);
    } else if (kind == VV_STENCIL_VE) {
        d2 = point_segment(x[0], x[1], x[2], &t);
        w[0] = 1, w[1] = t - 1, w[2] = -t, w[3] = 0;
    } else {
        vv_sub(x[0], x[1], r);
        d2 = length2(r);
        w[0] = 1, w[1] = -1, w[2] = w[3] = 0;
    }
    if (nearest) {
        *nearest = 0;
        for (unsigned i = 0; i < 4; i++)
            *nearest |= (unsigned)(w[i] != 0) << i;
    }
    return d2;
}

/* Solid capsule obstacle: all points within r of a straight line of some length. With the nearest point c(x) of the
 * line, d = |x - c(x)| - r. Beside the line the surface is curved in one direction, at the round ends in two. */
#include "base/vec.h"
#include "contact/obstacles/obstacle.h"

#include <string.h>

static const vvParam params[] = {
    { "center", "middle of the capsule", "m", 3, false, { 0, 0, 0 }, -1e6, 1e6 },
    { "axis", "direction of the axis, any length", "", 3, false, { 0, 1, 0 }, -1e6, 1e6 },
    { "radius", "radius", "m", 1, false, { 0.25 }, 1e-9, 1e6 },
    { "height", "length along the axis between the centres of the round ends", "m", 1, false, { 1 }, 1e-9, 1e6 },
};

/* shape: centre (3), unit axis (3), radius, half height */
static vvStatus prepare(const double *values, double *shape, vvError *error)
{
    vvStatus status = vv_obstacle_unit_axis(values, shape, error);
    shape[7] = values[7] / 2;
    return status;
}

/* The part of the axis that is beside z. */
static double clamped(const double *shape, double z) { return fmin(fmax(z, -shape[7]), shape[7]); }

static double distance(const double *shape, const double x[3], double n[3], double curvature[9])
{
    const double *a = shape + 3;
    double r[3], u[3] = { fabs(a[0]) < 0.6, fabs(a[0]) >= 0.6, 0 }; /* on the line any direction across it will do */
    vv_sub(x, shape, r);
    const double z = vv_dot(r, a), c = clamped(shape, z);
    const bool beside = c == z;
    for (int k = 0; k < 3; k++)
        r[k] -= c * a[k];
    const double length = vv_norm(r);
    if (length > 0)
        for (int k = 0; k < 3; k++)
            u[k] = r[k] / length;
    else {
        const double along = vv_dot(u, a);
        for (int k = 0; k < 3; k++)
            u[k] -= along * a[k];
        const double scale = 1 / vv_norm(u);
        for (int k = 0; k < 3; k++)
            u[k] *= scale;
    }
    if (n)
        memcpy(n, u, sizeof u);
    for (int i = 0; curvature && i < 3; i++)
        for (int j = 0; j < 3; j++)
            curvature[3 * i + j] = length > 0 ? ((i == j) - u[i] * u[j] - (beside ? a[i] * a[j] : 0)) / length : 0;
    return length - shape[6];
}

/* Where the ray enters and leaves a ball of the shape's radius about the point `c` of its axis, added to [first,
 * last]. */
static void add_ball(const double *shape, const double rel[3], const double direction[3], double c, double *first,
                     double *last)
{
    double r[3];
    for (int k = 0; k < 3; k++)
        r[k] = rel[k] - c * shape[3 + k];
    const double nearest = -vv_dot(r, direction);
    for (int k = 0; k < 3; k++)
        r[k] += nearest * direction[k];
    const double square = shape[6] * shape[6] - vv_dot(r, r);
    if (square >= 0) {
        *first = fmin(*first, nearest - sqrt(square));
        *last = fmax(*last, nearest + sqrt(square));
    }
}

/* The same for the part between the ends: within the infinite cylinder and between the two planes. */
static void add_side(const double *shape, const double rel[3], const double direction[3], double *first, double *last)
{
    const double *a = shape + 3, z = vv_dot(rel, a), rise = vv_dot(direction, a);
    double p[3], d[3], nearest = 0, in = -INFINITY, out = INFINITY;
    for (int k = 0; k < 3; k++) {
        p[k] = rel[k] - z * a[k];
        d[k] = direction[k] - rise * a[k];
    }
    const double speed = vv_dot(d, d);
    const bool along = speed < 1e-30; /* parallel to the axis within rounding */
    if (!along)
        nearest = -vv_dot(p, d) / speed;
    for (int k = 0; k < 3; k++)
        p[k] += nearest * d[k];
    const double square = shape[6] * shape[6] - vv_dot(p, p);
    if (!(square >= 0) || (rise == 0 && fabs(z) > shape[7]))
        return;
    if (!along)
        in = nearest - sqrt(square / speed), out = nearest + sqrt(square / speed);
    if (rise != 0) {
        const double low = (-shape[7] - z) / rise, high = (shape[7] - z) / rise;
        in = fmax(in, fmin(low, high));
        out = fmin(out, fmax(low, high));
    }
    if (in <= out) {
        *first = fmin(*first, in);
        *last = fmax(*last, out);
    }
}

/* The solid is convex, so what a ray has inside it is one interval: the union of those in its three parts. */
static bool ray(const double *shape, const double origin[3], const double direction[3], double *t, double n[3])
{
    double rel[3], x[3], first = INFINITY, last = -INFINITY;
    vv_sub(origin, shape, rel);
    add_ball(shape, rel, direction, -shape[7], &first, &last);
    add_ball(shape, rel, direction, shape[7], &first, &last);
    add_side(shape, rel, direction, &first, &last);
    if (!(first <= last) || last < 0)
        return false;
    *t = first >= 0 ? first : last;
    for (int k = 0; k < 3; k++)
        x[k] = origin[k] + *t * direction[k];
    distance(shape, x, n, NULL);
    return true;
}

static const char *drawn(const double *shape, double size, double *values, double turn[9])
{
    (void)size;
    values[0] = shape[6];
    values[1] = 12;
    vv_obstacle_upright(shape + 3, turn);
    return "ball";
}

/* The halves of the ball part. */
static void reshape(const double *shape, double x[3])
{
    if (fabs(x[1]) > 1e-6 * shape[6])
        x[1] += copysign(shape[7], x[1]);
}

const vv_obstacle_ops vv_obstacle_capsule = {
    { { "capsule", "a solid cylinder with round ends" }, 4, params }, prepare, distance, ray, true, drawn, reshape
};

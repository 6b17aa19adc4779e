/* A bowl: all that is within r of the part of a sphere of radius R up to the angle `opening` from its bottom, so that
 * its rim is round. Below that angle d = ||x| - R| - r, beyond it that of a torus about the rim. It is exact on both
 * sides. */
#include "base/error.h"
#include "base/vec.h"
#include "contact/obstacles/obstacle.h"

#include <string.h>

static const vvParam params[] = {
    { "center", "centre of the spheres", "m", 3, false, { 0, 0, 0 }, -1e6, 1e6 },
    { "axis", "direction of the opening, any length", "", 3, false, { 0, 1, 0 }, -1e6, 1e6 },
    { "radius", "of the sphere inside", "m", 1, false, { 0.5 }, 1e-9, 1e6 },
    { "wall", "thickness; its rim is rounded by half of it", "m", 1, false, { 0.05 }, 1e-9, 1e6 },
    { "opening", "from the bottom to the rim: 90 is half a sphere", "deg", 1, false, { 80 }, 10, 150 },
};
enum { MIDDLE = 6, HALF = 7, COSINE = 8, SINE = 9, ANGLE = 10 };

/* shape: centre (3), unit axis (3), R, r, and the opening's cosine, sine and radians */
static vvStatus prepare(const double *values, double *shape, vvError *error)
{
    const double half = 0.5 * values[7], middle = values[6] + half, angle = values[8] * atan(1) / 45,
                 rim = middle * sin(angle);
    if (!(half <= 0.95 * rim))
        return vv_fail(error, VV_ERROR_INPUT,
                       "wall is %g m, but the rim is only %g m from the axis; allowed: wall up to 1.9 times that",
                       values[7], rim);
    vvStatus status = vv_obstacle_unit_axis(values, shape, error);
    shape[MIDDLE] = middle, shape[HALF] = half;
    shape[COSINE] = cos(angle), shape[SINE] = sin(angle), shape[ANGLE] = angle;
    return status;
}

/* x about the centre; its distance from there, and its angle from the bottom. */
static double polar(const double *shape, const double x[3], double rel[3], double *angle)
{
    vv_sub(x, shape, rel);
    const double z = vv_dot(rel, shape + 3), length = vv_norm(rel);
    *angle = atan2(sqrt(fmax(length * length - z * z, 0)), -z);
    return length;
}

static double distance(const double *shape, const double x[3], double n[3], double curvature[9])
{
    double rel[3], angle;
    const double length = polar(shape, x, rel, &angle);
    if (angle > shape[ANGLE] && length > 0) {
        double rim[8];
        for (int k = 0; k < 3; k++)
            rim[k] = shape[k] - shape[MIDDLE] * shape[COSINE] * shape[3 + k], rim[3 + k] = shape[3 + k];
        rim[6] = shape[MIDDLE] * shape[SINE], rim[7] = shape[HALF];
        return vv_obstacle_torus.distance(rim, x, n, curvature);
    }
    const double side = length < shape[MIDDLE] ? -1 : 1;
    for (int k = 0; k < 3; k++) /* in the centre any direction will do */
        rel[k] = length > 0 ? rel[k] / length : shape[3 + k];
    for (int k = 0; n && k < 3; k++)
        n[k] = side * rel[k];
    for (int i = 0; curvature && i < 3; i++)
        for (int j = 0; j < 3; j++)
            curvature[3 * i + j] = length > 0 ? side * ((i == j) - rel[i] * rel[j]) / length : 0;
    return side * (length - shape[MIDDLE]) - shape[HALF];
}

/* Inside by 1 / |x| beside the wall, and by 1 / rho around the axis beside the rim. Within half of what is larger of
 * rho and the distance from where the rim is nearest, these are at most twice its inverse. */
static void bends(const double *shape, const double x[3], double *reach, double *bend)
{
    double rel[3], angle;
    const double length = polar(shape, x, rel, &angle), rho = length * sin(angle), apart = shape[ANGLE] - angle;
    const double wall = apart < 0 ? 0 : apart < 2 * atan(1) ? length * sin(apart) : length, room = fmax(rho, wall);
    *reach = 0.5 * room;
    *bend = room > 0 ? 2 / room : 0;
}

static bool ray(const double *shape, const double origin[3], const double direction[3], double *t, double n[3])
{
    return vv_obstacle_trace(&vv_obstacle_bowl, shape, shape[MIDDLE] + shape[HALF], origin, direction, t, n);
}

static const char *drawn(const double *shape, double size, double *values, double turn[9])
{
    (void)size;
    values[0] = shape[MIDDLE] + shape[HALF];
    values[1] = 2 * shape[HALF];
    values[2] = shape[ANGLE] * 45 / atan(1);
    values[3] = 16;
    values[4] = 6;
    vv_obstacle_upright(shape + 3, turn);
    return "bowl";
}

/* The generator's bowl stands on the origin, and its rim is cut straight: between its edges it becomes a half
 * circle. */
static void reshape(const double *shape, double x[3])
{
    x[1] -= shape[MIDDLE] + shape[HALF];
    const double length = vv_norm(x), rho = hypot(x[0], x[2]), angle = atan2(rho, -x[1]);
    if (!(angle > (1 - 1e-9) * shape[ANGLE]))
        return;
    const double turn = 2 * atan(1) * fmax(fmin((length - shape[MIDDLE]) / shape[HALF], 1), -1);
    const double out = shape[MIDDLE] + shape[HALF] * sin(turn), on = shape[HALF] * cos(turn);
    const double to = out * shape[SINE] + on * shape[COSINE];
    x[0] *= to / rho, x[2] *= to / rho;
    x[1] = -out * shape[COSINE] + on * shape[SINE];
}

const vv_obstacle_ops vv_obstacle_bowl = { { { "bowl", "a hollow part of a sphere, its rim rounded" }, 5, params },
                                           prepare,
                                           distance,
                                           ray,
                                           false,
                                           drawn,
                                           reshape,
                                           bends };

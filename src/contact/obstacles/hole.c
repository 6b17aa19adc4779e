/* A round plate with a round hole, both edges rounded by half of its thickness: all that is within r of the flat ring
 * between the radii R_1 and R_2. In the meridian plane (rho, z): d = |z| - r over the ring, else that of a torus
 * about its nearer edge. It is exact on both sides. */
#include "base/error.h"
#include "base/vec.h"
#include "contact/obstacles/obstacle.h"

#include <string.h>

static const vvParam params[] = {
    { "center", "centre of the hole", "m", 3, false, { 0, 0, 0 }, -1e6, 1e6 },
    { "axis", "direction of the axis, any length", "", 3, false, { 0, 1, 0 }, -1e6, 1e6 },
    { "radius", "radius of the hole, where it is narrowest", "m", 1, false, { 0.5 }, 1e-9, 1e6 },
    { "thickness", "thickness of the plate; its edges are rounded by half of it", "m", 1, false, { 0.1 }, 1e-9, 1e6 },
    { "outer", "radius of the plate, more than 'radius' and 'thickness' together", "m", 1, false, { 1 }, 1e-9, 1e6 },
};
enum { INNER = 6, HALF = 7, OUTER = 8 };

/* shape: centre (3), unit axis (3), R_1, r, R_2 */
static vvStatus prepare(const double *values, double *shape, vvError *error)
{
    const double radius = values[6], thickness = values[7], outer = values[8];
    if (!(outer > radius + thickness))
        return vv_fail(error, VV_ERROR_INPUT,
                       "outer is %g m, but radius is %g m and thickness %g m; allowed: outer above their sum, %g m",
                       outer, radius, thickness, radius + thickness);
    vvStatus status = vv_obstacle_unit_axis(values, shape, error);
    shape[HALF] = 0.5 * thickness;
    shape[INNER] = radius + shape[HALF];
    shape[OUTER] = outer - shape[HALF];
    return status;
}

static double from_axis(const double *shape, const double x[3], double *z)
{
    double rel[3];
    vv_sub(x, shape, rel);
    *z = vv_dot(rel, shape + 3);
    for (int k = 0; k < 3; k++)
        rel[k] -= *z * shape[3 + k];
    return vv_norm(rel);
}

static double distance(const double *shape, const double x[3], double n[3], double curvature[9])
{
    double z;
    const double rho = from_axis(shape, x, &z);
    if (rho < shape[INNER] || rho > shape[OUTER]) {
        double edge[8];
        memcpy(edge, shape, sizeof edge); /* a torus' centre, axis, radius and tube */
        edge[6] = rho < shape[INNER] ? shape[INNER] : shape[OUTER];
        return vv_obstacle_torus.distance(edge, x, n, curvature);
    }
    for (int k = 0; n && k < 3; k++)
        n[k] = z < 0 ? -shape[3 + k] : shape[3 + k];
    if (curvature)
        memset(curvature, 0, 9 * sizeof *curvature);
    return fabs(z) - shape[HALF];
}

/* As of a torus: in the hole, where n points to the axis, by 1 / rho around it, and half way to the axis by twice as
 * much. */
static void bends(const double *shape, const double x[3], double *reach, double *bend)
{
    double z;
    const double rho = from_axis(shape, x, &z);
    *reach = 0.5 * rho;
    *bend = rho > 0 ? 2 / rho : 0;
}

static bool ray(const double *shape, const double origin[3], const double direction[3], double *t, double n[3])
{
    return vv_obstacle_trace(&vv_obstacle_hole, shape, shape[OUTER] + shape[HALF], origin, direction, t, n);
}

/* A torus whose section is drawn out to that of the plate. */
static const char *drawn(const double *shape, double size, double *values, double turn[9])
{
    (void)size;
    values[0] = 0.5 * (shape[INNER] + shape[OUTER]);
    values[1] = 0.5 * values[0];
    values[2] = 4;
    values[3] = 64;
    vv_obstacle_upright(shape + 3, turn);
    return "torus";
}

/* The section of the drawn torus has a vertex every 15 degrees: the uppermost and the lowest go to the middle of the
 * flat sides, those next to them to where the edges' half circles end. */
static void reshape(const double *shape, double x[3])
{
    const double middle = 0.5 * (shape[INNER] + shape[OUTER]), rho = hypot(x[0], x[2]), u = rho - middle,
                 level = fabs(u) > 0.05 * middle;
    const double turn = fmin(1.2 * atan2(fabs(x[1]), fabs(u)), 2 * atan(1)), side = u < 0 ? -1 : 1;
    const double to = level ? middle + side * (0.5 * (shape[OUTER] - shape[INNER]) + shape[HALF] * cos(turn)) : middle;
    if (!(rho > 0))
        return;
    x[0] *= to / rho, x[2] *= to / rho;
    x[1] = copysign(level ? shape[HALF] * sin(turn) : shape[HALF], x[1]);
}

const vv_obstacle_ops vv_obstacle_hole = {
    { { "hole", "a round plate with a round hole, its edges rounded" }, 5, params },
    prepare,
    distance,
    ray,
    false,
    drawn,
    reshape,
    bends
};

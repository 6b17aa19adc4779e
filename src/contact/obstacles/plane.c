/* Half-space obstacle: d = n . (x - p). */
#include "base/error.h"
#include "base/vec.h"
#include "contact/obstacles/obstacle.h"

#include <string.h>

static const vvParam params[] = {
    { "point", "a point of the plane", "m", 3, false, { 0, 0, 0 }, -1e6, 1e6 },
    { "normal", "direction out of the solid, any length", "", 3, false, { 0, 1, 0 }, -1e6, 1e6 },
};

/* shape: normal (3), offset n.p */
static vvStatus prepare(const double *values, double *shape, vvError *error)
{
    double length = vv_norm(values + 3);
    if (!(length > 1e-12))
        return vv_fail(error, VV_ERROR_INPUT, "normal is (%g, %g, %g); it must not be zero", values[3], values[4],
                       values[5]);
    for (int k = 0; k < 3; k++)
        shape[k] = values[3 + k] / length;
    shape[3] = vv_dot(shape, values);
    return VV_OK;
}

static double distance(const double *shape, const double x[3], double n[3], double curvature[9])
{
    if (n)
        memcpy(n, shape, 3 * sizeof *n);
    if (curvature)
        memset(curvature, 0, 9 * sizeof *curvature);
    return vv_dot(shape, x) - shape[3];
}

static bool ray(const double *shape, const double origin[3], const double direction[3], double *t, double n[3])
{
    double height = distance(shape, origin, n, NULL), rise = vv_dot(shape, direction);
    if (rise == 0)
        return false;
    *t = -height / rise;
    return *t >= 0 && *t < INFINITY;
}

/* A square. */
static const char *drawn(const double *shape, double size, double *values, double turn[9])
{
    values[0] = values[1] = size;
    values[2] = values[3] = 1;
    vv_obstacle_upright(shape, turn);
    return "cloth";
}

const vv_obstacle_ops vv_obstacle_plane = {
    { { "plane", "a half-space below a plane" }, 2, params }, prepare, distance, ray, true, drawn
};

/* Solid ball obstacle: d = |x - c| - r. */
#include "base/error.h"
#include "base/vec.h"
#include "contact/obstacles/obstacle.h"

#include <string.h>

static const vvParam params[] = {
    { "center", "centre of the ball", "m", 3, false, { 0, 0, 0 }, -1e6, 1e6 },
    { "radius", "radius of the ball", "m", 1, false, { 0.5 }, 1e-9, 1e6 },
};

static vvStatus prepare(const double *values, double *shape, vvError *error)
{
    (void)error;
    memcpy(shape, values, 4 * sizeof *shape);
    return VV_OK;
}

static double distance(const double *shape, const double x[3], double n[3], double curvature[9])
{
    double r[3];
    vv_sub(x, shape, r);
    double length = vv_norm(r);
    double u[3] = { 0, 1, 0 }; /* at the very centre any direction will do */
    if (length > 0)
        for (int k = 0; k < 3; k++)
            u[k] = r[k] / length;
    if (n)
        memcpy(n, u, sizeof u);
    if (curvature)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                curvature[3 * i + j] = length > 0 ? ((i == j) - u[i] * u[j]) / length : 0;
    return length - shape[3];
}

/* From the point of the ray nearest to the centre: no cancellation, however far away the ray starts. */
static bool ray(const double *shape, const double origin[3], const double direction[3], double *t, double n[3])
{
    double r[3];
    vv_sub(origin, shape, r);
    double nearest = -vv_dot(r, direction);
    for (int k = 0; k < 3; k++)
        r[k] += nearest * direction[k];
    double square = shape[3] * shape[3] - vv_dot(r, r);
    if (!(square >= 0))
        return false;
    double half = sqrt(square), along = nearest - half >= 0 ? -half : half;
    *t = nearest + along;
    for (int k = 0; k < 3; k++)
        n[k] = (r[k] + along * direction[k]) / shape[3];
    return *t >= 0;
}

static const char *drawn(const double *shape, double size, double *values, double turn[9])
{
    (void)size;
    values[0] = shape[3];
    values[1] = 8;
    vv_obstacle_upright((double[]){ 0, 1, 0 }, turn);
    return "ball";
}

const vv_obstacle_ops vv_obstacle_sphere = {
    { { "sphere", "a solid ball" }, 2, params }, prepare, distance, ray, true, drawn
};

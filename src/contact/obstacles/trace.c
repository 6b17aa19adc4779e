/* Rays against shapes whose distance is exact on both sides: sphere tracing (Hart 1996). No step passes the surface,
 * as it is nowhere nearer than the distance. */
#include "base/vec.h"
#include "contact/obstacles/obstacle.h"

enum { MOST_STEPS = 5000 };
/* of the shape's size: on the surface; near enough where a ray grazes it */
static const double NEAR = 1e-13, CLOSE = 1e-9;

bool vv_obstacle_trace(const vv_obstacle_ops *ops, const double *shape, double size, const double origin[3],
                       const double direction[3], double *t, double n[3])
{
    double rel[3], x[3], d = INFINITY;
    vv_sub(origin, shape, rel);
    const double nearest = -vv_dot(rel, direction), miss = vv_dot(rel, rel) - nearest * nearest;
    if (!(miss < size * size))
        return false;
    const double half = sqrt(size * size - fmax(miss, 0)), end = nearest + half;
    *t = fmax(nearest - half, 0);
    for (int k = 0; k < MOST_STEPS && *t <= end; k++) {
        for (int i = 0; i < 3; i++)
            x[i] = origin[i] + *t * direction[i];
        d = fabs(ops->distance(shape, x, n, NULL));
        if (d <= NEAR * size)
            return true;
        *t += d;
    }
    return *t <= end && d <= CLOSE * size;
}

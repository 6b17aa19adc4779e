/* Solid cylinder obstacle with flat ends. In the meridian plane (rho, z): s = (rho - r, |z| - height/2); outside
 * d = |max(s, 0)|, inside d = max(s). Revolution about the axis adds the curvature n_rho / rho. */
#include "base/vec.h"
#include "contact/obstacles/obstacle.h"

static const vvParam params[] = {
    { "center", "centre of the cylinder", "m", 3, false, { 0, 0, 0 }, -1e6, 1e6 },
    { "axis", "direction of the axis, any length", "", 3, false, { 0, 1, 0 }, -1e6, 1e6 },
    { "radius", "radius", "m", 1, false, { 0.5 }, 1e-9, 1e6 },
    { "height", "length along the axis", "m", 1, false, { 1 }, 1e-9, 1e6 },
};

/* shape: centre (3), unit axis (3), radius, half height */
static vvStatus prepare(const double *values, double *shape, vvError *error)
{
    vvStatus status = vv_obstacle_unit_axis(values, shape, error);
    shape[7] = values[7] / 2;
    return status;
}

static double distance(const double *shape, const double x[3], double n[3], double curvature[9])
{
    const double *a = shape + 3;
    double rel[3], radial[3], e[3], t[3];
    vv_sub(x, shape, rel);
    double z = vv_dot(rel, a), sign = z < 0 ? -1 : 1;
    for (int k = 0; k < 3; k++)
        radial[k] = rel[k] - z * a[k];
    double rho = vv_norm(radial);
    if (rho > 0) {
        for (int k = 0; k < 3; k++)
            e[k] = radial[k] / rho;
    } else { /* on the axis any radial direction will do */
        double pick[3] = { fabs(a[0]) < 0.6, fabs(a[0]) >= 0.6, 0 };
        vv_cross(a, pick, e);
        double length = vv_norm(e);
        for (int k = 0; k < 3; k++)
            e[k] /= length;
    }
    vv_cross(a, e, t);

    double s0 = rho - shape[6], s1 = fabs(z) - shape[7];
    double n0, n1, d;
    bool rim = s0 > 0 && s1 > 0;
    if (rim)
        d = sqrt(s0 * s0 + s1 * s1), n0 = s0 / d, n1 = s1 / d;
    else if (s0 > s1)
        d = s0, n0 = 1, n1 = 0;
    else
        d = s1, n0 = 0, n1 = 1;
    if (n)
        for (int k = 0; k < 3; k++)
            n[k] = n0 * e[k] + sign * n1 * a[k];
    if (curvature)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                double mi = -n1 * e[i] + sign * n0 * a[i], mj = -n1 * e[j] + sign * n0 * a[j];
                curvature[3 * i + j] = (rho > 0 ? n0 / rho : 0) * t[i] * t[j] + (rim ? mi * mj / d : 0);
            }
    return d;
}

/* The ray is inside the infinite cylinder for one interval of t, between the ends for another. */
static bool ray(const double *shape, const double origin[3], const double direction[3], double *t, double n[3])
{
    const double *a = shape + 3;
    double rel[3], p[3], d[3], first = -INFINITY, last = INFINITY;
    vv_sub(origin, shape, rel);
    double z = vv_dot(rel, a), rise = vv_dot(direction, a), nearest = 0;
    for (int k = 0; k < 3; k++) {
        p[k] = rel[k] - z * a[k];
        d[k] = direction[k] - rise * a[k];
    }
    double speed = vv_dot(d, d);
    bool along = speed < 1e-30; /* parallel to the axis within rounding */
    if (!along)
        nearest = -vv_dot(p, d) / speed;
    for (int k = 0; k < 3; k++)
        p[k] += nearest * d[k];
    double square = shape[6] * shape[6] - vv_dot(p, p);
    if (!(square >= 0))
        return false;
    if (!along)
        first = nearest - sqrt(square / speed), last = nearest + sqrt(square / speed);
    bool end_in = false, end_out = false;
    if (rise == 0 && fabs(z) > shape[7])
        return false;
    if (rise != 0) {
        double low = (-shape[7] - z) / rise, high = (shape[7] - z) / rise;
        if (fmin(low, high) > first)
            first = fmin(low, high), end_in = true;
        if (fmax(low, high) < last)
            last = fmax(low, high), end_out = true;
    }
    if (!(first <= last) || last < 0)
        return false;
    bool entering = first >= 0;
    *t = entering ? first : last;
    for (int k = 0; k < 3; k++)
        n[k] = (entering ? end_in : end_out) ? ((rise > 0) == entering ? -a[k] : a[k])
                                             : (p[k] + (*t - nearest) * d[k]) / shape[6];
    return true;
}

static const char *drawn(const double *shape, double size, double *values, double turn[9])
{
    (void)size;
    values[0] = shape[6];
    values[1] = 2 * shape[7];
    values[2] = 8;
    values[3] = 1;
    vv_obstacle_upright(shape + 3, turn);
    return "cylinder";
}

const vv_obstacle_ops vv_obstacle_cylinder = {
    { { "cylinder", "a solid cylinder with flat ends" }, 4, params }, prepare, distance, ray, true, drawn
};

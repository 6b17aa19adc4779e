/* Solid torus obstacle. In the meridian plane (rho, z), with s = (rho - R, z): d = |s| - r, n = s / |s|. The surface
 * is curved by 1 / |s| in that plane, and by n_rho / rho around the axis. */
#include "base/error.h"
#include "base/vec.h"
#include "contact/obstacles/obstacle.h"

static const vvParam params[] = {
    { "center", "centre of the torus", "m", 3, false, { 0, 0, 0 }, -1e6, 1e6 },
    { "axis", "direction of the axis, any length", "", 3, false, { 0, 1, 0 }, -1e6, 1e6 },
    { "radius", "from the axis to the middle of the tube", "m", 1, false, { 0.5 }, 1e-9, 1e6 },
    { "tube", "radius of the tube, at most 0.95 of 'radius'", "m", 1, false, { 0.15 }, 1e-9, 1e6 },
};

/* shape: centre (3), unit axis (3), radius, radius of the tube */
static vvStatus prepare(const double *values, double *shape, vvError *error)
{
    if (!(values[7] <= 0.95 * values[6]))
        return vv_fail(error, VV_ERROR_INPUT, "tube is %g m, but radius is %g m; allowed: tube up to 0.95 times radius",
                       values[7], values[6]);
    return vv_obstacle_unit_axis(values, shape, error);
}

static double distance(const double *shape, const double x[3], double n[3], double curvature[9])
{
    const double *a = shape + 3;
    double rel[3], e[3], around[3], n0 = 1, n1 = 0; /* in the middle of the tube any direction will do */
    vv_sub(x, shape, rel);
    const double z = vv_dot(rel, a);
    for (int k = 0; k < 3; k++)
        e[k] = rel[k] - z * a[k];
    const double rho = vv_norm(e);
    if (rho > 0)
        for (int k = 0; k < 3; k++)
            e[k] /= rho;
    else { /* and on the axis any across it */
        const double pick[3] = { fabs(a[0]) < 0.6, fabs(a[0]) >= 0.6, 0 };
        vv_cross(a, pick, e);
        const double length = vv_norm(e);
        for (int k = 0; k < 3; k++)
            e[k] /= length;
    }
    const double s0 = rho - shape[6], length = hypot(s0, z);
    if (length > 0)
        n0 = s0 / length, n1 = z / length;
    if (n)
        for (int k = 0; k < 3; k++)
            n[k] = n0 * e[k] + n1 * a[k];
    vv_cross(a, e, around);
    for (int i = 0; curvature && i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const double mi = -n1 * e[i] + n0 * a[i], mj = -n1 * e[j] + n0 * a[j];
            curvature[3 * i + j] =
                (rho > 0 ? n0 / rho : 0) * around[i] * around[j] + (length > 0 ? mi * mj / length : 0);
        }
    return length - shape[7];
}

/* On the inner side, where n points to the axis, by 1 / rho around it. Half way to the axis that is twice as much. */
static void bends(const double *shape, const double x[3], double *reach, double *bend)
{
    double rel[3];
    vv_sub(x, shape, rel);
    const double z = vv_dot(rel, shape + 3), rho = sqrt(fmax(vv_dot(rel, rel) - z * z, 0));
    *reach = 0.5 * rho;
    *bend = rho > 0 ? 2 / rho : 0;
}

/* ---- rays ---- */

static double polynomial(const double *c, int degree, double t)
{
    double sum = c[degree];
    for (int k = degree - 1; k >= 0; k--)
        sum = sum * t + c[k];
    return sum;
}

/* The root between two places where the signs differ. */
static double bisect(const double *c, int degree, double low, double high)
{
    const bool rises = polynomial(c, degree, low) < 0;
    for (int k = 0; k < 200; k++) {
        const double middle = 0.5 * (low + high);
        if (!(middle > low && middle < high))
            break;
        if ((polynomial(c, degree, middle) < 0) == rises)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

/* Real roots in [low, high] at which sum c_k t^k changes its sign, ascending: between those of its derivative there
 * is at most one. */
static int find_roots(const double *c, int degree, double low, double high, double *root)
{
    double slope[4] = { 0 }, turn[5];
    int count = 0, turns = 0;
    for (int k = 1; k <= degree; k++)
        slope[k - 1] = k * c[k];
    turn[turns++] = low;
    if (degree > 1)
        turns += find_roots(slope, degree - 1, low, high, turn + 1);
    for (int k = 0; k < turns; k++) {
        const double end = k + 1 < turns ? turn[k + 1] : high;
        if ((polynomial(c, degree, turn[k]) < 0) != (polynomial(c, degree, end) < 0))
            root[count++] = bisect(c, degree, turn[k], end);
    }
    return count;
}

/* (|x|^2 + R^2 - r^2)^2 = 4 R^2 (|x|^2 - z^2), in t from the ray's point that is nearest to the centre: no
 * cancellation, however far away the ray starts. Lengths are in units of R. */
static bool ray(const double *shape, const double origin[3], const double direction[3], double *t, double n[3])
{
    const double *a = shape + 3, unit = shape[6], tube = shape[7] / unit, reach = 1 + tube;
    double p[3], x[3], root[4];
    vv_sub(origin, shape, p);
    const double nearest = -vv_dot(p, direction);
    for (int k = 0; k < 3; k++)
        p[k] = (p[k] + nearest * direction[k]) / unit;
    const double pp = vv_dot(p, p), z = vv_dot(p, a), rise = vv_dot(direction, a), k = pp + 1 - tube * tube;
    if (!(pp < reach * reach))
        return false;
    const double c[5] = { k * k - 4 * (pp - z * z), 8 * z * rise, 2 * k - 4 * (1 - rise * rise), 0, 1 };
    const int roots = find_roots(c, 4, -1.001 * reach, 1.001 * reach, root);
    for (int i = 0; i < roots; i++) {
        *t = nearest + unit * root[i];
        if (*t < 0)
            continue;
        for (int j = 0; j < 3; j++)
            x[j] = shape[j] + unit * (p[j] + root[i] * direction[j]);
        distance(shape, x, n, NULL);
        return true;
    }
    return false;
}

static const char *drawn(const double *shape, double size, double *values, double turn[9])
{
    (void)size;
    values[0] = shape[6];
    values[1] = shape[7];
    values[2] = 4;
    values[3] = 64;
    vv_obstacle_upright(shape + 3, turn);
    return "torus";
}

const vv_obstacle_ops vv_obstacle_torus = {
    { { "torus", "a solid ring" }, 4, params }, prepare, distance, ray, false, drawn, NULL, bends
};

/* Solid box obstacle. In the box's frame, with s = |y| - half size: outside d = |max(s, 0)|, inside d = max(s). */
#include "base/error.h"
#include "base/vec.h"
#include "contact/obstacles/obstacle.h"

#include <string.h>

static const vvParam params[] = {
    { "center", "centre of the box", "m", 3, false, { 0, 0, 0 }, -1e6, 1e6 },
    { "size", "edge lengths", "m", 3, false, { 1, 1, 1 }, 1e-9, 1e6 },
    { "rotate", "rotation Rx Ry Rz", "deg", 3, false, { 0, 0, 0 }, -1e6, 1e6 },
};

/* shape: centre (3), half size (3), rotation (9) */
static vvStatus prepare(const double *values, double *shape, vvError *error)
{
    (void)error;
    for (int k = 0; k < 3; k++) {
        shape[k] = values[k];
        shape[3 + k] = values[3 + k] / 2;
    }
    vv_euler_degrees(values + 6, shape + 6);
    return VV_OK;
}

/* local n and curvature to the world: R n, R C R^T */
static void rotate_out(const double r[9], const double local[3], const double c[9], double n[3], double curvature[9])
{
    if (n)
        vv_matvec(r, local, n);
    if (curvature) {
        double rt[9], t[9];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                rt[3 * i + j] = r[3 * j + i];
        vv_matmul(r, c, t);
        vv_matmul(t, rt, curvature);
    }
}

static double distance(const double *shape, const double x[3], double n[3], double curvature[9])
{
    const double *r = shape + 6;
    double y[3], rel[3], s[3], local[3] = { 0, 0, 0 }, c[9] = { 0 };
    vv_sub(x, shape, rel);
    for (int k = 0; k < 3; k++) {
        y[k] = r[k] * rel[0] + r[3 + k] * rel[1] + r[6 + k] * rel[2];
        s[k] = fabs(y[k]) - shape[3 + k];
    }
    int outside = 0, deepest = 0;
    double square = 0;
    for (int k = 0; k < 3; k++) {
        if (s[k] > 0)
            outside++, square += s[k] * s[k];
        if (s[k] > s[deepest])
            deepest = k;
    }
    double d = outside ? sqrt(square) : s[deepest];
    if (!n && !curvature)
        return d;
    for (int k = 0; k < 3; k++) {
        double sign = y[k] < 0 ? -1 : 1;
        if (outside)
            local[k] = s[k] > 0 ? sign * s[k] / d : 0;
        else
            local[k] = k == deepest ? sign : 0;
    }
    if (outside > 1) /* nearest point on an edge or a corner: curved in the directions that are outside */
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                if (s[i] > 0 && s[j] > 0)
                    c[3 * i + j] = ((i == j) - local[i] * local[j]) / d;
    rotate_out(r, local, c, n, curvature);
    return d;
}

/* In the box's frame the ray is between each pair of faces for an interval of t. */
static bool ray(const double *shape, const double origin[3], const double direction[3], double *t, double n[3])
{
    const double *r = shape + 6;
    double rel[3], first = -INFINITY, last = INFINITY, local[3] = { 0, 0, 0 };
    int enter = 0, leave = 0;
    bool leaves_up = false, enters_up = false;
    vv_sub(origin, shape, rel);
    for (int k = 0; k < 3; k++) {
        double y = r[k] * rel[0] + r[3 + k] * rel[1] + r[6 + k] * rel[2];
        double d = r[k] * direction[0] + r[3 + k] * direction[1] + r[6 + k] * direction[2], half = shape[3 + k];
        if (d == 0 && fabs(y) > half)
            return false;
        if (d == 0)
            continue;
        double low = (-half - y) / d, high = (half - y) / d;
        double in = fmin(low, high), out = fmax(low, high);
        if (in > first)
            first = in, enter = k, enters_up = d < 0;
        if (out < last)
            last = out, leave = k, leaves_up = d > 0;
    }
    if (!(first <= last) || last < 0)
        return false;
    *t = first >= 0 ? first : last;
    local[first >= 0 ? enter : leave] = (first >= 0 ? enters_up : leaves_up) ? 1 : -1;
    vv_matvec(r, local, n);
    return true;
}

static const char *drawn(const double *shape, double size, double *values, double turn[9])
{
    (void)size;
    for (int k = 0; k < 3; k++) {
        values[k] = 2 * shape[3 + k];
        values[3 + k] = 1;
    }
    values[6] = 5;
    memcpy(turn, shape + 6, 9 * sizeof *turn);
    return "box";
}

const vv_obstacle_ops vv_obstacle_box = {
    { { "box", "a solid box" }, 3, params }, prepare, distance, ray, true, drawn
};

/* Generator "die": a cube with rounded edges and corners.
 *
 * A grid of the cube is mapped: with q the point of the inner cube (smaller by `rounding` on each side) nearest to p
 * and d = p - q, p goes to q + d |d|_inf / |d|_2, which takes the cubes around the inner corners to balls. The
 * diagonals of the cells run through the centre (mirrored Kuhn): each corner of the cube has an edge inwards, so that
 * no tet there is bent flat. */
#include "mesh/generate/make.h"

#include <math.h>

static void round_point(double p[3], double inner)
{
    double d[3], longest = 0, square = 0;
    for (int k = 0; k < 3; k++) {
        d[k] = p[k] - fmin(inner, fmax(-inner, p[k]));
        longest = fmax(longest, fabs(d[k]));
        square += d[k] * d[k];
    }
    double shrink = square > 0 ? longest / sqrt(square) : 1;
    for (int k = 0; k < 3; k++)
        p[k] += d[k] * (shrink - 1);
}

static vvStatus make_die(const double *values, vvMesh *mesh, vvError *error)
{
    double size = values[0], rounding = values[1];
    vvStatus status = vv_make_check(6 * values[2] * values[2] * values[2], "tets", "make 'cells' smaller", error);
    if (status != VV_OK)
        return status;
    if (rounding > size / 2)
        return vv_fail(error, VV_ERROR_INPUT,
                       "'rounding' is %g m, but 'size' is %g m; allowed: 'rounding' up to half of 'size'", rounding,
                       size);
    int n = (int)values[2], cells[3] = { n, n, n };
    vv_builder b = { 0 };
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= n; j++)
            for (int k = 0; k <= n; k++) {
                double unit = size / (2.0 * n), p[3] = { unit * (2 * i - n), unit * (2 * j - n), unit * (2 * k - n) };
                round_point(p, size / 2 - rounding);
                vv_make_vertex(&b, p[0], p[1], p[2]);
            }
    vv_make_grid_tets(&b, cells, VV_SPLIT_SIX_MIRRORED);
    return vv_make_done(&b, mesh, error);
}

/* The surface is where a ball around the inner cube's points ends. */
static bool onto_die(const double *values, const double a[3], const double b[3], double x[3])
{
    const double inner = values[0] / 2 - values[1];
    (void)a, (void)b;
    double near[3];
    for (int k = 0; k < 3; k++)
        near[k] = fmin(inner, fmax(-inner, x[k]));
    return vv_make_onto_sphere(near, values[1], x);
}

static const vvParam params[] = {
    { "size", "length of a side", "m", 1, false, { 0.1 }, 1e-6, 1e6 },
    { "rounding", "radius of the rounded edges, at most half of 'size'", "m", 1, false, { 0.02 }, 0, 1e6 },
    { "cells", "cells along a side", "", 1, true, { 8 }, 2, 1000 },
};
extern const vv_generator vv_generator_die;
const vv_generator vv_generator_die = {
    { { "die", "solid cube with rounded edges, centred at the origin" }, 3, params },
    make_die,
    onto_die,
};

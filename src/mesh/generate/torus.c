/* Generator "torus": a disk of rings swept around the y axis, each prism cut into three tets. All boundary vertices lie
 * on the torus. */
#include "mesh/generate/make.h"

#include <math.h>

static vvStatus make_torus(const double *values, vvMesh *mesh, vvError *error)
{
    double radius = values[0], tube = values[1];
    vvStatus status = vv_make_check(18 * values[2] * values[2] * values[3], "tets", "make 'cells' smaller", error);
    if (status != VV_OK)
        return status;
    if (!(tube <= 0.95 * radius))
        return vv_fail(error, VV_ERROR_INPUT,
                       "'tube' is %g m, but 'radius' is %g m; allowed: 'tube' up to 0.95 times 'radius'", tube, radius);
    if (values[3] < 6)
        return vv_fail(error, VV_ERROR_INPUT, "'cells'[1] is %g; allowed: 6 or more prisms around the axis", values[3]);
    int rings = (int)values[2], around = (int)values[3], per_layer = vv_disk_vertex_count(rings);
    vv_builder b = { 0 };
    for (int i = 0; i < around; i++)
        for (int p = 0; p < per_layer; p++) {
            double u, v, angle = 2 * VV_PI * i / around;
            vv_disk_point(rings, p, &u, &v);
            vv_make_vertex(&b, (radius + tube * u) * cos(angle), tube * v, (radius + tube * u) * sin(angle));
        }
    for (int i = 0; i < around; i++)
        vv_make_layer_tets(&b, rings, i * per_layer, (i + 1) % around * per_layer);
    return vv_make_done(&b, mesh, error);
}

static bool onto_torus(const double *values, const double a[3], const double b[3], double x[3])
{
    (void)a, (void)b;
    const double out = hypot(x[0], x[2]), to = out > 0 ? values[0] / out : 0;
    return vv_make_onto_sphere((double[]){ to * x[0], 0, to * x[2] }, values[1], x);
}

static const vvParam params[] = {
    { "radius", "from the axis to the middle of the tube", "m", 1, false, { 0.1 }, 1e-6, 1e6 },
    { "tube", "radius of the tube, at most 0.95 of 'radius'", "m", 1, false, { 0.035 }, 1e-6, 1e6 },
    { "cells", "rings across the tube, prisms around the axis (6 or more)", "", 2, true, { 3, 48 }, 1, 1000000 },
};
extern const vv_generator vv_generator_torus;
const vv_generator vv_generator_torus = {
    { { "torus", "solid torus around y, centred at the origin" }, 3, params },
    make_torus,
    onto_torus,
};

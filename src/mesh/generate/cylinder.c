/* Generators "cylinder" (upright) and "rod" (slender, lying along x): layers of a disk of rings, each prism between two
 * layers cut into three tets. All side vertices lie on the cylinder. */
#include "mesh/generate/make.h"

#include <math.h>

/* Layers at heights -length / 2 .. length / 2; the axis is y or x. */
static vvStatus make_layers(double radius, double length, const double *cells, int axis, vvMesh *mesh, vvError *error)
{
    vvStatus status = vv_make_check(18 * cells[0] * cells[0] * cells[1], "tets", "make 'cells' smaller", error);
    if (status != VV_OK)
        return status;
    int rings = (int)cells[0], layers = (int)cells[1], per_layer = vv_disk_vertex_count(rings);
    vv_builder b = { 0 };
    for (int i = 0; i <= layers; i++)
        for (int p = 0; p < per_layer; p++) {
            double u, v, h = length * (2 * i - layers) / (2.0 * layers);
            vv_disk_point(rings, p, &u, &v);
            if (axis == 0)
                vv_make_vertex(&b, h, radius * u, radius * v);
            else
                vv_make_vertex(&b, radius * v, h, radius * u);
        }
    for (int i = 0; i < layers; i++)
        vv_make_layer_tets(&b, rings, i * per_layer, (i + 1) * per_layer);
    return vv_make_done(&b, mesh, error);
}

static vvStatus make_cylinder(const double *values, vvMesh *mesh, vvError *error)
{
    return make_layers(values[0], values[1], values + 2, 1, mesh, error);
}

static vvStatus make_rod(const double *values, vvMesh *mesh, vvError *error)
{
    return make_layers(values[1], values[0], values + 2, 0, mesh, error);
}

/* Edges of the side, those of its rims among them; x and the axis' other coordinates u, v. */
static bool onto_side(double radius, int u, int v, const double a[3], const double b[3], double x[3])
{
    const double out = hypot(x[u], x[v]);
    if (!vv_make_is_at(hypot(a[u], a[v]), radius) || !vv_make_is_at(hypot(b[u], b[v]), radius) || !(out > 0))
        return false;
    x[u] *= radius / out, x[v] *= radius / out;
    return true;
}

static bool onto_cylinder(const double *values, const double a[3], const double b[3], double x[3])
{
    return onto_side(values[0], 0, 2, a, b, x);
}

static bool onto_rod(const double *values, const double a[3], const double b[3], double x[3])
{
    return onto_side(values[1], 1, 2, a, b, x);
}

static const vvParam cylinder_params[] = {
    { "radius", "radius", "m", 1, false, { 0.05 }, 1e-6, 1e6 },
    { "height", "length along y", "m", 1, false, { 0.15 }, 1e-6, 1e6 },
    { "cells", "rings from the axis to the side, layers", "", 2, true, { 4, 12 }, 1, 1000000 },
};
static const vvParam rod_params[] = {
    { "length", "length along x", "m", 1, false, { 1 }, 1e-6, 1e6 },
    { "radius", "radius", "m", 1, false, { 0.02 }, 1e-6, 1e6 },
    { "cells", "rings from the axis to the side, layers along x", "", 2, true, { 2, 80 }, 1, 1000000 },
};
extern const vv_generator vv_generator_cylinder, vv_generator_rod;
const vv_generator vv_generator_cylinder = {
    { { "cylinder", "solid cylinder around y, centred at the origin" }, 3, cylinder_params },
    make_cylinder,
    onto_cylinder,
};
const vv_generator vv_generator_rod = {
    { { "rod", "slender solid rod along x, centred at the origin" }, 3, rod_params },
    make_rod,
    onto_rod,
};

/* Generator "bowl": a wall between two concentric spheres, open at the top: layers of a disk whose rings are circles of
 * latitude. Each layer lies on a sphere. */
#include "base/vec.h"
#include "mesh/generate/make.h"

#include <math.h>

/* Maps the disk's point (u, v) to a sphere about (0, centre, 0): its distance from the disk's centre becomes the
 * angle from the bottom. */
static void add_point(vv_builder *b, double u, double v, double rim, double sphere, double centre)
{
    double part = hypot(u, v), angle = part * rim, out = part > 0 ? sphere * sin(angle) / part : 0;
    vv_make_vertex(b, out * v, centre - sphere * cos(angle), out * u);
}

static vvStatus make_bowl(const double *values, vvMesh *mesh, vvError *error)
{
    double radius = values[0], wall = values[1], rim = values[2] * VV_PI / 180;
    vvStatus status = vv_make_check(18 * values[3] * values[3] * values[4], "tets", "make 'cells' smaller", error);
    if (status != VV_OK)
        return status;
    if (wall > 0.9 * radius)
        return vv_fail(error, VV_ERROR_INPUT,
                       "'wall' is %g m, but 'radius' is %g m; allowed: 'wall' up to 0.9 times 'radius'", wall, radius);
    int rings = (int)values[3], layers = (int)values[4], per_layer = vv_disk_vertex_count(rings);
    vv_builder b = { 0 };
    for (int i = 0; i <= layers; i++)
        for (int p = 0; p < per_layer; p++) {
            double u, v;
            vv_disk_point(rings, p, &u, &v);
            add_point(&b, u, v, rim, radius - wall * i / layers, radius);
        }
    for (int i = 0; i < layers; i++)
        vv_make_layer_tets(&b, rings, i * per_layer, (i + 1) * per_layer);
    return vv_make_done(&b, mesh, error);
}

/* Both spheres are about (0, radius, 0), and the rim is on a cone about their axis. */
static bool onto_bowl(const double *values, const double a[3], const double b[3], double x[3])
{
    const double centre[3] = { 0, values[0], 0 }, rim = values[2] * VV_PI / 180;
    double da[3], db[3], d[3];
    vv_sub(a, centre, da);
    vv_sub(b, centre, db);
    vv_sub(x, centre, d);
    const double ra = vv_norm(da), rb = vv_norm(db), out = hypot(d[0], d[2]);
    const bool at_rim = vv_make_is_at(atan2(hypot(da[0], da[2]), -da[1]), rim) &&
                        vv_make_is_at(atan2(hypot(db[0], db[2]), -db[1]), rim);
    if (at_rim && out > 0) { /* around the axis, and along the cone */
        const double r = 0.5 * (ra + rb), by = r * sin(rim) / out;
        x[0] = by * d[0], x[1] = centre[1] - r * cos(rim), x[2] = by * d[2];
        return true;
    }
    return vv_make_is_at(ra, rb) && vv_make_onto_sphere(centre, ra, x);
}

static const vvParam params[] = {
    { "radius", "outer radius", "m", 1, false, { 0.2 }, 1e-6, 1e6 },
    { "wall", "thickness, at most 0.9 of 'radius'", "m", 1, false, { 0.01 }, 1e-9, 1e6 },
    { "opening", "from the bottom to the rim: 90 is half a sphere", "deg", 1, false, { 80 }, 10, 150 },
    { "cells", "rings from the bottom to the rim, layers of the wall", "", 2, true, { 12, 1 }, 1, 1000000 },
};
extern const vv_generator vv_generator_bowl;
const vv_generator vv_generator_bowl = {
    { { "bowl", "solid bowl, open at the top, standing on the origin" }, 4, params },
    make_bowl,
    onto_bowl,
};

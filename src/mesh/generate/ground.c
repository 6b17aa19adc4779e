/* Generator "ground": a rectangle of triangles like "cloth", without springs, whose vertices are displaced at random:
 * along the ground, so that no edges line up with those of bodies on it, and upwards, for bumps. The rim stays
 * straight. */
#include "mesh/generate/make.h"

#include <stdint.h>

/* Number in [-1, 1) that depends on the vertex and a channel only (splitmix64). */
static double noise(uint64_t vertex, uint64_t channel)
{
    uint64_t z = (3 * vertex + channel + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-52 - 1;
}

static vvStatus make_ground(const double *values, vvMesh *mesh, vvError *error)
{
    vvStatus status = vv_make_check(2 * values[2] * values[3], "triangles", "make 'cells' smaller", error);
    if (status != VV_OK)
        return status;
    int nx = (int)values[2], nz = (int)values[3];
    double cell_x = values[0] / nx, cell_z = values[1] / nz, jitter = values[4], bumps = values[5];
    vv_builder b = { 0 };
    for (int i = 0; i <= nx; i++)
        for (int k = 0; k <= nz; k++) {
            uint64_t v = (uint64_t)i * (uint64_t)(nz + 1) + (uint64_t)k;
            bool rim_x = i == 0 || i == nx, rim_z = k == 0 || k == nz;
            double dx = rim_x ? 0 : jitter * noise(v, 0), dz = rim_z ? 0 : jitter * noise(v, 1);
            double up = rim_x || rim_z ? 0 : bumps * (0.5 + 0.5 * noise(v, 2));
            vv_make_vertex(&b, cell_x * (i - nx / 2.0 + dx), up, cell_z * (k - nz / 2.0 + dz));
        }
    vv_make_rectangle(&b, nx, nz, true);
    return vv_make_done(&b, mesh, error);
}

static const vvParam params[] = {
    { "size", "lengths along x and z", "m", 2, false, { 1, 1 }, 1e-6, 1e6 },
    { "cells", "cells along x and z", "", 2, true, { 8, 8 }, 1, 1000000 },
    { "jitter", "largest shift of a vertex along the ground, in cells", "", 1, false, { 0.2 }, 0, 0.24 },
    { "bumps", "largest height of a vertex", "m", 1, false, { 0 }, 0, 1e6 },
};
extern const vv_generator vv_generator_ground;
const vv_generator vv_generator_ground = {
    { { "ground", "rectangle of irregular triangles, normal +y, centred at the origin" }, 4, params },
    make_ground,
};

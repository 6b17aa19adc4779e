/* Generator "grains": free points on a regular lattice, each displaced at random, so that columns of them do not
 * balance on each other for ever. */
#include "mesh/generate/make.h"

#include <stdint.h>

static vvStatus make_grains(const double *values, vvMesh *mesh, vvError *error)
{
    vvStatus status = vv_make_check(values[0] * values[1] * values[2], "points", "make 'count' smaller", error);
    if (status != VV_OK)
        return status;
    const int count[3] = { (int)values[0], (int)values[1], (int)values[2] };
    double spacing = values[3], jitter = values[4];
    uint64_t seed = (uint64_t)values[5], point = 0;
    vv_builder b = { 0 };
    for (int i = 0; i < count[0]; i++)
        for (int j = 0; j < count[1]; j++)
            for (int k = 0; k < count[2]; k++, point++) {
                const int at[3] = { i, j, k };
                double x[3];
                for (int c = 0; c < 3; c++)
                    x[c] = spacing * (at[c] - (count[c] - 1) / 2.0 + jitter * vv_make_noise(seed, point, (uint64_t)c));
                vv_builder_point(&b, vv_make_vertex(&b, x[0], x[1], x[2]), 0);
            }
    return vv_make_done(&b, mesh, error);
}

static const vvParam params[] = {
    { "count", "points along x, y and z", "", 3, true, { 6, 6, 6 }, 1, 1000000 },
    { "spacing", "between neighbours of the lattice", "m", 1, false, { 0.01 }, 1e-6, 1e6 },
    { "jitter", "largest shift of a point along each axis, in spacings", "", 1, false, { 0.05 }, 0, 0.49 },
    { "seed", "seed of the random shifts", "", 1, true, { 1 }, 0, 1000000000 },
};
extern const vv_generator vv_generator_grains;
const vv_generator vv_generator_grains = {
    { { "grains", "block of free points on a lattice, centred at the origin" }, 4, params },
    make_grains,
};

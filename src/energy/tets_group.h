/* The inputs of a group of eight tets, for the kernels: F of a field, volumes. */
#ifndef VV_ENERGY_TETS_GROUP_H
#define VV_ENERGY_TETS_GROUP_H

#include "energy/lanes.h"
#include "energy/tets_kernels.h"

/* F of the field x: sum over a = 1..3 of (x_a - x_0) (x) G_a. */
VV_INLINE void gradient_of(const vv_tet_block *b, int group, const double *x, vv_d8 f[9])
{
    const int *nodes = b->nodes + (ptrdiff_t)group * 4 * VV_LANES;
    const double *shape = b->shape + (ptrdiff_t)group * VV_TET_SHAPE * VV_LANES;
    vv_d8 at[4][3];
    for (int a = 0; a < 4; a++)
        vv8_gather_vectors(x, nodes + a * VV_LANES, at[a]);
    for (int i = 0; i < 3; i++) {
        vv_d8 e[3];
        for (int a = 0; a < 3; a++)
            e[a] = at[a + 1][i] - at[0][i];
        for (int j = 0; j < 3; j++)
            f[3 * i + j] = e[0] * vv8_load(shape + j * VV_LANES) + e[1] * vv8_load(shape + (3 + j) * VV_LANES) +
                           e[2] * vv8_load(shape + (6 + j) * VV_LANES);
    }
}

VV_INLINE vv_d8 volume_of(const vv_tet_block *b, int group)
{
    return vv8_load(b->shape + ((ptrdiff_t)group * VV_TET_SHAPE + 9) * VV_LANES);
}

#endif

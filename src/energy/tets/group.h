/* What the kernels share about a group of eight tets: F of a field, volumes, where forces go. */
#ifndef VV_ENERGY_TETS_GROUP_H
#define VV_ENERGY_TETS_GROUP_H

#include "energy/batch/lanes.h"
#include "energy/tets/kernels.h"
#include "energy/tets/materials.h"

/* F of the field x: sum over a = 1..3 of (x_a - x_0) (x) G_a. Nodes are read as whole vectors where there are
 * registers for them. */
VV_INLINE void gradient_of(const vv_block *b, int group, const double *x, vv_d8 f[9])
{
    const int *nodes = b->nodes + (ptrdiff_t)group * 4 * VV_LANES;
    const double *shape = b->shape + (ptrdiff_t)group * VV_TET_SHAPE * VV_LANES;
#if defined(__AVX512F__)
    vv_d8 at[4][3];
    for (int a = 0; a < 4; a++)
        vv8_gather_vectors(x, nodes + a * VV_LANES, at[a]);
#endif
    for (int i = 0; i < 3; i++) {
        vv_d8 e[3];
#if defined(__AVX512F__)
        for (int a = 0; a < 3; a++)
            e[a] = at[a + 1][i] - at[0][i];
#else
        vv_d8 x0 = vv8_gather(x, nodes, i);
        for (int a = 0; a < 3; a++)
            e[a] = vv8_gather(x, nodes + (a + 1) * VV_LANES, i) - x0;
#endif
        for (int j = 0; j < 3; j++)
            f[3 * i + j] = e[0] * vv8_load(shape + j * VV_LANES) + e[1] * vv8_load(shape + (3 + j) * VV_LANES) +
                           e[2] * vv8_load(shape + (6 + j) * VV_LANES);
    }
}

VV_INLINE const double *shape_of(const vv_block *b, int group)
{
    return b->shape + (ptrdiff_t)group * VV_TET_SHAPE * VV_LANES;
}

VV_INLINE vv_d8 volume_of(const vv_block *b, int group)
{
    return vv8_load(b->shape + ((ptrdiff_t)group * VV_TET_SHAPE + 9) * VV_LANES);
}

/* b->g += the forces of the group at its nodes; that of node 0 follows from the sum, which is zero. */
VV_INLINE void scatter_forces(const vv_block *b, int group, vv_d8 force[4][3])
{
    const int *nodes = b->nodes + (ptrdiff_t)group * 4 * VV_LANES;
    for (int i = 0; i < 3; i++)
        force[0][i] = -(force[1][i] + force[2][i] + force[3][i]);
    for (int a = 0; a < 4; a++)
        vv8_add_vectors(b->g, nodes + a * VV_LANES, force[a]);
}

/* psi and P of the material. */
VV_INLINE void stress_of(int material, const vv_strain8 *e, double mu, double la, vv_d8 *psi, vv_d8 p[9])
{
    switch (material) {
#define VV_CASE(name, word, summary, free, rotation, sweeps, split) \
    case VV_MATERIAL_##name: name##_stress(e, mu, la, psi, p); break;
        VV_TET_MATERIALS(VV_CASE)
#undef VV_CASE
    default: break;
    }
}

/* Of a macro-cell, lane = tet (theory §4.20). */
typedef struct dilatation {
    vv_d8 u[3];   /* la u and its derivatives at the mean J, in all lanes */
    double whole; /* V */
} dilatation;

VV_INLINE void dilatation_of(int material, double la, vv_d8 volume, vv_d8 j, dilatation *d)
{
    d->whole = vv8_sum(volume);
    vv_d8 mean = vv8_set(vv8_sum(volume * j) / d->whole);
    for (int i = 0; i < 3; i++)
        d->u[i] = vv8_zero();
    switch (material) {
#define VV_CASE(name, word, summary, free, rotation, sweeps, split) \
    VV_WHERE_##split(case VV_MATERIAL_##name : name##_volume(mean, d->u); break;)
        VV_TET_MATERIALS(VV_CASE)
#undef VV_CASE
    default: break;
    }
    for (int i = 0; i < 3; i++)
        d->u[i] *= la;
}

/* b->g += the forces of P = p, V P G_a with the weight in it. */
VV_INLINE void scatter_stress(const vv_block *b, int group, const vv_d8 p[9])
{
    const double *shape = b->shape + (ptrdiff_t)group * VV_TET_SHAPE * VV_LANES;
    vv_d8 force[4][3];
    for (int i = 0; i < 3; i++)
        for (int a = 0; a < 3; a++)
            force[a + 1][i] = p[3 * i] * vv8_load(shape + 3 * a * VV_LANES) +
                              p[3 * i + 1] * vv8_load(shape + (3 * a + 1) * VV_LANES) +
                              p[3 * i + 2] * vv8_load(shape + (3 * a + 2) * VV_LANES);
    scatter_forces(b, group, force);
}

/* A sample after the other. */
VV_INLINE void gradient_of_block(const vv_block *b, double (*value_gradient)(const vv_block *b))
{
    for (int i = 0; i < b->samples; i++) {
        vv_block one = *b;
        one.x = b->sample[i].x, one.scale = b->sample[i].force;
        value_gradient(&one);
    }
}

#endif

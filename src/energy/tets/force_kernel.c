/* Elastic tets, eight at once: energy, and energy with its gradient in one pass, straight from F (theory §4.2).
 * Newton's matrices, which need the singular value decomposition, are made in kernel.c, and gradients beside
 * them.
 *
 * dE/dx_a = V P G_a for the nodes a = 1..3 with P = dpsi/dF (NAME_stress, material.h). */
#include "energy/tets/force_block.h"

#define VV_INSTANCE(name, word, summary, inversion_free, rotation, sweeps, split) \
    VV_FORCE_FUNCTIONS(name, inversion_free, rotation, false)
VV_TET_MATERIALS(VV_INSTANCE)
#undef VV_INSTANCE

const vv_tet_kernels VV_KERNEL(vv_tet_force_kernels) = { {
#define VV_ENTRY(name, word, summary, inversion_free, rotation, sweeps, split) \
    [VV_MATERIAL_##                                                            \
        name] = { .value = name##_value, .value_gradient = name##_value_gradient, .gradient = name##_gradient },
    VV_TET_MATERIALS(VV_ENTRY)
#undef VV_ENTRY
} };

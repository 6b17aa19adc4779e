/* Elastic tets, eight at once: energy, and energy with its gradient in one pass, straight from F (theory §4.2).
 * Newton's matrices, which need the singular value decomposition, are made in kernel.c, and gradients beside
 * them.
 *
 * dE/dx_a = V P G_a for the nodes a = 1..3 with P = dpsi/dF (NAME_stress, material.h). */
#include "energy/tets/materials.h"
#include "energy/tets/group.h"

#include <math.h>

/* The energy of the block; b->g += scale dE/dx if `forces`. +infinity where a tet of an inversion-free material has
 * no positive volume: then b->g is not to be used. Groups are processed in pairs; the last of an odd number is paired
 * with itself, and counts once. material, inversion_free, rotation and forces are constants after inlining. */
VV_INLINE double energy_of_block(const vv_block *b, int material, bool inversion_free, bool rotation, bool forces)
{
    vv_d8 sum = vv8_zero();
    vv_i8 outside = { 0 };
    for (int g = 0; g < b->groups; g += 2) {
        int last = g + 1 < b->groups ? 1 : 0;
        vv_strain8 e[2];
        for (int n = 0; n < 2; n++) {
            gradient_of(b, g + (n & last), b->x, e[n].f);
            vv8_strain(e + n);
        }
        if (inversion_free) {
            outside |= ~(vv8_above(e[0].j, 0) & vv8_above(e[1].j, 0));
            if (!forces && vv8_any(outside))
                return INFINITY;
        }
        if (rotation)
            vv8_polar_two(e[0].f, e[1].f, e[0].r, e[1].r);
        for (int n = 0; n <= last; n++) {
            vv_d8 psi = vv8_zero(), p[9], volume = volume_of(b, g + n), weight = volume * b->scale;
            stress_of(material, e + n, b->law[0], b->law[1], &psi, p);
            sum += volume * psi;
            if (!forces)
                continue;
            for (int i = 0; i < 9; i++)
                p[i] *= weight;
            scatter_stress(b, g + n, p);
        }
    }
    return inversion_free && vv8_any(outside) ? INFINITY : vv8_sum(sum);
}

#define VV_INSTANCE(name, word, summary, inversion_free, rotation, sweeps, split)       \
    static double name##_value(const vv_block *b)                                       \
    {                                                                                   \
        return energy_of_block(b, VV_MATERIAL_##name, inversion_free, rotation, false); \
    }                                                                                   \
    static double name##_value_gradient(const vv_block *b)                              \
    {                                                                                   \
        return energy_of_block(b, VV_MATERIAL_##name, inversion_free, rotation, true);  \
    }                                                                                   \
    static void name##_gradient(const vv_block *b) { gradient_of_block(b, name##_value_gradient); }
VV_TET_MATERIALS(VV_INSTANCE)
#undef VV_INSTANCE

const vv_tet_kernels VV_KERNEL(vv_tet_force_kernels) = { {
#define VV_ENTRY(name, word, summary, inversion_free, rotation, sweeps, split) \
    [VV_MATERIAL_##                                                            \
        name] = { .value = name##_value, .value_gradient = name##_value_gradient, .gradient = name##_gradient },
    VV_TET_MATERIALS(VV_ENTRY)
#undef VV_ENTRY
} };

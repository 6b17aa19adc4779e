/* Energy, and energy with its gradient, of a block of linear tets, with mean dilatation or without (force_kernel.c,
 * mean_kernel.c). */
#ifndef VV_ENERGY_TETS_FORCE_BLOCK_H
#define VV_ENERGY_TETS_FORCE_BLOCK_H

#include "energy/tets/group.h"

#include <math.h>

/* The energy of the block; b->g += scale dE/dx if `forces`. +infinity where a tet of an inversion-free material has
 * no positive volume: then b->g is not to be used. Groups are processed in pairs; the last of an odd number is paired
 * with itself, and counts once. mean: each group is a macro-cell, whose volumetric part is of its mean J. All but b are
 * constants after inlining. */
VV_INLINE double energy_of_block(const vv_block *b, int material, bool inversion_free, bool rotation, bool mean,
                                 bool forces)
{
    vv_d8 sum = vv8_zero();
    vv_i8 outside = { 0 };
    double volumetric = 0;
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
            dilatation d;
            stress_of(material, e + n, b->law[0], mean ? 0 : b->law[1], &psi, p);
            if (mean) {
                dilatation_of(material, b->law[1], volume, e[n].j, &d);
                volumetric += d.whole * d.u[0][0];
            }
            sum += volume * psi;
            if (!forces)
                continue;
            for (int i = 0; i < 9; i++)
                p[i] = mean ? weight * (p[i] + d.u[1] * e[n].cof[i]) : p[i] * weight;
            scatter_stress(b, g + n, p);
        }
    }
    if (inversion_free && vv8_any(outside))
        return INFINITY;
    return mean ? vv8_sum(sum) + volumetric : vv8_sum(sum);
}

/* What a material's row of the kernels' table has of it. */
#define VV_FORCE_FUNCTIONS(name, inversion_free, rotation, mean)                              \
    static double name##_value(const vv_block *b)                                             \
    {                                                                                         \
        return energy_of_block(b, VV_MATERIAL_##name, inversion_free, rotation, mean, false); \
    }                                                                                         \
    static double name##_value_gradient(const vv_block *b)                                    \
    {                                                                                         \
        return energy_of_block(b, VV_MATERIAL_##name, inversion_free, rotation, mean, true);  \
    }                                                                                         \
    static void name##_gradient(const vv_block *b) { gradient_of_block(b, name##_value_gradient); }

#endif

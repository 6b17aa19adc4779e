/* Elastic tets, eight at once: (projected) Hessian and the gradient beside it, determinant, step to inversion (theory
 * §4.1, §4.3, §4.7).
 *
 * F = sum_a x_a (x) G_a with G_1..G_3 the rows of D_m^-1, G_0 = -(G_1 + G_2 + G_3). In the frame of the singular value
 * decomposition F = U S V^T, with ghat_a = V^T G_a and H the Hessian of psi there (material.h):
 *   dE/dx_a = V U (psi_p ghat_a[p])_p,   d2E/dx_a dx_b = V U Khat_ab U^T,
 *   Khat_ab[p][q] = h_pq ghat_a[p] ghat_b[q] + b_pq ghat_a[q] ghat_b[p]           (p != q)
 *   Khat_ab[p][p] = h_pp ghat_a[p] ghat_b[p] + sum_{r != p} a_pr ghat_a[r] ghat_b[r]
 * with a = (minus + plus)/2, b = (minus - plus)/2. Projection: h to its semidefinite part, minus and plus to >= 0
 * (Smith, de Goes, Kim 2019, "Analytic eigensystems for isotropic distortion energies"). Rows of node 0 follow from the
 * sum over the nodes, which is zero. */
#include "energy/tets/blocks.h"

/* ---- Hessian and gradient -------------------------------------------------------------------------------------- */

VV_INLINE void scatter_sum(const vv_block *b, int g, element_sum *sum)
{
    if (b->g)
        scatter_forces(b, g, sum->force);
    complete_blocks(sum->k);
    vv8_add_blocks4(b->slots + (ptrdiff_t)g * 16 * VV_LANES, sum->k, b->values);
}

/* Starts fetching the matrix blocks that a group will be added to. */
VV_INLINE void prefetch_blocks(const int *slots, const double *values)
{
    for (int i = 0; i < 16 * VV_LANES; i++) {
        const double *block = values + 9 * (ptrdiff_t)(slots[i] < 0 ? 0 : slots[i]);
        __builtin_prefetch(block, 1);
        __builtin_prefetch(block + 8, 1);
    }
}

static VV_ONE_INSTANCE void derivatives_of_block(const vv_block *b, int material)
{
    element_sum sum;
    for (int i = 0; i < b->groups * b->samples; i += 2) {
        two_samples two;
        number_samples(b, i, &two);
        for (int n = 0; n <= two.last; n++)
            if (two.sample[n] == 0)
                prefetch_blocks(b->slots + (ptrdiff_t)two.group[n] * 16 * VV_LANES, b->values);
        decompose(b, &two);
        for (int n = 0; n <= two.last; n++) {
            const int group = two.group[n], sample = two.sample[n];
            if (sample == 0)
                add_sample(b, shape_of(b, group), b->sample, material, two.svd + n, true, &sum);
            else
                add_sample(b, shape_of(b, group), b->sample + sample, material, two.svd + n, false, &sum);
            if (sample + 1 == b->samples)
                scatter_sum(b, group, &sum);
        }
    }
}

/* ---- determinant ----------------------------------------------------------------------------------------------- */

static double min_j_of_block(const vv_block *b)
{
    vv_d8 least = vv8_set(INFINITY);
    for (int g = 0; g < b->groups; g++) {
        vv_d8 f[9];
        gradient_of(b, g, b->x, f);
        vv_d8 j = vv8_det(f);
        least = vv8_min(least, j);
        if (vv8_any(~vv8_at_most(j, j)))
            return NAN;
    }
    return vv8_least(least);
}

static double max_step_of_block(const vv_block *block)
{
    double least = 1;
    for (int g = 0; g < block->groups; g++) {
        vv_d8 f[9], d[9];
        gradient_of(block, g, block->x, f);
        gradient_of(block, g, block->p, d);
        double t = step_to_inversion(f, d);
        least = t < least ? t : least;
    }
    return least;
}

/* ---- the table ------------------------------------------------------------------------------------------------- */

#define VV_INSTANCE(name, word, summary, inversion_free, rotation, sweeps, split) VV_DERIVATIVES(name)
VV_TET_MATERIALS(VV_INSTANCE)
#undef VV_INSTANCE

const vv_tet_kernels VV_KERNEL(vv_tet_kernels) = { {
#define VV_ENTRY(name, word, summary, inversion_free, rotation, sweeps, split) \
    [VV_MATERIAL_##                                                            \
        name] = { .derivatives = name##_block_derivatives, .least_j = min_j_of_block, .max_step = max_step_of_block },
    VV_TET_MATERIALS(VV_ENTRY)
#undef VV_ENTRY
} };

/* Linear tets with mean dilatation (theory §4.20), a macro-cell at once, lane = tet: energy, gradient, (projected)
 * Hessian. Of a macro-cell of tets t with rest volumes V_t, V their sum,
 *   E = sum V_t psi_0(F_t) + V la u(Jm),  Jm = sum V_t J_t / V
 * with psi_0 the material at la = 0, and with b = V dJm/dx = sum V_t dJ_t/dx the gradient of its volume,
 *   dE/dx = sum V_t (dpsi_0/dx + p dJ_t/dx),  d2E/dx2 = sum V_t (d2psi_0/dx2 + p d2J_t/dx2) + la u''(Jm)/V b b^T
 * where p = la u'(Jm). The sums over tets are blocks of each tet, of psi_0 + p J as a function of its singular values,
 * and are projected as such (kernel.c); u'' is left out where it is negative. */
#include "energy/tets/mean.h"
#include "energy/tets/blocks.h"
#include "energy/tets/force_block.h"
#include "mesh/macro.h"

enum { NODES = VV_MACRO_NODES, PAIRS = NODES * (NODES + 1) / 2 };

/* ---- Hessian --------------------------------------------------------------------------------------------------- */

typedef struct macro_sum {
    element_sum tets;
    double bulk[VV_MAX_SAMPLES], b[VV_MAX_SAMPLES][NODES][3]; /* la u''/V; b at the nodes of the macro-cell */
} macro_sum;

VV_INLINE const unsigned char *place_of(const vv_block *b, int group)
{
    return b->place + (ptrdiff_t)group * 4 * VV_LANES;
}

/* b at the nodes: the sum of V cof F G_a over the tets. */
VV_INLINE void volume_gradient(const vv_block *b, int group, const vv_d8 cof[9], double at[NODES][3])
{
    const double *shape = shape_of(b, group);
    const unsigned char *place = place_of(b, group);
    vv_d8 n[4][3], volume = volume_of(b, group);
    for (int i = 0; i < 3; i++) {
        for (int a = 0; a < 3; a++)
            n[a + 1][i] = volume * (cof[3 * i] * vv8_load(shape + 3 * a * VV_LANES) +
                                    cof[3 * i + 1] * vv8_load(shape + (3 * a + 1) * VV_LANES) +
                                    cof[3 * i + 2] * vv8_load(shape + (3 * a + 2) * VV_LANES));
        n[0][i] = -(n[1][i] + n[2][i] + n[3][i]);
    }
    for (int i = 0; i < 3 * NODES; i++)
        at[i / 3][i % 3] = 0;
    for (int a = 0; a < 4; a++)
        for (int l = 0; l < VV_LANES; l++)
            for (int i = 0; i < 3; i++)
                at[place[a * VV_LANES + l]][i] += n[a][i][l];
}

/* frame += p J, J = s0 s1 s2 */
VV_INLINE void add_pressure(const vv_d8 s[3], vv_d8 p, vv_frame8 *frame)
{
    for (int k = 0; k < 3; k++) {
        vv_d8 twist = p * s[k];
        frame->p[k] += p * (s[VV_I(k)] * s[VV_J(k)]);
        frame->h.o[k] += twist;
        frame->minus[k] -= twist;
        frame->plus[k] += twist;
    }
}

VV_INLINE void add_macro_sample(const vv_block *b, int group, int sample, int material, const vv_d8 f[9],
                                const vv_svd8 *svd, macro_sum *sum)
{
    const vv_sample *of = b->sample + sample;
    vv_d8 cof[9];
    vv_frame8 frame;
    dilatation d;
    vv8_cofactor(f, cof);
    dilatation_of(material, b->law[1], volume_of(b, group), f[0] * cof[0] + f[1] * cof[1] + f[2] * cof[2], &d);
    frame_of(material, svd->s, b->law[0], 0, &frame);
    add_pressure(svd->s, d.u[1], &frame);
    if (sample == 0)
        add_frame(b, shape_of(b, group), of, &frame, svd, true, &sum->tets);
    else
        add_frame(b, shape_of(b, group), of, &frame, svd, false, &sum->tets);
    double bulk = d.u[2][0];
    sum->bulk[sample] = (b->project && bulk < 0 ? 0 : bulk) * of->stiffness / d.whole;
    volume_gradient(b, group, cof, sum->b[sample]);
}

VV_INLINE int pair_of(int i, int j) { return vv_node_pair(NODES, i, j); }

/* Entries as in a matrix's blocks, by columns. */
typedef struct block9 {
    double m[9];
} block9;

/* The blocks of the tets, to those of the macro-cell's pairs of nodes. */
static VV_ONE_INSTANCE void collect_tets(const vv_block *b, int group, vv_d8 k[10][9], block9 to[PAIRS])
{
    const unsigned char *place = place_of(b, group);
    int entry = 0;
    for (int a = 0; a < 4; a++)
        for (int c = a; c < 4; c++, entry++) {
            vv_d8 lane[VV_LANES];
            vv8_transpose(k[entry], lane);
            for (int l = 0; l < VV_LANES; l++) {
                const int i = place[a * VV_LANES + l], j = place[c * VV_LANES + l];
                if (i <= j)
                    vv8_add_block(to[pair_of(i, j)].m, lane[l], k[entry][8][l]);
                else
                    vv8_add_block(to[pair_of(j, i)].m,
                                  __builtin_shufflevector(lane[l], lane[l], 0, 3, 6, 1, 4, 7, 2, 5), k[entry][8][l]);
            }
        }
}

static void collect_bulk(const macro_sum *sum, int samples, int nodes, block9 to[PAIRS])
{
    for (int s = 0; s < samples; s++)
        for (int i = 0; i < nodes; i++)
            for (int j = i; j < nodes; j++)
                for (int e = 0; e < 9; e++)
                    to[pair_of(i, j)].m[e] += sum->bulk[s] * sum->b[s][i][e % 3] * sum->b[s][j][e / 3];
}

/* Adds them to a matrix, both (i, j) and its transpose (j, i). */
static void scatter_pairs(const vv_block *b, int group, int nodes, const block9 of[PAIRS])
{
    const int *slots = b->slots + (ptrdiff_t)group * NODES * NODES;
    for (int i = 0; i < nodes; i++)
        for (int j = i; j < nodes; j++) {
            const double *m = of[pair_of(i, j)].m;
            const vv_d8 first = *(const vv_d8_anywhere *)m;
            const int slot = slots[NODES * i + j], other = slots[NODES * j + i];
            if (slot >= 0)
                vv8_add_block(b->values + 9 * (ptrdiff_t)slot, first, m[8]);
            if (j > i && other >= 0)
                vv8_add_block(b->values + 9 * (ptrdiff_t)other,
                              __builtin_shufflevector(first, first, 0, 3, 6, 1, 4, 7, 2, 5), m[8]);
        }
}

static VV_ONE_INSTANCE void scatter_macro(const vv_block *b, int group, macro_sum *sum)
{
    block9 pair[PAIRS] = { { { 0 } } };
    int nodes = 0;
    for (int i = 0; i < 4 * VV_LANES; i++)
        nodes = place_of(b, group)[i] >= nodes ? place_of(b, group)[i] + 1 : nodes;
    if (b->g)
        scatter_forces(b, group, sum->tets.force);
    complete_blocks(sum->tets.k);
    collect_tets(b, group, sum->tets.k, pair);
    collect_bulk(sum, b->samples, nodes, pair);
    scatter_pairs(b, group, nodes, pair);
}

static VV_ONE_INSTANCE void derivatives_of_block(const vv_block *b, int material)
{
    macro_sum sum;
    for (int i = 0; i < b->groups * b->samples; i += 2) {
        two_samples two;
        number_samples(b, i, &two);
        decompose(b, &two);
        for (int n = 0; n <= two.last; n++) {
            add_macro_sample(b, two.group[n], two.sample[n], material, two.f[n], two.svd + n, &sum);
            if (two.sample[n] + 1 == b->samples)
                scatter_macro(b, two.group[n], &sum);
        }
    }
}

/* ---- the table ------------------------------------------------------------------------------------------------- */

#define VV_INSTANCE(name, word, summary, inversion_free, rotation, sweeps, split) \
    VV_WHERE_##split(VV_FORCE_FUNCTIONS(name, inversion_free, rotation, true) VV_DERIVATIVES(name))
VV_TET_MATERIALS(VV_INSTANCE)
#undef VV_INSTANCE

const vv_tet_kernels VV_KERNEL(vv_mean_kernels) = { {
#define VV_ENTRY(name, word, summary, inversion_free, rotation, sweeps, split)         \
    VV_WHERE_##split([VV_MATERIAL_##name] = { .value = name##_value,                   \
                                              .value_gradient = name##_value_gradient, \
                                              .derivatives = name##_block_derivatives, \
                                              .gradient = name##_gradient }, )
    VV_TET_MATERIALS(VV_ENTRY)
#undef VV_ENTRY
} };

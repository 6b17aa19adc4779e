/* Elastic tets as functions of one node at a time, for block descent (theory §6.13; layout: energy/nodes.h). With the
 * node first and e_a the vectors to the tet's others, F = sum e_a (x) G_a over those three, and with n = (e_2 - e_1) x
 * (e_3 - e_1), D = det (G_1, G_2, G_3) that need no cofactors,
 *   J = D e_1 . n,  dJ/dx = -D n. */
#include "energy/batch/node_lanes.h"
#include "energy/tets/kernels.h"

#include <math.h>

typedef struct row8 {
    vv_vertex8 v;
    vv_d8 mu, la;
} row8;

VV_INLINE void load_row(const vv_incidence *around, const double *x, int row, const vv_d8 own[3], row8 *o)
{
    const int *other = around->other + (ptrdiff_t)row * 3 * VV_LANES;
    const vv_d8 *g = (const vv_d8 *)around->number + (ptrdiff_t)row * VV_TET_PAIR;
    vv_vertex8 *v = &o->v;
    vv_d8 e[3][3];
    for (int a = 0; a < 3; a++) {
        vv8_gather4(x, other + a * VV_LANES, e[a]);
        for (int k = 0; k < 3; k++)
            e[a][k] -= own[k];
    }
    for (int k = 0; k < 3; k++) {
        v->g[k] = -(g[k] + g[3 + k] + g[6 + k]);
        for (int i = 0; i < 3; i++)
            v->f[3 * i + k] = e[0][i] * g[k] + e[1][i] * g[3 + k] + e[2][i] * g[6 + k];
    }
    v->square = vv8_dot(v->g, v->g);
    vv_d8 p[3], q[3], n[3],
        det = g[0] * (g[4] * g[8] - g[5] * g[7]) - g[1] * (g[3] * g[8] - g[5] * g[6]) +
              g[2] * (g[3] * g[7] - g[4] * g[6]);
    for (int k = 0; k < 3; k++) {
        p[k] = e[1][k] - e[0][k];
        q[k] = e[2][k] - e[0][k];
    }
    n[0] = p[1] * q[2] - p[2] * q[1], n[1] = p[2] * q[0] - p[0] * q[2], n[2] = p[0] * q[1] - p[1] * q[0];
    v->j = det * vv8_dot(e[0], n);
    for (int k = 0; k < 3; k++)
        v->c[k] = -(det * n[k]);
    o->mu = g[VV_TET_PAIR_WEIGHTS];
    o->la = g[VV_TET_PAIR_WEIGHTS + 1];
}

VV_INLINE void at_node(int material, const row8 *r, vv_at_node8 *o)
{
    switch (material) {
#define VV_CASE(name, word, summary, free, rotation, sweeps, split) \
    case VV_MATERIAL_##name: name##_at_node(&r->v, r->mu, r->la, o); break;
        VV_TET_MATERIALS(VV_CASE)
#undef VV_CASE
    default: *o = (vv_at_node8){ 0 }; break;
    }
}

/* That of NAME_stress, which is linear in mu and la; of materials that must not invert, infinite where they have. */
VV_INLINE vv_d8 psi(int material, const row8 *r)
{
    vv_strain8 e;
    vv_d8 of_mu = vv8_zero(), of_la = vv8_zero(), p[9];
    bool limited = false;
    for (int i = 0; i < 9; i++)
        e.f[i] = r->v.f[i];
    vv8_strain(&e);
    switch (material) {
#define VV_CASE(name, word, summary, inversion_free, rotation, sweeps, split) \
    case VV_MATERIAL_##name:                                                  \
        if (rotation)                                                         \
            vv8_polar_rotation(e.f, e.r);                                     \
        name##_stress(&e, 1, 0, &of_mu, p);                                   \
        name##_stress(&e, 0, 1, &of_la, p);                                   \
        limited = inversion_free;                                             \
        break;
        VV_TET_MATERIALS(VV_CASE)
#undef VV_CASE
    default: break;
    }
    vv_d8 sum = r->mu * of_mu + r->la * of_la;
    return limited ? vv8_select(vv8_above(r->mu, 0) & ~vv8_above(r->v.j, 0), vv8_set(__builtin_inf()), sum) : sum;
}

VV_INLINE void blocks_of(const vv_incidence *around, const vv_node_batch *b, int material)
{
    for (int j = b->begin; j < b->end; j++) {
        vv_d8 own[3], sum[VV_NODE_BLOCK] = { vv8_zero() };
        vv8_gather4(b->x, b->node + (ptrdiff_t)j * VV_LANES, own);
        for (int row = around->start[j]; row < around->start[j + 1]; row++) {
            row8 r;
            vv_at_node8 o;
            load_row(around, b->x, row, own, &r);
            at_node(material, &r, &o);
            for (int k = 0; k < 3; k++) {
                sum[k] += o.force[k];
                sum[3 + k] += o.h.d[k];
                sum[6 + k] += o.h.o[k];
            }
        }
        vv8_add_block_sums(b, j, sum);
    }
}

VV_INLINE void values_of(const vv_incidence *around, const vv_node_batch *b, int material)
{
    for (int j = b->begin; j < b->end; j++) {
        vv_d8 own[3], sum = vv8_zero();
        vv8_gather4(b->x, b->node + (ptrdiff_t)j * VV_LANES, own);
        for (int row = around->start[j]; row < around->start[j + 1]; row++) {
            row8 r;
            load_row(around, b->x, row, own, &r);
            sum += psi(material, &r);
        }
        ((vv_d8 *)b->values)[j - b->begin] += b->value * sum;
    }
}

/* J + t c . d stays above a tenth of J. */
static void limits_of(const vv_incidence *around, const vv_node_batch *b)
{
    for (int j = b->begin; j < b->end; j++) {
        const vv_d8 *move = (const vv_d8 *)b->moves + 3 * (ptrdiff_t)(j - b->begin);
        vv_d8 own[3], *limit = (vv_d8 *)b->limits + (j - b->begin),
                      d[3] = { b->reach * move[0], b->reach * move[1], b->reach * move[2] };
        vv8_gather4(b->x, b->node + (ptrdiff_t)j * VV_LANES, own);
        for (int row = around->start[j]; row < around->start[j + 1]; row++) {
            row8 r;
            load_row(around, b->x, row, own, &r);
            vv_d8 loss = -vv8_dot(r.v.c, d), most = 0.9 * r.v.j;
            vv_i8 cut = vv8_less(most, *limit * loss) & vv8_above(r.mu, 0);
            *limit = vv8_select(cut, vv8_max(most, vv8_zero()) / vv8_select(cut, loss, vv8_set(1)), *limit);
        }
    }
}

/* ---- the table ---- */

#define VV_INSTANCE(name, word, summary, inversion_free, rotation, sweeps, split) \
    static void name##_blocks(const vv_incidence *around, const vv_node_batch *b) \
    {                                                                             \
        blocks_of(around, b, VV_MATERIAL_##name);                                 \
    }                                                                             \
    static void name##_values(const vv_incidence *around, const vv_node_batch *b) \
    {                                                                             \
        values_of(around, b, VV_MATERIAL_##name);                                 \
    }
VV_TET_MATERIALS(VV_INSTANCE)
#undef VV_INSTANCE

const vv_tet_kernels VV_KERNEL(vv_tet_node_kernels) = { {
#define VV_ENTRY(name, word, summary, inversion_free, rotation, sweeps, split) \
    [VV_MATERIAL_##name] = { .node_blocks = name##_blocks, .node_values = name##_values, .node_limits = limits_of },
    VV_TET_MATERIALS(VV_ENTRY)
#undef VV_ENTRY
} };

/* Membranes as functions of one node at a time, for block descent (theory §6.13; layout: energy/nodes.h). With the node
 * first and e_a the vectors to the triangle's others, F = sum e_a (x) G_a over those two; the node's own gradient is
 * g = -(G_1 + G_2). Blocks are projected. */
#include "energy/shells/membrane_group.h"
#include "energy/batch/node_lanes.h"

#include <math.h>

typedef struct row8 {
    triangle8 at;
    vv_law8 law; /* mu and lambda carry the weight */
    vv_d8 g[2];
} row8;

VV_INLINE void load_row(const vv_incidence *around, const double *x, int row, const vv_d8 own[3], row8 *r)
{
    const int *other = around->other + (ptrdiff_t)row * 2 * VV_LANES;
    const vv_d8 *n = (const vv_d8 *)around->number + (ptrdiff_t)row * VV_MEMBRANE_PAIR;
    vv_d8 e[2][3];
    for (int a = 0; a < 2; a++)
        vv8_gather4(x, other + a * VV_LANES, e[a]);
    for (int i = 0; i < 3; i++) {
        vv_d8 p = e[0][i] - own[i], q = e[1][i] - own[i];
        r->at.f[0][i] = p * n[0] + q * n[2];
        r->at.f[1][i] = p * n[1] + q * n[3];
    }
    r->g[0] = -(n[0] + n[2]);
    r->g[1] = -(n[1] + n[3]);
    r->law = (vv_law8){ n[VV_MEMBRANE_PAIR_WEIGHTS], n[VV_MEMBRANE_PAIR_WEIGHTS + 1], n[4], n[5] };
    stretch_of(r->at.f, &r->at.e);
}

VV_INLINE void blocks_of(const vv_incidence *around, const vv_node_batch *b, int model, bool limited)
{
    for (int j = b->begin; j < b->end; j++) {
        vv_d8 own[3], sum[VV_NODE_BLOCK] = { vv8_zero() };
        vv8_gather4(b->x, b->node + (ptrdiff_t)j * VV_LANES, own);
        for (int row = around->start[j]; row < around->start[j + 1]; row++) {
            row8 r;
            vv_d8 psi, u[3][3], k[9];
            vv_plane8 s;
            vv_i8 outside;
            vv_principal8 p;
            vv_membrane_frame f;
            load_row(around, b->x, row, own, &r);
            stress_of(&r.at, &r.law, model, limited, &psi, &s, &outside);
            curvature_of(&r.at, &r.law, model, limited, true, &p, u, &f);
            vv_d8 x = s.xx * r.g[0] + s.xy * r.g[1], y = s.xy * r.g[0] + s.yy * r.g[1];
            vv_d8 ghat[2] = { p.cosine * r.g[0] + p.sine * r.g[1], p.cosine * r.g[1] - p.sine * r.g[0] };
            node_pair(&f, u, ghat, ghat, vv8_set(1), true, k);
            for (int i = 0; i < 3; i++) {
                sum[i] += r.at.f[0][i] * x + r.at.f[1][i] * y;
                sum[3 + i] += k[4 * i];
            }
            sum[6] += k[5], sum[7] += k[2], sum[8] += k[1];
        }
        vv8_add_block_sums(b, j, sum);
    }
}

VV_INLINE void values_of(const vv_incidence *around, const vv_node_batch *b, int model, bool limited)
{
    for (int j = b->begin; j < b->end; j++) {
        vv_d8 own[3], sum = vv8_zero();
        vv8_gather4(b->x, b->node + (ptrdiff_t)j * VV_LANES, own);
        for (int row = around->start[j]; row < around->start[j + 1]; row++) {
            row8 r;
            vv_d8 psi;
            vv_plane8 s;
            vv_i8 outside;
            load_row(around, b->x, row, own, &r);
            stress_of(&r.at, &r.law, model, limited, &psi, &s, &outside);
            outside &= vv8_above(r.law.mu, 0);
            sum += vv8_select(outside, vv8_set(__builtin_inf()), psi);
        }
        ((vv_d8 *)b->values)[j - b->begin] += b->value * sum;
    }
}

/* As max_step of membrane_kernel.c. What cannot come so far, however it goes, is not looked at closely. */
static void limits_of(const vv_incidence *around, const vv_node_batch *b)
{
    for (int j = b->begin; j < b->end; j++) {
        const vv_d8 *move = (const vv_d8 *)b->moves + 3 * (ptrdiff_t)(j - b->begin);
        vv_d8 own[3], *limit = (vv_d8 *)b->limits + (j - b->begin),
                      d[3] = { b->reach * move[0], b->reach * move[1], b->reach * move[2] };
        vv_d8 length2 = vv8_dot(d, d);
        vv8_gather4(b->x, b->node + (ptrdiff_t)j * VV_LANES, own);
        for (int row = around->start[j]; row < around->start[j + 1]; row++) {
            row8 r;
            vv_principal8 p;
            load_row(around, b->x, row, own, &r);
            vv8_principal(&r.at.e, &p);
            vv_d8 most = r.law.limit - 0.2 * (r.law.limit - p.s[0]),
                  far = vv8_sqrt(length2 * (r.g[0] * r.g[0] + r.g[1] * r.g[1]));
            vv_i8 check = vv8_less(most, p.s[0] + *limit * far) & vv8_above(r.law.mu, 0) & vv8_above(r.law.width, 0);
            if (!vv8_any(check))
                continue;
            vv_d8 t = *limit, x = vv8_dot(r.at.f[0], d), y = vv8_dot(r.at.f[1], d);
            for (int l = 0; l < VV_LANES; l++)
                if (check[l]) {
                    double g = r.g[0][l], h = r.g[1][l], s = t[l],
                           c[3][3] = { { r.at.e.c.xx[l], 2 * s * g * x[l], s * s * length2[l] * g * g },
                                       { r.at.e.c.yy[l], 2 * s * h * y[l], s * s * length2[l] * h * h },
                                       { r.at.e.c.xy[l], s * (g * y[l] + h * x[l]), s * s * length2[l] * g * h } };
                    t[l] = s * part_below(c, most[l]);
                }
            *limit = t;
        }
    }
}

/* ---- the table ---- */

#define VV_INSTANCE(name, model, limited)                                         \
    static void name##_blocks(const vv_incidence *around, const vv_node_batch *b) \
    {                                                                             \
        blocks_of(around, b, model, limited);                                     \
    }                                                                             \
    static void name##_values(const vv_incidence *around, const vv_node_batch *b) \
    {                                                                             \
        values_of(around, b, model, limited);                                     \
    }
VV_INSTANCE(stvk, VV_MEMBRANE_STVK, false)
VV_INSTANCE(stvk_limited, VV_MEMBRANE_STVK, true)
VV_INSTANCE(neo_hookean, VV_MEMBRANE_NEO_HOOKEAN, false)
VV_INSTANCE(neo_hookean_limited, VV_MEMBRANE_NEO_HOOKEAN, true)
#undef VV_INSTANCE

#define VV_TABLE(name)                                                                       \
    {                                                                                        \
        .node_blocks = name##_blocks, .node_values = name##_values, .node_limits = limits_of \
    }
const vv_membrane_kernels VV_KERNEL(vv_membrane_node_kernels) = {
    { { VV_TABLE(stvk), VV_TABLE(stvk_limited) }, { VV_TABLE(neo_hookean), VV_TABLE(neo_hookean_limited) } },
};

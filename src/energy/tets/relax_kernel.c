/* Sweeps over tets as constraints, eight at once (theory §6.12; the steps are in energy/relax/nodes.h). */
#include "energy/batch/lanes.h"
#include "energy/tets/materials.h"
#include "energy/relax/nodes.h"
#include "energy/tets/kernels.h"

/* a : (c S) */
VV_INLINE vv_d8 weighted(const vv_d8 a[9], const vv_d8 c[9], const vv_sym8 *s)
{
    vv_d8 sum = vv8_zero();
    for (int i = 0; i < 9; i += 3)
        sum += a[i] * (c[i] * s->d[0] + c[i + 1] * s->o[2] + c[i + 2] * s->o[1]) +
               a[i + 1] * (c[i] * s->o[2] + c[i + 1] * s->d[1] + c[i + 2] * s->o[0]) +
               a[i + 2] * (c[i] * s->o[1] + c[i + 1] * s->o[0] + c[i + 2] * s->d[2]);
    return sum;
}

/* The impulse of node a is Pi G_a. S = beta^2 sum_a G_a G_a^T / m_a: a change of Pi turns F by (dPi S) / beta. */
VV_INLINE void scalar_tet(const vv_relax_block *b, const vv_sweep8 *t, const vv_sym8 *s, vv_d8 k, vv_d8 *memory,
                          vv_d8 dp[9])
{
    vv_i8 strained = vv8_above(t->psi, 1e-12 * b->law[0]);
    vv_d8 c = vv8_sqrt(2 * vv8_select(strained, t->psi, vv8_set(b->law[0]))), w = weighted(t->p, t->p, s) / (c * c);
    vv_d8 dlambda = vv8_select(strained, (-k * c - memory[0]) / (1 + k * w), vv8_zero());
    memory[0] += dlambda;
    for (int i = 0; i < 9; i++)
        dp[i] = b->beta * dlambda * (t->p[i] / c);
}

VV_INLINE void exact_tet(const vv_relax_block *b, const vv_sweep8 *t, const vv_sym8 *s, vv_d8 k, vv_d8 *p, vv_d8 dp[9])
{
    vv_d8 r[9], most = vv8_sqrt(s->d[0] * s->d[0] + s->d[1] * s->d[1] + s->d[2] * s->d[2] +
                                2 * (s->o[0] * s->o[0] + s->o[1] * s->o[1] +
                                     s->o[2] * s->o[2])); /* S's largest eigenvalue, or more */
    for (int i = 0; i < 9; i++)
        r[i] = p[i] + b->beta * k * t->p[i];
    vv_d8 soft = 1 + k * t->soft * most, hard = k * t->bulk;
    vv_d8 volume = t->bulk > 0 ? hard * weighted(t->b, r, s) / (soft + hard * weighted(t->b, t->b, s)) : vv8_zero();
    for (int i = 0; i < 9; i++) {
        dp[i] = (volume * t->b[i] - r[i]) / soft;
        p[i] += dp[i];
    }
}

VV_INLINE void strain_gradient(const vv_relax_block *b, const int *nodes, const node8 n[4], const vv_d8 g[4][3],
                               vv_d8 f[9])
{
    for (int i = 0; i < 3; i++) {
        vv_d8 e[3];
        for (int a = 0; a < 3; a++) {
            e[a] = b->beta * (n[a + 1].q[i] - n[0].q[i]);
            if (b->z)
                e[a] += vv8_gather(b->z, nodes + (a + 1) * VV_LANES, i) - vv8_gather(b->z, nodes, i);
        }
        for (int j = 0; j < 3; j++)
            f[3 * i + j] = e[0] * g[1][j] + e[1] * g[2][j] + e[2] * g[3][j];
    }
}

VV_INLINE void compliance_of(const vv_relax_block *b, const node8 n[4], const vv_d8 g[4][3], vv_sym8 *s)
{
    *s = (vv_sym8){ { vv8_zero() }, { vv8_zero() } };
    for (int a = 0; a < 4; a++) {
        vv_d8 w = b->beta * b->beta * n[a].w;
        for (int k = 0; k < 3; k++) {
            s->d[k] += w * g[a][k] * g[a][k];
            s->o[k] += w * g[a][VV_I(k)] * g[a][VV_J(k)];
        }
    }
}

VV_INLINE void stress_of(int material, vv_strain8 *e, const double law[2], vv_sweep8 *s)
{
    switch (material) {
#define CASE(name, word, summary, inversion_free, rotation, sweeps, split) \
    VV_WHERE_##sweeps(case VV_MATERIAL_##name                              \
                      : if (rotation) vv8_polar_rotation(e->f, e->r);      \
                      name##_sweep(e, law[0], law[1], s); break;)
        VV_TET_MATERIALS(CASE)
#undef CASE
    default: break;
    }
}

static VV_ONE_INSTANCE void relax_tets(const vv_relax_block *b, int material, bool exact)
{
    for (int group = 0; group < b->groups; group++) {
        const int *nodes = b->nodes + (ptrdiff_t)group * 4 * VV_LANES;
        const double *shape = b->shape + (ptrdiff_t)group * VV_TET_SHAPE * VV_LANES;
        vv_d8 g[4][3], dp[9], *memory = memory_of(b, group, exact ? 9 : 1),
                              k = b->scale * vv8_load(shape + 9 * VV_LANES);
        node8 n[4];
        vv_strain8 e;
        vv_sweep8 stress = { .bulk = 0 }; /* there is a material for each row: for compilers that do not see it */
        vv_sym8 s;
        for (int a = 0; a < 4; a++)
            load_node(b->x, nodes + a * VV_LANES, n + a);
        for (int j = 0; j < 3; j++) {
            for (int a = 1; a < 4; a++)
                g[a][j] = vv8_load(shape + (3 * (a - 1) + j) * VV_LANES);
            g[0][j] = -(g[1][j] + g[2][j] + g[3][j]);
        }
        strain_gradient(b, nodes, n, (const vv_d8(*)[3])g, e.f);
        vv8_strain(&e);
        compliance_of(b, n, (const vv_d8(*)[3])g, &s);
        stress_of(material, &e, b->law, &stress);
        if (exact)
            exact_tet(b, &stress, &s, k, memory, dp);
        else
            scalar_tet(b, &stress, &s, k, memory, dp);
        for (int a = 0; a < 4; a++) {
            vv_d8 push[3];
            for (int i = 0; i < 3; i++)
                push[i] = dp[3 * i] * g[a][0] + dp[3 * i + 1] * g[a][1] + dp[3 * i + 2] * g[a][2];
            push_node(b->x, nodes + a * VV_LANES, b->lanes[group], n + a, push);
        }
    }
}

/* ---- the table ---- */

#define INSTANCE(name, word, summary, inversion_free, rotation, sweeps, split) \
    VV_WHERE_##sweeps(                                                         \
        static void name##_scalar(const vv_relax_block *b) {                   \
            relax_tets(b, VV_MATERIAL_##name, false);                          \
        } static void name##_exact(const vv_relax_block *b) { relax_tets(b, VV_MATERIAL_##name, true); })
VV_TET_MATERIALS(INSTANCE)
#undef INSTANCE

const vv_tet_kernels VV_KERNEL(vv_tet_relax_kernels) = { {
#define ENTRY(name, word, summary, inversion_free, rotation, sweeps, split) \
    VV_WHERE_##sweeps([VV_MATERIAL_##name] = { .relax = { name##_scalar, name##_exact } }, )
    VV_TET_MATERIALS(ENTRY)
#undef ENTRY
} };

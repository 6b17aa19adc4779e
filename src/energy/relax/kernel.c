/* Sweeps over springs and tets, eight at once (theory §6.12). The lanes of a group share no node.
 *
 * With k = s k_j (k V for tets), n = dC/dx and W = beta^2 sum_a |n_a|^2 / m_a, a constraint's step is
 *   scalar  dlambda = (-k C - lambda) / (1 + k W),  dp = beta n dlambda
 *   exact   dp = -(1 + k H M^-1)^-1 (p + beta k C n), H near the Hessian of C^2 / 2 from above: C n has to turn with
 *       n, and a direction in
 *           which H were too soft would be overdone */
#include "energy/batch/lanes.h"
#include "energy/tets/material_stress.h"
#include "energy/tets/materials.h"
#include "energy/relax/nodes.h"
#include "energy/springs/springs.h"
#include "energy/tets/kernels.h"

/* ---- springs ---- */

static const double PATIENCE = 4; /* 0: cloth does not settle; 2 to 32: no difference seen */

typedef struct spring8 {
    vv_d8 d[3], length2, rest;
    vv_d8 k, w;  /* s k; beta^2 (1/m_0 + 1/m_1) */
    vv_d8 least; /* a length that counts as 0 */
} spring8;

/* dp of the second node */
VV_INLINE void scalar_spring(const vv_relax_block *b, spring8 *s, bool stvk, vv_d8 *memory, vv_d8 dp[3])
{
    vv_d8 length = vv8_sqrt(s->length2), safe = vv8_max(length, s->least);
    vv_d8 c = stvk ? s->length2 - s->rest * s->rest : length - s->rest;
    vv_d8 slope = stvk ? 2 * length : vv8_set(1);
    vv_d8 dlambda = (-s->k * c - memory[0]) / (1 + s->k * s->w * slope * slope);
    dlambda = vv8_select(vv8_less(s->least, length), dlambda, vv8_zero()); /* no direction */
    memory[0] += dlambda;
    for (int i = 0; i < 3; i++)
        dp[i] = b->beta * slope * dlambda * (s->d[i] / safe);
}

/* H = t I + (a - t) n n^T. hooke: t = 1 - r/l, a = 1; stvk-spring: t = 2 (l^2 - r^2), a = t + 4 l^2. A spring that is
 * pressed together, t < 0, pushes its ends aside. Others hold them, if only after some sweeps: its impulse turns
 * slowly, as if t were -4 t. */
VV_INLINE void exact_spring(const vv_relax_block *b, spring8 *s, bool stvk, vv_d8 *p, vv_d8 dp[3])
{
    vv_d8 length = vv8_max(vv8_sqrt(s->length2), s->least);
    vv_d8 force = stvk ? 2 * s->k * (s->length2 - s->rest * s->rest) : s->k * (1 - s->rest / length); /* times d */
    vv_d8 t = vv8_max(force, -PATIENCE * force), across = 1 + s->w * t;
    vv_d8 along = 1 + s->w * (stvk ? vv8_max(force, vv8_zero()) + 4 * s->k * s->length2 : s->k), r[3], n[3];
    for (int i = 0; i < 3; i++) {
        n[i] = s->d[i] / length;
        r[i] = p[i] + b->beta * force * s->d[i];
    }
    vv_d8 rn = vv8_dot(n, r), more = rn / along - rn / across;
    for (int i = 0; i < 3; i++) {
        dp[i] = -(r[i] / across + more * n[i]);
        p[i] += dp[i];
    }
}

VV_INLINE void relax_springs(const vv_relax_block *b, bool stvk, bool exact)
{
    for (int g = 0; g < b->groups; g++) {
        const int *nodes = b->nodes + (ptrdiff_t)g * 2 * VV_LANES;
        const double *shape = b->shape + (ptrdiff_t)g * 2 * VV_LANES;
        vv_d8 *memory = memory_of(b, g, exact ? 3 : 1), dp[3], back[3];
        node8 n[2];
        spring8 s;
        for (int a = 0; a < 2; a++)
            load_node(b->x, nodes + a * VV_LANES, n + a);
        for (int i = 0; i < 3; i++) {
            s.d[i] = b->beta * (n[1].q[i] - n[0].q[i]);
            if (b->z)
                s.d[i] += vv8_gather(b->z, nodes + VV_LANES, i) - vv8_gather(b->z, nodes, i);
        }
        s.length2 = vv8_dot(s.d, s.d);
        s.rest = vv8_load(shape + VV_LANES);
        s.k = b->scale * vv8_load(shape);
        s.w = b->beta * b->beta * (n[0].w + n[1].w);
        s.least = 1e-12 * s.rest + 1e-100;
        if (!exact)
            scalar_spring(b, &s, stvk, memory, dp);
        else
            exact_spring(b, &s, stvk, memory, dp);
        for (int i = 0; i < 3; i++)
            back[i] = -dp[i];
        push_node(b->x, nodes, b->lanes[g], n, back);
        push_node(b->x, nodes + VV_LANES, b->lanes[g], n + 1, dp);
    }
}

/* ---- tets ---- */

/* What a material says of F: psi, P = dpsi/dF, and that its Hessian is hardly above soft I + bulk b b^T. */
typedef struct stress8 {
    vv_d8 psi, p[9], b[9], soft;
    double bulk;
} stress8;

VV_INLINE void copy9(const vv_d8 a[9], vv_d8 b[9])
{
    for (int i = 0; i < 9; i++)
        b[i] = a[i];
}

/* At least the square of the largest singular value where the others are at least 1. */
VV_INLINE vv_d8 most_square(const vv_strain8 *e) { return 1 + vv8_max(e->stretch, vv8_zero()); }

VV_INLINE void arap_bound8(const vv_strain8 *e, double mu, double la, stress8 *s)
{
    arap_stress(e, mu, la, &s->psi, s->p);
    copy9(e->f, s->b);
    s->soft = vv8_set(2 * mu);
    s->bulk = 0;
}

VV_INLINE void corotated_bound8(const vv_strain8 *e, double mu, double la, stress8 *s)
{
    vv_d8 t = vv8_zero();
    corotated_stress(e, mu, la, &s->psi, s->p);
    copy9(e->r, s->b);
    for (int i = 0; i < 9; i++)
        t += s->b[i] * (e->f[i] - s->b[i]);
    s->soft = 2 * mu + la * vv8_max(t, vv8_zero());
    s->bulk = la;
}

VV_INLINE void fixed_corotated_bound8(const vv_strain8 *e, double mu, double la, stress8 *s)
{
    fixed_corotated_stress(e, mu, la, &s->psi, s->p);
    copy9(e->cof, s->b);
    s->soft = 2 * mu + la * vv8_abs(e->j - 1) * vv8_sqrt(most_square(e));
    s->bulk = la;
}

VV_INLINE void stvk_bound8(const vv_strain8 *e, double mu, double la, stress8 *s)
{
    stvk_stress(e, mu, la, &s->psi, s->p);
    copy9(e->f, s->b);
    s->soft = mu * (3 * most_square(e) - 1) + 0.5 * la * vv8_max(e->stretch, vv8_zero());
    s->bulk = la;
}

VV_INLINE void stable_neo_hookean_bound8(const vv_strain8 *e, double mu, double la, stress8 *s)
{
    double l = la + 5 * mu / 6;
    stable_neo_hookean_stress(e, mu, la, &s->psi, s->p);
    copy9(e->cof, s->b);
    s->soft = mu + (mu + l * vv8_abs(e->j - 1)) * vv8_sqrt(most_square(e));
    s->bulk = l;
}

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
VV_INLINE void scalar_tet(const vv_relax_block *b, const stress8 *t, const vv_sym8 *s, vv_d8 k, vv_d8 *memory,
                          vv_d8 dp[9])
{
    vv_i8 strained = vv8_above(t->psi, 1e-12 * b->mu);
    vv_d8 c = vv8_sqrt(2 * vv8_select(strained, t->psi, vv8_set(b->mu))), w = weighted(t->p, t->p, s) / (c * c);
    vv_d8 dlambda = vv8_select(strained, (-k * c - memory[0]) / (1 + k * w), vv8_zero());
    memory[0] += dlambda;
    for (int i = 0; i < 9; i++)
        dp[i] = b->beta * dlambda * (t->p[i] / c);
}

VV_INLINE void exact_tet(const vv_relax_block *b, const stress8 *t, const vv_sym8 *s, vv_d8 k, vv_d8 *p, vv_d8 dp[9])
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

/* neo-hookean is not here, nor neo-hookean-rod below: infinite beyond the end of their domain, which nothing keeps a
 * sweep from */
#define MATERIALS(X) X(arap) X(corotated) X(fixed_corotated) X(stvk) X(stable_neo_hookean)

VV_INLINE void stress_of(int material, const vv_strain8 *e, double mu, double la, stress8 *s)
{
    switch (material) {
#define CASE(name) \
    case VV_MATERIAL_##name: name##_bound8(e, mu, la, s); break;
        MATERIALS(CASE)
#undef CASE
    default: break;
    }
}

VV_INLINE bool wants_rotation(int material)
{
    switch (material) {
#define CASE(name, word, summary, inversion_free, rotation) \
    case VV_MATERIAL_##name: return rotation;
        VV_TET_MATERIALS(CASE)
#undef CASE
    default: return false;
    }
}

VV_INLINE void relax_tets(const vv_relax_block *b, int material, bool exact)
{
    for (int group = 0; group < b->groups; group++) {
        const int *nodes = b->nodes + (ptrdiff_t)group * 4 * VV_LANES;
        const double *shape = b->shape + (ptrdiff_t)group * VV_TET_SHAPE * VV_LANES;
        vv_d8 g[4][3], dp[9], *memory = memory_of(b, group, exact ? 9 : 1),
                              k = b->scale * vv8_load(shape + 9 * VV_LANES);
        node8 n[4];
        vv_strain8 e;
        stress8 stress;
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
        if (wants_rotation(material))
            vv8_polar_rotation(e.f, e.r);
        compliance_of(b, n, (const vv_d8(*)[3])g, &s);
        stress_of(material, &e, b->mu, b->lambda, &stress);
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

static void hooke_scalar(const vv_relax_block *b) { relax_springs(b, false, false); }
static void hooke_exact(const vv_relax_block *b) { relax_springs(b, false, true); }
static void stvk_spring_scalar(const vv_relax_block *b) { relax_springs(b, true, false); }
static void stvk_spring_exact(const vv_relax_block *b) { relax_springs(b, true, true); }

#define INSTANCE(name)                                                                               \
    static void name##_scalar(const vv_relax_block *b) { relax_tets(b, VV_MATERIAL_##name, false); } \
    static void name##_exact(const vv_relax_block *b) { relax_tets(b, VV_MATERIAL_##name, true); }
MATERIALS(INSTANCE)
#undef INSTANCE

const vv_relax_kernels VV_KERNEL(vv_relax_kernels) = {
    .spring = { [VV_SPRING_HOOKE] = { hooke_scalar, hooke_exact },
                [VV_SPRING_STVK] = { stvk_spring_scalar, stvk_spring_exact },
                [VV_SPRING_HOOKE_ROD] = { hooke_scalar, hooke_exact },
                [VV_SPRING_ROD_STRETCH] = { hooke_scalar, hooke_exact } },
    .tet = {
#define ENTRY(name) [VV_MATERIAL_##name] = { name##_scalar, name##_exact },
        MATERIALS(ENTRY)
#undef ENTRY
    },
};

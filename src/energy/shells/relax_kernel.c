/* Sweeps over hinges and membranes as constraints, eight at once (theory §6.12; the steps are in
 * energy/relax/nodes.h).
 *
 * Hinge, C = angle - rest, n = dC: near its Hessian from above is H = n n^T + |C| B B^T (x) I, B = (U_1, U_2, sqrt(3)
 * E), as d2C = sum_i sym[(U n)(U m)^T - (E n)(U t)^T + 1/2 (E n)(E m)^T] (energy/shells/dihedral.h), sym[p q^T] <= p
 * p^T + q q^T, and (c n)(c n)^T + (c m)(c m)^T + (c t)(c t)^T = c c^T (x) I. B's columns add up to nothing, so impulses
 * do. Membrane, C = sqrt(2 psi), StVK: dpsi/dF = F S, and psi's Hessian is at most (mu (3 s1^2 - 1) + lambda/2 (tr C -
 * 2)) I + lambda F F^T with the larger singular value s1; a triangle that is pressed together is taken as one at
 * rest. */
#include "energy/shells/dihedral.h"
#include "energy/shells/membrane_group.h"
#include "energy/relax/nodes.h"
#include "energy/shells/hinges_kernels.h"

/* ---- hinges ---- */

typedef struct hinge8 {
    vv_d8 c, k, n[12], weight[4]; /* k: s K; weight: beta^2 / m */
    vv_dihedral8 d;
} hinge8;

/* c v = v - |C| k B (1 + |C| k B^T W B)^-1 B^T W v, for each coordinate. */
typedef struct softening8 {
    vv_d8 b[3][4], inverse[3][3], k; /* k: k |C| */
} softening8;

VV_INLINE void find_softening(const hinge8 *h, softening8 *s)
{
    const double root = 1.7320508075688772;
    vv_d8 m[3][3], zero = vv8_zero();
    s->k = h->k * vv8_abs(h->c);
    for (int i = 0; i < 2; i++) {
        s->b[i][0] = h->d.u[i][0], s->b[i][1] = h->d.u[i][1];
        s->b[i][2 + i] = h->d.u[i][2], s->b[i][3 - i] = zero;
    }
    s->b[2][0] = -root * h->d.e, s->b[2][1] = root * h->d.e, s->b[2][2] = s->b[2][3] = zero;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            m[i][j] = i == j ? vv8_set(1) : zero;
            for (int a = 0; a < 4; a++)
                m[i][j] += s->k * h->weight[a] * s->b[i][a] * s->b[j][a];
        }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) { /* symmetric: the cofactors are their own transpose */
            int p = (i + 1) % 3, q = (i + 2) % 3, u = (j + 1) % 3, v = (j + 2) % 3;
            s->inverse[i][j] = m[p][u] * m[q][v] - m[p][v] * m[q][u];
        }
    vv_d8 det = m[0][0] * s->inverse[0][0] + m[0][1] * s->inverse[0][1] + m[0][2] * s->inverse[0][2];
    for (int i = 0; i < 9; i++)
        s->inverse[i / 3][i % 3] /= det; /* at least 1 */
}

VV_INLINE void soften(const hinge8 *h, const softening8 *s, vv_d8 v[12])
{
    for (int i = 0; i < 3; i++) {
        vv_d8 along[3];
        for (int c = 0; c < 3; c++) {
            along[c] = vv8_zero();
            for (int a = 0; a < 4; a++)
                along[c] += s->b[c][a] * h->weight[a] * v[3 * a + i];
        }
        for (int c = 0; c < 3; c++) {
            vv_d8 much =
                s->k * (s->inverse[c][0] * along[0] + s->inverse[c][1] * along[1] + s->inverse[c][2] * along[2]);
            for (int a = 0; a < 4; a++)
                v[3 * a + i] -= much * s->b[c][a];
        }
    }
}

VV_INLINE void scalar_hinge(const vv_relax_block *b, const hinge8 *h, vv_d8 *memory, vv_d8 dp[12])
{
    vv_d8 w = vv8_zero();
    for (int a = 0; a < 4; a++)
        w += h->weight[a] * vv8_dot(h->n + 3 * a, h->n + 3 * a);
    vv_d8 dlambda = vv8_select(h->d.is, (-h->k * h->c - memory[0]) / (1 + h->k * w), vv8_zero());
    memory[0] += dlambda;
    for (int i = 0; i < 12; i++)
        dp[i] = b->beta * dlambda * h->n[i];
}

/* (1 + k H M^-1)^-1 by Woodbury, then Sherman and Morrison. */
VV_INLINE void exact_hinge(const vv_relax_block *b, const hinge8 *h, vv_d8 *p, vv_d8 dp[12])
{
    softening8 s;
    vv_d8 r[12], n[12], along = vv8_zero(), own = vv8_zero();
    for (int i = 0; i < 12; i++) {
        n[i] = h->n[i];
        r[i] = p[i] + b->beta * h->k * h->c * n[i];
    }
    find_softening(h, &s);
    soften(h, &s, r);
    soften(h, &s, n);
    for (int i = 0; i < 12; i++) {
        along += h->weight[i / 3] * h->n[i] * r[i];
        own += h->weight[i / 3] * h->n[i] * n[i];
    }
    along = h->k * along / (1 + h->k * own);
    for (int i = 0; i < 12; i++) {
        dp[i] = along * n[i] - r[i];
        p[i] += dp[i];
    }
}

VV_INLINE void relax_hinges(const vv_relax_block *b, bool exact)
{
    for (int g = 0; g < b->groups; g++) {
        const int *nodes = b->nodes + (ptrdiff_t)g * 4 * VV_LANES;
        const double *shape = b->shape + (ptrdiff_t)g * 2 * VV_LANES;
        vv_d8 *memory = memory_of(b, g, exact ? 12 : 1), x[4][3], dp[12];
        node8 n[4];
        hinge8 h;
        for (int a = 0; a < 4; a++) {
            load_node(b->x, nodes + a * VV_LANES, n + a);
            place_of(b, nodes + a * VV_LANES, n + a, x[a]);
            h.weight[a] = b->beta * b->beta * n[a].w;
        }
        vv8_dihedral((const vv_d8(*)[3])x, &h.d);
        vv8_dihedral_gradient(&h.d, h.n);
        h.c = vv8_select(h.d.is, vv8_angle_between(h.d.angle, vv8_load(shape + VV_LANES)), vv8_zero());
        h.k = b->scale * vv8_load(shape);
        if (exact)
            exact_hinge(b, &h, memory, dp);
        else
            scalar_hinge(b, &h, memory, dp);
        for (int a = 0; a < 4; a++)
            push_node(b->x, nodes + a * VV_LANES, b->lanes[g], n + a, dp + 3 * a);
    }
}

/* ---- membranes ---- */

typedef struct sheet8 {
    triangle8 at;
    vv_d8 g[3][2], k, psi, p[2][3]; /* k: s times the volume; P's columns */
    vv_plane8 s;                    /* beta^2 sum_a G_a G_a^T / m_a */
    vv_d8 soft;
    double bulk;
} sheet8;

VV_INLINE void load_sheet(const vv_relax_block *b, int group, node8 n[3], sheet8 *t)
{
    const int *nodes = b->nodes + (ptrdiff_t)group * 3 * VV_LANES;
    const double *shape = b->shape + (ptrdiff_t)group * VV_MEMBRANE_SHAPE * VV_LANES;
    vv_d8 x[3][3], a = vv8_load(shape), c = vv8_load(shape + VV_LANES), e = vv8_load(shape + 2 * VV_LANES);
    t->k = b->scale * vv8_load(shape + 3 * VV_LANES);
    t->g[1][0] = a, t->g[1][1] = c, t->g[2][0] = vv8_zero(), t->g[2][1] = e;
    for (int j = 0; j < 2; j++)
        t->g[0][j] = -(t->g[1][j] + t->g[2][j]);
    t->s = (vv_plane8){ vv8_zero(), vv8_zero(), vv8_zero() };
    for (int i = 0; i < 3; i++) {
        load_node(b->x, nodes + i * VV_LANES, n + i);
        place_of(b, nodes + i * VV_LANES, n + i, x[i]);
        vv_d8 w = b->beta * b->beta * n[i].w;
        t->s.xx += w * t->g[i][0] * t->g[i][0];
        t->s.yy += w * t->g[i][1] * t->g[i][1];
        t->s.xy += w * t->g[i][0] * t->g[i][1];
    }
    for (int i = 0; i < 3; i++) {
        vv_d8 first = x[1][i] - x[0][i], second = x[2][i] - x[0][i];
        t->at.f[0][i] = first * a;
        t->at.f[1][i] = first * c + second * e;
    }
    stretch_of(t->at.f, &t->at.e);
}

VV_INLINE void find_stress(const vv_relax_block *b, sheet8 *t)
{
    const vv_law8 law = { vv8_set(b->law[0]), vv8_set(b->law[1]), vv8_set(1), vv8_zero() };
    const vv_plane8 c = t->at.e.c;
    vv_plane8 s;
    stvk_membrane_stress(&t->at.e, &law, &t->psi, &s);
    for (int i = 0; i < 3; i++) {
        t->p[0][i] = t->at.f[0][i] * s.xx + t->at.f[1][i] * s.xy;
        t->p[1][i] = t->at.f[0][i] * s.xy + t->at.f[1][i] * s.yy;
    }
    vv_d8 d = 0.5 * (c.xx - c.yy), most = 0.5 * (c.xx + c.yy) + vv8_sqrt(d * d + c.xy * c.xy);
    t->soft = b->law[0] * (3 * vv8_max(most, vv8_set(1)) - 1) +
              0.5 * b->law[1] * vv8_max((c.xx - 1) + (c.yy - 1), vv8_zero());
    t->bulk = b->law[1];
}

/* a : (c S) */
VV_INLINE vv_d8 weighted(vv_d8 a[2][3], vv_d8 c[2][3], const vv_plane8 *s)
{
    return vv8_dot(a[0], c[0]) * s->xx + vv8_dot(a[1], c[1]) * s->yy +
           (vv8_dot(a[0], c[1]) + vv8_dot(a[1], c[0])) * s->xy;
}

VV_INLINE void scalar_sheet(const vv_relax_block *b, sheet8 *t, vv_d8 *memory, vv_d8 dp[2][3])
{
    vv_i8 strained = vv8_above(t->psi, 1e-12 * b->law[0]);
    vv_d8 c = vv8_sqrt(2 * vv8_select(strained, t->psi, vv8_set(b->law[0]))), w = weighted(t->p, t->p, &t->s) / (c * c);
    vv_d8 dlambda = vv8_select(strained, (-t->k * c - memory[0]) / (1 + t->k * w), vv8_zero());
    memory[0] += dlambda;
    for (int i = 0; i < 6; i++)
        dp[i / 3][i % 3] = b->beta * dlambda * (t->p[i / 3][i % 3] / c);
}

VV_INLINE void exact_sheet(const vv_relax_block *b, sheet8 *t, vv_d8 *p, vv_d8 dp[2][3])
{
    vv_d8 r[2][3], d = 0.5 * (t->s.xx - t->s.yy),
                   most = 0.5 * (t->s.xx + t->s.yy) + vv8_sqrt(d * d + t->s.xy * t->s.xy);
    for (int i = 0; i < 6; i++)
        r[i / 3][i % 3] = p[i] + b->beta * t->k * t->p[i / 3][i % 3];
    vv_d8 soft = 1 + t->k * t->soft * most, hard = t->k * t->bulk;
    vv_d8 area = hard * weighted(t->at.f, r, &t->s) / (soft + hard * weighted(t->at.f, t->at.f, &t->s));
    for (int i = 0; i < 6; i++) {
        dp[i / 3][i % 3] = (area * t->at.f[i / 3][i % 3] - r[i / 3][i % 3]) / soft;
        p[i] += dp[i / 3][i % 3];
    }
}

VV_INLINE void relax_membranes(const vv_relax_block *b, bool exact)
{
    for (int g = 0; g < b->groups; g++) {
        const int *nodes = b->nodes + (ptrdiff_t)g * 3 * VV_LANES;
        vv_d8 *memory = memory_of(b, g, exact ? 6 : 1), dp[2][3];
        node8 n[3];
        sheet8 t;
        load_sheet(b, g, n, &t);
        find_stress(b, &t);
        if (exact)
            exact_sheet(b, &t, memory, dp);
        else
            scalar_sheet(b, &t, memory, dp);
        for (int a = 0; a < 3; a++) {
            vv_d8 push[3];
            for (int i = 0; i < 3; i++)
                push[i] = dp[0][i] * t.g[a][0] + dp[1][i] * t.g[a][1];
            push_node(b->x, nodes + a * VV_LANES, b->lanes[g], n + a, push);
        }
    }
}

/* ---- the table ---- */

static void hinge_scalar(const vv_relax_block *b) { relax_hinges(b, false); }
static void hinge_exact(const vv_relax_block *b) { relax_hinges(b, true); }
static void membrane_scalar(const vv_relax_block *b) { relax_membranes(b, false); }
static void membrane_exact(const vv_relax_block *b) { relax_membranes(b, true); }

const vv_block_kernels VV_KERNEL(vv_hinge_relax_kernels) = { .relax = { hinge_scalar, hinge_exact } },
                       VV_KERNEL(vv_stvk_membrane_relax_kernels) = { .relax = { membrane_scalar, membrane_exact } };

/* Sweeps over springs as constraints, eight at once (theory §6.12; the steps are in energy/relax/nodes.h). */
#include "base/simd/svd8.h"
#include "energy/batch/lanes.h"
#include "energy/relax/nodes.h"
#include "energy/springs/kernels.h"

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

static void hooke_scalar(const vv_relax_block *b) { relax_springs(b, false, false); }
static void hooke_exact(const vv_relax_block *b) { relax_springs(b, false, true); }
static void stvk_scalar(const vv_relax_block *b) { relax_springs(b, true, false); }
static void stvk_exact(const vv_relax_block *b) { relax_springs(b, true, true); }

/* neo-hookean-rod is not here: infinite beyond the end of its domain, which nothing keeps a sweep from */
const vv_spring_kernels VV_KERNEL(vv_spring_relax_kernels) = {
    { [VV_SPRING_HOOKE] = { .relax = { hooke_scalar, hooke_exact } },
      [VV_SPRING_STVK] = { .relax = { stvk_scalar, stvk_exact } },
      [VV_SPRING_HOOKE_ROD] = { .relax = { hooke_scalar, hooke_exact } },
      [VV_SPRING_ROD_STRETCH] = { .relax = { hooke_scalar, hooke_exact } } },
};

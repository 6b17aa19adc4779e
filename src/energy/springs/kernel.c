/* Springs, eight at once (theory §4.4). d = x_1 - x_0, l = |d|, r the rest length.
 *   hooke        E = 1/2 k (l - r)^2      dE/dx_1 = k (1 - r/l) d        d2E = k (1 - r/l) I + (k r / l^3) d d^T
 *   stvk-spring  E = 1/2 k (l^2 - r^2)^2  dE/dx_1 = 2 k (l^2 - r^2) d    d2E = 2 k (l^2 - r^2) I + 4 k d d^T
 *   neo-hookean-rod  E = 1/4 k (l^2 - r^2 - r^2 ln(l^2/r^2))  dE/dx_1 = 1/2 k (1 - r^2/l^2) d
 *                d2E = 1/2 k (1 - r^2/l^2) I + (k r^2 / l^4) d d^T
 * All Hessians are t I + q d d^T: eigenvalues t (twice, across) and t + q l^2 (along). Projected, each is at least
 * 0. A spring of zero length has no direction: its force is 0, and divisions use an l of at least 1e-12 r. A
 * neo-hookean-rod has none of zero length.
 *
 * At l = r, t is 0 and t + q l^2 is k (hooke, neo-hookean-rod) or 4 k r^2 (stvk-spring): that times I is an upper
 * bound of the Hessian there, whatever the direction, and for hooke's springs everywhere. */
#include "energy/batch/lanes.h"
#include "energy/batch/node_lanes.h"
#include "energy/springs/kernels.h"

#include <math.h>

typedef struct spring8 {
    vv_d8 d[3], length2, stiffness, rest;
} spring8;

typedef struct spring_hessian8 {
    vv_d8 force; /* dE/dx_1 = force d */
    vv_d8 t, q;
} spring_hessian8;

VV_INLINE void load_springs(const vv_block *b, int group, const double *x, spring8 *s)
{
    const int *nodes = b->nodes + (ptrdiff_t)group * 2 * VV_LANES;
    vv_d8 from[3], to[3];
    vv8_gather_vectors(x, nodes, from);
    vv8_gather_vectors(x, nodes + VV_LANES, to);
    for (int i = 0; i < 3; i++)
        s->d[i] = to[i] - from[i];
    s->length2 = s->d[0] * s->d[0] + s->d[1] * s->d[1] + s->d[2] * s->d[2];
    s->stiffness = vv8_load(b->shape + (ptrdiff_t)group * 2 * VV_LANES);
    s->rest = vv8_load(b->shape + ((ptrdiff_t)group * 2 + 1) * VV_LANES);
}

/* Smallest length to divide by: not 0 even for a spring with rest length 0. */
VV_INLINE vv_d8 shortest(const spring8 *s) { return 1e-12 * s->rest + 1e-100; }

VV_INLINE vv_d8 hooke_value(const spring8 *s)
{
    vv_d8 e = vv8_sqrt(s->length2) - s->rest;
    return 0.5 * s->stiffness * e * e;
}

VV_INLINE void hooke_hessian(const spring8 *s, spring_hessian8 *h)
{
    vv_d8 length = vv8_max(vv8_sqrt(s->length2), shortest(s)), ratio = s->rest / length;
    h->force = h->t = s->stiffness * (1 - ratio);
    h->q = s->stiffness * ratio / (length * length);
}

VV_INLINE vv_d8 stvk_value(const spring8 *s)
{
    vv_d8 e = s->length2 - s->rest * s->rest;
    return 0.5 * s->stiffness * e * e;
}

VV_INLINE void stvk_hessian(const spring8 *s, spring_hessian8 *h)
{
    h->force = h->t = 2 * s->stiffness * (s->length2 - s->rest * s->rest);
    h->q = 4 * s->stiffness;
}

/* With s = l^2/r^2. Lanes of padding have no stiffness: there infinity would give NaN. */
VV_INLINE vv_d8 rod_value(const spring8 *s)
{
    vv_d8 square = s->rest * s->rest, ratio = s->length2 / square;
    vv_i8 inside = vv8_above(ratio, 0);
    vv_d8 e = 0.25 * s->stiffness * square * (ratio - 1 - vv8_log(vv8_select(inside, ratio, vv8_set(1))));
    vv_d8 outside = vv8_select(vv8_above(s->stiffness, 0), vv8_set(INFINITY), vv8_zero());
    return vv8_select(inside, e, outside);
}

VV_INLINE void rod_hessian(const spring8 *s, spring_hessian8 *h)
{
    vv_d8 least = shortest(s), square = vv8_max(s->length2, least * least), ratio = s->rest * s->rest / square;
    h->force = h->t = 0.5 * s->stiffness * (1 - ratio);
    h->q = s->stiffness * ratio / square;
}

VV_INLINE vv_d8 value8(const spring8 *s, int kind)
{
    return kind == VV_SPRING_STVK ? stvk_value(s) : kind == VV_SPRING_NEO_HOOKEAN_ROD ? rod_value(s) : hooke_value(s);
}

VV_INLINE void hessian8(const spring8 *s, int kind, spring_hessian8 *h)
{
    if (kind == VV_SPRING_STVK)
        stvk_hessian(s, h);
    else if (kind == VV_SPRING_NEO_HOOKEAN_ROD)
        rod_hessian(s, h);
    else
        hooke_hessian(s, h);
}

VV_INLINE void project(const spring8 *s, spring_hessian8 *h)
{
    vv_d8 least = shortest(s), divisor = vv8_max(s->length2, least * least);
    vv_d8 along = vv8_max(h->t + h->q * s->length2, vv8_zero());
    vv_i8 across_negative = vv8_below(h->t, 0);
    h->t = vv8_select(across_negative, vv8_zero(), h->t);
    h->q = vv8_select(across_negative, along / divisor, h->q);
}

VV_INLINE double value_of_block(const vv_block *b, int kind)
{
    vv_d8 sum = vv8_zero();
    for (int g = 0; g < b->groups; g++) {
        spring8 s;
        load_springs(b, g, b->x, &s);
        sum += value8(&s, kind);
    }
    return vv8_sum(sum);
}

/* What a group's springs add to a node and its neighbour, summed over the samples. */
typedef struct spring_sum {
    vv_d8 force[3], k[9];
} spring_sum;

VV_INLINE void add_force(vv_d8 force, const vv_d8 d[3], bool first, spring_sum *sum)
{
    for (int i = 0; i < 3; i++)
        vv8_accumulate(first, force * d[i], sum->force + i);
}

VV_INLINE void add_hessian(const spring_hessian8 *h, vv_d8 scale, const vv_d8 d[3], bool first, spring_sum *sum)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            vv_d8 k = h->q * (d[i] * d[j]);
            vv8_accumulate(first, scale * (i == j ? h->t + k : k), sum->k + 3 * i + j);
        }
}

VV_INLINE void scatter_force(const int *nodes, const vv_d8 f[3], double *g)
{
    vv_d8 back[3] = { -f[0], -f[1], -f[2] };
    vv8_add_vectors(g, nodes, back);
    vv8_add_vectors(g, nodes + VV_LANES, f);
}

VV_INLINE void scatter_hessian(const int *slots, const vv_d8 k[9], double *values)
{
    vv_d8 lane[VV_LANES];
    double nowhere[9] = { 0 };
    vv8_transpose(k, lane);
    for (int l = 0; l < VV_LANES; l++)
        for (int ab = 0; ab < 4; ab++) {
            int slot = slots[4 * l + ab], same = ab == 0 || ab == 3;
            double *to = slot < 0 ? nowhere : values + 9 * (ptrdiff_t)slot;
            vv8_add_block(to, same ? lane[l] : -lane[l], same ? k[8][l] : -k[8][l]);
        }
}

/* The first one overwrites the sum. */
VV_INLINE void add_sample(const vv_block *b, int g, const vv_sample *sample, int kind, bool first, spring_sum *sum)
{
    spring8 s;
    spring_hessian8 h;
    load_springs(b, g, sample->x, &s);
    hessian8(&s, kind, &h);
    if (b->g)
        add_force(sample->force * h.force, s.d, first, sum);
    if (b->values) {
        if (b->project)
            project(&s, &h);
        add_hessian(&h, vv8_set(sample->stiffness), s.d, first, sum);
    }
}

/* one: there is one sample. Said at compile time, its sum stays in registers. */
VV_INLINE void sum_of_block(const vv_block *b, int kind, bool one)
{
    for (int g = 0; g < b->groups; g++) {
        spring_sum sum;
        add_sample(b, g, b->sample, kind, true, &sum);
        for (int i = 1; !one && i < b->samples; i++)
            add_sample(b, g, b->sample + i, kind, false, &sum);
        if (b->g)
            scatter_force(b->nodes + (ptrdiff_t)g * 2 * VV_LANES, sum.force, b->g);
        if (b->values)
            scatter_hessian(b->slots + (ptrdiff_t)g * 4 * VV_LANES, sum.k, b->values);
    }
}

VV_INLINE void derivatives_of_block(const vv_block *b, int kind)
{
    if (b->samples == 1)
        sum_of_block(b, kind, true);
    else
        sum_of_block(b, kind, false);
}

VV_INLINE double value_gradient_of_block(const vv_block *b, int kind)
{
    vv_d8 sum = vv8_zero(), scale = vv8_set(b->scale);
    for (int g = 0; g < b->groups; g++) {
        spring8 s;
        spring_hessian8 h;
        load_springs(b, g, b->x, &s);
        hessian8(&s, kind, &h);
        sum += value8(&s, kind);
        vv_d8 force = scale * h.force, f[3] = { force * s.d[0], force * s.d[1], force * s.d[2] };
        scatter_force(b->nodes + (ptrdiff_t)g * 2 * VV_LANES, f, b->g);
    }
    return vv8_sum(sum);
}

/* The least t in (0, 1] at which an edge is a fifth as long as it is at x, along the path x + t p: |d + t e|^2 = |d|^2
 * /
 * 25. Written with the larger root below the line, so that nothing cancels. Where the energy is not evaluated at x,
 * as in implicit midpoint, nothing but this keeps an edge from length 0: many steps in a row may press it down to
 * rounding, and from there none goes on. */
VV_INLINE double max_step_of_block(const vv_block *b)
{
    vv_d8 least = vv8_set(1);
    for (int g = 0; g < b->groups; g++) {
        const int *nodes = b->nodes + (ptrdiff_t)g * 2 * VV_LANES;
        spring8 s;
        vv_d8 along = vv8_zero(), square = vv8_zero();
        load_springs(b, g, b->x, &s);
        for (int i = 0; i < 3; i++) {
            vv_d8 e = vv8_gather(b->p, nodes + VV_LANES, i) - vv8_gather(b->p, nodes, i);
            along -= e * s.d[i];
            square += e * e;
        }
        vv_d8 lost = 0.96 * s.length2, root2 = along * along - square * lost;
        vv_i8 meets = vv8_above(along, 0) & ~vv8_below(root2, 0);
        vv_d8 t = lost / (along + vv8_sqrt(vv8_max(root2, vv8_zero())));
        t = vv8_select(meets, t, vv8_set(1));
        vv_i8 flat = ~vv8_less(1e-24 * s.rest * s.rest, s.length2) & ~vv8_below(along, 0);
        t = vv8_select(flat, vv8_zero(), t);
        least = vv8_select(vv8_less(t, least), t, least);
    }
    double t = 1;
    for (int l = 0; l < VV_LANES; l++)
        t = least[l] < t ? least[l] : t;
    return t;
}

/* ---- one node at a time, for block descent: it is the springs' x_0 (theory §6.13) ---- */

VV_INLINE void load_around(const vv_incidence *around, const double *x, int row, const vv_d8 own[3], spring8 *s)
{
    const vv_d8 *number = (const vv_d8 *)around->number + 2 * (ptrdiff_t)row;
    vv8_gather4(x, around->other + (ptrdiff_t)row * VV_LANES, s->d);
    for (int k = 0; k < 3; k++)
        s->d[k] -= own[k];
    s->length2 = s->d[0] * s->d[0] + s->d[1] * s->d[1] + s->d[2] * s->d[2];
    s->rest = number[0];
    s->stiffness = number[1];
}

/* Projected: a spring under pressure is soft across by more than what stretched ones around its node hold. */
VV_INLINE void node_blocks_of(const vv_incidence *around, const vv_node_batch *b, int kind)
{
    for (int j = b->begin; j < b->end; j++) {
        vv_d8 own[3], sum[VV_NODE_BLOCK] = { vv8_zero() };
        vv8_gather4(b->x, b->node + (ptrdiff_t)j * VV_LANES, own);
        for (int row = around->start[j]; row < around->start[j + 1]; row++) {
            spring8 s;
            spring_hessian8 h;
            load_around(around, b->x, row, own, &s);
            hessian8(&s, kind, &h);
            vv_d8 force = h.force;
            project(&s, &h);
            for (int k = 0; k < 3; k++) {
                int i = k == 0 ? 1 : 0, l = k == 2 ? 1 : 2;
                sum[k] -= force * s.d[k];
                sum[3 + k] += h.t + h.q * (s.d[k] * s.d[k]);
                sum[6 + k] += h.q * (s.d[i] * s.d[l]);
            }
        }
        vv8_add_block_sums(b, j, sum);
    }
}

VV_INLINE void node_values_of(const vv_incidence *around, const vv_node_batch *b, int kind)
{
    for (int j = b->begin; j < b->end; j++) {
        vv_d8 own[3], sum = vv8_zero();
        vv8_gather4(b->x, b->node + (ptrdiff_t)j * VV_LANES, own);
        for (int row = around->start[j]; row < around->start[j + 1]; row++) {
            spring8 s;
            load_around(around, b->x, row, own, &s);
            sum += value8(&s, kind);
        }
        ((vv_d8 *)b->values)[j - b->begin] += b->value * sum;
    }
}

/* The least t at which a spring is a fifth as long, as max_step_of_block. */
static void node_limits_of(const vv_incidence *around, const vv_node_batch *b)
{
    for (int j = b->begin; j < b->end; j++) {
        const vv_d8 *move = (const vv_d8 *)b->moves + 3 * (ptrdiff_t)(j - b->begin);
        vv_d8 own[3], *limit = (vv_d8 *)b->limits + (j - b->begin), square = vv8_zero();
        vv8_gather4(b->x, b->node + (ptrdiff_t)j * VV_LANES, own);
        for (int k = 0; k < 3; k++)
            square += (b->reach * move[k]) * (b->reach * move[k]);
        for (int row = around->start[j]; row < around->start[j + 1]; row++) {
            spring8 s;
            load_around(around, b->x, row, own, &s);
            /* towards the other end */
            vv_d8 along = b->reach * (move[0] * s.d[0] + move[1] * s.d[1] + move[2] * s.d[2]);
            vv_d8 lost = 0.96 * s.length2, root2 = along * along - square * lost;
            vv_i8 meets = vv8_above(along, 0) & ~vv8_below(root2, 0) & vv8_above(s.stiffness, 0);
            vv_d8 t = lost / vv8_select(meets, along + vv8_sqrt(vv8_max(root2, vv8_zero())), vv8_set(1));
            *limit = vv8_select(meets & vv8_less(t, *limit), t, *limit);
        }
    }
}

#define VV_INSTANCE(name, kind)                                                                               \
    static double name##_block_value(const vv_block *b) { return value_of_block(b, kind); }                   \
    static double name##_block_value_gradient(const vv_block *b) { return value_gradient_of_block(b, kind); } \
    static void name##_block_derivatives(const vv_block *b) { derivatives_of_block(b, kind); }                \
    static void name##_node_blocks(const vv_incidence *around, const vv_node_batch *b)                        \
    {                                                                                                         \
        node_blocks_of(around, b, kind);                                                                      \
    }                                                                                                         \
    static void name##_node_values(const vv_incidence *around, const vv_node_batch *b)                        \
    {                                                                                                         \
        node_values_of(around, b, kind);                                                                      \
    }
VV_INSTANCE(hooke, VV_SPRING_HOOKE)
VV_INSTANCE(stvk, VV_SPRING_STVK)
VV_INSTANCE(rod, VV_SPRING_NEO_HOOKEAN_ROD)
#undef VV_INSTANCE

#define VV_TABLE(name)                                                                                             \
    {                                                                                                              \
        .value = name##_block_value, .value_gradient = name##_block_value_gradient,                                \
        .derivatives = name##_block_derivatives, .max_step = max_step_of_block, .node_blocks = name##_node_blocks, \
        .node_values = name##_node_values, .node_limits = node_limits_of,                                          \
    }
const vv_spring_kernels VV_KERNEL(vv_spring_kernels) = {
    { [VV_SPRING_HOOKE] = VV_TABLE(hooke),
      [VV_SPRING_STVK] = VV_TABLE(stvk),
      [VV_SPRING_HOOKE_ROD] = VV_TABLE(hooke),
      [VV_SPRING_NEO_HOOKEAN_ROD] = VV_TABLE(rod),
      [VV_SPRING_ROD_STRETCH] = VV_TABLE(hooke) },
};

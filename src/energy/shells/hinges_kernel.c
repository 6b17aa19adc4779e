/* Hinges, eight at once (theory §4.10): E = 1/2 K d^2, d = the angle less that at rest, by the shorter way round.
 *   dE = K d d(angle),   d2E = K d(angle) d(angle)^T + K d d2(angle)
 * Projected, the second term is made semidefinite in closed form (dihedral.h). A degenerate hinge has no energy. */
#include "energy/shells/dihedral.h"
#include "energy/shells/hinges_kernels.h"
#include "energy/batch/lanes.h"
#include "energy/batch/node_lanes.h"

#include <math.h>

typedef struct hinge8 {
    vv_dihedral8 d;
    vv_d8 stiffness, away; /* 0 of a degenerate one; d above */
} hinge8;

VV_INLINE void load_dihedral(const vv_block *b, int group, const double *x, vv_dihedral8 *d)
{
    const int *nodes = b->nodes + (ptrdiff_t)group * 4 * VV_LANES;
    vv_d8 corner[4][3];
    for (int k = 0; k < 4; k++)
        vv8_gather_vectors(x, nodes + k * VV_LANES, corner[k]);
    vv8_dihedral((const vv_d8(*)[3])corner, d);
}

VV_INLINE void load_hinges(const vv_block *b, int group, const double *x, hinge8 *h)
{
    const double *shape = b->shape + (ptrdiff_t)group * 2 * VV_LANES;
    load_dihedral(b, group, x, &h->d);
    h->stiffness = vv8_select(h->d.is, vv8_load(shape), vv8_zero());
    h->away = vv8_angle_between(h->d.angle, vv8_load(shape + VV_LANES));
}

static double value_of_block(const vv_block *b)
{
    vv_d8 sum = vv8_zero();
    for (int g = 0; g < b->groups; g++) {
        hinge8 h;
        load_hinges(b, g, b->x, &h);
        sum += 0.5 * h.stiffness * h.away * h.away;
    }
    return vv8_sum(sum);
}

static void each_of_block(const vv_block *b, double *values)
{
    for (int g = 0; g < b->groups; g++) {
        hinge8 h;
        load_hinges(b, g, b->x, &h);
        vv8_store(values + (ptrdiff_t)g * VV_LANES, 0.5 * h.stiffness * h.away * h.away);
    }
}

VV_INLINE void scatter_forces(const vv_block *b, int group, const vv_d8 f[12])
{
    for (int k = 0; k < 4; k++)
        vv8_add_vectors(b->g, b->nodes + ((ptrdiff_t)group * 4 + k) * VV_LANES, f + 3 * k);
}

static double value_gradient_of_block(const vv_block *b)
{
    vv_d8 sum = vv8_zero();
    for (int g = 0; g < b->groups; g++) {
        hinge8 h;
        vv_d8 f[12];
        load_hinges(b, g, b->x, &h);
        sum += 0.5 * h.stiffness * h.away * h.away;
        vv8_dihedral_gradient(&h.d, f);
        vv_d8 moment = b->scale * (h.stiffness * h.away);
        for (int i = 0; i < 12; i++)
            f[i] *= moment;
        scatter_forces(b, g, f);
    }
    return vv8_sum(sum);
}

/* What a group's hinges add, summed over the samples. */
typedef struct hinge_sum {
    vv_d8 force[12], k[10][9];
} hinge_sum;

/* The first one overwrites the sum. */
VV_INLINE void add_sample(const vv_block *b, int g, const vv_sample *sample, bool first, hinge_sum *sum)
{
    hinge8 h;
    load_hinges(b, g, sample->x, &h);
    vv_d8 moment = h.stiffness * h.away;
    if (b->g) {
        vv_d8 f[12];
        vv8_dihedral_gradient(&h.d, f);
        for (int i = 0; i < 12; i++)
            vv8_accumulate(first, (sample->force * moment) * f[i], sum->force + i);
    }
    if (b->values) {
        vv_d8 k[10][9];
        vv8_dihedral_hessian(&h.d, sample->stiffness * moment, sample->stiffness * h.stiffness, b->project, k);
        for (int i = 0; i < 90; i++)
            vv8_accumulate(first, k[i / 9][i % 9], sum->k[i / 9] + i % 9);
    }
}

static void derivatives_of_block(const vv_block *b)
{
    for (int g = 0; g < b->groups; g++) {
        hinge_sum sum;
        add_sample(b, g, b->sample, true, &sum);
        for (int i = 1; i < b->samples; i++)
            add_sample(b, g, b->sample + i, false, &sum);
        if (b->g)
            scatter_forces(b, g, sum.force);
        if (b->values)
            vv8_add_blocks4(b->slots + (ptrdiff_t)g * 16 * VV_LANES, sum.k, b->values);
    }
}

static void angles_of_block(const vv_block *b, double *angle)
{
    for (int g = 0; g < b->groups; g++) {
        vv_dihedral8 d;
        load_dihedral(b, g, b->x, &d);
        for (int l = 0; l < VV_LANES; l++)
            angle[VV_LANES * (ptrdiff_t)g + l] = d.is[l] ? d.angle[l] : NAN;
    }
}

/* ---- one node at a time, for block descent (theory §6.13) ---- */

/* A row's hinges; the node's own corner is another one in each lane, the others are in the order of their corners. */
VV_INLINE void load_around(const vv_incidence *around, const double *x, int row, const vv_d8 own[3], hinge8 *h)
{
    const vv_d8 *number = (const vv_d8 *)around->number + VV_HINGE_PAIR * (ptrdiff_t)row;
    const int *other = around->other + 3 * (ptrdiff_t)row * VV_LANES;
    vv_d8 o[3][3], corner[4][3];
    for (int i = 0; i < 3; i++)
        vv8_gather4(x, other + i * VV_LANES, o[i]);
    vv_i8 first = vv8_below(number[1], 0.5), second = vv8_below(number[1], 1.5), third = vv8_below(number[1], 2.5);
    for (int k = 0; k < 3; k++) {
        corner[0][k] = vv8_select(first, own[k], o[0][k]);
        corner[1][k] = vv8_select(first, o[0][k], vv8_select(second, own[k], o[1][k]));
        corner[2][k] = vv8_select(second, o[1][k], vv8_select(third, own[k], o[2][k]));
        corner[3][k] = vv8_select(third, o[2][k], own[k]);
    }
    vv8_dihedral((const vv_d8(*)[3])corner, &h->d);
    h->stiffness = vv8_select(h->d.is, number[2], vv8_zero());
    h->away = vv8_angle_between(h->d.angle, number[0]);
}

static void node_blocks_of(const vv_incidence *around, const vv_node_batch *b)
{
    for (int j = b->begin; j < b->end; j++) {
        vv_d8 own[3], sum[VV_NODE_BLOCK] = { vv8_zero() };
        vv8_gather4(b->x, b->node + (ptrdiff_t)j * VV_LANES, own);
        for (int row = around->start[j]; row < around->start[j + 1]; row++) {
            hinge8 h;
            vv_d8 g[3], k[6];
            load_around(around, b->x, row, own, &h);
            vv_d8 moment = h.stiffness * h.away;
            vv8_dihedral_corner(&h.d, ((const vv_d8 *)around->number)[VV_HINGE_PAIR * (ptrdiff_t)row + 1], moment,
                                h.stiffness, g, k);
            for (int i = 0; i < 3; i++)
                sum[i] += moment * g[i];
            for (int i = 0; i < 6; i++)
                sum[3 + i] += k[i];
        }
        vv8_add_block_sums(b, j, sum);
    }
}

static void node_values_of(const vv_incidence *around, const vv_node_batch *b)
{
    for (int j = b->begin; j < b->end; j++) {
        vv_d8 own[3], sum = vv8_zero();
        vv8_gather4(b->x, b->node + (ptrdiff_t)j * VV_LANES, own);
        for (int row = around->start[j]; row < around->start[j + 1]; row++) {
            hinge8 h;
            load_around(around, b->x, row, own, &h);
            sum += 0.5 * h.stiffness * h.away * h.away;
        }
        ((vv_d8 *)b->values)[j - b->begin] += b->value * sum;
    }
}

const vv_hinge_kernels VV_KERNEL(vv_hinge_kernels) = {
    .of = { .value = value_of_block,
            .value_gradient = value_gradient_of_block,
            .derivatives = derivatives_of_block,
            .each = each_of_block,
            .node_blocks = node_blocks_of,
            .node_values = node_values_of },
    .angles = angles_of_block,
};

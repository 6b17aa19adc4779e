/* The batch of joints of rods: storage and dispatch; the arithmetic is in kernel.c. */
#include "energy/rods/rods.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/simd/variant.h"
#include "energy/batch/frame.h"
#include "energy/rods/kernels.h"

#include <string.h>

/* ---- the constant model: summands w |sum_i c_i x_i|^2 / 2, so L = sum w c c^T ---- */

enum { MOST_TERMS = 6 };

typedef struct model {
    int nodes, terms;
    double weight[MOST_TERMS], c[MOST_TERMS][VV_ROD_NODES];
} model;

/* Near a straight rest shape kb is t_1 - t_0, and the twist how much further the second director has turned. What
 * holds a director along its edge, k/2 (du.t + rho m1.dt)^2, is at most k (|du|^2 + rho^2 |dt|^2). */
static model model_of(const vv_elements *s, int lane)
{
    const double *shape = vv_shape_of_lane(s, lane);
#define VV_NUMBER(which) shape[(which)*VV_LANES]
    const double a = 1 / VV_NUMBER(VV_ROD_LENGTH), b = 1 / VV_NUMBER(VV_ROD_LENGTH + 1);
    model m = { VV_PLAIN_NODES, 1, { VV_NUMBER(VV_ROD_BEND) }, { { a, -a - b, b } } };
    if (s->model != VV_ROD_TWISTING)
        return m;
    const double p = 1 / VV_NUMBER(VV_ROD_RADIUS), q = 1 / VV_NUMBER(VV_ROD_RADIUS + 1);
    m.nodes = VV_ROD_NODES, m.terms = MOST_TERMS;
    m.weight[1] = VV_NUMBER(VV_ROD_TWIST);
    memcpy(m.c[1], (double[]){ 0.5 * p, 0.5 * p - 0.5 * q, -0.5 * q, -p, q }, sizeof m.c[1]);
    for (int i = 0; i < 2; i++) {
        const double hold = VV_NUMBER(VV_ROD_HOLD + i), radius = VV_NUMBER(VV_ROD_RADIUS + i), inverse = i ? b : a;
        double *off = m.c[2 + 2 * i], *turn = m.c[3 + 2 * i];
        m.weight[2 + 2 * i] = 2 * hold, m.weight[3 + 2 * i] = 2 * hold * radius * radius;
        off[i] = off[i + 1] = -0.5, off[3 + i] = 1;
        turn[i] = -inverse, turn[i + 1] = inverse;
    }
    return m;
#undef VV_NUMBER
}

static double model_entry(const model *m, int i, int k)
{
    double sum = 0;
    for (int t = 0; t < m->terms; t++)
        sum += m->weight[t] * m->c[t][i] * m->c[t][k];
    return sum;
}

static void constant(const vv_elements *s, int lane, int part, vv_quadratic_kind kind, double *pair)
{
    const model m = model_of(s, lane);
    (void)part, (void)kind;
    for (int i = 0; i < m.nodes; i++)
        for (int k = i; k < m.nodes; k++)
            *pair++ = model_entry(&m, k, i);
}

/* A node that a joint has twice (that of an edge by itself) has it once. */
static void fill_around(const vv_elements *s, int lane, int part, int corner, double *to)
{
    const int size = s->frame->shape, *nodes = vv_nodes_of_lane(s, lane);
    const double *shape = vv_shape_of_lane(s, lane);
    bool again = false;
    (void)part;
    for (int i = 0; i < corner; i++)
        again = again || nodes[i * VV_LANES] == nodes[corner * VV_LANES];
    for (int i = 0; i < size; i++)
        to[i * VV_LANES] = again ? 0 : shape[i * VV_LANES];
    to[size * VV_LANES] = corner;
}

#define VV_FRAME(node_count, numbers)                                                         \
    {                                                                                         \
        .what = "rods", .nodes = node_count, .shape = numbers, .forces = 20, .hessians = 400, \
        .around = VV_ROD_AROUND(numbers), .fill_around = fill_around, .constant = constant,   \
    }
static const vv_element_frame frames[VV_ROD_COUNT] = { [VV_ROD_BENDING] = VV_FRAME(VV_PLAIN_NODES, VV_ROD_PLAIN_SHAPE),
                                                       [VV_ROD_TWISTING] = VV_FRAME(VV_ROD_NODES, VV_ROD_SHAPE) };

static const vv_energy_ops ops[VV_ROD_COUNT] = {
#define VV_ROW(kind, word, summary)                                                                       \
    [kind] = { VV_ELEMENTS_OPS, .info = { word, summary }, .by_value = true, .nodes = &vv_elements_nodes, \
               .each = vv_elements_each },
    VV_RODS(VV_ROW)
#undef VV_ROW
};

/* ---- creation ---- */

/* What fills the lanes. */
typedef struct filling {
    const vv_rod_joint *joints;
    const int *start; /* of each part's */
    int numbers;
} filling;

static vvStatus fill_lane(const void *arg, const vv_lane *lane, vvError *error)
{
    const filling *from = arg;
    const vv_rod_joint *j = from->joints + from->start[lane->part] + lane->element;
    const double real = lane->real ? 1 : 0;
    const double all[VV_ROD_SHAPE] = { [VV_ROD_BEND] = real * j->bend,     [VV_ROD_LENGTH] = j->length[0],
                                       [VV_ROD_LENGTH + 1] = j->length[1], [VV_ROD_SQUARE] = j->square,
                                       [VV_ROD_TWIST] = real * j->twist,   [VV_ROD_REST] = j->rest[0][0],
                                       [VV_ROD_REST + 1] = j->rest[0][1],  [VV_ROD_REST + 2] = j->rest[1][0],
                                       [VV_ROD_REST + 3] = j->rest[1][1],  [VV_ROD_REST_TWIST] = j->rest_twist,
                                       [VV_ROD_HOLD] = real * j->hold[0],  [VV_ROD_HOLD + 1] = real * j->hold[1],
                                       [VV_ROD_RADIUS] = j->radius[0],     [VV_ROD_RADIUS + 1] = j->radius[1] };
    (void)error;
    for (int i = 0; i < from->numbers; i++)
        lane->shape[i * VV_LANES] = all[i];
    return VV_OK;
}

vvStatus vv_rods_create(vv_rod_kind kind, int node_count, int part_count, const int *part_start,
                        const vv_rod_joint *joints, const int *body, vv_energy **out, vvError *error)
{
    const vv_rod_kernels *kernels = VV_VARIANT_HERE(vv_rod_kernels);
    const int k = frames[kind].nodes;
    int *nodes = vv_alloc((size_t)k * (size_t)part_start[part_count], sizeof *nodes);
    vv_elements *s;
    *out = NULL;
    if (!nodes)
        return vv_fail_memory(error, "rods");
    for (int i = 0; i < part_start[part_count]; i++)
        memcpy(nodes + k * (ptrdiff_t)i, joints[i].nodes, (size_t)k * sizeof *nodes);
    const vv_elements_input in = { node_count, NULL, part_count, body, part_start, nodes };
    vvStatus status = vv_elements_create(frames + kind, ops + kind, kernels->of + kind, &in, &s, error);
    vv_free(nodes);
    if (status != VV_OK)
        return status;
    s->model = kind;
    return vv_elements_finish(s, fill_lane, &(filling){ joints, part_start, frames[kind].shape }, out, error);
}

/* The batch of joints of rods: storage and dispatch; the arithmetic is in kernel.c. */
#include "energy/rods/rods.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/simd/variant.h"
#include "energy/batch/batch.h"
#include "energy/rods/kernels.h"

#include <string.h>

enum { FORCES = 20, HESSIANS = 400 }; /* of a joint, roughly, ns */

typedef struct rods {
    vv_batch_energy e; /* parts are those of the creation */
    bool twist;
    double *shape; /* see kernels.h */
    const vv_rod_kernels *kernels;
} rods;

static int shape_size(const rods *s) { return s->twist ? VV_ROD_SHAPE : VV_ROD_PLAIN_SHAPE; }

typedef struct rods_job {
    const rods *s;
    vv_rod_block block;
    const double *part_scale;
    const int *slots;
    double (*number)(const vv_rod_block *b); /* NULL: derivatives */
    bool rest;
} rods_job;

/* ---- the constant model: summands w |sum_i c_i x_i|^2 / 2, so L = sum w c c^T ---- */

enum { MOST_TERMS = 6 };

typedef struct model {
    int nodes, terms;
    double weight[MOST_TERMS], c[MOST_TERMS][VV_ROD_NODES];
} model;

/* Near a straight rest shape kb is t_1 - t_0, and the twist how much further the second director has turned. What
 * holds a director along its edge, k/2 (du.t + rho m1.dt)^2, is at most k (|du|^2 + rho^2 |dt|^2). */
static model model_of(const rods *s, int lane)
{
    const double *shape = s->shape + (size_t)(lane / VV_LANES) * (size_t)shape_size(s) * VV_LANES + lane % VV_LANES;
#define VV_NUMBER(which) shape[(which)*VV_LANES]
    const double a = 1 / VV_NUMBER(VV_ROD_LENGTH), b = 1 / VV_NUMBER(VV_ROD_LENGTH + 1);
    model m = { VV_PLAIN_NODES, 1, { VV_NUMBER(VV_ROD_BEND) }, { { a, -a - b, b } } };
    if (!s->twist)
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

static void add_model(const rods *s, int first_lane, int lanes, double scale, const int *slots, double *values)
{
    for (int lane = first_lane; lane < first_lane + lanes; lane++) {
        if (s->e.batch.source[lane] < 0)
            continue;
        model m = model_of(s, lane);
        for (int i = 0; i < m.nodes; i++)
            for (int k = 0; k < m.nodes; k++) {
                int slot = slots[(lane * m.nodes + i) * m.nodes + k];
                for (int c = 0; slot >= 0 && c < 9; c += 4)
                    values[9 * (size_t)slot + (size_t)c] += scale * model_entry(&m, i, k);
            }
    }
}

static bool quadratic(const vv_energy *e, vv_quadratic_kind kind, vv_quadratic *to)
{
    const rods *s = (const rods *)e;
    const vv_batch *batch = &s->e.batch;
    if (kind == VV_QUADRATIC_BOUND)
        return false;
    if (!to || !vv_quadratic_reserve(to, (size_t)batch->element_count * (size_t)(batch->k * (batch->k - 1) / 2)))
        return true;
    for (int lane = 0; lane < VV_LANES * batch->group_count; lane++) {
        if (batch->source[lane] < 0)
            continue;
        const int *nodes = batch->nodes + (size_t)(lane / VV_LANES * batch->k) * VV_LANES + lane % VV_LANES;
        model m = model_of(s, lane);
        for (int i = 0; i < m.nodes; i++) {
            vv_quadratic_add_diagonal(to, nodes[i * VV_LANES], model_entry(&m, i, i));
            for (int k = 0; k < i; k++) {
                if (nodes[i * VV_LANES] != nodes[k * VV_LANES])
                    vv_quadratic_add(to, nodes[i * VV_LANES], nodes[k * VV_LANES], model_entry(&m, i, k));
                else
                    vv_quadratic_add_diagonal(to, nodes[i * VV_LANES], 2 * model_entry(&m, i, k));
            }
        }
    }
    return true;
}

/* ---- the table's functions ---- */

static void run_block(void *arg, int j)
{
    const rods_job *job = arg;
    const rods *s = job->s;
    const vv_batch *batch = &s->e.batch;
    size_t first = (size_t)batch->block_group[j], k = (size_t)batch->k;
    vv_rod_block b = job->block;
    b.groups = batch->block_group[j + 1] - batch->block_group[j];
    b.shape = s->shape + first * (size_t)shape_size(s) * VV_LANES;
    b.nodes = batch->nodes + first * k * VV_LANES;
    b.slots = job->slots ? job->slots + first * k * k * VV_LANES : NULL;
    if (job->number) {
        batch->partial[j] = job->number(&b);
        return;
    }
    if (!vv_samples_scale(b.sample, b.samples, job->part_scale, batch->block_part[j]))
        return;
    double scale = 0;
    for (int i = 0; i < b.samples; i++)
        scale += b.sample[i].stiffness;
    if (!job->rest)
        s->kernels->derivatives[s->twist](&b);
    else if (b.values)
        add_model(s, (int)first * VV_LANES, b.groups * VV_LANES, scale, job->slots, b.values);
}

static double value(const vv_energy *e, const vv_parallel *par, const double *x, double *per_body)
{
    const rods *s = (const rods *)e;
    rods_job job = { .s = s, .block = { .x = x }, .number = s->kernels->value[s->twist] };
    return vv_batch_total(&s->e, par, FORCES, false, run_block, &job, per_body);
}

static double value_gradient(const vv_energy *e, const vv_parallel *par, const double *x, double scale,
                             double *per_body, double *g)
{
    const rods *s = (const rods *)e;
    rods_job job = { .s = s,
                     .block = { .x = x, .scale = scale, .g = g },
                     .number = s->kernels->value_gradient[s->twist] };
    return vv_batch_total(&s->e, par, FORCES, true, run_block, &job, per_body);
}

static void add_derivatives(const vv_batch_energy *e, const vv_parallel *par, const vv_batch_sum_of *what)
{
    const rods *s = (const rods *)e;
    rods_job job = { .s = s,
                     .block = { .samples = what->samples,
                                .project = what->mode == VV_HESSIAN_PROJECTED,
                                .g = what->g,
                                .values = what->values },
                     .part_scale = what->part_scale,
                     .slots = what->slots,
                     .rest = what->mode == VV_HESSIAN_REST };
    memcpy(job.block.sample, what->sample, (size_t)what->samples * sizeof *what->sample);
    vv_batch_colored(&s->e.batch, par, what->values ? HESSIANS : FORCES, run_block, &job);
}

/* ---- one node at a time ---- */

/* A node that a joint has twice (that of an edge by itself) has it once. */
static void fill_around(const void *arg, int lane, int corner, double *to)
{
    const rods *s = arg;
    const int size = shape_size(s), k = s->e.batch.k;
    const double *shape = s->shape + (size_t)(lane / VV_LANES) * (size_t)size * VV_LANES + lane % VV_LANES;
    const int *nodes = s->e.batch.nodes + (size_t)(lane / VV_LANES * k) * VV_LANES + lane % VV_LANES;
    bool again = false;
    for (int i = 0; i < corner; i++)
        again = again || nodes[i * VV_LANES] == nodes[corner * VV_LANES];
    for (int i = 0; i < size; i++)
        to[i * VV_LANES] = again ? 0 : shape[i * VV_LANES];
    to[size * VV_LANES] = corner;
}

static vvStatus prepare_nodes(const vv_energy *e, const vv_node_order *order, void **data, vvError *error)
{
    const rods *s = (const rods *)e;
    return vv_incidence_create(order, &s->e.batch, VV_ROD_AROUND(shape_size(s)), 0, fill_around, s, data, error);
}

static void node_blocks(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    ((const rods *)e)->kernels->node_blocks[((const rods *)e)->twist](data, b);
}

static void node_values(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    ((const rods *)e)->kernels->node_values[((const rods *)e)->twist](data, b);
}

static const vv_node_ops single_nodes = { prepare_nodes, NULL, node_blocks, node_values, NULL };

static void each(const vv_energy *e, const double *x, vv_element_fn *found, void *arg)
{
    const rods *s = (const rods *)e;
    for (int g = 0; g < s->e.batch.group_count; g++) {
        double values[VV_LANES];
        s->kernels->each[s->twist](
            &(vv_rod_block){ .groups = 1,
                             .shape = s->shape + (size_t)g * (size_t)shape_size(s) * VV_LANES,
                             .nodes = s->e.batch.nodes + (size_t)g * (size_t)s->e.batch.k * VV_LANES,
                             .x = x },
            values);
        vv_batch_group(&s->e.batch, g, values, found, arg);
    }
}

static void destroy(vv_energy *e)
{
    rods *s = (rods *)e;
    vv_batch_energy_free(&s->e);
    vv_free(s->shape);
    vv_free(s);
}

static const vv_energy_ops ops[VV_ROD_COUNT] = {
#define VV_ROW(kind, word, summary)                                \
    [kind] = { .info = { word, summary },                          \
               .row = VV_ROW_ELASTIC,                              \
               .value = value,                                     \
               .value_gradient = value_gradient,                   \
               .derivatives = vv_batch_energy_derivatives,         \
               .sum_derivatives = vv_batch_energy_sum_derivatives, \
               .pattern = vv_batch_energy_pattern,                 \
               .slots = vv_batch_energy_slots,                     \
               .by_value = true,                                   \
               .destroy = destroy,                                 \
               .quadratic = quadratic,                             \
               .nodes = &single_nodes,                             \
               .each = each },
    VV_RODS(VV_ROW)
#undef VV_ROW
};

/* ---- creation ---- */

static void fill_lane(const rods *s, const vv_rod_joint *j, bool padding, double *to)
{
    const double real = padding ? 0 : 1;
    const double all[VV_ROD_SHAPE] = { [VV_ROD_BEND] = real * j->bend,     [VV_ROD_LENGTH] = j->length[0],
                                       [VV_ROD_LENGTH + 1] = j->length[1], [VV_ROD_SQUARE] = j->square,
                                       [VV_ROD_TWIST] = real * j->twist,   [VV_ROD_REST] = j->rest[0][0],
                                       [VV_ROD_REST + 1] = j->rest[0][1],  [VV_ROD_REST + 2] = j->rest[1][0],
                                       [VV_ROD_REST + 3] = j->rest[1][1],  [VV_ROD_REST_TWIST] = j->rest_twist,
                                       [VV_ROD_HOLD] = real * j->hold[0],  [VV_ROD_HOLD + 1] = real * j->hold[1],
                                       [VV_ROD_RADIUS] = j->radius[0],     [VV_ROD_RADIUS + 1] = j->radius[1] };
    for (int i = 0; i < shape_size(s); i++)
        to[i * VV_LANES] = all[i];
}

static vvStatus fill(rods *s, int node_count, int part_count, const int *part_start, const vv_rod_joint *joints,
                     int *nodes, vvError *error)
{
    const int k = s->twist ? VV_ROD_NODES : VV_PLAIN_NODES;
    vv_batch *batch = &s->e.batch;
    for (int i = 0; i < part_start[part_count]; i++)
        memcpy(nodes + k * (ptrdiff_t)i, joints[i].nodes, (size_t)k * sizeof *nodes);
    vvStatus status = vv_batch_create(batch, k, node_count, NULL, part_count, part_start, nodes, error);
    if (status != VV_OK)
        return status;
    s->shape = vv_alloc((size_t)batch->group_count * (size_t)shape_size(s) * VV_LANES, sizeof *s->shape);
    if (!s->shape)
        return vv_fail_memory(error, "rods");
    for (int lane = 0; lane < VV_LANES * batch->group_count; lane++) {
        int source = batch->source[lane];
        fill_lane(s, joints + (source < 0 ? ~source : source), source < 0,
                  s->shape + (size_t)(lane / VV_LANES) * (size_t)shape_size(s) * VV_LANES + lane % VV_LANES);
    }
    return VV_OK;
}

vvStatus vv_rods_create(vv_rod_kind kind, int node_count, int part_count, const int *part_start,
                        const vv_rod_joint *joints, const int *body, vv_energy **out, vvError *error)
{
    *out = NULL;
    rods *s = vv_alloc(1, sizeof *s);
    int *nodes = vv_alloc(VV_ROD_NODES * (size_t)part_start[part_count], sizeof *nodes);
    if (s) {
        s->e.base.ops = ops + kind;
        s->e.add = add_derivatives;
        s->e.part_count = part_count;
        s->e.body = vv_alloc_copy(body, (size_t)part_count, sizeof *body);
        s->twist = kind == VV_ROD_TWISTING;
        s->kernels = VV_VARIANT_HERE(vv_rod_kernels);
    }
    vvStatus status = s && nodes && s->e.body ? fill(s, node_count, part_count, part_start, joints, nodes, error)
                                              : vv_fail_memory(error, "rods");
    vv_free(nodes);
    if (status == VV_OK)
        *out = &s->e.base;
    else if (s)
        destroy(&s->e.base);
    return status;
}

/* The frame of all kinds of elements: kernels over blocks, sums, creation. */
#include "energy/batch/frame.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* ---- blocks ---- */

typedef struct job {
    const vv_elements *s;
    vv_block block;
    const double *part_scale;
    const int *slots;
    double (*number)(const vv_block *b); /* left in batch->partial */
    void (*task)(const vv_block *b);     /* where there is no number */
    void (*add)(const vv_block *b);      /* of the samples, scaled; where there is neither */
} job;

/* Multiplies them by the part's factor (part_scale NULL: 1); false: all are 0. */
static bool scale_samples(vv_sample *sample, int samples, const double *part_scale, int part)
{
    const double by = part_scale ? part_scale[part] : 1;
    bool any = false;
    for (int i = 0; i < samples; i++) {
        sample[i].force *= by;
        sample[i].stiffness *= by;
        any = any || sample[i].force != 0 || sample[i].stiffness != 0;
    }
    return any;
}

static void run_block(void *arg, int j)
{
    const job *work = arg;
    const vv_elements *s = work->s;
    const vv_batch *batch = &s->batch;
    const vv_element_frame *f = s->frame;
    const size_t first = (size_t)batch->block_group[j] * VV_LANES, k = (size_t)f->nodes;
    const int part = batch->block_part[j];
    vv_block b = work->block;
    b.groups = batch->block_group[j + 1] - batch->block_group[j];
    b.shape = s->shape + first * (size_t)f->shape;
    b.nodes = batch->nodes + first * k;
    b.slots = work->slots ? work->slots + (ptrdiff_t)batch->block_group[j] * vv_batch_slots_of_group(batch) : NULL;
    b.place = batch->place ? batch->place + first * k : NULL;
    b.law = s->law + part * f->law;
    if (work->number)
        batch->partial[j] = work->number(&b);
    else if (work->task)
        work->task(&b);
    else if (scale_samples(b.sample, b.samples, work->part_scale, part))
        work->add(&b);
}

static double total(job *work, const vv_parallel *par, bool colored, double *per_body)
{
    const vv_elements *s = work->s;
    (colored ? vv_batch_colored : vv_batch_each)(&s->batch, par, s->frame->forces, run_block, work);
    return vv_batch_sum(&s->batch, s->body, per_body);
}

double vv_elements_value(const vv_energy *e, const vv_parallel *par, const double *x, double *per_body)
{
    const vv_elements *s = (const vv_elements *)e;
    job work = { .s = s, .block = { .x = x }, .number = s->kernels.value };
    return total(&work, par, false, per_body);
}

double vv_elements_value_gradient(const vv_energy *e, const vv_parallel *par, const double *x, double scale,
                                  double *per_body, double *g)
{
    const vv_elements *s = (const vv_elements *)e;
    job work = { .s = s, .block = { .x = x, .scale = scale, .g = g }, .number = s->kernels.value_gradient };
    return total(&work, par, true, per_body);
}

/* The smallest of the blocks' numbers, at most `bound`; a NaN wins. */
static double least_of_blocks(const vv_elements *s, const vv_parallel *par, job *work, double bound)
{
    const vv_batch *batch = &s->batch;
    vv_batch_each(batch, par, s->frame->forces, run_block, work);
    for (int j = 0; j < batch->block_count; j++) {
        if (isnan(batch->partial[j]))
            return NAN;
        bound = fmin(bound, batch->partial[j]);
    }
    return bound;
}

double vv_elements_max_step(const vv_energy *e, const vv_parallel *par, const double *x, const double *p)
{
    const vv_elements *s = (const vv_elements *)e;
    return least_of_blocks(s, par, &(job){ .s = s, .block = { .x = x, .p = p }, .number = s->kernels.max_step }, 1);
}

double vv_elements_least_j(const vv_energy *e, const vv_parallel *par, const double *x, double *per_body)
{
    const vv_elements *s = (const vv_elements *)e;
    double least =
        least_of_blocks(s, par, &(job){ .s = s, .block = { .x = x }, .number = s->kernels.least_j }, INFINITY);
    for (int j = 0; per_body && j < s->batch.block_count; j++) {
        double *to = per_body + s->body[s->batch.block_part[j]], own = s->batch.partial[j];
        *to = own < *to || isnan(own) ? own : *to;
    }
    return least;
}

void vv_elements_bounds(const vv_energy *e, const vv_parallel *par, const double *x, const double *p, double *part)
{
    const vv_elements *s = (const vv_elements *)e;
    job work = { .s = s, .block = { .x = x, .p = p, .part = part }, .task = s->kernels.bounds };
    vv_batch_colored(&s->batch, par, s->frame->forces, run_block, &work);
}

void vv_elements_each(const vv_energy *e, const double *x, vv_element_fn *found, void *arg)
{
    const vv_elements *s = (const vv_elements *)e;
    for (int g = 0; g < s->batch.group_count; g++) {
        double values[VV_LANES];
        s->kernels.each(&(vv_block){ .groups = 1,
                                     .shape = vv_shape_of_lane(s, g * VV_LANES),
                                     .nodes = vv_nodes_of_lane(s, g * VV_LANES),
                                     .x = x },
                        values);
        vv_batch_group(&s->batch, g, values, found, arg);
    }
}

/* ---- the constant model ---- */

enum { MOST_PAIRS = VV_BATCH_MOST * (VV_BATCH_MOST + 1) / 2 };

static double *rest_of_lane(const vv_elements *s, int lane)
{
    const int n = s->frame->nodes;
    return s->rest ? s->rest + (ptrdiff_t)(lane / VV_LANES) * (n * (n + 1) / 2) * VV_LANES + lane % VV_LANES : NULL;
}

/* False: the lane only fills up its group. */
static bool constant_of_lane(const vv_elements *s, int lane, int part, vv_quadratic_kind kind, double pair[MOST_PAIRS])
{
    const int n = s->frame->nodes;
    if (s->batch.source[lane] < 0)
        return false;
    if (s->frame->constant)
        s->frame->constant(s, lane, part, kind, pair);
    else
        for (int i = 0; i < n * (n + 1) / 2; i++)
            pair[i] = rest_of_lane(s, lane)[i * VV_LANES];
    return true;
}

/* Of the real lanes of a block. */
static void add_constant(const vv_elements *s, int block, double scale, const vv_elements_sum *what)
{
    const vv_batch *batch = &s->batch;
    const int n = s->frame->nodes, last = s->frame->dimensions == 2 ? 4 : 8;
    for (int lane = VV_LANES * batch->block_group[block]; lane < VV_LANES * batch->block_group[block + 1]; lane++) {
        double pair[MOST_PAIRS];
        if (!constant_of_lane(s, lane, batch->block_part[block], VV_QUADRATIC_REST, pair))
            continue;
        for (int a = 0; a < n; a++)
            for (int b = 0; b < n; b++) {
                const int slot = what->slots[vv_batch_slot_at(batch, lane, a, b)];
                for (int c = 0; slot >= 0 && c <= last; c += 4)
                    what->values[9 * (ptrdiff_t)slot + c] +=
                        scale * pair[a <= b ? vv_node_pair(n, a, b) : vv_node_pair(n, b, a)];
            }
    }
}

static void add_rest(const vv_elements *s, const vv_elements_sum *what)
{
    for (int j = 0; what->values && j < s->batch.block_count; j++) {
        vv_sample sample[VV_MAX_SAMPLES];
        double scale = 0;
        memcpy(sample, what->sample, (size_t)what->samples * sizeof *sample);
        scale_samples(sample, what->samples, what->part_scale, s->batch.block_part[j]);
        for (int i = 0; i < what->samples; i++)
            scale += sample[i].stiffness;
        add_constant(s, j, scale, what);
    }
}

void vv_elements_add(const vv_elements *s, const vv_parallel *par, const vv_elements_sum *what)
{
    const vv_block_kernels *k = &s->kernels;
    if (what->mode == VV_HESSIAN_REST) {
        add_rest(s, what);
        return;
    }
    if (!what->g && !what->values)
        return;
    job work = { .s = s,
                 .block = { .samples = what->samples,
                            .project = what->mode == VV_HESSIAN_PROJECTED,
                            .g = what->g,
                            .values = what->values },
                 .part_scale = what->part_scale,
                 .slots = what->slots,
                 .add = what->values || !k->gradient ? k->derivatives : k->gradient };
    memcpy(work.block.sample, what->sample, (size_t)what->samples * sizeof *what->sample);
    vv_batch_colored(&s->batch, par, what->values ? s->frame->hessians : s->frame->forces, run_block, &work);
}

void vv_elements_sum_derivatives(const vv_energy *e, const vv_parallel *par, const vv_sample *sample, int samples,
                                 vv_hessian_mode mode, double *g, const vv_block_target *to)
{
    vv_elements_add(
        (const vv_elements *)e, par,
        &(vv_elements_sum){ sample, samples, NULL, mode, g, to ? to->matrix->val : NULL, to ? to->slots : NULL });
}

void vv_elements_derivatives(const vv_energy *e, const vv_parallel *par, const double *x, double scale,
                             vv_hessian_mode mode, double *g, const vv_block_target *to)
{
    vv_elements_sum_derivatives(e, par, &(vv_sample){ x, scale, scale }, 1, mode, g, to);
}

void vv_elements_pattern(const vv_energy *e, const int *unknown, vv_pattern *pattern)
{
    vv_batch_pattern(&((const vv_elements *)e)->batch, unknown, pattern);
}

vvStatus vv_elements_slots(const vv_energy *e, const int *unknown, const vv_bsr *a, int **slots, vvError *error)
{
    return vv_batch_slots(&((const vv_elements *)e)->batch, unknown, a, slots, error);
}

static void add_quadratic(const vv_elements *s, int lane, const double *pair, vv_quadratic *to)
{
    const int n = s->frame->nodes, *nodes = vv_nodes_of_lane(s, lane);
    for (int a = 0; a < n; a++) {
        vv_quadratic_add_diagonal(to, nodes[a * VV_LANES], pair[vv_node_pair(n, a, a)]);
        for (int b = 0; b < a; b++)
            if (nodes[a * VV_LANES] != nodes[b * VV_LANES])
                vv_quadratic_add(to, nodes[a * VV_LANES], nodes[b * VV_LANES], pair[vv_node_pair(n, b, a)]);
            else
                vv_quadratic_add_diagonal(to, nodes[a * VV_LANES], 2 * pair[vv_node_pair(n, b, a)]);
    }
}

bool vv_elements_quadratic(const vv_energy *e, vv_quadratic_kind kind, vv_quadratic *to)
{
    const vv_elements *s = (const vv_elements *)e;
    const vv_batch *batch = &s->batch;
    const int n = s->frame->nodes;
    bool loose = false;
    if (!s->frame->has && kind != VV_QUADRATIC_REST)
        return false;
    for (int p = 0; s->frame->has && p < s->part_count; p++)
        if (!s->frame->has(s, p, kind, &loose))
            return false;
    if (!to || !vv_quadratic_reserve(to, (size_t)batch->element_count * (size_t)(n * (n - 1) / 2)))
        return true;
    to->loose = to->loose || loose;
    for (int j = 0; j < batch->block_count; j++)
        for (int lane = VV_LANES * batch->block_group[j]; lane < VV_LANES * batch->block_group[j + 1]; lane++) {
            double pair[MOST_PAIRS];
            if (constant_of_lane(s, lane, batch->block_part[j], kind, pair))
                add_quadratic(s, lane, pair, to);
        }
    return true;
}

/* ---- one node at a time ---- */

static void fill_around(const void *arg, int lane, int corner, double *to)
{
    const vv_elements *s = arg;
    const vv_batch *batch = &s->batch;
    int block = 0;
    for (int last = batch->block_count; last - block > 1;) { /* the block that the group is of */
        int middle = (block + last) / 2;
        if (batch->block_group[middle] <= lane / VV_LANES)
            block = middle;
        else
            last = middle;
    }
    s->frame->fill_around(s, lane, batch->block_part[block], corner, to);
}

static vvStatus prepare_nodes(const vv_energy *e, const vv_node_order *order, void **data, vvError *error)
{
    const vv_elements *s = (const vv_elements *)e;
    return vv_incidence_create(order, &s->batch, s->frame->around, s->frame->weights, fill_around, s, data, error);
}

static void node_blocks(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    ((const vv_elements *)e)->kernels.node_blocks(data, b);
}

static void node_values(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    ((const vv_elements *)e)->kernels.node_values(data, b);
}

static void node_limits(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    ((const vv_elements *)e)->kernels.node_limits(data, b);
}

const vv_node_ops vv_elements_nodes = { prepare_nodes, NULL, node_blocks, node_values, NULL };
const vv_node_ops vv_elements_limited_nodes = { prepare_nodes, NULL, node_blocks, node_values, node_limits };

/* ---- creation ---- */

void vv_elements_destroy(vv_energy *e)
{
    vv_elements *s = (vv_elements *)e;
    vv_batch_free(&s->batch);
    vv_free(s->body);
    vv_free(s->start);
    vv_free(s->shape);
    vv_free(s->rest);
    vv_free(s->law);
    vv_free(s);
}

void vv_add_kernels(vv_block_kernels *to, const vv_block_kernels *more)
{
    typedef void any(void);
    any *a[sizeof *to / sizeof(any *)], *b[sizeof *to / sizeof(any *)];
    memcpy(a, to, sizeof a);
    memcpy(b, more, sizeof b);
    for (size_t i = 0; i < sizeof a / sizeof *a; i++)
        a[i] = b[i] ? b[i] : a[i];
    memcpy(to, a, sizeof a);
}

vvStatus vv_elements_create(const vv_element_frame *frame, const vv_energy_ops *ops, const vv_block_kernels *kernels,
                            const vv_elements_input *in, vv_elements **out, vvError *error)
{
    const size_t parts = (size_t)in->part_count;
    *out = NULL;
    if (in->start[parts] > INT32_MAX / 32)
        return vv_fail(error, VV_ERROR_INPUT, "%d %s in one batch; at most %d", in->start[parts], frame->what,
                       INT32_MAX / 32);
    vv_elements *s = vv_alloc(1, sizeof *s);
    if (!s)
        return vv_fail_memory(error, frame->what);
    *s = (vv_elements){
        .base.ops = ops, .part_count = in->part_count, .frame = frame, .kernels = *kernels, .node_count = in->node_count
    };
    s->body = vv_alloc_copy(in->body, parts, sizeof *in->body);
    s->start = vv_alloc_copy(in->start, parts + 1, sizeof *in->start);
    s->law = vv_alloc(parts * (size_t)frame->law, sizeof *s->law);
    vvStatus status = s->body && s->start && s->law ? VV_OK : vv_fail_memory(error, frame->what);
    if (status == VV_OK)
        status = frame->macros ? vv_batch_create_macros(&s->batch, in->node_count, in->position, in->part_count,
                                                        in->start, in->nodes, error)
                               : vv_batch_create(&s->batch, frame->nodes, in->node_count, in->position, in->part_count,
                                                 in->start, in->nodes, error);
    if (status == VV_OK) {
        const size_t lanes = (size_t)s->batch.group_count * VV_LANES, n = (size_t)frame->nodes;
        s->shape = vv_alloc(lanes * (size_t)frame->shape, sizeof *s->shape);
        s->rest = frame->constant ? NULL : vv_alloc(lanes * (n * (n + 1) / 2), sizeof *s->rest);
        status = s->shape && (s->rest || frame->constant) ? VV_OK : vv_fail_memory(error, frame->what);
    }
    if (status == VV_OK)
        *out = s;
    else
        vv_elements_destroy(&s->base);
    return status;
}

/* A part's cells, and how many nodes each has. */
static const int *cells_of(const vv_element_part *part, vv_cell cell, int *count)
{
    const int counts[VV_CELL_COUNT] = { part->tet_count,   part->triangle_count, part->edge_count, part->edge_count,
                                        part->hinge_count, part->point_count,    part->tet10_count };
    const int *const cells[VV_CELL_COUNT] = { part->tets,   part->triangles, part->edges, part->edges,
                                              part->hinges, part->points,    part->tets10 };
    *count = counts[cell];
    return cells[cell];
}

static bool list_parts(const vv_element_frame *frame, vv_cell cell, const vv_element_input *in,
                       void (*list)(const vv_element_part *part, int *nodes), int *body, const int *start, int *nodes)
{
    const size_t k = (size_t)frame->nodes;
    for (int p = 0; body && nodes && p < in->part_count; p++) {
        int count, *to = nodes + k * (size_t)start[p];
        const int *cells = cells_of(in->parts + p, cell, &count);
        body[p] = in->parts[p].body;
        if (list)
            list(in->parts + p, to);
        else if (count > 0)
            memcpy(to, cells, k * (size_t)count * sizeof *to);
    }
    return body && nodes;
}

vvStatus vv_elements_of_parts(const vv_element_frame *frame, const vv_energy_ops *ops, const vv_block_kernels *kernels,
                              vv_cell cell, const vv_element_input *in,
                              void (*list)(const vv_element_part *part, int *nodes), vv_elements **out, vvError *error)
{
    int *start = vv_alloc((size_t)in->part_count + 1, sizeof *start), *body = NULL, *nodes = NULL, count;
    vvStatus status = start ? VV_OK : vv_fail_memory(error, frame->what);
    *out = NULL;
    for (int p = 0; status == VV_OK && p < in->part_count; p++) {
        cells_of(in->parts + p, cell, &count);
        if (count > INT32_MAX / 32 - start[p])
            status = vv_fail(error, VV_ERROR_INPUT, "%lld %s in one batch; at most %d", (long long)start[p] + count,
                             frame->what, INT32_MAX / 32);
        start[p + 1] = start[p] + count;
    }
    if (status == VV_OK && start[in->part_count] > 0) {
        body = vv_alloc((size_t)in->part_count, sizeof *body);
        nodes = vv_alloc((size_t)frame->nodes * (size_t)start[in->part_count], sizeof *nodes);
        const vv_elements_input of = { in->node_count, in->rest, in->part_count, body, start, nodes };
        status = list_parts(frame, cell, in, list, body, start, nodes)
                     ? vv_elements_create(frame, ops, kernels, &of, out, error)
                     : vv_fail_memory(error, frame->what);
    }
    vv_free(start);
    vv_free(body);
    vv_free(nodes);
    return status;
}

vvStatus vv_elements_finish(vv_elements *s, vv_lane_fn *fill, const void *arg, vv_energy **out, vvError *error)
{
    const vv_batch *batch = &s->batch;
    vvStatus status = VV_OK;
    for (int j = 0; j < batch->block_count; j++)
        for (int lane = VV_LANES * batch->block_group[j];
             status == VV_OK && lane < VV_LANES * batch->block_group[j + 1]; lane++) {
            const int source = batch->source[lane], part = batch->block_part[j];
            status = fill(arg,
                          &(vv_lane){ lane, part, (source < 0 ? ~source : source) - s->start[part], source >= 0,
                                      vv_nodes_of_lane(s, lane), (double *)vv_shape_of_lane(s, lane),
                                      rest_of_lane(s, lane) },
                          error);
        }
    *out = status == VV_OK ? &s->base : NULL;
    if (status != VV_OK)
        vv_elements_destroy(&s->base);
    return status;
}

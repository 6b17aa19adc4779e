/* The batch of elastic tets: storage and dispatch; the arithmetic is in kernel.c and force_kernel.c. */
#include "energy/tets/tets.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/simd/variant.h"
#include "base/vec.h"
#include "energy/batch/batch.h"
#include "energy/batch/rayleigh.h"
#include "energy/relax/relax.h"
#include "energy/tets/kernels.h"
#include "energy/tets/nodes.h"

#include <math.h>
#include <string.h>

enum { FORCES = 10, HESSIANS = 200 }; /* of a tet, roughly, ns */

typedef struct tets {
    vv_batch_energy e; /* parts are the bodies of the creation */
    int model, node_count;
    double *moduli; /* mu, lambda of each part */
    double *shape;  /* see kernels.h */
    const vv_tet_kernels *kernels;
    const vv_tet_force_kernels *forces;
    const vv_tet_node_kernels *node_kernels;
} tets;

typedef struct tets_job {
    const tets *s;
    vv_tet_block block;
    const double *part_scale;
    const int *slots;
    double (*number)(const vv_tet_block *b); /* NULL: derivatives */
} tets_job;

/* Beside a matrix the gradient costs little more: it shares F and its decomposition. Its bits then differ from those
 * that it has alone. */
static void add_derivatives(const tets *s, vv_tet_block *b)
{
    if (b->values) {
        s->kernels->derivatives[s->model](b);
        return;
    }
    for (int i = 0; b->g && i < b->samples; i++) {
        b->x = b->sample[i].x, b->scale = b->sample[i].force;
        s->forces->value_gradient[s->model](b);
    }
}

static void run_block(void *arg, int j)
{
    const tets_job *job = arg;
    const tets *s = job->s;
    const vv_batch *batch = &s->e.batch;
    int part = batch->block_part[j];
    size_t first = (size_t)batch->block_group[j];
    vv_tet_block b = job->block;
    b.groups = batch->block_group[j + 1] - batch->block_group[j];
    b.shape = s->shape + first * VV_TET_SHAPE * VV_LANES;
    b.nodes = batch->nodes + first * 4 * VV_LANES;
    b.slots = job->slots ? job->slots + first * 16 * VV_LANES : NULL;
    b.mu = s->moduli[2 * part];
    b.lambda = s->moduli[2 * part + 1];
    if (job->number)
        batch->partial[j] = job->number(&b);
    else if (vv_samples_scale(b.sample, b.samples, job->part_scale, part))
        add_derivatives(s, &b);
}

static double value(const vv_energy *e, const vv_parallel *par, const double *x, double *per_body)
{
    const tets *s = (const tets *)e;
    tets_job job = { .s = s, .block = { .x = x }, .number = s->forces->value[s->model] };
    return vv_batch_total(&s->e, par, FORCES, false, run_block, &job, per_body);
}

static double value_gradient(const vv_energy *e, const vv_parallel *par, const double *x, double scale,
                             double *per_body, double *g)
{
    const tets *s = (const tets *)e;
    tets_job job = { .s = s,
                     .block = { .x = x, .scale = scale, .g = g },
                     .number = s->forces->value_gradient[s->model] };
    return vv_batch_total(&s->e, par, FORCES, true, run_block, &job, per_body);
}

static void run_derivatives(const vv_batch_energy *e, const vv_parallel *par, const vv_batch_sum_of *what)
{
    const tets *s = (const tets *)e;
    bool rest = what->mode == VV_HESSIAN_REST;
    tets_job job = { .s = s,
                     .block = { .samples = what->samples,
                                .project = what->mode == VV_HESSIAN_PROJECTED || rest,
                                .rest = rest,
                                .g = rest ? NULL : what->g,
                                .values = what->values },
                     .part_scale = what->part_scale,
                     .slots = what->slots };
    memcpy(job.block.sample, what->sample, (size_t)what->samples * sizeof *what->sample);
    vv_batch_colored(&s->e.batch, par, what->values ? HESSIANS : FORCES, run_block, &job);
}

/* The smallest of the blocks' numbers, at most `bound`; a NaN wins. */
static double least_partial(const vv_batch *batch, double bound)
{
    for (int j = 0; j < batch->block_count; j++) {
        if (isnan(batch->partial[j]))
            return NAN;
        bound = fmin(bound, batch->partial[j]);
    }
    return bound;
}

static double max_step(const vv_energy *e, const vv_parallel *par, const double *x, const double *p)
{
    const tets *s = (const tets *)e;
    tets_job job = { .s = s, .block = { .x = x, .p = p }, .number = s->kernels->max_step };
    vv_batch_each(&s->e.batch, par, FORCES, run_block, &job);
    return least_partial(&s->e.batch, 1);
}

static double least_j(const vv_energy *e, const vv_parallel *par, const double *x, double *per_body)
{
    const tets *s = (const tets *)e;
    tets_job job = { .s = s, .block = { .x = x }, .number = s->kernels->min_j };
    vv_batch_each(&s->e.batch, par, FORCES, run_block, &job);
    for (int j = 0; per_body && j < s->e.batch.block_count; j++) {
        double *to = per_body + s->e.body[s->e.batch.block_part[j]], least = s->e.batch.partial[j];
        *to = least < *to || isnan(least) ? least : *to;
    }
    return least_partial(&s->e.batch, INFINITY);
}

/* ---- constant quadratic models ----------------------------------------------------------------------------------- */

static double weight(int model, vv_quadratic_kind kind, double mu, double la)
{
    switch (model) {
#define VV_CASE(name, word, summary, free, rotation) \
    case VV_MATERIAL_##name: return kind == VV_QUADRATIC_BOUND ? name##_bound(mu, la) : name##_rest(mu, la);
        VV_TET_MATERIALS(VV_CASE)
#undef VV_CASE
    default: return 0;
    }
}

/* w V G_a . G_b of one tet. */
static void add_quadratic(const tets *s, double w, int lane, vv_quadratic *to)
{
    const double *shape = s->shape + (size_t)(lane / VV_LANES) * VV_TET_SHAPE * VV_LANES + lane % VV_LANES;
    const int *nodes = s->e.batch.nodes + (size_t)(lane / VV_LANES) * 4 * VV_LANES + lane % VV_LANES;
    double g[4][3], scale = w * shape[9 * VV_LANES];
    for (int k = 0; k < 3; k++) {
        for (int a = 1; a < 4; a++)
            g[a][k] = shape[(3 * (a - 1) + k) * VV_LANES];
        g[0][k] = -(g[1][k] + g[2][k] + g[3][k]);
    }
    for (int a = 0; a < 4; a++)
        for (int b = 0; b <= a; b++) {
            double value = scale * vv_dot(g[a], g[b]);
            if (a == b)
                vv_quadratic_add_diagonal(to, nodes[a * VV_LANES], value);
            else
                vv_quadratic_add(to, nodes[a * VV_LANES], nodes[b * VV_LANES], value);
        }
}

static bool quadratic(const vv_energy *e, vv_quadratic_kind kind, vv_quadratic *to)
{
    const tets *s = (const tets *)e;
    const vv_batch *batch = &s->e.batch;
    for (int i = 0; i < s->e.part_count; i++)
        if (!(weight(s->model, kind, s->moduli[2 * i], s->moduli[2 * i + 1]) > 0))
            return false;
    if (!to || !vv_quadratic_reserve(to, 6 * (size_t)batch->element_count))
        return true;
    for (int j = 0; j < batch->block_count; j++) {
        const double *moduli = s->moduli + 2 * batch->block_part[j], w = weight(s->model, kind, moduli[0], moduli[1]);
        to->loose = to->loose || (kind == VV_QUADRATIC_BOUND && w > weight(s->model, kind, moduli[0], 0));
        for (int lane = VV_LANES * batch->block_group[j]; lane < VV_LANES * batch->block_group[j + 1]; lane++)
            if (batch->source[lane] >= 0)
                add_quadratic(s, w, lane, to);
    }
    return true;
}

static vvStatus constraints(const vv_energy *e, vv_constraints **out, vvError *error)
{
    const tets *s = (const tets *)e;
    return vv_tets_constraints(s->model, s->node_count, &s->e.batch, s->shape, s->moduli, s->e.part_count, out, error);
}

/* ---- one node at a time ------------------------------------------------------------------------------------------ */

static void fill_pair(const void *arg, int lane, int corner, double *to)
{
    const tets *s = arg;
    const double *shape = s->shape + (size_t)(lane / VV_LANES) * VV_TET_SHAPE * VV_LANES + lane % VV_LANES;
    const vv_batch *batch = &s->e.batch;
    int block = 0, at = 0;
    for (int last = batch->block_count; last - block > 1;) { /* the block that the group is of */
        int middle = (block + last) / 2;
        if (batch->block_group[middle] <= lane / VV_LANES)
            block = middle;
        else
            last = middle;
    }
    for (int a = 0; a < 4; a++)
        for (int k = 0; a != corner && k < 3; k++) {
            double g[4] = { 0, shape[k * VV_LANES], shape[(3 + k) * VV_LANES], shape[(6 + k) * VV_LANES] };
            to[VV_LANES * at++] = a ? g[a] : -(g[1] + g[2] + g[3]);
        }
    for (int i = 0; i < 2; i++)
        to[VV_LANES * (VV_TET_PAIR_WEIGHTS + i)] = shape[9 * VV_LANES] * s->moduli[2 * batch->block_part[block] + i];
}

static vvStatus prepare_nodes(const vv_energy *e, const vv_node_order *order, void **data, vvError *error)
{
    const tets *s = (const tets *)e;
    return vv_incidence_create(order, &s->e.batch, VV_TET_PAIR, VV_TET_PAIR_WEIGHTS, fill_pair, s, data, error);
}

static void node_blocks(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    ((const tets *)e)->node_kernels->blocks[((const tets *)e)->model](data, b);
}

static void node_values(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    ((const tets *)e)->node_kernels->values[((const tets *)e)->model](data, b);
}

static void node_limits(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    ((const tets *)e)->node_kernels->limits(data, b);
}

static const vv_node_ops free_nodes = { prepare_nodes, NULL, node_blocks, node_values, NULL };
static const vv_node_ops limited_nodes = { prepare_nodes, NULL, node_blocks, node_values, node_limits };

static void destroy(vv_energy *e)
{
    tets *s = (tets *)e;
    vv_batch_energy_free(&s->e);
    vv_free(s->moduli);
    vv_free(s->shape);
    vv_free(s);
}

/* One table per material: the names differ, and inversion-free ones limit the step. */
#define VV_MAX_STEP_0 NULL
#define VV_MAX_STEP_1 max_step
#define VV_NODES_0 &free_nodes
#define VV_NODES_1 &limited_nodes
static const vv_energy_ops ops[VV_MATERIAL_COUNT] = {
/* clang-format off */
#define VV_ROW(name, word, summary, inversion_free, rotation)                                                          \
    { .info = { word, summary }, .row = VV_ROW_ELASTIC, .value = value, .value_gradient = value_gradient,              \
      .derivatives = vv_batch_energy_derivatives, .sum_derivatives = vv_batch_energy_sum_derivatives,                  \
      .pattern = vv_batch_energy_pattern, .slots = vv_batch_energy_slots, .max_step = VV_MAX_STEP_##inversion_free,    \
      .by_value = inversion_free, .destroy = destroy, .least_j = least_j, .quadratic = quadratic,                      \
      .constraints = constraints, .nodes = VV_NODES_##inversion_free },
    /* clang-format on */
    VV_TET_MATERIALS(VV_ROW)
#undef VV_ROW
};

/* Affine bodies: a node cannot be moved alone against the three others without bending the body, so block descent has
 * nothing of them. */
static const vv_energy_ops affine_ops = {
    .info = { "affine", "orthogonality of affine bodies" },
    .row = VV_ROW_ELASTIC,
    .value = value,
    .value_gradient = value_gradient,
    .derivatives = vv_batch_energy_derivatives,
    .sum_derivatives = vv_batch_energy_sum_derivatives,
    .pattern = vv_batch_energy_pattern,
    .slots = vv_batch_energy_slots,
    .destroy = destroy,
    .least_j = least_j,
    .instead = "give the body a material of tets",
    .quadratic = quadratic,
    .constraints = constraints,
};

vvStatus vv_tets_create_affine(int node_count, const double *rest, int body_count, const vv_tets_body *bodies,
                               vv_energy **out, vvError *error)
{
    vvStatus status = vv_tets_create(VV_MATERIAL_stvk, node_count, rest, body_count, bodies, out, error);
    if (status == VV_OK)
        (*out)->ops = &affine_ops;
    return status;
}

int vv_tets_model(const char *name)
{
    for (int i = 0; i < VV_MATERIAL_COUNT; i++)
        if (strcmp(name, ops[i].info.name) == 0)
            return i;
    return -1;
}

/* ---- creation -------------------------------------------------------------------------------------------------- */

/* D_m^-1 and the rest volume; the volume is not positive for a flat or inverted tet. */
static double rest_shape(const double *rest, const int *tet, double inverse[9])
{
    double d[9];
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < 3; i++)
            d[3 * i + a] = rest[3 * (size_t)tet[a + 1] + (size_t)i] - rest[3 * (size_t)tet[0] + (size_t)i];
    return vv_inverse(d, inverse) / 6;
}

static vvStatus check_body(int index, const vv_tets_body *b, vvError *error)
{
    if (!(b->mu > 0) || !isfinite(b->mu) || !isfinite(b->lambda) || !(3 * b->lambda + 2 * b->mu > 0))
        return vv_fail(error, VV_ERROR_INPUT,
                       "body %d has mu = %g Pa and lambda = %g Pa; mu must be positive and lambda above -2/3 mu", index,
                       b->mu, b->lambda);
    return VV_OK;
}

/* Shapes of all lanes; fails at a tet without positive volume. */
static vvStatus fill_shapes(tets *s, const double *rest, const int *elements, const int *part_start, vvError *error)
{
    const vv_batch *batch = &s->e.batch;
    for (int j = 0; j < batch->block_count; j++)
        for (int lane = VV_LANES * batch->block_group[j]; lane < VV_LANES * batch->block_group[j + 1]; lane++) {
            int source = batch->source[lane], t = source < 0 ? ~source : source;
            double inverse[9] = { 0 }, volume = rest_shape(rest, elements + 4 * (size_t)t, inverse);
            bool good = volume > 0 && isfinite(volume);
            for (int i = 0; i < 9; i++)
                good = good && isfinite(inverse[i]);
            if (!good)
                return vv_fail(error, VV_ERROR_INPUT,
                               "tet %d of body %d has rest volume %g; it must be positive (turn its nodes or repair "
                               "the mesh)",
                               t - part_start[batch->block_part[j]], batch->block_part[j], volume);
            double *to = s->shape + (size_t)(lane / VV_LANES) * VV_TET_SHAPE * VV_LANES + lane % VV_LANES;
            for (int i = 0; i < 9; i++)
                to[VV_LANES * i] = inverse[i];
            to[VV_LANES * 9] = source < 0 ? 0 : volume;
        }
    return VV_OK;
}

static vvStatus fill(tets *s, const double *rest, int body_count, const vv_tets_body *bodies, int *part_start,
                     int *elements, vvError *error)
{
    for (int i = 0; i < body_count; i++) {
        vvStatus status = check_body(i, bodies + i, error);
        if (status != VV_OK)
            return status;
        if (bodies[i].tet_count > 0)
            memcpy(elements + 4 * (size_t)part_start[i], bodies[i].tets,
                   4 * (size_t)bodies[i].tet_count * sizeof *elements);
        part_start[i + 1] = part_start[i] + bodies[i].tet_count;
        s->e.body[i] = bodies[i].body;
        s->moduli[2 * i] = bodies[i].mu;
        s->moduli[2 * i + 1] = bodies[i].lambda;
    }
    vvStatus status = vv_batch_create(&s->e.batch, 4, s->node_count, rest, body_count, part_start, elements, error);
    if (status != VV_OK)
        return status;
    s->shape = vv_alloc((size_t)s->e.batch.group_count * VV_TET_SHAPE * VV_LANES, sizeof *s->shape);
    if (!s->shape)
        return vv_fail_memory(error, "tets");
    return fill_shapes(s, rest, elements, part_start, error);
}

vvStatus vv_tets_create(int model, int node_count, const double *rest, int body_count, const vv_tets_body *bodies,
                        vv_energy **out, vvError *error)
{
    *out = NULL;
    if (model < 0 || model >= VV_MATERIAL_COUNT)
        return vv_fail(error, VV_ERROR_INPUT, "there is no tet material %d", model);
    size_t count = 0;
    for (int i = 0; i < body_count; i++)
        count += (size_t)bodies[i].tet_count;
    if (count > INT32_MAX / 32)
        return vv_fail(error, VV_ERROR_INPUT, "%zu tets in one batch; at most %d", count, INT32_MAX / 32);
    tets *s = vv_alloc(1, sizeof *s);
    int *part_start = vv_alloc((size_t)body_count + 1, sizeof *part_start);
    int *elements = vv_alloc(4 * count, sizeof *elements);
    if (s) {
        s->e.base.ops = ops + model;
        s->e.add = run_derivatives;
        s->e.part_count = body_count;
        s->e.body = vv_alloc((size_t)body_count, sizeof *s->e.body);
        s->model = model;
        s->node_count = node_count;
        s->moduli = vv_alloc(2 * (size_t)body_count, sizeof *s->moduli);
        s->kernels = VV_VARIANT_HERE(vv_tet_kernels);
        s->forces = VV_VARIANT_HERE(vv_tet_force_kernels);
        s->node_kernels = VV_VARIANT_HERE(vv_tet_node_kernels);
    }
    vvStatus status = s && part_start && elements && s->e.body && s->moduli
                          ? fill(s, rest, body_count, bodies, part_start, elements, error)
                          : vv_fail_memory(error, "tets");
    vv_free(part_start);
    vv_free(elements);
    if (status == VV_OK)
        *out = &s->e.base;
    else if (s)
        destroy(&s->e.base);
    return status;
}

vvStatus vv_tets_rayleigh_create(vv_energy *e, const double *rayleigh, vv_energy **out, vvError *error)
{
    const tets *s = (const tets *)e;
    return vv_rayleigh_create(&s->e, s->node_count, rayleigh, out, error);
}

/* ---- kinds of elements ------------------------------------------------------------------------------------------- */

static vvStatus create_of_parts(const vv_element_kind *kind, const vv_element_input *in, vv_energy **out,
                                vvError *error)
{
    vv_tets_body *bodies = vv_alloc((size_t)in->part_count, sizeof *bodies);
    if (!bodies)
        return vv_fail_memory(error, "tets");
    for (int p = 0; p < in->part_count; p++) {
        const vv_element_part *part = in->parts + p;
        bodies[p] =
            (vv_tets_body){ part->body, part->tet_count, part->tets, part->material->mu, part->material->lambda };
    }
    vvStatus status =
        vv_tets_create((int)(kind - vv_tet_kinds), in->node_count, in->rest, in->part_count, bodies, out, error);
    vv_free(bodies);
    return status;
}

const vv_element_kind vv_tet_kinds[] = {
/* clang-format off */
#define VV_ROW(name, word, summary, inversion_free, rotation)                                                          \
    { { word, summary }, VV_CELL_TETS, inversion_free, NULL, create_of_parts, vv_rayleigh_of_parts, .moduli = true },
    /* clang-format on */
    VV_TET_MATERIALS(VV_ROW)
#undef VV_ROW
};

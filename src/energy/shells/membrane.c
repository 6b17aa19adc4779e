/* The batch of membranes: storage and dispatch; the arithmetic is in membrane_kernel.c.
 *
 * Neo-Hookean needs no step filter, though it is infinite at a collapsed triangle: in space, a way from one place to
 * another meets triangles without area in single positions only, and does not pass through them: on their other side
 * is the same triangle, turned over. That a place is inside, its value says. The strain limit bounds a domain, which
 * is convex (the larger singular value is a convex function of the positions): a way between two places inside is
 * inside. Its filter keeps ends away from it where the energy is not evaluated. */
#include "energy/shells/membrane.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text/text.h"
#include "base/simd/variant.h"
#include "base/vec.h"
#include "energy/batch/batch.h"
#include "energy/shells/membrane_kernels.h"
#include "energy/shells/membrane_nodes.h"
#include "energy/batch/rayleigh.h"
#include "energy/relax/relax.h"
#include "mesh/mesh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FORCES = 8, LIMITED_FORCES = 14, HESSIANS = 80 }; /* of a triangle, roughly, ns */

typedef struct membrane {
    vv_batch_energy e;              /* parts are those of the creation */
    int model, limited, node_count; /* limited: 1 if a part has a strain limit */
    double *shape;                  /* see membrane_kernels.h */
    vv_membrane_law *law;           /* of each part */
    int *start;                     /* part_count + 1: the elements of each part */
    const vv_membrane_kernels *kernels;
    const vv_membrane_node_kernels *node_kernels;
} membrane;

typedef struct membrane_job {
    const membrane *s;
    vv_membrane_block block;
    const double *part_scale;
    const int *slots;
    double (*number)(const vv_membrane_block *b);
    void (*other)(const vv_membrane_block *b); /* where there is no number; NULL: derivatives */
} membrane_job;

static void run_block(void *arg, int j)
{
    const membrane_job *job = arg;
    const membrane *s = job->s;
    const vv_batch *batch = &s->e.batch;
    size_t first = (size_t)batch->block_group[j];
    vv_membrane_block b = job->block;
    b.groups = batch->block_group[j + 1] - batch->block_group[j];
    b.shape = s->shape + first * VV_MEMBRANE_SHAPE * VV_LANES;
    b.nodes = batch->nodes + first * 3 * VV_LANES;
    b.slots = job->slots ? job->slots + first * 9 * VV_LANES : NULL;
    b.law = s->law[batch->block_part[j]];
    if (job->number)
        batch->partial[j] = job->number(&b);
    else if (job->other)
        job->other(&b);
    else if (vv_samples_scale(b.sample, b.samples, job->part_scale, batch->block_part[j]))
        s->kernels->derivatives[s->model][s->limited](&b);
}

static int force_work(const membrane *s) { return s->limited ? LIMITED_FORCES : FORCES; }

static double value(const vv_energy *e, const vv_parallel *par, const double *x, double *per_body)
{
    const membrane *s = (const membrane *)e;
    membrane_job job = { .s = s, .block = { .x = x }, .number = s->kernels->value[s->model][s->limited] };
    return vv_batch_total(&s->e, par, force_work(s), false, run_block, &job, per_body);
}

static double value_gradient(const vv_energy *e, const vv_parallel *par, const double *x, double scale,
                             double *per_body, double *g)
{
    const membrane *s = (const membrane *)e;
    membrane_job job = { .s = s,
                         .block = { .x = x, .scale = scale, .g = g },
                         .number = s->kernels->value_gradient[s->model][s->limited] };
    return vv_batch_total(&s->e, par, force_work(s), true, run_block, &job, per_body);
}

static void add_derivatives(const vv_batch_energy *e, const vv_parallel *par, const vv_batch_sum_of *what)
{
    const membrane *s = (const membrane *)e;
    bool rest = what->mode == VV_HESSIAN_REST;
    membrane_job job = { .s = s,
                         .block = { .samples = what->samples,
                                    .project = what->mode == VV_HESSIAN_PROJECTED,
                                    .rest = rest,
                                    .g = rest ? NULL : what->g,
                                    .values = what->values },
                         .part_scale = what->part_scale,
                         .slots = what->slots };
    memcpy(job.block.sample, what->sample, (size_t)what->samples * sizeof *what->sample);
    vv_batch_colored(&s->e.batch, par, what->values ? HESSIANS : force_work(s), run_block, &job);
}

/* ---- the domain ---- */

static double max_step(const vv_energy *e, const vv_parallel *par, const double *x, const double *p)
{
    const membrane *s = (const membrane *)e;
    membrane_job job = { .s = s, .block = { .x = x, .p = p }, .number = s->kernels->max_step };
    double t = 1;
    vv_batch_each(&s->e.batch, par, FORCES, run_block, &job);
    for (int j = 0; j < s->e.batch.block_count; j++)
        t = fmin(t, s->e.batch.partial[j]);
    return t;
}

static void bounds(const vv_energy *e, const vv_parallel *par, const double *x, const double *p, double *part)
{
    const membrane *s = (const membrane *)e;
    membrane_job job = { .s = s, .block = { .x = x, .p = p, .part = part }, .other = s->kernels->bounds };
    vv_batch_colored(&s->e.batch, par, FORCES, run_block, &job);
}

/* F of a lane, its columns one after the other; its larger singular value and |f1 x f2|. */
static void stretch_of_lane(const membrane *s, int lane, const double *x, double *most, double *area)
{
    const double *shape = s->shape + (size_t)(lane / VV_LANES) * VV_MEMBRANE_SHAPE * VV_LANES + lane % VV_LANES;
    const int *nodes = s->e.batch.nodes + (size_t)(lane / VV_LANES) * 3 * VV_LANES + lane % VV_LANES;
    double d[3], e[3], f[2][3], cross[3];
    vv_sub(x + 3 * (size_t)nodes[VV_LANES], x + 3 * (size_t)nodes[0], d);
    vv_sub(x + 3 * (size_t)nodes[2 * VV_LANES], x + 3 * (size_t)nodes[0], e);
    for (int k = 0; k < 3; k++)
        f[0][k] = d[k] * shape[0], f[1][k] = d[k] * shape[VV_LANES] + e[k] * shape[2 * VV_LANES];
    double xx = vv_dot(f[0], f[0]), yy = vv_dot(f[1], f[1]), xy = vv_dot(f[0], f[1]);
    vv_cross(f[0], f[1], cross);
    *most = sqrt(0.5 * (xx + yy) + sqrt(0.25 * (xx - yy) * (xx - yy) + xy * xy));
    *area = vv_norm(cross);
}

/* The first triangle that is outside, and why. */
static bool outside(const vv_energy *e, const double *x, int *body, char *text, size_t size)
{
    const membrane *s = (const membrane *)e;
    const vv_batch *batch = &s->e.batch;
    int first = batch->element_count;
    for (int j = 0; j < batch->block_count; j++) {
        for (int lane = VV_LANES * batch->block_group[j]; lane < VV_LANES * batch->block_group[j + 1]; lane++) {
            const vv_membrane_law *law = s->law + batch->block_part[j];
            double most, area;
            if (batch->source[lane] < 0 || batch->source[lane] >= first)
                continue;
            stretch_of_lane(s, lane, x, &most, &area);
            bool collapsed = s->model == VV_MEMBRANE_NEO_HOOKEAN && !(area > 0),
                 torn = law->width > 0 && !(most < law->limit);
            if (!collapsed && !torn)
                continue;
            int triangle = batch->source[lane] - s->start[batch->block_part[j]];
            first = batch->source[lane];
            *body = s->e.body[batch->block_part[j]];
            if (torn)
                vv_print(text, size,
                         "triangle %d is stretched to %.5g times its length, and strain_limit allows less than %.5g",
                         triangle, most, law->limit);
            else
                snprintf(text, size, "triangle %d has no area", triangle);
        }
    }
    return first < batch->element_count;
}

/* ---- the constant model ---- */

/* Near rest, as VV_HESSIAN_REST. There is no bound: either material gets stiffer the more it is stretched or
 * pressed. */
static bool quadratic(const vv_energy *e, vv_quadratic_kind kind, vv_quadratic *to)
{
    const membrane *s = (const membrane *)e;
    const vv_batch *batch = &s->e.batch;
    if (kind == VV_QUADRATIC_BOUND)
        return false;
    if (!to || !vv_quadratic_reserve(to, 3 * (size_t)batch->element_count))
        return true;
    for (int j = 0; j < batch->block_count; j++) {
        const vv_membrane_law *law = s->law + batch->block_part[j];
        for (int lane = VV_LANES * batch->block_group[j]; lane < VV_LANES * batch->block_group[j + 1]; lane++) {
            const double *shape = s->shape + (size_t)(lane / VV_LANES) * VV_MEMBRANE_SHAPE * VV_LANES + lane % VV_LANES;
            const int *nodes = batch->nodes + (size_t)(lane / VV_LANES) * 3 * VV_LANES + lane % VV_LANES;
            double a = shape[0], b = shape[VV_LANES], c = shape[2 * VV_LANES],
                   w = (2 * law->mu + law->lambda) * shape[3 * VV_LANES];
            const double g[3][2] = { { -a, -(b + c) }, { a, b }, { 0, c } };
            for (int i = 0; batch->source[lane] >= 0 && i < 3; i++)
                for (int k = 0; k <= i; k++) {
                    double l = w * (g[i][0] * g[k][0] + g[i][1] * g[k][1]);
                    if (i == k)
                        vv_quadratic_add_diagonal(to, nodes[i * VV_LANES], l);
                    else
                        vv_quadratic_add(to, nodes[i * VV_LANES], nodes[k * VV_LANES], l);
                }
        }
    }
    return true;
}

/* ---- one node at a time ---- */

static void fill_pair(const void *arg, int lane, int corner, double *to)
{
    const membrane *s = arg;
    const vv_batch *batch = &s->e.batch;
    const double *shape = s->shape + (size_t)(lane / VV_LANES) * VV_MEMBRANE_SHAPE * VV_LANES + lane % VV_LANES;
    int block = 0, at = 0;
    for (int last = batch->block_count; last - block > 1;) { /* the block that the group is of */
        int middle = (block + last) / 2;
        if (batch->block_group[middle] <= lane / VV_LANES)
            block = middle;
        else
            last = middle;
    }
    const vv_membrane_law *law = s->law + batch->block_part[block];
    double a = shape[0], b = shape[VV_LANES], c = shape[2 * VV_LANES], weight = shape[3 * VV_LANES];
    const double g[3][2] = { { -a, -(b + c) }, { a, b }, { 0, c } };
    for (int n = 0; n < 3; n++)
        for (int k = 0; n != corner && k < 2; k++)
            to[VV_LANES * at++] = g[n][k];
    const double rest[4] = { law->limit, law->width, weight * law->mu, weight * law->lambda };
    for (int i = 0; i < 4; i++)
        to[VV_LANES * at++] = rest[i];
}

static vvStatus prepare_nodes(const vv_energy *e, const vv_node_order *order, void **data, vvError *error)
{
    const membrane *s = (const membrane *)e;
    return vv_incidence_create(order, &s->e.batch, VV_MEMBRANE_PAIR, VV_MEMBRANE_PAIR_WEIGHTS, fill_pair, s, data,
                               error);
}

static void node_blocks(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    const membrane *s = (const membrane *)e;
    s->node_kernels->blocks[s->model][s->limited](data, b);
}

static void node_values(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    const membrane *s = (const membrane *)e;
    s->node_kernels->values[s->model][s->limited](data, b);
}

static void node_limits(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    ((const membrane *)e)->node_kernels->limits(data, b);
}

static const vv_node_ops free_nodes = { prepare_nodes, NULL, node_blocks, node_values, NULL };
static const vv_node_ops limited_nodes = { prepare_nodes, NULL, node_blocks, node_values, node_limits };

/* With a strain limit there are none: the energy is infinite beyond it, and nothing keeps a sweep inside. */
static vvStatus constraints(const vv_energy *e, vv_constraints **out, vvError *error)
{
    const membrane *s = (const membrane *)e;
    double *moduli = vv_alloc(2 * (size_t)s->e.part_count, sizeof *moduli);
    *out = NULL;
    for (int p = 0; moduli && p < s->e.part_count; p++)
        moduli[2 * p] = s->law[p].mu, moduli[2 * p + 1] = s->law[p].lambda;
    vvStatus status = !moduli      ? vv_fail_memory(error, "constraints")
                      : s->limited ? VV_OK
                                   : vv_membrane_constraints(s->model, s->node_count, &s->e.batch, s->shape, moduli,
                                                             s->e.part_count, out, error);
    vv_free(moduli);
    return status;
}

static void destroy(vv_energy *e)
{
    membrane *s = (membrane *)e;
    vv_batch_energy_free(&s->e);
    vv_free(s->shape);
    vv_free(s->law);
    vv_free(s->start);
    vv_free(s);
}

/* X(kind, "name", "summary") */
#define VV_MEMBRANES(X)                                                                     \
    X(VV_MEMBRANE_STVK, "stvk-membrane",                                                    \
      "shells' stretching, St. Venant-Kirchhoff in plane stress: quartic in the positions") \
    X(VV_MEMBRANE_NEO_HOOKEAN, "neo-hookean-membrane",                                      \
      "shells' stretching, Neo-Hookean in plane stress: infinite at no area")

/* By model, then without and with a strain limit. */
#define VV_OPS(word, summary)                                                                                 \
    .info = { word, summary }, .row = VV_ROW_ELASTIC, .value = value, .value_gradient = value_gradient,       \
    .derivatives = vv_batch_energy_derivatives, .sum_derivatives = vv_batch_energy_sum_derivatives,           \
    .pattern = vv_batch_energy_pattern, .slots = vv_batch_energy_slots, .by_value = true, .destroy = destroy, \
    .quadratic = quadratic, .constraints = constraints, .outside = outside
static const vv_energy_ops ops[VV_MEMBRANE_COUNT][2] = {
#define VV_ROW(kind, word, summary)                             \
    [kind] = { { VV_OPS(word, summary), .nodes = &free_nodes }, \
               { VV_OPS(word, summary), .max_step = max_step, .bounds = bounds, .nodes = &limited_nodes } },
    VV_MEMBRANES(VV_ROW)
#undef VV_ROW
};

/* ---- creation ---- */

/* Plane stress: no stress across the sheet, which gets thinner where it is stretched. */
static vv_membrane_law law_of(const vv_material *m)
{
    double limit = m->def.strainLimit;
    return (vv_membrane_law){ m->mu, 2 * m->mu * m->lambda / (m->lambda + 2 * m->mu), 1 + limit, 0.5 * limit };
}

/* D_m^-1 and the area of a triangle of the mesh; false: a triangle without area. */
static bool rest_shape(const double *rest, const int *v, double inverse[3], double *area, double *longest)
{
    double d[3], e[3], cross[3];
    if (vv_triangle_has_no_area(rest, v, area, longest))
        return false;
    vv_sub(rest + 3 * (size_t)v[1], rest + 3 * (size_t)v[0], d);
    vv_sub(rest + 3 * (size_t)v[2], rest + 3 * (size_t)v[0], e);
    vv_cross(d, e, cross);
    double base = vv_norm(d), height = vv_norm(cross) / base;
    inverse[0] = 1 / base;
    inverse[1] = -vv_dot(d, e) / (base * base * height);
    inverse[2] = 1 / height;
    return isfinite(inverse[0]) && isfinite(inverse[1]) && isfinite(inverse[2]);
}

static vvStatus fill_shapes(membrane *s, const vv_element_input *in, const int *triangles, vvError *error)
{
    const vv_batch *batch = &s->e.batch;
    for (int j = 0; j < batch->block_count; j++)
        for (int lane = VV_LANES * batch->block_group[j]; lane < VV_LANES * batch->block_group[j + 1]; lane++) {
            const vv_element_part *part = in->parts + batch->block_part[j];
            int source = batch->source[lane], t = source < 0 ? ~source : source,
                own = t - s->start[batch->block_part[j]];
            double inverse[3], area, longest;
            if (!rest_shape(in->rest, triangles + 3 * (size_t)t, inverse, &area, &longest))
                return vv_fail(
                    error, VV_ERROR_INPUT,
                    "triangle %d of body %d has no area at rest (%g m^2 with a longest edge of %g m), and \"%s\" "
                    "needs one; remove it or repair the mesh",
                    own, part->body, area, longest, s->e.base.ops->info.name);
            double *to = s->shape + (size_t)(lane / VV_LANES) * VV_MEMBRANE_SHAPE * VV_LANES + lane % VV_LANES;
            double thickness = part->triangle_thickness ? part->triangle_thickness[own] : part->thickness;
            double factor = part->triangle_stiffness ? part->triangle_stiffness[own] : 1;
            double stretch = 1 + part->material->def.prestrain; /* of the mesh over its rest lengths */
            for (int i = 0; i < 3; i++)
                to[VV_LANES * i] = inverse[i] * stretch;
            to[VV_LANES * 3] = source < 0 ? 0 : area / (stretch * stretch) * thickness * factor;
        }
    return VV_OK;
}

static vvStatus fill(membrane *s, const vv_element_input *in, int *triangles, vvError *error)
{
    for (int p = 0; p < in->part_count; p++) {
        const vv_element_part *part = in->parts + p;
        memcpy(triangles + 3 * (size_t)s->start[p], part->triangles,
               3 * (size_t)part->triangle_count * sizeof *triangles);
        s->start[p + 1] = s->start[p] + part->triangle_count;
        s->e.body[p] = part->body;
        s->law[p] = law_of(part->material);
        s->limited = s->limited || s->law[p].width > 0;
    }
    s->e.base.ops = &ops[s->model][s->limited];
    vvStatus status =
        vv_batch_create(&s->e.batch, 3, in->node_count, in->rest, in->part_count, s->start, triangles, error);
    if (status != VV_OK)
        return status;
    s->shape = vv_alloc((size_t)s->e.batch.group_count * VV_MEMBRANE_SHAPE * VV_LANES, sizeof *s->shape);
    return s->shape ? fill_shapes(s, in, triangles, error) : vv_fail_memory(error, "membranes");
}

static vvStatus create_of_parts(const vv_element_kind *kind, const vv_element_input *in, vv_energy **out,
                                vvError *error)
{
    size_t count = 0, parts = (size_t)in->part_count;
    *out = NULL;
    for (size_t p = 0; p < parts; p++)
        count += (size_t)in->parts[p].triangle_count;
    if (count > INT32_MAX / 32)
        return vv_fail(error, VV_ERROR_INPUT, "%zu triangles in one batch; at most %d", count, INT32_MAX / 32);
    membrane *s = vv_alloc(1, sizeof *s);
    int *triangles = vv_alloc(3 * count, sizeof *triangles);
    if (s) {
        s->model = (int)(kind - vv_membrane_kinds);
        s->e.add = add_derivatives;
        s->e.part_count = in->part_count;
        s->node_count = in->node_count;
        s->e.body = vv_alloc(parts, sizeof *s->e.body);
        s->law = vv_alloc(parts, sizeof *s->law);
        s->start = vv_alloc(parts + 1, sizeof *s->start);
        s->kernels = VV_VARIANT_HERE(vv_membrane_kernels);
        s->node_kernels = VV_VARIANT_HERE(vv_membrane_node_kernels);
    }
    vvStatus status = s && triangles && s->e.body && s->law && s->start ? fill(s, in, triangles, error)
                                                                        : vv_fail_memory(error, "membranes");
    vv_free(triangles);
    if (status == VV_OK)
        *out = &s->e.base;
    else if (s)
        destroy(&s->e.base);
    return status;
}

/* ---- kinds of elements ---- */

const vv_element_kind vv_membrane_kinds[VV_MEMBRANE_COUNT] = {
#define VV_ROW(kind, word, summary)              \
    [kind] = { .info = { word, summary },        \
               .cell = VV_CELL_TRIANGLES,        \
               .moduli = true,                   \
               .create = create_of_parts,        \
               .rayleigh = vv_rayleigh_of_parts, \
               .thick = true,                    \
               .taut = true },
    VV_MEMBRANES(VV_ROW)
#undef VV_ROW
};

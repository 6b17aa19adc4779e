/* Triangles in the plane, "fixed-corotated-plane": the batch, its creation, and one node at a time; the arithmetic is
 * in triangle.h (theory §4.16). Such bodies are small, so lanes are plain loops. */
#include "energy/plane/plane.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "energy/batch/batch.h"
#include "energy/plane/triangle.h"
#include "energy/batch/rayleigh.h"
#include "mesh/mesh.h"

#include <string.h>

enum { FORCES = 60, HESSIANS = 250 }; /* of a triangle, roughly, ns */

/* Numbers of a triangle: the gradients of the shape functions of its nodes 1 and 2, and area times thickness times
 * stiffness. */
enum { SHAPE = 5 };

typedef struct plane_law {
    double mu, lambda; /* Pa: plane strain, so those of the solid */
} plane_law;

typedef struct plane {
    vv_batch_energy e; /* parts are those of the input */
    double *shape;     /* lanes x SHAPE */
    plane_law *law;    /* of each part */
} plane;

typedef struct plane_job {
    const plane *s;
    const double *x;
    double scale, *g;        /* of value and gradient; g may be NULL */
    const vv_sample *sample; /* of the derivatives */
    int samples;
    const double *part_scale; /* NULL: 1 */
    vv_hessian_mode mode;
    double *values; /* of the matrix; NULL: none */
    const int *slots;
} plane_job;

typedef struct triangle {
    const int *nodes; /* the node of corner a: nodes[VV_LANES * a] */
    double g[3][2], weight;
    plane_law law;
} triangle;

/* False: a lane that only fills up its group. */
static bool triangle_of_lane(const plane *s, int block, int lane, triangle *t)
{
    const vv_batch *batch = &s->e.batch;
    const double *shape = s->shape + (size_t)lane * SHAPE;
    *t = (triangle){
        .nodes = batch->nodes + (size_t)(lane / VV_LANES) * 3 * VV_LANES + lane % VV_LANES,
        .g = { { -(shape[0] + shape[2]), -(shape[1] + shape[3]) }, { shape[0], shape[1] }, { shape[2], shape[3] } },
        .weight = shape[4],
        .law = s->law[batch->block_part[block]]
    };
    return batch->source[lane] >= 0;
}

static vv_plane_state state_at(const triangle *t, const double *x)
{
    double f[2][2];
    const double *o = x + 3 * (size_t)t->nodes[0], *p = x + 3 * (size_t)t->nodes[VV_LANES],
                 *q = x + 3 * (size_t)t->nodes[2 * VV_LANES];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            f[i][j] = (p[i] - o[i]) * t->g[1][j] + (q[i] - o[i]) * t->g[2][j];
    return vv_plane_state_of(f);
}

/* ---- value and derivatives
 * ----------------------------------------------------------------------------------------- */

static void add_force(const triangle *t, const vv_plane_state *p, double scale, double force[3][2])
{
    double stress[2][2];
    vv_plane_stress(p, t->law.mu, t->law.lambda, stress);
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < 2; i++)
            force[a][i] += scale * t->weight * (stress[i][0] * t->g[a][0] + stress[i][1] * t->g[a][1]);
}

static void scatter_force(const triangle *t, double force[3][2], double *g)
{
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < 2; i++)
            g[3 * (size_t)t->nodes[a * VV_LANES] + (size_t)i] += force[a][i];
}

static void value_of_block(void *arg, int block)
{
    const plane_job *job = arg;
    const vv_batch *batch = &job->s->e.batch;
    double sum = 0;
    for (int lane = VV_LANES * batch->block_group[block]; lane < VV_LANES * batch->block_group[block + 1]; lane++) {
        triangle t;
        double force[3][2] = { { 0 } };
        if (!triangle_of_lane(job->s, block, lane, &t))
            continue;
        vv_plane_state p = state_at(&t, job->x);
        sum += t.weight * vv_plane_psi(&p, t.law.mu, t.law.lambda);
        if (job->g) {
            add_force(&t, &p, job->scale, force);
            scatter_force(&t, force, job->g);
        }
    }
    batch->partial[block] = sum;
}

static double value(const vv_energy *e, const vv_parallel *par, const double *x, double *per_body)
{
    const plane *s = (const plane *)e;
    plane_job job = { .s = s, .x = x };
    return vv_batch_total(&s->e, par, FORCES, false, value_of_block, &job, per_body);
}

static double value_gradient(const vv_energy *e, const vv_parallel *par, const double *x, double scale,
                             double *per_body, double *g)
{
    const plane *s = (const plane *)e;
    plane_job job = { .s = s, .x = x, .scale = scale, .g = g };
    return vv_batch_total(&s->e, par, FORCES, true, value_of_block, &job, per_body);
}

/* The blocks (a, b) of a triangle, by rows, 2x2: k[3 a + b]. */
static void add_hessian(const triangle *t, const vv_plane_state *p, double scale, bool project, double k[9][4])
{
    vv_plane_curvature c = vv_plane_curvature_of(p, t->law.mu, t->law.lambda, project);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            vv_plane_add_block(p, &c, t->g[a], t->g[b], scale * t->weight, k[3 * a + b]);
}

/* As stiff in all directions of F as against stretching at rest. */
static void add_rest(const triangle *t, double scale, double k[9][4])
{
    for (int i = 0; i < 9; i++) {
        double l = scale * t->weight * (2 * t->law.mu + t->law.lambda) *
                   (t->g[i / 3][0] * t->g[i % 3][0] + t->g[i / 3][1] * t->g[i % 3][1]);
        k[i][0] += l, k[i][3] += l;
    }
}

static void scatter_blocks(const int *slots, double k[9][4], double *values)
{
    for (int i = 0; i < 9; i++) {
        double *to = slots[i] < 0 ? NULL : values + 9 * (ptrdiff_t)slots[i];
        if (to)
            to[0] += k[i][0], to[1] += k[i][2], to[3] += k[i][1], to[4] += k[i][3]; /* by columns, 3x3 */
    }
}

static void derivatives_of_block(void *arg, int block)
{
    const plane_job *job = arg;
    const vv_batch *batch = &job->s->e.batch;
    vv_sample sample[VV_MAX_SAMPLES];
    memcpy(sample, job->sample, (size_t)job->samples * sizeof *sample);
    if (!vv_samples_scale(sample, job->samples, job->part_scale, batch->block_part[block]))
        return;
    for (int lane = VV_LANES * batch->block_group[block]; lane < VV_LANES * batch->block_group[block + 1]; lane++) {
        triangle t;
        double force[3][2] = { { 0 } }, k[9][4] = { { 0 } };
        if (!triangle_of_lane(job->s, block, lane, &t))
            continue;
        for (int i = 0; i < job->samples; i++) {
            if (job->mode == VV_HESSIAN_REST) {
                add_rest(&t, sample[i].stiffness, k);
                continue;
            }
            vv_plane_state p = state_at(&t, sample[i].x);
            if (job->g)
                add_force(&t, &p, sample[i].force, force);
            if (job->values)
                add_hessian(&t, &p, sample[i].stiffness, job->mode == VV_HESSIAN_PROJECTED, k);
        }
        if (job->g)
            scatter_force(&t, force, job->g);
        if (job->values)
            scatter_blocks(job->slots + 9 * (ptrdiff_t)lane, k, job->values);
    }
}

static void add_derivatives(const vv_batch_energy *e, const vv_parallel *par, const vv_batch_sum_of *what)
{
    const plane *s = (const plane *)e;
    plane_job job = { .s = s,
                      .sample = what->sample,
                      .samples = what->samples,
                      .part_scale = what->part_scale,
                      .mode = what->mode,
                      .g = what->mode == VV_HESSIAN_REST ? NULL : what->g,
                      .values = what->values,
                      .slots = what->slots };
    if (job.g || job.values)
        vv_batch_colored(&s->e.batch, par, what->values ? HESSIANS : FORCES, derivatives_of_block, &job);
}

static double least_j(const vv_energy *e, const vv_parallel *par, const double *x, double *per_body)
{
    const plane *s = (const plane *)e;
    const vv_batch *batch = &s->e.batch;
    double least = INFINITY;
    (void)par;
    for (int block = 0; block < batch->block_count; block++)
        for (int lane = VV_LANES * batch->block_group[block]; lane < VV_LANES * batch->block_group[block + 1]; lane++) {
            triangle t;
            if (!triangle_of_lane(s, block, lane, &t))
                continue;
            double j = state_at(&t, x).growth + 1;
            least = j < least || isnan(j) ? j : least;
            double *to = per_body ? per_body + s->e.body[batch->block_part[block]] : NULL;
            if (to)
                *to = j < *to || isnan(j) ? j : *to;
        }
    return least;
}

/* ---- the constant model, and one node at a time
 * -------------------------------------------------------------------------- */

/* As VV_HESSIAN_REST, in z too, as such a model has one number for the three coordinates. There is no bound, for (J -
 * 1)^2 has none. */
static bool quadratic(const vv_energy *e, vv_quadratic_kind kind, vv_quadratic *to)
{
    const plane *s = (const plane *)e;
    const vv_batch *batch = &s->e.batch;
    if (kind == VV_QUADRATIC_BOUND)
        return false;
    if (!to || !vv_quadratic_reserve(to, 3 * (size_t)batch->element_count))
        return true;
    for (int block = 0; block < batch->block_count; block++)
        for (int lane = VV_LANES * batch->block_group[block]; lane < VV_LANES * batch->block_group[block + 1]; lane++) {
            triangle t;
            double k[9][4] = { { 0 } };
            if (!triangle_of_lane(s, block, lane, &t))
                continue;
            add_rest(&t, 1, k);
            for (int a = 0; a < 3; a++) {
                vv_quadratic_add_diagonal(to, t.nodes[a * VV_LANES], k[4 * a][0]);
                for (int b = 0; b < a; b++)
                    vv_quadratic_add(to, t.nodes[a * VV_LANES], t.nodes[b * VV_LANES], k[3 * a + b][0]);
            }
        }
    return true;
}

/* Numbers of a triangle around a node: gradients of the two other nodes' shape functions; A t mu, A t lambda: 0 in
 * padding. */
enum { PAIR = 6, PAIR_WEIGHTS = 4 };

static int block_of_lane(const vv_batch *batch, int lane)
{
    int block = 0;
    for (int last = batch->block_count; last - block > 1;) {
        int middle = (block + last) / 2;
        if (batch->block_group[middle] <= lane / VV_LANES)
            block = middle;
        else
            last = middle;
    }
    return block;
}

static void fill_pair(const void *arg, int lane, int corner, double *to)
{
    const plane *s = arg;
    triangle t;
    int at = 0;
    triangle_of_lane(s, block_of_lane(&s->e.batch, lane), lane, &t);
    for (int a = 0; a < 3; a++)
        for (int k = 0; a != corner && k < 2; k++)
            to[VV_LANES * at++] = t.g[a][k];
    to[VV_LANES * at] = t.weight * t.law.mu;
    to[VV_LANES * (at + 1)] = t.weight * t.law.lambda;
}

static vvStatus prepare_nodes(const vv_energy *e, const vv_node_order *order, void **data, vvError *error)
{
    return vv_incidence_create(order, &((const plane *)e)->e.batch, PAIR, PAIR_WEIGHTS, fill_pair, e, data, error);
}

/* Row and lane of an incidence, with the node at `own`. */
static vv_plane_state state_of_pair(const vv_incidence *around, int row, int lane, const double *x, const double *own,
                                    double g[2], plane_law *law)
{
    const int *other = around->other + (ptrdiff_t)row * 2 * VV_LANES + lane;
    const double *number = around->number + (ptrdiff_t)row * PAIR * VV_LANES + lane;
    double f[2][2] = { { 0 } };
    for (int a = 0; a < 2; a++) {
        const double *there = x + 4 * (ptrdiff_t)other[a * VV_LANES];
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++)
                f[i][j] += (there[i] - own[i]) * number[VV_LANES * (2 * a + j)];
    }
    g[0] = -(number[0] + number[2 * VV_LANES]), g[1] = -(number[VV_LANES] + number[3 * VV_LANES]);
    *law = (plane_law){ number[PAIR_WEIGHTS * VV_LANES], number[(PAIR_WEIGHTS + 1) * VV_LANES] };
    return vv_plane_state_of(f);
}

static void blocks_of_node(const vv_incidence *around, const vv_node_batch *b, int group, int lane)
{
    double force[3] = { 0 }, block[9] = { 0 };
    const double *own = vv_node_position(b, group, lane);
    for (int row = around->start[group]; row < around->start[group + 1]; row++) {
        double g[2], stress[2][2], k[4] = { 0 };
        plane_law law;
        vv_plane_state p = state_of_pair(around, row, lane, b->x, own, g, &law);
        vv_plane_curvature c = vv_plane_curvature_of(&p, law.mu, law.lambda, true);
        vv_plane_stress(&p, law.mu, law.lambda, stress);
        vv_plane_add_block(&p, &c, g, g, 1, k);
        for (int i = 0; i < 2; i++)
            force[i] += stress[i][0] * g[0] + stress[i][1] * g[1];
        block[0] += k[0], block[1] += k[1], block[3] += k[2], block[4] += k[3];
    }
    vv_node_add(b, group, lane, force, block);
}

static void node_blocks(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    (void)e;
    for (int group = b->begin; group < b->end; group++)
        for (int lane = 0; lane < VV_LANES; lane++)
            blocks_of_node(data, b, group, lane);
}

static void node_values(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    const vv_incidence *around = data;
    (void)e;
    for (int group = b->begin; group < b->end; group++)
        for (int lane = 0; lane < VV_LANES; lane++) {
            const double *own = vv_node_position(b, group, lane);
            double sum = 0, g[2];
            plane_law law;
            for (int row = around->start[group]; row < around->start[group + 1]; row++) {
                vv_plane_state p = state_of_pair(around, row, lane, b->x, own, g, &law);
                sum += vv_plane_psi(&p, law.mu, law.lambda);
            }
            b->values[8 * (ptrdiff_t)(group - b->begin) + lane] += b->value * sum;
        }
}

static const vv_node_ops nodes = { prepare_nodes, NULL, node_blocks, node_values, NULL };

static void destroy(vv_energy *e)
{
    plane *s = (plane *)e;
    vv_batch_energy_free(&s->e);
    vv_free(s->shape);
    vv_free(s->law);
    vv_free(s);
}

/* clang-format off */
#define VV_PLANE_INFO \
    { "fixed-corotated-plane", \
      "two-dimensional bodies: triangles in the x-y plane, fixed corotated in plane strain; may be inverted" }
/* clang-format on */

static const vv_energy_ops ops = { .info = VV_PLANE_INFO,
                                   .row = VV_ROW_ELASTIC,
                                   .value = value,
                                   .value_gradient = value_gradient,
                                   .derivatives = vv_batch_energy_derivatives,
                                   .sum_derivatives = vv_batch_energy_sum_derivatives,
                                   .pattern = vv_batch_energy_pattern,
                                   .slots = vv_batch_energy_slots,
                                   .destroy = destroy,
                                   .least_j = least_j,
                                   .quadratic = quadratic,
                                   .nodes = &nodes };

/* ---- creation -------------------------------------------------------------------------------------------------- */

/* The body lies in a plane of constant z, to a billionth of its size. */
static vvStatus check_flat(const double *rest, const vv_element_part *part, vvError *error)
{
    double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
    for (int i = 0; i < 3 * part->triangle_count; i++)
        for (int k = 0; k < 3; k++) {
            double at = rest[3 * (size_t)part->triangles[i] + (size_t)k];
            low[k] = fmin(low[k], at), high[k] = fmax(high[k], at);
        }
    if (high[2] - low[2] > 1e-9 * fmax(high[0] - low[0], high[1] - low[1]))
        return vv_fail(
            error, VV_ERROR_INPUT,
            "body %d is not flat: its vertices have z from %.6g to %.6g m, and \"fixed-corotated-plane\" is for bodies "
            "that lie in the x-y plane or parallel to it; turn or flatten the body, or take \"stvk-membrane\" or "
            "\"neo-hookean-membrane\"",
            part->body, low[2], high[2]);
    return VV_OK;
}

/* Those of triangle `own` of a part. */
static vvStatus fill_shape(const double *rest, const vv_element_part *part, int own, double *to, vvError *error)
{
    const int *v = part->triangles + 3 * (size_t)own;
    const double *o = rest + 3 * (size_t)v[0], *p = rest + 3 * (size_t)v[1], *q = rest + 3 * (size_t)v[2];
    double a = p[0] - o[0], b = q[0] - o[0], c = p[1] - o[1], d = q[1] - o[1], det = a * d - b * c, area, longest;
    if (vv_triangle_has_no_area(rest, v, &area, &longest) || !isfinite(1 / det))
        return vv_fail(error, VV_ERROR_INPUT,
                       "triangle %d of body %d has no area at rest (%g m^2 with a longest edge of %g m), and "
                       "\"fixed-corotated-plane\" needs one; remove it or repair the mesh",
                       own, part->body, area, longest);
    to[0] = d / det, to[1] = -b / det;
    to[2] = -c / det, to[3] = a / det;
    to[4] = 0.5 * fabs(det) * (part->triangle_thickness ? part->triangle_thickness[own] : part->thickness) *
            (part->triangle_stiffness ? part->triangle_stiffness[own] : 1);
    return VV_OK;
}

static vvStatus fill_shapes(plane *s, const vv_element_input *in, const int *start, vvError *error)
{
    const vv_batch *batch = &s->e.batch;
    s->shape = vv_alloc((size_t)batch->group_count * VV_LANES * SHAPE, sizeof *s->shape);
    vvStatus status = s->shape ? VV_OK : vv_fail_memory(error, "triangles in the plane");
    for (int block = 0; status == VV_OK && block < batch->block_count; block++) {
        int part = batch->block_part[block];
        for (int lane = VV_LANES * batch->block_group[block];
             status == VV_OK && lane < VV_LANES * batch->block_group[block + 1]; lane++)
            if (batch->source[lane] >= 0)
                status = fill_shape(in->rest, in->parts + part, batch->source[lane] - start[part],
                                    s->shape + (size_t)lane * SHAPE, error);
    }
    return status;
}

static vvStatus fill(plane *s, const vv_element_input *in, int *start, int *triangles, vvError *error)
{
    vvStatus status = VV_OK;
    for (int p = 0; status == VV_OK && p < in->part_count; p++) {
        const vv_element_part *part = in->parts + p;
        memcpy(triangles + 3 * (size_t)start[p], part->triangles, 3 * (size_t)part->triangle_count * sizeof *triangles);
        start[p + 1] = start[p] + part->triangle_count;
        s->e.body[p] = part->body;
        s->law[p] = (plane_law){ part->material->mu, part->material->lambda };
        status = check_flat(in->rest, part, error);
    }
    if (status == VV_OK)
        status = vv_batch_create(&s->e.batch, 3, in->node_count, in->rest, in->part_count, start, triangles, error);
    return status == VV_OK ? fill_shapes(s, in, start, error) : status;
}

static vvStatus create_of_parts(const vv_element_kind *kind, const vv_element_input *in, vv_energy **out,
                                vvError *error)
{
    (void)kind;
    size_t count = 0, parts = (size_t)in->part_count;
    *out = NULL;
    for (size_t p = 0; p < parts; p++)
        count += (size_t)in->parts[p].triangle_count;
    if (count > INT32_MAX / 32)
        return vv_fail(error, VV_ERROR_INPUT, "%zu triangles in one batch; at most %d", count, INT32_MAX / 32);
    plane *s = vv_alloc(1, sizeof *s);
    int *triangles = vv_alloc(3 * count, sizeof *triangles), *start = vv_alloc(parts + 1, sizeof *start);
    if (s) {
        s->e.base.ops = &ops;
        s->e.add = add_derivatives;
        s->e.part_count = in->part_count;
        s->e.body = vv_alloc(parts, sizeof *s->e.body);
        s->law = vv_alloc(parts, sizeof *s->law);
    }
    vvStatus status = s && triangles && start && s->e.body && s->law ? fill(s, in, start, triangles, error)
                                                                     : vv_fail_memory(error, "triangles in the plane");
    vv_free(triangles);
    vv_free(start);
    if (status == VV_OK)
        *out = &s->e.base;
    else if (s)
        destroy(&s->e.base);
    return status;
}

const vv_element_kind vv_plane_kind = { .info = VV_PLANE_INFO,
                                        .cell = VV_CELL_TRIANGLES,
                                        .moduli = true,
                                        .create = create_of_parts,
                                        .rayleigh = vv_rayleigh_of_parts,
                                        .thick = true,
                                        .flat = true };

/* The batch of triangles that bend by mid-edge normals: storage and dispatch; the arithmetic is in midedge_kernel.c
 * (theory §4.11). */
#include "energy/shells/midedge.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/simd/variant.h"
#include "base/vec.h"
#include "energy/batch/batch.h"
#include "energy/shells/edge_search.h"
#include "energy/shells/midedge_kernels.h"
#include "energy/batch/rayleigh.h"

#include <math.h>
#include <string.h>

enum { FORCES = 100, HESSIANS = 1000 }; /* of a triangle, roughly, ns */
enum { NODES = VV_MIDEDGE_NODES, PAIRS = VV_MIDEDGE_PAIRS, SHAPE = VV_MIDEDGE_SHAPE };

typedef struct midedge {
    vv_batch_energy e;    /* a part each */
    double *shape, *rest; /* see midedge_kernels.h */
    const vv_midedge_kernels *kernels;
} midedge;

typedef struct midedge_job {
    const midedge *s;
    vv_midedge_block block;
    const double *part_scale;
    const int *slots;
    double (*number)(const vv_midedge_block *b); /* NULL: derivatives */
} midedge_job;

static void run_block(void *arg, int j)
{
    const midedge_job *job = arg;
    const midedge *s = job->s;
    const vv_batch *batch = &s->e.batch;
    size_t first = (size_t)batch->block_group[j];
    vv_midedge_block b = job->block;
    b.groups = batch->block_group[j + 1] - batch->block_group[j];
    b.shape = s->shape + first * SHAPE * VV_LANES;
    b.rest = s->rest + first * PAIRS * VV_LANES;
    b.nodes = batch->nodes + first * NODES * VV_LANES;
    b.slots = job->slots ? job->slots + first * NODES * NODES * VV_LANES : NULL;
    if (job->number)
        batch->partial[j] = job->number(&b);
    else if (vv_samples_scale(b.sample, b.samples, job->part_scale, batch->block_part[j]))
        s->kernels->derivatives(&b);
}

static double value(const vv_energy *e, const vv_parallel *par, const double *x, double *per_body)
{
    const midedge *s = (const midedge *)e;
    midedge_job job = { .s = s, .block = { .x = x }, .number = s->kernels->value };
    return vv_batch_total(&s->e, par, FORCES, false, run_block, &job, per_body);
}

static double value_gradient(const vv_energy *e, const vv_parallel *par, const double *x, double scale,
                             double *per_body, double *g)
{
    const midedge *s = (const midedge *)e;
    midedge_job job = { .s = s, .block = { .x = x, .scale = scale, .g = g }, .number = s->kernels->value_gradient };
    return vv_batch_total(&s->e, par, FORCES, true, run_block, &job, per_body);
}

static void add_derivatives(const vv_batch_energy *e, const vv_parallel *par, const vv_batch_sum_of *what)
{
    const midedge *s = (const midedge *)e;
    bool rest = what->mode == VV_HESSIAN_REST;
    midedge_job job = { .s = s,
                        .block = { .samples = what->samples,
                                   .project = what->mode == VV_HESSIAN_PROJECTED,
                                   .constant = rest,
                                   .g = rest ? NULL : what->g,
                                   .values = what->values },
                        .part_scale = what->part_scale,
                        .slots = what->slots };
    memcpy(job.block.sample, what->sample, (size_t)what->samples * sizeof *what->sample);
    vv_batch_colored(&s->e.batch, par, what->values ? HESSIANS : FORCES, run_block, &job);
}

/* Of anything but small angles it is no bound. */
static bool quadratic(const vv_energy *e, vv_quadratic_kind kind, vv_quadratic *to)
{
    const midedge *s = (const midedge *)e;
    const vv_batch *batch = &s->e.batch;
    if (kind == VV_QUADRATIC_BOUND)
        return false;
    if (!to || !vv_quadratic_reserve(to, (size_t)batch->element_count * (PAIRS - NODES)))
        return true;
    for (int lane = 0; lane < VV_LANES * batch->group_count; lane++) {
        const double *rest = s->rest + (size_t)(lane / VV_LANES) * PAIRS * VV_LANES + lane % VV_LANES;
        const int *nodes = batch->nodes + (size_t)(lane / VV_LANES) * NODES * VV_LANES + lane % VV_LANES;
        for (int p = 0; batch->source[lane] >= 0 && p < NODES; p++) {
            vv_quadratic_add_diagonal(to, nodes[VV_LANES * p], rest[VV_LANES * vv_midedge_pair(p, p)]);
            for (int q = p + 1; q < NODES; q++)
                vv_quadratic_add(to, nodes[VV_LANES * p], nodes[VV_LANES * q], rest[VV_LANES * vv_midedge_pair(p, q)]);
        }
    }
    return true;
}

static void each(const vv_energy *e, const double *x, vv_element_fn *found, void *arg)
{
    const midedge *s = (const midedge *)e;
    for (int g = 0; g < s->e.batch.group_count; g++) {
        double values[VV_LANES];
        s->kernels->each(&(vv_midedge_block){ .groups = 1,
                                              .shape = s->shape + (size_t)g * SHAPE * VV_LANES,
                                              .nodes = s->e.batch.nodes + (size_t)g * NODES * VV_LANES,
                                              .x = x },
                         values);
        vv_batch_group(&s->e.batch, g, values, found, arg);
    }
}

static void destroy(vv_energy *e)
{
    midedge *s = (midedge *)e;
    vv_batch_energy_free(&s->e);
    vv_free(s->shape);
    vv_free(s->rest);
    vv_free(s);
}

#define NAME "midedge"
#define SUMMARY "bending of shells by mid-edge normals: exact for quadratic deflections on any triangles"

static const vv_energy_ops ops = {
    .info = { NAME, SUMMARY },
    .row = VV_ROW_ELASTIC,
    .instead = "bend shells with \"hinge\"",
    .value = value,
    .value_gradient = value_gradient,
    .derivatives = vv_batch_energy_derivatives,
    .sum_derivatives = vv_batch_energy_sum_derivatives,
    .pattern = vv_batch_energy_pattern,
    .slots = vv_batch_energy_slots,
    .destroy = destroy,
    .quadratic = quadratic,
    .each = each,
};

/* ---- one element at rest ---------------------------------------------------------------------------------------- */

typedef struct element {
    const double *x[NODES];
    double edge[3][3], length[3], area; /* unit vectors */
    double m[3][3], hold;               /* N m; N/m */
} element;

/* M_ij = D A c_i c_j ((1 - nu) (m_i . m_j)^2 + nu), c = length / A; the normals m_i are turned as the edges are. */
static void find_stiffness(const double *rest, const vv_element_part *part, int triangle, const int nodes[NODES],
                           element *e)
{
    const vv_material *m = part->material;
    double poisson = m->def.lame ? m->lambda / (2 * (m->lambda + m->mu)) : m->def.poisson,
           d = vv_plate_stiffness(part, triangle);
    for (int i = 0; i < NODES; i++)
        e->x[i] = rest + 3 * (size_t)nodes[i];
    for (int i = 0; i < 3; i++) {
        vv_sub(e->x[(i + 1) % 3], e->x[i], e->edge[i]);
        e->length[i] = vv_norm(e->edge[i]);
        for (int k = 0; k < 3; k++)
            e->edge[i][k] /= e->length[i];
    }
    e->area = vv_triangle_area(rest, nodes);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double c = vv_dot(e->edge[i], e->edge[j]);
            e->m[i][j] = d * e->length[i] * e->length[j] / e->area * ((1 - poisson) * c * c + poisson);
        }
    /* D l^2/(A d^2): as stiff as against turning, where the director is as far away as the edge is long */
    e->hold = d / e->area;
}

/* The constant Hessian: |M| by its rows' sums, angles by 2 (U_1 U_1^T + U_2 U_2^T), with unit normals left out
 * (dihedral.h); the directors' places by 2 k in all directions. It is no less than the Hessian at rest. */
static void find_rest(const element *e, double rest[PAIRS])
{
    memset(rest, 0, PAIRS * sizeof *rest);
    for (int i = 0; i < 3; i++) {
        const int at[4] = { i, (i + 1) % 3, (i + 2) % 3, 3 + i };
        double row = fabs(e->m[i][0]) + fabs(e->m[i][1]) + fabs(e->m[i][2]);
        double sets[4][NODES] = { { 0 } }, weight[4] = { 2 * row, 2 * row, 2 * e->hold, 2 * e->hold };
        for (int side = 0; side < 2; side++) {
            double to[3], foot[3];
            vv_sub(e->x[at[2 + side]], e->x[at[0]], to);
            double along = vv_dot(to, e->edge[i]);
            for (int k = 0; k < 3; k++)
                foot[k] = to[k] - along * e->edge[i][k];
            double height = vv_norm(foot), s = along / e->length[i];
            sets[side][at[0]] = (1 - s) / height;
            sets[side][at[1]] = s / height;
            sets[side][at[2 + side]] = -1 / height;
        }
        sets[2][at[0]] = sets[2][at[1]] = -0.5, sets[2][at[3]] = 1;
        sets[3][at[0]] = -1, sets[3][at[1]] = 1;
        for (int w = 0; w < 4; w++)
            for (int p = 0; p < NODES; p++)
                for (int q = p; q < NODES; q++)
                    rest[vv_midedge_pair(p, q)] += weight[w] * sets[w][p] * sets[w][q];
    }
}

/* ---- creation ---------------------------------------------------------------------------------------------------- */

static void list_nodes(const vv_element_part *part, int *to)
{
    for (int t = 0; t < part->triangle_count; t++, to += NODES)
        for (int k = 0; k < 3; k++) {
            const int *v = part->triangles + 3 * (size_t)t;
            to[k] = v[k];
            to[3 + k] = part->director + vv_find_edge(part->edges, part->edge_count, v[k], v[(k + 1) % 3]);
        }
}

static vvStatus degenerate(const vv_element_part *part, int triangle, vvError *error)
{
    return vv_fail(error, VV_ERROR_INPUT,
                   "triangle %d of body %d has no area, or too little for its size, which the material \"" NAME
                   "\" needs to "
                   "know which way it faces; leave it out of the mesh, or run the mesh through vvMeshFinish",
                   triangle, part->body);
}

/* The fold at a hinge, if it is given, seen from the side of the normal of the triangle that runs from a to b to
 * `opposite`; else NaN. */
static double given_fold(const vv_element_part *part, int hinge, int a, int b, int opposite)
{
    if (!part->hinge_angles)
        return NAN;
    const int *h = part->hinges + 4 * (size_t)hinge;
    /* the sign is that seen from the triangle (h0, h1, h2); the other one agrees if it runs along the edge the other
     * way */
    bool agrees = h[2] == opposite ? h[0] == a : h[0] == b;
    return agrees ? part->hinge_angles[hinge] : -part->hinge_angles[hinge];
}

/* Of edge `i`; measured: in the mesh. Where a fold is given, or none at all by `flat`, the director stands in its
 * middle, on the side where it is: a quarter turn from each of two flat triangles. Three and more cannot be flat to
 * each other, and keep the mesh's angles. */
static double rest_angle(const vv_element_part *part, int triangle, int i, double measured)
{
    const int *v = part->triangles + 3 * (size_t)triangle;
    int a = v[i], b = v[(i + 1) % 3], hinge = vv_find_hinge(part->hinges, part->hinge_count, a, b);
    if (hinge >= 0 && vv_hinge_is_of_many(part->hinges, part->hinge_count, hinge))
        return measured;
    double fold = hinge >= 0 ? given_fold(part, hinge, a, b, v[(i + 2) % 3]) : NAN,
           quarter = copysign(0.5 * 3.14159265358979323846, measured);
    if (!isnan(fold))
        return quarter + 0.5 * fold;
    return part->material->def.flat ? quarter : measured;
}

/* The numbers of a lane; `angle`: of its first edge at rest, the others follow in steps of VV_LANES. */
static vvStatus fill_lane(midedge *s, const vv_element_input *in, int lane, const vv_element_part *part, int triangle,
                          const double *angle, vvError *error)
{
    const vv_batch *batch = &s->e.batch;
    size_t group = (size_t)(lane / VV_LANES);
    double *shape = s->shape + group * SHAPE * VV_LANES + lane % VV_LANES,
           *rest = s->rest + group * PAIRS * VV_LANES + lane % VV_LANES;
    bool there = batch->source[lane] >= 0;
    int nodes[NODES], at = 0;
    element e;
    double numbers[PAIRS];
    for (int p = 0; p < NODES; p++)
        nodes[p] = batch->nodes[(group * NODES + (size_t)p) * VV_LANES + (size_t)(lane % VV_LANES)];
    for (int i = 0; i < 3; i++)
        if (isnan(angle[VV_LANES * i]))
            return degenerate(part, triangle, error);
    find_stiffness(in->rest, part, triangle, nodes, &e);
    find_rest(&e, numbers);
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            shape[VV_LANES * at++] = there ? e.m[i][j] : 0;
    for (int i = 0; i < 3; i++) {
        double w[3];
        for (int k = 0; k < 3; k++)
            w[k] = e.x[3 + i][k] - 0.5 * (e.x[i][k] + e.x[(i + 1) % 3][k]);
        shape[VV_LANES * (6 + i)] = rest_angle(part, triangle, i, angle[VV_LANES * i]);
        shape[VV_LANES * (9 + i)] = vv_norm(w);
    }
    shape[VV_LANES * 12] = there ? e.hold : 0;
    for (int i = 0; i < PAIRS; i++)
        rest[VV_LANES * i] = there ? numbers[i] : 0;
    return VV_OK;
}

static vvStatus fill_shapes(midedge *s, const vv_element_input *in, const int *start, double *angles, vvError *error)
{
    const vv_batch *batch = &s->e.batch;
    const vv_midedge_block all = { .groups = batch->group_count, .nodes = batch->nodes, .x = in->rest };
    vvStatus status = VV_OK;
    s->kernels->angles(&all, angles);
    for (int lane = 0, p = 0; status == VV_OK && lane < VV_LANES * batch->group_count; lane++) {
        int source = batch->source[lane] < 0 ? ~batch->source[lane] : batch->source[lane];
        for (p = 0; source >= start[p + 1];)
            p++;
        status = fill_lane(s, in, lane, in->parts + p, source - start[p],
                           angles + (size_t)(lane / VV_LANES) * 3 * VV_LANES + lane % VV_LANES, error);
    }
    return status;
}

static vvStatus build(midedge *s, const vv_element_input *in, int *start, int *nodes, vvError *error)
{
    s->e.body = vv_alloc((size_t)in->part_count, sizeof *s->e.body);
    if (!s->e.body)
        return vv_fail_memory(error, "bending");
    for (int p = 0; p < in->part_count; p++) {
        s->e.body[p] = in->parts[p].body;
        start[p + 1] = start[p] + in->parts[p].triangle_count;
        list_nodes(in->parts + p, nodes + NODES * (size_t)start[p]);
    }
    vvStatus status =
        vv_batch_create(&s->e.batch, NODES, in->node_count, in->rest, in->part_count, start, nodes, error);
    if (status != VV_OK)
        return status;
    size_t groups = (size_t)s->e.batch.group_count;
    double *angles = vv_alloc(groups * 3 * VV_LANES, sizeof *angles);
    s->shape = vv_alloc(groups * SHAPE * VV_LANES, sizeof *s->shape);
    s->rest = vv_alloc(groups * PAIRS * VV_LANES, sizeof *s->rest);
    status =
        angles && s->shape && s->rest ? fill_shapes(s, in, start, angles, error) : vv_fail_memory(error, "bending");
    vv_free(angles);
    return status;
}

static vvStatus create(const vv_element_kind *kind, const vv_element_input *in, vv_energy **out, vvError *error)
{
    (void)kind;
    size_t triangles = 0;
    *out = NULL;
    for (int p = 0; p < in->part_count; p++)
        triangles += (size_t)in->parts[p].triangle_count;
    if (triangles == 0)
        return VV_OK;
    midedge *s = vv_alloc(1, sizeof *s);
    int *start = vv_alloc((size_t)in->part_count + 1, sizeof *start),
        *nodes = vv_alloc(NODES * triangles, sizeof *nodes);
    if (s)
        *s = (midedge){ .e = { .base.ops = &ops, .add = add_derivatives, .part_count = in->part_count },
                        .kernels = VV_VARIANT_HERE(vv_midedge_kernels) };
    vvStatus status = s && start && nodes ? build(s, in, start, nodes, error) : vv_fail_memory(error, "bending");
    vv_free(start);
    vv_free(nodes);
    if (status == VV_OK)
        *out = &s->e.base;
    else if (s)
        destroy(&s->e.base);
    return status;
}

const vv_element_kind vv_midedge_kind = {
    .info = { NAME, SUMMARY },
    .cell = VV_CELL_TRIANGLES,
    .moduli = true,
    .create = create,
    .rayleigh = vv_rayleigh_of_parts,
    .thick = true,
    .directors = true,
    .angles = true,
    .bending = true,
};

/* The batch of hinges, "hinge" (Grinspun, Hirani, Desbrun, Schroeder 2003, "Discrete shells"; theory §4.10): storage
 * and creation; the arithmetic is in hinges_kernel.c.
 *
 * E = 1/2 K (angle - rest angle)^2. A triangle of area A beside an edge of length l bends against the edge with
 * stiffness k = D l^2/A, D = E t^3/(12 (1 - nu^2)); two triangles at an edge are two such springs in a row, K = k_1
 * k_2/(k_1 + k_2) = D l^2/(A_1 + A_2). Of n triangles welded together at an edge, the edge turns to where the moments
 * balance, which leaves K_ij = k_i k_j/(k_1 + ... + k_n) for each pair. */
#include "energy/shells/hinges.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/simd/variant.h"
#include "base/vec.h"
#include "energy/batch/batch.h"
#include "energy/shells/hinges_kernels.h"
#include "energy/batch/rayleigh.h"
#include "energy/relax/relax.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FORCES = 20, HESSIANS = 150 }; /* of a hinge, roughly, ns */

typedef struct hinges {
    vv_batch_energy e;    /* parts are those of the input */
    double *shape, *rest; /* see hinges_kernels.h */
    int node_count;
    const vv_hinge_kernels *kernels;
} hinges;

typedef struct hinges_job {
    const hinges *s;
    vv_hinge_block block;
    const double *part_scale;
    const int *slots;
    double (*number)(const vv_hinge_block *b); /* NULL: derivatives */
} hinges_job;

static void run_block(void *arg, int j)
{
    const hinges_job *job = arg;
    const hinges *s = job->s;
    const vv_batch *batch = &s->e.batch;
    size_t first = (size_t)batch->block_group[j];
    vv_hinge_block b = job->block;
    b.groups = batch->block_group[j + 1] - batch->block_group[j];
    b.shape = s->shape + first * 2 * VV_LANES;
    b.rest = s->rest + first * VV_HINGE_REST * VV_LANES;
    b.nodes = batch->nodes + first * 4 * VV_LANES;
    b.slots = job->slots ? job->slots + first * 16 * VV_LANES : NULL;
    if (job->number)
        batch->partial[j] = job->number(&b);
    else if (vv_samples_scale(b.sample, b.samples, job->part_scale, batch->block_part[j]))
        s->kernels->derivatives(&b);
}

static double value(const vv_energy *e, const vv_parallel *par, const double *x, double *per_body)
{
    const hinges *s = (const hinges *)e;
    hinges_job job = { .s = s, .block = { .x = x }, .number = s->kernels->value };
    return vv_batch_total(&s->e, par, FORCES, false, run_block, &job, per_body);
}

static double value_gradient(const vv_energy *e, const vv_parallel *par, const double *x, double scale,
                             double *per_body, double *g)
{
    const hinges *s = (const hinges *)e;
    hinges_job job = { .s = s, .block = { .x = x, .scale = scale, .g = g }, .number = s->kernels->value_gradient };
    return vv_batch_total(&s->e, par, FORCES, true, run_block, &job, per_body);
}

static void add_derivatives(const vv_batch_energy *e, const vv_parallel *par, const vv_batch_sum_of *what)
{
    const hinges *s = (const hinges *)e;
    bool rest = what->mode == VV_HESSIAN_REST;
    hinges_job job = { .s = s,
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

/* That at rest; there is no bound, as thin triangles bend without one. */
static bool quadratic(const vv_energy *e, vv_quadratic_kind kind, vv_quadratic *to)
{
    const hinges *s = (const hinges *)e;
    const vv_batch *batch = &s->e.batch;
    if (kind == VV_QUADRATIC_BOUND)
        return false;
    if (!to || !vv_quadratic_reserve(to, 6 * (size_t)batch->element_count))
        return true;
    for (int lane = 0; lane < VV_LANES * batch->group_count; lane++) {
        const double *number = s->rest + (size_t)(lane / VV_LANES) * VV_HINGE_REST * VV_LANES + lane % VV_LANES;
        const int *nodes = batch->nodes + (size_t)(lane / VV_LANES) * 4 * VV_LANES + lane % VV_LANES;
        for (int a = 0, i = 0; batch->source[lane] >= 0 && a < 4; a++)
            for (int b = a; b < 4; b++, i++)
                if (a == b)
                    vv_quadratic_add_diagonal(to, nodes[a * VV_LANES], number[i * VV_LANES]);
                else
                    vv_quadratic_add(to, nodes[a * VV_LANES], nodes[b * VV_LANES], number[i * VV_LANES]);
    }
    return true;
}

static vvStatus constraints(const vv_energy *e, vv_constraints **out, vvError *error)
{
    const hinges *s = (const hinges *)e;
    return vv_hinge_constraints(s->node_count, &s->e.batch, s->shape, out, error);
}

static void each(const vv_energy *e, const double *x, vv_element_fn *found, void *arg)
{
    const hinges *s = (const hinges *)e;
    for (int g = 0; g < s->e.batch.group_count; g++) {
        double values[VV_LANES];
        s->kernels->each(&(vv_hinge_block){ .groups = 1,
                                            .shape = s->shape + (size_t)g * 2 * VV_LANES,
                                            .nodes = s->e.batch.nodes + (size_t)g * 4 * VV_LANES,
                                            .x = x },
                         values);
        vv_batch_group(&s->e.batch, g, values, found, arg);
    }
}

/* ---- one node at a time ---- */

static void fill_pair(const void *arg, int lane, int corner, double *to)
{
    const double *shape = ((const hinges *)arg)->shape + (size_t)(lane / VV_LANES) * 2 * VV_LANES + lane % VV_LANES;
    to[0] = shape[VV_LANES];
    to[VV_LANES] = corner;
    to[2 * VV_LANES] = shape[0];
}

static vvStatus prepare_nodes(const vv_energy *e, const vv_node_order *order, void **data, vvError *error)
{
    return vv_incidence_create(order, &((const hinges *)e)->e.batch, VV_HINGE_PAIR, VV_HINGE_PAIR_WEIGHTS, fill_pair, e,
                               data, error);
}

static void node_blocks(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    ((const hinges *)e)->kernels->node_blocks(data, b);
}

static void node_values(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    ((const hinges *)e)->kernels->node_values(data, b);
}

static const vv_node_ops nodes = { prepare_nodes, NULL, node_blocks, node_values, NULL };

static void destroy(vv_energy *e)
{
    hinges *s = (hinges *)e;
    vv_batch_energy_free(&s->e);
    vv_free(s->shape);
    vv_free(s->rest);
    vv_free(s);
}

static const vv_energy_ops ops = { .info = { "hinge", "bending across edges" },
                                   .row = VV_ROW_ELASTIC,
                                   .value = value,
                                   .value_gradient = value_gradient,
                                   .derivatives = vv_batch_energy_derivatives,
                                   .sum_derivatives = vv_batch_energy_sum_derivatives,
                                   .pattern = vv_batch_energy_pattern,
                                   .slots = vv_batch_energy_slots,
                                   .destroy = destroy,
                                   .quadratic = quadratic,
                                   .constraints = constraints,
                                   .nodes = &nodes,
                                   .each = each };

/* ---- creation -------------------------------------------------------------------------------------------------- */

/* How a hinge begins: its stiffness, N m, and whether its edge has further hinges. */
typedef struct hinge_start {
    double stiffness;
    bool crowded;
} hinge_start;

static double area_of(const double *rest, const int *hinge, int side)
{
    return vv_triangle_area(rest, (const int[]){ hinge[0], hinge[1], hinge[2 + side] });
}

static bool same_edge(const int *g, const int *h)
{
    return (g[0] == h[0] && g[1] == h[1]) || (g[0] == h[1] && g[1] == h[0]);
}

/* D of a part's triangles. Where they differ, hinges look theirs up by their vertices, in ascending order; of equal
 * triangles the first one counts. */
typedef struct named_plate {
    int v[3], triangle;
} named_plate;

typedef struct plates {
    const vv_element_part *part;
    named_plate *list; /* in ascending order; NULL: all are as the first one */
} plates;

static void sort_three(int v[3])
{
    for (int i = 0; i < 3; i++) {
        int j = (i & 1); /* (0, 1), (1, 2), (0, 1) */
        if (v[j] > v[j + 1]) {
            int swap = v[j];
            v[j] = v[j + 1], v[j + 1] = swap;
        }
    }
}

static int compare_vertices(const void *a, const void *b)
{
    const named_plate *x = a, *y = b;
    for (int k = 0; k < 3; k++)
        if (x->v[k] != y->v[k])
            return x->v[k] < y->v[k] ? -1 : 1;
    return 0;
}

static int compare_plates(const void *a, const void *b)
{
    int order = compare_vertices(a, b), x = ((const named_plate *)a)->triangle, y = ((const named_plate *)b)->triangle;
    return order ? order : (x > y) - (x < y);
}

static bool plates_create(const vv_element_part *part, plates *p)
{
    *p = (plates){ .part = part };
    if (!part->triangle_thickness && !part->triangle_stiffness)
        return true;
    if (!(p->list = vv_alloc((size_t)part->triangle_count, sizeof *p->list)))
        return false;
    for (int t = 0; t < part->triangle_count; t++) {
        memcpy(p->list[t].v, part->triangles + 3 * (size_t)t, sizeof p->list[t].v);
        sort_three(p->list[t].v);
        p->list[t].triangle = t;
    }
    qsort(p->list, (size_t)part->triangle_count, sizeof *p->list, compare_plates);
    return true;
}

/* D l^2/A of the triangle on one side of a hinge. */
static double side_stiffness(const double *rest, const plates *p, const int *hinge, int side)
{
    named_plate key = { { hinge[0], hinge[1], hinge[2 + side] }, 0 };
    if (p->list) {
        int low = 0, high = p->part->triangle_count - 1;
        sort_three(key.v);
        while (low < high) {
            int middle = low + (high - low) / 2;
            if (compare_vertices(p->list + middle, &key) < 0)
                low = middle + 1;
            else
                high = middle;
        }
        key.triangle = p->list[low].triangle;
    }
    double l = vv_edge_length(rest, hinge[0], hinge[1]);
    return vv_plate_stiffness(p->part, key.triangle) * l * l / area_of(rest, hinge, side);
}

/* The sum over the triangles at an edge, whose hinges are `count` that follow each other. */
static double edge_stiffness(const double *rest, const plates *p, const int *hinge, int count)
{
    double sum = 0;
    for (int i = 0; i < 2 * count; i++) {
        int side = i % 2, own = hinge[4 * (i / 2) + 2 + side];
        bool counted = false;
        for (int j = 0; j < i; j++)
            counted = counted || hinge[4 * (j / 2) + 2 + j % 2] == own;
        sum += counted ? 0 : side_stiffness(rest, p, hinge + 4 * (i / 2), side);
    }
    return sum;
}

static vvStatus start_hinges(const double *rest, const plates *p, hinge_start *start, vvError *error)
{
    const vv_element_part *part = p->part;
    for (int i = 0, end; i < part->hinge_count; i = end) {
        const int *hinge = part->hinges + 4 * (size_t)i;
        for (end = i + 1; end < part->hinge_count && same_edge(hinge, part->hinges + 4 * (size_t)end);)
            end++;
        double all = edge_stiffness(rest, p, hinge, end - i);
        for (int j = i; j < end; j++) {
            const int *h = part->hinges + 4 * (size_t)j;
            start[j].stiffness = side_stiffness(rest, p, h, 0) / all * side_stiffness(rest, p, h, 1);
            start[j].crowded = end - i > 1;
            if (!isfinite(start[j].stiffness))
                return vv_fail(
                    error, VV_ERROR_INPUT,
                    "hinge %d of body %d has a triangle without area at rest, which the material \"hinge\" needs; "
                    "vvMeshFinish drops such triangles",
                    j, part->body);
        }
    }
    return VV_OK;
}

static vvStatus start_part(const double *rest, const vv_element_part *part, hinge_start *start, vvError *error)
{
    plates p;
    vvStatus status = plates_create(part, &p) ? start_hinges(rest, &p, start, error) : vv_fail_memory(error, "hinges");
    vv_free(p.list);
    return status;
}

/* The constant Hessian K grad_a . grad_b of a hinge at rest: three times the average of K grad grad^T over all
 * rotations. */
static void fill_constant(const double *rest, const int *hinge, double stiffness, double angle, double *to)
{
    double e[3], u[2][4] = { { 0 } }, l = vv_edge_length(rest, hinge[0], hinge[1]);
    vv_sub(rest + 3 * (size_t)hinge[1], rest + 3 * (size_t)hinge[0], e);
    for (int i = 0; i < 2; i++) {
        double side[3], height = 2 * area_of(rest, hinge, i) / l;
        vv_sub(rest + 3 * (size_t)hinge[2 + i], rest + 3 * (size_t)hinge[0], side);
        double s = vv_dot(side, e) / (l * l);
        u[i][0] = (1 - s) / height, u[i][1] = s / height, u[i][2 + i] = -1 / height;
    }
    for (int a = 0, i = 0; a < 4; a++)
        for (int b = a; b < 4; b++, i++)
            to[i * VV_LANES] = stiffness * (u[0][a] * u[0][b] + u[1][a] * u[1][b] +
                                            cos(angle) * (u[0][a] * u[1][b] + u[1][a] * u[0][b]));
}

static double rest_angle(const vv_element_part *part, int i, bool crowded, double of_mesh)
{
    if (part->hinge_angles && !isnan(part->hinge_angles[i]))
        return part->hinge_angles[i];
    return part->material->def.flat && !crowded ? 0 : of_mesh; /* three half-planes cannot be flat in pairs */
}

static vvStatus fill_lanes(hinges *s, const vv_element_input *in, const int *part_start, const hinge_start *start,
                           vvError *error)
{
    const vv_batch *batch = &s->e.batch;
    size_t groups = (size_t)batch->group_count;
    double *angle = vv_alloc(groups * VV_LANES, sizeof *angle);
    s->shape = vv_alloc(groups * 2 * VV_LANES, sizeof *s->shape);
    s->rest = vv_alloc(groups * VV_HINGE_REST * VV_LANES, sizeof *s->rest);
    vvStatus status = angle && s->shape && s->rest ? VV_OK : vv_fail_memory(error, "hinges");
    if (status == VV_OK)
        s->kernels->angles(&(vv_hinge_block){ .groups = batch->group_count, .nodes = batch->nodes, .x = in->rest },
                           angle);
    for (int j = 0; status == VV_OK && j < batch->block_count; j++)
        for (int lane = VV_LANES * batch->block_group[j]; lane < VV_LANES * batch->block_group[j + 1]; lane++) {
            const vv_element_part *part = in->parts + batch->block_part[j];
            int source = batch->source[lane],
                hinge = (source < 0 ? ~source : source) - part_start[batch->block_part[j]];
            const hinge_start *from = start + hinge + part_start[batch->block_part[j]];
            double *shape = s->shape + (size_t)(lane / VV_LANES) * 2 * VV_LANES + lane % VV_LANES;
            if (isnan(angle[lane])) {
                status = vv_fail(
                    error, VV_ERROR_INPUT,
                    "hinge %d of body %d has a triangle so thin at rest that there is no angle, which the material "
                    "\"hinge\" needs; repair the mesh",
                    hinge, part->body);
                break;
            }
            shape[VV_LANES] = rest_angle(part, hinge, from->crowded, angle[lane]);
            shape[0] = source < 0 ? 0 : from->stiffness;
            fill_constant(in->rest, part->hinges + 4 * (size_t)hinge, shape[0], shape[VV_LANES],
                          s->rest + (size_t)(lane / VV_LANES) * VV_HINGE_REST * VV_LANES + lane % VV_LANES);
        }
    vv_free(angle);
    return status;
}

static vvStatus fill(hinges *s, const vv_element_input *in, int *part_start, int *elements, hinge_start *start,
                     vvError *error)
{
    vvStatus status = VV_OK;
    for (int p = 0; status == VV_OK && p < in->part_count; p++) {
        const vv_element_part *part = in->parts + p;
        if (part->hinge_count)
            memcpy(elements + 4 * (size_t)part_start[p], part->hinges,
                   4 * (size_t)part->hinge_count * sizeof *elements);
        part_start[p + 1] = part_start[p] + part->hinge_count;
        s->e.body[p] = part->body;
        status = start_part(in->rest, part, start + part_start[p], error);
    }
    if (status == VV_OK)
        status = vv_batch_create(&s->e.batch, 4, in->node_count, in->rest, in->part_count, part_start, elements, error);
    return status == VV_OK ? fill_lanes(s, in, part_start, start, error) : status;
}

static vvStatus create_of_parts(const vv_element_kind *kind, const vv_element_input *in, vv_energy **out,
                                vvError *error)
{
    (void)kind;
    size_t count = 0, parts = (size_t)in->part_count;
    *out = NULL;
    for (int p = 0; p < in->part_count; p++)
        count += (size_t)in->parts[p].hinge_count;
    if (count > INT32_MAX / 32)
        return vv_fail(error, VV_ERROR_INPUT, "%zu hinges in one batch; at most %d", count, INT32_MAX / 32);
    if (count == 0)
        return VV_OK;
    hinges *s = vv_alloc(1, sizeof *s);
    int *part_start = vv_alloc(parts + 1, sizeof *part_start), *elements = vv_alloc(4 * count, sizeof *elements);
    hinge_start *start = vv_alloc(count, sizeof *start);
    if (s) {
        s->e.base.ops = &ops;
        s->e.add = add_derivatives;
        s->e.part_count = in->part_count;
        s->node_count = in->node_count;
        s->e.body = vv_alloc(parts, sizeof *s->e.body);
        s->kernels = VV_VARIANT_HERE(vv_hinge_kernels);
    }
    vvStatus status = s && part_start && elements && start && s->e.body
                          ? fill(s, in, part_start, elements, start, error)
                          : vv_fail_memory(error, "hinges");
    vv_free(part_start);
    vv_free(elements);
    vv_free(start);
    if (status == VV_OK)
        *out = &s->e.base;
    else if (s)
        destroy(&s->e.base);
    return status;
}

const vv_element_kind vv_hinge_kind = {
    .info = { "hinge",
              "shells' bending, D l^2/(A1 + A2)/2 (angle - rest angle)^2 across each edge, D = E t^3/(12 (1 - nu^2))" },
    .cell = VV_CELL_HINGES,
    .moduli = true,
    .create = create_of_parts,
    .rayleigh = vv_rayleigh_of_parts,
    .thick = true,
    .angles = true,
    .bending = true,
};

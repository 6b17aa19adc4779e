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
#include "energy/batch/frame.h"
#include "energy/shells/hinges_kernels.h"
#include "energy/batch/rayleigh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void fill_around(const vv_elements *s, int lane, int part, int corner, double *to)
{
    const double *shape = vv_shape_of_lane(s, lane);
    (void)part;
    to[0] = shape[VV_LANES];
    to[VV_LANES] = corner;
    to[2 * VV_LANES] = shape[0];
}

/* There is no bound, as thin triangles bend without one. */
static const vv_element_frame frame = { .what = "hinges",
                                        .nodes = 4,
                                        .shape = 2,
                                        .forces = 20,
                                        .hessians = 150,
                                        .around = VV_HINGE_PAIR,
                                        .weights = VV_HINGE_PAIR_WEIGHTS,
                                        .relax_numbers = 12,
                                        .relax = 40,
                                        .fill_around = fill_around };

static const vv_energy_ops ops = { VV_ELEMENTS_OPS, .info = { "hinge", "bending across edges" },
                                   .nodes = &vv_elements_nodes, .each = vv_elements_each };

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

/* What fills the lanes. */
typedef struct filling {
    const vv_element_input *in;
    const int *first;         /* of each part, among the starts */
    const hinge_start *start; /* of all hinges */
    const double *angle;      /* of each lane, in the mesh */
} filling;

static vvStatus fill_lane(const void *arg, const vv_lane *lane, vvError *error)
{
    const filling *from = arg;
    const vv_element_part *part = from->in->parts + lane->part;
    const hinge_start *start = from->start + from->first[lane->part] + lane->element;
    if (isnan(from->angle[lane->index]))
        return vv_fail(error, VV_ERROR_INPUT,
                       "hinge %d of body %d has a triangle too thin at rest to have an angle, which the material "
                       "\"hinge\" needs; repair the mesh",
                       lane->element, part->body);
    lane->shape[VV_LANES] = rest_angle(part, lane->element, start->crowded, from->angle[lane->index]);
    lane->shape[0] = lane->real ? start->stiffness : 0;
    fill_constant(from->in->rest, part->hinges + 4 * (size_t)lane->element, lane->shape[0], lane->shape[VV_LANES],
                  lane->rest);
    return VV_OK;
}

/* Measures the angles in the mesh, and fills in. */
static vvStatus fill(vv_elements *s, const vv_hinge_kernels *kernels, const vv_element_input *in,
                     const hinge_start *start, vv_energy **out, vvError *error)
{
    const vv_batch *batch = &s->batch;
    double *angle = vv_alloc((size_t)batch->group_count * VV_LANES, sizeof *angle);
    if (!angle) {
        vv_elements_destroy(&s->base);
        return vv_fail_memory(error, "hinges");
    }
    kernels->angles(&(vv_block){ .groups = batch->group_count, .nodes = batch->nodes, .x = in->rest }, angle);
    vvStatus status = vv_elements_finish(s, fill_lane, &(filling){ in, s->start, start, angle }, out, error);
    vv_free(angle);
    return status;
}

static vvStatus create_of_parts(const vv_element_kind *kind, const vv_element_input *in, vv_energy **out,
                                vvError *error)
{
    const vv_hinge_kernels *kernels = VV_VARIANT_HERE(vv_hinge_kernels);
    vv_block_kernels both = kernels->of;
    vv_elements *s;
    vv_add_kernels(&both, VV_VARIANT_HERE(vv_hinge_relax_kernels));
    *out = NULL;
    vvStatus status = vv_elements_of_parts(&frame, &ops, &both, kind->cell, in, NULL, &s, error);
    if (!s)
        return status;
    hinge_start *start = vv_alloc((size_t)s->batch.element_count, sizeof *start);
    status = start ? VV_OK : vv_fail_memory(error, "hinges");
    for (int p = 0; status == VV_OK && p < in->part_count; p++)
        status = start_part(in->rest, in->parts + p, start + s->start[p], error);
    if (status == VV_OK)
        status = fill(s, kernels, in, start, out, error);
    else
        vv_elements_destroy(&s->base);
    vv_free(start);
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

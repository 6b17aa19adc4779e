/* The batch of triangles that bend by mid-edge normals: storage and dispatch; the arithmetic is in midedge_kernel.c
 * (theory §4.11). */
#include "energy/shells/midedge.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/simd/variant.h"
#include "base/vec.h"
#include "energy/batch/frame.h"
#include "energy/shells/edge_search.h"
#include "energy/shells/midedge_kernels.h"
#include "energy/batch/rayleigh.h"

#include <math.h>
#include <string.h>

enum { NODES = VV_MIDEDGE_NODES, PAIRS = VV_MIDEDGE_PAIRS };

/* Its constant model is of small angles, and no bound of anything else. */
static const vv_element_frame frame = {
    .what = "bending", .nodes = NODES, .shape = VV_MIDEDGE_SHAPE, .forces = 100, .hessians = 1000
};

#define NAME "midedge"
#define SUMMARY "bending of shells by mid-edge normals: exact for quadratic deflections on any triangles"

static const vv_energy_ops ops = {
    VV_ELEMENTS_OPS,
    .info = { NAME, SUMMARY },
    .instead = "bend shells with \"hinge\"",
    .each = vv_elements_each,
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
                    rest[vv_node_pair(NODES, p, q)] += weight[w] * sets[w][p] * sets[w][q];
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
                   "\" needs to know its orientation; leave it out of the mesh, or run the mesh through vvMeshFinish",
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

/* What fills the lanes. */
typedef struct filling {
    const vv_element_input *in;
    const double *angles; /* at rest: groups x 3 x 8 */
} filling;

static vvStatus fill_lane(const void *arg, const vv_lane *lane, vvError *error)
{
    const filling *from = arg;
    const vv_element_part *part = from->in->parts + lane->part;
    const double *angle = from->angles + (ptrdiff_t)(lane->index / VV_LANES) * 3 * VV_LANES + lane->index % VV_LANES;
    double numbers[PAIRS], *shape = lane->shape;
    int nodes[NODES], at = 0;
    element e;
    for (int p = 0; p < NODES; p++)
        nodes[p] = lane->nodes[p * VV_LANES];
    for (int i = 0; i < 3; i++)
        if (isnan(angle[VV_LANES * i]))
            return degenerate(part, lane->element, error);
    find_stiffness(from->in->rest, part, lane->element, nodes, &e);
    find_rest(&e, numbers);
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            shape[VV_LANES * at++] = lane->real ? e.m[i][j] : 0;
    for (int i = 0; i < 3; i++) {
        double w[3];
        for (int k = 0; k < 3; k++)
            w[k] = e.x[3 + i][k] - 0.5 * (e.x[i][k] + e.x[(i + 1) % 3][k]);
        shape[VV_LANES * (6 + i)] = rest_angle(part, lane->element, i, angle[VV_LANES * i]);
        shape[VV_LANES * (9 + i)] = vv_norm(w);
    }
    shape[VV_LANES * 12] = lane->real ? e.hold : 0;
    for (int i = 0; i < PAIRS; i++)
        lane->rest[VV_LANES * i] = numbers[i];
    return VV_OK;
}

static vvStatus create(const vv_element_kind *kind, const vv_element_input *in, vv_energy **out, vvError *error)
{
    const vv_midedge_kernels *kernels = VV_VARIANT_HERE(vv_midedge_kernels);
    vv_elements *s;
    *out = NULL;
    vvStatus status = vv_elements_of_parts(&frame, &ops, &kernels->of, kind->cell, in, list_nodes, &s, error);
    if (!s)
        return status;
    const vv_batch *batch = &s->batch;
    double *angles = vv_alloc((size_t)batch->group_count * 3 * VV_LANES, sizeof *angles);
    if (!angles) {
        vv_elements_destroy(&s->base);
        return vv_fail_memory(error, frame.what);
    }
    kernels->angles(&(vv_block){ .groups = batch->group_count, .nodes = batch->nodes, .x = in->rest }, angles);
    status = vv_elements_finish(s, fill_lane, &(filling){ in, angles }, out, error);
    vv_free(angles);
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

/* Triangles in the plane, "fixed-corotated-plane": the batch, its creation, and one node at a time; the arithmetic is
 * in triangle.h (theory §4.16). Such bodies are small, so lanes are plain loops. */
#include "energy/plane/plane.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "energy/batch/frame.h"
#include "energy/plane/triangle.h"
#include "energy/batch/rayleigh.h"
#include "mesh/mesh.h"

#include <string.h>

/* Numbers of a triangle: the gradients of the shape functions of its nodes 1 and 2, and area times thickness times
 * stiffness, 0 in padding lanes. */
enum { SHAPE = 5 };

typedef struct plane_law {
    double mu, lambda; /* Pa: plane strain, so those of the solid */
} plane_law;

typedef struct triangle {
    const int *nodes; /* the node of corner a: nodes[VV_LANES * a] */
    double g[3][2], weight;
    plane_law law;
} triangle;

static triangle triangle_of(const double *shape, const int *nodes, const double *law)
{
    const double a = shape[0], b = shape[VV_LANES], c = shape[2 * VV_LANES], d = shape[3 * VV_LANES];
    return (triangle){ .nodes = nodes,
                       .g = { { -(a + c), -(b + d) }, { a, b }, { c, d } },
                       .weight = shape[4 * VV_LANES],
                       .law = { law[0], law[1] } };
}

/* False: a lane that only fills up its group. */
static bool triangle_of_lane(const vv_block *b, int lane, triangle *t)
{
    const ptrdiff_t group = lane / VV_LANES, own = lane % VV_LANES;
    *t = triangle_of(b->shape + group * SHAPE * VV_LANES + own, b->nodes + group * 3 * VV_LANES + own, b->law);
    return t->weight > 0;
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

/* ---- value and derivatives ---- */

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

static double value_gradient(const vv_block *b)
{
    double sum = 0;
    for (int lane = 0; lane < VV_LANES * b->groups; lane++) {
        triangle t;
        double force[3][2] = { { 0 } };
        if (!triangle_of_lane(b, lane, &t))
            continue;
        vv_plane_state p = state_at(&t, b->x);
        sum += t.weight * vv_plane_psi(&p, t.law.mu, t.law.lambda);
        if (b->g) {
            add_force(&t, &p, b->scale, force);
            scatter_force(&t, force, b->g);
        }
    }
    return sum;
}

/* The blocks (a, b) of a triangle, by rows, 2x2: k[3 a + b]. */
static void add_hessian(const triangle *t, const vv_plane_state *p, double scale, bool project, double k[9][4])
{
    vv_plane_curvature c = vv_plane_curvature_of(p, t->law.mu, t->law.lambda, project);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            vv_plane_add_block(p, &c, t->g[a], t->g[b], scale * t->weight, k[3 * a + b]);
}

static void scatter_blocks(const int *slots, double k[9][4], double *values)
{
    for (int i = 0; i < 9; i++) {
        double *to = slots[i] < 0 ? NULL : values + 9 * (ptrdiff_t)slots[i];
        if (to)
            to[0] += k[i][0], to[1] += k[i][2], to[3] += k[i][1], to[4] += k[i][3]; /* by columns, 3x3 */
    }
}

static void derivatives(const vv_block *b)
{
    for (int lane = 0; lane < VV_LANES * b->groups; lane++) {
        triangle t;
        double force[3][2] = { { 0 } }, k[9][4] = { { 0 } };
        if (!triangle_of_lane(b, lane, &t))
            continue;
        for (int i = 0; i < b->samples; i++) {
            vv_plane_state p = state_at(&t, b->sample[i].x);
            if (b->g)
                add_force(&t, &p, b->sample[i].force, force);
            if (b->values)
                add_hessian(&t, &p, b->sample[i].stiffness, b->project, k);
        }
        if (b->g)
            scatter_force(&t, force, b->g);
        if (b->values)
            scatter_blocks(b->slots + 9 * (ptrdiff_t)lane, k, b->values);
    }
}

static double least_j(const vv_block *b)
{
    double least = INFINITY;
    for (int lane = 0; lane < VV_LANES * b->groups; lane++) {
        triangle t;
        if (!triangle_of_lane(b, lane, &t))
            continue;
        double j = state_at(&t, b->x).growth + 1;
        least = j < least || isnan(j) ? j : least;
    }
    return least;
}

/* ---- the constant model, and one node at a time ---- */

static triangle triangle_of_element(const vv_elements *s, int lane, int part)
{
    return triangle_of(vv_shape_of_lane(s, lane), vv_nodes_of_lane(s, lane), s->law + 2 * part);
}

/* As stiff in all directions of F as against stretching at rest. There is no bound, for (J - 1)^2 has none. */
static void constant(const vv_elements *s, int lane, int part, vv_quadratic_kind kind, double *pair)
{
    const triangle t = triangle_of_element(s, lane, part);
    (void)kind;
    for (int a = 0; a < 3; a++)
        for (int b = a; b < 3; b++)
            *pair++ = t.weight * (2 * t.law.mu + t.law.lambda) * (t.g[a][0] * t.g[b][0] + t.g[a][1] * t.g[b][1]);
}

/* Numbers of a triangle around a node: gradients of the two other nodes' shape functions; A t mu, A t lambda: 0 in
 * padding. */
enum { PAIR = 6, PAIR_WEIGHTS = 4 };

static void fill_around(const vv_elements *s, int lane, int part, int corner, double *to)
{
    const triangle t = triangle_of_element(s, lane, part);
    int at = 0;
    for (int a = 0; a < 3; a++)
        for (int k = 0; a != corner && k < 2; k++)
            to[VV_LANES * at++] = t.g[a][k];
    to[VV_LANES * at] = t.weight * t.law.mu;
    to[VV_LANES * (at + 1)] = t.weight * t.law.lambda;
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

static void node_blocks(const vv_incidence *around, const vv_node_batch *b)
{
    for (int group = b->begin; group < b->end; group++)
        for (int lane = 0; lane < VV_LANES; lane++)
            blocks_of_node(around, b, group, lane);
}

static void node_values(const vv_incidence *around, const vv_node_batch *b)
{
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

static const vv_block_kernels kernels = { .value = value_gradient,
                                          .value_gradient = value_gradient,
                                          .derivatives = derivatives,
                                          .least_j = least_j,
                                          .node_blocks = node_blocks,
                                          .node_values = node_values };

static const vv_element_frame frame = { .what = "triangles",
                                        .nodes = 3,
                                        .shape = SHAPE,
                                        .law = 2,
                                        .forces = 60,
                                        .hessians = 250,
                                        .around = PAIR,
                                        .weights = PAIR_WEIGHTS,
                                        .dimensions = 2,
                                        .fill_around = fill_around,
                                        .constant = constant };

/* clang-format off */
#define VV_PLANE_INFO \
    { "fixed-corotated-plane", \
      "two-dimensional bodies: triangles in the x-y plane, fixed corotated in plane strain; may be inverted" }
/* clang-format on */

static const vv_energy_ops ops = { VV_ELEMENTS_OPS, .info = VV_PLANE_INFO, .least_j = vv_elements_least_j,
                                   .nodes = &vv_elements_nodes };

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

static vvStatus fill_lane(const void *arg, const vv_lane *lane, vvError *error)
{
    const vv_element_input *in = arg;
    const vv_element_part *part = in->parts + lane->part;
    const int own = lane->element, *v = part->triangles + 3 * (size_t)own;
    const double *o = in->rest + 3 * (size_t)v[0], *p = in->rest + 3 * (size_t)v[1], *q = in->rest + 3 * (size_t)v[2];
    double a = p[0] - o[0], b = q[0] - o[0], c = p[1] - o[1], d = q[1] - o[1], det = a * d - b * c, area, longest;
    if (vv_triangle_has_no_area(in->rest, v, &area, &longest) || !isfinite(1 / det))
        return vv_fail(error, VV_ERROR_INPUT,
                       "triangle %d of body %d has no area at rest (%g m^2 with a longest edge of %g m), and "
                       "\"fixed-corotated-plane\" needs one; remove it or repair the mesh",
                       own, part->body, area, longest);
    const double numbers[SHAPE] = { d / det, -b / det, -c / det, a / det,
                                    0.5 * fabs(det) *
                                        (part->triangle_thickness ? part->triangle_thickness[own] : part->thickness) *
                                        (part->triangle_stiffness ? part->triangle_stiffness[own] : 1) };
    for (int i = 0; i < (lane->real ? SHAPE : SHAPE - 1); i++)
        lane->shape[i * VV_LANES] = numbers[i];
    return VV_OK;
}

static vvStatus create_of_parts(const vv_element_kind *kind, const vv_element_input *in, vv_energy **out,
                                vvError *error)
{
    vv_elements *s;
    vvStatus status = VV_OK;
    *out = NULL;
    for (int p = 0; status == VV_OK && p < in->part_count; p++)
        status = check_flat(in->rest, in->parts + p, error);
    if (status == VV_OK)
        status = vv_elements_of_parts(&frame, &ops, &kernels, kind->cell, in, NULL, &s, error);
    if (status != VV_OK || !s)
        return status;
    for (int p = 0; p < in->part_count; p++)
        s->law[2 * p] = in->parts[p].material->mu, s->law[2 * p + 1] = in->parts[p].material->lambda;
    return vv_elements_finish(s, fill_lane, in, out, error);
}

const vv_element_kind vv_plane_kind = { .info = VV_PLANE_INFO,
                                        .cell = VV_CELL_TRIANGLES,
                                        .moduli = true,
                                        .create = create_of_parts,
                                        .rayleigh = vv_rayleigh_of_parts,
                                        .thick = true,
                                        .flat = true };

/* The batch of membranes: storage and dispatch; the arithmetic is in membrane_kernel.c.
 *
 * Neo-Hookean needs no step filter, though it is infinite at a collapsed triangle: in space, a path from one place to
 * another meets triangles without area in single positions only, and does not pass through them: on their other side
 * is the same triangle, turned over. That a place is inside, its value says. The strain limit bounds a domain, which
 * is convex (the larger singular value is a convex function of the positions): a path between two places inside is
 * inside. Its filter keeps ends away from it where the energy is not evaluated. */
#include "energy/shells/membrane.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text/text.h"
#include "base/simd/variant.h"
#include "base/vec.h"
#include "energy/batch/frame.h"
#include "energy/shells/membrane_kernels.h"
#include "energy/batch/rayleigh.h"
#include "mesh/mesh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of a part. */
static const vv_membrane_law *law_of(const vv_elements *s, int part)
{
    return (const vv_membrane_law *)(s->law + part * s->frame->law);
}

/* F of a lane, its columns one after the other; its larger singular value and |f1 x f2|. */
static void stretch_of_lane(const vv_elements *s, int lane, const double *x, double *most, double *area)
{
    const double *shape = vv_shape_of_lane(s, lane);
    const int *nodes = vv_nodes_of_lane(s, lane);
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
    const vv_elements *s = (const vv_elements *)e;
    const vv_batch *batch = &s->batch;
    int first = batch->element_count;
    for (int j = 0; j < batch->block_count; j++) {
        for (int lane = VV_LANES * batch->block_group[j]; lane < VV_LANES * batch->block_group[j + 1]; lane++) {
            const vv_membrane_law *law = law_of(s, batch->block_part[j]);
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
            *body = s->body[batch->block_part[j]];
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

/* ---- the frame ---- */

/* The gradients of the shape functions. */
static void gradients_of(const double *shape, double g[3][2])
{
    const double a = shape[0], b = shape[VV_LANES], c = shape[2 * VV_LANES];
    memcpy(g, (const double[3][2]){ { -a, -(b + c) }, { a, b }, { 0, c } }, 6 * sizeof a);
}

/* As stiff in all six directions of F as against stretching at rest, 2 mu + la. There is no bound: either material
 * gets stiffer the more it is stretched or pressed. */
static void constant(const vv_elements *s, int lane, int part, vv_quadratic_kind kind, double *pair)
{
    const double *shape = vv_shape_of_lane(s, lane);
    const double w = (2 * law_of(s, part)->mu + law_of(s, part)->lambda) * shape[3 * VV_LANES];
    double g[3][2];
    (void)kind;
    gradients_of(shape, g);
    for (int i = 0; i < 3; i++)
        for (int k = i; k < 3; k++)
            *pair++ = w * (g[i][0] * g[k][0] + g[i][1] * g[k][1]);
}

static void fill_around(const vv_elements *s, int lane, int part, int corner, double *to)
{
    const double *shape = vv_shape_of_lane(s, lane), weight = shape[3 * VV_LANES];
    const vv_membrane_law *law = law_of(s, part);
    double g[3][2];
    int at = 0;
    gradients_of(shape, g);
    for (int n = 0; n < 3; n++)
        for (int k = 0; n != corner && k < 2; k++)
            to[VV_LANES * at++] = g[n][k];
    const double rest[4] = { law->limit, law->width, weight * law->mu, weight * law->lambda };
    for (int i = 0; i < 4; i++)
        to[VV_LANES * at++] = rest[i];
}

/* Without and with a strain limit. */
#define VV_FRAME(work)                                                                                   \
    {                                                                                                    \
        .what = "triangles", .nodes = 3, .shape = VV_MEMBRANE_SHAPE, .law = sizeof(vv_membrane_law) / 8, \
        .forces = work, .hessians = 80, .around = VV_MEMBRANE_PAIR, .weights = VV_MEMBRANE_PAIR_WEIGHTS, \
        .fill_around = fill_around, .constant = constant, .relax_numbers = 6, .relax = 30                \
    }
static const vv_element_frame frames[2] = { VV_FRAME(8), VV_FRAME(14) };

/* X(kind, "name", "summary") */
#define VV_MEMBRANES(X)                                                                     \
    X(VV_MEMBRANE_STVK, "stvk-membrane",                                                    \
      "shells' stretching, St. Venant-Kirchhoff in plane stress: quartic in the positions") \
    X(VV_MEMBRANE_NEO_HOOKEAN, "neo-hookean-membrane",                                      \
      "shells' stretching, Neo-Hookean in plane stress: infinite at no area")

/* By model, then without and with a strain limit. */
#define VV_OPS(word, summary) VV_ELEMENTS_OPS, .info = { word, summary }, .by_value = true, .outside = outside
static const vv_energy_ops ops[VV_MEMBRANE_COUNT][2] = {
#define VV_ROW(kind, word, summary)                                                                     \
    [kind] = { { VV_OPS(word, summary), .nodes = &vv_elements_nodes },                                  \
               { VV_OPS(word, summary), .max_step = vv_elements_max_step, .bounds = vv_elements_bounds, \
                 .nodes = &vv_elements_limited_nodes } },
    VV_MEMBRANES(VV_ROW)
#undef VV_ROW
};

/* ---- creation ---- */

/* Plane stress: no stress across the sheet, which gets thinner where it is stretched. */
static vv_membrane_law law_from(const vv_material *m)
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

/* What fills the lanes. */
typedef struct filling {
    const vv_element_input *in;
    const char *name;
} filling;

static vvStatus fill_lane(const void *arg, const vv_lane *lane, vvError *error)
{
    const filling *from = arg;
    const vv_element_part *part = from->in->parts + lane->part;
    const int own = lane->element;
    double inverse[3], area, longest;
    if (!rest_shape(from->in->rest, part->triangles + 3 * (size_t)own, inverse, &area, &longest))
        return vv_fail(error, VV_ERROR_INPUT,
                       "triangle %d of body %d has no area at rest (%g m^2 with a longest edge of %g m), and \"%s\" "
                       "needs one; remove it or repair the mesh",
                       own, part->body, area, longest, from->name);
    double thickness = part->triangle_thickness ? part->triangle_thickness[own] : part->thickness;
    double factor = part->triangle_stiffness ? part->triangle_stiffness[own] : 1;
    double stretch = 1 + part->material->def.prestrain; /* of the mesh over its rest lengths */
    for (int i = 0; i < 3; i++)
        lane->shape[VV_LANES * i] = inverse[i] * stretch;
    lane->shape[VV_LANES * 3] = lane->real ? area / (stretch * stretch) * thickness * factor : 0;
    return VV_OK;
}

static vvStatus create_of_parts(const vv_element_kind *kind, const vv_element_input *in, vv_energy **out,
                                vvError *error)
{
    const int model = (int)(kind - vv_membrane_kinds);
    int limited = 0;
    vv_elements *s;
    for (int p = 0; p < in->part_count; p++)
        limited |= law_from(in->parts[p].material).width > 0;
    vv_block_kernels kernels = VV_VARIANT_HERE(vv_membrane_kernels)->of[model][limited];
    vv_add_kernels(&kernels, VV_VARIANT_HERE(vv_membrane_node_kernels)->of[model] + limited);
    /* with a strain limit the energy is infinite beyond it, and nothing keeps a sweep inside */
    if (model == VV_MEMBRANE_STVK && !limited)
        vv_add_kernels(&kernels, VV_VARIANT_HERE(vv_stvk_membrane_relax_kernels));
    *out = NULL;
    vvStatus status =
        vv_elements_of_parts(frames + limited, &ops[model][limited], &kernels, kind->cell, in, NULL, &s, error);
    if (!s)
        return status;
    s->model = model;
    for (int p = 0; p < in->part_count; p++)
        *(vv_membrane_law *)(s->law + p * s->frame->law) = law_from(in->parts[p].material);
    return vv_elements_finish(s, fill_lane, &(filling){ in, kind->info.name }, out, error);
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

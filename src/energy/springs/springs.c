/* The batch of edge springs: storage and dispatch; the arithmetic is in kernel.c. */
#include "energy/springs/springs.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/simd/variant.h"
#include "base/vec.h"
#include "energy/batch/frame.h"
#include "energy/batch/rayleigh.h"
#include "energy/springs/kernels.h"

#include <math.h>
#include <string.h>

/* Of springs at their length, t + q l^2 of kernel.c, in every direction. Hooke's are nowhere stiffer. */
static void constant(const vv_elements *s, int lane, int part, vv_quadratic_kind kind, double *pair)
{
    const double *shape = vv_shape_of_lane(s, lane);
    (void)part, (void)kind;
    pair[0] = pair[2] = s->model == VV_SPRING_STVK ? 4 * shape[0] * (shape[VV_LANES] * shape[VV_LANES]) : shape[0];
    pair[1] = -pair[0];
}

static bool has(const vv_elements *s, int part, vv_quadratic_kind kind, bool *loose)
{
    (void)part, (void)loose;
    return kind == VV_QUADRATIC_REST || s->model == VV_SPRING_HOOKE || s->model == VV_SPRING_HOOKE_ROD ||
           s->model == VV_SPRING_ROD_STRETCH;
}

static void fill_around(const vv_elements *s, int lane, int part, int corner, double *to)
{
    const double *shape = vv_shape_of_lane(s, lane);
    (void)part, (void)corner;
    to[0] = shape[VV_LANES];
    to[VV_LANES] = shape[0];
}

static const vv_element_frame frame = { .what = "springs",
                                        .nodes = 2,
                                        .shape = 2,
                                        .forces = 3,
                                        .hessians = 30,
                                        .around = 2,
                                        .weights = 1,
                                        .relax_numbers = 3,
                                        .relax = 10,
                                        .fill_around = fill_around,
                                        .constant = constant,
                                        .has = has };

typedef enum meaning { SPRING, ROD, THICK_ROD } meaning;

/* X(kind, "name", "summary", max_step, what the material gives: the stiffness, E A, or E and the diameter) */
#define VV_SPRINGS(X)                                                                                            \
    X(VV_SPRING_HOOKE, "hooke", "springs, k/2 (l - r)^2", NULL, SPRING)                                          \
    X(VV_SPRING_STVK, "stvk-spring", "springs, k/2 (l^2 - r^2)^2: quartic in the positions", NULL, SPRING)       \
    X(VV_SPRING_HOOKE_ROD, "hooke-rod", "rods, r EA/2 (l/r - 1)^2", NULL, ROD)                                   \
    X(VV_SPRING_NEO_HOOKEAN_ROD, "neo-hookean-rod",                                                              \
      "rods, r EA/2 ((l^2/r^2 - 1)/2 - ln(l/r)): nothing is pressed to length 0", vv_elements_max_step, ROD)     \
    X(VV_SPRING_ROD_STRETCH, "rod-stretch", "rods, r EA/2 (l/r - 1)^2, of Young's modulus and a diameter", NULL, \
      THICK_ROD)

static const vv_energy_ops ops[VV_SPRING_COUNT] = {
#define VV_ROW(kind, word, summary, filter, means)                             \
    [kind] = { VV_ELEMENTS_OPS, .info = { word, summary }, .max_step = filter, \
               .nodes = (kind) == VV_SPRING_NEO_HOOKEAN_ROD ? &vv_elements_limited_nodes : &vv_elements_nodes },
    VV_SPRINGS(VV_ROW)
#undef VV_ROW
};

/* ---- creation -------------------------------------------------------------------------------------------------- */

typedef struct spring_input {
    int node_count, edge_count;
    const int *edges;
    const double *stiffness, *rest_length;
    const int *body;
} spring_input;

static vvStatus check(int kind, const spring_input *in, vvError *error)
{
    if (kind < 0 || kind >= VV_SPRING_COUNT)
        return vv_fail(error, VV_ERROR_INPUT, "there is no spring model %d", kind);
    for (int i = 0; i < in->edge_count; i++) {
        const int *n = in->edges + 2 * (size_t)i;
        if (n[0] < 0 || n[1] < 0 || n[0] >= in->node_count || n[1] >= in->node_count || n[0] == n[1])
            return vv_fail(error, VV_ERROR_INPUT,
                           "spring %d joins nodes %d and %d; give two different ones from 0 to %d", i, n[0], n[1],
                           in->node_count - 1);
        if (!(in->stiffness[i] >= 0) || !isfinite(in->stiffness[i]))
            return vv_fail(error, VV_ERROR_INPUT, "spring %d has stiffness %g; it must be 0 or more", i,
                           in->stiffness[i]);
        if (!(in->rest_length[i] >= 0) || !isfinite(in->rest_length[i]))
            return vv_fail(error, VV_ERROR_INPUT, "spring %d has rest length %g m; it must be 0 or more", i,
                           in->rest_length[i]);
        if (in->body[i] < 0)
            return vv_fail(error, VV_ERROR_INPUT, "spring %d belongs to body %d; it must be 0 or more", i, in->body[i]);
    }
    return VV_OK;
}

/* Sorts edges by body: order[i] is the edge at place i, start[b] the first place of body b. */
static void sort_by_body(const spring_input *in, int bodies, int *start, int *order)
{
    for (int i = 0; i < in->edge_count; i++)
        start[in->body[i] + 1]++;
    for (int b = 0; b < bodies; b++)
        start[b + 1] += start[b];
    for (int i = 0; i < in->edge_count; i++)
        order[start[in->body[i]]++] = i;
    for (int b = bodies; b > 0; b--)
        start[b] = start[b - 1];
    start[0] = 0;
}

/* What fills the lanes: of body b's springs the first is order[start[b]]. */
typedef struct filling {
    const spring_input *in;
    const int *start, *order;
} filling;

static vvStatus fill_lane(const void *arg, const vv_lane *lane, vvError *error)
{
    const filling *from = arg;
    const int edge = from->order[from->start[lane->part] + lane->element];
    (void)error;
    lane->shape[0] = lane->real ? from->in->stiffness[edge] : 0;
    lane->shape[VV_LANES] = from->in->rest_length[edge];
    return VV_OK;
}

static vvStatus create(int kind, const spring_input *in, int bodies, int *start, int *order, int *edges, int *body,
                       vv_energy **out, vvError *error)
{
    vv_block_kernels kernels = VV_VARIANT_HERE(vv_spring_kernels)->of[kind];
    vv_elements *s;
    vv_add_kernels(&kernels, VV_VARIANT_HERE(vv_spring_relax_kernels)->of + kind);
    sort_by_body(in, bodies, start, order);
    for (int i = 0; i < in->edge_count; i++)
        memcpy(edges + 2 * (size_t)i, in->edges + 2 * (size_t)order[i], 2 * sizeof *edges);
    for (int b = 0; b < bodies; b++)
        body[b] = b;
    vvStatus status =
        vv_elements_create(&frame, ops + kind, &kernels,
                           &(vv_elements_input){ in->node_count, NULL, bodies, body, start, edges }, &s, error);
    if (status != VV_OK)
        return status;
    s->model = kind;
    return vv_elements_finish(s, fill_lane, &(filling){ in, start, order }, out, error);
}

vvStatus vv_springs_create(int kind, int node_count, int edge_count, const int *edges, const double *stiffness,
                           const double *rest_length, const int *body, vv_energy **out, vvError *error)
{
    *out = NULL;
    spring_input in = { node_count, edge_count, edges, stiffness, rest_length, body };
    vvStatus status = check(kind, &in, error);
    if (status != VV_OK)
        return status;
    int bodies = 0;
    for (int i = 0; i < edge_count; i++)
        bodies = body[i] >= bodies ? body[i] + 1 : bodies;
    size_t n = (size_t)edge_count;
    int *start = vv_alloc((size_t)bodies + 1, sizeof *start), *order = vv_alloc(n, sizeof *order);
    int *sorted = vv_alloc(2 * n, sizeof *sorted), *own = vv_alloc((size_t)bodies, sizeof *own);
    status = start && order && sorted && own ? create(kind, &in, bodies, start, order, sorted, own, out, error)
                                             : vv_fail_memory(error, "springs");
    vv_free(start);
    vv_free(order);
    vv_free(sorted);
    vv_free(own);
    return status;
}

/* ---- kinds of elements ------------------------------------------------------------------------------------------- */

/* What a material's stiffness is: k, or E A. */
static double stiffness_of(const vv_element_part *part, meaning means)
{
    const double pi = 3.14159265358979323846;
    return means == THICK_ROD ? vv_young(part->material) * 0.25 * pi * part->thickness * part->thickness
                              : part->material->def.springStiffness;
}

typedef struct spring_list {
    int count, *edges, *body;
    double *stiffness, *length;
} spring_list;

static const meaning meanings[VV_SPRING_COUNT] = {
#define VV_ROW(kind, word, summary, filter, means) [kind] = means,
    VV_SPRINGS(VV_ROW)
#undef VV_ROW
};

static void push_spring(const double *rest, spring_list *l, int a, int b, double stiffness, bool rod, int body)
{
    double length = vv_edge_length(rest, a, b);
    l->edges[2 * l->count] = a, l->edges[2 * l->count + 1] = b;
    l->stiffness[l->count] = rod ? stiffness / length : stiffness;
    l->length[l->count] = length;
    l->body[l->count++] = body;
}

/* Pairs that bend springs join: those that the mesh names or, without, the outer vertices of hinges. */
static int bend_count(const vv_element_part *part)
{
    if (meanings[part->material->kind - vv_spring_kinds] == THICK_ROD || !(part->material->def.bendStiffness > 0))
        return 0;
    return part->bend_count ? part->bend_count : part->hinge_count;
}

static const int *bend_pair(const vv_element_part *part, int i)
{
    return part->bend_count ? part->bends + 2 * (size_t)i : part->hinges + 4 * (size_t)i + 2;
}

static int count_of_part(const vv_element_part *part) { return part->edge_count + bend_count(part); }

/* Of a rod the strain is measured: every one needs a length. */
static vvStatus check_rods(const double *rest, const vv_element_part *part, const char *model, vvError *error)
{
    for (int i = 0; i < part->edge_count; i++)
        if (!(vv_edge_length(rest, part->edges[2 * i], part->edges[2 * i + 1]) > 0))
            return vv_fail(error, VV_ERROR_INPUT,
                           "edge %d of body %d has no length at rest, which the material \"%s\" needs; join its "
                           "vertices, or use \"hooke\"",
                           i, part->body, model);
    for (int i = 0; i < bend_count(part); i++) {
        const int *pair = bend_pair(part, i);
        if (!(vv_edge_length(rest, pair[0], pair[1]) > 0))
            return vv_fail(error, VV_ERROR_INPUT,
                           "bend spring %d of body %d has no length at rest, which the material \"%s\" needs; move the "
                           "vertices that it joins apart, use \"hooke\", or no bend stiffness",
                           i, part->body, model);
    }
    return VV_OK;
}

static vvStatus create_of_parts(const vv_element_kind *kind, const vv_element_input *in, vv_energy **out,
                                vvError *error)
{
    size_t room = 0;
    *out = NULL;
    for (int p = 0; p < in->part_count; p++)
        room += (size_t)count_of_part(in->parts + p);
    spring_list l = { 0, vv_alloc(2 * room, sizeof(int)), vv_alloc(room, sizeof(int)), vv_alloc(room, sizeof(double)),
                      vv_alloc(room, sizeof(double)) };
    vvStatus status = l.edges && l.body && l.stiffness && l.length ? VV_OK : vv_fail_memory(error, "the springs");
    for (int p = 0; status == VV_OK && p < in->part_count; p++) {
        const vv_element_part *part = in->parts + p;
        const vvMaterialDef *m = &part->material->def;
        const bool rod = meanings[kind - vv_spring_kinds] != SPRING;
        const double stiffness = stiffness_of(part, meanings[kind - vv_spring_kinds]);
        if (rod)
            status = check_rods(in->rest, part, kind->info.name, error);
        for (int i = 0; i < part->edge_count; i++)
            push_spring(in->rest, &l, part->edges[2 * i], part->edges[2 * i + 1], stiffness, rod, part->body);
        for (int i = 0; i < bend_count(part); i++)
            push_spring(in->rest, &l, bend_pair(part, i)[0], bend_pair(part, i)[1], m->bendStiffness, rod, part->body);
    }
    if (status == VV_OK && l.count > 0)
        status = vv_springs_create((int)(kind - vv_spring_kinds), in->node_count, l.count, l.edges, l.stiffness,
                                   l.length, l.body, out, error);
    vv_free(l.edges);
    vv_free(l.body);
    vv_free(l.stiffness);
    vv_free(l.length);
    return status;
}

/* The batch has a part for each body index, also for bodies without springs. */
static vvStatus rayleigh_of_parts(vv_energy *e, const vv_element_input *in, vv_energy **out, vvError *error)
{
    size_t bodies = (size_t)in->parts[in->part_count - 1].body + 1;
    double *rayleigh = vv_alloc(bodies, sizeof *rayleigh);
    *out = NULL;
    if (!rayleigh)
        return vv_fail_memory(error, "the springs' damping");
    for (int p = 0; p < in->part_count; p++)
        rayleigh[in->parts[p].body] = in->parts[p].material->def.damping.rayleigh;
    vvStatus status = vv_rayleigh_create(e, rayleigh, out, error);
    vv_free(rayleigh);
    return status;
}

const vv_element_kind vv_spring_kinds[VV_SPRING_COUNT] = {
#define VV_ROW(row, word, summary, filter, means)                    \
    [row] = { { word, summary },                                     \
              (means) == THICK_ROD ? VV_CELL_CURVES : VV_CELL_EDGES, \
              .moduli = (means) == THICK_ROD,                        \
              .create = create_of_parts,                             \
              .rayleigh = rayleigh_of_parts,                         \
              .springs = count_of_part,                              \
              .thick = (means) == THICK_ROD },
    VV_SPRINGS(VV_ROW)
#undef VV_ROW
};

/* The batch of elastic tets of order 2: storage and dispatch; the arithmetic is in tet10_kernel.c. */
#include "energy/tets/tet10.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/simd/variant.h"
#include "base/vec.h"
#include "energy/batch/frame.h"
#include "energy/batch/rayleigh.h"
#include "energy/tets/tets.h"

#include <math.h>
#include <string.h>

/* ---- the constant model at rest ---------------------------------------------------------------------------------- */

/* Gradients of the ten shape functions at point q, whose coordinates are l. */
static void gradients_of(const double *shape, int q, const double l[4], double g[10][3])
{
    double corner[4][3];
    memset(g, 0, 30 * sizeof(double));
    for (int k = 0; k < 3; k++) {
        for (int a = 1; a < 4; a++)
            corner[a][k] = shape[(VV_TET_SHAPE * q + 3 * (a - 1) + k) * VV_LANES];
        corner[0][k] = -(corner[1][k] + corner[2][k] + corner[3][k]);
    }
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++)
            for (int k = 0; k < 3; k++)
                g[vv_tet10_middle[a][b]][k] += (a == b ? 4 * l[a] - 1 : 4 * l[b]) * corner[a][k];
}

static const vv_tet10_rule *rule_of(const vv_elements *s);

/* sum over the points of w V G_n . G_m */
static void constant(const vv_elements *s, int lane, int part, vv_quadratic_kind kind, double *pair)
{
    const double *shape = vv_shape_of_lane(s, lane);
    const vv_tet10_rule *rule = rule_of(s);
    memset(pair, 0, 55 * sizeof *pair);
    for (int q = 0; q < rule->points; q++) {
        const double *law = s->law + part * VV_TET_LAW;
        const double scale = vv_tets_weight(s->model, kind, law[0], law[1]) * shape[(VV_TET_SHAPE * q + 9) * VV_LANES];
        double g[10][3], *to = pair;
        gradients_of(shape, q, rule->l[q], g);
        for (int n = 0; n < 10; n++)
            for (int m = n; m < 10; m++)
                *to++ += scale * vv_dot(g[n], g[m]);
    }
}

/* That at rest alone: real-time solvers, which want the other, are for linear tets. */
static bool has(const vv_elements *s, int part, vv_quadratic_kind kind, bool *loose)
{
    (void)loose;
    const double *law = s->law + part * VV_TET_LAW;
    return kind == VV_QUADRATIC_REST && vv_tets_weight(s->model, kind, law[0], law[1]) > 0;
}

#define FRAME(count)                                                                                          \
    {                                                                                                         \
        .what = "tets of order 2", .nodes = VV_TET10_NODES, .shape = (count)*VV_TET_SHAPE, .law = VV_TET_LAW, \
        .forces = 15 * (count), .hessians = 500 * (count), .constant = constant, .has = has                   \
    }
static const vv_element_frame frames[VV_TET10_RULES] = { FRAME(4), FRAME(14) };

static const vv_tet10_rule *rule_of(const vv_elements *s) { return vv_tet10_rules + (s->frame - frames); }

#define VV_MAX_STEP_0 NULL
#define VV_MAX_STEP_1 vv_elements_max_step
static const vv_energy_ops ops[VV_MATERIAL_COUNT] = {
/* clang-format off */
#define VV_ROW(name, word, summary, inversion_free, rotation, sweeps, split)                                           \
    { VV_ELEMENTS_OPS, .info = { word, summary ", order 2" }, .max_step = VV_MAX_STEP_##inversion_free,                \
      .by_value = inversion_free, .least_j = vv_elements_least_j,                                                      \
      .instead = "give the body order 1" },
    /* clang-format on */
    VV_TET_MATERIALS(VV_ROW)
#undef VV_ROW
};

/* ---- creation ---------------------------------------------------------------------------------------------------- */

typedef struct rest_shape {
    const double *x; /* n x 3 */
    const vv_tet10_rule *rule;
} rest_shape;

static vvStatus fill_lane(const void *arg, const vv_lane *lane, vvError *error)
{
    const rest_shape *of = arg;
    int nodes[VV_TET10_NODES];
    for (int n = 0; n < VV_TET10_NODES; n++)
        nodes[n] = lane->nodes[n * VV_LANES];
    for (int q = 0; q < of->rule->points; q++) {
        double d[9], inverse[9];
        vv_tet10_edges(of->x, nodes, of->rule->l[q], d);
        const double volume = vv_inverse(d, inverse) / 6 * of->rule->weight[q];
        bool good = volume > 0 && isfinite(volume);
        for (int i = 0; i < 9; i++)
            good = good && isfinite(inverse[i]);
        if (!good)
            return vv_fail(error, VV_ERROR_INPUT,
                           "tet %d of order 2 of body %d has a rest volume of %g about one of its points; it must be "
                           "positive (run the mesh through vvMeshFinish)",
                           lane->element, lane->part, volume);
        for (int i = 0; i < 9; i++)
            lane->shape[VV_LANES * (VV_TET_SHAPE * q + i)] = inverse[i];
        lane->shape[VV_LANES * (VV_TET_SHAPE * q + 9)] = lane->real ? volume : 0;
    }
    return VV_OK;
}

static vvStatus create(const vv_element_kind *kind, const vv_element_input *in, vv_energy **out, vvError *error)
{
    const int row = (int)(kind - vv_tet10_kinds), model = row % VV_MATERIAL_COUNT, rule = row / VV_MATERIAL_COUNT;
    vv_elements *s = NULL;
    *out = NULL;
    vvStatus status =
        vv_elements_of_parts(frames + rule, ops + model, VV_VARIANT_HERE(vv_tet10_all_kernels)->by[rule].of + model,
                             VV_CELL_TETS10, in, NULL, &s, error);
    if (status != VV_OK || !s)
        return status;
    s->model = model;
    for (int p = 0; p < in->part_count; p++) {
        const vv_material *m = in->parts[p].material;
        s->law[VV_TET_LAW * p] = m->mu, s->law[VV_TET_LAW * p + 1] = m->lambda;
    }
    return vv_elements_finish(s, fill_lane, &(rest_shape){ in->rest, vv_tet10_rules + rule }, out, error);
}

const vv_element_kind vv_tet10_kinds[VV_TET10_KINDS] = {
/* clang-format off */
#define VV_OF_RULE(word, summary, inversion_free, of)                                                                  \
    { { word, summary }, VV_CELL_TETS10, inversion_free, NULL, create, vv_rayleigh_of_parts, .moduli = true,           \
      .rule = of },
#define VV_ROW(name, word, summary, inversion_free, rotation, sweeps, split)                                           \
    VV_OF_RULE(word, summary, inversion_free, 0)
    VV_TET_MATERIALS(VV_ROW)
#undef VV_ROW
#define VV_ROW(name, word, summary, inversion_free, rotation, sweeps, split)                                           \
    VV_OF_RULE(word, summary, inversion_free, 1)
    VV_TET_MATERIALS(VV_ROW)
#undef VV_ROW
    /* clang-format on */
};

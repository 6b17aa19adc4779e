/* The batch of elastic tets: storage and dispatch; the arithmetic is in kernel.c and force_kernel.c. */
#include "energy/tets/tets.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/simd/variant.h"
#include "base/vec.h"
#include "energy/batch/rayleigh.h"
#include "energy/tets/affine_nodes.h"
#include "energy/tets/kernels.h"
#include "energy/tets/linear.h"

#include <math.h>
#include <string.h>

/* ---- constant quadratic models ----------------------------------------------------------------------------------- */

double vv_tets_weight(int model, vv_quadratic_kind kind, double mu, double la)
{
    switch (model) {
#define VV_CASE(name, word, summary, free, rotation, sweeps, split) \
    case VV_MATERIAL_##name: return kind == VV_QUADRATIC_BOUND ? name##_bound(mu, la) : name##_rest(mu, la);
        VV_TET_MATERIALS(VV_CASE)
#undef VV_CASE
    default: return 0;
    }
}

static double weight_of(const vv_elements *s, int part, vv_quadratic_kind kind)
{
    const double *law = s->law + part * VV_TET_LAW;
    return vv_tets_weight(s->model, kind, law[0], law[1]);
}

static bool has(const vv_elements *s, int part, vv_quadratic_kind kind, bool *loose)
{
    const double w = weight_of(s, part, kind);
    *loose = *loose || (kind == VV_QUADRATIC_BOUND && s->start[part + 1] > s->start[part] &&
                        w > vv_tets_weight(s->model, kind, s->law[part * VV_TET_LAW], 0));
    return w > 0;
}

/* The gradients of the shape functions. */
static void gradients_of(const double *shape, double g[4][3])
{
    for (int k = 0; k < 3; k++) {
        for (int a = 1; a < 4; a++)
            g[a][k] = shape[(3 * (a - 1) + k) * VV_LANES];
        g[0][k] = -(g[1][k] + g[2][k] + g[3][k]);
    }
}

/* w V G_a . G_b */
void vv_tets_constant(const vv_elements *s, int lane, int part, vv_quadratic_kind kind, double *pair)
{
    const double *shape = vv_shape_of_lane(s, lane), scale = weight_of(s, part, kind) * shape[9 * VV_LANES];
    double g[4][3];
    gradients_of(shape, g);
    for (int a = 0; a < 4; a++)
        for (int b = a; b < 4; b++)
            *pair++ = scale * vv_dot(g[a], g[b]);
}

/* ---- one node at a time ------------------------------------------------------------------------------------------ */

static void fill_around(const vv_elements *s, int lane, int part, int corner, double *to)
{
    const double *shape = vv_shape_of_lane(s, lane);
    double g[4][3];
    int at = 0;
    gradients_of(shape, g);
    for (int a = 0; a < 4; a++)
        for (int k = 0; a != corner && k < 3; k++)
            to[VV_LANES * at++] = g[a][k];
    for (int i = 0; i < 2; i++)
        to[VV_LANES * (VV_TET_PAIR_WEIGHTS + i)] = shape[9 * VV_LANES] * s->law[part * VV_TET_LAW + i];
}

static const vv_element_frame frame = { .what = "tets",
                                        VV_LINEAR_TETS,
                                        .forces = 10,
                                        .hessians = 200,
                                        .around = VV_TET_PAIR,
                                        .weights = VV_TET_PAIR_WEIGHTS,
                                        .relax_numbers = 9,
                                        .relax = 50,
                                        .fill_around = fill_around,
                                        .has = has };

/* One table per material: the names differ, and inversion-free ones limit the step. */
#define VV_MAX_STEP_0 NULL
#define VV_MAX_STEP_1 vv_elements_max_step
#define VV_NODES_0 &vv_elements_nodes
#define VV_NODES_1 &vv_elements_limited_nodes
static const vv_energy_ops ops[VV_MATERIAL_COUNT] = {
/* clang-format off */
#define VV_ROW(name, word, summary, inversion_free, rotation, sweeps, split)                                           \
    { VV_ELEMENTS_OPS, .info = { word, summary }, .max_step = VV_MAX_STEP_##inversion_free,                            \
      .by_value = inversion_free, .least_j = vv_elements_least_j,                                                      \
      .nodes = VV_NODES_##inversion_free },
    /* clang-format on */
    VV_TET_MATERIALS(VV_ROW)
#undef VV_ROW
};

/* Affine bodies: a node cannot be moved alone against the three others without bending the body, so block descent moves
 * all four. */
static const vv_energy_ops affine_ops = {
    VV_ELEMENTS_OPS,
    .info = { "affine", "orthogonality of affine bodies" },
    .least_j = vv_elements_least_j,
    .instead = "give the body a material of tets",
    .nodes = &vv_affine_node_ops,
};

vvStatus vv_tets_create_affine(int node_count, const double *rest, int body_count, const vv_tets_body *bodies,
                               vv_energy **out, vvError *error)
{
    vvStatus status = vv_tets_create(VV_MATERIAL_stvk, node_count, rest, body_count, bodies, out, error);
    if (status == VV_OK)
        (*out)->ops = &affine_ops;
    return status;
}

int vv_tets_model(const char *name)
{
    for (int i = 0; i < VV_MATERIAL_COUNT; i++)
        if (strcmp(name, ops[i].info.name) == 0)
            return i;
    return -1;
}

/* ---- creation -------------------------------------------------------------------------------------------------- */

/* D_m^-1 and the rest volume; the volume is not positive for a flat or inverted tet. */
static double rest_shape(const double *rest, const int *tet, double inverse[9])
{
    double d[9];
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < 3; i++)
            d[3 * i + a] = rest[3 * (size_t)tet[a + 1] + (size_t)i] - rest[3 * (size_t)tet[0] + (size_t)i];
    return vv_inverse(d, inverse) / 6;
}

static vvStatus check_body(int index, const vv_tets_body *b, vvError *error)
{
    if (!(b->mu > 0) || !isfinite(b->mu) || !isfinite(b->lambda) || !(3 * b->lambda + 2 * b->mu > 0))
        return vv_fail(error, VV_ERROR_INPUT,
                       "body %d has mu = %g Pa and lambda = %g Pa; mu must be positive and lambda above -2/3 mu", index,
                       b->mu, b->lambda);
    return VV_OK;
}

vvStatus vv_tets_fill_lane(const void *arg, const vv_lane *lane, vvError *error)
{
    int tet[4];
    double inverse[9] = { 0 };
    for (int a = 0; a < 4; a++)
        tet[a] = lane->nodes[a * VV_LANES];
    const double volume = rest_shape(arg, tet, inverse);
    bool good = volume > 0 && isfinite(volume);
    for (int i = 0; i < 9; i++)
        good = good && isfinite(inverse[i]);
    if (!good)
        return vv_fail(error, VV_ERROR_INPUT,
                       "tet %d of body %d has rest volume %g; it must be positive (turn its nodes or repair "
                       "the mesh)",
                       lane->element, lane->part, volume);
    for (int i = 0; i < 9; i++)
        lane->shape[VV_LANES * i] = inverse[i];
    lane->shape[VV_LANES * 9] = lane->real ? volume : 0;
    return VV_OK;
}

static vvStatus create(int model, const vv_elements_input *in, const vv_tets_body *bodies, vv_energy **out,
                       vvError *error)
{
    const vv_tet_kernels *const tables[] = { VV_VARIANT_HERE(vv_tet_kernels), VV_VARIANT_HERE(vv_tet_force_kernels),
                                             VV_VARIANT_HERE(vv_tet_node_kernels),
                                             VV_VARIANT_HERE(vv_tet_relax_kernels) };
    vv_block_kernels kernels = { 0 };
    vv_elements *s;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        vv_add_kernels(&kernels, tables[i]->of + model);
    vvStatus status = vv_elements_create(&frame, ops + model, &kernels, in, &s, error);
    if (status != VV_OK)
        return status;
    s->model = model;
    for (int i = 0; i < in->part_count; i++)
        s->law[VV_TET_LAW * i] = bodies[i].mu, s->law[VV_TET_LAW * i + 1] = bodies[i].lambda;
    return vv_elements_finish(s, vv_tets_fill_lane, in->position, out, error);
}

vvStatus vv_tets_create(int model, int node_count, const double *rest, int body_count, const vv_tets_body *bodies,
                        vv_energy **out, vvError *error)
{
    *out = NULL;
    if (model < 0 || model >= VV_MATERIAL_COUNT)
        return vv_fail(error, VV_ERROR_INPUT, "there is no tet material %d", model);
    size_t count = 0;
    for (int i = 0; i < body_count; i++)
        count += (size_t)bodies[i].tet_count;
    if (count > INT32_MAX / 32)
        return vv_fail(error, VV_ERROR_INPUT, "%zu tets in one batch; at most %d", count, INT32_MAX / 32);
    int *start = vv_alloc((size_t)body_count + 1, sizeof *start), *tets = vv_alloc(4 * count, sizeof *tets),
        *body = vv_alloc((size_t)body_count, sizeof *body);
    vvStatus status = start && tets && body ? VV_OK : vv_fail_memory(error, "tets");
    for (int i = 0; status == VV_OK && i < body_count; i++) {
        status = check_body(i, bodies + i, error);
        if (bodies[i].tet_count > 0)
            memcpy(tets + 4 * (size_t)start[i], bodies[i].tets, 4 * (size_t)bodies[i].tet_count * sizeof *tets);
        start[i + 1] = start[i] + bodies[i].tet_count;
        body[i] = bodies[i].body;
    }
    if (status == VV_OK)
        status =
            create(model, &(vv_elements_input){ node_count, rest, body_count, body, start, tets }, bodies, out, error);
    vv_free(start);
    vv_free(tets);
    vv_free(body);
    return status;
}

/* ---- kinds of elements ------------------------------------------------------------------------------------------- */

static vvStatus create_of_parts(const vv_element_kind *kind, const vv_element_input *in, vv_energy **out,
                                vvError *error)
{
    vv_tets_body *bodies = vv_alloc((size_t)in->part_count, sizeof *bodies);
    if (!bodies)
        return vv_fail_memory(error, "tets");
    for (int p = 0; p < in->part_count; p++) {
        const vv_element_part *part = in->parts + p;
        bodies[p] =
            (vv_tets_body){ part->body, part->tet_count, part->tets, part->material->mu, part->material->lambda };
    }
    vvStatus status =
        vv_tets_create((int)(kind - vv_tet_kinds), in->node_count, in->rest, in->part_count, bodies, out, error);
    vv_free(bodies);
    return status;
}

const vv_element_kind vv_tet_kinds[] = {
/* clang-format off */
#define VV_ROW(name, word, summary, inversion_free, rotation, sweeps, split)                                           \
    { { word, summary }, VV_CELL_TETS, inversion_free, NULL, create_of_parts, vv_rayleigh_of_parts, .moduli = true },
    /* clang-format on */
    VV_TET_MATERIALS(VV_ROW)
#undef VV_ROW
};

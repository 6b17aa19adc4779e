/* The batch of linear tets with mean dilatation: storage and dispatch; the arithmetic is in mean_kernel.c. */
#include "energy/tets/mean.h"

#include "base/simd/variant.h"
#include "energy/batch/rayleigh.h"
#include "energy/tets/linear.h"
#include "energy/tets/tets.h"

/* By row. */
static const int model_of[VV_MEAN_COUNT] = {
#define VV_ROW(name, word, summary, inversion_free, rotation, sweeps, split) VV_WHERE_##split(VV_MATERIAL_##name, )
    VV_TET_MATERIALS(VV_ROW)
#undef VV_ROW
};

/* That at rest alone: its bound would be that of tets that lock. */
static bool has(const vv_elements *s, int part, vv_quadratic_kind kind, bool *loose)
{
    (void)loose;
    const double *law = s->law + part * VV_TET_LAW;
    return kind == VV_QUADRATIC_REST && vv_tets_weight(s->model, kind, law[0], law[1]) > 0;
}

static const vv_element_frame frame = {
    .what = "tets with mean dilatation", VV_LINEAR_TETS, .forces = 15, .hessians = 300, .macros = true, .has = has
};

#define VV_MAX_STEP_0 NULL
#define VV_MAX_STEP_1 vv_elements_max_step
static const vv_energy_ops ops[VV_MEAN_COUNT] = {
/* clang-format off */
#define VV_ROW(name, word, summary, inversion_free, rotation, sweeps, split)                                           \
    VV_WHERE_##split({ VV_ELEMENTS_OPS, .info = { word, summary ", mean dilatation" },                                 \
                       .max_step = VV_MAX_STEP_##inversion_free, .by_value = inversion_free,                           \
                       .least_j = vv_elements_least_j, .instead = "take mean_dilatation off the material" }, )
    /* clang-format on */
    VV_TET_MATERIALS(VV_ROW)
#undef VV_ROW
};

static vvStatus create(const vv_element_kind *kind, const vv_element_input *in, vv_energy **out, vvError *error)
{
    const int row = (int)(kind - vv_mean_kinds), model = model_of[row];
    vv_block_kernels kernels = { 0 };
    vv_elements *s = NULL;
    *out = NULL;
    vv_add_kernels(&kernels, VV_VARIANT_HERE(vv_tet_kernels)->of + model); /* least_j, max_step */
    vv_add_kernels(&kernels, VV_VARIANT_HERE(vv_mean_kernels)->of + model);
    vvStatus status = vv_elements_of_parts(&frame, ops + row, &kernels, VV_CELL_TETS, in, NULL, &s, error);
    if (status != VV_OK || !s)
        return status;
    s->model = model;
    for (int p = 0; p < in->part_count; p++) {
        const vv_material *m = in->parts[p].material;
        s->law[VV_TET_LAW * p] = m->mu, s->law[VV_TET_LAW * p + 1] = m->lambda;
    }
    return vv_elements_finish(s, vv_tets_fill_lane, in->rest, out, error);
}

const vv_element_kind vv_mean_kinds[VV_MEAN_COUNT] = {
/* clang-format off */
#define VV_ROW(name, word, summary, inversion_free, rotation, sweeps, split)                                           \
    VV_WHERE_##split({ { word, summary }, VV_CELL_TETS, inversion_free, NULL, create, vv_rayleigh_of_parts,            \
                       .moduli = true, .mean = true }, )
    /* clang-format on */
    VV_TET_MATERIALS(VV_ROW)
#undef VV_ROW
};

const vv_element_kind *vv_mean_kind_of(int model)
{
    for (int i = 0; i < VV_MEAN_COUNT; i++)
        if (model_of[i] == model)
            return vv_mean_kinds + i;
    return NULL;
}

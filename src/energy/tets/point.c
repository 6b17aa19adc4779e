/* A tet material at one point, by the kernels' own formulas (theory §4.2), all eight lanes alike. */
#include "energy/tets/point.h"

#include "energy/tets/materials.h"
#include "energy/tets/tets.h"

#include <string.h>

/* the materials have functions that only kernels use. */
#pragma GCC diagnostic ignored "-Wunused-function"

typedef void stress_fn(const vv_strain8 *e, double mu, double la, vv_d8 *psi, vv_d8 p[9]);

#define VV_POINT(name, word, summary, inversion_free, rotation, sweeps, split)               \
    static void name##_at(const vv_strain8 *e, double mu, double la, vv_d8 *psi, vv_d8 p[9]) \
    {                                                                                        \
        name##_stress(e, mu, la, psi, p);                                                    \
    }
VV_TET_MATERIALS(VV_POINT)
#undef VV_POINT

/* NULL: lambda's part is not of J alone. */
typedef void volume_fn(vv_d8 j, vv_d8 u[3]);

#define VV_VOLUME(name, word, summary, inversion_free, rotation, sweeps, split) \
    VV_WHERE_##split(static void name##_of_volume(vv_d8 j, vv_d8 u[3]) { name##_volume(j, u); })
VV_TET_MATERIALS(VV_VOLUME)
#undef VV_VOLUME

static volume_fn *const volume_of[VV_MATERIAL_COUNT] = {
#define VV_ENTRY(name, word, summary, inversion_free, rotation, sweeps, split) \
    VV_WHERE_##split([VV_MATERIAL_##name] = name##_of_volume, )
    VV_TET_MATERIALS(VV_ENTRY)
#undef VV_ENTRY
};

static stress_fn *const stress_of[VV_MATERIAL_COUNT] = {
#define VV_ENTRY(name, word, summary, inversion_free, rotation, sweeps, split) [VV_MATERIAL_##name] = name##_at,
    VV_TET_MATERIALS(VV_ENTRY)
#undef VV_ENTRY
};

bool vv_tet_point(const vv_material *material, const double f[9], const double *mean_j, double *psi, double p[9])
{
    const int model = material->kind ? vv_tets_model(material->kind->info.name) : -1;
    vv_strain8 e;
    vv_d8 energy = vv8_zero(), stress[9], u[3] = { vv8_zero(), vv8_zero() };
    if (model < 0 || material->kind->affine)
        return false;
    const bool mean = material->kind->mean && mean_j;
    for (int i = 0; i < 9; i++)
        e.f[i] = vv8_set(f[i]);
    vv8_strain(&e);
    vv8_polar_rotation(e.f, e.r);
    stress_of[model](&e, material->mu, mean ? 0 : material->lambda, &energy, stress);
    if (mean)
        volume_of[model](vv8_set(*mean_j), u);
    *psi = energy[0] + (mean ? material->lambda * u[0][0] : 0);
    for (int i = 0; i < 9; i++)
        p[i] = stress[i][0] + (mean ? material->lambda * u[1][0] * e.cof[i][0] : 0);
    return true;
}

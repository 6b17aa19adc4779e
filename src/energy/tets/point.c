/* A tet material at one point, by the kernels' own formulas (theory §4.2), all eight lanes alike. */
#include "energy/tets/point.h"

#include "energy/tets/materials.h"
#include "energy/tets/tets.h"

#include <string.h>

/* the materials have functions that only kernels use. */
#pragma GCC diagnostic ignored "-Wunused-function"

typedef void stress_fn(const vv_strain8 *e, double mu, double la, vv_d8 *psi, vv_d8 p[9]);

#define VV_POINT(name, word, summary, inversion_free, rotation, sweeps)                      \
    static void name##_at(const vv_strain8 *e, double mu, double la, vv_d8 *psi, vv_d8 p[9]) \
    {                                                                                        \
        name##_stress(e, mu, la, psi, p);                                                    \
    }
VV_TET_MATERIALS(VV_POINT)
#undef VV_POINT

static stress_fn *const stress_of[VV_MATERIAL_COUNT] = {
#define VV_ENTRY(name, word, summary, inversion_free, rotation, sweeps) [VV_MATERIAL_##name] = name##_at,
    VV_TET_MATERIALS(VV_ENTRY)
#undef VV_ENTRY
};

bool vv_tet_point(const vv_material *material, const double f[9], double *psi, double p[9])
{
    const int model = material->kind ? vv_tets_model(material->kind->info.name) : -1;
    vv_strain8 e;
    vv_d8 energy = vv8_zero(), stress[9];
    if (model < 0 || material->kind->affine)
        return false;
    for (int i = 0; i < 9; i++)
        e.f[i] = vv8_set(f[i]);
    vv8_strain(&e);
    vv8_polar_rotation(e.f, e.r);
    stress_of[model](&e, material->mu, material->lambda, &energy, stress);
    *psi = energy[0];
    for (int i = 0; i < 9; i++)
        p[i] = stress[i][0];
    return true;
}

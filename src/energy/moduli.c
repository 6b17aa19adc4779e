/* The elastic moduli of an isotropic material, and how stiff a plate of it is. */
#include "base/error.h"
#include "energy/elements.h"

vvStatus vv_check_moduli(const vvMaterialDef *m, vvError *error)
{
    vvStatus status;
    if (m->lame) {
        status = vv_check_positive(m->mu, "mu", "Pa", error);
        return status == VV_OK ? vv_check_range(m->lambda, 0, 1e18, "lambda (Pa)", error) : status;
    }
    status = vv_check_positive(m->young, "young", "Pa", error);
    if (status == VV_OK && !(m->poisson > -1 && m->poisson < 0.5))
        status =
            vv_fail(error, VV_ERROR_INPUT, "poisson is %g; it must be greater than -1 and less than 0.5", m->poisson);
    return status;
}

double vv_young(const vv_material *m)
{
    return m->def.lame ? m->mu * (3 * m->lambda + 2 * m->mu) / (m->lambda + m->mu) : m->def.young;
}

double vv_plate_stiffness(const vv_element_part *part, int triangle)
{
    const vv_material *m = part->material;
    double t = part->triangle_thickness ? part->triangle_thickness[triangle] : part->thickness;
    double factor = part->triangle_stiffness ? part->triangle_stiffness[triangle] : 1;
    return factor * t * t * t / 3 * m->mu * (m->lambda + m->mu) / (m->lambda + 2 * m->mu);
}

double vv_rod_stiffness(const vv_element_part *part)
{
    double r = 0.5 * part->thickness;
    return vv_young(part->material) * (0.25 * 3.14159265358979323846 * r * r * r * r);
}

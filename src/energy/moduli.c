/* The elastic moduli of an isotropic material, and how stiff a plate of it is. */
#include "base/error.h"
#include "energy/elements.h"

vvStatus vv_check_moduli(const vvMaterialDef *m, vvError *error)
{
    if (!m->lame || 3 * m->lambda + 2 * m->mu > 0)
        return VV_OK;
    return vv_fail(error, VV_ERROR_INPUT, "lambda is %.9g Pa with mu %.9g Pa; it must be above -2/3 mu", m->lambda,
                   m->mu);
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

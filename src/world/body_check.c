/* What a body's definition may be: its material, its mesh, its placement. */
#include "base/error.h"
#include "energy/tets.h"
#include "world/world.h"

#include <string.h>

static vvStatus positive(double x, const char *what, const char *unit, vvError *error)
{
    if (x > 0 && x <= 1e18)
        return VV_OK;
    return vv_fail(error, VV_ERROR_INPUT, "%s is %g; it must be a positive number of at most 1e18%s%s", what, x, *unit ? " " : "",
                   unit);
}

static vvStatus range(double x, double min, double max, const char *what, vvError *error)
{
    if (x >= min && x <= max)
        return VV_OK;
    return vv_fail(error, VV_ERROR_INPUT, "%s is %g; it must be in [%g, %g]", what, x, min, max);
}

vvStatus vv_body_check_material(const vvMaterialDef *m, const vvMesh *mesh, vvError *error)
{
    const vvInfo *row = NULL;
    for (int i = 0; m->model && (row = vvMaterialInfo(i)); i++)
        if (strcmp(row->name, m->model) == 0)
            break;
    if (!m->model || !row) {
        char names[512];
        vv_list_names(names, sizeof names, vvMaterialInfo);
        return vv_fail(error, VV_ERROR_INPUT, "material model \"%s\" is not known; there are: %s", m->model ? m->model : "(none)",
                       names);
    }
    bool solid = vv_tets_model(m->model) >= 0, free = vv_material_is_free(m->model), tets = mesh->tetCount > 0,
         points = mesh->pointCount > 0;
    if (solid != tets || free != points)
        return vv_fail(error, VV_ERROR_INPUT, "material model \"%s\" is for %s, but the body's mesh has %s", m->model,
                       solid ? "tetrahedra" : free ? "free points" : "springs",
                       tets ? "tetrahedra" : points ? "nothing but points (\"free\")" : solid ? "no tetrahedra" : "other elements");
    /* 0: by density; anything else must be a mass */
    vvStatus s = m->totalMass != 0 ? positive(m->totalMass, "mass", "kg", error) : positive(m->density, "density", "", error);
    if (s == VV_OK && solid && m->lame) {
        s = positive(m->mu, "mu", "Pa", error);
        if (s == VV_OK)
            s = range(m->lambda, 0, 1e18, "lambda (Pa)", error);
    } else if (s == VV_OK && solid) {
        s = positive(m->young, "young", "Pa", error);
        if (s == VV_OK && !(m->poisson > -1 && m->poisson < 0.5))
            s = vv_fail(error, VV_ERROR_INPUT, "poisson is %g; it must be greater than -1 and less than 0.5", m->poisson);
    } else if (s == VV_OK && free) {
        if (m->damping.rayleigh > 0)
            s = vv_fail(error, VV_ERROR_INPUT, "damping.rayleigh is %g s: it damps with the stiffness, and free points have none; "
                        "damping.drag works", m->damping.rayleigh);
    } else if (s == VV_OK) {
        s = positive(m->springStiffness, "stiffness", "", error);
        if (s == VV_OK)
            s = range(m->bendStiffness, 0, 1e18, "bend_stiffness", error);
    }
    const vvDampingDef *d = &m->damping;
    if (s == VV_OK)
        s = range(d->drag, 0, 1e9, "damping.drag (1/s)", error);
    if (s == VV_OK)
        s = range(d->rayleigh, 0, 1e9, "damping.rayleigh (s)", error);
    if (s == VV_OK)
        s = range(d->momentumRate, 0, 1e9, "damping.momentum_rate (1/s)", error);
    if (s == VV_OK)
        s = range(d->momentumPerStep, 0, 1, "damping.momentum_per_step", error);
    if (s == VV_OK && d->momentumRate > 0 && d->momentumPerStep > 0)
        s = vv_fail(error, VV_ERROR_INPUT, "damping: give momentum_rate or momentum_per_step, not both");
    return s;
}

vvStatus vv_body_check_mesh(const vvMesh *m, vvError *error)
{
    if (!m || m->vertexCount <= 0)
        return vv_fail(error, VV_ERROR_INPUT, "the mesh has no vertices");
    bool others = m->tetCount > 0 || m->triangleCount > 0 || m->edgeCount > 0;
    if (!others && m->pointCount <= 0)
        return vv_fail(error, VV_ERROR_INPUT, "the mesh has no tetrahedra, triangles, edges or points");
    if (others && m->pointCount > 0)
        return vv_fail(error, VV_ERROR_INPUT, "the mesh has points beside other elements; vvMeshFinish drops them, free points are a "
                       "body of their own");
    if (m->tetCount > 0 && m->triangleCount <= 0)
        return vv_fail(error, VV_ERROR_INPUT, "the mesh has tetrahedra but no boundary triangles; vvMeshFinish makes them");
    for (int i = 0; i < 3 * m->vertexCount; i++)
        if (!isfinite(m->positions[i]))
            return vv_fail(error, VV_ERROR_INPUT, "the mesh's vertex %d is not finite", i / 3);
    const int *lists[] = { m->tets, m->triangles, m->edges, m->points };
    const int lengths[] = { 4 * m->tetCount, 3 * m->triangleCount, 2 * m->edgeCount, m->pointCount };
    static const char *const names[] = { "tetrahedron", "triangle", "edge", "point" };
    for (int l = 0; l < 4; l++)
        for (int i = 0; i < lengths[l]; i++)
            if (lists[l][i] < 0 || lists[l][i] >= m->vertexCount)
                return vv_fail(error, VV_ERROR_INPUT, "the mesh's %s %d names vertex %d; there are %d", names[l],
                               i / (4 - l), lists[l][i], m->vertexCount);
    return VV_OK;
}

vvStatus vv_body_check_placement(const vvBodyDef *def, vvError *error)
{
    for (int k = 0; k < 3; k++) {
        if (!(def->scale[k] > 0 && def->scale[k] <= 1e9))
            return vv_fail(error, VV_ERROR_INPUT, "place.scale is %g; it must be positive and at most 1e9", def->scale[k]);
        if (!isfinite(def->rotate[k]) || !(fabs(def->translate[k]) <= 1e9))
            return vv_fail(error, VV_ERROR_INPUT, "place: rotate and translate must be finite, translate within 1e9 m");
    }
    if (isnan(def->friction) || def->friction > 100)
        return vv_fail(error, VV_ERROR_INPUT, "friction is %g; it must be at most 100", def->friction);
    if (!(def->thickness >= 0 && def->thickness <= 1e9))
        return vv_fail(error, VV_ERROR_INPUT, "thickness is %g m; it must be 0 or more, and at most 1e9 m", def->thickness);
    return VV_OK;
}

/* Checks of a body's definition: where it comes from, its materials, its mesh, its placement. */
#include "base/error.h"
#include "base/text/range.h"
#include "mesh/tet10.h"
#include "world/bodies/regions.h"
#include "world/settings/members.h"
#include "world/settings/settings.h"

#include <stdio.h>
#include <string.h>

/* ---- where it comes from ---- */

vvStatus vv_body_check_made(const vvBodyDef *def, vvError *error)
{
    if (!def)
        return vv_fail(error, VV_ERROR_INPUT, "vvWorldAddBody needs a definition, found NULL");
    vvStatus status = vv_check_made(def->internalValue, "vvBodyDef", "vvWorldAddBody: the definition", error);
    if (status == VV_OK)
        status = vv_check_made(def->material.internalValue, "vvMaterialDef", "vvBodyDef.material", error);
    if (status == VV_OK)
        status = vv_check_made(def->filter.internalValue, "vvFilter", "vvBodyDef.filter", error);
    if (status == VV_OK)
        status = vv_check_made(def->motion.internalValue, "vvMotionDef", "vvBodyDef.motion", error);
    if (status != VV_OK)
        return status;
    if (def->moreMaterialCount < 0 || (def->moreMaterialCount > 0 && !def->moreMaterials))
        return vv_fail(error, VV_ERROR_INPUT,
                       "vvBodyDef.moreMaterialCount is %d%s; it must be the length of moreMaterials",
                       def->moreMaterialCount, def->moreMaterials ? "" : ", and moreMaterials is NULL");
    for (int i = 0; status == VV_OK && i < def->moreMaterialCount; i++) {
        char place[64];
        snprintf(place, sizeof place, "vvBodyDef.moreMaterials[%d]", i);
        status = vv_check_made(def->moreMaterials[i].internalValue, "vvMaterialDef", place, error);
    }
    return status;
}

/* ---- materials ---- */

static const char *const cell_names[VV_CELL_COUNT] = { "tetrahedra",           "triangles",          "springs",
                                                       "edges alone",          "pairs of triangles", "free points",
                                                       "tetrahedra of order 2" };

/* Whether the mesh has the kind's cells for the body's first, or a further, material. The first material must hold
 * all nodes, so on a mesh of tets it must act on tets. Those have no list of edges, and so no directors. */
static bool has_cells(const vvMesh *m, const vv_element_kind *kind, bool first)
{
    if (vv_element_kind_find(kind->info.name) != kind) /* found by the name of another: vv_make_material */
        return false;
    if (kind->directors && m->tetCount > 0)
        return false;
    switch (kind->cell) {
    case VV_CELL_TETS: return m->tetCount > 0 && (!m->tet10Count || kind->affine || vv_element_kind_order2(kind, 0));
    case VV_CELL_TRIANGLES: return m->triangleCount > 0 && !(first && m->tetCount > 0);
    case VV_CELL_EDGES: return m->tetCount == 0 && (m->triangleCount > 0 || m->edgeCount > 0);
    case VV_CELL_CURVES: return m->tetCount == 0 && m->triangleCount == 0 && m->edgeCount > 0;
    case VV_CELL_HINGES: return m->tetCount == 0 && m->triangleCount > 0;
    default: return m->pointCount > 0;
    }
}

static vvStatus wrong_cells(const vv_element_kind *kind, const vvMesh *m, bool first, vvError *error)
{
    char names[512] = "";
    const vv_element_kind *other;
    for (int i = 0; (other = vv_element_kind_at(i)); i++)
        if (has_cells(m, other, first)) {
            size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", other->info.name);
        }
    return vv_fail(error, VV_ERROR_INPUT, "material model \"%s\" is for %s, but the body's mesh has %s; %s: %s",
                   kind->info.name, cell_names[kind->cell],
                   m->tet10Count > 0      ? "tetrahedra of order 2"
                   : m->tetCount > 0      ? "tetrahedra"
                   : m->pointCount > 0    ? "nothing but points"
                   : m->triangleCount > 0 ? "triangles and no tetrahedra"
                                          : "nothing but edges",
                   first ? "models for it are" : "further models for it are", names);
}

static vvStatus check_mean(const vv_element_kind *kind, const vvMesh *mesh, vvError *error)
{
    char names[256] = "";
    const vv_element_kind *other;
    if (mesh->tet10Count)
        return vv_fail(
            error, VV_ERROR_INPUT,
            "mean_dilatation is for tets of order 1, and the body's mesh is of order 2, which does not lock; "
            "leave it out, or give the body order 1");
    if (vv_element_kind_mean(kind))
        return VV_OK;
    for (int i = 0; (other = vv_element_kind_at(i)); i++)
        if (other->mean) {
            size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", other->info.name);
        }
    return vv_fail(error, VV_ERROR_INPUT,
                   "mean_dilatation is for materials of tets whose resistance to changes of volume is a part of its "
                   "own, and \"%s\" is none; models that have it are: %s",
                   kind->info.name, names);
}

/* Of all models alike: the model's name, and each number in the range of its row. `place`: among the body's. */
static vvStatus check_model(const vvMaterialDef *material, const vvMesh *mesh, int place, const vv_element_kind **kind,
                            vvError *error)
{
    vvMaterialDef m = *material;
    *kind = m.model ? vv_element_kind_find(m.model) : NULL;
    if (*kind && !has_cells(mesh, *kind, place == 0))
        return wrong_cells(*kind, mesh, place == 0, error);
    vvStatus status = vv_members_check(&vv_material_members, &m, error);
    if (status == VV_OK && (*kind)->moduli)
        status = vv_check_moduli(&m, error);
    if (status == VV_OK && vv_quadrature_find(m.quadrature) > 0 && !mesh->tet10Count)
        status =
            vv_fail(error, VV_ERROR_INPUT,
                    "quadrature \"%s\" is of tets of order 2, and the body's mesh has none; leave it out, or give the "
                    "body order 2",
                    m.quadrature);
    if (status == VV_OK && m.meanDilatation)
        status = check_mean(*kind, mesh, error);
    return status == VV_OK ? status : vv_fail_prefix(error, place > 0 ? "material[%d]." : "material.", place);
}

static vvStatus check_thickness(const vv_element_kind *kind, const vvMaterialDef *m, const vvBodyDef *body,
                                vvError *error)
{
    bool each = body->triangleThickness && (kind->cell == VV_CELL_TRIANGLES || kind->cell == VV_CELL_HINGES);
    if (kind->thick && !each && !(m->thickness > 0 || body->thickness > 0))
        return vv_fail(error, VV_ERROR_INPUT,
                       "material model \"%s\" needs a thickness (a rod's is its diameter), and neither the material "
                       "nor the body has one; set thickness, in m",
                       kind->info.name);
    return VV_OK;
}

static vvStatus check_numbers(const vv_element_kind *kind, const vvMaterialDef *m, const vvBodyDef *body,
                              vvError *error)
{
    vvStatus status = kind->check ? kind->check(m, error) : VV_OK;
    if (status == VV_OK)
        status = check_thickness(kind, m, body, error);
    if (status == VV_OK && m->damping.rayleigh > 0 && !kind->rayleigh)
        status = vv_fail(error, VV_ERROR_INPUT,
                         "damping.rayleigh is %g s, but the material model \"%s\" has no such damping; it must be 0",
                         m->damping.rayleigh, kind->info.name);
    return status;
}

/* The first material also gives mass and damping. */
static vvStatus check_first(const vvBodyDef *def, const vv_element_kind **kind, vvError *error)
{
    const vvMaterialDef *m = &def->material;
    vvStatus status = check_model(m, def->mesh, 0, kind, error);
    if (status == VV_OK)
        status = check_numbers(*kind, m, def, error);
    if (status == VV_OK && m->damping.momentumRate > 0 && m->damping.momentumPerStep > 0)
        status = vv_fail(error, VV_ERROR_INPUT, "damping: give momentum_rate or momentum_per_step, not both");
    return status;
}

static vvStatus check_further(const vvBodyDef *def, int index, const vv_element_kind *first, vvError *error)
{
    const vvMaterialDef *m = def->moreMaterials + index;
    const vvDampingDef *d = &m->damping;
    const vv_element_kind *kind = NULL;
    vvStatus status = check_model(m, def->mesh, index + 1, &kind, error);
    if (status != VV_OK)
        return status;
    if (!first->create || !kind->create)
        return vv_fail(error, VV_ERROR_INPUT, "material model \"%s\" gives no elasticity; it must be a body's only one",
                       first->create ? kind->info.name : first->info.name);
    if (kind->affine)
        return vv_fail(error, VV_ERROR_INPUT,
                       "material model \"%s\" makes of the body one of four nodes; it must be its first and only one",
                       kind->info.name);
    bool again = kind == first && !def->tetMaterials;
    for (int i = 0; !def->tetMaterials && i < index; i++)
        again = again || vv_element_kind_find(def->moreMaterials[i].model) == kind;
    if (again)
        return vv_fail(error, VV_ERROR_INPUT, "two materials of the body have the model \"%s\"; each may occur once",
                       kind->info.name);
    if (!def->tetMaterials && (d->drag != 0 || d->momentumRate != 0 || d->momentumPerStep != 0))
        return vv_fail(error, VV_ERROR_INPUT,
                       "material model \"%s\" is not the body's first, and of its damping only rayleigh is "
                       "allowed; give drag, momentum_rate or momentum_per_step to the first, \"%s\"",
                       kind->info.name, first->info.name);
    return check_numbers(kind, m, def, error);
}

/* A number that no material of the body reads would be without effect and unseen. One that is made `like` another has
 * numbers that are read only there, so the body's materials are looked at together. */
static vvStatus check_read(const vvBodyDef *def, vvError *error)
{
    bool taut = false, winds = false;
    for (int i = -1; i < def->moreMaterialCount; i++) {
        const vv_element_kind *kind = vv_element_kind_find(i < 0 ? def->material.model : def->moreMaterials[i].model);
        taut = taut || kind->taut;
        winds = winds || kind->winds;
    }
    for (int i = -1; i < def->moreMaterialCount; i++) {
        const vvMaterialDef *m = i < 0 ? &def->material : def->moreMaterials + i;
        if (!taut && (m->strainLimit != 0 || m->prestrain != 0))
            return vv_fail(error, VV_ERROR_INPUT,
                           "%s is given, but none of the body's materials is a membrane, which would read it; add "
                           "\"stvk-membrane\" or "
                           "\"neo-hookean-membrane\", or leave it out",
                           m->strainLimit != 0 ? "strain_limit" : "prestrain");
        if (!winds && m->restTwist != 0)
            return vv_fail(error, VV_ERROR_INPUT,
                           "rest_twist is given, but none of the body's materials is \"rod\", which would read it; use "
                           "that model, or "
                           "leave it out");
    }
    return VV_OK;
}

vvStatus vv_body_check_materials(const vvBodyDef *def, vvError *error)
{
    const vv_element_kind *first = NULL;
    vvStatus status = check_first(def, &first, error);
    for (int i = 0; status == VV_OK && i < def->moreMaterialCount; i++)
        status = check_further(def, i, first, error);
    if (status == VV_OK)
        status = vv_regions_check(def, error);
    return status == VV_OK ? check_read(def, error) : status;
}

/* ---- numbers of each triangle ---- */

/* Whether a shell of the body reads them. */
static bool has_shell(const vvBodyDef *def)
{
    for (int i = -1; i < def->moreMaterialCount; i++) {
        const vv_element_kind *kind = vv_element_kind_find(i < 0 ? def->material.model : def->moreMaterials[i].model);
        if (kind->thick && (kind->cell == VV_CELL_TRIANGLES || kind->cell == VV_CELL_HINGES))
            return true;
    }
    return false;
}

static vvStatus check_triangle_numbers(const vvBodyDef *def, const double *numbers, const char *name, const char *unit,
                                       vvError *error)
{
    const vvMesh *m = def->mesh;
    if (m->tetCount > 0 || m->triangleCount <= 0)
        return vv_fail(error, VV_ERROR_INPUT, "%s is for shells, but the body's mesh has %s; leave it out", name,
                       m->tetCount > 0 ? "tetrahedra" : "no triangles");
    if (def->kinematic || !has_shell(def))
        return vv_fail(error, VV_ERROR_INPUT, "%s is given, but %s; leave it out", name,
                       def->kinematic ? "a kinematic body has no elasticity"
                                      : "none of the body's materials is a shell's");
    for (int t = 0; t < m->triangleCount; t++)
        if (!(numbers[t] > 0 && numbers[t] <= 1e9))
            return vv_fail(error, VV_ERROR_INPUT, "%s of triangle %d is %g%s; it must be positive and at most 1e9",
                           name, t, numbers[t], unit);
    return VV_OK;
}

vvStatus vv_body_check_triangle_numbers(const vvBodyDef *def, vvError *error)
{
    vvStatus status = VV_OK;
    if (def->triangleThickness)
        status = check_triangle_numbers(def, def->triangleThickness, "triangleThickness", " m", error);
    if (status == VV_OK && def->triangleStiffness)
        status = check_triangle_numbers(def, def->triangleStiffness, "triangleStiffness", "", error);
    return status;
}

/* ---- mesh and place ---- */

/* Tets of order 2, and the eight linear ones of each. */
static vvStatus check_order2(const vvMesh *m, vvError *error)
{
    if (m->tet10Count < 0 || (m->tet10Count > 0 && !m->tets10) || m->tet10Count > INT32_MAX / 40 ||
        m->tetCount != 8 * m->tet10Count)
        return vv_fail(error, VV_ERROR_INPUT,
                       "the mesh has %d tetrahedra of order 2%s and %d linear ones, which must be eight of each; "
                       "vvMeshFinish makes them",
                       m->tet10Count, m->tets10 ? "" : ", whose array is NULL,", m->tetCount);
    for (int i = 0; i < 10 * m->tet10Count; i++)
        if (m->tets10[i] < 0 || m->tets10[i] >= m->vertexCount)
            return vv_fail(error, VV_ERROR_INPUT, "the mesh's tetrahedron %d of order 2 names vertex %d; there are %d",
                           i / 10, m->tets10[i], m->vertexCount);
    for (int i = 0; i < 4 * m->tetCount; i++) {
        const int *n = m->tets10 + 10 * (size_t)(i / 32);
        bool found = false;
        for (int k = 0; k < 10; k++)
            found = found || n[k] == m->tets[i];
        if (!found)
            return vv_fail(
                error, VV_ERROR_INPUT,
                "the mesh's tetrahedron %d has vertex %d, which is none of the nodes of that of order 2 that "
                "it is a part of; vvMeshFinish makes both fit",
                i / 4, m->tets[i]);
    }
    return VV_OK;
}

vvStatus vv_body_check_mesh(const vvMesh *m, vvError *error)
{
    if (!m || m->vertexCount <= 0)
        return vv_fail(error, VV_ERROR_INPUT, "the mesh has no vertices");
    bool others = m->tetCount > 0 || m->triangleCount > 0 || m->edgeCount > 0;
    if (!others && m->pointCount <= 0)
        return vv_fail(error, VV_ERROR_INPUT, "the mesh has no tetrahedra, triangles, edges or points");
    if (others && m->pointCount > 0)
        return vv_fail(error, VV_ERROR_INPUT,
                       "the mesh has points beside other elements; vvMeshFinish drops them, free points are a "
                       "body of their own");
    if (m->tetCount > 0 && m->triangleCount <= 0)
        return vv_fail(error, VV_ERROR_INPUT,
                       "the mesh has tetrahedra but no boundary triangles; vvMeshFinish makes them");
    if (!m->positions)
        return vv_fail(error, VV_ERROR_INPUT, "the mesh has %d vertices, but positions is NULL", m->vertexCount);
    for (int i = 0; i < 3 * m->vertexCount; i++)
        if (!isfinite(m->positions[i]))
            return vv_fail(error, VV_ERROR_INPUT, "the mesh's vertex %d is not finite", i / 3);
    const int *lists[] = { m->tets, m->triangles, m->edges, m->points, m->bends };
    const int corners[] = { 4, 3, 2, 1, 2 };
    const int lengths[] = { 4 * m->tetCount, 3 * m->triangleCount, 2 * m->edgeCount, m->pointCount, 2 * m->bendCount };
    static const char *const names[] = { "tetrahedron", "triangle", "edge", "point", "bend pair" };
    for (int l = 0; l < 5; l++)
        if (lengths[l] > 0 && !lists[l])
            return vv_fail(error, VV_ERROR_INPUT, "the mesh has %ss, but their array is NULL", names[l]);
    for (int i = 0; m->uvs && i < 6 * m->triangleCount; i++)
        if (!isfinite(m->uvs[i]))
            return vv_fail(error, VV_ERROR_INPUT, "the mesh's triangle %d has a texture coordinate that is not finite",
                           i / 6);
    if (m->bendCount < 0)
        return vv_fail(error, VV_ERROR_INPUT, "the mesh has %d bend pairs; it must be 0 or more", m->bendCount);
    if (m->bendCount > 0 && (m->tetCount > 0 || m->pointCount > 0))
        return vv_fail(error, VV_ERROR_INPUT, "the mesh has bend pairs beside %s; only triangles and edges bend",
                       m->tetCount > 0 ? "tetrahedra" : "points");
    for (int l = 0; l < 5; l++)
        for (int i = 0; i < lengths[l]; i++)
            if (lists[l][i] < 0 || lists[l][i] >= m->vertexCount)
                return vv_fail(error, VV_ERROR_INPUT, "the mesh's %s %d names vertex %d; there are %d", names[l],
                               i / corners[l], lists[l][i], m->vertexCount);
    for (int i = 0; i < m->bendCount; i++)
        if (m->bends[2 * i] == m->bends[2 * i + 1])
            return vv_fail(error, VV_ERROR_INPUT, "the mesh's bend pair %d names vertex %d twice", i, m->bends[2 * i]);
    return m->tet10Count ? check_order2(m, error) : VV_OK;
}

vvStatus vv_body_check_placement(const vvBodyDef *def, vvError *error)
{
    for (int k = 0; k < 3; k++) {
        if (!(def->scale[k] > 0 && def->scale[k] <= 1e9))
            return vv_fail(error, VV_ERROR_INPUT, "place.scale is %g; it must be positive and at most 1e9",
                           def->scale[k]);
        if (!isfinite(def->rotate[k]) || !(fabs(def->translate[k]) <= 1e9))
            return vv_fail(error, VV_ERROR_INPUT, "place: rotate and translate must be finite, translate within 1e9 m");
    }
    double friction = def->friction;
    vvStatus status = vv_check_friction(&friction, "friction", error);
    return status == VV_OK ? vv_range_check(&(vv_range){ 0, 1e9, .unit = "m" }, def->thickness, "thickness", error)
                           : status;
}

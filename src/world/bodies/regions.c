/* A body of tets with a material for each of its regions. Elements of one material lie together, so that each material
 * is a part of its batch as a body's only one is (energy/elements.h). */
#include "world/bodies/regions.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

/* ---- checks ---- */

static const vvMaterialDef *material_at(const vvBodyDef *def, int i)
{
    return i == 0 ? &def->material : def->moreMaterials + i - 1;
}

static bool same_drag(const vvDampingDef *a, const vvDampingDef *b)
{
    return a->drag == b->drag && a->momentumRate == b->momentumRate && a->momentumPerStep == b->momentumPerStep;
}

static vvStatus check_materials(const vvBodyDef *def, vvError *error)
{
    for (int i = 0; i <= def->moreMaterialCount; i++) {
        const vvMaterialDef *m = material_at(def, i);
        const vv_element_kind *kind = m->model ? vv_element_kind_find(m->model) : NULL;
        if (kind && (kind->cell != VV_CELL_TETS || kind->affine))
            return vv_fail(error, VV_ERROR_INPUT,
                           "material model \"%s\" is not one of tetrahedra, as the materials of regions must be",
                           kind->info.name);
        if (m->totalMass > 0)
            return vv_fail(error, VV_ERROR_INPUT,
                           "mass is given for the material of a region, which has its density; give that");
        if (!same_drag(&m->damping, &def->material.damping))
            return vv_fail(error, VV_ERROR_INPUT,
                           "the materials of the body's regions differ in damping.drag, momentum_rate or "
                           "momentum_per_step, which act on the body as a whole; give all the same "
                           "(vvBodySetDamping does)");
    }
    return VV_OK;
}

vvStatus vv_regions_check(const vvBodyDef *def, vvError *error)
{
    const vvMesh *m = def->mesh;
    const int tets = m->tet10Count ? m->tet10Count : m->tetCount;
    if (!def->tetMaterials || def->kinematic)
        return VV_OK;
    if (tets == 0)
        return vv_fail(error, VV_ERROR_INPUT, "tetMaterials is given, but the body's mesh has no tetrahedra");
    int *used = vv_alloc((size_t)def->moreMaterialCount + 1, sizeof *used);
    if (!used)
        return vv_fail_memory(error, "regions of a body");
    vvStatus status = VV_OK;
    for (int t = 0; status == VV_OK && t < tets; t++)
        if (def->tetMaterials[t] < 0 || def->tetMaterials[t] > def->moreMaterialCount)
            status = vv_fail(error, VV_ERROR_INPUT,
                             "tetMaterials of tet %d is %d; 0 is `material`, and up to %d those of moreMaterials", t,
                             def->tetMaterials[t], def->moreMaterialCount);
        else
            used[def->tetMaterials[t]] = 1;
    for (int i = 0; status == VV_OK && i <= def->moreMaterialCount; i++)
        if (!used[i])
            status = vv_fail(error, VV_ERROR_INPUT, "material %d has no tet in tetMaterials; leave it out", i);
    vv_free(used);
    return status == VV_OK ? check_materials(def, error) : status;
}

/* ---- made, copied, freed ---- */

static void fill(vv_body *b)
{
    vv_regions *r = &b->regions;
    int at = 0;
    for (int m = 0; m < b->material_count; m++) {
        r->start[m] = at;
        for (int t = 0; t < vv_body_tets(b); t++) {
            if (r->of[t] != m)
                continue;
            const size_t per = b->tet10_count ? 8 : 1, from = per * (size_t)t, to = per * (size_t)at;
            memcpy(r->tets + 4 * to, b->tets + 4 * from, 4 * per * sizeof *r->tets);
            if (b->tet10_count)
                memcpy(r->tets10 + 10 * (size_t)at, b->tets10 + 10 * (size_t)t, 10 * sizeof *r->tets10);
            r->element[at++] = t;
        }
    }
    r->start[b->material_count] = at;
}

bool vv_regions_make(const int *tet_materials, vv_body *b)
{
    const size_t tets = (size_t)vv_body_tets(b);
    if (!tet_materials || b->material_count == 0)
        return true;
    b->regions = (vv_regions){ .of = vv_alloc_copy(tet_materials, tets, sizeof(int)),
                               .start = vv_alloc((size_t)b->material_count + 1, sizeof(int)),
                               .element = vv_alloc(tets, sizeof(int)),
                               .tets = vv_alloc(4 * (size_t)b->tet_count, sizeof(int)),
                               .tets10 = vv_alloc(10 * (size_t)b->tet10_count, sizeof(int)) };
    const vv_regions *r = &b->regions;
    const bool made = r->of && r->start && r->element && r->tets && r->tets10;
    if (made)
        fill(b);
    return made;
}

void vv_regions_free(vv_regions *r)
{
    vv_free(r->of);
    vv_free(r->start);
    vv_free(r->element);
    vv_free(r->tets);
    vv_free(r->tets10);
    *r = (vv_regions){ 0 };
}

bool vv_regions_copy(const vv_regions *from, int tets, int tets10, int materials, vv_regions *to)
{
    const size_t n = (size_t)(tets10 ? tets10 : tets);
    *to = (vv_regions){ 0 };
    if (!from->of)
        return true;
    to->of = vv_alloc_copy(from->of, n, sizeof *to->of);
    to->start = vv_alloc_copy(from->start, (size_t)materials + 1, sizeof *to->start);
    to->element = vv_alloc_copy(from->element, n, sizeof *to->element);
    to->tets = vv_alloc_copy(from->tets, 4 * (size_t)tets, sizeof *to->tets);
    to->tets10 = vv_alloc_copy(from->tets10, 10 * (size_t)tets10, sizeof *to->tets10);
    return to->of && to->start && to->element && to->tets && to->tets10;
}

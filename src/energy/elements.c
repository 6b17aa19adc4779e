/* The list of element kinds, which is also the public table of materials. Each row is the table of functions that
 * ends a kind's file. Everything that refers to the list is in this file: a test that compiles it with
 * VV_MORE_ELEMENT_KINDS, rows of its own (&kind, ...), replaces it in the library. */
#include "energy/elements.h"

#include "energy/affine.h"
#include "energy/shells/hinges.h"
#include "energy/shells/membrane.h"
#include "energy/shells/midedge.h"
#include "energy/plane/plane.h"
#include "energy/rods/rods.h"
#include "energy/springs/springs.h"
#include "energy/tets/mean.h"
#include "energy/tets/tet10.h"
#include "energy/tets/tets.h"

#include <string.h>

static const vv_element_kind *const kinds[] = {
#define VV_ROW(name, word, summary, inversion_free, rotation, sweeps, split) &vv_tet_kinds[VV_MATERIAL_##name],
    VV_TET_MATERIALS(VV_ROW)
#undef VV_ROW
        & vv_spring_kinds[VV_SPRING_HOOKE],
    &vv_spring_kinds[VV_SPRING_STVK],
    &vv_spring_kinds[VV_SPRING_HOOKE_ROD],
    &vv_spring_kinds[VV_SPRING_NEO_HOOKEAN_ROD],
    &vv_membrane_kinds[VV_MEMBRANE_STVK],
    &vv_membrane_kinds[VV_MEMBRANE_NEO_HOOKEAN],
    &vv_plane_kind,
    &vv_hinge_kind,
    &vv_midedge_kind,
    &vv_spring_kinds[VV_SPRING_ROD_STRETCH],
    &vv_rod_kinds[VV_ROD_BENDING],
    &vv_rod_kinds[VV_ROD_TWISTING],
    &vv_affine_kind,
    &vv_free_points,
#ifdef VV_MORE_ELEMENT_KINDS
    VV_MORE_ELEMENT_KINDS
#endif
};

enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

const vv_element_kind *vv_element_kind_at(int index)
{
    if (index < KIND_COUNT)
        return index < 0 ? NULL : kinds[index];
    index -= KIND_COUNT;
    if (index < VV_TET10_KINDS)
        return vv_tet10_kinds + index;
    index -= VV_TET10_KINDS;
    return index < VV_MEAN_COUNT ? vv_mean_kinds + index : NULL;
}

const vv_element_kind *vv_element_kind_find(const char *name)
{
    for (int i = 0; i < KIND_COUNT; i++)
        if (strcmp(kinds[i]->info.name, name) == 0)
            return kinds[i];
    return NULL;
}

const vv_element_kind *vv_element_kind_order2(const vv_element_kind *kind, int rule)
{
    for (int i = 0; i < VV_MATERIAL_COUNT; i++)
        if (kind == vv_tet_kinds + i)
            return vv_tet10_kinds + rule * VV_MATERIAL_COUNT + i;
    return NULL;
}

const vv_element_kind *vv_element_kind_mean(const vv_element_kind *kind)
{
    for (int i = 0; i < VV_MATERIAL_COUNT; i++)
        if (kind == vv_tet_kinds + i)
            return vv_mean_kind_of(i);
    return NULL;
}

const vvInfo *vvMaterialInfo(int index) { return index >= 0 && index < KIND_COUNT ? &kinds[index]->info : NULL; }

/* The public table of materials: the tet materials of materials.h, then the spring models of springs.h, then "free". */
#include "energy/springs.h"
#include "energy/tets.h"
#include "energy/tets_kernels.h"
#include "visviva/world.h"

#include <string.h>

static const vvInfo tet_materials[] = {
#define VV_ROW(name, word, summary, inversion_free, by_values) { word, summary },
    VV_TET_MATERIALS(VV_ROW)
#undef VV_ROW
};

static const vvInfo free_points = { "free", "free points: mass, no elasticity" };

const vvInfo *vvMaterialInfo(int index)
{
    if (index < 0)
        return NULL;
    if (index < VV_MATERIAL_COUNT)
        return tet_materials + index;
    index -= VV_MATERIAL_COUNT;
    return index == VV_SPRING_COUNT ? &free_points : vv_spring_info(index);
}

bool vv_material_is_free(const char *name) { return strcmp(name, free_points.name) == 0; }

int vv_tets_model(const char *name)
{
    for (int i = 0; i < VV_MATERIAL_COUNT; i++)
        if (strcmp(name, tet_materials[i].name) == 0)
            return i;
    return -1;
}

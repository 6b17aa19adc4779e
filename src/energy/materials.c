/* The public table of materials: the tet materials of materials.h, then the spring models of springs.h. */
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

const vvInfo *vvMaterialInfo(int index)
{
    if (index < 0)
        return NULL;
    return index < VV_MATERIAL_COUNT ? tet_materials + index : vv_spring_info(index - VV_MATERIAL_COUNT);
}

int vv_tets_model(const char *name)
{
    for (int i = 0; i < VV_MATERIAL_COUNT; i++)
        if (strcmp(name, tet_materials[i].name) == 0)
            return i;
    return -1;
}

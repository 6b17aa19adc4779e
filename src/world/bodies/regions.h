/* A body of tets with a material for each of its regions: which tets, as world nodes, each material acts on. */
#ifndef VV_WORLD_BODIES_REGIONS_H
#define VV_WORLD_BODIES_REGIONS_H

#include "world/parts.h"

/* Refuses tetMaterials that do not fit the body's mesh and materials; of a kinematic body any. */
vvStatus vv_regions_check(const vvBodyDef *def, vvError *error);
/* From the body's tets and materials; false: out of memory. Without tetMaterials nothing is made. */
bool vv_regions_make(const int *tet_materials, vv_body *b);
void vv_regions_free(vv_regions *r);
bool vv_regions_copy(const vv_regions *from, int tets, int tets10, int materials, vv_regions *to);

/* How many elements the body has, of order 2 those of ten nodes. */
static inline int vv_body_tets(const vv_body *b) { return b->tet10_count ? b->tet10_count : b->tet_count; }
/* Whether a material acts on an element of a body of tets. */
static inline bool vv_material_acts(const vv_body *b, int material, int element)
{
    return !b->regions.of || b->regions.of[element] == material;
}
/* The material that gives an element its density. */
static inline const vv_material *vv_material_of_tet(const vv_body *b, int element)
{
    return b->materials + (b->regions.of ? b->regions.of[element] : 0);
}

#endif

/* Elastic tets of order 2 (theory §4.19): with the materials of linear tets, whose rows each have one here. */
#ifndef VV_ENERGY_TETS_TET10_H
#define VV_ENERGY_TETS_TET10_H

#include "energy/elements.h"
#include "energy/tets/kernels.h"
#include "mesh/tet10.h"

/* By the rule of points and the material. An element has the numbers of a linear tet at each point. */
typedef struct vv_tet10_kernels {
    vv_tet_kernels by[VV_TET10_RULES];
} vv_tet10_kernels;

VV_VARIANTS(const vv_tet10_kernels, vv_tet10_all_kernels);

enum { VV_TET10_KINDS = VV_TET10_RULES * VV_MATERIAL_COUNT };

/* The materials' rows, by model, for the first rule, then for the next. */
extern const vv_element_kind vv_tet10_kinds[VV_TET10_KINDS];

#endif

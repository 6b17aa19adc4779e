/* Elastic tets of order 2 (theory §4.19): with the materials of linear tets, whose rows each have one here. */
#ifndef VV_ENERGY_TETS_TET10_H
#define VV_ENERGY_TETS_TET10_H

#include "energy/elements.h"
#include "energy/tets/kernels.h"
#include "mesh/tet10.h"

enum { VV_TET10_SHAPE = VV_TET10_POINTS * VV_TET_SHAPE }; /* the numbers of a linear tet, at each point */

VV_VARIANTS(const vv_tet_kernels, vv_tet10_kernels);

/* The materials' rows, by model. */
extern const vv_element_kind vv_tet10_kinds[];

#endif

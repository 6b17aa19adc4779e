/* Macro-cells: tets of a mesh in groups of up to eight, over each of which something is averaged (theory §4.20). */
#ifndef VV_MESH_MACRO_H
#define VV_MESH_MACRO_H

#include "visviva/base.h"

enum {
    VV_MACRO_TETS = 8,
    VV_MACRO_NODES = 11 /* at most: four of the first tet, one more of each that meets the others at a face */
};

/* macro[t]: the macro-cell of tet t; they count from 0 on in the order of their first tets. tets: tet_count x 4, at
 * most 2^28, with nodes of any numbers. Depends on nothing but the tets and their order. */
vvStatus vv_macro_cells(int tet_count, const int *tets, int *macro, int *count, vvError *error);

#endif

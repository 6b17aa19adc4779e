/* What a viewer draws of a world: one list of cells over all bodies. */
#ifndef VV_RECORD_CELLS_H
#define VV_RECORD_CELLS_H

#include <stdint.h>

#include "visviva/run.h"

/* The elements of one body, with the run's node indices. */
typedef struct vv_cell_source {
    int first_node, node_count;
    int tet_count, triangle_count, edge_count;
    const int *tets, *triangles, *edges;
    int tet10_count; /* shown instead of `tets`; 0: none */
    const int *tets10;
} vv_cell_source;

enum { VV_VTK_TET10 = 24 };

typedef struct vv_cells {
    int64_t count, connectivity_count, mixed_count;
    uint8_t *types;        /* VTK: 1 vertex, 3 line, 5 triangle, 10 tetra, VV_VTK_TET10 */
    int64_t *offsets;      /* count + 1 */
    int64_t *connectivity; /* connectivity_count */
    int32_t *body;         /* count: index of the body */
    int32_t *mixed;        /* XDMF's mixed topology: code, (number of nodes for vertices and lines,) nodes */
} vv_cells;

/* A body shows its tets; without tets its triangles and the edges of no triangle; without elements its nodes. */
vvStatus vv_cells_build(const vv_cell_source *bodies, int bodyCount, vv_cells *cells, vvError *error);
void vv_cells_free(vv_cells *cells);

#endif

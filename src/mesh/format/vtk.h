/* What legacy VTK files and VTK's XML files share: cells, by their types. */
#ifndef VV_MESH_FORMAT_VTK_H
#define VV_MESH_FORMAT_VTK_H

#include "mesh/format/faces.h"

enum { VV_VTK_POLY_VERTEX = 2, VV_VTK_POLY_LINE = 4, VV_VTK_STRIP = 6, VV_VTK_POLYGON = 7 };

/* Cells as read; `ends` count from 0, one past the last point of each. */
typedef struct vv_vtk_cells {
    vv_list points, ends, types, at; /* int64_t, int64_t, int, int (line or byte of each cell) */
    int type;                        /* of all cells, if `types` is empty */
    bool seen;
} vv_vtk_cells;
void vv_vtk_free_cells(vv_vtk_cells *cells);

/* A file, or a piece of one, whose points are vertices first .. first + count - 1 of the builder. */
typedef struct vv_vtk {
    vv_source *source;
    vv_builder *builder;
    vv_faces faces;
    int64_t first, count;
    int64_t cell; /* number of the first cell in the file, for messages */
} vv_vtk;

/* Turns cells into points, edges, faces and tets; skips empty cells, refuses all others by name. */
vvStatus vv_vtk_add_cells(vv_vtk *vtk, const vv_vtk_cells *cells);
/* Cuts the faces; fails if the file holds nothing. */
vvStatus vv_vtk_finish(vv_vtk *vtk);

#endif

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

/* A tet: the number of its cell in the file, and its corners. */
typedef struct vv_vtk_tet {
    int64_t cell;
    int v[4];
} vv_vtk_tet;

/* An array of the cell data. */
typedef struct vv_vtk_numbers {
    char name[104];
    vv_list values; /* int64_t, of each cell of the file */
} vv_vtk_numbers;

/* A file, or a piece of one, whose points are vertices first .. first + count - 1 of the builder. */
typedef struct vv_vtk {
    vv_source *source;
    vv_builder *builder;
    vv_faces faces;
    int64_t first, count;
    int64_t cell;          /* cells before, in the file */
    vv_list tets, numbers; /* vv_vtk_tet, vv_vtk_numbers */
} vv_vtk;

/* Turns cells into points, edges, faces and tets; skips empty cells, refuses all others by name. */
vvStatus vv_vtk_add_cells(vv_vtk *vtk, const vv_vtk_cells *cells);
/* Whether an array of this name can number regions. */
bool vv_vtk_takes_name(const char *name, size_t length);
/* Whole numbers (int64_t) of the cells added last: of all of the file, or of a piece. */
void vv_vtk_add_numbers(vv_vtk *vtk, const char *name, const vv_list *values);
/* Makes groups of tets by each array that all of the file's cells have. An array of as many values as tets, or half as
 * many, or of one, numbers no regions. */
void vv_vtk_make_regions(vv_vtk *vtk);
void vv_vtk_free_regions(vv_vtk *vtk);
/* Cuts the faces; makes the regions; fails if the file holds nothing. */
vvStatus vv_vtk_finish(vv_vtk *vtk);

#endif

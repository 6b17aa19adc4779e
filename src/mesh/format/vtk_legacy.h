/* Parts of the reader and the writer of legacy VTK files. */
#ifndef VV_MESH_FORMAT_VTK_LEGACY_H
#define VV_MESH_FORMAT_VTK_LEGACY_H

#include "mesh/format/output.h"
#include "mesh/format/scalar.h"
#include "mesh/format/vtk.h"

/* A file being read; of an unstructured grid only cells[0] is used. */
typedef struct vv_legacy {
    vv_vtk vtk;
    vv_vtk_cells cells[4];
    bool has_points, has_types, failed;
} vv_legacy;

/* The next word as one of VTK's names of data types. */
vvStatus vv_legacy_kind(vv_source *source, vv_scalar *kind);
/* Refuses a count (of `per` numbers each) that the rest of the file cannot hold. */
vvStatus vv_legacy_room(vv_source *source, int64_t count, int per, vv_scalar kind, const char *what);
/* Moves to the next number: in text past line ends, in binary data not at all. */
void vv_legacy_next(vv_source *source);
/* Skips what follows the keyword FIELD; numbers of cells are taken by `takes`, where it is not NULL. */
vvStatus vv_legacy_read_field(vv_source *source, vv_vtk *takes);
/* Skips numbers of so many bits; `name`: of their array. */
vvStatus vv_legacy_skip_numbers(vv_source *source, int64_t count, int bits, vv_word name);
/* Reads the numbers of all cells. */
vvStatus vv_legacy_take_numbers(vv_vtk *vtk, vv_word name, vv_scalar kind);
/* Skips what follows the keyword METADATA. */
void vv_legacy_skip_metadata(vv_source *source);

/* Regions, by the data behind the keyword POINT_DATA or CELL_DATA (`cells_first`), whose cells have been added. Data
 * that cannot be read are no error. */
vvStatus vv_legacy_read_data(vv_legacy *legacy, bool cells_first);

vvStatus vv_legacy_write_text(const vvMesh *mesh, vv_output *output, vvError *error);
vvStatus vv_legacy_write_binary(const vvMesh *mesh, vv_output *output, vvError *error);

#endif

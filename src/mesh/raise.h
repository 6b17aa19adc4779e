/* Tets of order 2 in meshes: their linear tets, groups and middles. */
#ifndef VV_MESH_RAISE_H
#define VV_MESH_RAISE_H

#include "mesh/curve.h"
#include "mesh/tet10.h"

/* The linear tets of a mesh from its tets of ten nodes, in place of those that it had. */
vvStatus vv_mesh_subdivide(vvMesh *mesh, vvError *error);
/* Reorients tets of ten nodes whose corners are left-handed, and subdivides again; refuses those that are inverted
 * somewhere, or have an inverted linear tet. */
vvStatus vv_mesh_orient_tet10(vvMesh *mesh, const vv_places *places, vvMeshNotes *notes, vvError *error);

/* Adds the middles to named groups of a mesh of order 2 that list corners only, and divides their triangles into four.
 * `linear`: the mesh was linear before, so groups of single vertices list corners only, too. 0 when out of memory. */
int vv_mesh_raise_groups(vvMesh *mesh, bool linear);
/* vvMeshRaise; then vv_mesh_curve, unless the original is NULL or the mesh was of order 2. */
vvStatus vv_mesh_raise(vvMesh *mesh, const vv_original *original, vvRaiseNotes *notes, vvError *error);

#endif

/* Tets of order 2 in meshes: what is made of them. */
#ifndef VV_MESH_RAISE_H
#define VV_MESH_RAISE_H

#include "mesh/tet10.h"

/* The linear tets of a mesh from its tets of ten nodes, in place of those that it had. */
vvStatus vv_mesh_subdivide(vvMesh *mesh, vvError *error);
/* Turns tets of ten nodes whose corners are left-handed, and subdivides again; refuses those that are inside out
 * somewhere, or have a linear tet that is. */
vvStatus vv_mesh_orient_tet10(vvMesh *mesh, const vv_places *places, vvMeshNotes *notes, vvError *error);

#endif

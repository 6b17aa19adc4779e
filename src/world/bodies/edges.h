/* The edges and hinges of a body without tets, and the rest angles given for hinges. */
#ifndef VV_WORLD_BODIES_EDGES_H
#define VV_WORLD_BODIES_EDGES_H

#include "world/parts.h"

/* The mesh's edges and those of its triangles, each once; and hinges. False: no memory. */
bool vv_body_edges(const vvMesh *mesh, vv_body *body);
/* Takes those of the definition; the body has hinges and materials. */
vvStatus vv_body_rest_angles(const vvBodyDef *def, vv_body *body, vvError *error);
/* Whether the mesh has the edges, and each angle is one; *wrong: which one is not, -1 where memory was short. */
vvStatus vv_rest_angles_check(const vvMesh *mesh, const vvRestAngle *angles, int count, int *wrong, vvError *error);

#endif

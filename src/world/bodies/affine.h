/* Affine bodies: a solid whose shape is that of its placement under one affine map, almost a rotation (theory §1.5).
 * Four nodes carry all of its surface.
 *
 * The nodes stand at X_k = c + sqrt(3) S a_k, where c is the solid's centre of mass, S S^T = 1/V integral of (X -
 * c)(X - c)^T its spread, and a_k are the corners of a regular tetrahedron on the unit sphere. A quarter of the mass
 * at each gives exactly the solid's mass, centre and second moments, so that the diagonal mass is that of the solid
 * in every affine motion. */
#ifndef VV_WORLD_BODIES_AFFINE_H
#define VV_WORLD_BODIES_AFFINE_H

#include "world/parts.h"

/* What an affine body is made of, in place of its surface. */
typedef struct vv_affine {
    double positions[12]; /* m, of the nodes, as placed */
    int tet[4], faces[12];
    vvMesh mesh;   /* refers to the arrays above: not to be copied */
    double volume; /* m^3, of the solid */
    bool floored;  /* the solid is so thin that a spread is raised to VV_AFFINE_THINNEST of the largest */
} vv_affine;

#define VV_AFFINE_THINNEST 1e-3

/* Whether the definition makes an affine body. */
bool vv_affine_is(const vvBodyDef *def);
/* The nodes and, as what they carry, the closed surface of def->mesh (of tets: their boundary), placed. *inner is the
 * definition with that in place of the mesh. VV_ERROR_INPUT: the surface bounds no volume, or the definition has what
 * only soft bodies have. */
vvStatus vv_affine_make(const vvBodyDef *def, const char *name, vv_affine *affine, vv_skin *skin, vvBodyDef *inner,
                        vvError *error);

#endif

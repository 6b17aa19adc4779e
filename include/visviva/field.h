/* visviva/field.h: stress, strain, contact pressure and reactions, and the forces behind them, computed on request from
 * the current state. */
#ifndef VISVIVA_FIELD_H
#define VISVIVA_FIELD_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum vvFieldPlace {
    VV_FIELD_NODES,     /* a value at each vertex of the body's mesh */
    VV_FIELD_TETS,      /* at each of its tets */
    VV_FIELD_EDGES,     /* at each of its edges */
    VV_FIELD_TRIANGLES, /* at each of its triangles */
    VV_FIELD_SURFACE    /* at each vertex of the surface that it carries (vvBodySurface) */
} vvFieldPlace;

typedef struct vvField {
    vvInfo info;        /* its name and summary */
    const char *unit;   /* "Pa", "m", "" */
    int components;     /* 1; 3: a vector, or principal values, the largest first; 6: xx yy zz xy yz zx */
    vvFieldPlace place; /* where its values belong */
} vvField;
/* The list: "stress" (Cauchy), "von-mises", "principal", "strain" (Green), "energy-density", "det-f" of tets;
 * "displacement", "reaction", "load", "contact-force", "friction-force", "contact-pressure" of nodes; "section-force",
 * "axial-force", "shear-force", "section-moment", "bending-moment", "torque" of rods; "membrane-force", "plate-moment"
 * of shells; "surface-force", "surface-pressure" of a carried surface that collides. NULL past the end. */
VV_API const vvField *vvFieldInfo(int index);

/* Writes a field of a body to `values`: `components` numbers for each of its tets, triangles, edges or vertices, in
 * the order of vvBodyElements or vvBodySurface. It writes at most `capacity` numbers and sets *count to the number that
 * there are (either may be 0 or NULL). atNodes: a field of elements is averaged at the vertices, by volume, area or
 * length at rest; no effect on others. Bakes the world.
 * - Stress is the material's at the tet's F, without damping.
 * - "reaction": the force with which attachments hold a node: prescribed ones, along the held directions, and springs
 *   and potentials; what holds a clamped director is in vvAttachReaction alone. Under backward Euler and after
 *   vvWorldSettle it balances all other forces; under other schemes it follows from the accelerations between the last
 *   two velocities.
 * - "contact-force": of barriers, penalties, springs and bounds; "contact-pressure": its size over the vertex's area
 *   projected along it, 0 where it does not press. "friction-force": only where friction acts within the solve.
 * - "section-force": what the part of a rod beyond an edge pulls the part before with, where before is at the edge's
 *   first vertex. "axial-force": its part along the edge, positive where it pulls. "shear-force": the size of its part
 *   across. Of an edge of which supports hold both ends only what stretches it counts.
 * - "section-moment": that of the part beyond a vertex on the part before, about the vertex. Before is towards the
 *   neighbour of the lower number or, of two that both are lower or both higher, towards the higher one. "torque": its
 *   part along the rod, positive where the part beyond is turned to the right. "bending-moment": the size of its part
 *   across. 0 at ends; where rods cross, of the one that bears most.
 * - "membrane-force", "plate-moment": tensors in the present plane of a triangle, over length as it is now. A plate
 *   moment is positive where it stretches the side of the triangle's normal. Springs along edges count as a membrane;
 *   those that stand for bending do not count.
 * - "surface-force": what contact points (vvWorldContactPoints) push the surface's vertices with, without friction. Of
 *   an affine body "contact-force" and "friction-force" are at its four nodes, and their sums are what it bears.
 * Errors: VV_ERROR_INPUT for an unknown field or body; VV_ERROR_UNSUPPORTED for a field of elements that the body does
 * not have, such as stress of a shell, or of an affine body.
 * Arrays: values[capacity]. */
VV_API vvStatus vvBodyField(vvWorld *world, vvBodyId body, const char *field, bool atNodes, double *values,
                            int capacity, int *count, vvError *error);

/* The terms of a node's forces: "elastic", "gravity", "contact", "attachment", "joint", "friction", "damping", "load",
 * "inertia", "support"; NULL past the end. "support" is the force that prescribes nodes. Their sum is the residual of
 * the solve. */
VV_API const vvInfo *vvForceTermInfo(int index);
/* Writes the forces of one of these on all nodes of the world (vvWorldNodeCount x 3, N). Bakes the world.
 * VV_ERROR_INPUT for an unknown term.
 * Arrays: forces[nodeCount x 3]. */
VV_API vvStatus vvWorldForces(vvWorld *world, const char *term, double *forces, vvError *error);

/* A sparse matrix by compressed rows, three rows and columns a node of the world. */
typedef struct vvSparse {
    int rows;       /* 3 vvWorldNodeCount, and as many columns */
    int64_t count;  /* entries */
    int64_t *start; /* [rows + 1] where each row begins in the two arrays below; the last is `count` */
    int *column;    /* [count] 3 node + axis, ascending in a row */
    double *value;  /* [count] N/m; of friction and damping N s/m */
} vvSparse;
/* The second derivatives of a term of the energy with respect to positions, at the current state: minus the derivatives
 * of vvWorldForces; of "friction" and "damping" with respect to velocities. Terms: "elastic", "gravity", "contact",
 * "attachment", "joint", "friction", "damping". projected: semidefinite, as in solves; else exact. With M the masses
 * (vvWorldMasses), a step h of backward Euler solves with M + h (damping + friction) + h^2 (the sum of the others).
 * Rows and columns of prescribed nodes are empty; supports along axes leave theirs as they are. Bakes the world. Each
 * call builds a new matrix; destroy it with vvSparseDestroy. Errors: VV_ERROR_INPUT for an unknown term,
 * VV_ERROR_UNSUPPORTED for a term without a matrix, VV_ERROR_MEMORY. */
VV_API vvStatus vvWorldHessian(vvWorld *world, const char *term, bool projected, vvSparse *matrix, vvError *error);
VV_API void vvSparseDestroy(vvSparse *matrix); /* frees the arrays and empties the struct */

/* The total force of an attachment on its nodes, N, and its moment about the origin, N m (either may be NULL).
 * VV_ERROR_UNSUPPORTED for potentials. */
VV_API vvStatus vvAttachReaction(vvWorld *world, vvAttachId attach, double force[3], double moment[3], vvError *error);

#ifdef __cplusplus
}
#endif
#endif

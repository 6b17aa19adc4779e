/* visviva/interact.h: what a host does to a world while it runs: forces, impulses, dragging.
 *
 * Whatever the host does is booked as work in the next row of the ledger, so the ledger's identity still holds. Only
 * impulses before the first step are none: they are part of the start. */
#ifndef VISVIVA_INTERACT_H
#define VISVIVA_INTERACT_H

#include "query.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds forces (count x 3, N) to nodes (world indices; a node may be named several times).
 * - They act during the next step, constant, under any scheme, and are forgotten once it has succeeded. After a step
 *   that failed they remain.
 * - Their work is force times displacement.
 * - Prescribed nodes do not feel forces.
 * Errors: VV_ERROR_INPUT for an index that is no node or a force that is not finite; then nothing was added.
 * Arrays: nodes[count], forces[count x 3]. */
VV_API vvStatus vvWorldApplyForces(vvWorld *world, int count, const int *nodes, const double *forces, vvError *error);

/* Changes velocities at once, by impulse / mass (count x 3, N s). The change of kinetic energy is work. A two-step
 * scheme starts anew, as after vvWorldSetState. Prescribed nodes do not feel impulses. Errors as above.
 * Arrays: nodes[count], impulses[count x 3]. */
VV_API vvStatus vvWorldApplyImpulses(vvWorld *world, int count, const int *nodes, const double *impulses,
                                     vvError *error);

/* The same for a whole body: the force (N) or impulse (N s) is distributed over its free nodes by mass, so that all get
 * the same acceleration. VV_ERROR_INPUT if the body has no free node. */
VV_API vvStatus vvBodyApplyForce(vvWorld *world, vvBodyId body, const double force[3], vvError *error);
/* The same by an impulse (N s). */
VV_API vvStatus vvBodyApplyImpulse(vvWorld *world, vvBodyId body, const double impulse[3], vvError *error);

/* ---- dragging ---- */

typedef struct vvDragId {
    int32_t index1;      /* as in vvBodyId */
    uint32_t generation; /* as in vvBodyId */
} vvDragId;              /* {0,0}: none */
typedef enum vvDragKind {
    VV_DRAG_SPRING,    /* springs pull towards the hand: gentle, cheap to begin and end */
    VV_DRAG_PRESCRIBED /* nodes go exactly where the hand goes; to begin and to end it rebuilds the world's matrix */
} vvDragKind;
typedef struct vvDragDef {
    vvBodyId body; /* whose vertex or point it is */
    int vertex;    /* the body's mesh vertex that is dragged, unless the next two name a point */
    /* a point in a triangle or on an edge is dragged: numbered as in vvRayHit; -1: neither. By springs only */
    int triangle, edge;
    double weights[3]; /* where it is in that, as in vvRayHit: 0 to 1 each, 1 in all */
    /* m: vertices that are this near now are held too, and keep their places around the dragged one; 0. Of a point 0 */
    double radius;
    vvDragKind kind; /* how it pulls; VV_DRAG_SPRING */
    /* VV_DRAG_SPRING: N/m of all springs together; 0: the body's weight stretches them by a tenth of its size */
    double stiffness;
    bool here;              /* the hand begins where the vertex or point is; otherwise at `target` */
    double target[3];       /* m */
    uint32_t internalValue; /* internal: vvDefaultDragDef() sets it */
} vvDragDef;
/* By springs, and the hand begins at the vertex. Set the body, and a vertex or a point. */
VV_API vvDragDef vvDefaultDragDef(void);
/* The default for the point of a body that a ray has hit: where it is held, also of an affine body. NULL, or an
 * obstacle: no body. */
VV_API vvDragDef vvDragAtHit(const vvRayHit *hit);
/* vvWorldStartDrag takes hold. vvWorldMoveDrag moves the hand: `target` (m) is where the dragged vertex or point is
 * pulled to, or exactly goes, by the end of the next step; it stays there until the next call. vvWorldEndDrag lets
 * go.
 * - A point is the fixed weighted sum of the corners of its triangle or edge. On a carried surface that collides it
 *   is that of the nodes that carry it; where its triangle lies in several tets, it moves with the tet of its nearest
 *   corner. On an affine body it stays where it was taken.
 * - The energy of the springs is in the ledger's column `attachment`; what the hand does is work.
 * - A drag does not change the ground level E_g.
 * - A prescribed drag through an obstacle makes the step fail.
 * Errors: VV_ERROR_INPUT for an id that is not valid, a vertex or point that does not exist or, with
 * VV_DRAG_PRESCRIBED, one that is already held, or a point within an element. */
VV_API vvStatus vvWorldStartDrag(vvWorld *world, const vvDragDef *def, vvDragId *drag, vvError *error);
/* Moves the hand of a drag, see vvWorldStartDrag. */
VV_API vvStatus vvWorldMoveDrag(vvWorld *world, vvDragId drag, const double target[3], vvError *error);
VV_API vvStatus vvWorldEndDrag(vvWorld *world, vvDragId drag, vvError *error);
VV_API bool vvDragIsValid(const vvWorld *world, vvDragId drag);
/* Where the dragged vertex or point is now, m. False: no such drag; `point` is all 0. */
VV_API bool vvDragGetPoint(const vvWorld *world, vvDragId drag, double point[3]);

#ifdef __cplusplus
}
#endif
#endif

/* visviva/interact.h: what a host does to a running world: forces, impulses, dragging.
 *
 * All of it is booked as work in the next row of the ledger, so the ledger's identity still holds. Impulses before the
 * first step are part of the start instead. */
#ifndef VISVIVA_INTERACT_H
#define VISVIVA_INTERACT_H

#include "query.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds forces (count x 3, N) to nodes (world indices; a node may be named several times).
 * - They are constant during the next step, under any scheme, and dropped once it has succeeded. After a step that
 *   failed they remain.
 * - Their work is force times displacement.
 * - They have no effect on prescribed nodes.
 * Errors: VV_ERROR_INPUT for an index that is not a node or a force that is not finite; then nothing was added.
 * Arrays: nodes[count], forces[count x 3]. */
VV_API vvStatus vvWorldApplyForces(vvWorld *world, int count, const int *nodes, const double *forces, vvError *error);

/* Changes velocities at once, by impulse / mass (count x 3, N s). The change of kinetic energy is work. A two-step
 * scheme restarts, as after vvWorldSetState. Impulses have no effect on prescribed nodes. Errors as above.
 * Arrays: nodes[count], impulses[count x 3]. */
VV_API vvStatus vvWorldApplyImpulses(vvWorld *world, int count, const int *nodes, const double *impulses,
                                     vvError *error);

/* The same for a whole body: the force (N) or impulse (N s) is distributed over its free nodes by mass, so that all
 * accelerate alike. VV_ERROR_INPUT if the body has no free node. */
VV_API vvStatus vvBodyApplyForce(vvWorld *world, vvBodyId body, const double force[3], vvError *error);
/* The same by an impulse (N s). */
VV_API vvStatus vvBodyApplyImpulse(vvWorld *world, vvBodyId body, const double impulse[3], vvError *error);

/* ---- booking ---- */

/* Books what has changed since the last step (by vvWorldSettle, vvWorldSetState, impulses, ...) with that step, not
 * with the next one: its row ends with the current state, and the change is work in it. For rows of equilibria: step,
 * settle, book. Such a row has the work of the whole way between two equilibria, by the mean of the forces at both (of
 * loads in `loads` and vvAttachWork, too), and no losses; what that leaves of the change of H is its error. No effect
 * before the first step, or where nothing has changed. Bakes the world. */
VV_API vvStatus vvWorldBookChange(vvWorld *world, vvError *error);

/* ---- dragging ---- */

typedef struct vvDragId {
    int32_t index1;      /* as in vvBodyId */
    uint32_t generation; /* as in vvBodyId */
} vvDragId;              /* {0,0}: none */
typedef enum vvDragKind {
    VV_DRAG_SPRING,    /* springs pull towards the hand: soft, cheap to begin and end */
    VV_DRAG_PRESCRIBED /* nodes move exactly with the hand; beginning and ending rebuild the world's matrix */
} vvDragKind;
typedef struct vvDragDef {
    vvBodyId body; /* the body of the vertex or point */
    int vertex;    /* the body's mesh vertex that is dragged, unless the next two name a point */
    /* the point dragged lies in this triangle or on this edge, numbered as in vvRayHit; -1: neither. By springs only */
    int triangle, edge;
    double weights[3]; /* its position in that, as in vvRayHit: each 0 to 1, with the sum 1 */
    /* m: vertices within this distance now are held too, and keep their positions relative to the dragged one; 0. For a
     * point 0 */
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
 * pulled to, or exactly moves, by the end of the next step; the hand stays there until the next call. vvWorldEndDrag
 * releases it.
 * - A point is a fixed weighted sum of the corners of its triangle or edge. On a carried surface that collides, it is a
 *   weighted sum of the nodes that carry it; where its triangle lies in several tets, it moves with the tet of its
 *   nearest corner. On an affine body it stays at the same point of the body.
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

/* ---- sleep --------------------------------------------------------------------------------------------------------
 */

/* Whether the body sleeps (vvSolverDef.sleepAfter): it has been slow for that time, and so have all that it may touch,
 * judged by the boxes around bodies. It then stands still and costs nothing, until something stirs it:
 * - The step in which it falls asleep books its kinetic energy as damping. Its other energies stay in the ledger.
 * - Whatever may touch it in a step wakes it before that step, and with it all that lies with it; so do hands, forces,
 *   impulses, supports that move, a change of settings or of its state, and obstacles that move, come or go nearby.
 * - Bodies with a roller, a push, a load or a motor do not sleep, nor does what lies on a kinematic body that moves.
 * - vvWorldContactEvents and contact points leave out what it touches, without reporting that this began or ended; its
 *   forces, and pressures on it, are refused; the smallest gap and det F of the ledger are those of bodies awake. */
VV_API bool vvBodyAsleep(const vvWorld *world, vvBodyId body);
/* Wakes a body, and all that lies with it. Does nothing if it is awake. */
VV_API vvStatus vvBodyWake(vvWorld *world, vvBodyId body, vvError *error);

#ifdef __cplusplus
}
#endif
#endif

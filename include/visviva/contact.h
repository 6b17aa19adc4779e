/* visviva/contact.h: contacts: which bodies touch, where, and with what force.
 *
 * Two things touch while their distance, less half of both thicknesses, is below the activation distance
 * contact.distance (d-hat). Between two bodies this is the distance of their surfaces; between a body and an analytic
 * obstacle, that of the body's vertices. */
#ifndef VISVIVA_CONTACT_H
#define VISVIVA_CONTACT_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- models ------------------------------------------------------------------------------------------------------ */

/* How something acts on what touches it. */
typedef enum vvContactAct {
    VV_CONTACT_NONE,    /* not at all */
    VV_CONTACT_BARRIER, /* nothing comes inside */
    VV_CONTACT_FORCE,   /* what is inside is pushed out */
    VV_CONTACT_BOUND    /* a bound on positions: nothing is inside at the end of a step */
} vvContactAct;
/* What vvContactDef.model may be. */
typedef struct vvContactModel {
    vvInfo info;                    /* its name and summary */
    vvContactAct obstacles, bodies; /* how obstacles act on bodies, and bodies on each other and themselves */
    const char *parts; /* settings of contact that only some models read: "springs", "penalty constraint" */
    unsigned
        needs; /* requirements on the rest of the world, which is refused otherwise: bit i is vvContactNeedInfo(i) */
} vvContactModel;
VV_API const vvInfo *vvContactNeedInfo(int index);                 /* NULL past the end */
VV_API const vvInfo *vvContactModelInfo(int index);                /* NULL past the end */
VV_API const vvContactModel *vvContactModelFind(const char *name); /* NULL: there is none */

/* ---- pairs: when a contact begins and ends ----------------------------------------------------------------------- */

typedef struct vvContactPair {
    vvBodyId body;         /* one of the two */
    vvBodyId other;        /* {0,0}: an obstacle */
    vvObstacleId obstacle; /* {0,0}: another body */
} vvContactPair;

/* Events of the last step. The lists are the world's own, each pair once, in the world's order; valid until the next
 * step. */
typedef struct vvContactEvents {
    int beganCount, endedCount, touchingCount; /* lengths of the lists below */
    const vvContactPair *began;                /* [beganCount] touch now and did not before the step */
    /* [endedCount] touched before the step and do not now; one of the two may have been removed (see its id) */
    const vvContactPair *ended;
    const vvContactPair *touching; /* [touchingCount] all that touch now */
    /* [touchingCount x 3] N s: the impulse of `other` or the obstacle on `body` in the last step, by the forces at its
     * end, without friction; NULL: the world has changed since, or a state was loaded */
    const double *impulses;
} vvContactEvents;

/* Gives the events of the last step.
 * - Before the first step nothing touches: contacts that exist at the start begin with the first step.
 * - A step that fails keeps the events of the one before.
 * - After a saved state was loaded or a snapshot restored, there are no events until the next step. What touches in
 *   that state does not begin again.
 * - VV_ERROR_MEMORY: call again. If a step comes first, its events include these. */
VV_API vvStatus vvWorldContactEvents(vvWorld *world, vvContactEvents *events, vvError *error);

/* ---- points: where, and with what force
 * --------------------------------------------------------------------------------- */

/* A point of a body's surface: a vertex, or the weighted sum of the ends of an edge or the corners of a triangle. If
 * the body collides by a surface that it carries (vvBodySurfaceCollides), vertices are those of that surface
 * (vvBodySurface, vvBodySurfacePositions); otherwise vertex v is the body's node v. */
typedef struct vvContactSide {
    vvBodyId body;     /* {0,0}: an obstacle, and all other fields are 0 */
    int count;         /* 1: a vertex, 2: an edge, 3: a triangle */
    int vertices[3];   /* of the surface that collides, from 0 */
    double weights[3]; /* sum 1 */
} vvContactSide;

typedef struct vvContactPoint {
    vvContactSide side, other; /* `side` is of a body, `other` of a body or an obstacle */
    vvObstacleId obstacle;     /* {0,0}: `other` is of a body */
    double point[3];           /* m, on the surface of `other` */
    double normal[3];          /* length 1, from `other` to `side` */
    double gap;                /* m, above 0 */
    double force; /* N, 0 or more: pushes `side` along the normal, and `other` back. Without friction, and without the
                     terms of contact.convergent that subtract what neighbours count twice. Under constraints, that of
                     the last step: 0 from a restored snapshot or a change of the world until the next step */
} vvContactPoint;

/* Two elements of colliding surfaces that intersect: `a` and `b` are triangles, or an edge of a rod (count 2);
 * weights are 0. */
typedef struct vvIntersection {
    vvContactSide a, b; /* one of each surface */
    double point[3];    /* m, near where they meet */
} vvIntersection;

/* Finds intersections by an exact test of all bodies that may touch.
 * - It tests the current positions; before the first step, those of the start. This also works in a world that cannot
 *   be baked because of intersections.
 * - Filters and self-contact are respected, whatever contact.model is.
 * - Two elements that share a vertex count only if both are triangles and have more in common than what they share as
 *   neighbours.
 * Writes at most `capacity` and sets *count to how many there are.
 * Arrays: list[capacity]. */
VV_API vvStatus vvWorldFindIntersections(vvWorld *world, vvIntersection *list, int capacity, int *count,
                                         vvError *error);
/* Finds what else prevents a world from starting: vertices in an obstacle, and features closer than the thickness of
 * both sides allows.
 * - It tests the positions that vvWorldFindIntersections tests, also in a world that cannot be baked because of them.
 * - It respects filters and self-contact, and looks for pairs within contact.distance.
 * - Gaps are at most 0. Forces are 0, and so are normals between coincident points.
 * Writes at most `capacity` and sets *count to how many there are.
 * Arrays: list[capacity]. */
VV_API vvStatus vvWorldFindTooNear(vvWorld *world, vvContactPoint *list, int capacity, int *count, vvError *error);
/* Sets vvContactDef.checkIntersections from now on. This changes no result, only whether a step that ends in an
 * intersection fails. */
VV_API void vvWorldCheckIntersections(vvWorld *world, bool on);
/* Writes the positions that vvWorldFindIntersections tests (nodeCount x 3, m): the present ones or, before the first
 * step, those of the start, with prescribed nodes where their motion begins.
 * Arrays: positions[nodeCount x 3]. */
VV_API vvStatus vvWorldStartPositions(const vvWorld *world, double *positions, vvError *error);

/* The contacts at the current positions: the world's own list, valid until the next step or call. Bakes the world if
 * necessary.
 * Arrays: points[count]. */
VV_API vvStatus vvWorldContactPoints(vvWorld *world, const vvContactPoint **points, int *count, vvError *error);

#ifdef __cplusplus
}
#endif
#endif

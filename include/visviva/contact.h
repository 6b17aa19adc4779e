/* visviva/contact.h: who touches whom, where, and how hard.
 *
 * A body touches an obstacle while one of its vertices is nearer to it than contact.distance (d-hat), the reach of the barrier;
 * two bodies touch while their surfaces are, less half of both thicknesses. */
#ifndef VISVIVA_CONTACT_H
#define VISVIVA_CONTACT_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- pairs: when it begins and ends ------------------------------------------------------------------------------ */

typedef struct vvContactPair {
    vvBodyId body;
    vvBodyId other;        /* {0,0}: an obstacle */
    vvObstacleId obstacle; /* {0,0}: another body */
} vvContactPair;

/* Of the last step. The lists are the world's own, each pair once, in the world's order; valid until the next step. */
typedef struct vvContactEvents {
    int beganCount, endedCount, touchingCount;
    const vvContactPair *began;    /* touch now and did not before the step */
    const vvContactPair *ended;    /* the other way round; one of the two may be gone (see its id) */
    const vvContactPair *touching; /* all that touch now */
} vvContactEvents;

/* Before the first step nothing touches: what starts in touch begins with the first step. A step that fails leaves the
 * events of the one before. After a saved state was loaded (or a snapshot restored) no event is there until the next
 * step, and what touches in that state does not begin again. VV_ERROR_MEMORY: ask again; if a step comes first, its
 * events hold these. */
VV_API vvStatus vvWorldContactEvents(vvWorld *world, vvContactEvents *events, vvError *error);

/* ---- points: where, and how hard --------------------------------------------------------------------------------- */

/* A point of a body's surface: the weighted sum of a vertex, the ends of an edge or the corners of a triangle. Where the body
 * collides by a surface that it carries (vvBodySurfaceCollides), vertices are those of that surface (vvBodySurface,
 * vvBodySurfacePositions); else vertex v is the body's node v. */
typedef struct vvContactSide {
    vvBodyId body;     /* {0,0}: an obstacle, the rest is 0 */
    int count;         /* 1: a vertex, 2: an edge, 3: a triangle */
    int vertices[3];   /* of the surface that collides, from 0 */
    double weights[3]; /* sum 1 */
} vvContactSide;

typedef struct vvContactPoint {
    vvContactSide side, other; /* `side` is of a body, `other` of a body or an obstacle */
    vvObstacleId obstacle;     /* {0,0}: `other` is of a body */
    double point[3];           /* m, on the surface of the other */
    double normal[3];          /* length 1, from the other to the side */
    double gap;                /* m, above 0 */
    double force;              /* N, 0 or more: pushes the side along the normal, and the other back. Friction is not in it, nor (with
                                  contact.convergent) what takes off what neighbours count twice */
} vvContactPoint;

/* Two elements of the surfaces that collide which intersect: `a` and `b` are triangles, or an edge of a rod (count 2); weights are 0.
 */
typedef struct vvIntersection {
    vvContactSide a, b;
    double point[3]; /* m, near where they meet */
} vvIntersection;

/* Exact test of all bodies that may touch, where they stand now (before the first step: where they would start; also in a world
 * that cannot be baked because of them). It goes by filters and self contact, whatever contact.model says. Writes at most `capacity`
 * and sets *count to how many there are. Elements that share a vertex count only as triangles that have more in common than that. */
VV_API vvStatus vvWorldFindIntersections(vvWorld *world, vvIntersection *list, int capacity, int *count, vvError *error);
/* What else keeps a world from starting: vertices in an obstacle, and features that are nearer than the thickness of both sides allows,
 * where the bodies stand now or would start (also in a world that cannot be baked because of them). It goes by filters and self
 * contact, and by contact.distance, within which pairs are looked for. Gaps are 0 or below; forces are 0, and so are
 * normals where two things are at one place. Writes at most `capacity`, and sets *count to how many there are. */
VV_API vvStatus vvWorldFindTooNear(vvWorld *world, vvContactPoint *list, int capacity, int *count, vvError *error);
/* vvContactDef.checkIntersections from now on. It changes no result, only whether a step that ends in an intersection fails. */
VV_API void vvWorldCheckIntersections(vvWorld *world, bool on);
/* Where the nodes stand now, or would start before the first step (prescribed nodes where their motion begins): nodeCount x 3, m. What
 * vvWorldFindIntersections looks at. */
VV_API vvStatus vvWorldStartPositions(const vvWorld *world, double *positions, vvError *error);

/* The contacts at the present positions: the world's own list, valid until the next step or call. Bakes the world if
 * need be. */
VV_API vvStatus vvWorldContactPoints(vvWorld *world, const vvContactPoint **points, int *count, vvError *error);

#ifdef __cplusplus
}
#endif
#endif

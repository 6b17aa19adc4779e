/* visviva/query.h: ray casts, overlaps with boxes and balls, and measures of whole bodies.
 *
 * Queries see the world as it is now: before the first step the start, afterwards the end of the last step. They change
 * nothing. They see a body's surface that collides, as deformed now: its own triangles (vvBodyElements), edges or
 * points, or the surface that it carries if that collides (vvBodySurfaceCollides). They ignore a carried surface that
 * is only drawn. The first query after a step costs in proportion to the sizes of the bodies; the following ones do
 * not. */
#ifndef VISVIVA_QUERY_H
#define VISVIVA_QUERY_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- rays -------------------------------------------------------------------------------------------------------- */

typedef struct vvRay {
    double origin[3];    /* m */
    double direction[3]; /* any length but 0 */
    double maxDistance;  /* m, along the ray; infinity */
    double thickness;    /* m: how close the ray must pass to hit an edge of a body without triangles, or the ball of a
                            free point (its diameter is the body's thickness); 0 */
    vvFilter filter;     /* hits only what this filter touches; touches everything */
    bool bodies, obstacles; /* what it may hit; both */
    uint32_t internalValue; /* internal: vvDefaultRay() sets it */
} vvRay;

typedef struct vvRayHit {
    vvBodyId body;         /* {0,0}: an obstacle was hit */
    vvObstacleId obstacle; /* {0,0}: a body was hit */
    /* index in vvBodyElements.triangles or, if a carried surface collides, in vvBodySurface.triangles; -1: none */
    int triangle;
    int edge; /* of a body without triangles: index in vvBodyElements.edges; -1: none */
    /* of the triangle's corners or the edge's ends: point = sum of weight * position; a free point: 1 */
    double weights[3];
    int vertex; /* from 0: the nearest corner of that triangle or edge, or the free point; -1 for an obstacle. A vertex
                   of the body or, if a carried surface collides, of that surface */
    double distance;  /* m from the origin */
    double point[3];  /* m */
    double normal[3]; /* length 1. Of obstacles and bodies of tets: outward, also for a ray from inside. Of a carried
                         surface that collides: the side to which its triangles are oriented. Of other bodies, which
                         have no inside: towards the ray's origin */
    int node; /* the body's vertex that a drag can hold (vvDragDef.vertex): `vertex` or, for a carried surface, the node
                 with the largest weight in it (not on the surface of an affine body); -1 for an obstacle */
} vvRayHit;

VV_API vvRay vvDefaultRay(void); /* set at least the direction */
/* Finds the first hit, from outside or inside: surfaces are hit from both sides. A ray through an edge or a corner of a
 * closed surface never slips through. A ray in the plane of a triangle hits only the triangle's neighbours. *found:
 * whether there is a hit; otherwise *hit is all zero (-1 for the indices). VV_ERROR_INPUT for numbers that are no
 * ray. */
VV_API vvStatus vvWorldCastRay(vvWorld *world, const vvRay *ray, vvRayHit *hit, bool *found, vvError *error);

/* ---- boxes and balls --------------------------------------------------------------------------------------------- */

typedef enum vvShapeKind {
    VV_SHAPE_BOX,   /* of `size`, turned by `rotate` */
    VV_SHAPE_SPHERE /* of `radius` */
} vvShapeKind;
typedef struct vvOverlap {
    vvShapeKind kind;       /* solid, with its boundary */
    double center[3];       /* m */
    double size[3];         /* box: edge lengths, m, at least 0 */
    double rotate[3];       /* box: degrees about x, y, z: R = Rx Ry Rz */
    double radius;          /* ball: m, at least 0 */
    vvFilter filter;        /* finds only what this filter touches; touches everything */
    uint32_t internalValue; /* internal: vvDefaultOverlap() sets it */
} vvOverlap;

VV_API vvOverlap vvDefaultOverlap(void); /* a box of size 0 at the origin */
/* Finds the nodes in the shape, including inner nodes of bodies. Writes at most `capacity` world node indices to
 * `nodes` (may be NULL), in ascending order, and sets *count to how many there are.
 * Arrays: nodes[capacity]. */
VV_API vvStatus vvWorldOverlapNodes(vvWorld *world, const vvOverlap *shape, int *nodes, int capacity, int *count,
                                    vvError *error);
/* Finds the bodies that the shape overlaps: their triangles (or edges, or points), or their inside. The inside is that
 * of the tets or, if a closed carried surface collides, of that surface. Writes to `bodies` likewise, in the world's
 * order.
 * Arrays: bodies[capacity]. */
VV_API vvStatus vvWorldOverlapBodies(vvWorld *world, const vvOverlap *shape, vvBodyId *bodies, int capacity, int *count,
                                     vvError *error);

/* ---- a body as a whole
 * --------------------------------------------------------------------------------------------- */

/* A body as a whole, at the current positions and velocities of the state. */
typedef struct vvBodyMeasures {
    double mass;               /* kg; 0 of a kinematic body */
    double centre[3];          /* m: of mass; of a kinematic body the mean of its nodes */
    double velocity[3];        /* m/s: of that point */
    double momentum[3];        /* kg m/s. Those of all bodies add up to vvLedgerRow.momentum after a step */
    double angularMomentum[3]; /* kg m^2/s, about the body's centre */
    /* m: corners of the box around its nodes (not those of an affine body) and its carried surface; of points, around
     * their balls */
    double low[3], high[3];
} vvBodyMeasures;
/* Measures a body now. */
VV_API vvStatus vvBodyMeasure(const vvWorld *world, vvBodyId body, vvBodyMeasures *measures, vvError *error);

/* A rigid motion x = rotation X + translation. */
typedef struct vvTransform {
    double rotation[9];    /* rows; a rotation, never a reflection */
    double translation[3]; /* m */
    double quaternion[4];  /* the rotation as w, x, y, z, of length 1 */
} vvTransform;
/* The rigid motion that takes the body from where it was placed (vvWorldRestPositions) nearest to its present nodes, by
 * least squares weighted with their masses (kinematic: equal weights). The stiffer an affine body, the less it differs
 * from this. If several fit equally well, as for a straight line, it is one with the least rotation. nodePositions: of
 * all nodes of the world (nodeCount x 3); NULL: the present ones. VV_ERROR_INPUT: no such body. Source: Horn 1987.
 * Arrays: nodePositions[nodeCount x 3]. */
VV_API vvStatus vvBodyTransform(const vvWorld *world, vvBodyId body, const double *nodePositions,
                                vvTransform *transform, vvError *error);

#ifdef __cplusplus
}
#endif
#endif

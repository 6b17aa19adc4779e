/* visviva/query.h: what a ray hits, what a box or a ball holds.
 *
 * Queries see the world as it is now: the start before the first step, the end of the last step after it. They change
 * nothing. Bodies are seen by the surface that collides, deformed: their own triangles (vvBodyElements), edges or points, or the
 * surface that they carry where that collides (vvBodySurfaceCollides); one that is only drawn is not seen. The first query after a
 * step does work in proportion to the sizes of the bodies, the next ones do not. */
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
    double thickness;    /* m: how near the ray must pass an edge of a body without triangles, or the ball that a free
                            point stands for (of the body's thickness as diameter); 0 */
    vvFilter filter;     /* hits what this touches; touches everything */
    bool bodies, obstacles; /* what to look at; both */
} vvRay;

typedef struct vvRayHit {
    vvBodyId body;         /* {0,0}: an obstacle was hit */
    vvObstacleId obstacle; /* {0,0}: a body was hit */
    int triangle;          /* of the body's surface (vvBodyElements.triangles), or of the one that it carries where that collides
                              (vvBodySurface.triangles), or -1 */
    int edge;              /* of a body without triangles (vvBodyElements.edges), or -1 */
    double weights[3];     /* of the triangle's corners or the edge's ends: point = sum of weight * position; a free point: 1 */
    int vertex;            /* from 0: the nearest corner of that triangle or edge, or the free point; -1 for an obstacle. Of the body,
                              or of the surface that it carries where that collides */
    double distance;       /* m from the origin */
    double point[3];
    double normal[3];      /* length 1. Obstacles and bodies of tets: outward, so that it goes along with a ray from
                              inside (of a carried surface that collides: as its triangles are turned). Others have no inside:
                              towards the ray's origin */
    int node;              /* what a drag can take hold of (vvDragDef.vertex), a vertex of the body: the one above or, of a carried
                              surface, the node on which that one hangs most; -1 for an obstacle */
} vvRayHit;

VV_API vvRay vvDefaultRay(void); /* the direction is yet to be set */
/* The first hit, from outside or inside: surfaces are hit from both sides. A ray through an edge or a corner of a
 * closed surface never slips through; one that lies in the plane of a triangle hits the triangle's neighbours only.
 * *found: whether there is a hit; *hit is all zero (-1 for the indices) otherwise. VV_ERROR_INPUT for numbers that make
 * no ray. */
VV_API vvStatus vvWorldCastRay(vvWorld *world, const vvRay *ray, vvRayHit *hit, bool *found, vvError *error);

/* ---- boxes and balls --------------------------------------------------------------------------------------------- */

typedef enum vvShapeKind { VV_SHAPE_BOX, VV_SHAPE_SPHERE } vvShapeKind;
typedef struct vvOverlap {
    vvShapeKind kind;  /* solid, with its boundary */
    double center[3];  /* m */
    double size[3];    /* box: edge lengths, m, at least 0 */
    double rotate[3];  /* box: degrees about x, y, z: R = Rx Ry Rz */
    double radius;     /* ball: m, at least 0 */
    vvFilter filter;   /* finds what this touches; touches everything */
} vvOverlap;

VV_API vvOverlap vvDefaultOverlap(void); /* a box without size at the origin */
/* Nodes in the shape, inner ones too: writes at most `capacity` world node indices to `nodes` (may be NULL), ascending,
 * and to *count how many there are. */
VV_API vvStatus vvWorldOverlapNodes(vvWorld *world, const vvOverlap *shape, int *nodes, int capacity, int *count,
                                    vvError *error);
/* Bodies that the shape meets: by their triangles (or edges, or points), by the inside of their tets or, where a closed surface that
 * they carry collides, of that; wholly or in part. Likewise written to `bodies`, in the world's order. */
VV_API vvStatus vvWorldOverlapBodies(vvWorld *world, const vvOverlap *shape, vvBodyId *bodies, int capacity, int *count,
                                     vvError *error);

#ifdef __cplusplus
}
#endif
#endif

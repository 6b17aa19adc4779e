/* The broad phase: which stencils can come within the activation distance during a motion (theory §5.8).
 *
 * vv_candidates_cover makes the list good for all positions between q and q + p, where it is not already: every stencil whose
 * distance, less thickness, is below `activation` anywhere on the way is in it. The list is built with a margin, so that the many
 * small motions of a Newton solve find it good. Boxes of a body are taken in a frame that moves with the body's mean displacement:
 * bodies that fly fast have few candidates of their own.
 *
 * VE: points, and vertices of rods (without triangles), against the edges of rods.
 *
 * Stencils left out: those that share a vertex; pairs of bodies that do not touch, as two kinematic ones. Stencils of one
 * body that are near each other in the rest shape (at d_0) have a minimum and an activation distance of their own,
 * min(min_distance, d_0 / 2) and min(activation, (d_0 - min_distance) / 2): they do not push each other unless the body folds there.
 * Not so two points: nothing holds them in a rest shape. */
#ifndef VV_CONTACT_CANDIDATES_H
#define VV_CONTACT_CANDIDATES_H

#include "base/parallel.h"
#include "contact/distance.h"
#include "contact/surface.h"

typedef struct vv_candidate {
    int vertex[4];  /* contact vertices, as in vv_stencil_distance2; -1 where the stencil has fewer */
    int feature[2]; /* VT: vertex, triangle; EE: edge, edge; VE: vertex, edge; VV: vertex, vertex (indices in the surface) */
    double activation;   /* distance, m: the barrier acts while the distance less min_distance is below this */
    double min_distance; /* m: radii of both sides together, taken off the distance */
} vv_candidate;

/* The positions q + s p, from <= s <= from + part; node space (3 a node); p NULL: q alone. */
typedef struct vv_way {
    const double *q, *p;
    double from, part;
} vv_way;

typedef struct vv_candidates {
    vv_candidate *list;  /* grouped by kind: list[start[k]] .. list[start[k + 1] - 1] are of vv_stencil k */
    int start[5];
    int64_t builds;      /* goes up whenever the list is another */
    int64_t found;       /* by the last search */
    bool crowded;        /* they were more than it was allowed to keep: the list is empty, and good for nothing */
    struct vv_broad *broad; /* trees, boxes, the positions for which the list is good */
} vv_candidates;

vvStatus vv_candidates_create(const vv_surface *surface, double activation, vv_candidates *candidates, vvError *error);
void vv_candidates_free(vv_candidates *candidates);
/* q and p: node space (3 a node); p NULL: no motion. Fails (memory) and leaves the list empty and good for nothing. */
vvStatus vv_candidates_cover(vv_candidates *candidates, const vv_parallel *par, const double *q, const double *p, vvError *error);
/* Of a part of a way; no more than `most` of them (0: any number): `crowded` says where it takes more. */
vvStatus vv_candidates_cover_way(vv_candidates *candidates, const vv_parallel *par, const vv_way *way, int64_t most, vvError *error);
/* The list is forgotten: the next cover builds it. */
void vv_candidates_forget(vv_candidates *candidates);

#endif

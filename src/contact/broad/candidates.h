/* The broad phase: which stencils can come within the activation distance during a motion (theory §5.8).
 *
 * vv_candidates_cover makes the list valid for all positions between q and q + p, unless it already is: every stencil
 * whose distance, less thickness, is below `activation` anywhere along the path is in it. The list is built with a
 * margin, so that it stays valid over the many small motions of a Newton solve. Boxes of a body are taken in a frame
 * that moves with the body's mean displacement: bodies that fly fast have few candidates of their own.
 *
 * VE: points, and vertices of rods (without triangles), against the edges of rods.
 *
 * Left out are stencils that share a vertex, and pairs of bodies that cannot touch, such as two kinematic ones.
 * Stencils within one body whose features are near each other in the rest shape (at d_0) have their own minimum and
 * activation distance, min(min_distance, d_0 / 2) and min(activation, (d_0 - min_distance) / 2): they do not repel
 * unless the body folds there. Two points are excepted: free points have no rest shape. */
#ifndef VV_CONTACT_BROAD_CANDIDATES_H
#define VV_CONTACT_BROAD_CANDIDATES_H

#include "base/parallel.h"
#include "contact/pairs/distance.h"
#include "contact/surfaces/surface.h"

typedef struct vv_candidate {
    int vertex[4]; /* contact vertices, as in vv_stencil_distance2; -1 where the stencil has fewer */
    /* VT: vertex, triangle; EE: edge, edge; VE: vertex, edge; VV: vertex, vertex (indices in the surface) */
    int feature[2];
    double activation;   /* distance, m: the barrier acts while the distance less min_distance is below this */
    double min_distance; /* m: radii of both sides together, subtracted from the distance */
} vv_candidate;

/* The positions q + s p, from <= s <= from + part; p NULL: q alone. */
typedef struct vv_way {
    const double *q, *p;
    double from, part;
    bool vertices; /* q and p are of the contact vertices, 3 each; else node space (3 per node) */
} vv_way;

typedef struct vv_candidates {
    vv_candidate *list; /* grouped by kind: list[start[k]] .. list[start[k + 1] - 1] are of vv_stencil k */
    int start[5];
    float (*plane)[4]; /* of each: a direction that separated it when last checked, 0: none yet; for its users. It saves
                          work, and does not affect results */
    int64_t builds;    /* incremented whenever the list changes */
    int64_t found;     /* number found by the last search */
    bool crowded;      /* more were found than allowed: the list is empty and covers nothing */
    struct vv_broad *broad; /* trees, boxes, the positions covered by the list */
} vv_candidates;

vvStatus vv_candidates_create(const vv_surface *surface, double activation, vv_candidates *candidates, vvError *error);
void vv_candidates_free(vv_candidates *candidates);
/* q and p: node space (3 per node); p NULL: no motion. On failure (memory) the list is empty and covers nothing. */
vvStatus vv_candidates_cover(vv_candidates *candidates, const vv_parallel *par, const double *q, const double *p,
                             vvError *error);
/* Covers part of a path; keeps at most `most` candidates (0: no limit): sets `crowded` if there are more. */
vvStatus vv_candidates_cover_way(vv_candidates *candidates, const vv_parallel *par, const vv_way *way, int64_t most,
                                 vvError *error);
/* Drops the list: the next cover rebuilds it. */
void vv_candidates_forget(vv_candidates *candidates);

#endif

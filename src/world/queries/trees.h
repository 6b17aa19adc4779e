/* Trees of boxes over a body's elements in their present shape: built at the first query, refitted at the first one
 * after the positions changed. */
#ifndef VV_WORLD_QUERIES_TREES_H
#define VV_WORLD_QUERIES_TREES_H

#include "base/geometry/bvh.h"
#include "world/world.h"

/* The surface of a body that queries see, the one that collides: its triangles, or its edges or points if it has
 * none. The tree is over these; its boxes are slightly larger than their elements, so that rounding in a test of an
 * element leaves no gaps. */
typedef struct vv_seen {
    const vv_bvh *tree;
    int corners, count; /* 3: triangles, 2: edges, 1: points */
    const int *list;    /* corners each */
    const double *x;    /* their positions, by the list's indices */
    int base;           /* the list's vertex indices start here */
    bool solid;         /* its triangles are oriented outward */
} vv_seen;
/* Valid until positions change; false: out of memory. */
bool vv_surface_seen(vvWorld *world, int body, vv_seen *seen);
/* Over its tets; NULL: out of memory. */
const vv_bvh *vv_tet_tree(vvWorld *world, int body);
/* When bodies come or go, or the world is destroyed. */
void vv_trees_free(vvWorld *world);

#endif

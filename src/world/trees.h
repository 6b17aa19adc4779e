/* Trees of boxes over a body's elements as they are deformed now: built at the first query, refitted at the first one
 * after the positions changed. */
#ifndef VV_WORLD_TREES_H
#define VV_WORLD_TREES_H

#include "base/bvh.h"
#include "world/world.h"

/* The surface of a body that queries see, the one that collides: its triangles, or its edges or points where it has none. The
 * tree is over these; its boxes are a little larger than their elements, so that rounding in a test of the element cannot leave gaps. */
typedef struct vv_seen {
    const vv_bvh *tree;
    int corners, count; /* 3: triangles, 2: edges, 1: points */
    const int *list;    /* corners each */
    const double *x;    /* where they stand, by the list's indices */
    int base;           /* the list's vertices are counted from here */
    bool solid;         /* its triangles are turned outward */
} vv_seen;
/* Valid until positions change; false: out of memory. */
bool vv_surface_seen(vvWorld *world, int body, vv_seen *seen);
/* Over its tets; NULL: out of memory. */
const vv_bvh *vv_tet_tree(vvWorld *world, int body);
/* Bodies come or go, or the world does. */
void vv_trees_free(vvWorld *world);

#endif

/* Trees of boxes over a body's elements as they are deformed now: built at the first query, refitted at the first one
 * after the positions changed. */
#ifndef VV_WORLD_TREES_H
#define VV_WORLD_TREES_H

#include "base/bvh.h"
#include "world/world.h"

/* Over the triangles of the body at index `body`, or its edges or points where it has none; NULL: out of memory. The boxes are a little larger than
 * their elements, so that rounding in a test of the element cannot leave gaps. */
const vv_bvh *vv_surface_tree(vvWorld *world, int body);
/* Over its tets; NULL: out of memory. */
const vv_bvh *vv_tet_tree(vvWorld *world, int body);
/* Bodies come or go, or the world does. */
void vv_trees_free(vvWorld *world);

#endif

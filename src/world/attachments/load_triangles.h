/* The triangles of a body on which a load acts. */
#ifndef VV_WORLD_ATTACHMENTS_LOAD_TRIANGLES_H
#define VV_WORLD_ATTACHMENTS_LOAD_TRIANGLES_H

#include "world/world.h"

/* Fills the load's corners, which have room for all triangles of the body: those whose corners are all nodes of the
 * attachment and, where the region names triangles, are named by it. Of a body of order 2 those that make whole faces
 * come first. false: out of memory. */
bool vv_load_triangles(const vv_body *body, const vvRegion *where, vv_attach *a);

#endif

/* What a drag holds. */
#ifndef VV_WORLD_ATTACHMENTS_DRAG_H
#define VV_WORLD_ATTACHMENTS_DRAG_H

#include "visviva/interact.h"
#include "world/world.h"

enum { VV_HELD_NODES = 4 };

typedef struct vv_held { /* a weighted sum of nodes, counted from the body's first; ascending */
    int count, node[VV_HELD_NODES];
    double weight[VV_HELD_NODES];
} vv_held;

/* The vertex or the point that the definition names. VV_ERROR_INPUT: there is no such element, or the point is not in
 * it. */
vvStatus vv_drag_hold(const vvWorld *world, const vvDragDef *def, int body, vv_held *held, vvError *error);

#endif

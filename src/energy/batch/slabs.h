/* Cutting a body's elements into slabs of which only neighbours share nodes: see slabs.c. */
#ifndef VV_ENERGY_BATCH_SLABS_H
#define VV_ENERGY_BATCH_SLABS_H

#include "visviva/base.h"

#include <stddef.h>

typedef struct vv_slabs_input {
    int k, node_count;
    const int *elements; /* element x k */
    int part_count;
    const int *part_start; /* part_count + 1 */
    const double *center;  /* element x 3 */
} vv_slabs_input;

typedef struct vv_slabs {
    int count;
    int *start; /* count + 1: slab s is order[start[s] .. start[s + 1]) */
    int *part;  /* of each slab */
    int *order; /* elements, part by part, slab by slab */
} vv_slabs;

/* `least`: elements in a slab, unless its part has fewer. */
vvStatus vv_slabs_create(const vv_slabs_input *in, int least, vv_slabs *out, vvError *error);
void vv_slabs_free(vv_slabs *slabs);

#endif

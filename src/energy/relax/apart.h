/* A batch for Gauss-Seidel sweeps: the elements of another batch once more, in larger blocks, in which the eight
 * lanes of a group share no node. So a group's nodes can be moved at once, lane by lane; within a slab one group
 * after the other; slabs of a colour in parallel.
 *
 * Real lanes come first. Padding lanes repeat the first one and are not to be written. */
#ifndef VV_ENERGY_RELAX_APART_H
#define VV_ENERGY_RELAX_APART_H

#include "energy/batch/batch.h"

typedef struct vv_apart {
    vv_batch batch; /* source: the lane of the other batch; ~lane in padding lanes */
    int *lanes;     /* per group: real lanes, 1 to 8 */
} vv_apart;

vvStatus vv_apart_create(vv_apart *a, const vv_batch *from, int node_count, vvError *error);
void vv_apart_free(vv_apart *a);
/* A new array: `shape`, `rows` vectors of eight for each group of the other batch, for the groups of this one. */
double *vv_apart_shape(const vv_apart *a, const double *shape, int rows);

#endif

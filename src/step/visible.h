/* Kinetic energy that positions show: of the centre, the rigid rotation and the deformation of a body (theory §8.6). */
#ifndef VV_STEP_VISIBLE_H
#define VV_STEP_VISIBLE_H

#include "visviva/ledger.h"

/* Nodes that moved between two positions in so many seconds; or (`from` NULL) that have velocities v at `to`. All in
 * node space. */
typedef struct vv_displacement {
    const double *from, *to, *v;
    double seconds;
} vv_displacement;

/* Of a body of `count` nodes from `first` on. */
vvVisible vv_visible_of(const vv_displacement *d, const double *mass, int first, int count);
void vv_visible_add(vvVisible *sum, vvVisible part);

#endif

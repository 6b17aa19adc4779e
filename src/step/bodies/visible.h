/* Kinetic energy that positions show: of the centre, the rigid rotation and the deformation of a body (theory §8.6). */
#ifndef VV_STEP_BODIES_VISIBLE_H
#define VV_STEP_BODIES_VISIBLE_H

#include "visviva/ledger.h"

/* Nodes that moved between two positions in so many seconds; or (`from` NULL) that have velocities v at `to`. All in
 * node space. */
typedef struct vv_displacement {
    const double *from, *to, *v;
    double seconds;
} vv_displacement;

/* The rigid part of that motion: the field with its momenta, by arms halfway between both positions. */
typedef struct vv_rigid_motion {
    double mass, centre[3], velocity[3], omega[3]; /* kg, m, m/s, rad/s */
    double inertia[9];                             /* kg m^2, about the centre */
    double rotation, about;                        /* J, of the rotation; of all motion about the centre */
} vv_rigid_motion;

/* Of a body of `count` nodes from `first` on; of mass 0: it has none. */
vv_rigid_motion vv_rigid_motion_of(const vv_displacement *d, const double *mass, int first, int count);
/* The same body's energies, given the rigid part. */
vvVisible vv_visible_of(const vv_displacement *d, const double *mass, int first, int count, const vv_rigid_motion *r);
void vv_visible_add(vvVisible *sum, vvVisible part);

#endif

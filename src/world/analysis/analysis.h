/* What is asked of a baked world besides steps: where it comes to rest, how it vibrates. */
#ifndef VV_WORLD_ANALYSIS_H
#define VV_WORLD_ANALYSIS_H

#include "world/world.h"

/* settle.c: static equilibrium from q (node space, changed in place), under what pushes at present; lasting: under
 * what does so for ever. *energy (may be NULL): E there, J.
 * VV_ERROR_SOLVER when the bodies keep falling, or nothing is there to stop them. */
vvStatus vv_settle(vvWorld *world, bool lasting, double *q, double *energy, vvError *error);

/* modes.c (modes.h): adds the vibration modes that initial states asked for to the state's positions and velocities. */
vvStatus vv_apply_modes(vvWorld *world, vvError *error);

#endif

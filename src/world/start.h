/* What the start of a run consists of (world/start.c), for coming in (world/come_in.c). */
#ifndef VV_WORLD_START_H
#define VV_WORLD_START_H

#include "world/world.h"

/* Prescribed nodes of bodies that have not stepped yet take position and velocity from their scripts. */
void vv_start_place_prescribed(vvWorld *world);
/* Finds the ground energy where a decay needs it and it is unknown. */
vvStatus vv_start_want_ground(vvWorld *world, vvError *error);
/* VV_ERROR_INPUT where a decay needs it and there is none. */
vvStatus vv_start_check_decay(const vvWorld *world, double ground, vvError *error);
/* The gravity energy at which each new body begins; *sum, the ledger's of them, is updated. */
void vv_start_begin_gravity(vvWorld *world, double *sum);
/* The present state becomes the first row. */
void vv_start_count(vvWorld *world);

#endif

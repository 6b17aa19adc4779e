/* The world's operations on its joints. */
#ifndef VV_WORLD_JOINTS_JOINTS_H
#define VV_WORLD_JOINTS_JOINTS_H

#include "energy/links/links.h"
#include "world/world.h"

static const double VV_RADIANS = 3.14159265358979323846 / 180; /* in a degree */

/* joint.c */
int vv_joint_index(const vvWorld *world, vvJointId id); /* -1: no such joint */
/* speed: deg/s, m/s; h: the time step. */
vvStatus vv_joint_check_motor(const vv_joint_kind *kind, double speed, double force, double h, vvError *error);
/* The body is about to be removed: so are its joints, and later bodies and their nodes will move down. */
void vv_joints_drop_body(vvWorld *world, int body);

/* state.c: their energy, with their states in it; NULL without any. */
vvStatus vv_world_joints(const vvWorld *world, vv_energy **out, vvError *error);
/* Copies the states of the joints to a baked world's energy. */
void vv_world_place_joints(vvWorld *world);
/* Copies the motors' targets to the states. */
void vv_world_keep_motors(vvWorld *world);
/* The hooks `bear` and `bore`: VV_JOINT_LOAD numbers for each joint. */
void vv_world_bear(void *world, const double *x, double share, double *sum);
double vv_world_bore(void *world, const double *q, const double *sum);

#endif

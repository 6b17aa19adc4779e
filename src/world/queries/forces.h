/* The forces on a world's nodes, term by term. */
#ifndef VV_WORLD_QUERIES_FORCES_H
#define VV_WORLD_QUERIES_FORCES_H

#include "world/world.h"

typedef enum vv_force_term {
    VV_FORCE_ELASTIC,
    VV_FORCE_GRAVITY,
    VV_FORCE_CONTACT,
    VV_FORCE_ATTACHMENT,
    VV_FORCE_JOINT,
    VV_FORCE_FRICTION,
    VV_FORCE_DAMPING,
    VV_FORCE_LOAD,
    VV_FORCE_INERTIA,
    VV_FORCE_SUPPORT,
    VV_FORCE_TERMS
} vv_force_term;

/* out (node space, N), overwritten; the world is baked. */
vvStatus vv_world_forces(vvWorld *world, vv_force_term term, double *out, vvError *error);
/* out (the body's vertices x 3, N) = the term's, or += them. */
vvStatus vv_body_force(vvWorld *world, const vv_body *body, vv_force_term term, double *out, vvError *error);
vvStatus vv_add_body_force(vvWorld *world, const vv_body *body, vv_force_term term, double *out, vvError *error);

#endif

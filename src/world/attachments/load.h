/* Attachments that load: pushes, forces, tractions, pressures. */
#ifndef VV_WORLD_ATTACHMENTS_LOAD_H
#define VV_WORLD_ATTACHMENTS_LOAD_H

#include "world/world.h"

/* What is the matter with the part of a definition that is about loads. */
vvStatus vv_load_check(const vv_body *body, const vvAttachDef *def, vvError *error);
/* Fills a->load, whose nodes are there; vv_load_free after a failure, too. */
vvStatus vv_load_make(const vv_body *body, const vvAttachDef *def, vv_attach *a, vvError *error);
bool vv_load_copy(const vv_attach *from, vv_attach *to);
void vv_load_free(vv_attach *a);
/* Whether it acts in the step that begins now; its forces on its nodes (count x 3, N). */
bool vv_load_acts(const vvWorld *world, const vv_attach *a);
void vv_load_forces(const vvWorld *world, const vv_attach *a, const vv_push_time *when, double *out);
/* What the stepper's hooks of these names do; vv_world_pushed: in the step that `when` says. */
bool vv_world_push(vvWorld *world, const vv_push_time *when, double *force);
double vv_world_pushed(vvWorld *world, const vv_push_time *when, const double *q, double share);
/* Remembers what loads have done, or goes back to that. */
void vv_world_remember_loads(vvWorld *world, bool back);
/* The energy of external forces. */
vvStatus vv_world_external(vvWorld *world, vv_energy **out, vvError *error);

#endif

/* What a world chooses where its definition leaves it open: lengths and speeds relative to the scene (theory §1.4),
 * and the stiffness of contact (theory §5.11). */
#ifndef VV_WORLD_SETTINGS_CHOSEN_H
#define VV_WORLD_SETTINGS_CHOSEN_H

#include "visviva/world.h"

struct vv_body;

/* What lengths and speeds are relative to, m (world/settings/lengths.c). */
typedef struct vv_lengths {
    double scene, body; /* of the scene, 0: not known yet; of its smallest body, of free points the smallest point */
    double cloud;       /* of its smallest body, of free points all of them */
} vv_lengths;
/* What the user gave for these four, the first three where their relative value is 0; 0: the default. */
typedef struct vv_given_lengths {
    double distance, tolerance, friction_speed, stiffness;
} vv_given_lengths;
/* The stiffness of contact for those who gave none, and by what it was chosen (world/contact/stiffness.c). */
typedef struct vv_stiffness {
    double chosen, weight, area; /* Pa, 0: not known yet; N; m^2, 0: by no body */
    char body[128];
} vv_stiffness;
typedef struct vv_stiffening { /* of a run that adapts it */
    double base; /* Pa: the definition's, from which on it was doubled; while that is another one, nothing was */
    int32_t doublings, close; /* close: steps running, up to now, whose smallest gap was too small */
} vv_stiffening;

/* ---- lengths.c ---- */

/* Sets def.contact.distance, def.solver.tolerance and def.contact.frictionSpeed to what they are in metres and
 * seconds. The scene's lengths are measured until the first step, and then kept. */
void vv_world_resolve_lengths(vvWorld *world);
/* The length of a body: the diagonal of the box around it, or the thickness of free points; m. */
double vv_body_length(const vvWorld *world, const struct vv_body *body);
/* Below which distance the body acts where that is chosen, m; otherwise: of what has no length. 0: that of all. */
double vv_body_distance(const vvWorld *world, const struct vv_body *body, double otherwise);
/* The speed below which friction on it is smoothed, m/s: the definition's, or by its length. */
double vv_friction_speed_of(const vvWorld *world, const struct vv_body *body);
/* The same for another definition of this world that has these given, with the lengths as they are; unknown ones
 * change nothing. */
void vv_world_resolve_given(const vvWorld *world, const vv_given_lengths *given, vvWorldDef *def);
/* The definition of contact, in metres also before the world is baked. */
vvContactDef vv_world_contact_def(const vvWorld *world);
/* What is given by a definition that may be a copy of the one in use, changed here and there. */
vv_given_lengths vv_world_given_by(const vvWorld *world, const vvWorldDef *def);

/* ---- world/contact/stiffness.c, world/contact/stiffen.c ---- */

/* Of contact as just made: what choosing needs. */
vvStatus vv_world_measure_areas(vvWorld *world, vvError *error);
/* Where none is given: chooses it anew until the first step is made, and puts it into the definition. And as below. */
void vv_world_choose_stiffness(vvWorld *world);
/* Before the first step: whether it would choose another one now. */
bool vv_world_chooses_otherwise(const vvWorld *world);
void vv_world_recall_stiffness(vvWorld *world); /* as chosen before, in this run */
/* N, of each body: its weight, and what stops it over its own length at its velocity (of free points, the mean one's).
 */
void vv_world_loads(const vvWorld *world, double *load);
/* In use, Pa: the definition's, or what a run that adapts it has made of that. */
double vv_world_stiffness(const vvWorld *world);
void vv_world_apply_stiffness(vvWorld *world); /* to all that is baked */
/* Of a step that adapts it: before it, doubles if the last steps' gaps were too small, and books that; if the step
 * fails, takes that back; after it, looks at its gaps. */
typedef struct vv_unstiffened {
    vv_stiffening was;
    double user_work;
    vvLedgerRow row;
    bool changed;
} vv_unstiffened;
void vv_world_stiffen(vvWorld *world, vv_unstiffened *before);
void vv_world_unstiffen(vvWorld *world, const vv_unstiffened *before);
void vv_world_watch_gaps(vvWorld *world, const vv_unstiffened *before);

#endif

/* Settings that change while a world runs: definitions of their own, what another one makes out of date, and the
 * record of what setters have changed, which saved states carry. */
#ifndef VV_WORLD_SETTINGS_SETTINGS_H
#define VV_WORLD_SETTINGS_SETTINGS_H

#include "step/params.h"
#include "world/world.h"

/* ---- world/settings/def_check.c: names become the tables' own ---- */
vvStatus vv_def_name(const char **name, const char *what, const vvInfo *(*get)(int), vvError *error);
vvStatus vv_check_threads(int threads, vvError *error);
/* A coefficient, whose row is "bodies[].friction"; below 0 is one value: none. */
vvStatus vv_check_friction(double *friction, const char *what, vvError *error);
vvStatus vv_def_check_integrator(vvIntegratorDef *def, vvError *error);

/* ---- world/settings/settings.c ---- */

/* A definition with lists of its own, every parameter in them. */
typedef struct vv_kept_def {
    vvWorldDef def;
    vvKey *keys;
    vvSetting *settings;
    vv_given_lengths given;
} vv_kept_def;
bool vv_def_keep(const vvWorldDef *def, vv_kept_def *out); /* of a checked one; false: out of memory */
void vv_def_release(vv_kept_def *kept);                    /* also if all zero */
/* What is in use now: lengths, and contact's stiffness, are those that the world goes by. */
vvWorldDef vv_world_def_in_effect(const vvWorld *world);
/* Equal in what this file's setters set. */
bool vv_same_def(const vvWorldDef *a, const vvWorldDef *b);

/* The world's definition becomes `kept`, which is emptied; of a baked world, what is out of date is marked, nothing
 * is booked. Returns what would be out of date (vv_stale). The policy's memory and the clock are the caller's
 * concern. */
unsigned vv_world_take_def(vvWorld *world, vv_kept_def *kept);
/* Another policy, with its memory, which is emptied; it aims at the present energy. */
void vv_world_take_policy(vvWorld *world, vv_policy_memory *memory);
/* Steps of `before` were made; from here on they are h long. */
void vv_world_change_time_step(vvWorld *world, double before, double h);
/* Gravity or masses are about to change, and have: the gravity energy at which each body began changes with them, so
 * that the scale S does not. The first returns NULL if memory is short; the second frees what it returned. */
double *vv_world_note_gravity(const vvWorld *world);
void vv_world_regard_gravity(vvWorld *world, double *before);

/* The setters themselves, within other calls. */
vvStatus vv_world_set_gravity(vvWorld *world, const double *gravity, vvError *error);
vvStatus vv_world_set_time_step(vvWorld *world, double h, vvError *error);
vvStatus vv_world_set_integrator(vvWorld *world, const vvIntegratorDef *integrator, vvError *error);
vvStatus vv_world_set_solver(vvWorld *world, const vvSolverDef *solver, vvError *error);
vvStatus vv_world_set_contact(vvWorld *world, const vvContactDef *contact, vvError *error);

/* ---- world/settings/notes.c: each raises the revision ---- */
void vv_world_note_setting(vvWorld *world, const char *format, ...) __attribute__((format(printf, 2, 3)));
void vv_world_note_def(vvWorld *world, const vvWorldDef *before, const vvWorldDef *now);
void vv_world_note_material(vvWorld *world, const char *body, const vvMaterialDef *before, const vvMaterialDef *now);

/* ---- world/settings/records.c, load.c: what setters have changed ---- */

typedef enum vv_setting_kind {
    VV_SETTING_GRAVITY,
    VV_SETTING_TIME_STEP,
    VV_SETTING_INTEGRATOR,
    VV_SETTING_SOLVER,
    VV_SETTING_CONTACT,
    VV_SETTING_PAIRS,    /* vvWorldSetFriction */
    VV_SETTING_SURFACE,  /* of a body: friction, filter, self-contact */
    VV_SETTING_OBSTACLE, /* friction, filter */
    VV_SETTING_MATERIAL, /* of a body: all of its materials */
    VV_SETTING_KINDS
} vv_setting_kind;
/* What comes before a value; a value is padded to eight bytes. Names in values have a fixed length. */
typedef struct vv_setting_head {
    int32_t kind, at;    /* at: place of the body or obstacle; 0 */
    uint32_t bytes, now; /* of the value as made; in a saved state, of the present one behind it */
} vv_setting_head;
static inline size_t vv_setting_padded(size_t bytes) { return (bytes + 7) / 8 * 8; }
/* Whether the setting has that value now, and whether this world was made with it. */
bool vv_setting_is(const vvWorld *world, vv_setting_kind kind, int at, const void *value, size_t bytes);
bool vv_setting_made_alike(const vvWorld *world, vv_setting_kind kind, int at, const void *made, size_t bytes);
/* A setter is about to change it for the first time, perhaps: remembers its value. `at`: place of the body or
 * obstacle. False: out of memory. */
bool vv_world_remember_made(vvWorld *world, vv_setting_kind kind, int at);
/* A body, or an obstacle, at that place is removed. */
void vv_settings_drop(vvWorld *world, bool body, int place);
/* Bytes of the settings that setters have changed, as they were made and as they are; with `to` they are written
 * there. */
size_t vv_settings_save(const vvWorld *world, void *to);
/* Sets, in this world, those of another that are still as made there: where this one was made differently, its own
 * stay. *changed: whether there was something to set. On failure part of it may be set. */
vvStatus vv_settings_load(vvWorld *world, const void *from, size_t size, bool *changed, vvError *error);

/* ---- world/bodies/settings.c: values as checked ---- */
void vv_body_put_friction(vvWorld *world, int body, double friction);
void vv_body_put_filter(vvWorld *world, int body, const vvFilter *filter, bool self);
void vv_obstacle_put(vvWorld *world, int obstacle, double friction, const vvFilter *filter);
/* All of a body's materials at once: two may change places. Checks, too. */
vvStatus vv_world_set_materials(vvWorld *world, int body, const vvMaterialDef *list, vvError *error);
/* Fails for the body of an obstacle that moves: what touches is the obstacle, and `instead` is the function for it. */
vvStatus vv_check_surface_owner(const vvWorld *world, int body, const char *function, const char *instead,
                                vvError *error);

#endif

/* The contact models: how obstacles act on bodies, and bodies on each other. One row a model (contact/models.c). */
#ifndef VV_CONTACT_MODELS_H
#define VV_CONTACT_MODELS_H

#include "contact/repulsion.h"
#include "visviva/contact.h"

/* What presses against obstacles where no barrier does. */
typedef struct vv_obstacle_force {
    const vv_repulsion_form *form;
    double stiffness;
    bool per_vertex;
} vv_obstacle_force;

typedef struct vv_contact_model {
    vvContactModel type;
    vv_obstacle_force (*force)(const vvContactDef *def); /* NULL: a barrier acts, or nothing does */
    bool (*after)(const vvContactDef *def);              /* bounds act when the solve is over; NULL: never */
} vv_contact_model;

const vv_contact_model *vv_contact_model_at(int index);          /* NULL past the end */
const vv_contact_model *vv_contact_model_find(const char *name); /* NULL: there is none */
/* Whether the model reads that part of contact's settings, "springs". */
bool vv_contact_model_reads(const vv_contact_model *model, const char *part, size_t length);

/* Whether anything touches anything; whether a barrier acts anywhere. */
static inline bool vv_contact_acts(const vv_contact_model *m)
{
    return m->type.obstacles != VV_CONTACT_NONE || m->type.bodies != VV_CONTACT_NONE;
}
static inline bool vv_contact_has_barrier(const vv_contact_model *m)
{
    return m->type.obstacles == VV_CONTACT_BARRIER || m->type.bodies == VV_CONTACT_BARRIER;
}
/* Whether surfaces may go through each other: nothing tests that they do not. */
static inline bool vv_contact_overlaps(const vv_contact_model *m) { return m->type.bodies == VV_CONTACT_FORCE; }
static inline bool vv_contact_bounds(const vv_contact_model *m) { return m->type.obstacles == VV_CONTACT_BOUND; }

#endif

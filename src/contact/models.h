/* The contact models: how obstacles act on bodies, and bodies on each other. One row a model (contact/models.c). */
#ifndef VV_CONTACT_MODELS_H
#define VV_CONTACT_MODELS_H

#include "contact/springs/repulsion.h"
#include "energy/feasible.h"
#include "visviva/contact.h"

/* What a model may need, bits of vvContactModel.needs: vvContactNeedInfo says it in words, in this order. Whether a
 * world is so is decided in world/contact/fits.c. */
enum {
    VV_NEED_EXACT = 1,
    VV_NEED_SOLID = 2,
    VV_NEED_THICK = 4,
    VV_NEED_NODES = 8,
    VV_NEED_AWARE = 16,
    VV_NEED_END = 32,
    VV_NEED_STEADY = 64,
    VV_NEED_FEW = 128,
    VV_NEEDS_BETWEEN = VV_NEED_SOLID | VV_NEED_THICK, /* bodies, whether there are obstacles or not */
    VV_NEEDS_OF_METHODS = VV_NEED_AWARE | VV_NEED_END | VV_NEED_STEADY,
    VV_CONTACT_NEEDS = 8 /* how many there are */
};

/* Springs against obstacles. */
typedef struct vv_obstacle_force {
    const vv_repulsion_form *form;
    double stiffness;
    bool per_vertex;
} vv_obstacle_force;

typedef struct vv_contact_model {
    vvContactModel type;
    /* What acts against obstacles: springs, or bounds; both NULL: a barrier does, or nothing. */
    vv_obstacle_force (*force)(const vvContactDef *def);
    vvStatus (*bound)(const vv_barrier_def *contact, int node_count, const double *rest, bool after, vv_feasible **out,
                      vvError *error);
    bool (*after)(const vvContactDef *def); /* bounds act when the solve is over; NULL: never */
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
/* Whether something presses vertices off obstacles (contact/springs/presses.h), where else a barrier keeps them out, or
 * nothing does. */
static inline bool vv_contact_presses(const vv_contact_model *m)
{
    return m->type.obstacles == VV_CONTACT_FORCE || m->type.obstacles == VV_CONTACT_BOUND;
}
/* Whether surfaces may go through each other: nothing tests that they do not. */
static inline bool vv_contact_overlaps(const vv_contact_model *m) { return m->type.bodies == VV_CONTACT_FORCE; }
/* Whether obstacles keep out nodes within solids, too: where bodies overlap, and where a barrier keeps the surface
 * alone out of what may be turned inside out. */
static inline bool vv_contact_keeps_inner(const vv_contact_model *m, bool invertible)
{
    return vv_contact_overlaps(m) || (invertible && m->type.obstacles == VV_CONTACT_BARRIER);
}
static inline bool vv_contact_after(const vv_contact_model *m, const vvContactDef *def)
{
    return m->after && m->after(def);
}

/* The values of contact.friction_when; NULL past the end. */
enum { VV_FRICTION_AUTO, VV_FRICTION_SOLVE, VV_FRICTION_AFTER };
const vvInfo *vv_friction_when(int index);
int vv_friction_when_of(const vvContactDef *def);

#endif

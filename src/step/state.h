/* What changes from step to step. The world owns it, the stepper borrows it, saving and snapshots visit it
 * (vv_state_visit).
 *
 * Vectors are in node space, three numbers per node; they and the per-body arrays grow and close up with the world's
 * nodes and bodies (world/nodes.c, world/bodies/body.c). */
#ifndef VV_STEP_STATE_H
#define VV_STEP_STATE_H

#include "step/bodies/course.h"

#include <stdbool.h>
#include <stddef.h>

/* t = time_base + (step - step_base) h: h has had its present value since the end of step_base, at time_base. */
typedef struct vv_clock {
    int64_t step; /* steps made */
    int64_t step_base;
    double time_base; /* s */
} vv_clock;

/* Time (s) that many steps of h ahead, or a fraction of one. */
static inline double vv_clock_time(const vv_clock *c, double h, double ahead)
{
    return c->time_base + ((double)(c->step - c->step_base) + ahead) * h;
}

/* The ledger between steps (theory §8.1). */
typedef struct vv_ledger {
    double target;        /* T */
    double ground;        /* E_g, NaN: none */
    double scale;         /* S */
    double gravity_start; /* gravity energy at the start: for S where there is no ground */
    double user_work;     /* booked with the next step */
    double target_error_sum;
    vvVisible visible_sum; /* over the steps */
    vvLedgerTotals totals;
    vvLedgerRow row;
} vv_ledger;

/* What the energy policy remembers between steps: zero at the start; only the policy knows its meaning. */
typedef struct vv_policy_memory {
    size_t size, body_size; /* bytes: in all, and per body besides */
    unsigned char *data, *bodies;
    size_t body_capacity; /* bytes */
} vv_policy_memory;

/* Of a body: for how long it has been slow, and, while it sleeps, what it and its contacts hold. It is left out of the
 * system then (world/sleep/): its nodes stay, and these energies are in H in place of those of elements and contact. */
typedef struct vv_sleep {
    double slow; /* s */
    int64_t asleep;
    double elastic, contact; /* J; 0: awake */
} vv_sleep;

typedef struct vv_state {
    double *q, *v;
    double *q_previous, *v_previous;
    bool history;  /* q_previous and v_previous are those before the last step, which was made whole */
    double span;   /* s: how long the last step was */
    double *force; /* the host's forces, for the next step, N */
    bool forced;   /* some are not zero */
    vv_clock clock;
    vv_ledger ledger;
    double *body_energy;     /* elastic, per body, at the last booked row, J */
    vvVisible *body_visible; /* per body, of the last step */
    vv_course *body_course;  /* per body */
    vv_sleep *body_sleep;    /* per body */
    size_t energy_capacity, visible_capacity, course_capacity, sleep_capacity;
    vv_policy_memory policy;
} vv_state;

/* Memory for a policy that remembers that many bytes in all and for each of the bodies, all zero. False: out of
 * memory. */
bool vv_policy_memory_make(size_t size, size_t body_size, size_t bodies, vv_policy_memory *out);
void vv_policy_memory_free(vv_policy_memory *p); /* also if all zero */
/* Room in the per-body arrays; false: out of memory, nothing is lost. */
bool vv_state_reserve_bodies(vv_state *s, size_t bodies);
/* Appends a body after the present `bodies`; room was reserved. */
void vv_state_add_body(vv_state *s, size_t bodies);
/* Removes one of `bodies` bodies; later ones move down. */
void vv_state_remove_body(vv_state *s, size_t bodies, size_t body);
/* Frees the per-body arrays and the policy's memory; vectors belong to the nodes. */
void vv_state_free(vv_state *s);

/* Visits every piece of the state but the policy's memory, in a fixed order, for a world of so many nodes and
 * bodies. */
typedef void vv_state_visitor(void *user, void *piece, size_t bytes);
void vv_state_visit(vv_state *s, size_t nodes, size_t bodies, vv_state_visitor *visit, void *user);
/* Separate, as each policy has its own memory. */
void vv_policy_memory_visit(vv_policy_memory *p, size_t bodies, vv_state_visitor *visit, void *user);
void vv_policy_memory_clear(vv_policy_memory *p, size_t bodies);

#endif

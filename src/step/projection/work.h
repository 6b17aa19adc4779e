/* One application of the policy `project`, what its files share. */
#ifndef VV_STEP_PROJECTION_WORK_H
#define VV_STEP_PROJECTION_WORK_H

#include "step/projection/projection.h"
#include "step/ledger/shares.h"
#include "step/bodies/touching.h"

/* Its parameters' places. */
enum {
    VV_PROJECT_MOMENTUM,
    VV_PROJECT_SCOPE,
    VV_PROJECT_TOLERANCE,
    VV_PROJECT_ABSOLUTE,
    VV_PROJECT_REGULARIZATION,
    VV_PROJECT_ITERATIONS,
    VV_PROJECT_ITERATION
};

/* The values of `project_iteration`. */
enum { VV_ITERATION_OWN, VV_ITERATION_PAPER };

typedef struct vv_projection_work {
    vv_policy_call *call;
    vv_stepper *s;
    vv_trial *t;
    vv_projection *p;
    vv_projection_nodes nodes;
    int iterations, moved; /* passes; those in which nodes were to go elsewhere */
    int confirmed;         /* when so many of these were made, what they led to was */
    bool opened;           /* the accounts are */
    bool last;             /* backward Euler's step is corrected, in place of the scheme's: whatever it takes */
} vv_projection_work;

/* Accounts: numbers per body in the projection's by_body. */
enum { VV_ACCOUNTS_ARRAYS = 5 + VV_SHARES_SCRATCH };

static inline bool vv_projection_all_one(const vv_projection_work *w)
{
    return w->call->values[VV_PROJECT_SCOPE] == VV_SCOPE_WORLD;
}

/* accounts.c */
/* What bodies are still owed, from the last step; once in a step, and again where another trial is corrected. */
void vv_accounts_open(vv_projection_work *w);
/* What a booking makes of the groups' targets. */
void vv_accounts_book(const vv_projection_work *w, const vv_booking *booking);
/* For the next step. */
void vv_accounts_close(const vv_projection_work *w);

/* push.c. Of backward Euler's step, where groups are measured: changes the trial's velocities. */
void vv_projection_push_apart(vv_projection_work *w);

#endif

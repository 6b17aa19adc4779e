/* Energy policies: what may correct a step's energy between its solve and the ledger (theory §3.1). One file and one
 * row each.
 *
 * A policy gets the trial that the world's scheme made (step/trial.h) and the target that the ledger sets for it. It
 * may change the trial's velocities, move it, solve further trials and put one of them in its place, or fail the
 * step: then nothing has happened, and its memory is restored. docs/own-policy.md shows an example. */
#ifndef VV_STEP_POLICIES_POLICY_H
#define VV_STEP_POLICIES_POLICY_H

#include "step/params.h"

#include <stdbool.h>
#include <stddef.h>

struct vv_stepper;
struct vv_trial;
struct vv_trial_def;
struct vv_booking;
struct vv_solver;
struct vv_solver_ops;
struct vv_scheme;
struct vv_system;

enum { VV_TOUCHES_VELOCITIES = 1, VV_TOUCHES_POSITIONS = 2 };

typedef struct vv_policy_call {
    struct vv_stepper *stepper;
    struct vv_trial *const trial; /* in: the scheme's; out: the step's end (vv_trial_copy puts another in its place) */
    /* J, before losses that act after the solve; computed from the trial as the scheme made it */
    double target;
    const struct vv_booking *booking; /* what the ledger books of that trial */
    const double *values;             /* its parameters' values, one parameter after the other */
    void *memory;                     /* ops->memory bytes, zero at the start of a run */
    void *body_memory;        /* ops->body_memory bytes per body, in the world's order; zero where a body is new */
    struct vv_solver *solver; /* its own; NULL: none */
    double rubbed; /* out: J that friction takes beyond what is booked, by impulses that the policy gave (losses of the
                      trial hold them, vv_trial_rub_more) */
    double alpha;  /* out: shown in the ledger's row; NaN where the policy did not act */
    const char *note; /* out: static text for the step's report, where something is to be said; NULL: nothing */
} vv_policy_call;

typedef struct vv_policy_ops {
    vvInfo info;
    /* Whether it works with the scheme, its parameters filled in: VV_OK, or VV_ERROR_INPUT with the reason and what
     * to choose instead, which the caller puts after `policy "..." does not go with scheme "...": `. NULL: it works
     * with any. */
    vvStatus (*suits)(const struct vv_scheme *row, vvError *error);
    /* Likewise in a world where bodies meet obstacles or each other; after `in contact, policy "..." over scheme
     * "...": `. NULL: it works there. */
    vvStatus (*suits_contact)(const struct vv_scheme *row, vvError *error);
    unsigned touches;     /* VV_TOUCHES_... */
    bool aims;            /* follows the target; only then is decay booked */
    bool wants_gradients; /* grad E at the step's start (vv_stepper_start_gradient) and of each trial */
    /* its velocities take up how far forces are out of balance: the solver's velocity_tolerance is in force */
    bool wants_balance;
    bool rails;      /* leaves nodes that keep to planes and lines there (solve/rails.h): others are refused where
                        such are */
    bool makes_good; /* what solves leave out of momenta: it makes them itself, or solves anew */
    bool (*books_work)(const double *values); /* losses are forces times displacements; NULL: they never are */
    bool beyond_motion;   /* its velocities hold what the next solve takes out again: losses are booked with the motion
                             that positions show, not with v_n (theory §8.4) */
    const char *steadier; /* what to do where bodies do not follow their velocities under it, after "take a shorter
                             step, or "; NULL: another policy or scheme */
    int trials;           /* most further trials it takes in a step (vv_trial_take) */
    int vectors;          /* most node vectors it pushes to the system's arena besides */
    vv_params params;
    /* rules between values, beyond each one's range; NULL: none */
    vvStatus (*check)(const double *values, vvError *error);
    /* NULL, or: what holds together has changed (vv_stepper_regroup), and its object knows of that. VV_ERROR_MEMORY:
     * it is as before. */
    vvStatus (*regroup)(struct vv_solver *solver, const struct vv_system *system, vvError *error);
    const struct vv_solver_ops
        *solver;                /* its own object, alive as long as the stepper, for matrices, factors and what
                                   they learn (solve/newton/equation_solver.h); its minimise may be NULL. NULL: none */
    size_t memory, body_memory; /* bytes remembered between steps: in all, and per body besides */
    /* Whether such bytes, of so many bodies, can have been remembered: they may come from a stranger's file. NULL: any.
     */
    bool (*sound)(const void *memory, const void *body_memory, size_t bodies);
    /* How the step's own trial is made: changes *def, which is all zero. NULL: until it converges. */
    void (*own_trial)(const double *values, struct vv_trial_def *def);
    /* In place of apply, where the scheme finds no end, or ends in penetration or inversion: puts another trial in
     * its place. What the call says of the trial (vectors, target, booking) holds nothing. NULL, or fails with
     * VV_ERROR_SOLVER: the step fails for the scheme's reason. */
    vvStatus (*rescue)(vv_policy_call *call, vvError *error);
    /* NULL: does nothing. Fails with VV_ERROR_SOLVER, or as its callee did */
    vvStatus (*apply)(vv_policy_call *call, vvError *error);
} vv_policy_ops;

/* step/lag.c: how often stages are solved for friction, where no number is given and no body starts. anew: what presses
 * is not what ended the last step (vv_contact_presses_anew). */
int vv_friction_solves(const struct vv_scheme *row, const vv_policy_ops *policy, bool anew);
/* step/policies/suits.c. A `suits`: backward Euler's steps only. */
vvStatus vv_policy_over_backward_euler(const struct vv_scheme *row, vvError *error);
/* Sound where memory is one bool, and those of the bodies are numbers. */
bool vv_policy_sound_flag(const void *memory, const void *body_memory, size_t bodies);
/* dv = h M^-1 (grad E(q_n) - grad E(q)), node space; zero at prescribed nodes. For rows that want gradients. */
void vv_policy_velocity_difference(const vv_policy_call *call, double *dv);

const vv_policy_ops *vv_policy_table(int index); /* NULL past the end */
const vv_policy_ops *vv_policy_find(const char *name);
const vvInfo *vv_policy_info(int index);

#endif

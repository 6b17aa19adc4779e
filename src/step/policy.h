/* Energy policies: what may correct a step's energy between its solve and the ledger (theory §3.1). One file and one row each.
 *
 * A policy gets the trial that the world's scheme made (step/trial.h), and the target that the ledger wants of it. It may change the
 * trial's velocities, move it, ask for further trials and take one of them in its place, or say that the step has failed: then
 * nothing has happened, and what it had noted in its memory is forgotten. docs/own-policy.md shows one. */
#ifndef VV_STEP_POLICY_H
#define VV_STEP_POLICY_H

#include "step/params.h"

#include <stdbool.h>
#include <stddef.h>

struct vv_stepper;
struct vv_trial;
struct vv_solver;
struct vv_solver_ops;

enum { VV_TOUCHES_VELOCITIES = 1, VV_TOUCHES_POSITIONS = 2 };

typedef struct vv_policy_call {
    struct vv_stepper *stepper;
    struct vv_trial *const trial; /* in: what the scheme made; out: what the step shall be (vv_trial_copy takes another in its place) */
    double target;           /* J, before losses that act after the solve; goes by the trial as the scheme made it */
    const double *values;    /* of its parameters, one after the other */
    void *memory;            /* ops->memory bytes, zero at the start of a run */
    void *body_memory;       /* ops->body_memory bytes a body, in the world's order; zero where a body is new */
    struct vv_solver *solver; /* its own; NULL: none */
    double alpha;            /* out: what the ledger's row shows; NaN where the policy did not act */
} vv_policy_call;

typedef struct vv_policy_ops {
    vvInfo info;
    const char *scheme;      /* the one scheme it works over, NULL: any */
    unsigned touches;        /* VV_TOUCHES_... */
    bool aims;               /* follows the target: decay is booked for it only */
    bool wants_gradients;    /* grad E at the step's start (vv_stepper_start_gradient) and of each trial */
    int trials;              /* how many further trials it may take in a step (vv_trial_take) */
    int vectors;             /* how many node vectors it may push to the system's arena besides */
    vv_params params;
    vvStatus (*check)(const double *values, vvError *error); /* rules between values, beyond each one's range; NULL: none */
    const struct vv_solver_ops *solver; /* an object of its own that lives as long as the stepper does, for matrices, factors and what
                                           they learn (solve/equation_solver.h); its minimise may be NULL. NULL: none */
    size_t memory, body_memory; /* bytes that it remembers between steps: in all, and of each body besides */
    vvStatus (*apply)(vv_policy_call *call, vvError *error); /* NULL: does nothing. Fails with VV_ERROR_SOLVER, or as what it called */
} vv_policy_ops;

const vv_policy_ops *vv_policy_table(int index); /* NULL past the end */
const vv_policy_ops *vv_policy_find(const char *name);
const vvInfo *vv_policy_info(int index);

#endif

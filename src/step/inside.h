/* Inside of the stepper: its configuration and its work vectors. */
#ifndef VV_STEP_INSIDE_H
#define VV_STEP_INSIDE_H

#include "step/stepper.h"

struct vv_stepper {
    vv_system *system;
    vv_state *state;
    vv_scene_hooks hooks;
    vv_scheme scheme; /* with its parameters in */
    const vv_policy_ops *policy;
    const vv_solver_ops *minimiser; /* the world's choice */
    const vv_linear_ops *linear;
    vv_solver *solver; /* a minimiser, NULL where no stage needs one; */
    vv_solver *method; /* the scheme's own, NULL where it has none */
    size_t learned;    /* bytes that the two have to be saved */
    vv_solve_options options;
    vvIntegratorDef integrator; /* strings and keys owned by the world */
    int friction_iterations;
    double h;
    const vv_after_damping *after;
    int after_count;
    int bodies;

    vv_energy *external;
    vv_explanation explanation; /* of the last step, where a solve in it did not end well */

    /* work vectors, node space */
    double *new_q, *new_v, *hvn, *h2an, *hvp, *past, *stage_q, *stage_hv, *h2a, *y, *z[3], *u, *target, *g_old, *g_new, *trial;
    double *memory; /* the work vectors */
    bool g_old_valid; /* g_old = grad E(q) at the present attachments */
};

/* Time so many steps (or a part of one) ahead, s. */
static inline double vv_stepper_time(const vv_stepper *s, double ahead)
{
    return vv_clock_time(&s->state->clock, s->h, ahead);
}

/* Scratch memory for a whole step or settling: their pushes to the arena cannot fail then. False where memory is short. */
bool vv_stepper_reserve(vv_stepper *s);

/* Damping after the solve: changes v, returns the kinetic energy taken (J >= 0). */
double vv_damp_after(vv_stepper *s, const double *q, double *v);
/* Ledger arithmetic of one step (step/ledger.c). */
typedef struct vv_booking {
    vv_energies energies;
    double work, friction, damping, decay, policy_change, alpha;
    const vv_solve_stats *stats;
} vv_booking;
void vv_ledger_book(vv_stepper *s, const double *q, const double *v, const vv_booking *booking);

#endif

/* A trial: one attempt at a step. Solved with any row of the scheme table, moved elsewhere, booked; nothing of the world's state
 * changes by it.
 *
 * Vectors are in node space, three numbers a node. The solve leaves q, v and the impulses; energies and gradient go by (q, v) as
 * they are after a solve or a move. Whoever changes v alone calls vv_trial_velocities_changed. */
#ifndef VV_STEP_TRIAL_H
#define VV_STEP_TRIAL_H

#include "solve/solver.h"
#include "step/scheme.h"

struct vv_stepper;

typedef struct vv_energies { /* J */
    double kinetic, elastic, gravity, contact, attachment, total;
} vv_energies;

/* Impulses of dissipative forces in the step (node space, kg m/s, opposite in sign: +h b grad R), by cause. */
typedef struct vv_losses {
    double *friction, *damping;
    double *mutual; /* friction between nodes */
} vv_losses;

typedef struct vv_trial {
    double *q, *v;
    double *gradient;     /* grad E(q); made only where someone wants it (vv_policy_ops.wants_gradients, prescribed nodes, ...) */
    vv_losses losses;
    double *body_energy;  /* elastic, of each body, J */
    vv_energies energies; /* by row of the ledger */
    double potential;     /* E(q), without the host's forces, J; infinite outside the energies' domain */
    double pushed;        /* work of the host's forces on the way to q, J */
    vv_solve_stats stats;
    uint64_t made;        /* another number after each solve, move and copy: others than those before */
    const char *scheme;   /* of the row that it was solved with */
    bool feasible_end;    /* that row's */
} vv_trial;

/* How a trial is to be made. All zero: as the world's step is. */
typedef struct vv_trial_def {
    const vv_scheme *row; /* NULL: the world's scheme, or what it starts with; one with a method of its own only where it is the world's */
    const double *guess;  /* node space: where the solve of the last stage starts, as near as contact lets it; not the trial's own q;
                             NULL: chosen */
    int budget;           /* iterations of each solve; 0: until it converges */
    double tolerance;     /* m/s; 0: the solver's */
} vv_trial_def;

/* What the ledger would book of a step that ends as the trial does (theory §8.2), J. */
typedef struct vv_booking {
    double work, friction, damping, decay;
    double target; /* before losses that act after the solve */
    double policy_change, alpha;
} vv_booking;

/* Room for one more trial, from the scratch memory of the step: until the policy returns. NULL: no memory, or more than the policy's
 * row says. */
vv_trial *vv_trial_take(struct vv_stepper *s);
/* VV_ERROR_SOLVER where there is no way to an end, VV_ERROR_MEMORY, VV_CANCELLED. How a solve ended is in the trial's stats; its
 * potential may be infinite. */
vvStatus vv_trial_solve(struct vv_stepper *s, const vv_trial_def *def, vv_trial *t, vvError *error);
/* Takes the free nodes to q, on the straight way, as far as the energies' filters let them and to where E is finite; v becomes the
 * given one. Returns the part of the way that was gone: 1 all of it; 0 also for a trial whose potential is not finite, which stays
 * where it is. The impulses of its losses stay those of its solve: whoever mixes trials mixes these, too. */
double vv_trial_move(struct vv_stepper *s, vv_trial *t, const double *q, const double *v);
/* `to` becomes what `from` is (its vectors are copied). */
void vv_trial_copy(struct vv_stepper *s, vv_trial *to, const vv_trial *from);
/* Energies anew for other velocities. */
void vv_trial_velocities_changed(const struct vv_stepper *s, vv_trial *t);
/* Pure: may be asked for any trial, and again. Losses go by the velocities that the trial has now. */
vv_booking vv_trial_book(struct vv_stepper *s, const vv_trial *t);

#endif

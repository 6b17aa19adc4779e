/* A trial: one attempt at a step. It can be solved with any row of the scheme table, moved elsewhere, booked; none of
 * this changes the world's state.
 *
 * Vectors are in node space, three numbers per node. The solve sets q, v and the impulses; after a solve or a move,
 * energies and gradient are those of (q, v). Whoever changes v alone calls vv_trial_velocities_changed. */
#ifndef VV_STEP_TRIAL_H
#define VV_STEP_TRIAL_H

#include "solve/solver.h"
#include "step/schemes/scheme.h"

struct vv_stepper;

typedef struct vv_energies { /* J */
    double kinetic, elastic, gravity, contact, attachment, joint, total;
} vv_energies;

/* Impulses of dissipative forces in the step (node space, kg m/s, opposite in sign: +h b grad R), by cause. */
typedef struct vv_losses {
    double *friction, *damping;
    double *mutual; /* friction between nodes */
} vv_losses;

typedef struct vv_trial {
    double *q, *v;
    /* grad E(q); made only where it is used (vv_policy_ops.wants_gradients, prescribed nodes, ...) */
    double *gradient;
    vv_losses losses;
    double *left;  /* the impulses that the solve left over on what prescribed nodes carry (step/ledger/carried.c) */
    double *borne; /* what joints bear in it, as its scheme has their forces (vv_scene_hooks.bear) */
    double *body_energy; /* elastic, per body, J */
    /* gravity, contact, attachments and joints, per body, J; a contact's or joint's energy is shared by its two
     * bodies */
    double *body_other;
    vv_energies energies; /* by ledger row */
    double potential;     /* E(q), without the host's forces, J; infinite outside the energies' domain */
    /* of obstacles that act when the solve is over: how H changed, less what stands in work and losses, J */
    double put;
    double pushed; /* work of the host's forces along the path to q, J */
    vv_solve_stats stats;
    uint64_t made;      /* a new number, never used before, after each solve, move and copy */
    const char *scheme; /* name of the row it was solved with */
    bool feasible_end;  /* that row's */
    /* 1: that row's forces are those of its end (vv_scheme_end_forces); 0: not so; of a blend, between those of both */
    double end_forces;
} vv_trial;

/* How to make a trial. All zero: like the world's step. */
typedef struct vv_trial_def {
    /* NULL: the world's scheme, or its starter; a row with its own method only if it is the world's */
    const vv_scheme *row;
    const double *guess;  /* node space: where the solve of the last stage starts, as near as contact allows; not the
                             trial's own q; NULL: chosen */
    bool goes_on;         /* the guess is where the world's solver ended its last solve, in this step */
    int budget;           /* iterations of each solve; 0: until it converges */
    double tolerance;     /* m/s; 0: the world's */
    bool velocities_only; /* q does not matter: no check of an explicit way, no energies (infinite), no gradient */
} vv_trial_def;

/* What the ledger would book of a step that ends as the trial does (theory §8.2 to §8.4), J. */
typedef struct vv_booking {
    double work, friction, damping, decay;
    double loads;   /* of the work: that of loads */
    double springs; /* what making contact springs anew changed H by */
    double target;  /* before losses that act after the solve */
    double policy_change, alpha;
    int parts; /* of the step; 0: 1 */
} vv_booking;

/* One more trial, from the step's scratch memory, valid until the policy returns. NULL: out of memory, or more trials
 * than the policy's row declares. */
vv_trial *vv_trial_take(struct vv_stepper *s);
/* VV_ERROR_SOLVER where no end can be reached, VV_ERROR_MEMORY, VV_CANCELLED. How a solve ended is in the trial's
 * stats; the trial's potential may be infinite. */
vvStatus vv_trial_solve(struct vv_stepper *s, const vv_trial_def *def, vv_trial *t, vvError *error);
/* Moves the free nodes towards q in a straight line, as far as the energies' filters allow and E stays finite; v is
 * replaced by the given one. Returns the fraction of the path taken: 1 all of it; 0 also for a trial whose potential
 * is not finite, which stays unchanged. The impulses in its losses, and those left over, stay those of its solve:
 * whoever mixes trials has to mix these, too. */
double vv_trial_move(struct vv_stepper *s, vv_trial *t, const double *q, const double *v);
/* To q, whatever is in the way, to see what is there; false, and the trial is as it was, where E is infinite. Costs
 * no energy and no gradient where no node moves. Whoever does this has to see in the end that a path is free
 * (vv_system_passes from a place that is), or to go back. */
bool vv_trial_look(struct vv_stepper *s, vv_trial *t, const double *q, const double *v);
/* Makes `to` a copy of `from` (vectors included). */
void vv_trial_copy(struct vv_stepper *s, vv_trial *to, const vv_trial *from);
/* Friction's impulses on each node become 1 + more[node] times as large. What that takes, with the trial's present
 * velocities, is added to per_body; returns the sum, J. */
double vv_trial_rub_more(const struct vv_stepper *s, vv_trial *t, const double *more, double *per_body);
/* Updates the energies after a change of velocities. */
void vv_trial_velocities_changed(const struct vv_stepper *s, vv_trial *t);
/* Pure: may be called for any trial, repeatedly. Losses are taken with the trial's present velocities. */
vv_booking vv_trial_book(struct vv_stepper *s, const vv_trial *t);

#endif

/* The stepper's internals: its configuration, its work vectors, and what the files of this folder share. */
#ifndef VV_STEP_INSIDE_H
#define VV_STEP_INSIDE_H

#include "step/bodies/components.h"
#include "step/policies/policy.h"
#include "step/stepper.h"
#include "step/trial.h"

enum { VV_MOST_HALVINGS = 6 }; /* of a step that is made again in parts */

/* Of the last step, for the row of an equilibrium that is found from its end (step/ledger/settled.c). */
typedef struct vv_settled_way {
    bool known;      /* the step was made in one piece, and its row is the ledger's */
    double reaction; /* J: prescribed nodes' way times the reaction where it began */
    double work;     /* J: what had been done between steps when the equilibrium was found; the way itself is in it */
} vv_settled_way;

struct vv_stepper {
    vv_system *system;
    vv_state *state;
    vv_scene_hooks hooks;
    vv_contact *contact;      /* NULL: none */
    vv_scheme scheme;         /* with its parameters filled in */
    vv_scheme adjoint;        /* its adjoint, the same; no stages: none */
    const vv_scheme *starter; /* what a two-step scheme starts with */
    const vv_policy_ops *policy;
    double policy_values[VV_MOST_VALUES];
    const vv_solver_ops *minimiser; /* the world's choice */
    const vv_linear_ops *linear;
    vv_solver *solver;   /* a minimiser, NULL where no stage needs one */
    vv_solver *fallback; /* and the one for what it leaves, NULL: none */
    vv_solver *method;   /* the scheme's own, NULL where it has none */
    vv_solver *own;      /* the policy's, NULL where it has none */
    size_t learned;      /* bytes of the four solvers' learned state */
    char learned_name[sizeof((vv_learned *)0)->name];
    void *fresh; /* that state as it was before anything was learned */
    vv_solve_options options;
    vvIntegratorDef integrator; /* strings and keys owned by the world */
    int friction_iterations;
    double friction_tolerance;
    double h;
    double part; /* h as a part of the world's step: 1, or less where that is made again in parts */
    bool ends;   /* whether this one ends where the world's step ends */
    /* what is asked of its motion, and the pairs for whose sake it is a part: one for each time that it was halved */
    vv_passing_rule passing_rule;
    vv_passing passed[VV_MOST_HALVINGS];
    int passed_count;
    const vv_rigid_damping *damping;
    int damping_count;
    int bodies;
    const int *body_start;
    vv_energy *external;
    vv_components components;   /* what moves as one, for the guess of a solve */
    vv_explanation explanation; /* of the last step, if a solve in it did not end well */

    /* the step in progress */
    bool forced;       /* forces of the host or of the scene act */
    double begun_work; /* J: booked before anything is solved */
    vv_settled_way way;
    double begun_springs; /* J: likewise, by contact springs */
    double *body_springs; /* the same by body, in the arena; NULL: 0 */
    vv_solve_stats spent; /* by all of its trials */
    uint64_t made;        /* trials solved, moved or copied so far */
    int taken;            /* further trials taken by the policy */
    int friction_solves;  /* the most of a stage: how often friction was lagged */
    /* the last lagging changed friction's forces by this part, where they did not converge; else 0 */
    double friction_change;
    vv_unbalanced unbalanced; /* of the step's solves that ended with their budget */
    bool lagged_at_start;     /* friction and damping are lagged at (q_n, v_n), and nothing was solved since */

    /* work vectors, node space */
    double *new_q, *new_v, *new_gradient; /* the step's own trial */
    double *hvn, *h2an, *hvp, *past, *h2a, *y, *z[3], *u, *target, *g_old, *trial;
    double *stage[2 * (VV_MOST_STAGES - 1)]; /* q and h v of earlier stages, as many as the scheme has */
    double *borne;                           /* hooks.bears numbers: what joints have borne in parts of a step so far */
    double *memory;                          /* the block that holds the work vectors */
    bool g_old_valid;                        /* g_old = grad E(q) at the present attachments */
};

/* Time (s) that many steps ahead, or a fraction of one. */
static inline double vv_stepper_time(const vv_stepper *s, double ahead)
{
    return vv_clock_time(&s->state->clock, s->h, ahead);
}

/* Whether a two-step scheme can use the state's past: it is there, one step of the present length back. */
static inline bool vv_stepper_has_past(const vv_stepper *s) { return s->state->history && s->state->span == s->h; }

/* The row that the step is made with: the world's scheme, or what a two-step scheme starts with. */
static inline const vv_scheme *vv_stepper_row(const vv_stepper *s)
{
    return s->scheme.two_step && !vv_stepper_has_past(s) && !s->scheme.ballistic ? s->starter : &s->scheme;
}

/* step/step.c: one step of s->h from the state as it is, which it commits; or, where bodies would pass each other, does
 * not. */
typedef struct vv_step_result {
    vv_booking booking;
    vv_energies energies;
    vv_solve_stats stats, spent; /* of the trial that was taken, of all */
    const char *note;            /* the policy's; NULL: none */
    vv_passing passing;          /* where `passes` */
    bool passes;
} vv_step_result;
vvStatus vv_step_once(vv_stepper *s, vv_step_result *result, vvError *error);

/* step/schemes/stages.c */
/* Adds up what solves cost. */
void vv_stats_add(vv_solve_stats *sum, const vv_solve_stats *stats);
/* The worse of two ends. */
vvSolveEnd vv_worse_end(vvSolveEnd a, vvSolveEnd b);
/* The objective of a row's first stage from the state as it is; it uses work vectors of the stepper, which the next
 * trial overwrites. */
void vv_stepper_objective(vv_stepper *s, const vv_scheme *row, vv_objective *o);
/* Adds what joints bear by a stage's forces, which `share` (of vv_force_shares) has for each sample, with its minimiser
 * at q. */
void vv_stepper_bear(vv_stepper *s, const vv_objective *o, const double *share, const double *q, double *sum);
/* Adds the impulses of dissipative forces at the velocities u (node space, m/s) to the losses: +h share grad R(u). */
void vv_stepper_add_losses(vv_stepper *s, const double *u, double share, vv_losses *losses);

/* step/stepper.c: reserves scratch memory for a whole step or settling, so that their arena pushes cannot fail.
 * False: out of memory. */
bool vv_stepper_reserve(vv_stepper *s);

/* step/repulsion.c: contact springs (contact/springs/repulsion.h). */
/* What a failed step restores. */
typedef struct vv_springs_before {
    uint64_t *held;
    double *q; /* NULL: no vertices were moved */
} vv_springs_before;
size_t vv_springs_room(const vv_stepper *s); /* bytes of the arena that a step takes for them */
/* Makes them anew where a step begins; returns by how much H changes, J. */
double vv_springs_begin(vv_stepper *s, vv_springs_before *before);
void vv_springs_undo(vv_stepper *s, const vv_springs_before *before);
/* Their state, in vv_springs_bytes bytes, and back; positions are the caller's concern. */
size_t vv_springs_bytes(const vv_stepper *s);
void vv_springs_save(const vv_stepper *s, void *to);
void vv_springs_load(vv_stepper *s, const void *from);
/* Friction after the solve; adds to the booking. */
/* Whether the obstacles that bound nodes act when the solve is over, which is not to know of them. */
bool vv_bounds_after(const vv_stepper *s);
/* step/rails.c: across rails velocities are the mean ones of the step, as those of prescribed nodes. */
void vv_mean_across_rails(const vv_stepper *s, const double *q, double *v);
/* Measures a trial solved with this row, which such obstacles have put outside before. */
vvStatus vv_trial_put(vv_stepper *s, const vv_scheme *row, vv_trial *t, vvError *error);
void vv_springs_rub(vv_stepper *s, vv_trial *t, vv_booking *b);

/* step/ledger/measure.c */
bool vv_stepper_wants_gradients(const vv_stepper *s);
/* grad E(q_n), with the attachments and forces of the step in progress. */
const double *vv_stepper_start_gradient(vv_stepper *s);

/* Energies, potential and gradient of (q, v) as they are. */
void vv_trial_measure(vv_stepper *s, vv_trial *t);
void vv_trial_measure_energies(vv_stepper *s, vv_trial *t); /* its two halves; together they cost less */
void vv_trial_measure_gradient(vv_stepper *s, vv_trial *t);
/* Potential energies of each body, overwritten; either may be NULL. */
typedef struct vv_by_body {
    /* other: gravity, contact, attachments. A contact's energy is shared by the two that touch */
    double *elastic, *other;
} vv_by_body;
/* Energies of a state by ledger row, and by body where by_body is not NULL; *sum (may be NULL): E(q), all energies
 * added in their order; infinite outside their domain. */
vv_energies vv_stepper_measure(const vv_stepper *s, const double *q, const double *v, const vv_by_body *by_body,
                               double *sum);

/* step/trial.c */
/* Adds what dissipative impulses take from the free nodes of each body (J). */
void vv_trial_body_losses(const vv_stepper *s, const vv_trial *t, double *per_body);
/* By how much the work of spring attachments on their way is more than that of their jump where the step began, and
 * that of loads with the mean of their forces more than with those at the end, for rows whose forces are those at the
 * end (theory §8.3), J; added by body, where per_body is given. */
double vv_attachments_way(const vv_stepper *s, const vv_trial *t, double *per_body);
size_t vv_trial_bytes(const vv_stepper *s); /* scratch memory that a further trial takes */

/* step/lag.c */
const double *vv_stepper_gravity(const vv_stepper *s); /* m/s^2; zeros where there is none */
/* Lags friction and damping at (q_n, v_n). */
void vv_stepper_lag(vv_stepper *s);
/* What acts with the forces of q_n in a stage, but not with friction's of there, like the weight of a sample: q - y has
 * h^2 times it, or the velocity what such a part of q - y makes. */
double vv_stage_start_forces(const vv_scheme *row, const vv_stage *stage);
/* Solves a stage, as often as friction wants, from q to q. */
vvStatus vv_solve_lagged(vv_stepper *s, vv_solver *solver, const vv_objective *o, const vv_solve_options *options,
                         double *q, vv_solve_stats *stats, vvError *error);

/* step/rigid_damping.c: damping after the solve: changes v, returns the kinetic energy taken out (J; negative:
 * added). */
double vv_damp_deformation(vv_stepper *s, const double *q, double *v);

/* step/ledger/ledger.c: whether the step, with these energies at its end, has blown up; books the row of a step that
 * the state has already taken. */
vvStatus vv_ledger_check(const vv_stepper *s, const vv_booking *booking, const vv_energies *e, vvError *error);
void vv_ledger_book(vv_stepper *s, const vv_booking *booking, const vv_energies *e, const vv_solve_stats *stats);

#endif

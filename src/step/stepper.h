/* The step pipeline: owns the state (positions, velocities, history, clock, ledger) and advances it.
 *
 * One step, always in this order (design §1): soft attachments move (booked as work) -> lagged quantities -> the scheme's
 * stages, each minimised -> energy policy -> damping after the solve (booked) -> ledger. A step that fails changes nothing. */
#ifndef VV_STEP_STEPPER_H
#define VV_STEP_STEPPER_H

#include "solve/solver.h"
#include "solve/system.h"
#include "step/scheme.h"
#include "visviva/ledger.h"

typedef struct vv_stepper vv_stepper;

/* Why a solve did not end well, in words that know the bodies. */
typedef struct vv_explanation {
    vvStall stall;
    char text[768];
} vv_explanation;

/* What the world knows and the pipeline needs. */
typedef struct vv_scene_hooks {
    void *user;
    /* Writes the positions of all prescribed nodes at `time` into q (node space). */
    void (*prescribed)(void *user, double time, double *q);
    /* Moves the targets of soft attachments to where they stand at `time`. */
    void (*attachments)(void *user, double time);
    /* Smallest gap (m; infinity) and det F (infinity) at q. */
    void (*measure)(void *user, const double *q, double *gap, double *min_j);
    /* Whether surfaces pass through each other, or come nearer than a step may, on the straight way between two positions: for what
     * no step filter guards. */
    bool (*crosses)(void *user, const double *from, const double *to);
    /* A last look at a step's end before it is taken; fails with VV_ERROR_SOLVER. */
    vvStatus (*accept)(void *user, const double *q, vvError *error);
    /* VV_ERROR_MEMORY where contact could not be worked out since the last call: what was computed with it is void. */
    vvStatus (*contact_status)(void *user, vvError *error);
    /* The state's positions have changed. */
    void (*moved)(void *user);
    /* A solve of `o` did not end well: it stopped at q, on the way of the prescribed nodes to `target`. */
    void (*explain)(void *user, const vv_objective *o, const double *q, const double *target, const vv_solve_stats *stats,
                    vv_explanation *out);
} vv_scene_hooks;

/* Momentum-preserving damping of a body's nodes after the solve: v -= k (v - rigid part), k = 1 - exp(-rate h) or per_step. */
typedef struct vv_after_damping {
    int first, count;
    double rate, per_step;
} vv_after_damping;

typedef struct vv_energies { /* J */
    double kinetic, elastic, gravity, contact, attachment, total;
} vv_energies;

/* The ledger's state between steps (numerics §8). */
typedef struct vv_ledger {
    double target;         /* T */
    double ground;         /* E_g, NaN: none */
    double scale;          /* S */
    double gravity_start;  /* gravity energy at the start: for S where there is no ground */
    double user_work;      /* booked with the next step */
    double side[2];        /* H - T of the last two steps, newest first, 0 when brought to the target: sparse search */
    int sides;
    double target_error_sum;
    vvLedgerTotals totals;
    vvLedgerRow row;
} vv_ledger;

typedef struct vv_policy_io {
    double *v;              /* velocities after the solve; the policy changes them */
    const double *q;        /* new positions */
    const double *g_old;    /* grad E(q_n), NULL unless the policy asked for it */
    const double *g_new;    /* grad E(q_{n+1}), likewise */
    double potential;       /* E(q_{n+1}) */
    double target;          /* the ledger's target before losses that act after the solve */
    double alpha;           /* out; NaN where the policy did not act */
} vv_policy_io;

typedef struct vv_policy_ops {
    vvInfo info;
    const char *scheme;     /* the one scheme it works over, NULL: any */
    bool wants_gradients;
    bool aims;              /* follows the target: decay is booked for it only */
    void (*apply)(vv_stepper *stepper, vv_policy_io *io); /* NULL: does nothing */
} vv_policy_ops;
const vv_policy_ops *vv_policy_table(int index);
const vv_policy_ops *vv_policy_find(const char *name);
const vvInfo *vv_policy_info(int index);
extern const vv_policy_ops vv_policy_none, vv_policy_a1, vv_policy_search;

struct vv_stepper {
    vv_system system;
    vv_scene_hooks hooks;
    vv_scheme scheme; /* with its parameters in */
    const vv_policy_ops *policy;
    const vv_solver_ops *solver;
    vv_solve_options options;
    vvIntegratorDef integrator; /* strings and keys owned by the world */
    int friction_iterations;
    double h;
    vv_after_damping *after;
    int after_count;
    int bodies;

    /* state, node space; the arrays are the world's */
    double *q, *v;
    double *q_previous, *v_previous;
    bool history;        /* the previous ones are of use to a two-step scheme */
    int64_t step;
    int64_t step_base;   /* since the end of this step, at that time, h has been what it is */
    double time_base;    /* s */
    vv_ledger ledger;
    double *force;       /* the host's forces of the next step, N; the world's */
    bool forced;         /* some are not zero */
    double *body_energy; /* elastic, per body; the world's */
    vv_energy *external; /* the energy that carries the forces through a step */
    vv_explanation explanation; /* of the last step, where a solve in it did not end well */

    /* work vectors, node space */
    double *new_q, *new_v, *hvn, *h2an, *hvp, *past, *stage_q, *stage_hv, *h2a, *y, *z[3], *u, *target, *g_old, *g_new, *trial;
    double *memory; /* the work vectors */
    bool g_old_valid; /* g_old = grad E(q) at the present attachments */
};

/* Time so many steps (or a part of one) ahead, s. */
static inline double vv_stepper_time(const vv_stepper *s, double ahead)
{
    return s->time_base + ((double)(s->step - s->step_base) + ahead) * s->h;
}

/* Allocates work vectors for the system's nodes (system, h, the state's arrays ... already set). */
vvStatus vv_stepper_allocate(vv_stepper *s, vvError *error);
void vv_stepper_free(vv_stepper *s);
/* Scratch memory for a whole step or settling: their pushes to the arena cannot fail then. False where memory is short. */
bool vv_stepper_reserve(vv_stepper *s);
/* Energies of a state; per_body (may be NULL) is overwritten. */
vv_energies vv_stepper_energies(const vv_stepper *s, const double *q, const double *v, double *per_body);
/* Sets the first row, target and scale from the present state and the ground energy (NaN: none). */
void vv_ledger_start(vv_stepper *s, double ground);
/* One step. */
vvStatus vv_step(vv_stepper *s, vvStepReport *report, vvError *error);
/* State, bodies, obstacles or attachments were changed by the user: the change of H becomes work of the next row. */
void vv_stepper_book_change(vv_stepper *s);
/* The same where the state was overwritten: drops the history too. */
void vv_stepper_state_changed(vv_stepper *s);
/* Static equilibrium from q (node space, in place): damped Newton on E. *energy: E there. VV_ERROR_SOLVER when the bodies
 * keep falling, or when it takes more than `effort`, in nodes times iterations of the linear solver (0: whatever it takes). */
vvStatus vv_settle(vv_stepper *s, double *q, double effort, double *energy, vvError *error);

/* e-folding time in force at `time`, 0: no decay. */
double vv_decay_time(const vvIntegratorDef *def, double time);

/* Gonzalez' midpoint discrete gradient in place of a minimisation; same contract as a solver (step/discrete_gradient.c). */
vvStatus vv_discrete_gradient_solve(vv_stepper *s, const vv_objective *o, const double *q_start, double *q,
                                    const double *target, vv_solve_stats *stats, vvError *error);

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

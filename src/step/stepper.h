/* The step pipeline: advances a state that it borrows (step/state.h). What it keeps is configuration and scratch
 * memory.
 *
 * One step, always in this order (docs/architecture.md, one step): soft attachments move (booked as work) -> lagged
 * quantities -> the scheme's stages, each minimised -> energy policy -> damping after the solve (booked) -> ledger. A
 * step that fails changes nothing. */
#ifndef VV_STEP_STEPPER_H
#define VV_STEP_STEPPER_H

#include "contact/contact.h"
#include "solve/solver.h"
#include "solve/system.h"
#include "step/schemes/scheme.h"
#include "step/state.h"
#include "step/trial.h"

typedef struct vv_stepper vv_stepper;

/* What momentum a step's solves have left out where their budget ended (step/ledger/unbalanced.c): the most, as a part
 * of what the step changes, and of which body; 0: none that counts. */
typedef struct vv_unbalanced {
    bool looked; /* in this step; not in each one */
    double part;
    int body;
} vv_unbalanced;

/* Why a solve did not end well, in words that name the bodies. */
typedef struct vv_explanation {
    vvStall stall;
    char text[768];
} vv_explanation;

/* When nodes are pushed: in the `seconds` from `time` on, or (0) at that time, as long as it takes. */
typedef struct vv_push_time {
    double time, seconds;
    bool end; /* what counts is the force at the end of these, of schemes whose forces are all there; else the mean */
    bool lasting;    /* only what does so for ever */
    const double *q; /* where nodes are, and how fast (NULL: they are at rest), for forces that follow them */
    const double *v;
} vv_push_time;

/* What only the world knows and the pipeline needs. */
typedef struct vv_scene_hooks {
    void *user;
    /* Writes the positions of all prescribed nodes at `time` into q (node space). */
    void (*prescribed)(void *user, double time, double *q);
    /* In how many legs prescribed nodes go from one time to another, so that none turns by much in one; NULL: 1. */
    int (*legs)(void *user, double from, double to);
    /* Moves the targets of soft attachments to their positions at `time`. */
    void (*attachments)(void *user, double time);
    /* Called after the state's positions have changed. */
    void (*moved)(void *user);
    /* Whether this is some body's first step. */
    bool (*starts)(void *user);
    /* A solve of `o` did not end well: it stopped at q, while the prescribed nodes were on their way to `target`. */
    void (*explain)(void *user, const vv_objective *o, const double *q, const double *target,
                    const vv_solve_stats *stats, vv_explanation *out);
    /* Adds `share` times what joints bear with the nodes at x to `bears` numbers. */
    void (*bear)(void *user, const double *x, double share, double *sum);
    /* A step of the world is taken, in which joints have borne that, with the nodes at q: those that this is too much
     * for are gone from here on. Their energy, J; 0: none broke. */
    double (*bore)(void *user, const double *q, const double *sum);
    /* Adds to `force` (N, node space; NULL: nothing) what pushes nodes in the step that `when` says, and sets what the
     * energy of external forces needs besides. False: nothing does. NULL: never. */
    bool (*pushes)(void *user, const vv_push_time *when, double *force);
    /* At the end of a step that is taken, with the nodes at q, before the state is theirs: what loads have done in it,
     * times `share`, J. NULL: there are none. */
    double (*pushed)(void *user, const vv_push_time *when, const double *q, double share);
    /* Nodes would go to q: whether that wakes bodies, which the step as made has left out. It is undone then and ends
     * with VV_CANCELLED. NULL: never. */
    bool (*wakes)(void *user, const double *q);
    size_t bears; /* how many numbers `bear` has; 0: there are no joints, and it is not asked */
} vv_scene_hooks;

/* Momentum-preserving damping of a body's nodes after the solve: v -= k (v - rigid part), k = 1 - exp(-rate h) or
 * per_step. */
typedef struct vv_rigid_damping {
    int first, count;
    double rate, per_step;
} vv_rigid_damping;

/* What a stepper is made of; everything it points to must outlive it. */
typedef struct vv_stepper_def {
    vv_system *system;
    vv_state *state;
    vv_scene_hooks hooks;
    vv_contact *contact; /* NULL: none */
    const vvIntegratorDef *integrator;
    /* fallback: for stages that the solver leaves short of its tolerance; NULL: none */
    const vv_solver_ops *solver, *fallback;
    const vv_linear_ops *linear;
    vv_solve_options options;
    int friction_iterations; /* how often friction is lagged in a step; < 0: until its forces converge; 0: once, but in
                              * a step that is some body's first until they converge */
    double friction_tolerance; /* converged: lagging again changes them by at most this part */
    double h;                  /* s */
    const vv_rigid_damping *damping;
    int damping_count;
    int bodies;
    const int *body_start; /* bodies + 1: the first node of each body; the nodes */
    vv_energy *external;   /* carries the host's forces through a step */
    vv_stepper *before; /* NULL; or a stepper of the same system, to be destroyed afterwards: where its solvers are what
                           this one needs, they change hands with what they have learned */
} vv_stepper_def;
vvStatus vv_stepper_create(const vv_stepper_def *def, vv_stepper **out, vvError *error);
void vv_stepper_destroy(vv_stepper *s); /* NULL is fine */
/* What the solvers of a stepper with that definition learn (the minimiser's, the scheme's own method's and the
 * policy's), as bytes: how many, and under what name. Of the definition only the integrator, the solver, its fallback
 * and the linear solver are read. */
typedef struct vv_learned {
    size_t size;
    char name[96]; /* the solvers and their linear solver: under another name the bytes mean something else */
} vv_learned;
vv_learned vv_stepper_learned(const vv_stepper_def *def, int nodes);
size_t vv_stepper_learned_size(const vv_stepper *s); /* of this stepper */
const char *vv_stepper_learned_name(const vv_stepper *s);
void vv_stepper_save_learned(const vv_stepper *s, void *to);
void vv_stepper_load_learned(vv_stepper *s, const void *from);
/* Back to the state at creation: nothing is learned yet. */
void vv_stepper_unlearn(vv_stepper *s);
/* Another length of the steps to come, s. The clock is the caller's concern. */
void vv_stepper_set_time_step(vv_stepper *s, double h);
/* Another definition with equal scheme, policy and parameters, but other lists. */
void vv_stepper_set_integrator(vv_stepper *s, const vvIntegratorDef *integrator);
/* What was made again for the system: contact, or damping after the solve. */
void vv_stepper_set_contact(vv_stepper *s, vv_contact *contact);
void vv_stepper_set_external(vv_stepper *s, vv_energy *external);
void vv_stepper_set_damping(vv_stepper *s, const vv_rigid_damping *damping, int count);
/* Joints broke, or are whole again: finds anew what holds together. VV_ERROR_MEMORY: the stepper is to be destroyed. */
vvStatus vv_stepper_regroup(vv_stepper *s, vvError *error);
/* The state was changed from outside: drops what the stepper has cached of it. */
void vv_stepper_forget(vv_stepper *s);
/* Whether the policy follows the ledger's target. */
bool vv_stepper_aims(const vv_stepper *s);
const vv_unbalanced *vv_stepper_unbalanced(const vv_stepper *s); /* of the last step */
/* Energies of a state; per_body (may be NULL) is overwritten. */
vv_energies vv_stepper_energies(const vv_stepper *s, const double *q, const double *v, double *per_body);
/* Sets the first row, target and scale from the present state and the ground energy (NaN: none). least_scale: J, S is
 * never below. */
void vv_ledger_start(vv_stepper *s, double ground, double least_scale);
/* One step. */
vvStatus vv_step(vv_stepper *s, vvStepReport *report, vvError *error);
/* The user changed the state, bodies, obstacles or attachments: the change of H becomes work of the next row. */
void vv_stepper_book_change(vv_stepper *s);
/* The same with the last step: its row ends with the present state, and the next step begins there. */
void vv_stepper_book_now(vv_stepper *s);
/* Bodies have come to rest and are left out from here on: what H has lost by it is damping of the last step. */
void vv_stepper_book_sleep(vv_stepper *s);
/* The state is an equilibrium that was found from the end of the last step, and that change has been booked. */
void vv_stepper_note_settled(vv_stepper *s);
/* Whether the last step's row can become that of the way from where it began to there, with the work that was done on
 * it; and makes it that. By then nothing that loads did in the step is in their accounts any more. */
bool vv_stepper_knows_way(const vv_stepper *s);
void vv_stepper_book_settled(vv_stepper *s);
/* The world's minimiser, lent for a problem other than a step, such as static equilibrium. If no step needs one, it
 * is made for the occasion. Until it is taken back nothing may step. What it learns meanwhile is forgotten, so that
 * the run does not change. */
typedef struct vv_loan {
    vv_solver *solver;
    vv_solve_options options; /* those of the steps */
    double h;                 /* s: their length */
    /* for taking it back */
    vv_solver *made;
    void *learned;
    size_t mark;
    bool lasting;
    double *force; /* of what pushes; NULL: nothing does */
} vv_loan;
/* While it is lent: forces that follow what they push are found anew, with the nodes at q. */
void vv_stepper_push_again(vv_stepper *s, const vv_loan *loan, const double *q);
/* Until it is taken back, what pushes nodes now does so all the time; lasting: only what will do so for ever. */
vvStatus vv_stepper_lend_solver(vv_stepper *s, bool lasting, vv_loan *loan, vvError *error);
void vv_stepper_take_back(vv_stepper *s, vv_loan *loan);

/* e-folding time in force at `time`, 0: no decay. */
double vv_decay_time(const vvIntegratorDef *def, double time);

#endif

/* Solvers minimise an objective; line searches walk along a direction. One table each.
 *
 * A solver is an object that owns what it needs: matrices (solve/assembly.h), factors, vectors, and what it has
 * learned from past solves. docs/own-solver.md shows an example. */
#ifndef VV_SOLVE_SOLVER_H
#define VV_SOLVE_SOLVER_H

#include "solve/objective.h"
#include "visviva/ledger.h"

typedef struct vv_solve_options {
    double tolerance;          /* m/s: max node |step| / h */
    double gradient_tolerance; /* kg m; 0: not used */
    /* relative to contact's forces: imbalance allowed where something touches; 0: not used */
    double contact_tolerance;
    bool rises; /* contact begins to act with neither slope nor curvature, as a barrier does */
    /* N: of newton, optimizer and plain-newton, end where |dg/dq| / h^2 is below it, and only there; 0: not used */
    double force_tolerance;
    /* m/s: imbalance of forces allowed at the end, max node |dg/dq| / (h m) (theory §6.8); 0: not used */
    double velocity_tolerance;
    int max_iterations;
    int budget; /* iterations, besides those that carry prescribed nodes, after which the solve ends without being a
                   failure; 0: none */
    double
        budget_seconds; /* of a step, after which budgets are spent, too; 0: no limit. And when that is, vv_seconds */
    double deadline;
    double linear_tolerance;
    vv_hessian_mode hessian; /* projected, or exact with Tikhonov shifting */
    const struct vv_line_search *line_search;
    const struct vv_acceleration
        *acceleration; /* of fixed-point iterations (solve/realtime/accelerate.h); NULL: none */
    bool (*cancel)(void *user);
    void *cancel_user;
    int legs; /* in which prescribed nodes go to their targets; 0 or 1: straight. Else */
    /* writes their positions (node space) at a part of the path, in (0, 1) */
    void (*way)(void *user, double part, double *q);
    void *way_user;
    bool goes_on; /* the start is the end of this solver's last solve, of another objective over the same unknowns: one
                     with own_start goes on from there, with what it has of it */
    double (*contact_clock)(void *user); /* seconds spent in contact so far, for the statistics */
    void *contact_user;
} vv_solve_options;

/* VV_CANCELLED, with a message, if the host cancels. */
vvStatus vv_check_cancelled(const vv_solve_options *options, vvError *error);

/* VV_ERROR_UNSUPPORTED, for an energy whose table does not offer what the solver needs of each ("a ..."). What may be
 * done is what the energy's table says; where it says nothing, to take energies that `have` it. */
vvStatus vv_refuse_energy(const char *solver, const char *needs, const char *have, const vv_energy *e, vvError *error);

typedef struct vv_solve_stats {
    vvSolveEnd end;
    int iterations, linear_solves, pcg_iterations, line_search_steps;
    int fallbacks;      /* solves that another solver had to do again */
    bool blocked;       /* the last direction was cut short by a contact or an element about to invert */
    int capped;         /* iterations whose way was shortened before anything was looked for on it */
    bool stuck;         /* prescribed nodes could not be carried to their targets */
    double residual;    /* last max node |step| / h, m/s */
    const char *solver; /* whose result it is; NULL: none minimised */
    const char *linear; /* linear solver in use */
    const char *linear_reason;
    const char *why; /* static text: why progress stopped; NULL when converged */
    double seconds[VV_PHASE_COUNT];
    int factors;                     /* constant factors made */
    double factor_seconds;           /* part of VV_PHASE_LINEAR: making constant factors */
    size_t factor_bytes, read_bytes; /* of the constant factor in use, and what a solve reads of it; 0: none */
} vv_solve_stats;

/* Adds the time since `begin` to the phase, less the time spent in contact, which has a phase of its own. `clock` is
 * vv_contact_clock's value at `begin`. */
void vv_solve_book(const vv_solve_options *options, vv_solve_stats *stats, vvPhase phase, double begin, double clock);
static inline double vv_contact_clock(const vv_solve_options *options)
{
    return options->contact_clock ? options->contact_clock(options->contact_user) : 0;
}

/* What a solver is made of. The system must outlive it; its energies may be exchanged (vv_system_exchange), nothing
 * else. */
typedef struct vv_solver_def {
    vv_system *system;
    const vv_linear_ops *linear; /* the user's choice, for a solver that solves linear equations */
} vv_solver_def;

typedef struct vv_solver vv_solver; /* a solver's own data */

/* A solver, a method that replaces the minimisation (vv_scheme.method), or a policy's object for linear equations
 * (vv_policy_ops.solver), which minimises nothing. */
typedef struct vv_solver_ops {
    vvInfo info;
    int budget; /* iterations of each solve where the user names no number; 0: it iterates until it converges */
    /* wants to start where the bodies would be if they moved on, as far as can be had cheaply: a budget has little
     * time to compare */
    bool quick_start;
    bool from_begin; /* wants to start where the stage begins, not where the bodies would be if they went on */
    bool own_start;  /* starts where its method says, whatever the start that it is given: that is only what its end is
                        compared with; but see vv_solve_options.goes_on */
    /* minimises over where the system's nodes may be (energy/feasible.h); others are not given a system that has such
     * a set */
    bool constrains;
    /* takes nodes that keep to planes and lines (solve/rails.h); others are not given a system that has such */
    bool rails;
    /* however many iterations it has, it ends near the minimum, not at it, and does not claim to have converged */
    bool nearby;
    /* To be called by vv_solver_create, which sets the object's ops. *out stays NULL on failure. */
    vvStatus (*create)(const vv_solver_def *def, vv_solver **out, vvError *error);
    /* Minimises from q (node space, in place; feasible, free nodes move). `target` (node space, may be NULL): where the
     * prescribed nodes have to go; the solver carries them there along a feasible path. Adds to the stats.
     * VV_OK: g at q is no worse than at the start (stats say how it ended). VV_ERROR_SOLVER: no feasible progress.
     * VV_CANCELLED. q is undefined after a failure. */
    vvStatus (*minimise)(vv_solver *s, const vv_objective *o, double *q, const double *target,
                         const vv_solve_options *options, vv_solve_stats *stats, vvError *error);
    void (*destroy)(vv_solver *s);
    /* What it has learned from past solves and decides what it does next: its size, and copies out and in. It is
     * saved with a run, so that the run resumes to the same bits, and restored when a step fails. The size is known
     * before the solver is made (def->system is NULL or not ready) and depends on the number of nodes; bytes of that
     * size may come from other bodies with as many nodes. NULL: nothing. */
    size_t (*state_size)(const vv_solver_def *def, int nodes);
    void (*save)(const vv_solver *s, void *state);
    void (*load)(vv_solver *s, const void *state);
} vv_solver_ops;
struct vv_solver {
    const vv_solver_ops *ops;
};
const vv_solver_ops *vv_solver_table(int index); /* NULL past the end; the first one converges, whatever the energies */
const vv_solver_ops *vv_solver_find(const char *name);

/* Creates any solver, or none (ops NULL); *out is NULL then, and on failure. */
static inline vvStatus vv_solver_create(const vv_solver_ops *ops, const vv_solver_def *def, vv_solver **out,
                                        vvError *error)
{
    *out = NULL;
    vvStatus status = ops ? ops->create(def, out, error) : VV_OK;
    if (*out)
        (*out)->ops = ops;
    return status;
}
static inline size_t vv_solver_state_size(const vv_solver_ops *ops, const vv_solver_def *def, int nodes)
{
    return ops && ops->state_size ? ops->state_size(def, nodes) : 0;
}
static inline void vv_solver_save(const vv_solver *s, void *state)
{
    if (s && s->ops->state_size)
        s->ops->save(s, state);
}
static inline void vv_solver_load(vv_solver *s, const void *state)
{
    if (s && s->ops->state_size)
        s->ops->load(s, state);
}
static inline void vv_solver_destroy(vv_solver *s)
{
    if (s)
        s->ops->destroy(s);
}

struct vv_turn;

/* A point on the line: phi(t) = g(q + t p), or along a path that begins as that does. */
typedef struct vv_line {
    const vv_objective *objective;
    const double *q; /* node space */
    const double *p; /* node space */
    const double *p_unknown;
    const struct vv_turn *turn; /* the path, where bodies turn on it (solve/newton/turn.h); NULL: straight */
    double value0, slope0;      /* phi(0), phi'(0) < 0 */
    double max_step;            /* every t below it is feasible */
    /* where nothing ever stops a step: how far strong Wolfe may go; 0: no farther than max_step */
    double farthest;
    double *gradient; /* unknown space: dg/dq where vv_line_slope last looked, at t = at; NULL: not wanted */
    double at;
    int evaluations;
    double magnitude; /* of g's terms at q, where strong Wolfe has searched */
    double noise;     /* the change of g that rounding alone can cause, where it was asked for; else 0 */
} vv_line;
double vv_line_value(vv_line *line, double t); /* or +infinity where it is above phi(0) for sure, beyond rounding */
double vv_line_slope(vv_line *line, double t); /* phi'(t) */
/* x = where the line is at t (node space; not line->q), which was found finite */
void vv_line_go(const vv_line *line, double t, double *x);
/* After a full step, t = 1, to *value: returns 1, or where g is still lower beyond it, with *value there (theory
 * 6.3). */
double vv_line_beyond(vv_line *line, double *value);

typedef struct vv_line_search {
    vvInfo info;
    /* Returns the accepted t > 0 and *value = phi(t), or 0 when there is no decrease beyond rounding. */
    double (*search)(vv_line *line, double *value);
} vv_line_search;
const vv_line_search *vv_line_search_table(int index);
const vv_line_search *vv_line_search_find(const char *name);

/* The iterations of a solve by this solver, where the user's budget (0: none) is meant for it. */
static inline int vv_solver_budget(const vv_solver_ops *ops, int wanted) { return wanted > 0 ? wanted : ops->budget; }

extern const vv_solver_ops vv_solver_newton, vv_solver_optimizer, vv_solver_optimizer_paper, vv_solver_linearised,
    vv_solver_local_global, vv_solver_lbfgs, vv_solver_block_descent, vv_solver_xpbd, vv_solver_xpbd_exact,
    vv_solver_plain_newton;
extern const vv_line_search vv_line_search_backtracking, vv_line_search_strong_wolfe;

#endif

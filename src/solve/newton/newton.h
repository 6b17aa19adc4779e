/* Internals of Newton's method: one iteration, how prescribed nodes are carried to their targets, and the balance of
 * forces. */
#ifndef VV_SOLVE_NEWTON_NEWTON_H
#define VV_SOLVE_NEWTON_NEWTON_H

#include "solve/solver.h"

typedef struct vv_newton { /* one solve */
    const char *name;      /* of the solver, for messages */
    vv_equations *equations;
    const vv_objective *o;
    const vv_solve_options *options;
    vv_solve_stats *stats;
    double *q;                     /* node space, in place */
    double *gradient, *rhs, *step; /* unknown space */
    double *p;                     /* node space */
    double shift;                  /* added to the diagonal for the last direction, relative to the mean entry */
    /* iterations since steps were first short enough, for the balance of forces; -1: not used */
    int extra;
    double taken;        /* part of the last direction that the line search took; 0: none */
    double previous;     /* m/s: length of the last step / h; infinite: none yet */
    double imbalance;    /* m/s: of the forces, when last looked at; infinite: not yet */
    bool exact, refused; /* the matrix is the exact Hessian near the end; one did not serve in this solve */
    /* a direction is taken as it is where its linear solve ended on curvature that is not positive */
    bool truncated;
    bool precise, definite; /* the last linear solve met its tolerance; met no curvature that is not positive */
    double left;            /* of its residual, relative (vv_linear_stats.residual) */
} vv_newton;

/* Work space for one solve from q, in the system's arena, and the matrix ready to be assembled. */
vvStatus vv_newton_begin(vv_newton *n, vvError *error);
/* Whether a limit of iterations is reached, after this many; the stats say which. */
bool vv_newton_spent(const vv_newton *n, int iterations);

/* *value = g(q). Where the system's nodes are bounded q is first put to P(q), or to P of where the stage begins,
 * whichever has the lower g. Fails where it is not finite. */
vvStatus vv_newton_enter(vv_newton *n, double *value, vvError *error);
/* q = P(q + t p). */
void vv_newton_go(vv_newton *n, double t);
/* At the end of a solve: what bounds press with. */
void vv_newton_press(vv_newton *n);
/* Records why, and fails with VV_ERROR_SOLVER. */
vvStatus vv_newton_fail(vv_newton *n, const char *why, vvError *error);
/* x = A^-1 b with the matrix as it is, counted in the stats. */
vvStatus vv_newton_solve(vv_newton *n, const double *b, double *x, double tolerance, vvError *error);
/* Gradient and Hessian at q, and rhs = -gradient; *norm: of the gradient. */
vvStatus vv_newton_assemble(vv_newton *n, vv_hessian_mode hessian, double *norm, vvError *error);
/* step = A^-1 rhs with the matrix as it is, to this tolerance; *slope = gradient . step. */
vvStatus vv_newton_direction(vv_newton *n, double tolerance, double *slope, vvError *error);
/* The tolerance of the next linear solve: while steps are long nothing is gained by an exact direction. */
double vv_newton_forcing(const vv_newton *n);
/* Goes on with a direction that was solved for less closely than linear_tolerance if it looks like the last one; *slope
 * follows. */
vvStatus vv_newton_complete(vv_newton *n, double *slope, vvError *error);
/* Whether short steps end the solve, after one of which the line search took the part t: not while forces are out of
 * balance, but for a few extra iterations only. */
bool vv_newton_settled(vv_newton *n, bool short_enough, double t);
/* A step made short by shifting the diagonal says nothing of how far the minimum is. */
static inline bool vv_newton_unshifted(const vv_newton *n) { return n->shift < 1e-6; }
/* One Newton iteration from q with g = *value. *done: stop, the stats say why. */
vvStatus vv_newton_iterate(vv_newton *n, double *value, bool *done, vvError *error);
/* Carries the prescribed nodes to their targets; the free ones go along. */
vvStatus vv_newton_dirichlet_motion(vv_newton *n, const double *target, vvError *error);
/* m/s: length of the step / h. */
double vv_newton_speed(const vv_newton *n);

/* Under a policy that corrects velocities (vv_solve_options.velocity_tolerance; theory §6.8): */
/* Whether the end is so near that the exact Hessian serves. */
bool vv_newton_near(const vv_newton *n);
/* Improves a step that looks like the last one until the linear solve leaves little enough over; *slope follows. */
vvStatus vv_newton_refine(vv_newton *n, double *slope, vvError *error);
/* Whether forces are balanced at q, or as well as rounding allows. Overwrites the gradient. */
bool vv_newton_balanced(vv_newton *n);

#endif

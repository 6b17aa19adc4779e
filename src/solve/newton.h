/* Internals of Newton's method: one iteration, how prescribed nodes are carried to their targets, and the balance of forces. */
#ifndef VV_SOLVE_NEWTON_H
#define VV_SOLVE_NEWTON_H

#include "solve/solver.h"

typedef struct vv_newton { /* one solve */
    vv_equations *equations;
    const vv_objective *o;
    const vv_solve_options *options;
    vv_solve_stats *stats;
    double *q;                     /* node space, in place */
    double *gradient, *rhs, *step; /* unknown space */
    double *p;                     /* node space */
    double shift;                  /* added to the diagonal for the last direction, relative to the mean entry */
    int extra;                     /* iterations since steps were first short enough, for the balance of forces; -1: not used */
    double taken;                  /* part of the last direction that the line search took; 0: none */
    double previous;               /* m/s: length of the last step / h; infinite: none yet */
    double imbalance;              /* m/s: of the forces, when last looked at; infinite: not yet */
    bool exact, refused;           /* the matrix is the exact Hessian near the end; one did not serve in this solve */
    bool precise, definite;        /* the last linear solve met its tolerance; met no curvature that is not positive */
} vv_newton;

/* Records why, and fails with VV_ERROR_SOLVER. */
vvStatus vv_newton_fail(vv_newton *n, const char *why, vvError *error);
/* x = A^-1 b with the matrix as it is, counted in the stats. */
vvStatus vv_newton_solve(vv_newton *n, const double *b, double *x, double tolerance, vvError *error);
/* step = A^-1 rhs with the matrix as it is; *slope = gradient . step. */
vvStatus vv_newton_direction(vv_newton *n, double *slope, vvError *error);
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

/* Internals of Newton's method: one iteration, and how prescribed nodes are carried to their targets. */
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
    int majorized, turns;          /* iterations left with friction's majorizer; how many the last turn started */
    int extra;                     /* iterations since steps were first short enough, for contact's balance; -1: not used */
    double taken;                  /* part of the last direction that the line search took; 0: none */
} vv_newton;

/* Records why, and fails with VV_ERROR_SOLVER. */
vvStatus vv_newton_fail(vv_newton *n, const char *why, vvError *error);
/* step = A^-1 rhs with the matrix as it is; *slope = gradient . step. */
vvStatus vv_newton_direction(vv_newton *n, double *slope, vvError *error);
/* One Newton iteration from q with g = *value. *done: stop, the stats say why. */
vvStatus vv_newton_iterate(vv_newton *n, double *value, bool *done, vvError *error);
/* Carries the prescribed nodes to their targets; the free ones go along. */
vvStatus vv_newton_dirichlet_motion(vv_newton *n, const double *target, vvError *error);

#endif

/* Minimal residuals for symmetric matrices that need not be definite (Paige and Saunders 1975), preconditioned with
 * the sizes of the 3x3 diagonal blocks: theory §6.15. */
#ifndef VV_SOLVE_LINEAR_MINRES_H
#define VV_SOLVE_LINEAR_MINRES_H

#include "base/sparse/bsr.h"
#include "solve/linear/linear.h"

typedef struct vv_minres {
    int n;           /* block rows */
    double *inverse; /* n x 9: of the blocks' sizes, |D|^-1 */
    double *room;    /* 7 vectors */
} vv_minres;

vvStatus vv_minres_create(vv_minres *m, int n, vvError *error);
void vv_minres_free(vv_minres *m); /* also if all zero */
/* x = A^-1 b from x = 0, until the residual's norm by the preconditioner has come down to `tolerance` times that of
 * b; no memory is needed. If that takes more than `most` iterations, or A is singular, x is what has the least
 * residual so far, and stats->converged is false. */
void vv_minres_solve(vv_minres *m, const vv_bsr *a, const vv_parallel *par, const double *b, double *x,
                     double tolerance, int most, vv_linear_stats *stats);

#endif

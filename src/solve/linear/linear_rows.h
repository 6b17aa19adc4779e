/* The linear solvers' rows, for the table (linear.c) and for "auto", which runs two of them. */
#ifndef VV_SOLVE_LINEAR_LINEAR_ROWS_H
#define VV_SOLVE_LINEAR_LINEAR_ROWS_H

#include "solve/linear/linear.h"
#include "solve/pcg/modes.h"

/* Curvature p.Ap / p.Mp in conjugate gradients with the preconditioner M: slight, and so far below zero that it is no
 * rounding. */
#define VV_PCG_SLIGHT 0.03
#define VV_PCG_CLEAR 1e-6

extern const vv_linear_ops vv_linear_auto, vv_linear_pcg, vv_linear_pcg_jacobi;
/* Chooses how "pcg" preconditions the next solve, of a to this tolerance, and makes ready for it. *cost: of that mode,
 * by counts. */
vvStatus vv_pcg_prepare(vv_linear *pcg, const vv_bsr *a, double tolerance, vv_pcg_cost *cost, vvError *error);
#if defined(VV_HAVE_PETSC)
extern const vv_linear_ops vv_linear_petsc;
#endif
#if defined(VV_HAVE_CHOLMOD)
extern const vv_linear_ops vv_linear_cholesky;
/* What one factorisation costs, from the symbolic analysis (done at the first call). */
typedef struct vv_cholesky_cost {
    double flops;   /* multiplications and additions of a factorisation */
    double entries; /* of the factor */
} vv_cholesky_cost;
/* *cost is 0 if CHOLMOD lacks the memory for the analysis, or the matrix is too large for it; VV_ERROR_MEMORY if the
 * library's own has run out. */
/* Another matrix, of n rows and with a pattern of its own, comes next: nothing but the memory is kept. */
void vv_cholesky_forget(vv_linear *cholesky, int n);
vvStatus vv_cholesky_analyse(vv_linear *cholesky, const vv_bsr *a, vv_cholesky_cost *cost, vvError *error);
/* P A P^T = F F^T, after an analysis; false where A is not positive definite or memory is short. */
bool vv_cholesky_factorise(vv_linear *cholesky, const vv_bsr *a);
/* x = F^-1 P b, or P^T F^-T b where transposed; false: no memory. */
bool vv_cholesky_half_solve(vv_linear *cholesky, bool transposed, const double *b, double *x);
#endif

#endif

/* Linear solvers for the Newton step: A x = b, A symmetric, rows of 3x3 blocks (base/sparse/bsr.h), b and x of length 3
 * n. One table; each solver is a file that ends in its row. */
#ifndef VV_SOLVE_LINEAR_LINEAR_H
#define VV_SOLVE_LINEAR_LINEAR_H

#include "base/sparse/bsr.h"
#include "visviva/base.h"

/* Iterations after which an iterative linear solve returns what it has: a Newton step needs no exact direction. */
enum { VV_LINEAR_ITERATIONS = 5000 };

typedef struct vv_linear_stats {
    int iterations;     /* PCG iterations; 0 for a direct solve */
    bool converged;     /* PCG: the relative residual was met */
    bool indefinite;    /* a direction of non-positive curvature, or a factorisation that broke down: A is not positive
                           definite. PCG then returns the best descent direction so far; Cholesky returns nothing. */
    double residual;    /* ||b - A x|| / ||b|| (PCG: preconditioned norm) */
    const char *used;   /* "pcg", "cholesky" or "petsc" */
    const char *reason; /* "auto": why, a static string; NULL otherwise */
} vv_linear_stats;

typedef struct vv_linear vv_linear; /* a solver's own data */
typedef struct vv_linear_ops {
    vvInfo info;
    /* The pattern of `a` is fixed while the solver lives; its values are not read here. */
    vvStatus (*create)(const vv_bsr *a, const vv_parallel *par, vv_linear **out, vvError *error);
    /* x is overwritten (the start is zero). Fails only for lack of memory; everything else is in the stats. */
    vvStatus (*solve)(vv_linear *s, const vv_bsr *a, const double *b, double *x, double tolerance, int max_iterations,
                      vv_linear_stats *stats, vvError *error);
    void (*destroy)(vv_linear *s);
    /* What the solver remembers of past solves that decides what it does next (the choice of "auto"): saved with a run
     * so that it resumes to the same bits. 0 bytes for most. */
    size_t state_size;
    void (*save)(const vv_linear *s, void *state);
    void (*load)(vv_linear *s, const void *state);
} vv_linear_ops;
struct vv_linear {
    const vv_linear_ops *ops;
};

const vv_linear_ops *vv_linear_table(int index); /* NULL past the end */
const vv_linear_ops *vv_linear_find(const char *name);
/* For a solver that another build has: which part this one lacks, and what brings it. NULL for all others. */
const char *vv_linear_left_out(const char *name);

#endif

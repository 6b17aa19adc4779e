/* The passes of conjugate gradients preconditioned with symmetric Gauss-Seidel (solve/pcg/ssor.c), once per
 * instruction set.
 *
 * Vectors hold four doubles per node (the fourth 0): one aligned vector, so a row that was just stored can be reloaded
 * at once. A block product is three column updates: y += column_0 u_0 + column_1 u_1 + column_2 u_2, in three sums. */
#ifndef VV_SOLVE_PCG_SSOR_KERNEL_H
#define VV_SOLVE_PCG_SSOR_KERNEL_H

#include "base/sparse/bsr.h"
#include "base/simd/simd.h"

/* A triangle of the scaled matrix without its diagonal, blocks column-major in float. Rows are stored in the order in
 * which a sweep visits them (lower triangle: the solver's order; upper: backwards), so memory is read
 * forwards. */
typedef struct vv_ssor_half {
    int *start; /* n + 1 */
    int *col;   /* in the order in which a sweep computes them: the latest last */
    float *val; /* 9 per block, and 8 more */
} vv_ssor_half;

typedef struct vv_ssor {
    const vv_bsr *a;
    const double *b;
    double *x;                     /* the caller's: 3 per node, old order */
    int *order;                    /* old node of each new one */
    int *source;                   /* of each block of `low`: its index in A (from nnz on: outside the fixed pattern) */
    int *mirror;                   /* of each block of `low`: the index in `up` of its transpose */
    double *w;                     /* 12 per node: columns of W = C^-1, 4-wide, where C C^T is the diagonal block */
    vv_ssor_half low, up;          /* row i of `up` is row n - 1 - i of the matrix */
    double *y, *r, *v, *t, *u, *q; /* iterate, residual, direction; t, u: sweeps; q = operator times v */
    double alpha, beta;
    size_t capacity;                /* room for so many blocks in a triangle */
    const struct vv_second *second; /* the second level (solve/pcg/second_kernel.h), where it is in use */
} vv_ssor;

/* Each works on the rows [begin, end) and returns its partial sum (0 if none is named). */
typedef struct vv_ssor_kernels {
    /* W of the rows; returns how many diagonal blocks are not positive definite. */
    double (*factor)(const vv_ssor *s, int begin, int end);
    double (*scale)(const vv_ssor *s, int begin, int end);    /* fills low and up: W_i A_ij W_j^T */
    double (*residual)(const vv_ssor *s, int begin, int end); /* t = W (b - A x) */
    double (*start)(const vv_ssor *s, int begin, int end);    /* r = (I + L)^-1 t, v = y = 0; r.r */
    double (*backward)(const vv_ssor *s, int begin, int end); /* v = r + beta v, t = (I + L^T)^-1 v */
    double (*forward)(const vv_ssor *s, int begin, int end);  /* u = (I + L)^-1 (v - t), q = t + u; v.q */
    double (*update)(const vv_ssor *s, int begin, int end);   /* y += alpha v, r -= alpha q; r.r */
    double (*finish)(const vv_ssor *s, int begin, int end);   /* t = (I + L^T)^-1 y, x += W^T t */
    void (*pull)(const vv_ssor *s, const double *from, double *to, int begin, int end); /* to = L from */
} vv_ssor_kernels;

VV_VARIANTS(const vv_ssor_kernels, vv_ssor_kernels);

#endif

/* The passes of block-Jacobi preconditioned conjugate gradients (solve/pcg/pcg.c), compiled once per instruction set.
 *
 * Letters: A x = b, r = b - A x, z = M^-1 r, search direction p, q = A p. M is the block diagonal of A; M^-1 = W^T W
 * with W the inverse of the Cholesky factor of each 3x3 block, stored in float: whatever the rounding, W^T W stays
 * positive definite. Every function works on the rows [begin, end) of one chunk and returns the chunk's partial
 * sum. */
#ifndef VV_SOLVE_PCG_KERNEL_H
#define VV_SOLVE_PCG_KERNEL_H

#include "base/sparse/bsr.h"
#include "base/simd/simd.h"

typedef struct vv_pcg {
    const vv_bsr *a;
    const double *b;
    double *x, *r, *z, *p, *q; /* 3 n each, all but x padded for 4-wide loads */
    float *w;                  /* 6 n: w00 w10 w11 w20 w21 w22 */
    float *val;                /* the blocks of A in single precision, in A's order */
} vv_pcg;

typedef struct vv_pcg_kernels {
    /* W of the diagonal blocks; x = 0, r = b, z = p = M^-1 r. Returns r.z. */
    double (*start)(const vv_pcg *s, int begin, int end);
    /* r = b - A x in double precision, z = p = M^-1 r. Returns r.z. */
    double (*restart)(const vv_pcg *s, int begin, int end);
    /* q = A p with the fixed pattern; returns p.q. `store` reads the doubles and leaves the float copy, `cheap` reads
     * that copy. */
    double (*product)(const vv_pcg *s, int begin, int end);
    double (*product_store)(const vv_pcg *s, int begin, int end);
    double (*product_cheap)(const vv_pcg *s, int begin, int end);
    /* x += alpha p, r -= alpha q, z = M^-1 r. Returns r.z. */
    double (*update)(const vv_pcg *s, double alpha, int begin, int end);
    /* p = z + beta p */
    void (*direction)(const vv_pcg *s, double beta, int begin, int end);
} vv_pcg_kernels;

VV_VARIANTS(const vv_pcg_kernels, vv_pcg_kernels);

#endif

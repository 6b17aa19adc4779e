/* The rows coupled by blocks outside the fixed pattern (contact), as one block of the preconditioner of
 * solve/pcg/ssor.c.
 *
 * Contact may be 10^4 times stiffer than the bodies. Gauss-Seidel over single rows then needs some ten times the
 * iterations; with all rows in contact as ONE block, factorised exactly, there are as many as without contact. The
 * block belongs to a surface, so its factor is cheap.
 *
 * The block comes last in the order. Its vectors are scaled with F^-1 P, F F^T = P A_cc P^T, and are in the factor's
 * order; the sweeps of the neighbouring rows read unscaled ones. */
#ifndef VV_SOLVE_PCG_COUPLED_H
#define VV_SOLVE_PCG_COUPLED_H

#include "solve/linear/linear.h"
#include "solve/pcg/ssor_kernel.h"

typedef struct vv_coupled {
    int n, first; /* rows, 0: the block is not in use; new index of its first row */
    vv_bsr sub;   /* A_cc */
    int *source;  /* for each of its blocks: the index in A, from nnz on outside the fixed pattern */
    vv_linear *cholesky;
    double *b, *x;         /* 3 n */
    double flops, entries; /* of the factor */
    struct {
        size_t row_start, col, diag, val, source, b, x;
    } room;      /* elements that the arrays have room for */
    bool failed; /* the factor or a solve with it ran out of the library's memory */
} vv_coupled;

/* The block for the present couplings; there is none (n = 0) without CHOLMOD, or where that lacks memory. work: a->n.
 * VV_ERROR_MEMORY: n = 0. */
vvStatus vv_coupled_build(vv_coupled *c, const vv_bsr *a, int *work, vvError *error);
void vv_coupled_free(vv_coupled *c);

/* The passes of ssor_kernel.h over the block. */
/* W too: the identity. False: not positive definite, or out of memory */
bool vv_coupled_factor(vv_coupled *c, const vv_ssor *s);
double vv_coupled_start(vv_coupled *c, const vv_ssor *s, const vv_ssor_kernels *kernels);
void vv_coupled_backward(vv_coupled *c, const vv_ssor *s);
double vv_coupled_forward(vv_coupled *c, const vv_ssor *s, const vv_ssor_kernels *kernels);
void vv_coupled_finish(vv_coupled *c, const vv_ssor *s);

#endif

/* The numbers of a supernodal Cholesky factor of CHOLMOD's: the same sums in the same order as its own loop, from
 * which, unlike from that, the host can be let out. */
#ifndef VV_SOLVE_LINEAR_SUPERNODAL_H
#define VV_SOLVE_LINEAR_SUPERNODAL_H

#include "base/parallel.h"

#include <cholmod.h>

/* Puts the factor of `lower` (lower triangle, sorted, packed; its order is the factor's, CHOLMOD_NATURAL) into `factor`
 * of cholmod_analyze. Large supernodal ones, if there is anyone to ask (par->stop), are made piece by piece, others by
 * cholmod_factorize. `flops`: of the factor, cholmod_common.fl. False: the host wants no more (vv_for_stopped), memory
 * was short (common->status < CHOLMOD_OK), or the matrix is not positive definite (common->status is
 * CHOLMOD_NOT_POSDEF, factor->minor the first column of which that is seen). Call it between vv_blas_enter and
 * vv_blas_leave. */
bool vv_cholmod_factorise(cholmod_sparse *lower, cholmod_factor *factor, double flops, const vv_parallel *par,
                          cholmod_common *common);

#endif

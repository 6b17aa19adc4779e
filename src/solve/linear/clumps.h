/* Rows that belong together: those of an affine body's four nodes, whose 12 x 12 diagonal block is stiff in six of
 * its directions and nearly free in the others. Iterative solvers take it whole: with L L^T that block and W = L^-1,
 * they solve W A W^T y = W b, x = W^T y, where it is the identity; what preconditions that, 3x3 blocks or
 * Gauss-Seidel over rows, then goes by clumps. */
#ifndef VV_SOLVE_LINEAR_CLUMPS_H
#define VV_SOLVE_LINEAR_CLUMPS_H

#include "base/sparse/bsr.h"

enum { VV_CLUMP = 4 }; /* rows */

typedef struct vv_clumps {
    vv_bsr a;       /* W A W^T: the values are its own, the indices those of the last A */
    double *b;      /* W b */
    double *factor; /* per clump: L, 12 x 12, by rows */
    int *of;        /* per row: the clump that begins there and is taken whole, or -1 */
    size_t val_room, extra_room;
} vv_clumps;

/* Makes a and b of the system A x = b. A clump whose rows have different columns, or whose block is not positive
 * definite, stays as it is. VV_ERROR_MEMORY: nothing can be solved. */
vvStatus vv_clumps_apply(vv_clumps *c, const vv_bsr *a, const vv_parallel *par, const double *b, vvError *error);
/* From y to x, in place. */
void vv_clumps_back(const vv_clumps *c, double *x);
/* Whether it pays: the matrix is copied, which many rows of soft bodies would make dear. */
static inline bool vv_clumps_pay(const vv_bsr *a) { return a->clumps > 0 && 8 * VV_CLUMP * (int64_t)a->clumps >= a->n; }
void vv_clumps_free(vv_clumps *c);

#endif

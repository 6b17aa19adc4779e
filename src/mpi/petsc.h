/* PETSc's Krylov solvers and preconditioners (Balay et al. 1997) for matrices of 3x3 blocks. */
#ifndef VV_MPI_PETSC_H
#define VV_MPI_PETSC_H

#include "base/sparse/bsr.h"

#define VV_PETSC_PREFIX "visviva_" /* of options */

typedef struct vv_petsc vv_petsc;

typedef struct vv_petsc_result {
    /* false: too many iterations, a direction of negative curvature, numbers that are not finite, a preconditioner that
     * cannot be made; x is void */
    bool converged;
    int iterations;
    double residual; /* sqrt(r.P r / b.P b), P the preconditioner */
} vv_petsc_result;

/* NULL: no memory. */
vv_petsc *vv_petsc_create(void);
void vv_petsc_free(vv_petsc *p);
/* x = A^-1 b. Where a.place is known, the preconditioner is told of the rigid modes of all rows. Depends on nothing
 * solved before. */
vvStatus vv_petsc_solve(vv_petsc *p, const vv_bsr *a, const double *b, double *x, double tolerance, int max_iterations,
                        vv_petsc_result *result, vvError *error);

#endif

/* "petsc": conjugate gradients with smoothed aggregation, by PETSc (src/mpi; theory §6.4). What it cannot solve, as
 * where the curvature is negative somewhere or nothing couples, goes to "pcg-jacobi". */
#if defined(VV_HAVE_PETSC)

#include "base/error.h"
#include "base/memory.h"
#include "mpi/petsc.h"
#include "solve/linear/blas_threads.h"
#include "solve/linear/linear_rows.h"

/* With a preconditioner that suits the matrix some 20 do; more of them say that it does not, as where A is singular. */
enum { MOST = 500 };

struct petsc {
    vv_linear base;
    vv_linear *jacobi;
    vv_petsc *petsc;
};

static void destroy(vv_linear *base)
{
    struct petsc *s = (struct petsc *)base;
    if (!s)
        return;
    if (s->jacobi)
        s->jacobi->ops->destroy(s->jacobi);
    vv_petsc_free(s->petsc);
    vv_free(s);
}

static vvStatus create(const vv_bsr *a, const vv_parallel *par, vv_linear **out, vvError *error)
{
    struct petsc *s = vv_alloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return vv_fail_memory(error, "the linear solver");
    s->base.ops = &vv_linear_petsc;
    s->petsc = vv_petsc_create();
    vvStatus status =
        s->petsc ? vv_linear_pcg_jacobi.create(a, par, &s->jacobi, error) : vv_fail_memory(error, "the linear solver");
    if (status != VV_OK) {
        destroy(&s->base);
        return status;
    }
    *out = &s->base;
    return VV_OK;
}

/* Whether the multigrid's smoother, which divides by the diagonal, is positive definite, and has something to do. */
static bool suits(const vv_bsr *a)
{
    bool positive = true;
    for (size_t i = 0; i < (size_t)a->n; i++)
        for (size_t k = 0; k < 3; k++)
            positive = positive && a->val[9 * (size_t)a->diag[i] + 4 * k] > 0;
    return positive && (a->nnz > a->n || a->extra.nnz > 0);
}

/* Where A is indefinite, and its multigrid too, conjugate gradients may see neither. */
static bool goes_down(int n, const double *b, const double *x)
{
    double slope = 0;
    for (size_t k = 0; k < 3 * (size_t)n; k++)
        slope += b[k] * x[k];
    return slope >= 0;
}

static vvStatus solve(vv_linear *base, const vv_bsr *a, const double *b, double *x, double tolerance,
                      int max_iterations, vv_linear_stats *stats, vvError *error)
{
    struct petsc *s = (struct petsc *)base;
    vv_petsc_result result = { 0 };
    if (suits(a)) {
        const int most = max_iterations < MOST ? max_iterations : MOST;
        const vv_blas_scope scope = vv_blas_enter(1); /* the bits of OpenBLAS depend on it */
        vvStatus status =
            vv_petsc_solve(s->petsc, a, b, x, tolerance > 1e-14 ? tolerance : 1e-14, most, &result, error);
        vv_blas_leave(scope);
        if (status != VV_OK)
            return status;
    }
    if (!result.converged || !goes_down(a->n, b, x)) {
        const int left = max_iterations > result.iterations ? max_iterations - result.iterations : 1;
        vvStatus status = s->jacobi->ops->solve(s->jacobi, a, b, x, tolerance, left, stats, error);
        stats->iterations += result.iterations;
        return status;
    }
    *stats = (vv_linear_stats){
        .used = "petsc", .iterations = result.iterations, .residual = result.residual, .converged = true
    };
    return VV_OK;
}

const vv_linear_ops vv_linear_petsc = {
    .info = { "petsc",
              "conjugate gradients, preconditioned with smoothed aggregation by PETSc, for the largest solids" },
    .create = create,
    .solve = solve,
    .destroy = destroy,
};

#else
typedef int vv_no_petsc; /* a file may not be empty */
#endif

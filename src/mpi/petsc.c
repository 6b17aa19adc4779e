/* The matrix as PETSc wants it, by rows of numbers, in arrays of ours that only grow, and one solve: conjugate
 * gradients with smoothed aggregation (options in session.c).
 *
 * AIJ, not the blocks of BAIJ: GAMG coarsens no other. Its three rows of a node have the same columns, which PETSc
 * sees by itself. The preconditioner is made anew for every solve: one that is kept would save little and make a run
 * depend on where it was resumed (docs/scale.md). Coarse grids keep the rigid modes, the displacements without energy
 * of a free body. */
#include "mpi/petsc.h"

#include "base/error.h"
#include "base/memory.h"
#include "mpi/session.h"

#include <limits.h>
#include <petscksp.h>

struct vv_petsc {
    PetscInt *start, *col;
    double *val;
    size_t start_room, col_room, val_room;
};

vv_petsc *vv_petsc_create(void) { return vv_alloc(1, sizeof(vv_petsc)); }

void vv_petsc_free(vv_petsc *p)
{
    if (!p)
        return;
    vv_free(p->start);
    vv_free(p->col);
    vv_free(p->val);
    vv_free(p);
}

/* The next block of a row, pattern and extra merged by columns; NULL past the end. */
typedef struct cursor {
    const vv_bsr *a;
    int k, k_end, e, e_end;
} cursor;

static cursor row_cursor(const vv_bsr *a, int row)
{
    const bool extra = a->extra.nnz > 0;
    return (cursor){ a, a->row_start[row], a->row_start[row + 1], extra ? a->extra.start[row] : 0,
                     extra ? a->extra.start[row + 1] : 0 };
}

static const double *next_block(cursor *c, int *col)
{
    const vv_bsr_extra *extra = &c->a->extra;
    const bool fixed = c->k < c->k_end && (c->e >= c->e_end || c->a->col[c->k] < extra->col[c->e]);
    if (!fixed && c->e >= c->e_end)
        return NULL;
    *col = fixed ? c->a->col[c->k] : extra->col[c->e];
    return fixed ? c->a->val + 9 * (size_t)c->k++ : extra->val + 9 * (size_t)c->e++;
}

/* Rows 3 i to 3 i + 2, from place `at`; returns where the next begins. */
static size_t fill_row(vv_petsc *p, const vv_bsr *a, int row, size_t at)
{
    const cursor begin = row_cursor(a, row);
    const size_t width = 3 * (size_t)(begin.k_end - begin.k + begin.e_end - begin.e);
    cursor c = begin;
    int col;
    const double *block;
    for (size_t r = 0; r < 3; r++)
        p->start[3 * (size_t)row + r] = (PetscInt)(at + r * width);
    for (size_t to = at; (block = next_block(&c, &col)) != NULL; to += 3)
        for (size_t r = 0; r < 3; r++)
            for (size_t s = 0; s < 3; s++) {
                p->col[to + r * width + s] = 3 * col + (PetscInt)s;
                p->val[to + r * width + s] = block[3 * s + r];
            }
    return at + 3 * width;
}

static vvStatus fill(vv_petsc *p, const vv_bsr *a, vvError *error)
{
    const size_t rows = 3 * (size_t)a->n, entries = 9 * ((size_t)a->nnz + (size_t)a->extra.nnz);
    size_t at = 0;
    if (entries > PETSC_MAX_INT)
        return vv_fail(
            error, VV_ERROR_UNSUPPORTED,
            "solver.linear: a matrix of %zu numbers is too large for a PETSc with 32-bit indices, which takes "
            "%lld",
            entries, (long long)PETSC_MAX_INT);
    if (!vv_grow((void **)&p->start, &p->start_room, rows + 1, sizeof *p->start) ||
        !vv_grow((void **)&p->col, &p->col_room, entries, sizeof *p->col) ||
        !vv_grow((void **)&p->val, &p->val_room, entries, sizeof *p->val))
        return vv_fail_memory(error, "PETSc's matrix");
    for (int i = 0; i < a->n; i++)
        at = fill_row(p, a, i, at);
    p->start[rows] = (PetscInt)at;
    return VV_OK;
}

/* What a solve has of PETSc. */
typedef struct objects {
    Mat a;
    Vec b, x, place;
    MatNullSpace rigid;
    KSP ksp;
} objects;

#define TRY(call)                            \
    do {                                     \
        const PetscErrorCode failed_ = call; \
        if (failed_ != 0)                    \
            return failed_;                  \
    } while (0)

static PetscErrorCode make_matrix(objects *o, const vv_petsc *p, const vv_bsr *a)
{
    const PetscInt rows = 3 * a->n;
    TRY(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, rows, rows, p->start, p->col, p->val, &o->a));
    TRY(MatSetBlockSize(o->a, 3));
    TRY(MatSetOption(o->a, MAT_SPD, PETSC_TRUE));
    if (!a->place)
        return 0;
    TRY(VecCreateSeqWithArray(PETSC_COMM_SELF, 3, rows, a->place, &o->place));
    TRY(MatNullSpaceCreateRigidBody(o->place, &o->rigid));
    return MatSetNearNullSpace(o->a, o->rigid);
}

/* The norm of the residual before the first iteration. */
static PetscErrorCode note_first(KSP ksp, PetscInt iteration, PetscReal norm, void *first)
{
    (void)ksp;
    if (iteration == 0)
        *(double *)first = norm;
    return 0;
}

static PetscErrorCode run(objects *o, const vv_petsc *p, const vv_bsr *a, const double *b, double *x, double tolerance,
                          int most, double *first)
{
    const PetscReal never = 1e30; /* the residual may grow in between */
    TRY(make_matrix(o, p, a));
    TRY(VecCreateSeqWithArray(PETSC_COMM_SELF, 3, 3 * a->n, b, &o->b));
    TRY(VecCreateSeqWithArray(PETSC_COMM_SELF, 3, 3 * a->n, x, &o->x));
    TRY(KSPCreate(PETSC_COMM_SELF, &o->ksp));
    TRY(KSPSetOptionsPrefix(o->ksp, VV_PETSC_PREFIX));
    TRY(KSPSetOperators(o->ksp, o->a, o->a));
    TRY(KSPSetFromOptions(o->ksp));
    TRY(KSPSetTolerances(o->ksp, tolerance, 0, never, most));
    TRY(KSPMonitorSet(o->ksp, note_first, first, NULL));
    return KSPSolve(o->ksp, o->b, o->x);
}

static PetscErrorCode judge(const objects *o, double first, vv_petsc_result *result)
{
    KSPConvergedReason reason;
    PetscInt iterations;
    PetscReal last;
    TRY(KSPGetConvergedReason(o->ksp, &reason));
    TRY(KSPGetIterationNumber(o->ksp, &iterations));
    TRY(KSPGetResidualNorm(o->ksp, &last));
    result->iterations = (int)iterations;
    result->residual = first > 0 ? last / first : 0;
    result->converged = reason > 0;
    return 0;
}

static void drop(objects *o)
{
    (void)KSPDestroy(&o->ksp);
    (void)VecDestroy(&o->x);
    (void)VecDestroy(&o->b);
    (void)MatNullSpaceDestroy(&o->rigid);
    (void)VecDestroy(&o->place);
    (void)MatDestroy(&o->a);
}

vvStatus vv_petsc_solve(vv_petsc *p, const vv_bsr *a, const double *b, double *x, double tolerance, int max_iterations,
                        vv_petsc_result *result, vvError *error)
{
    *result = (vv_petsc_result){ 0 };
    vvStatus status = fill(p, a, error);
    if (status == VV_OK)
        status = vv_mpi_enter(error);
    if (status != VV_OK)
        return status;
    objects o = { 0 };
    double first = 0;
    PetscErrorCode failed = run(&o, p, a, b, x, tolerance, max_iterations, &first);
    if (failed == 0)
        failed = judge(&o, first, result);
    drop(&o);
    vv_mpi_leave();
    return failed == PETSC_ERR_MEM ? vv_fail_memory(error, "PETSc's preconditioner") : VV_OK;
}

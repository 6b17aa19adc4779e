/* Solves of src/mpi's kind with the matrix on many ranks: what each of them holds, iterations, seconds. A cube of 1 m,
 * of CELLS^3 cells of six tets (tests/support/grid_matrix.h), cut into slabs of nodes; each rank makes its own rows,
 * from all tets that touch them. Options of PETSc as everywhere (PETSC_OPTIONS). The figures of docs/scale.md are of
 *
 *   mpirun -n RANKS build/bench_ranks CELLS YOUNG STEP [SOLVES]      in Pa and s */
#include "../tests/support/grid_matrix.h"
#include "mpi/petsc.h"
#include "mpi/session.h"

#include <malloc.h>
#include <petscksp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct slab {
    grid whole;
    PetscInt begin, end; /* nodes; slices of the grid, from `low` on, are what the local matrix knows */
    int low;
    grid local;
    vv_bsr a; /* of the slices that the rows touch; only whole rows are taken */
} slab;

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* MB that are allocated. */
static double allocated(void)
{
    const struct mallinfo2 m = mallinfo2();
    return 1e-6 * (double)(m.uordblks + m.hblkhd);
}

static double most(double x)
{
    double all;
    MPI_Allreduce(&x, &all, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
    return all;
}

/* Slices of nodes are shared out evenly. */
static bool cut(slab *s, int cells, double young, double step, int rank, int ranks)
{
    const int slices = cells + 1, first = rank * slices / ranks, last = (rank + 1) * slices / ranks;
    s->whole = (grid){ slices, slices, slices, 1.0 / cells, 1000, young, 0.4, step };
    s->begin = first * slices * slices, s->end = last * slices * slices;
    s->low = first > 0 ? first - 1 : 0;
    s->local = s->whole;
    s->local.nz = (last < slices ? last + 1 : slices) - s->low;
    return grid_build(&s->a, &s->local);
}

static PetscErrorCode matrix(const slab *s, Mat *out)
{
    const PetscInt rows = s->end - s->begin, shift = s->low * s->whole.nx * s->whole.ny;
    PetscInt *inside = calloc((size_t)rows, sizeof *inside), *outside = calloc((size_t)rows, sizeof *outside);
    for (PetscInt i = 0; i < rows; i++) {
        const int local = (int)(i + s->begin - shift);
        for (int k = s->a.row_start[local]; k < s->a.row_start[local + 1]; k++) {
            const PetscInt col = s->a.col[k] + shift;
            *(col >= s->begin && col < s->end ? &inside[i] : &outside[i]) += 1;
        }
    }
    PetscCall(MatCreate(PETSC_COMM_WORLD, out));
    PetscCall(MatSetSizes(*out, 3 * rows, 3 * rows, PETSC_DETERMINE, PETSC_DETERMINE));
    PetscCall(MatSetBlockSize(*out, 3));
    PetscCall(MatSetType(*out, MATAIJ));
    PetscCall(MatXAIJSetPreallocation(*out, 3, inside, outside, NULL, NULL));
    free(inside), free(outside);
    for (PetscInt i = 0; i < rows; i++) {
        const int local = (int)(i + s->begin - shift), from = s->a.row_start[local],
                  width = s->a.row_start[local + 1] - from;
        PetscInt row = s->begin + i, col[27];
        double value[27 * 9];
        for (int k = 0; k < width; k++) {
            col[k] = s->a.col[from + k] + shift;
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++)
                    value[(r * width + k) * 3 + c] = s->a.val[9 * (size_t)(from + k) + 3 * (size_t)c + (size_t)r];
        }
        PetscCall(MatSetValuesBlocked(*out, 1, &row, width, col, value, INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(*out, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*out, MAT_FINAL_ASSEMBLY));
    return MatSetOption(*out, MAT_SPD, PETSC_TRUE);
}

static PetscErrorCode rigid_modes(const slab *s, Mat a)
{
    Vec place;
    MatNullSpace rigid;
    double *x;
    PetscCall(MatCreateVecs(a, &place, NULL));
    PetscCall(VecGetArray(place, &x));
    const grid *g = &s->whole;
    for (PetscInt i = s->begin; i < s->end; i++, x += 3)
        x[0] = i % g->nx * g->cell, x[1] = i / g->nx % g->ny * g->cell, x[2] = i / (g->nx * g->ny) * g->cell;
    x -= 3 * (s->end - s->begin);
    PetscCall(VecRestoreArray(place, &x));
    PetscCall(MatNullSpaceCreateRigidBody(place, &rigid));
    PetscCall(MatSetNearNullSpace(a, rigid));
    PetscCall(MatNullSpaceDestroy(&rigid));
    return VecDestroy(&place);
}

/* b is a function of the node alone, whatever the ranks are. */
static PetscErrorCode right_side(const slab *s, Vec b)
{
    double *x;
    PetscCall(VecGetArray(b, &x));
    for (PetscInt i = 0; i < 3 * (s->end - s->begin); i++) {
        uint64_t seed = (uint64_t)(3 * s->begin + i) + 12345;
        grid_random(&seed);
        x[i] = grid_random(&seed);
    }
    return VecRestoreArray(b, &x);
}

typedef struct figures {
    double matrix_mb, solver_mb, set_up, solve, processor;
    int iterations, converged;
    double energy; /* b.x */
} figures;

static PetscErrorCode solve(Mat a, Vec b, Vec x, figures *f)
{
    KSP ksp;
    KSPConvergedReason reason;
    const double before = allocated(), wall = seconds(CLOCK_MONOTONIC), processor = seconds(CLOCK_PROCESS_CPUTIME_ID);
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(KSPSetOptionsPrefix(ksp, VV_PETSC_PREFIX));
    PetscCall(KSPSetOperators(ksp, a, a));
    PetscCall(KSPSetFromOptions(ksp));
    PetscCall(KSPSetTolerances(ksp, 1e-3, 0, 1e30, 1000));
    PetscCall(KSPSetUp(ksp));
    const double ready = seconds(CLOCK_MONOTONIC);
    PetscCall(KSPSolve(ksp, b, x));
    f->solver_mb = most(allocated() - before);
    f->set_up = most(ready - wall), f->solve = most(seconds(CLOCK_MONOTONIC) - ready);
    f->processor = most(seconds(CLOCK_PROCESS_CPUTIME_ID) - processor);
    PetscCall(KSPGetIterationNumber(ksp, &f->iterations));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    f->converged = reason > 0;
    PetscCall(VecDot(b, x, &f->energy));
    return KSPDestroy(&ksp);
}

static PetscErrorCode run(int cells, double young, double step, int solves)
{
    int rank, ranks;
    slab s = { 0 };
    Mat a;
    Vec x, b;
    figures f = { 0 };
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
    if (!cut(&s, cells, young, step, rank, ranks))
        return PETSC_ERR_MEM;
    const double before = allocated();
    PetscCall(matrix(&s, &a));
    f.matrix_mb = most(allocated() - before);
    vv_bsr_free(&s.a);
    PetscCall(rigid_modes(&s, a));
    PetscCall(MatCreateVecs(a, &x, &b));
    PetscCall(right_side(&s, b));
    for (int i = 0; i < solves; i++) {
        PetscCall(solve(a, b, x, &f));
        if (rank == 0)
            printf("ranks %d cells %d nodes %d young %g step %g: iterations %d%s b.x %.12g, MB a rank: matrix %.1f "
                   "solver %.1f, s: set-up %.2f solve %.2f processor %.2f\n",
                   ranks, cells, s.whole.nx * s.whole.ny * s.whole.nz, young, step, f.iterations,
                   f.converged ? "" : " (not converged)", f.energy, f.matrix_mb, f.solver_mb, f.set_up, f.solve,
                   f.processor);
        fflush(stdout);
    }
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&b));
    return MatDestroy(&a);
}

int main(int argc, char **argv)
{
    vvError error;
    if (argc < 4) {
        fprintf(stderr, "mpirun -n RANKS %s CELLS YOUNG STEP [SOLVES]\n", argv[0]);
        return 2;
    }
    if (vv_mpi_enter(&error) != VV_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    const PetscErrorCode failed = run(atoi(argv[1]), atof(argv[2]), atof(argv[3]), argc > 4 ? atoi(argv[4]) : 1);
    vv_mpi_leave();
    return failed != 0;
}

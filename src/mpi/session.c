/* Starts PETSc once a process, quiet: it neither prints errors nor catches signals, as the host may.
 *
 * Its options come from the variable PETSC_OPTIONS of the environment, never from a file ~/.petscrc, which a run would
 * not tell of. Ours begin with VV_PETSC_PREFIX, so that a host's own solvers do not see them; one that is given there
 * replaces the default below. */
#include "mpi/session.h"

#include "base/error.h"
#include "mpi/petsc.h"

#include <petscsys.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool ready; /* the options have their defaults */

/* Smoothed aggregation (Vanek, Mandel and Brezina 1996). Squaring the graph on every level keeps the coarse ones
 * sparse. Plain Jacobi, as small aggregates leave diagonal blocks of six that are singular, which block Jacobi and SOR
 * do not take. docs/scale.md has what was compared. */
static const char *const defaults[][2] = {
    { "ksp_type", "cg" },
    { "ksp_norm_type", "natural" },
    { "pc_type", "gamg" },
    { "pc_gamg_type", "agg" },
    { "pc_gamg_agg_nsmooths", "1" },
    { "pc_gamg_aggressive_coarsening", "10" },
    { "pc_gamg_threshold", "0" },
    { "mg_levels_ksp_type", "chebyshev" },
    { "mg_levels_ksp_max_it", "2" },
    { "mg_levels_pc_type", "jacobi" },
};

static void finalise(void)
{
    PetscBool ended;
    if (PetscFinalized(&ended) == 0 && !ended)
        (void)PetscFinalize();
}

static bool start(void)
{
    PetscBool begun = PETSC_FALSE, ended = PETSC_FALSE;
    if (PetscInitialized(&begun) != 0 || PetscFinalized(&ended) != 0 || ended)
        return false;
    if (!begun) {
        if (PetscOptionsSetValue(NULL, "-skip_petscrc", "true") != 0 ||
            PetscOptionsSetValue(NULL, "-no_signal_handler", "true") != 0 || PetscInitializeNoArguments() != 0)
            return false;
        atexit(finalise);
    }
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
        char name[64] = "-" VV_PETSC_PREFIX;
        PetscBool given = PETSC_FALSE;
        if (PetscStrlcat(name, defaults[i][0], sizeof name) != 0 ||
            PetscOptionsHasName(NULL, NULL, name, &given) != 0 ||
            (!given && PetscOptionsSetValue(NULL, name, defaults[i][1]) != 0))
            return false;
    }
    return true;
}

vvStatus vv_mpi_enter(vvError *error)
{
    pthread_mutex_lock(&lock);
    ready = ready || start();
    if (ready && PetscPushErrorHandler(PetscReturnErrorHandler, NULL) == 0)
        return VV_OK;
    pthread_mutex_unlock(&lock);
    return vv_fail(error, VV_ERROR_UNSUPPORTED,
                   "solver.linear: PETSc cannot be started (is MPI installed as scripts/setup mpi does it?)");
}

void vv_mpi_leave(void)
{
    (void)PetscPopErrorHandler();
    pthread_mutex_unlock(&lock);
}

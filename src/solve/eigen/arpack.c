/* Eigenpairs by ARPACK (Lehoucq, Sorensen and Yang 1998): the Lanczos method, restarted implicitly, through its reverse
 * communication.
 *
 * ARPACK keeps the state of a search in variables of its own, one set for the process; so one search runs at a time,
 * and others wait. One that begins within another, in a host's callback, cannot wait, and goes by subspace iteration.
 * ARPACK draws random numbers only when it runs out of directions: the start is ours, and problems so small that it
 * might are dense ones. */
#if defined(VV_HAVE_ARPACK)

#include "base/error.h"
#include "base/memory.h"
#include "solve/linear/blas_threads.h"
#include "solve/eigen/eigenpairs.h"

#include <arpack.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

enum { SPARE = 20, RESTARTS = 1000 };
static const double TOLERANCE = 1e-12; /* of a value */

typedef struct lanczos {
    int n, count, basis, room;
    double *start, *v, *work, *small, *values, *scratch;
    int *select;
    a_int control[11], place[11], done, info;
} lanczos;

static bool make(lanczos *l, const vv_eigen_problem *p, int count)
{
    size_t n = (size_t)p->n, m;
    *l = (lanczos){ .n = p->n, .count = count, .basis = 2 * count + SPARE };
    if (l->basis > p->n - p->apart)
        l->basis = p->n - p->apart;
    m = (size_t)l->basis;
    l->room = l->basis * (l->basis + 8);
    l->start = vv_alloc(n, sizeof(double)), l->v = vv_alloc(n * m, sizeof(double)),
    l->work = vv_alloc(3 * n, sizeof(double));
    l->small = vv_alloc((size_t)l->room, sizeof(double)), l->values = vv_alloc(m, sizeof(double));
    l->scratch = vv_alloc(n, sizeof(double)), l->select = vv_alloc(m, sizeof(int));
    l->control[0] = 1; /* exact shifts */
    l->control[2] = RESTARTS;
    l->control[6] = 1; /* A x = lambda x */
    l->info = 1;       /* the start is given */
    return l->start && l->v && l->work && l->small && l->values && l->scratch && l->select;
}

static void unmake(lanczos *l)
{
    vv_free(l->start);
    vv_free(l->v);
    vv_free(l->work);
    vv_free(l->small);
    vv_free(l->values);
    vv_free(l->scratch);
    vv_free(l->select);
}

/* Its products of matrices use one thread: the bits do not depend on how many there are. */
static vvStatus iterate(lanczos *l, const vv_eigen_problem *p, vvError *error)
{
    vvStatus status = VV_OK;
    while (status == VV_OK) {
        vv_blas_scope scope = vv_blas_enter(1);
        dsaupd_c(&l->done, "I", l->n, "LA", l->count, TOLERANCE, l->start, l->basis, l->v, l->n, l->control, l->place,
                 l->work, l->small, l->room, &l->info);
        vv_blas_leave(scope);
        if (l->done != 1 && l->done != -1)
            break;
        status = vv_eigen_apply(p, l->work + l->place[0] - 1, l->work + l->place[1] - 1, l->scratch, error);
    }
    return status;
}

static vvStatus extract(lanczos *l, double *values, double *vectors, vvError *error)
{
    int converged = l->control[4];
    if (l->info == 0) {
        vv_blas_scope scope = vv_blas_enter(1);
        dseupd_c(1, "All", l->select, l->values, l->v, l->n, 0, "I", l->n, "LA", l->count, TOLERANCE, l->start,
                 l->basis, l->v, l->n, l->control, l->place, l->work, l->small, l->room, &l->info);
        vv_blas_leave(scope);
    }
    if (l->info != 0 || converged < l->count)
        return vv_fail(error, VV_ERROR_SOLVER, "ARPACK found %d of %d eigenvalues (code %d)", converged, l->count,
                       (int)l->info);
    memcpy(values, l->values, (size_t)l->count * sizeof *values);
    memcpy(vectors, l->v, (size_t)l->count * (size_t)l->n * sizeof *vectors);
    return VV_OK;
}

vvStatus vv_eigenpairs_arpack(const vv_eigen_problem *p, int count, double *values, double *vectors, vvError *error)
{
    lanczos l;
    if (pthread_mutex_lock(&lock) != 0)
        return vv_eigenpairs_subspace(p, count, values, vectors, error);
    vvStatus status = make(&l, p, count) ? VV_OK : vv_fail_memory(error, "eigenvalues");
    if (status == VV_OK) {
        vv_eigen_start(p->n, 7, l.start);
        vv_eigen_take_out(p->n, p->apart, p->vectors, l.start);
        status = iterate(&l, p, error);
        if (status == VV_OK)
            status = extract(&l, values, vectors, error);
    }
    pthread_mutex_unlock(&lock);
    unmake(&l);
    return status;
}

#else
typedef int vv_no_arpack; /* a file may not be empty */
#endif

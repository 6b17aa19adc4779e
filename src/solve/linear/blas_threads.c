/* CHOLMOD 5 opens OpenMP regions of four threads around its own small loops, whatever the machine, and the BLAS threads
 * below them then compete for the cores (2 to 2.5 times slower when the project's targets were set).
 * max_active_levels = 0 makes every region of the calling thread serial (the setting is the thread's own, and is
 * restored); OMP_NUM_THREADS or omp_set_num_threads would not do, as the regions specify their number of threads.
 *
 * OpenBLAS has one number of threads for the whole process, and the bits of its results depend on it. So the
 * threads that are inside at the same time agree on the number: the first sets it, the last restores the host's number,
 * and a thread that needs another number waits. Worlds with one thread each never wait for each other. */
#include "solve/linear/blas_threads.h"

#ifdef _OPENMP
#include <omp.h>
#endif
#if defined(VV_HAVE_OPENBLAS)
#include <pthread.h>

int openblas_get_num_threads(void);
void openblas_set_num_threads(int threads);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t empty = PTHREAD_COND_INITIALIZER;
static int inside, agreed, before;
/* How often the calling thread is inside: a host that is asked within a factor whether to go on may step another world,
 * which would wait for its own thread. It then takes the number that is agreed on. */
static _Thread_local int own;

static void enter_openblas(int threads)
{
    pthread_mutex_lock(&lock);
    while (own == 0 && inside > 0 && agreed != threads)
        pthread_cond_wait(&empty, &lock);
    own++;
    if (inside++ == 0) {
        agreed = threads;
        before = openblas_get_num_threads();
        openblas_set_num_threads(threads);
    }
    pthread_mutex_unlock(&lock);
}

static void leave_openblas(void)
{
    pthread_mutex_lock(&lock);
    own--;
    if (--inside == 0) {
        openblas_set_num_threads(before);
        pthread_cond_broadcast(&empty);
    }
    pthread_mutex_unlock(&lock);
}
#else
static void enter_openblas(int threads) { (void)threads; }
static void leave_openblas(void) {}
#endif

vv_blas_scope vv_blas_enter(int threads)
{
    vv_blas_scope scope = { 0 };
#ifdef _OPENMP
    scope.active_levels = omp_get_max_active_levels();
    omp_set_max_active_levels(0);
#endif
    enter_openblas(threads);
    return scope;
}

void vv_blas_leave(vv_blas_scope scope)
{
    leave_openblas();
#ifdef _OPENMP
    omp_set_max_active_levels(scope.active_levels);
#else
    (void)scope;
#endif
}

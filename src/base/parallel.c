/* Parallel loops: over a world's own pool of threads, else OpenMP's, else serial. */
#include "base/parallel.h"

#include "base/pool.h"

#ifdef _OPENMP
#include <omp.h>
#endif
#include <unistd.h>

int vv_core_count(void)
{
#ifdef _OPENMP
    return omp_get_num_procs();
#else
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int)n : 1;
#endif
}

void vv_for(const vv_parallel *par, int chunks, vv_chunk_fn *fn, void *arg)
{
    int threads = par ? par->threads : 1;
    if (threads > chunks)
        threads = chunks;
    if (threads > 1 && par->pool) {
        vv_pool_run(par->pool, chunks, fn, arg);
        return;
    }
#ifdef _OPENMP
    if (threads > 1) {
#pragma omp parallel num_threads(threads)
        {
            int thread = omp_get_thread_num();
            /* static: neighbouring chunks stay on one core from loop to loop */
#pragma omp for schedule(static)
            for (int c = 0; c < chunks; c++)
                fn(arg, c, thread);
        }
        return;
    }
#endif
    for (int c = 0; c < chunks; c++)
        fn(arg, c, 0);
}

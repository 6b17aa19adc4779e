/* Parallel loops: by the host, else over a world's own pool of threads, else by OpenMP, else serial. */
#include "base/parallel.h"

#include "base/pool.h"

#include <sched.h>
#include <stdint.h>
#include <unistd.h>

int vv_core_count(void)
{
#if defined(CPU_COUNT) && !defined(__EMSCRIPTEN__) /* in a page all cores are its own */
    cpu_set_t allowed; /* a container or taskset may allow fewer cores than the machine has */
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) > 0)
        return CPU_COUNT(&allowed);
#endif
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int)n : 1;
}

/* A few tasks per worker, to balance them; a task is a run of chunks, as a host's task may cost microseconds. */
enum { TASKS_EACH = 4 };

struct host_loop {
    int chunks, tasks;
    vv_chunk_fn *fn;
    void *arg;
};

static void host_task(void *context, int index)
{
    const struct host_loop *l = context;
    int begin = (int)((int64_t)l->chunks * index / l->tasks), end = (int)((int64_t)l->chunks * (index + 1) / l->tasks);
    for (int c = begin; c < end; c++)
        l->fn(l->arg, c);
}

void vv_for(const vv_parallel *par, int chunks, vv_chunk_fn *fn, void *arg)
{
    int threads = par ? par->threads : 1;
    if (threads > chunks)
        threads = chunks;
    if (threads > 1 && par->tasks.run) {
        int most = TASKS_EACH * par->threads;
        struct host_loop loop = { chunks, chunks < most ? chunks : most, fn, arg };
        par->tasks.run(par->tasks.user, loop.tasks, host_task, &loop);
        return;
    }
    if (threads > 1 && par->pool) {
        vv_pool_run(par->pool, chunks, fn, arg);
        return;
    }
#ifdef _OPENMP
    if (threads > 1) {
/* static: neighbouring chunks stay on one core from loop to loop */
#pragma omp parallel for num_threads(threads) schedule(static)
        for (int c = 0; c < chunks; c++)
            fn(arg, c);
        return;
    }
#endif
    for (int c = 0; c < chunks; c++)
        fn(arg, c);
}

/* A pool of helper threads whose loops end when all chunks are done, not when all threads have arrived: on a busy
 * machine a barrier would wait for a thread that is not running, and a step has thousands of loops.
 *
 * Every thread has a range of chunks (so that neighbouring chunks stay in one core's cache from loop to loop), takes
 * them from its front, and then helps the others. A range is one word, {job, next, end}: taking a chunk is a
 * compare-and-swap, which fails for a thread that still has an older job. Helpers spin for a few microseconds, then
 * sleep. */
#include "base/pool.h"

#include "base/memory.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { FIELD = 22, SPINS = 4000, MOST_CHUNKS = 1 << 21 };
static const uint64_t MASK = ((uint64_t)1 << FIELD) - 1;

typedef struct range {
    _Alignas(64) atomic_uint_fast64_t word; /* job << 44 | next << 22 | end */
} range;

struct vv_pool {
    int threads, helpers;
    range *ranges;
    vv_chunk_fn *fn;
    void *arg;
    _Alignas(64) atomic_uint_fast64_t job;
    _Alignas(64) atomic_int done;
    _Alignas(64) atomic_int sleepers;
    atomic_bool stop;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    struct helper {
        struct vv_pool *pool;
        int index;
        pthread_t thread;
    } * helper;
};

static inline void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Takes chunks of one range as long as it belongs to `job`. */
static void work_on(struct vv_pool *pool, range *r, uint64_t job)
{
    uint64_t word = atomic_load_explicit(&r->word, memory_order_acquire);
    for (;;) {
        uint64_t next = word >> FIELD & MASK, end = word & MASK;
        if (word >> (2 * FIELD) != (job & (MASK >> 2)) || next >= end)
            return;
        uint64_t taken = word + ((uint64_t)1 << FIELD);
        if (!atomic_compare_exchange_weak_explicit(&r->word, &word, taken, memory_order_acq_rel, memory_order_acquire))
            continue;
        /* the job cannot end before this chunk is done, so fn and arg cannot change */
        pool->fn(pool->arg, (int)next);
        atomic_fetch_add_explicit(&pool->done, 1, memory_order_release);
        word = atomic_load_explicit(&r->word, memory_order_acquire);
    }
}

static void work(struct vv_pool *pool, uint64_t job, int thread)
{
    for (int k = 0; k < pool->threads; k++)
        work_on(pool, &pool->ranges[(thread + k) % pool->threads], job);
}

static void sleep_until_changed(struct vv_pool *pool, uint64_t seen)
{
    pthread_mutex_lock(&pool->mutex);
    atomic_fetch_add(&pool->sleepers, 1);
    while (atomic_load(&pool->job) == seen && !atomic_load(&pool->stop))
        pthread_cond_wait(&pool->wake, &pool->mutex);
    atomic_fetch_sub(&pool->sleepers, 1);
    pthread_mutex_unlock(&pool->mutex);
}

static void *help(void *arg)
{
    struct helper *self = arg;
    struct vv_pool *pool = self->pool;
    uint64_t seen = 0;
    while (!atomic_load_explicit(&pool->stop, memory_order_acquire)) {
        uint64_t job = atomic_load_explicit(&pool->job, memory_order_acquire);
        for (int spin = 0; job == seen && spin < SPINS; spin++) {
            pause_briefly();
            job = atomic_load_explicit(&pool->job, memory_order_acquire);
        }
        if (job == seen) {
            sleep_until_changed(pool, seen);
            continue;
        }
        seen = job;
        work(pool, job, self->index);
    }
    return NULL;
}

static void wake_all(struct vv_pool *pool)
{
    pthread_mutex_lock(&pool->mutex);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
}

void vv_pool_run(struct vv_pool *pool, int chunks, vv_chunk_fn *fn, void *arg)
{
    if (chunks <= 1 || chunks > MOST_CHUNKS) {
        for (int c = 0; c < chunks; c++)
            fn(arg, c);
        return;
    }
    uint64_t job = atomic_load_explicit(&pool->job, memory_order_relaxed) + 1;
    pool->fn = fn;
    pool->arg = arg;
    atomic_store_explicit(&pool->done, 0, memory_order_relaxed);
    for (int t = 0; t < pool->threads; t++) {
        uint64_t begin = (uint64_t)chunks * (uint64_t)t / (uint64_t)pool->threads;
        uint64_t end = (uint64_t)chunks * ((uint64_t)t + 1) / (uint64_t)pool->threads;
        atomic_store_explicit(&pool->ranges[t].word, (job & (MASK >> 2)) << (2 * FIELD) | begin << FIELD | end,
                              memory_order_release);
    }
    atomic_store(&pool->job, job);
    if (atomic_load(&pool->sleepers) > 0)
        wake_all(pool);
    work(pool, job, 0);
    for (int spin = 0; atomic_load_explicit(&pool->done, memory_order_acquire) < chunks; spin++) {
        if (spin < SPINS)
            pause_briefly();
        else
            sched_yield(); /* the helper with the last chunk is not running: perhaps it waits for this core */
    }
}

bool vv_pool_create(int threads, struct vv_pool **out)
{
    *out = NULL;
    if (threads < 2)
        return true;
    struct vv_pool *pool = vv_alloc(1, sizeof *pool);
    range *ranges = vv_alloc((size_t)threads, sizeof *ranges);
    struct helper *helper = vv_alloc((size_t)threads, sizeof *helper);
    if (!pool || !ranges || !helper) {
        vv_free(pool);
        vv_free(ranges);
        vv_free(helper);
        return false;
    }
    pool->ranges = ranges;
    pool->helper = helper;
    pool->threads = threads;
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->wake, NULL);
    for (int t = 1; t < threads; t++) {
        helper[t] = (struct helper){ .pool = pool, .index = t };
        if (pthread_create(&helper[t].thread, NULL, help, &helper[t]) != 0)
            break;
        pool->helpers++;
    }
    if (pool->helpers == 0) {
        vv_pool_destroy(pool);
        return true;
    }
    *out = pool;
    return true;
}

bool vv_parallel_start(vv_parallel *par, int threads)
{
    if (!vv_pool_create(threads, &par->pool))
        return false;
    par->threads = par->pool ? threads : 1;
    return true;
}

void vv_pool_destroy(struct vv_pool *pool)
{
    if (!pool)
        return;
    atomic_store(&pool->stop, true);
    wake_all(pool);
    for (int t = 1; t <= pool->helpers; t++)
        pthread_join(pool->helper[t].thread, NULL);
    pthread_mutex_destroy(&pool->mutex);
    pthread_cond_destroy(&pool->wake);
    vv_free(pool->ranges);
    vv_free(pool->helper);
    vv_free(pool);
}

/* The pool of threads under the parallel loops: every chunk once, whatever the sizes, the load, the
 * number of jobs. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

#include "base/memory.h"
#include "base/parallel.h"

enum { MOST = 3000 };

static vv_parallel make(int threads)
{
    vv_parallel par = { .threads = threads };
    assert_true(vv_pool_create(threads, &par.pool));
    return par;
}

typedef struct loop {
    int64_t number;     /* which loop this is: a late thread would write an older one's */
    int64_t seen[MOST]; /* the loop that a chunk was last done in */
    int visits[MOST];
    bool uneven;
} loop;

static void visit(void *arg, int chunk)
{
    loop *l = arg;
    if (l->uneven && chunk % 7 == 0)
        sched_yield(); /* chunks take unequal times, so that threads help each other */
    l->seen[chunk] = l->number;
    l->visits[chunk]++;
}

/* Runs `loops` loops of changing sizes; what the last one left must be complete when vv_for returns. */
static int run_loops(loop *l, const vv_parallel *par, int loops)
{
    uint32_t random = 12345;
    int bad = 0;
    for (int k = 0; k < loops; k++) {
        random = random * 1664525u + 1013904223u;
        int chunks = (int)((random >> 16) % (k % 10 == 0 ? MOST : 40));
        l->number++;
        for (int c = 0; c < chunks; c++)
            l->visits[c] = 0;
        vv_for(par, chunks, visit, l);
        for (int c = 0; c < chunks; c++)
            bad += l->visits[c] != 1 || l->seen[c] != l->number;
    }
    return bad;
}

static void every_chunk_once_in_every_loop(void **state)
{
    (void)state;
    for (int threads = 2; threads <= 16; threads = threads * 2 - (threads == 2)) {
        vv_parallel par = make(threads);
        loop *l = vv_alloc(1, sizeof *l);
        assert_non_null(par.pool);
        assert_non_null(l);
        assert_int_equal(run_loops(l, &par, 500), 0);
        l->uneven = true;
        assert_int_equal(run_loops(l, &par, 500), 0);
        vv_pool_destroy(par.pool);
        vv_free(l);
    }
}

static void one_thread_needs_no_pool(void **state)
{
    (void)state;
    assert_null(make(1).pool);
    assert_null(make(0).pool);
    vv_pool_destroy(NULL);
}

/* The number of a job is kept in 20 bits of a range: go round. */
static void add(void *arg, int chunk) { ((int64_t *)arg)[8 * chunk]++; }
static void the_job_number_may_go_round(void **state)
{
    (void)state;
    enum { LOOPS = (1 << 20) + 1000 };
    vv_parallel par = make(2);
    int64_t count[16] = { 0 };
    assert_non_null(par.pool);
    for (int k = 0; k < LOOPS; k++)
        vv_for(&par, 2, add, count);
    assert_int_equal(count[0], LOOPS);
    assert_int_equal(count[8], LOOPS);
    vv_pool_destroy(par.pool);
}

/* Pools of several worlds at once, each with its caller; created and destroyed all the time. */
static void *host(void *arg)
{
    intptr_t bad = 0;
    loop *l = vv_alloc(1, sizeof *l);
    for (int k = 0; k < 20; k++) {
        int threads = 2 + k % 3;
        vv_parallel par = make(threads);
        bad += run_loops(l, &par, 20);
        vv_pool_destroy(par.pool);
    }
    vv_free(l);
    *(intptr_t *)arg = bad;
    return NULL;
}
static void pools_do_not_meet(void **state)
{
    (void)state;
    pthread_t thread[4];
    intptr_t bad[4] = { 1, 1, 1, 1 };
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, host, &bad[i]), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(bad[i], 0);
    }
}

/* ---- a host's loops in place of the pool's ---- */

typedef struct host_tasks {
    int calls, most;
} host_tasks;

static void count_call(host_tasks *h, int count)
{
    h->calls++;
    h->most = count > h->most ? count : h->most;
}

static void forwards(void *user, int count, void (*task)(void *context, int index), void *context)
{
    count_call(user, count);
    for (int i = 0; i < count; i++)
        task(context, i);
}

static void backwards(void *user, int count, void (*task)(void *context, int index), void *context)
{
    count_call(user, count);
    for (int i = count - 1; i >= 0; i--)
        task(context, i);
}

typedef struct one_task {
    void (*task)(void *context, int index);
    void *context;
    int index;
} one_task;
static void *run_one(void *arg)
{
    const one_task *t = arg;
    t->task(t->context, t->index);
    return NULL;
}
static void a_thread_each(void *user, int count, void (*task)(void *context, int index), void *context)
{
    pthread_t thread[64];
    one_task one[64];
    count_call(user, count);
    assert_true(count <= 64);
    for (int i = 0; i < count; i++) {
        one[i] = (one_task){ task, context, i };
        assert_int_equal(pthread_create(&thread[i], NULL, run_one, &one[i]), 0);
    }
    for (int i = 0; i < count; i++)
        pthread_join(thread[i], NULL);
}

static void a_host_runs_the_chunks(void **state)
{
    (void)state;
    static loop l;
    void (*const runs[])(void *, int, void (*)(void *, int), void *) = { forwards, backwards, a_thread_each };
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++)
        for (int workers = 1; workers <= 8; workers += 7) {
            host_tasks h = { 0 };
            vv_parallel par = { .threads = workers, .tasks = { workers, runs[k], &h } };
            assert_int_equal(run_loops(&l, &par, 50), 0);
            assert_int_equal(h.calls > 0, workers > 1); /* one worker: nothing to hand over */
            assert_true(h.most <= 4 * workers);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_chunk_once_in_every_loop), cmocka_unit_test(one_thread_needs_no_pool),
        cmocka_unit_test(the_job_number_may_go_round),    cmocka_unit_test(pools_do_not_meet),
        cmocka_unit_test(a_host_runs_the_chunks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* layer: base. The pool of threads under the parallel loops: every chunk once, whatever the sizes, the load, the number of jobs. */
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

typedef struct loop {
    int64_t number;      /* which loop this is: a late thread would write an older one's */
    int64_t seen[MOST];  /* the loop that a chunk was last done in */
    int visits[MOST];
    int threads, out_of_range;
    bool uneven;
} loop;

static void visit(void *arg, int chunk, int thread)
{
    loop *l = arg;
    if (l->uneven && chunk % 7 == 0)
        sched_yield(); /* chunks take unequal times, so that threads help each other */
    l->seen[chunk] = l->number;
    l->visits[chunk]++;
    if (thread < 0 || thread >= l->threads)
        l->out_of_range = 1;
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
    return bad + l->out_of_range;
}

static void every_chunk_once_in_every_loop(void **state)
{
    (void)state;
    for (int threads = 2; threads <= 16; threads = threads * 2 - (threads == 2)) {
        vv_parallel par = { threads, vv_pool_create(threads) };
        loop *l = vv_alloc(1, sizeof *l);
        assert_non_null(par.pool);
        assert_non_null(l);
        l->threads = threads;
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
    assert_null(vv_pool_create(1));
    assert_null(vv_pool_create(0));
    vv_pool_destroy(NULL);
}

/* The number of a job is kept in 20 bits of a range: go round. */
static void add(void *arg, int chunk, int thread)
{
    (void)thread;
    ((int64_t *)arg)[8 * chunk]++;
}
static void the_job_number_may_go_round(void **state)
{
    (void)state;
    enum { LOOPS = (1 << 20) + 1000 };
    vv_parallel par = { 2, vv_pool_create(2) };
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
        vv_parallel par = { threads, vv_pool_create(threads) };
        l->threads = threads;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_chunk_once_in_every_loop),
        cmocka_unit_test(one_thread_needs_no_pool),
        cmocka_unit_test(the_job_number_may_go_round),
        cmocka_unit_test(pools_do_not_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

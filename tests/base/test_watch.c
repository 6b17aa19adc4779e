/* The campaign's children have hung by their own processor time: not by the hours that they wait for a turn. */
#define _POSIX_C_SOURCE 200809L
#include "../../experiments/campaign/watch.c"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const double WORK = 0.05; /* s of processor time, all of them the child's own */

static double own(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static pid_t child; /* of the test that runs; 0: none */

static void work(void)
{
    for (const double until = own() + WORK; own() < until;)
        ;
}

/* Works, stops itself, and so on. */
static void start(watch *w)
{
    child = fork();
    assert_true(child >= 0);
    while (child == 0) {
        work();
        raise(SIGSTOP);
    }
    watch_begin(w, child, 0);
}

static void wait_for_stop(const watch *w)
{
    int status;
    assert_int_equal(waitpid(w->child, &status, WUNTRACED), w->child);
    assert_true(WIFSTOPPED(status));
}

/* A test that fails leaves none behind, either. */
static int finish(void **state)
{
    (void)state;
    if (child > 0) {
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    child = 0;
    return 0;
}

static void test_waiting_is_no_work(void **state)
{
    (void)state;
    watch w;
    start(&w);
    wait_for_stop(&w);
    assert_false(watch_hung(&w, 1e6, 1e3, 10)); /* it has worked since, however late it is */
    assert_true(watch_hung(&w, 1e6, 0.9 * WORK, 10));
    assert_false(watch_hung(&w, 1e6 + 9, 1e3, 10));
    assert_true(watch_hung(&w, 1e6 + 11, 1e3, 10)); /* and not any more */
}

static void test_each_task_counts_by_itself(void **state)
{
    (void)state;
    watch w;
    start(&w);
    wait_for_stop(&w);
    watch_begin(&w, w.child, 100);
    work(); /* time goes by, and is not its own */
    assert_false(watch_hung(&w, 105, 0.9 * WORK, 10));
    kill(w.child, SIGCONT);
    wait_for_stop(&w);
    assert_true(watch_hung(&w, 105, 0.9 * WORK, 10));
    assert_false(watch_hung(&w, 114, 1e3, 10));
}

static void test_one_that_has_gone(void **state)
{
    watch w;
    start(&w);
    wait_for_stop(&w);
    finish(state);
    assert_false(watch_hung(&w, 1e6, 0, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_waiting_is_no_work, finish),
        cmocka_unit_test_teardown(test_each_task_counts_by_itself, finish),
        cmocka_unit_test_teardown(test_one_that_has_gone, finish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

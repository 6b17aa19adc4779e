/* The host's wish that a call ends: whose it is, how long it lasts, and which of the calls within each other it ends.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/error.h"
#include "base/stop.h"
#include "visviva/host.h"

typedef struct host {
    int asked, at; /* at: which asking is answered with yes */
} host;

static bool answer(void *user)
{
    host *h = user;
    return ++h->asked == h->at;
}

/* A call that asks so many times, says whether it was ended, and returns what it was told to. */
static vvStatus call(int times, vvStatus otherwise)
{
    for (int i = 0; i < times; i++)
        if (vv_stopped())
            return otherwise ? otherwise : VV_CANCELLED;
    return VV_OK;
}
static vvStatus stoppable(int times, vvStatus otherwise) { VV_STOPPABLE(call(times, otherwise)); }

static void without_a_call_nobody_is_asked(void **state)
{
    (void)state;
    host h = { .at = 1 };
    vvSetThreadCancel(answer, &h);
    assert_false(vv_stopped());
    assert_int_equal(h.asked, 0);
    vvSetThreadCancel(NULL, NULL);
    assert_int_equal(stoppable(3, VV_OK), VV_OK);
}

static void a_wish_ends_with_its_call(void **state)
{
    (void)state;
    host h = { .at = 2 };
    vvSetThreadCancel(answer, &h);
    assert_int_equal(stoppable(5, VV_ERROR_INPUT), VV_ERROR_INPUT); /* something else was wrong, too */
    assert_int_equal(h.asked, 2);
    assert_int_equal(stoppable(5, VV_OK), VV_OK);
    assert_int_equal(h.asked, 7);
    vvSetThreadCancel(NULL, NULL);
}

static vvStatus parts(int *ended)
{
    *ended += stoppable(2, VV_OK) == VV_CANCELLED;
    *ended += stoppable(2, VV_OK) == VV_CANCELLED;
    return vv_stop_known() ? VV_CANCELLED : VV_OK;
}
static vvStatus whole(int *ended) { VV_STOPPABLE(parts(ended)); }

static void what_a_call_is_made_of_ends_with_it(void **state)
{
    (void)state;
    int ended = 0;
    host h = { .at = 1 };
    vvSetThreadCancel(answer, &h);
    assert_int_equal(whole(&ended), VV_CANCELLED);
    assert_int_equal(ended, 2);
    assert_int_equal(h.asked, 1);
    assert_int_equal(whole(&ended), VV_OK);
    vvSetThreadCancel(NULL, NULL);
}

/* A callback that works with a function of its own. */
static vvStatus with_callback(host *outer, host *inner, bool restore)
{
    vvSetThreadCancel(answer, inner);
    assert_int_equal(stoppable(3, VV_OK), VV_CANCELLED);
    if (restore)
        vvSetThreadCancel(answer, outer);
    return call(3, VV_OK);
}
static vvStatus calling(host *outer, host *inner, bool restore) { VV_STOPPABLE(with_callback(outer, inner, restore)); }

static void a_callbacks_function_is_for_its_calls(void **state)
{
    (void)state;
    for (int restore = 0; restore < 2; restore++) {
        host outer = { 0 }, inner = { .at = 1 };
        vvSetThreadCancel(answer, &outer);
        assert_int_equal(calling(&outer, &inner, restore), VV_OK);
        assert_int_equal(inner.asked, 1);
        assert_int_equal(outer.asked, restore ? 3 : 0);
    }
    host outer = { .at = 2 }, inner = { .at = 1 };
    vvSetThreadCancel(answer, &outer);
    assert_int_equal(calling(&outer, &inner, true), VV_CANCELLED);
    vvSetThreadCancel(NULL, NULL);
}

static void flags_stay_until_a_call_ends_by_them(void **state)
{
    (void)state;
    vv_stop stop = { 0 };
    atomic_store(&stop.flag, true);
    for (int k = 0; k < 2; k++) {
        vv_stop_enter(&stop);
        assert_true(vv_stopped());
        assert_int_equal(vv_stop_leave(&stop, k ? VV_CANCELLED : VV_ERROR_INPUT), k ? VV_CANCELLED : VV_ERROR_INPUT);
    }
    vv_stop_enter(&stop);
    assert_false(vv_stopped());
    vv_stop_leave(&stop, VV_OK);
}

static void what_comes_too_late_is_for_the_next(void **state)
{
    (void)state;
    host h = { .at = 1 };
    vv_stop stop = { .world = { answer, &h } };
    vv_stop_enter(&stop);
    assert_true(vv_stopped());
    vv_stop_defer(&stop);
    vv_stop_leave(&stop, VV_OK);
    vv_stop_enter(&stop);
    vvError error;
    assert_true(vv_stopped());
    assert_int_equal(vv_fail_memory(&error, "it"), VV_CANCELLED);
    vv_stop_leave(&stop, VV_CANCELLED);
    vv_stop_enter(&stop);
    assert_false(vv_stopped());
    assert_int_equal(vv_fail_memory(&error, "it"), VV_ERROR_MEMORY);
    vv_stop_leave(&stop, VV_ERROR_MEMORY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_call_nobody_is_asked),       cmocka_unit_test(a_wish_ends_with_its_call),
        cmocka_unit_test(what_a_call_is_made_of_ends_with_it),  cmocka_unit_test(a_callbacks_function_is_for_its_calls),
        cmocka_unit_test(flags_stay_until_a_call_ends_by_them), cmocka_unit_test(what_comes_too_late_is_for_the_next),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

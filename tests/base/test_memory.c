/* A host's allocator: every block goes back where it came from, and one that cannot be had is
 * no crash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef struct pool {
    int live, made;
    size_t bytes;
    size_t shift; /* from the alignment that is asked for */
    bool empty;
} pool;

static void *take(void *user, size_t bytes, size_t alignment)
{
    pool *p = user;
    assert_true(alignment > 0 && alignment <= 64 && (alignment & (alignment - 1)) == 0);
    if (p->empty)
        return NULL;
    char *block = aligned_alloc(64, (bytes + 127) / 64 * 64);
    assert_non_null(block);
    memset(block, 0xa5, bytes);
    p->live++, p->made++;
    p->bytes += bytes;
    return block + p->shift;
}

static void give(void *user, void *block, size_t bytes)
{
    pool *p = user;
    p->live--;
    assert_true(p->bytes >= bytes);
    p->bytes -= bytes;
    free((char *)block - p->shift);
}

static vvAllocator of(pool *p) { return (vvAllocator){ take, give, p }; }

static void blocks_go_back_to_their_maker(void **state)
{
    (void)state;
    pool a = { 0 }, b = { 0 };
    vvAllocator in_a = of(&a), in_b = of(&b);
    assert_int_equal(vvSetThreadAllocator(&in_a, NULL), VV_OK);
    char *first = vv_alloc(100, 1);
    int *array = NULL;
    size_t capacity = 0;
    assert_true(vv_grow((void **)&array, &capacity, 10, sizeof *array));
    array[9] = 7;
    assert_int_equal(a.live, 2);
    assert_int_equal((uintptr_t)first % 64, 0);
    for (int i = 0; i < 100; i++)
        assert_int_equal(first[i], 0);

    assert_int_equal(vvSetThreadAllocator(&in_b, NULL), VV_OK);
    assert_true(vv_grow((void **)&array, &capacity, 1000, sizeof *array)); /* moves from a to b */
    assert_int_equal(array[9], 7);
    assert_int_equal(a.live, 1);
    assert_int_equal(b.live, 1);
    assert_int_equal(vvSetThreadAllocator(NULL, NULL), VV_OK);
    char *plain = vv_strdup("plain");
    vv_free(first);
    vv_free(array);
    vv_free(plain);
    vv_free(NULL);
    assert_int_equal(a.live, 0);
    assert_int_equal(b.live, 0);
    assert_int_equal(a.bytes + b.bytes, 0);
    assert_int_equal(b.made, 1);
}

static void *in_another_thread(void *block)
{
    vv_free(block);
    return vv_alloc(1, 1);
}

static void the_setting_is_the_threads_own(void **state)
{
    (void)state;
    pool a = { 0 };
    vvAllocator in_a = of(&a);
    vvAllocator before = vv_memory_use(in_a);
    pthread_t thread;
    void *theirs;
    assert_int_equal(pthread_create(&thread, NULL, in_another_thread, vv_alloc(1, 1)), 0);
    pthread_join(thread, &theirs);
    assert_int_equal(a.made, 1);
    assert_int_equal(a.live, 0);
    assert_ptr_equal(vv_memory_use(before).user, &a);
    assert_null(vv_memory_in_use().allocate);
    vv_free(theirs);
}

static void no_memory_is_null(void **state)
{
    (void)state;
    pool none = { .empty = true }, crooked = { .shift = 32 };
    vvAllocator before = vv_memory_use(of(&none));
    vv_arena arena = { 0 };
    assert_null(vv_alloc(1, 1));
    assert_null(vv_strdup("x"));
    assert_null(vv_arena_push(&arena, 1, 1));
    int *array = NULL;
    size_t capacity = 0;
    assert_false(vv_grow((void **)&array, &capacity, 1, sizeof *array));
    assert_int_equal(capacity, 0);
    vv_memory_use(of(&crooked)); /* not aligned: refused, and given back */
    assert_null(vv_alloc(1, 1));
    assert_int_equal(crooked.made, 1);
    assert_int_equal(crooked.live, 0);
    vv_memory_use(before);
    assert_null(vv_alloc(SIZE_MAX / 8, 8));
    assert_null(vv_alloc(SIZE_MAX, 1));
}

static void half_an_allocator_is_refused(void **state)
{
    (void)state;
    pool a = { 0 };
    vvAllocator no_release = { .allocate = take, .user = &a }, no_allocate = { .release = give, .user = &a };
    vvError error;
    assert_int_equal(vvSetThreadAllocator(&no_release, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "no release function"));
    assert_int_equal(vvSetThreadAllocator(&no_allocate, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "no allocate function"));
    assert_null(vv_memory_in_use().user);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_go_back_to_their_maker),
        cmocka_unit_test(the_setting_is_the_threads_own),
        cmocka_unit_test(no_memory_is_null),
        cmocka_unit_test(half_an_allocator_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

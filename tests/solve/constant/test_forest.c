/* Factors of matrices that fall apart into blocks: solutions as of one factor of the whole; what a store keeps is what
 * would be made, to the bit; what is new is made, and nothing else; threads; memory that runs short. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "scalar_matrix.h"
#include "short_memory.h"
#include "solve/constant/forest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 8192 }; /* more than any matrix here has */

static scalar_matrix box(int x, int y, int z, double weight)
{
    scalar_matrix a = { 0 };
    scalar_box(&a, (int[3]){ x, y, z }, 1, 1, weight);
    return a;
}

/* Matrices one after the other, joined by nothing. */
static scalar_matrix side_by_side(const scalar_matrix *list, int count)
{
    scalar_matrix a = { 0 };
    int first = 0;
    for (int k = 0; k < count; first += list[k++].n)
        for (int j = 0; j < list[k].n; j++)
            for (int at = list[k].start[j]; at < list[k].start[j + 1]; at++)
                scalar_add(&a, first + j, first + list[k].row[at], list[k].value[at]);
    a.n = first;
    scalar_finish(&a);
    return a;
}

static vvStatus factor(vv_forest *f, const scalar_matrix *a, const vv_parallel *par, vv_forest_store *store)
{
    vvError error;
    return vv_forest_factor(f, a->n, a->start, a->row, a->value, par, true, NULL, store, &error);
}

static void make(vv_forest *f, const scalar_matrix *a, const vv_parallel *par, vv_forest_store *store)
{
    vvStatus status = factor(f, a, par, store);
    if (status == VV_ERROR_UNSUPPORTED)
        skip();
    assert_int_equal(status, VV_OK);
}

static void fill(double *x, int n)
{
    uint64_t seed = 5;
    for (int i = 0; i < 3 * n; i++)
        x[i] = grid_random(&seed);
}

/* b = A x */
static void multiply(const scalar_matrix *a, const double *x, double *b)
{
    memset(b, 0, 3 * (size_t)a->n * sizeof *b);
    for (int j = 0; j < a->n; j++)
        for (int at = a->start[j]; at < a->start[j + 1]; at++)
            for (int c = 0; c < 3; c++) {
                b[3 * a->row[at] + c] += a->value[at] * x[3 * j + c];
                if (a->row[at] != j)
                    b[3 * j + c] += a->value[at] * x[3 * a->row[at] + c];
            }
}

static void check_solves(const vv_forest *f, const scalar_matrix *a)
{
    static double x[3 * ROWS], b[3 * ROWS];
    double off = 0, most = 0;
    fill(x, a->n);
    multiply(a, x, b);
    vv_forest_solve(f, b, b);
    for (int i = 0; i < 3 * a->n; i++)
        off = fmax(off, fabs(b[i] - x[i])), most = fmax(most, fabs(x[i]));
    assert_true(off < 1e-4 * most);
}

/* The bits of a solve are those of a forest that knew no store. */
static void check_bits(const vv_forest *f, const scalar_matrix *a)
{
    static double x[3 * ROWS], y[3 * ROWS];
    vv_forest fresh = { 0 };
    const vv_parallel one = { .threads = 1 };
    make(&fresh, a, &one, NULL);
    fill(x, a->n);
    memcpy(y, x, sizeof y);
    vv_forest_solve(f, x, x);
    vv_forest_solve(&fresh, y, y);
    assert_memory_equal(x, y, 3 * (size_t)a->n * sizeof *x);
    vv_forest_give(&fresh, NULL);
}

static void test_blocks(void **state)
{
    (void)state;
    const vv_parallel one = { .threads = 1 };
    scalar_matrix part[] = { box(5, 4, 3, 1), box(1, 1, 1, 1), box(6, 6, 6, 50), box(1, 1, 1, 2) };
    scalar_matrix a = side_by_side(part, 4);
    vv_forest f = { 0 };
    make(&f, &a, &one, NULL);
    assert_true(f.count >= 2 && f.count <= 4); /* the smallest ones go with others */
    assert_int_equal(f.made, (int)f.count);
    check_solves(&f, &a);
    vv_forest_give(&f, NULL);
    make(&f, part, &one, NULL);
    assert_int_equal(f.count, 1);
    check_solves(&f, part);
    vv_forest_give(&f, NULL);
    for (int k = 0; k < 4; k++)
        scalar_free(part + k);
    scalar_free(&a);
}

/* A body comes, one goes, one becomes stiffer. */
static void test_store(void **state)
{
    (void)state;
    const vv_parallel one = { .threads = 1 };
    scalar_matrix ball = box(4, 4, 4, 1), crate = box(5, 5, 5, 1), wall = box(9, 6, 2, 3), soft = box(5, 5, 5, 0.1);
    scalar_matrix before = side_by_side((scalar_matrix[]){ ball, crate, wall }, 3),
                  more = side_by_side((scalar_matrix[]){ ball, soft, crate, wall }, 4),
                  less = side_by_side((scalar_matrix[]){ wall, crate }, 2),
                  other = side_by_side((scalar_matrix[]){ wall, soft }, 2);
    vv_forest_store store = { 0 };
    vv_forest f = { 0 };
    make(&f, &before, &one, &store);
    assert_int_equal(f.made, 3);
    make(&f, &before, &one, &store);
    assert_int_equal(f.made, 0);
    vv_forest_give(&f, &store);
    assert_int_equal(store.count, 3);
    make(&f, &more, &one, &store);
    assert_int_equal(f.made, 1);
    check_solves(&f, &more);
    check_bits(&f, &more);
    vv_forest_give(&f, &store);
    make(&f, &less, &one, &store);
    assert_int_equal(f.made, 0);
    check_bits(&f, &less);
    vv_forest_give(&f, &store);
    make(&f, &other, &one, &store); /* that of the soft one, not the crate's of the same pattern */
    assert_int_equal(f.made, 0);
    check_bits(&f, &other);
    for (int j = 0; j < other.n; j++)
        other.value[other.start[j]] *= 2;
    make(&f, &other, &one, &store);
    assert_int_equal(f.made, 2);
    check_solves(&f, &other);
    check_bits(&f, &other);
    vv_forest_give(&f, &store);
    vv_forest_store_free(&store);
    scalar_matrix *all[] = { &ball, &crate, &wall, &soft, &before, &more, &less, &other };
    for (int k = 0; k < 8; k++)
        scalar_free(all[k]);
}

/* What is kept has a bound, and is never the order of two. */
static void test_bound(void **state)
{
    (void)state;
    const vv_parallel one = { .threads = 1 };
    vv_forest_store store = { 0 };
    scalar_matrix a = box(3, 3, 3, 1);
    for (int k = 0; k < 200; k++) {
        vv_forest f = { 0 };
        a.value[0] *= 1.01;
        vv_forest_store none = { 0 };
        make(&f, &a, &one, &none);
        vv_forest_give(&f, &store);
        assert_true(store.count <= 64);
    }
    vv_forest_store_free(&store);
    vv_forest first = { 0 }, second = { 0 };
    make(&first, &a, &one, NULL);
    vvError error;
    assert_int_equal(vv_forest_factor(&second, a.n, a.start, a.row, a.value, &one, true, &first, NULL, &error), VV_OK);
    check_bits(&second, &a);
    vv_forest_give(&first, &store);
    assert_int_equal(store.count, 0);
    vv_forest_give(&second, &store);
    assert_int_equal(store.count, 1);
    vv_forest_store_free(&store);
    scalar_free(&a);
}

static void test_threads(void **state)
{
    (void)state;
    scalar_matrix part[] = { box(8, 8, 8, 1), box(7, 7, 7, 2), box(6, 9, 7, 1), box(4, 4, 4, 9) };
    scalar_matrix a = side_by_side(part, 4);
    for (int threads = 1; threads <= 4; threads++) {
        vv_parallel par = { .threads = threads };
        vv_forest f = { 0 };
        assert_true(vv_pool_create(threads, &par.pool));
        make(&f, &a, &par, NULL);
        check_bits(&f, &a);
        vv_forest_give(&f, NULL);
        vv_pool_destroy(par.pool);
    }
    for (int k = 0; k < 4; k++)
        scalar_free(part + k);
    scalar_free(&a);
}

static void test_short_memory(void **state)
{
    (void)state;
    const vv_parallel one = { .threads = 1 };
    scalar_matrix part[] = { box(4, 4, 4, 1), box(5, 5, 5, 1) };
    scalar_matrix a = side_by_side(part, 2);
    int failed = 0;
    for (bool done = false; !done;) {
        budget b = { .left = failed };
        vv_forest_store store = { 0 };
        vv_forest f = { 0 };
        vvAllocator usual = vv_memory_use(budget_allocator(&b));
        vvStatus status = factor(&f, part, &one, &store);
        vv_forest_give(&f, &store);
        if (status == VV_OK)
            status = factor(&f, &a, &one, &store);
        if (status == VV_ERROR_MEMORY) { /* and then there is enough */
            b.left = 100000;
            assert_int_equal(factor(&f, f.count == 1 ? part : &a, &one, &store), VV_OK);
        }
        done = status == VV_OK;
        failed += !done;
        vv_memory_use(usual);
        if (status == VV_ERROR_UNSUPPORTED)
            skip();
        check_solves(&f, f.count == 1 ? part : &a);
        vv_memory_use(budget_allocator(&b));
        vv_forest_give(&f, &store);
        vv_forest_store_free(&store);
        vv_memory_use(usual);
        assert_int_equal(b.live, 0);
    }
    assert_true(failed > 10);
    scalar_free(part), scalar_free(part + 1), scalar_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),  cmocka_unit_test(test_store),        cmocka_unit_test(test_bound),
        cmocka_unit_test(test_threads), cmocka_unit_test(test_short_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

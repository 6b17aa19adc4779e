/* Solves with three right-hand sides at once: against a known solution on matrices of many shapes; what is refused;
 * the same bits for any number of threads and every instruction set; two factors of one pattern; memory that runs
 * short. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/simd/cpu.h"
#include "base/memory.h"
#include "scalar_matrix.h"
#include "short_memory.h"
#include "size.h"
#include "solve/constant/triple.h"

#include <math.h>
#include <stdlib.h>

static vv_triple *make(const scalar_matrix *a, const vv_parallel *par, bool single)
{
    vv_triple *t;
    vvError error;
    vvStatus status = vv_triple_create(a->n, a->start, a->row, par, single, &t, &error);
    if (status == VV_ERROR_UNSUPPORTED) {
        assert_null(t);
        assert_non_null(strstr(error.message, "CHOLMOD"));
        skip();
    }
    assert_int_equal(status, VV_OK);
    assert_false(vv_triple_ready(t));
    return t;
}

static double *numbers(int n, uint64_t seed)
{
    double *x = scalar_alloc(3 * (size_t)n * sizeof *x);
    for (int k = 0; k < 3 * n; k++)
        x[k] = grid_random(&seed);
    return x;
}

/* The largest difference from a known solution, each unknown in its own unit, A_ii^-1/2. Solved in place. `a`: lower
 * triangle. */
static double off(const vv_triple *t, const scalar_matrix *a)
{
    double *known = numbers(a->n, 7), *b = numbers(a->n, 8), worst = 0;
    for (int i = 0; i < a->n; i++)
        for (int c = 0; c < 3; c++)
            known[3 * i + c] /= sqrt(a->value[a->start[i]]);
    scalar_multiply(a, known, b);
    vv_triple_solve(t, b, b);
    for (int k = 0; k < 3 * a->n; k++)
        worst = fmax(worst, isfinite(b[k]) ? fabs(b[k] - known[k]) * sqrt(a->value[a->start[k / 3]]) : 1e300);
    free(known);
    free(b);
    return worst;
}

/* One pattern: each pair of nodes that `joined` says, weights at random, diagonally dominant. Two nodes are scaled:
 * units must not matter. */
static scalar_matrix from_rule(int n, bool (*joined)(int i, int j, int n, uint64_t *seed), uint64_t seed)
{
    scalar_matrix a = { .n = n };
    double *scale = scalar_alloc((size_t)n * sizeof *scale);
    for (int i = 0; i < n; i++)
        scale[i] = i % 7 == 3 ? 1e4 : i % 7 == 5 ? 1e-5 : 1;
    for (int i = 0; i < n; i++)
        scalar_add(&a, i, i, 0.5 * scale[i] * scale[i]);
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            if (joined(i, j, n, &seed)) {
                double w = 1 + 0.9 * grid_random(&seed);
                scalar_add(&a, i, i, w * scale[i] * scale[i]);
                scalar_add(&a, j, j, w * scale[j] * scale[j]);
                scalar_add(&a, i, j, -w * scale[i] * scale[j]);
            }
    scalar_finish(&a);
    free(scale);
    return a;
}

static bool none(int i, int j, int n, uint64_t *seed) { return (void)i, (void)j, (void)n, (void)seed, false; }
static bool all(int i, int j, int n, uint64_t *seed) { return (void)i, (void)j, (void)n, (void)seed, true; }
static bool chain(int i, int j, int n, uint64_t *seed) { return (void)n, (void)seed, j == i + 1; }
static bool ring(int i, int j, int n, uint64_t *seed) { return (void)seed, j == i + 1 || (i == 0 && j == n - 1); }
static bool arrow(int i, int j, int n, uint64_t *seed) { return (void)i, (void)seed, j == n - 1; }
static bool backward_arrow(int i, int j, int n, uint64_t *seed) { return (void)j, (void)n, (void)seed, i == 0; }
static bool blocks(int i, int j, int n, uint64_t *seed) { return (void)n, (void)seed, i / 9 == j / 9; }
static bool at_random(int i, int j, int n, uint64_t *seed) { return (void)i, (void)j, grid_random(seed) > 1 - 8.0 / n; }
static bool band(int i, int j, int n, uint64_t *seed) { return (void)n, (void)seed, j - i < 20; }

static bool bodies(int i, int j, int n, uint64_t *seed)
{
    return (void)n, i / 200 == j / 200 && (j == i + 1 || grid_random(seed) > 0.98);
}
/* Two dense bodies on a third: their factors are large enough for threads to share. */
static bool two_on_one(int i, int j, int n, uint64_t *seed)
{
    return (void)seed, 5 * i / (2 * n) == 5 * j / (2 * n) || 5 * j >= 4 * n;
}

static void check(const scalar_matrix *a)
{
    for (int single = 0; single < 2; single++) {
        vv_triple *t = make(a, NULL, single);
        assert_int_equal(vv_triple_factor(t, a->value, NULL), VV_OK);
        assert_true(vv_triple_ready(t));
        double error = off(t, a);
        if (error > (single ? 1e-5 : 1e-12))
            fail_msg("n = %d, %s: error %g", a->n, single ? "single" : "double", error);
        vv_triple_destroy(t);
    }
}

static void test_shapes(void **state)
{
    (void)state;
    static bool (*const rule[])(int, int, int, uint64_t *) = { none,           all,    chain,     ring, arrow,
                                                               backward_arrow, blocks, at_random, band, two_on_one };
    static const int size[] = { 0, 1, 2, 3, 15, 16, 17, 33, 64, 65, 130, 300 };
    for (size_t k = 0; k < sizeof rule / sizeof *rule; k++)
        for (size_t l = 0; l < sizeof size / sizeof *size; l++) {
            scalar_matrix a = from_rule(size[l], rule[k], k + 100 * l);
            check(&a);
            scalar_free(&a);
        }
}

static scalar_matrix box(int x, int y, int z)
{
    scalar_matrix a = { 0 };
    scalar_box(&a, (int[3]){ x, y, z }, 1, 1, 20);
    return a;
}

/* Large enough to be cut into tasks: a body, a cloth, a forest of bodies. */
static void test_tasks(void **state)
{
    (void)state;
    scalar_matrix a = box(14, 14, 14), cloth = { 0 }, forest = { .n = 40 * 343 }, one = box(6, 6, 6);
    vv_triple *t = make(&a, NULL, true);
    assert_true(vv_triple_get_stats(t).levels > 1);
    vv_triple_destroy(t);
    check(&a);
    scalar_cloth(&cloth, 60, 1, 30, 10);
    check(&cloth);
    for (int body = 0; body < 40; body++)
        for (int j = 0; j < one.n; j++)
            for (int k = one.start[j]; k < one.start[j + 1]; k++)
                scalar_add(&forest, one.n * body + j, one.n * body + one.row[k], one.value[k]);
    scalar_finish(&forest);
    check(&forest);
    scalar_free(&a);
    scalar_free(&cloth);
    scalar_free(&forest);
    scalar_free(&one);
}

/* The same with the upper triangle. */
static void test_upper_triangle(void **state)
{
    (void)state;
    scalar_matrix a = from_rule(50, at_random, 3), u = { .n = 50 };
    vv_triple *t;
    vv_triple_destroy(make(&a, NULL, true)); /* skips where there is none */
    u.start = scalar_alloc(51 * sizeof(int)), u.row = scalar_alloc((size_t)a.start[50] * sizeof(int));
    u.value = scalar_alloc((size_t)a.start[50] * sizeof(double));
    for (int i = 0, at = 0; i < 50; u.start[++i] = at)
        for (int j = 0; j <= i; j++)
            for (int k = a.start[j]; k < a.start[j + 1]; k++)
                if (a.row[k] == i) {
                    u.row[at] = j;
                    u.value[at++] = a.value[k];
                }
    t = make(&u, NULL, false);
    assert_int_equal(vv_triple_factor(t, u.value, NULL), VV_OK);
    assert_true(off(t, &a) < 1e-12);
    vv_triple_destroy(t);
    scalar_free(&a);
    scalar_free(&u);
}

static void refused(int n, const int *start, const int *row, const char *words)
{
    vv_triple *t = (vv_triple *)&n;
    vvError error = { 0 };
    assert_int_equal(vv_triple_create(n, start, row, NULL, true, &t, &error), VV_ERROR_INPUT);
    assert_null(t);
    if (!strstr(error.message, words))
        fail_msg("\"%s\" lacks \"%s\"", error.message, words);
}

static void test_refused(void **state)
{
    (void)state;
    scalar_matrix a = box(3, 3, 3);
    vv_triple_destroy(make(&a, NULL, true));
    refused(2, (int[]){ 0, 2, 3 }, (int[]){ 0, 2, 1 }, "row 2");
    refused(2, (int[]){ 0, 2, 3 }, (int[]){ 0, -1, 1 }, "row -1");
    refused(2, (int[]){ 0, 2, 3 }, (int[]){ 1, 0, 1 }, "ascend");
    refused(2, (int[]){ 0, 2, 3 }, (int[]){ 0, 0, 1 }, "ascend");
    refused(2, (int[]){ 0, 1, 2 }, (int[]){ 0, 0 }, "column 1 has no entry on the diagonal");
    refused(2, (int[]){ 0, 2, 4 }, (int[]){ 0, 1, 0, 1 }, "one triangle");
    scalar_free(&a);
}

/* Each failure names a node, and leaves no factor; the next matrix has one. */
static void test_not_definite(void **state)
{
    (void)state;
    scalar_matrix a = box(5, 5, 5);
    int last = a.start[a.n - 1];
    for (int single = 0; single < 2; single++) {
        vv_triple *t = make(&a, NULL, single);
        static const double bad[] = { -1, 0, NAN, INFINITY };
        for (int k = 0; k < 5; k++) {
            double before = a.value[last], coupling = a.value[1];
            vvError error = { 0 };
            char words[40];
            snprintf(words, sizeof words, "node %d of %d", a.n - 1, a.n);
            if (k < 4)
                a.value[last] = bad[k];
            else /* a positive diagonal, and yet */
                a.value[1] *= 1e3;
            assert_int_equal(vv_triple_factor(t, a.value, &error), VV_ERROR_SOLVER);
            assert_non_null(strstr(error.message, "not positive definite"));
            assert_non_null(strstr(error.message, k < 4 ? words : "node "));
            assert_false(vv_triple_ready(t));
            a.value[last] = before;
            a.value[1] = coupling;
            assert_int_equal(vv_triple_factor(t, a.value, &error), VV_OK);
            assert_true(off(t, &a) < 1e-5);
        }
        vv_triple_destroy(t);
    }
    scalar_free(&a);
}

/* Two factors of one pattern do not disturb each other, outlive each other, and each takes other values. */
static void test_two_factors(void **state)
{
    (void)state;
    scalar_matrix a = box(9, 8, 7), b = box(9, 8, 7);
    for (int k = 0; k < b.start[b.n]; k++)
        b.value[k] *= 1 + 0.1 * (k % 5 == 0);
    for (int j = 0; j < b.n; j++)
        b.value[b.start[j]] *= 3;
    for (int single = 0; single < 2; single++) {
        double most = single ? 1e-5 : 1e-12;
        vv_triple *first = make(&a, NULL, single), *second;
        assert_int_equal(vv_triple_create_like(first, &second, NULL), VV_OK);
        assert_int_equal(vv_triple_factor(first, a.value, NULL), VV_OK);
        assert_false(vv_triple_ready(second));
        assert_int_equal(vv_triple_factor(second, b.value, NULL), VV_OK);
        assert_true(off(first, &a) < most && off(second, &b) < most);
        assert_true(off(first, &b) > 0.1 && off(second, &a) > 0.1);
        assert_int_equal(vv_triple_factor(second, a.value, NULL), VV_OK);
        vv_triple_destroy(first);
        assert_true(off(second, &a) < most);
        vv_triple_destroy(second);
    }
    scalar_free(&a);
    scalar_free(&b);
}

/* x of a solve with so many threads and the kernels in use, factor and all. */
static double *solution(const scalar_matrix *a, int threads, bool single)
{
    vv_parallel par = { .threads = threads };
    assert_true(vv_pool_create(threads, &par.pool));
    vv_triple *t = make(a, &par, single);
    assert_int_equal(vv_triple_factor(t, a->value, NULL), VV_OK);
    double *b = numbers(a->n, 3), *x = numbers(a->n, 4);
    for (int k = 0; k < 3; k++)
        vv_triple_solve(t, b, x);
    free(b);
    vv_triple_destroy(t);
    vv_pool_destroy(par.pool);
    return x;
}

static void same_bits(const scalar_matrix *a, bool single)
{
    size_t bytes = 3 * (size_t)a->n * sizeof(double);
    double *first = solution(a, 1, single);
    static const struct {
        const char *isa;
        int threads;
    } run[] = { { "base", 3 }, { "avx2", 3 }, { "avx512", 3 }, { "avx512", 2 }, { "avx512", 4 } };
    for (size_t k = 0; k < sizeof run / sizeof *run; k++) {
        setenv("VISVIVA_ISA", run[k].isa, 1);
        double *x = solution(a, run[k].threads, single);
        unsetenv("VISVIVA_ISA");
        assert_memory_equal(x, first, bytes);
        free(x);
    }
    free(first);
}

/* On all cores. */
static void test_same_bits(void **state)
{
    (void)state;
    scalar_matrix a = box(12, 12, sized(4, 16, 40)), cloth = { 0 }, dense = from_rule(750, two_on_one, 5);
    scalar_cloth(&cloth, sized(30, 60, 101), 1, 30, 10);
    for (int single = 0; single < 2; single++) {
        same_bits(&a, single);
        same_bits(&cloth, single);
        same_bits(&dense, single);
    }
    scalar_free(&a);
    scalar_free(&cloth);
    scalar_free(&dense);
}

/* An ill-conditioned matrix: corrections in single precision, x += A^-1 (b - A x) with the residual in double, lose
 * nothing. */
static void test_corrections(void **state)
{
    (void)state;
    scalar_matrix a = { 0 };
    scalar_cloth(&a, 40, 1e-3, 300, 100);
    vv_triple *t = make(&a, NULL, true);
    int n = 3 * a.n;
    double *known = numbers(a.n, 1), *b = numbers(a.n, 2), *x = numbers(a.n, 3), *r = numbers(a.n, 4), first = 0,
           last = 0;
    assert_int_equal(vv_triple_factor(t, a.value, NULL), VV_OK);
    scalar_multiply(&a, known, b);
    memset(x, 0, (size_t)n * sizeof *x);
    for (int pass = 0; pass < 6; pass++) {
        scalar_multiply(&a, x, r);
        for (int k = 0; k < n; k++)
            r[k] = b[k] - r[k];
        vv_triple_solve(t, r, r);
        last = 0;
        for (int k = 0; k < n; k++) {
            x[k] += r[k];
            last = fmax(last, fabs(x[k] - known[k]));
        }
        first = pass == 0 ? last : first;
    }
    assert_true(first > 1e-5); /* it is ill-conditioned */
    assert_true(last < 1e-9);
    vv_triple_destroy(t);
    scalar_free(&a);
    free(known), free(b), free(x), free(r);
}

/* b scaled by a power of two gives x scaled by it, to the bit; the padding's zeros keep NaN to the nodes that it
 * reaches. */
static void test_scale_and_nan(void **state)
{
    (void)state;
    scalar_matrix a = from_rule(1000, bodies, 11);
    vv_triple *t = make(&a, NULL, true);
    double *b = numbers(1000, 1), *x = numbers(1000, 2), *y = numbers(1000, 3);
    assert_int_equal(vv_triple_factor(t, a.value, NULL), VV_OK);
    vv_triple_solve(t, b, x);
    for (int k = 0; k < 3000; k++)
        b[k] *= 0x1p-20;
    vv_triple_solve(t, b, y);
    for (int k = 0; k < 3000; k++)
        assert_true(y[k] == x[k] * 0x1p-20);
    for (int node = 0; node < 200; node += 9) {
        double kept = b[3 * node];
        b[3 * node] = NAN;
        vv_triple_solve(t, b, y);
        b[3 * node] = kept;
        for (int k = 0; k < 3000; k++)
            assert_true(!isnan(y[k]) == (k >= 600 || k % 3 > 0));
    }
    vv_triple_solve(t, b, y); /* and leaves none behind */
    for (int k = 0; k < 3000; k++)
        assert_false(isnan(y[k]));
    vv_triple_destroy(t);
    scalar_free(&a);
    free(b), free(x), free(y);
}

/* Each allocation fails in turn: an error, nothing lost; once there is a factor, the next one and solves take
 * nothing. */
static void test_memory(void **state)
{
    (void)state;
    scalar_matrix a = box(6, 6, 6);
    int failed = 0;
    bool done = false;
    vv_triple_destroy(make(&a, NULL, true));
    while (!done) {
        budget few = { .left = failed };
        vvAllocator before = vv_memory_use(budget_allocator(&few));
        vv_triple *t = NULL, *other = NULL;
        vvError error = { 0 };
        vvStatus status = vv_triple_create(a.n, a.start, a.row, NULL, true, &t, &error);
        if (status == VV_OK)
            status = vv_triple_create_like(t, &other, &error);
        else
            assert_null(t);
        if (status == VV_OK)
            status = vv_triple_factor(t, a.value, &error);
        assert_int_equal(status, few.left >= 0 ? VV_OK : VV_ERROR_MEMORY);
        assert_true(status == VV_OK || error.message[0]);
        done = status == VV_OK;
        if (done) {
            double *x = numbers(a.n, 1);
            int taken = few.taken;
            assert_int_equal(vv_triple_factor(t, a.value, &error), VV_OK);
            vv_triple_solve(t, x, x);
            assert_int_equal(few.taken, taken);
            free(x);
        }
        vv_triple_destroy(other);
        vv_triple_destroy(t);
        vv_memory_use(before);
        assert_int_equal(few.live, 0);
        failed += !done;
    }
    assert_true(failed > 20);
    scalar_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),      cmocka_unit_test(test_tasks),         cmocka_unit_test(test_upper_triangle),
        cmocka_unit_test(test_refused),     cmocka_unit_test(test_not_definite),  cmocka_unit_test(test_two_factors),
        cmocka_unit_test(test_same_bits),   cmocka_unit_test(test_scale_and_nan), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_corrections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

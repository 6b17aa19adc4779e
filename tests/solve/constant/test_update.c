/* Solves with a factor and a diagonal that has changed since: against known solutions from soft to stiff, of one node
 * to hundreds; the same bits whatever was solved before, for any number of threads and every instruction set; columns
 * that stay; memory that runs short. */
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
#include "solve/constant/update.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A matrix, its factor, and room. */
typedef struct bench {
    scalar_matrix a;
    vv_system system;
    vv_forest factor;
    vv_update u;
    double *d, *known, *b, *x, *work[5];
} bench;

static double *numbers(int n, uint64_t seed)
{
    double *x = scalar_alloc(3 * (size_t)n * sizeof *x);
    for (int k = 0; k < 3 * n; k++)
        x[k] = grid_random(&seed);
    return x;
}

static void open_bench(bench *t, scalar_matrix a, int threads, bool single)
{
    vvError error;
    *t = (bench){ .a = a, .system = { .unknowns = a.n, .nodes = a.n, .par.threads = threads } };
    assert_true(vv_pool_create(threads, &t->system.par.pool));
    vvStatus status =
        vv_forest_factor(&t->factor, a.n, a.start, a.row, a.value, &t->system.par, single, NULL, NULL, &error);
    if (status == VV_ERROR_UNSUPPORTED)
        skip();
    assert_int_equal(status, VV_OK);
    assert_int_equal(vv_update_create(&t->u, &t->system, &error), VV_OK);
    t->d = scalar_alloc((size_t)a.n * sizeof *t->d);
    t->known = numbers(a.n, 1), t->b = numbers(a.n, 2), t->x = numbers(a.n, 3);
    for (int k = 0; k < 5; k++)
        t->work[k] = numbers(a.n, 4);
}

static void close_bench(bench *t)
{
    vv_update_free(&t->u);
    vv_forest_give(&t->factor, NULL);
    vv_pool_destroy(t->system.par.pool);
    vv_arena_free(&t->system.arena);
    double *arrays[] = { t->d, t->known, t->b, t->x, t->work[0], t->work[1], t->work[2], t->work[3], t->work[4] };
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        free(arrays[k]);
    scalar_free(&t->a);
}

/* A free body, light for its stiffness: inertia holds it alone. */
static scalar_matrix box(int x, int y, int z)
{
    scalar_matrix a = { 0 };
    scalar_box(&a, (int[3]){ x, y, z }, 1, 1, 300);
    return a;
}

/* m nodes, the first ones of the box, side by side as under a hand (`apart` 1), or spread; stiffness in units of
 * A_ii. */
static void press(bench *t, int m, int apart, double stiffness)
{
    memset(t->d, 0, (size_t)t->a.n * sizeof *t->d);
    for (int i = 0; i < m; i++) {
        const int node = (i * apart + 5) % t->a.n;
        t->d[node] = stiffness * t->a.value[t->a.start[node]] * (1 + i % 3);
    }
}

static void set(bench *t)
{
    vvError error;
    assert_int_equal(vv_update_set(&t->u, &t->factor, t->d, t->work[0], &error), VV_OK);
}

static int solve(bench *t, const double *b, double *x) { return vv_update_solve(&t->u, &t->factor, b, x, t->work); }

/* y = (A + D) x */
static void multiply(const bench *t, const double *x, double *y)
{
    scalar_multiply(&t->a, x, y);
    for (int k = 0; k < 3 * t->a.n; k++)
        y[k] += t->d[k / 3] * x[k];
}

static double dot(const bench *t, const double *a, const double *b)
{
    double sum = 0;
    for (int k = 0; k < 3 * t->a.n; k++)
        sum += a[k] * b[k];
    return sum;
}

/* x := x - known; its length in the norm of A + D, over that of known. */
static double off(bench *t, double *x)
{
    double size, error, *y = t->work[3];
    multiply(t, t->known, y);
    size = dot(t, t->known, y);
    for (int k = 0; k < 3 * t->a.n; k++)
        x[k] -= t->known[k];
    multiply(t, x, y);
    error = dot(t, x, y);
    return isfinite(error) ? sqrt(error / size) : INFINITY;
}

/* Three kinds of solutions: at random; the body shifted as a whole; and what a jump of the hands does: forces at the
 * nodes of D alone, which (A + D)^-1 makes small and A^-1 large. */
static void aim(bench *t, int kind)
{
    for (int k = 0; k < 3 * t->a.n; k++)
        t->known[k] = kind == 0 ? t->known[k] : 1;
    if (kind == 2) {
        vv_triple *whole;
        scalar_matrix *a = &t->a;
        assert_int_equal(vv_triple_create(a->n, a->start, a->row, NULL, false, &whole, NULL), VV_OK);
        for (int j = 0; j < a->n; j++)
            a->value[a->start[j]] += t->d[j];
        assert_int_equal(vv_triple_factor(whole, a->value, NULL), VV_OK);
        for (int j = 0; j < a->n; j++)
            a->value[a->start[j]] -= t->d[j];
        for (int k = 0; k < 3 * a->n; k++)
            t->known[k] = t->d[k / 3];
        vv_triple_solve(whole, t->known, t->known);
        vv_triple_destroy(whole);
    }
    multiply(t, t->known, t->b);
}

static void test_known_solutions(void **state)
{
    (void)state;
    static const int count[] = { 1, 2, 3, 4, 17, 127, 128, 129, 300, 341 };
    static const double stiffness[] = { 1e-6, 1, 1e3, 1e7 };
    for (int single = 0; single < 2; single++) {
        bench t;
        open_bench(&t, box(10, 5, 5), 1, single);
        for (int m = 0; m < (int)(sizeof count / sizeof *count); m++)
            for (int k = 0; k < 4; k++)
                for (int apart = 1; apart < 20; apart += 6)
                    for (int kind = 0; kind < 3; kind++) {
                        press(&t, count[m], apart, stiffness[k]);
                        aim(&t, kind);
                        set(&t);
                        const bool few = count[m] <= VV_UPDATE_COLUMNS;
                        int turns = solve(&t, t.b, t.x);
                        assert_true(dot(&t, t.b, t.x) > 0);
                        assert_true(few ? turns == 0 : turns > 0 && turns <= VV_UPDATE_ITERATIONS);
                        double error = off(&t, t.x);
                        if (!(error < (few ? 2e-5 : 0.15)))
                            fail_msg("%d nodes, %g, %d apart, kind %d, %s: error %g after %d", count[m], stiffness[k],
                                     apart, kind, single ? "single" : "double", error, turns);
                        if (kind == 0) { /* in place */
                            double *y = numbers(t.a.n, 9);
                            memcpy(y, t.b, 3 * (size_t)t.a.n * sizeof *y);
                            solve(&t, t.b, t.x);
                            solve(&t, y, y);
                            assert_memory_equal(t.x, y, 3 * (size_t)t.a.n * sizeof *y);
                            free(y);
                        }
                        free(t.known);
                        t.known = numbers(t.a.n, 1);
                    }
        close_bench(&t);
    }
}

/* Far stiffer than the body: the nodes are where their springs want them to the last digit, relative to how little
 * that is, and not to how far they would go without. */
static void test_stiff_as_rock(void **state)
{
    (void)state;
    for (int m = 1; m <= 60; m += 59) {
        bench t;
        open_bench(&t, box(10, 5, 5), 1, true);
        press(&t, m, 1, 1e12);
        set(&t);
        for (int k = 0; k < 3 * t.a.n; k++)
            t.known[k] = t.d[k / 3] > 0 ? 1e-9 : 1; /* the others go with the body, these nearly not at all */
        multiply(&t, t.known, t.b);
        solve(&t, t.b, t.x);
        for (int k = 0; k < 3 * t.a.n; k++)
            if (t.d[k / 3] > 0 && !(fabs(t.x[k] - 1e-9) < 1e-13))
                fail_msg("%d nodes: one goes %g instead of 1e-9", m, t.x[k]);
        close_bench(&t);
    }
}

/* Repeated on what is left, an inexact solve comes to the exact end. */
static void test_corrections(void **state)
{
    (void)state;
    for (int m = 10; m <= 300; m *= 30) {
        bench t;
        open_bench(&t, box(10, 5, 5), 1, true);
        press(&t, m, 1, 1e3);
        set(&t);
        double *x = scalar_alloc(3 * (size_t)t.a.n * sizeof *x), *r = numbers(t.a.n, 5);
        multiply(&t, t.known, t.b);
        for (int pass = 0; pass < 12; pass++) {
            multiply(&t, x, r);
            for (int k = 0; k < 3 * t.a.n; k++)
                r[k] = t.b[k] - r[k];
            solve(&t, r, r);
            for (int k = 0; k < 3 * t.a.n; k++)
                x[k] += r[k];
        }
        assert_true(off(&t, x) < (m <= VV_UPDATE_COLUMNS ? 1e-12 : 1e-4));
        free(x);
        free(r);
        close_bench(&t);
    }
}

/* ---- what was solved before does not matter ---- */

static void test_history(void **state)
{
    (void)state;
    for (int m = 1; m <= 150; m = 3 * m + 1) {
        bench first, second;
        open_bench(&first, box(10, 5, 5), 1, true);
        open_bench(&second, box(10, 5, 5), 1, true);
        press(&first, m, 1, 10);
        set(&first);
        for (int turn = 0; turn < 8; turn++) { /* others in other order, more than there is room for */
            press(&second, turn % 2 ? VV_UPDATE_COLUMNS : 5 + turn, 1 + 2 * turn, 3);
            set(&second);
            solve(&second, second.known, second.x);
            assert_true(second.u.kept <= VV_UPDATE_COLUMNS);
        }
        press(&second, m, 1, 10);
        set(&second);
        solve(&first, first.b, first.x);
        solve(&second, first.b, second.x);
        assert_memory_equal(first.x, second.x, 3 * (size_t)first.a.n * sizeof(double));
        /* none: as the factor alone */
        memset(second.d, 0, (size_t)second.a.n * sizeof *second.d);
        set(&second);
        assert_true(vv_update_is_none(&second.u));
        solve(&second, first.b, second.x);
        vv_forest_solve(&first.factor, first.b, first.x);
        assert_memory_equal(first.x, second.x, 3 * (size_t)first.a.n * sizeof(double));
        close_bench(&first);
        close_bench(&second);
    }
}

/* Nodes that come back cost nothing: their columns are there, and no memory is taken. With another factor they are
 * made again. */
static void test_columns_stay(void **state)
{
    (void)state;
    bench t;
    open_bench(&t, box(10, 5, 5), 1, true);
    press(&t, 20, 1, 10);
    set(&t);
    solve(&t, t.b, t.x);
    assert_int_equal(t.u.kept, 20);
    double *before = numbers(t.a.n, 1);
    memcpy(before, t.x, 3 * (size_t)t.a.n * sizeof *before);
    budget none = { 0 };
    vvAllocator usual = vv_memory_use(budget_allocator(&none));
    press(&t, 7, 1, 1e4);
    set(&t);
    solve(&t, t.b, t.x);
    press(&t, 20, 1, 10);
    set(&t);
    solve(&t, t.b, t.x);
    vv_memory_use(usual);
    assert_int_equal(none.taken, 0);
    assert_int_equal(t.u.kept, 20);
    assert_memory_equal(t.x, before, 3 * (size_t)t.a.n * sizeof *before);
    free(before);
    for (int j = 0; j < t.a.n; j++)
        t.a.value[t.a.start[j]] *= 2;
    assert_int_equal(
        vv_forest_factor(&t.factor, t.a.n, t.a.start, t.a.row, t.a.value, &t.system.par, true, NULL, NULL, NULL),
        VV_OK);
    vv_update_forget(&t.u);
    multiply(&t, t.known, t.b);
    set(&t);
    solve(&t, t.b, t.x);
    assert_true(off(&t, t.x) < 2e-5);
    close_bench(&t);
}

static double *solution(int m, int threads)
{
    bench t;
    open_bench(&t, box(14, 14, sized(8, 14, 30)), threads, true);
    press(&t, m, 7, 100);
    set(&t);
    double *x = numbers(t.a.n, 3);
    solve(&t, t.b, x);
    close_bench(&t);
    return x;
}

static void test_same_bits(void **state)
{
    (void)state;
    const int n = 15 * 15 * (sized(8, 14, 30) + 1);
    static const struct {
        const char *isa;
        int threads;
    } run[] = { { "base", 3 }, { "avx2", 2 }, { "avx512", 4 } };
    for (int m = 5; m < 300; m *= 8) {
        double *first = solution(m, 1);
        for (size_t k = 0; k < sizeof run / sizeof *run; k++) {
            setenv("VISVIVA_ISA", run[k].isa, 1);
            double *x = solution(m, run[k].threads);
            unsetenv("VISVIVA_ISA");
            assert_memory_equal(x, first, 3 * (size_t)n * sizeof *x);
            free(x);
        }
        free(first);
    }
}

/* ---- hostile ---- */

/* y = (A + D + C) x */
static void multiply_all(const bench *t, const vv_bsr *c, const double *x, double *y)
{
    multiply(t, x, y);
    vv_bsr_multiply(c, &t->system.par, x, t->work[4]);
    for (int k = 0; k < 3 * t->a.n; k++)
        y[k] += t->work[4][k];
}

/* As contact does: n n^T at single nodes, and (x_i - x_j).n between two, in any direction, from softer than the body
 * to 10^8 times as stiff. */
static void meet(const bench *t, vv_bsr *c, int pairs, double stiffness)
{
    uint64_t seed = 11;
    vvError error;
    vv_pattern pattern = { .n = t->a.n };
    assert_int_equal(vv_bsr_build(c, &pattern, &error), VV_OK);
    vv_bsr_clear(c, &t->system.par);
    for (int p = 0; p < pairs; p++) {
        const int i = (7 * p + 3) % t->a.n, j = (i + t->a.n / 2) % t->a.n;
        const double n[3] = { grid_random(&seed), grid_random(&seed), grid_random(&seed) };
        double block[9], minus[9];
        for (int k = 0; k < 9; k++) {
            block[k] = stiffness * (1 + p % 3) * t->a.value[t->a.start[i]] * n[k % 3] * n[k / 3];
            minus[k] = -block[k];
        }
        vv_bsr_add(c, i, i, block);
        if (p % 2) {
            vv_bsr_add(c, j, j, block);
            vv_bsr_add(c, i < j ? i : j, i < j ? j : i, minus);
        }
    }
    vv_bsr_finish(c);
    assert_int_equal(vv_bsr_status(c, &error), VV_OK);
}

/* With contact beside D, by columns and without: what is left is little, after hardly more iterations than there are
 * contacts; and however early they end, the model is lower. Same bits for any number of threads. */
static void test_with_contact(void **state)
{
    (void)state;
    static const double stiffness[] = { 0.1, 1e3, 1e8 };
    for (int held = 0; held <= 200; held += 100)
        for (int s = 0; s < 3; s++) {
            double *first = NULL;
            for (int threads = 1; threads <= 3; threads += 2) {
                bench t;
                vv_bsr c = { 0 };
                open_bench(&t, box(9, 8, sized(6, 9, 12)), threads, false);
                press(&t, held, 1, 100);
                set(&t);
                meet(&t, &c, 12, stiffness[s]);
                multiply_all(&t, &c, t.known, t.b);
                const int count =
                    vv_update_solve_with(&t.u, &t.factor, &c, t.b, 1e-4, VV_UPDATE_ITERATIONS_WITH, t.x, t.work);
                assert_true(count > 0 && count <= (held == 0 ? 16 : held < 200 ? 30 : VV_UPDATE_ITERATIONS_WITH));
                double *y = t.work[3], size, error;
                multiply_all(&t, &c, t.known, y);
                size = dot(&t, t.known, y);
                for (int k = 0; k < 3 * t.a.n; k++)
                    t.known[k] -= t.x[k];
                multiply_all(&t, &c, t.known, y);
                error = dot(&t, t.known, y);
                assert_true(sqrt(error / size) < 0.03);
                assert_true(vv_update_solve_with(&t.u, &t.factor, &c, t.b, 1e-9, 3, t.known, t.work) <= 3);
                multiply_all(&t, &c, t.known, y);
                assert_true(dot(&t, t.known, t.b) > 0 && 0.5 * dot(&t, t.known, y) < dot(&t, t.known, t.b));
                if (!first) {
                    first = scalar_alloc(3 * (size_t)t.a.n * sizeof *first);
                    memcpy(first, t.x, 3 * (size_t)t.a.n * sizeof *first);
                }
                assert_memory_equal(first, t.x, 3 * (size_t)t.a.n * sizeof *first);
                vv_bsr_free(&c);
                close_bench(&t);
            }
            free(first);
        }
}

static void test_hostile_numbers(void **state)
{
    (void)state;
    static const double d[] = { 1e-300, 5e-324, 1e300, 1e308 };
    bench t;
    open_bench(&t, box(4, 3, 3), 1, true);
    for (int k = 0; k < 4; k++) {
        memset(t.d, 0, (size_t)t.a.n * sizeof *t.d);
        t.d[3] = t.d[7] = d[k];
        set(&t);
        solve(&t, t.known, t.x);
        for (int i = 0; i < 3 * t.a.n; i++)
            assert_true(isfinite(t.x[i]));
        if (k >= 2)
            for (int c = 0; c < 3; c++)
                assert_true(fabs(t.x[9 + c]) < 1e-200);
    }
    memset(t.b, 0, 3 * (size_t)t.a.n * sizeof *t.b);
    for (int m = 1; m < 150; m += 139) { /* no forces: no step */
        press(&t, m, 1, 1);
        set(&t);
        solve(&t, t.b, t.x);
        for (int i = 0; i < 3 * t.a.n; i++)
            assert_true(t.x[i] == 0);
    }
    close_bench(&t);
}

static void test_short_memory(void **state)
{
    (void)state;
    bench t;
    open_bench(&t, box(6, 5, 5), 1, true);
    vv_update_free(&t.u);
    int failed = 0;
    bool done = false;
    while (!done) {
        budget b = { .left = failed };
        vvError error = { 0 };
        vvAllocator usual = vv_memory_use(budget_allocator(&b));
        vvStatus status = vv_update_create(&t.u, &t.system, &error);
        for (int m = 2; status == VV_OK && m < 50; m += 20) {
            press(&t, m, 1, 10);
            status = vv_update_set(&t.u, &t.factor, t.d, t.work[0], &error);
        }
        vv_memory_use(usual);
        done = status == VV_OK;
        if (!done) {
            assert_int_equal(status, VV_ERROR_MEMORY);
            failed++;
            if (t.u.system && t.u.d && t.u.at) { /* and then there is enough */
                set(&t);
                multiply(&t, t.known, t.b);
                solve(&t, t.b, t.x);
                assert_true(off(&t, t.x) < 2e-5);
            }
        }
        vv_update_free(&t.u);
        assert_int_equal(b.live, 0);
    }
    assert_true(failed >= 5);
    close_bench(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_solutions), cmocka_unit_test(test_stiff_as_rock),
        cmocka_unit_test(test_corrections),     cmocka_unit_test(test_history),
        cmocka_unit_test(test_columns_stay),    cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_hostile_numbers), cmocka_unit_test(test_with_contact),
        cmocka_unit_test(test_short_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Linear solvers: every row of the table solves the same systems; what is not positive definite is said to be so;
 * bits do not depend on the number of threads; the choice of "auto" is restored with a run. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "grid_matrix.h"
#include "size.h"
#include "solve/linear/linear.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

static const grid soft = { 9, 7, 8, 0.05, 1000, 1e5, 0.3, 1.0 / 30 };

/* n unknowns; `extra` random couplings; strongly diagonal when `shift` > 0 */
static void random_matrix(vv_bsr *a, int n, int extra, double shift, uint64_t seed)
{
    vv_pattern pattern = { .n = n };
    for (int e = 0; e < extra; e++) {
        int u[2] = { (int)((grid_random(&seed) + 1) / 2 * n), (int)((grid_random(&seed) + 1) / 2 * n) };
        vv_pattern_clique(&pattern, u, u[0] == u[1] ? 1 : 2);
    }
    assert_int_equal(vv_bsr_build(a, &pattern, NULL), VV_OK);
    vv_pattern_free(&pattern);
    for (int i = 0; i < n; i++)
        for (int k = a->row_start[i]; k < a->row_start[i + 1]; k++) {
            int j = a->col[k], mirror = vv_bsr_slot(a, j, i);
            for (int s = 0; s < 3 && j >= i; s++)
                for (int r = (i == j ? s : 0); r < 3; r++) {
                    double v = grid_random(&seed);
                    a->val[9 * (size_t)k + 3 * (size_t)s + (size_t)r] = v;
                    a->val[9 * (size_t)mirror + 3 * (size_t)r + (size_t)s] = v;
                }
        }
    for (int i = 0; i < n; i++)
        for (int r = 0; r < 3; r++) /* more than the sum of the row: positive definite */
            a->val[9 * (size_t)a->diag[i] + 4 * (size_t)r] += shift * 3 * (a->row_start[i + 1] - a->row_start[i]);
}

static double *random_vector(int n, uint64_t seed)
{
    double *b = vv_alloc(3 * (size_t)n, sizeof *b);
    assert_non_null(b);
    for (int k = 0; k < 3 * n; k++)
        b[k] = grid_random(&seed);
    return b;
}

/* ||b - A x|| / ||b||, with a product written out plainly */
static double plain_residual(const vv_bsr *a, const double *b, const double *x)
{
    double rr = 0, bb = 0;
    for (int i = 0; i < a->n; i++)
        for (int r = 0; r < 3; r++) {
            double v = b[3 * i + r];
            bb += v * v;
            for (int k = a->row_start[i]; k < a->row_start[i + 1]; k++)
                for (int s = 0; s < 3; s++)
                    v -= a->val[9 * (size_t)k + 3 * (size_t)s + (size_t)r] * x[3 * a->col[k] + s];
            rr += v * v;
        }
    return sqrt(rr / bb);
}

static vv_linear *make(const vv_linear_ops *ops, const vv_bsr *a, int threads)
{
    vv_parallel par = { .threads = threads };
    vv_linear *s = NULL;
    assert_int_equal(ops->create(a, &par, &s, NULL), VV_OK);
    return s;
}

static vv_linear_stats run(vv_linear *s, const vv_bsr *a, const double *b, double *x, double tolerance, int cap)
{
    vv_linear_stats stats;
    memset(x, 0xff, 3 * (size_t)a->n * sizeof *x); /* NaN: x must be overwritten */
    assert_int_equal(s->ops->solve(s, a, b, x, tolerance, cap, &stats, NULL), VV_OK);
    for (int k = 0; k < 3 * a->n; k++)
        assert_true(isfinite(x[k]));
    return stats;
}

static vv_linear_stats run_once(const vv_linear_ops *ops, const vv_bsr *a, const double *b, double *x, double tolerance)
{
    vv_linear *s = make(ops, a, 2);
    vv_linear_stats stats = run(s, a, b, x, tolerance, 10000);
    ops->destroy(s);
    return stats;
}

static void test_product(void **state)
{
    (void)state;
    vv_bsr a;
    random_matrix(&a, 1300, 9000, 1, 3);
    double *x = random_vector(a.n, 4), *y[2], *zero = vv_alloc(3 * (size_t)a.n, sizeof *zero);
    for (int isa = VV_ISA_BASE; isa <= (int)vv_cpu_isa(); isa++)
        for (int threads = 1; threads <= 3; threads++) {
            bool first = isa == VV_ISA_BASE && threads == 1;
            vv_parallel par = { .threads = threads };
            double **out = first ? &y[0] : &y[1];
            *out = vv_alloc(3 * (size_t)a.n, sizeof **out);
            a.isa = (vv_isa)isa;
            vv_bsr_multiply(&a, &par, x, *out);
            if (!first) {
                assert_memory_equal(y[0], y[1], 3 * (size_t)a.n * sizeof **out);
                vv_free(y[1]);
            }
        }
    assert_true(plain_residual(&a, y[0], x) < 1e-14);
    assert_true(plain_residual(&a, y[0], zero) == 1);
    vv_free(x);
    vv_free(y[0]);
    vv_free(zero);
    vv_bsr_free(&a);
}

static void test_pattern(void **state)
{
    (void)state;
    vv_pattern pattern = { .n = 6 };
    int one[3] = { 4, -1, 2 }, two[3] = { 2, 0, 4 };
    vv_pattern_clique(&pattern, one, 3);
    vv_pattern_clique(&pattern, two, 3);
    vv_bsr a;
    assert_int_equal(vv_bsr_build(&a, &pattern, NULL), VV_OK);
    vv_pattern_free(&pattern);
    int col[] = { 0, 2, 4, 1, 0, 2, 4, 3, 0, 2, 4, 5 }, row_start[] = { 0, 3, 4, 7, 8, 11, 12 };
    assert_int_equal(a.nnz, 12);
    assert_memory_equal(a.col, col, sizeof col);
    assert_memory_equal(a.row_start, row_start, sizeof row_start);
    for (int i = 0; i < a.n; i++)
        assert_int_equal(a.col[a.diag[i]], i);
    assert_int_equal(vv_bsr_slot(&a, -1, 2), a.nnz);
    vv_bsr_free(&a);
}

/* Residuals are measured in the norm of the preconditioner: that of smoothed aggregation is nearly A^-1. */
static double far(const char *used) { return strcmp(used, "petsc") == 0 ? 100 : 30; }

static void test_solvers_agree(void **state)
{
    (void)state;
    for (int which = 0; which < 4; which++) {
        vv_bsr a;
        grid g = soft;
        if (which == 1)
            g.h = 1.0 / 120;
        if (which == 2)
            g.h = 1, g.young = 1e6; /* nearly static: badly conditioned */
        if (which == 3)
            random_matrix(&a, 700, 4000, 1, 11);
        else
            assert_true(grid_build(&a, &g));
        double *b = random_vector(a.n, 5), *x = vv_alloc(3 * (size_t)a.n, sizeof *x), *reference = NULL;
        for (int i = 0; vv_linear_table(i); i++) {
            for (double tolerance = 1e-2; tolerance > 1e-11; tolerance *= 1e-2) {
                vv_linear_stats stats = run_once(vv_linear_table(i), &a, b, x, tolerance);
                assert_true(stats.converged);
                assert_false(stats.indefinite);
                assert_true(stats.residual <= tolerance);
                assert_true(plain_residual(&a, b, x) <= far(stats.used) * tolerance);
                assert_non_null(stats.used);
            }
            run_once(vv_linear_table(i), &a, b, x, 1e-12);
            if (!reference) {
                reference = x;
                x = vv_alloc(3 * (size_t)a.n, sizeof *x);
                continue;
            }
            double worst = 0, top = 0;
            for (int k = 0; k < 3 * a.n; k++) {
                worst = fmax(worst, fabs(x[k] - reference[k]));
                top = fmax(top, fabs(reference[k]));
            }
            assert_true(worst < 1e-7 * top);
        }
        vv_free(b);
        vv_free(x);
        vv_free(reference);
        vv_bsr_free(&a);
    }
}

static void test_sizes_zero_and_one(void **state)
{
    (void)state;
    vv_bsr none, one;
    random_matrix(&none, 0, 0, 1, 1);
    random_matrix(&one, 1, 0, 2, 1);
    for (int i = 0; vv_linear_table(i); i++) {
        const vv_linear_ops *ops = vv_linear_table(i);
        double x[3], b[3] = { 1, -2, 3 }, zero[3] = { 0, 0, 0 };
        assert_true(run_once(ops, &none, b, x, 1e-3).converged);
        assert_true(run_once(ops, &one, b, x, 1e-10).converged);
        assert_true(plain_residual(&one, b, x) < 1e-9);
        assert_true(run_once(ops, &one, zero, x, 1e-10).converged);
        assert_true(x[0] == 0 && x[1] == 0 && x[2] == 0);
        assert_ptr_equal(vv_linear_find(ops->info.name), ops);
    }
    assert_null(vv_linear_find("no such solver"));
    assert_null(vv_linear_table(-1));
    vv_bsr_free(&none);
    vv_bsr_free(&one);
}

/* Not positive definite in three ways; what comes back must not go uphill: b.x >= 0. */
static void test_indefinite(void **state)
{
    (void)state;
    for (int which = 0; which < 4; which++) {
        vv_bsr a;
        assert_true(grid_build(&a, &soft));
        double *d = a.val + 9 * (size_t)a.diag[100];
        for (int k = 0; k < a.nnz; k++)
            for (int c = 0; which == 0 && c < 9; c++)
                a.val[9 * (size_t)k + (size_t)c] *= -1; /* negative definite */
        if (which == 1)
            d[0] -= 40 * fabs(d[0]); /* one negative direction */
        if (which == 2)
            for (int k = 0; k < a.nnz; k++) /* a row and column of zeros: singular diagonal block */
                for (int c = 0; c < 9; c++)
                    if (a.col[k] == 100 || (k >= a.row_start[100] && k < a.row_start[101]))
                        a.val[9 * (size_t)k + (size_t)c] = 0;
        if (which == 3)
            d[0] = d[4] = d[8] = 0; /* indefinite through the couplings */
        double *b = random_vector(a.n, 6), *x = vv_alloc(3 * (size_t)a.n, sizeof *x);
        for (int i = 0; vv_linear_table(i); i++) {
            vv_linear_stats stats = run_once(vv_linear_table(i), &a, b, x, 1e-6);
            double slope = 0;
            for (int k = 0; k < 3 * a.n; k++)
                slope += b[k] * x[k];
            assert_true(stats.indefinite);
            assert_false(stats.converged);
            assert_true(slope >= 0);
            if (strcmp(stats.used, "pcg") == 0)
                assert_true(slope > 0);
        }
        vv_free(b);
        vv_free(x);
        vv_bsr_free(&a);
    }
}

static void test_not_finite(void **state)
{
    (void)state;
    vv_bsr a;
    assert_true(grid_build(&a, &soft));
    double *b = random_vector(a.n, 6), *x = vv_alloc(3 * (size_t)a.n, sizeof *x);
    for (int which = 0; which < 3; which++)
        for (int i = 0; vv_linear_table(i); i++) {
            double *spoilt = which == 0 ? b + 7 : a.val + 9 * (size_t)(which == 1 ? a.diag[50] : a.diag[50] + 1),
                   kept = *spoilt;
            vv_linear *s = make(vv_linear_table(i), &a, 2);
            vv_linear_stats stats;
            *spoilt = NAN;
            assert_int_equal(s->ops->solve(s, &a, b, x, 1e-6, 1000, &stats, NULL), VV_OK);
            assert_false(stats.converged);
            *spoilt = kept; /* and it recovers */
            assert_true(run(s, &a, b, x, 1e-6, 1000).converged);
            s->ops->destroy(s);
        }
    vv_free(b);
    vv_free(x);
    vv_bsr_free(&a);
}

/* Where nothing couples, a preconditioner that has the diagonal blocks is the inverse. */
static void test_diagonal_blocks_take_an_iteration(void **state)
{
    (void)state;
    vv_bsr a;
    random_matrix(&a, 200, 0, 1, 3);
    double *b = random_vector(a.n, 4), *x = vv_alloc(3 * (size_t)a.n, sizeof *x);
    for (int i = 0; vv_linear_table(i); i++)
        for (int isa = VV_ISA_BASE; isa <= (int)vv_cpu_isa(); isa++) {
            a.isa = (vv_isa)isa;
            vv_linear *s = make(vv_linear_table(i), &a, 1);
            vv_linear_stats stats = run(s, &a, b, x, 1e-4, 100);
            print_message("%s, diagonal blocks: %d iterations\n", vv_linear_table(i)->info.name, stats.iterations);
            assert_true(stats.converged && stats.iterations <= 1);
            assert_true(plain_residual(&a, b, x) < 1e-4);
            s->ops->destroy(s);
        }
    vv_free(b);
    vv_free(x);
    vv_bsr_free(&a);
}

/* Blocks with an eigenvalue of -1 are mended for the preconditioner, with their other eigenvectors as they are: where
 * b has nothing of the negative ones, an iteration is enough. */
static void test_indefinite_blocks_are_mended(void **state)
{
    (void)state;
    vv_bsr a;
    random_matrix(&a, 50, 0, 1, 3);
    double *b = random_vector(a.n, 4), *x = vv_alloc(3 * (size_t)a.n, sizeof *x);
    for (int i = 0; i < a.n; i++) {
        double *block = a.val + 9 * (size_t)a.diag[i], *right = b + 3 * i, n = 0, along = 0, down[3];
        for (int k = 0; k < 3; k++) {
            down[k] = sin(i + 2.0 * k);
            n += down[k] * down[k];
        }
        for (int k = 0; k < 3; k++)
            along += down[k] * right[k] / n;
        for (int k = 0; k < 3; k++)
            right[k] -= along * down[k];
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                block[3 * c + r] = (r == c ? 2 : 0) - 3 * down[r] * down[c] / n;
    }
    for (int isa = VV_ISA_BASE; isa <= (int)vv_cpu_isa(); isa++) {
        a.isa = (vv_isa)isa;
        vv_linear *s = make(vv_linear_find("pcg-jacobi"), &a, 1);
        vv_linear_stats stats = run(s, &a, b, x, 1e-4, 100);
        assert_true(stats.converged && stats.iterations <= 1 && plain_residual(&a, b, x) < 1e-4);
        s->ops->destroy(s);
    }
    vv_free(b);
    vv_free(x);
    vv_bsr_free(&a);
}

/* Each instruction set with another number of threads, and one thread: all pairs of them in ./test --full alone. */
static bool is_tried(int isa, int threads)
{
    return threads == 2 + isa || (isa == VV_ISA_BASE && threads == 1) || sized(0, 0, 1);
}

static void test_threads_same_bits(void **state)
{
    (void)state;
    vv_bsr a;
    grid g = soft;
    g.nx = 50; /* 2800 nodes: several chunks and colours */
    assert_true(grid_build(&a, &g));
    double *b = random_vector(a.n, 8), *x[2];
    x[0] = vv_alloc(3 * (size_t)a.n, sizeof *x[0]);
    x[1] = vv_alloc(3 * (size_t)a.n, sizeof *x[0]);
    int tests = 0;
    while (vv_linear_table(tests / 2)) /* two tolerances each */
        tests++;
    for (int test = 0; test < tests; test++)
        for (int isa = VV_ISA_BASE; isa <= (int)vv_cpu_isa(); isa++)
            for (int threads = 1; threads <= 4; threads++) {
                if (!is_tried(isa, threads))
                    continue;
                a.isa = (vv_isa)isa;
                vv_linear *s = make(vv_linear_table(test / 2), &a, threads);
                bool first = isa == VV_ISA_BASE && threads == 1;
                run(s, &a, b, x[!first], test % 2 ? 1e-9 : 1e-4, 1000);
                if (!first)
                    assert_memory_equal(x[0], x[1], 3 * (size_t)a.n * sizeof *x[0]);
                s->ops->destroy(s);
            }
    vv_free(b);
    vv_free(x[0]);
    vv_free(x[1]);
    vv_bsr_free(&a);
}

struct world {
    const vv_bsr *a;
    const double *b;
    double *x;
    const char *name;
    int threads;
};
static void *run_world(void *arg)
{
    struct world *w = arg;
    vv_parallel par = { .threads = w->threads };
    vv_linear *s = NULL;
    vv_linear_stats stats;
    const vv_linear_ops *ops = vv_linear_find(w->name);
    for (int round = 0; round < sized(2, 2, 5) && ops->create(w->a, &par, &s, NULL) == VV_OK; round++) {
        ops->solve(s, w->a, w->b, w->x, 1e-8, 1000, &stats, NULL);
        ops->destroy(s);
    }
    return NULL;
}

/* Worlds in several threads at once, with different numbers of threads, each get the bits that they get alone. */
static void test_worlds_at_once(void **state)
{
    (void)state;
    vv_bsr a;
    assert_true(grid_build(&a, &soft));
    double *b = random_vector(a.n, 8);
    size_t bytes = 3 * (size_t)a.n * sizeof(double);
    for (int i = 0; vv_linear_table(i); i++) {
        struct world worlds[4], alone[4];
        pthread_t threads[4];
        for (int k = 0; k < 4; k++) {
            worlds[k] = (struct world){ &a, b, vv_alloc(bytes, 1), vv_linear_table(i)->info.name, 1 + k % 2 };
            alone[k] = worlds[k];
            alone[k].x = vv_alloc(bytes, 1);
            run_world(&alone[k]);
        }
        for (int k = 0; k < 4; k++)
            assert_int_equal(pthread_create(&threads[k], NULL, run_world, &worlds[k]), 0);
        for (int k = 0; k < 4; k++) {
            pthread_join(threads[k], NULL);
            assert_memory_equal(worlds[k].x, alone[k].x, bytes);
            vv_free(worlds[k].x);
            vv_free(alone[k].x);
        }
    }
    vv_free(b);
    vv_bsr_free(&a);
}

/* Changing values, the same solver: each solve must see the new ones, and give what a fresh solver gives. */
static void test_repeated(void **state)
{
    (void)state;
    vv_bsr a;
    assert_true(grid_build(&a, &soft));
    double *b = random_vector(a.n, 9), *x = vv_alloc(3 * (size_t)a.n, sizeof *x),
           *y = vv_alloc(3 * (size_t)a.n, sizeof *y);
    for (int i = 0; vv_linear_table(i); i++) {
        vv_linear *s = make(vv_linear_table(i), &a, 2);
        for (int round = 0; round < 4; round++) {
            for (int k = 0; round > 0 && k < a.n; k++)
                a.val[9 * (size_t)a.diag[k]] *= 1 + 0.1 * round;
            assert_true(run(s, &a, b, x, 1e-9, 1000).converged);
            assert_true(plain_residual(&a, b, x) < 1e-7);
            run(s, &a, b, y, 1e-9, 1000); /* same values, same bits */
            assert_memory_equal(x, y, 3 * (size_t)a.n * sizeof *x);
        }
        s->ops->destroy(s);
    }
    vv_free(b);
    vv_free(x);
    vv_free(y);
    vv_bsr_free(&a);
}

static void test_cap(void **state)
{
    (void)state;
    vv_bsr a;
    grid g = soft;
    g.h = 10;
    assert_true(grid_build(&a, &g));
    double *b = random_vector(a.n, 9), *x = vv_alloc(3 * (size_t)a.n, sizeof *x), slope = 0;
    vv_linear *s = make(vv_linear_find("pcg"), &a, 1);
    vv_linear_stats stats = run(s, &a, b, x, 1e-9, 5);
    assert_int_equal(stats.iterations, 5);
    assert_false(stats.converged);
    for (int k = 0; k < 3 * a.n; k++)
        slope += b[k] * x[k];
    assert_true(slope > 0);
    s->ops->destroy(s);
    vv_free(b);
    vv_free(x);
    vv_bsr_free(&a);
}

/* "auto" over a run whose matrices go from soft to nearly static and back; saved and loaded half way. */
static void test_auto_state(void **state)
{
    (void)state;
    enum { SOLVES = 40, HALF = 17 };
    const vv_linear_ops *ops = vv_linear_find("auto");
    grid g = soft, stiff = soft;
    stiff.h = 30;
    vv_bsr a[2];
    assert_true(grid_build(&a[0], &g) && grid_build(&a[1], &stiff));
    char used[2][SOLVES];
    void *saved = vv_alloc(ops->state_size, 1);
    size_t bytes = 3 * (size_t)a[0].n * sizeof(double);
    double *b = random_vector(a[0].n, 9), *x = vv_alloc(3 * (size_t)a[0].n, sizeof *x), *last = vv_alloc(bytes, 1);
    bool both[2] = { false, false };
    for (int resumed = 0; resumed < 2; resumed++) {
        vv_linear *s = make(ops, &a[0], 1);
        if (resumed)
            ops->load(s, saved);
        for (int k = resumed ? HALF : 0; k < SOLVES; k++) {
            if (!resumed && k == HALF)
                ops->save(s, saved);
            vv_linear_stats stats = run(s, &a[k >= 6 && k < 20], b, x, 1e-6, 100000);
            assert_true(stats.converged);
            assert_non_null(stats.reason);
            used[resumed][k] = stats.used[0];
            both[stats.used[0] == 'c'] = true;
        }
        if (resumed)
            assert_memory_equal(x, last, bytes);
        memcpy(last, x, bytes);
        ops->destroy(s);
    }
    assert_memory_equal(used[0] + HALF, used[1] + HALF, SOLVES - HALF);
    if (vv_linear_find("cholesky"))
        assert_true(both[1]);
    vv_free(saved);
    vv_free(b);
    vv_free(x);
    vv_free(last);
    vv_bsr_free(&a[0]);
    vv_bsr_free(&a[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pattern),
        cmocka_unit_test(test_product),
        cmocka_unit_test(test_solvers_agree),
        cmocka_unit_test(test_sizes_zero_and_one),
        cmocka_unit_test(test_indefinite),
        cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_diagonal_blocks_take_an_iteration),
        cmocka_unit_test(test_indefinite_blocks_are_mended),
        cmocka_unit_test(test_threads_same_bits),
        cmocka_unit_test(test_repeated),
        cmocka_unit_test(test_cap),
        cmocka_unit_test(test_auto_state),
        cmocka_unit_test(test_worlds_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

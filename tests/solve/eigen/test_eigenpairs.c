/* Eigenpairs of operators whose eigenvalues are known: each method, values that occur several times, what is left
 * out, signs and bits, searches side by side, failures. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/eigen.h"
#include "base/error.h"
#include "solve/eigen/eigenpairs.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A = H D H with the reflection H = 1 - 2 w w^T / w^T w: the vectors of A are the columns of H. */
typedef struct mirror {
    int n, calls, fails_at; /* 0: never */
    double *d, *w, square;
} mirror;

static mirror make_mirror(int n)
{
    mirror m = { .n = n, .d = calloc((size_t)n, sizeof(double)), .w = calloc((size_t)n, sizeof(double)) };
    for (int i = 0; i < n; i++) {
        m.w[i] = sin(1.0 + i) + 0.3 * cos(5.0 * i);
        m.square += m.w[i] * m.w[i];
    }
    return m;
}
static void free_mirror(mirror *m)
{
    free(m->d);
    free(m->w);
}
static void reflect(const mirror *m, double *x)
{
    double along = 2 * vv_eigen_dot(m->n, m->w, x) / m->square;
    for (int i = 0; i < m->n; i++)
        x[i] -= along * m->w[i];
}
static vvStatus apply(void *user, const double *x, double *y, vvError *error)
{
    mirror *m = user;
    if (m->fails_at && ++m->calls == m->fails_at)
        return vv_fail(error, VV_CANCELLED, "enough");
    memcpy(y, x, (size_t)m->n * sizeof *y);
    reflect(m, y);
    for (int i = 0; i < m->n; i++)
        y[i] *= m->d[i];
    reflect(m, y);
    return VV_OK;
}
static void column(const mirror *m, int k, double *v)
{
    memset(v, 0, (size_t)m->n * sizeof *v);
    v[k] = 1;
    reflect(m, v);
}

/* Like the inverses of squared frequencies: the k-th, from 0, of a body. Every fifth occurs five times. */
static double falling(int k) { return 1 / (1.0 + pow(k % 25 < 5 ? k - k % 25 : k, 0.8)); }

static int descending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static void check_pairs(mirror *m, int count, const double *values, const double *vectors, int skip, double accuracy)
{
    size_t n = (size_t)m->n;
    double *sorted = malloc(n * sizeof *sorted), *y = malloc(n * sizeof *y);
    memcpy(sorted, m->d, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, descending);
    double *found = malloc((size_t)count * sizeof *found);
    memcpy(found, values, (size_t)count * sizeof *found);
    qsort(found, (size_t)count, sizeof *found, descending);
    for (int k = 0; k < count; k++) {
        if (!(fabs(found[k] - sorted[k + skip]) < accuracy * sorted[0]))
            fail_msg("value %d is %.15g, not %.15g", k, found[k], sorted[k + skip]);
        const double *v = vectors + (size_t)k * n;
        assert_int_equal(apply(m, v, y, NULL), VV_OK);
        for (size_t i = 0; i < n; i++)
            assert_true(fabs(y[i] - values[k] * v[i]) < 100 * accuracy * sorted[0]);
        for (int j = 0; j <= k; j++)
            assert_true(fabs(vv_eigen_dot(m->n, v, vectors + (size_t)j * n) - (j == k)) < 1e-9);
    }
    free(sorted);
    free(y);
    free(found);
}

typedef vvStatus method(const vv_eigen_problem *, int, double *, double *, vvError *);

static void each_method_finds_them(void **state)
{
    (void)state;
    struct {
        method *find;
        int n, count;
        double accuracy;
    } all[] = { { vv_eigenpairs_dense, 90, 30, 1e-13 }, { vv_eigenpairs_subspace, 300, 30, 1e-9 },
                { vv_eigenpairs, 90, 90, 1e-13 },       { vv_eigenpairs, 900, 1, 1e-11 },
                { vv_eigenpairs, 900, 60, 1e-11 },      { vv_eigenpairs, 401, 400, 1e-12 } };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        mirror m = make_mirror(all[i].n);
        size_t n = (size_t)m.n, count = (size_t)all[i].count;
        double *values = malloc(count * sizeof *values), *vectors = malloc(count * n * sizeof *vectors);
        vvError error = { 0 };
        for (int k = 0; k < m.n; k++)
            m.d[k] = falling(7 * k % m.n); /* each once; 7 divides none of the sizes */
        vv_eigen_problem p = { m.n, apply, &m, 0, NULL };
        if (all[i].find(&p, all[i].count, values, vectors, &error))
            fail_msg("%s", error.message);
        check_pairs(&m, all[i].count, values, vectors, 0, all[i].accuracy);
        free(values);
        free(vectors);
        free_mirror(&m);
    }
}

/* What is left out is not found, though its values are the largest; the next ones are. */
static void some_are_left_out(void **state)
{
    (void)state;
    enum { APART = 6, COUNT = 20 };
    static const int sizes[] = { 60, 600 };
    for (int s = 0; s < 2; s++) {
        mirror m = make_mirror(sizes[s]);
        size_t n = (size_t)m.n;
        double *apart = malloc(APART * n * sizeof *apart), values[COUNT],
               *vectors = malloc(COUNT * n * sizeof *vectors);
        vvError error = { 0 };
        for (int k = 0; k < m.n; k++)
            m.d[k] = k < APART ? 50 + k : falling(k);
        for (int k = 0; k < APART; k++)
            column(&m, k, apart + (size_t)k * n);
        vv_eigen_problem p = { m.n, apply, &m, APART, apart };
        assert_int_equal(vv_eigenpairs(&p, COUNT, values, vectors, &error), VV_OK);
        check_pairs(&m, COUNT, values, vectors, APART, 1e-12);
        for (int k = 0; k < COUNT; k++)
            for (int j = 0; j < APART; j++)
                assert_true(fabs(vv_eigen_dot(m.n, vectors + (size_t)k * n, apart + (size_t)j * n)) < 1e-12);
        assert_int_equal(vv_eigenpairs(&p, m.n - APART + 1, values, vectors, &error), VV_ERROR_INPUT);
        assert_int_equal(vv_eigenpairs(&p, 0, values, vectors, &error), VV_ERROR_INPUT);
        free(apart);
        free(vectors);
        free_mirror(&m);
    }
}

/* A value that occurs more often than a Krylov method would notice by itself; and what is left out is not taken for
 * one that is 0. */
static void values_that_occur_often(void **state)
{
    (void)state;
    enum { OFTEN = 45, COUNT = 60, APART = 6, SMALL = 60 };
    mirror m = make_mirror(700), small = make_mirror(SMALL);
    double values[COUNT], *vectors = malloc(COUNT * 700 * sizeof *vectors), apart[APART * SMALL];
    vvError error = { 0 };
    for (int k = 0; k < m.n; k++)
        m.d[k] = k % 3 == 0 && k < 3 * OFTEN ? 1 : 0.9 / (1 + 0.1 * k);
    vv_eigen_problem p = { m.n, apply, &m, 0, NULL };
    if (vv_eigenpairs(&p, COUNT, values, vectors, &error))
        fail_msg("%s", error.message);
    check_pairs(&m, COUNT, values, vectors, 0, 1e-11);
    for (int k = 0; k < SMALL; k++)
        small.d[k] = k < APART ? 50 + k : k < 50 ? falling(k) : 0;
    for (int k = 0; k < APART; k++)
        column(&small, k, apart + (size_t)k * SMALL);
    vv_eigen_problem q = { SMALL, apply, &small, APART, apart };
    assert_int_equal(vv_eigenpairs(&q, SMALL - APART, values, vectors, &error), VV_OK);
    for (int k = 0; k < SMALL - APART; k++)
        for (int j = 0; j < APART; j++)
            assert_true(fabs(vv_eigen_dot(SMALL, vectors + (size_t)k * SMALL, apart + (size_t)j * SMALL)) < 1e-12);
    free(vectors);
    free_mirror(&m);
    free_mirror(&small);
}

typedef struct one_search {
    int n, count;
    double *values, *vectors;
    vvStatus status;
} one_search;

static void *run_search(void *user)
{
    one_search *s = user;
    mirror m = make_mirror(s->n);
    for (int k = 0; k < m.n; k++)
        m.d[k] = falling(k);
    vv_eigen_problem p = { m.n, apply, &m, 0, NULL };
    s->values = calloc((size_t)s->count, sizeof(double));
    s->vectors = calloc((size_t)s->count * (size_t)s->n, sizeof(double));
    s->status = vv_eigenpairs(&p, s->count, s->values, s->vectors, NULL);
    free_mirror(&m);
    return NULL;
}

/* Searches of different sizes at the same time give what they give one after the other; the first large component is
 * positive. */
static void same_bits_side_by_side(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    one_search alone[THREADS], beside[THREADS];
    pthread_t thread[THREADS];
    for (int t = 0; t < THREADS; t++) {
        alone[t] = beside[t] = (one_search){ .n = 450 + 50 * t, .count = 12 + t };
        run_search(&alone[t]);
        assert_int_equal(alone[t].status, VV_OK);
    }
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(pthread_create(&thread[t], NULL, run_search, &beside[t]), 0);
    for (int t = 0; t < THREADS; t++) {
        pthread_join(thread[t], NULL);
        assert_int_equal(beside[t].status, VV_OK);
        assert_memory_equal(alone[t].values, beside[t].values, (size_t)alone[t].count * sizeof(double));
        assert_memory_equal(alone[t].vectors, beside[t].vectors,
                            (size_t)alone[t].count * (size_t)alone[t].n * sizeof(double));
        for (int k = 0; k < alone[t].count; k++) {
            const double *v = alone[t].vectors + (size_t)k * (size_t)alone[t].n;
            double most = 0;
            int first = 0;
            for (int i = 0; i < alone[t].n; i++)
                most = fmax(most, fabs(v[i]));
            while (!(fabs(v[first]) > 0.9 * most))
                first++;
            assert_true(v[first] > 0 && (k == 0 || alone[t].values[k] <= alone[t].values[k - 1]));
        }
        free(alone[t].values);
        free(alone[t].vectors);
        free(beside[t].values);
        free(beside[t].vectors);
    }
}

/* An operator that makes a search of its own on its tenth call, as a host's callback may. */
typedef struct nested {
    mirror m;
    int calls;
    one_search inner;
} nested;
static vvStatus apply_nested(void *user, const double *x, double *y, vvError *error)
{
    nested *n = user;
    if (++n->calls == 10)
        run_search(&n->inner);
    return apply(&n->m, x, y, error);
}
static void searches_in_each_other(void **state)
{
    (void)state;
    enum { COUNT = 10 };
    nested n = { .m = make_mirror(500), .inner = { .n = 450, .count = 5 } };
    double values[COUNT], *vectors = malloc(COUNT * 500 * sizeof *vectors);
    for (int k = 0; k < n.m.n; k++)
        n.m.d[k] = falling(k);
    vv_eigen_problem p = { n.m.n, apply_nested, &n, 0, NULL };
    assert_int_equal(vv_eigenpairs(&p, COUNT, values, vectors, NULL), VV_OK);
    assert_int_equal(n.inner.status, VV_OK);
    check_pairs(&n.m, COUNT, values, vectors, 0, 1e-11);
    for (int k = 0; k < 5; k++)
        assert_true(fabs(n.inner.values[k] - 1) < 1e-9); /* the first five */
    free(n.inner.values);
    free(n.inner.vectors);
    free(vectors);
    free_mirror(&n.m);
}

/* A failure of the operator ends each search with its own status; a value that nearly all share ends it with words. */
static void failures_come_through(void **state)
{
    (void)state;
    static method *const all[] = { vv_eigenpairs_dense, vv_eigenpairs_subspace, vv_eigenpairs };
    enum { COUNT = 8 };
    for (int i = 0; i < 3; i++)
        for (int at = 1; at < 40; at += 19) {
            mirror m = make_mirror(450);
            double values[COUNT], *vectors = malloc(COUNT * 450 * sizeof *vectors);
            vvError error = { 0 };
            for (int k = 0; k < m.n; k++)
                m.d[k] = falling(k);
            m.fails_at = at;
            vv_eigen_problem p = { m.n, apply, &m, 0, NULL };
            assert_int_equal(all[i](&p, COUNT, values, vectors, &error), VV_CANCELLED);
            assert_string_equal(error.message, "enough");
            free(vectors);
            free_mirror(&m);
        }
}

static void dense_matrices_of_any_size(void **state)
{
    (void)state;
    enum { N = 70 };
    static double a[N * N], before[N * N], values[N], vectors[N * N], room[4 * N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++)
            a[N * i + j] = a[N * j + i] = sin(3.0 * i + 7.0 * j * j) + (i == j ? i % 7 : 0);
    memcpy(before, a, sizeof a);
    vv_eigen_dense(N, a, values, vectors, room);
    for (int k = 0; k < N; k++)
        for (int i = 0; i < N; i++) {
            double sum = -values[k] * vectors[N * k + i];
            for (int j = 0; j < N; j++)
                sum += before[N * i + j] * vectors[N * k + j];
            assert_true(fabs(sum) < 1e-12 * N);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_method_finds_them),     cmocka_unit_test(some_are_left_out),
        cmocka_unit_test(values_that_occur_often),    cmocka_unit_test(same_bits_side_by_side),
        cmocka_unit_test(searches_in_each_other),     cmocka_unit_test(failures_come_through),
        cmocka_unit_test(dense_matrices_of_any_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

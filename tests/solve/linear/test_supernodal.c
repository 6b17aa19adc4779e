/* Large Cholesky factors are made piece by piece: to CHOLMOD's own bits where no piece is cut, near to them where one
 * is; a host that lets go of one between any two pieces gets the same factor when it comes back; and a matrix that is
 * not positive definite shows at the same column. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#if defined(VV_HAVE_SUPERNODAL) && defined(VV_HAVE_OPENBLAS)

#include "size.h"
#include "solve/linear/blas_threads.h"
#include "solve/linear/supernodal.h"

typedef struct problem {
    cholmod_common common;
    cholmod_sparse *a; /* lower triangle, in its factor's order */
    cholmod_factor *factor;
    double flops;
} problem;

/* A grid of springs between each point and its 26 neighbours, held softly everywhere: along x, y and z so many points,
 * each with `size` unknowns. */
static cholmod_sparse *grid(cholmod_common *c, int points, int size)
{
    const int n = points * points * points * size;
    cholmod_triplet *t =
        cholmod_allocate_triplet((size_t)n, (size_t)n, (size_t)n * 14 * (size_t)size, -1, CHOLMOD_REAL, c);
    int *row = t->i, *column = t->j;
    double *x = t->x;
    for (int v = 0; v < n; v++) {
        const int p = v / size, at[3] = { p % points, p / points % points, p / points / points };
        for (int step = 0; step < 27; step++) {
            int q[3], w = 0;
            bool inside = true;
            for (int k = 0, s = step; k < 3; k++, s /= 3)
                q[k] = at[k] + s % 3 - 1, inside = inside && q[k] >= 0 && q[k] < points;
            if (!inside)
                continue;
            for (int k = 0; k < size; k++) {
                w = size * (q[0] + points * (q[1] + points * q[2])) + k;
                if (w > v)
                    continue;
                row[t->nnz] = v, column[t->nnz] = w;
                x[t->nnz++] = w == v ? 27.0 * size + 1e-3 * (v % 17) : -1 - 0.01 * ((v * 7 + w) % 5) / 5;
            }
        }
    }
    cholmod_sparse *a = cholmod_triplet_to_sparse(t, t->nnz, c);
    cholmod_free_triplet(&t, c);
    return a;
}

static void open(problem *p, int points, int size)
{
    cholmod_start(&p->common);
    p->common.print = 0;
    p->common.final_ll = 1;
    p->common.quick_return_if_not_posdef = 1;
    cholmod_sparse *a = grid(&p->common, points, size);
    p->common.supernodal = CHOLMOD_SUPERNODAL;
    cholmod_factor *order = cholmod_analyze(a, &p->common);
    cholmod_sparse *upper = cholmod_ptranspose(a, 2, order->Perm, NULL, 0, &p->common);
    p->a = cholmod_ptranspose(upper, 2, NULL, NULL, 0, &p->common);
    cholmod_sort(p->a, &p->common);
    p->common.nmethods = 1;
    p->common.method[0].ordering = CHOLMOD_NATURAL;
    p->common.postorder = 0;
    p->factor = cholmod_analyze(p->a, &p->common);
    p->flops = p->common.fl;
    assert_int_equal(p->a->stype, -1);
    assert_true(p->factor->is_super);
    assert_true(p->flops > 1e9); /* a large one */
    cholmod_free_factor(&order, &p->common);
    cholmod_free_sparse(&a, &p->common);
    cholmod_free_sparse(&upper, &p->common);
}

static void close_problem(problem *p)
{
    cholmod_free_factor(&p->factor, &p->common);
    cholmod_free_sparse(&p->a, &p->common);
    cholmod_finish(&p->common);
    assert_int_equal(p->common.malloc_count, 0);
}

typedef struct asked {
    long count, at;
} asked;

static bool answer(void *user)
{
    asked *a = user;
    return ++a->count == a->at;
}

static bool make(problem *p, asked *a)
{
    vv_stop stop = { .world = { answer, a }, .caller = pthread_self() };
    const vv_parallel par = { .threads = 1, .stop = &stop };
    a->count = 0;
    return vv_cholmod_factorise(p->a, p->factor, p->flops, &par, &p->common);
}

/* The numbers of the lower trapezoids: above the diagonal there is nothing to compare. */
static double largest_difference(const cholmod_factor *f, const double *other)
{
    const int *super = f->super, *pi = f->pi, *px = f->px;
    const double *x = f->x;
    double largest = 0;
    for (size_t s = 0; s < f->nsuper; s++)
        for (int j = 0, rows = pi[s + 1] - pi[s]; j < super[s + 1] - super[s]; j++)
            for (int i = j; i < rows; i++) {
                const size_t at = (size_t)px[s] + (size_t)i + (size_t)j * (size_t)rows;
                largest = fmax(largest, fabs(x[at] - other[at]));
            }
    return largest;
}

static double *numbers(const cholmod_factor *f)
{
    double *copy = malloc(f->xsize * sizeof *copy);
    memcpy(copy, f->x, f->xsize * sizeof *copy);
    return copy;
}

static void a_factor_is_cholmods_and_may_be_left(void **state)
{
    (void)state;
    problem p;
    open(&p, 26, 1);
    assert_true(cholmod_factorize(p.a, p.factor, &p.common) && p.factor->minor == p.factor->n);
    double *wanted = numbers(p.factor);
    asked a = { 0, 0 };
    assert_true(make(&p, &a));
    assert_true(largest_difference(p.factor, wanted) == 0);
    const long all = a.count;
    print_message("asked %ld times in %.3g flops\n", all, p.flops);
    assert_true(all > 100);
    for (long k = 1; k <= all; k += 1 + all / (sanitized() ? 3 : 12)) {
        a.at = k;
        assert_false(make(&p, &a));
        assert_int_equal(a.count, k);
        assert_int_equal(p.common.status, CHOLMOD_OK);
        assert_true(p.factor->minor < p.factor->n);
    }
    a.at = 0;
    assert_true(make(&p, &a));
    assert_true(largest_difference(p.factor, wanted) == 0);
    free(wanted);
    close_problem(&p);
}

static void where_a_matrix_is_not_positive_definite(void **state)
{
    (void)state;
    problem p;
    open(&p, 26, 1);
    const int *start = p.a->p, n = (int)p.a->ncol, bad[] = { 3, n / 2, n - 2 };
    double *x = p.a->x;
    for (int k = 0; k < 3; k++) {
        const double before = x[start[bad[k]]];
        asked a = { 0, 0 };
        x[start[bad[k]]] = -1;
        cholmod_factorize(p.a, p.factor, &p.common);
        assert_int_equal(p.common.status, CHOLMOD_NOT_POSDEF);
        const size_t minor = p.factor->minor;
        assert_false(make(&p, &a));
        assert_int_equal(p.common.status, CHOLMOD_NOT_POSDEF);
        assert_int_equal(p.factor->minor, minor);
        assert_int_equal(minor, (size_t)bad[k]);
        x[start[bad[k]]] = before;
    }
    asked a = { 0, 0 };
    assert_true(make(&p, &a));
    close_problem(&p);
}

/* A supernode of 3000 columns and more, whose factorisation is cut. */
static void a_factor_in_cut_pieces(void **state)
{
    (void)state;
    if (sanitized())
        skip();
    problem p;
    open(&p, 22, 3);
    assert_true(cholmod_factorize(p.a, p.factor, &p.common) && p.factor->minor == p.factor->n);
    double *wanted = numbers(p.factor);
    asked a = { 0, 0 };
    assert_true(make(&p, &a));
    const double difference = largest_difference(p.factor, wanted);
    print_message("asked %ld times in %.3g flops; %.2g from CHOLMOD's\n", a.count, p.flops, difference);
    assert_true(difference > 0 && difference < 1e-11); /* of diagonals of about 10 */
    free(wanted);
    close_problem(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_factor_is_cholmods_and_may_be_left),
        cmocka_unit_test(where_a_matrix_is_not_positive_definite),
        cmocka_unit_test(a_factor_in_cut_pieces),
    };
    const vv_blas_scope scope = vv_blas_enter(1); /* their number decides the bits */
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    vv_blas_leave(scope);
    return failed;
}
#else
int main(void) { return 0; } /* no such factors in this build */
#endif

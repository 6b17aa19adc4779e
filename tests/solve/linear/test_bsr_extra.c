/* Blocks outside the matrix's fixed pattern: products and every linear solver against the dense matrix; neither the
 * order in which they are added, nor what earlier assemblies added, nor the number of threads changes a bit; lost
 * memory is reported. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "contact_matrix.h"
#include "grid_matrix.h"
#include "size.h"
#include "short_memory.h"
#include "solve/linear/linear.h"

#include <math.h>
#include <string.h>

static const grid small = { 4, 3, 5, 0.05, 1000, 1e5, 0.3, 1.0 / 30 };
static const grid wide = { 50, 8, 8, 0.05, 1000, 1e5, 0.3, 1.0 / 30 }; /* 3200 nodes: several domains and chunks */

static void add_contacts(vv_bsr *a, const contact *list, int count)
{
    for (int i = 0; i < count; i++)
        add_contact(a, list + i);
    vv_bsr_finish(a);
    assert_int_equal(vv_bsr_status(a, NULL), VV_OK);
}

static double *vector(int n, uint64_t seed)
{
    double *x = vv_alloc(3 * (size_t)n, sizeof *x);
    for (int k = 0; k < 3 * n; k++)
        x[k] = grid_random(&seed);
    return x;
}

/* The whole matrix by the definition; entry (i, j) at 3 n j + i. */
static double *dense(const vv_bsr *fixed, const contact *list, int count)
{
    size_t m = 3 * (size_t)fixed->n;
    double *d = vv_alloc(m * m, sizeof *d);
    for (int i = 0; i < fixed->n; i++)
        for (int k = fixed->row_start[i]; k < fixed->row_start[i + 1]; k++)
            for (size_t e = 0; e < 9; e++)
                d[m * (3 * (size_t)fixed->col[k] + e / 3) + 3 * (size_t)i + e % 3] = fixed->val[9 * (size_t)k + e];
    for (int i = 0; i < count; i++)
        for (size_t e = 0; e < 144; e++) {
            size_t p = e / 12, q = e % 12;
            d[m * (3 * (size_t)list[i].node[p / 3] + p % 3) + 3 * (size_t)list[i].node[q / 3] + q % 3] +=
                list[i].v[p] * list[i].v[q];
        }
    return d;
}

/* ||b - D x|| / ||b|| */
static double dense_residual(const double *d, int n, const double *b, const double *x)
{
    size_t m = 3 * (size_t)n;
    double rr = 0, bb = 0;
    for (size_t i = 0; i < m; i++) {
        double r = b[i];
        for (size_t j = 0; j < m; j++)
            r -= d[m * j + i] * x[j];
        rr += r * r;
        bb += b[i] * b[i];
    }
    return sqrt(rr / bb);
}

static double stiffness_of(const vv_bsr *a) { return a->val[9 * (size_t)a->diag[a->n / 2]]; }

static void test_product(void **state)
{
    (void)state;
    enum { CONTACTS = 25 };
    vv_bsr fixed, a;
    assert_true(grid_build(&fixed, &small) && grid_build(&a, &small));
    contact list[CONTACTS];
    make_contacts(list, CONTACTS, a.n, stiffness_of(&a), 3);
    double *x = vector(a.n, 4), *y = vv_alloc(3 * (size_t)a.n, sizeof *y), *z = vv_alloc(3 * (size_t)a.n, sizeof *z);
    vv_bsr_multiply(&a, NULL, x, y);
    double *d = dense(&fixed, list, CONTACTS);
    add_contacts(&a, list, CONTACTS);
    assert_true(a.extra.nnz > 0 && a.extra.nnz == 2 * a.extra.couplings && a.extra.rows <= a.n);
    for (int i = 0; i < a.n; i++)
        for (int k = a.extra.start[i]; k < a.extra.start[i + 1]; k++) {
            assert_int_equal(vv_bsr_slot(&a, i, a.extra.col[k]), a.nnz);
            assert_true(k == a.extra.start[i] || a.extra.col[k] > a.extra.col[k - 1]);
        }
    for (int threads = 1; threads <= 3; threads++)
        for (int isa = VV_ISA_BASE; isa <= (int)vv_cpu_isa(); isa++) {
            vv_parallel par = { .threads = threads };
            a.isa = (vv_isa)isa;
            memset(z, 0xff, 3 * (size_t)a.n * sizeof *z);
            vv_bsr_multiply(&a, &par, x, z);
            assert_true(dense_residual(d, a.n, z, x) < 1e-14);
            if (threads == 1 && isa == VV_ISA_BASE)
                memcpy(y, z, 3 * (size_t)a.n * sizeof *y);
            assert_memory_equal(y, z, 3 * (size_t)a.n * sizeof *y);
        }
    /* an assembly with none is the fixed pattern alone */
    vv_bsr_clear(&a, NULL);
    vv_bsr_multiply(&a, NULL, x, z);
    for (int k = 0; k < 3 * a.n; k++)
        assert_true(z[k] == 0);
    vv_free(x), vv_free(y), vv_free(z), vv_free(d);
    vv_bsr_free(&a);
    vv_bsr_free(&fixed);
}

static void test_prescribed_and_diagonal(void **state)
{
    (void)state;
    vv_bsr a;
    assert_true(grid_build(&a, &small));
    size_t bytes = 9 * ((size_t)a.nnz + 1) * sizeof *a.val;
    double block[9] = { 1, 2, 3, 2, 4, 5, 3, 5, 6 }, *before = vv_alloc(bytes, 1);
    memcpy(before, a.val, bytes);
    vv_bsr_add(&a, -1, 3, block);
    vv_bsr_add(&a, 3, -1, block);
    vv_bsr_finish(&a);
    assert_memory_equal(a.val, before, bytes);
    assert_int_equal(a.extra.nnz, 0);
    vv_bsr_add(&a, 5, 5, block);
    vv_bsr_finish(&a);
    assert_int_equal(a.extra.nnz, 0);
    for (size_t k = 0; k < 9; k++)
        assert_true(a.val[9 * (size_t)a.diag[5] + k] == before[9 * (size_t)a.diag[5] + k] + block[k]);
    vv_free(before);
    vv_bsr_free(&a);
}

/* The same contacts after other ones, and their pairs in another order and orientation: the same layout, bit by bit. */
static void test_history(void **state)
{
    (void)state;
    enum { CONTACTS = 40, OTHERS = 300 };
    vv_bsr a, b;
    assert_true(grid_build(&a, &small) && grid_build(&b, &small));
    contact list[CONTACTS], others[OTHERS];
    make_contacts(list, CONTACTS, a.n, 1, 5);
    make_contacts(others, OTHERS, a.n, 7, 6);
    vv_bsr_clear(&a, NULL);
    add_contacts(&a, list, CONTACTS);
    for (int round = 0; round < 12; round++) { /* sets that grow, shrink, vanish and repeat */
        static const int counts[] = { OTHERS, 3, 0, 0, 200, 200, 1, OTHERS, 100, 2, 2, 50 };
        vv_bsr_clear(&b, NULL);
        add_contacts(&b, others + (round % 3), counts[round] - (counts[round] == OTHERS ? 3 : 0));
        vv_bsr_clear(&b, NULL);
        if (round % 2) {
            add_contacts(&b, list, CONTACTS);
        } else { /* every pair's contributions come in the contacts' order still, the pairs in another one */
            for (int kl = 15; kl >= 0; kl--)
                if (kl / 4 >= kl % 4)
                    for (int i = 0; i < CONTACTS; i++)
                        add_pair(&b, list + i, kl / 4, kl % 4);
            vv_bsr_finish(&b);
        }
        assert_int_equal(vv_bsr_status(&b, NULL), VV_OK);
        assert_int_equal(a.extra.nnz, b.extra.nnz);
        assert_int_equal(a.extra.rows, b.extra.rows);
        assert_memory_equal(a.extra.row, b.extra.row, (size_t)a.extra.rows * sizeof *a.extra.row);
        assert_memory_equal(a.extra.start, b.extra.start, ((size_t)a.n + 1) * sizeof *a.extra.start);
        assert_memory_equal(a.extra.col, b.extra.col, (size_t)a.extra.nnz * sizeof *a.extra.col);
        assert_memory_equal(a.extra.coupling, b.extra.coupling, (size_t)a.extra.couplings * sizeof *a.extra.coupling);
        for (size_t k = 0; k < 9 * (size_t)a.extra.nnz; k++)
            if (round % 2)
                assert_true(a.extra.val[k] == b.extra.val[k]);
            else /* a pair of two contacts may be summed in another order */
                assert_true(fabs(a.extra.val[k] - b.extra.val[k]) < 1e-15);
    }
    vv_bsr_free(&a);
    vv_bsr_free(&b);
}

static vv_linear *make(const vv_linear_ops *ops, const vv_bsr *a, int threads)
{
    vv_parallel par = { .threads = threads };
    vv_linear *s = NULL;
    assert_int_equal(ops->create(a, &par, &s, NULL), VV_OK);
    return s;
}

static vv_linear_stats run(vv_linear *s, const vv_bsr *a, const double *b, double *x, double tolerance)
{
    vv_linear_stats stats;
    memset(x, 0xff, 3 * (size_t)a->n * sizeof *x);
    assert_int_equal(s->ops->solve(s, a, b, x, tolerance, 20000, &stats, NULL), VV_OK);
    assert_true(stats.converged);
    assert_false(stats.indefinite);
    return stats;
}

/* One solver for sets of contacts that change between solves: right each time, and to the bits of a fresh solver. */
static void test_solvers(void **state)
{
    (void)state;
    enum { MOST = 60 };
    static const int counts[] = { 0, 12, 12, MOST, 5, 0, 30 };
    vv_bsr a;
    assert_true(grid_build(&a, &small));
    size_t bytes = 3 * (size_t)a.n * sizeof(double), all = 9 * ((size_t)a.nnz + 1) * sizeof *a.val;
    double *kept = vv_alloc(all, 1), *b = vector(a.n, 8), *x = vv_alloc(bytes, 1), *y = vv_alloc(bytes, 1);
    memcpy(kept, a.val, all);
    contact list[MOST];
    for (int i = 0; vv_linear_table(i); i++)
        for (double stiff = 1; stiff < 200; stiff *= 10) {
            make_contacts(list, MOST, a.n, stiff * kept[9 * (size_t)a.diag[a.n / 2]], 9);
            vv_linear *s = make(vv_linear_table(i), &a, 2);
            for (int k = 0; k < 7; k++) {
                int first = k == 2 ? 20 : 0; /* as many, but others */
                vv_bsr_clear(&a, NULL);
                memcpy(a.val, kept, all);
                double *d = dense(&a, list + first, counts[k]);
                add_contacts(&a, list + first, counts[k]);
                run(s, &a, b, x, 1e-10);
                assert_true(dense_residual(d, a.n, b, x) < 1e-8);
                run(s, &a, b, y, 1e-10);
                assert_true(dense_residual(d, a.n, b, y) < 1e-8);
                if (vv_linear_table(i)->state_size == 0) { /* what the choice of "auto" remembers is meant to matter */
                    assert_memory_equal(x, y, bytes);
                    vv_linear *fresh = make(vv_linear_table(i), &a, 1);
                    run(fresh, &a, b, y, 1e-10);
                    assert_memory_equal(x, y, bytes);
                    fresh->ops->destroy(fresh);
                }
                vv_free(d);
            }
            s->ops->destroy(s);
        }
    vv_free(kept), vv_free(b), vv_free(x), vv_free(y);
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
    enum { CONTACTS = 200 };
    vv_bsr a;
    assert_true(grid_build(&a, &wide));
    contact list[CONTACTS];
    size_t bytes = 3 * (size_t)a.n * sizeof(double), all = 9 * ((size_t)a.nnz + 1) * sizeof *a.val;
    double *kept = vv_alloc(all, 1), *b = vector(a.n, 8), *x[2] = { vv_alloc(bytes, 1), vv_alloc(bytes, 1) };
    memcpy(kept, a.val, all);
    for (int i = 0; vv_linear_table(i); i++) {
        /* couplings all over the place would make the factor large, and large factors use BLAS's threads */
        bool factor = strcmp(vv_linear_table(i)->info.name, "cholesky") == 0;
        make_contacts(list, CONTACTS, factor ? 100 : a.n, kept[9 * (size_t)a.diag[a.n / 2]], 12);
        vv_bsr_clear(&a, NULL);
        memcpy(a.val, kept, all);
        add_contacts(&a, list, CONTACTS);
        for (int isa = VV_ISA_BASE; isa <= (int)vv_cpu_isa(); isa++)
            for (int threads = 1; threads <= 4; threads++) {
                if (!is_tried(isa, threads))
                    continue;
                a.isa = (vv_isa)isa;
                vv_linear *s = make(vv_linear_table(i), &a, threads);
                bool first = isa == VV_ISA_BASE && threads == 1;
                run(s, &a, b, x[!first], 1e-5);
                if (!first)
                    assert_memory_equal(x[0], x[1], bytes);
                s->ops->destroy(s);
            }
    }
    vv_free(kept), vv_free(b), vv_free(x[0]), vv_free(x[1]);
    vv_bsr_free(&a);
}

/* Contacts that were there once leave no trace in a matrix without any. */
static void test_none_again(void **state)
{
    (void)state;
    vv_bsr a;
    assert_true(grid_build(&a, &small));
    size_t bytes = 3 * (size_t)a.n * sizeof(double), all = 9 * ((size_t)a.nnz + 1) * sizeof *a.val;
    double *kept = vv_alloc(all, 1), *b = vector(a.n, 8), *x = vv_alloc(bytes, 1), *y = vv_alloc(bytes, 1);
    memcpy(kept, a.val, all);
    contact list[20];
    make_contacts(list, 20, a.n, stiffness_of(&a), 9);
    for (int i = 0; vv_linear_table(i); i++) {
        vv_linear *s = make(vv_linear_table(i), &a, 2);
        const char *used = run(s, &a, b, x, 1e-7).used;
        vv_bsr_clear(&a, NULL);
        memcpy(a.val, kept, all);
        add_contacts(&a, list, 20);
        run(s, &a, b, y, 1e-7);
        assert_memory_not_equal(x, y, bytes);
        vv_bsr_clear(&a, NULL);
        memcpy(a.val, kept, all);
        vv_bsr_finish(&a);
        if (strcmp(used, run(s, &a, b, y, 1e-7).used) == 0) /* "auto" may have chosen anew */
            assert_memory_equal(x, y, bytes);
        s->ops->destroy(s);
    }
    vv_free(kept), vv_free(b), vv_free(x), vv_free(y);
    vv_bsr_free(&a);
}

/* Two boxes one on the other, shifted; each vertex of either side pushes the three below it. */
static void stack_boxes(vv_bsr *a, const grid *g)
{
    vv_pattern pattern = { .n = 2 * g->nx * g->ny * g->nz };
    for (int pass = 0; pass < 2; pass++) {
        for (int cell = 0; cell < 2 * (g->nx - 1) * (g->ny - 1) * (g->nz - 1); cell++)
            for (int t = 0; t < 6; t++) {
                int c = cell / 2, node[4];
                double x[4][3];
                grid_tet(g, c % (g->nx - 1), c / (g->nx - 1) % (g->ny - 1), c / ((g->nx - 1) * (g->ny - 1)), t, node,
                         x);
                for (int k = 0; k < 4; k++)
                    node[k] += cell % 2 * (pattern.n / 2);
                if (pass == 0)
                    vv_pattern_clique(&pattern, node, 4);
                else
                    grid_add_tet(a, g, node, x);
            }
        if (pass == 0)
            assert_int_equal(vv_bsr_build(a, &pattern, NULL), VV_OK);
    }
    vv_pattern_free(&pattern);
}

static void press(vv_bsr *a, const grid *g, double stiffness)
{
    int under = g->nx * g->ny * (g->nz - 1), over = g->nx * g->ny * g->nz;
    for (int j = 0; j + 1 < g->ny; j++)
        for (int i = 0; i + 1 < g->nx; i++)
            for (int side = 0; side < 2; side++) {
                /* from above a vertex meets the triangle to its right, from below the one to its left */
                int at = j * g->nx + i, mine = side ? under : over, other = side ? over : under;
                static const double weight[4] = { 1, -0.42, -0.37, -0.21 }, normal[3] = { 0.28, -0.1, 0.955 };
                contact c = { .node = { mine + (side ? at + g->nx + 1 : at), other + (side ? at + g->nx + 1 : at),
                                        other + (side ? at + g->nx : at + 1), other + (side ? at : at + g->nx + 1) } };
                for (int k = 0; k < 12; k++)
                    c.v[k] = sqrt(stiffness) * weight[k / 3] * normal[k % 3];
                add_contact(a, &c);
            }
    vv_bsr_finish(a);
}

/* Contact 1e4 times stiffer than the bodies: "pcg" takes about the iterations that it takes without, from its third
 * solve on, when it has found out what that saves. */
static void test_stiff_contact(void **state)
{
    (void)state;
    if (!vv_linear_find("cholesky"))
        skip(); /* the rows in contact are factorised with its library */
    grid g = { 12, 11, 6, 0.05, 1000, 1e6, 0.3, 1.0 / 30 };
    int iterations[2] = { 0 }, n = 2 * g.nx * g.ny * g.nz;
    double *b = vector(n, 3), *x = vv_alloc(3 * (size_t)n, sizeof *x), *y = vv_alloc(3 * (size_t)n, sizeof *y);
    for (int k = 0; k < 2; k++) {
        vv_bsr a;
        stack_boxes(&a, &g);
        double elastic = stiffness_of(&a);
        if (k > 0)
            press(&a, &g, elastic * 1e4);
        vv_linear *pcg = make(vv_linear_find("pcg"), &a, 1), *cholesky = make(vv_linear_find("cholesky"), &a, 1);
        for (int solve = 0; solve < 3; solve++) {
            const int before = iterations[k];
            iterations[k] = run(pcg, &a, b, x, 1e-5).iterations;
            print_message("%s contact, solve %d: %d iterations\n", k ? "stiff" : "no", solve, iterations[k]);
            assert_true(k == 0 || solve != 1 || 5 * iterations[k] < before); /* there was something to be found */
        }
        run(cholesky, &a, b, y, 1e-5);
        double away = 0, size = 0;
        for (int i = 0; i < 3 * n; i++) {
            away += (x[i] - y[i]) * (x[i] - y[i]);
            size += y[i] * y[i];
        }
        assert_true(away < 1e-6 * size);
        pcg->ops->destroy(pcg);
        cholesky->ops->destroy(cholesky);
        vv_bsr_free(&a);
    }
    assert_true(iterations[1] < 1.5 * iterations[0]);
    vv_free(b), vv_free(x), vv_free(y);
}

/* A run that is resumed between two sets of contacts goes on to the same bits: its matrix and its solver are new, and
 * of the past they know what "auto" saves. */
static void test_resumed(void **state)
{
    (void)state;
    enum { SOLVES = 24, HALF = 11, MOST = 60 };
    const vv_linear_ops *ops = vv_linear_find("auto");
    contact list[MOST];
    double *last[2], *b = NULL;
    void *saved = vv_alloc(ops->state_size, 1);
    size_t bytes = 0;
    for (int resumed = 0; resumed < 2; resumed++) {
        vv_bsr a;
        assert_true(grid_build(&a, &small));
        bytes = 3 * (size_t)a.n * sizeof(double);
        size_t all = 9 * ((size_t)a.nnz + 1) * sizeof *a.val;
        double *kept = vv_alloc(all, 1);
        memcpy(kept, a.val, all);
        make_contacts(list, MOST, a.n, 50 * stiffness_of(&a), 9);
        last[resumed] = vv_alloc(bytes, 1);
        vv_free(b);
        b = vector(a.n, 8);
        vv_linear *s = make(ops, &a, 1 + resumed);
        if (resumed)
            ops->load(s, saved);
        for (int k = resumed ? HALF : 0; k < SOLVES; k++) {
            if (!resumed && k == HALF)
                ops->save(s, saved);
            vv_bsr_clear(&a, NULL);
            memcpy(a.val, kept, all);
            add_contacts(&a, list + k, k * 7 % (MOST - SOLVES));
            run(s, &a, b, last[resumed], 1e-6);
        }
        s->ops->destroy(s);
        vv_free(kept);
        vv_bsr_free(&a);
    }
    assert_memory_equal(last[0], last[1], bytes);
    vv_free(last[0]), vv_free(last[1]), vv_free(b), vv_free(saved);
}

static bool tries_gradients(const vv_linear_stats *stats)
{
    return strstr(stats->reason, "tried again") || strstr(stats->reason, "too many iterations");
}

/* While "auto" factorises, contacts come that make the factor dearer: conjugate gradients are tried within eight
 * solves, however seldom they were tried before. */
static void test_dearer(void **state)
{
    (void)state;
    enum { CONTACTS = 80, BEFORE = 70, SOON = 8 };
    static const grid stiff = { 11, 10, 10, 0.05, 1000, 1e5, 0.3, 300 };
    if (!vv_linear_find("cholesky"))
        skip();
    contact list[CONTACTS];
    vv_bsr a;
    assert_true(grid_build(&a, &stiff));
    size_t all = 9 * (size_t)a.nnz * sizeof *a.val;
    double *b = vector(a.n, 7), *x = vector(a.n, 8), *kept = vv_alloc(all, 1);
    make_contacts(list, CONTACTS, a.n, stiffness_of(&a), 3);
    memcpy(kept, a.val, all);
    vv_linear *s = NULL;
    vv_linear_stats stats;
    assert_int_equal(vv_linear_find("auto")->create(&a, NULL, &s, NULL), VV_OK);
    int tried = -1;
    for (int k = 0; k < BEFORE; k++) {
        assert_int_equal(s->ops->solve(s, &a, b, x, 1e-3, 100000, &stats, NULL), VV_OK);
        tried = tries_gradients(&stats) ? k : tried;
    }
    assert_string_equal(stats.used, "cholesky");
    assert_true(tried > 0 && tried + 4 * SOON > BEFORE); /* the next try would be long after */
    vv_bsr_clear(&a, NULL);
    memcpy(a.val, kept, all);
    add_contacts(&a, list, CONTACTS);
    bool soon = false;
    for (int k = 0; k <= SOON; k++) { /* the first one learns of it */
        assert_int_equal(s->ops->solve(s, &a, b, x, 1e-3, 100000, &stats, NULL), VV_OK);
        soon = soon || tries_gradients(&stats);
    }
    assert_true(soon);
    s->ops->destroy(s);
    vv_bsr_free(&a);
    vv_free(b), vv_free(x), vv_free(kept);
}

/* Whichever allocation fails, the assembly says so; the next one, with memory, is whole. */
static void test_memory(void **state)
{
    (void)state;
    contact list[60];
    vv_bsr whole, a;
    assert_true(grid_build(&whole, &small));
    make_contacts(list, 60, whole.n, 1, 5);
    vv_bsr_clear(&whole, NULL);
    add_contacts(&whole, list, 60);
    bool enough = false;
    for (int k = 0; !enough; k++) {
        assert_true(k < 200);
        assert_true(grid_build(&a, &small));
        budget few = { .left = k };
        vvAllocator before = vv_memory_use(budget_allocator(&few));
        vv_bsr_clear(&a, NULL);
        for (int i = 0; i < 60; i++)
            add_contact(&a, list + i);
        vv_bsr_finish(&a);
        enough = few.left >= 0;
        assert_int_equal(vv_bsr_status(&a, NULL), enough ? VV_OK : VV_ERROR_MEMORY);
        assert_int_equal(vv_bsr_status(&a, NULL), enough ? VV_OK : VV_ERROR_MEMORY); /* it stays said */
        vv_memory_use(before);
        vv_bsr_clear(&a, NULL);
        add_contacts(&a, list, 60);
        assert_int_equal(a.extra.nnz, whole.extra.nnz);
        assert_memory_equal(a.extra.val, whole.extra.val, 9 * (size_t)a.extra.nnz * sizeof *a.extra.val);
        vv_bsr_free(&a);
    }
    vv_bsr_free(&whole);
}

/* A solve with so many contacts that their factor is supernodal: whichever allocation fails, it says so, and works
 * when it is tried again, with the same bits. */
static void test_solve_memory(void **state)
{
    (void)state;
    enum { CONTACTS = 40 };
    static const grid block = { 9, 7, 8, 0.05, 1000, 1e5, 0.3, 1.0 / 30 };
    static const char *const names[] = { "pcg", "auto" };
    contact list[CONTACTS];
    vv_bsr a;
    assert_true(grid_build(&a, &block));
    size_t bytes = 3 * (size_t)a.n * sizeof(double);
    double *b = vector(a.n, 7), *x = vv_alloc(bytes, 1), *whole = vv_alloc(bytes, 1);
    make_contacts(list, CONTACTS, a.n, 1e3 * stiffness_of(&a), 3);
    add_contacts(&a, list, CONTACTS);
    for (int name = 0; name < 2; name++) {
        const vv_linear_ops *ops = vv_linear_find(names[name]);
        vv_linear_stats stats = { 0 };
        bool enough = false;
        for (int k = -1; !enough; k++) { /* -1: enough of it */
            assert_true(k < 200);
            vv_linear *s = NULL;
            assert_int_equal(ops->create(&a, NULL, &s, NULL), VV_OK);
            budget few = { .left = k < 0 ? 1000000 : k, .once = true };
            vvAllocator before = vv_memory_use(budget_allocator(&few));
            vvStatus status = ops->solve(s, &a, b, x, 1e-6, 10000, &stats, NULL);
            enough = k >= 0 && few.left >= 0;
            vv_memory_use(before);
            assert_int_equal(status, k < 0 || enough ? VV_OK : VV_ERROR_MEMORY);
            if (status != VV_OK)
                assert_int_equal(ops->solve(s, &a, b, x, 1e-6, 10000, &stats, NULL), VV_OK);
            assert_true(stats.converged);
            if (k < 0)
                memcpy(whole, x, bytes);
            assert_memory_equal(x, whole, bytes);
            ops->destroy(s);
        }
    }
    vv_bsr_free(&a);
    vv_free(b), vv_free(x), vv_free(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_product),      cmocka_unit_test(test_prescribed_and_diagonal),
        cmocka_unit_test(test_history),      cmocka_unit_test(test_solvers),
        cmocka_unit_test(test_none_again),   cmocka_unit_test(test_threads_same_bits),
        cmocka_unit_test(test_resumed),      cmocka_unit_test(test_stiff_contact),
        cmocka_unit_test(test_dearer),       cmocka_unit_test(test_memory),
        cmocka_unit_test(test_solve_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

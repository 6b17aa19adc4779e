/* The second level of "pcg" and the choice among its preconditioners: iterations on cubes, from both sides; aggregates
 * that are flat, straight, single nodes or of several bodies; bits on threads and instruction sets; states; what is not
 * positive definite. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "level_matrix.h"
#include "short_memory.h"
#include "size.h"
#include "solve/pcg/aggregates.h"
#include "solve/pcg/dense_tiles.h"
#include "solve/linear/linear_rows.h"
#include "solve/pcg/second_level.h"

#include <math.h>
#include <string.h>

static const grid cube10 = { 11, 11, 11, 0.01, 1000, 1e6, 0.3, 1.0 / 30 };

static double *vector(int n, uint64_t seed)
{
    double *x = vv_alloc(3 * (size_t)n, sizeof *x);
    assert_non_null(x);
    for (int k = 0; k < 3 * n; k++)
        x[k] = grid_random(&seed);
    return x;
}

static vv_linear *make(const char *name, const vv_bsr *a, int threads)
{
    vv_linear *s = NULL;
    assert_int_equal(vv_linear_find(name)->create(a, &(vv_parallel){ .threads = threads }, &s, NULL), VV_OK);
    return s;
}

static vv_linear_stats run(vv_linear *s, const vv_bsr *a, const double *b, double *x, double tolerance)
{
    vv_linear_stats stats;
    assert_int_equal(s->ops->solve(s, a, b, x, tolerance, 20000, &stats, NULL), VV_OK);
    return stats;
}

static double residual(const vv_bsr *a, const double *b, const double *x)
{
    double *y = vv_alloc(3 * (size_t)a->n, sizeof *y), rr = 0, bb = 0;
    vv_bsr_multiply(a, NULL, x, y);
    for (int k = 0; k < 3 * a->n; k++) {
        rr += (b[k] - y[k]) * (b[k] - y[k]);
        bb += b[k] * b[k];
    }
    vv_free(y);
    return sqrt(rr / bb);
}

/* The mode in use, as it is saved. */
static int mode_of(const vv_linear *s)
{
    vv_pcg_memories saved;
    s->ops->save(s, &saved);
    return saved.apart.mode;
}

/* ---- iterations ---- */

static void test_cubes(void **state)
{
    (void)state;
    for (int side = 11; side <= (sized(0, 0, 1) ? 33 : 21); side += side == 21 ? 12 : 10)
        for (double young = 1e6; young < (side < 20 ? 1e9 : 1e8); young *= 10) {
            const grid g = { side, side, side, 0.1 / (side - 1), 1000, young, 0.3, 1.0 / 30 };
            level_matrix m;
            assert_true(level_build(&m, &g));
            double *b = vector(m.a.n, 3), *x = vector(m.a.n, 4);
            vv_linear *s = make("pcg", &m.a, 2);
            int with = 0, most = 0;
            for (int k = 0; k < 4; k++) {
                const vv_linear_stats stats = run(s, &m.a, b, x, 1e-3);
                assert_true(stats.converged);
                with += stats.iterations;
                most = stats.iterations > most ? stats.iterations : most;
            }
            assert_int_equal(mode_of(s), VV_PCG_SECOND);
            s->ops->destroy(s);
            m.a.place = NULL; /* nobody knows where the nodes are: without it */
            s = make("pcg", &m.a, 2);
            const int without = run(s, &m.a, b, x, 1e-3).iterations;
            print_message("cube of %d cells, E %g: %d iterations in 4 solves, %d in one without\n", side - 1, young,
                          with, without);
            assert_int_equal(mode_of(s), VV_PCG_PLAIN);
            assert_true(with <= 4 * 30 && most <= 30); /* aggregates are layers, in this order of nodes */
            assert_true(without > 45);
            s->ops->destroy(s);
            level_free(&m);
            vv_free(b), vv_free(x);
        }
}

/* Where few iterations do, there is none. */
static void test_soft_bodies_have_none(void **state)
{
    (void)state;
    grid g = cube10;
    g.young = 2e4, g.h = 1.0 / 240;
    level_matrix m;
    assert_true(level_build(&m, &g));
    double *b = vector(m.a.n, 3), *x = vector(m.a.n, 4);
    vv_linear *s = make("pcg", &m.a, 1);
    for (int k = 0; k < 30; k++)
        assert_true(run(s, &m.a, b, x, 1e-3).iterations < 20);
    assert_int_equal(mode_of(s), VV_PCG_PLAIN);
    s->ops->destroy(s);
    level_free(&m);
    vv_free(b), vv_free(x);
}

/* ---- bits ---- */

/* Several domains, chunks and tiles. */
static void test_threads_same_bits(void **state)
{
    (void)state;
    const grid g = { 19, 17, 15, 0.01, 1000, 1e8, 0.3, 1.0 / 30 };
    level_matrix m;
    assert_true(level_build(&m, &g));
    double *b = vector(m.a.n, 3), *x[2] = { vector(m.a.n, 4), vector(m.a.n, 5) };
    for (int isa = VV_ISA_BASE; isa <= (int)vv_cpu_isa(); isa++)
        for (int threads = 1; threads <= 3; threads++) {
            const bool first = isa == VV_ISA_BASE && threads == 1;
            m.a.isa = (vv_isa)isa;
            vv_linear *s = make("pcg", &m.a, threads);
            for (int k = 0; k < 2; k++)
                run(s, &m.a, b, x[!first], k ? 1e-8 : 1e-3);
            assert_int_equal(mode_of(s), VV_PCG_SECOND);
            if (!first)
                assert_memory_equal(x[0], x[1], 3 * (size_t)m.a.n * sizeof *b);
            s->ops->destroy(s);
        }
    level_free(&m);
    vv_free(b), vv_free(x[0]), vv_free(x[1]);
}

/* From soft to stiff and back; saved and loaded half way. */
static void test_state(void **state)
{
    (void)state;
    enum { SOLVES = 60 };
    grid g = cube10;
    level_matrix m[2];
    g.young = 2e4, g.h = 1.0 / 240;
    assert_true(level_build(&m[0], &cube10) && level_build(&m[1], &g));
    const size_t bytes = 3 * (size_t)m[0].a.n * sizeof(double);
    static const char *const names[] = { "pcg", "auto" };
    for (int name = 0; name < 2; name++) {
        const vv_linear_ops *ops = vv_linear_find(names[name]);
        double *b = vector(m[0].a.n, 3), *x = vector(m[0].a.n, 4), *last = vector(m[0].a.n, 4);
        char *saved = vv_alloc(ops->state_size, 1),
             *end[2] = { vv_alloc(ops->state_size, 1), vv_alloc(ops->state_size, 1) };
        for (int half = 3; half < SOLVES; half += sized(29, 13, 7))
            for (int resumed = 0; resumed < 2; resumed++) {
                vv_linear *s = make(names[name], &m[0].a, 1 + resumed);
                if (resumed)
                    ops->load(s, saved);
                for (int k = resumed ? half : 0; k < SOLVES; k++) {
                    if (!resumed && k == half)
                        ops->save(s, saved);
                    run(s, &m[k >= 5 && k < 40].a, b, x, 1e-4);
                }
                ops->save(s, end[resumed]);
                if (resumed) {
                    assert_memory_equal(x, last, bytes);
                    assert_memory_equal(end[0], end[1], ops->state_size);
                }
                memcpy(last, x, bytes);
                ops->destroy(s);
            }
        vv_free(b), vv_free(x), vv_free(last), vv_free(saved), vv_free(end[0]), vv_free(end[1]);
    }
    level_free(&m[0]), level_free(&m[1]);
}

/* States of other bodies, and such as nobody saved, teach nothing. */
static void test_foreign_state(void **state)
{
    (void)state;
    level_matrix m;
    assert_true(level_build(&m, &cube10));
    double *b = vector(m.a.n, 3), *x = vector(m.a.n, 4);
    vv_linear *s = make("pcg", &m.a, 1);
    vv_pcg_memories fresh, learned, bad, seen;
    s->ops->save(s, &fresh);
    run(s, &m.a, b, x, 1e-3);
    s->ops->save(s, &learned);
    assert_true(learned.apart.rate[VV_PCG_SECOND] > 0);
    for (int k = 0; k < 6; k++) {
        bad = learned;
        switch (k) {
        case 0: bad.apart.unknowns = bad.touching.unknowns = m.a.n + 1; break;
        case 1: bad.apart.rate[0] = NAN; break;
        case 2: bad.touching.mode = VV_PCG_MODES; break;
        case 3: bad.apart.after[1] = 0; break;
        case 4: bad.apart.until[2] = -1; break;
        case 5: bad.apart.start[2] = -1; break;
        }
        s->ops->load(s, &learned);
        s->ops->load(s, &bad);
        s->ops->save(s, &seen);
        assert_memory_equal(&seen, &fresh, sizeof seen);
    }
    s->ops->load(s, &learned);
    s->ops->save(s, &seen);
    assert_memory_equal(&seen, &learned, sizeof seen);
    s->ops->destroy(s);
    level_free(&m);
    vv_free(b), vv_free(x);
}

/* ---- aggregates ---- */

/* Asks for the second level in the next solve. */
static void ask_for_it(vv_linear *s)
{
    vv_pcg_memories saved;
    s->ops->save(s, &saved);
    saved.apart.mode = VV_PCG_SECOND;
    saved.apart.rate[VV_PCG_SECOND] = 1e-3, saved.apart.rate[VV_PCG_PLAIN] = 1e6;
    s->ops->load(s, &saved);
}

enum { FLAT, STRAIGHT, ONE_PLACE, PAIRS, SINGLES, THREE, FAR, AGGREGATE_CASES };

static void shape(level_matrix *m, int which)
{
    for (int i = 0; i < m->a.n; i++) {
        double *x = m->place + 3 * (size_t)i;
        if (which == FLAT)
            x[2] = x[0] + 2 * x[1];
        if (which == STRAIGHT)
            x[1] = 2 * x[0], x[2] = 3 * x[0];
        if (which == ONE_PLACE)
            x[0] = x[1] = x[2] = 7;
        if (which == FAR)
            x[0] += 1e5, x[2] -= 3e5;
        m->body[i] = which == PAIRS ? i / 2 : which == SINGLES ? i : which == THREE ? i / (m->a.n / 3) : 0;
    }
}

/* Whatever the nodes' places, the solution is the same; each case has the second level but for the crowd of single
 * nodes. */
static void test_aggregates(void **state)
{
    (void)state;
    const grid g = { 9, 9, 9, 0.01, 1000, 1e6, 0.3, 1.0 / 30 };
    for (int which = 0; which < AGGREGATE_CASES; which++) {
        level_matrix m;
        assert_true(level_build(&m, &g));
        shape(&m, which);
        double *b = vector(m.a.n, 3), *x = vector(m.a.n, 4);
        vv_linear *s = make("pcg", &m.a, 2);
        ask_for_it(s);
        const vv_linear_stats stats = run(s, &m.a, b, x, 1e-9);
        assert_true(stats.converged && !stats.indefinite);
        assert_true(residual(&m.a, b, x) < 1e-7);
        vv_pcg_memories saved;
        s->ops->save(s, &saved);
        print_message("places %d: %d iterations\n", which, stats.iterations);
        assert_true((saved.apart.iteration[VV_PCG_SECOND] > 0) == (which != SINGLES));
        assert_true(stats.iterations < 250);
        s->ops->destroy(s);
        level_free(&m);
        vv_free(b), vv_free(x);
    }
}

/* Places that say nothing, matrices that are not positive definite: answers as without. */
static void test_without_it(void **state)
{
    (void)state;
    for (int which = 0; which < 3; which++) {
        level_matrix m;
        assert_true(level_build(&m, &cube10));
        if (which == 0)
            m.place[17] = NAN;
        if (which == 1)
            m.place[17] = 1e200;
        if (which == 2) /* E is not positive definite, all diagonal blocks are */
            for (int k = 0; k < m.a.nnz; k++)
                for (int c = 0; c < 9; c++)
                    m.a.val[9 * (size_t)k + (size_t)c] *= 1.02;
        for (int i = 0; which == 2 && i < m.a.n; i++)
            for (int c = 0; c < 3; c++)
                m.a.val[9 * (size_t)m.a.diag[i] + 4 * (size_t)c] -= 2.2e-3;
        double *b = vector(m.a.n, 3), *x = vector(m.a.n, 4), slope = 0;
        vv_linear *s = make("pcg", &m.a, 1);
        ask_for_it(s);
        const vv_linear_stats stats = run(s, &m.a, b, x, 1e-6);
        for (int k = 0; k < 3 * m.a.n; k++)
            slope += b[k] * x[k];
        assert_true(slope > 0);
        assert_true(stats.converged == (which < 2) && stats.indefinite == (which == 2));
        assert_true(which == 2 || residual(&m.a, b, x) < 1e-4);
        print_message("case %d: mode %d\n", which, mode_of(s));
        assert_true((mode_of(s) == VV_PCG_SECOND) == (which == 1)); /* its one aggregate has translations */
        s->ops->destroy(s);
        level_free(&m);
        vv_free(b), vv_free(x);
    }
}

/* Whichever allocation fails in a solve, it says so, and the next try has the bits of an undisturbed one. */
static void test_memory(void **state)
{
    (void)state;
    level_matrix m;
    assert_true(level_build(&m, &cube10));
    const size_t bytes = 3 * (size_t)m.a.n * sizeof(double);
    double *b = vector(m.a.n, 3), *x = vector(m.a.n, 4), *whole = vector(m.a.n, 4);
    bool enough = false;
    for (int k = -1; !enough; k++) {
        assert_true(k < 100);
        vv_linear *s = make("pcg", &m.a, 1);
        vv_linear_stats stats;
        vv_pcg_memories fresh;
        s->ops->save(s, &fresh);
        budget few = { .left = k < 0 ? 1000000 : k, .once = true };
        vvAllocator before = vv_memory_use(budget_allocator(&few));
        vvStatus status = s->ops->solve(s, &m.a, b, x, 1e-6, 10000, &stats, NULL);
        enough = k >= 0 && few.left >= 0;
        vv_memory_use(before);
        assert_int_equal(status, k < 0 || enough ? VV_OK : VV_ERROR_MEMORY);
        if (status != VV_OK) {
            s->ops->load(s, &fresh); /* as a step does that is undone */
            run(s, &m.a, b, x, 1e-6);
        }
        assert_int_equal(mode_of(s), VV_PCG_SECOND);
        memcpy(k < 0 ? whole : x, x, bytes);
        assert_memory_equal(x, whole, bytes);
        s->ops->destroy(s);
    }
    level_free(&m);
    vv_free(b), vv_free(x), vv_free(whole);
}

/* ---- E's factor ---- */

static void test_tiles(void **state)
{
    (void)state;
    enum { ROWS = 5, N = ROWS * VV_TILE };
    static const int first[ROWS] = { 0, 0, 2, 1, 0 };
    double *e = vv_alloc(N * N, sizeof *e), *b = vector(N / 3, 3), *x[2] = { vector(N / 3, 3), vector(N / 3, 3) };
    uint64_t seed = 5;
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++)
            e[N * i + j] = e[N * j + i] = j / VV_TILE < first[i / VV_TILE] ? 0 : i == j ? 0.5 * N : grid_random(&seed);
    for (int isa = VV_ISA_BASE; isa <= (int)vv_cpu_isa(); isa++)
        for (int threads = 1; threads <= 3; threads++)
            for (int spoilt = 0; spoilt < 2; spoilt++) {
                vv_dense_tiles d = { 0 };
                assert_true(vv_dense_tiles_rows(&d, ROWS));
                memcpy(d.first, first, sizeof first);
                assert_true(vv_dense_tiles_lay_out(&d));
                assert_int_equal(d.size, 12);
                for (int i = 0; i < N; i++)
                    for (int j = first[i / VV_TILE] * VV_TILE; j <= i; j++)
                        vv_dense_tile(&d, i / VV_TILE, j / VV_TILE)[VV_TILE * (j % VV_TILE) + i % VV_TILE] =
                            e[N * i + j] * (spoilt && i == j && i == 3 * VV_TILE + 7 ? 1e-3 : 1);
                assert_true(vv_dense_tiles_factorise(&d, (vv_isa)isa, &(vv_parallel){ .threads = threads }) == !spoilt);
                const bool one = isa == VV_ISA_BASE && threads == 1;
                for (int k = 0; k < N && !spoilt; k++)
                    x[!one][k] = b[k];
                if (!spoilt) {
                    vv_dense_tiles_forward(&d, (vv_isa)isa, x[!one]);
                    vv_dense_tiles_backward(&d, (vv_isa)isa, x[!one]);
                }
                if (!one)
                    assert_memory_equal(x[0], x[1], N * sizeof *b);
                vv_dense_tiles_free(&d);
            }
    for (int i = 0; i < N; i++) {
        double sum = -b[i];
        for (int j = 0; j < N; j++)
            sum += e[N * i + j] * x[0][j];
        assert_true(fabs(sum) < 1e-12);
    }
    vv_free(e), vv_free(b), vv_free(x[0]), vv_free(x[1]);
}

/* ---- the choice ---- */

/* Costs and rates that are known: the cheapest is in use within a few solves, and the other is seldom tried. */
static void test_choice(void **state)
{
    (void)state;
    enum { SOLVES = 2000 };
    const vv_pcg_shape shape = { .rows = 1000, .blocks = 14000, .entries = 1700, .tiles = 1, .flops = 1e3 };
    for (int cheap = 0; cheap < 2; cheap++) {
        vv_pcg_memory m;
        int used[VV_PCG_MODES] = { 0 };
        vv_pcg_memory_begin(&m, VV_PCG_PLAIN, 1000);
        for (int k = 0; k < SOLVES; k++) {
            vv_pcg_cost cost[VV_PCG_MODES];
            vv_pcg_price(&m, &shape, cost);
            const vv_pcg_mode mode = vv_pcg_choose(&m, cost);
            if (mode == VV_PCG_SECOND)
                vv_pcg_know_second(&m, &shape);
            used[mode]++;
            vv_pcg_learn(&m, cost, mode, mode == VV_PCG_SECOND ? 20 : cheap == VV_PCG_PLAIN ? 12 : 100, 1e-3);
            assert_true(vv_pcg_memory_sound(&m));
        }
        const int best = cheap ? VV_PCG_SECOND : VV_PCG_PLAIN;
        print_message("used: %d %d %d\n", used[0], used[1], used[2]);
        assert_int_equal(m.mode, best);
        assert_int_equal(used[VV_PCG_COUPLED], 0);
        assert_in_range(used[best], SOLVES - 20, SOLVES - 1);
    }
}

/* ---- which rows belong together ---- */

enum { EDGE = 14, PART = 100, ROWS_OF_TWO = 2 * EDGE * EDGE * EDGE };

/* Two cubes of nodes, their rows in random order within each. */
static void scatter_places(uint64_t seed, int *body, double *place)
{
    const int n = EDGE * EDGE * EDGE;
    int order[EDGE * EDGE * EDGE];
    for (int b = 0; b < 2; b++) {
        for (int i = 0; i < n; i++)
            order[i] = i;
        for (int i = n - 1; i > 0; i--) {
            const int j = (int)((grid_random(&seed) + 1) / 2 * (i + 1)) % (i + 1), t = order[i];
            order[i] = order[j];
            order[j] = t;
        }
        for (int i = 0; i < n; i++) {
            double *x = place + 3 * (size_t)(b * n + i);
            body[b * n + i] = b;
            x[0] = order[i] % EDGE + 100 * b, x[1] = order[i] / EDGE % EDGE, x[2] = order[i] / EDGE / EDGE;
        }
    }
}

/* However rows are numbered, aggregates are compact, of one body, and much of a size. */
static void test_compact(void **state)
{
    (void)state;
    static int body[ROWS_OF_TWO], member[ROWS_OF_TWO], first[ROWS_OF_TWO];
    static double place[3 * ROWS_OF_TWO];
    for (int seed = 1; seed <= 5; seed++) {
        scatter_places((uint64_t)seed, body, place);
        const vv_bsr a = { .n = ROWS_OF_TWO, .body = body, .place = place };
        bool seen[ROWS_OF_TWO] = { false };
        int parts = 0;
        vv_aggregates_divide(&a, PART, member, first);
        for (; first[parts] < a.n; parts++) {
            double low[3], high[3];
            const int size = first[parts + 1] - first[parts];
            assert_in_range(size, PART / 2, PART);
            for (int k = first[parts]; k < first[parts + 1]; k++) {
                const double *x = place + 3 * (size_t)member[k];
                assert_false(seen[member[k]]);
                seen[member[k]] = true;
                assert_int_equal(body[member[k]], body[member[first[parts]]]);
                for (int c = 0; c < 3; c++) {
                    low[c] = k == first[parts] || x[c] < low[c] ? x[c] : low[c];
                    high[c] = k == first[parts] || x[c] > high[c] ? x[c] : high[c];
                }
            }
            for (int c = 0; c < 3; c++)
                assert_true(high[c] - low[c] < 2 * cbrt(PART));
        }
        assert_int_equal(first[parts], a.n);
        assert_in_range(parts, ROWS_OF_TWO / PART, 2 * ((ROWS_OF_TWO / 2 - 1) / PART + 1));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cubes),
        cmocka_unit_test(test_soft_bodies_have_none),
        cmocka_unit_test(test_threads_same_bits),
        cmocka_unit_test(test_state),
        cmocka_unit_test(test_foreign_state),
        cmocka_unit_test(test_compact),
        cmocka_unit_test(test_aggregates),
        cmocka_unit_test(test_without_it),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

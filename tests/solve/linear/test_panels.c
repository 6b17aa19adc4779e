/* Half solves with a supernodal factor against substitution column by column, for every instruction set that this
 * machine has: supernodes wider than a panel, without rows below, with rows that fill no group. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "base/simd/variant.h"
#include "grid_matrix.h"
#include "short_memory.h"
#include "solve/linear/panels.h"

#include <math.h>
#include <string.h>

enum { N = 100, SUPERNODES = 7 };
static const int super[SUPERNODES + 1] = { 0, 3, 15, 16, 46, 58, 79, N };

typedef struct factor {
    vv_supernodes l;
    int pi[SUPERNODES + 1], px[SUPERNODES + 1], s[SUPERNODES * N];
    double x[N * N], dense[N][N]; /* dense[column][row] */
} factor;

/* Every supernode has some rows of those behind it: none, all, or one in `k`. */
static void make(factor *f)
{
    uint64_t seed = 5;
    int rows = 0, numbers = 0;
    memset(f, 0, sizeof *f);
    for (int k = 0; k < SUPERNODES; k++) {
        f->pi[k] = rows, f->px[k] = numbers;
        for (int i = super[k]; i < super[k + 1]; i++)
            f->s[rows++] = i;
        for (int i = super[k + 1]; k != 2 && i < N; i++)
            if (i % (k + 1) == 0)
                f->s[rows++] = i;
        for (int j = super[k]; j < super[k + 1]; j++)
            for (int r = f->pi[k]; r < rows; r++) {
                int i = f->s[r];
                double value = grid_random(&seed) + (i == j ? 4 : 0);
                f->dense[j][i] = i < j ? 0 : value; /* above the diagonal there may be anything */
                f->x[numbers++] = value;
            }
    }
    f->pi[SUPERNODES] = rows, f->px[SUPERNODES] = numbers;
    f->l = (vv_supernodes){ N, SUPERNODES, super, f->pi, f->px, f->s, f->x };
}

static void substitute(const factor *f, bool transposed, double *x)
{
    for (int k = 0; k < N; k++) {
        int j = transposed ? N - 1 - k : k;
        for (int i = j + 1; transposed && i < N; i++)
            x[j] -= f->dense[j][i] * x[i];
        x[j] /= f->dense[j][j];
        for (int i = j + 1; !transposed && i < N; i++)
            x[i] -= f->dense[j][i] * x[j];
    }
}

static void test_solves(void **state)
{
    (void)state;
    static factor f;
    vv_panels p = { 0 };
    make(&f);
    for (int again = 0; again < 2; again++) /* into the memory there is */
        assert_true(vv_panels_pack(&p, &f.l));
    assert_true(p.count > SUPERNODES);
    for (vv_isa isa = VV_ISA_BASE; isa <= vv_cpu_isa(); isa++)
        for (int transposed = 0; transposed < 2; transposed++) {
            const vv_panel_kernels *kernels = VV_VARIANT(isa, vv_panel_kernels);
            double x[N + 1], y[N];
            static double first[2][N];
            uint64_t seed = 9;
            for (int i = 0; i < N; i++)
                x[i] = y[i] = grid_random(&seed);
            x[N] = 0;
            (transposed ? kernels->solve_transposed : kernels->solve)(&p, x);
            substitute(&f, transposed, y);
            for (int i = 0; i < N; i++)
                assert_true(fabs(x[i] - y[i]) < 1e-12);
            if (isa == VV_ISA_BASE)
                memcpy(first[transposed], x, sizeof first[transposed]);
            assert_memory_equal(x, first[transposed], sizeof first[transposed]);
        }
    vv_panels_free(&p);
}

static void test_memory(void **state)
{
    (void)state;
    static factor f;
    bool done = false;
    int failed = 0;
    make(&f);
    while (!done) {
        budget few = { .left = failed };
        vv_panels p = { 0 };
        vvAllocator before = vv_memory_use(budget_allocator(&few));
        done = vv_panels_pack(&p, &f.l);
        assert_int_equal(done, few.left >= 0);
        vv_panels_free(&p);
        vv_memory_use(before);
        failed += !done;
    }
    assert_true(failed > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_solves), cmocka_unit_test(test_memory) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

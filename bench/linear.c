/* Cost of the linear solvers on M + h^2 K of box grids: time and bandwidth of a product and of a PCG iteration,
 * factorisation and solve. The constants of src/solve/linear/auto.c come from here. linear [THREADS [LARGEST]];
 * JSON, a line a matrix. */
#include "measure.h"

#include "base/sparse/bsr.h"
#include "solve/linear/linear.h"

#include "../tests/support/grid_matrix.h"

#include <stdio.h>
#include <string.h>

enum { RUNS = 5 };

static double product_seconds(const vv_bsr *a, const vv_parallel *par, const double *x, double *y)
{
    double t[RUNS];
    for (int k = -1; k < RUNS; k++) {
        double at = vv_seconds();
        for (int i = 0; i < 8; i++)
            vv_bsr_multiply(a, par, x, y);
        t[k < 0 ? 0 : k] = (vv_seconds() - at) / 8;
    }
    return median(t, RUNS);
}

/* Of a solve, analysis not counted; the values change a little each time, so that nothing is reused that should not
 * be. */
static double solve_seconds(const char *name, vv_bsr *a, const vv_parallel *par, const double *b, double *x,
                            double tolerance, bool change, vv_linear_stats *stats)
{
    const vv_linear_ops *ops = vv_linear_find(name);
    vv_linear *s = NULL;
    if (!ops || ops->create(a, par, &s, NULL) != VV_OK)
        return -1;
    double t[RUNS];
    for (int k = -1; k < RUNS; k++) {
        a->val[0] *= change ? 1 + 1e-9 : 1;
        double at = vv_seconds();
        ops->solve(s, a, b, x, tolerance, 5000, stats, NULL);
        t[k < 0 ? 0 : k] = vv_seconds() - at;
    }
    ops->destroy(s);
    return median(t, RUNS);
}

static void measure(const grid *g, const vv_parallel *par, double copy, bool direct)
{
    vv_bsr a;
    if (!grid_build(&a, g))
        return;
    size_t length = 3 * (size_t)a.n;
    double *b = vv_alloc(length, sizeof *b), *x = vv_alloc(length, sizeof *x);
    uint64_t seed = 1;
    /* what Newton meets: inertia, so the force is M times a smooth acceleration, and noise */
    for (size_t k = 0; k < length; k++)
        b[k] = 1 + 0.3 * grid_random(&seed);
    double product = product_seconds(&a, par, b, x);
    double bytes = 76.0 * a.nnz + 52.0 * a.n;
    printf("{\"nodes\": %d, \"blocks\": %d, \"h\": \"1/%.0f\", \"threads\": %d, \"product_ms\": %.4f, "
           "\"product_gbs\": %.1f, \"product_of_copy\": %.2f",
           a.n, a.nnz, 1 / g->h, par->threads, product * 1e3, bytes / product * 1e-9, bytes / product * 1e-9 / copy);
    vv_linear_stats stats;
    static const double tolerance[] = { 1e-3, 1e-6, 1e-9 };
    for (int k = 0; k < 3; k++) {
        double t = solve_seconds("pcg", &a, par, b, x, tolerance[k], false, &stats);
        printf(", \"pcg_%.0e\": {\"ms\": %.3f, \"iterations\": %d, \"us_iteration\": %.1f, \"ns_block\": %.3f}",
               tolerance[k], t * 1e3, stats.iterations, t * 1e6 / stats.iterations, t * 1e9 / stats.iterations / a.nnz);
    }
    if (direct) {
        double at = vv_seconds(), once = 0;
        const vv_linear_ops *ops = vv_linear_find("cholesky");
        vv_linear *s = NULL;
        if (ops && ops->create(&a, par, &s, NULL) == VV_OK) {
            ops->solve(s, &a, b, x, 1e-6, 1, &stats, NULL);
            once = vv_seconds() - at;
            ops->destroy(s);
        }
        double both = solve_seconds("cholesky", &a, par, b, x, 1e-6, true, &stats);
        double solve = solve_seconds("cholesky", &a, par, b, x, 1e-6, false, &stats);
        printf(", \"cholesky\": {\"first_ms\": %.2f, \"factor_ms\": %.2f, \"solve_ms\": %.2f}", once * 1e3,
               (both - solve) * 1e3, solve * 1e3);
    }
    printf("}\n");
    fflush(stdout);
    vv_free(b);
    vv_free(x);
    vv_bsr_free(&a);
}

int main(int argc, char **argv)
{
    vv_parallel par = { .threads = argc > 1 ? atoi(argv[1]) : vv_core_count() };
    int largest = argc > 2 ? atoi(argv[2]) : 50000;
    double copy = copy_gbs(&par);
    printf("{\"copy_gbs\": %.1f, \"threads\": %d}\n", copy, par.threads);
    static const int side[] = { 5, 7, 10, 14, 20, 30, 37 };
    for (int k = 0; k < 7; k++)
        for (int slow = 0; slow < 2; slow++) {
            int m = side[k];
            /* a body about 0.4 m long, as the shared meshes */
            grid g = { m, m, m, 0.4 / m, 1000, 1e5, 0.3, slow ? 1.0 / 30 : 1.0 / 120 };
            if (m * m * m <= largest)
                measure(&g, &par, copy, slow);
        }
    return 0;
}

/* The machine's own limits: copy bandwidth and dgemm, the best of several tries. */
#include "bench/bench.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef VV_HAVE_OPENBLAS
/* prototypes of the C BLAS interface and of OpenBLAS's thread control */
void cblas_dgemm(int order, int ta, int tb, int m, int n, int k, double alpha, const double *a, int lda,
                 const double *b, int ldb, double beta, double *c, int ldc);
void openblas_set_num_threads(int n);
#endif

static double copy_gbs(int threads)
{
    size_t n = (size_t)24 << 20; /* 3 x 192 MB: far beyond the caches */
    double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), best = 0;
    if (!a || !b) {
        free(a);
        free(b);
        return 0;
    }
    for (int r = -1; r < 5; r++) {
        double begin = vv_cli_seconds();
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(static)
#endif
        for (int part = 0; part < threads; part++) {
            size_t from = n / (size_t)threads * (size_t)part, length = n / (size_t)threads;
            if (r < 0) {
                memset(a + from, 1, length * sizeof *a);
                memset(b + from, 1, length * sizeof *b);
            } else {
                memcpy(a + from, b + from, length * sizeof *a);
            }
        }
        double rate = 2e-9 * (double)(n * sizeof *a) / (vv_cli_seconds() - begin);
        if (r >= 0 && rate > best)
            best = rate;
    }
    free(a);
    free(b);
    return best;
}

static double dgemm_gflops(int threads)
{
#ifdef VV_HAVE_OPENBLAS
    const int n = 1200;
    double *a = calloc(3 * (size_t)n * (size_t)n, sizeof *a), best = 0;
    if (!a)
        return 0;
    for (size_t i = 0; i < 2 * (size_t)n * (size_t)n; i++)
        a[i] = (double)(i % 17) * 0.1;
    openblas_set_num_threads(threads);
    for (int r = 0; r < 4; r++) {
        double begin = vv_cli_seconds();
        cblas_dgemm(102, 111, 111, n, n, n, 1, a, n, a + (size_t)n * (size_t)n, n, 0, a + 2 * (size_t)n * (size_t)n, n);
        double rate = 2e-9 * n * (double)n * n / (vv_cli_seconds() - begin);
        best = rate > best ? rate : best;
    }
    free(a);
    return best;
#else
    (void)threads;
    return 0;
#endif
}

vv_bench_machine vv_bench_measure_machine(void)
{
    vv_bench_machine m = { .cores = (int)sysconf(_SC_NPROCESSORS_ONLN) };
    for (int t = 1; t <= 2; t++) {
        m.copy_gbs[t] = copy_gbs(t);
        m.dgemm_gflops[t] = dgemm_gflops(t);
    }
    return m;
}

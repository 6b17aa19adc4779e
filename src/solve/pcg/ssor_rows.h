/* Inline parts of the passes over rows of four doubles (solve/pcg/ssor_kernel.h). */
#ifndef VV_SOLVE_PCG_SSOR_ROWS_H
#define VV_SOLVE_PCG_SSOR_ROWS_H

#include "base/sparse/kernel.h"
#include "solve/pcg/ssor_kernel.h"

#if defined(__AVX__)
#include <immintrin.h>
#endif

typedef float vv_f4 __attribute__((vector_size(16)));
typedef int64_t vv_i4 __attribute__((vector_size(32)));

VV_INLINE vv_d4 vv_ssor_get(const double *p, int i)
{
    vv_d4 v;
    memcpy(&v, p + 4 * (size_t)i, sizeof v);
    return v;
}
VV_INLINE void vv_ssor_put(double *p, int i, vv_d4 v) { memcpy(p + 4 * (size_t)i, &v, sizeof v); }
VV_INLINE vv_d4 vv_ssor_three(vv_d4 v) { return (vv_d4)((vv_i4)v & (vv_i4){ -1, -1, -1, 0 }); }
VV_INLINE vv_d4 vv_ssor_all(double a) { return (vv_d4){ a, a, a, a }; }
VV_INLINE vv_d4 vv_ssor_column(const float *b)
{
#if defined(__AVX__)
    return _mm256_cvtps_pd(_mm_loadu_ps(b)); /* GCC converts in two halves otherwise */
#else
    vv_f4 v;
    memcpy(&v, b, sizeof v);
    return __builtin_convertvector(v, vv_d4);
#endif
}
VV_INLINE double vv_ssor_sum3(vv_d4 v) { return v[0] + v[1] + v[2]; }

/* The sum over row i of one triangle. Fourth lane: what follows the column in memory, dropped by vv_ssor_three(). */
VV_INLINE vv_d4 vv_ssor_row(const vv_ssor_half *h, int i, const double *x)
{
    vv_d4 s0 = { 0 }, s1 = { 0 }, s2 = { 0 };
    const float *b = h->val + 9 * (size_t)h->start[i];
    for (int k = h->start[i]; k < h->start[i + 1]; k++, b += 9) {
        const double *u = x + 4 * (size_t)h->col[k];
        s0 += vv_ssor_column(b) * vv_ssor_all(u[0]);
        s1 += vv_ssor_column(b + 3) * vv_ssor_all(u[1]);
        s2 += vv_ssor_column(b + 6) * vv_ssor_all(u[2]);
    }
    return (s0 + s1) + s2;
}

#endif

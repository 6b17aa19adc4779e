/* Inner loops of the 3x3-block matrix, compiled once per instruction set (base/simd/simd.h), and their row product.
 *
 * Eight of a block's nine entries are in one 8-lane vector, the ninth is kept beside it: with the column-major block
 * b[3*s + r] lane l gathers b[l] * u[l / 3], so a block costs one 8-lane multiply-add and one scalar one. A row ends in
 * y_r = (lane r + lane r+3) + lane r+6, the same sum for every instruction set: the bits agree. */
#ifndef VV_BASE_SPARSE_KERNEL_H
#define VV_BASE_SPARSE_KERNEL_H

#include "base/simd/simd.h"

#include <string.h>
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

typedef double vv_d4 __attribute__((vector_size(32)));
typedef float vv_f8 __attribute__((vector_size(32)));

/* (u0 u0 u0 u1 u1 u1 u2 u2) */
VV_INLINE vv_d8 vv_bsr_spread(vv_d4 u) { return __builtin_shufflevector(u, u, 0, 0, 0, 1, 1, 1, 2, 2); }
VV_INLINE vv_d4 vv_bsr_load_x(const double *x)
{
    vv_d4 u;
    memcpy(&u, x, sizeof u);
    return u;
}
VV_INLINE vv_d8 vv_bsr_load(const double *b)
{
    vv_d8 v;
    memcpy(&v, b, sizeof v);
    return v;
}
VV_INLINE vv_d8 vv_bsr_load_float(const float *b)
{
#if defined(__AVX512F__)
    return (vv_d8)_mm512_cvtps_pd(_mm256_loadu_ps(b)); /* GCC converts in two halves otherwise */
#else
    vv_f8 v;
    memcpy(&v, b, sizeof v);
    return __builtin_convertvector(v, vv_d8);
#endif
}

typedef struct vv_bsr_sum {
    vv_d8 first; /* entries 0 .. 7 */
    double last; /* entry 8 */
} vv_bsr_sum;
VV_INLINE void vv_bsr_row_sum(const vv_bsr_sum *s, double y[3])
{
    y[0] = (s->first[0] + s->first[3]) + s->first[6];
    y[1] = (s->first[1] + s->first[4]) + s->first[7];
    y[2] = (s->first[2] + s->first[5]) + s->last;
}

/* Row i of y = A x, blocks [begin, end), end > begin. For the last block x is read as three numbers, as they may be the
 * last in x. */
#define VV_BSR_ROW(name, type, load)                                                                       \
    VV_INLINE void name(const int *col, const type *val, const double *x, int begin, int end, double y[3]) \
    {                                                                                                      \
        vv_bsr_sum s = { { 0 }, 0 };                                                                       \
        for (int k = begin; k < end - 1; k++) {                                                            \
            const double *u = x + 3 * (size_t)col[k];                                                      \
            const type *b = val + 9 * (size_t)k;                                                           \
            s.first += load(b) * vv_bsr_spread(vv_bsr_load_x(u));                                          \
            s.last += (double)b[8] * u[2];                                                                 \
        }                                                                                                  \
        const double *u = x + 3 * (size_t)col[end - 1];                                                    \
        const type *b = val + 9 * (size_t)(end - 1);                                                       \
        s.first += load(b) * vv_bsr_spread((vv_d4){ u[0], u[1], u[2], 0 });                                \
        s.last += (double)b[8] * u[2];                                                                     \
        vv_bsr_row_sum(&s, y);                                                                             \
    }
VV_BSR_ROW(vv_bsr_row, double, vv_bsr_load)
VV_BSR_ROW(vv_bsr_row_float, float, vv_bsr_load_float)

struct vv_bsr;
typedef void vv_bsr_rows_fn(const struct vv_bsr *a, const double *x, double *y, int begin, int end);
VV_VARIANTS(vv_bsr_rows_fn, vv_bsr_rows);
/* y += C x over the rows numbered begin to end - 1 among those with blocks outside the pattern; returns their part of
 * x.C x. */
typedef double vv_bsr_extra_rows_fn(const struct vv_bsr *a, const double *x, double *y, int begin, int end);
VV_VARIANTS(vv_bsr_extra_rows_fn, vv_bsr_extra_rows);

#endif

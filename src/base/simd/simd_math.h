/* Functions of eight lanes that the vector extensions lack: select, min, max, sqrt, log, atan2, transposition.
 *
 * All instruction sets give the same bits: sqrt is correctly rounded everywhere, log and atan2 are sums and products
 * in a fixed order. */
#ifndef VV_BASE_SIMD_SIMD_MATH_H
#define VV_BASE_SIMD_SIMD_MATH_H

#include "base/simd/simd.h"

#if defined(__SSE2__)
#include <immintrin.h>
#else
#include <math.h>
#endif

VV_INLINE vv_d8 vv8_set(double a) { return (vv_d8){ a, a, a, a, a, a, a, a }; }
VV_INLINE vv_d8 vv8_zero(void) { return (vv_d8){ 0 }; }
VV_INLINE vv_d8 vv8_load(const double *p) { return *(const vv_d8 *)p; } /* 64-byte aligned */

/* One register's width: GCC lowers comparisons of wider vectors to scalar code, so they are done part by part. */
#if defined(__AVX512F__)
enum { VV_PARTS = 1, VV_PART_BYTES = 64 };
#elif defined(__AVX__)
enum { VV_PARTS = 2, VV_PART_BYTES = 32 };
#else
enum { VV_PARTS = 4, VV_PART_BYTES = 16 };
#endif
typedef double vv_part_d __attribute__((vector_size(VV_PART_BYTES)));
typedef int64_t vv_part_i __attribute__((vector_size(VV_PART_BYTES)));
typedef union vv_parts {
    vv_d8 d;
    vv_i8 i;
    vv_part_d pd[VV_PARTS];
    vv_part_i pi[VV_PARTS];
} vv_parts;

/* a < b; false if either is NaN. */
VV_INLINE vv_i8 vv8_less(vv_d8 a, vv_d8 b)
{
    vv_parts x = { a }, y = { b }, mask;
    for (int k = 0; k < VV_PARTS; k++)
        mask.pi[k] = x.pd[k] < y.pd[k];
    return mask.i;
}
/* a <= b; false if either is NaN. */
VV_INLINE vv_i8 vv8_at_most(vv_d8 a, vv_d8 b)
{
    vv_parts x = { a }, y = { b }, mask;
    for (int k = 0; k < VV_PARTS; k++)
        mask.pi[k] = x.pd[k] <= y.pd[k];
    return mask.i;
}
VV_INLINE vv_i8 vv8_above(vv_d8 a, double b) { return vv8_less(vv8_set(b), a); }
VV_INLINE vv_i8 vv8_below(vv_d8 a, double b) { return vv8_less(a, vv8_set(b)); }

/* mask ? a : b, lane by lane; a mask's lanes are all ones or all zeros. */
VV_INLINE vv_d8 vv8_select(vv_i8 mask, vv_d8 a, vv_d8 b)
{
#if defined(__AVX512DQ__)
    return (vv_d8)_mm512_mask_blend_pd(_mm512_movepi64_mask((__m512i)mask), (__m512d)b, (__m512d)a);
#else
    vv_parts m = { .i = mask }, x = { a }, y = { b }, r;
    for (int k = 0; k < VV_PARTS; k++)
#if defined(__AVX__)
        r.pd[k] = (vv_part_d)_mm256_blendv_pd((__m256d)y.pd[k], (__m256d)x.pd[k], (__m256d)m.pd[k]);
#else
        r.pi[k] = (m.pi[k] & x.pi[k]) | (~m.pi[k] & y.pi[k]);
#endif
    return r.d;
#endif
}
VV_INLINE vv_d8 vv8_min(vv_d8 a, vv_d8 b) { return vv8_select(vv8_less(a, b), a, b); }
VV_INLINE vv_d8 vv8_max(vv_d8 a, vv_d8 b) { return vv8_select(vv8_less(b, a), a, b); }
VV_INLINE vv_d8 vv8_abs(vv_d8 a) { return (vv_d8)((vv_i8)a & INT64_MAX); }
/* a with its sign flipped where b is negative. */
VV_INLINE vv_d8 vv8_times_sign(vv_d8 a, vv_d8 b) { return (vv_d8)((vv_i8)a ^ ((vv_i8)b & INT64_MIN)); }

VV_INLINE int vv8_any(vv_i8 mask)
{
#if defined(__AVX512DQ__)
    return _mm512_movepi64_mask((__m512i)mask) != 0;
#elif defined(__AVX__)
    vv_parts m = { .i = mask };
    return !_mm256_testz_si256((__m256i)m.pi[0] | (__m256i)m.pi[1], (__m256i)m.pi[0] | (__m256i)m.pi[1]);
#else
    int64_t any = 0;
    for (int l = 0; l < VV_LANES; l++)
        any |= mask[l];
    return any != 0;
#endif
}

/* Sums in a fixed order. */
VV_INLINE double vv8_sum(vv_d8 a) { return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7])); }

VV_INLINE double vv8_least(vv_d8 a)
{
    double least = a[0];
    for (int l = 1; l < VV_LANES; l++)
        least = a[l] < least ? a[l] : least;
    return least;
}

VV_INLINE vv_d8 vv8_sqrt(vv_d8 a)
{
#if defined(__AVX512F__)
    return (vv_d8)_mm512_sqrt_pd((__m512d)a);
#elif defined(__AVX__)
    vv_parts p = { a };
    for (int k = 0; k < VV_PARTS; k++)
        p.pd[k] = (vv_part_d)_mm256_sqrt_pd((__m256d)p.pd[k]);
    return p.d;
#elif defined(__SSE2__)
    vv_parts p = { a };
    for (int k = 0; k < VV_PARTS; k++)
        p.pd[k] = (vv_part_d)_mm_sqrt_pd((__m128d)p.pd[k]);
    return p.d;
#else
    for (int l = 0; l < VV_LANES; l++)
        a[l] = sqrt(a[l]);
    return a;
#endif
}

/* ln x for finite x > 0, within 1 ulp. x = 2^k (1 + f) with 1 + f in [1/sqrt 2, sqrt 2]; with s = f/(2 + f),
 * ln(1 + f) = 2 artanh s = f - s (f - R), R = 2 (s^2/3 + s^4/5 + ...): f is exact and the correction small. */
VV_INLINE vv_d8 vv8_log(vv_d8 x)
{
    const double ln2_high = 0x1.62e42fee00000p-1, ln2_low = 0x1.a39ef35793c76p-33; /* k * ln2_high is exact */
    const int64_t one = 0x3ff0000000000000, magic = 0x4338000000000000;            /* 1.0; 2^52 + 2^51 */
    vv_i8 tiny = vv8_below(x, 0x1p-1022);                                          /* subnormal */
    x = vv8_select(tiny, x * 0x1p54, x);
    vv_i8 bits = (vv_i8)x, k = (bits >> 52) - 1023 - (tiny & 54);
    vv_d8 m = (vv_d8)((bits & 0x000fffffffffffff) | one);
    vv_i8 high = vv8_above(m, 0x1.6a09e667f3bcdp+0);
    m = vv8_select(high, m * 0.5, m);
    k -= high; /* a mask is -1 */
    vv_d8 e = (vv_d8)(k + magic) - 0x1.8p52, f = m - 1, s = f / (f + 2), z = s * s;
    vv_d8 r = vv8_set(2.0 / 21);
    for (int n = 19; n >= 3; n -= 2)
        r = r * z + 2.0 / n;
    r *= z;
    return e * ln2_high - ((s * (f - r) - e * ln2_low) - f);
}

/* The angle of the vector (x, y), within 3 ulp, for finite x and y whose sum is finite; 0 for (0, 0), pi for (-1, 0)
 * whatever the sign of the 0. The smaller of |x|, |y| over the larger is tan a for an a in [0, pi/4]; past pi/8 it is
 * tan(pi/4 + arctan f) with f = (small - large)/(small + large). So |f| <= tan(pi/8), and the series f - f^3/3 +
 * f^5/5 - ..., its odd and its even terms summed up side by side, ends with f^45. */
VV_INLINE vv_d8 vv8_atan2(vv_d8 y, vv_d8 x)
{
    const double half_pi_high = 0x1.921fb54442d18p+0, half_pi_low = 0x1.1a62633145c07p-54,
                 tan_pi_8 = 0x1.a827999fcef32p-2;
    vv_d8 ax = vv8_abs(x), ay = vv8_abs(y);
    vv_i8 steep = vv8_less(ax, ay);
    vv_d8 small = vv8_select(steep, ax, ay), large = vv8_select(steep, ay, ax);
    vv_i8 past = vv8_less(tan_pi_8 * large, small);
    vv_d8 below = vv8_select(past, small + large, large);
    vv_d8 f = vv8_select(past, small - large, small) / vv8_select(vv8_above(below, 0), below, vv8_set(1));
    vv_d8 z = f * f, w = z * z, odd = vv8_set(1.0 / 43), even = vv8_set(1.0 / 45);
    for (int n = 41; n >= 5; n -= 4) {
        even = even * w + 1.0 / n;
        odd = odd * w + 1.0 / (n - 2);
    }
    vv_d8 angle = f - f * (z * (odd - z * even));
    angle = vv8_select(past, (angle + 0.5 * half_pi_low) + 0.5 * half_pi_high, angle);
    angle = vv8_select(steep, (half_pi_low - angle) + half_pi_high, angle);
    angle = vv8_select(vv8_below(x, 0), (2 * half_pi_low - angle) + 2 * half_pi_high, angle);
    return vv8_select(vv8_below(y, 0), -angle, angle);
}

/* out[l] holds in[0..7][l]. */
VV_INLINE void vv8_transpose(const vv_d8 in[8], vv_d8 out[8])
{
#if defined(__AVX512F__)
    __m512d a[8], b[8];
    for (int i = 0; i < 4; i++) {
        a[2 * i] = _mm512_unpacklo_pd((__m512d)in[2 * i], (__m512d)in[2 * i + 1]);
        a[2 * i + 1] = _mm512_unpackhi_pd((__m512d)in[2 * i], (__m512d)in[2 * i + 1]);
    }
    for (int i = 0; i < 2; i++) /* a[4i..4i+3]: pairs of rows 4i, 4i+1 and 4i+2, 4i+3 */
        for (int j = 0; j < 2; j++) {
            b[4 * i + j] = _mm512_shuffle_f64x2(a[4 * i + j], a[4 * i + 2 + j], 0x88);     /* lanes j, 4 + j */
            b[4 * i + 2 + j] = _mm512_shuffle_f64x2(a[4 * i + j], a[4 * i + 2 + j], 0xdd); /* lanes 2 + j, 6 + j */
        }
    for (int j = 0; j < 2; j++)
        for (int h = 0; h < 2; h++) {
            out[2 * h + j] = (vv_d8)_mm512_shuffle_f64x2(b[2 * h + j], b[4 + 2 * h + j], 0x88);
            out[4 + 2 * h + j] = (vv_d8)_mm512_shuffle_f64x2(b[2 * h + j], b[4 + 2 * h + j], 0xdd);
        }
#elif defined(__AVX__)
    const union vv_halves {
        vv_d8 v;
        __m256d h[2];
    } *r = (const union vv_halves *)in;
    union vv_halves *o = (union vv_halves *)out;
    for (int i = 0; i < 2; i++)       /* elements 4i..4i+3 */
        for (int h = 0; h < 2; h++) { /* lanes 4h..4h+3 */
            __m256d t0 = _mm256_unpacklo_pd(r[4 * i].h[h], r[4 * i + 1].h[h]);
            __m256d t1 = _mm256_unpackhi_pd(r[4 * i].h[h], r[4 * i + 1].h[h]);
            __m256d t2 = _mm256_unpacklo_pd(r[4 * i + 2].h[h], r[4 * i + 3].h[h]);
            __m256d t3 = _mm256_unpackhi_pd(r[4 * i + 2].h[h], r[4 * i + 3].h[h]);
            o[4 * h].h[i] = _mm256_permute2f128_pd(t0, t2, 0x20);
            o[4 * h + 1].h[i] = _mm256_permute2f128_pd(t1, t3, 0x20);
            o[4 * h + 2].h[i] = _mm256_permute2f128_pd(t0, t2, 0x31);
            o[4 * h + 3].h[i] = _mm256_permute2f128_pd(t1, t3, 0x31);
        }
#else
    const double *p = (const double *)in;
    double *q = (double *)out;
    for (int l = 0; l < VV_LANES; l++)
        for (int k = 0; k < VV_LANES; k++)
            q[VV_LANES * l + k] = p[VV_LANES * k + l];
#endif
}

#endif

/* Groups of rows between memory, where an unknown is x y z 0, and registers, where x, y and z are vectors over the
 * rows; for triple_body.h. In single precision by transposing blocks of 4 x 4 within registers of any width; in
 * double number by number. */
#ifndef VV_SOLVE_CONSTANT_TRIPLE_ROWS_H
#define VV_SOLVE_CONSTANT_TRIPLE_ROWS_H

#include "base/simd/simd.h"

#include <stddef.h>
#include <string.h>

#if defined(__AVX512F__)
enum { PART_BYTES = 64 }; /* a register */
#elif defined(__AVX__)
enum { PART_BYTES = 32 };
#else
enum { PART_BYTES = 16 };
#endif
enum { PARTS = 64 / PART_BYTES };

typedef float single_part __attribute__((vector_size(PART_BYTES)));
typedef float single_four __attribute__((vector_size(16)));
typedef double double_part __attribute__((vector_size(PART_BYTES)));
typedef double double_four __attribute__((vector_size(32)));
typedef struct single_rows {
    single_part x[PARTS], y[PARTS], z[PARTS];
} single_rows; /* a group's three right-hand sides */
typedef struct double_rows {
    double_part x[PARTS], y[PARTS], z[PARTS];
} double_rows;

VV_INLINE single_four single_load4(const float *p)
{
    single_four v;
    memcpy(&v, p, sizeof v);
    return v;
}
VV_INLINE double_four double_load4(const double *p)
{
    double_four v;
    memcpy(&v, p, sizeof v);
    return v;
}
VV_INLINE void single_store4(float *p, single_four v) { memcpy(p, &v, sizeof v); }
VV_INLINE void double_store4(double *p, double_four v) { memcpy(p, &v, sizeof v); }

/* Within each four lanes of a and b: (a0 b0 a1 b1), (a2 b2 a3 b3), (a0 a1 b0 b1), (a2 a3 b2 b3). */
#define FOUR_LOW(l, n) (l), (l) + (n), (l) + 1, (l) + 1 + (n)
#define FOUR_HIGH(l, n) FOUR_LOW((l) + 2, n)
#define FOUR_FIRST(l, n) (l), (l) + 1, (l) + (n), (l) + 1 + (n)
#define FOUR_SECOND(l, n) FOUR_FIRST((l) + 2, n)
#if defined(__AVX512F__)
#define EACH_FOUR(f) f(0, 16), f(4, 16), f(8, 16), f(12, 16)
#elif defined(__AVX__)
#define EACH_FOUR(f) f(0, 8), f(4, 8)
#else
#define EACH_FOUR(f) f(0, 4)
#endif
VV_INLINE single_part low(single_part a, single_part b) { return __builtin_shufflevector(a, b, EACH_FOUR(FOUR_LOW)); }
VV_INLINE single_part high(single_part a, single_part b) { return __builtin_shufflevector(a, b, EACH_FOUR(FOUR_HIGH)); }
VV_INLINE single_part first(single_part a, single_part b)
{
    return __builtin_shufflevector(a, b, EACH_FOUR(FOUR_FIRST));
}
VV_INLINE single_part second(single_part a, single_part b)
{
    return __builtin_shufflevector(a, b, EACH_FOUR(FOUR_SECOND));
}

typedef float single_eight __attribute__((vector_size(32)));
VV_INLINE single_eight pair(single_four a, single_four b)
{
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
}
VV_INLINE single_four half(single_eight v, int h)
{
    return h ? __builtin_shufflevector(v, v, 4, 5, 6, 7) : __builtin_shufflevector(v, v, 0, 1, 2, 3);
}
#if defined(__AVX512F__)
VV_INLINE single_eight quarter_pair(single_part v, int h)
{
    return h ? __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15)
             : __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7);
}
#endif

/* The unknowns row[0], row[4], ... side by side, as many as a register holds. */
VV_INLINE single_part every_fourth(const float *y, const int *row)
{
#define ROW(k) single_load4(y + 4 * (size_t)row[k])
#if defined(__AVX512F__)
    return __builtin_shufflevector(pair(ROW(0), ROW(4)), pair(ROW(8), ROW(12)), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
                                   12, 13, 14, 15);
#elif defined(__AVX__)
    return pair(ROW(0), ROW(4));
#else
    return ROW(0);
#endif
#undef ROW
}

/* y[row[0]] += the first four lanes of v, y[row[4]] += the next, ... */
VV_INLINE void add_every_fourth(float *y, const int *row, single_part v)
{
#define ADD(k, four) single_store4(y + 4 * (size_t)row[k], single_load4(y + 4 * (size_t)row[k]) + (four))
#if defined(__AVX512F__)
    ADD(0, half(quarter_pair(v, 0), 0));
    ADD(4, half(quarter_pair(v, 0), 1));
    ADD(8, half(quarter_pair(v, 1), 0));
    ADD(12, half(quarter_pair(v, 1), 1));
#elif defined(__AVX__)
    ADD(0, half(v, 0));
    ADD(4, half(v, 1));
#else
    ADD(0, v);
#endif
#undef ADD
}

/* The rows `row` of y, as three vectors. */
VV_INLINE void single_gather(const float *y, const int *row, single_rows *out)
{
    for (int p = 0; p < PARTS; p++, row += PART_BYTES / 4) {
        single_part a = every_fourth(y, row), b = every_fourth(y, row + 1), c = every_fourth(y, row + 2),
                    d = every_fourth(y, row + 3);
        out->x[p] = first(low(a, b), low(c, d));
        out->y[p] = second(low(a, b), low(c, d));
        out->z[p] = first(high(a, b), high(c, d));
    }
}

/* Part p of s, as rows 0, 4, ..., rows 1, 5, ..., and so on. */
VV_INLINE void single_split(const single_rows *s, int p, single_part out[4])
{
    single_part none = { 0 };
    out[0] = first(low(s->x[p], s->y[p]), low(s->z[p], none));
    out[1] = second(low(s->x[p], s->y[p]), low(s->z[p], none));
    out[2] = first(high(s->x[p], s->y[p]), high(s->z[p], none));
    out[3] = second(high(s->x[p], s->y[p]), high(s->z[p], none));
}

/* y += s in the rows `row` */
VV_INLINE void single_scatter(float *y, const int *row, const single_rows *s)
{
    for (int p = 0; p < PARTS; p++, row += PART_BYTES / 4) {
        single_part r[4];
        single_split(s, p, r);
        for (int k = 0; k < 4; k++)
            add_every_fourth(y, row + k, r[k]);
    }
}

/* The three sums over the lanes. */
VV_INLINE single_four single_sum(const single_rows *s)
{
    single_part sum[PARTS];
    for (int p = 0; p < PARTS; p++) {
        single_part r[4];
        single_split(s, p, r);
        sum[p] = (r[0] + r[1]) + (r[2] + r[3]);
    }
#if defined(__AVX512F__)
    single_eight eight = quarter_pair(sum[0], 0) + quarter_pair(sum[0], 1);
    return half(eight, 0) + half(eight, 1);
#elif defined(__AVX__)
    single_eight eight = sum[0] + sum[1];
    return half(eight, 0) + half(eight, 1);
#else
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
#endif
}

VV_INLINE void double_gather(const double *y, const int *row, double_rows *out)
{
    double t[3][8];
    for (int r = 0; r < 8; r++)
        for (int c = 0; c < 3; c++)
            t[c][r] = y[4 * (size_t)row[r] + (size_t)c];
    memcpy(out, t, sizeof t);
}

VV_INLINE void double_scatter(double *y, const int *row, const double_rows *s)
{
    double t[3][8];
    memcpy(t, s, sizeof t);
    for (int r = 0; r < 8; r++) {
        double *to = y + 4 * (size_t)row[r];
        double_store4(to, double_load4(to) + (double_four){ t[0][r], t[1][r], t[2][r], 0 });
    }
}

VV_INLINE double_four double_sum(const double_rows *s)
{
    double t[3][8], sum[3];
    memcpy(t, s, sizeof t);
    for (int c = 0; c < 3; c++)
        sum[c] = ((t[c][0] + t[c][4]) + (t[c][2] + t[c][6])) + ((t[c][1] + t[c][5]) + (t[c][3] + t[c][7]));
    return (double_four){ sum[0], sum[1], sum[2], 0 };
}

#endif

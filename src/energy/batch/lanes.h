/* Transfers between eight lanes and the world's arrays: reading node vectors, adding matrix blocks. */
#ifndef VV_ENERGY_BATCH_LANES_H
#define VV_ENERGY_BATCH_LANES_H

#include "base/simd/simd_math.h"

#include <stdbool.h>
#include <stddef.h>

/* Eight doubles at any address. */
typedef double vv_d8_anywhere __attribute__((vector_size(64), aligned(8), may_alias));

VV_INLINE void vv8_store(double *p, vv_d8 v) { *(vv_d8_anywhere *)p = v; }

/* Component k of the vectors (n x 3) of eight nodes. */
VV_INLINE vv_d8 vv8_gather(const double *x, const int *nodes, int k)
{
    const double *y = x + k;
    return (vv_d8){ y[3 * (ptrdiff_t)nodes[0]], y[3 * (ptrdiff_t)nodes[1]], y[3 * (ptrdiff_t)nodes[2]],
                    y[3 * (ptrdiff_t)nodes[3]], y[3 * (ptrdiff_t)nodes[4]], y[3 * (ptrdiff_t)nodes[5]],
                    y[3 * (ptrdiff_t)nodes[6]], y[3 * (ptrdiff_t)nodes[7]] };
}

/* Two doubles at any address: the first two components of a vector. */
typedef double vv_d2_anywhere __attribute__((vector_size(16), aligned(8), may_alias));
typedef double vv_d2 __attribute__((vector_size(16)));
typedef double vv_d4 __attribute__((vector_size(32)));

#if defined(__AVX512F__)
/* The first two components of the vectors at nodes 0, 2, 4 and 6, as pairs. */
VV_INLINE vv_d8 vv8_gather_pairs(const double *const *at)
{
    vv_d2 p[4];
    for (int i = 0; i < 4; i++)
        p[i] = *(const vv_d2_anywhere *)at[2 * i];
    vv_d4 low = __builtin_shufflevector(p[0], p[1], 0, 1, 2, 3), high = __builtin_shufflevector(p[2], p[3], 0, 1, 2, 3);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}
#endif

/* The vectors (n x 3) of eight nodes, by component. */
VV_INLINE void vv8_gather_vectors(const double *x, const int *nodes, vv_d8 out[3])
{
#if defined(__AVX512F__)
    const double *at[8];
    for (int l = 0; l < 8; l++)
        at[l] = x + 3 * (ptrdiff_t)nodes[l];
    vv_d8 even = vv8_gather_pairs(at), odd = vv8_gather_pairs(at + 1);
    out[0] = __builtin_shufflevector(even, odd, 0, 8, 2, 10, 4, 12, 6, 14);
    out[1] = __builtin_shufflevector(even, odd, 1, 9, 3, 11, 5, 13, 7, 15);
    out[2] = (vv_d8){ at[0][2], at[1][2], at[2][2], at[3][2], at[4][2], at[5][2], at[6][2], at[7][2] };
#else
    for (int k = 0; k < 3; k++)
        out[k] = vv8_gather(x, nodes, k);
#endif
}

/* g[3 node + k] += f[k], one lane after the other, as two of them may have the same node: the first two components
 * together, as fewer additions wait for each other. */
VV_INLINE void vv8_add_vectors(double *g, const int *nodes, const vv_d8 f[3])
{
    __asm__("" : "+r"(nodes)); /* read them again: kept from the gathering on, they fill the registers */
#if defined(__AVX512F__)
    const union halves {
        vv_d8 lanes;
        vv_d2 pair[4];
    } even = { __builtin_shufflevector(f[0], f[1], 0, 8, 2, 10, 4, 12, 6, 14) },
      odd = { __builtin_shufflevector(f[0], f[1], 1, 9, 3, 11, 5, 13, 7, 15) };
    for (int l = 0; l < VV_LANES; l++) {
        double *to = g + 3 * (ptrdiff_t)nodes[l];
        *(vv_d2_anywhere *)to += (l % 2 ? odd : even).pair[l / 2];
        to[2] += f[2][l];
    }
#else
    for (int l = 0; l < VV_LANES; l++)
        for (int k = 0; k < 3; k++)
            g[3 * (ptrdiff_t)nodes[l] + k] += f[k][l];
#endif
}

/* *sum = a for the first of several, else += a. Register by register: GCC copies wider vectors that live in a loop in
 * small pieces. */
VV_INLINE void vv8_accumulate(bool first, vv_d8 a, vv_d8 *sum)
{
    vv_parts x = { a }, *to = (vv_parts *)sum;
    for (int k = 0; k < VV_PARTS; k++)
        to->pd[k] = first ? x.pd[k] : to->pd[k] + x.pd[k];
}

/* Adds a block whose nine entries are `first` and `last`. */
VV_INLINE void vv8_add_block(double *to, vv_d8 first, double last)
{
    *(vv_d8_anywhere *)to += first;
    to[8] += last;
}

/* Symmetric matrices of 4x4 blocks are kept as the ten with a <= b; this is where (a, b) is, or its transpose. */
static const signed char vv_block_of[4][4] = { { 0, 1, 2, 3 }, { 1, 4, 5, 6 }, { 2, 5, 7, 8 }, { 3, 6, 8, 9 } };

/* Adds such blocks of eight elements to a matrix, both (a, b) and its transpose (b, a). slots: lanes x 16, -1: none. */
VV_INLINE void vv8_add_blocks4(const int *slots, vv_d8 k[10][9], double *values)
{
    vv_d8 lane[10][VV_LANES];
    double nowhere[9] = { 0 };
    for (int i = 0; i < 10; i++)
        vv8_transpose(k[i], lane[i]);
    for (int l = 0; l < VV_LANES; l++)
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++) {
                int slot = slots[16 * l + 4 * a + b], i = vv_block_of[a][b];
                double *to = slot < 0 ? nowhere : values + 9 * (ptrdiff_t)slot;
                vv_d8 first = lane[i][l];
                if (a > b)
                    first = __builtin_shufflevector(first, first, 0, 3, 6, 1, 4, 7, 2, 5);
                vv8_add_block(to, first, k[i][8][l]);
            }
}

#endif

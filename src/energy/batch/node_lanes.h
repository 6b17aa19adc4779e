/* Transfers of block descent's kernels: the positions of eight nodes, results by node. */
#ifndef VV_ENERGY_BATCH_NODE_LANES_H
#define VV_ENERGY_BATCH_NODE_LANES_H

#include "base/simd/simd_math.h"
#include "energy/nodes.h"

#include <stddef.h>

/* Vectors (n x 4, 32-byte aligned) of eight nodes, by component: one load a node and a transposition, not three
 * loads. */
VV_INLINE void vv8_gather4(const double *x, const int *nodes, vv_d8 out[3])
{
#if defined(__AVX512F__)
    __m512d p[4], t[4];
    for (int i = 0; i < 4; i++)
        p[i] = _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_load_pd(x + 4 * (ptrdiff_t)nodes[i])),
                                  _mm256_load_pd(x + 4 * (ptrdiff_t)nodes[i + 4]), 1);
    for (int i = 0; i < 2; i++) {
        t[i] = _mm512_unpacklo_pd(p[2 * i], p[2 * i + 1]);     /* x x z z of nodes 2i, 2i + 1, and four on */
        t[2 + i] = _mm512_unpackhi_pd(p[2 * i], p[2 * i + 1]); /* y y - - */
    }
    const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13),
                  last = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    out[0] = (vv_d8)_mm512_permutex2var_pd(t[0], first, t[1]);
    out[1] = (vv_d8)_mm512_permutex2var_pd(t[2], first, t[3]);
    out[2] = (vv_d8)_mm512_permutex2var_pd(t[0], last, t[1]);
#elif defined(__AVX__)
    union vv_halves {
        vv_d8 v;
        __m256d h[2];
    } *o = (union vv_halves *)out;
    for (int h = 0; h < 2; h++) {
        __m256d p[4];
        for (int i = 0; i < 4; i++)
            p[i] = _mm256_load_pd(x + 4 * (ptrdiff_t)nodes[4 * h + i]);
        __m256d x0 = _mm256_unpacklo_pd(p[0], p[1]), x1 = _mm256_unpacklo_pd(p[2], p[3]);
        o[0].h[h] = _mm256_permute2f128_pd(x0, x1, 0x20);
        o[1].h[h] = _mm256_permute2f128_pd(_mm256_unpackhi_pd(p[0], p[1]), _mm256_unpackhi_pd(p[2], p[3]), 0x20);
        o[2].h[h] = _mm256_permute2f128_pd(x0, x1, 0x31);
    }
#else
    for (int k = 0; k < 3; k++) {
        const double *y = x + k;
        out[k] = (vv_d8){ y[4 * (ptrdiff_t)nodes[0]], y[4 * (ptrdiff_t)nodes[1]], y[4 * (ptrdiff_t)nodes[2]],
                          y[4 * (ptrdiff_t)nodes[3]], y[4 * (ptrdiff_t)nodes[4]], y[4 * (ptrdiff_t)nodes[5]],
                          y[4 * (ptrdiff_t)nodes[6]], y[4 * (ptrdiff_t)nodes[7]] };
    }
#endif
}

/* A group's sums over its rows, with the batch's factors, to its results. */
VV_INLINE void vv8_add_block_sums(const vv_node_batch *b, int group, const vv_d8 sum[VV_NODE_BLOCK])
{
    vv_d8 *to = (vv_d8 *)b->blocks + VV_NODE_BLOCK * (ptrdiff_t)(group - b->begin);
    for (int k = 0; k < VV_NODE_BLOCK; k++)
        to[k] += (k < 3 ? b->gradient : b->hessian) * sum[k];
}

#endif

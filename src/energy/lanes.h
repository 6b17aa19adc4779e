/* Transfers between eight lanes and the world's arrays: reading node vectors, adding matrix blocks. */
#ifndef VV_ENERGY_LANES_H
#define VV_ENERGY_LANES_H

#include "base/simd_math.h"

#include <stddef.h>

/* Eight doubles at any address. */
typedef double vv_d8_anywhere __attribute__((vector_size(64), aligned(8), may_alias));

/* Component k of the vectors (n x 3) of eight nodes. */
VV_INLINE vv_d8 vv8_gather(const double *x, const int *nodes, int k)
{
    const double *y = x + k;
    return (vv_d8){ y[3 * (ptrdiff_t)nodes[0]], y[3 * (ptrdiff_t)nodes[1]], y[3 * (ptrdiff_t)nodes[2]],
                    y[3 * (ptrdiff_t)nodes[3]], y[3 * (ptrdiff_t)nodes[4]], y[3 * (ptrdiff_t)nodes[5]],
                    y[3 * (ptrdiff_t)nodes[6]], y[3 * (ptrdiff_t)nodes[7]] };
}

/* The vectors (n x 3) of eight nodes, by component. */
VV_INLINE void vv8_gather_vectors(const double *x, const int *nodes, vv_d8 out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = vv8_gather(x, nodes, k);
}

/* g[3 node + k] += f[k], lane by lane: two lanes may have the same node. */
VV_INLINE void vv8_add_vectors(double *g, const int *nodes, const vv_d8 f[3])
{
    for (int l = 0; l < VV_LANES; l++)
        for (int k = 0; k < 3; k++)
            g[3 * (ptrdiff_t)nodes[l] + k] += f[k][l];
}

/* Adds a block whose nine entries are `first` and `last`. */
VV_INLINE void vv8_add_block(double *to, vv_d8 first, double last)
{
    *(vv_d8_anywhere *)to += first;
    to[8] += last;
}

#endif

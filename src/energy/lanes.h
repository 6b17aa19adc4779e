/* Transfers between eight lanes and the world's arrays: reading node vectors, adding matrix blocks. */
#ifndef VV_ENERGY_LANES_H
#define VV_ENERGY_LANES_H

#include "base/simd_math.h"

#include <stdbool.h>
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

/* *sum = a for the first of several, else += a. Register by register: GCC copies wider vectors that live in a loop in small pieces. */
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

#endif

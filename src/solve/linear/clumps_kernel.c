/* See clumps_kernel.h. Three substitutions at a time, side by side, each with the sums of one alone. */
#include "solve/linear/clumps_kernel.h"

#include "base/sparse/kernel.h"

#include <string.h>

enum { SIZE = 12 };

VV_INLINE void forward(const double *l, vv_d4 x[SIZE])
{
    for (int i = 0; i < SIZE; i++) {
        vv_d4 sum = x[i];
        for (int k = 0; k < i; k++)
            sum -= l[SIZE * i + k] * x[k];
        x[i] = sum / l[SIZE * i + i];
    }
}

static void left(const double *l, double *const block[4])
{
    vv_d4 x[SIZE];
    for (int i = 0; i < SIZE; i++) {
        const double *b = block[i / 3] + i % 3;
        x[i] = (vv_d4){ b[0], b[3], b[6], 0 };
    }
    forward(l, x);
    for (int i = 0; i < SIZE; i++) {
        double *b = block[i / 3] + i % 3;
        b[0] = x[i][0], b[3] = x[i][1], b[6] = x[i][2];
    }
}

static void right(const double *l, double *block)
{
    vv_d4 x[SIZE];
    for (int i = 0; i < SIZE; i++)
        x[i] = (vv_d4){ block[3 * i], block[3 * i + 1], block[3 * i + 2], 0 };
    forward(l, x);
    for (int i = 0; i < SIZE; i++)
        memcpy(block + 3 * i, &x[i], 3 * sizeof *block);
}

const vv_clump_kernels VV_KERNEL(vv_clump_kernels) = { left, right };

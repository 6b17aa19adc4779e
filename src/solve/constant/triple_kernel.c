/* The solves of triple_body.h in single and in double precision. */
#include "base/simd/simd.h"
#include "base/stop.h"
#include "solve/constant/triple_kernel.h"

#include "solve/constant/triple_rows.h"

#include <string.h>

enum { AHEAD = 12 }; /* nodes that lie scattered are asked for so much earlier */

/* T = L^-1 of the own rows of a supernode; a row of T has width + 3 places. Four rows of T at a time. */
static bool invert(int width, int rows, const double *l, double *t)
{
    size_t side = (size_t)width + 3;
    memset(t, 0, (size_t)width * side * sizeof *t);
    for (int i = 0; i < width; i++) {
        double *restrict to = t + (size_t)i * side;
        double pivot = 1 / l[(size_t)i * (size_t)rows + (size_t)i];
        int k = 0;
        for (; k + 4 <= i; k += 4) {
            const double *from = t + (size_t)k * side, *f = l + (size_t)k * (size_t)rows + (size_t)i;
            double f0 = f[0], f1 = f[rows], f2 = f[2 * (size_t)rows], f3 = f[3 * (size_t)rows];
            for (int j = 0; j < k + 4; j++)
                to[j] -= (f0 * from[j] + f1 * from[side + (size_t)j]) +
                         (f2 * from[2 * side + (size_t)j] + f3 * from[3 * side + (size_t)j]);
        }
        for (; k < i; k++) {
            double factor = l[(size_t)k * (size_t)rows + (size_t)i];
            for (int j = 0; j <= k; j++)
                to[j] -= factor * t[(size_t)k * side + (size_t)j];
        }
        for (int j = 0; j < i; j++)
            to[j] *= pivot;
        to[i] = pivot;
        if (i % 64 == 63 && vv_stopped())
            return false;
    }
    return true;
}

#define REAL float
#define NAME(name) VV_PASTE(single, name)
#include "solve/constant/triple_body.h"
#undef REAL
#undef NAME

#define REAL double
#define NAME(name) VV_PASTE(double, name)
#include "solve/constant/triple_body.h"

const vv_triple_kernels VV_KERNEL(vv_triple_single) = {
    single_forward, single_backward, single_begin_up, single_up,    single_begin_down,
    single_down,    single_settle,   single_end_down, single_store,
};

const vv_triple_kernels VV_KERNEL(vv_triple_double) = {
    double_forward, double_backward, double_begin_up, double_up,    double_begin_down,
    double_down,    double_settle,   double_end_down, double_store,
};

/* Products with W = L^-1 of affine bodies' rows (solve/linear/clumps.h), once per instruction set. */
#ifndef VV_SOLVE_LINEAR_CLUMPS_KERNEL_H
#define VV_SOLVE_LINEAR_CLUMPS_KERNEL_H

#include "base/simd/simd.h"

/* l: 12 x 12, by rows; blocks are 3 x 3, column-major. */
typedef struct vv_clump_kernels {
    void (*left)(const double *l, double *const block[4]); /* of four blocks on top of each other, from the left */
    void (*right)(const double *l, double *block);         /* of four side by side, by W^T from the right */
} vv_clump_kernels;

VV_VARIANTS(const vv_clump_kernels, vv_clump_kernels);

#endif

/* What is done with single tiles of solve/pcg/dense_tiles.h, once per instruction set. Tiles are column-major. */
#ifndef VV_SOLVE_PCG_DENSE_TILES_KERNEL_H
#define VV_SOLVE_PCG_DENSE_TILES_KERNEL_H

#include "base/simd/simd.h"

#include <stdbool.h>

typedef struct vv_tile_kernels {
    void (*subtract)(double *c, const double *a, const double *b); /* c -= a b^T */
    bool (*factorise)(double *c); /* c becomes L, the inverse in place of its diagonal; false: not positive definite */
    void (*divide)(double *c, const double *l);                 /* c becomes c L^-T */
    void (*forward)(const double *l, double *x);                /* x = L^-1 x */
    void (*backward)(const double *l, double *x);               /* x = L^-T x */
    void (*below)(const double *c, const double *x, double *y); /* y -= c x */
    void (*above)(const double *c, const double *x, double *y); /* y -= c^T x */
} vv_tile_kernels;

VV_VARIANTS(const vv_tile_kernels, vv_tile_kernels);

#endif

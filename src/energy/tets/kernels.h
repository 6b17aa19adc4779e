/* Interface of tets.c, kernel.c and force_kernel.c: one block of tets for the kernels, and the tables of
 * kernels for each instruction set. */
#ifndef VV_ENERGY_TETS_KERNELS_H
#define VV_ENERGY_TETS_KERNELS_H

#include "base/simd/simd.h"
#include "energy/energy.h"
#include "energy/tets/materials.h"

#include <stdbool.h>

enum { VV_TET_SHAPE = 10 }; /* vectors per group: rows 1, 2, 3 of D_m^-1 (the gradients of N_1..N_3), the volume */

typedef struct vv_tet_block {
    int groups;
    const double *shape; /* groups x VV_TET_SHAPE x 8; volume 0 in padding lanes */
    const int *nodes;    /* groups x 4 x 8 */
    const int *slots;    /* lanes x 16, -1: none */
    double mu, lambda;   /* Pa */
    int samples;         /* of the derivatives */
    vv_sample sample[VV_MAX_SAMPLES];
    bool project;
    bool rest;           /* at F = I, whatever the positions: they are not read, g is NULL */
    const double *x, *p; /* positions for all else; search direction (max_step) */
    double scale;        /* of value_gradient */
    double *g, *values;  /* g may be NULL where a matrix is made */
} vv_tet_block;

/* derivatives: values += the Hessians of the samples, g += their gradients. */
typedef struct vv_tet_kernels {
    void (*derivatives[VV_MATERIAL_COUNT])(const vv_tet_block *b);
    double (*min_j)(const vv_tet_block *b);
    double (*max_step)(const vv_tet_block *b);
} vv_tet_kernels;

/* The block's energy; value_gradient: g += scale dE/dx with it (g is not NULL). */
typedef struct vv_tet_force_kernels {
    double (*value[VV_MATERIAL_COUNT])(const vv_tet_block *b);
    double (*value_gradient[VV_MATERIAL_COUNT])(const vv_tet_block *b);
} vv_tet_force_kernels;

VV_VARIANTS(const vv_tet_kernels, vv_tet_kernels);
VV_VARIANTS(const vv_tet_force_kernels, vv_tet_force_kernels);

#endif

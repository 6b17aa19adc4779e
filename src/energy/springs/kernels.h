/* Interface of springs.c and kernel.c: one block of springs, and the table of kernels for each instruction
 * set. */
#ifndef VV_ENERGY_SPRINGS_KERNELS_H
#define VV_ENERGY_SPRINGS_KERNELS_H

#include "base/simd/simd.h"
#include "energy/springs/springs.h"

#include <stdbool.h>

typedef struct vv_spring_block {
    int groups;
    const double *shape; /* groups x 2 x 8: stiffness (0 in padding lanes), rest length */
    const int *nodes;    /* groups x 2 x 8 */
    const int *slots;    /* lanes x 4, -1: none */
    int samples;         /* of the derivatives */
    vv_sample sample[VV_MAX_SAMPLES];
    bool project;
    bool rest;           /* the bound of the Hessian near rest: positions are not read, g is NULL */
    const double *x, *p; /* positions for all else; search direction (max_step) */
    double scale;        /* of value_gradient */
    double *g, *values;  /* either may be NULL */
} vv_spring_block;

typedef struct vv_spring_kernels {
    double (*value[VV_SPRING_COUNT])(const vv_spring_block *b);
    void (*derivatives[VV_SPRING_COUNT])(const vv_spring_block *b);
    double (*max_step)(const vv_spring_block *b);
    /* g += scale dE/dx, returns E; g is not NULL */
    double (*value_gradient[VV_SPRING_COUNT])(const vv_spring_block *b);
    /* numbers: rest length, stiffness */
    void (*node_blocks[VV_SPRING_COUNT])(const vv_incidence *around, const vv_node_batch *b);
    void (*node_values[VV_SPRING_COUNT])(const vv_incidence *around, const vv_node_batch *b);
    void (*node_limits)(const vv_incidence *around, const vv_node_batch *b);
} vv_spring_kernels;

VV_VARIANTS(const vv_spring_kernels, vv_spring_kernels);

#endif

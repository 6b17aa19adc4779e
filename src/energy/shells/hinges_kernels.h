/* Interface of hinges.c and hinges_kernel.c: one block of hinges, and the table of kernels for each instruction set. */
#ifndef VV_ENERGY_SHELLS_HINGES_KERNELS_H
#define VV_ENERGY_SHELLS_HINGES_KERNELS_H

#include "base/simd/simd.h"
#include "energy/shells/hinges.h"

#include <stdbool.h>

enum { VV_HINGE_REST = 10 };

typedef struct vv_hinge_block {
    int groups;
    const double *shape; /* groups x 2 x 8: stiffness (0 in padding lanes), rest angle */
    /* groups x 10 x 8: the constant Hessian's numbers per pair of corners (vv_block_of); 0 in padding lanes */
    const double *rest;
    const int *nodes; /* groups x 4 x 8 */
    const int *slots; /* lanes x 16, -1: none */
    int samples;      /* of the derivatives */
    vv_sample sample[VV_MAX_SAMPLES];
    bool project;
    bool constant;      /* the constant Hessian: positions are not read, g is NULL */
    const double *x;    /* positions for all else */
    double scale;       /* of value_gradient */
    double *g, *values; /* either may be NULL */
} vv_hinge_block;

typedef struct vv_hinge_kernels {
    double (*value)(const vv_hinge_block *b);
    void (*derivatives)(const vv_hinge_block *b);
    double (*value_gradient)(const vv_hinge_block *b);      /* g += scale dE/dx, returns E; g is not NULL */
    void (*each)(const vv_hinge_block *b, double *values);  /* groups x 8: what each hinge has of the value */
    void (*angles)(const vv_hinge_block *b, double *angle); /* groups x 8; NaN where a triangle has no area */
    /* numbers of an incidence: rest angle, corner, stiffness */
    void (*node_blocks)(const vv_incidence *around, const vv_node_batch *b);
    void (*node_values)(const vv_incidence *around, const vv_node_batch *b);
} vv_hinge_kernels;
enum { VV_HINGE_PAIR = 3, VV_HINGE_PAIR_WEIGHTS = 2 };

VV_VARIANTS(const vv_hinge_kernels, vv_hinge_kernels);

#endif

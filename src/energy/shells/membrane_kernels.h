/* Interface of membrane.c and membrane_kernel.c: one block of triangles for the kernels, and the tables of kernels
 * for each instruction set. */
#ifndef VV_ENERGY_SHELLS_MEMBRANE_KERNELS_H
#define VV_ENERGY_SHELLS_MEMBRANE_KERNELS_H

#include "base/simd/simd.h"
#include "energy/energy.h"
#include "energy/shells/membrane.h"

#include <stdbool.h>

/* Vectors per group: with D_m^-1 = (a b; 0 c) in a frame of the rest triangle, whose first axis is along its first
 * edge: a, b, c; then area times thickness times the triangle's factor of stiffness, 0 in padding lanes. */
enum { VV_MEMBRANE_SHAPE = 4 };

/* What a body is made of. */
typedef struct vv_membrane_law {
    double mu, lambda; /* Pa, plane stress: lambda = E nu / (1 - nu^2) */
    /* the strain limit's barrier acts on singular values from limit - width to limit; width 0: there is none */
    double limit, width;
} vv_membrane_law;

typedef struct vv_membrane_block {
    int groups;
    const double *shape; /* groups x VV_MEMBRANE_SHAPE x 8 */
    const int *nodes;    /* groups x 3 x 8 */
    const int *slots;    /* lanes x 9, -1: none */
    vv_membrane_law law;
    int samples; /* of the derivatives */
    vv_sample sample[VV_MAX_SAMPLES];
    bool project;
    bool rest;           /* the constant substitute: positions are not read, g is NULL */
    const double *x, *p; /* positions for all else; search direction (max_step, bounds) */
    double scale;        /* of value_gradient */
    double *g, *values;  /* either may be NULL */
    double *part;        /* of bounds, per node */
} vv_membrane_block;

typedef struct vv_membrane_kernels {
    /* By model, then without and with a strain limit. The energy; values += the Hessians of the samples, g += their
     * gradients; g += scale dE/dx, with the energy. */
    double (*value[VV_MEMBRANE_COUNT][2])(const vv_membrane_block *b);
    void (*derivatives[VV_MEMBRANE_COUNT][2])(const vv_membrane_block *b);
    double (*value_gradient[VV_MEMBRANE_COUNT][2])(const vv_membrane_block *b);
    /* How far the strain limit lets it go; and how far each node alone. */
    double (*max_step)(const vv_membrane_block *b);
    void (*bounds)(const vv_membrane_block *b);
} vv_membrane_kernels;

VV_VARIANTS(const vv_membrane_kernels, vv_membrane_kernels);

#endif

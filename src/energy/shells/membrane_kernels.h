/* The numbers of membranes, and the table of their kernels. */
#ifndef VV_ENERGY_SHELLS_MEMBRANE_KERNELS_H
#define VV_ENERGY_SHELLS_MEMBRANE_KERNELS_H

#include "energy/batch/block.h"
#include "energy/shells/membrane.h"

/* Vectors per group: with D_m^-1 = (a b; 0 c) in a frame of the rest triangle, whose first axis is along its first
 * edge: a, b, c; then area times thickness times the triangle's factor of stiffness, 0 in padding lanes. */
enum { VV_MEMBRANE_SHAPE = 4 };
/* Around a node: gradients of the two other nodes' shape functions, the strain limit's two numbers (vv_membrane_law);
 * A t mu, A t lambda: 0 in padding. */
enum { VV_MEMBRANE_PAIR = 8, VV_MEMBRANE_PAIR_WEIGHTS = 6 };

/* What a body is made of: its numbers in the batch. */
typedef struct vv_membrane_law {
    double mu, lambda; /* Pa, plane stress: lambda = E nu / (1 - nu^2) */
    /* the strain limit's barrier acts on singular values from limit - width to limit; width 0: there is none */
    double limit, width;
} vv_membrane_law;

typedef struct vv_membrane_kernels {
    vv_block_kernels of[VV_MEMBRANE_COUNT][2]; /* by model, then without and with a strain limit */
} vv_membrane_kernels;

VV_VARIANTS(const vv_membrane_kernels, vv_membrane_kernels);
VV_VARIANTS(const vv_membrane_kernels, vv_membrane_node_kernels);    /* one node at a time */
VV_VARIANTS(const vv_block_kernels, vv_stvk_membrane_relax_kernels); /* sweeps */

#endif

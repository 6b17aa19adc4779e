/* The table of the springs' kernels. */
#ifndef VV_ENERGY_SPRINGS_KERNELS_H
#define VV_ENERGY_SPRINGS_KERNELS_H

#include "energy/batch/block.h"
#include "energy/springs/springs.h"

/* Numbers of a spring: stiffness, rest length; around a node: rest length, stiffness. */
typedef struct vv_spring_kernels {
    vv_block_kernels of[VV_SPRING_COUNT];
} vv_spring_kernels;

VV_VARIANTS(const vv_spring_kernels, vv_spring_kernels);
VV_VARIANTS(const vv_spring_kernels, vv_spring_relax_kernels); /* sweeps */

#endif

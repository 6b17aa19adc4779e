/* The table of the hinges' kernels. */
#ifndef VV_ENERGY_SHELLS_HINGES_KERNELS_H
#define VV_ENERGY_SHELLS_HINGES_KERNELS_H

#include "energy/batch/block.h"
#include "energy/shells/hinges.h"

/* Numbers of a hinge: stiffness, rest angle. */
typedef struct vv_hinge_kernels {
    vv_block_kernels of;
    void (*angles)(const vv_block *b, double *angle); /* groups x 8; NaN where a triangle has no area */
} vv_hinge_kernels;
/* around a node: rest angle, corner, stiffness */
enum { VV_HINGE_PAIR = 3, VV_HINGE_PAIR_WEIGHTS = 2 };

VV_VARIANTS(const vv_hinge_kernels, vv_hinge_kernels);
VV_VARIANTS(const vv_block_kernels, vv_hinge_relax_kernels);

#endif

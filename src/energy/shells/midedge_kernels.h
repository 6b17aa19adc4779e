/* The table of the kernels of triangles that bend by mid-edge normals. */
#ifndef VV_ENERGY_SHELLS_MIDEDGE_KERNELS_H
#define VV_ENERGY_SHELLS_MIDEDGE_KERNELS_H

#include "energy/batch/block.h"

enum {
    VV_MIDEDGE_NODES = 6,  /* vertices 0, 1, 2; the director of edge (i, i + 1) is 3 + i */
    VV_MIDEDGE_PAIRS = 21, /* of nodes p <= q, row by row (vv_pair) */
    /* numbers of an element: M_00, M_01, M_02, M_11, M_12, M_22; rest angles of the edges; distances of the directors
     * at rest; the stiffness that holds them there. M and the stiffness are 0 in padding lanes */
    VV_MIDEDGE_SHAPE = 13
};

typedef struct vv_midedge_kernels {
    vv_block_kernels of;
    void (*angles)(const vv_block *b, double *angle); /* groups x 3 x 8; NaN where there is none */
} vv_midedge_kernels;

VV_VARIANTS(const vv_midedge_kernels, vv_midedge_kernels);

#endif

/* Interface of midedge.c and midedge_kernel.c: one block of triangles, and the table of kernels for each instruction
 * set. */
#ifndef VV_ENERGY_SHELLS_MIDEDGE_KERNELS_H
#define VV_ENERGY_SHELLS_MIDEDGE_KERNELS_H

#include "base/simd/simd.h"
#include "energy/energy.h"

#include <stdbool.h>

enum {
    VV_MIDEDGE_NODES = 6,  /* vertices 0, 1, 2; the director of edge (i, i + 1) is 3 + i */
    VV_MIDEDGE_PAIRS = 21, /* of nodes p <= q, row by row */
    VV_MIDEDGE_SHAPE = 13  /* numbers of an element, below */
};

typedef struct vv_midedge_block {
    int groups;
    const double
        *shape; /* groups x 13 x 8: M_00, M_01, M_02, M_11, M_12, M_22; rest angles of the edges; distances of the
                   directors at rest; the stiffness that holds them there. M and the stiffness are 0 in padding lanes */
    const double *rest; /* groups x 21 x 8: the constant Hessian's numbers per pair of nodes; 0 in padding lanes */
    const int *nodes;   /* groups x 6 x 8 */
    const int *slots;   /* lanes x 36, -1: none */
    int samples;        /* of the derivatives */
    vv_sample sample[VV_MAX_SAMPLES];
    bool project;
    bool constant;      /* the constant Hessian: positions are not read, g is NULL */
    const double *x;    /* positions for all else */
    double scale;       /* of value_gradient */
    double *g, *values; /* either may be NULL */
} vv_midedge_block;

typedef struct vv_midedge_kernels {
    double (*value)(const vv_midedge_block *b);
    void (*derivatives)(const vv_midedge_block *b);
    double (*value_gradient)(const vv_midedge_block *b);      /* g += scale dE/dx, returns E; g is not NULL */
    void (*each)(const vv_midedge_block *b, double *values);  /* groups x 8: what each triangle has of the value */
    void (*angles)(const vv_midedge_block *b, double *angle); /* groups x 3 x 8; NaN where there is none */
} vv_midedge_kernels;

VV_VARIANTS(const vv_midedge_kernels, vv_midedge_kernels);

/* Where the pair (p, q), p <= q, of nodes is. */
static inline int vv_midedge_pair(int p, int q) { return p * VV_MIDEDGE_NODES - p * (p - 1) / 2 + q - p; }

#endif

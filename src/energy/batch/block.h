/* What kernels of elements see: a block of a batch (energy/batch/frame.h), and the table of a model's kernels. */
#ifndef VV_ENERGY_BATCH_BLOCK_H
#define VV_ENERGY_BATCH_BLOCK_H

#include "base/simd/simd.h"
#include "energy/energy.h"

/* Some groups of eight elements, all of one part. Arrays of numbers hold for each group each number's eight lanes. */
typedef struct vv_block {
    int groups;
    const double *shape;        /* groups x numbers x 8; what an element weighs is 0 in padding lanes */
    const int *nodes;           /* groups x nodes x 8 */
    const int *slots;           /* lanes x nodes^2, -1: none; of macro-cells groups x VV_MACRO_NODES^2 */
    const unsigned char *place; /* of macro-cells, groups x nodes x 8: which of the group's nodes each is; else NULL */
    const double *law;          /* of the part */
    int samples;                /* of the derivatives */
    vv_sample sample[VV_MAX_SAMPLES];
    bool project;
    const double *x, *p; /* positions for all else; search direction (max_step, bounds) */
    double scale;        /* of value_gradient */
    double *g, *values;  /* gradient; matrix */
    double *part;        /* bounds: per node */
} vv_block;

struct vv_relax_block;

/* NULL: none. */
typedef struct vv_block_kernels {
    double (*value)(const vv_block *b);
    double (*value_gradient)(const vv_block *b); /* g += scale dE/dx, returns E; g is not NULL */
    /* values += the Hessians of the samples, g += their gradients; where there is no gradient(), values may be NULL */
    void (*derivatives)(const vv_block *b);
    void (*gradient)(const vv_block *b);             /* g alone */
    void (*each)(const vv_block *b, double *values); /* groups x 8: what each element has of the value */
    double (*least_j)(const vv_block *b);            /* the smallest det F */
    double (*max_step)(const vv_block *b);           /* how far the block may go along p, at most 1 */
    void (*bounds)(const vv_block *b);               /* how far each node alone */
    /* one node at a time: see energy/nodes.h */
    void (*node_blocks)(const vv_incidence *around, const vv_node_batch *b);
    void (*node_values)(const vv_incidence *around, const vv_node_batch *b);
    void (*node_limits)(const vv_incidence *around, const vv_node_batch *b);
    void (*relax[2])(const struct vv_relax_block *b); /* a sweep as constraints (energy/relax/relax.h); [exact] */
} vv_block_kernels;

/* Where the pair (a, b), a <= b, is among all pairs of an element's nodes, row by row. */
static inline int vv_node_pair(int nodes, int a, int b) { return a * nodes - a * (a - 1) / 2 + b - a; }

#endif

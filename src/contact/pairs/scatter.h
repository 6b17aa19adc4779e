/* From contact vertices to nodes: forces and blocks of vertices x = W q are distributed to the nodes with the
 * vertices' weights. */
#ifndef VV_CONTACT_PAIRS_SCATTER_H
#define VV_CONTACT_PAIRS_SCATTER_H

#include "base/sparse/bsr.h"
#include "contact/surfaces/vertices.h"

/* g += W^T f */
static inline void vv_scatter_force(const vv_vertices *vs, int v, const double f[3], double *g)
{
    for (int k = vs->start[v]; k < vs->start[v + 1]; k++)
        for (size_t c = 0; c < 3; c++)
            g[3 * (size_t)vs->node[k] + c] += vs->weight[k] * f[c];
}

/* The block (3x3, column-major) between vertices a and b, and its transpose between b and a; a == b: a symmetric
 * block, once. */
static inline void vv_scatter_block(const vv_vertices *vs, int a, int b, const double block[9],
                                    const vv_block_target *to)
{
    for (int i = vs->start[a]; i < vs->start[a + 1]; i++)
        for (int j = a == b ? i : vs->start[b]; j < vs->start[b + 1]; j++) {
            double w = vs->weight[i] * vs->weight[j], scaled[9];
            int row = to->unknown[vs->node[i]], col = to->unknown[vs->node[j]];
            if (row < 0 || col < 0)
                continue;
            for (int k = 0; k < 9; k++) /* two vertices share a node: both triangles fall on its diagonal block */
                scaled[k] = w * (a != b && row == col ? block[k] + block[3 * (k % 3) + k / 3] : block[k]);
            vv_bsr_add(to->matrix, row, col, scaled);
        }
}

#endif

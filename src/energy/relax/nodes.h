/* What the kernels of constraints share: eight nodes with their masses, what a constraint remembers (theory §6.12).
 * The lanes of a group share no node.
 *
 * With k = s k_j (k V for tets), n = dC/dx and W = beta^2 sum_a |n_a|^2 / m_a, a constraint's step is
 *   scalar  dlambda = (-k C - lambda) / (1 + k W),  dp = beta n dlambda
 *   exact   dp = -(1 + k H M^-1)^-1 (p + beta k C n), H near the Hessian of C^2 / 2 from above: C n has to turn with
 *       n, and a direction in which H were too soft would be overdone */
#ifndef VV_ENERGY_RELAX_NODES_H
#define VV_ENERGY_RELAX_NODES_H

#include "energy/batch/lanes.h"
#include "energy/relax/relax.h"

typedef struct node8 {
    vv_d8 q[3], w; /* w: 1 / m */
} node8;

VV_INLINE void load_node(const double *x, const int *nodes, node8 *n)
{
    for (int k = 0; k < 4; k++) {
        const double *y = x + k;
        vv_d8 v = { y[4 * (ptrdiff_t)nodes[0]], y[4 * (ptrdiff_t)nodes[1]], y[4 * (ptrdiff_t)nodes[2]],
                    y[4 * (ptrdiff_t)nodes[3]], y[4 * (ptrdiff_t)nodes[4]], y[4 * (ptrdiff_t)nodes[5]],
                    y[4 * (ptrdiff_t)nodes[6]], y[4 * (ptrdiff_t)nodes[7]] };
        if (k < 3)
            n->q[k] = v;
        else
            n->w = v;
    }
}

/* q += p / m */
VV_INLINE void push_node(double *x, const int *nodes, int lanes, const node8 *n, const vv_d8 p[3])
{
    vv_d8 q[3] = { n->q[0] + n->w * p[0], n->q[1] + n->w * p[1], n->q[2] + n->w * p[2] };
    for (int l = 0; l < lanes; l++)
        for (int k = 0; k < 3; k++)
            x[4 * (ptrdiff_t)nodes[l] + k] = q[k][l];
}

VV_INLINE vv_d8 *memory_of(const vv_relax_block *b, int group, int numbers)
{
    return (vv_d8 *)(b->memory + (ptrdiff_t)group * numbers * VV_LANES);
}

/* beta q + z */
VV_INLINE void place_of(const vv_relax_block *b, const int *nodes, const node8 *n, vv_d8 x[3])
{
    for (int i = 0; i < 3; i++) {
        x[i] = b->beta * n->q[i];
        if (b->z)
            x[i] += vv8_gather(b->z, nodes, i);
    }
}

#endif

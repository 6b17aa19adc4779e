/* Interface of membrane.c and membrane_nodes_kernel.c. */
#ifndef VV_ENERGY_SHELLS_MEMBRANE_NODES_H
#define VV_ENERGY_SHELLS_MEMBRANE_NODES_H

#include "base/simd/simd.h"
#include "energy/shells/membrane.h"
#include "energy/nodes.h"

/* Gradients of the two other nodes' shape functions, the strain limit's two numbers (vv_membrane_law); A t mu, A t
 * lambda: 0 in padding. */
enum { VV_MEMBRANE_PAIR = 8, VV_MEMBRANE_PAIR_WEIGHTS = 6 };

typedef void vv_membrane_nodes_fn(const vv_incidence *around, const vv_node_batch *b);
typedef struct vv_membrane_node_kernels {
    /* without and with a strain limit */
    vv_membrane_nodes_fn *blocks[VV_MEMBRANE_COUNT][2], *values[VV_MEMBRANE_COUNT][2];
    vv_membrane_nodes_fn *limits;
} vv_membrane_node_kernels;

VV_VARIANTS(const vv_membrane_node_kernels, vv_membrane_node_kernels);

#endif

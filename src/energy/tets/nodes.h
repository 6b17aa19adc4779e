/* Interface of tets.c and nodes_kernel.c. */
#ifndef VV_ENERGY_TETS_NODES_H
#define VV_ENERGY_TETS_NODES_H

#include "base/simd/simd.h"
#include "energy/tets/materials.h"
#include "energy/nodes.h"

/* gradients of the other nodes' shape functions; V mu, V lambda: 0 in padding */
enum { VV_TET_PAIR = 11, VV_TET_PAIR_WEIGHTS = 9 };

typedef void vv_tet_nodes_fn(const vv_incidence *around, const vv_node_batch *b);
typedef struct vv_tet_node_kernels {
    vv_tet_nodes_fn *blocks[VV_MATERIAL_COUNT], *values[VV_MATERIAL_COUNT];
    vv_tet_nodes_fn *limits; /* to a tenth of J */
} vv_tet_node_kernels;

VV_VARIANTS(const vv_tet_node_kernels, vv_tet_node_kernels);

#endif

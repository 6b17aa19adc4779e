/* Affine bodies as clumps of nodes, for block descent (affine_nodes.c). */
#ifndef VV_ENERGY_TETS_AFFINE_NODES_H
#define VV_ENERGY_TETS_AFFINE_NODES_H

#include "energy/nodes.h"

extern const vv_node_ops vv_affine_node_ops;

#endif

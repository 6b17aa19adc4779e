/* The tables of the tets' kernels, one of each file that makes some, by material. */
#ifndef VV_ENERGY_TETS_KERNELS_H
#define VV_ENERGY_TETS_KERNELS_H

#include "energy/batch/block.h"
#include "energy/tets/materials.h"

enum {
    VV_TET_SHAPE = 10, /* vectors per group: rows 1, 2, 3 of D_m^-1 (the gradients of N_1..N_3), the volume */
    VV_TET_LAW = 2,    /* mu, lambda, Pa */
    /* around a node: gradients of the other nodes' shape functions; V mu, V lambda: 0 in padding */
    VV_TET_PAIR = 11,
    VV_TET_PAIR_WEIGHTS = 9
};

typedef struct vv_tet_kernels {
    vv_block_kernels of[VV_MATERIAL_COUNT];
} vv_tet_kernels;

VV_VARIANTS(const vv_tet_kernels, vv_tet_kernels);       /* derivatives with a matrix, least_j, max_step */
VV_VARIANTS(const vv_tet_kernels, vv_tet_force_kernels); /* values and gradients */
VV_VARIANTS(const vv_tet_kernels, vv_tet_node_kernels);  /* one node at a time */
VV_VARIANTS(const vv_tet_kernels, vv_tet_relax_kernels); /* sweeps */

#endif

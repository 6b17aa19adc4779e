/* The numbers of joints of rods, and the table of their kernels. */
#ifndef VV_ENERGY_RODS_KERNELS_H
#define VV_ENERGY_RODS_KERNELS_H

#include "energy/batch/block.h"
#include "energy/rods/rods.h"

/* Of a joint around one of its nodes, for block descent: its numbers, and which of its nodes that is. In padding all
 * are 0. */
#define VV_ROD_AROUND(shape) ((shape) + 1)

/* The numbers of a joint, each for eight lanes. Without twist there are those up to VV_ROD_SQUARE. */
enum {
    VV_ROD_BEND,                       /* EI / l, 0 in padding lanes */
    VV_ROD_LENGTH,                     /* of the two edges at rest */
    VV_ROD_SQUARE = VV_ROD_LENGTH + 2, /* |kb|^2 at rest; with twist it is not read */
    VV_ROD_PLAIN_SHAPE,
    VV_ROD_TWIST = VV_ROD_PLAIN_SHAPE, /* GJ / l */
    VV_ROD_REST, /* where kb points at rest, in the frame (m1, m2) of the first edge, then in that of the second */
    VV_ROD_REST_TWIST = VV_ROD_REST + 4,
    VV_ROD_HOLD,                     /* what holds the two directors in their places, N/m */
    VV_ROD_RADIUS = VV_ROD_HOLD + 2, /* how far these are from their edges at rest */
    VV_ROD_SHAPE = VV_ROD_RADIUS + 2
};

enum { VV_PLAIN_NODES = 3, VV_ROD_NODES = 5 };

typedef struct vv_rod_kernels {
    vv_block_kernels of[VV_ROD_COUNT];
} vv_rod_kernels;

VV_VARIANTS(const vv_rod_kernels, vv_rod_kernels);

#endif

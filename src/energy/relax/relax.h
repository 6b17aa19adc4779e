/* Elements as constraints (energy/constraints.h; theory §6.12): what the kernels of sweeps see of a block. */
#ifndef VV_ENERGY_RELAX_RELAX_H
#define VV_ENERGY_RELAX_RELAX_H

#include "energy/batch/frame.h"
#include "energy/constraints.h"

typedef struct vv_relax_block {
    int groups;
    const double *shape, *law; /* the elements' and the part's numbers */
    const int *nodes, *lanes;  /* lanes: per group, real ones; the others are not to be written */
    double beta, scale;
    const double *z;
    double *x, *memory;
} vv_relax_block;

#endif

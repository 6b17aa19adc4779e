/* The constraints of batches of elements (energy/constraints.h; theory §6.12): one object for springs, tets,
 * membranes and hinges, and what its kernels see of a block. */
#ifndef VV_ENERGY_RELAX_RELAX_H
#define VV_ENERGY_RELAX_RELAX_H

#include "base/simd/simd.h"
#include "energy/batch/batch.h"
#include "energy/constraints.h"

/* Of a kind of springs (energy/springs/springs.h), or of a tet material; *out is NULL if it has none. shape: as in
 * energy/springs/kernels.h, energy/tets/kernels.h and so on; moduli: mu, lambda of each part. No argument is kept. */
vvStatus vv_springs_constraints(int kind, int node_count, const vv_batch *batch, const double *shape,
                                vv_constraints **out, vvError *error);
vvStatus vv_tets_constraints(int model, int node_count, const vv_batch *batch, const double *shape,
                             const double *moduli, int part_count, vv_constraints **out, vvError *error);

/* Of a model of membranes (energy/shells/membrane.h); moduli: those of plane stress. */
vvStatus vv_membrane_constraints(int model, int node_count, const vv_batch *batch, const double *shape,
                                 const double *moduli, int part_count, vv_constraints **out, vvError *error);
vvStatus vv_hinge_constraints(int node_count, const vv_batch *batch, const double *shape, vv_constraints **out,
                              vvError *error);

typedef struct vv_relax_block {
    int groups;
    const double *shape;
    const int *nodes, *lanes; /* lanes: per group, real ones; the others are not to be written */
    double mu, lambda;        /* of tets and membranes, Pa */
    double beta, scale;
    const double *z;
    double *x, *memory;
} vv_relax_block;

typedef void vv_relax_fn(const vv_relax_block *b);

enum { VV_RELAX_SPRINGS = 5, VV_RELAX_MATERIALS = 6, VV_RELAX_MEMBRANES = 2 };

typedef struct vv_relax_kernels {
    vv_relax_fn *spring[VV_RELAX_SPRINGS][2], *tet[VV_RELAX_MATERIALS][2]; /* [exact]; NULL: no constraint */
} vv_relax_kernels;

typedef struct vv_relax_shell_kernels {
    vv_relax_fn *hinge[2], *membrane[VV_RELAX_MEMBRANES][2]; /* likewise */
} vv_relax_shell_kernels;

VV_VARIANTS(const vv_relax_kernels, vv_relax_kernels);
VV_VARIANTS(const vv_relax_shell_kernels, vv_relax_shell_kernels);

#endif

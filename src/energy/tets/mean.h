/* Linear tets with mean dilatation (theory §4.20): a row for each material whose part of lambda is one of J alone. */
#ifndef VV_ENERGY_TETS_MEAN_H
#define VV_ENERGY_TETS_MEAN_H

#include "energy/elements.h"
#include "energy/tets/kernels.h"

enum {
#define VV_ROW(name, word, summary, inversion_free, rotation, sweeps, split) VV_WHERE_##split(VV_MEAN_##name, )
    VV_TET_MATERIALS(VV_ROW)
#undef VV_ROW
        VV_MEAN_COUNT
};

VV_VARIANTS(const vv_tet_kernels, vv_mean_kernels); /* by material; beside them those of linear tets stand */

extern const vv_element_kind vv_mean_kinds[VV_MEAN_COUNT];

/* The row of a tet material; NULL: it has none. */
const vv_element_kind *vv_mean_kind_of(int model);

#endif

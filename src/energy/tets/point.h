/* A tet material at one point: what the batches compute, for those who ask for stress. */
#ifndef VV_ENERGY_TETS_POINT_H
#define VV_ENERGY_TETS_POINT_H

#include "energy/elements.h"

/* Energy density (J/m^3) and the first Piola-Kirchhoff stress P = dpsi/dF (Pa, row-major) of a tet material at F.
 * mean_j: of its macro-cell, for materials with mean dilatation; NULL: det F. False: the material is of no tet (affine
 * bodies, shells, ...). */
bool vv_tet_point(const vv_material *material, const double f[9], const double *mean_j, double *psi, double p[9]);

#endif

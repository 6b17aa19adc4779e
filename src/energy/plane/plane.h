/* Triangles in the x-y plane: two-dimensional elasticity in plane strain, for small problems in the plane. E = sum of
 * A t psi(F) with F the 2x2 deformation gradient of x and y; of z only the mass knows (theory §4.16). One batch holds
 * all triangles of the world. */
#ifndef VV_ENERGY_PLANE_PLANE_H
#define VV_ENERGY_PLANE_PLANE_H

#include "energy/elements.h"

extern const vv_element_kind vv_plane_kind;

#endif

/* Membranes: how shells resist stretching. One batch holds all triangles of the world with the same material model;
 * each body has its own moduli, each triangle its own thickness. F is 3x2, E = sum of A t psi(F) in plane stress
 * (theory §4.9). */
#ifndef VV_ENERGY_SHELLS_MEMBRANE_H
#define VV_ENERGY_SHELLS_MEMBRANE_H

#include "energy/elements.h"

enum { VV_MEMBRANE_STVK, VV_MEMBRANE_NEO_HOOKEAN, VV_MEMBRANE_COUNT };

/* The materials' rows. */
extern const vv_element_kind vv_membrane_kinds[VV_MEMBRANE_COUNT];

#endif

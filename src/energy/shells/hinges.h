/* Bending across edges, "hinge": one batch holds all hinges of the world (theory §4.10). */
#ifndef VV_ENERGY_SHELLS_HINGES_H
#define VV_ENERGY_SHELLS_HINGES_H

#include "energy/elements.h"

extern const vv_element_kind vv_hinge_kind;

#endif

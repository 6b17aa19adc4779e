/* The kind of elements of affine bodies (energy/affine.c). */
#ifndef VV_ENERGY_AFFINE_H
#define VV_ENERGY_AFFINE_H

#include "energy/elements.h"

extern const vv_element_kind vv_affine_kind;

#endif

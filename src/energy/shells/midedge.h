/* Bending of shells by mid-edge normals: one batch holds all triangles of the bodies that list it (theory §4.11). */
#ifndef VV_ENERGY_SHELLS_MIDEDGE_H
#define VV_ENERGY_SHELLS_MIDEDGE_H

#include "energy/elements.h"

extern const vv_element_kind vv_midedge_kind;

#endif

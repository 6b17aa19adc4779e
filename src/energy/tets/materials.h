/* The list of tet materials, a row each; its functions are in the file of its name (material.h). */
#ifndef VV_ENERGY_TETS_MATERIALS_H
#define VV_ENERGY_TETS_MATERIALS_H

#include "energy/tets/arap.h"
#include "energy/tets/corotated.h"
#include "energy/tets/fixed_corotated.h"
#include "energy/tets/stvk.h"
#include "energy/tets/neo_hookean.h"
#include "energy/tets/stable_neo_hookean.h"

/* A test that compiles what reads this list with VV_MORE_TET_MATERIALS_FILE, a file of its own, adds the rows that the
 * file defines as VV_MORE_TET_MATERIALS(X). */
#ifdef VV_MORE_TET_MATERIALS_FILE
#include VV_MORE_TET_MATERIALS_FILE
#else
#define VV_MORE_TET_MATERIALS(X)
#endif

/* X(name in code, "name", "summary", inversion_free, stress needs the rotation R, NAME_sweep is there, NAME_volume is
 * there) */
#define VV_TET_MATERIALS(X)                                                                                           \
    X(arap, "arap", "as rigid as possible, mu |F - R|^2: no resistance to volume change of its own", 0, 1, 1, 0)      \
    X(corotated, "corotated", "corotated linear, mu |F - R|^2 + la/2 tr^2(R^T F - I): kinks where inverted", 0, 1, 1, \
      0)                                                                                                              \
    X(fixed_corotated, "fixed-corotated", "mu |F - R|^2 + la/2 (J - 1)^2 (Stomakhin 2012): may invert", 0, 1, 1, 1)   \
    X(stvk, "stvk", "St. Venant-Kirchhoff, mu |G|^2 + la/2 tr^2 G: quartic in the positions", 0, 0, 1, 0)             \
    X(neo_hookean, "neo-hookean", "mu/2 (I - 3) - mu ln J + la/2 ln^2 J: infinite at J = 0, cannot invert", 1, 0, 0,  \
      1)                                                                                                              \
    X(stable_neo_hookean, "stable-neo-hookean", "Smith, de Goes, Kim 2018, remapped to the given moduli", 0, 0, 1, 1) \
    VV_MORE_TET_MATERIALS(X)

enum {
#define VV_ROW(name, word, summary, inversion_free, rotation, sweeps, split) VV_MATERIAL_##name,
    VV_TET_MATERIALS(VV_ROW)
#undef VV_ROW
        VV_MATERIAL_COUNT
};

/* What stands behind it, where a column of the list is 1. */
#define VV_WHERE_0(...)
#define VV_WHERE_1(...) __VA_ARGS__

#endif

/* visviva/modes.h: vibration modes of a body at rest, and the energy of a motion in each.
 *
 * A mode is a shape phi and a frequency omega with K phi = omega^2 M phi: K is the second derivative of the body's
 * elastic energy at its rest shape, with its spring attachments and the potentials that are wells; M its masses.
 * Prescribed nodes do not move. Gravity, contact and potentials that are walls are left out, so a body with walls alone
 * counts as free. */
#ifndef VISVIVA_MODES_H
#define VISVIVA_MODES_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vvModes vvModes; /* independent of the world; only one thread at a time may use it */
typedef enum vvModesEnd {
    VV_MODES_LOWEST, /* frequencies */
    VV_MODES_HIGHEST /* frequencies */
} vvModesEnd;

/* Finds `count` modes of a body, those of the lowest or of the highest frequencies; fewer if it has fewer. They exclude
 * the rigid motions of a free body. Modes that share a frequency are some basis of their space, which may depend on
 * `count`. Bakes the world. The bits are the same each time, and for any number of threads. Motions without force have
 * the frequency 0 (to rounding): in a flat cloth of springs, each node across the cloth, so its lowest modes say
 * little. Errors: VV_ERROR_INPUT for a kinematic body, one without free nodes, or a count below 1; VV_ERROR_SOLVER if
 * the modes were not found; VV_CANCELLED. */
VV_API vvStatus vvBodyFindModes(vvWorld *world, vvBodyId body, vvModesEnd end, int count, vvModes **modes,
                                vvError *error);
VV_API void vvModesDestroy(vvModes *modes); /* NULL is fine */

VV_API int vvModesCount(const vvModes *modes);     /* how many there are */
VV_API int vvModesNodeCount(const vvModes *modes); /* of the body */
/* Rigid motions that are excluded: 6, or 5 of a straight line, 3 of a single point, 0 of a held body. */
VV_API int vvModesRigidCount(const vvModes *modes);
/* omega of mode `index` (from 0, ascending), rad/s; NaN: there is none. */
VV_API double vvModesFrequency(const vvModes *modes, int index);
/* Its shape, nodes x 3: sum of mass |phi|^2 is 1 (kg m^2). NULL: there is none. Valid as long as the modes.
 * Arrays: returns[modesNodeCount x 3]. */
VV_API const double *vvModesShape(const vvModes *modes, int index);

/* The energy (J) in each mode when the body's nodes have these positions (m) and velocities (m/s; nodes x 3 each, of
 * the body): of mode k (da^2 + omega^2 a^2) / 2 with a = phi^T M u, where u is the displacement from rest. For a free
 * body u and its velocity are relative to the best-fitting rigid frame, so that rigid motion is in no mode. energies:
 * vvModesCount + 1 values; the last is the energy beyond these modes, so that the sum is the energy of u as if the body
 * were linear: u^T K u / 2, and the kinetic energy of its velocity.
 * Arrays: positions[modesNodeCount x 3], velocities[modesNodeCount x 3], energies[modesCount + 1]. */
VV_API vvStatus vvModesEnergies(vvModes *modes, const double *positions, const double *velocities, double *energies,
                                vvError *error);

#ifdef __cplusplus
}
#endif
#endif

/* visviva/interact.h: what a host does to a world while it runs: forces, impulses, dragging.
 *
 * Whatever the host does is booked as work in the next row of the ledger, so that the ledger's identity holds over it. */
#ifndef VISVIVA_INTERACT_H
#define VISVIVA_INTERACT_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds forces (count x 3, N) on nodes (world indices; one may come several times). They act, constant, during the next
 * step, under any scheme, and are forgotten when it has succeeded; after a step that failed they still stand. Their work
 * is force times displacement. Prescribed nodes do not feel forces.
 * Errors: VV_ERROR_INPUT for an index that is no node or a force that is not finite; then nothing was added. */
VV_API vvStatus vvWorldApplyForces(vvWorld *world, int count, const int *nodes, const double *forces, vvError *error);

/* Changes velocities at once by impulse / mass (count x 3, N s). The change of kinetic energy is work; a two-step scheme
 * starts anew, as after vvWorldSetState. Prescribed nodes do not feel impulses. Errors as above. */
VV_API vvStatus vvWorldApplyImpulses(vvWorld *world, int count, const int *nodes, const double *impulses, vvError *error);

/* The same for a body as a whole: the force (N) or impulse (N s) is shared out over its free nodes by mass, so that all get
 * the same acceleration. VV_ERROR_INPUT where the body has no free node. */
VV_API vvStatus vvBodyApplyForce(vvWorld *world, vvBodyId body, const double force[3], vvError *error);
VV_API vvStatus vvBodyApplyImpulse(vvWorld *world, vvBodyId body, const double impulse[3], vvError *error);

#ifdef __cplusplus
}
#endif
#endif

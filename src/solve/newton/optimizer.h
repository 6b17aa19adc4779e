/* Internals of the solver "optimizer": its guesses. */
#ifndef VV_SOLVE_NEWTON_OPTIMIZER_H
#define VV_SOLVE_NEWTON_OPTIMIZER_H

#include "solve/objective.h"

/* Moves the free nodes of q (node space), where g = *value is finite or
 * infinite, to the best guess of where the stage ends, if g is lower
 * there: as if no force but inertia acted, y, and as if forces were those where
 * the stage begins, y - h^2 M^-1 sum w beta grad E(beta q_begin + z), each as
 * far as the energies let it go, and with `turns` the rigid motion of each body that comes nearest to y. *value
 * follows. evaluations: += how often g was asked for. */
void vv_optimizer_start(const vv_objective *o, bool turns, double *q, double *value, int *evaluations);
/* Moves bodies that are inside out or flat where the stage begins, and have been deformed since by more than `still`
 * (m, root of the mean square), to their shapes at rest, where g gets lower by that and nothing is in their way.
 * Bodies that joints hold together all go, or all stay. Whether any was moved; *value and
 * evaluations as above. Only of a stage with one sample, in a system that knows its shapes. */
bool vv_optimizer_shapes(const vv_objective *o, double still, double *q, double *value, int *evaluations);

#endif

/* Where the solve of a stage starts (theory §2.10). */
#ifndef VV_STEP_SCHEMES_GUESS_H
#define VV_STEP_SCHEMES_GUESS_H

#include "step/inside.h"

/* Writes into q the better of two feasible starts of a stage that begins at `from`: that place itself, or where its
 * bodies would be `span` steps on if they moved freely. Node space; prescribed nodes stay. */
void vv_guess(vv_stepper *s, const vv_objective *o, const double *from, double span, double *q);
/* Where they would be if they moved freely, with as few comparisons as possible: as far as that is feasible. */
void vv_guess_quick(vv_stepper *s, const vv_objective *o, const double *from, double span, double *q);

#endif

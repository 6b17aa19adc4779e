/* What budgets of iterations are too small for (theory §8.9). */
#ifndef VV_STEP_LEDGER_UNBALANCED_H
#define VV_STEP_LEDGER_UNBALANCED_H

#include "step/inside.h"

/* Whether solves of the step that comes are looked at: every step costs a gradient, and some say as much as all. */
bool vv_unbalanced_due(const vv_stepper *s);
/* A solve of o has ended at q with its budget: the component whose momentum is the farthest out of balance, into
 * s->unbalanced if that is more than what is there. */
void vv_unbalanced_note(vv_stepper *s, const vv_objective *o, const double *q);

#endif

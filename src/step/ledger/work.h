/* Work done through prescribed nodes. */
#ifndef VV_STEP_LEDGER_WORK_H
#define VV_STEP_LEDGER_WORK_H

#include "step/inside.h"

/* Of the step from the stepper's state to the trial's end, with the gradients of the energies at both; J. */
double vv_prescribed_work(vv_stepper *s, const vv_trial *t);
/* g . (q - from) over the prescribed nodes, and across rails. */
double vv_over_prescribed(const vv_stepper *s, const double *g, const double *from, const double *q);
/* The change of their kinetic energy, with the velocities before and after, J. */
double vv_prescribed_kinetic(const vv_stepper *s, const double *before, const double *v);

/* step/ledger/carried.c */
/* Adds what the solve of a stage, which ended at the trial's q, left over, as if it were a dissipative force. */
void vv_left_add(vv_stepper *s, const vv_objective *o, const vv_stage *stage, vv_trial *t);
/* Forgets it on what no prescribed node carries. A node that goes farther than all that holds its group keeps the part
 * for the path that it is carried. Overwrites what energies cache of a position. */
void vv_left_keep_carried(vv_stepper *s, vv_trial *t);
/* The work of that, J; added by body, where per_body is given. */
double vv_left_work(const vv_stepper *s, const vv_trial *t, double *per_body);

/* step/ledger/settled.c */
/* Of the way from where the last step began to an equilibrium that was found from its end: all work, and the part of
 * loads, J. */
double vv_stepper_settled_work(vv_stepper *s, double *loads);

#endif

/* Work done through prescribed nodes. */
#ifndef VV_STEP_WORK_H
#define VV_STEP_WORK_H

#include "step/inside.h"

/* Of the step from the stepper's state to the trial's end, with the gradients of the energies at both; J. */
double vv_prescribed_work(vv_stepper *s, const vv_trial *t);

#endif

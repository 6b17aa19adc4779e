/* Work done through prescribed nodes. */
#ifndef VV_STEP_WORK_H
#define VV_STEP_WORK_H

#include "step/inside.h"

/* Of the step from the stepper's state to (q, v), with g_old and g_new the gradients of the energies at its ends; J. */
double vv_prescribed_work(vv_stepper *s, const double *q, const double *v);

#endif

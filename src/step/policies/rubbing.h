/* Friction of contact's push as a policy gives it in the end (theory §3.3). */
#ifndef VV_STEP_POLICIES_RUBBING_H
#define VV_STEP_POLICIES_RUBBING_H

#include "step/inside.h"

/* What a policy's row has to reserve for the call (vv_policy_ops.vectors). */
enum { VV_RUBBING_VECTORS = 10 };

/* A push that only begins or all but ends in the step says little of what it is in the end: friction becomes so many
 * times more at most, not a thousand million times next to nothing. */
static const double VV_RUBBING_MOST = 2;

/* For a policy that is about to take alpha dv from the trial's velocities (node space), and so something of contact's
 * push. What slides gets so much more or less friction, in velocities, losses and call->rubbed. by_start: friction went
 * by the push at the step's start, dv is that of the end less it; else it went by the push that the trial has, and dv
 * is a part of this. VV_ERROR_MEMORY. */
vvStatus vv_rubbing_follow(vv_policy_call *call, const double *dv, double alpha, bool by_start);

#endif

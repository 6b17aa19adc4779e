/* layer: world
 * A state that the policy project has made is projected: once more takes no iteration and changes nothing. */
#include "size.h"
#include "step/inside.h"

#include <string.h>

extern const vv_policy_ops vv_policy_project;
static double again, first; /* iterations of all steps: of the second projection, of the first one */

static vvStatus apply(vv_policy_call *call, vvError *error)
{
    vvStatus status = vv_policy_project.apply(call, error);
    bool started = *(bool *)call->memory;
    double owed = *(double *)call->body_memory, last = call->alpha;
    if (status != VV_OK)
        return status;
    vv_booking booking = vv_trial_book(call->stepper, call->trial);
    vv_policy_call second = { .stepper = call->stepper, .trial = call->trial, .target = booking.target, .booking = &booking,
                              .values = call->values, .memory = call->memory, .body_memory = call->body_memory, .solver = call->solver };
    *(double *)call->body_memory = 0; /* what was owed before this step; nothing ever is here */
    uint64_t made = call->trial->made;
    status = vv_policy_project.apply(&second, error);
    again += second.alpha + (call->trial->made != made);
    first += last;
    *(bool *)call->memory = started, *(double *)call->body_memory = owed;
    return status;
}

/* The row of project, but for its name and function, is copied below. */
extern const vv_policy_ops vv_policy_twice;
#define VV_MORE_POLICIES vv_policy_twice
#include "step/policy.c"

#include "world_support.h"

#define COPIED                                                                                                                       \
    .touches = VV_TOUCHES_VELOCITIES | VV_TOUCHES_POSITIONS, .wants_gradients = true, .aims = true, .vectors = 24, .memory = sizeof(bool), \
    .body_memory = sizeof(double)

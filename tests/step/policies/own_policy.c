/* "mixed": takes a part of a backward Euler step into each step of the world's scheme.
 *
 * With (q_A, v_A) of the world's scheme and (q_B, v_B) of backward Euler from the same start, the step ends at
 * (1 - share) A + share B. A worked example: `blend` does the same with the share that meets the target. */
#include "base/error.h"
#include "step/inside.h"

enum { SHARE, MOST };
static const vvParam params[] = {
    { "share", "\"mixed\": part of backward Euler", "", 1, false, { 0.5 }, 0, 1 },
    { "most", "\"mixed\": the step fails where its kinetic energy is above this", "J", 1, false, { 1e30 }, 0, 1e300 },
};

/* Kept from step to step; taken back by the stepper where a step fails. */
typedef struct memory {
    int64_t mixed;   /* steps */
    double shortest; /* part of the way that contact let a mixture go */
} memory;

static vvStatus apply(vv_policy_call *call, vvError *error)
{
    vv_stepper *s = call->stepper;
    vv_trial *a = call->trial;
    memory *m = call->memory;
    vv_trial *b = vv_trial_take(s);
    if (!b)
        return vv_fail_memory(error, "a second trial");
    vv_trial_def def = { .row = vv_scheme_find("backward-euler"), .guess = a->q };
    vvStatus status = vv_trial_solve(s, &def, b, error);
    if (status != VV_OK)
        return status;
    double *own[] = { a->q, a->v, a->losses.friction, a->losses.damping, a->losses.mutual, a->left };
    double *other[] = { b->q, b->v, b->losses.friction, b->losses.damping, b->losses.mutual, b->left };
    for (int k = 0; k < 6; k++) /* b becomes the mixture, with its impulses */
        for (size_t i = 0; i < 3 * (size_t)s->system->nodes; i++)
            other[k][i] = own[k][i] + call->values[SHARE] * (other[k][i] - own[k][i]);
    vv_losses losses = a->losses;
    double *left = a->left;
    a->losses = b->losses, b->losses = losses;
    a->left = b->left, b->left = left;
    double part = vv_trial_move(s, a, b->q, b->v);
    m->shortest = m->mixed++ == 0 || part < m->shortest ? part : m->shortest;
    for (int body = 0; body < s->bodies; body++)
        ((double *)call->body_memory)[body] += a->body_energy[body];
    call->alpha = call->values[SHARE];
    if (a->energies.kinetic > call->values[MOST])
        return vv_fail(error, VV_ERROR_SOLVER,
                       "mixed: the kinetic energy is %g J; at most %g J is allowed (integrator.most)",
                       a->energies.kinetic, call->values[MOST]);
    return VV_OK;
}

const vv_policy_ops vv_policy_mixed = {
    .info = { "mixed", "a part of backward Euler in each step" },
    .touches = VV_TOUCHES_VELOCITIES | VV_TOUCHES_POSITIONS,
    .trials = 1,
    .params = { sizeof params / sizeof *params, params },
    .memory = sizeof(memory),
    .body_memory = sizeof(double),
    .apply = apply,
};

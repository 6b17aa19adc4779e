/* Making a stepper, and its memory: one block for all work vectors, and a warm arena. */
#include "base/error.h"
#include "base/memory.h"
#include "step/inside.h"

/* Node vectors that a step pushes at its deepest, besides what further trials take: the discrete gradient's 17 in a step's 3, and 3
 * under it for derivatives. Newton in a stage, and settling, stay far below. A test compares with the peak. */
enum { DEEPEST = 24 };

bool vv_stepper_reserve(vv_stepper *s)
{
    size_t vector = 3 * (size_t)s->system->nodes * sizeof(double) + 64;
    const vv_policy_memory *memory = &s->state->policy;
    size_t remembered = memory->size + memory->body_size * (size_t)s->bodies + s->system->linear->ops->state_size + 128;
    return vv_arena_reserve(&s->system->arena, DEEPEST * vector + remembered + (size_t)s->bodies * sizeof(double) + 64 +
                            (size_t)s->policy->trials * vv_trial_bytes(s));
}

static bool allocate(vv_stepper *s)
{
    double **vectors[] = { &s->new_q, &s->new_v, &s->new_gradient, &s->hvn, &s->h2an, &s->hvp, &s->past, &s->h2a, &s->y,
                           &s->z[0], &s->z[1], &s->z[2], &s->u, &s->target, &s->g_old, &s->trial };
    enum { COUNT = sizeof vectors / sizeof vectors[0] };
    /* a policy may ask for a trial of any row */
    int stages = s->policy->trials > 0 ? VV_MOST_STAGES : s->scheme.stages;
    size_t n = 3 * (size_t)s->system->nodes, earlier = 2 * (size_t)(stages - 1);
    s->memory = vv_alloc((COUNT + earlier) * n, sizeof(double));
    for (size_t i = 0; s->memory && i < COUNT; i++)
        *vectors[i] = s->memory + i * n;
    for (size_t i = 0; s->memory && i < earlier; i++)
        s->stage[i] = s->memory + (COUNT + i) * n;
    return s->memory && vv_stepper_reserve(s);
}

vvStatus vv_stepper_create(const vv_stepper_def *d, vv_stepper **out, vvError *error)
{
    vv_stepper *s = vv_alloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return vv_fail_memory(error, "the step's vectors");
    *s = (vv_stepper){ .system = d->system, .state = d->state, .hooks = d->hooks, .contact = d->contact, .solver = d->solver, .options = d->options,
                       .integrator = *d->integrator, .friction_iterations = d->friction_iterations, .h = d->h, .after = d->after,
                       .after_count = d->after_count, .bodies = d->bodies, .external = d->external };
    s->policy = vv_policy_find(d->integrator->policy);
    s->scheme = vv_scheme_made(d->integrator->scheme, d->integrator->settings, d->integrator->settingCount);
    s->starter = vv_scheme_find("backward-euler");
    vv_params_values(&s->policy->params, d->integrator->settings, d->integrator->settingCount, s->policy_values);
    if (!allocate(s)) {
        vv_stepper_destroy(s);
        return vv_fail_memory(error, "the step's vectors");
    }
    *out = s;
    return VV_OK;
}

void vv_stepper_destroy(vv_stepper *s)
{
    if (!s)
        return;
    vv_free(s->memory);
    vv_free(s);
}

void vv_stepper_forget(vv_stepper *s) { s->g_old_valid = false; }

bool vv_stepper_aims(const vv_stepper *s) { return s->policy->aims; }

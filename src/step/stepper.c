/* Memory of the stepper: one block for all work vectors, and a warm arena. */
#include "base/error.h"
#include "step/stepper.h"

/* Node vectors that a step pushes at its deepest: the discrete gradient's 17 in a step's 3, and 3 under it for derivatives.
 * Newton in a stage, and settling, stay far below. A test compares with the peak. */
enum { DEEPEST = 24 };

bool vv_stepper_reserve(vv_stepper *s)
{
    size_t vector = 3 * (size_t)s->system.nodes * sizeof(double) + 64;
    return vv_arena_reserve(&s->system.arena, DEEPEST * vector + s->system.linear->ops->state_size + 64);
}

vvStatus vv_stepper_allocate(vv_stepper *s, vvError *error)
{
    double **vectors[] = { &s->new_q, &s->new_v, &s->hvn, &s->h2an, &s->hvp, &s->past, &s->stage_q, &s->stage_hv, &s->h2a, &s->y,
                           &s->z[0], &s->z[1], &s->z[2], &s->u, &s->target, &s->g_old, &s->g_new, &s->trial };
    enum { COUNT = sizeof vectors / sizeof vectors[0] };
    size_t n = 3 * (size_t)s->system.nodes;
    s->memory = vv_alloc(COUNT * n, sizeof(double));
    if (!s->memory || !vv_stepper_reserve(s)) {
        vv_stepper_free(s);
        return vv_fail_memory(error, "the step's vectors");
    }
    for (size_t i = 0; i < COUNT; i++)
        *vectors[i] = s->memory + i * n;
    return VV_OK;
}

void vv_stepper_free(vv_stepper *s)
{
    vv_free(s->memory);
    s->memory = NULL;
}

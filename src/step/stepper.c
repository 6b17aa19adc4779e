/* Memory of the stepper: one block for all node vectors, and a warm arena. */
#include "base/error.h"
#include "step/stepper.h"

vvStatus vv_stepper_allocate(vv_stepper *s, vvError *error)
{
    double **vectors[] = { &s->q, &s->v, &s->q_previous, &s->v_previous, &s->new_q, &s->new_v, &s->hvn, &s->h2an,
                           &s->hvp, &s->stage_q, &s->stage_hv, &s->h2a, &s->y, &s->z[0], &s->z[1], &s->z[2], &s->u,
                           &s->target, &s->g_old, &s->g_new, &s->trial, &s->force };
    enum { COUNT = sizeof vectors / sizeof vectors[0] };
    size_t n = 3 * (size_t)s->system.nodes;
    s->memory = vv_alloc(COUNT * n, sizeof(double));
    s->body_energy = vv_alloc((size_t)s->bodies, sizeof(double));
    /* what a step pushes at its deepest (line search inside Newton inside a stage), so that pushes never fail later */
    size_t mark = vv_arena_mark(&s->system.arena);
    void *warm = vv_arena_push(&s->system.arena, 24 * n + 4096, sizeof(double));
    vv_arena_release(&s->system.arena, mark);
    if (!s->memory || !s->body_energy || !warm) {
        vv_stepper_free(s);
        return vv_fail_memory(error, "the state vectors");
    }
    for (size_t i = 0; i < COUNT; i++)
        *vectors[i] = s->memory + i * n;
    return VV_OK;
}

void vv_stepper_free(vv_stepper *s)
{
    vv_free(s->memory);
    vv_free(s->body_energy);
    s->memory = NULL;
    s->body_energy = NULL;
}

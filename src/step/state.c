/* The state's per-body arrays, and a visit of its pieces for saving and loading. */
#include "step/state.h"

#include "base/memory.h"

#include <string.h>

bool vv_policy_memory_make(size_t size, size_t body_size, size_t bodies, vv_policy_memory *out)
{
    size_t room = bodies * body_size + 1;
    *out = (vv_policy_memory){ .size = size,
                               .body_size = body_size,
                               .data = vv_alloc(size, 1),
                               .bodies = vv_alloc(room, 1),
                               .body_capacity = room };
    if (out->data && out->bodies)
        return true;
    vv_policy_memory_free(out);
    return false;
}

void vv_policy_memory_free(vv_policy_memory *p)
{
    vv_free(p->data);
    vv_free(p->bodies);
    *p = (vv_policy_memory){ 0 };
}

bool vv_state_reserve_bodies(vv_state *s, size_t bodies)
{
    vv_policy_memory *p = &s->policy;
    return vv_grow((void **)&s->body_energy, &s->energy_capacity, bodies + 1, sizeof *s->body_energy) &&
           vv_grow((void **)&s->body_visible, &s->visible_capacity, bodies + 1, sizeof *s->body_visible) &&
           vv_grow((void **)&s->body_course, &s->course_capacity, bodies + 1, sizeof *s->body_course) &&
           vv_grow((void **)&s->body_sleep, &s->sleep_capacity, bodies + 1, sizeof *s->body_sleep) &&
           vv_grow((void **)&p->bodies, &p->body_capacity, bodies * p->body_size + 1, 1);
}

void vv_state_add_body(vv_state *s, size_t bodies)
{
    vv_policy_memory *p = &s->policy;
    s->body_energy[bodies] = 0;
    s->body_visible[bodies] = (vvVisible){ 0 };
    s->body_course[bodies] = (vv_course){ 0 };
    s->body_sleep[bodies] = (vv_sleep){ 0 };
    memset(p->bodies + bodies * p->body_size, 0, p->body_size);
}

void vv_state_remove_body(vv_state *s, size_t bodies, size_t body)
{
    vv_policy_memory *p = &s->policy;
    size_t later = bodies - body - 1;
    memmove(s->body_energy + body, s->body_energy + body + 1, later * sizeof *s->body_energy);
    memmove(s->body_visible + body, s->body_visible + body + 1, later * sizeof *s->body_visible);
    memmove(s->body_course + body, s->body_course + body + 1, later * sizeof *s->body_course);
    memmove(s->body_sleep + body, s->body_sleep + body + 1, later * sizeof *s->body_sleep);
    memmove(p->bodies + body * p->body_size, p->bodies + (body + 1) * p->body_size, later * p->body_size);
}

void vv_state_free(vv_state *s)
{
    vv_free(s->body_energy);
    vv_free(s->body_visible);
    vv_free(s->body_course);
    vv_free(s->body_sleep);
    vv_policy_memory_free(&s->policy);
    s->body_energy = NULL;
    s->body_visible = NULL;
    s->body_course = NULL;
    s->body_sleep = NULL;
}

void vv_state_visit(vv_state *s, size_t nodes, size_t bodies, vv_state_visitor *visit, void *user)
{
    double *vectors[] = { s->q, s->v, s->q_previous, s->v_previous, s->force };
    visit(user, &s->clock, sizeof s->clock);
    visit(user, &s->history, sizeof s->history);
    visit(user, &s->span, sizeof s->span);
    visit(user, &s->forced, sizeof s->forced);
    visit(user, &s->ledger, sizeof s->ledger);
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        visit(user, vectors[i], 3 * nodes * sizeof(double));
    visit(user, s->body_energy, bodies * sizeof *s->body_energy);
    visit(user, s->body_visible, bodies * sizeof *s->body_visible);
    visit(user, s->body_course, bodies * sizeof *s->body_course);
    visit(user, s->body_sleep, bodies * sizeof *s->body_sleep);
}

void vv_policy_memory_visit(vv_policy_memory *p, size_t bodies, vv_state_visitor *visit, void *user)
{
    visit(user, p->data, p->size);
    visit(user, p->bodies, bodies * p->body_size);
}

void vv_policy_memory_clear(vv_policy_memory *p, size_t bodies)
{
    memset(p->data, 0, p->size);
    if (bodies)
        memset(p->bodies, 0, bodies * p->body_size);
}

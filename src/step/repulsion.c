/* Contact springs in a step: they are made anew where it begins, which changes H by what the ledger calls `springs`, and their friction acts
 * on the velocities where it ends (theory §5.12). */
#include "solve/vectors.h"
#include "step/inside.h"

static vv_energy *springs_of(const vv_stepper *s) { return s->contact ? s->contact->repulsion : NULL; }

/* 1/kg per node; 0: it is prescribed. NULL: out of memory. */
static double *inverse_masses(const vv_stepper *s)
{
    const vv_system *y = s->system;
    double *inverse = vv_arena_push(&s->system->arena, (size_t)y->nodes, sizeof *inverse);
    for (int i = 0; inverse && i < y->nodes; i++)
        inverse[i] = y->unknown[i] >= 0 && y->mass[i] > 0 ? 1 / y->mass[i] : 0;
    return inverse;
}

size_t vv_springs_room(const vv_stepper *s)
{
    const vv_energy *e = springs_of(s);
    const size_t nodes = (size_t)s->system->nodes;
    return e ? vv_repulsion_bytes(e) + 11 * nodes * sizeof(double) + 3 * (size_t)s->bodies * sizeof(double) + 9 * 64 : 0;
}

/* Moves the vertices that are inside to the surface, as far as E stays finite and nothing is in the way: the whole way, half of it, ... or not at all. */
static void project(vv_stepper *s, vv_energy *e, vv_springs_before *before)
{
    vv_system *y = s->system;
    const size_t n = vv_node_space(y), mark = vv_arena_mark(&y->arena);
    double *to = vv_arena_push(&y->arena, n, sizeof *to), *way = vv_arena_push(&y->arena, n, sizeof *way), *q = s->state->q;
    const double *inverse = inverse_masses(s);
    if (!to || !way || !inverse) { /* reserved: not so */
        vv_contact_failed(s->contact, true);
        return;
    }
    vv_copy(n, q, to);
    vv_repulsion_project(e, inverse, to);
    for (int halvings = 0; halvings < 8; halvings++) {
        for (size_t i = 0; i < n; i++)
            way[i] = to[i] - q[i];
        if (vv_system_energy(y, to) < INFINITY && vv_system_passes(y, q, way)) {
            vv_copy(n, q, before->q);
            vv_copy(n, to, q);
            break;
        }
        for (size_t i = 0; i < n; i++)
            to[i] = 0.5 * (to[i] + q[i]);
    }
    vv_arena_release(&y->arena, mark);
}

/* What making springs anew may change, J: their own energy or, where vertices are moved, all of it. */
static double measure(const vv_stepper *s, vv_energy *e, double *by_body)
{
    const size_t n = (size_t)s->bodies, mark = vv_arena_mark(&s->system->arena);
    double *elastic = vv_arena_push(&s->system->arena, n, sizeof *elastic), sum;
    vv_zero(n, by_body);
    if (!vv_repulsion_projects(e)) {
        sum = e->ops->value(e, &s->system->par, s->state->q, by_body);
    } else {
        vv_stepper_measure(s, s->state->q, s->state->v, &(vv_by_body){ elastic, by_body }, &sum);
        for (size_t b = 0; b < n; b++)
            by_body[b] += elastic[b];
    }
    vv_arena_release(&s->system->arena, mark);
    return sum;
}

double vv_springs_begin(vv_stepper *s, vv_springs_before *before)
{
    vv_energy *e = springs_of(s);
    vv_system *y = s->system;
    const size_t bodies = (size_t)s->bodies;
    double *q = s->state->q;
    s->body_springs = NULL;
    if (!e)
        return 0;
    before->held = vv_arena_push(&y->arena, vv_repulsion_bytes(e), 1);
    vv_repulsion_save(e, before->held);
    const bool projects = vv_repulsion_projects(e);
    double *old = vv_arena_push(&y->arena, bodies, sizeof *old), *now = vv_arena_push(&y->arena, bodies, sizeof *now);
    double was = measure(s, e, old);
    if (!vv_repulsion_choose(e, q, s->state->v, s->h))
        return 0;
    s->g_old_valid = false;
    vv_contact_failed(s->contact, !vv_repulsion_place(e, q));
    if (projects) {
        before->q = vv_arena_push(&y->arena, vv_node_space(y), sizeof *before->q);
        vv_copy(vv_node_space(y), q, before->q);
        project(s, e, before);
        vv_contact_failed(s->contact, !vv_repulsion_place(e, q));
    }
    double is = measure(s, e, now);
    for (size_t b = 0; b < bodies; b++)
        now[b] -= old[b];
    s->body_springs = now;
    return is - was;
}

void vv_springs_undo(vv_stepper *s, const vv_springs_before *before)
{
    vv_energy *e = springs_of(s);
    if (!e || !before->held)
        return;
    if (before->q)
        vv_copy(vv_node_space(s->system), before->q, s->state->q);
    vv_repulsion_load(e, before->held);
    vv_repulsion_place(e, s->state->q_previous); /* as many as there were: there is room */
}

void vv_springs_rub(vv_stepper *s, vv_trial *t, vv_booking *b)
{
    vv_energy *e = springs_of(s);
    if (!e)
        return;
    const size_t mark = vv_arena_mark(&s->system->arena);
    const double *inverse = inverse_masses(s);
    if (inverse)
        vv_repulsion_rub(e, t->q, s->h, inverse, t->v, &b->friction, &b->work);
    vv_arena_release(&s->system->arena, mark);
    vv_trial_velocities_changed(s, t);
}

/* Contact springs in a step: they are remade at its start, which changes H by the ledger's `springs`, and their
 * friction acts on the velocities at its end (theory §5.12). */
#include "base/error.h"
#include "base/vec.h"
#include "contact/penetration/penetration.h"
#include "solve/vectors.h"
#include "step/inside.h"

/* What friction does to a component as a rigid body. */
typedef struct slowed {
    bool known;
    vv_rigid body;
    vv_twist motion; /* of the nodes */
    /* the impulses' sum, their moment about the centre, and what they do at the motion's speeds, J */
    double p[3], l[3], drive;
    vv_twist change;
    double part; /* of the impulses, which it gets */
} slowed;

static vv_energy *springs_of(const vv_stepper *s) { return s->contact ? s->contact->repulsion : NULL; }
static const vv_presses *presses_of(const vv_stepper *s) { return s->contact ? s->contact->presses : NULL; }

/* Bodies that penetrate each other; NULL: they do not. */
static vv_collisions *between_of(const vv_stepper *s)
{
    return s->contact && s->contact->collisions && s->contact->collisions->penetration ? s->contact->collisions : NULL;
}

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
    if (!presses_of(s))
        return between_of(s) ? nodes * sizeof(double) + 64 : 0;
    return (e ? vv_repulsion_bytes(e) : 0) + 11 * nodes * sizeof(double) + 3 * (size_t)s->bodies * sizeof(double) +
           (size_t)s->components.count * sizeof(slowed) + 9 * 64;
}

/* Moves the vertices that are inside to the surface, as far as E stays finite and nothing is in the way: the whole
 * path, half of it, ... or not at all. */
static void project(vv_stepper *s, vv_energy *e, vv_springs_before *before)
{
    vv_system *y = s->system;
    const size_t n = vv_node_space(y), mark = vv_arena_mark(&y->arena);
    double *to = vv_arena_push(&y->arena, n, sizeof *to), *way = vv_arena_push(&y->arena, n, sizeof *way),
           *q = s->state->q;
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
    if (y->feasible)
        y->feasible->ops->remember(y->feasible, false);
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
    vv_feasible *bounds = s->system->feasible;
    if (bounds)
        bounds->ops->remember(bounds, true);
    if (!e || !before->held)
        return;
    if (before->q)
        vv_copy(vv_node_space(s->system), before->q, s->state->q);
    vv_repulsion_load(e, before->held);
    if (!((const vv_repulsion *)e)->def.form->everywhere)
        vv_repulsion_place(e, s->state->q_previous); /* as many as there were: there is room */
}

size_t vv_springs_bytes(const vv_stepper *s) { return springs_of(s) ? vv_repulsion_bytes(springs_of(s)) : 0; }

void vv_springs_save(const vv_stepper *s, void *to)
{
    if (springs_of(s))
        vv_repulsion_save(springs_of(s), to);
}

void vv_springs_load(vv_stepper *s, const void *from)
{
    if (springs_of(s))
        vv_springs_undo(s, &(vv_springs_before){ .held = (uint64_t *)(uintptr_t)from });
}

/* ---- constraints that act when the solve is over ---- */

bool vv_bounds_after(const vv_stepper *s) { return s->system->feasible && s->system->feasible->after; }

/* What a trial as it stands makes of the target, J. */
static double booked(vv_stepper *s, const vv_trial *t)
{
    const vv_booking b = vv_trial_book(s, t);
    return b.work - b.friction - b.damping;
}

/* Puts t's vertices outside; velocities follow as the scheme has it. */
static vvStatus put(vv_stepper *s, const vv_scheme *row, vv_trial *t, vvError *error)
{
    vv_system *y = s->system;
    vv_feasible *f = y->feasible;
    const vv_numbering as = { y->unknown, y->node };
    const vv_stage *last = row->stage + row->stages - 1;
    const size_t mark = vv_arena_mark(&y->arena), n = vv_node_space(y);
    double *q = vv_arena_push(&y->arena, n, sizeof *q), part = 0;
    for (int i = 0; i < last->samples; i++)
        part += last->sample[i].w * last->sample[i].beta;
    vv_copy(n, t->q, q);
    const bool placed = f->ops->put(f, &as, y->mass, t->q);
    for (size_t j = 0; j < n; j++)
        t->v[j] += y->unknown[j / 3] >= 0 ? last->hv[VV_Q] * (t->q[j] - q[j]) / s->h : 0;
    f->ops->press(f, 1 / (s->h * s->h * part));
    vv_arena_release(&y->arena, mark);
    return placed
               ? VV_OK
               : vv_fail(
                     error, VV_ERROR_SOLVER,
                     "obstacles leave no room for a vertex outside all of them; move them less far, or farther apart");
}

vvStatus vv_trial_put(vv_stepper *s, const vv_scheme *row, vv_trial *t, vvError *error)
{
    t->put = 0;
    if (!vv_bounds_after(s)) {
        vv_trial_measure(s, t);
        return VV_OK;
    }
    s->system->feasible->ops->release(s->system->feasible);
    s->system->feasible->ops->press(s->system->feasible, 0);
    vv_trial_measure(s, t);
    const double before = t->energies.total - booked(s, t);
    vvStatus status = isfinite(t->potential) ? put(s, row, t, error) : VV_OK;
    vv_trial_measure(s, t);
    if (status == VV_OK && isfinite(before) && !(t->potential < INFINITY))
        status = vv_fail(error, VV_ERROR_SOLVER,
                         "contact.constraint.when \"after\" puts vertices where an element is inverted, which its "
                         "material does not allow; write \"solve\", or take a "
                         "material that allows inversion");
    t->put = status == VV_OK && isfinite(before) ? t->energies.total - booked(s, t) - before : 0;
    return status;
}

/* ---- friction ---- */

/* An impulse on a body at spring i: what its vertex cannot take, since it stands still after less, against the body's
 * slide there. */
static bool excess(const slowed *c, const vv_slide *s, double p[3])
{
    double u[3];
    const double more = s->most - vv_norm(s->u) / s->give;
    vv_twist_at(&c->motion, c->body.centre, s->x, u);
    vv_slide_along(s, u, u);
    const double speed = vv_norm(u);
    if (!(more > 0 && speed > 0))
        return false;
    for (int k = 0; k < 3; k++)
        p[k] = -more * u[k] / speed;
    return true;
}

static int component_of(const vv_stepper *s, const vv_slide *at)
{
    const vv_vertices *vs = &s->contact->vertices;
    const int c = s->components.of[vs->node[vs->start[at->vertex]]];
    return c >= 0 && !s->components.component[c].fixed ? c : -1;
}

/* Adds to its component, unless that is held, what spring i leaves over. */
static void gather(const vv_stepper *s, const vv_trial *t, const vv_slide *at, int component, slowed *c)
{
    double p[3], arm[3], moment[3], u[3];
    if (!c->known) {
        const vv_node_set set = vv_component_nodes(&s->components, component);
        c->known = true;
        c->body = vv_rigid_at(s->system, &set, t->q);
        c->motion = vv_rigid_part(s->system, &set, &c->body, t->q, t->v);
    }
    if (!excess(c, at, p))
        return;
    vv_sub(at->x, c->body.centre, arm);
    vv_cross(arm, p, moment);
    vv_twist_at(&c->motion, c->body.centre, at->x, u);
    vv_slide_along(at, u, u);
    c->drive += vv_dot(p, u);
    for (int k = 0; k < 3; k++)
        c->p[k] += p[k], c->l[k] += moment[k];
}

/* All of what was gathered, or the part of it with which the component's kinetic energy is least: it does not slide
 * the other way. */
static double settle(slowed *c)
{
    c->change = vv_rigid_twist(&c->body, c->p, c->l);
    /* twice that of the change alone, J */
    const double square = vv_dot(c->p, c->change.linear) + vv_dot(c->l, c->change.angular);
    c->part = c->drive < 0 && square > 0 ? fmin(1, -c->drive / square) : 0;
    return -c->part * (c->drive + 0.5 * c->part * square);
}

static void apply(const vv_stepper *s, int component, const slowed *c, const double *q, double *v)
{
    const vv_node_set set = vv_component_nodes(&s->components, component);
    for (int i = 0; i < set.count; i++) {
        const size_t node = 3 * vv_set_node(&set, i);
        double u[3];
        vv_twist_at(&c->change, c->body.centre, q + node, u);
        for (size_t k = 0; k < 3; k++)
            v[node + k] += c->part * u[k];
    }
}

/* Friction of such as follow the surface. A vertex is light: it stands still after a small part of what friction may do
 * in a long step, and the rest of the body drags it on. So what it cannot take acts on its component as on a rigid
 * body, as far as that slows its slide down (theory §5.12). */
static void rub_bodies(vv_stepper *s, const vv_presses *p, const double *inverse, vv_trial *t, vv_booking *b)
{
    const size_t components = (size_t)s->components.count;
    slowed *all = vv_arena_push(&s->system->arena, components, sizeof *all);
    vv_slide at;
    double j[3];
    if (!all || !vv_contact_place(&s->contact->barrier, t->q))
        return;
    memset(all, 0, components * sizeof *all);
    for (int i = 0; i < p->count; i++) {
        const int k = vv_presses_slide(p, i, t->q, s->h, inverse, t->v, &at) ? component_of(s, &at) : -1;
        p->pair[i].spent = 0;
        if (k >= 0)
            gather(s, t, &at, k, all + k);
    }
    for (size_t k = 0; k < components; k++)
        b->friction += settle(all + k);
    for (int i = 0; i < p->count; i++) { /* before velocities change: the same impulses */
        const int k = vv_presses_slide(p, i, t->q, s->h, inverse, t->v, &at) ? component_of(s, &at) : -1;
        if (k < 0 || !(all[k].part > 0) || !excess(all + k, &at, j))
            continue;
        p->pair[i].spent = all[k].part * vv_norm(j);
        b->work += all[k].part * vv_dot(j, at.wall);
    }
    for (size_t k = 0; k < components; k++)
        if (all[k].part > 0)
            apply(s, (int)k, all + k, t->q, t->v);
}

void vv_springs_rub(vv_stepper *s, vv_trial *t, vv_booking *b)
{
    const vv_presses *p = presses_of(s);
    vv_collisions *between = between_of(s);
    if ((!p && !between) || !s->contact->rubs_after)
        return;
    const size_t mark = vv_arena_mark(&s->system->arena);
    const double *inverse = inverse_masses(s);
    if (inverse && p && p->follows)
        rub_bodies(s, p, inverse, t, b);
    if (inverse && p)
        vv_presses_rub(p, t->q, s->h, inverse, t->v, &b->friction, &b->work);
    if (inverse && between)
        /* short memory: contact says so */
        vv_penetration_rub(between, &s->system->par, t->q, s->h, inverse, t->v, &b->friction, &b->work);
    vv_arena_release(&s->system->arena, mark);
    vv_mean_across_rails(s, t->q, t->v);
    vv_trial_velocities_changed(s, t);
}

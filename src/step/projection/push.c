/* The policy `project`, where backward Euler's step is corrected: bodies stopped by an impact are pushed apart (theory
 * §3.10, "The rescue").
 *
 * Backward Euler stops bodies that meet. Hardly any velocity is left to increase, in arbitrary directions. So bodies
 * get the missing energy along contact's push, as translations, but separate at most as fast as they came: an elastic
 * collision. */
#include "base/memory.h"
#include "base/vec.h"
#include "solve/vectors.h"
#include "step/projection/work.h"

/* -grad of contact's energies at q, node space */
static void find_push(vv_system *y, const double *q, double *push)
{
    vv_zero(vv_node_space(y), push);
    for (int e = 0; e < y->energies; e++)
        if (y->energy[e]->ops->row == VV_ROW_CONTACT) {
            vv_energy_update(y->energy[e], &y->par, q);
            y->energy[e]->ops->derivatives(y->energy[e], &y->par, q, 1, VV_HESSIAN_EXACT, push, NULL);
        }
    for (size_t i = 0; i < vv_node_space(y); i++)
        push[i] = -push[i];
}

/* Of a body: its free nodes' mass, contact's push, momentum before the step and after. */
typedef struct body_push {
    double mass, push[3], before[3], after[3];
} body_push;

static body_push sum_body(const vv_projection_work *w, const double *push, int body)
{
    body_push p = { 0 };
    const vv_system *y = w->s->system;
    for (int i = w->s->body_start[body]; i < w->s->body_start[body + 1]; i++) {
        if (y->unknown[i] < 0)
            continue;
        p.mass += y->mass[i];
        for (size_t c = 0; c < 3; c++) {
            p.push[c] += push[3 * (size_t)i + c];
            p.before[c] += y->mass[i] * w->s->state->v[3 * (size_t)i + c];
            p.after[c] += y->mass[i] * w->t->v[3 * (size_t)i + c];
        }
    }
    return p;
}

/* How much of the push the group gets: by bodies in translation, with t = push / mass, sum m |t|^2, sum P . t. */
typedef struct share {
    double square, before, after, part;
} share;

/* Kinetic energy of a group, without the flight of one that flies. */
static double moving(const vv_projection_group *g)
{
    const vv_projection_sums *t = &g->sums;
    const double flight = g->placed && t->mass > 0 ? vv_dot(t->w, t->w) / t->mass : 0;
    return 0.5 * (g->placed ? t->ww[0] + t->ww[3] + t->ww[5] - flight : t->vv);
}

static double part_of(const vv_projection_group *g, const share *s)
{
    static const double SLOW = 3; /* velocities that would have to have this many times their energy more */
    const double lacks = -g->excess, all = moving(g);
    if (!g->used || g->held || g->alone || !(s->square > 0) || !(s->before < 0) || !(lacks > SLOW * all))
        return 0;
    const double root = (-s->after + sqrt(s->after * s->after + 2 * s->square * lacks)) / s->square;
    return fmax(fmin(root, -(s->before + s->after) / s->square), 0);
}

void vv_projection_push_apart(vv_projection_work *w)
{
    vv_arena *arena = &w->s->system->arena;
    const size_t mark = vv_arena_mark(arena);
    double *push = vv_arena_push(arena, vv_node_space(w->s->system), sizeof *push);
    share *shares = vv_arena_push(arena, (size_t)w->s->bodies, sizeof *shares);
    body_push *of = vv_arena_push(arena, (size_t)w->s->bodies, sizeof *of);
    find_push(w->s->system, w->t->q, push);
    for (int b = 0; b < w->s->bodies; b++)
        shares[b] = (share){ 0 };
    for (int b = 0; b < w->s->bodies; b++) {
        const int k = w->p->group_of[b];
        of[b] = sum_body(w, push, b);
        if (k < 0 || !(of[b].mass > 0))
            continue;
        shares[k].square += vv_dot(of[b].push, of[b].push) / of[b].mass;
        shares[k].before += vv_dot(of[b].before, of[b].push) / of[b].mass;
        shares[k].after += vv_dot(of[b].after, of[b].push) / of[b].mass;
    }
    for (int b = 0; b < w->s->bodies; b++)
        shares[b].part = part_of(w->p->groups + b, shares + b);
    for (int i = 0; i < w->s->system->nodes; i++) {
        const int b = w->s->system->body[i], k = w->p->group_of[b];
        for (size_t c = 0; k >= 0 && w->s->system->unknown[i] >= 0 && c < 3; c++)
            w->t->v[3 * (size_t)i + c] += shares[k].part * of[b].push[c] / of[b].mass;
    }
    vv_trial_velocities_changed(w->s, w->t);
    vv_copy(vv_node_space(w->s->system), w->t->v, w->nodes.start_v);
    vv_arena_release(arena, mark);
}

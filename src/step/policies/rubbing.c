/* A policy that corrects velocities by differences of forces removes or adds some of contact's push after the solve.
 * Friction's impulse is mu times the whole push, so it is corrected too: by translations of bodies, in one ratio for
 * all that touch each other, so that it stays between them. It never reverses a slide, and sticking bodies need no
 * correction. */
#include "step/policies/rubbing.h"

#include "base/error.h"
#include "base/vec.h"
#include "solve/vectors.h"
#include "step/bodies/touching.h"

/* Of a body's free nodes, kg m/s: contact's push that friction went by, what dv takes of it, friction's impulse, and
 * momentum. */
typedef struct rubbed {
    double mass, push[3], dv[3], rubs[3], moves[3];
} rubbed;

/* Of a group in touch: M-products of these by bodies. */
typedef struct sums {
    double more, push, slide, rubs;
} sums;

static bool any_friction(const vv_stepper *s, const vv_losses *l)
{
    bool any = false;
    for (size_t j = 0; j < vv_node_space(s->system) && !any; j++)
        any = l->friction[j] != 0 || l->mutual[j] != 0;
    return any;
}

/* Impulses of all that is not contact, of which elasticity has no resultant: opposite in sign, node space. */
static void find_others(vv_stepper *s, const vv_trial *t, double *others)
{
    vv_system *y = s->system;
    vv_zero(vv_node_space(y), others);
    for (int k = 0; k < y->energies; k++)
        if (y->energy[k]->ops->row != VV_ROW_CONTACT) {
            vv_energy_update(y->energy[k], &y->par, t->q);
            y->energy[k]->ops->derivatives(y->energy[k], &y->par, t->q, s->h, VV_HESSIAN_EXACT, others, NULL);
        }
}

/* What pushed a body is what its momentum cannot have from elsewhere. */
static void sum_bodies(const vv_stepper *s, const vv_trial *t, const double *others, const double *dv, bool by_start,
                       rubbed *of)
{
    const vv_system *y = s->system;
    const vv_losses *l = &t->losses;
    for (int b = 0; b < s->bodies; b++)
        of[b] = (rubbed){ 0 };
    for (int i = 0; i < y->nodes; i++) {
        rubbed *r = of + y->body[i];
        r->mass += y->unknown[i] >= 0 ? y->mass[i] : 0;
        for (size_t c = 0; c < 3 && y->unknown[i] >= 0; c++) {
            const size_t j = 3 * (size_t)i + c;
            const double rub = l->friction[j] + l->mutual[j], gone = y->mass[i] * dv[j];
            r->push[c] +=
                y->mass[i] * (t->v[j] - s->state->v[j]) + others[j] + rub + l->damping[j] - (by_start ? gone : 0);
            r->dv[c] += gone;
            r->rubs[c] -= rub;
            r->moves[c] += y->mass[i] * t->v[j];
        }
    }
}

/* How many times friction's impulse a group in touch gets besides. */
static double ratio_of(const sums *g)
{
    if (!(g->push > 0) || !(g->rubs > 0) || !(g->slide > 0))
        return 0;
    const double most = g->slide / g->rubs;
    return fmin(fmax(g->more / g->push, -fmin(most, 1)), fmin(most, VV_RUBBING_MOST));
}

static void find_ratios(const vv_stepper *s, const rubbed *of, const int *group_of, double part, sums *group,
                        double *ratio)
{
    for (int b = 0; b < s->bodies; b++)
        group[b] = (sums){ 0 };
    for (int b = 0; b < s->bodies; b++) {
        if (group_of[b] < 0 || !(of[b].mass > 0))
            continue;
        sums *g = group + group_of[b];
        g->more += part * vv_dot(of[b].dv, of[b].push) / of[b].mass;
        g->push += vv_dot(of[b].push, of[b].push) / of[b].mass;
        g->slide -= vv_dot(of[b].moves, of[b].rubs) / of[b].mass;
        g->rubs += vv_dot(of[b].rubs, of[b].rubs) / of[b].mass;
    }
    for (int b = 0; b < s->bodies; b++)
        ratio[b] = group_of[b] >= 0 ? ratio_of(group + group_of[b]) : 0;
}

static void give(vv_policy_call *call, const rubbed *of, const double *ratio, double *more, double *per_body)
{
    vv_stepper *s = call->stepper;
    vv_trial *t = call->trial;
    const vv_system *y = s->system;
    vv_zero((size_t)s->bodies, per_body);
    for (int i = 0; i < y->nodes; i++)
        more[i] = ratio[y->body[i]];
    call->rubbed += vv_trial_rub_more(s, t, more, per_body);
    for (int i = 0; i < y->nodes; i++)
        for (size_t c = 0; c < 3 && y->unknown[i] >= 0 && more[i] != 0; c++)
            t->v[3 * (size_t)i + c] += more[i] * of[y->body[i]].rubs[c] / of[y->body[i]].mass;
}

vvStatus vv_rubbing_follow(vv_policy_call *call, const double *dv, double alpha, bool by_start)
{
    vv_stepper *s = call->stepper;
    const double part = by_start ? 1 - alpha : -alpha;
    if (part == 0 || !any_friction(s, &call->trial->losses))
        return VV_OK;
    vv_arena *arena = &s->system->arena;
    const size_t mark = vv_arena_mark(arena), bodies = (size_t)s->bodies;
    double *others = vv_arena_push(arena, vv_node_space(s->system), sizeof *others);
    double *more = vv_arena_push(arena, (size_t)s->system->nodes, sizeof *more);
    double *ratio = vv_arena_push(arena, bodies, sizeof *ratio), *lost = vv_arena_push(arena, bodies, sizeof *lost);
    rubbed *of = vv_arena_push(arena, bodies, sizeof *of);
    sums *group = vv_arena_push(arena, bodies, sizeof *group);
    int *group_of = vv_arena_push(arena, bodies, sizeof *group_of);
    unsigned char *outside = vv_arena_push(arena, bodies, 1);
    vvStatus status = vv_touching_find(s, call->trial->q, group_of, outside);
    if (status == VV_OK) {
        find_others(s, call->trial, others);
        sum_bodies(s, call->trial, others, dv, by_start, of);
        find_ratios(s, of, group_of, part, group, ratio);
        give(call, of, ratio, more, lost);
    }
    vv_arena_release(arena, mark);
    return status;
}

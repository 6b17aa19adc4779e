/* Residual forces of a solve on bodies carried by prescribed nodes (theory §8.3).
 *
 * A solve ends where some force f on free nodes, the objective's gradient by the step's square, is not zero. The nodes
 * move as if f had pushed them, so f . dq of their energy has no source. On bodies held by prescribed nodes the
 * reaction lacks f, which it would have at convergence. So f . dq is work, not error. */
#include "base/groups.h"
#include "base/vec.h"
#include "solve/vectors.h"
#include "step/ledger/work.h"

/* Constraints hold nodes by what is a rest of the gradient, too; and a solve that is to be no more than a few
 * iterations makes errors of its own. */
static bool counts(const vv_stepper *s, const vv_solve_stats *stats)
{
    return s->system->unknowns < s->system->nodes && !(s->contact && s->contact->feasible) &&
           stats->end != VV_SOLVE_BUDGET;
}

/* Whether any prescribed node goes anywhere in the step. */
static bool anything_moves(const vv_stepper *s, const double *q)
{
    for (size_t j = 0; j < vv_node_space(s->system); j++)
        if (s->system->unknown[j / 3] < 0 && q[j] != s->state->q[j])
            return true;
    return false;
}

void vv_left_add(vv_stepper *s, const vv_objective *o, const vv_stage *stage, vv_trial *t)
{
    vv_arena *arena = &s->system->arena;
    const size_t mark = vv_arena_mark(arena);
    const double weight = stage->d * stage->hu[VV_Q]; /* of h^2 grad R in the objective's gradient */
    if (!counts(s, &t->stats) || !anything_moves(s, t->q) || weight == 0)
        return;
    double *g = vv_arena_push(arena, vv_unknown_space(s->system), sizeof *g),
           *rest = vv_arena_push(arena, vv_node_space(s->system), sizeof *rest);
    vv_objective_derivatives(o, t->q, VV_HESSIAN_EXACT, g, NULL);
    vv_unpack(s->system, g, rest);
    vv_axpy(vv_node_space(s->system), stage->impulse / (weight * s->h), rest, t->left);
    vv_arena_release(arena, mark);
}

/* ---- who is carried ---- */

static double way(const vv_stepper *s, const double *q, int node)
{
    double d[3];
    vv_sub(q + 3 * (size_t)node, s->state->q + 3 * (size_t)node, d);
    return vv_norm(d);
}

static bool moves(const int *group, int body) { return group[body] >= 0; }

/* Bodies in touch where the step begins, or held together by energies, are a group; kinematic ones are in none. */
static void find_groups(const vv_stepper *s, int *group)
{
    const vv_components *parts = &s->components;
    const int *body = s->system->body;
    for (int b = 0; b < s->bodies; b++)
        group[b] = -1;
    for (int i = 0; i < s->system->nodes; i++)
        if (s->system->unknown[i] >= 0)
            group[body[i]] = body[i];
    for (int i = 0; i < s->system->nodes; i++)
        if (s->system->unknown[i] >= 0)
            vv_groups_join(group, body[i], body[parts->component[parts->of[i]].lead]);
    for (size_t k = 0; s->contact && k < s->contact->touching_count; k++) {
        const vv_near *n = s->contact->touching + k;
        if (moves(group, n->a) && moves(group, n->b))
            vv_groups_join(group, n->a, n->b);
    }
}

static void take_along(int *group, int body, double far, double *reach)
{
    double *r = reach + vv_groups_find(group, body);
    *r = fmax(*r, far);
}

/* reach[body], of kinematic bodies: how far the farthest of their nodes goes; of the others 0, but of the lowest of a
 * group: how far goes what holds one of them. */
static void find_reach(const vv_stepper *s, const double *q, int *group, double *reach)
{
    const vv_system *y = s->system;
    const vv_contact *c = s->contact;
    const int obstacles = c && c->frames ? c->barrier.obstacle_count : 0;
    vv_zero((size_t)s->bodies, reach);
    for (int i = 0; i < y->nodes; i++)
        if (y->unknown[i] < 0 && moves(group, y->body[i]))
            take_along(group, y->body[i], way(s, q, i), reach);
        else if (y->unknown[i] < 0)
            reach[y->body[i]] = fmax(reach[y->body[i]], way(s, q, i));
    for (size_t k = 0; c && k < c->touching_count; k++) {
        const int a = c->touching[k].a, b = c->touching[k].b;
        if (moves(group, a) != moves(group, b))
            take_along(group, moves(group, a) ? a : b, reach[moves(group, a) ? b : a], reach);
    }
    for (int b = 0; b < s->bodies; b++)
        for (int o = 0; o < obstacles && moves(group, b); o++)
            if (c->frame_body[o] >= 0 && (c->near[b * c->barrier.obstacle_count + o] & 1))
                take_along(group, b, reach[c->frame_body[o]], reach);
}

/* Less of the ledger's scale in a step is no work: who carries whom need not be found for it. */
static const double NOTHING = 1e-7;

/* How much work it could be at most, J. */
static double bound(const vv_stepper *s, const vv_trial *t)
{
    double sum = 0;
    for (size_t j = 0; j < vv_node_space(s->system); j++)
        sum += fabs(t->left[j] * (t->q[j] - s->state->q[j]));
    return sum / s->h;
}

void vv_left_keep_carried(vv_stepper *s, vv_trial *t)
{
    const vv_system *y = s->system;
    vv_arena *arena = &s->system->arena;
    const size_t mark = vv_arena_mark(arena);
    if (!counts(s, &t->stats) || !(bound(s, t) > NOTHING * s->state->ledger.scale)) {
        vv_zero(vv_node_space(y), t->left);
        return;
    }
    int *group = vv_arena_push(arena, (size_t)s->bodies, sizeof *group);
    double *reach = vv_arena_push(arena, (size_t)s->bodies, sizeof *reach);
    vv_contact_measure(s->contact, &y->par, s->state->q);
    find_groups(s, group);
    find_reach(s, t->q, group, reach);
    for (int i = 0; i < y->nodes; i++) {
        if (y->unknown[i] < 0)
            continue;
        const double most = reach[vv_groups_find(group, y->body[i])], far = way(s, t->q, i);
        for (size_t j = 3 * (size_t)i; j < 3 * (size_t)i + 3 && far > most; j++)
            t->left[j] *= most / far;
    }
    vv_arena_release(arena, mark);
}

/* ---- its work ---- */

double vv_left_work(const vv_stepper *s, const vv_trial *t, double *per_body)
{
    double sum = 0;
    for (int i = 0; i < s->system->nodes; i++)
        for (size_t j = 3 * (size_t)i; j < 3 * (size_t)i + 3 && s->system->unknown[i] >= 0; j++) {
            const double work = t->left[j] * (t->q[j] - s->state->q[j]) / s->h;
            sum += work;
            if (per_body)
                per_body[s->system->body[i]] += work;
        }
    return sum;
}

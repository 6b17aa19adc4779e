/* Shapes at rest as a guess (theory §6.14). In a long step a stiff body comes back to its own shape, however tangled it was, and the way there through the
 * tangle is long. So a body that is inside out or flat somewhere where the stage begins is tried in its shape at rest, moved as a rigid one to where
 * inertia wants it, and goes there if its own part of g gets lower. A body that stands in its tangle by itself, or is held somewhere, stays. */
#include "solve/optimizer.h"

#include "solve/turn.h"
#include "solve/vectors.h"

#include <string.h>

/* least[b]: the smallest det F of body b at x; +infinity: it has no such elements. */
static void find_least_j(const vv_system *s, const double *x, double *least)
{
    for (int b = 0; b < s->bodies; b++)
        least[b] = INFINITY;
    for (int i = 0; i < s->energies; i++)
        if (s->energy[i]->ops->least_j)
            s->energy[i]->ops->least_j(s->energy[i], &s->par, x, least);
}

/* x = where the objective's one sample is, of nodes at q. */
static void place_sample(const vv_objective *o, const double *q, double *x)
{
    const double beta = o->sample[0].beta, *z = o->sample[0].z;
    for (size_t i = 0; i < vv_node_space(o->system); i++)
        x[i] = beta * q[i] + (z ? z[i] : 0);
}

/* x = where a sample of the shapes at rest, moved as rigid ones, is nearest to that of y. */
static void place_shapes(const vv_objective *o, double *x)
{
    vv_system *s = o->system;
    const double beta = o->sample[0].beta, *z = o->sample[0].z;
    const size_t mark = vv_arena_mark(&s->arena), n = vv_node_space(s);
    double *target = vv_arena_push(&s->arena, n, sizeof *target);
    place_sample(o, o->y, target);
    vv_turn_towards(s, s->rest, target, true, x);
    for (size_t i = 0; i < n; i++)
        x[i] = (x[i] - (z ? z[i] : 0)) / beta;
    vv_arena_release(&s->arena, mark);
}

/* x = q at the nodes of bodies that are not wanted; whether any is. */
static bool keep_others(const vv_system *s, const bool *wanted, const double *q, double *x)
{
    bool any = false;
    for (int i = 0; i < s->nodes; i++) {
        any = any || wanted[s->body[i]];
        if (!wanted[s->body[i]])
            memcpy(x + 3 * (size_t)i, q + 3 * (size_t)i, 3 * sizeof *x);
    }
    return any;
}

/* Bodies without prescribed nodes that are inside out or flat where the stage begins. */
static void find_tangled(const vv_objective *o, bool *wanted)
{
    vv_system *s = o->system;
    const size_t mark = vv_arena_mark(&s->arena);
    double *least = vv_arena_push(&s->arena, (size_t)s->bodies, sizeof *least);
    find_least_j(s, o->begin, least);
    for (int b = 0; b < s->bodies; b++)
        wanted[b] = least[b] <= 0;
    for (int i = 0; i < s->nodes; i++)
        wanted[s->body[i]] = wanted[s->body[i]] && s->unknown[i] >= 0;
    vv_arena_release(&s->arena, mark);
}

/* Of the wanted bodies only those stay so whose part of g is lower at x than at q. */
static void keep_lower(const vv_objective *o, const double *q, const double *x, bool *wanted)
{
    vv_system *s = o->system;
    const size_t mark = vv_arena_mark(&s->arena);
    double *here = vv_arena_push(&s->arena, (size_t)s->bodies, sizeof *here), *there = vv_arena_push(&s->arena, (size_t)s->bodies, sizeof *there);
    vv_objective_by_body(o, q, here);
    vv_objective_by_body(o, x, there);
    for (int b = 0; b < s->bodies; b++)
        wanted[b] = wanted[b] && there[b] < here[b];
    vv_arena_release(&s->arena, mark);
}

bool vv_optimizer_shapes(const vv_objective *o, double *q, double *value, int *evaluations)
{
    vv_system *s = o->system;
    if (!s->rest || !o->begin || o->samples != 1 || o->sample[0].beta == 0)
        return false;
    const size_t mark = vv_arena_mark(&s->arena), n = vv_node_space(s);
    double *x = vv_arena_push(&s->arena, n, sizeof *x), there = INFINITY;
    bool *wanted = vv_arena_push(&s->arena, (size_t)s->bodies, sizeof *wanted);
    find_tangled(o, wanted);
    place_shapes(o, x);
    if (keep_others(s, wanted, q, x)) {
        keep_lower(o, q, x, wanted);
        *evaluations += 2;
    }
    if (keep_others(s, wanted, q, x)) {
        there = vv_objective_value(o, x); /* of all, as joints couple bodies */
        *evaluations += 1;
    }
    const bool taken = there < *value;
    if (taken) {
        vv_copy(n, x, q);
        *value = there;
    }
    vv_arena_release(&s->arena, mark);
    return taken;
}

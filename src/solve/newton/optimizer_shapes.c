/* Shapes at rest as a guess (theory §6.14). In a long step a stiff body recovers its shape, however tangled it was, but
 * the path there through the tangle is long. So a body that is inverted or flat somewhere at the start of the stage is
 * tried in its rest shape, moved rigidly to the inertial position, and takes it if its part of g gets lower. Excluded
 * are held bodies; bodies that have only moved rigidly since, whose tangle is an equilibrium; and bodies that touch
 * something on the straight path there, as the shape may lie on the other side. Contacts of other bodies do not matter.
 */
#include "solve/newton/optimizer.h"

#include "base/groups.h"
#include "solve/newton/turn.h"
#include "solve/vectors.h"

#include <string.h>

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

/* ---- which bodies are tried ---- */

/* That have an element with det F <= 0 where the stage begins, and no prescribed node. */
static void find_tangled(const vv_objective *o, bool *wanted)
{
    vv_system *s = o->system;
    const size_t mark = vv_arena_mark(&s->arena);
    double *least = vv_arena_push(&s->arena, (size_t)s->bodies, sizeof *least);
    for (int b = 0; b < s->bodies; b++)
        least[b] = INFINITY;
    for (int i = 0; i < s->energies; i++)
        if (s->energy[i]->ops->least_j)
            s->energy[i]->ops->least_j(s->energy[i], &s->par, o->begin, least);
    for (int b = 0; b < s->bodies; b++)
        wanted[b] = least[b] <= 0;
    for (int i = 0; i < s->nodes; i++)
        wanted[s->body[i]] = wanted[s->body[i]] && s->unknown[i] >= 0 && !vv_rail_of(s->rails, (size_t)i);
    vv_arena_release(&s->arena, mark);
}

/* Of these, only those that have been deformed along the path from there to q. */
static void leave_still(const vv_objective *o, double still, const double *q, bool *wanted)
{
    vv_system *s = o->system;
    const size_t mark = vv_arena_mark(&s->arena), n = vv_node_space(s);
    double *x = vv_arena_push(&s->arena, n, sizeof *x),
           *square = vv_arena_push(&s->arena, (size_t)s->bodies, sizeof *square);
    vv_turn_towards(s, o->begin, q, true, x);
    vv_zero((size_t)s->bodies, square);
    for (size_t i = 0; i < n; i++) /* of the path, less what is allowed to it */
        square[s->body[i / 3]] += s->mass[i / 3] * ((x[i] - q[i]) * (x[i] - q[i]) - still * still / 3);
    for (int b = 0; b < s->bodies; b++)
        wanted[b] = wanted[b] && square[b] > 0;
    vv_arena_release(&s->arena, mark);
}

/* group[b]: the lowest body that joints hold body b to. False: memory was short. */
static bool find_groups(const vv_system *s, int *group)
{
    vv_pattern pattern = { .n = s->bodies };
    vv_groups_clear(group, s->bodies);
    for (int i = 0; i < s->energies; i++)
        if (s->energy[i]->ops->row == VV_ROW_JOINT)
            vv_energy_holds(s->energy[i], s->body, &pattern);
    for (size_t i = 0; i < pattern.count; i++)
        vv_groups_join(group, pattern.couplings[i][0], pattern.couplings[i][1]);
    const bool found = !pattern.failed;
    vv_pattern_free(&pattern);
    for (int b = 0; b < s->bodies; b++)
        group[b] = vv_groups_find(group, b);
    return found;
}

/* Of these, only those in groups whose part of g, of all of their bodies, is lower at x than at q. */
static bool leave_higher(const vv_objective *o, const double *q, const double *x, bool *wanted)
{
    vv_system *s = o->system;
    const size_t mark = vv_arena_mark(&s->arena), bodies = (size_t)s->bodies;
    double *here = vv_arena_push(&s->arena, bodies, sizeof *here),
           *there = vv_arena_push(&s->arena, bodies, sizeof *there);
    int *group = vv_arena_push(&s->arena, bodies, sizeof *group);
    const bool found = find_groups(s, group);
    vv_objective_by_body(o, q, here);
    vv_objective_by_body(o, x, there);
    for (int b = s->bodies - 1; b >= 0; b--) /* a group's lowest body is the last to be read */
        if (group[b] != b)
            here[group[b]] += here[b], there[group[b]] += there[b];
    for (int b = 0; b < s->bodies; b++)
        wanted[b] = wanted[b] && there[group[b]] < here[group[b]];
    vv_arena_release(&s->arena, mark);
    return found;
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

/* ---- what is in the way ---- */

enum { LOOKS = 8 }; /* places along the path at which penetration is looked for, which no filter stops */

/* Whether no wanted body is in contact at x, nor put elsewhere by constraints. */
static bool nothing_touches(const vv_objective *o, const double *x, const bool *wanted)
{
    vv_system *s = o->system;
    bool touches = false;
    vv_feasible *bounds = s->feasible ? s->feasible : s->later;
    const size_t mark = vv_arena_mark(&s->arena), n = vv_node_space(s);
    double *at = vv_arena_push(&s->arena, n, sizeof *at), *put = vv_arena_push(&s->arena, n, sizeof *put),
           *part = vv_arena_push(&s->arena, (size_t)s->bodies, sizeof *part);
    place_sample(o, x, at);
    vv_zero((size_t)s->bodies, part);
    for (int i = 0; i < s->energies; i++)
        if (s->energy[i]->ops->row == VV_ROW_CONTACT) {
            vv_energy_update(s->energy[i], &s->par, at);
            s->energy[i]->ops->value(s->energy[i], &s->par, at, part);
        }
    for (int b = 0; b < s->bodies; b++)
        touches = touches || (wanted[b] && part[b] != 0);
    vv_copy(n, x, put);
    touches =
        touches || (bounds && !bounds->ops->project(bounds, &s->par, &(vv_numbering){ s->unknown, s->node }, put));
    for (size_t i = 0; i < n; i++)
        touches = touches || (wanted[s->body[i / 3]] && put[i] != x[i]);
    vv_arena_release(&s->arena, mark);
    return !touches;
}

/* Whether the wanted bodies meet nothing on the straight path from q to x, where all others are at q. */
static bool way_is_free(const vv_objective *o, const double *q, const double *x, const bool *wanted)
{
    vv_system *s = o->system;
    const size_t mark = vv_arena_mark(&s->arena), n = vv_node_space(s);
    double *at = vv_arena_push(&s->arena, n, sizeof *at), *p = vv_arena_push(&s->arena, n, sizeof *p);
    vv_difference(n, x, q, p);
    bool free = vv_objective_max_step(o, q, p) >= 1;
    for (int k = 0; k <= LOOKS && free; k++) {
        for (size_t i = 0; i < n; i++)
            at[i] = k < LOOKS ? q[i] + p[i] * k / LOOKS : x[i];
        free = nothing_touches(o, at, wanted);
    }
    vv_arena_release(&s->arena, mark);
    return free;
}

/* Of these, only those that meet nothing along their path from q to x; the others stay. One body after the other only
 * where some do. False: none is left. */
static bool leave_stopped(const vv_objective *o, const double *q, double *x, bool *wanted)
{
    vv_system *s = o->system;
    if (!keep_others(s, wanted, q, x))
        return false;
    if (way_is_free(o, q, x, wanted))
        return true;
    const size_t mark = vv_arena_mark(&s->arena), n = vv_node_space(s);
    double *alone = vv_arena_push(&s->arena, n, sizeof *alone);
    bool *one = vv_arena_push(&s->arena, (size_t)s->bodies, sizeof *one);
    for (int b = 0; b < s->bodies; b++) {
        memset(one, 0, (size_t)s->bodies * sizeof *one);
        one[b] = wanted[b];
        vv_copy(n, x, alone);
        wanted[b] = keep_others(s, one, q, alone) && way_is_free(o, q, alone, one);
    }
    vv_arena_release(&s->arena, mark);
    return keep_others(s, wanted, q, x) && way_is_free(o, q, x, wanted); /* nor each other */
}

/* ---- the guess ---- */

bool vv_optimizer_shapes(const vv_objective *o, double still, double *q, double *value, int *evaluations)
{
    vv_system *s = o->system;
    if (!s->rest || !o->begin || o->samples != 1 || o->sample[0].beta == 0)
        return false;
    const size_t mark = vv_arena_mark(&s->arena), n = vv_node_space(s);
    double *x = vv_arena_push(&s->arena, n, sizeof *x), there = INFINITY;
    bool *wanted = vv_arena_push(&s->arena, (size_t)s->bodies, sizeof *wanted);
    find_tangled(o, wanted);
    leave_still(o, still, q, wanted);
    place_shapes(o, x);
    bool any = leave_stopped(o, q, x, wanted);
    if (any) {
        any = leave_higher(o, q, x, wanted) && keep_others(s, wanted, q, x);
        *evaluations += 2;
    }
    if (any) {
        there = vv_objective_value(o, x);
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

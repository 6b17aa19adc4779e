/* What budgets of iterations are too small for (theory §8.9).
 *
 * Where a solve ends, the gradient's resultant on a component (step/bodies/components.h) is a momentum that it does not
 * have and should: of a free one exactly, as inner forces have no resultant. Compared is the velocity of its fastest
 * node in the rigid motion with that momentum to what the step changes of the component's velocities, |q - y| / h, and
 * to what gravity alone would. The last change of a node, which solvers stop by, says little: a slow solver makes short
 * steps far from the end. */
#include "step/ledger/unbalanced.h"

#include "base/vec.h"
#include "solve/vectors.h"

enum { FIRST = 10, EVERY = 10 };
static const double SLOW = 1e-3; /* m/s: what is less is not worth a word */

bool vv_unbalanced_due(const vv_stepper *s)
{
    const int64_t step = s->state->clock.step;
    return !s->policy->makes_good && (step < FIRST || step % EVERY == 0);
}

/* The part that is out of balance of a component, rest being M^-1 times the gradient in node space (m); 0: of none that
 * counts. */
static double part_of(const vv_stepper *s, const vv_objective *o, int component, const double *q, const double *rest,
                      double gravity)
{
    const vv_system *y = s->system;
    const vv_node_set set = vv_component_nodes(&s->components, component);
    const vv_rigid body = vv_rigid_at(y, &set, q);
    const vv_twist left = vv_rigid_part(y, &set, &body, q, rest);
    double most = 0, changed = gravity * o->h * o->h;
    for (int i = 0; i < set.count; i++) {
        const size_t node = vv_set_node(&set, i);
        double move[3], change[3];
        if (y->unknown[node] < 0)
            continue;
        vv_twist_at(&left, body.centre, q + 3 * node, move);
        vv_sub(q + 3 * node, o->y + 3 * node, change);
        most = fmax(most, vv_norm(move)), changed = fmax(changed, vv_norm(change));
    }
    return most > SLOW * o->h && changed > 0 ? most / changed : 0;
}

void vv_unbalanced_note(vv_stepper *s, const vv_objective *o, const double *q)
{
    vv_system *y = s->system;
    const size_t mark = vv_arena_mark(&y->arena), n = vv_node_space(y);
    double *g = vv_arena_push(&y->arena, vv_unknown_space(y), sizeof *g),
           *rest = vv_arena_push(&y->arena, n, sizeof *rest);
    const double gravity = vv_norm(vv_stepper_gravity(s));
    vv_objective_derivatives(o, q, VV_HESSIAN_EXACT, g, NULL);
    vv_system_reduce(y, q, g, NULL, true);
    vv_unpack(y, g, rest);
    for (size_t j = 0; j < n; j++)
        rest[j] = y->unknown[j / 3] >= 0 ? rest[j] / y->mass[j / 3] : 0;
    for (int i = 0; i < s->components.count; i++) {
        const double part = part_of(s, o, i, q, rest, gravity);
        if (part > s->unbalanced.part)
            s->unbalanced.part = part, s->unbalanced.body = y->body[s->components.component[i].lead];
    }
    vv_arena_release(&y->arena, mark);
}

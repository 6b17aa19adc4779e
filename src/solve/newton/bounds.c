/* Newton's method and its kin where the system's nodes are bounded (energy/feasible.h; theory §5.14): the start, a
 * step, and what bounds press with. */
#include "solve/newton/newton.h"
#include "solve/vectors.h"

/* q = P(where the stage begins) of the free nodes, and g there, if that is below *value. A guess knows nothing of
 * bounds: through a wall that is thinner than its path it ends on the far side, and P leaves it there. Where obstacles
 * stand still, and g is no more than at the beginning, a step makes no energy. */
static void begin_if_lower(vv_newton *n, double *value)
{
    const vv_system *s = n->o->system;
    const size_t space = vv_node_space(s), mark = vv_arena_mark(&n->o->system->arena);
    double *x = vv_arena_push(&n->o->system->arena, space, sizeof *x), there = INFINITY;
    vv_copy(space, n->q, x);
    for (size_t i = 0; i < space; i++)
        if (s->unknown[i / 3] >= 0)
            x[i] = n->o->begin[i];
    if (vv_system_project(s, x))
        there = vv_objective_value_below(n->o, x, *value);
    if (there < *value) {
        vv_copy(space, x, n->q);
        *value = there;
    }
    vv_arena_release(&n->o->system->arena, mark);
}

vvStatus vv_newton_enter(vv_newton *n, double *value, vvError *error)
{
    const vv_system *s = n->o->system;
    const bool placed = vv_system_project(s, n->q);
    *value = placed ? vv_objective_value(n->o, n->q) : INFINITY;
    *value = isnan(*value) ? INFINITY : *value;
    if (s->feasible && n->o->begin)
        begin_if_lower(n, value);
    if (isfinite(*value))
        return VV_OK;
    return vv_newton_fail(
        n,
        !s->feasible ? "the start is outside the energies' domain"
        : !placed    ? "obstacles leave no room for a vertex outside all of them; move them less far, or farther apart"
                  : "obstacles push the vertices to where an element would invert, which its material does not allow; "
                    "slow the obstacles down, shorten the step, or use a material that allows inversion",
        error);
}

void vv_newton_go(vv_newton *n, double t)
{
    vv_axpy(vv_node_space(n->o->system), t, n->p, n->q);
    (void)vv_system_project(n->o->system, n->q); /* a line search found it finite there */
}

void vv_newton_press(vv_newton *n)
{
    const vv_objective *o = n->o;
    double part = 0;
    if (!o->system->feasible)
        return;
    for (int i = 0; i < o->samples; i++)
        part += o->sample[i].w * o->sample[i].beta;
    vv_objective_derivatives(o, n->q, VV_HESSIAN_EXACT, n->gradient, NULL);
    vv_system_reduce(o->system, n->q, n->gradient, NULL, true);
    o->system->feasible->ops->press(o->system->feasible, part > 0 ? 1 / (o->h * o->h * part) : 0);
}

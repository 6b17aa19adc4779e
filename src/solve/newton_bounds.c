/* Newton's method and its kin where the system's nodes are bounded (energy/feasible.h; theory §5.14): the start, a step, and what bounds press with. */
#include "solve/newton.h"
#include "solve/vectors.h"

void vv_newton_enter(vv_newton *n, double *value)
{
    const vv_system *s = n->o->system;
    *value = vv_system_project(s, n->q) ? vv_objective_value(n->o, n->q) : INFINITY;
    if (*value < INFINITY || !s->feasible || !n->o->begin)
        return;
    for (size_t i = 0; i < vv_node_space(s); i++)
        if (s->unknown[i / 3] >= 0)
            n->q[i] = n->o->begin[i];
    *value = vv_system_project(s, n->q) ? vv_objective_value(n->o, n->q) : INFINITY;
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

/* The two initial guesses of the optimisation integrator (Gast and Schroeder
 * 2014, §3.1; theory §6.14): y alone is right where forces are slight beside
 * inertia or wild, an explicit step where they are gentle. And one of ours: the
 * rigid motion of each body that comes nearest to y, right where a stiff body
 * turns by much in a step. g tells which is best. */
#include "solve/newton/optimizer.h"

#include "solve/newton/turn.h"
#include "solve/vectors.h"

/* Takes the place `to` of the free nodes for q, as far as the path there from
 * `from` is free, if g is lower there; p, x: room. */
static void consider(const vv_objective *o, const double *from, const double *to, double *p, double *x, double *q,
                     double *value)
{
    const vv_system *s = o->system;
    const size_t n = vv_node_space(s);
    vv_difference_free(s, to, from, p);
    vv_along(n, from, vv_objective_max_step(o, from, p), p, x);
    double there = INFINITY;
    if (vv_system_project(s, x))
        there = isnan(*value) ? vv_objective_value(o, x) : vv_objective_value_below(o, x, *value);
    if (!(there < *value || (isnan(*value) && there < INFINITY)))
        return;
    *value = there;
    vv_copy(n, x, q);
}

/* to = y - h^2 M^-1 sum w beta grad E at the stage's beginning; x, force: room.
 */
static void go_explicitly(const vv_objective *o, double *x, double *force, double *to)
{
    const vv_system *s = o->system;
    const size_t n = vv_node_space(s);
    vv_copy(n, o->y, to);
    for (int i = 0; i < o->samples; i++) {
        const double beta = o->sample[i].beta, *z = o->sample[i].z;
        for (size_t j = 0; j < n; j++)
            x[j] = beta * o->begin[j] + (z ? z[j] : 0);
        vv_system_gradient(s, x, force);
        vv_divide_by_mass(s, o->h * o->h * o->sample[i].w * beta, true, force);
        vv_axpy(n, -1, force, to);
    }
}

void vv_optimizer_start(const vv_objective *o, bool turns, double *q, double *value, int *evaluations)
{
    vv_arena *arena = &o->system->arena;
    const size_t mark = vv_arena_mark(arena), n = vv_node_space(o->system);
    double *from = vv_arena_push(arena, n, sizeof *from), *to = vv_arena_push(arena, n, sizeof *to);
    double *p = vv_arena_push(arena, n, sizeof *p), *x = vv_arena_push(arena, n, sizeof *x);
    vv_copy(n, q, from);
    consider(o, from, o->y, p, x, q, value);
    if (o->begin) {
        go_explicitly(o, x, p, to);
        consider(o, from, to, p, x, q, value);
    }
    if (o->begin && turns) {
        vv_turn_towards(o->system, o->begin, o->y, true, to);
        vv_copy_prescribed(o->system, from, to);
        consider(o, from, to, p, x, q, value);
    }
    *evaluations += !o->begin ? 1 : turns ? 3 : 2;
    vv_arena_release(arena, mark);
}

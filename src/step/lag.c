/* How often a stage is solved for friction, whose normal forces are lagged (theory §5.7): each time with those of the
 * positions that were found before. */
#include "step/inside.h"

#include "base/error.h"
#include "solve/vectors.h"

enum { MOST = 50 }; /* solves until normal forces have converged */

static bool is_friction(const vv_energy *e) { return e->ops->row == VV_ROW_CONTACT; }

/* Friction's forces at the positions q of a stage, all of them added. */
static void forces(vv_stepper *s, const vv_objective *o, const double *q, double *u, double *sum)
{
    size_t n = vv_node_space(s->system);
    for (size_t i = 0; i < n; i++)
        u[i] = (o->c * q[i] + o->u[i]) / o->h;
    vv_zero(n, sum);
    for (int i = 0; i < s->system->dissipations; i++) {
        vv_energy *e = s->system->dissipation[i];
        if (is_friction(e))
            e->ops->derivatives(e, &s->system->par, u, 1, VV_HESSIAN_EXACT, sum, NULL);
    }
}

static void lag(vv_stepper *s, const double *q)
{
    for (int i = 0; i < s->system->dissipations; i++) {
        vv_energy *e = s->system->dissipation[i];
        if (is_friction(e) && e->ops->lag)
            e->ops->lag(e, &s->system->par, q, s->state->v, s->h);
    }
    s->lagged_at_start = false;
}

/* The same; returns by how much this changes friction's forces, as a part of what they were or are. NaN: out of
 * memory. */
static double lag_and_compare(vv_stepper *s, const vv_objective *o, const double *q)
{
    vv_system *y = s->system;
    size_t mark = vv_arena_mark(&y->arena), n = vv_node_space(y);
    double *u = vv_arena_push(&y->arena, n, sizeof *u), *before = vv_arena_push(&y->arena, n, sizeof *before);
    double *after = vv_arena_push(&y->arena, n, sizeof *after), change = NAN;
    if (u && before && after) {
        forces(s, o, q, u, before);
        lag(s, q);
        forces(s, o, q, u, after);
        double was = vv_sum_dot(y, before, before, (int)n), is = vv_sum_dot(y, after, after, (int)n);
        vv_axpy(n, -1, after, before);
        double scale = fmax(was, is);
        change = scale > 0 ? sqrt(vv_sum_dot(y, before, before, (int)n) / scale) : 0;
    }
    vv_arena_release(&y->arena, mark);
    return change;
}

/* The normal forces of a start have never acted, and mostly will not: a body that is put down nearer than it would
 * rest is let go within the step. Only A-1 hands the velocities the forces of a step's start, whole: there friction
 * goes with them. */
static bool never_acts(const vv_stepper *s)
{
    bool handed = s->policy->apply && !s->policy->aims;
    return s->state->ledger.row.contact > 0 && !handed && s->hooks.starts && s->hooks.starts(s->hooks.user);
}

static bool has_friction(const vv_stepper *s, const vv_objective *o)
{
    bool any = false;
    for (int i = 0; i < s->system->dissipations; i++)
        any = any || is_friction(s->system->dissipation[i]);
    return any && o->d != 0;
}

vvStatus vv_solve_lagged(vv_stepper *s, vv_solver *solver, const vv_objective *o, const vv_solve_options *options,
                         double *q, vv_solve_stats *stats, vvError *error)
{
    vvStatus status = solver->ops->minimise(solver, o, q, s->target, options, stats, error);
    if (status != VV_OK || !has_friction(s, o))
        return status;
    bool converge = s->friction_iterations < 0 || (s->friction_iterations == 0 && never_acts(s));
    int most = converge ? MOST : s->friction_iterations > 1 ? s->friction_iterations : 1, k = 1;
    double change = INFINITY;
    vv_solve_options again = *options; /* prescribed nodes are where they go to */
    again.way = NULL, again.way_user = NULL, again.legs = 0;
    for (; status == VV_OK && k < most && !(converge && change <= s->friction_tolerance); k++) {
        if (!converge)
            lag(s, q);
        else if (stats->end != VV_SOLVE_CONVERGED)
            break;
        else if (isnan(change = lag_and_compare(s, o, q)))
            return vv_fail_memory(error, "friction's forces");
        status = solver->ops->minimise(solver, o, q, NULL, &again, stats, error);
    }
    if (k > s->friction_solves)
        s->friction_solves = k;
    if (converge && !(change <= s->friction_tolerance))
        s->friction_change = fmax(s->friction_change, change);
    return status;
}

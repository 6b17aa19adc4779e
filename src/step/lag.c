/* How often a stage is solved for friction, whose normal forces are lagged (theory §5.7): each time with those of the
 * previous positions. */
#include "step/inside.h"

#include "base/error.h"
#include "solve/vectors.h"

#include <string.h>

enum { MOST = 50 }; /* solves until normal forces have converged, */
enum { FEW = 3 };   /* and where a start has none, but its step brings some */

static bool is_friction(const vv_energy *e) { return e->ops->row == VV_ROW_CONTACT; }

/* ---- how much ---- */

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

/* ---- where ---- */

static void lag_friction(vv_stepper *s, const vv_lag_place *place, int places)
{
    for (int i = 0; i < s->system->dissipations; i++) {
        vv_energy *e = s->system->dissipation[i];
        if (is_friction(e) && e->ops->lag_sum)
            e->ops->lag_sum(e, &s->system->par, place, places);
    }
}

/* Contact acts at the stage's samples, and where y has its forces of q_n, there: each with its part of what friction
 * acts with. */
static void lag(vv_stepper *s, const vv_objective *o, const double *q)
{
    vv_arena *arena = &s->system->arena;
    size_t mark = vv_arena_mark(arena), n = vv_node_space(s->system);
    vv_lag_place place[VV_MAX_SAMPLES];
    int places = 0;
    const double all = o->d * o->c;
    for (int i = 0; i < o->samples; i++) {
        const double beta = o->sample[i].beta, *z = o->sample[i].z;
        double *x = beta == 1 && !z ? NULL : vv_arena_push(arena, n, sizeof *x);
        for (size_t k = 0; x && k < n; k++)
            x[k] = beta * q[k] + (z ? z[k] : 0);
        place[places++] = (vv_lag_place){ x ? x : q, o->sample[i].w * beta / all };
    }
    if (o->w_start != 0 && places < VV_MAX_SAMPLES)
        place[places++] = (vv_lag_place){ s->state->q, o->w_start / all };
    lag_friction(s, place, places);
    vv_arena_release(arena, mark);
    s->lagged_at_start = false;
}

double vv_stage_start_forces(const vv_scheme *row, const vv_stage *stage)
{
    const double q = stage->hv[VV_Q];
    return row->dissipative_an ? 0 : stage->y[VV_H2AN] + (q != 0 ? stage->hv[VV_H2AN] / q : 0);
}

void vv_stepper_lag(vv_stepper *s)
{
    for (int i = 0; i < s->system->dissipations; i++) {
        vv_energy *e = s->system->dissipation[i];
        if (e->ops->lag)
            e->ops->lag(e, &s->system->par, s->state->q, s->state->v, s->h);
    }
    s->lagged_at_start = true;
}

/* ---- how often ---- */

/* Of a body: squares of friction's forces and of their change, and whether they move any of its nodes by more than the
 * solve's tolerance. */
typedef struct rubbed {
    double was, is, change;
    bool matters;
} rubbed;

static double part(const rubbed *r)
{
    const double scale = fmax(r->was, r->is);
    return scale > 0 ? sqrt(r->change / scale) : 0;
}

static double square(const double *f) { return f[0] * f[0] + f[1] * f[1] + f[2] * f[2]; }

/* The largest part by which a body's forces change: what a heavy body rubs with hides no light one. body: room. */
static double worst_of_bodies(const vv_stepper *s, double slight, const double *before, const double *after,
                              rubbed *body)
{
    const vv_system *y = s->system;
    double worst = 0;
    memset(body, 0, (size_t)y->bodies * sizeof *body);
    for (size_t u = 0; u < (size_t)y->unknowns; u++) {
        const size_t i = (size_t)y->node[u];
        const double *a = before + 3 * i, *b = after + 3 * i, d[3] = { b[0] - a[0], b[1] - a[1], b[2] - a[2] };
        rubbed *r = body + y->body[i];
        const double was = square(a), is = square(b), most = slight * y->mass[i];
        r->was += was, r->is += is, r->change += square(d);
        r->matters = r->matters || fmax(was, is) > most * most;
    }
    for (int b = 0; b < y->bodies; b++)
        if (body[b].matters)
            worst = fmax(worst, part(body + b));
    return worst;
}

/* The same; returns by how much this changes friction's forces, as a part of what they were or are: all of them, or
 * those of a body. slight: m/s^2. NaN: out of memory. */
static double lag_and_compare(vv_stepper *s, const vv_objective *o, double slight, const double *q)
{
    vv_system *y = s->system;
    size_t mark = vv_arena_mark(&y->arena), n = vv_node_space(y);
    double *u = vv_arena_push(&y->arena, n, sizeof *u), *before = vv_arena_push(&y->arena, n, sizeof *before);
    double *after = vv_arena_push(&y->arena, n, sizeof *after), change = NAN;
    rubbed *body = vv_arena_push(&y->arena, (size_t)y->bodies, sizeof *body);
    if (u && before && after && body) {
        forces(s, o, q, u, before);
        lag(s, o, q);
        forces(s, o, q, u, after);
        rubbed all = { vv_sum_dot(y, before, before, (int)n), vv_sum_dot(y, after, after, (int)n), 0, true };
        const double worst = worst_of_bodies(s, slight, before, after, body);
        vv_axpy(n, -1, after, before);
        all.change = vv_sum_dot(y, before, before, (int)n);
        change = fmax(part(&all), worst);
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
    return !handed && s->hooks.starts && s->hooks.starts(s->hooks.user);
}

static bool has_friction(const vv_stepper *s, const vv_objective *o)
{
    bool any = false;
    for (int i = 0; i < s->system->dissipations; i++)
        any = any || is_friction(s->system->dissipation[i]);
    return any && o->d != 0;
}

/* Normal forces of the step's start add up to those that act in it only where contact acts at ends of steps, and steps
 * begin where others end. */
static bool never_adds_up(const vv_policy_ops *policy, bool at_ends)
{
    return (policy->touches & VV_TOUCHES_POSITIONS) || (policy->apply && !at_ends);
}

static bool between_ends(const vv_objective *o)
{
    bool any = o->w_start != 0;
    for (int i = 0; i < o->samples; i++)
        any = any || o->sample[i].beta != 1 || o->sample[i].z;
    return any;
}

int vv_friction_solves(const vv_scheme *row, const vv_policy_ops *policy, bool anew)
{
    bool any = anew || never_adds_up(policy, vv_scheme_end_forces(row));
    for (int i = 0; i < row->stages; i++) {
        const vv_stage *stage = row->stage + i;
        any = any || vv_stage_start_forces(row, stage) != 0;
        for (int k = 0; k < stage->samples; k++)
            any = any || stage->sample[k].beta != 1;
    }
    return any ? 2 : 1;
}

/* What constraints press with is only known after a solve. */
static int solves_of(const vv_stepper *s, const vv_objective *o)
{
    const bool apart = between_ends(o) || vv_contact_presses_anew(s->contact) ||
                       never_adds_up(s->policy, vv_scheme_end_forces(&s->scheme));
    const int given = s->friction_iterations > 0 ? s->friction_iterations : apart ? 2 : 1;
    return given == 1 && s->system->feasible ? 2 : given;
}

vvStatus vv_solve_lagged(vv_stepper *s, vv_solver *solver, const vv_objective *o, const vv_solve_options *options,
                         double *q, vv_solve_stats *stats, vvError *error)
{
    vvStatus status = solver->ops->minimise(solver, o, q, s->target, options, stats, error);
    if (status != VV_OK || !has_friction(s, o))
        return status;
    bool converge = s->friction_iterations < 0 || (s->friction_iterations == 0 && never_acts(s));
    const bool presses = s->state->ledger.row.contact > 0;
    int most = !converge ? solves_of(s, o) : presses || s->friction_iterations < 0 ? MOST : FEW, k = 1;
    double change = INFINITY;
    vv_solve_options again = *options; /* prescribed nodes are where they go to */
    again.way = NULL, again.way_user = NULL, again.legs = 0;
    for (; status == VV_OK && k < most && !(converge && change <= s->friction_tolerance); k++) {
        if (!converge)
            lag(s, o, q);
        else if (stats->end != VV_SOLVE_CONVERGED && !(k == 1 && s->system->feasible))
            break;
        else if (isnan(change = lag_and_compare(s, o, options->tolerance / o->h, q)))
            return vv_fail_memory(error, "friction's forces");
        if (change == 0) /* nothing rubs */
            break;
        status = solver->ops->minimise(solver, o, q, NULL, &again, stats, error);
    }
    if (k > s->friction_solves)
        s->friction_solves = k;
    if (converge && most == MOST && !(change <= s->friction_tolerance))
        s->friction_change = fmax(s->friction_change, change);
    return status;
}

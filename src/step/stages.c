/* The interpreter: resolves a scheme's stage into an objective and solves it. */
#include "step/stages.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/vec.h"

#include <string.h>

/* out = sum of c_t * term_t over the terms that are there. */
static void combine(const vv_stepper *s, const double *c, const double *const *terms, double *out)
{
    size_t n = 3 * (size_t)s->system->nodes;
    memset(out, 0, n * sizeof *out);
    for (int t = 0; t < VV_TERMS; t++) {
        if (c[t] == 0)
            continue;
        double k = c[t];
        const double *x = terms[t];
        for (size_t i = 0; i < n; i++)
            out[i] += k * x[i];
    }
}

static bool all_zero(const double *c)
{
    for (int t = 0; t < VV_TERMS; t++)
        if (c[t] != 0)
            return false;
    return true;
}

static void resolve(vv_stepper *s, const vv_stage *stage, const double *const *terms, const double *from, vv_objective *o)
{
    *o = (vv_objective){ .system = s->system, .h = s->h, .inertia = 1, .y = s->y, .samples = stage->samples, .begin = from };
    combine(s, stage->y, terms, s->y);
    for (int i = 0; i < stage->samples; i++) {
        o->sample[i].w = stage->sample[i].w;
        o->sample[i].beta = stage->sample[i].beta;
        if (!all_zero(stage->sample[i].z)) {
            combine(s, stage->sample[i].z, terms, s->z[i]);
            o->sample[i].z = s->z[i];
        }
    }
    if (stage->d != 0 && s->system->dissipations) {
        vv_combination rest;
        memcpy(rest, stage->hu, sizeof rest);
        rest[VV_Q] = 0;
        combine(s, rest, terms, s->u);
        o->d = stage->d, o->c = stage->hu[VV_Q], o->u = s->u;
    }
}

/* Writes the better of two feasible starts into q: where the stage begins, or that carried along by its velocity. */
static void choose_start(vv_stepper *s, const vv_objective *o, const double *from, double span, double *q)
{
    size_t n = 3 * (size_t)s->system->nodes;
    double *p = s->trial;
    for (int i = 0; i < s->system->nodes; i++)
        for (int k = 0; k < 3; k++)
            p[3 * (size_t)i + k] = s->system->unknown[i] >= 0 ? span * s->hvn[3 * (size_t)i + k] : 0;
    double t = vv_objective_max_step(o, from, p);
    for (size_t i = 0; i < n; i++)
        p[i] = from[i] + t * p[i];
    double still = vv_objective_value(o, from), carried = vv_objective_value(o, p);
    memcpy(q, carried < still ? p : from, n * sizeof *q);
}

static void relag_friction(vv_stepper *s, const double *q)
{
    for (int i = 0; i < s->system->dissipations; i++) {
        vv_energy *e = s->system->dissipation[i];
        if (e->ops->row == VV_ROW_CONTACT && e->ops->lag)
            e->ops->lag(e, &s->system->par, q, s->state->v, s->h);
    }
}

static vvStatus minimise_stage(vv_stepper *s, const vv_scheme *row, const vv_stage *stage, const vv_objective *o, double *q,
                               const double *target, vv_solve_stats *stats, vvError *error)
{
    double begin = vv_seconds(), clock = vv_contact_clock(&s->options);
    choose_start(s, o, o->begin, stage->time, q);
    vv_solve_book(&s->options, stats, VV_PHASE_LINE_SEARCH, begin, clock);
    if (row->method)
        return s->method->ops->minimise(s->method, o, q, target, &s->options, stats, error);
    vvStatus status = s->solver->ops->minimise(s->solver, o, q, target, &s->options, stats, error);
    bool frictional = false;
    for (int i = 0; i < s->system->dissipations; i++)
        frictional = frictional || s->system->dissipation[i]->ops->row == VV_ROW_CONTACT;
    for (int k = 1; status == VV_OK && frictional && o->d != 0 && k < s->friction_iterations; k++) {
        relag_friction(s, q);
        status = s->solver->ops->minimise(s->solver, o, q, NULL, &s->options, stats, error);
    }
    bool short_of = stats->end == VV_SOLVE_STALLED || stats->end == VV_SOLVE_ITERATION_LIMIT;
    if (status == VV_ERROR_SOLVER || (status == VV_OK && short_of))
        s->hooks.explain(s->hooks.user, o, q, target, stats, &s->explanation);
    return status;
}

/* The velocity at which a stage's dissipation acts. */
static const double *dissipative_velocity(vv_stepper *s, const vv_stage *stage, const double *const *terms)
{
    combine(s, stage->hu, terms, s->u);
    for (size_t i = 0; i < 3 * (size_t)s->system->nodes; i++)
        s->u[i] /= s->h;
    return s->u;
}

/* Loss of dissipative forces at the velocities u: impulse -h b grad R(u) over the mean of the velocities before and after
 * (numerics §8: `force . dq` would book nothing when a block stops within one step). */
static void book_loss(vv_stepper *s, const double *u, double share, vv_losses *losses)
{
    vv_system *sys = s->system;
    size_t n = 3 * (size_t)sys->nodes;
    for (int k = 0; k < sys->dissipations; k++) {
        vv_energy *e = sys->dissipation[k];
        memset(s->trial, 0, n * sizeof *s->trial);
        e->ops->derivatives(e, &sys->par, u, s->h * share, VV_HESSIAN_EXACT, s->trial, NULL);
        double *sum = e->ops->row != VV_ROW_CONTACT ? losses->damping_impulse :
                      e->mutual ? losses->mutual_impulse : losses->friction_impulse;
        for (size_t i = 0; i < n; i++)
            sum[i] += s->trial[i];
    }
}

/* Of two stages' ends: one that converges hides nothing. */
static vvSolveEnd worse(vvSolveEnd a, vvSolveEnd b)
{
    static const signed char rank[] = { [VV_SOLVE_CONVERGED] = 0, [VV_SOLVE_BUDGET] = 1, [VV_SOLVE_ITERATION_LIMIT] = 2,
                                        [VV_SOLVE_STALLED] = 3, [VV_SOLVE_EXPLICIT] = 4 };
    return rank[b] > rank[a] ? b : a;
}

/* h2a = -h^2 M^-1 (grad E(q) [+ grad R(u)]) */
static void end_acceleration(vv_stepper *s, const vv_scheme *row, const vv_stage *stage, const double *const *terms,
                             const double *q)
{
    vv_system_gradient(s->system, q, s->h2a);
    if (row->dissipative_an && s->system->dissipations)
        vv_system_dissipation_gradient(s->system, dissipative_velocity(s, stage, terms), 1, s->h2a);
    for (size_t i = 0; i < 3 * (size_t)s->system->nodes; i++)
        s->h2a[i] *= s->system->mass[i / 3] > 0 ? -s->h * s->h / s->system->mass[i / 3] : 0; /* none: kinematic bodies */
}

vvStatus vv_run_stages(vv_stepper *s, const vv_scheme *row, double *q, double *v, vv_losses *losses,
                       vv_solve_stats *stats, vvError *error)
{
    size_t n = 3 * (size_t)s->system->nodes;
    const double *terms[VV_TERMS] = { s->state->q, s->hvn, s->h2an, s->past, s->hvp, s->stage_q, s->stage_hv, q, s->h2a };
    const double *from = s->state->q;
    double *hv = v; /* h v while the stages run */
    vvSolveEnd worst = VV_SOLVE_CONVERGED;
    stats->end = VV_SOLVE_EXPLICIT;
    if (s->system->dissipations && row->impulse_an != 0)
        book_loss(s, s->state->v, row->impulse_an, losses);
    for (int i = 0; i < row->stages; i++) {
        const vv_stage *stage = row->stage + i;
        vv_objective o;
        resolve(s, stage, terms, from, &o);
        memcpy(s->target, s->state->q, n * sizeof *q);
        s->hooks.prescribed(s->hooks.user, vv_stepper_time(s, stage->time), s->target);
        vvStatus status = VV_OK;
        if (vv_stage_explicit(stage)) {
            memcpy(q, s->y, n * sizeof *q);
            for (int k = 0; k < s->system->nodes; k++)
                if (s->system->unknown[k] < 0)
                    memcpy(q + 3 * (size_t)k, s->target + 3 * (size_t)k, 3 * sizeof *q);
        } else {
            status = minimise_stage(s, row, stage, &o, q, s->target, stats, error);
        }
        bool unguarded = vv_stage_explicit(stage) || row->method;
        if (status == VV_OK && unguarded && s->hooks.crosses(s->hooks.user, from, q))
            status = vv_fail(error, VV_ERROR_SOLVER, "step %lld (t = %g s): scheme \"%s\" takes surfaces through each "
                             "other, or nearer than a step may (a tenth of their gap): it does not keep contact's energy finite; use "
                             "backward-euler, bdf2 or another stiffly accurate scheme, or a smaller step", (long long)s->state->clock.step + 1, vv_stepper_time(s, 1), s->scheme.info.name);
        if (status != VV_OK)
            return status;
        worst = worse(worst, stats->end);
        if (stage->hv[VV_H2A] != 0)
            end_acceleration(s, row, stage, terms, q);
        if (s->system->dissipations && stage->impulse != 0)
            book_loss(s, dissipative_velocity(s, stage, terms), stage->impulse, losses);
        combine(s, stage->hv, terms, s->trial);
        memcpy(hv, s->trial, n * sizeof *hv);
        if (i + 1 < row->stages) {
            memcpy(s->stage_q, q, n * sizeof *q);
            memcpy(s->stage_hv, hv, n * sizeof *hv);
            from = s->stage_q;
        }
    }
    stats->end = worst;
    for (int k = 0; k < s->system->nodes; k++)
        for (int c = 0; c < 3; c++) {
            size_t j = 3 * (size_t)k + (size_t)c;
            /* prescribed nodes: the mean velocity of the step; a scheme's own recursion would ring on a jerky script */
            v[j] = s->system->unknown[k] >= 0 ? hv[j] / s->h : (q[j] - s->state->q[j]) / s->h;
        }
    return VV_OK;
}

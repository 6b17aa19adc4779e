/* What a world reports to its host besides its results. */
#include "base/text/text.h"
#include "base/vec.h"
#include "step/policies/policy.h"
#include "world/world.h"

#include <string.h>

void vv_world_log(const vvWorld *w, vvLogLevel level, const char *format, ...)
{
    const vvLog *log = &w->def.host.log;
    if (!log->write)
        return;
    char message[1200];
    va_list args;
    va_start(args, format);
    vv_print_list(message, sizeof message, format, args);
    va_end(args);
    log->write(log->user, level, message);
}

/* What may come and go all through a run is a warning once and a note from then on. */
static vvLogLevel first_is_warning(bool *warned)
{
    vvLogLevel level = *warned ? VV_LOG_INFO : VV_LOG_WARNING;
    *warned = true;
    return level;
}

static void log_inverted(vvWorld *w, const vvInverted *r)
{
    bool any = r->tets > 0;
    if (any && !w->is_inverted)
        vv_world_log(w, first_is_warning(&w->inversion_warned),
                     "step %lld (t = %g s): %d tets are inverted, the worst in \"%s\" at (%.3g, %.3g, %.3g) m, "
                     "det F %.3g; \"%s\" allows it: \"neo-hookean\" does not, \"stable-neo-hookean\" turns them back; "
                     "or take a smaller step",
                     (long long)w->state.clock.step, vv_world_time(w), r->tets, r->body, r->point[0], r->point[1],
                     r->point[2], r->detF, r->model);
    if (!any && w->is_inverted)
        vv_world_log(w, VV_LOG_INFO, "step %lld (t = %g s): no tets are inverted any more",
                     (long long)w->state.clock.step, vv_world_time(w));
    w->is_inverted = any;
}

static void log_shortfall(vvWorld *w, const vvStepReport *r)
{
    bool any = r->end == VV_SOLVE_ITERATION_LIMIT || r->end == VV_SOLVE_STALLED;
    if (any && !w->solves_fall_short)
        vv_world_log(
            w, first_is_warning(&w->shortfall_warned),
            "step %lld (t = %g s): the solve stopped short of its tolerance, at %.3g m/s after %d iteration%s: %s",
            (long long)w->state.clock.step, vv_world_time(w), r->residual, r->newtonIterations,
            r->newtonIterations == 1 ? "" : "s", *r->note ? r->note : "it stopped");
    if (!any && w->solves_fall_short)
        vv_world_log(w, VV_LOG_INFO, "step %lld (t = %g s): solves converge again", (long long)w->state.clock.step,
                     vv_world_time(w));
    w->solves_fall_short = any;
}

enum { GRINDING = 5 }; /* so many steps in a row are no accident */

/* Iterations that never suffice, step after step. */
static void log_limits(vvWorld *w, const vvStepReport *r)
{
    w->limits = r->end == VV_SOLVE_ITERATION_LIMIT ? w->limits + 1 : 0;
    if (w->limits != GRINDING)
        return;
    char where[300] = "";
    if (*r->stall.term)
        vv_print(where, sizeof where, "; the largest force left is %s, at (%.3g, %.3g, %.3g) m of \"%s\"",
                 r->stall.term, r->stall.point[0], r->stall.point[1], r->stall.point[2], r->stall.body);
    vv_world_log(w, VV_LOG_WARNING,
                 "step %lld (t = %g s): %d steps in a row have ended at the limit of iterations (%d in this one), at "
                 "%.3g m/s%s: take a shorter step, another scheme, or raise solver.max_iterations",
                 (long long)w->state.clock.step, vv_world_time(w), GRINDING, r->newtonIterations, r->residual, where);
}

/* Budgets after which momenta are not yet where they belong, time after time. */
static void log_budgets(vvWorld *w, const vvStepReport *r)
{
    const vv_unbalanced *u = vv_stepper_unbalanced(w->stepper);
    if (!u->looked)
        return;
    const double much = vv_world_rubs(w) ? 0.03 : 0.1; /* friction is a part of normal forces of contact */
    w->unbalanced = u->part > much ? w->unbalanced + 1 : 0;
    if (w->unbalanced != GRINDING)
        return;
    const bool stops = r->end == VV_SOLVE_CONVERGED;
    vv_world_log(w, VV_LOG_WARNING,
                 "step %lld (t = %g s): the %s of \"%s\", %d in this step, is too small: it leaves out %.3g%% of "
                 "the step's change of momentum of \"%s\", and has left out more than %g%% each of the last %d checks: "
                 "%s, or take a shorter step, \"newton\", or a softer "
                 "material",
                 (long long)w->state.clock.step, vv_world_time(w), stops ? "tolerance" : "budget", r->solver,
                 r->newtonIterations, 100 * u->part, w->bodies[u->body].name, 100 * much, GRINDING,
                 stops ? "lower it (solver.tolerance)" : "raise it (solver.budget)");
}

/* A run that makes energy is not to be believed, and says so before its end. */
static void log_gains(vvWorld *w, const vvStepReport *r)
{
    static const double MUCH = 0.1;
    const vv_ledger *l = &w->state.ledger;
    /* where a decay asks for what cannot be taken, as from bodies in free fall, H stays above T, and nothing is made */
    const double made = l->totals.error - l->totals.decay, before = w->gains, limit = GRINDING * MUCH * (1 - 1e-9);
    w->gains = l->scale > 0 && made > MUCH * l->scale ? before + made / l->scale : 0;
    if (!(w->gains >= limit && before < limit)) /* so many steps in a row, or fewer with as much more */
        return;
    const bool short_of = r->end == VV_SOLVE_BUDGET || r->end == VV_SOLVE_ITERATION_LIMIT;
    vv_world_log(w, VV_LOG_WARNING,
                 "step %lld (t = %g s): energy from nothing: the numerical error is %.3g%% of S by now, under scheme "
                 "\"%s\" and policy \"%s\": %s",
                 (long long)w->state.clock.step, vv_world_time(w), 100 * made / l->scale, w->def.integrator.scheme,
                 w->def.integrator.policy,
                 short_of ? "there are too few iterations: raise them (solver.max_iterations, solver.budget), or take "
                            "a shorter step"
                          : "take a shorter step, a policy that aims at the target, or another scheme");
}

/* Nor is a run believed that loses what it should keep: backward Euler alone may. */
static void log_losses(vvWorld *w)
{
    static const double MUCH = 0.25;
    const vv_ledger *l = &w->state.ledger;
    const vvIntegratorDef *d = &w->def.integrator;
    const bool aims = vv_stepper_aims(w->stepper),
               keeps = aims || vv_scheme_made(d->scheme, d->settings, d->settingCount).symplectic;
    w->losses = keeps && -l->totals.error > MUCH * l->scale ? w->losses + 1 : 0;
    if (w->losses != GRINDING) /* an impact may hide what comes back with the rebound: fewer are no loss */
        return;
    vv_world_log(
        w, VV_LOG_WARNING,
        "step %lld (t = %g s): energy is lost: the numerical error is %.3g%% of S by now, although %s \"%s\" should "
        "conserve it: take a shorter step, more iterations (solver.budget), or another policy or scheme",
        (long long)w->state.clock.step, vv_world_time(w), 100 * l->totals.error / l->scale, aims ? "policy" : "scheme",
        aims ? d->policy : d->scheme);
}

/* Nor is a run whose numerical error goes up and down from step to step, though its sum stays small. */
static void log_swings(vvWorld *w, const vvStepReport *r)
{
    static const double MUCH = 0.1, FORGOTTEN = 0.5;
    const vv_ledger *l = &w->state.ledger;
    const double before = w->swings, part = l->scale > 0 ? fabs(l->row.error) / l->scale : 0;
    w->swings = part > MUCH ? before + 1 : fmax(before - FORGOTTEN, 0);
    if (!(w->swings >= GRINDING && before < GRINDING))
        return;
    const bool short_of = r->end == VV_SOLVE_BUDGET || r->end == VV_SOLVE_ITERATION_LIMIT;
    vv_world_log(w, VV_LOG_WARNING,
                 "step %lld (t = %g s): energy jumps: the numerical error of this step is %.3g%% of S, as that of most "
                 "steps before has been more than %g%%: take a shorter step, %s",
                 (long long)w->state.clock.step, vv_world_time(w), 100 * l->row.error / l->scale, 100 * MUCH,
                 short_of ? "or more iterations (solver.max_iterations, solver.budget)"
                          : "another policy or another scheme");
}

/* Friction stops what moves, and takes no more than it had. A solve that ends early books forces that nothing has
 * balanced yet: those of a barrier into which a step ended too deep, for one. What is not there to be taken is
 * numerical error; one step of it is enough to say so. kinetic: J, before the step. */
static void log_rubbing(vvWorld *w, const vvStepReport *r, double kinetic)
{
    static const double MUCH = 0.1;
    const vvLedgerRow *row = &w->state.ledger.row;
    const double much = MUCH * row->scale,
                 moved = fmax(kinetic, row->kinetic) + fabs(row->work) + fmax(row->springs, 0);
    if (!(row->friction > 2 * moved + much && row->error > much))
        return;
    const bool ends = r->end == VV_SOLVE_BUDGET || r->end == VV_SOLVE_ITERATION_LIMIT;
    vv_world_log(w, first_is_warning(&w->rubbing_warned),
                 "step %lld (t = %g s): friction takes %.3g J in this step, in which %.3g J moved; the numerical error "
                 "is %.3g J: its forces are far from balance under scheme \"%s\" and solver \"%s\": take a shorter "
                 "step%s",
                 (long long)w->state.clock.step, vv_world_time(w), row->friction, moved, row->error,
                 w->def.integrator.scheme, w->def.solver.method,
                 ends ? ", or more iterations (solver.budget, solver.max_iterations)"
                      : ", or another solver or scheme");
}

/* A body whose positions do not follow its velocities: its ledger may be right, its motion is not. */
static void log_body_astray(vvWorld *w, const char *name, vv_course *c)
{
    static const char *const still[] = { "stands still", "does not turn" }, *const goes[] = { "moves at", "turns at" },
                             *const unit[] = { "m/s", "rad/s" };
    const vv_course_finding f = vv_course_find(c);
    const vvLogLevel level = c->warned ? VV_LOG_INFO : VV_LOG_WARNING;
    const vv_policy_ops *policy = vv_policy_find(w->def.integrator.policy);
    const double h = w->def.timeStep;
    char what[80], cure[200];
    c->warned = 1;
    vv_print(what, sizeof what, "%s", still[f.motion]);
    if (f.moved > 0.1 * f.booked)
        vv_print(what, sizeof what, "%s %.3g %s", goes[f.motion], f.moved, unit[f.motion]);
    if (f.fastest > 2)
        vv_print(cure, sizeof cure, "it turns too fast for this step: take one of at most %.2g s", h / f.fastest);
    else
        vv_print(cure, sizeof cure, "take a shorter step, or %s",
                 policy->steadier ? policy->steadier : "another policy or scheme");
    vv_world_log(w, level,
                 "step %lld (t = %g s): body \"%s\" %s while its velocities say %.3g %s (scheme \"%s\", policy "
                 "\"%s\"): %s",
                 (long long)w->state.clock.step, vv_world_time(w), name, what, f.booked, unit[f.motion],
                 w->def.integrator.scheme, w->def.integrator.policy, cure);
}

static void log_astray(vvWorld *w)
{
    for (size_t b = 0; w->state.ledger.row.astray > 0 && b < w->body_count; b++)
        if (w->state.body_course[b].due == 1)
            log_body_astray(w, w->bodies[b].name, &w->state.body_course[b]);
}

/* A body whose momenta change while nothing acts on it. */
static void log_body_in_flight(vvWorld *w, const char *name, vv_flight *f)
{
    static const char *const what[] = { "momentum", "angular momentum" }, *const unit[] = { "kg m/s", "kg m^2/s" };
    const vvLogLevel level = f->warned ? VV_LOG_INFO : VV_LOG_WARNING;
    const double off = vv_norm(f->momentum[f->which].off), most = f->momentum[f->which].most;
    f->warned = 1;
    vv_world_log(w, level,
                 "step %lld (t = %g s): the %s of body \"%s\", at most %.3g %s in this flight, is off by %.3g after %d "
                 "steps in which nothing acts on it (scheme \"%s\", policy \"%s\", solver \"%s\"): take "
                 "a shorter step, more iterations (solver.budget, or a smaller solver.tolerance), or another policy or "
                 "scheme",
                 (long long)w->state.clock.step, vv_world_time(w), what[f->which], name, most, unit[f->which], off,
                 f->steps - 1, w->def.integrator.scheme, w->def.integrator.policy, w->def.solver.method);
}

static void log_flights(vvWorld *w)
{
    for (size_t b = 0; b < w->body_count; b++)
        if (w->state.body_course[b].flight.lost == 1)
            log_body_in_flight(w, w->bodies[b].name, &w->state.body_course[b].flight);
}

void vv_world_log_step(vvWorld *w, const vvStepReport *r, double kinetic)
{
    log_astray(w);
    log_flights(w);
    log_limits(w, r);
    log_budgets(w, r);
    log_gains(w, r);
    log_losses(w);
    log_swings(w, r);
    log_rubbing(w, r, kinetic);
    if (r->parts > 1)
        vv_world_log(w, VV_LOG_INFO, "step %lld (t = %g s): %s", (long long)w->state.clock.step, vv_world_time(w),
                     r->note);
    log_shortfall(w, r);
    log_inverted(w, &r->inverted);
    if (strcmp(r->linear, "none") == 0)
        return;
    if (w->last_linear && strcmp(w->last_linear, r->linear) != 0)
        vv_world_log(w, VV_LOG_INFO, "step %lld (t = %g s): linear solver %s in place of %s: %s",
                     (long long)w->state.clock.step, vv_world_time(w), r->linear, w->last_linear, r->note);
    w->last_linear = r->linear;
}

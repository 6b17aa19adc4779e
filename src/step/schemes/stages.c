/* The interpreter (theory §2.1): resolves the stages of a table row into objectives, numbers and pointers, and solves
 * them. */
#include "step/schemes/guess.h"
#include "step/inside.h"
#include "step/ledger/unbalanced.h"
#include "step/ledger/work.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/vec.h"
#include "solve/vectors.h"

#include <string.h>

/* out = sum of c_t * term_t over the terms that are not NULL. */
static void combine(const vv_stepper *s, const double *c, const double *const *terms, double *out)
{
    size_t n = 3 * (size_t)s->system->nodes;
    vv_zero(n, out);
    for (int t = 0; t < VV_TERMS; t++) {
        if (c[t] == 0)
            continue;
        vv_axpy(n, c[t], terms[t], out);
    }
}

static bool all_zero(const double *c)
{
    for (int t = 0; t < VV_TERMS; t++)
        if (c[t] != 0)
            return false;
    return true;
}

static void resolve(vv_stepper *s, const vv_stage *stage, const double *const *terms, const double *from,
                    vv_objective *o)
{
    *o = (vv_objective){ .system = s->system, .h = s->h, .y = s->y, .samples = stage->samples, .begin = from };
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

/* Starts as near the requested guess as the filters allow; prescribed nodes are carried later. */
static void go_to_guess(vv_stepper *s, const vv_objective *o, const double *from, const double *guess, double *q)
{
    size_t n = 3 * (size_t)s->system->nodes;
    double *p = s->trial;
    vv_difference_free(s->system, guess, from, p);
    double t = vv_objective_max_step(o, from, p);
    vv_along(n, from, t, p, q);
    if (!(vv_objective_value(o, q) < INFINITY))
        vv_copy(n, from, q);
}

/* A stage, ready to be solved. */
typedef struct stage_problem {
    const vv_scheme *row;
    const vv_stage *stage;
    const vv_force_shares *shares; /* of the row; NULL: there are no joints */
    vv_objective objective;
    const double *from;  /* where the stage begins, node space */
    double begin;        /* and when: t_n + begin * h */
    const double *guess; /* NULL: vv_guess */
    bool goes_on;        /* the guess is where the last solve ended */
    bool anywhere;       /* an explicit stage may end anywhere */
    /* a policy wants no more than these few iterations of another scheme: no fallback makes up for it */
    bool few;
    vv_solve_options options;
} stage_problem;

/* Where prescribed nodes are along the path of a stage. */
typedef struct stage_way {
    const vv_stepper *stepper;
    double from, to; /* parts of the step */
} stage_way;

static void place_on_way(void *user, double part, double *q)
{
    const stage_way *w = user;
    const vv_stepper *s = w->stepper;
    s->hooks.prescribed(s->hooks.user, vv_stepper_time(s, w->from + part * (w->to - w->from)), q);
}

/* q = where the solver begins. */
static void place_at_start(vv_stepper *s, const stage_problem *p, const vv_solver *solver, double *q)
{
    if (p->guess)
        go_to_guess(s, &p->objective, p->from, p->guess, q);
    else if (!p->row->method && solver->ops->from_begin)
        vv_copy(vv_node_space(s->system), p->from, q);
    else if (!p->row->method && solver->ops->quick_start)
        vv_guess_quick(s, &p->objective, p->from, p->stage->time - p->begin, q);
    else
        vv_guess(s, &p->objective, p->from, p->stage->time - p->begin, q);
}

static vvStatus minimise_stage(vv_stepper *s, const stage_problem *p, double *q, vv_solve_stats *stats, vvError *error)
{
    const vv_objective *o = &p->objective;
    stage_way way = { s, p->begin, p->stage->time };
    vv_solve_options options = p->options;
    double begin = vv_seconds(), clock = vv_contact_clock(&s->options);
    options.way = place_on_way;
    options.way_user = &way;
    options.legs =
        s->hooks.legs ? s->hooks.legs(s->hooks.user, vv_stepper_time(s, way.from), vv_stepper_time(s, way.to)) : 1;
    place_at_start(s, p, s->solver, q);
    vv_solve_book(&s->options, stats, VV_PHASE_LINE_SEARCH, begin, clock);
    if (p->row->method)
        return vv_solve_lagged(s, s->method, o, &p->options, q, stats, error);
    options.budget = vv_solver_budget(s->solver->ops, options.budget);
    options.goes_on = p->goes_on && p->guess;
    stats->solver = s->solver->ops->info.name;
    vvStatus status = vv_solve_lagged(s, s->solver, o, &options, q, stats, error);
    const bool enough = stats->end == VV_SOLVE_CONVERGED || (p->few && stats->end == VV_SOLVE_BUDGET);
    if (s->fallback && (status == VV_ERROR_SOLVER || (status == VV_OK && !enough))) {
        place_at_start(s, p, s->fallback, q);
        options.budget = s->fallback->ops->budget, options.goes_on = false;
        stats->solver = s->fallback->ops->info.name, stats->why = NULL;
        stats->stuck = stats->blocked = false; /* those were of the first attempt */
        stats->fallbacks++;
        if (!s->lagged_at_start) /* friction is that of the first attempt's end */
            vv_stepper_lag(s);
        status = vv_solve_lagged(s, s->fallback, o, &options, q, stats, error);
    }
    /* a solver with a budget may stop by its tolerance as far from the end */
    const bool slow = stats->end == VV_SOLVE_BUDGET || (stats->end == VV_SOLVE_CONVERGED && options.budget > 0);
    if (status == VV_OK && slow && !p->few && s->unbalanced.looked)
        vv_unbalanced_note(s, o, q);
    bool short_of = stats->end == VV_SOLVE_STALLED || stats->end == VV_SOLVE_ITERATION_LIMIT;
    if (status == VV_ERROR_SOLVER || (status == VV_OK && short_of))
        s->hooks.explain(s->hooks.user, o, q, s->target, stats, &s->explanation);
    return status;
}

/* The velocity at which a stage's dissipation acts. */
static const double *dissipative_velocity(vv_stepper *s, const vv_stage *stage, const double *const *terms)
{
    combine(s, stage->hu, terms, s->u);
    vv_divide(vv_node_space(s->system), s->h, s->u);
    return s->u;
}

/* Loss of dissipative forces at the velocities u: impulse -h b grad R(u) over the mean of the velocities before and
 * after (theory §8.4: `force . dq` would book nothing when a block stops within one step). */
void vv_stepper_add_losses(vv_stepper *s, const double *u, double share, vv_losses *losses)
{
    vv_system *sys = s->system;
    size_t n = 3 * (size_t)sys->nodes;
    for (int k = 0; k < sys->dissipations; k++) {
        vv_energy *e = sys->dissipation[k];
        vv_zero(n, s->trial);
        e->ops->derivatives(e, &sys->par, u, s->h * share, VV_HESSIAN_EXACT, s->trial, NULL);
        double *sum = e->ops->row != VV_ROW_CONTACT ? losses->damping : e->mutual ? losses->mutual : losses->friction;
        vv_axpy(n, 1, s->trial, sum);
    }
}

/* The worse of two stages' ends: a stage that converges, or solves nothing, must not hide another's failure. */
vvSolveEnd vv_worse_end(vvSolveEnd a, vvSolveEnd b)
{
    static const signed char rank[] = { [VV_SOLVE_EXPLICIT] = 0,
                                        [VV_SOLVE_CONVERGED] = 1,
                                        [VV_SOLVE_BUDGET] = 2,
                                        [VV_SOLVE_ITERATION_LIMIT] = 3,
                                        [VV_SOLVE_STALLED] = 4 };
    return rank[b] > rank[a] ? b : a;
}

/* h2a = -h^2 M^-1 (grad E(q) [+ grad R(u)]) */
static void end_acceleration(vv_stepper *s, const vv_scheme *row, const vv_stage *stage, const double *const *terms,
                             const double *q)
{
    vv_system_gradient(s->system, q, s->h2a);
    if (row->dissipative_an && s->system->dissipations)
        vv_system_dissipation_gradient(s->system, dissipative_velocity(s, stage, terms), 1, s->h2a);
    vv_divide_by_mass(s->system, -s->h * s->h, false, s->h2a); /* kinematic bodies: 0 */
}

/* h^2 a_n, where the row uses it. */
static void prepare_acceleration(vv_stepper *s, const vv_scheme *row)
{
    bool wanted = false;
    for (int i = 0; i < row->stages; i++)
        wanted =
            wanted || row->stage[i].y[VV_H2AN] != 0 || row->stage[i].hv[VV_H2AN] != 0 || row->stage[i].hu[VV_H2AN] != 0;
    if (!wanted)
        return;
    vv_copy(vv_node_space(s->system), vv_stepper_start_gradient(s), s->h2an);
    if (row->dissipative_an)
        vv_system_dissipation_gradient(s->system, s->state->v, 1, s->h2an);
    vv_divide_by_mass(s->system, -s->h * s->h, true, s->h2an);
}

/* q_{n-1} and h v_{n-1} for a two-step row. */
static void prepare_past(vv_stepper *s, const vv_scheme *row)
{
    const vv_state *state = s->state;
    bool invented = row->two_step && !vv_stepper_has_past(s) && row->ballistic;
    for (size_t i = 0; i < 3 * (size_t)s->system->nodes; i++) {
        s->hvp[i] = s->h * (invented ? state->v[i] : state->v_previous[i]);
        s->past[i] = invented ? state->q[i] - s->h * state->v[i] : state->q_previous[i];
    }
}

static void place_explicitly(vv_stepper *s, double *q)
{
    vv_copy(vv_node_space(s->system), s->y, q);
    vv_copy_prescribed(s->system, s->target, q);
}

/* Without a filter, a stage's path may pass through things. */
static vvStatus check_way(vv_stepper *s, const stage_problem *p, const double *q, vvError *error)
{
    bool unguarded = (vv_stage_explicit(p->stage) && !p->anywhere) || p->row->method;
    if (!unguarded || !vv_contact_crosses(s->contact, &s->system->par, &s->system->arena, p->from, q))
        return VV_OK;
    return vv_fail(
        error, VV_ERROR_SOLVER,
        "step %lld (t = %g s): scheme \"%s\" moves surfaces through each other, or closer than a "
        "hundredth of their gap: it does not keep contact's energy finite; use backward-euler, bdf2 or another "
        "stiffly accurate scheme, or a smaller step",
        (long long)s->state->clock.step + 1, vv_stepper_time(s, 1), p->row->info.name);
}

void vv_stepper_bear(vv_stepper *s, const vv_objective *o, const double *share, const double *q, double *sum)
{
    for (int i = 0; i < o->samples; i++) {
        for (size_t j = 0; j < vv_node_space(s->system); j++)
            s->trial[j] = o->sample[i].beta * q[j] + (o->sample[i].z ? o->sample[i].z[j] : 0);
        s->hooks.bear(s->hooks.user, s->trial, share[i], sum);
    }
}

static vvStatus run_stage(vv_stepper *s, stage_problem *p, const double *const *terms, vv_trial *t, vvError *error)
{
    const vv_stage *stage = p->stage;
    size_t n = 3 * (size_t)s->system->nodes;
    resolve(s, stage, terms, p->from, &p->objective);
    p->objective.w_start = vv_stage_start_forces(p->row, stage);
    vv_copy(n, s->state->q, s->target);
    s->hooks.prescribed(s->hooks.user, vv_stepper_time(s, stage->time), s->target);
    vvStatus status = VV_OK;
    if (vv_stage_explicit(stage))
        place_explicitly(s, t->q);
    else
        status = minimise_stage(s, p, t->q, &t->stats, error);
    if (status == VV_OK && s->system->rails) /* to the last bit */
        vv_rails_put(s->system->rails, s->target, t->q);
    if (status == VV_OK && !vv_stage_explicit(stage) && !p->row->method)
        vv_left_add(s, &p->objective, stage, t);
    if (status == VV_OK)
        status = check_way(s, p, t->q, error);
    if (status != VV_OK)
        return status;
    const size_t number = (size_t)(stage - p->row->stage);
    if (p->shares)
        vv_stepper_bear(s, &p->objective, p->shares->sample[number], t->q, t->borne);
    if (p->shares && p->shares->end[number] != 0)
        s->hooks.bear(s->hooks.user, t->q, p->shares->end[number], t->borne);
    if (stage->hv[VV_H2A] != 0)
        end_acceleration(s, p->row, stage, terms, t->q);
    if (s->system->dissipations && stage->impulse != 0)
        vv_stepper_add_losses(s, dissipative_velocity(s, stage, terms), stage->impulse, &t->losses);
    combine(s, stage->hv, terms, s->trial);
    vv_copy(n, s->trial, t->v); /* h v while the stages run */
    return VV_OK;
}

/* Joints bear nothing yet, but of forces at q_n. */
static void bear_at_start(vv_stepper *s, const vv_scheme *row, vv_force_shares *shares, double *sum)
{
    vv_scheme_force_shares(row, shares);
    vv_zero(s->hooks.bears, sum);
    if (shares->begin != 0)
        s->hooks.bear(s->hooks.user, s->state->q, shares->begin, sum);
}

/* Computes the trial's q and v from the state, history and forces. */
static vvStatus run_stages(vv_stepper *s, const vv_trial_def *def, const vv_scheme *row, vv_trial *t, vvError *error)
{
    size_t n = 3 * (size_t)s->system->nodes;
    const vv_state *state = s->state;
    const double *terms[VV_TERMS] = { [VV_QN] = state->q, [VV_HVN] = s->hvn, [VV_H2AN] = s->h2an, [VV_QP] = s->past,
                                      [VV_HVP] = s->hvp,  [VV_Q] = t->q,     [VV_H2A] = s->h2a };
    vv_force_shares shares;
    stage_problem p = {
        .row = row, .from = state->q, .options = s->options, .shares = s->hooks.bears ? &shares : NULL
    };
    vvSolveEnd worst = VV_SOLVE_EXPLICIT;
    if (def->tolerance > 0)
        p.options.tolerance = def->tolerance;
    if (def->budget > 0)
        p.options.budget = def->budget;
    if (p.shares)
        bear_at_start(s, row, &shares, t->borne);
    p.anywhere = def->velocities_only, p.goes_on = def->goes_on;
    p.few = def->budget > 0 && def->row;
    if (s->system->dissipations && row->impulse_an != 0)
        vv_stepper_add_losses(s, state->v, row->impulse_an, &t->losses);
    for (int i = 0; i < row->stages; i++) {
        p.stage = row->stage + i;
        t->stats.end = VV_SOLVE_EXPLICIT;
        p.guess = i + 1 == row->stages ? def->guess : NULL;
        vvStatus status = run_stage(s, &p, terms, t, error);
        if (status != VV_OK)
            return status;
        worst = vv_worse_end(worst, t->stats.end);
        if (i + 1 < row->stages) {
            double *stage_q = s->stage[2 * i], *stage_hv = s->stage[2 * i + 1];
            vv_copy(n, t->q, stage_q);
            vv_copy(n, t->v, stage_hv);
            terms[VV_Q1 + i] = p.from = stage_q;
            p.begin = p.stage->time;
            terms[VV_HV1 + i] = stage_hv;
        }
    }
    t->stats.end = worst;
    for (int k = 0; k < s->system->nodes; k++)
        for (int c = 0; c < 3; c++) {
            size_t j = 3 * (size_t)k + (size_t)c;
            /* prescribed nodes: the mean velocity of the step; the scheme's recursion would oscillate on a jerky
             * script */
            t->v[j] = s->system->unknown[k] >= 0 ? t->v[j] / s->h : (t->q[j] - state->q[j]) / s->h;
        }
    vv_mean_across_rails(s, t->q, t->v);
    return VV_OK;
}

void vv_stepper_objective(vv_stepper *s, const vv_scheme *row, vv_objective *o)
{
    const vv_state *state = s->state;
    const double *terms[VV_TERMS] = {
        [VV_QN] = state->q, [VV_HVN] = s->hvn, [VV_H2AN] = s->h2an, [VV_QP] = s->past, [VV_HVP] = s->hvp
    };
    prepare_past(s, row);
    prepare_acceleration(s, row);
    resolve(s, row->stage, terms, state->q, o);
}

/* The cost of the step so far counts every trial, whichever is taken in the end. */
void vv_stats_add(vv_solve_stats *sum, const vv_solve_stats *stats)
{
    sum->iterations += stats->iterations;
    sum->linear_solves += stats->linear_solves;
    sum->pcg_iterations += stats->pcg_iterations;
    sum->line_search_steps += stats->line_search_steps;
    sum->fallbacks += stats->fallbacks;
    sum->capped += stats->capped;
    sum->factors += stats->factors;
    sum->factor_seconds += stats->factor_seconds;
    for (int i = 0; i < VV_PHASE_COUNT; i++)
        sum->seconds[i] += stats->seconds[i];
}

vvStatus vv_trial_solve(vv_stepper *s, const vv_trial_def *def, vv_trial *t, vvError *error)
{
    size_t n = 3 * (size_t)s->system->nodes;
    const vv_scheme *row = def->row ? def->row : &s->scheme;
    vv_scheme made;
    /* the table's own row has no parameters filled in */
    if (row->parametrise && row == vv_scheme_find(row->info.name)) {
        made = vv_scheme_made(row->info.name, NULL, 0);
        row = &made;
    }
    if (row->two_step && !vv_stepper_has_past(s) && !row->ballistic)
        row = s->starter;
    t->stats = (vv_solve_stats){ 0 };
    t->scheme = row->info.name;
    t->feasible_end = row->feasible_end, t->end_forces = vv_scheme_end_forces(row) ? 1 : 0;
    if (row->method && (!s->method || s->method->ops != row->method))
        return vv_fail(error, VV_ERROR_UNSUPPORTED,
                       "a trial of scheme \"%s\" needs that scheme's own method, which exists only if it "
                       "is the world's scheme",
                       row->info.name);
    bool minimises = false;
    for (int i = 0; i < row->stages && !row->method; i++)
        minimises = minimises || !vv_stage_explicit(row->stage + i);
    if (s->policy->trials == 0 && ((minimises && !s->solver) || row->stages > s->scheme.stages))
        return vv_fail(error, VV_ERROR_UNSUPPORTED,
                       "policy \"%s\" asks for a trial of scheme \"%s\", but its row says that it takes none "
                       "(trials)",
                       s->policy->info.name, row->info.name);
    vv_zero(n, t->losses.friction);
    vv_zero(n, t->losses.damping);
    vv_zero(n, t->losses.mutual);
    vv_zero(n, t->left);
    if (!s->lagged_at_start)
        vv_stepper_lag(s);
    prepare_past(s, row);
    prepare_acceleration(s, row);
    vv_feasible *bounds = s->system->feasible;
    if (vv_bounds_after(s))
        s->system->later = bounds, s->system->feasible = NULL;
    vvStatus status = run_stages(s, def, row, t, error);
    s->system->feasible = bounds, s->system->later = NULL;
    /* friction keeps what its solves have found, which another trial must not know (contact/friction/slip.h) */
    s->lagged_at_start = false;
    if (status == VV_OK && def->velocities_only) {
        t->made = ++s->made;
        t->energies = (vv_energies){ 0 };
        t->potential = INFINITY;
        t->pushed = 0;
    } else if (status == VV_OK) {
        double begin = vv_seconds();
        vv_left_keep_carried(s, t);
        status = vv_trial_put(s, row, t, error);
        t->stats.seconds[VV_PHASE_POLICY] += vv_seconds() - begin;
    }
    vv_stats_add(&s->spent, &t->stats);
    return status;
}

/* One step of the pipeline. */
#include "base/clock.h"
#include "base/error.h"
#include "base/vec.h"
#include "energy/simple.h"
#include "step/stages.h"
#include "step/inside.h"
#include "step/work.h"

#include <stdio.h>
#include <string.h>

/* The past of a two-step scheme. Its other start invents one of free flight, q_-1 = q_0 - h v_0, v_-1 = v_0: first order, but
 * what published figures used (numerics §2). */
static void prepare_past(vv_stepper *s)
{
    bool invented = s->scheme.two_step && !s->state->history && s->integrator.ballisticStart;
    for (size_t i = 0; i < 3 * (size_t)s->system->nodes; i++) {
        s->hvp[i] = s->h * (invented ? s->state->v[i] : s->state->v_previous[i]);
        s->past[i] = invented ? s->state->q[i] - s->h * s->state->v[i] : s->state->q_previous[i];
    }
}

/* Soft attachments jump to the end of the step before the solve: the change of E at fixed nodes is the user's work (Dinev,
 * Liu, Kavan §4.3). */
static double move_attachments(vv_stepper *s, double time, double before)
{
    bool any = false;
    for (int i = 0; i < s->system->energies; i++)
        any = any || s->system->energy[i]->ops->row == VV_ROW_ATTACHMENT;
    if (!any)
        return 0;
    s->hooks.attachments(s->hooks.user, time);
    s->g_old_valid = false;
    double after = 0;
    for (int i = 0; i < s->system->energies; i++)
        if (s->system->energy[i]->ops->row == VV_ROW_ATTACHMENT) {
            vv_energy_update(s->system->energy[i], &s->system->par, s->state->q);
            after += s->system->energy[i]->ops->value(s->system->energy[i], &s->system->par, s->state->q, NULL);
        }
    return after - before;
}

static bool needs_old_gradient(const vv_stepper *s)
{
    if (s->policy->wants_gradients || s->system->unknowns < s->system->nodes)
        return true;
    for (int i = 0; i < s->scheme.stages; i++)
        if (s->scheme.stage[i].y[VV_H2AN] != 0 || s->scheme.stage[i].hv[VV_H2AN] != 0)
            return true;
    return false;
}

static void prepare_terms(vv_stepper *s)
{
    size_t n = 3 * (size_t)s->system->nodes;
    for (size_t i = 0; i < n; i++)
        s->hvn[i] = s->h * s->state->v[i];
    prepare_past(s);
    if (!needs_old_gradient(s))
        return;
    if (!s->g_old_valid)
        vv_system_gradient(s->system, s->state->q, s->g_old);
    s->g_old_valid = true;
    memcpy(s->h2an, s->g_old, n * sizeof *s->h2an);
    if (s->scheme.dissipative_an)
        vv_system_dissipation_gradient(s->system, s->state->v, 1, s->h2an);
    for (size_t i = 0; i < n; i++)
        s->h2an[i] *= s->system->unknown[i / 3] >= 0 ? -s->h * s->h / s->system->mass[i / 3] : 0;
}

/* Velocity with which the node came into the step. A-search corrects velocities by force differences that friction cancels in
 * the next solve; counted as friction's work they would drain a body that merely rests. The motion that was, (q_n -
 * q_{n-1})/h, has none of that; without a policy it is v_n itself (backward Euler). */
static double incoming(const vv_stepper *s, size_t j)
{
    return s->policy->apply && s->state->history ? (s->state->q[j] - s->state->q_previous[j]) / s->h : s->state->v[j];
}

/* Loss of dissipative impulses over the mean of the velocities before and after: their share of the change of kinetic energy
 * (numerics §8). Friction and drag never give energy, so a node whose share comes out negative (it turned round within the
 * step) counts as nothing and the rest is numerical error; what acts between nodes (Rayleigh damping, friction of surfaces, which
 * takes the one along and holds back the other) is judged as a whole, with the prescribed nodes, whose velocity is their
 * displacement over the step. */
static double loss(const vv_stepper *s, const double *impulse, const double *w, bool by_node)
{
    double sum = 0;
    for (int i = 0; i < s->system->nodes; i++) {
        double share = 0;
        for (int k = 0; k < 3; k++) {
            size_t j = 3 * (size_t)i + (size_t)k;
            share += impulse[j] * (s->system->unknown[i] >= 0 ? 0.5 * (incoming(s, j) + w[j]) : w[j]);
        }
        sum += by_node ? fmax(share, 0) : share;
    }
    return fmax(sum, 0);
}

/* The host's forces act from the start of a step, before anything takes a gradient, to its end; after a step that succeeded they
 * are forgotten. Gradients kept from step to step are of either side only. */
static void begin_forces(vv_stepper *s)
{
    if (!s->state->forced)
        return;
    vv_external_set(s->external, s->state->force, s->state->q);
    s->g_old_valid = false;
}

static void end_forces(vv_stepper *s, bool done)
{
    if (!s->state->forced)
        return;
    vv_external_set(s->external, NULL, NULL);
    s->g_old_valid = false;
    if (!done)
        return;
    memset(s->state->force, 0, 3 * (size_t)s->system->nodes * sizeof *s->state->force);
    s->state->forced = false;
}

/* Work of the host's forces on the way to q. */
static double forces_work(const vv_stepper *s, const double *q)
{
    return s->state->forced ? -s->external->ops->value(s->external, &s->system->par, q, NULL) : 0;
}

/* Work of whoever moves the prescribed nodes against the dissipative impulses on them. */
static double driven_loss(const vv_stepper *s, const double *impulse, const double *w)
{
    double sum = 0;
    for (int i = 0; i < s->system->nodes; i++)
        if (s->system->unknown[i] < 0)
            for (size_t j = 3 * (size_t)i; j < 3 * (size_t)i + 3; j++)
                sum += impulse[j] * w[j];
    return sum;
}

static vvStatus check_end(const vv_stepper *s, const double *q, const double *v, double potential,
                          const vv_solve_stats *stats, vvError *error)
{
    double sum = 0;
    bool bounded = false; /* an energy with a domain: only then does an infinite energy mean that the step left it */
    for (size_t i = 0; i < 3 * (size_t)s->system->nodes; i++)
        sum += q[i] * q[i] + v[i] * v[i];
    for (int i = 0; i < s->system->energies; i++)
        bounded = bounded || s->system->energy[i]->ops->max_step;
    if (!isfinite(sum) || isnan(potential) || (!bounded && isinf(potential)))
        return vv_fail(error, VV_ERROR_SOLVER, "step %lld (t = %g s): scheme \"%s\" blew up: positions or energies are no "
                       "longer finite; use a smaller step or a stable scheme", (long long)s->state->clock.step + 1,
                       vv_stepper_time(s, 1), s->scheme.info.name);
    bool blocked = !s->scheme.feasible_end && stats->blocked && stats->end != VV_SOLVE_CONVERGED;
    if (!(potential < INFINITY) || blocked)
        return vv_fail(error, VV_ERROR_SOLVER, "step %lld (t = %g s): scheme \"%s\" ends in penetration or inversion: it does "
                       "not keep barrier energies finite; use backward-euler, bdf2 or another stiffly accurate scheme, or a "
                       "smaller step", (long long)s->state->clock.step + 1, vv_stepper_time(s, 1), s->scheme.info.name);
    return VV_OK;
}

static void fill_report(const vv_stepper *s, const vv_solve_stats *stats, double begin, vvStepReport *report)
{
    *report = (vvStepReport){ .end = stats->end, .newtonIterations = stats->iterations, .linearSolves = stats->linear_solves,
                              .pcgIterations = stats->pcg_iterations, .lineSearchSteps = stats->line_search_steps,
                              .linear = stats->linear ? stats->linear : "none", .residual = stats->residual,
                              .wall = vv_seconds() - begin, .stall = s->explanation.stall };
    memcpy(report->seconds, stats->seconds, sizeof report->seconds);
    const char *parts[] = { stats->why, s->explanation.text, stats->linear_reason };
    size_t used = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i] && *parts[i] && used < sizeof report->note) {
            int n = snprintf(report->note + used, sizeof report->note - used, "%s%s", used ? "; " : "", parts[i]);
            used += n > 0 ? (size_t)n : 0;
        }
}

/* The policy, between the solve and what acts after it. Fills alpha, decay and the policy's change of H. */
static void run_policy(vv_stepper *s, double *q, double *v, double potential, vv_booking *b)
{
    double tau = vv_decay_time(&s->integrator, vv_stepper_time(s, 0)), kept = s->state->ledger.target + b->work - b->friction - b->damping;
    if (tau > 0 && s->policy->aims) {
        /* without a ground energy there is nothing to decay to: the start's definition refuses that */
        double above = kept - s->state->ledger.ground;
        b->decay = above > 0 ? -expm1(-s->h / tau) * above : 0;
    }
    b->alpha = NAN;
    if (!s->policy->apply)
        return;
    vv_policy_io io = { .v = v, .q = q, .g_old = s->g_old, .g_new = s->g_new, .potential = potential,
                        .target = kept - b->decay, .alpha = NAN };
    double before = vv_sum_mass_square(s->system, v, NULL, false);
    s->policy->apply(s, &io);
    b->alpha = io.alpha;
    b->policy_change = 0.5 * (vv_sum_mass_square(s->system, v, NULL, false) - before);
}

/* A step that contact had no memory for is void, whatever it looks like. */
static vvStatus judge(vv_stepper *s, vvStatus status, vvError *error)
{
    vvError memory;
    if (s->hooks.contact_status(s->hooks.user, &memory) != VV_OK)
        return vv_fail(error, VV_ERROR_MEMORY, "%s", memory.message);
    return status == VV_OK ? s->hooks.accept(s->hooks.user, s->new_q, error) : status;
}

static vvStatus solve_and_book(vv_stepper *s, vv_booking *b, vv_solve_stats *stats, double work, vvError *error)
{
    vv_system *sys = s->system;
    if (!vv_stepper_reserve(s))
        return vv_fail_memory(error, "a step");
    size_t mark = vv_arena_mark(&sys->arena), n = 3 * (size_t)sys->nodes;
    /* what "auto" learns in a step that fails must not change the next one */
    void *learnt = vv_arena_push(&sys->arena, s->learned, 1);
    vv_policy_memory *memory = &s->state->policy;
    size_t body_bytes = memory->body_size * (size_t)s->bodies;
    unsigned char *remembered = vv_arena_push(&sys->arena, memory->size + body_bytes, 1);
    memcpy(remembered, memory->data, memory->size);
    memcpy(remembered + memory->size, memory->bodies, body_bytes);
    vv_stepper_save_learned(s, learnt);
    vv_losses losses;
    double **impulses[] = { &losses.friction_impulse, &losses.damping_impulse, &losses.mutual_impulse };
    for (size_t i = 0; i < sizeof impulses / sizeof *impulses; i++) {
        *impulses[i] = vv_arena_push(&sys->arena, n, sizeof(double));
        memset(*impulses[i], 0, n * sizeof(double));
    }
    double *q = s->new_q, *v = s->new_v;
    bool start = s->scheme.two_step && !s->state->history && !s->integrator.ballisticStart;
    const vv_scheme *row = start ? vv_scheme_find("backward-euler") : &s->scheme;
    vvStatus status = vv_run_stages(s, row, q, v, &losses, stats, error);
    if (status == VV_OK) {
        double begin = vv_seconds(), pushed = forces_work(s, q), potential = vv_system_energy(sys, q) + pushed;
        status = check_end(s, q, v, potential, stats, error);
        if (status == VV_OK && needs_old_gradient(s))
            vv_system_gradient(sys, q, s->g_new);
        if (status == VV_OK) {
            b->stats = stats;
            b->work = work + pushed;
            if (sys->unknowns < sys->nodes)
                b->work += vv_prescribed_work(s, q, v) + driven_loss(s, losses.friction_impulse, v) +
                           driven_loss(s, losses.damping_impulse, v) + driven_loss(s, losses.mutual_impulse, v);
            b->friction = loss(s, losses.friction_impulse, v, true) + loss(s, losses.mutual_impulse, v, false);
            b->damping = loss(s, losses.damping_impulse, v, false);
            run_policy(s, q, v, potential, b);
            /* towards the motion of prescribed nodes it gives: then it is they who pull */
            double taken = vv_damp_after(s, q, v);
            b->damping += fmax(taken, 0);
            b->work += fmax(-taken, 0);
        }
        stats->seconds[VV_PHASE_POLICY] += vv_seconds() - begin;
    }
    status = judge(s, status, error);
    if (status != VV_OK) { /* the policy may have acted before the step was refused */
        memcpy(memory->data, remembered, memory->size);
        memcpy(memory->bodies, remembered + memory->size, body_bytes);
        vv_stepper_load_learned(s, learnt);
    }
    vv_arena_release(&sys->arena, mark);
    return status;
}

static void commit(vv_stepper *s)
{
    size_t bytes = 3 * (size_t)s->system->nodes * sizeof(double);
    memcpy(s->state->q_previous, s->state->q, bytes);
    memcpy(s->state->v_previous, s->state->v, bytes);
    memcpy(s->state->q, s->new_q, bytes);
    memcpy(s->state->v, s->new_v, bytes);
    if (needs_old_gradient(s)) {
        double *swap = s->g_old;
        s->g_old = s->g_new;
        s->g_new = swap;
    }
    s->state->history = true;
    s->state->clock.step++;
    s->hooks.moved(s->hooks.user);
}

vvStatus vv_step(vv_stepper *s, vvStepReport *report, vvError *error)
{
    vv_solve_stats stats = { 0 };
    vv_booking b = { 0 };
    s->hooks.contact_status(s->hooks.user, NULL); /* what queries ran out of memory for is no matter of this step */
    double begin = vv_seconds(), time = vv_stepper_time(s, 0);
    s->explanation = (vv_explanation){ .stall.term = "" };
    double work = move_attachments(s, vv_stepper_time(s, 1), s->state->ledger.row.attachment) + s->state->ledger.user_work;
    begin_forces(s);
    stats.seconds[VV_PHASE_KINEMATICS] = vv_seconds() - begin;
    double mark = vv_seconds();
    for (int i = 0; i < s->system->dissipations; i++) {
        vv_energy *e = s->system->dissipation[i];
        if (e->ops->lag)
            e->ops->lag(e, &s->system->par, s->state->q, s->state->v, s->h);
    }
    prepare_terms(s);
    stats.seconds[VV_PHASE_CONTACT] = vv_seconds() - mark;

    vvStatus status = solve_and_book(s, &b, &stats, work, error);
    if (status != VV_OK) {
        s->hooks.attachments(s->hooks.user, time);
        s->g_old_valid = false;
        end_forces(s, false);
        if (status == VV_ERROR_SOLVER && error && *s->explanation.text) {
            size_t used = strlen(error->message);
            snprintf(error->message + used, sizeof error->message - used, "; %s", s->explanation.text);
        }
        if (status == VV_ERROR_SOLVER) /* one that was cancelled, or found no memory, is as if it had never been tried */
            s->state->ledger.totals.failedSteps++;
        if (report)
            fill_report(s, &stats, begin, report);
        return status;
    }
    mark = vv_seconds();
    b.energies = vv_stepper_energies(s, s->new_q, s->new_v, s->state->body_energy);
    commit(s);
    end_forces(s, true);
    vv_ledger_book(s, s->state->q, s->state->v, &b);
    stats.seconds[VV_PHASE_LEDGER] = vv_seconds() - mark;
    if (report)
        fill_report(s, &stats, begin, report);
    return VV_OK;
}

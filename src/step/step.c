/* One step of the pipeline. */
#include "base/clock.h"
#include "base/error.h"
#include "base/vec.h"
#include "energy/links/links.h"
#include "energy/points/external.h"
#include "energy/points/simple.h"
#include "solve/vectors.h"
#include "step/inside.h"
#include "step/ledger/unbalanced.h"

#include <stdio.h>
#include <string.h>

/* A step in progress, and all that is needed to undo it. */
typedef struct attempt {
    vv_trial trial;
    vv_booking booking; /* of the trial; at the end, of the step */
    /* the policy's; J that the policy adds; J that damping after the solve takes */
    double alpha, change, damped;
    const char *note;                           /* the policy's; NULL: none */
    double began, time;                         /* wall clock; world time, s */
    size_t mark;                                /* of the arena */
    unsigned char *policy_data, *policy_bodies; /* the policy's memory before the step */
    vv_springs_before springs;
    void *learned; /* what the solvers had learned */
    bool begun;
} attempt;

/* Adds the time since `from` to a phase of the step; returns the time now. */
static double spend(vv_stepper *s, vvPhase phase, double from)
{
    double now = vv_seconds();
    s->spent.seconds[phase] += now - from;
    return now;
}

static double seconds_spent(const vv_stepper *s)
{
    double sum = 0;
    for (int i = 0; i < VV_PHASE_COUNT; i++)
        sum += s->spent.seconds[i];
    return sum;
}

/* ---- begin ---- */

/* Soft attachments jump to their targets at the end of the step before the solve: the change of E at fixed nodes is
 * the user's work (Dinev, Liu, Kavan §4.3), and the exact one, of schemes that see the jump. What others make of it:
 * vv_attachments_way. */
static double move_attachments(vv_stepper *s, double time, double before)
{
    bool any = false;
    for (int i = 0; i < s->system->energies; i++)
        any = any || s->system->energy[i]->ops->row == VV_ROW_ATTACHMENT;
    if (!any)
        return 0;
    for (int i = 0; i < s->system->energies; i++)
        vv_attachment_begin(s->system->energy[i]);
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

/* So do the targets of joints' motors. */
static double move_motors(vv_stepper *s, double before)
{
    double work = 0;
    for (int i = 0; i < s->system->energies; i++) {
        vv_energy *e = s->system->energy[i];
        if (e->ops->row != VV_ROW_JOINT)
            continue;
        vv_links_begin(e, s->state->q, s->h, 0.5 + 0.5 * vv_scheme_end_forces(&s->scheme));
        if (vv_links_move(e)) {
            s->g_old_valid = false;
            work = e->ops->value(e, &s->system->par, s->state->q, NULL) - before;
        }
    }
    return work;
}

/* Of schemes whose forces are those of the step's end, as backward Euler's and BDF2's, the load there belongs to them.
 */
static vv_push_time push_time(const vv_stepper *s)
{
    return (vv_push_time){ .time = vv_stepper_time(s, 0),
                           .seconds = s->h,
                           .end = vv_scheme_end_forces(&s->scheme) > 0,
                           .q = s->state->q,
                           .v = s->state->v };
}

static vv_push_time begin_time(const vv_push_time *when) { return (vv_push_time){ .time = when->time, .q = when->q }; }

/* Forces of the host and of loads then, in memory of the step. */
static double *push_at(vv_stepper *s, vv_push_time when)
{
    const size_t n = vv_node_space(s->system);
    double *sum = vv_arena_push(&s->system->arena, n, sizeof *sum);
    vv_copy(n, s->state->force, sum);
    s->hooks.pushes(s->hooks.user, &when, sum);
    return sum;
}

/* The host's forces, and pushes of the scene, act from the start of a step, before any gradient is taken, to its end;
 * after a successful step they are forgotten. Setting and removing them voids a gradient kept between steps. */
static void begin_forces(vv_stepper *s)
{
    const vv_push_time when = push_time(s);
    const double *force = s->state->force;
    bool pushed = s->hooks.pushes && s->hooks.pushes(s->hooks.user, &when, NULL);
    s->forced = s->state->forced || pushed;
    if (!s->forced)
        return;
    if (pushed) { /* in memory of the step: the host's own forces outlive a step that fails */
        vv_external_begin(s->external, s->state->q);
        if (when.end)
            vv_external_remember(s->external, push_at(s, begin_time(&when)));
        force = push_at(s, when);
    }
    vv_external_set(s->external, force, s->state->q);
    s->g_old_valid = false;
}

static void end_forces(vv_stepper *s, bool done)
{
    if (!s->forced)
        return;
    vv_external_set(s->external, NULL, NULL);
    s->g_old_valid = s->forced = false;
    if (!done || !s->state->forced)
        return;
    vv_zero(vv_node_space(s->system), s->state->force);
    s->state->forced = false;
}

/* Room for the step's own trial, and copies of what a failure has to restore. */
static void take_memory(vv_stepper *s, attempt *a)
{
    vv_arena *arena = &s->system->arena;
    const vv_policy_memory *memory = &s->state->policy;
    size_t n = 3 * (size_t)s->system->nodes, body_bytes = memory->body_size * (size_t)s->bodies;
    a->trial = (vv_trial){ .q = s->new_q,
                           .v = s->new_v,
                           .gradient = s->new_gradient,
                           .borne = vv_arena_push(arena, s->hooks.bears, sizeof(double)),
                           .body_energy = vv_arena_push(arena, (size_t)s->bodies, sizeof(double)),
                           .body_other = vv_arena_push(arena, (size_t)s->bodies, sizeof(double)) };
    double **impulses[] = { &a->trial.losses.friction, &a->trial.losses.damping, &a->trial.losses.mutual,
                            &a->trial.left };
    for (size_t i = 0; i < sizeof impulses / sizeof *impulses; i++)
        *impulses[i] = vv_arena_push(arena, n, sizeof(double));
    a->learned = vv_arena_push(arena, s->learned, 1);
    vv_stepper_save_learned(s, a->learned);
    a->policy_data = vv_arena_push(arena, memory->size, 1);
    a->policy_bodies = vv_arena_push(arena, body_bytes, 1);
    memcpy(a->policy_data, memory->data, memory->size);
    memcpy(a->policy_bodies, memory->bodies, body_bytes);
}

static vvStatus begin(vv_stepper *s, attempt *a, vvError *error)
{
    *a = (attempt){
        .began = vv_seconds(), .time = vv_stepper_time(s, 0), .mark = vv_arena_mark(&s->system->arena), .alpha = NAN
    };
    s->explanation = (vv_explanation){ .stall.term = "" };
    s->unbalanced = (vv_unbalanced){ .looked = vv_unbalanced_due(s) };
    s->spent = (vv_solve_stats){ 0 };
    s->options.deadline = s->options.budget_seconds > 0 ? a->began + s->options.budget_seconds : 0;
    s->taken = s->friction_solves = 0;
    s->friction_change = 0;
    vv_contact_status(s->contact, NULL); /* queries that ran out of memory before are no concern of this step */
    if (!vv_stepper_reserve(s))
        return vv_fail_memory(error, "a step");
    take_memory(s, a);
    a->begun = true;
    s->begun_work = move_attachments(s, vv_stepper_time(s, 1), s->state->ledger.row.attachment) +
                    move_motors(s, s->state->ledger.row.joint) + s->state->ledger.user_work;
    s->begun_springs = vv_springs_begin(s, &a->springs);
    begin_forces(s);
    double mark = spend(s, VV_PHASE_KINEMATICS, a->began);
    if (s->contact)
        s->contact->stick.h = s->h;
    vv_stepper_lag(s);
    vv_scaled(vv_node_space(s->system), s->h, s->state->v, s->hvn);
    if (vv_stepper_wants_gradients(s))
        vv_stepper_start_gradient(s);
    spend(s, VV_PHASE_CONTACT, mark);
    return VV_OK;
}

/* ---- apply ---- */

static vvStatus check_end(const vv_stepper *s, const vv_trial *t, vvError *error)
{
    double sum = 0;
    bool bounded = false; /* some energy has a domain: only then does an infinite energy mean that the step left it */
    for (size_t i = 0; i < 3 * (size_t)s->system->nodes; i++)
        sum += t->q[i] * t->q[i] + t->v[i] * t->v[i];
    for (int i = 0; i < s->system->energies; i++)
        bounded = bounded || s->system->energy[i]->ops->max_step;
    if (!isfinite(sum) || isnan(t->potential) || (!bounded && isinf(t->potential)))
        return vv_fail(error, VV_ERROR_SOLVER,
                       "step %lld (t = %g s): scheme \"%s\" blew up: positions or energies are no "
                       "longer finite; use a smaller step or a stable scheme",
                       (long long)s->state->clock.step + 1, vv_stepper_time(s, 1), t->scheme);
    bool ended = t->stats.end == VV_SOLVE_CONVERGED || t->stats.end == VV_SOLVE_BUDGET;
    bool blocked = !t->feasible_end && t->stats.blocked && !ended;
    if (!(t->potential < INFINITY) || blocked)
        return vv_fail(
            error, VV_ERROR_SOLVER,
            "step %lld (t = %g s): scheme \"%s\" ends in penetration or inversion: it does "
            "not keep barrier energies finite; use backward-euler, bdf2 or another stiffly accurate scheme, or a "
            "smaller step",
            (long long)s->state->clock.step + 1, vv_stepper_time(s, 1), t->scheme);
    return VV_OK;
}

/* A policy that changes more than its row declares would be booked wrongly. */
static vvStatus check_touched(const vv_stepper *s, bool moved, bool sped, vvError *error)
{
    const unsigned touches = s->policy->touches;
    if ((!moved || touches & VV_TOUCHES_POSITIONS) && (moved || !sped || touches & VV_TOUCHES_VELOCITIES))
        return VV_OK;
    return vv_fail(error, VV_ERROR_SOLVER, "policy \"%s\" changes %s: its row must say so (%s in `touches`)",
                   s->policy->info.name, moved ? "positions" : "velocities",
                   moved ? "VV_TOUCHES_POSITIONS" : "VV_TOUCHES_VELOCITIES");
}

static vv_policy_call call_of(vv_stepper *s, attempt *a, const vv_booking *booked)
{
    return (vv_policy_call){ .stepper = s,
                             .trial = &a->trial,
                             .target = booked->target,
                             .booking = booked,
                             .values = s->policy_values,
                             .memory = s->state->policy.data,
                             .body_memory = s->state->policy.bodies,
                             .solver = s->own,
                             .alpha = NAN };
}

/* The scheme's trial has failed with `why`: the policy may have another. */
static vvStatus rescue(vv_stepper *s, attempt *a, const vvError *why, vvError *error)
{
    const vv_booking none = { .target = NAN };
    vv_policy_call call = call_of(s, a, &none);
    vv_explanation own = s->explanation;
    s->explanation = (vv_explanation){ .stall.term = "" };
    vvStatus status = s->policy->rescue(&call, error);
    if (status == VV_OK)
        status = check_end(s, &a->trial, error);
    if (status == VV_ERROR_SOLVER) {
        s->explanation = own;
        return vv_fail(error, VV_ERROR_SOLVER, "%s", why->message);
    }
    if (status != VV_OK)
        return status;
    vv_error_clear(error);
    a->alpha = call.alpha, a->note = call.note;
    a->booking = vv_trial_book(s, &a->trial);
    return VV_OK;
}

/* Runs the policy, between the solve and damping. If it has moved the trial, work and losses are booked anew. */
static vvStatus apply(vv_stepper *s, attempt *a, vvError *error)
{
    vv_trial *t = &a->trial;
    a->booking = vv_trial_book(s, t);
    if (!s->policy->apply)
        return VV_OK;
    const uint64_t made = t->made;
    double square = vv_sum_mass_square(s->system, t->v, NULL, false), potential = t->potential;
    const vv_booking booked = a->booking;
    vv_policy_call call = call_of(s, a, &booked);
    vv_explanation own = s->explanation;
    vvStatus status = s->policy->apply(&call, error);
    if (status == VV_OK) { /* explanations and errors of rejected trials do not matter */
        s->explanation = own;
        vv_error_clear(error);
        status = check_end(s, t, error);
    }
    bool moved = t->made != made;
    a->alpha = call.alpha, a->note = call.note;
    a->change = 0.5 * (vv_sum_mass_square(s->system, t->v, NULL, false) - square);
    if (status == VV_OK)
        status = check_touched(s, moved, a->change != 0, error);
    if (status == VV_OK && moved) {
        a->booking = vv_trial_book(s, t);
        a->change += t->potential - potential;
    } else if (status == VV_OK) {
        a->booking.friction += call.rubbed;
        a->booking.target -= call.rubbed;
    }
    return status;
}

/* The step's own trial, then the policy. */
static vvStatus make(vv_stepper *s, attempt *a, vvError *error)
{
    vv_trial_def def = { 0 };
    vvError own = { 0 };
    if (s->policy->own_trial)
        s->policy->own_trial(s->policy_values, &def);
    vvStatus status = vv_trial_solve(s, &def, &a->trial, &own);
    double mark = vv_seconds(), solved = seconds_spent(s);
    if (status == VV_OK)
        status = check_end(s, &a->trial, &own);
    if (status == VV_OK)
        status = apply(s, a, error);
    else if (status == VV_ERROR_SOLVER && s->policy->rescue)
        status = rescue(s, a, &own, error);
    else
        vv_fail(error, status, "%s", own.message);
    spend(s, VV_PHASE_POLICY, mark + seconds_spent(s) - solved); /* further trials book their own phases */
    return status;
}

static void damp(vv_stepper *s, attempt *a)
{
    a->damped = vv_damp_deformation(s, a->trial.q, a->trial.v);
    vv_trial_velocities_changed(s, &a->trial);
}

/* Enters into the booking what came after the solve. Damping towards the motion of prescribed nodes may add energy:
 * that is work of whoever moves them. */
static void book(attempt *a)
{
    a->booking.damping += fmax(a->damped, 0);
    a->booking.work += fmax(-a->damped, 0);
    a->booking.alpha = a->alpha;
    a->booking.policy_change = a->change;
}

/* ---- end ---- */

/* A step for which contact ran out of memory is void, even if it seems to have succeeded. */
static vvStatus accept(vv_stepper *s, const attempt *a, vvStatus status, vvError *error)
{
    vvError memory;
    if (vv_contact_status(s->contact, &memory) != VV_OK)
        return vv_fail(error, memory.status, "%s", memory.message);
    return status == VV_OK ? vv_contact_accept(s->contact, &s->system->par, a->trial.q, error) : status;
}

/* What joints bear, over the parts of a step in the mean; and what one held in it when it broke is lost: where it goes,
 * as sound and heat, is damping. */
static bool tear(vv_stepper *s, attempt *a)
{
    for (size_t j = 0; j < s->hooks.bears && s->part < 1; j++)
        s->borne[j] += s->part * a->trial.borne[j];
    if (!s->hooks.bears || !s->ends)
        return false;
    const double lost = s->hooks.bore(s->hooks.user, a->trial.q, s->part < 1 ? s->borne : a->trial.borne);
    a->trial.energies.joint -= lost;
    a->trial.energies.total -= lost;
    a->booking.damping += lost;
    return lost != 0;
}

/* How far contacts that stick have given way. */
static void remember_sticking(vv_stepper *s)
{
    vv_stick *stick = s->contact ? &s->contact->stick : NULL;
    if (!vv_stick_is_on(stick))
        return;
    vv_stick_begin(stick);
    for (int i = 0; i < s->system->dissipations; i++)
        if (s->system->dissipation[i]->ops->give)
            s->system->dissipation[i]->ops->give(s->system->dissipation[i], s->state->q_previous, s->state->q);
    vv_stick_end(stick);
}

/* What loads have done: by their forces in the step, or, where those are the end's, by the mean of both ends'. */
static double pushed_by(vv_stepper *s, const double *q)
{
    const vv_push_time when = push_time(s), begin = begin_time(&when);
    double work = 0;
    if (when.end) {
        const size_t mark = vv_arena_mark(&s->system->arena);
        push_at(s, begin);
        work = s->hooks.pushed(s->hooks.user, &begin, q, 0.5);
        push_at(s, when);
        vv_arena_release(&s->system->arena, mark);
    }
    return work + s->hooks.pushed(s->hooks.user, &when, q, when.end ? 0.5 : 1);
}

static void commit(vv_stepper *s, attempt *a)
{
    vv_state *state = s->state;
    size_t n = vv_node_space(s->system);
    const bool torn = tear(s, a);
    if (s->forced && s->hooks.pushed)
        a->booking.loads = pushed_by(s, a->trial.q);
    vv_copy(n, state->q, state->q_previous);
    vv_copy(n, state->v, state->v_previous);
    vv_copy(n, a->trial.q, state->q);
    vv_copy(n, a->trial.v, state->v);
    remember_sticking(s);
    vv_copy((size_t)s->bodies, a->trial.body_energy, state->body_energy);
    s->g_old_valid = vv_stepper_wants_gradients(s) && !torn;
    if (s->g_old_valid && a->trial.gradient != s->new_gradient) { /* a policy exchanged the trials' vectors */
        vv_copy(n, a->trial.gradient, s->g_old);
    } else if (s->g_old_valid) {
        double *swap = s->g_old;
        s->g_old = s->new_gradient;
        s->new_gradient = swap;
    }
    s->way.known = s->part == 1 && !torn;
    state->history = true;
    state->span = s->h;
    state->clock.step++;
    s->hooks.moved(s->hooks.user);
    vv_ledger_book(s, &a->booking, &a->trial.energies, &s->spent); /* which asks what has acted on a body */
    end_forces(s, s->ends);
}

/* Whether the motion from the step's start to its end leads bodies through each other; or, in the step as a whole, past
 * what stands in the way of their free flight. */
static vvStatus find_passing(vv_stepper *s, const attempt *a, vv_step_result *r, vvError *error)
{
    const vv_parallel *par = &s->system->par;
    const double *q = s->state->q;
    double *flight = s->trial;
    vv_passing_motion motion = { q, a->trial.q, s->passing_rule, s->passed, s->passed_count };
    vvStatus status = vv_contact_passes(s->contact, par, &motion, &r->passing, &r->passes, error);
    if (status != VV_OK || r->passes || r->passing.looked == 0 || s->part < 1)
        return status;
    for (size_t i = 0; i < vv_node_space(s->system); i++)
        flight[i] = s->system->unknown[i / 3] >= 0 ? q[i] + s->h * s->state->v[i] : a->trial.q[i];
    motion.to = flight, motion.rule = VV_PASSING_ASIDE;
    return vv_contact_passes(s->contact, par, &motion, &r->passing, &r->passes, error);
}

/* Restores everything as if the step had never been tried. */
static void undo(vv_stepper *s, attempt *a, vvStatus status, vvError *error)
{
    vv_policy_memory *memory = &s->state->policy;
    if (a->begun) {
        memcpy(memory->data, a->policy_data, memory->size);
        memcpy(memory->bodies, a->policy_bodies, memory->body_size * (size_t)s->bodies);
        vv_stepper_load_learned(s, a->learned);
        vv_springs_undo(s, &a->springs);
        for (int i = 0; i < s->system->energies; i++)
            if (s->system->energy[i]->ops->row == VV_ROW_JOINT)
                vv_links_back(s->system->energy[i]);
    }
    s->hooks.attachments(s->hooks.user, a->time);
    s->g_old_valid = false;
    end_forces(s, false);
    if (status != VV_ERROR_SOLVER) /* a step that was cancelled, or ran out of memory, is not counted as failed */
        return;
    s->state->ledger.totals.failedSteps++; /* of a part: that is undone with the step, which counts itself */
    if (error && *s->explanation.text) {
        size_t used = strlen(error->message);
        snprintf(error->message + used, sizeof error->message - used, "; %s", s->explanation.text);
    }
}

vvStatus vv_step_once(vv_stepper *s, vv_step_result *r, vvError *error)
{
    attempt a;
    *r = (vv_step_result){ .passes = false };
    vvStatus status = begin(s, &a, error);
    if (status == VV_OK)
        status = make(s, &a, error);
    double mark = vv_seconds();
    if (status == VV_OK) {
        damp(s, &a);
        book(&a);
        vv_springs_rub(s, &a.trial, &a.booking);
    }
    status = accept(s, &a, status, error);
    if (status == VV_OK && s->hooks.wakes && s->hooks.wakes(s->hooks.user, a.trial.q))
        status = VV_CANCELLED;
    mark = spend(s, VV_PHASE_POLICY, mark);
    if (status == VV_OK)
        status = find_passing(s, &a, r, error);
    if (status == VV_OK && !r->passes)
        status = vv_contact_accept_motion(s->contact, &s->system->par, s->state->q, a.trial.q, error);
    mark = spend(s, VV_PHASE_CONTACT, mark);
    if (status == VV_OK && !r->passes)
        status = vv_ledger_check(s, &a.booking, &a.trial.energies, error);
    if (status == VV_OK && !r->passes)
        commit(s, &a);
    else
        undo(s, &a, status, error);
    spend(s, VV_PHASE_LEDGER, mark);
    vv_arena_release(&s->system->arena, a.mark);
    r->booking = a.booking, r->energies = a.trial.energies;
    r->stats = a.trial.stats, r->spent = s->spent, r->note = a.note;
    return status;
}

/* A-1 and A-search (You, Zheng, Li: Energy-Controllable Time Integration for Elastodynamic Contact; theory §2.12,
 * §3.2, §3.3).
 *
 * After backward Euler: w = (q - q_n)/h, dv = h M^-1 (grad E(q_n) - grad E(q)), v = w - alpha dv (its Eq. 13). The
 * energy is H(alpha) = E(q) + 1/2 |w|^2 - alpha <w, dv> + 1/2 alpha^2 |dv|^2 in M. A-1: alpha = 1. A-search: the root
 * of H(alpha) = T closer to 1, the vertex where there is none, 1 where dv vanishes; clipped to [alpha_min,
 * alpha_max]. Positions never change, so the guarantees of the solve (no intersection, no inversion) hold.
 *
 * Over any other scheme with an adjoint (its §4.1, the decoupled method): w is the scheme's velocity, and dv the
 * difference due to the conservative forces of its step and of the adjoint's, dv = (w + M^-1 l) - (v* + M^-1 l*) with
 * the dissipative impulses -l, -l*. In contact the adjoint may start inside something, and A-1, which is unbounded, may
 * double H in a step: there the step is the scheme's own, alpha = 0, with a note. */
#include "base/error.h"
#include "base/vec.h"
#include "solve/vectors.h"
#include "step/inside.h"
#include "step/policies/rubbing.h"

#include <stdio.h>

void vv_policy_velocity_difference(const vv_policy_call *call, double *dv)
{
    vv_stepper *s = call->stepper;
    const double *g_old = vv_stepper_start_gradient(s), *g_new = call->trial->gradient;
    for (size_t i = 0; i < (size_t)s->system->nodes; i++) {
        double k = s->system->unknown[i] >= 0 ? s->h / s->system->mass[i] : 0;
        for (size_t c = 3 * i; c < 3 * i + 3; c++)
            dv[c] = k * (g_old[c] - g_new[c]);
    }
    vv_rails_keep(s->system->rails, dv);
}

/* ---- what the adjoint's velocities differ by ---- */

/* Names of the schemes that have one, as they come without parameters. */
static void list_schemes(char *out, size_t size)
{
    size_t used = 0;
    *out = 0;
    for (int i = 0; vv_scheme_table(i); i++) {
        vv_scheme row = vv_scheme_made(vv_scheme_table(i)->info.name, NULL, 0);
        int n =
            row.adjoint && used < size ? snprintf(out + used, size - used, "%s%s", used ? ", " : "", row.info.name) : 0;
        used += n > 0 ? (size_t)n : 0;
    }
}

static vvStatus has_adjoint(const vv_scheme *row, vvError *error)
{
    char names[256];
    if (row->adjoint)
        return VV_OK;
    list_schemes(names, sizeof names);
    return vv_fail(error, VV_ERROR_INPUT, "%s; choose a scheme with an adjoint (%s), or policy \"none\"",
                   row->symmetric    ? "it is its own adjoint, so there is no other velocity to aim at"
                   : row->no_adjoint ? row->no_adjoint
                                     : "its row names no adjoint",
                   names);
}

/* An adjoint of one explicit stage goes by the gradient at q_n alone: its velocities need no trial. */
static bool from_gradients(const vv_scheme *adjoint)
{
    return adjoint->stages == 1 && vv_stage_explicit(adjoint->stage);
}

/* Stiff modes of a second-order scheme are beyond A-1's limit of stability, and contact has such. */
static vvStatus bounded_in_contact(const vv_scheme *row, vvError *error)
{
    if (row->adjoint && from_gradients(row->adjoint))
        return VV_OK;
    return vv_fail(
        error, VV_ERROR_UNSUPPORTED,
        "its velocities are those of the adjoint scheme, which nothing bounds there: H may double in each "
        "step; choose policy \"search\" or scheme \"backward-euler\", or switch contact off (contact.model)");
}

/* Impulses of dissipation at node coordinate j, kg m/s. */
static double dissipated(const vv_losses *l, size_t j) { return l->friction[j] + l->damping[j] + l->mutual[j]; }

static void difference(const vv_stepper *s, const vv_trial *a, const vv_trial *b, double *dv)
{
    for (size_t i = 0; i < (size_t)s->system->nodes; i++)
        for (size_t c = 3 * i; c < 3 * i + 3; c++)
            dv[c] =
                s->system->unknown[i] < 0
                    ? 0
                    : a->v[c] - b->v[c] + (dissipated(&a->losses, c) - dissipated(&b->losses, c)) / s->system->mass[i];
    vv_rails_keep(s->system->rails, dv);
}

/* A solve of the adjoint that stopped short is the step's: its velocities are part of the result. */
static void take_over(const vv_solve_stats *adjoint, vv_solve_stats *step)
{
    if (adjoint->end != VV_SOLVE_STALLED && adjoint->end != VV_SOLVE_ITERATION_LIMIT)
        return;
    step->end = adjoint->end;
    step->blocked = false; /* of the scheme's own solve, and judged before */
    step->residual = fmax(step->residual, adjoint->residual);
    step->why = "the adjoint scheme's solve, which gives the velocities, stopped short";
}

/* By what the scheme's step differs from the adjoint's. */
typedef struct apart {
    double *dv;          /* of velocities; NULL where the adjoint finds none */
    const double *borne; /* what joints bear in the adjoint's; there is room for that of one */
} apart;

static vvStatus difference_from_trial(vv_policy_call *call, apart *to, vvError *error)
{
    vv_stepper *s = call->stepper;
    vv_trial *b = vv_trial_take(s);
    vvError why = { 0 };
    if (!b)
        return vv_fail_memory(error, "the adjoint's step");
    vvStatus status = vv_trial_solve(s, &(vv_trial_def){ .row = &s->adjoint, .velocities_only = true }, b, &why);
    if (status != VV_OK && status != VV_ERROR_SOLVER)
        return vv_fail(error, status, "%s", why.message);
    if (status == VV_ERROR_SOLVER) {
        to->dv = NULL;
        call->note =
            "the adjoint scheme, which gives the velocities, has no solution here: the step is the scheme's own";
        return VV_OK;
    }
    difference(s, call->trial, b, to->dv);
    to->borne = b->borne;
    take_over(&b->stats, &call->trial->stats);
    return VV_OK;
}

/* dv is in the stepper's scratch memory. */
static vvStatus find_difference(vv_policy_call *call, apart *to, vvError *error)
{
    vv_stepper *s = call->stepper;
    to->dv = s->trial;
    if (!from_gradients(&s->adjoint))
        return difference_from_trial(call, to, error);
    if (s->hooks.bears) {
        double *borne = vv_arena_push(&s->system->arena, s->hooks.bears, sizeof *borne);
        s->hooks.bear(s->hooks.user, s->state->q, 1, borne);
        to->borne = borne;
    }
    vv_policy_velocity_difference(call, to->dv);
    return VV_OK;
}

/* ---- the policies ---- */

static vvStatus correct(vv_policy_call *call, const apart *by, double alpha)
{
    const double *dv = by->dv;
    double *borne = call->trial->borne;
    const bool by_start = from_gradients(&call->stepper->adjoint) && call->stepper->friction_solves <= 1;
    vvStatus status = dv ? vv_rubbing_follow(call, dv, alpha, by_start) : VV_OK;
    if (dv)
        vv_axpy(vv_node_space(call->stepper->system), -alpha, dv, call->trial->v);
    for (size_t j = 0; dv && j < call->stepper->hooks.bears; j++)
        borne[j] -= alpha * (borne[j] - by->borne[j]);
    call->alpha = alpha;
    return status;
}

static bool touches(const vv_policy_call *call)
{
    return call->trial->energies.contact != 0 || call->stepper->state->ledger.row.contact != 0;
}

static vvStatus apply_a1(vv_policy_call *call, vvError *error)
{
    apart by = { .dv = NULL };
    vvStatus status = VV_OK;
    if (from_gradients(&call->stepper->adjoint) || !touches(call))
        status = find_difference(call, &by, error);
    else
        call->note = "a1: where a body touches itself the adjoint scheme's velocities are not bounded: the step is the "
                     "scheme's own";
    return status == VV_OK ? correct(call, &by, by.dv ? 1 : 0) : status;
}

/* Root of 1/2 a alpha^2 - b alpha + c = 0 closer to 1; the vertex where there is no real root. */
static double closest_root(double a, double b, double c)
{
    double discriminant = b * b - 2 * a * c;
    if (discriminant <= 0)
        return b / a;
    /* without cancellation: one root from the sum, the other from the product 2c/a */
    double sum = b + (b >= 0 ? sqrt(discriminant) : -sqrt(discriminant));
    double first = sum / a, second = sum != 0 ? 2 * c / sum : first;
    return fabs(first - 1) <= fabs(second - 1) ? first : second;
}

/* H - T of the last two steps, newest first, 0 where they were brought to the target: the policy's memory. */
typedef struct sides {
    double side[2];
    int32_t known, unused;
} sides;

/* Sparse variant: search only when this step's energy at alpha = 1 and those of the last two lie on one side of the
 * target. A step that was brought to its target lies on neither side, so at most every third step searches. */
static bool search_now(const sides *m, double excess)
{
    return m->known == 2 && m->side[0] * excess > 0 && m->side[1] * excess > 0;
}

static void remember_side(sides *m, double excess)
{
    m->side[1] = m->side[0];
    m->side[0] = excess;
    if (m->known < 2)
        m->known++;
}

enum { ALPHA_MIN, ALPHA_MAX, SPARSE, LOSSES };
enum { LOSSES_TAKEN, LOSSES_WORK };
static const vvInfo losses[] = {
    [LOSSES_TAKEN] = { "taken", "the kinetic energy removed by friction and damping" },
    [LOSSES_WORK] = { "work", "their forces times the displacement, 2 P_n, as in the paper's Algorithm 1" },
};
static const vvParam params[] = {
    { "alpha", "\"search\": range of alpha, smallest first", "", 2, false, { 0, 1.1 }, -10, 10 },
    { "sparse",
      "\"search\": only when three energies in a row lie on one side of the target",
      "",
      1,
      true,
      { 0 },
      0,
      1 },
    { "losses",
      "\"search\": which energy counts as lost to friction and damping",
      "",
      1,
      true,
      { LOSSES_TAKEN },
      0,
      LOSSES_WORK,
      2,
      losses },
};

static bool books_work(const double *values) { return values[LOSSES] == LOSSES_WORK; }

static vvStatus check_search(const double *values, vvError *error)
{
    if (values[ALPHA_MIN] <= values[ALPHA_MAX])
        return VV_OK;
    return vv_fail(error, VV_ERROR_INPUT,
                   "integrator.alpha[1] is %g; it must be at least %g, the smallest alpha, and at most 10",
                   values[ALPHA_MAX], values[ALPHA_MIN]);
}

static vvStatus apply_search(vv_policy_call *call, vvError *error)
{
    vv_stepper *s = call->stepper;
    apart by = { .dv = NULL };
    vvStatus status = find_difference(call, &by, error);
    if (status != VV_OK || !by.dv)
        return status == VV_OK ? correct(call, &by, 0) : status;
    const double *dv = by.dv, *v = call->trial->v, scale = s->state->ledger.scale;
    double kinetic = 0.5 * vv_sum_mass_square(s->system, v, NULL, false);
    double a = vv_sum_mass_dot(s->system, dv, dv), b = vv_sum_mass_dot(s->system, v, dv);
    double c = call->trial->potential + kinetic - call->target;
    double alpha = 1;
    /* dv is negligible when it cannot change the energy beyond rounding: 1/2 a and b against the kinetic scale */
    bool nothing = a <= 1e-28 * (kinetic + scale);
    bool search = call->values[SPARSE] == 0 || search_now(call->memory, c - b + 0.5 * a);
    if (!nothing && search)
        alpha = closest_root(a, b, c);
    alpha = fmin(fmax(alpha, call->values[ALPHA_MIN]), call->values[ALPHA_MAX]);
    double left = c - alpha * b + 0.5 * alpha * alpha * a;
    remember_side(call->memory, fabs(left) > 1e-9 * scale ? left : 0);
    return correct(call, &by, alpha);
}

static bool sound(const void *memory, const void *body_memory, size_t bodies)
{
    const sides *m = memory;
    (void)body_memory, (void)bodies;
    return m->known >= 0 && m->known <= 2;
}

const vv_policy_ops vv_policy_a1 = {
    .info = { "a1", "A-1: alpha = 1 always, symplectic on linear problems" },
    .suits = has_adjoint,
    .suits_contact = bounded_in_contact,
    .trials = 1,
    .vectors = VV_RUBBING_VECTORS,
    .touches = VV_TOUCHES_VELOCITIES,
    .beyond_motion = true,
    .wants_gradients = true,
    .wants_balance = true,
    .rails = true,
    .apply = apply_a1,
};
const vv_policy_ops vv_policy_search = {
    .info = { "search", "A-search: velocities follow the ledger's energy target" },
    .suits = has_adjoint,
    .trials = 1,
    .vectors = VV_RUBBING_VECTORS,
    .touches = VV_TOUCHES_VELOCITIES,
    .beyond_motion = true,
    .wants_gradients = true,
    .wants_balance = true,
    .rails = true,
    .aims = true,
    .params = { sizeof params / sizeof *params, params },
    .check = check_search,
    .books_work = books_work,
    .apply = apply_search,
    .memory = sizeof(sides),
    .sound = sound,
};

/* Blending with backward and forward Euler (Dinev, Liu, Kavan 2018, §4, Eq. 20-24; theory §3.7).
 *
 * A is the step as the scheme made it, e = H - T of a state. Where e(A) > 0, B is the backward Euler step from the
 * same start, its solve begun at A; where e(A) < 0, B is the forward Euler step. The step ends at (1 - |alpha|) A +
 * |alpha| B, positions, velocities and impulses alike, with |e| <= epsilon S (or epsilon |T|). alpha in the ledger is
 * negative towards forward Euler. Positions move, so they go from A, or back from B, only as far as the step filters
 * allow. */
#include "base/error.h"
#include "solve/vectors.h"
#include "step/policies/bracket.h"
#include "step/inside.h"

enum { EPSILON, SEARCH, ITERATIONS, EULER_ITERATIONS, EPSILON_OF };
enum { SECANT, BISECTION };
enum { OF_SCALE, OF_ENERGY };
static const vvInfo searches[] = {
    { "secant", "by a secant, then parabolas, with ends on both sides of the target: about two energies" },
    { "bisection", "by halving, as the paper does: about seven energies" },
};
static const vvInfo scales[] = {
    { "scale", "of the ledger's scale S" },
    { "energy", "of the size of the target energy, as in the paper; it may be near 0" },
};
static const vvParam params[] = {
    { "epsilon",
      "\"blend\": allowed distance of H from the target, as a fraction of the scale chosen by blend_epsilon_of",
      "",
      1,
      false,
      { 0.01 },
      0,
      1 },
    { "blend_search", "\"blend\": how alpha is found", "", 1, true, { SECANT }, 0, BISECTION, 2, searches },
    { "blend_iterations",
      "\"blend\": iterations of the scheme's solves and of the backward Euler solve; 0: the solver's own, and one for "
      "backward Euler, or until they converge",
      "",
      2,
      true,
      { 0, 0 },
      0,
      1e6 },
    { "blend_epsilon_of", "\"blend\": the scale of epsilon", "", 1, true, { OF_SCALE }, 0, OF_ENERGY, 2, scales },
};

/* Over the run: how many steps searched for alpha, and the energies that took. */
typedef struct memory {
    int64_t searches, evaluations;
} memory;

typedef struct blend {
    vv_policy_call *call;
    vv_stepper *s;
    vv_trial *a, *b, *mix;
    double tolerance; /* J */
    double at;        /* of the mix: part of b; below 0: not made yet */
    int evaluations;
} blend;

static double excess(const vv_trial *t, double target) { return t->energies.kinetic + t->potential - target; }

/* Free nodes: (1 - part) a + part b; prescribed ones are where both have them. */
static void mix_free(const vv_system *y, double part, const double *a, const double *b, double *out)
{
    for (size_t i = 0; i < vv_node_space(y); i++)
        out[i] = y->unknown[i / 3] < 0 ? a[i] : part == 1 ? b[i] : a[i] + part * (b[i] - a[i]);
}

/* H - T of the blend, which `mix` then is. The target belongs to the blend, too: what is lost and worked depends on
 * where it ends. */
static double blended(void *user, double part)
{
    blend *k = user;
    const vv_trial *a = k->a, *b = k->b;
    vv_trial *m = k->mix;
    const double *from[] = { a->q, a->v, a->losses.friction, a->losses.damping, a->losses.mutual, a->left };
    const double *to[] = { b->q, b->v, b->losses.friction, b->losses.damping, b->losses.mutual, b->left };
    double *out[] = { m->q, m->v, m->losses.friction, m->losses.damping, m->losses.mutual, m->left };
    mix_free(k->s->system, part, from[0], to[0], out[0]);
    mix_free(k->s->system, part, from[1], to[1], out[1]);
    for (int i = 2; i < 6; i++) /* impulses act on prescribed nodes, too */
        for (size_t j = 0; j < vv_node_space(k->s->system); j++)
            out[i][j] = from[i][j] + part * (to[i][j] - from[i][j]);
    for (size_t j = 0; j < k->s->hooks.bears; j++)
        m->borne[j] = a->borne[j] + part * (b->borne[j] - a->borne[j]);
    /* so that the target changes with the part evenly */
    m->end_forces = a->end_forces + part * (b->end_forces - a->end_forces);
    vv_trial_measure(k->s, m);
    k->at = part;
    k->evaluations++;
    return m->potential < INFINITY ? excess(m, vv_trial_book(k->s, m).target) : INFINITY;
}

/* How much of the path from one trial to the other is free. */
static double reach(const blend *k, const vv_trial *from, const vv_trial *to)
{
    vv_system *y = k->s->system;
    size_t mark = vv_arena_mark(&y->arena);
    double *p = vv_arena_push(&y->arena, vv_node_space(y), sizeof *p);
    vv_difference_free(y, to->q, from->q, p);
    double part = vv_system_max_step(y, from->q, p);
    vv_arena_release(&y->arena, mark);
    return fmin(fmax(part, 0), 1); /* fmax of a number and NaN is the number */
}

/* The part of b between two places whose values are known; an end where there is no change of sign. */
static vv_bracketed search(blend *k, double x0, double f0, double x1, double f1)
{
    const vv_bracket bracket = { blended, k, k->tolerance, 60, k->call->values[SEARCH] == BISECTION };
    if ((f0 > 0) != (f1 > 0))
        return vv_bracket_root(&bracket, x0, f0, x1, f1);
    return fabs(f0) <= fabs(f1) ? (vv_bracketed){ x0, f0, 0 } : (vv_bracketed){ x1, f1, 0 };
}

static vv_bracketed better(vv_bracketed a, vv_bracketed b) { return fabs(b.value) < fabs(a.value) ? b : a; }

/* The part of b that meets the target, or comes nearest to it on what is free of the path. The way back from b is
 * tried where b is the end of a solve, whose own path from the start of the step was filtered (`both`). */
static vv_bracketed find(blend *k, double ea, double eb, bool both)
{
    double from_a = reach(k, k->a, k->b);
    if (from_a == 1)
        return search(k, 0, ea, 1, eb);
    vv_bracketed found = from_a > 0 ? search(k, 0, ea, from_a, blended(k, from_a)) : (vv_bracketed){ 0, ea, 0 };
    if (!both || fabs(found.value) <= k->tolerance)
        return found;
    double from_b = 1 - reach(k, k->b, k->a);
    vv_bracketed back = from_b < 1 ? search(k, from_b, blended(k, from_b), 1, eb) : (vv_bracketed){ 1, eb, 0 };
    return better(found, back);
}

/* The world's trial becomes the blend. */
static void take(blend *k, double part, double sign)
{
    if (part > 0 && part < 1) {
        if (part != k->at)
            blended(k, part);
        k->mix->stats = k->a->stats, k->mix->scheme = k->a->scheme, k->mix->feasible_end = k->a->feasible_end;
    }
    if (part > 0)
        vv_trial_copy(k->s, k->a, part < 1 ? k->mix : k->b);
    k->call->alpha = sign * part;
}

/* Iterations of the backward Euler solve, which begins at the scheme's: with a solver of a fixed budget the paper's
 * one, unless it begins elsewhere, whatever it is given. */
static int euler_budget(const vv_policy_call *call)
{
    const vv_stepper *s = call->stepper;
    int wanted = (int)call->values[EULER_ITERATIONS];
    return wanted == 0 && vv_solver_budget(s->solver->ops, s->options.budget) > 0 ? 1 : wanted;
}

/* The trial to blend with; *there: it is in the domain. */
static vvStatus solve_other(blend *k, bool backward, bool *there, vvError *error)
{
    vv_trial_def def = { .row = vv_scheme_find(backward ? "backward-euler" : "forward-euler"),
                         .guess = backward ? k->a->q : NULL,
                         .budget = backward ? euler_budget(k->call) : 0,
                         .goes_on = backward && k->s->solver && k->a->stats.solver == k->s->solver->ops->info.name };
    vvStatus status = vv_trial_solve(k->s, &def, k->b, error);
    *there = status == VV_OK && k->b->potential < INFINITY;
    return status == VV_ERROR_SOLVER ? VV_OK : status;
}

/* Where a short solve from A still overshoots, A may be far from anywhere sensible: backward Euler's step with the
 * solver's own budget, begun where the step begins, so that E ends no higher than H was (its objective falls from
 * there). */
static vvStatus solve_in_full(blend *k, bool *there, vvError *error)
{
    vv_trial_def def = { .row = vv_scheme_find("backward-euler"), .guess = k->s->state->q };
    vvStatus status = vv_trial_solve(k->s, &def, k->b, error);
    *there = status == VV_OK && k->b->potential < INFINITY;
    return status == VV_ERROR_SOLVER ? VV_OK : status;
}

/* Forward Euler's step of what is very stiff may have so much energy that hardly any of it meets the target. What that
 * adds is no motion of the bodies, and the next step begins far off. */
static const double LEAST = 1e-6;

static vvStatus apply(vv_policy_call *call, vvError *error)
{
    vv_stepper *s = call->stepper;
    blend k = { .call = call, .s = s, .a = call->trial, .b = vv_trial_take(s), .mix = vv_trial_take(s), .at = -1 };
    if (!k.b || !k.mix)
        return vv_fail_memory(error, "the trials of a blend");
    const double ea = excess(k.a, call->target);
    const bool backward = ea > 0;
    k.tolerance =
        call->values[EPSILON] * (call->values[EPSILON_OF] == OF_ENERGY ? fabs(call->target) : s->state->ledger.scale);
    call->alpha = 0;
    if (fabs(ea) <= k.tolerance)
        return VV_OK;
    bool there;
    vvStatus status = solve_other(&k, backward, &there, error);
    if (status != VV_OK || !there)
        return status;
    double eb = excess(k.b, vv_trial_book(s, k.b).target);
    if (backward && eb > k.tolerance && euler_budget(call) > 0) {
        status = solve_in_full(&k, &there, error);
        if (status != VV_OK || !there)
            return status;
        eb = excess(k.b, vv_trial_book(s, k.b).target);
    }
    bool overshoots = backward && eb >= 0; /* then all of it, as the paper does: later steps remove the rest */
    vv_bracketed found = overshoots ? (vv_bracketed){ 1, eb, 0 } : find(&k, ea, eb, backward);
    if (!backward && found.x < LEAST) {
        found.x = 0;
        call->note = "blend: forward Euler's step is too far off to be mixed in, so H stays below its target";
    }
    take(&k, found.x, backward ? 1 : -1);
    memory *m = call->memory;
    m->searches++;
    m->evaluations += k.evaluations;
    s->spent.line_search_steps += k.evaluations;
    return VV_OK;
}

/* ---- around the scheme's own solve ---- */

static void own_trial(const double *values, vv_trial_def *def) { def->budget = (int)values[ITERATIONS]; }

/* Where the scheme finds no end, or ends outside the domain, backward Euler's step is all there is: alpha = 1. */
static vvStatus rescue(vv_policy_call *call, vvError *error)
{
    vv_stepper *s = call->stepper;
    vv_trial *b = vv_trial_take(s);
    if (!b)
        return vv_fail_memory(error, "the trials of a blend");
    vv_trial_def def = { .row = vv_scheme_find("backward-euler"), .budget = (int)call->values[ITERATIONS] };
    vvStatus status = vv_trial_solve(s, &def, b, error);
    if (status != VV_OK)
        return status;
    vv_trial_copy(s, call->trial, b);
    call->alpha = 1;
    call->note = "blend: the scheme's own step failed, or ended outside the domain; the step is backward Euler's";
    return VV_OK;
}

/* A row that is one of the two that are blended with has nothing to be blended. */
static vvStatus suits(const vv_scheme *row, vvError *error)
{
    static const char *const with[] = { "backward-euler", "forward-euler" };
    for (int i = 0; i < 2; i++)
        if (vv_scheme_same(row, vv_scheme_find(with[i])))
            return vv_fail(error, VV_ERROR_INPUT,
                           "it mixes the scheme's step with backward or forward Euler's, and that is the step of "
                           "%s itself; choose \"implicit-midpoint\", as its paper has it, or another scheme",
                           with[i]);
    return VV_OK;
}

static bool sound(const void *bytes, const void *body_memory, size_t bodies)
{
    const memory *m = bytes;
    const int64_t most = (int64_t)1 << 53;
    (void)body_memory, (void)bodies;
    return m->searches >= 0 && m->searches <= most && m->evaluations >= 0 && m->evaluations <= most;
}

const vv_policy_ops vv_policy_blend = {
    .info = { "blend", "mixes each step with a backward or forward Euler step, so that H meets the target" },
    .suits = suits,
    .touches = VV_TOUCHES_VELOCITIES | VV_TOUCHES_POSITIONS,
    .aims = true,
    .rails = true,
    .trials = 2,
    .vectors = 1,
    .params = { sizeof params / sizeof *params, params },
    .memory = sizeof(memory),
    .sound = sound,
    .own_trial = own_trial,
    .rescue = rescue,
    .apply = apply,
};

/* Projective dynamics (Bouaziz et al. 2014) for any objective: x := x - A^-1 dg/dx, A = M + h^2 sum_s w_s beta_s^2 L
 * (theory §6.10).
 *
 * The classical alternation finds the energies' projections p at x (local), then solves A x' = M y + h^2 sum_s w_s
 * beta_s (A_E^T p - L z_s) (global). L is a bound of each energy whose gradient at x is the energy's own, w A_E^T
 * (A_E x - p): the difference of both sides is A (x' - x) = -dg/dx. So the local step is the gradient, and what is
 * solved for is the change of x: its right-hand side is in double precision and the factor may be in single precision
 * without a loss. g never rises, as its model lies above it; where a bound does not hold everywhere, g is looked at
 * and steps that raised it are shortened. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "solve/realtime/accelerate.h"
#include "solve/realtime/budget.h"
#include "solve/constant/constant.h"
#include "solve/vectors.h"

#include <math.h>

enum { ITERATIONS = 10, MOST_HALVINGS = 40 }; /* the papers'; of a step that raised g */
static const char name[] = "local-global";
static const double ROUNDING = 1e-14; /* of g's terms */

typedef struct local_global {
    vv_solver base;
    vv_constant constant;
    vv_accelerator accelerator;
    double *moved, *to; /* unknown space: from where the solve began to where it is, and goes; only with acceleration */
} local_global;

static void destroy(vv_solver *solver)
{
    local_global *s = (local_global *)solver;
    vv_constant_free(&s->constant);
    vv_accelerator_free(&s->accelerator);
    vv_free(s->moved);
    vv_free(s->to);
    vv_free(s);
}

static vvStatus create(const vv_solver_def *def, vv_solver **out, vvError *error)
{
    local_global *s = vv_alloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return vv_fail_memory(error, "a solver");
    vvStatus status = vv_constant_create(&s->constant, def->system, VV_QUADRATIC_BOUND, name, error);
    if (status == VV_OK && !vv_accelerator_create(&s->accelerator, vv_acceleration_table(0), def->system))
        status = vv_fail_memory(error, "a solver");
    if (status == VV_OK)
        *out = &s->base;
    else
        destroy(&s->base);
    return status;
}

/* The user may have chosen another acceleration since. */
static vvStatus ready(local_global *s, const vv_solve_options *options, vvError *error)
{
    const vv_acceleration *ops = options->acceleration ? options->acceleration : vv_acceleration_table(0);
    const size_t u = vv_unknown_space(s->constant.system);
    vv_accelerator_restart(&s->accelerator);
    if (s->accelerator.ops == ops && (!ops->next || s->to))
        return VV_OK;
    const vv_system *system = s->constant.system;
    vv_accelerator_free(&s->accelerator);
    if (ops->next && !s->moved)
        s->moved = vv_alloc(u, sizeof *s->moved);
    if (ops->next && !s->to)
        s->to = vv_alloc(u, sizeof *s->to);
    if (vv_accelerator_create(&s->accelerator, ops, system) && (!ops->next || (s->moved && s->to)))
        return VV_OK;
    vv_accelerator_free(&s->accelerator);
    (void)vv_accelerator_create(&s->accelerator, vv_acceleration_table(0), system); /* takes no memory */
    return vv_fail_memory(error, "a solver's acceleration");
}

typedef struct solve {
    vv_budget b;
    local_global *s;
    bool loose;   /* steps may raise g: b->p is where the last one began */
    bool compare; /* there is a value to compare with: */
    double value; /* g of the last place that was accepted; with acceleration or loose bounds only */
} solve;

/* Whether g has risen from the place that was accepted, by more than its rounding. */
static bool rose(const solve *k, double value)
{
    return k->compare && !(value <= k->value) && !(value <= k->value + ROUNDING * vv_objective_noise(k->b.o, k->b.q));
}

/* b->step = f(q) = -A^-1 dg/dq; *value = g(q), unless NULL. */
static vvStatus find_step(solve *k, double *value, vvError *error)
{
    vv_budget *b = &k->b;
    double begin = vv_seconds(), clock = vv_contact_clock(b->options);
    if (value)
        *value = vv_objective_value_gradient(b->o, b->q, b->gradient);
    else
        vv_objective_derivatives(b->o, b->q, VV_HESSIAN_EXACT, b->gradient, NULL);
    vv_solve_book(b->options, b->stats, VV_PHASE_ASSEMBLY, begin, clock);
    begin = vv_seconds(), clock = vv_contact_clock(b->options);
    vv_constant_solve(&k->s->constant, b->gradient, b->step, b->stats);
    vv_negative(vv_unknown_space(b->o->system), b->step, b->step);
    vv_solve_book(b->options, b->stats, VV_PHASE_LINEAR, begin, clock);
    if (isfinite(vv_sum_dot(b->o->system, b->step, b->step, (int)vv_unknown_space(b->o->system))))
        return VV_OK;
    return vv_fail(error, VV_ERROR_SOLVER, "solver \"%s\": the forces are not finite", name);
}

/* A plain step led from b->p to q, where g is `value`: halved until g has not risen. False: however short, it does. */
static bool shorten(solve *k, double value)
{
    vv_budget *b = &k->b;
    const size_t n = vv_node_space(b->o->system);
    double begin = vv_seconds(), clock = vv_contact_clock(b->options);
    int i = 0;
    for (; rose(k, value) && i < MOST_HALVINGS; i++) {
        for (size_t j = 0; j < n; j++)
            b->q[j] = b->p[j] + 0.5 * (b->q[j] - b->p[j]);
        value = vv_objective_value(b->o, b->q);
        b->stats->line_search_steps++;
    }
    vv_solve_book(b->options, b->stats, VV_PHASE_LINE_SEARCH, begin, clock);
    if (!rose(k, value))
        return true;
    vv_copy(n, b->p, b->q);
    b->stats->end = VV_SOLVE_STALLED;
    b->stats->why = "no decrease of g along the step of the constant model";
    return false;
}

/* moved := to, and q with it. */
static void go_to(solve *k, double *to)
{
    local_global *s = k->s;
    const size_t u = vv_unknown_space(k->b.o->system);
    vv_difference(u, to, s->moved, k->b.gradient);
    vv_move_free(k->b.o->system, 1, k->b.gradient, k->b.q);
    vv_copy(u, to, s->moved);
}

/* The step from q, to be compared with what was accepted before. Where the last step led up, the plain one from
 * before it takes its place if it was accelerated, and is shortened if that leads up, too: the solve that went that
 * way is one iteration of the budget. *done: there is no step. */
static vvStatus find_next(solve *k, bool *done, vvError *error)
{
    vv_accelerator *a = &k->s->accelerator;
    double value;
    vvStatus status = find_step(k, &value, error);
    if (status == VV_OK && a->steps > 0 && rose(k, value)) {
        vv_along(vv_unknown_space(k->b.o->system), a->x_before, 1, a->f_before, k->s->to);
        go_to(k, k->s->to);
        vv_accelerator_restart(a);
        *done = !vv_budget_next(&k->b, &status, error);
        if (*done)
            return status;
        status = find_step(k, &value, error);
    }
    if (status == VV_OK && k->loose && rose(k, value)) {
        *done = !shorten(k, value) || !vv_budget_next(&k->b, &status, error);
        if (*done)
            return status;
        status = find_step(k, &value, error);
    }
    k->value = value;
    k->compare = true;
    return status;
}

static vvStatus iterate(solve *k, bool *done, vvError *error)
{
    local_global *s = k->s;
    vv_budget *b = &k->b;
    const vv_system *system = b->o->system;
    const size_t u = vv_unknown_space(system);
    const bool accelerated = s->accelerator.ops->next;
    vvStatus status = accelerated || k->loose ? find_next(k, done, error) : find_step(k, NULL, error);
    if (status != VV_OK || *done)
        return status;
    *done = vv_budget_short(b);
    if (k->loose)
        vv_copy(vv_node_space(system), b->q, b->p);
    if (!accelerated) {
        vv_move_free(system, 1, b->step, b->q);
    } else if (*done || b->left == 0) { /* what comes after it is not looked at: a plain step */
        vv_along(u, s->moved, 1, b->step, s->to);
        go_to(k, s->to);
        vv_accelerator_restart(&s->accelerator);
    } else {
        vv_accelerator_next(&s->accelerator, s->moved, b->step, s->to);
        go_to(k, s->to);
    }
    return VV_OK;
}

static vvStatus minimise(vv_solver *solver, const vv_objective *o, double *q, const double *target,
                         const vv_solve_options *options, vv_solve_stats *stats, vvError *error)
{
    local_global *s = (local_global *)solver;
    solve k = { .s = s, .b = { .solver = name, .o = o, .options = options, .stats = stats } };
    bool done = false;
    vvStatus status = vv_budget_begin(&k.b, q, target, error);
    if (status == VV_OK)
        status = ready(s, options, error);
    if (status == VV_OK && k.b.left > 0)
        status = vv_constant_set(&s->constant, o, options, stats, error);
    if (status == VV_OK && s->accelerator.ops->next)
        vv_zero(vv_unknown_space(o->system), s->moved);
    k.loose = s->constant.loose;
    while (!done && vv_budget_next(&k.b, &status, error))
        status = iterate(&k, &done, error);
    if (status == VV_OK && k.loose && k.compare)
        (void)shorten(&k, vv_objective_value(o, q));
    vv_budget_end(&k.b);
    return status;
}

const vv_solver_ops vv_solver_local_global = {
    .info = { name, "projective dynamics: projections and one constant factor; bounded energies only" },
    .budget = ITERATIONS,
    .quick_start = true,
    .create = create,
    .minimise = minimise,
    .destroy = destroy,
};

/* Projective dynamics (Bouaziz et al. 2014) for any objective: x := x - A^-1 dg/dx, A = M + h^2 sum_s w_s beta_s^2 L (theory §6.10).
 *
 * The classical alternation finds the energies' projections p at x (local), then solves A x' = M y + h^2 sum_s w_s beta_s (A_E^T p - L z_s)
 * (global). L is a bound of each energy whose gradient at x is the energy's own, w A_E^T (A_E x - p): the difference of both sides is
 * A (x' - x) = -dg/dx. So the local step is the gradient, and what is solved for is the change of x: its right-hand side is in double
 * precision and the factor may be in single precision without a loss. g never rises, as its model lies above it. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "solve/accelerate.h"
#include "solve/budget.h"
#include "solve/constant.h"
#include "solve/vectors.h"

#include <math.h>

enum { ITERATIONS = 10 }; /* the papers' */
static const char name[] = "local-global";
static const double ROUNDING = 1e-14; /* of g */

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
    const vv_triple *factor;
    double value; /* g of the last place that was accepted; with acceleration only */
} solve;

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
    vv_triple_solve(k->factor, b->gradient, b->step);
    vv_negative(vv_unknown_space(b->o->system), b->step, b->step);
    b->stats->linear_solves++;
    vv_solve_book(b->options, b->stats, VV_PHASE_LINEAR, begin, clock);
    if (isfinite(vv_sum_dot(b->o->system, b->step, b->step, (int)vv_unknown_space(b->o->system))))
        return VV_OK;
    return vv_fail(error, VV_ERROR_SOLVER, "solver \"%s\": the forces are not finite", name);
}

static vvStatus plain(solve *k, bool *done, vvError *error)
{
    vvStatus status = find_step(k, NULL, error);
    if (status == VV_OK) {
        *done = vv_budget_short(&k->b);
        vv_move_free(k->b.o->system, 1, k->b.step, k->b.q);
    }
    return status;
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

/* An iteration with acceleration. Where the last one led up, the plain step from before it takes its place. The last of a budget is plain:
 * what comes after it is not looked at. */
static vvStatus accelerated(solve *k, bool *done, vvError *error)
{
    local_global *s = k->s;
    vv_accelerator *a = &s->accelerator;
    const size_t u = vv_unknown_space(k->b.o->system);
    double value;
    vvStatus status = find_step(k, &value, error);
    if (status == VV_OK && a->steps > 0 && !(value <= k->value + ROUNDING * fabs(k->value))) {
        vv_along(u, a->x_before, 1, a->f_before, s->to);
        go_to(k, s->to);
        vv_accelerator_restart(a);
        if (k->b.left == 0)
            return VV_OK;
        status = find_step(k, &value, error);
    }
    if (status != VV_OK)
        return status;
    k->value = value;
    *done = vv_budget_short(&k->b);
    if (*done || k->b.left == 0)
        vv_along(u, s->moved, 1, k->b.step, s->to);
    else
        vv_accelerator_next(a, s->moved, k->b.step, s->to);
    go_to(k, s->to);
    return VV_OK;
}

static vvStatus minimise(vv_solver *solver, const vv_objective *o, double *q, const double *target, const vv_solve_options *options,
                         vv_solve_stats *stats, vvError *error)
{
    local_global *s = (local_global *)solver;
    solve k = { .s = s, .b = { .solver = name, .o = o, .options = options, .stats = stats } };
    bool done = false;
    vvStatus status = vv_budget_begin(&k.b, q, target, error);
    if (status == VV_OK)
        status = ready(s, options, error);
    if (status == VV_OK && k.b.left > 0)
        status = vv_constant_factor_for(&s->constant, o, options, stats, &k.factor, error);
    if (status == VV_OK && s->accelerator.ops->next)
        vv_zero(vv_unknown_space(o->system), s->moved);
    while (!done && vv_budget_next(&k.b, &status, error))
        status = (s->accelerator.ops->next ? accelerated : plain)(&k, &done, error);
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

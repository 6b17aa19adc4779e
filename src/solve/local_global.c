/* Projective dynamics (Bouaziz et al. 2014) for any objective: x := x - A^-1 dg/dx, A = M + h^2 sum_s w_s beta_s^2 L (theory §6.10).
 *
 * The classical alternation finds the energies' projections p at x (local), then solves A x' = M y + h^2 sum_s w_s beta_s (A_E^T p - L z_s)
 * (global). L is a bound of each energy whose gradient at x is the energy's own, w A_E^T (A_E x - p): the difference of both sides is
 * A (x' - x) = -dg/dx. So the local step is the gradient, and what is solved for is the change of x: its right-hand side is in double
 * precision and the factor may be in single precision without a loss. g never rises, as its model lies above it. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "solve/budget.h"
#include "solve/constant.h"
#include "solve/vectors.h"

#include <math.h>

enum { ITERATIONS = 10 }; /* the papers' */
static const char name[] = "local-global";

typedef struct local_global {
    vv_solver base;
    vv_constant constant;
} local_global;

static void destroy(vv_solver *solver)
{
    vv_constant_free(&((local_global *)solver)->constant);
    vv_free(solver);
}

static vvStatus create(const vv_solver_def *def, vv_solver **out, vvError *error)
{
    local_global *s = vv_alloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return vv_fail_memory(error, "a solver");
    vvStatus status = vv_constant_create(&s->constant, def->system, VV_QUADRATIC_BOUND, name, error);
    if (status == VV_OK)
        *out = &s->base;
    else
        destroy(&s->base);
    return status;
}

static vvStatus iterate(vv_budget *b, const vv_triple *factor, bool *done, vvError *error)
{
    double begin = vv_seconds(), clock = vv_contact_clock(b->options);
    vv_objective_derivatives(b->o, b->q, VV_HESSIAN_EXACT, b->gradient, NULL);
    vv_solve_book(b->options, b->stats, VV_PHASE_ASSEMBLY, begin, clock);
    begin = vv_seconds(), clock = vv_contact_clock(b->options);
    vv_triple_solve(factor, b->gradient, b->step);
    b->stats->linear_solves++;
    *done = vv_budget_short(b);
    vv_solve_book(b->options, b->stats, VV_PHASE_LINEAR, begin, clock);
    if (!isfinite(b->stats->residual))
        return vv_fail(error, VV_ERROR_SOLVER, "solver \"%s\": the forces are not finite", name);
    vv_move_free(b->o->system, -1, b->step, b->q);
    return VV_OK;
}

static vvStatus minimise(vv_solver *solver, const vv_objective *o, double *q, const double *target, const vv_solve_options *options,
                         vv_solve_stats *stats, vvError *error)
{
    local_global *s = (local_global *)solver;
    vv_budget b = { .solver = name, .o = o, .options = options, .stats = stats };
    const vv_triple *factor = NULL;
    bool done = false;
    vvStatus status = vv_budget_begin(&b, q, target, error);
    if (status == VV_OK && b.left > 0)
        status = vv_constant_factor_for(&s->constant, o, options, stats, &factor, error);
    while (!done && vv_budget_next(&b, &status, error))
        status = iterate(&b, factor, &done, error);
    vv_budget_end(&b);
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

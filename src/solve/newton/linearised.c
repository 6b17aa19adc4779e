/* "linearised": one Newton step and no line search, as cheap solvers have it (Baraff and Witkin 1998; theory §6.9).
 *
 * At the place where the stage begins, or at a guess that a policy names, solve A p = -grad g with the Hessian A of
 * g, and go the whole path p: g is replaced by its quadratic model. Whether g goes down is not asked, so that what is
 * known to explode explodes; that it went up is said. The domain of the energies is not left: contact, and elements
 * that must not invert, cut the path short.
 *
 * It never claims to have converged but where there was nothing to do: the solve ends with its budget of one used
 * up. */
#include "base/clock.h"
#include "base/error.h"
#include "solve/newton/equation_solver.h"
#include "solve/newton/newton.h"
#include "solve/vectors.h"

enum { MOST_HALVINGS = 40 };
static const double ROUNDING = 1e-12; /* of g's terms */

/* Along n->p as far as the energies' domain reaches; g there. */
static double go(vv_newton *n)
{
    const size_t nodes = vv_node_space(n->o->system);
    double t = fmax(vv_objective_max_step(n->o, n->q, n->p), 0);
    n->stats->blocked = t < 1;
    vv_axpy(nodes, t, n->p, n->q);
    double value = vv_objective_value(n->o, n->q);
    /* the filter's last digit: only where something was in the way */
    for (int k = 0; n->stats->blocked && !(value < INFINITY) && t > 0; k++) {
        double next = k < MOST_HALVINGS ? 0.5 * t : 0;
        vv_axpy(nodes, next - t, n->p, n->q);
        t = next;
        value = vv_objective_value(n->o, n->q);
    }
    n->taken = t;
    return value;
}

static vvStatus take_step(vv_newton *n, double before, vvError *error)
{
    vv_solve_stats *stats = n->stats;
    double begin = vv_seconds(), clock = vv_contact_clock(n->options), slope;
    const size_t u = vv_unknown_space(n->o->system);
    vv_objective_derivatives(n->o, n->q, n->options->hessian, n->gradient, &n->equations->assembly);
    vv_negative(u, n->gradient, n->rhs);
    vv_solve_book(n->options, stats, VV_PHASE_ASSEMBLY, begin, clock);
    vvStatus status = vv_newton_direction(n, n->options->linear_tolerance, &slope, error);
    if (status != VV_OK)
        return status;
    stats->iterations++;
    stats->residual = vv_longest_step(n->o->system, n->step) / n->o->h;
    stats->end = stats->residual == 0 ? VV_SOLVE_CONVERGED : VV_SOLVE_BUDGET;
    if (!isfinite(stats->residual))
        return vv_newton_fail(n, "the linear equations have no finite solution", error);
    begin = vv_seconds(), clock = vv_contact_clock(n->options);
    vv_unpack(n->o->system, n->step, n->p);
    double after = go(n);
    vv_solve_book(n->options, stats, VV_PHASE_LINE_SEARCH, begin, clock);
    if (n->taken <= 0) {
        stats->end = VV_SOLVE_STALLED;
        stats->why = "a contact or an element about to invert blocks the linearised step";
    } else if (!(after <= before + ROUNDING * vv_objective_magnitude(n->o, n->q))) {
        stats->why = "the linearised step raised the objective";
    }
    return VV_OK;
}

static vvStatus minimise(vv_solver *solver, const vv_objective *o, double *q, const double *target,
                         const vv_solve_options *options, vv_solve_stats *stats, vvError *error)
{
    vv_system *s = o->system;
    size_t mark = vv_arena_mark(&s->arena), u = vv_unknown_space(s);
    vv_newton n = { .name = "Newton",
                    .equations = vv_equations_of(solver),
                    .o = o,
                    .options = options,
                    .stats = stats,
                    .q = q,
                    .extra = -1 };
    vvStatus status = vv_newton_begin(&n, error);
    if (status == VV_OK && target)
        status = vv_newton_dirichlet_motion(&n, target, error);
    double before = status == VV_OK ? vv_objective_value(o, q) : 0;
    if (status == VV_OK && !isfinite(before))
        status = vv_newton_fail(&n, "the start is outside the energies' domain", error);
    if (status == VV_OK)
        status = vv_check_cancelled(options, error);
    if (status == VV_OK && u == 0)
        stats->end = VV_SOLVE_CONVERGED;
    else if (status == VV_OK)
        status = take_step(&n, before, error);
    vv_arena_release(&s->arena, mark);
    return status;
}

const vv_solver_ops vv_solver_linearised = {
    .info = { "linearised", "one Newton step without a line search: cheap, may explode" },
    .budget = 1,
    .from_begin = true,
    .rails = true,
    VV_EQUATION_SOLVER,
    .minimise = minimise,
};

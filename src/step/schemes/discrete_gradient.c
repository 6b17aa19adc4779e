/* Gonzalez' midpoint discrete gradient (Gonzalez 1996; theory §2.7), a root-finding baseline:
 *   M (q - q_n - h v_n) + (h^2/2) G = 0,  G = grad E(m) + [(E(q) - E(q_n) - grad E(m).D) / |D|^2] D,  m = (q +
 *       q_n)/2, D = q - q_n.
 * It minimises nothing: it is a method that the scheme's row puts in place of the solver, and it is handed the
 * implicit midpoint objective of the same step. Solved by Broyden's method with that objective's Hessian as the first
 * Jacobian (Kelley, Iterative Methods for Linear and Nonlinear Equations, §7.3); on stiff problems it may fail to
 * converge, and then reports that. */
#include "base/clock.h"
#include "base/error.h"
#include "solve/newton/equation_solver.h"
#include "solve/vectors.h"
#include "step/schemes/scheme.h"

enum { MEMORY = 12 };

typedef struct root {
    vv_equations *equations;
    const vv_objective *o;
    const vv_solve_options *options;
    vv_solve_stats *stats;
    double energy_n;
    double *mid, *grad_mid;                  /* node space */
    double *res, *rhs, *step, *past[MEMORY]; /* unknown space; past: the latest steps taken with one Jacobian */
    int count;                               /* of steps in past */
} root;

/* Residual at q; if a is given, also the matrix M + h^2/4 H(m). false: outside the domain. */
static bool residual(root *r, const double *q, vv_assembly *a)
{
    vv_system *s = r->o->system;
    const double *q_n = r->o->begin;
    double energy = vv_system_energy(s, q), along = 0, square = 0;
    if (!(energy < INFINITY))
        return false;
    for (size_t i = 0; i < vv_node_space(s); i++)
        r->mid[i] = 0.5 * (q[i] + q_n[i]);
    if (!(vv_system_energy(s, r->mid) < INFINITY))
        return false;
    vv_system_gradient(s, r->mid, r->grad_mid);
    for (size_t i = 0; i < vv_node_space(s); i++) {
        double d = q[i] - q_n[i];
        along += r->grad_mid[i] * d;
        square += s->mass[i / 3] > 0 ? d * d : 0; /* a kinematic body's displacement must not share the correction */
    }
    vv_objective_derivatives(r->o, q, VV_HESSIAN_PROJECTED, r->res, a);
    double c = square > 0 ? 0.5 * r->o->h * r->o->h * (energy - r->energy_n - along) / square : 0;
    for (size_t u = 0; u < (size_t)s->unknowns; u++)
        for (size_t k = 0; k < 3; k++)
            r->res[3 * u + k] += c * (q[3 * (size_t)s->node[u] + k] - q_n[3 * (size_t)s->node[u] + k]);
    return true;
}

/* step = -A^-1 res */
static vvStatus precondition(root *r, vvError *error)
{
    vv_linear_stats linear = { 0 };
    vv_negative(vv_unknown_space(r->o->system), r->res, r->rhs);
    double begin = vv_seconds(), tolerance = fmin(r->options->linear_tolerance, 1e-4);
    vvStatus status = vv_equations_solve(r->equations, r->rhs, r->step, tolerance, &linear, error);
    r->stats->seconds[VV_PHASE_LINEAR] += vv_seconds() - begin;
    r->stats->linear_solves++;
    r->stats->pcg_iterations += linear.iterations;
    r->stats->linear = linear.used;
    return status;
}

/* Applies Broyden's updates of the Jacobian, from the steps so far, to this step. */
static void correct(root *r)
{
    const vv_system *s = r->o->system;
    size_t n = vv_unknown_space(s);
    for (int j = 0; j + 1 < r->count; j++) {
        double f = vv_sum_dot(s, r->past[j], r->step, (int)n) / vv_sum_dot(s, r->past[j], r->past[j], (int)n);
        vv_axpy(n, f, r->past[j + 1], r->step);
    }
    if (r->count > 0) {
        const double *last = r->past[r->count - 1];
        double f = vv_sum_dot(s, last, r->step, (int)n) / vv_sum_dot(s, last, last, (int)n);
        vv_scale(n, fabs(1 - f) > 1e-3 ? 1 / (1 - f) : 1, r->step);
    }
}

static void stopped(vv_solve_stats *stats, vvSolveEnd end, const char *why)
{
    stats->end = end;
    stats->why = why;
}

/* m/s: a root is found without any look at how contact's forces balance, by which friction goes: closer, there. */
static double tolerance(const root *r)
{
    static const double CLOSER = 0.01;
    const vv_system *s = r->o->system;
    bool rubs = false;
    for (int i = 0; i < s->dissipations; i++)
        rubs = rubs || s->dissipation[i]->ops->row == VV_ROW_CONTACT;
    return r->options->tolerance * (rubs ? CLOSER : 1);
}

static vvStatus iterate(root *r, double *q, bool *done, vvError *error)
{
    const vv_system *s = r->o->system;
    if (r->count == MEMORY) { /* fresh Jacobian at the present midpoint */
        residual(r, q, &r->equations->assembly);
        r->count = 0;
    }
    vvStatus status = precondition(r, error);
    if (status != VV_OK)
        return status;
    r->stats->iterations++;
    correct(r);
    r->stats->residual = vv_longest_step(s, r->step) / r->o->h;
    if (!isfinite(r->stats->residual)) {
        stopped(r->stats, VV_SOLVE_STALLED, "the discrete gradient's iteration diverged");
        return vv_fail(error, VV_ERROR_SOLVER,
                       "discrete-gradient: the iteration diverged at iteration %d; use a smaller step or "
                       "avf-simpson",
                       r->stats->iterations);
    }
    vv_copy(vv_unknown_space(s), r->step, r->past[r->count++]);
    vv_move_free(s, 1, r->step, q);
    *done = r->stats->residual < tolerance(r);
    double t = 1;
    while (!residual(r, q, NULL) && t > 1e-6) { /* back into the domain; past no longer fits the step */
        vv_move_free(s, -0.5 * t, r->step, q);
        t *= 0.5;
        r->count = 0;
        *done = false;
    }
    if (*done)
        stopped(r->stats, VV_SOLVE_CONVERGED, NULL);
    return VV_OK;
}

static vvStatus solve(root *r, double *q, vvError *error)
{
    const vv_system *s = r->o->system;
    const vv_solve_options *options = r->options;
    bool budget = options->budget > 0 && options->budget < options->max_iterations, done = s->unknowns == 0;
    stopped(r->stats, budget ? VV_SOLVE_BUDGET : VV_SOLVE_ITERATION_LIMIT,
            budget ? NULL : "the discrete gradient's equation was not solved within the iteration limit");
    r->energy_n = vv_system_energy(s, r->o->begin);
    if (!residual(r, q, &r->equations->assembly)) {
        vv_copy(vv_node_space(s), r->o->begin, q);
        residual(r, q, &r->equations->assembly);
    }
    vvStatus status = VV_OK;
    for (int k = 0; k < (budget ? options->budget : options->max_iterations) && status == VV_OK && !done; k++) {
        status = vv_check_cancelled(options, error);
        if (status == VV_OK)
            status = iterate(r, q, &done, error);
    }
    if (s->unknowns == 0)
        stopped(r->stats, VV_SOLVE_CONVERGED, NULL);
    return status;
}

static vvStatus minimise(vv_solver *solver, const vv_objective *o, double *q, const double *target,
                         const vv_solve_options *options, vv_solve_stats *stats, vvError *error)
{
    vv_system *s = o->system;
    size_t mark = vv_arena_mark(&s->arena), n = vv_node_space(s), u3 = vv_unknown_space(s);
    root r = { .equations = vv_equations_of(solver), .o = o, .options = options, .stats = stats };
    double **vectors[] = { &r.mid, &r.grad_mid, &r.res, &r.rhs, &r.step };
    for (int i = 0; i < 5; i++)
        *vectors[i] = vv_arena_push(&s->arena, i < 2 ? n : u3, sizeof(double));
    for (int i = 0; i < MEMORY; i++)
        r.past[i] = vv_arena_push(&s->arena, u3, sizeof(double));
    if (target)
        vv_copy_prescribed(s, target, q);
    vvStatus status = vv_assembly_ready(&r.equations->assembly, error);
    if (status == VV_OK)
        status = solve(&r, q, error);
    vv_arena_release(&s->arena, mark);
    return status;
}

const vv_solver_ops vv_discrete_gradient = {
    .info = { "discrete-gradient", "Broyden's method on the midpoint discrete gradient's equation" },
    VV_EQUATION_SOLVER,
    .minimise = minimise,
};

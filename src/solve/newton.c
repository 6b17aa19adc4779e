/* Newton's method with a filtered line search (numerics §6).
 *
 * Each iteration: gradient and Hessian of g (per element projected, or exact with Tikhonov shifting), linear solve, largest
 * feasible step, line search. It ends when no node's Newton step is longer than tolerance * h (You, Zheng, Li: 0.01 h), and
 * never returns a worse g than at the start. Arena memory only: nothing is allocated once warm. */
#include "base/clock.h"
#include "base/error.h"
#include "base/vec.h"
#include "solve/solver.h"

#include <string.h>

typedef struct newton {
    const vv_objective *o;
    const vv_solve_options *options;
    vv_solve_stats *stats;
    double *q;                     /* node space, in place */
    double *gradient, *rhs, *step; /* unknown space */
    double *p;                     /* node space */
} newton;

static double max_node_length(const newton *n)
{
    double most = 0;
    for (size_t u = 0; u < (size_t)n->o->system->unknowns; u++) {
        double l = vv_dot(n->step + 3 * u, n->step + 3 * u);
        if (!(l <= most))
            most = l;
    }
    return sqrt(most);
}

static void shift_diagonal(vv_bsr *a, double by)
{
    for (int i = 0; i < a->n; i++)
        for (int k = 0; k < 3; k++)
            a->val[9 * (size_t)a->diag[i] + 4 * (size_t)k] += by;
}

static double mean_diagonal(const vv_bsr *a)
{
    double sum = 0;
    for (int i = 0; i < a->n; i++)
        for (int k = 0; k < 3; k++)
            sum += fabs(a->val[9 * (size_t)a->diag[i] + 4 * (size_t)k]);
    return a->n ? sum / (3.0 * a->n) : 0;
}

/* step = -A^-1 gradient + (correction); shifts the diagonal by 1e-10 of its mean, then ten times more, until A is definite
 * enough for a descent direction (Rojas, Liu, Kavan §IV). */
static vvStatus solve_linear(newton *n, double *slope, vvError *error)
{
    vv_system *s = n->o->system;
    double begin = vv_seconds(), shifted = 0;
    vvStatus status = vv_bsr_status(&s->matrix, error);
    for (int k = 0; k < 14 && status == VV_OK; k++) {
        vv_linear_stats linear = { 0 };
        status = s->linear->ops->solve(s->linear, &s->matrix, n->rhs, n->step, n->options->linear_tolerance, VV_LINEAR_ITERATIONS,
                                         &linear, error);
        if (status != VV_OK)
            break;
        n->stats->linear_solves++;
        n->stats->pcg_iterations += linear.iterations;
        n->stats->linear = linear.used;
        if (linear.reason)
            n->stats->linear_reason = linear.reason;
        *slope = vv_sum_dot(s, n->gradient, n->step, 3 * s->unknowns);
        bool finite = isfinite(*slope);
        /* PCG that met negative curvature still returns a descent direction: with projected Hessians that is rounding */
        bool usable = finite && *slope < 0 && !(linear.indefinite && n->options->hessian == VV_HESSIAN_EXACT);
        if (usable || vv_sum_dot(s, n->gradient, n->gradient, 3 * s->unknowns) == 0)
            break;
        double next = shifted > 0 ? 10 * shifted : 1e-10 * mean_diagonal(&s->matrix);
        shift_diagonal(&s->matrix, next - shifted);
        shifted = next;
    }
    n->stats->seconds[VV_PHASE_LINEAR] += vv_seconds() - begin;
    return status;
}

static vvStatus failed(newton *n, const char *why, vvError *error)
{
    n->stats->end = VV_SOLVE_STALLED;
    n->stats->why = why;
    return vv_fail(error, VV_ERROR_SOLVER, "Newton: %s (after %d iterations, step speed %.3g m/s)", why,
                   n->stats->iterations, n->stats->residual);
}

/* The longest step still to be made by a prescribed node; its displacements go to p (free nodes: 0). */
static double remaining_motion(const newton *n, const double *target, double *p)
{
    const vv_system *s = n->o->system;
    double most = 0;
    memset(p, 0, 3 * (size_t)s->nodes * sizeof *p);
    for (size_t i = 0; i < (size_t)s->nodes; i++)
        if (s->unknown[i] < 0) {
            vv_sub(target + 3 * i, n->q + 3 * i, p + 3 * i);
            double l = vv_norm(p + 3 * i);
            if (l > most)
                most = l;
        }
    return most;
}

/* rhs -= H_fk p_k, the pull of the moving prescribed nodes on the free ones, as a difference of gradients along a step
 * short enough to be feasible. */
static void couple_motion(newton *n, const double *p)
{
    vv_system *s = n->o->system;
    size_t mark = vv_arena_mark(&s->arena), n3 = 3 * (size_t)s->nodes;
    double *x = vv_arena_push(&s->arena, n3, sizeof *x), *g = vv_arena_push(&s->arena, 3 * (size_t)s->unknowns, sizeof *g);
    double eps = 1e-4 * vv_objective_max_step(n->o, n->q, p);
    for (size_t i = 0; i < n3; i++)
        x[i] = n->q[i] + eps * p[i];
    vv_objective_derivatives(n->o, x, VV_HESSIAN_EXACT, g, NULL);
    for (size_t i = 0; i < 3 * (size_t)s->unknowns; i++)
        n->rhs[i] -= (g[i] - n->gradient[i]) / eps;
    vv_arena_release(&s->arena, mark);
}

/* Carries the prescribed nodes to their targets. The jump at once, where that is feasible; else Newton steps of the whole
 * system that take the prescribed nodes along, each as far as the filter allows. */
static vvStatus carry_motion(newton *n, const double *target, vvError *error)
{
    vv_system *s = n->o->system;
    size_t mark = vv_arena_mark(&s->arena), n3 = 3 * (size_t)s->nodes;
    double *motion = vv_arena_push(&s->arena, n3, sizeof *motion);
    vvStatus status = VV_OK;
    double first = remaining_motion(n, target, motion), left = first;
    for (int k = 0; left > 0; k++) {
        if (vv_objective_max_step(n->o, n->q, motion) >= 1) {
            for (size_t i = 0; i < (size_t)s->nodes; i++)
                if (s->unknown[i] < 0)
                    memcpy(n->q + 3 * i, target + 3 * i, 3 * sizeof *target);
            if (vv_objective_value(n->o, n->q) < INFINITY)
                break;
            status = failed(n, "prescribed nodes moved out of the energies' domain", error);
            break;
        }
        if (k >= n->options->max_iterations) {
            status = failed(n, "a scripted motion cannot be followed: prescribed nodes are blocked by contact or by an "
                               "element that would invert; slow the motion down or shorten the step", error);
            break;
        }
        status = vv_check_cancelled(n->options, error);
        if (status != VV_OK)
            break;
        vv_objective_derivatives(n->o, n->q, n->options->hessian, n->gradient, &s->matrix);
        for (size_t i = 0; i < 3 * (size_t)s->unknowns; i++)
            n->rhs[i] = -n->gradient[i];
        couple_motion(n, motion);
        double slope;
        status = solve_linear(n, &slope, error);
        if (status != VV_OK)
            break;
        n->stats->iterations++;
        vv_unpack(s, n->step, n->p);
        for (size_t i = 0; i < n3; i++)
            n->p[i] += motion[i];
        double t = vv_objective_max_step(n->o, n->q, n->p);
        for (size_t i = 0; i < n3; i++)
            n->q[i] += t * n->p[i];
        left = remaining_motion(n, target, motion);
        if (left < 1e-14 * first)
            left = 0;
    }
    vv_arena_release(&s->arena, mark);
    return status;
}

/* One Newton iteration from q with g = *value. *done: stop, the stats say why. */
static vvStatus iterate(newton *n, double *value, bool *done, vvError *error)
{
    vv_system *s = n->o->system;
    vv_solve_stats *stats = n->stats;
    size_t n3 = 3 * (size_t)s->unknowns;
    double begin = vv_seconds();
    vv_objective_derivatives(n->o, n->q, n->options->hessian, n->gradient, &s->matrix);
    stats->seconds[VV_PHASE_ASSEMBLY] += vv_seconds() - begin;
    for (size_t i = 0; i < n3; i++)
        n->rhs[i] = -n->gradient[i];
    double norm = sqrt(vv_sum_dot(s, n->gradient, n->gradient, (int)n3));
    if (!isfinite(norm))
        return failed(n, "the gradient is not finite", error);

    double slope = 0;
    vvStatus status = solve_linear(n, &slope, error);
    if (status != VV_OK)
        return status;
    stats->iterations++;
    stats->residual = max_node_length(n) / n->o->h;
    bool short_step = stats->residual < n->options->tolerance;
    bool small_gradient = n->options->gradient_tolerance <= 0 || norm < n->options->gradient_tolerance;
    if (norm == 0) {
        stats->residual = 0, stats->end = VV_SOLVE_CONVERGED, *done = true;
        return VV_OK;
    }
    if (!(slope < 0))
        return failed(n, "no descent direction", error);

    begin = vv_seconds();
    vv_unpack(s, n->step, n->p);
    vv_line line = { .objective = n->o, .q = n->q, .p = n->p, .p_unknown = n->step, .value0 = *value, .slope0 = slope };
    line.max_step = vv_objective_max_step(n->o, n->q, n->p);
    stats->blocked = line.max_step < 1;
    double found = *value, t = line.max_step > 0 ? n->options->line_search->search(&line, &found) : 0;
    stats->line_search_steps += line.evaluations;
    stats->seconds[VV_PHASE_LINE_SEARCH] += vv_seconds() - begin;
    if (t > 0) {
        for (size_t i = 0; i < 3 * (size_t)s->nodes; i++)
            n->q[i] += t * n->p[i];
        *value = found;
    }
    if (short_step && small_gradient) {
        stats->end = VV_SOLVE_CONVERGED, *done = true;
    } else if (t <= 0) {
        stats->end = VV_SOLVE_STALLED, *done = true;
        stats->why = line.max_step > 1e-12 ? "no decrease of g beyond rounding along the Newton direction"
                                           : "a contact or an element about to invert blocks the Newton direction";
    }
    return VV_OK;
}

static vvStatus minimise(const vv_objective *o, double *q, const double *target, const vv_solve_options *options,
                         vv_solve_stats *stats, vvError *error)
{
    vv_system *s = o->system;
    size_t mark = vv_arena_mark(&s->arena), u3 = 3 * (size_t)s->unknowns;
    newton n = { .o = o, .options = options, .stats = stats, .q = q };
    n.gradient = vv_arena_push(&s->arena, u3, sizeof *n.gradient);
    n.rhs = vv_arena_push(&s->arena, u3, sizeof *n.rhs);
    n.step = vv_arena_push(&s->arena, u3, sizeof *n.step);
    n.p = vv_arena_push(&s->arena, 3 * (size_t)s->nodes, sizeof *n.p);
    vvStatus status = n.p ? VV_OK : vv_fail_memory(error, "Newton's work space");
    if (status == VV_OK && target)
        status = carry_motion(&n, target, error);
    double value = status == VV_OK ? vv_objective_value(o, q) : 0;
    if (status == VV_OK && !isfinite(value))
        status = failed(&n, "the start is outside the energies' domain", error);
    bool done = s->unknowns == 0;
    if (done)
        stats->end = VV_SOLVE_CONVERGED;
    int first = stats->iterations;
    while (status == VV_OK && !done) {
        status = vv_check_cancelled(options, error);
        if (status != VV_OK)
            break;
        if (stats->iterations - first >= options->max_iterations) {
            stats->end = VV_SOLVE_ITERATION_LIMIT;
            stats->why = "iteration limit";
            done = true;
        } else {
            status = iterate(&n, &value, &done, error);
        }
    }
    vv_arena_release(&s->arena, mark);
    return status;
}

const vv_solver_ops vv_solver_newton = {
    { "newton", "Newton's method with a filtered line search" }, minimise
};

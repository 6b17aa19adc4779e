/* The direction of a Newton step: linear solves, and the shift where the matrix is not positive definite (theory
 * §6.2); and how a solve fails. */
#include "base/clock.h"
#include "base/error.h"
#include "solve/newton/equation_solver.h"
#include "solve/newton/newton.h"
#include "solve/vectors.h"

/* Steps longer than so many times the tolerance: to how much of the residual their successors are solved for. */
static const struct {
    double times, tolerance;
} forcing[] = { { 30, 0.1 }, { 5, 0.01 } };

vvStatus vv_newton_fail(vv_newton *n, const char *why, vvError *error)
{
    n->stats->end = VV_SOLVE_STALLED;
    n->stats->why = why;
    return vv_fail(error, VV_ERROR_SOLVER, "%s: %s (after %d iterations, step speed %.3g m/s)", n->name, why,
                   n->stats->iterations, n->stats->residual);
}

double vv_newton_speed(const vv_newton *n) { return vv_longest(vv_unknown_space(n->o->system), n->step) / n->o->h; }

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

vvStatus vv_newton_solve(vv_newton *n, const double *b, double *x, double tolerance, vvError *error)
{
    vv_linear_stats linear = { 0 };
    vvStatus status = vv_equations_solve(n->equations, b, x, tolerance, &linear, error);
    if (status != VV_OK)
        return status;
    n->precise = linear.converged;
    n->definite = !linear.indefinite;
    n->left = linear.residual;
    n->stats->linear_solves++;
    n->stats->pcg_iterations += linear.iterations;
    n->stats->linear = linear.used;
    if (linear.reason)
        n->stats->linear_reason = linear.reason;
    return VV_OK;
}

/* step = -A^-1 gradient + (correction); shifts the diagonal by 1e-10 of its mean, then ten times more, until A is
 * definite enough for a descent direction (after Rojas, Liu, Kavan 2018 §3, theory §6.2). */
vvStatus vv_newton_direction(vv_newton *n, double tolerance, double *slope, vvError *error)
{
    vv_system *s = n->o->system;
    vv_bsr *a = &n->equations->assembly.matrix;
    double begin = vv_seconds(), shifted = 0, mean = 0;
    n->shift = 0;
    vvStatus status = VV_OK;
    for (int k = 0; k < 14; k++) {
        status = vv_newton_solve(n, n->rhs, n->step, tolerance, error);
        if (status != VV_OK)
            break;
        *slope = vv_sum_dot(s, n->gradient, n->step, 3 * s->unknowns);
        /* slope along rhs, which is -gradient except while prescribed nodes are moved */
        double down = -vv_sum_dot(s, n->rhs, n->step, 3 * s->unknowns);
        bool finite = isfinite(*slope);
        /* PCG that met negative curvature still returns a descent direction: with projected Hessians that is
         * rounding */
        bool usable = finite && down < 0 && (n->definite || n->truncated || n->options->hessian != VV_HESSIAN_EXACT);
        if (usable || n->exact || vv_sum_dot(s, n->rhs, n->rhs, 3 * s->unknowns) == 0)
            break;
        mean = shifted > 0 ? mean : mean_diagonal(a);
        double next = shifted > 0 ? 10 * shifted : 1e-10 * mean;
        shift_diagonal(a, next - shifted);
        shifted = next;
        n->shift = shifted / mean;
    }
    n->stats->seconds[VV_PHASE_LINEAR] += vv_seconds() - begin;
    return status;
}

double vv_newton_forcing(const vv_newton *n)
{
    const double tolerance = n->options->linear_tolerance, last = n->previous;
    const bool may = n->extra == 0 && n->options->budget <= 0; /* any iteration of a budget may be the last */
    for (size_t k = 0; k < sizeof forcing / sizeof *forcing && may; k++)
        if (last < INFINITY && last > forcing[k].times * n->options->tolerance)
            return fmax(forcing[k].tolerance, tolerance);
    return tolerance;
}

/* step += A^-1 (rhs - A step) */
static vvStatus go_on(vv_newton *n, double *r, double *more, double *slope, vvError *error)
{
    vv_system *s = n->o->system;
    vv_bsr_multiply(&n->equations->assembly.matrix, &s->par, n->step, r);
    vv_difference(vv_unknown_space(s), n->rhs, r, r);
    vvStatus status = vv_newton_solve(n, r, more, n->options->linear_tolerance / n->left, error);
    if (status != VV_OK)
        return status;
    const double next = *slope + vv_sum_dot(s, n->gradient, more, 3 * s->unknowns);
    if (n->definite && next < 0) {
        *slope = next;
        vv_axpy(vv_unknown_space(s), 1, more, n->step);
    }
    return VV_OK;
}

vvStatus vv_newton_complete(vv_newton *n, double *slope, vvError *error)
{
    vv_arena *arena = &n->o->system->arena;
    if (!n->precise || !(n->left > n->options->linear_tolerance) || vv_newton_speed(n) >= n->options->tolerance)
        return VV_OK;
    const size_t mark = vv_arena_mark(arena), u3 = vv_unknown_space(n->o->system);
    double begin = vv_seconds(), *r = vv_arena_push(arena, u3, sizeof *r),
           *more = vv_arena_push(arena, u3, sizeof *more);
    vvStatus status = go_on(n, r, more, slope, error);
    n->stats->seconds[VV_PHASE_LINEAR] += vv_seconds() - begin;
    vv_arena_release(arena, mark);
    return status;
}

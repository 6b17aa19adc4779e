/* Gonzalez' midpoint discrete gradient (Gonzalez 1996), a root-finding baseline:
 *   M (q - q_n - h v_n) + (h^2/2) G = 0,  G = grad E(m) + [(E(q) - E(q_n) - grad E(m).D) / |D|^2] D,  m = (q + q_n)/2, D = q - q_n.
 * It minimises nothing. Solved by Broyden's method with the implicit midpoint Hessian as first Jacobian (Kelley, Iterative
 * Methods for Linear and Nonlinear Equations, §7.3); it may fail to converge on stiff problems and then says so. */
#include "base/clock.h"
#include "base/error.h"
#include "base/vec.h"
#include "step/inside.h"

#include <string.h>

enum { MEMORY = 12 };

typedef struct root {
    vv_stepper *s;
    const vv_objective *o; /* the implicit midpoint objective of the same step */
    const double *q_n;
    double energy_n;
    double *mid, *grad_mid; /* node space */
} root;

/* Residual in unknown space; the matrix M + h^2/4 H(m) too when a is given. false: outside the domain. */
static bool residual(root *r, const double *q, double *out, vv_bsr *a)
{
    vv_system *s = r->o->system;
    size_t n = 3 * (size_t)s->nodes;
    double energy = vv_system_energy(s, q), along = 0, square = 0;
    if (!(energy < INFINITY))
        return false;
    for (size_t i = 0; i < n; i++)
        r->mid[i] = 0.5 * (q[i] + r->q_n[i]);
    if (!(vv_system_energy(s, r->mid) < INFINITY))
        return false;
    vv_system_gradient(s, r->mid, r->grad_mid);
    for (size_t i = 0; i < n; i++) {
        double d = q[i] - r->q_n[i];
        along += r->grad_mid[i] * d;
        square += s->mass[i / 3] > 0 ? d * d : 0; /* a kinematic body's way is no part of what the correction is shared over */
    }
    vv_objective_derivatives(r->o, q, VV_HESSIAN_PROJECTED, out, a);
    double c = square > 0 ? 0.5 * r->o->h * r->o->h * (energy - r->energy_n - along) / square : 0;
    for (size_t u = 0; u < (size_t)s->unknowns; u++)
        for (size_t k = 0; k < 3; k++)
            out[3 * u + k] += c * (q[3 * (size_t)s->node[u] + k] - r->q_n[3 * (size_t)s->node[u] + k]);
    return true;
}

static void move(const vv_system *s, double *q, const double *step, double t)
{
    for (size_t u = 0; u < (size_t)s->unknowns; u++)
        for (size_t k = 0; k < 3; k++)
            q[3 * (size_t)s->node[u] + k] += t * step[3 * u + k];
}

static double longest(const vv_system *s, const double *step)
{
    double most = 0;
    for (size_t u = 0; u < (size_t)s->unknowns; u++)
        most = fmax(most, vv_norm(step + 3 * u));
    return most;
}

/* z = -A^-1 r */
static vvStatus precondition(root *r, const double *res, double *rhs, double *z, vv_solve_stats *stats, vvError *error)
{
    vv_system *s = r->o->system;
    vv_linear_stats linear = { 0 };
    for (size_t i = 0; i < 3 * (size_t)s->unknowns; i++)
        rhs[i] = -res[i];
    double begin = vv_seconds();
    double tolerance = fmin(r->s->options.linear_tolerance, 1e-4);
    vvStatus status = vv_bsr_status(&s->matrix, error);
    if (status == VV_OK)
        status = s->linear->ops->solve(s->linear, &s->matrix, rhs, z, tolerance, VV_LINEAR_ITERATIONS, &linear, error);
    stats->seconds[VV_PHASE_LINEAR] += vv_seconds() - begin;
    stats->linear_solves++;
    stats->pcg_iterations += linear.iterations;
    stats->linear = linear.used;
    return status;
}

static void stopped(vv_solve_stats *stats, vvSolveEnd end, const char *why)
{
    stats->end = end;
    stats->why = why;
}

vvStatus vv_discrete_gradient_solve(vv_stepper *st, const vv_objective *o, const double *q_start, double *q,
                                    const double *target, vv_solve_stats *stats, vvError *error)
{
    vv_system *s = o->system;
    size_t mark = vv_arena_mark(&s->arena), n = 3 * (size_t)s->nodes, u3 = 3 * (size_t)s->unknowns;
    root r = { st, o, q_start, vv_system_energy(s, q_start), vv_arena_push(&s->arena, n, sizeof(double)),
               vv_arena_push(&s->arena, n, sizeof(double)) };
    double *res = vv_arena_push(&s->arena, u3, sizeof *res), *rhs = vv_arena_push(&s->arena, u3, sizeof *rhs);
    double *z = vv_arena_push(&s->arena, u3, sizeof *z), *steps[MEMORY];
    for (int i = 0; i < MEMORY; i++)
        steps[i] = vv_arena_push(&s->arena, u3, sizeof(double));
    for (size_t i = 0; i < n && target; i++)
        if (s->unknown[i / 3] < 0)
            q[i] = target[i];
    vvStatus status = VV_OK;
    int count = 0;
    stopped(stats, VV_SOLVE_ITERATION_LIMIT, "the discrete gradient's equation was not solved within the iteration limit");
    if (!residual(&r, q, res, &s->matrix)) {
        memcpy(q, q_start, n * sizeof *q);
        residual(&r, q, res, &s->matrix);
    }
    for (int k = 0; k < st->options.max_iterations && status == VV_OK && s->unknowns; k++) {
        status = vv_check_cancelled(&st->options, error);
        if (status != VV_OK)
            break;
        if (count == MEMORY) { /* fresh Jacobian at the present midpoint */
            residual(&r, q, res, &s->matrix);
            count = 0;
        }
        status = precondition(&r, res, rhs, z, stats, error);
        if (status != VV_OK)
            break;
        stats->iterations++;
        for (int j = 0; j + 1 < count; j++) {
            double f = vv_sum_dot(s, steps[j], z, (int)u3) / vv_sum_dot(s, steps[j], steps[j], (int)u3);
            for (size_t i = 0; i < u3; i++)
                z[i] += f * steps[j + 1][i];
        }
        if (count > 0) {
            const double *last = steps[count - 1];
            double f = vv_sum_dot(s, last, z, (int)u3) / vv_sum_dot(s, last, last, (int)u3);
            double scale = fabs(1 - f) > 1e-3 ? 1 / (1 - f) : 1;
            for (size_t i = 0; i < u3; i++)
                z[i] *= scale;
        }
        stats->residual = longest(s, z) / o->h;
        if (!isfinite(stats->residual)) {
            stopped(stats, VV_SOLVE_STALLED, "the discrete gradient's iteration diverged");
            status = vv_fail(error, VV_ERROR_SOLVER, "discrete-gradient: the iteration diverged at iteration %d; use a smaller "
                             "step or avf-simpson", stats->iterations);
            break;
        }
        memcpy(steps[count++], z, u3 * sizeof *z);
        move(s, q, z, 1);
        bool done = stats->residual < st->options.tolerance;
        double t = 1;
        while (!residual(&r, q, res, NULL) && t > 1e-6) { /* back into the domain; the memory no longer fits the step */
            move(s, q, z, -0.5 * t);
            t *= 0.5;
            count = 0;
            done = false;
        }
        if (done) {
            stopped(stats, VV_SOLVE_CONVERGED, NULL);
            break;
        }
    }
    if (s->unknowns == 0)
        stopped(stats, VV_SOLVE_CONVERGED, NULL);
    vv_arena_release(&s->arena, mark);
    return status;
}

/* What Newton's method adds where the velocities take up what the solve leaves of the forces (theory §6.8).
 *
 * Node i is out of balance by |dg/dq_i| / (h m_i): the velocity that the forces left over would give it in the step.
 * Short steps do not show it, as a tiny step of a stiff element is a large force. So the step that looks like the
 * last is solved for until the linear solver leaves little enough; where that does not do, further iterations follow.
 * The projected Hessian would make them many: near the end the exact one is used as long as it is positive definite. */
#include "base/clock.h"
#include "solve/newton/equation_solver.h"
#include "solve/newton/newton.h"
#include "solve/vectors.h"

#include <float.h>

enum { MOST_REFINEMENTS = 4 };
static const double NEAR = 30;  /* times the tolerance: after a step shorter than this the end is near */
static const double LEFT = 0.5; /* of the velocity tolerance: what the linear solve may leave, */
static const double AIM = 0.25; /* and what a refinement aims at */
static const double GAIN = 0.5; /* a try that leaves more of the imbalance than this is the last */

/* What rounding the position of node u alone makes of its force, times h^2: less than that cannot be asked for. */
static double rounding(const vv_newton *n, size_t u)
{
    const vv_bsr *a = &n->equations->assembly.matrix;
    const double *d = a->val + 9 * (size_t)a->diag[u], *x = n->q + 3 * (size_t)n->o->system->node[u];
    return DBL_EPSILON * fmax(fmax(d[0], d[4]), d[8]) * fmax(fmax(fabs(x[0]), fabs(x[1])), fabs(x[2]));
}

/* The largest |r_i| / (h m_i), m/s, of the free nodes where r_i is more than rounding. */
static double imbalance(const vv_newton *n, const double *r)
{
    const vv_system *s = n->o->system;
    double most = 0;
    for (size_t u = 0; u < (size_t)s->unknowns; u++) {
        const double *f = r + 3 * u, size = sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
        double speed = size / (n->o->h * s->mass[s->node[u]]);
        if (speed > most && size > rounding(n, u))
            most = speed;
    }
    return most;
}

bool vv_newton_near(const vv_newton *n)
{
    return n->options->velocity_tolerance > 0 && n->options->hessian == VV_HESSIAN_PROJECTED && n->extra >= 0 &&
           !n->refused && n->previous < NEAR * n->options->tolerance;
}

/* r = rhs - A step: what the linear solve leaves */
static void residual(const vv_newton *n, double *r)
{
    const vv_system *s = n->o->system;
    vv_bsr_multiply(&n->equations->assembly.matrix, &s->par, n->step, r);
    vv_difference(vv_unknown_space(s), n->rhs, r, r);
}

/* Adds to the step what it lacks, again and again; stops short of what is no descent. r, more: room in unknown
 * space. */
static vvStatus refine(vv_newton *n, double *slope, double *r, double *more, vvError *error)
{
    vv_system *s = n->o->system;
    double tolerance = n->options->velocity_tolerance, before = INFINITY;
    for (int k = 0; k < MOST_REFINEMENTS && n->precise; k++) {
        residual(n, r);
        double left = imbalance(n, r);
        if (!(left > LEFT * tolerance && left < GAIN * before))
            break;
        before = left;
        vvStatus status = vv_newton_solve(n, r, more, AIM * tolerance / left, error);
        if (status != VV_OK)
            return status;
        double next = *slope + vv_sum_dot(s, n->gradient, more, 3 * s->unknowns);
        if (!n->definite || !(next < 0))
            break;
        *slope = next;
        vv_axpy(vv_unknown_space(s), 1, more, n->step);
    }
    return VV_OK;
}

vvStatus vv_newton_refine(vv_newton *n, double *slope, vvError *error)
{
    vv_arena *arena = &n->o->system->arena;
    bool last = n->extra >= 0 && n->shift == 0 && vv_newton_speed(n) < n->options->tolerance;
    if (n->options->velocity_tolerance <= 0 || !last)
        return VV_OK;
    size_t mark = vv_arena_mark(arena), u3 = vv_unknown_space(n->o->system);
    double begin = vv_seconds(), *r = vv_arena_push(arena, u3, sizeof *r),
           *more = vv_arena_push(arena, u3, sizeof *more);
    vvStatus status = refine(n, slope, r, more, error);
    n->stats->seconds[VV_PHASE_LINEAR] += vv_seconds() - begin;
    vv_arena_release(arena, mark);
    return status;
}

bool vv_newton_balanced(vv_newton *n)
{
    double begin = vv_seconds(), clock = vv_contact_clock(n->options), before = n->imbalance;
    if (n->options->velocity_tolerance <= 0)
        return true;
    vv_objective_derivatives(n->o, n->q, VV_HESSIAN_EXACT, n->gradient, NULL);
    n->imbalance = imbalance(n, n->gradient);
    vv_solve_book(n->options, n->stats, VV_PHASE_ASSEMBLY, begin, clock);
    return n->imbalance <= n->options->velocity_tolerance || n->imbalance > GAIN * before;
}

/* Newton's method with a filtered line search (theory §6.1).
 *
 * Each iteration: gradient and Hessian of g (per element projected, or exact with Tikhonov shifting), linear solve,
 * largest feasible step, line search. It ends when no node's Newton step is longer than tolerance * h (You, Zheng,
 * Li: 0.01 h), and never returns a worse g than at the start. Arena memory only: nothing is allocated once warm.
 *
 * 0.01 h may exceed the depth to which contact is compressed: then one iteration passes for the solution, and the
 * forces that friction lags and A-search takes for the velocities are not those of the step. So where something
 * touches, a few more iterations follow until its forces balance, unless contact moves no node by more than the
 * tolerance. Under a policy that corrects velocities all forces have to (solve/newton/balance.c). */
#include "base/clock.h"
#include "base/error.h"
#include "solve/newton/equation_solver.h"
#include "solve/newton/newton.h"
#include "solve/vectors.h"

enum { ENOUGH_CONTACT = 3, MOST_EXTRA = 6, MOST_EXTRA_CONTACT = 10 };
/* Of contact's forces: with more left of some body's, contact does not carry it yet. Where a barrier has only begun to
 * act it has hardly a slope or a curvature, and steps are short until it has. */
static const double UNCARRIED = 0.25;

static bool contact_balanced(const vv_newton *n, bool short_enough)
{
    const double most = n->options->contact_tolerance;
    const bool enough = n->extra >= ENOUGH_CONTACT;
    if (most <= 0 || n->extra >= MOST_EXTRA_CONTACT)
        return true;
    if (!short_enough && !enough)
        return false;
    const double left = vv_objective_contact_imbalance(n->o, n->q, n->options->tolerance * n->o->h);
    return left <= most || (enough && (!n->options->rises || left <= UNCARRIED));
}

bool vv_newton_settled(vv_newton *n, bool short_enough, double t)
{
    if (n->extra <= 0 && !short_enough)
        return false;
    if (t <= 0 || n->extra < 0 ||
        (contact_balanced(n, short_enough) && (n->extra >= MOST_EXTRA || vv_newton_balanced(n))))
        return true;
    n->extra++;
    return false;
}

vvStatus vv_newton_assemble(vv_newton *n, vv_hessian_mode hessian, double *norm, vvError *error)
{
    double begin = vv_seconds(), clock = vv_contact_clock(n->options);
    size_t u3 = vv_unknown_space(n->o->system);
    vv_objective_derivatives(n->o, n->q, hessian, n->gradient, &n->equations->assembly);
    vv_system_reduce(n->o->system, n->q, n->gradient, &n->equations->assembly.matrix, hessian == VV_HESSIAN_EXACT);
    vv_solve_book(n->options, n->stats, VV_PHASE_ASSEMBLY, begin, clock);
    vv_negative(u3, n->gradient, n->rhs);
    *norm = sqrt(vv_sum_dot(n->o->system, n->gradient, n->gradient, (int)u3));
    return isfinite(*norm) ? VV_OK : vv_newton_fail(n, "the gradient is not finite", error);
}

/* Whether few enough forces are left, where that is what ends a solve; not before its first step. */
static bool forces_met(const vv_newton *n, double norm)
{
    const double h = n->o->h;
    return n->extra >= 0 && n->previous < INFINITY && norm < n->options->force_tolerance * h * h;
}

/* The direction from q with this Hessian; none where the solve ends. */
static vvStatus aim_with(vv_newton *n, vv_hessian_mode hessian, double *norm, double *slope, vvError *error)
{
    vvStatus status = vv_newton_assemble(n, hessian, norm, error);
    if (status != VV_OK || forces_met(n, *norm))
        return status;
    status = vv_newton_direction(n, vv_newton_forcing(n), slope, error);
    return status == VV_OK ? vv_newton_complete(n, slope, error) : status;
}

/* The same with the Hessian that serves best here. */
static vvStatus aim(vv_newton *n, double *norm, double *slope, vvError *error)
{
    vv_hessian_mode chosen = n->options->hessian;
    n->exact = vv_newton_near(n);
    vvStatus status = aim_with(n, n->exact ? VV_HESSIAN_EXACT : chosen, norm, slope, error);
    if (status == VV_OK && n->exact && *norm > 0 && !forces_met(n, *norm) && !(n->definite && *slope < 0)) {
        n->exact = false, n->refused = true;
        status = aim_with(n, chosen, norm, slope, error);
    }
    return status;
}

/* Along the direction in n->step as far as g goes down; *longest: the step that the filters allow. */
static void search(vv_newton *n, double slope, double *value, double *longest)
{
    double begin = vv_seconds(), clock = vv_contact_clock(n->options), found = *value;
    vv_unpack(n->o->system, n->step, n->p);
    vv_line line = { .objective = n->o, .q = n->q, .p = n->p, .p_unknown = n->step, .value0 = *value, .slope0 = slope };
    line.max_step = *longest = vv_objective_max_step(n->o, n->q, n->p);
    n->stats->blocked = line.max_step < 1;
    double t = line.max_step > 0 ? n->options->line_search->search(&line, &found) : 0;
    if (t >= 1 && !n->exact && vv_newton_speed(n) >= n->options->tolerance)
        t = vv_line_beyond(&line, &found);
    n->taken = t;
    n->stats->line_search_steps += line.evaluations;
    vv_solve_book(n->options, n->stats, VV_PHASE_LINE_SEARCH, begin, clock);
    if (t > 0) {
        vv_newton_go(n, t);
        *value = found;
    }
}

/* One Newton iteration from q with g = *value. *done: stop, the stats say why. */
vvStatus vv_newton_iterate(vv_newton *n, double *value, bool *done, vvError *error)
{
    vv_solve_stats *stats = n->stats;
    double norm, slope = 0, longest;
    vvStatus status = aim(n, &norm, &slope, error);
    if (status == VV_OK && forces_met(n, norm)) {
        stats->end = VV_SOLVE_CONVERGED, *done = true;
        return VV_OK;
    }
    if (status == VV_OK)
        status = vv_newton_refine(n, &slope, error);
    if (status != VV_OK)
        return status;
    stats->iterations++;
    stats->residual = n->previous = vv_longest_step(n->o->system, n->step) / n->o->h;
    if (norm == 0 || (n->extra > 0 && !(slope < 0))) { /* in an extra iteration: rounding */
        stats->residual = norm == 0 ? 0 : stats->residual, stats->end = VV_SOLVE_CONVERGED, *done = true;
        return VV_OK;
    }
    if (!(slope < 0))
        return vv_newton_fail(n, "no descent direction", error);

    search(n, slope, value, &longest);
    n->refused = n->refused || (n->exact && n->taken < longest);
    bool by_length = n->options->force_tolerance <= 0 || n->extra < 0;
    bool short_step = by_length && stats->residual < n->options->tolerance && vv_newton_unshifted(n);
    bool small_gradient = n->options->gradient_tolerance <= 0 || norm < n->options->gradient_tolerance;
    if (vv_newton_settled(n, short_step && small_gradient, n->taken)) {
        stats->end = VV_SOLVE_CONVERGED, *done = true;
    } else if (n->taken <= 0 && !n->exact) {
        stats->end = VV_SOLVE_STALLED, *done = true;
        stats->why = longest > 1e-12 ? "no decrease of g beyond rounding along the Newton direction"
                                     : "a contact or an element about to invert blocks the Newton direction";
    }
    return VV_OK;
}

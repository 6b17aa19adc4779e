/* "optimizer": the minimiser of the optimisation integrator (Gast and Schroeder 2014, "Optimization Integrator for
 * Large Time Steps", §3.1; theory §6.14), for long steps, wild starts and materials that allow inversion.
 *
 * Newton's method with safeguards where g is far from convex: the best of a few guesses to start from
 * (solve/newton/optimizer_start.c); a linear solve only as accurate as useful; a test that the
 * direction goes down; a bound on its length; and a line search for the strong Wolfe conditions that tries the full
 * step first and may go beyond it. Never a worse g than at the start.
 *
 * Four things are ours, which untangle a stiff body in a hundredth of the iterations. Where the exact Hessian is not
 * definite the projected one replaces it: the paper uses the unfinished result of its linear solve, which gains little.
 * The linear solve's accuracy follows the success of the last steps. Steps turn bodies instead of blowing them up
 * (solve/newton/turn.c). And bodies that begin inverted are tried in their rest shape
 * (solve/newton/optimizer_shapes.c).
 *
 * "optimizer-paper" has none of the four, tests every direction, and falls back on the plain gradient, so that both can
 * be compared.
 *
 * Prescribed nodes are carried to their targets as Newton's method does. */
#include "solve/newton/optimizer.h"

#include "base/clock.h"
#include "base/error.h"
#include "solve/newton/equation_solver.h"
#include "solve/newton/newton.h"
#include "solve/newton/turn.h"
#include "solve/vectors.h"

/* The paper's values. */
static const double SIGMA = 1; /* 1 / sqrt(N): of the linear solve's tolerance */
static const double DOWNHILL =
    1e-2; /* kappa: least cosine with -grad g of a descent direction. One without negative curvature is accepted at any
             angle: where stiffness or masses differ much, the path to the minimum is far from the steepest */
static const double LONGEST_STEP = 1e3; /* l, m: norm of a direction over all nodes */
static const double LOOSEST = 0.5;      /* linear solve: the residual comes down by this at least */
/* Ours. */
static const double TIGHTER = 0.5, LOOSER = 4; /* the linear solve's tolerance acts like the radius of a trust region:
                                                  times this after a full step, and after a shorter one; */
static const double TIGHT = 0.02;              /* no less than this */
/* iterations from one try of an exact Hessian that was not definite to the next */
enum { LONGEST_REST = 16 };
static const double SLOW = 1e-4;          /* of the magnitude of g: a decrease below this */
static const double WORTH_TURNING = 0.25; /* of the last decrease of g: the gain required for turning the bodies */
/* A short step shows that the minimum is near only after an accurate solve, so near the end it is accurate. */
static const double NEAR = 10;      /* times the tolerance: after a step shorter than this the end is near, */
static const double WELL = 0.1;     /* and the linear solve leaves no more than this. */
static const double LEFT = 0.5;     /* of solver.force_tolerance: near it, the residual of the linear solve, */
static const double REACH = 4e-3;   /* if that is no less than this of what there is */
static const double NOTHING = 1e-6; /* times the tolerance: shorter steps do not count */

typedef struct optimization { /* one solve */
    vv_newton n;
    double leeway;                 /* of the linear solve: its relative tolerance */
    double loosest;                /* the most that it may be */
    bool exact;                    /* the direction is of the exact Hessian, not of the projected one */
    int rest, since;               /* iterations until the exact one is tried again; since the last try */
    bool slow;                     /* the last step with the projected Hessian hardly moved g */
    double decrease, by_projected; /* of g, by the last step, and by the last one with the projected Hessian */
    bool unfiltered;               /* no energy ever stops a step */
    bool steepest;  /* the next direction is the steepest descent, as along the last one g did not go down */
    bool may_shape; /* shapes at rest may still be tried */
    bool replaced;  /* the direction is not what the linear solve found */
    bool paper;     /* as in the paper */
} optimization;

/* N */
static double force_of(const optimization *k, double norm) { return norm / (k->n.o->h * k->n.o->h); }

static bool near_end(const optimization *k)
{
    const vv_solve_options *options = k->n.options;
    return options->force_tolerance <= 0 && k->n.previous < NEAR * options->tolerance;
}

/* The relative tolerance of the linear solve where forces of this norm (N) are
 * left. */
static double leeway_at(const optimization *k, double force)
{
    const vv_newton *n = &k->n;
    double wanted = fmin(k->loosest, SIGMA * sqrt(fmax(force, n->options->force_tolerance)));
    if (k->paper && n->options->force_tolerance > 0)
        return wanted;
    if (n->options->force_tolerance > 0) {
        const double last = LEFT * n->options->force_tolerance / force; /* with which this step may be the last */
        return last >= REACH ? fmin(wanted, last) : wanted;
    }
    if (n->extra > 0 || n->previous < n->options->tolerance)
        return fmin(wanted, n->options->linear_tolerance);
    return near_end(k) ? fmin(wanted, WELL) : wanted;
}

/* step = the steepest descent in the metric of the masses: a length, and where
 * there is nothing but inertia the way to the minimum. (The paper's: of F in N.) Returns the slope. */
static double steepest(optimization *k)
{
    const vv_newton *n = &k->n;
    const vv_system *s = n->o->system;
    for (size_t i = 0; i < vv_unknown_space(s); i++)
        n->step[i] = -n->gradient[i] / (k->paper ? n->o->h * n->o->h : s->mass[s->node[i / 3]]);
    return vv_sum_dot(s, n->gradient, n->step, 3 * s->unknowns);
}

/* Once more to leave the exact Hessian alone, for 1, 3, 7, 15, 16... iterations. */
static void let_rest(optimization *k)
{
    k->rest = k->rest > LONGEST_REST / 2 ? LONGEST_REST : 2 * k->rest + 1;
    k->since = 0;
}

/* The Newton direction, if the steepest descent is not asked for: of the exact Hessian, or where that is not definite
 * of the projected one. There the exact one's linear solve ends early, in a tangle after one or two iterations, with
 * a direction hardly better than the steepest; and where it does go down, tets are more often left inside out for
 * good. But it knows ways down that the projected one makes stiff, and is taken where that hardly moves. Sets *norm,
 * of the gradient, and *slope. */
static vvStatus solve(optimization *k, double *norm, double *slope, vvError *error)
{
    vv_newton *n = &k->n;
    k->exact = k->paper || k->since >= k->rest || near_end(k);
    for (;;) {
        vvStatus status = vv_newton_assemble(n, k->exact ? VV_HESSIAN_EXACT : VV_HESSIAN_PROJECTED, norm, error);
        if (status != VV_OK || *norm == 0 || k->steepest)
            return status;
        k->leeway = leeway_at(k, force_of(k, *norm));
        /* no shifts then, where a factorisation breaks down: each costs as much as the projected one */
        n->exact = k->exact && !k->slow && !near_end(k) && !k->paper;
        status = vv_newton_direction(n, k->leeway, slope, error);
        if (status != VV_OK || !k->exact || n->definite || k->slow || k->paper)
            return status;
        let_rest(k);
        k->exact = false;
    }
}

/* Which Hessian serves next: where the projected one is slow, the one by which g went down more. */
static void compare(optimization *k, double magnitude)
{
    k->since++;
    if (!k->exact) {
        k->by_projected = k->decrease;
        k->slow = k->decrease < SLOW * magnitude;
    } else if ((k->n.definite && k->n.shift == 0) || k->decrease >= k->by_projected) {
        k->rest = k->since = 0;
    } else {
        let_rest(k);
    }
}

/* The Newton direction, or what goes down instead, no longer than the bound;
 * *slope along it. */
static vvStatus aim(optimization *k, double *norm, double *slope, vvError *error)
{
    vv_newton *n = &k->n;
    const vv_system *s = n->o->system;
    const int u3 = 3 * s->unknowns;
    vvStatus status = solve(k, norm, slope, error);
    if (status != VV_OK || *norm == 0)
        return status;
    double length = sqrt(vv_sum_dot(s, n->step, n->step, u3)), enough = DOWNHILL * length * *norm;
    /* also where they are not finite */
    k->replaced = k->steepest || !((n->definite && *slope < 0 && !k->paper) || *slope < -enough);
    if (!k->steepest && *slope > enough) {
        vv_negative((size_t)u3, n->step, n->step);
        *slope = -*slope;
    } else if (k->replaced) {
        *slope = steepest(k);
    }
    length = sqrt(vv_sum_dot(s, n->step, n->step, u3));
    if (length > LONGEST_STEP) {
        vv_scale((size_t)u3, LONGEST_STEP / length, n->step);
        *slope *= LONGEST_STEP / length;
    }
    return status;
}

/* Turns the bodies to where inertia wants them, if g gets lower: as rigid ones they need no further steps then. */
static bool turn(const optimization *k, double *value)
{
    const vv_newton *n = &k->n;
    vv_system *s = n->o->system;
    double *x = vv_arena_push(&s->arena, vv_node_space(s), sizeof *x);
    if (!k->unfiltered || vv_turn_towards(s, n->q, n->o->y, false, x) <= WORTH_TURNING * k->decrease ||
        !vv_system_project(s, x))
        return false;
    const double there = vv_objective_value_below(n->o, x, *value);
    n->stats->line_search_steps++;
    if (!(there < *value))
        return false;
    vv_copy(vv_node_space(s), x, n->q);
    *value = there;
    return true;
}

/* One more guess, once in a solve that has met a Hessian that is not definite. What was learnt where it comes from
 * holds no longer. */
static bool shape(optimization *k, double *value)
{
    vv_newton *n = &k->n;
    if (!k->may_shape || k->exact)
        return false;
    k->may_shape = false;
    if (!vv_optimizer_shapes(n->o, n->options->tolerance * n->o->h, n->q, value, &n->stats->line_search_steps))
        return false;
    k->slow = false, k->rest = k->since = 0;
    k->by_projected = n->previous = INFINITY;
    k->loosest = LOOSEST;
    return true;
}

/* Along the direction to where the strong Wolfe conditions hold; *longest: what
 * the filters allow. *force (N): that is left there. */
static void search(optimization *k, double slope, double *value, double *longest, double *force)
{
    vv_newton *n = &k->n;
    const vv_system *s = n->o->system;
    double begin = vv_seconds(), clock = vv_contact_clock(n->options), found = *value;
    vv_unpack(s, n->step, n->p);
    vv_line line = { .objective = n->o,
                     .q = n->q,
                     .p = n->p,
                     .p_unknown = n->step,
                     .value0 = *value,
                     .slope0 = slope,
                     .gradient = n->gradient,
                     .at = NAN };
    const size_t mark = vv_arena_mark(&n->o->system->arena);
    line.turn = k->unfiltered && !k->paper ? vv_turn_of(s, n->q, n->p) : NULL;
    line.max_step = *longest = vv_objective_max_step(n->o, n->q, n->p);
    line.farthest = k->unfiltered ? LONGEST_STEP / sqrt(vv_sum_dot(s, n->step, n->step, 3 * s->unknowns)) : 0;
    n->stats->blocked = line.max_step < 1;
    n->taken = line.max_step > 0 ? vv_line_search_strong_wolfe.search(&line, &found) : 0;
    n->stats->line_search_steps += line.evaluations;
    k->decrease = 0;
    if (n->taken > 0) {
        double *x = vv_arena_push(&n->o->system->arena, vv_node_space(s), sizeof *x);
        vv_line_go(&line, n->taken, x);
        vv_copy(vv_node_space(s), x, n->q);
        k->decrease = *value - found;
        *value = found;
    }
    if (!k->paper)
        k->loosest = n->taken >= 1 ? fmax(TIGHT, TIGHTER * k->loosest) : fmin(LOOSEST, LOOSER * k->loosest);
    compare(k, line.magnitude);
    const bool moved = n->taken > 0 && !k->paper && (shape(k, value) || turn(k, value));
    vv_arena_release(&n->o->system->arena, mark);
    if ((n->taken != line.at || s->feasible || moved) && n->options->force_tolerance > 0) {
        vv_objective_derivatives(n->o, n->q, VV_HESSIAN_EXACT, n->gradient, NULL);
        vv_system_reduce(s, n->q, n->gradient, NULL, true);
    }
    if (n->options->force_tolerance > 0)
        *force = force_of(k, sqrt(vv_sum_dot(s, n->gradient, n->gradient, 3 * s->unknowns)));
    vv_solve_book(n->options, n->stats, VV_PHASE_LINE_SEARCH, begin, clock);
}

/* Whether the step just taken ends the solve; force (N): what is left, if that
 * is asked for. */
static bool converged(optimization *k, double longest, double force)
{
    vv_newton *n = &k->n;
    const vv_solve_options *options = n->options;
    if (options->force_tolerance > 0)
        return force < options->force_tolerance;
    bool full = n->taken >= longest && longest >= 1,
         solved = k->exact && n->precise && n->definite && k->leeway <= WELL && vv_newton_unshifted(n);
    /* the line search may have seen rounding alone */
    bool nothing = n->taken <= 0 || n->stats->residual < NOTHING * options->tolerance;
    bool short_step = n->stats->residual < options->tolerance && solved && !k->replaced && (full || nothing);
    return vv_newton_settled(n, short_step, n->taken);
}

/* No step was taken: along the steepest descent next time, or, if that was it,
 * this is as far as g goes down. */
static void give_up(optimization *k, double longest, bool *done)
{
    vv_newton *n = &k->n;
    if (!k->steepest) {
        k->steepest = true;
        return;
    }
    n->stats->end = VV_SOLVE_STALLED, *done = true;
    n->stats->why = longest <= 1e-12 ? "a contact or an element about to invert blocks the "
                                       "steepest descent"
                    : n->options->force_tolerance > 0
                        ? "no decrease of g beyond rounding; solver.force_tolerance may be "
                          "less than rounding allows"
                        : "no decrease of g beyond rounding, along the steepest descent "
                          "either";
}

/* One iteration from q with g = *value. *done: stop, the stats say why. */
static vvStatus iterate(optimization *k, double *value, bool *done, vvError *error)
{
    vv_newton *n = &k->n;
    vv_solve_stats *stats = n->stats;
    double norm, slope = 0, longest, force = INFINITY;
    vvStatus status = aim(k, &norm, &slope, error);
    if (status != VV_OK)
        return status;
    stats->iterations++;
    if (norm == 0 || (n->extra > 0 && !(slope < 0))) { /* in an extra iteration: rounding */
        stats->residual = norm == 0 ? 0 : stats->residual, stats->end = VV_SOLVE_CONVERGED, *done = true;
        return VV_OK;
    }
    stats->residual = n->previous = vv_longest_step(n->o->system, n->step) / n->o->h;
    if (!(slope < 0))
        return vv_newton_fail(n, "no descent direction", error);
    search(k, slope, value, &longest, &force);
    if (converged(k, longest, force))
        stats->end = VV_SOLVE_CONVERGED, *done = true;
    else if (n->taken <= 0)
        give_up(k, longest, done);
    else
        k->steepest = false;
    return VV_OK;
}

static bool nothing_filters(const vv_system *s)
{
    for (int i = 0; i < s->energies; i++)
        if (s->energy[i]->ops->max_step)
            return false;
    return true;
}

static vvStatus start(optimization *k, const double *target, double *value, vvError *error)
{
    vv_newton *n = &k->n;
    vvStatus status = vv_newton_begin(n, error);
    n->extra = -1;
    if (status == VV_OK && target)
        status = vv_newton_dirichlet_motion(n, target, error);
    n->extra = 0, n->previous = INFINITY, n->shift = 0, n->truncated = true;
    if (status != VV_OK)
        return status;
    double begin = vv_seconds(), clock = vv_contact_clock(n->options);
    vvError outside = { 0 };
    status = vv_newton_enter(n, value, &outside);
    if (!n->options->goes_on)
        vv_optimizer_start(n->o, !k->paper, n->q, value, &n->stats->line_search_steps);
    vv_solve_book(n->options, n->stats, VV_PHASE_LINE_SEARCH, begin, clock);
    if (!isfinite(*value))
        return vv_fail(error, status, "%s", outside.message);
    n->stats->why = NULL; /* the guess had no place, one of the two has */
    return VV_OK;
}

static vvStatus optimise(bool paper, vv_solver *solver, const vv_objective *o, double *q, const double *target,
                         const vv_solve_options *options, vv_solve_stats *stats, vvError *error)
{
    vv_system *s = o->system;
    size_t mark = vv_arena_mark(&s->arena);
    optimization k = { .n = { .name = solver->ops->info.name,
                              .equations = vv_equations_of(solver),
                              .o = o,
                              .options = options,
                              .stats = stats,
                              .q = q },
                       .loosest = LOOSEST,
                       .by_projected = INFINITY,
                       .paper = paper,
                       .unfiltered = nothing_filters(s) };
    k.may_shape = !options->goes_on;
    double value = 0;
    vvStatus status = start(&k, target, &value, error);
    bool done = s->unknowns == 0;
    if (done)
        stats->end = VV_SOLVE_CONVERGED;
    int first = stats->iterations;
    while (status == VV_OK && !done) {
        status = vv_check_cancelled(options, error);
        if (status == VV_OK && !(done = vv_newton_spent(&k.n, stats->iterations - first)))
            status = iterate(&k, &value, &done, error);
    }
    if (status == VV_OK)
        vv_newton_press(&k.n);
    vv_arena_release(&s->arena, mark);
    return status;
}

static vvStatus minimise(vv_solver *solver, const vv_objective *o, double *q, const double *target,
                         const vv_solve_options *options, vv_solve_stats *stats, vvError *error)
{
    return optimise(false, solver, o, q, target, options, stats, error);
}

static vvStatus minimise_plainly(vv_solver *solver, const vv_objective *o, double *q, const double *target,
                                 const vv_solve_options *options, vv_solve_stats *stats, vvError *error)
{
    return optimise(true, solver, o, q, target, options, stats, error);
}

const vv_solver_ops vv_solver_optimizer = {
    .info = { "optimizer", "Newton's method as an optimiser: long steps, tangled starts, materials that allow "
                           "inversion (Gast and Schroeder 2014)" },
    .constrains = true,
    .rails = true,
    VV_EQUATION_SOLVER,
    .minimise = minimise,
};
const vv_solver_ops vv_solver_optimizer_paper = {
    .info = { "optimizer-paper",
              "the optimiser as in its paper, for comparison: the exact Hessian, no shapes, no turns" },
    .constrains = true,
    .rails = true,
    VV_EQUATION_SOLVER,
    .minimise = minimise_plainly,
};

/* Moves prescribed nodes to their places at the end of a stage (theory §6.7).
 *
 * If the whole path is free they jump. Otherwise they move in stages: each is a Newton step of the whole system in
 * which they try the rest of their path, as far as the filter allows, and then Newton iterations of the free nodes with
 * the prescribed ones at rest, until a full step is taken: the barrier's gaps and the elements are then about as wide
 * as their forces allow, and the filter admits the next stage. Where a stage gains little, gaps may still be too small
 * (a full step hardly more than doubles a gap) or already so wide that contact does not move the touching body along:
 * the next stages take more full steps, then one again. A path on which successive stages gain next to nothing cannot
 * be followed.
 *
 * A large rotation goes in several straight legs (vv_solve_options), as nodes would otherwise cut across the circle.
 *
 * The path must be free for a little more than its length: prescribed nodes feel no forces, and would otherwise come as
 * near to an object at its end as rounding allows, with huge energies. */
#include "base/error.h"
#include "base/vec.h"
#include "solve/newton/newton.h"
#include "solve/vectors.h"

enum {
    MOST_RELAXING = 12, /* iterations of the free nodes in a stage, and two more for each further full step */
    MOST_HALVINGS =
        6,         /* of a step that the filter allows, before the rest of a stage's iterations is not worth while */
    PATIENCE = 16, /* stages in which something must be gained */
    MOST_CARRYING = 5,   /* times the most iterations of a solve, for the path of a leg, */
    LEAST_CARRYING = 200 /* but these are allowed */
};
static const double LEAST_GAIN = 0.01; /* of what is left of the path, in that many stages */
static const double FAIR_GAIN = 0.1;   /* the same in one stage */
/* in a stage, by the poor ones before it; then from the front */
static const int FULL_STEPS[] = { 1, 2, 4, 8, 8, 8, 8, 8 };
static const double ROUNDING = 1e-14; /* of a coordinate: what is left of the path to a plane that a node is in */
static const double CLEAR = 1e-6;     /* of the path, that must be free beyond its end */

/* The same of a rail, of whose place only rounding may be left. */
static double remaining_across(const vv_newton *n, int rail, const double *target, double *p)
{
    const vv_rails *rails = n->o->system->rails;
    const size_t i = 3 * (size_t)rails->node[rail];
    const double *x = n->q + i;
    double across[3] = { 0, 0, 0 };
    vv_sub(target + i, x, across);
    vv_rail_put(rails->along + 9 * (size_t)rail, across, p + i);
    const double way = vv_norm(p + i);
    if (way > ROUNDING * fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2]))))
        return way;
    vv_zero(3, p + i);
    return 0;
}

/* The longest step still to be made by a prescribed node; its displacements go to p (free nodes: 0). */
static double remaining_motion(const vv_newton *n, const double *target, double *p)
{
    const vv_system *s = n->o->system;
    double most = 0;
    vv_zero(vv_node_space(s), p);
    for (size_t i = 0; i < (size_t)s->nodes; i++)
        if (s->unknown[i] < 0) {
            vv_sub(target + 3 * i, n->q + 3 * i, p + 3 * i);
            double l = vv_norm(p + 3 * i);
            if (l > most)
                most = l;
        }
    for (int r = 0; s->rails && r < s->rails->count; r++)
        most = fmax(most, remaining_across(n, r, target, p));
    return most;
}

/* rhs -= H_fk p_k, the pull of the moving prescribed nodes on the free ones, as a difference of gradients along a step
 * short enough to be feasible. */
static void couple_motion(vv_newton *n, const double *p, double far)
{
    vv_system *s = n->o->system;
    size_t mark = vv_arena_mark(&s->arena), n3 = vv_node_space(s);
    double *x = vv_arena_push(&s->arena, n3, sizeof *x), *g = vv_arena_push(&s->arena, vv_unknown_space(s), sizeof *g);
    double eps = 1e-4 * far;
    vv_along(n3, n->q, eps, p, x);
    vv_objective_derivatives(n->o, x, VV_HESSIAN_EXACT, g, NULL);
    for (size_t i = 0; i < vv_unknown_space(s); i++)
        n->rhs[i] -= (g[i] - n->gradient[i]) / eps;
    vv_arena_release(&s->arena, mark);
}

/* Where nodes turn far, forces that turn with them are extrapolated far, too, and would throw away what they push: it
 * goes no farther than twice the path of what pushes it. Only on the legs of a large turn. */
static void hold_back(vv_newton *n, const double *motion)
{
    const vv_system *s = n->o->system;
    double pushed = 0, pushing = 0;
    for (size_t i = 0; n->options->legs > 1 && i < (size_t)s->nodes; i++)
        if (s->unknown[i] >= 0)
            pushed = fmax(pushed, vv_norm(n->p + 3 * i));
        else
            pushing = fmax(pushing, vv_norm(motion + 3 * i));
    for (size_t i = 0; pushed > 2 * pushing && i < vv_node_space(s); i++)
        n->p[i] *= 2 * pushing / pushed;
}

/* A Newton step of the whole system, the prescribed nodes going along `motion`, as far as the filter allows and no
 * farther than a part `most` of it. `far` > 0: how far the prescribed nodes could go alone. */
static vvStatus go_along(vv_newton *n, const double *motion, double far, double most, vvError *error)
{
    vv_system *s = n->o->system;
    size_t n3 = vv_node_space(s);
    double slope;
    vv_objective_derivatives(n->o, n->q, n->options->hessian, n->gradient, &n->equations->assembly);
    vv_negative(vv_unknown_space(s), n->gradient, n->rhs);
    couple_motion(n, motion, far);
    vvStatus status = vv_newton_direction(n, n->options->linear_tolerance, &slope, error);
    if (status != VV_OK)
        return status;
    n->stats->iterations++;
    vv_unpack(s, n->step, n->p);
    hold_back(n, motion);
    vv_axpy(n3, 1, motion, n->p);
    double t = fmin(vv_objective_max_step(n->o, n->q, n->p), most);
    vv_newton_go(n, t);
    return VV_OK;
}

/* Whether the free nodes stand still: a step that the tolerance calls short may be long beside a gap. */
static bool at_rest(const vv_newton *n)
{
    return n->stats->end != VV_SOLVE_CONVERGED || n->stats->residual == 0 || n->taken <= 0;
}

/* The free nodes give way, until `full` full steps are taken. */
static vvStatus relax(vv_newton *n, int full, vvError *error)
{
    double value = vv_objective_value(n->o, n->q);
    bool done = n->o->system->unknowns == 0;
    for (int k = MOST_RELAXING + 2 * (full - 1); k > 0 && !done && full > 0; k--) {
        int halvings = n->stats->line_search_steps;
        vvStatus status = vv_check_cancelled(n->options, error);
        if (status == VV_OK)
            status = vv_newton_iterate(n, &value, &done, error);
        if (status != VV_OK)
            return status;
        full -= n->taken >= 1;
        if (n->stats->line_search_steps - halvings > MOST_HALVINGS)
            break;
        done = done && at_rest(n);
    }
    n->stats->why = NULL; /* said of the end of the solve only */
    return VV_OK;
}

/* What the stages gain: how much of the path was left before each. */
typedef struct progress {
    double left[PATIENCE];
    int stages;
    size_t poor; /* stages in a row that gained little */
} progress;

static bool stuck(const progress *p, double left)
{
    return p->stages >= PATIENCE && left > (1 - LEAST_GAIN) * p->left[p->stages % PATIENCE];
}

/* Books a stage's beginning; returns the full steps that its free nodes take. */
static int full_steps(progress *p, double left)
{
    bool poor = p->stages > 0 && left > (1 - FAIR_GAIN) * p->left[(p->stages - 1) % PATIENCE];
    p->poor = poor ? p->poor + 1 : 0;
    p->left[p->stages++ % PATIENCE] = left;
    return FULL_STEPS[p->poor % (sizeof FULL_STEPS / sizeof *FULL_STEPS)];
}

/* Stage by stage until what is left of the path is free. `way` and `motion`: room for displacements of all nodes. All
 * prescribed nodes are on the same part of their path. first: the iterations before all legs. */
static vvStatus go_in_stages(vv_newton *n, const double *target, int first, double *way, double *motion, vvError *error)
{
    progress made = { .stages = 0 };
    double beyond = CLEAR * remaining_motion(n, target, way);
    for (;;) {
        double now = remaining_motion(n, target, motion);
        vv_axpy(vv_node_space(n->o->system), CLEAR, way, motion);
        double far = vv_objective_max_step(n->o, n->q, motion);
        if (far >= 1)
            return VV_OK;
        if (stuck(&made, now + beyond) || !(far > 0)) {
            n->stats->stuck = true;
            return vv_newton_fail(
                n,
                "a scripted motion cannot be followed: prescribed nodes are blocked by contact or by an "
                "element that would invert; end the motion sooner, slow it down or shorten the step",
                error);
        }
        if (n->stats->iterations - first >= LEAST_CARRYING &&
            (n->stats->iterations - first) / MOST_CARRYING >= n->options->max_iterations) {
            n->stats->stuck = true;
            return vv_newton_fail(n,
                                  "a scripted motion takes more than five times solver.max_iterations (or 200) to "
                                  "follow: contact gives way too slowly; "
                                  "slow it down, shorten the step or raise that limit",
                                  error);
        }
        int full = full_steps(&made, now + beyond);
        vvStatus status = vv_check_cancelled(n->options, error);
        if (status == VV_OK)
            status = go_along(n, motion, far, now / (now + beyond), error);
        if (status == VV_OK)
            status = relax(n, full, error);
        if (status != VV_OK)
            return status;
    }
}

/* Straight to where `target` has them. */
static vvStatus go_straight(vv_newton *n, const double *target, int first, vvError *error)
{
    vv_system *s = n->o->system;
    size_t mark = vv_arena_mark(&s->arena), n3 = vv_node_space(s);
    double *way = vv_arena_push(&s->arena, n3, sizeof *way), *motion = vv_arena_push(&s->arena, n3, sizeof *motion);
    bool there = remaining_motion(n, target, way) == 0;
    vvStatus status = there ? VV_OK : go_in_stages(n, target, first, way, motion, error);
    if (status == VV_OK && !there) {
        vv_copy_prescribed(s, target, n->q);
        if (!s->feasible && !(vv_objective_value(n->o, n->q) < INFINITY))
            status = vv_newton_fail(n, "prescribed nodes moved out of the energies' domain", error);
    }
    vv_arena_release(&s->arena, mark);
    return status;
}

vvStatus vv_newton_dirichlet_motion(vv_newton *n, const double *target, vvError *error)
{
    vv_system *s = n->o->system;
    const vv_solve_options *options = n->options;
    int first = n->stats->iterations;
    size_t mark = vv_arena_mark(&s->arena);
    double *via = options->legs > 1 ? vv_arena_push(&s->arena, vv_node_space(s), sizeof *via) : NULL;
    vvStatus status = options->legs > 1 && !via ? vv_fail_memory(error, "Newton's work space") : VV_OK;
    for (int leg = 1; status == VV_OK && leg < options->legs; leg++) {
        options->way(options->way_user, (double)leg / options->legs, via);
        status = go_straight(n, via, first, error);
    }
    vv_arena_release(&s->arena, mark);
    return status == VV_OK ? go_straight(n, target, first, error) : status;
}

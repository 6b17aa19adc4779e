/* Solvers with a fixed budget of iterations: begin, count, end. */
#include "solve/realtime/budget.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/vec.h"
#include "solve/balance.h"
#include "solve/vectors.h"

#include <math.h>

enum { MOST_STAGES = 500 };
static const double PIECE = 0.5;          /* of the free path: an iteration hardly more than doubles a gap */
static const double UNKNOWN_RATE = 0.999; /* of the first iteration */
/* Of the tolerance: what is left of momenta is left again in each step, in the same direction. */
static const double BALANCED = 0.1;

/* What is left of the path of prescribed nodes, in b->p. */
static bool left_to_go(vv_budget *b, const double *target)
{
    const vv_system *s = b->o->system;
    bool moves = false;
    for (size_t i = 0; i < vv_node_space(s); i++) {
        b->p[i] = s->unknown[i / 3] < 0 ? target[i] - b->q[i] : 0;
        moves = moves || b->p[i] != 0;
    }
    return moves;
}

static vvStatus blocked(vv_budget *b, vvError *error)
{
    b->stats->end = VV_SOLVE_STALLED, b->stats->stuck = true, b->stats->why = "prescribed nodes are blocked";
    return vv_fail(error, VV_ERROR_SOLVER,
                   "solver \"%s\": prescribed nodes are blocked along their path; slow their motion down, or choose "
                   "solver \"newton\", which moves them in small pieces",
                   b->solver);
}

static vvStatus carry_straight(vv_budget *b, const double *target, const vv_budget_carrier *by, vvError *error)
{
    const vv_system *s = b->o->system;
    for (int stage = 0; left_to_go(b, target); stage++) {
        const double t = vv_objective_max_step(b->o, b->q, b->p);
        if (t >= 1) {
            vv_copy_prescribed(s, target, b->q);
            return VV_OK;
        }
        vvStatus status = by && stage < MOST_STAGES ? vv_check_cancelled(b->options, error) : blocked(b, error);
        if (status == VV_OK && by->lead)
            status = by->lead(by->user, t, error);
        if (status != VV_OK)
            return status;
        const double led = by->lead ? vv_objective_max_step(b->o, b->q, b->p) : 0;
        if (led < PIECE * t)
            (void)left_to_go(b, target);
        vv_axpy(vv_node_space(s), fmax(led, PIECE * t), b->p, b->q);
        b->stats->iterations++;
        status = by->relax(by->user, error);
        if (status != VV_OK)
            return status;
    }
    return VV_OK;
}

/* Leg by leg, as nodes that turn would else cut across the circle. */
vvStatus vv_budget_carry(vv_budget *b, const double *target, const vv_budget_carrier *by, vvError *error)
{
    vv_arena *arena = &b->o->system->arena;
    const int legs = b->options->way ? b->options->legs : 1;
    const size_t mark = vv_arena_mark(arena);
    double *via = legs > 1 ? vv_arena_push(arena, vv_node_space(b->o->system), sizeof *via) : NULL;
    vvStatus status = legs > 1 && !via ? vv_fail_memory(error, "a solver's work space") : VV_OK;
    for (int leg = 1; status == VV_OK && leg < legs; leg++) {
        b->options->way(b->options->way_user, (double)leg / legs, via);
        status = carry_straight(b, via, by, error);
    }
    if (status == VV_OK)
        status = carry_straight(b, target, by, error);
    vv_arena_release(arena, mark);
    return status;
}

vvStatus vv_budget_begin(vv_budget *b, double *q, const double *target, vvError *error)
{
    vv_system *s = b->o->system;
    double **vectors[] = { &b->gradient, &b->step, &b->p };
    b->mark = vv_arena_mark(&s->arena);
    b->q = q;
    for (int i = 0; i < 3; i++)
        *vectors[i] = vv_arena_push(&s->arena, vv_node_space(s), sizeof(double));
    if (!b->gradient || !b->step || !b->p)
        return vv_fail_memory(error, "a solver's work space");
    b->searched = b->stats->line_search_steps;
    b->left = b->options->budget > 0 ? b->options->budget : b->options->max_iterations;
    b->stats->end = s->unknowns == 0         ? VV_SOLVE_CONVERGED
                    : b->options->budget > 0 ? VV_SOLVE_BUDGET
                                             : VV_SOLVE_ITERATION_LIMIT;
    b->stats->why = s->unknowns == 0 || b->options->budget > 0 ? NULL : "iteration limit";
    if (s->unknowns == 0)
        b->left = 0;
    return target ? vv_budget_carry(b, target, NULL, error) : VV_OK;
}

void vv_budget_end(vv_budget *b) { vv_arena_release(&b->o->system->arena, b->mark); }

/* Whether another iteration as long as the last one would end too late. */
static bool late(vv_budget *b)
{
    if (b->options->deadline <= 0)
        return false;
    const double now = vv_seconds(), took = now - b->looked;
    const bool first = b->looked == 0;
    b->looked = now;
    return !first && now + took > b->options->deadline;
}

bool vv_budget_next(vv_budget *b, vvStatus *status, vvError *error)
{
    if (b->left > 0 && late(b))
        b->left = 0;
    if (*status == VV_OK && b->left > 0)
        *status = vv_check_cancelled(b->options, error);
    if (*status != VV_OK || b->left <= 0)
        return false;
    b->left--;
    b->stats->iterations++;
    return true;
}

bool vv_budget_short_of(vv_budget *b, double residual)
{
    double rate = b->before > 0 ? residual / b->before : UNKNOWN_RATE;
    double left = rate < 1 ? residual * fmax(1, rate / (1 - rate)) : INFINITY;
    b->stats->residual = b->before = residual;
    const double tolerance = b->options->tolerance;
    if (residual != 0 && !(left < tolerance))
        return false;
    if (residual != 0 && b->group &&
        !(vv_balance_left(b->o, b->group, b->q, b->gradient) < BALANCED * tolerance * b->o->h))
        return false;
    b->stats->end = VV_SOLVE_CONVERGED;
    b->stats->why = NULL;
    return true;
}

bool vv_budget_short(vv_budget *b)
{
    return vv_budget_short_of(b, vv_longest(vv_unknown_space(b->o->system), b->step) / b->o->h);
}

static const double REACH = 0.25;

bool vv_budget_cap(vv_budget *b, const double *size)
{
    const vv_system *s = b->o->system;
    const size_t n = (size_t)s->unknowns, mark = vv_arena_mark(&b->o->system->arena);
    double *longest = vv_arena_push(&b->o->system->arena, n, sizeof *longest);
    bool any = false;
    vv_zero(n, longest);
    for (size_t u = 0; u < n; u++) {
        double *most = longest + b->group[s->node[u]], length = vv_norm(b->step + 3 * u);
        *most = length > *most ? length : *most;
    }
    for (size_t u = 0; u < n; u++) {
        const int g = b->group[s->node[u]];
        const double most = REACH * size[g];
        for (size_t k = 3 * u; longest[g] > most && most > 0 && k < 3 * u + 3; k++)
            b->step[k] *= most / longest[g], any = true;
    }
    b->stats->capped += any;
    vv_arena_release(&b->o->system->arena, mark);
    return any;
}

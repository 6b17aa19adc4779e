/* Newton's method as a solver: carries prescribed nodes to their targets, then iterates until it converges or stops. */
#include "base/error.h"
#include "solve/newton/equation_solver.h"
#include "solve/newton/newton.h"
#include "solve/vectors.h"

bool vv_newton_spent(const vv_newton *n, int iterations)
{
    bool limit = iterations >= n->options->max_iterations,
         budget = n->options->budget > 0 && iterations >= n->options->budget;
    if (!limit && !budget)
        return false;
    n->stats->end = n->extra ? VV_SOLVE_CONVERGED : budget ? VV_SOLVE_BUDGET : VV_SOLVE_ITERATION_LIMIT;
    n->stats->why = n->extra || budget ? NULL : "iteration limit";
    return true;
}

vvStatus vv_newton_begin(vv_newton *n, vvError *error)
{
    vv_arena *arena = &n->o->system->arena;
    size_t u3 = vv_unknown_space(n->o->system);
    n->gradient = vv_arena_push(arena, u3, sizeof *n->gradient);
    n->rhs = vv_arena_push(arena, u3, sizeof *n->rhs);
    n->step = vv_arena_push(arena, u3, sizeof *n->step);
    n->p = vv_arena_push(arena, vv_node_space(n->o->system), sizeof *n->p);
    n->previous = n->imbalance = INFINITY;
    if (n->o->system->feasible)
        n->o->system->feasible->ops->release(n->o->system->feasible);
    return n->p ? vv_assembly_ready(&n->equations->assembly, error) : vv_fail_memory(error, "Newton's work space");
}

static vvStatus minimise(vv_solver *solver, const vv_objective *o, double *q, const double *target,
                         const vv_solve_options *options, vv_solve_stats *stats, vvError *error)
{
    vv_system *s = o->system;
    size_t mark = vv_arena_mark(&s->arena);
    vv_newton n = {
        .name = "Newton", .equations = vv_equations_of(solver), .o = o, .options = options, .stats = stats, .q = q
    };
    vvStatus status = vv_newton_begin(&n, error);
    n.extra = -1;
    if (status == VV_OK && target)
        status = vv_newton_dirichlet_motion(&n, target, error);
    n.extra = 0;
    double value = 0;
    if (status == VV_OK)
        status = vv_newton_enter(&n, &value, error);
    bool done = s->unknowns == 0;
    if (done)
        stats->end = VV_SOLVE_CONVERGED;
    int first = stats->iterations;
    while (status == VV_OK && !done) {
        status = vv_check_cancelled(options, error);
        if (status == VV_OK && !(done = vv_newton_spent(&n, stats->iterations - first)))
            status = vv_newton_iterate(&n, &value, &done, error);
    }
    if (status == VV_OK)
        vv_newton_press(&n);
    vv_arena_release(&s->arena, mark);
    return status;
}

const vv_solver_ops vv_solver_newton = {
    .info = { "newton", "Newton's method with a filtered line search" },
    .constrains = true,
    .rails = true,
    VV_EQUATION_SOLVER,
    .minimise = minimise,
};

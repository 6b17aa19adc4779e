/* A solver of one's own, explained in docs/own-solver.md and tried by tests/solve/test_own_solver.c: quasi-Newton steps
 * x += t p, (M + h^2 K) p = -grad g, with a constant K in the place of the Hessian. Its factor serves as long as the
 * step's length and the scheme do. K is an upper bound where bodies soften or turn: steps are made longer while that
 * goes well. */
#include "base/error.h"
#include "solve/newton/equation_solver.h"
#include "solve/vectors.h"

typedef struct kept {
    vv_equation_solver base; /* of all energies but contact */
    double made_of[2];       /* factors of energies and dissipations in the matrix as it is, */
    uint64_t made_at;        /* and the renewal of energies that it is of */
    double longer;           /* factor of steps: what the solver has learned, with what its linear solver has */
} kept;

static vvStatus create(const vv_solver_def *def, vv_solver **out, vvError *error)
{
    vvStatus status = vv_equation_solver_create_of(def, sizeof(kept), VV_SELECT_NO_CONTACT, out, error);
    if (status == VV_OK)
        ((kept *)*out)->longer = 1;
    return status;
}

typedef struct solve {
    kept *s;
    const vv_objective *o;
    const vv_solve_options *options;
    vv_solve_stats *stats;
    double *q, *p;                 /* node space */
    double *gradient, *rhs, *step; /* unknown space */
} solve;

/* The matrix, where it is not yet that of the objective. */
static vvStatus prepare(kept *s, const vv_objective *o, vvError *error)
{
    vv_assembly *a = &s->base.equations.assembly;
    double of[2] = { 0, o->d * o->h * o->c * o->c };
    for (int i = 0; i < o->samples; i++)
        of[0] += o->h * o->h * o->sample[i].w * o->sample[i].beta * o->sample[i].beta;
    vvStatus status = vv_assembly_ready(a, error);
    if (status != VV_OK || (memcmp(of, s->made_of, sizeof of) == 0 && a->renewals == s->made_at))
        return status;
    vv_objective_derivatives(o, NULL, VV_HESSIAN_REST, NULL, a);
    memcpy(s->made_of, of, sizeof of);
    s->made_at = a->renewals;
    return VV_OK;
}

/* Prescribed nodes go to their targets in one piece, or not at all. */
static vvStatus carry(const solve *k, const double *target, vvError *error)
{
    const vv_system *system = k->o->system;
    for (size_t i = 0; i < vv_node_space(system); i++)
        k->p[i] = system->unknown[i / 3] < 0 ? target[i] - k->q[i] : 0;
    if (vv_objective_max_step(k->o, k->q, k->p) < 1) {
        k->stats->end = VV_SOLVE_STALLED, k->stats->stuck = true, k->stats->why = "prescribed nodes are blocked";
        return vv_fail(error, VV_ERROR_SOLVER, "kept factor: prescribed nodes are blocked; slow their motion down");
    }
    vv_copy_prescribed(system, target, k->q);
    return VV_OK;
}

static vvStatus iterate(const solve *k, double *value, bool *done, vvError *error)
{
    vv_solve_stats *stats = k->stats;
    vv_system *system = k->o->system;
    size_t u = vv_unknown_space(system);
    vv_linear_stats linear = { 0 };
    vv_objective_derivatives(k->o, k->q, VV_HESSIAN_EXACT, k->gradient, NULL);
    vv_negative(u, k->gradient, k->rhs);
    vvStatus status =
        vv_equations_solve(&k->s->base.equations, k->rhs, k->step, k->options->linear_tolerance, &linear, error);
    if (status != VV_OK)
        return status;
    stats->iterations++, stats->linear_solves++, stats->pcg_iterations += linear.iterations,
        stats->linear = linear.used;
    stats->residual = vv_longest(u, k->step) / k->o->h;
    vv_scale(u, k->s->longer, k->step);
    vv_unpack(system, k->step, k->p);
    vv_line line = { .objective = k->o, .q = k->q, .p = k->p, .p_unknown = k->step, .value0 = *value };
    line.slope0 = vv_sum_dot(system, k->gradient, k->step, (int)u);
    line.max_step = vv_objective_max_step(k->o, k->q, k->p);
    stats->blocked = line.max_step < 1;
    double t = line.slope0 < 0 && line.max_step > 0 ? k->options->line_search->search(&line, value) : 0;
    stats->line_search_steps += line.evaluations;
    k->s->longer = t >= 1 ? fmin(1.1 * k->s->longer, 1.8) : fmax(0.7 * k->s->longer, 1);
    *done = stats->residual < k->options->tolerance || t <= 0;
    if (*done) {
        stats->end = stats->residual < k->options->tolerance ? VV_SOLVE_CONVERGED : VV_SOLVE_STALLED;
        stats->why = stats->end == VV_SOLVE_STALLED ? "no decrease of g along the quasi-Newton direction" : NULL;
    }
    vv_axpy(vv_node_space(system), t, k->p, k->q);
    return VV_OK;
}

static vvStatus minimise(vv_solver *solver, const vv_objective *o, double *q, const double *target,
                         const vv_solve_options *options, vv_solve_stats *stats, vvError *error)
{
    vv_system *system = o->system;
    solve k = { .s = (kept *)solver, .o = o, .options = options, .stats = stats, .q = q };
    size_t mark = vv_arena_mark(&system->arena);
    double **vectors[] = { &k.p, &k.gradient, &k.rhs, &k.step };
    for (int i = 0; i < 4; i++) /* there is room: steps reserve it */
        *vectors[i] = vv_arena_push(&system->arena, vv_node_space(system), sizeof(double));
    bool budget = options->budget > 0 && options->budget < options->max_iterations, done = system->unknowns == 0;
    vvStatus status = prepare(k.s, o, error);
    stats->end = done ? VV_SOLVE_CONVERGED : budget ? VV_SOLVE_BUDGET : VV_SOLVE_ITERATION_LIMIT;
    stats->why = done || budget ? NULL : "iteration limit";
    if (status == VV_OK && target)
        status = carry(&k, target, error);
    double value = status == VV_OK ? vv_objective_value(o, q) : 0;
    if (status == VV_OK && !isfinite(value))
        status = vv_fail(error, VV_ERROR_SOLVER, "kept factor: the start is outside the energies' domain");
    for (int i = 0; i < (budget ? options->budget : options->max_iterations) && status == VV_OK && !done; i++) {
        status = vv_check_cancelled(options, error);
        if (status == VV_OK)
            status = iterate(&k, &value, &done, error);
    }
    vv_arena_release(&system->arena, mark);
    return status;
}

/* ---- what it has learned ---- */

static size_t state_size(const vv_solver_def *def, int nodes)
{
    (void)nodes;
    return sizeof(double) + def->linear->state_size;
}

static void save(const vv_solver *solver, void *state)
{
    memcpy(state, &((const kept *)solver)->longer, sizeof(double));
    vv_equation_solver_save(solver, (double *)state + 1);
}

static void load(vv_solver *solver, const void *state)
{
    memcpy(&((kept *)solver)->longer, state, sizeof(double));
    vv_equation_solver_load(solver, (const double *)state + 1);
}

const vv_solver_ops vv_solver_kept = {
    .info = { "kept-factor", "quasi-Newton steps with one factor for all of them" },
    .create = create,
    .minimise = minimise,
    .destroy = vv_equation_solver_destroy,
    .state_size = state_size,
    .save = save,
    .load = load,
};

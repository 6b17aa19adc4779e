/* A solver of one's own, shown in docs/own-solver.md and tried by tests/test_own_solver.c: quasi-Newton steps
 * x += t p, (M + h^2 K) p = -grad g, with a constant K in the place of the Hessian. Its factor serves as long as the step's length
 * and the scheme do. A solve begins as far from where it is told to as the last one ended from there, if that is better. */
#include "base/error.h"
#include "base/memory.h"
#include "solve/solver.h"
#include "solve/vectors.h"

typedef struct kept {
    vv_solver base;
    vv_system *system;
    vv_equations equations;        /* of all energies but contact */
    double made_of[3];             /* factors of inertia, energies and dissipations in the matrix as it is, */
    uint64_t made_at;              /* and the renewal of energies that it is of */
    double *gradient, *rhs, *step; /* unknown space */
    double *begin, *p, *way;       /* node space; way: from start to end of the last solve */
    int64_t solves;                /* so far: what the solver has learned is this, `way`, and what its linear solver has */
} kept;

static void destroy(vv_solver *solver)
{
    kept *s = (kept *)solver;
    vv_equations_free(&s->equations);
    vv_free(s->gradient); /* all vectors are one block */
    vv_free(s);
}

static vvStatus create(const vv_solver_def *def, vv_solver **out, vvError *error)
{
    size_t n = vv_node_space(def->system), u = vv_unknown_space(def->system);
    kept *s = vv_alloc(1, sizeof *s);
    double *vectors = vv_alloc(3 * n + 3 * u, sizeof *vectors);
    *out = NULL;
    if (!s || !vectors) {
        vv_free(s);
        vv_free(vectors);
        return vv_fail_memory(error, "the kept factor's vectors");
    }
    *s = (kept){ .system = def->system, .gradient = vectors, .rhs = vectors + u, .step = vectors + 2 * u,
                 .begin = vectors + 3 * u, .p = vectors + 3 * u + n, .way = vectors + 3 * u + 2 * n };
    vvStatus status = vv_equations_create(&s->equations, def->system, VV_SELECT_NO_CONTACT, def->linear, error);
    if (status == VV_OK)
        *out = &s->base;
    else
        destroy(&s->base);
    return status;
}

/* The matrix, where it is not yet that of the objective. */
static vvStatus prepare(kept *s, const vv_objective *o, vvError *error)
{
    vv_assembly *a = &s->equations.assembly;
    double of[3] = { o->inertia, 0, o->d * o->h * o->c * o->c };
    for (int i = 0; i < o->samples; i++)
        of[1] += o->h * o->h * o->sample[i].w * o->sample[i].beta * o->sample[i].beta;
    vvStatus status = vv_assembly_ready(a, error);
    if (status != VV_OK || (memcmp(of, s->made_of, sizeof of) == 0 && a->renewals == s->made_at))
        return status;
    vv_objective_derivatives(o, NULL, VV_HESSIAN_REST, NULL, a);
    memcpy(s->made_of, of, sizeof of);
    s->made_at = a->renewals;
    return VV_OK;
}

/* Prescribed nodes go to their targets in one piece, or not at all. */
static vvStatus carry(kept *s, const vv_objective *o, double *q, const double *target, vv_solve_stats *stats, vvError *error)
{
    for (size_t i = 0; i < vv_node_space(s->system); i++)
        s->p[i] = s->system->unknown[i / 3] < 0 ? target[i] - q[i] : 0;
    if (vv_objective_max_step(o, q, s->p) < 1) {
        stats->end = VV_SOLVE_STALLED, stats->stuck = true, stats->why = "prescribed nodes are blocked";
        return vv_fail(error, VV_ERROR_SOLVER, "kept factor: prescribed nodes are blocked; slow their motion down");
    }
    vv_copy_prescribed(s->system, target, q);
    return VV_OK;
}

/* To where the last solve's way leads from here, if that is better. */
static void go_ahead(kept *s, const vv_objective *o, double *q, double *value)
{
    size_t n = vv_node_space(s->system);
    vv_copy(n, q, s->begin);
    vv_scale_free(s->system, 1, s->way, s->p);
    vv_along(n, q, vv_objective_max_step(o, q, s->p), s->p, s->p);
    double there = s->solves > 0 ? vv_objective_value(o, s->p) : INFINITY;
    if (there < *value) {
        vv_copy(n, s->p, q);
        *value = there;
    }
}

static vvStatus iterate(kept *s, const vv_objective *o, double *q, double *value, const vv_solve_options *options,
                        vv_solve_stats *stats, bool *done, vvError *error)
{
    size_t u = vv_unknown_space(s->system);
    vv_linear_stats linear = { 0 };
    vv_objective_derivatives(o, q, VV_HESSIAN_EXACT, s->gradient, NULL);
    vv_negative(u, s->gradient, s->rhs);
    vvStatus status = vv_equations_solve(&s->equations, s->rhs, s->step, options->linear_tolerance, &linear, error);
    if (status != VV_OK)
        return status;
    stats->iterations++, stats->linear_solves++, stats->pcg_iterations += linear.iterations, stats->linear = linear.used;
    stats->residual = vv_longest(u, s->step) / o->h;
    vv_unpack(s->system, s->step, s->p);
    vv_line line = { .objective = o, .q = q, .p = s->p, .p_unknown = s->step, .value0 = *value,
                     .slope0 = vv_sum_dot(s->system, s->gradient, s->step, (int)u), .max_step = vv_objective_max_step(o, q, s->p) };
    stats->blocked = line.max_step < 1;
    double t = line.slope0 < 0 && line.max_step > 0 ? options->line_search->search(&line, value) : 0;
    stats->line_search_steps += line.evaluations;
    *done = stats->residual < options->tolerance || t <= 0;
    if (*done) {
        stats->end = stats->residual < options->tolerance ? VV_SOLVE_CONVERGED : VV_SOLVE_STALLED;
        stats->why = stats->end == VV_SOLVE_STALLED ? "no decrease of g along the quasi-Newton direction" : NULL;
    }
    vv_axpy(vv_node_space(s->system), t, s->p, q);
    return VV_OK;
}

static vvStatus minimise(vv_solver *solver, const vv_objective *o, double *q, const double *target, const vv_solve_options *options,
                         vv_solve_stats *stats, vvError *error)
{
    kept *s = (kept *)solver;
    bool budget = options->budget > 0 && options->budget < options->max_iterations, done = s->system->unknowns == 0;
    vvStatus status = prepare(s, o, error);
    stats->end = done ? VV_SOLVE_CONVERGED : budget ? VV_SOLVE_BUDGET : VV_SOLVE_ITERATION_LIMIT;
    stats->why = done || budget ? NULL : "iteration limit";
    if (status == VV_OK && target)
        status = carry(s, o, q, target, stats, error);
    double value = status == VV_OK ? vv_objective_value(o, q) : 0;
    if (status == VV_OK && !isfinite(value))
        status = vv_fail(error, VV_ERROR_SOLVER, "kept factor: the start is outside the energies' domain");
    if (status == VV_OK)
        go_ahead(s, o, q, &value);
    for (int k = 0; k < (budget ? options->budget : options->max_iterations) && status == VV_OK && !done; k++) {
        status = vv_check_cancelled(options, error);
        if (status == VV_OK)
            status = iterate(s, o, q, &value, options, stats, &done, error);
    }
    vv_difference(vv_node_space(s->system), q, s->begin, s->way);
    s->solves++;
    return status;
}

/* ---- what it has learned: the count, the way, the linear solver's ---- */

static size_t state_size(const vv_solver_def *def, int nodes)
{
    return sizeof(int64_t) + 3 * (size_t)nodes * sizeof(double) + def->linear->state_size;
}

static void save(const vv_solver *solver, void *state)
{
    const kept *s = (const kept *)solver;
    char *at = state;
    memcpy(at, &s->solves, sizeof s->solves);
    memcpy(at += sizeof s->solves, s->way, vv_node_space(s->system) * sizeof(double));
    vv_equations_save(&s->equations, at + vv_node_space(s->system) * sizeof(double));
}

static void load(vv_solver *solver, const void *state)
{
    kept *s = (kept *)solver;
    const char *at = state;
    memcpy(&s->solves, at, sizeof s->solves);
    memcpy(s->way, at += sizeof s->solves, vv_node_space(s->system) * sizeof(double));
    vv_equations_load(&s->equations, at + vv_node_space(s->system) * sizeof(double));
}

const vv_solver_ops vv_solver_kept = {
    .info = { "kept-factor", "quasi-Newton steps with one factor for all of them" },
    .create = create,
    .minimise = minimise,
    .destroy = destroy,
    .state_size = state_size,
    .save = save,
    .load = load,
};

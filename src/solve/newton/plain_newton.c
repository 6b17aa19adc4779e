/* "plain-newton": Newton's method on the equations dg/dq = 0, as it is without any safeguard (theory §6.15): the
 * exact Hessian, definite or not, full steps, no line search. It is the baseline of the optimisation integrator's
 * paper (Gast, Schroeder 2014, §2): quick near a solution, and elsewhere it may wander, diverge, or end at a saddle.
 * Use "newton" or "optimizer" for results.
 *
 * Its linear equations are solved by MINRES, whatever solver.linear says. Contact's barrier and elements that limit
 * steps are refused: full steps would pass through them. A wall of a potential is infinite on its other side, so an
 * end there is seen. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "solve/assembly.h"
#include "solve/linear/minres.h"
#include "solve/solver.h"
#include "solve/vectors.h"

static const double ROUNDING = 1e-12; /* of g's terms */
enum { ROUNDS = 6 };                  /* of MINRES through all unknowns: one would do without rounding */

typedef struct plain {
    vv_solver base;
    vv_system *system;
    vv_assembly assembly;
    vv_minres minres;
} plain;

/* One solve. */
typedef struct plain_solve {
    plain *s;
    const vv_objective *o;
    const vv_solve_options *options;
    vv_solve_stats *stats;
    double *q;                     /* node space, in place */
    double *gradient, *rhs, *step; /* unknown space */
    double norm;                   /* of the gradient */
} plain_solve;

static vvStatus refuse_limits(const vv_system *s, vvError *error)
{
    for (int i = 0; i < s->energies; i++) {
        const vv_energy *e = s->energy[i];
        if (e->ops->max_step && (e->ops->row == VV_ROW_CONTACT || e->ops->row == VV_ROW_ELASTIC))
            return vv_refuse_energy("plain-newton", "a finite value wherever a full step leads",
                                    "take another material", e, error);
    }
    return VV_OK;
}

static vvStatus fail(plain_solve *p, const char *why, vvError *error)
{
    p->stats->end = VV_SOLVE_STALLED;
    p->stats->why = why;
    return vv_fail(error, VV_ERROR_SOLVER, "plain Newton: %s (after %d iterations, step speed %.3g m/s)", why,
                   p->stats->iterations, p->stats->residual);
}

/* Gradient and Hessian at q. */
static vvStatus assemble(plain_solve *p, vvError *error)
{
    vv_system *s = p->s->system;
    double begin = vv_seconds(), clock = vv_contact_clock(p->options);
    vv_objective_derivatives(p->o, p->q, VV_HESSIAN_EXACT, p->gradient, &p->s->assembly);
    vv_negative(vv_unknown_space(s), p->gradient, p->rhs);
    p->norm = sqrt(vv_sum_dot(s, p->gradient, p->gradient, 3 * s->unknowns));
    vv_solve_book(p->options, p->stats, VV_PHASE_ASSEMBLY, begin, clock);
    vvStatus status = vv_bsr_status(&p->s->assembly.matrix, error);
    return status != VV_OK ? status : isfinite(p->norm) ? VV_OK : fail(p, "the gradient is not finite", error);
}

static vvStatus take_step(plain_solve *p, vvError *error)
{
    vv_system *s = p->s->system;
    vv_solve_stats *stats = p->stats;
    vv_linear_stats linear;
    double begin = vv_seconds();
    const int most =
        s->unknowns < VV_LINEAR_ITERATIONS / (3 * ROUNDS) ? 3 * ROUNDS * s->unknowns : VV_LINEAR_ITERATIONS;
    vv_minres_solve(&p->s->minres, &p->s->assembly.matrix, &s->par, p->rhs, p->step, p->options->linear_tolerance, most,
                    &linear);
    stats->seconds[VV_PHASE_LINEAR] += vv_seconds() - begin;
    stats->linear = linear.used;
    stats->linear_solves++;
    stats->pcg_iterations += linear.iterations;
    stats->iterations++;
    stats->residual = vv_longest_step(s, p->step) / p->o->h;
    if (!isfinite(stats->residual))
        return fail(p, "the linear equations have no finite solution", error);
    vv_move_free(s, 1, p->step, p->q);
    return VV_OK;
}

/* Whether few enough forces are left, where that is what ends a solve; not before its first step. */
static bool forces_met(const plain_solve *p, bool first)
{
    const double h = p->o->h;
    return p->norm == 0 || (!first && p->norm < p->options->force_tolerance * h * h);
}

/* Whether the step that was just taken, from where the gradient is known, was the last one. */
static bool short_enough(const plain_solve *p)
{
    const vv_solve_options *options = p->options;
    return options->force_tolerance <= 0 && p->stats->residual < options->tolerance &&
           (options->gradient_tolerance <= 0 || p->norm < options->gradient_tolerance);
}

static bool spent(plain_solve *p, int iterations)
{
    bool limit = iterations >= p->options->max_iterations,
         budget = p->options->budget > 0 && iterations >= p->options->budget;
    if (limit || budget) {
        p->stats->end = budget ? VV_SOLVE_BUDGET : VV_SOLVE_ITERATION_LIMIT;
        p->stats->why = budget ? NULL : "iteration limit";
    }
    return limit || budget;
}

static vvStatus iterate(plain_solve *p, vvError *error)
{
    const int first = p->stats->iterations;
    for (;;) {
        vvStatus status = vv_check_cancelled(p->options, error);
        if (status == VV_OK)
            status = assemble(p, error);
        if (status != VV_OK)
            return status;
        if (forces_met(p, p->stats->iterations == first)) {
            p->stats->end = VV_SOLVE_CONVERGED;
            return VV_OK;
        }
        if (spent(p, p->stats->iterations - first))
            return VV_OK;
        status = take_step(p, error);
        if (status != VV_OK)
            return status;
        if (short_enough(p)) {
            p->stats->end = VV_SOLVE_CONVERGED;
            return VV_OK;
        }
    }
}

static vvStatus minimise(vv_solver *solver, const vv_objective *o, double *q, const double *target,
                         const vv_solve_options *options, vv_solve_stats *stats, vvError *error)
{
    plain *own = (plain *)solver;
    vv_system *s = own->system;
    const size_t mark = vv_arena_mark(&s->arena), u = vv_unknown_space(s);
    plain_solve p = { .s = own, .o = o, .options = options, .stats = stats, .q = q };
    double **vectors[] = { &p.gradient, &p.rhs, &p.step };
    for (int i = 0; i < 3; i++)
        *vectors[i] = vv_arena_push(&s->arena, u, sizeof(double));
    vvStatus status = p.step ? refuse_limits(s, error) : vv_fail_memory(error, "plain Newton's work space");
    if (status == VV_OK)
        status = vv_assembly_ready(&own->assembly, error);
    if (status == VV_OK && target)
        vv_copy_prescribed(s, target, q);
    const double before = status == VV_OK ? vv_objective_value(o, q) : 0;
    if (u == 0)
        stats->end = VV_SOLVE_CONVERGED;
    else if (status == VV_OK)
        status = iterate(&p, error);
    const double after = status == VV_OK ? vv_objective_value(o, q) : 0;
    if (status == VV_OK && !isfinite(after))
        status = fail(&p, "the end is outside the energies' domain", error);
    if (status == VV_OK && !stats->why && !(after <= before + ROUNDING * vv_objective_magnitude(o, q)))
        stats->why = "the solution has a higher objective than the start";
    vv_arena_release(&s->arena, mark);
    return status;
}

static void destroy(vv_solver *solver)
{
    plain *s = (plain *)solver;
    vv_assembly_free(&s->assembly);
    vv_minres_free(&s->minres);
    vv_free(s);
}

static vvStatus create(const vv_solver_def *def, vv_solver **out, vvError *error)
{
    plain *s = vv_alloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return vv_fail_memory(error, "plain Newton's equations");
    s->system = def->system;
    vvStatus status = refuse_limits(def->system, error);
    if (status == VV_OK)
        status = vv_assembly_create(&s->assembly, def->system, VV_SELECT_ALL, error);
    if (status == VV_OK)
        status = vv_minres_create(&s->minres, def->system->unknowns, error);
    if (status == VV_OK)
        *out = &s->base;
    else
        destroy(&s->base);
    return status;
}

const vv_solver_ops vv_solver_plain_newton = {
    .info = { "plain-newton",
              "Newton's method on the equations, with full steps and the exact Hessian: for comparison, may diverge" },
    .rails = true,
    .create = create,
    .minimise = minimise,
    .destroy = destroy,
};

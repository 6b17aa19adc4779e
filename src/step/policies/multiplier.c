/* Energy as a constraint with a Lagrange multiplier (Hughes, Caughey, Liu 1978; theory §3.9): an older method, to be
 * compared with.
 *
 * The step is a stationary point of g(q) + lambda h^2 (H(q) - T), where g is the scheme's objective and H(q) = E(q) +
 * 1/2 |v(q)|^2_M with the scheme's own velocity v(q) = (c q + ...)/h:
 *   grad g + lambda h^2 grad H = 0,  H = T,  grad H = grad E(q) + (c/h) M v(q).
 * That is a saddle point. Newton's steps are bordered, p = -B^-1 (grad g + mu h^2 grad H) / sigma with the new
 * multiplier mu from the linearised constraint: two solves with one matrix B, the Hessian of g, as the Lagrangian's
 * is about sigma = 1 + c^2 lambda times that. A line search on g + nu h^2 |H - T|, nu > |mu|, makes them converge to
 * some point of the energy's surface where g is low near by. Which one that is nobody says: it may be far from the
 * motion. Where they do not converge, the step's report says so. */
#include "base/clock.h"
#include "base/error.h"
#include "base/vec.h"
#include "solve/newton/equation_solver.h"
#include "solve/vectors.h"
#include "step/inside.h"

enum { TOLERANCE };
static const vvParam params[] = {
    { "multiplier_tolerance",
      "\"multiplier\": allowed distance of H from the target, as a fraction of S",
      "",
      1,
      false,
      { 1e-6 },
      1e-14,
      1 },
};

enum { MOST_TARGETS = 12, MOST_HALVINGS = 30 };
/* near 0 the Lagrangian is hardly convex along the surface any more, below it not at all */
static const double LEAST_SIGMA = 1e-3;
static const double FAR = 0.05; /* of a node's change in the step */

typedef struct multiplier {
    vv_policy_call *call;
    vv_stepper *s;
    vv_equations *equations;
    vv_objective o;
    double c;                               /* of v(q) */
    double target, tolerance;               /* J */
    double lambda, weight;                  /* lambda, nu */
    const double *q0, *v0;                  /* the scheme's end */
    double *q, *v, *to, *grad_h, *p;        /* node space */
    double *grad, *border, *x1, *x2, *step; /* unknown space; border: h^2 grad H */
    bool far;                               /* it has left the motion of the scheme */
    vv_solve_stats stats;
} multiplier;

/* v(q), the scheme's own; prescribed nodes keep theirs. */
static void velocity(const multiplier *m, const double *q, double *v)
{
    const double k = m->c / m->s->h;
    for (size_t i = 0; i < vv_node_space(m->s->system); i++)
        v[i] = m->v0[i] + k * (q[i] - m->q0[i]);
}

/* H(q) - T; `v` becomes v(q). */
static double constraint(const multiplier *m, const double *q)
{
    vv_stepper *s = m->s;
    velocity(m, q, m->v);
    double pushed = s->forced ? -s->external->ops->value(s->external, &s->system->par, q, NULL) : 0;
    return vv_system_energy(s->system, q) + pushed + 0.5 * vv_sum_mass_square(s->system, m->v, NULL, false) - m->target;
}

static double merit(multiplier *m, const double *q)
{
    double g = vv_objective_value(&m->o, q);
    m->stats.line_search_steps++;
    return g < INFINITY ? g + m->weight * m->o.h * m->o.h * fabs(constraint(m, q)) : INFINITY;
}

/* h^2 grad H at q, of whose velocities `v` are. The host's forces are not in H. */
static void make_border(multiplier *m)
{
    vv_stepper *s = m->s;
    vv_system *y = s->system;
    size_t n = vv_node_space(y);
    vv_system_gradient(y, m->q, m->grad_h);
    if (s->forced)
        s->external->ops->derivatives(s->external, &y->par, m->q, -1, VV_HESSIAN_EXACT, m->grad_h, NULL);
    for (size_t i = 0; i < n; i++)
        m->grad_h[i] += m->c / s->h * y->mass[i / 3] * m->v[i];
    vv_pack(y, m->grad_h, m->border);
    vv_scale(vv_unknown_space(y), s->h * s->h, m->border);
}

static vvStatus solve_with(multiplier *m, const double *b, double *x, vvError *error)
{
    vv_linear_stats linear = { 0 };
    double begin = vv_seconds(), tolerance = fmin(m->s->options.linear_tolerance, 1e-4);
    vvStatus status = vv_equations_solve(m->equations, b, x, tolerance, &linear, error);
    m->stats.seconds[VV_PHASE_LINEAR] += vv_seconds() - begin;
    m->stats.linear_solves++;
    m->stats.pcg_iterations += linear.iterations;
    return status;
}

/* The bordered step and the new multiplier, at a point off its target by `off`. *slope: of the merit along the step. */
static vvStatus aim(multiplier *m, double off, double *slope, vvError *error)
{
    vv_system *y = m->s->system;
    const int n = (int)vv_unknown_space(y);
    const double h2 = m->o.h * m->o.h, sigma = fmax(1 + m->c * m->c * m->lambda, LEAST_SIGMA);
    make_border(m);
    vv_objective_derivatives(&m->o, m->q, VV_HESSIAN_PROJECTED, m->grad, &m->equations->assembly);
    vvStatus status = solve_with(m, m->grad, m->x1, error);
    if (status == VV_OK)
        status = solve_with(m, m->border, m->x2, error);
    if (status != VV_OK)
        return status;
    double along = vv_sum_dot(y, m->border, m->x2, n), left = sigma * h2 * off - vv_sum_dot(y, m->border, m->x1, n);
    double next = along > 0 ? left / along : NAN; /* grad H = 0: nothing changes H */
    for (int i = 0; i < n; i++)
        m->step[i] = -(m->x1[i] + next * m->x2[i]) / sigma;
    vv_unpack(y, m->step, m->p);
    m->lambda = next;
    m->weight = fmax(m->weight, 2 * fabs(next));
    *slope = vv_sum_dot(y, m->grad, m->step, n) - m->weight * h2 * fabs(off);
    return VV_OK;
}

/* Goes along p as far as the filters allow and the merit falls. False: nowhere. */
static bool advance(multiplier *m, double slope)
{
    vv_system *y = m->s->system;
    double before = merit(m, m->q),
           t = fmin(vv_objective_max_step(&m->o, m->q, m->p), vv_system_max_step(y, m->q, m->p));
    m->stats.blocked = t < 1;
    for (int k = 0; k < MOST_HALVINGS && t > 0; k++, t *= 0.5) {
        vv_along(vv_node_space(y), m->q, t, m->p, m->to);
        if (merit(m, m->to) <= before + 1e-4 * t * slope) {
            vv_copy(vv_node_space(y), m->to, m->q);
            return true;
        }
    }
    return false;
}

static void ended(multiplier *m, vvSolveEnd end, const char *why) { m->stats.end = end, m->stats.why = why; }

/* To a point of the surface H = T, or as near as the steps come. */
static vvStatus solve(multiplier *m, vvError *error)
{
    const vv_solve_options *options = &m->s->options;
    ended(m, VV_SOLVE_ITERATION_LIMIT,
          "multiplier: the constrained equations were not solved within the iteration limit");
    for (int k = 0; k < options->max_iterations; k++) {
        double slope = 0, off = constraint(m, m->q);
        vvStatus status = vv_check_cancelled(options, error);
        if (status == VV_OK)
            status = aim(m, off, &slope, error);
        if (status != VV_OK)
            return status;
        m->stats.iterations++;
        m->stats.residual = vv_longest_step(m->s->system, m->step) / m->s->h;
        bool near = m->stats.residual < options->tolerance && fabs(off) <= m->tolerance;
        if (near) {
            ended(m, VV_SOLVE_CONVERGED, NULL);
            return VV_OK;
        }
        if (!(slope < 0) || !isfinite(m->stats.residual) || !advance(m, slope)) {
            ended(m, VV_SOLVE_STALLED,
                  "multiplier: the constrained equations could not be solved; H is off its target");
            return VV_OK;
        }
    }
    return VV_OK;
}

/* The velocity (m/s) at which the row's dissipation acts at q. */
static void dissipative(const multiplier *m, const double *q, double *u)
{
    for (size_t i = 0; i < vv_node_space(m->s->system); i++)
        u[i] = (m->o.c * q[i] + m->o.u[i]) / m->s->h;
}

/* Whether what was found is farther from the scheme's end, somewhere, than a part of what the step changes of the
 * motion: another motion, whatever its energy. */
static bool far_off(const multiplier *m, const double *q)
{
    const double *y = m->o.y;
    double most = 0, change = 0;
    for (size_t i = 0; i < vv_node_space(m->s->system); i += 3) {
        double off[3], by[3];
        vv_sub(m->q + i, q + i, off);
        vv_sub(q + i, y + i, by);
        most = fmax(most, vv_norm(off)), change = fmax(change, vv_norm(by));
    }
    return most > FAR * change;
}

/* The trial becomes what was found, with the impulses there. */
static void take(multiplier *m, vv_trial *t)
{
    vv_stepper *s = m->s;
    size_t n = vv_node_space(s->system);
    double share = vv_stepper_row(s)->stage[0].impulse;
    if (m->o.d != 0 && m->o.u) {
        dissipative(m, t->q, m->to);
        vv_stepper_add_losses(s, m->to, -share, &t->losses);
        dissipative(m, m->q, m->to);
        vv_stepper_add_losses(s, m->to, share, &t->losses);
    }
    if (s->hooks.bears) {
        vv_force_shares shares;
        vv_scheme_force_shares(vv_stepper_row(s), &shares);
        vv_stepper_bear(s, &m->o, shares.sample[0], m->q, t->borne); /* there in place of at the scheme's end */
        for (int i = 0; i < VV_MOST_SAMPLES; i++)
            shares.sample[0][i] *= -1;
        vv_stepper_bear(s, &m->o, shares.sample[0], t->q, t->borne);
    }
    velocity(m, m->q, m->v);
    m->far = m->far || far_off(m, t->q);
    vv_copy(n, m->q, t->q);
    vv_copy(n, m->v, t->v);
    vv_trial_measure(s, t);
}

static void make_room(multiplier *m, const vv_trial *t)
{
    vv_arena *arena = &m->s->system->arena;
    size_t n = vv_node_space(m->s->system);
    double *q0, *v0, **vectors[] = { &q0,   &v0,      &m->q,      &m->v,  &m->to, &m->grad_h,
                                     &m->p, &m->grad, &m->border, &m->x1, &m->x2, &m->step };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) /* there is room: the row reserves it */
        *vectors[i] = vv_arena_push(arena, n, sizeof(double));
    vv_copy(n, t->q, q0);
    vv_copy(n, t->v, v0);
    vv_copy(n, t->q, m->q);
    m->q0 = q0, m->v0 = v0;
}

static void add_cost(const multiplier *m, vv_trial *t)
{
    vv_solve_stats *all[] = { &t->stats, &m->s->spent };
    for (int i = 0; i < 2; i++) {
        all[i]->iterations += m->stats.iterations;
        all[i]->linear_solves += m->stats.linear_solves;
        all[i]->pcg_iterations += m->stats.pcg_iterations;
        all[i]->line_search_steps += m->stats.line_search_steps;
        all[i]->seconds[VV_PHASE_LINEAR] += m->stats.seconds[VV_PHASE_LINEAR];
    }
    t->stats.residual = m->stats.residual;
    if (m->stats.end != VV_SOLVE_CONVERGED)
        t->stats.end = m->stats.end, t->stats.why = m->stats.why;
}

static vvStatus apply(vv_policy_call *call, vvError *error)
{
    vv_stepper *s = call->stepper;
    vv_trial *t = call->trial;
    multiplier m = { .call = call, .s = s, .equations = vv_equations_of(call->solver), .target = call->target };
    size_t mark = vv_arena_mark(&s->system->arena);
    m.tolerance = call->values[TOLERANCE] * s->state->ledger.scale;
    m.c = vv_stepper_row(s)->stage[0].hv[VV_Q];
    m.stats.end = VV_SOLVE_CONVERGED;
    make_room(&m, t);
    vv_stepper_objective(s, vv_stepper_row(s), &m.o);
    vvStatus status = vv_assembly_ready(&m.equations->assembly, error);
    /* work and losses, and the target with them, depend on where the step ends */
    for (int k = 0; k < MOST_TARGETS && status == VV_OK && fabs(constraint(&m, m.q)) > m.tolerance; k++) {
        m.weight = 0;
        status = solve(&m, error);
        if (status != VV_OK)
            break;
        take(&m, t);
        if (m.stats.end != VV_SOLVE_CONVERGED)
            break;
        m.target = vv_trial_book(s, t).target;
    }
    call->alpha = m.lambda;
    if (status == VV_OK && m.stats.end == VV_SOLVE_CONVERGED && fabs(constraint(&m, m.q)) > m.tolerance)
        call->note = "multiplier: work and losses, and the target with them, still change with the step's end; H is "
                     "off its target";
    else if (m.far && !call->note)
        call->note = "multiplier: to keep H, positions were moved by more than a twentieth of the step's change: "
                     "momenta and motion may differ from the scheme's";
    add_cost(&m, t);
    vv_arena_release(&s->system->arena, mark);
    return status;
}

static vvStatus suits(const vv_scheme *row, vvError *error)
{
    const vv_stage *stage = row->stage;
    const char *why = row->method       ? "that scheme conserves the energy by its own equations"
                      : row->stages > 1 ? "it puts a constraint on one minimisation a step, and that scheme has several"
                      : vv_stage_explicit(stage) ? "it puts a constraint on a minimisation, and that scheme has none"
                                                 : NULL;
    if (!why)
        return VV_OK;
    return vv_fail(error, VV_ERROR_INPUT,
                   "%s; choose \"trapezoidal\", as its paper has it, or another implicit scheme of one stage", why);
}

/* Of all places with the right energy the solve finds some: bodies that met were found beside each other, and behind.
 */
static vvStatus not_in_contact(const vv_scheme *row, vvError *error)
{
    (void)row;
    return vv_fail(error, VV_ERROR_UNSUPPORTED,
                   "it keeps no momenta, and bodies that meet may end up anywhere; choose policy \"project\" or "
                   "\"blend\", or switch contact off (contact.model)");
}

static const vv_solver_ops equations = {
    .info = { "multiplier", "the Hessian of the step's objective" },
    VV_EQUATION_SOLVER,
};

const vv_policy_ops vv_policy_multiplier = {
    .info = { "multiplier", "H = T as a constraint of the solve, with a Lagrange multiplier (Hughes): for comparison" },
    .suits = suits,
    .suits_contact = not_in_contact,
    .makes_good = true,
    .touches = VV_TOUCHES_VELOCITIES | VV_TOUCHES_POSITIONS,
    .aims = true,
    .vectors = 12,
    .params = { sizeof params / sizeof *params, params },
    .solver = &equations,
    .apply = apply,
};

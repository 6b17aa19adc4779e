/* Extended position-based dynamics (Macklin, Mueller, Chentanez 2016) for any objective: sweeps over constraints,
 * Gauss-Seidel (theory §6.12).
 *
 * g(q) = 1/2 |q - y|^2_M + h^2 sum_s w_s E(beta_s q + z_s) + dissipation. What is quadratic and couples nothing
 * (attachments, drag) joins the masses; with what is linear (gravity, the host's forces) it moves y: 1/2 |q -
 * yhat|^2_Mhat. All else is constraints (energy/constraints.h). A solve begins at q = yhat without impulses, wherever
 * it is told to begin.
 *
 * Two rows: "xpbd" remembers one multiplier of each constraint, as published; "xpbd-exact" the impulse itself. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "solve/realtime/budget.h"
#include "solve/vectors.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 10, RECENT = 8 };
static const double ROUNDING = 1e-12; /* of g's terms */
static const char name[] = "xpbd", exact_name[] = "xpbd-exact";

typedef struct xpbd {
    vv_solver base;
    vv_system *system;
    bool exact;
    vv_constraints *constraints[VV_MAX_ENERGIES];                   /* per energy; NULL: it has none and needs none */
    uint64_t energy[VV_MAX_ENERGIES], dissipation[VV_MAX_ENERGIES]; /* serials: what the constraints are of; 0: none */
    double *x, *before, *start;                                     /* nodes x 4; start: yhat */
    double *memory;                                                 /* of all samples */
    size_t room;                                                    /* numbers in it */
    double beta; /* of the last solve's only sample; 0: nothing can go on from that solve */
} xpbd;

static const char *name_of(const xpbd *s) { return s->exact ? exact_name : name; }

/* ---- constraints ---- */

static void forget(xpbd *s)
{
    for (int i = 0; i < VV_MAX_ENERGIES; i++) {
        if (s->constraints[i])
            s->constraints[i]->ops->destroy(s->constraints[i]);
        s->constraints[i] = NULL;
        s->energy[i] = s->dissipation[i] = 0;
    }
    s->beta = 0;
}

static bool is_diagonal(const vv_energy *e) { return e->ops->diagonal && e->ops->diagonal(e, 0, NULL); }

static vvStatus refuse(const xpbd *s, const vv_energy *e, vvError *error)
{
    return vv_refuse_energy(
        name_of(s), "a form as a sum of squares",
        "use energies that have one: materials arap, stvk, corotated, fixed-corotated and stable-neo-hookean (lambda "
        "not "
        "negative), hooke, hooke-rod, rod-stretch, stvk-spring, hinge and stvk-membrane (without strain_limit, poisson "
        "not negative), attachments, the potentials harmonic, spring and quadratic-wall, gravity, and of damping drag",
        e, error);
}

static vvStatus make(xpbd *s, vvError *error)
{
    const vv_system *y = s->system;
    vvStatus status = VV_OK;
    forget(s);
    for (int i = 0; status == VV_OK && i < y->energies; i++) {
        const vv_energy *e = y->energy[i];
        if (is_diagonal(e))
            continue;
        if (e->ops->constraints)
            status = e->ops->constraints(e, s->constraints + i, error);
        if (status == VV_OK && !s->constraints[i])
            status = refuse(s, e, error);
    }
    for (int i = 0; status == VV_OK && i < y->dissipations; i++)
        if (!is_diagonal(y->dissipation[i]))
            status = refuse(s, y->dissipation[i], error);
    if (status != VV_OK) {
        forget(s);
        return status;
    }
    for (int i = 0; i < y->energies; i++)
        s->energy[i] = y->energy[i]->serial;
    for (int i = 0; i < y->dissipations; i++)
        s->dissipation[i] = y->dissipation[i]->serial;
    return VV_OK;
}

static bool holds(const xpbd *s)
{
    const vv_system *y = s->system;
    for (int i = 0; i < VV_MAX_ENERGIES; i++)
        if (s->energy[i] != (i < y->energies ? y->energy[i]->serial : 0) ||
            s->dissipation[i] != (i < y->dissipations ? y->dissipation[i]->serial : 0))
            return false;
    return true;
}

static size_t room_of_sample(const xpbd *s)
{
    size_t room = 0;
    for (int i = 0; i < VV_MAX_ENERGIES; i++)
        room += s->constraints[i] ? s->constraints[i]->ops->room(s->constraints[i], s->exact) : 0;
    return room;
}

/* Memory for that many samples, all 0; it only grows. */
static vvStatus clear_memory(xpbd *s, int samples, vvError *error)
{
    size_t wanted = room_of_sample(s) * (size_t)samples;
    if (wanted > s->room || !s->memory) {
        vv_free(s->memory);
        s->room = 0;
        s->memory = vv_alloc(wanted, sizeof *s->memory);
        if (!s->memory)
            return vv_fail_memory(error, "the constraints' impulses");
        s->room = wanted;
    }
    if (wanted > 0)
        vv_zero(wanted, s->memory);
    return VV_OK;
}

static void destroy(vv_solver *solver)
{
    xpbd *s = (xpbd *)solver;
    forget(s);
    vv_free(s->x);
    vv_free(s->before);
    vv_free(s->start);
    vv_free(s->memory);
    vv_free(s);
}

static vvStatus create(const vv_solver_def *def, bool exact, vv_solver **out, vvError *error)
{
    xpbd *s = vv_alloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return vv_fail_memory(error, "a solver");
    s->system = def->system;
    s->exact = exact;
    s->x = vv_alloc(4 * (size_t)def->system->nodes, sizeof *s->x);
    s->before = vv_alloc(4 * (size_t)def->system->nodes, sizeof *s->before);
    s->start = vv_alloc(4 * (size_t)def->system->nodes, sizeof *s->start);
    vvStatus status = s->x && s->before && s->start ? make(s, error) : vv_fail_memory(error, "a solver");
    if (status == VV_OK)
        status = clear_memory(s, 1, error);
    if (status == VV_OK)
        *out = &s->base;
    else
        destroy(&s->base);
    return status;
}

static vvStatus create_scalar(const vv_solver_def *def, vv_solver **out, vvError *error)
{
    return create(def, false, out, error);
}
static vvStatus create_exact(const vv_solver_def *def, vv_solver **out, vvError *error)
{
    return create(def, true, out, error);
}

/* ---- a solve ---- */

/* x = a q + b, node space; b may be NULL. */
static void affine(size_t n, double a, const double *q, const double *b, double *x)
{
    for (size_t i = 0; i < n; i++)
        x[i] = a * q[i] + (b ? b[i] : 0);
}

/* mass: those of Mhat; gradient: of what is linear or joins the masses, at y. `at` is scratch; all node space but
 * mass. */
static void gather_diagonal(const vv_objective *o, double *mass, double *gradient, double *at)
{
    vv_system *s = o->system;
    const size_t n = vv_node_space(s);
    memcpy(mass, s->mass, (size_t)s->nodes * sizeof *mass);
    vv_zero(n, gradient);
    for (int k = 0; k < o->samples; k++) {
        const double beta = o->sample[k].beta, scale = o->h * o->h * o->sample[k].w;
        affine(n, beta, o->y, o->sample[k].z, at);
        for (int i = 0; i < s->energies; i++)
            if (is_diagonal(s->energy[i])) {
                s->energy[i]->ops->diagonal(s->energy[i], scale * beta * beta, mass);
                s->energy[i]->ops->derivatives(s->energy[i], &s->par, at, scale * beta, VV_HESSIAN_EXACT, gradient,
                                               NULL);
            }
    }
    if (o->d == 0 || s->dissipations == 0)
        return;
    affine(n, o->c, o->y, o->u, at);
    vv_divide(n, o->h, at);
    for (int i = 0; i < s->dissipations; i++) {
        const double scale = o->d * o->h * o->c;
        s->dissipation[i]->ops->diagonal(s->dissipation[i], scale * o->c, mass);
        s->dissipation[i]->ops->derivatives(s->dissipation[i], &s->par, at, scale * o->h, VV_HESSIAN_EXACT, gradient,
                                            NULL);
    }
}

/* Free nodes of `start` to yhat = y - Mhat^-1 gradient, prescribed ones as in q. */
static vvStatus place(xpbd *s, const vv_budget *b, vvError *error)
{
    const vv_objective *o = b->o;
    vv_system *y = o->system;
    size_t mark = vv_arena_mark(&y->arena), n = vv_node_space(y);
    double *mass = vv_arena_push(&y->arena, (size_t)y->nodes, sizeof *mass),
           *gradient = vv_arena_push(&y->arena, n, sizeof *gradient);
    double *at = vv_arena_push(&y->arena, n, sizeof *at);
    vvStatus status = mass && gradient && at ? VV_OK : vv_fail_memory(error, "a solver's work space");
    if (status == VV_OK) {
        gather_diagonal(o, mass, gradient, at);
        for (size_t i = 0; i < (size_t)y->nodes; i++) {
            const bool free = y->unknown[i] >= 0;
            double *x = s->start + 4 * i;
            x[3] = free ? 1 / mass[i] : 0;
            for (size_t k = 0; k < 3; k++)
                x[k] = free ? o->y[3 * i + k] - gradient[3 * i + k] * x[3] : b->q[3 * i + k];
        }
    }
    vv_arena_release(&y->arena, mark);
    return status;
}

/* x = start + Mhat^-1 sum p with the impulses of the last solve, which ended at x: as y and Mhat are (nearly) the
 * same, x hardly moves. */
static void go_on(xpbd *s, const vv_objective *o, double *before)
{
    for (size_t i = 0; i < (size_t)s->system->nodes; i++) {
        double *x = s->x + 4 * i;
        const double *y = s->start + 4 * i, *y0 = before + 4 * i;
        for (size_t k = 0; k < 3; k++)
            x[k] = y0[3] > 0 ? y[k] + y[3] / y0[3] * (x[k] - y0[k]) : y[k];
        x[3] = y[3];
    }
    double *memory = s->memory; /* multipliers, of p = beta lambda n, or impulses */
    for (int e = 0; !s->exact && e < VV_MAX_ENERGIES; e++) {
        const size_t room = s->constraints[e] ? s->constraints[e]->ops->room(s->constraints[e], false) : 0;
        for (size_t i = 0; i < room && !s->constraints[e]->ops->impulses; i++)
            memory[i] *= s->beta / o->sample[0].beta;
        memory += room;
    }
}

static void sweep(const xpbd *s, const vv_objective *o)
{
    double *memory = s->memory;
    for (int i = 0; i < VV_MAX_ENERGIES; i++)
        for (int k = 0; s->constraints[i] && k < o->samples; k++) {
            const vv_constraints_ops *ops = s->constraints[i]->ops;
            ops->sweep(s->constraints[i], &(vv_sweep){ &s->system->par, s->x, o->sample[k].z, o->sample[k].beta,
                                                       o->h * o->h * o->sample[k].w, s->exact, memory });
            memory += ops->room(s->constraints[i], s->exact);
        }
}

/* Sweeps converge slowly: a change per sweep by c that shrinks by a factor rho in each leaves a distance of c rho / (1
 * - rho) to go. rho is that of the last RECENT sweeps. */
static bool near_end(const xpbd *s, double recent[RECENT], vv_budget *b)
{
    const int i = b->stats->iterations % RECENT;
    const double change = vv_longest(vv_unknown_space(b->o->system), b->step), old = recent[i];
    const double rho = old > 0 ? pow(change / old, 1.0 / RECENT) : 1;
    recent[i] = change;
    b->stats->residual = change / b->o->h;
    if ((change > 0 && !(rho < 1 && change / (1 - rho) < b->options->tolerance * b->o->h)) || !vv_budget_short(b))
        return false;
    if (!s->exact && change > 0)
        b->stats->end = VV_SOLVE_BUDGET; /* the sweeps have converged, but not to the minimum */
    return true;
}

static vvStatus iterate(xpbd *s, vv_budget *b, double recent[RECENT], bool *done, vvError *error)
{
    const vv_system *y = s->system;
    double begin = vv_seconds(), clock = vv_contact_clock(b->options);
    memcpy(s->before, s->x, 4 * (size_t)y->nodes * sizeof *s->x);
    sweep(s, b->o);
    for (size_t u = 0; u < (size_t)y->unknowns; u++)
        for (size_t k = 0; k < 3; k++)
            b->step[3 * u + k] = s->x[4 * (size_t)y->node[u] + k] - s->before[4 * (size_t)y->node[u] + k];
    *done = near_end(s, recent, b);
    vv_solve_book(b->options, b->stats, VV_PHASE_ASSEMBLY, begin, clock);
    if (!isfinite(b->stats->residual))
        return vv_fail(error, VV_ERROR_SOLVER,
                       "solver \"%s\": the positions are not finite; the forces are too large for it", b->solver);
    return VV_OK;
}

/* At yhat without impulses, or where the last solve ended, with its. */
static vvStatus begin(xpbd *s, const vv_budget *b, vvError *error)
{
    const vv_objective *o = b->o;
    const size_t n = 4 * (size_t)s->system->nodes;
    const bool on = b->options->goes_on && s->beta != 0 && o->samples == 1 && o->sample[0].beta != 0;
    if (on)
        memcpy(s->before, s->start, n * sizeof *s->x);
    vvStatus status = on ? VV_OK : clear_memory(s, o->samples, error);
    if (status == VV_OK)
        status = place(s, b, error);
    if (status == VV_OK && on)
        go_on(s, o, s->before);
    else if (status == VV_OK)
        memcpy(s->x, s->start, n * sizeof *s->x);
    s->beta = status == VV_OK && o->samples == 1 ? o->sample[0].beta : 0;
    return status;
}

static void take(const xpbd *s, double *q)
{
    for (size_t u = 0; u < (size_t)s->system->unknowns; u++)
        memcpy(q + 3 * (size_t)s->system->node[u], s->x + 4 * (size_t)s->system->node[u], 3 * sizeof *q);
}

/* Too few sweeps leave a stiff body softer than it is, and the objective may be higher than where the solve was told
 * to begin. */
static void judge(vv_budget *b, double first)
{
    const double last = vv_objective_value(b->o, b->q);
    if (last <= first || last <= first + ROUNDING * vv_objective_magnitude(b->o, b->q))
        return;
    b->stats->why =
        "the objective is higher than at the start of the solve: too few sweeps for the stiffness of the bodies";
    if (b->stats->end == VV_SOLVE_CONVERGED)
        b->stats->end = VV_SOLVE_STALLED;
}

static vvStatus minimise(vv_solver *solver, const vv_objective *o, double *q, const double *target,
                         const vv_solve_options *options, vv_solve_stats *stats, vvError *error)
{
    xpbd *s = (xpbd *)solver;
    vv_budget b = { .solver = name_of(s), .o = o, .options = options, .stats = stats };
    bool done = false;
    double first = 0, recent[RECENT] = { 0 };
    vvStatus status = vv_budget_begin(&b, q, target, error);
    const bool some = status == VV_OK && b.left > 0;
    if (some && !holds(s))
        status = make(s, error);
    if (some && status == VV_OK)
        status = begin(s, &b, error);
    if (some && status == VV_OK)
        first = vv_objective_value(o, q);
    while (!done && vv_budget_next(&b, &status, error))
        status = iterate(s, &b, recent, &done, error);
    if (some && status == VV_OK) {
        take(s, q);
        judge(&b, first);
    }
    vv_budget_end(&b);
    return status;
}

const vv_solver_ops vv_solver_xpbd = {
    .info = { name, "extended position-based dynamics, as published: sweeps over constraints; springs, most tets; ends "
                    "near the minimum" },
    .budget = ITERATIONS,
    .from_begin = true,
    .own_start = true,
    .nearby = true,
    .create = create_scalar,
    .minimise = minimise,
    .destroy = destroy,
};

const vv_solver_ops vv_solver_xpbd_exact = {
    .info = { exact_name,
              "xpbd that stores each constraint's impulse, not its multiplier, and so converges to the minimum" },
    .budget = ITERATIONS,
    .from_begin = true,
    .own_start = true,
    .create = create_exact,
    .minimise = minimise,
    .destroy = destroy,
};

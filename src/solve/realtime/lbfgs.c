/* Quasi-Newton steps from the constant matrix of projective dynamics (Liu, Bouaziz, Kavan 2017, Algorithm 1; theory
 * §6.10): L-BFGS whose first guess of the inverse Hessian is A^-1, so that any material converges, and those of
 * projective dynamics faster.
 *
 * With s_i = x_{i+1} - x_i, y_i = g_{i+1} - g_i of the last iterations of this solve, the direction is -H g by the
 * two loops of Nocedal 1980. A pair without curvature, s.y <= 0, is left out. Steps go as far as the energies'
 * filters allow and g falls (Armijo).
 *
 * The barrier between surfaces is stiffer than any constant, and its stiffness is known: the first guess is (A +
 * C)^-1, C its projected Hessian where the iteration begins, by conjugate gradients (solve/constant/update.h); and what
 * is learned is the rest of the Hessian: with y_i' the change of the gradient without contact, y_i = y_i' + C s_i with
 * the C of now. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "solve/realtime/budget.h"
#include "solve/constant/constant.h"
#include "solve/vectors.h"

#include <math.h>

enum { ITERATIONS = 10, PAIRS = 5, MOST_HALVINGS = 60, MOST_RELAXING = 12, MOST_EVALUATIONS = 4 };
static const double ARMIJO = 1e-4, ROUNDING = 1e-14; /* of g's terms */
static const double CAREFUL = 0.6;
static const double THROWN = 20; /* times the displacement of what pushes: no pushed node goes farther */
/* of conjugate gradients: as a moving obstacle pulls by far more than what is left to be found */
static const double CLOSE = 1e-3;
static const char name[] = "lbfgs";

typedef struct lbfgs {
    vv_solver base;
    vv_constant constant;
    int unknowns;
    double *s[PAIRS], *y[PAIRS]; /* unknown space; the newest pair is the one before `next` */
    bool touches;                /* contact may become as stiff as it likes: then it is in the metric, and */
    double *rest[PAIRS];         /* y without it, */
    double *push, *push_before;  /* its gradient, and that before the step */
    double inverse[PAIRS];       /* 1 / s.y */
    double *before;              /* the gradient before the step, */
    double *begin;               /* and where it began, node space: q + t p - t p is not q where p is long */
} lbfgs;

typedef struct solve {
    vv_budget b;
    lbfgs *l;
    int count, next;     /* pairs in use; where the next one goes */
    double value, taken; /* taken: of the last step */
} solve;

static void destroy(vv_solver *solver)
{
    lbfgs *l = (lbfgs *)solver;
    vv_constant_free(&l->constant);
    for (int i = 0; i < PAIRS; i++) {
        vv_free(l->s[i]);
        vv_free(l->y[i]);
    }
    for (int i = 0; i < PAIRS; i++)
        vv_free(l->rest[i]);
    void *vectors[] = { l->push, l->push_before, l->before, l->begin };
    for (int i = 0; i < 4; i++)
        vv_free(vectors[i]);
    vv_free(l);
}

/* Whether contact may come into play that may be stiffer than any bound. */
static bool may_touch(const vv_system *s)
{
    bool touches = false;
    for (int i = 0; i < s->energies; i++) {
        const vv_energy_ops *ops = s->energy[i]->ops;
        touches = touches ||
                  (ops->row == VV_ROW_CONTACT && !(ops->bound_diagonal && ops->bound_diagonal(s->energy[i], 0, NULL)));
    }
    return touches;
}

static bool make_room_for_contact(lbfgs *l, size_t u)
{
    l->push = vv_alloc(u, sizeof *l->push);
    l->push_before = vv_alloc(u, sizeof *l->push_before);
    bool room = l->push && l->push_before;
    for (int i = 0; i < PAIRS; i++) {
        l->rest[i] = vv_alloc(u, sizeof *l->rest[i]);
        room = room && l->rest[i];
    }
    return room;
}

static vvStatus create(const vv_solver_def *def, vv_solver **out, vvError *error)
{
    lbfgs *l = vv_alloc(1, sizeof *l);
    *out = NULL;
    if (!l)
        return vv_fail_memory(error, "a solver");
    const size_t u = vv_unknown_space(def->system);
    l->before = vv_alloc(u, sizeof(double));
    l->begin = vv_alloc(vv_node_space(def->system), sizeof(double));
    bool room = l->before && l->begin;
    for (int i = 0; i < PAIRS; i++) {
        l->s[i] = vv_alloc(u, sizeof(double));
        l->y[i] = vv_alloc(u, sizeof(double));
        room = room && l->s[i] && l->y[i];
    }
    l->touches = may_touch(def->system);
    room = room && (!l->touches || make_room_for_contact(l, u));
    vvStatus status = room ? vv_constant_create(&l->constant, def->system, VV_QUADRATIC_REST, name, error)
                           : vv_fail_memory(error, "a solver's history");
    if (status == VV_OK)
        *out = &l->base;
    else
        destroy(&l->base);
    return status;
}

/* step = -H gradient; returns the slope, step.gradient. Each vector that is taken off or added shares its pass with
 * the next sum. */
static double aim(solve *k)
{
    lbfgs *l = k->l;
    const vv_system *s = k->b.o->system;
    const int u = (int)vv_unknown_space(s), oldest = (k->next + PAIRS - k->count) % PAIRS,
              newest = (k->next + PAIRS - 1) % PAIRS;
    double a[PAIRS], *r = k->b.step;
    vv_negative((size_t)u, k->b.gradient, r);
    double dot = k->count > 0 ? vv_sum_dot(s, l->s[newest], r, u) : 0;
    for (int i = 1; i <= k->count; i++) {
        const int j = (k->next + PAIRS - i) % PAIRS, older = (j + PAIRS - 1) % PAIRS;
        a[j] = l->inverse[j] * dot;
        dot = vv_sum_axpy_dot(s, -a[j], l->y[j], r, i < k->count ? l->s[older] : NULL, u);
    }
    vv_constant_solve(&l->constant, r, r, k->b.stats);
    dot = vv_sum_dot(s, k->count > 0 ? l->y[oldest] : k->b.gradient, r, u);
    for (int i = k->count; i >= 1; i--) {
        const int j = (k->next + PAIRS - i) % PAIRS, newer = (j + 1) % PAIRS;
        dot = vv_sum_axpy_dot(s, a[j] - l->inverse[j] * dot, l->s[j], r, i > 1 ? l->y[newer] : k->b.gradient, u);
    }
    return dot;
}

/* Contact at q comes into the metric, and into the pairs: as it would have changed the gradient if it had been as
 * stiff as now all along. */
static vvStatus touch(solve *k, vvError *error)
{
    lbfgs *l = k->l;
    const vv_system *s = k->b.o->system;
    const size_t u = vv_unknown_space(s);
    vvStatus status = l->touches ? vv_constant_touch(&l->constant, k->b.o, k->b.q, l->push, error) : VV_OK;
    for (int i = 1; l->touches && status == VV_OK && i <= k->count; i++) {
        const int j = (k->next + PAIRS - i) % PAIRS;
        vv_constant_contact(&l->constant, l->s[j], l->y[j]);
        vv_axpy(u, 1, l->rest[j], l->y[j]);
        const double sy = vv_sum_dot(s, l->s[j], l->y[j], (int)u);
        l->inverse[j] = sy > 0 ? 1 / sy : 0;
    }
    return status;
}

/* The pair of a step by t and of the gradient that it has changed. */
static vvStatus learn(solve *k, double t, vvError *error)
{
    lbfgs *l = k->l;
    const vv_system *s = k->b.o->system;
    const size_t u = vv_unknown_space(s);
    double *sv = l->s[k->next], *yv = l->y[k->next];
    vv_scaled(u, t, k->b.step, sv);
    vv_difference(u, k->b.gradient, l->before, yv);
    if (l->touches) {
        vv_copy(u, l->push, l->push_before);
        k->count = k->count < PAIRS ? k->count : PAIRS - 1; /* the oldest has given its place */
        vvStatus status = touch(k, error);
        if (status != VV_OK)
            return status;
        double *rest = l->rest[k->next];
        for (size_t i = 0; i < u; i++)
            rest[i] = yv[i] - (l->push[i] - l->push_before[i]);
        vv_constant_contact(&l->constant, sv, yv);
        vv_axpy(u, 1, rest, yv);
    }
    double sy = vv_sum_dot(s, sv, yv, (int)u), yy = vv_sum_dot(s, yv, yv, (int)u), ss = vv_sum_dot(s, sv, sv, (int)u);
    if (!(sy > 1e-12 * sqrt(yy * ss))) /* no curvature */
        return VV_OK;
    l->inverse[k->next] = 1 / sy;
    k->next = (k->next + 1) % PAIRS;
    k->count += k->count < PAIRS;
    return VV_OK;
}

/* Shortens the step, body by body, where something is in the way of a part `most` of it, if g then promises to fall
 * as far at least; returns how far that may go. */
static double go_apart(solve *k, double most, double *slope)
{
    vv_budget *b = &k->b;
    const vv_system *s = b->o->system;
    double *way = k->l->begin, *step = k->l->before;
    vv_copy(vv_node_space(s), b->p, way);
    vv_objective_shorten(b->o, b->q, k->l->constant.group, way, CAREFUL);
    for (size_t i = 0; i < vv_unknown_space(s); i++)
        step[i] = way[3 * (size_t)s->node[i / 3] + i % 3];
    const double apart = vv_sum_dot(s, b->gradient, step, (int)vv_unknown_space(s));
    if (!(apart < most * *slope))
        return CAREFUL * most;
    vv_copy(vv_node_space(s), way, b->p);
    vv_copy(vv_unknown_space(s), step, b->step);
    *slope = apart;
    return 1;
}

/* Of a budget: so many evaluations an iteration, all in all; a search that takes more leaves fewer iterations. */
static bool spent(const vv_budget *b)
{
    return b->options->budget > 0 && b->stats->line_search_steps - b->searched >= MOST_EVALUATIONS * b->options->budget;
}

/* Goes along the step as far as g falls, and returns how far; 0: nowhere. The gradient becomes that of the end;
 * `before` has the old one. */
static double go(solve *k, double slope)
{
    vv_budget *b = &k->b;
    vv_system *s = b->o->system;
    if (k->l->touches && vv_budget_cap(b, k->l->constant.size))
        slope = vv_sum_dot(s, b->gradient, b->step, (int)vv_unknown_space(s));
    if (!(slope < 0))
        return 0;
    vv_unpack(s, b->step, b->p);
    double t = vv_objective_max_step(b->o, b->q, b->p);
    b->stats->blocked = t < 1;
    if (t < 1 && k->l->touches)
        t = go_apart(k, t, &slope);
    double slack = -1; /* g's rounding: asked for where g does not fall */
    vv_copy(vv_unknown_space(s), b->gradient, k->l->before);
    vv_copy(vv_node_space(s), b->q, k->l->begin);
    for (int i = 0; i <= MOST_HALVINGS && t > 0 && !spent(b); i++, t *= 0.5) {
        vv_along(vv_node_space(s), k->l->begin, t, b->p, b->q);
        double value = vv_objective_value_gradient(b->o, b->q, b->gradient);
        b->stats->line_search_steps++;
        const double most_value = k->value + ARMIJO * t * slope;
        if (!(value <= most_value) && slack < 0)
            slack = ROUNDING * vv_objective_noise(b->o, k->l->begin);
        if (value <= most_value + fmax(slack, 0)) {
            k->value = value;
            return t;
        }
    }
    vv_copy(vv_node_space(s), k->l->begin, b->q);
    vv_copy(vv_unknown_space(s), k->l->before, b->gradient);
    return 0;
}

static vvStatus out_of_domain(vvError *error)
{
    return vv_fail(error, VV_ERROR_SOLVER, "solver \"%s\": the start is outside the energies' domain", name);
}

static vvStatus not_finite(vvError *error)
{
    return vv_fail(error, VV_ERROR_SOLVER, "solver \"%s\": the forces are not finite", name);
}

static vvStatus iterate(solve *k, bool *done, vvError *error)
{
    vv_budget *b = &k->b;
    double begin = vv_seconds(), clock = vv_contact_clock(b->options);
    double slope = aim(k);
    if (!(slope < 0) && k->count > 0) { /* what was learned misleads */
        k->count = 0;
        slope = aim(k);
    }
    const bool small = vv_budget_short(b);
    vv_solve_book(b->options, b->stats, VV_PHASE_LINEAR, begin, clock);
    if (!isfinite(b->stats->residual))
        return not_finite(error);
    begin = vv_seconds(), clock = vv_contact_clock(b->options);
    const double t = k->taken = slope < 0 ? go(k, slope) : 0;
    vv_solve_book(b->options, b->stats, VV_PHASE_ASSEMBLY, begin, clock);
    *done = small || t <= 0;
    if (!small && t <= 0 && !spent(b)) {
        b->stats->end = VV_SOLVE_STALLED;
        b->stats->why = "no decrease of g along the quasi-Newton direction";
    }
    if (*done)
        return VV_OK;
    begin = vv_seconds(), clock = vv_contact_clock(b->options);
    vvStatus status = b->left > 0 ? learn(k, t, error) : VV_OK;
    vv_solve_book(b->options, b->stats, VV_PHASE_LINEAR, begin, clock);
    return status;
}

/* The objective, its gradient and contact at q. */
static vvStatus look(solve *k, vvError *error)
{
    k->value = vv_objective_value_gradient(k->b.o, k->b.q, k->b.gradient);
    return isfinite(k->value) ? touch(k, error) : out_of_domain(error);
}

/* Where prescribed nodes have come to: the free ones give way in an iteration. */
static vvStatus give_way(void *user, vvError *error)
{
    solve *k = user;
    bool done = false;
    const vv_solve_stats before = *k->b.stats;
    vvStatus status = look(k, error);
    const int most = k->l->touches ? MOST_RELAXING : 1;
    for (int i = 0; i < most && status == VV_OK && !done && (i == 0 || k->taken < 1); i++) {
        k->b.stats->iterations += i > 0;
        status = iterate(k, &done, error);
    }
    k->b.stats->end = before.end, k->b.stats->why = before.why; /* said of the end of the solve only */
    return status;
}

/* The step of the free nodes while prescribed ones go along b->p: their pull on the free ones is a difference of
 * gradients along a part of the path short enough to be free. */
static vvStatus lead(void *user, double far, vvError *error)
{
    solve *k = user;
    vv_budget *b = &k->b;
    const vv_system *s = b->o->system;
    double *ahead = k->l->begin, *there = k->l->before;
    const double part = 1e-4 * far;
    vvStatus status = look(k, error);
    if (status != VV_OK)
        return status;
    vv_along(vv_node_space(s), b->q, part, b->p, ahead);
    if (!isfinite(vv_objective_value_gradient(b->o, ahead, there)))
        return out_of_domain(error);
    for (size_t i = 0; i < vv_unknown_space(s); i++)
        b->gradient[i] += (there[i] - b->gradient[i]) / part;
    k->l->constant.tolerance = CLOSE, k->l->constant.most = VV_UPDATE_ITERATIONS_WITH;
    const int count = k->count;
    k->count = 0; /* what was learned is of other motions */
    aim(k);
    k->count = count;
    const double pushing = vv_longest(vv_node_space(s), b->p), pushed = vv_longest(vv_unknown_space(s), b->step);
    if (!isfinite(pushed))
        return not_finite(error);
    const double scale = fmin(1, THROWN * pushing / pushed);
    for (size_t u = 0; u < (size_t)s->unknowns; u++)
        for (size_t c = 0; c < 3; c++)
            b->p[3 * (size_t)s->node[u] + c] += scale * b->step[3 * u + c];
    return VV_OK;
}

static vvStatus minimise(vv_solver *solver, const vv_objective *o, double *q, const double *target,
                         const vv_solve_options *options, vv_solve_stats *stats, vvError *error)
{
    solve k = { .l = (lbfgs *)solver, .b = { .solver = name, .o = o, .options = options, .stats = stats } };
    bool done = false;
    vvStatus status = vv_budget_begin(&k.b, q, o->system->unknowns > 0 ? NULL : target, error);
    if (status == VV_OK && k.b.left > 0)
        status = vv_constant_set(&k.l->constant, o, options, stats, error);
    k.b.group = k.l->constant.group;
    if (status == VV_OK && k.b.left > 0 && target) {
        status = vv_budget_carry(&k.b, target, &(vv_budget_carrier){ give_way, k.l->touches ? lead : NULL, &k }, error);
        k.b.before = 0;
    }
    if (status == VV_OK && k.b.left > 0)
        status = look(&k, error);
    while (!done && vv_budget_next(&k.b, &status, error))
        status = iterate(&k, &done, error);
    vv_budget_end(&k.b);
    return status;
}

const vv_solver_ops vv_solver_lbfgs = {
    .info = { name, "quasi-Newton steps from projective dynamics' constant factor; every material" },
    .budget = ITERATIONS,
    .quick_start = true,
    .create = create,
    .minimise = minimise,
    .destroy = destroy,
};

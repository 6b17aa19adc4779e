/* Vertex block descent (Chen, Liu, Yang, Yuksel 2024; theory §6.13): coloured Gauss-Seidel over nodes. A sweep visits
 * all nodes, colour after colour; each goes to the minimum of a quadratic model of g in its own position, dx_i =
 * -H_i^-1 g_i, with what its neighbours have become by then. No matrix, no factor: an energy offers its derivatives
 * by node (energy/nodes.h).
 *
 * From the second sweep on nodes go omega times as far (successive overrelaxation), which on a quadratic function
 * never raises it for omega < 2. With A its Hessian and D the blocks of nodes, 1 - rho^2 = lambda for the spectral
 * radius rho of sweeps of Jacobi would give the best omega = 2 / (1 + sqrt(1 - rho^2)); the lowest eigenvalue of D^-1
 * A, that of moving as a whole, is estimated as lambda = sum m_i / sum (m_i + tr H_i / 3), which the first sweep sums
 * up. As it takes some 1 / (2 - omega) sweeps until a large omega pays, those left bound it. Nothing is learned from
 * step to step.
 *
 * An affine body's four nodes move together, after all others (descent_clumps.c).
 *
 * A node's step may still raise g where the model is poor. A sweep that ends with a larger g than it began with is
 * taken back and done again with care, as are all further ones of the solve: a node then goes only as far as the part
 * of g that depends on it falls.
 *
 * Contact with obstacles ends the moves of single nodes. Contact between surfaces is replaced by a model where a
 * sweep begins (contact/pairs/node_model.h), and the sweep's path is filtered where it ends, and halved while g has
 * risen. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/simd/variant.h"
#include "solve/realtime/block_descent.h"
#include "solve/vectors.h"

#include <math.h>

enum { ITERATIONS = 10, MOST_SHORTER = 4, MOST_SHORTER_WITH_CARE = 30 };
static const char name[] = "block-descent";

/* ---- what energies offer ---- */

static vvStatus ask_all(const vv_block_descent *s, vv_energy *const *list, int count, vv_descent_offer *offers,
                        vvError *error)
{
    for (int i = 0; i < count; i++)
        if (!list[i]->ops->nodes)
            return vv_refuse_energy(name, "derivatives by single nodes", "offer them (vv_energy_ops.nodes)", list[i],
                                    error);
    for (int i = 0; i < VV_MAX_ENERGIES; i++) {
        if (i < count && offers[i].serial == list[i]->serial)
            continue;
        vv_free(offers[i].data);
        offers[i] = (vv_descent_offer){ 0 };
        if (i >= count)
            continue;
        vvStatus status = list[i]->ops->nodes->prepare
                              ? list[i]->ops->nodes->prepare(list[i], &s->colours.order, &offers[i].data, error)
                              : VV_OK;
        if (status != VV_OK)
            return status;
        offers[i].serial = list[i]->serial;
    }
    return VV_OK;
}

/* Takes in what is new among the energies. */
static vvStatus ask(vv_block_descent *s, vvError *error)
{
    vvStatus status = ask_all(s, s->system->energy, s->system->energies, s->energy, error);
    if (status == VV_OK)
        status = ask_all(s, s->system->dissipation, s->system->dissipations, s->dissipation, error);
    s->limited = s->filtered = s->gathers = false;
    for (int i = 0; status == VV_OK && i < s->system->energies; i++) {
        const vv_energy_ops *ops = s->system->energy[i]->ops;
        s->limited = s->limited || ops->nodes->limits;
        s->filtered = s->filtered || (ops->max_step && !ops->nodes->limits);
        s->gathers = s->gathers || ops->nodes->gather;
    }
    for (int i = 0; status == VV_OK && i < s->system->dissipations; i++)
        s->gathers = s->gathers || s->system->dissipation[i]->ops->nodes->gather;
    return status;
}

/* ---- creation ---- */

static void destroy(vv_solver *solver)
{
    vv_block_descent *s = (vv_block_descent *)solver;
    for (int i = 0; i < VV_MAX_ENERGIES; i++) {
        vv_free(s->energy[i].data);
        vv_free(s->dissipation[i].data);
    }
    vv_node_colours_free(&s->colours);
    vv_free(s->whole);
    vv_free(s->longest);
    vv_free(s->stiffness);
    vv_free(s);
}

/* Chunks of a colour, at most. */
static int most_chunks(const vv_block_descent *s)
{
    const int single = s->colours.order.single / VV_DESCENT_CHUNK + 1,
              clumps = s->colours.order.groups - s->colours.order.single;
    return single > clumps ? single : clumps;
}

static vvStatus make_room(vv_block_descent *s, vvError *error)
{
    const vv_system *system = s->system;
    const size_t chunks = (size_t)most_chunks(s);
    s->longest = vv_alloc(chunks, sizeof *s->longest);
    s->stiffness = vv_alloc(chunks, sizeof *s->stiffness);
    s->whole = system->clumps ? vv_alloc((size_t)system->nodes, sizeof *s->whole) : NULL;
    if (!s->longest || !s->stiffness || (system->clumps && !s->whole))
        return vv_fail_memory(error, "a solver");
    for (int i = 0; s->whole && i < system->nodes; i++)
        s->whole[i] = -1;
    for (int k = 0; k < system->clumps * VV_CLUMP_NODES; k++)
        s->whole[system->node[system->clump[k / VV_CLUMP_NODES] + k % VV_CLUMP_NODES]] =
            system->node[system->clump[k / VV_CLUMP_NODES]];
    return VV_OK;
}

static vvStatus create(const vv_solver_def *def, vv_solver **out, vvError *error)
{
    vv_block_descent *s = vv_alloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return vv_fail_memory(error, "a solver");
    s->system = def->system;
    s->step = VV_VARIANT_HERE(vv_descent);
    vvStatus status = vv_node_colours_create(&s->colours, def->system, error);
    if (status == VV_OK)
        status = make_room(s, error);
    if (status == VV_OK)
        status = ask(s, error);
    if (status == VV_OK)
        *out = &s->base;
    else
        destroy(&s->base);
    return status;
}

/* ---- sweeps ---- */

static void look(const vv_descent_solve *k)
{
    const vv_system *s = k->b.o->system;
    for (int v = 0; v < k->views; v++) {
        const vv_descent_view *w = k->view + v;
        for (size_t i = 0; i < (size_t)s->nodes; i++) {
            for (size_t m = 0; m < 3; m++)
                w->x[4 * i + m] = (w->factor * k->b.q[3 * i + m] + (w->z ? w->z[3 * i + m] : 0)) / w->divisor;
            w->x[4 * i + 3] = 0;
        }
    }
}

static vvStatus add_view(vv_descent_solve *k, vv_descent_view v, vvError *error)
{
    vv_system *s = k->b.o->system;
    v.x = vv_arena_push(&s->arena, 4 * (size_t)s->nodes, sizeof *v.x);
    if (!v.x)
        return vv_fail_memory(error, "a solver's work space");
    k->view[k->views++] = v;
    return VV_OK;
}

static vvStatus make_views(vv_descent_solve *k, vvError *error)
{
    const vv_objective *o = k->b.o;
    const double h = o->h;
    vvStatus status = VV_OK;
    bool ends = false;
    for (int i = 0; i < o->samples && status == VV_OK; i++) {
        double w = h * h * o->sample[i].w, beta = o->sample[i].beta;
        status =
            add_view(k, (vv_descent_view){ NULL, beta, o->sample[i].z, 1, false, w * beta, w * beta * beta, w }, error);
        ends = ends || (beta == 1 && !o->sample[i].z);
    }
    if (o->d != 0 && o->system->dissipations && status == VV_OK)
        status = add_view(k,
                          (vv_descent_view){ NULL, o->c, o->u, h, true, o->d * h * h * o->c, o->d * h * o->c * o->c,
                                             o->d * h * h * h },
                          error);
    if (!ends && k->s->limited && status == VV_OK) /* the end has to be feasible, too */
        status = add_view(k, (vv_descent_view){ NULL, 1, NULL, 1, false, 0, 0, 0 }, error);
    if (status == VV_OK)
        look(k);
    return status;
}

/* Whether g is `now` higher than before by more than its rounding. */
static bool rose(const vv_descent_solve *k, double now, double before)
{
    return !(now <= before) && !(now <= before + VV_DESCENT_ROUNDING * vv_objective_noise(k->b.o, k->b.p));
}

/* What has to be gathered, of one view. False: memory was short, or the host cancelled. */
static bool gather_view(const vv_descent_solve *k, int v, const double *x)
{
    const vv_system *s = k->b.o->system;
    const bool dissipative = k->view[v].dissipative;
    vv_energy *const *list = dissipative ? s->dissipation : s->energy;
    const vv_descent_offer *offers = dissipative ? k->s->dissipation : k->s->energy;
    for (int i = 0; i < (dissipative ? s->dissipations : s->energies); i++) {
        const vv_node_ops *ops = list[i]->ops->nodes;
        if (ops->gather && !ops->gather(list[i], offers[i].data, &s->par, x, v))
            return false;
    }
    return true;
}

static bool gather(const vv_descent_solve *k)
{
    vv_arena *arena = &k->s->system->arena;
    const size_t n = vv_node_space(k->b.o->system), mark = vv_arena_mark(arena);
    double *x = vv_arena_push(arena, n, sizeof *x);
    bool gathered = true;
    for (int v = 0; v < k->views && gathered; v++) {
        const vv_descent_view *w = k->view + v;
        for (size_t i = 0; w->value != 0 && i < n; i++)
            x[i] = w->x[4 * (i / 3) + i % 3];
        gathered = w->value == 0 || gather_view(k, v, x);
    }
    vv_arena_release(arena, mark);
    return gathered;
}

/* Goes from b->p only as far towards q as nothing is in the way. With care all nodes go the same part: that alone
 * still leads down. */
static void filter(vv_descent_solve *k)
{
    vv_budget *b = &k->b;
    vv_arena *arena = &k->s->system->arena;
    const size_t n = vv_node_space(b->o->system), mark = vv_arena_mark(arena);
    double *way = vv_arena_push(arena, n, sizeof *way), t;
    vv_difference(n, b->q, b->p, way);
    t = vv_objective_max_step(b->o, b->p, way);
    b->stats->blocked = t < 1;
    if (t < 1) {
        if (!k->careful) {
            vv_objective_shorten(b->o, b->p, k->s->whole, way, 1);
            t = 1;
        }
        vv_along(n, b->p, t, way, b->q);
    }
    vv_arena_release(arena, mark);
}

/* Halves the path from b->p to q until g, which is `now` at q, has not risen. */
static double shorten(const vv_descent_solve *k, double now, double before)
{
    const vv_budget *b = &k->b;
    const size_t n = vv_node_space(b->o->system);
    const int most = k->careful ? MOST_SHORTER_WITH_CARE : MOST_SHORTER;
    for (int i = 0; i < most && rose(k, now, before); i++) {
        for (size_t j = 0; j < n; j++)
            b->q[j] = b->p[j] + 0.5 * (b->q[j] - b->p[j]);
        now = vv_objective_value(b->o, b->q);
        b->stats->line_search_steps++;
    }
    return now;
}

/* Returns the longest move. */
static double sweep(vv_descent_solve *k)
{
    const vv_node_colours *colours = &k->s->colours;
    const int most = most_chunks(k->s);
    double longest = 0;
    memset(k->s->longest, 0, (size_t)most * sizeof *k->s->longest);
    memset(k->s->stiffness, 0, (size_t)most * sizeof *k->s->stiffness);
    for (int c = 0; c < colours->colours; c++) {
        const bool single = c < colours->single;
        const int size = single ? VV_DESCENT_CHUNK : 1;
        k->first = colours->start[c], k->end = colours->start[c + 1];
        vv_for(&k->s->system->par, (k->end - k->first + size - 1) / size,
               single ? vv_descent_visit : vv_descent_visit_clumps, k);
    }
    for (int i = 0; i < most; i++)
        longest = k->s->longest[i] > longest || isnan(k->s->longest[i]) ? k->s->longest[i] : longest;
    return sqrt(longest);
}

/* After the first sweep. */
static void choose_omega(vv_descent_solve *k)
{
    const vv_system *s = k->b.o->system;
    double mass = 0, stiffness = 0;
    for (int i = 0; i < s->unknowns; i++)
        mass += !k->s->whole || k->s->whole[s->node[i]] < 0 ? s->mass[s->node[i]] : 0;
    for (int i = 0; i < most_chunks(k->s); i++)
        stiffness += k->s->stiffness[i];
    k->omega = mass > 0 && stiffness > mass ? fmin(2 / (1 + sqrt(mass / stiffness)), 2 - 1.0 / k->most) : 1;
}

/* One sweep from k->b.p, a copy of q, where g is *value. False: g does not fall. */
static bool descend(vv_descent_solve *k, double *value)
{
    vv_budget *b = &k->b;
    for (;; k->careful = true) {
        double begin = vv_seconds(), clock = vv_contact_clock(b->options);
        if (k->s->gathers && !gather(k))
            return false; /* contact's own status says why */
        b->stats->residual = sweep(k) / b->o->h;
        if (k->s->filtered && isfinite(b->stats->residual))
            filter(k);
        vv_solve_book(b->options, b->stats, VV_PHASE_ASSEMBLY, begin, clock);
        begin = vv_seconds(), clock = vv_contact_clock(b->options);
        double now = isfinite(b->stats->residual) ? vv_objective_value(b->o, b->q) : INFINITY;
        b->stats->line_search_steps++;
        if (k->s->filtered)
            now = shorten(k, now, *value);
        const bool fell = !rose(k, now, *value);
        vv_solve_book(b->options, b->stats, VV_PHASE_LINE_SEARCH, begin, clock);
        if (fell)
            *value = now;
        else
            vv_copy(vv_node_space(b->o->system), b->p, b->q);
        if (!fell || k->s->filtered)
            look(k);
        if (fell || k->careful)
            return fell;
    }
}

static vvStatus not_finite(vvError *error)
{
    return vv_fail(error, VV_ERROR_SOLVER, "solver \"%s\": the forces are not finite", name);
}

static vvStatus iterate(vv_descent_solve *k, double *value, bool *done, vvError *error)
{
    vv_budget *b = &k->b;
    vv_copy(vv_node_space(b->o->system), b->q, b->p);
    bool fell = descend(k, value);
    if (!isfinite(b->stats->residual))
        return not_finite(error);
    if (k->omega == 1)
        choose_omega(k);
    *done = !fell || vv_budget_short_of(b, b->stats->residual);
    if (!fell) {
        b->stats->end = VV_SOLVE_STALLED;
        b->stats->why = "no decrease of g by moving single nodes";
    }
    return VV_OK;
}

/* Where prescribed nodes have come to: the free ones give way in a sweep. */
static vvStatus give_way(void *user, vvError *error)
{
    vv_descent_solve *k = user;
    double value = vv_objective_value(k->b.o, k->b.q);
    vv_copy(vv_node_space(k->b.o->system), k->b.q, k->b.p);
    look(k);
    descend(k, &value);
    return isfinite(k->b.stats->residual) ? VV_OK : not_finite(error);
}

static vvStatus minimise(vv_solver *solver, const vv_objective *o, double *q, const double *target,
                         const vv_solve_options *options, vv_solve_stats *stats, vvError *error)
{
    vv_descent_solve k = { .s = (vv_block_descent *)solver,
                           .omega = 1,
                           .b = { .solver = name, .o = o, .options = options, .stats = stats } };
    double value = 0;
    bool done = false;
    vvStatus status = ask(k.s, error);
    if (status != VV_OK)
        return status;
    status = vv_budget_begin(&k.b, q, k.s->system->unknowns > 0 ? NULL : target, error);
    if (status == VV_OK && k.b.left > 0)
        status = make_views(&k, error);
    if (status == VV_OK && k.b.left > 0 && target) {
        status = vv_budget_carry(&k.b, target, &(vv_budget_carrier){ give_way, NULL, &k }, error);
        look(&k);
    }
    k.most = k.b.left;
    stats->linear = "none: single nodes";
    if (status == VV_OK && k.b.left > 0) {
        value = vv_objective_value(o, q);
        if (!isfinite(value))
            status = vv_fail(error, VV_ERROR_SOLVER, "solver \"%s\": the start is outside the energies' domain", name);
    }
    while (!done && vv_budget_next(&k.b, &status, error))
        status = iterate(&k, &value, &done, error);
    vv_budget_end(&k.b);
    return status;
}

const vv_solver_ops vv_solver_block_descent = {
    .info = { name,
              "vertex block descent: Gauss-Seidel over nodes with exact 3x3 Hessians, and over affine bodies with "
              "12x12 ones; all linear elements but midedge" },
    .budget = ITERATIONS,
    .quick_start = true,
    .create = create,
    .minimise = minimise,
    .destroy = destroy,
};

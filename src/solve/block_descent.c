/* Vertex block descent (Chen, Liu, Yang, Yuksel 2024; theory §6.13): coloured Gauss-Seidel over nodes. A sweep visits all nodes, colour
 * after colour; each goes to the minimum of a quadratic model of g in its own position, dx_i = -H_i^-1 g_i, with what its neighbours have
 * become by then. No matrix, no factor: an energy offers its derivatives by node (energy/nodes.h).
 *
 * From the second sweep on nodes go omega times as far (successive overrelaxation), which on a quadratic function never raises it for
 * omega < 2. With A its Hessian and D the blocks of nodes, 1 - rho^2 = lambda for the spectral radius rho of sweeps of Jacobi would give
 * the best omega = 2 / (1 + sqrt(1 - rho^2)); the lowest eigenvalue of D^-1 A, that of moving as a whole, is estimated as
 * lambda = sum m_i / sum (m_i + tr H_i / 3), which the first sweep sums up. As it takes some 1 / (2 - omega) sweeps until a large omega
 * pays, those left bound it. Nothing is learned from step to step.
 *
 * A node's step may still raise g where the model is poor. A sweep that ends with a larger g than it began with is taken back and done
 * again with care, as are all further ones of the solve: a node then goes only as far as the part of g that depends on it falls. */
#include "base/clock.h"
#include "base/cpu.h"
#include "base/error.h"
#include "base/memory.h"
#include "solve/budget.h"
#include "solve/descent_kernel.h"
#include "solve/node_colours.h"
#include "solve/vectors.h"

#include <math.h>

enum { ITERATIONS = 10, CHUNK = 16, LANES = 8, MOST_HALVINGS = 30, MOST_SHORTER = 4, VIEWS = VV_MAX_SAMPLES + 2 };
static const double ROUNDING = 1e-13; /* of g's terms */
static const char name[] = "block-descent";

typedef struct offer { /* an energy's part */
    uint64_t serial;     /* 0: none */
    void *data;
} offer;

typedef struct block_descent {
    vv_solver base;
    vv_system *system;
    vv_node_colours colours;
    offer energy[VV_MAX_ENERGIES], dissipation[VV_MAX_ENERGIES];
    bool limited;    /* some energy ends moves of nodes, */
    bool filtered;   /* or that of all at a sweep's end */
    bool gathers;    /* some energy is gathered where a sweep begins */
    double *longest;   /* per chunk of groups of a colour: square of the longest move, */
    double *stiffness; /* sum of m + tr H / 3, over all colours */
    vv_descent_fn *step;
} block_descent;

/* Where energies are evaluated: at factor q + shift, n x 4 numbers. */
typedef struct view {
    double *x;
    double factor;
    const double *z;
    double divisor; /* of the sum */
    bool dissipative;
    double gradient, hessian, value; /* in g; 0: only moves are limited there */
} view;

typedef struct solve {
    vv_budget b;
    block_descent *s;
    view view[VIEWS];
    int views;
    bool careful;
    double omega;
    int most; /* sweeps of the solve */
    int first; /* group of the colour under way */
    int end;
} solve;

/* ---- what energies offer ---- */

static vvStatus refuse(const vv_energy *e, vvError *error)
{
    return vv_fail(error, VV_ERROR_UNSUPPORTED, "solver \"%s\" needs of each energy its derivatives by single nodes, and \"%s\" does not offer "
                   "them; all materials do, so do gravity, forces, attachments, potentials, drag and Rayleigh damping, but contact does not: "
                   "leave it out, or choose solver \"newton\"", name, e->ops->info.name);
}

static vvStatus ask_all(const block_descent *s, vv_energy *const *list, int count, offer *offers, vvError *error)
{
    for (int i = 0; i < count; i++)
        if (!list[i]->ops->nodes)
            return refuse(list[i], error);
    for (int i = 0; i < VV_MAX_ENERGIES; i++) {
        if (i < count && offers[i].serial == list[i]->serial)
            continue;
        vv_free(offers[i].data);
        offers[i] = (offer){ 0 };
        if (i >= count)
            continue;
        vvStatus status = list[i]->ops->nodes->prepare ? list[i]->ops->nodes->prepare(list[i], &s->colours.order, &offers[i].data, error) : VV_OK;
        if (status != VV_OK)
            return status;
        offers[i].serial = list[i]->serial;
    }
    return VV_OK;
}

/* Takes in what is new among the energies. */
static vvStatus ask(block_descent *s, vvError *error)
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
    return status;
}

/* ---- creation ---- */

static void destroy(vv_solver *solver)
{
    block_descent *s = (block_descent *)solver;
    for (int i = 0; i < VV_MAX_ENERGIES; i++) {
        vv_free(s->energy[i].data);
        vv_free(s->dissipation[i].data);
    }
    vv_node_colours_free(&s->colours);
    vv_free(s->longest);
    vv_free(s->stiffness);
    vv_free(s);
}

static vv_descent_fn *step_of_cpu(void)
{
#if defined(VV_HAVE_X86_KERNELS)
    switch (vv_cpu_isa()) {
    case VV_ISA_AVX512: return vv_descent_avx512;
    case VV_ISA_AVX2: return vv_descent_avx2;
    case VV_ISA_BASE: break;
    }
#endif
    return vv_descent_base;
}

static vvStatus create(const vv_solver_def *def, vv_solver **out, vvError *error)
{
    block_descent *s = vv_alloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return vv_fail_memory(error, "a solver");
    s->system = def->system;
    s->step = step_of_cpu();
    vvStatus status = vv_node_colours_create(&s->colours, def->system, error);
    if (status == VV_OK) {
        s->longest = vv_alloc((size_t)s->colours.order.groups / CHUNK + 1, sizeof *s->longest);
        s->stiffness = vv_alloc((size_t)s->colours.order.groups / CHUNK + 1, sizeof *s->stiffness);
        status = s->longest && s->stiffness ? ask(s, error) : vv_fail_memory(error, "a solver");
    }
    if (status == VV_OK)
        *out = &s->base;
    else
        destroy(&s->base);
    return status;
}

/* ---- a chunk of groups ---- */

typedef struct chunk {
    const solve *k;
    vv_node_batch batch;
    int groups;
    _Alignas(64) double blocks[CHUNK * VV_NODE_BLOCK * LANES];
    _Alignas(64) double moves[CHUNK * 3 * LANES], start[CHUNK * 3 * LANES];
    _Alignas(64) double part[CHUNK * LANES]; /* of the move: omega, or where something ends it */
    _Alignas(64) double promise[CHUNK * LANES]; /* -gradient . move */
    _Alignas(64) double before[CHUNK * LANES], after[CHUNK * LANES];
} chunk;

typedef enum asked { BLOCKS, VALUES, LIMITS } asked;

static void ask_energies(const chunk *c, vv_energy *const *list, const offer *offers, int count, asked what)
{
    for (int i = 0; i < count; i++) {
        const vv_node_ops *ops = list[i]->ops->nodes;
        if (what == BLOCKS)
            ops->blocks(list[i], offers[i].data, &c->batch);
        else if (what == VALUES)
            ops->values(list[i], offers[i].data, &c->batch);
        else if (ops->limits)
            ops->limits(list[i], offers[i].data, &c->batch);
    }
}

static void ask_views(chunk *c, asked what)
{
    const block_descent *s = c->k->s;
    for (int i = 0; i < c->k->views; i++) {
        const view *v = c->k->view + i;
        c->batch.x = v->x;
        c->batch.gradient = v->gradient, c->batch.hessian = v->hessian, c->batch.value = v->value;
        c->batch.reach = v->factor, c->batch.view = i;
        if (what != LIMITS && v->value == 0)
            continue;
        if (!v->dissipative)
            ask_energies(c, s->system->energy, s->energy, s->system->energies, what);
        else if (what != LIMITS)
            ask_energies(c, s->system->dissipation, s->dissipation, s->system->dissipations, what);
    }
}

static size_t node_at(const chunk *c, int group, int lane)
{
    return (size_t)c->batch.node[LANES * (size_t)(c->batch.begin + group) + (size_t)lane];
}

/* Moves of all lanes, where they start, and what they promise. */
static void find_moves(chunk *c)
{
    const vv_objective *o = c->k->b.o;
    for (int j = 0; j < c->groups; j++) {
        const vv_d8 *gradient = (const vv_d8 *)c->blocks + VV_NODE_BLOCK * j, *move = (const vv_d8 *)c->moves + 3 * j;
        vv_d8 mass, away[3], promise = { 0 };
        for (int l = 0; l < LANES; l++) {
            size_t i = node_at(c, j, l);
            mass[l] = o->system->mass[i];
            for (size_t m = 0; m < 3; m++) {
                double q = c->k->b.q[3 * i + m];
                c->start[(3 * (size_t)j + m) * LANES + (size_t)l] = q;
                away[m][l] = q - o->y[3 * i + m];
            }
        }
        c->k->s->step(gradient, &mass, away, (vv_d8 *)c->moves + 3 * j);
        for (int m = 0; m < 3; m++)
            promise -= (gradient[m] + mass * away[m]) * move[m];
        ((vv_d8 *)c->promise)[j] = promise;
    }
}

/* q and all views, of the nodes of a chunk after `part` times their moves. */
static void go(const chunk *c)
{
    const solve *k = c->k;
    for (int j = 0; j < c->groups; j++)
        for (int l = 0; l < k->s->colours.order.lanes[c->batch.begin + j]; l++) {
            size_t i = node_at(c, j, l);
            for (size_t m = 0; m < 3; m++) {
                size_t at = (3 * (size_t)j + m) * LANES + (size_t)l;
                double q = c->start[at] + c->part[LANES * j + l] * c->moves[at];
                k->b.q[3 * i + m] = q;
                for (int v = 0; v < k->views; v++)
                    k->view[v].x[4 * i + m] = (k->view[v].factor * q + (k->view[v].z ? k->view[v].z[3 * i + m] : 0)) / k->view[v].divisor;
            }
        }
}

/* What of g depends on each node. */
static void node_values(chunk *c, double *values)
{
    const vv_objective *o = c->k->b.o;
    memset(values, 0, (size_t)c->groups * LANES * sizeof *values);
    c->batch.values = values;
    ask_views(c, VALUES);
    for (int j = 0; j < c->groups; j++)
        for (int l = 0; l < LANES; l++) {
            size_t i = node_at(c, j, l);
            double away[3];
            for (size_t m = 0; m < 3; m++)
                away[m] = c->k->b.q[3 * i + m] - o->y[3 * i + m];
            values[LANES * j + l] += 0.5 * o->system->mass[i] * (away[0] * away[0] + away[1] * away[1] + away[2] * away[2]);
        }
}

/* Whether a node's part of g has not risen, or cannot tell, as its rounding is more than the move promises. */
static bool falls(const chunk *c, int lane)
{
    const double rounding = ROUNDING * fabs(c->before[lane]);
    return c->after[lane] <= c->before[lane] + rounding || c->part[lane] * c->promise[lane] <= rounding;
}

/* Halves moves until none raises g; those that do so however short are not made. */
static void go_carefully(chunk *c)
{
    node_values(c, c->before);
    go(c);
    for (int i = 0; i <= MOST_HALVINGS; i++) {
        bool all = true;
        node_values(c, c->after);
        for (int l = 0; l < LANES * c->groups; l++) {
            bool fine = c->part[l] == 0 || falls(c, l);
            if (!fine)
                c->part[l] = i < MOST_HALVINGS - 1 ? 0.5 * c->part[l] : 0;
            all = all && fine;
        }
        if (all)
            return;
        go(c);
    }
}

static double stiffness_of(const chunk *c)
{
    double sum = 0;
    for (int j = 0; j < c->groups; j++)
        for (int l = 0; l < c->k->s->colours.order.lanes[c->batch.begin + j]; l++) {
            const double *h = c->blocks + (VV_NODE_BLOCK * j + 3) * LANES + l;
            sum += c->k->b.o->system->mass[node_at(c, j, l)] + fmax(h[0] + h[LANES] + h[2 * LANES], 0) / 3;
        }
    return sum;
}

static double longest_move(const chunk *c)
{
    double most = 0;
    for (int j = 0; j < c->groups; j++)
        for (int l = 0; l < c->k->s->colours.order.lanes[c->batch.begin + j]; l++) {
            const double *d = c->moves + 3 * LANES * j + l;
            double square = c->part[LANES * j + l] * c->part[LANES * j + l] *
                            (d[0] * d[0] + d[LANES] * d[LANES] + d[2 * LANES] * d[2 * LANES]);
            most = square > most || isnan(square) ? square : most; /* a NaN stays */
        }
    return most;
}

static void visit(void *arg, int index)
{
    const solve *k = arg;
    chunk c;
    int begin = k->first + CHUNK * index, end = begin + CHUNK < k->end ? begin + CHUNK : k->end;
    c.k = k;
    c.groups = end - begin;
    c.batch = (vv_node_batch){ .begin = begin, .end = end, .node = k->s->colours.order.node, .blocks = c.blocks, .moves = c.moves,
                               .limits = c.part };
    memset(c.blocks, 0, (size_t)c.groups * VV_NODE_BLOCK * LANES * sizeof(double));
    ask_views(&c, BLOCKS);
    find_moves(&c);
    if (k->omega == 1)
        k->s->stiffness[index] += stiffness_of(&c);
    for (int i = 0; i < LANES * c.groups; i++)
        c.part[i] = k->omega;
    if (k->s->limited)
        ask_views(&c, LIMITS);
    if (k->careful)
        go_carefully(&c);
    else
        go(&c);
    double most = longest_move(&c);
    k->s->longest[index] = most > k->s->longest[index] || isnan(most) ? most : k->s->longest[index];
}

/* ---- sweeps ---- */

static void look(const solve *k)
{
    const vv_system *s = k->b.o->system;
    for (int v = 0; v < k->views; v++) {
        const view *w = k->view + v;
        for (size_t i = 0; i < (size_t)s->nodes; i++) {
            for (size_t m = 0; m < 3; m++)
                w->x[4 * i + m] = (w->factor * k->b.q[3 * i + m] + (w->z ? w->z[3 * i + m] : 0)) / w->divisor;
            w->x[4 * i + 3] = 0;
        }
    }
}

static vvStatus add_view(solve *k, view v, vvError *error)
{
    vv_system *s = k->b.o->system;
    v.x = vv_arena_push(&s->arena, 4 * (size_t)s->nodes, sizeof *v.x);
    if (!v.x)
        return vv_fail_memory(error, "a solver's work space");
    k->view[k->views++] = v;
    return VV_OK;
}

static vvStatus make_views(solve *k, vvError *error)
{
    const vv_objective *o = k->b.o;
    const double h = o->h;
    vvStatus status = VV_OK;
    bool ends = false;
    for (int i = 0; i < o->samples && status == VV_OK; i++) {
        double w = h * h * o->sample[i].w, beta = o->sample[i].beta;
        status = add_view(k, (view){ NULL, beta, o->sample[i].z, 1, false, w * beta, w * beta * beta, w }, error);
        ends = ends || (beta == 1 && !o->sample[i].z);
    }
    if (o->d != 0 && o->system->dissipations && status == VV_OK)
        status = add_view(k, (view){ NULL, o->c, o->u, h, true, o->d * h * h * o->c, o->d * h * o->c * o->c, o->d * h * h * h }, error);
    if (!ends && k->s->limited && status == VV_OK) /* the end has to be feasible, too */
        status = add_view(k, (view){ NULL, 1, NULL, 1, false, 0, 0, 0 }, error);
    if (status == VV_OK)
        look(k);
    return status;
}

/* Whether g is `now` higher than before by more than its rounding. */
static bool rose(const solve *k, double now, double before)
{
    return !(now <= before) && !(now <= before + ROUNDING * vv_objective_noise(k->b.o, k->b.p));
}

/* False: memory was short, or the host cancelled. */
static bool gather(const solve *k)
{
    const block_descent *s = k->s;
    vv_arena *arena = &s->system->arena;
    const size_t n = 3 * (size_t)s->system->nodes, mark = vv_arena_mark(arena);
    double *x = vv_arena_push(arena, n, sizeof *x);
    bool gathered = true;
    for (int v = 0; v < k->views; v++) {
        const view *w = k->view + v;
        if (w->dissipative || w->value == 0)
            continue;
        for (size_t i = 0; i < n; i++)
            x[i] = w->x[4 * (i / 3) + i % 3];
        for (int i = 0; i < s->system->energies && gathered; i++) {
            vv_energy *e = s->system->energy[i];
            if (e->ops->nodes->gather)
                gathered = e->ops->nodes->gather(e, s->energy[i].data, &s->system->par, x, v);
        }
    }
    vv_arena_release(arena, mark);
    return gathered;
}

/* Goes from b->p only as far towards q as nothing is in the way. */
static void filter(solve *k)
{
    vv_budget *b = &k->b;
    vv_arena *arena = &k->s->system->arena;
    const size_t n = vv_node_space(b->o->system), mark = vv_arena_mark(arena);
    double *way = vv_arena_push(arena, n, sizeof *way);
    vv_difference(n, b->q, b->p, way);
    if (vv_objective_max_step(b->o, b->p, way) < 1) {
        vv_objective_shorten(b->o, b->p, way);
        vv_along(n, b->p, 1, way, b->q);
        look(k);
    }
    vv_arena_release(arena, mark);
}

/* Halves the way from b->p to q until g, which is `now` at q, has not risen. */
static double shorten(solve *k, double now, double before)
{
    vv_budget *b = &k->b;
    const size_t n = vv_node_space(b->o->system);
    for (int i = 0; i < MOST_SHORTER && rose(k, now, before); i++) {
        for (size_t j = 0; j < n; j++)
            b->q[j] = b->p[j] + 0.5 * (b->q[j] - b->p[j]);
        now = vv_objective_value(b->o, b->q);
        b->stats->line_search_steps++;
    }
    look(k);
    return now;
}

/* Returns the longest move. */
static double sweep(solve *k)
{
    const vv_node_colours *colours = &k->s->colours;
    const int most = colours->order.groups / CHUNK + 1;
    double longest = 0;
    memset(k->s->longest, 0, (size_t)most * sizeof *k->s->longest);
    memset(k->s->stiffness, 0, (size_t)most * sizeof *k->s->stiffness);
    for (int c = 0; c < colours->colours; c++) {
        k->first = colours->start[c], k->end = colours->start[c + 1];
        vv_for(&k->s->system->par, (k->end - k->first + CHUNK - 1) / CHUNK, visit, k);
    }
    for (int i = 0; i < most; i++)
        longest = k->s->longest[i] > longest || isnan(k->s->longest[i]) ? k->s->longest[i] : longest;
    return sqrt(longest);
}

/* After the first sweep. */
static void choose_omega(solve *k)
{
    const vv_system *s = k->b.o->system;
    double mass = 0, stiffness = 0;
    for (int i = 0; i < s->unknowns; i++)
        mass += s->mass[s->node[i]];
    for (int i = 0; i < k->s->colours.order.groups / CHUNK + 1; i++)
        stiffness += k->s->stiffness[i];
    k->omega = mass > 0 && stiffness > mass ? fmin(2 / (1 + sqrt(mass / stiffness)), 2 - 1.0 / k->most) : 1;
}

/* One sweep from k->b.p, a copy of q, where g is *value. False: g does not fall. */
static bool descend(solve *k, double *value)
{
    vv_budget *b = &k->b;
    for (;;) {
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
        if (k->s->filtered && rose(k, now, *value))
            now = shorten(k, now, *value);
        vv_solve_book(b->options, b->stats, VV_PHASE_LINE_SEARCH, begin, clock);
        if (!rose(k, now, *value)) {
            *value = now;
            return true;
        }
        vv_copy(vv_node_space(b->o->system), b->p, b->q);
        look(k);
        if (k->careful)
            return false;
        k->careful = true;
    }
}

static vvStatus iterate(solve *k, double *value, bool *done, vvError *error)
{
    vv_budget *b = &k->b;
    vv_copy(vv_node_space(b->o->system), b->q, b->p);
    bool fell = descend(k, value);
    if (!isfinite(b->stats->residual))
        return vv_fail(error, VV_ERROR_SOLVER, "solver \"%s\": the forces are not finite", name);
    if (k->omega == 1)
        choose_omega(k);
    *done = !fell || vv_budget_short_of(b, b->stats->residual);
    if (!fell) {
        b->stats->end = VV_SOLVE_STALLED;
        b->stats->why = "no decrease of g by moving single nodes";
    }
    return VV_OK;
}

static vvStatus minimise(vv_solver *solver, const vv_objective *o, double *q, const double *target, const vv_solve_options *options,
                         vv_solve_stats *stats, vvError *error)
{
    solve k = { .s = (block_descent *)solver, .omega = 1, .b = { .solver = name, .o = o, .options = options, .stats = stats } };
    double value = 0;
    bool done = false;
    vvStatus status = ask(k.s, error);
    if (status != VV_OK)
        return status;
    status = vv_budget_begin(&k.b, q, target, error);
    if (status == VV_OK && k.b.left > 0)
        status = make_views(&k, error);
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
    .info = { name, "vertex block descent: Gauss-Seidel over nodes with exact 3x3 Hessians; every material, no contact" },
    .budget = ITERATIONS,
    .quick_start = true,
    .create = create,
    .minimise = minimise,
    .destroy = destroy,
};

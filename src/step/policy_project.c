/* Projection onto the target energy and the momenta (Dinev, Liu, Li, Thomaszewski, Kavan 2018, FEPR; theory §3.10).
 *
 * After any scheme: the state nearest to (q*, v*), in 1/2 |q - q*|^2_M + h^2/2 |v - v*|^2_M, with H = T and the momenta that the bodies
 * ought to have, by the paper's iteration: linearise at the iterate, step (step/projection.h). Each iteration costs one energy, one
 * gradient and two passes over the nodes. A step that takes a group no nearer is cut short (step/projection_control.c); where none helps, H
 * stays off T, the momenta alone are kept, and the ledger shows what is missing. Positions move as a line search moves them: no intersection, no inversion; where
 * something blocks them, velocities alone go on. */
#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "solve/vectors.h"
#include "step/projection.h"
#include "step/shares.h"
#include "step/touching.h"

#include <string.h>

/* ---- the policy's object ---- */

enum { TARGET, OWED, OPEN, TAKEN, LIVELY, SCRATCH, ARRAYS = SCRATCH + VV_SHARES_SCRATCH };
enum { PIECE = 1024 }; /* most nodes of a piece */

static void destroy(vv_solver *solver)
{
    vv_projection *p = (vv_projection *)solver;
    vv_free(p->piece);
    vv_free(p->partial);
    vv_free(p->groups);
    vv_free(p->group_of);
    vv_free(p->outside);
    vv_free(p->found);
    vv_free(p->by_body);
    vv_free(p);
}

/* Pieces of bodies, in the order of nodes; list NULL: only counts. */
static int cut(const vv_system *y, vv_projection_piece *list)
{
    int count = 0;
    for (int i = 0, end; i < y->nodes; i = end) {
        for (end = i + 1; end < y->nodes && end < i + PIECE && y->body[end] == y->body[i];)
            end++;
        if (list)
            list[count] = (vv_projection_piece){ y->body[i], i, end };
        count++;
    }
    return count;
}

static vvStatus create(const vv_solver_def *def, vv_solver **out, vvError *error)
{
    vv_projection *p = vv_alloc(1, sizeof *p);
    size_t bodies = (size_t)def->system->bodies + 1; /* one account for all needs a place in an empty world, too */
    if (!p)
        return vv_fail_memory(error, "the projection");
    p->pieces = cut(def->system, NULL);
    p->piece = vv_alloc((size_t)p->pieces, sizeof *p->piece);
    p->partial = vv_alloc((size_t)p->pieces, sizeof *p->partial);
    p->groups = vv_alloc(bodies, sizeof *p->groups);
    p->group_of = vv_alloc(bodies, sizeof *p->group_of);
    p->outside = vv_alloc(bodies, sizeof *p->outside);
    p->found = vv_alloc(bodies, vv_symmetry_bytes());
    p->by_body = vv_alloc(ARRAYS * bodies, sizeof *p->by_body);
    if (!(p->piece && p->partial && p->groups && p->group_of && p->outside && p->found && p->by_body)) {
        destroy(&p->base);
        return vv_fail_memory(error, "the projection");
    }
    cut(def->system, p->piece);
    *out = &p->base;
    return VV_OK;
}

static const vv_solver_ops object = { .info = { "projection", "sums and accounts" }, .create = create, .destroy = destroy };

/* ---- parameters ---- */

enum { MOMENTUM, SCOPE, TOLERANCE, ABSOLUTE, REGULARIZATION, ITERATIONS };
static const vvInfo momenta[] = {
    [VV_MOMENTUM_AUTO] = { "auto", "hard for bodies on which nothing outside acts, else ledger" },
    [VV_MOMENTUM_SOFT] = { "soft", "between those of the last step and the scheme's, as in the paper" },
    [VV_MOMENTUM_HARD] = { "hard", "those of the last step" },
    [VV_MOMENTUM_LEDGER] = { "ledger", "those of the last step and the known impulses; what holds or stops bodies takes what it takes" },
};
static const vvParam params[] = {
    { "momentum", "\"project\": which momenta the projection keeps", "", 1, true, { VV_MOMENTUM_AUTO }, 0, VV_MOMENTUM_LEDGER, 4, momenta },
    VV_SCOPE_PARAM,
    { "project_tolerance", "\"project\": sum of what the seven constraints are off, each as a part of its scale", "", 1, false, { 1e-7 }, 0, 1 },
    { "project_absolute", "\"project\": that sum is in J, kg m/s and kg m^2/s instead, as in the paper", "", 1, true, { 0 }, 0, 1 },
    { "project_regularization", "\"project\": c of the paper's c m r^2, with momentum \"soft\"", "", 1, false, { 1e-3 }, 1e-12, 1e6 },
    { "project_iterations", "\"project\": most iterations in a step", "", 1, true, { 30 }, 0, 1000 },
};

/* ---- one application ---- */

typedef struct work {
    vv_policy_call *call;
    vv_stepper *s;
    vv_trial *t;
    vv_projection *p;
    double *start_q, *start_v, *to_q, *to_v, *from_q, *from_v, *dq, *dv; /* node space */
    int iterations;
} work;

static double *by_body(const work *w, int which) { return w->p->by_body + which * (size_t)w->s->bodies; }
static bool all_one(const work *w) { return w->call->values[SCOPE] == VV_SCOPE_WORLD; }

static vvStatus find_groups(const work *w)
{
    const vv_system *y = w->s->system;
    int *group = w->p->group_of;
    if (vv_touching_find(w->s, w->t->q, group, w->p->outside) != VV_OK)
        return VV_ERROR_MEMORY;
    if (!all_one(w))
        return VV_OK;
    unsigned char any = 0;
    for (int b = 0; b < y->bodies; b++)
        any |= group[b] >= 0 ? w->p->outside[b] : 0;
    for (int b = 0; b < y->bodies; b++) {
        group[b] = group[b] >= 0 ? 0 : -1;
        w->p->outside[b] = group[b] >= 0 && any;
    }
    return VV_OK;
}

/* Energies of groups are compared with the ledger's scale, by mass. */
static void set_scales(const work *w)
{
    double mass = 0;
    for (int b = 0; b < w->s->bodies; b++)
        mass += w->p->groups[b].sums.mass;
    for (int b = 0; b < w->s->bodies; b++)
        w->p->groups[b].scale = mass > 0 ? w->s->state->ledger.scale * (w->p->groups[b].sums.mass / mass) : 0;
}

/* ---- accounts ---- */

static void measure_taken(const work *w)
{
    const vv_system *y = w->s->system;
    double *taken = by_body(w, TAKEN), *lively = by_body(w, LIVELY);
    vv_zero((size_t)w->s->bodies, taken);
    vv_copy((size_t)w->s->bodies, w->s->state->body_energy, lively);
    for (int i = 0; i < y->nodes; i++) {
        const double *v = w->s->state->v + 3 * (size_t)i;
        double change[3];
        vv_sub(w->t->v + 3 * (size_t)i, v, change);
        lively[y->body[i]] += 0.5 * y->mass[i] * vv_dot(v, v);
        if (y->unknown[i] >= 0)
            taken[y->body[i]] += 0.5 * y->mass[i] * vv_dot(change, change);
    }
}

static void open_accounts(const work *w)
{
    bool *started = w->call->memory;
    const double *kept = w->call->body_memory;
    if (all_one(w))
        return;
    if (!*started)
        vv_shares_start(w->s, by_body(w, SCRATCH), by_body(w, OWED));
    else
        vv_copy((size_t)w->s->bodies, kept, by_body(w, OWED));
    *started = true;
    measure_taken(w);
}

/* The target of each body or, in by_body's first place, of the world. Returns by how much they have changed, as parts of scales. */
static double aim(const work *w, const vv_booking *booking)
{
    double *target = by_body(w, TARGET), *rest = by_body(w, OPEN), change = 0;
    if (all_one(w)) {
        change = w->p->groups[0].scale > 0 ? fabs(booking->target - target[0]) / w->p->groups[0].scale : 0;
        target[0] = booking->target;
        return change;
    }
    vv_shares_open(w->s, w->t, booking, by_body(w, OWED), by_body(w, LIVELY), by_body(w, SCRATCH), rest);
    for (int b = 0; b < w->s->bodies; b++) {
        const int g = w->p->group_of[b];
        double now = w->t->body_energy[b] + w->t->body_other[b] - rest[b];
        if (g >= 0 && w->p->groups[g].scale > 0)
            change = fmax(change, fabs(now - target[b]) / w->p->groups[g].scale);
        target[b] = now;
    }
    return change;
}

static void close_accounts(const work *w)
{
    const vv_system *y = w->s->system;
    double *open = by_body(w, OPEN);
    if (all_one(w))
        return;
    for (int b = 0; b < w->s->bodies; b++)
        open[b] = by_body(w, TARGET)[b] - w->t->body_energy[b] - w->t->body_other[b];
    for (int i = 0; i < y->nodes; i++)
        open[y->body[i]] -= 0.5 * y->mass[i] * vv_dot(w->t->v + 3 * (size_t)i, w->t->v + 3 * (size_t)i);
    vv_shares_close(w->s, w->p->group_of, open, by_body(w, TAKEN), by_body(w, SCRATCH), by_body(w, OWED));
    vv_copy((size_t)w->s->bodies, by_body(w, OWED), w->call->body_memory);
}

/* ---- where groups are ---- */

static void measure(const work *w)
{
    vv_projection *p = w->p;
    vv_projection_sum(w->s, p, &(vv_projection_state){ w->t->q, w->t->v, w->t->gradient });
    for (int b = 0; b < w->s->bodies; b++)
        p->groups[b].excess = 0.5 * p->groups[b].sums.square;
    for (int b = 0; b < w->s->bodies && !all_one(w); b++)
        if (p->group_of[b] >= 0)
            p->groups[p->group_of[b]].excess += w->t->body_energy[b] + w->t->body_other[b] - by_body(w, TARGET)[b];
    if (all_one(w))
        p->groups[0].excess = w->t->energies.kinetic + w->t->potential - by_body(w, TARGET)[0];
    for (int b = 0; b < w->s->bodies; b++)
        if (p->groups[b].used)
            vv_projection_constraints(p->groups + b, w->call->values[ABSOLUTE] != 0);
}

/* ---- where they go ---- */

/* From the scheme's end to the step's start: to its shape, where the centre is when it has flown. */
static void towards_start(const work *w, const vv_projection_group *g, size_t j, double dq[3], double dv[3])
{
    for (size_t c = 0; c < 3; c++) {
        dq[c] = w->s->state->q[j + c] + g->flown[c] - w->start_q[j + c];
        dv[c] = w->s->state->v[j + c] + g->gained[c] - w->start_v[j + c];
    }
}

/* Where all nodes go. */
static void place(const work *w)
{
    const vv_system *y = w->s->system;
    const vv_trial *t = w->t;
    vv_copy(vv_node_space(y), t->q, w->to_q);
    vv_copy(vv_node_space(y), t->v, w->to_v);
    for (int i = 0; i < y->nodes; i++) {
        const int k = w->p->group_of[y->body[i]];
        const vv_projection_group *g = w->p->groups + (k < 0 ? 0 : k);
        const size_t j = 3 * (size_t)i;
        double own_q[3], own_v[3];
        if (k < 0 || y->unknown[i] < 0 || !g->moves)
            continue;
        if (g->phase == VV_PROJECT_RETURNS)
            towards_start(w, g, j, own_q, own_v);
        else if (g->anew || g->phase == VV_PROJECT_ROAMS)
            vv_projection_at(g, w->s->h, y->mass[i], t->q + j, t->v + j, t->gradient + j, own_q, own_v);
        if (g->phase == VV_PROJECT_ROAMS) {
            for (size_t c = 0; c < 3; c++)
                w->to_q[j + c] += own_q[c], w->to_v[j + c] += own_v[c];
            continue;
        }
        if (g->anew) {
            memcpy(w->dq + j, own_q, sizeof own_q), memcpy(w->dv + j, own_v, sizeof own_v);
            memcpy(w->from_q + j, t->q + j, sizeof own_q), memcpy(w->from_v + j, t->v + j, sizeof own_v);
        }
        if (g->restart || g->phase == VV_PROJECT_RETURNS) {
            memcpy(w->from_q + j, w->start_q + j, sizeof own_q), memcpy(w->from_v + j, w->start_v + j, sizeof own_v);
        }
        for (size_t c = j; c < j + 3; c++) {
            w->to_q[c] = w->from_q[c] + g->part * w->dq[c];
            w->to_v[c] = w->from_v[c] + g->part * w->dv[c];
        }
    }
}

/* Soft: s and t go along. */
static void move_soft(vv_projection_group *g)
{
    if (g->moves && g->phase == VV_PROJECT_ROAMS)
        g->s += g->ds, g->t += g->dt;
    else if (g->restart)
        g->s = g->t = 0;
    else if (g->moves)
        g->s = g->s_from + g->part * g->ds_from, g->t = g->t_from + g->part * g->dt_from;
}

/* Something was in the way, perhaps of a group that goes back: nobody goes nearer to it. */
static void block(const work *w)
{
    for (int b = 0; b < w->s->bodies; b++)
        w->p->groups[b].blocked = w->p->groups[b].move;
}

/* Towards the present targets. */
static vvStatus iterate(work *w, vvError *error)
{
    const int before = w->iterations;
    const vv_projection_rules rules = { w->call->values[TOLERANCE], w->call->values[ABSOLUTE] != 0, (int)w->call->values[ITERATIONS], w->s->h };
    for (int b = 0; b < w->s->bodies; b++) {
        vv_projection_group *g = w->p->groups + b;
        g->phase = VV_PROJECT_READY;
        g->energy = true;
        g->roamed = g->halves = 0;
        g->rises = false;
        if (!g->returned) /* once in a step */
            g->limit = rules.most;
    }
    for (;;) {
        bool any = false;
        measure(w);
        for (int b = 0; b < w->s->bodies; b++)
            if (w->p->groups[b].used) {
                if (w->iterations == before)
                    w->p->groups[b].excess_start = w->p->groups[b].excess;
                vv_projection_decide(&rules, w->iterations, w->p->groups + b);
                any = any || w->p->groups[b].moves;
            }
        if (!any)
            return VV_OK;
        vvStatus status = vv_check_cancelled(&w->s->options, error);
        if (status != VV_OK)
            return status;
        place(w);
        w->iterations++;
        if (vv_trial_move(w->s, w->t, w->to_q, w->to_v) < 1)
            block(w);
        for (int b = 0; b < w->s->bodies; b++)
            move_soft(w->p->groups + b);
    }
}

/* ---- the policy ---- */

/* What is lost and worked depends on where the step ends: the target then follows. */
static bool target_may_move(const vv_stepper *s)
{
    return s->forced || s->system->dissipations > 0 || s->system->unknowns < s->system->nodes;
}

enum { MOST_ROUNDS = 10 };

static vvStatus project(work *w, vvError *error)
{
    const int before = w->iterations;
    aim(w, w->call->booking);
    vvStatus status = iterate(w, error);
    for (int round = 1; status == VV_OK && w->iterations > before && target_may_move(w->s); round++) {
        vv_booking booking = vv_trial_book(w->s, w->t);
        if (aim(w, &booking) <= w->call->values[TOLERANCE] || round == MOST_ROUNDS)
            break; /* accounts close with the targets of where the step ends */
        status = iterate(w, error);
    }
    return status;
}

/* For the step's report. */
static const char *shortfall(const work *w)
{
    const double tolerance = 10 * w->call->values[TOLERANCE];
    for (int b = 0; b < w->s->bodies; b++) {
        const vv_projection_group *g = w->p->groups + b;
        if (g->used && fabs(g->excess) > tolerance * (w->call->values[ABSOLUTE] != 0 ? 1 : g->scale))
            return g->excess > 0 ? "project: H stays above its target: no state near has so little energy, or something blocks the way"
                                 : "project: H stays below its target: something blocks the way, or project_iterations ran out";
    }
    return NULL;
}

static vvStatus apply(vv_policy_call *call, vvError *error)
{
    vv_stepper *s = call->stepper;
    vv_arena *arena = &s->system->arena;
    work w = { .call = call, .s = s, .t = call->trial, .p = (vv_projection *)call->solver };
    size_t mark = vv_arena_mark(arena);
    double **vectors[] = { &w.start_q, &w.start_v, &w.to_q, &w.to_v, &w.from_q, &w.from_v, &w.dq, &w.dv };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = vv_arena_push(arena, vv_node_space(s->system), sizeof(double));
    vv_copy(vv_node_space(s->system), w.t->q, w.start_q);
    vv_copy(vv_node_space(s->system), w.t->v, w.start_v);
    vvStatus status = find_groups(&w);
    if (status == VV_OK) {
        vv_symmetry_find(s, w.t, w.p, (int)call->values[MOMENTUM], call->values[REGULARIZATION]);
        set_scales(&w);
        for (int b = 0; b < s->bodies; b++)
            w.p->groups[b].move = true;
        open_accounts(&w);
        status = project(&w, error);
    }
    if (status == VV_OK) {
        call->note = shortfall(&w);
        close_accounts(&w);
    }
    call->alpha = w.iterations;
    vv_arena_release(arena, mark);
    return status;
}

const vv_policy_ops vv_policy_project = {
    .info = { "project", "FEPR: to the nearest state with the target energy and the momenta" },
    .touches = VV_TOUCHES_VELOCITIES | VV_TOUCHES_POSITIONS,
    .wants_gradients = true,
    .aims = true,
    .vectors = 12,
    .params = { sizeof params / sizeof *params, params },
    .solver = &object,
    .memory = sizeof(bool),
    .body_memory = sizeof(double),
    .apply = apply,
};

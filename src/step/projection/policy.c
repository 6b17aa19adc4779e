/* Projection onto the target energy and the momenta (Dinev, Liu, Li, Thomaszewski, Kavan 2018, FEPR; theory §3.10).
 *
 * After any scheme: the state nearest to (q*, v*), in 1/2 |q - q*|^2_M + h^2/2 |v - v*|^2_M, with H = T and the
 * momenta that the bodies should have, by the paper's iteration: linearise at the iterate, step
 * (step/projection/projection.h). Each iteration costs one energy, one gradient and two passes over the nodes. A step
 * that brings a group no nearer is shortened (step/projection/control.c); where none helps, H stays off T, only the
 * momenta are kept, and the ledger shows the rest. Positions move as a line search moves them: no intersection, no
 * inversion; where something blocks them, only velocities are corrected. */
#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "energy/links/links.h"
#include "energy/points/simple.h"
#include "solve/vectors.h"
#include "step/projection/work.h"
#include "step/schemes/scheme.h"

#include <string.h>

/* ---- the policy's object ---- */

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
    size_t bodies =
        (size_t)def->system->bodies + 1; /* the single account of all bodies needs room in an empty world, too */
    if (!p)
        return vv_fail_memory(error, "the projection");
    p->pieces = cut(def->system, NULL);
    p->piece = vv_alloc((size_t)p->pieces, sizeof *p->piece);
    p->partial = vv_alloc((size_t)p->pieces, sizeof *p->partial);
    p->groups = vv_alloc(bodies, sizeof *p->groups);
    p->group_of = vv_alloc(bodies, sizeof *p->group_of);
    p->outside = vv_alloc(bodies, sizeof *p->outside);
    p->found = vv_alloc(bodies, vv_symmetry_bytes());
    p->by_body = vv_alloc(VV_ACCOUNTS_ARRAYS * bodies, sizeof *p->by_body);
    if (!(p->piece && p->partial && p->groups && p->group_of && p->outside && p->found && p->by_body)) {
        destroy(&p->base);
        return vv_fail_memory(error, "the projection");
    }
    cut(def->system, p->piece);
    *out = &p->base;
    return VV_OK;
}

static const vv_solver_ops object = { .info = { "projection", "sums and accounts" },
                                      .create = create,
                                      .destroy = destroy };

/* ---- parameters ---- */

static const vvInfo momenta[] = {
    [VV_MOMENTUM_AUTO] = { "auto", "hard for bodies without outside forces, else ledger" },
    [VV_MOMENTUM_SOFT] = { "soft", "between those of the last step and the scheme's, as in the paper" },
    [VV_MOMENTUM_HARD] = { "hard", "those of the last step" },
    [VV_MOMENTUM_LEDGER] = { "ledger", "those of the last step and the known impulses; impulses of supports and "
                                       "obstacles are free" },
};
static const vvInfo iterations[] = {
    [VV_ITERATION_OWN] = { "own", "to second order, in conjugate directions, with fallbacks" },
    [VV_ITERATION_PAPER] = { "paper", "the paper's: full steps of Eq. 8, 13 and 14, without fallbacks" },
};
static const vvParam params[] = {
    { "momentum",
      "\"project\": which momenta the projection keeps",
      "",
      1,
      true,
      { VV_MOMENTUM_AUTO },
      0,
      VV_MOMENTUM_LEDGER,
      4,
      momenta },
    VV_SCOPE_PARAM,
    { "project_tolerance",
      "\"project\": allowed sum of the residuals of the seven constraints, each relative to its scale",
      "",
      1,
      false,
      { 1e-7 },
      0,
      1 },
    { "project_absolute",
      "\"project\": that sum is in J, kg m/s and kg m^2/s instead, as in the paper",
      "",
      1,
      true,
      { 0 },
      0,
      1 },
    { "project_regularization",
      "\"project\": c of the paper's c m r^2, with momentum \"soft\"",
      "",
      1,
      false,
      { 1e-3 },
      1e-12,
      1e6 },
    { "project_iterations", "\"project\": most iterations in a step", "", 1, true, { 30 }, 0, 1000 },
    { "project_iteration",
      "\"project\": iteration towards the target",
      "",
      1,
      true,
      { VV_ITERATION_OWN },
      0,
      VV_ITERATION_PAPER,
      2,
      iterations },
};

/* ---- one application ---- */

static bool as_in_paper(const vv_projection_work *w)
{
    return w->call->values[VV_PROJECT_ITERATION] == VV_ITERATION_PAPER;
}

static vvStatus find_groups(const vv_projection_work *w)
{
    const vv_system *y = w->s->system;
    int *group = w->p->group_of;
    if (vv_touching_find(w->s, w->t->q, group, w->p->outside) != VV_OK)
        return VV_ERROR_MEMORY;
    if (!vv_projection_all_one(w))
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
static void set_scales(const vv_projection_work *w)
{
    double mass = 0;
    for (int b = 0; b < w->s->bodies; b++)
        mass += w->p->groups[b].sums.mass;
    for (int b = 0; b < w->s->bodies; b++)
        w->p->groups[b].scale = mass > 0 ? w->s->state->ledger.scale * (w->p->groups[b].sums.mass / mass) : 0;
}

/* ---- where groups are ---- */

static void measure(const vv_projection_work *w)
{
    vv_projection *p = w->p;
    vv_projection_sum(w->s, p, &(vv_projection_state){ w->t->q, w->t->v, w->t->gradient, w->nodes.dq, w->nodes.dv });
    for (int b = 0; b < w->s->bodies; b++)
        p->groups[b].excess = 0.5 * p->groups[b].sums.square - p->groups[b].target;
    for (int b = 0; b < w->s->bodies && !vv_projection_all_one(w); b++)
        if (p->group_of[b] >= 0)
            p->groups[p->group_of[b]].excess += w->t->body_energy[b] + w->t->body_other[b];
    if (vv_projection_all_one(w))
        p->groups[0].excess = w->t->energies.kinetic + w->t->potential - p->groups[0].target;
    for (int b = 0; b < w->s->bodies; b++)
        if (p->groups[b].used)
            vv_projection_constraints(p->groups + b, w->call->values[VV_PROJECT_ABSOLUTE] != 0);
}

/* A state is near if it is within ten times the length of the step, and a tenth of the body's size. */
static void set_near(const vv_projection_work *w)
{
    const vv_system *y = w->s->system;
    for (int b = 0; b < w->s->bodies; b++)
        w->p->groups[b].near = 0;
    for (int i = 0; i < y->nodes; i++) {
        const int k = w->p->group_of[y->body[i]];
        if (k < 0 || y->unknown[i] < 0)
            continue;
        vv_projection_group *g = w->p->groups + k;
        for (size_t c = 0; c < 3; c++) {
            const double way = w->t->q[3 * (size_t)i + c] - w->s->state->q[3 * (size_t)i + c] - g->flown[c];
            g->near += y->mass[i] * way * way;
        }
    }
    for (int b = 0; b < w->s->bodies; b++) {
        vv_projection_group *g = w->p->groups + b;
        g->way = sqrt(g->near);
        g->near = 10 * g->way + 0.1 * g->radius * sqrt(g->sums.mass);
    }
}

/* Groups of one body that touch nothing. */
static void find_alone(const vv_projection_work *w)
{
    for (int b = 0; b < w->s->bodies; b++)
        w->p->groups[b].alone = w->p->groups[b].used && !w->p->outside[b];
    for (int b = 0; b < w->s->bodies; b++)
        if (w->p->group_of[b] >= 0 && w->p->group_of[b] != b)
            w->p->groups[w->p->group_of[b]].alone = false;
}

/* ---- where they go ---- */

/* Groups whose next direction begins where no energy was evaluated. */
static void go_on(const vv_projection_work *w, const vv_projection_rules *rules)
{
    bool any = false;
    for (int b = 0; b < w->s->bodies; b++)
        any = any || (w->p->groups[b].used && w->p->groups[b].between != 0);
    if (!any)
        return;
    vv_projection_between(w->s, w->p, w->t, &w->nodes);
    vv_projection_sum(w->s, w->p,
                      &(vv_projection_state){ w->nodes.from_q, w->nodes.from_v, w->nodes.from_g, NULL, NULL });
    for (int b = 0; b < w->s->bodies; b++)
        if (w->p->groups[b].used && w->p->groups[b].between != 0)
            vv_projection_go_on(rules, w->p->groups + b);
}

static void begin_round(const vv_projection_rules *rules, vv_projection_group *g)
{
    g->phase = VV_PROJECT_READY;
    g->move = g->energy && !g->put_back; /* not for groups that stopped trying to meet their energy */
    g->energy = true;
    g->stale = g->halves = g->scaled = 0;
    g->best = INFINITY;
    g->bend = 0;
    g->rises = g->blocked = false;
    if (!g->returned) /* once in a step */
        g->limit = rules->most;
}

/* Towards the current targets. */
static vvStatus iterate(vv_projection_work *w, bool later, vvError *error)
{
    const int before = w->iterations;
    const vv_projection_rules rules = { w->call->values[VV_PROJECT_TOLERANCE],
                                        w->call->values[VV_PROJECT_ABSOLUTE] != 0,
                                        (int)w->call->values[VV_PROJECT_ITERATIONS],
                                        w->s->h,
                                        later,
                                        w->last,
                                        as_in_paper(w) };
    for (int b = 0; b < w->s->bodies; b++)
        begin_round(&rules, w->p->groups + b);
    for (;;) {
        bool any = false;
        measure(w);
        for (int b = 0; b < w->s->bodies; b++)
            if (w->p->groups[b].used) {
                vv_projection_group *g = w->p->groups + b;
                if (w->iterations == before)
                    g->excess_start = g->excess;
                if (w->iterations == 0)
                    vv_projection_note_end(g);
                vv_projection_decide(&rules, w->iterations, g);
                any = any || g->moves || g->between != 0;
            }
        if (!any && (w->confirmed == w->moved || vv_projection_confirm(w->s, w->p, w->t, &w->nodes))) {
            w->confirmed = w->moved;
            return VV_OK;
        }
        if (!any) {
            w->confirmed = w->moved; /* a group that was restored needs no direction */
            continue;
        }
        vvStatus status = vv_check_cancelled(&w->s->options, error);
        if (status != VV_OK)
            return status;
        go_on(w, &rules);
        w->iterations++;
        w->moved += vv_projection_go(w->s, w->p, w->t, &w->nodes);
    }
}

/* ---- the policy ---- */

/* Losses and work depend on the end of the step, so the target changes with it. */
static bool target_may_move(const vv_stepper *s, const vv_trial *t)
{
    for (int i = 0; t->end_forces > 0 && i < s->system->energies; i++)
        if (vv_attachment_moves(s->system->energy[i]) || vv_links_move(s->system->energy[i]))
            return true;
    return s->forced || s->system->dissipations > 0 || s->system->unknowns < s->system->nodes;
}

/* How far targets have moved from those that the groups aimed at, as fractions of the scales. */
static double moved_on(const vv_projection_work *w)
{
    double most = 0;
    for (int b = 0; b < w->s->bodies; b++) {
        const vv_projection_group *g = w->p->groups + b;
        if (g->used && g->scale > 0)
            most = fmax(most, fabs(g->booked - g->target) / g->scale);
    }
    return most;
}

/* To where the target, as a function of the energy that is reached, equals it: by the secant through the last two
 * rounds. Friction may take more than an additional joule of motion brings: then following it would lead ever farther
 * away. */
static void follow(vv_projection_group *g)
{
    static const double STEEPEST = 0.5; /* rising so steeply, it is only followed */
    const double reached = g->target + g->excess, slope = (g->booked - g->booked_last) / (reached - g->reached_last);
    g->target = g->booked + (isfinite(slope) && slope < STEEPEST ? slope / (1 - slope) * (g->booked - reached) : 0);
    g->reached_last = reached, g->booked_last = g->booked;
}

enum { MOST_ROUNDS = 10 };

/* The round whose end is nearest to the target that the ledger books for it. */
typedef struct best_round {
    double off, *q, *v;
} best_round;

/* Books the end of the round. False: it is near enough to its target. */
static bool book_round(vv_projection_work *w, best_round *best)
{
    const size_t n = vv_node_space(w->s->system);
    const vv_booking booking = vv_trial_book(w->s, w->t);
    vv_accounts_book(w, &booking);
    const double off = moved_on(w);
    if (off < best->off) {
        best->off = off;
        vv_copy(n, w->t->q, best->q);
        vv_copy(n, w->t->v, best->v);
    }
    return off > w->call->values[VV_PROJECT_TOLERANCE];
}

/* Losses may change by more than the energy does that is to follow them. */
static void take_best(vv_projection_work *w, const best_round *best)
{
    if (!(moved_on(w) > best->off) || !vv_trial_look(w->s, w->t, best->q, best->v))
        return;
    const vv_booking booking = vv_trial_book(w->s, w->t);
    vv_accounts_book(w, &booking);
    for (int b = 0; b < w->s->bodies; b++)
        w->p->groups[b].target = w->p->groups[b].booked;
    measure(w);
}

static vvStatus project(vv_projection_work *w, const vv_booking *booked, vvError *error)
{
    const int before = w->iterations;
    vv_projection_group *groups = w->p->groups;
    best_round best = { INFINITY, w->nodes.best_q, w->nodes.best_v };
    vv_accounts_book(w, booked);
    for (int b = 0; b < w->s->bodies; b++) {
        groups[b].target = groups[b].booked;
        groups[b].reached_last = groups[b].booked_last = NAN;
    }
    measure(w);
    if (!as_in_paper(w))
        vv_projection_push_apart(w);
    vvStatus status = iterate(w, false, error);
    if (status != VV_OK || w->iterations == before || !target_may_move(w->s, w->t))
        return status;
    for (int round = 1; status == VV_OK && book_round(w, &best) && round < MOST_ROUNDS; round++) {
        for (int b = 0; b < w->s->bodies; b++)
            follow(groups + b);
        status = iterate(w, true, error);
    }
    if (status == VV_OK)
        take_best(w, &best);
    for (int b = 0; b < w->s->bodies; b++) /* accounts close with the targets at the end of the step */
        groups[b].excess += groups[b].target - groups[b].booked;
    return status;
}

/* ---- the step ---- */

/* The group that is furthest off its target, as a part of the scale of all; NULL: none is off. */
static const vv_projection_group *furthest(const vv_projection_work *w, double *off)
{
    const double tolerance = 10 * w->call->values[VV_PROJECT_TOLERANCE], scale = w->s->state->ledger.scale;
    const vv_projection_group *worst = NULL;
    *off = 0;
    for (int b = 0; b < w->s->bodies; b++) {
        const vv_projection_group *g = w->p->groups + b;
        const double excess = fabs(g->excess);
        if (!g->used || !(excess > tolerance * (w->call->values[VV_PROJECT_ABSOLUTE] != 0 ? 1 : g->scale)))
            continue;
        if (!worst || excess > *off * scale)
            worst = g, *off = scale > 0 ? excess / scale : INFINITY;
    }
    return worst;
}

/* The trial as it is, corrected. */
static vvStatus correct(vv_projection_work *w, const vv_booking *booking, vvError *error)
{
    const double *values = w->call->values;
    vv_copy(vv_node_space(w->s->system), w->t->q, w->nodes.start_q);
    vv_copy(vv_node_space(w->s->system), w->t->v, w->nodes.start_v);
    vvStatus status = find_groups(w);
    if (status != VV_OK)
        return status;
    vv_symmetry_find(w->s, w->t, w->p, (int)values[VV_PROJECT_MOMENTUM], values[VV_PROJECT_REGULARIZATION]);
    set_scales(w);
    set_near(w);
    find_alone(w);
    vv_projection_find_orbits(w->s, w->p, w->t->q);
    for (int b = 0; b < w->s->bodies; b++) {
        w->p->groups[b].energy = true;
        w->p->groups[b].placed = w->p->groups[b].placed && !as_in_paper(w);
    }
    vv_accounts_open(w);
    w->iterations = w->moved = w->confirmed = 0;
    return project(w, booking, error);
}

/* A step of backward Euler ends with no more energy than it began with, and velocities can supply what is missing. So
 * it is corrected instead of the scheme's step where that failed or could not be brought to its target. */
static vvStatus correct_euler(vv_projection_work *w, vvError *error)
{
    vv_trial_def def = { .row = vv_scheme_find("backward-euler"), .guess = w->s->state->q };
    vv_trial *euler = vv_trial_take(w->s);
    if (!euler)
        return vv_fail_memory(error, "the trial of a projection");
    vvStatus status = vv_trial_solve(w->s, &def, euler, error);
    if (status == VV_OK && !(euler->potential < INFINITY))
        status = VV_ERROR_SOLVER;
    if (status != VV_OK)
        return status;
    vv_trial_copy(w->s, w->t, euler);
    const vv_booking booking = vv_trial_book(w->s, w->t);
    w->last = true;
    return correct(w, &booking, error);
}

/* For the step's report. */
static const char *note_of(const vv_projection_work *w)
{
    double off;
    const vv_projection_group *g = furthest(w, &off);
    if (g)
        return g->excess > 0
                   ? "project: H stays above its target: no nearby state has so little energy, or something blocks the "
                     "path"
                   : "project: H stays below its target: something blocks the path, or project_iterations ran out";
    if (w->last)
        return "project: the scheme's step could not be brought to its target; the step is backward Euler's, corrected";
    for (int b = 0; b < w->s->bodies; b++)
        if (w->p->groups[b].used && w->p->groups[b].carried)
            return "project: a body in flight could not be corrected at the scheme's end; its start, moved along its "
                   "orbit, was corrected instead";
    return NULL;
}

/* Corrects the scheme's trial or, where there is none, that of backward Euler. */
static vvStatus make(vv_policy_call *call, bool scheme, vvError *error)
{
    static const double FAR_OFF = 1e-3; /* of S: smaller deviations are left to later steps */
    vv_stepper *s = call->stepper;
    vv_arena *arena = &s->system->arena;
    vv_projection_work w = { .call = call, .s = s, .t = call->trial, .p = (vv_projection *)call->solver };
    size_t mark = vv_arena_mark(arena);
    double off = INFINITY;
    vv_projection_nodes_take(s, &w.nodes);
    vvStatus status = scheme ? correct(&w, call->booking, error) : VV_OK;
    if (status == VV_OK && scheme)
        furthest(&w, &off);
    const bool rescued = !scheme || (call->values[VV_PROJECT_ITERATIONS] > 0 && !as_in_paper(&w));
    if (status == VV_OK && off > FAR_OFF && rescued) {
        status = correct_euler(&w, error);
        if (status == VV_ERROR_SOLVER && scheme) /* then what there is stays */
            status = VV_OK;
    }
    if (status == VV_OK) {
        call->note = note_of(&w);
        vv_accounts_close(&w);
    }
    call->alpha = w.moved;
    vv_arena_release(arena, mark);
    return status;
}

static vvStatus apply(vv_policy_call *call, vvError *error) { return make(call, true, error); }
static vvStatus rescue(vv_policy_call *call, vvError *error) { return make(call, false, error); }

const vv_policy_ops vv_policy_project = {
    .info = { "project", "FEPR: to the nearest state with the target energy and the momenta" },
    .makes_good = true,
    .touches = VV_TOUCHES_VELOCITIES | VV_TOUCHES_POSITIONS,
    .wants_gradients = true,
    .aims = true,
    .steadier = "set integrator.momentum to soft, or integrator.policy to blend",
    .trials = 1,
    .vectors = VV_PROJECTION_VECTORS + 10,
    .params = { sizeof params / sizeof *params, params },
    .solver = &object,
    .memory = sizeof(bool),
    .sound = vv_policy_sound_flag,
    .body_memory = sizeof(double),
    .rescue = rescue,
    .apply = apply,
};

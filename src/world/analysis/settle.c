/* Static equilibrium (theory §7.1): backward Euler steps without velocity and with a growing h (the proximal point
 * method), each a minimisation of E(q) + |q - q_k|^2_M / (2 h^2) by the world's own solver, which may be one made for
 * it: where no step needs it, none is kept. Bodies may slide and land on obstacles along the path. */
#include "base/error.h"
#include "base/vec.h"
#include "solve/vectors.h"
#include "world/analysis/analysis.h"

/* Of what has mass: a kinematic ground may be far larger than all that comes to rest on it. */
static double extent(const vv_system *s, const double *q)
{
    double lo[3] = { INFINITY, INFINITY, INFINITY }, hi[3] = { -INFINITY, -INFINITY, -INFINITY }, d[3];
    bool any = false;
    for (size_t i = 0; i < (size_t)s->nodes; i++)
        for (int k = 0; k < 3 && s->mass[i] > 0; k++) {
            any = true;
            lo[k] = fmin(lo[k], q[3 * i + k]);
            hi[k] = fmax(hi[k], q[3 * i + k]);
        }
    vv_sub(hi, lo, d);
    double length = any ? vv_norm(d) : 0;
    return length > 0 || !any ? length : 1; /* a single point: 1 m */
}

static double farthest(const vv_system *s, const double *a, const double *b)
{
    double most = 0;
    for (size_t i = 0; i < (size_t)s->nodes; i++) {
        double d[3];
        vv_sub(a + 3 * i, b + 3 * i, d);
        most = fmax(most, vv_norm(d));
    }
    return most;
}

enum { LEVEL = 20, MOST_STEPS = 400 }; /* steps in a row that hardly change the energy; in all */
static const double FALLEN = 1e4;      /* extents of the world */

/* One search for equilibrium. */
typedef struct search {
    const vv_system *system;
    const double *q, *anchor, *start; /* where it is, where it was a step before, where it began */
    double size;                      /* m */
    double h, first, last;            /* s, J: the energies at the start and after the step before */
    int steps, quiet, level;          /* steps in a row in which all stood still; in which the energy did */
    int iterations;
    vvWorld *tells; /* whose host is told where the shape gives way; NULL: nobody */
} search;

/* ---- shapes that give way ---- */

static const double FAR = 0.01;     /* of the size, in a step */
static const double STEEPER = 1e-2; /* of the slope */
enum { SOON = 20 };                 /* iterations of solves: what is found in fewer needs no words */

/* Anything that holds or loads nodes: what only falls and rolls gives way for other reasons. */
static bool is_held(const vvWorld *w)
{
    bool held = false;
    for (size_t a = 0; a < w->attach_count; a++)
        held = held || !w->attaches[a].released;
    return held;
}

/* Whether the energy falls ever more steeply along the step just made: then no load step leads here from where it
 * began. */
static bool gives_way(const search *s, vv_system *sys)
{
    const size_t mark = vv_arena_mark(&sys->arena), n = vv_node_space(sys);
    double *before = vv_arena_push(&sys->arena, n, sizeof *before), *now = vv_arena_push(&sys->arena, n, sizeof *now),
           slope[2] = { 0 };
    vv_system_gradient(sys, s->anchor, before);
    vv_system_gradient(sys, s->q, now);
    for (size_t i = 0; i < n; i++)
        if (sys->unknown[i / 3] >= 0) {
            slope[0] += before[i] * (s->q[i] - s->anchor[i]);
            slope[1] += now[i] * (s->q[i] - s->anchor[i]);
        }
    vv_arena_release(&sys->arena, mark);
    return slope[1] < slope[0] && slope[0] - slope[1] > STEEPER * (fabs(slope[0]) + fabs(slope[1]));
}

static void tell(const search *s, vv_system *sys)
{
    vvWorld *w = s->tells;
    if (!w || w->way_told || s->iterations < SOON || !is_held(w) || farthest(sys, s->q, s->anchor) < FAR * s->size ||
        !gives_way(s, sys))
        return;
    w->way_told = true;
    vv_world_log(w, VV_LOG_WARNING,
                 "settle: the shape gives way under its loads: it buckles, snaps or falls over. An equilibrium may be "
                 "far from here, and take long to find; to see at which load that is, and what comes then, let the "
                 "load grow by keys (`visviva settle --over`), or make a run; or take a smaller load");
}

/* ---- the search ---- */

/* Whether the search must be given up. */
static vvStatus check_hope(const search *s, vvError *error)
{
    if (farthest(s->system, s->q, s->start) > FALLEN * s->size || s->steps > MOST_STEPS)
        return vv_fail(error, VV_ERROR_SOLVER,
                       "settle: no static equilibrium: %s; give integrator.ground_energy a number "
                       "(J) or \"none\"",
                       s->steps > MOST_STEPS
                           ? "the bodies still move after 400 steps; where loads are more than a shape "
                             "bears, take smaller ones, or let them grow by keys"
                           : "nothing stops the fall");
    return VV_OK;
}

/* Whether the step just made ends the search: energy and positions have stopped changing at a large h, twice; or the
 * energy has, for long: what rolls or slides about on the level never stands still. */
static bool at_rest(search *s)
{
    double now = vv_system_energy(s->system, s->q), change = fabs(s->last - now),
           scale = fabs(s->first - now) + fabs(now);
    bool still = change <= 1e-9 * scale && farthest(s->system, s->q, s->anchor) <= 1e-5 * s->size;
    s->quiet = still && s->h > 0.9 ? s->quiet + 1 : 0;
    s->level = change <= 1e-7 * scale && s->h > 0.1 ? s->level + 1 : 0;
    s->last = now;
    return s->quiet >= 2 || s->level >= LEVEL;
}

static vv_solve_options options_of(const vv_loan *loan)
{
    vv_solve_options options = loan->options;
    options.gradient_tolerance = options.force_tolerance = 0;
    options.contact_tolerance = 0;
    options.velocity_tolerance = 0;
    options.max_iterations = 500;
    options.hessian = VV_HESSIAN_PROJECTED;
    return options;
}

static vvStatus settle(vv_stepper *stepper, vv_system *sys, const vv_loan *loan, vvWorld *tells, double *q,
                       vvError *error)
{
    size_t mark = vv_arena_mark(&sys->arena), n = vv_node_space(sys);
    double *anchor = vv_arena_push(&sys->arena, n, sizeof *anchor),
           *start = vv_arena_push(&sys->arena, n, sizeof *start);
    vv_copy(n, q, start);
    search s = { .system = sys,
                 .q = q,
                 .anchor = anchor,
                 .start = start,
                 .size = extent(sys, q),
                 .h = loan->h,
                 .tells = tells,
                 .first = vv_system_energy(sys, q) };
    s.last = s.first;
    vv_solve_options options = options_of(loan);
    vvStatus status =
        s.first < INFINITY ? VV_OK : vv_fail(error, VV_ERROR_SOLVER, "settle: the start is in penetration or inverted");
    for (bool settled = sys->unknowns == 0; status == VV_OK && !settled; s.steps++) {
        vv_solve_stats stats = { 0 };
        vv_copy(n, q, anchor);
        vv_stepper_push_again(stepper, loan, q);
        vv_objective o = { .system = sys, .h = s.h, .y = anchor, .samples = 1 };
        o.sample[0].w = o.sample[0].beta = 1;
        options.tolerance = 1e-6 * s.size / s.h;
        status = loan->solver->ops->minimise(loan->solver, &o, q, NULL, &options, &stats, error);
        s.iterations += stats.iterations;
        if (status == VV_OK)
            status = check_hope(&s, error);
        if (status != VV_OK)
            break;
        tell(&s, sys);
        settled = at_rest(&s);
        if (s.h < 30)
            s.h *= stats.iterations < 30 ? 2 : 1;
    }
    vv_arena_release(&sys->arena, mark);
    return status;
}

/* Whether anything is there that holds or carries a body. */
static bool anything_stands(const vvWorld *w)
{
    bool stands = vv_norm(w->def.gravity) == 0 || (w->contact && w->obstacle_count > 0);
    for (size_t a = 0; a < w->attach_count; a++)
        stands = stands || (!vv_attach_loads(w->attaches + a) && !w->attaches[a].released);
    for (size_t b = 0; b < w->body_count; b++)
        stands = stands || w->bodies[b].kinematic;
    for (size_t j = 0; j < w->joint_count; j++)
        stands = stands || (w->joints[j].state.broken == 0 && (w->joints[j].body[0] < 0 || w->joints[j].body[1] < 0));
    return stands;
}

vvStatus vv_settle(vvWorld *w, bool lasting, double *q, double *energy, vvError *error)
{
    vv_loan loan;
    if (!anything_stands(w))
        return vv_fail(error, VV_ERROR_SOLVER,
                       "settle: no static equilibrium: nothing stops the fall; give integrator.ground_energy "
                       "a number (J) or \"none\"");
    vvStatus status = vv_stepper_lend_solver(w->stepper, lasting, &loan, error);
    if (status != VV_OK)
        return status;
    status = settle(w->stepper, &w->system, &loan, lasting ? NULL : w, q, error);
    vv_stepper_take_back(w->stepper, &loan);
    if (status == VV_OK && energy) /* of H, in which what pushes has no part */
        *energy = vv_system_energy(&w->system, q);
    vvError why;
    vvStatus queries = vv_contact_status(w->contact, &why); /* what made the solve fail, if it is not VV_OK */
    return queries == VV_OK ? status : vv_fail(error, queries, "%s", why.message);
}

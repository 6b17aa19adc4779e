/* Filtered search: A-search whose energy shows in the motion (ours; theory §3.6).
 *
 * A-search returns as velocity, v = w - alpha dv with dv = h M^-1 (grad E(q_n) - grad E(q)), the step's loss of motion.
 * In a mode with x = (h omega)^2 that is alpha x w: the stiffer the mode the more, and the next solve removes it again.
 * Here vibrations that the step cannot resolve are filtered out of the correction. With K the projected Hessian at q of
 * all energies but contact, s the parameter "filter" and F = (M + s h^2 K)^-1 M: y1 = F dv, y2 = F y1, d = 2 y1 - y2 =
 * (I - (I - F)^2) dv. A component (step/bodies/components.h) without supports also keeps its rigid motion exactly: R
 * has the momenta of the impulses that act on it in the step, Rig(u) those of a field u, t is the change of contact's
 * push over the step. With u' = u - Rig(u): start = w' + R - d', brake = d', push = t, grow = d' - w', feed = y1', turn
 * = R - Rig(w); one that is held: start = w - d, brake = d, grow = d - w, feed = y1. The coefficients are those of all
 * bodies in touch, so that action and reaction agree. At H > T: brake, then turn, then less of all vibrations. At H <
 * T: push; energy still missing lets all vibrations grow alike, slowly; energy missing beyond the slack feeds the
 * fastest vibrations that the step resolves, slowly for earlier losses, at once for this step's. The loss of a flight
 * waits for a push. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "solve/vectors.h"
#include "step/filtered/bounce.h"
#include "step/filtered/filtered.h"
#include "step/bodies/touching.h"

/* ---- the policy's object ---- */

enum { OPEN, TAKEN, OWED, LIVELY, RUBBED, SCRATCH, ARRAYS = SCRATCH + VV_SHARES_SCRATCH };

/* Of each body, between steps; energies in J. */
typedef struct memory {
    double owed; /* T - H */
    double fell; /* what flights have cost of it, which belongs to the next push and not to vibrations */
    double most; /* of its kinetic and elastic energy, so far */
    double mean; /* kinetic energy of late */
    vv_bounce bounce;
} memory;

static void destroy(vv_solver *solver)
{
    vv_filtered *f = (vv_filtered *)solver;
    vv_components_free(&f->components);
    vv_free(f->parts);
    vv_free(f->groups);
    vv_free(f->group_of);
    vv_free(f->outside);
    vv_free(f->flight);
    vv_free(f->sinks);
    vv_free(f->by_body);
    vv_equation_solver_destroy(solver);
}

static vvStatus regroup(vv_solver *solver, const vv_system *system, vvError *error)
{
    vv_filtered *f = (vv_filtered *)solver;
    vv_components fresh;
    vvStatus status = vv_components_find(system, &fresh, error);
    if (status != VV_OK)
        return status;
    vv_filtered_part *parts = vv_alloc((size_t)fresh.count, sizeof *parts);
    if (!parts) {
        vv_components_free(&fresh);
        return vv_fail_memory(error, "the filtered search");
    }
    vv_components_free(&f->components);
    vv_free(f->parts);
    f->components = fresh;
    f->parts = parts;
    return VV_OK;
}

static vvStatus create(const vv_solver_def *def, vv_solver **out, vvError *error)
{
    static const vv_selection elastic = { ~VV_ROW_BIT(VV_ROW_CONTACT), 0 };
    vvStatus status = vv_equation_solver_create_of(def, sizeof(vv_filtered), elastic, out, error);
    if (status != VV_OK)
        return status;
    vv_filtered *f = (vv_filtered *)*out;
    size_t bodies = (size_t)def->system->bodies + 1; /* one account for all needs a place in an empty world, too */
    status = vv_components_find(def->system, &f->components, error);
    f->parts = vv_alloc((size_t)f->components.count, sizeof *f->parts);
    f->groups = vv_alloc(bodies, sizeof *f->groups);
    f->group_of = vv_alloc(bodies, sizeof *f->group_of);
    f->outside = vv_alloc(bodies, sizeof *f->outside);
    f->flight = vv_alloc(bodies, sizeof *f->flight);
    f->sinks = vv_alloc(bodies, sizeof *f->sinks);
    f->by_body = vv_alloc(ARRAYS * bodies, sizeof *f->by_body);
    if (status == VV_OK && !(f->parts && f->groups && f->group_of && f->outside && f->flight && f->sinks && f->by_body))
        status = vv_fail_memory(error, "the filtered search");
    if (status != VV_OK) {
        destroy(*out);
        *out = NULL;
    }
    return status;
}

static const vv_solver_ops equations = {
    .info = { "filter", "M + s h^2 K without contact" },
    .create = create,
    .destroy = destroy,
    .state_size = vv_equation_solver_state_size,
    .save = vv_equation_solver_save,
    .load = vv_equation_solver_load,
};

/* ---- parameters ---- */

static const vvParam params[] = {
    { "beta",
      "\"filtered-search\": range of beta, the growth of all vibrations in a step, smallest first",
      "",
      2,
      false,
      { 0, 0.05 },
      0,
      10 },
    { "delta",
      "\"filtered-search\": largest delta, which feeds the fastest vibrations that the step can resolve",
      "",
      1,
      false,
      { 1 },
      0,
      100 },
    { "slack",
      "\"filtered-search\": fraction of the bodies' greatest energy of motion that may be missing before delta acts",
      "",
      1,
      false,
      { 0.02 },
      0,
      1 },
    { "push", "\"filtered-search\": largest factor for contact's pushes", "", 1, false, { 1.22 }, 1, 10 },
    { "filter",
      "\"filtered-search\": vibrations with (h omega)^2 beyond 1 / filter are filtered out; 0: none",
      "",
      1,
      false,
      { 0.0625 },
      0,
      100 },
    VV_SCOPE_PARAM,
};

static vvStatus check(const double *values, vvError *error)
{
    if (values[VV_FILTERED_BETA_MIN] <= values[VV_FILTERED_BETA_MAX])
        return VV_OK;
    return vv_fail(error, VV_ERROR_INPUT,
                   "integrator.beta[1] is %g; it must be at least %g, the smallest beta, and at most 10",
                   values[VV_FILTERED_BETA_MAX], values[VV_FILTERED_BETA_MIN]);
}

/* ---- one application ---- */

typedef struct work {
    vv_policy_call *call;
    vv_stepper *s;
    vv_trial *t;
    vv_filtered *f;
    vv_filtered_input in;
} work;

static double *by_body(const work *w, int which) { return w->f->by_body + which * (size_t)w->s->bodies; }
static bool all_one(const work *w) { return w->call->values[VV_FILTERED_SCOPE] == VV_SCOPE_WORLD; }

/* Whose coefficients a body has; -1: none. */
static int chooser(const work *w, int body)
{
    return all_one(w) && w->f->group_of[body] >= 0 ? 0 : w->f->group_of[body];
}

/* The impulses per mass that act on the free nodes in this step, added to v_n; those that the solve left to whoever
 * carries a body are among them. */
static void impelled(const work *w, double *u)
{
    const vv_system *y = w->s->system;
    const double *g = vv_stepper_start_gradient(w->s), *v = w->s->state->v;
    const vv_losses *l = &w->t->losses;
    for (size_t j = 0; j < vv_node_space(y); j++) {
        double impulse = w->s->h * g[j] + l->friction[j] + l->damping[j] + l->mutual[j] - w->t->left[j];
        u[j] = y->unknown[j / 3] >= 0 ? v[j] - impulse / y->mass[j / 3] : w->t->v[j];
    }
}

static void assemble(const work *w, vv_assembly *a)
{
    const double h2 = w->s->h * w->s->h;
    vv_assembly_begin(a);
    vv_assembly_add_mass(a, 1);
    vv_assembly_add_energies(w->s->system, w->t->q, w->call->values[VV_FILTERED_FILTER] * h2, VV_HESSIAN_PROJECTED,
                             NULL, a);
    vv_assembly_end(a);
}

/* d and y1, from the equations. */
static vvStatus filter(const work *w, const double *dv, double *d, double *y1, vvError *error)
{
    vv_system *y = w->s->system;
    vv_equations *a = &w->f->base.equations;
    size_t mark = vv_arena_mark(&y->arena), n = vv_unknown_space(y);
    double *b = vv_arena_push(&y->arena, n, sizeof *b), *x = vv_arena_push(&y->arena, n, sizeof *x),
           begin = vv_seconds();
    vvStatus status = vv_assembly_ready(&a->assembly, error);
    if (status == VV_OK)
        assemble(w, &a->assembly);
    w->s->spent.seconds[VV_PHASE_ASSEMBLY] += vv_seconds() - begin;
    begin = vv_seconds();
    for (int k = 0; k < 2 && status == VV_OK; k++) {
        const double *from = k ? y1 : dv;
        for (size_t i = 0; i < n; i++) {
            size_t node = (size_t)y->node[i / 3];
            b[i] = y->mass[node] * from[3 * node + i % 3];
        }
        vv_linear_stats stats = { 0 };
        status = vv_equations_solve(a, b, x, w->s->options.linear_tolerance, &stats, error);
        if (status == VV_OK && stats.indefinite)
            status = vv_fail(error, VV_ERROR_SOLVER,
                             "filtered-search: M + s h^2 K is not positive definite; use solver.linear \"pcg\" or "
                             "\"auto\", or a smaller step");
        w->s->spent.linear_solves++;
        w->s->spent.pcg_iterations += stats.iterations;
        vv_unpack(y, x, k ? d : y1);
    }
    w->s->spent.seconds[VV_PHASE_LINEAR] += vv_seconds() - begin;
    for (size_t j = 0; j < vv_node_space(y); j++)
        d[j] = 2 * y1[j] - d[j];
    vv_arena_release(&y->arena, mark);
    return status;
}

/* ---- the coefficients ---- */

static void multiply(const work *w)
{
    const vv_system *y = w->s->system;
    for (int i = 0; i < y->nodes; i++) {
        double field[VV_FIELDS][3];
        int k = chooser(w, y->body[i]);
        vv_filtered_fields(w->s, w->t, w->f, &w->in, i, field);
        if (k < 0 && all_one(w)) /* a body without free nodes is in no group, but its energy is part of H */
            w->f->groups[0].rest += 0.5 * y->mass[i] * vv_dot(field[VV_START], field[VV_START]);
        for (int a = 0; a < VV_FIELDS && k >= 0; a++)
            for (int b = 0; b <= a; b++)
                w->f->groups[k].gram[a][b] += y->mass[i] * vv_dot(field[a], field[b]);
    }
}

static void correct(const work *w)
{
    const vv_system *y = w->s->system;
    for (int i = 0; i < y->nodes; i++) {
        int k = chooser(w, y->body[i]);
        double field[VV_FIELDS][3];
        if (k < 0 || y->unknown[i] < 0)
            continue;
        vv_filtered_fields(w->s, w->t, w->f, &w->in, i, field);
        for (size_t c = 0; c < 3; c++) {
            double v = 0;
            for (int a = 0; a < VV_FIELDS; a++)
                v += w->f->groups[k].coefficient[a] * field[a][c];
            w->t->v[3 * (size_t)i + c] = v;
        }
    }
}

/* What contact's push is more in the end, friction is, too (vv_filtered_group.rub). */
static void rub(const work *w)
{
    const vv_system *y = w->s->system;
    const size_t mark = vv_arena_mark(&w->s->system->arena);
    double *more = vv_arena_push(&w->s->system->arena, (size_t)y->nodes, sizeof *more);
    vv_zero((size_t)w->s->bodies, by_body(w, RUBBED));
    for (int i = 0; i < y->nodes; i++) {
        const int k = chooser(w, y->body[i]), c = w->f->components.of[i];
        const bool free = k >= 0 && c >= 0 && !w->f->parts[c].held;
        const double *of = free ? w->f->groups[k].coefficient : NULL;
        more[i] = free ? w->f->groups[w->f->parts[c].group].rub * (of[VV_PUSH] - of[VV_TURN] - w->f->by_end) : 0;
    }
    w->call->rubbed = vv_trial_rub_more(w->s, w->t, more, by_body(w, RUBBED));
    vv_arena_release(&w->s->system->arena, mark);
}

/* The ledger shows the mean over the bodies' masses. */
static void choose_all(const work *w)
{
    const vv_system *y = w->s->system;
    double *alpha = by_body(w, SCRATCH), mass = 0, sum = 0;
    for (int b = 0; b < w->s->bodies; b++)
        if (chooser(w, b) == b || (all_one(w) && b == 0))
            alpha[b] = vv_filtered_choose(w->f->groups + b, w->call->values);
    for (int i = 0; i < y->nodes; i++)
        if (chooser(w, y->body[i]) >= 0) {
            mass += y->mass[i];
            sum += y->mass[i] * alpha[chooser(w, y->body[i])];
        }
    w->call->alpha = mass > 0 ? sum / mass : 1;
}

/* ---- accounts ---- */

static const double LATE = 100; /* steps: over about so many "of late" is */

/* Kinetic energies of late; and what a group's energies are compared with: the most that its bodies have had to move
 * with, or their share of the ledger's scale by mass, whichever is larger. */
static void measure_bodies(const work *w)
{
    const vv_system *y = w->s->system;
    memory *m = w->call->body_memory;
    const double *elastic = w->s->state->body_energy;
    double *mass = by_body(w, SCRATCH), *kinetic = by_body(w, TAKEN), *lively = by_body(w, LIVELY), sum = 0;
    bool any = false;
    vv_zero((size_t)w->s->bodies, mass);
    vv_zero((size_t)w->s->bodies, kinetic);
    for (int i = 0; i < y->nodes; i++) {
        const double *v = w->s->state->v + 3 * (size_t)i;
        mass[y->body[i]] += y->mass[i];
        kinetic[y->body[i]] += 0.5 * y->mass[i] * vv_dot(v, v);
        sum += y->mass[i];
    }
    for (int b = 0; b < w->s->bodies; b++) {
        m[b].most = fmax(m[b].most, kinetic[b] + elastic[b]);
        m[b].mean = m[b].mean == 0 ? kinetic[b] : m[b].mean + (kinetic[b] - m[b].mean) / LATE;
        lively[b] = fmin(m[b].mean, kinetic[b] + elastic[b]); /* what has stopped has nothing left to lose */
        any = any || lively[b] > 0;
        if (chooser(w, b) >= 0)
            w->f->groups[chooser(w, b)].scale += fmax(m[b].most, w->s->state->ledger.scale * (mass[b] / sum));
    }
    if (!any) /* before anything moves */
        vv_copy((size_t)w->s->bodies, elastic, lively);
}

/* What flights have cost; in touch, pushes had their chance. And who bounces. */
static void count_flights(const work *w)
{
    memory *m = w->call->body_memory;
    for (int b = 0; b < w->s->bodies; b++) {
        double flight = w->f->flight[b];
        m[b].fell = flight >= 0 ? m[b].fell + flight : 0.5 * m[b].fell;
        const bool bounces = vv_bounce_take(&m[b].bounce, flight < 0, w->f->sinks[b]);
        if (chooser(w, b) < 0)
            continue;
        vv_filtered_group *g = w->f->groups + chooser(w, b);
        g->fell += m[b].fell;
        g->bounces = g->bounces || bounces;
    }
}

static void open_accounts(const work *w)
{
    vv_filtered *f = w->f;
    const vv_system *y = w->s->system;
    double *open = by_body(w, OPEN), *taken = by_body(w, TAKEN), power = 0;
    const int bodies = w->s->bodies;
    if (all_one(w)) {
        for (int b = 0; b < bodies; b++)
            power += f->groups[b].power;
        f->groups[0].power = power;
        f->groups[0].owed = w->s->state->ledger.target - w->s->state->ledger.row.total;
        f->groups[0].rest += w->t->potential - w->call->target;
        return;
    }
    bool *started = w->call->memory;
    if (!*started)
        vv_shares_start(w->s, by_body(w, SCRATCH), by_body(w, OWED));
    for (int b = 0; b < bodies && *started; b++)
        by_body(w, OWED)[b] = ((const memory *)w->call->body_memory)[b].owed;
    *started = true;
    vv_shares_open(w->s, w->t, w->call->booking, by_body(w, OWED), by_body(w, LIVELY), by_body(w, SCRATCH), open);
    vv_zero((size_t)bodies, taken);
    for (int i = 0; i < y->nodes; i++)
        for (size_t j = 3 * (size_t)i; j < 3 * (size_t)i + 3 && y->unknown[i] >= 0; j++) {
            double change = w->t->v[j] - w->s->state->v[j];
            taken[y->body[i]] += 0.5 * y->mass[i] * change * change;
        }
    for (int b = 0; b < bodies; b++)
        if (f->group_of[b] >= 0) {
            f->groups[f->group_of[b]].rest += open[b];
            f->groups[f->group_of[b]].owed += by_body(w, OWED)[b];
        }
}

static void close_accounts(const work *w)
{
    const vv_system *y = w->s->system;
    double *open = by_body(w, OPEN);
    if (all_one(w)) { /* flights cannot have cost more than is open in all */
        memory *m = w->call->body_memory;
        double fell = w->f->groups[0].fell, most = fmax(-vv_filtered_excess(w->f->groups), 0);
        for (int b = 0; b < w->s->bodies && fell > most; b++)
            m[b].fell *= most / fell;
        return;
    }
    for (int i = 0; i < y->nodes; i++)
        open[y->body[i]] += 0.5 * y->mass[i] * vv_dot(w->t->v + 3 * (size_t)i, w->t->v + 3 * (size_t)i);
    vv_axpy((size_t)w->s->bodies, 1, by_body(w, RUBBED), open);
    vv_scale((size_t)w->s->bodies, -1, open); /* T - H: what is owed */
    vv_shares_close(w->s, w->f->group_of, open, by_body(w, TAKEN), by_body(w, SCRATCH), by_body(w, OWED));
    for (int b = 0; b < w->s->bodies; b++) {
        memory *m = (memory *)w->call->body_memory + b;
        m->owed = by_body(w, OWED)[b];
        m->fell = fmin(fmax(m->fell, 0), fmax(m->owed, 0));
    }
}

/* ---- the policy ---- */

static vvStatus apply(vv_policy_call *call, vvError *error)
{
    vv_stepper *s = call->stepper;
    vv_arena *arena = &s->system->arena;
    work w = { .call = call, .s = s, .t = call->trial, .f = (vv_filtered *)call->solver };
    size_t mark = vv_arena_mark(arena), n = vv_node_space(s->system);
    double *dv = vv_arena_push(arena, n, sizeof *dv), *u = vv_arena_push(arena, n, sizeof *u);
    double *d = vv_arena_push(arena, n, sizeof *d), *y1 = vv_arena_push(arena, n, sizeof *y1);
    w.in = (vv_filtered_input){ dv, u, d, y1 };
    vv_policy_velocity_difference(call, dv);
    vvStatus status = filter(&w, dv, d, y1, error);
    if (status == VV_OK)
        status = vv_filtered_find_groups(s, w.t, w.f);
    if (status == VV_OK) {
        impelled(&w, u);
        vv_filtered_measure(s, w.t, w.f, &w.in);
        measure_bodies(&w);
        count_flights(&w);
        open_accounts(&w);
        multiply(&w);
        choose_all(&w);
        rub(&w);
        correct(&w);
        close_accounts(&w);
    }
    vv_arena_release(arena, mark);
    return status;
}

const vv_policy_ops vv_policy_filtered_search = {
    .info = { "filtered-search", "A-search whose energy shows in the motion" },
    .suits = vv_policy_over_backward_euler,
    .touches = VV_TOUCHES_VELOCITIES,
    .makes_good = true,
    .beyond_motion = true,
    .wants_gradients = true,
    .aims = true,
    .params = { sizeof params / sizeof *params, params },
    .check = check,
    .vectors = 6,
    .regroup = regroup,
    .solver = &equations,
    .memory = sizeof(bool),
    .sound = vv_policy_sound_flag,
    .body_memory = sizeof(memory),
    .apply = apply,
};

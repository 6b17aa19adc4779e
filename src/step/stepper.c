/* Makes a stepper: its solvers and its memory (one block for all work vectors, and a warm arena). */
#include "base/error.h"
#include "base/memory.h"
#include "energy/points/simple.h"
#include "solve/newton/turn.h"
#include "solve/vectors.h"
#include "step/inside.h"

#include <stdio.h>
#include <string.h>

/* Most node vectors that a step has pushed at a time, besides further trials: 3 of the step, 17 of the discrete
 * gradient, 3 below it for derivatives. Newton in a stage, and settling, stay far below. A test compares with the
 * peak. */
enum { DEEPEST = 24 };
/* And most numbers of each body at a time, besides what turns them. */
enum { OF_BODIES = 8 };

bool vv_stepper_reserve(vv_stepper *s)
{
    size_t vector = 3 * (size_t)s->system->nodes * sizeof(double) + 64;
    const vv_policy_memory *memory = &s->state->policy;
    size_t remembered = memory->size + memory->body_size * (size_t)s->bodies + s->learned + 192;
    return vv_arena_reserve(&s->system->arena,
                            (DEEPEST + 1) * vector + remembered + 2 * (s->hooks.bears * sizeof(double) + 64) +
                                OF_BODIES * ((size_t)s->bodies * sizeof(double) + 64) + vv_turn_room(s->bodies) +
                                (size_t)s->policy->trials * vv_trial_bytes(s) + (size_t)s->policy->vectors * vector +
                                vv_springs_room(s));
}

/* ---- solvers ---- */

/* The solvers that a step may need, in the order in which they are saved; NULL: not needed. */
typedef struct kinds {
    const vv_solver_ops *solver, *fallback, *method, *own;
} kinds;

static vv_scheme scheme_of(const vvIntegratorDef *d) { return vv_scheme_made(d->scheme, d->settings, d->settingCount); }

/* A policy may ask for trials of any row. */
static kinds kinds_needed(const vv_stepper_def *d)
{
    vv_scheme row = scheme_of(d->integrator);
    const vv_policy_ops *policy = vv_policy_find(d->integrator->policy);
    bool minimises = policy->trials > 0;
    for (int i = 0; i < row.stages && !row.method; i++)
        minimises = minimises || !vv_stage_explicit(row.stage + i);
    return (kinds){ minimises ? d->solver : NULL, minimises ? d->fallback : NULL, row.method, policy->solver };
}

vv_learned vv_stepper_learned(const vv_stepper_def *d, int nodes)
{
    kinds k = kinds_needed(d);
    vv_solver_def def = { NULL, d->linear };
    vv_learned l = { vv_solver_state_size(k.solver, &def, nodes) + vv_solver_state_size(k.fallback, &def, nodes) +
                         vv_solver_state_size(k.method, &def, nodes) + vv_solver_state_size(k.own, &def, nodes),
                     "" };
    snprintf(l.name, sizeof l.name, "%s%s%s%s/%s", k.method ? k.method->info.name : "",
             k.solver ? k.solver->info.name : "", k.fallback ? k.fallback->info.name : "",
             k.own ? k.own->info.name : "", k.method || k.solver || k.own ? d->linear->info.name : "");
    return l;
}

static size_t learned_by(const vv_stepper *s, const vv_solver *solver)
{
    return solver ? vv_solver_state_size(solver->ops, &(vv_solver_def){ NULL, s->linear }, s->system->nodes) : 0;
}

size_t vv_stepper_learned_size(const vv_stepper *s) { return s->learned; }

const char *vv_stepper_learned_name(const vv_stepper *s) { return s->learned_name; }

void vv_stepper_save_learned(const vv_stepper *s, void *to)
{
    if (s->learned == 0)
        return;
    const vv_solver *all[] = { s->solver, s->fallback, s->method, s->own };
    char *at = to;
    for (int i = 0; i < 4; at += learned_by(s, all[i++]))
        vv_solver_save(all[i], at);
}

void vv_stepper_load_learned(vv_stepper *s, const void *from)
{
    if (s->learned == 0)
        return;
    vv_solver *all[] = { s->solver, s->fallback, s->method, s->own };
    const char *at = from;
    for (int i = 0; i < 4; at += learned_by(s, all[i++]))
        vv_solver_load(all[i], at);
}

/* Room for a solver, and for a copy of what it has learned so far. */
typedef struct seat {
    const vv_solver_ops *ops;
    vv_solver **to, **before; /* before: that of the stepper before, or NULL */
} seat;

/* A solver is rebuilt, or changes hands. `fresh`, its part of what all have learned, becomes what it had not
 * learned yet. */
static vvStatus fill_seat(const seat *at, const vv_solver_def *def, bool same_linear, const char *fresh_before,
                          char *fresh, int nodes, vvError *error)
{
    size_t size = vv_solver_state_size(at->ops, def, nodes);
    if (at->ops && at->before && *at->before && (*at->before)->ops == at->ops && same_linear) {
        *at->to = *at->before;
        *at->before = NULL;
        if (size > 0)
            memcpy(fresh, fresh_before, size);
        return VV_OK;
    }
    vvStatus status = vv_solver_create(at->ops, def, at->to, error);
    if (status == VV_OK)
        vv_solver_save(*at->to, fresh);
    return status;
}

static vvStatus create_solvers(vv_stepper *s, const vv_stepper_def *d, vvError *error)
{
    kinds k = kinds_needed(d);
    vv_solver_def def = { d->system, d->linear };
    vv_stepper *before = d->before;
    vv_learned learned = vv_stepper_learned(d, d->system->nodes);
    const seat seats[] = { { k.solver, &s->solver, before ? &before->solver : NULL },
                           { k.fallback, &s->fallback, before ? &before->fallback : NULL },
                           { k.method, &s->method, before ? &before->method : NULL },
                           { k.own, &s->own, before ? &before->own : NULL } };
    s->learned = learned.size;
    memcpy(s->learned_name, learned.name, sizeof s->learned_name);
    s->fresh = vv_alloc(s->learned, 1);
    if (!s->fresh)
        return vv_fail_memory(error, "what the solver learns");
    char *fresh = s->fresh;
    const char *fresh_before = before ? before->fresh : NULL;
    vvStatus status = VV_OK;
    for (int i = 0; status == VV_OK && i < 4; i++) {
        size_t old = before ? learned_by(before, *seats[i].before) : 0;
        status = fill_seat(seats + i, &def, before && before->linear == d->linear, fresh_before, fresh,
                           d->system->nodes, error);
        fresh += vv_solver_state_size(seats[i].ops, &def, d->system->nodes);
        fresh_before = fresh_before ? fresh_before + old : NULL;
    }
    return status;
}

void vv_stepper_unlearn(vv_stepper *s) { vv_stepper_load_learned(s, s->fresh); }

/* What pushes now goes on pushing, until the solver is back. */
static void begin_pushes(vv_stepper *s, vv_loan *loan)
{
    const vv_push_time when = { .time = vv_stepper_time(s, 0), .lasting = loan->lasting, .q = s->state->q };
    if (!s->hooks.pushes || !s->hooks.pushes(s->hooks.user, &when, NULL))
        return;
    loan->force = vv_arena_push(&s->system->arena, vv_node_space(s->system), sizeof *loan->force);
    vv_stepper_push_again(s, loan, s->state->q);
}

void vv_stepper_push_again(vv_stepper *s, const vv_loan *loan, const double *q)
{
    const vv_push_time when = { .time = vv_stepper_time(s, 0), .lasting = loan->lasting, .q = q };
    if (!loan->force)
        return;
    vv_zero(vv_node_space(s->system), loan->force);
    vv_external_begin(s->external, s->state->q);
    s->hooks.pushes(s->hooks.user, &when, loan->force);
    vv_external_set(s->external, loan->force, s->state->q);
    s->g_old_valid = false;
}

void vv_stepper_set_external(vv_stepper *s, vv_energy *external) { s->external = external; }

vvStatus vv_stepper_lend_solver(vv_stepper *s, bool lasting, vv_loan *loan, vvError *error)
{
    *loan = (vv_loan){ .options = s->options, .h = s->h, .lasting = lasting };
    if (!vv_stepper_reserve(s))
        return vv_fail_memory(error, "a solver");
    /* a budget finds no equilibrium */
    const vv_solver_ops *ops = s->minimiser->budget > 0 ? vv_solver_table(0) : s->minimiser;
    vvStatus status = vv_solver_create(s->solver && s->solver->ops == ops ? NULL : ops,
                                       &(vv_solver_def){ s->system, s->linear }, &loan->made, error);
    if (status != VV_OK)
        return status;
    loan->solver = loan->made ? loan->made : s->solver;
    loan->mark = vv_arena_mark(&s->system->arena);
    loan->learned = vv_arena_push(&s->system->arena, s->learned, 1);
    vv_stepper_save_learned(s, loan->learned);
    begin_pushes(s, loan);
    return VV_OK;
}

void vv_stepper_take_back(vv_stepper *s, vv_loan *loan)
{
    vv_external_set(s->external, NULL, NULL);
    vv_stepper_load_learned(s, loan->learned);
    vv_arena_release(&s->system->arena, loan->mark);
    vv_solver_destroy(loan->made);
}

/* ---- the stepper ---- */

static bool allocate(vv_stepper *s)
{
    double **vectors[] = {
        &s->new_q, &s->new_v, &s->new_gradient, &s->hvn,  &s->h2an, &s->hvp,    &s->past,  &s->h2a,
        &s->y,     &s->z[0],  &s->z[1],         &s->z[2], &s->u,    &s->target, &s->g_old, &s->trial
    };
    enum { COUNT = sizeof vectors / sizeof vectors[0] };
    /* a policy may ask for a trial of any row */
    int stages = s->policy->trials > 0 ? VV_MOST_STAGES : s->scheme.stages;
    size_t n = 3 * (size_t)s->system->nodes, earlier = 2 * (size_t)(stages - 1);
    s->memory = vv_alloc((COUNT + earlier) * n + s->hooks.bears, sizeof(double));
    for (size_t i = 0; s->memory && i < COUNT; i++)
        *vectors[i] = s->memory + i * n;
    for (size_t i = 0; s->memory && i < earlier; i++)
        s->stage[i] = s->memory + (COUNT + i) * n;
    s->borne = s->memory ? s->memory + (COUNT + earlier) * n : NULL;
    return s->memory && vv_stepper_reserve(s);
}

static double contact_clock(void *contact) { return vv_contact_seconds(contact); }

vvStatus vv_stepper_create(const vv_stepper_def *d, vv_stepper **out, vvError *error)
{
    vv_stepper *s = vv_alloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return vv_fail_memory(error, "the step's vectors");
    *s = (vv_stepper){ .system = d->system,
                       .state = d->state,
                       .hooks = d->hooks,
                       .contact = d->contact,
                       .minimiser = d->solver,
                       .linear = d->linear,
                       .options = d->options,
                       .integrator = *d->integrator,
                       .friction_iterations = d->friction_iterations,
                       .friction_tolerance = d->friction_tolerance,
                       .h = d->h,
                       .part = 1,
                       .ends = true,
                       .damping = d->damping,
                       .damping_count = d->damping_count,
                       .bodies = d->bodies,
                       .body_start = d->body_start,
                       .external = d->external };
    s->options.contact_clock = contact_clock;
    s->options.contact_user = d->contact;
    s->policy = vv_policy_find(d->integrator->policy);
    if (!s->policy->wants_balance)
        s->options.velocity_tolerance = 0;
    s->scheme = scheme_of(d->integrator);
    vv_scheme_adjoint(&s->scheme, d->integrator->settings, d->integrator->settingCount, &s->adjoint);
    s->starter = vv_scheme_find("backward-euler");
    vv_params_values(&s->policy->params, d->integrator->settings, d->integrator->settingCount, s->policy_values);
    vvStatus status = create_solvers(s, d, error);
    if (status == VV_OK)
        status = vv_components_find(s->system, &s->components, error);
    if (status == VV_OK && !allocate(s))
        status = vv_fail_memory(error, "the step's vectors");
    if (status == VV_OK)
        *out = s;
    else
        vv_stepper_destroy(s);
    return status;
}

vvStatus vv_stepper_regroup(vv_stepper *s, vvError *error)
{
    vv_components fresh;
    vvStatus status = vv_components_find(s->system, &fresh, error);
    if (status != VV_OK)
        return status;
    if (s->own && s->policy->regroup)
        status = s->policy->regroup(s->own, s->system, error);
    vv_components_free(&s->components);
    s->components = fresh;
    if (status == VV_OK && !vv_stepper_reserve(s)) /* there may be more of them */
        status = vv_fail_memory(error, "the step's vectors");
    return status;
}

void vv_stepper_destroy(vv_stepper *s)
{
    if (!s)
        return;
    vv_solver_destroy(s->solver);
    vv_solver_destroy(s->fallback);
    vv_solver_destroy(s->method);
    vv_solver_destroy(s->own);
    vv_components_free(&s->components);
    vv_free(s->fresh);
    vv_free(s->memory);
    vv_free(s);
}

void vv_stepper_set_time_step(vv_stepper *s, double h) { s->h = h; }

void vv_stepper_set_integrator(vv_stepper *s, const vvIntegratorDef *integrator) { s->integrator = *integrator; }

void vv_stepper_set_contact(vv_stepper *s, vv_contact *contact)
{
    s->contact = contact;
    s->options.contact_user = contact;
}

void vv_stepper_set_damping(vv_stepper *s, const vv_rigid_damping *damping, int count)
{
    s->damping = damping;
    s->damping_count = count;
}

void vv_stepper_forget(vv_stepper *s) { s->g_old_valid = false; }

bool vv_stepper_aims(const vv_stepper *s) { return s->policy->aims; }
const vv_unbalanced *vv_stepper_unbalanced(const vv_stepper *s) { return &s->unbalanced; }

/* Baking: turns what the user described into what a step needs. The unknowns (world/unknowns.c), the batches of
 * energies, the stepper with its solvers. */
#include "base/error.h"
#include "base/vec.h"
#include "contact/penetration/penetration.h"
#include "energy/points/simple.h"
#include "solve/realtime/accelerate.h"
#include "world/joints/joints.h"
#include "world/attachments/load.h"
#include "world/sleep/sleep.h"

#include <string.h>

/* ---- energies ---- */

vvStatus vv_world_put_gravity(vvWorld *w, const double gravity[3], vvError *error)
{
    vv_energy *e = w->energy_at[VV_PLACE_GRAVITY];
    if (e)
        vv_gravity_set(e, gravity);
    if (e || vv_norm(gravity) == 0)
        return VV_OK;
    vvStatus status = vv_gravity_create(w->nodes, w->body_of, w->mass, w->rest, gravity, &e, error);
    return status == VV_OK ? vv_world_put_energy(w, VV_PLACE_GRAVITY, e, error) : status;
}

/* How many parts a kind may have: more than one of a body where regions have materials of one kind. */
static size_t most_parts(const vvWorld *w)
{
    size_t parts = 0;
    for (size_t b = 0; b < w->body_count; b++)
        parts += (size_t)w->bodies[b].material_count;
    return parts;
}

/* One energy for all bodies that list this kind of element, with its lagged Rayleigh damping if a body has some. */
static vvStatus put_elements(vvWorld *w, int place, const vv_element_kind *kind, bool damping_only, vvError *error)
{
    vv_element_part *parts = vv_alloc(most_parts(w), sizeof *parts);
    vv_element_input in = { w->nodes, w->rest, 0, parts };
    bool damped = false;
    if (!parts)
        return vv_fail_memory(error, "the elastic energy");
    for (size_t b = 0; b < w->body_count; b++)
        for (int m = 0; m < w->bodies[b].material_count; m++) {
            const vv_body *body = w->bodies + b;
            if (body->materials[m].kind != kind || body->left_out)
                continue;
            parts[in.part_count++] = vv_body_part(w, (int)b, m);
            damped = damped || body->materials[m].def.damping.rayleigh > 0;
        }
    vv_energy *e = w->energy_at[place], *r = NULL;
    vvStatus status = vv_world_put_dissipation(w, place, NULL, error); /* it reads the energy that goes */
    if (status == VV_OK && !damping_only) {
        e = NULL;
        status = in.part_count > 0 ? kind->create(kind, &in, &e, error) : VV_OK;
        if (status == VV_OK)
            status = vv_world_put_energy(w, place, e, error);
    }
    if (status == VV_OK && e && damped) {
        status = kind->rayleigh(e, &in, &r, error);
        if (status == VV_OK)
            status = vv_world_put_dissipation(w, place, r, error);
    }
    vv_free(parts);
    return status;
}

/* Those of the kinds in a mask, or of some only their damping. */
static vvStatus put_kinds(vvWorld *w, uint64_t mask, uint64_t damping_only, vvError *error)
{
    vvStatus status = VV_OK;
    const vv_element_kind *kind;
    for (int k = 0; status == VV_OK && (kind = vv_element_kind_at(k)); k++)
        if (kind->create && (mask | damping_only) >> k & 1 && (status = vv_world_check_cancelled(w, error)) == VV_OK)
            status = put_elements(w, VV_PLACE_ELASTIC + k, kind, !(mask >> k & 1), error);
    return status;
}

static vvStatus put_potentials(vvWorld *w, vvError *error)
{
    vv_energy *e;
    vvStatus status = vv_world_potentials(w, true, &e, error);
    return status == VV_OK ? vv_world_put_energy(w, VV_PLACE_POTENTIAL, e, error) : status;
}

static vvStatus put_joints(vvWorld *w, vvError *error)
{
    vv_energy *e;
    vvStatus status = vv_world_joints(w, &e, error);
    return status == VV_OK ? vv_world_put_energy(w, VV_PLACE_JOINT, e, error) : status;
}

static vvStatus put_external(vvWorld *w, vvError *error)
{
    vv_energy *e = NULL;
    vvStatus status = vv_world_external(w, &e, error);
    return status == VV_OK ? vv_world_put_energy(w, VV_PLACE_EXTERNAL, e, error) : status;
}

static double friction_between(void *user, int a, int b) { return vv_world_friction(user, a, b); }

/* Friction of what touches; the coefficients are read again. */
static vvStatus put_friction(vvWorld *w, vvError *error)
{
    vv_energy *obstacles = NULL, *pairs = NULL;
    vv_penetration *penetration = w->contact && w->contact->collisions ? w->contact->collisions->penetration : NULL;
    bool any = w->contact && vv_world_slides(w), inside = w->contact && vv_world_rubs_inside(w);
    if (w->contact) {
        w->contact->rubs_after = !inside;
        vv_world_resolve_lengths(w);
        vv_world_refresh_friction(w);
    }
    vvStatus status = any && w->obstacle_count && (inside || !vv_contact_def_presses(&w->contact->def))
                          ? vv_friction_create(&w->contact->barrier, w->contact->presses, &obstacles, error)
                          : VV_OK;
    if (status == VV_OK)
        status = vv_world_put_dissipation(w, VV_PLACE_OBSTACLES, obstacles, error);
    vv_pair_friction_def def = { any ? w->contact->collisions : NULL,
                                 friction_between,
                                 w,
                                 w->def.contact.frictionSpeed,
                                 w->contact ? w->contact->speeds : NULL,
                                 w->contact ? &w->contact->stick : NULL };
    if (penetration)
        penetration->coefficient = any && !inside ? friction_between : NULL, penetration->user = w;
    if (status == VV_OK && def.collisions && (!penetration || inside))
        status = vv_pair_friction_create(&def, &pairs, error);
    return status == VV_OK ? vv_world_put_dissipation(w, VV_PLACE_PAIRS, pairs, error) : status;
}

void vv_world_forget_springs(vvWorld *w, int body, int bodies)
{
    for (int b = body; b < body + bodies; b++)
        for (size_t v = 0; v < vv_body_label_count(w->bodies + b); v++)
            w->bodies[b].held[v] = 0;
}

void vv_world_forget_sticking(vvWorld *w, int body, int bodies)
{
    for (int b = body; b < body + bodies; b++)
        memset(w->bodies[b].stick, 0, 3 * vv_body_label_count(w->bodies + b) * sizeof *w->bodies[b].stick);
}

/* The springs that stand are made again where they were made; constraints press no longer. */
void vv_world_place_repulsion(vvWorld *w)
{
    vv_contact *c = w->contact;
    if (c && c->feasible)
        c->feasible->ops->press(c->feasible, 0);
    if (c && c->repulsion)
        vv_contact_failed(c, !vv_repulsion_place(c->repulsion, w->state.q_previous));
}

static vvStatus put_repulsion(vvWorld *w, vvError *error)
{
    const vv_obstacle_force force = vv_world_model(w)->force(&w->def.contact);
    vv_energy *e = NULL;
    uint64_t **held = vv_alloc(w->body_count, sizeof *held);
    if (!held)
        return vv_fail_memory(error, "repulsion springs");
    for (size_t b = 0; b < w->body_count; b++)
        held[b] = w->bodies[b].held;
    vv_repulsion_def def = { &w->contact->barrier, force.form, force.stiffness, force.per_vertex, held };
    vvStatus status = vv_repulsion_create(&def, &e, error);
    vv_free(held);
    if (status == VV_OK && !vv_repulsion_place(e, w->state.q_previous)) {
        e->ops->destroy(e);
        status = vv_fail_memory(error, "repulsion springs");
    }
    if (status == VV_OK)
        status = vv_world_put_energy(w, VV_PLACE_REPULSION, e, error);
    if (status == VV_OK)
        w->contact->repulsion = e, w->contact->presses = vv_repulsion_presses(e);
    return status;
}

static vvStatus put_bounds(vvWorld *w, vvError *error)
{
    vv_contact *c = w->contact;
    const vv_contact_model *model = vv_world_model(w);
    if (w->system.rails)
        return vv_fail(error, VV_ERROR_UNSUPPORTED,
                       "body \"%s\" is held along some directions only (a roller), and contact model \"%s\" does not "
                       "take that; choose another model (contact.model), or fix the nodes as a whole",
                       vv_world_on_rails(w), model->type.info.name);
    vvStatus status =
        model->bound(&c->barrier, w->nodes, w->rest, vv_contact_after(model, &w->def.contact), &c->feasible, error);
    if (status == VV_OK)
        w->system.feasible = c->feasible, c->presses = vv_constraint_presses(c->feasible);
    return status;
}

/* What goes reads the contact that goes, so it goes first. */
static vvStatus put_contact(vvWorld *w, vvError *error)
{
    const int places[] = { VV_PLACE_OBSTACLES, VV_PLACE_PAIRS, VV_PLACE_REPULSION };
    const vv_contact_model *model = vv_world_model(w);
    vvStatus status = VV_OK;
    for (int i = 0; status == VV_OK && i < 3; i++) {
        status = vv_world_put_dissipation(w, places[i], NULL, error);
        if (status == VV_OK)
            status = vv_world_put_energy(w, places[i], NULL, error);
    }
    if (w->contact)
        vv_events_unbake(w);
    vv_world_take_places(w);
    w->system.feasible = NULL;
    vv_contact_destroy(w->contact);
    w->contact = NULL;
    if (!model->force)
        vv_world_forget_springs(w, 0, (int)w->body_count);
    if (status != VV_OK || !vv_contact_acts(model))
        return status;
    status = vv_world_suits(w, VV_NEED_EXACT, error);
    if (status == VV_OK)
        status = vv_world_make_contact(w, false, &w->contact, error);
    if (status == VV_OK)
        w->contact->rigid_bodies = vv_world_rigid_bodies(w), w->contact->places = vv_world_places(w);
    vv_energy *obstacles = NULL, *pairs = NULL;
    if (status == VV_OK)
        status = vv_world_suits(w, ~(unsigned)VV_NEED_EXACT, error);
    if (status == VV_OK)
        vv_world_advise_distance(w), vv_world_advise_friction(w), vv_world_advise_springs(w);
    if (status == VV_OK)
        status = vv_world_measure_areas(w, error);
    if (status == VV_OK)
        vv_world_choose_stiffness(w);
    if (status == VV_OK && w->obstacle_count && model->force)
        status = put_repulsion(w, error);
    else if (status == VV_OK && w->obstacle_count && model->bound)
        status = put_bounds(w, error);
    else if (status == VV_OK && w->obstacle_count)
        status = vv_barrier_create(&w->contact->barrier, &obstacles, error);
    if (status == VV_OK)
        status = vv_world_put_energy(w, VV_PLACE_OBSTACLES, obstacles, error);
    if (status == VV_OK && w->contact->collisions)
        status = vv_pair_barrier_create(w->contact->collisions, &pairs, error);
    if (status == VV_OK)
        status = vv_world_put_energy(w, VV_PLACE_PAIRS, pairs, error);
    return status == VV_OK ? put_friction(w, error) : status;
}

/* Other obstacles in the contact that there is; contact has none now (world/contact/obstacles_anew.c). */
static vvStatus put_obstacles(vvWorld *w, vvError *error)
{
    vv_energy *e = NULL;
    vv_world_take_places(w);
    vvStatus status = vv_world_set_obstacles(w, error);
    if (status != VV_OK)
        return status;
    w->contact->places = vv_world_places(w);
    status = vv_world_suits(w, ~(unsigned)VV_NEED_EXACT, error);
    if (status == VV_OK)
        status = vv_barrier_create(&w->contact->barrier, &e, error);
    if (status == VV_OK)
        status = vv_world_put_energy(w, VV_PLACE_OBSTACLES, e, error);
    if (status == VV_OK)
        vv_world_recall_stiffness(w);
    return status == VV_OK ? put_friction(w, error) : status;
}

static vvStatus put_damping(vvWorld *w, vvError *error)
{
    bool drag = false;
    vvStatus status = vv_world_put_dissipation(w, VV_PLACE_DRAG, NULL, error);
    if (status != VV_OK)
        return status;
    if (!w->drag_rate)
        w->drag_rate = vv_alloc((size_t)w->nodes, sizeof *w->drag_rate);
    if (!w->damping)
        w->damping = vv_alloc(w->body_count, sizeof *w->damping);
    if (!w->drag_rate || !w->damping)
        return vv_fail_memory(error, "damping");
    w->damping_count = 0;
    for (size_t b = 0; b < w->body_count; b++) {
        const vv_body *body = w->bodies + b;
        if (body->material_count == 0)
            continue;
        const vvDampingDef *d = &body->materials[0].def.damping;
        drag = drag || d->drag > 0;
        for (int i = body->first; i < body->first + body->count; i++)
            w->drag_rate[i] = d->drag;
        if (!body->left_out && (d->momentumRate > 0 || d->momentumPerStep > 0))
            w->damping[w->damping_count++] =
                (vv_rigid_damping){ body->first, body->count, d->momentumRate, d->momentumPerStep };
    }
    if (!drag)
        return VV_OK;
    vv_energy *e;
    status = vv_drag_create(w->nodes, w->mass, w->drag_rate, &e, error);
    return status == VV_OK ? vv_world_put_dissipation(w, VV_PLACE_DRAG, e, error) : status;
}

static vvStatus put_energies(vvWorld *w, vvError *error)
{
    vvStatus status = vv_world_put_gravity(w, w->def.gravity, error);
    if (status == VV_OK)
        status = put_kinds(w, UINT64_MAX, 0, error);
    if (status == VV_OK)
        status = vv_world_put_springs(w, error);
    if (status == VV_OK)
        status = put_potentials(w, error);
    if (status == VV_OK)
        status = put_joints(w, error);
    if (status == VV_OK)
        status = put_external(w, error);
    if (status == VV_OK)
        status = put_contact(w, error);
    if (status == VV_OK)
        status = put_damping(w, error);
    return status;
}

/* ---- the stepper ---- */

/* Energies that hold nodes of two bodies together couple them. */
static vvStatus couple_bodies(vvWorld *w, vvError *error)
{
    const vv_system *s = &w->system;
    if (!w->contact || w->body_count < 2)
        return VV_OK;
    int *body = vv_alloc((size_t)w->nodes, sizeof *body);
    vv_pattern pattern = { .n = (int)w->body_count };
    if (!body)
        return vv_fail_memory(error, "what joins bodies");
    for (size_t b = 0; b < w->body_count; b++)
        for (int i = w->bodies[b].first; i < w->bodies[b].first + w->bodies[b].count; i++)
            body[i] = w->unknown[i] >= 0 ? (int)b : -1;
    for (int i = 0; i < s->energies; i++)
        vv_energy_holds(s->energy[i], body, &pattern);
    vv_contact_uncouple(w->contact);
    for (size_t i = 0; i < pattern.count; i++)
        if (pattern.couplings[i][0] < pattern.couplings[i][1])
            vv_contact_couple(w->contact, pattern.couplings[i][0], pattern.couplings[i][1]);
    vvStatus status = pattern.failed ? vv_fail_memory(error, "what joins bodies") : VV_OK;
    vv_pattern_free(&pattern);
    vv_free(body);
    return status;
}

static vvStatus make_stepper(vvWorld *w, vvError *error)
{
    const vvSolverDef *d = &w->def.solver;
    vv_stepper_def def = { .system = &w->system,
                           .state = &w->state,
                           .hooks = vv_world_hooks(w),
                           .contact = w->contact,
                           .integrator = &w->def.integrator,
                           .solver = vv_solver_find(d->method),
                           .fallback = vv_solver_find(d->fallback),
                           .linear = vv_linear_find(d->linear),
                           .friction_iterations = w->def.contact.frictionIterations,
                           .friction_tolerance = w->def.contact.frictionTolerance,
                           .h = w->def.timeStep,
                           .damping = w->damping,
                           .damping_count = w->damping_count,
                           .bodies = (int)w->body_count,
                           .body_start = w->body_start,
                           .external = w->energy_at[VV_PLACE_EXTERNAL],
                           .before = w->stale & VV_STALE_THREADS ? NULL : w->stepper };
    def.options =
        (vv_solve_options){ .tolerance = d->tolerance,
                            .gradient_tolerance = d->gradientTolerance,
                            .contact_tolerance = d->contactTolerance,
                            .rises = !vv_contact_presses(vv_world_model(w)),
                            .force_tolerance = d->forceTolerance,
                            .velocity_tolerance = d->velocityTolerance,
                            .max_iterations = d->maxIterations,
                            .budget = d->budget,
                            .budget_seconds = 1e-3 * d->budgetMs,
                            .acceleration = vv_acceleration_find(d->acceleration),
                            .linear_tolerance = d->linearTolerance,
                            .hessian = strcmp(d->hessian, "shifted") == 0 ? VV_HESSIAN_EXACT : VV_HESSIAN_PROJECTED,
                            .line_search = vv_line_search_find(d->lineSearch),
                            .cancel = vv_world_cancelled,
                            .cancel_user = w };
    def.hooks.wakes = vv_sleep_step_wakes;
    vv_stepper *made;
    vvStatus status = w->contact ? vv_world_suits(w, VV_NEEDS_OF_METHODS, error) : VV_OK;
    if (status == VV_OK)
        status = vv_world_refuse_policy(w, error);
    if (status == VV_OK)
        status = vv_world_refuse_rails(w, error);
    if (status == VV_OK)
        status = vv_stepper_create(&def, &made, error);
    if (status != VV_OK)
        return status;
    vv_stepper_destroy(w->stepper);
    w->stepper = made;
    return VV_OK;
}

vvStatus vv_world_remake_contact(vvWorld *w, vvError *error)
{
    vvStatus status = put_contact(w, error);
    if (status == VV_OK)
        status = couple_bodies(w, error);
    vv_stepper_set_contact(w->stepper, w->contact);
    vv_stepper_forget(w->stepper);
    return status;
}

vvStatus vv_world_regroup(vvWorld *w, vvError *error)
{
    vvStatus status = couple_bodies(w, error);
    if (status == VV_OK)
        status = vv_stepper_regroup(w->stepper, error);
    w->torn = w->torn && status != VV_OK;
    return status;
}

vvStatus vv_world_renew(vvWorld *w, vvError *error)
{
    const unsigned stale = w->stale;
    vvStatus status = put_kinds(w, w->stale_kinds, w->stale_rayleigh, error);
    if (status == VV_OK && stale & VV_STALE_SPRINGS)
        status = vv_world_put_springs(w, error);
    if (status == VV_OK && stale & VV_STALE_POTENTIALS)
        status = put_potentials(w, error);
    if (status == VV_OK && stale & VV_STALE_LOADS)
        status = put_external(w, error);
    if (status == VV_OK && stale & VV_STALE_CONTACT)
        status = put_contact(w, error);
    if (status == VV_OK && stale & VV_STALE_CONTACT)
        status = couple_bodies(w, error);
    if (status == VV_OK && stale & VV_STALE_OBSTACLES && !(stale & VV_STALE_CONTACT))
        status = put_obstacles(w, error);
    const bool moves = w->contact && w->contact->rubs_after == vv_world_rubs_inside(w);
    if (status == VV_OK && (moves || stale & VV_STALE_FRICTION) && !(stale & VV_STALE_CONTACT))
        status = put_friction(w, error);
    if (status == VV_OK && stale & VV_STALE_DAMPING)
        status = put_damping(w, error);
    if (status == VV_OK && stale & VV_STALE_GRAVITY)
        status = vv_world_put_gravity(w, w->def.gravity, error);
    vv_stepper_set_external(w->stepper, w->energy_at[VV_PLACE_EXTERNAL]);
    vv_stepper_set_contact(w->stepper, w->contact);
    vv_stepper_set_damping(w->stepper, w->damping, w->damping_count);
    if (status != VV_OK || !(stale & (VV_STALE_STEPPER | VV_STALE_THREADS)))
        return status;
    vv_world_keep_memory(w);
    status = make_stepper(w, error);
    if (status == VV_OK)
        vv_world_recall_memory(w);
    if (status == VV_OK && !w->memory.valid) /* of other solvers: all learn anew, as in a world that gets this state */
        vv_world_unlearn(w);
    return status;
}

vvStatus vv_world_build(vvWorld *w, vvError *error)
{
    vv_world_resolve_lengths(w);
    vvStatus status = vv_world_number_unknowns(w, error);
    if (status == VV_OK)
        status = put_energies(w, error);
    if (status == VV_OK)
        status = couple_bodies(w, error);
    if (status == VV_OK)
        status = vv_world_check_cancelled(w, error);
    if (status == VV_OK)
        status = vv_world_advise_locking(w, error);
    return status == VV_OK ? make_stepper(w, error) : status;
}

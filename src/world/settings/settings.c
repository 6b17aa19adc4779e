/* Setters of a world's definition: gravity, time step, integrator, solver, contact, threads; and taking over a
 * definition as a whole, for snapshots and saved states. What depends on it is rebuilt (world/ready.c), and what
 * changes in H is booked. */
#include "visviva/settings.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "world/joints/joints.h"
#include "world/settings/members.h"
#include "world/settings/settings.h"

#include <string.h>

/* ---- a definition of its own ---- */

/* Every parameter of the scheme and the policy in use, with its value. */
static int resolve_settings(const vvIntegratorDef *d, vvSetting *settings)
{
    int count = vv_params_settings(&vv_scheme_find(d->scheme)->params, d->settings, d->settingCount, settings);
    return count +
           vv_params_settings(&vv_policy_find(d->policy)->params, d->settings, d->settingCount, settings + count);
}

bool vv_def_keep(const vvWorldDef *def, vv_kept_def *out)
{
    const vvIntegratorDef *d = &def->integrator;
    *out = (vv_kept_def){ .def = *def,
                          .keys = vv_alloc_copy(d->decayKeys, (size_t)d->decayKeyCount, sizeof *out->keys),
                          .settings = vv_alloc(2 * VV_MOST_VALUES, sizeof *out->settings),
                          .given = { def->contact.distance, def->solver.tolerance, def->contact.frictionSpeed,
                                     def->contact.stiffness } };
    if (!out->keys || !out->settings) {
        vv_def_release(out);
        return false;
    }
    out->def.integrator.settingCount = resolve_settings(d, out->settings);
    out->def.integrator.settings = out->settings;
    out->def.integrator.decayKeys = out->keys;
    return true;
}

void vv_def_release(vv_kept_def *kept)
{
    vv_free(kept->keys);
    vv_free(kept->settings);
    *kept = (vv_kept_def){ 0 };
}

/* ---- what differs ---- */

bool vv_same_def(const vvWorldDef *a, const vvWorldDef *b)
{
    bool same = true;
    for (int i = 0; i < VV_DEF_PARTS; i++)
        same = same && vv_members_same(vv_def_parts[i].members, vv_def_part_of(a, i), vv_def_part_of(b, i));
    return same;
}

/* ---- taking over ---- */

unsigned vv_world_take_def(vvWorld *w, vv_kept_def *kept)
{
    const vvWorldDef *from = &kept->def;
    vvWorldDef *to = &w->def;
    unsigned stale = 0;
    for (int i = 0; i < VV_DEF_PARTS; i++)
        stale |= vv_members_stale(vv_def_parts[i].members, vv_def_part_of(to, i), vv_def_part_of(from, i));
    if (w->notes)
        vv_world_note_def(w, to, from);
    memcpy(to->gravity, from->gravity, sizeof to->gravity);
    to->timeStep = from->timeStep;
    to->integrator = from->integrator;
    to->solver = from->solver;
    to->contact = from->contact;
    if (w->contact)
        w->contact->def.exact = to->contact.checkIntersections;
    w->given = kept->given;
    vv_free(w->keys);
    vv_free(w->settings);
    w->keys = kept->keys, w->settings = kept->settings;
    *kept = (vv_kept_def){ 0 };
    if (w->baked) {
        vv_stepper_set_time_step(w->stepper, to->timeStep);
        vv_stepper_set_integrator(w->stepper, &to->integrator); /* its lists are gone */
        w->stale |= stale;
    }
    vv_world_place_joints(w);
    return stale;
}

/* ---- setters ---- */

/* A copy of the definition in use, to be changed. */
static vvStatus copy_def(const vvWorld *w, const vvWorldDef *def, vv_kept_def *kept, vvError *error)
{
    if (!vv_def_keep(def, kept))
        return vv_fail_memory(error, "the world's settings");
    /* what the world chose for want of a value is not the user's now */
    kept->given = vv_world_given_by(w, def);
    if (kept->given.friction_speed == 0)
        kept->def.contact.frictionSpeed = w->given.friction_speed > 0 ? 0 : w->def.contact.frictionSpeed;
    vv_world_resolve_given(w, &kept->given, &kept->def);
    return VV_OK;
}

static void shift_gravity_start(vvWorld *w, const double *before)
{
    for (size_t b = 0; b < w->body_count; b++) {
        double change = vv_world_gravity_of(w, w->bodies + b) - before[b];
        w->bodies[b].gravity_start += change;
        w->state.ledger.gravity_start += change;
    }
}

/* S grows by what gravity does from the start on, not by what the host does to gravity. */
double *vv_world_note_gravity(const vvWorld *w)
{
    double *before = vv_alloc(w->body_count, sizeof *before);
    for (size_t b = 0; before && b < w->body_count; b++)
        before[b] = vv_world_gravity_of(w, w->bodies + b);
    return before;
}

void vv_world_regard_gravity(vvWorld *w, double *before)
{
    if (w->state.clock.step > 0)
        shift_gravity_start(w, before);
    vv_free(before);
}

vvStatus vv_world_set_gravity(vvWorld *w, const double *gravity, vvError *error)
{
    if (!gravity)
        return vv_fail(error, VV_ERROR_INPUT, "vvWorldSetGravity needs three numbers, found NULL");
    vvWorldDef def = w->def;
    memcpy(def.gravity, gravity, sizeof def.gravity);
    vvStatus status = vv_world_open(w, "set gravity", error);
    if (status == VV_OK)
        status = vv_members_check(&vv_world_members, &def, error);
    if (status != VV_OK || memcmp(gravity, w->def.gravity, sizeof w->def.gravity) == 0)
        return status;
    double *before = vv_world_note_gravity(w);
    if (!before)
        return vv_fail_memory(error, "gravity");
    if (!vv_world_remember_made(w, VV_SETTING_GRAVITY, 0)) {
        vv_free(before);
        return vv_fail_memory(error, "gravity");
    }
    memcpy(w->def.gravity, gravity, sizeof w->def.gravity);
    vv_world_regard_gravity(w, before);
    vv_world_note_setting(w, "gravity=[%.6g, %.6g, %.6g]", gravity[0], gravity[1], gravity[2]);
    vv_world_setting_changed(w, VV_STALE_GRAVITY);
    return VV_OK;
}

vvStatus vvWorldSetGravity(vvWorld *w, const double gravity[3], vvError *error)
{
    VV_WORLD_CALL(w, error, vv_world_set_gravity(w, gravity, error));
}

vvStatus vv_world_set_time_step(vvWorld *w, double h, vvError *error)
{
    vvWorldDef def = w->def;
    def.timeStep = h;
    vvStatus status = vv_world_open(w, "set the time step", error);
    if (status == VV_OK)
        status = vv_members_check(&vv_world_members, &def, error);
    for (size_t j = 0; status == VV_OK && j < w->joint_count; j++) {
        const vv_joint *joint = w->joints + j;
        status = vv_joint_check_motor(joint->kind, joint->state.speed / (joint->kind->turns ? VV_RADIANS : 1),
                                      joint->state.most, h, error);
    }
    if (status != VV_OK || h == w->def.timeStep)
        return status;
    if (!vv_world_remember_made(w, VV_SETTING_TIME_STEP, 0))
        return vv_fail_memory(error, "the time step");
    vv_world_change_time_step(w, w->def.timeStep, h);
    vv_world_note_setting(w, "time.step=%.6g", h);
    if (w->state.clock.step == 0)
        vv_world_setting_changed(w, VV_STALE_BOOKS);
    return VV_OK;
}

void vv_world_change_time_step(vvWorld *w, double before, double h)
{
    vv_clock *clock = &w->state.clock; /* goes on */
    clock->time_base = vv_clock_time(clock, before, 0);
    clock->step_base = clock->step;
    w->def.timeStep = h;
    if (w->baked)
        vv_stepper_set_time_step(w->stepper, h);
    vv_world_place_joints(w); /* how stiff motors are depends on the step */
}

vvStatus vvWorldSetTimeStep(vvWorld *w, double timeStep, vvError *error)
{
    VV_WORLD_CALL(w, error, vv_world_set_time_step(w, timeStep, error));
}

static bool make_policy_memory(const vvWorldDef *def, size_t bodies, vv_policy_memory *out)
{
    const vv_policy_ops *policy = vv_policy_find(def->integrator.policy);
    return vv_policy_memory_make(policy->memory, policy->body_memory, bodies, out);
}

/* Decay needs a ground energy, as at the start (world/start.c). */
static vvStatus check_decay(const vvIntegratorDef *d, vvError *error)
{
    bool decays = false;
    for (int i = 0; i < d->decayKeyCount; i++)
        decays = decays || (d->decayKeys[i].value > 0 && isfinite(d->decayKeys[i].value));
    if (!decays || d->groundMode != VV_GROUND_NONE || !vv_policy_find(d->policy)->aims)
        return VV_OK;
    return vv_fail(error, VV_ERROR_INPUT,
                   "integrator: decay_time aims at the static equilibrium's energy, and there is none "
                   "(ground_energy is \"none\"); give integrator.ground_energy a number in J");
}

/* Another integrator, solver or contact, as checked. */
static vvStatus set_def(vvWorld *w, const vvWorldDef *def, vv_setting_kind kind, vvError *error)
{
    vv_kept_def kept;
    vv_policy_memory memory = { 0 };
    vvStatus status = copy_def(w, def, &kept, error);
    if (status != VV_OK)
        return status;
    if (vv_same_def(&kept.def, &w->def)) {
        w->given = kept.given;
        vv_def_release(&kept);
        return VV_OK;
    }
    bool other_policy = strcmp(kept.def.integrator.policy, w->def.integrator.policy) != 0;
    if ((other_policy && !make_policy_memory(&kept.def, w->body_count, &memory)) ||
        !vv_world_remember_made(w, kind, 0)) {
        vv_policy_memory_free(&memory);
        vv_def_release(&kept);
        return vv_fail_memory(error, "the world's settings");
    }
    unsigned stale = vv_world_take_def(w, &kept);
    if (other_policy)
        vv_world_take_policy(w, &memory);
    if (stale)
        vv_world_setting_changed(w, stale);
    return VV_OK;
}

void vv_world_take_policy(vvWorld *w, vv_policy_memory *memory)
{
    vv_ledger *l = &w->state.ledger;
    vv_policy_memory_free(&w->state.policy);
    w->state.policy = *memory;
    l->target = l->row.target = l->row.total; /* aims at the present energy, not at what was lost before */
    vv_world_unshare(w);                      /* its policy's memory has another size */
}

vvStatus vv_world_set_integrator(vvWorld *w, const vvIntegratorDef *integrator, vvError *error)
{
    if (!integrator)
        return vv_fail(error, VV_ERROR_INPUT, "vvWorldSetIntegrator needs a definition, found NULL");
    vvWorldDef def = w->def;
    def.integrator = *integrator;
    vvStatus status = vv_world_open(w, "set the integrator", error);
    if (status == VV_OK)
        status = vv_def_check_integrator(&def.integrator, error);
    if (status == VV_OK)
        status = check_decay(&def.integrator, error);
    return status == VV_OK ? set_def(w, &def, VV_SETTING_INTEGRATOR, error) : status;
}

vvStatus vvWorldSetIntegrator(vvWorld *w, const vvIntegratorDef *integrator, vvError *error)
{
    VV_WORLD_CALL(w, error, vv_world_set_integrator(w, integrator, error));
}

vvStatus vv_world_set_solver(vvWorld *w, const vvSolverDef *solver, vvError *error)
{
    if (!solver)
        return vv_fail(error, VV_ERROR_INPUT, "vvWorldSetSolver needs a definition, found NULL");
    vvWorldDef def = w->def;
    def.solver = *solver;
    vvStatus status = vv_world_open(w, "set the solver", error);
    if (status == VV_OK)
        status = vv_members_check(&vv_solver_members, &def.solver, error);
    return status == VV_OK ? set_def(w, &def, VV_SETTING_SOLVER, error) : status;
}

vvStatus vvWorldSetSolver(vvWorld *w, const vvSolverDef *solver, vvError *error)
{
    VV_WORLD_CALL(w, error, vv_world_set_solver(w, solver, error));
}

vvStatus vv_world_set_contact(vvWorld *w, const vvContactDef *contact, vvError *error)
{
    if (!contact)
        return vv_fail(error, VV_ERROR_INPUT, "vvWorldSetContact needs a definition, found NULL");
    vvWorldDef def = w->def;
    def.contact = *contact;
    vvStatus status = vv_world_open(w, "set contact", error);
    if (status == VV_OK)
        status = vv_members_check(&vv_contact_members, &def.contact, error);
    return status == VV_OK ? set_def(w, &def, VV_SETTING_CONTACT, error) : status;
}

vvStatus vvWorldSetContact(vvWorld *w, const vvContactDef *contact, vvError *error)
{
    VV_WORLD_CALL(w, error, vv_world_set_contact(w, contact, error));
}

static vvStatus set_threads(vvWorld *w, int threads, vvError *error)
{
    vvStatus status = vv_world_open(w, "set the threads", error);
    if (status == VV_OK)
        status = vv_check_threads(threads, error);
    if (status == VV_OK && w->def.host.tasks.run)
        status = vv_fail(error, VV_ERROR_INPUT,
                         "vvWorldSetThreads: this world's loops run on the host's task system (host.tasks), with %d "
                         "workers; its number of threads is the host's",
                         w->def.host.tasks.workers);
    int count = threads > 0 ? threads : vv_core_count();
    if (status != VV_OK || (w->par.threads == count && w->def.threads == threads))
        return status;
    vv_parallel par = w->par;
    if (!vv_parallel_start(&par, count))
        return vv_fail_memory(error, "threads");
    vv_pool_destroy(w->par.pool);
    w->def.threads = threads;
    w->par = par;
    if (!w->baked)
        return VV_OK;
    w->system.par = w->par;
    w->stale |= VV_STALE_THREADS;
    return VV_OK;
}

vvStatus vvWorldSetThreads(vvWorld *w, int threads, vvError *error)
{
    VV_WORLD_CALL(w, error, set_threads(w, threads, error));
}

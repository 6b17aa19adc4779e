/* Definitions, creation and destruction of a world. */
#include "base/error.h"
#include "base/param.h"
#include "base/vec.h"
#include "step/policy.h"
#include "world/trees.h"

#include <stdio.h>
#include <string.h>

vvWorldDef vvDefaultWorldDef(void)
{
    return (vvWorldDef){
        .gravity = { 0, -9.8, 0 },
        .timeStep = 1.0 / 120,
        .integrator = { .scheme = "backward-euler", .policy = "none", .startFraction = 1 },
        .solver = { .method = "newton", .tolerance = 0.01, .contactTolerance = 0.01, .velocityTolerance = 1e-5, .maxIterations = 200,
                    .linear = "auto", .linearTolerance = 1e-3, .hessian = "projected", .lineSearch = "backtracking" },
        .contact = { .model = "barrier", .distance = 1e-3, .stiffness = 1e5, .frictionIterations = 1, .self = true },
        .internalValue = VV_MADE_BY_DEFAULT,
    };
}

/* The row's own string for `name`, so that the world keeps no pointer of the caller's; the error lists the known names. */
static vvStatus resolve_name(const char **name, const char *what, const vvInfo *(*get)(int), vvError *error)
{
    const vvInfo *row;
    for (int i = 0; *name && (row = get(i)); i++)
        if (strcmp(row->name, *name) == 0) {
            *name = row->name;
            return VV_OK;
        }
    char names[512];
    vv_list_names(names, sizeof names, get);
    const char *near = *name ? vv_nearest_name(*name, get) : NULL;
    return vv_fail(error, VV_ERROR_INPUT, "%s: \"%s\" is not known%s%s%s; there are: %s", what, *name ? *name : "(none)",
                   near ? "; did you mean \"" : "", near ? near : "", near ? "\"" : "", names);
}

static const vvInfo *hessian_info(int i)
{
    static const vvInfo rows[] = { { "projected", "semidefinite per element" }, { "shifted", "exact, Tikhonov shift" } };
    return i >= 0 && i < 2 ? rows + i : NULL;
}

static const vvInfo *contact_model_info(int i)
{
    static const vvInfo rows[] = { { "barrier", "IPC barrier" }, { "none", "no contact" } };
    return i >= 0 && i < 2 ? rows + i : NULL;
}

static vvStatus number(double x, double min, double max, bool open_min, const char *what, const char *unit, vvError *error)
{
    if (isfinite(x) && (open_min ? x > min : x >= min) && x <= max)
        return VV_OK;
    return vv_fail(error, VV_ERROR_INPUT, "%s is %g; it must be %s %g and at most %g%s%s", what, x,
                   open_min ? "greater than" : "at least", min, max, *unit ? " " : "", unit);
}

static vvStatus check_integrator(vvIntegratorDef *d, vvError *error)
{
    vvStatus s = resolve_name(&d->scheme, "integrator.scheme", vvSchemeInfo, error);
    if (s == VV_OK)
        s = resolve_name(&d->policy, "integrator.policy", vvPolicyInfo, error);
    if (s == VV_OK)
        s = vv_settings_check(d->settings, d->settingCount, error);
    if (s == VV_OK)
        s = number(d->startFraction, 0, 10, false, "integrator.start_fraction", "", error);
    if (s == VV_OK && d->groundMode == VV_GROUND_GIVEN)
        s = number(d->groundEnergy, -1e300, 1e300, false, "integrator.ground_energy", "J", error);
    if (s != VV_OK)
        return s;
    const vv_policy_ops *policy = vv_policy_find(d->policy);
    if (policy->scheme && strcmp(policy->scheme, d->scheme) != 0)
        return vv_fail(error, VV_ERROR_INPUT, "integrator.policy \"%s\" goes with scheme \"%s\"; the scheme is "
                       "\"%s\": choose that scheme, or policy \"none\"", d->policy, policy->scheme, d->scheme);
    double values[VV_MOST_VALUES];
    vv_params_values(&policy->params, d->settings, d->settingCount, values);
    if (policy->check && policy->check(values, error) != VV_OK)
        return VV_ERROR_INPUT;
    if (d->decayKeyCount < 0 || (d->decayKeyCount > 0 && !d->decayKeys))
        return vv_fail(error, VV_ERROR_INPUT, "integrator.decay_time: %d keys, but the list is NULL", d->decayKeyCount);
    for (int i = 0; i < d->decayKeyCount; i++) {
        if (isnan(d->decayKeys[i].value) || d->decayKeys[i].value < 0 || !isfinite(d->decayKeys[i].time))
            return vv_fail(error, VV_ERROR_INPUT, "integrator.decay_time: key %d is (%g s, %g s); times must be finite and "
                           "decay times not negative", i, d->decayKeys[i].time, d->decayKeys[i].value);
        if (i > 0 && d->decayKeys[i].time <= d->decayKeys[i - 1].time)
            return vv_fail(error, VV_ERROR_INPUT, "integrator.decay_time: key %d is at %g s, not after the previous one", i,
                           d->decayKeys[i].time);
    }
    return VV_OK;
}

static vvStatus check_solver(vvSolverDef *d, vvError *error)
{
    vvStatus s = resolve_name(&d->method, "solver.method", vvSolverInfo, error);
    if (s == VV_OK)
        s = resolve_name(&d->linear, "solver.linear", vvLinearSolverInfo, error);
    if (s == VV_OK)
        s = resolve_name(&d->lineSearch, "solver.line_search", vvLineSearchInfo, error);
    if (s == VV_OK)
        s = resolve_name(&d->hessian, "solver.hessian", hessian_info, error);
    if (s == VV_OK)
        s = number(d->tolerance, 0, 1e6, true, "solver.tolerance", "m/s", error);
    if (s == VV_OK)
        s = number(d->gradientTolerance, 0, 1e300, false, "solver.gradient_tolerance", "kg m", error);
    if (s == VV_OK)
        s = number(d->contactTolerance, 0, 1, false, "solver.contact_tolerance", "", error);
    if (s == VV_OK)
        s = number(d->velocityTolerance, 0, 1e6, false, "solver.velocity_tolerance", "m/s", error);
    if (s == VV_OK)
        s = number(d->maxIterations, 1, 1e6, false, "solver.max_iterations", "", error);
    if (s == VV_OK)
        s = number(d->linearTolerance, 0, 0.9, true, "solver.linear_tolerance", "", error);
    return s;
}

static vvStatus check_contact(vvContactDef *d, vvError *error)
{
    vvStatus s = resolve_name(&d->model, "contact.model", contact_model_info, error);
    if (s == VV_OK)
        s = number(d->distance, 0, 1e6, true, "contact.distance", "m", error);
    if (s == VV_OK)
        s = number(d->stiffness, 0, 1e15, true, "contact.stiffness", "Pa", error);
    if (s == VV_OK)
        s = number(d->friction, 0, 100, false, "contact.friction", "", error);
    if (s == VV_OK)
        s = number(d->frictionSpeed, 0, 1e6, false, "contact.friction_speed", "m/s", error);
    if (s == VV_OK)
        s = number(d->frictionIterations, 1, 1000, false, "contact.friction_iterations", "", error);
    return s;
}

static vvStatus check_host(const vvHost *host, vvError *error)
{
    vvStatus s = vv_memory_check(&host->allocator, error);
    if (s == VV_OK && host->tasks.run)
        s = number(host->tasks.workers, 1, 1024, false, "host.tasks.workers", "", error);
    return s;
}

/* The threads that run the world's loops: the host's, or a pool. */
static bool start_threads(vvWorld *world)
{
    const vvWorldDef *d = &world->def;
    world->par.tasks = d->host.tasks;
    world->par.stop = &world->stop;
    if (d->host.tasks.run) {
        world->par.threads = d->host.tasks.workers;
        return true;
    }
    world->par.threads = d->threads > 0 ? d->threads : vv_core_count();
    return vv_pool_create(world->par.threads, &world->par.pool);
}

/* Keeps every parameter of the scheme and the policy in use, with its value. */
static void keep_settings(vvWorld *world, vvSetting *settings)
{
    vvIntegratorDef *d = &world->def.integrator;
    int count = vv_params_settings(&vv_scheme_find(d->scheme)->params, d->settings, d->settingCount, settings);
    count += vv_params_settings(&vv_policy_find(d->policy)->params, d->settings, d->settingCount, settings + count);
    d->settings = world->settings = settings;
    d->settingCount = count;
}

static vvStatus create(const vvWorldDef *def, vvWorld **out, vvError *error)
{
    vvWorld *world = vv_alloc(1, sizeof *world);
    size_t count = (size_t)def->integrator.decayKeyCount;
    vvKey *keys = vv_alloc(count, sizeof *keys);
    vvSetting *settings = vv_alloc(2 * VV_MOST_VALUES, sizeof *settings);
    if (world)
        world->def = *def;
    const vv_policy_ops *policy = vv_policy_find(def->integrator.policy);
    if (!world || !keys || !settings || !vv_state_remember(&world->state, policy->memory, policy->body_memory) || !start_threads(world)) {
        if (world)
            vv_state_free(&world->state);
        vv_free(world);
        vv_free(keys);
        vv_free(settings);
        return vv_fail_memory(error, "a world");
    }
    if (count)
        memcpy(keys, def->integrator.decayKeys, count * sizeof *keys);
    world->def.integrator.decayKeys = world->keys = keys;
    keep_settings(world, settings);
    world->allocator = vv_memory_in_use();
    world->state.clock.time_base = def->startTime;
    world->random = def->seed;
    world->friction_given = def->contact.frictionSpeed > 0;
    *out = world;
    return VV_OK;
}

vvStatus vvWorldCreate(const vvWorldDef *def, vvWorld **out, vvError *error)
{
    vv_error_clear(error);
    if (!def || !out)
        return vv_fail(error, VV_ERROR_INPUT, "vvWorldCreate wants a definition and a place for the world, found NULL");
    *out = NULL;
    vvWorldDef d = *def;
    vvStatus s = vv_check_made(d.internalValue, "vvWorldDef", "vvWorldCreate: the definition", error);
    if (s == VV_OK)
        s = number(d.timeStep, 0, 1e6, true, "time.step", "s", error);
    if (s == VV_OK)
        s = number(d.startTime, -1e9, 1e9, false, "time.begin", "s", error);
    for (int k = 0; k < 3 && s == VV_OK; k++)
        s = number(d.gravity[k], -1e6, 1e6, false, "gravity", "m/s^2", error);
    if (s == VV_OK)
        s = number(d.threads, 0, 1024, false, "threads", "", error);
    if (s == VV_OK)
        s = check_host(&d.host, error);
    if (s == VV_OK)
        s = check_integrator(&d.integrator, error);
    if (s == VV_OK)
        s = check_solver(&d.solver, error);
    if (s == VV_OK)
        s = check_contact(&d.contact, error);
    if (s != VV_OK)
        return s;
    vvAllocator outer = vv_memory_use(d.host.allocator.allocate ? d.host.allocator : vv_memory_in_use());
    s = create(&d, out, error);
    vv_memory_use(outer);
    return s;
}

void vvWorldDestroy(vvWorld *world)
{
    if (!vv_world_idle(world))
        return;
    vv_world_unbake(world);
    vv_events_free(world);
    for (size_t i = 0; i < world->body_count; i++)
        vv_body_free(world->bodies + i);
    for (size_t i = 0; i < world->attach_count; i++)
        vv_attach_free(world->attaches + i);
    vv_frozen_release(world->frozen);
    vv_ids_free(&world->body_ids);
    vv_ids_free(&world->obstacle_ids);
    vv_ids_free(&world->attach_ids);
    vv_nodes_free(world);
    vv_state_free(&world->state);
    vv_free(world->memory.data);
    vv_free(world->edit);
    vv_free(world->bodies);
    vv_free(world->attaches);
    vv_free(world->obstacles);
    vv_free(world->modes);
    vv_free(world->frictions);
    vv_free(world->keys);
    vv_free(world->settings);
    vv_pool_destroy(world->par.pool);
    vv_free(world);
}

const vvWorldDef *vvWorldGetDef(const vvWorld *world) { return vv_world_readable(world) ? &world->def : NULL; }

/* ---- obstacles ---- */

vvObstacleDef vvDefaultObstacleDef(void)
{
    return (vvObstacleDef){ .name = "", .type = "plane", .friction = -1, .filter = vvDefaultFilter(),
                            .internalValue = VV_MADE_BY_DEFAULT };
}

static vvStatus add_obstacle(vvWorld *world, const vvObstacleDef *def, vvObstacleId *id, vvError *error)
{
    if (!def)
        return vv_fail(error, VV_ERROR_INPUT, "vvWorldAddObstacle wants a definition, found NULL");
    const char *type = def->type;
    vvStatus s = vv_check_made(def->internalValue, "vvObstacleDef", "vvWorldAddObstacle: the definition", error);
    if (s == VV_OK)
        s = vv_check_made(def->filter.internalValue, "vvFilter", "vvObstacleDef.filter", error);
    if (s == VV_OK)
        s = vv_world_open(world, "add an obstacle", error);
    if (s == VV_OK)
        s = resolve_name(&type, "obstacle type", vv_obstacle_info, error);
    if (s != VV_OK)
        return s;
    vv_obstacle o = { .ops = vv_obstacle_find(type), .friction = def->friction, .filter = def->filter };
    int at = 0;
    for (int p = 0; p < o.ops->type.paramCount; p++) {
        const vvParam *param = o.ops->type.params + p;
        for (int k = 0; k < param->size; k++, at++) {
            o.values[at] = def->values ? def->values[at] : param->fallback[k];
            s = vv_param_check(param, k, o.values[at], type, error);
            if (s != VV_OK)
                return s;
        }
    }
    if (isnan(o.friction) || o.friction > 100)
        return vv_fail(error, VV_ERROR_INPUT, "obstacle friction is %g; it must be at most 100", o.friction);
    s = o.ops->prepare(o.values, o.shape, error);
    if (s != VV_OK)
        return vv_fail_prefix(error, "%s.", type);
    if (def->name)
        snprintf(o.name, sizeof o.name, "%s", def->name);
    if (!vv_ids_reserve(&world->obstacle_ids) ||
        !vv_grow((void **)&world->obstacles, &world->obstacle_capacity, world->obstacle_count + 1, sizeof o))
        return vv_fail_memory(error, "an obstacle");
    vv_world_changed(world);
    world->obstacles[world->obstacle_count++] = o;
    vv_ids_push(&world->obstacle_ids);
    world->revision++;
    if (id)
        *id = vvWorldObstacleAt(world, (int)world->obstacle_count - 1);
    return VV_OK;
}

vvStatus vvWorldAddObstacle(vvWorld *world, const vvObstacleDef *def, vvObstacleId *id, vvError *error)
{
    VV_WORLD_CALL(world, error, add_obstacle(world, def, id, error));
}

int vvWorldObstacleCount(const vvWorld *world) { return vv_world_readable(world) ? (int)world->obstacle_count : 0; }

const char *vvWorldObstacle(const vvWorld *world, int index, const double **values, int *valueCount)
{
    if (values)
        *values = NULL;
    if (valueCount)
        *valueCount = 0;
    if (index < 0 || index >= vvWorldObstacleCount(world))
        return NULL;
    const vv_obstacle *o = world->obstacles + index;
    if (values)
        *values = o->values;
    if (valueCount)
        *valueCount = vv_obstacle_value_count(o->ops);
    return o->ops->type.info.name;
}

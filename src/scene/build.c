/* The world of a scene: definition structs from the document's values, then bodies and obstacles. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "scene/document.h"

/* *keys (vv_free it) receives the decay times. */
static vvStatus read_decay(vv_document *doc, const json_t *value, vvIntegratorDef *integrator, vvKey **keys)
{
    double number = 0;
    if (!value || json_is_null(value))
        return VV_OK;
    size_t count = json_is_array(value) ? json_array_size(value) : 1;
    *keys = vv_alloc(count, sizeof **keys);
    if (!*keys)
        return vv_fail_memory(doc->error, "decay times");
    integrator->decayKeys = *keys;
    integrator->decayKeyCount = (int)count;
    if (!json_is_array(value)) {
        vv_scene_number(value, &number);
        (*keys)[0] = (vvKey){ 0, number };
        return VV_OK;
    }
    for (size_t i = 0; i < count; i++) {
        const json_t *pair = json_array_get(value, i);
        vv_scene_number(json_array_get(pair, 0), &(*keys)[i].time);
        vv_scene_number(json_array_get(pair, 1), &(*keys)[i].value); /* null: stays 0, no decay */
    }
    return VV_OK;
}

static void read_ground(const json_t *value, vvIntegratorDef *integrator)
{
    const char *text = json_string_value(value);
    if (text)
        integrator->groundMode = strcmp(text, "none") == 0 ? VV_GROUND_NONE : VV_GROUND_AUTO;
    else if (value && vv_scene_number(value, &integrator->groundEnergy))
        integrator->groundMode = VV_GROUND_GIVEN;
}

enum { MOST_SETTINGS = 64 };

/* Parameters of schemes and policies in the scene, even of those not in use: the command line may choose another. */
static int read_settings(const json_t *source, vvSetting settings[MOST_SETTINGS])
{
    int count = 0;
    vv_typed row;
    for (int i = 0; vv_scene_method(i, &row); i++)
        for (int p = 0; p < row.paramCount && count < MOST_SETTINGS; p++) {
            const vvParam *param = row.params + p;
            const json_t *value = json_object_get(source, param->name);
            if (!value)
                continue;
            settings[count] = (vvSetting){ .name = param->name };
            if (param->choiceCount)
                settings[count].choice = json_string_value(value);
            else if (json_is_boolean(value))
                settings[count].value[0] = json_is_true(value);
            else
                vv_read_numbers(source, param->name, settings[count].value, param->size);
            count++;
        }
    return count;
}

static vvStatus read_integrator(vv_document *doc, vvIntegratorDef *integrator, vvSetting *settings, vvKey **keys)
{
    const json_t *source = json_object_get(doc->root, "integrator");
    vv_read_text(source, "scheme", &integrator->scheme);
    vv_read_text(source, "policy", &integrator->policy);
    integrator->settings = settings;
    integrator->settingCount = read_settings(source, settings);
    vv_read_number(source, "start_fraction", &integrator->startFraction);
    read_ground(json_object_get(source, "ground_energy"), integrator);
    return read_decay(doc, json_object_get(source, "decay_time"), integrator, keys);
}

static void read_solver(const json_t *source, vvSolverDef *solver)
{
    vv_read_text(source, "method", &solver->method);
    vv_read_length(source, "tolerance", &solver->tolerance, &solver->relativeTolerance);
    vv_read_number(source, "gradient_tolerance", &solver->gradientTolerance);
    vv_read_number(source, "force_tolerance", &solver->forceTolerance);
    vv_read_number(source, "contact_tolerance", &solver->contactTolerance);
    vv_read_number(source, "velocity_tolerance", &solver->velocityTolerance);
    vv_read_integer(source, "max_iterations", &solver->maxIterations);
    vv_read_integer(source, "budget", &solver->budget);
    vv_read_text(source, "fallback", &solver->fallback);
    vv_read_text(source, "acceleration", &solver->acceleration);
    vv_read_text(source, "linear", &solver->linear);
    vv_read_number(source, "linear_tolerance", &solver->linearTolerance);
    vv_read_text(source, "hessian", &solver->hessian);
    vv_read_text(source, "line_search", &solver->lineSearch);
}

static void read_contact(const json_t *root, vvContactDef *contact)
{
    const json_t *source = json_object_get(root, "contact");
    contact->model = vv_scene_has_contact(root) ? "barrier" : "none";
    vv_read_text(source, "model", &contact->model);
    vv_read_length(source, "distance", &contact->distance, &contact->relativeDistance);
    if (json_is_string(json_object_get(source, "stiffness")))
        contact->stiffness = 0;
    vv_read_number(source, "stiffness", &contact->stiffness);
    vv_read_boolean(source, "adapt_stiffness", &contact->adaptStiffness);
    vv_read_number(source, "friction", &contact->friction);
    vv_read_length(source, "friction_speed", &contact->frictionSpeed, &contact->relativeFrictionSpeed);
    const char *lags = json_string_value(json_object_get(source, "friction_iterations"));
    if (lags && strcmp(lags, "converged") == 0)
        contact->frictionIterations = VV_FRICTION_CONVERGED;
    else
        vv_read_integer(source, "friction_iterations", &contact->frictionIterations);
    vv_read_number(source, "friction_tolerance", &contact->frictionTolerance);
    vv_read_boolean(source, "self", &contact->self);
    vv_read_boolean(source, "convergent", &contact->convergent);
    vv_read_boolean(source, "check_intersections", &contact->checkIntersections);
    const json_t *springs = json_object_get(source, "springs");
    vv_read_text(springs, "form", &contact->springs.form);
    vv_read_number(springs, "stiffness", &contact->springs.stiffness);
    vv_read_boolean(springs, "per_vertex", &contact->springs.perVertex);
    const json_t *penalty = json_object_get(source, "penalty");
    vv_read_number(penalty, "stiffness", &contact->penalty.stiffness);
    vv_read_number(penalty, "between", &contact->penalty.between);
    vv_read_boolean(penalty, "per_vertex", &contact->penalty.perVertex);
    vv_read_text(json_object_get(source, "constraint"), "when", &contact->constraint.when);
}

static vvStatus create(vv_document *doc, int threads, const vvHost *host, vvWorld **world)
{
    vvWorldDef def = vvDefaultWorldDef();
    vvKey *keys = NULL;
    double seed = 0;
    vv_read_numbers(doc->root, "gravity", def.gravity, 3);
    vv_read_number(doc->root, "seed", &seed);
    def.seed = (uint64_t)seed;
    def.timeStep = vv_scene_time(doc->root).step;
    def.startTime = vv_scene_time(doc->root).begin;
    def.threads = threads;
    def.host = *host;
    read_solver(json_object_get(doc->root, "solver"), &def.solver);
    read_contact(doc->root, &def.contact);
    vvSetting settings[MOST_SETTINGS];
    vvStatus status = read_integrator(doc, &def.integrator, settings, &keys);
    if (status == VV_OK && (status = vvWorldCreate(&def, world, doc->error)) != VV_OK)
        vv_fail_prefix(doc->error, "%.200s: ", doc->name);
    vv_free(keys);
    return status;
}

vvStatus vv_scene_build(vv_document *doc, int threads, const vvHost *host, vvWorld **world)
{
    const json_t *bodies = json_object_get(doc->root, "bodies"), *obstacles = json_object_get(doc->root, "obstacles");
    *world = NULL;
    vvStatus status = create(doc, threads, host, world);
    for (size_t i = 0; status == VV_OK && i < json_array_size(bodies); i++)
        status = vv_scene_build_body(doc, *world, i);
    for (size_t i = 0; status == VV_OK && i < json_array_size(obstacles); i++)
        status = vv_scene_build_obstacle(doc, *world, i);
    if (status == VV_OK)
        status = vv_scene_build_pairs(doc, *world);
    if (status == VV_OK)
        status = vv_scene_build_joints(doc, *world);
    if (status != VV_OK && *world) {
        vvWorldDestroy(*world);
        *world = NULL;
    }
    return status;
}

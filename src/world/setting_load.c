/* Loading the settings that setters had changed in a saved world (setting_records.c says in what form). Values are
 * read as they were written there, and set as setters set them. */
#include "base/error.h"
#include "base/memory.h"
#include "world/settings.h"

#include <string.h>

/* Reads a value; past its end only zeros come. */
typedef struct eye {
    const char *from;
    size_t left;
    bool short_of;
} eye;

static void take(eye *e, void *to, size_t size)
{
    e->short_of = e->short_of || size > e->left;
    if (e->short_of) {
        memset(to, 0, size);
        return;
    }
    memcpy(to, e->from, size);
    e->from += size;
    e->left -= size;
}

static double take_number(eye *e)
{
    double x;
    take(e, &x, sizeof x);
    return x;
}

/* The name stays where it is. */
static const char *take_name(eye *e)
{
    const char *name = e->from;
    char room[VV_SETTING_NAME];
    take(e, room, sizeof room);
    return e->short_of || room[VV_SETTING_NAME - 1] ? "" : name;
}

static vvFilter take_filter(eye *e)
{
    uint64_t words[3];
    take(e, words, sizeof words);
    vvFilter f = vvDefaultFilter();
    f.category = words[0], f.mask = words[1], f.group = (int32_t)(int64_t)words[2];
    return f;
}

static void take_solver(eye *e, vvSolverDef *d)
{
    d->method = take_name(e), d->linear = take_name(e), d->hessian = take_name(e), d->lineSearch = take_name(e),
    d->fallback = take_name(e);
    d->acceleration = take_name(e);
    d->tolerance = take_number(e), d->relativeTolerance = take_number(e), d->gradientTolerance = take_number(e),
    d->forceTolerance = take_number(e);
    d->contactTolerance = take_number(e);
    d->velocityTolerance = take_number(e), d->maxIterations = (int)take_number(e), d->linearTolerance = take_number(e);
    d->budget = (int)take_number(e);
}

static void take_contact(eye *e, vvContactDef *d)
{
    d->model = take_name(e);
    d->distance = take_number(e), d->relativeDistance = take_number(e), d->stiffness = take_number(e),
    d->friction = take_number(e);
    d->frictionSpeed = take_number(e), d->relativeFrictionSpeed = take_number(e);
    d->frictionIterations = (int)take_number(e), d->frictionTolerance = take_number(e);
    d->self = take_number(e) != 0, d->convergent = take_number(e) != 0, d->adaptStiffness = take_number(e) != 0;
    d->springs.form = take_name(e), d->springs.stiffness = take_number(e), d->springs.perVertex = take_number(e) != 0;
    d->penalty.stiffness = take_number(e), d->penalty.between = take_number(e),
    d->penalty.perVertex = take_number(e) != 0;
    d->constraint.when = take_name(e);
}

enum { MOST_KEYS = 1 << 20 };

/* *lists: to be freed; it holds what `d` points to. */
static vvStatus take_integrator(eye *e, vvIntegratorDef *d, void **lists, vvError *error)
{
    d->scheme = take_name(e), d->policy = take_name(e);
    d->startFraction = take_number(e), d->groundMode = (vvGroundMode)take_number(e), d->groundEnergy = take_number(e);
    double settings = take_number(e), keys = take_number(e);
    if (e->short_of || !(settings >= 0 && settings <= 2 * VV_MOST_VALUES) || !(keys >= 0 && keys <= MOST_KEYS))
        return vv_fail(error, VV_ERROR_INPUT, "the saved integrator is damaged");
    d->settingCount = (int)settings, d->decayKeyCount = (int)keys;
    char *block = vv_alloc((size_t)settings * sizeof(vvSetting) + (size_t)keys * sizeof(vvKey), 1);
    *lists = block;
    if (!block)
        return vv_fail_memory(error, "the saved integrator");
    vvSetting *list = (vvSetting *)(void *)block;
    vvKey *times = (vvKey *)(void *)(block + (size_t)settings * sizeof *list);
    for (int i = 0; i < d->settingCount; i++) {
        list[i].name = take_name(e);
        for (int k = 0; k < 4; k++)
            list[i].value[k] = take_number(e);
    }
    for (int i = 0; i < d->decayKeyCount; i++)
        times[i].time = take_number(e), times[i].value = take_number(e);
    d->settings = list, d->decayKeys = times;
    return VV_OK;
}

static vvMaterialDef take_material(eye *e)
{
    vvMaterialDef m = vvDefaultMaterialDef();
    m.model = take_name(e);
    m.young = take_number(e), m.poisson = take_number(e), m.lame = take_number(e) != 0, m.mu = take_number(e),
    m.lambda = take_number(e);
    m.density = take_number(e), m.totalMass = take_number(e), m.springStiffness = take_number(e),
    m.bendStiffness = take_number(e);
    m.thickness = take_number(e), m.strainLimit = take_number(e), m.flat = take_number(e) != 0,
    m.restTwist = take_number(e);
    m.prestrain = take_number(e);
    m.damping.drag = take_number(e), m.damping.rayleigh = take_number(e);
    m.damping.momentumRate = take_number(e), m.damping.momentumPerStep = take_number(e);
    return m;
}

static vvStatus apply_def(vvWorld *w, vv_setting_kind kind, eye *e, vvError *error)
{
    void *lists = NULL;
    vvStatus status = VV_OK;
    vvIntegratorDef integrator = w->def.integrator;
    vvSolverDef solver;
    vvContactDef contact;
    switch (kind) {
    case VV_SETTING_INTEGRATOR:
        status = take_integrator(e, &integrator, &lists, error);
        if (status == VV_OK)
            status = vv_world_set_integrator(w, &integrator, error);
        break;
    case VV_SETTING_SOLVER:
        take_solver(e, &solver);
        status = vv_world_set_solver(w, &solver, error);
        break;
    default:
        contact = w->def.contact;
        take_contact(e, &contact);
        status = vv_world_set_contact(w, &contact, error);
    }
    vv_free(lists);
    return status;
}

static vvStatus apply_pairs(vvWorld *w, eye *e, vvError *error)
{
    w->friction_count = 0;
    while (e->left >= 3 * sizeof(double)) {
        double a = take_number(e), b = take_number(e), mu = take_number(e);
        if (!(a >= 0 && a <= b && b < (double)w->body_count && mu >= 0 && mu <= 100))
            return vv_fail(error, VV_ERROR_INPUT, "the saved friction of pairs is damaged");
        if (!vv_grow((void **)&w->frictions, &w->friction_capacity, w->friction_count + 1, sizeof *w->frictions))
            return vv_fail_memory(error, "a pair's friction");
        w->frictions[w->friction_count++] = (vv_body_friction){ (int)a, (int)b, mu };
    }
    vv_world_part_changed(w, VV_STALE_FRICTION);
    vv_world_note_setting(w, "friction of pairs of bodies");
    return VV_OK;
}

static vvStatus apply_materials(vvWorld *w, int at, eye *e, vvError *error)
{
    int count = w->bodies[at].material_count;
    vvMaterialDef *list = vv_alloc((size_t)count, sizeof *list);
    if (!list)
        return vv_fail_memory(error, "the saved materials");
    for (int i = 0; i < count; i++)
        list[i] = take_material(e);
    vvStatus status = count > 0 ? vv_world_set_materials(w, at, list, error) : VV_OK;
    vv_free(list);
    return status;
}

static vvStatus apply(vvWorld *w, vv_setting_kind kind, int at, eye *e, vvError *error)
{
    double gravity[3], friction, self;
    vvFilter filter;
    switch (kind) {
    case VV_SETTING_GRAVITY:
        for (int k = 0; k < 3; k++)
            gravity[k] = take_number(e);
        return vv_world_set_gravity(w, gravity, error);
    case VV_SETTING_TIME_STEP: return vv_world_set_time_step(w, take_number(e), error);
    case VV_SETTING_PAIRS: return apply_pairs(w, e, error);
    case VV_SETTING_SURFACE:
        friction = take_number(e), self = take_number(e);
        filter = take_filter(e);
        vv_body_put_friction(w, at, friction);
        vv_body_put_filter(w, at, &filter, self != 0);
        return VV_OK;
    case VV_SETTING_OBSTACLE:
        friction = take_number(e);
        filter = take_filter(e);
        vv_obstacle_put(w, at, friction, &filter);
        return VV_OK;
    case VV_SETTING_MATERIAL: return apply_materials(w, at, e, error);
    default: return apply_def(w, kind, e, error);
    }
}

static bool exists(const vvWorld *w, vv_setting_kind kind, int at)
{
    bool body = kind == VV_SETTING_SURFACE || kind == VV_SETTING_MATERIAL;
    return at >= 0 &&
           (body ? (size_t)at < w->body_count : kind != VV_SETTING_OBSTACLE || (size_t)at < w->obstacle_count);
}

vvStatus vv_settings_load(vvWorld *w, const void *from, size_t size, bool *changed, vvError *error)
{
    vvStatus status = VV_OK;
    *changed = false;
    for (size_t offset = 0; status == VV_OK && offset < size;) {
        vv_setting_head h;
        if (size - offset < sizeof h)
            return vv_fail(error, VV_ERROR_INPUT, "the saved settings are damaged");
        memcpy(&h, (const char *)from + offset, sizeof h);
        const char *made = (const char *)from + offset + sizeof h, *now = made + vv_setting_padded(h.bytes);
        vv_setting_kind kind = (vv_setting_kind)h.kind;
        offset += sizeof h + vv_setting_padded(h.bytes) + vv_setting_padded(h.now);
        if (h.kind < 0 || h.kind >= VV_SETTING_KINDS || offset > size)
            return vv_fail(error, VV_ERROR_INPUT, "the saved settings are damaged");
        if (!exists(w, kind, h.at) || !vv_setting_made_alike(w, kind, h.at, made, h.bytes) ||
            vv_setting_is(w, kind, h.at, now, h.now))
            continue;
        if (!vv_world_remember_made(w, kind, h.at))
            return vv_fail_memory(error, "the saved settings");
        *changed = true;
        eye e = { now, h.now, false };
        status = apply(w, kind, h.at, &e, error);
        if (status == VV_OK && e.short_of)
            status = vv_fail(error, VV_ERROR_INPUT, "the saved settings are damaged");
    }
    return status;
}

/* Analytic obstacles: added and removed, still or moving. One that moves is also a kinematic body, whose four nodes
 * carry its frame (contact/obstacles/frame.h) and the surface that it is drawn by. */
#include "base/error.h"
#include "base/text/param.h"
#include "base/vec.h"
#include "world/settings/settings.h"
#include "world/sleep/sleep.h"

#include <stdio.h>
#include <string.h>

vvObstacleDef vvDefaultObstacleDef(void)
{
    return (vvObstacleDef){ .name = "",
                            .type = "plane",
                            .friction = -1,
                            .filter = vvDefaultFilter(),
                            .motion = vvDefaultMotionDef(),
                            .internalValue = VV_MADE_BY_DEFAULT };
}

/* ---- the frame's body ---- */

/* The size by which planes are drawn, m. */
static double drawn_size(const vvWorld *w)
{
    double lo[3] = { INFINITY, INFINITY, INFINITY }, hi[3] = { -INFINITY, -INFINITY, -INFINITY }, d[3];
    for (size_t b = 0; b < w->body_count; b++)
        for (size_t i = (size_t)w->bodies[b].first;
             !w->bodies[b].frame && i < (size_t)(w->bodies[b].first + w->bodies[b].count); i++)
            for (int k = 0; k < 3; k++) {
                lo[k] = fmin(lo[k], w->rest[3 * i + k]);
                hi[k] = fmax(hi[k], w->rest[3 * i + k]);
            }
    vv_sub(hi, lo, d);
    double size = vv_norm(d);
    return size > 0 && size < INFINITY ? fmin(4 * size, 1e6) : 2;
}

/* How long the frame's axes are, m: about as long as what is drawn, that neither rounding nor the shape's size
 * matters. */
static double axis_length(const vvMesh *surface)
{
    double lo = INFINITY, hi = -INFINITY;
    for (int i = 0; i < 3 * surface->vertexCount; i += 3) {
        lo = fmin(lo, surface->positions[i]);
        hi = fmax(hi, surface->positions[i]);
    }
    return lo < hi ? (hi - lo) / 2 : 1;
}

/* The obstacle's own name, or "obstacle-3". */
static void name_body(const vvWorld *w, const char *given, char name[128])
{
    snprintf(name, 128, "%s", given ? given : "");
    for (size_t i = w->obstacle_count + 1; !*name || (!(given && *given) && vv_body_find(w, name) >= 0); i++)
        snprintf(name, 128, "obstacle-%zu", i);
}

static vvStatus add_frame(vvWorld *w, const vv_obstacle *o, const vvObstacleDef *def, vvBodyId *id, vvError *error)
{
    vvMesh surface = { 0 };
    char name[128];
    vvStatus status = vv_obstacle_mesh(o, drawn_size(w), &surface, error);
    if (status != VV_OK)
        return status;
    int tet[] = { 0, 1, 2, 3 }, triangles[] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3 };
    double length = strcmp(o->ops->type.info.name, "plane") == 0 ? 1 : axis_length(&surface), x[12];
    for (int i = 0; i < 12; i++)
        x[i] = o->values[i % 3] + (i / 3 == i % 3 + 1 ? length : 0);
    vvMesh mesh = {
        .vertexCount = 4, .tetCount = 1, .triangleCount = 4, .positions = x, .tets = tet, .triangles = triangles
    };
    vvBodyDef body = vvDefaultBodyDef();
    name_body(w, o->name, name);
    body.name = name;
    body.mesh = &mesh;
    body.surface = &surface;
    body.filter = def->filter;
    body.kinematic = true;
    body.motion = def->motion;
    body.userData = def->userData;
    status = vv_world_add_body(w, &body, id, error);
    if (status == VV_OK)
        w->bodies[w->body_count - 1].frame = true;
    vvMeshDestroy(&surface);
    return status;
}

vv_frame vv_obstacle_frame(const vvWorld *w, const vv_obstacle *o)
{
    vv_frame frame = vv_frame_make(w->bodies[o->body1 - 1].first, w->rest);
    vv_frame_place(&frame, w->state.q);
    return frame;
}

/* ---- adding ---- */

static vvStatus check(const vvWorld *w, const vvObstacleDef *def, vvError *error)
{
    if (!def)
        return vv_fail(error, VV_ERROR_INPUT, "vvWorldAddObstacle needs a definition, found NULL");
    vvStatus status = vv_check_made(def->internalValue, "vvObstacleDef", "vvWorldAddObstacle: the definition", error);
    if (status == VV_OK)
        status = vv_check_made(def->filter.internalValue, "vvFilter", "vvObstacleDef.filter", error);
    if (status == VV_OK)
        status = vv_check_made(def->motion.internalValue, "vvMotionDef", "vvObstacleDef.motion", error);
    return status == VV_OK ? vv_world_open(w, "add an obstacle", error) : status;
}

static vvStatus prepare(const vvObstacleDef *def, vv_obstacle *o, vvError *error)
{
    const char *type = def->type;
    vvStatus status = vv_def_name(&type, "obstacle type", vv_obstacle_info, error);
    if (status != VV_OK)
        return status;
    *o = (vv_obstacle){
        .ops = vv_obstacle_find(type), .friction = def->friction, .filter = def->filter, .user = def->userData
    };
    const vvObstacleType *row = &o->ops->type;
    status = vv_params_complete((vv_params){ row->paramCount, row->params }, def->settings, def->settingCount, type,
                                o->values, error);
    if (status != VV_OK)
        return status;
    status = vv_check_friction(&o->friction, "obstacle friction", error);
    if (status != VV_OK)
        return status;
    status = o->ops->prepare(o->values, o->shape, error);
    if (status != VV_OK)
        return vv_fail_prefix(error, "%s.", type);
    if (def->name && strlen(def->name) >= sizeof o->name)
        return vv_fail(error, VV_ERROR_INPUT, "obstacle name of %zu characters; at most %zu", strlen(def->name),
                       sizeof o->name - 1);
    snprintf(o->name, sizeof o->name, "%s", def->name ? def->name : "");
    if (def->samples && !o->ops->field)
        return vv_fail(error, VV_ERROR_INPUT, "vvObstacleDef.samples: an obstacle \"%s\" has none; leave it NULL",
                       type);
    status = o->ops->field ? vv_field_create(o->ops->field, def->sampleCounts, def->samples, &o->field, error) : VV_OK;
    return status == VV_OK ? status : vv_fail_prefix(error, "%s.", type);
}

static vvStatus add_obstacle(vvWorld *world, const vvObstacleDef *def, vvObstacleId *id, vvError *error)
{
    vv_obstacle o = { 0 };
    vvStatus status = check(world, def, error);
    if (status == VV_OK)
        status = prepare(def, &o, error);
    if (status == VV_OK &&
        (!vv_ids_reserve(&world->obstacle_ids) ||
         !vv_grow((void **)&world->obstacles, &world->obstacle_capacity, world->obstacle_count + 1, sizeof o)))
        status = vv_fail_memory(error, "an obstacle");
    if (status == VV_OK && def->moves)
        status = add_frame(world, &o, def, NULL, error);
    if (status != VV_OK) {
        vv_field_release(o.field);
        return status;
    }
    o.body1 = def->moves ? (int)world->body_count : 0;
    o.since = world->state.clock.step;
    if (def->moves)
        vv_world_changed_apart(world);
    else
        vv_world_obstacles_changed(world, world->obstacle_count + 1);
    world->settled = false;
    world->obstacles[world->obstacle_count++] = o;
    vv_sleep_wake_at(world, &o);
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

/* ---- reading ---- */

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

const double *vvWorldObstacleSamples(const vvWorld *world, int index, int counts[3])
{
    const vv_field *f = index >= 0 && index < vvWorldObstacleCount(world) ? world->obstacles[index].field : NULL;
    for (int k = 0; counts && k < 3; k++)
        counts[k] = f ? f->counts[k] : 0;
    return f ? f->samples : NULL;
}

bool vvObstacleIsValid(const vvWorld *w, vvObstacleId id)
{
    return vv_world_readable(w) && vv_obstacle_index(w, id) >= 0;
}

const char *vvObstacleName(const vvWorld *w, vvObstacleId id)
{
    int o = vv_world_readable(w) ? vv_obstacle_index(w, id) : -1;
    return o < 0 ? "" : w->obstacles[o].name;
}

vvObstacleId vvWorldFindObstacle(const vvWorld *w, const char *name)
{
    for (size_t i = 0; name && *name && vv_world_readable(w) && i < w->obstacle_count; i++)
        if (strcmp(w->obstacles[i].name, name) == 0)
            return vvWorldObstacleAt(w, (int)i);
    return (vvObstacleId){ 0, 0 };
}

vvBodyId vvObstacleBody(const vvWorld *w, vvObstacleId id)
{
    int o = vv_world_readable(w) ? vv_obstacle_index(w, id) : -1;
    return o < 0 || w->obstacles[o].body1 == 0 ? (vvBodyId){ 0, 0 } : vvWorldBody(w, w->obstacles[o].body1 - 1);
}

/* ---- removing ---- */

static vvStatus remove_obstacle(vvWorld *w, vvObstacleId id, vvError *error)
{
    int o = vv_obstacle_index(w, id);
    if (o < 0)
        return vv_fail(error, VV_ERROR_INPUT, "vvWorldRemoveObstacle: no such obstacle; was it removed before?");
    vvStatus status = vv_world_open(w, "remove an obstacle", error);
    if (status != VV_OK)
        return status;
    int body1 = w->obstacles[o].body1;
    vv_sleep_wake_at(w, w->obstacles + o);
    if (body1 > 0)
        vv_world_changed_apart(w);
    else
        vv_world_obstacles_changed(w, w->obstacle_count - 1);
    vv_field_release(w->obstacles[o].field);
    memmove(w->obstacles + o, w->obstacles + o + 1, (w->obstacle_count - (size_t)o - 1) * sizeof *w->obstacles);
    w->obstacle_count--;
    for (size_t b = 0; b < w->body_count; b++) /* springs of later obstacles go with them */
        for (size_t v = 0; v < vv_body_label_count(w->bodies + b); v++) {
            uint64_t *held = w->bodies[b].held + v, low = o < 64 ? (UINT64_C(1) << o) - 1 : UINT64_MAX;
            *held = (*held & low) | (*held >> 1 & ~low);
        }
    vv_ids_remove(&w->obstacle_ids, o);
    vv_settings_drop(w, false, o);
    if (body1 > 0)
        vv_world_drop_body(w, body1 - 1);
    w->revision++;
    return VV_OK;
}

vvStatus vvWorldRemoveObstacle(vvWorld *w, vvObstacleId id, vvError *error)
{
    VV_WORLD_CALL(w, error, remove_obstacle(w, id, error));
}

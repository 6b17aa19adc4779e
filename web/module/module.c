/* A world for JavaScript: made from a scene, set, stepped, saved. */
#include "module.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "list/list.h"
#include "own.h"

static const char folder[] = WEB_FOLDER, saved[] = WEB_FOLDER "/saved.json";

web_world *web_new(void) { return calloc(1, sizeof(web_world)); }

static void close_world(web_world *w)
{
    vvWorldDestroy(w->world);
    vvSceneDestroy(w->scene);
    web_shape_free(&w->shape);
}

void web_delete(web_world *w)
{
    if (!w)
        return;
    close_world(w);
    free(w->text);
    free(w);
}

const char *web_message(const web_world *w) { return w->error.message; }
const char *web_note(const web_world *w)
{
    return w->report.policyNote && *w->report.policyNote ? w->report.policyNote : w->report.note;
}

static int fail(web_world *w, vvStatus status, const char *message)
{
    w->error.status = status;
    snprintf(w->error.message, sizeof w->error.message, "%s", message);
    return (int)status;
}

/* ---- scenes ---- */

/* A scene of `json` with the lines of `overrides`. */
static vvStatus parse(web_world *w, const char *json, const char *overrides, vvScene **scene)
{
    const size_t length = strlen(overrides);
    size_t count = 0;
    char *lines = malloc(length + 1);
    const char **list = malloc((length + 1) * sizeof *list);
    vvStatus status = VV_ERROR_MEMORY;
    if (lines && list) {
        memcpy(lines, overrides, length + 1);
        for (char *p = lines; *p;) {
            char *end = p + strcspn(p, "\n");
            if (end > p)
                list[count++] = p;
            p = *end ? end + 1 : end;
            *end = 0;
        }
        status = vvSceneParse(json, "the scene", folder, list, (int)count, scene, &w->error);
    } else {
        fail(w, status, "out of memory for the scene's settings");
    }
    free(lines);
    free(list);
    return status;
}

static vvStatus use_threads(web_world *w)
{
    return w->threads > 1 ? vvWorldSetThreads(w->world, w->threads, &w->error) : VV_OK;
}

int web_threads(web_world *w, int threads)
{
    vvStatus status = vvWorldSetThreads(w->world, 1, &w->error); /* the others serve again: they are only so many */
    w->threads = threads;
    if (status == VV_OK)
        status = use_threads(w);
    if (status != VV_OK)
        w->threads = 1;
    return (int)status;
}

int web_open(web_world *w, const char *json, const char *overrides)
{
    web_world next = { 0 };
    vvStatus status = parse(w, json, overrides, &next.scene);
    if (status == VV_OK)
        status = vvSceneCreateWorld(next.scene, 1, &next.world, &w->error);
    if (status == VV_OK)
        status = vvWorldBake(next.world, &w->error);
    if (status == VV_OK)
        status = web_shape_make(&next.shape, next.world, &w->error);
    if (status != VV_OK) {
        close_world(&next);
        return (int)status;
    }
    close_world(w);
    w->scene = next.scene, w->world = next.world, w->shape = next.shape;
    w->hand = (vv_hand){ 0 };
    w->report = (vvStepReport){ 0 };
    web_shape_move(&w->shape, w->world);
    (void)use_threads(w); /* without them it runs, too */
    return VV_OK;
}

/* ---- settings of a world that runs ---- */

static void add_setting(void *root, const char *key, const char *json)
{
    json_object_set_new(root, key, json_loads(json, JSON_DECODE_ANY, NULL));
}

static json_t *settings_of(const vvWorld *world)
{
    json_t *root = json_object();
    vvWorldEachSetting(world, add_setting, root);
    return root;
}

static json_t *body_settings(const vvWorld *world, int body)
{
    json_t *root = json_object();
    vvBodyEachSetting(world, vvWorldBody(world, body), add_setting, root);
    return root;
}

/* Whether keys that begin with `first` differ. */
static bool differ(const json_t *a, const json_t *b, const char *first)
{
    const json_t *sides[2] = { a, b };
    for (int i = 0; i < 2; i++) {
        const char *key;
        json_t *value;
        json_object_foreach((json_t *)(uintptr_t)sides[i], key, value)
        {
            if (strncmp(key, first, strlen(first)) == 0 && !json_equal(value, json_object_get(sides[1 - i], key)))
                return true;
        }
    }
    return false;
}

static vvStatus take_materials(web_world *w, vvWorld *from, vvWorld *before)
{
    vvStatus status = VV_OK;
    for (int b = 0; status == VV_OK && b < vvWorldBodyCount(w->world); b++) {
        const vvBodyId to = vvWorldBody(w->world, b), next = vvWorldBody(from, b), old = vvWorldBody(before, b);
        json_t *now = body_settings(from, b), *was = body_settings(before, b);
        vvMaterialDef material;
        const bool other = differ(now, was, "");
        for (int i = 0; other && status == VV_OK && vvBodyGetMaterial(from, next, i, &material); i++)
            status = vvBodySetMaterial(w->world, to, i, &material, &w->error);
        json_decref(now);
        json_decref(was);
        if (status == VV_OK && vvBodyFriction(from, next) != vvBodyFriction(before, old))
            status = vvBodySetFriction(w->world, to, vvBodyFriction(from, next), &w->error);
    }
    return status;
}

/* What `from` has otherwise than `before`, in the world's present state. */
static vvStatus take(web_world *w, vvWorld *from, vvWorld *before)
{
    const vvWorldDef *def = vvWorldGetDef(from);
    json_t *now = settings_of(from), *was = settings_of(before);
    vvStatus status = VV_OK;
    if (differ(now, was, "gravity"))
        status = vvWorldSetGravity(w->world, def->gravity, &w->error);
    if (status == VV_OK && differ(now, was, "time.step"))
        status = vvWorldSetTimeStep(w->world, def->timeStep, &w->error);
    if (status == VV_OK && differ(now, was, "integrator."))
        status = vvWorldSetIntegrator(w->world, &def->integrator, &w->error);
    if (status == VV_OK && differ(now, was, "solver."))
        status = vvWorldSetSolver(w->world, &def->solver, &w->error);
    if (status == VV_OK && differ(now, was, "contact."))
        status = vvWorldSetContact(w->world, &def->contact, &w->error);
    json_decref(now);
    json_decref(was);
    if (status == VV_OK)
        status = take_materials(w, from, before);
    return status == VV_OK ? vvWorldBake(w->world, &w->error) : status;
}

int web_set(web_world *w, const char *overrides)
{
    vvScene *scene = NULL;
    vvWorld *from = NULL, *before = NULL;
    vvStatus status = parse(w, vvSceneText(w->scene), overrides, &scene);
    if (status == VV_OK)
        status = vvSceneCreateWorld(scene, 1, &from, &w->error);
    if (status == VV_OK)
        status = vvSceneCreateWorld(w->scene, 1, &before, &w->error);
    if (status == VV_OK && vvWorldNodeCount(from) != vvWorldNodeCount(w->world))
        status = fail(w, VV_ERROR_UNSUPPORTED, "this changes the bodies: it takes a new start");
    if (status == VV_OK) {
        const vvError none = { 0 };
        status = take(w, from, before);
        if (status != VV_OK) { /* back to what was */
            const vvError why = w->error;
            (void)take(w, before, from);
            w->error = why;
        } else {
            w->error = none;
        }
    }
    vvWorldDestroy(from);
    vvWorldDestroy(before);
    vvScene *gone = status == VV_OK ? w->scene : scene;
    if (status == VV_OK)
        w->scene = scene;
    vvSceneDestroy(gone);
    return (int)status;
}

const char *web_text(const web_world *w) { return vvSceneText(w->scene); }

/* ---- steps ---- */

int web_step(web_world *w)
{
    const vvStatus status = vvWorldStep(w->world, &w->report, &w->error);
    if (status == VV_OK) {
        vv_hand_count(&w->hand, w->world);
        web_shape_move(&w->shape, w->world);
    }
    return (int)status;
}

int web_save(web_world *w) { return (int)vvSceneWriteState(w->scene, w->world, saved, &w->error); }

/* ---- what it says of itself ---- */

static const char *keep(web_world *w, json_t *root)
{
    free(w->text);
    w->text = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(root);
    return w->text ? w->text : "{}";
}

const char *web_mesh(web_world *w, const char *name)
{
    char path[300];
    vvMesh mesh = { 0 };
    vvMeshQuality q;
    snprintf(path, sizeof path, "%s/%.200s", folder, name);
    if (vvMeshRead(path, &mesh, NULL, &w->error) != VV_OK)
        return NULL;
    vvMeshMeasure(&mesh, &q);
    json_t *root =
        json_pack("{s:i, s:i, s:i, s:i, s:[f,f,f], s:[f,f,f]}", "tets", mesh.tetCount, "triangles", mesh.triangleCount,
                  "edges", mesh.edgeCount, "points", mesh.pointCount, "low", q.boundsMin[0], q.boundsMin[1],
                  q.boundsMin[2], "high", q.boundsMax[0], q.boundsMax[1], q.boundsMax[2]);
    vvMeshDestroy(&mesh);
    return keep(w, root);
}

const char *web_settings(web_world *w) { return keep(w, settings_of(w->world)); }

const char *web_shape(web_world *w)
{
    json_t *root = web_shape_parts(w->scene, w->world);
    json_object_set_new(root, "name", json_string(vvSceneName(w->scene)));
    return keep(w, root);
}

int web_vertex_count(const web_world *w) { return w->shape.vertices; }
const float *web_vertices(const web_world *w) { return w->shape.x; }
int web_triangle_count(const web_world *w) { return w->shape.triangles; }
const int *web_triangles(const web_world *w) { return w->shape.triangle; }
int web_edge_count(const web_world *w) { return w->shape.edges; }
const int *web_edges(const web_world *w) { return w->shape.edge; }
int web_solid_count(const web_world *w) { return w->shape.corners; }
const float *web_solid(const web_world *w) { return w->shape.corner; }
int web_node_count(const web_world *w) { return vvWorldNodeCount(w->world); }
const double *web_nodes(const web_world *w) { return vvWorldPositions(w->world); }
const double *web_velocities(const web_world *w) { return vvWorldVelocities(w->world); }
double web_time(const web_world *w) { return vvWorldTime(w->world); }
double web_time_step(const web_world *w) { return vvWorldGetDef(w->world)->timeStep; }
int web_asleep(const web_world *w)
{
    int count = 0;
    for (int b = 0; b < vvWorldBodyCount(w->world); b++)
        count += vvBodyAsleep(w->world, vvWorldBody(w->world, b));
    return count;
}
double web_end(const web_world *w) { return vvSceneGetTime(w->scene).end; }

const double *web_row(web_world *w)
{
    vvLedgerRow row;
    const bool known = vvWorldLedger(w->world, &row, &w->error) == VV_OK;
    for (int i = 0; i < WEB_COLUMNS && vvLedgerColumnInfo(i); i++)
        w->row[i] = known ? vvLedgerValue(&row, i) : NAN;
    return w->row;
}

char *web_tables(void)
{
    static const struct {
        const char *name;
        const vvInfo *(*get)(int);
    } lists[] = { { "schemes", vvSchemeInfo },
                  { "policies", vvPolicyInfo },
                  { "solvers", vvSolverInfo },
                  { "fallbacks", vvSolverFallbackInfo },
                  { "linear", vvLinearSolverInfo },
                  { "line_searches", vvLineSearchInfo },
                  { "accelerations", vvAccelerationInfo },
                  { "contact_models", vvContactModelInfo },
                  { "materials", vvMaterialInfo } };
    json_t *root =
        json_pack("{s:s, s:s, s:o}", "version", vvVersion(), "build", vvBuildDescription(), "keys", vv_json_keys());
    json_t *columns = json_array();
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        json_object_set_new(root, lists[i].name, vv_json_names(lists[i].get));
    for (int i = 0; vvLedgerColumnInfo(i); i++)
        json_array_append_new(
            columns, json_pack("{s:s, s:s}", "name", vvLedgerColumnInfo(i)->name, "unit", vvLedgerColumnInfo(i)->unit));
    json_object_set_new(root, "columns", columns);
    char *text = json_dumps(root, JSON_COMPACT);
    json_decref(root);
    return text;
}

/* ---- the hand ---- */

int web_grab(web_world *w, double x, double y, double z, double dx, double dy, double dz)
{
    bool met = false;
    const vvStatus status =
        vv_hand_grab(&w->hand, w->world, (double[3]){ x, y, z }, (double[3]){ dx, dy, dz }, &met, &w->error);
    return status != VV_OK ? -1 : met;
}

int web_move(web_world *w, double x, double y, double z, double dx, double dy, double dz, double nx, double ny,
             double nz)
{
    return (int)vv_hand_move(&w->hand, w->world, (double[3]){ x, y, z }, (double[3]){ dx, dy, dz },
                             (double[3]){ nx, ny, nz }, &w->error);
}

int web_release(web_world *w) { return (int)vv_hand_release(&w->hand, w->world, &w->error); }

const double *web_hand(web_world *w)
{
    for (int k = 0; k < 3; k++) {
        w->held[k] = w->hand.grip[k];
        w->held[3 + k] = w->hand.at[k];
    }
    w->held[6] = w->hand.pull;
    w->held[7] = w->hand.work;
    return w->held;
}

/* A world that only writes down what it is told, and small tables: the scene layer is tested against the public API
 * alone, without physics below it. Include it in one test program; it defines every vv function that src/scene calls.
 */
#ifndef VV_TESTS_FAKE_SCENE_WORLD_H
#define VV_TESTS_FAKE_SCENE_WORLD_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mesh/raise.h"
#include "visviva/scene.h"
#include "visviva/joint.h"

struct vvWorld {
    vvWorldDef def;
    int bodies, obstacles;
    char names[64][64]; /* of the bodies */
};

static char fake_log[65536];          /* what was called, a line a call */
static const char *fake_failing = ""; /* name of the function that is to fail */
static int fake_worlds;

static void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void note(const char *format, ...)
{
    size_t used = strlen(fake_log);
    va_list args;
    va_start(args, format);
    vsnprintf(fake_log + used, sizeof fake_log - used, format, args);
    va_end(args);
}

/* Only a filter that is not as these defaults have it. */
static void note_filter(const vvFilter *f)
{
    if (f->category != 1 || f->mask != UINT64_MAX || f->group != 0)
        note("filter %llx %llx %d\n", (unsigned long long)f->category, (unsigned long long)f->mask, (int)f->group);
}

static void note_motion(const vvMotionDef *m)
{
    note("motion about %g %g %g axis %g %g %g turn %g shift %g %g %g time %g %g\n", m->about[0], m->about[1],
         m->about[2], m->axis[0], m->axis[1], m->axis[2], m->angularVelocity, m->linearVelocity[0],
         m->linearVelocity[1], m->linearVelocity[2], m->startTime, m->endTime);
    for (int i = 0; i < m->waypointCount; i++)
        note("waypoint %g: %g %g %g, %g %g %g\n", m->waypoints[i].time, m->waypoints[i].offset[0],
             m->waypoints[i].offset[1], m->waypoints[i].offset[2], m->waypoints[i].turn[0], m->waypoints[i].turn[1],
             m->waypoints[i].turn[2]);
}

static vvStatus outcome(const char *function, vvError *error)
{
    if (strcmp(fake_failing, function) == 0)
        return vv_fail(error, VV_ERROR_INPUT, "%s was told to fail", function);
    return VV_OK;
}

#define TABLE(function, ...)                                                                        \
    const vvInfo *function(int index)                                                               \
    {                                                                                               \
        static const vvInfo rows[] = { __VA_ARGS__, { NULL, NULL } };                               \
        return index >= 0 && index < (int)(sizeof rows / sizeof rows[0]) - 1 ? &rows[index] : NULL; \
    }
TABLE(vvSchemeInfo, { "backward-euler", "" }, { "bdf2", "" }, { "theta", "" }, { "implicit-midpoint", "" })
TABLE(vvPolicyInfo, { "none", "" }, { "a1", "" }, { "search", "" })
TABLE(vvSolverInfo, { "newton", "" })
TABLE(vvLinearSolverInfo, { "auto", "" }, { "pcg", "" }, { "cholesky", "" })
TABLE(vvSolverFallbackInfo, { "none", "" }, { "newton", "" })
TABLE(vvAccelerationInfo, { "none", "" }, { "chebyshev", "" })
TABLE(vvLineSearchInfo, { "backtracking", "" }, { "strong-wolfe", "" })
TABLE(vvMaterialInfo, { "fixed-corotated", "" }, { "corotated", "" }, { "neo-hookean", "" }, { "hooke", "" })
TABLE(vvJointKindInfo, { "ball", "" }, { "distance", "" }, { "hinge", "" }, { "fixed", "" }, { "slider", "" })

static const vvInfo scopes[] = { { "groups", "" }, { "world", "" } };
static const vvParam method_params[] = {
    { "theta", "", "", 1, false, { 0.5 }, 0.5, 1 }, { "theta_inner", "", "", 1, true, { 0 }, 0, 1 },
    { "ballistic", "", "", 1, true, { 0 }, 0, 1 },  { "alpha", "", "", 2, false, { 0, 1.1 }, -10, 10 },
    { "sparse", "", "", 1, true, { 0 }, 0, 1 },     { "scope", "", "", 1, true, { 0 }, 0, 1, 2, scopes },
};
const vvParam *vvSchemeParams(int index, int *count)
{
    *count = index == 1 ? 1 : index == 2 ? 2 : 0;
    return index == 1 ? method_params + 2 : method_params;
}
const vvParam *vvPolicyParams(int index, int *count)
{
    *count = index == 2 ? 3 : 0;
    return method_params + 3;
}

static const vvParam box_params[] = {
    { "size", "", "m", 3, false, { 1, 2, 3 }, 1e-6, 1e6 },
    { "cells", "", "", 3, true, { 4, 5, 6 }, 1, 512 },
    { "split", "", "", 1, true, { 5 }, 5, 6 },
};
static const vvInfo lids[] = { { "open", "" }, { "shut", "" }, { "ajar", "" } };
static const vvParam jar_params[] = { { "lid", "", "", 1, true, { 1 }, 0, 2, 3, lids } };
static const vvParam plane_params[] = {
    { "point", "", "m", 3, false, { 0, 0, 0 }, -1e6, 1e6 },
    { "normal", "", "", 3, false, { 0, 1, 0 }, -1e6, 1e6 },
};
static const vvParam linear_params[] = { { "velocity", "", "m/s", 3, false, { 0 }, -1e6, 1e6 } };
static const vvParam angular_params[] = {
    { "about", "", "m", 3, false, { NAN, NAN, NAN }, -1e6, 1e6 },
    { "velocity", "", "deg/s", 3, false, { 0 }, -1e9, 1e9 },
};
static const vvParam stretch_params[] = { { "factor", "", "", 3, false, { 1, 1, 1 }, -100, 100 } };

const vvMeshGenerator *vvMeshGeneratorInfo(int index)
{
    static const vvMeshGenerator rows[] = { { { "box", "" }, 3, box_params },
                                            { { "ball", "" }, 0, NULL },
                                            { { "jar", "" }, 1, jar_params } };
    return index >= 0 && index < 3 ? &rows[index] : NULL;
}

const vvInitialState *vvInitialStateInfo(int index)
{
    static const vvInitialState rows[] = { { { "linear", "" }, 1, linear_params },
                                           { { "angular", "" }, 2, angular_params },
                                           { { "stretch", "" }, 1, stretch_params },
                                           { { "collapsed", "" }, 0, NULL } };
    return index >= 0 && index < 4 ? &rows[index] : NULL;
}

const vvObstacleType *vvObstacleInfo(int index)
{
    static const vvObstacleType rows[] = { { { "plane", "" }, 2, plane_params } };
    return index == 0 ? &rows[0] : NULL;
}

const vvPotential *vvPotentialInfo(int index)
{
    static const vvParam wall_params[] = { { "point", "", "m", 3, false, { 0, 0, 0 }, -1e6, 1e6, 0, NULL },
                                           { "stiffness", "", "N/m", 1, false, { 100 }, 0, 1e15, 0, NULL } };
    static const vvPotential rows[] = { { { "wall", "" }, 2, wall_params } };
    return index == 0 ? &rows[0] : NULL;
}

/* Their numbers; there is one for each parameter, in its order. */
static void note_settings(const vvParam *params, int param_count, const vvSetting *settings, int count)
{
    if (count != param_count)
        note(" %d settings of %d parameters", count, param_count);
    for (int i = 0; i < count; i++) {
        if (strcmp(settings[i].name, params[i].name) != 0)
            note(" %s", settings[i].name);
        for (int k = 0; k < params[i].size; k++)
            note(" %g", settings[i].value[k]);
    }
    note("\n");
}

vvStatus vvMeshRead(const char *path, vvMesh *mesh, vvMeshNotes *notes, vvError *error)
{
    (void)notes;
    note("read %s\n", path);
    *mesh = (vvMesh){ .vertexCount = 4, .tetCount = strstr(path, "spring") ? 0 : 1 };
    if (strstr(path, "shell"))
        *mesh = (vvMesh){ .vertexCount = 4, .triangleCount = 4 };
    return outcome("vvMeshRead", error);
}

vvStatus vvMeshReadOrder2(const char *path, vvMesh *mesh, vvMeshNotes *notes, vvError *error)
{
    note("order 2: ");
    return vvMeshRead(path, mesh, notes, error);
}

vvStatus vvMeshRaise(vvMesh *mesh, vvError *error)
{
    note("raise %d tets\n", mesh->tetCount);
    return outcome("vvMeshRaise", error);
}

vvStatus vvMeshRaiseOnto(vvMesh *mesh, const vvMesh *original, vvRaiseNotes *notes, vvError *error)
{
    note("raise %d tets onto %d triangles\n", mesh->tetCount, original->triangleCount);
    *notes = (vvRaiseNotes){ 7, 3 };
    return outcome("vvMeshRaiseOnto", error);
}

vvStatus vvMeshGenerate(const char *generator, const vvSetting *settings, int settingCount, vvMesh *mesh,
                        vvError *error)
{
    const vvMeshGenerator *row;
    for (int i = 0; (row = vvMeshGeneratorInfo(i)) && strcmp(row->info.name, generator) != 0;)
        i++;
    note("generate %s", generator);
    note_settings(row->params, row->paramCount, settings, settingCount);
    *mesh = (vvMesh){ .vertexCount = 4, .tetCount = 1 };
    return outcome("vvMeshGenerate", error);
}

vvStatus vvMeshGenerateOrder2(const char *generator, const vvSetting *settings, int settingCount, vvMesh *mesh,
                              vvRaiseNotes *notes, vvError *error)
{
    note("order 2: ");
    *notes = (vvRaiseNotes){ 5, 0 };
    return vvMeshGenerate(generator, settings, settingCount, mesh, error);
}

vvStatus vvMeshFinish(vvMesh *mesh, vvMeshNotes *notes, vvError *error)
{
    (void)mesh, (void)notes, (void)error;
    return VV_OK;
}
void vvMeshDestroy(vvMesh *mesh) { *mesh = (vvMesh){ 0 }; }
void vvMeshMeasure(const vvMesh *mesh, vvMeshQuality *quality)
{
    (void)mesh;
    *quality = (vvMeshQuality){ .boundsMax = { 3, 4, 12 } };
}
vvStatus vvMeshCopy(const vvMesh *mesh, vvMesh *copy, vvError *error)
{
    (void)error;
    *copy = *mesh;
    return VV_OK;
}
/* A file of "shell" is a closed surface but for two holes. */
vvStatus vvMeshCloseHoles(vvMesh *mesh, double width, vvHoleNotes *notes, vvError *error)
{
    (void)mesh, (void)error;
    note("close holes %g\n", width);
    *notes = (vvHoleNotes){ .closed = 2, .widest = 0.5 };
    return VV_OK;
}
vvFillDef vvDefaultFillDef(void) { return (vvFillDef){ 0 }; }
vvStatus vvMeshFillWith(const vvMesh *surface, const vvFillDef *def, vvMesh *mesh, vvFillNotes *notes, vvError *error)
{
    note("fill %d triangles, edge %g: %s\n", surface->triangleCount, def->edge, def->what);
    *mesh = (vvMesh){ .vertexCount = 4, .tetCount = 1 };
    *notes = (vvFillNotes){ .edge = 0.25, .tries = 1, .part = 0.9, .pieces = 1, .parts = 1 };
    return outcome("vvMeshFillWith", error);
}

vvStatus vvMeshSampleDistance(const vvMesh *surface, double spacing, double margin, vvDistanceGrid *grid,
                              vvError *error)
{
    note("sample %d triangles, spacing %g, margin %g\n", surface->triangleCount, spacing, margin);
    *grid = (vvDistanceGrid){
        .counts = { 3, 4, 5 }, .origin = { 1, 2, 3 }, .spacing = 0.5, .samples = vv_alloc(60, sizeof(double))
    };
    return outcome("vvMeshSampleDistance", error);
}
void vvDistanceGridDestroy(vvDistanceGrid *grid)
{
    vv_free(grid->samples);
    *grid = (vvDistanceGrid){ 0 };
}

vvWorldDef vvDefaultWorldDef(void)
{
    return (vvWorldDef){
        .gravity = { 0, -9.8, 0 },
        .timeStep = 1.0 / 120,
        .integrator = { .scheme = "backward-euler", .policy = "none", .startFraction = 1 },
        .solver = { .method = "newton",
                    .contactTolerance = 0.01,
                    .velocityTolerance = 1e-5,
                    .maxIterations = 200,
                    .fallback = "none",
                    .acceleration = "none",
                    .linear = "auto",
                    .linearTolerance = 1e-3,
                    .hessian = "projected",
                    .lineSearch = "backtracking" },
        .contact = { .model = "barrier", .stiffness = 1e5, .frictionTolerance = 0.01, .self = true },
    };
}

vvMaterialDef vvDefaultMaterialDef(void)
{
    return (vvMaterialDef){
        .model = "fixed-corotated", .young = 1e5, .poisson = 0.3, .density = 1000, .springStiffness = 1e3
    };
}

vvMaterialDef vvDefaultMaterialOf(const char *model)
{
    vvMaterialDef m = vvDefaultMaterialDef();
    m.model = model;
    return m;
}

vvBodyDef vvDefaultBodyDef(void)
{
    return (vvBodyDef){ .name = "",
                        .material = vvDefaultMaterialDef(),
                        .scale = { 1, 1, 1 },
                        .friction = -1,
                        .filter = { 1, UINT64_MAX, 0 },
                        .motion = { .endTime = INFINITY },
                        .selfContact = true };
}

vvAttachDef vvDefaultAttachDef(void) { return (vvAttachDef){ .release = INFINITY, .motion = { .endTime = INFINITY } }; }
vvObstacleDef vvDefaultObstacleDef(void)
{
    return (vvObstacleDef){
        .name = "", .type = "plane", .friction = -1, .filter = { 1, UINT64_MAX, 0 }, .motion = { .endTime = INFINITY }
    };
}

static double set(const vvIntegratorDef *in, const char *name, int at, double fallback)
{
    for (int i = 0; i < in->settingCount; i++)
        if (strcmp(in->settings[i].name, name) == 0)
            return in->settings[i].value[at];
    return fallback;
}

vvStatus vvWorldCreate(const vvWorldDef *def, vvWorld **world, vvError *error)
{
    const vvIntegratorDef *in = &def->integrator;
    vvStatus status = outcome("vvWorldCreate", error);
    if (status)
        return status;
    *world = calloc(1, sizeof **world);
    (*world)->def = *def;
    fake_worlds++;
    note("world h %.17g g %g %g %g threads %d seed %d\n", def->timeStep, def->gravity[0], def->gravity[1],
         def->gravity[2], def->threads, (int)def->seed);
    note("integrator %s %s alpha %g %g theta %g %d ballistic %d sparse %d fraction %g ground %d %g\n", in->scheme,
         in->policy, set(in, "alpha", 0, 0), set(in, "alpha", 1, 1.1), set(in, "theta", 0, 0.5),
         (int)set(in, "theta_inner", 0, 0), (int)set(in, "ballistic", 0, 0), (int)set(in, "sparse", 0, 0),
         in->startFraction, (int)in->groundMode, in->groundEnergy);
    for (int i = 0; i < in->settingCount; i++)
        if (in->settings[i].choice)
            note("%s is %s\n", in->settings[i].name, in->settings[i].choice);
    for (int i = 0; i < in->decayKeyCount; i++)
        note("decay %g %g\n", in->decayKeys[i].time, in->decayKeys[i].value);
    note("solver %s %g %g %g %g %d %s %g %s %s\n", def->solver.method, def->solver.tolerance,
         def->solver.gradientTolerance, def->solver.contactTolerance, def->solver.velocityTolerance,
         def->solver.maxIterations, def->solver.linear, def->solver.linearTolerance, def->solver.hessian,
         def->solver.lineSearch);
    if (def->solver.forceTolerance > 0)
        note("force %g\n", def->solver.forceTolerance);
    note("budget %d %s %s\n", def->solver.budget, def->solver.fallback, def->solver.acceleration);
    note("contact %s %g %g %g %g %d\n", def->contact.model, def->contact.distance, def->contact.stiffness,
         def->contact.friction, def->contact.frictionSpeed, def->contact.frictionIterations);
    if (def->solver.relativeTolerance > 0 || def->contact.relativeDistance > 0 ||
        def->contact.relativeFrictionSpeed > 0)
        note("relative %g %g %g\n", def->solver.relativeTolerance, def->contact.relativeDistance,
             def->contact.relativeFrictionSpeed);
    if (def->contact.adaptStiffness)
        note("adapts\n");
    if (!def->contact.self || def->contact.convergent || def->contact.checkIntersections)
        note("surfaces %d %d %d\n", def->contact.self, def->contact.convergent, def->contact.checkIntersections);
    return VV_OK;
}

vvJointDef vvDefaultJointDef(void)
{
    return (vvJointDef){ .limits = { -INFINITY, INFINITY }, .breakForce = INFINITY, .breakTorque = INFINITY };
}
vvStatus vvWorldAddJoint(vvWorld *world, const vvJointDef *def, vvJointId *joint, vvError *error)
{
    (void)world, (void)joint, (void)error;
    note("joint %s %d %d at %g %g %g\n", def->kind, def->bodies[0].index1, def->bodies[1].index1, def->at[0],
         def->at[1], def->at[2]);
    return VV_OK;
}

void vvWorldDestroy(vvWorld *world)
{
    fake_worlds -= world != NULL;
    free(world);
}

vvStatus vvWorldAddBody(vvWorld *world, const vvBodyDef *def, vvBodyId *body, vvError *error)
{
    const vvMaterialDef *m = &def->material;
    *body = (vvBodyId){ ++world->bodies, 1 };
    snprintf(world->names[(world->bodies - 1) % 64], sizeof world->names[0], "%s", def->name);
    if (def->kinematic || def->thickness != 0 || !def->selfContact)
        note("kinematic %d thickness %g self %d\n", def->kinematic, def->thickness, def->selfContact);
    if (def->kinematic)
        note_motion(&def->motion);
    note("body %s %s %d young %g %g mu %g %g density %g mass %g springs %g %g damping %g %g %g %g\n", def->name,
         m->model, m->lame, m->young, m->poisson, m->mu, m->lambda, m->density, m->totalMass, m->springStiffness,
         m->bendStiffness, m->damping.drag, m->damping.rayleigh, m->damping.momentumRate, m->damping.momentumPerStep);
    for (int i = 0; i < def->moreMaterialCount; i++)
        note("more %s young %g bend %g rayleigh %g\n", def->moreMaterials[i].model, def->moreMaterials[i].young,
             def->moreMaterials[i].bendStiffness, def->moreMaterials[i].damping.rayleigh);
    note("place %g %g %g, %g %g %g, %g %g %g friction %g\n", def->scale[0], def->scale[1], def->scale[2],
         def->rotate[0], def->rotate[1], def->rotate[2], def->translate[0], def->translate[1], def->translate[2],
         def->friction);
    note_filter(&def->filter);
    return outcome("vvWorldAddBody", error);
}

vvStatus vvBodyAttach(vvWorld *world, vvBodyId body, const vvAttachDef *def, vvAttachId *attach, vvError *error)
{
    (void)attach;
    const vvRegion *r = &def->where;
    const vvMotionDef *m = &def->motion;
    (void)world;
    note("attach %d kind %d stiffness %g region %d surface %d%s a %g %g %g b %g %g %g radius %g list", body.index1,
         (int)def->kind, def->stiffness, (int)r->kind, r->surfaceOnly, r->rimOnly ? " rim" : "", r->a[0], r->a[1],
         r->a[2], r->b[0], r->b[1], r->b[2], r->radius);
    for (int i = 0; i < r->listCount; i++)
        note(" %d", r->list[i]);
    if (def->kind == VV_ATTACH_PUSH)
        note(" acceleration %g %g %g", def->acceleration[0], def->acceleration[1], def->acceleration[2]);
    if (def->kind == VV_ATTACH_ROLLER)
        note(" axes %u normal %g %g %g clamp %d", def->axes, def->normal[0], def->normal[1], def->normal[2],
             def->clamp);
    if (def->kind >= VV_ATTACH_FORCE)
        note(" load %g %g %g pressure %g follows %d", def->load[0], def->load[1], def->load[2], def->pressure,
             def->follows);
    for (int i = 0; i < def->keyCount; i++)
        note(" key %g %g smooth %d", def->keys[i].time, def->keys[i].value, def->smooth);
    if (isfinite(def->release))
        note(" release %g", def->release);
    note("\n");
    note_motion(m);
    return outcome("vvBodyAttach", error);
}

/* All bodies have directors. */
void vvBodyGetElements(const vvWorld *world, vvBodyId body, vvBodyElements *elements)
{
    (void)world, (void)body;
    *elements = (vvBodyElements){ .directorCount = 1 };
}

vvStatus vvBodySetInitialState(vvWorld *world, vvBodyId body, const char *state, const vvSetting *settings,
                               int settingCount, vvError *error)
{
    const vvInitialState *row;
    (void)world;
    for (int i = 0; (row = vvInitialStateInfo(i)) && strcmp(row->info.name, state) != 0;)
        i++;
    note("state %d %s", body.index1, state);
    note_settings(row->params, row->paramCount, settings, settingCount);
    return outcome("vvBodySetInitialState", error);
}

int vvWorldBodyCount(const vvWorld *world) { return world->bodies; }
vvBodyId vvWorldBody(const vvWorld *world, int index)
{
    (void)world;
    return (vvBodyId){ index + 1, 1 };
}
const char *vvBodyName(const vvWorld *world, vvBodyId body) { return world->names[(body.index1 - 1) % 64]; }

vvStatus vvBodySetSelfContact(vvWorld *world, vvBodyId body, bool on, vvError *error)
{
    (void)world;
    note("self contact %d %d\n", body.index1, on);
    return outcome("vvBodySetSelfContact", error);
}

vvStatus vvWorldSetFriction(vvWorld *world, vvBodyId a, vvBodyId b, double mu, vvError *error)
{
    (void)world;
    note("pair %d %d friction %g\n", a.index1, b.index1, mu);
    return outcome("vvWorldSetFriction", error);
}

vvStatus vvWorldAddObstacle(vvWorld *world, const vvObstacleDef *def, vvObstacleId *obstacle, vvError *error)
{
    *obstacle = (vvObstacleId){ ++world->obstacles, 1 };
    note("obstacle %s %s friction %g", def->name, def->type, def->friction);
    note_settings(plane_params, 2, def->settings, def->settingCount);
    note_filter(&def->filter);
    if (def->moves) {
        note("moves\n");
        note_motion(&def->motion);
        world->bodies++;
    }
    return outcome("vvWorldAddObstacle", error);
}

void vvBodyNodes(const vvWorld *world, vvBodyId body, int *first, int *count)
{
    (void)world, (void)body;
    *first = 0;
    *count = 8;
}

vvStatus vvBodySetState(vvWorld *world, vvBodyId body, const double *positions, const double *velocities,
                        vvError *error)
{
    (void)world;
    note("body %d state %d %d\n", body.index1, positions != NULL, velocities != NULL);
    return outcome("vvBodySetState", error);
}

vvStatus vvWorldBake(vvWorld *world, vvError *error)
{
    (void)world;
    return outcome("vvWorldBake", error);
}

#endif

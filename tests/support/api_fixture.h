/* What every public function can be called with (tests/scripts/api_calls.py writes the calls): a small scene and the
 * world that was made from it, in mid-run, with attachments, a drag, a snapshot, a saved state, meshes, a run that is
 * being written, and one to read. */
#ifndef VV_TESTS_API_FIXTURE_H
#define VV_TESTS_API_FIXTURE_H

#include <unistd.h>

#include "visviva/visviva.h"
#include "world_support.h"

typedef struct api_fixture {
    vvScene *scene;
    vvWorld *world;
    vvSnapshot *snapshot;
    vvModes *modes;
    vvBatch *batch, *batch_out;
    vvRun *run;
    vvRunWriter *writer;
    vvBodyId body, other_body;
    vvObstacleId obstacle;
    vvAttachId attach;
    vvDragId drag;
    vvJointId joint;
    vvMesh mesh, skin, shell; /* shell: triangles alone */
    void *saved;
    size_t saved_size;
    double *state, *body_state, *attach_state; /* present positions: of all, of the body, of the attachment */
    bool (*cancel)(void *user);
    vvSettingFunction *tell;
    /* definitions */
    vvWorldDef world_def;
    vvBodyDef body_def;
    vvAttachDef attach_def;
    vvObstacleDef obstacle_def;
    vvDragDef drag_def;
    vvJointDef joint_def;
    vvResumeDef resume_def;
    vvExportDef export_def;
    vvFillDef fill_def;
    vvBatchDef batch_def;
    vvRay ray;
    vvOverlap shape;
    vvRegion region, region_out;
    vvMesh grouped; /* has the group "part" */
    vvMeshGroup part;
    int part_vertex[1];
    vvMeshGroup solid; /* of all tets of `regioned`, which is `mesh` with it */
    vvMesh regioned;
    const char *group_names[1];
    int regions[8000];
    vvFilter filter;
    vvAllocator allocator;
    vvHost host;
    const char *text, *names[1], *overrides[1], *mesh_file, *mesh_file_out, *run_file, *run_file_out, *run_file_resumed,
        *export_file, *scene_file, *scene_file_out;
    int nodes[4];
    double zeros[3000];
    /* room for what comes out */
    vvError error;
    vvWorld *made;
    vvScene *scene_out;
    vvSnapshot *snapshot_out;
    vvModes *modes_out;
    vvRun *run_out;
    vvRunWriter *writer_out;
    vvMesh mesh_out;
    vvBodyId bodies[8];
    vvObstacleId obstacle_out;
    vvAttachId attach_out;
    vvDragId drag_out;
    vvJointId joints_out[8];
    vvJointState joint_state;
    vvMeshNotes notes;
    vvMeshQuality quality;
    vvEmbedNotes embed;
    vvFillNotes filled;
    vvRaiseNotes raised;
    vvDistanceGrid grid;
    vvSparse sparse;
    vvHoleNotes holes;
    vvWatch watch;
    vvSurfaceCheck check;
    vvSchemeCheck scheme_check;
    vvInverted inverted;
    vvStepReport report;
    vvLedgerRow row;
    vvLedgerTotals totals;
    vvBottleneck bottleneck;
    vvRunLengths run_lengths;
    vvStiffness stiffness;
    vvStartGap start_gap;
    vvBodyBending bending;
    vvRestAngle rest_angles[4];
    vvVisible visible[8];
    vvContactEvents events;
    const vvContactPoint *points;
    vvContactPoint points_out[8];
    vvIntersection intersections[8];
    vvRunShown run_shown;
    vvRunIntersection run_intersections[8];
    vvRunPassing run_passing;
    vvRayHit hit;
    vvBodyElements elements;
    vvBodySurface surface;
    vvMaterialDef material_out;
    vvBodyMeasures measures;
    vvTransform transform;
    vvSettingChange setting;
    vvDraw draw;
    double gravity[3];
    bool found;
    int ints[4000], count, first;
    double room[6000], weights[4000], energy, *in_place;
    const double *values;
    vvSetting radius, velocity;
    char path[64];
} api_fixture;

typedef struct api_outcome {
    vvStatus status;
    bool neutral; /* of a getter: 0, NULL, "", false */
} api_outcome;

enum { API_VOID, API_STATUS, API_VALUE };
typedef struct api_call {
    const char *name;
    void (*call)(api_fixture *f, unsigned null, api_outcome *out); /* null: a bit for each pointer that is to be NULL */
    int kind, pointers;
    unsigned required, object, world; /* bits: that must not be NULL; the object of a getter; a world */
    const char *names[8];             /* of the pointers */
} api_call;

static inline bool is_zero(const void *what, size_t size)
{
    static const char none[512];
    return size <= sizeof none && memcmp(what, none, size) == 0;
}

static inline void ignore_setting(void *user, const char *key, const char *json) { (void)user, (void)key, (void)json; }

static inline bool never(void *user)
{
    (void)user;
    return false;
}

static const char api_scene[] =
    "{ \"visviva\": 1, \"name\": \"api\", \"gravity\": [0, -9.8, 0], \"integrator\": { \"ground_energy\": \"none\" },"
    "  \"materials\": { \"jelly\": { \"young\": 1e5 } },"
    "  \"bodies\": [ { \"name\": \"a\", \"material\": \"jelly\", \"mesh\": { \"box\": { \"size\": [0.1, 0.1, 0.1], "
    "\"cells\": [1, 1, 1] } },"
    "                \"surface\": { \"box\": { \"size\": [0.1, 0.1, 0.1], \"cells\": [2, 2, 2] } } },"
    "              { \"name\": \"b\", \"material\": \"jelly\", \"mesh\": { \"box\": { \"size\": [0.1, 0.1, 0.1], "
    "\"cells\": [1, 1, 1] } },"
    "                \"place\": { \"translate\": [0.5, 0, 0] } } ],"
    "  \"obstacles\": [ { \"plane\": { \"point\": [0, -1, 0] } } ],"
    "  \"joints\": [ { \"kind\": \"hinge\", \"between\": [\"world\", \"a\"], \"at\": [0, 0, 0], \"axis\": [0, 0, 1], "
    "\"motor\": { \"force\": 1 } } ] }";

/* The name of a file of this process: tests that run at the same time must not share any. */
static inline const char *api_file(const char *name)
{
    enum { MOST = 24 };
    static char room[MOST][64];
    char made[64];
    snprintf(made, sizeof made, "api-%ld-%s", (long)getpid(), name);
    for (int i = 0; i < MOST; i++) {
        if (!room[i][0])
            memcpy(room[i], made, sizeof made);
        if (strcmp(room[i], made) == 0)
            return room[i];
    }
    fail_msg("more than %d files", MOST);
    return NULL;
}

static inline void api_put_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* A short run of the fixture's world. */
static inline void api_write_run(vvWorld *world, const char *path)
{
    vvError error = { 0 };
    vvRunWriter *writer = NULL;
    assert_ok(vvRunCreate(path, world, "api", api_scene, &writer, &error));
    assert_ok(vvWorldStep(world, NULL, &error));
    assert_ok(vvRunAddStep(writer, world, NULL, &error));
    assert_ok(vvRunAddFrame(writer, world, &error));
    assert_ok(vvRunClose(writer, "done", &error));
}

static inline void api_define(api_fixture *f)
{
    f->world_def = vvDefaultWorldDef();
    f->body_def = vvDefaultBodyDef();
    f->body_def.mesh = &f->mesh;
    f->body_def.translate[0] = 2;
    f->attach_def = vvDefaultAttachDef();
    f->attach_def.where = (vvRegion){ .kind = VV_REGION_VERTICES, .list = f->nodes + 3, .listCount = 1 };
    f->attach_def.kind = VV_ATTACH_SPRING;
    f->obstacle_def = vvDefaultObstacleDef();
    f->drag_def = vvDefaultDragDef();
    f->joint_def = vvDefaultJointDef();
    f->resume_def = vvDefaultResumeDef();
    f->export_def = vvDefaultExportDef();
    f->export_def.format = "csv";
    f->fill_def = vvDefaultFillDef();
    f->ray = vvDefaultRay();
    f->ray.direction[0] = 1;
    f->shape = vvDefaultOverlap();
    f->filter = vvDefaultFilter();
    f->draw = vvDefaultDraw();
    f->nodes[3] = 1;
    f->cancel = never;
    f->tell = ignore_setting;
    f->text = api_scene;
    f->names[0] = "a";
    f->overrides[0] = "time.step=0.01";
    f->mesh_file = api_file("mesh.obj"), f->mesh_file_out = api_file("mesh-out.obj");
    f->run_file = api_file("run.vtkhdf"), f->run_file_out = api_file("run-out.vtkhdf"),
    f->run_file_resumed = api_file("run-resumed.vtkhdf");
    f->export_file = api_file("export.csv"), f->scene_file = api_file("scene.json"),
    f->scene_file_out = api_file("extract.json");
}

/* `runs`: with runs to read and to write; 2: for a second one at a time. */
static inline api_fixture *api_make(const vvHost *host, int runs)
{
    vvError error = { 0 };
    api_fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    api_define(f);
    f->part = (vvMeshGroup){ .name = "part", .vertexCount = 1, .vertices = f->part_vertex };
    f->grouped = (vvMesh){ .groupCount = 1, .groups = &f->part };
    f->radius = (vvSetting){ "radius", { 0.05 } };
    f->velocity = (vvSetting){ "velocity", { 0 } };
    assert_ok(vvMeshGenerate("ball", NULL, 0, &f->mesh, &error));
    assert_ok(vvMeshGenerate("ball", (vvSetting[]){ { "radius", { 0.1 } }, { "cells", { 4 } } }, 2, &f->skin, &error));
    assert_in_range(f->skin.vertexCount, 1, 900);
    assert_in_range(f->mesh.tetCount, 1, 8000);
    f->solid = (vvMeshGroup){ .name = "solid", .dimension = 3, .tetCount = f->mesh.tetCount, .tets = f->mesh.tets };
    f->regioned = f->mesh;
    f->regioned.groupCount = 1, f->regioned.groups = &f->solid, f->group_names[0] = "solid";
    api_put_file(f->scene_file, api_scene);
    assert_ok(vvMeshWrite(&f->mesh, f->mesh_file, NULL, &error));
    assert_ok(vvMeshRead(f->mesh_file, &f->shell, NULL, &error));
    assert_ok(vvSceneLoad(f->scene_file, NULL, 0, &f->scene, &error));
    assert_ok(vvSceneCreateHostedWorld(f->scene, 1, host, &f->world, &error));
    vvWorld *w = f->world;
    f->body = vvWorldBody(w, 0), f->other_body = vvWorldBody(w, 1), f->obstacle = vvWorldObstacleAt(w, 0);
    f->joint = vvWorldJoint(w, 0), f->joint_def.bodies[0] = f->body, f->joint_def.bodies[1] = f->other_body;
    if (runs) {
        vvWorld *other = NULL;
        for (int i = 0; i < 2; i++) {
            assert_ok(vvSceneCreateWorld(f->scene, 1, &other, &error));
            assert_ok(vvWorldBake(other, &error));
            api_write_run(other, i ? f->run_file : f->run_file_resumed);
            vvWorldDestroy(other);
        }
        assert_ok(vvRunOpen(f->run_file, &f->run, &error));
    } else { /* without: attachments are not those of the run */
        f->drag_def.body = f->body;
        assert_ok(vvBodyAttach(w, f->body, &f->attach_def, &f->attach, &error));
        assert_ok(vvWorldStartDrag(w, &f->drag_def, &f->drag, &error));
    }
    assert_ok(vvWorldStep(w, NULL, &error));
    if (runs)
        assert_ok(vvRunCreate(runs == 2 ? api_file("writing-2.vtkhdf") : api_file("writing.vtkhdf"), w, "api",
                              api_scene, &f->writer, &error));
    size_t bytes = 3 * (size_t)vvWorldNodeCount(w) * sizeof(double);
    f->state = malloc(bytes);
    assert_non_null(f->state);
    memcpy(f->state, vvWorldPositions(w), bytes);
    f->body_state = f->state;
    vvAttachNodes(w, f->attach, f->nodes, 1);
    f->attach_state = f->state + 3 * f->nodes[0];
    f->saved_size = vvWorldStateSize(w);
    f->saved = malloc(f->saved_size);
    assert_ok(vvWorldSaveState(w, f->saved, f->saved_size, &error));
    assert_ok(vvWorldSnapshot(w, &f->snapshot, &error));
    assert_ok(vvBodyFindModes(w, f->body, VV_MODES_LOWEST, 1, &f->modes, &error));
    assert_ok(vvBatchCreate(1, &f->batch, &error));
    f->batch_def = vvDefaultBatchDef();
    f->batch_def.worlds = &f->world;
    f->batch_def.worldCount = 1;
    return f;
}

/* gone: 'w', 's', 'n', 'm', 'r', 'f', 'b': the call was to destroy world, scene, snapshot, modes, writer, run or batch;
 * 0: none. */
static inline void api_free(api_fixture *f, char gone)
{
    if (gone != 'r')
        vvRunClose(f->writer, NULL, NULL);
    if (f->writer_out)
        vvRunClose(f->writer_out, NULL, NULL);
    if (gone != 'f')
        vvRunFree(f->run);
    vvRunFree(f->run_out);
    if (gone != 'n')
        vvSnapshotDestroy(f->snapshot);
    vvSnapshotDestroy(f->snapshot_out);
    if (gone != 'm')
        vvModesDestroy(f->modes);
    vvModesDestroy(f->modes_out);
    if (gone != 'b')
        vvBatchDestroy(f->batch);
    vvBatchDestroy(f->batch_out);
    if (gone != 'w')
        vvWorldDestroy(f->world);
    vvWorldDestroy(f->made);
    if (gone != 's')
        vvSceneDestroy(f->scene);
    vvSceneDestroy(f->scene_out);
    vvMeshDestroy(&f->mesh);
    vvMeshDestroy(&f->skin);
    vvMeshDestroy(&f->shell);
    vvMeshDestroy(&f->mesh_out);
    vvSurfaceCheckDestroy(&f->check);
    vvDistanceGridDestroy(&f->grid);
    vvSparseDestroy(&f->sparse);
    free(f->state);
    free(f->saved);
    free(f);
}

static inline char api_destroys(const char *name)
{
    static const struct {
        const char *name;
        char what;
    } all[] = { { "vvWorldDestroy", 'w' }, { "vvSceneDestroy", 's' }, { "vvSnapshotDestroy", 'n' },
                { "vvModesDestroy", 'm' }, { "vvRunClose", 'r' },     { "vvRunFree", 'f' },
                { "vvBatchDestroy", 'b' } };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, name) == 0)
            return all[i].what;
    return 0;
}

static inline void api_remove_files(void)
{
    static const char *const files[] = { "mesh.obj",       "mesh-out.obj", "run.vtkhdf",         "run.xdmf",
                                         "run-out.vtkhdf", "run-out.xdmf", "run-resumed.vtkhdf", "run-resumed.xdmf",
                                         "writing.vtkhdf", "writing.xdmf", "writing-2.vtkhdf",   "writing-2.xdmf",
                                         "export.csv",     "scene.json",   "extract.json",       "extract-1.csv" };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink(api_file(files[i]));
}

#endif

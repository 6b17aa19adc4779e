/* Definition structs come from their vvDefault...(): one that is filled by hand lacks defaults, and is refused with
 * the name of the function to begin with, wherever it stands; a copy is as good as what it was copied from. */
#include "api_fixture.h"

static void refused(vvStatus got, const vvError *error, const char *place, const char *maker)
{
    if (got != VV_ERROR_INPUT || !strstr(error->message, place) || !strstr(error->message, maker))
        fail_msg("wanted a refusal that names %s and %s(); got \"%s\": %s", place, maker, vvStatusName(got),
                 error->message);
}

/* As if zeroed, but with sensible numbers in it. */
#define FORGET(struct_) ((struct_).internalValue = 0)

static void worlds(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = NULL;
    vvWorldDef def = vvDefaultWorldDef(), zeroed = { .timeStep = 0.01 };
    FORGET(def);
    refused(vvWorldCreate(&def, &w, &error), &error, "vvWorldCreate", "vvDefaultWorldDef()");
    refused(vvWorldCreate(&zeroed, &w, &error), &error, "vvWorldCreate", "vvDefaultWorldDef()");
    assert_null(w);
    def = vvDefaultWorldDef();
    vvWorldDef copy = def;
    copy.threads = 1;
    assert_ok(vvWorldCreate(&copy, &w, &error));
    copy = *vvWorldGetDef(w); /* also the one in use */
    vvWorldDestroy(w);
    copy.integrator.settings = NULL, copy.integrator.settingCount = 0;
    copy.integrator.decayKeys = NULL;
    assert_ok(vvWorldCreate(&copy, &w, &error));
    vvWorldDestroy(w);
}

static void bodies(void **state)
{
    (void)state;
    api_fixture *f = api_make(NULL, 0);
    vvError error = { 0 };
    int count = vvWorldBodyCount(f->world);
    vvBodyDef def = f->body_def, zeroed = { .mesh = &f->mesh, .scale = { 1, 1, 1 } };
    refused(vvWorldAddBody(f->world, &zeroed, NULL, &error), &error, "vvWorldAddBody", "vvDefaultBodyDef()");
    def.material = (vvMaterialDef){ .model = "stvk", .young = 1e5, .density = 1000 };
    refused(vvWorldAddBody(f->world, &def, NULL, &error), &error, "vvBodyDef.material", "vvDefaultMaterialDef()");
    def = f->body_def;
    def.filter = (vvFilter){ .category = 2 };
    refused(vvWorldAddBody(f->world, &def, NULL, &error), &error, "vvBodyDef.filter", "vvDefaultFilter()");
    def = f->body_def;
    def.motion = (vvMotionDef){ .linearVelocity = { 1, 0, 0 } }; /* would end at time 0 */
    refused(vvWorldAddBody(f->world, &def, NULL, &error), &error, "vvBodyDef.motion", "vvDefaultMotionDef()");
    def.kinematic = true;
    refused(vvWorldAddBody(f->world, &def, NULL, &error), &error, "vvBodyDef.motion", "vvDefaultMotionDef()");
    vvMaterialDef more[2] = { vvDefaultMaterialDef(), { .model = "arap" } };
    def = f->body_def;
    def.moreMaterials = more;
    def.moreMaterialCount = 2;
    refused(vvWorldAddBody(f->world, &def, NULL, &error), &error, "moreMaterials[1]", "vvDefaultMaterialDef()");
    assert_int_equal(vvWorldBodyCount(f->world), count);
    def = f->body_def;
    def.kinematic = true;
    def.motion = vvDefaultMotionDef();
    assert_ok(vvWorldAddBody(f->world, &def, NULL, &error));
    api_free(f, 0);
}

static void what_is_added_to_them(void **state)
{
    (void)state;
    api_fixture *f = api_make(NULL, 0);
    vvError error = { 0 };
    vvAttachDef attach = f->attach_def;
    FORGET(attach);
    refused(vvBodyAttach(f->world, f->body, &attach, NULL, &error), &error, "vvBodyAttach", "vvDefaultAttachDef()");
    attach = f->attach_def;
    attach.motion = (vvMotionDef){ 0 };
    refused(vvBodyAttach(f->world, f->body, &attach, NULL, &error), &error, "vvAttachDef.motion",
            "vvDefaultMotionDef()");
    vvObstacleDef obstacle = { .type = "plane" };
    refused(vvWorldAddObstacle(f->world, &obstacle, NULL, &error), &error, "vvWorldAddObstacle",
            "vvDefaultObstacleDef()");
    obstacle = vvDefaultObstacleDef();
    FORGET(obstacle.filter);
    refused(vvWorldAddObstacle(f->world, &obstacle, NULL, &error), &error, "vvObstacleDef.filter", "vvDefaultFilter()");
    vvDragDef drag = { .body = f->body, .here = true };
    refused(vvWorldStartDrag(f->world, &drag, &f->drag_out, &error), &error, "vvWorldStartDrag", "vvDefaultDragDef()");
    vvRay ray = { .direction = { 1, 0, 0 }, .maxDistance = 1, .bodies = true };
    refused(vvWorldCastRay(f->world, &ray, &f->hit, &f->found, &error), &error, "vvWorldCastRay", "vvDefaultRay()");
    ray = vvDefaultRay();
    ray.direction[0] = 1;
    FORGET(ray.filter);
    refused(vvWorldCastRay(f->world, &ray, &f->hit, &f->found, &error), &error, "vvRay.filter", "vvDefaultFilter()");
    vvOverlap shape = { .size = { 1, 1, 1 } };
    refused(vvWorldOverlapNodes(f->world, &shape, NULL, 0, &f->count, &error), &error, "overlap", "vvDefaultOverlap()");
    shape = vvDefaultOverlap();
    FORGET(shape.filter);
    refused(vvWorldOverlapBodies(f->world, &shape, NULL, 0, &f->count, &error), &error, "vvOverlap.filter",
            "vvDefaultFilter()");
    shape.filter = vvBodyFilter(f->world, f->body); /* a body's own may be used for others */
    assert_ok(vvWorldOverlapBodies(f->world, &shape, NULL, 0, &f->count, &error));
    api_free(f, 0);
}

static void of_runs(void **state)
{
    (void)state;
    api_fixture *f = api_make(NULL, 1);
    vvError error = { 0 };
    vvResumeDef resume = { .frame = -1 };
    refused(vvRunResume(f->run_file_resumed, f->world, &resume, &f->writer_out, &error), &error, "vvRunResume",
            "vvDefaultResumeDef()");
    vvExportDef export = { .format = "csv", .every = 1 };
    refused(vvRunExport(f->run, &export, f->export_file, &error), &error, "vvRunExport", "vvDefaultExportDef()");
    const vvFillDef fill = { .edge = 0.05 };
    refused(vvMeshFillWith(&f->shell, &fill, &f->mesh_out, NULL, &error), &error, "vvMeshFillWith",
            "vvDefaultFillDef()");
    const vvBatchDef batch = { .worlds = &f->world, .worldCount = 1, .steps = 1 };
    refused(vvBatchStep(f->batch, &batch, &error), &error, "vvBatchStep", "vvDefaultBatchDef()");
    api_free(f, 0);
    api_remove_files();
}

/* It goes on for ever, about the upright axis. */
static void the_default_motion(void **state)
{
    (void)state;
    vvMotionDef m = vvDefaultMotionDef(), of_body = vvDefaultBodyDef().motion,
                of_attachment = vvDefaultAttachDef().motion;
    assert_true(m.endTime == INFINITY && m.startTime == 0 && m.axis[1] == 1);
    assert_true(of_body.endTime == INFINITY && of_attachment.endTime == INFINITY);
    vvError error = { 0 };
    api_fixture *f = api_make(NULL, 0);
    vvBodyId body;
    int first, count;
    f->body_def.kinematic = true;
    f->body_def.motion = m;
    f->body_def.motion.linearVelocity[0] = 1;
    assert_ok(vvWorldAddBody(f->world, &f->body_def, &body, &error));
    assert_ok(vvWorldBake(f->world, &error));
    vvBodyNodes(f->world, body, &first, &count);
    double x = vvWorldPositions(f->world)[3 * first];
    steps(f->world, 5);
    assert_near(vvWorldPositions(f->world)[3 * first], x + 5 * vvWorldGetDef(f->world)->timeStep, 1e-12);
    const vvFillDef fill = { .edge = 0.05 };
    refused(vvMeshFillWith(&f->shell, &fill, &f->mesh_out, NULL, &error), &error, "vvMeshFillWith",
            "vvDefaultFillDef()");
    api_free(f, 0);
    api_remove_files();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds),
        cmocka_unit_test(bodies),
        cmocka_unit_test(what_is_added_to_them),
        cmocka_unit_test(of_runs),
        cmocka_unit_test(the_default_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

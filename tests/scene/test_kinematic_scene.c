/* Obstacles with a mesh from a scene file to a run file and out of it: they move as the scene says, a run goes on
 * from its own scene to the same bits, and exports show them. */
#include "live_support.h"
#include "visviva/run.h"
#include "visviva/scene.h"
#include "world/world.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const char run_path[] = "kinematic-scene/a.vtkhdf";

/* A ramp with a rod on it as files; all three obstacles move differently. */
static const char text[] =
    "{ 'visviva': 1, 'gravity': [0, 0, 0], 'time': { 'step': 0.01, 'end': 0.2 }, 'integrator': { 'scheme': 'bdf2' },"
    "  'contact': { 'friction': 0.5, 'pairs': [ { 'between': ['ramp', 'soft'], 'friction': 0.1 } ] },"
    "  'bodies': [ { 'name': 'soft', 'mesh': { 'box': { 'cells': [1, 1, 1] } }, 'velocity': { 'angular': [0, 3, 0] } } "
    "],"
    "  'obstacles': ["
    "    { 'name': 'ramp', 'mesh': { 'file': 'ramp.obj' }, 'place': { 'translate': [0, -3, 0] }, 'motion': { "
    "'velocity': [0.5, 0, 0] } },"
    "    { 'plane': { 'point': [0, -9, 0] } },"
    "    { 'name': 'crate', 'mesh': { 'box': { 'cells': [2, 2, 2] } }, 'place': { 'translate': [5, 0, 0] },"
    "      'motion': { 'angular': 90, 'axis': [0, 1, 0], 'about': [5, 0, 0], 'end': 0.1 } } ] }";

static vvScene *parse(const char *json, const char *folder)
{
    vvError error = { 0 };
    vvScene *scene = NULL;
    assert_ok(vvSceneParse(json, "k", folder, NULL, 0, &scene, &error));
    return scene;
}

static vvWorld *world_of(const vvScene *scene)
{
    vvError error = { 0 };
    vvWorld *world = NULL;
    assert_ok(vvSceneCreateWorld(scene, 1, &world, &error));
    return world;
}

static vvScene *first_scene(void)
{
    char json[sizeof text];
    for (size_t i = 0; i < sizeof text; i++)
        json[i] = text[i] == '\'' ? '"' : text[i];
    mkdir("kinematic-scene", 0777);
    FILE *f = fopen("kinematic-scene/ramp.obj", "w");
    assert_non_null(f);
    fputs("v 0 0 0\nv 1 0 0\nv 0 1 1\nv 1 1 1\nf 1 2 3\nf 2 4 3\n", f);
    fclose(f);
    return parse(json, "kinematic-scene");
}

static void record_steps(vvRunWriter *writer, vvWorld *world, int count)
{
    vvError error = { 0 };
    for (int i = 0; i < count; i++) {
        vvStepReport report;
        assert_ok(vvWorldStep(world, &report, &error));
        assert_ok(vvRunAddStep(writer, world, &report, &error));
        assert_ok(vvRunAddFrame(writer, world, &error));
    }
}

static void write_run(const char *path, int count)
{
    vvError error = { 0 };
    vvScene *scene = first_scene();
    vvWorld *world = world_of(scene);
    vvRunWriter *writer;
    assert_ok(vvWorldBake(world, &error));
    assert_ok(vvRunCreate(path, world, "k", vvSceneText(scene), &writer, &error));
    record_steps(writer, world, count);
    assert_ok(vvRunClose(writer, "done", &error));
    vvWorldDestroy(world);
    vvSceneDestroy(scene);
}

static void the_world_of_the_scene(void **state)
{
    (void)state;
    vvScene *scene = first_scene();
    vvWorld *w = world_of(scene);
    assert_int_equal(vvWorldBodyCount(w), 3); /* in this order */
    assert_string_equal(vvBodyName(w, vvWorldBody(w, 0)), "soft");
    assert_string_equal(vvBodyName(w, vvWorldBody(w, 1)), "ramp");
    assert_string_equal(vvBodyName(w, vvWorldBody(w, 2)), "crate");
    assert_false(vvBodyIsKinematic(w, vvWorldBody(w, 0)));
    assert_true(vvBodyIsKinematic(w, vvWorldBody(w, 1)) && vvBodyIsKinematic(w, vvWorldBody(w, 2)));
    vvBodyElements e;
    vvBodyGetElements(w, vvWorldBody(w, 2), &e);
    assert_true(e.tetCount == 0 && e.triangleCount == 48);
    int first, count;
    vvBodyNodes(w, vvWorldBody(w, 2), &first, &count);
    assert_int_equal(count, 26); /* without the node inside */
    assert_string_equal(vvWorldGetDef(w)->contact.model, "barrier");
    assert_near(vv_world_friction(w, 0, 1), 0.1, 0);
    assert_near(vv_world_friction(w, 0, 2), 0.5, 0);
    double *x = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w));
    steps(w, 15); /* t = 0.15 s: the crate has stopped after 9 degrees */
    vvBodyNodes(w, vvWorldBody(w, 1), &first, &count);
    for (int i = first; i < first + count; i++) {
        assert_near(vvWorldPositions(w)[3 * i], x[3 * i] + 0.075, 1e-12);
        assert_near(vvWorldPositions(w)[3 * i + 1], x[3 * i + 1], 0);
    }
    vvBodyNodes(w, vvWorldBody(w, 2), &first, &count);
    double c = cos(9 * PI / 180), s = sin(9 * PI / 180);
    for (int i = first; i < first + count; i++) {
        double r[3] = { x[3 * i] - 5, x[3 * i + 1], x[3 * i + 2] },
               to[3] = { 5 + c * r[0] + s * r[2], r[1], c * r[2] - s * r[0] };
        assert_less(distance3(vvWorldPositions(w) + 3 * i, to), 1e-12);
        assert_true(norm3(vvWorldVelocities(w) + 3 * i) == 0);
    }
    free(x);
    vvWorldDestroy(w);
    vvSceneDestroy(scene);
}

static void a_run_goes_on_from_its_own_scene(void **state)
{
    (void)state;
    vvError error = { 0 };
    const char whole[] = "kinematic-scene/whole.vtkhdf";
    write_run(whole, 12);
    write_run(run_path, 5);
    vvRun *run;
    assert_ok(vvRunOpen(run_path, &run, &error));
    vvScene *scene = parse(vvRunSceneText(run), "/"); /* paths are absolute in it */
    vvRunFree(run);
    vvWorld *world = world_of(scene);
    vvRunWriter *writer;
    assert_ok(vvRunResume(run_path, world, NULL, &writer, &error));
    record_steps(writer, world, 7);
    assert_ok(vvRunClose(writer, "done", &error));
    vvWorldDestroy(world);
    vvSceneDestroy(scene);

    vvRun *a, *b;
    assert_ok(vvRunOpen(whole, &a, &error));
    assert_ok(vvRunOpen(run_path, &b, &error));
    int n = 3 * vvRunNodeCount(a);
    assert_true(n == 3 * vvRunNodeCount(b) && vvRunFrameCount(a) == 13 && vvRunFrameCount(b) == 13);
    double *x = calloc((size_t)n, sizeof *x), *y = calloc((size_t)n, sizeof *y), *v = calloc((size_t)n, sizeof *v),
           *u = calloc((size_t)n, sizeof *u);
    for (int f = 0; f < 13; f++) {
        assert_ok(vvRunReadFrame(a, f, x, v, &error));
        assert_ok(vvRunReadFrame(b, f, y, u, &error));
        assert_memory_equal(x, y, (size_t)n * sizeof *x);
        assert_memory_equal(v, u, (size_t)n * sizeof *x);
    }
    assert_true(!vvRunGetBody(b, 0)->kinematic && vvRunGetBody(b, 1)->kinematic && vvRunGetBody(b, 2)->kinematic);
    free(x), free(y), free(v), free(u);
    vvRunFree(a);
    vvRunFree(b);
}

/* The first vertex of the body's file at a frame. */
static void first_vertex(const char *path, double x[3])
{
    FILE *f = fopen(path, "r");
    char line[256];
    bool found = false;
    assert_non_null(f);
    while (!found && fgets(line, sizeof line, f))
        found = sscanf(line, "v %lf %lf %lf", x, x + 1, x + 2) == 3;
    fclose(f);
    assert_true(found);
}

static void exports_show_them_where_they_are(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvRun *run;
    write_run(run_path, 5);
    assert_ok(vvRunOpen(run_path, &run, &error));
    vvExportDef def = vvDefaultExportDef();
    def.format = "obj";
    def.body = "ramp";
    assert_ok(vvRunExport(run, &def, "kinematic-scene/ramp-at.obj", &error));
    double a[3], b[3];
    first_vertex("kinematic-scene/ramp-at_000000.obj", a);
    first_vertex("kinematic-scene/ramp-at_000005.obj", b);
    assert_near(b[0] - a[0], 0.025, 1e-6);
    assert_near(a[1], -3, 1e-6);
    def.body = NULL;
    for (int i = 0; vvExportFormatInfo(i); i++) {
        char path[128];
        def.format = vvExportFormatInfo(i)->name;
        snprintf(path, sizeof path, "kinematic-scene/all.%s", def.format);
        if (vvRunExport(run, &def, path, &error) != VV_OK)
            fail_msg("%s: %s", def.format, error.message);
    }
    vvRunFree(run);
}

static void a_scene_of_obstacles_only_is_refused(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvScene *scene = NULL;
    expect(vvSceneParse("{ \"visviva\": 1, \"bodies\": [], \"obstacles\": [ { \"mesh\": { \"box\": {} } } ] }", "k",
                        NULL, NULL, 0, &scene, &error),
           VV_ERROR_INPUT, &error, "at least one body");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_world_of_the_scene),
        cmocka_unit_test(a_run_goes_on_from_its_own_scene),
        cmocka_unit_test(exports_show_them_where_they_are),
        cmocka_unit_test(a_scene_of_obstacles_only_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

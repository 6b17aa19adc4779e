/* Obstacles that follow a sequence of shapes: where they are at any time, what they push, snapshots; scene files that
 * name the meshes, and what is wrong with them. */
#include "live_support.h"

#include "visviva/scene.h"

#include <sys/stat.h>

/* ---- worlds
 * ---------------------------------------------------------------------------------------------------------- */

enum { SHAPES = 3 };

/* A sheet of two triangles. */
static vvMesh sheet(double *x, int *triangles)
{
    static const double corners[] = { -0.3, 0, -0.3, 0.3, 0, -0.3, 0.3, 0, 0.3, -0.3, 0, 0.3 };
    static const int list[] = { 0, 2, 1, 0, 3, 2 };
    memcpy(x, corners, sizeof corners);
    memcpy(triangles, list, sizeof list);
    return (vvMesh){ .vertexCount = 4, .triangleCount = 2, .positions = x, .triangles = triangles };
}

/* The sheet rises at its left, then at its right; the shapes are placed, shifted and turned with the mesh. */
static vvBodyId add_sheet(vvWorld *w, vvFollowDef follow, bool moved)
{
    double x[12];
    int triangles[6];
    vvError error = { 0 };
    vvMesh mesh = sheet(x, triangles);
    vvBodyDef def = vvDefaultBodyDef();
    vvBodyId id;
    def.mesh = &mesh;
    def.kinematic = true;
    def.follow = follow;
    if (moved) {
        def.scale[0] = 2;
        def.rotate[1] = 90;
        def.translate[1] = 0.5;
        def.motion.linearVelocity[0] = 0.1;
        def.motion.angularVelocity = 30;
    }
    assert_ok(vvWorldAddBody(w, &def, &id, &error));
    return id;
}

static void make_shapes(double *positions)
{
    int triangles[6];
    for (int s = 0; s < SHAPES; s++) {
        sheet(positions + 12 * s, triangles);
        for (int i = 0; i < 4; i++) {
            double *p = positions + 12 * s + 3 * i;
            p[1] += s == 1 && p[0] < 0 ? 0.06 : s == 2 && p[0] > 0 ? 0.08 : 0;
        }
    }
}

static const double times[SHAPES] = { 0.1, 0.3, 0.35 };

/* What the definition says, by hand. */
static void where_at(const double *shapes, double t, bool moved, int vertex, double x[3])
{
    double y[3];
    int s = t >= times[1] ? 1 : 0;
    double part = fmin(fmax((t - times[s]) / (times[s + 1] - times[s]), 0), 1);
    for (int k = 0; k < 3; k++)
        y[k] = shapes[12 * s + 3 * vertex + k] * (1 - part) + shapes[12 * (s + 1) + 3 * vertex + k] * part;
    if (!moved) {
        memcpy(x, y, sizeof y);
        return;
    }
    double a = 30 * PI / 180 * t, z[3] = { y[2], y[1] + 0.5, -2 * y[0] }; /* 90 degrees about y: x to -z, z to x */
    x[0] = cos(a) * z[0] + sin(a) * z[2] + 0.1 * t;
    x[1] = z[1];
    x[2] = cos(a) * z[2] - sin(a) * z[0];
}

static void it_goes_through_its_shapes(void **state)
{
    (void)state;
    double shapes[12 * SHAPES];
    make_shapes(shapes);
    for (int moved = 0; moved < 2; moved++) {
        vvWorldDef d = live_def("backward-euler", "none");
        d.timeStep = 0.02;
        vvWorld *w = new_world(&d);
        vvBodyId id = add_sheet(w, (vvFollowDef){ SHAPES, times, shapes }, moved);
        int first;
        vvBodyNodes(w, id, &first, NULL);
        for (int k = 0; k < 25; k++) {
            double before[12], x[3];
            memcpy(before, vvWorldPositions(w) + 3 * first, sizeof before);
            step(w);
            for (int i = 0; i < 4; i++) {
                where_at(shapes, vvWorldTime(w), moved, i, x);
                assert_less(distance3(vvWorldPositions(w) + 3 * (first + i), x), 1e-12);
                for (int c = 0; c < 3; c++)
                    assert_near(vvWorldVelocities(w)[3 * (first + i) + c], (x[c] - before[3 * i + c]) / 0.02, 1e-9);
            }
        }
        vvWorldDestroy(w);
    }
}

/* A cube on the sheet is lifted; the work is what it gains. Saved states and snapshots go on alike. */
static void it_pushes(void **state)
{
    (void)state;
    vvError error = { 0 };
    double shapes[12 * SHAPES];
    make_shapes(shapes);
    for (int i = 0; i < 4; i++) /* flat and slow: up, and down again in part */
        shapes[12 + 3 * i + 1] = 0.03, shapes[24 + 3 * i + 1] = 0.029;
    vvWorldDef d = live_def("bdf2", "none");
    d.timeStep = 0.01;
    d.gravity[1] = -9.8;
    d.contact.distance = 2e-3;
    d.contact.checkIntersections = true;
    vvWorld *w = new_world(&d), *other = new_world(&d);
    vvBodyId cube = { 0 };
    for (int k = 0; k < 2; k++) {
        vvWorld *at = k ? other : w;
        vvBodyDef def = vvDefaultBodyDef();
        def.material = material("neo-hookean", 1e5);
        def.translate[1] = 0.0515;
        cube = add_box_def(at, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 2, 2, 2 }, 5, &def);
        add_sheet(at, (vvFollowDef){ SHAPES, times, shapes }, false);
    }
    vvLedgerRow before = steps(w, 8), row = steps(w, 52);
    vvLedgerTotals totals;
    vvWorldTotals(w, &totals);
    int first, count;
    vvBodyNodes(w, cube, &first, &count);
    assert_near(row.gravity - before.gravity, 9.8 * 0.029, 0.01);
    assert_near(totals.work, 9.8 * 0.029, 0.03);
    steps(other, 30);
    vvSnapshot *s = NULL;
    assert_ok(vvWorldSnapshot(other, &s, &error));
    assert_ok(vvWorldRestore(w, s, &error));
    expect_same(w, other, 10, "that follows shapes");
    vvSnapshotDestroy(s);
    vvWorldDestroy(w);
    vvWorldDestroy(other);
}

static void what_is_refused(void **state)
{
    (void)state;
    vvError error = { 0 };
    double shapes[12 * SHAPES], x[12];
    int triangles[6];
    make_shapes(shapes);
    vvWorldDef d = live_def("backward-euler", "none");
    vvWorld *w = new_world(&d);
    vvMesh mesh = sheet(x, triangles);
    vvBodyDef def = vvDefaultBodyDef();
    def.mesh = &mesh;
    def.material.model = "hooke";
    def.follow = (vvFollowDef){ SHAPES, times, shapes };
    expect(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT, &error, "only a kinematic body follows shapes");
    def.kinematic = true;
    def.follow = (vvFollowDef){ SHAPES, NULL, shapes };
    expect(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT, &error, "with their times and positions");
    def.follow = (vvFollowDef){ -1, times, shapes };
    expect(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT, &error, "follow has -1 shapes");
    def.follow = (vvFollowDef){ SHAPES, (double[]){ 0, 1, 1 }, shapes };
    expect(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT, &error,
           "shape 2 is at 1 s; times must be finite and ascend");
    def.follow = (vvFollowDef){ SHAPES, times, shapes };
    shapes[12 + 4] = NAN;
    expect(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT, &error, "vertex 1 of shape 1 has y = nan");
    assert_int_equal(vvWorldBodyCount(w), 0);
    vvWorldDestroy(w);
}

/* ---- scenes
 * ---------------------------------------------------------------------------------------------------------- */

static void write_mesh(const char *path, double height, const char *last)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "v -0.3 %g -0.3\nv 0.3 %g -0.3\nv 0 %g 0.4\n%s", height, height, height, last);
    fclose(f);
}

static vvStatus load(const char *follow, vvWorld **w, vvError *error)
{
    char text[1000];
    vvScene *scene = NULL;
    *w = NULL;
    snprintf(text, sizeof text,
             "{ 'visviva': 1, 'time': { 'step': 0.01, 'end': 1 }, 'gravity': [0, 0, 0], 'bodies': [ { 'mesh': { 'box': "
             "{ 'cells': [1, 1, 1] } } } ],"
             "'obstacles': [ { 'name': 'o', 'mesh': { 'file': 'm4.seg' }, 'place': { 'translate': [0, -0.2, 0] },"
             "'copies': { 'count': [1, 2, 1], 'step': [0, 9, 0] }, 'motion': { 'follow': { %s } } } ] }",
             follow);
    for (char *p = text; *p; p++)
        *p = *p == '\'' ? '"' : *p;
    vvStatus status = vvSceneParse(text, "s", "follow", NULL, 0, &scene, error);
    if (!status)
        status = vvSceneCreateWorld(scene, 1, w, error);
    vvSceneDestroy(scene);
    return status;
}

static double height(const vvWorld *w, int body)
{
    int first;
    vvBodyNodes(w, vvWorldBody(w, body), &first, NULL);
    return vvWorldPositions(w)[3 * first + 1];
}

static void scenes_name_files(void **state)
{
    (void)state;
    static const char segments[] = "s 1 2\ns 2 3\n";
    vvError error = { 0 };
    vvWorld *w;
    mkdir("follow", 0777);
    for (int i = 4; i < 8; i++) {
        char path[64];
        snprintf(path, sizeof path, "follow/m%d.seg", i);
        write_mesh(path, 0.01 * (i - 4), segments);
        snprintf(path, sizeof path, "follow/m%03d.seg", i);
        write_mesh(path, -0.01 * (i - 4), segments);
    }
    write_mesh("follow/other1.seg", 0, "s 1 2\ns 1 3\n");
    write_mesh("follow/short1.seg", 0, "s 1 2\n");
    write_mesh("follow/broken1.seg", 0, "s 1 9\n");
    static const struct {
        const char *follow;
        double at_two, at_end; /* heights of the first vertex after 2 and 50 steps of 0.01 s, less where it is placed */
    } good[] = {
        { "'files': 'm%d.seg', 'first': 4", 0.02, 0.03 }, /* one shape a step */
        { "'files': 'm%d.seg', 'first': 4, 'count': 2", 0.01, 0.01 },
        { "'files': 'm%03d.seg', 'first': 4, 'interval': 0.04", -0.005, -0.03 },
        { "'files': 'm%d.seg', 'first': 4, 'interval': 0.04, 'start': 0.01", 0.0025, 0.03 },
        { "'files': [ 'm4.seg', 'm7.seg' ], 'times': [ 0, 0.04 ]", 0.015, 0.03 },
        { "'files': 'm5.seg'", 0.01, 0.01 },
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        if (load(good[i].follow, &w, &error))
            fail_msg("%s: %s", good[i].follow, error.message);
        assert_int_equal(vvWorldBodyCount(w), 3);
        steps(w, 2);
        assert_near(height(w, 1), good[i].at_two - 0.2, 1e-12);
        assert_near(height(w, 2), good[i].at_two + 8.8, 1e-12); /* the copy */
        steps(w, 48);
        assert_near(height(w, 1), good[i].at_end - 0.2, 1e-12);
        vvWorldDestroy(w);
    }
    static const char *const bad[][2] = {
        { "'files': 'm%d.seg'", "obstacles[0].motion.follow: there is no " },
        { "'files': 'm%d.seg', 'first': 4, 'count': 9", "m8.seg: " },
        { "'files': [ 'm4.seg', 'other1.seg' ]",
          "other1.seg has 3 vertices, 0 triangles, 2 edges and 0 points; the obstacle's mesh has 3, 0, 2 and 0, "
          "but elements of other vertices" },
        { "'files': [ 'm4.seg', 'short1.seg' ]", "short1.seg has 2 vertices, 0 triangles, 1 edges" },
        { "'files': [ 'm4.seg', 'broken1.seg' ]", "broken1.seg:4: vertex index 9" },
        { "'files': [ 'm4.seg', 'm5.seg' ], 'times': [ 0 ]", "found 1 times for 2 files" },
        { "'files': [ 'm4.seg', 'm5.seg' ], 'times': [ 1, 1 ]", "times[1]: found 1 after 1; times must ascend" },
        { "'files': [ 'm4.seg', 'm5.seg' ], 'times': [ 1, 2 ], 'interval': 1", "found both times and interval" },
        { "'files': [ 'm4.seg' ], 'first': 4", "first counts files by %d in a path; files has none" },
        { "'files': 'm4.seg', 'count': 4", "count counts files by %d" },
        { "'files': 3", "obstacles[0].motion.follow.files: found the number 3" },
        { "'files': 'm%d.seg', 'times': 3", "a list of numbers, not empty" },
        { "'files': 'm%d.seg', 'interval': 0", "obstacles[0].motion.follow.interval: found the number 0" },
        { "'file': 'm%d.seg'", "did you mean \"files\"?" },
        { "'first': 4", "obstacles[0].motion.follow.files: missing" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        vvStatus status = load(bad[i][0], &w, &error);
        assert_null(w);
        if (!status || !strstr(error.message, bad[i][1]))
            fail_msg("%s: wanted \"%s\", got: %s", bad[i][0], bad[i][1], status ? error.message : "ok");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_goes_through_its_shapes),
        cmocka_unit_test(it_pushes),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(scenes_name_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

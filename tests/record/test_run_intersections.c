/* vvRunFindIntersections: what it finds in a run's frames is what vvWorldFindIntersections found in the world then;
 * the run file says what may touch, also after resuming with other filters. */
#include "world_support.h"

#include <hdf5.h>
#include <sys/stat.h>
#include <unistd.h>

#include "visviva/contact.h"
#include "visviva/run.h"
#include "resume_support.h"

static const char path[] = "test-run-intersections.vtkhdf", flight[] = "test-run-passing.vtkhdf";

static vvBodyDef named(const char *name, double x, double y, double z)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.name = name;
    def.translate[0] = x, def.translate[1] = y, def.translate[2] = z;
    return def;
}

static vvBodyId box_at(vvWorld *w, vvBodyDef def)
{
    return add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 2, 2, 2 }, 5, &def);
}

/* A rod and triangles in one kinematic mesh; its string is the two edges below the triangle. */
static void add_kite(vvWorld *w)
{
    vvError error = { 0 };
    static double x[] = { -0.1, 0, -0.1, 0.1, 0, -0.1, 0, 0, 0.1, 0, -0.2, 0.1, 0, -0.4, 0.1 };
    static int triangle[] = { 0, 1, 2 }, edges[] = { 2, 3, 3, 4 };
    vvMesh mesh = {
        .vertexCount = 5, .triangleCount = 1, .edgeCount = 2, .positions = x, .triangles = triangle, .edges = edges
    };
    vvBodyDef def = named("kite", 0.02, 0.3, -0.08);
    vvBodyId id;
    def.mesh = &mesh;
    def.kinematic = true;
    assert_ok(vvWorldAddBody(w, &def, &id, &error));
}

/* A ball in a finer one, which collides: with the lowest box, which does not reach the tets. */
static void add_carrier(vvWorld *w)
{
    vvError error = { 0 };
    vvMesh fine = { 0 };
    assert_ok(generate_mesh("ball", (double[]){ 0.05, 5 }, &fine, &error));
    fine.tetCount = 0;
    assert_ok(vvMeshFinish(&fine, NULL, &error));
    vvBodyDef def = named("carrier", 0.098, 0.013, 0);
    def.surface = &fine, def.surfaceCollides = true;
    add_ball(w, 0.045, 2, &def);
    vvMeshDestroy(&fine);
}

/* Boxes that fall through each other, a kite's string and a cloth that is crossed by itself: contact is off, so
 * nothing stops them. */
static vvWorld *ghosts(uint64_t mask)
{
    vvError error = { 0 };
    static double x[] = {
        -1, 0, -1, 1, 0, -1, 1, 0, 1, -1, 0, 1, 0, -0.5, -0.6, 0, 0.7, -0.6, 0, 0.7, 0.4, 0, -0.5, 0.4
    };
    static int triangles[] = { 0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7 };
    vvWorldDef d = free_def("backward-euler", 1.0 / 60, 1e-3);
    vvWorld *w = new_world(&d);
    vvBodyDef def = named("low", 0, 0, 0);
    def.filter = filter_of(2, mask, 0);
    box_at(w, def);
    vvBodyId high = box_at(w, named("high", 0.013, 0.15, 0.017));
    set_state(w, high, "linear", (double[]){ 0, -1, 0 });
    add_kite(w);
    def = named("steady", 0.5, 0, 0);
    def.kinematic = true;
    box_at(w, def);
    def = named("steady too", 0.51, 0.01, 0.01); /* kinematic bodies do not meet */
    def.kinematic = true;
    box_at(w, def);
    for (int i = 0; i < 2; i++) {
        vvMesh mesh = { .vertexCount = 8, .triangleCount = 4, .positions = x, .triangles = triangles };
        vvBodyId id;
        def = named(i ? "cloth" : "cloth that may", i ? 5 : 9, 0, 0);
        def.mesh = &mesh;
        def.material = material("hooke", 1);
        def.selfContact = i == 0;
        assert_ok(vvWorldAddBody(w, &def, &id, &error));
    }
    add_carrier(w);
    assert_ok(vvWorldBake(w, &error));
    return w;
}

enum { ROOM = 512, FRAMES = 16 };

static int find(const vvRun *run, int frame, vvRunIntersection *list)
{
    vvError error = { 0 };
    int count = -1;
    assert_ok(vvRunFindIntersections(run, frame, list, ROOM, &count, &error));
    return count;
}

static void compare(const vvWorld *w, const vvIntersection *a, const vvRunIntersection *b)
{
    const vvContactSide *sides[2] = { &a->a, &a->b };
    for (int s = 0; s < 2; s++) {
        vvBodyId id = vvWorldBody(w, b->body[s]);
        assert_true(id.index1 == sides[s]->body.index1 && id.generation == sides[s]->body.generation);
        assert_int_equal(b->count[s], sides[s]->count);
        assert_memory_equal(b->vertices[s], sides[s]->vertices, sizeof b->vertices[s]);
    }
    assert_memory_equal(a->point, b->point, sizeof a->point);
}

static void test_frames(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = ghosts(UINT64_MAX);
    vvRunWriter *writer = NULL;
    vvIntersection(*seen)[ROOM] = calloc(FRAMES, sizeof *seen);
    vvRunIntersection list[ROOM];
    int counts[FRAMES], most = 0, least = ROOM;
    assert_non_null(seen);
    assert_ok(vvRunCreate(path, w, "ghosts", NULL, &writer, &error));
    for (int f = 0; f < FRAMES; f++) {
        vvStepReport report = { 0 };
        if (f > 0) {
            assert_ok(vvWorldStep(w, &report, &error));
            assert_ok(vvRunAddStep(writer, w, &report, &error));
            assert_ok(vvRunAddFrame(writer, w, &error));
        }
        assert_ok(vvWorldFindIntersections(w, seen[f], ROOM, &counts[f], &error));
        assert_in_range(counts[f], 0, ROOM);
        most = counts[f] > most ? counts[f] : most;
        least = counts[f] < least ? counts[f] : least;
    }
    assert_ok(vvRunClose(writer, "done", &error));
    assert_true(least < most && least > 0); /* the cloth is always crossed, the boxes not */

    vvRun *run = NULL;
    assert_ok(vvRunOpen(path, &run, &error));
    assert_string_equal(vvRunContactModel(run), "none");
    assert_true(vvRunGetBody(run, 0)->filter.category == 2 && vvRunGetBody(run, 1)->filter.category == 1);
    assert_true(vvRunGetBody(run, 5)->selfContact && !vvRunGetBody(run, 6)->selfContact);
    assert_true(vvRunGetBody(run, 7)->surfaceCollides && !vvRunGetBody(run, 0)->surfaceCollides);
    bool met = false;
    for (int i = 0; i < counts[0]; i++)
        met = met || seen[0][i].b.body.index1 == 8;
    assert_true(met);
    for (int f = 0; f < FRAMES; f++) {
        assert_int_equal(find(run, f, list), counts[f]);
        for (int i = 0; i < counts[f]; i++)
            compare(w, &seen[f][i], &list[i]);
    }
    int count;
    assert_int_equal(vvRunFindIntersections(run, FRAMES, list, ROOM, &count, &error), VV_ERROR_INPUT);
    assert_int_equal(vvRunFindIntersections(run, -1, list, ROOM, &count, &error), VV_ERROR_INPUT);
    assert_int_equal(vvRunFindIntersections(run, 0, NULL, 1, &count, &error), VV_ERROR_INPUT);
    assert_int_equal(vvRunFindIntersections(run, 0, list, 1, NULL, &error), VV_ERROR_INPUT);
    assert_ok(vvRunFindIntersections(run, FRAMES - 1, NULL, 0, &count, &error));
    assert_int_equal(count, counts[FRAMES - 1]);
    vvRunFree(run);
    free(seen);
    vvWorldDestroy(w);
}

/* Two boxes without contact fly through each other in the second step, which no frame shows; before and after that
 * nothing passes. */
static void test_passing(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 0.01, 1e-3);
    vvWorld *w = new_world(&d);
    vvRunWriter *writer = NULL;
    vvRun *run = NULL;
    vvRunPassing passing;
    bool found;
    for (int b = 0; b < 2; b++) {
        vvBodyId id = box_at(w, named(b ? "right" : "left", b ? 0.5 : 0, 0.01 * b, 0));
        set_state(w, id, "linear", (double[]){ b ? -15 : 15, 0, 0 });
    }
    assert_ok(vvWorldBake(w, &error));
    assert_ok(vvRunCreate(flight, w, "flight", NULL, &writer, &error));
    for (int f = 0; f < 3; f++) { /* 0.5, 0.2, -0.1, -0.4 m apart */
        vvStepReport report = { 0 };
        assert_ok(vvWorldStep(w, &report, &error));
        assert_ok(vvRunAddStep(writer, w, &report, &error));
        assert_ok(vvRunAddFrame(writer, w, &error));
    }
    assert_ok(vvRunClose(writer, "done", &error));
    assert_ok(vvRunOpen(flight, &run, &error));
    for (int f = 1; f < 4; f++) {
        assert_ok(vvRunFindPassing(run, f, &passing, &found, &error));
        assert_int_equal(found, f == 2);
        if (found) {
            assert_true(passing.body[0] == 0 && passing.body[1] == 1);
            assert_near(passing.travel, 0.3, 0.01);
            assert_near(passing.extent, 0.1, 1e-6);
        }
    }
    assert_int_equal(vvRunFindPassing(run, 0, &passing, &found, &error), VV_ERROR_INPUT);
    assert_int_equal(vvRunFindPassing(run, 4, &passing, &found, &error), VV_ERROR_INPUT);
    vvRunFree(run);
    unlink(flight);
    unlink("test-run-passing.xdmf");
    vvWorldDestroy(w);
}

/* A run that goes on with other filters has those, and keeps them when the file is written anew. */
static void test_resumed(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvRunIntersection list[ROOM];
    vvRun *run = NULL;
    vvRunWriter *writer = NULL;
    assert_ok(vvRunOpen(path, &run, &error));
    int before = find(run, 8, list);
    vvRunFree(run);
    vvWorld *w = ghosts(4);
    assert_ok(resume_at(path, w, 8, &writer, &error));
    for (int i = 0; i < 40; i++) {
        vvStepReport report = { 0 };
        assert_ok(vvWorldStep(w, &report, &error));
        assert_ok(vvRunAddStep(writer, w, &report, &error));
        assert_ok(vvRunAddFrame(writer, w, &error));
    }
    assert_ok(vvRunClose(writer, "done", &error));
    vvWorldDestroy(w);
    assert_ok(vvRunOpen(path, &run, &error));
    assert_true(vvRunGetBody(run, 0)->filter.mask == 4);
    int count = find(run, 8, list);
    assert_true(count > 0 && count < before);
    for (int i = 0; i < count; i++)
        assert_true(list[i].body[0] != 0);
    vvRunFree(run);
}

/* A coarse ball shows a finer one that stands out of it by the sagitta of its chords, and pokes into a box that only
 * just touches the tets. */
static void test_what_is_shown(void **state)
{
    (void)state;
    static const char file[] = "test-run-shown.vtkhdf";
    for (int fine = 0; fine < 2; fine++) {
        vvError error = { 0 };
        vvWorldDef d = free_def("backward-euler", 0.01, 1e-6);
        vvWorld *w = new_world(&d);
        vvMesh ball = { 0 };
        assert_ok(generate_mesh("ball", (double[]){ 1, 8 }, &ball, &error));
        ball.tetCount = 0;
        assert_ok(vvMeshFinish(&ball, NULL, &error));
        vvBodyDef def = named("ball", 0, 0, 0);
        def.surface = fine ? &ball : NULL;
        def.scale[0] = def.scale[1] = def.scale[2] = 0.1;
        add_ball(w, 1, 2, &def);
        vvMeshDestroy(&ball);
        box_at(w, named("box", 0.152, 0, 0));
        assert_ok(vvWorldBake(w, &error));
        vvRunWriter *writer = NULL;
        vvRun *run = NULL;
        vvRunShown shown;
        assert_ok(vvRunCreate(file, w, "shown", "{}", &writer, &error));
        assert_ok(vvRunAddFrame(writer, w, &error));
        assert_ok(vvRunClose(writer, "done", &error));
        assert_ok(vvRunOpen(file, &run, &error));
        assert_ok(vvRunMeasureShown(run, 0, &shown, &error));
        if (fine) {
            assert_int_equal(shown.body, 0);
            assert_true(shown.outside > 2e-3 && shown.outside < 0.03);
        } else {
            assert_int_equal(shown.body, -1);
            assert_true(shown.outside == 0 && shown.intersections == 0);
        }
        assert_int_equal(vvRunMeasureShown(run, 1, &shown, &error), VV_ERROR_INPUT);
        assert_int_equal(vvRunMeasureShown(run, 0, NULL, &error), VV_ERROR_INPUT);
        vvRunFree(run);
        vvWorldDestroy(w);
    }
    unlink(file);
    unlink("test-run-shown.xdmf");
}

/* Files of older versions do not say what may touch; damaged ones are refused. */
static void test_other_files(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvRunIntersection list[ROOM];
    vvRun *run = NULL;
    int count = -1;
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(H5Ldelete(file, "/visviva/groups", H5P_DEFAULT) >= 0);
    const hsize_t length = 2;
    hid_t space = H5Screate_simple(1, &length, NULL);
    hid_t set = H5Dcreate2(file, "/visviva/groups", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dclose(set);
    H5Sclose(space);
    H5Fclose(file);
    assert_int_equal(vvRunOpen(path, &run, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "/visviva/groups does not fit the bodies"));
    file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(H5Ldelete(file, "/visviva/groups", H5P_DEFAULT) >= 0);
    H5Fclose(file);
    assert_ok(vvRunOpen(path, &run, &error));
    assert_string_equal(vvRunContactModel(run), "");
    assert_int_equal(vvRunFindIntersections(run, 0, list, ROOM, &count, &error), VV_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "older version"));
    vvRunFree(run);
    vvRunWriter *writer = NULL;
    vvWorld *w = ghosts(4); /* such a file goes on as it is */
    assert_ok(vvRunResume(path, w, NULL, &writer, &error));
    assert_ok(vvRunClose(writer, "done", &error));
    vvWorldDestroy(w);
    unlink(path);
    unlink("test-run-intersections.xdmf");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames),        cmocka_unit_test(test_passing),     cmocka_unit_test(test_resumed),
        cmocka_unit_test(test_what_is_shown), cmocka_unit_test(test_other_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

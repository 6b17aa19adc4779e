/* Carried surfaces in run files: what was given comes back, follows the nodes, survives resuming; damaged ones are
 * refused. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <hdf5.h>
#include <unistd.h>

#include "fake_run_world.h"
#include "resume_support.h"

static const int triangles[6] = { 0, 1, 2, 2, 1, 3 }, nodes[16] = { 0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6 };
static const double weights[16] = { 0.25, 0.25, 0.25, 0.25, 1, 0, 0, 0, 0.5, 0.5, 0.5, -0.5, 0, 0, 0.125, 0.875 };

static bool collides; /* the next run's surface */

/* A run of three frames whose first body carries four vertices. */
static vvWorld *record(const char *path, int frames)
{
    vvError error = { 0 };
    vvWorld *w = fake_world(5);
    vvRunWriter *writer = NULL;
    vvStepReport report;
    w->surface = (vvBodySurface){ 4, 2, triangles, nodes, weights };
    w->surface_collides = collides;
    assert_int_equal(vvRunCreate(path, w, "snake", NULL, &writer, &error), VV_OK);
    for (int i = 1; i < frames; i++) {
        fake_step(w, &report);
        assert_int_equal(vvRunAddStep(writer, w, &report, &error), VV_OK);
        assert_int_equal(vvRunAddFrame(writer, w, &error), VV_OK);
    }
    assert_int_equal(vvRunClose(writer, "done", &error), VV_OK);
    return w;
}

static void check_run(const char *path, int frames)
{
    vvError error = { 0 };
    vvRun *run = NULL;
    assert_int_equal(vvRunOpen(path, &run, &error), VV_OK);
    assert_int_equal(vvRunFrameCount(run), frames);
    int n = vvRunNodeCount(run);
    assert_int_equal(vvRunVertexCount(run), n + 4);
    const vvRunBody *snake = vvRunGetBody(run, 0), *cloth = vvRunGetBody(run, 1);
    assert_true(snake->carries);
    assert_int_equal(snake->firstVertex, n);
    assert_int_equal(snake->vertexCount, 4);
    assert_int_equal(snake->drawnTriangleCount, 2);
    for (int i = 0; i < 6; i++)
        assert_int_equal(snake->drawnTriangles[i], n + triangles[i]);
    assert_false(cloth->carries);
    assert_int_equal(cloth->firstVertex, cloth->firstNode);
    assert_ptr_equal(cloth->drawnTriangles, cloth->triangles);
    double *x = calloc(3 * (size_t)(n + 4), sizeof *x);
    assert_non_null(x);
    for (int f = 0; f < frames; f++) {
        assert_int_equal(vvRunReadFrame(run, f, x, NULL, &error), VV_OK);
        vvRunCarry(run, 3, x);
        for (int v = 0; v < 4; v++)
            for (int c = 0; c < 3; c++) {
                double want = 0;
                for (int k = 0; k < 4; k++)
                    want += weights[4 * v + k] * x[3 * nodes[4 * v + k] + c];
                assert_true(fabs(x[3 * (n + v) + c] - want) < 1e-15);
            }
    }
    free(x);
    vvRunFree(run);
}

static void comes_back(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        vvError error = { 0 };
        vvRun *run = NULL;
        collides = k;
        fake_free(record("surface.vtkhdf", 3));
        check_run("surface.vtkhdf", 3);
        assert_int_equal(vvRunOpen("surface.vtkhdf", &run, &error), VV_OK);
        assert_int_equal(vvRunGetBody(run, 0)->surfaceCollides, k);
        assert_false(vvRunGetBody(run, 1)->surfaceCollides);
        vvRunFree(run);
    }
    collides = false;
    unlink("surface.vtkhdf");
    unlink("surface.xdmf");
}

/* Resuming writes the file anew when it has to grow, and keeps what the bodies carry. */
static void survives_resuming(void **state)
{
    (void)state;
    vvError error = { 0 };
    collides = true;
    vvWorld *w = record("surface-resumed.vtkhdf", 3);
    collides = false;
    vvRunWriter *writer = NULL;
    vvStepReport report;
    assert_int_equal(resume_at("surface-resumed.vtkhdf", w, 1, &writer, &error), VV_OK);
    for (int i = 0; i < 40; i++) {
        fake_step(w, &report);
        assert_int_equal(vvRunAddStep(writer, w, &report, &error), VV_OK);
        assert_int_equal(vvRunAddFrame(writer, w, &error), VV_OK);
    }
    assert_int_equal(vvRunClose(writer, "done", &error), VV_OK);
    fake_free(w);
    check_run("surface-resumed.vtkhdf", 42);
    vvRun *run = NULL;
    assert_int_equal(vvRunOpen("surface-resumed.vtkhdf", &run, &error), VV_OK);
    assert_true(vvRunGetBody(run, 0)->surfaceCollides);
    vvRunFree(run);
    unlink("surface-resumed.vtkhdf");
    unlink("surface-resumed.xdmf");
}

static void overwrite(const char *path, const char *set, hid_t type, size_t size, size_t index, const void *value)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), data = H5Dopen2(file, set, H5P_DEFAULT);
    hid_t space = H5Dget_space(data);
    size_t count = (size_t)H5Sget_simple_extent_npoints(space);
    char *all = calloc(count, size);
    assert_non_null(all);
    assert_true(H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0);
    memcpy(all + index * size, value, size);
    assert_true(H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0);
    free(all);
    H5Sclose(space);
    H5Dclose(data);
    H5Fclose(file);
}

static void damaged(void **state)
{
    (void)state;
    static const char path[] = "surface-damaged.vtkhdf";
    const double nan = NAN;
    const int far = 1000000, less = -1, more = 7;
    const struct {
        const char *set;
        hid_t type;
        size_t size, index;
        const void *value;
    } rows[] = {
        { "/visviva/surface_nodes", H5T_NATIVE_INT, sizeof(int), 3, &far },
        { "/visviva/surface_nodes", H5T_NATIVE_INT, sizeof(int), 0, &less },
        { "/visviva/surface_triangles", H5T_NATIVE_INT, sizeof(int), 5, &more },
        { "/visviva/surface_triangles", H5T_NATIVE_INT, sizeof(int), 0, &less },
        { "/visviva/surface_weights", H5T_NATIVE_DOUBLE, sizeof(double), 2, &nan },
        { "/visviva/surface_counts", H5T_NATIVE_INT, sizeof(int), 0, &more },
        { "/visviva/surface_counts", H5T_NATIVE_INT, sizeof(int), 1, &less },
        { "/visviva/surface_counts", H5T_NATIVE_INT, sizeof(int), 5, &more },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vvError error = { 0 };
        vvRun *run = NULL;
        fake_free(record(path, 2));
        overwrite(path, rows[i].set, rows[i].type, rows[i].size, rows[i].index, rows[i].value);
        assert_int_equal(vvRunOpen(path, &run, &error), VV_ERROR_INPUT);
        assert_non_null(strstr(error.message, "surface"));
    }
    /* a file from before there were carried surfaces: each body draws itself */
    vvError error = { 0 };
    vvRun *run = NULL;
    fake_free(record(path, 2));
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(H5Ldelete(file, "/visviva/surface_counts", H5P_DEFAULT) >= 0);
    H5Fclose(file);
    assert_int_equal(vvRunOpen(path, &run, &error), VV_OK);
    assert_int_equal(vvRunVertexCount(run), vvRunNodeCount(run));
    assert_false(vvRunGetBody(run, 0)->carries);
    vvRunFree(run);
    unlink(path);
    unlink("surface-damaged.xdmf");
}

/* Frames before and after would be drawn with a surface that only one of them had. */
static void not_with_another_surface(void **state)
{
    (void)state;
    static const char path[] = "surface-other.vtkhdf";
    static const int turned[6] = { 0, 2, 1, 2, 1, 3 }, others[16] = { 0, 1, 2, 4, 1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6 };
    static const double elsewhere[16] = { 0.25, 0.25, 0.25, 0.25, 1, 0, 0, 0, 0.5, 0.5, 0.5, -0.5, 0, 0, 0.25, 0.75 };
    const vvBodySurface same = { 4, 2, triangles, nodes, weights };
    const vvBodySurface surfaces[] = { { 0, 0, NULL, NULL, NULL },           { 4, 1, triangles, nodes, weights },
                                       { 3, 2, triangles, nodes, weights },  { 4, 2, turned, nodes, weights },
                                       { 4, 2, triangles, others, weights }, { 4, 2, triangles, nodes, elsewhere } };
    vvError error = { 0 };
    vvWorld *w = record(path, 3);
    vvRunWriter *writer = NULL;
    for (size_t i = 0; i < sizeof surfaces / sizeof *surfaces; i++) {
        w->surface = surfaces[i];
        assert_int_equal(vvRunResume(path, w, NULL, &writer, &error), VV_ERROR_INPUT);
        assert_non_null(strstr(error.message, "body \"snake\" carries another surface"));
    }
    w->surface = same;
    w->surface_collides = true;
    assert_int_equal(vvRunResume(path, w, NULL, &writer, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "surface.collides"));
    w->surface_collides = false;
    /* the third vertex lies on the face of nodes 2, 3, 4: found in the tet across it, it is the same */
    static const int across[16] = { 0, 1, 2, 3, 1, 2, 3, 4, 3, 2, 4, 5, 3, 4, 5, 6 };
    double swapped[16];
    memcpy(swapped, weights, sizeof swapped);
    w->surface = (vvBodySurface){ 4, 2, triangles, across, swapped };
    assert_int_equal(vvRunResume(path, w, NULL, &writer, &error), VV_OK);
    assert_int_equal(vvRunClose(writer, "done", &error), VV_OK);
    fake_free(w);
    unlink(path);
    unlink("surface-other.xdmf");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back),
        cmocka_unit_test(survives_resuming),
        cmocka_unit_test(not_with_another_surface),
        cmocka_unit_test(damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

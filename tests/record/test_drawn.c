/* What run files hold for pictures and exports: texture coordinates, rest positions, how thick bodies are drawn,
 * which are affine. It comes back, also from a run that was resumed; files without it are read; damaged ones are
 * refused. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <hdf5.h>
#include <unistd.h>

#include "fake_run_world.h"

#define RUN VV_BUILD_DIR "/test_drawn.vtkhdf"
#define BRANCH VV_BUILD_DIR "/test_drawn_branch.vtkhdf"

enum { GRID = 4, CLOTH = 2 * GRID };
static const int triangles[6] = { 0, 1, 2, 2, 1, 3 }, nodes[16] = { 0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6 };
static const double weights[16] = { 0.25, 0.25, 0.25, 0.25, 1, 0, 0, 0, 0.5, 0.5, 0.5, -0.5, 0, 0, 0.125, 0.875 };
static double carried[12], own[6 * CLOTH];

/* What the next run's first two bodies have. */
static vvWorld *record(bool first, bool second)
{
    vvError error = { 0 };
    vvRunWriter *writer = NULL;
    vvStepReport report;
    vvWorld *w = fake_world(GRID);
    w->surface = (vvBodySurface){ 4, 2, triangles, nodes, weights };
    assert_int_equal(w->bodies[1].elements.triangleCount, CLOTH);
    for (int i = 0; i < 6 * CLOTH; i++)
        own[i] = 0.125 * i;
    for (int i = 0; i < 12; i++)
        carried[i] = -1.5 - i;
    w->uvs[0] = first ? carried : NULL;
    w->uvs[1] = second ? own : NULL;
    assert_int_equal(vvRunCreate(RUN, w, "drawn", NULL, &writer, &error), VV_OK);
    fake_step(w, &report); /* from here on nothing is where it was at rest */
    assert_int_equal(vvRunAddStep(writer, w, &report, &error), VV_OK);
    assert_int_equal(vvRunAddFrame(writer, w, &error), VV_OK);
    assert_int_equal(vvRunClose(writer, "done", &error), VV_OK);
    return w;
}

static void check(const char *path, const vvWorld *w, bool first, bool second)
{
    vvError error = { 0 };
    vvRun *run = NULL;
    assert_int_equal(vvRunOpen(path, &run, &error), VV_OK);
    const vvRunBody *snake = vvRunGetBody(run, 0), *cloth = vvRunGetBody(run, 1), *points = vvRunGetBody(run, 2);
    assert_true((snake->uvs != NULL) == first && (cloth->uvs != NULL) == second && !points->uvs);
    if (first)
        assert_memory_equal(snake->uvs, carried, sizeof carried);
    if (second)
        assert_memory_equal(cloth->uvs, own, sizeof own);
    assert_memory_equal(vvRunRestPositions(run), w->rest, 3 * (size_t)w->nodes * sizeof(double));
    for (int b = 0; b < FAKE_BODIES; b++)
        assert_true(vvRunGetBody(run, b)->drawnThickness > 0 &&
                    vvRunGetBody(run, b)->drawnThickness == vvBodyDrawnThickness(w, vvWorldBody(w, b)));
    vvRunFree(run);
}

static void comes_back(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        vvError error = { 0 };
        vvWorld *w = record(k & 1, k & 2);
        check(RUN, w, k & 1, k & 2);
        vvRunWriter *writer = NULL; /* a branch has the same */
        vvResumeDef def = vvDefaultResumeDef();
        def.output = BRANCH;
        unlink(BRANCH);
        assert_int_equal(vvRunResume(RUN, w, &def, &writer, &error), VV_OK);
        assert_int_equal(vvRunClose(writer, "done", &error), VV_OK);
        check(BRANCH, w, k & 1, k & 2);
        fake_free(w);
    }
}

static void with_file(void (*change)(hid_t file))
{
    hid_t file = H5Fopen(RUN, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0);
    change(file);
    H5Fclose(file);
}

static void drop_all(hid_t file)
{
    static const char *const names[] = { "rest", "uvs", "uv_counts", "drawn_thickness" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[64];
        snprintf(path, sizeof path, "/visviva/%s", names[i]);
        assert_true(H5Ldelete(file, path, H5P_DEFAULT) >= 0);
    }
}

static void older_files(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvRun *run = NULL;
    vvWorld *w = record(true, true);
    with_file(drop_all);
    assert_int_equal(vvRunOpen(RUN, &run, &error), VV_OK);
    assert_null(vvRunRestPositions(run));
    for (int b = 0; b < FAKE_BODIES; b++) {
        assert_null(vvRunGetBody(run, b)->uvs);
        assert_true(vvRunGetBody(run, b)->drawnThickness == vvRunGetBody(run, b)->thickness);
    }
    vvRunFree(run);
    fake_free(w);
}

static void put(hid_t file, const char *path, hid_t type, int rank, const hsize_t *dims, const void *data)
{
    H5Ldelete(file, path, H5P_DEFAULT);
    hid_t space = H5Screate_simple(rank, dims, NULL),
          set = H5Dcreate2(file, path, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    H5Dclose(set);
    H5Sclose(space);
}

static const int32_t odd_counts[3] = { 6, 3, 0 }, more_counts[3] = { 6, 3 * CLOTH, 3 }, fewer_counts[3] = { 6, 0, 0 },
                     less_counts[3] = { 6, -3, 0 };
static void odd(hid_t f) { put(f, "/visviva/uv_counts", H5T_NATIVE_INT32, 1, (hsize_t[]){ 3 }, odd_counts); }
static void more(hid_t f) { put(f, "/visviva/uv_counts", H5T_NATIVE_INT32, 1, (hsize_t[]){ 3 }, more_counts); }
static void fewer(hid_t f) { put(f, "/visviva/uv_counts", H5T_NATIVE_INT32, 1, (hsize_t[]){ 3 }, fewer_counts); }
static void less(hid_t f) { put(f, "/visviva/uv_counts", H5T_NATIVE_INT32, 1, (hsize_t[]){ 3 }, less_counts); }
static void no_uvs(hid_t f) { H5Ldelete(f, "/visviva/uvs", H5P_DEFAULT); }
static void flat_uvs(hid_t f) { put(f, "/visviva/uvs", H5T_NATIVE_DOUBLE, 1, (hsize_t[]){ 12 }, carried); }
static void short_rest(hid_t f) { put(f, "/visviva/rest", H5T_NATIVE_DOUBLE, 2, (hsize_t[]){ 4, 3 }, carried); }
static void nan_thickness(hid_t f)
{
    put(f, "/visviva/drawn_thickness", H5T_NATIVE_DOUBLE, 1, (hsize_t[]){ 3 }, (double[]){ 1, NAN, 1 });
}
static void minus_thickness(hid_t f)
{
    put(f, "/visviva/drawn_thickness", H5T_NATIVE_DOUBLE, 1, (hsize_t[]){ 3 }, (double[]){ 1, -1, 1 });
}
static void two_thickness(hid_t f)
{
    put(f, "/visviva/drawn_thickness", H5T_NATIVE_DOUBLE, 1, (hsize_t[]){ 2 }, (double[]){ 1, 1 });
}
static void nan_uv(hid_t f)
{
    double all[12 + 6 * CLOTH] = { 0 };
    all[17] = NAN;
    put(f, "/visviva/uvs", H5T_NATIVE_DOUBLE, 2, (hsize_t[]){ 6 + 3 * CLOTH, 2 }, all);
}

static void damaged_files(void **state)
{
    (void)state;
    static const struct {
        void (*damage)(hid_t);
        const char *message;
    } kinds[] = {
        { odd, "uv_counts does not fit" },
        { more, "uv_counts does not fit" },
        { fewer, "uvs does not fit" },
        { less, "uv_counts does not fit" },
        { no_uvs, "uvs is missing" },
        { flat_uvs, "uvs has 1 dimensions; 2 is right" },
        { nan_uv, "uvs has a value that is not a number" },
        { short_rest, "rest does not fit the nodes" },
        { nan_thickness, "not a thickness" },
        { minus_thickness, "not a thickness" },
        { two_thickness, "does not fit the bodies" },
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        vvError error = { 0 };
        vvRun *run = NULL;
        vvWorld *w = record(true, true);
        with_file(kinds[i].damage);
        assert_int_equal(vvRunOpen(RUN, &run, &error), VV_ERROR_INPUT);
        if (!strstr(error.message, kinds[i].message))
            fail_msg("damage %zu: %s", i, error.message);
        assert_null(run);
        fake_free(w);
    }
}

/* ---- affine bodies ---- */

static const int four[16] = { 0, 1, 2, 3, 1, 2, 3, 0, 2, 3, 0, 1, 3, 0, 1, 2 };

/* The first body is one tet that carries a surface. */
static vvWorld *record_affine(bool affine, const int *surface_nodes)
{
    vvError error = { 0 };
    vvRunWriter *writer = NULL;
    vvWorld *w = fake_world(1);
    w->surface = (vvBodySurface){ 4, 2, triangles, surface_nodes, weights };
    w->affine = affine;
    unlink(RUN);
    assert_int_equal(vvRunCreate(RUN, w, "drawn", NULL, &writer, &error), VV_OK);
    assert_int_equal(vvRunClose(writer, "done", &error), VV_OK);
    return w;
}

static void expect_affine(const char *path, bool first)
{
    vvError error = { 0 };
    vvRun *run = NULL;
    if (vvRunOpen(path, &run, &error) != VV_OK)
        fail_msg("%s", error.message);
    for (int b = 0; b < FAKE_BODIES; b++)
        assert_true(vvRunGetBody(run, b)->affine == (first && b == 0));
    vvRunFree(run);
}

static void no_affine(hid_t f) { assert_true(H5Ldelete(f, "/visviva/affine", H5P_DEFAULT) >= 0); }
static void second_too(hid_t f)
{
    put(f, "/visviva/affine", H5T_NATIVE_INT32, 1, (hsize_t[]){ 3 }, (int32_t[]){ 1, 1, 0 });
}
static void two_flags(hid_t f)
{
    put(f, "/visviva/affine", H5T_NATIVE_INT32, 1, (hsize_t[]){ 2 }, (int32_t[]){ 1, 0 });
}
static void no_rest(hid_t f) { assert_true(H5Ldelete(f, "/visviva/rest", H5P_DEFAULT) >= 0); }
static void flat_rest(hid_t f)
{
    const double flat[39] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0 };
    put(f, "/visviva/rest", H5T_NATIVE_DOUBLE, 2, (hsize_t[]){ 13, 3 }, flat);
}

static void affine_bodies(void **state)
{
    (void)state;
    static const struct {
        void (*damage)(hid_t);
        const char *message;
    } kinds[] = { { second_too, "affine names a body that is not carried by four nodes" },
                  { two_flags, "affine does not fit the bodies" },
                  { no_rest, "affine names a body" },
                  { flat_rest, "affine names a body" } };
    vvError error = { 0 };
    vvRun *run = NULL;
    vvRunWriter *writer = NULL;
    vvResumeDef def = vvDefaultResumeDef();
    fake_free(record_affine(false, four));
    expect_affine(RUN, false);
    vvWorld *w = record_affine(true, four);
    expect_affine(RUN, true);
    def.output = BRANCH;
    unlink(BRANCH);
    assert_int_equal(vvRunResume(RUN, w, &def, &writer, &error), VV_OK);
    assert_int_equal(vvRunClose(writer, "done", &error), VV_OK);
    expect_affine(BRANCH, true);
    with_file(no_affine); /* as of an older version */
    expect_affine(RUN, false);
    fake_free(w);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        fake_free(record_affine(true, four));
        with_file(kinds[i].damage);
        assert_int_equal(vvRunOpen(RUN, &run, &error), VV_ERROR_INPUT);
        if (!strstr(error.message, kinds[i].message))
            fail_msg("damage %zu: %s", i, error.message);
    }
    fake_free(record_affine(true, nodes)); /* its surface hangs on other bodies' nodes */
    assert_int_equal(vvRunOpen(RUN, &run, &error), VV_ERROR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(comes_back), cmocka_unit_test(older_files),
                                        cmocka_unit_test(damaged_files), cmocka_unit_test(affine_bodies) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Runs with a body of order 2: run files know its elements, also a branch; VTU files have them as VTK's quadratic
 * tets, which are read back to the bit; damaged files are refused. */
#include "world_support.h"
#include "visviva/mesh.h"
#include "visviva/run.h"
#include "positional.h"

#include <hdf5.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER VV_BUILD_DIR "/test_order2_run_files"
#define RUN FOLDER "/run.vtkhdf"
#define BRANCH FOLDER "/branch.vtkhdf"
enum { STEPS = 4 };

/* A twisted bar of curved elements; and, where asked for, a cube of linear tets. */
static vvWorld *make_world(bool cube)
{
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 5e-3, 1e-9);
    vvWorld *w = new_world(&d);
    vvMesh mesh = { 0 };
    vvBodyDef def = vvDefaultBodyDef();
    vvMaterialDef solid = material("stvk", 1e5);
    assert_ok(generate_mesh("ball", (double[]){ 0.5, 2 }, &mesh, &error));
    assert_ok(vvMeshRaise(&mesh, &error));
    for (int i = 0; i < mesh.vertexCount; i++)
        mesh.positions[3 * i] += 0.1 * mesh.positions[3 * i + 1] * mesh.positions[3 * i + 1];
    def.material = solid;
    if (cube)
        add_cube(w, 2, 1, &solid);
    vvBodyId body = add_mesh(w, &mesh, &def);
    set_state(w, body, "angular", (double[]){ 1, 2, 3, NAN, NAN, NAN });
    return w;
}

static void record(bool cube)
{
    vvError error = { 0 };
    vvRunWriter *writer;
    vvStepReport report;
    mkdir(FOLDER, 0777);
    unlink(RUN);
    vvWorld *w = make_world(cube);
    assert_ok(vvWorldBake(w, &error));
    assert_ok(vvRunCreate(RUN, w, "order 2", "{}", &writer, &error));
    while (vvWorldStepIndex(w) < STEPS) {
        assert_ok(vvWorldStep(w, &report, &error));
        assert_ok(vvRunAddStep(writer, w, &report, &error));
        assert_ok(vvRunAddFrame(writer, w, &error));
    }
    assert_ok(vvRunClose(writer, "done", &error));
    vvWorldDestroy(w);
}

static vvRun *opened(const char *path)
{
    vvError error = { 0 };
    vvRun *run = NULL;
    assert_ok(vvRunOpen(path, &run, &error));
    return run;
}

static void expect_elements(const char *path)
{
    vvWorld *w = make_world(true);
    vvRun *run = opened(path);
    for (int b = 0; b < 2; b++) {
        vvBodyElements e;
        vvBodyGetElements(w, vvWorldBody(w, b), &e);
        const vvRunBody *body = vvRunGetBody(run, b);
        assert_int_equal(e.tet10Count, b == 0 ? 0 : e.tetCount / 8);
        assert_int_equal(body->tet10Count, e.tet10Count);
        if (b == 1)
            assert_memory_equal(body->tets10, e.tets10, 10 * (size_t)e.tet10Count * sizeof *e.tets10);
        else
            assert_null(body->tets10);
    }
    vvRunFree(run);
    vvWorldDestroy(w);
}

static void elements_come_back(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvRunWriter *writer = NULL;
    record(true);
    expect_elements(RUN);
    vvWorld *w = make_world(true);
    vvResumeDef def = vvDefaultResumeDef();
    def.output = BRANCH;
    unlink(BRANCH);
    assert_ok(vvRunResume(RUN, w, &def, &writer, &error));
    assert_ok(vvRunClose(writer, "done", &error));
    vvWorldDestroy(w);
    expect_elements(BRANCH);
}

static void vtu_is_read_back(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvMesh mesh;
    vvMeshNotes notes;
    record(false);
    vvRun *run = opened(RUN);
    vvExportDef def = vvDefaultExportDef();
    def.format = "vtu";
    assert_ok(vvRunExport(run, &def, FOLDER "/out.pvd", &error));
    const vvRunBody *body = vvRunGetBody(run, 0);
    const int last = vvRunFrameCount(run) - 1;
    double *x = calloc(3 * (size_t)body->nodeCount, sizeof *x);
    char path[256];
    snprintf(path, sizeof path, FOLDER "/out/out_%06d.vtu", last);
    assert_ok(vvRunReadFrame(run, last, x, NULL, &error));
    assert_ok(vvMeshReadOrder2(path, &mesh, &notes, &error));
    assert_int_equal(mesh.vertexCount, body->nodeCount);
    assert_int_equal(mesh.tet10Count, body->tet10Count);
    assert_memory_equal(mesh.positions, x, 3 * (size_t)mesh.vertexCount * sizeof *x);
    assert_memory_equal(mesh.tets10, body->tets10, 10 * (size_t)mesh.tet10Count * sizeof *mesh.tets10);
    vvMeshDestroy(&mesh);
    free(x);
    vvRunFree(run);
}

/* ---- damaged files ---- */

static void put(const char *path, const void *data, int rank, const hsize_t *dims)
{
    hid_t file = H5Fopen(RUN, H5F_ACC_RDWR, H5P_DEFAULT);
    H5Ldelete(file, path, H5P_DEFAULT);
    hid_t space = H5Screate_simple(rank, dims, NULL),
          set = H5Dcreate2(file, path, H5T_NATIVE_INT32, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0 && H5Dwrite(set, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Fclose(file);
}

static void refused(const char *message)
{
    vvError error = { 0 };
    vvRun *run = NULL;
    if (vvRunOpen(RUN, &run, &error) != VV_ERROR_INPUT)
        fail_msg("read: it should say that %s", message);
    if (!strstr(error.message, message))
        fail_msg("%s", error.message);
}

static void damaged_files(void **state)
{
    (void)state;
    static const int32_t orders[][3] = { { 2, 2 }, { 1, 3 }, { 0, 2 }, { -1, 1 } };
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        record(true);
        put("/visviva/order", orders[i], 1, (hsize_t[]){ 2 });
        refused("order does not fit the tets");
    }
    record(true);
    put("/visviva/order", (int32_t[]){ 1, 2, 1 }, 1, (hsize_t[]){ 3 });
    refused("order does not fit the bodies");
    record(true);
    vvRun *run = opened(RUN);
    const vvRunBody *body = vvRunGetBody(run, 1);
    const int before = vvRunGetBody(run, 0)->tetCount, count = before + body->tetCount;
    int *tets = malloc(4 * (size_t)count * sizeof *tets);
    memcpy(tets, vvRunGetBody(run, 0)->tets, 4 * (size_t)before * sizeof *tets);
    memcpy(tets + 4 * before, body->tets, 4 * (size_t)body->tetCount * sizeof *tets);
    vvRunFree(run);
    tets[4 * before + 4] = tets[4 * before + 5]; /* no longer what element 0 is cut into */
    put("/visviva/tets", tets, 2, (hsize_t[]){ (hsize_t)count, 4 });
    refused("order does not fit the tets");
    free(tets);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(elements_come_back), cmocka_unit_test(vtu_is_read_back),
                                        cmocka_unit_test(damaged_files) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

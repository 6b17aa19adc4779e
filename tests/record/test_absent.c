/* What vvBuildDescription says and what the functions do agree, whichever parts the build has: scenes and run files
 * that are left out are VV_ERROR_UNSUPPORTED with a message that names the library, and nothing else fails. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "visviva/visviva.h"

static bool has(const char *part)
{
    const char *text = vvBuildDescription(), *found = strstr(text, part);
    assert_non_null(found);
    const char *without = "without ";
    return found < text + strlen(without) || strncmp(found - strlen(without), without, strlen(without)) != 0;
}

static void expect_unsupported(vvStatus status, const vvError *error, const char *library)
{
    assert_int_equal(status, VV_ERROR_UNSUPPORTED);
    assert_int_equal(error->status, VV_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error->message, library));
}

/* The version is that of the headers that the program was compiled with. */
static void version(void **state)
{
    (void)state;
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", VV_VERSION_MAJOR, VV_VERSION_MINOR, VV_VERSION_PATCH);
    assert_string_equal(vvVersion(), text);
}

static void scenes(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvScene *scene = (vvScene *)&error;
    vvStatus status = vvSceneLoad("no-such-scene.json", NULL, 0, &scene, &error);
    assert_null(scene);
    if (has("scenes (jansson)")) {
        assert_int_not_equal(status, VV_ERROR_UNSUPPORTED);
        assert_int_not_equal(status, VV_OK);
        assert_non_null(vvSceneKeyInfo(0));
        return;
    }
    expect_unsupported(status, &error, "jansson");
    expect_unsupported(vvSceneParse("{}", "text", ".", NULL, 0, &scene, &error), &error, "jansson");
    vvWorld *world = (vvWorld *)&error;
    expect_unsupported(vvSceneCreateWorld(NULL, 1, &world, &error), &error, "jansson");
    assert_null(world);
    assert_null(vvSceneKeyInfo(0));
    vvSceneDestroy(NULL);
}

static void make_world(vvWorld **world)
{
    vvError error = { 0 };
    vvWorldDef def = vvDefaultWorldDef();
    vvMesh mesh = { 0 };
    assert_int_equal(vvWorldCreate(&def, world, &error), VV_OK);
    assert_int_equal(vvMeshGenerate("box", NULL, 0, &mesh, &error), VV_OK);
    vvBodyDef body = vvDefaultBodyDef();
    body.mesh = &mesh;
    vvBodyId id;
    assert_int_equal(vvWorldAddBody(*world, &body, &id, &error), VV_OK);
    vvMeshDestroy(&mesh);
}

/* The one export that needs more than HDF5. */
static void exports_glb(void)
{
    const char *path = VV_BUILD_DIR "/test_absent.vtkhdf", *glb = VV_BUILD_DIR "/test_absent.glb";
    vvError error = { 0 };
    vvWorld *world;
    vvRunWriter *writer;
    vvRun *run;
    make_world(&world);
    assert_int_equal(vvWorldBake(world, &error), VV_OK);
    assert_int_equal(vvRunCreate(path, world, "box", "{}", &writer, &error), VV_OK);
    assert_int_equal(vvRunClose(writer, "done", &error), VV_OK);
    assert_int_equal(vvRunOpen(path, &run, &error), VV_OK);
    vvExportDef def = vvDefaultExportDef();
    def.format = "glb";
    vvStatus status = vvRunExport(run, &def, glb, &error);
    if (has("scenes (jansson)"))
        assert_int_equal(status, VV_OK);
    else
        expect_unsupported(status, &error, "jansson");
    vvRunFree(run);
    vvWorldDestroy(world);
    remove(path);
    remove(VV_BUILD_DIR "/test_absent.xdmf");
    remove(glb);
}

static void runs(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvRun *run = (vvRun *)&error;
    vvStatus status = vvRunOpen("no-such-run.vtkhdf", &run, &error);
    assert_null(run);
    if (has("run files (HDF5)")) {
        assert_int_equal(status, VV_ERROR_IO);
        assert_non_null(vvExportFormatInfo(0));
        exports_glb();
        return;
    }
    expect_unsupported(status, &error, "HDF5");
    vvRunWriter *writer = (vvRunWriter *)&error;
    expect_unsupported(vvRunCreate("x.vtkhdf", NULL, "", NULL, &writer, &error), &error, "HDF5");
    assert_null(writer);
    expect_unsupported(vvRunResume("x.vtkhdf", NULL, NULL, &writer, &error), &error, "HDF5");
    vvExportDef def = vvDefaultExportDef();
    expect_unsupported(vvRunExport(NULL, &def, "x.csv", &error), &error, "HDF5");
    assert_null(vvExportFormatInfo(0));
    vvRunFree(NULL);
}

static void linear_solvers(void **state)
{
    (void)state;
    static const struct {
        const char *name, *part, *brings;
    } rows[] = { { "cholesky", "CHOLMOD", "-DVV_CHOLMOD=ON" }, { "petsc", "PETSc", "-DVV_PETSC=ON" } };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        bool there = false;
        for (int i = 0; vvLinearSolverInfo(i); i++)
            there |= strcmp(vvLinearSolverInfo(i)->name, rows[r].name) == 0;
        assert_int_equal(there, has(rows[r].part));
        vvError error = { 0 };
        vvWorld *world = NULL;
        vvWorldDef def = vvDefaultWorldDef();
        def.solver.linear = rows[r].name;
        vvStatus status = vvWorldCreate(&def, &world, &error);
        vvWorldDestroy(world);
        if (there) {
            assert_int_equal(status, VV_OK);
            continue;
        }
        expect_unsupported(status, &error, rows[r].part);
        assert_non_null(strstr(error.message, rows[r].brings));
        assert_non_null(strstr(error.message, rows[r].name));
    }
}

/* In every build a world steps, with the linear solver that is the default. */
static void world_steps(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *world;
    make_world(&world);
    double before = vvWorldPositions(world)[1];
    for (int i = 0; i < 3; i++)
        if (vvWorldStep(world, NULL, &error) != VV_OK)
            fail_msg("%s", error.message);
    assert_true(vvWorldPositions(world)[1] < before); /* it falls */
    vvWorldDestroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(version), cmocka_unit_test(scenes), cmocka_unit_test(runs),
                                        cmocka_unit_test(linear_solvers), cmocka_unit_test(world_steps) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

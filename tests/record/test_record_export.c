/* Exports hold what the run holds; VTK itself reads the VTU files, the VTKHDF part and the XDMF side file where it is
 * installed (tests/program/check_run_vtk.py). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake_run_world.h"

enum { GRID = 4, STEPS = 30, EVERY = 3, FRAMES = STEPS / EVERY + 1 };
#define FOLDER VV_BUILD_DIR "/test_record_export_files"
#define RUN FOLDER "/run.vtkhdf"

static void must(vvStatus status, const vvError *error)
{
    if (status != VV_OK)
        fail_msg("%s: %s", vvStatusName(status), error->message);
}

static void expect_frame(FILE *f, const vvWorld *w)
{
    fprintf(f, "%a\n", vvWorldTime(w));
    for (int n = 0; n < w->nodes; n++)
        fprintf(f, "%a %a %a %a %a %a\n", w->x[3 * n], w->x[3 * n + 1], w->x[3 * n + 2], w->v[3 * n], w->v[3 * n + 1],
                w->v[3 * n + 2]);
}

static int setup(void **state)
{
    (void)state;
    vvError error;
    vvRunWriter *writer;
    vvStepReport report;
    vvWorld *w = fake_world(GRID);
    mkdir(FOLDER, 0777);
    FILE *f = fopen(FOLDER "/expected.txt", "w");
    fprintf(f, "%d %d %d\n", w->nodes, GRID + 2 * GRID + 1 + FAKE_EXTRA, FRAMES);
    must(vvRunCreate(RUN, w, "fake", "{}", &writer, &error), &error);
    expect_frame(f, w);
    while (w->step < STEPS + 1) {
        fake_step(w, &report);
        must(vvRunAddStep(writer, w, &report, &error), &error);
        if (w->step % EVERY == 0) {
            must(vvRunAddFrame(writer, w, &error), &error);
            expect_frame(f, w);
        }
    }
    must(vvRunClose(writer, "done", &error), &error);
    for (int t = 0; t < GRID; t++)
        fprintf(f, "10 0\n");
    for (int t = 0; t < 2 * GRID; t++)
        fprintf(f, "5 1\n");
    fprintf(f, "3 1\n"); /* the one edge that no triangle has */
    for (int n = 0; n < FAKE_EXTRA; n++)
        fprintf(f, "1 2\n");
    fclose(f);
    fake_free(w);
    return 0;
}

typedef struct progress_log {
    int calls, last, total;
} progress_log;
static void log_progress(void *user, int done, int total)
{
    progress_log *log = user;
    assert_true(done >= log->last && done <= total);
    log->calls++;
    log->last = done;
    log->total = total;
}

static vvStatus export_run(const char *format, const char *path, int first, int last, int every, vvError *error)
{
    vvRun *run;
    progress_log log = { 0, 0, 0 };
    must(vvRunOpen(RUN, &run, error), error);
    vvExportDef def = vvDefaultExportDef();
    def.format = format;
    def.firstFrame = first, def.lastFrame = last, def.every = every;
    def.progress = log_progress;
    def.user = &log;
    vvStatus status = vvRunExport(run, &def, path, error);
    if (status == VV_OK)
        assert_true(log.calls > 0 && log.last == log.total);
    vvRunFree(run);
    return status;
}

static void test_vtk_reads_all(void **state)
{
    (void)state;
    vvError error;
    must(export_run("vtu", FOLDER "/export.pvd", 0, -1, 1, &error), &error);
    int status = system("/usr/bin/python3 " VV_SOURCE_DIR "/tests/program/check_run_vtk.py " FOLDER);
    if (WIFEXITED(status) && (WEXITSTATUS(status) == 77 || WEXITSTATUS(status) == 127)) {
        print_message("skipped: no VTK for /usr/bin/python3\n");
        skip();
    }
    assert_int_equal(status, 0);
}

static int count_lines(const char *path, char kind)
{
    FILE *f = fopen(path, "r");
    char line[4096];
    int n = 0;
    if (!f)
        return -1;
    while (fgets(line, sizeof line, f))
        n += kind == 0 || (line[0] == kind && line[1] == ' ');
    fclose(f);
    return n;
}

static void test_obj(void **state)
{
    (void)state;
    vvError error;
    unlink(FOLDER "/surface_000001.obj");
    must(export_run("obj", FOLDER "/surface.obj", 0, 8, 4, &error), &error);
    assert_int_equal(count_lines(FOLDER "/surface_000000.obj", 'f'), 2 * GRID);
    assert_int_equal(count_lines(FOLDER "/surface_000004.obj", 'g'), FAKE_BODIES);
    assert_int_equal(count_lines(FOLDER "/surface_000008.obj", 'p'),
                     GRID + 3 + FAKE_EXTRA); /* tets without surface: nodes */
    assert_int_equal(count_lines(FOLDER "/surface_000001.obj", 'v'), -1);
    vvRun *run;
    must(vvRunOpen(RUN, &run, &error), &error);
    double *x = malloc((size_t)vvRunNodeCount(run) * 24), p[3];
    must(vvRunReadFrame(run, 8, x, NULL, &error), &error);
    FILE *f = fopen(FOLDER "/surface_000008.obj", "r");
    char line[256];
    assert_non_null(fgets(line, sizeof line, f));
    assert_non_null(fgets(line, sizeof line, f));
    assert_int_equal(sscanf(line, "v %lf %lf %lf", &p[0], &p[1], &p[2]), 3);
    for (int k = 0; k < 3; k++)
        assert_true((float)p[k] == (float)x[k]);
    fclose(f);
    free(x);
    vvRunFree(run);
}

static void test_csv(void **state)
{
    (void)state;
    vvError error;
    must(export_run("csv", FOLDER "/ledger.csv", 0, -1, 1, &error), &error);
    assert_int_equal(count_lines(FOLDER "/ledger.csv", 0), STEPS + 1 + 1 + 1); /* with the step after the last frame */
    FILE *f = fopen(FOLDER "/ledger.csv", "r");
    char header[4096], line[4096];
    assert_non_null(fgets(header, sizeof header, f));
    assert_true(strncmp(header, "step,time [s],kinetic [J],", 26) == 0);
    assert_non_null(strstr(header, ",\"elastic of cloth <&\"\"1\"\"> [J]\""));
    vvWorld *w = fake_world(GRID);
    vvStepReport report;
    vvLedgerRow row;
    for (int r = 0; fgets(line, sizeof line, f); r++) {
        double time, kinetic;
        int step, commas = 0, columns = 0;
        assert_int_equal(sscanf(line, "%d,%lf,%lf", &step, &time, &kinetic), 3);
        vvWorldLedger(w, &row, &error);
        assert_int_equal(step, r);
        assert_true(time == row.time && kinetic == row.kinetic);
        for (const char *c = line; *c; c++)
            commas += *c == ',';
        for (const char *c = header; *c; c++)
            columns += *c == ',';
        assert_int_equal(commas, columns);
        assert_non_null(strstr(line, ",nan,"));
        fake_step(w, &report);
    }
    fclose(f);
    fake_free(w);
    must(export_run("csv", FOLDER "/ledger.csv", 2, 8, 3, &error), &error); /* frames 2, 5, 8 */
    assert_int_equal(count_lines(FOLDER "/ledger.csv", 0), 1 + 3);
    must(export_run("csv", FOLDER "/ledger.csv", 2, 4, 1, &error), &error);
    assert_int_equal(count_lines(FOLDER "/ledger.csv", 0), 1 + 2 * EVERY + 1);
}

static void test_wrong_exports(void **state)
{
    (void)state;
    vvError error;
    assert_int_equal(export_run("vtk", FOLDER "/x", 0, -1, 1, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "vtu, obj, ply, pc2, usda, glb, csv"));
    assert_non_null(strstr(error.message, "did you mean \"vtu\""));
    assert_int_equal(export_run(NULL, FOLDER "/x", 0, -1, 1, &error), VV_ERROR_INPUT);
    for (int i = 0; vvExportFormatInfo(i); i++) {
        const char *name = vvExportFormatInfo(i)->name;
        assert_int_equal(export_run(name, FOLDER "/x", 0, FRAMES, 1, &error), VV_ERROR_INPUT);
        assert_int_equal(export_run(name, FOLDER "/x", 5, 4, 1, &error), VV_ERROR_INPUT);
        assert_int_equal(export_run(name, FOLDER "/x", -1, 4, 1, &error), VV_ERROR_INPUT);
        assert_int_equal(export_run(name, FOLDER "/x", 0, 4, 0, &error), VV_ERROR_INPUT);
        assert_int_equal(export_run(name, "", 0, 4, 1, &error), VV_ERROR_INPUT);
        vvStatus status = export_run(name, FOLDER "/no/such/folder/x", 0, 4, 1, &error);
        if (status == VV_ERROR_UNSUPPORTED && strstr(error.message, "glb files") &&
            strstr(error.message, "without jansson"))
            continue;
        assert_int_equal(status, VV_ERROR_IO);
        assert_non_null(strstr(error.message, "No such file"));
    }
    if (access("/dev/full", W_OK) != 0)
        return;
    assert_int_equal(export_run("csv", "/dev/full", 0, 4, 1, &error), VV_ERROR_IO);
    assert_int_equal(access("/dev/full", F_OK), 0); /* a device stays */
    assert_non_null(strstr(error.message, "No space left"));
}

static bool cancel_after(void *user)
{
    int *left = user;
    return (*left)-- <= 0;
}

static int count_parts(void) { return system("test -z \"$(find " FOLDER " -name '*.part')\""); }

/* In any frame: no file is left that is not whole, and an older one stays. */
static void test_cancelled(void **state)
{
    (void)state;
    vvRun *run;
    vvError error;
    must(vvRunOpen(RUN, &run, &error), &error);
    const char *const formats[] = { "vtu", "obj", "ply", "pc2", "usda", "glb", "csv" };
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        char path[300];
        vvExportDef def = vvDefaultExportDef();
        def.format = formats[k];
        def.cancel = cancel_after;
        snprintf(path, sizeof path, FOLDER "/cancelled.%s", strcmp(formats[k], "vtu") == 0 ? "pvd" : formats[k]);
        remove(path);
        /* csv asks only now and then */
        for (int frames = 0; frames < (strcmp(formats[k], "csv") == 0 ? 1 : 3); frames++) {
            int left = frames;
            def.user = &left;
            assert_int_equal(vvRunExport(run, &def, path, &error), VV_CANCELLED);
            assert_int_equal(error.status, VV_CANCELLED);
            if (access(path, F_OK) == 0)
                fail_msg("%s after %d frames", path, frames);
            assert_int_equal(count_parts(), 0);
        }
    }
    vvRunFree(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vtk_reads_all), cmocka_unit_test(test_obj),       cmocka_unit_test(test_csv),
        cmocka_unit_test(test_wrong_exports), cmocka_unit_test(test_cancelled),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}

/* Run files: what is written is read back to the bit, resuming gives the file of the uninterrupted run, errors are
 * one clear message. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <hdf5.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake_run_world.h"
#include "resume_support.h"

#define FOLDER VV_BUILD_DIR "/test_record_files"

/* nothing here is about power failures, and waiting for the disk would take most of the time */
__attribute__((visibility("default"))) int fdatasync(int fd)
{
    (void)fd;
    return 0;
}

static const char *path_of(const char *name)
{
    static char path[4][512];
    static int turn;
    turn = (turn + 1) % 4;
    mkdir(FOLDER, 0777);
    snprintf(path[turn], sizeof path[turn], FOLDER "/%s", name);
    return path[turn];
}

static void must(vvStatus status, const vvError *error)
{
    if (status != VV_OK)
        fail_msg("%s: %s", vvStatusName(status), error->message);
}

/* Steps until `steps`, a frame each `every` steps. */
static void go_on(vvRunWriter *writer, vvWorld *w, int64_t steps, int every)
{
    vvError error;
    vvStepReport report;
    while (w->step < steps) {
        fake_step(w, &report);
        must(vvRunAddStep(writer, w, &report, &error), &error);
        if (w->step % every == 0)
            must(vvRunAddFrame(writer, w, &error), &error);
    }
}

static void make_run(const char *path, int grid, int64_t steps, int every)
{
    vvError error;
    vvRunWriter *writer;
    vvWorld *w = fake_world(grid);
    must(vvRunCreate(path, w, "fake", "{ \"visviva\": 1 }", &writer, &error), &error);
    must(vvRunAddFrame(writer, w, &error), &error); /* the start is there: nothing happens */
    go_on(writer, w, steps, every);
    must(vvRunClose(writer, "done", &error), &error);
    fake_free(w);
}

static bool same_row(const vvLedgerRow *a, const vvLedgerRow *b)
{
    const double *x = &a->time, *y = &b->time;
    for (size_t i = 0; i < (offsetof(vvLedgerRow, newtonIterations) - offsetof(vvLedgerRow, time)) / 8; i++)
        if (memcmp(&x[i], &y[i], 8) != 0)
            return false;
    return memcmp(&a->visible, &b->visible, 4 * sizeof a->visible) == 0 && a->step == b->step &&
           a->newtonIterations == b->newtonIterations && a->linearSolves == b->linearSolves &&
           a->pcgIterations == b->pcgIterations && a->lineSearchSteps == b->lineSearchSteps;
}

/* Every frame and row of the run against a world that goes through the same steps. */
static void check_run(const vvRun *run, int grid, int every, int *frames)
{
    vvError error;
    vvStepReport report;
    vvWorld *w = fake_world(grid);
    size_t n = (size_t)w->nodes * 3;
    double *x = malloc(n * 8), *v = malloc(n * 8), energies[FAKE_BODIES], phases[VV_PHASE_COUNT];
    vvVisible visible[FAKE_BODIES];
    vvLedgerRow row, expected;
    assert_int_equal(vvRunNodeCount(run), w->nodes);
    *frames = vvRunFrameCount(run);
    for (int r = 0; r < vvRunRowCount(run); r++) {
        if (r > 0) {
            fake_step(w, &report);
            must(vvRunReadPhases(run, r - 1, 1, phases, &error), &error);
            assert_memory_equal(phases, report.seconds, sizeof phases);
        }
        must(vvRunReadRows(run, r, 1, &row, &error), &error);
        vvWorldLedger(w, &expected, &error);
        assert_true(same_row(&row, &expected));
        must(vvRunReadBodyEnergies(run, r, 1, energies, &error), &error);
        assert_memory_equal(energies, vvWorldBodyEnergies(w), sizeof energies);
        must(vvRunReadBodyVisible(run, r, 1, visible, &error), &error);
        assert_memory_equal(visible, vvWorldBodyVisible(w), sizeof visible);
        if (r % every != 0 || r / every >= *frames)
            continue;
        int f = r / every;
        must(vvRunReadFrame(run, f, x, v, &error), &error);
        assert_memory_equal(x, w->x, n * 8);
        assert_memory_equal(v, w->v, n * 8);
        assert_int_equal(vvRunFrameStep(run, f), r);
        assert_true(vvRunFrameTime(run, f) == vvWorldTime(w));
    }
    assert_true((*frames - 1) * every <= vvRunRowCount(run) - 1);
    free(x), free(v);
    fake_free(w);
}

static vvRun *open_run(const char *path)
{
    vvError error;
    vvRun *run;
    must(vvRunOpen(path, &run, &error), &error);
    return run;
}

/* ---- round trip ---- */

static void test_round_trip(void **state)
{
    (void)state;
    const char *path = path_of("round.vtkhdf");
    int frames;
    make_run(path, 5, 1003, 2); /* grows several times; one step after the last frame */
    vvRun *run = open_run(path);
    check_run(run, 5, 2, &frames);
    assert_int_equal(frames, 502);
    assert_int_equal(vvRunRowCount(run), 1004);
    assert_string_equal(vvRunSceneName(run), "fake");
    assert_string_equal(vvRunSceneText(run), "{ \"visviva\": 1 }");
    assert_string_equal(vvRunStatusText(run), "done");
    assert_string_equal(vvRunScheme(run), "backward-euler");
    assert_string_equal(vvRunPolicy(run), "search");
    assert_true(vvRunTimeStep(run) == 1.0 / 64);
    double gravity[3];
    vvRunLengths lengths;
    assert_true(vvRunGetLengths(run, &lengths) && lengths.length == 0.5 && lengths.distance == 2e-3 &&
                lengths.tolerance == 0.04 && lengths.frictionSpeed == 0);
    vvStiffness stiffness;
    assert_true(vvRunGetStiffness(run, &stiffness) && stiffness.now == 2e4 && stiffness.start == 1e4 &&
                stiffness.chosen && stiffness.weight == 9.5 && stiffness.area == 1e-3);
    assert_string_equal(stiffness.body, "bar");
    vvRunGravity(run, gravity);
    assert_true(gravity[0] == 0 && gravity[1] == -9.8 && gravity[2] == 0);
    vvWorld *w = fake_world(5);
    assert_int_equal(vvRunBodyCount(run), FAKE_BODIES);
    for (int b = 0; b < FAKE_BODIES; b++) {
        const vvRunBody *body = vvRunGetBody(run, b);
        const vvBodyElements *e = &w->bodies[b].elements;
        assert_string_equal(body->name, w->bodies[b].name);
        assert_int_equal(body->firstNode, w->bodies[b].first);
        assert_int_equal(body->nodeCount, w->bodies[b].count);
        assert_int_equal(body->tetCount, e->tetCount);
        assert_int_equal(body->triangleCount, e->triangleCount);
        assert_int_equal(body->edgeCount, e->edgeCount);
        if (e->tetCount)
            assert_memory_equal(body->tets, e->tets, (size_t)e->tetCount * 16);
        if (e->triangleCount)
            assert_memory_equal(body->triangles, e->triangles, (size_t)e->triangleCount * 12);
        if (e->edgeCount)
            assert_memory_equal(body->edges, e->edges, (size_t)e->edgeCount * 8);
    }
    assert_null(vvRunGetBody(run, FAKE_BODIES));
    const double *values;
    int count;
    assert_int_equal(vvRunObstacleCount(run), 2);
    assert_string_equal(vvRunObstacle(run, 1, &values, &count), "sphere");
    assert_int_equal(count, 4);
    assert_memory_equal(values, fake_sphere, sizeof fake_sphere);
    fake_free(w);
    vvRunFree(run);
}

static char *read_whole(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    char *data = malloc(*size + 1);
    assert_int_equal(fread(data, 1, *size, f), *size);
    data[*size] = 0;
    fclose(f);
    return data;
}

static void assert_same_files(const char *a, const char *b)
{
    size_t n, m;
    char *x = read_whole(a, &n), *y = read_whole(b, &m);
    assert_int_equal(n, m);
    assert_memory_equal(x, y, n);
    free(x), free(y);
}

static void test_equal_runs_are_equal_files(void **state)
{
    (void)state;
    const char *a = path_of("equal-a.vtkhdf"), *b = path_of("equal-b.vtkhdf");
    make_run(a, 3, 40, 2);
    make_run(b, 3, 40, 2);
    assert_same_files(a, b);
}

/* Frames and states larger than a chunk. */
static void test_large_frames(void **state)
{
    (void)state;
    const char *path = path_of("large.vtkhdf");
    int frames;
    make_run(path, 100000, 5, 1);
    vvRun *run = open_run(path);
    check_run(run, 100000, 1, &frames);
    assert_int_equal(frames, 6);
    vvRunFree(run);
    remove(path);
}

static void test_reserve(void **state)
{
    (void)state;
    vvError error;
    vvRunWriter *writer;
    vvWorld *w = fake_world(2);
    const char *path = path_of("reserved.vtkhdf"), *plain = path_of("not-reserved.vtkhdf");
    struct stat before, after;
    must(vvRunCreate(path, w, "fake", "{ \"visviva\": 1 }", &writer, &error), &error);
    must(vvRunReserve(writer, 401, 801, &error), &error);
    stat(path, &before);
    go_on(writer, w, 800, 2);
    must(vvRunClose(writer, "done", &error), &error);
    stat(path, &after);
    assert_int_equal(before.st_ino, after.st_ino); /* never copied */
    fake_free(w);
    make_run(plain, 2, 800, 2);
    vvRun *run = open_run(path);
    int frames;
    check_run(run, 2, 2, &frames);
    assert_int_equal(frames, 401);
    vvRunFree(run);
    must(vvRunResume(path, w = fake_world(2), NULL, &writer, &error), &error);
    assert_int_equal(vvRunReserve(writer, -1, 0, &error), VV_ERROR_INPUT);
    must(vvRunClose(writer, NULL, &error), &error);
    fake_free(w);
}

/* ---- resuming ---- */

/* Up to `steps`, then the process is gone, without closing anything. */
static void make_cut_run(const char *path, int grid, int64_t steps, int every)
{
    pid_t child = fork();
    if (child == 0) {
        vvError error;
        vvRunWriter *writer;
        vvWorld *w = fake_world(grid);
        if (vvRunCreate(path, w, "fake", "{ \"visviva\": 1 }", &writer, &error) != VV_OK)
            _exit(1);
        go_on(writer, w, steps, every);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void resume_run(const char *path, int grid, int frame, int64_t steps, int every)
{
    vvError error;
    vvRunWriter *writer;
    vvWorld *w = fake_world(grid);
    must(resume_at(path, w, frame, &writer, &error), &error);
    if (frame >= 0)
        assert_int_equal(w->step, frame * every);
    vvRun *run = open_run(path);
    assert_string_equal(vvRunStatusText(run), "running");
    vvRunFree(run);
    must(vvRunAddFrame(writer, w, &error), &error); /* nothing new */
    go_on(writer, w, steps, every);
    must(vvRunClose(writer, "done", &error), &error);
    fake_free(w);
}

static void test_resume(void **state)
{
    (void)state;
    enum { GRID = 4, STEPS = 700, EVERY = 2 };
    const char *whole = path_of("whole.vtkhdf"), *cut = path_of("cut.vtkhdf");
    size_t n, m;
    make_run(whole, GRID, STEPS, EVERY);
    make_cut_run(cut, GRID, 301, EVERY); /* a step after the last frame is lost: it comes again */
    vvRun *run = open_run(cut);
    assert_string_equal(vvRunStatusText(run), "running");
    assert_int_equal(vvRunFrameCount(run), 151);
    assert_int_equal(vvRunRowCount(run), 301);
    vvRunFree(run);
    resume_run(cut, GRID, -1, STEPS, EVERY);
    assert_same_files(whole, cut);
    static const int frames[] = { 0, 1, 17, 256, 349, 350 }; /* of a closed run */
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
        resume_run(cut, GRID, frames[i], STEPS, EVERY);
        assert_same_files(whole, cut);
    }
    char *a = read_whole(path_of("whole.xdmf"), &n), *b = read_whole(path_of("cut.xdmf"), &m);
    for (char *s = a; (s = strstr(s, "whole.")); s++)
        memcpy(s, "cut..", 5), memmove(s + 3, s + 5, strlen(s + 5) + 1);
    assert_string_equal(a, b);
    free(a), free(b);
}

static void test_resume_refuses(void **state)
{
    (void)state;
    const char *path = path_of("refuse.vtkhdf"), *copy = path_of("refuse-copy.vtkhdf");
    vvError error;
    vvRunWriter *writer, *second;
    make_run(path, 3, 10, 1);
    make_run(copy, 3, 10, 1);
    vvWorld *other = fake_world(4), *w = fake_world(3), *renamed = fake_world(3);
    renamed->bodies[0].name = "worm";
    assert_int_equal(resume_at(path, other, -1, &writer, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "nodes"));
    assert_int_equal(resume_at(path, renamed, -1, &writer, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "worm"));
    assert_int_equal(resume_at(path, w, 11, &writer, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "0 to 10"));
    assert_int_equal(resume_at(path, w, -2, &writer, &error), VV_ERROR_INPUT);
    assert_int_equal(resume_at(path_of("nowhere.vtkhdf"), w, -1, &writer, &error), VV_ERROR_IO);
    assert_null(writer);
    assert_same_files(path, copy);
    must(resume_at(path, w, 5, &writer, &error), &error);
    assert_int_equal(resume_at(path, other, -1, &second, &error), VV_ERROR_IO); /* one writer only */
    assert_non_null(strstr(error.message, "being written"));
    assert_int_equal(vvRunCreate(path, other, NULL, NULL, &second, &error), VV_ERROR_IO);
    assert_non_null(strstr(error.message, "being written"));
    assert_null(second);
    must(vvRunClose(writer, "stopped", &error), &error);
    vvRun *run = open_run(path);
    assert_int_equal(vvRunFrameCount(run), 6);
    assert_string_equal(vvRunStatusText(run), "stopped");
    vvRunFree(run);
    fake_free(other), fake_free(w), fake_free(renamed);
}

/* ---- while it is written ---- */

static void test_read_while_writing(void **state)
{
    (void)state;
    const char *path = path_of("live.vtkhdf");
    vvError error;
    vvRunWriter *writer;
    vvWorld *w = fake_world(3);
    int frames;
    must(vvRunCreate(path, w, "fake", NULL, &writer, &error), &error);
    vvRun *early = open_run(path);
    assert_int_equal(vvRunFrameCount(early), 1);
    assert_string_equal(vvRunSceneText(early), "");
    go_on(writer, w, 300, 1);
    vvRun *run = open_run(path);
    check_run(run, 3, 1, &frames);
    assert_int_equal(frames, 301);
    check_run(early, 3, 1, &frames); /* sees what it saw */
    assert_int_equal(frames, 1);
    must(vvRunClose(writer, "done", &error), &error);
    check_run(run, 3, 1, &frames);
    assert_int_equal(frames, 301);
    vvRunFree(run);
    vvRunFree(early);
    fake_free(w);
}

static void test_changed_state_is_a_frame(void **state)
{
    (void)state;
    const char *path = path_of("dragged.vtkhdf");
    vvError error;
    vvRunWriter *writer;
    vvWorld *w = fake_world(3);
    must(vvRunCreate(path, w, NULL, NULL, &writer, &error), &error);
    w->x[4] += 1; /* the user moved something, without a step */
    must(vvRunAddFrame(writer, w, &error), &error);
    must(vvRunAddFrame(writer, w, &error), &error);
    must(vvRunClose(writer, "done", &error), &error);
    vvRun *run = open_run(path);
    assert_int_equal(vvRunFrameCount(run), 2);
    assert_int_equal(vvRunRowCount(run), 1);
    double *x = malloc((size_t)w->nodes * 24);
    must(vvRunReadFrame(run, 1, x, NULL, &error), &error);
    assert_memory_equal(x, w->x, (size_t)w->nodes * 24);
    free(x);
    vvRunFree(run);
    fake_free(w);
}

/* ---- errors: one message, nothing printed ---- */

static int quiet_from(void)
{
    fflush(stderr);
    int old = dup(2);
    assert_non_null(freopen(path_of("stderr.txt"), "w", stderr));
    return old;
}

static void quiet_to(int old)
{
    fflush(stderr);
    dup2(old, 2);
    close(old);
    size_t n;
    char *printed = read_whole(path_of("stderr.txt"), &n);
    if (n > 0)
        print_message("%s", printed);
    assert_int_equal(n, 0);
    free(printed);
}

static void write_file(const char *path, const void *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_int_equal(fwrite(data, 1, size, f), size);
    fclose(f);
}

static void refuses(const char *path, vvStatus expected, const char *words)
{
    vvError error = { 0 };
    vvRun *run;
    vvStatus status = vvRunOpen(path, &run, &error);
    if (status != expected || !strstr(error.message, words))
        fail_msg("%s: %s instead of \"%s\"", vvStatusName(status), error.message, words);
    assert_null(run);
    assert_int_equal(vvRunOpen(path, &run, NULL), expected);
}

static void test_wrong_files(void **state)
{
    (void)state;
    const char *good = path_of("good.vtkhdf"), *bad = path_of("bad.vtkhdf");
    size_t n;
    make_run(good, 3, 10, 1);
    char *data = read_whole(good, &n);
    int old = quiet_from();
    refuses(path_of("absent.vtkhdf"), VV_ERROR_IO, "No such file");
    refuses(FOLDER, VV_ERROR_INPUT, "not a regular file");
    write_file(bad, "", 0);
    refuses(bad, VV_ERROR_INPUT, "not an HDF5 file");
    write_file(bad, "solid cube\nfacet\n", 17);
    refuses(bad, VV_ERROR_INPUT, "not an HDF5 file");
    write_file(bad, data, n - 1);
    refuses(bad, VV_ERROR_INPUT, "truncated");
    write_file(bad, data, 100);
    refuses(bad, VV_ERROR_INPUT, "truncated");
    quiet_to(old);
    free(data);
}

/* The same file, with one thing changed through HDF5. */
static void spoil(const char *path, const char *command)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0);
    const int version = 99, node = 1000000;
    const int64_t counts[2] = { 1000000, 11 }, zero[2] = { 0, 0 };
    if (strcmp(command, "version") == 0) {
        hid_t a = H5Aopen_by_name(file, "/visviva", "format_version", H5P_DEFAULT, H5P_DEFAULT);
        H5Adelete_by_name(file, "/visviva", "format_version", H5P_DEFAULT);
        H5Aclose(a);
        hid_t space = H5Screate(H5S_SCALAR), g = H5Gopen2(file, "/visviva", H5P_DEFAULT);
        a = H5Acreate2(g, "format_version", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
        H5Awrite(a, H5T_NATIVE_INT, &version);
        H5Aclose(a), H5Gclose(g), H5Sclose(space);
    } else if (strcmp(command, "group") == 0) {
        H5Ldelete(file, "/visviva", H5P_DEFAULT);
    } else if (strcmp(command, "counts") == 0 || strcmp(command, "zero") == 0) {
        hid_t d = H5Dopen2(file, "/visviva/counts", H5P_DEFAULT);
        H5Dwrite(d, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, command[0] == 'c' ? counts : zero);
        H5Dclose(d);
    } else if (strcmp(command, "tet") == 0) {
        hid_t d = H5Dopen2(file, "/visviva/tets", H5P_DEFAULT), s = H5Dget_space(d), m = H5Screate(H5S_SCALAR);
        H5Sselect_elements(s, H5S_SELECT_SET, 1, (hsize_t[2]){ 1, 2 });
        H5Dwrite(d, H5T_NATIVE_INT, m, s, H5P_DEFAULT, &node);
        H5Dclose(d), H5Sclose(s), H5Sclose(m);
    } else { /* a dataset of another shape under the name */
        H5Ldelete(file, command, H5P_DEFAULT);
        hsize_t dims[2] = { 11, 3 };
        hid_t s = H5Screate_simple(2, dims, NULL);
        hid_t d = H5Dcreate2(file, command, H5T_NATIVE_SHORT, s, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        H5Dclose(d), H5Sclose(s);
    }
    assert_true(H5Fclose(file) >= 0);
}

static void test_spoilt_files(void **state)
{
    (void)state;
    const char *path = path_of("spoilt.vtkhdf");
    static const struct {
        const char *command, *words;
        vvStatus status;
    } cases[] = {
        { "version", "format version 99", VV_ERROR_UNSUPPORTED },
        { "group", "no group /visviva", VV_ERROR_INPUT },
        { "counts", "shorter than the run", VV_ERROR_INPUT },
        { "zero", "makes no sense", VV_ERROR_INPUT },
        { "tet", "names a nonexistent node", VV_ERROR_INPUT },
        { "/VTKHDF/Points", "/VTKHDF/Points", VV_ERROR_INPUT },
        { "/VTKHDF/NumberOfPoints", "/VTKHDF/NumberOfPoints", VV_ERROR_INPUT },
        { "/visviva/ledger", "/visviva/ledger", VV_ERROR_INPUT },
        { "/visviva/state", "/visviva/state", VV_ERROR_INPUT },
        { "/visviva/bodies", "/visviva/bodies", VV_ERROR_INPUT },
        { "/visviva/scene", "/visviva/scene", VV_ERROR_INPUT },
        { "/visviva/obstacle_values", "/visviva/obstacle_values", VV_ERROR_INPUT },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make_run(path, 3, 10, 1);
        spoil(path, cases[i].command);
        refuses(path, cases[i].status, cases[i].words);
    }
}

static void test_wrong_calls(void **state)
{
    (void)state;
    const char *path = path_of("calls.vtkhdf");
    vvError error;
    vvRunWriter *writer;
    make_run(path, 3, 10, 1);
    vvWorld *w = fake_world(3), *empty = fake_world(3);
    vvRun *run = open_run(path);
    vvLedgerRow rows[2];
    double seconds[2 * VV_PHASE_COUNT];
    assert_int_equal(vvRunReadFrame(run, 11, NULL, NULL, &error), VV_ERROR_INPUT);
    assert_int_equal(vvRunReadFrame(run, -1, NULL, NULL, &error), VV_ERROR_INPUT);
    assert_int_equal(vvRunReadRows(run, 10, 2, rows, &error), VV_ERROR_INPUT);
    assert_int_equal(vvRunReadRows(run, 11, 0, rows, &error), VV_OK);
    assert_int_equal(vvRunReadPhases(run, 9, 2, seconds, &error), VV_ERROR_INPUT);
    assert_int_equal(vvRunFrameStep(run, 99), -1);
    int old = quiet_from();
    assert_int_equal(vvRunCreate(path_of("no/such/folder.vtkhdf"), w, NULL, NULL, &writer, &error), VV_ERROR_IO);
    assert_non_null(strstr(error.message, "No such file"));
    assert_int_equal(vvRunCreate(FOLDER, w, NULL, NULL, &writer, &error), VV_ERROR_IO);
    assert_int_equal(vvRunCreate(path_of("a.xdmf"), w, NULL, NULL, &writer, &error), VV_ERROR_INPUT);
    empty->nodes = 0;
    assert_int_equal(vvRunCreate(path_of("b.vtkhdf"), empty, NULL, NULL, &writer, &error), VV_ERROR_INPUT);
    assert_null(writer);
    assert_int_not_equal(access(path_of("b.vtkhdf"), F_OK), 0);
    assert_int_not_equal(access(path_of("b.vtkhdf.part"), F_OK), 0);
    quiet_to(old);
    vvRunFree(run);
    vvRunFree(NULL);
    fake_free(w), fake_free(empty);
}

/* ---- a full disk: a file system of 48 MB, private to a child process ---- */

enum { FULL_GRID = 1000, FULL_STEPS = 60 };
static const char *full_folder;

#define CHECK(condition)                                            \
    do {                                                            \
        if (!(condition)) {                                         \
            fprintf(stdout, "line %d: %s\n", __LINE__, #condition); \
            fflush(stdout);                                         \
            _exit(1);                                               \
        }                                                           \
    } while (0)

/* The frame that does not fit is refused, those before it stay; with space again the run goes on as if nothing had
 * been. */
static void run_on_full_disk(void)
{
    char path[600], ballast[600];
    vvError error;
    vvRunWriter *writer;
    vvStepReport report;
    vvWorld *w = fake_world(FULL_GRID);
    snprintf(path, sizeof path, "%s/full.vtkhdf", full_folder);
    snprintf(ballast, sizeof ballast, "%s/ballast", full_folder);
    CHECK(vvRunCreate(path, w, "fake", "{ \"visviva\": 1 }", &writer, &error) == VV_OK);
    int refused = 0;
    while (w->step < FULL_STEPS) {
        fake_step(w, &report);
        CHECK(vvRunAddStep(writer, w, &report, &error) == VV_OK);
        int fd = open(ballast, O_WRONLY | O_CREAT, 0666); /* now and then the disk fills up, at various points */
        for (int64_t i = 0; w->step % 4 == 1; i += 4096)
            if (pwrite(fd, "full", 4, i) < 0) {
                CHECK(ftruncate(fd, i - 4096 * (w->step % 80)) == 0);
                break;
            }
        close(fd);
        for (int tries = 0; vvRunAddFrame(writer, w, &error) != VV_OK; tries++) {
            refused++;
            CHECK(tries == 0);
            CHECK(error.status == VV_ERROR_IO && strstr(error.message, "No space left"));
            vvRun *run;
            double *x = malloc((size_t)w->nodes * 24);
            CHECK(vvRunOpen(path, &run, &error) == VV_OK);
            CHECK(vvRunFrameCount(run) == w->step ||
                  vvRunFrameCount(run) == w->step + 1); /* or only the .xdmf failed */
            for (int f = 0; f < vvRunFrameCount(run); f++)
                CHECK(vvRunReadFrame(run, f, x, NULL, &error) == VV_OK);
            vvRunFree(run);
            free(x);
            unlink(ballast);
        }
    }
    CHECK(refused >= 3);
    CHECK(vvRunClose(writer, "done", &error) == VV_OK);
    vvRun *run;
    vvWorld *again = fake_world(FULL_GRID);
    double *x = malloc((size_t)w->nodes * 24);
    CHECK(vvRunOpen(path, &run, &error) == VV_OK && vvRunFrameCount(run) == FULL_STEPS + 1);
    for (int f = 0; f <= FULL_STEPS; f++) {
        CHECK(vvRunReadFrame(run, f, x, NULL, &error) == VV_OK && memcmp(x, again->x, (size_t)w->nodes * 24) == 0);
        fake_step(again, &report);
    }
    exit(0); /* with HDF5's own work at exit */
}

static void test_disk_full(void **state)
{
    (void)state;
    full_folder = path_of("small");
    mkdir(full_folder, 0777);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        if ((unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) ||
            mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
            mount("tmpfs", full_folder, "tmpfs", 0, "size=48m") != 0)
            _exit(77);
        run_on_full_disk();
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
        print_message("skipped: this machine does not let a test mount a small file system\n");
        skip();
    }
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_equal_runs_are_equal_files),
        cmocka_unit_test(test_large_frames),
        cmocka_unit_test(test_reserve),
        cmocka_unit_test(test_resume),
        cmocka_unit_test(test_resume_refuses),
        cmocka_unit_test(test_read_while_writing),
        cmocka_unit_test(test_changed_state_is_a_frame),
        cmocka_unit_test(test_wrong_files),
        cmocka_unit_test(test_spoilt_files),
        cmocka_unit_test(test_wrong_calls),
        cmocka_unit_test(test_disk_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

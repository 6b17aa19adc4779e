/* A run file is readable after kill -9 at any instant. Two proofs: every write of a run (also those of creating,
 * growing, resuming and closing), one after the other, is made the last one, half done where a signal can halve it;
 * and a running writer is killed at random times. After each: the file opens, every frame that was reported as
 * written is there, every frame is right to the bit, other HDF5 readers find VTK's part consistent, and resuming
 * gives the uninterrupted run's file. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <hdf5.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fake_run_world.h"
#include "record/writer.h"
#include "size.h"

enum { GRID = 20, STEPS = 22, EVERY = 2, FRAMES = STEPS / EVERY + 1 };

/* ---- this program's own pwrite64 and rename stand before libc's: HDF5 writes through them ---- */

typedef struct shared {
    int writes;  /* so far */
    int last;    /* the write to die at; -1: none */
    int reached; /* frames whose vvRunAddFrame has returned */
} shared;
static shared *common;

#define EXPORTED __attribute__((visibility("default")))

EXPORTED ssize_t pwrite64(int fd, const void *data, size_t size, off_t offset)
{
    if (common && ++common->writes == common->last) {
        /* the kernel looks for signals between pages: a write ends early at a page's edge or not at all */
        size_t whole = 4096 - (size_t)(offset % 4096);
        if (size > whole)
            syscall(SYS_pwrite64, fd, data, whole + (size - whole) / 2 / 4096 * 4096, offset);
        kill(getpid(), SIGKILL);
    }
    return syscall(SYS_pwrite64, fd, data, size, offset);
}
EXPORTED ssize_t pwrite(int fd, const void *data, size_t size, off_t offset)
{
    return pwrite64(fd, data, size, offset);
}

EXPORTED int rename(const char *from, const char *to)
{
    if (common && ++common->writes == common->last)
        kill(getpid(), SIGKILL);
    return (int)syscall(SYS_rename, from, to);
}

/* nothing here is about power failures, and waiting for the disk takes most of the time */
EXPORTED int fdatasync(int fd)
{
    (void)fd;
    return 0;
}

/* ---- the run: little room at first, so that it grows several times ---- */

static char folder[256], path[512], whole[512];

static void writer_child(const char *file, bool resume)
{
    vvError error;
    vvRunWriter *w;
    vvStepReport report;
    vvWorld *world = fake_world(GRID);
    vvStatus status =
        resume ? vvRunResume(file, world, NULL, &w, &error) : vvRunCreate(file, world, "fake", "{}", &w, &error);
    if (status != VV_OK)
        _exit(10);
    if (!resume && vvRunReserve(w, 2, 3, &error) != VV_OK)
        _exit(11);
    common->reached = (int)(world->step / EVERY) + 1;
    while (world->step < STEPS) {
        fake_step(world, &report);
        if (vvRunAddStep(w, world, &report, &error) != VV_OK)
            _exit(12);
        if (world->step % EVERY == 0) {
            if (vvRunAddFrame(w, world, &error) != VV_OK)
                _exit(13);
            common->reached = (int)(world->step / EVERY) + 1;
        }
    }
    if (vvRunClose(w, "done", &error) != VV_OK)
        _exit(14);
    fake_free(world);
    common->reached = 1000;
    _exit(0);
}

/* True when the child came to its end. */
static bool run_child(const char *file, bool resume, int die_at, long nanoseconds)
{
    *common = (shared){ 0, die_at, 0 };
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        writer_child(file, resume);
    if (nanoseconds >= 0) {
        nanosleep(&(struct timespec){ 0, nanoseconds }, NULL);
        kill(child, SIGKILL);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status))
        assert_int_equal(WEXITSTATUS(status), 0);
    else
        assert_int_equal(WTERMSIG(status), SIGKILL);
    return WIFEXITED(status);
}

/* ---- what must hold after any kill ---- */

static double *expected_x, *expected_v; /* FRAMES x nodes x 3 */
static int nodes;

static void expect(void)
{
    vvStepReport report;
    vvWorld *w = fake_world(GRID);
    nodes = w->nodes;
    size_t n = (size_t)nodes * 3;
    expected_x = malloc(n * 8 * FRAMES), expected_v = malloc(n * 8 * FRAMES);
    for (int f = 0; f < FRAMES; f++) {
        memcpy(expected_x + n * (size_t)f, w->x, n * 8);
        memcpy(expected_v + n * (size_t)f, w->v, n * 8);
        for (int i = 0; i < EVERY; i++)
            fake_step(w, &report);
    }
    fake_free(w);
}

/* As another program sees it: no options, VTK's part alone. Returns the number of frames. */
static int64_t check_vtk_part(void)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    int64_t steps = -1;
    hsize_t length[2] = { 0, 0 };
    hid_t a = H5Aopen_by_name(file, "/VTKHDF/Steps", "NSteps", H5P_DEFAULT, H5P_DEFAULT);
    assert_true(a >= 0 && H5Aread(a, H5T_NATIVE_INT64, &steps) >= 0);
    H5Aclose(a);
    hid_t d = H5Dopen2(file, "/VTKHDF/Steps/Values", H5P_DEFAULT), s = H5Dget_space(d);
    H5Sget_simple_extent_dims(s, length, NULL);
    assert_int_equal(length[0], steps);
    double *times = malloc(length[0] * 8);
    assert_true(H5Dread(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, times) >= 0);
    for (int64_t i = 0; i < steps; i++)
        assert_true(times[i] == (double)(i * EVERY) / 64);
    free(times);
    H5Sclose(s), H5Dclose(d);
    d = H5Dopen2(file, "/VTKHDF/Steps/PointOffsets", H5P_DEFAULT), s = H5Dget_space(d);
    H5Sget_simple_extent_dims(s, length, NULL);
    assert_true((int64_t)length[0] >= steps);
    int64_t *offsets = malloc(length[0] * 8);
    assert_true(H5Dread(d, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, offsets) >= 0);
    for (int64_t i = 0; i < steps; i++)
        assert_int_equal(offsets[i], i * nodes);
    free(offsets);
    H5Sclose(s), H5Dclose(d);
    d = H5Dopen2(file, "/VTKHDF/Points", H5P_DEFAULT), s = H5Dget_space(d);
    H5Sget_simple_extent_dims(s, length, NULL);
    assert_true((int64_t)length[0] >= steps * nodes);
    H5Sclose(s), H5Dclose(d);
    assert_true(H5Fclose(file) >= 0);
    return steps;
}

static void check_file(int least)
{
    vvError error;
    vvRun *run;
    vvLedgerRow rows[STEPS + 1];
    if (access(path, F_OK) != 0) {
        assert_true(least <= 0);
        return;
    }
    if (vvRunOpen(path, &run, &error) != VV_OK)
        fail_msg("write %d: %s", common->last, error.message);
    int frames = vvRunFrameCount(run), count = vvRunRowCount(run);
    assert_true(frames >= least && frames <= FRAMES);
    size_t n = (size_t)nodes * 3;
    double *x = malloc(n * 8), *v = malloc(n * 8);
    for (int f = 0; f < frames; f++) {
        assert_int_equal(vvRunReadFrame(run, f, x, v, &error), VV_OK);
        assert_memory_equal(x, expected_x + n * (size_t)f, n * 8);
        assert_memory_equal(v, expected_v + n * (size_t)f, n * 8);
    }
    assert_true(count >= (frames - 1) * EVERY + 1 && count <= STEPS + 1);
    assert_int_equal(vvRunReadRows(run, 0, count, rows, &error), VV_OK);
    for (int r = 0; r < count; r++)
        assert_int_equal(rows[r].step, r);
    free(x), free(v);
    vvRunFree(run);
    int64_t steps = check_vtk_part();
    assert_true(steps == frames || steps == frames - 1);
    assert_true(steps >= least);
}

static char *slurp(const char *name, size_t *size)
{
    FILE *f = fopen(name, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    char *data = malloc(*size);
    assert_int_equal(fread(data, 1, *size, f), *size);
    fclose(f);
    return data;
}

static void check_same_as_whole(void)
{
    size_t n, m;
    char *a = slurp(whole, &n), *b = slurp(path, &m);
    assert_int_equal(n, m);
    assert_memory_equal(a, b, n);
    free(a), free(b);
}

static int setup(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/dev/shm/visviva-test-XXXXXX"); /* in memory: a thousand files come and go */
    if (!mkdtemp(folder)) {
        snprintf(folder, sizeof folder, "%s", VV_BUILD_DIR "/test_record_kill_files");
        mkdir(folder, 0777);
    }
    snprintf(path, sizeof path, "%s/run.vtkhdf", folder);
    snprintf(whole, sizeof whole, "%s/whole.vtkhdf", folder);
    common = mmap(NULL, sizeof *common, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    expect();
    assert_true(run_child(whole, false, -1, -1));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    static const char *const left[] = { "run.vtkhdf",    "run.vtkhdf.part", "run.xdmf",
                                        "run.xdmf.part", "whole.vtkhdf",    "whole.xdmf" };
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        char name[600];
        snprintf(name, sizeof name, "%s/%s", folder, left[i]);
        unlink(name);
    }
    rmdir(folder);
    free(expected_x), free(expected_v);
    return 0;
}

/* ---- the tests ---- */

static void test_each_write_is_the_last(void **state)
{
    (void)state;
    bool ended = false;
    int kills = 0;
    for (int k = 1; !ended; k += sized(8, 8, 1)) {
        unlink(path);
        ended = run_child(path, false, k, -1);
        int reached = common->reached;
        check_file(reached > FRAMES ? FRAMES : reached);
        kills += !ended;
        if (!ended && k % 5 == 1 && access(path, F_OK) == 0) {
            assert_true(run_child(path, true, -1, -1));
            check_same_as_whole();
        }
    }
    print_message("%d writes, each the last one once\n", kills);
    assert_true(kills > (sized(60, 60, 500))); /* else the interposition does not work, and nothing was tested */
    check_same_as_whole();
}

static void test_each_write_of_resuming_is_the_last(void **state)
{
    (void)state;
    static const int cuts[] = { 330, 460 }; /* writes after which the first writer died */
    int kills = 0;
    for (size_t c = 0; c < sizeof cuts / sizeof *cuts; c++) {
        bool ended = false;
        for (int k = 1; !ended; k += sized(18, 18, 1)) {
            unlink(path);
            assert_false(run_child(path, false, cuts[c], -1));
            int least = common->reached;
            assert_true(least >= 1);
            ended = run_child(path, true, k, -1);
            if (common->reached > least)
                least = common->reached > FRAMES ? FRAMES : common->reached;
            check_file(least);
            kills += !ended;
        }
        check_same_as_whole();
    }
    print_message("%d writes of resumed runs, each the last one once\n", kills);
    assert_true(kills > (sized(20, 20, 300)));
}

static void test_random_kills(void **state)
{
    (void)state;
    struct timespec a, b;
    unlink(path);
    clock_gettime(CLOCK_MONOTONIC, &a);
    assert_true(run_child(path, false, -1, -1));
    clock_gettime(CLOCK_MONOTONIC, &b);
    double took = (double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec);
    if (took > 5e8)
        took = 5e8;
    uint64_t random = 20;
    int killed = 0;
    const int rounds = sized(20, 20, 1000);
    for (int i = 0; i < rounds; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        unlink(path);
        killed += !run_child(path, false, -1, (long)(took * 1.05 * (double)(random >> 11) * 0x1p-53));
        check_file(common->reached > FRAMES ? FRAMES : common->reached);
    }
    print_message("%d random kills, %d before the end\n", rounds, killed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_write_is_the_last),
        cmocka_unit_test(test_each_write_of_resuming_is_the_last),
        cmocka_unit_test(test_random_kills),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

/* Damaged run files: bytes flipped, blanked or cut off at random (fixed seed). Opening and reading everything must
 * end in data or in one error message, in bounded time and memory. Each file is read in a child process, so that a
 * crash, of HDF5 too, is counted and the test goes on; there is none since addresses are checked first. A first
 * argument is the number of files (a long run). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <hdf5.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake_run_world.h"

static int rounds = 300;
static uint64_t seed = 12345;

static uint64_t draw(uint64_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 17) % below;
}

static unsigned char *make(const char *path, size_t *size)
{
    vvError error;
    vvRunWriter *writer;
    vvStepReport report;
    vvWorld *w = fake_world(3);
    assert_int_equal(vvRunCreate(path, w, "fake", "{}", &writer, &error), VV_OK);
    for (int i = 0; i < 8; i++) {
        fake_step(w, &report);
        vvRunAddStep(writer, w, &report, &error);
        assert_int_equal(vvRunAddNote(writer, "warning: a note", &error), VV_OK);
        assert_int_equal(vvRunAddFrame(writer, w, &error), VV_OK);
    }
    assert_int_equal(vvRunClose(writer, "done", &error), VV_OK);
    vvResumeDef def = vvDefaultResumeDef();
    def.frame = 6;
    def.change = "gravity=[0,-5,0]";
    fake_free(w);
    w = fake_world(3);
    assert_int_equal(vvRunResume(path, w, &def, &writer, &error), VV_OK);
    fake_step(w, &report);
    vvRunAddStep(writer, w, &report, &error);
    assert_int_equal(vvRunAddFrame(writer, w, &error), VV_OK);
    assert_int_equal(vvRunClose(writer, "done", &error), VV_OK);
    fake_free(w);
    FILE *f = fopen(path, "rb");
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    unsigned char *data = malloc(*size);
    assert_int_equal(fread(data, 1, *size, f), *size);
    fclose(f);
    return data;
}

/* Where the file's structure is, and not mere numbers: bytes that differ from zero near an HDF5 signature or header. */
static size_t place(const unsigned char *data, size_t size)
{
    for (int tries = 0; tries < 50; tries++) {
        size_t at = draw(size);
        if (data[at] != 0 || draw(8) == 0)
            return at;
    }
    return draw(size);
}

static size_t damage(unsigned char *data, size_t size)
{
    switch (draw(8)) {
    case 0: return draw(size); /* cut off */
    case 1: {
        size_t at = draw(size), n = draw(256);
        memset(data + at, draw(2) ? 0xff : 0, n < size - at ? n : size - at);
        return size;
    }
    default:
        for (uint64_t flips = 1 + draw(6); flips > 0; flips--) {
            size_t at = place(data, size);
            data[at] = draw(2) ? (unsigned char)draw(256) : (unsigned char)(data[at] ^ (1u << draw(8)));
        }
        return size;
    }
}

/* Reads all there is. Exit code 0: data, 1: refused with a message, 2: refused without one. */
static int read_all(const char *path)
{
    vvError error = { 0 };
    vvRun *run;
    if (vvRunOpen(path, &run, &error) != VV_OK)
        return error.message[0] && strlen(error.message) < sizeof error.message - 1 ? 1 : 2;
    for (int i = 0, at = 0; i < vvRunChangeCount(run); i++)
        if (strlen(vvRunChange(run, i, &at)) > 255 || at < 0 || at >= vvRunRowCount(run))
            return 2;
    for (int i = 0, at = 0; i < vvRunNoteCount(run); i++)
        if (strlen(vvRunNote(run, i, &at)) > 1023 || at < 0 || at >= vvRunRowCount(run))
            return 2;
    int code = 0, nodes = vvRunNodeCount(run), rows = vvRunRowCount(run), bodies = vvRunBodyCount(run);
    double *x = malloc((size_t)nodes * 24), *v = malloc((size_t)nodes * 24);
    for (int f = 0; x && v && f < vvRunFrameCount(run) && f < 100; f++)
        if (vvRunReadFrame(run, f, x, v, &error) != VV_OK)
            code = error.message[0] ? 1 : 2;
    vvLedgerRow row;
    vvVisible *visible = malloc((size_t)bodies * sizeof *visible);
    double *energies = malloc((size_t)bodies * 8), phases[VV_PHASE_COUNT], sum = 0;
    for (int r = 0; energies && visible && r < rows && r < 100; r++)
        if (vvRunReadRows(run, r, 1, &row, &error) != VV_OK ||
            vvRunReadBodyEnergies(run, r, 1, energies, &error) != VV_OK ||
            vvRunReadBodyVisible(run, r, 1, visible, &error) != VV_OK ||
            (r > 0 && vvRunReadPhases(run, r - 1, 1, phases, &error) != VV_OK))
            code = error.message[0] ? 1 : 2;
    for (int b = 0; b < bodies; b++) { /* every index that was handed out is usable */
        const vvRunBody *body = vvRunGetBody(run, b);
        for (int i = 0; x && i < body->tetCount * 4; i++)
            sum += x[3 * body->tets[i]];
        for (int i = 0; x && i < body->triangleCount * 3; i++)
            sum += x[3 * body->triangles[i]];
        for (int i = 0; x && i < body->nodeCount; i++)
            sum += x[3 * (body->firstNode + i)];
    }
    const double *values;
    int count;
    for (int o = 0; o < vvRunObstacleCount(run); o++)
        if (strlen(vvRunObstacle(run, o, &values, &count)) < 64 && count > 0)
            sum += values[count - 1];
    vvWorld *w = fake_world(3);
    vvRunFree(run);
    free(x), free(v), free(energies), free(visible);
    fake_free(w);
    volatile double keep = sum;
    (void)keep;
    return code;
}

static void test_damaged_files(void **state)
{
    (void)state;
    const char *path = VV_BUILD_DIR "/test_record_fuzz.vtkhdf", *bad = VV_BUILD_DIR "/test_record_fuzz_bad.vtkhdf";
    size_t size;
    unsigned char *good = make(path, &size), *data = malloc(size);
    int outcomes[4] = { 0 }, hung = 0;
    assert_int_equal(read_all(path), 0);
    for (int i = 0; i < rounds; i++) {
        memcpy(data, good, size);
        size_t n = damage(data, size);
        FILE *f = fopen(bad, "wb");
        assert_int_equal(fwrite(data, 1, n, f), n);
        fclose(f);
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            static const int signals[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL };
            for (size_t k = 0; k < sizeof signals / sizeof *signals; k++)
                signal(signals[k], SIG_DFL); /* cmocka's handlers would continue with the parent's tests */
            alarm(20);
            setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
            _exit(read_all(bad));
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        if (WIFSIGNALED(status)) {
            hung += WTERMSIG(status) == SIGALRM;
            outcomes[3]++;
            print_message("file %d: HDF5 ended with signal %d\n", i, WTERMSIG(status));
            if (getenv("VISVIVA_KEEP")) {
                char kept[600];
                snprintf(kept, sizeof kept, "%s.%d", bad, i);
                rename(bad, kept);
            }
        } else if (WEXITSTATUS(status) < 3) {
            outcomes[WEXITSTATUS(status)]++;
        } else {
            fail_msg("file %d: exit code %d (a sanitizer found something)", i, WEXITSTATUS(status));
        }
    }
    print_message("%d damaged files: %d read (numbers changed at most), %d refused, %d ended inside HDF5\n", rounds,
                  outcomes[0], outcomes[1], outcomes[3]);
    assert_int_equal(outcomes[2], 0);
    assert_int_equal(hung, 0);
    assert_true(outcomes[1] > rounds / 20); /* the damage does reach the structure */
    assert_int_equal(outcomes[3], 0);
    free(good), free(data);
    unlink(bad);
}

int main(int argc, char **argv)
{
    if (argc > 2)
        return read_all(argv[2]); /* one file, in a debugger */
    if (argc > 1)
        rounds = atoi(argv[1]);
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_damaged_files) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Run files: what is written is read back to the bit, resuming gives the file of the uninterrupted run, errors are
 * one clear message. layer: record */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/resource.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fake_run_world.h"

#define FOLDER VV_BUILD_DIR "/test_record_files"

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
    return a->step == b->step && a->newtonIterations == b->newtonIterations && a->linearSolves == b->linearSolves &&
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

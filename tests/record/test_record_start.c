/* The start in a run file: row 0 is the start that the steps count from, also if it was set anew after the run
 * began. */
#include "world_support.h"

#include <unistd.h>

#include "visviva/interact.h"
#include "visviva/run.h"

static const char path[] = "test-record-start.vtkhdf", branch[] = "test-record-start-branch.vtkhdf";

static vvWorld *make_world(double young, vvBodyId *id)
{
    vvError error = { 0 };
    vvWorldDef d = vvDefaultWorldDef();
    d.integrator.groundMode = VV_GROUND_NONE;
    d.integrator.scheme = "trapezoidal";
    d.timeStep = 1e-4;
    d.contact.model = "none";
    d.threads = 1;
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("stvk", young);
    *id = add_box_def(w, (double[]){ 0.2, 0.2, 0.2 }, (int[]){ 2, 2, 2 }, 6, &def);
    set_state(w, *id, "stretch", (double[]){ 1.1, 0.95, 1, NAN, NAN, NAN });
    assert_ok(vvWorldBake(w, &error));
    return w;
}

static void go_on(vvRunWriter *writer, vvWorld *w, int count)
{
    vvError error = { 0 };
    for (int i = 0; i < count; i++) {
        step(w);
        assert_ok(vvRunAddStep(writer, w, NULL, &error));
        assert_ok(vvRunAddFrame(writer, w, &error));
    }
}

/* Every row follows from the one before by what it books, and row 0 is `start`. */
static void check_rows(const char *file, const vvLedgerRow *start, int rows)
{
    vvError error = { 0 };
    vvRun *run = NULL;
    vvLedgerRow row[16];
    double energy;
    vvVisible visible;
    assert_ok(vvRunOpen(file, &run, &error));
    assert_int_equal(vvRunRowCount(run), rows);
    assert_ok(vvRunReadRows(run, 0, rows, row, &error));
    assert_memory_equal(&row[0].kinetic, &start->kinetic, 7 * sizeof(double));
    assert_ok(vvRunReadBodyEnergies(run, 0, 1, &energy, &error));
    assert_near(energy, start->elastic, 1e-12);
    assert_ok(vvRunReadBodyVisible(run, 0, 1, &visible, &error));
    assert_near(visible.total, start->kinetic, 1e-12);
    for (int i = 1; i < rows; i++) {
        double books = row[i].work - row[i].friction - row[i].damping - row[i].decay + row[i].error;
        assert_near(row[i].total - row[i - 1].total, books, 1e-12);
        assert_near(row[i].error, 0, 1e-3 * row[0].total);
    }
    vvRunFree(run);
}

static void a_frame_before_the_first_step_shows_it(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvRunWriter *writer = NULL;
    vvBodyId id;
    vvWorld *w = make_world(2e4, &id);
    vvLedgerRow first = ledger(w);
    assert_ok(vvRunCreate(path, w, "a block", NULL, &writer, &error));
    assert_ok(vvBodyApplyImpulse(w, id, (double[]){ 0, 16, 0 }, &error));
    assert_ok(vvRunAddFrame(writer, w, &error));
    vvLedgerRow start = ledger(w);
    assert_near(start.total, first.total + 16, 1e-9); /* 8 kg at 2 m/s */
    go_on(writer, w, 3);
    assert_ok(vvRunClose(writer, "done", &error));
    check_rows(path, &start, 4);
    vvWorldDestroy(w);
    /* from either start the run goes on as what it was */
    for (int frame = 0; frame < 2; frame++) {
        w = make_world(2e4, &id);
        vvResumeDef def = vvDefaultResumeDef();
        def.frame = frame;
        def.output = branch;
        assert_ok(vvRunResume(path, w, &def, &writer, &error));
        go_on(writer, w, 2);
        assert_ok(vvRunClose(writer, "done", &error));
        check_rows(branch, frame ? &start : &first, 3);
        vvWorldDestroy(w);
    }
    unlink(path);
    unlink(branch);
}

/* Without such a frame the file would show another start than that of its first step: it says so, and nothing is
 * lost. */
static void without_one_it_is_refused(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvRunWriter *writer = NULL;
    vvBodyId id;
    vvWorld *w = make_world(2e4, &id);
    vvLedgerRow first = ledger(w);
    assert_ok(vvRunCreate(path, w, "a block", NULL, &writer, &error));
    assert_ok(vvBodyApplyImpulse(w, id, (double[]){ 0, 16, 0 }, &error));
    step(w);
    assert_int_equal(vvRunAddStep(writer, w, NULL, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "vvRunAddFrame before the first step"));
    assert_ok(vvRunClose(writer, "broken off", &error));
    check_rows(path, &first, 1);
    vvWorldDestroy(w);
    unlink(path);
}

/* With other settings the saved state has another energy: as ever, that is work of the first row, and row 0 stays. */
static void resumed_with_other_settings(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvRunWriter *writer = NULL;
    vvBodyId id;
    vvWorld *w = make_world(2e4, &id);
    vvLedgerRow first = ledger(w);
    assert_ok(vvRunCreate(path, w, "a block", NULL, &writer, &error));
    go_on(writer, w, 2);
    assert_ok(vvRunClose(writer, "done", &error));
    vvWorldDestroy(w);
    w = make_world(4e4, &id);
    vvResumeDef def = vvDefaultResumeDef();
    def.frame = 0;
    def.output = branch;
    assert_ok(vvRunResume(path, w, &def, &writer, &error));
    go_on(writer, w, 2);
    assert_ok(vvRunClose(writer, "done", &error));
    check_rows(branch, &first, 3);
    vvWorldDestroy(w);
    unlink(path);
    unlink(branch);
}

/* A run that begins in mid-run is not concerned. */
static void a_run_that_begins_later(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvRunWriter *writer = NULL;
    vvBodyId id;
    vvWorld *w = make_world(2e4, &id);
    vvLedgerRow row = step(w);
    assert_ok(vvRunCreate(path, w, "a block", NULL, &writer, &error));
    assert_ok(vvBodyApplyImpulse(w, id, (double[]){ 0, 16, 0 }, &error));
    assert_ok(vvRunAddFrame(writer, w, &error));
    go_on(writer, w, 2);
    assert_ok(vvRunClose(writer, "done", &error));
    vvRun *run = NULL;
    vvLedgerRow rows[3];
    assert_ok(vvRunOpen(path, &run, &error));
    assert_ok(vvRunReadRows(run, 0, 3, rows, &error));
    assert_memory_equal(&rows[0].kinetic, &row.kinetic, 7 * sizeof(double));
    assert_true(rows[1].work > 10);
    vvRunFree(run);
    vvWorldDestroy(w);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_before_the_first_step_shows_it),
        cmocka_unit_test(without_one_it_is_refused),
        cmocka_unit_test(resumed_with_other_settings),
        cmocka_unit_test(a_run_that_begins_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

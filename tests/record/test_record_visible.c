/* What positions show, in a run file: visible kinetic energy and its table, as the world says, of all and of each
 * body, and velocities; and files of older versions, which have none of it: they are read, with NaN there, and go
 * on. */
#include "world_support.h"

#include <hdf5.h>
#include <unistd.h>

#include "visviva/run.h"

enum { STEPS = 7, BODIES = 2, MEMBERS = 4 };
static const char path[] = "test-record-visible.vtkhdf", table[] = "test-record-visible.csv";
static const char *const members[MEMBERS] = { "visible", "visible_centre", "visible_rotation", "visible_deformation" };

static vvWorld *make_world(void)
{
    vvWorldDef d = vvDefaultWorldDef();
    d.integrator.groundMode = VV_GROUND_NONE;
    d.contact.model = "none";
    d.threads = 1;
    vvWorld *w = new_world(&d);
    for (int i = 0; i < BODIES; i++) {
        vvBodyDef def = vvDefaultBodyDef();
        def.name = i ? "b" : "a";
        def.material = material("stvk", 2e4);
        def.translate[0] = i;
        vvBodyId id = add_box_def(w, (double[]){ 0.2, 0.2, 0.2 }, (int[]){ 2, 2, 2 }, 6, &def);
        set_state(w, id, "angular", (double[]){ 1, 2, i, NAN, NAN, NAN });
        set_state(w, id, "stretch", (double[]){ 1.1, 0.95, 1, NAN, NAN, NAN });
    }
    vvError error = { 0 };
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

static void make_run(void)
{
    vvError error = { 0 };
    vvRunWriter *writer = NULL;
    vvWorld *w = make_world();
    assert_ok(vvRunCreate(path, w, "two blocks", NULL, &writer, &error));
    go_on(writer, w, STEPS);
    assert_ok(vvRunClose(writer, "done", &error));
    vvWorldDestroy(w);
}

static vvRun *open_run(void)
{
    vvError error = { 0 };
    vvRun *run = NULL;
    assert_ok(vvRunOpen(path, &run, &error));
    return run;
}

/* Rows from `first` on are as in a world that takes the same steps; earlier ones have NaN, and all else. */
static void check_rows(const vvRun *run, int first)
{
    vvError error = { 0 };
    vvWorld *w = make_world();
    vvLedgerRow row, expected = ledger(w);
    vvVisible bodies[BODIES];
    for (int r = 0; r < vvRunRowCount(run); r++) {
        assert_ok(vvRunReadRows(run, r, 1, &row, &error));
        assert_ok(vvRunReadBodyVisible(run, r, 1, bodies, &error));
        assert_true(row.kinetic == expected.kinetic && row.step == r &&
                    row.lineSearchSteps == expected.lineSearchSteps);
        if (r < first) {
            assert_true(isnan(row.visible) && isnan(row.visibleCentre) && isnan(row.visibleRotation));
            assert_true(isnan(row.visibleDeformation) && isnan(bodies[0].total) && isnan(bodies[1].deformation));
        } else {
            assert_memory_equal(&row.visible, &expected.visible, MEMBERS * sizeof(double));
            assert_memory_equal(bodies, vvWorldBodyVisible(w), sizeof bodies);
            assert_true(row.visible > 0);
        }
        expected = step(w);
    }
    vvWorldDestroy(w);
}

/* ---- the table -------------------------------------------------------------------------------------------------- */

static int column_of(const char *header, const char *name)
{
    const char *at = strstr(header, name);
    int commas = 0;
    if (!at)
        fail_msg("no column %s in %s", name, header);
    for (const char *c = header; c < at; c++)
        commas += *c == ',';
    return commas;
}

static double value_at(const char *line, int column)
{
    for (; column > 0; column--)
        line = strchr(line, ',') + 1;
    return strtod(line, NULL);
}

static void check_table(const vvRun *run)
{
    static const char *const names[3 * MEMBERS] = {
        ",visible [J]",
        ",visible_centre [J]",
        ",visible_rotation [J]",
        ",visible_deformation [J]",
        ",\"visible of a [J]\"",
        ",\"visible centre of a [J]\"",
        ",\"visible rotation of a [J]\"",
        ",\"visible deformation of a [J]\"",
        ",\"visible of b [J]\"",
        ",\"visible centre of b [J]\"",
        ",\"visible rotation of b [J]\"",
        ",\"visible deformation of b [J]\"",
    };
    vvError error = { 0 };
    vvExportDef def = vvDefaultExportDef();
    def.format = "csv";
    assert_ok(vvRunExport(run, &def, table, &error));
    char header[4096], line[4096];
    FILE *f = fopen(table, "r");
    assert_non_null(f);
    assert_non_null(fgets(header, sizeof header, f));
    for (int r = 0; r < vvRunRowCount(run); r++) {
        vvLedgerRow row;
        double expected[3 * MEMBERS];
        assert_non_null(fgets(line, sizeof line, f));
        assert_ok(vvRunReadRows(run, r, 1, &row, &error));
        memcpy(expected, &row.visible, MEMBERS * sizeof *expected);
        assert_ok(vvRunReadBodyVisible(run, r, 1, (vvVisible *)(expected + MEMBERS), &error));
        for (int i = 0; i < 3 * MEMBERS; i++) {
            double found = value_at(line, column_of(header, names[i]) + 1);
            assert_true(found == expected[i] || (isnan(found) && isnan(expected[i])));
        }
    }
    fclose(f);
    unlink(table);
}

static void a_run_holds_what_the_world_says(void **state)
{
    (void)state;
    make_run();
    vvRun *run = open_run();
    assert_int_equal(vvRunRowCount(run), STEPS + 1);
    check_rows(run, 0);
    check_table(run);
    vvError error = { 0 };
    vvVisible bodies[BODIES];
    assert_int_equal(vvRunReadBodyVisible(run, STEPS + 1, 1, bodies, &error), VV_ERROR_INPUT);
    vvRunFree(run);
}

/* ---- files of older versions ------------------------------------------------------------------------------------- */

static bool is_new(const char *name)
{
    for (int i = 0; i < MEMBERS; i++)
        if (strcmp(name, members[i]) == 0)
            return true;
    return false;
}

/* The same compound without the new members. */
static hid_t older_type(hid_t type)
{
    hid_t older = H5Tcreate(H5T_COMPOUND, H5Tget_size(type));
    for (unsigned i = 0; i < (unsigned)H5Tget_nmembers(type); i++) {
        char *name = H5Tget_member_name(type, i);
        hid_t member = H5Tget_member_type(type, i);
        if (!is_new(name))
            assert_true(H5Tinsert(older, name, H5Tget_member_offset(type, i), member) >= 0);
        H5Tclose(member);
        H5free_memory(name);
    }
    assert_true(H5Tpack(older) >= 0);
    return older;
}

/* Policies correct the state's velocities; the run's are those of the motion. */
static void velocities_are_those_of_the_motion(void **state)
{
    (void)state;
    vvError error = { 0 };
    for (int k = 0; k < 3; k++) {
        vvWorldDef d = vvDefaultWorldDef();
        vvRunWriter *writer = NULL;
        d.integrator.policy = k == 0 ? "none" : k == 1 ? "search" : "filtered-search";
        d.threads = 1;
        vvWorld *w = new_world(&d);
        vvBodyDef def = vvDefaultBodyDef();
        def.material = material("neo-hookean", 1e5);
        def.translate[1] = 0.11;
        vvBodyId id = add_box_def(w, (double[]){ 0.2, 0.2, 0.2 }, (int[]){ 2, 2, 2 }, 6, &def);
        set_state(w, id, "linear", (double[]){ 0.1, -1, 0 });
        obstacle(w, "plane", NULL, 0.2);
        assert_ok(vvWorldBake(w, &error));
        enum { FRAMES = 21 };
        const int n = 3 * vvWorldNodeCount(w);
        double *q = malloc(FRAMES * (size_t)n * sizeof *q), *v = malloc(FRAMES * (size_t)n * sizeof *v),
               *read = malloc((size_t)n * sizeof *read);
        assert_ok(vvRunCreate(path, w, "block", NULL, &writer, &error));
        for (int f = 0; f < FRAMES; f++) {
            if (f)
                go_on(writer, w, 1);
            memcpy(q + f * n, vvWorldPositions(w), (size_t)n * sizeof *q);
            memcpy(v + f * n, vvWorldVelocities(w), (size_t)n * sizeof *v);
        }
        assert_ok(vvRunClose(writer, "done", &error));
        vvRun *run = open_run();
        double apart = 0;
        assert_true(vvRunShowsMotion(run));
        for (int f = 0; f < FRAMES; f++) {
            assert_ok(vvRunReadFrame(run, f, NULL, read, &error));
            for (int i = 0; i < n; i++) {
                double seen = f ? (q[f * n + i] - q[(f - 1) * n + i]) / d.timeStep : v[i];
                assert_near(read[i], seen, 1e-12);
                apart = fmax(apart, fabs(read[i] - v[f * n + i]));
            }
            assert_ok(vvRunReadStateVelocities(run, f, read, &error));
            assert_memory_equal(read, v + f * n, (size_t)n * sizeof *read);
        }
        assert_true(k ? apart > 0.01 : apart < 1e-12);
        assert_int_equal(vvRunReadStateVelocities(run, FRAMES, read, &error), VV_ERROR_INPUT);
        free(q), free(v), free(read);
        vvRunFree(run);
        /* a body that is put elsewhere has not moved there */
        double *far = copy_of(vvWorldPositions(w), n), *slow = calloc((size_t)n, sizeof *slow),
               *now = malloc((size_t)n * sizeof *now);
        for (int i = 1; i < n; i += 3)
            far[i] += 1;
        assert_ok(vvBodySetState(w, id, far, slow, &error));
        vvWorldVisibleVelocities(w, now);
        assert_memory_equal(now, slow, (size_t)n * sizeof *now);
        free(far), free(slow), free(now);
        vvWorldDestroy(w);
    }
}

static void make_older(void)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), set = H5Dopen2(file, "/visviva/ledger", H5P_DEFAULT);
    hid_t type = H5Dget_type(set), older = older_type(type), space = H5Dget_space(set),
          plist = H5Dget_create_plist(set);
    char *rows = calloc((size_t)H5Sget_simple_extent_npoints(space), H5Tget_size(type));
    assert_int_equal(H5Tget_size(type) - H5Tget_size(older), MEMBERS * sizeof(double));
    assert_true(H5Dread(set, older, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows) >= 0);
    H5Dclose(set);
    assert_true(H5Ldelete(file, "/visviva/ledger", H5P_DEFAULT) >= 0);
    assert_true(H5Ldelete(file, "/visviva/body_visible", H5P_DEFAULT) >= 0);
    assert_true(H5Ldelete(file, "/VTKHDF/PointData/state_velocity", H5P_DEFAULT) >= 0);
    assert_true(H5Ldelete(file, "/VTKHDF/Steps/PointDataOffsets/state_velocity", H5P_DEFAULT) >= 0);
    set = H5Dcreate2(file, "/visviva/ledger", older, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    assert_true(H5Dwrite(set, older, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows) >= 0);
    H5Dclose(set), H5Pclose(plist), H5Sclose(space), H5Tclose(older), H5Tclose(type), H5Fclose(file);
    free(rows);
}

/* In a file of an older version the velocities are the state's; in frames that were added since, there are both. */
static void check_velocities(const vvRun *run, int first, int end)
{
    vvError error = { 0 };
    const int n = 3 * vvRunNodeCount(run);
    double *v = malloc((size_t)n * sizeof *v), *own = malloc((size_t)n * sizeof *own);
    assert_true(vvRunShowsMotion(run) == (end > 0));
    for (int f = 0; f < vvRunFrameCount(run); f++) {
        assert_ok(vvRunReadFrame(run, f, NULL, v, &error));
        assert_ok(vvRunReadStateVelocities(run, f, own, &error));
        for (int i = 0; i < n; i++)
            assert_true(end > 0 && f < first ? isnan(own[i]) : own[i] == own[i]);
        assert_true(end > 0 || memcmp(own, v, (size_t)n * sizeof *v) == 0);
    }
    free(v), free(own);
}

static void files_of_older_versions_are_read_and_go_on(void **state)
{
    (void)state;
    make_run();
    make_older();
    vvRun *run = open_run();
    check_rows(run, STEPS + 1);
    check_table(run);
    check_velocities(run, 0, 0);
    vvRunFree(run);
    vvError error = { 0 };
    vvRunWriter *writer = NULL;
    vvWorld *w = make_world();
    vvResumeDef def = vvDefaultResumeDef();
    def.frame = 4;
    assert_ok(vvRunResume(path, w, &def, &writer, &error));
    go_on(writer, w, 20); /* more than there is room for */
    assert_ok(vvRunClose(writer, "done", &error));
    vvWorldDestroy(w);
    run = open_run();
    assert_int_equal(vvRunRowCount(run), 25);
    check_rows(run, 5);
    check_table(run);
    check_velocities(run, 5, 25);
    vvRunFree(run);
    unlink(path);
    unlink("test-record-visible.xdmf");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_holds_what_the_world_says),
        cmocka_unit_test(velocities_are_those_of_the_motion),
        cmocka_unit_test(files_of_older_versions_are_read_and_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

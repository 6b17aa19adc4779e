/* Corners of a running world: changes, snapshots, saved states and refused calls that meet each other. */
#include "live_support.h"
#include "visviva/interact.h"
#include "world/analysis/analysis.h"

static vvWorld *twin(const vvWorldDef *d, const vvSnapshot *snapshot)
{
    vvError error = { 0 };
    vvWorld *w = new_world(d);
    assert_ok(vvWorldRestore(w, snapshot, &error));
    return w;
}

/* A second tie has been made, but nothing was baked since: the springs in use are fewer than the attachments. */
static void restored_before_springs_are_renewed(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = live_def("backward-euler", "none");
    vvWorld *w = new_world(&d);
    vvBodyId a = add_block(w, 0, 1, 0.4), b = add_block(w, 1, 1, 0);
    tie(w, a, VV_ATTACH_SPRING, 100);
    step(w);
    tie(w, b, VV_ATTACH_SPRING, 100);
    vvSnapshot *snapshot;
    assert_ok(vvWorldSnapshot(w, &snapshot, &error));
    vvWorld *other = twin(&d, snapshot);
    assert_ok(vvWorldRestore(w, snapshot, &error));
    expect_same(w, other, 3, "restored at once");
    assert_ok(vvWorldRestore(w, snapshot, &error));
    assert_ok(vvWorldRestore(other, snapshot, &error));
    expect_same(w, other, 3, "restored again");
    vvSnapshotDestroy(snapshot);
    vvWorldDestroy(w);
    vvWorldDestroy(other);
}

/* A block that has fallen to about -0.05 m, saved; the caller frees it. */
static char *fallen(const vvWorldDef *d, size_t *size)
{
    vvError error = { 0 };
    vvWorld *w = new_world(d);
    add_block(w, 0, 1, 0);
    steps(w, 120);
    *size = vvWorldStateSize(w);
    char *saved = malloc(*size);
    assert_non_null(saved);
    assert_ok(vvWorldSaveState(w, saved, *size, &error));
    vvWorldDestroy(w);
    return saved;
}

/* Loading is refused, or undone by a restored snapshot: the attachments hold where they held. */
static void loading_leaves_no_trace(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = live_def("backward-euler", "none");
    size_t size;
    char *saved = fallen(&d, &size);
    for (int refused = 0; refused < 2; refused++) {
        vvWorld *w = new_world(&d);
        tie(w, add_block(w, 0, 1, 0), VV_ATTACH_SPRING, 1000);
        if (refused)
            obstacle(w, "plane", (double[]){ 0, 0.8, 0, 0, 1, 0 }, 0);
        steps(w, 3);
        vvSnapshot *snapshot;
        assert_ok(vvWorldSnapshot(w, &snapshot, &error));
        vvWorld *other = twin(&d, snapshot);
        assert_int_equal(vvWorldLoadState(w, saved, size, &error), refused ? VV_ERROR_INPUT : VV_OK);
        if (!refused) {
            steps(w, 2);
            assert_ok(vvWorldRestore(w, snapshot, &error));
        }
        expect_same(w, other, 3, refused ? "a load that is refused" : "restored after a load");
        vvSnapshotDestroy(snapshot);
        vvWorldDestroy(w);
        vvWorldDestroy(other);
    }
    free(saved);
}

/* A new body's held nodes have been told where to go: the restored world does not place them anew. */
static void restored_while_driven(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = live_def("backward-euler", "none");
    vvWorld *w = new_world(&d);
    add_block(w, 0, 1, 0.5);
    steps(w, 3);
    vvAttachId held = tie(w, add_block(w, 1, 1, 0), VV_ATTACH_FIXED, 0);
    assert_ok(vvWorldBake(w, &error));
    int nodes[4];
    double to[12];
    assert_int_equal(vvAttachNodes(w, held, nodes, 4), 4);
    for (int i = 0; i < 12; i++)
        to[i] = vvWorldPositions(w)[3 * nodes[i / 3] + i % 3] + (i % 3 == 1 ? 0.01 : 0);
    assert_ok(vvAttachMoveTo(w, held, to, &error));
    vvSnapshot *snapshot;
    assert_ok(vvWorldSnapshot(w, &snapshot, &error));
    vvWorld *other = twin(&d, snapshot);
    expect_same(w, other, 3, "driven");
    vvSnapshotDestroy(snapshot);
    vvWorldDestroy(w);
    vvWorldDestroy(other);
}

/* What the linear solver had learned by then is restored, also where that was nothing. */
static void restored_to_the_beginning(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = live_def("backward-euler", "none");
    d.solver.linear = "auto";
    d.solver.linearTolerance = 1e-3;
    d.timeStep = 0.01;
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("fixed-corotated", 1e9);
    vvBodyId rod = add_box_def(w, (double[]){ 1, 0.05, 0.05 }, (int[]){ 30, 1, 1 }, 6, &def);
    vvAttachDef wall = vvDefaultAttachDef();
    wall.where = (vvRegion){ .kind = VV_REGION_PERCENT, .b = { 1, 100, 100 } };
    attach(w, rod, &wall);
    vvSnapshot *snapshot;
    assert_ok(vvWorldSnapshot(w, &snapshot, &error));
    vvWorld *other = twin(&d, snapshot);
    steps(w, 20);
    assert_ok(vvWorldRestore(w, snapshot, &error));
    expect_same(w, other, 2, "from the beginning");
    vvSnapshotDestroy(snapshot);
    vvWorldDestroy(w);
    vvWorldDestroy(other);
}

/* The speed at which friction is smoothed goes by the scene's length, which an empty world does not have. */
static void friction_comes_to_an_empty_world(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = live_def("backward-euler", "none");
    vvWorld *w = new_world(&d);
    vvBodyId a = add_block(w, 0, 1, 0);
    steps(w, 2);
    assert_ok(vvWorldRemoveBody(w, a, &error));
    obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0.5);
    steps(w, 2);
    set_state(w, add_block(w, 0, 0.0504, 0), "linear", (double[]){ 0.2, 0, 0 });
    steps(w, 60); /* 0.24 s: it would stop in 0.2 m/s / (0.5 g) = 0.04 s */
    assert_near(vvWorldGetDef(w)->contact.frictionSpeed, 1e-3 * sqrt(0.03), 1e-12);
    assert_less(fabs(vvWorldVelocities(w)[0]), 0.01);
    vvWorldDestroy(w);
}

/* Before the first step a hand takes hold, and then a deeper floor comes: the ground level is that of the world
 * without the hand. */
static void ground_level_without_the_hand(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvKey decay = { 0, 1 };
    vvWorldDef d = live_def("backward-euler", "search");
    d.integrator.groundMode = VV_GROUND_AUTO;
    d.integrator.decayKeys = &decay;
    d.integrator.decayKeyCount = 1;
    double ground[3];
    for (int kind = 0; kind < 3; kind++) {
        vvWorld *w = new_world(&d);
        vvBodyId body = add_block(w, 0, 0.2, 0);
        obstacle(w, "plane", (double[]){ 0, -0.1, 0, 0, 1, 0 }, 0);
        vvDragDef def = vvDefaultDragDef();
        vvDragId drag = { 0, 0 };
        def.body = body, def.vertex = 3, def.kind = kind == 2 ? VV_DRAG_PRESCRIBED : VV_DRAG_SPRING;
        if (kind > 0)
            assert_ok(vvWorldStartDrag(w, &def, &drag, &error));
        obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0);
        vvLedgerRow row = step(w);
        if (kind > 0) {
            assert_true(isnan(row.groundEnergy));
            assert_near(row.decay, 0, 0);
            assert_ok(vvWorldEndDrag(w, drag, &error));
        }
        ground[kind] = step(w).groundEnergy;
        vvWorldDestroy(w);
    }
    assert_near(ground[1], ground[0], 1e-6);
    assert_near(ground[2], ground[0], 1e-6);
}

static bool at_once(void *asked) { return ++*(int *)asked > 1; }

/* The picture between steps is of what was: neither a step that is cancelled nor new velocities change it. */
static void pictures_stay(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = live_def("bdf2", "none");
    d.integrator.settings = &(vvSetting){ "ballistic", { 1 } };
    d.integrator.settingCount = 1;
    vvWorld *w = new_world(&d);
    vvBodyId a = add_block(w, 0, 1, 0.5);
    steps(w, 3);
    assert_ok(vvBodyApplyImpulse(w, a, (double[]){ 1, 0, 0 }, &error));
    int n = 3 * vvWorldNodeCount(w);
    double *before = copy_of(vvWorldPositions(w), n), *after = copy_of(vvWorldPositions(w), n);
    assert_ok(vvWorldInterpolate(w, 0, before, &error));
    int asked = 0;
    vvWorldSetCancel(w, at_once, &asked);
    assert_int_equal(vvWorldStep(w, NULL, &error), VV_CANCELLED);
    assert_ok(vvWorldInterpolate(w, 0, after, &error));
    assert_memory_equal(before, after, (size_t)n * sizeof *before);
    free(before);
    free(after);
    vvWorldDestroy(w);

    d = live_def("backward-euler", "none");
    w = new_world(&d);
    add_block(w, 0, 1, 0.5);
    vvBodyId b = add_block(w, 1, 1, 0.5);
    steps(w, 3);
    n = 3 * vvWorldNodeCount(w);
    before = copy_of(vvWorldPositions(w), n), after = copy_of(vvWorldPositions(w), n);
    double fast[24];
    for (int i = 0; i < 24; i++)
        fast[i] = 10;
    assert_ok(vvWorldInterpolate(w, 0, before, &error));
    assert_ok(vvBodySetState(w, b, NULL, fast, &error));
    assert_ok(vvWorldInterpolate(w, 0, after, &error));
    assert_memory_equal(before, after, (size_t)n * sizeof *before);
    free(before);
    free(after);
    vvWorldDestroy(w);
}

static void refused(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = live_def("backward-euler", "none");
    vvWorld *w = new_world(&d);
    vvBodyId a = add_block(w, 0, 1, 0.5);
    vvAttachDef def = vvDefaultAttachDef();
    def.kind = (vvAttachKind)77;
    expect(vvBodyAttach(w, a, &def, NULL, &error), VV_ERROR_INPUT, &error, "kind 77");
    expect(vvWorldLedger(w, NULL, &error), VV_ERROR_INPUT, &error, "NULL");
    step(w);
    char some[8] = { 0 };
    assert_ok(vvWorldBeginEdit(w, NULL, NULL, &error));
    expect(vvWorldSaveState(w, some, sizeof some, &error), VV_ERROR_INPUT, &error, "vvWorldEndEdit");
    assert_ok(vvWorldEndEdit(w, &error));
    vvWorldDestroy(w);
}

/* Damping towards the motion of nodes that are moved by force can give energy: that is the mover's work, no negative
 * loss. */
static void damping_never_gives(void **state)
{
    (void)state;
    vvWorldDef d = free_def("backward-euler", 0.01, 1e-8);
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material.damping.momentumRate = 30;
    vvBodyId body = add_box_def(w, (double[]){ 0.2, 0.1, 0.1 }, (int[]){ 4, 2, 2 }, 6, &def);
    vvAttachDef half = vvDefaultAttachDef();
    half.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 0, 0, 0 }, .b = { 60, 100, 100 } };
    half.motion.linearVelocity[1] = 2;
    attach(w, body, &half);
    double total = ledger(w).total, given = 0;
    for (int s = 0; s < 30; s++) {
        vvLedgerRow row = step(w);
        assert_true(row.damping >= 0);
        assert_near(row.total - total, row.work - row.friction - row.damping - row.decay + row.error, 1e-9);
        total = row.total, given += row.work;
    }
    assert_less(0, given);
    vvWorldDestroy(w);
}

static vvWorld *hung(const char *policy, double fraction, double decay)
{
    vvWorldDef d = vvDefaultWorldDef();
    vvKey key = { 0, decay };
    d.integrator.policy = policy;
    d.integrator.startFraction = fraction;
    d.integrator.groundMode = VV_GROUND_AUTO;
    d.integrator.decayKeys = &key;
    d.integrator.decayKeyCount = decay > 0;
    vvWorld *w = new_world(&d);
    vvMaterialDef m = material("stvk", 1e4);
    vvBodyId body = add_cube(w, 0.1, 2, &m);
    int corner[1] = { 0 };
    vvAttachDef pin = vvDefaultAttachDef();
    pin.where = (vvRegion){ .kind = VV_REGION_VERTICES, .list = corner, .listCount = 1 };
    attach(w, body, &pin);
    return w;
}

/* The ground level is solved for where a decay or a start fraction aims at it, once, and its time stands in the next
 * report. */
static void ground_level_for_who_wants_it(void **state)
{
    (void)state;
    const struct {
        const char *policy;
        double fraction, decay;
        bool wants;
    } cases[] = { { "none", 1, 0, false },    { "none", 0.5, 1, false }, { "search", 1, 0, false },
                  { "search", 0.5, 0, true }, { "search", 1, 1, true },  { "filtered-search", 0.5, 1, true } };
    vvError error = { 0 };
    vvStepReport report;
    for (int k = 0; k < 6; k++) {
        vvWorld *w = hung(cases[k].policy, cases[k].fraction, cases[k].decay);
        vvLedgerRow first = ledger(w);
        assert_true(isfinite(first.groundEnergy) == cases[k].wants);
        assert_less(0, first.scale);
        assert_ok(vvWorldStep(w, &report, &error));
        assert_true((report.seconds[VV_PHASE_SETTLE] > 0) == cases[k].wants &&
                    report.wall >= report.seconds[VV_PHASE_SETTLE]);
        assert_ok(vvWorldStep(w, &report, &error));
        assert_true(report.seconds[VV_PHASE_SETTLE] == 0);
        /* a run that goes on elsewhere knows it */
        size_t size = vvWorldStateSize(w);
        void *saved = malloc(size);
        assert_ok(vvWorldSaveState(w, saved, size, &error));
        vvWorld *other = hung(cases[k].policy, cases[k].fraction, cases[k].decay);
        assert_ok(vvWorldLoadState(other, saved, size, &error));
        assert_ok(vvWorldStep(other, &report, &error));
        assert_true(report.seconds[VV_PHASE_SETTLE] == 0);
        vvLedgerRow here = step(w), there = ledger(other);
        assert_true(here.target == there.target && here.scale == there.scale && here.total == there.total);
        assert_true(cases[k].wants ? there.groundEnergy == first.groundEnergy : isnan(there.groundEnergy));
        /* one that cannot go on begins at its own start, with a ground level of its own */
        vvWorldDestroy(other);
        other = hung(cases[k].policy, cases[k].fraction, cases[k].decay);
        ((char *)saved)[size / 2] ^= 1;
        assert_int_equal(vvWorldLoadState(other, saved, size, &error), VV_ERROR_INPUT);
        vvLedgerRow own = ledger(other);
        assert_true(own.target == first.target && own.scale == first.scale);
        free(saved);
        vvWorldDestroy(w);
        vvWorldDestroy(other);
    }
}

/* The scale of a body at rest, or in its first steps, is no noise. */
static void the_first_steps_are_near_the_target(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        vvWorldDef d = vvDefaultWorldDef();
        d.integrator.policy = k % 2 ? "search" : "none";
        d.timeStep = k < 2 ? 1.0 / 30 : 1.0 / 120;
        vvWorld *w = new_world(&d);
        vvMaterialDef m = material("fixed-corotated", 1e5);
        add_cube(w, 0.1, 2, &m);
        vvLedgerRow row = step(w); /* of a fall */
        assert_less(fabs(row.total - row.target), 0.05 * row.scale);
        vvWorldDestroy(w);
        d.gravity[1] = 0;
        w = new_world(&d);
        set_state(w, add_cube(w, 0.1, 2, &m), "linear", (double[]){ 1e-4, 0, 0 });
        row = steps(w, 20);
        assert_less(fabs(row.total - row.target), 0.01 * row.scale);
        vvWorldDestroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restored_before_springs_are_renewed),
        cmocka_unit_test(loading_leaves_no_trace),
        cmocka_unit_test(restored_while_driven),
        cmocka_unit_test(restored_to_the_beginning),
        cmocka_unit_test(friction_comes_to_an_empty_world),
        cmocka_unit_test(ground_level_without_the_hand),
        cmocka_unit_test(pictures_stay),
        cmocka_unit_test(damping_never_gives),
        cmocka_unit_test(ground_level_for_who_wants_it),
        cmocka_unit_test(the_first_steps_are_near_the_target),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

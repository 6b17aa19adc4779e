/* Attachments that push (VV_ATTACH_PUSH): the same motion as forces that a host applies step by step, from start to
 * end, with their work in the ledger. */
#include "visviva/interact.h"
#include "world_support.h"

static const double ACCELERATION[3] = { 3, -2, 5 }; /* m/s^2 */

static vvAttachDef push_of(int *list, int count, double start, double end)
{
    vvAttachDef def = vvDefaultAttachDef();
    def.where = (vvRegion){ .kind = VV_REGION_VERTICES, .list = list, .listCount = count };
    def.kind = VV_ATTACH_PUSH;
    memcpy(def.acceleration, ACCELERATION, sizeof def.acceleration);
    def.motion.startTime = start;
    def.motion.endTime = end;
    return def;
}

static vvWorld *cube_of(const char *scheme, const char *policy, double h, vvBodyId *body)
{
    vvWorldDef d = free_def(scheme, h, 1e-10);
    d.integrator.policy = policy;
    vvWorld *w = new_world(&d);
    vvMaterialDef m = material("fixed-corotated", 1e4);
    *body = add_cube(w, 0.1, 2, &m);
    return w;
}

static double step_of(const char *scheme)
{
    bool small = strcmp(scheme, "forward-euler") == 0 || strcmp(scheme, "symplectic-euler") == 0 ||
                 strcmp(scheme, "verlet") == 0;
    return small ? 1e-4 : 0.01;
}

static void apply_as_host(vvWorld *w, const int *list, int count)
{
    vvError error = { 0 };
    for (int i = 0; i < count; i++) {
        double force[3];
        for (int k = 0; k < 3; k++)
            force[k] = vvWorldMasses(w)[list[i]] * ACCELERATION[k];
        assert_ok(vvWorldApplyForces(w, 1, &list[i], force, &error));
    }
}

static void same(vvWorld *a, vvWorld *b)
{
    size_t bytes = 3 * (size_t)vvWorldNodeCount(a) * sizeof(double);
    assert_memory_equal(vvWorldPositions(a), vvWorldPositions(b), bytes);
    assert_memory_equal(vvWorldVelocities(a), vvWorldVelocities(b), bytes);
}

/* Under every scheme and under policies: bit for bit what a host does that applies mass times acceleration in steps 2
 * to 6 of 9, beside a force of its own. The times are those of steps to within rounding: h = 0.01 has no exact
 * multiples. */
static void as_a_host_pushes(void **state)
{
    (void)state;
    static const char *const policies[] = { "none", "search", "filtered-search" };
    int list[] = { 1, 5, 7 }, corner = 3;
    const double own[3] = { 0.1, 0, -0.2 };
    for (int p = 0; p < 3; p++)
        for (int i = 0; vvSchemeInfo(i); i++) {
            vvError error = { 0 };
            const char *scheme = vvSchemeInfo(i)->name;
            if (p && strcmp(scheme, "backward-euler") != 0)
                continue;
            double h = step_of(scheme);
            vvBodyId a, b;
            vvWorld *pushed = cube_of(scheme, policies[p], h, &a), *forced = cube_of(scheme, policies[p], h, &b);
            vvAttachDef def = push_of(list, 3, 2 * h, 7 * h);
            attach(pushed, a, &def);
            for (int s = 0; s < 9; s++) {
                assert_ok(vvWorldApplyForces(pushed, 1, &corner, own, &error));
                assert_ok(vvWorldApplyForces(forced, 1, &corner, own, &error));
                if (s >= 2 && s < 7)
                    apply_as_host(forced, list, 3);
                vvLedgerRow row = step(pushed), other = step(forced);
                assert_true(row.work == other.work && row.total == other.total && row.target == other.target);
            }
            same(pushed, forced);
            vvWorldDestroy(pushed);
            vvWorldDestroy(forced);
        }
}

/* 1 kg, 1/27 of it in a corner's neighbourhood: what is not pushed feels only its neighbours, and nothing is pushed
 * after the end. */
static void momentum_and_work(void **state)
{
    (void)state;
    vvBodyId body;
    vvWorld *w = cube_of("implicit-midpoint", "none", 0.01, &body);
    vvAttachDef def = push_of(NULL, 0, 0, 0.1);
    def.where = (vvRegion){ .kind = VV_REGION_ALL };
    attach(w, body, &def);
    double mass = 0;
    for (int n = 0; n < vvWorldNodeCount(w); n++)
        mass += vvWorldMasses(w)[n];
    for (int s = 0; s < 20; s++) {
        vvLedgerRow row = step(w);
        assert_true(s < 10 ? row.work > 0 : row.work == 0);
    }
    vvLedgerRow row = ledger(w);
    for (int k = 0; k < 3; k++)
        assert_near(row.momentum[k], 0.1 * mass * ACCELERATION[k], 1e-9);
    assert_near(row.total, 0.5 * mass * 38 * 0.01, 1e-9); /* v = 0.1 a, |a|^2 = 38 */
    assert_near(row.target, row.total, 1e-9);
    vvWorldDestroy(w);
}

static bool yes(void *user) { return *(bool *)user; }

/* A step that was cancelled is done again: once pushed, once the host's force. */
static void a_step_that_failed(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvBodyId a, b;
    bool cancel = false;
    int list[] = { 0, 4 }, corner = 6;
    const double own[3] = { 0.3, 0.1, 0 };
    vvWorld *once = cube_of("backward-euler", "none", 0.01, &a), *twice = cube_of("backward-euler", "none", 0.01, &b);
    vvAttachDef def = push_of(list, 2, 0, 1);
    attach(once, a, &def);
    attach(twice, b, &def);
    vvWorldSetCancel(twice, yes, &cancel);
    for (int s = 0; s < 4; s++) {
        assert_ok(vvWorldApplyForces(once, 1, &corner, own, &error));
        assert_ok(vvWorldApplyForces(twice, 1, &corner, own, &error));
        cancel = true;
        assert_int_equal(vvWorldStep(twice, NULL, &error), VV_CANCELLED);
        cancel = false;
        step(once);
        step(twice);
    }
    same(once, twice);
    vvWorldDestroy(once);
    vvWorldDestroy(twice);
}

/* It is part of snapshots and of worlds that go on from a saved state; ended, it pushes no more. */
static void lives_as_others_do(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvBodyId a, b;
    vvAttachId id;
    vvSnapshot *snapshot;
    int list[] = { 2, 3 };
    vvWorld *w = cube_of("bdf2", "none", 0.01, &a), *other = cube_of("bdf2", "none", 0.01, &b);
    vvAttachDef def = push_of(list, 2, 0, INFINITY);
    assert_ok(vvBodyAttach(w, a, &def, &id, &error));
    attach(other, b, &def);
    assert_int_equal(vvAttachNodes(w, id, NULL, 0), 2);
    steps(w, 3);
    assert_ok(vvWorldSnapshot(w, &snapshot, &error));
    size_t size = vvWorldStateSize(w);
    void *saved = malloc(size);
    assert_ok(vvWorldSaveState(w, saved, size, &error));
    steps(w, 3);
    assert_ok(vvWorldLoadState(other, saved, size, &error));
    steps(other, 3);
    same(w, other);
    assert_ok(vvWorldRestore(w, snapshot, &error));
    steps(w, 3);
    same(w, other);
    assert_ok(vvWorldDetach(w, id, &error));
    assert_true(step(w).work == 0);
    assert_false(vvAttachIsValid(w, id));
    vvSnapshotDestroy(snapshot);
    vvWorldDestroy(w);
    vvWorldDestroy(other);
    free(saved);
}

/* What is held feels no push, and may be pushed and held: no node is in two motions. */
static void held_nodes_feel_nothing(void **state)
{
    (void)state;
    vvBodyId body;
    int list[] = { 0 };
    vvWorld *w = cube_of("backward-euler", "none", 0.01, &body);
    vvAttachDef pin = vvDefaultAttachDef(), push = push_of(list, 1, 0, INFINITY);
    pin.where = push.where;
    attach(w, body, &pin);
    attach(w, body, &push);
    vvLedgerRow row = step(w);
    assert_near(row.total, 0, 1e-12);
    assert_true(row.work == 0);
    vvWorldDestroy(w);
}

static void refused(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvBodyId body;
    vvAttachId id;
    int list[] = { 0 };
    double there[3] = { 0 };
    vvWorld *w = cube_of("backward-euler", "none", 0.01, &body);
    vvAttachDef def = push_of(list, 1, 0, 1);
    def.acceleration[1] = NAN;
    assert_int_equal(vvBodyAttach(w, body, &def, NULL, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "acceleration"));
    def.acceleration[1] = -2e9;
    assert_int_equal(vvBodyAttach(w, body, &def, NULL, &error), VV_ERROR_INPUT);
    def = push_of(list, 1, 0, 1);
    def.motion.linearVelocity[2] = 1;
    assert_int_equal(vvBodyAttach(w, body, &def, NULL, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "startTime"));
    def = push_of(list, 1, 1, 0.5);
    assert_int_equal(vvBodyAttach(w, body, &def, NULL, &error), VV_ERROR_INPUT);
    def = push_of(list, 1, 0, 1);
    def.kind = (vvAttachKind)99;
    assert_int_equal(vvBodyAttach(w, body, &def, NULL, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "VV_ATTACH_PUSH"));
    def.kind = VV_ATTACH_PUSH;
    assert_ok(vvBodyAttach(w, body, &def, &id, &error));
    assert_int_equal(vvAttachMoveTo(w, id, there, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "push"));
    vvWorldDestroy(w);
}

/* Nothing stops the fall of a body that is only pushed. */
static void holds_nothing(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvBodyId body;
    double energy;
    vvWorldDef d = free_def("backward-euler", 0.01, 1e-10);
    d.gravity[1] = -9.8;
    vvWorld *w = new_world(&d);
    vvMaterialDef m = material("fixed-corotated", 1e4);
    body = add_cube(w, 0.1, 2, &m);
    vvAttachDef def = push_of(NULL, 0, 0, INFINITY);
    def.where = (vvRegion){ .kind = VV_REGION_ALL };
    attach(w, body, &def);
    assert_int_equal(vvWorldSettle(w, false, &energy, &error), VV_ERROR_SOLVER);
    assert_non_null(strstr(error.message, "nothing stops the fall"));
    vvWorldDestroy(w);
}

/* A snapshot from before it knows nothing of it, and one from before its end has it. */
static void snapshots_from_before(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvBodyId body;
    vvWorld *w = cube_of("backward-euler", "none", 0.01, &body), *calm = cube_of("backward-euler", "none", 0.01, &body);
    vvSnapshot *without, *with;
    steps(w, 2);
    assert_ok(vvWorldSnapshot(w, &without, &error));
    vvAttachDef def = push_of(NULL, 0, 0, INFINITY);
    def.where = (vvRegion){ .kind = VV_REGION_ALL };
    vvAttachId id;
    assert_ok(vvBodyAttach(w, body, &def, &id, &error));
    steps(w, 2);
    assert_ok(vvWorldSnapshot(w, &with, &error));
    assert_ok(vvWorldDetach(w, id, &error));
    steps(w, 2);
    assert_ok(vvWorldRestore(w, with, &error));
    assert_true(vvAttachIsValid(w, id));
    steps(w, 1);
    assert_near(vvWorldVelocities(w)[0], 3 * 0.01 * ACCELERATION[0], 1e-6);
    assert_ok(vvWorldRestore(w, without, &error));
    assert_false(vvAttachIsValid(w, id));
    steps(w, 3), steps(calm, 5);
    same(w, calm);
    vvSnapshotDestroy(without);
    vvSnapshotDestroy(with);
    vvWorldDestroy(w);
    vvWorldDestroy(calm);
}

/* A bar that hangs from its upper end: pushed as gravity would, it settles where gravity takes it. A push that is over,
 * or is yet to come, does nothing; and one with an end has no part in the ground energy. */
static void settling_counts_it(void **state)
{
    (void)state;
    static const struct {
        double gravity, push, start, end, of_ground; /* of what gravity does */
    } rows[] = { { 1, 0, 0, INFINITY, 1 },
                 { 0, 1, 0, INFINITY, 1 },
                 { 0, 1, 0, 1, 0 },
                 { 0, 0, 1, INFINITY, 0 },
                 { 0.5, 0.5, 0, INFINITY, 1 } };
    double *wanted = NULL, elastic = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vvError error = { 0 };
        vvWorldDef d = free_def("backward-euler", 0.01, 1e-8);
        d.gravity[1] = -5 * rows[i].gravity;
        d.integrator.policy = "search";
        d.integrator.startFraction = 0.9;
        d.integrator.groundMode = VV_GROUND_AUTO;
        vvWorld *w = new_world(&d);
        vvMaterialDef m = material("neo-hookean", 1e5);
        vvBodyDef def = vvDefaultBodyDef();
        def.material = m;
        vvBodyId bar = add_box_def(w, (double[]){ 0.1, 0.4, 0.1 }, (int[]){ 1, 4, 1 }, 6, &def);
        vvAttachDef held = vvDefaultAttachDef(), push = vvDefaultAttachDef();
        held.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { -1, 99, -1 }, .b = { 101, 101, 101 } };
        assert_ok(vvBodyAttach(w, bar, &held, NULL, &error));
        push.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { -1, -1, -1 }, .b = { 101, 98, 101 } };
        push.kind = VV_ATTACH_PUSH;
        push.acceleration[1] = rows[i].start > 0 ? -5 : -5 * rows[i].push;
        push.motion.startTime = rows[i].start, push.motion.endTime = rows[i].end;
        if (push.acceleration[1] != 0)
            assert_ok(vvBodyAttach(w, bar, &push, NULL, &error));
        assert_ok(vvWorldBake(w, &error));
        const int n = 3 * vvWorldNodeCount(w);
        const double ground = ledger(w).groundEnergy;
        double energy;
        if (rows[i].gravity == 0)
            assert_near(ground, rows[i].of_ground * elastic, 1e-6 * elastic);
        assert_ok(vvWorldSettle(w, true, &energy, &error));
        if (!wanted) {
            wanted = copy_of(vvWorldPositions(w), n);
            elastic = ledger(w).elastic;
            assert_true(elastic > 1e-3);
        }
        assert_near(energy, ledger(w).total, 1e-12);
        for (int k = 0; k < n && rows[i].start == 0; k++)
            assert_near(vvWorldPositions(w)[k], wanted[k], 1e-7);
        if (rows[i].start > 0)
            assert_near(ledger(w).elastic, 0, 1e-12);
        vvWorldDestroy(w);
    }
    free(wanted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_a_host_pushes),        cmocka_unit_test(momentum_and_work),
        cmocka_unit_test(a_step_that_failed),      cmocka_unit_test(lives_as_others_do),
        cmocka_unit_test(held_nodes_feel_nothing), cmocka_unit_test(refused),
        cmocka_unit_test(holds_nothing),           cmocka_unit_test(snapshots_from_before),
        cmocka_unit_test(settling_counts_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

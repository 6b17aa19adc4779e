/* Putting things elsewhere in a running world: states of the world and of a body, editing in place, attachments that
 * are made, driven and ended, and positions between steps. */
#include "live_support.h"
#include "visviva/interact.h"

static double identity(const vvLedgerRow *before, const vvLedgerRow *row)
{
    return row->total - before->total - (row->work - row->friction - row->damping - row->decay + row->error);
}

/* ---- states
 * -------------------------------------------------------------------------------------------------------- */

static vvWorld *pair(const char *scheme, vvBodyId ids[2])
{
    vvWorldDef d = live_def(scheme, "none");
    d.solver.linear = exact_solver();
    d.solver.linearTolerance = 1e-10;
    vvWorld *w = new_world(&d);
    ids[0] = add_block(w, 0, 0.2, 0.5);
    ids[1] = add_block(w, 1, 0.2, -0.5);
    obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0);
    steps(w, 6);
    return w;
}

/* Whoever is not put elsewhere keeps its state to the bit, and goes on as it would have, also under a two-step
 * scheme. (All bodies share the solver's iterations, so that later bits need not be the same.) */
static void a_body_is_put_elsewhere(void **state)
{
    (void)state;
    static const char *const schemes[] = { "backward-euler", "bdf2", "trapezoidal" };
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++)
        for (int stale = 0; stale < 2; stale++) {
            vvError error = { 0 };
            vvBodyId ids[2], same[2];
            vvWorld *w = pair(schemes[k], ids), *twin = pair(schemes[k], same);
            int first, count, n = vvWorldNodeCount(w);
            vvBodyNodes(w, ids[1], &first, &count);
            double *x = copy_of(vvWorldPositions(w) + 3 * first, 3 * count), v[24];
            for (int i = 0; i < 24; i++)
                v[i] = i % 3 == 0 ? 0.7 : 0;
            for (int i = 0; i < count; i++)
                x[3 * i + 1] += 0.5;
            if (stale) /* the world has changed, and is not baked yet */
                add_block(w, 2, 0.2, 0);
            vvLedgerRow before = ledger(twin);
            assert_ok(vvBodySetState(w, ids[1], x, v, &error));
            assert_memory_equal(vvWorldPositions(w) + 3 * first, x, 24 * sizeof *x);
            assert_memory_equal(vvWorldVelocities(w) + 3 * first, v, sizeof v);
            assert_ok(vvWorldBake(w, &error));
            assert_memory_equal(vvWorldPositions(w), vvWorldPositions(twin), 24 * sizeof *x);
            assert_memory_equal(vvWorldVelocities(w), vvWorldVelocities(twin), 24 * sizeof *x);
            vvLedgerRow row = step(w);
            step(twin);
            assert_near(identity(&before, &row), 0, 1e-12);
            assert_true(row.work > 4);   /* a kilogram, half a metre up */
            for (int i = 0; i < 24; i++) /* a step without its past would be off by 1e-4 */
                assert_near(vvWorldPositions(w)[i], vvWorldPositions(twin)[i], 1e-7);
            assert_int_equal(n, vvWorldNodeCount(twin));
            free(x);
            vvWorldDestroy(w);
            vvWorldDestroy(twin);
        }
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvBodyId ids[2], same[2];
    vvWorld *w = pair("bdf2", ids), *twin = pair("bdf2", same);
    double *x = copy_of(vvWorldPositions(w), 24);
    x[4] = NAN;
    expect(vvBodySetState(w, ids[0], x, NULL, &error), VV_ERROR_INPUT, &error, "node 1");
    expect(vvBodySetState(w, ids[0], NULL, x, &error), VV_ERROR_INPUT, &error, "node 1");
    x[4] = -1;
    expect(vvBodySetState(w, ids[0], x, NULL, &error), VV_ERROR_INPUT, &error, "penetrate");
    expect_same(w, twin, 5, "after refusals");
    free(x);
    vvWorldDestroy(w);
    vvWorldDestroy(twin);
}

/* A state that was saved without the ground in the way does not fit a world that has it there. */
static void a_state_of_another_world_is_judged(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = live_def("bdf2", "none");
    vvWorld *low = new_world(&d), *w = new_world(&d), *twin = new_world(&d), *both[] = { w, twin };
    add_block(low, 0, -0.3, 0.5);
    for (int i = 0; i < 2; i++) {
        add_block(both[i], 0, 0.06, 0.5);
        obstacle(both[i], "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0.2);
        steps(both[i], 4);
    }
    steps(low, 2);
    size_t size = vvWorldStateSize(low);
    void *saved = malloc(size);
    assert_ok(vvWorldSaveState(low, saved, size, &error));
    expect(vvWorldLoadState(w, saved, size, &error), VV_ERROR_INPUT, &error, "are not allowed in this world");
    assert_true(same_world(w, twin));
    expect_same(w, twin, 5, "after a state that does not fit");
    vvWorldDestroy(low);
    vvWorldDestroy(w);
    vvWorldDestroy(twin);
    free(saved);
}

static void editing_in_place(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvBodyId ids[2], same[2];
    vvWorld *w = pair("bdf2", ids), *twin = pair("bdf2", same);
    vvAttachId held = tie(w, ids[0], VV_ATTACH_FIXED, 0), too = tie(twin, same[0], VV_ATTACH_FIXED, 0);
    (void)too;
    int n = 3 * vvWorldNodeCount(w), nodes[8];
    expect(vvWorldEndEdit(w, &error), VV_ERROR_INPUT, &error, "vvWorldBeginEdit");
    /* nothing written: nothing happened */
    assert_ok(vvWorldBeginEdit(w, NULL, NULL, &error));
    assert_ok(vvWorldEndEdit(w, &error));
    expect_same(w, twin, 3, "an idle edit");
    /* what cannot be goes back, positions and velocities */
    double *x, *v, *old = copy_of(vvWorldPositions(w), n);
    for (int bad = 0; bad < 3; bad++) {
        assert_ok(vvWorldBeginEdit(w, &x, &v, &error));
        assert_ptr_equal(x, vvWorldPositions(w));
        for (int i = 0; i < n; i++)
            v[i] += 0.25;
        x[n - 2] = bad == 0 ? -5 : bad == 1 ? NAN : x[n - 2];
        v[n - 1] = bad == 2 ? INFINITY : v[n - 1];
        expect(vvWorldEndEdit(w, &error), VV_ERROR_INPUT, &error, bad == 0 ? "penetrate" : "not finite");
        assert_memory_equal(old, vvWorldPositions(w), (size_t)n * sizeof *old);
    }
    expect_same(w, twin, 3, "a refused edit");
    /* the same as setting the state; prescribed nodes stay */
    double *copy = copy_of(vvWorldPositions(w), n), *speeds = copy_of(vvWorldVelocities(w), n);
    int held_count = vvAttachNodes(w, held, nodes, 8);
    assert_ok(vvWorldBeginEdit(w, &x, &v, &error));
    for (int i = 0; i < n; i++) {
        x[i] += 0.01;
        v[i] += 0.25;
    }
    for (int i = 0; i < n; i++)
        copy[i] += 0.01, speeds[i] += 0.25;
    assert_ok(vvWorldEndEdit(w, &error));
    assert_ok(vvWorldSetState(twin, copy, speeds, &error));
    for (int i = 0; i < held_count; i++)
        assert_near(vvWorldPositions(w)[3 * nodes[i]], copy[3 * nodes[i]] - 0.01, 1e-15);
    expect_same(w, twin, 5, "an edit");
    /* while it is open, the world is not to be changed otherwise */
    assert_ok(vvWorldBeginEdit(w, &x, NULL, &error));
    vvSnapshot *s;
    expect(vvWorldStep(w, NULL, &error), VV_ERROR_INPUT, &error, "vvWorldEndEdit");
    expect(vvWorldBeginEdit(w, NULL, NULL, &error), VV_ERROR_INPUT, &error, "vvWorldEndEdit");
    expect(vvWorldRemoveBody(w, ids[0], &error), VV_ERROR_INPUT, &error, "vvWorldEndEdit");
    expect(vvWorldDetach(w, held, &error), VV_ERROR_INPUT, &error, "vvWorldEndEdit");
    expect(vvWorldSnapshot(w, &s, &error), VV_ERROR_INPUT, &error, "vvWorldEndEdit");
    expect(vvWorldSetState(w, copy, NULL, &error), VV_ERROR_INPUT, &error, "vvWorldEndEdit");
    expect(vvBodySetState(w, ids[0], NULL, speeds, &error), VV_ERROR_INPUT, &error, "vvWorldEndEdit");
    expect(vvBodySetInitialState(w, ids[0], "linear", NULL, 0, &error), VV_ERROR_INPUT, &error, "vvWorldEndEdit");
    vvBodyDef def = vvDefaultBodyDef();
    expect(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT, &error, "vvWorldEndEdit");
    assert_ok(vvWorldEndEdit(w, &error));
    step(w);
    assert_ok(vvWorldBeginEdit(w, &x, NULL, &error)); /* an open edit goes with the world */
    free(old);
    free(copy);
    free(speeds);
    vvWorldDestroy(w);
    vvWorldDestroy(twin);
}

/* ---- attachments while running
 * --------------------------------------------------------------------------------------- */

/* Attached in mid-flight to a motion that has been going on for long: nothing jumps, and from then on it is
 * followed. */
static void attaching_in_flight(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        vvError error = { 0 };
        vvWorldDef d = live_def("backward-euler", "none");
        d.gravity[1] = 0;
        vvWorld *w = new_world(&d);
        vvBodyId b = add_block(w, 0.3, 0, 0);
        set_state(w, b, "linear", (double[]){ 25, 0, 10 });
        vvLedgerRow before = steps(w, 20);
        static const vvWaypoint way[2] = { { 0.02, { 0, 1, 0 }, { 0, 0, 30 } },
                                           { 0.3, { 0, 1.2, 0.1 }, { 5, 0, 90 } } };
        vvAttachDef a = vvDefaultAttachDef();
        a.kind = kind ? VV_ATTACH_SPRING : VV_ATTACH_FIXED;
        a.stiffness = 1e3;
        for (int k = 0; k < 3; k++)
            a.motion.about[k] = 1 + k;
        a.motion.axis[0] = 1;
        a.motion.axis[1] = 2;
        a.motion.angularVelocity = 40;
        a.motion.linearVelocity[0] = 0.3;
        a.motion.waypoints = way;
        a.motion.waypointCount = 2;
        vvAttachId id;
        double old[24], rest[24];
        memcpy(old, vvWorldPositions(w), sizeof old);
        assert_ok(vvBodyAttach(w, b, &a, &id, &error));
        assert_near(ledger(w).attachment, 0, 1e-24); /* springs begin without tension */
        vvLedgerRow row = step(w);
        assert_near(identity(&before, &row), 0, 1e-12);
        /* a step's way at the motion's own speed (some 250 deg/s at 4 m) or the body's, not the 2 m from the motion's
         * start */
        for (int i = 0; i < 8; i++)
            assert_less(distance3(vvWorldPositions(w) + 3 * i, old + 3 * i), 30 * d.timeStep);
        memcpy(rest, vvWorldPositions(w), sizeof rest);
        before = row;
        row = steps(w, 40);
        for (int i = 0; i < 8 && kind == 0; i++)
            for (int j = 0; j < i; j++) /* rigid */
                assert_near(distance3(vvWorldPositions(w) + 3 * i, vvWorldPositions(w) + 3 * j),
                            distance3(rest + 3 * i, rest + 3 * j), 1e-12);
        assert_ok(vvWorldDetach(w, id, &error));
        assert_near(ledger(w).attachment, 0, 0);
        before = row;
        row = step(w);
        assert_near(identity(&before, &row), 0, 1e-12);
        vvWorldDestroy(w);
    }
}

/* The host's hand: nodes are at the end of a step where it said, and stay; inner stages are on the way. */
static void the_host_moves_attachments(void **state)
{
    (void)state;
    static const char *const schemes[] = { "backward-euler", "bdf2", "tr-bdf2", "sdirk2", "trapezoidal", "verlet" };
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++)
        for (int late = 0; late < 2; late++) {
            vvError error = { 0 };
            vvWorldDef d = live_def(schemes[k], "none");
            d.timeStep = 5e-4;
            vvWorld *w = new_world(&d);
            vvBodyId b = add_block(w, 0.3, 0, 0.3);
            if (late)
                steps(w, 5);
            vvAttachId id = tie(w, b, VV_ATTACH_FIXED, 0);
            if (!late)
                steps(w, 5);
            int nodes[8], count = vvAttachNodes(w, id, nodes, 8);
            double x[24];
            for (int i = 0; i < count; i++)
                memcpy(x + 3 * i, vvWorldPositions(w) + 3 * nodes[i], 3 * sizeof *x);
            vvLedgerRow before = ledger(w);
            for (int s = 0; s < 12; s++) {
                for (int i = 0; i < count && s < 8; i++)
                    x[3 * i] += 2e-4 * (s < 4 ? s : 8 - s);
                if (s < 8)
                    assert_ok(vvAttachMoveTo(w, id, x, &error));
                vvLedgerRow row = step(w);
                for (int i = 0; i < count; i++)
                    assert_memory_equal(vvWorldPositions(w) + 3 * nodes[i], x + 3 * i, 3 * sizeof *x);
                assert_near(identity(&before, &row), 0, 1e-12);
                before = row;
            }
            x[5] = NAN;
            expect(vvAttachMoveTo(w, id, x, &error), VV_ERROR_INPUT, &error, "position 1");
            expect(vvAttachMoveTo(w, id, NULL, &error), VV_ERROR_INPUT, &error, "NULL");
            assert_ok(vvWorldDetach(w, id, &error));
            step(w);
            vvWorldDestroy(w);
        }
}

/* A driven spring pulls to where it was put; work is what it is stretched by. A step that fails leaves the hand where
 * it was. */
static void the_host_moves_springs(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = live_def("backward-euler", "none");
    d.gravity[1] = 0;
    vvWorld *w = new_world(&d);
    vvBodyId b = add_block(w, 0, 0, 0);
    vvAttachId id = tie(w, b, VV_ATTACH_SPRING, 200);
    steps(w, 2);
    int nodes[8], count = vvAttachNodes(w, id, nodes, 8);
    double x[24];
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            x[3 * i + k] = vvWorldPositions(w)[3 * nodes[i] + k] + (k == 2 ? 0.1 : 0);
    assert_ok(vvAttachMoveTo(w, id, x, &error));
    assert_near(ledger(w).attachment, 0, 1e-20);
    vvWorldCancel(w);
    expect(vvWorldStep(w, NULL, &error), VV_CANCELLED, &error, "cancelled");
    assert_near(ledger(w).attachment, 0, 1e-20);
    vvLedgerRow row = step(w);
    double pull = 0; /* the mean of both ends', on the way of 0.1 m: nothing, and what the spring is still long */
    for (int i = 0; i < count; i++)
        pull += 200 * 0.5 * (x[3 * i + 2] - vvWorldPositions(w)[3 * nodes[i] + 2]);
    assert_near(row.work, 0.1 * pull, 1e-9);
    assert_in_range((int)(1000 * row.work), 3500, 4000);
    row = step(w);
    assert_near(row.work, 0, 1e-12); /* the hand rests */
    assert_true(row.momentum[2] > 0);
    vvWorldDestroy(w);
}

/* A plane is in the way of the hand: the step fails and changes nothing; another way works. */
static void a_blocked_hand(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = live_def("backward-euler", "none");
    vvWorld *w = new_world(&d);
    vvBodyId b = add_block(w, 0, 0.1, 0);
    obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0);
    vvAttachDef a = vvDefaultAttachDef();
    vvAttachId id;
    assert_ok(vvBodyAttach(w, b, &a, &id, &error));
    steps(w, 2);
    double *x = copy_of(vvWorldPositions(w), 24), y[24];
    memcpy(y, x, sizeof y);
    for (int i = 0; i < 8; i++)
        y[3 * i + 1] -= 0.2;
    assert_ok(vvAttachMoveTo(w, id, y, &error));
    expect(vvWorldStep(w, NULL, &error), VV_ERROR_SOLVER, &error, "blocked");
    assert_memory_equal(x, vvWorldPositions(w), sizeof y);
    for (int i = 0; i < 8; i++)
        y[3 * i + 1] += 0.25;
    assert_ok(vvAttachMoveTo(w, id, y, &error));
    step(w);
    assert_memory_equal(y, vvWorldPositions(w), sizeof y);
    free(x);
    vvWorldDestroy(w);
}

/* ---- between steps
 * --------------------------------------------------------------------------------------------------- */

static void between_steps(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvBodyId ids[2];
    vvWorld *w = pair("bdf2", ids);
    int n = 3 * vvWorldNodeCount(w);
    double *old = copy_of(vvWorldPositions(w), n), *x = calloc((size_t)n + 24, sizeof *x), v[24] = { 0 };
    step(w);
    const double *now = vvWorldPositions(w);
    assert_ok(vvWorldInterpolate(w, 0, x, &error));
    assert_memory_equal(x, old, (size_t)n * sizeof *x);
    assert_ok(vvWorldInterpolate(w, 1, x, &error));
    assert_memory_equal(x, now, (size_t)n * sizeof *x);
    assert_ok(vvWorldInterpolate(w, 0.25, x, &error));
    for (int i = 0; i < n; i++)
        assert_near(x[i], 0.75 * old[i] + 0.25 * now[i], 1e-15);
    /* pushing changes velocities only: what is drawn does not jump */
    assert_ok(vvBodyApplyImpulse(w, ids[0], (double[]){ 1, 0, 0 }, &error));
    assert_ok(vvBodySetState(w, ids[1], NULL, v, &error));
    assert_ok(vvWorldSetState(w, NULL, vvWorldVelocities(w), &error));
    assert_ok(vvWorldInterpolate(w, 0, x, &error));
    for (int i = 0; i < 24; i++)
        assert_near(x[i], old[i], 0);
    /* one that was put elsewhere, or is new, is where it is; the others still move */
    assert_ok(vvBodySetState(w, ids[1], now + 24, NULL, &error));
    add_block(w, 3, 0.5, 0);
    assert_ok(vvWorldInterpolate(w, 0, x, &error));
    now = vvWorldPositions(w);
    assert_memory_equal(x, old, 24 * sizeof *x);
    assert_memory_equal(x + 24, now + 24, 48 * sizeof *x);
    step(w);
    assert_ok(vvWorldInterpolate(w, 0, x + 0, &error));
    assert_true(memcmp(x + 24, vvWorldPositions(w) + 24, 48 * sizeof *x) != 0);
    expect(vvWorldInterpolate(w, 1.5, x, &error), VV_ERROR_INPUT, &error, "fraction");
    expect(vvWorldInterpolate(w, NAN, x, &error), VV_ERROR_INPUT, &error, "fraction");
    expect(vvWorldInterpolate(w, 0.5, NULL, &error), VV_ERROR_INPUT, &error, "array");
    free(old);
    free(x);
    vvWorldDestroy(w);
}

/* A change that is booked with the step before it: its row ends there, its parts add up, and the next step books its
 * own; both ways the totals are the same. */
static void a_change_is_booked_now(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvBodyId ids[2], same[2];
    vvWorld *w = pair("backward-euler", ids), *twin = pair("backward-euler", same);
    const vvLedgerRow before = ledger(w);
    for (int k = 0; k < 2; k++) {
        vvWorld *at = k ? twin : w;
        int first, count;
        vvBodyNodes(at, k ? same[1] : ids[1], &first, &count);
        double *x = copy_of(vvWorldPositions(at) + 3 * first, 3 * count), *v = calloc(3 * (size_t)count, sizeof *v);
        for (int i = 0; i < count; i++)
            x[3 * i + 1] += 0.5;
        assert_ok(vvBodySetState(at, k ? same[1] : ids[1], x, v, &error));
        free(x), free(v);
    }
    const vvLedgerRow late = ledger(w);
    assert_true(late.total == before.total && late.work == before.work);
    assert_ok(vvWorldBookChange(w, &error));
    const vvLedgerRow now = ledger(w);
    assert_near(now.total, now.kinetic + now.elastic + now.gravity + now.contact + now.attachment + now.joint,
                1e-12 * now.scale);
    assert_true(now.step == before.step && now.total - before.total > 4);
    assert_near(now.work - before.work, now.total - before.total, 1e-12 * now.scale);
    assert_near(now.target - now.total, before.target - before.total, 1e-12 * now.scale);
    assert_near(now.error, before.error, 0);
    assert_ok(vvWorldBookChange(w, &error)); /* nothing is left */
    assert_near(ledger(w).work, now.work, 1e-12 * now.scale);
    const vvLedgerRow row = step(w), other = step(twin);
    assert_near(identity(&now, &row), 0, 1e-12);
    assert_near(row.total, other.total, 1e-12 * now.scale);
    assert_near(row.target, other.target, 1e-12 * now.scale);
    assert_near(now.work - before.work + row.work, other.work, 1e-12 * now.scale);
    vvLedgerTotals all, others;
    vvWorldTotals(w, &all), vvWorldTotals(twin, &others);
    assert_near(all.work, others.work, 1e-12 * now.scale);
    vvWorldDestroy(w), vvWorldDestroy(twin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_is_put_elsewhere),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(a_state_of_another_world_is_judged),
        cmocka_unit_test(editing_in_place),
        cmocka_unit_test(attaching_in_flight),
        cmocka_unit_test(the_host_moves_attachments),
        cmocka_unit_test(the_host_moves_springs),
        cmocka_unit_test(a_blocked_hand),
        cmocka_unit_test(between_steps),
        cmocka_unit_test(a_change_is_booked_now),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Before the first step, what stands is the start, however it came about: a world whose state was set, edited, pushed
 * or settled after it was baked is, to the bit, the world whose bodies had that state from the beginning. */
#include "step/policies/policy.h"
#include "step/schemes/scheme.h"
#include "size.h"
#include "live_support.h"
#include "visviva/interact.h"

static const double FRACTION = 0.7;

/* A block in flight and one in springs, a third whose upper nodes are carried along, over a ground. */
static vvWorld *make(const char *scheme, const char *policy, vvBodyId ids[3])
{
    vvError error = { 0 };
    vvWorldDef d = live_def(scheme, policy);
    d.integrator.groundMode = VV_GROUND_GIVEN;
    d.integrator.groundEnergy = -3;
    d.integrator.startFraction = FRACTION;
    d.contact.friction = 0.2;
    d.contact.distance = 1e-3; /* given, as what is settled keeps the gaps of before: test_start_gaps */
    vvWorld *w = new_world(&d);
    for (int i = 0; i < 3; i++)
        ids[i] = add_block(w, 0.3 * i, 0.2, 0);
    tie(w, ids[1], VV_ATTACH_SPRING, 50);
    vvAttachDef carried = vvDefaultAttachDef();
    carried.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 0, 100, 0 }, .b = { 100, 100, 100 } };
    carried.motion.linearVelocity[0] = 0.3;
    assert_ok(vvBodyAttach(w, ids[2], &carried, NULL, &error));
    obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0.3);
    return w;
}

/* The same world with the state of `w` from the beginning: given to bodies that were never baked. */
static vvWorld *make_like(vvWorld *w, const char *scheme, const char *policy)
{
    vvError error = { 0 };
    vvBodyId ids[3];
    vvWorld *fresh = make(scheme, policy, ids);
    for (int i = 0; i < 3; i++) {
        int first, count;
        vvBodyNodes(fresh, ids[i], &first, &count);
        assert_ok(
            vvBodySetState(fresh, ids[i], vvWorldPositions(w) + 3 * first, vvWorldVelocities(w) + 3 * first, &error));
    }
    return fresh;
}

static void same_rows(const vvLedgerRow *a, const vvLedgerRow *b, const char *what, int at)
{
    if (memcmp(a, b, sizeof *a) != 0)
        fail_msg("%s: rows %d differ: H %.17g and %.17g, target %.17g and %.17g, work %.17g and %.17g", what, at,
                 a->total, b->total, a->target, b->target, a->work, b->work);
}

/* Both are the same start, and go on to the same bits; or to the same failure, as explicit schemes do in contact. */
static void expect_same_start(vvWorld *w, vvWorld *fresh, const char *what)
{
    size_t bytes = 3 * (size_t)vvWorldNodeCount(w) * sizeof(double), bodies = (size_t)vvWorldBodyCount(w);
    for (int i = 0; i <= 4; i++) {
        vvError error, fresh_error;
        if (i > 0) {
            vvStatus s = vvWorldStep(w, NULL, &error);
            assert_int_equal(vvWorldStep(fresh, NULL, &fresh_error), s);
            if (s != VV_OK)
                assert_string_equal(error.message, fresh_error.message);
        }
        vvLedgerRow a = ledger(w), b = ledger(fresh);
        vvLedgerTotals totals[2] = { 0 };
        vvWorldTotals(w, totals);
        vvWorldTotals(fresh, totals + 1);
        same_rows(&a, &b, what, i);
        same_rows(&totals[0].first, &totals[1].first, what, 0);
        assert_memory_equal(&totals[0].work, &totals[1].work, sizeof(double));
        assert_int_equal(totals[0].steps, totals[1].steps);
        assert_int_equal(totals[0].failedSteps, totals[1].failedSteps);
        assert_memory_equal(vvWorldBodyEnergies(w), vvWorldBodyEnergies(fresh), bodies * sizeof(double));
        assert_memory_equal(vvWorldBodyVisible(w), vvWorldBodyVisible(fresh), bodies * sizeof(vvVisible));
        if (memcmp(vvWorldPositions(w), vvWorldPositions(fresh), bytes) != 0 ||
            memcmp(vvWorldVelocities(w), vvWorldVelocities(fresh), bytes) != 0)
            fail_msg("%s: the worlds differ after %d steps", what, i);
    }
}

/* ---- ways of setting a state
 * --------------------------------------------------------------------------------------- */

typedef void way_of_setting(vvWorld *w, const vvBodyId ids[3], const double *x, const double *v);

static void by_world(vvWorld *w, const vvBodyId ids[3], const double *x, const double *v)
{
    vvError error = { 0 };
    (void)ids;
    assert_ok(vvWorldSetState(w, x, v, &error));
}

static void by_velocities_alone(vvWorld *w, const vvBodyId ids[3], const double *x, const double *v)
{
    vvError error = { 0 };
    (void)ids;
    (void)x;
    assert_ok(vvWorldSetState(w, NULL, v, &error));
}

static void by_edit(vvWorld *w, const vvBodyId ids[3], const double *x, const double *v)
{
    vvError error = { 0 };
    double *px, *pv;
    (void)ids;
    assert_ok(vvWorldBeginEdit(w, &px, &pv, &error));
    memcpy(px, x, 3 * (size_t)vvWorldNodeCount(w) * sizeof *x);
    memcpy(pv, v, 3 * (size_t)vvWorldNodeCount(w) * sizeof *v);
    assert_ok(vvWorldEndEdit(w, &error));
}

static void by_body(vvWorld *w, const vvBodyId ids[3], const double *x, const double *v)
{
    vvError error = { 0 };
    for (int i = 0; i < 3; i++) {
        int first, count;
        vvBodyNodes(w, ids[i], &first, &count);
        assert_ok(vvBodySetState(w, ids[i], x + 3 * first, v + 3 * first, &error));
    }
}

static void by_one_body(vvWorld *w, const vvBodyId ids[3], const double *x, const double *v)
{
    vvError error = { 0 };
    int first, count;
    vvBodyNodes(w, ids[1], &first, &count);
    assert_ok(vvBodySetState(w, ids[1], x + 3 * first, v + 3 * first, &error));
}

static void by_impulses(vvWorld *w, const vvBodyId ids[3], const double *x, const double *v)
{
    vvError error = { 0 };
    (void)x;
    assert_ok(vvBodyApplyImpulse(w, ids[0], (double[]){ 0.4, 0.1, 0 }, &error));
    assert_ok(vvWorldApplyImpulses(w, 3, (int[]){ 0, 9, 17 }, v, &error));
}

static void by_settling(vvWorld *w, const vvBodyId ids[3], const double *x, const double *v)
{
    vvError error = { 0 };
    (void)x;
    assert_ok(vvWorldSetState(w, NULL, v, &error));
    assert_ok(vvWorldSettle(w, true, NULL, &error));
    assert_ok(vvBodyApplyImpulse(w, ids[1], (double[]){ 0.1, 0.1, 0 }, &error));
}

/* While springs hold a body whose attachments have just changed. */
static void by_body_after_a_detour(vvWorld *w, const vvBodyId ids[3], const double *x, const double *v)
{
    vvError error = { 0 };
    vvAttachId more = tie(w, ids[0], VV_ATTACH_SPRING, 3e3);
    assert_ok(vvWorldBake(w, &error));
    assert_ok(vvWorldDetach(w, more, &error));
    by_body(w, ids, x, v);
}

/* A step has failed before. */
static bool fails(void *user)
{
    int *left = user;
    return (*left)-- <= 0;
}
static void by_world_after_a_cancelled_step(vvWorld *w, const vvBodyId ids[3], const double *x, const double *v)
{
    vvError error = { 0 };
    int left = 1;
    vvWorldSetCancel(w, fails, &left);
    vvStatus s = vvWorldStep(w, NULL, &error);
    vvWorldSetCancel(w, NULL, NULL);
    if (s != VV_OK) /* explicit schemes are not asked */
        by_world(w, ids, x, v);
}

/* A drag of springs that was begun and ended. */
static void by_body_in_a_drag(vvWorld *w, const vvBodyId ids[3], const double *x, const double *v)
{
    vvError error = { 0 };
    vvDragDef def = vvDefaultDragDef();
    vvDragId drag;
    def.body = ids[0];
    def.vertex = 2;
    assert_ok(vvWorldStartDrag(w, &def, &drag, &error));
    by_body(w, ids, x, v);
    assert_ok(vvWorldMoveDrag(w, drag, (double[]){ 0, 1, 0 }, &error));
    assert_ok(vvWorldEndDrag(w, drag, &error));
}

static way_of_setting *const ways[] = { by_world,
                                        by_velocities_alone,
                                        by_edit,
                                        by_body,
                                        by_one_body,
                                        by_impulses,
                                        by_settling,
                                        by_body_after_a_detour,
                                        by_world_after_a_cancelled_step,
                                        by_body_in_a_drag };
enum { WAYS = sizeof ways / sizeof *ways };

/* Every block turned a little, stretched and thrown. */
static void wanted(const vvWorld *w, double *x, double *v)
{
    int n = vvWorldNodeCount(w);
    for (int i = 0; i < n; i++) {
        const double *p = vvWorldPositions(w) + 3 * i;
        x[3 * i] = p[0] + 0.01 * p[1];
        x[3 * i + 1] = 1.1 * p[1] + 0.003 * (i % 5);
        x[3 * i + 2] = p[2] - 0.002 * (i % 3);
        for (int k = 0; k < 3; k++)
            v[3 * i + k] = 0.2 * k + 0.05 * ((i * 7 + k) % 4);
    }
}

static void try_way(const char *scheme, const char *policy, int way)
{
    vvError error = { 0 };
    char what[128];
    double x[3 * 24], v[3 * 24];
    vvBodyId ids[3];
    vvWorld *w = make(scheme, policy, ids);
    assert_int_equal(vvWorldNodeCount(w), 24);
    snprintf(what, sizeof what, "%s with %s, way %d", scheme, policy, way);
    vvLedgerRow before = ledger(w); /* bakes */
    wanted(w, x, v);
    ways[way](w, ids, x, v);
    if (vvWorldStepIndex(w) == 0) {
        assert_ok(vvWorldBake(w, &error));
        vvLedgerRow row = ledger(w);
        assert_true(row.kinetic != before.kinetic);
        assert_near(row.kinetic + row.elastic + row.gravity + row.contact + row.attachment, row.total, 1e-12);
        assert_near(row.target, -3 + FRACTION * (row.total + 3), 1e-12);
        assert_near(row.scale, FRACTION * (row.total + 3), 1e-12); /* of the target */
        vvWorld *fresh = make_like(w, scheme, policy);
        expect_same_start(w, fresh, what);
        vvWorldDestroy(fresh);
    }
    vvWorldDestroy(w);
}

static void what_stands_before_the_first_step_is_the_start(void **state)
{
    (void)state;
    for (int way = 0; way < WAYS; way++)
        try_way("backward-euler", "filtered-search", way);
}

/* The schemes' past and the policies' memory begin anew, too. */
/* Some policies do not go with every scheme where bodies meet. */
static bool meets(const char *scheme, const char *policy)
{
    const vv_policy_ops *ops = vv_policy_find(policy);
    const vv_scheme row = vv_scheme_made(scheme, NULL, 0);
    return !ops->suits_contact || ops->suits_contact(&row, NULL) == VV_OK;
}

static void with_every_scheme_and_policy(void **state)
{
    (void)state;
    int pairs = 0;
    for (int s = 0; vvSchemeInfo(s); s++)
        for (int p = 0; vvPolicyInfo(p); p++) {
            const char *scheme = vvSchemeInfo(s)->name, *policy = vvPolicyInfo(p)->name;
            vvWorldDef d = live_def(scheme, policy);
            vvWorld *w = NULL;
            bool goes = vvWorldCreate(&d, &w, NULL) == VV_OK &&
                        meets(scheme, policy); /* some policies go with one scheme only */
            vvWorldDestroy(w);
            for (int way = pairs % 2; goes && way < WAYS; way += sanitized() ? WAYS : 2)
                try_way(scheme, policy, way);
            pairs += goes;
        }
    assert_true(pairs > 15);
}

/* Surfaces in contact couple nodes beside the pattern: what a state before has coupled is of no consequence either. */
static void with_surfaces_in_contact(void **state)
{
    (void)state;
    vvError error = { 0 };
    const char *const linear[] = { "pcg", exact_solver(), "auto" };
    for (int way = 0; way < 6; way++) {
        vvWorld *w[2];
        vvBodyId ids[2];
        for (int i = 0; i < 2; i++) {
            vvWorldDef d = live_def("backward-euler", way / 3 ? "search" : "none");
            d.solver.linear = linear[way % 3];
            d.contact.friction = 0.3;
            w[i] = new_world(&d);
            for (int b = 0; b < 2; b++) {
                vvBodyDef def = vvDefaultBodyDef();
                def.translate[0] = 0.02 * b;
                def.translate[1] = 0.051 + 0.1005 * b;
                ids[b] = add_box_def(w[i], (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 2, 2, 2 }, 6, &def);
            }
            obstacle(w[i], "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0.3);
        }
        int n = 3 * vvWorldNodeCount(w[0]);
        double *x = copy_of(vvWorldPositions(w[0]), n), *still = calloc((size_t)n, sizeof *still);
        for (int i = n / 2; i < n; i += 3)
            x[i] += 0.03;
        assert_ok(vvWorldSettle(w[0], true, NULL, &error));
        assert_ok(vvWorldSetState(w[0], x, still, &error));
        assert_ok(vvBodyApplyImpulse(w[0], ids[1], (double[]){ 0.1, -0.2, 0.1 }, &error));
        for (int b = 0; b < 2; b++)
            assert_ok(vvBodySetState(w[1], ids[b], vvWorldPositions(w[0]) + b * n / 2,
                                     vvWorldVelocities(w[0]) + b * n / 2, &error));
        expect_same_start(w[0], w[1], linear[way % 3]);
        assert_true(ledger(w[0]).contact > 0);
        for (int i = 0; i < 2; i++)
            vvWorldDestroy(w[i]);
        free(x);
        free(still);
    }
}

/* ---- the same numbers as an initial state
 * --------------------------------------------------------------------------- */

static void an_initial_state_and_the_same_state_set_later(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvBodyId a[3], b[3];
    vvWorld *given = make("bdf2", "none", a), *set = make("bdf2", "none", b);
    set_state(given, a[0], "stretch", (double[]){ 1.2, 0.9, 1, NAN, NAN, NAN });
    set_state(given, a[0], "angular", (double[]){ 1, 2, 3, NAN, NAN, NAN });
    set_state(given, a[1], "translate", (double[]){ 0.01, 0.02, 0 });
    set_state(given, a[1], "linear", (double[]){ 0.5, 0, 0.25 });
    assert_ok(vvWorldBake(given, &error));
    ledger(set);
    assert_ok(vvWorldSetState(set, vvWorldPositions(given), vvWorldVelocities(given), &error));
    expect_same_start(set, given, "initial states");
    vvWorldDestroy(given);
    vvWorldDestroy(set);
}

/* A vibration mode waits for baking. What is set meanwhile replaces it, and only what is set. */
static void a_mode_that_waits_is_overwritten(void **state)
{
    (void)state;
    vvError error = { 0 };
    for (int which = 0; which < 3; which++) {
        vvWorldDef d = live_def("backward-euler", "none");
        vvWorld *w = new_world(&d);
        vvBodyId id = add_block(w, 0, 0.2, 0);
        double *x = copy_of(vvWorldPositions(w), 24), v[24] = { 0 };
        set_state(w, id, "mode", (double[]){ 1, 0.004, 0.3 });
        vvSnapshot *snapshot;
        assert_ok(vvWorldSnapshot(w, &snapshot, &error));
        assert_ok(vvBodySetState(w, id, which != 1 ? x : NULL, which != 0 ? v : NULL, &error));
        vvLedgerRow row = ledger(w);
        assert_true((row.elastic > 1e-9) == (which == 1));
        assert_true((row.kinetic > 1e-9) == (which == 0));
        assert_ok(vvWorldRestore(w, snapshot, &error)); /* the mode still waits there */
        row = ledger(w);
        assert_true(row.elastic > 1e-9 && row.kinetic > 1e-9);
        vvSnapshotDestroy(snapshot);
        vvWorldDestroy(w);
        free(x);
    }
}

/* ---- what else belongs to a start
 * ----------------------------------------------------------------------------------- */

static bool count_calls(void *user)
{
    ++*(int *)user;
    return false;
}

/* E_g belongs to the structure: another start does not solve for it again. */
static void the_ground_is_found_once(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = live_def("backward-euler", "search");
    d.integrator.groundMode = VV_GROUND_AUTO;
    d.integrator.startFraction = FRACTION;
    vvWorld *w = new_world(&d);
    vvBodyId id = add_block(w, 0, 0.2, 0);
    obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0);
    int calls = 0;
    vvWorldSetCancel(w, count_calls, &calls);
    vvLedgerRow before = ledger(w);
    int solving = calls; /* and what else asks: the test of the start */
    assert_true(isfinite(before.groundEnergy));
    calls = 0;
    double *x = copy_of(vvWorldPositions(w), 24);
    for (int i = 0; i < 8; i++)
        x[3 * i + 1] += 1;
    assert_ok(vvBodySetState(w, id, x, NULL, &error));
    assert_ok(vvBodyApplyImpulse(w, id, (double[]){ 0, 1, 0 }, &error));
    vvLedgerRow row = ledger(w);
    assert_true(calls < solving / 4);
    assert_memory_equal(&row.groundEnergy, &before.groundEnergy, sizeof(double));
    assert_true(row.total > before.total + 9); /* a kilogram, a metre up */
    assert_near(row.target, row.groundEnergy + FRACTION * (row.total - row.groundEnergy), 1e-12);
    vvWorldSetCancel(w, NULL, NULL);
    vvLedgerRow next = step(w);
    assert_near(next.work, 0, 1e-12);
    free(x);
    vvWorldDestroy(w);
}

/* Prescribed nodes that the host sends off start with that velocity, whether the world was baked before or not. */
static void sending_off_is_part_of_the_start(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvLedgerRow rows[2][3];
    for (int baked = 0; baked < 2; baked++) {
        vvWorldDef d = live_def("backward-euler", "none");
        vvWorld *w = new_world(&d);
        vvBodyId id = add_block(w, 0, 0.2, 0);
        vvAttachId held = tie(w, id, VV_ATTACH_FIXED, 0);
        if (baked)
            assert_near(ledger(w).kinetic, 0, 0);
        int nodes[8], count = vvAttachNodes(w, held, nodes, 8);
        double to[24];
        for (int i = 0; i < count; i++)
            for (int k = 0; k < 3; k++)
                to[3 * i + k] = vvWorldPositions(w)[3 * nodes[i] + k] + (k == 0 ? 0.004 : 0);
        assert_ok(vvAttachMoveTo(w, held, to, &error));
        rows[baked][0] = ledger(w);
        assert_true(rows[baked][0].kinetic > 0.1);
        rows[baked][1] = step(w);
        rows[baked][2] = step(w);
        vvWorldDestroy(w);
    }
    assert_memory_equal(rows[0], rows[1], sizeof rows[0]);
}

/* ---- where nothing changes
 * ------------------------------------------------------------------------------------------ */

/* A restored start is the one that was kept; from there on, too, what is set is another start. */
static void restored_starts(void **state)
{
    (void)state;
    vvError error = { 0 };
    double x[3 * 24], v[3 * 24];
    vvBodyId ids[3], others[3];
    vvWorld *w = make("bdf2", "none", ids), *twin = make("bdf2", "none", others);
    vvSnapshot *snapshot;
    ledger(w);
    assert_ok(vvWorldSnapshot(w, &snapshot, &error));
    wanted(w, x, v);
    by_world(w, ids, x, v);
    assert_ok(vvWorldRestore(w, snapshot, &error));
    expect_same_start(w, twin, "a restored start");
    assert_ok(vvWorldRestore(w, snapshot, &error));
    by_body(w, ids, x, v);
    vvWorld *fresh = make_like(w, "bdf2", "none");
    expect_same_start(w, fresh, "set after restoring");
    vvSnapshotDestroy(snapshot);
    vvWorldDestroy(fresh);
    vvWorldDestroy(twin);
    vvWorldDestroy(w);
}

/* After the first step, whatever is set is work, as ever. */
static void in_mid_run_it_is_work(void **state)
{
    (void)state;
    double x[3 * 24], v[3 * 24];
    vvBodyId ids[3];
    vvWorld *w = make("backward-euler", "none", ids);
    vvLedgerTotals before, after;
    step(w);
    vvWorldTotals(w, &before);
    vvLedgerRow row = ledger(w);
    wanted(w, x, v);
    by_world(w, ids, x, v);
    vvWorldTotals(w, &after);
    assert_memory_equal(&before, &after, sizeof before);
    assert_near(ledger(w).total, row.total, 0);
    assert_true(fabs(step(w).work) > 0.5);
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_stands_before_the_first_step_is_the_start),
        cmocka_unit_test(with_every_scheme_and_policy),
        cmocka_unit_test(with_surfaces_in_contact),
        cmocka_unit_test(an_initial_state_and_the_same_state_set_later),
        cmocka_unit_test(a_mode_that_waits_is_overwritten),
        cmocka_unit_test(the_ground_is_found_once),
        cmocka_unit_test(sending_off_is_part_of_the_start),
        cmocka_unit_test(restored_starts),
        cmocka_unit_test(in_mid_run_it_is_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The seam for energy policies: one that solves twice, moves positions, remembers, and fails now and then
 * (tests/step/policies/own_policy.c, the example of docs/own-policy.md). It is a row of the list that this
 * program compiles for itself. */
#define VV_MORE_POLICIES vv_policy_mixed
#include "own_policy.c"
#include "step/policies/policy.c"

#include "contact/pairs/collisions.h"
#include "live_support.h"
#include "world/world.h"

static vvWorld *make(const char *scheme, const char *policy, double share, double most, int blocks, bool ground)
{
    vvError error = { 0 };
    vvWorldDef d = live_def(scheme, policy);
    d.timeStep = 2e-2;
    d.integrator.settings = (vvSetting[]){ { "share", { share } }, { "most", { most } } };
    d.integrator.settingCount = 2;
    vvWorld *w = new_world(&d);
    vvObstacleDef plane = vvDefaultObstacleDef();
    if (ground)
        assert_ok(vvWorldAddObstacle(w, &plane, NULL, &error));
    for (int b = 0; b < blocks; b++) {
        vvBodyId id = add_block(w, 0.3 * b, ground ? 0.06 : 1, 3);
        set_state(w, id, "stretch", (double[]){ 1.2, 0.9, 1, NAN, NAN, NAN });
    }
    assert_ok(vvWorldBake(w, &error));
    return w;
}

static void a_mixture_is_what_both_trials_make(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = make("trapezoidal", "mixed", 0.3, 1e30, 2, false);
    int n = 3 * vvWorldNodeCount(w);
    for (int k = 0; k < 40; k++) {
        vvWorld *a = make("trapezoidal", "none", 0.3, 1e30, 2, false),
                *b = make("backward-euler", "none", 0.3, 1e30, 2, false);
        assert_ok(vvWorldSetState(a, vvWorldPositions(w), vvWorldVelocities(w), &error));
        assert_ok(vvWorldSetState(b, vvWorldPositions(w), vvWorldVelocities(w), &error));
        vvLedgerRow before, row, plain;
        vvStepReport twice, once;
        assert_ok(vvWorldLedger(w, &before, &error));
        assert_ok(vvWorldStep(w, &twice, &error));
        assert_ok(vvWorldStep(a, &once, &error));
        assert_ok(vvWorldStep(b, NULL, &error));
        assert_ok(vvWorldLedger(w, &row, &error));
        assert_ok(vvWorldLedger(a, &plain, &error));
        assert_true(row.alpha == 0.3);
        for (int i = 0; i < n; i++) {
            double x = vvWorldPositions(a)[i], v = vvWorldVelocities(a)[i];
            assert_near(vvWorldPositions(w)[i], x + 0.3 * (vvWorldPositions(b)[i] - x), 1e-6);
            assert_near(vvWorldVelocities(w)[i], v + 0.3 * (vvWorldVelocities(b)[i] - v), 1e-4);
        }
        assert_true(twice.newtonIterations > once.newtonIterations); /* both solves count */
        assert_near(row.total - before.total, row.work - row.friction - row.damping - row.decay + row.error, 1e-12);
        assert_near(row.policyChange, row.total - plain.total, 1e-9);
        vvWorldDestroy(a);
        vvWorldDestroy(b);
    }
    assert_int_equal(((memory *)(void *)w->state.policy.data)->mixed, 40);
    vvWorldDestroy(w);
}

static void same_state(const vvWorld *w, const double *x, const double *v, const unsigned char *memory_before,
                       const vv_ledger *ledger)
{
    size_t bytes = 3 * (size_t)vvWorldNodeCount(w) * sizeof *x;
    assert_memory_equal(vvWorldPositions(w), x, bytes);
    assert_memory_equal(vvWorldVelocities(w), v, bytes);
    assert_memory_equal(w->state.policy.data, memory_before, sizeof(memory));
    assert_memory_equal(w->state.policy.bodies, memory_before + sizeof(memory), w->body_count * sizeof(double));
    assert_true(w->state.ledger.target == ledger->target && w->state.ledger.row.total == ledger->row.total);
}

static void a_step_that_it_fails_changes_nothing(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = make("trapezoidal", "mixed", 0.5, 10, 2, false);
    steps(w, 10);
    size_t bytes = 3 * (size_t)vvWorldNodeCount(w) * sizeof(double), remembered = sizeof(memory) + 2 * sizeof(double);
    unsigned char *kept = malloc(remembered);
    double *x = malloc(bytes), *v = malloc(bytes);
    vvSnapshot *snapshot;
    assert_ok(vvWorldSnapshot(w, &snapshot, &error));
    for (int i = 0; i < 3 * vvWorldNodeCount(w); i++) /* more than it allows */
        v[i] = 4 * vvWorldVelocities(w)[i];
    assert_ok(vvWorldSetState(w, NULL, v, &error));
    vv_ledger ledger;
    int failed = 0;
    for (int k = 0; k < 20 && !failed; k++) {
        memcpy(x, vvWorldPositions(w), bytes);
        memcpy(v, vvWorldVelocities(w), bytes);
        memcpy(kept, w->state.policy.data, sizeof(memory));
        memcpy(kept + sizeof(memory), w->state.policy.bodies, 2 * sizeof(double));
        ledger = w->state.ledger;
        failed = vvWorldStep(w, NULL, &error) != VV_OK;
    }
    expect(vvWorldStep(w, NULL, &error), VV_ERROR_SOLVER, &error, "integrator.most");
    same_state(w, x, v, kept, &ledger);
    assert_int_equal(w->state.ledger.totals.failedSteps, ledger.totals.failedSteps + 2);
    assert_ok(vvWorldRestore(w, snapshot, &error)); /* before the impulse: it goes on */
    steps(w, 5);
    vvSnapshotDestroy(snapshot);
    vvWorldDestroy(w);
    free(kept);
    free(x);
    free(v);
}

static void it_goes_on_to_the_same_bits_and_bodies_take_their_memory_along(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = make("trapezoidal", "mixed", 0.4, 1e30, 4, true);
    steps(w, 15);
    double was[4], *now = (double *)(void *)w->state.policy.bodies;
    for (int b = 0; b < 4; b++) {
        was[b] = now[b] *= b + 1; /* so that they differ */
        assert_true(was[b] > 0);
    }
    assert_ok(vvWorldRemoveBody(w, vvWorldBody(w, 1), &error));
    now = (double *)(void *)w->state.policy.bodies;
    assert_true(now[0] == was[0] && now[1] == was[2] && now[2] == was[3]);
    vvSnapshot *snapshot;
    assert_ok(vvWorldSnapshot(w, &snapshot, &error));
    size_t bytes = 3 * (size_t)vvWorldNodeCount(w) * sizeof(double);
    double *x = malloc(bytes);
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < 25; k++) {
            vvLedgerRow row;
            steps(w, 1);
            assert_ok(vvWorldLedger(w, &row, &error));
            assert_true(row.minGap > 0);
        }
        if (pass)
            assert_memory_equal(x, vvWorldPositions(w), bytes);
        memcpy(x, vvWorldPositions(w), bytes);
        assert_ok(vvWorldRestore(w, snapshot, &error));
    }
    assert_true(((memory *)(void *)w->state.policy.data)->shortest <= 1);
    vvSnapshotDestroy(snapshot);
    vvWorldDestroy(w);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mixture_is_what_both_trials_make), cmocka_unit_test(a_step_that_it_fails_changes_nothing),
        cmocka_unit_test(it_goes_on_to_the_same_bits_and_bodies_take_their_memory_along)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Whether positions follow velocities: a policy that puts positions back where the step began keeps every energy and
 * momentum, and is found out; motion that is right never is, whatever scheme and policy; the host may move bodies as it
 * likes. The window and the counters are state: saved, undone, and kept where other bodies come and go. */
#include "base/error.h"
#include "solve/vectors.h"
#include "step/inside.h"

static double part = 0;      /* of the way that positions go */
static int64_t fail_at = -1; /* the step that fails once */

static vvStatus apply(vv_policy_call *call, vvError *error)
{
    vv_stepper *s = call->stepper;
    vv_trial *t = call->trial;
    const size_t n = vv_node_space(s->system), mark = vv_arena_mark(&s->system->arena);
    double *q = vv_arena_push(&s->system->arena, n, sizeof *q);
    for (size_t i = 0; i < n; i++)
        q[i] = s->state->q[i] + part * (t->q[i] - s->state->q[i]);
    vv_trial_move(s, t, q, s->state->v);
    vv_arena_release(&s->system->arena, mark);
    if (s->state->clock.step != fail_at)
        return VV_OK;
    fail_at = -1;
    return vv_fail(error, VV_ERROR_SOLVER, "on purpose");
}

static const vv_policy_ops vv_policy_frozen = { .info = { "frozen", "keeps velocities, and puts positions back" },
                                                .touches = VV_TOUCHES_POSITIONS | VV_TOUCHES_VELOCITIES,
                                                .vectors = 1,
                                                .steadier = "thaw it",
                                                .apply = apply };
#define VV_MORE_POLICIES vv_policy_frozen
#include "step/policies/policy.c"

#include "live_support.h"
#include "world/world.h"

typedef struct heard {
    int warnings;
    char last[1200];
} heard;

static void hear(void *user, vvLogLevel level, const char *message)
{
    heard *h = user;
    if (level != VV_LOG_WARNING)
        return;
    h->warnings++;
    snprintf(h->last, sizeof h->last, "%s", message);
}

static vvWorld *make(const char *scheme, const char *policy, double h, heard *ears)
{
    vvWorldDef d = live_def(scheme, policy);
    d.timeStep = h;
    d.gravity[1] = 0;
    d.host.log = (vvLog){ hear, ears };
    return new_world(&d);
}

static vvLedgerTotals totals(const vvWorld *w)
{
    vvLedgerTotals t;
    vvWorldTotals(w, &t);
    return t;
}

static void a_body_that_stands_still_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *motion, *word;
        double values[3], part, h;
    } rows[] = {
        { "linear", "stands still while its velocities say 0.5 m/s", { 0.5, 0, 0 }, 0, 1.0 / 30 },
        { "linear", "moves at 0.2 m/s while its velocities say 0.5 m/s", { 0, 0, 0.5 }, 0.4, 1.0 / 30 },
        { "linear", "moves at 0.8 m/s while", { 0, 0.5, 0 }, 1.6, 1.0 / 30 },
        { "angular", "does not turn while its velocities say 9.65 rad/s", { 0, 0, 10 }, 0, 1.0 / 30 },
        { "angular", "turns too fast for this step", { 0, 40, 0 }, 0, 0.1 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        heard ears = { 0 };
        vvWorld *w = make("backward-euler", "frozen", rows[i].h, &ears);
        add_block(w, 5, 0, 0);
        vvBodyId moving = add_block(w, 0, 0, 0);
        const double *v = rows[i].values;
        part = rows[i].part;
        set_state(w, moving, rows[i].motion, (double[]){ v[0], v[1], v[2], NAN, NAN, NAN });
        for (int k = 1; k <= 30; k++) {
            assert_int_equal(step(w).astray, k >= VV_COURSE_STEPS);
            assert_int_equal(ears.warnings, k >= 2 * VV_COURSE_STEPS - 1);
        }
        const vvLedgerTotals t = totals(w);
        assert_true(t.maxTargetError < 1e-12); /* the ledger does not see it */
        assert_int_equal(t.astraySteps, 21);
        assert_int_equal(t.astrayBodySteps, 21);
        assert_string_equal(t.astrayBody, vvBodyName(w, moving));
        if (!strstr(ears.last, rows[i].word) || !strstr(ears.last, t.astrayBody))
            fail_msg("row %zu says: %s", i, ears.last);
        assert_true(rows[i].h > 0.05 || strstr(ears.last, "\"frozen\"): take a shorter step, or thaw it"));
        vvWorldDestroy(w);
    }
}

/* By 40% too slow, or too fast, is not yet another motion. */
static void what_lags_a_little_is_not(void **state)
{
    (void)state;
    for (part = 0.6; part < 2; part += 0.8) {
        heard ears = { 0 };
        vvWorld *w = make("backward-euler", "frozen", 1.0 / 30, &ears);
        set_state(w, add_block(w, 0, 0, 0), "linear", (double[]){ 0.5, 0, 0, NAN, NAN, NAN });
        assert_int_equal(steps(w, 30).astray, 0);
        vvWorldDestroy(w);
    }
}

/* It is counted, but nobody is warned before the body is off by its own size. */
static void what_does_not_show_is_not_told(void **state)
{
    (void)state;
    heard ears = { 0 };
    part = 0;
    vvWorld *w = make("backward-euler", "frozen", 1.0 / 30, &ears);
    set_state(w, add_block(w, 0, 0, 0), "linear", (double[]){ 0.02, 0, 0, NAN, NAN, NAN });
    assert_int_equal(steps(w, 60).astray, 1);
    assert_int_equal(ears.warnings, 0); /* 40 mm, of a radius of gyration of 41 to 87 mm */
    steps(w, 90);
    assert_int_equal(ears.warnings, 1);
    vvWorldDestroy(w);
}

/* A block that turns and flies in free fall and bounces, and a rope of springs that swings. */
static void right_motion_never_is(void **state)
{
    (void)state;
    static const char *const schemes[] = { "backward-euler",   "bdf2",    "implicit-midpoint", "trapezoidal",
                                           "symplectic-euler", "tr-bdf2", "backward-euler",    "backward-euler",
                                           "implicit-midpoint" },
                             *const policies[] = { "none", "none", "none",   "none",
                                                   "none", "none", "search", "filtered-search",
                                                   "blend" };
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        heard ears = { 0 };
        vvWorldDef d = live_def(schemes[i], policies[i]);
        d.timeStep = 2e-3;
        d.host.log = (vvLog){ hear, &ears };
        vvWorld *w = new_world(&d);
        set_state(w, add_block(w, 0, 0, 0), "angular", (double[]){ 3, 8, 1, NAN, NAN, NAN });
        tie(w, add_block(w, 0.5, 0, 0), VV_ATTACH_FIXED, 0);
        tie(w, add_block(w, 1, 0, 20), VV_ATTACH_SPRING, 50);
        steps(w, 150);
        if (totals(w).astraySteps > 3 || ears.warnings > 0)
            fail_msg("%s with %s: %lld steps; %s", schemes[i], policies[i], (long long)totals(w).astraySteps,
                     ears.last);
        vvWorldDestroy(w);
    }
}

/* What the host does to a body between two steps is not the steps' motion: it is put back to the same place and pushed
 * again, each time another way, or always the same against a drag that stops it within the step. */
static void the_host_may_move_bodies(void **state)
{
    (void)state;
    for (int drag = 0; drag < 2; drag++) {
        heard ears = { 0 };
        vvError error = { 0 };
        vvWorld *w = make("backward-euler", "none", 1.0 / 30, &ears);
        vvBodyDef def = vvDefaultBodyDef();
        def.material = material("stvk", 2e4);
        def.material.damping.drag = drag ? 300 : 0;
        vvBodyId id = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 1, 1, 1 }, 5, &def);
        set_state(w, id, "linear", (double[]){ 0.5, 0, 0, NAN, NAN, NAN });
        assert_ok(vvWorldBake(w, &error));
        const int n = 3 * vvWorldNodeCount(w);
        double *q = copy_of(vvWorldPositions(w), n), *v = copy_of(vvWorldVelocities(w), n);
        for (int k = 0; k < 40; k++) {
            for (int i = 0; i < n; i++)
                v[i] = drag ? v[i] : -v[i];
            assert_int_equal(step(w).astray, 0);
            assert_ok(vvBodySetState(w, id, q, v, &error));
        }
        free(q);
        free(v);
        vvWorldDestroy(w);
    }
}

/* Nor is it what a script does: 1.2 rad a step. */
static void a_script_is_followed(void **state)
{
    (void)state;
    static const char *const schemes[] = { "backward-euler", "implicit-midpoint" };
    for (int i = 0; i < 2; i++) {
        heard ears = { 0 };
        vvWorld *w = make(schemes[i], "none", 1.0 / 30, &ears);
        vvAttachDef all = vvDefaultAttachDef();
        all.where = (vvRegion){ .kind = VV_REGION_ALL };
        all.motion.angularVelocity = 2000, all.motion.axis[1] = 0, all.motion.axis[2] = 1;
        attach(w, add_block(w, 0, 0, 0), &all);
        assert_int_equal(steps(w, 40).astray, 0);
        assert_int_equal(ears.warnings, 0);
        vvWorldDestroy(w);
    }
}

/* ---- state ------------------------------------------------------------------------------------------------------- */

static vvWorld *three(heard *ears, vvBodyId id[3])
{
    part = 0;
    vvWorld *w = make("backward-euler", "frozen", 1.0 / 30, ears);
    for (int b = 0; b < 3; b++) {
        id[b] = add_block(w, b, 0, 0);
        set_state(w, id[b], "linear", (double[]){ b == 0 ? 0 : 0.5, 0, 0, NAN, NAN, NAN });
    }
    return w;
}

static void a_step_that_fails_does_not_count(void **state)
{
    (void)state;
    heard ears = { 0 };
    vvError error = { 0 };
    vvBodyId id[3];
    vvWorld *w = three(&ears, id);
    steps(w, 14);
    fail_at = 14;
    assert_int_equal(vvWorldStep(w, NULL, &error), VV_ERROR_SOLVER);
    assert_int_equal(totals(w).astraySteps, 5);
    assert_int_equal(steps(w, 4).astray, 2);
    assert_int_equal(ears.warnings, 0);
    step(w);
    assert_int_equal(ears.warnings, 2);
    assert_int_equal(totals(w).astrayBodySteps, 10);
    vvWorldDestroy(w);
}

static void a_saved_state_goes_on_counting(void **state)
{
    (void)state;
    heard ears = { 0 }, others = { 0 };
    vvBodyId id[3];
    vvWorld *w = three(&ears, id), *again = three(&others, id);
    steps(w, 12);
    carry_over(w, again);
    steps(w, 7);
    steps(again, 7);
    assert_int_equal(ears.warnings, 2);
    assert_int_equal(others.warnings, 2);
    assert_string_equal(ears.last, others.last);
    const vvLedgerTotals a = totals(w), b = totals(again);
    assert_memory_equal(&a, &b, sizeof a);
    vvWorldDestroy(w);
    vvWorldDestroy(again);
}

static vvWorld *short_of_iterations(heard *ears)
{
    vvWorldDef d = live_def("backward-euler", "none");
    d.solver.maxIterations = 1;
    d.solver.tolerance = 1e-9;
    d.host.log = (vvLog){ hear, ears };
    vvWorld *w = new_world(&d);
    set_state(w, add_block(w, 0, 0, 0), "stretch", (double[]){ 1.5, 0.8, 1, NAN, NAN, NAN });
    return w;
}

/* So do steps in a row at the limit of iterations: five, of which three were made before. */
static void a_saved_state_knows_what_grinds(void **state)
{
    (void)state;
    heard ears = { 0 }, others = { 0 };
    vvWorld *w = short_of_iterations(&ears), *again = short_of_iterations(&others);
    steps(w, 3);
    carry_over(w, again);
    steps(again, 2);
    assert_non_null(strstr(others.last, "5 steps in a row have ended at the limit of iterations"));
    vvWorldDestroy(w);
    vvWorldDestroy(again);
}

static void other_bodies_may_come_and_go(void **state)
{
    (void)state;
    heard ears = { 0 };
    vvError error = { 0 };
    vvBodyId id[3];
    vvWorld *w = three(&ears, id);
    steps(w, 15);
    assert_ok(vvWorldRemoveBody(w, id[0], &error)); /* the one at rest */
    add_block(w, 9, 0, 0);
    assert_int_equal(steps(w, 3).astray, 2);
    assert_int_equal(ears.warnings, 0);
    step(w);
    assert_int_equal(ears.warnings, 2);
    assert_int_equal(totals(w).astrayBodySteps, 10);
    assert_string_equal(totals(w).astrayBody, vvBodyName(w, id[1]));
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_that_stands_still_is_named), cmocka_unit_test(what_lags_a_little_is_not),
        cmocka_unit_test(what_does_not_show_is_not_told),    cmocka_unit_test(right_motion_never_is),
        cmocka_unit_test(the_host_may_move_bodies),          cmocka_unit_test(a_script_is_followed),
        cmocka_unit_test(a_step_that_fails_does_not_count),  cmocka_unit_test(a_saved_state_goes_on_counting),
        cmocka_unit_test(a_saved_state_knows_what_grinds),   cmocka_unit_test(other_bodies_may_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

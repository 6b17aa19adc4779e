/* What a joint held and holds no more moves by itself: whatever a policy corrects of the one body, the other one that
 * flew off keeps its energy; with the same bits from a saved state, and from a snapshot taken before it broke. */
#include "joint_support.h"
#include "short_memory.h"
#include "visviva/query.h"
#include "visviva/settings.h"

/* A body that swings about a point off its centre, and one that tears itself away and flies off. */
static vvWorld *swing_with(const vvHost *host, const char *policy, const char *contact, vvBodyId body[2],
                           vvJointId *weak)
{
    vvWorldDef d = free_def(scheme_for(policy), 0.01, 1e-9);
    if (host)
        d.host = *host;
    d.integrator.policy = policy;
    d.contact.model = contact;
    vvWorld *w = new_world(&d);
    body[0] = add_tet(w, "swings", 0, 0, 0), body[1] = add_tet(w, "flies", 1, 0, 0);
    vvJointDef strong = joint_def("ball", NOBODY, body[0], 0, 0.2, 0),
               breaks = joint_def("ball", body[0], body[1], 1, 0, 0);
    breaks.breakForce = 20;
    add_joint(w, &strong);
    *weak = add_joint(w, &breaks);
    set_state(w, body[0], "linear", (double[]){ 2, 0, 0 });
    set_state(w, body[0], "angular", (double[]){ 0, 0, 10, NAN, NAN, NAN });
    set_state(w, body[1], "linear", (double[]){ 5, 0, 0 });
    return w;
}

static vvWorld *swing(const char *policy, const char *contact, vvBodyId body[2], vvJointId *weak)
{
    return swing_with(NULL, policy, contact, body, weak);
}

static double kinetic(const vvWorld *w, vvBodyId body)
{
    int first, count;
    double sum = 0;
    vvBodyNodes(w, body, &first, &count);
    for (int i = first; i < first + count; i++) {
        const double *v = vvWorldVelocities(w) + 3 * i;
        sum += 0.5 * vvWorldMasses(w)[i] * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    return sum;
}

static double kinetic_of_centre(vvWorld *w, vvBodyId body)
{
    vvError error = { 0 };
    vvBodyMeasures m;
    assert_ok(vvBodyMeasure(w, body, &m, &error));
    return 0.5 * m.mass *
           (m.velocity[0] * m.velocity[0] + m.velocity[1] * m.velocity[1] + m.velocity[2] * m.velocity[2]);
}

static void until_it_breaks(vvWorld *w, vvJointId weak)
{
    for (int s = 0; s < 20 && vvWorldBrokenJoints(w, NULL, 0) == 0; s++)
        step(w);
    assert_true(joint_state(w, weak).broken);
}

static void what_flew_off_keeps_its_energy(void **state)
{
    (void)state;
    for (int p = 0; vvPolicyInfo(p); p++)
        for (int contact = 0; contact < 2; contact++) {
            const char *policy = vvPolicyInfo(p)->name;
            vvBodyId body[2];
            vvJointId weak;
            if (strcmp(policy, "multiplier") == 0) /* one number for all that moves */
                continue;
            vvWorld *w = swing(policy, contact ? "barrier" : "none", body, &weak);
            until_it_breaks(w, weak);
            steps(w, 3); /* what it vibrates ends */
            const double all = kinetic(w, body[1]), flight = kinetic_of_centre(w, body[1]);
            assert_less(1, flight);
            steps(w, 40);
            assert_near(kinetic_of_centre(w, body[1]), flight, 1e-9 * flight);
            if (strcmp(policy, "velocity-scale") != 0) /* which scales what it vibrates, of all bodies alike */
                assert_near(kinetic(w, body[1]), all, 1e-8 * all);
            vvWorldDestroy(w);
        }
}

/* From a state saved after it broke, and from a snapshot of before, taken back to when nothing was broken: the same
 * bits. */
static void the_same_bits_again(void **state)
{
    (void)state;
    static const char *const policies[] = { "project", "filtered-search" };
    for (int p = 0; p < 2; p++) {
        vvError error = { 0 };
        vvBodyId body[2], there[2];
        vvJointId weak, same;
        vvSnapshot *whole = NULL;
        vvWorld *w = swing(policies[p], "barrier", body, &weak), *other = swing(policies[p], "barrier", there, &same);
        step(other);
        assert_ok(vvWorldSnapshot(w, &whole, &error));
        until_it_breaks(w, weak);
        const size_t size = vvWorldStateSize(w);
        void *saved = malloc(size);
        assert_ok(vvWorldSaveState(w, saved, size, &error));
        steps(w, 20);
        const int n = 3 * vvWorldNodeCount(w);
        double *expected = copy_of(vvWorldPositions(w), n);
        const int64_t taken = vvWorldStepIndex(w);
        assert_ok(vvWorldLoadState(other, saved, size, &error));
        assert_true(joint_state(other, same).broken);
        steps(other, 20);
        assert_memory_equal(expected, vvWorldPositions(other), (size_t)n * sizeof *expected);
        assert_ok(vvWorldRestore(w, whole, &error));
        assert_false(joint_state(w, weak).broken);
        while (vvWorldStepIndex(w) < taken)
            step(w);
        assert_memory_equal(expected, vvWorldPositions(w), (size_t)n * sizeof *expected);
        vvSnapshotDestroy(whole);
        free(expected);
        free(saved);
        vvWorldDestroy(w);
        vvWorldDestroy(other);
    }
}

/* The step after it broke finds the groups anew: wherever memory runs short in it, it fails, and then goes on with
 * the same bits. */
static void memory_may_run_short(void **state)
{
    (void)state;
    static const char *const policies[] = { "project", "filtered-search" };
    for (int p = 0; p < 2; p++) {
        vvBodyId body[2];
        vvJointId weak;
        vvWorld *calm = swing(policies[p], "barrier", body, &weak);
        until_it_breaks(calm, weak);
        steps(calm, 2);
        bool done = false;
        int failed = 0;
        for (int k = 0; !done; k++) {
            vvError error = { 0 };
            budget b = { .left = 1 << 30 };
            const vvHost host = { .allocator = budget_allocator(&b) };
            vvWorld *w = swing_with(&host, policies[p], "barrier", body, &weak);
            for (int s = 0; s < 20 && vvWorldBrokenJoints(w, NULL, 0) == 0; s++)
                assert_ok(vvWorldStep(w, NULL, &error)); /* nothing is asked of it before the next one */
            b.left = k;
            const vvStatus status = vvWorldStep(w, NULL, &error);
            done = b.left >= 0;
            b.left = 1 << 30;
            assert_int_equal(status, done ? VV_OK : VV_ERROR_MEMORY);
            failed += !done;
            steps(w, done ? 1 : 2);
            assert_memory_equal(vvWorldPositions(w), vvWorldPositions(calm), 24 * sizeof(double));
            vvWorldDestroy(w);
            assert_int_equal(b.live, 0);
        }
        assert_true(failed >= 5); /* what joins bodies, and the components of the stepper and of the policy */
        vvWorldDestroy(calm);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(what_flew_off_keeps_its_energy),
                                        cmocka_unit_test(the_same_bits_again), cmocka_unit_test(memory_may_run_short) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

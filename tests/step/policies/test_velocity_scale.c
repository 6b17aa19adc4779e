/* Scaling velocities: positions and momenta stay those of the scheme, H meets its target where a factor can do that,
 * and the report says where none can. */
#include "policy_support.h"
#include "size.h"
#include "step/schemes/scheme.h"
#include "world/world.h"

static vvWorldDef scale_def(const char *scheme, const char *policy, double h, double tolerance)
{
    vvWorldDef d = free_def(scheme, h, tolerance);
    d.integrator.policy = policy;
    return d;
}

/* One step of `scheme` without a policy from where w is. */
static vvWorld *plain_step(vvWorld *w, vvWorld *plain)
{
    vvError error = { 0 };
    assert_ok(vvWorldSetState(plain, vvWorldPositions(w), vvWorldVelocities(w), &error));
    step(plain);
    return plain;
}

static void it_keeps_momenta_and_positions_and_meets_the_target(void **unused)
{
    (void)unused;
    const int count = sized(60, 150, 1000);
    static const char *const schemes[] = { "implicit-midpoint", "backward-euler", "verlet", "bdf2" };
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
        vvWorldDef d = scale_def(schemes[k], "velocity-scale", 1.0 / 1000, 1e-9), other = d;
        other.integrator.policy = "none";
        vvWorld *w = spinning_cube(&d, "stvk", 5e4, 2), *plain = spinning_cube(&other, "stvk", 5e4, 2);
        const size_t bytes = 3 * (size_t)vvWorldNodeCount(w) * sizeof(double);
        int scaled = 0;
        for (int i = 0; i < count; i++) {
            const bool comparable = !vv_scheme_find(schemes[k])->two_step;
            if (comparable)
                plain_step(w, plain);
            const vvLedgerRow row = step(w);
            if (comparable) {
                const vvLedgerRow base = ledger(plain);
                assert_memory_equal(vvWorldPositions(w), vvWorldPositions(plain), bytes);
                const double size = angular(&base), mass_speed = sqrt(2 * base.kinetic);
                for (int j = 0; j < 3; j++) {
                    assert_near(row.momentum[j], base.momentum[j], 1e-12 * mass_speed);
                    assert_near(row.angularMomentumCentre[j], base.angularMomentumCentre[j], 1e-12 * size);
                }
                /* and in each part beyond the rigid motion by the same factor */
                assert_true(row.policyChange == 0 || row.alpha != 1);
            }
            if (row.alpha > 0 && row.alpha < 10) {
                assert_less(off_target(&row), 1e-9 * row.scale);
                scaled += row.alpha != 1;
            }
        }
        print_message("%s: %d of %d steps scaled\n", schemes[k], scaled, count);
        assert_in_range(scaled, count / 2, count);
        vvWorldDestroy(w);
        vvWorldDestroy(plain);
    }
}

/* Two points on a spring that swing against each other have no rigid motion: v is scaled as a whole, by sqrt((T - E)
 * / K). */
static void the_factor_is_that_of_the_kinetic_energy(void **unused)
{
    (void)unused;
    vvError error = { 0 };
    vvWorldDef d = scale_def("backward-euler", "velocity-scale", 0.01, 1e-10), other = d;
    other.integrator.policy = "none";
    vvWorld *w[2] = { new_world(&d), new_world(&other) };
    for (int k = 0; k < 2; k++) {
        vvMaterialDef m = material("hooke", 0);
        m.springStiffness = 40, m.density = 1;
        vvBodyId id = add_edges(w[k], 2, (double[]){ 0, 0, 0, 0.1, 0, 0 }, 1, (int[]){ 0, 1 }, &m);
        set_state(w[k], id, "stretch", (double[]){ 1.3, 1, 1, NAN, NAN, NAN });
        assert_ok(vvWorldBake(w[k], &error));
    }
    int still = 0, most = 0;
    for (int i = 0; i < 100; i++) {
        plain_step(w[0], w[1]);
        const vvLedgerRow base = ledger(w[1]);
        vvStepReport report;
        assert_ok(vvWorldStep(w[0], &report, &error));
        const vvLedgerRow row = ledger(w[0]);
        const double square = (row.target - base.elastic) / base.kinetic,
                     factor = square < 0 ? 0 : fmin(sqrt(square), 10);
        assert_near(row.alpha, factor, 1e-7 * (1 + factor));
        assert_near(row.kinetic, factor * factor * base.kinetic, 1e-9 * row.scale);
        assert_true((factor == 0) == (strstr(report.note, "stays above its target") != NULL));
        assert_true((factor == 10) == (strstr(report.note, "scale_max") != NULL));
        still += factor == 0, most += factor == 10;
    }
    print_message("%d of 100 steps end without motion, %d at the largest factor\n", still, most);
    vvWorldDestroy(w[0]);
    vvWorldDestroy(w[1]);
}

/* More energy than its target at rest: an impulse of the target that no velocity can give back. */
static void it_stops_at_no_motion_and_says_so(void **unused)
{
    (void)unused;
    vvError error = { 0 };
    vvKey decay = { 0, 1e-3 }; /* the target falls at once */
    vvWorldDef d = scale_def("implicit-midpoint", "velocity-scale", 1.0 / 100, 1e-8);
    d.integrator.decayKeys = &decay, d.integrator.decayKeyCount = 1;
    vvWorld *w = spinning_cube(&d, "stvk", 5e4, 2);
    const double spin = angular(&(vvLedgerRow[]){ ledger(w) }[0]);
    vvStepReport report;
    assert_ok(vvWorldStep(w, &report, &error));
    const vvLedgerRow row = ledger(w);
    assert_true(row.alpha == 0 && row.total > row.target);
    assert_non_null(strstr(report.note, "H stays above its target"));
    assert_near(angular(&row), spin, 1e-6 * spin); /* what is left is the rigid motion */
    assert_near(row.kinetic, row.visible, 0.2 * row.kinetic);
    vvWorldDestroy(w);
}

/* A body held by moving nodes: the motion that is scaled is the one against them, and they go on as they do. */
static void of_a_held_body_it_scales_the_motion_against_what_holds_it(void **unused)
{
    (void)unused;
    vvError error = { 0 };
    vvWorldDef d = scale_def("backward-euler", "velocity-scale", 1.0 / 200, 1e-8), other = d;
    other.integrator.policy = "none";
    vvWorld *w[2] = { new_world(&d), new_world(&other) };
    for (int k = 0; k < 2; k++) {
        vvMaterialDef m = material("stvk", 2e4);
        vvBodyId id = add_cube(w[k], 0.1, 2, &m);
        vvAttachDef a = vvDefaultAttachDef();
        a.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 0, 100, 0 }, .b = { 100, 100, 100 } };
        a.motion.linearVelocity[0] = 0.5;
        attach(w[k], id, &a);
        set_state(w[k], id, "linear", (double[]){ 0.5, -0.3, 0 });
        assert_ok(vvWorldBake(w[k], &error));
    }
    int scaled = 0;
    for (int i = 0; i < 50; i++) {
        plain_step(w[0], w[1]);
        const vvLedgerRow row = step(w[0]);
        const double *v = vvWorldVelocities(w[0]), *u = vvWorldVelocities(w[1]);
        for (int j = 0; j < 3 * vvWorldNodeCount(w[0]); j++) {
            const double r = j % 3 == 0 ? 0.5 : 0;
            if (w[0]->system.unknown[j / 3] < 0)
                assert_true(v[j] == u[j]);
            else
                assert_near(v[j], r + row.alpha * (u[j] - r), 1e-9);
        }
        if (row.alpha > 0 && row.alpha < 10)
            assert_less(off_target(&row), 1e-9 * row.scale);
        scaled += row.alpha > 1;
    }
    assert_in_range(scaled, 20, 50);
    vvWorldDestroy(w[0]);
    vvWorldDestroy(w[1]);
}

/* A cube on an axis, or on one node: nothing there takes a momentum about it, and scaling does not either. */
static void of_a_body_that_turns_it_keeps_the_momentum_about_the_pivot(void **unused)
{
    (void)unused;
    for (int point = 0; point < 2; point++) {
        vvError error = { 0 };
        vvWorldDef d = scale_def("backward-euler", "velocity-scale", 1.0 / 100, 1e-10), other = d;
        other.integrator.policy = "none";
        vvWorld *w[2] = { new_world(&d), new_world(&other) };
        for (int k = 0; k < 2; k++) {
            vvMaterialDef m = material("stvk", 2e4);
            vvBodyId id = add_cube(w[k], 0.1, 2, &m);
            vvAttachDef a = vvDefaultAttachDef();
            a.where = (vvRegion){ .kind = VV_REGION_BOX,
                                  .a = { -1e-3, -1e-3, point ? -1e-3 : -1 },
                                  .b = { 1e-3, 1e-3, point ? 1e-3 : 1 } };
            attach(w[k], id, &a);
            set_state(w[k], id, "angular",
                      point ? (double[]){ 3, 2, 10, NAN, NAN, NAN } : (double[]){ 0, 0, 10, NAN, NAN, NAN });
            assert_ok(vvWorldBake(w[k], &error));
        }
        int scaled = 0;
        for (int i = 0; i < 40; i++) {
            plain_step(w[0], w[1]);
            const vvLedgerRow row = step(w[0]), base = ledger(w[1]);
            for (int j = point ? 0 : 2; j < 3; j++)
                assert_near(row.angularMomentum[j], base.angularMomentum[j], 1e-10 * angular(&base));
            if (row.alpha > 0 && row.alpha < 10)
                assert_less(off_target(&row), 1e-9 * row.scale);
            scaled += row.alpha != 1;
        }
        assert_int_equal(w[0]->system.nodes - w[0]->system.unknowns, point ? 1 : 3);
        assert_in_range(scaled, 20, 40);
        vvWorldDestroy(w[0]);
        vvWorldDestroy(w[1]);
    }
}

static void in_contact_it_touches_no_position_and_resumes(void **unused)
{
    (void)unused;
    const int count = sized(20, 40, 200);
    vvWorld *a = falling_blocks("backward-euler", "velocity-scale", "neo-hookean", 1),
            *b = falling_blocks("backward-euler", "velocity-scale", "neo-hookean", 2);
    for (int i = 0; i < count; i++) {
        const vvLedgerRow before = ledger(a), row = step(a);
        step(b);
        assert_true(same_world(a, b) && row.minGap > 0 && row.minJ > 0);
        assert_booked(&before, &row);
    }
    expect_resumed(a, b, count);
    vvWorldDestroy(a);
    vvWorldDestroy(b);
}

static void nothing_to_scale_is_left_alone(void **unused)
{
    (void)unused;
    vvWorldDef d = scale_def("implicit-midpoint", "velocity-scale", 0.05, 1e-12);
    vvWorld *w = oscillator(&d, 0.3, 400, (double[]){ 1, 0.4, -0.2 }); /* a point: all of its motion is rigid */
    for (int i = 0; i < 20; i++)
        assert_true(step(w).alpha == 1 && ledger(w).policyChange == 0);
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_keeps_momenta_and_positions_and_meets_the_target),
        cmocka_unit_test(the_factor_is_that_of_the_kinetic_energy),
        cmocka_unit_test(it_stops_at_no_motion_and_says_so),
        cmocka_unit_test(of_a_held_body_it_scales_the_motion_against_what_holds_it),
        cmocka_unit_test(of_a_body_that_turns_it_keeps_the_momentum_about_the_pivot),
        cmocka_unit_test(in_contact_it_touches_no_position_and_resumes),
        cmocka_unit_test(nothing_to_scale_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

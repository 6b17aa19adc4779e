/* The policy project over steps that go far wrong: where a scheme gains energy and turns momenta far off, these come
 * first, and the motion goes on; where friction takes more than an additional joule of motion brings, the moving
 * target is met by the secant. */
#include "policy_support.h"
#include "size.h"

static vvWorldDef project_def(const char *scheme, double h)
{
    vvWorldDef d = free_def(scheme, h, 0.01);
    d.integrator.policy = "project";
    return d;
}

/* The trapezoidal rule at a step that is too large for its block, whose angular momentum each step turns by a good
 * part. */
static void momenta_come_first_and_the_motion_goes_on(void **state)
{
    (void)state;
    static const char *const models[] = { "neo-hookean", "fixed-corotated", "corotated" };
    for (int m = 0; m < 3; m++) {
        vvError error = { 0 };
        vvWorldDef d = project_def("trapezoidal", 1.0 / 30);
        vvWorld *w = new_world(&d);
        vvBodyDef def = vvDefaultBodyDef();
        def.material = material(models[m], 5e4);
        vvBodyId id = add_box_def(w, (double[]){ 0.3, 0.2, 0.1 }, (int[]){ 6, 4, 2 }, 6, &def);
        set_state(w, id, "stretch", (double[]){ 1.2, 1, 1, NAN, NAN, NAN });
        set_state(w, id, "angular", (double[]){ 0, 2, 6, NAN, NAN, NAN });
        assert_ok(vvWorldBake(w, &error));
        const vvLedgerRow first = ledger(w);
        const int count = sized(60, 200, 2000);
        double mean = 0, *x = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w));
        int still = 0;
        for (int i = 0; i < count; i++) {
            const vvLedgerRow r = step(w);
            double most = 0;
            for (int k = 0; k < 3 * vvWorldNodeCount(w); k++) {
                most = fmax(most, fabs(vvWorldPositions(w)[k] - x[k]));
                x[k] = vvWorldPositions(w)[k];
            }
            still += most < 1e-6;
            mean += r.alpha / count;
            assert_less(off_target(&r), 1.0001e-7 * r.scale);
            assert_less(distance3(r.angularMomentumCentre, first.angularMomentumCentre),
                        1e-6 * norm3(first.angularMomentumCentre));
        }
        print_message("%s: %.2f iterations a step\n", models[m], mean);
        assert_less(mean, 4.5);
        assert_int_equal(still, 0);
        free(x);
        vvWorldDestroy(w);
    }
}

/* A block that vibrates while it slides to rest. Friction's impulses are those of the solve, its loss goes with the
 * velocities: to follow the target from round to round then leads ever farther away. */
static void what_friction_takes_is_met_by_the_secant(void **state)
{
    (void)state;
    static const double frictions[] = { 0.4, 0.8, 1.2 };
    for (int k = 0; k < 3; k++) {
        vvWorldDef d = project_def("backward-euler", 1.0 / 60);
        d.gravity[1] = -9.8;
        d.integrator.groundMode = VV_GROUND_NONE;
        d.contact.model = "barrier";
        vvWorld *w = new_world(&d);
        vvBodyDef def = vvDefaultBodyDef();
        def.material = material("neo-hookean", 1e5);
        def.friction = frictions[k];
        def.translate[1] = 0.052;
        vvBodyId id = add_box_def(w, (double[]){ 0.2, 0.1, 0.1 }, (int[]){ 4, 2, 2 }, 6, &def);
        set_state(w, id, "stretch", (double[]){ 1.1, 1, 1, NAN, NAN, NAN });
        set_state(w, id, "linear", (double[]){ 0.3, 0, 0 });
        obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, frictions[k]);
        int off = 0;
        double most = 0, friction = 0;
        for (int i = 0; i < 90; i++) {
            const vvLedgerRow r = step(w);
            off += off_target(&r) > 2e-7 * r.scale;
            most = fmax(most, off_target(&r) / r.scale);
            friction += r.friction;
        }
        print_message("%g: %d of 90 steps off the target, by %.1e at most; friction took %.2f J\n", frictions[k], off,
                      most, friction);
        assert_less(0.3, friction);
        assert_in_range(off, 0, 5);
        assert_less(most, 3e-4);
        vvWorldDestroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momenta_come_first_and_the_motion_goes_on),
        cmocka_unit_test(what_friction_takes_is_met_by_the_secant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

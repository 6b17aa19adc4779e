/* The work of a plate that is taken away from what pushes it: the integral of its reaction over the way of one step,
 * worked out here with many points, and not the mean of both ends. And that of fingers that squeeze a cube and lift
 * it by friction, whatever the solves leave over. */
#include "live_support.h"

#include "world/world.h"

/* A cube against a plate, as near as a third of d-hat; the plate leaves at `speed`. */
static vvWorld *leaving(double speed)
{
    vvError error = { 0 };
    vvWorldDef d = live_def("backward-euler", "none");
    d.timeStep = 1.0 / 120;
    d.gravity[1] = 0;
    d.contact.distance = 6e-3;
    d.contact.stiffness = 1e6;
    d.integrator.groundMode = VV_GROUND_GIVEN;
    d.integrator.groundEnergy = 0;
    d.solver.tolerance = 1e-8;
    vvWorld *w = new_world(&d);
    vvBodyDef cube = vvDefaultBodyDef(), plate = vvDefaultBodyDef();
    cube.material = material("neo-hookean", 1e6);
    add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 2, 2, 2 }, 5, &cube);
    plate.kinematic = true;
    plate.translate[0] = 0.062;
    plate.motion.linearVelocity[0] = speed;
    add_box_def(w, (double[]){ 0.02, 0.3, 0.3 }, (int[]){ 1, 3, 3 }, 5, &plate);
    assert_ok(vvWorldBake(w, &error));
    return w;
}

/* The reaction's work on the straight way from a to b, J: the middle of each of many parts. */
static double integral(const vvWorld *w, const double *a, const double *b)
{
    enum { PARTS = 2000 };
    size_t n = 3 * (size_t)vvWorldNodeCount(w);
    double *x = malloc(n * sizeof *x), *g = malloc(n * sizeof *g), sum = 0;
    for (int k = 0; k < PARTS; k++) {
        for (size_t i = 0; i < n; i++)
            x[i] = a[i] + (k + 0.5) / PARTS * (b[i] - a[i]);
        vv_system_gradient(&w->system, x, g);
        for (size_t i = 0; i < n; i++)
            sum += w->system.unknown[i / 3] < 0 ? g[i] * (b[i] - a[i]) / PARTS : 0;
    }
    free(x);
    free(g);
    return sum;
}

/* What the mean of the reactions at both ends would say, J. */
static double mean_of_ends(const vvWorld *w, const double *a, const double *b)
{
    size_t n = 3 * (size_t)vvWorldNodeCount(w);
    double *g = malloc(n * sizeof *g), sum = 0;
    for (int end = 0; end < 2; end++) {
        vv_system_gradient(&w->system, end ? b : a, g);
        for (size_t i = 0; i < n; i++)
            sum += w->system.unknown[i / 3] < 0 ? 0.5 * g[i] * (b[i] - a[i]) : 0;
    }
    free(g);
    return sum;
}

static void a_plate_that_leaves_takes_what_its_way_is_worth(void **state)
{
    (void)state;
    int far_from_the_mean = 0;
    for (int k = 0; k < 5; k++) {
        vvWorld *w = leaving(0.05 * pow(2, k));
        double *before = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w));
        vvLedgerRow row = step(w);
        double reference = integral(w, before, vvWorldPositions(w)),
               mean = mean_of_ends(w, before, vvWorldPositions(w));
        print_message("%g m/s: %.6g J of %.4g J booked, %.6g J by integration, %.6g J by the ends\n", 0.05 * pow(2, k),
                      row.work, row.scale, reference, mean);
        assert_true(row.work < 0);
        assert_near(row.work, reference, 4e-3 * row.scale);
        far_from_the_mean += fabs(mean - reference) > 0.05 * row.scale;
        free(before);
        vvWorldDestroy(w);
    }
    assert_true(far_from_the_mean >= 2);
}

/* Where the ends hardly differ, their mean counts. */
static void a_plate_that_creeps_takes_the_mean(void **state)
{
    (void)state;
    vvWorld *w = leaving(1e-4);
    double *before = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w));
    vvLedgerRow row = step(w);
    double mean = mean_of_ends(w, before, vvWorldPositions(w));
    assert_true(row.work < 0);
    assert_near(row.work, mean, 1e-13 * fabs(mean));
    free(before);
    vvWorldDestroy(w);
}

/* ---- fingers ---- */

enum { LIFT_STEPS = 174 };
static const double LIFT = 0.05, CUBE = 0.05;

/* A finger at one side (-1, 1), which goes in by a twentieth of the cube, rests, and goes up. */
static void add_finger(vvWorld *w, int side)
{
    const double in = -side * 0.0025;
    const vvWaypoint way[] = { { 0, { 0, 0, 0 }, { 0 } },
                               { 0.3, { in, 0, 0 }, { 0 } },
                               { 0.35, { in, 0, 0 }, { 0 } },
                               { 1.35, { in, LIFT, 0 }, { 0 } } };
    vvBodyDef finger = vvDefaultBodyDef();
    finger.kinematic = true;
    finger.translate[0] = side * 0.0355;
    finger.translate[1] = 0.04;
    finger.motion.waypoints = way;
    finger.motion.waypointCount = 4;
    add_box_def(w, (double[]){ 0.02, 0.06, 0.06 }, (int[]){ 1, 2, 2 }, 5, &finger);
}

/* A soft cube on the ground, at the default tolerance. */
static vvWorld *cube_on_ground(const char *scheme, const char *policy, double friction_speed, int cells)
{
    vvWorldDef d = live_def(scheme, policy), defaults = vvDefaultWorldDef();
    d.timeStep = 1.0 / 120;
    d.contact.distance = 5e-4;
    d.contact.stiffness = 1e5;
    d.contact.friction = 0.8;
    d.contact.frictionSpeed = friction_speed;
    d.solver = defaults.solver;
    vvWorld *w = new_world(&d);
    vvBodyDef cube = vvDefaultBodyDef();
    cube.material = material("neo-hookean", 5e4);
    cube.translate[1] = 0.5 * CUBE + 5e-4;
    add_box_def(w, (double[]){ CUBE, CUBE, CUBE }, (int[]){ cells, cells, cells }, 5, &cube);
    obstacle(w, "plane", NULL, 0.8);
    return w;
}

static void check_lift(const char *scheme, const char *policy, double friction_speed, int cells)
{
    vvError error = { 0 };
    vvLedgerTotals t;
    vvWorld *w = cube_on_ground(scheme, policy, friction_speed, cells);
    add_finger(w, -1);
    add_finger(w, 1);
    assert_ok(vvWorldBake(w, &error));
    double moving = 0; /* mean kinetic energy while it goes up */
    for (int i = 0; i < LIFT_STEPS; i++) {
        const vvLedgerRow r = step(w);
        moving += r.time > 0.5 && r.time < 1.3 ? r.kinetic / 96 : 0;
    }
    vvWorldTotals(w, &t);
    const vvLedgerRow end = ledger(w);
    const double weight = 1000 * CUBE * CUBE * CUBE * 9.8, lifted = end.gravity - t.first.gravity,
                 wanted = end.total - t.first.total + t.friction;
    print_message("%s, %s, %g m/s: %.5g J of work for %.5g J; error %.2g J, friction %.2g J, kinetic %.3g J; %.1f "
                  "iterations a step\n",
                  scheme, policy, friction_speed, t.work, wanted, t.error, t.friction, moving,
                  (double)t.newtonIterations / LIFT_STEPS);
    assert_near(lifted, weight * LIFT, 0.03 * weight * LIFT); /* it does go up */
    assert_near(t.work, wanted, 0.01 * wanted);
    /* it moves as the fingers do, and then stands still; a policy may leave a coarse cube trembling, from one
     * friction_speed to the next */
    assert_near(moving, 0.5 * (weight / 9.8) * LIFT * LIFT, 0.5 * moving);
    assert_less(end.kinetic, (strcmp(policy, "none") ? 4e-3 : 1e-3) * wanted);
    assert_less(fabs(t.error), 0.02 * wanted);
    /* what sticks is a spring whose energy is booked as friction; a policy scales it as it loads and unloads */
    assert_true(t.friction > -1e-3 * wanted && t.friction < 0.05 * wanted);
    vvWorldDestroy(w);
}

static void fingers_that_lift_by_friction_do_its_work(void **state)
{
    (void)state;
    check_lift("backward-euler", "none", 0, 2);
    check_lift("backward-euler", "none", 1e-6, 2);
    check_lift("backward-euler", "filtered-search", 0, 4);
    check_lift("backward-euler", "filtered-search", 1e-6, 2);
    check_lift("tr-bdf2", "none", 1e-6, 2);
}

/* What solves leave over where a cube slides is no work of a plate that moves somewhere else. */
static void what_carries_nothing_does_no_work(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvLedgerTotals t;
    vvWorld *w = cube_on_ground("backward-euler", "none", 1e-6, 2);
    vvBodyDef plate = vvDefaultBodyDef();
    plate.kinematic = true;
    plate.translate[1] = 1;
    plate.motion.linearVelocity[0] = 1;
    add_box_def(w, (double[]){ 0.02, 0.3, 0.3 }, (int[]){ 1, 1, 1 }, 5, &plate);
    set_state(w, vvWorldBody(w, 0), "linear", (double[]){ 1, 0, 0, NAN, NAN, NAN });
    assert_ok(vvWorldBake(w, &error));
    steps(w, 24);
    vvWorldTotals(w, &t);
    print_message("a cube that slides: work %.3g J, friction %.3g J, error %.3g J\n", t.work, t.friction, t.error);
    assert_true(t.friction > 0.01);
    assert_true(t.work == 0);
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_plate_that_leaves_takes_what_its_way_is_worth),
                                        cmocka_unit_test(a_plate_that_creeps_takes_the_mean),
                                        cmocka_unit_test(fingers_that_lift_by_friction_do_its_work),
                                        cmocka_unit_test(what_carries_nothing_does_no_work) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

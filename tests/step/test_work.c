/* layer: world
 * The work of a plate that is taken away from what pushes it: the integral of its reaction over the way of one step,
 * worked out here with many points, and not the mean of both ends. */
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

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_plate_that_leaves_takes_what_its_way_is_worth),
                                        cmocka_unit_test(a_plate_that_creeps_takes_the_mean) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

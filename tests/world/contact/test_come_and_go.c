/* What comes and goes far away costs the others nothing: factors stay, and so does every bit of their motion; where it
 * is not far it acts at once, and what stands in the way is refused. */
#include "live_support.h"

#include "visviva/visviva.h"

/* A block that falls onto a plane and another on top of it, half a second of each solver's own steps. */
static vvWorld *falling(const char *solver)
{
    vvWorldDef d = live_def("backward-euler", "none");
    d.timeStep = 0.01;
    d.solver.method = solver;
    d.contact.friction = 0.3;
    vvWorld *w = new_world(&d);
    add_block(w, 0, 0.06, 0.4);
    obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, -1);
    return w;
}

static vvStepReport report_of(vvWorld *w)
{
    vvStepReport r;
    vvError error = { 0 };
    assert_ok(vvWorldStep(w, &r, &error));
    return r;
}

static vvObstacleId put(vvWorld *w, const char *type, const double *values, double friction)
{
    obstacle(w, type, values, friction);
    return vvWorldObstacleAt(w, vvWorldObstacleCount(w) - 1);
}

static const char *const SOLVERS[] = { "newton", "lbfgs", "block-descent" };

/* Others come, two at a time, and go, again and again: the block moves as if there had never been one. */
static void far_obstacles_change_no_bit(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof SOLVERS / sizeof *SOLVERS; k++) {
        vvWorld *w = falling(SOLVERS[k]), *twin = falling(SOLVERS[k]);
        vvError error = { 0 };
        vvObstacleId sphere = { 0 }, second = { 0 };
        for (int s = 0; s < 40; s++) {
            if (s % 5 == 3)
                sphere = put(w, "sphere", (double[]){ 30, 0, 0, 0.1 }, 0.9),
                second = put(w, "box", (double[]){ -30, 0, 0, 1, 1, 1 }, 0.1);
            if (s % 5 == 0 && s > 0)
                assert_ok(vvWorldRemoveObstacle(w, sphere, &error));
            if (s % 5 == 1 && s > 1)
                assert_ok(vvWorldRemoveObstacle(w, second, &error));
            vvStepReport mine = report_of(w), other = report_of(twin);
            assert_int_equal(mine.factors, s == 0 ? other.factors : 0);
            assert_int_equal(mine.newtonIterations, other.newtonIterations);
            assert_memory_equal(vvWorldPositions(w), vvWorldPositions(twin),
                                3 * (size_t)vvWorldNodeCount(w) * sizeof(double));
            assert_near(ledger(w).total, ledger(twin).total, 0);
            assert_near(ledger(w).work, ledger(twin).work, 1e-12);
        }
        vvContactEvents events;
        assert_ok(vvWorldContactEvents(w, &events, &error));
        assert_int_equal(events.touchingCount, 1);
        vvWorldDestroy(w);
        vvWorldDestroy(twin);
    }
}

/* A wall in its way stops a block from the next step on; once it has gone the block goes on. */
static void near_obstacles_act_at_once(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof SOLVERS / sizeof *SOLVERS; k++) {
        vvWorld *w = falling(SOLVERS[k]);
        vvError error = { 0 };
        vvBodyMeasures m;
        vvBodyId block = vvWorldBody(w, 0);
        set_state(w, block, "linear", (double[]){ 2, 0, 0 });
        steps(w, 3);
        vvObstacleId wall = put(w, "plane", (double[]){ 0.2, 0, 0, -1, 0, 0 }, 0);
        steps(w, 20);
        assert_ok(vvBodyMeasure(w, block, &m, &error));
        assert_true(m.high[0] < 0.2 && m.high[0] > 0.1);
        assert_ok(vvWorldRemoveObstacle(w, wall, &error));
        assert_ok(vvBodyApplyImpulse(w, block, (double[]){ 3, 0, 0 }, &error));
        steps(w, 20);
        assert_ok(vvBodyMeasure(w, block, &m, &error));
        assert_true(m.high[0] > 0.25 && m.low[1] > 0);
        vvWorldDestroy(w);
    }
}

/* An obstacle in a body is refused by name; without it the world goes on, to the bit. */
static void obstacles_in_bodies_are_refused(void **state)
{
    (void)state;
    vvWorld *w = falling("lbfgs"), *twin = falling("lbfgs");
    vvError error = { 0 };
    steps(w, 5), steps(twin, 5);
    vvObstacleId sphere = put(w, "sphere", (double[]){ 0, 0.06, 0, 0.2 }, 0);
    assert_int_equal(vvWorldStep(w, NULL, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "sphere"));
    assert_ok(vvWorldRemoveObstacle(w, sphere, &error));
    steps(w, 5), steps(twin, 5);
    assert_memory_equal(vvWorldPositions(w), vvWorldPositions(twin), 3 * (size_t)vvWorldNodeCount(w) * sizeof(double));
    vvWorldDestroy(w);
    vvWorldDestroy(twin);
}

/* A body that comes has a factor of its own; when it goes, none is made. */
static void factors_of_other_bodies_stay(void **state)
{
    (void)state;
    vvWorld *w = falling("lbfgs");
    vvError error = { 0 };
    assert_true(report_of(w).factors > 0);
    vvBodyId far = add_block(w, 30, 1, 0);
    steps(w, 1);
    assert_ok(vvWorldRemoveBody(w, far, &error));
    assert_int_equal(report_of(w).factors, 0);
    add_block(w, 30, 1, 0);
    assert_int_equal(report_of(w).factors, 0); /* it is the same again */
    assert_ok(vvWorldSetTimeStep(w, 0.005, &error));
    assert_int_equal(report_of(w).factors, 1);
    vvWorldDestroy(w);
}

/* A factor is not of masses that were there before. */
static void factors_follow_densities(void **state)
{
    (void)state;
    vvWorld *w = falling("lbfgs"), *other;
    vvError error = { 0 };
    steps(w, 5);
    vvMaterialDef heavy;
    assert_true(vvBodyGetMaterial(w, vvWorldBody(w, 0), 0, &heavy));
    heavy.density *= 5;
    assert_ok(vvBodySetMaterial(w, vvWorldBody(w, 0), 0, &heavy, &error));
    assert_true(report_of(w).factors > 0);
    other = falling("lbfgs");
    assert_ok(vvBodySetMaterial(other, vvWorldBody(other, 0), 0, &heavy, &error));
    const size_t size = vvWorldStateSize(w);
    void *saved = malloc(size);
    assert_ok(vvWorldSaveState(w, saved, size, &error));
    assert_ok(vvWorldLoadState(other, saved, size, &error));
    steps(w, 4), steps(other, 4);
    assert_memory_equal(vvWorldPositions(w), vvWorldPositions(other), 3 * (size_t)vvWorldNodeCount(w) * sizeof(double));
    free(saved);
    vvWorldDestroy(w);
    vvWorldDestroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(far_obstacles_change_no_bit),     cmocka_unit_test(near_obstacles_act_at_once),
        cmocka_unit_test(obstacles_in_bodies_are_refused), cmocka_unit_test(factors_of_other_bodies_stay),
        cmocka_unit_test(factors_follow_densities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

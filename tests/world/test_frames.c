/* What a game asks of a world, frame by frame: as many steps as its time holds, what is left over, things by their
 * names, how hard what touches pushes. */
#include "live_support.h"

#include "visviva/visviva.h"
#include "positional.h"

static vvWorld *on_ground(double h)
{
    vvWorldDef d = live_def("backward-euler", "none");
    d.timeStep = h;
    vvWorld *w = new_world(&d);
    add_block(w, 0, 0.06, 0);
    obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0);
    return w;
}

/* Any frames, as long as none holds more than its steps, make the steps of their sum, to the bit. */
static void frames_make_the_steps_of_their_time(void **state)
{
    (void)state;
    static const double frames[] = { 0.016, 0.017, 0.0005, 0, 0.033, 0.0301 };
    vvError error = { 0 };
    vvWorld *w = on_ground(0.01), *twin = on_ground(0.01);
    double sum = 0, fraction = -1;
    int made = 0, steps = -1;
    for (int k = 0; k < 60; k++) {
        sum += frames[k % 6];
        assert_ok(vvWorldAdvance(w, frames[k % 6], 8, &steps, &fraction, &error));
        made += steps;
        assert_true(fraction >= 0 && fraction <= 1);
        assert_near(0.01 * (made + fraction), sum, 1e-9);
    }
    assert_int_equal(vvWorldStepIndex(w), made);
    for (int k = 0; k < made; k++)
        assert_ok(vvWorldStep(twin, NULL, &error));
    assert_memory_equal(vvWorldPositions(w), vvWorldPositions(twin), 3 * (size_t)vvWorldNodeCount(w) * sizeof(double));
    vvWorldDestroy(w);
    vvWorldDestroy(twin);
}

/* A tenth of a second in ten frames of one step each: rounding loses none. */
static void whole_steps_are_not_lost(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = on_ground(1.0 / 60);
    int steps;
    for (int k = 0; k < 200; k++) {
        assert_ok(vvWorldAdvance(w, 1.0 / 60, 4, &steps, NULL, &error));
        assert_int_equal(steps, 1);
    }
    vvWorldDestroy(w);
}

/* A long frame makes its steps and no more, and the world does not try to catch up. */
static void late_frames_are_dropped(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = on_ground(0.01);
    int steps;
    double fraction;
    assert_ok(vvWorldAdvance(w, 5, 3, &steps, &fraction, &error));
    assert_int_equal(steps, 3);
    assert_near(fraction, 1, 0);
    assert_ok(vvWorldAdvance(w, 0.005, 3, &steps, &fraction, &error));
    assert_int_equal(steps, 1);
    assert_near(fraction, 0.5, 1e-9);
    vvWorldDestroy(w);
}

static void wrong_frames_are_refused(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = on_ground(0.01);
    int steps = 7;
    const double times[] = { -1, NAN, INFINITY };
    for (int k = 0; k < 3; k++)
        assert_int_equal(vvWorldAdvance(w, times[k], 3, &steps, NULL, &error), VV_ERROR_INPUT);
    assert_int_equal(vvWorldAdvance(w, 0.1, 0, &steps, NULL, &error), VV_ERROR_INPUT);
    assert_int_equal(steps, 0);
    assert_int_equal(vvWorldStepIndex(w), 0);
    vvObstacleDef in_the_way = vvDefaultObstacleDef();
    in_the_way.type = "sphere", shape_obstacle(&in_the_way, (double[]){ 0, 0.06, 0, 0.5 });
    assert_ok(vvWorldAdvance(w, 0.015, 3, NULL, NULL, &error));
    assert_ok(vvWorldAddObstacle(w, &in_the_way, NULL, &error));
    assert_int_equal(vvWorldAdvance(w, 0.03, 3, &steps, NULL, &error), VV_ERROR_INPUT);
    assert_int_equal(steps, 0);
    vvWorldDestroy(w);
}

static void things_are_found_by_name(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = on_ground(0.01);
    const char *name = vvBodyName(w, vvWorldBody(w, 0));
    assert_int_equal(vvWorldFindBody(w, name).index1, vvWorldBody(w, 0).index1);
    assert_int_equal(vvWorldFindBody(w, "nobody").index1, 0);
    assert_int_equal(vvWorldFindBody(w, NULL).index1, 0);
    assert_int_equal(vvWorldFindObstacle(w, "").index1, 0);
    vvObstacleDef wall = vvDefaultObstacleDef();
    wall.name = "wall", shape_obstacle(&wall, (double[]){ 9, 0, 0, -1, 0, 0 });
    vvObstacleId id;
    assert_ok(vvWorldAddObstacle(w, &wall, &id, &error));
    assert_int_equal(vvWorldFindObstacle(w, "wall").index1, id.index1);
    assert_int_equal(vvWorldFindObstacle(w, "wall").generation, id.generation);
    assert_ok(vvWorldRemoveObstacle(w, id, &error));
    assert_int_equal(vvWorldFindObstacle(w, "wall").index1, 0);
    vvWorldDestroy(w);
}

/* What pushes is what changes momentum: of a block that lands on the ground, and of one that lands on it. */
static void impulses_are_those_of_momentum(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = on_ground(0.01);
    vvBodyId low = vvWorldBody(w, 0), high = add_block(w, 0, 0.18, 0);
    int touched = 0, both = 0;
    for (int k = 0; k < 60; k++) {
        vvBodyMeasures before[2], after[2];
        vvContactEvents e;
        double pushed[2] = { 0 };
        assert_ok(vvBodyMeasure(w, low, before, &error));
        assert_ok(vvBodyMeasure(w, high, before + 1, &error));
        step(w);
        assert_ok(vvBodyMeasure(w, low, after, &error));
        assert_ok(vvBodyMeasure(w, high, after + 1, &error));
        assert_ok(vvWorldContactEvents(w, &e, &error));
        assert_non_null(e.impulses);
        for (int i = 0; i < e.touchingCount; i++) {
            const double *push = e.impulses + 3 * i;
            pushed[e.touching[i].body.index1 == high.index1] += push[1];
            if (e.touching[i].other.index1)
                pushed[e.touching[i].other.index1 == high.index1] -= push[1];
        }
        for (int b = 0; b < 2; b++) {
            const double change = after[b].momentum[1] - before[b].momentum[1] + 9.8 * 0.01 * after[b].mass;
            assert_near(pushed[b], change, 0.02 * fabs(change) + 1e-3 * after[b].mass * 9.8 * 0.01);
        }
        touched += e.touchingCount > 0, both += e.touchingCount > 1;
    }
    assert_true(touched > 20 && both > 10);
    vvContactEvents e;
    add_block(w, 5, 0.06, 0);
    assert_ok(vvWorldContactEvents(w, &e, &error));
    assert_true(e.touchingCount > 0 && !e.impulses);
    step(w);
    assert_ok(vvWorldContactEvents(w, &e, &error));
    assert_non_null(e.impulses);
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_make_the_steps_of_their_time),
        cmocka_unit_test(whole_steps_are_not_lost),
        cmocka_unit_test(late_frames_are_dropped),
        cmocka_unit_test(wrong_frames_are_refused),
        cmocka_unit_test(things_are_found_by_name),
        cmocka_unit_test(impulses_are_those_of_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

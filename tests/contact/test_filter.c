/* Collision filters: the rule, and that contact with obstacles obeys it: barrier, step filter, friction, gaps, the
 * check of the start. */
#include "world_support.h"

static void rule(void **state)
{
    (void)state;
    vvFilter any = vvDefaultFilter(), two = filter_of(2, UINT64_MAX, 0), not_two = filter_of(1, ~(uint64_t)2, 0);
    vvFilter friends = filter_of(0, 0, 5), enemies = filter_of(1, UINT64_MAX, -5),
             top = filter_of((uint64_t)1 << 63, (uint64_t)1 << 63, 0);
    assert_true(vvFiltersTouch(&any, &any));
    assert_true(vvFiltersTouch(&any, &two));
    assert_false(vvFiltersTouch(&two, &not_two)); /* one refusal is enough, on either side */
    assert_false(vvFiltersTouch(&not_two, &two));
    assert_true(vvFiltersTouch(&friends, &friends)); /* the group stands above the bits */
    assert_false(vvFiltersTouch(&friends, &any));
    assert_false(vvFiltersTouch(&enemies, &enemies));
    assert_true(vvFiltersTouch(&enemies, &any)); /* other groups: the bits decide */
    assert_true(vvFiltersTouch(&top, &top));
    assert_false(vvFiltersTouch(&top, &any));
}

static vvBodyId drop(vvWorld *w, double x, vvFilter filter)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.filter = filter;
    def.friction = 0.5;
    def.translate[0] = x;
    def.translate[1] = 0.05;
    return add_ball(w, 0.04, 2, &def);
}

static vvObstacleId floor_at(vvWorld *w, double height, vvFilter filter)
{
    vvError error = { 0 };
    double values[6] = { 0, height, 0, 0, 1, 0 };
    vvObstacleDef def = vvDefaultObstacleDef();
    vvObstacleId id;
    shape_obstacle(&def, values);
    def.filter = filter;
    assert_ok(vvWorldAddObstacle(w, &def, &id, &error));
    return id;
}

static double lowest(const vvWorld *w, vvBodyId body)
{
    int first, count;
    double y = INFINITY;
    vvBodyNodes(w, body, &first, &count);
    for (int i = first; i < first + count; i++)
        y = fmin(y, vvWorldPositions(w)[3 * i + 1]);
    return y;
}

/* One ball stops at the upper floor, the other falls through it as if it were not there, onto the lower one. */
static void falls_through_what_it_does_not_touch(void **state)
{
    (void)state;
    vvWorldDef d = vvDefaultWorldDef();
    d.threads = 1;
    d.solver.tolerance = 1e-4;
    vvWorld *w = new_world(&d), *alone = new_world(&d);
    vvFilter upper = filter_of(2, UINT64_MAX, 0), ghost = filter_of(1, ~(uint64_t)2, 0);
    vvBodyId solid = drop(w, 0, vvDefaultFilter()), other = drop(w, 1, ghost);
    floor_at(w, 0, upper);
    floor_at(w, -0.3, vvDefaultFilter());
    drop(alone, 1, vvDefaultFilter());
    floor_at(alone, -0.3, vvDefaultFilter());
    int nodes = vvWorldNodeCount(alone);
    double worst = 0;
    for (int i = 0; i < 60; i++) {
        vvLedgerRow row = step(w);
        step(alone);
        assert_true(row.minGap > 0); /* of the pairs that touch only */
        assert_true(lowest(w, solid) > 0 && lowest(w, other) > -0.3);
        for (int k = 0; k < 3 * nodes; k++)
            worst = fmax(worst, fabs(vvWorldPositions(w)[3 * nodes + k] - vvWorldPositions(alone)[k]));
    }
    print_message("filtered ball: %.4f m deep, %.2g m off the one that is alone\n", -lowest(w, other), worst);
    assert_true(lowest(w, other) < -0.2 && lowest(w, solid) < 0.02);
    assert_less(worst, 2e-5); /* the same motion, solved together with the other ball: within the solver's tolerance */
    vvWorldDestroy(w);
    vvWorldDestroy(alone);
}

/* A start inside of an obstacle is refused only where the two touch. */
static void start_inside_of_what_it_does_not_touch(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = vvDefaultWorldDef();
    d.threads = 1;
    for (int refused = 0; refused < 2; refused++) {
        vvWorld *w = new_world(&d);
        vvFilter mine = filter_of(1, UINT64_MAX, -1), floor_filter = filter_of(1, UINT64_MAX, refused ? -2 : -1);
        drop(w, 0, mine);
        floor_at(w, 0.05, floor_filter);
        assert_int_equal(vvWorldBake(w, &error), refused ? VV_ERROR_INPUT : VV_OK);
        assert_true(!refused || strstr(error.message, "starts inside obstacle 0"));
        vvWorldDestroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rule),
        cmocka_unit_test(falls_through_what_it_does_not_touch),
        cmocka_unit_test(start_inside_of_what_it_does_not_touch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

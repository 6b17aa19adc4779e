/* layer: world
 * Contact events and points: against distances worked out here, at landing and leaving, at rest, over saved states,
 * failed steps, filters. */
#include "world_support.h"

#include "base/vec.h"
#include "contact/obstacle.h"
#include "visviva/contact.h"

static vvContactEvents events_of(vvWorld *w)
{
    vvError error = { 0 };
    vvContactEvents e;
    assert_ok(vvWorldContactEvents(w, &e, &error));
    return e;
}

static int points_of(vvWorld *w, const vvContactPoint **points)
{
    vvError error = { 0 };
    int count;
    assert_ok(vvWorldContactPoints(w, points, &count, &error));
    return count;
}

static double distance_to(const vvWorld *w, int index, const double *x, double *n)
{
    const double *values;
    vv_obstacle o = { .ops = vv_obstacle_find(vvWorldObstacle(w, index, &values, NULL)) };
    assert_int_equal(o.ops->prepare(values, o.shape, NULL), VV_OK);
    return o.ops->distance(o.shape, x, n, NULL);
}

/* By a loop over all nodes, which are all on the surface of these worlds' bodies or deeper inside than d-hat. */
static bool touches(const vvWorld *w, int body, int obstacle_index)
{
    int first, count;
    vvBodyNodes(w, vvWorldBody(w, body), &first, &count);
    for (int i = first; i < first + count; i++)
        if (distance_to(w, obstacle_index, vvWorldPositions(w) + 3 * i, NULL) < vvWorldGetDef(w)->contact.distance)
            return true;
    return false;
}

static bool listed(const vvContactPair *list, int count, int body, int obstacle_index)
{
    int found = 0;
    for (int i = 0; i < count; i++) {
        assert_true(list[i].other.index1 == 0);
        found += list[i].body.index1 == body + 1 && list[i].obstacle.index1 == obstacle_index + 1;
    }
    assert_true(found <= 1);
    return found == 1;
}

enum { BODIES = 3, OBSTACLES = 4, GHOST = 3 }; /* the last obstacle is there for the second body only */

static vvWorld *three_on_four(void)
{
    vvError error = { 0 };
    vvWorldDef d = vvDefaultWorldDef();
    d.threads = 1;
    d.integrator.policy = "search";
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material.young = 5e4;
    for (int b = 0; b < BODIES; b++) {
        def.translate[0] = 0.5 * b;
        def.translate[1] = 0.08 + 0.03 * b;
        def.filter.category = b == 1 ? 2 : 1;
        vvBodyId id = add_ball(w, 0.05, 2, &def);
        set_state(w, id, "linear", (double[]){ 0.8, 0, 0 });
    }
    obstacle(w, "plane", NULL, -1);
    obstacle(w, "plane", (double[]){ 1.3, 0, 0, -1, 0.2, 0 }, -1); /* a wall that the balls come to one by one */
    obstacle(w, "sphere", (double[]){ 0.3, 0, 0, 0.03 }, -1);
    vvObstacleDef ghost = vvDefaultObstacleDef();
    ghost.values = (double[]){ 0, 0.01, 0, 0, 1, 0 };
    ghost.filter.mask = 2;
    assert_ok(vvWorldAddObstacle(w, &ghost, NULL, &error));
    return w;
}

static void pairs_agree_with_distances(void **state)
{
    (void)state;
    vvWorld *w = three_on_four();
    vvContactEvents e = events_of(w);
    assert_true(e.beganCount == 0 && e.endedCount == 0 && e.touchingCount == 0); /* before the first step */
    bool before[BODIES][OBSTACLES] = { { false } };
    int began = 0, ended = 0;
    for (int i = 0; i < 150; i++) {
        step(w);
        e = events_of(w);
        int now = 0;
        for (int b = 0; b < BODIES; b++)
            for (int o = 0; o < OBSTACLES; o++) {
                bool touch = (o != GHOST || b == 1) && touches(w, b, o);
                assert_int_equal(listed(e.touching, e.touchingCount, b, o), touch);
                assert_int_equal(listed(e.began, e.beganCount, b, o), touch && !before[b][o]);
                assert_int_equal(listed(e.ended, e.endedCount, b, o), !touch && before[b][o]);
                before[b][o] = touch;
                now += touch;
            }
        assert_int_equal(e.touchingCount, now);
        began += e.beganCount, ended += e.endedCount;
    }
    print_message("%d contacts began, %d ended\n", began, ended);
    assert_true(began > 6 && ended > 3);
    vvWorldDestroy(w);
}

/* A ball lands once and leaves once: one event of each kind, the points are there in between. */
static void one_begin_at_landing_one_end_at_leaving(void **state)
{
    (void)state;
    vvWorldDef d = vvDefaultWorldDef();
    d.threads = 1;
    d.integrator.policy = "search";
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("neo-hookean", 1e5);
    def.translate[1] = 0.25;
    vvBodyId ball = add_ball(w, 0.1, 3, &def);
    obstacle(w, "plane", NULL, -1);
    int began = 0, ended = 0, at[2] = { 0, 0 };
    for (int i = 0; i < 60 && !ended; i++) {
        const vvContactPoint *points;
        step(w);
        vvContactEvents e = events_of(w);
        began += e.beganCount, ended += e.endedCount;
        at[0] = e.beganCount ? i : at[0], at[1] = e.endedCount ? i : at[1];
        if (e.beganCount)
            assert_true(e.began[0].body.index1 == ball.index1 && e.began[0].body.generation == ball.generation &&
                        e.began[0].obstacle.index1 == 1);
        assert_int_equal(points_of(w, &points) > 0, began > ended);
    }
    print_message("lands in step %d, leaves in step %d\n", at[0], at[1]);
    assert_true(began == 1 && ended == 1 && at[1] > at[0] + 3);
    vvWorldDestroy(w);
}

/* In a groove of two planes, and on a box's edge: the contact forces carry the weight; each is the barrier's slope. */
static void forces_at_rest_carry_the_weight(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = vvDefaultWorldDef();
    d.threads = 1;
    d.solver.tolerance = 1e-7;
    d.solver.linear = "cholesky";
    d.gravity[2] = 1; /* against a third wall */
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material.damping.drag = 20;
    def.translate[1] = 0.15;
    add_ball(w, 0.1, 3, &def);
    obstacle(w, "plane", (double[]){ 0, 0, 0, 1, 1, 0 }, -1);
    obstacle(w, "plane", (double[]){ 0, 0, 0, -1, 2, 0 }, -1);
    obstacle(w, "plane", (double[]){ 0, 0, 0.11, 0, 0, -1 }, -1);
    steps(w, 400);
    double energy;
    assert_ok(vvWorldSettle(w, true, &energy, &error));
    steps(w, 5);
    const vvContactPoint *points;
    int count = points_of(w, &points), seen[3] = { 0 };
    double sum[3] = { 0, 0, 0 }, mass = 0, weight;
    for (int i = 0; i < vvWorldNodeCount(w); i++)
        mass += vvWorldMasses(w)[i];
    for (int i = 0; i < count; i++) {
        const vvContactPoint *p = points + i;
        const double *x = vvWorldPositions(w) + 3 * p->side.vertices[0];
        double n[3], y[3];
        assert_true(p->side.body.index1 == 1 && p->side.count == 1 && p->side.weights[0] == 1);
        assert_true(p->other.body.index1 == 0 && p->other.count == 0 && p->obstacle.index1 >= 1);
        assert_near(p->gap, distance_to(w, p->obstacle.index1 - 1, x, n), 1e-15);
        assert_true(p->gap > 0 && p->gap < d.contact.distance && p->force > 0);
        for (int k = 0; k < 3; k++) {
            assert_near(p->normal[k], n[k], 1e-15);
            y[k] = p->point[k];
            sum[k] += p->force * p->normal[k];
        }
        assert_near(distance_to(w, p->obstacle.index1 - 1, y, NULL), 0, 1e-15);
        assert_near(distance3(x, y), p->gap, 1e-15);
        seen[p->obstacle.index1 - 1]++;
    }
    weight = mass * norm3(d.gravity);
    print_message("%d points (%d, %d, %d); off the weight by (%.2g, %.2g, %.2g) of it\n", count, seen[0], seen[1],
                  seen[2], sum[0] / weight, sum[1] / weight + d.gravity[1] / norm3(d.gravity),
                  sum[2] / weight + d.gravity[2] / norm3(d.gravity));
    assert_true(seen[0] > 0 && seen[1] > 0 && seen[2] > 0);
    for (int k = 0; k < 3; k++)
        assert_near(sum[k], -mass * d.gravity[k], 1e-4 * weight);
    /* and the force is minus the slope of the contact energy */
    int n = 3 * vvWorldNodeCount(w);
    double *x = copy_of(vvWorldPositions(w), n), slope[2], e = 1e-7;
    for (int s = 0; s < 2; s++) {
        double *y = copy_of(x, n);
        for (int i = 1; i < n; i += 3)
            y[i] += s ? e : -e;
        assert_ok(vvWorldSetState(w, y, NULL, &error));
        slope[s] = ledger(w).contact;
        free(y);
    }
    assert_near((slope[1] - slope[0]) / (2 * e), -sum[1], 1e-5 * weight);
    free(x);
    vvWorldDestroy(w);
}

/* What starts in touch begins with the first step; what the filters part never does. */
static void starts_and_filters(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = vvDefaultWorldDef();
    d.threads = 1;
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.translate[1] = 0.05 + 5e-4;
    add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 2, 2, 2 }, 6, &def);
    vvObstacleDef ghost = vvDefaultObstacleDef();
    ghost.filter.category = 4;
    ghost.filter.mask = 0;
    assert_ok(vvWorldAddObstacle(w, &ghost, NULL, &error));
    obstacle(w, "plane", NULL, -1);
    const vvContactPoint *points;
    assert_int_equal(points_of(w, &points), 9); /* there is no need to step for them */
    assert_int_equal(events_of(w).touchingCount, 0);
    for (int i = 0; i < 9; i++)
        assert_true(points[i].obstacle.index1 == 2);
    step(w);
    vvContactEvents e = events_of(w);
    assert_true(e.beganCount == 1 && e.touchingCount == 1 && e.endedCount == 0);
    assert_true(listed(e.began, 1, 0, 1) && listed(e.touching, 1, 0, 1));
    step(w);
    e = events_of(w);
    assert_true(e.beganCount == 0 && e.touchingCount == 1 && e.endedCount == 0);
    vvWorldDestroy(w);
}

static bool same(const vvContactPair *a, int a_count, const vvContactPair *b, int b_count)
{
    return a_count == b_count && (a_count == 0 || memcmp(a, b, (size_t)a_count * sizeof *a) == 0);
}

/* A world that goes on from a saved state has the events of the one that was never interrupted. */
static void loading_goes_on(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *a = three_on_four(), *b = three_on_four();
    int news = 0;
    steps(a, 30);
    size_t size = vvWorldStateSize(a);
    void *saved = malloc(size);
    for (int i = 0; i < 60; i += 12) {
        assert_ok(vvWorldSaveState(a, saved, size, &error));
        vvContactEvents before = events_of(a);
        assert_ok(vvWorldBake(b, &error));
        assert_ok(vvWorldLoadState(b, saved, size, &error));
        vvContactEvents loaded = events_of(b);
        assert_true(loaded.beganCount == 0 && loaded.endedCount == 0);
        assert_true(same(loaded.touching, loaded.touchingCount, before.touching, before.touchingCount));
        for (int k = 0; k < 12; k++) {
            step(a);
            step(b);
            vvContactEvents x = events_of(a), y = events_of(b);
            assert_true(same(x.began, x.beganCount, y.began, y.beganCount));
            assert_true(same(x.ended, x.endedCount, y.ended, y.endedCount));
            assert_true(same(x.touching, x.touchingCount, y.touching, y.touchingCount));
            news += x.beganCount + x.endedCount;
        }
    }
    print_message("%d events after loading\n", news);
    assert_true(news > 4);
    free(saved);
    vvWorldDestroy(a);
    vvWorldDestroy(b);
}

static bool always(void *user)
{
    (void)user;
    return true;
}

static void failed_steps_change_nothing(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = three_on_four();
    vvContactEvents e;
    do {
        step(w);
        e = events_of(w);
    } while (e.beganCount == 0);
    vvContactPair pair = e.began[0];
    vvWorldSetCancel(w, always, NULL);
    assert_int_equal(vvWorldStep(w, NULL, &error), VV_CANCELLED);
    e = events_of(w);
    assert_true(e.beganCount > 0 && memcmp(&pair, e.began, sizeof pair) == 0);
    vvWorldSetCancel(w, NULL, NULL);
    step(w);
    e = events_of(w);
    assert_false(listed(e.began, e.beganCount, pair.body.index1 - 1, pair.obstacle.index1 - 1));
    assert_int_equal(vvWorldContactEvents(w, NULL, &error), VV_ERROR_INPUT);
    int count;
    assert_int_equal(vvWorldContactPoints(w, NULL, &count, &error), VV_ERROR_INPUT);
    vvWorldDestroy(w);
}

/* Worlds without obstacles, or without bodies yet. */
static void nothing_to_touch(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = vvDefaultWorldDef();
    d.threads = 1;
    vvWorld *w = new_world(&d);
    const vvContactPoint *points;
    int count = 3;
    assert_int_equal(events_of(w).touchingCount, 0);
    assert_int_equal(vvWorldContactPoints(w, &points, &count, &error), VV_ERROR_INPUT); /* nothing to bake */
    assert_int_equal(count, 0);
    vvBodyDef def = vvDefaultBodyDef();
    add_ball(w, 0.1, 1, &def);
    step(w);
    assert_int_equal(events_of(w).touchingCount, 0);
    assert_int_equal(points_of(w, &points), 0);
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_agree_with_distances),
        cmocka_unit_test(one_begin_at_landing_one_end_at_leaving),
        cmocka_unit_test(forces_at_rest_carry_the_weight),
        cmocka_unit_test(starts_and_filters),
        cmocka_unit_test(loading_goes_on),
        cmocka_unit_test(failed_steps_change_nothing),
        cmocka_unit_test(nothing_to_touch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

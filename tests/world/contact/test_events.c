/* Contact events and points: against distances worked out here, at landing and leaving, at rest, over saved states,
 * failed steps, filters. */
#include "size.h"
#include "world_support.h"

#include "base/vec.h"
#include "contact/obstacles/obstacle.h"
#include "visviva/contact.h"
#include "visviva/query.h"

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
    return vv_obstacle_distance(&o, x, n, NULL);
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
        def.filter.category = b == 1 ? 16 : 8;
        def.filter.mask = 1; /* obstacles, not each other */
        vvBodyId id = add_ball(w, 0.05, 2, &def);
        set_state(w, id, "linear", (double[]){ 0.8, 0, 0 });
    }
    obstacle(w, "plane", NULL, -1);
    obstacle(w, "plane", (double[]){ 1.3, 0, 0, -1, 0.2, 0 }, -1); /* a wall that the balls come to one by one */
    obstacle(w, "sphere", (double[]){ 0.3, 0, 0, 0.03 }, -1);
    vvObstacleDef ghost = vvDefaultObstacleDef();
    shape_obstacle(&ghost, (double[]){ 0, 0.01, 0, 0, 1, 0 });
    ghost.filter.mask = 16;
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
    NUMBERS_ONLY();
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
        assert_true(p->gap > 0 && p->gap < vvWorldGetDef(w)->contact.distance && p->force > 0);
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
    d.contact.distance = 1e-3;
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

/* Contacts with what is taken out end, those of the others go on, whatever place they have now. */
static void structure_changes(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = vvDefaultWorldDef();
    d.threads = 1;
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    vvBodyId box[3];
    for (int b = 0; b < 3; b++) {
        def.translate[0] = b;
        def.translate[1] = 0.05 + 5e-4;
        box[b] = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 1, 1, 1 }, 6, &def);
    }
    obstacle(w, "sphere", (double[]){ 0, 9, 0, 1 }, -1);
    obstacle(w, "plane", NULL, -1);
    steps(w, 5);
    vvContactEvents e = events_of(w);
    assert_true(e.touchingCount == 3 && e.beganCount == 0 && e.endedCount == 0);
    vvSnapshot *snapshot;
    assert_ok(vvWorldSnapshot(w, &snapshot, &error));
    assert_ok(vvWorldRemoveBody(w, box[0], &error));
    assert_ok(vvWorldRemoveObstacle(w, vvWorldObstacleAt(w, 0), &error));
    const vvContactPoint *points;
    int count = points_of(w, &points);
    for (int i = 0; i < count; i++)
        assert_true(vvBodyIsValid(w, points[i].side.body) && vvObstacleIsValid(w, points[i].obstacle));
    assert_int_equal(count, 8); /* four corners of two boxes */
    step(w);
    e = events_of(w);
    assert_true(e.touchingCount == 2 && e.beganCount == 0 && e.endedCount == 1);
    assert_true(e.ended[0].body.index1 == box[0].index1 && e.ended[0].body.generation == box[0].generation);
    assert_false(vvBodyIsValid(w, e.ended[0].body));
    assert_true(e.touching[0].body.index1 == box[1].index1 && e.touching[1].body.index1 == box[2].index1);
    vvObstacleId plane = e.touching[0].obstacle;
    assert_ok(vvWorldRemoveObstacle(w, plane, &error));
    obstacle(w, "plane", (double[]){ 0, -1e-5, 0, 0, 1, 0 }, -1); /* another one, nearly in its place */
    step(w);
    e = events_of(w);
    assert_true(e.touchingCount == 2 && e.beganCount == 2 && e.endedCount == 2);
    for (int i = 0; i < 2; i++)
        assert_true(e.ended[i].obstacle.generation == plane.generation && !vvObstacleIsValid(w, e.ended[i].obstacle) &&
                    vvObstacleIsValid(w, e.began[i].obstacle));
    assert_ok(vvWorldRestore(w, snapshot, &error));
    e = events_of(w);
    assert_true(e.touchingCount == 3 && e.beganCount == 0 && e.endedCount == 0);
    step(w);
    e = events_of(w);
    assert_true(e.touchingCount == 3 && e.beganCount == 0 && e.endedCount == 0);
    vvSnapshotDestroy(snapshot);
    vvWorldDestroy(w);
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

/* ---- memory ------------------------------------------------------------------------------------------------------ */

typedef struct purse {
    int live, left, made; /* blocks out, still to be had, given */
} purse;

static void *take(void *user, size_t bytes, size_t alignment)
{
    purse *p = user;
    if (p->left-- <= 0)
        return NULL;
    p->live++, p->made++;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void give(void *user, void *block, size_t bytes)
{
    (void)bytes;
    ((purse *)user)->live--;
    free(block);
}

/* Everything that events and queries tell; numbers to compare. */
enum { ANSWERS = 10 };
static vvStatus ask(vvWorld *w, int what, double *answers)
{
    vvError error = { 0 };
    vvStatus s = VV_OK;
    if (what == 0) {
        vvContactEvents e;
        s = vvWorldContactEvents(w, &e, &error);
        answers[0] = e.beganCount, answers[1] = e.endedCount, answers[2] = e.touchingCount;
    } else if (what == 1) {
        const vvContactPoint *points;
        int count;
        s = vvWorldContactPoints(w, &points, &count, &error);
        answers[3] = count, answers[4] = count ? points[count - 1].force : 0;
    } else if (what == 2) {
        vvRay ray = vvDefaultRay();
        vvRayHit hit;
        bool found;
        ray.origin[1] = 2, ray.direction[1] = -1;
        s = vvWorldCastRay(w, &ray, &hit, &found, &error);
        answers[5] = found, answers[6] = hit.distance, answers[7] = hit.triangle;
    } else {
        vvOverlap o = vvDefaultOverlap();
        int count;
        o.center[1] = 0.1, o.kind = VV_SHAPE_SPHERE, o.radius = 0.01;
        s = vvWorldOverlapBodies(w, &o, NULL, 0, &count, &error);
        answers[8] = count, answers[9] = s == VV_OK;
    }
    assert_true(s == VV_OK || (s == VV_ERROR_MEMORY && strstr(error.message, "memory")));
    return s;
}

static vvWorld *about_to_land(purse *p)
{
    vvWorldDef d = vvDefaultWorldDef();
    d.threads = 1;
    d.host.allocator = (vvAllocator){ take, give, p };
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material.young = 5e4;
    def.translate[1] = 0.12;
    add_ball(w, 0.1, 2, &def);
    obstacle(w, "plane", NULL, -1);
    do
        step(w);
    while (ledger(w).minGap > 0.01);
    return w;
}

/* At every block that cannot be had in landing and asking: the call says so, or the step goes on; asked again, with
 * memory, all is told that would have been told. Nothing leaks, and once warm nothing is allocated. */
static void memory_runs_out(void **state)
{
    (void)state;
    double want[ANSWERS] = { 0 };
    int refused = 1, k = -1;
    for (; refused; k++) {
        purse p = { .left = 1 << 30 };
        vvWorld *w = about_to_land(&p);
        vvContactEvents e = events_of(w);
        assert_int_equal(e.touchingCount, 0);
        refused = k < 0;
        do
            step(w);
        while (ledger(w).minGap > vvWorldGetDef(w)->contact.distance);
        p.left = k < 0 ? 1 << 30 : k;
        double got[ANSWERS] = { 0 };
        for (int what = 0; what < 4; what++)
            if (ask(w, what, got) != VV_OK) {
                refused++;
                p.left = 1 << 30;
                assert_int_equal(ask(w, what, got), VV_OK);
            }
        if (k < 0)
            memcpy(want, got, sizeof want);
        assert_memory_equal(got, want, sizeof want);
        assert_true(want[0] == 1 && want[2] == 1 && want[3] > 0 && want[5] == 1 && want[8] == 1);
        p.left = 1 << 30;
        int made = 0;
        for (int i = 0; i < 6; i++) {
            made = i == 3 ? p.made : made;
            step(w);
            for (int what = 0; what < 4; what++)
                assert_int_equal(ask(w, what, got), VV_OK);
        }
        assert_int_equal(p.made, made);
        vvWorldDestroy(w);
        assert_int_equal(p.live, 0);
    }
    print_message("%d blocks refused one after the other\n", k - 1);
    assert_true(k > 8);
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
        cmocka_unit_test(structure_changes),
        cmocka_unit_test(failed_steps_change_nothing),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(nothing_to_touch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

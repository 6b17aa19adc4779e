/* vvWorldFindTooNear: what starts nearer than its thickness allows, or in an obstacle, with gaps that are right, also
 * in worlds that cannot be baked because of it. */
#include "world_support.h"

#include "visviva/contact.h"

enum { ROOM = 4096 };

static vvWorld *contact_world(const char *model)
{
    vvWorldDef d = free_def("backward-euler", 1.0 / 120, 1e-3);
    d.contact.model = model;
    return new_world(&d);
}

static vvBodyId box_at(vvWorld *w, double x, double thickness)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.translate[0] = x;
    def.thickness = thickness;
    return add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 2, 2, 2 }, 5, &def);
}

static int count_of(vvWorld *w)
{
    vvError error = { 0 };
    int count = -1;
    assert_ok(vvWorldFindTooNear(w, NULL, 0, &count, &error));
    return count;
}

/* The weighted sum of the side's vertices at the start. */
static void place_of(const vvWorld *w, const double *x, const vvContactSide *side, double at[3])
{
    int first, nodes;
    vvBodyNodes(w, side->body, &first, &nodes);
    for (int k = 0; k < 3; k++)
        at[k] = 0;
    for (int i = 0; i < side->count; i++) {
        assert_in_range(side->vertices[i], 0, nodes - 1);
        for (int k = 0; k < 3; k++)
            at[k] += side->weights[i] * x[3 * (first + side->vertices[i]) + k];
    }
}

/* 20 mm between them, 25 mm kept: 5 mm too near, at all 9 vertices of a face. */
static void test_thick_bodies(void **state)
{
    (void)state;
    vvError error = { 0 };
    for (int off = 0; off < 2; off++) {
        vvWorld *w = contact_world(off ? "none" : "barrier");
        box_at(w, 0, 0.05);
        vvBodyId other = box_at(w, 0.12, 0);
        int all = count_of(w), count = -1, faces = 0;
        assert_in_range(all, 9, ROOM);
        vvContactPoint *list = calloc(ROOM, sizeof *list);
        double *x = malloc(3 * (size_t)vvWorldNodeCount(w) * sizeof *x), a[3], b[3];
        assert_ok(vvWorldStartPositions(w, x, &error));
        assert_ok(vvWorldFindTooNear(w, list, ROOM, &count, &error));
        assert_int_equal(count, all);
        for (int i = 0; i < all; i++) {
            place_of(w, x, &list[i].side, a);
            place_of(w, x, &list[i].other, b);
            assert_true(list[i].obstacle.index1 == 0 && list[i].force == 0);
            assert_true(fabs(list[i].gap - (distance3(a, b) - 0.025)) < 1e-12 && list[i].gap <= 0);
            assert_true(list[i].gap > -0.005 - 1e-12 && fabs(list[i].normal[0]) > 0.7);
            assert_true(distance3(b, list[i].point) < 1e-12);
            for (int k = 0; k < 3; k++) /* from the other to the side */
                assert_true(fabs(list[i].normal[k] * distance3(a, b) - (a[k] - b[k])) < 1e-12);
            faces += fabs(list[i].gap + 0.005) < 1e-12;
        }
        assert_true(faces >= 9);
        vvContactPoint untouched = list[3];
        memset(&untouched, 0xee, sizeof untouched);
        list[3] = untouched;
        assert_ok(vvWorldFindTooNear(w, list, 3, &count, &error)); /* less room: the same count */
        assert_int_equal(count, all);
        assert_memory_equal(&list[3], &untouched, sizeof untouched);
        assert_int_equal(vvWorldFindTooNear(w, NULL, 1, &count, &error), VV_ERROR_INPUT);
        assert_int_equal(vvWorldFindTooNear(w, list, -1, &count, &error), VV_ERROR_INPUT);
        assert_int_equal(vvWorldFindTooNear(w, list, 1, NULL, &error), VV_ERROR_INPUT);

        /* it can be mended */
        if (!off) {
            assert_int_equal(vvWorldBake(w, &error), VV_ERROR_INPUT);
            assert_non_null(strstr(error.message, "too near each other"));
        }
        assert_int_equal(count_of(w), all);
        assert_ok(vvWorldRemoveBody(w, other, &error));
        box_at(w, 0.126, 0);
        assert_int_equal(count_of(w), 0);
        assert_ok(vvWorldBake(w, &error));
        assert_int_equal(count_of(w), 0);
        free(list);
        free(x);
        vvWorldDestroy(w);
    }
}

/* The box reaches 50 mm below the origin, the plane 40 mm: 9 vertices are 10 mm deep; not where a filter keeps them
 * apart. */
static void test_obstacles(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = contact_world("barrier");
    vvContactPoint list[16];
    int count = -1;
    box_at(w, 0, 0);
    obstacle(w, "plane", (double[]){ 0, -1, 0, 0, 1, 0 }, 0);
    assert_int_equal(count_of(w), 0);
    obstacle(w, "plane", (double[]){ 0, -0.04, 0, 0, 1, 0 }, 0);
    assert_int_equal(vvWorldBake(w, &error), VV_ERROR_INPUT);
    assert_ok(vvWorldFindTooNear(w, list, 16, &count, &error));
    assert_int_equal(count, 9);
    for (int i = 0; i < count; i++) {
        assert_int_equal(list[i].obstacle.index1, vvWorldObstacleAt(w, 1).index1);
        assert_true(fabs(list[i].gap + 0.01) < 1e-12 && list[i].normal[1] == 1 &&
                    fabs(list[i].point[1] + 0.04) < 1e-12);
    }
    assert_ok(vvWorldRemoveObstacle(w, vvWorldObstacleAt(w, 1), &error));
    vvObstacleDef def = vvDefaultObstacleDef();
    double values[6] = { 0, -0.04, 0, 0, 1, 0 };
    def.type = "plane";
    shape_obstacle(&def, values);
    def.filter.mask = 2;
    assert_ok(vvWorldAddObstacle(w, &def, NULL, &error));
    assert_int_equal(count_of(w), 0);
    assert_ok(vvWorldBake(w, &error));
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_thick_bodies), cmocka_unit_test(test_obstacles) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* vvWorldFindIntersections: what it finds and what it leaves out, also in worlds that cannot be baked; and the test
 * after each step, which must see what a broad phase that has lost its pairs lets through. */
#include "world_support.h"

#include "visviva/contact.h"
#include "world/world.h"

static vvWorldDef touching_def(void)
{
    vvWorldDef d = free_def("backward-euler", 1.0 / 120, 1e-3);
    d.contact.model = "barrier";
    return d;
}

static vvBodyDef named(const char *name, double x, double y, double z)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.name = name;
    def.translate[0] = x, def.translate[1] = y, def.translate[2] = z;
    return def;
}

static vvBodyId box_at(vvWorld *w, vvBodyDef def, double size, int cells)
{
    return add_box_def(w, (double[]){ size, size, size }, (int[]){ cells, cells, cells }, 5, &def);
}

static int count_of(vvWorld *w)
{
    vvError error = { 0 };
    int count = -1;
    assert_ok(vvWorldFindIntersections(w, NULL, 0, &count, &error));
    return count;
}

static bool same_id(vvBodyId a, vvBodyId b) { return a.index1 == b.index1 && a.generation == b.generation; }

/* The element's box holds the point, or nearly. */
static void assert_side(const vvWorld *w, const double *x, const vvContactSide *side, const double point[3])
{
    int first, nodes;
    vvBodyNodes(w, side->body, &first, &nodes);
    assert_true(side->count == 2 || side->count == 3);
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int c = 0; c < side->count; c++) {
            assert_in_range(side->vertices[c], 0, nodes - 1);
            low = fmin(low, x[3 * (first + side->vertices[c]) + k]);
            high = fmax(high, x[3 * (first + side->vertices[c]) + k]);
        }
        assert_true(point[k] >= low - 1e-9 && point[k] <= high + 1e-9);
    }
}

static void assert_sound(vvWorld *w, const vvIntersection *list, int count)
{
    vvError error = { 0 };
    double *x = malloc(3 * (size_t)vvWorldNodeCount(w) * sizeof *x);
    assert_ok(vvWorldStartPositions(w, x, &error));
    for (int i = 0; i < count; i++) {
        assert_side(w, x, &list[i].a, list[i].point);
        assert_side(w, x, &list[i].b, list[i].point);
    }
    free(x);
}

/* ---- two boxes ---- */

static void test_two_boxes(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = touching_def();
    vvWorld *w = new_world(&d);
    vvBodyId far = box_at(w, named("far", 5, 0, 0), 0.1, 2);
    vvBodyId low = box_at(w, named("low", 0, 0, 0), 0.1, 2), high = box_at(w, named("high", 0.03, 0.08, 0.01), 0.1, 2);
    int all = count_of(w), count = -1;
    assert_true(all > 8);
    vvIntersection *whole = calloc((size_t)all + 1, sizeof *whole), *part = calloc((size_t)all + 1, sizeof *part);
    assert_ok(vvWorldFindIntersections(w, whole, all, &count, &error));
    assert_int_equal(count, all);
    assert_sound(w, whole, all);
    for (int i = 0; i < all; i++)
        assert_true(same_id(whole[i].a.body, low) && same_id(whole[i].b.body, high) && !same_id(whole[i].a.body, far));
    for (int room = 1; room < all; room += 3) { /* less room: the first of the same, and the same count */
        memset(part, 0xee, ((size_t)all + 1) * sizeof *part);
        vvIntersection untouched = part[room];
        assert_ok(vvWorldFindIntersections(w, part, room, &count, &error));
        assert_int_equal(count, all);
        assert_memory_equal(part, whole, (size_t)room * sizeof *part);
        assert_memory_equal(&part[room], &untouched, sizeof untouched);
    }
    assert_int_equal(vvWorldFindIntersections(w, NULL, 4, &count, &error), VV_ERROR_INPUT);
    assert_int_equal(vvWorldFindIntersections(w, part, -1, &count, &error), VV_ERROR_INPUT);
    assert_int_equal(vvWorldFindIntersections(w, part, 1, NULL, &error), VV_ERROR_INPUT);
    assert_int_equal(vvWorldStartPositions(w, NULL, &error), VV_ERROR_INPUT);

    /* such a world is not baked, with a message; it can be asked all the same, and be mended */
    assert_int_equal(vvWorldBake(w, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "bodies intersect"));
    assert_non_null(strstr(error.message, "\"low\""));
    assert_non_null(strstr(error.message, "\"high\""));
    assert_null(strstr(error.message, "\"far\""));
    assert_int_equal(count_of(w), all);
    assert_ok(vvWorldRemoveBody(w, high, &error));
    assert_int_equal(count_of(w), 0);
    box_at(w, named("above", 0.03, 0.12, 0.01), 0.1, 2);
    assert_ok(vvWorldBake(w, &error));
    assert_int_equal(count_of(w), 0);
    free(whole);
    free(part);
    vvWorldDestroy(w);
}

/* contact.model does not matter, baked or not; filters do. */
static void test_filters(void **state)
{
    (void)state;
    vvError error = { 0 };
    for (int off = 0; off < 2; off++) {
        vvWorldDef d = touching_def();
        d.contact.model = off ? "none" : "barrier";
        vvWorld *w = new_world(&d);
        vvBodyDef def = named("a", 0, 0, 0);
        def.filter = filter_of(2, 1 | 4, 7);
        vvBodyId a = box_at(w, def, 0.1, 1);
        def = named("b", 0.05, 0.05, 0.05);
        def.filter.category = 2;
        vvBodyId b = box_at(w, def, 0.1, 1);
        assert_int_equal(count_of(w), 0);
        assert_ok(vvWorldBake(w, &error));
        assert_int_equal(count_of(w), 0);
        assert_true(vvBodyFilter(w, a).category == 2 && vvBodyFilter(w, a).mask == 5 && vvBodyFilter(w, a).group == 7);
        assert_true(vvBodyFilter(w, b).mask == UINT64_MAX);
        assert_true(vvBodyFilter(w, (vvBodyId){ 9, 9 }).category == 0 && !vvBodySelfContact(w, (vvBodyId){ 9, 9 }));
        def = named("c", 0.05, -0.05, 0.05);
        def.filter.category = 4;
        box_at(w, def, 0.1, 1);
        assert_true(count_of(w) > 0);
        assert_int_equal(vvWorldBake(w, &error), off ? VV_OK : VV_ERROR_INPUT);
        assert_true(count_of(w) > 0);
        vvWorldDestroy(w);
    }
}

/* ---- kinematic bodies ---- */

static void test_kinematic(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = touching_def();
    vvWorld *w = new_world(&d);
    const vvWaypoint here[] = { { .time = 0, .offset = { 0, -0.07, 0 } }, { .time = 1 } };
    vvBodyDef def = named("press", 0, 0.15, 0);
    def.kinematic = true;
    def.motion.waypoints = here, def.motion.waypointCount = 2;
    vvBodyId press = box_at(w, def, 0.1, 1), body = box_at(w, named("body", 0.01, 0, 0.01), 0.1, 1);
    assert_true(count_of(w) > 0); /* only where its motion begins */
    int first, nodes;
    double *x = malloc(3 * (size_t)vvWorldNodeCount(w) * sizeof *x);
    assert_ok(vvWorldStartPositions(w, x, &error));
    vvBodyNodes(w, press, &first, &nodes);
    for (int i = 3 * first; i < 3 * (first + nodes); i++)
        assert_near(x[i], vvWorldPositions(w)[i] - (i % 3 == 1 ? 0.07 : 0), 1e-15);
    assert_int_equal(vvWorldBake(w, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "\"press\""));
    assert_ok(vvWorldRemoveBody(w, body, &error));
    def = named("other press", 0, 0.08, 0);
    def.kinematic = true;
    box_at(w, def, 0.1, 1); /* kinematic bodies do not meet */
    assert_int_equal(count_of(w), 0);
    free(x);
    vvWorldDestroy(w);
}

/* ---- one body ---- */

static void test_self(void **state)
{
    (void)state;
    vvError error = { 0 };
    /* two quads through each other, in one mesh: cells of 0.2 m in the planes y = 0 and x = 0 */
    static double x[] = {
        -1, 0, -1, 1, 0, -1, 1, 0, 1, -1, 0, 1, 0, -0.5, -0.6, 0, 0.7, -0.6, 0, 0.7, 0.4, 0, -0.5, 0.4
    };
    static int triangles[] = { 0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7 };
    for (int variant = 0; variant < 3; variant++) {
        vvWorldDef d = touching_def();
        d.contact.self = variant != 1;
        vvWorld *w = new_world(&d);
        vvMesh mesh = { .vertexCount = 8, .triangleCount = 4, .positions = x, .triangles = triangles };
        vvBodyDef def = named("crossed", 0, 0, 0);
        def.mesh = &mesh;
        def.material = material("hooke", 1);
        def.selfContact = variant != 2;
        vvBodyId id;
        assert_ok(vvWorldAddBody(w, &def, &id, &error));
        assert_int_equal(vvBodySelfContact(w, id), variant == 0);
        vvIntersection list[16];
        int count;
        assert_ok(vvWorldFindIntersections(w, list, 16, &count, &error));
        if (variant == 0) {
            assert_in_range(count, 2, 4);
            assert_sound(w, list, count);
            assert_true(same_id(list[0].a.body, list[0].b.body));
            assert_int_equal(vvWorldBake(w, &error), VV_ERROR_INPUT);
        } else {
            assert_int_equal(count, 0);
            assert_ok(vvWorldBake(w, &error));
        }
        if (variant == 2) { /* and when it is asked to */
            assert_ok(vvBodySetSelfContact(w, id, true, &error));
            assert_true(vvBodySelfContact(w, id) && count_of(w) > 0);
        }
        vvWorldDestroy(w);
    }
}

static vvBodyId add_rod(vvWorld *w, const char *name, const double from[3], const double to[3])
{
    vvError error = { 0 };
    double x[6] = { from[0], from[1], from[2], to[0], to[1], to[2] };
    int edge[2] = { 0, 1 };
    vvMesh mesh = { .vertexCount = 2, .edgeCount = 1, .positions = x, .edges = edge };
    vvBodyDef def = named(name, 0, 0, 0);
    vvBodyId id;
    def.mesh = &mesh;
    def.material = material("hooke", 1);
    assert_ok(vvWorldAddBody(w, &def, &id, &error));
    return id;
}

static void test_rods(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = touching_def();
    vvWorld *w = new_world(&d);
    add_rod(w, "beside", (double[]){ 1, -1, 0 }, (double[]){ 1, 1, 0 });
    /* meets the one beside: rods have no inside */
    add_rod(w, "across", (double[]){ 0.9, 0.5, 0 }, (double[]){ 1.1, 0.5, 0 });
    box_at(w, named("box", 0, 0, 0), 0.1, 1);
    assert_int_equal(count_of(w), 0);
    vvBodyId needle = add_rod(w, "needle", (double[]){ 0.013, -1, 0.007 }, (double[]){ 0.011, 1, 0.005 });
    vvIntersection list[8];
    int count;
    assert_ok(vvWorldFindIntersections(w, list, 8, &count, &error));
    assert_int_equal(count, 2);
    assert_sound(w, list, 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(list[i].a.count, 3);
        assert_true(same_id(list[i].b.body, needle) && list[i].b.count == 2);
        assert_near(fabs(list[i].point[1]), 0.05, 1e-9);
    }
    vvWorldDestroy(w);
}

/* A kite with a string: the string's free end is in no triangle, and is a vertex that collides like others. */
static void test_kite_with_string(void **state)
{
    (void)state;
    vvError error = { 0 };
    static double x[] = { 0, 0, 0, 1, 0, 0, 0, 0, 1, 0.5, -1, 0.5, 0.5, -2, 0.5 };
    static int triangle[] = { 0, 1, 2 }, edges[] = { 2, 3, 3, 4 };
    for (int pierced = 0; pierced < 2; pierced++) {
        vvWorldDef d = touching_def();
        vvWorld *w = new_world(&d);
        box_at(w, named("first", 7, 7, 7), 0.1, 1); /* holds the world's first vertices */
        vvMesh mesh = {
            .vertexCount = 5, .triangleCount = 1, .edgeCount = 2, .positions = x, .triangles = triangle, .edges = edges
        };
        vvBodyDef def = named("kite", 0, 0, 0);
        def.mesh = &mesh;
        def.kinematic = true;
        vvBodyId kite;
        assert_ok(vvWorldAddBody(w, &def, &kite, &error));
        box_at(w, named("box", pierced ? 0.51 : 0.7, -1.5, 0.52), 0.2, 1);
        assert_int_equal(count_of(w), pierced ? 2 : 0);
        assert_int_equal(vvWorldBake(w, &error), pierced ? VV_ERROR_INPUT : VV_OK);
        vvWorldDestroy(w);
    }
}

/* ---- after each step ---- */

/* Two boxes fly at each other at 4 m/s. */
static vvWorld *collision(bool check, bool later)
{
    vvError error = { 0 };
    vvWorldDef d = touching_def();
    d.contact.checkIntersections = check && !later;
    vvWorld *w = new_world(&d);
    vvBodyId left = box_at(w, named("left", -0.056, 0, 0), 0.1, 2),
             right = box_at(w, named("right", 0.056, 0.01, 0.02), 0.1, 2);
    set_state(w, left, "linear", (double[]){ 2, 0, 0 });
    set_state(w, right, "linear", (double[]){ -2, 0, 0 });
    assert_ok(vvWorldBake(w, &error));
    if (later)
        vvWorldCheckIntersections(w, check);
    assert_int_equal(vvWorldGetDef(w)->contact.checkIntersections, check);
    return w;
}

static void test_kept_apart(void **state)
{
    (void)state;
    vvWorld *w = collision(true, false);
    for (int i = 0; i < 20; i++) {
        step(w);
        assert_int_equal(count_of(w), 0);
    }
    assert_true(ledger(w).contact > 0 || vvWorldVelocities(w)[0] < 1.9); /* they have met */
    vvWorldDestroy(w);
}

/* What no step should ever do: the broad phase gets surfaces of bodies that do not touch, so nothing holds the boxes
 * back. The exact test has its own search, and must see it. */
static void blind(vvWorld *w, vv_surface *nothing)
{
    vvError error = { 0 };
    static const unsigned char never[4];
    *nothing = w->contact->surface;
    nothing->touches = never;
    for (int b = 0; b < nothing->body_count; b++)
        nothing->bodies[b].self = false; /* shared with the exact test: boxes that hardly bend do not need it */
    vv_candidates_free(&w->contact->collisions->candidates);
    assert_ok(vv_candidates_create(nothing, w->def.contact.distance, &w->contact->collisions->candidates, &error));
}

static void test_let_through(void **state)
{
    (void)state;
    for (int variant = 0; variant < 4; variant++) {
        vvError error = { 0 };
        vv_surface nothing;
        int check = variant & 1;
        vvWorld *w = collision(check, variant & 2);
        blind(w, &nothing);
        vvStatus status = VV_OK;
        int done = 0, nodes = 3 * vvWorldNodeCount(w);
        double *before = malloc((size_t)nodes * sizeof *before);
        for (; done < 4 && status == VV_OK; done += status == VV_OK) {
            memcpy(before, vvWorldPositions(w), (size_t)nodes * sizeof *before);
            status = vvWorldStep(w, NULL, &error);
        }
        if (check) { /* the step fails, says who, and never was */
            assert_int_equal(status, VV_ERROR_SOLVER);
            assert_non_null(strstr(error.message, "bodies intersect after a step"));
            assert_non_null(strstr(error.message, "\"left\""));
            assert_non_null(strstr(error.message, "\"right\""));
            assert_memory_equal(before, vvWorldPositions(w), (size_t)nodes * sizeof *before);
            assert_int_equal(vvWorldStepIndex(w), done);
            assert_int_equal(count_of(w), 0);
        } else {
            assert_int_equal(done, 4);
            assert_true(count_of(w) > 0);
        }
        free(before);
        vvWorldDestroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_boxes),  cmocka_unit_test(test_filters),     cmocka_unit_test(test_kinematic),
        cmocka_unit_test(test_self),       cmocka_unit_test(test_rods),        cmocka_unit_test(test_kite_with_string),
        cmocka_unit_test(test_kept_apart), cmocka_unit_test(test_let_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

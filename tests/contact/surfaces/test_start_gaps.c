/* Bodies that begin nearer to each other than the activation distance: a close fit is no press fit, and all others
 * keep their distance. */
#include "size.h"
#include "live_support.h"
#include "visviva/settings.h"
#include "world/world.h"

static const double GAP = 1e-4;

static vvBodyId add_plain_box(vvWorld *w, const double size[3], double x, double y, double z, bool kinematic)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.kinematic = kinematic;
    if (!kinematic)
        def.material = material("affine", 1e8);
    def.translate[0] = x, def.translate[1] = y, def.translate[2] = z;
    return add_box_def(w, size, (int[]){ 1, 1, 1 }, 5, &def);
}

static void add_wall(vvWorld *w, bool mesh, const double size[3], double x, double y, double z)
{
    if (mesh)
        add_plain_box(w, size, x, y, z, true);
    else
        obstacle(w, "box", (double[]){ x, y, z, size[0], size[1], size[2], 0, 0, 0 }, -1);
}

/* A cube in a tunnel that is wider by the gap on each side. distance 0: the default. */
static vvWorld *tunnel(bool mesh, double distance, vvLog log)
{
    vvWorldDef d = free_def("backward-euler", 1.0 / 60, 1e-3);
    d.contact.model = "barrier";
    d.contact.friction = 0.1;
    d.contact.distance = distance;
    d.host.log = log;
    vvWorld *w = new_world(&d);
    vvBodyId cube = add_plain_box(w, (double[]){ 0.1, 0.1, 0.1 }, 0, 0, 0, false);
    set_state(w, cube, "linear", (double[]){ 1, 0, 0 });
    for (int side = -1; side < 2; side += 2) {
        add_wall(w, mesh, (double[]){ 30, 0.02, 0.3 }, 14, side * (0.06 + GAP), 0);
        add_wall(w, mesh, (double[]){ 30, 0.1002, 0.02 }, 14, 0, side * (0.06 + GAP));
    }
    return w;
}

/* 1 m in a second: nothing presses the cube. */
static void a_cube_flies_through_a_tunnel(void **state)
{
    (void)state;
    for (int mesh = 0; mesh < 2; mesh++) {
        vvWorld *w = tunnel(mesh, 0, (vvLog){ 0 });
        const vvLedgerRow first = ledger(w), row = steps(w, 60);
        double way = 0;
        for (int i = 0; i < 4; i++)
            way += vvWorldPositions(w)[3 * i] / 4;
        print_message("%s: %.4f m in a second, contact %g J at the start\n", mesh ? "meshes" : "boxes", way,
                      first.contact);
        assert_near(way, 1, 0.01);
        assert_near(row.momentum[0], first.momentum[0], 0.01 * first.momentum[0]);
        assert_true(row.minGap > 0.5 * GAP && (mesh || row.minGap < 1.01 * GAP)); /* of meshes below d-hat alone */
        vvWorldDestroy(w);
    }
}

/* Of three plates, the lower two are close. Their distance follows; the others' does not, and that of what is added
 * later, where a body was placed that has gone, does not either. */
static void others_keep_their_distance(void **state)
{
    (void)state;
    static const double plate[3] = { 0.1, 0.01, 0.1 };
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 1.0 / 60, 1e-3);
    d.contact.model = "barrier";
    vvWorld *w = new_world(&d);
    obstacle(w, "plane", (double[]){ 0, -0.0052, 0, 0, 1, 0 }, 0);
    obstacle(w, "plane", (double[]){ 0, -0.007, 0, 0, 1, 0 }, 0);
    add_plain_box(w, plate, 0, 0, 0, false);
    add_plain_box(w, plate, 0, 0.01 + GAP, 0, false);
    add_plain_box(w, plate, 0, 0.02 + 3e-3, 0, false);
    vvBodyId flies = add_plain_box(w, plate, 1, 1, 0, false);
    set_state(w, flies, "linear", (double[]){ 0, 1, 0 });
    assert_ok(vvWorldBake(w, &error));
    const double hat = w->def.contact.distance;
    assert_near(hat, 1e-3, 1e-12);
    const vv_surface *s = &w->contact->surface;
    assert_near(vv_surface_activation(s, 1, 0, hat), GAP, 1e-12);
    assert_near(vv_surface_activation(s, 1, 2, hat), hat, 0);
    assert_near(vv_surface_activation(s, 0, 2, hat), hat, 0);
    const double *obstacles = w->contact->barrier.distances;
    assert_near(obstacles[0], 2e-4, 1e-12);
    assert_near(obstacles[1], hat, 0);
    assert_near(obstacles[2], hat, 0);
    assert_near(ledger(w).contact, 0, 0);
    steps(w, 30);
    add_plain_box(w, plate, 1, 1 + 0.01 + GAP, 0, false);
    step(w);
    s = &w->contact->surface;
    assert_near(vv_surface_activation(s, 3, 4, hat), hat, 0);
    assert_near(vv_surface_activation(s, 1, 0, hat), GAP, 1e-12);
    vvWorldDestroy(w);
}

/* A host that makes its bodies in one place and moves them before the first step: they begin elsewhere. */
static void what_crosses_as_it_is_placed_has_no_gap(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 1.0 / 60, 1e-3);
    d.contact.model = "barrier";
    vvWorld *w = new_world(&d);
    add_plain_box(w, (double[]){ 0.1, 0.1, 0.1 }, 0, 0, 0, true);
    vvBodyId box = add_plain_box(w, (double[]){ 0.1003, 0.05, 0.05 }, 0, 0, 0, true);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("affine", 1e8);
    def.translate[0] = 0.1;
    box = add_box_def(w, (double[]){ 0.1001, 0.05, 0.05 }, (int[]){ 1, 1, 1 }, 5, &def);
    int first, count;
    vvBodyNodes(w, box, &first, &count);
    double *x = copy_of(vvWorldPositions(w), 3 * (size_t)vvWorldNodeCount(w));
    for (int i = first; i < first + count; i++)
        x[3 * i + 1] += 0.3;
    assert_ok(vvWorldSetState(w, x, NULL, &error));
    free(x);
    assert_ok(vvWorldBake(w, &error));
    assert_int_equal(w->contact->surface.gap_count, 0);
    vvWorldDestroy(w);
}

/* What touches as it is placed has a hundredth, not nothing. */
static void a_gap_of_nothing_leaves_something(void **state)
{
    (void)state;
    assert_near(vv_gap_activation(1e-9, 1e-3), 1e-5, 1e-15);
    assert_near(vv_gap_activation(0.98e-3, 1e-3), 0.98e-3, 1e-15);
    assert_near(vv_gap_activation(1e-3, 1e-3), 1e-3, 0);
    assert_near(vv_gap_activation(INFINITY, 1e-3), 1e-3, 0);
}

typedef struct said {
    int lines;
    char text[512];
} said;

static void write_line(void *user, vvLogLevel level, const char *message)
{
    said *s = user;
    if (level == VV_LOG_WARNING && strstr(message, "is more than the ")) {
        s->lines++;
        snprintf(s->text, sizeof s->text, "%s", message);
    }
}

/* Where the distance is given it stays, and is said to be too large, with the names and a number that does. */
static void a_given_distance_is_warned_of(void **state)
{
    (void)state;
    static const double given[] = { 0, 1e-3, 9e-5 };
    for (int i = 0; i < 3; i++)
        for (int mesh = 0; mesh < 2; mesh++) {
            said s = { 0 };
            vvWorld *w = tunnel(mesh, given[i], (vvLog){ write_line, &s });
            steps(w, 2);
            vvStartGap g;
            assert_int_equal(vvWorldGetStartGap(w, &g), i < 2); /* a tenth below the gap: none is below it */
            assert_int_equal(g.count, i < 2 ? 4 : 0);
            assert_near(g.gap, i < 2 ? GAP : 0, 1e-12);
            assert_near(g.activation, i == 0 ? GAP : given[i] * (i < 2), 1e-12);
            assert_string_equal(g.names[0], i < 2 ? "body-1" : "");
            assert_int_equal(s.lines, i == 1);
            if (i == 1) {
                assert_true(strstr(s.text, "0.0001 m") && strstr(s.text, "is pressed by") &&
                            strstr(s.text, "5e-05 m fits"));
                assert_true(strstr(s.text, mesh ? "\"body-1\" and \"body-2\"" : "\"body-1\" and \"box\"") != NULL);
                assert_true(ledger(w).contact > 1);
            }
            vvWorldDestroy(w);
        }
}

/* A run that is resumed, and one that goes on, agree to the bit: the gaps are found again. */
static void gaps_are_found_again(void **state)
{
    (void)state;
    vvError error = { 0 };
    for (int mesh = 0; mesh < 2; mesh++) {
        vvWorld *w[2];
        for (int i = 0; i < 2; i++) {
            w[i] = tunnel(mesh, 0, (vvLog){ 0 });
            assert_ok(vvWorldSetGravity(w[i], (double[]){ 0, -9.8, 1 }, &error));
        }
        steps(w[0], 20);
        const size_t size = vvWorldStateSize(w[0]);
        char *buffer = malloc(size);
        assert_ok(vvWorldSaveState(w[0], buffer, size, &error));
        assert_ok(vvWorldLoadState(w[1], buffer, size, &error));
        free(buffer);
        assert_true(ledger(w[0]).contact > 0);
        expect_same(w[0], w[1], 10, mesh ? "meshes" : "boxes");
        assert_true(ledger(w[0]).minGap < GAP);
        vvWorldDestroy(w[0]), vvWorldDestroy(w[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cube_flies_through_a_tunnel),           cmocka_unit_test(others_keep_their_distance),
        cmocka_unit_test(what_crosses_as_it_is_placed_has_no_gap), cmocka_unit_test(a_gap_of_nothing_leaves_something),
        cmocka_unit_test(a_given_distance_is_warned_of),           cmocka_unit_test(gaps_are_found_again)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

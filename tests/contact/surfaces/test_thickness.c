/* Half of a body's thickness is taken off its distances to analytic obstacles, as it is between surfaces: the same as
 * a body without thickness over an obstacle that is larger by that much. */
#include "live_support.h"
#include "visviva/contact.h"

static const double RADIUS = 4e-3;

/* A cube of 10 cm that slides as it comes down to the top of an obstacle at y = 0, or `grown` above it. */
static vvWorld *falling(const char *type, double thickness, double grown, double y)
{
    vvWorldDef d = live_def("backward-euler", "none");
    d.gravity[1] = -9.8;
    d.contact.distance = 1e-3;
    d.contact.frictionSpeed = 1e-3;
    d.solver.tolerance = 1e-7;
    vvWorld *w = new_world(&d);
    if (strcmp(type, "plane") == 0)
        obstacle(w, type, (double[]){ 0, grown, 0, 0, 1, 0 }, 0.3);
    else
        obstacle(w, type, (double[]){ 0, -0.5, 0, 0.5 + grown }, 0.3);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("neo-hookean", 1e5);
    def.thickness = thickness;
    def.translate[1] = 0.05 + y;
    vvBodyId cube = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 2, 2, 2 }, 5, &def);
    set_state(w, cube, "linear", (double[]){ 0.3, 0, 0 });
    return w;
}

static void as_a_larger_obstacle(void **state)
{
    (void)state;
    static const char *const types[] = { "plane", "sphere" };
    for (int i = 0; i < 2; i++) {
        vvWorld *thick = falling(types[i], 2 * RADIUS, 0, 0.01), *thin = falling(types[i], 0, RADIUS, 0.01);
        vvLedgerRow a = steps(thick, 40), b = steps(thin, 40);
        vvLedgerTotals s, t;
        vvWorldTotals(thick, &s);
        vvWorldTotals(thin, &t);
        assert_less(distance3(vvWorldPositions(thick), vvWorldPositions(thin)), 1e-6);
        assert_near(a.minGap, b.minGap, 1e-7);
        assert_true(s.minGap > 0 && s.minGap < 1e-3);
        assert_true(t.friction > 1e-3);
        assert_near(s.friction, t.friction, 1e-5);
        vvWorldDestroy(thick);
        vvWorldDestroy(thin);
    }
}

static void points_lie_on_the_obstacle(void **state)
{
    (void)state;
    vvError error = { 0 };
    const vvContactPoint *points;
    int count;
    vvWorld *w = falling("plane", 2 * RADIUS, 0, RADIUS + 0.5e-3);
    step(w);
    assert_ok(vvWorldContactPoints(w, &points, &count, &error));
    assert_int_equal(count, 9);
    for (int i = 0; i < count; i++) {
        int vertex = points[i].side.vertices[0];
        assert_near(points[i].point[1], 0, 1e-12);
        assert_near(points[i].gap, vvWorldPositions(w)[3 * vertex + 1] - RADIUS, 1e-12);
        assert_true(points[i].gap > 0 && points[i].force > 0);
    }
    vvWorldDestroy(w);
}

static void a_start_too_near(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = falling("plane", 2 * RADIUS, 0, 0.9 * RADIUS);
    assert_int_equal(vvWorldBake(w, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "starts inside obstacle 0"));
    assert_non_null(strstr(error.message, "thickness"));
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(as_a_larger_obstacle),
                                        cmocka_unit_test(points_lie_on_the_obstacle),
                                        cmocka_unit_test(a_start_too_near) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

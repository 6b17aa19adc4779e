/* What is held stays: contacts that stick remember by how far they have given way, against obstacles, between bodies,
 * on slopes, between fingers. What slides has the friction that it had, and what has slid and stops, stops. The memory
 * is state: saved, undone by a failed step, forgotten by what is put elsewhere. */
#include "live_support.h"
#include "size.h"

#include "visviva/settings.h"

static vvWorldDef held_def(bool stick)
{
    vvWorldDef d = vvDefaultWorldDef();
    d.timeStep = 1.0 / 60;
    d.integrator.groundMode = VV_GROUND_NONE;
    d.contact.friction = 0.5;
    d.contact.distance = 1e-3; /* given: bodies are placed within it, and mean it */
    d.contact.stick = stick;
    d.threads = 1;
    return d;
}

static double mean(const vvWorld *w, vvBodyId id, int k)
{
    int first, count;
    double sum = 0;
    vvBodyNodes(w, id, &first, &count);
    for (int i = first; i < first + count; i++)
        sum += vvWorldPositions(w)[3 * i + k] / count;
    return sum;
}

/* A cube of 5 cm between two fingers that press with about twice what is needed. */
static vvWorld *gripped(bool stick, vvBodyId *cube)
{
    const vvWorldDef d = held_def(stick);
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("neo-hookean", 2e5);
    *cube = add_box_def(w, (double[]){ 0.05, 0.05, 0.05 }, (int[]){ 2, 2, 2 }, 5, &def);
    for (int side = -1; side <= 1; side += 2) {
        def.translate[0] = 0.03005 * side;
        vvBodyId finger = add_box_def(w, (double[]){ 0.01, 0.04, 0.04 }, (int[]){ 1, 1, 1 }, 5, &def);
        vvAttachDef all = vvDefaultAttachDef();
        all.where = (vvRegion){ .kind = VV_REGION_ALL };
        attach(w, finger, &all);
    }
    return w;
}

static void what_fingers_hold_stays(void **state)
{
    (void)state;
    double slipped[2];
    for (int stick = 0; stick < 2; stick++) {
        vvBodyId cube;
        vvWorld *w = gripped(stick, &cube);
        steps(w, 60);
        const double start = mean(w, cube, 1);
        const int count = 60 * sized(10, 60, 600);
        steps(w, count);
        slipped[stick] = start - mean(w, cube, 1);
        print_message("%s: slips %.3g um in %d s\n", stick ? "remembered" : "not remembered", 1e6 * slipped[stick],
                      count / 60);
        vvWorldDestroy(w);
    }
    assert_less(5e-6, slipped[0]);
    assert_less(fabs(slipped[1]), 3e-6); /* at the start the cube settles */
}

/* On a slope whose tangent is half of mu, an obstacle or a body. */
static vvWorld *on_slope(const vvWorldDef *def, bool body, double tangent, double speed, vvBodyId *id)
{
    vvWorldDef d = *def;
    const double angle = atan(tangent);
    d.gravity[0] = 9.8 * sin(angle), d.gravity[1] = -9.8 * cos(angle);
    vvWorld *w = new_world(&d);
    vvBodyDef b = vvDefaultBodyDef();
    b.material = material("neo-hookean", 1e6);
    b.translate[1] = 0.0506;
    *id = add_box_def(w, (double[]){ 0.2, 0.1, 0.2 }, (int[]){ 2, 1, 2 }, 5, &b);
    if (speed > 0)
        set_state(w, *id, "linear", (double[]){ speed, 0, 0, NAN, NAN, NAN });
    if (body) {
        b.translate[1] = -0.05;
        b.material = vvDefaultMaterialOf("affine");
        vvAttachDef all = vvDefaultAttachDef();
        all.where = (vvRegion){ .kind = VV_REGION_ALL };
        attach(w, add_box_def(w, (double[]){ 3, 0.1, 1 }, (int[]){ 1, 1, 1 }, 5, &b), &all);
    } else {
        obstacle(w, "plane", NULL, -1);
    }
    return w;
}

static void what_sticks_stays(void **state)
{
    (void)state;
    for (int body = 0; body < 2; body++)
        for (int stick = 0; stick < 2; stick++) {
            vvBodyId id;
            const vvWorldDef d = held_def(stick);
            vvWorld *w = on_slope(&d, body, 0.25, 0, &id);
            steps(w, 60);
            const double start = mean(w, id, 0);
            steps(w, 240);
            const double slid = mean(w, id, 0) - start;
            print_message("%s, %s: %.3g um in 4 s\n", body ? "body" : "obstacle", stick ? "remembered" : "not",
                          1e6 * slid);
            if (stick)
                assert_less(fabs(slid), 1e-6);
            else
                assert_true(slid > 1e-4 && slid < 4 * 3.2e-4);
            vvWorldDestroy(w);
        }
}

/* mu 0.5 on a tangent of 0.8: g (sin - mu cos); and a box that is thrown along a level ground goes as far as friction
 * lets it, v (v + mu g h) / (2 mu g) under backward Euler, and is still there later. */
static void what_slides_slides(void **state)
{
    (void)state;
    for (int stick = 0; stick < 2; stick++) {
        vvBodyId id;
        vvWorldDef d = held_def(stick);
        vvWorld *w = on_slope(&d, false, 0.8, 0, &id);
        steps(w, 30);
        const double before = mean(w, id, 0);
        steps(w, 30);
        const double between = mean(w, id, 0), h = 1.0 / 60, n = 30;
        steps(w, 30);
        const double a = (mean(w, id, 0) - 2 * between + before) / (n * n * h * h), angle = atan(0.8),
                     right = 9.8 * (sin(angle) - 0.5 * cos(angle));
        print_message("slides with %.4f m/s^2, right is %.4f\n", a, right);
        assert_near(a, right, 0.01 * right);
        vvWorldDestroy(w);
        w = on_slope(&d, false, 0, 1, &id);
        const double start = mean(w, id, 0), way = 1 * (1 - 0.5 * 9.8 * h) / (2 * 0.5 * 9.8);
        steps(w, 40);
        const double end = mean(w, id, 0) - start;
        steps(w, 200);
        print_message("stops after %.4f m, right is %.4f; %.3g um later\n", end, way,
                      1e6 * (mean(w, id, 0) - start - end));
        assert_near(end, way, 0.05 * way);
        assert_less(fabs(mean(w, id, 0) - start - end), 2e-6);
        vvWorldDestroy(w);
    }
}

static void the_memory_is_state(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvBodyId id, other;
    vvWorldDef d = held_def(true);
    vvWorld *w = on_slope(&d, true, 0.25, 0, &id), *again = on_slope(&d, true, 0.25, 0, &other);
    steps(w, 40);
    carry_over(w, again);
    expect_same(w, again, 20, "resumed");
    vvSnapshot *snapshot;
    assert_ok(vvWorldSnapshot(w, &snapshot, &error));
    vvWorld *third = new_world(&d);
    assert_ok(vvWorldRestore(third, snapshot, &error));
    expect_same(w, third, 20, "restored");
    vvSnapshotDestroy(snapshot);
    /* put elsewhere it has given way by nothing: it begins to, again */
    const int n = 3 * vvWorldNodeCount(w);
    int first, count;
    vvBodyNodes(w, id, &first, &count);
    double *q = copy_of(vvWorldPositions(w), n);
    assert_ok(vvBodySetState(w, id, q + 3 * first, NULL, &error));
    const double before = mean(w, id, 0);
    steps(w, 1);
    assert_less(1e-8, mean(w, id, 0) - before);
    free(q);
    vvWorldDestroy(w);
    vvWorldDestroy(again);
    vvWorldDestroy(third);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fingers_hold_stays),
        cmocka_unit_test(what_sticks_stays),
        cmocka_unit_test(what_slides_slides),
        cmocka_unit_test(the_memory_is_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

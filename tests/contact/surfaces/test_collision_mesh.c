/* Soft bodies that collide by a finer surface that they carry: nothing intersects, on obstacles, on each other and
 * folded, momenta are kept, and contact points tell of the surface's vertices. */
#include "carrier_support.h"

#include "world/world.h"

/* Two fall on the ground and on each other; each point of contact is where its surfaces' vertices say. */
static void test_drop(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = contact_def("backward-euler", 1.0 / 200, 1e-3);
    d.gravity[1] = -9.8;
    d.contact.friction = 0.3;
    vvWorld *w = new_world(&d);
    vvBodyId low = add_carrier(w, 0, 0.055, true);
    add_carrier(w, 0.01, 0.158, true);
    obstacle(w, "plane", NULL, -1);
    assert_true(vvBodySurfaceCollides(w, low));
    int ground = 0, between = 0;
    double deep = 1;
    for (int i = 0; i < 60; i++) {
        assert_true(step(w).minGap > 0);
        const vvContactPoint *p;
        int count;
        assert_ok(vvWorldContactPoints(w, &p, &count, &error));
        for (int k = 0; k < count; k++) {
            double x[3], y[3];
            place_of(w, &p[k].side, x);
            deep = fmin(deep, x[1]);
            if (p[k].obstacle.index1 == 0)
                place_of(w, &p[k].other, y);
            else
                memcpy(y, (double[]){ x[0], 0, x[2] }, sizeof y);
            assert_near(distance3(x, y), p[k].gap, 1e-12);
            assert_near(distance3(y, p[k].point), 0, 1e-12);
            *(p[k].obstacle.index1 ? &ground : &between) += 1;
        }
    }
    assert_true(ground > 100 && between > 20 && deep > 0);
    vvWorldDestroy(w);
}

/* A box slides on the ground by the surface that it carries: friction stops it at mu g, and the ledger books what it
 * takes. */
static void test_slide(void **state)
{
    (void)state;
    vvWorldDef d = contact_def("backward-euler", 2e-3, 1e-4);
    d.gravity[1] = -9.8;
    d.contact.friction = 0.3;
    vvWorld *w = new_world(&d);
    vvMesh fine = boundary("box", (double[]){ 0.1, 0.04, 0.1, 9, 4, 9, 6 });
    vvBodyDef def = vvDefaultBodyDef();
    def.surface = &fine, def.surfaceCollides = true;
    def.translate[1] = 0.02097;
    vvBodyId box = add_box_def(w, (double[]){ 0.09, 0.035, 0.09 }, (int[]){ 2, 1, 2 }, 6, &def);
    vvMeshDestroy(&fine);
    set_state(w, box, "linear", (double[]){ 1, 0, 0 });
    obstacle(w, "plane", NULL, -1);
    double mass = 0, lost = 0, error_sum = 0;
    for (int i = 0; i < vvWorldNodeCount(w); i++)
        mass += vvWorldMasses(w)[i];
    vvLedgerRow row = { 0 };
    for (int i = 0; i < 100; i++) {
        row = step(w);
        lost += row.friction, error_sum += fabs(row.error);
    }
    double speed = 1 - 0.3 * 9.8 * 0.2;
    assert_near(row.momentum[0] / mass, speed, 0.01);
    assert_near(lost, 0.5 * mass * (1 - speed * speed), 0.02 * mass);
    assert_true(error_sum < 0.05 * mass);
    vvWorldDestroy(w);
}

/* A bar along x as an arc over so much of a circle (rad). */
static void bend(const double *rest, double turn, double *x)
{
    double r = 0.4 / turn, angle = rest[0] / r;
    x[0] = (r - rest[1]) * sin(angle), x[1] = r - (r - rest[1]) * cos(angle), x[2] = rest[2];
}

/* The ends of a bar that is bent to a ring meet. */
static void test_fold(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = contact_def("backward-euler", 1.0 / 200, 1e-3);
    vvWorld *w = new_world(&d);
    vvMesh fine = boundary("box", (double[]){ 0.4, 0.02, 0.02, 60, 3, 3, 6 });
    vvBodyDef def = vvDefaultBodyDef();
    def.surface = &fine, def.surfaceCollides = true;
    def.material.young = 1e4;
    vvBodyId bar = add_box_def(w, (double[]){ 0.4, 0.02, 0.02 }, (int[]){ 20, 1, 1 }, 6, &def);
    vvMeshDestroy(&fine);
    int n = vvWorldNodeCount(w);
    double *x = malloc(3 * (size_t)n * sizeof *x), *v = malloc(3 * (size_t)n * sizeof *v), more[3];
    for (int i = 0; i < n; i++) {
        bend(w->rest + 3 * i, 5.6, x + 3 * i);
        bend(w->rest + 3 * i, 5.7, more);
        for (int k = 0; k < 3; k++)
            v[3 * i + k] = 600 * (more[k] - x[3 * i + k]);
    }
    assert_ok(vvBodySetState(w, bar, x, v, &error));
    free(x), free(v);
    int met = 0;
    for (int i = 0; i < 30; i++) {
        const vvContactPoint *p;
        int count;
        assert_true(step(w).minGap > 0);
        assert_ok(vvWorldContactPoints(w, &p, &count, &error));
        met += count;
    }
    assert_true(met > 10);
    vvWorldDestroy(w);
}

/* One shot at another: momenta are kept (in the middle of each step, so that L is too), and the energy is near what
 * it was. */
static void test_shot(void **state)
{
    (void)state;
    vvWorldDef d = contact_def("implicit-midpoint", 2.5e-4, 1e-7);
    vvWorld *w = new_world(&d);
    add_carrier(w, 0, 0, true);
    set_state(w, add_carrier(w, 0.11, 0.03, true), "linear", (double[]){ -1, 0, 0 });
    vvLedgerRow first = step(w), row = first;
    double gap = INFINITY;
    for (int i = 0; i < 200; i++) {
        row = step(w);
        gap = fmin(gap, row.minGap);
        for (int k = 0; k < 3; k++) {
            assert_near(row.momentum[k], first.momentum[k], 1e-11);
            assert_near(row.angularMomentum[k], first.angularMomentum[k], 1e-9 * norm3(first.angularMomentum));
        }
    }
    assert_true(gap < vvWorldGetDef(w)->contact.distance && gap > 0);
    assert_near(row.total, first.total, 0.01 * first.total);
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_drop), cmocka_unit_test(test_slide),
                                        cmocka_unit_test(test_fold), cmocka_unit_test(test_shot) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Forces and impulses of the host: the right motion under every scheme, their work in the ledger, and what is
 * refused. */
#include "visviva/interact.h"
#include "world_support.h"

static const double PUSH[3] = { 0.3, -0.2, 0.5 }; /* N */

static vvWorld *free_cube(const char *scheme, const char *policy, double h)
{
    vvWorldDef d = free_def(scheme, h, 1e-10);
    d.integrator.policy = policy;
    vvWorld *w = new_world(&d);
    vvMaterialDef m = material("fixed-corotated", 1e4);
    add_cube(w, 0.1, 2, &m);
    return w;
}

static bool is_explicit(const char *name)
{
    return strcmp(name, "forward-euler") == 0 || strcmp(name, "symplectic-euler") == 0 || strcmp(name, "verlet") == 0;
}

/* A force held for n steps gives the momentum n h F, whatever the scheme. */
static void momentum_follows(void **state)
{
    (void)state;
    for (int i = 0; vvSchemeInfo(i); i++) {
        vvError error = { 0 };
        double h = is_explicit(vvSchemeInfo(i)->name) ? 1e-4 : 0.01;
        vvWorld *w = free_cube(vvSchemeInfo(i)->name, "none", h);
        int corner = 5;
        for (int s = 0; s < 10; s++) {
            assert_ok(vvWorldApplyForces(w, 1, &corner, PUSH, &error));
            step(w);
        }
        vvLedgerRow row = ledger(w);
        for (int k = 0; k < 3; k++)
            /* the discrete gradient's iteration is the loosest */
            if (fabs(row.momentum[k] - 10 * h * PUSH[k]) > 1e-4 * h)
                fail_msg("%s: momentum %g, not %g", vvSchemeInfo(i)->name, row.momentum[k], 10 * h * PUSH[k]);
        vvWorldDestroy(w);
    }
}

/* A force m g on every node moves a body as gravity does, and its work is what gravity's energy loses. */
static void like_gravity(void **state)
{
    (void)state;
    for (int i = 0; vvSchemeInfo(i); i++) {
        vvError error = { 0 };
        const char *name = vvSchemeInfo(i)->name;
        vvWorldDef d = free_def(name, is_explicit(name) ? 1e-4 : 0.01, 1e-11);
        vvMaterialDef m = material("fixed-corotated", 1e4);
        double g[3] = { 0.5, -9.8, 0 }, spin[3] = { 2, 0, 5 }, force[3], work = 0;
        vvWorld *pushed = new_world(&d);
        memcpy(d.gravity, g, sizeof g);
        vvWorld *falling = new_world(&d);
        vvBodyId a = add_cube(pushed, 0.1, 2, &m), b = add_cube(falling, 0.1, 2, &m);
        set_state(pushed, a, "linear", spin);
        set_state(falling, b, "linear", spin);
        double mass = 0;
        for (int n = 0; n < vvWorldNodeCount(pushed); n++)
            mass += vvWorldMasses(pushed)[n];
        for (int k = 0; k < 3; k++)
            force[k] = mass * g[k];
        double before = ledger(falling).gravity;
        for (int s = 0; s < 8; s++) {
            assert_ok(vvBodyApplyForce(pushed, a, force, &error));
            work += step(pushed).work;
            step(falling);
        }
        assert_near(mass_distance(pushed, vvWorldPositions(pushed), vvWorldPositions(falling)), 0, 1e-9);
        assert_near(mass_distance(pushed, vvWorldVelocities(pushed), vvWorldVelocities(falling)), 0, 1e-8);
        assert_near(work, before - ledger(falling).gravity, 1e-9);
        vvWorldDestroy(pushed);
        vvWorldDestroy(falling);
    }
}

/* Midpoint has no error of its own on a constant force: 1 kg, 4 N for 0.1 s give 0.4 m/s and 0.08 J. */
static void work_is_booked(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = free_cube("implicit-midpoint", "none", 0.01);
    double total = ledger(w).total, force[3] = { 0, 4, 0 };
    for (int s = 0; s < 20; s++) {
        if (s < 10)
            assert_ok(vvBodyApplyForce(w, vvWorldBody(w, 0), force, &error));
        vvLedgerRow row = step(w);
        assert_true(s < 10 ? row.work > 0 : row.work == 0); /* forgotten after its step */
        assert_near(row.total - total, row.work - row.friction - row.damping - row.decay + row.error, 1e-12);
        total = row.total;
    }
    assert_near(ledger(w).momentum[1], 0.4, 1e-9);
    assert_near(ledger(w).total, 0.08, 1e-9);
    assert_near(ledger(w).target, 0.08, 1e-9);
    vvWorldDestroy(w);
}

/* A corner that is pulled for a while: A-search brings H to the target that the work has moved. */
static void search_follows_work(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = free_cube("backward-euler", "search", 0.01);
    int corner = 0;
    double work = 0, pull[3] = { 2, 3, 1 };
    for (int s = 0; s < 60; s++) {
        if (s < 10)
            assert_ok(vvWorldApplyForces(w, 1, &corner, pull, &error));
        work += step(w).work;
    }
    vvLedgerRow row = ledger(w);
    assert_true(work > 1e-3);
    assert_near(row.target, work, 1e-9 * work);
    assert_near(row.total, work, 0.02 * work);
    vvWorldDestroy(w);
}

static bool always(void *user)
{
    (void)user;
    return true;
}

/* After a step that failed the forces still stand: the next one ends as if nothing had happened. */
static void failed_step_keeps_forces(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w[2] = { free_cube("backward-euler", "search", 0.01), free_cube("backward-euler", "search", 0.01) };
    for (int i = 0; i < 2; i++) {
        steps(w[i], 2);
        int nodes[2] = { 3, 3 };
        double forces[6] = { 1, 2, 3, 0.5, 0, 0 };
        assert_ok(vvWorldApplyForces(w[i], 2, nodes, forces, &error));
    }
    vvWorldSetCancel(w[0], always, NULL);
    assert_int_equal(vvWorldStep(w[0], NULL, &error), VV_CANCELLED);
    vvWorldSetCancel(w[0], NULL, NULL);
    for (int s = 0; s < 3; s++) {
        step(w[0]), step(w[1]);
        size_t bytes = 3 * (size_t)vvWorldNodeCount(w[0]) * sizeof(double);
        assert_memory_equal(vvWorldPositions(w[0]), vvWorldPositions(w[1]), bytes);
        assert_memory_equal(vvWorldVelocities(w[0]), vvWorldVelocities(w[1]), bytes);
    }
    vvWorldDestroy(w[0]);
    vvWorldDestroy(w[1]);
}

static void impulses(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = free_cube("bdf2", "none", 0.01);
    vvBodyId body = vvWorldBody(w, 0);
    steps(w, 3);
    double impulse[3] = { 0.2, 0, -0.1 }, corner[3] = { 0, 0.05, 0 };
    int node = 0;
    double before = ledger(w).total;
    assert_ok(vvBodyApplyImpulse(w, body, impulse, &error));
    assert_ok(vvWorldApplyImpulses(w, 1, &node, corner, &error));
    double kinetic = 0;
    for (int i = 0; i < vvWorldNodeCount(w); i++)
        for (int k = 0; k < 3; k++)
            kinetic += 0.5 * vvWorldMasses(w)[i] * vvWorldVelocities(w)[3 * i + k] * vvWorldVelocities(w)[3 * i + k];
    vvLedgerRow row = step(w);
    assert_near(row.work, kinetic - before, 1e-9);
    double expected[3] = { 0.2, 0.05, -0.1 };
    for (int k = 0; k < 3; k++)
        assert_near(row.momentum[k], expected[k], 1e-9);
    assert_near(row.total - before, row.work + row.error, 1e-12);
    vvWorldDestroy(w);
}

/* A held node feels nothing; its neighbours do. */
static void prescribed_nodes_feel_nothing(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 0.01, 1e-10);
    vvWorld *w = new_world(&d);
    vvMaterialDef m = material("stvk", 1e4);
    vvBodyId body = add_cube(w, 0.1, 2, &m);
    int held[1] = { 0 };
    vvAttachDef pin = vvDefaultAttachDef();
    pin.where = (vvRegion){ .kind = VV_REGION_VERTICES, .list = held, .listCount = 1 };
    attach(w, body, &pin);
    double push[3] = { 5, 0, 0 };
    assert_ok(vvWorldApplyForces(w, 1, held, push, &error));
    assert_ok(vvWorldApplyImpulses(w, 1, held, push, &error));
    vvLedgerRow row = step(w);
    assert_near(row.total, 0, 1e-12);
    assert_near(row.work, 0, 1e-12);

    pin.where = (vvRegion){ .kind = VV_REGION_ALL };
    vvWorld *all = new_world(&d);
    body = add_cube(all, 0.1, 2, &m);
    attach(all, body, &pin);
    assert_int_equal(vvBodyApplyForce(all, body, push, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "prescribed"));
    assert_int_equal(vvBodyApplyImpulse(all, body, push, &error), VV_ERROR_INPUT);
    vvWorldDestroy(all);
    vvWorldDestroy(w);
}

static void refused(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = free_cube("backward-euler", "none", 0.01);
    int nodes[2] = { 1, 100000 };
    double forces[6] = { 1, 1, 1, 1, 1, 1 };
    assert_int_equal(vvWorldApplyForces(w, 2, nodes, forces, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "100000"));
    assert_int_equal(vvWorldApplyImpulses(w, 2, nodes, forces, &error), VV_ERROR_INPUT);
    nodes[1] = 2, forces[4] = NAN;
    assert_int_equal(vvWorldApplyForces(w, 2, nodes, forces, &error), VV_ERROR_INPUT);
    assert_int_equal(vvWorldApplyForces(w, 2, NULL, forces, &error), VV_ERROR_INPUT);
    assert_int_equal(vvWorldApplyForces(w, -1, nodes, forces, &error), VV_ERROR_INPUT);
    assert_int_equal(vvBodyApplyForce(w, (vvBodyId){ 7, 1 }, forces, &error), VV_ERROR_INPUT);
    assert_int_equal(vvBodyApplyImpulse(w, vvWorldBody(w, 0), forces + 3, &error), VV_ERROR_INPUT);
    vvLedgerRow row = step(w); /* nothing was added */
    assert_true(row.total == 0 && row.work == 0);
    assert_ok(vvWorldApplyForces(w, 0, NULL, NULL, &error));
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_follows),
        cmocka_unit_test(like_gravity),
        cmocka_unit_test(work_is_booked),
        cmocka_unit_test(failed_step_keeps_forces),
        cmocka_unit_test(impulses),
        cmocka_unit_test(prescribed_nodes_feel_nothing),
        cmocka_unit_test(search_follows_work),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

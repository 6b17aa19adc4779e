/* Joints between bodies: what each kind keeps and leaves free, a pendulum's period, momenta in free flight, limits,
 * motors that reach their speed and have a greatest force, breaking, the ledger of all that. */
#include "joint_support.h"

#include "visviva/interact.h"

/* ---- what they hold ---- */

/* About a horizontal axis through p: T = 2 pi sqrt(I / (m g d)). */
static void test_pendulum(void **state)
{
    (void)state;
    const double h = 1e-3, arm = 0.6, tilt = 0.05;
    vvWorldDef d = free_def("implicit-midpoint", h, 1e-9);
    d.gravity[1] = -9.8;
    vvWorld *w = new_world(&d);
    vvBodyId body = add_tet(w, "bob", arm * sin(tilt), -arm * cos(tilt), 0);
    vvJointDef def = joint_def("ball", NOBODY, body, 0, 0, 0);
    vvJointId joint = add_joint(w, &def);
    vvError error = { 0 };
    assert_ok(vvWorldBake(w, &error));
    const double *x = vvWorldPositions(w), *m = vvWorldMasses(w);
    double inertia = 0, mass = 0, centre[3] = { 0 }, before = 0, crossings[2] = { 0 };
    for (int i = 0; i < 4; i++) {
        mass += m[i];
        inertia += m[i] * (x[3 * i] * x[3 * i] + x[3 * i + 1] * x[3 * i + 1]);
        for (int k = 0; k < 3; k++)
            centre[k] += m[i] * x[3 * i + k];
    }
    const double period = 2 * PI * sqrt(inertia / (9.8 * norm3(centre)));
    for (int found = 0; found < 2 && vvWorldTime(w) < 4;) { /* half a period from one to the next */
        step(w);
        double now = 0;
        for (int i = 0; i < 4; i++)
            now += m[i] * vvWorldPositions(w)[3 * i] / mass;
        if (before != 0 && (now < 0) != (before < 0))
            crossings[found++] = vvWorldTime(w) - h * now / (now - before);
        before = now;
    }
    assert_near(2 * (crossings[1] - crossings[0]), period, 0.01 * period);
    assert_less(joint_state(w, joint).gap, 1e-4);
    vvWorldDestroy(w);
}

/* A chain of every kind, thrown and spun: what joints do to one side they do to the other, with the opposite sign. */
static void test_free_flight(void **state)
{
    (void)state;
    static const char *const kinds[] = { "ball", "hinge", "fixed", "slider", "distance" };
    vvWorldDef d = free_def("implicit-midpoint", 2e-3, 1e-11);
    vvWorld *w = new_world(&d);
    vvBodyId body[6];
    char name[6] = "link0";
    for (int i = 0; i < 6; i++, name[4]++)
        body[i] = add_tet(w, name, 0.3 * i, 0, 0);
    for (int i = 0; i < 5; i++) {
        vvJointDef def = joint_def(kinds[i], body[i], body[i + 1], 0.3 * i + 0.15, 0.02, 0);
        def.axis[0] = 0.3, def.axis[1] = 1;
        def.to[0] += 0.05;
        def.motorForce = strcmp(kinds[i], "hinge") == 0 ? 0.1 : 0;
        def.motorSpeed = 90;
        if (strcmp(kinds[i], "slider") == 0)
            def.limits[0] = -0.01, def.limits[1] = 0.02;
        add_joint(w, &def);
        set_state(w, body[i], "angular", (double[]){ 1, -0.5 * i, 2, NAN, NAN, NAN });
        set_state(w, body[i], "linear", (double[]){ 0.3, 0.1 * i, -0.2 });
    }
    vvError error = { 0 };
    assert_ok(vvWorldBake(w, &error));
    vvLedgerRow first = ledger(w), row = first;
    assert_true(norm3(first.momentum) > 0.5 && norm3(first.angularMomentumCentre) > 0.05);
    for (int i = 0; i < 100; i++) {
        row = step(w);
        for (int k = 0; k < 3; k++) {
            assert_near(row.momentum[k], first.momentum[k], 1e-10);
            assert_near(row.angularMomentum[k], first.angularMomentum[k], 1e-9);
        }
    }
    assert_true(row.joint > 0);
    vvWorldDestroy(w);
}

/* A door of soft tets on a hinge to the world, thrown about: points on the axis stay, and it turns. */
static void test_hinge_axis(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 5e-3, 1e-7);
    d.gravity[1] = -9.8;
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("fixed-corotated", 1e6);
    vvBodyId door = add_box_def(w, (double[]){ 0.4, 0.6, 0.1 }, (int[]){ 4, 6, 1 }, 6, &def);
    vvJointDef j = joint_def("hinge", NOBODY, door, -0.2, 0, 0);
    j.axis[0] = 0, j.axis[1] = 1, j.axis[2] = 0;
    j.reach = 0.3;
    vvJointId joint = add_joint(w, &j);
    set_state(w, door, "angular", (double[]){ 0, 3, 0, -0.2, 0, 0 });
    assert_ok(vvWorldBake(w, &error));
    double turned = 0;
    for (int i = 0; i < 60; i++) {
        step(w);
        vvJointState s = joint_state(w, joint);
        assert_less(s.gap, 4e-3); /* it is soft: its points follow its tets */
        assert_near(s.points[1][0], -0.2, 2e-3);
        turned = fmax(turned, s.position);
        if (i == 20)
            assert_near(s.speed, 3 * 180 / PI, 20);
    }
    assert_true(turned > 35);
    vvWorldDestroy(w);
}

/* The second body slides along the axis, and neither turns nor leaves it; a rope is slack within its length, and no
 * longer. */
static void test_slider_and_rope(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 5e-3, 1e-8);
    d.gravity[1] = -9.8;
    vvWorld *w = new_world(&d);
    vvBodyId car = add_tet(w, "car", 0, 0, 0), ball = add_tet(w, "ball", 1, 0, 0);
    vvJointDef rail = joint_def("slider", NOBODY, car, 0.05, 0, 0), rope = joint_def("distance", NOBODY, ball, 1, 0, 0);
    rail.axis[0] = 1, rail.axis[1] = -1, rail.axis[2] = 0;
    rail.limits[0] = -INFINITY, rail.limits[1] = 0.5;
    rope.limits[0] = 0, rope.limits[1] = 0.4;
    vvJointId on_rail = add_joint(w, &rail), on_rope = add_joint(w, &rope);
    set_state(w, car, "angular", (double[]){ 4, 3, 2, NAN, NAN, NAN });
    assert_ok(vvWorldBake(w, &error));
    double most = 0, farthest = 0;
    for (int i = 0; i < 200; i++) {
        step(w);
        vvJointState s = joint_state(w, on_rail), r = joint_state(w, on_rope);
        assert_less(s.gap, 5e-3);
        most = fmax(most, s.position);
        if (r.position < 0.4)
            assert_true(r.energy == 0 && norm3(r.force) == 0);
        farthest = fmax(farthest, r.position);
    }
    assert_true(most > 0.499 && most < 0.51); /* it comes to the end of the rail */
    assert_true(farthest > 0.4 && farthest < 0.405);
    vvWorldDestroy(w);
}

/* Welded blocks move as one; a hinge with limits turns no farther than these. */
static void test_weld_and_limits(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 5e-3, 1e-8);
    d.gravity[1] = -9.8;
    vvWorld *w = new_world(&d);
    vvBodyId a = add_tet(w, "a", 0, 0, 0), b = add_tet(w, "b", 0.3, 0, 0), c = add_tet(w, "c", 0.6, 0, 0);
    vvJointDef fix = joint_def("fixed", NOBODY, a, -0.1, 0, 0), weld = joint_def("fixed", a, b, 0.15, 0, 0);
    vvJointDef hinge = joint_def("hinge", b, c, 0.45, 0, 0);
    hinge.limits[0] = -30, hinge.limits[1] = 10;
    fix.stiffness = weld.stiffness = hinge.stiffness = 1e6;
    add_joint(w, &fix);
    vvJointId welded = add_joint(w, &weld), hinged = add_joint(w, &hinge);
    assert_ok(vvWorldBake(w, &error));
    double least = 0;
    for (int i = 0; i < 150; i++) {
        step(w);
        assert_less(joint_state(w, welded).gap, 1e-3);
        least = fmin(least, joint_state(w, hinged).position);
    }
    assert_true(least < -29.9 && least > -33); /* it falls onto its limit */
    vvWorldDestroy(w);
}

/* ---- motors ---- */

static vvWorld *turbine(const char *scheme, double speed, double torque, vvJointId *joint)
{
    vvWorldDef d = free_def(scheme, 1e-3, 1e-9);
    vvWorld *w = new_world(&d);
    vvBodyId body = add_tet(w, "rotor", 0, 0, 0);
    vvJointDef def = joint_def("hinge", NOBODY, body, 0, 0, 0);
    def.motorSpeed = speed, def.motorForce = torque;
    *joint = add_joint(w, &def);
    return w;
}

/* I about an axis through the centre: 4 nodes of 1/4 kg, 2 TET_SIZE^2 from it. */
static void test_motor(void **state)
{
    (void)state;
    static const char *const schemes[] = { "backward-euler", "implicit-midpoint", "bdf2", "trapezoidal" };
    const double inertia = 2 * TET_SIZE * TET_SIZE, torque = 0.05;
    for (int s = 0; s < 4; s++) {
        vvJointId joint;
        vvWorld *w = turbine(schemes[s], 120, torque, &joint);
        vvLedgerRow before = ledger(w);
        double worst = 0, work = 0;
        for (int i = 1; i <= 2000; i++) {
            vvLedgerRow row = step(w);
            worst = fmax(worst, check_balance(&before, &row));
            work += row.work;
            before = row;
            vvJointState now = joint_state(w, joint);
            if (i == 300) { /* still as fast as the torque lets it */
                assert_near(now.speed, torque / inertia * 0.3 * 180 / PI, 0.02 * 120);
                assert_near(fabs(now.motorForce), torque, 1e-9);
            }
            assert_true(fabs(now.motorForce) <= torque * (1 + 1e-12));
            if (i > 1500)
                assert_near(now.speed, 120, 1);
        }
        const double wanted = 0.5 * inertia * pow(120 * PI / 180, 2);
        assert_near(before.kinetic, wanted, 0.02 * wanted);
        assert_near(work, wanted, 0.1 * wanted); /* all of it the motor's; backward Euler loses some */
        assert_less(worst, 0.02 * wanted);
        vvWorldDestroy(w);
    }
}

/* Against a brake that is stronger it stands still and does no work; switched off, nothing holds. */
static void test_stalled_motor(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvJointId joint, other;
    vvWorld *w = turbine("backward-euler", 120, 0.05, &joint);
    vvJointDef brake = joint_def("hinge", NOBODY, vvWorldBody(w, 0), 0, 0, 0);
    brake.motorForce = 0.2;
    other = add_joint(w, &brake);
    vvLedgerRow row = steps(w, 50);
    const double begun = joint_state(w, joint).position;
    double work = 0;
    for (int i = 0; i < 300; i++) {
        row = step(w);
        work += row.work;
    }
    assert_near(joint_state(w, joint).position, begun, 1e-3);
    assert_near(joint_state(w, joint).motorForce, 0.05, 1e-9);
    assert_near(joint_state(w, other).motorForce, -0.05, 1e-4);
    assert_near(work, 0, 1e-6);
    assert_ok(vvJointSetMotor(w, other, 0, 0, &error));
    steps(w, 1600);
    assert_near(joint_state(w, joint).speed, 120, 1);
    assert_true(joint_state(w, other).motorForce == 0);
    vvWorldDestroy(w);
}

/* ---- breaking ---- */

static void test_break(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 5e-3, 1e-9);
    d.gravity[1] = -9.8;
    vvWorld *w = new_world(&d);
    vvBodyId a = add_tet(w, "a", 0, 0, 0), b = add_tet(w, "b", 0, -0.4, 0);
    vvJointDef strong = joint_def("ball", NOBODY, a, 0, 0.1, 0), weak = joint_def("ball", a, b, 0, -0.2, 0);
    weak.breakForce = 12;
    vvJointId holds = add_joint(w, &strong), breaks = add_joint(w, &weak);
    vvLedgerRow before = steps(w, 100);
    vvJointState s = joint_state(w, breaks);
    assert_false(s.broken);
    assert_near(norm3(s.force), 9.8, 0.1);
    assert_near(s.force[1], 9.8, 0.1); /* it carries b */
    assert_near(joint_state(w, holds).force[1], 2 * 9.8, 0.2);
    assert_int_equal(vvWorldBrokenJoints(w, NULL, 0), 0);
    vvJointId id;
    double lost = 0;
    for (int i = 0; i < 100 && !joint_state(w, breaks).broken; i++) {
        assert_ok(vvBodyApplyForce(w, b, (double[]){ 0, -0.1 * i, 0 }, &error));
        vvLedgerRow row = step(w);
        check_balance(&before, &row);
        lost = row.damping;
        before = row;
    }
    s = joint_state(w, breaks);
    assert_true(s.broken && s.brokenStep == vvWorldStepIndex(w) && s.energy == 0 && norm3(s.force) > 12);
    assert_true(lost > 0);
    assert_int_equal(vvWorldBrokenJoints(w, &id, 1), 1);
    assert_memory_equal(&id, &breaks, sizeof id);
    vvLedgerRow row = steps(w, 40); /* b falls */
    assert_true(norm3(joint_state(w, breaks).force) == 0);
    assert_int_equal(vvWorldBrokenJoints(w, NULL, 0), 0);
    assert_true(row.momentum[1] < -1.5);
    assert_near(joint_state(w, holds).force[1], 9.8, 1);
    assert_ok(vvWorldRemoveJoint(w, breaks, &error));
    assert_false(vvJointIsValid(w, breaks));
    steps(w, 2);
    vvWorldDestroy(w);
}

/* ---- solvers; a world that changes ---- */

/* Three links on a hinge to the world swing down: every solver takes joints of all kinds, and holds them. */
static vvWorld *swing(const char *solver, vvJointId joints[3])
{
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 0.01, 1e-6);
    d.gravity[1] = -9.8;
    d.solver.method = solver;
    d.solver.budget = strcmp(solver, "newton") == 0 || strcmp(solver, "linearised") == 0 ? 0 : 400;
    vvWorld *w = new_world(&d);
    vvBodyId a = add_tet(w, "a", 0, 0, 0), b = add_tet(w, "b", 0.3, 0, 0), c = add_tet(w, "c", 0.6, 0, 0);
    vvJointDef defs[3] = { joint_def("hinge", NOBODY, a, -0.15, 0, 0), joint_def("slider", a, b, 0.15, 0, 0),
                           joint_def("distance", b, c, 0.4, 0, 0) };
    defs[1].axis[0] = 1, defs[1].axis[2] = 0;
    defs[1].limits[0] = -0.01, defs[1].limits[1] = 0.01;
    defs[2].to[0] = 0.5;
    for (int j = 0; j < 3; j++) {
        defs[j].stiffness = 1e4;
        joints[j] = add_joint(w, defs + j);
    }
    assert_ok(vvWorldBake(w, &error));
    return w;
}

static void test_solvers(void **state)
{
    (void)state;
    static const char *const solvers[] = { "newton",        "optimizer",  "lbfgs", "local-global",
                                           "block-descent", "xpbd-exact", "xpbd",  "linearised" };
    double reference[36];
    for (int s = 0; s < 8; s++) {
        vvJointId joints[3];
        vvWorld *w = swing(solvers[s], joints);
        steps(w, 10);
        for (int j = 0; j < 2; j++)
            assert_less(joint_state(w, joints[j]).gap, 0.02);
        if (s == 0)
            memcpy(reference, vvWorldPositions(w), sizeof reference);
        for (int i = 0; i < 36; i++)
            if (!(fabs(vvWorldPositions(w)[i] - reference[i]) < (s < 6 ? 5e-3 : 2e-2)))
                fail_msg("%s: number %d is %g, not %g", solvers[s], i, vvWorldPositions(w)[i], reference[i]);
        vvWorldDestroy(w);
    }
}

/* A snapshot brings back joints and what has become of them; a body takes its joints with it, and later ones keep
 * theirs. */
static void test_changes(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvJointId joints[3];
    vvWorld *w = swing("newton", joints);
    steps(w, 3);
    vvSnapshot *snapshot = NULL;
    assert_ok(vvWorldSnapshot(w, &snapshot, &error));
    steps(w, 3);
    double *x = copy_of(vvWorldPositions(w), 36);
    assert_ok(vvWorldRemoveBody(w, vvWorldBody(w, 0), &error));
    assert_int_equal(vvWorldJointCount(w), 1);
    assert_true(!vvJointIsValid(w, joints[0]) && !vvJointIsValid(w, joints[1]) && vvJointIsValid(w, joints[2]));
    steps(w, 2);
    assert_near(joint_state(w, joints[2]).position, 0.1, 5e-3);
    assert_ok(vvWorldRestore(w, snapshot, &error));
    assert_int_equal(vvWorldJointCount(w), 3);
    steps(w, 3);
    assert_memory_equal(vvWorldPositions(w), x, 36 * sizeof *x);
    free(x);
    vvSnapshotDestroy(snapshot);
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulum),        cmocka_unit_test(test_free_flight),
        cmocka_unit_test(test_hinge_axis),      cmocka_unit_test(test_slider_and_rope),
        cmocka_unit_test(test_weld_and_limits), cmocka_unit_test(test_motor),
        cmocka_unit_test(test_stalled_motor),   cmocka_unit_test(test_break),
        cmocka_unit_test(test_solvers),         cmocka_unit_test(test_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

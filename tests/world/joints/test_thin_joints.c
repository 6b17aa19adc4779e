/* Joints with bodies that have no volume: a rod, cloth, single points. They hold, momentum is kept, the ledger's
 * balance holds; axes that such a body does not have are refused, and so are limits that an angle cannot have. */
#include "joint_support.h"
#include "live_support.h"

enum { ROD, CLOTH, POINTS, KINDS };

static vvBodyId add_thin(vvWorld *w, int kind)
{
    vvError error = { 0 };
    vvBodyDef def = vvDefaultBodyDef();
    vvBodyId id;
    double rod[] = { 0.3, 0, 0, 0.4, 0, 0, 0.5, 0, 0, 0.6, 0, 0 },
           cloth[] = { 0.3, 0, -0.1, 0.5, 0, -0.1, 0.5, 0, 0.1, 0.3, 0, 0.1 }, points[] = { 0.3, 0, 0, 0.5, 0, 0 };
    int edges[] = { 0, 1, 1, 2, 2, 3 }, triangles[] = { 0, 2, 1, 0, 3, 2 }, grains[] = { 0, 1 };
    vvMesh mesh[] = { { .vertexCount = 4, .edgeCount = 3, .positions = rod, .edges = edges },
                      { .vertexCount = 4, .triangleCount = 2, .positions = cloth, .triangles = triangles },
                      { .vertexCount = 2, .pointCount = 2, .positions = points, .points = grains } };
    static const char *const model[] = { "rod-stretch", "stvk-membrane", "free" };
    def.mesh = mesh + kind;
    def.material = material(model[kind], kind == POINTS ? 0 : 1e6);
    def.material.totalMass = 0.5;
    def.material.thickness = kind == POINTS ? 0 : 0.005;
    def.thickness = 0.005;
    assert_ok(vvWorldAddBody(w, &def, &id, &error));
    return id;
}

/* Thrown and spun, a solid and what is tied to it: what a joint does to the one it does to the other. */
static void momentum_is_kept(void **state)
{
    (void)state;
    static const char *const joints[] = { "ball", "distance", "fixed" };
    for (int kind = 0; kind < KINDS; kind++)
        for (int j = 0; j < 3; j++) {
            vvError error = { 0 };
            vvWorldDef d = free_def("implicit-midpoint", 2e-3, 1e-10);
            vvWorld *w = new_world(&d);
            vvBodyId solid = add_tet(w, "solid", 0, 0, 0), thin = add_thin(w, kind);
            vvJointDef def = joint_def(joints[j], solid, thin, 0.3, 0, 0);
            def.at[0] = j == 1 ? 0.1 : 0.3, def.to[0] = 0.3, def.reach = 0.05;
            vvJointId joint = add_joint(w, &def);
            set_state(w, solid, "angular", (double[]){ 1, -0.5, 2, NAN, NAN, NAN });
            set_state(w, solid, "linear", (double[]){ 0.3, 0.1, -0.2 });
            assert_ok(vvWorldBake(w, &error));
            const double rest = joint_state(w, joint).position;
            vvLedgerRow first = ledger(w), row = first;
            assert_less(0.02, norm3(first.angularMomentum));
            double most = 0;
            for (int i = 0; i < 100; i++) {
                vvLedgerRow before = row;
                row = step(w);
                check_balance(&before, &row);
                for (int k = 0; k < 3; k++) {
                    assert_near(row.momentum[k], first.momentum[k], 1e-10);
                    assert_near(row.angularMomentum[k], first.angularMomentum[k], 1e-8);
                }
                vvJointState now = joint_state(w, joint);
                assert_less(j == 1 ? fabs(now.position - rest) : now.gap, 1e-4);
                most = fmax(most, row.joint);
            }
            assert_less(0, most);
            vvWorldDestroy(w);
        }
}

/* A weight that hangs on it: the joint carries the weight, and the point stays. */
static void a_weight_hangs(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        vvError error = { 0 };
        vvWorldDef d = free_def("backward-euler", 0.01, 1e-8);
        d.gravity[1] = -9.8;
        vvWorld *w = new_world(&d);
        vvBodyId thin = add_thin(w, kind), weight = add_tet(w, "weight", 0.3, -0.3, 0);
        vvAttachDef held = vvDefaultAttachDef();
        held.where = (vvRegion){ .kind = VV_REGION_ALL };
        attach(w, thin, &held);
        vvJointDef def = joint_def("distance", thin, weight, 0.3, 0, 0);
        def.to[0] = 0.3, def.to[1] = -0.2;
        vvJointId joint = add_joint(w, &def);
        assert_ok(vvWorldBake(w, &error));
        steps(w, 200);
        vvJointState now = joint_state(w, joint);
        assert_near(now.force[1], 9.8, 0.05);
        assert_near(now.points[0][0], 0.3, 1e-12);
        assert_near(now.position, 0.2, 2e-3);
        vvWorldDestroy(w);
    }
}

static void what_is_refused(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvJointId id;
    vvWorldDef d = free_def("backward-euler", 0.01, 1e-8);
    vvWorld *w = new_world(&d);
    vvBodyId grains = add_thin(w, POINTS), solid = add_tet(w, "solid", 0, 0, 0);
    vvJointDef hinge = joint_def("hinge", grains, solid, 0.3, 0, 0);
    hinge.axis[0] = 0, hinge.axis[1] = 1, hinge.axis[2] = 0, hinge.reach = 0.1;
    expect(vvWorldAddJoint(w, &hinge, &id, &error), VV_ERROR_INPUT, &error, "no points apart along it");
    hinge = joint_def("hinge", NOBODY, solid, 0, 0, 0);
    hinge.limits[1] = 90; /* from -infinity */
    expect(vvWorldAddJoint(w, &hinge, &id, &error), VV_ERROR_INPUT, &error, "both limits");
    hinge.limits[0] = -180;
    add_joint(w, &hinge);
    vvJointDef slider = joint_def("slider", NOBODY, solid, 0, 0, 0);
    slider.limits[1] = 0.1; /* a way has an end on one side */
    add_joint(w, &slider);
    steps(w, 2);
    vvWorldDestroy(w);
}

/* A motor that is set while the world runs: the model of it that solvers keep is that of a world made with it so, to
 * the last bit. */
static void a_motor_that_is_set(void **state)
{
    (void)state;
    static const char *const solvers[] = { "local-global", "lbfgs", "newton" };
    for (int s = 0; s < 3; s++) {
        vvError error = { 0 };
        vvWorldDef d = free_def("backward-euler", 0.01, 1e-9);
        d.solver.method = solvers[s];
        vvWorld *w[2];
        for (int i = 0; i < 2; i++) {
            w[i] = new_world(&d);
            vvJointDef def = joint_def("hinge", NOBODY, add_tet(w[i], "rotor", 0, 0, 0), 0, 0, 0);
            def.motorSpeed = i ? 100 : 10, def.motorForce = i ? 0.2 : 5;
            vvJointId joint = add_joint(w[i], &def);
            assert_ok(vvWorldBake(w[i], &error));
            if (!i)
                assert_ok(vvJointSetMotor(w[i], joint, 100, 0.2, &error));
            steps(w[i], 5);
        }
        assert_memory_equal(vvWorldPositions(w[0]), vvWorldPositions(w[1]), 12 * sizeof(double));
        for (int i = 0; i < 2; i++)
            vvWorldDestroy(w[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(momentum_is_kept), cmocka_unit_test(a_weight_hangs),
                                        cmocka_unit_test(what_is_refused), cmocka_unit_test(a_motor_that_is_set) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

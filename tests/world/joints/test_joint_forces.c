/* What joints bear: the tension of a pendulum's rod, momentum's change under every scheme and the policies that mix
 * steps, and that it stays between steps. */
#include "joint_support.h"

#include "visviva/interact.h"
#include "visviva/settings.h"

/* m g cos + m v^2/l of a bob whose centre is l from the origin. */
static double tension(const vvWorld *w, double l)
{
    const double *x = vvWorldPositions(w), *v = vvWorldVelocities(w), *m = vvWorldMasses(w);
    double mass = 0, centre[3] = { 0 }, speed[3] = { 0 };
    for (int i = 0; i < 4; i++) {
        mass += m[i];
        for (int k = 0; k < 3; k++)
            centre[k] += m[i] * x[3 * i + k], speed[k] += m[i] * v[3 * i + k];
    }
    return 9.8 * -centre[1] / norm3(centre) + norm3(speed) * norm3(speed) / (mass * l);
}

/* A bob on a rod to the origin, 1 m long; *mass: its own. */
static vvWorld *on_rod(const vvWorldDef *d, double break_at, vvJointId *joint, double *mass)
{
    vvError error = { 0 };
    vvWorld *w = new_world(d);
    vvBodyId body = add_tet(w, "bob", 1, 0, 0);
    vvJointDef def = joint_def("distance", NOBODY, body, 0, 0, 0);
    double centre[3];
    assert_ok(vvWorldBake(w, &error));
    for (int k = 0; k < 3; k++) {
        centre[k] = 0, *mass = 0;
        for (int n = 0; n < 4; n++)
            centre[k] += vvWorldMasses(w)[n] * vvWorldPositions(w)[3 * n + k], *mass += vvWorldMasses(w)[n];
        def.to[k] = centre[k] / *mass;
    }
    def.breakForce = break_at * 9.8 * *mass;
    *joint = add_joint(w, &def);
    return w;
}

/* The force in a rod from which a body swings is right in each step, whatever the scheme's forces are those of; and so
 * the rope breaks where it should. */
static void test_tension(void **state)
{
    (void)state;
    static const char *const schemes[] = { "implicit-midpoint", "avf-gauss-2",    "avf-simpson", "trapezoidal",
                                           "newmark",           "theta",          "tr-bdf2",     "bathe",
                                           "discrete-gradient", "backward-euler", "bdf2",        "sdirk2" };
    for (int i = 0; i < 12; i++)
        for (int breaks = 0; breaks < 2; breaks++) {
            vvWorldDef d = free_def(schemes[i], 1.0 / 120, 1e-10);
            d.gravity[1] = -9.8;
            double mass;
            vvJointId joint;
            vvWorld *w = on_rod(&d, breaks ? 2 : INFINITY, &joint, &mass); /* at the bottom 3 m g */
            double before = tension(w, 1), worst = 0;
            for (int s = 0; s < 120 && !joint_state(w, joint).broken; s++) {
                step(w);
                const double now = tension(w, 1), is = norm3(joint_state(w, joint).force) / mass,
                             off = is / (0.5 * (before + now)) - 1;
                if (s >= 20 && now > 0.5 * 9.8 && !joint_state(w, joint).broken)
                    worst = fmax(worst, fabs(off));
                before = now;
            }
            assert_less(worst, i < 9 ? 0.005 : 0.05);
            assert_int_equal(joint_state(w, joint).broken, breaks);
            if (breaks) /* in the step that passes it */
                assert_near(before / 9.8, 2, 0.1);
            vvWorldDestroy(w);
        }
}

static void momentum_of(const vvWorld *w, double p[3])
{
    for (int k = 0; k < 3; k++) {
        p[k] = 0;
        for (int n = 0; n < 4; n++)
            p[k] += vvWorldMasses(w)[n] * vvWorldVelocities(w)[3 * n + k];
    }
}

/* The largest difference between the joint's force and dP/dt - m g, by 3 m g, after the first steps. Of bdf2 dP/dt is
 * 3/2 (P_{n+1} - P_n) - 1/2 (P_n - P_{n-1}). */
static double worst_balance(vvWorld *w, vvJointId joint, double mass, bool two_step)
{
    vvError error = { 0 };
    double p[3][3], worst = 0;
    momentum_of(w, p[1]);
    for (int s = 0; s < 60; s++) {
        if (vvWorldStep(w, NULL, &error) != VV_OK)
            return worst; /* an explicit one that has blown up */
        momentum_of(w, p[2]);
        const vvJointState now = joint_state(w, joint);
        for (int k = 0; k < 3 && s > 2; k++) {
            const double change = two_step ? 1.5 * (p[2][k] - p[1][k]) - 0.5 * (p[1][k] - p[0][k]) : p[2][k] - p[1][k],
                         off = change * 120 + (k == 1 ? 9.8 * mass : 0) - now.force[k];
            worst = fmax(worst, fabs(off) / fmax(3 * 9.8 * mass, norm3(now.force)));
        }
        memcpy(p[0], p[1], sizeof p[0]);
        memcpy(p[1], p[2], sizeof p[0]);
    }
    return worst;
}

/* Whatever the scheme is, and under policies that mix steps, a joint's force is that by which momentum changes. */
static void test_momentum(void **state)
{
    (void)state;
    static const char *const policies[] = { "none", "a1", "search", "blend", "velocity-scale" };
    int tried = 0;
    for (int i = 0; vvSchemeInfo(i); i++)
        for (int p = 0; p < 5; p++) {
            const char *scheme = vvSchemeInfo(i)->name;
            vvWorldDef d = free_def(scheme, 1.0 / 120, 1e-10);
            vvError error = { 0 };
            vvWorld *probe = NULL;
            double mass;
            vvJointId joint;
            d.gravity[1] = -9.8, d.integrator.policy = policies[p];
            if (strcmp(scheme, "discrete-gradient") == 0 || vvWorldCreate(&d, &probe, &error) != VV_OK)
                continue; /* that one has no forces of joints by themselves */
            vvWorldDestroy(probe);
            vvWorld *w = on_rod(&d, INFINITY, &joint, &mass);
            const double worst = worst_balance(w, joint, mass, strcmp(scheme, "bdf2") == 0);
            if (!(worst < 1e-8))
                fail_msg("%s, %s: the force is %g off", scheme, policies[p], worst);
            tried++;
            vvWorldDestroy(w);
        }
    assert_true(tried > 40);
}

/* Until the next step it stays, whatever happens to bodies and settings; an equilibrium has its own. */
static void test_kept_force(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = free_def("implicit-midpoint", 1.0 / 120, 1e-10);
    d.gravity[1] = -9.8;
    double mass;
    vvJointId joint;
    vvWorld *w = on_rod(&d, INFINITY, &joint, &mass);
    steps(w, 40);
    const vvJointState before = joint_state(w, joint);
    vvIntegratorDef other = d.integrator;
    other.scheme = "sdirk2";
    assert_ok(vvWorldApplyImpulses(w, 1, (int[]){ 0 }, (double[]){ 0.1, 0, 0 }, &error));
    assert_true(joint_state(w, joint).force[0] == before.force[0]);
    assert_ok(vvWorldSetIntegrator(w, &other, &error));
    assert_true(joint_state(w, joint).force[1] == before.force[1]);
    double x[12];
    for (int k = 0; k < 12; k++)
        x[k] = vvWorldPositions(w)[k] + (k % 3 == 1 ? 0.01 : 0);
    assert_ok(vvBodySetState(w, vvWorldBody(w, 0), x, NULL, &error));
    assert_true(joint_state(w, joint).force[1] == before.force[1]);
    assert_ok(vvWorldSettle(w, true, NULL, &error));
    assert_near(joint_state(w, joint).force[1], 9.8 * mass, 1e-3 * mass);
    vvWorldDestroy(w);
}

static vvBodyId add_die(vvWorld *w, double x, double turn, double speed)
{
    vvError error = { 0 };
    vvMesh mesh = { 0 };
    vvBodyId id;
    assert_ok(generate_mesh("box", (double[]){ 0.02, 0.02, 0.02, 2, 2, 2, 5 }, &mesh, &error));
    vvBodyDef b = vvDefaultBodyDef();
    b.mesh = &mesh, b.material.model = "neo-hookean", b.material.young = 1e6;
    b.translate[0] = x;
    b.rotate[0] = turn, b.rotate[1] = 2 * turn, b.rotate[2] = 3 * turn;
    assert_ok(vvWorldAddBody(w, &b, &id, &error));
    assert_ok(vvBodySetInitialState(w, id, "linear", (vvSetting[]){ { "velocity", { speed, 0, 0 } } }, 1, &error));
    vvMeshDestroy(&mesh);
    return id;
}

/* Of a step that is made in parts, because bodies would have passed each other, the force is the mean, too. */
static void test_divided_step(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 1.0 / 60, 1e-8);
    d.contact.model = "barrier", d.contact.distance = 1e-3;
    vvWorld *w = new_world(&d);
    vvStepReport report = { 0 };
    double p[2] = { 0, 0 }, mass = 0;
    const vvBodyId hit = add_die(w, 0.035, 15, -3), tail = add_die(w, 0.2, 0, -3);
    add_die(w, -0.035, 20, 3);
    const vvJointDef def = joint_def("ball", hit, tail, 0.035, 0, 0);
    const vvJointId joint = add_joint(w, &def);
    int first, count;
    vvBodyNodes(w, tail, &first, &count);
    for (int s = 0; s < 2; s++) {
        if (s == 1)
            assert_ok(vvWorldStep(w, &report, &error));
        for (int n = first; n < first + count; n++)
            p[s] += vvWorldMasses(w)[n] * vvWorldVelocities(w)[3 * n], mass += s ? 0 : vvWorldMasses(w)[n];
    }
    assert_true(report.parts > 1);
    const double force = joint_state(w, joint).force[0], change = (p[1] - p[0]) * 60;
    assert_true(fabs(change) > 1e-3 * mass);
    assert_near(force, change, 0.01 * fabs(change));
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tension),
        cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_kept_force),
        cmocka_unit_test(test_divided_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

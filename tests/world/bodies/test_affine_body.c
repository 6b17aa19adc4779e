/* The affine body of four nodes: one tet whose nodes carry a closed surface that collides. Its mass moments are those
 * of the solid, momenta are kept through a collision with a soft body, energy is what the policy says, nothing
 * intersects. */
#include "world_support.h"

static const double RADIUS = 0.05, MASS = 0.5, KAPPA = 1e7; /* m, kg, Pa */

/* An ellipsoid of a solid sphere scaled along x, y, z: X_k = L a_k, L L^T = integral of rho X X^T = m r^2/5
 * diag(scale^2), a_k the corners of a regular tet with |a_k|^2 = 3/m. stvk without lambda is kappa V |F F^T - 1|^2
 * where mu V_tet = 4 kappa V. */
static vvBodyId add_affine(vvWorld *w, const double scale[3], double x, double y)
{
    vvError error = { 0 };
    double e = RADIUS / sqrt(5), at[12] = { e, e, e, -e, e, -e, e, -e, -e, -e, -e, e };
    int tet[4] = { 0, 1, 2, 3 }, faces[12] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3 };
    vvMesh mesh = { .vertexCount = 4,
                    .tetCount = 1,
                    .triangleCount = 4,
                    .positions = at,
                    .tets = tet,
                    .triangles = faces },
           ball = { 0 };
    assert_ok(generate_mesh("ball", (double[]){ RADIUS, 6 }, &ball, &error));
    ball.tetCount = 0;
    assert_ok(vvMeshFinish(&ball, NULL, &error));
    assert_in_range(ball.vertexCount, 200, 1000);
    vvBodyDef def = vvDefaultBodyDef();
    memcpy(def.scale, scale, sizeof def.scale);
    def.translate[0] = x, def.translate[1] = y;
    def.surface = &ball, def.surfaceCollides = true;
    def.material.model = "stvk";
    def.material.totalMass = MASS;
    def.material.lame = true;
    def.material.mu = 4 * KAPPA * (4 * PI / 3 * pow(RADIUS, 3)) / (8 * e * e * e / 3);
    def.mesh = &mesh;
    vvBodyId id;
    assert_ok(vvWorldAddBody(w, &def, &id, &error));
    vvMeshDestroy(&ball);
    return id;
}

static const double SCALE[3] = { 1, 1.4, 0.7 };

/* A rigid spin has the kinetic energy 1/2 w.I w and the momentum I w of the solid ellipsoid, and keeps both in free
 * flight. */
static void test_spin(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = free_def("implicit-midpoint", 1e-3, 1e-11);
    vvWorld *w = new_world(&d);
    vvBodyId body = add_affine(w, SCALE, 0.3, 0.1);
    const double spin[6] = { 3, -1, 2, NAN, NAN, NAN };
    set_state(w, body, "angular", spin);
    assert_ok(vvWorldBake(w, &error));
    vvLedgerRow first = ledger(w), row = steps(w, 300);
    double energy = 0;
    for (int k = 0; k < 3; k++) {
        double a = SCALE[(k + 1) % 3], b = SCALE[(k + 2) % 3], inertia = MASS * RADIUS * RADIUS / 5 * (a * a + b * b);
        energy += 0.5 * inertia * spin[k] * spin[k];
        assert_near(first.angularMomentumCentre[k], inertia * spin[k], 1e-15);
        assert_near(row.angularMomentumCentre[k], inertia * spin[k], 1e-13);
        assert_near(row.momentum[k], 0, 1e-12);
    }
    assert_near(first.kinetic, energy, 1e-14 * energy);
    assert_near(row.kinetic, energy, 1e-4 * energy); /* it is stiff, not rigid */
    assert_near(row.total, energy, 1e-4 * energy);
    vvWorldDestroy(w);
}

/* Shot at a soft ball, off its middle. Momentum is kept; angular momentum where the scheme keeps it; energy to `loss`
 * of it. */
static void shoot(const char *scheme, const char *policy, double h, double turn, double loss)
{
    vvError error = { 0 };
    vvWorldDef d = free_def(scheme, h, 1e-7);
    d.integrator.policy = policy;
    d.contact.model = "barrier";
    d.contact.checkIntersections = true;
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.translate[0] = 0.1115;
    add_ball(w, RADIUS, 3, &def);
    vvBodyId body = add_affine(w, SCALE, 0, 0.02);
    set_state(w, body, "linear", (double[]){ 1, 0, 0 });
    assert_ok(vvWorldBake(w, &error));
    vvLedgerRow first = ledger(w), row = first;
    double gap = INFINITY;
    while (vvWorldTime(w) < 0.06) {
        row = step(w);
        gap = fmin(gap, row.minGap);
        for (int k = 0; k < 3; k++) {
            assert_near(row.momentum[k], first.momentum[k], 1e-12);
            assert_near(row.angularMomentum[k], first.angularMomentum[k], turn * norm3(first.angularMomentum));
        }
    }
    assert_true(gap > 0 && gap < vvWorldGetDef(w)->contact.distance);
    assert_true(isinf(row.minGap)); /* they have parted */
    assert_near(row.total, first.total, loss * first.total);
    vvWorldDestroy(w);
}

static void test_shot(void **state)
{
    (void)state;
    shoot("backward-euler", "none", 1e-3, 0.02, 0.25);
    shoot("backward-euler", "search", 1e-3, 0.02, 1e-3);
    shoot("backward-euler", "a1", 1e-3, 0.02, 0.01);
    shoot("implicit-midpoint", "none", 2.5e-4, 1e-10, 2e-3);
}

/* Without a touch the energy is what it was before. */
static void test_passing(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = free_def("trapezoidal", 1e-3, 1e-9);
    d.contact.model = "barrier";
    vvWorld *w = new_world(&d);
    add_affine(w, SCALE, 0, 0);
    vvBodyId body = add_affine(w, (double[]){ 1, 1, 1 }, -0.3, 0.13);
    set_state(w, body, "linear", (double[]){ 5, 0, 0 });
    set_state(w, body, "angular", (double[]){ 0, 20, 0, NAN, NAN, NAN });
    assert_ok(vvWorldBake(w, &error));
    vvLedgerRow first = ledger(w), row = steps(w, 120);
    assert_near(row.total, first.total, 1e-5 * first.total);
    vvLedgerTotals totals;
    vvWorldTotals(w, &totals);
    assert_true(isinf(totals.minGap));
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spin),
        cmocka_unit_test(test_shot),
        cmocka_unit_test(test_passing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

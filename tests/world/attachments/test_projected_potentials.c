/* Projection (FEPR) of bodies in analytic potentials: what a well and a wall leave of the momenta is kept, wherever
 * they are, and a body that a wall is out of reach of flies. */
#include "live_support.h"

#include "size.h"
#include "positional.h"

static vvWorld *world_of(const char *scheme, double gravity)
{
    vvWorldDef d = free_def(scheme, 1.0 / 30, 1e-10);
    d.integrator.policy = "project";
    d.gravity[1] = gravity;
    return new_world(&d);
}

static void add_potential(vvWorld *w, vvBodyId body, const char *name, const double *values)
{
    vvAttachDef def = vvDefaultAttachDef();
    def.kind = VV_ATTACH_POTENTIAL;
    def.potential = name;
    shape_potential(&def, values);
    attach(w, body, &def);
}

/* L about a point. */
static void turn_about(const vvWorld *w, double mass, const double c[3], double l[3])
{
    const double *q = vvWorldPositions(w), *v = vvWorldVelocities(w), r[3] = { q[0] - c[0], q[1] - c[1], q[2] - c[2] };
    l[0] = mass * (r[1] * v[2] - r[2] * v[1]);
    l[1] = mass * (r[2] * v[0] - r[0] * v[2]);
    l[2] = mass * (r[0] * v[1] - r[1] * v[0]);
}

/* A point that revolves about a well far from the origin. */
static void a_well_keeps_the_turn_about_its_centre(void **state)
{
    (void)state;
    static const char *const schemes[] = { "backward-euler", "implicit-midpoint" };
    const double centre[3] = { 3, -2, 5 }, mass = 0.5;
    for (int i = 0; i < 2; i++) {
        vvError error = { 0 };
        double at[3] = { 4.2, -2, 5 }, first[3], now[3];
        int list[1] = { 0 };
        vvMesh mesh = { .vertexCount = 1, .positions = at, .pointCount = 1, .points = list };
        vvBodyDef def = vvDefaultBodyDef();
        vvBodyId id;
        vvWorld *w = world_of(schemes[i], 0);
        def.mesh = &mesh;
        def.material.model = "free";
        def.material.density = mass;
        assert_ok(vvWorldAddBody(w, &def, &id, &error));
        add_potential(w, id, "spring", (double[8]){ centre[0], centre[1], centre[2], 40, 1 });
        set_state(w, id, "linear", (double[]){ 0, 3, 1 });
        turn_about(w, mass, centre, first);
        const double start = ledger(w).total;
        for (int k = 0; k < 60; k++) {
            vvLedgerRow row = step(w);
            assert_near(row.total, start, 1e-6 * row.scale);
            turn_about(w, mass, centre, now);
            for (int c = 0; c < 3; c++)
                assert_near(now[c], first[c], 1e-6 * 2.1);
        }
        vvWorldDestroy(w);
    }
}

static double lowest(const vvWorld *w)
{
    double y = INFINITY;
    for (int i = 0; i < vvWorldNodeCount(w); i++)
        y = fmin(y, vvWorldPositions(w)[3 * i + 1]);
    return y;
}

/* A block that meets a wall askew. In front of it it flies as gravity has it; there is no friction, so both momenta
 * along it and the turn about its normal stay. */
static void a_wall_takes_what_is_across_it(void **state)
{
    (void)state;
    static const char *const schemes[] = { "backward-euler", "implicit-midpoint" };
    for (int i = 0; i < 2; i++) {
        vvError error = { 0 };
        vvMesh mesh = { 0 };
        vvBodyDef def = vvDefaultBodyDef();
        vvWorld *w = world_of(schemes[i], -9.8);
        bool touched = false;
        assert_ok(generate_mesh("box", (double[]){ 0.3, 0.2, 0.1, 3, 2, 1, 5 }, &mesh, &error));
        def.material.model = "corotated";
        def.material.young = 2e4;
        def.rotate[0] = 20, def.rotate[2] = 35;
        def.translate[1] = 0.6;
        vvBodyId id = add_mesh(w, &mesh, &def);
        add_potential(w, id, "quadratic-wall", (double[8]){ 0, 0, 0, 0, 2, 0, 3000 });
        set_state(w, id, "linear", (double[]){ 0.7, 0, -0.2 });
        set_state(w, id, "angular", (double[]){ 1, 2, 0.5, NAN, NAN, NAN });
        const vvLedgerRow start = ledger(w);
        for (int k = 0; k < (sized(25, 90, 300)); k++) {
            const double height = lowest(w);
            const vvLedgerRow before = ledger(w), row = step(w);
            touched = touched || row.attachment > 0;
            assert_near(row.total, start.total, 1e-6 * row.scale);
            assert_near(row.momentum[0], start.momentum[0], 1e-6 * 10);
            assert_near(row.momentum[2], start.momentum[2], 1e-6 * 10);
            assert_near(row.angularMomentumCentre[1], start.angularMomentumCentre[1], 1e-6);
            /* well clear of it: the solve may touch it, and the projection take the block out again */
            if (fmin(height, lowest(w)) > 0.05)
                for (int c = 0; c < 3; c++) {
                    assert_near(row.momentum[c], before.momentum[c] - (c == 1 ? 6 * 9.8 / 30 : 0), 1e-6 * 10);
                    assert_near(row.angularMomentumCentre[c], before.angularMomentumCentre[c], 1e-6);
                }
        }
        assert_true(touched);
        vvWorldDestroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_well_keeps_the_turn_about_its_centre),
        cmocka_unit_test(a_wall_takes_what_is_across_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

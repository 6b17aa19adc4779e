/* Two-dimensional bodies through the public API: plane strain, what schemes keep, a body turned inside out comes
 * back, solvers agree or refuse it by name, what is refused. */
#include "live_support.h"

#include "visviva/interact.h"
#include "world/world.h"
#include "positional.h"

enum { LONG = 6, WIDE = 3, NODES = (LONG + 1) * (WIDE + 1), TRIANGLES = 2 * LONG * WIDE };

/* 1.2 m x 0.6 m in the x-y plane. */
static vvBodyId add_flat(vvWorld *w, double young, double poisson, double rayleigh)
{
    vvError error = { 0 };
    double x[3 * NODES];
    int t[3 * TRIANGLES], n = 0;
    for (int i = 0; i < NODES; i++)
        x[3 * i] = 0.2 * (i % (LONG + 1)), x[3 * i + 1] = 0.2 * (i / (LONG + 1)), x[3 * i + 2] = 0.5;
    for (int c = 0; c < LONG * WIDE; c++) {
        int a = c / LONG * (LONG + 1) + c % LONG, of[6] = { a, a + 1, a + LONG + 2, a, a + LONG + 2, a + LONG + 1 };
        for (int i = 0; i < 6; i++)
            t[n++] = of[i];
    }
    vvMesh given = { .vertexCount = NODES, .triangleCount = TRIANGLES, .positions = x, .triangles = t }, mesh;
    assert_ok(vvMeshCopy(&given, &mesh, &error));
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("fixed-corotated-plane", young);
    def.material.poisson = poisson;
    def.material.thickness = 0.1;
    def.material.density = 500;
    def.material.damping.rayleigh = rayleigh;
    return add_mesh(w, &mesh, &def);
}

/* Pulled at both ends by a stress, with no strain across the plane: (1 - nu^2)/E of it longer, nu (1 + nu)/E of it
 * thinner. */
static void plane_strain(void **state)
{
    (void)state;
    static const double poissons[] = { 0.3, 0, 0.45, -0.3 };
    for (int p = 0; p < 4; p++) {
        vvError error = { 0 };
        vvWorldDef d = free_def("backward-euler", 1, 1e-12);
        vvWorld *w = new_world(&d);
        double young = 1e5, nu = poissons[p], stress = 1e-5 * young, force[6 * (WIDE + 1)] = { 0 };
        int node[2 * (WIDE + 1)];
        add_flat(w, young, nu, 0);
        for (int i = 0; i < 2 * (WIDE + 1); i++) { /* spread over the ends as their edges are */
            int row = i / 2, end = i % 2;
            node[i] = row * (LONG + 1) + LONG * end;
            force[3 * i] = stress * 0.1 * 0.2 * (row == 0 || row == WIDE ? 0.5 : 1) * (end ? 1 : -1);
        }
        assert_ok(vvWorldBake(w, &error));
        for (int i = 0; i < 30; i++) {
            assert_ok(vvWorldApplyForces(w, 2 * (WIDE + 1), node, force, &error));
            step(w);
        }
        const double *x = vvWorldPositions(w);
        double longer = (x[3 * LONG] - x[0]) / 1.2 - 1, wider = (x[3 * WIDE * (LONG + 1) + 1] - x[1]) / 0.6 - 1;
        assert_near(longer, (1 - nu * nu) * 1e-5, 1e-9);
        assert_near(wider, -nu * (1 + nu) * 1e-5, 1e-9);
        assert_true(x[2] == 0.5);
        vvWorldDestroy(w);
    }
}

static void set_off(vvWorld *w, vvBodyId id)
{
    set_state(w, id, "stretch", (double[]){ 1.2, 0.85, 1, NAN, NAN, NAN });
    set_state(w, id, "angular", (double[]){ 0, 0, 4, NAN, NAN, NAN });
    set_state(w, id, "linear", (double[]){ 0.5, -0.2, 0.1 });
}

/* Momenta, and energy to a symplectic scheme's order; z goes on as it was. */
static void what_schemes_keep(void **state)
{
    (void)state;
    static const char *const schemes[] = { "implicit-midpoint", "verlet",      "backward-euler",
                                           "tr-bdf2",           "avf-simpson", "discrete-gradient" };
    for (int s = 0; s < 6; s++) {
        double far[2] = { 0 };
        for (int fine = 0; fine < 2; fine++) {
            double h = fine ? 1e-3 : 2e-3;
            vvWorldDef d = free_def(schemes[s], h, 1e-10);
            d.solver.hessian = "shifted";
            vvWorld *w = new_world(&d);
            set_off(w, add_flat(w, 1e4, 0.3, 0));
            vvLedgerRow a = ledger(w), b = a;
            for (int i = 0; i < 50 << fine; i++) {
                b = step(w);
                far[fine] = fmax(far[fine], fabs(b.total - a.total) / a.elastic);
            }
            double p = distance3(a.momentum, b.momentum) / norm3(a.momentum);
            if (s != 5 && !(p < 1e-9)) /* the discrete gradient is not made for momentum */
                fail_msg("%s: P by %g", schemes[s], p);
            if (s < 2)
                assert_near(b.angularMomentumCentre[2], a.angularMomentumCentre[2],
                            1e-10 * norm3(a.angularMomentumCentre));
            assert_near(vvWorldPositions(w)[2], 0.5 + 0.1 * 0.1, s == 5 ? 1e-6 : 1e-9);
            vvWorldDestroy(w);
        }
        if (s < 2) /* of second order, and of bounded error */
            assert_true(far[0] < 0.05 && far[1] < 0.35 * far[0]);
        if (s == 5)
            assert_true(far[0] < 1e-6);
    }
}

/* A mirror image, a point, a heap of thrown nodes: all come back to the rest shape, and the ledger says when
 * triangles are turned over. */
static void inside_out(void **state)
{
    (void)state;
    for (int n = 0; n < 3; n++) {
        vvError error = { 0 };
        vvWorldDef d = free_def("backward-euler", 0.2, 1e-8);
        vvWorld *w = new_world(&d);
        add_flat(w, 1e5, 0.3, 0);
        assert_ok(vvWorldBake(w, &error));
        double x[3 * NODES], v[3 * NODES] = { 0 };
        for (int i = 0; i < 3 * NODES; i++) {
            double at = vvWorldPositions(w)[i], thrown = 3 * sin(17.0 * i * i);
            x[i] = i % 3 == 2 ? at : n == 0 ? (i % 3 ? -at : at) : n == 1 ? 0 : thrown;
        }
        assert_ok(vvWorldSetState(w, x, v, &error));
        assert_true(ledger(w).minJ <= 0);
        vvLedgerRow end = steps(w, 60);
        if (!(end.minJ > 0.99 && end.elastic < 1e-6 * 1e5 * 0.072))
            fail_msg("start %d: least J %g, %g J", n, end.minJ, end.elastic);
        vvWorldDestroy(w);
    }
}

/* Solvers that take it come to the same minimum; the others say what they lack. */
static void solvers(void **state)
{
    (void)state;
    static const char *const takes[] = { "newton", "lbfgs", "block-descent" }, *const refuses[] = { "local-global",
                                                                                                    "xpbd",
                                                                                                    "xpbd-exact" };
    double x[3][3 * NODES];
    for (int s = 0; s < 3; s++) {
        vvWorldDef d = free_def("backward-euler", 0.02, 1e-9);
        d.solver.method = takes[s];
        d.solver.budget = s == 1 ? 400 : s == 2 ? 4000 : 0;
        vvWorld *w = new_world(&d);
        set_off(w, add_flat(w, 1e4, 0.3, 1e-2));
        steps(w, 3);
        memcpy(x[s], vvWorldPositions(w), sizeof x[s]);
        for (int i = 0; i < 3 * NODES; i++)
            if (!(fabs(x[s][i] - x[0][i]) < 1e-7))
                fail_msg("%s: %g, not %g", takes[s], x[s][i], x[0][i]);
        vvWorldDestroy(w);
    }
    for (int s = 0; s < 3; s++) {
        vvError error = { 0 };
        vvWorldDef d = free_def("backward-euler", 0.02, 1e-9);
        d.solver.method = refuses[s];
        vvWorld *w = new_world(&d);
        add_flat(w, 1e4, 0.3, 0);
        expect(vvWorldBake(w, &error), VV_ERROR_UNSUPPORTED, &error, "fixed-corotated-plane");
        vvWorldDestroy(w);
    }
}

/* Out of the plane, without a thickness, the surface of a solid. */
static void refused(void **state)
{
    (void)state;
    static const char *const words[] = { "is not flat", "needs a thickness", "is not flat" };
    for (int n = 0; n < 3; n++) {
        vvError error = { 0 };
        vvMesh mesh = { 0 };
        vvWorldDef d = free_def("backward-euler", 0.02, 1e-9);
        vvWorld *w = new_world(&d);
        vvBodyDef def = vvDefaultBodyDef();
        def.material = material(n == 2 ? "stvk" : "fixed-corotated-plane", 1e4);
        def.thickness = n == 1 ? 0 : 0.1;
        vvMaterialDef more = material("fixed-corotated-plane", 1e4);
        if (n == 2)
            def.moreMaterials = &more, def.moreMaterialCount = 1;
        assert_ok(generate_mesh(n == 2 ? "box" : "cloth",
                                n == 2 ? (double[]){ 1, 1, 1, 1, 1, 1, 5 } : (double[]){ 1, 1, 2, 2 }, &mesh, &error));
        def.mesh = &mesh;
        vvStatus status = vvWorldAddBody(w, &def, NULL, &error);
        if (status == VV_OK)
            status = vvWorldBake(w, &error);
        expect(status, VV_ERROR_INPUT, &error, words[n]);
        vvMeshDestroy(&mesh);
        vvWorldDestroy(w);
    }
}

/* Whatever would take it out of its plane, and as if that had never been tried. */
static void stays_in_its_plane(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double values[9];
    } states[] = { { "angular", { 1, 0, 0, NAN, NAN, NAN } },
                   { "twist", { 30, 1, 0, 0 } },
                   { "bend", { 30, 1, 0, 0, 0, 0, 1 } } };
    vvWorldDef d = free_def("backward-euler", 0.01, 1e-9);
    vvWorld *w = new_world(&d);
    vvBodyId id = add_flat(w, 1e4, 0.3, 0);
    set_state(w, id, "angular", (double[]){ 0, 0, 2, NAN, NAN, NAN });
    set_state(w, id, "linear", (double[]){ 0, 0, 2 });
    double *x = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w)),
           *v = copy_of(vvWorldVelocities(w), 3 * vvWorldNodeCount(w));
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        vvError error = { 0 };
        assert_int_equal(start_with(w, id, states[i].name, states[i].values, &error), VV_ERROR_INPUT);
        assert_non_null(strstr(error.message, "out of its plane"));
        assert_memory_equal(x, vvWorldPositions(w), 3 * (size_t)vvWorldNodeCount(w) * sizeof *x);
        assert_memory_equal(v, vvWorldVelocities(w), 3 * (size_t)vvWorldNodeCount(w) * sizeof *v);
    }
    free(x);
    free(v);
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(plane_strain), cmocka_unit_test(what_schemes_keep),
                                        cmocka_unit_test(inside_out),   cmocka_unit_test(stays_in_its_plane),
                                        cmocka_unit_test(solvers),      cmocka_unit_test(refused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The solver "linearised": one Newton step from where the stage begins, whole, with no line search. Exact where the
 * equations are linear; as accurate as the scheme is at small steps; explodes at large ones where Newton does not;
 * never leaves the energies' domain; and its report says that a budget was used up, and where the objective went up. */
#include "live_support.h"
#include "size.h"

static vvWorldDef def_of(const char *scheme, const char *method, double h)
{
    vvWorldDef d = free_def(scheme, h, 1e-11);
    d.solver.method = method;
    return d;
}

/* Points on springs to where they are tied: the force is linear. */
static vvWorld *linear_world(const char *scheme, const char *method)
{
    vvWorldDef d = def_of(scheme, method, 0.02);
    d.gravity[1] = -9.8;
    vvWorld *w = new_world(&d);
    vvMaterialDef m = material("hooke", 0);
    m.springStiffness = 1e-9; /* too little to be seen */
    m.density = 1;
    m.damping.drag = 0.5;
    vvBodyId id = add_edges(w, 2, (double[]){ 0, 0, 0, 1, 0, 0 }, 1, (int[]){ 0, 1 }, &m);
    vvAttachDef spring = vvDefaultAttachDef();
    spring.kind = VV_ATTACH_SPRING;
    spring.stiffness = 30;
    spring.where = (vvRegion){ .kind = VV_REGION_VERTICES, .list = (int[]){ 0, 1 }, .listCount = 2 };
    attach(w, id, &spring);
    set_state(w, id, "linear", (double[]){ 1, 2, 3 });
    return w;
}

static void it_is_exact_on_linear_forces(void **state)
{
    (void)state;
    static const char *const schemes[] = { "backward-euler",    "bdf2",    "sdirk2", "tr-bdf2",
                                           "implicit-midpoint", "newmark", "theta" };
    for (int i = 0; i < 7; i++) {
        vvWorld *a = linear_world(schemes[i], "newton"), *b = linear_world(schemes[i], "linearised");
        vvError error = { 0 };
        for (int k = 0; k < 30; k++) {
            vvStepReport report;
            step(a);
            assert_ok(vvWorldStep(b, &report, &error));
            assert_int_equal(report.end, VV_SOLVE_BUDGET);
            assert_true(report.newtonIterations == report.linearSolves && report.newtonIterations <= 2);
        }
        for (int j = 0; j < 6; j++) {
            assert_near(vvWorldPositions(b)[j], vvWorldPositions(a)[j], 1e-9);
            assert_near(vvWorldVelocities(b)[j], vvWorldVelocities(a)[j], 1e-8);
        }
        vvWorldDestroy(a);
        vvWorldDestroy(b);
    }
}

/* ---- accuracy ---- */

static const double DURATION = 0.25;

static vvWorld *soft(const char *scheme, const char *method, const char *hessian, int n)
{
    vvWorldDef d = def_of(scheme, method, DURATION / n);
    d.solver.hessian = hessian;
    vvWorld *w = new_world(&d);
    vvMaterialDef m = material("stvk", 200);
    vvBodyId id = add_cube(w, 0.1, 1, &m);
    set_state(w, id, "stretch", (double[]){ 1.15, 0.9, 1, NAN, NAN, NAN });
    set_state(w, id, "angular", (double[]){ 3, 2, 1, NAN, NAN, NAN });
    steps(w, n);
    return w;
}

static void small_steps_keep_the_order(void **state)
{
    (void)state;
    static const struct {
        const char *scheme;
        int order;
    } rows[] = {
        { "backward-euler", 1 }, { "bdf2", 2 }, { "implicit-midpoint", 2 }, { "trapezoidal", 2 }, { "sdirk2", 2 }
    };
    const int coarse = sized(64, 128, 256);
    vvWorld *exact = soft("sdirk2", "newton", "shifted", 32 * coarse);
    for (int i = 0; i < 5; i++) {
        double e[2];
        for (int k = 0; k < 2; k++) {
            vvWorld *w = soft(rows[i].scheme, "linearised", "shifted", coarse << k);
            e[k] = mass_distance(w, vvWorldPositions(w), vvWorldPositions(exact));
            vvWorldDestroy(w);
        }
        print_message("%-18s order %.2f\n", rows[i].scheme, log2(e[0] / e[1]));
        assert_near(log2(e[0] / e[1]), rows[i].order, 0.25);
    }
    vvWorldDestroy(exact);
}

/* ---- large steps (Dinev et al. 2018, Fig. 11 and 12) ---- */

/* The most energy that a stiff bar has which spins freely, as a part of what it began with. *rose: steps whose report
 * says that the objective went up. */
static double most_energy(const char *scheme, const char *method, double h, int *rose)
{
    vvError error = { 0 };
    vvWorldDef d = def_of(scheme, method, h);
    d.solver.tolerance = 1e-3;
    d.solver.hessian = "shifted";
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("stvk", 1e6);
    vvBodyId id = add_box_def(w, (double[]){ 0.4, 0.1, 0.1 }, (int[]){ 4, 1, 1 }, 5, &def);
    set_state(w, id, "angular", (double[]){ 0, 0, 20, NAN, NAN, NAN });
    double start = ledger(w).total, most = 0;
    *rose = 0;
    for (int k = 0; k < 60; k++) {
        vvStepReport report;
        assert_ok(vvWorldStep(w, &report, &error));
        *rose += strstr(report.note, "raised the objective") != NULL, most = fmax(most, ledger(w).total / start);
    }
    vvWorldDestroy(w);
    return most;
}

static void large_steps_explode_where_newton_does_not(void **state)
{
    (void)state;
    static const char *const schemes[] = { "backward-euler", "bdf2" };
    for (int i = 0; i < 2; i++) {
        int rose[3];
        double large = most_energy(schemes[i], "linearised", 1.0 / 30, rose),
               newton = most_energy(schemes[i], "newton", 1.0 / 30, rose + 1);
        double small = most_energy(schemes[i], "linearised", 1.0 / 1000, rose + 2);
        print_message("%-15s most energy: linearised %.3g (%d steps up), newton %.3g, linearised at 1 ms %.3g\n",
                      schemes[i], large, rose[0], newton, small);
        assert_true(large > 10 && rose[0] > 0);
        assert_true(newton < 1 && rose[1] == 0);
        assert_true(small < 1.05 && rose[2] == 0);
    }
}

/* ---- where the energies end ---- */

/* Neo-Hookean blocks thrown onto the ground and onto each other, in steps far too large for one Newton step. */
static vvWorld *thrown(const char *method, int threads)
{
    vvError error = { 0 };
    vvWorldDef d = live_def("backward-euler", "none");
    d.timeStep = 1.0 / 60;
    d.solver.method = method;
    d.threads = threads;
    vvWorld *w = new_world(&d);
    obstacle(w, "plane", NULL, 0.3);
    for (int b = 0; b < 2; b++) {
        vvBodyDef def = vvDefaultBodyDef();
        def.material = material("neo-hookean", 2e4);
        def.translate[1] = 0.07 + 0.12 * b;
        def.translate[0] = 0.02 * b;
        vvBodyId id = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 2, 2, 2 }, 5, &def);
        set_state(w, id, "linear", (double[]){ 0.5, -3, 0 });
    }
    assert_ok(vvWorldBake(w, &error));
    return w;
}

static void nothing_meets_and_nothing_inverts(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = thrown("linearised", 1);
    int cut = 0;
    for (int k = 0; k < sized(60, 120, 400); k++) {
        vvStepReport report;
        assert_ok(vvWorldStep(w, &report, &error));
        assert_true(ledger(w).minGap > 0 && isfinite(ledger(w).total));
        assert_true(report.linearSolves == 1 && report.end != VV_SOLVE_CONVERGED);
        cut += report.residual > 0 && strstr(report.note, "raised") != NULL;
    }
    print_message("%d steps raised the objective\n", cut);
    vvWorldDestroy(w);
}

static void it_has_the_same_bits(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *a = thrown("linearised", 1), *b = thrown("linearised", 2), *c = thrown("linearised", 1);
    expect_same(a, b, 30, "threads");
    size_t size = vvWorldStateSize(a);
    void *bytes = malloc(size);
    assert_ok(vvWorldSaveState(a, bytes, size, &error));
    assert_ok(vvWorldLoadState(c, bytes, size, &error));
    expect_same(a, c, 20, "saved state");
    free(bytes);
    vvWorldDestroy(a);
    vvWorldDestroy(b);
    vvWorldDestroy(c);
}

/* ---- what is around a step ---- */

static vvWorld *hanging(const char *method)
{
    vvWorldDef d = def_of("backward-euler", method, 0.01);
    d.gravity[1] = -9.8;
    d.solver.tolerance = 1e-6;
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("stvk", 1e5);
    vvBodyId id = add_box_def(w, (double[]){ 0.3, 0.1, 0.1 }, (int[]){ 3, 1, 1 }, 6, &def);
    vvAttachDef wall = vvDefaultAttachDef();
    wall.where = (vvRegion){ .kind = VV_REGION_PERCENT, .b = { 1, 100, 100 } };
    attach(w, id, &wall);
    return w;
}

/* Static equilibrium is found with the world's solver, whichever it is. */
static void it_settles_where_newton_does(void **state)
{
    (void)state;
    vvError error = { 0 };
    double energy[2];
    for (int k = 0; k < 2; k++) {
        vvWorld *w = hanging(k ? "linearised" : "newton");
        assert_ok(vvWorldSettle(w, false, energy + k, &error));
        vvWorldDestroy(w);
    }
    assert_near(energy[1], energy[0], 1e-7 * fabs(energy[0]));
}

/* Prescribed nodes are where their motion says at each step's end. */
static void prescribed_nodes_arrive(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w[2];
    for (int k = 0; k < 2; k++) {
        vvWorldDef d = def_of("backward-euler", k ? "linearised" : "newton", 1e-3);
        w[k] = new_world(&d);
        vvBodyDef def = vvDefaultBodyDef();
        def.material = material("stvk", 1e4);
        vvBodyId id = add_box_def(w[k], (double[]){ 0.3, 0.1, 0.1 }, (int[]){ 3, 1, 1 }, 6, &def);
        vvAttachDef wall = vvDefaultAttachDef();
        wall.where = (vvRegion){ .kind = VV_REGION_PERCENT, .b = { 1, 100, 100 } };
        wall.motion.linearVelocity[1] = 0.2;
        attach(w[k], id, &wall);
        assert_ok(vvWorldBake(w[k], &error));
    }
    double *start = copy_of(vvWorldPositions(w[1]), 3 * vvWorldNodeCount(w[1]));
    steps(w[0], 50);
    steps(w[1], 50);
    int moved = 0;
    for (int i = 0; i < vvWorldNodeCount(w[1]); i++)
        if (start[3 * i] < -0.149) {
            assert_near(vvWorldPositions(w[1])[3 * i + 1] - start[3 * i + 1], 0.2 * 0.05, 1e-12);
            moved++;
        }
    assert_int_equal(moved, 4);
    assert_true(mass_distance(w[0], vvWorldPositions(w[0]), vvWorldPositions(w[1])) < 1e-4);
    assert_true(mass_distance(w[0], vvWorldPositions(w[0]), start) > 2e-3);
    free(start);
    vvWorldDestroy(w[0]);
    vvWorldDestroy(w[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_exact_on_linear_forces),
        cmocka_unit_test(small_steps_keep_the_order),
        cmocka_unit_test(large_steps_explode_where_newton_does_not),
        cmocka_unit_test(nothing_meets_and_nothing_inverts),
        cmocka_unit_test(it_has_the_same_bits),
        cmocka_unit_test(it_settles_where_newton_does),
        cmocka_unit_test(prescribed_nodes_arrive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What schemes and policies keep: momenta, energy, the motion of a rotating cube. Through the public API. */
#include "policy_support.h"
#include "size.h"

/* A soft box that spins, flies and wobbles. */
static vvBodyId wobbling(vvWorld *w, const char *model, double young)
{
    vvMaterialDef m = material(model, young);
    vvBodyId body = add_cube(w, 0.1, 2, &m);
    set_state(w, body, "stretch", (double[]){ 1.2, 0.95, 0.9, NAN, NAN, NAN });
    set_state(w, body, "twist", (double[]){ 20, 1, 0.3, 0 });
    set_state(w, body, "angular", (double[]){ 4, 6, 2, NAN, NAN, NAN });
    set_state(w, body, "linear", (double[]){ 0.5, -0.2, 0.1 });
    return body;
}

static void midpoint_keeps_momenta(void **state)
{
    (void)state;
    static const char *const models[] = { "stvk", "neo-hookean", "stable-neo-hookean", "fixed-corotated" };
    static const double tolerances[] = { 1e-3, 1e-9 };
    for (int i = 0; i < sized(2, 4, 4); i++)
        for (int t = 0; t < 2; t++) {
            vvWorldDef d = free_def("implicit-midpoint", 1e-2, tolerances[t]);
            vvWorld *w = new_world(&d);
            wobbling(w, models[i], 2e4);
            vvLedgerRow a = ledger(w), b = steps(w, 200);
            double p = norm3(a.momentum), l = norm3(a.angularMomentumCentre);
            double dp = distance3(a.momentum, b.momentum) / p;
            double dl = distance3(a.angularMomentumCentre, b.angularMomentumCentre) / l;
            print_message("%-20s tolerance %g: dP %.2g dL %.2g dH/K %.2g\n", models[i], tolerances[t], dp, dl,
                          (b.total - a.total) / a.kinetic);
            assert_less(dp, 1e-11 + 0.1 * tolerances[t]);
            assert_less(dl, 1e-11 + 10 * tolerances[t]);
            vvWorldDestroy(w);
        }
}

/* The test above can fail: backward Euler keeps P, not L. */
static void backward_euler_loses_angular_momentum(void **state)
{
    (void)state;
    vvWorldDef d = free_def("backward-euler", 1e-2, 1e-9);
    vvWorld *w = new_world(&d);
    wobbling(w, "stvk", 2e4);
    vvLedgerRow a = ledger(w), b = steps(w, 200);
    assert_less(distance3(a.momentum, b.momentum) / norm3(a.momentum), 1e-11);
    assert_less(norm3(b.angularMomentumCentre), 0.7 * norm3(a.angularMomentumCentre));
    vvWorldDestroy(w);
}

/* One tet is enough to be nonlinear in every invariant, and 10,000 steps of it are cheap. */
static vvBodyId one_tet(vvWorld *w, const vvMaterialDef *m)
{
    vvError error = { 0 };
    double x[12] = { 0, 0, 0, 0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1 };
    int tet[4] = { 0, 1, 2, 3 };
    vvMesh filled = { .vertexCount = 4, .tetCount = 1, .positions = x, .tets = tet }, mesh;
    assert_ok(vvMeshCopy(&filled, &mesh, &error));
    assert_ok(vvMeshFinish(&mesh, NULL, &error));
    vvBodyDef def = vvDefaultBodyDef();
    def.material = *m;
    vvBodyId body = add_mesh(w, &mesh, &def);
    set_state(w, body, "stretch", (double[]){ 1.3, 0.9, 1.1, NAN, NAN, NAN });
    set_state(w, body, "angular", (double[]){ 5, 3, 1, NAN, NAN, NAN });
    return body;
}

/* Largest |H - H_0| over the run, relative to the energy at hand. */
static double worst_energy(vvWorld *w, int count)
{
    vvLedgerRow first = ledger(w), row;
    double worst = 0;
    for (int i = 0; i < count; i++) {
        row = step(w);
        worst = fmax(worst, fabs(row.total - first.total));
    }
    return worst / first.scale;
}

static void average_vector_field_keeps_the_energy_of_stvk(void **state)
{
    (void)state;
    static const struct {
        const char *scheme;
        double bound, least; /* |dH|/S: at most; and where the rule is not exact at least */
    } rows[] = { { "avf-simpson", 1e-8, 0 },
                 { "avf-gauss-2", 1e-8, 0 },
                 { "avf-gauss-3", 1e-8, 0 },
                 { "implicit-midpoint", INFINITY, 1e-3 },
                 { "trapezoidal", INFINITY, 1e-3 } };
    const int steps_of_one = sized(1000, 2000, 10000);
    for (int i = 0; i < 5; i++) {
        vvWorldDef d = free_def(rows[i].scheme, 5e-3, 1e-9);
        vvWorld *w = new_world(&d);
        vvMaterialDef m = material("stvk", 1e4);
        one_tet(w, &m);
        double worst = worst_energy(w, steps_of_one);
        print_message("%-18s one StVK tet, %d steps: |dH|/S %.2g\n", rows[i].scheme, steps_of_one, worst);
        assert_less(worst, rows[i].bound);
        assert_less(rows[i].least, worst + 1e-300);
        vvWorldDestroy(w);
    }
}

/* A square of cloth with bending springs, or a chain; both hang from their first node. */
static void squared_springs(vvWorld *w, bool cloth)
{
    vvAttachDef pin = vvDefaultAttachDef();
    pin.where = (vvRegion){ .kind = VV_REGION_VERTICES, .list = (int[]){ 0 }, .listCount = 1 };
    vvMaterialDef m = material("stvk-spring", 0);
    m.springStiffness = 5e3;
    m.bendStiffness = 200;
    m.density = cloth ? 1 : 0.5;
    if (cloth) {
        vvError error = { 0 };
        double x[12] = { 0, 0, 0, 0.3, 0, 0, 0.3, 0, 0.3, 0, 0, 0.3 };
        int triangles[6] = { 0, 1, 2, 0, 2, 3 };
        vvMesh mesh = { .vertexCount = 4, .triangleCount = 2, .positions = x, .triangles = triangles };
        vvBodyDef def = vvDefaultBodyDef();
        def.mesh = &mesh;
        def.material = m;
        vvBodyId body;
        assert_ok(vvWorldAddBody(w, &def, &body, &error));
        set_state(w, body, "bend", (double[]){ 40, 1, 0, 0, 0, 1, 0 });
        set_state(w, body, "angular", (double[]){ 5, 3, 1, 0, 0, 0 });
        attach(w, body, &pin);
    } else {
        double x[15] = { 0, 0, 0, 0.1, 0, 0, 0.2, 0, 0, 0.3, 0, 0, 0.4, 0, 0 };
        int edges[8] = { 0, 1, 1, 2, 2, 3, 3, 4 };
        vvBodyId body = add_edges(w, 5, x, 4, edges, &m);
        set_state(w, body, "stretch", (double[]){ 1.2, 1, 1, NAN, NAN, NAN });
        set_state(w, body, "profile", (double[]){ 0, 2, 1, 1, 0, 0 });
        attach(w, body, &pin);
    }
}

static void average_vector_field_keeps_the_energy_of_squared_springs(void **state)
{
    (void)state;
    static const char *const schemes[] = { "avf-simpson", "avf-gauss-2", "avf-gauss-3" };
    for (int cloth = 0; cloth < 2; cloth++)
        for (int i = 0; i < 3; i++) {
            vvWorldDef d = free_def(schemes[i], 5e-3, 1e-10);
            d.gravity[1] = -9.8; /* a linear potential: exact too */
            vvWorld *w = new_world(&d);
            squared_springs(w, cloth);
            double worst = worst_energy(w, sized(1000, 2000, 10000));
            print_message("%-18s %s: |dH|/S %.2g\n", schemes[i], cloth ? "cloth" : "chain", worst);
            assert_less(worst, 1e-8);
            vvWorldDestroy(w);
        }
}

static void discrete_gradient_keeps_the_energy_of_any_material(void **state)
{
    (void)state;
    static const char *const models[] = { "stvk", "neo-hookean", "stable-neo-hookean", "corotated", "arap" };
    for (int i = 0; i < 5; i++) {
        vvWorldDef d = free_def("discrete-gradient", 2e-3, 1e-10);
        vvWorld *w = new_world(&d);
        wobbling(w, models[i], 5e3);
        double worst = worst_energy(w, sized(30, 60, 100));
        print_message("discrete-gradient %-20s |dH|/S %.2g\n", models[i], worst);
        assert_less(worst, 1e-9);
        vvWorldDestroy(w);
    }
}

/* ---- the rotating cube of You, Zheng, Li, Appendix A item 1 ------------------------------------------------------ */

typedef struct turning {
    double turns, largest; /* turns about the edge in 10 s; largest H / H_0 above the ground */
    vvLedgerTotals totals;
} turning;

static turning rotating_cube(const char *scheme, const char *policy, const char *model, double young)
{
    vvError error = { 0 };
    vvWorldDef d = vvDefaultWorldDef();
    d.timeStep = 1.0 / 30;
    d.integrator.scheme = scheme;
    d.integrator.policy = policy;
    d.threads = 1;
    vvWorld *w = new_world(&d);
    vvMaterialDef m = material(model, young);
    vvBodyId body = add_cube(w, 0.1, 3, &m);
    set_state(w, body, "angular", (double[]){ 0, 0, 15, -0.05, -0.05, 0 });
    vvAttachDef edge = vvDefaultAttachDef();
    edge.where = (vvRegion){ .kind = VV_REGION_BOX, .a = { -0.05, -0.05, -1 }, .b = { -0.05, -0.05, 1 } };
    attach(w, body, &edge);
    vvLedgerRow first = ledger(w);
    double start = first.total - first.groundEnergy, angle = 0, last = PI / 4;
    turning t = { 0 };
    for (int i = 0; i < 300; i++) {
        if (vvWorldStep(w, NULL, &error) != VV_OK) {
            t.largest = INFINITY;
            break;
        }
        double c[3] = { 0, 0, 0 }, mass = 0;
        for (int n = 0; n < vvWorldNodeCount(w); n++) {
            for (int k = 0; k < 3; k++)
                c[k] += vvWorldMasses(w)[n] * vvWorldPositions(w)[3 * n + k];
            mass += vvWorldMasses(w)[n];
        }
        double now = atan2(c[1] / mass + 0.05, c[0] / mass + 0.05);
        angle += remainder(now - last, 2 * PI);
        last = now;
        t.largest = fmax(t.largest, (ledger(w).total - first.groundEnergy) / start);
    }
    t.turns = angle / (2 * PI);
    vvWorldTotals(w, &t.totals);
    print_message("%-18s %-7s %-16s E %g: %.2f turns, mean |H-T|/S %.4f, largest H/H0 %.3g\n", scheme, policy, model,
                  young, t.turns, t.totals.meanTargetError, t.largest);
    vvWorldDestroy(w);
    return t;
}

static void rotating_cube_turns_on_with_search(void **state)
{
    (void)state;
    NUMBERS_ONLY();
    static const char *const models[] = { "corotated", "fixed-corotated" };
    for (int m = 0; m < sized(1, 2, 2); m++)
        for (int stiff = 0; stiff < 2; stiff++) {
            turning t = rotating_cube("backward-euler", "search", models[m], stiff ? 1e6 : 5e4);
            assert_less(t.totals.meanTargetError, 0.06);
            assert_true(t.turns > 19 && t.turns < 24);
        }
}

static void rotating_cube_stops_without(void **state)
{
    (void)state;
    NUMBERS_ONLY();
    for (int stiff = 0; stiff < sized(1, 2, 2); stiff++) {
        double young = stiff ? 1e6 : 5e4;
        assert_less(rotating_cube("backward-euler", "none", "corotated", young).turns, 1);
        assert_less(rotating_cube("bdf2", "none", "corotated", young).turns, 1);
        assert_less(10, rotating_cube("implicit-midpoint", "none", "corotated", young).largest);
    }
}

/* One step of the average vector field on a damped spring: m (q - q_n - h v_n) = h^2/2 (-k (q + q_n)/2 - c m u), u the
 * mean velocity, or the end's, 2 (q - q_n)/h - v_n (Rojas, Liu, Kavan 2018, Eq. 15 and 16). */
static void avf_damps_where_it_is_told(void **state)
{
    (void)state;
    static const char *const rows[] = { "avf-simpson", "avf-gauss-2", "avf-gauss-3" };
    const double m = 2, k = 300, c = 3, h = 0.05;
    for (int i = 0; i < 6; i++) {
        const bool end = i >= 3;
        vvSetting setting = { .name = "avf_damping", .choice = end ? "end" : "mean" };
        vvWorldDef d = free_def(rows[i % 3], h, 1e-12);
        d.integrator.settings = &setting, d.integrator.settingCount = 1;
        vvWorld *w = oscillator_with(&d, m, k, c, (double[]){ 1, 0, 0 });
        double q = 0, v = 1, most = -1;
        for (int n = 0; n < 20; n++) {
            const double part = end ? 2 : 1, left = m + h * h / 2 * (k / 2 + c * m * part / h);
            const double right = m * (q + h * v) + h * h / 2 * (-k / 2 * q + c * m * (part * q / h + (end ? v : 0)));
            const double next = right / left, u = end ? 2 * (next - q) / h - v : (next - q) / h;
            const double loss = h * c * m * u * (next - q) / h;
            v = 2 * (next - q) / h - v, q = next;
            const vvLedgerRow row = step(w);
            assert_near(vvWorldPositions(w)[0], q, 1e-11);
            assert_near(vvWorldVelocities(w)[0], v, 1e-10);
            assert_near(row.damping, fmax(loss, 0), 1e-12);
            assert_near(row.error, fmax(-loss, 0), 1e-12); /* the end's velocity may add energy */
            most = fmax(most, -loss);
        }
        assert_true(end ? most > 1e-4 : most <= 0);
        vvWorldDestroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(avf_damps_where_it_is_told),
        cmocka_unit_test(midpoint_keeps_momenta),
        cmocka_unit_test(backward_euler_loses_angular_momentum),
        cmocka_unit_test(average_vector_field_keeps_the_energy_of_stvk),
        cmocka_unit_test(average_vector_field_keeps_the_energy_of_squared_springs),
        cmocka_unit_test(discrete_gradient_keeps_the_energy_of_any_material),
        cmocka_unit_test(rotating_cube_turns_on_with_search),
        cmocka_unit_test(rotating_cube_stops_without),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

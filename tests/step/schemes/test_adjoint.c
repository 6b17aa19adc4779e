/* Adjoint schemes, and the decoupled method that a1 and search make of a scheme and its adjoint (theory §2.12): an
 * adjoint undoes the scheme's steps; the pair is area-preserving with the traces of the paper's Appendices C and D;
 * it keeps the order, dissipation and prescribed nodes as they are; search follows its target; and what has no
 * adjoint is refused with the reason. */
#include "step/schemes/scheme.h"

/* The table, with one more row that stands for any adjoint. */
static struct {
    const char *scheme;
    vvSetting setting[2];
    int count;
} undone = { .scheme = "sdirk2" };
static void take_adjoint(vv_scheme *row, const double *values);
#define VV_MORE_SCHEMES "../tests/step/schemes/undo_row.c"
#include "step/schemes/schemes.c"

static void take_adjoint(vv_scheme *row, const double *values)
{
    (void)values;
    vv_scheme of = vv_scheme_made(undone.scheme, undone.setting, undone.count);
    const vvInfo info = row->info;
    if (vv_scheme_adjoint(&of, undone.setting, undone.count, row))
        row->info = info;
}

#include "live_support.h"
#include "size.h"

/* Every kind of row that has one. */
static const struct {
    const char *scheme;
    double theta, inner;
    int order;
} pairs[] = { { "backward-euler", 1, 0, 1 }, { "forward-euler", 1, 0, 1 }, { "sdirk2", 1, 0, 2 },
              { "tr-bdf2", 1, 0, 2 },        { "bathe", 1, 0, 2 },         { "theta", 1, 0, 1 },
              { "theta", 0.7, 0, 1 },        { "theta", 0.7, 1, 1 },       { "theta", 1, 1, 1 } };
enum { PAIRS = sizeof pairs / sizeof *pairs };

static void choose(int pair, vvSetting out[2])
{
    out[0] = (vvSetting){ .name = "theta", .value = { pairs[pair].theta } };
    out[1] = (vvSetting){ .name = "theta_inner", .value = { pairs[pair].inner } };
}

static void use(vvWorldDef *d, const char *scheme, const vvSetting *settings, const char *policy)
{
    d->integrator.scheme = scheme;
    d->integrator.settings = settings;
    d->integrator.settingCount = settings ? 2 : 0;
    d->integrator.policy = policy;
}

/* ---- on the oscillator ---- */

/* With S = diag(1, -1), which turns h into -h: S A* S A = 1. */
static void an_adjoint_undoes_a_step_of_the_oscillator(void **state)
{
    (void)state;
    for (int i = 0; i < PAIRS; i++) {
        vvSetting settings[2];
        choose(i, settings);
        vv_scheme row = vv_scheme_made(pairs[i].scheme, settings, 2), adjoint;
        assert_true(vv_scheme_adjoint(&row, settings, 2, &adjoint));
        for (double x = 1e-3; x < 1e6; x *= 7) {
            double a[16], b[16];
            vv_scheme_matrix(&row, x, a);
            vv_scheme_matrix(&adjoint, x, b);
            assert_near(b[0] * a[0] - b[1] * a[2], 1, 1e-12 * (1 + x));
            assert_near(b[0] * a[1] - b[1] * a[3], 0, 1e-12 * (1 + x));
            assert_near(b[3] * a[2] - b[2] * a[0], 0, 1e-12 * (1 + x));
            assert_near(b[3] * a[3] - b[2] * a[1], 1, 1e-12 * (1 + x));
        }
    }
}

/* The map of (u, h v) that the program makes: two masses on a spring, u its extension, x = (h omega)^2. */
static void program_map(const char *scheme, const vvSetting *settings, const char *policy, double x, double map[4])
{
    const double mass = 0.05, h = 0.01, scale = 1e-3;
    vvError error = { 0 };
    vvWorldDef d = free_def(scheme, h, 1e-13);
    use(&d, scheme, settings, policy);
    d.solver.velocityTolerance = 1e-11;
    vvWorld *w = new_world(&d);
    vvMaterialDef m = material("hooke", 0);
    m.springStiffness = 0.5 * x * mass / (h * h);
    m.density = 2 * mass;
    add_edges(w, 2, (double[]){ 0, 0, 0, 1, 0, 0 }, 1, (int[]){ 0, 1 }, &m);
    for (int column = 0; column < 2; column++) {
        double u = column == 0 ? scale : 0, v = column == 1 ? scale / h : 0;
        assert_ok(vvWorldSetState(w, (double[]){ -u / 2, 0, 0, 1 + u / 2, 0, 0 },
                                  (double[]){ -v / 2, 0, 0, v / 2, 0, 0 }, &error));
        step(w);
        map[column] = (vvWorldPositions(w)[3] - vvWorldPositions(w)[0] - 1) / scale;
        map[2 + column] = h * (vvWorldVelocities(w)[3] - vvWorldVelocities(w)[0]) / scale;
    }
    vvWorldDestroy(w);
}

static double trace(const double map[4]) { return map[0] + map[3]; }
static double determinant(const double map[4]) { return map[0] * map[3] - map[1] * map[2]; }

static void pairs_preserve_area(void **state)
{
    (void)state;
    for (int i = 0; i < PAIRS; i++)
        for (double x = 0.1; x < 2e3; x *= 11) {
            vvSetting settings[2];
            double both[4], alone[4], searched[4];
            choose(i, settings);
            program_map(pairs[i].scheme, settings, "a1", x, both);
            program_map(pairs[i].scheme, settings, "none", x, alone);
            assert_near(determinant(both), 1, 1e-7);
            assert_true(fabs(determinant(alone) - 1) > 1e-5); /* by itself it does not */
            assert_near(both[0], alone[0], 1e-9);             /* positions are the scheme's */
            assert_near(both[1], alone[1], 1e-9);
            program_map(pairs[i].scheme, settings, "search", x, searched);
            assert_near(searched[0], alone[0], 1e-9);
        }
}

/* Appendix D: SDIRK2's trace is least near x = 44, about -2.16, and tends to 1/2 - sqrt 2 - 1; §4.2: A-1's is 1 +
 * 1/(1 + x). */
static void traces_are_the_papers(void **state)
{
    (void)state;
    double map[4], least = 9, at = 0;
    for (double x = 20; x < 100; x *= 1.05) {
        program_map("sdirk2", NULL, "a1", x, map);
        if (trace(map) < least)
            least = trace(map), at = x;
    }
    assert_near(at, 44, 2);
    assert_near(least, -2.16, 0.005);
    program_map("sdirk2", NULL, "a1", 1e5, map);
    assert_near(trace(map), 0.5 - sqrt(2) - 1, 1e-3);
    program_map("backward-euler", NULL, "a1", 7, map);
    assert_near(trace(map), 1 + 1.0 / 8, 1e-8);
    /* the coupled pair is symplectic as well, and its trace has no bound */
    program_map("sdirk2-coupled", NULL, "none", 1e3, map);
    assert_near(determinant(map), 1, 1e-7);
    double further[4];
    program_map("sdirk2-coupled", NULL, "none", 1e4, further);
    assert_true(trace(map) > 10 && trace(further) > 9 * trace(map));
}

/* c of det(l - A) = l^4 + c[0] l^3 + c[1] l^2 + c[2] l + c[3], by Faddeev and LeVerrier. */
static void characteristic(const double a[16], double c[4])
{
    double m[16] = { 0 };
    for (int k = 0; k < 4; k++) {
        double next[16] = { 0 }, trace = 0;
        for (int i = 0; i < 4; i++)
            m[5 * i] += k == 0 ? 1 : c[k - 1];
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                for (int l = 0; l < 4; l++)
                    next[4 * i + j] += a[4 * i + l] * m[4 * l + j];
        memcpy(m, next, sizeof m);
        for (int i = 0; i < 4; i++)
            trace += m[5 * i];
        c[k] = -trace / (k + 1);
    }
}

/* Appendix D: positions from BDF2 and velocities from its adjoint, v_{n+1} = 4 v_n - 3 v_{n-1} + 2 h M^-1 grad
 * E(q_{n-1}). Eigenvalues of a symplectic map come in pairs l, 1/l: the characteristic polynomial reads the same from
 * both ends. With no force at all one is 3: the pair is not zero-stable. That is why bdf2 names no adjoint. */
static void the_pair_of_bdf2_is_symplectic_and_not_zero_stable(void **state)
{
    (void)state;
    vv_scheme bdf2 = vv_scheme_made("bdf2", NULL, 0);
    for (double x = 0; x < 1e4; x = 10 * x + 0.1) {
        double a[16], c[4];
        vv_scheme_matrix(&bdf2, x, a); /* of (x, h v, x_p, h v_p) */
        characteristic(a, c);
        assert_true(x == 0 || fabs(c[3] - 1) > 0.01); /* BDF2 alone is not */
        a[4] = 0, a[5] = 4, a[6] = 2 * x, a[7] = -3;  /* h v of the next step; h^2 grad E(q_{n-1}) is x times q_{n-1} */
        characteristic(a, c);
        assert_near(c[3], 1, 1e-9 * (1 + x));
        assert_near(c[2], c[0], 1e-9 * (1 + x));
        if (x == 0)
            assert_near(81 + 27 * c[0] + 9 * c[1] + 3 * c[2] + c[3], 0, 1e-9);
    }
}

/* ---- on nonlinear bodies ---- */

/* A box of five tets that stretches and turns; its fastest modes have about one period in DURATION. */
static const double DURATION = 0.25;

static vvBodyId add_soft(vvWorld *w, double drag)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("stvk", 200);
    def.material.damping.drag = drag;
    vvBodyId id = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 1, 1, 1 }, 5, &def);
    set_state(w, id, "stretch", (double[]){ 1.15, 0.9, 1, NAN, NAN, NAN });
    set_state(w, id, "angular", (double[]){ 3, 2, 1, NAN, NAN, NAN });
    return id;
}

static vvWorld *soft_world(const char *scheme, const vvSetting *settings, const char *policy, double drag, int n)
{
    vvWorldDef d = free_def(scheme, DURATION / n, 1e-11);
    use(&d, scheme, settings, policy);
    d.gravity[1] = -2;
    d.solver.hessian = "shifted";
    d.solver.velocityTolerance = 1e-10;
    vvWorld *w = new_world(&d);
    add_soft(w, drag);
    return w;
}

/* From the end of a step with its velocities turned round, the adjoint's step leads back to the start, turned round. */
static void an_adjoint_undoes_a_step_of_a_nonlinear_body(void **state)
{
    (void)state;
    vvError error = { 0 };
    for (int i = 0; i < PAIRS; i++) {
        vvSetting settings[2];
        choose(i, settings);
        undone.scheme = pairs[i].scheme, undone.count = 2;
        memcpy(undone.setting, settings, sizeof settings);
        vvWorld *w = soft_world(pairs[i].scheme, settings, "none", 0, 20),
                *back = soft_world("undo", NULL, "none", 0, 20);
        step(w);
        int n = 3 * vvWorldNodeCount(w);
        double *x = copy_of(vvWorldPositions(w), n), *v = copy_of(vvWorldVelocities(w), n);
        step(w);
        double *turned = copy_of(vvWorldVelocities(w), n), moved = 0;
        for (int k = 0; k < n; k++)
            turned[k] = -turned[k], moved = fmax(moved, fabs(vvWorldPositions(w)[k] - x[k]));
        assert_ok(vvWorldSetState(back, vvWorldPositions(w), turned, &error));
        step(back);
        for (int k = 0; k < n; k++) {
            assert_near(vvWorldPositions(back)[k], x[k], 1e-9);
            assert_near(vvWorldVelocities(back)[k], -v[k], 1e-7);
        }
        assert_true(moved > 1e-3);
        vvWorldDestroy(w);
        vvWorldDestroy(back);
        free(x);
        free(v);
        free(turned);
    }
}

/* Largest distances of positions and velocities after DURATION from the reference. */
static void final_errors(int pair, double drag, int n, const vvWorld *exact, double errors[2])
{
    vvSetting settings[2];
    choose(pair, settings);
    vvWorld *w = soft_world(pairs[pair].scheme, settings, "a1", drag, n);
    steps(w, n);
    errors[0] = mass_distance(w, vvWorldPositions(w), vvWorldPositions(exact));
    errors[1] = mass_distance(w, vvWorldVelocities(w), vvWorldVelocities(exact));
    vvWorldDestroy(w);
}

static void the_order_is_the_schemes(void **state)
{
    (void)state;
    const int coarse = sized(64, 128, 256);
    for (int k = 0; k < 2; k++) {
        const double drag = k ? 6 : 0;
        vvWorld *exact = soft_world("sdirk2", NULL, "none", drag, 32 * coarse);
        steps(exact, 32 * coarse);
        for (int i = 0; i < PAIRS; i++) {
            double a[2], b[2];
            final_errors(i, drag, coarse, exact, a);
            final_errors(i, drag, 2 * coarse, exact, b);
            print_message("%-15s theta %g %g drag %g: order %.2f (x) %.2f (v)\n", pairs[i].scheme, pairs[i].theta,
                          pairs[i].inner, drag, log2(a[0] / b[0]), log2(a[1] / b[1]));
            for (int j = 0; j < 2; j++)
                assert_near(log2(a[j] / b[j]), pairs[i].order, 0.25);
        }
        vvWorldDestroy(exact);
    }
}

/* Theta at its end is backward Euler, whose correction comes from gradients; just beside it, from the adjoint's own
 * solve. */
static void both_ways_to_the_correction_agree(void **state)
{
    (void)state;
    vvWorld *w[3];
    const double thetas[] = { 1, 1 - 1e-9 };
    w[0] = soft_world("backward-euler", NULL, "search", 6, 30);
    for (int k = 0; k < 2; k++)
        w[1 + k] =
            soft_world("theta", (vvSetting[]){ { "theta", { thetas[k] } }, { "theta_inner", { 0 } } }, "search", 6, 30);
    for (int i = 0; i < 30; i++) {
        vvLedgerRow a = step(w[0]), b = step(w[1]), c = step(w[2]);
        assert_near(b.alpha, a.alpha, 1e-9);
        assert_near(c.alpha, a.alpha, 1e-5);
    }
    assert_true(mass_distance(w[0], vvWorldPositions(w[0]), vvWorldPositions(w[1])) < 1e-12);
    assert_true(mass_distance(w[0], vvWorldPositions(w[0]), vvWorldPositions(w[2])) < 1e-5);
    for (int k = 0; k < 3; k++)
        vvWorldDestroy(w[k]);
}

/* Dissipation belongs to the scheme's step: where forces are even, there is nothing to correct, and drag acts once. */
static void dissipation_is_not_corrected(void **state)
{
    (void)state;
    static const char *const schemes[] = { "sdirk2", "tr-bdf2", "bathe", "forward-euler" };
    for (int i = 0; i < 4; i++) {
        vvWorld *w[2];
        for (int k = 0; k < 2; k++) {
            vvWorldDef d = free_def(schemes[i], 0.01, 1e-10);
            use(&d, schemes[i], NULL, k ? "a1" : "none");
            d.gravity[1] = -9.8;
            w[k] = new_world(&d);
            vvMaterialDef m = material("stvk", 1e3);
            m.damping.drag = 8;
            vvBodyId id = add_cube(w[k], 0.1, 1, &m);
            set_state(w[k], id, "linear", (double[]){ 1, 2, 3 });
            steps(w[k], 20);
        }
        for (int j = 0; j < 3 * vvWorldNodeCount(w[0]); j++)
            assert_near(vvWorldVelocities(w[1])[j], vvWorldVelocities(w[0])[j], 1e-8);
        vvWorldDestroy(w[0]);
        vvWorldDestroy(w[1]);
    }
}

/* Prescribed nodes have the velocity of their way, whatever drag does to them; the rest of a body is corrected. */
static void prescribed_nodes_are_left_alone(void **state)
{
    (void)state;
    vvWorld *w[2];
    for (int k = 0; k < 2; k++) {
        vvWorldDef d = live_def("sdirk2", k ? "a1" : "none");
        w[k] = new_world(&d);
        vvBodyDef def = vvDefaultBodyDef();
        def.material = material("stvk", 2e4);
        def.material.damping.drag = 5;
        vvBodyId id = add_box_def(w[k], (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 1, 1, 1 }, 5, &def);
        vvAttachDef top = vvDefaultAttachDef();
        top.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 0, 100, 0 }, .b = { 100, 100, 100 } };
        top.motion.linearVelocity[0] = 0.3;
        attach(w[k], id, &top);
        steps(w[k], 3);
    }
    int held = 0, corrected = 0;
    for (int i = 0; i < vvWorldNodeCount(w[1]); i++) {
        const double *v = vvWorldVelocities(w[1]) + 3 * i;
        held += fabs(v[0] - 0.3) < 1e-9 && fabs(v[1]) + fabs(v[2]) < 1e-9;
        corrected += distance3(v, vvWorldVelocities(w[0]) + 3 * i) > 1e-6;
    }
    assert_int_equal(held, 4);
    assert_int_equal(corrected, 4);
    vvWorldDestroy(w[0]);
    vvWorldDestroy(w[1]);
}

/* A body that vibrates so that the step hardly shows it. */
static vvWorld *stiff_world(const char *scheme, const vvSetting *settings, const char *policy)
{
    vvWorldDef d = free_def(scheme, 1.0 / 60, 1e-8);
    use(&d, scheme, settings, policy);
    vvWorld *w = new_world(&d);
    vvMaterialDef m = material("fixed-corotated", 2e4);
    vvBodyId body = add_cube(w, 0.1, 2, &m);
    set_state(w, body, "angular", (double[]){ 3, 1, 5, NAN, NAN, NAN });
    set_state(w, body, "stretch", (double[]){ 1.2, 0.95, 1, NAN, NAN, NAN });
    return w;
}

static void search_follows_its_target(void **state)
{
    (void)state;
    static const char *const schemes[] = { "sdirk2", "tr-bdf2", "bathe", "theta" };
    static const vvSetting theta[] = { { "theta", { 0.7 } }, { "theta_inner", { 0 } } };
    for (int i = 0; i < 4; i++) {
        vvWorld *w = stiff_world(schemes[i], theta, "search"), *alone = stiff_world(schemes[i], theta, "none");
        double off = 0, lost = 0;
        const int count = 120;
        for (int k = 0; k < count; k++) {
            vvLedgerRow a = step(w), b = step(alone);
            off += fabs(a.total - a.target) / a.scale / count;
            lost = fmax(lost, (b.target - b.total) / b.scale);
        }
        print_message("%-8s off by %.2e of scale in the mean; without, %.2e are lost\n", schemes[i], off, lost);
        assert_true(lost > 0.05);
        assert_true(off < 0.03 && off < 0.1 * lost);
        vvWorldDestroy(w);
        vvWorldDestroy(alone);
    }
}

/* Forward Euler solves nothing; the velocities come from a solve all the same, and the report is about that. */
static void a_solve_of_the_adjoint_that_stops_short_is_reported(void **state)
{
    (void)state;
    vvError error = { 0 };
    for (int most = 1; most < 100; most += 98) {
        vvWorldDef d = free_def("forward-euler", 0.02, 1e-10);
        use(&d, "forward-euler", NULL, "a1");
        d.solver.maxIterations = most;
        vvWorld *w = new_world(&d);
        add_soft(w, 0);
        vvStepReport report;
        assert_ok(vvWorldStep(w, &report, &error));
        assert_int_equal(report.end, most == 1 ? VV_SOLVE_ITERATION_LIMIT : VV_SOLVE_EXPLICIT);
        assert_true((strstr(report.note, "adjoint") != NULL) == (most == 1));
        vvWorldDestroy(w);
    }
}

/* ---- in contact ---- */

static vvWorld *falling(const char *scheme, const char *policy, int threads)
{
    vvError error = { 0 };
    vvWorldDef d = live_def(scheme, policy);
    d.timeStep = 1.0 / 120;
    d.solver.tolerance = 1e-3;
    d.threads = threads;
    vvWorld *w = new_world(&d);
    obstacle(w, "plane", NULL, 0.3);
    for (int b = 0; b < 2; b++) {
        vvBodyDef def = vvDefaultBodyDef();
        def.material = material("neo-hookean", 2e4);
        def.translate[1] = 0.08 + 0.12 * b;
        def.translate[0] = 0.02 * b;
        vvBodyId id = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 2, 2, 2 }, 5, &def);
        set_state(w, id, "linear", (double[]){ 0.5, -1, 0 });
    }
    assert_ok(vvWorldBake(w, &error));
    return w;
}

/* Positions are the scheme's own: nothing meets and nothing inverts, whatever the velocities become. */
static void nothing_intersects(void **state)
{
    (void)state;
    vvWorld *w = falling("sdirk2", "search", 1), *alone = falling("sdirk2", "none", 1);
    double kinetic = 0, plain = 0;
    const int count = sized(60, 120, 400);
    for (int k = 0; k < count; k++) {
        vvLedgerRow row = step(w);
        assert_true(row.minGap > 0);
        kinetic += row.kinetic;
        plain += step(alone).kinetic;
    }
    print_message("mean kinetic energy %.3g J, without search %.3g J\n", kinetic / count, plain / count);
    assert_true(kinetic > plain);
    vvWorldDestroy(w);
    vvWorldDestroy(alone);
}

/* The adjoints of tr-bdf2 and bathe extrapolate to where their first sample is: that may be inside. Then the step is
 * the scheme's own, and says so; nothing intersects, and the body comes up again. */
static void where_an_adjoint_cannot_be_had_the_step_is_the_schemes(void **state)
{
    (void)state;
    static const char *const schemes[] = { "tr-bdf2", "bathe" };
    for (int i = 0; i < 2; i++) {
        vvError error = { 0 };
        vvWorld *w = falling(schemes[i], "search", 1), *alone = falling(schemes[i], "none", 1);
        int own = 0;
        double up = 0, up_alone = 0;
        for (int k = 0; k < 120; k++) {
            vvStepReport report;
            assert_ok(vvWorldStep(w, &report, &error));
            const vvLedgerRow row = ledger(w);
            assert_true(row.minGap > 0);
            if (*report.policyNote) {
                own++;
                assert_true(row.alpha == 0 && row.policyChange == 0);
                assert_non_null(strstr(report.policyNote, "the step is the scheme's own"));
            }
            up = fmax(up, row.momentum[1]);
            up_alone = fmax(up_alone, step(alone).momentum[1]);
        }
        assert_in_range(own, 1, 80);
        assert_true(up > 0.8 * up_alone && up < 1.5 * up_alone);
        vvWorldDestroy(w);
        vvWorldDestroy(alone);
    }
}

/* The same bits with two threads, and from a snapshot on. */
static void it_has_the_same_bits(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *a = falling("sdirk2", "search", 1), *b = falling("sdirk2", "search", 2),
            *c = falling("sdirk2", "search", 1);
    expect_same(a, b, sized(30, 60, 120), "threads");
    vvSnapshot *snapshot;
    assert_ok(vvWorldSnapshot(a, &snapshot, &error));
    assert_ok(vvWorldRestore(c, snapshot, &error));
    expect_same(a, c, 15, "snapshot");
    vvSnapshotDestroy(snapshot);
    vvWorldDestroy(a);
    vvWorldDestroy(b);
    vvWorldDestroy(c);
}

/* ---- what is refused ---- */

static void refused(const char *scheme, const vvSetting *settings, const char *policy, const char *why)
{
    vvError error = { 0 };
    vvWorld *w = NULL;
    vvWorldDef d = free_def(scheme, 0.01, 1e-8);
    use(&d, scheme, settings, policy);
    vvStatus status = vvWorldCreate(&d, &w, &error);
    expect(status, VV_ERROR_INPUT, &error, why);
    expect(status, VV_ERROR_INPUT, &error, scheme);
    expect(status, VV_ERROR_INPUT, &error, "choose"); /* and what to do */
    assert_null(w);
}

/* A contact's stiff modes are beyond A-1's limit of stability over all but backward Euler. */
static void a1_in_contact_is_refused(void **state)
{
    (void)state;
    static const char *const schemes[] = { "sdirk2", "tr-bdf2", "bathe", "backward-euler" };
    for (int i = 0; i < 4; i++) {
        vvError error = { 0 };
        vvWorldDef d = live_def(schemes[i], "a1");
        vvWorld *w = new_world(&d);
        add_block(w, 0, 0, 0);
        assert_ok(vvWorldBake(w, &error)); /* nothing is there to touch */
        obstacle(w, "plane", (double[]){ 0, -1, 0, 0, 1, 0 }, 0);
        if (i == 3) {
            assert_ok(vvWorldBake(w, &error));
        } else {
            expect(vvWorldBake(w, &error), VV_ERROR_UNSUPPORTED, &error, schemes[i]);
            expect(vvWorldBake(w, &error), VV_ERROR_UNSUPPORTED, &error, "switch contact off");
        }
        vvWorldDestroy(w);
    }
}

static void what_has_no_adjoint_is_refused_with_the_reason(void **state)
{
    (void)state;
    static const char *const own[] = { "verlet",      "implicit-midpoint", "trapezoidal",
                                       "theta",       "newmark",           "avf-simpson",
                                       "avf-gauss-2", "avf-gauss-3",       "discrete-gradient" };
    static const char *const policies[] = { "a1", "search" };
    for (int p = 0; p < 2; p++) {
        for (size_t i = 0; i < sizeof own / sizeof *own; i++)
            refused(own[i], NULL, policies[p], "its own adjoint");
        refused("bdf2", NULL, policies[p], "triple");
        refused("symplectic-euler", NULL, policies[p], "no Runge-Kutta method");
        refused("sdirk2-coupled", NULL, policies[p], "no Runge-Kutta method");
        refused("newmark", (vvSetting[]){ { "newmark_gamma", { 0.6 } }, { "newmark_beta", { 0.4 } } }, policies[p],
                "no Runge-Kutta method");
    }
    for (int i = 0; vv_scheme_table(i); i++) { /* whoever adds a row says one of the three */
        if (strcmp(vv_scheme_table(i)->info.name, "undo") == 0)
            continue;
        vv_scheme row = vv_scheme_made(vv_scheme_table(i)->info.name, NULL, 0);
        assert_int_equal((row.adjoint != NULL) + row.symmetric + (row.no_adjoint != NULL), 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_adjoint_undoes_a_step_of_the_oscillator),
        cmocka_unit_test(pairs_preserve_area),
        cmocka_unit_test(traces_are_the_papers),
        cmocka_unit_test(the_pair_of_bdf2_is_symplectic_and_not_zero_stable),
        cmocka_unit_test(an_adjoint_undoes_a_step_of_a_nonlinear_body),
        cmocka_unit_test(the_order_is_the_schemes),
        cmocka_unit_test(both_ways_to_the_correction_agree),
        cmocka_unit_test(dissipation_is_not_corrected),
        cmocka_unit_test(prescribed_nodes_are_left_alone),
        cmocka_unit_test(search_follows_its_target),
        cmocka_unit_test(a_solve_of_the_adjoint_that_stops_short_is_reported),
        cmocka_unit_test(nothing_intersects),
        cmocka_unit_test(where_an_adjoint_cannot_be_had_the_step_is_the_schemes),
        cmocka_unit_test(it_has_the_same_bits),
        cmocka_unit_test(a1_in_contact_is_refused),
        cmocka_unit_test(what_has_no_adjoint_is_refused_with_the_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

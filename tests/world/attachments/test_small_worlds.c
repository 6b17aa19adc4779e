/* Points under analytic potentials (VV_ATTACH_POTENTIAL) and bars of rods: what the papers say of their small
 * examples, conservation, barriers that hold, one dimension that stays one, snapshots and saved states, what is
 * refused. */
#include "live_support.h"
#include "visviva/interact.h"

#include "size.h"
#include "positional.h"

/* ---- points ---- */

typedef struct point {
    double mass, x, v; /* on the x axis */
    const char *potential;
    double values[8];
} point;

static vvAttachDef potential_of(const char *name, const double *values)
{
    vvAttachDef def = vvDefaultAttachDef();
    def.kind = VV_ATTACH_POTENTIAL;
    def.potential = name;
    shape_potential(&def, values);
    return def;
}

static vvBodyId add_at(vvWorld *w, double mass, double x)
{
    vvError error = { 0 };
    double at[3] = { x, 0, 0 };
    int list[1] = { 0 };
    vvMesh mesh = { .vertexCount = 1, .positions = at, .pointCount = 1, .points = list };
    vvBodyDef def = vvDefaultBodyDef();
    vvBodyId id;
    def.mesh = &mesh;
    def.material.model = "free";
    def.material.density = mass;
    assert_ok(vvWorldAddBody(w, &def, &id, &error));
    return id;
}

static vvBodyId add_point(vvWorld *w, const point *p)
{
    vvBodyId id = add_at(w, p->mass, p->x);
    vvAttachDef def = potential_of(p->potential, p->values);
    attach(w, id, &def);
    if (p->v != 0)
        set_state(w, id, "linear", (double[]){ p->v, 0, 0 });
    return id;
}

static vvWorld *one_point(const vvWorldDef *d, const point *p)
{
    vvWorld *w = new_world(d);
    add_point(w, p);
    return w;
}

static vvWorldDef small_def(const char *scheme, const char *policy, double h)
{
    vvWorldDef d = free_def(scheme, h, 1e-11);
    d.integrator.policy = policy;
    return d;
}

static double x_of(const vvWorld *w) { return vvWorldPositions(w)[0]; }
static double v_of(const vvWorld *w) { return vvWorldVelocities(w)[0]; }

/* What one step makes of a harmonic oscillator: out = {x, v from (1, 0), x, v from (0, 1)}. */
static void map_of(const vvWorldDef *d, double stiffness, double out[4])
{
    for (int i = 0; i < 2; i++) {
        point p = { 1, i == 0, i == 1, "harmonic", { 0, 0, 0, stiffness } };
        vvWorld *w = one_point(d, &p);
        step(w);
        out[2 * i] = x_of(w), out[2 * i + 1] = v_of(w);
        vvWorldDestroy(w);
    }
}

/* Determinant 1; A-1's trace is 1 + 1/(1 + k h^2/m), implicit midpoint's 2 (4 - k h^2/m) / (4 + k h^2/m). Backward
 * Euler shrinks areas. */
static void maps_of_the_oscillator(void **state)
{
    (void)state;
    for (double stiffness = 0.1; stiffness < 2e4; stiffness *= 10) {
        double m[4], k = stiffness * 0.01;
        vvWorldDef d = small_def("backward-euler", "a1", 0.1);
        map_of(&d, stiffness, m);
        assert_near(m[0] * m[3] - m[1] * m[2], 1, 1e-9);
        assert_near(m[0] + m[3], 1 + 1 / (1 + k), 1e-9);
        d = small_def("implicit-midpoint", "none", 0.1);
        map_of(&d, stiffness, m);
        assert_near(m[0] * m[3] - m[1] * m[2], 1, 1e-9);
        assert_near(m[0] + m[3], 2 * (4 - k) / (4 + k), 1e-9);
        d = small_def("backward-euler", "none", 0.1);
        map_of(&d, stiffness, m);
        assert_near(m[0] * m[3] - m[1] * m[2], 1 / (1 + k), 1e-9);
    }
}

/* Largest relative change of the total, which is booked as the ledger's `attachment` and `kinetic`. */
static double worst_drift(vvWorld *w, int count)
{
    vvLedgerRow first = ledger(w);
    double worst = 0;
    for (int i = 0; i < count; i++) {
        vvLedgerRow row = step(w);
        assert_near(row.total, row.kinetic + row.attachment + row.gravity, 1e-12 * first.scale);
        assert_true(row.work == 0 && row.damping == 0 && row.friction == 0);
        worst = fmax(worst, fabs(row.total - first.total) / first.total);
    }
    return worst;
}

static void energy_is_kept(void **state)
{
    (void)state;
    static const point quartic = { 1, -1.10, 12.25, "quartic", { 0, 0, 0, 128 } };
    static const point well = { 1, 0.6, -9, "squared-spring", { 0, 0, 0, 3000, 1 } };
    static const point oscillator = { 2, 0.5, 1, "harmonic", { 0.1, 0, 0, 700 } };
    static const struct {
        const char *scheme;
        const point *p;
        double h, gravity;
        bool kept;
    } cases[] = {
        { "implicit-midpoint", &oscillator, 0.1, 0, true },  { "avf-simpson", &oscillator, 0.1, 0, true },
        { "avf-simpson", &quartic, 0.0066, 0, true },        { "avf-simpson", &quartic, 0.033, 0, true },
        { "avf-gauss-2", &quartic, 0.033, 0, true },         { "implicit-midpoint", &quartic, 0.0066, 0, false },
        { "avf-simpson", &well, 0.04, -10, true },           { "implicit-midpoint", &well, 0.04, -10, false },
        { "backward-euler", &oscillator, 0.1, 0, false },    { "trapezoidal", &oscillator, 0.1, 0, true },
        { "discrete-gradient", &oscillator, 0.01, 0, true }, { "discrete-gradient", &quartic, 0.0066, 0, true },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vvWorldDef d = small_def(cases[i].scheme, "none", cases[i].h);
        d.gravity[0] = cases[i].gravity;
        vvWorld *w = one_point(&d, cases[i].p);
        double drift = worst_drift(w, 100);
        if (cases[i].kept ? drift > 1e-8 : drift < 1e-3)
            fail_msg("%s on %s with h = %g: %g", cases[i].scheme, cases[i].p->potential, cases[i].h, drift);
        assert_true(vvWorldPositions(w)[1] == 0 && vvWorldPositions(w)[2] == 0);
        vvWorldDestroy(w);
    }
}

/* Dinev, Liu, Kavan 2018, Fig. 2-3: 0.5 kg at (1.5, 0, 0) with 10 m/s across. k (|x| - 1)^2 with k = 1e5: 25,000 J
 * and the kinetic 25 J; Eq. 7: 78,150 J. */
static void start_energies_of_the_revolving_spring(void **state)
{
    (void)state;
    for (int squared = 0; squared < 2; squared++) {
        vvWorldDef d = small_def("implicit-midpoint", "none", 0.033);
        point p = { 0.5, 1.5, 0, squared ? "squared-spring" : "spring", { 0, 0, 0, squared ? 1e5 : 2e5, 1 } };
        vvWorld *w = new_world(&d);
        vvBodyId id = add_point(w, &p);
        set_state(w, id, "linear", (double[]){ 0, 10, 0 });
        vvLedgerRow row = ledger(w);
        assert_near(row.attachment, squared ? 78125 : 25000, 1e-8);
        assert_near(row.total, squared ? 78150 : 25025, 1e-8);
        assert_near(row.angularMomentum[2], 0.5 * 1.5 * 10, 1e-12);
        vvWorldDestroy(w);
    }
}

/* The same paper, Appendix C: from x0 in (0, 1) with v0 = -x0 / h, backward Euler goes to x1 = 0, v1 = v0, and the
 * energy grows. */
static void backward_euler_can_gain(void **state)
{
    (void)state;
    const double k = 5, h = 0.1, x0 = 0.4;
    vvError error = { 0 };
    vvWorldDef d = small_def("backward-euler", "none", h);
    vvWorld *w = new_world(&d);
    point p = { 1, x0, -x0 / h, "spring", { 0, 1, 0, k, sqrt(2) } };
    vvBodyId id = add_point(w, &p);
    const double lower[5] = { 0, -1, 0, k, sqrt(2) };
    vvAttachDef second = potential_of("spring", lower);
    attach(w, id, &second);
    double e0 = k * (sqrt(x0 * x0 + 1) - sqrt(2)) * (sqrt(x0 * x0 + 1) - sqrt(2)),
           e1 = k * (1 - sqrt(2)) * (1 - sqrt(2));
    vvLedgerRow before = ledger(w), after = step(w);
    assert_near(before.attachment, e0, 1e-12);
    assert_near(x_of(w), 0, 1e-9);
    assert_near(v_of(w), -x0 / h, 1e-8);
    assert_near(after.total - before.total, e1 - e0, 1e-7);
    assert_less(0.25, after.total - before.total);
    assert_ok(vvWorldBake(w, &error));
    vvWorldDestroy(w);
}

/* ---- walls ---- */

/* A-search, Appendix E: in the limit of a stiff wall A-1 takes four steps and gives back the speed, whatever the
 * phase; the trapezoidal rule leaves with 3 - 4 beta. */
static void a_stiff_wall(void **state)
{
    (void)state;
    for (double beta = 0.1; beta < 0.95; beta += 0.2) {
        point p = { 1, beta, -1, "quadratic-wall", { 0, 0, 0, 1, 0, 0, 1e9 } };
        vvWorldDef d = small_def("backward-euler", "a1", 1);
        d.solver.tolerance = 1e-13;
        vvWorld *w = one_point(&d, &p);
        const double v[4] = { -1, -beta, 1 - beta, 1 };
        for (int i = 0; i < 4; i++) {
            step(w);
            assert_near(v_of(w), v[i], 1e-6);
        }
        assert_near(x_of(w), 1 - beta, 1e-6);
        vvWorldDestroy(w);
        if (beta > 2.0 / 3 - 0.01)
            continue;
        d = small_def("trapezoidal", "none", 1);
        d.solver.tolerance = 1e-13;
        w = one_point(&d, &p);
        step(w);
        assert_near(v_of(w), 1 - 2 * beta, 1e-6);
        step(w);
        assert_near(v_of(w), 3 - 4 * beta, 1e-6);
        vvWorldDestroy(w);
    }
}

/* The same of the IPC barrier (Appendix E, end), whatever its stiffness: with steps in which the point goes much
 * farther than the barrier reaches, A-1 gives back the speed. */
static void a_thin_barrier(void **state)
{
    (void)state;
    for (double k = 1e-4; k < 20; k *= 100)
        for (double beta = 0.1; beta < 0.95; beta += 0.2) {
            const double h = 1e5;
            point p = { 1, 1 + beta * h, -1, "barrier-wall", { 0, 0, 0, 1, 0, 0, k, 1 } };
            vvWorldDef d = small_def("backward-euler", "a1", h);
            d.solver.tolerance = 1e-13;
            vvWorld *w = one_point(&d, &p);
            const double v[4] = { -1, -beta, 1 - beta, 1 };
            for (int i = 0; i < 4; i++) {
                step(w);
                assert_near(v_of(w), v[i], 1e-5);
            }
            vvWorldDestroy(w);
        }
}

/* Whatever the scheme and the step, what comes at a barrier turns back in front of it. */
static void nothing_passes_a_barrier(void **state)
{
    (void)state;
    for (int s = 0; vvSchemeInfo(s); s++) {
        const char *scheme = vvSchemeInfo(s)->name;
        for (double speed = 1; speed < 2e3; speed *= 10) {
            point p = { 1, 0.5, -speed, "barrier-wall", { 0, 0, 0, 1, 0, 0, 100, 0.01 } };
            vvError error = { 0 };
            vvWorldDef d = small_def(scheme, "none", 0.02);
            d.solver.tolerance = 1e-6;
            vvWorld *w = one_point(&d, &p);
            vvStatus status = VV_OK;
            for (int i = 0; i < 60 && status == VV_OK; i++) {
                status = vvWorldStep(w, NULL, &error);
                assert_less(0, x_of(w));
                assert_true(isfinite(ledger(w).total));
            }
            assert_true(status == VV_OK || status == VV_ERROR_SOLVER);
            if (status == VV_OK && strcmp(scheme, "backward-euler") == 0)
                assert_less(-1e-9, v_of(w));
            vvWorldDestroy(w);
        }
    }
}

/* Filtered search, which moves groups rigidly, sees that potentials hold what they act on. */
static void policies_go_with_potentials(void **state)
{
    (void)state;
    static const char *const policies[] = { "search", "filtered-search" };
    for (int i = 0; i < 2; i++) {
        point p = { 1, 0.6, 0, "harmonic", { 0, 0, 0, 400 } };
        vvWorldDef d = small_def("backward-euler", policies[i], 0.01);
        vvWorld *w = one_point(&d, &p);
        double start = ledger(w).total, least = start;
        for (int k = 0; k < 300; k++) {
            vvLedgerRow row = step(w);
            assert_near(row.target, start, 1e-9);
            least = fmin(least, row.total);
            assert_less(row.total, 1.02 * start);
        }
        assert_less(0.8 * start, least);
        vvWorldDestroy(w);
    }
}

/* ---- a bar ---- */

enum { BAR_NODES = 31 };

/* A-search's Table 2: 1 m, 10 kg, speed of sound c; it flies along -x at a barrier that its first node feels. */
static vvWorld *bar_of(const vvWorldDef *d, const char *model, double c, double start)
{
    vvError error = { 0 };
    vvMesh mesh = { 0 };
    vvBodyDef def = vvDefaultBodyDef();
    vvWorld *w = new_world(d);
    const double values[8] = { -0.5 - 1.0 / 30, 0, 0, 1, 0, 0, 100, 0.01 };
    int lead = 0;
    assert_ok(generate_mesh("chain", (double[]){ 1, BAR_NODES }, &mesh, &error));
    assert_int_equal(mesh.edgeCount, BAR_NODES - 1);
    def.material.model = model;
    def.material.density = 10;
    def.material.springStiffness = 10 * c * c;
    vvBodyId id = add_mesh(w, &mesh, &def);
    vvAttachDef wall = potential_of("barrier-wall", values);
    wall.where = (vvRegion){ .kind = VV_REGION_VERTICES, .list = &lead, .listCount = 1 };
    attach(w, id, &wall);
    set_state(w, id, "linear", (double[]){ -1, 0, 0 });
    if (start != 1)
        set_state(w, id, "stretch", (double[]){ start, 1, 1, NAN, NAN, NAN });
    return w;
}

static double centre_speed(vvWorld *w) { return ledger(w).momentum[0] / 10; }

/* Nodes stay in order, and exactly on the line. */
static void check_bar(const vvWorld *w)
{
    const double *x = vvWorldPositions(w), *v = vvWorldVelocities(w);
    for (int i = 0; i < BAR_NODES; i++) {
        assert_true(x[3 * i + 1] == 0 && x[3 * i + 2] == 0 && v[3 * i + 1] == 0 && v[3 * i + 2] == 0);
        assert_true(i == 0 || x[3 * i] > x[3 * i - 3]);
    }
    assert_less(-0.5 - 1.0 / 30, x[0]);
}

static void the_bar_of_table_2(void **state)
{
    (void)state;
    static const struct {
        const char *scheme, *policy;
        double c, published;
    } cells[] = {
        { "bdf2", "none", 1, 0.776 },
        { "backward-euler", "a1", 1, 0.810 },
        { "backward-euler", "search", 1, 0.819 },
        { "bdf2", "none", 10, 0.742 },
        { "backward-euler", "a1", 10, 0.643 },
        { "backward-euler", "search", 10, 0.632 },
        { "bdf2", "none", 100, 0.795 },
        { "backward-euler", "a1", 100, 0.978 },
        { "backward-euler", "search", 100, 0.999 },
    };
    static const vvSetting ballistic = { .name = "ballistic", .value = { 1 } };
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        vvWorldDef d = small_def(cells[i].scheme, cells[i].policy, 1.0 / 30);
        d.solver.tolerance = 1e-9;
        if (strcmp(cells[i].scheme, "bdf2") == 0)
            d.integrator.settings = &ballistic, d.integrator.settingCount = 1;
        vvWorld *w = bar_of(&d, "neo-hookean-rod", cells[i].c, 1);
        assert_near(vvWorldMasses(w)[0], 10.0 / 60, 1e-12);
        assert_near(vvWorldMasses(w)[1], 10.0 / 30, 1e-12);
        assert_near(ledger(w).kinetic, 5, 1e-12);
        for (int k = 0; k < 150; k++) {
            step(w);
            check_bar(w);
        }
        assert_near(centre_speed(w), cells[i].published, 0.0015);
        vvWorldDestroy(w);
    }
}

/* Implicit midpoint evaluates no energy where a step ends: there only the step filter keeps nodes apart, however
 * close to each other the iterations of a solve bring them. Steps may fail, but none ends in disorder. */
static void the_filter_alone_keeps_order(void **state)
{
    (void)state;
    enum { NODES = 9 };
    for (int i = 0; i < 6; i++) {
        vvError error = { 0 };
        vvMesh mesh = { 0 };
        vvBodyDef def = vvDefaultBodyDef();
        vvWorldDef d = small_def("implicit-midpoint", "none", i % 2 ? 0.1 : 0.2);
        d.solver = vvDefaultWorldDef().solver; /* inexact solves take more iterations */
        d.solver.tolerance = 1e-9;
        vvWorld *w = new_world(&d);
        assert_ok(generate_mesh("chain", (double[]){ 1, NODES }, &mesh, &error));
        def.material.model = "neo-hookean-rod";
        def.material.density = def.material.springStiffness = 10;
        vvBodyId id = add_mesh(w, &mesh, &def);
        vvAttachDef wall = potential_of("barrier-wall", (double[]){ -0.6, 0, 0, 1, 0, 0, 1, 0.05 });
        wall.where = (vvRegion){ .kind = VV_REGION_VERTICES, .list = (int[]){ 0 }, .listCount = 1 };
        attach(w, id, &wall);
        set_state(w, id, "profile", (double[]){ -2.5 - i / 2 * 0.5, 0, 0, 1, 0, 0 });
        for (int k = 0; k < 10 && vvWorldStep(w, NULL, &error) == VV_OK; k++)
            for (int n = 1; n < NODES; n++)
                assert_true(vvWorldPositions(w)[3 * n] > vvWorldPositions(w)[3 * n - 3]);
        vvWorldDestroy(w);
    }
}

/* In front of a wall that does not act, filtered search keeps the momentum of a bar that vibrates, as of any body
 * that flies freely. */
static void a_wall_out_of_reach_holds_nobody(void **state)
{
    (void)state;
    vvWorldDef d = small_def("backward-euler", "filtered-search", 1.0 / 30);
    d.solver.tolerance = 1e-9;
    vvWorld *w = bar_of(&d, "neo-hookean-rod", 1, 1);
    for (int k = 0; k < 55; k++) /* it leaves after 50 */
        step(w);
    double speed = centre_speed(w);
    assert_less(0.5, speed);
    assert_less(0.1, ledger(w).elastic);
    for (int k = 0; k < 60; k++) {
        step(w);
        assert_near(centre_speed(w), speed, 1e-10);
    }
    vvWorldDestroy(w);
}

/* Squeezed to a hundredth and thrown at the wall with steps as long as it takes to cross its own length: no node
 * passes another under schemes that minimise. */
static void a_bar_stays_a_bar(void **state)
{
    (void)state;
    int tried = 0;
    for (int s = 0; vvSchemeInfo(s); s++) {
        vvError error = { 0 };
        vvSchemeCheck check;
        assert_ok(vvSchemeSelfCheck(s, &check, &error));
        if (!check.minimises || check.explicitScheme)
            continue;
        tried++;
        vvWorldDef d = small_def(vvSchemeInfo(s)->name, "none", 0.25);
        d.solver.tolerance = 1e-4;
        vvWorld *w = bar_of(&d, "neo-hookean-rod", 1, 0.01);
        for (int i = 0; i < 12; i++) {
            if (vvWorldStep(w, NULL, &error) != VV_OK)
                break;
            check_bar(w);
        }
        vvWorldDestroy(w);
    }
    assert_true(tried > 8);
    vvWorldDef d = small_def("implicit-midpoint", "none", 0.01);
    vvWorld *w = bar_of(&d, "hooke-rod", 10, 0.9); /* linear while nothing turns over: kept to the solver's tolerance */
    vvLedgerRow first = ledger(w);
    assert_near(first.elastic, 0.5 * 10 * 100 * 0.01, 1e-9); /* E A/2 strain^2, 1 m long */
    for (int i = 0; i < 3; i++)
        assert_near(step(w).total, first.total, 1e-8);
    vvWorldDestroy(w);
}

/* ---- as other attachments ---- */

static vvWorld *three_points(const char *scheme, vvBodyId id[3])
{
    static const point points[3] = { { 1, 0.5, 1, "quartic", { 0, 0, 0, 50 } },
                                     { 2, 1.5, 0, "harmonic", { 1, 0, 0, 30 } },
                                     { 1, 3, -2, "barrier-wall", { 2, 0, 0, 1, 0, 0, 3, 0.3 } } };
    vvWorldDef d = small_def(scheme, "none", 0.01);
    vvWorld *w = new_world(&d);
    for (int i = 0; i < 3; i++)
        id[i] = add_point(w, points + i);
    return w;
}

static void lives_as_others_do(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvBodyId a[3], b[3];
    vvSnapshot *snapshot;
    vvWorld *w = three_points("bdf2", a), *other = three_points("bdf2", b);
    steps(w, 20);
    assert_ok(vvWorldSnapshot(w, &snapshot, &error));
    size_t size = vvWorldStateSize(w);
    void *saved = malloc(size);
    assert_ok(vvWorldSaveState(w, saved, size, &error));
    assert_ok(vvWorldLoadState(other, saved, size, &error));
    expect_same(w, other, 30, "a saved state");
    vvAttachDef more = potential_of("quadratic-wall", NULL); /* nothing is below y = 0 */
    vvAttachId id;
    double values[5] = { 9, 0, 0, 8, 1 };
    assert_ok(vvBodyAttach(w, a[0], &more, &id, &error));
    assert_int_equal(vvAttachNodes(w, id, NULL, 0), 1);
    expect_same(w, other, 10, "a wall far away");
    assert_ok(vvWorldDetach(w, id, &error));
    assert_false(vvAttachIsValid(w, id));
    expect_same(w, other, 10, "it ended");
    vvLedgerRow before = ledger(w); /* one that comes: its energy is the host's work */
    more = potential_of("squared-spring", values);
    double r2 = (x_of(w) - 9) * (x_of(w) - 9), energy = 4 * (r2 - 1) * (r2 - 1);
    assert_ok(vvBodyAttach(w, a[0], &more, &id, &error));
    values[0] = 1e3; /* was copied */
    assert_near(ledger(w).attachment - before.attachment, energy, 1e-9 * energy);
    assert_near(step(w).work, energy, 1e-9 * energy);
    r2 = (x_of(w) - 9) * (x_of(w) - 9), energy = 4 * (r2 - 1) * (r2 - 1);
    assert_ok(vvWorldDetach(w, id, &error));
    assert_near(step(w).work, -energy, 1e-9 * energy);
    assert_true(step(w).work == 0);
    assert_ok(vvWorldRestore(w, snapshot, &error));
    assert_false(vvAttachIsValid(w, id));
    assert_ok(vvWorldLoadState(other, saved, size, &error));
    expect_same(w, other, 20, "a snapshot");
    assert_ok(vvWorldRemoveBody(w, a[0], &error)); /* the others' nodes move down, and keep their potentials */
    assert_ok(vvWorldRemoveBody(other, b[0], &error));
    expect_same(w, other, 20, "a body less");
    assert_near(ledger(w).attachment, 15 * (x_of(w) - 1) * (x_of(w) - 1), 1e-9 + 0.2);
    vvSnapshotDestroy(snapshot);
    free(saved);
    vvWorldDestroy(w);
    vvWorldDestroy(other);
}

/* The static equilibrium, m g / k below the centre, and its energy follow the potential. */
static void ground_levels(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = small_def("backward-euler", "search", 0.01);
    d.gravity[0] = -10;
    d.gravity[1] = d.gravity[2] = 0;
    want_ground(&d);
    vvWorld *w = new_world(&d);
    vvBodyId id = add_at(w, 1, 0);
    for (double k = 100; k < 1000; k *= 2) {
        vvAttachId made;
        vvAttachDef def = potential_of("harmonic", (double[]){ 0, 0, 0, k });
        assert_ok(vvBodyAttach(w, id, &def, &made, &error));
        assert_near(ledger(w).groundEnergy, -0.5 * 100 / k, 1e-4);
        assert_ok(vvWorldDetach(w, made, &error));
    }
    vvWorldDestroy(w);
}

static void refused(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = small_def("backward-euler", "none", 0.01);
    vvWorld *w = new_world(&d);
    vvBodyId id = add_at(w, 1, -0.5);
    vvAttachId made;
    double there[3] = { 0 };
    vvAttachDef def = potential_of("well", NULL);
    expect(vvBodyAttach(w, id, &def, NULL, &error), VV_ERROR_INPUT, &error, "there are: harmonic");
    def.potential = NULL;
    expect(vvBodyAttach(w, id, &def, NULL, &error), VV_ERROR_INPUT, &error, "(none)");
    def = potential_of("harmonic", (double[]){ 0, 0, 0, -1 });
    expect(vvBodyAttach(w, id, &def, NULL, &error), VV_ERROR_INPUT, &error, "harmonic.stiffness is -1");
    def = potential_of("harmonic", NULL);
    def.motion.linearVelocity[1] = 1;
    expect(vvBodyAttach(w, id, &def, NULL, &error), VV_ERROR_INPUT, &error, "does not move");
    def = potential_of("harmonic", NULL);
    def.motion.endTime = 1;
    expect(vvBodyAttach(w, id, &def, NULL, &error), VV_ERROR_INPUT, &error, "all the time");
    def = potential_of("harmonic", NULL);
    def.kind = VV_ATTACH_SPRING;
    expect(vvBodyAttach(w, id, &def, NULL, &error), VV_ERROR_INPUT, &error, "belongs to the kind VV_ATTACH_POTENTIAL");
    def.kind = (vvAttachKind)4;
    expect(vvBodyAttach(w, id, &def, NULL, &error), VV_ERROR_INPUT, &error, "VV_ATTACH_POTENTIAL");
    def = potential_of("barrier-wall", (double[]){ 0, 0, 0, 1, 0, 0, 1, 0.1 });
    assert_ok(vvBodyAttach(w, id, &def, &made, &error));
    expect(vvWorldBake(w, &error), VV_ERROR_INPUT, &error, "\"barrier-wall\" is infinite: vertex 0 at (-0.5, 0, 0)");
    expect(vvAttachMoveTo(w, made, there, &error), VV_ERROR_INPUT, &error, "does not move");
    assert_ok(vvWorldDetach(w, made, &error));
    step(w);
    vvWorldDestroy(w);
}

static void rods_need_lengths(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = small_def("backward-euler", "none", 0.01);
    vvWorld *w = new_world(&d);
    vvMaterialDef m = material("neo-hookean-rod", 1);
    double x[9] = { 0, 0, 0, 1, 0, 0, 1, 0, 0 };
    int list[6] = { 0, 1, 0, 2, 1, 2 };
    vvMesh mesh = { .vertexCount = 3, .edgeCount = 3, .positions = x, .edges = list };
    vvBodyDef def = vvDefaultBodyDef();
    vvBodyId id;
    def.mesh = &mesh;
    def.material = m;
    vvStatus status = vvWorldAddBody(w, &def, &id, &error);
    if (status == VV_OK)
        status = vvWorldBake(w, &error);
    expect(status, VV_ERROR_INPUT, &error, "edge 2 of body 0 has no length");
    vvWorldDestroy(w);
    /* two triangles that lie upon each other: the bend spring between their corners */
    double folded[12] = { 0, 0, 0, 1, 0, 0, 0.5, 1, 0, 0.5, 1, 0 };
    mesh =
        (vvMesh){ .vertexCount = 4, .triangleCount = 2, .positions = folded, .triangles = (int[]){ 0, 1, 2, 1, 0, 3 } };
    def.material.bendStiffness = 1;
    w = new_world(&d);
    status = vvWorldAddBody(w, &def, &id, &error);
    if (status == VV_OK)
        status = vvWorldBake(w, &error);
    expect(status, VV_ERROR_INPUT, &error, "bend spring 0 of body 0 has no length");
    vvWorldDestroy(w);
    /* pressed to a point at the start */
    w = bar_of(&d, "neo-hookean-rod", 1, 0);
    expect(vvWorldStep(w, NULL, &error), VV_ERROR_INPUT, &error, "\"neo-hookean-rod\"");
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_of_the_oscillator),
        cmocka_unit_test(energy_is_kept),
        cmocka_unit_test(start_energies_of_the_revolving_spring),
        cmocka_unit_test(backward_euler_can_gain),
        cmocka_unit_test(a_stiff_wall),
        cmocka_unit_test(a_thin_barrier),
        cmocka_unit_test(nothing_passes_a_barrier),
        cmocka_unit_test(policies_go_with_potentials),
        cmocka_unit_test(the_bar_of_table_2),
        cmocka_unit_test(the_filter_alone_keeps_order),
        cmocka_unit_test(a_wall_out_of_reach_holds_nobody),
        cmocka_unit_test(a_bar_stays_a_bar),
        cmocka_unit_test(lives_as_others_do),
        cmocka_unit_test(ground_levels),
        cmocka_unit_test(refused),
        cmocka_unit_test(rods_need_lengths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

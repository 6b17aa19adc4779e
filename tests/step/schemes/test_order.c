/* Every scheme shows its declared order: on nonlinear bodies, with drag, and on a damped oscillator against the exact
 * solution (theory §2.8). */
#include "size.h"
#include "world_support.h"

enum { COARSE = 128, REFERENCE = 8192 };
static const double DURATION = 0.25;

typedef struct problem {
    const char *name, *model;
    double drag;
    void (*build)(vvWorld *w, const struct problem *p);
} problem;

typedef struct final {
    int n;
    double *x, *v;
} final;

static void free_final(final *f)
{
    free(f->x);
    free(f->v);
}

static final run(const problem *p, const char *scheme, bool ballistic, int n, vvWorld **keep)
{
    vvWorldDef d = free_def(scheme, DURATION / n, 1e-11);
    d.gravity[1] = -2;
    d.integrator.settings = &(vvSetting){ "ballistic", { ballistic } };
    d.integrator.settingCount = 1;
    d.solver.hessian = "shifted";
    vvWorld *w = new_world(&d);
    p->build(w, p);
    steps(w, n);
    int count = 3 * vvWorldNodeCount(w);
    final f = { count, copy_of(vvWorldPositions(w), count), copy_of(vvWorldVelocities(w), count) };
    if (keep)
        *keep = w;
    else
        vvWorldDestroy(w);
    return f;
}

/* One tet that stretches, shears, turns and falls; its fastest mode has about one period in DURATION. */
static void build_tet(vvWorld *w, const problem *p)
{
    vvError error = { 0 };
    double x[12] = { 0, 0, 0, 0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1 };
    int tet[4] = { 0, 1, 2, 3 };
    vvMesh filled = { .vertexCount = 4, .tetCount = 1, .positions = x, .tets = tet }, mesh;
    assert_ok(vvMeshCopy(&filled, &mesh, &error));
    assert_ok(vvMeshFinish(&mesh, NULL, &error));
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material(p->model, 200);
    def.material.damping.drag = p->drag;
    vvBodyId body = add_mesh(w, &mesh, &def);
    set_state(w, body, "stretch", (double[]){ 1.15, 0.9, 1, NAN, NAN, NAN });
    set_state(w, body, "angular", (double[]){ 3, 2, 1, NAN, NAN, NAN });
}

/* One triangle that does the same. */
static void build_membrane(vvWorld *w, const problem *p)
{
    vvError error = { 0 };
    double x[9] = { 0, 0, 0, 0.1, 0, 0, 0, 0, 0.1 };
    int triangle[3] = { 0, 1, 2 };
    vvMesh mesh = { .vertexCount = 3, .triangleCount = 1, .positions = x, .triangles = triangle };
    vvBodyDef def = vvDefaultBodyDef();
    vvBodyId body;
    def.mesh = &mesh;
    def.material = material(p->model, 200);
    def.material.thickness = 0.01;
    def.material.damping.drag = p->drag;
    assert_ok(vvWorldAddBody(w, &def, &body, &error));
    set_state(w, body, "stretch", (double[]){ 1.15, 1, 0.9, NAN, NAN, NAN });
    set_state(w, body, "angular", (double[]){ 3, 2, 1, NAN, NAN, NAN });
}

/* One that stays in its plane. */
static void build_plane(vvWorld *w, const problem *p)
{
    vvError error = { 0 };
    double x[9] = { 0, 0, 0, 0.1, 0, 0, 0, 0.1, 0 };
    int triangle[3] = { 0, 1, 2 };
    vvMesh mesh = { .vertexCount = 3, .triangleCount = 1, .positions = x, .triangles = triangle };
    vvBodyDef def = vvDefaultBodyDef();
    vvBodyId body;
    def.mesh = &mesh;
    def.material = material(p->model, 200);
    def.material.thickness = 0.01;
    def.material.damping.drag = p->drag;
    assert_ok(vvWorldAddBody(w, &def, &body, &error));
    set_state(w, body, "stretch", (double[]){ 1.15, 0.9, 1, NAN, NAN, NAN });
    set_state(w, body, "angular", (double[]){ 0, 0, 3, NAN, NAN, NAN });
}

/* Two triangles that bend, or three edges that bend and twist, beside what keeps their lengths. */
static void build_thin(vvWorld *w, const problem *p)
{
    bool rod = strncmp(p->model, "rod", 3) == 0;
    vvError error = { 0 };
    double x[12] = { 0, 0, 0, 0.1, 0, 0, 0.04, 0.01, 0.09, 0.05, 0.02, -0.08 },
           line[12] = { 0, 0, 0, 0.1, 0, 0, 0.18, 0.05, 0, 0.25, 0.06, 0.08 };
    int triangles[6] = { 0, 2, 1, 0, 1, 3 }, edges[6] = { 0, 1, 1, 2, 2, 3 };
    vvMesh mesh = { .vertexCount = 4, .positions = rod ? line : x };
    vvMaterialDef more = material(p->model, 200);
    vvBodyDef def = vvDefaultBodyDef();
    vvBodyId body;
    if (rod)
        mesh.edgeCount = 3, mesh.edges = edges;
    else
        mesh.triangleCount = 2, mesh.triangles = triangles;
    def.mesh = &mesh;
    def.thickness = 0.03;
    def.material = more, def.material.model = rod ? "rod-stretch" : "stvk-membrane";
    def.material.damping.drag = p->drag;
    def.moreMaterials = &more, def.moreMaterialCount = 1;
    assert_ok(vvWorldAddBody(w, &def, &body, &error));
    set_state(w, body, "stretch", (double[]){ 1.1, 1, 0.9, NAN, NAN, NAN });
    set_state(w, body, "twist", (double[]){ 6, 1, 0.2, 0.1 });
    set_state(w, body, "angular", (double[]){ 3, 2, 1, NAN, NAN, NAN });
}

/* A chain of springs that swings about a fixed end. */
static void build_chain(vvWorld *w, const problem *p)
{
    double x[9] = { 0, 0, 0, 0.1, 0, 0, 0.2, 0, 0 };
    int edges[4] = { 0, 1, 1, 2 };
    vvMaterialDef m = material(p->model, 0);
    m.springStiffness = strcmp(p->model, "hooke") == 0 ? 20 : 300;
    m.density = 0.5;
    m.damping.drag = p->drag;
    vvBodyId body = add_edges(w, 3, x, 2, edges, &m);
    vvAttachDef pin = vvDefaultAttachDef();
    pin.where = (vvRegion){ .kind = VV_REGION_VERTICES, .list = (int[]){ 0 }, .listCount = 1 };
    attach(w, body, &pin);
    set_state(w, body, "stretch", (double[]){ 1.2, 1, 1, 0, 0, 0 });
    set_state(w, body, "profile", (double[]){ 0, 0.5, 0.3, 1, 0, 0 });
}

static const problem problems[] = {
    { "StVK tet", "stvk", 0, build_tet },
    { "Neo-Hookean tet", "neo-hookean", 0, build_tet },
    { "squared springs, pinned", "stvk-spring", 0, build_chain },
    { "StVK membrane", "stvk-membrane", 0, build_membrane },
    { "Neo-Hookean membrane", "neo-hookean-membrane", 0, build_membrane },
    { "triangle in the plane", "fixed-corotated-plane", 0, build_plane },
    { "shell that bends", "hinge", 0, build_thin },
    { "shell with directors", "midedge", 0, build_thin },
    { "rod that bends", "rod-bending", 0, build_thin },
    { "rod that bends and twists", "rod", 0, build_thin },
    { "StVK tet with drag", "stvk", 6, build_tet },
    { "Hooke springs, pinned, drag", "hooke", 6, build_chain },
};

/* Order of positions and of velocities, from the errors with n and 2n steps. */
static void measure(const problem *p, const char *scheme, bool ballistic, const final *exact, double order[2])
{
    double e[2][2];
    for (int k = 0; k < 2; k++) {
        vvWorld *w;
        final f = run(p, scheme, ballistic, COARSE << k, &w);
        e[k][0] = mass_distance(w, f.x, exact->x);
        e[k][1] = mass_distance(w, f.v, exact->v);
        vvWorldDestroy(w);
        free_final(&f);
    }
    for (int j = 0; j < 2; j++)
        order[j] = log2(e[0][j] / e[1][j]);
    print_message("%-28s %-18s%s order %.2f (x) %.2f (v), error %.2g\n", p->name, scheme, ballistic ? " ballistic" : "",
                  order[0], order[1], e[1][0]);
}

static void schemes_show_their_order(void **state)
{
    (void)state;
    NUMBERS_ONLY();
    int failures = 0;
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        final exact = run(problems + i, "sdirk2", false, REFERENCE, NULL);
        for (int s = 0; vvSchemeInfo(s); s++) {
            vvSchemeCheck check;
            vvError error = { 0 };
            double order[2];
            assert_ok(vvSchemeSelfCheck(s, &check, &error));
            measure(problems + i, vvSchemeInfo(s)->name, false, &exact, order);
            for (int j = 0; j < 2; j++)
                if (!(fabs(order[j] - check.order) < 0.15)) {
                    print_error("  %s declares order %d\n", vvSchemeInfo(s)->name, check.order);
                    failures++;
                }
        }
        free_final(&exact);
    }
    assert_int_equal(failures, 0);
}

/* The invented history of the published figures costs an order: q_-1 is wrong by h^2 a / 2. */
static void ballistic_start_of_bdf2_is_first_order(void **state)
{
    (void)state;
    double order[2];
    final exact = run(problems, "sdirk2", false, REFERENCE, NULL);
    measure(problems, "bdf2", true, &exact, order);
    free_final(&exact);
    assert_near(order[0], 1, 0.15);
    assert_near(order[1], 1, 0.15);
}

/* theta between its ends is first order, outer and inner; at 1/2 second. */
static void theta_rows(void **state)
{
    (void)state;
    static const double thetas[] = { 0.5, 0.6, 1 };
    final exact = run(problems + 3, "sdirk2", false, REFERENCE, NULL);
    for (int inner = 0; inner < 2; inner++)
        for (int t = 0; t < 3; t++) {
            double e[2];
            for (int k = 0; k < 2; k++) {
                int n = 4 * COARSE << k;
                vvWorldDef d = free_def("theta", DURATION / n, 1e-11);
                d.gravity[1] = -2;
                d.integrator.settings = (vvSetting[]){ { "theta", { thetas[t] } }, { "theta_inner", { inner } } };
                d.integrator.settingCount = 2;
                vvWorld *w = new_world(&d);
                problems[3].build(w, problems + 3);
                steps(w, n);
                e[k] = mass_distance(w, vvWorldPositions(w), exact.x);
                vvWorldDestroy(w);
            }
            print_message("theta %g %s: order %.2f\n", thetas[t], inner ? "inner" : "outer", log2(e[0] / e[1]));
            assert_near(log2(e[0] / e[1]), thetas[t] == 0.5 ? 2 : 1, 0.15);
        }
    free_final(&exact);
}

/* Newmark's method with drag: second order at gamma = 1/2 whatever beta is, first elsewhere; also with nothing to
 * solve for. */
static vvWorld *newmark(double beta, double gamma, int n)
{
    vvWorldDef d = free_def("newmark", DURATION / n, 1e-11);
    d.gravity[1] = -2;
    d.integrator.settings = (vvSetting[]){ { "newmark_beta", { beta } }, { "newmark_gamma", { gamma } } };
    d.integrator.settingCount = 2;
    vvWorld *w = new_world(&d);
    problems[3].build(w, problems + 3);
    steps(w, n);
    return w;
}

static void newmark_rows(void **state)
{
    (void)state;
    static const double beta[] = { 0, 1.0 / 12, 0.25, 0.4, 0, 0.3, 0.6 }, gamma[] = { 0.5, 0.5, 0.5, 0.5, 0.6, 0.6, 1 };
    final exact = run(problems + 3, "sdirk2", false, REFERENCE, NULL);
    for (int i = 0; i < 7; i++) {
        double e[2][2];
        for (int k = 0; k < 2; k++) {
            vvWorld *w = newmark(beta[i], gamma[i], 2 * COARSE << k);
            e[k][0] = mass_distance(w, vvWorldPositions(w), exact.x);
            e[k][1] = mass_distance(w, vvWorldVelocities(w), exact.v);
            vvWorldDestroy(w);
        }
        print_message("newmark %g %g: order %.2f (x) %.2f (v)\n", beta[i], gamma[i], log2(e[0][0] / e[1][0]),
                      log2(e[0][1] / e[1][1]));
        for (int j = 0; j < 2; j++)
            assert_near(log2(e[0][j] / e[1][j]), gamma[i] == 0.5 ? 2 : 1, 0.2);
    }
    free_final(&exact);
}

/* It is Verlet's method at beta = 0, and without damping the trapezoidal rule at 1/4. */
static void newmark_has_known_members(void **state)
{
    (void)state;
    static const char *const names[] = { "verlet", "trapezoidal" };
    for (int k = 0; k < 2; k++) {
        vvWorld *w[2];
        for (int j = 0; j < 2; j++) {
            vvWorldDef d = free_def(j ? "newmark" : names[k], DURATION / 100, 1e-12);
            d.integrator.settings = (vvSetting[]){ { "newmark_beta", { k ? 0.25 : 0 } } };
            d.integrator.settingCount = 1;
            w[j] = new_world(&d);
            problems[k ? 0 : 3].build(w[j], problems + (k ? 0 : 3));
            steps(w[j], 100);
        }
        assert_true(mass_distance(w[0], vvWorldPositions(w[0]), vvWorldPositions(w[1])) <= (k ? 1e-10 : 1e-15));
        assert_true(mass_distance(w[0], vvWorldVelocities(w[0]), vvWorldVelocities(w[1])) <= (k ? 1e-8 : 1e-13));
        vvWorldDestroy(w[0]);
        vvWorldDestroy(w[1]);
    }
}

static void newmark_refuses_what_it_cannot_do(void **state)
{
    (void)state;
    static const struct {
        vvSetting setting;
        const char *word;
    } bad[] = { { { "newmark_beta", { 1e-4 } }, "newmark_beta" },   { { "newmark_beta", { -0.1 } }, "newmark_beta" },
                { { "newmark_beta", { NAN } }, "newmark_beta" },    { { "newmark_beta", { 1.1 } }, "newmark_beta" },
                { { "newmark_gamma", { 0.49 } }, "newmark_gamma" }, { { "newmark_gamma", { 2 } }, "newmark_gamma" } };
    for (int i = 0; i < 6; i++) {
        vvError error = { 0 };
        vvWorld *w = NULL;
        vvWorldDef d = free_def("newmark", 0.01, 1e-8);
        d.integrator.settings = &bad[i].setting;
        d.integrator.settingCount = 1;
        assert_int_equal(vvWorldCreate(&d, &w, &error), VV_ERROR_INPUT);
        assert_non_null(strstr(error.message, bad[i].word));
        assert_null(w);
    }
}

/* ---- a damped oscillator against its exact solution -------------------------------------------------------------- */

static const double MASS = 0.05, STIFFNESS = 10;

/* Two masses and a spring along x, started with a relative velocity; damped by drag or by Rayleigh's K, which is
 * constant along the axis. Returns the extension's error after DURATION. */
static double oscillator_error(const char *scheme, double drag, double rayleigh, int n)
{
    vvWorldDef d = free_def(scheme, DURATION / n, 1e-12);
    vvWorld *w = new_world(&d);
    double x[6] = { 0, 0, 0, 1, 0, 0 };
    int edge[2] = { 0, 1 };
    vvMaterialDef m = material("hooke", 0);
    m.springStiffness = STIFFNESS;
    m.density = 2 * MASS;
    m.damping.drag = drag;
    m.damping.rayleigh = rayleigh;
    vvBodyId body = add_edges(w, 2, x, 1, edge, &m);
    set_state(w, body, "stretch", (double[]){ 1.1, 1, 1, NAN, NAN, NAN });
    set_state(w, body, "profile", (double[]){ 1, 0, 0, 1, 0, 0 });
    steps(w, n);
    double u = vvWorldPositions(w)[3] - vvWorldPositions(w)[0] - 1;
    vvWorldDestroy(w);
    /* u'' + c u' + omega^2 u = 0 */
    double omega2 = 2 * STIFFNESS / MASS, c = drag + rayleigh * omega2, damped = sqrt(omega2 - c * c / 4), t = DURATION;
    double exact = exp(-c * t / 2) * (0.1 * cos(damped * t) + (1 + 0.1 * c / 2) / damped * sin(damped * t));
    return fabs(u - exact);
}

static void damped_oscillator_converges_with_the_schemes_order(void **state)
{
    (void)state;
    int failures = 0;
    for (int kind = 0; kind < 2; kind++)
        for (int s = 0; vvSchemeInfo(s); s++) {
            const char *name = vvSchemeInfo(s)->name;
            vvSchemeCheck check;
            vvError error = { 0 };
            assert_ok(vvSchemeSelfCheck(s, &check, &error));
            double drag = kind == 0 ? 8 : 0, rayleigh = kind == 1 ? 0.02 : 0;
            double a = oscillator_error(name, drag, rayleigh, 512), b = oscillator_error(name, drag, rayleigh, 1024);
            print_message("%-9s %-18s order %.2f, error %.2g m\n", kind ? "rayleigh" : "drag", name, log2(a / b), b);
            if (!(fabs(log2(a / b) - check.order) < 0.15))
                failures++;
        }
    assert_int_equal(failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schemes_show_their_order),
        cmocka_unit_test(ballistic_start_of_bdf2_is_first_order),
        cmocka_unit_test(theta_rows),
        cmocka_unit_test(newmark_rows),
        cmocka_unit_test(newmark_has_known_members),
        cmocka_unit_test(newmark_refuses_what_it_cannot_do),
        cmocka_unit_test(damped_oscillator_converges_with_the_schemes_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

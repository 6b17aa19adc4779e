/* Rods as bodies: rest shapes and mass, a cantilever against the elastica, the loads at which a column and a twisted
 * ring buckle, momenta, snapshots, what is refused. */
#include "live_support.h"
#include "base/eigen.h"
#include "solve/assembly.h"
#include "visviva/settings.h"
#include "world/world.h"
#include "positional.h"

typedef struct rod {
    const char *kind; /* beside rod-stretch */
    double young, diameter;
    bool flat;
    double rest_twist;
} rod;

static const double POISSON = 0.3, DENSITY = 1000;

static double section(const rod *r) { return PI / 4 * r->diameter * r->diameter; }
static double stiffness(const rod *r) { return r->young * PI / 64 * pow(r->diameter, 4); }
static double twist_stiffness(const rod *r) { return stiffness(r) / (1 + POISSON); }

static vvBodyDef rod_def(const rod *r, vvMaterialDef *more)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("rod-stretch", r->young);
    def.material.poisson = POISSON, def.material.density = DENSITY;
    def.thickness = r->diameter;
    *more = def.material;
    more->model = r->kind, more->flat = r->flat, more->restTwist = r->rest_twist;
    def.moreMaterials = more, def.moreMaterialCount = 1;
    return def;
}

static vvBodyId add_rod(vvWorld *w, const rod *r, const char *generator, const double *values)
{
    vvError error = { 0 };
    vvMaterialDef more;
    vvMesh mesh = { 0 };
    vvBodyDef def = rod_def(r, &more);
    assert_ok(generate_mesh(generator, values, &mesh, &error));
    return add_mesh(w, &mesh, &def);
}

static void hold(vvWorld *w, vvBodyId id, int *nodes, int count, bool clamp)
{
    vvError error = { 0 };
    vvAttachDef a = vvDefaultAttachDef();
    a.where = (vvRegion){ .kind = VV_REGION_VERTICES, .list = nodes, .listCount = count };
    a.kind = VV_ATTACH_FIXED;
    vvBodyElements elements;
    vvBodyGetElements(w, id, &elements);
    a.clamp = clamp && elements.directorCount > 0; /* two vertices hold a rod without twist as well */
    assert_ok(vvBodyAttach(w, id, &a, NULL, &error));
}

/* Mass is that of the volume; at rest there is no energy, unless the rod wants to be straight or twisted. */
static void rest_shapes(void **state)
{
    (void)state;
    const double radius = 0.1, helix[4] = { radius, 0.05, 1.5, 40 };
    vvError error = { 0 };
    for (int i = 0; i < 5; i++) {
        rod r = { i < 2 ? "rod-bending" : "rod", 1e8, 4e-3, i % 2 == 1, i == 4 ? 3 : 0 };
        vvWorldDef d = free_def("implicit-midpoint", 1e-3, 1e-9);
        vvWorld *w = new_world(&d);
        vvBodyId id = add_rod(w, &r, "helix", helix);
        assert_ok(vvWorldBake(w, &error));
        int first, count;
        vvBodyElements e;
        vvBodyNodes(w, id, &first, &count);
        vvBodyGetElements(w, id, &e);
        assert_int_equal(count, e.vertexCount + (i < 2 ? 0 : e.edgeCount));
        double mass = 0, length = 0, bent, twisted = 0.5 * twist_stiffness(&r) * r.rest_twist * r.rest_twist;
        for (int n = 0; n < count; n++)
            mass += vvWorldMasses(w)[n];
        for (int n = 0; n < e.edgeCount; n++)
            length += distance3(vvWorldPositions(w) + 3 * e.edges[2 * n], vvWorldPositions(w) + 3 * e.edges[2 * n + 1]);
        assert_near(mass, DENSITY * section(&r) * length, 1e-12 * mass);
        double curvature = radius / (radius * radius + pow(helix[1] / (2 * PI), 2));
        bent = r.flat ? 0.5 * stiffness(&r) * curvature * curvature : 0;
        /* the joints are between the edges' middles */
        double expected = (bent + twisted) * (length - length / e.edgeCount);
        assert_near(ledger(w).elastic, expected, expected > 0 ? 0.01 * expected : 1e-18);
        vvWorldDestroy(w);
    }
}

/* EI theta'' = -weight (L - s) cos(theta), theta(0) = 0, theta'(L) = 0: the tip. */
static double slope_at_end(double load, double length, double start, double tip[2])
{
    enum { STEPS = 4000 };
    double theta = 0, rate = start, h = length / STEPS;
    tip[0] = tip[1] = 0;
    for (int i = 0; i < STEPS; i++) { /* midpoint rule */
        double s = i * h, middle = theta + 0.5 * h * rate, half = rate - 0.5 * h * load * (length - s) * cos(theta);
        rate -= h * load * (length - s - 0.5 * h) * cos(middle);
        theta += h * half;
        tip[0] += h * cos(middle), tip[1] -= h * sin(middle);
    }
    return rate;
}

static void elastica(double load, double length, double tip[2])
{
    double low = 0, high = load * length * length;
    for (int i = 0; i < 100; i++) {
        double middle = 0.5 * (low + high);
        if (slope_at_end(load, length, middle, tip) < 0)
            low = middle;
        else
            high = middle;
    }
}

static void cantilever(void **state)
{
    (void)state;
    enum { EDGES = 40 };
    static const char *const kinds[] = { "rod-bending", "rod" };
    vvError error = { 0 };
    for (int kind = 0; kind < 2; kind++) {
        rod r = { kinds[kind], 3e8, 0.01, false, 0 };
        vvWorldDef d = free_def("backward-euler", 1e-2, 1e-6);
        d.gravity[1] = -9.81;
        vvWorld *w = new_world(&d);
        vvBodyId id = add_rod(w, &r, "chain", (double[]){ 1, EDGES + 1 });
        hold(w, id, (int[]){ 0, 1 }, 2, true);
        assert_ok(vvWorldSettle(w, true, NULL, &error));
        const double *x = vvWorldPositions(w) + 3 * EDGES, l = 1.0 / EDGES,
                     load = 9.81 * DENSITY * section(&r) / stiffness(&r);
        double tip[2]; /* a joint's bend is spread over half of either edge: it is clamped in the middle of the first */
        elastica(load, 1 - 0.5 * l, tip);
        print_message("%s: tip at %g, %g; elastica %g, %g\n", kinds[kind], x[0], x[1], tip[0] + 0.5 * l - 0.5, tip[1]);
        assert_less(tip[1], -0.4); /* a large deflection */
        assert_near(x[0] + 0.5 - 0.5 * l, tip[0], 0.01);
        assert_near(x[1], tip[1], 0.01 * fabs(tip[1]));
        assert_near(x[2], 0, 1e-9);
        vvWorldDestroy(w);
    }
}

/* The lowest eigenvalue of the exact Hessian of the elastic energy over the free nodes, and the highest. */
static void extremes(vvWorld *w, const double *x, double *lowest, double *highest)
{
    vvError error = { 0 };
    vv_assembly a;
    assert_ok(vvWorldBake(w, &error));
    assert_ok(vv_assembly_create(&a, &w->system, VV_SELECT_ELASTIC, &error));
    vv_assembly_begin(&a);
    vv_assembly_add_energies(&w->system, x, 1, VV_HESSIAN_EXACT, NULL, &a);
    vv_assembly_end(&a);
    int n = 3 * a.matrix.n;
    size_t m = (size_t)n;
    double *dense = calloc(m * m, sizeof *dense), *values = calloc(5 * m, sizeof *values),
           *vectors = calloc(m * m, sizeof *vectors);
    for (int row = 0; row < a.matrix.n; row++)
        for (int k = a.matrix.row_start[row]; k < a.matrix.row_start[row + 1]; k++)
            for (int i = 0; i < 9; i++)
                dense[(size_t)(3 * row + i % 3) * m + (size_t)(3 * a.matrix.col[k] + i / 3)] = a.matrix.val[9 * k + i];
    vv_eigen_dense(n, dense, values, vectors, values + m);
    *lowest = INFINITY, *highest = 0;
    for (int i = 0; i < n; i++)
        *lowest = fmin(*lowest, values[i]), *highest = fmax(*highest, values[i]);
    free(dense), free(values), free(vectors);
    vv_assembly_free(&a);
}

static bool is_stable(vvWorld *w, const double *x)
{
    double lowest, highest;
    extremes(w, x, &lowest, &highest);
    return lowest > -1e-12 * highest;
}

/* A column between hinges, pressed together evenly, is stable up to the load pi^2 EI / L^2. */
static void column(void **state)
{
    (void)state;
    enum { EDGES = 24 };
    rod r = { "rod-bending", 1e8, 0.01, false, 0 };
    vvWorldDef d = free_def("backward-euler", 1e-2, 1e-6);
    vvWorld *w = new_world(&d);
    vvBodyId id = add_rod(w, &r, "chain", (double[]){ 1, EDGES + 1 });
    hold(w, id, (int[]){ 0, EDGES }, 2, false);
    double critical = PI * PI * stiffness(&r), low = 0, high = 3 * critical,
           *x = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w));
    double *y = copy_of(x, 3 * vvWorldNodeCount(w));
    for (int i = 0; i < 20; i++) {
        double load = 0.5 * (low + high);
        for (int n = 0; n <= EDGES; n++)
            y[3 * n] = (1 - load / (r.young * section(&r))) * x[3 * n];
        if (is_stable(w, y))
            low = load;
        else
            high = load;
    }
    print_message("column: buckles at %g N, Euler's load %g N\n", low, critical);
    assert_near(low, critical, 0.02 * critical);
    free(x), free(y);
    vvWorldDestroy(w);
}

/* A ring bent from a straight rod and twisted by an angle in all leaves its plane beyond 2 pi sqrt(3) EI / GJ
 * (Michell 1889; Goriely 2006), to either side. */
static void twisted_ring(void **state)
{
    (void)state;
    enum { SEGMENTS = 48 };
    double critical = 0, low = 0, high = 30;
    for (int i = 0; i < 14; i++) {
        double angle = 0.5 * (low + high), length = 2 * SEGMENTS * sin(PI / SEGMENTS);
        rod r = { "rod", 1e8, 0.05, true, (i % 2 ? -1 : 1) * angle / length };
        critical = 2 * PI * sqrt(3) * stiffness(&r) / twist_stiffness(&r);
        vvWorldDef d = free_def("backward-euler", 1e-2, 1e-6);
        vvWorld *w = new_world(&d);
        add_rod(w, &r, "ring", (double[]){ 1, SEGMENTS });
        if (is_stable(w, vvWorldPositions(w)))
            low = angle;
        else
            high = angle;
        vvWorldDestroy(w);
    }
    print_message("ring: buckles at %g rad, Michell's angle %g rad\n", low, critical);
    assert_near(low, critical, 0.03 * critical);
}

/* A clamped end holds the twist, one that is only held does not. */
static void twist_is_clamped(void **state)
{
    (void)state;
    enum { EDGES = 10 };
    vvError error = { 0 };
    for (int clamp = 0; clamp < 2; clamp++) {
        rod r = { "rod", 1e8, 0.01, false, 0 };
        vvWorldDef d = free_def("backward-euler", 1e-2, 1e-8);
        vvWorld *w = new_world(&d);
        vvBodyId id = add_rod(w, &r, "chain", (double[]){ 1, EDGES + 1 });
        int n = vvWorldNodeCount(w);
        double *x = copy_of(vvWorldPositions(w), 3 * n), angle = 2.5;
        for (int e = 0; e < EDGES; e++) {
            double *p = x + 3 * (EDGES + 1 + e), turn = e == EDGES - 1 ? angle : 0, y = p[1], z = p[2];
            p[1] = cos(turn) * y - sin(turn) * z, p[2] = sin(turn) * y + cos(turn) * z;
        }
        hold(w, id, (int[]){ 0, 1 }, 2, true);
        assert_ok(vvWorldSetState(w, x, NULL, &error));
        hold(w, id, (int[]){ EDGES - 1, EDGES }, 2, clamp);
        assert_ok(vvWorldSettle(w, true, NULL, &error));
        double left = clamp ? 0.5 * twist_stiffness(&r) * angle * angle / (1 - 1.0 / EDGES) : 0;
        assert_near(ledger(w).elastic, left, 1e-6 * stiffness(&r));
        free(x);
        vvWorldDestroy(w);
    }
}

/* Curls that spin, undamped and damped: momenta stay, as does the energy up to the scheme's error; a snapshot goes on
 * to the same bits. */
static void momenta_and_snapshots(void **state)
{
    (void)state;
    vvError error = { 0 };
    for (int i = 0; i < 4; i++) {
        rod r = { i % 2 ? "rod" : "rod-bending", 1e7, 0.01, false, i % 2 ? 5 : 0 };
        vvWorldDef d = free_def("implicit-midpoint", 2.5e-4, 1e-10);
        vvWorld *w = new_world(&d), *other = new_world(&d);
        vvBodyId id = add_rod(w, &r, "helix", (double[]){ 0.2, 0.1, 1.5, 16 });
        if (i >= 2) {
            vvMaterialDef more;
            rod_def(&r, &more);
            more.damping.rayleigh = 1e-2;
            assert_ok(vvBodySetMaterial(w, id, 1, &more, &error));
        }
        set_state(w, id, "bend", (double[]){ 40, 1, 0, 0, 0, 1, 0 });
        set_state(w, id, "angular", (double[]){ 9, 20, -5, NAN, NAN, NAN });
        vvLedgerRow start = ledger(w), end = steps(w, 60);
        double scale = start.kinetic + start.elastic;
        for (int k = 0; k < 3; k++) {
            assert_near(end.momentum[k], start.momentum[k], 1e-9);
            if (i < 2)
                assert_near(end.angularMomentumCentre[k], start.angularMomentumCentre[k], 1e-7 * scale);
        }
        assert_true(start.elastic > 1e-3 * scale && start.kinetic > 1e-3 * scale);
        if (i < 2)
            assert_near(end.total, start.total, 0.02 * scale);
        else
            assert_less(1e-5 * scale, end.damping);
        vvSnapshot *s;
        assert_ok(vvWorldSnapshot(w, &s, &error));
        assert_ok(vvWorldRestore(other, s, &error));
        expect_same(w, other, 5, r.kind);
        vvSnapshotDestroy(s);
        vvWorldDestroy(w);
        vvWorldDestroy(other);
    }
}

/* Any scheme and any solver that can take rods takes them; a rod between two hands comes to rest with each. */
static void solvers(void **state)
{
    (void)state;
    for (int s = 0; vvSolverInfo(s); s++)
        for (int kind = 0; kind < 2; kind++) {
            vvError error = { 0 };
            rod r = { kind ? "rod" : "rod-bending", 1e7, 0.01, false, 0 };
            vvWorldDef d = free_def("backward-euler", 5e-3, 1e-6);
            vvWorld *w = NULL;
            d.gravity[1] = -9.81;
            d.solver.method = vvSolverInfo(s)->name;
            if (vvWorldCreate(&d, &w, &error) != VV_OK)
                continue;
            vvBodyId id = add_rod(w, &r, "chain", (double[]){ 1, 21 });
            hold(w, id, (int[]){ 0, 1 }, 2, true);
            vvStatus status = VV_OK;
            for (int i = 0; i < 40 && status == VV_OK; i++)
                status = vvWorldStep(w, NULL, &error);
            bool fell = vvWorldPositions(w)[3 * 20 + 1] < -0.1;
            print_message("%s, %s: %s\n", vvSolverInfo(s)->name, r.kind,
                          status == VV_OK ? fell ? "steps" : "stays" : error.message);
            if (status == VV_OK)
                assert_true(fell && isfinite(ledger(w).total));
            else
                assert_true(status == VV_ERROR_UNSUPPORTED || status == VV_ERROR_INPUT);
            vvWorldDestroy(w);
        }
}

static void refused(vvWorld *w, const char *kind, int edges, double *x, double diameter, double rest_twist,
                    const char *says)
{
    vvError error = { 0 };
    rod r = { kind, 1e7, diameter, false, rest_twist };
    int list[] = { 0, 1, 1, 2 };
    vvMaterialDef more;
    vvBodyDef def = rod_def(&r, &more);
    vvMesh mesh = { .vertexCount = edges + 1, .edgeCount = edges, .positions = x, .edges = list };
    vvBodyId id;
    def.mesh = &mesh;
    vvStatus s = vvWorldAddBody(w, &def, &id, &error);
    if (s == VV_OK) {
        s = vvWorldBake(w, &error);
        assert_ok(vvWorldRemoveBody(w, id, &(vvError){ 0 }));
    }
    expect(s, VV_ERROR_INPUT, &error, says);
}

static void what_is_refused(void **state)
{
    (void)state;
    double bent[] = { 0, 0, 0, 1, 0, 0, 1, 1, 0 }, folded[] = { 0, 0, 0, 1, 0, 0, 0.5, 0, 0 };
    vvWorldDef d = free_def("backward-euler", 1e-2, 1e-6);
    vvWorld *w = new_world(&d);
    for (int kind = 0; kind < 2; kind++) {
        const char *name = kind ? "rod" : "rod-bending";
        refused(w, name, 2, bent, 0, 0, "needs a thickness (a rod's is its diameter)");
        refused(w, name, 2, folded, 0.01, 0, "lies back on edge 0 at rest");
        vvError error = { 0 };
        vvMesh mesh = { 0 };
        vvMaterialDef m = material(name, 1e7);
        vvBodyDef def = vvDefaultBodyDef();
        assert_ok(generate_mesh("cloth", (double[]){ 1, 1, 2, 2 }, &mesh, &error));
        def.material = m, def.mesh = &mesh, def.thickness = 0.01;
        expect(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT, &error,
               "is for edges alone, but the body's mesh has triangles");
        vvMeshDestroy(&mesh);
    }
    refused(w, "rod", 2, bent, 0.01, 3.2, "it must be less than pi");
    refused(w, "rod", 2, bent, 0.01, NAN, "rest_twist");
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rest_shapes),  cmocka_unit_test(cantilever),       cmocka_unit_test(column),
        cmocka_unit_test(twisted_ring), cmocka_unit_test(twist_is_clamped), cmocka_unit_test(momenta_and_snapshots),
        cmocka_unit_test(solvers),      cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

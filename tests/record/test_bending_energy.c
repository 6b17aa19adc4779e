/* The energy of bending that a run's cells show: over all of them it is what the ledger has, of every kind of
 * bending, with stiffnesses of single triangles, rest angles and rest shapes; cells that are bent alike have the
 * same; what a run says stays when it goes on. */
#include "hinge_support.h"
#include "visviva/run.h"
#include "visviva/settings.h"
#include "positional.h"

#define RUN VV_BUILD_DIR "/test_bending_energy.vtkhdf"

typedef struct densities {
    double *triangles, *edges, sum; /* sum: over areas and lengths at rest, J */
    int triangle_count, edge_count;
} densities;

static densities densities_of(const vvRun *run, const double *x)
{
    vvError error = { 0 };
    densities d = { 0 };
    const double *rest = vvRunRestPositions(run);
    for (int b = 0; b < vvRunBodyCount(run); b++)
        d.triangle_count += vvRunGetBody(run, b)->triangleCount, d.edge_count += vvRunGetBody(run, b)->edgeCount;
    d.triangles = calloc((size_t)d.triangle_count + 1, sizeof(double)),
    d.edges = calloc((size_t)d.edge_count + 1, sizeof(double));
    assert_ok(vvRunBendingEnergy(run, x, d.triangles, d.edges, &error));
    for (int b = 0, t = 0, e = 0; b < vvRunBodyCount(run); b++) {
        const vvRunBody *body = vvRunGetBody(run, b);
        for (int i = 0; i < body->triangleCount; i++) {
            double s[3], u[3], n[3];
            for (int k = 0; k < 3; k++) {
                const int *v = body->triangles + 3 * i;
                s[k] = rest[3 * v[1] + k] - rest[3 * v[0] + k], u[k] = rest[3 * v[2] + k] - rest[3 * v[0] + k];
            }
            for (int k = 0; k < 3; k++)
                n[k] = s[(k + 1) % 3] * u[(k + 2) % 3] - s[(k + 2) % 3] * u[(k + 1) % 3];
            d.sum += 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) * d.triangles[t++];
        }
        for (int i = 0; i < body->edgeCount; i++) {
            double square = 0;
            for (int k = 0; k < 3; k++)
                square += pow(rest[3 * body->edges[2 * i] + k] - rest[3 * body->edges[2 * i + 1] + k], 2);
            d.sum += sqrt(square) * d.edges[e++];
        }
    }
    return d;
}

static void free_densities(densities *d)
{
    free(d->triangles);
    free(d->edges);
}

static void move_nodes(vvWorld *w, void (*to)(double x[3]))
{
    vvError error = { 0 };
    size_t n = (size_t)vvWorldNodeCount(w);
    double *x = malloc(3 * n * sizeof *x);
    memcpy(x, vvWorldPositions(w), 3 * n * sizeof *x);
    for (size_t i = 0; i < n; i++)
        to(x + 3 * i);
    assert_ok(vvWorldSetState(w, x, NULL, &error));
    free(x);
}

static void onto_cylinder(double x[3])
{
    double angle = x[0] / 0.5, r = 0.5 + x[1];
    x[0] = r * sin(angle), x[1] = r * cos(angle) - 0.5;
}

static void wavy(double x[3]) { x[1] += 0.05 * sin(9 * x[0]) * cos(7 * x[2]) + 0.02 * sin(23 * x[0] + 11 * x[2]); }

/* The world's run: it begins as the world is, and is left open if `writer` is not NULL. */
static vvRun *run_of(vvWorld *w)
{
    vvError error = { 0 };
    vvRunWriter *writer;
    vvRun *run;
    assert_ok(vvRunCreate(RUN, w, "bent", "{}", &writer, &error));
    assert_ok(vvRunClose(writer, "done", &error));
    assert_ok(vvRunOpen(RUN, &run, &error));
    return run;
}

/* The sum over cells is the ledger's elastic energy, of worlds in which nothing but bending has some. */
static void expect_sum(vvWorld *w, void (*to)(double x[3]))
{
    vvError error = { 0 };
    vvLedgerRow row;
    assert_ok(vvWorldBake(w, &error));
    move_nodes(w, to);
    assert_ok(vvWorldLedger(w, &row, &error));
    vvRun *run = run_of(w);
    double *x = malloc(3 * (size_t)vvRunNodeCount(run) * sizeof *x);
    assert_ok(vvRunReadFrame(run, 0, x, NULL, &error));
    assert_true(vvRunKnowsBending(run));
    densities d = densities_of(run, x);
    assert_true(row.elastic > 0);
    if (fabs(d.sum / row.elastic - 1) > 1e-12)
        fail_msg("cells have %.17g J, the ledger has %.17g J", d.sum, row.elastic);
    for (int i = 0; i < d.triangle_count; i++)
        assert_true(d.triangles[i] >= 0);
    free_densities(&d);
    free(x);
    vvRunFree(run);
    vvWorldDestroy(w);
}

static vvMaterialDef of_model(const char *model)
{
    vvMaterialDef m = hinge(2e6, 0.35, 0.01);
    m.model = model;
    return m;
}

static vvWorld *empty_world(void)
{
    vvWorldDef d = free_def("implicit-midpoint", 5e-3, 1e-10);
    return new_world(&d);
}

static void add_sheet(vvWorld *w, const vvMaterialDef *m, bool own, bool angles)
{
    vvMesh mesh = sheet(0.6, 0.4, 0.07, 0);
    vvBodyDef def = vvDefaultBodyDef();
    size_t n = (size_t)mesh.triangleCount;
    double *thickness = malloc(n * sizeof *thickness), *stiffness = malloc(n * sizeof *stiffness);
    const int *v = mesh.triangles; /* an edge between two triangles is found by trying */
    for (size_t t = 0; t < n; t++)
        thickness[t] = 0.005 + 1e-3 * (double)(t % 7), stiffness[t] = 1 + 0.3 * (double)(t % 5);
    def.material = *m;
    if (own)
        def.triangleThickness = thickness, def.triangleStiffness = stiffness;
    vvRestAngle given = { 0, 0, 0.8 };
    for (int k = 0; angles && k < 3 * mesh.triangleCount && given.a == given.b; k++) {
        int a = v[k], b = v[k - k % 3 + (k + 1) % 3];
        for (int j = 0; j < 3 * mesh.triangleCount; j++)
            if (v[j] == b && v[j - j % 3 + (j + 1) % 3] == a)
                given.a = a, given.b = b;
    }
    if (angles)
        def.restAngles = &given, def.restAngleCount = 1;
    add_mesh(w, &mesh, &def);
    free(thickness);
    free(stiffness);
}

static void add_chain(vvWorld *w, const vvMaterialDef *m, int nodes)
{
    vvError error = { 0 };
    vvMesh mesh;
    vvBodyDef def = vvDefaultBodyDef();
    assert_ok(generate_mesh("chain", (double[]){ 1, nodes }, &mesh, &error));
    def.material = *m;
    add_mesh(w, &mesh, &def);
}

/* Every kind, alone and all of them side by side. */
static void sums(void **state)
{
    (void)state;
    static const char *const shells[] = { "hinge", "midedge" }, *const rods[] = { "rod-bending", "rod" };
    vvWorld *all = empty_world();
    for (int i = 0; i < 8; i++) {
        vvMaterialDef m = of_model(shells[i % 2]);
        m.flat = i >= 4;
        vvWorld *w = empty_world();
        add_sheet(w, &m, i & 2, i & 4);
        add_sheet(all, &m, i & 2, i & 4);
        expect_sum(w, wavy);
    }
    for (int i = 0; i < 4; i++) {
        vvMaterialDef m = of_model(rods[i % 2]);
        m.flat = i >= 2;
        m.restTwist = i == 3 ? 2 : 0;
        vvWorld *w = empty_world();
        add_chain(w, &m, 12 + i);
        add_chain(all, &m, 12 + i);
        expect_sum(w, wavy);
    }
    expect_sum(all, wavy);
}

/* Beside a membrane, that has its own energy: the sum is what the same bending has without it. */
static void beside_a_membrane(void **state)
{
    (void)state;
    vvError error = { 0 };
    double sum[2];
    for (int with = 0; with < 2; with++) {
        vvMaterialDef bend = of_model("hinge"), stretch = of_model("stvk-membrane");
        vvMesh mesh = sheet(0.6, 0.4, 0.07, 0);
        vvBodyDef def = vvDefaultBodyDef();
        def.material = with ? stretch : bend;
        def.moreMaterials = &bend, def.moreMaterialCount = with;
        vvWorld *w = empty_world();
        add_mesh(w, &mesh, &def);
        assert_ok(vvWorldBake(w, &error));
        move_nodes(w, wavy);
        vvRun *run = run_of(w);
        densities d = densities_of(run, vvWorldPositions(w));
        sum[with] = d.sum;
        free_densities(&d);
        vvRunFree(run);
        vvWorldDestroy(w);
    }
    assert_true(sum[0] > 0 && fabs(sum[1] / sum[0] - 1) < 1e-14);
}

/* A sheet on a cylinder of radius R: D/(2 R^2) inside, whatever the triangles; a rod on a circle B/(2 R^2). */
static void on_a_cylinder(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvMaterialDef m = of_model("midedge"), r = of_model("rod-bending");
    m.poisson = r.poisson = 0;
    vvWorld *w = empty_world();
    add_sheet(w, &m, false, false);
    add_chain(w, &r, 61);
    assert_ok(vvWorldBake(w, &error));
    move_nodes(w, onto_cylinder);
    vvRun *run = run_of(w);
    densities d = densities_of(run, vvWorldPositions(w));
    const vvRunBody *rod = vvRunGetBody(run, 1);
    const double plate = 2e6 * 1e-6 / 12 / (2 * 0.25), beam = 2e6 * 3.14159265358979 * 1e-8 / 64 / (2 * 0.25);
    double mean = 0;
    for (int t = 0; t < d.triangle_count; t++)
        mean += d.triangles[t] / d.triangle_count;
    assert_true(fabs(mean / plate - 1) < 0.1);
    for (int e = 0; e < rod->edgeCount; e++) { /* an end's edge has a joint on one side only */
        double want = e == 0 || e == rod->edgeCount - 1 ? 0.5 * beam : beam;
        assert_true(fabs(d.edges[d.edge_count - rod->edgeCount + e] / want - 1) < 0.01);
    }
    free_densities(&d);
    vvRunFree(run);
    vvWorldDestroy(w);
}

/* A material that is set while the run is recorded, and one that the run goes on with, are those that the file has
 * then, as is gravity. */
static void set_anew(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvRunWriter *writer;
    vvRun *run;
    vvStepReport report;
    vvMaterialDef m = of_model("hinge");
    double sum[3], gravity[3];
    for (int i = 0; i < 3; i++) {
        vvWorld *w = empty_world();
        m.young = 2e6;
        add_sheet(w, &m, true, true);
        assert_ok(vvWorldBake(w, &error));
        assert_ok(vvRunCreate(RUN, w, "bent", "{}", &writer, &error));
        m.young = 4e6;
        for (int step = 0; step < 2; step++) {
            if (i == 1 && step == 1) {
                assert_ok(vvBodySetMaterial(w, vvWorldBody(w, 0), 0, &m, &error));
                assert_ok(vvWorldSetGravity(w, (double[]){ 0, -3, 0 }, &error));
            }
            assert_ok(vvWorldStep(w, &report, &error));
            assert_ok(vvRunAddStep(writer, w, &report, &error));
            assert_ok(vvRunAddFrame(writer, w, &error));
        }
        assert_ok(vvRunClose(writer, "done", &error));
        if (i == 2) {
            vvWorld *other = empty_world();
            add_sheet(other, &m, true, true);
            vvResumeDef def = vvDefaultResumeDef();
            def.change = "stiffer";
            assert_ok(vvRunResume(RUN, other, &def, &writer, &error));
            assert_ok(vvRunClose(writer, "done", &error));
            vvWorldDestroy(other);
        }
        assert_ok(vvRunOpen(RUN, &run, &error));
        vvRunGravity(run, gravity);
        assert_true(gravity[1] == (i == 1 ? -3 : 0));
        double *x = malloc(3 * (size_t)vvRunNodeCount(run) * sizeof *x);
        memcpy(x, vvRunRestPositions(run), 3 * (size_t)vvRunNodeCount(run) * sizeof *x);
        for (int v = 0; v < vvRunNodeCount(run); v++)
            wavy(x + 3 * v);
        densities d = densities_of(run, x);
        sum[i] = d.sum;
        free_densities(&d);
        free(x);
        vvRunFree(run);
        vvWorldDestroy(w);
    }
    assert_true(sum[0] > 0 && fabs(sum[1] / sum[0] - 2) < 1e-12 && fabs(sum[2] / sum[0] - 2) < 1e-12);
}

/* Cloth of springs has no such energy, and a solid none; then the file is silent. */
static void silent(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvMaterialDef solid = material("stvk", 1e5);
    vvWorld *w = empty_world();
    add_cube(w, 0.2, 1, &solid);
    assert_ok(vvWorldBake(w, &error));
    vvRun *run = run_of(w);
    double room[64];
    assert_false(vvRunKnowsBending(run));
    assert_int_equal(vvRunBendingEnergy(run, vvWorldPositions(w), room, room, &error), VV_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "older version"));
    assert_int_equal(vvRunBendingEnergy(run, NULL, room, room, &error), VV_ERROR_INPUT);
    assert_false(vvRunKnowsBending(NULL));
    vvRunFree(run);
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(sums), cmocka_unit_test(beside_a_membrane),
                                        cmocka_unit_test(on_a_cylinder), cmocka_unit_test(set_anew),
                                        cmocka_unit_test(silent) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

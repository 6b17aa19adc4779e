/* Shells that stretch, through the public API: plane stress, what schemes keep, every scheme and policy, thickness
 * and stiffness of each triangle, the strain limit of a cloth that is pulled hard, and what is refused. */
#include "live_support.h"

#include "visviva/interact.h"
#include "visviva/settings.h"
#include "world/world.h"
#include "positional.h"

static const char *const models[] = { "stvk-membrane", "neo-hookean-membrane" };

enum { LONG = 12, WIDE = 4, NODES = (LONG + 1) * (WIDE + 1), TRIANGLES = 2 * LONG * WIDE };

/* A strip of 1.2 m x 0.4 m in the plane of x and z; diagonals alternate. */
static vvMesh strip(void)
{
    vvError error = { 0 };
    double x[3 * NODES];
    int t[3 * TRIANGLES], n = 0;
    for (int i = 0; i < NODES; i++)
        x[3 * i] = 0.1 * (i % (LONG + 1)), x[3 * i + 1] = 0, x[3 * i + 2] = 0.1 * (i / (LONG + 1));
    for (int c = 0; c < LONG * WIDE; c++) {
        int a = c / LONG * (LONG + 1) + c % LONG, b = a + 1, d = a + LONG + 1, e = d + 1;
        int of[2][6] = { { a, d, e, a, e, b }, { a, d, b, b, d, e } };
        memcpy(t + n, of[(c + c / LONG) % 2], sizeof of[0]);
        n += 6;
    }
    vvMesh given = { .vertexCount = NODES, .triangleCount = TRIANGLES, .positions = x, .triangles = t }, mesh;
    assert_ok(vvMeshCopy(&given, &mesh, &error));
    return mesh;
}

static vvBodyDef strip_def(const char *model)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material(model, 1e5);
    def.material.thickness = 1e-3;
    def.material.density = 200;
    return def;
}

static vvBodyId add_strip(vvWorld *w, const vvBodyDef *def)
{
    vvMesh mesh = strip();
    return add_mesh(w, &mesh, def);
}

static void hold_end(vvWorld *w, vvBodyId body, double percent)
{
    vvAttachDef pin = vvDefaultAttachDef();
    pin.where = (vvRegion){ .kind = VV_REGION_PERCENT, .b = { percent, 100, 100 } };
    attach(w, body, &pin);
}

/* Pulled at both ends by a stress: in equilibrium, which linear triangles represent exactly, the strip is stress / E
 * longer and nu times that thinner, to first order in the strain. */
static void plane_stress(void **state)
{
    (void)state;
    static const double poissons[] = { 0.3, 0, 0.45, -0.3 };
    for (int m = 0; m < 2; m++)
        for (int p = 0; p < 4; p++)
            for (int each = 0; each < 2; each++) {
                vvError error = { 0 };
                vvWorldDef d = free_def("backward-euler", 0.05, 1e-10);
                vvWorld *w = new_world(&d);
                vvBodyDef def = strip_def(models[m]);
                double stiffness[TRIANGLES], thickness[TRIANGLES];
                for (int t = 0; t < TRIANGLES; t++) /* together the same */
                    stiffness[t] = 4, thickness[t] = 0.25e-3;
                def.material.poisson = poissons[p];
                def.material.damping.drag = 2;
                if (each)
                    def.triangleStiffness = stiffness, def.triangleThickness = thickness;
                add_strip(w, &def);
                /* of a row of triangles */
                const double stress = 100, strain = stress / 1e5, force = stress * 1e-3 * 0.1;
                for (int s = 0; s < 200; s++) {
                    for (int end = 0; end < 2; end++)
                        for (int i = 0; i <= WIDE; i++) {
                            int node = i * (LONG + 1) + end * LONG;
                            double f[3] = { (end ? 1 : -1) * force * (i == 0 || i == WIDE ? 0.5 : 1), 0, 0 };
                            assert_ok(vvWorldApplyForces(w, 1, &node, f, &error));
                        }
                    step(w);
                }
                const double *x = vvWorldPositions(w);
                double length = x[3 * LONG] - x[0], width = x[3 * WIDE * (LONG + 1) + 2] - x[2];
                assert_near((length / 1.2 - 1) / strain, 1, 4 * strain);
                assert_near((1 - width / 0.4) / strain, poissons[p], 4 * strain);
                for (int i = 0; i < NODES; i++) /* the same everywhere */
                    assert_near(x[3 * i], x[0] + length / LONG * (i % (LONG + 1)), 1e-7);
                vvWorldDestroy(w);
            }
}

/* A strip that flies, turns and wobbles. */
static vvWorld *flying(const vvWorldDef *d, const char *model, double limit)
{
    vvWorld *w = new_world(d);
    vvBodyDef def = strip_def(model);
    def.material.strainLimit = limit;
    vvBodyId body = add_strip(w, &def);
    set_state(w, body, "stretch", (double[]){ 1.1, 1, 0.93, NAN, NAN, NAN });
    set_state(w, body, "angular", (double[]){ 3, 2, 1, NAN, NAN, NAN });
    set_state(w, body, "linear", (double[]){ 0.5, -0.2, 0.1 });
    return w;
}

static void every_scheme_and_policy(void **state)
{
    (void)state;
    for (int m = 0; m < 2; m++)
        for (int limited = 0; limited < 2; limited++) {
            for (int s = 0; vvSchemeInfo(s); s++) {
                vvWorldDef d = free_def(vvSchemeInfo(s)->name, limited ? 2e-4 : 1e-3, 1e-11);
                vvWorld *w = flying(&d, models[m], limited ? 0.3 : 0);
                vvLedgerRow a = ledger(w), b = steps(w, 20);
                if (strcmp(d.integrator.scheme, "discrete-gradient") != 0) /* which changes momenta slightly */
                    assert_less(distance3(a.momentum, b.momentum), 1e-8 * norm3(a.momentum));
                assert_true(isfinite(b.total) && b.elastic > 0);
                vvWorldDestroy(w);
            }
            for (int p = 0; vvPolicyInfo(p); p++) {
                vvWorldDef d = free_def(scheme_for(vvPolicyInfo(p)->name), 2e-3, 1e-6);
                d.integrator.policy = vvPolicyInfo(p)->name;
                vvWorld *w = flying(&d, models[m], limited ? 0.3 : 0);
                vvLedgerRow b = steps(w, 10);
                assert_true(isfinite(b.total) && b.elastic > 0);
                vvWorldDestroy(w);
            }
        }
}

static void momenta_and_energy(void **state)
{
    (void)state;
    for (int m = 0; m < 2; m++)
        for (int limited = 0; limited < 2; limited++) {
            vvWorldDef d = free_def("implicit-midpoint", 2e-3, 1e-10);
            vvWorld *w = flying(&d, models[m], limited ? 0.3 : 0);
            vvLedgerRow a = ledger(w), b = steps(w, 50);
            assert_less(distance3(a.momentum, b.momentum), 1e-9 * norm3(a.momentum));
            assert_less(distance3(a.angularMomentumCentre, b.angularMomentumCentre),
                        1e-8 * norm3(a.angularMomentumCentre));
            vvWorldDestroy(w);
            /* the average vector field is exact for quartics, the discrete gradient for all */
            for (int rule = 0; rule < 2; rule++) {
                d.integrator.scheme = rule ? "discrete-gradient" : "avf-gauss-2";
                w = flying(&d, models[m], limited ? 0.3 : 0);
                a = ledger(w), b = steps(w, 50);
                if (rule || (m == 0 && !limited))
                    assert_less(fabs(b.total - a.total), 1e-7 * a.scale);
                vvWorldDestroy(w);
            }
        }
}

/* The solvers that take it get to the same place as Newton; "xpbd" as published ends elsewhere (theory §6.12). */
static void solvers(void **state)
{
    (void)state;
    for (int m = 0; m < 2; m++)
        for (int limited = 0; limited < 2; limited++) {
            int count = 0;
            double *x = NULL;
            for (int s = 0; vvSolverInfo(s); s++) {
                vvError error = { 0 };
                vvWorldDef d = free_def("backward-euler", 2e-3, 1e-9);
                d.solver.method = vvSolverInfo(s)->name;
                d.solver.budget = strcmp(d.solver.method, "newton") == 0 ? 0 : 1000;
                d.solver.maxIterations = 10000;
                vvWorld *w = flying(&d, models[m], limited ? 0.3 : 0);
                vvStatus status = vvWorldBake(w, &error);
                if (status == VV_OK && strcmp(d.solver.method, "linearised") != 0 &&
                    strcmp(d.solver.method, "xpbd") != 0) {
                    steps(w, 5);
                    if (!x)
                        x = copy_of(vvWorldPositions(w), 3 * NODES);
                    for (int i = 0; i < 3 * NODES; i++)
                        assert_near(vvWorldPositions(w)[i], x[i], 1e-6);
                    count++;
                } else {
                    assert_true(status == VV_OK || status == VV_ERROR_UNSUPPORTED);
                }
                vvWorldDestroy(w);
            }
            assert_true(count >= 2); /* newton and lbfgs at least */
            free(x);
        }
}

/* ---- numbers of each triangle ---- */

static double distance_of(vvWorld *a, vvWorld *b) { return mass_distance(a, vvWorldPositions(a), vvWorldPositions(b)); }

/* Twice as stiff, or twice as thick, is the same to the bit however it is said; a thickness that varies is in the
 * mass. */
static void numbers_of_each_triangle(void **state)
{
    (void)state;
    double two[TRIANGLES], thickness[TRIANGLES], volume = 0;
    for (int t = 0; t < TRIANGLES; t++)
        two[t] = 2, thickness[t] = 2e-3;
    for (int m = 0; m < 2; m++) {
        vvWorldDef d = free_def("backward-euler", 2e-3, 1e-8);
        vvWorld *w[4];
        for (int i = 0; i < 4; i++) {
            vvBodyDef def = strip_def(models[m]);
            w[i] = new_world(&d);
            if (i == 0)
                def.material.young *= 2;
            else if (i == 1)
                def.triangleStiffness = two;
            else if (i == 2)
                def.material.thickness = 0, def.thickness = 2e-3;
            else
                def.material.thickness = 0, def.triangleThickness = thickness;
            vvBodyId body = add_strip(w[i], &def);
            hold_end(w[i], body, 1);
            set_state(w[i], body, "stretch", (double[]){ 1.1, 1, 0.93, NAN, NAN, NAN });
        }
        expect_same(w[0], w[1], 5, "stiffness");
        steps(w[2], 5), steps(w[3], 5);
        for (int i = 0; i < 3 * NODES; i++)
            assert_near(vvWorldPositions(w[2])[i], vvWorldPositions(w[3])[i], 1e-9);
        assert_less(1e-6, distance_of(w[0], w[2]));
        for (int i = 0; i < 4; i++)
            vvWorldDestroy(w[i]);
    }
    for (int t = 0; t < TRIANGLES; t++)
        thickness[t] = 1e-3 * (1 + t % 5), volume += 0.005 * thickness[t];
    for (int total = 0; total < 2; total++) {
        vvWorldDef d = free_def("backward-euler", 2e-3, 1e-8);
        vvWorld *w = new_world(&d);
        vvBodyDef def = strip_def(models[0]);
        def.triangleThickness = thickness;
        def.material.totalMass = total ? 3 : 0;
        add_strip(w, &def);
        double mass = 0, corner = thickness[0] * 0.005 / 3 * 200, scale = total ? 3 / (volume * 200) : 1;
        for (int i = 0; i < NODES; i++)
            mass += vvWorldMasses(w)[i];
        assert_near(mass, total ? 3 : volume * 200, 1e-12);
        assert_near(vvWorldMasses(w)[0], (corner + thickness[1] * 0.005 / 3 * 200) * scale, 1e-12);
        vvWorldDestroy(w);
    }
}

/* They are copied, belong to the structure, come back with a snapshot and stay where other bodies are removed. */
static void numbers_are_kept(void **state)
{
    (void)state;
    vvError error = { 0 };
    double numbers[2][TRIANGLES];
    uint64_t hash[3];
    for (int i = 0; i < 3; i++) {
        vvWorldDef d = free_def("backward-euler", 2e-3, 1e-8);
        vvWorld *w = new_world(&d), *same = new_world(&d);
        vvBodyId first[2];
        for (int n = 0; n < 2; n++) {
            for (int t = 0; t < TRIANGLES; t++)
                numbers[0][t] = 1 + (i == 1) * (t % 3), numbers[1][t] = 1e-3 * (1 + (i == 2) * (t % 3));
            vvBodyDef def = strip_def(models[0]);
            first[n] = add_strip(n ? same : w, &def);
            def.triangleStiffness = numbers[0], def.triangleThickness = numbers[1];
            vvBodyId body = add_strip(n ? same : w, &def);
            set_state(n ? same : w, body, "stretch", (double[]){ 1.1, 1, 0.93, NAN, NAN, NAN });
            for (int t = 0; t < TRIANGLES; t++)
                numbers[0][t] = numbers[1][t] = NAN;
        }
        hash[i] = vv_structure_hash(w);
        assert_true(hash[i] == vv_structure_hash(same));
        vvSnapshot *snapshot = NULL;
        steps(w, 2), steps(same, 2);
        uint64_t then = vv_structure_hash(w);
        assert_ok(vvWorldSnapshot(w, &snapshot, &error));
        for (int n = 0; n < 2; n++)
            assert_ok(vvWorldRemoveBody(n ? same : w, first[n], &error));
        expect_same(w, same, 2, "a removed body");
        vvBodyId body = vvWorldBody(w, 0);
        assert_ok(vvWorldRemoveBody(w, body, &error));
        assert_ok(vvWorldRestore(w, snapshot, &error));
        assert_true(vv_structure_hash(w) == then);
        assert_ok(vvWorldRemoveBody(w, vvWorldBody(w, 0), &error));
        steps(w, 2);
        assert_memory_equal(vvWorldPositions(w), vvWorldPositions(same), 3 * NODES * sizeof(double));
        vvSnapshotDestroy(snapshot);
        vvWorldDestroy(w);
        vvWorldDestroy(same);
    }
    assert_true(hash[0] != hash[1] && hash[1] != hash[2] && hash[0] != hash[2]);
}

static void wrong_numbers_are_refused(void **state)
{
    (void)state;
    double numbers[TRIANGLES];
    for (int n = 0; n < 8; n++) {
        static const char *const words[] = { "triangleThickness of triangle 5 is 0 m",
                                             "triangleThickness of triangle 5 is nan m",
                                             "triangleStiffness of triangle 5 is -1",
                                             "triangleStiffness is for shells, but the body's mesh has tet",
                                             "none of the body's materials is a shell's",
                                             "a kinematic body has no elasticity",
                                             "needs a thickness",
                                             "the body's mesh has no triangles" };
        vvError error = { 0 };
        vvWorldDef d = free_def("backward-euler", 2e-3, 1e-8);
        vvWorld *w = new_world(&d);
        vvBodyDef def = strip_def(models[0]);
        vvMesh mesh = strip();
        double line[6] = { 0, 0, 0, 1, 0, 0 };
        int edge[2] = { 0, 1 };
        for (int t = 0; t < TRIANGLES; t++)
            numbers[t] = t == 5 && n < 3 ? (double[]){ 0, NAN, -1 }[n] : 1;
        if (n < 2)
            def.triangleThickness = numbers;
        else if (n != 6)
            def.triangleStiffness = numbers;
        else
            def.material.thickness = 0;
        if (n == 3) {
            vvMeshDestroy(&mesh);
            assert_ok(generate_mesh("box", (double[]){ 1, 1, 1, 1, 1, 1, 5 }, &mesh, &error));
            def.material.model = "stvk";
        }
        if (n == 4)
            def.material.model = "hooke";
        def.kinematic = n == 5;
        if (n == 7) {
            vvMeshDestroy(&mesh);
            vvMesh given = { .vertexCount = 2, .edgeCount = 1, .positions = line, .edges = edge };
            assert_ok(vvMeshCopy(&given, &mesh, &error));
            def.material.model = "hooke";
        }
        def.mesh = &mesh;
        expect(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT, &error, words[n]);
        vvMeshDestroy(&mesh);
        vvWorldDestroy(w);
    }
}

/* A model may be changed while it runs; per-triangle thickness stays the thickness. */
static void changed_while_running(void **state)
{
    (void)state;
    vvError error = { 0 };
    double thickness[TRIANGLES];
    for (int t = 0; t < TRIANGLES; t++)
        thickness[t] = 1e-3;
    vvWorldDef d = free_def("backward-euler", 2e-3, 1e-8);
    vvWorld *w = flying(&d, models[0], 0);
    vvBodyDef def = strip_def(models[1]);
    steps(w, 3);
    assert_ok(vvBodySetMaterial(w, vvWorldBody(w, 0), 0, &def.material, &error));
    steps(w, 3);
    def.material.strainLimit = 1e-3; /* it is stretched by more */
    assert_ok(vvBodySetMaterial(w, vvWorldBody(w, 0), 0, &def.material, &error));
    expect(vvWorldStep(w, NULL, &error), VV_ERROR_INPUT, &error, "strain_limit allows less than 1.001");
    def.material.strainLimit = 0.5;
    assert_ok(vvBodySetMaterial(w, vvWorldBody(w, 0), 0, &def.material, &error));
    steps(w, 3);
    vvWorldDestroy(w);
    w = new_world(&d);
    def.material.thickness = 0, def.triangleThickness = thickness;
    vvBodyId body = add_strip(w, &def);
    def.material.young *= 2;
    assert_ok(vvBodySetMaterial(w, body, 0, &def.material, &error)); /* needs no other thickness */
    steps(w, 1);
    vvWorldDestroy(w);
}

/* ---- the strain limit ---- */

/* The largest stretch of a triangle of the strip in its direction of most stretch. */
static double most_stretch(vvWorld *w, vvBodyId body, const double *rest)
{
    const double *x = vvWorldPositions(w);
    double most = 0;
    vvBodyElements e;
    vvBodyGetElements(w, body, &e);
    for (int t = 0; t < e.triangleCount; t++) {
        const int *v = e.triangles + 3 * t;
        double d[2][2][3], c[2][3];
        for (int now = 0; now < 2; now++)
            for (int k = 0; k < 2; k++)
                for (int i = 0; i < 3; i++)
                    d[now][k][i] = (now ? x : rest)[3 * v[k + 1] + i] - (now ? x : rest)[3 * v[0] + i];
        for (int now = 0; now < 2; now++)
            for (int k = 0; k < 3; k++) { /* 11, 22, 12 */
                const double *a = d[now][k == 1], *b = d[now][k > 0];
                c[now][k] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
            }
        /* the larger root of det(c1 - l c0) = 0 */
        double a = c[0][0] * c[0][1] - c[0][2] * c[0][2],
               b = c[1][0] * c[0][1] + c[1][1] * c[0][0] - 2 * c[1][2] * c[0][2];
        double det = c[1][0] * c[1][1] - c[1][2] * c[1][2];
        most = fmax(most, sqrt((b + sqrt(fmax(b * b - 4 * a * det, 0))) / (2 * a)));
    }
    return most;
}

/* Held at one end and pulled by a hundred times its weight, it gets longer than any limit without one, and stays
 * below it with one, under every scheme whose ends see forces, and with both solvers. */
static void a_limit_holds(void **state)
{
    (void)state;
    for (int m = 0; m < 2; m++)
        for (int limited = 0; limited < 2; limited++)
            for (int s = -1; s < 0 || (limited && vvSchemeInfo(s)); s++) {
                const char *scheme = s < 0 ? "backward-euler" : vvSchemeInfo(s)->name;
                vvWorldDef d = free_def(scheme, 5e-3, 1e-4);
                if (!vvSchemeEndForces(scheme) && strcmp(scheme, "sdirk2") != 0)
                    continue;
                if (s < 0)
                    d.solver.method = "lbfgs", d.solver.maxIterations = 2000;
                d.gravity[0] = 1000;
                d.gravity[1] = -9.8;
                vvWorld *w = new_world(&d);
                vvBodyDef def = strip_def(models[m]);
                def.material.young = 3e5;
                def.material.damping.drag = 5;
                def.material.strainLimit = limited ? 0.05 : 0;
                vvBodyId body = add_strip(w, &def);
                hold_end(w, body, 1);
                double most = 0, *rest = copy_of(vvWorldPositions(w), 3 * NODES);
                for (int i = 0; i < 60; i++) {
                    step(w);
                    most = fmax(most, most_stretch(w, body, rest));
                }
                free(rest);
                print_message("%s %s: stretched to %.4f\n", models[m], limited ? scheme : "without", most);
                assert_true(limited ? most < 1.05 && most > 1.03 : most > 1.1);
                vvWorldDestroy(w);
            }
}

static void a_start_beyond_it_is_refused(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 5e-3, 1e-4);
    vvWorld *w = flying(&d, models[0], 0.05);
    expect(vvWorldStep(w, NULL, &error), VV_ERROR_INPUT, &error, "triangle 0 is stretched to 1.1 times its length");
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plane_stress),
        cmocka_unit_test(every_scheme_and_policy),
        cmocka_unit_test(momenta_and_energy),
        cmocka_unit_test(solvers),
        cmocka_unit_test(numbers_of_each_triangle),
        cmocka_unit_test(numbers_are_kept),
        cmocka_unit_test(wrong_numbers_are_refused),
        cmocka_unit_test(changed_while_running),
        cmocka_unit_test(a_limit_holds),
        cmocka_unit_test(a_start_beyond_it_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Bending across edges, "hinge": derivatives against differences, invariances, edges with more than two triangles,
 * rest angles that are given, solvers. */
#include "hinge_support.h"

#include "base/vec.h"
#include "solve/assembly.h"
#include "world/world.h"

enum { MOST = 60 };

static double noise(int i) { return sin(12.9898 * i + 4.1); }

/* A small crumpled sheet, with rest angles of its own. */
static vvWorld *crumpled(bool flat)
{
    vvMesh mesh = sheet(0.3, 0.26, 0.1, 3);
    vvMaterialDef m = hinge(2e6, 0.3, 0.01);
    m.flat = flat;
    for (int i = 0; i < 3 * mesh.vertexCount; i++)
        mesh.positions[i] += 0.02 * noise(i);
    return world_of(&mesh, &m);
}

/* Energy and Hessian along a direction. */
static void check_differences(vvWorld *w, const double *at, double step)
{
    double x[MOST * 3], g[3][MOST * 3], p[MOST * 3], u[MOST * 3], hp[MOST * 3], e[4], along = 0, size = 0, stiff = 0;
    vv_system *s = &w->system;
    int n = 3 * s->nodes;
    assert_true(n <= 3 * MOST);
    for (int i = 0; i < n; i++)
        p[i] = noise(7 * i + 3);
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < n; i++)
            x[i] = at[i] + step * (double[]){ 1, -1, 2, -2 }[k] * p[i];
        e[k] = vv_system_energy(s, x);
        if (k < 2)
            vv_system_gradient(s, x, g[k]);
    }
    vv_system_gradient(s, at, g[2]);
    for (int i = 0; i < n; i++)
        along += g[2][i] * p[i], size += fabs(g[2][i] * p[i]);
    assert_near((8 * (e[0] - e[1]) - (e[2] - e[3])) / (12 * step), along, 1e-6 * size + 1e-9);
    vv_assembly a;
    assert_int_equal(vv_assembly_create(&a, s, VV_SELECT_ALL, NULL), VV_OK);
    vv_assembly_begin(&a);
    vv_assembly_add_energies(s, at, 1, VV_HESSIAN_EXACT, NULL, &a);
    vv_assembly_end(&a);
    vv_pack(s, p, u);
    vv_bsr_multiply(&a.matrix, &s->par, u, hp);
    vv_unpack(s, hp, u);
    for (int mode = 0; mode < 2; mode++) { /* semidefinite, and not below the exact one */
        double by_mode = 0, exact = 0;
        vv_assembly_begin(&a);
        vv_assembly_add_energies(s, mode ? NULL : at, 1, mode ? VV_HESSIAN_REST : VV_HESSIAN_PROJECTED, NULL, &a);
        vv_assembly_end(&a);
        double v[MOST * 3], hv[MOST * 3];
        vv_pack(s, p, v);
        vv_bsr_multiply(&a.matrix, &s->par, v, hv);
        for (int i = 0; i < n; i++)
            by_mode += v[i] * hv[i], exact += p[i] * u[i];
        assert_true(by_mode > 0 && (mode || by_mode >= exact * (exact > 0 ? 1 - 1e-12 : 0)));
    }
    vv_assembly_free(&a);
    for (int i = 0; i < n; i++)
        stiff = fmax(stiff, fabs(u[i]));
    for (int i = 0; i < n; i++)
        assert_near((g[0][i] - g[1][i]) / (2 * step), u[i], 1e-5 * stiff);
}

static void derivatives(void **state)
{
    (void)state;
    for (int n = 0; n < 6; n++) {
        vvWorld *w = crumpled(n % 2);
        double x[3 * MOST];
        int count = 3 * w->nodes;
        for (int i = 0; i < count; i++)
            x[i] = w->rest[i] + (n < 2 ? 1e-7 : n < 4 ? 0.01 : 0.1) * noise(5 * i + n); /* at rest, bent, crushed */
        check_differences(w, x, 1e-7);
        vvWorldDestroy(w);
    }
}

/* One hinge, folded all the way to 170 degrees and through its rest angle of 170: the energy is that of the shorter
 * way. */
static void folded(void **state)
{
    (void)state;
    static const double flat[] = { 0, 0, 0, 0.1, 0, 0, 0.04, 0, -0.09, 0.06, 0, 0.08 };
    static const int triangles[] = { 0, 1, 2, 1, 0, 3 };
    for (int n = -17; n <= 17; n++) {
        double rest = n * 10 * M_PI / 180, x[12];
        vvMesh mesh = { .vertexCount = 4, .triangleCount = 2 };
        vvError error = { 0 };
        vvMaterialDef m = hinge(1e6, 0.25, 0.01);
        vvBodyDef def = vvDefaultBodyDef();
        vvWorldDef d = free_def("implicit-midpoint", 5e-3, 1e-10);
        vvWorld *w = new_world(&d);
        mesh.positions = (double *)flat, mesh.triangles = (int *)triangles;
        def.mesh = &mesh, def.material = m;
        def.restAngles = &(vvRestAngle){ 1, 0, rest }, def.restAngleCount = 1;
        assert_ok(vvWorldAddBody(w, &def, NULL, &error));
        assert_ok(vvWorldBake(w, &error));
        for (int k = -17; k <= 17; k++) {
            double angle = k * 10 * M_PI / 180, away = angle - rest - 2 * M_PI * round((angle - rest) / (2 * M_PI));
            memcpy(x, flat, sizeof x);
            x[10] = -0.08 * sin(angle), x[11] = 0.08 * cos(angle); /* triangle (0, 1, 2) has its normal up */
            double stiffness = 1e6 * 1e-6 / 12 / (1 - 0.0625) * 0.01 / (0.5 * 0.1 * (0.09 + 0.08));
            if (abs(abs(k - n) - 18) > 0)
                assert_near(vv_system_energy(&w->system, x), 0.5 * stiffness * away * away, 1e-12);
            if (abs(abs(k - n) - 18) > 0 && k != n)
                check_differences(w, x, 1e-7);
        }
        vvWorldDestroy(w);
    }
}

/* At rest there is no force; moved, turned and bent without turning hinges there is none either; forces and moments
 * add up to nothing. */
static void invariances(void **state)
{
    (void)state;
    for (int flat = 0; flat < 2; flat++) {
        vvWorld *w = crumpled(flat);
        double x[3 * MOST], g[3 * MOST], q[9], sum[3] = { 0 }, moment[3] = { 0 }, axis[3] = { 1, 2, -0.5 };
        int n = w->nodes;
        double rest = vv_system_energy(&w->system, w->rest), largest_g = 0;
        assert_true(flat ? rest > 1e-4 : rest == 0);
        vv_axis_angle(axis, 1.1, q);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < 3; k++)
                x[3 * i + k] = 3 + q[3 * k] * w->rest[3 * i] + q[3 * k + 1] * w->rest[3 * i + 1] +
                               q[3 * k + 2] * w->rest[3 * i + 2];
        assert_near(vv_system_energy(&w->system, x), rest, 1e-10 * rest + 1e-20);
        for (int i = 0; i < 3 * n; i++)
            x[i] *= 2; /* angles do not change in size */
        assert_near(vv_system_energy(&w->system, x), rest, 1e-10 * rest + 1e-20);
        for (int i = 0; i < 3 * n; i++)
            x[i] = w->rest[i] + 0.03 * noise(3 * i);
        vv_system_gradient(&w->system, x, g);
        for (int i = 0; i < n; i++) {
            double c[3];
            vv_cross(x + 3 * i, g + 3 * i, c);
            for (int k = 0; k < 3; k++)
                sum[k] += g[3 * i + k], moment[k] += c[k], largest_g = fmax(largest_g, fabs(g[3 * i + k]));
        }
        for (int k = 0; k < 3; k++)
            assert_true(fabs(sum[k]) < 1e-12 * largest_g && fabs(moment[k]) < 1e-12 * largest_g);
        vvWorldDestroy(w);
    }
}

/* Triangles without area: nothing that is not finite. */
static void degenerate(void **state)
{
    (void)state;
    vvWorld *w = crumpled(false);
    for (int n = 0; n < 4; n++) {
        double x[3 * MOST], g[3 * MOST];
        for (int i = 0; i < 3 * w->nodes; i++)
            x[i] = n == 0       ? 0
                   : n == 1     ? (i % 3 == 0) * w->rest[i]
                   : n == 2     ? w->rest[i % 12]
                   : i % 3 == 1 ? 0
                                : round(8 * w->rest[i]);
        assert_true(isfinite(vv_system_energy(&w->system, x)));
        vv_system_gradient(&w->system, x, g);
        for (int i = 0; i < 3 * w->nodes; i++)
            assert_true(isfinite(g[i]));
    }
    vvWorldDestroy(w);
}

/* Sheets welded along an edge: each pair of them is a hinge, and together they are as stiff as springs that meet at
 * one joint. */
static void crowded_edges(void **state)
{
    (void)state;
    double x[3 * 6] = { 0, 0, 0, 1, 0, 0 };
    int triangles[12] = { 0 };
    for (int i = 0; i < 4; i++) {
        double turn = 2 * M_PI * i / 4 + 0.2 * i, height = 0.5 + 0.2 * i;
        x[6 + 3 * i] = 0.4, x[7 + 3 * i] = height * cos(turn), x[8 + 3 * i] = height * sin(turn);
        triangles[3 * i] = i % 2, triangles[3 * i + 1] = 1 - i % 2, triangles[3 * i + 2] = 2 + i;
    }
    for (int n = 2; n <= 4; n++) {
        vvMesh mesh = { .vertexCount = 2 + n, .triangleCount = n, .positions = x, .triangles = triangles };
        vvError error = { 0 };
        vvWorldDef d = free_def("implicit-midpoint", 5e-3, 1e-10);
        vvWorld *w = new_world(&d);
        vvBodyDef def = vvDefaultBodyDef();
        def.mesh = &mesh, def.material = hinge(1.2e7, 0, 0.01); /* D = 1 */
        def.material.flat = n > 2;                              /* cannot be: the mesh's angles stay */
        assert_ok(vvWorldAddBody(w, &def, NULL, &error));
        assert_ok(vvWorldBake(w, &error));
        assert_int_equal(w->bodies[0].hinge_count, n * (n - 1) / 2);
        assert_near(vv_system_energy(&w->system, w->rest), 0, 1e-20);
        double y[18], k[4], turned[4], all = 0, mean = 0, expected = 0;
        memcpy(y, x, sizeof y);
        for (int i = 0; i < n; i++) {
            double height = 0.5 + 0.2 * i;
            turned[i] = 0.1 * noise(i), k[i] = 1 / (0.5 * height), all += k[i], mean += k[i] * turned[i];
            double turn = 2 * M_PI * i / 4 + 0.2 * i + turned[i];
            y[7 + 3 * i] = height * cos(turn), y[8 + 3 * i] = height * sin(turn);
        }
        for (int i = 0; i < n; i++)
            expected += 0.5 * k[i] * pow(turned[i] - mean / all, 2);
        assert_near(vv_system_energy(&w->system, y), expected, 1e-12);
        vvWorldDestroy(w);
    }
}

static void rest_angles(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvMesh mesh = sheet(0.4, 0.4, 0.1, 1);
    vvWorldDef d = free_def("implicit-midpoint", 5e-3, 1e-10);
    vvBodyDef def = vvDefaultBodyDef();
    vvWorld *w = new_world(&d);
    vvRestAngle list[2] = { { 6, 11, 0.5 }, { 12, 6, -0.25 } };
    def.mesh = &mesh, def.material = hinge(1e6, 0.3, 0.01), def.restAngles = list, def.restAngleCount = 2;
    static const struct {
        vvRestAngle second;
        const char *word;
    } bad[] = { { { 11, 6, 0.5 }, "vertices 11 and 6, whose angle is given before" },
                { { 0, 24, 0.5 }, "no edge between them" },
                { { 0, 1, 0.5 }, "on the boundary" },
                { { 0, 25, 0.5 }, "from 0 to 24" },
                { { -1, 3, 0.5 }, "from 0 to 24" },
                { { 6, 6, 0.5 }, "from 0 to 24" },
                { { 6, 12, 3.2 }, "-pi to pi" },
                { { 6, 12, NAN }, "-pi to pi" } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        vvRestAngle two[2] = { list[0], bad[i].second };
        def.restAngles = two;
        expect(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT, &error, bad[i].word);
    }
    def.restAngles = list;
    def.material.model = "hooke";
    expect(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT, &error, "no material of the body reads them");
    def.material.model = "hinge", def.restAngleCount = -1;
    expect(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT, &error, "restAngleCount is -1");
    def.restAngleCount = 2, def.restAngles = NULL;
    expect(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT, &error, "restAngles is NULL");
    assert_int_equal(vvWorldBodyCount(w), 0);
    /* kept: by another body's removal, by a snapshot, by the hash of the structure */
    def.restAngles = list;
    def.restAngleCount = 0;
    vvBodyId first;
    assert_ok(vvWorldAddBody(w, &def, &first, &error));
    uint64_t hash = vv_structure_hash(w);
    def.restAngleCount = 2;
    assert_ok(vvWorldAddBody(w, &def, NULL, &error));
    vvMeshDestroy(&mesh);
    assert_ok(vvWorldRemoveBody(w, first, &error));
    assert_true(vv_structure_hash(w) != hash);
    assert_ok(vvWorldBake(w, &error));
    /* cells of 0.1: D l^2/A, edges of 0.1 and diagonals */
    double plate = 1e6 * 1e-6 / 12 / (1 - 0.09), stiffness = plate / 0.01;
    double expected = 0.5 * stiffness * (0.01 * 0.25 + 0.02 * 0.0625);
    assert_near(vv_system_energy(&w->system, w->rest), expected, 1e-12);
    vvSnapshot *s;
    vvWorld *other = new_world(&d);
    assert_ok(vvWorldSnapshot(w, &s, &error));
    assert_ok(vvWorldRestore(other, s, &error));
    assert_ok(vvWorldBake(other, &error));
    assert_near(vv_system_energy(&other->system, other->rest), expected, 1e-12);
    assert_true(vv_structure_hash(w) == vv_structure_hash(other));
    other->bodies[0].hinge_angles[0] = 1;
    assert_true(vv_structure_hash(w) != vv_structure_hash(other));
    vvSnapshotDestroy(s);
    vvWorldDestroy(w);
    vvWorldDestroy(other);
}

/* Other solvers end where Newton's method does. */
static void solvers_agree(void **state)
{
    (void)state;
    static const char *const methods[] = { "newton", "lbfgs", "block-descent" };
    double q[3][3 * MOST];
    for (int n = 0; n < 3; n++) {
        vvError error = { 0 };
        vvMesh mesh = sheet(0.3, 0.26, 0.1, 3);
        vvWorldDef d = free_def("backward-euler", 1e-2, 1e-9);
        vvMaterialDef more = hinge(2e6, 0.3, 0.01);
        vvBodyDef def = vvDefaultBodyDef();
        d.solver.method = methods[n];
        if (n)
            d.solver.budget = 2000;
        for (int i = 0; i < 3 * mesh.vertexCount; i++)
            mesh.positions[i] += 0.02 * noise(i);
        more.flat = true;
        def.material.model = "hooke", def.material.density = 0.5, def.material.springStiffness = 50;
        def.moreMaterials = &more, def.moreMaterialCount = 1;
        vvWorld *w = new_world(&d);
        add_mesh(w, &mesh, &def);
        for (int i = 0; i < 3; i++)
            assert_ok(vvWorldStep(w, NULL, &error));
        memcpy(q[n], w->state.q, 3 * (size_t)w->nodes * sizeof(double));
        double far = 0, moved = 0;
        for (int i = 0; i < 3 * w->nodes; i++)
            far = fmax(far, fabs(q[n][i] - q[0][i])), moved = fmax(moved, fabs(q[n][i] - w->rest[i]));
        print_message("%s: %.2g m from newton's, moved %.2g m\n", methods[n], far, moved);
        assert_true(moved > 1e-3 && far < 1e-7);
        vvWorldDestroy(w);
    }
}

/* Thin triangles have no angle to keep. */
static void refusals(void **state)
{
    (void)state;
    double x[] = { 0, 0, 0, 1, 0, 0, 0.5, 1, 0, 0.5, -1e-9, 0 };
    int triangles[] = { 0, 1, 2, 1, 0, 3 };
    vvMesh mesh = { .vertexCount = 4, .triangleCount = 2, .positions = x, .triangles = triangles };
    vvError error = { 0 };
    vvWorldDef d = free_def("implicit-midpoint", 5e-3, 1e-10);
    vvBodyDef def = vvDefaultBodyDef();
    def.mesh = &mesh, def.material = hinge(1e6, 0.3, 0);
    vvWorld *w = new_world(&d);
    expect(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT, &error, "needs a thickness");
    def.material.thickness = 0.01, def.material.poisson = 0.5;
    expect(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT, &error, "poisson is 0.5");
    def.material.poisson = 0.3;
    assert_ok(vvWorldAddBody(w, &def, NULL, &error));
    expect(vvWorldBake(w, &error), VV_ERROR_INPUT, &error, "too thin at rest");
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(derivatives),   cmocka_unit_test(folded),
                                        cmocka_unit_test(invariances),   cmocka_unit_test(degenerate),
                                        cmocka_unit_test(crowded_edges), cmocka_unit_test(rest_angles),
                                        cmocka_unit_test(refusals),      cmocka_unit_test(solvers_agree) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

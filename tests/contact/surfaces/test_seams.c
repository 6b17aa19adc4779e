/* Flat obstacles of triangles are planes: nothing is felt of their seams. And points and rods carry what lies on
 * them. */
#include "size.h"
#include "live_support.h"
#include "positional.h"

/* n squares of two triangles along z, 6 m wide; diagonals all one way. */
static vvBodyId add_strip(vvWorld *w, double y, bool down, int n)
{
    vvMesh mesh = { .vertexCount = 2 * (n + 1), .triangleCount = 2 * n };
    mesh.positions = calloc(3 * (size_t)mesh.vertexCount, sizeof(double));
    mesh.triangles = calloc(3 * (size_t)mesh.triangleCount, sizeof(int));
    for (int i = 0; i <= n; i++)
        for (int side = 0; side < 2; side++) {
            double *x = mesh.positions + 3 * (2 * i + side);
            x[0] = side ? 3 : -3, x[1] = y, x[2] = i - 2;
        }
    for (int i = 0; i < n; i++) {
        int a = 2 * i, *t = mesh.triangles + 6 * i, up[6] = { a, a + 2, a + 3, a, a + 3, a + 1 };
        for (int k = 0; k < 6; k++)
            t[k] = down ? up[5 - k] : up[k];
    }
    vvBodyDef def = vvDefaultBodyDef();
    def.mesh = &mesh;
    def.kinematic = true;
    vvError error = { 0 };
    vvBodyId id;
    assert_ok(vvWorldAddBody(w, &def, &id, &error));
    free(mesh.positions);
    free(mesh.triangles);
    return id;
}

/* A stiff cube squeezed between floor and ceiling, 10 m/s along: what is left of its momentum after 3 m, and the most
 * across. */
static void slide(double stiffness, bool convergent, double left[3])
{
    const double gap = 5e-5;
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 0.01, 1e-3);
    d.contact.model = "barrier";
    d.contact.convergent = convergent;
    if (stiffness > 0)
        d.contact.stiffness = stiffness;
    vvWorld *w = new_world(&d);
    add_strip(w, 0, false, 8);
    add_strip(w, 1 + 2 * gap, true, 8);
    double values[7] = { 1, 1, 1, 2, 2, 2, 5 };
    vvMesh mesh = { 0 };
    assert_ok(generate_mesh("box", values, &mesh, &error));
    vvBodyDef def = vvDefaultBodyDef();
    def.material.model = "neo-hookean";
    def.material.young = 1e11;
    def.translate[0] = 0.1, def.translate[1] = 0.5 + gap, def.translate[2] = -0.7;
    vvBodyId cube = add_mesh(w, &mesh, &def);
    assert_ok(start_with(w, cube, "linear", (double[]){ 0, 0, 10 }, &error));
    vvLedgerRow first, row;
    assert_ok(vvWorldLedger(w, &first, &error));
    left[0] = left[1] = 0;
    for (int i = 0; i < 30; i++) {
        assert_ok(vvWorldStep(w, NULL, &error));
        assert_ok(vvWorldLedger(w, &row, &error));
        for (int k = 0; k < 2; k++)
            left[k] = fmax(left[k], fabs(row.momentum[k]) / first.momentum[2]);
    }
    left[2] = row.momentum[2] / first.momentum[2];
    vvWorldDestroy(w);
}

static void seams_are_not_felt(void **state)
{
    (void)state;
    static const double stiffness[] = { 0, 1e7 }; /* 0: the default */
    for (int k = 0; k < 2; k++)
        for (int convergent = 0; convergent < 2; convergent++) {
            double left[3];
            slide(stiffness[k], convergent, left);
            print_message("kappa %g, %s: %.5f along, %.1e across\n", stiffness[k], convergent ? "convergent" : "plain",
                          left[2], left[0]);
            assert_near(left[2], 1, 0.01);
            assert_true(left[0] < 0.01);
        }
}

/* A floor that the host moves node by node is no longer flat: a ridge that rises along a seam lifts what lies across
 * it. */
static void a_floor_that_bends_is_not_flat(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 0.01, 1e-2);
    d.gravity[1] = -9.81;
    d.contact.model = "barrier";
    vvWorld *w = new_world(&d);
    vvBodyId floor = add_strip(w, 0, false, 4);
    double values[7] = { 1, 0.1, 0.8, 2, 1, 1, 5 };
    vvMesh mesh = { 0 };
    assert_ok(generate_mesh("box", values, &mesh, &error));
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("neo-hookean", 1e7);
    def.translate[1] = 0.0505;
    vvBodyId plate = add_mesh(w, &mesh, &def); /* over the seam z = 0, on which no vertex of it lies */
    for (int i = 0; i < 5; i++)
        assert_ok(vvWorldStep(w, NULL, &error));
    int first, count;
    vvBodyNodes(w, floor, &first, &count);
    for (int i = 1; i <= 20; i++) {
        double x[3 * 10];
        memcpy(x, vvWorldPositions(w) + 3 * first, 3 * (size_t)count * sizeof *x);
        x[3 * 4 + 1] = x[3 * 5 + 1] = 0.005 * i; /* the nodes at z = 0 */
        assert_ok(vvAttachMoveTo(w, vvBodyAttachment(w, floor), x, &error));
        assert_ok(vvWorldStep(w, NULL, &error));
    }
    vvBodyNodes(w, plate, &first, &count);
    double mean = 0;
    for (int i = first; i < first + count; i++)
        mean += vvWorldPositions(w)[3 * i + 1] / count;
    assert_true(mean > 0.1 + 0.04);
    vvWorldDestroy(w);
}

/* A ball on a bed of points, or of needles, that turns: it lies there, at gaps like those on a plane, whatever the
 * step. */
static void points_and_needles_carry(void **state)
{
    (void)state;
    static const double steps[] = { 0.025, 0.01, 0.002 };
    for (int needles = 0; needles < 2; needles++)
        for (int s = 0; s < (sanitized() ? 1 : 3); s++) {
            vvError error = { 0 };
            vvWorldDef d = free_def("backward-euler", steps[s], 1e-2);
            d.gravity[1] = -9.81;
            d.contact.model = "barrier";
            d.contact.friction = 0.3;
            vvWorld *w = new_world(&d);
            double x[3 * 2 * 169];
            int list[2 * 169], n = 0;
            for (int i = -6; i <= 6; i++)
                for (int j = -6; j <= 6; j++)
                    for (int k = 0; k <= needles; k++, n++) {
                        list[n] = n;
                        x[3 * n] = 0.01 * i, x[3 * n + 1] = k ? -0.05 : 0, x[3 * n + 2] = 0.01 * j;
                    }
            vvMesh mesh = { .vertexCount = n, .positions = x };
            if (needles)
                mesh.edges = list, mesh.edgeCount = n / 2;
            else
                mesh.points = list, mesh.pointCount = n;
            vvBodyDef bed = vvDefaultBodyDef();
            bed.mesh = &mesh;
            bed.kinematic = true;
            bed.motion.axis[1] = 1;
            bed.motion.angularVelocity = 90;
            vvBodyId id;
            assert_ok(vvWorldAddBody(w, &bed, &id, &error));
            vvBodyDef def = vvDefaultBodyDef();
            def.material = material("neo-hookean", 1e5);
            def.translate[0] = 0.003, def.translate[1] = 0.051;
            add_ball(w, 0.05, 4, &def);
            double least = INFINITY;
            int most = 0;
            for (int i = 0; i < (s == 2 ? 100 : 30); i++) {
                vvStepReport report;
                vvLedgerRow row;
                assert_ok(vvWorldStep(w, &report, &error));
                assert_ok(vvWorldLedger(w, &row, &error));
                least = fmin(least, row.minGap);
                most = report.newtonIterations > most ? report.newtonIterations : most;
            }
            print_message("%s, h = %g: smallest gap %.2g m, at most %d iterations\n", needles ? "needles" : "points",
                          steps[s], least, most);
            assert_true(least > 0.1 * d.contact.distance);
            assert_true(most <= 60);
            vvWorldDestroy(w);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(seams_are_not_felt),
                                        cmocka_unit_test(a_floor_that_bends_is_not_flat),
                                        cmocka_unit_test(points_and_needles_carry) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What all kinds of shells' bending have in common: thickness and stiffness of each triangle, rest angles that are
 * given. */
#include "hinge_support.h"

#include "world/world.h"

static const char *const kinds[] = { "hinge", "midedge" };
enum { KINDS = 2 };

static double noise(int i) { return sin(12.9898 * i + 4.1); }

/* A crumpled sheet whose triangles have these numbers, or NULL. */
static vvWorld *sheet_of(const char *kind, double thickness, const double *each, const double *stiffness)
{
    vvError error = { 0 };
    vvMesh mesh = sheet(0.3, 0.26, 0.1, 3);
    vvWorldDef d = free_def("implicit-midpoint", 5e-3, 1e-10);
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = hinge(2e6, 0.3, thickness), def.material.model = kind;
    def.triangleThickness = each, def.triangleStiffness = stiffness;
    for (int i = 0; i < 3 * mesh.vertexCount; i++)
        mesh.positions[i] += 0.01 * noise(i);
    add_mesh(w, &mesh, &def);
    assert_ok(vvWorldBake(w, &error));
    return w;
}

static double bent_energy(vvWorld *w)
{
    double x[600];
    assert_true(3 * w->nodes <= 600);
    for (int i = 0; i < 3 * w->nodes; i++)
        x[i] = w->rest[i] + 0.01 * noise(5 * i + 2);
    double e = vv_system_energy(&w->system, x);
    vvWorldDestroy(w);
    assert_true(e > 0 && isfinite(e));
    return e;
}

/* Equal numbers for all triangles, or one for the body; and a triangle twice as thick is one of the same thickness
 * and eight times the modulus. */
static void equal_triangles(void **state)
{
    (void)state;
    double each[200], ones[200], eights[200], doubled[200];
    for (int i = 0; i < 200; i++)
        each[i] = 0.01, ones[i] = 1, eights[i] = i % 3 ? 1 : 8, doubled[i] = i % 3 ? 0.01 : 0.02;
    for (int k = 0; k < KINDS; k++) {
        double one = bent_energy(sheet_of(kinds[k], 0.01, NULL, NULL));
        assert_true(bent_energy(sheet_of(kinds[k], 0, each, NULL)) == one);
        assert_true(bent_energy(sheet_of(kinds[k], 0.01, NULL, ones)) == one);
        assert_true(bent_energy(sheet_of(kinds[k], 0.3, each, ones)) == one); /* the triangles' own counts */
        double mixed = bent_energy(sheet_of(kinds[k], 0, doubled, NULL));
        assert_near(bent_energy(sheet_of(kinds[k], 0.01, NULL, eights)), mixed, 1e-13 * mixed);
        assert_true(mixed > 1.2 * one && mixed < 7.9 * one);
    }
}

/* Four cells' corners in the plane; the two cells meet at the edge (2, 3), which is the crease. */
static const double flat_strip[18] = { 0, 0, 0, 0, 0, 0.1, 0.1, 0, 0, 0.1, 0, 0.1, 0.2, 0, 0.01, 0.2, 0, 0.11 };

/* turned: the second cell has its normals on the other side. */
static vvMesh strip(bool turned)
{
    static int plain[12] = { 0, 1, 2, 2, 1, 3, 2, 3, 4, 4, 3, 5 }, other[12] = { 0, 1, 2, 2, 1, 3, 3, 2, 4, 3, 4, 5 };
    vvMesh mesh = { .vertexCount = 6,
                    .triangleCount = 4,
                    .positions = (double *)flat_strip,
                    .triangles = turned ? other : plain },
           copy;
    vvError error = { 0 };
    assert_ok(vvMeshCopy(&mesh, &copy, &error));
    return copy;
}

/* Two thicknesses beside a crease: springs in a row by hinges, D l^2/A of each side. Of mid-edge normals each
 * triangle's energy has its own D, whatever its neighbours' are. */
static void two_thicknesses(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        double e[3];
        for (int n = 0; n < 3; n++) {
            vvError error = { 0 };
            vvMesh mesh = strip(false);
            double left = n == 1 ? 0.02 : 0.01, right = n == 2 ? 0.02 : 0.01, x[72];
            vvWorldDef d = free_def("implicit-midpoint", 5e-3, 1e-10);
            vvWorld *w = new_world(&d);
            vvBodyDef def = vvDefaultBodyDef();
            def.material = hinge(1.2e7, 0, 0), def.material.model = kinds[k]; /* D = 1 of 0.01 m, 8 of 0.02 */
            def.triangleThickness = (const double[]){ left, left, right, right };
            add_mesh(w, &mesh, &def);
            assert_ok(vvWorldBake(w, &error));
            memcpy(x, w->rest, 3 * (size_t)w->nodes * sizeof *x);
            x[13] += 0.02, x[16] += 0.02, x[1] += 0.01, x[4] += 0.01; /* both cells turn about the crease */
            e[n] = vv_system_energy(&w->system, x);
            double stiffness = 0.01 / (0.005 / (left * left * left * 1e6) + 0.005 / (right * right * right * 1e6));
            double angle = atan2(0.02, 0.1) + atan2(0.01, 0.1);
            if (k == 0)
                assert_near(e[n], 0.5 * stiffness * angle * angle, 1e-12);
            vvWorldDestroy(w);
        }
        assert_true(e[1] > 1.1 * e[0] && e[2] > 1.1 * e[0]);
        if (k)
            assert_near(e[1] + e[2], 9 * e[0], 1e-12 * e[1]);
    }
}

/* Signed as the crease's ridge seen from the side of the left cell's normals, which is y. */
static double crease(const double *x) { return -atan2(x[13] - x[7], x[12] - x[6]); }

static void settle_creased(const char *kind, bool turned, bool flat, double angle, double *x)
{
    vvError error = { 0 };
    vvMesh mesh = strip(turned);
    vvWorldDef d = free_def("backward-euler", 1e-2, 1e-9);
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    vvMaterialDef bending = hinge(1e7, 0.3, 0.005);
    bending.model = kind, bending.flat = flat;
    def.material.model = "hooke", def.material.density = 0.5, def.material.springStiffness = 1000;
    def.moreMaterials = &bending, def.moreMaterialCount = 1;
    def.restAngles = &(vvRestAngle){ 3, 2, angle }, def.restAngleCount = 1;
    vvBodyId id = add_mesh(w, &mesh, &def);
    vvAttachDef a = vvDefaultAttachDef();
    a.where = (vvRegion){ .kind = VV_REGION_VERTICES, .list = (int[]){ 0, 1, 2, 3 }, .listCount = 4 };
    attach(w, id, &a);
    assert_ok(vvWorldSettle(w, true, NULL, &error));
    memcpy(x, w->state.q, 18 * sizeof *x);
    assert_near(vv_system_energy(&w->system, w->state.q), 0, 1e-10);
    vvWorldDestroy(w);
}

/* A flat sheet with a crease at another angle goes there, whatever the mesh's triangles face. */
static void creases(void **state)
{
    (void)state;
    static const double angles[] = { 1, -0.7, 2.2, -2 };
    for (int k = 0; k < KINDS; k++)
        for (int n = 0; n < 4; n++)
            for (int turned = 0; turned < 2; turned++) {
                double x[18];
                settle_creased(kinds[k], turned, n % 2, angles[n], x);
                print_message("%s, %g%s: %.9g\n", kinds[k], angles[n], turned ? ", turned" : "", crease(x));
                assert_near(crease(x), angles[n], 1e-6);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(equal_triangles), cmocka_unit_test(two_thicknesses),
                                        cmocka_unit_test(creases) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

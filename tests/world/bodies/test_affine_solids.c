/* Affine bodies of the material model "affine": mass, centre and inertia are those of the solid that the surface
 * bounds; surfaces that bound none are refused in words; placing, regions, materials, snapshots, saved states,
 * removing; the rigid motion of any body. */
#include "live_support.h"
#include "solid_support.h"
#include "visviva/query.h"
#include "visviva/settings.h"

/* J w, J = tr(second) I - second */
static void turn(const solid *m, const double spin[3], double momentum[3])
{
    for (int i = 0; i < 3; i++) {
        momentum[i] = (m->second[0] + m->second[4] + m->second[8]) * spin[i];
        for (int j = 0; j < 3; j++)
            momentum[i] -= m->second[3 * i + j] * spin[j];
    }
}

/* Mass, centre, and by the energy and momentum of spins about three skew axes all moments of inertia. */
static void expect_solid(surface *s, const solid *m, double tolerance)
{
    static const double spins[3][6] = { { 1, 0, 0, NAN, NAN, NAN },
                                        { 0.3, -2, 0, NAN, NAN, NAN },
                                        { 1, 1, 3, NAN, NAN, NAN } };
    for (int i = 0; i < 3; i++) {
        vvError error = { 0 };
        vvBodyMeasures got;
        double momentum[3], energy = 0;
        vvWorldDef d = free_def("implicit-midpoint", 1e-3, 1e-9);
        vvBodyDef def = affine_def();
        vvWorld *w = new_world(&d);
        vvBodyId body = add_solid(w, s, &def);
        set_state(w, body, "angular", spins[i]);
        assert_ok(vvWorldBake(w, &error));
        assert_int_equal(vvWorldNodeCount(w), 4);
        assert_ok(vvBodyMeasure(w, body, &got, &error));
        assert_near(got.mass, m->mass, tolerance * m->mass);
        turn(m, spins[i], momentum);
        for (int k = 0; k < 3; k++)
            energy += 0.5 * momentum[k] * spins[i][k];
        for (int k = 0; k < 3; k++) {
            assert_near(got.centre[k], m->centre[k], tolerance);
            assert_near(got.momentum[k], 0, 1e-12 * m->mass);
            assert_near(got.angularMomentum[k], momentum[k], tolerance * norm3(momentum));
        }
        assert_near(ledger(w).kinetic, energy, tolerance * energy);
        vvWorldDestroy(w);
    }
}

static void moments(void **state)
{
    (void)state;
    static surface all[4];
    static const double zero[3] = { 0.2, -0.1, 3 }, size[3] = { 0.3, 0.1, 0.2 };
    const double ro = 700;
    memset(all, 0, sizeof all);
    put_block(all, zero, size, false);
    solid box = { ro * 0.006,
                  { 0.35, -0.05, 3.1 },
                  { ro * 0.006 * 0.09 / 12, 0, 0, 0, ro * 0.006 * 0.01 / 12, 0, 0, 0, ro * 0.006 * 0.04 / 12 } };
    expect_solid(all, &box, 1e-11);
    put_corner(all + 1, 0.1); /* three cubes of 1 kg x 0.7: centres (1/2, 1/2), (3/2, 1/2), (1/2, 3/2), height 1/2 */
    solid corner = { 2.1, { 0.25 / 3, 0.25 / 3, 0.05 }, { 0 } };
    const double own = 0.7 * 0.01 / 12, apart = 0.7 * 0.01 * 2 / 3, skew = -0.7 * 0.01 / 3;
    memcpy(corner.second, (double[]){ 3 * own + apart, skew, 0, skew, 3 * own + apart, 0, 0, 0, 3 * own },
           sizeof corner.second);
    expect_solid(all + 1, &corner, 1e-11);
    put_sphere(all + 2, 0.1);
    for (int v = 0; v < all[2].vertices; v++)
        all[2].x[3 * v] *= 2, all[2].x[3 * v + 2] *= 0.3;
    solid egg = measure(all + 2, ro);
    expect_solid(all + 2, &egg, 1e-11);
    put_torus(all + 3, 0.1, 0.03, 40, 24);
    solid torus = measure(all + 3, ro);
    expect_solid(all + 3, &torus, 1e-11);
    /* of the smooth torus */
    const double full = ro * 2 * PI * PI * 0.1 * 0.03 * 0.03, axial = full * (0.01 + 0.75 * 0.0009);
    assert_near(torus.mass, full, 0.03 * full);
    assert_near(torus.second[0] + torus.second[8], axial, 0.05 * axial);
}

static void parts_and_cavities(void **state)
{
    (void)state;
    static surface two, hollow;
    two = hollow = (surface){ 0 };
    put_block(&two, (double[]){ 0, 0, 0 }, (double[]){ 0.1, 0.1, 0.1 }, false);
    put_block(&two, (double[]){ 0.4, 0.1, 0 }, (double[]){ 0.1, 0.2, 0.1 }, false);
    solid m = measure(&two, 700);
    assert_near(m.mass, 700 * 3e-3, 1e-12);
    expect_solid(&two, &m, 1e-11);
    put_block(&hollow, (double[]){ 0, 0, 0 }, (double[]){ 0.1, 0.1, 0.1 }, false);
    put_block(&hollow, (double[]){ 0.01, 0.01, 0.01 }, (double[]){ 0.08, 0.05, 0.08 }, true);
    m = measure(&hollow, 700);
    assert_near(m.mass, 700 * (1e-3 - 3.2e-4), 1e-12);
    expect_solid(&hollow, &m, 1e-11);
}

/* ---- what is refused ---- */

static void open_box(vvBodyDef *def, vvMesh *mesh) { (void)def, mesh->triangleCount--; }
static void inside_out(vvBodyDef *def, vvMesh *mesh)
{
    (void)def;
    for (int t = 0; t < mesh->triangleCount; t++) {
        int *v = mesh->triangles + 3 * t, first = v[0];
        v[0] = v[1], v[1] = first;
    }
}
static void one_turned(vvBodyDef *def, vvMesh *mesh)
{
    mesh->triangleCount = 1, inside_out(def, mesh), mesh->triangleCount = 12;
}
static void flat_triangle(vvBodyDef *def, vvMesh *mesh)
{
    (void)def;
    memcpy(mesh->positions + 21, mesh->positions + 15, 3 * sizeof *mesh->positions); /* vertex 7 onto vertex 5 */
}
static void flat_box(vvBodyDef *def, vvMesh *mesh)
{
    (void)def;
    for (int v = 0; v < 8; v++)
        mesh->positions[3 * v + 1] = 0;
}
static void no_triangles(vvBodyDef *def, vvMesh *mesh) { (void)def, mesh->triangleCount = 0; }
static void no_list(vvBodyDef *def, vvMesh *mesh) { (void)def, mesh->triangles = NULL; }
static void no_positions(vvBodyDef *def, vvMesh *mesh) { (void)def, mesh->positions = NULL; }
static void wrong_vertex(vvBodyDef *def, vvMesh *mesh) { (void)def, mesh->triangles[4] = 8; }
static void not_a_number(vvBodyDef *def, vvMesh *mesh) { (void)def, mesh->positions[4] = NAN; }
static void no_mesh(vvBodyDef *def, vvMesh *mesh) { (void)mesh, def->mesh = NULL; }
static void with_surface(vvBodyDef *def, vvMesh *mesh) { def->surface = mesh; }
static void with_lame(vvBodyDef *def, vvMesh *mesh) { (void)mesh, def->material.lame = true, def->material.mu = 1; }
static void without_young(vvBodyDef *def, vvMesh *mesh) { (void)mesh, def->material.young = 0; }
static void flattened(vvBodyDef *def, vvMesh *mesh) { (void)mesh, def->scale[1] = 0; }

static void refused(void **state)
{
    (void)state;
    static const struct {
        void (*change)(vvBodyDef *def, vvMesh *mesh);
        const char *word;
    } rows[] = { { open_box, "open at 3 edges" },
                 { inside_out, "faces inwards" },
                 { one_turned, "reversed" },
                 { flat_triangle, "without area" },
                 { flat_box, "" },
                 { no_triangles, "" },
                 { no_list, "" },
                 { no_positions, "" },
                 { wrong_vertex, "" },
                 { not_a_number, "" },
                 { no_mesh, "" },
                 { with_surface, "carried surface" },
                 { with_lame, "young" },
                 { without_young, "young" },
                 { flattened, "" } };
    vvWorldDef d = free_def("backward-euler", 1e-2, 1e-3);
    vvWorld *w = new_world(&d);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static surface s;
        s = (surface){ 0 };
        put_block(&s, (double[]){ 0, 0, 0 }, (double[]){ 1, 1, 1 }, false);
        vvError error = { 0 };
        vvMesh mesh = mesh_of(&s);
        vvBodyDef def = affine_def();
        def.mesh = &mesh;
        rows[i].change(&def, &mesh);
        expect(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT, &error, rows[i].word);
        assert_true(strlen(error.message) > 20);
    }
    static surface crossing, within;
    vvError error = { 0 };
    vvBodyDef def = affine_def();
    crossing = within = (surface){ 0 };
    vvMesh mesh;
    put_block(&crossing, (double[]){ 0, 0, 0 }, (double[]){ 1, 1, 1 }, false);
    put_block(&crossing, (double[]){ 0.5, 0.3, 0.2 }, (double[]){ 1, 1, 1 }, false);
    mesh = mesh_of(&crossing), def.mesh = &mesh;
    expect(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT, &error, "passes through itself");
    put_block(&within, (double[]){ 0, 0, 0 }, (double[]){ 1, 1, 1 }, false);
    put_block(&within, (double[]){ 0.1, 0.1, 0.1 }, (double[]){ 0.5, 0.5, 0.5 }, false); /* counts twice */
    mesh = mesh_of(&within), def.mesh = &mesh;
    expect(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT, &error, "faces inwards in 1 of 2 parts");
    assert_int_equal(vvWorldBodyCount(w), 0);
    vvWorldDestroy(w);
}

/* ---- placing, regions, materials ---- */

static double *drawn(const vvWorld *w, vvBodyId body, const double *nodes)
{
    vvError error = { 0 };
    vvBodySurface s;
    vvBodyGetSurface(w, body, &s);
    double *x = malloc(3 * (size_t)s.vertexCount * sizeof *x);
    assert_non_null(x);
    assert_ok(vvBodySurfacePositions(w, body, nodes, x, &error));
    return x;
}

/* A placed surface flies as the surface that is there already; and it is drawn where it was placed. */
static void placed(void **state)
{
    (void)state;
    static surface moved, plain;
    const double scale[3] = { 1, 2, 0.5 }, shift[3] = { 0.3, -1, 0.2 }, cosine = cos(PI / 6), sine = sin(PI / 6);
    moved = plain = (surface){ 0 };
    put_corner(&plain, 0.1);
    put_corner(&moved, 0.1);
    for (double *x = moved.x; x < moved.x + 36; x += 3) { /* 30 degrees about y */
        const double a = scale[0] * x[0], b = scale[1] * x[1], c = scale[2] * x[2];
        x[0] = cosine * a + sine * c + shift[0], x[1] = b + shift[1], x[2] = -sine * a + cosine * c + shift[2];
    }
    vvError error = { 0 };
    vvWorldDef d = free_def("implicit-midpoint", 1e-3, 1e-11);
    vvBodyDef def = affine_def();
    vvWorld *w = new_world(&d);
    vvBodyId a = add_solid(w, &moved, &def);
    memcpy(def.scale, scale, sizeof scale), memcpy(def.translate, shift, sizeof shift), def.rotate[1] = 30;
    vvBodyId b = add_solid(w, &plain, &def);
    set_state(w, a, "angular", (double[]){ 2, 1, -3, NAN, NAN, NAN });
    set_state(w, b, "angular", (double[]){ 2, 1, -3, NAN, NAN, NAN });
    assert_ok(vvWorldBake(w, &error));
    double *rest = drawn(w, b, vvWorldRestPositions(w));
    for (int i = 0; i < 36; i++)
        assert_near(rest[i], moved.x[i], 1e-13);
    steps(w, 50);
    double *x = drawn(w, a, NULL), *y = drawn(w, b, NULL), far = 0;
    for (int i = 0; i < 36; i++) {
        assert_near(x[i], y[i], 1e-10);
        far = fmax(far, fabs(x[i] - rest[i]));
    }
    assert_true(far > 0.01);
    free(rest), free(x), free(y);
    vvWorldDestroy(w);
}

static void regions_and_materials(void **state)
{
    (void)state;
    static surface s;
    s = (surface){ 0 };
    put_corner(&s, 0.1);
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 1e-2, 1e-6);
    vvBodyDef def = affine_def();
    vvWorld *w = new_world(&d);
    vvBodyId id = add_solid(w, &s, &def);
    vvRegion box = { .kind = VV_REGION_BOX, .a = { 0, 0, 0 }, .b = { 0.2, 0.2, 0.1 } }, part = box,
             all = { .kind = VV_REGION_ALL };
    part.b[0] = 0.19;
    assert_int_equal(vvBodySelect(w, id, &all, NULL, 0), 4);
    assert_int_equal(vvBodySelect(w, id, &box, NULL, 0), 4); /* its nodes are not all within */
    assert_int_equal(vvBodySelect(w, id, &part, NULL, 0), 0);
    vvAttachDef hold = vvDefaultAttachDef();
    hold.where = part;
    expect(vvBodyAttach(w, id, &hold, NULL, &error), VV_ERROR_INPUT, &error, "affine body is held as a whole");
    vvMaterialDef m = def.material;
    vvBodyMeasures before, after;
    assert_ok(vvWorldBake(w, &error));
    assert_ok(vvBodyMeasure(w, id, &before, &error));
    m.density *= 3, m.young = 5e6;
    assert_ok(vvBodySetMaterial(w, id, 0, &m, &error));
    assert_ok(vvBodyMeasure(w, id, &after, &error));
    assert_near(after.mass, 3 * before.mass, 1e-12 * after.mass);
    m = material("stvk", 1e5);
    expect(vvBodySetMaterial(w, id, 0, &m, &error), VV_ERROR_INPUT, &error, "affine");
    vvBodyId soft = add_cube(w, 0.1, 1, &m);
    m = vvDefaultMaterialOf("affine");
    expect(vvBodySetMaterial(w, soft, 0, &m, &error), VV_ERROR_INPUT, &error, "affine");
    assert_false(vvBodyIsAffine(w, soft));
    vvWorldDestroy(w);
}

/* Its energy is E/8 V |F^T F - I|^2: of a stretch by 1% along x. */
static void stiffness(void **state)
{
    (void)state;
    static surface s;
    s = (surface){ 0 };
    put_corner(&s, 0.1);
    for (int k = 0; k < 2; k++) {
        vvError error = { 0 };
        vvWorldDef d = free_def("backward-euler", 1e-2, 1e-6);
        vvBodyDef def = affine_def();
        def.material.young = k ? 4e6 : def.material.young;
        vvWorld *w = new_world(&d);
        vvBodyId id = add_solid(w, &s, &def);
        double *x = copy_of(vvWorldPositions(w), 12), c = 1.01 * 1.01 - 1;
        for (int i = 0; i < 12; i += 3)
            x[i] *= 1.01;
        assert_ok(vvBodySetState(w, id, x, NULL, &error));
        assert_near(ledger(w).elastic, (k ? 4e6 : 1e8) / 8 * 0.003 * c * c, 1e-9 * (k ? 4e6 : 1e8));
        free(x);
        vvWorldDestroy(w);
    }
}

/* ---- the rigid motion of any body ---- */

static void transforms(void **state)
{
    (void)state;
    static surface s;
    s = (surface){ 0 };
    put_torus(&s, 0.1, 0.03, 12, 8);
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 1e-2, 1e-6);
    vvBodyDef def = affine_def(), fixed = vvDefaultBodyDef();
    vvMaterialDef soft = material("arap", 1e5), spring = material("hooke", 0);
    spring.springStiffness = 10;
    vvWorld *w = new_world(&d);
    vvBodyId bodies[4] = { add_solid(w, &s, &def), add_cube(w, 0.2, 2, &soft) };
    fixed.kinematic = true;
    bodies[2] = add_box_def(w, (double[]){ 0.1, 0.2, 0.3 }, (int[]){ 1, 1, 1 }, 6, &fixed);
    bodies[3] = add_edges(w, 3, (double[]){ 0, 0, 0, 0, 0, 1, 0, 0, 2 }, 2, (int[]){ 0, 1, 1, 2 }, &spring);
    assert_ok(vvWorldBake(w, &error));
    const int count = vvWorldNodeCount(w);
    const double *rest = vvWorldRestPositions(w), shift[3] = { 0.5, -2, 7 }, spin[4] = { 0.3, 0.9, 2.2, 3.14159 };
    double *x = copy_of(rest, 3 * count);
    for (int turn = 0; turn < 4; turn++) {
        const double a[3] = { 2.0 / 7, -3.0 / 7, 6.0 / 7 }, c = cos(spin[turn]), sn = sin(spin[turn]);
        double r[9];
        for (int i = 0; i < 9; i++)
            r[i] = c * (i % 4 == 0) + (1 - c) * a[i / 3] * a[i % 3] +
                   sn * (i == 7   ? a[0]
                         : i == 5 ? -a[0]
                         : i == 2 ? a[1]
                         : i == 6 ? -a[1]
                         : i == 3 ? a[2]
                         : i == 1 ? -a[2]
                                  : 0);
        for (int i = 0; i < 3 * count; i++) {
            x[i] = shift[i % 3];
            for (int k = 0; k < 3; k++)
                x[i] += r[3 * (i % 3) + k] * rest[3 * (i / 3) + k];
        }
        for (int b = 0; b < 4; b++) {
            vvTransform t;
            int first, nodes;
            assert_ok(vvBodyTransform(w, bodies[b], x, &t, &error));
            vvBodyNodes(w, bodies[b], &first, &nodes);
            for (int i = 3 * first; i < 3 * (first + nodes); i++) {
                double at = t.translation[i % 3];
                for (int k = 0; k < 3; k++)
                    at += t.rotation[3 * (i % 3) + k] * rest[3 * (i / 3) + k];
                assert_near(at, x[i], 1e-12);
            }
            for (int i = 0; b < 3 && i < 9; i++)
                assert_near(t.rotation[i], r[i], 1e-11);
            const double *q = t.quaternion;
            assert_near(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 1e-14);
            assert_near(t.rotation[7] - t.rotation[5], 4 * q[0] * q[1], 1e-13);
        }
    }
    vvTransform t;
    assert_ok(vvBodyTransform(w, bodies[3], NULL, &t, &error)); /* a line that does not move does not roll */
    for (int i = 0; i < 9; i++)
        assert_near(t.rotation[i], i % 4 == 0, 1e-14);
    expect(vvBodyTransform(w, (vvBodyId){ 0, 0 }, x, &t, &error), VV_ERROR_INPUT, &error, "no such body");
    expect(vvBodyTransform(w, bodies[0], x, NULL, &error), VV_ERROR_INPUT, &error, "NULL");
    free(x);
    vvWorldDestroy(w);
}

/* ---- going back, going on, going away ---- */

static vvWorld *two_on_ground(vvBodyId ids[2])
{
    static surface ring, corner;
    ring = corner = (surface){ 0 };
    put_torus(&ring, 0.1, 0.03, 12, 8);
    put_corner(&corner, 0.05);
    vvWorldDef d = free_def("backward-euler", 5e-3, 1e-4);
    d.gravity[1] = -9.8, d.contact.model = "barrier", d.contact.friction = 0.3, d.integrator.policy = "search";
    vvWorld *w = new_world(&d);
    vvBodyDef def = affine_def();
    def.translate[1] = 0.035;
    ids[0] = add_solid(w, &ring, &def);
    def.translate[1] = 0.0925, def.rotate[0] = 30;
    ids[1] = add_solid(w, &corner, &def);
    obstacle(w, "plane", (double[]){ 0, 0, 0, 0, 1, 0 }, 0.3);
    return w;
}

static void same_bits(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvBodyId ids[2], others[2];
    vvWorld *w = two_on_ground(ids), *other = two_on_ground(others);
    vvSnapshot *snapshot = NULL;
    steps(w, 8);
    assert_ok(vvWorldSnapshot(w, &snapshot, &error));
    const size_t size = vvWorldStateSize(w);
    void *saved = malloc(size);
    assert_non_null(saved);
    assert_ok(vvWorldSaveState(w, saved, size, &error));
    steps(w, 8);
    double *end = copy_of(vvWorldPositions(w), 24);
    assert_ok(vvWorldRestore(w, snapshot, &error));
    steps(w, 8);
    assert_memory_equal(vvWorldPositions(w), end, 24 * sizeof *end);
    assert_ok(vvWorldBake(other, &error));
    assert_ok(vvWorldLoadState(other, saved, size, &error));
    steps(other, 8);
    assert_memory_equal(vvWorldPositions(other), end, 24 * sizeof *end);
    assert_ok(vvWorldRemoveBody(other, others[0], &error)); /* the other one stays as it is, and falls */
    assert_false(vvBodyIsAffine(other, others[0]));
    assert_true(vvBodyIsAffine(other, others[1]));
    assert_memory_equal(vvWorldPositions(other), end + 12, 12 * sizeof *end);
    steps(other, 4);
    assert_int_equal(vvWorldNodeCount(other), 4);
    free(saved), free(end);
    vvSnapshotDestroy(snapshot);
    vvWorldDestroy(w);
    vvWorldDestroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments),    cmocka_unit_test(parts_and_cavities), cmocka_unit_test(refused),
        cmocka_unit_test(placed),     cmocka_unit_test(stiffness),          cmocka_unit_test(regions_and_materials),
        cmocka_unit_test(transforms), cmocka_unit_test(same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

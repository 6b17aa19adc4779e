/* Cloth of springs as in the papers: how many there are, what joins what, and that a mesh's own bend springs go
 * wherever its body goes. */
#include "live_support.h"
#include "positional.h"

static vvMesh weave(double x, double z, int nx, int nz)
{
    vvMesh mesh = { 0 };
    vvError error = { 0 };
    assert_ok(generate_mesh("weave", (double[]){ x, z, nx, nz }, &mesh, &error));
    return mesh;
}

static vvBodyDef cloth_of(const char *model, double stretch, double bend)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.material.model = model;
    def.material.springStiffness = stretch, def.material.bendStiffness = bend;
    def.material.totalMass = 1;
    return def;
}

static vvWorld *still_world(void)
{
    vvWorldDef d = free_def("implicit-midpoint", 1e-2, 1e-9);
    return new_world(&d);
}

static vvBodyElements elements_of(const vvWorld *w, vvBodyId body)
{
    vvBodyElements e;
    vvBodyGetElements(w, body, &e);
    return e;
}

static void hold(vvWorld *w, vvBodyId body, const int *list, int count)
{
    vvAttachDef a = vvDefaultAttachDef();
    a.where = (vvRegion){ .kind = VV_REGION_VERTICES, .list = list, .listCount = count };
    a.kind = VV_ATTACH_SPRING, a.stiffness = 80;
    attach(w, body, &a);
}

/* The numbers of springs in the tables of three papers, attachments included. */
static void counts_are_the_papers(void **state)
{
    (void)state;
    static const struct {
        int nx, nz, springs;
        bool ends; /* held at both ends, else at two corners */
    } all[] = {
        { 101, 101, 50200, false }, { 61, 61, 18120, false }, { 80, 80, 31363, false }, { 241, 21, 24300, true }
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        int nx = all[i].nx, nz = all[i].nz, list[128], count = 0;
        vvWorld *w = still_world();
        vvMesh mesh = weave(1, 1, nx - 1, nz - 1);
        vvBodyDef def = cloth_of("hooke", 80, 20);
        vvBodyId body = add_mesh(w, &mesh, &def);
        for (int k = 0; k < nz; k++)
            if (all[i].ends || k == 0 || k == nz - 1) {
                list[count++] = k;
                if (all[i].ends)
                    list[count++] = (nx - 1) * nz + k;
            }
        assert_int_equal(elements_of(w, body).attachmentSpringCount, 0);
        hold(w, body, list, count);
        vvBodyElements e = elements_of(w, body);
        assert_int_equal(vvWorldNodeCount(w), nx * nz);
        assert_int_equal(e.attachmentSpringCount, count);
        assert_int_equal(e.springCount + e.attachmentSpringCount, all[i].springs);
        vvWorldDestroy(w);
    }
}

/* Without a stiffness there are no bend springs; in other meshes they go across hinges, one for each inner edge. */
static void bend_springs_of_other_meshes(void **state)
{
    (void)state;
    vvError error = { 0 };
    for (int bend = 0; bend < 2; bend++)
        for (int kind = 0; kind < 3; kind++) {
            static const char *const names[] = { "disk", "cloth", "weave" };
            vvWorld *w = still_world();
            vvMesh mesh = { 0 };
            /* the disk: radius 1, 2 rings */
            assert_ok(generate_mesh(names[kind], (double[]){ 1, 2, 3, 4 }, &mesh, &error));
            int inner = kind == 0 ? 30 : 3 * 4 + 2 * 4 + 3 * 3, skip = 2 * 5 + 4 * 3;
            vvBodyDef def = cloth_of("hooke", 80, 20 * bend);
            vvBodyId body = add_mesh(w, &mesh, &def);
            vvBodyElements e = elements_of(w, body);
            assert_int_equal(e.springCount, e.edgeCount + bend * (kind == 2 ? skip : inner));
            vvWorldDestroy(w);
        }
}

/* Energy of the pairs that stand next to each other, found from the grid alone. */
static double energy_by_hand(const double *rest, const double *x, int nx, int nz, bool stvk, double stretch,
                             double bend)
{
    static const int steps[5][2] = { { 1, 0 }, { 0, 1 }, { 1, 1 }, { 2, 0 }, { 0, 2 } };
    double sum = 0;
    for (int i = 0; i < nx; i++)
        for (int k = 0; k < nz; k++)
            for (int s = 0; s < 5; s++) {
                int other[2] = { i + steps[s][0], k + steps[s][1] };
                if (other[0] >= nx || other[1] >= nz)
                    continue;
                size_t a = 3 * (size_t)(i * nz + k), b = 3 * (size_t)(other[0] * nz + other[1]);
                double l = distance3(x + a, x + b), r = distance3(rest + a, rest + b), e = stvk ? l * l - r * r : l - r;
                sum += 0.5 * (s < 3 ? stretch : bend) * e * e;
            }
    return sum;
}

static void energy_is_that_of_the_grid(void **state)
{
    (void)state;
    enum { NX = 6, NZ = 4 };
    for (int stvk = 0; stvk < 2; stvk++) {
        vvError error = { 0 };
        vvWorld *w = still_world();
        vvMesh mesh = weave(1.5, 0.8, NX - 1, NZ - 1);
        vvBodyDef def = cloth_of(stvk ? "stvk-spring" : "hooke", 70, 30);
        vvBodyId body = add_mesh(w, &mesh, &def);
        int count = vvWorldNodeCount(w);
        double *rest = copy_of(vvWorldPositions(w), 3 * count), *x = copy_of(rest, 3 * count);
        for (int i = 0; i < 3 * count; i++)
            x[i] += 0.05 * sin(7.0 * i + i * i);
        assert_ok(vvBodySetState(w, body, x, NULL, &error));
        double expected = energy_by_hand(rest, x, NX, NZ, stvk, 70, 30);
        assert_true(expected > 1e-3);
        assert_near(ledger(w).elastic, expected, 1e-12 * expected);
        free(rest);
        free(x);
        vvWorldDestroy(w);
    }
}

/* In place of a grid: every edge, and every two triangles that share one. */
static double energy_of_triangles(const vvBodyElements *e, const double *rest, const double *x, double stretch,
                                  double bend)
{
    double sum = 0;
    for (int i = 0; i < e->edgeCount; i++) {
        size_t a = 3 * (size_t)e->edges[2 * i], b = 3 * (size_t)e->edges[2 * i + 1];
        sum += 0.5 * stretch * pow(distance3(x + a, x + b) - distance3(rest + a, rest + b), 2);
    }
    for (int s = 0; s < e->triangleCount; s++)
        for (int t = 0; t < s; t++) {
            int shared = 0, outer[2] = { 0, 0 };
            for (int i = 0; i < 3; i++) {
                bool in[2] = { false, false };
                for (int j = 0; j < 3; j++) {
                    in[0] = in[0] || e->triangles[3 * s + i] == e->triangles[3 * t + j];
                    in[1] = in[1] || e->triangles[3 * t + i] == e->triangles[3 * s + j];
                }
                shared += in[0];
                outer[0] = in[0] ? outer[0] : e->triangles[3 * s + i];
                outer[1] = in[1] ? outer[1] : e->triangles[3 * t + i];
            }
            size_t a = 3 * (size_t)outer[0], b = 3 * (size_t)outer[1];
            if (shared == 2)
                sum += 0.5 * bend * pow(distance3(x + a, x + b) - distance3(rest + a, rest + b), 2);
        }
    return sum;
}

static void energy_is_that_of_hinges(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = still_world();
    vvMesh mesh = { 0 };
    assert_ok(generate_mesh("disk", (double[]){ 1, 3 }, &mesh, &error));
    vvBodyDef def = cloth_of("hooke", 70, 30);
    vvBodyId body = add_mesh(w, &mesh, &def);
    int count = vvWorldNodeCount(w);
    double *rest = copy_of(vvWorldPositions(w), 3 * count), *x = copy_of(rest, 3 * count);
    for (int i = 0; i < 3 * count; i++)
        x[i] += 0.05 * sin(7.0 * i + i * i);
    assert_ok(vvBodySetState(w, body, x, NULL, &error));
    vvBodyElements e = elements_of(w, body);
    double expected = energy_of_triangles(&e, rest, x, 70, 30);
    assert_near(ledger(w).elastic, expected, 1e-12 * expected);
    free(rest);
    free(x);
    vvWorldDestroy(w);
}

/* A snapshot brings bend springs back; a second body's have its own nodes. */
static void they_go_with_the_body(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w = still_world();
    vvBodyDef def = cloth_of("hooke", 50, 40);
    vvMesh mesh = weave(1, 1, 3, 3);
    vvBodyId first = add_mesh(w, &mesh, &def);
    def.translate[1] = 3;
    mesh = weave(1, 1, 3, 2);
    vvBodyId second = add_mesh(w, &mesh, &def);
    set_state(w, second, "stretch", (double[]){ 1.2, 1, 1, NAN, NAN, NAN });
    set_state(w, first, "stretch", (double[]){ 1.1, 1, 1, NAN, NAN, NAN });
    double before = ledger(w).elastic, second_before = vvWorldBodyEnergies(w)[1];
    vvSnapshot *s = NULL;
    assert_ok(vvWorldSnapshot(w, &s, &error));
    assert_ok(vvWorldRemoveBody(w, first, &error));
    assert_ok(vvWorldBake(w, &error));
    ledger(w);
    step(w);
    assert_ok(vvWorldRestore(w, s, &error));
    assert_ok(vvWorldBake(w, &error));
    assert_true(ledger(w).elastic == before);
    assert_int_equal(elements_of(w, second).springCount - elements_of(w, second).edgeCount, 2 * 3 + 4 * 1);
    assert_ok(vvWorldRemoveBody(w, first, &error));
    assert_ok(vvWorldBake(w, &error));
    assert_near(ledger(w).elastic, second_before, 1e-12 * second_before); /* its springs have other node numbers now */
    vvSnapshotDestroy(s);
    vvWorldDestroy(w);
}

/* A state of a body with bend springs of its own is not one of a body without. */
static void states_tell_them_apart(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorld *w[2] = { still_world(), still_world() };
    for (int i = 0; i < 2; i++) {
        vvBodyDef def = cloth_of("hooke", 50, 40);
        vvMesh mesh = weave(1, 1, 3, 3);
        mesh.bendCount -= i; /* the same but one pair */
        add_mesh(w[i], &mesh, &def);
        assert_ok(vvWorldBake(w[i], &error));
    }
    size_t size = vvWorldStateSize(w[0]);
    void *buffer = malloc(size);
    assert_ok(vvWorldSaveState(w[0], buffer, size, &error));
    assert_ok(vvWorldLoadState(w[0], buffer, size, &error));
    assert_int_equal(vvWorldLoadState(w[1], buffer, size, &error), VV_ERROR_INPUT);
    free(buffer);
    vvWorldDestroy(w[0]);
    vvWorldDestroy(w[1]);
}

static vvMesh strip(double *x, int *triangles, int *bends, int count)
{
    return (vvMesh){
        .vertexCount = 7, .triangleCount = 2, .positions = x, .triangles = triangles, .bendCount = count, .bends = bends
    };
}

/* Finishing keeps pairs with their vertices, and drops those that have lost one. */
static void finishing_keeps_pairs(void **state)
{
    (void)state;
    vvError error = { 0 };
    /* vertex 0 has no element; 5 stands where 1 does; 6 is loose */
    double x[21] = { 9, 9, 9, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 1, 0, 0, 0, 5, 5, 5 };
    int triangles[6] = { 1, 3, 2, 2, 3, 4 }, bends[12] = { 1, 4, 0, 2, 4, 5, 5, 1, 3, 6, 2, 3 };
    vvMesh mesh, given = strip(x, triangles, bends, 6);
    assert_ok(vvMeshCopy(&given, &mesh, &error));
    assert_memory_equal(mesh.bends, bends, sizeof bends);
    assert_ok(vvMeshFinish(&mesh, NULL, &error));
    assert_int_equal(mesh.vertexCount, 4);
    assert_int_equal(mesh.bendCount, 2); /* (1, 4), which is (4, 5) too, and (2, 3) */
    assert_memory_equal(mesh.bends, ((int[]){ 0, 3, 1, 2 }), 4 * sizeof(int));
    vvMeshDestroy(&mesh);
    assert_int_equal(mesh.bendCount, 0);
}

static void refuse_finish(const vvMesh *given, const char *says)
{
    vvError error = { 0 };
    vvMesh mesh = *given;
    assert_int_equal(vvMeshFinish(&mesh, NULL, &error), VV_ERROR_INPUT);
    if (!strstr(error.message, says))
        fail_msg("'%s' does not say '%s'", error.message, says);
}

static void refuse_body(const vvMesh *given, const char *model, const char *says)
{
    vvError error = { 0 };
    vvWorld *w = still_world();
    vvBodyDef def = cloth_of(model, 10, 10);
    def.mesh = given;
    assert_int_equal(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT);
    if (!strstr(error.message, says))
        fail_msg("'%s' does not say '%s'", error.message, says);
    vvWorldDestroy(w);
}

static void wrong_pairs_are_refused(void **state)
{
    (void)state;
    double x[21] = { 9, 9, 9, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 1, 0, 1, 0, 5, 5, 5 };
    int triangles[6] = { 1, 3, 2, 2, 3, 4 }, tet[4] = { 1, 2, 5, 3 }, points[2] = { 0, 1 }, bends[2] = { 1, 7 },
        twice[2] = { 3, 3 };
    vvMesh mesh = strip(x, triangles, bends, 1);
    refuse_finish(&mesh, "bend pair 0 has vertex index 7");
    refuse_body(&mesh, "hooke", "bend pair 0 names vertex 7");
    mesh.bends = twice;
    refuse_body(&mesh, "hooke", "bend pair 0 names vertex 3 twice");
    mesh.bends = NULL;
    refuse_finish(&mesh, "NULL");
    refuse_body(&mesh, "hooke", "bend pairs, but their array is NULL");
    bends[1] = 2;
    vvMesh solid = { .vertexCount = 7, .tetCount = 1, .positions = x, .tets = tet, .bendCount = 1, .bends = bends };
    refuse_finish(&solid, "1 bend pairs beside tets");
    solid.triangleCount = 2, solid.triangles = triangles;
    refuse_body(&solid, "arap", "bend pairs beside tetrahedra");
    vvMesh cloud = {
        .vertexCount = 7, .pointCount = 2, .positions = x, .points = points, .bendCount = 1, .bends = bends
    };
    refuse_finish(&cloud, "beside points");
    refuse_body(&cloud, "free", "bend pairs beside points");
    vvMesh copy, wrong = { .bendCount = -1 };
    vvError error;
    assert_int_equal(vvMeshCopy(&wrong, &copy, &error), VV_ERROR_INPUT);
    mesh.bendCount = -1;
    refuse_body(&mesh, "hooke", "-1 bend pairs");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_the_papers),      cmocka_unit_test(bend_springs_of_other_meshes),
        cmocka_unit_test(energy_is_that_of_the_grid), cmocka_unit_test(energy_is_that_of_hinges),
        cmocka_unit_test(they_go_with_the_body),      cmocka_unit_test(states_tell_them_apart),
        cmocka_unit_test(finishing_keeps_pairs),      cmocka_unit_test(wrong_pairs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

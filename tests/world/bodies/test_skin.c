/* Surfaces that bodies carry: they stand where the mesh stands, placed as it is, follow its motion, and bad ones are
 * refused. */
#include "world_support.h"

/* A fine ball around the coarse one, in the same coordinates. */
static vvMesh fine_surface(double radius)
{
    vvError error = { 0 };
    vvMesh mesh = { 0 };
    double values[2] = { radius, 9 };
    assert_ok(generate_mesh("ball", values, &mesh, &error));
    mesh.tetCount = 0; /* its boundary alone */
    assert_ok(vvMeshFinish(&mesh, NULL, &error));
    return mesh;
}

static vvBodyId add_carrier(vvWorld *w, const vvMesh *surface, const vvBodyDef *given)
{
    vvBodyDef def = *given;
    def.surface = surface;
    return add_ball(w, 0.05, 3, &def);
}

static void stands_where_it_is_placed(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 0.01, 1e-8);
    vvWorld *w = new_world(&d);
    vvMesh fine = fine_surface(0.05);
    vvBodyDef def = vvDefaultBodyDef();
    def.scale[1] = 2, def.rotate[2] = 90, def.translate[0] = 3;
    add_carrier(w, NULL, &def); /* nodes of another body come first */
    vvBodyId body = add_carrier(w, &fine, &def);
    vvBodySurface s;
    vvBodyGetSurface(w, body, &s);
    assert_int_equal(s.vertexCount, fine.vertexCount);
    assert_int_equal(s.triangleCount, fine.triangleCount);
    assert_memory_equal(s.triangles, fine.triangles, 3 * (size_t)fine.triangleCount * sizeof(int));
    double *x = malloc(3 * (size_t)s.vertexCount * sizeof *x);
    assert_non_null(x);
    assert_ok(vvBodySurfacePositions(w, body, NULL, x, &error));
    for (int v = 0; v < s.vertexCount; v++) {
        /* Rz(90): (x, y) -> (-y, x) */
        const double *p = fine.positions + 3 * v, want[3] = { 3 - 2 * p[1], p[0], p[2] };
        assert_near(distance3(x + 3 * v, want), 0, 1e-12);
        double sum = 0;
        for (int k = 0; k < 4; k++)
            sum += s.weights[4 * v + k];
        assert_near(sum, 1, 1e-12);
    }
    free(x);
    vvMeshDestroy(&fine);
    vvWorldDestroy(w);
}

/* After a deforming run each vertex is the weighted sum of the nodes, and lies near the body's own boundary. */
static void follows_the_body(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = vvDefaultWorldDef();
    vvWorld *w = new_world(&d);
    vvMesh fine = fine_surface(0.05);
    vvBodyDef def = vvDefaultBodyDef();
    def.material.young = 2e4;
    def.translate[1] = 0.06;
    vvBodyId body = add_carrier(w, &fine, &def);
    obstacle(w, "plane", NULL, 0);
    steps(w, 40);
    vvBodySurface s;
    vvBodyGetSurface(w, body, &s);
    double *x = malloc(3 * (size_t)s.vertexCount * sizeof *x);
    assert_non_null(x);
    assert_ok(vvBodySurfacePositions(w, body, NULL, x, &error));
    double lowest = INFINITY, highest = -INFINITY;
    for (int v = 0; v < s.vertexCount; v++) {
        double sum[3] = { 0 };
        for (int k = 0; k < 4; k++)
            for (int c = 0; c < 3; c++)
                sum[c] += s.weights[4 * v + k] * vvWorldPositions(w)[3 * s.nodes[4 * v + k] + c];
        assert_near(distance3(x + 3 * v, sum), 0, 1e-15);
        lowest = fmin(lowest, x[3 * v + 1]), highest = fmax(highest, x[3 * v + 1]);
    }
    assert_near(lowest, 0, 0.004);         /* it stands on the ground as the tets do */
    assert_less(highest - lowest, 0.0995); /* and is squeezed with them */
    free(x);
    vvMeshDestroy(&fine);
    vvWorldDestroy(w);
}

static void refused(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 0.01, 1e-8);
    vvWorld *w = new_world(&d);
    vvMesh ball = { 0 }, cloth = { 0 }, fine = fine_surface(0.08), none = { 0 };
    assert_ok(vvMeshGenerate("ball", NULL, 0, &ball, &error));
    assert_ok(vvMeshGenerate("cloth", NULL, 0, &cloth, &error));
    vvBodyDef def = vvDefaultBodyDef();
    def.mesh = &ball, def.surface = &fine;
    assert_int_equal(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "outside the tets"));
    def.surface = &none;
    assert_int_equal(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT);
    def.mesh = &cloth, def.surface = &cloth, def.material.model = "hooke";
    assert_int_equal(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "tetrahedra"));
    assert_int_equal(vvWorldBodyCount(w), 0);

    def.surface = NULL;
    vvBodyId body;
    assert_ok(vvWorldAddBody(w, &def, &body, &error));
    double x[3];
    assert_int_equal(vvBodySurfacePositions(w, body, NULL, x, &error), VV_ERROR_INPUT);
    assert_int_equal(vvBodySurfacePositions(w, (vvBodyId){ 9, 1 }, NULL, x, &error), VV_ERROR_INPUT);
    vvBodySurface s;
    vvBodyGetSurface(w, body, &s);
    assert_int_equal(s.vertexCount, 0);
    vvMeshDestroy(&ball);
    vvMeshDestroy(&cloth);
    vvMeshDestroy(&fine);
    vvWorldDestroy(w);
}

/* One tet carries surfaces of any size; more of them do not. */
static void one_tet_carries_any(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 1e-3, 1e-6);
    vvWorld *w = new_world(&d);
    double x[15] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1 }, far[9] = { 5, 0, 0, 6, 0, 0, 5, 1, 0 };
    int tets[8] = { 0, 1, 2, 3, 1, 2, 3, 4 }, faces[12] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3 },
        triangle[3] = { 0, 1, 2 };
    vvMesh mesh = {
        .vertexCount = 4, .tetCount = 1, .triangleCount = 4, .positions = x, .tets = tets, .triangles = faces
    };
    vvMesh surface = { .vertexCount = 3, .triangleCount = 1, .positions = far, .triangles = triangle };
    vvBodyDef def = vvDefaultBodyDef();
    def.mesh = &mesh, def.surface = &surface;
    assert_ok(vvWorldAddBody(w, &def, NULL, &error));
    mesh.vertexCount = 5, mesh.tetCount = 2;
    assert_int_equal(vvWorldAddBody(w, &def, NULL, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "outside the tets"));
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stands_where_it_is_placed),
        cmocka_unit_test(follows_the_body),
        cmocka_unit_test(refused),
        cmocka_unit_test(one_tet_carries_any),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

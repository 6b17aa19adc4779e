/* The curvature of shells and rods in a run: known shapes, signs, what has none; and texture coordinates on their way
 * from a mesh through a world, its snapshots and a run. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "visviva/visviva.h"
#include "positional.h"

#define RUN VV_BUILD_DIR "/test_curvature.vtkhdf"

/* A run of one frame with this mesh as a body of springs. */
static vvRun *run_of(vvMesh *mesh, vvWorld **world)
{
    vvError error = { 0 };
    vvRunWriter *writer;
    vvRun *run;
    vvWorldDef def = vvDefaultWorldDef();
    vvBodyDef body = vvDefaultBodyDef();
    vvBodyId id;
    assert_int_equal(vvMeshFinish(mesh, NULL, &error), VV_OK);
    assert_int_equal(vvWorldCreate(&def, world, &error), VV_OK);
    body.mesh = mesh;
    body.thickness = 0.01;
    if (!mesh->tetCount) {
        body.material.model = "hooke";
        body.material.density = 1;
    }
    if (vvWorldAddBody(*world, &body, &id, &error) != VV_OK)
        fail_msg("%s", error.message);
    assert_int_equal(vvWorldBake(*world, &error), VV_OK);
    assert_int_equal(vvRunCreate(RUN, *world, "bent", NULL, &writer, &error), VV_OK);
    assert_int_equal(vvRunClose(writer, "done", &error), VV_OK);
    assert_int_equal(vvRunOpen(RUN, &run, &error), VV_OK);
    assert_true(vvRunGetBody(run, 0)->drawnThickness == 0.01);
    return run;
}

/* Curvature of each node as the body stands, then as `bend` places it. */
static double *curvature_of(const vvRun *run, void (*bend)(double x[3]))
{
    vvError error = { 0 };
    size_t n = (size_t)vvRunNodeCount(run);
    double *x = malloc(3 * n * sizeof *x), *k = malloc(n * sizeof *k);
    assert_int_equal(vvRunReadFrame(run, 0, x, NULL, &error), VV_OK);
    for (size_t i = 0; bend && i < n; i++)
        bend(x + 3 * i);
    assert_int_equal(vvRunCurvature(run, x, k, &error), VV_OK);
    free(x);
    return k;
}

static void onto_cylinder(double x[3]) /* of radius 0.5 below; normals point out */
{
    double angle = x[0] / 0.5;
    x[0] = 0.5 * sin(angle), x[1] = 0.5 * cos(angle) - 0.5;
}

static void into_cylinder(double x[3])
{
    onto_cylinder(x);
    x[1] = -x[1];
}

static void shells(void **state)
{
    (void)state;
    static const char *const sheets[] = { "cloth", "weave", "disk" };
    for (size_t s = 0; s < sizeof sheets / sizeof *sheets; s++) {
        vvMesh m;
        vvWorld *w;
        assert_int_equal(vvMeshGenerate(sheets[s], NULL, 0, &m, NULL), VV_OK);
        vvRun *run = run_of(&m, &w);
        double *flat = curvature_of(run, NULL), *out = curvature_of(run, onto_cylinder),
               *in = curvature_of(run, into_cylinder), mean = 0;
        int inner = 0;
        for (int v = 0; v < m.vertexCount; v++) {
            assert_true(fabs(flat[v]) < 1e-12);
            assert_true(fabs(out[v] + in[v]) < 1e-9); /* mirrored: the other sign */
            if (fabs(m.positions[3 * v]) < 0.3 && fabs(m.positions[3 * v + 2]) < 0.3) {
                mean += out[v];
                inner++;
                assert_true(out[v] > 0.5 && out[v] < 1.5); /* half of 1 / radius */
            }
        }
        assert_true(inner > 50 && fabs(mean / inner - 1) < 0.01);
        free(flat);
        free(out);
        free(in);
        vvRunFree(run);
        vvWorldDestroy(w);
        vvMeshDestroy(&m);
    }
}

/* On a closed ball of triangles: 1 / radius everywhere, within what the mesh allows. */
static void ball(void **state)
{
    (void)state;
    vvMesh m;
    vvWorld *w;
    assert_int_equal(generate_mesh("ball", (double[]){ 0.2, 8 }, &m, NULL), VV_OK);
    m.tetCount = 0;
    vvRun *run = run_of(&m, &w);
    double *k = curvature_of(run, NULL), mean = 0;
    for (int v = 0; v < vvRunNodeCount(run); v++)
        mean += k[v] / vvRunNodeCount(run);
    assert_true(fabs(mean - 5) < 0.1);
    free(k);
    vvRunFree(run);
    vvWorldDestroy(w);
    vvMeshDestroy(&m);
}

static void onto_circle(double x[3]) { onto_cylinder(x); }

static void rods(void **state)
{
    (void)state;
    vvMesh m;
    vvWorld *w;
    assert_int_equal(generate_mesh("chain", (double[]){ 1, 41 }, &m, NULL), VV_OK);
    vvRun *run = run_of(&m, &w);
    double *straight = curvature_of(run, NULL), *bent = curvature_of(run, onto_circle);
    for (int v = 0; v < 41; v++) {
        bool end = v == 0 || v == 40;
        assert_true(fabs(straight[v]) < 1e-12);
        assert_true(end ? bent[v] == 0 : fabs(bent[v] - 2) < 1e-3);
    }
    free(straight);
    free(bent);
    vvRunFree(run);
    vvWorldDestroy(w);
    vvMeshDestroy(&m);
}

static void solids(void **state)
{
    (void)state;
    vvMesh m;
    vvWorld *w;
    vvError error;
    assert_int_equal(vvMeshGenerate("box", NULL, 0, &m, NULL), VV_OK);
    vvRun *run = run_of(&m, &w);
    double *k = curvature_of(run, onto_cylinder);
    for (int v = 0; v < vvRunNodeCount(run); v++)
        assert_true(k[v] == 0);
    assert_int_equal(vvRunCurvature(run, NULL, k, &error), VV_ERROR_INPUT);
    assert_int_equal(vvRunCurvature(NULL, k, k, &error), VV_ERROR_INPUT);
    assert_memory_equal(vvRunRestPositions(run), vvWorldPositions(w), 3 * (size_t)m.vertexCount * sizeof(double));
    free(k);
    vvRunFree(run);
    vvWorldDestroy(w);
    vvMeshDestroy(&m);
}

/* mesh -> body -> snapshot and back -> run; and of a carried surface. */
static void uvs_on_their_way(void **state)
{
    (void)state;
    vvMesh m, solid;
    vvWorld *w;
    vvError error;
    vvSnapshot *snapshot;
    assert_int_equal(generate_mesh("cloth", (double[]){ 1, 1, 6, 4 }, &m, NULL), VV_OK);
    vvRun *run = run_of(&m, &w);
    size_t bytes = 6 * (size_t)m.triangleCount * sizeof(double);
    assert_memory_equal(vvBodyUvs(w, vvWorldBody(w, 0)), m.uvs, bytes);
    assert_memory_equal(vvRunGetBody(run, 0)->uvs, m.uvs, bytes);
    vvRunFree(run);
    assert_int_equal(generate_mesh("box", (double[]){ 2, 0.2, 2, 4, 1, 4, 5 }, &solid, NULL), VV_OK);
    vvBodyDef body = vvDefaultBodyDef();
    body.mesh = &solid;
    body.surface = &m;
    assert_int_equal(vvWorldAddBody(w, &body, NULL, &error), VV_OK);
    assert_int_equal(vvWorldBake(w, &error), VV_OK);
    assert_int_equal(vvWorldSnapshot(w, &snapshot, &error), VV_OK);
    assert_int_equal(vvWorldRemoveBody(w, vvWorldBody(w, 0), &error), VV_OK);
    assert_memory_equal(vvBodyUvs(w, vvWorldBody(w, 0)), m.uvs, bytes); /* the carried ones */
    assert_int_equal(vvWorldRestore(w, snapshot, &error), VV_OK);
    for (int b = 0; b < 2; b++)
        assert_memory_equal(vvBodyUvs(w, vvWorldBody(w, b)), m.uvs, bytes);
    assert_null(vvBodyUvs(w, (vvBodyId){ 77, 1 }));
    vvSnapshotDestroy(snapshot);
    m.uvs[5] = INFINITY; /* refused, of both kinds */
    assert_int_equal(vvWorldAddBody(w, &body, NULL, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "texture coordinate"));
    body.surface = NULL;
    body.mesh = &m;
    body.material.model = "hooke";
    assert_int_equal(vvWorldAddBody(w, &body, NULL, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "texture coordinate"));
    vvWorldDestroy(w);
    vvMeshDestroy(&m);
    vvMeshDestroy(&solid);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(shells), cmocka_unit_test(ball), cmocka_unit_test(rods),
                                        cmocka_unit_test(solids), cmocka_unit_test(uvs_on_their_way) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

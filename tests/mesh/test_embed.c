/* Surfaces carried by tets: weights that sum to one, give the point back, follow affine motion, and distances
 * outside. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "visviva/mesh.h"
#include "positional.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 400 };

static double uniform(unsigned *seed) { return (double)(*seed = *seed * 1664525u + 1013904223u) / 4294967296.0; }

static vvMesh box_mesh(void)
{
    vvMesh mesh = { 0 };
    vvError error = { 0 };
    double values[7] = { 2, 1, 1.5, 4, 3, 3, 5 };
    assert_int_equal(generate_mesh("box", values, &mesh, &error), VV_OK);
    return mesh;
}

/* Points in [-spread/2, spread/2]^3 as the vertices of a surface. */
static vvMesh cloud(double *x, double spread)
{
    unsigned seed = 7;
    for (int i = 0; i < 3 * POINTS; i++)
        x[i] = (uniform(&seed) - 0.5) * spread;
    return (vvMesh){ .vertexCount = POINTS, .positions = x };
}

static void weighted(const double *positions, const int *nodes, const double *w, double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = w[0] * positions[3 * nodes[0] + k] + w[1] * positions[3 * nodes[1] + k] +
                 w[2] * positions[3 * nodes[2] + k] + w[3] * positions[3 * nodes[3] + k];
}

static double outside_box(const double *p)
{
    double half[3] = { 1, 0.5, 0.75 }, sum = 0;
    for (int k = 0; k < 3; k++) {
        double d = fmax(fabs(p[k]) - half[k], 0);
        sum += d * d;
    }
    return sqrt(sum);
}

static void weights_give_the_point_back(void **state)
{
    (void)state;
    vvMesh body = box_mesh();
    vvError error = { 0 };
    double x[3 * POINTS], weights[4 * POINTS], far = 0;
    int nodes[4 * POINTS], outside = 0;
    vvMesh points = cloud(x, 3);
    vvEmbedNotes notes;
    assert_int_equal(vvMeshEmbed(&body, &points, nodes, weights, &notes, &error), VV_OK);
    for (int i = 0; i < POINTS; i++) {
        double *w = weights + 4 * i, y[3], distance = outside_box(x + 3 * i);
        weighted(body.positions, nodes + 4 * i, w, y);
        for (int k = 0; k < 3; k++)
            assert_true(fabs(y[k] - x[3 * i + k]) < 1e-12);
        assert_true(fabs(w[0] + w[1] + w[2] + w[3] - 1) < 1e-12);
        for (int k = 0; k < 4 && distance == 0; k++)
            assert_true(w[k] > -1e-11 && w[k] < 1 + 1e-11); /* inside: the tet that holds it */
        for (int k = 0; k < 4; k++)
            assert_true(fabs(w[k]) < 12); /* outside by up to three edges: no wild extrapolation */
        outside += distance > 0;
        far = fmax(far, distance);
    }
    assert_int_equal(notes.outside, outside);
    assert_true(fabs(notes.farthest - far) < 1e-12);
    assert_true(fabs(outside_box(x + 3 * notes.farthestVertex) - far) < 1e-12);
    vvMeshDestroy(&body);
}

static void follows_affine_motion(void **state)
{
    (void)state;
    static const double a[9] = { 1.2, 0.3, -0.5, 0.1, 0.8, 0.4, -0.2, 0.6, 1.1 }, b[3] = { 5, -7, 11 };
    vvMesh body = box_mesh(), moved = { 0 };
    vvError error = { 0 };
    double x[3 * POINTS], weights[4 * POINTS];
    int nodes[4 * POINTS];
    vvMesh points = cloud(x, 3);
    assert_int_equal(vvMeshEmbed(&body, &points, nodes, weights, NULL, &error), VV_OK);
    assert_int_equal(vvMeshCopy(&body, &moved, &error), VV_OK);
    for (int i = 0; i < body.vertexCount; i++)
        for (int k = 0; k < 3; k++)
            moved.positions[3 * i + k] = a[3 * k] * body.positions[3 * i] + a[3 * k + 1] * body.positions[3 * i + 1] +
                                         a[3 * k + 2] * body.positions[3 * i + 2] + b[k];
    for (int i = 0; i < POINTS; i++) {
        double y[3];
        weighted(moved.positions, nodes + 4 * i, weights + 4 * i, y);
        for (int k = 0; k < 3; k++) {
            double want = a[3 * k] * x[3 * i] + a[3 * k + 1] * x[3 * i + 1] + a[3 * k + 2] * x[3 * i + 2] + b[k];
            assert_true(fabs(y[k] - want) < 1e-11);
        }
    }
    vvMeshDestroy(&moved);
    vvMeshDestroy(&body);
}

/* The body's own vertices, exactly on corners of tets. */
static void own_vertices_are_inside(void **state)
{
    (void)state;
    vvMesh body = box_mesh();
    vvError error = { 0 };
    vvEmbedNotes notes;
    size_t n = (size_t)body.vertexCount;
    int *nodes = malloc(4 * n * sizeof *nodes);
    double *weights = malloc(4 * n * sizeof *weights);
    assert_non_null(nodes);
    assert_non_null(weights);
    assert_int_equal(vvMeshEmbed(&body, &body, nodes, weights, &notes, &error), VV_OK);
    assert_int_equal(notes.outside, 0);
    assert_int_equal(notes.farthestVertex, -1);
    free(nodes);
    free(weights);
    vvMeshDestroy(&body);
}

static void refused(void **state)
{
    (void)state;
    vvMesh body = box_mesh(), cloth = { 0 };
    vvError error = { 0 };
    double x[3] = { 0, NAN, 0 }, weights[4];
    int nodes[4];
    vvMesh point = { .vertexCount = 1, .positions = x };
    assert_int_equal(vvMeshEmbed(&body, &point, nodes, weights, NULL, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "vertex 0"));
    x[1] = 0;
    assert_int_equal(vvMeshGenerate("cloth", NULL, 0, &cloth, &error), VV_OK);
    assert_int_equal(vvMeshEmbed(&cloth, &point, nodes, weights, NULL, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "tetrahedra"));
    assert_int_equal(vvMeshEmbed(&body, NULL, nodes, weights, NULL, &error), VV_ERROR_INPUT);
    vvMeshDestroy(&cloth);
    vvMeshDestroy(&body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_give_the_point_back),
        cmocka_unit_test(follows_affine_motion),
        cmocka_unit_test(own_vertices_are_inside),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

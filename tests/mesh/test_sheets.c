/* Surfaces for shells: the patterns of "sheet" and the "tube": exact boundaries, areas, counts, angles, seeds. */
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

#define PI 3.14159265358979323846

enum { EQUILATERAL, DIAGONAL, UNION_JACK, RANDOM, PATTERNS };

static vvMesh sheet(double x, double z, double edge, int pattern, double seed)
{
    vvError error;
    vvMesh mesh;
    if (generate_mesh("sheet", (double[]){ x, z, edge, pattern, seed }, &mesh, &error) != VV_OK)
        fail_msg("%s", error.message);
    return mesh;
}

static double length_of(const vvMesh *m, int a, int b)
{
    double s = 0;
    for (int k = 0; k < 3; k++)
        s += pow(m->positions[3 * a + k] - m->positions[3 * b + k], 2);
    return sqrt(s);
}

/* In degrees. */
static double least_angle(const vvMesh *m)
{
    double least = 180;
    for (int t = 0; t < m->triangleCount; t++)
        for (int k = 0; k < 3; k++) {
            const int *v = m->triangles + 3 * t;
            double a = length_of(m, v[(k + 1) % 3], v[(k + 2) % 3]), b = length_of(m, v[k], v[(k + 1) % 3]),
                   c = length_of(m, v[k], v[(k + 2) % 3]);
            least = fmin(least, 180 / PI * acos((b * b + c * c - a * a) / (2 * b * c)));
        }
    return least;
}

/* How many vertices have another number of edges than `usual`, inside. */
static int unusual(const vvMesh *m, const double half[2], int usual)
{
    int *edges = calloc((size_t)m->vertexCount, sizeof *edges), count = 0;
    for (int i = 0; i < 3 * m->triangleCount; i++)
        edges[m->triangles[i]]++;
    for (int v = 0; v < m->vertexCount; v++)
        count += fabs(m->positions[3 * v]) < half[0] && fabs(m->positions[3 * v + 2]) < half[1] && edges[v] != usual;
    free(edges);
    return count;
}

static void rectangles(void **state)
{
    (void)state;
    static const double sizes[][3] = { { 1, 1, 0.05 }, { 2, 0.5, 0.07 }, { 0.3, 0.3, 0.1 }, { 1e-3, 2e-3, 1e-4 } };
    for (int n = 0; n < 4 * PATTERNS; n++) {
        const double *size = sizes[n / PATTERNS], half[2] = { size[0] / 2, size[1] / 2 };
        int pattern = n % PATTERNS;
        bool rows = pattern == EQUILATERAL || pattern == RANDOM;
        int nx = (int)round(size[0] / size[2]), nz = (int)round(size[1] / (rows ? sqrt(0.75) * size[2] : size[2])),
            on_side[4] = { 0 };
        vvMesh mesh = sheet(size[0], size[1], size[2], pattern, 7);
        vvMeshQuality q;
        vvMeshMeasure(&mesh, &q);
        assert_true(fabs(q.area - size[0] * size[1]) < 1e-12 * q.area);
        assert_int_equal(mesh.triangleCount, rows ? nz * (2 * nx + 1) : 2 * nx * nz);
        assert_int_equal(mesh.vertexCount, (nx + 1) * (nz + 1) + (rows ? (nz + 1) / 2 : 0));
        for (int v = 0; v < mesh.vertexCount; v++) {
            const double *x = mesh.positions + 3 * v;
            assert_true(x[1] == 0 && fabs(x[0]) <= half[0] && fabs(x[2]) <= half[1]);
            on_side[0] += x[0] == -half[0], on_side[1] += x[0] == half[0];
            on_side[2] += x[2] == -half[1], on_side[3] += x[2] == half[1];
        }
        assert_true(on_side[0] == nz + 1 && on_side[1] == nz + 1 && on_side[2] == nx + 1);
        assert_int_equal(on_side[3], rows && nz % 2 ? nx + 2 : nx + 1);
        for (int t = 0; t < mesh.triangleCount; t++) { /* normal +y */
            const double *a = mesh.positions + 3 * mesh.triangles[3 * t],
                         *b = mesh.positions + 3 * mesh.triangles[3 * t + 1];
            const double *c = mesh.positions + 3 * mesh.triangles[3 * t + 2];
            assert_true((b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2]) > 0);
        }
        double least = least_angle(&mesh);
        assert_true(least > (pattern == RANDOM ? 24.99 : pattern == EQUILATERAL ? 25 : 40));
        vvMeshDestroy(&mesh);
    }
}

/* Where a whole number of edges fits, all inner triangles are equilateral. */
static void equilateral_ones(void **state)
{
    (void)state;
    vvMesh mesh = sheet(1, 10 * sqrt(0.75) / 8, 0.125, EQUILATERAL, 1);
    int regular = 0;
    for (int t = 0; t < mesh.triangleCount; t++) {
        const int *v = mesh.triangles + 3 * t;
        bool all = true;
        for (int k = 0; k < 3; k++)
            all = all && fabs(length_of(&mesh, v[k], v[(k + 1) % 3]) - 0.125) < 1e-15;
        regular += all;
    }
    assert_int_equal(regular, mesh.triangleCount - 2 * 10); /* a half at either end of each strip */
    assert_int_equal(unusual(&mesh, (double[]){ 0.4, 0.5 * 10 * sqrt(0.75) / 8 - 1e-9 }, 6), 0);
    vvMeshDestroy(&mesh);
}

static void random_ones(void **state)
{
    (void)state;
    const double half[2] = { 0.5, 0.5 };
    vvMesh a = sheet(1, 1, 0.05, RANDOM, 3), again = sheet(1, 1, 0.05, RANDOM, 3), b = sheet(1, 1, 0.05, RANDOM, 4);
    size_t bytes = 3 * (size_t)a.vertexCount * sizeof *a.positions;
    assert_memory_equal(a.positions, again.positions, bytes);
    assert_memory_equal(a.triangles, again.triangles, 3 * (size_t)a.triangleCount * sizeof *a.triangles);
    assert_true(memcmp(a.positions, b.positions, bytes) != 0);
    int odd = unusual(&a, half, 6);
    print_message("%d of %d vertices have not six edges; least angle %.1f degrees\n", odd, a.vertexCount,
                  least_angle(&a));
    assert_true(odd > a.vertexCount / 5);
    /* Delaunay's: no vertex inside the circle of a triangle */
    for (int t = 0; t < a.triangleCount; t++) {
        double p[3][2], d[3];
        for (int k = 0; k < 3; k++) {
            const double *x = a.positions + 3 * a.triangles[3 * t + k];
            p[k][0] = x[2], p[k][1] = x[0], d[k] = x[2] * x[2] + x[0] * x[0];
        }
        double det = 2 * ((p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[1][1] - p[0][1]) * (p[2][0] - p[0][0]));
        double c[2] = { ((d[1] - d[0]) * (p[2][1] - p[0][1]) - (d[2] - d[0]) * (p[1][1] - p[0][1])) / det,
                        ((p[1][0] - p[0][0]) * (d[2] - d[0]) - (p[2][0] - p[0][0]) * (d[1] - d[0])) / det };
        double radius = hypot(p[0][0] - c[0], p[0][1] - c[1]);
        for (int v = 0; v < a.vertexCount; v++)
            assert_true(hypot(a.positions[3 * v + 2] - c[0], a.positions[3 * v] - c[1]) > radius * (1 - 1e-6));
    }
    vvMeshDestroy(&a);
    vvMeshDestroy(&again);
    vvMeshDestroy(&b);
}

static void tubes(void **state)
{
    (void)state;
    for (int n = 3; n < 60; n += n < 8 ? 1 : 17) {
        vvError error;
        vvMesh mesh;
        vvMeshQuality q;
        assert_int_equal(generate_mesh("tube", (double[]){ 0.2, 1.1, n }, &mesh, &error), VV_OK);
        double edge = 0.4 * sin(PI / n);
        int rings = (int)round(1.1 / (sqrt(0.75) * edge));
        assert_int_equal(mesh.triangleCount, 2 * n * rings);
        assert_int_equal(mesh.vertexCount, n * (rings + 1));
        vvMeshMeasure(&mesh, &q);
        /* each ring of triangles: bases on one polygon, tips over the middles of the other's edges */
        double rise = 1.1 / rings, in = 0.2 * (1 - cos(PI / n)), area = n * rings * edge * hypot(rise, in);
        assert_true(fabs(q.area - area) < 1e-12 * area);
        for (int v = 0; v < mesh.vertexCount; v++)
            assert_true(fabs(hypot(mesh.positions[3 * v], mesh.positions[3 * v + 2]) - 0.2) < 1e-15 &&
                        fabs(mesh.positions[3 * v + 1]) <= 0.55);
        for (int t = 0; t < mesh.triangleCount; t++) { /* outwards */
            const double *x[3];
            for (int k = 0; k < 3; k++)
                x[k] = mesh.positions + 3 * mesh.triangles[3 * t + k];
            double e[3], f[3], c[3];
            for (int k = 0; k < 3; k++)
                e[k] = x[1][k] - x[0][k], f[k] = x[2][k] - x[0][k], c[k] = x[0][k] + x[1][k] + x[2][k];
            assert_true((e[1] * f[2] - e[2] * f[1]) * c[0] + (e[0] * f[1] - e[1] * f[0]) * c[2] > 0);
        }
        if (n > 20)
            assert_true(least_angle(&mesh) > 57);
        vvMeshDestroy(&mesh);
    }
}

static void refusals(void **state)
{
    (void)state;
    vvError error;
    vvMesh mesh;
    assert_int_equal(generate_mesh("sheet", (double[]){ 1, 1, 1e-6, 0, 1 }, &mesh, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "make 'edge' longer"));
    assert_int_equal(generate_mesh("tube", (double[]){ 1, 1e6, 100000 }, &mesh, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "make 'segments' smaller"));
    mesh = sheet(1, 1, 50, RANDOM, 1); /* one cell at least */
    assert_int_equal(mesh.triangleCount, 3);
    vvMeshDestroy(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(rectangles), cmocka_unit_test(equilateral_ones),
                                        cmocka_unit_test(random_ones), cmocka_unit_test(tubes),
                                        cmocka_unit_test(refusals) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Generators: no repair needed, right topology, right limits, good tets. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "mesh/mesh.h"
#include "mesh_support.h"
#include "positional.h"

#include <math.h>

#define PI 3.14159265358979323846

static vvMesh generate(const char *name, const double *values)
{
    vvMesh mesh;
    vvError error;
    if (generate_mesh(name, values, &mesh, &error))
        fail_msg("%s", error.message);
    return mesh;
}

static int surface_edges(const vvMesh *mesh, bool *closed_manifold)
{
    int *edges, *counts, n;
    assert_int_equal(vv_mesh_surface_edges(mesh, &edges, &counts, &n, NULL), VV_OK);
    *closed_manifold = true;
    for (int i = 0; i < n; i++)
        *closed_manifold = *closed_manifold && counts[i] == 2;
    vv_free(edges);
    vv_free(counts);
    return n;
}

/* V - E + F of the surface. */
static int euler(const vvMesh *mesh, bool *closed_manifold)
{
    char *used = calloc((size_t)mesh->vertexCount, 1);
    int vertices = 0;
    for (int i = 0; i < 3 * mesh->triangleCount; i++) {
        vertices += !used[mesh->triangles[i]];
        used[mesh->triangles[i]] = 1;
    }
    free(used);
    return vertices - surface_edges(mesh, closed_manifold) + mesh->triangleCount;
}

typedef struct expected {
    const char *name;
    double values[8];
    int given; /* 0: defaults */
    int euler;
    double dihedral; /* at least, degrees */
} expected;

static const expected solids[] = {
    { "box", { 0 }, 0, 2, 54 },
    { "box", { 0.1, 0.2, 0.3, 3, 5, 8, 6 }, 1, 2, 39 },
    { "box", { 1, 1, 1, 1, 1, 1, 5 }, 1, 2, 54 },
    { "ball", { 0 }, 0, 2, 40 },
    { "ball", { 1, 1 }, 1, 2, 60 },
    { "ball", { 1, 2 }, 1, 2, 40 },
    { "ball", { 0.3, 15 }, 1, 2, 36 },
    { "cylinder", { 0 }, 0, 2, 34 },
    { "cylinder", { 1, 1, 1, 1 }, 1, 2, 34 },
    { "torus", { 0 }, 0, 0, 30 },
    { "torus", { 1, 0.5, 1, 6 }, 1, 0, 18 },
    { "rod", { 0 }, 0, 2, 30 },
    { "die", { 0 }, 0, 2, 30 },
    { "die", { 0.1, 0.05, 9 }, 1, 2, 24 },
    { "die", { 0.1, 0.03, 2 }, 1, 2, 30 },
    { "critter", { 0 }, 0, 2, 18 },
    { "critter", { 1, 0.07 }, 1, 2, 15 },
    { "critter", { 1, 0.06 }, 1, 2, 15 },
    { "critter", { 1, 0.15 }, 1, 2, 15 },
    { "critter", { 0.25, 0.0103 }, 1, 2, 15 },
    { "critter", { 0.25, 0.008 }, 1, 2, 15 },
    { "bowl", { 0 }, 0, 2, 20 },
    { "bowl", { 1, 0.3, 150, 6, 2 }, 1, 2, 11 },
    { "bowl", { 1, 0.9, 10, 1, 1 }, 1, 2, 0.5 },
    { "stairs", { 0 }, 0, 2, 30 },
    { "stairs", { 1, 1, 1, 1, 1, 1 }, 1, 2, 44 },
    { "stairs", { 4, 0.2, 0.1, 0.3, 3, 2 }, 1, 2, 12 },
};

static void solids_are_sound(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof solids / sizeof *solids; i++) {
        const expected *e = &solids[i];
        vvMesh mesh;
        vvMeshNotes notes;
        vvMeshQuality q;
        vvError error;
        vvSetting settings[POSITIONAL_MOST];
        const int count = generator_settings(e->name, e->given ? e->values : NULL, settings);
        if (vv_mesh_generate_raw(e->name, settings, count, &mesh, &error) || vvMeshFinish(&mesh, &notes, &error))
            fail_msg("%s", error.message);
        vvMeshMeasure(&mesh, &q);
        print_message("%-9s %6d nodes %7d tets  dihedral %5.1f to %5.1f  aspect %.2f\n", e->name, mesh.vertexCount,
                      mesh.tetCount, q.minDihedral, q.maxDihedral, q.worstAspect);
        assert_no_repair(&notes);
        assert_int_equal(notes.components, 1);
        assert_int_equal(notes.openEdges, 0);
        bool closed;
        assert_int_equal(euler(&mesh, &closed), e->euler);
        assert_true(closed);
        assert_true(q.minDihedral > e->dihedral);
        assert_true(q.minVolume > 0);
        /* outward: the surface holds the tets' volume */
        assert_true(fabs(surface_det(&mesh) / 6 - q.volume) < 1e-12 * q.volume);
        vvMeshDestroy(&mesh);
    }
}

static void sheets_are_sound(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int rim;
        bool edges;
    } sheets[] = { { "cloth", 96, true }, { "weave", 96, true }, { "disk", 72, true }, { "ground", 32, false } };
    for (size_t i = 0; i < sizeof sheets / sizeof *sheets; i++) {
        vvMesh mesh;
        vvMeshNotes notes;
        vvMeshQuality q;
        vvError error;
        assert_int_equal(vv_mesh_generate_raw(sheets[i].name, NULL, 0, &mesh, &error), VV_OK);
        int *before = malloc(sizeof(int) * 3 * (size_t)mesh.triangleCount);
        memcpy(before, mesh.triangles, sizeof(int) * 3 * (size_t)mesh.triangleCount);
        assert_int_equal(vvMeshFinish(&mesh, &notes, &error), VV_OK);
        assert_no_repair(&notes);
        assert_memory_equal(before, mesh.triangles, sizeof(int) * 3 * (size_t)mesh.triangleCount);
        free(before);
        assert_int_equal(notes.openEdges, sheets[i].rim);
        bool closed;
        assert_int_equal(euler(&mesh, &closed), 1);
        int edges = surface_edges(&mesh, &closed);
        assert_int_equal(mesh.edgeCount, sheets[i].edges ? edges : 0);
        assert_false(closed);
        vvMeshMeasure(&mesh, &q);
        if (strcmp(sheets[i].name, "disk") == 0)
            assert_true(q.area < PI / 4 && q.area > 0.99 * PI / 4);
        else
            assert_true(fabs(q.area - 1) < 1e-12);
        const int *t = mesh.triangles;
        for (int k = 0; k < mesh.triangleCount; k++, t += 3) { /* normal +y */
            const double *a = mesh.positions + 3 * t[0], *b = mesh.positions + 3 * t[1], *c = mesh.positions + 3 * t[2];
            assert_true((b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2]) > 0);
        }
        vvMeshDestroy(&mesh);
    }
}

/* The error of the volume falls with the square of the edge. */
static void check_convergence(const char *name, const double *coarse, const double *fine, double volume, double area)
{
    vvMesh a = generate(name, coarse), b = generate(name, fine);
    vvMeshQuality qa, qb;
    vvMeshMeasure(&a, &qa);
    vvMeshMeasure(&b, &qb);
    double ratio = (volume - qa.volume) / (volume - qb.volume);
    print_message("%-9s volume error %.2e -> %.2e, ratio %.2f\n", name, 1 - qa.volume / volume, 1 - qb.volume / volume,
                  ratio);
    assert_true(ratio > 3.4 && ratio < 4.6);
    assert_true(fabs(qb.area / area - 1) < 0.02);
    vvMeshDestroy(&a);
    vvMeshDestroy(&b);
}

static void volumes_converge(void **state)
{
    (void)state;
    check_convergence("ball", (double[]){ 0.5, 6 }, (double[]){ 0.5, 12 }, 4 * PI / 3 / 8, PI);
    check_convergence("cylinder", (double[]){ 0.5, 2, 4, 4 }, (double[]){ 0.5, 2, 8, 8 }, PI / 2, 2.5 * PI);
    check_convergence("rod", (double[]){ 2, 0.5, 4, 4 }, (double[]){ 2, 0.5, 8, 8 }, PI / 2, 2.5 * PI);
    check_convergence("torus", (double[]){ 1, 0.3, 4, 40 }, (double[]){ 1, 0.3, 8, 80 }, 2 * PI * PI * 0.09,
                      4 * PI * PI * 0.3);
    /* die: cube, slabs on its faces, quarter cylinders along its edges, ball in its corners */
    double a = 0.6, r = 0.2;
    check_convergence("die", (double[]){ 1, 0.2, 10 }, (double[]){ 1, 0.2, 20 },
                      a * a * a + 6 * a * a * r + 3 * PI * r * r * a + 4 * PI / 3 * r * r * r,
                      6 * a * a + 6 * PI * r * a + 4 * PI * r * r);
    vvMesh box = generate("box", (double[]){ 1, 2, 3, 3, 4, 5, 5 });
    vvMeshQuality q;
    vvMeshMeasure(&box, &q);
    assert_true(fabs(q.volume - 6) < 1e-12 && fabs(q.area - 22) < 1e-12);
    vvMeshDestroy(&box);
}

static int compare_points(const void *a, const void *b)
{
    const double *x = a, *y = b;
    for (int k = 0; k < 3; k++)
        if (fabs(x[k] - y[k]) > 1e-9)
            return x[k] < y[k] ? -1 : 1;
    return 0;
}

/* The set of vertices is its own mirror image. */
static void check_mirror(const vvMesh *mesh, int axis)
{
    size_t n = (size_t)mesh->vertexCount;
    double *a = malloc(n * 3 * sizeof *a), *b = malloc(n * 3 * sizeof *b);
    memcpy(a, mesh->positions, n * 3 * sizeof *a);
    memcpy(b, a, n * 3 * sizeof *b);
    for (size_t v = 0; v < n; v++)
        b[3 * v + (size_t)axis] *= -1;
    qsort(a, n, 3 * sizeof *a, compare_points);
    qsort(b, n, 3 * sizeof *b, compare_points);
    for (size_t v = 0; v < n; v++)
        assert_int_equal(compare_points(a + 3 * v, b + 3 * v), 0);
    free(a);
    free(b);
}

static void shapes_are_symmetric(void **state)
{
    (void)state;
    static const char *const names[] = { "box", "ball", "cylinder", "torus", "rod", "cloth", "weave", "disk", "die" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        vvMesh mesh = generate(names[i], NULL);
        for (int axis = 0; axis < 3; axis++)
            check_mirror(&mesh, axis);
        vvMeshDestroy(&mesh);
    }
}

/* Boundary vertices of the curved solids lie on the surface to rounding. */
static void surfaces_are_exact(void **state)
{
    (void)state;
    vvMesh ball = generate("ball", NULL), torus = generate("torus", NULL);
    for (int i = 0; i < 3 * ball.triangleCount; i++) {
        const double *x = ball.positions + 3 * ball.triangles[i];
        assert_true(fabs(sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) - 0.05) < 1e-15);
    }
    for (int i = 0; i < 3 * torus.triangleCount; i++) {
        const double *x = torus.positions + 3 * torus.triangles[i];
        assert_true(fabs(hypot(hypot(x[0], x[2]) - 0.1, x[1]) - 0.035) < 1e-15);
    }
    vvMeshDestroy(&ball);
    vvMeshDestroy(&torus);
}

static void critter_stands(void **state)
{
    (void)state;
    vvMesh mesh = generate("critter", NULL);
    vvMeshQuality q;
    vvMeshMeasure(&mesh, &q);
    assert_true(q.boundsMin[1] == 0 && fabs(q.boundsMax[1] - 0.25) < 1e-15);
    assert_in_range(mesh.vertexCount, 1500, 3000);
    assert_true(fabs(q.boundsMin[0] + q.boundsMax[0]) < 0.002);
    /* its centre of volume is above its soles: it does not topple */
    double centre[3] = { 0 }, low = 1, high = -1;
    for (int t = 0; t < mesh.tetCount; t++)
        for (int k = 0; k < 12; k++)
            centre[k % 3] += vv_tet_det(mesh.positions, mesh.tets + 4 * t) / 24 / q.volume *
                             mesh.positions[3 * mesh.tets[4 * t + k / 3] + k % 3];
    for (int v = 0; v < mesh.vertexCount; v++)
        if (mesh.positions[3 * v + 1] < 0.005) {
            low = fmin(low, mesh.positions[3 * v + 2]);
            high = fmax(high, mesh.positions[3 * v + 2]);
        }
    print_message("critter: centre of volume at z = %.4f, soles from %.4f to %.4f\n", centre[2], low, high);
    assert_true(centre[2] > low + 0.005 && centre[2] < high - 0.005);
    vvMeshDestroy(&mesh);
}

/* Where the bowl, the stairs and the ground stand, and how large they are. */
static void obstacles_are_as_said(void **state)
{
    (void)state;
    vvMesh bowl = generate("bowl", (double[]){ 0.2, 0.02, 90, 24, 1 });
    vvMeshQuality q;
    vvMeshMeasure(&bowl, &q);
    double half_shell = 2 * PI / 3 * (pow(0.2, 3) - pow(0.18, 3));
    assert_true(fabs(q.volume / half_shell - 1) < 0.01);
    assert_true(q.boundsMin[1] == 0 && fabs(q.boundsMax[1] - 0.2) < 1e-15 && fabs(q.boundsMax[2] - 0.2) < 1e-15);
    for (int v = 0; v < bowl.vertexCount; v++) {
        const double *x = bowl.positions + 3 * v;
        double from = sqrt(x[0] * x[0] + (x[1] - 0.2) * (x[1] - 0.2) + x[2] * x[2]);
        assert_true(fmin(fabs(from - 0.2), fabs(from - 0.18)) < 1e-15);
    }
    vvMeshDestroy(&bowl);

    vvMesh stairs = generate("stairs", (double[]){ 4, 0.2, 0.1, 0.5, 3, 2 });
    vvMeshMeasure(&stairs, &q);
    assert_true(fabs(q.volume - 10 * 0.2 * 0.1 * 0.5) < 1e-12);
    assert_true(fabs(q.boundsMax[0] - 0.8) < 1e-12 && fabs(q.boundsMax[1] - 0.4) < 1e-12 &&
                fabs(q.boundsMax[2] - 0.25) < 1e-12);
    assert_true(fabs(q.boundsMin[0]) < 1e-12 && fabs(q.boundsMin[1]) < 1e-12 && fabs(q.boundsMin[2] + 0.25) < 1e-12);
    vvMeshDestroy(&stairs);

    vvMesh flat = generate("ground", (double[]){ 2, 3, 5, 7, 0.24, 0 }),
           bumpy = generate("ground", (double[]){ 2, 3, 5, 7, 0.24, 0.1 });
    vvMeshMeasure(&flat, &q);
    assert_true(q.boundsMin[1] == 0 && q.boundsMax[1] == 0 && fabs(q.area - 6) < 1e-12);
    vvMeshMeasure(&bumpy, &q);
    assert_true(q.boundsMin[1] == 0 && q.boundsMax[1] > 0.05 && q.boundsMax[1] <= 0.1 && q.area > 6);
    double shift = 0;
    /* the shifts do not depend on the bumps; they are there, and not too large */
    for (int v = 0; v < 3 * flat.vertexCount; v++)
        assert_true(v % 3 == 1 || flat.positions[v] == bumpy.positions[v]);
    for (int i = 1; i < 5; i++)
        for (int k = 1; k < 7; k++)
            shift = fmax(shift, fabs(flat.positions[3 * (8 * i + k)] - 0.4 * (i - 2.5)));
    assert_true(shift > 0.05 && shift <= 0.24 * 0.4);
    vvMeshDestroy(&flat);
    vvMeshDestroy(&bumpy);
}

static void refuse(const char *name, const double *values, const char *text)
{
    vvMesh mesh;
    vvError error = { 0 };
    vvStatus status = generate_mesh(name, values, &mesh, &error);
    if (status != VV_ERROR_INPUT || !strstr(error.message, text))
        fail_msg("status %d, message '%s' without '%s'", status, error.message, text);
    assert_null(mesh.positions);
    assert_null(mesh.tets);
}

static void bad_parameters_are_named(void **state)
{
    (void)state;
    refuse("bock", NULL, "there are: box, ball");
    refuse("bock", NULL, "did you mean \"box\"");
    refuse("box", (double[]){ 0.1, -1, 0.1, 8, 8, 8, 5 },
           "box.size[1] is -1; it must be a number from 1e-06 to 1000000 m");
    refuse("box", (double[]){ 0.1, NAN, 0.1, 8, 8, 8, 5 }, "box.size[1] is nan");
    refuse("box", (double[]){ 0.1, 0.1, 0.1, 8, 8.5, 8, 5 }, "box.cells[1] is 8.5; it must be a whole number from 1");
    refuse("box", (double[]){ 0.1, 0.1, 0.1, 8, 8, 0, 5 }, "box.cells[2] is 0");
    refuse("box", (double[]){ 0.1, 0.1, 0.1, 8, 8, 8, 7 }, "box.split is 7; it must be a whole number from 5 to 6");
    refuse("box", (double[]){ 1, 1, 1, 1e6, 1e6, 1e6, 6 }, "would make 6e+18 tets; at most 5000000 are allowed");
    refuse("ball", (double[]){ 1, 64 }, "'cells' smaller");
    refuse("cylinder", (double[]){ 1, 1, 1e6, 1 }, "'cells' smaller");
    refuse("rod", (double[]){ 1, 1, 1, INFINITY }, "rod.cells[1] is inf");
    refuse("cloth", (double[]){ 1, 1, 1e6, 1e6 }, "triangles");
    refuse("disk", (double[]){ 1, 1e6 }, "triangles");
    refuse("torus", (double[]){ 1, 1, 3, 24 }, "'tube' up to 0.95 times 'radius'");
    refuse("torus", (double[]){ 1, 0.2, 3, 5 }, "'cells'[1]");
    refuse("die", (double[]){ 1, 0.6, 8 }, "'rounding' up to half of 'size'");
    refuse("critter", (double[]){ 0.25, 0.2 }, "'edge' is 0.2 m for a height of 0.25 m");
    refuse("critter", (double[]){ 0.25, 1e-5 }, "'edge'");
    refuse("bowl", (double[]){ 1, 0.95, 80, 12, 1 }, "'wall' up to 0.9 times 'radius'");
    refuse("bowl", (double[]){ 1, 0.1, 80, 1e6, 1e6 }, "'cells' smaller");
    refuse("stairs", (double[]){ 1000, 0.1, 0.1, 1, 1000, 8 }, "'steps' or 'cells' smaller");
    refuse("ground", (double[]){ 1, 1, 1e6, 1e6, 0.2, 0 }, "'cells' smaller");
    refuse("ground", (double[]){ 1, 1, 8, 8, 0.5, 0 }, "ground.jitter is 0.5");
}

/* Nodes at equal distances along x, exactly on it, in order; edges from each to the next. */
static void chains(void **state)
{
    (void)state;
    for (int nodes = 2; nodes < 40; nodes++) {
        vvMesh mesh;
        vvError error;
        assert_int_equal(generate_mesh("chain", (double[]){ 3, nodes }, &mesh, &error), VV_OK);
        assert_int_equal(mesh.vertexCount, nodes);
        assert_int_equal(mesh.edgeCount, nodes - 1);
        assert_true(mesh.triangleCount == 0 && mesh.tetCount == 0 && mesh.pointCount == 0);
        for (int i = 0; i < nodes; i++) {
            assert_true(fabs(mesh.positions[3 * i] - (3.0 * i / (nodes - 1) - 1.5)) < 1e-15 * 3);
            assert_true(mesh.positions[3 * i + 1] == 0 && mesh.positions[3 * i + 2] == 0);
        }
        for (int i = 0; i + 1 < nodes; i++)
            assert_true(mesh.edges[2 * i] == i && mesh.edges[2 * i + 1] == i + 1);
        vvMeshDestroy(&mesh);
    }
    refuse("chain", (double[]){ 1, 1 }, "chain.nodes is 1");
    refuse("chain", (double[]){ 0, 9 }, "chain.length is 0");
}

/* Rings close, helices go round as often and as high as they are to; all edges have one length. */
static void curves(void **state)
{
    (void)state;
    for (int closed = 0; closed < 2; closed++)
        for (int segments = 3; segments < 40; segments++) {
            vvMesh mesh;
            vvError error;
            const double ring[] = { 2, segments }, helix[] = { 2, -0.5, 2.5, segments };
            assert_int_equal(generate_mesh(closed ? "ring" : "helix", closed ? ring : helix, &mesh, &error), VV_OK);
            int edges = closed ? segments : (5 * segments + 1) / 2;
            assert_true(mesh.edgeCount == edges && mesh.vertexCount == edges + !closed && mesh.triangleCount == 0);
            double turned = 0, first = 0;
            for (int e = 0; e < edges; e++) {
                const double *p = mesh.positions + 3 * mesh.edges[2 * e],
                             *q = mesh.positions + 3 * mesh.edges[2 * e + 1];
                double d[3] = { q[0] - p[0], q[1] - p[1], q[2] - p[2] },
                       length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
                first = e ? first : length;
                assert_true(fabs(length - first) < 1e-13 && fabs(hypot(p[0], p[2]) - 2) < 1e-14);
                assert_true(fabs(d[1] - (closed ? 0 : 0.5 * 2.5 / edges)) < 1e-14);
                turned += atan2(p[0] * q[2] - p[2] * q[0], p[0] * q[0] + p[2] * q[2]);
            }
            assert_true(fabs(fabs(turned) - 2 * 3.14159265358979323846 * (closed ? 1 : 2.5)) < 1e-12);
            vvMeshDestroy(&mesh);
        }
    refuse("ring", (double[]){ 1, 2 }, "ring.segments is 2");
    refuse("helix", (double[]){ 1, 1, 0, 9 }, "helix.turns is 0");
    refuse("helix", (double[]){ 1, 1, 1e5, 1e5 }, "'segments' or 'turns' smaller");
}

static void rows_describe_themselves(void **state)
{
    (void)state;
    const vvMeshGenerator *row;
    int count = 0;
    for (; (row = vvMeshGeneratorInfo(count)); count++) {
        assert_true(strlen(row->info.name) > 0 && strlen(row->info.summary) > 0 && row->paramCount > 0);
        for (int i = 0; i < row->paramCount; i++) {
            const vvParam *p = &row->params[i];
            assert_true(p->name && p->summary && p->unit && p->size >= 1 && p->size <= 4);
            for (int k = 0; k < p->size; k++)
                assert_true(p->fallback[k] >= p->min && p->fallback[k] <= p->max);
        }
    }
    assert_int_equal(count, 19);
    assert_null(vvMeshGeneratorInfo(-1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains),
        cmocka_unit_test(curves),
        cmocka_unit_test(solids_are_sound),
        cmocka_unit_test(sheets_are_sound),
        cmocka_unit_test(volumes_converge),
        cmocka_unit_test(shapes_are_symmetric),
        cmocka_unit_test(surfaces_are_exact),
        cmocka_unit_test(critter_stands),
        cmocka_unit_test(obstacles_are_as_said),
        cmocka_unit_test(bad_parameters_are_named),
        cmocka_unit_test(rows_describe_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

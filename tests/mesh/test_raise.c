/* layer: mesh
 * Meshes of order 2: raised from linear ones, finished by hand; their linear tets and surface; what is refused. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "mesh/raise.h"
#include "short_memory.h"
#include "positional.h"

static const double corner[4][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
static const int identity[10] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };

/* One element with straight edges. */
static void straight(double x[10][3])
{
    memcpy(x, corner, sizeof corner);
    for (int e = 0; e < 6; e++)
        for (int k = 0; k < 3; k++)
            x[4 + e][k] = 0.5 * (corner[vv_tet10_ends[e][0]][k] + corner[vv_tet10_ends[e][1]][k]);
}

static vvMesh one_element(double x[10][3], const int nodes[10])
{
    const vvMesh given = { .vertexCount = 10, .positions = x[0], .tet10Count = 1, .tets10 = (int *)(uintptr_t)nodes };
    vvMesh copy;
    assert_int_equal(vvMeshCopy(&given, &copy, NULL), VV_OK);
    return copy;
}

static vvMesh generated(void)
{
    vvMesh mesh;
    vvError error = { 0 };
    if (generate_mesh("ball", (double[]){ 0.5, 3 }, &mesh, &error))
        fail_msg("%s", error.message);
    return mesh;
}

/* ---- raising ---- */

static void raised_mesh_is_the_linear_one_cut_once(void **unused)
{
    (void)unused;
    vvMesh mesh = generated(), linear;
    vvMeshQuality before, after;
    vvMeshNotes notes;
    vvSurfaceCheck check;
    assert_int_equal(vvMeshCopy(&mesh, &linear, NULL), VV_OK);
    assert_int_equal(vvMeshRaise(&mesh, NULL), VV_OK);
    assert_int_equal(mesh.tet10Count, linear.tetCount);
    assert_int_equal(mesh.tetCount, 8 * linear.tetCount);
    assert_int_equal(mesh.triangleCount, 4 * linear.triangleCount);
    assert_memory_equal(mesh.positions, linear.positions, 3 * (size_t)linear.vertexCount * sizeof(double));
    for (int t = 0; t < mesh.tet10Count; t++) {
        const int *n = mesh.tets10 + 10 * t;
        assert_memory_equal(n, linear.tets + 4 * t, 4 * sizeof *n);
        for (int e = 0; e < 6; e++)
            for (int k = 0; k < 3; k++)
                assert_true(mesh.positions[3 * n[4 + e] + k] == 0.5 * (mesh.positions[3 * n[vv_tet10_ends[e][0]] + k] +
                                                                       mesh.positions[3 * n[vv_tet10_ends[e][1]] + k]));
        for (int i = 8 * t; i < 8 * t + 8; i++) /* eight equal parts, of the element's nodes */
            assert_true(fabs(8 * vv_tet_det(mesh.positions, mesh.tets + 4 * i) / vv_tet_det(mesh.positions, n) - 1) <
                        1e-9);
    }
    vvMeshMeasure(&linear, &before);
    vvMeshMeasure(&mesh, &after);
    assert_true(fabs(after.volume / before.volume - 1) < 1e-12 && fabs(after.area / before.area - 1) < 1e-12);
    assert_int_equal(vvMeshCheckSurface(&mesh, &check, NULL), VV_OK);
    assert_true(check.sound);
    vvSurfaceCheckDestroy(&check);
    /* again, and finished: it stays as it is */
    vvMesh copy;
    assert_int_equal(vvMeshCopy(&mesh, &copy, NULL), VV_OK);
    assert_int_equal(vvMeshRaise(&copy, NULL), VV_OK);
    assert_int_equal(vvMeshFinish(&copy, &notes, NULL), VV_OK);
    assert_int_equal(notes.flippedTets + notes.duplicateVertices + notes.unusedVertices, 0);
    assert_int_equal(copy.vertexCount, mesh.vertexCount);
    assert_memory_equal(copy.tets, mesh.tets, 4 * (size_t)mesh.tetCount * sizeof(int));
    assert_memory_equal(copy.tets10, mesh.tets10, 10 * (size_t)mesh.tet10Count * sizeof(int));
    assert_memory_equal(copy.triangles, mesh.triangles, 3 * (size_t)mesh.triangleCount * sizeof(int));
    vvMeshDestroy(&copy);
    vvMeshDestroy(&linear);
    vvMeshDestroy(&mesh);
}

/* Named groups get the middles between their vertices, and of each triangle four; again, nothing. */
static void groups_are_raised(void **unused)
{
    (void)unused;
    double x[12];
    int tet[4] = { 0, 1, 2, 3 }, face[3] = { 0, 1, 2 }, all[4] = { 0, 1, 2, 3 }, line[2] = { 1, 3 };
    memcpy(x, corner, sizeof x);
    vvMeshGroup groups[3] = {
        { .name = "floor", .dimension = 2, .vertexCount = 3, .triangleCount = 1, .vertices = face, .triangles = face },
        { .name = "body", .dimension = 3, .vertexCount = 4, .vertices = all },
        { .name = "edge", .dimension = 1, .vertexCount = 2, .vertices = line }
    };
    vvMesh given = { .vertexCount = 4,
                     .tetCount = 1,
                     .edgeCount = 1,
                     .positions = x,
                     .tets = tet,
                     .edges = line,
                     .groupCount = 3,
                     .groups = groups },
           mesh;
    assert_int_equal(vvMeshCopy(&given, &mesh, NULL), VV_OK);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(again ? vvMeshFinish(&mesh, NULL, NULL) : vvMeshRaise(&mesh, NULL), VV_OK);
        const vvMeshGroup *floor = vvMeshFindGroup(&mesh, "floor"), *edge = vvMeshFindGroup(&mesh, "edge");
        assert_int_equal(floor->vertexCount, 6);
        assert_int_equal(floor->triangleCount, 4);
        double area = 0;
        for (int t = 0; t < 4; t++) {
            const double *a = mesh.positions + 3 * floor->triangles[3 * t],
                         *b = mesh.positions + 3 * floor->triangles[3 * t + 1],
                         *c = mesh.positions + 3 * floor->triangles[3 * t + 2];
            assert_true(a[2] == 0 && b[2] == 0 && c[2] == 0);
            area += 0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
        }
        assert_true(fabs(area - 0.5) < 1e-15);
        assert_int_equal(vvMeshFindGroup(&mesh, "body")->vertexCount, 10);
        assert_int_equal(edge->vertexCount, 3);
        const double *middle = mesh.positions + 3 * edge->vertices[2];
        assert_true(middle[0] == 0.5 && middle[1] == 0 && middle[2] == 0.5);
    }
    vvMeshDestroy(&mesh);
}

/* Whichever diagonal is the shortest, the parts fill the element. */
static void parts_fill_the_element(void **unused)
{
    (void)unused;
    static const int diagonal[3][2] = { { 4, 9 }, { 5, 7 }, { 6, 8 } };
    static const int sheared[3][2] = { { 1, 2 }, { 0, 1 }, { 0, 2 } }; /* by which that one is made short */
    for (int d = 0; d < 3; d++) {
        double x[10][3], volume = 0;
        int tets[8][4];
        straight(x);
        for (int n = 0; n < 10; n++)
            x[n][sheared[d][0]] -= 0.7 * x[n][sheared[d][1]];
        vv_tet10_subdivide(x[0], identity, tets);
        for (int t = 0; t < 8; t++) {
            const double det = vv_tet_det(x[0], tets[t]);
            assert_true(fabs(det - 0.125) < 1e-12);
            volume += det;
        }
        assert_true(fabs(volume - 1) < 1e-12);
        assert_int_equal(tets[4][0], diagonal[d][0]);
        assert_int_equal(tets[4][1], diagonal[d][1]);
    }
}

/* ---- curved elements ---- */

/* Least det over a fine lattice of points. */
static double sampled(double x[10][3])
{
    double least = INFINITY;
    const int n = 24;
    for (int i = 0; i <= n; i++)
        for (int j = 0; i + j <= n; j++)
            for (int k = 0; i + j + k <= n; k++) {
                const double l[4] = { (double)(n - i - j - k) / n, (double)i / n, (double)j / n, (double)k / n };
                double d[9];
                vv_tet10_edges(x[0], identity, l, d);
                const double det = d[0] * (d[4] * d[8] - d[5] * d[7]) - d[1] * (d[3] * d[8] - d[5] * d[6]) +
                                   d[2] * (d[3] * d[7] - d[4] * d[6]);
                least = fmin(least, det);
            }
    return least;
}

/* The bound has the minimum's sign and is never above it, while middles wander farther and farther. */
static void the_sign_of_curved_elements(void **unused)
{
    (void)unused;
    uint64_t state = 5;
    int inside_out = 0, sound = 0;
    for (int i = 0; i < 400; i++) {
        double x[10][3];
        straight(x);
        for (int n = 4; n < 10; n++)
            for (int k = 0; k < 3; k++) {
                state = state * 6364136223846793005u + 1442695040888963407u;
                x[n][k] += 0.35 * i / 400 * ((double)(state >> 11) / 4503599627370496.0 - 1);
            }
        const double bound = vv_tet10_least_det(x[0], identity), least = sampled(x);
        if (fabs(least) < 0.01)
            continue;
        assert_int_equal(bound > 0, least > 0);
        assert_true(bound <= least + 1e-9 || least < 0);
        inside_out += least<0, sound += least> 0;
    }
    assert_true(inside_out > 50 && sound > 100);
}

/* Shares add up to 1, are the closed ones where it is straight, and positive wherever det is; the volume is that of
 * many points. */
static void lumped_mass(void **unused)
{
    (void)unused;
    double x[10][3], share[10], sum = 0;
    straight(x);
    assert_true(fabs(vv_tet10_lump(x[0], identity, share) - 1.0 / 6) < 1e-15);
    for (int n = 0; n < 10; n++)
        assert_true(fabs(share[n] - (n < 4 ? 1.0 / 36 : 4.0 / 27)) < 1e-15);
    x[5][0] += 1e-7; /* hardly curved: by points, and hardly another */
    assert_true(fabs(vv_tet10_lump(x[0], identity, share) - 1.0 / 6) < 1e-6);
    for (int n = 0; n < 10; n++)
        assert_true(fabs(share[n] - (n < 4 ? 1.0 / 36 : 4.0 / 27)) < 1e-6);
    x[5][0] += 0.08, x[5][1] += 0.08, x[9][2] -= 0.05;
    const double volume = vv_tet10_lump(x[0], identity, share);
    for (int n = 0; n < 10; n++) {
        assert_true(share[n] > 0.01 && share[n] < 0.25);
        sum += share[n];
    }
    assert_true(fabs(sum - 1) < 1e-14);
    double mean = 0; /* at the middles of small cubes */
    int count = 0;
    const int n = 40;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++) {
                const double a = (i + 0.5) / n, b = (j + 0.5) / n, c = (k + 0.5) / n;
                if (a + b + c >= 1)
                    continue;
                const double l[4] = { 1 - a - b - c, a, b, c };
                double d[9];
                vv_tet10_edges(x[0], identity, l, d);
                mean += d[0] * (d[4] * d[8] - d[5] * d[7]) - d[1] * (d[3] * d[8] - d[5] * d[6]) +
                        d[2] * (d[3] * d[7] - d[4] * d[6]);
                count++;
            }
    assert_true(fabs(volume / (mean / count / 6) - 1) < 0.02);
}

/* ---- finishing ---- */

static void left_handed_ones_are_turned(void **unused)
{
    (void)unused;
    double x[10][3];
    static const int mirrored[10] = { 0, 1, 3, 2, 4, 8, 7, 6, 5, 9 };
    vvMeshNotes notes;
    straight(x);
    vvMesh mesh = one_element(x, mirrored);
    assert_int_equal(vvMeshFinish(&mesh, &notes, NULL), VV_OK);
    assert_int_equal(notes.flippedTets, 1);
    assert_memory_equal(mesh.tets10, identity, sizeof identity);
    assert_int_equal(mesh.tetCount, 8);
    assert_int_equal(mesh.triangleCount, 16);
    vvMeshDestroy(&mesh);
}

static void expect_refused(double x[10][3], const int nodes[10], const char *word)
{
    vvError error = { 0 };
    vvMesh mesh = one_element(x, nodes);
    if (vvMeshFinish(&mesh, NULL, &error) != VV_ERROR_INPUT || !strstr(error.message, word))
        fail_msg("wanted a message with \"%s\", got \"%s\"", word, error.message);
    assert_int_equal(mesh.tetCount, 0); /* as it was */
    vvMeshDestroy(&mesh);
}

static void hostile_elements_are_refused(void **unused)
{
    (void)unused;
    double x[10][3];
    static const int gmsh[10] = { 0, 1, 2, 3, 4, 5, 6, 7, 9, 8 }, twice[10] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 4 };
    static const int outside[10] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 10 }, below[10] = { 0, 1, 2, -1, 4, 5, 6, 7, 8, 9 };
    straight(x);
    expect_refused(x, gmsh, "tet 0 of order 2 is turned inside out");
    expect_refused(x, twice, "at one vertex");
    expect_refused(x, outside, "vertex index 10");
    expect_refused(x, below, "vertex index -1");
    x[4][1] = 5;
    expect_refused(x, identity, "inside out");
    straight(x);
    memcpy(x[9], x[4], sizeof x[9]); /* two vertices at one position are one */
    expect_refused(x, identity, "at one vertex");
    straight(x);
    for (int n = 0; n < 10; n++)
        x[n][2] = 0;
    expect_refused(x, identity, "quadratic tet 0 has two corners");
    x[2][0] = NAN;
    expect_refused(x, identity, "finite");
}

/* Files whose tets have ten nodes keep them, curved, where that is asked for; beside linear ones their corners are
 * taken. */
static void read_from_files(void **unused)
{
    (void)unused;
    static const int gmsh[10] = { 0, 1, 2, 3, 4, 5, 6, 7, 9, 8 };
    double x[10][3];
    straight(x);
    x[8][0] += 0.04, x[9][1] -= 0.03;
    for (int kind = 0; kind < 3; kind++) {
        const char *path = kind < 2 ? "raise.msh" : "raise.vtk";
        vvMesh mesh;
        vvMeshNotes notes;
        vvError error = { 0 };
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        if (kind < 2) { /* a second time with a linear tet */
            fputs("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n10\n", f);
            for (int n = 0; n < 10; n++)
                fprintf(f, "%d %.17g %.17g %.17g\n", n + 1, x[n][0], x[n][1], x[n][2]);
            fprintf(f, "$EndNodes\n$Elements\n%d\n1 9 2 1 1 1 3 2 7 6 5\n2 11 2 1 1", 2 + kind);
            for (int n = 0; n < 10; n++)
                fprintf(f, " %d", gmsh[n] + 1);
            fputs(kind ? "\n3 4 2 1 1 5 6 7 8\n$EndElements\n" : "\n$EndElements\n", f);
        } else {
            fputs("# vtk DataFile Version 3.0\nmesh\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 10 double\n", f);
            for (int n = 0; n < 10; n++)
                fprintf(f, "%.17g %.17g %.17g\n", x[n][0], x[n][1], x[n][2]);
            fputs("CELLS 1 11\n10 0 1 2 3 4 5 6 7 8 9\nCELL_TYPES 1\n24\n", f);
        }
        fclose(f);
        if (vvMeshReadOrder2(path, &mesh, &notes, &error) != VV_OK)
            fail_msg("%s: %s", path, error.message);
        if (kind == 1) {
            assert_int_equal(mesh.tet10Count, 0);
            assert_int_equal(mesh.tetCount, 2);
            assert_int_equal(notes.straightened, 2);
        } else {
            assert_int_equal(mesh.tet10Count, 1);
            assert_memory_equal(mesh.tets10, identity, sizeof identity);
            assert_memory_equal(mesh.positions, x, sizeof x);
            assert_int_equal(mesh.tetCount, 8);
            assert_int_equal(mesh.triangleCount, 16);
            assert_int_equal(notes.straightened + notes.innerTriangles + notes.unusedVertices, 0);
        }
        vvMeshDestroy(&mesh);
        assert_int_equal(vvMeshRead(path, &mesh, &notes, &error), VV_OK); /* by their corners, as ever */
        assert_int_equal(mesh.tet10Count, 0);
        assert_true(notes.straightened > 0);
        vvMeshDestroy(&mesh);
        remove(path);
    }
}

static void what_cannot_be_raised(void **unused)
{
    (void)unused;
    vvMesh mesh;
    vvError error = { 0 };
    assert_int_equal(vvMeshGenerate("cloth", NULL, 0, &mesh, NULL), VV_OK);
    assert_int_equal(vvMeshRaise(&mesh, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "the mesh has none"));
    vvMeshDestroy(&mesh);
    mesh = generated();
    const int keep = mesh.tets[0];
    mesh.tets[0] = mesh.tets[1], mesh.tets[1] = keep;
    assert_int_equal(vvMeshRaise(&mesh, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "tet 0 has the volume -"));
    assert_int_equal(mesh.tet10Count, 0);
    vvMeshDestroy(&mesh);
    assert_int_equal(vvMeshRaise(NULL, &error), VV_ERROR_INPUT);
}

/* Without memory the mesh is as it was. */
static void short_of_memory(void **unused)
{
    (void)unused;
    vvMesh linear = generated();
    for (int k = 0, done = 0; !done; k++) {
        vvMesh mesh;
        budget b = { .left = 1 << 30 };
        const vvAllocator before = vv_memory_use(budget_allocator(&b));
        assert_int_equal(vvMeshCopy(&linear, &mesh, NULL), VV_OK);
        b.left = k;
        vvStatus status = vvMeshRaise(&mesh, NULL);
        if (status == VV_OK)
            status = vvMeshFinish(&mesh, NULL, NULL);
        assert_true(status == VV_OK || status == VV_ERROR_MEMORY);
        assert_int_equal(b.left < 0, status != VV_OK);
        assert_true(mesh.tet10Count == 0 || mesh.tet10Count == linear.tetCount);
        vvMeshDestroy(&mesh);
        assert_int_equal(b.live, 0);
        vv_memory_use(before);
        done = status == VV_OK;
        assert_true(k < 1000);
    }
    vvMeshDestroy(&linear);
}

/* Each rule has its degree, and no more: means of l0^i l1^j l2^k over a tet are 3! i! j! k! / (3 + i + j + k)!. */
static void rules(void **unused)
{
    (void)unused;
    static const int degrees[VV_TET10_RULES] = { 2, 5 };
    static const double factorial[] = { 1, 1, 2, 6, 24, 120, 720, 5040, 40320, 362880 };
    for (int r = 0; r < VV_TET10_RULES; r++) {
        const vv_tet10_rule *rule = vv_tet10_rules + r;
        double beyond = 0;
        assert_true(rule->points % 2 == 0);
        for (int q = 0; q < rule->points; q++) {
            double sum = 0;
            for (int a = 0; a < 4; a++) {
                assert_true(rule->l[q][a] > 0);
                sum += rule->l[q][a];
            }
            assert_true(rule->weight[q] > 0 && fabs(sum - 1) < 1e-15);
        }
        for (int i = 0; i <= degrees[r] + 1; i++)
            for (int j = 0; i + j <= degrees[r] + 1; j++)
                for (int k = 0; i + j + k <= degrees[r] + 1; k++) {
                    const double exact = 6 * factorial[i] * factorial[j] * factorial[k] / factorial[3 + i + j + k];
                    double mean = 0;
                    for (int q = 0; q < rule->points; q++)
                        mean += rule->weight[q] * pow(rule->l[q][0], i) * pow(rule->l[q][1], j) * pow(rule->l[q][2], k);
                    if (i + j + k <= degrees[r])
                        assert_true(fabs(mean - exact) < 1e-15);
                    else
                        beyond = fmax(beyond, fabs(mean - exact));
                }
        assert_true(beyond > 1e-5);
        assert_int_equal(vv_quadrature_find(rule->info.name), r);
        assert_ptr_equal(vv_quadrature_info(r), &rule->info);
    }
    assert_null(vv_quadrature_info(VV_TET10_RULES));
    assert_null(vv_quadrature_info(-1));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(raised_mesh_is_the_linear_one_cut_once),
                                        cmocka_unit_test(groups_are_raised),
                                        cmocka_unit_test(parts_fill_the_element),
                                        cmocka_unit_test(the_sign_of_curved_elements),
                                        cmocka_unit_test(lumped_mass),
                                        cmocka_unit_test(rules),
                                        cmocka_unit_test(left_handed_ones_are_turned),
                                        cmocka_unit_test(hostile_elements_are_refused),
                                        cmocka_unit_test(read_from_files),
                                        cmocka_unit_test(what_cannot_be_raised),
                                        cmocka_unit_test(short_of_memory) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

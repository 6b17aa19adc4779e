/* vvMeshFinish: what it mends, what it refuses, what it keeps. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "mesh/mesh.h"
#include "mesh_support.h"
#include "positional.h"

#include <math.h>

/* A mesh of the library's own memory from plain arrays. */
static vvMesh mesh_of(int vertices, const double *x, int tets, const int *t, int triangles, const int *f, int edges,
                      const int *e)
{
    vvMesh given = { vertices, tets, triangles, edges, (double *)x, (int *)t, (int *)f, (int *)e, 0, NULL }, mesh;
    assert_int_equal(vvMeshCopy(&given, &mesh, NULL), VV_OK);
    return mesh;
}

static const double corner[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1 };

static void expect_refusal(vvMesh *mesh, const char *text)
{
    vvError error = { 0 };
    vvStatus status = vvMeshFinish(mesh, NULL, &error);
    if (status != VV_ERROR_INPUT || !strstr(error.message, text))
        fail_msg("status %d, message '%s' without '%s'", status, error.message, text);
}

static void refuse(vvMesh mesh, const char *text)
{
    vvMesh before;
    assert_int_equal(vvMeshCopy(&mesh, &before, NULL), VV_OK);
    expect_refusal(&mesh, text);
    assert_same_mesh(&mesh, &before); /* a refusal changes nothing */
    vvMeshDestroy(&before);
    vvMeshDestroy(&mesh);
}

static void one_tet_has_an_outward_boundary(void **state)
{
    (void)state;
    vvMesh m = mesh_of(4, corner, 1, (int[]){ 0, 1, 2, 3 }, 0, NULL, 0, NULL);
    vvMeshNotes notes;
    assert_int_equal(vvMeshFinish(&m, &notes, NULL), VV_OK);
    assert_no_repair(&notes);
    assert_int_equal(m.triangleCount, 4);
    assert_int_equal(notes.components, 1);
    assert_true(fabs(surface_det(&m) - 1) < 1e-15);
    assert_sound(&m);
    vvMeshDestroy(&m);
}

static void inverted_tets_are_turned(void **state)
{
    (void)state;
    vvMesh m = mesh_of(5, corner, 2, (int[]){ 0, 2, 1, 3, 1, 2, 3, 4 }, 0, NULL, 0, NULL);
    vvMeshNotes notes;
    assert_int_equal(vvMeshFinish(&m, &notes, NULL), VV_OK);
    assert_int_equal(notes.flippedTets, 1);
    assert_int_equal(m.triangleCount, 6);
    for (int t = 0; t < 2; t++)
        assert_true(vv_tet_det(m.positions, m.tets + 4 * t) > 0);
    assert_sound(&m);
    vvMeshDestroy(&m);
}

static void vertices_are_merged_and_dropped(void **state)
{
    (void)state;
    /* two tets with their common face given twice, one stray vertex first; -0 and 0 are one place */
    const double x[] = { 9, 9, 9, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, -0.0, 0, 0, 1, -0.0, 0, 0, 1, 1, 1, 1 };
    vvMesh m = mesh_of(9, x, 2, (int[]){ 1, 2, 3, 4, 5, 6, 7, 8 }, 0, NULL, 1, (int[]){ 1, 8 });
    vvMeshNotes notes;
    assert_int_equal(vvMeshFinish(&m, &notes, NULL), VV_OK);
    assert_int_equal(notes.duplicateVertices, 3);
    assert_int_equal(notes.unusedVertices, 1);
    assert_int_equal(notes.components, 1);
    assert_int_equal(m.vertexCount, 5);
    assert_int_equal(m.triangleCount, 6);
    assert_memory_equal(m.positions, corner, sizeof corner); /* in their old order */
    assert_int_equal(m.edges[1], 4);
    assert_sound(&m);
    vvMeshDestroy(&m);
}

static void order_is_kept(void **state)
{
    (void)state;
    vvMesh m, copy;
    assert_int_equal(vvMeshGenerate("ball", NULL, 0, &m, NULL), VV_OK);
    assert_int_equal(vvMeshCopy(&m, &copy, NULL), VV_OK);
    assert_int_equal(vvMeshFinish(&copy, NULL, NULL), VV_OK);
    assert_same_mesh(&m, &copy);
    vvMeshDestroy(&m);
    vvMeshDestroy(&copy);
}

static void broken_meshes_are_refused(void **state)
{
    (void)state;
    const double nan_x[] = { 0, 0, 0, 1, NAN, 0, 0, 1, 0, 0, 0, 1 },
                 inf_x[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, INFINITY };
    const double huge[] = { 0, 0, 0, 1, 0, 0, 0, 1e200, 0, 0, 0, 1 }, flat[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0 };
    const double near_flat[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 1e-13 };
    const double same[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0 }, line[] = { 0, 0, 0, 1, 1, 1, 2, 2, 2 };
    expect_refusal(&(vvMesh){ 0 }, "no vertices");
    expect_refusal(&(vvMesh){ .vertexCount = -1 }, "-1 vertices");
    expect_refusal(&(vvMesh){ .vertexCount = 3 }, "positions is NULL");
    expect_refusal(&(vvMesh){ .vertexCount = 5, .positions = (double *)corner, .tetCount = 1 }, "array is NULL");
    refuse(mesh_of(3, corner, 0, NULL, 0, NULL, 0, NULL), "no tets, triangles, edges or points");
    expect_refusal(&(vvMesh){ .vertexCount = 1, .positions = (double *)corner, .tetCount = -2 }, "-2 tets");
    expect_refusal(&(vvMesh){ .vertexCount = 5, .positions = (double *)corner, .triangleCount = 2000000000 },
                   "2000000000 triangles");
    refuse(mesh_of(4, nan_x, 1, (int[]){ 0, 1, 2, 3 }, 0, NULL, 0, NULL), "vertex 1 has y = nan");
    refuse(mesh_of(4, inf_x, 1, (int[]){ 0, 1, 2, 3 }, 0, NULL, 0, NULL), "vertex 3 has z = inf");
    refuse(mesh_of(4, huge, 1, (int[]){ 0, 1, 2, 3 }, 0, NULL, 0, NULL), "vertex 2 has y = 1e+200");
    refuse(mesh_of(4, corner, 1, (int[]){ 0, 1, 2, 4 }, 0, NULL, 0, NULL),
           "tet 0 has vertex index 4; there are 4 vertices");
    refuse(mesh_of(4, corner, 1, (int[]){ 0, 1, 2, -1 }, 0, NULL, 0, NULL), "vertex index -1");
    refuse(mesh_of(4, corner, 1, (int[]){ 0, 1, 1, 3 }, 0, NULL, 0, NULL), "tet 0 has two corners at one vertex");
    refuse(mesh_of(4, same, 1, (int[]){ 0, 1, 2, 3 }, 0, NULL, 0, NULL),
           "tet 0 has two corners at one vertex (corners 2 and 3");
    refuse(mesh_of(4, flat, 1, (int[]){ 0, 1, 2, 3 }, 0, NULL, 0, NULL), "tet 0 has no volume");
    refuse(mesh_of(4, near_flat, 1, (int[]){ 0, 1, 2, 3 }, 0, NULL, 0, NULL), "tet 0 has no volume");
    refuse(mesh_of(4, corner, 2, (int[]){ 0, 1, 2, 3, 3, 1, 0, 2 }, 0, NULL, 0, NULL),
           "tet 1 has the same four vertices as tet 0");
    refuse(mesh_of(3, corner, 0, NULL, 1, (int[]){ 0, 1, 1 }, 0, NULL), "no triangle of 1 has an area");
    refuse(mesh_of(3, line, 0, NULL, 1, (int[]){ 0, 1, 2 }, 0, NULL), "no triangle of 1 has an area");
    refuse(mesh_of(3, corner, 0, NULL, 0, NULL, 1, (int[]){ 2, 2 }), "edge 0 has two corners");
    refuse(mesh_of(3, corner, 0, NULL, 0, NULL, 1, (int[]){ 0, 3 }), "edge 0 has vertex index 3");
}

static void three_tets_at_a_face_are_refused(void **state)
{
    (void)state;
    const double x[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -1, 0.2, 0.2, 2 };
    refuse(mesh_of(6, x, 3, (int[]){ 0, 1, 2, 3, 0, 1, 2, 4, 0, 1, 2, 5 }, 0, NULL, 0, NULL),
           "tets 0, 1 and 2 share one face");
    refuse(mesh_of(6, x, 2, (int[]){ 0, 1, 2, 3, 0, 1, 2, 5 }, 0, NULL, 0, NULL), "tets 0 and 1 lie on the same side");
}

/* Tets replace the triangles that a file gives with them. */
static void triangles_beside_tets_go(void **state)
{
    (void)state;
    vvMesh m = mesh_of(5, corner, 1, (int[]){ 0, 1, 2, 3 }, 2, (int[]){ 0, 1, 2, 3, 1, 0 }, 0, NULL);
    vvMeshNotes notes;
    assert_int_equal(vvMeshFinish(&m, &notes, NULL), VV_OK);
    assert_int_equal(m.triangleCount, 4);
    assert_int_equal(m.vertexCount, 4);
    assert_int_equal(notes.innerTriangles, 0);
    vvMeshDestroy(&m);
}

/* A square with a collapsed triangle along an edge, as at a pole, and one that names a vertex twice. */
static void collapsed_triangles_go(void **state)
{
    (void)state;
    const double x[] = { 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0 };
    vvMesh m = mesh_of(5, x, 0, NULL, 3, (int[]){ 4, 1, 0, 0, 1, 2, 0, 2, 3 }, 0, NULL);
    vvMeshNotes notes;
    assert_int_equal(vvMeshFinish(&m, &notes, NULL), VV_OK);
    assert_int_equal(m.triangleCount, 2);
    assert_int_equal(m.vertexCount, 4);
    assert_int_equal(notes.droppedTriangles, 1);
    assert_int_equal(m.triangles[0] + m.triangles[1] + m.triangles[2], 3);
    vvMeshDestroy(&m);
    refuse(mesh_of(5, x, 0, NULL, 2, (int[]){ 0, 1, 4, 0, 1, 1 }, 0, NULL), "no triangle of 2 has an area");
}

/* Written again, in either turn. */
static void repeated_triangles_go(void **state)
{
    (void)state;
    vvMesh m = mesh_of(4, corner, 0, NULL, 4, (int[]){ 0, 1, 2, 2, 1, 0, 1, 3, 2, 1, 2, 0 }, 0, NULL);
    vvMeshNotes notes;
    assert_int_equal(vvMeshFinish(&m, &notes, NULL), VV_OK);
    assert_int_equal(m.triangleCount, 2);
    assert_int_equal(notes.repeatedTriangles, 2);
    vvMeshDestroy(&m);
}

/* A unit cube as a soup, whose corners are moved by up to `noise` and rounded to single precision; `far`: where it is.
 */
static vvMesh cube_soup(double noise, double far)
{
    static const int quads[6][4] = { { 0, 2, 3, 1 }, { 4, 5, 7, 6 }, { 0, 1, 5, 4 },
                                     { 2, 6, 7, 3 }, { 0, 4, 6, 2 }, { 1, 3, 7, 5 } };
    double x[36 * 3];
    int triangles[36], n = 0;
    uint32_t random = 1;
    for (int f = 0; f < 6; f++)
        for (int c = 0; c < 6; c++, n++) {
            const int at = quads[f][(int[]){ 0, 1, 2, 0, 2, 3 }[c]];
            triangles[n] = n;
            for (int k = 0; k < 3; k++) {
                random = random * 1664525u + 1013904223u;
                x[3 * n + k] = (float)(far + (at >> k & 1) + noise * ((double)(random >> 8) / (1 << 23) - 1));
            }
        }
    return mesh_of(36, x, 0, NULL, 12, triangles, 0, NULL);
}

/* What rounding moved apart is one vertex; what somebody made apart is not, however large or far the whole is. */
static void corners_apart_by_rounding_are_one(void **state)
{
    (void)state;
    vvMeshNotes notes;
    vvMesh m = cube_soup(2e-8, 0);
    assert_int_equal(vvMeshFinish(&m, &notes, NULL), VV_OK);
    assert_int_equal(m.vertexCount, 8);
    assert_int_equal(notes.openEdges, 0);
    assert_true(notes.nearVertices > 0);
    vvMeshDestroy(&m);
    m = cube_soup(1e-3, 0);
    assert_int_equal(vvMeshFinish(&m, &notes, NULL), VV_OK);
    assert_int_equal(m.vertexCount, 36);
    assert_int_equal(notes.nearVertices, 0);
    vvMeshDestroy(&m);
    m = cube_soup(0.01, 1e6); /* single precision has steps of 6 cm there, more than a hundredth of its edges */
    assert_int_equal(vvMeshFinish(&m, &notes, NULL), VV_OK);
    assert_int_equal(notes.nearVertices, 0);
    vvMeshDestroy(&m);
}

/* The face between two tets is none of their boundary. */
static void triangles_between_tets_are_counted(void **state)
{
    (void)state;
    vvMesh m =
        mesh_of(5, corner, 2, (int[]){ 0, 1, 2, 3, 1, 2, 3, 4 }, 3, (int[]){ 0, 1, 2, 3, 2, 1, 4, 0, 1 }, 0, NULL);
    vvMeshNotes notes;
    assert_int_equal(vvMeshFinish(&m, &notes, NULL), VV_OK);
    assert_int_equal(m.triangleCount, 6);
    assert_int_equal(notes.innerTriangles, 2); /* and (4, 0, 1), which is no face at all */
    vvMeshDestroy(&m);
}

/* A second vertex at a tet's corner is that corner; a vertex elsewhere would be lost with its triangles. */
static void a_surface_apart_from_tets_is_refused(void **state)
{
    (void)state;
    const double x[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1, 0, 0, 1 };
    vvMesh m = mesh_of(6, x, 1, (int[]){ 0, 1, 2, 3 }, 1, (int[]){ 0, 1, 5 }, 0, NULL);
    vvMeshNotes notes;
    assert_int_equal(vvMeshFinish(&m, &notes, NULL), VV_OK);
    assert_int_equal(notes.innerTriangles, 0);
    vvMeshDestroy(&m);
    refuse(mesh_of(6, x, 1, (int[]){ 0, 1, 2, 3 }, 2, (int[]){ 0, 1, 5, 0, 1, 4 }, 0, NULL),
           "triangle 1 stands apart from the tets: it has a corner at (1, 1, 1)");
}

/* ---- surfaces -------------------------------------------------------------------------------------------------- */

/* The boundary of a generated solid, each triangle turned where pattern(t) says so. */
static vvMesh turned_surface(const char *name, int (*pattern)(int t))
{
    vvMesh m, solid;
    assert_int_equal(vvMeshGenerate(name, NULL, 0, &solid, NULL), VV_OK);
    m = mesh_of(solid.vertexCount, solid.positions, 0, NULL, solid.triangleCount, solid.triangles, 0, NULL);
    vvMeshDestroy(&solid);
    for (int t = 0; t < m.triangleCount; t++)
        if (pattern(t)) {
            int swap = m.triangles[3 * t];
            m.triangles[3 * t] = m.triangles[3 * t + 1];
            m.triangles[3 * t + 1] = swap;
        }
    return m;
}

static int none(int t) { return t < 0; }
static int all(int t) { return t >= 0; }
static int thirds(int t) { return t % 3 == 0; }
static int most(int t) { return t % 5 != 0; }

static void closed_surfaces_face_outwards(void **state)
{
    (void)state;
    int (*patterns[])(int) = { none, all, thirds, most };
    vvMesh solid;
    assert_int_equal(vvMeshGenerate("torus", NULL, 0, &solid, NULL), VV_OK);
    for (int i = 0; i < 4; i++) {
        vvMesh m = turned_surface("torus", patterns[i]);
        vvMeshNotes notes;
        assert_int_equal(vvMeshFinish(&m, &notes, NULL), VV_OK);
        assert_int_equal(notes.openEdges, 0);
        assert_true(fabs(surface_det(&m) / surface_det(&solid) - 1) < 1e-12);
        assert_sound(&m);
        vvMeshDestroy(&m);
    }
    vvMeshDestroy(&solid);
}

/* An open sheet keeps the orientation most of its triangles have. */
static void sheets_keep_their_side(void **state)
{
    (void)state;
    vvMesh sheet, m;
    assert_int_equal(vvMeshGenerate("cloth", NULL, 0, &sheet, NULL), VV_OK);
    assert_int_equal(vvMeshCopy(&sheet, &m, NULL), VV_OK);
    for (int t = 0; t < m.triangleCount; t += 3) {
        int swap = m.triangles[3 * t + 1];
        m.triangles[3 * t + 1] = m.triangles[3 * t + 2];
        m.triangles[3 * t + 2] = swap;
    }
    assert_int_equal(vvMeshFinish(&m, NULL, NULL), VV_OK);
    assert_same_mesh(&m, &sheet);
    vvMeshDestroy(&m);
    vvMeshDestroy(&sheet);
}

/* Six triangles around with a half twist. */
static void moebius_band_stays(void **state)
{
    (void)state;
    enum { N = 12 };
    double x[6 * N];
    int f[6 * N];
    for (int i = 0; i < N; i++) {
        double u = 2 * 3.14159265358979 * i / N, w = 0.3;
        for (int s = 0; s < 2; s++) {
            double r = 1 + (s ? w : -w) * cos(u / 2);
            x[6 * i + 3 * s] = r * cos(u);
            x[6 * i + 3 * s + 1] = r * sin(u);
            x[6 * i + 3 * s + 2] = (s ? w : -w) * sin(u / 2);
        }
        int a = 2 * i, b = 2 * i + 1, c = i + 1 < N ? 2 * i + 2 : 1, d = i + 1 < N ? 2 * i + 3 : 0;
        const int made[6] = { a, b, c, b, d, c };
        memcpy(f + 6 * i, made, sizeof made);
    }
    vvMesh m = mesh_of(2 * N, x, 0, NULL, 2 * N, f, 0, NULL);
    vvMeshNotes notes;
    assert_int_equal(vvMeshFinish(&m, &notes, NULL), VV_OK);
    assert_int_equal(notes.openEdges, 2 * N);
    assert_memory_equal(m.triangles, f, sizeof f);
    vvMeshDestroy(&m);
}

/* A ball with a cavity that faces inwards keeps it; a ball apart from it is turned. */
static void cavities_stay(void **state)
{
    (void)state;
    vvMesh ball, m;
    assert_int_equal(generate_mesh("ball", (double[]){ 1, 3 }, &ball, NULL), VV_OK);
    int v = ball.vertexCount, t = ball.triangleCount;
    for (int apart = 0; apart < 2; apart++) {
        assert_int_equal(vv_mesh_alloc(&m, 2 * v, 0, 2 * t, 0, NULL), VV_OK);
        for (int i = 0; i < 3 * v; i++) {
            m.positions[i] = ball.positions[i];
            m.positions[3 * v + i] = 0.5 * ball.positions[i] + (apart && i % 3 == 0 ? 5 : 0);
        }
        for (int i = 0; i < 3 * t; i++) {
            m.triangles[i] = ball.triangles[i];
            m.triangles[3 * t + i] = v + ball.triangles[i / 3 * 3 + 2 - i % 3];
        }
        vvMeshNotes notes;
        assert_int_equal(vvMeshFinish(&m, &notes, NULL), VV_OK);
        assert_int_equal(notes.components, 2);
        assert_true(fabs(surface_det(&m) / surface_det(&ball) - (apart ? 1.125 : 0.875)) < 1e-12);
        vvMeshDestroy(&m);
    }
    vvMeshDestroy(&ball);
}

static void edges_stand_once(void **state)
{
    (void)state;
    vvMesh m = mesh_of(4, corner, 0, NULL, 0, NULL, 5, (int[]){ 2, 1, 0, 1, 1, 2, 1, 3, 1, 0 });
    vvMeshNotes notes;
    assert_int_equal(vvMeshFinish(&m, &notes, NULL), VV_OK);
    assert_int_equal(m.edgeCount, 3);
    assert_memory_equal(m.edges, ((int[]){ 2, 1, 0, 1, 1, 3 }), 6 * sizeof(int));
    assert_int_equal(notes.components, 1);
    vvMeshDestroy(&m);
}

/* ---- quality ----------------------------------------------------------------------------------------------------- */

static void quality_of_known_tets(void **state)
{
    (void)state;
    const double regular[] = { 1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1 };
    vvMesh m = mesh_of(4, regular, 1, (int[]){ 0, 1, 2, 3 }, 0, NULL, 0, NULL);
    vvMeshQuality q;
    assert_int_equal(vvMeshFinish(&m, NULL, NULL), VV_OK);
    vvMeshMeasure(&m, &q);
    double dihedral = acos(1.0 / 3) * 180 / acos(-1);
    assert_true(fabs(q.minDihedral - dihedral) < 1e-12 && fabs(q.maxDihedral - dihedral) < 1e-12);
    assert_true(fabs(q.worstAspect - 1) < 1e-14 && q.worstTet == 0);
    assert_true(fabs(q.volume - 8.0 / 3) < 1e-14 && fabs(q.minVolume - 8.0 / 3) < 1e-14);
    assert_true(fabs(q.area - 8 * sqrt(3)) < 1e-13);
    assert_true(fabs(q.shortestEdge - sqrt(8)) < 1e-15 && fabs(q.meanEdge - sqrt(8)) < 1e-14);
    assert_true(q.boundsMin[0] == -1 && q.boundsMax[2] == 1 && q.tetsBelow10Degrees == 0);
    vvMeshDestroy(&m);

    /* the corner tet: three right angles, three of atan(sqrt 2); altitude 1 / sqrt 3 over the long edges */
    m = mesh_of(4, corner, 1, (int[]){ 0, 1, 2, 3 }, 0, NULL, 0, NULL);
    assert_int_equal(vvMeshFinish(&m, NULL, NULL), VV_OK);
    vvMeshMeasure(&m, &q);
    assert_true(fabs(q.minDihedral - atan(sqrt(2)) * 180 / acos(-1)) < 1e-12 && fabs(q.maxDihedral - 90) < 1e-12);
    assert_true(fabs(q.worstAspect - sqrt(2) * sqrt(3) * sqrt(2.0 / 3)) < 1e-14);
    vvMeshDestroy(&m);

    vvMeshMeasure(&(vvMesh){ 0 }, &q);
    assert_true(q.volume == 0 && q.worstTet == -1 && q.minDihedral == 0 && q.shortestEdge == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_tet_has_an_outward_boundary),
        cmocka_unit_test(inverted_tets_are_turned),
        cmocka_unit_test(vertices_are_merged_and_dropped),
        cmocka_unit_test(order_is_kept),
        cmocka_unit_test(broken_meshes_are_refused),
        cmocka_unit_test(three_tets_at_a_face_are_refused),
        cmocka_unit_test(triangles_beside_tets_go),
        cmocka_unit_test(collapsed_triangles_go),
        cmocka_unit_test(repeated_triangles_go),
        cmocka_unit_test(corners_apart_by_rounding_are_one),
        cmocka_unit_test(triangles_between_tets_are_counted),
        cmocka_unit_test(a_surface_apart_from_tets_is_refused),
        cmocka_unit_test(closed_surfaces_face_outwards),
        cmocka_unit_test(sheets_keep_their_side),
        cmocka_unit_test(moebius_band_stays),
        cmocka_unit_test(cavities_stay),
        cmocka_unit_test(edges_stand_once),
        cmocka_unit_test(quality_of_known_tets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

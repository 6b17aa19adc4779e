/* vvMeshCloseHoles: small holes go, wide ones stay, the rest of the surface is as it was; and what vvMeshFinish says
 * of surfaces that it turned over or cannot orient. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "mesh/mesh.h"
#include "mesh_support.h"
#include "short_memory.h"

#include <math.h>

static vvMesh surface_of(const char *generator)
{
    vvMesh m;
    assert_int_equal(vvMeshGenerate(generator, NULL, 0, &m, NULL), VV_OK);
    m.tetCount = m.edgeCount = 0;
    assert_int_equal(vvMeshFinish(&m, NULL, NULL), VV_OK);
    return m;
}

static void drop(vvMesh *m, int triangle)
{
    m->triangleCount--;
    memmove(m->triangles + 3 * triangle, m->triangles + 3 * (triangle + 1),
            3 * (size_t)(m->triangleCount - triangle) * sizeof(int));
}

/* Without all triangles at a vertex. */
static void bore(vvMesh *m, int vertex)
{
    for (int t = m->triangleCount - 1; t >= 0; t--)
        if (m->triangles[3 * t] == vertex || m->triangles[3 * t + 1] == vertex || m->triangles[3 * t + 2] == vertex)
            drop(m, t);
    assert_int_equal(vvMeshFinish(m, NULL, NULL), VV_OK);
}

static double volume(const vvMesh *m, vvSurfaceCheck *check)
{
    assert_int_equal(vvMeshCheckSurface(m, check, NULL), VV_OK);
    return check->volume;
}

/* A body with holes of several sizes is whole again: closed, facing outwards, with nearly its volume. */
static void small_holes_go(void **state)
{
    (void)state;
    const char *const shapes[] = { "ball", "torus", "critter", "die", "cylinder", "box" };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        vvMesh m = surface_of(shapes[i]);
        vvSurfaceCheck check;
        vvMeshQuality q;
        vvHoleNotes notes;
        double whole = volume(&m, &check);
        vvSurfaceCheckDestroy(&check);
        vvMeshMeasure(&m, &q);
        int before = m.triangleCount;
        bore(&m, m.vertexCount / 2);
        drop(&m, 0);
        assert_int_equal(vvMeshCloseHoles(&m,
                                          0.4 * hypot(q.boundsMax[0] - q.boundsMin[0], q.boundsMax[1] - q.boundsMin[1]),
                                          &notes, NULL),
                         VV_OK);
        assert_int_equal(notes.closed, 2);
        assert_int_equal(notes.left, 0);
        assert_true(notes.widest > 0.5 * q.shortestEdge && notes.narrowest == 0);
        assert_true(m.triangleCount < before && m.triangleCount > before - 6);
        assert_sound(&m);
        assert_true(fabs(volume(&m, &check) / whole - 1) < 0.05);
        assert_true(check.sound && check.reversedCount == 0 && check.partCount == 1);
        vvSurfaceCheckDestroy(&check);
        assert_int_equal(vvMeshCloseHoles(&m, 1, &notes, NULL), VV_OK); /* nothing left to do */
        assert_int_equal(notes.closed + notes.left + notes.triangles, 0);
        vvMeshDestroy(&m);
    }
}

/* A tube without its ends, one of them closed before: only what is narrow enough is closed. */
static void wide_holes_stay(void **state)
{
    (void)state;
    vvMesh m = surface_of("ball"), copy;
    vvHoleNotes notes;
    bore(&m, 3);
    assert_int_equal(vvMeshCopy(&m, &copy, NULL), VV_OK);
    assert_int_equal(vvMeshCloseHoles(&m, 1e-4, &notes, NULL), VV_OK);
    assert_int_equal(notes.closed, 0);
    assert_int_equal(notes.left, 1);
    double wide = notes.narrowest;
    assert_true(wide > 1e-4 && wide < 0.05);
    assert_same_mesh(&m, &copy);
    assert_int_equal(vvMeshCloseHoles(&m, 0.999 * wide, &notes, NULL), VV_OK);
    assert_int_equal(notes.closed, 0);
    assert_int_equal(vvMeshCloseHoles(&m, 1.001 * wide, &notes, NULL), VV_OK);
    assert_int_equal(notes.closed, 1);
    assert_true(fabs(notes.widest - wide) < 0.2 * wide);
    vvMeshDestroy(&m);
    vvMeshDestroy(&copy);
}

/* A sheet is no body with a hole, and scraps are not doubled. */
static void sheets_stay(void **state)
{
    (void)state;
    vvHoleNotes notes;
    vvMesh cloth = surface_of("cloth");
    int before = cloth.triangleCount;
    assert_int_equal(vvMeshCloseHoles(&cloth, 0.5, &notes, NULL), VV_OK);
    assert_int_equal(notes.closed, 0);
    assert_int_equal(notes.left, 1);
    assert_true(notes.narrowest > 0.9);
    assert_int_equal(cloth.triangleCount, before);
    cloth.triangleCount = 2; /* a quadrilateral, and then one triangle */
    for (; cloth.triangleCount > 0; cloth.triangleCount--) {
        assert_int_equal(vvMeshFinish(&cloth, NULL, NULL), VV_OK);
        int left = cloth.triangleCount;
        assert_int_equal(vvMeshCloseHoles(&cloth, 10, &notes, NULL), VV_OK);
        assert_int_equal(notes.closed, 0);
        assert_int_equal(notes.left, 1);
        assert_int_equal(cloth.triangleCount, left);
    }
    vvMeshDestroy(&cloth);
}

/* Two holes that share a vertex: each is closed by itself. */
static void rims_that_meet(void **state)
{
    (void)state;
    vvMesh m = surface_of("ball"), whole = surface_of("ball");
    vvHoleNotes notes;
    int v = m.triangles[0], first = -1;
    for (int t = 1; t < m.triangleCount; t++) { /* a triangle at v that shares no edge with triangle 0 */
        int common = 0, at = 0;
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                common += m.triangles[3 * t + i] == m.triangles[k];
        for (int i = 0; i < 3; i++)
            at += m.triangles[3 * t + i] == v;
        if (at && common == 1)
            first = t;
    }
    assert_true(first > 0);
    drop(&m, first);
    drop(&m, 0);
    int far = m.triangleCount / 2;
    drop(&m, far);
    assert_int_equal(vvMeshCloseHoles(&m, 1, &notes, NULL), VV_OK);
    assert_int_equal(notes.closed, 3);
    assert_int_equal(notes.left, 0);
    assert_int_equal(notes.triangles, 3); /* the same three again */
    assert_true(fabs(surface_det(&m) / surface_det(&whole) - 1) < 1e-12);
    vvMeshDestroy(&m);
    vvMeshDestroy(&whole);
}

/* However many triangles are gone: it is closed as far as it is said to be, no triangle is doubled, and what can be
 * told apart is right. */
static void sieves(void **state)
{
    (void)state;
    const char *const shapes[] = { "ball", "torus", "critter" };
    int whole = 0;
    for (int i = 0; i < 90; i++) {
        vvMesh m = surface_of(shapes[i % 3]);
        vvSurfaceCheck check, after;
        vvHoleNotes notes;
        double before = volume(&m, &check);
        vvSurfaceCheckDestroy(&check);
        int part = 3 + i / 3 % 30; /* one in so many goes */
        uint32_t seed = 17u + (uint32_t)i;
        for (int t = m.triangleCount - 1; t >= 0; t--) {
            seed = seed * 1664525u + 1013904223u;
            if ((seed >> 8) % (uint32_t)part == 0)
                drop(&m, t);
        }
        assert_int_equal(vvMeshFinish(&m, NULL, NULL), VV_OK);
        volume(&m, &check);
        vvError error = { 0 };
        if (vvMeshCloseHoles(&m, 10, &notes, &error) != VV_OK)
            fail_msg("%s, one in %d: %s", shapes[i % 3], part, error.message);
        assert_int_equal(notes.wider, 0);
        double now = volume(&m, &after);
        assert_true(after.openEdges < check.openEdges && (after.openEdges == 0) == (notes.left == 0));
        assert_true(part < 10 || notes.left == 0);
        whole += part >= 20 && after.sound && fabs(now / before - 1) < 0.05;
        vvSurfaceCheckDestroy(&check);
        vvSurfaceCheckDestroy(&after);
        vvMeshDestroy(&m);
    }
    assert_int_equal(whole, 39);
}

static void what_is_refused(void **state)
{
    (void)state;
    vvMesh m;
    vvError error;
    assert_int_equal(vvMeshGenerate("ball", NULL, 0, &m, NULL), VV_OK);
    assert_int_equal(vvMeshCloseHoles(&m, 1, NULL, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "holes are closed in surfaces"));
    m.tetCount = 0;
    assert_int_equal(vvMeshCloseHoles(&m, NAN, NULL, &error), VV_ERROR_INPUT);
    assert_int_equal(vvMeshCloseHoles(&m, -1, NULL, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "must be 0 or more"));
    assert_int_equal(vvMeshCloseHoles(&m, 1, NULL, NULL), VV_OK);
    m.triangleCount = 0;
    assert_int_equal(vvMeshCloseHoles(&m, 1, NULL, &error), VV_ERROR_INPUT);
    vvMeshDestroy(&m);
}

static void no_memory(void **state)
{
    (void)state;
    vvMesh m = surface_of("ball");
    bore(&m, 3);
    budget b = { 0 };
    vvAllocator allocator = budget_allocator(&b);
    int before = m.triangleCount, k = 0;
    vvStatus status = VV_ERROR_MEMORY;
    vvMesh copy = { 0 };
    for (; status == VV_ERROR_MEMORY && k < 200; k++) {
        assert_int_equal(vvSetThreadAllocator(&allocator, NULL), VV_OK);
        b.left = 1000;
        assert_int_equal(vvMeshCopy(&m, &copy, NULL), VV_OK);
        b.left = k;
        status = vvMeshCloseHoles(&copy, 1, NULL, NULL);
        assert_int_equal(copy.triangleCount > before, status == VV_OK);
        vvMeshDestroy(&copy);
        assert_int_equal(b.live, 0);
        assert_int_equal(vvSetThreadAllocator(NULL, NULL), VV_OK);
    }
    assert_int_equal(status, VV_OK);
    assert_true(k > 8);
    vvMeshDestroy(&m);
}

/* ---- what vvMeshFinish says of a surface ---- */

static void turn(vvMesh *m, int t)
{
    int *v = m->triangles + 3 * t, swap = v[1];
    v[1] = v[2];
    v[2] = swap;
}

static void turned_triangles_are_counted(void **state)
{
    (void)state;
    vvMesh m = surface_of("torus");
    vvMeshNotes notes;
    assert_int_equal(vvMeshFinish(&m, &notes, NULL), VV_OK);
    assert_int_equal(notes.turnedTriangles + notes.oneSidedParts + notes.crowdedEdges, 0);
    for (int t = 0; t < 7; t++)
        turn(&m, 11 * t);
    assert_int_equal(vvMeshFinish(&m, &notes, NULL), VV_OK);
    assert_int_equal(notes.turnedTriangles, 7);
    for (int t = 0; t < m.triangleCount; t++)
        turn(&m, t);
    assert_int_equal(vvMeshFinish(&m, &notes, NULL), VV_OK); /* inside out */
    assert_int_equal(notes.turnedTriangles, m.triangleCount);
    assert_true(surface_det(&m) > 0);
    vvMeshDestroy(&m);
}

static void sheets_that_branch_and_bands(void **state)
{
    (void)state;
    vvMeshNotes notes;
    double x[15] = { 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, -1, -1, 0 };
    int fins[9] = { 0, 1, 2, 0, 1, 3, 0, 1, 4 };
    vvMesh by_hand = { .vertexCount = 5, .triangleCount = 3, .positions = x, .triangles = fins }, m;
    assert_int_equal(vvMeshCopy(&by_hand, &m, NULL), VV_OK);
    assert_int_equal(vvMeshFinish(&m, &notes, NULL), VV_OK);
    assert_int_equal(notes.crowdedEdges, 1);
    assert_int_equal(notes.oneSidedParts, 0);
    vvMeshDestroy(&m);
    enum { N = 9 }; /* a Moebius band of N squares */
    double band[6 * N];
    int triangles[6 * N];
    for (int i = 0; i < N; i++)
        for (int side = 0; side < 2; side++) {
            double a = 2 * acos(-1) * i / N, w = side ? 0.2 : -0.2, r = 1 + w * cos(a / 2),
                   *p = band + 6 * i + 3 * side;
            p[0] = r * cos(a);
            p[1] = r * sin(a);
            p[2] = w * sin(a / 2);
        }
    for (int i = 0; i < N; i++) {
        int a = 2 * i, b = 2 * i + 1, c = i + 1 < N ? 2 * i + 2 : 1, d = i + 1 < N ? 2 * i + 3 : 0;
        const int cut[6] = { a, b, c, b, d, c };
        memcpy(triangles + 6 * i, cut, sizeof cut);
    }
    vvMesh moebius = { .vertexCount = 2 * N, .triangleCount = 2 * N, .positions = band, .triangles = triangles };
    assert_int_equal(vvMeshCopy(&moebius, &m, NULL), VV_OK);
    assert_int_equal(vvMeshFinish(&m, &notes, NULL), VV_OK);
    assert_int_equal(notes.oneSidedParts, 1);
    assert_int_equal(notes.turnedTriangles, 0);
    vvMeshDestroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_holes_go),
        cmocka_unit_test(wide_holes_stay),
        cmocka_unit_test(sheets_stay),
        cmocka_unit_test(rims_that_meet),
        cmocka_unit_test(sieves),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(turned_triangles_are_counted),
        cmocka_unit_test(sheets_that_branch_and_bands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The check of a surface, and the exact test of two triangles behind it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "mesh/intersect.h"
#include "mesh/mesh.h"
#include "integer_figures.h"
#include "mesh_support.h"
#include "random_support.h"

#include <math.h>

static int64_t pick(int64_t range) { return (int64_t)(random_bits() % (uint64_t)(range + 1)); } /* 0 .. range */

/* ---- two triangles, against separating axes in integers ---------------------------------------------------------- */

static void corners_of(point *x, const int s[3], point p[3])
{
    for (int i = 0; i < 3; i++)
        memcpy(p[i], x[s[i]], sizeof(point));
}

static bool flat(point *x, const int s[3])
{
    point p[3];
    corners_of(x, s, p);
    return is_flat(p);
}

static bool truth(point *x, const int s[3], const int t[3], int shared)
{
    point p[3], q[3];
    corners_of(x, s, p);
    corners_of(x, t, q);
    return shared == 0 ? figures_meet(3, p, 3, q) : meet_beyond(shared, p, q);
}

static void random_triangles(int64_t range, double offset, double scale, int count)
{
    int seen[3][2] = { { 0 } };
    for (int i = 0; i < count; i++) {
        point x[6];
        double y[18];
        int shared = i % 3, s[3] = { 0, 1, 2 }, t[3];
        for (int k = 0; k < 18; k++) {
            x[k / 3][k % 3] = i % 5 == 0 && k % 3 == 1 ? 1 : pick(range); /* some in one plane */
            y[k] = scale * ((double)x[k / 3][k % 3] + offset);
        }
        for (int k = 0; k < 3; k++)
            t[k] = k < shared ? k : 3 + k;
        if (flat(x, s) || flat(x, t)) {
            assert_true(vv_triangle_is_flat(y, y + 3, y + 6) == flat(x, s));
            continue;
        }
        int same = 0; /* corners at one place that are not one vertex are met */
        int want = truth(x, s, t, shared);
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++)
                same |= s[a] != t[b] && memcmp(x[s[a]], x[t[b]], sizeof(point)) == 0;
        if (same && shared)
            want = 1;
        seen[shared][want]++;
        for (int turn = 0; turn < 3; turn++) {
            int s2[3] = { s[turn], s[(turn + 1) % 3], s[(turn + 2) % 3] };
            int t2[3] = { t[(2 * turn) % 3], t[(2 * turn + 2) % 3], t[(2 * turn + 1) % 3] };
            assert_int_equal(vv_triangles_meet(y, s2, t2), want);
            assert_int_equal(vv_triangles_meet(y, t2, s2), want);
        }
    }
    for (int shared = 0; shared < 3; shared++)
        for (int meet = 0; meet < 2; meet++)
            assert_true(seen[shared][meet] > count / 500); /* every kind was there */
}

static void triangles_meet_exactly(void **state)
{
    (void)state;
    random_triangles(2, 0, 1, 30000);
    random_triangles(4, 0, 1, 30000);
    random_triangles(3, 0x1p45, 0x1p-20, 60000); /* far from the origin */
    random_triangles(30, -7, 0x1p-150, 30000);
}

/* ---- surfaces ---------------------------------------------------------------------------------------------------- */

static vvMesh surface_of(const char *generator)
{
    vvMesh m;
    assert_int_equal(vvMeshGenerate(generator, NULL, 0, &m, NULL), VV_OK);
    return m;
}

static vvSurfaceCheck check_of(const vvMesh *m)
{
    vvSurfaceCheck c;
    vvError error;
    if (vvMeshCheckSurface(m, &c, &error))
        fail_msg("%s", error.message);
    return c;
}

static int marked(const vvSurfaceCheck *c, int triangles, int what)
{
    int n = 0;
    for (int t = 0; t < triangles; t++)
        n += (c->marks[t] & what) != 0;
    return n;
}

/* A closed surface moved and scaled, appended; `turned`: facing the other way. */
static void append(vvMesh *m, const vvMesh *other, double scale, const double shift[3], int turned)
{
    vvMesh joined = { .vertexCount = m->vertexCount + other->vertexCount,
                      .triangleCount = m->triangleCount + other->triangleCount };
    joined.positions = vv_alloc(3 * (size_t)joined.vertexCount, sizeof(double));
    joined.triangles = vv_alloc(3 * (size_t)joined.triangleCount, sizeof(int));
    if (m->triangleCount) {
        memcpy(joined.positions, m->positions, 3 * (size_t)m->vertexCount * sizeof(double));
        memcpy(joined.triangles, m->triangles, 3 * (size_t)m->triangleCount * sizeof(int));
    }
    for (int i = 0; i < 3 * other->vertexCount; i++)
        joined.positions[3 * m->vertexCount + i] = scale * other->positions[i] + shift[i % 3];
    for (int i = 0; i < 3 * other->triangleCount; i++) {
        int to = turned && i % 3 ? i - i % 3 + 3 - i % 3 : i;
        joined.triangles[3 * m->triangleCount + to] = m->vertexCount + other->triangles[i];
    }
    vvMeshDestroy(m);
    *m = joined;
}

static void generated_surfaces_are_sound(void **state)
{
    (void)state;
    for (int g = 0; vvMeshGeneratorInfo(g); g++) {
        vvMesh m = surface_of(vvMeshGeneratorInfo(g)->info.name);
        if (m.triangleCount == 0) {
            vvMeshDestroy(&m);
            continue;
        }
        vvSurfaceCheck c = check_of(&m);
        if (m.tetCount) {
            vvMeshQuality q;
            vvMeshMeasure(&m, &q);
            assert_true(c.sound && c.closed);
            assert_int_equal(c.partCount, 1);
            assert_int_equal(c.reversedCount + c.cavityCount + c.pinchedVertices, 0);
            assert_true(fabs(c.volume - q.volume) < 1e-12 * q.volume);
            assert_int_equal(marked(&c, m.triangleCount, 255), 0);
        } else {
            assert_false(c.sound || c.closed);
            assert_true(c.openEdges > 0 && c.crossings == 0);
        }
        vvSurfaceCheckDestroy(&c);
        vvMeshDestroy(&m);
    }
}

static void a_hole_is_open(void **state)
{
    (void)state;
    vvMesh m = surface_of("ball");
    int lost[3];
    memcpy(lost, m.triangles + 30, sizeof lost);
    memcpy(m.triangles + 30, m.triangles + 3 * --m.triangleCount, sizeof lost);
    vvSurfaceCheck c = check_of(&m);
    assert_false(c.sound || c.closed);
    assert_int_equal(c.openEdges, 3);
    assert_int_equal(marked(&c, m.triangleCount, VV_SURFACE_OPEN), 3);
    for (int e = 0; e < 3; e++)
        for (int k = 0; k < 2; k++)
            assert_true(c.openEdge[e][k] == lost[0] || c.openEdge[e][k] == lost[1] || c.openEdge[e][k] == lost[2]);
    assert_false(c.parts[0].closed);
    vvSurfaceCheckDestroy(&c);
    vvMeshDestroy(&m);
}

static void a_turned_triangle_is_found(void **state)
{
    (void)state;
    vvMesh m = surface_of("die");
    int swap = m.triangles[300];
    m.triangles[300] = m.triangles[301];
    m.triangles[301] = swap;
    vvSurfaceCheck c = check_of(&m);
    assert_false(c.sound);
    assert_true(c.closed);
    assert_int_equal(c.turnedEdges, 3);
    assert_int_equal(marked(&c, m.triangleCount, VV_SURFACE_TURNED), 4);
    assert_true(c.marks[100] & VV_SURFACE_TURNED);
    vvSurfaceCheckDestroy(&c);
    vvMeshDestroy(&m);
}

static const double corners[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, -1, 0, 0, 0, -1, 0, 0, 0, -1 };

static void shared_edges_and_vertices(void **state)
{
    (void)state;
    /* two tets at one vertex: sound, two parts */
    int at_vertex[] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3, 0, 4, 5, 0, 6, 4, 0, 5, 6, 4, 6, 5 };
    vvMesh m = { 7, 0, 8, 0, (double *)corners, NULL, at_vertex, NULL, 0, NULL };
    vvSurfaceCheck c = check_of(&m);
    assert_true(c.sound);
    assert_int_equal(c.partCount, 2);
    assert_int_equal(c.pinchedVertices, 1);
    assert_int_equal(c.pinchedVertex[0], 0);
    assert_int_equal(marked(&c, 8, VV_SURFACE_PINCHED), 6);
    assert_true(fabs(c.volume - 1.0 / 3) < 1e-15);
    vvSurfaceCheckDestroy(&c);
    /* two tets at one edge (0, 3): not a surface of one volume */
    int at_edge[] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3, 0, 4, 5, 0, 3, 4, 0, 5, 3, 4, 3, 5 };
    m = (vvMesh){ 7, 0, 8, 0, (double *)corners, NULL, at_edge, NULL, 0, NULL };
    c = check_of(&m);
    assert_false(c.sound);
    assert_int_equal(c.crowdedEdges, 1);
    assert_int_equal(c.crowdedEdge[0][0], 0);
    assert_int_equal(c.crowdedEdge[0][1], 3);
    assert_int_equal(marked(&c, 8, VV_SURFACE_CROWDED), 4);
    assert_int_equal(c.crossings + c.pinchedVertices, 0);
    vvSurfaceCheckDestroy(&c);
}

static void flat_triangles_are_found(void **state)
{
    (void)state;
    const double x[] = { 0.1, 0.1, 0.1, 0.2, 0.2, 0.2, 0.4, 0.4, 0.4, 1, 0, 0 };
    int t[] = { 0, 1, 3, 0, 1, 2 };
    vvMesh m = { 4, 0, 2, 0, (double *)x, NULL, t, NULL, 0, NULL };
    vvSurfaceCheck c = check_of(&m);
    assert_int_equal(c.flatTriangles, 1);
    assert_int_equal(c.flatTriangle[0], 1);
    assert_int_equal(c.marks[1] & VV_SURFACE_FLAT, VV_SURFACE_FLAT);
    assert_int_equal(c.crossings, 0);
    vvSurfaceCheckDestroy(&c);
}

/* Counted and listed as a loop over all pairs does. */
static void crossings_are_all_found(void **state)
{
    (void)state;
    const double shifts[][3] = { { 0.03, 0.01, 0.02 }, { 0.1, 0, 0 }, { 0.05, 0.05, 0 },
                                 { 0.1, 0.1, 0.1 },    { 0.3, 0, 0 }, { 1e9, 0, 0 } };
    for (size_t i = 0; i < sizeof shifts / sizeof *shifts; i++) {
        vvMesh box = surface_of("box"), m = { 0 };
        append(&m, &box, 1, (double[]){ 0, 0, 0 }, 0);
        append(&m, &box, 1, shifts[i], 0);
        vvSurfaceCheck c = check_of(&m);
        int pairs = 0, first[2] = { -1, -1 };
        for (int s = 0; s < m.triangleCount; s++)
            for (int t = s + 1; t < m.triangleCount; t++)
                if (vv_triangles_meet(m.positions, m.triangles + 3 * s, m.triangles + 3 * t) && !pairs++)
                    first[0] = s, first[1] = t;
        assert_int_equal(c.crossings, pairs);
        assert_int_equal(c.sound, pairs == 0);
        assert_true((pairs > 0) == (shifts[i][0] <= 0.1));
        if (pairs) {
            assert_memory_equal(c.crossing[0], first, sizeof first);
            assert_true(c.marks[first[0]] & c.marks[first[1]] & VV_SURFACE_CROSSING);
        } else {
            assert_int_equal(c.partCount, 2);
        }
        for (int k = 1; k < VV_SURFACE_SHOWN && k < pairs; k++)
            assert_true(c.crossing[k - 1][0] < c.crossing[k][0] ||
                        (c.crossing[k - 1][0] == c.crossing[k][0] && c.crossing[k - 1][1] < c.crossing[k][1]));
        vvSurfaceCheckDestroy(&c);
        vvMeshDestroy(&m);
        vvMeshDestroy(&box);
    }
}

/* Winding number of the part around a point, from solid angles. */
static double winding(const vvMesh *m, const int *part_of, int part, const double p[3])
{
    double sum = 0;
    for (int t = 0; t < m->triangleCount; t++) {
        double e[3][3], r[3];
        if (part_of[t] != part)
            continue;
        for (int k = 0; k < 3; k++) {
            for (int i = 0; i < 3; i++)
                e[k][i] = m->positions[3 * m->triangles[3 * t + k] + i] - p[i];
            r[k] = sqrt(e[k][0] * e[k][0] + e[k][1] * e[k][1] + e[k][2] * e[k][2]);
        }
        double det = 0, d[3];
        for (int i = 0; i < 3; i++) {
            det += e[0][i] * (e[1][(i + 1) % 3] * e[2][(i + 2) % 3] - e[1][(i + 2) % 3] * e[2][(i + 1) % 3]);
            d[i] = e[i][0] * e[(i + 1) % 3][0] + e[i][1] * e[(i + 1) % 3][1] + e[i][2] * e[(i + 1) % 3][2];
        }
        sum += 2 * atan2(det, r[0] * r[1] * r[2] + d[0] * r[2] + d[1] * r[0] + d[2] * r[1]);
    }
    return sum / (4 * 3.14159265358979323846);
}

/* Boxes in boxes (many points at equal heights) and balls, nested and side by side. */
static void parts_in_parts(void **state)
{
    (void)state;
    static const struct {
        double scale, x;
        int turned, depth, parent, reversed;
    } placed[] = { { 1, 0, 0, 0, -1, 0 },       { 0.8, 0, 1, 1, 0, 0 },         { 0.5, 0, 0, 2, 1, 0 },
                   { 0.125, 0.01, 0, 3, 2, 1 }, { 0.125, -0.0125, 1, 3, 2, 0 }, { 1, 0.25, 1, 0, -1, 1 },
                   { 0.5, 0.25, 0, 1, 5, 1 } };
    enum { PARTS = sizeof placed / sizeof *placed };
    const char *const shapes[] = { "box", "ball" };
    for (int s = 0; s < 2; s++) {
        vvMesh shape = surface_of(shapes[s]), m = { 0 };
        for (int i = 0; i < PARTS; i++)
            append(&m, &shape, placed[i].scale, (double[]){ placed[i].x, 0, 0 }, placed[i].turned);
        vvSurfaceCheck c = check_of(&m), one = check_of(&shape);
        assert_true(c.sound);
        assert_int_equal(c.partCount, PARTS);
        double volume = 0;
        int cavities = 0, reversed = 0;
        for (int i = 0; i < PARTS; i++) {
            const vvSurfacePart *p = &c.parts[i];
            double v = one.volume * pow(placed[i].scale, 3);
            assert_int_equal(p->depth, placed[i].depth);
            assert_int_equal(p->parent, placed[i].parent);
            assert_int_equal(p->reversed, placed[i].reversed);
            assert_true(fabs(p->volume - v) < 1e-12 * v);
            volume += p->depth % 2 ? -v : v;
            cavities += p->depth % 2;
            reversed += p->reversed;
            for (int k = 0; k < PARTS; k++) { /* in itself and what is around, in nothing else */
                double w = fabs(winding(&m, c.partOf, k, p->inside));
                int around = k == i;
                for (int up = p->parent; up >= 0; up = c.parts[up].parent)
                    around |= k == up;
                assert_true(fabs(w - around) < 1e-6);
            }
        }
        assert_int_equal(c.cavityCount, cavities);
        assert_int_equal(c.reversedCount, reversed);
        assert_true(fabs(c.volume - volume) < 1e-12 * volume);
        vvSurfaceCheckDestroy(&one);
        vvSurfaceCheckDestroy(&c);
        vvMeshDestroy(&shape);
        vvMeshDestroy(&m);
    }
}

/* Verdicts do not depend on the unit; a tiny coordinate (sin of a multiple of pi) does no harm. */
static void units_do_not_matter(void **state)
{
    (void)state;
    const double scales[] = { 1e-25, 1e-3, 1, 1e3, 1e28 };
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        vvMesh ball = surface_of("ball"), m = { 0 };
        append(&m, &ball, scales[i], (double[]){ 0, 0, 0 }, 0);
        append(&m, &ball, 0.5 * scales[i], (double[]){ 0.02 * scales[i], 1e-300, 0 }, 0);
        vvSurfaceCheck c = check_of(&m);
        assert_true(c.sound);
        assert_int_equal(c.cavityCount, 1);
        assert_true(isfinite(c.volume) && isfinite(c.parts[1].inside[0]));
        vvSurfaceCheckDestroy(&c);
        vvMeshDestroy(&m);
        append(&m, &ball, scales[i], (double[]){ 0, 0, 0 }, 0);
        append(&m, &ball, 0.5 * scales[i], (double[]){ 0.03 * scales[i], 1e-300, 0 }, 0);
        c = check_of(&m);
        assert_false(c.sound);
        assert_true(c.crossings > 0);
        vvSurfaceCheckDestroy(&c);
        vvMeshDestroy(&m);
        vvMeshDestroy(&ball);
    }
}

static void shared_models_are_sound(void **state)
{
    (void)state;
    static const char *const names[] = {
        "bunny_1k8", "koala_1k", "spot_2k4", "armadillo_5k", "cactus_5k", "octopus_7k5"
    };
    if (!have_meshes())
        skip();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        vvMesh m;
        vvMeshQuality q;
        assert_int_equal(vvMeshRead(mesh_file(names[i], "msh"), &m, NULL, NULL), VV_OK);
        vvMeshMeasure(&m, &q);
        vvSurfaceCheck c = check_of(&m);
        if (!c.sound)
            fail_msg("%s: %d open edges, %d crossings", names[i], c.openEdges, c.crossings);
        assert_true(fabs(c.volume - q.volume) < 1e-9 * q.volume);
        vvSurfaceCheckDestroy(&c);
        vvMeshDestroy(&m);
    }
}

static void what_cannot_be_checked(void **state)
{
    (void)state;
    vvSurfaceCheck c;
    vvError error;
    double x[12] = { 0 };
    int t[3] = { 0, 1, 4 }, e[2] = { 0, 1 };
    vvMesh edges = { 4, 0, 0, 1, x, NULL, NULL, e, 0, NULL }, range = { 4, 0, 1, 0, x, NULL, t, NULL, 0, NULL };
    assert_int_equal(vvMeshCheckSurface(&edges, &c, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "no triangles"));
    assert_int_equal(vvMeshCheckSurface(&range, &c, &error), VV_ERROR_INPUT);
    t[2] = 2;
    x[4] = NAN;
    assert_int_equal(vvMeshCheckSurface(&range, &c, NULL), VV_ERROR_INPUT);
    assert_null(c.marks);
    vvSurfaceCheckDestroy(&c);
    vvSurfaceCheckDestroy(NULL);
}

int main(void)
{
    random_state = 99;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_meet_exactly),
        cmocka_unit_test(generated_surfaces_are_sound),
        cmocka_unit_test(a_hole_is_open),
        cmocka_unit_test(a_turned_triangle_is_found),
        cmocka_unit_test(shared_edges_and_vertices),
        cmocka_unit_test(flat_triangles_are_found),
        cmocka_unit_test(crossings_are_all_found),
        cmocka_unit_test(parts_in_parts),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(shared_models_are_sound),
        cmocka_unit_test(what_cannot_be_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

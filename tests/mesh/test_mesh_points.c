/* Meshes of free points: reading them in every format that has some, what becomes of points beside other elements and
 * of points at one place, the generator. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "mesh/mesh.h"
#include "mesh_support.h"
#include "positional.h"

#include <math.h>

typedef struct file {
    const char *ending, *text;
    int vertices, triangles, edges, points, dropped;
    const char *message;
} file;

#define XYZ "property float x\nproperty float y\nproperty float z\n"
#define MSH2 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n$Elements\n"

static const file files[] = {
    { ".obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\np 1 -2\np 3/1\n", 3, 0, 0, 3, 0, NULL },
    { ".obj", "p 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n", 1, 0, 0, 1, 0, NULL }, /* a vertex to come; the others are unused */
    { ".obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\np 1 1 1\np 2\n", 2, 0, 0, 2, 0, NULL },
    { ".obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 5 5 5\nf 1 2 3\np 1 4\n", 3, 1, 0, 0, 2, NULL },
    { ".obj", "v 0 0 0\nv 1 0 0\nl 1 2\np 1\n", 2, 0, 1, 0, 1, NULL },
    { ".obj", "v 0 0 0\nv -0 0 0\nv 0 1 0\np 1 2 3\n", 2, 0, 0, 2, 0, NULL },
    { ".obj", "v 0 0 0\np 1 2\n", 0, 0, 0, 0, 0, ":2: vertex index 2; the file has 1 vertices" },
    { ".obj", "v 0 0 0\np\n", 0, 0, 0, 0, 0, ":2: points without a vertex; 1 or more are needed" },
    { ".obj", "v 0 0 0\np 0\n", 0, 0, 0, 0, 0, ":2: vertex index 0 after 1 vertices" },
    { ".obj", "v 0 0 0\np 1 x\n", 0, 0, 0, 0, 0, ":2: found 'x' where a vertex index" },
    { ".obj", "v 0 0 0\nv 1 0 0\n", 2, 0, 0, 2, 0, NULL }, /* bare vertices */
    { ".obj", "# x\nvn 0 0 1\ns 1\nv 0 0 0\nv 1 0 0\nv 0 0 0\n", 2, 0, 0, 2, 0, NULL },
    { ".pt", "v 0 0 0\nv 1 0 0\nv 0 2 0\n", 3, 0, 0, 3, 0, NULL },
    { ".pt", "v 0 0 0\nv 1 0\n", 0, 0, 0, 0, 0, ":2: a vertex with 2 numbers" },
    { ".pt", "# nothing\nvn 0 0 1\n", 0, 0, 0, 0, 0, "the mesh has no vertices" },
    { ".pt", "x 0 0 0\n", 0, 0, 0, 0, 0, ":1: found 'x' where an OBJ keyword" },
    { ".seg", "v 0 0 0\nv 1 0 0\nv 0 2 0\ns 1 2\ns -1 1", 3, 0, 2, 0, 0, NULL },
    { ".seg", "s 1 2\nv 0 0 0\nv 1 0 0\n", 2, 0, 1, 0, 0, NULL },
    { ".seg", "v 0 0 0\nv 1 0 0\ns off\ns 1\ns 1 2 # one\n", 2, 0, 1, 0, 0, NULL },
    { ".seg", "v 0 0 0\nv 1 0 0\ns 1 3\n", 0, 0, 0, 0, 0, ":3: vertex index 3; the file has 2 vertices" },
    { ".seg", "v 0 0 0\nv 1 0 0\ns 1 2 1\n", 0, 0, 0, 0, 0, ":3: a segment with 3 vertices; 2 are needed" },
    { ".seg", "v 0 0 0\nv 1 0 0\ns 1 x\n", 0, 0, 0, 0, 0, ":3: found 'x' where a vertex index" },
    { ".obj", "v 0 nan 0\np 1\n", 0, 0, 0, 0, 0, ":1: found 'nan'" },
    { ".ply", "ply\nformat ascii 1.0\nelement vertex 2\n" XYZ "end_header\n0 0 0\n1 2 3\n", 2, 0, 0, 2, 0, NULL },
    { ".ply",
      "ply\nformat ascii 1.0\nelement vertex 2\n" XYZ
      "element face 0\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 2 3\n",
      2, 0, 0, 2, 0, NULL },
    { ".msh", MSH2 "3\n1 15 2 1 1 1\n2 15 2 1 1 3\n3 15 2 1 1 2\n$EndElements\n", 3, 0, 0, 3, 0, NULL },
    { ".msh", MSH2 "3\n1 15 2 1 1 1\n2 15 2 1 1 3\n3 2 2 1 1 1 2 3\n$EndElements\n", 3, 1, 0, 0, 2, NULL },
    { ".msh", MSH2 "1\n1 15 2 1 1 4\n$EndElements\n", 0, 0, 0, 0, 0,
      "refers to node 4, which is not among the 3 nodes" },
};

static void points_in_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const file *f = files + i;
        vvMesh m;
        vvMeshNotes notes = { 0 };
        vvError error = { 0 };
        vvStatus status = read_bytes(f->text, strlen(f->text), f->ending, &m, &notes, &error);
        if (f->message) {
            if (status != VV_ERROR_INPUT || !strstr(error.message, f->message))
                fail_msg("file %zu: status %d, message '%s'", i, status, error.message);
            assert_true(m.vertexCount == 0 && !m.points);
            continue;
        }
        if (status)
            fail_msg("file %zu: %s", i, error.message);
        if (m.vertexCount != f->vertices || m.triangleCount != f->triangles || m.edgeCount != f->edges ||
            m.pointCount != f->points || notes.droppedPoints != f->dropped)
            fail_msg("file %zu: %d vertices, %d triangles, %d edges, %d points, %d dropped", i, m.vertexCount,
                     m.triangleCount, m.edgeCount, m.pointCount, notes.droppedPoints);
        if (f->points)
            assert_int_equal(notes.components, f->points);
        assert_sound(&m);
        vvMeshDestroy(&m);
    }
}

/* What the files of IPC's scenes hold comes back from them; what they do not hold is refused. */
static void segments_and_points_are_written(void **state)
{
    (void)state;
    static const struct {
        const char *ending, *text;
    } kinds[] = { { ".seg", "v 0 0 0.1\nv 1 0 0\nv 0 1e-3 0\ns 1 2\ns 3 1\n" },
                  { ".pt", "v 0 0 0.1\nv 1 0 0\nv 0 1e-3 0\n" } };
    for (int i = 0; i < 2; i++) {
        vvMesh m, back;
        vvError error;
        char text[200];
        assert_int_equal(read_bytes(kinds[i].text, strlen(kinds[i].text), kinds[i].ending, &m, NULL, &error), VV_OK);
        const char *path = scratch_file(kinds[i].ending);
        assert_int_equal(vvMeshWrite(&m, path, NULL, &error), VV_OK);
        FILE *f = fopen(path, "r");
        assert_non_null(f);
        text[fread(text, 1, sizeof text - 1, f)] = 0;
        fclose(f);
        assert_true(i == 0 ? strstr(text, "\ns ") != NULL && !strstr(text, "\nl ") : !strstr(text, "p "));
        assert_int_equal(vvMeshRead(path, &back, NULL, &error), VV_OK);
        assert_same_mesh(&m, &back);
        assert_int_equal(vvMeshWrite(&m, scratch_file(kinds[1 - i].ending), NULL, &error), VV_ERROR_INPUT);
        assert_non_null(strstr(error.message, "nothing else"));
        vvMeshDestroy(&m);
        vvMeshDestroy(&back);
    }
}

/* A struct filled by hand: zeroed, then the fields that it needs. */
static void filled_by_hand(void **state)
{
    (void)state;
    double x[] = { 0, 0, 0, 1, 0, 0, 2, 0, 0, 1, 0, 0 };
    int points[] = { 3, 0, 1, 1 }, bad[] = { 0, 4 }, triangle[] = { 0, 1, 2 };
    vvMesh given = { .vertexCount = 4, .positions = x, .pointCount = 4, .points = points }, m;
    vvMeshNotes notes;
    vvError error;
    assert_int_equal(vvMeshCopy(&given, &m, &error), VV_OK);
    assert_int_equal(vvMeshFinish(&m, &notes, &error), VV_OK);
    assert_int_equal(m.vertexCount, 2); /* 1 and 3 are at one place, 2 is not used */
    assert_int_equal(m.pointCount, 2);
    assert_int_equal(m.points[0], 1);
    assert_int_equal(m.points[1], 0);
    assert_int_equal(notes.duplicateVertices, 1);
    assert_int_equal(notes.unusedVertices, 1);
    vvMeshQuality q;
    vvMeshMeasure(&m, &q);
    assert_true(q.volume == 0 && q.area == 0 && q.boundsMax[0] == 1);
    vvMeshDestroy(&m);
    vvMesh range = { .vertexCount = 4, .positions = x, .pointCount = 2, .points = bad };
    assert_int_equal(vvMeshCopy(&range, &m, &error), VV_OK);
    assert_int_equal(vvMeshFinish(&m, &notes, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "point 1 has vertex index 4"));
    vvMeshDestroy(&m);
    vvMesh missing = { .vertexCount = 4, .positions = x, .pointCount = 2 },
           negative = { .vertexCount = 4, .pointCount = -1 };
    assert_int_equal(vvMeshCopy(&missing, &m, &error), VV_ERROR_INPUT);
    assert_int_equal(vvMeshCopy(&negative, &m, &error), VV_ERROR_INPUT);
    assert_int_equal(vvMeshWrite(&missing, "never.obj", NULL, &error), VV_ERROR_INPUT);
    vvMesh flat = { .vertexCount = 4, .positions = x, .triangleCount = 1, .triangles = triangle }, cloud = given;
    vvSurfaceCheck check;
    assert_int_equal(vvMeshCheckSurface(&flat, &check, &error), VV_OK);
    vvSurfaceCheckDestroy(&check);
    assert_int_equal(vvMeshCheckSurface(&cloud, &check, &error), VV_ERROR_INPUT); /* no triangles: no surface */
}

/* Points are as far apart as the shifts allow, lie where the lattice says, and go by the seed. */
static void grains(void **state)
{
    (void)state;
    double values[] = { 5, 4, 3, 0.02, 0.3, 1 };
    vvMesh m, again, other;
    assert_int_equal(generate_mesh("grains", values, &m, NULL), VV_OK);
    assert_int_equal(generate_mesh("grains", values, &again, NULL), VV_OK);
    values[5] = 2;
    assert_int_equal(generate_mesh("grains", values, &other, NULL), VV_OK);
    assert_int_equal(m.pointCount, 60);
    assert_same_mesh(&m, &again);
    int moved = 0;
    double least = INFINITY, widest = 0;
    for (int i = 0; i < 60; i++) {
        const double *x = m.positions + 3 * i;
        const double at[3] = { i / 12 - 2, i / 3 % 4 - 1.5, i % 3 - 1 };
        moved += memcmp(x, other.positions + 3 * i, 3 * sizeof *x) != 0;
        for (int k = 0; k < 3; k++) {
            assert_true(fabs(x[k] - 0.02 * at[k]) <= 0.3 * 0.02 + 1e-15);
            widest = fmax(widest, fabs(x[k] - 0.02 * at[k]));
        }
        for (int j = 0; j < i; j++) {
            const double *y = m.positions + 3 * j;
            least = fmin(least, hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]));
        }
    }
    assert_int_equal(moved, 60);
    assert_true(least >= 0.4 * 0.02 && least < 0.02 && widest > 0.25 * 0.02);
    vvMeshDestroy(&m);
    vvMeshDestroy(&again);
    vvMeshDestroy(&other);
    vvError error;
    assert_int_equal(generate_mesh("grains", (double[]){ 1000, 1000, 1000, 0.01, 0, 0 }, &m, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "points; at most"));
    assert_int_equal(generate_mesh("grains", (double[]){ 2, 2, 2, 0.01, 0.5, 0 }, &m, &error), VV_ERROR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_in_files),
        cmocka_unit_test(segments_and_points_are_written),
        cmocka_unit_test(filled_by_hand),
        cmocka_unit_test(grains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

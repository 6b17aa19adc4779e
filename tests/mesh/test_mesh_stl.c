/* STL files, text and binary: what programs write, what is odd, what is broken. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "mesh/mesh.h"
#include "mesh_cases.h"

#include <math.h>

#define LOOP(a, b, c) "outer loop\nvertex " a "\nvertex " b "\nvertex " c "\nendloop\nendfacet\n"
#define FACET(a, b, c) "facet normal 0 0 1\n" LOOP(a, b, c)
#define ONE FACET("0 0 0", "1 0 0", "0 1 0")
#define TWO FACET("1 0 0", "1 1 0", "0 1 0")

static const mesh_case cases[] = {
    { "the usual", ".stl", "solid a\n" ONE TWO "endsolid a\n", 4, 0, 2, 0, NULL },
    { "by content, whatever the ending", ".dat", "solid a\n" ONE "endsolid a\n", 3, 0, 1, 0, NULL },
    { "no name", ".stl", "solid\n" ONE "endsolid", 3, 0, 1, 0, NULL },
    { "blanks before, Windows line ends, a byte order mark", ".stl",
      "\xef\xbb\xbf  solid a b\r\n facet normal 0 0 1\r\n  outer loop\r\n   vertex 0 0 0\r\n   vertex 1 0 0\r\n"
      "   vertex 0 1 0\r\n  endloop\r\n endfacet\r\nendsolid a b\r\n",
      3, 0, 1, 0, NULL },
    { "capitals", ".STL",
      "SOLID A\nFACET NORMAL 0 0 1\nOUTER LOOP\nVERTEX 0 0 0\nVERTEX 1 0 0\nVERTEX 0 1 0\nENDLOOP\nENDFACET\nENDSOLID "
      "A\n",
      3, 0, 1, 0, NULL },
    { "several solids", ".stl", "solid a\n" ONE "endsolid a\n\nsolid b\n" TWO "endsolid b\n", 4, 0, 2, 0, NULL },
    { "an empty solid beside another", ".stl", "solid a\nendsolid a\nsolid b\n" ONE "endsolid b\n", 3, 0, 1, 0, NULL },
    { "all on one line", ".stl",
      "solid a facet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 endloop endfacet endsolid a", 3, 0,
      1, 0, NULL },
    { "a name of keywords", ".stl", "solid facet of a solid vertex\n" ONE "endsolid facet of a solid vertex\n", 3, 0, 1,
      0, NULL },
    { "end solid, end loop, end facet", ".stl",
      "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nend loop\nend facet\n"
      "end solid a\n",
      3, 0, 1, 0, NULL },
    { "normals that are none", ".stl",
      "solid a\nfacet normal nan -nan(ind) 1.#QNAN\n" LOOP("0 0 0", "1 0 0", "0 1 0") "facet\n" LOOP(
          "1 0 0", "1 1 0", "0 1 0") "endsolid a\n",
      4, 0, 2, 0, NULL },
    { "a normal that points the wrong way", ".stl",
      "solid a\nfacet normal 0 0 -1\n" LOOP("0 0 0", "1 0 0", "0 1 0") "endsolid a\n", 3, 0, 1, 0, NULL },
    { "exponents", ".stl", "solid a\n" FACET("0.0E+000 0 -0.0e-3", "1.E0 +0 0", "0 1.0D+00 0") "endsolid\n", 3, 0, 1, 0,
      NULL },
    { "minus zero", ".stl",
      "solid a\n" FACET("-0 -0.0 0", "1 0 0", "0 1 0") FACET("1 -0 0", "1 1 0", "-0 1 -0") "endsolid\n", 4, 0, 2, 0,
      NULL },
    { "a facet with two corners at one place", ".stl", "solid a\n" ONE FACET("0 0 0", "1 0 0", "1 -0 0") "endsolid\n",
      3, 0, 1, 0, NULL },
    { "nothing but such facets", ".stl", "solid a\n" FACET("0 0 0", "1 0 0", "1 0 0") "endsolid\n", 0, 0, 0, 0,
      "each of the 1 facets has two corners at one position" },
    { "a facet without area", ".stl", "solid a\n" ONE FACET("0 0 0", "1 0 0", "2 0 0") "endsolid\n", 3, 0, 1, 0, NULL },
    { "a facet twice", ".stl", "solid a\n" ONE ONE "endsolid\n", 3, 0, 1, 0, NULL },
    { "nothing but facets without area", ".stl", "solid a\n" FACET("0 0 0", "1 0 0", "2 0 0") "endsolid\n", 0, 0, 0, 0,
      ":2: no triangle of 1 has an area" },
    { "no facets", ".stl", "solid a\nendsolid a\n", 0, 0, 0, 0, "the file has no facets" },
    { "something else", ".stl", "hello\n", 0, 0, 0, 0, ":1: found 'hello' where 'solid' is needed" },
    { "another word", ".stl", "solid a\n" ONE "color 1 0 0\nendsolid\n", 0, 0, 0, 0,
      ":9: found 'color' where 'facet' or 'endsolid' is needed" },
    { "no endsolid", ".stl", "solid a\n" ONE, 0, 0, 0, 0, "the file ends without 'endsolid'" },
    { "cut within a facet", ".stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0", 0, 0, 0, 0,
      ":5: the file ends where the z coordinate is needed" },
    { "no endloop", ".stl",
      "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendfacet\n", 0, 0, 0, 0,
      ":7: found 'endfacet' where 'endloop' is needed" },
    { "no endfacet", ".stl",
      "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendsolid\n", 0, 0, 0,
      0, ":8: found 'endsolid' where 'endfacet' is needed" },
    { "two vertices", ".stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop\n", 0, 0, 0,
      0, ":6: found 'endloop' where 'vertex' is needed" },
    { "four vertices", ".stl",
      "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\nvertex 0 1 0\nendloop\n", 0,
      0, 0, 0, ":7: a facet with more than 3 vertices" },
    { "a vertex of two numbers", ".stl", "solid a\n" FACET("0 0", "1 0 0", "0 1 0") "endsolid\n", 0, 0, 0, 0,
      ":5: found 'vertex' where the z coordinate, a finite number, is needed" },
    { "a vertex of four numbers", ".stl", "solid a\n" FACET("0 0 0 0", "1 0 0", "0 1 0") "endsolid\n", 0, 0, 0, 0,
      ":4: found '0' where 'vertex' is needed" },
    { "a normal of two numbers", ".stl", "solid a\nfacet normal 0 1\n" LOOP("0 0 0", "1 0 0", "0 1 0") "endsolid\n", 0,
      0, 0, 0, ":3: a normal with 2 numbers" },
    { "nan", ".stl", "solid a\n" FACET("0 0 nan", "1 0 0", "0 1 0") "endsolid\n", 0, 0, 0, 0,
      ":4: found 'nan' where the z coordinate" },
    { "infinity", ".stl", "solid a\n" FACET("0 0 1e999", "1 0 0", "0 1 0") "endsolid\n", 0, 0, 0, 0,
      ":4: found '1e999'" },
    { "far away", ".stl", "solid a\n" FACET("0 0 1e31", "1 0 0", "0 1 0") "endsolid\n", 0, 0, 0, 0,
      ":2: vertex 0 has z = 1e+31" },
    { "decimal commas", ".stl", "solid a\n" FACET("0 0 0,5", "1 0 0", "0 1 0") "endsolid\n", 0, 0, 0, 0,
      "found '0,5'" },
    { "text behind the end", ".stl", "solid a\n" ONE "endsolid\nand more\n", 0, 0, 0, 0,
      ":10: found 'and' where 'solid' is needed" },
    { "a facet outside", ".stl", ONE, 0, 0, 0, 0, ":1: found 'facet' where 'solid' is needed" },
};

static void each_file_has_its_verdict(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i]);
}

static void dropped_facets_are_counted(void **state)
{
    (void)state;
    static const char text[] =
        "solid a\n" ONE FACET("0 0 0", "1 0 0", "1 0 0") FACET("7 7 7", "7 7 7", "7 7 7") "endsolid";
    vvMesh m;
    vvMeshNotes notes;
    assert_int_equal(read_bytes(text, sizeof text - 1, ".stl", &m, &notes, NULL), VV_OK);
    assert_int_equal(notes.droppedTriangles, 2);
    assert_int_equal(notes.duplicateVertices, 0);
    assert_int_equal(m.vertexCount, 3);
    vvMeshDestroy(&m);
}

/* A prism over a triangle whose side from (0, 0, 0) to (3, 0, 0) has `points` more points, in `order`; facets without
 * area from its first corner close what would be open along it. */
static void put_prism(bytes *b, int points, const int *order)
{
    enum { MOST = 8 };
    double x[MOST][3] = { { 0, 0, 0 } };
    int facets[4 * MOST][3], count = 0, last = points + 1, far = points + 2, top = points + 3;
    for (int i = 1; i <= last; i++)
        x[i][0] = 3.0 * i / last;
    x[far][1] = 1;
    x[top][2] = 1;
    const int fixed[3][3] = { { 0, far, last }, { 0, top, far }, { last, far, top } };
    for (int i = 0; i < 3; i++)
        memcpy(facets[count++], fixed[i], sizeof fixed[i]);
    for (int i = 0; i < last; i++)
        memcpy(facets[count++], (int[]){ i, i + 1, top }, sizeof facets[0]);
    for (int i = 1; i < last; i++)
        memcpy(facets[count++], (int[]){ 0, i + 1, i }, sizeof facets[0]);
    put_text(b, "solid a\n");
    for (int f = 0; f < count; f++) {
        put_text(b, "facet normal 0 0 0\nouter loop\n");
        for (int k = 0; k < 3; k++) {
            const double *y = x[facets[order ? order[f] : f][k]];
            char line[96];
            snprintf(line, sizeof line, "vertex %.17g %.17g %.17g\n", y[0], y[1], y[2]);
            put_text(b, line);
        }
        put_text(b, "endloop\nendfacet\n");
    }
    put_text(b, "endsolid\n");
}

static void facets_on_a_line_are_mended(void **state)
{
    (void)state;
    static const int backwards[] = { 9, 8, 7, 6, 5, 4, 3, 2, 1, 0 };
    for (int points = 1; points <= 3; points++)
        for (int turn = 0; turn < 2; turn++) {
            bytes b = { .size = 0 };
            vvMesh m;
            vvMeshNotes notes;
            vvMeshQuality q;
            put_prism(&b, points, turn ? backwards + 6 - 2 * points : NULL);
            assert_int_equal(read_bytes(b.data, b.size, ".stl", &m, &notes, NULL), VV_OK);
            vvMeshMeasure(&m, &q);
            assert_int_equal(m.vertexCount, points + 4);
            assert_int_equal(m.triangleCount, 4 + 2 * points);
            assert_int_equal(notes.mendedTriangles, points);
            assert_int_equal(notes.openEdges, 0);
            assert_true(fabs(q.area - (1.5 + 1.5 + 0.5 + sqrt(19) / 2)) < 1e-12);
            assert_true(fabs(surface_det(&m) - 3) < 1e-12);
            assert_sound(&m);
            vvMeshDestroy(&m);
        }
}

/* ---- binary ------------------------------------------------------------------------------------------------------ */

/* Two triangles of a square, with colours and normals that are nan. */
static bytes binary(const char *header, uint32_t count)
{
    static const float x[2][3][3] = { { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } },
                                      { { 1, -0.f, 0 }, { 1, 1, 0 }, { 0, 1, 0 } } };
    bytes b = { .size = 0 };
    put_text(&b, header);
    b.size = 80;
    put_int(&b, (int32_t)count, 0);
    for (int t = 0; t < 2; t++) {
        for (int k = 0; k < 3; k++)
            put_float(&b, NAN, 0);
        for (int k = 0; k < 9; k++)
            put_float(&b, x[t][k / 3][k % 3], 0);
        put_text(&b, "\x1f\x7c");
    }
    return b;
}

static void refuse(const bytes *b, const char *message)
{
    mesh_case c = { .about = message, .message = message };
    vvMesh mesh;
    vvError error = { 0 };
    vvStatus status = read_bytes(b->data, b->size, ".stl", &mesh, NULL, &error);
    assert_verdict(&c, status, &mesh, &error);
}

static void binary_files(void **state)
{
    (void)state;
    static const char *const headers[] = { "", "solid made by a CAD program", "COLOR=\xff\xff\xff\xff", "v 0 0 0\n" };
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        for (int ending = 0; ending < 2; ending++) {
            bytes b = binary(headers[i], 2);
            vvMesh m;
            vvError error;
            if (read_bytes(b.data, b.size, ending ? ".dat" : ".stl", &m, NULL, &error))
                fail_msg("%s", error.message);
            assert_int_equal(m.vertexCount, 4);
            assert_int_equal(m.triangleCount, 2);
            assert_sound(&m);
            vvMeshDestroy(&m);
            for (size_t cut = 0; cut < b.size; cut++) {
                if (i == 3 && (cut == 7 || cut == 8)) /* an OBJ file of one point */
                    continue;
                assert_int_not_equal(read_bytes(b.data, cut, ".stl", &m, NULL, &error), VV_OK);
                assert_null(m.positions);
            }
        }
}

static void broken_binaries(void **state)
{
    (void)state;
    bytes b = binary("", 3);
    refuse(&b, "byte 80: found 3 as the number of facets, which take 234 bytes; the file has 184, so it was cut short");
    b = binary("solid a", 3);
    refuse(&b, "byte 80: found 3 as the number of facets");
    b = binary("", 1);
    refuse(&b, "byte 80: found 1 as the number of facets, which take 134 bytes; the file has 184, so it has more data");
    b = binary("", 0xffffffff);
    refuse(&b, "byte 80: found 4294967295 as the number of facets");
    b = binary("", 0);
    b.size = 84;
    refuse(&b, "the file has no facets");
    b.size = 50;
    refuse(&b, "a binary STL file has 84 bytes or more");
    b = binary("", 2);
    b.size = 84 + 12 + 4;
    put_float(&b, NAN, 0);
    b.size = 184;
    refuse(&b, "byte 100: found nan where the y coordinate, a finite number, is needed");
    b = binary("", 2);
    b.size = 84 + 12;
    put_float(&b, 1e35f, 0);
    b.size = 184;
    refuse(&b, "byte 84: vertex 0 has x = 1e+35");
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void what_stl_cannot_hold(void **state)
{
    (void)state;
    vvMesh line = {
        .vertexCount = 2, .edgeCount = 1, .positions = (double[]){ 0, 0, 0, 1, 0, 0 }, .edges = (int[]){ 0, 1 }
    };
    vvMesh tiny = { .vertexCount = 3,
                    .triangleCount = 1,
                    .positions = (double[]){ 1000, 0, 0, 1000.00001, 0, 0, 0, 1, 0 },
                    .triangles = (int[]){ 0, 1, 2 } };
    vvError error;
    const char *path = scratch_file(".stl");
    assert_int_equal(vvMeshWrite(&line, path, NULL, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "STL holds triangles"));
    assert_int_equal(vvMeshWrite(&tiny, path, "stl-binary", &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "triangle 0 is too small for the single precision of binary STL"));
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(vvMeshWrite(&tiny, path, "stl", &error), VV_OK);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_file_has_its_verdict),
        cmocka_unit_test(dropped_facets_are_counted),
        cmocka_unit_test(facets_on_a_line_are_mended),
        cmocka_unit_test(binary_files),
        cmocka_unit_test(broken_binaries),
        cmocka_unit_test(what_stl_cannot_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

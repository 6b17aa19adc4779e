/* PLY: well-formed, odd and broken files with their verdicts; binary bodies of all types; real meshes. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "mesh/mesh.h"
#include "mesh_support.h"

#define TEXT "ply\nformat ascii 1.0\n"
#define XYZ "property float x\nproperty float y\nproperty float z\n"
#define LIST "property list uchar int vertex_indices\n"
#define HEAD(v, f) TEXT "element vertex " #v "\n" XYZ "element face " #f "\n" LIST "end_header\n"
#define THREE "0 0 0\n1 0 0\n0 1 0\n"
#define FOUR THREE "0 0 1\n"
#define SQUARE "0 0 0\n1 0 0\n1 1 0\n0 1 0\n"

/* ---- text -------------------------------------------------------------------------------------------------------- */

static const verdict texts[] = {
    GOOD(HEAD(3, 1) THREE "3 0 1 2\n", 3, 0, 1, 0),
    GOOD(HEAD(3, 1) THREE "3 0 1 2", 3, 0, 1, 0), /* no line end */
    GOOD(HEAD(4, 1) SQUARE "4 0 1 2 3\n", 4, 0, 2, 0),
    GOOD(HEAD(4, 2) FOUR "3 0 1 2\n3 0 2 3\n\n  \n", 4, 0, 2, 0),
    GOOD("\xef\xbb\xbf" HEAD(3, 1) THREE "3 0 1 2\n", 3, 0, 1, 0),
    GOOD(
        "ply\r\nformat ascii 1.0\r\nelement vertex 3\r\nproperty double x\r\nproperty double y\r\nproperty double z\r\n"
        "element face 1\r\nproperty list uint8 uint32 vertex_index\r\nend_header\r\n0 0 0\r\n1 0 0\r\n0 1 0\r\n3 0 1 "
        "2\r\n",
        3, 0, 1, 0),
    GOOD("ply\rformat ascii 1.0\relement vertex 3\rproperty float x\rproperty float y\rproperty float z\relement face "
         "1\r"
         "property list uchar int vertex_indices\rend_header\r0 0 0\r1 0 0\r0 1 0\r3 0 1 2\r",
         3, 0, 1, 0),
    /* comments anywhere, names of types in both families, properties in any order */
    GOOD("ply\ncomment before\nformat ascii 1.0\nobj_info num_cols 3\ncomment end_header\nelement vertex 3\ncomment\n"
         "property uchar red\nproperty int16 z\ncomment between\nproperty int32 y\nproperty list uchar float w\n"
         "property float64 x\nelement face 1\nproperty float32 quality\n" LIST "property uint8 flags\ncomment last\n"
         "end_header\n255 0 0 2 9.5 nan 0\n0 0 0 0 1\n0 0 1 1 inf 0\nnan 3 0 1 2 0\n",
         3, 0, 1, 0),
    /* other elements before, between and after; faces before vertices */
    GOOD(TEXT "element camera 1\nproperty float focus\nproperty list uint float lens\nelement face 1\n" LIST
              "element nothing 1000000000000\nelement vertex 3\n" XYZ
              "element material 2\nproperty int id\nend_header\n"
              "1 3 1 2 3\n3 0 1 2\n" THREE "7\n8\n",
         3, 0, 1, 0),
    GOOD(TEXT "element vertex 4\n" XYZ "element tristrips 1\nproperty list int int vertex_indices\nend_header\n" SQUARE
              "4 0 1 3 2\n",
         4, 0, 2, 0),
    GOOD(TEXT "element vertex 4\n" XYZ "element tristrips 1\nproperty list int int vertex_indices\nend_header\n" SQUARE
              "7 0 1 2 -1 0 2 3\n",
         4, 0, 2, 0),
    GOOD(TEXT "element vertex 3\n" XYZ
              "element edge 2\nproperty int vertex2\nproperty int vertex1\nproperty uchar red\n"
              "end_header\n" THREE "0 1 7\n1 2 7\n",
         3, 0, 0, 2),
    GOOD(TEXT "element vertex 4\n" XYZ "element tet 1\n" LIST "element face 1\n" LIST "end_header\n" FOUR
              "4 0 1 2 3\n3 0 1 2\n",
         4, 1, 4, 0),
    GOOD(TEXT "element vertex 4\n" XYZ "element cell 1\n" LIST "end_header\n" FOUR "4 0 1 2 3\n", 4, 1, 4, 0),
    GOOD(TEXT "element vertex 5\n" XYZ "element face 1\n" LIST "element edge 0\nend_header\n" THREE "5 5 5\n0 0 0\n"
              "3 0 1 2\n",
         3, 0, 1, 0), /* unused and repeated vertices are mended */
    BAD("ply\n", ":2: the file ends within the header: end_header is missing"),
    BAD("PLY\nformat ascii 1.0\n", ":1: found 'PLY' where a PLY file begins with the word 'ply'"),
    BAD("ply format ascii 1.0\n", ":1: found 'format' where the line should end"),
    BAD("ply\nformat text 1.0\n", ":2: format 'text' is unknown; ascii, binary_little_endian and binary_big_endian"),
    BAD("ply\nformat ascii 2.0\n", ":2: PLY version '2.0' is not read here; 1.0 is"),
    BAD("ply\nformat ascii\n", ":2: the line ends where the version of the format, 1.0, is needed"),
    BAD(TEXT "format ascii 1.0\n", ":3: a second 'format' line"),
    BAD("ply\nelement vertex 3\n", ":2: found 'element' before the 'format' line"),
    BAD("ply\nend_header\n", ":2: the header has no 'format' line"),
    BAD("\xff\xfep\0l\0y\0", "the file is UTF-16 text; save it as UTF-8"),
    BAD("version https://git-lfs.github.com/spec/v1\n", "the file is a pointer of Git LFS"),
    BAD("\x1f\x8b\x08\0", "the file is compressed (gzip); unpack it first"),
    BAD(TEXT "end_header\n", ":3: the header announces no element 'vertex'"),
    BAD(TEXT "property float x\n", ":3: a property before the first element"),
    BAD(TEXT "element vertex three\n", ":3: found 'three' where the number of elements, an integer, is needed"),
    BAD(TEXT "element vertex -3\n", ":3: element 'vertex' has the count -3; it cannot be negative"),
    BAD(TEXT "element vertex\n", ":3: the line ends where the number of elements is needed"),
    BAD(TEXT "element vertex 3\nproperty flaot x\n",
        ":4: found 'flaot' where the type of a property is needed: char, "),
    BAD(TEXT "element vertex 3\nproperty float\n", ":4: the line ends where the name of the property is needed"),
    BAD(TEXT "element vertex 3\n" XYZ "property float x\n", ":7: 'x' of element 'vertex' occurs twice"),
    BAD(TEXT "element vertex 3\n" XYZ "element face 1\nproperty list float int vertex_indices\n",
        ":8: the count of list 'vertex_indices' is of a floating-point type"),
    BAD(TEXT "element vertex 3\n" XYZ "element face 1\nproperty list uchar float vertex_indices\n",
        ":8: 'vertex_indices' holds vertex numbers and is of a floating-point type"),
    BAD(TEXT "element vertex 3\n" XYZ "element vertex 3\n", ":7: a second element 'vertex' (the first is in line 3)"),
    BAD(TEXT "element vertex 3\nproperty float x\nproperty float y\nend_header\n",
        ":3: element 'vertex' needs the properties x, y and z, each a number"),
    BAD(TEXT "element vertex 3\n" XYZ "element face 1\nproperty list uchar int indices\nend_header\n",
        ":7: element 'face' needs the list vertex_indices (or vertex_index)"),
    BAD(TEXT "element vertex 3\n" XYZ "element edge 1\nproperty int vertex1\nend_header\n",
        ":7: element 'edge' needs the properties vertex1 and vertex2"),
    BAD(TEXT "element vertex 3\n" XYZ "elemnt face 1\n", ":7: found 'elemnt' where a line of the header is needed"),
    BAD(TEXT "element vertex 3\n" XYZ THREE, ":7: found '0' where a line of the header is needed"),
    BAD(HEAD(0, 0), "the mesh has no vertices"),
    BAD(HEAD(99999999999, 1) THREE, ":3: the header announces 99999999999 elements 'vertex', but only 18 bytes"),
    BAD(HEAD(99999999999999999999, 1), ":3: found '99999999999999999999'"),
    BAD(HEAD(3, 100) THREE "3 0 1 2\n", ":7: the header announces 100 elements 'face', but only 8 bytes"),
    BAD(HEAD(3, 2) THREE "3 0 1 2\n", ":14: the file ends where 'vertex_indices' of element 'face' is needed"),
    BAD(HEAD(3, 1) "0 0 0\n1 0\n0 1 0\n3 0 1 2\n", ":11: the line ends where 'z' of element 'vertex' is needed"),
    BAD(HEAD(3, 1) "0 0 0 1\n1 0 0\n0 1 0\n3 0 1 2\n",
        ":10: found '1' after the values of an element 'vertex'; each element must be on a line of its own"),
    BAD(HEAD(3, 1) "0 0 zero\n1 0 0\n0 1 0\n3 0 1 2\n",
        ":10: found 'zero' where 'z' of element 'vertex', a finite number, is needed"),
    BAD(HEAD(3, 1) "0 0 nan\n1 0 0\n0 1 0\n3 0 1 2\n", ":10: found 'nan' where 'z' of element 'vertex'"),
    BAD(HEAD(3, 1) "0 0 1e40\n1 0 0\n0 1 0\n3 0 1 2\n", ":10: vertex 0 has z = 1e+40"),
    BAD(HEAD(3, 1) THREE "3 0 1 3\n",
        ":13: 'vertex_indices' of element 'face' holds the vertex number 3; the file has 3 "
        "vertices, counted from 0"),
    BAD(HEAD(3, 1) THREE "3 0 1 -1\n", ":13: 'vertex_indices' of element 'face' holds the vertex number -1"),
    BAD(HEAD(3, 1) THREE "3 0 1\n", ":13: the line ends where 'vertex_indices' of element 'face' is needed"),
    BAD(HEAD(3, 1) THREE "3 0 1 2.5\n", ":13: found '2.5' where 'vertex_indices' of element 'face', an integer"),
    BAD(HEAD(3, 1) THREE "-3 0 1 2\n",
        ":13: the list 'vertex_indices' of element 'face' has the count -3; it cannot be"),
    BAD(HEAD(3, 1) THREE "300 0 1 2\n", "has the count 300; the rest of the file is too short for it"),
    BAD(HEAD(3, 1) THREE "2 0 1\n", ":13: a face with 2 vertices; 3 or more are needed"),
    BAD(HEAD(3, 1) THREE "0\n", ":13: a face with 0 vertices"),
    BAD(HEAD(3, 1) THREE "3 0 1 1\n", ":13: no triangle of 1 has an area"),
    BAD(HEAD(3, 1) THREE "3 0 1 2\n3 0 2 1\n", ":14: found '3' after the last element that the header announces"),
    BAD(TEXT "element vertex 3\n" XYZ "element tristrips 1\n" LIST "end_header\n" THREE "3 0 1 -2\n",
        ":13: 'vertex_indices' of element 'tristrips' holds the vertex number -2"),
    BAD(TEXT "element vertex 4\n" XYZ "element cell 1\n" LIST "end_header\n" FOUR "3 0 1 2\n",
        ":14: an element 'cell' with 3 vertices; tets, which have 4, are read"),
};

static void text_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_verdict(&texts[i], ".ply");
}

/* ---- binary ------------------------------------------------------------------------------------------------------ */

#define LITTLE "ply\nformat binary_little_endian 1.0\n"
#define BIG "ply\nformat binary_big_endian 1.0\n"
#define SHORTS "element vertex 3\nproperty short x\nproperty char y\nproperty ushort z\n"
#define FACE8 "element face 1\nproperty list uchar uchar vertex_indices\nend_header\n"
#define BODY     \
    "\0\0\0\0\0" \
    "\1\0\0\0\0" \
    "\0\0\1\0\0"

static const verdict binaries[] = {
    GOOD(LITTLE SHORTS FACE8 BODY "\3\0\1\2", 3, 0, 1, 0),
    GOOD(BIG SHORTS FACE8 "\0\0\0\0\0"
                          "\0\1\0\0\0"
                          "\0\0\1\0\0"
                          "\3\0\1\2",
         3, 0, 1, 0),
    GOOD(LITTLE SHORTS FACE8 BODY "\3\0\1\2\n", 3, 0, 1, 0),
    GOOD("ply\r\nformat binary_little_endian 1.0\r\nelement vertex 3\r\nproperty short x\r\nproperty char y\r\n"
         "property ushort z\r\nelement face 1\r\nproperty list uchar uchar vertex_indices\r\nend_header\r\n" BODY
         "\3\0\1\2",
         3, 0, 1, 0),
    GOOD("ply\rformat binary_little_endian 1.0\relement vertex 3\rproperty short x\rproperty char y\r"
         "property ushort z\relement face 1\rproperty list uchar uchar vertex_indices\rend_header\r\n\r\0\0\0"
         "\n\1\0\0\0"
         "\n\r\1\0\0"
         "\3\0\1\2",
         3, 0, 1, 0), /* the body begins with the bytes of line ends */
    GOOD(LITTLE "comment \xff\xfe\n" SHORTS "property list uchar double skipped\n" FACE8 "\0\0\0\0\0\1\1\2\3\4\5\6\7\x8"
                "\1\0\0\0\0\0"
                "\0\0\1\0\0\0"
                "\3\0\1\2",
         3, 0, 1, 0),
    GOOD(LITTLE SHORTS "element skipped 1\nproperty list ushort short s\n" FACE8 BODY "\2\0\0\0\0\0"
                       "\3\0\1\2",
         3, 0, 1, 0),
    BAD(LITTLE SHORTS FACE8 BODY "\3\0\1",
        "byte 189: the file ends where 'vertex_indices' of element 'face' is needed"),
    BAD(LITTLE SHORTS FACE8 BODY "\3\0\1\3", "byte 189: 'vertex_indices' of element 'face' holds the vertex number 3"),
    BAD(LITTLE SHORTS FACE8 BODY "\2\0\1", "byte 186: a face with 2 vertices"),
    BAD(LITTLE SHORTS FACE8 BODY "\3\0\1\2more", "byte 190: 4 bytes follow the last element"),
    BAD(LITTLE SHORTS FACE8 BODY, ":7: the header announces 1 elements 'face', but only 0 bytes of the file are left"),
    BAD(LITTLE SHORTS FACE8 "\0\0\0\0\0", "announces 3 elements 'vertex', but only 5 bytes"),
    BAD(LITTLE "element vertex 4000000000\n" XYZ FACE8 "\0",
        "announces 4000000000 elements 'vertex', but only 1 bytes"),
    BAD(LITTLE SHORTS "element face 1\nproperty list uint uint vertex_indices\nend_header\n" BODY
                      "\xff\xff\xff\xff\0\0\0\0",
        "has the count 4294967295; the rest of the file is too short for it"),
    BAD(LITTLE SHORTS "element face 1\nproperty list int int vertex_indices\nend_header\n" BODY
                      "\xff\xff\xff\xff\0\0\0\0",
        "has the count -1; it cannot be negative"),
    BAD(LITTLE "element vertex 1\n" XYZ "element face 1\n" LIST "end_header\n\0\0\xc0\x7f\0\0\0\0\0\0\0\0\0",
        "found nan where 'x' of element 'vertex', a finite number, is needed"),
    BAD(LITTLE SHORTS "element face 1\nproperty list uchar uint64 vertex_indices\nend_header\n" BODY
                      "\3\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff",
        "holds the vertex number 9223372036854775807"),
};

static void binary_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++)
        check_verdict(&binaries[i], ".ply");
}

static uint64_t bits_of(int n, int floating, size_t size)
{
    double d = n;
    float f = (float)n;
    uint64_t wide;
    uint32_t narrow;
    memcpy(&wide, &d, sizeof wide);
    memcpy(&narrow, &f, sizeof narrow);
    return !floating ? (uint64_t)n : size == 4 ? narrow : wide;
}

/* A tet's surface in each pair of types, both byte orders, against the positions meant. */
static void all_types(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t size;
        int floating;
    } types[] = {
        { "char", 1, 0 },   { "uint8", 1, 0 }, { "short", 2, 0 },  { "uint16", 2, 0 }, { "int", 4, 0 },
        { "uint32", 4, 0 }, { "int64", 8, 0 }, { "uint64", 8, 0 }, { "float", 4, 1 },  { "float64", 8, 1 },
    };
    static const int faces[4][3] = { { 0, 2, 1 }, { 0, 1, 3 }, { 1, 2, 3 }, { 0, 3, 2 } };
    static const int points[4][3] = { { 0, 0, 0 }, { 100, 0, 0 }, { 0, 50, 0 }, { 0, 0, 3 } };
    for (int i = 0; i < 160; i++) {
        char data[2048];
        int xyz = i % 10, index = i / 10 % 8, big = i / 80;
        size_t size =
            (size_t)snprintf(data, sizeof data,
                             "ply\nformat binary_%s_endian 1.0\nelement vertex 4\nproperty %s x\nproperty %s y\n"
                             "property %s z\nelement face 4\nproperty list %s %s vertex_indices\nend_header\n",
                             big ? "big" : "little", types[xyz].name, types[xyz].name, types[xyz].name,
                             types[index].name, types[index].name);
        for (int k = 0; k < 12 + 16; k++) {
            int n = k < 12 ? points[k / 3][k % 3] : k % 4 == 0 ? 3 : faces[(k - 12) / 4][k % 4 - 1];
            size_t bytes = types[k < 12 ? xyz : index].size;
            uint64_t bits = bits_of(n, types[k < 12 ? xyz : index].floating, bytes);
            for (size_t b = 0; b < bytes; b++)
                data[size++] = (char)(bits >> 8 * (big ? bytes - 1 - b : b));
        }
        vvMesh m;
        vvError error;
        if (read_bytes(data, size, ".ply", &m, NULL, &error))
            fail_msg("%s", error.message);
        assert_int_equal(m.triangleCount, 4);
        for (int k = 0; k < 12; k++)
            assert_true(m.positions[k] == points[k / 3][k % 3]);
        assert_memory_equal(m.triangles, faces, sizeof faces);
        vvMeshDestroy(&m);
    }
}

/* ---- real meshes ------------------------------------------------------------------------------------------------- */

static void as_from_gmsh(void **state)
{
    (void)state;
    if (!have_meshes())
        skip();
    vvMesh solid, surface, back;
    assert_int_equal(vvMeshRead(mesh_file("koala_1k", "msh"), &solid, NULL, NULL), VV_OK);
    assert_int_equal(vvMeshRead(mesh_file("koala_1k", "obj"), &surface, NULL, NULL), VV_OK);
    for (int binary = 0; binary < 2; binary++) {
        const char *path = scratch_file(".ply");
        assert_int_equal(vvMeshWrite(&solid, path, binary ? "ply-binary" : "ply", NULL), VV_OK);
        assert_int_equal(vvMeshRead(path, &back, NULL, NULL), VV_OK);
        assert_int_equal(back.tetCount, 0);
        assert_int_equal(back.vertexCount, surface.vertexCount);
        assert_int_equal(back.triangleCount, surface.triangleCount);
        assert_memory_equal(back.positions, surface.positions, (size_t)back.vertexCount * 3 * sizeof(double));
        assert_true(surface_det(&back) / surface_det(&solid) - 1 < 1e-12);
        vvMeshDestroy(&back);
        remove(path);
    }
    vvMeshDestroy(&solid);
    vvMeshDestroy(&surface);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_files),
        cmocka_unit_test(binary_files),
        cmocka_unit_test(all_types),
        cmocka_unit_test(as_from_gmsh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

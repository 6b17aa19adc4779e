/* glTF and OFF files: what is read, where its nodes put it, and what is refused in which words. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "visviva/mesh.h"

#define FOLDER VV_BUILD_DIR

static void write_file(const char *name, const void *data, size_t size)
{
    FILE *f = fopen(name, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, size, f), size);
    fclose(f);
}

static vvStatus read_text(const char *name, const char *text, vvMesh *m, vvError *error)
{
    memset(error, 0, sizeof *error);
    write_file(name, text, strlen(text));
    vvStatus status = vvMeshRead(name, m, NULL, error);
    unlink(name);
    return status;
}

static void refused(const char *name, const char *text, const char *words)
{
    vvMesh m;
    vvError error;
    if (read_text(name, text, &m, &error) != VV_ERROR_INPUT || !strstr(error.message, words))
        fail_msg("\"%s\" lacks \"%s\"", error.message, words);
    assert_true(!m.positions);
}

/* ---- OFF ---- */

static const char *const off = FOLDER "/test_gltf_off.off";

static void off_is_read(void **state)
{
    (void)state;
    vvMesh m;
    vvError error;
    static const char commented[] =
        "# a tetrahedron\nCOFF\n\n4 4 0 # counts\n0 0 0 255 0 0\n1 0 0 1 1 1 1\n0 1 0\n0 0 1\n3 0 2 1 0.5 0.5 0.5\n3 0 "
        "1 3\n3 0 3 2\n3 1 2 3\n";
    const char *const texts[] = {
        "OFF\n4 4 6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n",
        "OFF 4 4 6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n",
        commented,
    };
    for (int i = 0; i < 3; i++) {
        if (i == 2) /* a comment in front hides the word from other formats; the ending tells */
            assert_int_equal(read_text(off, texts[i], &m, &error), VV_OK);
        else
            assert_int_equal(read_text(i ? off : FOLDER "/test_gltf_off.xyz", texts[i], &m, &error), VV_OK);
        vvSurfaceCheck check;
        assert_int_equal(vvMeshCheckSurface(&m, &check, &error), VV_OK);
        assert_true(check.sound && fabs(check.volume - 1.0 / 6) < 1e-15);
        vvSurfaceCheckDestroy(&check);
        vvMeshDestroy(&m);
    }
    assert_int_equal(read_text(off, "OFF\n4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n2 0 2\n", &m, &error), VV_OK);
    assert_int_equal(m.triangleCount, 2);
    assert_int_equal(m.edgeCount, 1);
    vvMeshDestroy(&m);
}

static void off_is_refused(void **state)
{
    (void)state;
    refused(off, "OFF\n", "the file ends where the number of vertices is needed");
    refused(off, "OFF\n3 1\n0 0 0\n1 0 0\n", ":5: the file ends where a vertex is needed");
    refused(off, "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", ":6: vertex index 3; the file has 3 vertices");
    refused(off, "OFF\n3 1 0\n0 0 0\n1 0 nan\n0 1 0\n3 0 1 2\n", ":4: found 'nan'");
    refused(off, "OFF\n3000000 1 0\n0 0 0\n", "but only");
    refused(off, "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n-1 0 1 2\n", "a face of -1 corners");
    refused(off, "OFF BINARY\n", "a binary OFF file");
    refused(off, "4OFF\n3 1 0\n", "four dimensions");
}

/* ---- glTF ---- */

static const char *const gltf = FOLDER "/test_gltf_off.gltf", *const glb = FOLDER "/test_gltf_off.glb";

/* A tetrahedron: 4 vertices, 12 indices of 2 bytes. */
static size_t tetrahedron(unsigned char bytes[72])
{
    const float x[12] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    const uint16_t v[12] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3 };
    memcpy(bytes, x, 48);
    memcpy(bytes + 48, v, 24);
    return 72;
}

static void encode(const unsigned char *bytes, size_t size, char *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) { /* size is a multiple of 3 */
        const unsigned three = (unsigned)bytes[i] << 16 | (unsigned)bytes[i + 1] << 8 | bytes[i + 2];
        for (int k = 0; k < 4; k++)
            *out++ = digits[three >> (18 - 6 * k) & 63];
    }
    *out = 0;
}

#define HEAD "{ \"asset\": { \"version\": \"2.0\" }, "
#define MESH(mode)                                                                                             \
    "\"meshes\": [ { \"primitives\": [ { \"attributes\": { \"POSITION\": 0 }, \"indices\": 1, \"mode\": " mode \
    " } ] } ], "
#define VIEWS                                                                                                         \
    "\"accessors\": [ { \"bufferView\": 0, \"componentType\": 5126, \"count\": 4, \"type\": \"VEC3\" },"              \
    "{ \"bufferView\": 1, \"componentType\": 5123, \"count\": 12, \"type\": \"SCALAR\" } ],"                          \
    "\"bufferViews\": [ { \"buffer\": 0, \"byteLength\": 48 }, { \"buffer\": 0, \"byteOffset\": 48, \"byteLength\": " \
    "24 } ], "
#define SCENE "\"scene\": 0, \"scenes\": [ { \"nodes\": [0] } ], \"nodes\": [ "

/* The text with the tetrahedron as its buffer. */
static char *with_data(const char *before)
{
    unsigned char bytes[72];
    char data[100], *text = malloc(strlen(before) + 400);
    encode(bytes, tetrahedron(bytes), data);
    sprintf(text, "%s\"buffers\": [ { \"byteLength\": 72, \"uri\": \"data:application/octet-stream;base64,%s\" } ] }",
            before, data);
    return text;
}

static void expect_tetrahedron(const vvMesh *m, double volume, const double lowest[3])
{
    vvSurfaceCheck check;
    vvMeshQuality q;
    assert_int_equal(m->vertexCount, 4);
    assert_int_equal(vvMeshCheckSurface(m, &check, NULL), VV_OK);
    assert_true(check.sound && fabs(check.volume / volume - 1) < 1e-6);
    vvMeshMeasure(m, &q);
    for (int k = 0; k < 3; k++)
        assert_true(fabs(q.boundsMin[k] - lowest[k]) < 1e-6);
    vvSurfaceCheckDestroy(&check);
}

static void gltf_is_placed(void **state)
{
    (void)state;
    static const struct {
        const char *nodes;
        double volume, lowest[3];
    } cases[] = {
        { "{ \"mesh\": 0 } ], ", 1.0 / 6, { 0, 0, 0 } },
        { "{ \"mesh\": 0, \"translation\": [1, 2, 3], \"scale\": [2, 2, 2] } ], ", 8.0 / 6, { 1, 2, 3 } },
        { "{ \"children\": [1], \"translation\": [1, 0, 0] }, { \"mesh\": 0, \"scale\": [1, 1, 3] } ], ",
          0.5,
          { 1, 0, 0 } },
        /* by 90 degrees about z: x becomes y, y becomes -x */
        { "{ \"mesh\": 0, \"rotation\": [0, 0, 0.70710678118654752, 0.70710678118654752] } ], ",
          1.0 / 6,
          { -1, 0, 0 } },
        { "{ \"mesh\": 0, \"matrix\": [1,0,0,0, 0,1,0,0, 0,0,1,0, 5,6,7,1] } ], ", 1.0 / 6, { 5, 6, 7 } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char before[2000], *text;
        vvMesh m;
        vvError error;
        snprintf(before, sizeof before, "%s", HEAD MESH("4") VIEWS SCENE);
        strcat(before, cases[i].nodes);
        text = with_data(before);
        if (read_text(gltf, text, &m, &error) != VV_OK)
            fail_msg("%s", error.message);
        expect_tetrahedron(&m, cases[i].volume, cases[i].lowest);
        vvMeshDestroy(&m);
        free(text);
    }
}

/* Nodes, or their meshes, name groups: of printable letters, as long as a group's name may be. */
static void gltf_names_groups(void **state)
{
    (void)state;
    char long_name[200] = "";
    for (int i = 0; i < 70; i++)
        strcat(long_name, "\xc3\xbc"); /* 140 bytes */
    const char *const names[2] = { long_name, "a\\nb" };
    for (int k = 0; k < 2; k++) {
        char before[2000], *text;
        vvMesh m;
        vvError error;
        snprintf(before, sizeof before, "%s{ \"mesh\": 0, \"name\": \"%s\" } ], ", HEAD MESH("4") VIEWS SCENE,
                 names[k]);
        text = with_data(before);
        if (read_text(gltf, text, &m, &error) != VV_OK)
            fail_msg("%s", error.message);
        assert_int_equal(m.groupCount, 1);
        assert_int_equal(m.groups[0].dimension, 2);
        assert_int_equal(m.groups[0].vertexCount, 4);
        assert_int_equal(m.groups[0].triangleCount, 4);
        if (k == 0) { /* cut between letters */
            assert_int_equal(strlen(m.groups[0].name), 126);
            assert_int_equal(strncmp(m.groups[0].name, long_name, 126), 0);
        } else
            assert_string_equal(m.groups[0].name, "a?b");
        vvMeshDestroy(&m);
        free(text);
    }
}

static void glb_and_files_beside_are_read(void **state)
{
    (void)state;
    unsigned char bytes[72];
    vvMesh m;
    vvError error;
    const double zero[3] = { 0 };
    const char *text = HEAD MESH("4") VIEWS SCENE "{ \"mesh\": 0 } ], \"buffers\": [ { \"byteLength\": 72 } ] }";
    char json[2000];
    snprintf(json, sizeof json, "%s", text);
    while (strlen(json) % 4)
        strcat(json, " ");
    unsigned char file[3000] = "glTF";
    const uint32_t length = (uint32_t)strlen(json), data = 72, head[2] = { 2, 28 + length + data };
    memcpy(file + 4, head, 8);
    memcpy(file + 12, &length, 4), memcpy(file + 16, "JSON", 4), memcpy(file + 20, json, length);
    memcpy(file + 20 + length, &data, 4), memcpy(file + 24 + length, "BIN", 4);
    tetrahedron(file + 28 + length);
    write_file(glb, file, 28 + length + data);
    assert_int_equal(vvMeshRead(glb, &m, NULL, &error), VV_OK);
    expect_tetrahedron(&m, 1.0 / 6, zero);
    vvMeshDestroy(&m);
    write_file(glb, file, 20 + length + data); /* cut short */
    assert_int_equal(vvMeshRead(glb, &m, NULL, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "cut short"));
    unlink(glb);
    write_file(FOLDER "/test_gltf_off.bin", bytes, tetrahedron(bytes));
    assert_int_equal(read_text(gltf,
                               HEAD MESH("4") VIEWS SCENE "{ \"mesh\": 0 } ], \"buffers\": [ { \"byteLength\": 72, "
                                                          "\"uri\": \"test_gltf_off.bin\" } ] }",
                               &m, &error),
                     VV_OK);
    expect_tetrahedron(&m, 1.0 / 6, zero);
    vvMeshDestroy(&m);
    unlink(FOLDER "/test_gltf_off.bin");
}

static void gltf_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {
        { HEAD "\"meshes\": [ { \"primitives\": [ { \"attributes\": { \"POSITION\": 7 } } ] } ], ",
          "accessor 7 is missing" },
        { HEAD MESH("4") VIEWS SCENE "{ \"mesh\": 3 } ], ", "mesh 3 is missing" },
        { HEAD MESH("4") VIEWS SCENE "{ \"mesh\": 0, \"children\": [0] } ], ", "their own children" },
        { HEAD MESH("4") VIEWS SCENE
          "{ \"mesh\": 0, \"translation\": [1e308, 0, 0], \"scale\": [1e308, 1e308, 1e308] }, {}, {} ], ",
          "" },
        { HEAD "\"meshes\": [ { \"primitives\": [ { \"extensions\": { \"KHR_draco_mesh_compression\": {} } } ] } ], ",
          "compressed (KHR_draco_mesh_compression)" },
        { HEAD MESH("4") "\"accessors\": [ { \"bufferView\": 0, \"componentType\": 5126, \"count\": 7 } ], "
                         "\"bufferViews\": [ { "
                         "\"buffer\": 0 } ], ",
          "which extend beyond its buffer" },
        { HEAD MESH("4") "\"accessors\": [ { \"bufferView\": 0, \"componentType\": 5126, \"count\": 4000000000000 } ], "
                         "\"bufferViews\": [ { \"buffer\": 0 } ], ",
          "is not one that a mesh may have" },
        { HEAD MESH("4") "\"accessors\": [ { \"bufferView\": 0, \"componentType\": 5126, \"count\": 1 } ], "
                         "\"bufferViews\": [ { "
                         "\"buffer\": 0, \"byteOffset\": -4 } ], ",
          "is not one that a mesh may have" },
        { HEAD MESH("4") "\"accessors\": [ { \"bufferView\": 0, \"componentType\": 5126, \"count\": 1 } ], "
                         "\"bufferViews\": [ { "
                         "\"buffer\": 9 } ], ",
          "buffer 9, where the file has 1" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = with_data(cases[i].text);
        refused(gltf, text, cases[i].words);
        free(text);
    }
    refused(gltf, HEAD MESH("4") VIEWS "\"buffers\": [ { \"uri\": \"../../etc/passwd\" } ] }",
            "only a file beside this one");
    refused(gltf, HEAD MESH("4") VIEWS "\"buffers\": [ { \"uri\": \"data:x;base64,!!!!\" } ] }", "not base64");
    refused(gltf, "{ \"asset\": 1, \"meshes\": [ ", "test_gltf_off.gltf:1: ");
    refused(FOLDER "/test_gltf_off.fbx", "Kaydara FBX Binary  ", "an FBX file");
    refused(FOLDER "/test_gltf_off.3mf", "PK\x03\x04 3D/3dmodel.model", "a 3MF file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(off_is_read),
        cmocka_unit_test(off_is_refused),
        cmocka_unit_test(gltf_is_placed),
        cmocka_unit_test(gltf_names_groups),
        cmocka_unit_test(glb_and_files_beside_are_read),
        cmocka_unit_test(gltf_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

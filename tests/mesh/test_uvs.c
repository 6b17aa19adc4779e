/* Texture coordinates: they belong to the corners of triangles and stay with them, whatever becomes of vertices and
 * triangles; and principal strains of elements. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "mesh/mesh.h"
#include "mesh_support.h"
#include "short_memory.h"
#include "positional.h"

#include <math.h>

/* In these meshes each corner's coordinates are its vertex's x and y: so it is seen if one goes astray. */
static void assert_follow(const vvMesh *m)
{
    assert_non_null(m->uvs);
    for (int c = 0; c < 3 * m->triangleCount; c++)
        for (int k = 0; k < 2; k++)
            assert_true(m->uvs[2 * c + k] == m->positions[3 * m->triangles[c] + k]);
}

typedef struct file {
    const char *text;
    int triangles;
    bool uvs;
    const char *message; /* of the refusal; NULL: it is read */
} file;

#define SQUARE "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
static const file files[] = {
    { SQUARE "f 1/1 2/2 3/3 4/4\n", 2, true, NULL },
    { SQUARE "f 1/1/1 2/2/1 3/3/1\nf 1/-4 3/-2 4/-1\n", 2, true, NULL },
    { SQUARE "f -4/1 -3/2 -2/3 -1/4\n", 2, true, NULL },
    { "f 1/1 2/2 3/3 4/4\n" SQUARE, 2, true, NULL }, /* a forward reference */
    { SQUARE "vt 0.5 0.5 0.5\nv 0.5 0.5 0\nf 1/1 2/2 5/5\nf 3/3 4/4 5/5\nf 2/2 3/3 5/5\nf 1/1 5/5 4/4\n", 4, true,
      NULL },
    { SQUARE "f 1/1 2/2 3/3\nf 1/1 4/4 3/3\n", 2, true, NULL },           /* the second one is turned */
    { SQUARE "v 1 1 0\nvt 1 1\nf 1/1 2/2 3/3 5/5 4/4\n", 2, true, NULL }, /* two corners at one place */
    { SQUARE "v 1 1 0\nvt 1 1\nf 2/2 3/3 5/5\nf 1/1 2/2 3/3\nf 1/1 5/5 4/4\n", 2, true,
      NULL },                                                                     /* a triangle that collapses */
    { SQUARE "v 0.5 0.1 0\nvt 0.5 0.1\nf 1/1 5/5 2/2 3/3 4/4\n", 3, true, NULL }, /* concave */
    { SQUARE "l 1/1 2/2\nf 1/1 2/2 3/3\n", 1, true, NULL },
    { SQUARE "f 1 2 3 4\n", 2, false, NULL },
    { "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1/1 2/7 3/3\n", 1, false, NULL }, /* no vt at all: as good as none */
    { SQUARE "f 1/1 2/2 3/9\n", 0, false, ":9: texture coordinate 9; the file has 4" },
    { SQUARE "f 1/1 2/2 3/-5\n", 0, false, ":9: texture coordinate" },
    { SQUARE "f 1/1 2/2 3/x\n", 0, false, ":9: found '3/x'" },
    { SQUARE "vt 1 2 3 4\nf 1 2 3\n", 0, false, ":9: a texture coordinate with more than 3 numbers" },
    { SQUARE "vt\nf 1 2 3\n", 0, false, ":9: a texture coordinate without numbers" },
    { SQUARE "vt 1 nan\nf 1 2 3\n", 0, false, ":9: found 'nan' where a texture coordinate" },
    { SQUARE "vt 1e31 0\nf 1 2 3\n", 0, false, ":9: found '1e31'" },
};

static void obj_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        vvMesh m;
        vvError error;
        const char *path = scratch_file(".obj");
        save_bytes(path, files[i].text, strlen(files[i].text));
        vvStatus status = vvMeshRead(path, &m, NULL, &error);
        if (files[i].message) {
            assert_int_equal(status, VV_ERROR_INPUT);
            if (!strstr(error.message, files[i].message))
                fail_msg("file %zu: %s", i, error.message);
            continue;
        }
        if (status)
            fail_msg("file %zu: %s", i, error.message);
        assert_int_equal(m.triangleCount, files[i].triangles);
        if (files[i].uvs && !strstr(files[i].text, "f 1 2"))
            assert_follow(&m);
        assert_true((m.uvs != NULL) == (files[i].uvs || strstr(files[i].text, "f 1 2 3 4") != NULL));
        vvMeshDestroy(&m);
        unlink(path);
    }
}

/* A seam: the body stays whole, its corners differ; written and read again, they are the same to the bit. */
static void seams(void **state)
{
    (void)state;
    const char text[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 0.5 0.25\nvt 1 0.1\nvt 0.75 0.3\nf 1/1 2/2 "
                        "3/3\nf 1/4 3/2 4/1\n";
    const double want[12] = { 0, 0, 0.5, 0.25, 1, 0.1, 0.75, 0.3, 0.5, 0.25, 0, 0 };
    const char *path = scratch_file(".obj");
    vvMesh m, again;
    save_bytes(path, text, sizeof text - 1);
    assert_int_equal(vvMeshRead(path, &m, NULL, NULL), VV_OK);
    assert_int_equal(m.vertexCount, 4);
    assert_memory_equal(m.uvs, want, sizeof want);
    assert_int_equal(vvMeshWrite(&m, path, "obj", NULL), VV_OK);
    assert_int_equal(vvMeshRead(path, &again, NULL, NULL), VV_OK);
    assert_int_equal(again.vertexCount, 4);
    assert_memory_equal(again.uvs, want, sizeof want);
    vvMeshDestroy(&m);
    vvMeshDestroy(&again);
    unlink(path);
}

#define PLY_HEAD "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
#define PLY_FACES "element face 1\nproperty list uchar int vertex_indices\n"
#define PLY_ST "property float s\nproperty float t\n"
static const file ply_files[] = {
    { PLY_HEAD PLY_ST PLY_FACES "end_header\n0 0 0 0 0\n1 0 0 1 0\n1 1 0 1 1\n0 1 0 0 1\n4 0 1 2 3\n", 2, true, NULL },
    { PLY_HEAD "property float v\nproperty float u\n" PLY_FACES
               "end_header\n0 0 0 0 0\n1 0 0 0 1\n1 1 0 1 1\n0 1 0 1 0\n4 0 1 2 3\n",
      2, true, NULL },
    { PLY_HEAD PLY_FACES
      "property list uchar float texcoord\nend_header\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3 8 0 0 1 0 1 1 0 1\n",
      2, true, NULL },
    { PLY_HEAD PLY_ST PLY_FACES "property list uchar float texcoord\nend_header\n0 0 0 7 7\n1 0 0 7 7\n1 1 0 7 7\n0 1 "
                                "0 7 7\n4 0 1 2 3 8 0 0 1 0 1 1 0 1\n",
      2, true, NULL },
    { PLY_HEAD PLY_FACES "property list uchar float texcoord\nend_header\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3 0\n", 2,
      false, NULL },
    { PLY_HEAD "property float s\n" PLY_FACES "end_header\n0 0 0 9\n1 0 0 9\n1 1 0 9\n0 1 0 9\n4 0 1 2 3\n", 2, false,
      NULL }, /* no t */
    { PLY_HEAD PLY_FACES
      "property list uchar float texcoord\nend_header\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3 6 0 0 1 0 1 1\n",
      0, false, ":15: a face of 4 vertices with 6 numbers in texcoord" },
    { PLY_HEAD PLY_FACES
      "property list uchar float texcoord\nend_header\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3 200 0 0\n",
      0, false, ":15: the list" },
    { PLY_HEAD PLY_FACES
      "property list uchar float texcoord\nend_header\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3 8 0 0 1 0 1 nan 0 1\n",
      0, false, ":15: found 'nan'" },
};

static void ply_and_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ply_files / sizeof *ply_files; i++) {
        vvMesh m;
        vvError error;
        const file *f = ply_files + i;
        const char *path = scratch_file(".ply");
        save_bytes(path, f->text, strlen(f->text));
        vvStatus status = vvMeshRead(path, &m, NULL, &error);
        if (f->message) {
            assert_int_equal(status, VV_ERROR_INPUT);
            if (!strstr(error.message, f->message))
                fail_msg("file %zu: %s", i, error.message);
            continue;
        }
        if (status)
            fail_msg("file %zu: %s", i, error.message);
        assert_int_equal(m.triangleCount, f->triangles);
        if (f->uvs)
            assert_follow(&m);
        else
            assert_null(m.uvs);
        for (int binary = 0; binary < 2; binary++) {
            vvMesh again;
            assert_int_equal(vvMeshWrite(&m, path, binary ? "ply-binary" : "ply", NULL), VV_OK);
            assert_int_equal(vvMeshRead(path, &again, NULL, NULL), VV_OK);
            assert_true((again.uvs != NULL) == f->uvs);
            if (f->uvs)
                assert_memory_equal(again.uvs, m.uvs, 6 * (size_t)m.triangleCount * sizeof(double));
            vvMeshDestroy(&again);
        }
        vvMeshDestroy(&m);
        unlink(path);
    }
}

/* A tube unrolled: by angle and length, no triangle cut by the seam, and neighbours agree but for whole turns. */
static void tube(void **state)
{
    (void)state;
    vvMesh m;
    vvError error;
    int across = 0;
    const double values[] = { 0.1, 0.5, 24 };
    assert_int_equal(generate_mesh("tube", values, &m, &error), VV_OK);
    assert_non_null(m.uvs);
    for (int c = 0; c < 3 * m.triangleCount; c++) {
        const double *x = m.positions + 3 * m.triangles[c], *uv = m.uvs + 2 * c, *first = m.uvs + 2 * (c - c % 3);
        assert_true(fabs(0.1 * sin(2 * M_PI * uv[0]) - x[0]) < 1e-12 &&
                    fabs(0.1 * cos(2 * M_PI * uv[0]) - x[2]) < 1e-12);
        assert_true(fabs(0.5 * (uv[1] - 0.5) - x[1]) < 1e-12);
        assert_true(uv[0] >= 0 && uv[0] < 1 + 1.5 / 24 && fabs(uv[0] - first[0]) < 1.6 / 24);
        across += uv[0] > 1;
    }
    assert_true(across > 0);
    vvMeshDestroy(&m);
}

static void generators(void **state)
{
    (void)state;
    static const char *const flat[] = { "cloth", "weave", "disk", "sheet" };
    for (size_t i = 0; i < sizeof flat / sizeof *flat; i++) {
        vvMesh m;
        double low[2] = { 9, 9 }, high[2] = { -9, -9 }; /* all are 1 m wide */
        assert_int_equal(vvMeshGenerate(flat[i], NULL, 0, &m, NULL), VV_OK);
        assert_non_null(m.uvs);
        for (int c = 0; c < 3 * m.triangleCount; c++) {
            const double *x = m.positions + 3 * m.triangles[c], *uv = m.uvs + 2 * c;
            assert_true(fabs(uv[0] - (0.5 + x[0])) < 1e-15 && fabs(uv[1] - (0.5 - x[2])) < 1e-15);
            for (int k = 0; k < 2; k++) {
                low[k] = fmin(low[k], uv[k]);
                high[k] = fmax(high[k], uv[k]);
            }
        }
        for (int k = 0; k < 2; k++)
            assert_true(low[k] >= 0 && low[k] < 0.01 && high[k] <= 1 && high[k] > 0.99);
        vvMeshDestroy(&m);
    }
    vvMesh solid;
    assert_int_equal(vvMeshGenerate("box", NULL, 0, &solid, NULL), VV_OK);
    assert_null(solid.uvs);
    vvMeshDestroy(&solid);
}

/* Around a hole in a disk: the new triangles' corners have the coordinates of their vertices, too. */
static void holes(void **state)
{
    (void)state;
    vvMesh m;
    vvHoleNotes notes;
    assert_int_equal(generate_mesh("disk", (double[]){ 0.5, 4 }, &m, NULL), VV_OK);
    m.edgeCount = 0;
    int kept = 0; /* without the triangles at the centre */
    for (int t = 0; t < m.triangleCount; t++) {
        const int *v = m.triangles + 3 * t;
        if (v[0] == 0 || v[1] == 0 || v[2] == 0)
            continue;
        memmove(m.triangles + 3 * kept, v, 3 * sizeof *v);
        memmove(m.uvs + 6 * kept++, m.uvs + 6 * t, 6 * sizeof *m.uvs);
    }
    assert_int_equal(m.triangleCount - kept, 6);
    m.triangleCount = kept;
    assert_int_equal(vvMeshFinish(&m, NULL, NULL), VV_OK);
    assert_int_equal(vvMeshCloseHoles(&m, 0.3, &notes, NULL), VV_OK);
    assert_int_equal(notes.closed, 1);
    assert_int_equal(m.triangleCount, kept + 4);
    for (int c = 0; c < 3 * m.triangleCount; c++) {
        const double *x = m.positions + 3 * m.triangles[c];
        assert_true(fabs(m.uvs[2 * c] - (0.5 + x[0])) < 1e-15 && fabs(m.uvs[2 * c + 1] - (0.5 - x[2])) < 1e-15);
    }
    vvMeshDestroy(&m);
}

static void by_hand(void **state)
{
    (void)state;
    double x[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 }, uvs[] = { 0, 0, 1, 0, 0, 1 };
    int triangles[] = { 0, 1, 2 }, tets[] = { 0, 1, 2, 3 };
    vvMesh mine = { .vertexCount = 3, .triangleCount = 1, .positions = x, .triangles = triangles, .uvs = uvs }, m;
    vvError error;
    assert_int_equal(vvMeshCopy(&mine, &m, NULL), VV_OK);
    assert_ptr_not_equal(m.uvs, uvs);
    assert_int_equal(vvMeshFinish(&m, NULL, NULL), VV_OK);
    assert_follow(&m);
    m.uvs[3] = NAN;
    assert_int_equal(vvMeshFinish(&m, NULL, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "texture coordinate v = nan"));
    vvMeshDestroy(&m);
    mine.vertexCount = 4, mine.tetCount = 1, mine.tets = tets; /* the boundary has none */
    assert_int_equal(vvMeshCopy(&mine, &m, NULL), VV_OK);
    assert_int_equal(vvMeshFinish(&m, NULL, NULL), VV_OK);
    assert_int_equal(m.triangleCount, 4);
    assert_null(m.uvs);
    vvMeshDestroy(&m);
}

/* F = rotation times stretches along turned axes, of all elements of 2 to 4 nodes. */
static void strains(void **state)
{
    (void)state;
    const double rest[] = { 0.1, 0.2, -0.3, 1.2, 0.1, 0.2, 0.3, 0.9, 0.1, 0.2, 0.3, 1.4 };
    const double stretches[][3] = { { 1, 1, 1 },         { 1.5, 1.5, 1.5 }, { 2, 0.5, 1 },
                                    { 1.001, 1, 0.999 }, { 3, 3, 0.1 },     { 1e-3, 1, 1 } };
    const int nodes[] = { 0, 1, 2, 3 };
    for (size_t i = 0; i < sizeof stretches / sizeof *stretches; i++) {
        double x[12], most, least;
        const double *s = stretches[i], c = cos(0.7), d = sin(0.7);
        for (int v = 0; v < 4; v++) { /* stretch, then turn about z and move */
            double p[3] = { s[0] * rest[3 * v], s[1] * rest[3 * v + 1], s[2] * rest[3 * v + 2] };
            x[3 * v] = c * p[0] - d * p[1] + 5, x[3 * v + 1] = d * p[0] + c * p[1] - 2, x[3 * v + 2] = p[2] + 1;
        }
        assert_true(vvElementStrain(rest, x, nodes, 4, &most, &least));
        assert_true(fabs(most - (fmax(s[0], fmax(s[1], s[2])) - 1)) < 1e-12 * fmax(1, most));
        assert_true(fabs(least - (fmin(s[0], fmin(s[1], s[2])) - 1)) < 1e-9);
        assert_true(vvElementStrain(rest, x, nodes, 2, &most, &least));
        double before = 0, after = 0;
        for (int k = 0; k < 3; k++) {
            before += pow(rest[3 + k] - rest[k], 2);
            after += pow(x[3 + k] - x[k], 2);
        }
        assert_true(fabs(most - (sqrt(after / before) - 1)) < 1e-12 && most == least);
    }
    /* a flat triangle, stretched in its plane, folded away, and turned over: only the stretch counts */
    const double flat[] = { 0, 0, 0, 1, 0, 0, 0.3, 0, 0.8 }, wide[] = { 7, 0, 0, 7, 2, 0, 7, 0.6, 0.8 * 0.75 };
    double most, least;
    assert_true(vvElementStrain(flat, wide, nodes, 3, &most, &least));
    assert_true(fabs(most - 1) < 1e-14 && fabs(least + 0.25) < 1e-14);
    const double point[] = { 1, 2, 3, 1, 2, 3, 1, 2, 3 };
    assert_false(vvElementStrain(point, wide, nodes, 3, &most, &least)); /* no size at rest */
    assert_true(most == 0 && least == 0);
    assert_false(vvElementStrain(NULL, wide, nodes, 3, &most, &least));
    assert_false(vvElementStrain(flat, wide, nodes, 1, &most, &least));
    assert_false(vvElementStrain(flat, wide, nodes, 5, &most, &least));
    assert_true(vvElementStrain(flat, point, nodes, 3, &most, &least)); /* collapsed: finite */
    assert_true(most == -1 && least == -1);
}

static void short_of_memory(void **state)
{
    (void)state;
    const char *path = scratch_file(".obj");
    save_bytes(path, files[0].text, strlen(files[0].text));
    budget b = { 0 };
    vvAllocator allocator = budget_allocator(&b);
    vvStatus status = VV_ERROR_MEMORY;
    int k = 0;
    for (; status == VV_ERROR_MEMORY && k < 300; k++) {
        vvMesh m;
        assert_int_equal(vvSetThreadAllocator(&allocator, NULL), VV_OK);
        b.left = k;
        status = vvMeshRead(path, &m, NULL, NULL);
        vvMeshDestroy(&m);
        assert_int_equal(b.live, 0);
        assert_int_equal(vvSetThreadAllocator(NULL, NULL), VV_OK);
    }
    assert_int_equal(status, VV_OK);
    assert_true(k > 8);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(obj_files), cmocka_unit_test(seams),      cmocka_unit_test(ply_and_back),
        cmocka_unit_test(tube),      cmocka_unit_test(generators), cmocka_unit_test(holes),
        cmocka_unit_test(by_hand),   cmocka_unit_test(strains),    cmocka_unit_test(short_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

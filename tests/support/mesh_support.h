/* Files and comparisons the mesh tests share. */
#ifndef MESH_SUPPORT_H
#define MESH_SUPPORT_H

#include "base/memory.h"
#include "mesh/mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file NAME.ENDING in the folder of meshes that do not come with visviva, $VISVIVA_MESHES; without it tests of them
 * are skipped. */
static inline const char *mesh_file(const char *name, const char *ending)
{
    static char path[4096];
    const char *folder = getenv("VISVIVA_MESHES");
    snprintf(path, sizeof path, "%s/%s.%s", folder ? folder : "", name, ending);
    return path;
}

/* A file of this process in the build folder. */
static inline const char *scratch_file(const char *ending)
{
    static char path[512];
    snprintf(path, sizeof path, VV_BUILD_DIR "/mesh-test-%ld%.32s", (long)getpid(), ending);
    return path;
}

/* ".msh": the first ending of a format. */
enum { ENDING_LENGTH = 16 };
static inline const char *format_ending(const vv_format *format, char ending[ENDING_LENGTH])
{
    snprintf(ending, ENDING_LENGTH, "%.*s", (int)strcspn(format->endings, " "), format->endings);
    return ending;
}

/* Of a tet mesh only the surface is written. */
static inline int is_surface_format(const char *name)
{
    static const char *const names[] = { "obj", "stl", "stl-binary", "ply", "ply-binary" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return 1;
    return 0;
}

/* Free points have no place in it. */
static inline int takes_no_points(const char *name)
{
    return strncmp(name, "stl", 3) == 0 || strncmp(name, "medit", 5) == 0 || strcmp(name, "inp") == 0;
}

/* Triangles without indices: vertices may come back in another order, and there are no edges. */
static inline int is_soup_format(const char *name) { return strncmp(name, "stl", 3) == 0; }

/* Formats of segments or of points hold nothing else, STL triangles only. */
static inline int holds(const char *name, const vvMesh *mesh)
{
    if (strcmp(name, "seg") == 0)
        return mesh->triangleCount == 0 && mesh->pointCount == 0;
    if (is_soup_format(name))
        return mesh->triangleCount > 0;
    return strcmp(name, "pt") != 0 || mesh->pointCount > 0;
}

static inline void save_bytes(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* malloc'ed. */
static inline char *load_bytes(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *data = malloc(*size + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, *size, file), *size);
    data[*size] = 0;
    fclose(file);
    return data;
}

/* Reads the text as a file with this ending. */
static inline vvStatus read_bytes(const void *data, size_t size, const char *ending, vvMesh *mesh, vvMeshNotes *notes,
                                  vvError *error)
{
    const char *path = scratch_file(ending);
    save_bytes(path, data, size);
    vvStatus status = vvMeshRead(path, mesh, notes, error);
    remove(path);
    return status;
}

static inline int have_meshes(void)
{
    if (access(mesh_file("bunny_1k8", "msh"), R_OK) == 0)
        return 1;
    print_message("skipped: the environment variable VISVIVA_MESHES names no folder with bunny_1k8.msh and others\n");
    return 0;
}

/* Same arrays to the bit. */
static inline void assert_same_mesh(const vvMesh *a, const vvMesh *b)
{
    assert_int_equal(a->vertexCount, b->vertexCount);
    assert_int_equal(a->tetCount, b->tetCount);
    assert_int_equal(a->triangleCount, b->triangleCount);
    assert_int_equal(a->edgeCount, b->edgeCount);
    assert_int_equal(a->pointCount, b->pointCount);
    assert_memory_equal(a->positions, b->positions, (size_t)a->vertexCount * 3 * sizeof(double));
    assert_memory_equal(a->tets, b->tets, (size_t)a->tetCount * 4 * sizeof(int));
    assert_memory_equal(a->triangles, b->triangles, (size_t)a->triangleCount * 3 * sizeof(int));
    assert_memory_equal(a->edges, b->edges, (size_t)a->edgeCount * 2 * sizeof(int));
    assert_memory_equal(a->points, b->points, (size_t)a->pointCount * sizeof(int));
}

static inline void assert_no_repair(const vvMeshNotes *notes)
{
    assert_int_equal(notes->flippedTets, 0);
    assert_int_equal(notes->duplicateVertices, 0);
    assert_int_equal(notes->unusedVertices, 0);
}

/* The same triangles at the same places, whatever the vertices' numbers; `narrow`: rounded to single precision. */
static inline void assert_same_soup(const vvMesh *a, const vvMesh *b, int narrow)
{
    assert_int_equal(a->vertexCount, b->vertexCount);
    assert_int_equal(a->triangleCount, b->triangleCount);
    for (int i = 0; i < 3 * a->triangleCount; i++)
        for (int k = 0; k < 3; k++) {
            double x = a->positions[3 * a->triangles[i] + k];
            assert_true((narrow ? (double)(float)x : x) == b->positions[3 * b->triangles[i] + k]);
        }
}

/* Six times the signed volume inside the triangles. */
static inline double surface_det(const vvMesh *m)
{
    double sum = 0;
    for (int t = 0; t < m->triangleCount; t++) {
        const double *a = m->positions + 3 * m->triangles[3 * t], *b = m->positions + 3 * m->triangles[3 * t + 1];
        const double *c = m->positions + 3 * m->triangles[3 * t + 2];
        sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
               a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return sum;
}

/* What every finished mesh satisfies; a reader must give nothing else, whatever the bytes. */
static inline void assert_sound(vvMesh *m)
{
    vvMesh copy;
    vvMeshNotes notes;
    vvError error;
    assert_true(m->vertexCount > 0 && m->tetCount + m->triangleCount + m->edgeCount + m->pointCount > 0);
    assert_true(m->pointCount == 0 ||
                (m->pointCount == m->vertexCount && m->tetCount + m->triangleCount + m->edgeCount == 0));
    assert_int_equal(vvMeshCopy(m, &copy, &error), VV_OK);
    assert_int_equal(vvMeshFinish(&copy, &notes, &error), VV_OK);
    assert_no_repair(&notes);
    assert_same_mesh(m, &copy);
    vvMeshDestroy(&copy);
}

/* A file and its verdict: the counts of the mesh, or words of the message that refuses it. */
typedef struct verdict {
    const char *text, *message;
    size_t size;
    int vertices, tets, triangles, edges;
} verdict;
/* The text may hold zeros. */
/* clang-format off */
#define GOOD(text, v, tets, triangles, edges) { text, NULL, sizeof(text) - 1, v, tets, triangles, edges }
#define BAD(text, message) { text, message, sizeof(text) - 1, 0, 0, 0, 0 }
/* clang-format on */

static inline void check_verdict(const verdict *v, const char *ending)
{
    vvMesh mesh;
    vvError error = { 0 };
    vvStatus status = read_bytes(v->text, v->size, ending, &mesh, NULL, &error);
    if (v->message && (status != VV_ERROR_INPUT || !strstr(error.message, v->message)))
        fail_msg("status %d, message '%s' without '%s'", status, error.message, v->message);
    if (!v->message && status)
        fail_msg("'%s' for\n%s", error.message, v->text);
    for (const char *c = error.message; status && *c; c++) /* nothing that could upset a terminal */
        assert_true(*c >= 32 && *c < 127);
    if (mesh.vertexCount != v->vertices || mesh.tetCount != v->tets || mesh.triangleCount != v->triangles ||
        mesh.edgeCount != v->edges)
        fail_msg("%d vertices, %d tets, %d triangles, %d edges for\n%s", mesh.vertexCount, mesh.tetCount,
                 mesh.triangleCount, mesh.edgeCount, v->text);
    if (!status)
        assert_sound(&mesh);
    vvMeshDestroy(&mesh);
}

#endif

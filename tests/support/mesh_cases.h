/* Tables of mesh files with their verdicts: the mesh's counts, or words of the one message. */
#ifndef MESH_CASES_H
#define MESH_CASES_H

#include "mesh_support.h"

typedef struct mesh_case {
    const char *about, *ending, *text;
    int vertices, tets, triangles, edges; /* all 0: refused */
    const char *message;
} mesh_case;

static inline void assert_verdict(const mesh_case *c, vvStatus status, vvMesh *mesh, const vvError *error)
{
    if (!c->message) {
        if (status)
            fail_msg("%s: refused: %s", c->about, error->message);
        if (mesh->vertexCount != c->vertices || mesh->tetCount != c->tets || mesh->triangleCount != c->triangles ||
            mesh->edgeCount != c->edges)
            fail_msg("%s: %d vertices, %d tets, %d triangles, %d edges", c->about, mesh->vertexCount, mesh->tetCount,
                     mesh->triangleCount, mesh->edgeCount);
        assert_sound(mesh);
        vvMeshDestroy(mesh);
        return;
    }
    if ((status != VV_ERROR_INPUT && status != VV_ERROR_IO) || !strstr(error->message, c->message) ||
        !strstr(error->message, "mesh-test-"))
        fail_msg("%s: status %d, message '%s' without '%s'", c->about, status, error->message, c->message);
    for (const char *p = error->message; *p; p++) /* nothing that could upset a terminal */
        assert_true(*p >= 32 && *p < 127);
    assert_true(mesh->vertexCount == 0 && !mesh->positions && !mesh->tets && !mesh->triangles && !mesh->edges &&
                !mesh->points);
}

static inline void check_case(const mesh_case *c)
{
    vvMesh mesh;
    vvError error = { 0 };
    vvStatus status = read_bytes(c->text, strlen(c->text), c->ending, &mesh, NULL, &error);
    assert_verdict(c, status, &mesh, &error);
}

/* Bytes put together piece by piece, in either byte order. */
typedef struct bytes {
    char data[4096];
    size_t size;
} bytes;

static inline void put_text(bytes *b, const char *text)
{
    memcpy(b->data + b->size, text, strlen(text));
    b->size += strlen(text);
}

static inline void put_raw(bytes *b, const void *value, size_t size, int big)
{
    uint16_t one = 1;
    int host_big = *(unsigned char *)&one == 0;
    for (size_t i = 0; i < size; i++)
        b->data[b->size++] = ((const char *)value)[big != host_big ? size - 1 - i : i];
}

static inline void put_int(bytes *b, int32_t v, int big) { put_raw(b, &v, sizeof v, big); }
static inline void put_size(bytes *b, int64_t v, int big) { put_raw(b, &v, sizeof v, big); }
static inline void put_float(bytes *b, float v, int big) { put_raw(b, &v, sizeof v, big); }
static inline void put_double(bytes *b, double v, int big) { put_raw(b, &v, sizeof v, big); }

#endif

/* glTF 2.0, as JSON (.gltf) and with its data in one file (.glb): the triangles of all meshes that the scene shows,
 * placed as its nodes say (Khronos, glTF 2.0 specification, sections 3.5 to 3.7 and 4). Positions are metres.
 * Materials, skins, animations, normals and texture coordinates are left out. Data lie in the .glb, in the JSON
 * (base64), or in a file beside it, which is named without a folder. */
#include "mesh/builder.h"
#include "mesh/format/faces.h"
#include "mesh/format/source.h"

#include <string.h>

#ifdef VV_HAVE_JANSSON
#include <jansson.h>

#include <math.h>

#include "base/memory.h"
#include "base/text/text.h"

enum { MOST_BUFFERS = 64, MOST_DEPTH = 64 };

typedef struct buffer {
    unsigned char *data; /* that is freed at the end, or NULL */
    const unsigned char *bytes;
    size_t size;
} buffer;

typedef struct gltf {
    vv_source *s;
    vv_builder *builder;
    vv_faces faces;
    json_t *root;
    const unsigned char *chunk; /* the binary part of a .glb */
    size_t chunk_size;
    buffer buffers[MOST_BUFFERS];
} gltf;

/* A row of an array of the document; NULL: there is none. */
static const json_t *row(const gltf *g, const char *array, json_int_t index)
{
    return index < 0 ? NULL : json_array_get(json_object_get(g->root, array), (size_t)index);
}

static json_int_t integer(const json_t *object, const char *key, json_int_t otherwise)
{
    const json_t *value = json_object_get(object, key);
    return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

/* ---- buffers ---- */

static int sextet(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

static vvStatus decode(gltf *g, const char *text, buffer *b)
{
    const size_t length = strlen(text);
    unsigned bits = 0;
    int have = 0;
    b->bytes = b->data = vv_alloc(length / 4 * 3 + 3, 1);
    if (!b->data)
        return vv_fail_memory(g->s->error, "a buffer of glTF");
    for (size_t i = 0; i < length && text[i] != '='; i++) {
        const int value = sextet(text[i]);
        if (value < 0)
            return vv_source_fail(g->s, "a buffer's data are not base64");
        bits = bits << 6 | (unsigned)value;
        have += 6;
        if (have >= 8)
            have -= 8, b->data[b->size++] = (unsigned char)(bits >> have);
    }
    return VV_OK;
}

/* A file in the folder of this one, which a bare name says. */
static vvStatus read_beside(gltf *g, const char *name, buffer *b)
{
    char path[4096];
    const char *slash = strrchr(g->s->path, '/');
    const int folder = slash ? (int)(slash + 1 - g->s->path) : 0;
    vv_source file;
    if (strchr(name, '/') || strchr(name, ':') || strchr(name, '%') || !*name)
        return vv_source_fail(g->s, "a buffer lies in \"%.200s\"; only a file beside this one is read, or write a .glb",
                              name);
    if (snprintf(path, sizeof path, "%.*s%s", folder, g->s->path, name) >= (int)sizeof path)
        return vv_source_fail(g->s, "the path of a buffer is too long");
    vvStatus status = vv_source_open(&file, path, g->s->error);
    if (status != VV_OK)
        return status;
    b->data = vv_alloc_copy(file.data, file.size, 1);
    b->bytes = b->data, b->size = file.size;
    vv_source_close(&file);
    return b->data ? VV_OK : vv_fail_memory(g->s->error, "a buffer of glTF");
}

static vvStatus open_buffer(gltf *g, json_int_t index, buffer **found)
{
    static const char base64[] = ";base64,";
    const json_t *object = row(g, "buffers", index);
    const char *uri = json_string_value(json_object_get(object, "uri"));
    if (!object || index >= MOST_BUFFERS)
        return vv_source_fail(g->s, "buffer %lld, where the file has %zu (%d are read)", (long long)index,
                              json_array_size(json_object_get(g->root, "buffers")), MOST_BUFFERS);
    buffer *b = *found = g->buffers + index;
    if (b->bytes)
        return VV_OK;
    if (!uri) {
        if (index != 0 || !g->chunk)
            return vv_source_fail(g->s, "buffer %lld has no data", (long long)index);
        b->bytes = g->chunk, b->size = g->chunk_size;
        return VV_OK;
    }
    if (strncmp(uri, "data:", 5) != 0)
        return read_beside(g, uri, b);
    const char *at = strstr(uri, base64);
    return at ? decode(g, at + sizeof base64 - 1, b) : vv_source_fail(g->s, "a buffer's data are not base64");
}

/* ---- accessors ---- */

/* Where `count` rows of `components` numbers lie. */
typedef struct view {
    const unsigned char *bytes;
    size_t count, stride;
    int type; /* 5121, 5123, 5125: unsigned of 1, 2, 4 bytes; 5126: single precision */
} view;

static size_t size_of(json_int_t type)
{
    return type == 5120 || type == 5121 ? 1 : type == 5122 || type == 5123 ? 2 : type == 5125 || type == 5126 ? 4 : 0;
}

static vvStatus find_view(gltf *g, json_int_t index, int components, view *v)
{
    const json_t *accessor = row(g, "accessors", index);
    const json_int_t at = integer(accessor, "bufferView", -1), type = integer(accessor, "componentType", 0);
    const json_t *part = row(g, "bufferViews", at);
    buffer *b = NULL;
    if (!accessor || json_object_get(accessor, "sparse") || !part)
        return vv_source_fail(g->s, "accessor %lld %s", (long long)index,
                              !accessor ? "is missing"
                              : part    ? "is sparse, which is not read"
                                        : "has no data (is the mesh compressed, by Draco for instance?)");
    if (json_object_get(json_object_get(part, "extensions"), "EXT_meshopt_compression"))
        return vv_source_fail(g->s, "the mesh is compressed (EXT_meshopt_compression), which is not read");
    vvStatus status = open_buffer(g, integer(part, "buffer", -1), &b);
    if (status != VV_OK)
        return status;
    const size_t row_size = size_of(type) * (size_t)components;
    const json_int_t first = integer(part, "byteOffset", 0), inner = integer(accessor, "byteOffset", 0);
    const json_int_t count = integer(accessor, "count", -1), stride = integer(part, "byteStride", (json_int_t)row_size);
    if (!row_size || first < 0 || inner < 0 || count < 0 || stride < (json_int_t)row_size || stride > 4096 ||
        count > VV_MESH_LIMIT || (uint64_t)first > b->size || (uint64_t)inner > b->size - (uint64_t)first)
        return vv_source_fail(g->s, "accessor %lld is not one that a mesh may have", (long long)index);
    const uint64_t room = b->size - (uint64_t)first - (uint64_t)inner;
    if (count > 0 && (uint64_t)(count - 1) * (uint64_t)stride + row_size > room)
        return vv_source_fail(g->s, "accessor %lld has %lld rows, which extend beyond its buffer", (long long)index,
                              (long long)count);
    *v = (view){ b->bytes + first + inner, (size_t)count, (size_t)stride, (int)type };
    return VV_OK;
}

static uint32_t index_at(const view *v, size_t i)
{
    const unsigned char *p = v->bytes + i * v->stride;
    uint32_t value = p[0];
    if (v->type != 5121)
        value |= (uint32_t)p[1] << 8;
    if (v->type == 5125)
        value |= (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    return value;
}

static double float_at(const view *v, size_t i, int k)
{
    const unsigned char *p = v->bytes + i * v->stride + 4 * (size_t)k;
    const uint32_t bits = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- meshes ---- */

/* Columns first, as glTF writes it. */
typedef struct matrix {
    double m[16];
} matrix;

static vvStatus add_vertices(gltf *g, const view *v, const matrix *placed)
{
    for (size_t i = 0; i < v->count && !g->builder->failed; i++) {
        double x[3], y[3];
        for (int k = 0; k < 3; k++)
            x[k] = float_at(v, i, k);
        for (int k = 0; k < 3; k++)
            y[k] = placed->m[k] * x[0] + placed->m[4 + k] * x[1] + placed->m[8 + k] * x[2] + placed->m[12 + k];
        if (!isfinite(y[0]) || !isfinite(y[1]) || !isfinite(y[2]))
            return vv_source_fail(g->s, "vertex %zu of a mesh is not a number", i);
        vv_builder_vertex(g->builder, y, 0);
    }
    return VV_OK;
}

/* Triangles (4), a strip (5) or a fan (6) of `count` corners. */
static vvStatus add_triangles(gltf *g, json_int_t mode, const view *indices, size_t count, size_t first,
                              size_t vertices, int group)
{
    const size_t triangles = mode == 4 ? count / 3 : count < 3 ? 0 : count - 2;
    for (size_t t = 0; t < triangles && !g->faces.failed; t++) {
        const size_t strip[3] = { t + (t & 1), t + 1 - (t & 1), t + 2 }, fan[3] = { 0, t + 1, t + 2 };
        int corners[3];
        for (size_t k = 0; k < 3; k++) {
            const size_t at = mode == 4 ? 3 * t + k : mode == 5 ? strip[k] : fan[k];
            const size_t v = indices ? index_at(indices, at) : at;
            if (v >= vertices)
                return vv_source_fail(g->s, "vertex index %zu; the mesh has %zu vertices, counted from 0", v, vertices);
            corners[k] = (int)(first + v);
        }
        vv_faces_add(&g->faces, corners, 3, 0);
        if (group >= 0)
            vv_builder_member(g->builder, group, corners, 3);
    }
    return VV_OK;
}

static vvStatus add_primitive(gltf *g, const json_t *primitive, const matrix *placed, int group)
{
    const json_int_t mode = integer(primitive, "mode", 4), with = integer(primitive, "indices", -1);
    const json_t *attributes = json_object_get(primitive, "attributes");
    view places, indices;
    if (json_object_get(json_object_get(primitive, "extensions"), "KHR_draco_mesh_compression"))
        return vv_source_fail(g->s, "the mesh is compressed (KHR_draco_mesh_compression), which is not read; export it "
                                    "without compression");
    if (mode < 4 || mode > 6) /* points and lines */
        return VV_OK;
    vvStatus status = find_view(g, integer(attributes, "POSITION", -1), 3, &places);
    if (status == VV_OK && places.type != 5126)
        status = vv_source_fail(g->s, "positions of type %d; 5126 (single precision) is read", places.type);
    if (status == VV_OK && with >= 0)
        status = find_view(g, with, 1, &indices);
    if (status == VV_OK && with >= 0 && indices.type != 5121 && indices.type != 5123 && indices.type != 5125)
        status = vv_source_fail(g->s, "vertex indices of type %d; 5121, 5123 and 5125 are allowed", indices.type);
    const size_t first = g->builder->positions.count;
    if (status == VV_OK)
        status = add_vertices(g, &places, placed);
    return status != VV_OK ? status
                           : add_triangles(g, mode, with >= 0 ? &indices : NULL,
                                           with >= 0 ? indices.count : places.count, first, places.count, group);
}

/* The group of what has that name, or the name of its mesh; -1: neither has one, or there are too many. */
static int group_of(gltf *g, const json_t *named, const json_t *mesh, size_t tag)
{
    const char *text = json_string_value(json_object_get(named, "name"));
    if (!text || !*text)
        text = json_string_value(json_object_get(mesh, "name"));
    if (!text || !*text)
        return -1;
    const int group = vv_builder_group(g->builder, 2, (int64_t)tag);
    if (group < 0)
        return -1;
    char *name = ((vv_group_key *)g->builder->groups.data)[group].name;
    size_t n = 0;
    for (; text[n] && n + 1 < sizeof((vv_group_key *)0)->name; n++)
        name[n] = (unsigned char)text[n] < 32 || text[n] == 127 ? '?' : text[n];
    while (text[n] && n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80) /* no part of a character */
        n--;
    name[n] = 0;
    return group;
}

/* ---- nodes ---- */

static matrix product(const matrix *a, const matrix *b)
{
    matrix c;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) {
            c.m[4 * k + i] = 0;
            for (int j = 0; j < 4; j++)
                c.m[4 * k + i] += a->m[4 * j + i] * b->m[4 * k + j];
        }
    return c;
}

static bool numbers(const json_t *node, const char *key, int count, double *out)
{
    const json_t *list = json_object_get(node, key);
    if (json_array_size(list) != (size_t)count)
        return false;
    for (int i = 0; i < count; i++)
        out[i] = json_number_value(json_array_get(list, (size_t)i));
    return true;
}

/* Its matrix, or its scale, rotation (a quaternion x, y, z, w) and translation in turn. */
static matrix matrix_of(const json_t *node)
{
    matrix out = { { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 } };
    double q[4] = { 0, 0, 0, 1 }, s[3] = { 1, 1, 1 }, t[3] = { 0, 0, 0 };
    if (numbers(node, "matrix", 16, out.m))
        return out;
    numbers(node, "rotation", 4, q);
    numbers(node, "scale", 3, s);
    numbers(node, "translation", 3, t);
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const double r[9] = { 1 - 2 * (y * y + z * z), 2 * (x * y + z * w),     2 * (x * z - y * w),
                          2 * (x * y - z * w),     1 - 2 * (x * x + z * z), 2 * (y * z + x * w),
                          2 * (x * z + y * w),     2 * (y * z - x * w),     1 - 2 * (x * x + y * y) };
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++)
            out.m[4 * k + i] = r[3 * k + i] * s[k];
        out.m[12 + k] = t[k];
    }
    return out;
}

/* A node with those below it. Nodes that are their own children would never end: a file may have at most so many
 * visits as nodes, as each has one parent. */
static vvStatus add_node(gltf *g, json_int_t index, const matrix *parent, int depth, size_t *visits)
{
    const json_t *node = row(g, "nodes", index), *child;
    size_t i;
    if (!node)
        return vv_source_fail(g->s, "node %lld is missing", (long long)index);
    if (depth == MOST_DEPTH || ++*visits > json_array_size(json_object_get(g->root, "nodes")))
        return vv_source_fail(g->s, "nodes are their own children, or more than %d deep", MOST_DEPTH);
    const matrix own = matrix_of(node), placed = product(parent, &own);
    const json_int_t mesh = integer(node, "mesh", -1);
    const json_t *primitives = json_object_get(row(g, "meshes", mesh), "primitives"), *primitive;
    vvStatus status = VV_OK;
    if (mesh >= 0 && !primitives)
        return vv_source_fail(g->s, "mesh %lld is missing", (long long)mesh);
    const int group = mesh >= 0 ? group_of(g, node, row(g, "meshes", mesh), (size_t)index) : -1;
    json_array_foreach(primitives, i, primitive) if (status == VV_OK) status =
        add_primitive(g, primitive, &placed, group);
    json_array_foreach(json_object_get(node, "children"), i, child) if (status == VV_OK) status =
        add_node(g, json_is_integer(child) ? json_integer_value(child) : -1, &placed, depth + 1, visits);
    return status;
}

/* The nodes of the scene that is shown; of a file without scenes all meshes as they are. */
static vvStatus add_all(gltf *g)
{
    const matrix one = { { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 } };
    const json_t *scene = row(g, "scenes", integer(g->root, "scene", 0)), *child;
    size_t i, k, visits = 0;
    vvStatus status = VV_OK;
    json_array_foreach(json_object_get(scene, "nodes"), i, child) if (status == VV_OK) status =
        add_node(g, json_is_integer(child) ? json_integer_value(child) : -1, &one, 0, &visits);
    const json_t *mesh;
    if (!scene)
        json_array_foreach(json_object_get(g->root, "meshes"), i, mesh)
            json_array_foreach(json_object_get(mesh, "primitives"), k, child) if (status == VV_OK) status =
                add_primitive(g, child, &one, group_of(g, mesh, NULL, i));
    return status;
}

/* A .glb: 12 bytes of head, then chunks of a length, a type and data. */
static vvStatus find_chunks(gltf *g, const char **json, size_t *length)
{
    const unsigned char *p = (const unsigned char *)g->s->data;
    const size_t size = g->s->size;
    *json = g->s->data, *length = size;
    if (size < 20 || memcmp(p, "glTF", 4) != 0)
        return VV_OK;
    if (p[4] != 2)
        return vv_source_fail(g->s, "glTF of version %d; version 2 is read", p[4]);
    for (size_t at = 12, n; at + 8 <= size; at += 8 + n) {
        n = (size_t)p[at] | (size_t)p[at + 1] << 8 | (size_t)p[at + 2] << 16 | (size_t)p[at + 3] << 24;
        if (n > size - at - 8)
            return vv_source_fail(g->s, "a chunk of %zu bytes at byte %zu of %zu: the file is cut short", n, at, size);
        if (memcmp(p + at + 4, "JSON", 4) == 0)
            *json = g->s->data + at + 8, *length = n;
        else if (memcmp(p + at + 4, "BIN", 4) == 0 && !g->chunk)
            g->chunk = p + at + 8, g->chunk_size = n;
    }
    return VV_OK;
}

static vvStatus read_gltf(vv_source *s, vv_builder *b)
{
    gltf g = { .s = s, .builder = b };
    json_error_t problem;
    const char *text;
    size_t length;
    s->binary = false;
    vvStatus status = find_chunks(&g, &text, &length);
    vv_locale locale = vv_locale_enter();
    g.root = status == VV_OK ? json_loadb(text, length, 0, &problem) : NULL;
    vv_locale_leave(locale);
    if (status == VV_OK && !g.root)
        status = vv_fail(s->error, VV_ERROR_INPUT, "%s:%d: %s", s->shown, problem.line, problem.text);
    if (status == VV_OK && !json_object_get(g.root, "meshes"))
        status = vv_fail(s->error, VV_ERROR_INPUT, "%s: a glTF file without meshes", s->shown);
    if (status == VV_OK)
        status = add_all(&g);
    if (status == VV_OK && !g.faces.faces.count)
        status = vv_fail(s->error, VV_ERROR_INPUT, "%s: a glTF file whose scene has no triangles", s->shown);
    if (status == VV_OK)
        status = vv_faces_cut(&g.faces, s, b, 0);
    vv_faces_free(&g.faces);
    for (int i = 0; i < MOST_BUFFERS; i++)
        vv_free(g.buffers[i].data);
    json_decref(g.root);
    return status;
}
#else
static vvStatus read_gltf(vv_source *s, vv_builder *b)
{
    (void)b;
    return vv_source_fail(s, "a glTF file; this build has no glTF, as it was made without libjansson");
}
#endif

/* By its first bytes, or as JSON with what each glTF file has: its version as an object. */
static vv_match match_gltf(const char *data, size_t size)
{
    if (size >= 12 && memcmp(data, "glTF", 4) == 0)
        return VV_MATCH_YES;
    size_t n = 0;
    while (n < size && strchr(" \t\r\n", data[n]) && data[n])
        n++;
    return n < size && data[n] == '{' && memmem(data, size, "\"asset\"", 7) && memmem(data, size, "\"meshes\"", 8)
               ? VV_MATCH_YES
               : VV_MATCH_NO;
}

const vv_format vv_format_gltf = {
    { "gltf", "glTF 2.0, .gltf and .glb: the triangles of its scene" }, ".gltf .glb", match_gltf, read_gltf, NULL
};

/* PLY (Stanford's polygon format), text and binary: vertices, faces of any size, triangle strips, edges, tets. A file
 * without any of these is a cloud of points.
 *
 * Read are x, y, z of element vertex; the list vertex_indices (or vertex_index) of the elements face, tristrips, and
 * tet, tetrahedron or cell; vertex1 and vertex2 of element edge; texture coordinates: the list texcoord of face, with
 * two numbers a corner (or none), else s and t (or u and v, texture_u and texture_v) of vertex. All other properties
 * and elements are skipped. In text each element is on a line of its own. */
#include "mesh/format/ply.h"

#include "base/memory.h"
#include "mesh/format/faces.h"
#include "mesh/format/output.h"

#include <inttypes.h>
#include <string.h>

typedef struct ply {
    vv_source *source;
    vv_builder *builder;
    vv_ply_header header;
    int64_t vertices; /* as the header says */
    vv_faces faces;
    vv_list corners; /* int: those of the element being read */
    vv_list texture; /* double: the same */
    vv_list pairs;   /* double[2]: of faces' corners; or of all vertices, until a face has some of its own */
    bool own;        /* of corners */
    bool failed;
} ply;

/* ---- values ------------------------------------------------------------------------------------------------------ */

static vvStatus skip_value(vv_source *s, const vv_ply_property *p)
{
    vv_word word;
    if (!s->binary) {
        if (vv_text_word(s, &word))
            return VV_OK;
        return vv_source_fail(s, "the %s ends where %s is needed", s->p == s->end ? "file" : "line", p->what);
    }
    if (s->end - s->p < vv_scalar_size(p->kind))
        return vv_source_fail(s, "the file ends where %s is needed", p->what);
    s->p += vv_scalar_size(p->kind);
    return VV_OK;
}

/* An index of -1 ends a strip of triangles. */
static vvStatus read_index(ply *o, const vv_ply_property *p, vv_ply_use use, int *vertex)
{
    vv_source before = *o->source;
    int64_t value;
    vvStatus status = vv_read_int(o->source, p->kind, p->what, &value);
    if (status != VV_OK)
        return status;
    if (value >= 0 && value < o->vertices) {
        *vertex = (int)value;
        return VV_OK;
    }
    if (value == -1 && use == VV_PLY_STRIP) {
        *vertex = -1;
        return VV_OK;
    }
    *o->source = before;
    return vv_source_fail(o->source,
                          "%s holds the vertex number %" PRId64 "; the file has %" PRId64 " vertices, counted from 0",
                          p->what, value, o->vertices);
}

static vvStatus read_list(ply *o, const vv_ply_property *p, vv_ply_use use)
{
    vv_source *s = o->source, before = *s;
    int64_t count;
    vvStatus status = vv_read_int(s, p->count_kind, p->what, &count);
    int64_t least = s->binary ? vv_scalar_size(p->kind) : 2;
    if (status == VV_OK && (count < 0 || count > (s->end - s->p + 1) / least)) {
        *s = before;
        return vv_source_fail(s, "the list %s has the count %" PRId64 "; %s", p->what, count,
                              count < 0 ? "it cannot be negative" : "the rest of the file is too short for it");
    }
    for (int64_t i = 0; status == VV_OK && i < count; i++) {
        if (p->slot == VV_PLY_NO_SLOT) {
            status = skip_value(s, p);
            continue;
        }
        int vertex = 0;
        status = read_index(o, p, use, &vertex);
        if (status == VV_OK && !vv_list_push(&o->corners, &vertex, sizeof vertex))
            o->failed = true;
    }
    return status;
}

/* A face's own texture coordinates. */
static vvStatus read_texture(ply *o, const vv_ply_property *p)
{
    vv_source *s = o->source, before = *s;
    int64_t count;
    vvStatus status = vv_read_int(s, p->count_kind, p->what, &count);
    if (status == VV_OK && (count < 0 || count > s->end - s->p + 1)) {
        *s = before;
        return vv_source_fail(s, "the list %s has the count %" PRId64 "; the rest of the file is too short for it",
                              p->what, count);
    }
    for (int64_t i = 0; status == VV_OK && i < count && !o->failed; i++) {
        double value = 0;
        status = vv_read_double(s, p->kind, p->what, &value);
        if (status == VV_OK && !vv_list_push(&o->texture, &value, sizeof value))
            o->failed = true;
    }
    return status;
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

static void take_strip(ply *o, int at)
{
    const int *v = o->corners.data;
    int count = (int)o->corners.count;
    for (int begin = 0; begin < count;) {
        int end = begin;
        while (end < count && v[end] >= 0)
            end++;
        vv_faces_add_strip(&o->faces, v + begin, end - begin, at);
        begin = end + 1;
    }
}

static void take_vertex_texture(ply *o, const double uv[2], bool has)
{
    if (has && !vv_list_push(&o->pairs, uv, 2 * sizeof *uv))
        o->failed = true;
}

/* A face with its texture coordinates, if the file has those of corners: those of vertices then no longer count. */
static vvStatus take_face(ply *o, int at)
{
    const int *v = o->corners.data;
    int count = (int)o->corners.count, given = (int)o->texture.count;
    const double *uv = o->texture.data;
    if (count < 3 || (o->own && given != 0 && given != 2 * count)) {
        vv_source_go(o->source, at);
        return count < 3
                   ? vv_source_fail(o->source, "a face with %d vertices; 3 or more are needed", count)
                   : vv_source_fail(o->source,
                                    "a face of %d vertices with %d numbers in texcoord; 2 each, or none, are needed",
                                    count, given);
    }
    if (!o->own) {
        vv_faces_add(&o->faces, v, count, at);
        return VV_OK;
    }
    for (int i = 0; i < count; i++) {
        vv_faces_textured(&o->faces, v[i], given ? (int)o->pairs.count : -1);
        if (given && !vv_list_push(&o->pairs, uv + 2 * i, 2 * sizeof *uv))
            o->failed = true;
    }
    vv_faces_close(&o->faces, at);
    return VV_OK;
}

/* The source's cursor is after the element; messages name its beginning. */
static vvStatus take(ply *o, const vv_ply_element *e, const double x[3], const int edge[2], int at)
{
    const int *v = o->corners.data;
    int count = (int)o->corners.count;
    char quoted[VV_QUOTED_LENGTH];
    switch (e->use) {
    case VV_PLY_SKIP: break;
    case VV_PLY_VERTEX: vv_builder_vertex(o->builder, x, at); break;
    case VV_PLY_EDGE: vv_builder_edge(o->builder, edge, at); break;
    case VV_PLY_STRIP: take_strip(o, at); break;
    case VV_PLY_FACE: return take_face(o, at);
    case VV_PLY_TET:
        if (count != 4) {
            vv_source_go(o->source, at);
            return vv_source_fail(o->source, "an element %s with %d vertices; tets, which have 4, are read",
                                  vv_quote(quoted, e->name), count);
        }
        vv_builder_tet(o->builder, v, at);
        break;
    }
    return VV_OK;
}

static vvStatus end_line(vv_source *s, const vv_ply_element *e)
{
    vv_word word;
    char quoted[VV_QUOTED_LENGTH], element[VV_QUOTED_LENGTH];
    if (vv_text_word(s, &word))
        return vv_source_fail(s,
                              "found %s after the values of an element %s; each element must be on a line of its own",
                              vv_quote(quoted, word), vv_quote(element, e->name));
    vv_text_skip_line(s);
    return VV_OK;
}

static vvStatus read_element(ply *o, const vv_ply_element *e)
{
    vv_source *s = o->source;
    const vv_ply_property *properties = (const vv_ply_property *)o->header.properties.data + e->first;
    double x[3] = { 0 }, uv[2] = { 0 };
    int edge[2] = { 0 }, textured = 0;
    vvStatus status = VV_OK;
    if (!s->binary)
        vv_text_skip_blank(s);
    int at = vv_source_at(s);
    o->corners.count = o->texture.count = 0;
    for (int i = 0; status == VV_OK && i < e->properties; i++) {
        const vv_ply_property *p = &properties[i];
        if (p->texture != VV_PLY_NO_SLOT && p->list)
            status = read_texture(o, p);
        else if (p->texture != VV_PLY_NO_SLOT) {
            status = vv_read_double(s, p->kind, p->what, &uv[p->texture]);
            textured |= 1 << p->texture;
        } else if (p->list)
            status = read_list(o, p, e->use);
        else if (p->slot == VV_PLY_NO_SLOT)
            status = skip_value(s, p);
        else if (e->use == VV_PLY_VERTEX)
            status = vv_read_double(s, p->kind, p->what, &x[p->slot]);
        else
            status = read_index(o, p, e->use, &edge[p->slot]);
    }
    if (status == VV_OK && !s->binary)
        status = end_line(s, e);
    if (status == VV_OK && !o->failed)
        status = take(o, e, x, edge, at);
    if (status == VV_OK && e->use == VV_PLY_VERTEX && !o->own)
        take_vertex_texture(o, uv, textured == 3);
    return status;
}

/* The body holds nothing for elements without properties. */
static vvStatus read_elements(ply *o, const vv_ply_element *e)
{
    int64_t room = o->source->end - o->source->p;
    char quoted[VV_QUOTED_LENGTH];
    if (!e->properties)
        return VV_OK;
    if (e->count > (o->header.text ? room + 1 : room) / e->least) {
        o->source->binary = false; /* the header is text */
        vv_source_go(o->source, e->line);
        return vv_source_fail(o->source,
                              "the header announces %" PRId64 " elements %s, but only %" PRId64
                              " bytes of the file are left for them",
                              e->count, vv_quote(quoted, e->name), room);
    }
    vvStatus status = VV_OK;
    for (int64_t i = 0; status == VV_OK && i < e->count && !o->failed; i++)
        status = read_element(o, e);
    return status;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/* Only a line end or zeros may follow the last element: otherwise header and body disagree. */
static vvStatus check_end(vv_source *s)
{
    vv_word word;
    char quoted[VV_QUOTED_LENGTH];
    if (!s->binary) {
        vv_text_skip_blank(s);
        if (!vv_text_word(s, &word))
            return VV_OK;
        return vv_source_fail(s, "found %s after the last element that the header announces", vv_quote(quoted, word));
    }
    for (const char *p = s->p; p < s->end; p++)
        if (*p && !strchr(" \t\r\n", *p))
            return vv_source_fail(s,
                                  "%td bytes follow the last element that the header announces: its counts or types "
                                  "do not fit the body",
                                  s->end - s->p);
    return VV_OK;
}

static void take_points(const ply *o)
{
    const int *at = o->builder->vertex_at.data;
    for (size_t v = 0; v < o->builder->positions.count && !o->builder->failed; v++)
        vv_builder_point(o->builder, (int)v, at[v]);
}

static vvStatus read_body(ply *o)
{
    const vv_ply_element *elements = o->header.elements.data;
    int64_t taken = 0;
    for (size_t i = 0; i < o->header.elements.count; i++) {
        if (elements[i].use == VV_PLY_VERTEX)
            o->vertices = elements[i].count;
        else if (elements[i].use)
            taken += elements[i].count > 0;
    }
    const vv_ply_property *properties = o->header.properties.data;
    for (size_t i = 0; i < o->header.properties.count; i++)
        o->own = o->own || (properties[i].list && properties[i].texture != VV_PLY_NO_SLOT);
    vvStatus status = VV_OK;
    for (size_t i = 0; status == VV_OK && i < o->header.elements.count && !o->failed; i++)
        status = read_elements(o, &elements[i]);
    if (status == VV_OK && !o->failed)
        status = check_end(o->source);
    if (status == VV_OK && !o->failed && !taken && o->vertices)
        take_points(o);
    o->builder->failed |= o->failed || o->faces.failed;
    bool all =
        o->own ? o->faces.textures.count == o->faces.corners.count : o->pairs.count == o->builder->positions.count;
    if (all && o->pairs.count > 0) {
        o->faces.uv = o->pairs.data;
        o->faces.uv_count = o->pairs.count;
        o->faces.uv_of_vertices = !o->own;
    }
    if (status == VV_OK && !o->builder->failed && o->builder->tets.count)
        vv_faces_fan(&o->faces, o->builder);
    else if (status == VV_OK && !o->builder->failed)
        status = vv_faces_cut(&o->faces, o->source, o->builder, 0);
    return status;
}

static vvStatus read_ply(vv_source *source, vv_builder *builder)
{
    ply o = { .source = source, .builder = builder };
    vvStatus status = vv_ply_read_header(source, &o.header);
    if (status == VV_OK)
        status = read_body(&o);
    vv_ply_free_header(&o.header);
    vv_faces_free(&o.faces);
    vv_list_free(&o.corners);
    vv_list_free(&o.texture);
    vv_list_free(&o.pairs);
    return status;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* Little endian on any machine. */
static void put_little(vv_output *o, const void *value, size_t size)
{
    const uint16_t one = 1;
    char bytes[8];
    for (size_t i = 0; i < size; i++)
        bytes[i] = ((const char *)value)[*(const char *)&one == 1 ? i : size - 1 - i];
    vv_put_bytes(o, bytes, size);
}

static void put_index(vv_output *o, int value, char after, bool text)
{
    if (text)
        vv_put_int(o, value, after);
    else
        put_little(o, &value, sizeof value);
}

/* A triangle's, as a list. */
static void put_texture(const double *uvs, bool text, vv_output *o)
{
    vv_put_bytes(o, text ? "6 " : "\6", text ? 2 : 1);
    for (int k = 0; k < 6; k++)
        if (text)
            vv_put_double(o, uvs[k], k < 5 ? ' ' : '\n');
        else
            put_little(o, &uvs[k], sizeof uvs[k]);
}

static void put_header(const vvMesh *mesh, int vertices, bool text, vv_output *o)
{
    vv_put_text(o, "ply\nformat ");
    vv_put_text(o, text ? "ascii" : "binary_little_endian");
    vv_put_text(o, " 1.0\nelement vertex ");
    vv_put_int(o, vertices, '\n');
    vv_put_text(o, "property double x\nproperty double y\nproperty double z\n");
    if (mesh->triangleCount) {
        vv_put_text(o, "element face ");
        vv_put_int(o, mesh->triangleCount, '\n');
        vv_put_text(o, "property list uchar int vertex_indices\n");
        if (mesh->uvs)
            vv_put_text(o, "property list uchar double texcoord\n");
    }
    if (mesh->edgeCount) {
        vv_put_text(o, "element edge ");
        vv_put_int(o, mesh->edgeCount, '\n');
        vv_put_text(o, "property int vertex1\nproperty int vertex2\n");
    }
    vv_put_text(o, "end_header\n");
}

/* For a tet mesh the surface, and only the vertices that are used, as in OBJ: few programs know tets in PLY. */
static vvStatus write_ply(const vvMesh *mesh, bool text, vv_output *output, vvError *error)
{
    if (!mesh->triangleCount && !mesh->edgeCount && !mesh->pointCount)
        return vv_fail(error, VV_ERROR_INPUT,
                       "PLY holds surfaces, lines and points; this mesh has none (vvMeshFinish gives tets "
                       "their boundary)");
    int used, *number = vv_surface_numbers(mesh, &used);
    if (!number)
        return vv_fail_memory(error, "a PLY file");
    put_header(mesh, used, text, output);
    for (size_t i = 0; i < 3 * (size_t)mesh->vertexCount; i++) {
        if (!number[i / 3])
            continue;
        if (text)
            vv_put_double(output, mesh->positions[i], i % 3 < 2 ? ' ' : '\n');
        else
            put_little(output, &mesh->positions[i], sizeof(double));
    }
    for (int i = 0; i < 3 * mesh->triangleCount; i++) {
        if (i % 3 == 0)
            vv_put_bytes(output, text ? "3 " : "\3", text ? 2 : 1);
        put_index(output, number[mesh->triangles[i]] - 1, i % 3 < 2 || mesh->uvs ? ' ' : '\n', text);
        if (i % 3 == 2 && mesh->uvs)
            put_texture(mesh->uvs + 2 * (size_t)(i - 2), text, output);
    }
    for (int i = 0; i < 2 * mesh->edgeCount; i++)
        put_index(output, number[mesh->edges[i]] - 1, i % 2 ? '\n' : ' ', text);
    vv_free(number);
    return VV_OK;
}

static vvStatus write_text(const vvMesh *mesh, vv_output *output, vvError *error)
{
    return write_ply(mesh, true, output, error);
}

static vvStatus write_binary(const vvMesh *mesh, vv_output *output, vvError *error)
{
    return write_ply(mesh, false, output, error);
}

/* ---- the rows ---------------------------------------------------------------------------------------------------- */

/* Both rows read all PLY files; the "format" line decides which one a file belongs to. */
static vv_match match(const char *data, size_t size, bool text)
{
    static const char binary[] = "format binary";
    size_t head = size < 4096 ? size : 4096;
    if (size < 4 || memcmp(data, "ply", 3) != 0 || !strchr(" \t\r\n", data[3]))
        return VV_MATCH_NO;
    return (memmem(data, head, binary, sizeof binary - 1) == NULL) == text ? VV_MATCH_YES : VV_MATCH_NO;
}

static vv_match match_text(const char *data, size_t size) { return match(data, size, true); }

static vv_match match_binary(const char *data, size_t size) { return match(data, size, false); }

extern const vv_format vv_format_ply, vv_format_ply_binary;
const vv_format vv_format_ply = {
    { "ply", "PLY, text: surface, lines and points" }, ".ply", match_text, read_ply, write_text,
};
const vv_format vv_format_ply_binary = {
    { "ply-binary", "PLY, binary: surface, lines and points" }, ".ply", match_binary, read_ply, write_binary,
};

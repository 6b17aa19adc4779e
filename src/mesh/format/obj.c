/* Wavefront OBJ: vertices, faces of any size, polylines, points. And two relatives that IPC's scenes use (Li et al.
 * 2020): .seg, vertices and segments (`s 1 2`), and .pt, vertices alone.
 *
 * A file that names its vertices nowhere is a cloud of points: all of them. `s` with two numbers is a segment; with
 * one, or "off", it is OBJ's smoothing group, which is skipped. `v` takes 3 numbers, and a weight or colours that are
 * not used; `vt` takes u, or u and v, and a third number that is not used; `f`, `l` and `p` take v, v/vt, v//vn,
 * v/vt/vn, indices from 1 or, negative, from the latest vertex (texture coordinate) back. Normals, groups, names and
 * materials are skipped, and what `f` says of texture coordinates in a file without `vt`; other keywords (free-form
 * curves and surfaces) are refused. A backslash at the end of a line continues it. Faces are cut into triangles at
 * the end of the file, as they may refer to vertices further down. */
#include "base/memory.h"
#include "base/text/number.h"
#include "mesh/format/faces.h"
#include "mesh/format/output.h"

#include <inttypes.h>
#include <string.h>

typedef struct obj {
    vv_source *source;
    vv_builder *builder;
    vv_faces faces;
    vv_list textures; /* double[2] */
} obj;

static const char *const skipped[] = { "vn",  "vp", "g",     "o",        "mtllib",   "usemtl",     "maplib",   "usemap",
                                       "lod", "mg", "bevel", "c_interp", "d_interp", "shadow_obj", "trace_obj" };

static bool is_skipped(vv_word word)
{
    for (size_t i = 0; i < sizeof skipped / sizeof *skipped; i++)
        if (vv_word_is(word, skipped[i]))
            return true;
    return false;
}

/* Whether only spaces are left of the line; then moves past its end. */
static bool line_ends(vv_source *s)
{
    vv_source ahead = *s;
    vv_word rest;
    if (vv_text_word(&ahead, &rest))
        return false;
    vv_text_skip_line(s);
    return true;
}

/* The next word of the logical line; false at its end or at a comment. */
static bool next_word(vv_source *s, vv_word *word)
{
    while (vv_text_word(s, word)) {
        const char *comment = vv_word_comment(*word);
        if (comment) {
            s->p = comment;
            word->length = (int)(comment - word->text);
            return word->length > 0;
        }
        if (word->text[word->length - 1] != '\\' || !line_ends(s))
            return true;
        if (--word->length > 0)
            return true;
    }
    return false;
}

/* Skips past the end of the logical line. */
static void skip_line(vv_source *s)
{
    vv_word word;
    while (next_word(s, &word)) {
    }
    vv_text_skip_line(s);
}

static vvStatus read_vertex(obj *o)
{
    vv_source *s = o->source;
    double x[7];
    int count = 0, line = s->line;
    vv_word word;
    char quoted[VV_QUOTED_LENGTH];
    while (next_word(s, &word)) {
        if (count == 7)
            return vv_source_fail(
                s, "a vertex with more than 7 numbers; 3 are needed (and a weight or colours may follow)");
        if (!vv_word_double(word, &x[count]))
            return vv_source_fail(s, "found %s where the %c coordinate, a number, is needed", vv_quote(quoted, word),
                                  count < 3 ? 'x' + count : 'w');
        if (!(x[count] >= -VV_COORDINATE_LIMIT && x[count] <= VV_COORDINATE_LIMIT))
            return vv_source_fail(s, "found %s; numbers must be finite and below %g", vv_quote(quoted, word),
                                  VV_COORDINATE_LIMIT);
        count++;
    }
    if (count < 3)
        return vv_source_fail(s, "a vertex with %d numbers; 3 are needed", count);
    vv_builder_vertex(o->builder, x, line);
    return VV_OK;
}

static vvStatus read_texture(obj *o)
{
    vv_source *s = o->source;
    double uv[3] = { 0 };
    int count = 0;
    vv_word word;
    char quoted[VV_QUOTED_LENGTH];
    while (next_word(s, &word)) {
        if (count == 3)
            return vv_source_fail(s, "a texture coordinate with more than 3 numbers");
        if (!vv_word_double(word, &uv[count]) ||
            !(uv[count] >= -VV_COORDINATE_LIMIT && uv[count] <= VV_COORDINATE_LIMIT))
            return vv_source_fail(s, "found %s where a texture coordinate, a finite number below %g, is needed",
                                  vv_quote(quoted, word), VV_COORDINATE_LIMIT);
        count++;
    }
    if (count < 1)
        return vv_source_fail(s, "a texture coordinate without numbers; u and v are needed");
    if (o->textures.count >= VV_MESH_LIMIT || !vv_list_push(&o->textures, uv, 2 * sizeof *uv))
        o->faces.failed = true;
    return VV_OK;
}

/* The second number of a corner: from 0; -1 where there is none, or one that no file can have; checked once all are
 * known. */
static int texture_of(const obj *o, int64_t index)
{
    int64_t count = (int64_t)o->textures.count, from0 = index > 0 ? index - 1 : count + index;
    return index == 0 ? -1 : from0 < 0 || from0 >= VV_MESH_LIMIT ? VV_MESH_LIMIT : (int)from0;
}

/* "7", "-1", "7/2", "7//3", "7/2/3": the vertex, from 0, and the texture coordinate. Of the rest only the syntax is
 * checked. */
static vvStatus read_corner(obj *o, vv_word word, int *vertex, int *texture)
{
    char quoted[VV_QUOTED_LENGTH];
    const char *p = word.text, *end = word.text + word.length;
    int64_t index, other[2] = { 0, 0 };
    p = vv_parse_int64(p, end, &index);
    for (int slashes = 0; p && p < end && *p == '/' && slashes < 2; slashes++) {
        p++;
        if (p < end && *p != '/')
            p = vv_parse_int64(p, end, &other[slashes]);
    }
    *texture = texture_of(o, other[0]);
    if (p != end)
        return vv_source_fail(o->source, "found %s where a vertex index such as 7, 7/2, 7//3 or 7/2/3 is needed",
                              vv_quote(quoted, word));
    int64_t count = (int64_t)o->builder->positions.count;
    if (index == 0 || index > VV_MESH_LIMIT || index < -count)
        return vv_source_fail(o->source,
                              "vertex index %" PRId64 " after %" PRId64
                              " vertices; allowed: from 1 up, or -1 to -%" PRId64 " back from the latest",
                              index, count, count);
    *vertex = (int)(index > 0 ? index - 1 : count + index);
    return VV_OK;
}

/* Corners of an `f`, `l` or `p` line, appended to the list. */
static vvStatus read_corners(obj *o, int *line, int *count)
{
    vv_word word;
    *line = o->source->line;
    while (next_word(o->source, &word)) {
        int vertex = 0, texture = -1;
        vvStatus status = read_corner(o, word, &vertex, &texture);
        if (status != VV_OK)
            return status;
        vv_faces_textured(&o->faces, vertex, texture);
    }
    *count = vv_faces_open(&o->faces);
    return VV_OK;
}

static vvStatus read_face(obj *o)
{
    int line, count;
    vvStatus status = read_corners(o, &line, &count);
    if (status == VV_OK && count < 3 && !o->faces.failed)
        return vv_source_fail(o->source, "a face with %d corners; 3 or more are needed", count);
    if (status == VV_OK)
        vv_faces_close(&o->faces, line);
    return status;
}

/* Edges and points may name later vertices; the indices are checked at the end. */
static vvStatus read_line_or_points(obj *o, bool points)
{
    int line, count;
    vvStatus status = read_corners(o, &line, &count);
    if (status != VV_OK || o->faces.failed)
        return status;
    if (points && count < 1)
        return vv_source_fail(o->source, "points without a vertex; 1 or more are needed");
    if (!points && count < 2)
        return vv_source_fail(o->source, "a line with %d corners; 2 or more are needed", count);
    o->faces.corners.count -= (size_t)count;
    o->faces.textures.count -= (size_t)count;
    const int *corners = (const int *)o->faces.corners.data + o->faces.corners.count;
    for (int i = 0; points && i < count; i++)
        vv_builder_point(o->builder, corners[i], line);
    for (int i = 0; !points && i + 1 < count; i++)
        vv_builder_edge(o->builder, corners + i, line);
    return VV_OK;
}

/* A segment of a .seg file, or a smoothing group. */
static vvStatus read_segment(obj *o)
{
    vv_source ahead = *o->source;
    vv_word word;
    int words = 0;
    while (next_word(&ahead, &word))
        words++;
    if (words < 2)
        return VV_OK;
    if (words > 2)
        return vv_source_fail(o->source, "a segment with %d vertices; 2 are needed", words);
    return read_line_or_points(o, false);
}

static vvStatus read_statement(obj *o, vv_word keyword)
{
    char quoted[VV_QUOTED_LENGTH];
    if (vv_word_is(keyword, "v"))
        return read_vertex(o);
    if (vv_word_is(keyword, "vt"))
        return read_texture(o);
    if (vv_word_is(keyword, "f") || vv_word_is(keyword, "fo")) /* fo: its old name */
        return read_face(o);
    if (vv_word_is(keyword, "l") || vv_word_is(keyword, "p"))
        return read_line_or_points(o, vv_word_is(keyword, "p"));
    if (vv_word_is(keyword, "s"))
        return read_segment(o);
    if (is_skipped(keyword))
        return VV_OK;
    return vv_source_fail(o->source,
                          "found %s where an OBJ keyword is needed: v, vt, f, l and p are read; vn, g, o, s, mtllib, "
                          "usemtl and the like skipped",
                          vv_quote(quoted, keyword));
}

static vvStatus check_indices(obj *o, const vv_list *elements, size_t corners, const vv_list *at)
{
    const int *indices = elements->data, *lines = at->data;
    for (size_t i = 0; i < corners * elements->count; i++)
        if ((size_t)indices[i] >= o->builder->positions.count) {
            vv_source_go(o->source, lines[i / corners]);
            return vv_source_fail(o->source, "vertex index %d; the file has %zu vertices", indices[i] + 1,
                                  o->builder->positions.count);
        }
    return VV_OK;
}

/* Bare vertices are points. */
static void take_vertices(vv_builder *b)
{
    const int *at = b->vertex_at.data;
    if (b->triangles.count > 0 || b->edges.count > 0 || b->points.count > 0)
        return;
    for (size_t v = 0; v < b->positions.count && !b->failed; v++)
        vv_builder_point(b, (int)v, at[v]);
}

static vvStatus read_obj(vv_source *source, vv_builder *builder)
{
    obj o = { .source = source, .builder = builder };
    vvStatus status = VV_OK;
    while (status == VV_OK && !builder->failed && !o.faces.failed && source->p < source->end) {
        vv_word keyword;
        if (next_word(source, &keyword))
            status = read_statement(&o, keyword);
        if (status == VV_OK)
            skip_line(source);
    }
    builder->failed |= o.faces.failed;
    o.faces.uv = o.textures.data;
    o.faces.uv_count = o.textures.count;
    if (status == VV_OK && !builder->failed)
        status = vv_faces_cut(&o.faces, source, builder, 1);
    if (status == VV_OK && !builder->failed)
        status = check_indices(&o, &builder->edges, 2, &builder->edge_at);
    if (status == VV_OK && !builder->failed)
        status = check_indices(&o, &builder->points, 1, &builder->point_at);
    if (status == VV_OK && !builder->failed)
        take_vertices(builder);
    vv_faces_free(&o.faces);
    vv_list_free(&o.textures);
    return status;
}

/* The first statement decides. */
static vv_match match_obj(const char *data, size_t size)
{
    vv_source s = { .p = data, .end = data + size, .line = 1 };
    while (s.p < s.end) {
        vv_word word;
        if (next_word(&s, &word)) {
            bool known = vv_word_is(word, "v") || vv_word_is(word, "vt") || vv_word_is(word, "f") ||
                         vv_word_is(word, "l") || vv_word_is(word, "p") || vv_word_is(word, "s") || is_skipped(word);
            return known ? VV_MATCH_YES : VV_MATCH_NO;
        }
        vv_text_skip_line(&s);
    }
    return VV_MATCH_NO;
}

static void put_vertices(const vvMesh *mesh, const int *number, vv_output *output)
{
    for (int v = 0; v < mesh->vertexCount; v++) {
        if (!number[v])
            continue;
        vv_put_text(output, "v ");
        for (int k = 0; k < 3; k++)
            vv_put_double(output, mesh->positions[3 * (size_t)v + (size_t)k], k < 2 ? ' ' : '\n');
    }
}

/* `f` lines whose corners have texture coordinates of their own. */
static void put_textured(const vvMesh *mesh, const int *number, vv_output *output)
{
    for (int c = 0; c < 3 * mesh->triangleCount; c++) {
        vv_put_text(output, "vt ");
        vv_put_double(output, mesh->uvs[2 * (size_t)c], ' ');
        vv_put_double(output, mesh->uvs[2 * (size_t)c + 1], '\n');
    }
    for (int c = 0; c < 3 * mesh->triangleCount; c++) {
        vv_put_text(output, c % 3 ? "" : "f ");
        vv_put_int(output, number[mesh->triangles[c]], '/');
        vv_put_int(output, c + 1, c % 3 == 2 ? '\n' : ' ');
    }
}

/* Lines of `corners` numbers that begin with `keyword`. */
static void put_elements(const char *keyword, const int *elements, int count, int corners, const int *number,
                         vv_output *output)
{
    for (int i = 0; i < corners * count; i++) {
        vv_put_text(output, i % corners ? "" : keyword);
        vv_put_int(output, number[elements[i]], i % corners == corners - 1 ? '\n' : ' ');
    }
}

/* Only vertices of triangles, edges and points are written: for a tet mesh the surface. */
static vvStatus write_elements(const vvMesh *mesh, const char *edge, const char *point, vv_output *output,
                               vvError *error)
{
    int used, *number = vv_surface_numbers(mesh, &used);
    if (!number)
        return vv_fail_memory(error, "an OBJ file");
    put_vertices(mesh, number, output);
    if (mesh->uvs && mesh->triangleCount)
        put_textured(mesh, number, output);
    else
        put_elements("f ", mesh->triangles, mesh->triangleCount, 3, number, output);
    put_elements(edge, mesh->edges, mesh->edgeCount, 2, number, output);
    if (point)
        put_elements(point, mesh->points, mesh->pointCount, 1, number, output);
    vv_free(number);
    return VV_OK;
}

static vvStatus write_obj(const vvMesh *mesh, vv_output *output, vvError *error)
{
    if (!mesh->triangleCount && !mesh->edgeCount && !mesh->pointCount)
        return vv_fail(error, VV_ERROR_INPUT,
                       "OBJ holds surfaces, lines and points; this mesh has none (vvMeshFinish gives tets their "
                       "boundary)");
    return write_elements(mesh, "l ", "p ", output, error);
}

static vvStatus write_seg(const vvMesh *mesh, vv_output *output, vvError *error)
{
    if (mesh->triangleCount || mesh->pointCount || !mesh->edgeCount)
        return vv_fail(error, VV_ERROR_INPUT,
                       "a .seg file holds segments and nothing else; this mesh has %d triangles, %d edges and %d "
                       "points: write OBJ",
                       mesh->triangleCount, mesh->edgeCount, mesh->pointCount);
    return write_elements(mesh, "s ", NULL, output, error);
}

static vvStatus write_pt(const vvMesh *mesh, vv_output *output, vvError *error)
{
    if (mesh->triangleCount || mesh->edgeCount || !mesh->pointCount)
        return vv_fail(error, VV_ERROR_INPUT,
                       "a .pt file holds points and nothing else; this mesh has %d triangles, %d edges and %d "
                       "points: write OBJ",
                       mesh->triangleCount, mesh->edgeCount, mesh->pointCount);
    return write_elements(mesh, "s ", NULL, output, error);
}

/* By their content such files are OBJ. */
static vv_match match_none(const char *data, size_t size)
{
    (void)data;
    (void)size;
    return VV_MATCH_NO;
}

extern const vv_format vv_format_obj, vv_format_seg, vv_format_pt;
const vv_format vv_format_obj = {
    { "obj", "Wavefront OBJ: surface, lines and points" }, ".obj", match_obj, read_obj, write_obj,
};
const vv_format vv_format_seg = {
    { "seg", "segments, as in IPC's scenes" }, ".seg", match_none, read_obj, write_seg,
};
const vv_format vv_format_pt = {
    { "pt", "points, as in IPC's scenes" }, ".pt", match_none, read_obj, write_pt,
};

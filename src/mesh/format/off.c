/* OFF, the format of Geomview: a word, the counts of vertices, faces and edges, the vertices, the faces.
 *
 *   [ST][C][N]OFF, then: vertices faces edges; x y z and what the word promises (normal, colour, texture); count
 * indices colour Blank lines and what follows a # do not count. Polygons are cut into triangles; faces of two corners
 * are edges. */
#include "mesh/builder.h"
#include "mesh/format/faces.h"
#include "mesh/format/source.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static vvStatus need_row(vv_source *s, const char *what)
{
    return vv_row_next(s) ? VV_OK : vv_source_fail(s, "the file ends where %s is needed", what);
}

/* The counts, which the rest of the file must be able to hold. */
static vvStatus read_counts(vv_source *s, int64_t counts[2])
{
    static const char *const names[] = { "the number of vertices", "the number of faces" };
    vvStatus status = need_row(s, names[0]);
    for (int i = 0; status == VV_OK && i < 2; i++) {
        status = vv_text_int(s, names[i], counts + i);
        const int64_t room = (s->end - s->p) / 2;
        if (status == VV_OK && (counts[i] < 0 || counts[i] > room || counts[i] > VV_MESH_LIMIT))
            status = vv_source_fail(s, "%s is %" PRId64 ", but only %" PRId64 " bytes of the file are left", names[i],
                                    counts[i], (int64_t)(s->end - s->p));
    }
    vv_text_skip_line(s);
    return status;
}

static vvStatus read_vertices(vv_source *s, vv_builder *b, int64_t count)
{
    static const char *const axes[] = { "the x coordinate", "the y coordinate", "the z coordinate" };
    for (int64_t v = 0; v < count && !b->failed; v++) {
        double x[3];
        vvStatus status = need_row(s, "a vertex");
        const int at = vv_source_at(s);
        for (int k = 0; status == VV_OK && k < 3; k++)
            status = vv_text_double(s, axes[k], x + k);
        if (status != VV_OK)
            return status;
        vv_builder_vertex(b, x, at);
        vv_text_skip_line(s);
    }
    return VV_OK;
}

static vvStatus read_face(vv_source *s, vv_faces *faces, vv_builder *b, int64_t vertices)
{
    int64_t corners, v, pair[2];
    vvStatus status = need_row(s, "a face");
    const int at = vv_source_at(s);
    if (status == VV_OK)
        status = vv_text_int(s, "the number of a face's corners", &corners);
    if (status == VV_OK && (corners < 1 || corners > VV_MESH_LIMIT))
        status = vv_source_fail(s, "a face of %" PRId64 " corners", corners);
    for (int64_t k = 0; status == VV_OK && k < corners; k++) {
        status = vv_text_int(s, "a vertex of the face", &v);
        if (status == VV_OK && (v < 0 || v >= vertices))
            status = vv_source_fail(s, "vertex index %" PRId64 "; the file has %" PRId64 " vertices, counted from 0", v,
                                    vertices);
        if (status == VV_OK && corners > 2)
            vv_faces_corner(faces, (int)v);
        else if (status == VV_OK && k < 2)
            pair[k] = v;
    }
    if (status != VV_OK)
        return status;
    if (corners > 2)
        vv_faces_close(faces, at);
    else if (corners == 2)
        vv_builder_edge(b, (int[]){ (int)pair[0], (int)pair[1] }, at);
    vv_text_skip_line(s); /* with its colour */
    return VV_OK;
}

static vvStatus read_off(vv_source *s, vv_builder *b)
{
    int64_t counts[2];
    vv_word word;
    vv_faces faces = { 0 };
    vvStatus status = need_row(s, "the word OFF");
    if (status == VV_OK && vv_row_word(s, &word) && memchr(word.text, '4', (size_t)word.length))
        return vv_source_fail(s, "an OFF file of four dimensions, which is not read");
    if (status == VV_OK) { /* the counts may stand in the same line */
        vv_source ahead = *s;
        if (vv_row_word(&ahead, &word) && vv_word_is(word, "BINARY"))
            return vv_source_fail(s, "a binary OFF file, which is not read; write it as text");
        status = read_counts(s, counts);
    }
    if (status == VV_OK)
        status = read_vertices(s, b, counts[0]);
    for (int64_t f = 0; status == VV_OK && f < counts[1] && !b->failed && !faces.failed; f++)
        status = read_face(s, &faces, b, counts[0]);
    if (status == VV_OK)
        status = vv_faces_cut(&faces, s, b, 0);
    vv_faces_free(&faces);
    return status;
}

/* A first word that ends in OFF, after any of ST, C, N, 4, n. */
static vv_match match_off(const char *data, size_t size)
{
    size_t n = 0;
    while (n < size && n < 8 && strchr("STCN4n", data[n]) && data[n])
        n++;
    if (size < n + 4 || memcmp(data + n, "OFF", 3) != 0 || !strchr(" \t\r\n#", data[n + 3]))
        return VV_MATCH_NO;
    return VV_MATCH_YES;
}

const vv_format vv_format_off = {
    { "off", "OFF of Geomview and CGAL: vertices and polygons, as text" }, ".off", match_off, read_off, NULL
};

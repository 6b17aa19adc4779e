/* STL, text and binary: triangles without indices, in unknown units.
 *
 * Text ignores line ends except in names: solid NAME, facet normal x y z, outer loop, three times vertex x y z,
 * endloop, endfacet, endsolid NAME; several solids may follow one another. Binary is little-endian: 80 arbitrary
 * bytes, the number of facets, then for each a normal, three vertices (floats) and two bytes of attributes. Normals,
 * names and attributes are not used. A binary file may begin with "solid", so its size decides.
 *
 * Vertices at one position are merged when the mesh is finished. A facet with two corners at one position, as written
 * by programs that round coordinates, is dropped and counted: its neighbours then meet at one edge. */
#include "base/text/text.h"
#include "mesh/builder.h"
#include "mesh/format/output.h"
#include "mesh/format/source.h"

#include <math.h>
#include <string.h>

enum { HEADER = 80, FACET = 50, CORNERS = 3 };

static const char *const axes[] = { "the x coordinate", "the y coordinate", "the z coordinate" };

/* ---- which of the two -------------------------------------------------------------------------------------------- */

static int64_t counted_facets(const char *data)
{
    uint32_t count = 0;
    for (int i = 3; i >= 0; i--)
        count = count << 8 | (unsigned char)data[HEADER + i];
    return count;
}

/* A text file cannot pass: its characters would be a count of more facets than 2 GiB hold. */
static bool fits_binary(const char *data, size_t size)
{
    return size >= HEADER + 4 && (int64_t)size == HEADER + 4 + FACET * counted_facets(data);
}

static bool is_text(const char *data, size_t size)
{
    enum { LOOKED_AT = 1024 };
    for (size_t i = 0; i < size && i < LOOKED_AT; i++)
        if ((unsigned char)data[i] < 32 && !strchr("\t\n\v\f\r\x1a", data[i] ? data[i] : 1))
            return false;
    return true;
}

static bool word_is(vv_word word, const char *text)
{
    return (size_t)word.length == strlen(text) && vv_same_letters(word.text, text, (size_t)word.length);
}

/* The next word, on any line. */
static bool next_word(vv_source *s, vv_word *word)
{
    vv_text_skip_blank(s);
    return vv_text_word(s, word);
}

static vv_match match_text(const char *data, size_t size)
{
    vv_source s = { .p = data, .end = data + size, .line = 1 };
    vv_word word;
    if (fits_binary(data, size) || !is_text(data, size) || !next_word(&s, &word) || !word_is(word, "solid"))
        return VV_MATCH_NO;
    vv_text_skip_line(&s);
    bool known = next_word(&s, &word) && (word_is(word, "facet") || word_is(word, "endsolid"));
    return known ? VV_MATCH_YES : VV_MATCH_FAMILY;
}

static vv_match match_binary(const char *data, size_t size)
{
    return fits_binary(data, size) ? VV_MATCH_YES : VV_MATCH_NO;
}

/* ---- facets ------------------------------------------------------------------------------------------------------ */

static bool same_place(const double *a, const double *b) { return a[0] == b[0] && a[1] == b[1] && a[2] == b[2]; }

static void add_facet(vv_builder *b, double x[CORNERS][3], int at)
{
    if (same_place(x[0], x[1]) || same_place(x[1], x[2]) || same_place(x[2], x[0])) {
        b->dropped++;
        return;
    }
    int first = (int)b->positions.count;
    for (int k = 0; k < CORNERS; k++)
        vv_builder_vertex(b, x[k], at);
    vv_builder_triangle(b, (int[]){ first, first + 1, first + 2 }, at);
}

static vvStatus refuse_empty(vv_source *s, const vv_builder *b)
{
    if (b->triangles.count)
        return VV_OK;
    if (!b->dropped)
        return vv_source_fail(s, "the file has no facets");
    return vv_source_fail(s, "each of the %d facets has two corners at one position", b->dropped);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

/* "endloop", or "end loop" as some programs write. */
static vvStatus expect(vv_source *s, const char *wanted)
{
    vv_word word, rest;
    char quoted[VV_QUOTED_LENGTH];
    if (!next_word(s, &word))
        return vv_source_fail(s, "the file ends where '%s' is needed", wanted);
    if (word_is(word, wanted))
        return VV_OK;
    vv_source ahead = *s;
    if (word_is(word, "end") && next_word(&ahead, &rest) && vv_same_letters(wanted, "end", 3) &&
        word_is(rest, wanted + 3)) {
        *s = ahead;
        return VV_OK;
    }
    return vv_source_fail(s, "found %s where '%s' is needed", vv_quote(quoted, word), wanted);
}

/* Any three words that are not keywords: normals are often zero, and sometimes nan in one spelling or another. */
static vvStatus skip_normal(vv_source *s)
{
    vv_source ahead = *s;
    vv_word word;
    if (!next_word(&ahead, &word) || !word_is(word, "normal"))
        return VV_OK;
    *s = ahead;
    for (int k = 0; k < 3; k++) {
        if (!next_word(s, &word))
            return vv_source_fail(s, "the file ends within a normal");
        if (word_is(word, "outer"))
            return vv_source_fail(s, "a normal with %d numbers; 3 are needed", k);
    }
    return VV_OK;
}

static vvStatus read_vertex(vv_source *s, double x[3])
{
    char quoted[VV_QUOTED_LENGTH];
    for (int k = 0; k < 3; k++) {
        vv_word word;
        if (!next_word(s, &word))
            return vv_source_fail(s, "the file ends where %s is needed", axes[k]);
        if (!vv_word_double(word, &x[k]) || !isfinite(x[k]))
            return vv_source_fail(s, "found %s where %s, a finite number, is needed", vv_quote(quoted, word), axes[k]);
    }
    return VV_OK;
}

static vvStatus read_facet(vv_source *s, vv_builder *b)
{
    double x[CORNERS][3];
    int at = s->line;
    vvStatus status = skip_normal(s);
    if (status == VV_OK)
        status = expect(s, "outer");
    if (status == VV_OK)
        status = expect(s, "loop");
    for (int k = 0; k < CORNERS && status == VV_OK; k++) {
        status = expect(s, "vertex");
        if (status == VV_OK)
            status = read_vertex(s, x[k]);
    }
    vv_source ahead = *s;
    vv_word word;
    if (status == VV_OK && next_word(&ahead, &word) && word_is(word, "vertex"))
        return vv_source_fail(&ahead, "a facet with more than 3 vertices; cut it into triangles before export");
    if (status == VV_OK)
        status = expect(s, "endloop");
    if (status == VV_OK)
        status = expect(s, "endfacet");
    if (status == VV_OK)
        add_facet(b, x, at);
    return status;
}

/* A name extends to the end of the line or, if everything is on one line, to the first facet. */
static void skip_name(vv_source *s)
{
    vv_word word;
    while (vv_text_word(s, &word)) {
        vv_source ahead = *s;
        vv_word next;
        bool facet = word_is(word, "facet") && vv_text_word(&ahead, &next) &&
                     (word_is(next, "normal") || word_is(next, "outer"));
        if (facet || word_is(word, "endsolid")) {
            s->p = word.text;
            return;
        }
    }
    vv_text_skip_line(s);
}

/* A statement at a file's outermost level. */
static vvStatus read_statement(vv_source *s, vv_builder *b, vv_word word, bool *inside)
{
    char quoted[VV_QUOTED_LENGTH];
    if (!*inside && word_is(word, "solid")) {
        *inside = true;
        skip_name(s);
        return VV_OK;
    }
    if (*inside && word_is(word, "facet"))
        return read_facet(s, b);
    if (*inside && (word_is(word, "endsolid") || word_is(word, "end"))) {
        *inside = false;
        vvStatus status = word_is(word, "end") ? expect(s, "solid") : VV_OK;
        vv_text_skip_line(s);
        return status;
    }
    return vv_source_fail(s, "found %s where %s is needed", vv_quote(quoted, word),
                          *inside ? "'facet' or 'endsolid'" : "'solid'");
}

static vvStatus read_text(vv_source *s, vv_builder *b)
{
    vvStatus status = VV_OK;
    bool inside = false;
    vv_word word;
    while (status == VV_OK && !b->failed && next_word(s, &word) && !(word.length == 1 && word.text[0] == 0x1a))
        status = read_statement(s, b, word, &inside);
    if (status == VV_OK && inside && !b->failed)
        status = vv_source_fail(s, "the file ends without 'endsolid', so it may have been cut short");
    return status;
}

/* ---- binary ------------------------------------------------------------------------------------------------------ */

static bool host_is_big(void)
{
    uint16_t one = 1;
    return *(unsigned char *)&one == 0;
}

static vvStatus read_binary(vv_source *s, vv_builder *b)
{
    s->binary = true;
    s->swapped = host_is_big();
    s->p = s->data;
    if (s->size < HEADER + 4)
        return vv_source_fail(s,
                              "a binary STL file has %d bytes or more, a text one begins with 'solid'; this file "
                              "has %zu bytes",
                              HEADER + 4, s->size);
    int64_t count = counted_facets(s->data), needed = HEADER + 4 + FACET * count;
    s->p += HEADER;
    if (needed != (int64_t)s->size)
        return vv_source_fail(s,
                              "found %lld as the number of facets, which take %lld bytes; the file has %zu, so it "
                              "%s",
                              (long long)count, (long long)needed, s->size,
                              needed > (int64_t)s->size ? "was cut short or is not a binary STL file"
                                                        : "has more data after them or is not a binary STL file");
    vvStatus status = VV_OK;
    for (s->p += 4; s->p < s->end && status == VV_OK && !b->failed; s->p += 2) {
        double x[CORNERS][3];
        int at = vv_source_at(s);
        s->p += 12; /* the normal */
        for (int k = 0; k < 3 * CORNERS && status == VV_OK; k++)
            status = vv_binary_float(s, axes[k % 3], &x[k / 3][k % 3]);
        if (status != VV_OK)
            return status;
        add_facet(b, x, at);
    }
    return status;
}

static vvStatus read_stl(vv_source *source, vv_builder *builder)
{
    bool text = !fits_binary(source->data, source->size) && is_text(source->p, (size_t)(source->end - source->p));
    vvStatus status = text ? read_text(source, builder) : read_binary(source, builder);
    builder->soup = true;
    return status != VV_OK || builder->failed ? status : refuse_empty(source, builder);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static const double *corner(const vvMesh *mesh, int t, int k)
{
    return mesh->positions + 3 * (size_t)mesh->triangles[3 * (size_t)t + (size_t)k];
}

static void normal_of(const vvMesh *mesh, int t, double n[3])
{
    const double *a = corner(mesh, t, 0), *b = corner(mesh, t, 1), *c = corner(mesh, t, 2);
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        n[k] = (b[i] - a[i]) * (c[j] - a[j]) - (b[j] - a[j]) * (c[i] - a[i]);
    }
    double length = hypot(hypot(n[0], n[1]), n[2]);
    for (int k = 0; k < 3; k++)
        n[k] = length > 0 ? n[k] / length : 0;
}

static vvStatus refuse_no_surface(const vvMesh *mesh, vvError *error)
{
    if (mesh->triangleCount)
        return VV_OK;
    return vv_fail(error, VV_ERROR_INPUT,
                   "STL holds triangles; this mesh has none (vvMeshFinish gives tets their boundary)");
}

static vvStatus write_text(const vvMesh *mesh, vv_output *o, vvError *error)
{
    vvStatus status = refuse_no_surface(mesh, error);
    if (status != VV_OK)
        return status;
    vv_put_text(o, "solid visviva\n");
    for (int t = 0; t < mesh->triangleCount; t++) {
        double n[3];
        normal_of(mesh, t, n);
        vv_put_text(o, "facet normal ");
        for (int k = 0; k < 3; k++)
            vv_put_double(o, (double)(float)n[k], k < 2 ? ' ' : '\n');
        vv_put_text(o, "outer loop\n");
        for (int c = 0; c < CORNERS; c++) {
            vv_put_text(o, "vertex ");
            for (int k = 0; k < 3; k++)
                vv_put_double(o, corner(mesh, t, c)[k], k < 2 ? ' ' : '\n');
        }
        vv_put_text(o, "endloop\nendfacet\n");
    }
    vv_put_text(o, "endsolid visviva\n");
    return VV_OK;
}

static void put_word(vv_output *o, uint32_t bits)
{
    unsigned char bytes[4];
    for (int i = 0; i < 4; i++)
        bytes[i] = (unsigned char)(bits >> 8 * i);
    vv_put_bytes(o, bytes, sizeof bytes);
}

static void put_floats(vv_output *o, const double x[3])
{
    for (int k = 0; k < 3; k++) {
        float narrow = (float)x[k];
        uint32_t bits;
        memcpy(&bits, &narrow, sizeof bits);
        put_word(o, bits);
    }
}

/* Two corners that differ in double precision but not in single. */
static bool collapses(const vvMesh *mesh, int t)
{
    for (int c = 0; c < CORNERS; c++) {
        const double *a = corner(mesh, t, c), *b = corner(mesh, t, (c + 1) % 3);
        if (!same_place(a, b) && (float)a[0] == (float)b[0] && (float)a[1] == (float)b[1] && (float)a[2] == (float)b[2])
            return true;
    }
    return false;
}

static vvStatus write_binary(const vvMesh *mesh, vv_output *o, vvError *error)
{
    static const char header[HEADER] = "visviva: binary STL, little-endian";
    static const unsigned char attributes[2] = { 0, 0 };
    vvStatus status = refuse_no_surface(mesh, error);
    if (status != VV_OK)
        return status;
    vv_put_bytes(o, header, sizeof header);
    put_word(o, (uint32_t)mesh->triangleCount);
    for (int t = 0; t < mesh->triangleCount; t++) {
        double n[3];
        if (collapses(mesh, t))
            return vv_fail(error, VV_ERROR_INPUT,
                           "triangle %d is too small for the single precision of binary STL (its corners fall on one "
                           "place); write text STL (stl), or move the mesh nearer to the origin",
                           t);
        normal_of(mesh, t, n);
        put_floats(o, n);
        for (int c = 0; c < CORNERS; c++)
            put_floats(o, corner(mesh, t, c));
        vv_put_bytes(o, attributes, sizeof attributes);
    }
    return VV_OK;
}

extern const vv_format vv_format_stl, vv_format_stl_binary;
const vv_format vv_format_stl = {
    { "stl", "STL, text: surface" }, ".stl", match_text, read_stl, write_text,
};
const vv_format vv_format_stl_binary = {
    { "stl-binary", "STL, binary (single precision): surface" }, ".stl", match_binary, read_stl, write_binary,
};

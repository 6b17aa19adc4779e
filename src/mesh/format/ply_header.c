/* The header of a PLY file, line by line:
 *
 *   ply
 *   format ascii 1.0                             or binary_little_endian, binary_big_endian
 *   comment ...                                  also obj_info; anywhere
 *   element vertex 8
 *   property float x
 *   element face 12
 *   property list uchar int vertex_indices       types of the count and of the entries
 *   end_header
 *
 * Line ends are LF, CR LF or CR. */
#include "mesh/format/ply.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const vv_scalar_name kinds[] = {
    { "char", VV_INT8 },   { "uchar", VV_UINT8 },   { "short", VV_INT16 },     { "ushort", VV_UINT16 },
    { "int", VV_INT32 },   { "uint", VV_UINT32 },   { "float", VV_FLOAT32 },   { "double", VV_FLOAT64 },
    { "int8", VV_INT8 },   { "uint8", VV_UINT8 },   { "int16", VV_INT16 },     { "uint16", VV_UINT16 },
    { "int32", VV_INT32 }, { "uint32", VV_UINT32 }, { "float32", VV_FLOAT32 }, { "float64", VV_FLOAT64 },
    { "int64", VV_INT64 }, { "uint64", VV_UINT64 }, { NULL, VV_INT8 },
};

static const struct {
    const char *name;
    vv_ply_use use;
} uses[] = {
    { "vertex", VV_PLY_VERTEX }, { "face", VV_PLY_FACE },       { "tristrips", VV_PLY_STRIP }, { "tet", VV_PLY_TET },
    { "cell", VV_PLY_TET },      { "tetrahedron", VV_PLY_TET }, { "edge", VV_PLY_EDGE },
};

static vvStatus out_of_memory(vv_source *s) { return vv_source_short(s, "the header"); }

/* If a header above a binary body has only CR as line ends, they become LF; text bodies have LF throughout by now. */
static void mend_line_ends(vv_source *s)
{
    static const char last[] = "\rend_header\r";
    const char *first = memchr(s->p, '\r', (size_t)(s->end - s->p));
    const char *stop = memmem(s->p, (size_t)(s->end - s->p), last, sizeof last - 1);
    if (!stop || first[1] == '\n' || memchr(s->p, '\n', (size_t)(first - s->p)))
        return;
    for (char *p = s->data + (s->p - s->data); p < stop + sizeof last - 1; p++)
        if (*p == '\r')
            *p = '\n';
}

static vvStatus read_magic(vv_source *s)
{
    vv_word word;
    char quoted[VV_QUOTED_LENGTH];
    if (!vv_text_word(s, &word) || !vv_word_is(word, "ply"))
        return vv_source_fail(s, "found %s where a PLY file begins with the word 'ply'", vv_quote(quoted, word));
    return vv_text_end_line(s);
}

static vvStatus read_format(vv_source *s, vv_ply_header *h, vv_word *format)
{
    static const char *const formats[] = { "ascii", "binary_little_endian", "binary_big_endian" };
    vv_word version;
    char quoted[VV_QUOTED_LENGTH];
    if (format->length)
        return vv_source_fail(s, "a second 'format' line; one is allowed");
    vvStatus status = vv_text_need(s, "the format (ascii, binary_little_endian or binary_big_endian)", format);
    if (status == VV_OK)
        status = vv_text_need(s, "the version of the format, 1.0,", &version);
    if (status != VV_OK)
        return status;
    bool known = false;
    for (int i = 0; i < 3; i++)
        known |= vv_word_is(*format, formats[i]);
    if (!known)
        return vv_source_fail(s, "format %s is unknown; ascii, binary_little_endian and binary_big_endian are read",
                              vv_quote(quoted, *format));
    if (!vv_word_is(version, "1.0"))
        return vv_source_fail(s, "PLY version %s is not read here; 1.0 is", vv_quote(quoted, version));
    h->text = vv_word_is(*format, formats[0]);
    return vv_text_end_line(s);
}

/* Elements whose vertices are read may occur only once. */
static vvStatus check_repeated(vv_source *s, const vv_ply_header *h, const vv_ply_element *e)
{
    const vv_ply_element *others = h->elements.data;
    char quoted[VV_QUOTED_LENGTH];
    for (size_t i = 0; e->use && i < h->elements.count; i++)
        if (others[i].use == e->use)
            return vv_source_fail(s, "a second element %s (the first is in line %d); one is allowed",
                                  vv_quote(quoted, e->name), others[i].line);
    return VV_OK;
}

static vvStatus read_element(vv_source *s, vv_ply_header *h)
{
    vv_ply_element e = { .line = s->line, .first = (int)h->properties.count };
    vvStatus status = vv_text_need(s, "the name of the element", &e.name);
    if (status == VV_OK)
        status = vv_text_int(s, "the number of elements", &e.count);
    if (status != VV_OK)
        return status;
    char quoted[VV_QUOTED_LENGTH];
    if (e.count < 0)
        return vv_source_fail(s, "element %s has the count %" PRId64 "; it cannot be negative",
                              vv_quote(quoted, e.name), e.count);
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        if (vv_word_is(e.name, uses[i].name))
            e.use = uses[i].use;
    status = check_repeated(s, h, &e);
    if (status == VV_OK && !vv_list_push(&h->elements, &e, sizeof e))
        status = out_of_memory(s);
    return status != VV_OK ? status : vv_text_end_line(s);
}

static int slot_of(vv_ply_use use, const vv_ply_property *p)
{
    if (p->list) {
        bool vertices = vv_word_is(p->name, "vertex_indices") || vv_word_is(p->name, "vertex_index");
        return (use == VV_PLY_FACE || use == VV_PLY_STRIP || use == VV_PLY_TET) && vertices ? 0 : VV_PLY_NO_SLOT;
    }
    static const char *const slots[][3] = { { "x", "y", "z" }, { "vertex1", "vertex2", "" } };
    if (use == VV_PLY_VERTEX || use == VV_PLY_EDGE)
        for (int k = 0; k < 3; k++)
            if (vv_word_is(p->name, slots[use == VV_PLY_EDGE][k]))
                return k;
    return VV_PLY_NO_SLOT;
}

/* Programs differ in their words. */
static int texture_of(vv_ply_use use, const vv_ply_property *p)
{
    static const char *const names[2][4] = { { "s", "u", "texture_u", "texture_s" },
                                             { "t", "v", "texture_v", "texture_t" } };
    for (int k = 0; k < 2 && use == VV_PLY_VERTEX && !p->list; k++)
        for (int i = 0; i < 4; i++)
            if (vv_word_is(p->name, names[k][i]))
                return k;
    return use == VV_PLY_FACE && p->list && vv_word_is(p->name, "texcoord") ? 0 : VV_PLY_NO_SLOT;
}

static vvStatus check_property(vv_source *s, const vv_ply_header *h, const vv_ply_element *e, const vv_ply_property *p)
{
    char quoted[VV_QUOTED_LENGTH];
    if (p->list && vv_scalar_is_float(p->count_kind))
        return vv_source_fail(s, "the count of list %s is of a floating-point type; an integer type is needed",
                              vv_quote(quoted, p->name));
    if (p->slot == VV_PLY_NO_SLOT)
        return VV_OK;
    if (e->use != VV_PLY_VERTEX && vv_scalar_is_float(p->kind))
        return vv_source_fail(s, "%s holds vertex numbers and is of a floating-point type; an integer type is needed",
                              vv_quote(quoted, p->name));
    const vv_ply_property *others = h->properties.data;
    for (int i = e->first; i < (int)h->properties.count; i++)
        if (others[i].slot == p->slot)
            return vv_source_fail(s, "%s occurs twice in this element", p->what);
    return VV_OK;
}

static vvStatus read_kind(vv_source *s, const char *what, vv_scalar *kind)
{
    vv_word word;
    char quoted[VV_QUOTED_LENGTH], allowed[256];
    vvStatus status = vv_text_need(s, what, &word);
    if (status != VV_OK || vv_scalar_find(kinds, word, kind))
        return status;
    vv_scalar_list(kinds, allowed, sizeof allowed);
    return vv_source_fail(s, "found %s where %s is needed: %s", vv_quote(quoted, word), what, allowed);
}

static bool next_is_list(vv_source *s)
{
    vv_source ahead = *s;
    vv_word word;
    if (!vv_text_word(&ahead, &word) || !vv_word_is(word, "list"))
        return false;
    *s = ahead;
    return true;
}

static vvStatus read_property(vv_source *s, vv_ply_header *h)
{
    if (h->elements.count == 0)
        return vv_source_fail(s, "a property before the first element");
    vv_ply_element *e = (vv_ply_element *)h->elements.data + h->elements.count - 1;
    vv_ply_property p = { .list = next_is_list(s) };
    vvStatus status = p.list ? read_kind(s, "the type of a list's count", &p.count_kind) : VV_OK;
    if (status == VV_OK)
        status = read_kind(s, "the type of a property", &p.kind);
    if (status == VV_OK)
        status = vv_text_need(s, "the name of the property", &p.name);
    if (status != VV_OK)
        return status;
    char name[VV_QUOTED_LENGTH], element[VV_QUOTED_LENGTH];
    snprintf(p.what, sizeof p.what, "%.44s of element %.44s", vv_quote(name, p.name), vv_quote(element, e->name));
    p.slot = slot_of(e->use, &p);
    p.texture = texture_of(e->use, &p);
    status = check_property(s, h, e, &p);
    if (status == VV_OK && !vv_list_push(&h->properties, &p, sizeof p))
        status = out_of_memory(s);
    e->properties++;
    /* a digit and a space of text; the last value of a file may lack the space */
    e->least += h->text ? 2 : vv_scalar_size(p.list ? p.count_kind : p.kind);
    return status != VV_OK ? status : vv_text_end_line(s);
}

static vvStatus read_line(vv_source *s, vv_ply_header *h, vv_word keyword, vv_word *format)
{
    char quoted[VV_QUOTED_LENGTH];
    if (vv_word_is(keyword, "format"))
        return read_format(s, h, format);
    if (vv_word_is(keyword, "comment") || vv_word_is(keyword, "obj_info")) {
        vv_text_skip_line(s);
        return VV_OK;
    }
    if (!format->length && (vv_word_is(keyword, "element") || vv_word_is(keyword, "property")))
        return vv_source_fail(s, "found %s before the 'format' line", vv_quote(quoted, keyword));
    if (vv_word_is(keyword, "element"))
        return read_element(s, h);
    if (vv_word_is(keyword, "property"))
        return read_property(s, h);
    return vv_source_fail(s,
                          "found %s where a line of the header is needed: format, comment, obj_info, element, property "
                          "or end_header",
                          vv_quote(quoted, keyword));
}

/* Checks that elements in use have the required properties. */
static vvStatus check_element(vv_source *s, const vv_ply_header *h, const vv_ply_element *e)
{
    static const char *const needed[] = {
        [VV_PLY_VERTEX] = "the properties x, y and z, each a number",
        [VV_PLY_FACE] = "the list vertex_indices (or vertex_index)",
        [VV_PLY_STRIP] = "the list vertex_indices",
        [VV_PLY_TET] = "the list vertex_indices",
        [VV_PLY_EDGE] = "the properties vertex1 and vertex2, each a number",
    };
    static const int slots[] = {
        [VV_PLY_SKIP] = 0,  [VV_PLY_VERTEX] = 3, [VV_PLY_FACE] = 1,
        [VV_PLY_STRIP] = 1, [VV_PLY_TET] = 1,    [VV_PLY_EDGE] = 2,
    };
    const vv_ply_property *properties = h->properties.data;
    char quoted[VV_QUOTED_LENGTH];
    int found = 0;
    for (int i = e->first; i < e->first + e->properties; i++)
        found += properties[i].slot != VV_PLY_NO_SLOT;
    if (found == slots[e->use] || e->count == 0)
        return VV_OK;
    vv_source_go(s, e->line);
    return vv_source_fail(s, "element %s needs %s", vv_quote(quoted, e->name), needed[e->use]);
}

static vvStatus check_header(vv_source *s, const vv_ply_header *h)
{
    const vv_ply_element *elements = h->elements.data;
    bool vertices = false;
    for (size_t i = 0; i < h->elements.count; i++) {
        vertices |= elements[i].use == VV_PLY_VERTEX;
        vvStatus status = check_element(s, h, &elements[i]);
        if (status != VV_OK)
            return status;
    }
    return vertices ? VV_OK : vv_source_fail(s, "the header announces no element 'vertex'");
}

vvStatus vv_ply_read_header(vv_source *s, vv_ply_header *h)
{
    const uint16_t one = 1;
    vv_word keyword, format = { 0 };
    mend_line_ends(s);
    vvStatus status = read_magic(s);
    while (status == VV_OK) {
        vv_text_skip_blank(s);
        if (!vv_text_word(s, &keyword))
            return vv_source_fail(s, "the file ends within the header: end_header is missing");
        if (vv_word_is(keyword, "end_header"))
            break;
        status = read_line(s, h, keyword, &format);
    }
    if (status == VV_OK && !format.length)
        status = vv_source_fail(s, "the header has no 'format' line");
    if (status == VV_OK)
        status = check_header(s, h);
    if (status == VV_OK)
        status = vv_text_end_line(s);
    if (status == VV_OK && !h->text) {
        s->binary = true;
        s->swapped = vv_word_is(format, "binary_big_endian") == (*(const char *)&one == 1);
    }
    return status;
}

void vv_ply_free_header(vv_ply_header *h)
{
    vv_list_free(&h->elements);
    vv_list_free(&h->properties);
}

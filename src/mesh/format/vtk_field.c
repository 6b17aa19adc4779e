/* Legacy VTK files: types of numbers, field data, and metadata, which are skipped. */
#include "mesh/format/vtk_legacy.h"

#include "base/text/number.h"

#include <inttypes.h>
#include <string.h>

/* Sizes as VTK writes them on 64-bit machines; its ids go to files as int. */
static const vv_scalar_name kinds[] = {
    { "float", VV_FLOAT32 },
    { "double", VV_FLOAT64 },
    { "char", VV_INT8 },
    { "signed_char", VV_INT8 },
    { "unsigned_char", VV_UINT8 },
    { "short", VV_INT16 },
    { "unsigned_short", VV_UINT16 },
    { "int", VV_INT32 },
    { "unsigned_int", VV_UINT32 },
    { "long", VV_INT64 },
    { "unsigned_long", VV_UINT64 },
    { "vtktypeint64", VV_INT64 },
    { "vtktypeuint64", VV_UINT64 },
    { "vtktypeint32", VV_INT32 },
    { "vtktypeuint32", VV_UINT32 },
    { "vtktypeint16", VV_INT16 },
    { "vtktypeuint16", VV_UINT16 },
    { "vtktypeint8", VV_INT8 },
    { "vtktypeuint8", VV_UINT8 },
    { "vtkidtype", VV_INT32 },
    { "long_long", VV_INT64 },
    { "unsigned_long_long", VV_UINT64 },
    { NULL, VV_INT8 },
};

vvStatus vv_legacy_kind(vv_source *s, vv_scalar *kind)
{
    vv_word word;
    char quoted[VV_QUOTED_LENGTH];
    vvStatus status = vv_text_need(s, "a data type", &word);
    if (status != VV_OK || vv_scalar_find(kinds, word, kind))
        return status;
    return vv_source_fail(s,
                          "found %s where a data type is needed: float, double, int, long, vtktypeint64 or another of "
                          "VTK's numbers",
                          vv_quote(quoted, word));
}

vvStatus vv_legacy_room(vv_source *s, int64_t count, int per, vv_scalar kind, const char *what)
{
    int64_t room = s->end - s->p, least = (s->binary ? vv_scalar_size(kind) : 2) * per;
    if (count < 0)
        return vv_source_fail(s, "the number of %s is %" PRId64 "; it cannot be negative", what, count);
    if (count > (room + 1) / least)
        return vv_source_fail(s, "the number of %s is %" PRId64 ", but only %" PRId64 " bytes of the file are left",
                              what, count, room);
    return VV_OK;
}

void vv_legacy_next(vv_source *s)
{
    if (!s->binary)
        vv_text_skip_blank(s);
}

/* ---- metadata ---------------------------------------------------------------------------------------------------- */

/* Whether the line is the heading of a section, "CELLS 12 60" for instance. */
static bool is_heading(vv_source line)
{
    static const char *const names[] = { "POINTS",   "CELLS",           "CELL_TYPES", "VERTICES", "LINES",
                                         "POLYGONS", "TRIANGLE_STRIPS", "POINT_DATA", "CELL_DATA" };
    vv_word name, count;
    int64_t value;
    if (!vv_text_word(&line, &name) || !vv_text_word(&line, &count) ||
        vv_parse_int64(count.text, count.text + count.length, &value) != count.text + count.length)
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (vv_word_is(name, names[i]))
            return true;
    return false;
}

/* Skips lines up to an empty one, or to the next section if the empty one is missing. */
void vv_legacy_skip_metadata(vv_source *s)
{
    vv_word word;
    do
        vv_text_skip_line(s);
    while (s->p < s->end && !is_heading(*s) && vv_text_word(s, &word));
}

/* ---- field data -------------------------------------------------------------------------------------------------- */

static vvStatus cut_short(vv_source *s, vv_word name)
{
    char quoted[VV_QUOTED_LENGTH];
    return vv_source_fail(s, "the file ends within the field array %s", vv_quote(quoted, name));
}

/* A string in binary data: its length, in 6, 14, 30 or 62 bits after two that tell which, then its bytes. */
static bool skip_binary_string(vv_source *s)
{
    if (s->p == s->end)
        return false;
    int bytes = 8 >> ((unsigned char)*s->p >> 6);
    uint64_t length = (unsigned char)*s->p & 0x3f;
    if (s->end - s->p < bytes)
        return false;
    for (int i = 1; i < bytes; i++)
        length = length << 8 | (unsigned char)s->p[i];
    s->p += bytes;
    if ((uint64_t)(s->end - s->p) < length)
        return false;
    s->p += length;
    return true;
}

static vvStatus skip_strings(vv_source *s, int64_t count, vv_word name)
{
    for (int64_t i = 0; i < count; i++) {
        if (s->p == s->end || (s->binary && !skip_binary_string(s)))
            return cut_short(s, name);
        if (!s->binary)
            vv_text_skip_line(s); /* in text each is on a line of its own */
    }
    return VV_OK;
}

vvStatus vv_legacy_skip_numbers(vv_source *s, int64_t count, int bits, vv_word name)
{
    vv_word word;
    int64_t bytes = (count * bits + 7) / 8;
    if (s->binary) {
        if (s->end - s->p < bytes)
            return cut_short(s, name);
        s->p += bytes;
        return VV_OK;
    }
    for (int64_t i = 0; i < count; i++) {
        vv_text_skip_blank(s);
        if (!vv_text_word(s, &word))
            return cut_short(s, name);
    }
    return VV_OK;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* A name in a file, where bytes such as blanks stand as %20. False: it cannot name regions. */
static bool decode_name(vv_word from, char to[], size_t size)
{
    size_t n = 0;
    for (int i = 0; i < from.length && n + 1 < size; i++) {
        const int high = i + 2 < from.length ? hex_digit(from.text[i + 1]) : -1;
        const int low = high >= 0 ? hex_digit(from.text[i + 2]) : -1;
        const bool coded = from.text[i] == '%' && low >= 0;
        to[n++] = coded ? (char)(16 * high + low) : from.text[i];
        i += coded ? 2 : 0;
    }
    to[n] = 0;
    return vv_vtk_takes_name(to, n) && (size_t)from.length < size;
}

vvStatus vv_legacy_take_numbers(vv_vtk *o, vv_word name, vv_scalar kind)
{
    char text[sizeof((vv_vtk_numbers *)0)->name];
    vv_source *s = o->source;
    vv_list values = { 0 };
    if (!decode_name(name, text, sizeof text))
        return vv_legacy_skip_numbers(s, o->cell, 8 * vv_scalar_size(kind), name);
    vvStatus status = vv_legacy_room(s, o->cell, 1, kind, "numbers of cells");
    for (int64_t i = 0; status == VV_OK && i < o->cell && !o->builder->failed; i++) {
        int64_t value;
        vv_legacy_next(s);
        status = vv_read_int(s, kind, "a number of a cell", &value);
        if (status == VV_OK && !vv_list_push(&values, &value, sizeof value))
            o->builder->failed = true;
    }
    if (status == VV_OK && !o->builder->failed)
        vv_vtk_add_numbers(o, text, &values);
    vv_list_free(&values);
    return status;
}

/* "name components tuples type", then the values. */
static vvStatus read_array(vv_source *s, vv_vtk *takes)
{
    int64_t components, tuples, most = s->end - s->p;
    vv_word name, type;
    vv_scalar kind;
    vv_text_skip_blank(s);
    vvStatus status = vv_text_need(s, "the name of a field array", &name);
    while (status == VV_OK && vv_word_is(name, "METADATA")) { /* of the previous array */
        vv_legacy_skip_metadata(s);
        vv_text_skip_blank(s);
        status = vv_text_need(s, "the name of a field array", &name);
    }
    if (status == VV_OK && vv_word_is(name, "NULL_ARRAY"))
        return VV_OK;
    if (status == VV_OK)
        status = vv_text_int(s, "the number of components of a field array", &components);
    if (status == VV_OK)
        status = vv_text_int(s, "the number of tuples of a field array", &tuples);
    if (status != VV_OK)
        return status;
    vv_source before = *s;
    status = vv_text_need(s, "a data type", &type);
    bool strings = status == VV_OK && (vv_word_is(type, "string") || vv_word_is(type, "utf8_string"));
    bool bit = status == VV_OK && vv_word_is(type, "bit");
    if (status == VV_OK && !strings && !bit) {
        *s = before;
        status = vv_legacy_kind(s, &kind);
    }
    if (status == VV_OK)
        status = vv_text_end_line(s);
    if (status != VV_OK)
        return status;
    if (components < 0 || tuples < 0 || components > most || tuples > most || components * tuples > 8 * most)
        return vv_source_fail(s,
                              "a field array of %" PRId64 " x %" PRId64 " values, which the rest of the file cannot "
                              "hold",
                              components, tuples);
    if (strings)
        return skip_strings(s, components * tuples, name);
    if (takes && components == 1 && tuples == takes->cell && !bit && !vv_scalar_is_float(kind))
        return vv_legacy_take_numbers(takes, name, kind);
    return vv_legacy_skip_numbers(s, components * tuples, bit ? 1 : 8 * vv_scalar_size(kind), name);
}

/* "FIELD name n" and n arrays. */
vvStatus vv_legacy_read_field(vv_source *s, vv_vtk *takes)
{
    vv_word name;
    int64_t count;
    vvStatus status = vv_text_need(s, "the name of the field data", &name);
    if (status == VV_OK)
        status = vv_text_int(s, "the number of field arrays", &count);
    if (status == VV_OK)
        status = vv_text_end_line(s);
    for (int64_t i = 0; status == VV_OK && i < count; i++)
        status = read_array(s, takes);
    return status;
}

/* MEDIT .meshb files (the Gamma mesh format of libMeshb, versions 1 to 4).
 *
 * The integer 1 in the writer's byte order, the version, then sections: a keyword's code, the byte where the next
 * section begins (0 after the last), the count, the entries. Version 1 has floats, the others doubles; versions 3 and 4
 * give bytes in 8-byte integers, version 4 also counts and vertex numbers. */
#include "mesh/format/medit.h"
#include "mesh/format/output.h"

#include <inttypes.h>
#include <limits.h>

enum { DIMENSION = 3, VERTICES = 4, END = 54 }; /* codes */

typedef struct reader {
    vv_medit m;
    bool narrow;  /* floats */
    int64_t next; /* byte where the next section begins, 0: none */
} reader;

/* 8 bytes in versions from `since` on, 4 before. */
static vvStatus read_integer(reader *r, const char *what, int since, int64_t *value)
{
    if (r->m.version >= since)
        return vv_binary_size(r->m.source, what, value);
    int32_t narrow = 0;
    vvStatus status = vv_binary_int(r->m.source, what, &narrow);
    *value = narrow;
    return status;
}

static int integer_size(const reader *r) { return r->m.version >= 4 ? 8 : 4; }

static vvStatus read_vertex(reader *r)
{
    static const char *const names[] = { "the x coordinate", "the y coordinate", "the z coordinate" };
    vv_source *s = r->m.source;
    double x[3];
    int at = vv_source_at(s);
    for (int k = 0; k < 3; k++) {
        vvStatus status = r->narrow ? vv_binary_float(s, names[k], &x[k]) : vv_binary_double(s, names[k], &x[k]);
        if (status != VV_OK)
            return status;
    }
    vv_builder_vertex(r->m.builder, x, at);
    return VV_OK;
}

static vvStatus read_element(reader *r, vv_medit_keyword keyword)
{
    int64_t numbers[VV_MEDIT_MOST], reference = 0;
    int at = vv_source_at(r->m.source);
    for (int k = 0; k < keyword.size; k++) {
        vvStatus status = read_integer(r, "a vertex number", 4, &numbers[k]);
        if (status != VV_OK)
            return status;
    }
    vvStatus status = read_integer(r, "a reference", 4, &reference);
    return status == VV_OK ? vv_medit_add_element(&r->m, keyword, numbers, reference, at) : status;
}

static vvStatus read_entries(reader *r, vv_medit_keyword keyword)
{
    vv_source *s = r->m.source;
    bool vertices = keyword.kind == VV_MEDIT_VERTICES;
    int integers = (vertices ? 0 : keyword.size) + 1, reals = vertices ? 3 : 0;
    int64_t count = 0, size = integers * integer_size(r) + reals * (r->narrow ? 4 : 8);
    vvStatus status = read_integer(r, "the number of entries", 4, &count);
    if (status == VV_OK)
        status = vv_medit_begin(&r->m, keyword, count, size);
    if (status != VV_OK || keyword.kind == VV_MEDIT_REFUSED)
        return status;
    int64_t end = s->p - s->data + count * size;
    if (r->next && r->next != end)
        return vv_source_fail(s,
                              "%" PRId64 " entries of '%s' end at byte %" PRId64 ", but the next section begins at "
                              "byte %" PRId64,
                              count, keyword.name, end, r->next);
    for (int64_t i = 0; i < count && status == VV_OK && !r->m.builder->failed; i++) {
        status = vertices ? read_vertex(r) : read_element(r, keyword);
        if (status == VV_OK && vertices)
            s->p += integer_size(r); /* the reference */
    }
    return status;
}

/* Reads code and next byte; the cursor is then at the section's contents. */
static vvStatus read_head(reader *r, int32_t *code)
{
    vv_source *s = r->m.source;
    int64_t begin = s->p - s->data;
    vvStatus status = vv_binary_int(s, "a keyword's code", code);
    if (status == VV_OK)
        status = read_integer(r, "the byte where the next section begins", 3, &r->next);
    if (status != VV_OK)
        return status;
    int64_t here = s->p - s->data;
    s->p = s->data + begin;
    if (r->next && (r->next < here || r->next > (int64_t)s->size))
        return vv_source_fail(s,
                              "the section here (code %d) has the next begin at byte %" PRId64 "; the file has %zu "
                              "bytes, and it cannot begin before byte %" PRId64,
                              *code, r->next, s->size, here);
    s->p = s->data + here;
    return VV_OK;
}

static vvStatus read_precision(reader *r)
{
    int64_t bits = 0;
    vvStatus status = read_integer(r, "the number of bits", 4, &bits);
    if (status == VV_OK && bits != 32 && bits != 64)
        return vv_source_fail(r->m.source, "floating point numbers of %" PRId64 " bits; 32 or 64 are needed", bits);
    r->narrow = bits == 32;
    return status;
}

static vvStatus read_dimension(reader *r)
{
    int32_t dimension = 0;
    vvStatus status = vv_binary_int(r->m.source, "the dimension", &dimension);
    return status != VV_OK ? status : vv_medit_set_dimension(&r->m, dimension);
}

static vvStatus read_section(reader *r, int32_t *code)
{
    vv_source *s = r->m.source;
    vvStatus status = read_head(r, code);
    if (status != VV_OK)
        return status;
    vv_medit_keyword keyword = vv_medit_by_code(*code);
    switch (keyword.kind) {
    case VV_MEDIT_DIMENSION: status = read_dimension(r); break;
    case VV_MEDIT_PRECISION: status = read_precision(r); break;
    case VV_MEDIT_VERTICES:
    case VV_MEDIT_ELEMENTS:
    case VV_MEDIT_REFUSED: status = read_entries(r, keyword); break;
    case VV_MEDIT_UNKNOWN:
    case VV_MEDIT_VERSION: return vv_source_fail(s, "found %d where a keyword's code is needed", *code);
    default: break;
    }
    if (status == VV_OK && r->next)
        s->p = s->data + r->next;
    return status;
}

/* The first 8 bytes; `source` may have no error to set (when matching). */
static vvStatus read_start(vv_source *s, int32_t *version)
{
    int32_t one = 0;
    s->binary = true;
    vvStatus status = vv_binary_int(s, "the integer 1 that shows the byte order", &one);
    s->swapped = one == 1 << 24;
    if (status == VV_OK && one != 1 && !s->swapped) {
        s->p -= sizeof one;
        return vv_source_fail(s, "found %d where the integer 1 shows the byte order of a .meshb file", one);
    }
    return status != VV_OK ? status : vv_binary_int(s, "the format version", version);
}

static vvStatus read_binary(vv_source *source, vv_builder *builder)
{
    reader r = { .m = { .source = source, .builder = builder } };
    int32_t version = 0, code = 0;
    source->p = source->data;
    vvStatus status = read_start(source, &version);
    if (status == VV_OK)
        status = vv_medit_check_version(&r.m, version ? version : -1);
    r.narrow = version == 1;
    do
        status = status != VV_OK ? status : read_section(&r, &code);
    while (status == VV_OK && code != END && r.next && !builder->failed);
    if (status == VV_OK && code != END && !builder->failed)
        status = vv_source_fail(source, "the file ends without its last section, 'End'");
    if (status == VV_OK && code == END && source->p < source->end)
        status =
            vv_source_fail(source, "%zu bytes follow 'End'; nothing may follow it", (size_t)(source->end - source->p));
    return status != VV_OK ? status : vv_medit_finish(&r.m);
}

static vv_match match_binary(const char *data, size_t size)
{
    vv_source s = { .data = (char *)data, .size = size, .p = data, .end = data + size };
    int32_t version = 0, first = 0;
    if (read_start(&s, &version) || version < 1 || version > 4 || vv_binary_int(&s, "a code", &first))
        return VV_MATCH_NO;
    return first == DIMENSION ? VV_MATCH_YES : VV_MATCH_NO;
}

/* ---- writing: version 2, this machine's byte order --------------------------------------------------------------- */

static void put_integer(vv_output *o, int64_t value)
{
    int32_t narrow = (int32_t)value;
    vv_put_bytes(o, &narrow, sizeof narrow);
}

/* A section's head; `size`: bytes of count and entries. */
static void put_head(vv_output *o, int code, int64_t size)
{
    put_integer(o, code);
    put_integer(o, (int64_t)o->count + 4 + size);
}

static void put_section(vv_output *o, const vv_medit_section *section)
{
    if (!section->count)
        return;
    put_head(o, section->code, 4 + 4 * ((int64_t)section->corners + 1) * section->count);
    put_integer(o, section->count);
    for (int i = 0; i < section->count; i++) {
        for (int k = 0; k < section->corners; k++)
            put_integer(o, section->indices[(size_t)section->corners * (size_t)i + (size_t)k] + 1);
        put_integer(o, 0);
    }
}

static vvStatus write_binary(const vvMesh *mesh, vv_output *o, vvError *error)
{
    vv_medit_section sections[VV_MEDIT_KINDS];
    vvStatus status = vv_medit_sections(mesh, sections, error);
    if (status != VV_OK)
        return status;
    int64_t total = 100 + 28 * (int64_t)mesh->vertexCount;
    for (int k = 0; k < VV_MEDIT_KINDS; k++)
        total += 4 * ((int64_t)sections[k].corners + 1) * sections[k].count;
    if (total > INT_MAX)
        return vv_fail(error, VV_ERROR_INPUT, "this mesh takes %" PRId64 " bytes; a .meshb file holds at most 2 GiB",
                       total);
    put_integer(o, 1);
    put_integer(o, 2);
    put_head(o, DIMENSION, 4);
    put_integer(o, 3);
    put_head(o, VERTICES, 4 + 28 * (int64_t)mesh->vertexCount);
    put_integer(o, mesh->vertexCount);
    for (int v = 0; v < mesh->vertexCount; v++) {
        vv_put_bytes(o, mesh->positions + 3 * (size_t)v, 3 * sizeof(double));
        put_integer(o, 0);
    }
    for (int k = 0; k < VV_MEDIT_KINDS; k++)
        put_section(o, &sections[k]);
    put_integer(o, END);
    put_integer(o, 0);
    return VV_OK;
}

extern const vv_format vv_format_medit_binary;
const vv_format vv_format_medit_binary = {
    { "medit-binary", "MEDIT, binary (.meshb)" }, ".meshb", match_binary, read_binary, write_binary,
};

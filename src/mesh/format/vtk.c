/* Legacy VTK files (.vtk), text and binary (big endian), versions 1 to 5: unstructured grids and polygonal data.
 *
 * Read are points and cells; field data before them is skipped. Of POINT_DATA and CELL_DATA, which come last, whole
 * numbers of cells are read (vtk_data.c). Keywords are read in upper and lower case, text in lines of any length. Cells
 * are stored as "count, points ..." or, since version 5.1, as arrays OFFSETS and CONNECTIVITY; what follows the keyword
 * decides. */
#include "mesh/format/vtk_legacy.h"

#include "base/text/text.h"

#include <inttypes.h>
#include <string.h>

static bool is(vv_word word, const char *name)
{
    return strlen(name) == (size_t)word.length && vv_same_letters(word.text, name, (size_t)word.length);
}

/* ---- header ------------------------------------------------------------------------------------------------------ */

static const char opening[] = "# vtk DataFile Version";

static vvStatus read_header(vv_source *s)
{
    const uint16_t one = 1;
    vv_word word;
    char quoted[VV_QUOTED_LENGTH];
    size_t length = sizeof opening - 1;
    if ((size_t)(s->end - s->p) < length || !vv_same_letters(s->p, opening, length)) {
        vv_text_word(s, &word);
        return vv_source_fail(s, "found %s where a legacy VTK file begins with '%s'", vv_quote(quoted, word), opening);
    }
    s->p += length;
    if (!vv_text_word(s, &word) || word.length < 2 || word.text[0] < '1' || word.text[0] > '5' || word.text[1] != '.')
        return vv_source_fail(s, "VTK file version %s is not read here; 1.0 to 5.1 are", vv_quote(quoted, word));
    vv_text_skip_line(s);
    vv_text_skip_line(s); /* the title: anything */
    vv_text_skip_blank(s);
    if (!vv_text_word(s, &word))
        return vv_source_fail(s, "the file ends where ASCII or BINARY is needed");
    bool binary = is(word, "BINARY");
    if (!binary && !is(word, "ASCII"))
        return vv_source_fail(s, "found %s where ASCII or BINARY is needed, below the title", vv_quote(quoted, word));
    vvStatus status = vv_text_end_line(s);
    s->binary = binary;
    s->swapped = binary && *(const char *)&one == 1;
    return status;
}

static vvStatus read_dataset(vv_source *s, bool *polygons)
{
    vv_word word, kind;
    char quoted[VV_QUOTED_LENGTH];
    vv_text_skip_blank(s);
    if (!vv_text_word(s, &word))
        return vv_source_fail(s, "the file ends where DATASET is needed");
    if (!is(word, "DATASET"))
        return vv_source_fail(s, "found %s where DATASET is needed", vv_quote(quoted, word));
    if (!vv_text_word(s, &kind))
        return vv_source_fail(s, "the line ends where the kind of dataset is needed");
    *polygons = is(kind, "POLYDATA");
    if (!*polygons && !is(kind, "UNSTRUCTURED_GRID"))
        return vv_source_fail(s,
                              "dataset %s is not read here; UNSTRUCTURED_GRID and POLYDATA are (VTK and ParaView "
                              "convert to them: tetrahedralize, extract surface)",
                              vv_quote(quoted, kind));
    return vv_text_end_line(s);
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

static vvStatus read_points(vv_legacy *o)
{
    static const char *const axes[] = { "the x coordinate", "the y coordinate", "the z coordinate" };
    vv_source *s = o->vtk.source;
    int64_t count;
    vv_scalar kind;
    if (o->has_points)
        return vv_source_fail(s, "a second POINTS section; one is allowed");
    o->has_points = true;
    vvStatus status = vv_text_int(s, "the number of points", &count);
    if (status == VV_OK)
        status = vv_legacy_kind(s, &kind);
    if (status == VV_OK)
        status = vv_text_end_line(s);
    if (status == VV_OK)
        status = vv_legacy_room(s, count, 3, kind, "points");
    for (int64_t i = 0; status == VV_OK && i < count && !o->vtk.builder->failed; i++) {
        double x[3];
        int at = 0;
        for (int k = 0; status == VV_OK && k < 3; k++) {
            vv_legacy_next(s);
            at = k ? at : vv_source_at(s);
            status = vv_read_double(s, kind, axes[k], &x[k]);
        }
        if (status == VV_OK)
            vv_builder_vertex(o->vtk.builder, x, at);
    }
    o->vtk.count = status != VV_OK ? 0 : count;
    return status;
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

static void push_cell(vv_legacy *o, vv_vtk_cells *cells, int64_t end, int at)
{
    if (!vv_list_push(&cells->ends, &end, sizeof end) || !vv_list_push(&cells->at, &at, sizeof at))
        o->failed = true;
}

/* "count, points ..." for each cell, `size` numbers in all. */
static vvStatus read_counted(vv_legacy *o, vv_vtk_cells *cells, int64_t count, int64_t size)
{
    vv_source *s = o->vtk.source;
    vvStatus status = vv_legacy_room(s, size, 1, VV_INT32, "numbers");
    int64_t left = size;
    for (int64_t i = 0; status == VV_OK && i < count && !o->failed; i++) {
        int64_t points, point;
        vv_legacy_next(s);
        vv_source before = *s;
        status = vv_read_int(s, VV_INT32, "a cell's number of points", &points);
        if (status == VV_OK && (points < 0 || points > left - 1)) {
            *s = before;
            return vv_source_fail(s,
                                  "cell %" PRId64 " has %" PRId64 " points; the section announces %" PRId64
                                  " numbers, of which %" PRId64 " are left%s",
                                  i, points, size, left > 0 ? left - 1 : 0,
                                  s->binary ? " (the bytes of legacy VTK are big endian)" : "");
        }
        left -= 1 + points;
        for (int64_t k = 0; status == VV_OK && k < points; k++) {
            vv_legacy_next(s);
            status = vv_read_int(s, VV_INT32, "a point's number", &point);
            if (status == VV_OK && !vv_list_push(&cells->points, &point, sizeof point))
                o->failed = true;
        }
        push_cell(o, cells, (int64_t)cells->points.count, s->binary ? (int)(before.p - s->data) : before.line);
    }
    if (status == VV_OK && left && !o->failed)
        return vv_source_fail(s, "the %" PRId64 " cells take %" PRId64 " numbers, but the section announces %" PRId64,
                              count, size - left, size);
    return status;
}

/* The heading of an array, "OFFSETS vtktypeint64". */
static vvStatus read_heading(vv_source *s, const char *name, vv_scalar *kind)
{
    vv_word word;
    char quoted[VV_QUOTED_LENGTH];
    vv_text_skip_blank(s);
    if (!vv_text_word(s, &word) || !is(word, name))
        return vv_source_fail(s, "found %s where %s is needed", vv_quote(quoted, word), name);
    vvStatus status = vv_legacy_kind(s, kind);
    if (status == VV_OK && vv_scalar_is_float(*kind))
        status = vv_source_fail(s, "%s of a floating-point type; an integer type is needed", name);
    return status != VV_OK ? status : vv_text_end_line(s);
}

/* OFFSETS: where each cell begins, and the end of the last. */
static vvStatus read_offsets(vv_legacy *o, vv_vtk_cells *cells, int64_t count, int64_t size)
{
    vv_source *s = o->vtk.source;
    vv_scalar kind;
    int64_t offset, before = 0;
    vvStatus status = read_heading(s, "OFFSETS", &kind);
    if (status == VV_OK)
        status = vv_legacy_room(s, count, 1, kind, "offsets");
    for (int64_t i = 0; status == VV_OK && i < count && !o->failed; i++) {
        vv_legacy_next(s);
        int at = vv_source_at(s);
        status = vv_read_int(s, kind, "an offset", &offset);
        if (status == VV_OK && (i ? offset < before || offset > size : offset != 0)) {
            vv_source_go(s, at);
            status = vv_source_fail(s, "offset %" PRId64 " is %" PRId64 "; %" PRId64 " to %" PRId64 " are allowed", i,
                                    offset, before, i ? size : 0);
        }
        if (status == VV_OK && i)
            push_cell(o, cells, offset, at);
        before = offset;
    }
    if (status == VV_OK && !o->failed && before != size)
        status = vv_source_fail(s, "the last offset is %" PRId64 ", but the section announces %" PRId64 " points",
                                before, size);
    return status;
}

static vvStatus read_connectivity(vv_legacy *o, vv_vtk_cells *cells, int64_t size)
{
    vv_source *s = o->vtk.source;
    vv_scalar kind;
    vvStatus status = read_heading(s, "CONNECTIVITY", &kind);
    if (status == VV_OK)
        status = vv_legacy_room(s, size, 1, kind, "points of cells");
    int *at = cells->at.data;
    const int64_t *ends = cells->ends.data;
    size_t cell = 0;
    for (int64_t i = 0; status == VV_OK && i < size && !o->failed; i++) {
        int64_t point;
        vv_legacy_next(s);
        for (; cell < cells->ends.count && (cell ? ends[cell - 1] : 0) <= i; cell++)
            at[cell] = vv_source_at(s); /* rather than its offset's place */
        status = vv_read_int(s, kind, "a point's number", &point);
        if (status == VV_OK && !vv_list_push(&cells->points, &point, sizeof point))
            o->failed = true;
    }
    return status;
}

/* "CELLS n size", "POLYGONS n size" and so on; n is one more if OFFSETS follow. */
static vvStatus read_cells(vv_legacy *o, vv_vtk_cells *cells, const char *name)
{
    vv_source *s = o->vtk.source;
    int64_t count, size;
    if (cells->seen)
        return vv_source_fail(s, "a second %s section; one is allowed", name);
    cells->seen = true;
    vvStatus status = vv_text_int(s, "the number of cells", &count);
    if (status == VV_OK)
        status = vv_text_int(s, "the number of numbers", &size);
    if (status == VV_OK && (count < 0 || size < 0))
        status = vv_source_fail(s, "%s announces %" PRId64 " cells and %" PRId64 " numbers; neither can be negative",
                                name, count, size);
    if (status == VV_OK)
        status = vv_text_end_line(s);
    if (status != VV_OK)
        return status;
    vv_source ahead = *s;
    vv_word word;
    vv_text_skip_blank(&ahead);
    if (!vv_text_word(&ahead, &word) || !is(word, "OFFSETS"))
        return read_counted(o, cells, count, size);
    status = read_offsets(o, cells, count, size);
    return status != VV_OK || o->failed ? status : read_connectivity(o, cells, size);
}

static vvStatus read_types(vv_legacy *o)
{
    vv_source *s = o->vtk.source;
    int64_t count;
    vvStatus status = vv_text_int(s, "the number of cell types", &count);
    if (status == VV_OK && (o->cells[0].types.count || !o->cells[0].seen))
        status = vv_source_fail(s, o->cells[0].seen ? "a second CELL_TYPES section; one is allowed"
                                                    : "CELL_TYPES comes before CELLS");
    if (status == VV_OK && (size_t)count != o->cells[0].ends.count)
        status = vv_source_fail(s, "%" PRId64 " cell types for %zu cells", count, o->cells[0].ends.count);
    if (status == VV_OK)
        status = vv_text_end_line(s);
    for (int64_t i = 0; status == VV_OK && i < count && !o->failed; i++) {
        int64_t type;
        vv_legacy_next(s);
        status = vv_read_int(s, VV_INT32, "a cell's type", &type);
        int narrow = type >= 0 && type < 256 ? (int)type : -1;
        if (status == VV_OK && narrow < 0)
            status = vv_source_fail(s, "cell %" PRId64 " has the type %" PRId64 "; VTK's types are below 256", i, type);
        if (status == VV_OK && !vv_list_push(&o->cells[0].types, &narrow, sizeof narrow))
            o->failed = true;
    }
    o->has_types = true;
    return status;
}

/* ---- sections ---------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    int slot, type; /* of POLYDATA */
} polygon_sections[] = {
    { "VERTICES", 0, VV_VTK_POLY_VERTEX },
    { "LINES", 1, VV_VTK_POLY_LINE },
    { "POLYGONS", 2, VV_VTK_POLYGON },
    { "TRIANGLE_STRIPS", 3, VV_VTK_STRIP },
};

static vvStatus read_section(vv_legacy *o, vv_word name, bool polygons)
{
    char quoted[VV_QUOTED_LENGTH];
    vv_source *s = o->vtk.source;
    if (is(name, "POINTS"))
        return read_points(o);
    if (is(name, "FIELD"))
        return vv_legacy_read_field(s, NULL);
    if (is(name, "METADATA")) {
        vv_legacy_skip_metadata(s);
        return VV_OK;
    }
    if (!polygons && is(name, "CELLS"))
        return read_cells(o, &o->cells[0], "CELLS");
    if (!polygons && is(name, "CELL_TYPES"))
        return read_types(o);
    for (int i = 0; polygons && i < 4; i++)
        if (is(name, polygon_sections[i].name)) {
            vv_vtk_cells *cells = &o->cells[polygon_sections[i].slot];
            cells->type = polygon_sections[i].type;
            return read_cells(o, cells, polygon_sections[i].name);
        }
    s->p = name.text;
    return vv_source_fail(
        s, "found %s where a section is needed: %s, FIELD, METADATA, POINT_DATA or CELL_DATA", vv_quote(quoted, name),
        polygons ? "POINTS, VERTICES, LINES, POLYGONS, TRIANGLE_STRIPS" : "POINTS, CELLS, CELL_TYPES");
}

/* *data: the keyword at which the sections end, or nothing. */
static vvStatus read_sections(vv_legacy *o, bool polygons, vv_word *data)
{
    vv_source *s = o->vtk.source;
    vv_word name = { 0 };
    vvStatus status = VV_OK;
    while (status == VV_OK && !o->failed) {
        vv_text_skip_blank(s);
        if (!vv_text_word(s, &name) || is(name, "POINT_DATA") || is(name, "CELL_DATA"))
            break;
        status = read_section(o, name, polygons);
        o->failed |= o->vtk.builder->failed;
    }
    if (status != VV_OK || o->failed)
        return status;
    const char *missing = !o->has_points      ? "POINTS"
                          : polygons          ? NULL
                          : !o->cells[0].seen ? "CELLS"
                          : !o->has_types     ? "CELL_TYPES"
                                              : NULL;
    *data = name;
    if (!missing)
        return VV_OK;
    return vv_source_fail(s, "the file has no %s%s", missing, name.length ? " before POINT_DATA and CELL_DATA" : "");
}

static vvStatus read_vtk(vv_source *source, vv_builder *builder)
{
    vv_legacy o = { .vtk = { .source = source, .builder = builder } };
    bool polygons = false;
    vv_word data = { 0 };
    vvStatus status = read_header(source);
    if (status == VV_OK)
        status = read_dataset(source, &polygons);
    if (status == VV_OK)
        status = read_sections(&o, polygons, &data);
    for (int i = 0; status == VV_OK && !o.failed && i < 4; i++)
        status = vv_vtk_add_cells(&o.vtk, &o.cells[i]);
    if (status == VV_OK && !o.failed && !builder->failed && o.vtk.tets.count && data.length)
        status = vv_legacy_read_data(&o, is(data, "CELL_DATA"));
    builder->failed |= o.failed;
    if (status == VV_OK && !o.failed)
        status = vv_vtk_finish(&o.vtk);
    for (int i = 0; i < 4; i++)
        vv_vtk_free_cells(&o.cells[i]);
    vv_faces_free(&o.vtk.faces);
    vv_vtk_free_regions(&o.vtk);
    return status;
}

/* ---- the rows ---------------------------------------------------------------------------------------------------- */

/* Both rows read all legacy files; the third line decides which one a file belongs to. */
static vv_match match(const char *data, size_t size, bool binary)
{
    vv_source s = { .p = data, .end = data + size, .line = 1 };
    vv_word word;
    if (size < sizeof opening || !vv_same_letters(data, opening, sizeof opening - 1))
        return VV_MATCH_NO;
    vv_text_skip_line(&s);
    vv_text_skip_line(&s);
    return (vv_text_word(&s, &word) && is(word, "BINARY")) == binary ? VV_MATCH_YES : VV_MATCH_NO;
}

static vv_match match_text(const char *data, size_t size) { return match(data, size, false); }

static vv_match match_binary(const char *data, size_t size) { return match(data, size, true); }

extern const vv_format vv_format_vtk, vv_format_vtk_binary;
const vv_format vv_format_vtk = {
    { "vtk", "legacy VTK, text: unstructured grids and polygonal data" },
    ".vtk",
    match_text,
    read_vtk,
    vv_legacy_write_text,
};
const vv_format vv_format_vtk_binary = {
    { "vtk-binary", "legacy VTK, binary: unstructured grids and polygonal data" },
    ".vtk",
    match_binary,
    read_vtk,
    vv_legacy_write_binary,
};

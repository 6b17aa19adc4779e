/* The XML of VTK's .vtu and .vtp files, read with expat:
 *
 *   VTKFile > UnstructuredGrid or PolyData > Piece > Points, Cells, Verts, Lines, Polys, Strips > DataArray
 *
 * and, in CellData, arrays of whole numbers, one a cell. Everything else is skipped. The values stay where they are in
 * the file: only their places are noted. Parsing ends at <AppendedData>, whose contents may not be XML. */
#include "mesh/format/vtk_xml.h"

#include "base/memory.h"
#include "base/text/number.h"
#include "mesh/format/vtk.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void vv_xml_free(vv_xml_file *file)
{
    vv_list_free(&file->pieces);
    vv_list_free(&file->numbers);
}

#ifdef VV_HAVE_EXPAT
#include <expat.h>

enum { DEEPEST = 64 };

typedef enum node { OTHER, DOCUMENT, ROOT, GRID, PIECE, SECTION, ARRAY, CELL_DATA, NUMBERS } node;

typedef struct level {
    node node;
    int section;
} level;

typedef struct span {
    size_t first, count;
} span;

typedef struct parser {
    vv_xml_file *file;
    XML_Parser expat;
    level path[DEEPEST + 2];
    int depth;
    vv_xml_array *array; /* the one whose text is being read */
    vv_list blanks;      /* span: comments and the like within arrays, to be blanked */
    bool appended, failed;
    vvStatus status;
} parser;

/* ---- expat's memory, from vv_alloc; each block stores its size -------------------------------------------------- */

enum { SIZE_ROOM = 16 };

static void *take(size_t size)
{
    char *block = size <= SIZE_MAX - SIZE_ROOM ? vv_alloc(size + SIZE_ROOM, 1) : NULL;
    if (!block)
        return NULL;
    memcpy(block, &size, sizeof size);
    return block + SIZE_ROOM;
}

static void give(void *p)
{
    if (p)
        vv_free((char *)p - SIZE_ROOM);
}

static void *resize(void *p, size_t size)
{
    size_t before = 0;
    if (p)
        memcpy(&before, (char *)p - SIZE_ROOM, sizeof before);
    void *grown = take(size);
    if (grown && p) {
        memcpy(grown, p, before < size ? before : size);
        give(p);
    }
    return grown;
}

/* ---- places and messages ----------------------------------------------------------------------------------------- */

/* Where the current tag begins and ends in the file. */
static size_t tag_begin(const parser *p) { return (size_t)XML_GetCurrentByteIndex(p->expat); }

static size_t tag_end(const parser *p) { return tag_begin(p) + (size_t)XML_GetCurrentByteCount(p->expat); }

static int tag_line(const parser *p) { return (int)XML_GetCurrentLineNumber(p->expat); }

static void stop(parser *p, vvStatus status)
{
    p->status = status;
    XML_StopParser(p->expat, XML_FALSE);
}

/* The source, for a message about the current tag. */
static vv_source *here(const parser *p)
{
    vv_source_go(p->file->source, tag_line(p));
    return p->file->source;
}

static const char *quote(char out[VV_QUOTED_LENGTH], const char *text)
{
    return vv_quote(out, (vv_word){ text, (int)strnlen(text, 1000) });
}

static const char *attribute(const char **attributes, const char *name)
{
    for (; attributes[0]; attributes += 2)
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    return NULL;
}

/* ---- the elements ------------------------------------------------------------------------------------------------ */

static vvStatus check_type(parser *p, const char *type)
{
    char quoted[VV_QUOTED_LENGTH];
    p->file->polygons = type && strcmp(type, "PolyData") == 0;
    if (!type)
        return vv_source_fail(here(p), "<VTKFile> has no attribute 'type'");
    if (p->file->polygons || strcmp(type, "UnstructuredGrid") == 0)
        return VV_OK;
    bool list = strcmp(type, "PUnstructuredGrid") == 0 || strcmp(type, "PPolyData") == 0 ||
                strcmp(type, "Collection") == 0 || strncmp(type, "vtkMulti", 8) == 0;
    return vv_source_fail(here(p),
                          "a VTK file of type %s is not read here; UnstructuredGrid (.vtu) and PolyData (.vtp) "
                          "are%s",
                          quote(quoted, type), list ? ": name one of the files that it lists" : "");
}

static vvStatus start_root(parser *p, const char *name, const char **attributes)
{
    const uint16_t one = 1;
    char quoted[VV_QUOTED_LENGTH];
    if (strcmp(name, "VTKFile") != 0)
        return vv_source_fail(here(p), "an XML file of %s, not one of VTK's, whose first element is <VTKFile>",
                              quote(quoted, name));
    const char *order = attribute(attributes, "byte_order"), *header = attribute(attributes, "header_type");
    const char *compressor = attribute(attributes, "compressor");
    vvStatus status = check_type(p, attribute(attributes, "type"));
    if (status != VV_OK)
        return status;
    bool big = order && strcmp(order, "BigEndian") == 0;
    if (order && !big && strcmp(order, "LittleEndian") != 0)
        return vv_source_fail(here(p), "byte_order is %s; LittleEndian and BigEndian are allowed",
                              quote(quoted, order));
    p->file->swapped = big == (*(const char *)&one == 1);
    p->file->wide = header && strcmp(header, "UInt64") == 0;
    if (header && !p->file->wide && strcmp(header, "UInt32") != 0)
        return vv_source_fail(here(p), "header_type is %s; UInt32 and UInt64 are allowed", quote(quoted, header));
    snprintf(p->file->compressor, sizeof p->file->compressor, "%s", compressor ? compressor : "");
    return VV_OK;
}

static vvStatus start_piece(parser *p, const char **attributes)
{
    static const char *const names[VV_XML_SECTIONS] = { "NumberOfPoints", "NumberOfCells", "NumberOfVerts",
                                                        "NumberOfLines",  "NumberOfPolys", "NumberOfStrips" };
    vv_xml_piece piece = { .line = tag_line(p) };
    char quoted[VV_QUOTED_LENGTH];
    for (int i = 0; i < VV_XML_SECTIONS; i++) {
        const char *text = attribute(attributes, names[i]);
        const char *end = text ? text + strlen(text) : NULL;
        piece.counts[i] = -1;
        if (text && (vv_parse_int64(text, end, &piece.counts[i]) != end || piece.counts[i] < 0))
            return vv_source_fail(here(p), "%s is %s; a count is needed", names[i], quote(quoted, text));
    }
    if (piece.counts[VV_XML_POINTS] < 0 || (!p->file->polygons && piece.counts[VV_XML_CELLS] < 0))
        return vv_source_fail(here(p), "<Piece> lacks the attribute %s",
                              names[piece.counts[VV_XML_POINTS] < 0 ? VV_XML_POINTS : VV_XML_CELLS]);
    if (!vv_list_push(&p->file->pieces, &piece, sizeof piece))
        p->failed = true;
    return VV_OK;
}

static vvStatus read_encoding(parser *p, vv_xml_array *a, const char **attributes)
{
    const char *format = attribute(attributes, "format"), *offset = attribute(attributes, "offset");
    char quoted[VV_QUOTED_LENGTH];
    if (!format || strcmp(format, "ascii") == 0)
        return VV_OK;
    a->encoding = strcmp(format, "binary") == 0 ? VV_XML_BASE64 : VV_XML_APPENDED;
    if (a->encoding == VV_XML_APPENDED && strcmp(format, "appended") != 0)
        return vv_source_fail(here(p), "format is %s; ascii, binary and appended are allowed", quote(quoted, format));
    if (a->encoding == VV_XML_BASE64)
        return VV_OK;
    const char *end = offset ? offset + strlen(offset) : NULL;
    if (!offset || vv_parse_int64(offset, end, &a->offset) != end || a->offset < 0)
        return vv_source_fail(here(p), "an appended array with the offset %s; where it begins is needed, from 0",
                              offset ? quote(quoted, offset) : "missing");
    return VV_OK;
}

static const vv_scalar_name kinds[] = {
    { "Int8", VV_INT8 },       { "UInt8", VV_UINT8 },     { "Int16", VV_INT16 }, { "UInt16", VV_UINT16 },
    { "Int32", VV_INT32 },     { "UInt32", VV_UINT32 },   { "Int64", VV_INT64 }, { "UInt64", VV_UINT64 },
    { "Float32", VV_FLOAT32 }, { "Float64", VV_FLOAT64 }, { NULL, VV_INT8 },
};

static vvStatus read_kind(parser *p, vv_xml_array *a, const char **attributes)
{
    const char *type = attribute(attributes, "type");
    char quoted[VV_QUOTED_LENGTH], allowed[128];
    if (type && vv_scalar_find(kinds, (vv_word){ type, (int)strnlen(type, 100) }, &a->kind))
        return VV_OK;
    vv_scalar_list(kinds, allowed, sizeof allowed);
    return vv_source_fail(here(p), "a DataArray of type %s; allowed are %s", type ? quote(quoted, type) : "missing",
                          allowed);
}

/* Which array of the section this is; -1: none that is needed. */
static int array_slot(int section, const char *name)
{
    static const char *const names[VV_XML_ARRAYS] = { "connectivity", "offsets", "types" };
    if (section == VV_XML_POINTS)
        return VV_XML_CONNECTIVITY;
    for (int i = 0; name && i < (section == VV_XML_CELLS ? 3 : 2); i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    return -1;
}

static void begin_array(parser *p, vv_xml_array *a)
{
    const char *data = p->file->source->data;
    a->tag_line = a->line = tag_line(p);
    for (size_t i = tag_begin(p); i < tag_end(p); i++)
        a->line += data[i] == '\n';
    a->begin = data + tag_end(p);
    p->array = a;
}

static vvStatus start_array(parser *p, int section, const char **attributes)
{
    vv_list *pieces = &p->file->pieces;
    int slot = array_slot(section, attribute(attributes, "Name"));
    const char *components = attribute(attributes, "NumberOfComponents");
    if (slot < 0 || p->failed || !pieces->count)
        return VV_OK;
    vv_xml_array *a = &((vv_xml_piece *)pieces->data + pieces->count - 1)->arrays[section][slot];
    char quoted[VV_QUOTED_LENGTH];
    if (a->begin)
        return vv_source_fail(here(p), "a second array of this name in this section (the first is in line %d)",
                              a->tag_line);
    if (section == VV_XML_POINTS && components && strcmp(components, "3") != 0)
        return vv_source_fail(here(p), "points with NumberOfComponents %s; 3 are needed", quote(quoted, components));
    vvStatus status = read_kind(p, a, attributes);
    if (status == VV_OK)
        status = read_encoding(p, a, attributes);
    if (status == VV_OK && section != VV_XML_POINTS && vv_scalar_is_float(a->kind))
        status = vv_source_fail(here(p), "an array of cells of a floating-point type; an integer type is needed");
    if (status != VV_OK)
        return status;
    begin_array(p, a);
    return VV_OK;
}

/* Of a piece's cells: whole numbers, one each. */
static vvStatus start_numbers(parser *p, const char **attributes)
{
    const char *name = attribute(attributes, "Name"), *type = attribute(attributes, "type");
    const char *components = attribute(attributes, "NumberOfComponents");
    vv_xml_numbers new = { .piece = p->file->pieces.count - 1 };
    if (p->failed || !p->file->pieces.count || !name || !type || (components && strcmp(components, "1") != 0) ||
        !vv_vtk_takes_name(name, strlen(name)) ||
        !vv_scalar_find(kinds, (vv_word){ type, (int)strnlen(type, 100) }, &new.array.kind) ||
        vv_scalar_is_float(new.array.kind))
        return VV_OK;
    snprintf(new.name, sizeof new.name, "%s", name);
    vvStatus status = read_encoding(p, &new.array, attributes);
    if (status == VV_OK && !vv_list_push(&p->file->numbers, &new, sizeof new))
        p->failed = true;
    if (status == VV_OK && !p->failed)
        begin_array(p, &((vv_xml_numbers *)p->file->numbers.data + p->file->numbers.count - 1)->array);
    return status;
}

static vvStatus start_appended(parser *p, const char **attributes)
{
    const char *encoding = attribute(attributes, "encoding");
    char quoted[VV_QUOTED_LENGTH];
    p->appended = true;
    p->file->appended = p->file->source->data + tag_end(p);
    p->file->appended_base64 = !encoding || strcmp(encoding, "base64") == 0;
    if (!p->file->appended_base64 && strcmp(encoding, "raw") != 0)
        return vv_source_fail(here(p), "encoding of <AppendedData> is %s; raw and base64 are allowed",
                              quote(quoted, encoding));
    vv_source_go(p->file->source, tag_line(p));
    return VV_OK;
}

static level child_of(const parser *p, const char *name)
{
    static const char *const sections[VV_XML_SECTIONS] = { "Points", "Cells", "Verts", "Lines", "Polys", "Strips" };
    level parent = p->path[p->depth];
    switch (parent.node) {
    case DOCUMENT: return (level){ ROOT, 0 };
    case ROOT:
        if (strcmp(name, p->file->polygons ? "PolyData" : "UnstructuredGrid") == 0)
            return (level){ GRID, 0 };
        break;
    case GRID:
        if (strcmp(name, "Piece") == 0)
            return (level){ PIECE, 0 };
        break;
    case PIECE:
        for (int i = 0; i < VV_XML_SECTIONS; i++)
            if (strcmp(name, sections[i]) == 0 && (i == VV_XML_POINTS || (i == VV_XML_CELLS) != p->file->polygons))
                return (level){ SECTION, i };
        if (strcmp(name, "CellData") == 0 && !p->file->polygons)
            return (level){ CELL_DATA, 0 };
        break;
    case CELL_DATA:
        if (strcmp(name, "DataArray") == 0)
            return (level){ NUMBERS, 0 };
        break;
    case SECTION:
        if (strcmp(name, "DataArray") == 0)
            return (level){ ARRAY, parent.section };
        break;
    default: break;
    }
    return (level){ OTHER, 0 };
}

/* ---- expat's calls ----------------------------------------------------------------------------------------------- */

static void end_array(parser *p)
{
    if (!p->array)
        return;
    const char *end = p->file->source->data + tag_begin(p);
    p->array->end = end > p->array->begin ? end : p->array->begin;
    p->array = NULL;
}

static void on_start(void *data, const char *name, const char **attributes)
{
    parser *p = data;
    if (p->status != VV_OK || p->appended)
        return;
    if (p->depth > DEEPEST) {
        stop(p, vv_source_fail(here(p), "elements within elements, %d deep; VTK's files need 6", p->depth));
        return;
    }
    end_array(p); /* its values come before any element within it */
    level child = child_of(p, name);
    bool appended = p->path[p->depth].node == ROOT && strcmp(name, "AppendedData") == 0;
    vvStatus status = VV_OK;
    if (child.node == ROOT)
        status = start_root(p, name, attributes);
    else if (child.node == PIECE)
        status = start_piece(p, attributes);
    else if (child.node == ARRAY)
        status = start_array(p, child.section, attributes);
    else if (child.node == NUMBERS)
        status = start_numbers(p, attributes);
    else if (appended)
        status = start_appended(p, attributes);
    p->path[++p->depth] = child;
    if (status != VV_OK || appended || p->failed)
        stop(p, status);
}

static void on_end(void *data, const char *name)
{
    parser *p = data;
    (void)name;
    if (p->status != VV_OK || p->appended)
        return;
    end_array(p);
    p->depth--;
}

/* A comment or a mark of a CDATA section: not part of the values. */
static void blank(parser *p)
{
    span s = { tag_begin(p), tag_end(p) - tag_begin(p) };
    if (p->array && !vv_list_push(&p->blanks, &s, sizeof s))
        p->failed = true;
}

static void on_comment(void *data, const char *text)
{
    (void)text;
    blank(data);
}

static void on_cdata(void *data) { blank(data); }

static void on_doctype(void *data, const char *name, const char *system, const char *public, int internal)
{
    parser *p = data;
    (void)name, (void)system, (void)public, (void)internal;
    stop(p, vv_source_fail(here(p), "a document type declaration (<!DOCTYPE); VTK's files have none, and entities are "
                                    "not read"));
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static void apply_blanks(parser *p)
{
    const span *spans = p->blanks.data;
    for (size_t i = 0; i < p->blanks.count; i++)
        for (size_t k = spans[i].first; k < spans[i].first + spans[i].count; k++)
            if (p->file->source->data[k] != '\n')
                p->file->source->data[k] = ' ';
}

static vvStatus refuse_xml(parser *p)
{
    enum XML_Error code = XML_GetErrorCode(p->expat);
    vv_source *s = here(p);
    if (code == XML_ERROR_NO_MEMORY)
        return vv_source_short(s, "the XML");
    if (code == XML_ERROR_NO_ELEMENTS || code == XML_ERROR_UNCLOSED_TOKEN || code == XML_ERROR_PARTIAL_CHAR ||
        code == XML_ERROR_UNCLOSED_CDATA_SECTION)
        return vv_source_fail(s, "the XML ends too early (%s); is the file cut off?", XML_ErrorString(code));
    if (code == XML_ERROR_UNKNOWN_ENCODING || code == XML_ERROR_INCORRECT_ENCODING)
        return vv_source_fail(s, "the XML is in an encoding that is not read here; UTF-8, ISO-8859-1 and US-ASCII are");
    return vv_source_fail(s, "the XML is broken here: %s", XML_ErrorString(code));
}

static vvStatus parse(parser *p)
{
    vv_source *s = p->file->source;
    XML_SetUserData(p->expat, p);
    XML_SetElementHandler(p->expat, on_start, on_end);
    XML_SetCommentHandler(p->expat, on_comment);
    XML_SetCdataSectionHandler(p->expat, on_cdata, on_cdata);
    XML_SetStartDoctypeDeclHandler(p->expat, on_doctype);
    enum XML_Status result = XML_Parse(p->expat, s->data, (int)s->size, 1);
    if (p->failed)
        return vv_source_short(s, "the XML");
    if (p->status != VV_OK)
        return p->status;
    if (result != XML_STATUS_OK && !p->appended)
        return refuse_xml(p);
    apply_blanks(p);
    return p->appended ? vv_xml_bound_appended(p->file) : VV_OK;
}

vvStatus vv_xml_parse(vv_source *source, vv_xml_file *file)
{
    static const XML_Memory_Handling_Suite memory = { take, resize, give };
    *file = (vv_xml_file){ .source = source };
    parser p = { .file = file, .path = { { DOCUMENT, 0 } } };
    p.expat = XML_ParserCreate_MM(NULL, &memory, NULL);
    if (!p.expat)
        return vv_source_short(source, "the XML");
    vvStatus status = parse(&p);
    XML_ParserFree(p.expat);
    vv_list_free(&p.blanks);
    return status;
}

#else

vvStatus vv_xml_parse(vv_source *source, vv_xml_file *file)
{
    *file = (vv_xml_file){ .source = source };
    return vv_fail(
        source->error, VV_ERROR_UNSUPPORTED,
        "%s: VTK's XML files are not read by this build, which lacks the library expat; save it as legacy VTK "
        "(.vtk), or build visviva again with expat (Debian: libexpat1-dev)",
        source->shown);
}

#endif

/* VTK's XML files: .vtu (unstructured grids) and .vtp (polygonal data), with any number of pieces, which form one
 * mesh. */
#include "mesh/format/vtk.h"
#include "mesh/format/vtk_xml.h"

#include <inttypes.h>
#include <string.h>

typedef struct vtu {
    vv_xml_file file;
    vv_vtk vtk;
} vtu;

static const char *const section_names[VV_XML_SECTIONS] = { "Points", "Cells", "Verts", "Lines", "Polys", "Strips" };

static vvStatus lacks(vtu *o, const vv_xml_piece *piece, const char *section, const char *array)
{
    vv_source_go(o->file.source, piece->line);
    if (!array)
        return vv_source_fail(o->file.source, "<Piece> has no array in <%s>", section);
    return vv_source_fail(o->file.source, "<Piece> has no array named '%s' in <%s>", array, section);
}

static vvStatus add_points(vtu *o, const vv_xml_piece *piece)
{
    const vv_xml_array *row = &piece->arrays[VV_XML_POINTS][VV_XML_CONNECTIVITY];
    vv_list values = { 0 }, lines = { 0 };
    int64_t count = piece->counts[VV_XML_POINTS];
    o->vtk.first = (int64_t)o->vtk.builder->positions.count;
    o->vtk.count = count;
    if (!row->begin)
        return count ? lacks(o, piece, section_names[VV_XML_POINTS], NULL) : VV_OK;
    vvStatus status = vv_xml_doubles(&o->file, row, "a coordinate", &values, &lines);
    if (status == VV_OK && (values.count % 3 || (int64_t)(values.count / 3) != count)) {
        vv_source_go(o->file.source, row->tag_line);
        status = vv_source_fail(o->file.source, "%zu coordinates for NumberOfPoints %" PRId64 "; three each are needed",
                                values.count, count);
    }
    const double *x = values.data;
    const int *at = lines.data;
    for (size_t i = 0; status == VV_OK && i < values.count / 3 && !o->vtk.builder->failed; i++)
        vv_builder_vertex(o->vtk.builder, x + 3 * i, lines.count ? at[3 * i] : row->tag_line);
    vv_list_free(&values);
    vv_list_free(&lines);
    return status;
}

/* Offsets, which are ends, ascending and up to the last point of the connectivity. */
static vvStatus check_ends(vtu *o, const vv_xml_array *row, const vv_vtk_cells *cells, int64_t count)
{
    vv_source *s = o->file.source;
    const int64_t *ends = cells->ends.data;
    size_t n = cells->ends.count;
    vv_source_go(s, row->tag_line);
    if (count >= 0 && (int64_t)n != count)
        return vv_source_fail(s, "%zu offsets for %" PRId64 " cells", n, count);
    for (size_t i = 0; i < n; i++)
        if (ends[i] < (i ? ends[i - 1] : 0) || ends[i] > (int64_t)cells->points.count)
            return vv_source_fail(s, "offset %zu is %" PRId64 "; %" PRId64 " to %zu are allowed", i, ends[i],
                                  i ? ends[i - 1] : 0, cells->points.count);
    if ((n ? ends[n - 1] : 0) != (int64_t)cells->points.count)
        return vv_source_fail(s, "the last offset is %" PRId64 ", but the connectivity has %zu values",
                              n ? ends[n - 1] : 0, cells->points.count);
    return VV_OK;
}

/* The line of each cell: in text that of its first point, else that of the array. */
static vvStatus place_cells(vtu *o, const vv_xml_array *row, vv_vtk_cells *cells, const vv_list *lines)
{
    const int64_t *ends = cells->ends.data;
    const int *all = lines->data;
    for (size_t i = 0; i < cells->ends.count; i++) {
        size_t first = i ? (size_t)ends[i - 1] : 0;
        int at = first < lines->count ? all[first] : row->tag_line;
        if (!vv_list_push(&cells->at, &at, sizeof at))
            return vv_source_short(o->file.source, "cells");
    }
    return VV_OK;
}

static vvStatus read_types(vtu *o, const vv_xml_array *row, vv_vtk_cells *cells)
{
    vv_list values = { 0 };
    vvStatus status = vv_xml_ints(&o->file, row, "a cell's type", &values, NULL);
    vv_source_go(o->file.source, row->tag_line);
    if (status == VV_OK && values.count != cells->ends.count)
        status = vv_source_fail(o->file.source, "%zu types for %zu cells", values.count, cells->ends.count);
    const int64_t *types = values.data;
    for (size_t i = 0; status == VV_OK && i < values.count; i++) {
        int type = (int)types[i];
        if (types[i] < 0 || types[i] > 255)
            status = vv_source_fail(o->file.source, "cell %zu has the type %" PRId64 "; VTK's types are below 256", i,
                                    types[i]);
        else if (!vv_list_push(&cells->types, &type, sizeof type))
            status = vv_source_short(o->file.source, "cells");
    }
    vv_list_free(&values);
    return status;
}

static vvStatus read_cells(vtu *o, const vv_xml_array *rows, int64_t count, vv_vtk_cells *cells)
{
    vv_list lines = { 0 };
    vvStatus status = vv_xml_ints(&o->file, &rows[VV_XML_CONNECTIVITY], "a point's number", &cells->points, &lines);
    if (status == VV_OK)
        status = vv_xml_ints(&o->file, &rows[VV_XML_OFFSETS], "an offset", &cells->ends, NULL);
    if (status == VV_OK)
        status = check_ends(o, &rows[VV_XML_OFFSETS], cells, count);
    if (status == VV_OK)
        status = place_cells(o, &rows[VV_XML_CONNECTIVITY], cells, &lines);
    if (status == VV_OK && !cells->type)
        status = read_types(o, &rows[VV_XML_TYPES], cells);
    if (status == VV_OK)
        status = vv_vtk_add_cells(&o->vtk, cells);
    vv_list_free(&lines);
    return status;
}

static vvStatus add_section(vtu *o, const vv_xml_piece *piece, int section)
{
    static const int types[VV_XML_SECTIONS] = {
        [VV_XML_VERTS] = VV_VTK_POLY_VERTEX,
        [VV_XML_LINES] = VV_VTK_POLY_LINE,
        [VV_XML_POLYS] = VV_VTK_POLYGON,
        [VV_XML_STRIPS] = VV_VTK_STRIP,
    };
    static const char *const names[VV_XML_ARRAYS] = { "connectivity", "offsets", "types" };
    const vv_xml_array *rows = piece->arrays[section];
    int needed = section == VV_XML_CELLS ? 3 : 2, found = 0;
    for (int i = 0; i < needed; i++)
        found += rows[i].begin != NULL;
    if (piece->counts[section] == 0 || (piece->counts[section] < 0 && !found))
        return VV_OK;
    for (int i = 0; i < needed; i++)
        if (!rows[i].begin)
            return lacks(o, piece, section_names[section], names[i]);
    vv_vtk_cells cells = { .type = types[section] };
    vvStatus status = read_cells(o, rows, piece->counts[section], &cells);
    vv_vtk_free_cells(&cells);
    return status;
}

/* Numbers of the piece's cells, for regions; those that cannot be read are no error, as the mesh is there. */
static vvStatus add_numbers(vtu *o, size_t piece, const vv_xml_numbers *numbers)
{
    vvError unsaid = { 0 }, *said = o->file.source->error;
    vv_list values = { 0 };
    if (numbers->piece != piece || !numbers->array.begin)
        return VV_OK;
    o->file.source->error = &unsaid;
    vvStatus status = vv_xml_ints(&o->file, &numbers->array, "a number of a cell", &values, NULL);
    o->file.source->error = said;
    if (status == VV_OK)
        vv_vtk_add_numbers(&o->vtk, numbers->name, &values);
    vv_list_free(&values);
    if (status != VV_OK && status != VV_ERROR_INPUT && said)
        *said = unsaid;
    return status == VV_ERROR_INPUT ? VV_OK : status;
}

static vvStatus add_pieces(vtu *o)
{
    const vv_xml_piece *pieces = o->file.pieces.data;
    vvStatus status = VV_OK;
    if (!o->file.pieces.count)
        return vv_source_fail(o->file.source, "the file has no <Piece> in <%s>",
                              o->file.polygons ? "PolyData" : "UnstructuredGrid");
    for (size_t i = 0; status == VV_OK && i < o->file.pieces.count; i++) {
        status = add_points(o, &pieces[i]);
        for (int k = VV_XML_CELLS; status == VV_OK && k < VV_XML_SECTIONS; k++)
            status = add_section(o, &pieces[i], k);
        for (size_t k = 0; status == VV_OK && o->vtk.tets.count && k < o->file.numbers.count; k++)
            status = add_numbers(o, i, (const vv_xml_numbers *)o->file.numbers.data + k);
    }
    return status != VV_OK ? status : vv_vtk_finish(&o->vtk);
}

static vvStatus read_vtu(vv_source *source, vv_builder *builder)
{
    vtu o = { .vtk = { .source = source, .builder = builder } };
    vvStatus status = vv_xml_parse(source, &o.file);
    if (status == VV_OK)
        status = add_pieces(&o);
    vv_xml_free(&o.file);
    vv_faces_free(&o.vtk.faces);
    vv_vtk_free_regions(&o.vtk);
    return status;
}

/* Any XML is tried if no other format claims it: the message names its first element. */
static vv_match match(const char *data, size_t size, const char *type)
{
    static const char root[] = "<VTKFile";
    size_t head = size < 65536 ? size : 65536;
    vv_source s = { .p = data, .end = data + size, .line = 1 };
    vv_text_skip_blank(&s);
    if (s.p == s.end || *s.p != '<')
        return VV_MATCH_NO;
    const char *found = memmem(data, head, root, sizeof root - 1);
    if (!found)
        return VV_MATCH_FAMILY;
    const char *close = memchr(found, '>', (size_t)(data + head - found));
    size_t length = close ? (size_t)(close - found) : 0;
    return memmem(found, length, type, strlen(type)) ? VV_MATCH_YES : VV_MATCH_FAMILY;
}

static vv_match match_vtu(const char *data, size_t size) { return match(data, size, "UnstructuredGrid"); }

static vv_match match_vtp(const char *data, size_t size) { return match(data, size, "PolyData"); }

extern const vv_format vv_format_vtu, vv_format_vtp;
const vv_format vv_format_vtu = {
    { "vtu", "VTK's XML, text or binary: unstructured grids (only read)" }, ".vtu", match_vtu, read_vtu, NULL,
};
const vv_format vv_format_vtp = {
    { "vtp", "VTK's XML, text or binary: polygonal data (only read)" }, ".vtp", match_vtp, read_vtu, NULL,
};

/* VTK's XML files: the places of the arrays of points and cells, and their values. */
#ifndef VV_MESH_FORMAT_VTK_XML_H
#define VV_MESH_FORMAT_VTK_XML_H

#include "mesh/builder.h"
#include "mesh/format/scalar.h"

typedef enum vv_xml_encoding { VV_XML_ASCII, VV_XML_BASE64, VV_XML_APPENDED } vv_xml_encoding;

/* A DataArray; `begin` is NULL if the file has none. */
typedef struct vv_xml_array {
    vv_scalar kind;
    vv_xml_encoding encoding;
    int64_t offset;          /* appended */
    const char *begin, *end; /* its text */
    int line;                /* of begin */
    int tag_line;            /* of <DataArray: messages about binary values name this line */
} vv_xml_array;

/* Sections of a piece; of POINTS only the connectivity is used, for the coordinates. */
enum { VV_XML_POINTS, VV_XML_CELLS, VV_XML_VERTS, VV_XML_LINES, VV_XML_POLYS, VV_XML_STRIPS, VV_XML_SECTIONS };

enum { VV_XML_CONNECTIVITY, VV_XML_OFFSETS, VV_XML_TYPES, VV_XML_ARRAYS };

typedef struct vv_xml_piece {
    int line;
    int64_t counts[VV_XML_SECTIONS]; /* points, cells, ...; -1 if the piece does not say */
    vv_xml_array arrays[VV_XML_SECTIONS][VV_XML_ARRAYS];
} vv_xml_piece;

/* Whole numbers of a piece's cells. */
typedef struct vv_xml_numbers {
    size_t piece;
    char name[104];
    vv_xml_array array;
} vv_xml_numbers;

typedef struct vv_xml_file {
    vv_source *source;
    vv_list pieces, numbers;      /* vv_xml_piece, vv_xml_numbers */
    bool polygons, swapped, wide; /* PolyData; byte order; 64-bit lengths of binary arrays */
    char compressor[32];          /* "" for none */
    bool appended_base64;
    const char *appended, *appended_end; /* after the '_'; NULL if there is none */
    size_t decoded;                      /* bytes so far, of all arrays */
} vv_xml_file;

vvStatus vv_xml_parse(vv_source *source, vv_xml_file *file);
void vv_xml_free(vv_xml_file *file);

/* After the start of <AppendedData>: where its data begin and end, between the '_' and the closing tag; a file without
 * that is cut off, even if all that is needed seems to be there. */
vvStatus vv_xml_bound_appended(vv_xml_file *file);

/* All values of an array, as double or int64_t; `lines` (int) receive the line of each value in text, and stay empty
 * for binary arrays. `what` names one value, for messages: "a coordinate". */
vvStatus vv_xml_doubles(vv_xml_file *file, const vv_xml_array *array, const char *what, vv_list *values,
                        vv_list *lines);
vvStatus vv_xml_ints(vv_xml_file *file, const vv_xml_array *array, const char *what, vv_list *values, vv_list *lines);

#endif

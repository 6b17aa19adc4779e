/* Legacy VTK files and VTK's XML: well-formed, odd and broken ones with their verdicts; real meshes. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "mesh/mesh.h"
#include "mesh_support.h"

/* ---- legacy ------------------------------------------------------------------------------------------------------ */

#define TITLE "# vtk DataFile Version 3.0\ntitle\n"
#define GRID TITLE "ASCII\nDATASET UNSTRUCTURED_GRID\n"
#define POLY TITLE "ASCII\nDATASET POLYDATA\n"
#define FOUR "POINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 1\n"
#define SQUARE "POINTS 4 double\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n"
#define TET "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n"
#define BINARY TITLE "BINARY\nDATASET UNSTRUCTURED_GRID\n"
#define BYTES3 "POINTS 3 unsigned_char\n\0\0\0\1\0\0\0\1\0\n"
#define TYPE5 "\nCELL_TYPES 1\n\0\0\0\5\n"

static const verdict legacy[] = {
    GOOD(GRID FOUR TET, 4, 1, 4, 0),
    GOOD(GRID FOUR "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10", 4, 1, 4, 0),
    GOOD("# vtk DataFile Version 2.0\n\nascii\ndataset unstructured_grid\npoints 4 Float\n0 0 0 1 0 0 0 1 0 0 0 1\n"
         "cells 1 5\n4 0 1 2 3\ncell_types 1\n10\n",
         4, 1, 4, 0),
    GOOD("# vtk DataFile Version 3.0\r\no v f title\r\nASCII \r\nDATASET UNSTRUCTURED_GRID\r\nPOINTS 4 int\r\n0 0 0 1 "
         "0\r\n"
         "0 0 1 0 0 0 1\r\n\r\nCELLS 1\t5\r\n4 0 1\r\n2 3\r\nCELL_TYPES 1\r\n10\r\n",
         4, 1, 4, 0),
    GOOD(
        "# vtk DataFile Version 5.1\nvtk output\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n0 0 0 1 0 0 0 1 0 \n"
        "0 0 1 \nMETADATA\nINFORMATION 1\nNAME L2_NORM_RANGE LOCATION vtkDataArray\nDATA 2 0 1 \n\nCELLS 3 7\n"
        "OFFSETS vtktypeint64\n0 4 7 \nCONNECTIVITY vtktypeint64\n0 1 2 3 0 1 2 \nCELL_TYPES 2\n10\n5\n\n",
        4, 1, 4, 0),
    GOOD(GRID
         "FIELD FieldData 3\nTIME 1 1 double\n0.5\nMETADATA\nINFORMATION 0\n\nCYCLE 1 2 int\n7\n8\nnote 1 2 string\n"
         "hello%20you\nPOINTS\n" FOUR TET "POINT_DATA 4\nSCALARS whatever\n",
         4, 1, 4, 0),
    GOOD(GRID FOUR "CELLS 5 15\n1 0\n2 0 1\n3 0 1 2\n4 0 1 2 3\n0\nCELL_TYPES 5\n1\n3\n5\n10\n0\n", 4, 1, 4, 1),
    GOOD("# vtk DataFile Version 3.0\rtitle\rASCII\rDATASET POLYDATA\rPOINTS 3 float\r0 0 0\r1 0 0\r0 1 0\rPOLYGONS 1 "
         "4\r"
         "3 0 1 2\r",
         3, 0, 1, 0),
    GOOD(GRID FOUR "METADATA\nINFORMATION 1\nNAME a LOCATION b\nDATA 1 2\n" TET, 4, 1, 4, 0), /* no empty line */
    GOOD(GRID SQUARE "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n9\n", 4, 0, 2, 0),
    GOOD(GRID SQUARE "CELLS 1 5\n4 0 1 3 2\nCELL_TYPES 1\n8\n", 4, 0, 2, 0),
    GOOD(GRID SQUARE "CELLS 1 5\n4 0 1 3 2\nCELL_TYPES 1\n6\n", 4, 0, 2, 0),
    GOOD(GRID SQUARE "CELLS 2 9\n4 0 1 2 3\n3 0 1 2\nCELL_TYPES 2\n7\n4\n", 4, 0, 2, 2),
    GOOD(POLY SQUARE "POLYGONS 1 5\n4 0 1 2 3\n", 4, 0, 2, 0),
    GOOD(GRID FOUR "CELLS 4 8\n1 0\n1 1\n1 2\n1 3\nCELL_TYPES 4\n1\n1\n1\n1\n", 4, 0, 0, 0),
    GOOD(POLY SQUARE "VERTICES 2 6\n3 0 1 3\n1 0\n", 3, 0, 0, 0),
    GOOD(POLY SQUARE "VERTICES 1 2\n1 0\nLINES 1 4\n3 0 1 2\nPOLYGONS 1 4\n3 0 1 2\nTRIANGLE_STRIPS 1 4\n3 0 2 3\n"
                     "CELL_DATA 4\n",
         4, 0, 2, 2),
    GOOD(POLY "POINTS 4 float\n0 0 0 1 0 0 1 1 0 0 1 0\nPOLYGONS 3 6\nOFFSETS vtktypeint64\n0 3 6\n"
              "CONNECTIVITY vtktypeint64\n0 1 2 0 2 3\n",
         4, 0, 2, 0),
    GOOD(BINARY BYTES3 "CELLS 1 4\n\0\0\0\3\0\0\0\0\0\0\0\1\0\0\0\2" TYPE5, 3, 0, 1, 0),
    GOOD(BINARY "FIELD FieldData 3\ns 1 1 string\n\xc3"
                "abcb 1 9 bit\n\1\1\nid 1 1 vtkIdType\n\0\0\0\1\n" BYTES3
                "METADATA\nINFORMATION 0\n\nCELLS 2 3\nOFFSETS vtktypeint64\n\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\3\n"
                "CONNECTIVITY unsigned_char\n\0\1\2" TYPE5,
         3, 0, 1, 0),
    BAD("# vtk DataFile Version 9.0\nt\nASCII\n", ":1: VTK file version '9.0' is not read here; 1.0 to 5.1 are"),
    BAD("# vtk DataFile Version\nt\nASCII\n", ":1: VTK file version '' is not read here"),
    BAD("# vtk DataFil\n", ":1: found '#' where a legacy VTK file begins with '# vtk DataFile Version'"),
    BAD(TITLE "BINARI\n", ":3: found 'BINARI' where ASCII or BINARY is needed"),
    BAD("# vtk DataFile Version 3.0\nASCII\nDATASET POLYDATA\n", ":3: found 'DATASET' where ASCII or BINARY is needed"),
    BAD(TITLE, ":3: the file ends where ASCII or BINARY is needed"),
    BAD(TITLE "ASCII\n", ":4: the file ends where DATASET is needed"),
    BAD(TITLE "ASCII\nPOINTS 3 float\n", ":4: found 'POINTS' where DATASET is needed"),
    BAD(TITLE "ASCII\nDATASET STRUCTURED_POINTS\n", ":4: dataset 'STRUCTURED_POINTS' is not read here"),
    BAD(TITLE "ASCII\nDATASET STRUCTURED_GRID\n", ":4: dataset 'STRUCTURED_GRID' is not read here"),
    BAD(TITLE "ASCII\nDATASET RECTILINEAR_GRID\n",
        ":4: dataset 'RECTILINEAR_GRID' is not read here; UNSTRUCTURED_GRID"),
    BAD(GRID, ":5: the file has no POINTS"),
    BAD(GRID FOUR, ":7: the file has no CELLS"),
    BAD(GRID FOUR "CELLS 1 5\n4 0 1 2 3\n", ":9: the file has no CELL_TYPES"),
    BAD(GRID "POINTS -4 float\n", ":6: the number of points is -4; it cannot be negative"),
    BAD(GRID "POINTS 4000000000000 float\n0 0 0", "the number of points is 4000000000000, but only 5 bytes"),
    BAD(GRID "POINTS 4 floats\n", ":5: found 'floats' where a data type is needed: float, double"),
    BAD(GRID "POINTS 4\n", ":5: the line ends where a data type is needed"),
    BAD(GRID "POINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0\nCELLS",
        ":7: found 'CELLS' where the z coordinate, a finite number"),
    BAD(GRID "POINTS 4 float\n0 0 0 1 0 0 0 1 0 0 nan 0\n", ":6: found 'nan' where the y coordinate, a finite number"),
    BAD(GRID "POINTS 3 float\n0 0 0 1 0 0 0 1 0 0 0 1\n" TET, ":6: found '0' where a section is needed: POINTS, CELLS"),
    BAD(GRID FOUR FOUR, ":7: a second POINTS section"),
    BAD(GRID FOUR "CELLS 1 5\n4 0 1 2 4\nCELL_TYPES 1\n10\n", ":8: cell 0 refers to point 4; there are 4 points"),
    BAD(GRID FOUR "CELLS 1 5\n4 0 1 2 -1\nCELL_TYPES 1\n10\n", ":8: cell 0 refers to point -1"),
    BAD(GRID FOUR "CELLS 1 6\n4 0 1 2 3 1\nCELL_TYPES 1\n10\n",
        "the 1 cells take 5 numbers, but the section announces 6"),
    BAD(GRID FOUR "CELLS 1 4\n4 0 1 2 3\nCELL_TYPES 1\n10\n",
        ":8: cell 0 has 4 points; the section announces 4 numbers, of which 3 are left"),
    BAD(GRID FOUR "CELLS 1 5\n-4 0 1 2 3\nCELL_TYPES 1\n10\n", ":8: cell 0 has -4 points"),
    BAD(GRID FOUR "CELLS 2 5\n4 0 1 2 3\nCELL_TYPES 2\n10\n10\n",
        ":9: found 'CELL_TYPES' where a cell's number of points"),
    BAD(GRID FOUR "CELLS 1 2000000000\n4 0 1 2 3\n", "the number of numbers is 2000000000, but only"),
    BAD(GRID FOUR "CELLS -1 5\n", "neither can be negative"),
    BAD(GRID FOUR TET "CELLS 1 5\n", "a second CELLS section"),
    BAD(GRID FOUR "CELL_TYPES 1\n10\n", ":7: CELL_TYPES comes before CELLS"),
    BAD(GRID FOUR "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 2\n10\n10\n", ":9: 2 cell types for 1 cells"),
    BAD(GRID FOUR "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n1000\n", "cell 0 has the type 1000; VTK's types are below 256"),
    BAD(GRID FOUR "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n5\n",
        ":8: cell 0 is a triangle (VTK's type 5) of 4 points; it has 3"),
    BAD(GRID FOUR "CELLS 2 8\n4 0 1 2 3\n2 0 1\nCELL_TYPES 2\n10\n12\n",
        ":9: cell 1 is of VTK's type 12 (hexahedron); tet"),
    BAD(GRID FOUR "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n24\n", "type 24 (quadratic tetrahedron)"),
    BAD(GRID FOUR "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n42\n", "type 42 (polyhedron)"),
    BAD(GRID FOUR "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n99\n", "type 99 (unknown)"),
    BAD(GRID FOUR "CELLS 1 1\n0\nCELL_TYPES 1\n0\n",
        "4 points, but no tetrahedra, triangles, polygons, lines or vertices"),
    BAD(GRID FOUR "CELLS 1 2\n1 4\nCELL_TYPES 1\n1\n", ":8: cell 0 refers to point 4; there are 4 points"),
    BAD(GRID FOUR "CELLS 1 3\n2 0 1\nCELL_TYPES 1\n1\n", ":8: cell 0 is a vertex (VTK's type 1) of 2 points; it has 1"),
    BAD(GRID FOUR "CELLS 2 4\nOFFSETS vtktypeint64\n0 5\nCONNECTIVITY vtktypeint64\n0 1 2 3\n",
        ":9: offset 1 is 5; 0 to 4 are allowed"),
    BAD(GRID FOUR "CELLS 2 4\nOFFSETS vtktypeint64\n0 3\nCONNECTIVITY vtktypeint64\n0 1 2 3\n",
        "the last offset is 3, but the section announces 4 points"),
    BAD(GRID FOUR "CELLS 2 4\nOFFSETS double\n0 4\n", "OFFSETS of a floating-point type"),
    BAD(GRID FOUR "CELLS 2 4\nOFFSETS vtktypeint64\n0 4\nCELL_TYPES 1\n",
        ":10: found 'CELL_TYPES' where CONNECTIVITY is"),
    BAD(GRID FOUR "POINT_DATA 4\n" TET, ":7: the file has no CELLS before POINT_DATA and CELL_DATA"),
    BAD(GRID FOUR "RUBBISH\n", ":7: found 'RUBBISH' where a section is needed: POINTS, CELLS, CELL_TYPES, FIELD"),
    BAD(POLY SQUARE "CELLS 1 5\n4 0 1 2 3\n", ":10: found 'CELLS' where a section is needed: POINTS, VERTICES, LINES"),
    BAD(POLY SQUARE "POLYGONS 1 3\n2 0 1\n", ":11: cell 0 is a polygon (VTK's type 7) of 2 points; it has 3 or more"),
    BAD(POLY SQUARE, "4 points, but no tetrahedra"),
    BAD(GRID "FIELD FieldData 1\na 1000000 1000000 double\n1\n", ":7: a field array of 1000000 x 1000000 values"),
    BAD(GRID "FIELD FieldData 1\na 1 3 double\n1 2\n", "the file ends within the field array 'a'"),
    BAD(BINARY "POINTS 3 float\n\0\0\0\0", "the number of points is 3, but only 4 bytes"),
    BAD(BINARY "POINTS 1 float\n\x7f\xc0\0\0\0\0\0\0\0\0\0\0\n", "found nan where the x coordinate"),
    BAD(BINARY BYTES3 "CELLS 1 4\n\0\0\0\3\0\0\0\0\0\0\0\1\0\0\0\3" TYPE5, "byte 109: cell 0 refers to point 3"),
    BAD(BINARY BYTES3 "CELLS 1 4\n\3\0\0\0\0\0\0\0\1\0\0\0\2\0\0\0" TYPE5, "byte 109: cell 0 has 50331648 points"),
};

static void legacy_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof legacy / sizeof *legacy; i++)
        check_verdict(&legacy[i], ".vtk");
}

/* ---- XML --------------------------------------------------------------------------------------------------------- */

#define OPEN(more)                                                                               \
    "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" " more ">\n" \
    "<UnstructuredGrid>\n"
#define PIECE(points, cells) "<Piece NumberOfPoints=\"" #points "\" NumberOfCells=\"" #cells "\">\n"
#define POINTS(x) \
    "<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">\n" x "\n</DataArray></Points>\n"
#define INTS(name, x) "<DataArray type=\"Int32\" Name=\"" name "\">" x "</DataArray>\n"
#define CELLS(points, ends, types) \
    "<Cells>\n" INTS("connectivity", points) INTS("offsets", ends) INTS("types", types) "</Cells>\n"
#define CLOSE "</Piece></UnstructuredGrid></VTKFile>\n"
#define CORNERS POINTS("0 0 0 1 0 0\n0 1 0 0 0 1")
#define PIECE4 PIECE(4, 1) CORNERS
#define SMALL OPEN("") PIECE4 CELLS("0 1 2 3", "4", "10") CLOSE
/* 3 points 0 0 0, 1 0 0, 0 1 0 as bytes behind a length, in base64 */
#define BYTE_POINTS(format, text) \
    "<Points><DataArray type=\"UInt8\" NumberOfComponents=\"3\" format=\"" format ">" text "</DataArray></Points>\n"
#define ONE CELLS("0 1 2", "3", "5")
#define APPENDED(offset) \
    OPEN("") PIECE(3, 1) BYTE_POINTS("appended\" offset=\"" offset "\"", "") ONE "</Piece></UnstructuredGrid>\n"
#define PD "<VTKFile type=\"PolyData\" byte_order=\"BigEndian\"><PolyData>"

/* Comments, CDATA, elements within arrays, elements unknown and not needed; the second piece counts from 0 again. */
/* clang-format off */
#define TWO_PIECES \
    OPEN("") \
    "<FieldData><DataArray type=\"String\" Name=\"x\">a</DataArray></FieldData><Other><Piece/></Other>\n" \
    PIECE4 \
    CELLS("0 1 <!-- 7 --> 2 3", "<![CDATA[4]]>", "10<InformationKey name=\"r\"><Value>7</Value></InformationKey>") \
    "<PointData><DataArray type=\"Bit\" Name=\"connectivity\">1</DataArray></PointData></Piece>\n" \
    PIECE(2, 2) \
    "<Cells>" INTS("types", "3 1") INTS("offsets", "2 3") INTS("connectivity", "0 1 1") INTS("faces", "x") "</Cells>" \
    POINTS("5 5 5 6 6 6") CLOSE
/* clang-format on */
#define SECTION(name, points, end) "<" name ">" INTS("connectivity", points) INTS("offsets", end) "</" name ">\n"
#define EVERY_SECTION                                                                                                \
    PD "<Piece NumberOfPoints=\"4\" NumberOfPolys=\"1\" NumberOfLines=\"1\" NumberOfVerts=\"1\">\n" CORNERS SECTION( \
        "Verts", "0", "1") SECTION("Lines", "0 1 2", "3") SECTION("Polys", "0 1 2", "3")                             \
        SECTION("Strips", "3 0 1", "3") "</Piece></PolyData></VTKFile>"

static const verdict xml[] = {
    GOOD(SMALL, 4, 1, 4, 0),
    GOOD("\xef\xbb\xbf<?xml version=\"1.0\"?>\r\n<!-- made by hand -->\r\n" SMALL, 4, 1, 4, 0),
    GOOD(TWO_PIECES, 6, 1, 4, 1),
    GOOD(OPEN("") PIECE(0, 0) "<Points/><Cells/></Piece>" PIECE4 CELLS("0 1 2 3", "4", "10") CLOSE, 4, 1, 4, 0),
    GOOD(OPEN("compressor=\"vtkLZ4DataCompressor\"") PIECE4 CELLS("0 1 2 3", "4", "10") CLOSE, 4, 1, 4, 0),
    GOOD(OPEN("") PIECE(3, 1) BYTE_POINTS("binary\"", "\n  CQAAAAAAAAEAAAABAA==\n ") ONE CLOSE, 3, 0, 1, 0),
    GOOD(OPEN("") PIECE(3, 1) BYTE_POINTS("binary\"", "CQAAAA==AAAAAQAAAAEA") ONE CLOSE, 3, 0, 1, 0),
    GOOD(OPEN("header_type=\"UInt64\"") PIECE(3, 1) BYTE_POINTS("binary\"", "CQAAAAAAAAAAAAABAAAAAQA=") ONE CLOSE, 3, 0,
         1, 0),
    GOOD(APPENDED("2") "<AppendedData encoding=\"raw\">\n _..\x09\0\0\0\0\0\0\1\0\0\0\1\0\n</AppendedData></VTKFile>",
         3, 0, 1, 0),
    GOOD(APPENDED("0") "<AppendedData encoding=\"base64\">_CQAAAAAAAAEAAAABAA==CQAAAA</AppendedData></VTKFile>", 3, 0,
         1, 0),
    GOOD(EVERY_SECTION, 4, 0, 2, 2),
    BAD("<html><body>404</body></html>", "the file is a web page"),
    BAD("<COLLADA/>", ":1: an XML file of 'COLLADA', not one of VTK's, whose first element is <VTKFile>"),
    BAD("<?xml version=\"1.0\"?>\n", "the XML ends too early (no element found); is the file cut off?"),
    BAD("<!DOCTYPE a [<!ENTITY b \"c\">]>\n" SMALL,
        ":1: a document type declaration (<!DOCTYPE); VTK's files have none"),
    BAD("<VTKFile><UnstructuredGrid/></VTKFile>", ":1: <VTKFile> has no attribute 'type'"),
    BAD("<VTKFile type=\"PUnstructuredGrid\"/>",
        "type 'PUnstructuredGrid' is not read here; UnstructuredGrid (.vtu) and "
        "PolyData (.vtp) are: name one of the files that it lists"),
    BAD("<VTKFile type=\"ImageData\"/>", ":1: a VTK file of type 'ImageData' is not read here"),
    BAD("<VTKFile type=\"PolyData\" byte_order=\"Middle\"/>", "byte_order is 'Middle'; LittleEndian and BigEndian"),
    BAD(OPEN("header_type=\"UInt16\""), "header_type is 'UInt16'; UInt32 and UInt64 are allowed"),
    BAD(OPEN("") "</UnstructuredGrid></VTKFile>", "the file has no <Piece> in <UnstructuredGrid>"),
    BAD(OPEN("") "<Piece NumberOfPoints=\"4\">", ":3: <Piece> lacks the attribute NumberOfCells"),
    BAD(OPEN("") PIECE(-4, 1), ":3: NumberOfPoints is '-4'; a count is needed"),
    BAD(OPEN("") PIECE(4, 1) CLOSE, ":3: <Piece> has no array in <Points>"),
    BAD(OPEN("") PIECE4 "<Cells>" INTS("connectivity", "0 1 2 3") INTS("types", "10") "</Cells>" CLOSE,
        ":3: <Piece> has no array named 'offsets' in <Cells>"),
    BAD(OPEN("") PIECE4 CELLS("0 1 2 3", "4", "10") "</Piece></UnstructuredGrid>\n", "the XML ends too early"),
    BAD(OPEN("") PIECE4 CELLS("0 1 2 3", "4", "10") "</Pieces>", "the XML is broken here: mismatched tag"),
    BAD(OPEN("") PIECE4 CELLS("0 1 &x; 3", "4", "10") CLOSE, "the XML is broken here: undefined entity"),
    BAD(OPEN("") PIECE(5, 1) CORNERS CELLS("0 1 2 3", "4", "10") CLOSE, ":4: 12 coordinates for NumberOfPoints 5"),
    BAD(OPEN("") PIECE(4, 1) POINTS("0 0 0 1 0 0\n0 1 0 0 0 one") CELLS("0 1 2 3", "4", "10") CLOSE,
        ":6: found 'one' where a coordinate, a finite number, is needed"),
    BAD(OPEN("") PIECE(4, 1) POINTS("0 0 0 1 0 0\n0 1 0 0 0 nan") CELLS("0 1 2 3", "4", "10") CLOSE, ":6: found 'nan'"),
    BAD(OPEN("") PIECE4 CELLS("0 1 2 4", "4", "10") CLOSE, ":9: cell 0 refers to point 4; there are 4 points"),
    BAD(OPEN("") PIECE4 CELLS("0 1 2 3", "5", "10") CLOSE, ":10: offset 0 is 5; 0 to 4 are allowed"),
    BAD(OPEN("") PIECE4 CELLS("0 1 2 3 0", "4", "10") CLOSE,
        ":10: the last offset is 4, but the connectivity has 5 values"),
    BAD(OPEN("") PIECE4 CELLS("0 1 2 3", "3 4", "10 1") CLOSE, ":10: 2 offsets for 1 cells"),
    BAD(OPEN("") PIECE4 CELLS("0 1 2 3", "4", "10 10") CLOSE, ":11: 2 types for 1 cells"),
    BAD(OPEN("") PIECE4 CELLS("0 1 2 3", "4", "-10") CLOSE, ":11: cell 0 has the type -10"),
    BAD(OPEN("") PIECE4 CELLS("0 1 2 3", "4", "14") CLOSE, ":9: cell 0 is of VTK's type 14 (pyramid)"),
    BAD(OPEN("") PIECE4 CELLS("0 1 2.5 3", "4", "10") CLOSE,
        ":9: found '2.5' where a point's number, an integer, is needed"),
    BAD(OPEN("") PIECE4 "<Cells>" INTS("types", "1") INTS("types", "1"),
        ":9: a second array of this name in this section"),
    BAD(OPEN("") PIECE(1, 1) "<Points><DataArray type=\"Float16\">",
        ":4: a DataArray of type 'Float16'; allowed are Int8, "),
    BAD(OPEN("") PIECE(1, 1) "<Points><DataArray type=\"Int8\" NumberOfComponents=\"2\">",
        ":4: points with NumberOfComponents"),
    BAD(OPEN("") PIECE(1, 1) "<Points><DataArray type=\"Int8\" format=\"hex\">",
        ":4: format is 'hex'; ascii, binary and "),
    BAD(OPEN("") PIECE(1, 1) "<Points><DataArray type=\"Int8\" format=\"appended\">", "with the offset missing"),
    BAD(OPEN("") PIECE(3, 1) BYTE_POINTS("binary\"", "CQAAAAAAAAEAAAAB") ONE CLOSE,
        ":4: this array: its base64 text is broken or ends too early"),
    BAD(OPEN("") PIECE(3, 1) BYTE_POINTS("binary\"", "CQAAAA*AAAEAAAABAA==") ONE CLOSE,
        ":4: this array: its base64 text"),
    BAD(OPEN("") PIECE(3, 1) BYTE_POINTS("binary\"", "/////wAAAAEAAAABAA==") ONE CLOSE,
        ":4: this array: its base64 text"),
    BAD(OPEN("") PIECE(3, 1) BYTE_POINTS("binary\"", "CAAAAAAAAAEAAAABAA==") ONE CLOSE,
        ":4: 8 coordinates for NumberOfPoints 3"),
    BAD(OPEN("compressor=\"vtkLZ4DataCompressor\"") PIECE(3, 1) BYTE_POINTS("binary\"", "CQAAAAAAAAEAAAABAA==")
            ONE CLOSE,
        ":4: this array: it is compressed by vtkLZ4DataCompressor, which is not read here"),
    BAD(APPENDED("0") "</VTKFile>", ":4: this array: its values should be in <AppendedData>, which the file lacks"),
    BAD(APPENDED("99") "<AppendedData encoding=\"raw\">_\1\0\0\0</AppendedData></VTKFile>",
        "its offset is 99, but "
        "<AppendedData> has 4 bytes"),
    BAD(APPENDED("0") "<AppendedData encoding=\"raw\">_\x09\0\0\0\0\0\0</AppendedData></VTKFile>",
        ":4: this array: <AppendedData> ends before the array does"),
    BAD(APPENDED("0") "<AppendedData encoding=\"raw\">_\x09\0\0\0\0\0\0\1\0\0\0\1\0",
        ":11: the file ends within <AppendedData>, "
        "which begins here: </VTKFile> is missing; is it cut off?"),
    BAD(APPENDED("0") "<AppendedData encoding=\"hex\">_",
        "encoding of <AppendedData> is 'hex'; raw and base64 are allowed"),
    BAD(APPENDED("0") "<AppendedData encoding=\"raw\">CQ</AppendedData></VTKFile>",
        "<AppendedData> does not begin with '_'"),
    BAD("\xff\xfe<\0V\0", "the file is UTF-16 text; save it as UTF-8"),
    BAD("<?xml version=\"1.0\" encoding=\"windows-1252\"?>\n" SMALL,
        ":1: the XML is in an encoding that is not read here"),
    BAD(PD "<Piece NumberOfPoints=\"4\" NumberOfPolys=\"1\">" CORNERS "</Piece></PolyData></VTKFile>",
        ":1: <Piece> has no array named 'connectivity' in <Polys>"),
    BAD(PD "<Piece NumberOfPoints=\"4\">" CORNERS "</Piece></PolyData></VTKFile>", "4 points, but no tetrahedra"),
};

/* A build without expat says so. */
static int has_xml(void)
{
    vvMesh mesh;
    vvError error;
    if (!read_bytes(SMALL, sizeof SMALL - 1, ".vtu", &mesh, NULL, &error)) {
        vvMeshDestroy(&mesh);
        return 1;
    }
    if (!strstr(error.message, "lacks the library expat"))
        fail_msg("%s", error.message);
    print_message("skipped: this build lacks expat\n");
    return 0;
}

static void xml_files(void **state)
{
    (void)state;
    if (!has_xml())
        skip();
    for (size_t i = 0; i < sizeof xml / sizeof *xml; i++)
        check_verdict(&xml[i], ".vtu");
}

static void deep_xml(void **state)
{
    (void)state;
    if (!has_xml())
        skip();
    enum { DEEP = 20000 };
    static char text[3 * DEEP + 100];
    size_t size = (size_t)snprintf(text, sizeof text, "<VTKFile type=\"PolyData\">");
    for (int i = 0; i < DEEP; i++, size += 3)
        memcpy(text + size, "<a>", 3);
    vvMesh mesh;
    vvError error;
    assert_int_equal(read_bytes(text, size, ".vtp", &mesh, NULL, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, ":1: elements within elements, 65 deep; VTK's files need 6"));
}

/* Every cut of a file is refused; one of text may lack the end of its last line. */
static void every_cut(void **state)
{
    (void)state;
    static const char legacy_file[] = GRID FOUR TET;
    static const char raw[] =
        APPENDED("0") "<AppendedData encoding=\"raw\">_\x09\0\0\0\0\0\0\1\0\0\0\1\0\n</AppendedData></VTKFile>";
    vvMesh mesh;
    for (size_t cut = 0; cut < sizeof legacy_file - 2; cut++)
        assert_int_equal(read_bytes(legacy_file, cut, ".vtk", &mesh, NULL, NULL), VV_ERROR_INPUT);
    for (size_t cut = 0; has_xml() && cut < sizeof raw - 2; cut++)
        assert_int_equal(read_bytes(raw, cut, ".vtu", &mesh, NULL, NULL), VV_ERROR_INPUT);
}

/* ---- real meshes ------------------------------------------------------------------------------------------------- */

/* A mesh in VTK's XML, as text. */
static char *as_xml(const vvMesh *m, size_t *size)
{
    char *text = malloc((size_t)m->vertexCount * 80 + (size_t)m->tetCount * 60 + 2000), *p = text;
    p += sprintf(p,
                 OPEN("") "<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n<Points><DataArray type=\"Float64\">\n",
                 m->vertexCount, m->tetCount);
    for (int i = 0; i < 3 * m->vertexCount; i++)
        p += sprintf(p, "%.17g\n", m->positions[i]);
    p += sprintf(p, "</DataArray></Points><Cells><DataArray type=\"Int64\" Name=\"connectivity\">\n");
    for (int i = 0; i < 4 * m->tetCount; i++)
        p += sprintf(p, "%d ", m->tets[i]);
    p += sprintf(p, "</DataArray><DataArray type=\"Int64\" Name=\"offsets\">\n");
    for (int i = 0; i < m->tetCount; i++)
        p += sprintf(p, "%d ", 4 * i + 4);
    p += sprintf(p, "</DataArray><DataArray type=\"UInt8\" Name=\"types\">\n");
    for (int i = 0; i < m->tetCount; i++)
        p += sprintf(p, "10 ");
    p += sprintf(p, "</DataArray></Cells>" CLOSE);
    *size = (size_t)(p - text);
    return text;
}

static void as_from_gmsh(void **state)
{
    (void)state;
    if (!have_meshes())
        skip();
    vvMesh want, back;
    vvError error;
    assert_int_equal(vvMeshRead(mesh_file("koala_1k", "msh"), &want, NULL, NULL), VV_OK);
    for (int kind = 0; kind < 3; kind++) {
        size_t size;
        const char *path = scratch_file(".vtk");
        vvStatus status;
        if (kind < 2) {
            assert_int_equal(vvMeshWrite(&want, path, kind ? "vtk-binary" : "vtk", NULL), VV_OK);
            status = vvMeshRead(path, &back, NULL, &error);
            remove(path);
        } else {
            if (!has_xml())
                continue;
            char *text = as_xml(&want, &size);
            status = read_bytes(text, size, ".vtu", &back, NULL, &error);
            free(text);
        }
        if (status)
            fail_msg("%s", error.message);
        assert_same_mesh(&want, &back);
        vvMeshDestroy(&back);
    }
    vvMeshDestroy(&want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(legacy_files), cmocka_unit_test(xml_files),    cmocka_unit_test(deep_xml),
        cmocka_unit_test(every_cut),    cmocka_unit_test(as_from_gmsh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

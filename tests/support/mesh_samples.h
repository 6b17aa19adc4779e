/* Small files of formats and dialects that visviva reads and does not write, for tests that change or starve them. */
#ifndef MESH_SAMPLES_H
#define MESH_SAMPLES_H

#include <stddef.h>

typedef struct mesh_sample {
    const char *ending, *text;
    size_t size;
} mesh_sample;
/* clang-format off */
#define SAMPLE(ending, text) { ending, text, sizeof(text) - 1 }
/* clang-format on */

#define VTU_OPEN(more)                                                                              \
    "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\"" more ">\n<UnstructuredGrid>\n" \
    "<Piece NumberOfPoints=\"4\" NumberOfCells=\"2\">\n"
#define VTU_ARRAY(type, more, text) "<DataArray type=\"" type "\" " more ">" text "</DataArray>\n"
#define VTU_CLOSE "</Piece>\n</UnstructuredGrid>\n"

/* clang-format off */
static const mesh_sample mesh_samples[] = {
    SAMPLE(".vtk", "# vtk DataFile Version 5.1\nvtk output\nASCII\nDATASET UNSTRUCTURED_GRID\n"
           "FIELD FieldData 1\nt 1 1 double\n"
           "0.5\nPOINTS 4 float\n0 0 0 1 0 0 0 1 0\n0 0 1\nMETADATA\nINFORMATION 0\n\nCELLS 3 7\n"
           "OFFSETS vtktypeint64\n0 4 7\n"
           "CONNECTIVITY vtktypeint64\n0 1 2 3 0 1 2\nCELL_TYPES 2\n10\n5\n"),
    SAMPLE(".vtk", "# vtk DataFile Version 4.2\nvtk output\nBINARY\nDATASET POLYDATA\nFIELD FieldData 1\n"
           "s 1 1 string\n\xc3" "abc\n"
           "POINTS 4 unsigned_char\n\0\0\0\1\0\0\1\1\0\0\1\0\nPOLYGONS 1 5\n"
           "\0\0\0\4\0\0\0\0\0\0\0\1\0\0\0\2\0\0\0\3\n"
           "LINES 2 2\nOFFSETS unsigned_char\n\0\2\nCONNECTIVITY unsigned_char\n\1\3\n"),
    SAMPLE(".vtu", "<?xml version=\"1.0\"?>\n" VTU_OPEN("") "<Points>\n"
           VTU_ARRAY("Float64", "NumberOfComponents=\"3\" format=\"ascii\"", "0 0 0 1 0 0\n"
           "0 1 0 0 0 1") "</Points>\n<Cells>\n"
           VTU_ARRAY("Int64", "Name=\"connectivity\"", "0 1 2 3 0 <!-- c --> 1 2") VTU_ARRAY("Int64",
           "Name=\"offsets\"", "4 7")
           VTU_ARRAY("UInt8", "Name=\"types\"", "10 5") "</Cells>\n" VTU_CLOSE "</VTKFile>\n"),
    SAMPLE(".vtu", VTU_OPEN(" compressor=\"vtkZLibDataCompressor\"") "<Points>\n"
           VTU_ARRAY("Float32", "NumberOfComponents=\"3\" format=\"binary\"",
           "AgAAACAAAAAQAAAAEAAAAA0AAAA=eNpjYEAGDfYMaHwADo4Bf3jaY2BABg32AAFPAMA=")
           "</Points>\n<Cells>\n" VTU_ARRAY("Int32", "Name=\"connectivity\" format=\"binary\"",
           "AQAAAACAAAAcAAAAFgAAAA==eNpjYGBgYARiJiBmZoAAGB8AAJwACg==")
           VTU_ARRAY("Int32", "Name=\"offsets\" format=\"binary\"", "AQAAAACAAAAIAAAADgAAAA==eNpjYWBgYAdiAABEAAw=")
           VTU_ARRAY("UInt8", "Name=\"types\" format=\"binary\"", "AQAAAACAAAACAAAACgAAAA==eNrjYgUAABsAEA==")
           "</Cells>\n" VTU_CLOSE
           "</VTKFile>\n"),
    SAMPLE(".vtu", VTU_OPEN(" header_type=\"UInt64\"") "<Points>\n"
           VTU_ARRAY("UInt8", "NumberOfComponents=\"3\" format=\"appended\" offset=\"0\"", "") "</Points>\n<Cells>\n"
           VTU_ARRAY("Int16", "Name=\"connectivity\" format=\"appended\" offset=\"20\"", "")
           VTU_ARRAY("Int8", "Name=\"offsets\" format=\"appended\" offset=\"42\"", "")
           VTU_ARRAY("UInt8", "Name=\"types\" format=\"ascii\"", "10 5") "</Cells>\n" VTU_CLOSE
           "<AppendedData encoding=\"raw\">\n"
           "_\x0c\0\0\0\0\0\0\0\0\0\0\1\0\0\0\1\0\0\0\1\x0e\0\0\0\0\0\0\0\0\0\1\0\2\0\3\0\0\0\1\0"
           "\2\0\2\0\0\0\0\0\0\0\4\7\n</AppendedData>\n</VTKFile>\n"),
    SAMPLE(".vtp", "<VTKFile type=\"PolyData\">\n"
           "<PolyData><Piece NumberOfPoints=\"4\" NumberOfPolys=\"1\" NumberOfLines=\"1\">\n"
           "<Points>\n" VTU_ARRAY("Float64", "", "0 0 0 1 0 0 1 1 0 0 1 0") "</Points>\n<Polys>\n"
           VTU_ARRAY("Int64", "Name=\"connectivity\"", "0 1 2 3") VTU_ARRAY("Int64", "Name=\"offsets\"", "4")
           "</Polys>\n<Lines>\n"
           VTU_ARRAY("Int64", "Name=\"connectivity\"", "0 2") VTU_ARRAY("Int64", "Name=\"offsets\"", "2")
           "</Lines></Piece></PolyData></VTKFile>\n"),
    SAMPLE(".inp", "** c\n*Heading\n a, b\n*NODE, NSET=All\n1, 0, 0, 0\n 2, 1., , 0\n5, 0, 1.0D0, 0\n9, 0, 0, 1\n"
           "11, 1, 1, 1\n"
           "*ELEMENT, TYPE=C3D4, ELSET=E\n7, 1, 2, 5, 9\n8, 2, 5,\n9, 11\n*ELEMENT, TYPE=S3R,\n ELSET=\"S 1\"\n"
           "3, 1, 5, 2\n*NSET, NSET=top, GENERATE\n5, 11, 2\n*nset, nset=more\n1, top, 9\n*ELSET, ELSET=all\nE, S 1\n"
           "*STEP\n*NODE PRINT, NSET=top\nU\n*END STEP\n"),
    SAMPLE(".inp", "*Part, name=a\n*Node\n1, 0, 0, 0\n2, 2, 0, 0\n3, 0, 2, 0\n4, 0, 0, 2\n5, 1, 0, 0\n6, 1, 1, 0\n"
           "7, 0, 1, 0\n8, 0, 0, 1\n9, 1, 0, 1\n10, 0, 1, 1\n*Element, type=C3D10M\n1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10\n"
           "*End Part\n*Assembly, name=b\n*Instance, name=c, part=a\n*End Instance\n*Node\n1, 9, 9, 9\n"
           "*Nset, nset=d, instance=c\n1, 5, 2\n*End Assembly\n*Material, name=e\n*Elastic\n1, 0.3\n"),
    SAMPLE(".mesh", "MeshVersionFormatted 2\nDimension 3\nVertices\n10\n0 0 0 0\n2 0 0 0\n0 2 0 0\n0 0 2 0\n1 0 0 0\n"
           "1 1 0 0\n0 1 0 0\n0 0 1 0\n1 0 1 0\n0 1 1 0\nTetrahedraP2\n1\n1 2 3 4 5 6 7 8 10 9 0\nEnd\n"),
    SAMPLE(".ply", "ply\nformat ascii 1.0\ncomment c\nelement skipped 1\nproperty list int float s\n"
           "element vertex 4\n"
           "property uchar red\nproperty float x\nproperty float y\nproperty float z\nelement face 1\n"
           "property list uchar int vertex_index\nproperty int flags\nelement edge 1\nproperty int vertex1\n"
           "property int vertex2\nelement tristrips 1\nproperty list int int vertex_indices\nend_header\n"
           "2 1 nan\n1 0 0 0\n"
           "2 1 0 0\n3 1 1 0\n4 0 1 0\n3 0 1 2 7\n0 3\n5 0 2 3 -1 0\n"),
    SAMPLE(".ply", "ply\nformat binary_big_endian 1.0\nelement vertex 4\nproperty char x\nproperty short y\n"
           "property uint z\n"
           "element tet 1\nproperty list uchar ushort vertex_indices\nend_header\n"
           "\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0"
           "\1\4\0\0\0\1\0\2\0\3"),
};
/* clang-format on */
enum { MESH_SAMPLES = sizeof mesh_samples / sizeof *mesh_samples };

#endif

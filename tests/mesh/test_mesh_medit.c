/* MEDIT files, .mesh and .meshb: what programs write, what is odd, what is broken. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "mesh/mesh.h"
#include "mesh_cases.h"

#define HEAD "MeshVersionFormatted 2\nDimension 3\n"
#define FOUR "Vertices\n4\n0 0 0 1\n1 0 0 1\n0 1 0 1\n0 0 1 1\n"
#define TET "Tetrahedra\n1\n1 2 3 4 7\n"

static const mesh_case cases[] = {
    { "the usual", ".mesh", HEAD FOUR TET "End\n", 4, 1, 4, 0, NULL },
    { "by content, whatever the ending", ".txt", HEAD FOUR TET "End\n", 4, 1, 4, 0, NULL },
    { "Windows line ends and a byte order mark", ".mesh",
      "\xef\xbb\xbfMeshVersionFormatted 1\r\nDimension 3\r\nVertices\r\n3\r\n0 0 0 0\r\n1 0 0 0\r\n0 1 0 0\r\n"
      "Triangles\r\n1\r\n1 2 3 0\r\nEnd\r\n",
      3, 0, 1, 0, NULL },
    { "line ends of old Macintoshes", ".mesh",
      "MeshVersionFormatted 2\rDimension 3\r# comment\rVertices\r3\r0 0 0 1\r1 0 0 1\r0 1 0 1\rTriangles\r1\r"
      "1 2 3 0\rEnd\r",
      3, 0, 1, 0, NULL },
    { "values on lines of their own", ".mesh",
      " MeshVersionFormatted\n 3\n\n Dimension\n 3\n Vertices\n   4\n0 0 0 1\n1 0 0 1\n0 1 0 1\n0 0 1 1\n" TET " End",
      4, 1, 4, 0, NULL },
    { "counts beside the keywords", ".mesh",
      HEAD "Vertices 4\n0 0 0 1\n1 0 0 1\n0 1 0 1\n0 0 1 1\nTetrahedra 1\n1 2 3 4 7\nEnd\n", 4, 1, 4, 0, NULL },
    { "elements before vertices", ".mesh", HEAD TET FOUR "End\n", 4, 1, 4, 0, NULL },
    { "comments", ".mesh",
      "# made by hand\nMeshVersionFormatted 2 # version\nDimension 3# solid\n# Set of mesh vertices\n" FOUR "#\n" TET
      "# done\nEnd # really\n# over\n",
      4, 1, 4, 0, NULL },
    { "a comment behind an entry", ".mesh",
      HEAD "Vertices\n3\n0 0 0 1 # a\n1 0 0 1# b\n0 1 0 1\nTriangles\n1\n1 2 3 0#c\nEnd", 3, 0, 1, 0, NULL },
    { "entries side by side", ".mesh", HEAD "Vertices 4\n0 0 0 1 1 0 0 1\n0 1 0 1 0 0 1 1\nTetrahedra 1 1 2 3 4 7 End",
      4, 1, 4, 0, NULL },
    { "an entry over several whole lines", ".mesh",
      HEAD "Vertices\n4\n0 0\n0 1\n1\n0\n0\n1\n0 1 0 1\n0 0 1 1\nTetrahedra\n1\n1 2 3 4\n7\nEnd\n", 4, 1, 4, 0, NULL },
    { "no End", ".mesh", HEAD FOUR TET, 4, 1, 4, 0, NULL },
    { "no End and no last line end", ".mesh", HEAD FOUR "Tetrahedra\n1\n1 2 3 4 7", 4, 1, 4, 0, NULL },
    { "capitals", ".mesh",
      "MESHVERSIONFORMATTED 1\nDIMENSION 3\nVERTICES\n3\n0 0 0 0\n1 0 0 0\n0 1 0 0\nTRIANGLES\n1\n1 2 3 0\nEND\n", 3, 0,
      1, 0, NULL },
    { "Fortran's exponents", ".mesh",
      HEAD "Vertices\n3\n0.0D+00 0.0d0 0.0 1\n1.0D+00 0 0 1\n0 1.0D0 0 1\nTriangles\n1\n1 2 3 1\nEnd\n", 3, 0, 1, 0,
      NULL },
    { "references of any kind", ".mesh",
      HEAD "Vertices\n3\n0 0 0 -1\n1 0 0 99999999999\n0 1 0 1.0\nTriangles\n1\n1 2 3 -7\nEnd\n", 3, 0, 1, 0, NULL },
    { "sections of a remesher", ".mesh",
      HEAD FOUR
      "Corners\n4\n1\n2\n3\n4\nRidges\n2\n1\n2\nRequiredVertices\n2\n1 2\nEdges\n1\n1 2 1\nTriangles\n1\n1 3 2 1\n"
      "RequiredTriangles\n1\n1\n" TET "Normals\n1\n0 0 1\nNormalAtVertices\n1\n1 1\nTangents\n1\nnan -inf 1e-3\n"
      "TangentAtVertices\n1\n1 1\nRequiredTetrahedra\n0\nParallelTriangleCommunicators\n1\n1 1\nEnd\n",
      4, 1, 4, 1, NULL },
    { "an unknown keyword", ".mesh", HEAD FOUR TET "Springs\n1\n1 2 0.5\nEnd\n", 0, 0, 0, 0,
      ":12: found 'Springs' where a MEDIT keyword such as Tetrahedra or End is needed" },
    { "no entries of other kinds", ".mesh",
      HEAD FOUR "Edges\n0\nTriangles\n0\nQuadrilaterals\n0\n" TET "Hexahedra\n0\nPrisms 0\nPyramids 0\nEnd\n", 4, 1, 4,
      0, NULL },
    { "texts of bamg", ".mesh",
      "MeshVersionFormatted 0\nDimension\n3\nIdentifier\n\"G=a.mesh;1, Date: End of 21/04/02\"\nGeometry "
      "\"a.mesh\"\n" FOUR TET "SubDomainFromMesh\n1\n3 1 1 1\nVertexOnGeometricEdge\n1\n 5 1 0.5\nhVertices\n2 2 2 2\n"
      "MaximalAngleOfCorner 0.5\nEnd\n",
      4, 1, 4, 0, NULL },
    { "texts of libMeshb", ".mesh",
      HEAD "Comments\n2\nVertices here\nEnd there\n" FOUR "ReferenceStrings\n1\n8 7 jelly End\n" TET
           "SolAtVertices\n4\n1 1\n0.5\n0.5\n0.5\n0.5\nTetrahedraP2Ordering\n1\n1 2 3 4\nEnd\n",
      4, 1, 4, 0, NULL },
    { "second order, by the corners", ".mesh", HEAD FOUR "TetrahedraP2\n1\n1 2 3 4 5 6 7 8 9 10 0\nEnd\n", 4, 1, 4, 0,
      NULL },
    { "edges only", ".mesh", HEAD FOUR "Edges\n3\n1 2 0\n2 3 0\n3 4 0\nEnd\n", 4, 0, 0, 3, NULL },
    { "a vertex that nothing uses", ".mesh",
      HEAD "Vertices\n5\n0 0 0 1\n1 0 0 1\n0 1 0 1\n0 0 1 1\n9 9 9 0\n" TET "End\n", 4, 1, 4, 0, NULL },
    { "something else", ".mesh", "MFEM mesh v1.0\n\ndimension\n3\n", 0, 0, 0, 0,
      "the file is a mesh of MFEM, which is not read" },
    { "another word", ".mesh", "Dimension 3\n", 0, 0, 0, 0, ":1: found 'Dimension' where 'MeshVersionFormatted' is" },
    { "nothing but a comment", ".mesh", "# nothing\n", 0, 0, 0, 0, "where 'MeshVersionFormatted' is needed" },
    { "an unknown version", ".mesh", "MeshVersionFormatted 9\nDimension 3\n", 0, 0, 0, 0,
      ":1: MEDIT format version 9 is not known" },
    { "no version", ".mesh", "MeshVersionFormatted\nDimension 3\n", 0, 0, 0, 0,
      ":2: found 'Dimension' where the format version, an integer, is needed" },
    { "flat", ".mesh", "MeshVersionFormatted 2\nDimension 2\nVertices 3\n0 0 1\n1 0 1\n0 1 1\n", 0, 0, 0, 0,
      ":2: Dimension 2: flat meshes" },
    { "four dimensions", ".mesh", "MeshVersionFormatted 2\nDimension 4\n", 0, 0, 0, 0, ":2: Dimension 4; 3 is needed" },
    { "no dimension", ".mesh", "MeshVersionFormatted 2\n" FOUR TET, 0, 0, 0, 0,
      ":3: 'Vertices' comes before 'Dimension 3'" },
    { "two dimensions", ".mesh", HEAD "Dimension 3\n", 0, 0, 0, 0, ":3: a second 'Dimension'" },
    { "vertices twice", ".mesh", HEAD FOUR "Vertices\n0\n", 0, 0, 0, 0, ":10: a second section 'Vertices'" },
    { "no vertices", ".mesh", HEAD TET "End\n", 0, 0, 0, 0, "the file ends without 'Vertices'" },
    { "0 vertices", ".mesh", HEAD "Vertices\n0\nEnd\n", 0, 0, 0, 0, "the mesh has no vertices" },
    { "no elements", ".mesh", HEAD FOUR "End\n", 0, 0, 0, 0, "4 vertices but no tets, triangles, edges or points" },
    { "a solution", ".sol", HEAD "SolAtVertices\n2\n1 1\n0.5\n0.5\nEnd\n", 0, 0, 0, 0, "without 'Vertices'" },
    { "quadrilaterals", ".mesh", HEAD FOUR "Quadrilaterals\n1\n1 2 3 4 0\nEnd\n", 0, 0, 0, 0,
      ":10: 'Quadrilaterals' (elements with 4 vertices) are not read" },
    { "hexahedra", ".mesh", HEAD FOUR TET "Hexahedra 1\n1 2 3 4 1 2 3 4 0\n", 0, 0, 0, 0, ":12: 'Hexahedra'" },
    { "prisms by their old name", ".mesh", HEAD FOUR TET "Pentahedra 1\n1 2 3 4 1 2 0\n", 0, 0, 0, 0, "'Pentahedra'" },
    { "third order", ".mesh", HEAD FOUR "TetrahedraP3\n1\n1 2 3 4\n", 0, 0, 0, 0,
      ":10: 'TetrahedraP3' (elements with 20 vertices)" },
    { "a misspelt keyword", ".mesh", HEAD FOUR "Tetraedra\n1\n1 2 3 4 0\n", 0, 0, 0, 0,
      ":9: found 'Tetraedra' where a MEDIT keyword such as Tetrahedra or End is needed (did you mean 'Tetrahedra'?)" },
    { "a keyword cut off", ".mesh", HEAD FOUR "Tetrah", 0, 0, 0, 0, ":9: found 'Tetrah'" },
    { "a count that is no number", ".mesh", HEAD "Vertices\nmany\n", 0, 0, 0, 0,
      ":4: found 'many' where the number of 'Vertices', an integer, is needed" },
    { "a count with a fraction", ".mesh", HEAD "Vertices\n4.5\n", 0, 0, 0, 0, "found '4.5'" },
    { "a negative count", ".mesh", HEAD "Vertices\n-4\n", 0, 0, 0, 0, ":4: the number of 'Vertices' is -4" },
    { "a huge count", ".mesh", HEAD "Vertices\n99999999999\n0 0 0 1\n", 0, 0, 0, 0,
      ":4: the number of 'Vertices' is 99999999999, but only" },
    { "more vertices counted than there are", ".mesh",
      HEAD "Vertices\n5\n0 0 0 1\n1 0 0 1\n0 1 0 1\n0 0 1 1\n" TET "End\n", 0, 0, 0, 0,
      ":9: found 'Tetrahedra' where an x coordinate is needed, in entry 5 of the 5 of 'Vertices'" },
    { "fewer vertices counted than there are", ".mesh",
      HEAD "Vertices\n3\n0 0 0 1\n1 0 0 1\n0 1 0 1\n0 0 1 1\n" TET "End\n", 0, 0, 0, 0,
      ":8: found '0' after the last entry of 'Vertices'" },
    { "fewer tets counted than there are", ".mesh", HEAD FOUR "Tetrahedra\n0\n1 2 3 4 7\nEnd\n", 0, 0, 0, 0,
      ":11: found '1' after the last entry of 'Tetrahedra'" },
    { "cut within the tets", ".mesh", HEAD FOUR "Tetrahedra\n2\n100 200 300 400 7\n1 2", 0, 0, 0, 0,
      ":12: the file ends where a vertex number is needed, in entry 2 of the 2 of 'Tetrahedra'" },
    { "cut long before the end", ".mesh", HEAD FOUR "Tetrahedra\n200\n1 2 3 4 7\n1 2", 0, 0, 0, 0,
      ":10: the number of 'Tetrahedra' is 200, but only 14 bytes of the file are left" },
    { "cut within the corners", ".mesh", HEAD FOUR TET "Corners\n4\n1\n2\n", 0, 0, 0, 0,
      "'Corners' counts 4 entries of 1 numbers; 2 numbers follow" },
    { "vertices without references", ".mesh", HEAD "Vertices\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n" TET "End\n", 0, 0, 0, 0,
      ":5: entry 1 of 'Vertices' begins on this line and ends in the middle of line 6" },
    { "a line short and a line long", ".mesh", HEAD "Vertices\n4\n0 0 0 1\n1 0 0\n0 1 0 1 1\n0 0 1 1\n" TET "End\n", 0,
      0, 0, 0, ":6: entry 2 of 'Vertices' begins on this line and ends in the middle of line 7" },
    { "a tet without reference", ".mesh", HEAD FOUR "Tetrahedra\n1\n1 2 3 4\nEnd\n", 0, 0, 0, 0,
      ":12: found 'End' where a reference number (the last of each line) is needed" },
    { "a vertex number too large", ".mesh", HEAD FOUR "Tetrahedra\n1\n1 2 3 5 0\nEnd\n", 0, 0, 0, 0,
      ":11: vertex number 5 in 'Tetrahedra'; the file has 4 vertices" },
    { "a vertex number too large, before the vertices", ".mesh", HEAD "Triangles\n1\n1 2 5 0\n" FOUR "End\n", 0, 0, 0,
      0, ":5: vertex number 5 in 'Triangles'; the file has 4 vertices" },
    { "numbered from 0", ".mesh", HEAD FOUR "Tetrahedra\n1\n0 1 2 3 0\nEnd\n", 0, 0, 0, 0,
      ":11: vertex number 0 in 'Tetrahedra'; vertices are numbered from 1" },
    { "a vertex number beyond 32 bits", ".mesh", HEAD FOUR "Tetrahedra\n1\n1 2 3 4294967300 0\nEnd\n", 0, 0, 0, 0,
      ":11: vertex number 4294967300" },
    { "nan as Microsoft writes it", ".mesh", HEAD "Vertices\n1\n0 -1.#IND 0 1\n", 0, 0, 0, 0,
      ":5: found '-1.#IND' where a y coordinate is needed" },
    { "nan", ".mesh", HEAD "Vertices\n1\n0 nan 0 1\n", 0, 0, 0, 0,
      ":5: found 'nan' where a y coordinate is needed, in entry 1 of the 1 of 'Vertices'" },
    { "far away", ".mesh", HEAD "Vertices\n3\n0 0 0 1\n1 0 0 1\n0 1e31 0 1\nTriangles\n1\n1 2 3 0\nEnd\n", 0, 0, 0, 0,
      ":7: vertex 2 has y = 1e+31" },
    { "decimal commas", ".mesh", HEAD "Vertices\n1\n0,5 0 0 1\n", 0, 0, 0, 0, "found '0,5'" },
    { "something behind End", ".mesh", HEAD FOUR TET "End\nMeshVersionFormatted 2\n", 0, 0, 0, 0,
      ":13: found 'MeshVersionFormatted' after 'End'" },
    { "a flat tet", ".mesh", HEAD "Vertices\n4\n0 0 0 1\n1 0 0 1\n0 1 0 1\n1 1 0 1\n" TET "End\n", 0, 0, 0, 0,
      ":11: tet 0 has no volume" },
    { "a tet twice", ".mesh", HEAD FOUR "Tetrahedra\n2\n1 2 3 4 0\n4 3 2 1 0\nEnd\n", 0, 0, 0, 0,
      ":12: tet 1 has the same four vertices as tet 0" },
};

static void each_file_has_its_verdict(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i]);
}

/* ---- binary ------------------------------------------------------------------------------------------------------ */

static void put_integer(bytes *b, int64_t v, int wide, int big)
{
    if (wide)
        put_size(b, v, big);
    else
        put_int(b, (int32_t)v, big);
}

/* Code and next byte of a section whose count and entries take `size` bytes. */
static void put_head(bytes *b, int code, size_t size, int version, int big)
{
    put_int(b, code, big);
    put_integer(b, (int64_t)(b->size + (version >= 3 ? 8 : 4) + size), version >= 3, big);
}

/* One tet, a vertex that nothing uses, corners and a code of later years, in each version. */
static bytes binary(int version, int big)
{
    static const double x[5][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 9, 9, 9 } };
    int wide = version == 4;
    size_t integer = wide ? 8 : 4, real = version == 1 ? 4 : 8;
    bytes b = { .size = 0 };
    put_int(&b, 1, big);
    put_int(&b, version, big);
    put_head(&b, 3, 4, version, big);
    put_int(&b, 3, big);
    put_head(&b, 4, integer + 5 * (3 * real + integer), version, big);
    put_integer(&b, 5, wide, big);
    for (int v = 0; v < 5; v++) {
        for (int k = 0; k < 3; k++)
            if (version == 1)
                put_float(&b, (float)x[v][k], big);
            else
                put_double(&b, x[v][k], big);
        put_integer(&b, -v, wide, big);
    }
    put_head(&b, 13, integer + 2 * integer, version, big);
    for (int i = 0; i < 3; i++)
        put_integer(&b, 2, wide, big);
    put_head(&b, 250, 12, version, big);
    for (int i = 0; i < 3; i++)
        put_int(&b, 77, big);
    put_head(&b, 8, 6 * integer, version, big);
    for (int i = 0; i < 6; i++)
        put_integer(&b, i ? i : 1, wide, big);
    put_int(&b, 54, big);
    put_integer(&b, 0, version >= 3, big);
    return b;
}

static void every_version_and_byte_order(void **state)
{
    (void)state;
    for (int version = 1; version <= 4; version++)
        for (int big = 0; big < 2; big++) {
            bytes b = binary(version, big);
            vvMesh m;
            vvMeshNotes notes;
            vvError error;
            if (read_bytes(b.data, b.size, ".meshb", &m, &notes, &error))
                fail_msg("version %d: %s", version, error.message);
            assert_int_equal(m.vertexCount, 4);
            assert_int_equal(notes.unusedVertices, 1);
            assert_memory_equal(m.tets, ((int[]){ 0, 1, 2, 3 }), 4 * sizeof(int));
            assert_true(m.positions[3] == 1 && m.positions[11] == 1);
            vvMeshDestroy(&m);
            assert_int_equal(read_bytes(b.data, b.size, ".dat", &m, NULL, &error), VV_OK); /* by content */
            vvMeshDestroy(&m);
            for (size_t cut = 0; cut < b.size; cut++) {
                assert_int_not_equal(read_bytes(b.data, cut, ".meshb", &m, NULL, &error), VV_OK);
                assert_null(m.positions);
            }
        }
}

/* Changes one 4-byte integer of the file in version 2, at `offset`. */
static void refuse_change(size_t offset, int32_t value, const char *message)
{
    bytes b = binary(2, 0);
    size_t size = b.size;
    mesh_case c = { .about = message, .message = message };
    vvMesh mesh;
    vvError error = { 0 };
    b.size = offset;
    put_int(&b, value, 0);
    vvStatus status = read_bytes(b.data, size, ".meshb", &mesh, NULL, &error);
    assert_verdict(&c, status, &mesh, &error);
}

/* Offsets: head 8, dimension 8 .. 19, vertices 20 .. 171 (count 28, entries 32), corners 172 .. 191,
    the unknown section
 * 192 .. 211, tets 212 .. 243 (count 220, entry 224), end 244 .. 251. */
static void broken_binaries(void **state)
{
    (void)state;
    refuse_change(0, 7, "byte 0: found 7 where the integer 1 shows the byte order");
    refuse_change(4, 9, "byte 8: MEDIT format version 9");
    refuse_change(4, 0, "byte 8: MEDIT format version");
    refuse_change(16, 2, "Dimension 2");
    refuse_change(8, 4, "'Vertices' comes before 'Dimension 3'");
    refuse_change(12, 4, "byte 8: the section here (code 3) has the next begin at byte 4;");
    refuse_change(12, 100000, "the file has 252 bytes");
    refuse_change(28, 4, "4 entries of 'Vertices' end at byte 144, but the next section begins at byte 172");
    refuse_change(28, 1000000, "byte 32: the number of 'Vertices' is 1000000, but only 220 bytes of the file are left");
    refuse_change(28, -1, "the number of 'Vertices' is -1");
    refuse_change(36, 0x7ff00000, "byte 32: found inf where the x coordinate");
    refuse_change(172, 4, "a second section 'Vertices'");
    refuse_change(192, 999, "found 999 where a keyword's code is needed");
    refuse_change(212, 9, "'Prisms' (elements with 6 vertices) are not read");
    refuse_change(212, 96, "'TetrahedraP3' (elements with 20 vertices) are not read");
    refuse_change(212, 13, "no tets, triangles, edges or points");
    refuse_change(224, 6, "vertex number 6 in 'Tetrahedra'; the file has 5 vertices");
    refuse_change(224, 0, "vertex number 0 in 'Tetrahedra'");
    refuse_change(216, 0, "the file ends without its last section, 'End'");
    bytes b = binary(2, 0);
    vvMesh mesh;
    vvError error;
    put_text(&b, "junk");
    assert_int_equal(read_bytes(b.data, b.size, ".meshb", &mesh, NULL, &error), VV_ERROR_INPUT);
    assert_non_null(strstr(error.message, "byte 252: 4 bytes follow 'End'"));
}

/* ---- other programs ---------------------------------------------------------------------------------------------- */

static void run(const char *command)
{
    if (system(command) != 0)
        fail_msg("'%s' failed", command);
}

/* Gmsh reads what is written here, and what it writes is read; where it is installed. */
static void gmsh_agrees(void **state)
{
    (void)state;
    vvMesh mesh, back;
    vvMeshNotes notes;
    vvError error;
    char path[512], other[600], command[1400];
    if (system("command -v gmsh >/dev/null 2>&1") != 0) {
        print_message("skipped: gmsh is not installed\n");
        skip();
    }
    snprintf(path, sizeof path, "%s", scratch_file(".mesh"));
    snprintf(other, sizeof other, "%s.back.mesh", path);
    snprintf(command, sizeof command, "gmsh -v 1 '%s' -save -o '%s' >/dev/null 2>&1", path, other);
    assert_int_equal(vvMeshGenerate("die", NULL, 0, &mesh, NULL), VV_OK);
    assert_int_equal(vvMeshWrite(&mesh, path, NULL, NULL), VV_OK);
    run(command);
    if (vvMeshRead(other, &back, &notes, &error))
        fail_msg("%s: %s", command, error.message);
    assert_no_repair(&notes);
    assert_int_equal(back.vertexCount, mesh.vertexCount);
    assert_memory_equal(back.tets, mesh.tets, (size_t)mesh.tetCount * 4 * sizeof(int));
    for (int k = 0; k < 3 * mesh.vertexCount; k++)
        assert_true(back.positions[k] - mesh.positions[k] < 1e-12 && mesh.positions[k] - back.positions[k] < 1e-12);
    vvMeshDestroy(&mesh);
    vvMeshDestroy(&back);
    remove(path);
    remove(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_file_has_its_verdict),
        cmocka_unit_test(every_version_and_byte_order),
        cmocka_unit_test(broken_binaries),
        cmocka_unit_test(gmsh_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

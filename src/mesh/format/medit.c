/* MEDIT files: the keywords, and what the text and the binary format share. */
#include "mesh/format/medit.h"

#include "base/text/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_WORD = 48 };

static const vv_medit_keyword keywords[] = {
    { "MeshVersionFormatted", VV_MEDIT_VERSION, 1, 0 },
    { "Dimension", VV_MEDIT_DIMENSION, 3, 0 },
    { "FloatingPointPrecision", VV_MEDIT_PRECISION, 155, 0 },
    { "End", VV_MEDIT_END, 54, 0 },
    { "Vertices", VV_MEDIT_VERTICES, 4, 0 },
    { "Edges", VV_MEDIT_ELEMENTS, 5, 2 },
    { "Triangles", VV_MEDIT_ELEMENTS, 6, 3 },
    { "Tetrahedra", VV_MEDIT_ELEMENTS, 8, 4 },
    { "Quadrilaterals", VV_MEDIT_REFUSED, 7, 4 },
    { "Prisms", VV_MEDIT_REFUSED, 9, 6 },
    { "Pentahedra", VV_MEDIT_REFUSED, 0, 6 },
    { "Hexahedra", VV_MEDIT_REFUSED, 10, 8 },
    { "Pyramids", VV_MEDIT_REFUSED, 49, 5 },
    { "Polygons", VV_MEDIT_REFUSED, 47, 0 },
    { "Polyhedra", VV_MEDIT_REFUSED, 46, 0 },
    { "BoundaryPolygonHeaders", VV_MEDIT_REFUSED, 203, 0 },
    { "InnerPolygonHeaders", VV_MEDIT_REFUSED, 205, 0 },
    { "PolyhedraHeaders", VV_MEDIT_REFUSED, 207, 0 },
    { "EdgesP2", VV_MEDIT_REFUSED, 25, 3 },
    { "EdgesP3", VV_MEDIT_REFUSED, 92, 4 },
    { "EdgesP4", VV_MEDIT_REFUSED, 93, 5 },
    { "TrianglesP2", VV_MEDIT_ELEMENTS, 24, 6 }, /* by its corners, which come first */
    { "TrianglesP3", VV_MEDIT_REFUSED, 90, 10 },
    { "TrianglesP4", VV_MEDIT_REFUSED, 91, 15 },
    { "QuadrilateralsQ2", VV_MEDIT_REFUSED, 27, 9 },
    { "QuadrilateralsQ3", VV_MEDIT_REFUSED, 88, 16 },
    { "QuadrilateralsQ4", VV_MEDIT_REFUSED, 89, 25 },
    { "QuadrilateralsP2", VV_MEDIT_REFUSED, 0, 9 },
    { "Quadrilaterals6", VV_MEDIT_REFUSED, 202, 6 },
    { "TetrahedraP2", VV_MEDIT_ELEMENTS, 30, 10 },
    { "TetrahedraP3", VV_MEDIT_REFUSED, 96, 20 },
    { "TetrahedraP4", VV_MEDIT_REFUSED, 97, 35 },
    { "PyramidsP2", VV_MEDIT_REFUSED, 87, 14 },
    { "PyramidsP3", VV_MEDIT_REFUSED, 100, 30 },
    { "PyramidsP4", VV_MEDIT_REFUSED, 101, 55 },
    { "PrismsP2", VV_MEDIT_REFUSED, 86, 18 },
    { "PrismsP3", VV_MEDIT_REFUSED, 102, 40 },
    { "PrismsP4", VV_MEDIT_REFUSED, 103, 75 },
    { "Prisms9", VV_MEDIT_REFUSED, 200, 9 },
    { "HexahedraQ2", VV_MEDIT_REFUSED, 33, 27 },
    { "HexahedraQ3", VV_MEDIT_REFUSED, 98, 64 },
    { "HexahedraQ4", VV_MEDIT_REFUSED, 99, 125 },
    { "Hexahedra12", VV_MEDIT_REFUSED, 201, 12 },
    { "Corners", VV_MEDIT_SKIPPED, 13, 1 },
    { "Ridges", VV_MEDIT_SKIPPED, 14, 1 },
    { "RequiredVertices", VV_MEDIT_SKIPPED, 15, 1 },
    { "RequiredEdges", VV_MEDIT_SKIPPED, 16, 1 },
    { "RequiredTriangles", VV_MEDIT_SKIPPED, 17, 1 },
    { "Normals", VV_MEDIT_SKIPPED, 60, 3 },
    { "NormalAtVertices", VV_MEDIT_SKIPPED, 20, 2 },
    { "NormalAtTriangleVertices", VV_MEDIT_SKIPPED, 21, 3 },
    { "Tangents", VV_MEDIT_SKIPPED, 59, 3 },
    { "TangentAtVertices", VV_MEDIT_SKIPPED, 61, 2 },
    { "BoundingBox", VV_MEDIT_SKIPPED, 50, 0 },
    { "Iterations", VV_MEDIT_SKIPPED, 77, 0 },
    { "Time", VV_MEDIT_SKIPPED, 78, 0 },
    { "CoarseHexahedra", VV_MEDIT_SKIPPED, 80, 0 },
    { "PrivateTable", VV_MEDIT_SKIPPED, 52, 0 },
    { "BezierBasis", VV_MEDIT_SKIPPED, 125, 0 },
    { "ByteFlow", VV_MEDIT_SKIPPED, 126, 0 },
    { "BoundaryLayers", VV_MEDIT_SKIPPED, 198, 0 },
    { "BoundaryPolygonVertices", VV_MEDIT_SKIPPED, 204, 0 },
    { "InnerPolygonVertices", VV_MEDIT_SKIPPED, 206, 0 },
    { "PolyhedraFaces", VV_MEDIT_SKIPPED, 208, 0 },
    { "Domains", VV_MEDIT_SKIPPED, 209, 0 },
    { "DRefGroups", VV_MEDIT_SKIPPED, 95, 0 },
    { "hVertices", VV_MEDIT_SKIPPED, 0, 0 },
    { "CrackedEdges", VV_MEDIT_SKIPPED, 0, 0 },
    { "EquivalencedEdges", VV_MEDIT_SKIPPED, 0, 0 },
    { "PhysicsReference", VV_MEDIT_SKIPPED, 0, 0 },
    { "OutsideMaxArea", VV_MEDIT_SKIPPED, 0, 0 },
    { "OpeningAngle", VV_MEDIT_SKIPPED, 0, 0 },
    { "Comments", VV_MEDIT_TEXT, 81, 0 },
    { "IRefGroups", VV_MEDIT_TEXT, 94, 0 },
    { "ReferenceStrings", VV_MEDIT_TEXT, 199, 0 },
    { "Identifier", VV_MEDIT_TEXT, 0, 0 },
    { "Geometry", VV_MEDIT_TEXT, 0, 0 },
    { "IncludedFile", VV_MEDIT_TEXT, 0, 0 },
    { "IncludeFile", VV_MEDIT_TEXT, 0, 0 },
};
enum { KEYWORDS = sizeof keywords / sizeof *keywords };

/* Families of keywords to skip; '*' stands for any text. */
static const char *const families[] = {
    "SolAt*",    "ISolAt*",     "DSolAt*",           "HOSolAt*",    "Required*",   "Fault_*",      "ExtraVerticesAt*",
    "VertexOn*", "VerticesOn*", "EdgeOn*",           "EdgesOn*",    "TriangleOn*", "TrianglesOn*", "QuadrilateralsOn*",
    "Periodic*", "Parallel*",   "NormalAt*",         "TangentAt*",  "SubDomain*",  "AngleOf*",     "MaximalAngle*",
    "*Ordering", "*GID",        "*ReferenceElement", "Iterations*", "Times*",
};

static bool fits(const char *family, const char *name)
{
    size_t n = strlen(name), m = strlen(family) - 1;
    if (n < m)
        return false;
    return family[0] == '*' ? vv_has_ending(name, family + 1, m) : vv_same_letters(name, family, m);
}

static bool word_text(vv_word word, char text[LONGEST_WORD])
{
    if (word.length >= LONGEST_WORD)
        return false;
    memcpy(text, word.text, (size_t)word.length);
    text[word.length] = 0;
    return true;
}

vv_medit_keyword vv_medit_by_name(vv_word word)
{
    char text[LONGEST_WORD];
    if (!word_text(word, text))
        return (vv_medit_keyword){ 0 };
    for (int i = 0; i < KEYWORDS; i++)
        if (vv_same_letters(keywords[i].name, text, sizeof text))
            return keywords[i];
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (fits(families[i], text))
            return (vv_medit_keyword){ "a section", VV_MEDIT_SKIPPED, 0, 0 };
    return (vv_medit_keyword){ 0 };
}

vv_medit_keyword vv_medit_by_code(int code)
{
    enum { MOST = 300 }; /* later versions of the format have added some every year */
    for (int i = 0; i < KEYWORDS && code > 0; i++)
        if (keywords[i].code == code)
            return keywords[i];
    return (vv_medit_keyword){ "a section", code > 0 && code <= MOST ? VV_MEDIT_SKIPPED : VV_MEDIT_UNKNOWN, code, 0 };
}

const char *vv_medit_nearest(vv_word word)
{
    char text[LONGEST_WORD];
    const char *nearest = NULL;
    int least = VV_NEAR;
    if (!word_text(word, text) || word.length < 3)
        return NULL;
    for (int i = 0; i < KEYWORDS; i++)
        if (vv_is_nearer(text, keywords[i].name, &least))
            nearest = keywords[i].name;
    return nearest;
}

vvStatus vv_medit_check_version(vv_medit *m, int64_t version)
{
    if (version < 0 || version > 4)
        return vv_source_fail(m->source, "MEDIT format version %" PRId64 " is not known; 1 to 4 are", version);
    m->version = version;
    return VV_OK;
}

vvStatus vv_medit_set_dimension(vv_medit *m, int64_t dimension)
{
    if (m->dimension)
        return vv_source_fail(m->source, "a second 'Dimension'; one is allowed");
    if (dimension == 2)
        return vv_source_fail(m->source, "Dimension 2: flat meshes without z are not read; write the mesh with "
                                         "Dimension 3 and z = 0");
    if (dimension != 3)
        return vv_source_fail(m->source, "Dimension %" PRId64 "; 3 is needed", dimension);
    m->dimension = 3;
    return VV_OK;
}

static vvStatus refuse_elements(vv_medit *m, vv_medit_keyword keyword)
{
    char second[64] = "";
    if (keyword.size)
        snprintf(second, sizeof second, " (elements with %d vertices)", keyword.size);
    return vv_source_fail(m->source,
                          "'%s'%s are not read; Edges, Triangles and Tetrahedra are: mesh with first-order tets or "
                          "triangles",
                          keyword.name, second);
}

vvStatus vv_medit_begin(vv_medit *m, vv_medit_keyword keyword, int64_t count, int64_t least)
{
    int64_t room = m->source->end - m->source->p;
    bool *has = keyword.kind == VV_MEDIT_VERTICES ? &m->has_vertices : &m->has_elements[keyword.size % VV_MEDIT_MOST];
    if (count < 0)
        return vv_source_fail(m->source, "the number of '%s' is %" PRId64 "; it cannot be negative", keyword.name,
                              count);
    if (keyword.kind == VV_MEDIT_REFUSED)
        return count ? refuse_elements(m, keyword) : VV_OK;
    if (*has)
        return vv_source_fail(m->source, "a second section '%s'; one is allowed", keyword.name);
    *has = true;
    if (keyword.kind == VV_MEDIT_VERTICES && !m->dimension)
        return vv_source_fail(m->source, "'Vertices' comes before 'Dimension 3'");
    if (count > room / least || count > VV_MESH_LIMIT)
        return vv_source_fail(m->source,
                              "the number of '%s' is %" PRId64 ", but only %" PRId64 " bytes of the file are left",
                              keyword.name, count, room);
    return VV_OK;
}

vvStatus vv_medit_add_element(vv_medit *m, vv_medit_keyword keyword, const int64_t *numbers, int64_t reference, int at)
{
    int v[VV_MEDIT_MOST];
    const bool whole = keyword.size == 10 && m->builder->order2;
    for (int k = 0; k < keyword.size; k++) {
        if (numbers[k] < 1 || numbers[k] > VV_MESH_LIMIT) {
            if (!m->source->binary)
                m->source->line = at;
            return vv_source_fail(m->source, "vertex number %" PRId64 " in '%s'; vertices are numbered from 1",
                                  numbers[k], keyword.name);
        }
        v[k] = (int)numbers[k] - 1;
    }
    switch (keyword.size) {
    case 2: vv_builder_edge(m->builder, v, at); break;
    case 3:
    case 6: vv_builder_triangle(m->builder, v, at); break;
    case 4: vv_builder_tet(m->builder, v, at); break;
    case 10: whole ? vv_builder_tet10(m->builder, v, at) : vv_builder_tet(m->builder, v, at); break;
    }
    if (keyword.size == 4 || keyword.size == 10)
        vv_builder_region(m->builder, reference, v);
    m->builder->by_place = m->builder->by_place || whole;
    m->builder->straightened += keyword.size > 4 && !whole;
    return VV_OK;
}

static vvStatus check_numbers(vv_medit *m, const char *name, const vv_list *indices, int corners, const vv_list *at)
{
    size_t vertices = m->builder->positions.count;
    const int *v = indices->data, *places = at->data;
    for (size_t i = 0; i < indices->count * (size_t)corners; i++) {
        if ((size_t)v[i] < vertices)
            continue;
        vv_source *s = m->source;
        if (s->binary)
            s->p = s->data + places[i / (size_t)corners];
        else
            s->line = places[i / (size_t)corners];
        return vv_source_fail(s, "vertex number %d in '%s'; the file has %zu vertices, numbered from 1", v[i] + 1, name,
                              vertices);
    }
    return VV_OK;
}

vvStatus vv_medit_finish(vv_medit *m)
{
    const vv_builder *b = m->builder;
    vv_builder_end_regions(m->builder);
    if (b->failed)
        return VV_OK; /* reported elsewhere */
    if (!m->has_vertices)
        return vv_source_fail(m->source, "the file ends without 'Vertices'");
    vvStatus status = check_numbers(m, "Tetrahedra", &b->tets, 4, &b->tet_at);
    if (status == VV_OK)
        status = check_numbers(m, "TetrahedraP2", &b->tets10, 10, &b->tet10_at);
    if (status == VV_OK)
        status = check_numbers(m, "Triangles", &b->triangles, 3, &b->triangle_at);
    return status != VV_OK ? status : check_numbers(m, "Edges", &b->edges, 2, &b->edge_at);
}

vvStatus vv_medit_sections(const vvMesh *mesh, vv_medit_section sections[VV_MEDIT_KINDS], vvError *error)
{
    if (mesh->pointCount)
        return vv_fail(error, VV_ERROR_INPUT, "MEDIT files hold no free points; obj, ply, vtk and msh4 do");
    if (mesh->tetCount)
        sections[0] = (vv_medit_section){ "Tetrahedra", 8, 4, mesh->tetCount, mesh->tets };
    else
        sections[0] = (vv_medit_section){ "Triangles", 6, 3, mesh->triangleCount, mesh->triangles };
    sections[1] = (vv_medit_section){ "Edges", 5, 2, mesh->edgeCount, mesh->edges };
    return VV_OK;
}

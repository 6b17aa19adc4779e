/* Gmsh files: what both versions share. */
#include "mesh/format/msh.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct vv_msh_tag {
    int64_t tag;
    int index;
} vv_msh_tag;

/* ---- header -------------------------------------------------------------------------------------------------- */

typedef struct header {
    int major, minor;
    int64_t binary, size;
} header;

/* "4.1 1 8" and, in binary files, the integer 1 that shows the byte order. */
static vvStatus read_header(vv_source *s, header *h)
{
    vv_word version;
    char quoted[VV_QUOTED_LENGTH];
    vv_text_skip_blank(s);
    if (!vv_text_word(s, &version))
        return vv_source_fail(s, "the file ends where the Gmsh version is needed");
    /* 2.0 and 2.1 have the same nodes and elements as 2.2 */
    bool two = vv_word_is(version, "2") || vv_word_is(version, "2.0") || vv_word_is(version, "2.1") ||
               vv_word_is(version, "2.2");
    if (!two && !vv_word_is(version, "4.1"))
        return vv_source_fail(s, "Gmsh format version %s is not read here; 2.2 and 4.1 are (Gmsh: -format msh41)",
                              vv_quote(quoted, version));
    h->major = two ? 2 : 4;
    vvStatus status = vv_text_int(s, "the file type (0 text, 1 binary)", &h->binary);
    if (status == VV_OK)
        status = vv_text_int(s, "the data size", &h->size);
    if (status == VV_OK && h->binary != 0 && h->binary != 1)
        status = vv_source_fail(s, "file type %" PRId64 " is unknown; 0 is text, 1 binary", h->binary);
    if (status == VV_OK && h->binary && h->size != 8)
        status = vv_source_fail(s, "binary data of size %" PRId64 " is not read here, only of size 8", h->size);
    if (status == VV_OK)
        status = vv_text_end_line(s);
    if (status != VV_OK || !h->binary)
        return status;
    int32_t one;
    s->binary = true;
    status = vv_binary_int(s, "the integer 1 that shows the byte order", &one);
    s->swapped = one == 1 << 24;
    if (status == VV_OK && one != 1 && !s->swapped) {
        s->p -= sizeof one;
        status = vv_source_fail(s, "found %d where the integer 1 shows the byte order", one);
    }
    return status;
}

vv_match vv_msh_match(const char *data, size_t size, int major, bool binary)
{
    static const char opening[] = "$MeshFormat", comments[] = "$Comments";
    vv_source s = { .p = data, .end = data + size, .line = 1 };
    vv_word first;
    vv_text_skip_blank(&s);
    if (!vv_text_word(&s, &first) || (!vv_word_is(first, opening) && !vv_word_is(first, comments)))
        return VV_MATCH_NO;
    const char *at = memmem(first.text, (size_t)(s.end - first.text), opening, sizeof opening - 1);
    if (!at)
        return VV_MATCH_FAMILY;
    header h = { 0 };
    s.p = at + sizeof opening - 1;
    if (read_header(&s, &h) || h.major != major || (h.binary != 0) != binary)
        return VV_MATCH_FAMILY;
    return VV_MATCH_YES;
}

/* ---- node tags ----------------------------------------------------------------------------------------------- */

vvStatus vv_msh_add_node(vv_msh *m, int64_t tag, const double x[3], int at)
{
    vv_msh_tag entry = { tag, (int)m->tags.count };
    if (tag < 0)
        return vv_source_fail(m->source, "node number %" PRId64 " is negative", tag);
    if (m->tags.count == 0) {
        m->first_tag = tag;
        m->consecutive = true;
    }
    if (tag - m->first_tag != (int64_t)m->tags.count)
        m->consecutive = false;
    vv_builder_vertex(m->builder, x, at);
    if (!vv_list_push(&m->tags, &entry, sizeof entry) || m->builder->failed)
        return vv_source_short(m->source, "nodes");
    return VV_OK;
}

static int compare_tags(const void *a, const void *b)
{
    const vv_msh_tag *s = a, *t = b;
    if (s->tag != t->tag)
        return s->tag < t->tag ? -1 : 1;
    return s->index < t->index ? -1 : 1;
}

static vvStatus sort_tags(vv_msh *m)
{
    if (m->consecutive)
        return VV_OK;
    vv_msh_tag *tags = m->tags.data;
    if (m->tags.count)
        qsort(tags, m->tags.count, sizeof *tags, compare_tags);
    for (size_t i = 1; i < m->tags.count; i++)
        if (tags[i].tag == tags[i - 1].tag) {
            const int *at = m->builder->vertex_at.data;
            const char *unit = m->source->binary ? "byte " : "line ";
            return vv_source_fail(m->source, "node number %" PRId64 " occurs twice (%s%d and %s%d)", tags[i].tag, unit,
                                  at[tags[i - 1].index], unit, at[tags[i].index]);
        }
    return VV_OK;
}

static int find_tag(const vv_msh *m, int64_t tag)
{
    if (m->consecutive)
        return tag >= m->first_tag && tag - m->first_tag < (int64_t)m->tags.count ? (int)(tag - m->first_tag) : -1;
    const vv_msh_tag *tags = m->tags.data;
    size_t low = 0, high = m->tags.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (tags[middle].tag < tag)
            low = middle + 1;
        else
            high = middle;
    }
    return low < m->tags.count && tags[low].tag == tag ? tags[low].index : -1;
}

/* ---- elements ------------------------------------------------------------------------------------------------ */

enum { EDGE = 1, TRIANGLE = 2, TET = 4, TET10 = 11, POINT = 15 };

/* What is read, of how many nodes: elements of higher order by their corners, which come first. */
static const struct {
    int type, nodes, corners;
} read_types[] = {
    { POINT, 1, 1 }, { EDGE, 2, 2 }, { TRIANGLE, 3, 3 }, { TET, 4, 4 }, { 8, 3, 2 },   { 9, 6, 3 },   { TET10, 10, 4 },
    { 20, 9, 3 },    { 21, 10, 3 },  { 26, 4, 2 },       { 29, 20, 4 }, { 30, 35, 4 }, { 31, 56, 4 },
};
enum { READ_TYPES = sizeof read_types / sizeof *read_types };

static const char *type_name(int64_t type)
{
    static const char *names[] = {
        [3] = "4-node quadrangle",
        [5] = "8-node hexahedron",
        [6] = "6-node prism",
        [7] = "5-node pyramid",
        [10] = "9-node (second order) quadrangle",
        [12] = "27-node (second order) hexahedron",
        [13] = "18-node (second order) prism",
        [14] = "14-node (second order) pyramid",
        [16] = "8-node (second order) quadrangle",
        [17] = "20-node (second order) hexahedron",
        [18] = "15-node (second order) prism",
        [19] = "13-node (second order) pyramid",
    };
    int64_t known = (int64_t)(sizeof names / sizeof *names);
    return type >= 0 && type < known && names[type] ? names[type] : "an element of unknown kind";
}

int vv_msh_type_nodes(vv_msh *m, int64_t tag, int64_t type)
{
    for (int i = 0; i < READ_TYPES; i++)
        if (read_types[i].type == type)
            return read_types[i].nodes;
    vv_source_fail(m->source,
                   "element %" PRId64 " is of type %" PRId64 " (%s); points (15), edges (1), triangles (2) and tets "
                   "(4) are read, and those of higher order by their corners: mesh with tetrahedra or triangles",
                   tag, type, type_name(type));
    return 0;
}

static int corners_of(int64_t type)
{
    int i = 0;
    while (i < READ_TYPES - 1 && read_types[i].type != type)
        i++;
    return read_types[i].corners;
}

int vv_msh_dimension(int64_t type) { return corners_of(type) - 1; }

vvStatus vv_msh_add_element(vv_msh *m, int64_t tag, int64_t type, const int64_t *nodes, const int *groups,
                            int group_count, int at)
{
    int v[10];
    const bool whole = type == TET10 && m->builder->order2;
    const int count = vv_msh_type_nodes(m, tag, type), corners = whole ? count : corners_of(type);
    for (int i = 0; i < corners; i++)
        if ((v[i] = find_tag(m, nodes[i])) < 0)
            return vv_source_fail(m->source,
                                  "element %" PRId64 " refers to node %" PRId64 ", which is not among the %zu nodes",
                                  tag, nodes[i], m->tags.count);
    switch (corners) {
    case 1: vv_builder_point(m->builder, v[0], at); break;
    case 2: vv_builder_edge(m->builder, v, at); break;
    case 3: vv_builder_triangle(m->builder, v, at); break;
    case 4: vv_builder_tet(m->builder, v, at); break;
    case 10: /* Gmsh's edges 23 and 13 are in the other order */
        vv_builder_tet10(m->builder, (int[]){ v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[9], v[8] }, at);
        break;
    }
    m->builder->straightened += count > corners;
    for (int i = 0; i < group_count; i++)
        vv_builder_member(m->builder, groups[i], v, corners < 4 ? corners : 4);
    if (m->builder->failed)
        return vv_source_short(m->source, "elements");
    return VV_OK;
}

vvStatus vv_msh_check_count(vv_msh *m, int64_t count, int least, const char *what)
{
    int64_t room = m->source->end - m->source->p;
    if (count < 0)
        return vv_source_fail(m->source, "the number of %s is %" PRId64 "; it cannot be negative", what, count);
    if (count > room / least || count > VV_MESH_LIMIT)
        return vv_source_fail(m->source,
                              "the number of %s is %" PRId64 ", but only %" PRId64 " bytes of the file are left", what,
                              count, room);
    return VV_OK;
}

/* ---- sections ------------------------------------------------------------------------------------------------ */

/* Skips past "$EndName" of a section that is not needed. */
static vvStatus skip_section(vv_source *s, vv_word name)
{
    char quoted[VV_QUOTED_LENGTH];
    const char *begin = s->p;
    for (const char *p = begin; (p = memmem(p, (size_t)(s->end - p), "$End", 4)); p++) {
        size_t length = (size_t)name.length - 1; /* without the '$' */
        if ((size_t)(s->end - p) < 4 + length || memcmp(p + 4, name.text + 1, length) != 0)
            continue;
        for (const char *q = begin; q < p; q++)
            s->line += *q == '\n';
        s->p = p + 4 + length;
        return VV_OK;
    }
    return vv_source_fail(s, "section %s has no end: $End%.*s is missing", vv_quote(quoted, name),
                          name.length - 1 < 64 ? name.length - 1 : 64, name.text + 1);
}

static vvStatus expect_end(vv_source *s, const char *name)
{
    vv_word word = { 0 };
    char quoted[VV_QUOTED_LENGTH];
    vv_text_skip_blank(s);
    if (vv_text_word(s, &word) && vv_word_is(word, name))
        return VV_OK;
    if (!word.length)
        return vv_source_fail(s, "the file ends where %s is needed", name);
    s->p = word.text;
    return vv_source_fail(s, "found %s where %s is needed", vv_quote(quoted, word), name);
}

static vvStatus read_part(vv_msh *m, vvStatus (*part)(vv_msh *m), const char *end)
{
    vv_source *s = m->source;
    vvStatus status = vv_text_end_line(s);
    if (status == VV_OK)
        status = part(m);
    return status != VV_OK ? status : expect_end(s, end);
}

/* Nothing but groups needs entities: where programs abridge them, there are none. */
static vvStatus read_entities(vv_msh *m, const vv_msh_parts *parts, vv_word name)
{
    const char *from = m->source->p;
    const int line = m->source->line;
    vvStatus status = read_part(m, parts->entities, "$EndEntities");
    if (status != VV_ERROR_INPUT)
        return status;
    vv_error_clear(m->source->error);
    m->source->p = from, m->source->line = line;
    m->physical.count = 0;
    return skip_section(m->source, name);
}

static vvStatus read_section(vv_msh *m, const vv_msh_parts *parts, vv_word name)
{
    if (vv_word_is(name, "$Nodes")) {
        if (m->has_nodes)
            return vv_source_fail(m->source, "a second $Nodes section; one is allowed");
        m->has_nodes = true;
        vvStatus status = read_part(m, parts->nodes, "$EndNodes");
        return status != VV_OK ? status : sort_tags(m);
    }
    if (vv_word_is(name, "$Elements")) {
        if (!m->has_nodes)
            return vv_source_fail(m->source, "$Elements comes before $Nodes");
        if (m->has_elements)
            return vv_source_fail(m->source, "a second $Elements section; one is allowed");
        m->has_elements = true;
        return read_part(m, parts->elements, "$EndElements");
    }
    if (vv_word_is(name, "$PhysicalNames"))
        return read_part(m, vv_msh_read_names, "$EndPhysicalNames");
    if (vv_word_is(name, "$Entities") && parts->entities)
        return read_entities(m, parts, name);
    if (vv_word_is(name, "$ParametricNodes"))
        return vv_source_fail(m->source, "$ParametricNodes are not read, only $Nodes (Gmsh: Mesh.SaveParametric = 0)");
    return skip_section(m->source, name);
}

static vvStatus read_sections(vv_msh *m, const vv_msh_parts *parts)
{
    vv_source *s = m->source;
    bool has_header = false;
    vvStatus status = VV_OK;
    while (status == VV_OK) {
        vv_word name;
        char quoted[VV_QUOTED_LENGTH];
        vv_text_skip_blank(s);
        if (!vv_text_word(s, &name))
            break;
        header h = { 0 };
        if (name.length < 2 || name.text[0] != '$') {
            s->p = name.text;
            status = vv_source_fail(s, "found %s where a section such as $Nodes is needed", vv_quote(quoted, name));
        } else if (vv_word_is(name, "$MeshFormat") && !has_header) {
            has_header = true;
            status = read_header(s, &h);
            if (status == VV_OK)
                status = expect_end(s, "$EndMeshFormat");
        } else if (!has_header && (vv_word_is(name, "$NOD") || vv_word_is(name, "$ELM"))) {
            status = vv_source_fail(s, "Gmsh format version 1 is not read here; 2.2 and 4.1 are (Gmsh: -format msh41)");
        } else if (!has_header && !vv_word_is(name, "$Comments")) {
            status = vv_source_fail(s, "found %s where $MeshFormat is needed", vv_quote(quoted, name));
        } else {
            status = read_section(m, parts, name);
        }
    }
    if (status != VV_OK)
        return status;
    if (!has_header)
        return vv_source_fail(s, "the file ends where $MeshFormat is needed");
    if (!m->has_nodes || !m->has_elements)
        return vv_source_fail(s, "the file ends without %s", m->has_nodes ? "$Elements" : "$Nodes");
    return VV_OK;
}

vvStatus vv_msh_read(vv_source *source, vv_builder *builder, const vv_msh_parts *parts)
{
    vv_msh m = { .source = source, .builder = builder };
    vvStatus status = read_sections(&m, parts);
    if (status == VV_OK)
        vv_msh_name_groups(&m);
    vv_list_free(&m.tags);
    vv_list_free(&m.names);
    vv_list_free(&m.physical);
    return status;
}

void vv_msh_kinds(const vvMesh *mesh, vv_msh_kind kinds[VV_MSH_KINDS])
{
    kinds[0] = (vv_msh_kind){ POINT, 0, 1, mesh->pointCount, mesh->points };
    kinds[1] = (vv_msh_kind){ EDGE, 1, 2, mesh->edgeCount, mesh->edges };
    kinds[2] = (vv_msh_kind){ TRIANGLE, 2, 3, mesh->tetCount ? 0 : mesh->triangleCount, mesh->triangles };
    kinds[3] = (vv_msh_kind){ TET, 3, 4, mesh->tetCount, mesh->tets };
}

/* Gmsh MSH 4.1, text and binary (Gmsh reference manual, "MSH file format").
 *
 *   $Nodes     blocks count smallest-tag largest-tag, then for each block: dimension entity parametric count, the tags,
 *              the coordinates (with up to three parameters each where parametric is 1)
 *   $Elements  blocks count smallest-tag largest-tag, then for each block: dimension entity type count, and for each
 *              element: tag nodes
 * Binary: dimension, entity, parametric and type are 4 bytes, all counts and tags 8. */
#include "mesh/format/msh.h"
#include "mesh/format/output.h"

#include <inttypes.h>
#include <string.h>

/* One integer; `wide`: 8 bytes in binary files. */
static vvStatus get(vv_msh *m, bool wide, const char *what, int64_t *value)
{
    if (!m->source->binary)
        return vv_text_int(m->source, what, value);
    int32_t small = 0;
    vvStatus status = wide ? vv_binary_size(m->source, what, value) : vv_binary_int(m->source, what, &small);
    if (!wide)
        *value = small;
    return status;
}

static vvStatus end_line(vv_msh *m) { return m->source->binary ? VV_OK : vv_text_end_line(m->source); }

static void begin_line(vv_msh *m)
{
    if (!m->source->binary)
        vv_text_skip_blank(m->source);
}

/* Block count, total, smallest and largest tag. */
static vvStatus section_head(vv_msh *m, const char *what, int least, int64_t *blocks, int64_t *total)
{
    int64_t low, high;
    begin_line(m);
    vvStatus status = get(m, true, "the number of blocks", blocks);
    if (status == VV_OK)
        status = get(m, true, "the number of nodes or elements", total);
    if (status == VV_OK)
        status = get(m, true, "the smallest tag", &low);
    if (status == VV_OK)
        status = get(m, true, "the largest tag", &high);
    if (status == VV_OK)
        status = vv_msh_check_count(m, *blocks, 4, "blocks");
    if (status == VV_OK)
        status = vv_msh_check_count(m, *total, least, what);
    return status != VV_OK ? status : end_line(m);
}

typedef struct block {
    int64_t dimension, entity, kind, count; /* kind: parametric, or the element type */
} block;

static vvStatus block_head(vv_msh *m, const char *kind, int64_t most, const char *what, int64_t left, block *b)
{
    begin_line(m);
    vvStatus status = get(m, false, "the dimension of a block", &b->dimension);
    if (status == VV_OK)
        status = get(m, false, "the entity of a block", &b->entity);
    if (status == VV_OK)
        status = get(m, false, kind, &b->kind);
    if (status == VV_OK)
        status = get(m, true, "the size of a block", &b->count);
    if (status == VV_OK && (b->dimension < 0 || b->dimension > 3))
        status = vv_source_fail(m->source, "a block of dimension %" PRId64 "; 0 to 3 are allowed", b->dimension);
    if (status == VV_OK && (b->kind < 0 || b->kind > most))
        status = vv_source_fail(m->source, "%s is %" PRId64 "; 0 to %" PRId64 " are allowed", kind, b->kind, most);
    if (status == VV_OK && (b->count < 0 || b->count > left))
        status = vv_source_fail(m->source, "a block of %" PRId64 " %s; %" PRId64 " are left of the section's number",
                                b->count, what, left);
    return status != VV_OK ? status : end_line(m);
}

static vvStatus unfinished(vv_msh *m, int64_t left, const char *what)
{
    if (left == 0)
        return VV_OK;
    return vv_source_fail(m->source, "the blocks hold %" PRId64 " %s fewer than the section's number", left, what);
}

/* ---- entities: which physical groups they belong to ---------------------------------------------------------- */

static vvStatus skip_reals(vv_msh *m, int count)
{
    double x;
    vvStatus status = VV_OK;
    for (int i = 0; i < count && status == VV_OK; i++)
        status = m->source->binary ? vv_binary_double(m->source, "a coordinate", &x)
                                   : vv_text_double(m->source, "a coordinate", &x);
    return status;
}

/* A count and so many tags; those of physical groups are kept. */
static vvStatus entity_tags(vv_msh *m, int dimension, int64_t entity, bool physical)
{
    int64_t count, tag;
    const char *what = physical ? "the number of physical groups" : "the number of bounding entities";
    vvStatus status = get(m, true, what, &count);
    if (status == VV_OK)
        status = vv_msh_check_count(m, count, m->source->binary ? 4 : 2, what + strlen("the number of "));
    for (int64_t i = 0; i < count && status == VV_OK; i++) {
        status = get(m, false, "a tag", &tag);
        if (status == VV_OK && physical)
            status = vv_msh_add_physical(m, dimension, entity, tag < 0 ? -tag : tag);
    }
    return status;
}

static vvStatus entity(vv_msh *m, int dimension)
{
    int64_t tag;
    begin_line(m);
    vvStatus status = get(m, false, "the number of an entity", &tag);
    if (status == VV_OK)
        status = skip_reals(m, dimension ? 6 : 3);
    if (status == VV_OK)
        status = entity_tags(m, dimension, tag, true);
    if (status == VV_OK && dimension)
        status = entity_tags(m, dimension, tag, false);
    return status != VV_OK ? status : end_line(m);
}

static vvStatus read_entities(vv_msh *m)
{
    int64_t counts[4] = { 0 };
    vvStatus status = VV_OK;
    begin_line(m);
    for (int d = 0; d < 4 && status == VV_OK; d++)
        status = get(m, true, "the number of entities", &counts[d]);
    for (int d = 0; d < 4 && status == VV_OK; d++)
        status = vv_msh_check_count(m, counts[d], m->source->binary ? 36 : 10, "entities");
    if (status == VV_OK)
        status = end_line(m);
    for (int d = 0; d < 4; d++)
        for (int64_t i = 0; i < counts[d] && status == VV_OK; i++)
            status = entity(m, d);
    return status;
}

/* ---- nodes --------------------------------------------------------------------------------------------------- */

static vvStatus coordinates(vv_msh *m, int64_t tag, int parameters)
{
    static const char *names[] = { "the x coordinate", "the y coordinate", "the z coordinate",
                                   "a parameter",      "a parameter",      "a parameter" };
    double x[6];
    begin_line(m);
    int at = vv_source_at(m->source);
    vvStatus status = VV_OK;
    for (int k = 0; k < 3 + parameters && status == VV_OK; k++)
        status = m->source->binary ? vv_binary_double(m->source, names[k], &x[k])
                                   : vv_text_double(m->source, names[k], &x[k]);
    if (status == VV_OK)
        status = vv_msh_add_node(m, tag, x, at);
    return status != VV_OK ? status : end_line(m);
}

static vvStatus node_block(vv_msh *m, int64_t *left)
{
    block b = { 0 };
    vvStatus status = block_head(m, "the parametric flag of a block", 1, "nodes", *left, &b);
    if (status == VV_OK && b.count > (m->source->end - m->source->p) / (m->source->binary ? 32 : 8))
        status = vv_source_fail(m->source, "the file ends before the %" PRId64 " nodes of this block", b.count);
    vv_list tags = { 0 };
    for (int64_t i = 0; i < b.count && status == VV_OK; i++) {
        int64_t tag;
        begin_line(m);
        status = get(m, true, "a node number", &tag);
        if (status == VV_OK && !vv_list_push(&tags, &tag, sizeof tag))
            status = vv_source_short(m->source, "nodes");
        if (status == VV_OK)
            status = end_line(m);
    }
    for (int64_t i = 0; i < b.count && status == VV_OK; i++)
        status = coordinates(m, ((int64_t *)tags.data)[i], b.kind ? (int)b.dimension : 0);
    if (status == VV_OK)
        *left -= b.count;
    vv_list_free(&tags);
    return status;
}

static vvStatus read_nodes(vv_msh *m)
{
    int64_t blocks = 0, left = 0;
    vvStatus status = section_head(m, "nodes", m->source->binary ? 32 : 8, &blocks, &left);
    for (int64_t i = 0; i < blocks && status == VV_OK; i++)
        status = node_block(m, &left);
    return status != VV_OK ? status : unfinished(m, left, "nodes");
}

/* ---- elements ------------------------------------------------------------------------------------------------ */

static vvStatus element(vv_msh *m, int64_t type, const int *groups, int group_count)
{
    int64_t tag, nodes[VV_MSH_MOST_NODES];
    begin_line(m);
    int at = vv_source_at(m->source);
    vvStatus status = get(m, true, "an element number", &tag);
    int corners = status != VV_OK ? 0 : vv_msh_type_nodes(m, tag, type);
    if (status == VV_OK && !corners)
        return VV_ERROR_INPUT;
    for (int i = 0; i < corners && status == VV_OK; i++)
        status = get(m, true, "a node number", &nodes[i]);
    if (status == VV_OK)
        status = vv_msh_add_element(m, tag, type, nodes, groups, group_count, at);
    return status != VV_OK ? status : end_line(m);
}

static vvStatus read_elements(vv_msh *m)
{
    int64_t blocks = 0, left = 0;
    vvStatus status = section_head(m, "elements", m->source->binary ? 16 : 4, &blocks, &left);
    for (int64_t i = 0; i < blocks && status == VV_OK; i++) {
        block b = { 0 };
        int groups[VV_MSH_MOST_GROUPS], count = 0;
        status = block_head(m, "the element type of a block", 1000, "elements", left, &b);
        if (status == VV_OK)
            status = vv_msh_groups_of(m, (int)b.dimension, b.entity, groups, &count);
        for (int64_t k = 0; k < b.count && status == VV_OK; k++)
            status = element(m, b.kind, groups, count);
        if (status == VV_OK)
            left -= b.count;
    }
    return status != VV_OK ? status : unfinished(m, left, "elements");
}

static vvStatus read_msh4(vv_source *source, vv_builder *builder)
{
    static const vv_msh_parts parts = { read_nodes, read_elements, read_entities };
    return vv_msh_read(source, builder, &parts);
}

/* ---- writing ------------------------------------------------------------------------------------------------- */

static void put(vv_output *o, bool binary, bool wide, int64_t value, char after)
{
    int32_t small = (int32_t)value;
    if (!binary)
        vv_put_int(o, value, after);
    else if (wide)
        vv_put_bytes(o, &value, sizeof value);
    else
        vv_put_bytes(o, &small, sizeof small);
}

static void put_real(vv_output *o, bool binary, double value, char after)
{
    if (binary)
        vv_put_bytes(o, &value, sizeof value);
    else
        vv_put_double(o, value, after);
}

static void put_head(vv_output *o, bool binary, int64_t blocks, int64_t count)
{
    put(o, binary, true, blocks, ' ');
    put(o, binary, true, count, ' ');
    put(o, binary, true, 1, ' ');
    put(o, binary, true, count, '\n');
}

static void put_block(vv_output *o, bool binary, int dimension, int kind, int count)
{
    put(o, binary, false, dimension, ' ');
    put(o, binary, false, 1, ' ');
    put(o, binary, false, kind, ' ');
    put(o, binary, true, count, '\n');
}

/* One point, curve, surface or volume, numbered 1, for each kind of element in the mesh; Gmsh wants them declared. */
static void put_entities(const vvMesh *mesh, const vv_msh_kind kinds[VV_MSH_KINDS], vv_output *o, bool binary)
{
    double bounds[6];
    vv_mesh_bounds(mesh, bounds, bounds + 3);
    vv_put_text(o, "$Entities\n");
    for (int k = 0; k < VV_MSH_KINDS; k++)
        put(o, binary, true, kinds[k].count > 0, k + 1 < VV_MSH_KINDS ? ' ' : '\n');
    for (int k = 0; k < VV_MSH_KINDS; k++) {
        if (!kinds[k].count)
            continue;
        put(o, binary, false, 1, ' ');
        for (int i = 0; i < (kinds[k].dimension ? 6 : 3); i++)
            put_real(o, binary, bounds[i], ' ');
        put(o, binary, true, 0, kinds[k].dimension ? ' ' : '\n'); /* physical groups */
        if (kinds[k].dimension)
            put(o, binary, true, 0, '\n'); /* bounding entities */
    }
    vv_put_text(o, binary ? "\n$EndEntities\n" : "$EndEntities\n");
}

static void put_nodes(const vvMesh *mesh, vv_output *o, bool binary, int dimension)
{
    vv_put_text(o, "$Nodes\n");
    put_head(o, binary, 1, mesh->vertexCount);
    put_block(o, binary, dimension, 0, mesh->vertexCount);
    for (int v = 0; v < mesh->vertexCount; v++)
        put(o, binary, true, v + 1, '\n');
    for (int i = 0; i < 3 * mesh->vertexCount; i++)
        put_real(o, binary, mesh->positions[i], i % 3 < 2 ? ' ' : '\n');
    vv_put_text(o, binary ? "\n$EndNodes\n" : "$EndNodes\n");
}

static void put_elements(const vv_msh_kind kinds[VV_MSH_KINDS], vv_output *o, bool binary)
{
    int64_t blocks = 0, count = 0, number = 0;
    for (int k = 0; k < VV_MSH_KINDS; k++) {
        blocks += kinds[k].count > 0;
        count += kinds[k].count;
    }
    vv_put_text(o, "$Elements\n");
    put_head(o, binary, blocks, count);
    for (int k = 0; k < VV_MSH_KINDS; k++) {
        if (kinds[k].count)
            put_block(o, binary, kinds[k].dimension, kinds[k].type, kinds[k].count);
        for (int i = 0; i < kinds[k].count; i++) {
            put(o, binary, true, ++number, ' ');
            for (int c = 0; c < kinds[k].corners; c++)
                put(o, binary, true, (int64_t)kinds[k].indices[(size_t)kinds[k].corners * (size_t)i + (size_t)c] + 1,
                    c + 1 < kinds[k].corners ? ' ' : '\n');
        }
    }
    vv_put_text(o, binary ? "\n$EndElements\n" : "$EndElements\n");
}

static void put_msh4(const vvMesh *mesh, vv_output *o, bool binary)
{
    vv_msh_kind kinds[VV_MSH_KINDS];
    vv_msh_kinds(mesh, kinds);
    int dimension = 0;
    for (int k = 0; k < VV_MSH_KINDS; k++)
        dimension = kinds[k].count ? kinds[k].dimension : dimension;
    vv_put_text(o, binary ? "$MeshFormat\n4.1 1 8\n" : "$MeshFormat\n4.1 0 8\n");
    if (binary) {
        put(o, true, false, 1, 0);
        vv_put_text(o, "\n");
    }
    vv_put_text(o, "$EndMeshFormat\n");
    put_entities(mesh, kinds, o, binary);
    put_nodes(mesh, o, binary, dimension);
    put_elements(kinds, o, binary);
}

static vvStatus write_text(const vvMesh *mesh, vv_output *output, vvError *error)
{
    (void)error;
    put_msh4(mesh, output, false);
    return VV_OK;
}

static vvStatus write_binary(const vvMesh *mesh, vv_output *output, vvError *error)
{
    (void)error;
    put_msh4(mesh, output, true);
    return VV_OK;
}

static vv_match match_text(const char *data, size_t size) { return vv_msh_match(data, size, 4, false); }
static vv_match match_binary(const char *data, size_t size) { return vv_msh_match(data, size, 4, true); }

extern const vv_format vv_format_msh4, vv_format_msh4_binary;
const vv_format vv_format_msh4 = {
    { "msh4", "Gmsh 4.1, text" }, ".msh", match_text, read_msh4, write_text,
};
const vv_format vv_format_msh4_binary = {
    { "msh4-binary", "Gmsh 4.1, binary" }, ".msh", match_binary, read_msh4, write_binary,
};

/* Gmsh MSH 2.2, text and binary (Gmsh reference manual, "MSH file format version 2").
 *
 *   $Nodes     count, then: number x y z
 *   $Elements  count, then: number type tag-count tags nodes
 * Binary: nodes are int + 3 doubles; elements come in blocks of (type, count, tag-count) and ints. */
#include "mesh/format/msh.h"
#include "mesh/format/output.h"

#include <string.h>

static const char *axis_name(int k)
{
    static const char *names[] = { "the x coordinate", "the y coordinate", "the z coordinate" };
    return names[k];
}

static vvStatus text_count(vv_msh *m, const char *what, int least, int64_t *count)
{
    vv_text_skip_blank(m->source);
    vvStatus status = vv_text_int(m->source, what, count);
    if (status == VV_OK)
        status = vv_msh_check_count(m, *count, least, what + strlen("the number of "));
    return status != VV_OK ? status : vv_text_end_line(m->source);
}

/* ---- text ---------------------------------------------------------------------------------------------------- */

static vvStatus text_node(vv_msh *m)
{
    vv_source *s = m->source;
    int64_t tag;
    double x[3];
    vv_text_skip_blank(s);
    int at = vv_source_at(s);
    vvStatus status = vv_text_int(s, "a node number", &tag);
    for (int k = 0; k < 3 && status == VV_OK; k++)
        status = vv_text_double(s, axis_name(k), &x[k]);
    if (status == VV_OK)
        status = vv_msh_add_node(m, tag, x, at);
    return status != VV_OK ? status : vv_text_end_line(s);
}

/* An element's first tag is its physical group, 0: none; turned around it is negative. */
static vvStatus group_of(vv_msh *m, int64_t type, int64_t physical, int *group)
{
    return physical == 0 ? VV_OK : vv_msh_group(m, vv_msh_dimension(type), physical < 0 ? -physical : physical, group);
}

static vvStatus text_element(vv_msh *m)
{
    vv_source *s = m->source;
    int64_t tag, type, tag_count, value, physical = 0, nodes[VV_MSH_MOST_NODES];
    int group = -1;
    vv_text_skip_blank(s);
    int at = vv_source_at(s);
    vvStatus status = vv_text_int(s, "an element number", &tag);
    if (status == VV_OK)
        status = vv_text_int(s, "an element type", &type);
    if (status == VV_OK)
        status = vv_text_int(s, "the number of tags", &tag_count);
    if (status == VV_OK && tag_count < 0)
        status = vv_source_fail(s, "the number of tags is negative");
    for (int64_t i = 0; status == VV_OK && i < tag_count; i++) {
        status = vv_text_int(s, "a tag", &value);
        physical = i == 0 ? value : physical;
    }
    int corners = status != VV_OK ? 0 : vv_msh_type_nodes(m, tag, type);
    if (status == VV_OK && !corners)
        return VV_ERROR_INPUT;
    for (int i = 0; status == VV_OK && i < corners; i++)
        status = vv_text_int(s, "a node number", &nodes[i]);
    if (status == VV_OK)
        status = group_of(m, type, physical, &group);
    if (status == VV_OK)
        status = vv_msh_add_element(m, tag, type, nodes, &group, group >= 0, at);
    return status != VV_OK ? status : vv_text_end_line(s);
}

/* ---- binary -------------------------------------------------------------------------------------------------- */

static vvStatus binary_node(vv_msh *m)
{
    vv_source *s = m->source;
    int32_t tag;
    double x[3];
    int at = vv_source_at(s);
    vvStatus status = vv_binary_int(s, "a node number", &tag);
    for (int k = 0; k < 3 && status == VV_OK; k++)
        status = vv_binary_double(s, axis_name(k), &x[k]);
    return status != VV_OK ? status : vv_msh_add_node(m, tag, x, at);
}

static vvStatus binary_element(vv_msh *m, int type, int tag_count, int corners)
{
    vv_source *s = m->source;
    int32_t tag, value, physical = 0;
    int64_t nodes[VV_MSH_MOST_NODES];
    int at = vv_source_at(s), group = -1;
    vvStatus status = vv_binary_int(s, "an element number", &tag);
    for (int i = 0; status == VV_OK && i < tag_count; i++) {
        status = vv_binary_int(s, "a tag", &value);
        physical = i == 0 ? value : physical;
    }
    for (int i = 0; status == VV_OK && i < corners; i++) {
        status = vv_binary_int(s, "a node number", &value);
        nodes[i] = value;
    }
    if (status == VV_OK)
        status = group_of(m, type, physical, &group);
    return status != VV_OK ? status : vv_msh_add_element(m, tag, type, nodes, &group, group >= 0, at);
}

/* Reads one block; *left: elements still to come. */
static vvStatus binary_block(vv_msh *m, int64_t *left)
{
    vv_source *s = m->source;
    int32_t type = 0, count = 0, tag_count = 0;
    vvStatus status = vv_binary_int(s, "an element type", &type);
    if (status == VV_OK)
        status = vv_binary_int(s, "the number of elements of a block", &count);
    if (status == VV_OK)
        status = vv_binary_int(s, "the number of tags", &tag_count);
    if (status != VV_OK)
        return status;
    int corners = vv_msh_type_nodes(m, 0, type);
    if (!corners)
        return VV_ERROR_INPUT;
    if (count < 1 || count > *left)
        return vv_source_fail(s, "a block of %d elements where 1 to %lld are left", count, (long long)*left);
    if (tag_count < 0)
        return vv_source_fail(s, "the number of tags is %d; it cannot be negative", tag_count);
    for (int i = 0; i < count && status == VV_OK; i++)
        status = binary_element(m, type, tag_count, corners);
    *left -= count;
    return status;
}

/* ---- sections ------------------------------------------------------------------------------------------------ */

static vvStatus read_nodes(vv_msh *m)
{
    int64_t count;
    bool binary = m->source->binary;
    vvStatus status = text_count(m, "the number of nodes", binary ? 28 : 8, &count);
    for (int64_t i = 0; i < count && status == VV_OK; i++)
        status = binary ? binary_node(m) : text_node(m);
    return status;
}

static vvStatus read_elements(vv_msh *m)
{
    int64_t count;
    bool binary = m->source->binary;
    vvStatus status = text_count(m, "the number of elements", 8, &count);
    while (status == VV_OK && binary && count > 0)
        status = binary_block(m, &count);
    for (int64_t i = 0; !binary && i < count && status == VV_OK; i++)
        status = text_element(m);
    return status;
}

static vvStatus read_msh2(vv_source *source, vv_builder *builder)
{
    static const vv_msh_parts parts = { read_nodes, read_elements, NULL };
    return vv_msh_read(source, builder, &parts);
}

static void put_int32(vv_output *o, int32_t value) { vv_put_bytes(o, &value, sizeof value); }

static void put_nodes(const vvMesh *mesh, vv_output *o, bool binary)
{
    vv_put_text(o, "$Nodes\n");
    vv_put_int(o, mesh->vertexCount, '\n');
    for (int v = 0; v < mesh->vertexCount; v++) {
        const double *x = mesh->positions + 3 * (size_t)v;
        if (binary) {
            put_int32(o, v + 1);
            vv_put_bytes(o, x, 3 * sizeof *x);
            continue;
        }
        vv_put_int(o, v + 1, ' ');
        for (int k = 0; k < 3; k++)
            vv_put_double(o, x[k], k < 2 ? ' ' : '\n');
    }
    vv_put_text(o, binary ? "\n$EndNodes\n" : "$EndNodes\n");
}

/* Elements of one kind, with the usual two tags: physical and geometrical entity, both 1. */
static void put_kind(const vv_msh_kind *kind, vv_output *o, bool binary, int *number)
{
    if (binary && kind->count) {
        put_int32(o, kind->type);
        put_int32(o, kind->count);
        put_int32(o, 2);
    }
    for (int i = 0; i < kind->count; i++) {
        const int *v = kind->indices + (size_t)kind->corners * (size_t)i;
        int head[] = { ++*number, kind->type, 2, 1, 1 };
        for (int k = 0; k < 5; k++)
            if (!binary)
                vv_put_int(o, head[k], ' ');
            else if (k == 0 || k > 2)
                put_int32(o, head[k]);
        for (int k = 0; k < kind->corners; k++)
            if (binary)
                put_int32(o, v[k] + 1);
            else
                vv_put_int(o, v[k] + 1, k + 1 < kind->corners ? ' ' : '\n');
    }
}

static void put_msh2(const vvMesh *mesh, vv_output *o, bool binary)
{
    vv_msh_kind kinds[VV_MSH_KINDS];
    vv_msh_kinds(mesh, kinds);
    vv_put_text(o, binary ? "$MeshFormat\n2.2 1 8\n" : "$MeshFormat\n2.2 0 8\n");
    if (binary) {
        put_int32(o, 1);
        vv_put_text(o, "\n");
    }
    vv_put_text(o, "$EndMeshFormat\n");
    put_nodes(mesh, o, binary);
    vv_put_text(o, "$Elements\n");
    int64_t count = 0;
    for (int k = 0; k < VV_MSH_KINDS; k++)
        count += kinds[k].count;
    vv_put_int(o, count, '\n');
    int number = 0;
    for (int k = 0; k < VV_MSH_KINDS; k++)
        put_kind(&kinds[k], o, binary, &number);
    vv_put_text(o, binary ? "\n$EndElements\n" : "$EndElements\n");
}

static vvStatus write_text(const vvMesh *mesh, vv_output *output, vvError *error)
{
    (void)error;
    put_msh2(mesh, output, false);
    return VV_OK;
}

static vvStatus write_binary(const vvMesh *mesh, vv_output *output, vvError *error)
{
    (void)error;
    put_msh2(mesh, output, true);
    return VV_OK;
}

static vv_match match_text(const char *data, size_t size) { return vv_msh_match(data, size, 2, false); }
static vv_match match_binary(const char *data, size_t size) { return vv_msh_match(data, size, 2, true); }

extern const vv_format vv_format_msh2, vv_format_msh2_binary;
const vv_format vv_format_msh2 = {
    { "msh2", "Gmsh 2.2, text" }, ".msh", match_text, read_msh2, write_text,
};
const vv_format vv_format_msh2_binary = {
    { "msh2-binary", "Gmsh 2.2, binary" }, ".msh", match_binary, read_msh2, write_binary,
};

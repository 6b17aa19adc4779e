/* Physical groups of Gmsh files: names by dimension and number, and which entities belong to which. */
#include "mesh/format/msh.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static vvStatus out_of_memory(vv_msh *m) { return vv_source_short(m->source, "physical groups"); }

/* ---- $PhysicalNames: a count, then lines: dimension number "name" ----------------------------------------------- */

/* What is between the quotes on the rest of the line. */
static vvStatus quoted_name(vv_source *s, char *name, size_t size)
{
    const char *from = s->p;
    while (from < s->end && *from != '"' && *from != '\n')
        from++;
    const char *to = from + 1;
    while (to < s->end && *to != '"' && *to != '\n')
        to++;
    if (from >= s->end || *from != '"' || to >= s->end || *to != '"')
        return vv_source_fail(s, "a physical name in quotes is needed");
    const size_t length = (size_t)(to - from - 1);
    if (length == 0 || length >= size)
        return vv_source_fail(s, "a physical name has %zu bytes; allowed: 1 to %zu", length, size - 1);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)from[1 + i] < 32 || from[1 + i] == 127)
            return vv_source_fail(s, "a physical name has a control character");
    memcpy(name, from + 1, length);
    name[length] = 0;
    s->p = to + 1;
    return VV_OK;
}

static vvStatus read_name(vv_msh *m)
{
    vv_source *s = m->source;
    int64_t dimension;
    vv_group_key key = { 0 };
    vv_text_skip_blank(s);
    vvStatus status = vv_text_int(s, "the dimension of a physical group", &dimension);
    if (status == VV_OK && (dimension < 0 || dimension > 3))
        return vv_source_fail(s, "the dimension of a physical group is %" PRId64 "; 0 to 3 are allowed", dimension);
    if (status == VV_OK)
        status = vv_text_int(s, "the number of a physical group", &key.tag);
    if (status == VV_OK)
        status = quoted_name(s, key.name, sizeof key.name);
    if (status != VV_OK)
        return status;
    key.dimension = (int)dimension;
    return vv_list_push(&m->names, &key, sizeof key) ? vv_text_end_line(s) : out_of_memory(m);
}

vvStatus vv_msh_read_names(vv_msh *m)
{
    int64_t count;
    vv_text_skip_blank(m->source);
    vvStatus status = vv_text_int(m->source, "the number of physical names", &count);
    if (status == VV_OK && (count < 0 || count > VV_MOST_GROUPS))
        return vv_source_fail(m->source, "the number of physical names is %" PRId64 "; 0 to %d are allowed", count,
                              VV_MOST_GROUPS);
    if (status == VV_OK)
        status = vv_text_end_line(m->source);
    for (int64_t i = 0; i < count && status == VV_OK; i++)
        status = read_name(m);
    return status;
}

/* ---- groups of elements ------------------------------------------------------------------------------------------ */

vvStatus vv_msh_add_physical(vv_msh *m, int dimension, int64_t entity, int64_t tag)
{
    vv_msh_physical row = { dimension, entity, tag };
    return vv_list_push(&m->physical, &row, sizeof row) ? VV_OK : out_of_memory(m);
}

vvStatus vv_msh_group(vv_msh *m, int dimension, int64_t tag, int *group)
{
    *group = vv_builder_group(m->builder, dimension, tag);
    if (*group < 0 && m->builder->groups.count >= VV_MOST_GROUPS)
        return vv_source_fail(m->source, "there are more than %d physical groups", VV_MOST_GROUPS);
    return *group < 0 ? out_of_memory(m) : VV_OK;
}

vvStatus vv_msh_groups_of(vv_msh *m, int dimension, int64_t entity, int groups[VV_MSH_MOST_GROUPS], int *count)
{
    const vv_msh_physical *rows = m->physical.data;
    vvStatus status = VV_OK;
    *count = 0;
    for (size_t i = 0; i < m->physical.count && status == VV_OK; i++) {
        if (rows[i].dimension != dimension || rows[i].entity != entity)
            continue;
        int group = -1, seen = 0;
        status = vv_msh_group(m, dimension, rows[i].tag, &group);
        while (seen < *count && groups[seen] != group)
            seen++;
        if (seen == VV_MSH_MOST_GROUPS)
            return vv_source_fail(m->source, "entity %" PRId64 " belongs to more than %d physical groups", entity,
                                  VV_MSH_MOST_GROUPS);
        groups[seen] = group;
        *count += seen == *count;
    }
    return status;
}

void vv_msh_name_groups(vv_msh *m)
{
    static const char *const kinds[] = { "point", "curve", "surface", "volume" };
    vv_group_key *keys = m->builder->groups.data;
    const vv_group_key *names = m->names.data;
    for (size_t g = 0; g < m->builder->groups.count; g++) {
        size_t n = 0;
        while (n < m->names.count && (names[n].tag != keys[g].tag || names[n].dimension != keys[g].dimension))
            n++;
        if (n < m->names.count)
            memcpy(keys[g].name, names[n].name, sizeof keys[g].name);
        else
            snprintf(keys[g].name, sizeof keys[g].name, "%s %" PRId64, kinds[keys[g].dimension], keys[g].tag);
    }
}

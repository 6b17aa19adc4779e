/* Named groups of a mesh: made from the elements that a file counts among them, kept while vertices get other numbers.
 */
#include "base/memory.h"
#include "mesh/builder.h"

#include <stdlib.h>
#include <string.h>

const vvMeshGroup *vvMeshFindGroup(const vvMesh *mesh, const char *name)
{
    for (int g = 0; mesh && name && g < mesh->groupCount; g++)
        if (strcmp(mesh->groups[g].name, name) == 0)
            return mesh->groups + g;
    return NULL;
}

static void free_groups(vvMeshGroup *groups, int count)
{
    for (int g = 0; groups && g < count; g++) {
        vv_free(groups[g].vertices);
        vv_free(groups[g].triangles);
        vv_free(groups[g].tets);
    }
    vv_free(groups);
}

void vv_mesh_groups_free(vvMesh *mesh)
{
    free_groups(mesh->groups, mesh->groupCount);
    mesh->groups = NULL, mesh->groupCount = 0;
}

int vv_mesh_groups_copy(const vvMesh *mesh, vvMesh *copy)
{
    if (mesh->groupCount == 0)
        return 1;
    copy->groups = vv_alloc((size_t)mesh->groupCount, sizeof *copy->groups);
    if (!copy->groups)
        return 0;
    copy->groupCount = mesh->groupCount;
    for (int g = 0; g < mesh->groupCount; g++) {
        const vvMeshGroup *from = mesh->groups + g;
        vvMeshGroup *to = copy->groups + g;
        *to = *from;
        to->vertices = vv_alloc_copy(from->vertices, (size_t)from->vertexCount, sizeof *to->vertices);
        to->triangles = vv_alloc_copy(from->triangles, 3 * (size_t)from->triangleCount, sizeof *to->triangles);
        to->tets = vv_alloc_copy(from->tets, 4 * (size_t)from->tetCount, sizeof *to->tets);
        if (!to->vertices || !to->triangles || !to->tets)
            return 0;
    }
    return 1;
}

static vvStatus check_indices(const vvMeshGroup *group, const int *indices, int count, int width, int vertices,
                              vvError *error)
{
    if (count < 0 || count > VV_MESH_LIMIT || (count && !indices))
        return vv_fail(error, VV_ERROR_INPUT, "group \"%s\" has %d entries%s; allowed: 0 to %d", group->name, count,
                       count > 0 ? " without an array" : "", VV_MESH_LIMIT);
    for (size_t i = 0; i < (size_t)width * (size_t)count; i++)
        if (indices[i] < 0 || indices[i] >= vertices)
            return vv_fail(error, VV_ERROR_INPUT,
                           "group \"%s\" has vertex index %d; there are %d vertices, so 0 to %d are allowed",
                           group->name, indices[i], vertices, vertices - 1);
    return VV_OK;
}

vvStatus vv_mesh_groups_check(const vvMesh *mesh, vvError *error)
{
    vvStatus status = VV_OK;
    if (mesh->groupCount < 0 || mesh->groupCount > VV_MOST_GROUPS || (mesh->groupCount && !mesh->groups))
        return vv_fail(error, VV_ERROR_INPUT, "mesh with %d groups%s; allowed: 0 to %d", mesh->groupCount,
                       mesh->groupCount > 0 && !mesh->groups ? ", but their array is NULL" : "", VV_MOST_GROUPS);
    for (int g = 0; g < mesh->groupCount && status == VV_OK; g++) {
        const vvMeshGroup *group = mesh->groups + g;
        if (!memchr(group->name, 0, sizeof group->name))
            return vv_fail(error, VV_ERROR_INPUT, "group %d has a name without an end", g);
        status = check_indices(group, group->vertices, group->vertexCount, 1, mesh->vertexCount, error);
        if (status == VV_OK)
            status = check_indices(group, group->triangles, group->triangleCount, 3, mesh->vertexCount, error);
        if (status == VV_OK)
            status = check_indices(group, group->tets, group->tetCount, 4, mesh->vertexCount, error);
    }
    return status;
}

static int compare(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Ascending, each once; how many. */
static int in_order(int *vertices, int count)
{
    int kept = 0;
    if (count > 0)
        qsort(vertices, (size_t)count, sizeof *vertices, compare);
    for (int i = 0; i < count; i++)
        if (i == 0 || vertices[i] != vertices[kept - 1])
            vertices[kept++] = vertices[i];
    return kept;
}

static void map_tets(vvMeshGroup *g, const int *map, const char *used)
{
    int tets = 0;
    for (int t = 0; t < g->tetCount; t++) {
        const int *v = g->tets + 4 * (size_t)t;
        if (used && !(used[v[0]] && used[v[1]] && used[v[2]] && used[v[3]]))
            continue;
        for (int k = 0; k < 4; k++)
            g->tets[4 * (size_t)tets + (size_t)k] = map[v[k]];
        tets++;
    }
    g->tetCount = tets;
}

static void map_group(vvMeshGroup *g, const int *map, const char *used)
{
    int vertices = 0, triangles = 0;
    for (int i = 0; i < g->vertexCount; i++)
        if (!used || used[g->vertices[i]])
            g->vertices[vertices++] = map[g->vertices[i]];
    g->vertexCount = in_order(g->vertices, vertices);
    for (int t = 0; t < g->triangleCount; t++) {
        const int *v = g->triangles + 3 * (size_t)t;
        int *to = g->triangles + 3 * (size_t)triangles;
        if (used && !(used[v[0]] && used[v[1]] && used[v[2]]))
            continue;
        const int w[3] = { map[v[0]], map[v[1]], map[v[2]] };
        memcpy(to, w, sizeof w);
        triangles += w[0] != w[1] && w[1] != w[2] && w[2] != w[0];
    }
    g->triangleCount = triangles;
    map_tets(g, map, used);
}

void vv_mesh_groups_map(vvMesh *mesh, const int *map, const char *used)
{
    for (int g = 0; g < mesh->groupCount; g++)
        map_group(mesh->groups + g, map, used);
}

/* ---- from a file ---------------------------------------------------------------------------------------------- */

/* of[k]: the group of key k, those of one name as one; their number. */
static int merge_names(const vv_group_key *keys, int count, int *of)
{
    int groups = 0;
    for (int k = 0; k < count; k++) {
        int same = 0;
        while (same < k && strcmp(keys[same].name, keys[k].name) != 0)
            same++;
        of[k] = same < k ? of[same] : groups++;
    }
    return groups;
}

static int fill_groups(const vv_builder *b, const int *of, vvMesh *mesh)
{
    const vv_group_key *keys = b->groups.data;
    const vv_group_member *members = b->members.data;
    for (size_t k = 0; k < b->groups.count; k++) {
        vvMeshGroup *g = mesh->groups + of[k];
        memcpy(g->name, keys[k].name, sizeof g->name);
        g->dimension = keys[k].dimension > g->dimension ? keys[k].dimension : g->dimension;
    }
    for (size_t i = 0; i < b->members.count; i++) {
        mesh->groups[of[members[i].group]].vertexCount += members[i].corners;
        mesh->groups[of[members[i].group]].triangleCount += members[i].corners == 3;
        mesh->groups[of[members[i].group]].tetCount += members[i].corners == 4;
    }
    for (int g = 0; g < mesh->groupCount; g++) {
        vvMeshGroup *group = mesh->groups + g;
        group->vertices = vv_alloc((size_t)group->vertexCount, sizeof *group->vertices);
        group->triangles = vv_alloc(3 * (size_t)group->triangleCount, sizeof *group->triangles);
        group->tets = vv_alloc(4 * (size_t)group->tetCount, sizeof *group->tets);
        if (!group->vertices || !group->triangles || !group->tets)
            return 0;
        group->vertexCount = group->triangleCount = group->tetCount = 0;
    }
    for (size_t i = 0; i < b->members.count; i++) {
        vvMeshGroup *g = mesh->groups + of[members[i].group];
        for (int c = 0; c < members[i].corners; c++)
            g->vertices[g->vertexCount++] = members[i].v[c];
        if (members[i].corners == 3)
            memcpy(g->triangles + 3 * (size_t)g->triangleCount++, members[i].v, 3 * sizeof(int));
        if (members[i].corners == 4)
            memcpy(g->tets + 4 * (size_t)g->tetCount++, members[i].v, 4 * sizeof(int));
    }
    return 1;
}

/* The same as in_order, sooner where many are to be ordered. `mark`: of each vertex of the mesh, all 0. */
static int mark_in_order(int *vertices, int count, char *mark, int most)
{
    int kept = 0;
    if (count < most / 8)
        return in_order(vertices, count);
    for (int i = 0; i < count; i++)
        mark[vertices[i]] = 1;
    for (int v = 0; v < most; v++)
        if (mark[v])
            vertices[kept++] = v;
    memset(mark, 0, (size_t)most);
    return kept;
}

int vv_builder_make_groups(const vv_builder *b, vvMesh *mesh)
{
    const int keys = (int)b->groups.count;
    if (keys == 0)
        return 1;
    int *of = vv_alloc((size_t)keys, sizeof *of);
    mesh->groups = of ? vv_alloc((size_t)keys, sizeof *mesh->groups) : NULL;
    if (mesh->groups)
        mesh->groupCount = merge_names(b->groups.data, keys, of);
    char *mark = vv_alloc((size_t)mesh->vertexCount, 1);
    int ok = mark && mesh->groups && fill_groups(b, of, mesh);
    for (int g = 0; ok && g < mesh->groupCount; g++) {
        vvMeshGroup *group = mesh->groups + g;
        group->vertexCount = mark_in_order(group->vertices, group->vertexCount, mark, mesh->vertexCount);
    }
    vv_free(mark);
    vv_free(of);
    return ok;
}

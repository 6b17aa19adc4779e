/* Growing arrays of vertices and elements. */
#include "mesh/builder.h"

#include "base/memory.h"
#include "base/stop.h"
#include "mesh/tet10.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int vv_list_push(vv_list *list, const void *item, size_t size)
{
    if (vv_stopped_in(list->count) || !vv_grow(&list->data, &list->capacity, list->count + 1, size))
        return 0;
    memcpy((char *)list->data + list->count * size, item, size);
    list->count++;
    return 1;
}

void vv_list_free(vv_list *list)
{
    vv_free(list->data);
    *list = (vv_list){ 0 };
}

static void push(vv_builder *b, vv_list *list, const void *item, size_t size, vv_list *places, int at)
{
    if (b->failed)
        return;
    if (list->count >= VV_MESH_LIMIT || !vv_list_push(list, item, size) || !vv_list_push(places, &at, sizeof at))
        b->failed = true;
}

void vv_builder_vertex(vv_builder *b, const double x[3], int at)
{
    push(b, &b->positions, x, 3 * sizeof *x, &b->vertex_at, at);
}

void vv_builder_tet(vv_builder *b, const int v[4], int at) { push(b, &b->tets, v, 4 * sizeof *v, &b->tet_at, at); }

void vv_builder_tet10(vv_builder *b, const int v[10], int at)
{
    push(b, &b->tets10, v, 10 * sizeof *v, &b->tet10_at, at);
}

void vv_builder_triangle(vv_builder *b, const int v[3], int at)
{
    push(b, &b->triangles, v, 3 * sizeof *v, &b->triangle_at, at);
}

void vv_builder_uvs(vv_builder *b, const double uv[6])
{
    if (!b->failed && !vv_list_push(&b->uvs, uv, 6 * sizeof *uv))
        b->failed = true;
}

void vv_builder_edge(vv_builder *b, const int v[2], int at) { push(b, &b->edges, v, 2 * sizeof *v, &b->edge_at, at); }

void vv_builder_point(vv_builder *b, int v, int at) { push(b, &b->points, &v, sizeof v, &b->point_at, at); }

void vv_builder_free(vv_builder *b)
{
    vv_list *lists[] = { &b->groups,      &b->members, &b->positions, &b->tets,      &b->triangles,
                         &b->edges,       &b->points,  &b->uvs,       &b->vertex_at, &b->tet_at,
                         &b->triangle_at, &b->edge_at, &b->point_at,  &b->tets10,    &b->tet10_at };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        vv_list_free(lists[i]);
}

int vv_builder_group(vv_builder *b, int dimension, int64_t tag)
{
    const vv_group_key *keys = b->groups.data;
    for (size_t i = b->groups.count; i-- > 0;)
        if (keys[i].tag == tag && keys[i].dimension == dimension)
            return (int)i;
    vv_group_key key = { .dimension = dimension, .tag = tag };
    if (b->groups.count >= VV_MOST_GROUPS || !vv_list_push(&b->groups, &key, sizeof key))
        return -1;
    return (int)b->groups.count - 1;
}

void vv_builder_member(vv_builder *b, int group, const int *v, int corners)
{
    vv_group_member member = { .group = group, .corners = corners };
    memcpy(member.v, v, (size_t)corners * sizeof *v);
    if (!vv_list_push(&b->members, &member, sizeof member))
        b->failed = true;
}

void vv_builder_forget_regions(vv_builder *b)
{
    b->no_regions = true;
    b->groups.count = b->members.count = 0;
}

void vv_builder_region(vv_builder *b, int64_t number, const int corners[4])
{
    const int group = b->no_regions ? -1 : vv_builder_group(b, 3, number);
    if (group < 0) { /* as many as elements, say: they number something else */
        b->failed = b->failed || (!b->no_regions && b->groups.count < VV_MOST_GROUPS);
        vv_builder_forget_regions(b);
        return;
    }
    vv_group_key *key = (vv_group_key *)b->groups.data + group;
    if (!key->name[0])
        snprintf(key->name, sizeof key->name, "volume %" PRId64, number);
    vv_builder_member(b, group, corners, 4);
}

void vv_builder_end_regions(vv_builder *b)
{
    if (b->groups.count == 1)
        vv_builder_forget_regions(b);
}

/* Tets of ten nodes alone, or none of them. */
static void straighten_mixed(vv_builder *b)
{
    const int *nodes = b->tets10.data, *at = b->tet10_at.data;
    if (b->tets.count == 0) {
        b->straightened = b->tets10.count ? 0 : b->straightened; /* of the triangles and edges beside them */
        return;
    }
    for (size_t t = 0; t < b->tets10.count; t++)
        vv_builder_tet(b, nodes + 10 * t, at[t]);
    b->straightened += (int)b->tets10.count;
    vv_list_free(&b->tets10);
}

void vv_builder_take(vv_builder *b, vvMesh *mesh)
{
    straighten_mixed(b);
    for (size_t t = 0; b->by_place && t < b->tets10.count; t++)
        vv_tet10_place_middles(b->positions.data, (int *)b->tets10.data + 10 * t);
    *mesh = (vvMesh){
        .vertexCount = (int)b->positions.count,
        .tetCount = (int)b->tets.count,
        .triangleCount = (int)b->triangles.count,
        .edgeCount = (int)b->edges.count,
        .pointCount = (int)b->points.count,
        .positions = b->positions.data,
        .tets = b->tets.data,
        .triangles = b->triangles.data,
        .edges = b->edges.data,
        .points = b->points.data,
        .tet10Count = (int)b->tets10.count,
        .tets10 = b->tets10.data,
        .uvs = b->uvs.count > 0 && b->uvs.count == b->triangles.count ? b->uvs.data : NULL,
    };
    if (!mesh->uvs)
        vv_list_free(&b->uvs);
    b->positions = b->tets = b->triangles = b->edges = b->points = b->uvs = b->tets10 = (vv_list){ 0 };
}

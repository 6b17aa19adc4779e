/* Meshes written into the scene itself: "points", a list of positions, and "edges" between them. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "scene/document.h"

bool vv_scene_is_points(const json_t *mesh) { return json_object_get(mesh, "points") != NULL; }

/* What the key table cannot check: that edges join points that there are. */
vvStatus vv_scene_check_points(vv_document *doc, const json_t *mesh, const char *where)
{
    const json_t *edges = json_object_get(mesh, "edges");
    size_t count = json_array_size(json_object_get(mesh, "points"));
    char list[VV_SCENE_PATH], item[VV_SCENE_PATH];
    vv_scene_child(list, where, "edges");
    if (edges && !vv_scene_is_points(mesh))
        return vv_scene_fail(doc, list, "join the points of a mesh; give \"points\", too");
    for (size_t i = 0; i < json_array_size(edges); i++) {
        double ends[2] = { -1, -1 };
        vv_scene_item(item, list, i);
        for (size_t k = 0; k < 2; k++)
            vv_scene_number(json_array_get(json_array_get(edges, i), k), ends + k);
        if (ends[0] == ends[1] || ends[0] >= (double)count || ends[1] >= (double)count)
            return vv_scene_fail(doc, item, "found [%.9g, %.9g]; allowed: two different points of 0 to %zu", ends[0],
                                 ends[1], count - 1);
    }
    return VV_OK;
}

static bool allocate(vvMesh *mesh, size_t points, size_t edges)
{
    mesh->positions = vv_alloc(3 * points, sizeof *mesh->positions);
    mesh->edges = vv_alloc(2 * edges, sizeof *mesh->edges);
    mesh->points = vv_alloc(points, sizeof *mesh->points);
    return mesh->positions && mesh->edges && mesh->points;
}

vvStatus vv_scene_make_points(vv_document *doc, const json_t *source, const char *where, vvMesh *mesh)
{
    const json_t *points = json_object_get(source, "points"), *edges = json_object_get(source, "edges");
    size_t count = json_array_size(points), joined = json_array_size(edges);
    if (!allocate(mesh, count, joined)) {
        vvMeshDestroy(mesh);
        return vv_fail_memory(doc->error, "the points of a mesh");
    }
    mesh->vertexCount = (int)count;
    mesh->edgeCount = (int)joined;
    mesh->pointCount = joined ? 0 : (int)count;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < 3; k++)
            vv_scene_number(json_array_get(json_array_get(points, i), k), mesh->positions + 3 * i + k);
        mesh->points[i] = (int)i;
    }
    for (size_t i = 0; i < joined; i++)
        for (size_t k = 0; k < 2; k++) {
            double end = 0;
            vv_scene_number(json_array_get(json_array_get(edges, i), k), &end);
            mesh->edges[2 * i + k] = (int)end;
        }
    vvStatus status = vvMeshFinish(mesh, NULL, doc->error);
    if (status == VV_OK && mesh->vertexCount == (int)count)
        return VV_OK;
    int left = mesh->vertexCount;
    vvMeshDestroy(mesh);
    if (status != VV_OK)
        return vv_scene_prefix(doc, where);
    return vv_scene_fail(
        doc, where,
        "of %zu points only %d count: no two may be at one position, and where there are edges each point needs one",
        count, left);
}

/* One obstacle of a scene: a shape given by a formula, or a mesh, which is a kinematic body of the world. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "scene/document.h"

enum { MOST_VALUES = 256 };

static vvStatus add_shape(vv_document *doc, vvWorld *world, const json_t *source, const char *where)
{
    const json_t *value = NULL;
    vvObstacleDef def = vvDefaultObstacleDef();
    double values[MOST_VALUES];
    vv_typed typed = { 0 };
    vvObstacleId id;
    def.type = vv_scene_typed_member(source, "obstacles[]", &value, &typed);
    if (vv_typed_size(&typed) > MOST_VALUES)
        return vv_scene_fail(doc, where, "\"%s\" has more than %d parameters", def.type, MOST_VALUES);
    vv_scene_values(value, &typed, values);
    def.values = values;
    vv_read_text(source, "name", &def.name);
    vv_read_number(source, "friction", &def.friction);
    vv_read_filter(source, "filter", &def.filter);
    return vvWorldAddObstacle(world, &def, &id, doc->error) ? vv_scene_prefix(doc, where) : VV_OK;
}

/* Of tets only the boundary, with the vertices that it uses. */
static vvStatus make_mesh(vv_document *doc, const json_t *source, const char *where, vvMesh *mesh)
{
    char path[VV_SCENE_PATH];
    vv_scene_child(path, where, "mesh");
    vvStatus status = vv_scene_make_mesh(doc, json_object_get(source, "mesh"), "obstacles[].mesh", path, mesh);
    if (status || mesh->tetCount == 0)
        return status;
    mesh->tetCount = 0;
    return vvMeshFinish(mesh, NULL, doc->error) ? vv_scene_prefix(doc, path) : VV_OK;
}

static vvStatus add_mesh(vv_document *doc, vvWorld *world, const json_t *source, const char *where, size_t index)
{
    vvBodyDef def = vvDefaultBodyDef();
    vvMesh mesh = { 0 };
    vvWaypoint *points = NULL;
    vvBodyId body;
    char name[64] = "";
    vv_read_text(source, "name", &def.name);
    for (size_t n = index + 1; !*def.name && (!*name || vv_scene_has_name(doc->root, name)); n += index + 1)
        snprintf(name, sizeof name, "obstacle-%zu", n);
    if (!*def.name)
        def.name = name;
    def.kinematic = true;
    def.mesh = &mesh;
    vv_scene_read_place(source, &def);
    vv_read_number(source, "thickness", &def.thickness);
    vvStatus status = vv_scene_read_motion(doc, json_object_get(source, "motion"), &def.motion, &points);
    if (!status)
        status = make_mesh(doc, source, where, &mesh);
    if (!status && (status = vvWorldAddBody(world, &def, &body, doc->error)))
        vv_scene_prefix(doc, where);
    vvMeshDestroy(&mesh);
    vv_free(points);
    return status;
}

vvStatus vv_scene_build_obstacle(vv_document *doc, vvWorld *world, size_t index)
{
    const json_t *source = json_array_get(json_object_get(doc->root, "obstacles"), index);
    char where[VV_SCENE_PATH];
    vv_scene_item(where, "obstacles", index);
    return vv_scene_is_mesh_obstacle(source) ? add_mesh(doc, world, source, where, index) : add_shape(doc, world, source, where);
}

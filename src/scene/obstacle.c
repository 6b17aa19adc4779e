/* One obstacle of a scene, or a grid of copies: a shape given by a formula, or a mesh, which is a kinematic body of
 * the world. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "scene/document.h"
#include "scene/heights.h"

enum { MOST_VALUES = 256 };

/* One of the copies of an entry. */
typedef struct copy {
    const char *name;
    double shift[3]; /* m, from the first */
} copy;

/* What the copies of an entry share. */
typedef struct shared {
    vv_heights heights;
    vvMesh mesh;
    vvFollowDef follow;
    vvDistanceGrid grid;
} shared;

/* A copy turns about its own axis. */
static vvStatus read_motion(vv_document *doc, const json_t *source, const copy *as, vvMotionDef *motion,
                            vvWaypoint **points)
{
    vvStatus status = vv_scene_read_motion(doc, json_object_get(source, "motion"), motion, points);
    for (int k = 0; k < 3; k++)
        motion->about[k] += as->shift[k];
    return status;
}

/* The first parameter of every shape is where it stands (contact/obstacles/obstacle.h). */
static vvStatus add_shape(vv_document *doc, vvWorld *world, const json_t *source, const char *where, const shared *made,
                          const copy *as)
{
    const vv_heights *heights = &made->heights;
    const json_t *value = NULL;
    vvObstacleDef def = vvDefaultObstacleDef();
    double values[MOST_VALUES];
    vvSetting settings[MOST_VALUES];
    vv_typed typed = { 0 };
    vvObstacleId id;
    vvWaypoint *points = NULL;
    def.type = vv_scene_typed_member(source, "obstacles[]", &value, &typed);
    if (vv_typed_size(&typed) > MOST_VALUES)
        return vv_scene_fail(doc, where, "\"%s\" has more than %d parameters", def.type, MOST_VALUES);
    vv_scene_values(value, &typed, values);
    for (int k = 0; k < 3; k++)
        values[k] += as->shift[k];
    def.settings = settings;
    def.samples = heights->samples;
    memcpy(def.sampleCounts, heights->counts, sizeof heights->counts);
    if (made->grid.samples) { /* origin and spacing are the last of its parameters */
        double *grid = values + vv_typed_size(&typed) - 4;
        memcpy(grid, made->grid.origin, 3 * sizeof *grid);
        grid[3] = made->grid.spacing;
        def.samples = made->grid.samples;
        memcpy(def.sampleCounts, made->grid.counts, sizeof def.sampleCounts);
    }
    def.settingCount = vv_scene_settings(&typed, values, settings);
    def.name = as->name;
    vv_read_number(source, "friction", &def.friction);
    vv_read_filter(source, "filter", &def.filter);
    def.moves = json_object_get(source, "motion") != NULL;
    vvStatus status = read_motion(doc, source, as, &def.motion, &points);
    if (status == VV_OK && (status = vvWorldAddObstacle(world, &def, &id, doc->error)) != VV_OK)
        vv_scene_prefix(doc, where);
    vv_free(points);
    return status;
}

static vvStatus make_mesh(vv_document *doc, const json_t *source, const char *where, vvMesh *mesh)
{
    char path[VV_SCENE_PATH];
    if (!vv_scene_is_mesh_obstacle(source))
        return VV_OK;
    vv_scene_child(path, where, "mesh");
    vvStatus status = vv_scene_make_mesh(doc, json_object_get(source, "mesh"), "obstacles[].mesh", path, mesh, NULL);
    return status != VV_OK ? status : vv_scene_to_surface(doc, path, mesh);
}

/* The grid of a level set; none of all others. */
static vvStatus sample_solid(vv_document *doc, const json_t *obstacle, const char *where, vvDistanceGrid *grid)
{
    const json_t *solid = json_object_get(obstacle, "solid");
    double scale = 1, spacing = 0, margin = 0;
    char path[VV_SCENE_PATH];
    vvMesh mesh = { 0 };
    if (!solid)
        return VV_OK;
    vv_scene_child(path, where, "solid");
    vv_read_number(solid, "scale", &scale);
    vv_read_number(solid, "spacing", &spacing);
    vv_read_number(solid, "margin", &margin);
    vvStatus status = vv_scene_make_mesh(doc, solid, "obstacles[].solid", path, &mesh, NULL);
    if (status == VV_OK)
        status = vv_scene_to_surface(doc, path, &mesh);
    for (int i = 0; status == VV_OK && i < 3 * mesh.vertexCount; i++)
        mesh.positions[i] *= scale;
    if (status == VV_OK && (status = vvMeshSampleDistance(&mesh, spacing, margin, grid, doc->error)) != VV_OK)
        vv_scene_prefix(doc, path);
    vvMeshDestroy(&mesh);
    return status;
}

static vvStatus add_mesh(vv_document *doc, vvWorld *world, const json_t *source, const char *where, const shared *made,
                         const copy *as)
{
    vvBodyDef def = vvDefaultBodyDef();
    vvWaypoint *points = NULL;
    vvBodyId body;
    def.name = as->name;
    def.kinematic = true;
    def.mesh = &made->mesh;
    def.follow = made->follow;
    vv_scene_read_place(source, &def);
    for (int k = 0; k < 3; k++)
        def.translate[k] += as->shift[k];
    vv_read_number(source, "thickness", &def.thickness);
    vvStatus status = read_motion(doc, source, as, &def.motion, &points);
    if (status == VV_OK && (status = vvWorldAddBody(world, &def, &body, doc->error)) != VV_OK)
        vv_scene_prefix(doc, where);
    vv_free(points);
    return status;
}

/* The name of an entry; those that become bodies need one: "obstacle-3". */
static const char *name_of(const vv_document *doc, const json_t *source, size_t index, char made[64])
{
    const char *name = "";
    made[0] = 0;
    vv_read_text(source, "name", &name);
    if (*name || !vv_scene_is_body_obstacle(source))
        return name;
    for (size_t n = index + 1; !*made || vv_scene_has_name(doc, made); n += index + 1)
        snprintf(made, 64, "obstacle-%zu", n);
    return made;
}

vvStatus vv_scene_build_obstacle(vv_document *doc, vvWorld *world, size_t index)
{
    const json_t *source = json_array_get(json_object_get(doc->root, "obstacles"), index);
    char where[VV_SCENE_PATH], made[64], numbered[VV_COPY_NAME];
    const char *name = name_of(doc, source, index, made);
    shared all = { 0 };
    vv_scene_item(where, "obstacles", index);
    vvStatus status = make_mesh(doc, source, where, &all.mesh);
    if (status == VV_OK)
        status = vv_scene_make_heights(doc, source, where, &all.heights);
    if (status == VV_OK)
        status = sample_solid(doc, source, where, &all.grid);
    if (status == VV_OK)
        status = vv_scene_read_follow(doc, json_object_get(source, "motion"), where, &all.mesh, &all.follow);
    for (int i = 0; status == VV_OK && i < vv_scene_copies(source); i++) {
        copy as = { vv_scene_copy_name(source, name, i, numbered), { 0 } };
        vv_scene_copy_shift(source, i, as.shift);
        status = vv_scene_is_mesh_obstacle(source) ? add_mesh(doc, world, source, where, &all, &as)
                                                   : add_shape(doc, world, source, where, &all, &as);
    }
    vvMeshDestroy(&all.mesh);
    vv_free(all.heights.samples);
    vvDistanceGridDestroy(&all.grid);
    vv_free((void *)(uintptr_t)all.follow.times);
    vv_free((void *)(uintptr_t)all.follow.positions);
    return status;
}

/* The public face of scenes: load, ask, make a world. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/stop.h"
#include "base/text/path.h"
#include "scene/document.h"

struct vvScene {
    json_t *root;
    char *file; /* for messages */
    char *name, *text;
    vvSceneTime time;
    vvWatch watch;
};

void vvSceneDestroy(vvScene *scene)
{
    if (!scene)
        return;
    json_decref(scene->root);
    vv_free(scene->file);
    vv_free(scene->name);
    vv_free(scene->text);
    vv_free(scene);
}

const json_t *vv_scene_root(const vvScene *scene) { return scene->root; }
const char *vvSceneName(const vvScene *scene) { return scene ? scene->name : ""; }
vvSceneTime vvSceneGetTime(const vvScene *scene) { return scene ? scene->time : (vvSceneTime){ 0 }; }
const char *vvSceneText(const vvScene *scene) { return scene ? scene->text : ""; }

/* "scenes/rotating-cube.json" -> "rotating-cube": the default name of a scene. */
static char *stem(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name = vv_strdup(slash ? slash + 1 : path);
    char *dot = name ? strrchr(name, '.') : NULL;
    if (dot && dot > name)
        *dot = 0;
    return name;
}

bool vvSceneBodyPath(const vvScene *scene, int index, char *path, size_t size)
{
    if (path && size > 0)
        path[0] = 0;
    return scene && path && size > 0 && vv_scene_body_path(scene->root, index, path, size);
}

bool vvSceneObstaclePath(const vvScene *scene, int index, char *path, size_t size)
{
    const json_t *obstacles = json_object_get(scene && path ? scene->root : NULL, "obstacles");
    if (path && size > 0)
        path[0] = 0;
    for (size_t i = 0; i < json_array_size(obstacles); i++) {
        const json_t *obstacle = json_array_get(obstacles, i);
        int count = vv_scene_is_mesh_obstacle(obstacle) ? 0 : vv_scene_copies(obstacle);
        if (index >= 0 && index < count) {
            if (json_object_get(obstacle, "copies"))
                snprintf(path, size, "obstacles[%zu], copy %d", i, index + 1);
            else
                snprintf(path, size, "obstacles[%zu]", i);
            return true;
        }
        index -= count;
    }
    return false;
}

static vvStatus apply_overrides(vv_document *doc, const char *const *overrides, int count)
{
    for (int i = 0; i < count; i++) {
        vvStatus status = vv_scene_override(doc, overrides[i]);
        if (status != VV_OK)
            return status;
    }
    if (count == 0)
        return VV_OK;
    /* a path from the command line is relative to the current folder; those of files are absolute by now */
    char *here;
    vvStatus status = vv_real_path(".", &here, doc->error);
    if (status == VV_OK)
        status = vv_scene_anchor_meshes(doc->root, here, doc->error);
    vv_free(here);
    return status;
}

static vvStatus check(vv_document *doc, const char *const *overrides, int count)
{
    vvStatus status = vv_scene_validate(doc);
    if (status == VV_OK)
        status = vv_scene_check_rules(doc);
    if (status == VV_OK)
        status = vv_scene_choose_files(doc);
    /* a message about a value set by an override names the override */
    for (int i = count - 1; status != VV_OK && doc->failed[0] && i >= 0; i--)
        if (vv_scene_override_reaches(overrides[i], doc->failed)) {
            char shown[80];
            vv_fail_prefix(doc->error, "override \"%s\": ", vv_scene_printable(overrides[i], shown));
            break;
        }
    for (int i = 0; status == VV_OK && i < count; i++)
        status = vv_scene_override_used(doc, overrides[i]);
    return status;
}

/* Takes ownership of `root`. */
static vvStatus finish(json_t *root, const char *file, const char *const *overrides, int count, vvScene **out,
                       vvError *error)
{
    vv_document doc = { .root = root, .name = file, .error = error };
    vvScene *scene = vv_alloc(1, sizeof *scene);
    if (!scene) {
        json_decref(root);
        return vv_fail_memory(error, "a scene");
    }
    scene->root = root;
    vvStatus status = apply_overrides(&doc, overrides, count);
    if (status == VV_OK)
        status = check(&doc, overrides, count);
    vv_scene_forget_names(&doc);
    if (status == VV_OK) {
        const char *name = json_string_value(json_object_get(root, "name"));
        scene->file = vv_strdup(file);
        scene->name = name && name[0] ? vv_strdup(name) : stem(file);
        scene->text = vv_scene_text(root);
        scene->time = vv_scene_time(root);
        if (!scene->file || !scene->name || !scene->text)
            status = vv_fail_memory(error, "a scene");
    }
    if (status != VV_OK) {
        vvSceneDestroy(scene);
        return status;
    }
    *out = scene;
    return VV_OK;
}

static vvStatus check_arguments(const char *const *overrides, int count, vvError *error)
{
    if (count < 0 || (count > 0 && !overrides))
        return vv_fail(error, VV_ERROR_INPUT, "found %d overrides%s", count, overrides ? "" : ", but the list is NULL");
    for (int i = 0; i < count; i++)
        if (!overrides[i])
            return vv_fail(error, VV_ERROR_INPUT, "override %d is NULL; allowed: \"path=value\"", i);
    return VV_OK;
}

vvStatus vvSceneLoad(const char *path, const char *const *overrides, int count, vvScene **scene, vvError *error)
{
    json_t *root = NULL;
    vvError ignored;
    if (!error)
        error = &ignored;
    vv_error_clear(error);
    if (!scene || !path)
        return vv_fail(error, VV_ERROR_INPUT, "vvSceneLoad needs a path and a pointer for the scene, found NULL");
    *scene = NULL;
    vvStatus status = check_arguments(overrides, count, error);
    if (status == VV_OK)
        status = vv_scene_read_file(path, &root, error);
    return status != VV_OK ? status : finish(root, path, overrides, count, scene, error);
}

vvStatus vvSceneParse(const char *text, const char *name, const char *folder, const char *const *overrides, int count,
                      vvScene **scene, vvError *error)
{
    json_t *root = NULL;
    vvError ignored;
    if (!error)
        error = &ignored;
    vv_error_clear(error);
    if (!scene || !text)
        return vv_fail(error, VV_ERROR_INPUT, "vvSceneParse needs a text and a pointer for the scene, found NULL");
    *scene = NULL;
    name = name && name[0] ? name : "scene";
    char *start = NULL;
    vvStatus status = check_arguments(overrides, count, error);
    if (status == VV_OK)
        status = vv_real_path(folder && folder[0] ? folder : ".", &start, error);
    if (status == VV_ERROR_IO)
        vv_fail(error, status, "%s: cannot find the folder %s, where mesh paths start", name, folder);
    if (status == VV_OK)
        status = vv_scene_read_text(text, strlen(text), name, start, &root, error);
    vv_free(start);
    return status != VV_OK ? status : finish(root, name, overrides, count, scene, error);
}

void vvSceneSetWatch(vvScene *scene, const vvWatch *watch)
{
    if (scene)
        scene->watch = watch ? *watch : (vvWatch){ 0 };
}

static vvStatus create_hosted(const vvScene *scene, int threads, const vvHost *host, vvWorld **world, vvError *error)
{
    vvError ignored;
    if (!error)
        error = &ignored;
    vv_error_clear(error);
    if (!scene || !world)
        return vv_fail(error, VV_ERROR_INPUT,
                       "vvSceneCreateWorld needs a scene and a pointer for the world, found NULL");
    if (threads < 0 || threads > 4096)
        return vv_fail(error, VV_ERROR_INPUT, "found %d threads; allowed: 0 (all cores) to 4096", threads);
    vv_document doc = { .root = scene->root, .name = scene->file, .error = error, .host = host, .watch = scene->watch };
    vvHost mine = host ? *host : (vvHost){ 0 };
    vvStatus status = vv_memory_check(&mine.allocator, error);
    if (status != VV_OK)
        return status;
    /* what is needed meanwhile, such as meshes, comes from the same memory */
    vvAllocator outer = vv_memory_use(mine.allocator.allocate ? mine.allocator : vv_memory_in_use());
    status = vv_scene_build(&doc, threads, &mine, world);
    vv_memory_use(outer);
    return status;
}

vvStatus vvSceneCreateHostedWorld(const vvScene *scene, int threads, const vvHost *host, vvWorld **world,
                                  vvError *error)
{
    VV_STOPPABLE(create_hosted(scene, threads, host, world, error));
}

vvStatus vvSceneCreateWorld(const vvScene *scene, int threads, vvWorld **world, vvError *error)
{
    return vvSceneCreateHostedWorld(scene, threads, NULL, world, error);
}

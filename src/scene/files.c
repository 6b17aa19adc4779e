/* Files of a scene: where a list of them is given, the first that can be read is taken; else one of that name in the
 * folder that the environment names (VISVIVA_MESHES). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "scene/document.h"

/* The file of that name in $VISVIVA_MESHES; false: there is none. */
static bool is_in_folder(const char *path, char *out, size_t size)
{
    const char *folder = getenv("VISVIVA_MESHES"), *slash = strrchr(path, '/');
    if (!folder || !*folder)
        return false;
    const int length = snprintf(out, size, "%s/%s", folder, slash ? slash + 1 : path);
    return length > 0 && (size_t)length < size && access(out, R_OK) == 0;
}

static vvStatus choose_file(vv_document *doc, json_t *mesh, const char *where)
{
    json_t *file = json_object_get(mesh, "file");
    size_t count = json_is_array(file) ? json_array_size(file) : file ? 1 : 0, used = 0;
    char tried[640] = "";
    for (size_t i = 0; i < count; i++) {
        json_t *path = json_is_array(file) ? json_array_get(file, i) : file;
        errno = 0;
        if (access(json_string_value(path), R_OK) == 0)
            return json_object_set(mesh, "file", path) == 0 ? VV_OK : vv_fail_memory(doc->error, "a mesh path");
        int n = snprintf(tried + used, sizeof tried - used, "%s%.200s", i ? ", " : "", json_string_value(path));
        used = n > 0 && used + (size_t)n < sizeof tried ? used + (size_t)n : sizeof tried - 1;
    }
    for (size_t i = 0; i < count; i++) {
        char found[4400];
        const int reason = errno;
        if (is_in_folder(json_string_value(json_is_array(file) ? json_array_get(file, i) : file), found, sizeof found))
            return json_object_set_new(mesh, "file", json_string(found)) == 0
                       ? VV_OK
                       : vv_fail_memory(doc->error, "a mesh path");
        errno = reason;
    }
    if (count == 1)
        return vv_scene_fail(doc, where, "cannot read %s: %s", tried, strerror(errno));
    return count ? vv_scene_fail(doc, where, "cannot read any of %s", tried) : VV_OK;
}

vvStatus vv_scene_choose_files(vv_document *doc)
{
    const json_t *bodies = json_object_get(doc->root, "bodies");
    static const char *const keys[] = { "mesh", "surface", "rest_angles" };
    for (size_t i = 0; i < 3 * json_array_size(bodies); i++) {
        char where[VV_SCENE_PATH];
        snprintf(where, sizeof where, "bodies[%zu].%s.file", i / 3, keys[i % 3]);
        vvStatus status = choose_file(doc, json_object_get(json_array_get(bodies, i / 3), keys[i % 3]), where);
        if (status != VV_OK)
            return status;
    }
    for (size_t i = 0; i < json_array_size(bodies); i++) {
        const json_t *start = json_object_get(json_array_get(bodies, i), "start");
        for (size_t k = 0; k < json_array_size(start); k++) {
            char where[VV_SCENE_PATH];
            snprintf(where, sizeof where, "bodies[%zu].start[%zu].file", i, k);
            vvStatus status = choose_file(doc, json_array_get(start, k), where);
            if (status != VV_OK)
                return status;
        }
    }
    const json_t *obstacles = json_object_get(doc->root, "obstacles");
    for (size_t i = 0; i < json_array_size(obstacles); i++) {
        char where[VV_SCENE_PATH];
        snprintf(where, sizeof where, "obstacles[%zu].mesh.file", i);
        vvStatus status = choose_file(doc, json_object_get(json_array_get(obstacles, i), "mesh"), where);
        snprintf(where, sizeof where, "obstacles[%zu].solid.file", i);
        if (status == VV_OK)
            status = choose_file(doc, json_object_get(json_array_get(obstacles, i), "solid"), where);
        snprintf(where, sizeof where, "obstacles[%zu].heights.file", i);
        if (status == VV_OK)
            status = choose_file(doc, json_object_get(json_array_get(obstacles, i), "heights"), where);
        if (status != VV_OK)
            return status;
    }
    return VV_OK;
}

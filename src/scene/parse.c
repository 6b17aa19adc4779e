/* Text to JSON: one object, no key twice, errors with file, line and column; and "extends": a scene that starts
 * from another file's scene. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text/path.h"
#include "scene/document.h"

enum { LONGEST_FILE = 64 << 20, DEEPEST = 16 };

/* Where text comes from, innermost file first: to detect files that extend each other in a cycle. */
typedef struct origin {
    const struct origin *above;
    const char *path; /* canonical; NULL for text in memory */
    int depth;
} origin;

static vvStatus read_extended(const char *path, const origin *above, json_t **root, vvError *error);

/* ---- folders ---- */

/* The folder of `path` as an absolute path, to be freed with vv_free. */
static vvStatus folder_of(const char *path, char **absolute, vvError *error)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return vv_real_path(".", absolute, error);
    char *folder = vv_strdup(path);
    if (!folder)
        return vv_fail_memory(error, "the name of a folder");
    folder[slash == path ? 1 : slash - path] = 0;
    vvStatus status = vv_real_path(folder, absolute, error);
    vv_free(folder);
    return status;
}

static char *join(const char *folder, const char *path)
{
    size_t size = strlen(folder) + strlen(path) + 2;
    char *joined = vv_alloc(size, 1);
    if (joined)
        snprintf(joined, size, "%s%s%s", path[0] == '/' ? "" : folder, path[0] == '/' ? "" : "/", path);
    return joined;
}

static json_t *anchored(const json_t *path, const char *folder)
{
    const char *text = json_string_value(path);
    if (!text || !text[0] || text[0] == '/')
        return json_copy((json_t *)(uintptr_t)path);
    char *joined = join(folder, text);
    json_t *value = joined ? json_string(joined) : NULL;
    vv_free(joined);
    return value;
}

/* Anything but a path (or list of paths) is left for validation to report. */
static vvStatus anchor_key(json_t *mesh, const char *key, const char *folder, vvError *error)
{
    json_t *file = json_object_get(mesh, key);
    json_t *result = NULL;
    if (json_is_string(file)) {
        result = anchored(file, folder);
    } else if (json_is_array(file)) {
        result = json_array();
        for (size_t i = 0; result && i < json_array_size(file); i++)
            if (json_array_append_new(result, anchored(json_array_get(file, i), folder)) != 0) {
                json_decref(result);
                result = NULL;
            }
    } else {
        return VV_OK;
    }
    if (!result || json_object_set_new(mesh, key, result) != 0)
        return vv_fail_memory(error, "a mesh path");
    return VV_OK;
}

static vvStatus anchor_files(json_t *mesh, const char *folder, vvError *error)
{
    return anchor_key(mesh, "file", folder, error);
}

/* Paths of the numbers of triangles; lists are the numbers themselves. */
static vvStatus anchor_numbers(json_t *body, const char *folder, vvError *error)
{
    static const char *const keys[] = { "triangle_thickness", "triangle_stiffness" };
    vvStatus status = VV_OK;
    for (int i = 0; i < 2 && status == VV_OK; i++)
        if (json_is_string(json_object_get(body, keys[i])))
            status = anchor_key(body, keys[i], folder, error);
    return status;
}

vvStatus vv_scene_anchor_meshes(json_t *root, const char *folder, vvError *error)
{
    const json_t *bodies = json_object_get(root, "bodies");
    for (size_t i = 0; i < json_array_size(bodies); i++) {
        json_t *body = json_array_get(bodies, i);
        vvStatus status = anchor_numbers(body, folder, error);
        if (status == VV_OK)
            status = anchor_files(json_object_get(body, "mesh"), folder, error);
        if (status == VV_OK)
            status = anchor_key(json_object_get(body, "mesh"), "onto", folder, error);
        if (status == VV_OK)
            status = anchor_files(json_object_get(body, "surface"), folder, error);
        if (status == VV_OK)
            status = anchor_files(json_object_get(body, "rest_angles"), folder, error);
        const json_t *start = json_object_get(body, "start");
        for (size_t k = 0; status == VV_OK && k < json_array_size(start); k++)
            status = anchor_files(json_array_get(start, k), folder, error);
        if (status != VV_OK)
            return status;
    }
    const json_t *obstacles = json_object_get(root, "obstacles");
    for (size_t i = 0; i < json_array_size(obstacles); i++) {
        const json_t *obstacle = json_array_get(obstacles, i);
        vvStatus status = anchor_files(json_object_get(obstacle, "mesh"), folder, error);
        if (status == VV_OK)
            status = anchor_files(json_object_get(obstacle, "heights"), folder, error);
        if (status == VV_OK)
            status = anchor_files(json_object_get(obstacle, "solid"), folder, error);
        if (status == VV_OK)
            status = anchor_key(json_object_get(json_object_get(obstacle, "motion"), "follow"), "files", folder, error);
        if (status != VV_OK)
            return status;
    }
    return VV_OK;
}

/* ---- extends ---- */

/* Merges `over` onto `under`: objects member by member, everything else is replaced. The two share nothing. */
static int merge(json_t *under, json_t *over)
{
    const char *key;
    json_t *value;
    json_object_foreach(over, key, value)
    {
        json_t *old = json_object_get(under, key);
        int failed =
            json_is_object(old) && json_is_object(value) ? merge(old, value) : json_object_set(under, key, value);
        if (failed)
            return failed;
    }
    return 0;
}

static vvStatus extend(json_t **root, const char *name, const char *folder, const origin *self, vvError *error)
{
    json_t *key = json_object_get(*root, "extends"), *under = NULL;
    if (!key)
        return VV_OK;
    if (!json_is_string(key) || json_string_length(key) == 0) {
        char found[96];
        return vv_fail(error, VV_ERROR_INPUT, "%s: extends: found %s; allowed: the path of another scene file", name,
                       vv_scene_describe(key, found));
    }
    char *path = join(folder, json_string_value(key));
    if (!path)
        return vv_fail_memory(error, "a path");
    vvStatus status = read_extended(path, self, &under, error);
    vv_free(path);
    if (status != VV_OK)
        return vv_fail_prefix(error, "%.200s: extends: ", name);
    json_object_del(*root, "extends");
    if (merge(under, *root) != 0)
        status = vv_fail_memory(error, "a scene");
    json_decref(*root);
    *root = under;
    return status;
}

/* ---- text ---- */

static vvStatus parse(const char *text, size_t size, const char *name, json_t **root, vvError *error)
{
    json_error_t problem;
    char found[96];
    static const char mark[] = "\xEF\xBB\xBF";
    if (size >= 3 && memcmp(text, mark, 3) == 0)
        text += 3, size -= 3;
    *root = vv_scene_read_json(text, size, JSON_REJECT_DUPLICATES, &problem);
    if (!*root) {
        if (json_error_code(&problem) == json_error_out_of_memory)
            return vv_fail_memory(error, "a scene");
        return vv_fail(error, VV_ERROR_INPUT, "%s:%d:%d: %s; a scene file is JSON: one object, { \"visviva\": 1, ... }",
                       name, problem.line < 0 ? 1 : problem.line, problem.column < 0 ? 1 : problem.column,
                       problem.text);
    }
    if (json_is_object(*root))
        return VV_OK;
    vv_fail(error, VV_ERROR_INPUT, "%s: the scene: found %s; allowed: an object, { \"visviva\": 1, ... }", name,
            vv_scene_describe(*root, found));
    json_decref(*root);
    *root = NULL;
    return VV_ERROR_INPUT;
}

static vvStatus read_with_origin(const char *text, size_t size, const char *name, const char *folder,
                                 const origin *self, json_t **root, vvError *error)
{
    vvStatus status = parse(text, size, name, root, error);
    if (status == VV_OK)
        status = vv_scene_anchor_meshes(*root, folder, error);
    if (status == VV_OK)
        status = extend(root, name, folder, self, error);
    if (status != VV_OK && *root) {
        json_decref(*root);
        *root = NULL;
    }
    return status;
}

vvStatus vv_scene_read_text(const char *text, size_t size, const char *name, const char *folder, json_t **root,
                            vvError *error)
{
    const origin self = { NULL, NULL, 0 };
    return read_with_origin(text, size, name, folder, &self, root, error);
}

/* ---- files ---- */

static vvStatus read_bytes(const char *path, char **text, size_t *size, vvError *error)
{
    struct stat info;
    char why[VV_WHY_LENGTH];
    FILE *file = vv_open_regular(path, why);
    if (!file)
        return vv_fail(error, VV_ERROR_IO, "cannot open the scene file %s: %s", path, why);
    if (fstat(fileno(file), &info) != 0) {
        fclose(file);
        return vv_fail(error, VV_ERROR_IO, "cannot read the scene file %s", path);
    }
    if (info.st_size > LONGEST_FILE) {
        fclose(file);
        return vv_fail(error, VV_ERROR_INPUT, "%s: %lld bytes are too many for a scene file; allowed: %d", path,
                       (long long)info.st_size, LONGEST_FILE);
    }
    *text = vv_alloc((size_t)info.st_size + 1, 1);
    *size = *text ? fread(*text, 1, (size_t)info.st_size, file) : 0;
    bool failed = ferror(file) != 0;
    fclose(file);
    if (!*text)
        return vv_fail_memory(error, "a scene file");
    return failed ? vv_fail(error, VV_ERROR_IO, "cannot read the scene file %s", path) : VV_OK;
}

static vvStatus check_circle(const char *path, const origin *above, vvError *error)
{
    for (const origin *o = above; o; o = o->above)
        if (o->path && strcmp(o->path, path) == 0)
            return vv_fail(error, VV_ERROR_INPUT, "%s extends itself, directly or through others; break the circle",
                           path);
    if (above && above->depth >= DEEPEST)
        return vv_fail(error, VV_ERROR_INPUT, "%s: more than %d files extend one another", path, DEEPEST);
    return VV_OK;
}

static vvStatus read_extended(const char *path, const origin *above, json_t **root, vvError *error)
{
    char *text = NULL, *folder = NULL, *canonical = NULL;
    size_t size = 0;
    vvStatus status = vv_real_path(path, &canonical, error);
    if (status == VV_ERROR_IO)
        status = VV_OK; /* opening it reports why, in a message about a scene file */
    const origin self = { above, canonical, above ? above->depth + 1 : 0 };
    if (status == VV_OK && canonical)
        status = check_circle(canonical, above, error);
    if (status == VV_OK)
        status = read_bytes(path, &text, &size, error);
    if (status == VV_OK)
        status = folder_of(path, &folder, error);
    if (status == VV_OK)
        status = read_with_origin(text, size, path, folder, &self, root, error);
    vv_free(text);
    vv_free(folder);
    vv_free(canonical);
    return status;
}

vvStatus vv_scene_read_file(const char *path, json_t **root, vvError *error)
{
    return read_extended(path, NULL, root, error);
}

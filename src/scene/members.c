/* Members of a scene's objects that several files read. */
#include "scene/document.h"

#include "base/error.h"

#include <string.h>

const char *vv_scene_typed_member(const json_t *object, const char *pattern, const json_t **value, vv_typed *typed)
{
    const char *key;
    json_t *member;
    json_object_foreach((json_t *)(uintptr_t)object, key, member) {
        const vv_scene_row *row = vv_scene_find(pattern, key, typed);
        if (row && row->kind == VV_KEY_TYPED) {
            *value = member;
            return key;
        }
    }
    return NULL;
}

bool vv_scene_is_mesh_obstacle(const json_t *obstacle) { return json_object_get(obstacle, "mesh") != NULL; }

bool vv_scene_has_contact(const json_t *root)
{
    const json_t *contact = json_object_get(root, "contact");
    const char *model = json_string_value(json_object_get(contact, "model"));
    if (model)
        return strcmp(model, "none") != 0;
    const json_t *bodies = json_object_get(root, "bodies");
    return contact || json_array_size(json_object_get(root, "obstacles")) > 0 || json_array_size(bodies) > 1 ||
           vv_scene_copies(json_array_get(bodies, 0)) > 1;
}

vvSceneTime vv_scene_time(const json_t *root)
{
    vvSceneTime time = { vv_scene_has_contact(root) ? 1.0 / 120 : 1.0 / 30, 10, 1, 0 };
    const json_t *source = json_object_get(root, "time");
    vv_read_number(source, "step", &time.step);
    vv_read_number(source, "end", &time.end);
    vv_read_integer(source, "record_every", &time.recordEvery);
    vv_read_number(source, "begin", &time.begin);
    return time;
}

vvStatus vv_scene_prefix(vv_document *doc, const char *where)
{
    return vv_fail_prefix(doc->error, "%.200s: %.250s: ", doc->name, where);
}

int vv_scene_copies(const json_t *body)
{
    double count[3] = { 1, 1, 1 };
    vv_read_numbers(json_object_get(body, "copies"), "count", count, 3);
    return (int)(count[0] * count[1] * count[2]);
}

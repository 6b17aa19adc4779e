/* Members of a scene's objects that several files read. */
#include "contact/models.h"
#include "scene/document.h"

#include "base/error.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *vv_scene_typed_member(const json_t *object, const char *pattern, const json_t **value, vv_typed *typed)
{
    const char *key;
    json_t *member;
    json_object_foreach((json_t *)(uintptr_t)object, key, member)
    {
        const vv_key_row *row = vv_scene_find(pattern, key, typed);
        if (row && row->kind == VV_KEY_TYPED) {
            *value = member;
            return key;
        }
    }
    return NULL;
}

bool vv_scene_is_mesh_obstacle(const json_t *obstacle) { return json_object_get(obstacle, "mesh") != NULL; }

bool vv_scene_is_body_obstacle(const json_t *obstacle)
{
    return vv_scene_is_mesh_obstacle(obstacle) || json_object_get(obstacle, "motion") != NULL;
}

bool vv_scene_has_contact(const json_t *root)
{
    const json_t *contact = json_object_get(root, "contact");
    const char *model = json_string_value(json_object_get(contact, "model"));
    if (model && vv_contact_model_find(model))
        return vv_contact_acts(vv_contact_model_find(model));
    const json_t *bodies = json_object_get(root, "bodies");
    return contact || json_array_size(json_object_get(root, "obstacles")) > 0 || json_array_size(bodies) > 1 ||
           vv_scene_copies(json_array_get(bodies, 0)) > 1;
}

vvSceneTime vv_scene_time(const json_t *root)
{
    vvSceneTime time = { vv_scene_has_contact(root) ? 1.0 / 120 : 1.0 / 30, 10, 1, 0, 1 };
    const json_t *source = json_object_get(root, "time");
    vv_read_number(source, "step", &time.step);
    vv_read_number(source, "end", &time.end);
    vv_read_integer(source, "record_every", &time.recordEvery);
    vv_read_number(source, "begin", &time.begin);
    vv_read_integer(source, "substeps", &time.substeps);
    time.step /= time.substeps;
    time.recordEvery = (int)fmin((double)time.recordEvery * time.substeps, INT_MAX); /* rules.c refuses more */
    return time;
}

vvStatus vv_scene_prefix(vv_document *doc, const char *where)
{
    return vv_fail_prefix(doc->error, "%.200s: %.250s: ", doc->name, where);
}

vvStatus vv_scene_to_surface(vv_document *doc, const char *where, vvMesh *mesh)
{
    if (mesh->tetCount == 0)
        return VV_OK;
    mesh->tetCount = 0;
    return vvMeshFinish(mesh, NULL, doc->error) ? vv_scene_prefix(doc, where) : VV_OK;
}

int vv_scene_copies(const json_t *entry)
{
    double count[3] = { 1, 1, 1 };
    vv_read_numbers(json_object_get(entry, "copies"), "count", count, 3);
    return (int)(count[0] * count[1] * count[2]);
}

/* x first. */
void vv_scene_copy_shift(const json_t *entry, int copy, double shift[3])
{
    const json_t *copies = json_object_get(entry, "copies");
    double count[3] = { 1, 1, 1 }, step[3] = { 0, 0, 0 };
    vv_read_numbers(copies, "count", count, 3);
    vv_read_numbers(copies, "step", step, 3);
    int nx = (int)count[0], ny = (int)count[1];
    shift[0] = step[0] * (copy % nx);
    shift[1] = step[1] * (copy / nx % ny);
    shift[2] = step[2] * (copy / nx / ny);
}

const char *vv_scene_copy_name(const json_t *entry, const char *name, int copy, char out[VV_COPY_NAME])
{
    if (json_object_get(entry, "copies") && name[0])
        snprintf(out, VV_COPY_NAME, "%.200s %d", name, copy + 1);
    else
        snprintf(out, VV_COPY_NAME, "%.250s", name);
    return out;
}

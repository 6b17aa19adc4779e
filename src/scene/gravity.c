/* Keys in time of loads; gravity with keys, which is a load: a push on every body. */
#include "scene/document.h"

#include "base/error.h"
#include "base/memory.h"

vvStatus vv_scene_read_keys(vv_document *doc, const json_t *source, vvAttachDef *def, vvKey **keys)
{
    const size_t count = json_array_size(source);
    if (count == 0)
        return VV_OK;
    *keys = vv_alloc(count, sizeof **keys);
    if (!*keys)
        return vv_fail_memory(doc->error, "keys");
    for (size_t i = 0; i < count; i++) {
        vv_scene_number(json_array_get(json_array_get(source, i), 0), &(*keys)[i].time);
        vv_scene_number(json_array_get(json_array_get(source, i), 1), &(*keys)[i].value);
    }
    def->keys = *keys, def->keyCount = (int)count;
    return VV_OK;
}

bool vv_scene_gravity_has_keys(const vv_document *doc)
{
    return json_array_size(json_object_get(doc->root, "gravity_keys")) > 0;
}

vvStatus vv_scene_build_gravity(vv_document *doc, vvWorld *world)
{
    vvAttachDef def = vvDefaultAttachDef();
    const vvWorldDef standard = vvDefaultWorldDef();
    vvKey *keys = NULL;
    if (!vv_scene_gravity_has_keys(doc))
        return VV_OK;
    for (int k = 0; k < 3; k++)
        def.acceleration[k] = standard.gravity[k];
    vv_read_numbers(doc->root, "gravity", def.acceleration, 3);
    vv_read_boolean(doc->root, "gravity_smooth", &def.smooth);
    def.kind = VV_ATTACH_PUSH;
    def.motion.startTime = -1e9;
    vvStatus status = vv_scene_read_keys(doc, json_object_get(doc->root, "gravity_keys"), &def, &keys);
    for (int b = 0; status == VV_OK && b < vvWorldBodyCount(world); b++)
        if (!vvBodyIsKinematic(world, vvWorldBody(world, b)) &&
            (status = vvBodyAttach(world, vvWorldBody(world, b), &def, NULL, doc->error)) != VV_OK)
            vv_scene_prefix(doc, "gravity_keys");
    vv_free(keys);
    return status;
}

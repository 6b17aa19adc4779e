/* The world of a scene: definition structs from the document's values, then bodies and obstacles. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "scene/document.h"

enum { MOST_SETTINGS = 64 };

/* Parameters of schemes and policies in the scene, even of those not in use: the command line may choose another. */
static int read_settings(const json_t *source, vvSetting settings[MOST_SETTINGS])
{
    int count = 0;
    vv_typed row;
    for (int i = 0; vv_scene_method(i, &row); i++)
        for (int p = 0; p < row.paramCount && count < MOST_SETTINGS; p++) {
            const vvParam *param = row.params + p;
            const json_t *value = json_object_get(source, param->name);
            if (!value)
                continue;
            settings[count] = (vvSetting){ .name = param->name };
            if (param->choiceCount)
                settings[count].choice = json_string_value(value);
            else if (json_is_boolean(value))
                settings[count].value[0] = json_is_true(value);
            else
                vv_read_numbers(source, param->name, settings[count].value, param->size);
            count++;
        }
    return count;
}

static vvStatus create(vv_document *doc, int threads, const vvHost *host, vvWorld **world)
{
    vvWorldDef def = vvDefaultWorldDef();
    vvKey *keys = NULL;
    vvSetting settings[MOST_SETTINGS];
    def.threads = threads;
    def.host = *host;
    if (!vv_scene_has_contact(doc->root))
        def.contact.model = "none";
    vvStatus status = VV_OK;
    for (int i = 0; i < VV_DEF_PARTS && status == VV_OK; i++)
        status = vv_read_members(doc, doc->root, "", vv_def_parts[i].members, (char *)&def + vv_def_parts[i].at, &keys);
    for (int k = 0; k < 3 && vv_scene_gravity_has_keys(doc); k++)
        def.gravity[k] = 0;
    def.timeStep = vv_scene_time(doc->root).step; /* with substeps, and another default without contact */
    def.integrator.settings = settings;
    def.integrator.settingCount = read_settings(json_object_get(doc->root, "integrator"), settings);
    if (status == VV_OK && (status = vvWorldCreate(&def, world, doc->error)) != VV_OK)
        vv_fail_prefix(doc->error, "%.200s: ", doc->name);
    vv_free(keys);
    return status;
}

vvStatus vv_scene_build(vv_document *doc, int threads, const vvHost *host, vvWorld **world)
{
    const json_t *bodies = json_object_get(doc->root, "bodies"), *obstacles = json_object_get(doc->root, "obstacles");
    *world = NULL;
    vvStatus status = vv_scene_check_names(doc);
    if (status == VV_OK)
        status = create(doc, threads, host, world);
    for (size_t i = 0; status == VV_OK && i < json_array_size(bodies); i++)
        status = vv_scene_build_body(doc, *world, i);
    if (status == VV_OK)
        status = vv_scene_build_gravity(doc, *world);
    for (size_t i = 0; status == VV_OK && i < json_array_size(obstacles); i++)
        status = vv_scene_build_obstacle(doc, *world, i);
    if (status == VV_OK)
        status = vv_scene_build_pairs(doc, *world);
    if (status == VV_OK)
        status = vv_scene_build_joints(doc, *world);
    if (status != VV_OK && *world) {
        vvWorldDestroy(*world);
        *world = NULL;
    }
    vv_scene_forget_names(doc);
    return status;
}

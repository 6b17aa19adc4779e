/* What a list of numbers is while the scene does not name it: "--set gravity.1=-1.6" changes one of its numbers. */
#include <stdio.h>
#include <string.h>

#include "scene/document.h"

static json_t *fallback_of(const vvParam *param)
{
    json_t *list = json_array();
    for (int k = 0; k < param->size; k++)
        json_array_append_new(list, json_real(param->fallback[k]));
    return list;
}

static const vvParam *find(const vv_typed *typed, const char *name)
{
    for (int p = 0; p < typed->paramCount; p++)
        if (typed->params[p].size > 1 && strcmp(typed->params[p].name, name) == 0)
            return typed->params + p;
    return NULL;
}

/* Several methods may have a parameter of this name: the one in use counts. */
static const vvParam *setting(const json_t *integrator, const char *name)
{
    static const char *const keys[] = { "policy", "scheme" };
    vv_typed typed;
    const vvParam *any = NULL;
    for (int i = 0; vv_scene_method(i, &typed); i++) {
        const vvParam *param = find(&typed, name);
        any = any ? any : param;
        for (int k = 0; param && k < 2; k++) {
            const char *used = json_string_value(json_object_get(integrator, keys[k]));
            if (used && strcmp(used, typed.info->name) == 0)
                return param;
        }
    }
    return any;
}

json_t *vv_scene_default_list(const json_t *root, const char *pattern, const char *name)
{
    char object[VV_SCENE_PATH];
    vv_typed typed;
    const vvParam *param = NULL;
    const vv_key_row *row = vv_scene_find(pattern, name, &typed);
    if (row && (row->kind == VV_KEY_VECTOR || row->kind == VV_KEY_PAIR)) {
        json_t *list = vv_scene_read_json(row->key.fallback, strlen(row->key.fallback), 0, NULL);
        if (json_is_array(list))
            return list;
        json_decref(list); /* required: there is no default */
        return NULL;
    }
    snprintf(object, sizeof object, "%s", pattern);
    char *dot = strrchr(object, '.');
    if (row && row->kind == VV_KEY_SETTING)
        param = setting(json_object_get(root, "integrator"), name);
    else if (!row && dot) { /* "bodies[].mesh.box" may be of a type with parameters */
        *dot = 0;
        row = vv_scene_find(object, dot + 1, &typed);
        param = row && row->kind == VV_KEY_TYPED ? find(&typed, name) : NULL;
    }
    return param ? fallback_of(param) : NULL;
}

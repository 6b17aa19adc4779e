/* visviva list --json: the program's tables, a list of objects each. */
#include "list/list.h"

#include <string.h>

static json_t *fallback_of(const vvParam *p)
{
    if (p->choiceCount)
        return json_string(p->choices[(int)p->fallback[0]].name);
    if (p->size == 1)
        return vv_json_number(p->fallback[0]);
    json_t *list = json_array();
    for (int k = 0; k < p->size; k++)
        json_array_append_new(list, vv_json_number(p->fallback[k]));
    return list;
}

static json_t *row_of(const vvInfo *info, const vvParam *params, int count);

static json_t *parameter(const vvParam *p)
{
    bool any = p->min == 0 && p->max == 0;
    json_t *object = json_pack("{s:s, s:s, s:s, s:i, s:b, s:o, s:o, s:o}", "name", p->name, "summary", p->summary,
                               "unit", p->unit, "size", p->size, "integer", p->integer && !p->choiceCount, "default",
                               fallback_of(p), "min", any || p->choiceCount ? json_null() : json_real(p->min), "max",
                               any || p->choiceCount ? json_null() : json_real(p->max));
    json_t *choices = p->choiceCount ? json_array() : json_null();
    for (int i = 0; i < p->choiceCount; i++)
        json_array_append_new(choices, row_of(&p->choices[i], NULL, -1));
    json_object_set_new(object, "choices", choices);
    return object;
}

/* With its parameters; count -1: things of this kind have none. */
static json_t *row_of(const vvInfo *info, const vvParam *params, int count)
{
    json_t *object = json_pack("{s:s, s:s}", "name", info->name, "summary", info->summary), *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, parameter(params + i));
    if (count >= 0)
        json_object_set(object, "parameters", list);
    json_decref(list);
    return object;
}

json_t *vv_json_names(const vvInfo *(*get)(int))
{
    json_t *list = json_array();
    for (int i = 0; get(i); i++)
        json_array_append_new(list, row_of(get(i), NULL, -1));
    return list;
}

json_t *vv_json_things(vv_listed_get *get)
{
    json_t *list = json_array();
    vv_listed row;
    for (int i = 0; get(i, &row); i++)
        json_array_append_new(list, row_of(row.info, row.params, row.count));
    return list;
}

json_t *vv_json_schemes(void)
{
    json_t *list = vv_json_things(vv_listed_scheme);
    for (int i = 0; vvSchemeInfo(i); i++) {
        json_t *row = json_array_get(list, (size_t)i);
        vvSchemeCheck check = { 0 };
        vvError error;
        if (vvSchemeSelfCheck(i, &check, &error) == VV_OK) {
            json_object_set_new(row, "order", json_integer(check.order));
            json_object_set_new(row, "a_stable", json_boolean(check.aStable));
            json_object_set_new(row, "l_stable", json_boolean(check.lStable));
            json_object_set_new(row, "symplectic", json_boolean(check.symplectic));
        }
    }
    return list;
}

json_t *vv_json_keys(void)
{
    const vvSceneKey *key;
    json_t *list = json_array();
    for (int i = 0; (key = vvSceneKeyInfo(i)); i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:s}", "path", key->path, "value", key->type,
                                              "unit", key->unit, "default", key->fallback, "summary", key->summary));
    return list;
}

static void add_scene(void *list, const vvInfo *info) { json_array_append_new(list, row_of(info, NULL, -1)); }

json_t *vv_json_scenes(void)
{
    json_t *list = json_array();
    vv_cli_each_scene(add_scene, list);
    return list;
}

json_t *vv_json_contact(void)
{
    json_t *list = vv_json_names(vvContactModelInfo), *needs;
    for (int i = 0; vvContactModelInfo(i); i++) {
        json_object_set_new(json_array_get(list, (size_t)i), "needs", needs = json_array());
        for (int k = 0; vvContactNeedInfo(k); k++)
            if (vvContactModelFind(vvContactModelInfo(i)->name)->needs >> k & 1)
                json_array_append_new(needs, json_string(vvContactNeedInfo(k)->name));
    }
    return list;
}

/* Checks every value of a scene against the key table: unknown keys, missing keys, types, ranges, names. After this the
 * readers of values.c may rely on the types. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text/range.h"
#include "base/text/text.h"
#include "scene/validate.h"

static vvStatus check_object(vv_document *doc, const json_t *object, const char *where, const char *pattern);

/* ---- words ---- */

/* Names are printed, and a terminal obeys control characters. */
static vvStatus check_plain(vv_document *doc, const char *text, const char *where)
{
    return vv_is_plain(text) ? VV_OK
                             : vv_scene_fail(doc, where,
                                             "found control characters in \"%.60s\"; allowed: text without, but for "
                                             "line ends and tabs; take them out",
                                             text);
}

static vvStatus check_among(vv_document *doc, const json_t *value, const char *where, const vv_words *words)
{
    const char *text = json_string_value(value);
    char found[96], hint[VV_WORDS_GUIDE];
    if (text && words->nearest[0] && strcmp(words->nearest, text) == 0)
        return VV_OK;
    return vv_scene_fail(doc, where, "found %s; allowed: %s%s", vv_scene_describe(value, found), words->list,
                         vv_words_guide(words, hint));
}

static const char *text_of(const json_t *value) { return json_is_string(value) ? json_string_value(value) : ""; }

static vvStatus check_word(vv_document *doc, const json_t *value, const char *where, const vv_key_row *row)
{
    vv_words words = { .wrong = text_of(value) };
    if (row->words)
        vv_words_split(&words, row->words);
    for (int i = 0; row->names && row->names(i); i++)
        vv_words_add(&words, row->names(i)->name);
    return check_among(doc, value, where, &words);
}

static vvStatus check_choice(vv_document *doc, const json_t *value, const char *where, const vvParam *param)
{
    vv_words words = { .wrong = text_of(value) };
    for (int i = 0; i < param->choiceCount; i++)
        vv_words_add(&words, param->choices[i].name);
    return check_among(doc, value, where, &words);
}

static vvStatus check_files(vv_document *doc, const json_t *value, const char *where)
{
    const char *allowed = "a path, or a list of paths, not empty";
    if (json_is_string(value) && json_string_length(value) > 0)
        return check_plain(doc, text_of(value), where);
    if (!json_is_array(value) || json_array_size(value) == 0)
        return vv_scene_wrong(doc, where, value, allowed);
    for (size_t i = 0; i < json_array_size(value); i++) {
        char item[VV_SCENE_PATH];
        const json_t *path = json_array_get(value, i);
        vv_scene_item(item, where, i);
        if (!json_is_string(path) || json_string_length(path) == 0)
            return vv_scene_wrong(doc, item, path, "a path");
        vvStatus status = check_plain(doc, json_string_value(path), item);
        if (status != VV_OK)
            return status;
    }
    return VV_OK;
}

static vvStatus check_ground(vv_document *doc, const json_t *value, const char *where, const vv_range *allowed)
{
    const char *text = json_string_value(value);
    if (text && (strcmp(text, "auto") == 0 || strcmp(text, "none") == 0))
        return VV_OK;
    if (json_is_number(value))
        return vv_scene_check_number(doc, value, where, allowed);
    return vv_scene_wrong(doc, where, value, "\"auto\", \"none\", or an energy in J");
}

/* A number, or what stands for one: a word, a part of the scene's length, 0 for the default. */
static vvStatus check_setting_number(vv_document *doc, const json_t *value, const char *where, const vv_key_row *row,
                                     const vv_range *allowed)
{
    const char *word = json_string_value(value);
    char before[64] = "", after[128] = "", text[320], range[VV_RANGE_TEXT];
    double number;
    if ((row->word && word && strcmp(word, row->word) == 0) ||
        (row->percent && vv_scene_percentage(value, &number) && vv_part_is_allowed(number)) ||
        (row->zero && vv_scene_number(value, &number) && number == 0))
        return VV_OK;
    if (!row->word && !row->percent && !row->zero)
        return vv_scene_check_number(doc, value, where, allowed);
    if (vv_scene_in_range(value, allowed))
        return VV_OK;
    if (row->word)
        vv_print(before, sizeof before, "\"%s\", or ", row->word);
    if (row->percent)
        vv_print(after, sizeof after, ", or a part of the scene's length%s, \"0.1%%\" (" VV_PARTS_ALLOWED ")",
                 strcmp(allowed->unit, "m") == 0 ? "" : " a second");
    else if (row->zero)
        vv_print(after, sizeof after, ", or 0");
    vv_print(text, sizeof text, "%s%s%s", before, vv_range_text(allowed, range), after);
    return vv_scene_wrong(doc, where, value, text);
}

static vvStatus check_between(vv_document *doc, const json_t *value, const char *where)
{
    if (!json_is_array(value) || json_array_size(value) != 2)
        return vv_scene_wrong(doc, where, value, "a list of 2 names in quotes, [\"a\", \"b\"]");
    for (size_t i = 0; i < 2; i++) {
        char item[VV_SCENE_PATH];
        vv_scene_item(item, where, i);
        if (!json_is_string(json_array_get(value, i)))
            return vv_scene_wrong(doc, item, json_array_get(value, i), "a name in quotes");
    }
    return VV_OK;
}

/* ---- parameters of generators, states, obstacles ---- */

static const vvParam *find_param(const vv_typed *typed, const char *name)
{
    for (int i = 0; i < typed->paramCount; i++)
        if (strcmp(typed->params[i].name, name) == 0)
            return &typed->params[i];
    return NULL;
}

static vvStatus check_parameters(vv_document *doc, json_t *object, const char *where, const vv_typed *typed)
{
    const char *key;
    json_t *value;
    char found[96], hint[VV_WORDS_GUIDE], place[VV_SCENE_PATH];
    if (!json_is_object(object))
        return vv_scene_fail(doc, where,
                             "found %s; allowed: an object with the parameters of \"%s\", {} for its defaults",
                             vv_scene_describe(object, found), typed->info->name);
    json_object_foreach(object, key, value)
    {
        const vvParam *param = find_param(typed, key);
        vv_scene_child(place, where, key);
        if (!param) {
            vv_words words = { .wrong = key, .key = true };
            for (int i = 0; i < typed->paramCount; i++)
                vv_words_add(&words, typed->params[i].name);
            return vv_scene_fail(doc, place, "unknown key; allowed here: %s%s",
                                 typed->paramCount ? words.list : "none (no parameters)", vv_words_guide(&words, hint));
        }
        if (param->choiceCount) {
            vvStatus status = check_choice(doc, value, place, param);
            if (status != VV_OK)
                return status;
            continue;
        }
        const vv_range allowed = vv_param_range(param);
        vvStatus status = vv_scene_check_numbers(doc, value, place, &allowed, param->size);
        if (status != VV_OK)
            return status;
    }
    return VV_OK;
}

/* For a single parameter. Switches (whole numbers from 0 to 1, without names) are true or false. */
static vvStatus check_setting(vv_document *doc, const json_t *value, const char *where, const vv_typed *typed)
{
    const vvParam *param = typed->params;
    bool a_switch = param->integer && param->min == 0 && param->max == 1;
    const vv_range allowed = vv_param_range(param);
    if (param->choiceCount)
        return check_choice(doc, value, where, param);
    if (a_switch)
        return json_is_boolean(value) ? VV_OK : vv_scene_wrong(doc, where, value, "true or false");
    return vv_scene_check_numbers(doc, value, where, &allowed, param->size);
}

/* ---- structure ---- */

static vvStatus check_list(vv_document *doc, const json_t *value, const char *where, const char *pattern)
{
    char item[VV_SCENE_PATH], below[VV_SCENE_PATH];
    if (!json_is_array(value))
        return vv_scene_wrong(doc, where, value, "a list of objects, [{...}, ...]");
    snprintf(below, sizeof below, "%s[]", pattern);
    for (size_t i = 0; i < json_array_size(value); i++) {
        vv_scene_item(item, where, i);
        vvStatus status = check_object(doc, json_array_get(value, i), item, below);
        if (status != VV_OK)
            return status;
    }
    return VV_OK;
}

static vvStatus check_map(vv_document *doc, json_t *value, const char *where, const char *pattern)
{
    const char *key;
    json_t *member;
    char place[VV_SCENE_PATH], below[VV_SCENE_PATH];
    if (!json_is_object(value))
        return vv_scene_wrong(doc, where, value, "an object of names, {\"NAME\": {...}}");
    snprintf(below, sizeof below, "%s.NAME", pattern);
    json_object_foreach(value, key, member)
    {
        vv_scene_child(place, where, key);
        if (key[0] == 0)
            return vv_scene_fail(doc, where, "found an empty name; give it one");
        vvStatus status = check_plain(doc, key, where);
        if (status == VV_OK)
            status = check_object(doc, member, place, below);
        if (status != VV_OK)
            return status;
    }
    return VV_OK;
}

static vvStatus check_material(vv_document *doc, const json_t *value, const char *where, const char *allowed)
{
    if (json_is_string(value))
        return VV_OK; /* rules.c looks the name up */
    return json_is_object(value) ? check_object(doc, value, where, "materials.NAME")
                                 : vv_scene_wrong(doc, where, value, allowed);
}

static vvStatus check_materials(vv_document *doc, const json_t *value, const char *where)
{
    if (!json_is_array(value) || json_array_size(value) == 0)
        return check_material(doc, value, where,
                              "the name of a material, an object with its keys, or a list of these, not empty");
    vvStatus status = VV_OK;
    for (size_t i = 0; status == VV_OK && i < json_array_size(value); i++) {
        char item[VV_SCENE_PATH];
        vv_scene_item(item, where, i);
        status =
            check_material(doc, json_array_get(value, i), item, "the name of a material, or an object with its keys");
    }
    return status;
}

static vvStatus check_regions(vv_document *doc, json_t *value, const char *where)
{
    const char *key;
    json_t *material;
    vvStatus status = VV_OK;
    if (json_is_object(value) && json_object_size(value) == 0)
        return vv_scene_fail(doc, where,
                             "names no region; give each group of the mesh's tets a material, or the body "
                             "one `material`");
    if (!json_is_object(value))
        return vv_scene_wrong(doc, where, value,
                              "an object with a material for each region, by the name of its group in the mesh");
    json_object_foreach(value, key, material)
    {
        char place[VV_SCENE_PATH];
        vv_scene_child(place, where, key);
        if (status == VV_OK)
            status = check_plain(doc, key, where);
        if (status == VV_OK)
            status = check_material(doc, material, place, "the name of a material, or an object with its keys");
    }
    return status;
}

static vvStatus check_scale(vv_document *doc, const json_t *value, const char *where, const vv_range *allowed)
{
    if (json_is_array(value))
        return vv_scene_check_numbers(doc, value, where, allowed, 3);
    return vv_scene_check_number(doc, value, where, allowed);
}

static vvStatus check_value(vv_document *doc, json_t *value, const char *where, const vv_key_row *row,
                            const vv_typed *typed)
{
    const vv_range allowed = vv_row_range(row);
    switch (row->kind) {
    case VV_KEY_OBJECT: return check_object(doc, value, where, row->key.path);
    case VV_KEY_LIST: return check_list(doc, value, where, row->key.path);
    case VV_KEY_MAP: return check_map(doc, value, where, row->key.path);
    case VV_KEY_TYPED: return check_parameters(doc, value, where, typed);
    case VV_KEY_NUMBER:
    case VV_KEY_INTEGER: return check_setting_number(doc, value, where, row, &allowed);
    case VV_KEY_BOOLEAN: return json_is_boolean(value) ? VV_OK : vv_scene_wrong(doc, where, value, "true or false");
    case VV_KEY_TEXT:
        return json_is_string(value) ? check_plain(doc, text_of(value), where)
                                     : vv_scene_wrong(doc, where, value, "a text in quotes");
    case VV_KEY_VECTOR: return vv_scene_check_numbers(doc, value, where, &allowed, 3);
    case VV_KEY_PAIR: return vv_scene_check_numbers(doc, value, where, &allowed, 2);
    case VV_KEY_SCALE: return check_scale(doc, value, where, &allowed);
    case VV_KEY_CORNERS: return vv_scene_check_corners(doc, value, where, &allowed);
    case VV_KEY_NAME:
    case VV_KEY_WORD: return check_word(doc, value, where, row);
    case VV_KEY_FILES: return check_files(doc, value, where);
    case VV_KEY_LISTED:
        if (json_is_string(value))
            return *json_string_value(value)
                       ? check_plain(doc, text_of(value), where)
                       : vv_scene_wrong(doc, where, value,
                                        "a list of numbers, or the path of a file with one number a line");
        return vv_scene_check_indices(doc, value, where, &allowed);
    case VV_KEY_NUMBERS:
    case VV_KEY_INDICES: return vv_scene_check_indices(doc, value, where, &allowed);
    case VV_KEY_POINTS: return vv_scene_check_rows(doc, value, where, &allowed, 3);
    case VV_KEY_PAIRS: return vv_scene_check_rows(doc, value, where, &allowed, 2);
    case VV_KEY_DECAY: return vv_scene_check_decay(doc, value, where, &allowed);
    case VV_KEY_KEYS: return vv_scene_check_keys(doc, value, where, &allowed);
    case VV_KEY_GROUND: return check_ground(doc, value, where, &allowed);
    case VV_KEY_BETWEEN: return check_between(doc, value, where);
    case VV_KEY_SETTING: return check_setting(doc, value, where, typed);
    case VV_KEY_MATERIAL: return check_materials(doc, value, where);
    case VV_KEY_REGIONS: return check_regions(doc, value, where);
    }
    return VV_OK;
}

/* Whether the row describes a direct member of `pattern`; its name there. */
static const char *member_name(const vv_key_row *row, const char *pattern)
{
    const char *path = row->key.path;
    size_t n = strlen(pattern);
    if (n > 0 && (strncmp(path, pattern, n) != 0 || path[n] != '.'))
        return NULL;
    path += n ? n + 1 : 0;
    return strpbrk(path, ".[") ? NULL : path;
}

static vvStatus unknown_key(vv_document *doc, const char *where, const char *key, const char *pattern)
{
    char hint[VV_WORDS_GUIDE];
    vv_words words = { .wrong = key, .key = true };
    vv_typed typed;
    vv_scene_cursor at = { 0 };
    for (const vv_key_row *row; (row = vv_scene_next(&at));) {
        const char *name = member_name(row, pattern);
        if (!name)
            continue;
        if (row->kind != VV_KEY_TYPED)
            vv_words_add(&words, name);
        else
            for (int k = 0; row->typed(k, &typed); k++)
                vv_words_add(&words, typed.info->name);
    }
    for (int i = 0; strcmp(pattern, "integrator") == 0 && vv_scene_method(i, &typed); i++)
        for (int p = 0; p < typed.paramCount; p++)
            vv_words_add(&words, typed.params[p].name);
    return vv_scene_fail(doc, where, "unknown key; allowed here: %s%s", words.list, vv_words_guide(&words, hint));
}

static vvStatus check_required(vv_document *doc, const json_t *object, const char *where, const char *pattern)
{
    char place[VV_SCENE_PATH];
    vv_scene_cursor at = { 0 };
    for (const vv_key_row *row; (row = vv_scene_next(&at));) {
        const char *name = row->required ? member_name(row, pattern) : NULL;
        if (!name || json_object_get(object, name))
            continue;
        vv_scene_child(place, where, name);
        return vv_scene_fail(doc, place, "missing; it holds: %s (%s)", row->key.type, row->key.summary);
    }
    return VV_OK;
}

static vvStatus check_object(vv_document *doc, const json_t *object, const char *where, const char *pattern)
{
    const char *key;
    json_t *value;
    char place[VV_SCENE_PATH];
    if (!json_is_object(object))
        return vv_scene_wrong(doc, where, object, "an object, {...}");
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        vv_typed typed = { 0 };
        const vv_key_row *row = vv_scene_find(pattern, key, &typed);
        vv_scene_child(place, where, key);
        vvStatus status = row ? check_value(doc, value, place, row, &typed) : unknown_key(doc, place, key, pattern);
        if (status != VV_OK)
            return status;
    }
    return check_required(doc, object, where, pattern);
}

vvStatus vv_scene_validate(vv_document *doc) { return check_object(doc, doc->root, "", ""); }

/* Settings of a world from and to JSON, row by row (world/settings/members.h). */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "scene/document.h"

enum { LONGEST = 64 };

/* The path up to its first dot, and its length: rows have short ones. */
static size_t first_name(const char *path, char name[LONGEST])
{
    const size_t n = strcspn(path, ".");
    memcpy(name, path, n < LONGEST ? n : LONGEST - 1);
    name[n < LONGEST ? n : LONGEST - 1] = '\0';
    return n;
}

/* ---- reading ---- */

/* *keys (vv_free it) receives the decay times. */
static vvStatus read_decay(vv_document *doc, const json_t *value, vvIntegratorDef *integrator, vvKey **keys)
{
    double number = 0;
    if (json_is_null(value))
        return VV_OK;
    size_t count = json_is_array(value) ? json_array_size(value) : 1;
    *keys = vv_alloc(count, sizeof **keys);
    if (!*keys)
        return vv_fail_memory(doc->error, "decay times");
    integrator->decayKeys = *keys;
    integrator->decayKeyCount = (int)count;
    if (!json_is_array(value)) {
        vv_scene_number(value, &number);
        (*keys)[0] = (vvKey){ 0, number };
        return VV_OK;
    }
    for (size_t i = 0; i < count; i++) {
        const json_t *pair = json_array_get(value, i);
        vv_scene_number(json_array_get(pair, 0), &(*keys)[i].time);
        vv_scene_number(json_array_get(pair, 1), &(*keys)[i].value); /* null: stays 0, no decay */
    }
    return VV_OK;
}

static void read_ground(const json_t *value, vvIntegratorDef *integrator)
{
    const char *text = json_string_value(value);
    if (text)
        integrator->groundMode = strcmp(text, "none") == 0 ? VV_GROUND_NONE : VV_GROUND_AUTO;
    else if (vv_scene_number(value, &integrator->groundEnergy))
        integrator->groundMode = VV_GROUND_GIVEN;
}

static void read_number(const json_t *value, const vv_member *m, void *def)
{
    const char *text = json_string_value(value);
    double number;
    if (m->row.word && text && strcmp(text, m->row.word) == 0)
        vv_member_set_number(m, def, m->row.word_value);
    else if (m->row.kind == VV_KEY_BOOLEAN)
        vv_member_set_number(m, def, json_is_true(value));
    else if (m->row.percent && vv_scene_percentage(value, &number))
        vv_member_set_part(m, def, number);
    else if (vv_scene_number(value, &number))
        vv_member_set_number(m, def, number);
}

static vvStatus read_member(vv_document *doc, const json_t *value, const vv_member *m, void *def, vvKey **keys)
{
    switch (m->row.kind) {
    case VV_KEY_NAME:
        if (json_is_string(value))
            *vv_member_name(m, def) = json_string_value(value);
        return VV_OK;
    case VV_KEY_VECTOR: vv_scene_numbers(value, vv_member_vector(m, def), 3); return VV_OK;
    case VV_KEY_DECAY: return read_decay(doc, value, def, keys);
    case VV_KEY_GROUND: read_ground(value, def); return VV_OK;
    default: read_number(value, m, def); return VV_OK;
    }
}

const json_t *vv_member_value(const json_t *object, const char *path, const vv_member *m)
{
    const char *rest = m->row.key.path;
    char name[LONGEST];
    const size_t above = strlen(path);
    if (!*rest || m->row.kind == VV_KEY_OBJECT || m->row.kind == VV_KEY_SETTING)
        return NULL;
    for (rest += above + (above > 0); *rest;) {
        const size_t n = first_name(rest, name);
        object = json_object_get(object, name);
        rest += n + (rest[n] == '.');
    }
    return object;
}

vvStatus vv_read_members(vv_document *doc, const json_t *object, const char *path, const vv_members *members, void *def,
                         vvKey **keys)
{
    vvStatus status = VV_OK;
    for (int i = 0; i < members->count && status == VV_OK; i++) {
        const json_t *value = vv_member_value(object, path, members->row + i);
        if (value)
            status = read_member(doc, value, members->row + i, def, keys);
    }
    return status;
}

/* ---- writing ---- */

typedef struct writing {
    json_t *root;
    bool failed;
} writing;

/* Sets "contact.springs.form" to what the text says; objects in between are made. NULL: removes it. */
static void put(writing *w, const char *path, const char *text)
{
    json_t *object = w->root;
    char name[LONGEST];
    while (!w->failed && path[strcspn(path, ".")]) {
        const size_t n = first_name(path, name);
        if (!json_object_get(object, name) && text)
            w->failed = json_object_set_new(object, name, json_object()) != 0;
        object = json_object_get(object, name);
        path += n + 1;
    }
    if (text && !w->failed)
        w->failed =
            json_object_set_new(object, path, vv_scene_read_json(text, strlen(text), JSON_DECODE_ANY, NULL)) != 0;
    else if (object)
        json_object_del(object, path);
}

static void put_setting(void *user, const char *key, const char *text) { put(user, key, text); }

bool vv_write_members(json_t *root, const vv_members *members, const void *fallback, const void *def)
{
    writing w = { root, false };
    for (int i = 0; i < members->count && !w.failed; i++) /* those that are as the default, and of other models, go */
        if (*members->row[i].row.key.path)
            put(&w, members->row[i].row.key.path, NULL);
    if (!w.failed)
        vv_members_say(members, fallback, def, true, put_setting, &w);
    return !w.failed;
}

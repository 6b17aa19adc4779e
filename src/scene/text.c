/* Documents from text, and as text again: two spaces of indentation, short lists on one line, and numbers with as few
 * digits as reproduce the same double when read back. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text/number.h"
#include "base/text/text.h"
#include "scene/document.h"

typedef struct buffer {
    char *text;
    size_t used, capacity;
    bool failed;
} buffer;

static void put(buffer *out, const char *text, size_t size)
{
    void *grown = out->text;
    if (out->failed || !vv_grow(&grown, &out->capacity, out->used + size + 1, 1)) {
        out->failed = true;
        return;
    }
    out->text = grown;
    memcpy(out->text + out->used, text, size);
    out->used += size;
    out->text[out->used] = 0;
}

static void put_text(buffer *out, const char *text) { put(out, text, strlen(text)); }

static void put_indent(buffer *out, int depth)
{
    put_text(out, "\n");
    for (int i = 0; i < depth; i++)
        put_text(out, "  ");
}

static void put_real(buffer *out, double value)
{
    char text[VV_NUMBER_LENGTH];
    vv_format_double(text, value);
    put_text(out, text);
    if (!strpbrk(text, ".eE"))
        put_text(out, ".0");
}

static bool is_flat(const json_t *list)
{
    if (json_array_size(list) > 16)
        return false;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        if (json_is_object(item) || (json_is_array(item) && !is_flat(item)))
            return false;
    }
    return true;
}

static void put_value(buffer *out, json_t *value, int depth);

static void put_array(buffer *out, const json_t *list, int depth)
{
    bool flat = is_flat(list);
    put_text(out, "[");
    for (size_t i = 0; i < json_array_size(list); i++) {
        put_text(out, i == 0 ? "" : flat ? ", " : ",");
        if (!flat)
            put_indent(out, depth + 1);
        put_value(out, json_array_get(list, i), depth + 1);
    }
    if (!flat)
        put_indent(out, depth);
    put_text(out, "]");
}

static void put_escaped(buffer *out, json_t *text)
{
    char *dumped = json_dumps(text, JSON_ENCODE_ANY | JSON_COMPACT);
    if (dumped)
        put_text(out, dumped);
    else
        out->failed = true;
    free(dumped);
}

static void put_object(buffer *out, json_t *object, int depth)
{
    const char *key;
    json_t *value;
    bool first = true;
    put_text(out, "{");
    json_object_foreach(object, key, value)
    {
        put_text(out, first ? "" : ",");
        put_indent(out, depth + 1);
        json_t *name = json_string(key);
        if (name)
            put_escaped(out, name);
        else
            out->failed = true;
        json_decref(name);
        put_text(out, ": ");
        put_value(out, value, depth + 1);
        first = false;
    }
    if (!first)
        put_indent(out, depth);
    put_text(out, "}");
}

static void put_value(buffer *out, json_t *value, int depth)
{
    if (out->failed)
        return;
    switch (json_typeof(value)) {
    case JSON_OBJECT: put_object(out, value, depth); break;
    case JSON_ARRAY: put_array(out, value, depth); break;
    case JSON_REAL: put_real(out, json_real_value(value)); break;
    default: put_escaped(out, value); break;
    }
}

json_t *vv_scene_read_json(const char *text, size_t size, size_t flags, json_error_t *problem)
{
    vv_locale locale = vv_locale_enter(); /* jansson 2.14 knows of decimal marks, but takes each for a single byte */
    json_t *root = json_loadb(text, size, flags, problem);
    vv_locale_leave(locale);
    return root;
}

char *vv_scene_text(const json_t *root)
{
    buffer out = { 0 };
    put_value(&out, (json_t *)(uintptr_t)root, 0);
    put_text(&out, "\n");
    if (out.failed) {
        vv_free(out.text);
        return NULL;
    }
    return out.text;
}

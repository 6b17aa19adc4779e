/* Reads single values of a scene, and words its error messages. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text/number.h"
#include "base/text/text.h"
#include "base/text/param.h"
#include "scene/document.h"

vvStatus vv_scene_fail(vv_document *doc, const char *where, const char *format, ...)
{
    char text[900];
    va_list args;
    va_start(args, format);
    vv_print_list(text, sizeof text, format, args);
    va_end(args);
    if (where != doc->failed)
        snprintf(doc->failed, sizeof doc->failed, "%s", where);
    char shown[80];
    const char *place = where[0] ? where : "the scene";
    if (strlen(place) < sizeof shown)
        place = vv_scene_printable(place, shown);
    return vv_fail(doc->error, VV_ERROR_INPUT, "%s: %s: %s", doc->name, place, text);
}

/* ---- words ---- */

void vv_words_add(vv_words *words, const char *candidate)
{
    size_t used = strlen(words->list);
    if (words->count == 0)
        words->best = VV_NEAR;
    snprintf(words->list + used, sizeof words->list - used, "%s%s", words->count ? ", " : "", candidate);
    words->count++;
    if (vv_is_nearer(words->wrong, candidate, &words->best))
        snprintf(words->nearest, sizeof words->nearest, "%s", candidate);
}

void vv_words_split(vv_words *words, const char *text)
{
    while (*text) {
        char word[64];
        int length = (int)strcspn(text, " ");
        snprintf(word, sizeof word, "%.*s", length, text);
        vv_words_add(words, word);
        text += length;
        text += *text == ' ';
    }
}

const char *vv_words_hint(const vv_words *words, char out[96])
{
    out[0] = 0;
    if (words->nearest[0])
        snprintf(out, 96, "; did you mean \"%s\"?", words->nearest);
    return out;
}

const char *vv_scene_printable(const char *text, char out[80])
{
    size_t n = 0;
    for (; text[n] && n < 72; n++)
        out[n] = (unsigned char)text[n] < 32 || text[n] == 127 ? '?' : text[n];
    if (text[n]) {
        /* do not cut within a UTF-8 sequence */
        while (n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80)
            n--;
        memcpy(out + n, "...", 3);
        n += 3;
    }
    out[n] = 0;
    return out;
}

const char *vv_scene_describe(const json_t *value, char out[96])
{
    char text[80];
    switch (json_typeof(value)) {
    case JSON_STRING: snprintf(out, 96, "the text \"%s\"", vv_scene_printable(json_string_value(value), text)); break;
    case JSON_INTEGER: snprintf(out, 96, "the number %" JSON_INTEGER_FORMAT, json_integer_value(value)); break;
    case JSON_REAL: vv_print(out, 96, "the number %.15g", json_real_value(value)); break;
    case JSON_ARRAY: snprintf(out, 96, "a list of %zu", json_array_size(value)); break;
    case JSON_OBJECT: snprintf(out, 96, "an object"); break;
    case JSON_TRUE: snprintf(out, 96, "true"); break;
    case JSON_FALSE: snprintf(out, 96, "false"); break;
    case JSON_NULL: snprintf(out, 96, "null"); break;
    }
    return out;
}

void vv_scene_child(char out[VV_SCENE_PATH], const char *where, const char *name)
{
    char text[80];
    snprintf(out, VV_SCENE_PATH, "%.220s%s%s", where, where[0] ? "." : "", vv_scene_printable(name, text));
}

void vv_scene_item(char out[VV_SCENE_PATH], const char *where, size_t index)
{
    snprintf(out, VV_SCENE_PATH, "%.280s[%zu]", where, index);
}

/* ---- values ---- */

/* What follows the number that the text begins with; NULL: it begins with none. */
static const char *read_number(const char *text, double *number)
{
    return vv_parse_double(text, text + strlen(text), number);
}

bool vv_scene_number(const json_t *value, double *number)
{
    if (json_is_number(value)) {
        *number = json_number_value(value);
        return isfinite(*number);
    }
    if (!json_is_string(value))
        return false;
    double above, below = 1;
    const char *end = read_number(json_string_value(value), &above);
    if (end && *end == '/')
        end = read_number(end + 1, &below);
    if (!end || *end || below == 0)
        return false;
    *number = above / below;
    return isfinite(*number);
}

bool vv_scene_percentage(const json_t *value, double *part)
{
    double percent;
    const char *text = json_string_value(value), *end = text ? read_number(text, &percent) : NULL;
    if (!end || strcmp(end, "%") != 0 || !isfinite(percent))
        return false;
    *part = 0.01 * percent;
    return true;
}

void vv_read_number(const json_t *object, const char *key, double *target)
{
    const json_t *value = json_object_get(object, key);
    double number;
    if (value && vv_scene_number(value, &number))
        *target = number;
}

void vv_read_integer(const json_t *object, const char *key, int *target)
{
    double number = *target;
    vv_read_number(object, key, &number);
    *target = (int)number;
}

void vv_read_filter(const json_t *object, const char *key, vvFilter *target)
{
    const json_t *source = json_object_get(object, key);
    double category, mask;
    if (json_object_get(source, "category") && vv_scene_number(json_object_get(source, "category"), &category))
        target->category = (uint64_t)category;
    if (json_object_get(source, "mask") && vv_scene_number(json_object_get(source, "mask"), &mask))
        target->mask = (uint64_t)mask;
    vv_read_integer(source, "group", &target->group);
}

void vv_read_boolean(const json_t *object, const char *key, bool *target)
{
    const json_t *value = json_object_get(object, key);
    if (value)
        *target = json_is_true(value);
}

void vv_read_text(const json_t *object, const char *key, const char **target)
{
    const json_t *value = json_object_get(object, key);
    if (json_is_string(value))
        *target = json_string_value(value);
}

void vv_scene_numbers(const json_t *value, double *target, int size)
{
    double number;
    if (!json_is_array(value)) {
        if (vv_scene_number(value, &number))
            for (int k = 0; k < size; k++)
                target[k] = number;
        return;
    }
    for (int k = 0; k < size && k < (int)json_array_size(value); k++)
        if (vv_scene_number(json_array_get(value, (size_t)k), &number))
            target[k] = number;
}

void vv_read_numbers(const json_t *object, const char *key, double *target, int size)
{
    const json_t *value = json_object_get(object, key);
    if (value)
        vv_scene_numbers(value, target, size);
}

void vv_scene_values(const json_t *object, const vv_typed *typed, double *values)
{
    for (int i = 0; i < typed->paramCount; i++) {
        const vvParam *param = &typed->params[i];
        for (int k = 0; k < param->size; k++)
            values[k] = param->fallback[k];
        if (param->choiceCount && json_object_get(object, param->name))
            values[0] = vvParamChoice(param, json_string_value(json_object_get(object, param->name)));
        else
            vv_read_numbers(object, param->name, values, param->size);
        values += param->size;
    }
}

int vv_scene_settings(const vv_typed *typed, const double *values, vvSetting *settings)
{
    return vv_params_named((vv_params){ typed->paramCount, typed->params }, values, settings);
}

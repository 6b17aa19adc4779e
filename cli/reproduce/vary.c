/* "for": one run or row for every combination of listed values. In the rest of the JSON {NAME} stands for the value:
 * a text that is nothing but {NAME} becomes the value itself, number or other; within a longer text it is written
 * out. */
#include "reproduce/reproduce.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COUNT = 1000, MOST_NAMES = 8 };

/* ---- {NAME} ---- */

static size_t name_length(const char *at) /* of "{name}"; 0: it is none */
{
    size_t n = 1;
    while (isalnum((unsigned char)at[n]) || at[n] == '_')
        n++;
    return n > 1 && at[n] == '}' ? n - 1 : 0;
}

const char *vv_repro_left_over(const char *text, char out[VV_REPRO_NAME])
{
    out[0] = 0;
    for (const char *at = strchr(text, '{'); at; at = strchr(at + 1, '{'))
        if (name_length(at)) {
            snprintf(out, VV_REPRO_NAME, "%.*s", (int)name_length(at), at + 1);
            break;
        }
    return out;
}

/* The shortest text that reads as the same number. */
static void write_number(double value, char out[VV_TEXT])
{
    if (value == floor(value) && fabs(value) < 1e9) {
        snprintf(out, VV_TEXT, "%.0f", value);
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(out, VV_TEXT, "%.*g", digits, value);
        if (strtod(out, NULL) == value)
            return;
    }
}

void vv_repro_value_text(const json_t *value, char *out, size_t size)
{
    char number[VV_TEXT];
    const json_t *name = json_is_object(value) ? json_object_get(value, "name") : value;
    number[0] = 0;
    if (json_is_number(name))
        write_number(json_number_value(name), number);
    snprintf(out, size, "%s",
             json_is_string(name)    ? json_string_value(name)
             : json_is_boolean(name) ? json_is_true(name) ? "true" : "false"
                                     : number);
}

static json_t *find(json_t *vars, const char *at)
{
    char name[VV_REPRO_NAME];
    snprintf(name, sizeof name, "%.*s", (int)name_length(at), at + 1);
    return name_length(at) ? json_object_get(vars, name) : NULL;
}

/* The text with its values; NULL: no memory. Free it. */
static char *fill(const char *text, json_t *vars)
{
    size_t used = 0, size = strlen(text) + 1;
    for (const char *at = text; (at = strchr(at, '{')); at++)
        size += VV_REPRO_NAME;
    char *out = malloc(size);
    while (out && *text) {
        json_t *value = *text == '{' ? find(vars, text) : NULL;
        if (value) {
            vv_repro_value_text(value, out + used, VV_REPRO_NAME);
            used += strlen(out + used);
            text += name_length(text) + 2;
        } else {
            out[used++] = *text++;
        }
    }
    if (out)
        out[used] = 0;
    return out;
}

json_t *vv_repro_substitute(json_t *node, json_t *vars)
{
    const char *key;
    json_t *value, *out;
    size_t index;
    char *text;
    if (json_is_object(node)) {
        out = json_object();
        json_object_foreach(node, key, value)
        {
            text = fill(key, vars);
            json_object_set_new(out, text ? text : key, vv_repro_substitute(value, vars));
            free(text);
        }
        return out;
    }
    if (json_is_array(node)) {
        out = json_array();
        json_array_foreach(node, index, value) json_array_append_new(out, vv_repro_substitute(value, vars));
        return out;
    }
    if (!json_is_string(node) || !strchr(json_string_value(node), '{'))
        return json_deep_copy(node);
    const char *from = json_string_value(node);
    value = find(vars, from);
    if (value && name_length(from) + 2 == strlen(from))
        return json_is_object(value) ? json_deep_copy(json_object_get(value, "name")) : json_deep_copy(value);
    text = fill(from, vars);
    out = json_string(text ? text : "");
    free(text);
    return out;
}

/* ---- lists ---- */

/* { "from": 1, "to": 100, "count": 3, "log": true } -> [1, 10, 100] */
static int expand_range(const vv_repro_item *item, const char *path, json_t *range, json_t **out)
{
    int code = vv_repro_keys(item, path, range, "from to count log", "from to count");
    if (code != VV_CLI_GO)
        return code;
    json_t *count = json_object_get(range, "count");
    double from = json_number_value(json_object_get(range, "from")),
           to = json_number_value(json_object_get(range, "to"));
    bool log_scale = json_is_true(json_object_get(range, "log"));
    if (!json_is_integer(count) || json_integer_value(count) < 2 || json_integer_value(count) > MOST_COUNT)
        return vv_repro_wrong(item, path, "\"count\" must be a whole number from 2 to %d", MOST_COUNT);
    if (log_scale && !(from > 0 && to > 0))
        return vv_repro_wrong(item, path, "with \"log\", \"from\" and \"to\" must be larger than 0");
    int n = (int)json_integer_value(count);
    *out = json_array();
    for (int i = 0; i < n; i++) {
        double part = (double)i / (n - 1), value = log_scale ? from * pow(to / from, part) : from + part * (to - from);
        json_array_append_new(*out, json_real(i == n - 1 ? to : value));
    }
    return VV_CLI_GO;
}

static int check_value(const vv_repro_item *item, const char *path, json_t *value)
{
    json_t *text = json_is_object(value) ? json_object_get(value, "name") : value;
    if (json_is_string(text) && json_string_length(text) >= VV_REPRO_NAME)
        return vv_repro_wrong(item, path, "a text in it is longer than %d bytes", VV_REPRO_NAME - 1);
    if (json_is_string(value) || json_is_number(value) || json_is_boolean(value))
        return VV_CLI_GO;
    if (!json_is_object(value))
        return vv_repro_wrong(item, path, "its values are texts, numbers, or objects with \"name\" and \"set\"");
    int code = vv_repro_keys(item, path, value, "name set", "name set");
    if (code == VV_CLI_GO &&
        (!json_is_string(json_object_get(value, "name")) || !json_is_object(json_object_get(value, "set"))))
        return vv_repro_wrong(item, path, "\"name\" must be a text and \"set\" an object of overrides");
    return code;
}

static int list_of(const vv_repro_item *item, const char *path, json_t *value, json_t **out)
{
    size_t index;
    json_t *element;
    int code = VV_CLI_GO;
    if (json_is_object(value))
        return expand_range(item, path, value, out);
    if (!json_is_array(value) || json_array_size(value) == 0)
        return vv_repro_wrong(item, path, "must be a list of values, or { \"from\", \"to\", \"count\" }");
    json_array_foreach(value, index, element) if (code == VV_CLI_GO) code = check_value(item, path, element);
    *out = json_incref(value);
    return code;
}

/* ---- combinations ---- */

typedef struct loop {
    const vv_repro_item *item;
    const char *path, *name; /* of the run or row, where braces are allowed; NULL: rows have labels */
    json_t *spec;            /* without "for" */
    const char *names[MOST_NAMES];
    json_t *lists[MOST_NAMES];
    int count;
    vv_repro_each each;
    void *user;
} loop;

/* The "set" of a value that has one comes first: the spec's own says more. */
static void merge_sets(json_t *spec, json_t *vars)
{
    const char *key;
    json_t *value, *all = json_object();
    json_object_foreach(vars, key, value) json_object_update(all, json_object_get(value, "set"));
    if (json_object_size(all)) {
        json_object_update(all, json_object_get(spec, "set"));
        json_object_set(spec, "set", all);
    }
    json_decref(all);
}

static int at_leaf(loop *l, json_t *vars)
{
    char left[VV_REPRO_NAME];
    json_t *spec = json_deep_copy(l->spec);
    merge_sets(spec, vars);
    json_t *filled = vv_repro_substitute(spec, vars);
    char *name = fill(l->name ? l->name : "", vars);
    int code = name ? VV_CLI_GO : vv_repro_memory();
    if (name && vv_repro_left_over(name, left)[0])
        code = vv_repro_wrong(l->item, l->path, "{%s} is no name in its \"for\"", left);
    if (code == VV_CLI_GO)
        code = l->each(l->user, l->name ? name : l->path, filled, vars);
    json_decref(spec);
    json_decref(filled);
    free(name);
    return code;
}

static int descend(loop *l, int depth, json_t *vars)
{
    size_t index;
    json_t *value;
    int code = VV_CLI_GO;
    if (depth == l->count)
        return at_leaf(l, vars);
    json_array_foreach(l->lists[depth], index, value)
    {
        json_object_set(vars, l->names[depth], value);
        code = descend(l, depth + 1, vars);
        if (code != VV_CLI_GO)
            return code;
    }
    return code;
}

int vv_repro_vary(const vv_repro_item *item, const char *path, json_t *spec, const char *name, vv_repro_each each,
                  void *user)
{
    loop l = { .item = item, .path = path, .name = name, .spec = json_deep_copy(spec), .each = each, .user = user };
    char below[VV_REPRO_PATH], inside[VV_REPRO_PATH];
    json_t *lists = json_object_get(spec, "for"), *value, *vars = json_object();
    const char *key;
    int code = VV_CLI_GO;
    json_object_del(l.spec, "for");
    vv_repro_path(below, path, "for");
    if (lists && !json_is_object(lists))
        code = vv_repro_wrong(item, below, "must be an object: { \"h\": [\"1/30\", \"1/60\"] }");
    json_object_foreach(lists, key, value)
    {
        if (code != VV_CLI_GO)
            break;
        if (l.count == MOST_NAMES)
            code = vv_repro_wrong(item, below, "has more than %d names", MOST_NAMES);
        else if (code == VV_CLI_GO)
            code = list_of(item, vv_repro_path(inside, below, key), value, &l.lists[l.count]);
        if (code == VV_CLI_GO)
            l.names[l.count++] = key;
    }
    if (code == VV_CLI_GO)
        code = descend(&l, 0, vars);
    for (int i = 0; i < MOST_NAMES; i++)
        json_decref(l.lists[i]);
    json_decref(l.spec);
    json_decref(vars);
    return code;
}

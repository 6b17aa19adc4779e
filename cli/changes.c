/* What differs between two scenes, in a few words: "integrator.policy=none, materials.m.young=20000". */
#include "cli.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

typedef struct change_list {
    char *out;
    size_t size, used;
    bool cut;
} change_list;

static void add(change_list *w, const char *path, const json_t *value)
{
    enum { LONGEST_VALUE = 40 };
    char text[400];
    char *dumped = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    const char *shown = json_is_string(value) ? json_string_value(value) : dumped;
    if (json_is_number(value))
        snprintf(text, sizeof text, "%.200s=%.9g", path, json_number_value(value));
    else if (!value)
        snprintf(text, sizeof text, "without %.200s", path);
    else if (!shown || strlen(shown) > LONGEST_VALUE)
        snprintf(text, sizeof text, "other %.200s", path);
    else
        snprintf(text, sizeof text, "%.200s=%.*s", path, LONGEST_VALUE, shown);
    free(dumped);
    size_t n = strlen(text);
    if (w->cut || w->used + n + 6 > w->size) {
        if (!w->cut)
            snprintf(w->out + w->used, w->size - w->used, "%s", w->used ? ", ..." : "...");
        w->cut = true;
        return;
    }
    w->used += (size_t)snprintf(w->out + w->used, w->size - w->used, "%s%s", w->used ? ", " : "", text);
}

/* What changes nothing in how bodies move. */
static bool is_label(const char *path)
{
    static const char *const labels[] = { "name", "description", "time.end", "time.record_every" };
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        if (strcmp(path, labels[i]) == 0)
            return true;
    return false;
}

static void compare(change_list *w, const char *path, const json_t *before, const json_t *after);

static void compare_objects(change_list *w, const char *path, const json_t *before, const json_t *after)
{
    const char *key;
    json_t *value;
    char inside[300];
    json_object_foreach((json_t *)(uintptr_t)after, key, value)
    {
        snprintf(inside, sizeof inside, "%.180s%s%.100s", path, *path ? "." : "", key);
        compare(w, inside, json_object_get(before, key), value);
    }
    json_object_foreach((json_t *)(uintptr_t)before, key, value) if (!json_object_get(after, key))
    {
        snprintf(inside, sizeof inside, "%.180s%s%.100s", path, *path ? "." : "", key);
        compare(w, inside, value, NULL);
    }
}

static void compare(change_list *w, const char *path, const json_t *before, const json_t *after)
{
    if (json_equal(before, after) || is_label(path))
        return;
    if (json_is_object(after) && (json_is_object(before) || !before)) {
        compare_objects(w, path, before, after);
        return;
    }
    bool lists = json_is_array(before) && json_is_array(after) && json_array_size(before) == json_array_size(after);
    if (!lists || !json_is_object(json_array_get(after, 0))) {
        add(w, path, after);
        return;
    }
    for (size_t i = 0; i < json_array_size(after); i++) {
        char inside[300];
        snprintf(inside, sizeof inside, "%.240s[%zu]", path, i);
        compare(w, inside, json_array_get(before, i), json_array_get(after, i));
    }
}

void vv_cli_scene_changes(const char *before, const char *after, char *out, size_t size)
{
    change_list w = { .out = out, .size = size };
    json_t *a = json_loads(before, 0, NULL), *b = json_loads(after, 0, NULL);
    out[0] = 0;
    if (a && b)
        compare(&w, "", a, b);
    json_decref(a);
    json_decref(b);
}

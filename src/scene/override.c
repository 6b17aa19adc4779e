/* Overrides from the command line, "bodies[0].material.young=1e6": a path of names and [indices], and a JSON value or a
 * bare word. An index may also follow a dot, "bodies.0.material". Objects missing along the path are created; a
 * missing list of numbers begins as its default; a list grows by one at its end. A material's name along the path
 * becomes an object that is like it, so that one body may differ, and a single material a list of one. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "scene/document.h"

enum { LONGEST_PATH = 24 }; /* steps; the vocabulary's deepest key needs 7 */

/* One step of a path: a name or an index. */
typedef struct segment {
    char name[128];
    bool is_index;
    size_t index;
} segment;

static bool is_number(const char *name)
{
    size_t digits = strspn(name, "0123456789");
    return digits > 0 && digits <= 6 && name[digits] == 0;
}

/* "bodies.0": in a list, a number behind a dot is an index. (Materials may have such names.) */
static void settle_kind(segment *step, const json_t *at)
{
    if (step->is_index || !json_is_array(at) || !is_number(step->name))
        return;
    step->is_index = true;
    step->index = 0;
    for (const char *p = step->name; *p; p++)
        step->index = 10 * step->index + (size_t)(*p - '0');
}

/* Whether `next` is an index in what `step` names, which may not be there yet. */
static bool wants_list(const segment *step, const segment *next)
{
    return next->is_index || (is_number(next->name) && (step->is_index || strcmp(step->name, "materials") != 0));
}

static vvStatus refuse(vv_document *doc, const char *assignment, const char *reason)
{
    char shown[80];
    return vv_fail(doc->error, VV_ERROR_INPUT, "%s: override \"%s\": %s", doc->name,
                   vv_scene_printable(assignment, shown), reason);
}

/* Reads the segment at *at and moves past it; returns NULL or the problem. `end` is the '=' sign. */
static const char *next_segment(const char **at, const char *end, bool first, segment *out)
{
    const char *p = *at;
    out->is_index = *p == '[';
    if (out->is_index) {
        size_t digits = strspn(p + 1, "0123456789");
        if (digits == 0 || digits > 6 || p[1 + digits] != ']')
            return "an index in brackets is a whole number, [0]";
        out->index = 0;
        for (size_t i = 1; i <= digits; i++)
            out->index = 10 * out->index + (size_t)(p[i] - '0');
        *at = p + digits + 2;
        return NULL;
    }
    if (!first) {
        if (*p != '.')
            return "names in a path are separated by dots";
        p++;
    }
    size_t length = strcspn(p, ".[=");
    if (length == 0 || p + length > end)
        return "a name is missing in the path; write PATH=VALUE, e.g. integrator.policy=search";
    if (length >= sizeof out->name)
        return "a name in the path is too long";
    memcpy(out->name, p, length);
    out->name[length] = 0;
    *at = p + length;
    return NULL;
}

/* JSON, or else a bare word. A text that begins like a JSON list, object or string must be JSON. */
static json_t *read_value(const char *text, const char **problem)
{
    json_error_t why;
    json_t *value = vv_scene_read_json(text, strlen(text), JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &why);
    if (value)
        return value;
    if (text[0] == 0 || strchr("[{\"", text[0])) {
        *problem = text[0] ? "the value is not valid JSON" : "the value is missing; write PATH=VALUE";
        return NULL;
    }
    value = json_string(text);
    if (!value)
        *problem = "the value is not valid UTF-8";
    return value;
}

static const char in_list[] = "there is a name where the scene has a list; an item of it is [0] or .0, counted from 0";

/* Where the walk along a path is. */
typedef struct walk {
    const json_t *root;
    char pattern[VV_SCENE_PATH]; /* of the present object or list, as in the table of keys: "bodies[].mesh" */
} walk;

static void enter(walk *w, const segment *step)
{
    size_t n = strlen(w->pattern);
    snprintf(w->pattern + n, sizeof w->pattern - n, "%s%s",
             step->is_index ? "[]"
             : n            ? "."
                            : "",
             step->is_index ? "" : step->name);
}

/* A new list has the default's numbers, of which one changes. */
static json_t *new_list(const walk *w, const segment *step)
{
    json_t *list = step->is_index ? NULL : vv_scene_default_list(w->root, w->pattern, step->name);
    return list ? list : json_array();
}

/* The member or item that `step` names, created as an empty `wanted` if missing; NULL with *problem set. */
static json_t *descend(const walk *w, json_t *at, const segment *step, const segment *above, bool list_wanted,
                       const char **problem)
{
    const segment *named = step->is_index ? above : step;
    bool material =
        !named->is_index && (strcmp(named->name, "material") == 0 || strcmp(w->pattern, "bodies[].materials") == 0);
    json_t *child = NULL, *fresh = NULL;
    if (step->is_index) {
        if (!json_is_array(at)) {
            *problem = "there is an index where the scene has no list";
            return NULL;
        }
        if (step->index > json_array_size(at)) {
            *problem = "the index is past the end of the list (one past the end adds an item)";
            return NULL;
        }
        child = json_array_get(at, step->index);
    } else {
        if (!json_is_object(at)) {
            *problem = json_is_array(at) ? in_list : "there is a name where the scene has no object";
            return NULL;
        }
        child = json_object_get(at, step->name);
    }
    if (material && list_wanted && (json_is_string(child) || json_is_object(child)))
        fresh = json_pack("[O]", child);
    else if (material && !list_wanted && json_is_string(child))
        fresh = json_pack("{sO}", "like", child);
    else if (child && !json_is_null(child))
        return child;
    else
        fresh = list_wanted ? new_list(w, step) : json_object();
    int failed = !fresh                              ? 1
                 : !step->is_index                   ? json_object_set_new(at, step->name, fresh)
                 : step->index < json_array_size(at) ? json_array_set_new(at, step->index, fresh)
                                                     : json_array_append_new(at, fresh);
    if (failed) {
        *problem = "out of memory, or a name that is not valid UTF-8";
        return NULL;
    }
    return fresh;
}

/* Sets `value` (takes ownership) at the last step. */
static const char *assign(json_t *at, const segment *step, json_t *value)
{
    if (step->is_index && !json_is_array(at)) {
        json_decref(value);
        return "there is an index where the scene has no list";
    }
    if (!step->is_index && !json_is_object(at)) {
        bool list = json_is_array(at);
        json_decref(value);
        return list ? in_list : "there is a name where the scene has no object";
    }
    if (step->is_index && step->index > json_array_size(at)) {
        json_decref(value);
        return "the index is past the end of the list (one past the end adds an item)";
    }
    int failed = !step->is_index                     ? json_object_set_new(at, step->name, value)
                 : step->index < json_array_size(at) ? json_array_set_new(at, step->index, value)
                                                     : json_array_append_new(at, value);
    return failed ? "out of memory, or a name that is not valid UTF-8" : NULL;
}

/* What stands beside a kind of mesh: with a file alone, or with any. */
static bool is_beside(const char *key, bool file)
{
    return strcmp(key, "collides") == 0 || strcmp(key, "order") == 0 ||
           (file && (strcmp(key, "fill") == 0 || strcmp(key, "edge") == 0 || strcmp(key, "onto") == 0));
}

/* If an object holds one of several kinds of mesh, an override of one kind replaces the other. All else in it stays. */
static void drop_rivals(json_t *at, const segment *step, const segment *above)
{
    if (step->is_index || above->is_index ||
        (strcmp(above->name, "mesh") != 0 && strcmp(above->name, "surface") != 0) || is_beside(step->name, true))
        return;
    const char *key;
    json_t *value;
    void *next;
    json_object_foreach_safe(at, next, key, value) if (strcmp(key, step->name) != 0 &&
                                                       !is_beside(key, strcmp(step->name, "file") == 0))
        json_object_del(at, key);
}

vvStatus vv_scene_override(vv_document *doc, const char *assignment)
{
    const char *equals = strchr(assignment, '='), *at = assignment, *problem = NULL;
    segment step = { .is_index = false }, above = { .is_index = true };
    json_t *place = doc->root;
    walk w = { .root = doc->root };
    if (!equals || equals == assignment)
        return refuse(doc, assignment, "write PATH=VALUE, e.g. integrator.policy=search");
    if ((problem = next_segment(&at, equals, true, &step)))
        return refuse(doc, assignment, problem);
    for (int steps = 1; at < equals; steps++) {
        segment next = { .is_index = false };
        if (steps == LONGEST_PATH)
            return refuse(doc, assignment, "the path has too many steps");
        if ((problem = next_segment(&at, equals, false, &next)))
            return refuse(doc, assignment, problem);
        settle_kind(&step, place);
        drop_rivals(place, &step, &above);
        if (!(place = descend(&w, place, &step, &above, wants_list(&step, &next), &problem)))
            return refuse(doc, assignment, problem);
        enter(&w, &step);
        above = step;
        step = next;
    }
    json_t *value = read_value(equals + 1, &problem);
    if (!value)
        return refuse(doc, assignment, problem);
    settle_kind(&step, place);
    drop_rivals(place, &step, &above);
    problem = assign(place, &step, value);
    return problem ? refuse(doc, assignment, problem) : VV_OK;
}

/* The path with each index in brackets, as messages have it. Cut off at the end if too long. */
static void bracketed(const char *path, size_t length, char out[VV_SCENE_PATH])
{
    size_t n = 0;
    for (size_t i = 0; i < length && n + 3 < VV_SCENE_PATH; i++) {
        size_t digits = path[i] == '.' ? strspn(path + i + 1, "0123456789") : 0;
        char after = i + 1 + digits < length ? path[i + 1 + digits] : 0;
        if (!digits || digits > 6 || i + 1 + digits > length || (after && after != '.' && after != '[')) {
            out[n++] = path[i];
            continue;
        }
        int put = snprintf(out + n, VV_SCENE_PATH - n, "[%.*s]", (int)digits, path + i + 1);
        n = put > 0 && n + (size_t)put < VV_SCENE_PATH ? n + (size_t)put : VV_SCENE_PATH - 1;
        i += digits;
    }
    out[n] = 0;
}

bool vv_scene_override_reaches(const char *assignment, const char *where)
{
    const char *equals = strchr(assignment, '=');
    char path[VV_SCENE_PATH], place[VV_SCENE_PATH];
    bracketed(assignment, equals ? (size_t)(equals - assignment) : 0, path);
    bracketed(where, strlen(where), place);
    size_t n = strlen(path), m = strlen(place), shorter = n < m ? n : m;
    if (n == 0 || m == 0 || strncmp(path, place, shorter) != 0)
        return false;
    /* the shorter one must end where a name of the longer one ends */
    char behind = n < m ? place[n] : n > m ? path[m] : 0;
    return behind == 0 || behind == '.' || behind == '[';
}

/* ---- names that nothing uses ---- */

enum { LONGEST_CHAIN = 64 };

/* Whether a body's material, or one of a list, is the named one or based on it. */
static bool uses(const json_t *materials, const json_t *value, const char *name)
{
    for (size_t i = 0; i < json_array_size(value); i++)
        if (uses(materials, json_array_get(value, i), name))
            return true;
    for (int steps = 0; value && !json_is_array(value) && steps < LONGEST_CHAIN; steps++) {
        const char *at = json_string_value(json_is_string(value) ? value : json_object_get(value, "like"));
        if (!at)
            return false;
        if (strcmp(at, name) == 0)
            return true;
        value = json_object_get(materials, at);
    }
    return false;
}

static bool is_used(const json_t *root, const char *name)
{
    const json_t *bodies = json_object_get(root, "bodies"), *materials = json_object_get(root, "materials");
    for (size_t i = 0; i < json_array_size(bodies); i++) {
        json_t *body = json_array_get(bodies, i), *regions = json_object_get(body, "materials"), *one;
        const char *key;
        if (uses(materials, json_object_get(body, "material"), name))
            return true;
        json_object_foreach(regions, key, one) if (uses(materials, one, name)) return true;
    }
    return false;
}

vvStatus vv_scene_override_used(vv_document *doc, const char *assignment)
{
    static const char start[] = "materials.";
    const json_t *materials = json_object_get(doc->root, "materials");
    char name[128], shown[80], hint[96], reason[900];
    size_t length = strcspn(assignment, "=");
    if (strncmp(assignment, start, strlen(start)) != 0 || length <= strlen(start))
        return VV_OK;
    const char *from = assignment + strlen(start);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(from, ".[="), from);
    if (is_used(doc->root, name))
        return VV_OK;
    vv_words words = { .wrong = name };
    const char *key;
    json_t *member;
    json_object_foreach((json_t *)(uintptr_t)materials, key, member) if (is_used(doc->root, key))
        vv_words_add(&words, key);
    snprintf(reason, sizeof reason, "no body uses a material \"%s\"; used are: %s%s", vv_scene_printable(name, shown),
             words.count ? words.list : "none (a body's own values are at bodies[0].material)",
             vv_words_hint(&words, hint));
    return refuse(doc, assignment, reason);
}

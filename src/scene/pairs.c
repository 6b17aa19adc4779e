/* Names of bodies, among which are obstacles with a mesh and obstacles that move, and contact.pairs, which refers to
 * those that collide by their surfaces. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "scene/document.h"

enum { MOST_PAIRS = 1000000 };

/* ---- names ---- */

typedef struct cursor { /* the next item */
    size_t body, obstacle;
    int first; /* number of bodies of the items before it */
} cursor;

/* The bodies, then the obstacles that are bodies; false past the end. */
static bool next_item(const json_t *root, cursor *at, vv_scene_thing *out)
{
    const json_t *bodies = json_object_get(root, "bodies"), *obstacles = json_object_get(root, "obstacles");
    *out = (vv_scene_thing){ .list = NULL };
    if (at->body < json_array_size(bodies)) {
        *out = (vv_scene_thing){ .list = "bodies", .index = at->body, .entry = json_array_get(bodies, at->body) };
        at->body++;
    }
    while (!out->list && at->obstacle < json_array_size(obstacles)) {
        size_t i = at->obstacle++;
        const json_t *obstacle = json_array_get(obstacles, i);
        if (vv_scene_is_body_obstacle(obstacle))
            *out = (vv_scene_thing){
                .list = "obstacles", .index = i, .entry = obstacle, .shape = !vv_scene_is_mesh_obstacle(obstacle)
            };
    }
    if (!out->list)
        return false;
    out->name = json_string_value(json_object_get(out->entry, "name"));
    out->first = at->first, out->count = vv_scene_copies(out->entry);
    at->first += out->count;
    return true;
}

bool vv_scene_body_path(const json_t *root, int body, char *path, size_t size)
{
    vv_scene_thing thing;
    for (cursor at = { 0 }; body >= 0 && next_item(root, &at, &thing);) {
        if (body >= thing.first + thing.count)
            continue;
        if (json_object_get(thing.entry, "copies"))
            snprintf(path, size, "%s[%zu], copy %d", thing.list, thing.index, body - thing.first + 1);
        else
            snprintf(path, size, "%s[%zu]", thing.list, thing.index);
        return true;
    }
    return false;
}

static const char *name_of(const void *things, int i) { return ((const vv_scene_thing *)things)[i].name; }

/* NULL: nothing has that name. */
static const vv_scene_thing *find(const vv_document *doc, const char *name)
{
    const int i = name[0] ? vv_names_find(&doc->names, name, name_of, doc->things) : -1;
    return i >= 0 ? doc->things + i : NULL;
}

bool vv_scene_has_name(const vv_document *doc, const char *name) { return find(doc, name) != NULL; }

static vvStatus add_name(vv_document *doc, int i)
{
    const vv_scene_thing *thing = doc->things + i, *other = thing->name ? find(doc, thing->name) : NULL;
    char where[VV_SCENE_PATH], shown[80];
    if (!thing->name || !thing->name[0])
        return VV_OK;
    if (!other)
        return vv_names_add(&doc->names, i, name_of, doc->things) ? VV_OK : vv_fail_memory(doc->error, "a scene");
    snprintf(where, sizeof where, "%s[%zu].name", thing->list, thing->index);
    return vv_scene_fail(doc, where, "%s[%zu] has the name \"%s\" too; names are unique", other->list, other->index,
                         vv_scene_printable(thing->name, shown));
}

vvStatus vv_scene_check_names(vv_document *doc)
{
    const size_t most = json_array_size(json_object_get(doc->root, "bodies")) +
                        json_array_size(json_object_get(doc->root, "obstacles"));
    vv_scene_forget_names(doc);
    doc->things = vv_alloc(most + 1, sizeof *doc->things);
    vvStatus status = doc->things ? VV_OK : vv_fail_memory(doc->error, "a scene");
    /* past the last one an empty thing is written */
    for (cursor at = { 0 }; status == VV_OK && next_item(doc->root, &at, doc->things + doc->thing_count);)
        status = add_name(doc, doc->thing_count++);
    return status;
}

void vv_scene_forget_names(vv_document *doc)
{
    vv_names_free(&doc->names);
    vv_free(doc->things);
    doc->things = NULL, doc->thing_count = 0;
}

/* ---- pairs ---- */

static const char *name_in(const json_t *pair, size_t side)
{
    return json_string_value(json_array_get(json_object_get(pair, "between"), side));
}

static vvStatus check_name(vv_document *doc, const char *name, const char *where)
{
    char hint[96], shown[80];
    const json_t *obstacles = json_object_get(doc->root, "obstacles");
    const vv_scene_thing *found = find(doc, name);
    vv_words words = { .wrong = name };
    if (found && !found->shape)
        return VV_OK;
    for (size_t i = 0; i < json_array_size(obstacles); i++) {
        const char *other = json_string_value(json_object_get(json_array_get(obstacles, i), "name"));
        if (other && strcmp(other, name) == 0)
            return vv_scene_fail(doc, where, "obstacles[%zu], \"%s\", has no mesh: give it a friction of its own", i,
                                 vv_scene_printable(name, shown));
    }
    for (int i = 0; i < doc->thing_count; i++)
        if (doc->things[i].name && doc->things[i].name[0] && !doc->things[i].shape)
            vv_words_add(&words, doc->things[i].name);
    return vv_scene_fail(doc, where, "no body and no obstacle with a mesh has the name \"%s\"; there are: %s%s",
                         vv_scene_printable(name, shown), words.count ? words.list : "none with a name",
                         vv_words_hint(&words, hint));
}

typedef struct between { /* the first bodies of both sides, the lower one before the other; which pair it is */
    int low, high;
    size_t pair;
} between;

static int by_bodies(const void *p, const void *q)
{
    const between *a = p, *b = q;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return (a->pair > b->pair) - (a->pair < b->pair);
}

/* Fails for the first pair with the bodies of an earlier one. list: all pairs; gets sorted. */
static vvStatus check_once(vv_document *doc, between *list, size_t count)
{
    const between *again = NULL, *first = NULL;
    qsort(list, count, sizeof *list, by_bodies);
    for (size_t i = 0, same = 0; i < count; i++) {
        if (list[i].low != list[same].low || list[i].high != list[same].high)
            same = i;
        if (i == same + 1 && (!again || list[i].pair < again->pair))
            again = list + i, first = list + same;
    }
    if (!again)
        return VV_OK;
    char where[VV_SCENE_PATH];
    snprintf(where, sizeof where, "contact.pairs[%zu].between", again->pair);
    return vv_scene_fail(doc, where, "contact.pairs[%zu] is between the same two; give each pair once", first->pair);
}

/* all: pairs of bodies so far. */
static vvStatus check_pair(vv_document *doc, const json_t *pair, size_t i, double *all, between *out)
{
    char where[VV_SCENE_PATH];
    for (size_t side = 0; side < 2; side++) {
        snprintf(where, sizeof where, "contact.pairs[%zu].between[%zu]", i, side);
        vvStatus status = check_name(doc, name_in(pair, side), where);
        if (status != VV_OK)
            return status;
    }
    const vv_scene_thing *a = find(doc, name_in(pair, 0)), *b = find(doc, name_in(pair, 1));
    snprintf(where, sizeof where, "contact.pairs[%zu].between", i);
    *all += (double)a->count * b->count;
    if (*all > MOST_PAIRS)
        return vv_scene_fail(doc, where,
                             "found %.9g pairs of bodies, with all copies; allowed: at most %d: give the bodies a "
                             "friction of their own",
                             *all, MOST_PAIRS);
    *out = a->first < b->first ? (between){ a->first, b->first, i } : (between){ b->first, a->first, i };
    return VV_OK;
}

vvStatus vv_scene_check_pairs(vv_document *doc)
{
    const json_t *pairs = json_object_get(json_object_get(doc->root, "contact"), "pairs");
    const size_t count = json_array_size(pairs);
    double all = 0;
    between *list = vv_alloc(count, sizeof *list);
    vvStatus status = list ? VV_OK : vv_fail_memory(doc->error, "a scene");
    for (size_t i = 0; status == VV_OK && i < count; i++)
        status = check_pair(doc, json_array_get(pairs, i), i, &all, list + i);
    if (status == VV_OK && count)
        status = check_once(doc, list, count);
    vv_free(list);
    return status;
}

static vvStatus set_pair(vv_document *doc, vvWorld *world, const json_t *pair, const char *where)
{
    const vv_scene_thing *a = find(doc, name_in(pair, 0)), *b = find(doc, name_in(pair, 1));
    double mu = 0;
    vv_read_number(pair, "friction", &mu);
    if (b->first < a->first) { /* the world's list of pairs is in ascending order */
        const vv_scene_thing *swap = a;
        a = b;
        b = swap;
    }
    for (int i = a->first; i < a->first + a->count; i++)
        for (int k = b->first > i ? b->first : i; k < b->first + b->count; k++)
            if (vvWorldSetFriction(world, vvWorldBody(world, i), vvWorldBody(world, k), mu, doc->error))
                return vv_scene_prefix(doc, where);
    return VV_OK;
}

vvStatus vv_scene_build_pairs(vv_document *doc, vvWorld *world)
{
    const json_t *pairs = json_object_get(json_object_get(doc->root, "contact"), "pairs");
    for (size_t i = 0; i < json_array_size(pairs); i++) {
        const json_t *pair = json_array_get(pairs, i);
        char where[VV_SCENE_PATH];
        vv_scene_item(where, "contact.pairs", i);
        vvStatus status = set_pair(doc, world, pair, where);
        if (status != VV_OK)
            return status;
    }
    return VV_OK;
}

/* Names of bodies, among which are obstacles with a mesh and obstacles that move, and contact.pairs, which refers to
 * those that collide by their surfaces. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "scene/document.h"

enum { MOST_PAIRS = 1000000 };

typedef struct item {        /* a body, or an obstacle that is one */
    const char *list, *name; /* NULL: it has no name */
    size_t index;
    const json_t *entry;
    bool shape; /* an obstacle without a mesh */
} item;

typedef struct cursor { /* the next item */
    size_t body, obstacle;
} cursor;

/* The bodies, then the obstacles that are bodies; false past the end. */
static bool next_item(const json_t *root, cursor *at, item *out)
{
    const json_t *bodies = json_object_get(root, "bodies"), *obstacles = json_object_get(root, "obstacles");
    if (at->body < json_array_size(bodies)) {
        const json_t *body = json_array_get(bodies, at->body);
        *out = (item){ "bodies", json_string_value(json_object_get(body, "name")), at->body++, body, false };
        return true;
    }
    while (at->obstacle < json_array_size(obstacles)) {
        size_t i = at->obstacle++;
        const json_t *obstacle = json_array_get(obstacles, i);
        if (vv_scene_is_body_obstacle(obstacle)) {
            *out = (item){ "obstacles", json_string_value(json_object_get(obstacle, "name")), i, obstacle,
                           !vv_scene_is_mesh_obstacle(obstacle) };
            return true;
        }
    }
    return false;
}

bool vv_scene_has_name(const json_t *root, const char *name)
{
    item thing;
    for (cursor at = { 0 }; next_item(root, &at, &thing);)
        if (thing.name && strcmp(thing.name, name) == 0)
            return true;
    return false;
}

/* Bodies of the world. */
typedef struct range {
    int first, count;
} range;

/* All copies of the entry of that name, which exists. */
static range find_bodies(const json_t *root, const char *name)
{
    item thing;
    range r = { 0, 0 };
    for (cursor at = { 0 }; next_item(root, &at, &thing);) {
        r.first += r.count;
        r.count = vv_scene_copies(thing.entry);
        if (thing.name && strcmp(thing.name, name) == 0)
            return r;
    }
    return (range){ 0, 0 };
}

bool vv_scene_body_path(const json_t *root, int body, char *path, size_t size)
{
    item thing;
    for (cursor at = { 0 }; body >= 0 && next_item(root, &at, &thing);) {
        int count = vv_scene_copies(thing.entry);
        if (body < count) {
            if (json_object_get(thing.entry, "copies"))
                snprintf(path, size, "%s[%zu], copy %d", thing.list, thing.index, body + 1);
            else
                snprintf(path, size, "%s[%zu]", thing.list, thing.index);
            return true;
        }
        body -= count;
    }
    return false;
}

vvStatus vv_scene_check_names(vv_document *doc)
{
    item thing, other;
    size_t count = 0;
    for (cursor at = { 0 }; next_item(doc->root, &at, &thing); count++) {
        cursor before = { 0 };
        for (size_t k = 0; thing.name && thing.name[0] && k < count && next_item(doc->root, &before, &other); k++) {
            char where[VV_SCENE_PATH], shown[80];
            if (!other.name || strcmp(thing.name, other.name) != 0)
                continue;
            snprintf(where, sizeof where, "%s[%zu].name", thing.list, thing.index);
            return vv_scene_fail(doc, where, "%s[%zu] has the name \"%s\" too; names are unique", other.list,
                                 other.index, vv_scene_printable(thing.name, shown));
        }
    }
    return VV_OK;
}

/* ---- pairs ---- */

static const char *name_in(const json_t *pair, size_t side)
{
    return json_string_value(json_array_get(json_object_get(pair, "between"), side));
}

static vvStatus check_name(vv_document *doc, const char *name, const char *where)
{
    item thing;
    char hint[96], shown[80];
    const json_t *obstacles = json_object_get(doc->root, "obstacles");
    vv_words words = { .wrong = name };
    for (cursor at = { 0 }; name[0] && next_item(doc->root, &at, &thing);)
        if (thing.name && strcmp(thing.name, name) == 0 && !thing.shape)
            return VV_OK;
    for (size_t i = 0; i < json_array_size(obstacles); i++) {
        const char *other = json_string_value(json_object_get(json_array_get(obstacles, i), "name"));
        if (other && strcmp(other, name) == 0)
            return vv_scene_fail(doc, where, "obstacles[%zu], \"%s\", has no mesh: give it a friction of its own", i,
                                 vv_scene_printable(name, shown));
    }
    for (cursor at = { 0 }; next_item(doc->root, &at, &thing);)
        if (thing.name && thing.name[0] && !thing.shape)
            vv_words_add(&words, thing.name);
    return vv_scene_fail(doc, where, "no body and no obstacle with a mesh has the name \"%s\"; there are: %s%s",
                         vv_scene_printable(name, shown), words.count ? words.list : "none with a name",
                         vv_words_hint(&words, hint));
}

static bool same_pair(const json_t *p, const json_t *q)
{
    bool straight = strcmp(name_in(p, 0), name_in(q, 0)) == 0 && strcmp(name_in(p, 1), name_in(q, 1)) == 0;
    return straight || (strcmp(name_in(p, 0), name_in(q, 1)) == 0 && strcmp(name_in(p, 1), name_in(q, 0)) == 0);
}

vvStatus vv_scene_check_pairs(vv_document *doc)
{
    const json_t *pairs = json_object_get(json_object_get(doc->root, "contact"), "pairs");
    double all = 0;
    for (size_t i = 0; i < json_array_size(pairs); i++) {
        const json_t *pair = json_array_get(pairs, i);
        char where[VV_SCENE_PATH];
        for (size_t side = 0; side < 2; side++) {
            snprintf(where, sizeof where, "contact.pairs[%zu].between[%zu]", i, side);
            vvStatus status = check_name(doc, name_in(pair, side), where);
            if (status != VV_OK)
                return status;
        }
        snprintf(where, sizeof where, "contact.pairs[%zu].between", i);
        all += (double)find_bodies(doc->root, name_in(pair, 0)).count * find_bodies(doc->root, name_in(pair, 1)).count;
        if (all > MOST_PAIRS)
            return vv_scene_fail(doc, where,
                                 "found %.9g pairs of bodies, with all copies; allowed: at most %d: give the bodies a "
                                 "friction of their own",
                                 all, MOST_PAIRS);
        for (size_t k = 0; k < i; k++)
            if (same_pair(pair, json_array_get(pairs, k)))
                return vv_scene_fail(doc, where, "contact.pairs[%zu] is between the same two; give each pair once", k);
    }
    return VV_OK;
}

static vvStatus set_pair(vv_document *doc, vvWorld *world, const json_t *pair, const char *where)
{
    range a = find_bodies(doc->root, name_in(pair, 0)), b = find_bodies(doc->root, name_in(pair, 1));
    double mu = 0;
    vv_read_number(pair, "friction", &mu);
    if (b.first < a.first) { /* the world's list of pairs is in ascending order */
        range swap = a;
        a = b;
        b = swap;
    }
    for (int i = a.first; i < a.first + a.count; i++)
        for (int k = b.first > i ? b.first : i; k < b.first + b.count; k++)
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

/* Rules between values, which the key table cannot express: exactly one of several keys, names that refer to something,
 * order, what a choice requires. Runs after validate.c, so types are right. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "contact/models.h"
#include "scene/document.h"
#include "scene/heights.h"

enum { MOST_COPIES = 10000 };

/* ---- exactly one of ---- */

/* Whether `key` is one of the words. */
static bool is_among(const char *words, const char *key)
{
    const size_t n = strlen(key);
    for (const char *at = words; *at; at += strcspn(at, " "), at += *at == ' ')
        if (n > 0 && strcspn(at, " ") == n && strncmp(at, key, n) == 0)
            return true;
    return false;
}

/* Counts the typed members of an object, and `extra`, plain keys that compete with them: words. */
static vvStatus check_one_of(vv_document *doc, const json_t *object, const char *where, const char *pattern,
                             const char *extra)
{
    const char *key;
    json_t *member;
    vv_typed typed;
    vv_words words = { .wrong = "" };
    int count = 0;
    vv_words_split(&words, extra);
    vv_scene_cursor at = { 0 };
    for (const vv_key_row *row; (row = vv_scene_next(&at));) {
        size_t n = strlen(pattern);
        if (row->kind == VV_KEY_TYPED && strncmp(row->key.path, pattern, n) == 0 && row->key.path[n] == '.' &&
            !strpbrk(row->key.path + n + 1, ".["))
            for (int k = 0; row->typed(k, &typed); k++)
                vv_words_add(&words, typed.info->name);
    }
    json_object_foreach((json_t *)(uintptr_t)object, key, member)
    {
        const vv_key_row *row = vv_scene_find(pattern, key, &typed);
        count += row && (row->kind == VV_KEY_TYPED || is_among(extra, key));
    }
    if (count == 1)
        return VV_OK;
    return vv_scene_fail(doc, where, "found %s; allowed: exactly one of %s", count ? "several" : "none", words.list);
}

/* One of a body's initial states. */
static vvStatus check_start(vv_document *doc, const json_t *state, int copies, const char *where)
{
    const json_t *positions = json_object_get(state, "positions"), *velocities = json_object_get(state, "velocities");
    vvStatus status = check_one_of(doc, state, where, "bodies[].start[]", "file positions");
    if (status != VV_OK)
        return status;
    if ((positions || json_object_get(state, "file")) && copies > 1)
        return vv_scene_fail(doc, where, "%s the state of one body; found %d copies of it",
                             positions ? "positions are" : "a file gives", copies);
    if (velocities && json_array_size(velocities) != json_array_size(positions))
        return vv_scene_fail(doc, where, "found %zu velocities; allowed: one for each of the %zu positions",
                             json_array_size(velocities), json_array_size(positions));
    return VV_OK;
}

/* ---- filled surfaces ---- */

static vvStatus check_fill(vv_document *doc, const json_t *mesh, const char *where)
{
    char place[VV_SCENE_PATH];
    bool fill = json_is_true(json_object_get(mesh, "fill"));
    vv_scene_child(place, where, fill ? "fill" : "edge");
    if (fill && !json_object_get(mesh, "file"))
        return vv_scene_fail(doc, place, "is for a mesh from a file; the generators make tets themselves");
    if (!fill && json_object_get(mesh, "edge"))
        return vv_scene_fail(doc, place, "is the edge of tets that fill a surface; add \"fill\": true");
    vv_scene_child(place, where, "onto");
    if (json_object_get(mesh, "onto") && (fill || !json_object_get(mesh, "file")))
        return vv_scene_fail(doc, place, "is for tets from a file; %s",
                             fill ? "those that fill a surface go onto it" : "a generator knows its shape");
    return VV_OK;
}

/* ---- attachments ---- */

static vvStatus check_where(vv_document *doc, const json_t *region, const char *where)
{
    static const char *const kinds[] = { "box", "sphere", "half_space", "percent", "vertices", "group" };
    int count = json_is_true(json_object_get(region, "all"));
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        count += json_object_get(region, kinds[i]) != NULL;
    bool only = json_is_true(json_object_get(region, "surface")) || json_is_true(json_object_get(region, "rim"));
    if (count > 1 || (count == 0 && !only))
        return vv_scene_fail(
            doc, where,
            "found %s; allowed: one of box, sphere, half_space, percent, vertices, group, \"all\": true, "
            "with or without \"surface\": true or \"rim\": true",
            count ? "several regions" : "no region");
    double normal[3] = { 0, 1, 0 };
    vv_read_numbers(json_object_get(region, "half_space"), "normal", normal, 3);
    if (normal[0] == 0 && normal[1] == 0 && normal[2] == 0)
        return vv_scene_fail(doc, where, "half_space.normal: found [0, 0, 0]; allowed: any other vector");
    return VV_OK;
}

static vvStatus check_motion(vv_document *doc, const json_t *motion, const char *where)
{
    double turn = 0, axis[3] = { 0, 0, 0 }, start = 0, end = INFINITY, last = -1;
    vv_read_number(motion, "angular", &turn);
    vv_read_numbers(motion, "axis", axis, 3);
    vv_read_number(motion, "start", &start);
    vv_read_number(motion, "end", &end);
    if (turn != 0 && axis[0] == 0 && axis[1] == 0 && axis[2] == 0)
        return vv_scene_fail(doc, where, "angular needs an axis: give \"axis\": [x, y, z], not all 0");
    if (end < start)
        return vv_scene_fail(doc, where, "found end %.9g before start %.9g", end, start);
    const json_t *waypoints = json_object_get(motion, "waypoints");
    for (size_t i = 0; i < json_array_size(waypoints); i++) {
        double time = 0;
        char list[VV_SCENE_PATH], item[VV_SCENE_PATH];
        vv_read_number(json_array_get(waypoints, i), "time", &time);
        vv_scene_child(list, where, "waypoints");
        vv_scene_item(item, list, i);
        if (time <= last)
            return vv_scene_fail(doc, item, "found the time %.9g after %.9g; times must ascend", time, last);
        last = time;
    }
    return VV_OK;
}

static vvStatus check_potential(vv_document *doc, const json_t *attach, const char *where, bool wanted)
{
    const json_t *potential = json_object_get(attach, "potential");
    char place[VV_SCENE_PATH];
    vv_scene_child(place, where, "potential");
    if (!wanted)
        return potential ? vv_scene_fail(doc, where, "potential belongs to \"kind\": \"potential\"") : VV_OK;
    if (json_object_get(attach, "motion"))
        return vv_scene_fail(doc, where, "a potential does not move: it has no motion");
    return check_one_of(doc, potential, place, "bodies[].attach[].potential", "");
}

/* Along which directions it holds. */
static vvStatus check_held(vv_document *doc, const json_t *attach, const char *where, const char *kind)
{
    const bool plane = strcmp(kind, "roller") == 0 || strcmp(kind, "symmetry") == 0;
    double n[3] = { 0, 0, 0 };
    if (json_object_get(attach, "axes") && strcmp(kind, "fixed") != 0)
        return vv_scene_fail(doc, where, "axes belongs to \"kind\": \"fixed\"");
    if (json_object_get(attach, "normal") && !plane)
        return vv_scene_fail(doc, where, "normal belongs to \"kind\": \"roller\" and \"symmetry\"");
    vv_read_numbers(attach, "normal", n, 3);
    if (plane && n[0] == 0 && n[1] == 0 && n[2] == 0)
        return vv_scene_fail(doc, where, "a %s needs its normal: give \"normal\": [x, y, z], not all 0", kind);
    return VV_OK;
}

/* What pushes and loads: each kind has a key of its own, and some have others. */
static vvStatus check_load(vv_document *doc, const json_t *attach, const char *where, const char *kind)
{
    static const struct {
        const char *kind, *key, *unit;
    } loads[] = { { "push", "acceleration", "m/s2" },
                  { "force", "force", "N" },
                  { "traction", "traction", "Pa" },
                  { "pressure", "pressure", "Pa" } };
    bool any = false, area = strcmp(kind, "traction") == 0 || strcmp(kind, "pressure") == 0;
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        const bool is = strcmp(kind, loads[i].kind) == 0, has = json_object_get(attach, loads[i].key) != NULL;
        any = any || is;
        if (is && !has)
            return vv_scene_fail(doc, where, "a %s needs its %s in %s", kind,
                                 strcmp(kind, loads[i].key) == 0 ? "size" : loads[i].key, loads[i].unit);
        if (!is && has)
            return vv_scene_fail(doc, where, "%s belongs to \"kind\": \"%s\"", loads[i].key, loads[i].kind);
    }
    if (!any && (json_object_get(attach, "keys") || json_object_get(attach, "smooth")))
        return vv_scene_fail(doc, where, "keys and smooth belong to pushes, forces, tractions and pressures");
    if (!area && json_object_get(attach, "follow"))
        return vv_scene_fail(doc, where, "follow belongs to \"kind\": \"traction\" and \"pressure\"");
    return VV_OK;
}

static vvStatus check_attach(vv_document *doc, const json_t *attach, const char *where)
{
    const char *kind = "fixed";
    char place[VV_SCENE_PATH];
    vv_read_text(attach, "kind", &kind);
    bool stiff = json_object_get(attach, "stiffness") != NULL;
    if (strcmp(kind, "spring") == 0 && !stiff)
        return vv_scene_fail(doc, where, "a spring needs its stiffness in N/m");
    if (strcmp(kind, "spring") != 0 && stiff)
        return vv_scene_fail(doc, where, "stiffness belongs to \"kind\": \"spring\"; others have none");
    vvStatus status = check_load(doc, attach, where, kind);
    if (status == VV_OK)
        status = check_potential(doc, attach, where, strcmp(kind, "potential") == 0);
    if (status == VV_OK)
        status = check_held(doc, attach, where, kind);
    if (status != VV_OK)
        return status;
    vv_scene_child(place, where, "where");
    status = check_where(doc, json_object_get(attach, "where"), place);
    vv_scene_child(place, where, "motion");
    return status != VV_OK ? status : check_motion(doc, json_object_get(attach, "motion"), place);
}

/* ---- bodies ---- */

static vvStatus check_copies(vv_document *doc, const json_t *copies, const char *where)
{
    double count[3] = { 1, 1, 1 };
    vv_read_numbers(copies, "count", count, 3);
    for (int k = 0; k < 3; k++)
        if (count[k] != floor(count[k]))
            return vv_scene_fail(doc, where, "count[%d]: found %.9g; allowed: whole numbers from 1", k, count[k]);
    if (count[0] * count[1] * count[2] > MOST_COPIES)
        return vv_scene_fail(doc, where, "found %.9g copies; allowed: at most %d", count[0] * count[1] * count[2],
                             MOST_COPIES);
    return VV_OK;
}

static vvStatus check_regions(vv_document *doc, const json_t *body, const char *where)
{
    const json_t *regions = json_object_get(body, "materials");
    char place[VV_SCENE_PATH];
    vvMaterialDef material, *more = NULL;
    int more_count = 0;
    if (!regions)
        return VV_OK;
    vv_scene_child(place, where, "materials");
    if (json_object_get(body, "material"))
        return vv_scene_fail(doc, place,
                             "found beside material; give one material for all of the body, or one for "
                             "each region");
    vvStatus status = vv_scene_regions(doc, place, regions, NULL, &material, &more, &more_count, NULL);
    vv_free(more);
    return status;
}

static vvStatus check_body(vv_document *doc, size_t index, const char *where)
{
    const json_t *body = json_array_get(json_object_get(doc->root, "bodies"), index);
    const json_t *start = json_object_get(body, "start"), *attach = json_object_get(body, "attach");
    char place[VV_SCENE_PATH], item[VV_SCENE_PATH];
    vvMaterialDef material = vvDefaultMaterialDef(), *more = NULL;
    int more_count = 0;
    vv_scene_child(place, where, "material");
    vvStatus status = vv_scene_materials(doc, place, json_object_get(body, "material"), &material, &more, &more_count);
    vv_free(more);
    if (status == VV_OK)
        status = check_regions(doc, body, where);
    vv_scene_child(place, where, "mesh");
    if (status == VV_OK)
        status = check_one_of(doc, json_object_get(body, "mesh"), place, "bodies[].mesh", "file points");
    if (status == VV_OK)
        status = vv_scene_check_points(doc, json_object_get(body, "mesh"), place);
    if (status == VV_OK)
        status = check_fill(doc, json_object_get(body, "mesh"), place);
    vv_scene_child(place, where, "surface");
    if (status == VV_OK && json_object_get(body, "surface"))
        status = check_one_of(doc, json_object_get(body, "surface"), place, "bodies[].surface", "file");
    vv_scene_child(place, where, "copies");
    if (status == VV_OK)
        status = check_copies(doc, json_object_get(body, "copies"), place);
    vv_scene_child(place, where, "start");
    for (size_t i = 0; status == VV_OK && i < json_array_size(start); i++) {
        vv_scene_item(item, place, i);
        status = check_start(doc, json_array_get(start, i), vv_scene_copies(body), item);
    }
    vv_scene_child(place, where, "attach");
    for (size_t i = 0; status == VV_OK && i < json_array_size(attach); i++) {
        vv_scene_item(item, place, i);
        status = check_attach(doc, json_array_get(attach, i), item);
    }
    return status;
}

/* ---- the whole ---- */

/* What a level set is made of. */
static vvStatus check_solid(vv_document *doc, const json_t *obstacle, const char *where)
{
    static const char *const sampled[] = { "origin", "spacing" };
    const json_t *set = json_object_get(obstacle, "level-set"), *solid = json_object_get(obstacle, "solid");
    char place[VV_SCENE_PATH], item[VV_SCENE_PATH];
    vv_scene_child(place, where, "solid");
    if (set && !solid)
        return vv_scene_fail(doc, where,
                             "a level-set needs \"solid\": {\"file\": ...} or a generator, whose distance is sampled");
    if (solid && !set)
        return vv_scene_fail(doc, place, "is for the obstacle \"level-set\" only");
    vv_scene_child(place, where, "level-set");
    for (int i = 0; i < 2; i++)
        if (json_object_get(set, sampled[i])) {
            vv_scene_child(item, place, sampled[i]);
            return vv_scene_fail(doc, item,
                                 "is that of the solid's grid; leave it out, and give solid.spacing and solid.margin");
        }
    vv_scene_child(place, where, "solid");
    return solid ? check_one_of(doc, solid, place, "obstacles[].solid", "file") : VV_OK;
}

/* Settings of a model that is not the scene's. */
static vvStatus check_model_settings(vv_document *doc, const char *name)
{
    const vv_contact_model *model = name ? vv_contact_model_find(name) : NULL, *reads;
    for (int i = 0; i < vv_contact_members.count; i++) {
        const vv_key_row *row = &vv_contact_members.row[i].row;
        const char *part = row->key.path + strlen("contact.");
        const size_t n = strlen(part);
        if (row->kind != VV_KEY_OBJECT || !json_object_get(json_object_get(doc->root, "contact"), part) ||
            (model && vv_contact_model_reads(model, part, n)))
            continue;
        for (int k = 0; (reads = vv_contact_model_at(k)) && !vv_contact_model_reads(reads, part, n); k++)
            ;
        return vv_scene_fail(doc, row->key.path,
                             "found settings of the model %s, but contact.model is %s; write \"model\": \"%s\", or "
                             "remove contact.%s (on the command line: --set 'contact={\"model\": \"%s\"}' in place of "
                             "all of contact)",
                             reads ? reads->type.info.name : part, name ? name : "not given",
                             reads ? reads->type.info.name : part, part, vv_contact_model_at(0)->type.info.name);
    }
    return VV_OK;
}

static vvStatus check_obstacle(vv_document *doc, const json_t *obstacle, const char *where)
{
    static const char *const mesh_only[] = { "place", "thickness" };
    char place[VV_SCENE_PATH];
    vvStatus status = check_one_of(doc, obstacle, where, "obstacles[]", "mesh");
    if (status != VV_OK)
        return status;
    status = vv_scene_check_heights(doc, obstacle, where);
    if (status != VV_OK)
        return status;
    status = check_solid(doc, obstacle, where);
    if (status != VV_OK)
        return status;
    bool mesh = vv_scene_is_mesh_obstacle(obstacle);
    for (int i = 0; i < 2 && !mesh; i++)
        if (json_object_get(obstacle, mesh_only[i])) {
            vv_scene_child(place, where, mesh_only[i]);
            return vv_scene_fail(
                doc, place, "is for obstacles with a mesh only; the parameters of all others include their position");
        }
    const json_t *follow = json_object_get(json_object_get(obstacle, "motion"), "follow");
    vv_scene_child(place, where, "motion.follow");
    if (follow && !mesh)
        return vv_scene_fail(doc, place, "is for obstacles with a mesh only: its vertices follow those of the files");
    status = vv_scene_check_follow(doc, follow, place);
    vv_scene_child(place, where, "mesh");
    if (status == VV_OK && mesh)
        status = check_one_of(doc, json_object_get(obstacle, "mesh"), place, "obstacles[].mesh", "file");
    vv_scene_child(place, where, "copies");
    if (status == VV_OK)
        status = check_copies(doc, json_object_get(obstacle, "copies"), place);
    vv_scene_child(place, where, "motion");
    return status != VV_OK ? status : check_motion(doc, json_object_get(obstacle, "motion"), place);
}

static vvStatus check_obstacles(vv_document *doc)
{
    const json_t *obstacles = json_object_get(doc->root, "obstacles");
    const char *model = json_string_value(json_object_get(json_object_get(doc->root, "contact"), "model"));
    char item[VV_SCENE_PATH];
    for (size_t i = 0; i < json_array_size(obstacles); i++) {
        vv_scene_item(item, "obstacles", i);
        vvStatus status = check_obstacle(doc, json_array_get(obstacles, i), item);
        if (status != VV_OK)
            return status;
    }
    vvStatus settings = check_model_settings(doc, model);
    if (settings != VV_OK)
        return settings;
    if (json_array_size(obstacles) > 0 && model && !vv_scene_has_contact(doc->root))
        return vv_scene_fail(doc, "contact.model", "found %s, but the scene has obstacles; remove them, or give %s",
                             model, vv_contact_model_at(0)->type.info.name);
    return VV_OK;
}

static vvStatus check_time(vv_document *doc)
{
    vvSceneTime time = vv_scene_time(doc->root);
    if (time.step < 1e-9)
        return vv_scene_fail(doc, "time.substeps",
                             "found %d of a time.step of %.9g s, %.3g s each; at least 1e-9 s are needed: use fewer",
                             time.substeps, time.step * time.substeps, time.step);
    if (time.recordEvery > 1000000000)
        return vv_scene_fail(doc, "time.record_every",
                             "found a frame every %.0f steps (record_every times substeps); at most 1e9",
                             (double)time.recordEvery);
    if (time.begin > 0 && time.end <= time.begin)
        return vv_scene_fail(doc, "time.end", "found %.9g, not after time.begin, %.9g", time.end, time.begin);
    return VV_OK;
}

static vvStatus check_integrator(vv_document *doc)
{
    double alpha[2] = { 0, 1.1 };
    vv_read_numbers(json_object_get(doc->root, "integrator"), "alpha", alpha, 2);
    if (alpha[0] > alpha[1])
        return vv_scene_fail(doc, "integrator.alpha", "found [%.9g, %.9g]; allowed: the smaller number first", alpha[0],
                             alpha[1]);
    return VV_OK;
}

vvStatus vv_scene_check_rules(vv_document *doc)
{
    const json_t *bodies = json_object_get(doc->root, "bodies");
    char item[VV_SCENE_PATH];
    if (json_object_get(doc->root, "extends"))
        return vv_scene_fail(doc, "extends", "belongs in the scene file; an override comes too late for it");
    if (json_array_size(bodies) == 0)
        return vv_scene_fail(doc, "bodies", "found an empty list; a scene has at least one body");
    vvStatus status = vv_scene_check_materials(doc);
    if (status == VV_OK)
        status = vv_scene_check_names(doc);
    for (size_t i = 0; status == VV_OK && i < json_array_size(bodies); i++) {
        vv_scene_item(item, "bodies", i);
        status = check_body(doc, i, item);
    }
    if (status == VV_OK)
        status = check_obstacles(doc);
    if (status == VV_OK)
        status = vv_scene_check_pairs(doc);
    if (status == VV_OK)
        status = vv_scene_check_joints(doc);
    if (status == VV_OK && json_object_get(doc->root, "gravity_smooth") && !vv_scene_gravity_has_keys(doc))
        status = vv_scene_fail(doc, "gravity_smooth", "belongs to gravity_keys, and there are none");
    if (status == VV_OK)
        status = check_time(doc);
    return status != VV_OK ? status : check_integrator(doc);
}

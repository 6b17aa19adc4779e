/* The joints of a scene: what each kind needs and may not have, and the joints of the world. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "scene/document.h"
#include "visviva/joint.h"

static const char WORLD[] = "world";

static const char *side_name(const json_t *joint, size_t side)
{
    return json_string_value(json_array_get(json_object_get(joint, "between"), side));
}

/* ---- rules ---- */

/* Which keys some kinds have only; words. */
static const struct {
    const char *key, *kinds, *needed;
} only[] = {
    { "axis", "hinge slider", "hinge slider" },
    { "to", "distance", "distance" },
    { "limits", "hinge slider distance", "" },
    { "motor", "hinge slider", "" },
};

static bool has_word(const char *words, const char *word)
{
    const size_t n = strlen(word);
    for (const char *at = words; *at; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == n && strncmp(at, word, n) == 0)
            return true;
    return false;
}

static vvStatus check_keys(vv_document *doc, const json_t *joint, const char *kind, const char *where)
{
    for (size_t i = 0; i < sizeof only / sizeof *only; i++) {
        const bool there = json_object_get(joint, only[i].key) != NULL;
        char place[VV_SCENE_PATH];
        vv_scene_child(place, where, only[i].key);
        if (there && !has_word(only[i].kinds, kind))
            return vv_scene_fail(doc, place, "a \"%s\" joint has none; allowed: kinds %s", kind, only[i].kinds);
        if (!there && has_word(only[i].needed, kind))
            return vv_scene_fail(doc, where, "a \"%s\" joint needs %s", kind, only[i].key);
    }
    return VV_OK;
}

static vvStatus check_values(vv_document *doc, const json_t *joint, const char *where)
{
    double axis[3] = { 1, 0, 0 }, limits[2] = { 0, 0 };
    char place[VV_SCENE_PATH];
    vv_read_numbers(joint, "axis", axis, 3);
    vv_read_numbers(joint, "limits", limits, 2);
    if (axis[0] == 0 && axis[1] == 0 && axis[2] == 0) {
        vv_scene_child(place, where, "axis");
        return vv_scene_fail(doc, place, "found [0, 0, 0]; allowed: any other vector");
    }
    if (limits[1] < limits[0]) {
        vv_scene_child(place, where, "limits");
        return vv_scene_fail(doc, place, "found %.9g before %.9g; the lower limit comes first", limits[0], limits[1]);
    }
    return VV_OK;
}

vvStatus vv_scene_check_joints(vv_document *doc)
{
    const json_t *joints = json_object_get(doc->root, "joints");
    if (json_array_size(joints) && vv_scene_has_name(doc, WORLD))
        return vv_scene_fail(
            doc, "joints",
            "a body has the name \"world\", which in joints means the fixed world; give the body another");
    for (size_t i = 0; i < json_array_size(joints); i++) {
        const json_t *joint = json_array_get(joints, i);
        const char *kind = "";
        char where[VV_SCENE_PATH];
        vv_scene_item(where, "joints", i);
        vv_read_text(joint, "kind", &kind);
        vvStatus status = check_keys(doc, joint, kind, where);
        if (status == VV_OK)
            status = check_values(doc, joint, where);
        if (status == VV_OK && strcmp(side_name(joint, 0), side_name(joint, 1)) == 0) {
            char place[VV_SCENE_PATH];
            vv_scene_child(place, where, "between");
            status = vv_scene_fail(doc, place,
                                   "found the same name twice; a joint is between two bodies, or a body and \"world\"");
        }
        if (status != VV_OK)
            return status;
    }
    return VV_OK;
}

/* ---- the world's ---- */

static const char *body_name(const void *world, int b) { return vvBodyName(world, vvWorldBody(world, b)); }

/* The world's, of all copies; to be freed, also after a failure. */
static vvStatus list_names(vv_document *doc, const vvWorld *world, vv_names *names)
{
    for (int b = 0; b < vvWorldBodyCount(world); b++)
        if (body_name(world, b)[0] && !vv_names_add(names, b, body_name, world))
            return vv_fail_memory(doc->error, "the joints of a scene");
    return VV_OK;
}

static vvStatus find_body(vv_document *doc, const vvWorld *world, const vv_names *names, const char *name,
                          const char *where, vvBodyId *id)
{
    char hint[96], shown[80];
    vv_words words = { .wrong = name };
    *id = (vvBodyId){ 0, 0 };
    if (strcmp(name, WORLD) == 0)
        return VV_OK;
    const int found = name[0] ? vv_names_find(names, name, body_name, world) : -1;
    if (found >= 0) {
        *id = vvWorldBody(world, found);
        return VV_OK;
    }
    vv_words_add(&words, WORLD);
    for (int b = 0; b < vvWorldBodyCount(world); b++)
        if (vvBodyName(world, vvWorldBody(world, b))[0])
            vv_words_add(&words, vvBodyName(world, vvWorldBody(world, b)));
    return vv_scene_fail(doc, where, "no body has the name \"%s\"; there are: %s%s", vv_scene_printable(name, shown),
                         words.list, vv_words_hint(&words, hint));
}

static void read_joint(const json_t *joint, vvJointDef *def)
{
    const json_t *motor = json_object_get(joint, "motor");
    vv_read_text(joint, "kind", &def->kind);
    vv_read_numbers(joint, "at", def->at, 3);
    vv_read_numbers(joint, "to", def->to, 3);
    vv_read_numbers(joint, "axis", def->axis, 3);
    vv_read_numbers(joint, "limits", def->limits, 2);
    vv_read_number(joint, "stiffness", &def->stiffness);
    vv_read_number(joint, "reach", &def->reach);
    vv_read_number(motor, "speed", &def->motorSpeed);
    vv_read_number(motor, "force", &def->motorForce);
    vv_read_number(joint, "break_force", &def->breakForce);
    vv_read_number(joint, "break_torque", &def->breakTorque);
    vv_read_boolean(joint, "collide", &def->collide);
}

static vvStatus build_joint(vv_document *doc, vvWorld *world, const vv_names *names, const json_t *joint,
                            const char *where)
{
    vvJointDef def = vvDefaultJointDef();
    char between[VV_SCENE_PATH], place[VV_SCENE_PATH];
    vv_scene_child(between, where, "between");
    for (size_t side = 0; side < 2; side++) {
        vv_scene_item(place, between, side);
        vvStatus status = find_body(doc, world, names, side_name(joint, side), place, def.bodies + side);
        if (status != VV_OK)
            return status;
    }
    read_joint(joint, &def);
    return vvWorldAddJoint(world, &def, NULL, doc->error) ? vv_scene_prefix(doc, where) : VV_OK;
}

vvStatus vv_scene_build_joints(vv_document *doc, vvWorld *world)
{
    const json_t *joints = json_object_get(doc->root, "joints");
    vv_names names = { 0 };
    vvStatus status = json_array_size(joints) ? list_names(doc, world, &names) : VV_OK;
    for (size_t i = 0; status == VV_OK && i < json_array_size(joints); i++) {
        char where[VV_SCENE_PATH];
        vv_scene_item(where, "joints", i);
        status = build_joint(doc, world, &names, json_array_get(joints, i), where);
    }
    vv_names_free(&names);
    return status;
}

/* A scene that starts from the state of a running world: with a few bodies of another, for one step, or all of it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "contact/models.h"
#include "scene/document.h"
#include "step/policies/policy.h"
#include "step/schemes/scheme.h"
#include "world/settings/settings.h"

typedef struct extract {
    const json_t *from;
    vvWorld *world;
    json_t *to;
    unsigned char *keep; /* per body of the world */
    /* positions at the end of the step, in free flight or scripted; 6 per body: bounds over the step */
    double *next, *boxes;
    const char *path;
    bool whole;  /* all of it, with the state inside, to go on from */
    bool failed; /* out of memory */
    vvError *error;
} extract;

/* Takes ownership of `value`. */
static void set(extract *e, json_t *object, const char *key, json_t *value)
{
    e->failed = json_object_set_new(object, key, value) != 0 || e->failed;
}

/* The member, an object, of the new scene's root; created if missing. */
static json_t *member(extract *e, const char *key)
{
    if (!json_object_get(e->to, key))
        set(e, e->to, key, json_object());
    return json_object_get(e->to, key);
}

/* ---- who comes along ---- */

/* Widens the box to hold the path from a to b, with a margin of `by`. */
static void widen(double low[3], double high[3], const double a[3], const double b[3], double by)
{
    for (int k = 0; k < 3; k++) {
        low[k] = fmin(low[k], fmin(a[k], b[k]) - by);
        high[k] = fmax(high[k], fmax(a[k], b[k]) + by);
    }
}

/* Boxes of where each body is between now and the end of the step, plus the reach of contact. */
static void find_boxes(extract *e)
{
    const vvWorld *w = e->world;
    double h = w->def.timeStep, reach = 2 * w->def.contact.distance;
    for (size_t i = 0; i < 3 * (size_t)w->nodes; i++)
        e->next[i] = w->state.q[i] + h * w->state.v[i];
    for (size_t a = 0; a < w->attach_count; a++)
        if (vv_attach_is(w->attaches + a, VV_ATTACH_FIXED))
            vv_attach_positions(w, w->attaches + a, vv_world_time(w) + h, true, e->next);
    for (size_t b = 0; b < w->body_count; b++) {
        const vv_body *body = w->bodies + b;
        double *low = e->boxes + 6 * b, *high = low + 3;
        for (size_t k = 0; k < 3; k++)
            low[k] = INFINITY, high[k] = -INFINITY;
        const double *from = w->state.q + 3 * (size_t)body->first, *to = e->next + 3 * (size_t)body->first;
        for (int i = 0; i < body->vertex_count; i++)
            widen(low, high, from + 3 * (size_t)i, to + 3 * (size_t)i, reach + body->thickness);
        for (int v = 0; body->surface_collides && v < body->skin.vertex_count; v++) {
            double a[3], c[3];
            vv_skin_position(&body->skin, v, from, a);
            vv_skin_position(&body->skin, v, to, c);
            widen(low, high, a, c, reach + body->thickness);
        }
    }
}

static bool boxes_meet(const double *a, const double *b)
{
    for (int k = 0; k < 3; k++)
        if (a[k] > b[3 + k] || b[k] > a[3 + k])
            return false;
    return true;
}

static vvStatus choose(extract *e, const char *const *names, int count)
{
    const vvWorld *w = e->world;
    bool any = false;
    if (e->whole) {
        memset(e->keep, 2, w->body_count);
        return VV_OK;
    }
    for (size_t b = 0; b < w->body_count; b++)
        for (int i = 0; i < count; i++)
            if (names[i] && strcmp(names[i], w->bodies[b].name) == 0)
                e->keep[b] = 2, any = true;
    if (!any)
        return vv_fail(e->error, VV_ERROR_INPUT,
                       "a scene of a few bodies: none of the %d names belongs to a body; the first is \"%.100s\"",
                       count, count > 0 && names[0] ? names[0] : "");
    for (size_t b = 0; b < w->body_count; b++)
        for (size_t a = 0; a < w->body_count && !e->keep[b]; a++)
            if (e->keep[a] == 2 && boxes_meet(e->boxes + 6 * a, e->boxes + 6 * b))
                e->keep[b] = 1;
    bool free = false;
    for (size_t b = 0; b < w->body_count; b++)
        free = free || (e->keep[b] && !w->bodies[b].kinematic);
    return free ? VV_OK
                : vv_fail(e->error, VV_ERROR_INPUT,
                          "a scene of a few bodies: those named are obstacles, with no body near");
}

/* ---- the parts ---- */

/* "FOLDER/stall.json" -> name "stall-3.csv", written to the same folder. */
static vvStatus write_state(extract *e, int number, const vv_body *body, char name[300])
{
    const char *slash = strrchr(e->path, '/'), *base = slash ? slash + 1 : e->path, *dot = strrchr(base, '.');
    int stem = (int)(dot && dot > base ? dot - base : (ptrdiff_t)strlen(base)), folder = (int)(base - e->path);
    char whole[4400];
    snprintf(name, 300, "%.*s-%d.csv", stem < 200 ? stem : 200, base, number);
    int n = snprintf(whole, sizeof whole, "%.*s%s", folder, e->path, name);
    if (n < 0 || (size_t)n >= sizeof whole)
        return vv_fail(e->error, VV_ERROR_IO, "the path %.200s... is too long", e->path);
    size_t at = 3 * (size_t)body->first;
    return vv_scene_write_state(whole, body->count, e->world->state.q + at, e->world->state.v + at, e->error);
}

static json_t *three(const double x[3]) { return json_pack("[f,f,f]", x[0], x[1], x[2]); }

/* Positions and velocities of the body's nodes, in the scene itself. */
static json_t *state_inside(const extract *e, const vv_body *body)
{
    static const char *const keys[] = { "positions", "velocities" };
    const double *const values[] = { e->world->state.q, e->world->state.v };
    json_t *state = json_object();
    for (int i = 0; i < 2; i++) {
        json_t *list = json_array();
        for (int n = 0; n < body->count; n++)
            json_array_append_new(list, three(values[i] + 3 * (size_t)(body->first + n)));
        if (json_array_size(list) < (size_t)body->count || json_object_set_new(state, keys[i], list) != 0) {
            json_decref(state);
            return NULL;
        }
    }
    json_t *states = json_array();
    return json_array_append_new(states, state) == 0 ? states : NULL;
}

/* Appends a copy of the entry; NULL: out of memory. */
static json_t *append(extract *e, json_t *list, const json_t *entry)
{
    json_t *made = json_deep_copy(entry);
    e->failed = !made || json_array_append_new(list, made) != 0 || e->failed;
    return e->failed ? NULL : made;
}

/* Makes an entry with copies that of one of them alone. */
static void single_out(extract *e, json_t *entry, int copy)
{
    double place[3] = { 0, 0, 0 }, shift[3];
    if (!json_object_get(entry, "copies"))
        return;
    vv_scene_copy_shift(entry, copy, shift);
    if (!json_object_get(entry, "place"))
        set(e, entry, "place", json_object());
    vv_read_numbers(json_object_get(entry, "place"), "translate", place, 3);
    for (int k = 0; k < 3; k++)
        place[k] += shift[k];
    set(e, json_object_get(entry, "place"), "translate", three(place));
    json_t *motion = json_object_get(entry, "motion"); /* of an obstacle: its axis moves with it */
    if (motion) {
        double about[3] = { 0, 0, 0 };
        vv_read_numbers(motion, "about", about, 3);
        for (int k = 0; k < 3; k++)
            about[k] += shift[k];
        set(e, motion, "about", three(about));
    }
    json_object_del(entry, "copies");
}

static vvStatus add_body(extract *e, const json_t *source, int copy, const vv_body *body, json_t *list)
{
    json_t *made = append(e, list, source);
    char file[300];
    if (!made)
        return VV_OK; /* reported at the end */
    vvStatus status = e->whole ? VV_OK : write_state(e, (int)json_array_size(list), body, file);
    json_object_del(made, "velocity");
    if (!body->surface_collides && !e->whole)
        json_object_del(made, "surface");
    single_out(e, made, copy);
    set(e, made, "name", json_string(body->name));
    set(e, made, "self_contact", json_boolean(body->self_contact));
    set(e, made, "start", e->whole ? state_inside(e, body) : json_pack("[{s:s}]", "file", file));
    return status;
}

static vvStatus add_bodies(extract *e)
{
    const json_t *bodies = json_object_get(e->from, "bodies"), *obstacles = json_object_get(e->from, "obstacles");
    json_t *kept = json_array(), *left = json_array();
    size_t b = 0;
    vvStatus status = VV_OK;
    set(e, e->to, "bodies", kept);
    set(e, e->to, "obstacles", left);
    for (size_t i = 0; status == VV_OK && i < json_array_size(bodies); i++) {
        const json_t *source = json_array_get(bodies, i);
        for (int k = 0; status == VV_OK && k < vv_scene_copies(source); k++, b++)
            if (e->keep[b])
                status = add_body(e, source, k, e->world->bodies + b, kept);
    }
    for (size_t i = 0; status == VV_OK && i < json_array_size(obstacles); i++) {
        const json_t *source = json_array_get(obstacles, i);
        bool mesh = vv_scene_is_mesh_obstacle(source);
        for (int k = 0; mesh && k < vv_scene_copies(source); k++, b++) {
            json_t *made = e->keep[b] && vv_contact_acts(vv_world_model(e->world)) ? append(e, left, source) : NULL;
            if (made) {
                single_out(e, made, k);
                set(e, made, "name", json_string(e->world->bodies[b].name));
            }
        }
        if (!mesh && vv_contact_acts(vv_world_model(e->world)))
            append(e, left, source);
        if (!mesh && vv_scene_is_body_obstacle(source))
            b += (size_t)vv_scene_copies(source);
    }
    return status;
}

static int friction_solves(const vvWorld *w)
{
    const vvIntegratorDef *d = &w->def.integrator;
    const vv_scheme row = vv_scheme_made(d->scheme, d->settings, d->settingCount);
    return vv_friction_solves(&row, vv_policy_find(d->policy), vv_contact_presses_anew(w->contact));
}

/* All settings as they are now. Those that may be relative to the scene's size, or chosen by what is in it, are numbers
 * here. */
static void write_settings(extract *e)
{
    const vvWorld *w = e->world;
    const vvWorldDef usual = vvDefaultWorldDef();
    vvWorldDef now = vv_world_def_in_effect(w);
    json_t *contact = member(e, "contact"), *solver = member(e, "solver");
    const vv_contact_model *model = vv_contact_model_find(now.contact.model);
    now.startTime = vv_world_time(w);
    if (w->given.friction_speed == 0 && w->def.contact.relativeFrictionSpeed == 0) /* by body, as it was */
        now.contact.frictionSpeed = 0;
    if (now.contact.frictionIterations == 0 && w->state.clock.step > 0) /* here it was not the first step */
        now.contact.frictionIterations = friction_solves(w);
    e->failed = !vv_write_members(e->to, &vv_world_members, NULL, &now) ||
                !vv_write_members(e->to, &vv_integrator_members, NULL, &now.integrator) ||
                !vv_write_members(e->to, &vv_solver_members, &usual.solver, &now.solver) ||
                !vv_write_members(e->to, &vv_contact_members, &usual.contact, &now.contact) ||
                !vv_write_members(e->to, &vv_pair_members, NULL, w) || e->failed;
    set(e, contact, "model", json_string(now.contact.model));
    if (json_object_size(solver) == 0)
        json_object_del(e->to, "solver");
    for (int i = 0; i < vv_contact_members.count; i++) {
        const vv_key_row *row = &vv_contact_members.row[i].row;
        const char *part = row->key.path + strlen("contact.");
        if (row->kind == VV_KEY_OBJECT && !vv_contact_model_reads(model, part, strlen(part)))
            json_object_del(contact, part);
    }
}

/* Friction of pairs of which both are kept. */
static void keep_pairs(extract *e, json_t *contact)
{
    json_t *pairs = json_object_get(contact, "pairs");
    for (size_t i = e->world->friction_count; i-- > 0;) {
        const vv_body_friction *p = e->world->frictions + i;
        if (!e->keep[p->a] || !e->keep[p->b])
            json_array_remove(pairs, i);
    }
    if (json_array_size(pairs) == 0)
        json_object_del(contact, "pairs");
}

/* And what this one step needs. */
static void fix_settings(extract *e, const char *name, double end)
{
    const vvWorld *w = e->world;
    char title[400];
    write_settings(e);
    if (e->whole) {
        json_object_del(member(e, "integrator"), "start_fraction"); /* it was for the start of then */
        set(e, member(e, "time"), "end", json_real(end));
        return;
    }
    json_t *time = member(e, "time"), *contact = member(e, "contact"), *integrator = member(e, "integrator");
    snprintf(title, sizeof title, "%.200s, step %lld", name, (long long)w->state.clock.step + 1);
    set(e, e->to, "name", json_string(title));
    set(e, time, "end", json_real(vv_world_time(w) + w->def.timeStep));
    set(e, time, "record_every", json_integer(1));
    json_object_del(time, "substeps"); /* h is that of the run */
    /* the reference level of energies, which part of a scene does not have */
    json_object_del(integrator, "decay_time");
    json_object_del(integrator, "start_fraction");
    set(e, integrator, "ground_energy", json_string("none"));
    keep_pairs(e, contact);
}

/* Joints that hold between bodies that are kept; all of them are places in the rest shapes, which stay. */
static void keep_joints(extract *e)
{
    const vvWorld *w = e->world;
    json_t *joints = json_object_get(e->to, "joints");
    const bool own = json_array_size(joints) == w->joint_count;
    for (size_t i = json_array_size(joints); i-- > 0;) {
        const vv_joint *j = own ? w->joints + i : NULL;
        bool stays = j && !j->state.broken;
        for (int side = 0; stays && side < 2; side++)
            stays = j->body[side] < 0 || e->keep[j->body[side]];
        if (!stays)
            json_array_remove(joints, i);
    }
    if (joints && json_array_size(joints) == 0)
        json_object_del(e->to, "joints");
}

static vvStatus write_text(extract *e)
{
    char *text = e->failed ? NULL : vv_scene_text(e->to);
    if (!text)
        return vv_fail_memory(e->error, "a scene of a few bodies");
    FILE *file = fopen(e->path, "wb");
    bool good = file && fputs(text, file) >= 0;
    good = file && fclose(file) == 0 && good;
    vv_free(text);
    return good ? VV_OK : vv_fail(e->error, VV_ERROR_IO, "cannot write %s", e->path);
}

/* ---- the whole ---- */

/* Whether the world has the scene's own bodies, in its order. */
static bool is_of(const json_t *root, const vvWorld *w)
{
    const json_t *bodies = json_object_get(root, "bodies"), *obstacles = json_object_get(root, "obstacles");
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(bodies); i++)
        count += (size_t)vv_scene_copies(json_array_get(bodies, i));
    size_t soft = count;
    for (size_t i = 0; i < json_array_size(obstacles); i++)
        if (vv_scene_is_body_obstacle(json_array_get(obstacles, i)))
            count += (size_t)vv_scene_copies(json_array_get(obstacles, i));
    for (size_t b = 0; b < w->body_count; b++)
        if (w->bodies[b].kinematic != (b >= soft))
            return false;
    return count == w->body_count;
}

static vvStatus write_extract(extract *e, const vvScene *scene, const char *const *names, int count)
{
    vvWorld *w = e->world;
    if (!is_of(e->from, w))
        return vv_fail(e->error, VV_ERROR_INPUT, "%s: the world's bodies are not those of the scene",
                       e->whole ? "vvSceneWriteState" : "vvSceneWriteExtract");
    vvStatus status = vv_world_bake(w, e->error); /* so that scripted nodes are in place */
    if (status != VV_OK)
        return status;
    e->keep = vv_alloc(w->body_count, 1);
    e->next = vv_alloc(3 * (size_t)w->nodes, sizeof *e->next);
    e->boxes = vv_alloc(6 * w->body_count, sizeof *e->boxes);
    e->to = json_deep_copy(e->from);
    if (!e->keep || !e->next || !e->boxes || !e->to)
        status = vv_fail_memory(e->error, "a scene of a few bodies");
    if (status == VV_OK) {
        find_boxes(e);
        status = choose(e, names, count);
    }
    if (status == VV_OK) {
        const vvSceneTime time = vvSceneGetTime(scene);
        const double now = vv_world_time(w);
        fix_settings(e, vvSceneName(scene), time.end > now ? time.end : now + time.end - time.begin);
        status = add_bodies(e);
        keep_joints(e);
    }
    if (status == VV_OK)
        status = write_text(e);
    vv_free(e->keep);
    vv_free(e->next);
    vv_free(e->boxes);
    json_decref(e->to);
    return status;
}

vvStatus vvSceneWriteExtract(const vvScene *scene, vvWorld *world, const char *const *names, int count,
                             const char *path, vvError *error)
{
    vvError ignored;
    if (!error)
        error = &ignored;
    vv_error_clear(error);
    if (!scene || !world || !path || count < 0 || (count > 0 && !names))
        return vv_fail(error, VV_ERROR_INPUT,
                       "vvSceneWriteExtract needs a scene, its world, names and a path, found NULL");
    extract e = { .from = vv_scene_root(scene), .world = world, .path = path, .error = error };
    VV_WORLD_CALL(world, error, write_extract(&e, scene, names, count));
}

vvStatus vvSceneWriteState(const vvScene *scene, vvWorld *world, const char *path, vvError *error)
{
    vvError ignored;
    if (!error)
        error = &ignored;
    vv_error_clear(error);
    if (!scene || !world || !path)
        return vv_fail(error, VV_ERROR_INPUT, "vvSceneWriteState needs a scene, its world and a path, found NULL");
    extract e = { .from = vv_scene_root(scene), .world = world, .path = path, .whole = true, .error = error };
    VV_WORLD_CALL(world, error, write_extract(&e, scene, NULL, 0));
}

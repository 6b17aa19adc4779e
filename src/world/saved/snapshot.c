/* Snapshots in memory: the state, and a copy of the structure that is made once and shared by all snapshots taken
 * while the structure is unchanged. The copy counts its own references, and may be released from any thread. */
#include "base/error.h"
#include "base/memory.h"
#include "world/saved/frozen.h"
#include "world/settings/settings.h"

#include <string.h>

struct vvSnapshot {
    vv_frozen *structure;
    size_t size;
    char *state;
    /* by ids; NULL: to be found from the positions, as in the world the snapshot was taken of */
    vvContactPair *touching;
    size_t touching_count;
    vv_kept_def kept; /* the definition at that time */
    vv_bytes made;    /* as in the world */
};

/* ---- structure ---- */

static bool copy_lists(const vvWorld *from, vvWorld *to)
{
    to->bodies = vv_alloc(from->body_count, sizeof *to->bodies);
    to->attaches = vv_alloc(from->attach_count, sizeof *to->attaches);
    to->obstacles = vv_alloc_copy(from->obstacles, from->obstacle_count, sizeof *to->obstacles);
    to->joints = vv_alloc_copy(from->joints, from->joint_count, sizeof *to->joints);
    to->modes = vv_alloc_copy(from->modes, from->mode_count, sizeof *to->modes);
    to->frictions = vv_alloc_copy(from->frictions, from->friction_count, sizeof *to->frictions);
    to->state.policy.body_size = from->state.policy.body_size;
    bool ok = to->bodies && to->attaches && to->obstacles && to->joints && to->modes && to->frictions &&
              vv_state_reserve_bodies(&to->state, from->body_count);
    for (; ok && to->body_count < from->body_count; to->body_count++)
        ok = vv_body_copy(from->bodies + to->body_count, to->bodies + to->body_count);
    for (; ok && to->attach_count < from->attach_count; to->attach_count++)
        ok = vv_attach_copy(from->attaches + to->attach_count, to->attaches + to->attach_count);
    to->body_capacity = from->body_count;
    to->attach_capacity = from->attach_count;
    to->obstacle_count = to->obstacle_capacity = to->obstacles ? from->obstacle_count : 0;
    for (size_t i = 0; i < to->obstacle_count; i++)
        vv_field_share(to->obstacles[i].field);
    to->joint_count = to->joint_capacity = from->joint_count;
    to->mode_count = to->mode_capacity = from->mode_count;
    to->friction_count = to->friction_capacity = from->friction_count;
    return ok;
}

/* Makes `to`, all zero before, a world of the same structure; the caller fills in its state. */
static bool copy_structure(const vvWorld *from, vvWorld *to)
{
    size_t n = (size_t)from->nodes;
    if (!copy_lists(from, to) || !vv_nodes_reserve(to, n) || !vv_ids_copy(&from->body_ids, &to->body_ids) ||
        !vv_ids_copy(&from->obstacle_ids, &to->obstacle_ids) || !vv_ids_copy(&from->attach_ids, &to->attach_ids) ||
        !vv_ids_copy(&from->joint_ids, &to->joint_ids)) {
        vv_world_free_structure(to);
        return false;
    }
    if (n > 0) {
        memcpy(to->rest, from->rest, 3 * n * sizeof *to->rest);
        memcpy(to->placed, from->placed, 3 * n * sizeof *to->placed);
        memcpy(to->mass, from->mass, n * sizeof *to->mass);
        memcpy(to->fixed, from->fixed, n);
    }
    to->nodes = from->nodes;
    return true;
}

/* Takes over what copy_structure has made; ids given out since then are not given out again. */
static void adopt(vvWorld *w, vvWorld *from)
{
    vv_world_free_structure(w);
    vv_names_free(&w->names);
    w->bodies = from->bodies, w->body_count = from->body_count, w->body_capacity = from->body_capacity;
    w->obstacles = from->obstacles, w->obstacle_count = from->obstacle_count,
    w->obstacle_capacity = from->obstacle_capacity;
    w->attaches = from->attaches, w->attach_count = from->attach_count, w->attach_capacity = from->attach_capacity;
    w->joints = from->joints, w->joint_count = from->joint_count, w->joint_capacity = from->joint_capacity;
    w->modes = from->modes, w->mode_count = from->mode_count, w->mode_capacity = from->mode_capacity;
    w->frictions = from->frictions, w->friction_count = from->friction_count,
    w->friction_capacity = from->friction_capacity;
    w->body_ids = from->body_ids, w->obstacle_ids = from->obstacle_ids, w->attach_ids = from->attach_ids;
    w->joint_ids = from->joint_ids;
    w->nodes = from->nodes, w->node_capacity = from->node_capacity;
    w->rest = from->rest, w->mass = from->mass, w->placed = from->placed, w->state.q = from->state.q,
    w->state.v = from->state.v;
    w->state.q_previous = from->state.q_previous, w->state.v_previous = from->state.v_previous;
    w->state.force = from->state.force, w->fixed = from->fixed;
    w->state.body_energy = from->state.body_energy, w->state.energy_capacity = from->state.energy_capacity;
    w->state.body_visible = from->state.body_visible, w->state.visible_capacity = from->state.visible_capacity;
    w->state.body_course = from->state.body_course, w->state.course_capacity = from->state.course_capacity;
    w->state.body_sleep = from->state.body_sleep, w->state.sleep_capacity = from->state.sleep_capacity;
    w->state.policy.bodies = from->state.policy.bodies,
    w->state.policy.body_capacity = from->state.policy.body_capacity;
}

static size_t structure_bytes(const vvWorld *w)
{
    size_t bytes =
        sizeof(vv_frozen) + (size_t)w->nodes * (22 * sizeof(double) + 1) + w->joint_count * sizeof *w->joints;
    for (size_t i = 0; i < w->body_count; i++) {
        const vv_body *b = w->bodies + i;
        bytes +=
            sizeof *b + (size_t)b->count + (size_t)b->material_count * sizeof *b->materials +
            sizeof(int) * (size_t)(4 * b->tet_count + 10 * b->tet10_count + 3 * b->triangle_count + 2 * b->edge_count +
                                   b->point_count + 4 * b->hinge_count + 2 * b->bend_count) +
            (b->regions.of ? sizeof(int) * (size_t)(6 * b->tet_count + 10 * b->tet10_count) : 0) +
            (size_t)b->triangle_count * sizeof(double) * (size_t)(!!b->triangle_thickness + !!b->triangle_stiffness) +
            (b->hinge_angles ? (size_t)b->hinge_count : 0) * sizeof *b->hinge_angles +
            (size_t)b->skin.vertex_count * 4 * (sizeof(int) + sizeof(double)) +
            (size_t)b->skin.triangle_count * 3 * sizeof(int);
    }
    for (size_t i = 0; i < w->attach_count; i++)
        bytes += sizeof *w->attaches +
                 (size_t)w->attaches[i].count * (sizeof(int) + (w->attaches[i].weights ? 10 : 9) * sizeof(double)) +
                 (size_t)w->attaches[i].shape_count * (3 * (size_t)w->attaches[i].count + 1) * sizeof(double);
    for (size_t i = 0; i < w->obstacle_count; i++)
        bytes += vv_field_bytes(w->obstacles[i].field);
    return bytes + w->obstacle_count * sizeof *w->obstacles + w->friction_count * sizeof *w->frictions;
}

static vv_frozen *freeze(vvWorld *w)
{
    if (w->frozen)
        return w->frozen;
    vv_frozen *f = vv_alloc(1, sizeof *f);
    if (!f || !copy_structure(w, &f->copy)) {
        vv_free(f);
        return NULL;
    }
    atomic_init(&f->references, 1); /* the world's own */
    f->bytes = structure_bytes(w);
    return w->frozen = f;
}

/* ---- snapshots ---- */

vvStatus vv_world_snapshot(vvWorld *w, vvSnapshot **out, vvError *error)
{
    if (!out)
        return vv_fail(error, VV_ERROR_INPUT, "vvWorldSnapshot needs a pointer for the snapshot, found NULL");
    *out = NULL;
    vvStatus status = vv_world_open(w, "take a snapshot", error);
    if (status != VV_OK)
        return status;
    vvSnapshot *s = vv_alloc(1, sizeof *s);
    size_t size = vv_state_size(w);
    char *state = vv_alloc(size, 1);
    const vv_touches *touching = &w->events.touching;
    vvContactPair *pairs = w->events.reloaded ? NULL : vv_alloc_copy(touching->list, touching->count, sizeof *pairs);
    char *made = vv_alloc_copy(w->made.data, w->made.size, 1);
    vv_kept_def kept = { 0 };
    if (!s || !state || !made || (!pairs && !w->events.reloaded) || !vv_def_keep(&w->def, &kept) || !freeze(w)) {
        vv_free(s);
        vv_free(state);
        vv_free(pairs);
        vv_free(made);
        vv_def_release(&kept);
        return vv_fail_memory(error, "a snapshot");
    }
    kept.given = w->given;
    *s = (vvSnapshot){ .structure = w->frozen,
                       .size = size,
                       .state = state,
                       .touching = pairs,
                       .touching_count = pairs ? touching->count : 0,
                       .kept = kept,
                       .made = { made, w->made.size, w->made.size } };
    atomic_fetch_add(&s->structure->references, 1);
    vv_state_save(w, state);
    *out = s;
    return VV_OK;
}

vvStatus vvWorldSnapshot(vvWorld *w, vvSnapshot **out, vvError *error)
{
    VV_WORLD_CALL(w, error, vv_world_snapshot(w, out, error));
}

/* ---- restoring: first all memory, so that nothing can fail once it has begun ---- */

struct vv_restoring {
    const vvSnapshot *snapshot;
    vvWorld *structure; /* NULL: the world's own is the same */
    vv_kept_def kept;
    vv_policy_memory policy;
    bool other_policy;
};

void vv_restoring_free(vv_restoring *r)
{
    if (!r)
        return;
    if (r->structure)
        vv_world_free_structure(r->structure);
    vv_free(r->structure);
    vv_def_release(&r->kept);
    vv_policy_memory_free(&r->policy);
    vv_free(r);
}

/* A structure for the world, whose ids are none that it has given out since. */
static bool copy_for(const vvWorld *w, const vv_frozen *f, vvWorld **out)
{
    vvWorld *fresh = vv_alloc(1, sizeof *fresh);
    if (!fresh || !copy_structure(&f->copy, fresh)) {
        vv_free(fresh);
        return false;
    }
    *out = fresh;
    return vv_ids_avoid(&fresh->body_ids, &w->body_ids) && vv_ids_avoid(&fresh->obstacle_ids, &w->obstacle_ids) &&
           vv_ids_avoid(&fresh->attach_ids, &w->attach_ids);
}

static bool gather(vvWorld *w, const vvSnapshot *s, bool structure, vv_restoring *r)
{
    vv_touches *touching = &w->events.touching;
    vv_bytes *made = &w->made;
    const vvWorldDef *def = &s->kept.def;
    const vv_policy_ops *policy = vv_policy_find(def->integrator.policy);
    size_t bodies = s->structure->copy.body_count;
    r->snapshot = s;
    r->other_policy = policy != vv_policy_find(w->def.integrator.policy);
    if (!vv_def_keep(def, &r->kept))
        return false;
    r->kept.given = s->kept.given;
    return vv_grow((void **)&touching->list, &touching->capacity, s->touching_count, sizeof *touching->list) &&
           vv_grow((void **)&made->data, &made->capacity, s->made.size, 1) &&
           vv_world_reserve_memory_of(w, def, s->structure->copy.nodes) &&
           vv_policy_memory_make(policy->memory, policy->body_memory, bodies, &r->policy) &&
           (!structure || copy_for(w, s->structure, &r->structure));
}

vv_restoring *vv_restoring_make(vvWorld *w, const vvSnapshot *s, bool structure)
{
    vv_restoring *r = vv_alloc(1, sizeof *r);
    if (r && gather(w, s, structure || s->structure != w->frozen, r))
        return r;
    vv_restoring_free(r);
    return NULL;
}

/* Replaces the world's structure by the snapshot's. */
static void restore_structure(vvWorld *w, vv_restoring *r)
{
    vv_frozen *f = r->snapshot->structure;
    vv_world_changed(w);
    adopt(w, r->structure);
    vv_free(r->structure);
    r->structure = NULL;
    w->revision++;
    vv_world_note_setting(w, "what a snapshot holds");
    w->frozen = f;
    atomic_fetch_add(&f->references, 1);
}

/* The settings that held then. The state that follows brings the clock, the ledger and the policy's memory. */
static void restore_settings(vvWorld *w, vv_restoring *r)
{
    const vv_bytes *made = &r->snapshot->made;
    if (r->other_policy) {
        vv_policy_memory_free(&w->state.policy);
        w->state.policy = r->policy;
        r->policy = (vv_policy_memory){ 0 };
    }
    if (!vv_same_def(&r->kept.def, &w->def) || memcmp(&r->kept.given, &w->given, sizeof w->given) != 0)
        vv_world_take_def(w, &r->kept);
    if (made->size)
        memcpy(w->made.data, made->data, made->size);
    w->made.size = made->size;
}

void vv_restoring_commit(vvWorld *w, vv_restoring *r)
{
    const vvSnapshot *s = r->snapshot;
    if (r->structure)
        restore_structure(w, r);
    restore_settings(w, r);
    vv_state_load(w, s->state);
    if (s->touching)
        vv_events_recall(w, s->touching, s->touching_count);
    vv_world_catch_up(w);
}

static vvStatus restore(vvWorld *w, const vvSnapshot *s, vvError *error)
{
    if (!s)
        return vv_fail(error, VV_ERROR_INPUT, "vvWorldRestore needs a snapshot, found NULL");
    vvStatus status = vv_world_open(w, "restore a snapshot", error);
    if (status != VV_OK)
        return status;
    vv_restoring *r = vv_restoring_make(w, s, false);
    if (!r)
        return vv_fail_memory(error, "a snapshot to be restored");
    vv_restoring_commit(w, r);
    vv_restoring_free(r);
    return VV_OK;
}

vvStatus vvWorldRestore(vvWorld *w, const vvSnapshot *s, vvError *error)
{
    VV_WORLD_CALL(w, error, restore(w, s, error));
}

void vvSnapshotDestroy(vvSnapshot *s)
{
    if (!s)
        return;
    vv_frozen_release(s->structure);
    vv_free(s->state);
    vv_free(s->touching);
    vv_free(s->made.data);
    vv_def_release(&s->kept);
    vv_free(s);
}

size_t vvSnapshotBytes(const vvSnapshot *s)
{
    return s ? sizeof *s + s->size + s->touching_count * sizeof *s->touching + s->made.size + s->structure->bytes : 0;
}

/* Snapshots in memory: the state, and a copy of the structure that is made once and shared by all snapshots taken while the
 * structure is unchanged. The copy counts its own references, and may be released from any thread. */
#include "base/error.h"
#include "base/memory.h"
#include "world/frozen.h"

#include <string.h>

struct vvSnapshot {
    vv_frozen *structure;
    size_t size;
    char *state;
    vvContactPair *touching; /* by ids; NULL: to be found from the positions, as in the world the snapshot was taken of */
    size_t touching_count;
};

/* ---- structure ---- */

static bool copy_lists(const vvWorld *from, vvWorld *to)
{
    to->bodies = vv_alloc(from->body_count, sizeof *to->bodies);
    to->attaches = vv_alloc(from->attach_count, sizeof *to->attaches);
    to->obstacles = vv_alloc_copy(from->obstacles, from->obstacle_count, sizeof *to->obstacles);
    to->modes = vv_alloc_copy(from->modes, from->mode_count, sizeof *to->modes);
    to->frictions = vv_alloc_copy(from->frictions, from->friction_count, sizeof *to->frictions);
    to->state.policy.body_size = from->state.policy.body_size;
    bool ok = to->bodies && to->attaches && to->obstacles && to->modes && to->frictions &&
              vv_state_reserve_bodies(&to->state, from->body_count);
    for (; ok && to->body_count < from->body_count; to->body_count++)
        ok = vv_body_copy(from->bodies + to->body_count, to->bodies + to->body_count);
    for (; ok && to->attach_count < from->attach_count; to->attach_count++)
        ok = vv_attach_copy(from->attaches + to->attach_count, to->attaches + to->attach_count);
    to->body_capacity = from->body_count;
    to->attach_capacity = from->attach_count;
    to->obstacle_count = to->obstacle_capacity = from->obstacle_count;
    to->mode_count = to->mode_capacity = from->mode_count;
    to->friction_count = to->friction_capacity = from->friction_count;
    return ok;
}

/* Makes `to`, all zero before, a world of the same structure; the caller fills in its state. */
static bool copy_structure(const vvWorld *from, vvWorld *to)
{
    size_t n = (size_t)from->nodes;
    if (!copy_lists(from, to) || !vv_nodes_reserve(to, n) || !vv_ids_copy(&from->body_ids, &to->body_ids) ||
        !vv_ids_copy(&from->obstacle_ids, &to->obstacle_ids) || !vv_ids_copy(&from->attach_ids, &to->attach_ids)) {
        vv_world_free_structure(to);
        return false;
    }
    if (n > 0) {
        memcpy(to->rest, from->rest, 3 * n * sizeof *to->rest);
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
    w->bodies = from->bodies, w->body_count = from->body_count, w->body_capacity = from->body_capacity;
    w->obstacles = from->obstacles, w->obstacle_count = from->obstacle_count, w->obstacle_capacity = from->obstacle_capacity;
    w->attaches = from->attaches, w->attach_count = from->attach_count, w->attach_capacity = from->attach_capacity;
    w->modes = from->modes, w->mode_count = from->mode_count, w->mode_capacity = from->mode_capacity;
    w->frictions = from->frictions, w->friction_count = from->friction_count, w->friction_capacity = from->friction_capacity;
    w->body_ids = from->body_ids, w->obstacle_ids = from->obstacle_ids, w->attach_ids = from->attach_ids;
    w->nodes = from->nodes, w->node_capacity = from->node_capacity;
    w->rest = from->rest, w->mass = from->mass, w->state.q = from->state.q, w->state.v = from->state.v;
    w->state.q_previous = from->state.q_previous, w->state.v_previous = from->state.v_previous;
    w->state.force = from->state.force, w->fixed = from->fixed;
    w->state.body_energy = from->state.body_energy, w->state.energy_capacity = from->state.energy_capacity;
    w->state.body_visible = from->state.body_visible, w->state.visible_capacity = from->state.visible_capacity;
    w->state.policy.bodies = from->state.policy.bodies, w->state.policy.body_capacity = from->state.policy.body_capacity;
}

static size_t structure_bytes(const vvWorld *w)
{
    size_t bytes = sizeof(vv_frozen) + (size_t)w->nodes * (19 * sizeof(double) + 1);
    for (size_t i = 0; i < w->body_count; i++) {
        const vv_body *b = w->bodies + i;
        bytes += sizeof *b + (size_t)b->count + (size_t)b->material_count * sizeof *b->materials +
                 sizeof(int) * (size_t)(4 * b->tet_count + 3 * b->triangle_count + 2 * b->edge_count + b->point_count +
                                       4 * b->hinge_count) +
                 (size_t)b->skin.vertex_count * 4 * (sizeof(int) + sizeof(double)) +
                 (size_t)b->skin.triangle_count * 3 * sizeof(int);
    }
    for (size_t i = 0; i < w->attach_count; i++)
        bytes += sizeof *w->attaches + (size_t)w->attaches[i].count * (sizeof(int) + 9 * sizeof(double));
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
    f->def = vv_def_hash(&w->def);
    f->bytes = structure_bytes(w);
    return w->frozen = f;
}

/* ---- snapshots ---- */

static vvStatus take(vvWorld *w, vvSnapshot **out, vvError *error)
{
    if (!out)
        return vv_fail(error, VV_ERROR_INPUT, "vvWorldSnapshot wants a place for the snapshot, found NULL");
    *out = NULL;
    vvStatus status = vv_world_open(w, "take a snapshot", error);
    if (status != VV_OK)
        return status;
    vvSnapshot *s = vv_alloc(1, sizeof *s);
    size_t size = vv_state_size(w);
    char *state = vv_alloc(size, 1);
    const vv_touches *touching = &w->events.touching;
    vvContactPair *pairs = w->events.reloaded ? NULL : vv_alloc_copy(touching->list, touching->count, sizeof *pairs);
    if (!s || !state || (!pairs && !w->events.reloaded) || !freeze(w)) {
        vv_free(s);
        vv_free(state);
        vv_free(pairs);
        return vv_fail_memory(error, "a snapshot");
    }
    *s = (vvSnapshot){ w->frozen, size, state, pairs, pairs ? touching->count : 0 };
    atomic_fetch_add(&s->structure->references, 1);
    vv_state_save(w, state);
    *out = s;
    return VV_OK;
}

vvStatus vvWorldSnapshot(vvWorld *w, vvSnapshot **out, vvError *error)
{
    VV_WORLD_CALL(w, error, take(w, out, error));
}

/* Replaces the world's structure by the snapshot's. */
static vvStatus restore_structure(vvWorld *w, vv_frozen *f, vvError *error)
{
    vvWorld *fresh = vv_alloc(1, sizeof *fresh);
    bool ok = fresh && copy_structure(&f->copy, fresh);
    if (ok && !(vv_ids_avoid(&fresh->body_ids, &w->body_ids) && vv_ids_avoid(&fresh->obstacle_ids, &w->obstacle_ids) &&
                vv_ids_avoid(&fresh->attach_ids, &w->attach_ids))) {
        vv_world_free_structure(fresh);
        ok = false;
    }
    if (!ok) {
        vv_free(fresh);
        return vv_fail_memory(error, "the snapshot's bodies");
    }
    vv_world_changed(w);
    adopt(w, fresh);
    vv_free(fresh);
    w->revision++;
    w->frozen = f;
    atomic_fetch_add(&f->references, 1);
    return VV_OK;
}

static vvStatus restore(vvWorld *w, const vvSnapshot *s, vvError *error)
{
    if (!s)
        return vv_fail(error, VV_ERROR_INPUT, "vvWorldRestore wants a snapshot, found NULL");
    vvStatus status = vv_world_open(w, "restore a snapshot", error);
    if (status == VV_OK && s->structure->def != vv_def_hash(&w->def))
        status = vv_fail(error, VV_ERROR_INPUT, "restore: the snapshot is of a world with another definition (time step, gravity, "
                         "integrator, solver or contact); create the world from an equal vvWorldDef");
    vv_touches *touching = &w->events.touching;
    if (status == VV_OK && !vv_grow((void **)&touching->list, &touching->capacity, s->touching_count, sizeof *touching->list))
        status = vv_fail_memory(error, "the snapshot's contacts");
    if (status == VV_OK && !vv_world_reserve_memory(w, s->structure->copy.nodes))
        status = vv_fail_memory(error, "what the snapshot's solver has learned");
    if (status == VV_OK && s->structure != w->frozen)
        status = restore_structure(w, s->structure, error);
    if (status != VV_OK)
        return status;
    vv_state_load(w, s->state);
    if (s->touching)
        vv_events_recall(w, s->touching, s->touching_count);
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
    vv_free(s);
}

size_t vvSnapshotBytes(const vvSnapshot *s)
{
    return s ? sizeof *s + s->size + s->touching_count * sizeof *s->touching + s->structure->bytes : 0;
}

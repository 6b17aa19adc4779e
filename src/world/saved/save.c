/* Saved states: the state's bytes (state_bytes.c) after a header that identifies the structure, and the settings that
 * setters have changed. */
#include "base/error.h"
#include "base/vec.h"
#include "world/saved/frozen.h"
#include "world/joints/joints.h"
#include "world/saved/saved.h"
#include "world/settings/settings.h"
#include "world/sleep/sleep.h"

#include <stdio.h>
#include <string.h>

static vv_saved make_header(const vvWorld *w)
{
    vv_saved h = { .magic = "vvstate",
                   .version = 21,
                   .ledger_bytes = sizeof(vv_ledger),
                   .nodes = w->nodes,
                   .bodies = (int64_t)w->body_count,
                   .topology = vv_topology_hash(w),
                   .attachments = vv_attachments_hash(w),
                   .joints = vv_joints_hash(w),
                   .joint_bytes = (int64_t)vv_state_part_size(w, VV_PART_JOINTS),
                   .obstacle_bytes = (int64_t)vv_state_part_size(w, VV_PART_OBSTACLES),
                   .core_bytes = (int64_t)vv_state_part_size(w, VV_PART_CORE),
                   .policy_bytes = (int64_t)vv_state_part_size(w, VV_PART_POLICY),
                   .solver_bytes = (int64_t)vv_state_part_size(w, VV_PART_SOLVERS),
                   .settings_bytes = (int64_t)vv_settings_save(w, NULL),
                   .time_step = w->def.timeStep };
    snprintf(h.policy, sizeof h.policy, "%s", w->def.integrator.policy);
    snprintf(h.solver, sizeof h.solver, "%s", vv_world_learned(w, w->nodes).name);
    return h;
}

static bool ready(const vvWorld *w) { return w->baked && !w->stale && !w->edit; }

uint64_t vv_saved_checksum(const vv_saved *h, const void *state)
{
    vv_saved blank = *h;
    blank.checksum = vv_bytes_hash(state, (size_t)h->state_bytes);
    return vv_bytes_hash((const char *)&blank, sizeof blank);
}

size_t vvWorldStateSize(const vvWorld *w)
{
    return vv_world_readable(w) && ready(w) ? sizeof(vv_saved) + vv_state_size(w) + vv_settings_save(w, NULL) : 0;
}

static vvStatus save(const vvWorld *w, void *buffer, size_t size, vvError *error)
{
    vvStatus status = vv_world_open(w, "save state", error);
    if (status != VV_OK)
        return status;
    if (!ready(w) || !buffer || size != vvWorldStateSize(w))
        return vv_fail(error, VV_ERROR_INPUT,
                       "save state: the buffer has %zu bytes; this world needs %zu (bake it first)", size,
                       vvWorldStateSize(w));
    vv_saved h = make_header(w);
    h.state_bytes = (int64_t)(size - sizeof h);
    /* what the solver has learned is copied into the world at the same time; nothing else of it is written */
    vv_state_save((vvWorld *)(uintptr_t)w, (char *)buffer + sizeof h);
    vv_settings_save(w, (char *)buffer + size - (size_t)h.settings_bytes);
    h.checksum = vv_saved_checksum(&h, (char *)buffer + sizeof h);
    memcpy(buffer, &h, sizeof h);
    return VV_OK;
}

uint64_t vvWorldAttachmentsHash(const vvWorld *w)
{
    if (!vv_world_readable(w))
        return 0;
    return w->joint_count ? vv_attachments_hash(w) ^ vv_joints_hash(w) : vv_attachments_hash(w);
}

vvStatus vvWorldSaveState(const vvWorld *w, void *buffer, size_t size, vvError *error)
{
    VV_WORLD_CALL(w, error, save(w, buffer, size, error));
}

/* With the settings of the saved world, nothing below changes a bit. */
static void adapt(vvWorld *w, const vv_saved *h, const vv_known_ground *ground)
{
    vv_state *s = &w->state;
    /* what the state knows of the ground holds for the same structure only */
    if (w->ground.structure != vv_structure_hash(w))
        w->ground = *ground;
    vv_world_regard_ground(w);
    if (h->time_step != w->def.timeStep)
        vv_world_change_time_step(w, h->time_step, w->def.timeStep);
    if (strcmp(h->policy, w->def.integrator.policy) != 0) /* aims at the present energy, not at what was lost before */
        s->ledger.target = s->ledger.row.target = s->ledger.row.total;
    vv_world_place_springs(w, vv_world_time(w));
    vv_world_place_repulsion(w);
    /* other materials, gravity, ...: the same positions have another energy */
    vv_energies e = vv_stepper_energies(w->stepper, s->q, s->v, NULL);
    if (e.total - s->ledger.row.total != s->ledger.user_work)
        vv_stepper_book_change(w->stepper);
}

static int64_t attachments_end(const vv_saved *h)
{
    return h->state_bytes - h->settings_bytes - h->obstacle_bytes - h->joint_bytes;
}

/* Copies a saved state, or what fits: not the memories of another policy or other solvers, nor the positions of other
 * attachments, nor what has become of other joints, which stay as they are. */
static void take(vvWorld *w, const vv_saved *h, const char *from, bool attachments, bool joints)
{
    bool policy = strcmp(h->policy, w->def.integrator.policy) == 0 &&
                  (size_t)h->policy_bytes == vv_state_part_size(w, VV_PART_POLICY);
    vv_lengths lengths = w->lengths;
    vv_stiffness stiffness = w->stiffness;
    vv_state_part_load(w, VV_PART_CORE, from);
    w->lengths = lengths;             /* this world's own: it is baked */
    if (!(w->stiffness.chosen > 0)) { /* there it was given: this world's own, for all */
        w->stiffness = stiffness;
        for (size_t b = 0; b < w->body_count; b++)
            w->bodies[b].stiffness_part = 0;
    }
    if ((size_t)h->obstacle_bytes == vv_state_part_size(w, VV_PART_OBSTACLES))
        vv_state_part_load(w, VV_PART_OBSTACLES, from + attachments_end(h) + h->joint_bytes);
    from += h->core_bytes;
    if (policy)
        vv_state_part_load(w, VV_PART_POLICY, from);
    else
        vv_policy_memory_clear(&w->state.policy, w->body_count);
    from += h->policy_bytes;
    if (strcmp(h->solver, vv_world_learned(w, w->nodes).name) == 0 &&
        (size_t)h->solver_bytes == vv_state_part_size(w, VV_PART_SOLVERS))
        vv_state_part_load(w, VV_PART_SOLVERS, from);
    else
        vv_world_unlearn(w);
    if (attachments)
        vv_state_part_load(w, VV_PART_ATTACHMENTS, from + h->solver_bytes);
    if (joints)
        vv_state_part_load(w, VV_PART_JOINTS, from + attachments_end(h) - h->core_bytes - h->policy_bytes);
}

/* What follows from it. */
static void settle_in(vvWorld *w)
{
    vv_world_recall_stiffness(w);
    w->moved++;
    vv_events_reload(w);
    vv_world_recall_memory(w);
    vv_stepper_forget(w->stepper);
    vv_world_place_springs(w, vv_world_time(w));
    vv_world_place_joints(w);
}

/* What attachments hold at the state's time, which was booked when it came to be. */
static vvStatus release(vvWorld *w, vvError *error)
{
    if (!vv_attach_release_due(w))
        return VV_OK;
    vv_world_unbake(w);
    vv_world_unshare(w);
    return vv_world_bake(w, error);
}

/* Attachments hold their nodes where these are now: the structure is no longer the one snapshots share. */
static void hold_here(vvWorld *w)
{
    for (size_t a = 0; a < w->attach_count; a++)
        if (!w->attaches[a].dragged)
            vv_attach_here(w, w->attaches + a);
    vv_world_unshare(w);
}

/* Contact as it is where the saved run began. */
static vvStatus follow_places(vvWorld *w, vvError *error)
{
    if (vv_sleep_differs(w)) {
        w->baked = false; /* what was learned since is not kept */
        vv_world_unbake(w);
        return vv_world_bake(w, error);
    }
    if (!vv_world_places_differ(w))
        return VV_OK;
    vvStatus status = vv_world_remake_contact(w, error);
    if (status != VV_OK)
        vv_world_unbake(w);
    return status;
}

static vvStatus load(vvWorld *w, const vv_saved *h, const char *from, bool whole, bool joints, vvError *error)
{
    vv_known_ground ground = w->ground;
    vv_events events = w->events;
    char *before = vv_alloc(vv_state_size(w), 1);
    if (!before)
        return vv_fail_memory(error, "loading a state");
    vv_state_save(w, before);
    take(w, h, from, whole, joints);
    vvError why;
    vvStatus status = vv_state_check(w, error);
    const bool sound = status == VV_OK;
    if (sound) {
        status = follow_places(w, &why);
        if (status == VV_OK) {
            settle_in(w);
            status = release(w, &why);
        }
    }
    if (sound && status == VV_OK)
        status = vv_world_check_allowed(w, w->state.q, &why);
    if (status != VV_OK) {
        vv_state_load(w, before);
        if (vv_attach_release_due(w))
            vv_world_unbake(w);
        vv_events_back(w, &events);
        vv_world_catch_up(w);
    }
    if (sound && status != VV_OK) {
        vv_fail(error, status,
                status == VV_ERROR_INPUT ? "load state: the saved positions are not allowed in this world, which is "
                                           "unchanged: %s"
                                         : "%s",
                why.message);
    } else if (sound) {
        if (!whole)
            hold_here(w);
        adapt(w, h, &ground);
        vv_events_before_step(w, NULL); /* before anything else changes; if memory is short the next step does it */
    }
    vv_free(before);
    return status;
}

/* Whether the bytes are a whole saved state of a world with these bodies. */
static vvStatus read_header(const vvWorld *w, const void *buffer, size_t size, vv_saved *h, vvError *error)
{
    const vv_saved mine = make_header(w);
    if (!buffer || size < sizeof *h)
        return vv_fail(error, VV_ERROR_INPUT, "load state: no buffer, or its %zu bytes are too few for a saved state",
                       size);
    memcpy(h, buffer, sizeof *h);
    if (memcmp(h->magic, mine.magic, sizeof h->magic) != 0)
        return vv_fail(error, VV_ERROR_INPUT, "load state: these bytes are not a state saved by visviva");
    if (h->version != mine.version || h->ledger_bytes != mine.ledger_bytes)
        return vv_fail(error, VV_ERROR_INPUT,
                       "load state: not a state saved by this version of visviva: it has the form %u, this "
                       "version reads %u; run again from the start",
                       (unsigned)h->version, (unsigned)mine.version);
    h->policy[sizeof h->policy - 1] = h->solver[sizeof h->solver - 1] = '\0';
    const int64_t parts[] = { h->policy_bytes, h->solver_bytes, h->settings_bytes, h->joint_bytes, h->obstacle_bytes };
    bool sane = h->nodes == mine.nodes && h->bodies == mine.bodies && h->core_bytes == mine.core_bytes;
    size_t after = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        sane = sane && parts[i] >= 0 && parts[i] <= INT32_MAX;
        after += sane ? (size_t)parts[i] : 0;
    }
    if (!sane || size < sizeof *h + (size_t)h->core_bytes + after)
        return vv_fail(error, VV_ERROR_INPUT,
                       "load state: saved from a world of %lld nodes and %lld bodies (%zu bytes), this one "
                       "has %lld and %lld (%zu bytes); make the world from the same definitions",
                       (long long)h->nodes, (long long)h->bodies, size, (long long)mine.nodes, (long long)mine.bodies,
                       vvWorldStateSize(w));
    /* a state is loaded as it is: a single damaged bit could have any effect */
    if (h->state_bytes < h->core_bytes + (int64_t)after || size - sizeof *h < (size_t)h->state_bytes ||
        vv_saved_checksum(h, (const char *)buffer + sizeof *h) != h->checksum)
        return vv_fail(error, VV_ERROR_INPUT, "load state: the saved state is damaged or cut off; take another one");
    if (h->topology != mine.topology)
        return vv_fail(error, VV_ERROR_INPUT,
                       "load state: saved from a world with other elements; make the world from the same "
                       "meshes");
    return VV_OK;
}

static vvStatus fit_and_load(vvWorld *w, const vv_saved *h, const void *buffer, vvError *error)
{
    size_t before = (size_t)(h->core_bytes + h->policy_bytes + h->solver_bytes);
    bool whole = h->attachments == vv_attachments_hash(w) &&
                 (size_t)attachments_end(h) - before == vv_state_part_size(w, VV_PART_ATTACHMENTS);
    bool joints = h->joints == vv_joints_hash(w) && (size_t)h->joint_bytes == vv_state_part_size(w, VV_PART_JOINTS);
    return load(w, h, (const char *)buffer + sizeof *h, whole, joints, error);
}

/* The world first gets the settings that setters had changed in the saved one; if it cannot go on like that, it gets
 * back all it had. */
static vvStatus set_and_load(vvWorld *w, const vv_saved *h, const void *buffer, vvError *error)
{
    vvSnapshot *snapshot = NULL;
    bool changed;
    const char *settings = (const char *)buffer + sizeof *h + (size_t)(h->state_bytes - h->settings_bytes);
    vvStatus status = vv_world_snapshot(w, &snapshot, error);
    if (status != VV_OK)
        return status;
    vv_restoring *back = vv_restoring_make(w, snapshot, true);
    status = back ? VV_OK : vv_fail_memory(error, "loading a state");
    if (status == VV_OK)
        status = vv_settings_load(w, settings, (size_t)h->settings_bytes, &changed, error);
    if (status == VV_OK)
        status = vv_world_bake(w, error);
    if (status == VV_OK)
        status = fit_and_load(w, h, buffer, error);
    if (status != VV_OK && back)
        vv_restoring_commit(w, back);
    vv_restoring_free(back);
    vvSnapshotDestroy(snapshot);
    return status;
}

static vvStatus bake_and_load(vvWorld *w, const void *buffer, size_t size, vvError *error)
{
    vv_saved h;
    bool fresh = !w->started;
    w->restoring = fresh;
    vvStatus status = vv_world_bake(w, error);
    if (status == VV_OK)
        status = read_header(w, buffer, size, &h, error);
    if (status == VV_OK)
        status = h.settings_bytes ? set_and_load(w, &h, buffer, error) : fit_and_load(w, &h, buffer, error);
    w->restoring = false;
    if (status != VV_OK && fresh && w->baked) { /* it was started for the state only */
        vv_world_unbake(w);
        w->started = false;
    }
    return status;
}

vvStatus vvWorldLoadState(vvWorld *w, const void *buffer, size_t size, vvError *error)
{
    VV_WORLD_CALL(w, error, bake_and_load(w, buffer, size, error));
}

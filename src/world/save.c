/* The state as one block of bytes: for snapshots in any world, and, with a header that identifies the structure, for saved states. */
#include "base/error.h"
#include "base/vec.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

typedef enum pass { SIZE, SAVE, LOAD } pass;

typedef struct walk {
    pass pass;
    char *at;
    size_t bytes;
} walk;

/* One piece of the state, in place. */
static void visit(walk *k, void *piece, size_t bytes)
{
    if (k->pass == SAVE && bytes)
        memcpy(k->at, piece, bytes);
    else if (k->pass == LOAD && bytes)
        memcpy(piece, k->at, bytes);
    k->at += k->pass == SIZE ? 0 : bytes;
    k->bytes += bytes;
}

static void visit_piece(void *user, void *piece, size_t bytes) { visit(user, piece, bytes); }

/* All but the attachments and the memories of the policy and the solvers. */
static void visit_core(walk *k, vvWorld *w)
{
    vv_state_visit(&w->state, (size_t)w->nodes, w->body_count, visit_piece, k);
    visit(k, &w->random, sizeof w->random);
    visit(k, &w->started, sizeof w->started);
    visit(k, &w->unbooked, sizeof w->unbooked);
    visit(k, &w->def.contact.frictionSpeed, sizeof w->def.contact.frictionSpeed);
    visit(k, &w->ground, sizeof w->ground);
    for (size_t b = 0; b < w->body_count; b++) {
        visit(k, &w->bodies[b].stage, sizeof w->bodies[b].stage);
        visit(k, &w->bodies[b].gravity_start, sizeof w->bodies[b].gravity_start);
    }
}

static void visit_policy(walk *k, vvWorld *w) { vv_policy_memory_visit(&w->state.policy, w->body_count, visit_piece, k); }

/* Whether the solvers have learned something, and space for it in either case. When loading, the world must have the space already. */
static void visit_solvers(walk *k, vvWorld *w)
{
    vv_solver_memory *m = &w->memory;
    size_t size = vv_world_learned(w, w->nodes).size;
    int64_t valid = m->valid && m->size == size;
    visit(k, &valid, sizeof valid);
    if (k->pass == LOAD) {
        m->valid = valid != 0;
        m->size = size;
    }
    if (valid || k->pass == SIZE) {
        visit(k, m->data, size);
        return;
    }
    if (k->pass == SAVE)
        memset(k->at, 0, size);
    k->at += size;
    k->bytes += size;
}

static void visit_attachments(walk *k, vvWorld *w)
{
    for (size_t a = 0; a < w->attach_count; a++) {
        visit(k, &w->attaches[a].driven, sizeof w->attaches[a].driven);
        visit(k, w->attaches[a].from, 6 * (size_t)w->attaches[a].count * sizeof(double)); /* `to` follows it */
    }
}

static void visit_state(walk *k, vvWorld *w)
{
    visit_core(k, w);
    visit_policy(k, w);
    visit_solvers(k, w);
    visit_attachments(k, w);
}

static size_t size_of(const vvWorld *w, void (*part)(walk *, vvWorld *))
{
    walk k = { .pass = SIZE };
    part(&k, (vvWorld *)(uintptr_t)w); /* only counts bytes */
    return k.bytes;
}

size_t vv_state_size(const vvWorld *w) { return size_of(w, visit_state); }

void vv_state_save(vvWorld *w, void *to)
{
    walk k = { .pass = SAVE, .at = to };
    vv_world_keep_memory(w);
    visit_state(&k, w);
}

void vv_state_load(vvWorld *w, const void *from)
{
    walk k = { .pass = LOAD, .at = (char *)(uintptr_t)from };
    visit_state(&k, w);
    w->moved++;
    vv_events_reload(w);
    if (!w->started || w->unbooked) { /* saved before a change was booked: the change must be booked again */
        w->baked = false; /* so that what was learned since is not kept */
        vv_world_unbake(w);
    }
    if (!w->baked)
        return;
    vv_world_recall_memory(w);
    vv_stepper_forget(w->stepper);
    vv_world_place_springs(w, vv_world_time(w));
}

/* ---- saved states ---- */

typedef struct header {
    char magic[8];
    uint32_t version, ledger_bytes;
    int64_t nodes, bodies;
    uint64_t topology, attachments;
    int64_t core_bytes, policy_bytes, solver_bytes; /* of the state: all but the two parts after it; the policy's memory; the solvers' */
    int64_t state_bytes; /* after the header */
    uint64_t checksum;   /* of the state and of the header */
    /* settings: where they differ now, part of the state starts anew */
    double time_step;
    char policy[32], solver[96];
} header;

static header make_header(const vvWorld *w)
{
    header h = { .magic = "vvstate", .version = 7, .ledger_bytes = sizeof(vv_ledger), .nodes = w->nodes,
                 .bodies = (int64_t)w->body_count, .topology = vv_topology_hash(w), .attachments = vv_attachments_hash(w),
                 .core_bytes = (int64_t)size_of(w, visit_core), .policy_bytes = (int64_t)size_of(w, visit_policy),
                 .solver_bytes = (int64_t)size_of(w, visit_solvers), .time_step = w->def.timeStep };
    snprintf(h.policy, sizeof h.policy, "%s", w->def.integrator.policy);
    snprintf(h.solver, sizeof h.solver, "%s", vv_world_learned(w, w->nodes).name);
    return h;
}

static bool ready(const vvWorld *w) { return w->baked && !w->soft_stale && !w->edit; }

static uint64_t checksum_of(const header *h, const char *state)
{
    header blank = *h;
    blank.checksum = vv_bytes_hash(state, (size_t)h->state_bytes);
    return vv_bytes_hash((const char *)&blank, sizeof blank);
}

size_t vvWorldStateSize(const vvWorld *w) { return vv_world_readable(w) && ready(w) ? sizeof(header) + vv_state_size(w) : 0; }

static vvStatus save(const vvWorld *w, void *buffer, size_t size, vvError *error)
{
    vvStatus status = vv_world_open(w, "save state", error);
    if (status != VV_OK)
        return status;
    if (!ready(w) || !buffer || size != vvWorldStateSize(w))
        return vv_fail(error, VV_ERROR_INPUT, "save state: the buffer has %zu bytes; this world needs %zu (bake it first)", size,
                       vvWorldStateSize(w));
    header h = make_header(w);
    h.state_bytes = (int64_t)(size - sizeof h);
    /* what the solver has learned is copied into the world on the way; nothing else of it is written */
    vv_state_save((vvWorld *)(uintptr_t)w, (char *)buffer + sizeof h);
    h.checksum = checksum_of(&h, (char *)buffer + sizeof h);
    memcpy(buffer, &h, sizeof h);
    return VV_OK;
}

vvStatus vvWorldSaveState(const vvWorld *w, void *buffer, size_t size, vvError *error)
{
    VV_WORLD_CALL(w, error, save(w, buffer, size, error));
}

/* With the settings of the saved world, nothing below changes a bit. */
static void adapt(vvWorld *w, const header *h, const vv_known_ground *ground, double speed)
{
    vv_state *s = &w->state;
    w->def.contact.frictionSpeed = speed;
    if (w->ground.structure != vv_structure_hash(w)) /* what the state knows of the ground holds for the same structure only */
        w->ground = *ground;
    vv_world_regard_ground(w);
    if (h->time_step != w->def.timeStep) { /* the clock goes on; a past with another step is useless */
        s->clock.time_base = vv_clock_time(&s->clock, h->time_step, 0);
        s->clock.step_base = s->clock.step;
        s->history = false;
    }
    if (strcmp(h->policy, w->def.integrator.policy) != 0) /* aims at the present energy, not at what was lost before */
        s->ledger.target = s->ledger.row.target = s->ledger.row.total;
    vv_world_place_springs(w, vv_world_time(w));
    /* other materials, gravity, ...: the same positions have another energy */
    vv_energies e = vv_stepper_energies(w->stepper, s->q, s->v, NULL);
    if (e.total - s->ledger.row.total != s->ledger.user_work)
        vv_stepper_book_change(w->stepper);
}

/* Loads a saved state, or what fits: not the memories of another policy or other solvers, nor the positions of other attachments. */
static void take(vvWorld *w, const header *h, const char *from, bool attachments)
{
    walk k = { .pass = LOAD, .at = (char *)(uintptr_t)from };
    bool policy = strcmp(h->policy, w->def.integrator.policy) == 0 && (size_t)h->policy_bytes == size_of(w, visit_policy);
    visit_core(&k, w);
    if (policy)
        visit_policy(&k, w);
    else
        vv_policy_memory_clear(&w->state.policy, w->body_count);
    k.at = (char *)(uintptr_t)from + h->core_bytes + h->policy_bytes;
    if (strcmp(h->solver, vv_world_learned(w, w->nodes).name) == 0 && (size_t)h->solver_bytes == size_of(w, visit_solvers))
        visit_solvers(&k, w);
    else
        vv_world_unlearn(w);
    k.at = (char *)(uintptr_t)from + h->core_bytes + h->policy_bytes + h->solver_bytes;
    if (attachments)
        visit_attachments(&k, w);
    w->moved++;
    vv_events_reload(w);
    vv_world_recall_memory(w);
    vv_stepper_forget(w->stepper);
    vv_world_place_springs(w, vv_world_time(w));
}

/* Attachments hold their nodes where these are now: the structure is no longer the one snapshots share. */
static void hold_here(vvWorld *w)
{
    for (size_t a = 0; a < w->attach_count; a++)
        if (!w->attaches[a].dragged)
            vv_attach_here(w, w->attaches + a);
    vv_frozen_release(w->frozen);
    w->frozen = NULL;
}

static vvStatus load(vvWorld *w, const header *h, const char *from, bool whole, vvError *error)
{
    vv_known_ground ground = w->ground;
    double speed = w->def.contact.frictionSpeed;
    vv_events events = w->events;
    char *before = vv_alloc(vv_state_size(w), 1);
    if (!before)
        return vv_fail_memory(error, "loading a state");
    vv_state_save(w, before);
    take(w, h, from, whole);
    vvError why;
    vvStatus status = vv_world_check_positions(w, w->state.q, &why);
    if (status != VV_OK) {
        vv_state_load(w, before);
        vv_events_back(w, &events);
        vv_fail(error, status, status == VV_ERROR_INPUT ? "load state: the saved positions cannot stand in this world, which is as it "
                "was: %s" : "%s", why.message);
    } else {
        if (!whole)
            hold_here(w);
        adapt(w, h, &ground, speed);
        vv_events_before_step(w, NULL); /* before anything else changes; if memory is short the next step does it */
    }
    vv_free(before);
    return status;
}

static vvStatus check_and_load(vvWorld *w, const void *buffer, size_t size, vvError *error)
{
    header h, mine = make_header(w);
    if (!buffer || size < sizeof h)
        return vv_fail(error, VV_ERROR_INPUT, "load state: no buffer, or its %zu bytes are too few for a saved state", size);
    memcpy(&h, buffer, sizeof h);
    if (memcmp(h.magic, mine.magic, sizeof h.magic) != 0)
        return vv_fail(error, VV_ERROR_INPUT, "load state: these bytes are not a state saved by visviva");
    if (h.version != mine.version || h.ledger_bytes != mine.ledger_bytes)
        return vv_fail(error, VV_ERROR_INPUT, "load state: not a state saved by this version of visviva: it has the form %u, this "
                       "version reads %u; run again from the start", (unsigned)h.version, (unsigned)mine.version);
    h.policy[sizeof h.policy - 1] = h.solver[sizeof h.solver - 1] = '\0';
    bool whole = h.attachments == mine.attachments;
    bool sane = h.policy_bytes >= 0 && h.policy_bytes <= INT32_MAX && h.solver_bytes >= 0 && h.solver_bytes <= INT32_MAX;
    size_t memories = sane ? (size_t)(h.policy_bytes + h.solver_bytes) : 0;
    if (!sane || h.nodes != mine.nodes || h.bodies != mine.bodies || h.core_bytes != mine.core_bytes ||
        size < sizeof h + (size_t)h.core_bytes + memories ||
        (whole && size - memories != vvWorldStateSize(w) - (size_t)(mine.policy_bytes + mine.solver_bytes)))
        return vv_fail(error, VV_ERROR_INPUT, "load state: saved from a world of %lld nodes and %lld bodies (%zu bytes), this one "
                       "has %lld and %lld (%zu bytes); make the world from the same definitions", (long long)h.nodes,
                       (long long)h.bodies, size, (long long)mine.nodes, (long long)mine.bodies, vvWorldStateSize(w));
    /* a state is loaded as it is: a single damaged bit could have any effect */
    if (h.state_bytes < h.core_bytes + h.policy_bytes + h.solver_bytes || size - sizeof h < (size_t)h.state_bytes ||
        checksum_of(&h, (const char *)buffer + sizeof h) != h.checksum)
        return vv_fail(error, VV_ERROR_INPUT, "load state: the saved state is damaged or cut off; take another one");
    if (h.topology != mine.topology)
        return vv_fail(error, VV_ERROR_INPUT, "load state: saved from a world with other elements; make the world from the same "
                       "meshes");
    return load(w, &h, (const char *)buffer + sizeof h, whole, error);
}

static vvStatus bake_and_load(vvWorld *w, const void *buffer, size_t size, vvError *error)
{
    bool fresh = !w->started;
    w->restoring = fresh;
    vvStatus status = vv_world_bake(w, error);
    w->restoring = false;
    if (status == VV_OK)
        status = check_and_load(w, buffer, size, error);
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

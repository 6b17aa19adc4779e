/* The state as one block of bytes: for snapshots in any world, and with a header that tells the structure for saved states. */
#include "base/error.h"
#include "world/world.h"

#include <string.h>

typedef enum pass { SIZE, SAVE, LOAD } pass;

typedef struct walk {
    pass pass;
    char *at;
    size_t bytes;
} walk;

/* One piece of state, in the place where it lives. */
static void visit(walk *k, void *piece, size_t bytes)
{
    if (k->pass == SAVE && bytes)
        memcpy(k->at, piece, bytes);
    else if (k->pass == LOAD && bytes)
        memcpy(piece, k->at, bytes);
    k->at += k->pass == SIZE ? 0 : bytes;
    k->bytes += bytes;
}

/* Clock, ledger, and what decides how things go on. */
static void visit_world(walk *k, vvWorld *w)
{
    vv_stepper *s = &w->stepper;
    visit(k, &s->step, sizeof s->step);
    visit(k, &s->history, sizeof s->history);
    visit(k, &s->forced, sizeof s->forced);
    visit(k, &s->ledger, sizeof s->ledger);
    visit(k, &w->random, sizeof w->random);
    visit(k, &w->started, sizeof w->started);
    visit(k, &w->unbooked, sizeof w->unbooked);
    visit(k, &w->def.contact.frictionSpeed, sizeof w->def.contact.frictionSpeed);
    visit(k, &w->memory, sizeof w->memory);
    visit(k, &w->ground, sizeof w->ground);
}

static void visit_state(walk *k, vvWorld *w)
{
    size_t bytes = 3 * (size_t)w->nodes * sizeof(double);
    double *vectors[] = { w->x, w->v, w->x_previous, w->v_previous, w->force };
    visit_world(k, w);
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        visit(k, vectors[i], bytes);
    visit(k, w->body_energy, w->body_count * sizeof *w->body_energy);
    for (size_t b = 0; b < w->body_count; b++) {
        visit(k, &w->bodies[b].stage, sizeof w->bodies[b].stage);
        visit(k, &w->bodies[b].gravity_start, sizeof w->bodies[b].gravity_start);
    }
    for (size_t a = 0; a < w->attach_count; a++) {
        visit(k, &w->attaches[a].driven, sizeof w->attaches[a].driven);
        visit(k, w->attaches[a].from, 6 * (size_t)w->attaches[a].count * sizeof(double)); /* `to` follows it */
    }
}

size_t vv_state_size(const vvWorld *w)
{
    walk k = { .pass = SIZE };
    visit_state(&k, (vvWorld *)(uintptr_t)w); /* only counted */
    return k.bytes;
}

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
    if (!w->baked)
        return;
    vv_world_recall_memory(w);
    w->stepper.g_old_valid = false;
    w->stepper.hooks.attachments(w->stepper.hooks.user, vv_world_time(w));
}

/* ---- saved states ---- */

typedef struct header {
    char magic[8];
    uint32_t version, ledger_bytes;
    int64_t nodes, bodies;
    uint64_t topology;
} header;

static header make_header(const vvWorld *w)
{
    return (header){ .magic = "vvstate", .version = 2, .ledger_bytes = sizeof(vv_ledger), .nodes = w->nodes,
                     .bodies = (int64_t)w->body_count, .topology = vv_topology_hash(w) };
}

static bool ready(const vvWorld *w) { return w->baked && !w->soft_stale && !w->edit; }

size_t vvWorldStateSize(const vvWorld *w) { return ready(w) ? sizeof(header) + vv_state_size(w) : 0; }

vvStatus vvWorldSaveState(const vvWorld *w, void *buffer, size_t size, vvError *error)
{
    if (!ready(w) || !buffer || size != vvWorldStateSize(w))
        return vv_fail(error, VV_ERROR_INPUT, "save state: the buffer has %zu bytes; this world needs %zu (bake it first)", size,
                       vvWorldStateSize(w));
    header h = make_header(w);
    memcpy(buffer, &h, sizeof h);
    /* what the solver has learned is noted in the world on the way; nothing else is written to */
    vv_state_save((vvWorld *)(uintptr_t)w, (char *)buffer + sizeof h);
    return VV_OK;
}

vvStatus vvWorldLoadState(vvWorld *w, const void *buffer, size_t size, vvError *error)
{
    vvStatus status = vvWorldBake(w, error);
    if (status != VV_OK)
        return status;
    header h, mine = make_header(w);
    if (!buffer || size < sizeof h)
        return vv_fail(error, VV_ERROR_INPUT, "load state: %zu bytes are no saved state", size);
    memcpy(&h, buffer, sizeof h);
    if (memcmp(h.magic, mine.magic, sizeof h.magic) != 0 || h.version != mine.version || h.ledger_bytes != mine.ledger_bytes)
        return vv_fail(error, VV_ERROR_INPUT, "load state: not a state saved by this version of visviva");
    if (h.nodes != mine.nodes || h.bodies != mine.bodies || size != vvWorldStateSize(w))
        return vv_fail(error, VV_ERROR_INPUT, "load state: saved from a world of %lld nodes and %lld bodies (%zu bytes), this one "
                       "has %lld and %lld (%zu bytes); make the world from the same definitions", (long long)h.nodes,
                       (long long)h.bodies, size, (long long)mine.nodes, (long long)mine.bodies, vvWorldStateSize(w));
    if (h.topology != mine.topology)
        return vv_fail(error, VV_ERROR_INPUT, "load state: saved from a world with other elements or attachments; make the world "
                       "from the same definitions");
    double speed = w->def.contact.frictionSpeed; /* a setting, which may be another than that of the world that was saved */
    vv_state_load(w, (const char *)buffer + sizeof h);
    w->def.contact.frictionSpeed = speed;
    return VV_OK;
}

/* Reading, overwriting, saving and loading the state of a world. */
#include "base/error.h"
#include "base/vec.h"
#include "world/world.h"

#include <string.h>

int vvWorldNodeCount(const vvWorld *w) { return w->nodes; }
const double *vvWorldPositions(const vvWorld *w) { return w->baked ? w->stepper.q : w->x; }
const double *vvWorldVelocities(const vvWorld *w) { return w->baked ? w->stepper.v : w->v; }
const double *vvWorldMasses(const vvWorld *w) { return w->mass; }
double vvWorldTime(const vvWorld *w) { return w->baked ? (double)w->stepper.step * w->stepper.h : 0; }
int64_t vvWorldStepIndex(const vvWorld *w) { return w->baked ? w->stepper.step : 0; }
const double *vvWorldBodyEnergies(const vvWorld *w) { return w->baked ? w->stepper.body_energy : NULL; }

void vvWorldTotals(const vvWorld *w, vvLedgerTotals *totals)
{
    *totals = w->baked ? w->stepper.ledger.totals : (vvLedgerTotals){ .minGap = INFINITY, .minJ = INFINITY };
}

vvStatus vvWorldLedger(vvWorld *w, vvLedgerRow *row, vvError *error)
{
    vvStatus s = w->baked ? VV_OK : vvWorldBake(w, error);
    if (s == VV_OK)
        *row = w->stepper.ledger.row;
    return s;
}

static vvStatus step(vvWorld *w, vvStepReport *report, vvError *error)
{
    vv_error_clear(error);
    if (report)
        *report = (vvStepReport){ .linear = "none" };
    vvStatus s = vv_check_cancelled(&w->stepper.options, error);
    if (s == VV_OK)
        s = vvWorldBake(w, error);
    return vv_world_answer(w, s == VV_OK ? vv_step(&w->stepper, report, error) : s);
}

vvStatus vvWorldStep(vvWorld *w, vvStepReport *report, vvError *error)
{
    vvAllocator outer = vv_memory_use(w->allocator);
    vvStatus status = step(w, report, error);
    vv_memory_use(outer);
    return status;
}

static vvStatus settle(vvWorld *w, bool apply, double *energy, vvError *error)
{
    vv_error_clear(error);
    vvStatus s = w->baked ? VV_OK : vvWorldBake(w, error);
    if (s != VV_OK)
        return s;
    size_t n = 3 * (size_t)w->nodes;
    double *q = vv_alloc(n, sizeof *q);
    if (!q)
        return vv_fail_memory(error, "settling");
    memcpy(q, w->stepper.q, n * sizeof *q);
    s = vv_settle(&w->stepper, q, energy, error);
    if (s == VV_OK && apply) {
        memset(w->stepper.v, 0, n * sizeof *q);
        memcpy(w->stepper.q, q, n * sizeof *q);
        vv_stepper_state_changed(&w->stepper);
    }
    vv_free(q);
    return vv_world_answer(w, s);
}

vvStatus vvWorldSettle(vvWorld *w, bool apply, double *energy, vvError *error)
{
    vvAllocator outer = vv_memory_use(w->allocator);
    vvStatus status = settle(w, apply, energy, error);
    vv_memory_use(outer);
    return status;
}

vvStatus vvWorldSetState(vvWorld *w, const double *positions, const double *velocities, vvError *error)
{
    vv_error_clear(error);
    vvStatus s = w->baked ? VV_OK : vvWorldBake(w, error);
    if (s != VV_OK)
        return s;
    size_t n = 3 * (size_t)w->nodes;
    for (size_t i = 0; i < n; i++)
        if ((positions && !isfinite(positions[i])) || (velocities && !isfinite(velocities[i])))
            return vv_fail(error, VV_ERROR_INPUT, "set state: node %zu is not finite", i / 3);
    double *q = w->stepper.trial;
    memcpy(q, positions ? positions : w->stepper.q, n * sizeof *q);
    w->stepper.hooks.prescribed(w->stepper.hooks.user, vvWorldTime(w), q);
    if (positions && !(vv_system_energy(&w->stepper.system, q) < INFINITY))
        return vv_fail(error, VV_ERROR_INPUT, "set state: the positions penetrate an obstacle or invert an element of an "
                       "inversion-free material; the world is as it was");
    if (positions)
        memcpy(w->stepper.q, q, n * sizeof *q);
    for (size_t i = 0; velocities && i < n; i++)
        if (w->unknown[i / 3] >= 0)
            w->stepper.v[i] = velocities[i];
    vv_stepper_state_changed(&w->stepper);
    return VV_OK;
}

/* ---- save and load: a header, the node vectors, the ledger, the linear solver's memory ---- */

typedef struct header {
    char magic[8];
    uint32_t version, history;
    int64_t nodes, bodies, step, linear_state;
    uint64_t ledger_bytes;
} header;

static header make_header(const vvWorld *w)
{
    const vv_linear *linear = w->stepper.system.linear;
    return (header){ .magic = "vvstate", .version = 1, .history = w->stepper.history, .nodes = w->nodes,
                     .bodies = (int64_t)w->body_count, .step = w->stepper.step,
                     .linear_state = (int64_t)linear->ops->state_size, .ledger_bytes = sizeof(vv_ledger) };
}

size_t vvWorldStateSize(const vvWorld *w)
{
    if (!w->baked)
        return 0;
    return sizeof(header) + 12 * (size_t)w->nodes * sizeof(double) + w->body_count * sizeof(double) + sizeof(vv_ledger) +
           w->stepper.system.linear->ops->state_size;
}

vvStatus vvWorldSaveState(const vvWorld *w, void *buffer, size_t size, vvError *error)
{
    if (!w->baked || size != vvWorldStateSize(w))
        return vv_fail(error, VV_ERROR_INPUT, "save state: the buffer has %zu bytes; this world needs %zu (bake it first)", size,
                       vvWorldStateSize(w));
    const vv_stepper *s = &w->stepper;
    size_t bytes = 3 * (size_t)w->nodes * sizeof(double);
    header h = make_header(w);
    char *p = buffer;
    memcpy(p, &h, sizeof h), p += sizeof h;
    const double *vectors[] = { s->q, s->v, s->q_previous, s->v_previous };
    for (int i = 0; i < 4; i++)
        memcpy(p, vectors[i], bytes), p += bytes;
    memcpy(p, s->body_energy, w->body_count * sizeof(double)), p += w->body_count * sizeof(double);
    memcpy(p, &s->ledger, sizeof s->ledger), p += sizeof s->ledger;
    if (h.linear_state)
        s->system.linear->ops->save(s->system.linear, p);
    return VV_OK;
}

vvStatus vvWorldLoadState(vvWorld *w, const void *buffer, size_t size, vvError *error)
{
    vvStatus status = w->baked ? VV_OK : vvWorldBake(w, error);
    if (status != VV_OK)
        return status;
    header h, mine = make_header(w);
    if (size < sizeof h)
        return vv_fail(error, VV_ERROR_INPUT, "load state: %zu bytes are no saved state", size);
    memcpy(&h, buffer, sizeof h);
    if (memcmp(h.magic, mine.magic, sizeof h.magic) != 0 || h.version != mine.version)
        return vv_fail(error, VV_ERROR_INPUT, "load state: not a state saved by this version of visviva");
    if (h.nodes != mine.nodes || h.bodies != mine.bodies || h.linear_state != mine.linear_state ||
        h.ledger_bytes != mine.ledger_bytes || size != vvWorldStateSize(w))
        return vv_fail(error, VV_ERROR_INPUT, "load state: saved from a world of %lld nodes and %lld bodies (%zu bytes), this one "
                       "has %lld and %lld (%zu bytes); make the world from the same definitions", (long long)h.nodes,
                       (long long)h.bodies, size, (long long)mine.nodes, (long long)mine.bodies, vvWorldStateSize(w));
    vv_stepper *s = &w->stepper;
    size_t bytes = 3 * (size_t)w->nodes * sizeof(double);
    const char *p = (const char *)buffer + sizeof h;
    double *vectors[] = { s->q, s->v, s->q_previous, s->v_previous };
    for (int i = 0; i < 4; i++)
        memcpy(vectors[i], p, bytes), p += bytes;
    memcpy(s->body_energy, p, w->body_count * sizeof(double)), p += w->body_count * sizeof(double);
    memcpy(&s->ledger, p, sizeof s->ledger), p += sizeof s->ledger;
    if (h.linear_state)
        s->system.linear->ops->load(s->system.linear, p);
    s->history = h.history != 0;
    s->step = h.step;
    w->moved++;
    s->g_old_valid = false;
    s->hooks.attachments(s->hooks.user, vvWorldTime(w));
    return VV_OK;
}

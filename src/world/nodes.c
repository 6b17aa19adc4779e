/* The world's per-node arrays: grown and closed up together. */
#include "base/error.h"
#include "base/memory.h"
#include "step/bodies/visible.h"
#include "world/world.h"

#include <string.h>

enum { ARRAYS = 9 };

typedef struct node_array {
    void **array;
    size_t size; /* bytes per node */
} node_array;

static void list_arrays(vvWorld *w, node_array out[ARRAYS])
{
    const size_t vector = 3 * sizeof(double);
    out[0] = (node_array){ (void **)&w->rest, vector };
    out[1] = (node_array){ (void **)&w->state.q, vector };
    out[2] = (node_array){ (void **)&w->state.v, vector };
    out[3] = (node_array){ (void **)&w->state.q_previous, vector };
    out[4] = (node_array){ (void **)&w->state.v_previous, vector };
    out[5] = (node_array){ (void **)&w->state.force, vector };
    out[6] = (node_array){ (void **)&w->mass, sizeof(double) };
    out[7] = (node_array){ (void **)&w->fixed, 1 };
    out[8] = (node_array){ (void **)&w->placed, vector };
}

bool vv_nodes_reserve(vvWorld *w, size_t need)
{
    if (need <= w->node_capacity && w->rest)
        return true;
    node_array list[ARRAYS];
    void *grown[ARRAYS];
    size_t capacity = w->node_capacity + w->node_capacity / 2 + 16;
    bool ok = true;
    if (capacity < need)
        capacity = need;
    list_arrays(w, list);
    for (int i = 0; i < ARRAYS; i++) {
        grown[i] = ok ? vv_alloc(capacity, list[i].size) : NULL;
        ok = ok && grown[i];
    }
    for (int i = 0; i < ARRAYS; i++) {
        if (!ok) {
            vv_free(grown[i]);
            continue;
        }
        if (w->nodes)
            memcpy(grown[i], *list[i].array, (size_t)w->nodes * list[i].size);
        vv_free(*list[i].array);
        *list[i].array = grown[i];
    }
    if (ok)
        w->node_capacity = capacity;
    return ok;
}

void vv_nodes_remove(vvWorld *w, int first, int count)
{
    node_array list[ARRAYS];
    size_t left = (size_t)(w->nodes - first - count);
    list_arrays(w, list);
    for (int i = 0; i < ARRAYS; i++) {
        char *base = *list[i].array;
        memmove(base + (size_t)first * list[i].size, base + (size_t)(first + count) * list[i].size,
                left * list[i].size);
    }
    w->nodes -= count;
}

void vv_nodes_free(vvWorld *w)
{
    node_array list[ARRAYS];
    list_arrays(w, list);
    for (int i = 0; i < ARRAYS; i++) {
        vv_free(*list[i].array);
        *list[i].array = NULL;
    }
    w->nodes = 0;
    w->node_capacity = 0;
}

/* ---- reading them ---- */

int vvWorldNodeCount(const vvWorld *w) { return vv_world_readable(w) ? w->nodes : 0; }
const double *vvWorldPositions(const vvWorld *w) { return vv_world_readable(w) ? w->state.q : NULL; }
const double *vvWorldVelocities(const vvWorld *w) { return vv_world_readable(w) ? w->state.v : NULL; }
const double *vvWorldMasses(const vvWorld *w) { return vv_world_readable(w) ? w->mass : NULL; }
double vvWorldTime(const vvWorld *w) { return vv_world_readable(w) ? vv_world_time(w) : 0; }
int64_t vvWorldStepIndex(const vvWorld *w) { return vv_world_readable(w) ? w->state.clock.step : 0; }

const double *vvWorldBodyEnergies(const vvWorld *w)
{
    return vv_world_readable(w) && w->started ? w->state.body_energy : NULL;
}
const vvVisible *vvWorldBodyVisible(const vvWorld *w)
{
    return vv_world_readable(w) && w->started ? w->state.body_visible : NULL;
}

void vvWorldVisibleVelocities(const vvWorld *w, double *velocities)
{
    if (!velocities || !vv_world_readable(w))
        return;
    for (size_t b = 0; b < w->body_count; b++) {
        const vv_body *body = w->bodies + b;
        bool moved = (body->stage & VV_BODY_MOVED) && w->state.span > 0;
        for (size_t i = 3 * (size_t)body->first; i < 3 * (size_t)(body->first + body->count); i++)
            velocities[i] = moved ? (w->state.q[i] - w->state.q_previous[i]) / w->state.span : w->state.v[i];
    }
}

static vvStatus measure_visible(const vvWorld *w, const double *from, double seconds, vvVisible *whole,
                                vvVisible *bodies, vvError *error)
{
    if (!from || !(seconds > 0 && seconds < INFINITY))
        return vv_fail(error, VV_ERROR_INPUT,
                       "vvWorldMeasureVisible needs positions and a time above 0 s, found %s and %g s",
                       from ? "positions" : "NULL", seconds);
    const vv_displacement d = { .from = from, .to = w->state.q, .seconds = seconds };
    vvVisible sum = { 0 };
    for (size_t b = 0; b < w->body_count; b++) {
        const vv_body *body = w->bodies + b;
        const vv_rigid_motion rigid = vv_rigid_motion_of(&d, w->mass, body->first, body->count);
        const vvVisible own = vv_visible_of(&d, w->mass, body->first, body->count, &rigid);
        vv_visible_add(&sum, own);
        if (bodies)
            bodies[b] = own;
    }
    if (whole)
        *whole = sum;
    return VV_OK;
}

vvStatus vvWorldMeasureVisible(const vvWorld *w, const double *from, double seconds, vvVisible *whole,
                               vvVisible *bodies, vvError *error)
{
    VV_WORLD_CALL(w, error, measure_visible(w, from, seconds, whole, bodies, error));
}

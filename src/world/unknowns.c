/* The unknowns of a world that is baked: free nodes of bodies that are awake, body by body, along a Morton curve of
 * their rest positions. */
#include "base/error.h"
#include "base/memory.h"
#include "world/world.h"

#include <math.h>
#include <stdlib.h>

typedef struct keyed {
    uint64_t key;
    int node;
} keyed;

static int compare_keyed(const void *a, const void *b)
{
    const keyed *p = a, *q = b;
    if (p->key != q->key)
        return p->key < q->key ? -1 : 1;
    return (p->node > q->node) - (p->node < q->node);
}

static uint64_t spread_bits(uint64_t x)
{
    x &= 0x1fffff;
    x = (x | x << 32) & 0x1f00000000ffffu;
    x = (x | x << 16) & 0x1f0000ff0000ffu;
    x = (x | x << 8) & 0x100f00f00f00f00fu;
    x = (x | x << 4) & 0x10c30c30c30c30c3u;
    return (x | x << 2) & 0x1249249249249249u;
}

static void body_keys(const vvWorld *w, const vv_body *b, keyed *keys)
{
    double lo[3] = { INFINITY, INFINITY, INFINITY }, size = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = b->first; i < b->first + b->count; i++)
            for (int k = 0; k < 3; k++) {
                double x = w->rest[3 * (size_t)i + k];
                if (pass == 0)
                    lo[k] = fmin(lo[k], x);
                else
                    size = fmax(size, x - lo[k]);
            }
    for (int i = b->first; i < b->first + b->count; i++) {
        uint64_t key = 0;
        for (int k = 0; k < 3; k++) {
            double s = size > 0 ? (w->rest[3 * (size_t)i + k] - lo[k]) / size : 0;
            key |= spread_bits((uint64_t)(s * 2097151)) << k;
        }
        keys[i - b->first] = (keyed){ key, i };
    }
    qsort(keys, (size_t)b->count, sizeof *keys, compare_keyed);
}

static vvStatus find_starts(vvWorld *w, vvError *error)
{
    w->body_start = vv_alloc(w->body_count + 1, sizeof *w->body_start);
    if (!w->body_start)
        return vv_fail_memory(error, "where bodies start");
    for (size_t b = 0; b < w->body_count; b++)
        w->body_start[b] = w->bodies[b].first;
    w->body_start[w->body_count] = w->nodes;
    return VV_OK;
}

vvStatus vv_world_number_unknowns(vvWorld *w, vvError *error)
{
    size_t n = (size_t)w->nodes;
    w->unknown = vv_alloc(n, sizeof *w->unknown);
    w->node = vv_alloc(n, sizeof *w->node);
    w->body_of = vv_alloc(n, sizeof *w->body_of);
    w->clump = vv_alloc(w->body_count, sizeof *w->clump);
    keyed *keys = vv_alloc(n, sizeof *keys);
    if (!w->unknown || !w->node || !w->body_of || !w->clump || !keys) {
        vv_free(keys);
        return vv_fail_memory(error, "the unknowns");
    }
    for (size_t i = 0; i < n; i++)
        w->unknown[i] = w->fixed[i] ? -1 : 0;
    int count = 0, clumps = 0;
    for (size_t b = 0; b < w->body_count; b++) {
        const int begin = count;
        for (int i = w->bodies[b].first; i < w->bodies[b].first + w->bodies[b].count; i++)
            w->body_of[i] = (int)b;
        const bool sleeps = w->state.body_sleep[b].asleep != 0;
        w->events.reloaded |= w->bodies[b].left_out && !sleeps; /* what it lies on does not begin to touch it */
        w->bodies[b].left_out = sleeps;
        for (int i = 0; w->bodies[b].left_out && i < w->bodies[b].count; i++)
            w->unknown[w->bodies[b].first + i] = -1;
        if (w->bodies[b].kinematic || w->bodies[b].left_out)
            continue;
        body_keys(w, w->bodies + b, keys);
        for (int i = 0; i < w->bodies[b].count; i++)
            if (w->unknown[keys[i].node] >= 0) {
                w->node[count] = keys[i].node;
                w->unknown[keys[i].node] = count++;
            }
        if (w->bodies[b].solid_volume > 0 && count - begin == w->bodies[b].count)
            w->clump[clumps++] = begin;
    }
    vv_free(keys);
    vv_system *s = &w->system;
    s->nodes = w->nodes;
    s->unknowns = count;
    s->unknown = w->unknown;
    s->node = w->node;
    s->body = w->body_of;
    s->bodies = (int)w->body_count;
    s->mass = w->mass;
    s->rest = w->rest;
    s->clump = w->clump, s->clumps = clumps;
    s->kept = &w->kept;
    if (!vv_costs_begin(w))
        return vv_fail_memory(error, "counting iterations");
    s->par = w->par;
    vvStatus status = vv_world_make_rails(w, error);
    return status == VV_OK ? find_starts(w, error) : status;
}

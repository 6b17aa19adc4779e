/* The places where bodies begin, at which contact measures the gaps between them (contact/surfaces/gaps.h): those from
 * which a body takes its first step. They are kept, and saved with the state, since contact is rebuilt whenever
 * something changes, long after the bodies have left them.
 *
 * After vvWorldSettle a world keeps the places from before: bodies that carry each other are pressed together, and
 * would not be if contact acted only below the settled gap. Placing a body again ends that. States of rest set by a
 * host: world/resting.c. */
#include "world/world.h"

#include <string.h>

/* Puts `x` there; whether it is new. */
static bool put(vvWorld *w, size_t node, const double x[3])
{
    double *placed = w->placed + 3 * node;
    const bool differs = memcmp(placed, x, 3 * sizeof *x) != 0;
    if (differs)
        memcpy(placed, x, 3 * sizeof *x);
    return differs;
}

static bool begins(const vv_body *b) { return !(b->stage & VV_BODY_STEPPED); }

static bool take_prescribed(vvWorld *w)
{
    bool any = false;
    for (size_t a = 0; a < w->attach_count; a++) {
        const vv_attach *attach = w->attaches + a;
        if (attach->kind != VV_ATTACH_FIXED || !begins(w->bodies + attach->body))
            continue;
        for (int i = 0; i < attach->count; i++) {
            double x[3];
            vv_attach_position(w, attach, i, vv_world_time(w), x);
            any = put(w, (size_t)attach->nodes[i], x) || any;
        }
    }
    return any;
}

/* Whether anything has come in since the last step: gaps are measured between that and all there is. */
static bool newcomers(const vvWorld *w)
{
    const int64_t now = w->state.clock.step;
    bool any = false;
    for (size_t b = 0; b < w->body_count; b++)
        any = any || w->bodies[b].stay.from == now;
    for (size_t o = 0; o < w->obstacle_count; o++)
        any = any || w->obstacles[o].since == now;
    return any;
}

/* Notes which bodies no longer stand where they began. */
static bool note_gone(vvWorld *w)
{
    bool any = false;
    for (size_t i = 0; i < w->body_count; i++) {
        vv_body *b = w->bodies + i;
        const size_t first = 3 * (size_t)b->first, bytes = 3 * (size_t)b->count * sizeof(double);
        if (begins(b) || b->stay.to || memcmp(w->placed + first, w->state.q + first, bytes) == 0)
            continue;
        b->stay.to = w->state.clock.step;
        any = true;
    }
    return any;
}

bool vv_world_take_places(vvWorld *w)
{
    bool any = false;
    if (w->settled)
        return false;
    for (size_t b = 0; b < w->body_count; b++)
        for (int i = w->bodies[b].first; begins(w->bodies + b) && i < w->bodies[b].first + w->bodies[b].count; i++)
            if (!w->fixed[i])
                any = put(w, (size_t)i, w->state.q + 3 * (size_t)i) || any;
    any = take_prescribed(w) || any;
    return w->state.clock.step > 0 && newcomers(w) ? note_gone(w) || any : any;
}

uint64_t vv_world_places(const vvWorld *w)
{
    uint64_t hash = vv_bytes_hash(w->placed, 3 * (size_t)w->nodes * sizeof *w->placed);
    for (size_t b = 0; b < w->body_count; b++)
        hash = hash * 6364136223846793005u + vv_bytes_hash(&w->bodies[b].stay, sizeof w->bodies[b].stay) +
               (w->bodies[b].stage & VV_BODY_RESTS);
    for (size_t o = 0; o < w->obstacle_count; o++)
        hash = hash * 6364136223846793005u + (uint64_t)w->obstacles[o].since;
    return hash;
}

bool vv_world_places_differ(const vvWorld *w) { return w->contact && w->contact->places != vv_world_places(w); }

/* The public side of contact events and contact points: a world that is asked is baked first. */
#include "base/error.h"
#include "base/memory.h"
#include "world/world.h"

#include <string.h>

/* 1, -1: the point presses the pair's body along its normal, or against it; 0: it is of others. */
static int side_in(const vvContactPoint *p, const vvContactPair *pair)
{
    const vvBodyId bodies[2] = { p->side.body, p->other.body };
    if (pair->obstacle.index1 || p->obstacle.index1)
        return p->obstacle.index1 == pair->obstacle.index1 && bodies[0].index1 == pair->body.index1;
    for (int k = 0; k < 2; k++)
        if (bodies[k].index1 == pair->body.index1 && bodies[1 - k].index1 == pair->other.index1)
            return k ? -1 : 1;
    return 0;
}

/* Points of a pair mostly follow each other: `at` is where the last one was found. */
static void add_impulse(vv_events *e, const vvContactPoint *p, double seconds, size_t *at)
{
    for (size_t i = 0; i < e->touching.count; i++) {
        const size_t pair = (*at + i) % e->touching.count;
        const int side = side_in(p, e->touching.list + pair);
        for (int k = 0; side != 0 && k < 3; k++)
            e->impulses[3 * pair + (size_t)k] += side * seconds * p->force * p->normal[k];
        if (side == 0)
            continue;
        *at = pair;
        return;
    }
}

/* *impulses stays NULL where the world is not as the last step has left it. */
static vvStatus find_impulses(vvWorld *w, const double **impulses, vvError *error)
{
    vv_events *e = &w->events;
    size_t points = 0, at = 0;
    if (!w->baked || w->stale || e->stepped == 0 || e->stepped != w->moved)
        return VV_OK;
    if (!vv_grow((void **)&e->impulses, &e->impulse_capacity, 3 * e->touching.count + 1, sizeof *e->impulses))
        return vv_fail_memory(error, "the contact events");
    vvStatus status = vv_world_find_points(w, &points, error);
    if (status != VV_OK)
        return status;
    memset(e->impulses, 0, 3 * e->touching.count * sizeof *e->impulses);
    for (size_t i = 0; i < points; i++)
        add_impulse(e, e->points + i, w->state.span, &at);
    *impulses = e->impulses;
    return VV_OK;
}

static vvStatus get_events(vvWorld *w, vvContactEvents *events, vvError *error)
{
    vv_events *e = &w->events;
    if (!events)
        return vv_fail(error, VV_ERROR_INPUT, "vvWorldContactEvents needs a pointer for the events, found NULL");
    *events = (vvContactEvents){ 0 };
    if (e->reloaded) {
        vvStatus status = vv_world_bake(w, error);
        if (status == VV_OK)
            status = vv_events_before_step(w, error);
        if (status != VV_OK)
            return status;
    }
    if (e->failed)
        vv_events_after_step(w); /* the marks are still those of the last step */
    if (e->failed)
        return vv_fail_memory(error, "the contact events");
    *events = (vvContactEvents){ (int)e->began.count,
                                 (int)e->ended.count,
                                 (int)e->touching.count,
                                 e->began.list,
                                 e->ended.list,
                                 e->touching.list,
                                 NULL };
    return find_impulses(w, &events->impulses, error);
}

vvStatus vvWorldContactEvents(vvWorld *w, vvContactEvents *events, vvError *error)
{
    VV_WORLD_CALL(w, error, get_events(w, events, error));
}

vvStatus vv_world_contact_points(vvWorld *w, const vvContactPoint **points, int *count, vvError *error)
{
    size_t found = 0;
    if (!points || !count)
        return vv_fail(error, VV_ERROR_INPUT, "vvWorldContactPoints needs pointers for points and count, found NULL");
    *points = NULL;
    *count = 0;
    vvStatus status = vv_world_bake(w, error);
    if (status == VV_OK)
        status = vv_world_find_points(w, &found, error);
    if (status != VV_OK)
        return status;
    *points = w->events.points;
    *count = (int)found;
    return VV_OK;
}

vvStatus vvWorldContactPoints(vvWorld *w, const vvContactPoint **points, int *count, vvError *error)
{
    VV_WORLD_CALL(w, error, vv_world_contact_points(w, points, count, error));
}

/* The public side of contact events and contact points: a world that is asked is baked first. */
#include "base/error.h"
#include "base/memory.h"
#include "world/world.h"

static vvStatus get_events(vvWorld *w, vvContactEvents *events, vvError *error)
{
    vv_events *e = &w->events;
    if (!events)
        return vv_fail(error, VV_ERROR_INPUT, "vvWorldContactEvents wants a place for the events, found NULL");
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
    *events = (vvContactEvents){ (int)e->began.count, (int)e->ended.count, (int)e->touching.count,
                                 e->began.list,       e->ended.list,       e->touching.list };
    return VV_OK;
}

vvStatus vvWorldContactEvents(vvWorld *w, vvContactEvents *events, vvError *error)
{
    VV_WORLD_CALL(w, error, get_events(w, events, error));
}

vvStatus vv_world_contact_points(vvWorld *w, const vvContactPoint **points, int *count, vvError *error)
{
    size_t found = 0;
    if (!points || !count)
        return vv_fail(error, VV_ERROR_INPUT, "vvWorldContactPoints wants places for points and count, found NULL");
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

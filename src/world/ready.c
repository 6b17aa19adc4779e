/* Makes a world ready to step if it is not: bakes what has changed, then starts or rejoins the run. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "world/sleep/sleep.h"

/* Bodies whose joint broke are found apart; nothing is booked, and the ground level stays. */
static vvStatus regroup(vvWorld *w, vvError *error)
{
    vvStatus status = vv_world_regroup(w, error);
    if (status != VV_OK)
        vv_world_unbake(w);
    return status;
}

vvStatus vv_world_bake(vvWorld *w, vvError *error)
{
    vvStatus status = vv_world_open(w, "step or bake", error);
    if (status == VV_OK && vv_attach_release_due(w))
        vv_world_changed_apart(w);
    if (status == VV_OK && vv_sleep_differs(w))
        vv_world_unbake(w);
    if (status == VV_OK && w->baked && w->contact && w->contact->rigid_bodies != vv_world_rigid_bodies(w))
        vv_world_part_changed_apart(w, VV_STALE_CONTACT); /* a host moves one node by node from now on */
    if (status == VV_OK && w->baked && w->torn)
        status = regroup(w, error);
    if (status != VV_OK || (w->baked && !w->stale))
        return status;
    if (w->body_count == 0 && !w->started)
        return vv_fail(error, VV_ERROR_INPUT, "the world has no bodies; add one before the first step");
    bool anew = !w->baked && w->state.clock.step > 0;
    double begin = vv_seconds();
    /* before there are solvers that may have learned more than there is room for */
    if (!vv_world_reserve_memory(w, w->nodes))
        status = vv_fail_memory(error, "what the solver learns");
    if (status == VV_OK)
        status = w->baked ? vv_world_renew(w, error) : vv_world_build(w, error);
    if (status == VV_OK)
        status = w->started ? vv_world_rejoin(w, error) : vv_world_start(w, error);
    w->moved++; /* new bodies and prescribed nodes are in place now */
    if (status != VV_OK) {
        vv_world_unbake(w);
        return status;
    }
    if (anew)
        vv_world_log(w, VV_LOG_INFO, "rebuilt after a change: %d nodes, %d unknowns, %.3g s", w->nodes,
                     w->system.unknowns, vv_seconds() - begin);
    bool whole = !w->baked;
    w->baked = w->started = true;
    w->stale = w->stale_kinds = w->stale_rayleigh = 0;
    w->unbooked = false;
    if (whole && w->memory.valid)
        vv_world_recall_memory(w);
    else
        vv_world_keep_memory(w);
    return VV_OK;
}

void vv_world_catch_up(vvWorld *w)
{
    if (w->baked && w->stale && !(w->stale & ~(unsigned)(VV_STALE_CONTACT | VV_STALE_OBSTACLES)))
        vv_world_bake(w, NULL);
}

vvStatus vvWorldBake(vvWorld *w, vvError *error) { VV_WORLD_CALL(w, error, vv_world_bake(w, error)); }

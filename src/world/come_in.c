/* A world that is baked comes in: at the start of a run, or into one that goes on after a change. Prescribed nodes take
 * their places, modes are added, contact is rebuilt where bodies begin elsewhere than it was made for, and what
 * stands is checked. */
#include "base/error.h"
#include "base/memory.h"
#include "world/analysis/analysis.h"
#include "world/start.h"

#include <string.h>

/* Keeps what a start may overwrite, so that a start that fails leaves no trace. */
typedef struct backup {
    double *memory;
    double *vector[4];
} backup;

static vvStatus save_vectors(const vvWorld *w, backup *b, vvError *error)
{
    size_t n = 3 * (size_t)w->nodes;
    double *vectors[4] = { w->state.q, w->state.v, w->state.q_previous, w->state.v_previous };
    memcpy(b->vector, vectors, sizeof vectors);
    b->memory = vv_alloc(4 * n, sizeof(double));
    for (size_t i = 0; b->memory && i < 4; i++)
        memcpy(b->memory + i * n, vectors[i], n * sizeof(double));
    return b->memory ? VV_OK : vv_fail_memory(error, "the start");
}

static void restore_vectors(const vvWorld *w, const backup *b)
{
    size_t n = 3 * (size_t)w->nodes;
    for (size_t i = 0; i < 4; i++)
        memcpy(b->vector[i], b->memory + i * n, n * sizeof(double));
}

static vvStatus start(vvWorld *w, vvError *error)
{
    vv_start_place_prescribed(w);
    vvStatus status = w->mode_count ? vv_apply_modes(w, error) : VV_OK;
    if (status == VV_OK && vv_world_take_places(w) && w->contact)
        status = vv_world_remake_contact(w, error);
    if (status == VV_OK)
        vv_world_choose_stiffness(w); /* with the velocities of the start */
    if (status == VV_OK && !w->restoring && !w->settled)
        status = vv_world_find_resting(w, error);
    if (status == VV_OK)
        status = vv_world_check_positions(w, w->state.q, error);
    if (status == VV_OK)
        status = vv_world_advise_fits(w, error);
    if (status == VV_OK && !w->restoring)
        status = vv_start_want_ground(w, error);
    if (status != VV_OK)
        return status;
    vv_world_regard_ground(w);
    status = w->restoring ? VV_OK : vv_start_check_decay(w, w->state.ledger.ground, error);
    if (status == VV_OK)
        vv_start_count(w);
    return status;
}

/* Whether what was made again could forbid the present positions. */
static bool may_forbid(const vvWorld *w)
{
    return !w->baked || w->stale & (VV_STALE_OBSTACLES | VV_STALE_SPRINGS | VV_STALE_POTENTIALS | VV_STALE_ELASTIC |
                                    VV_STALE_CONTACT);
}

/* Where only obstacles are new, surfaces are as the last step left them, and need no search. */
static bool fits_obstacles(const vvWorld *w)
{
    return w->baked && w->stale == VV_STALE_OBSTACLES && vv_system_energy(&w->system, w->state.q) < INFINITY;
}

static vvStatus rejoin(vvWorld *w, vvError *error)
{
    if (w->unbooked)
        vv_start_place_prescribed(w);
    else /* a restored state: nothing in it changes */
        vv_world_place_springs(w, vv_world_time(w));
    vvStatus status = w->mode_count ? vv_apply_modes(w, error) : VV_OK;
    if (status == VV_OK && w->unbooked && vv_world_take_places(w) && w->contact)
        status = vv_world_remake_contact(w, error);
    if (status == VV_OK && may_forbid(w) && !fits_obstacles(w))
        status = vv_world_check_allowed(w, w->state.q, error);
    if (status == VV_OK && w->unbooked)
        status = vv_world_advise_fits(w, error);
    if (status != VV_OK)
        return status;
    vv_world_regard_ground(w);
    vv_stepper_forget(w->stepper);
    if (!w->unbooked)
        return VV_OK;
    for (size_t b = 0; b < w->body_count; b++)
        if (!(w->bodies[b].stage & VV_BODY_STEPPED))
            vv_world_invent_past(w, (int)b);
    vv_start_begin_gravity(w, &w->state.ledger.gravity_start);
    vv_stepper_book_change(w->stepper);
    return VV_OK;
}

static vvStatus come_in(vvWorld *w, vvStatus (*in)(vvWorld *, vvError *), vvError *error)
{
    backup before;
    vvStatus status = save_vectors(w, &before, error);
    if (status != VV_OK)
        return status;
    status = in(w, error);
    if (status != VV_OK)
        restore_vectors(w, &before);
    vv_free(before.memory);
    if (status == VV_OK && w->mode_count > 0) { /* they are part of the state now */
        w->mode_count = 0;
        vv_world_unshare(w);
    }
    return status;
}

vvStatus vv_world_start(vvWorld *w, vvError *error) { return come_in(w, start, error); }

vvStatus vv_world_rejoin(vvWorld *w, vvError *error) { return come_in(w, rejoin, error); }

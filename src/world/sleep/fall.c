/* Who falls asleep; and what hosts are told of it. */
#include "base/error.h"
#include "base/groups.h"
#include "base/vec.h"
#include "visviva/interact.h"
#include "world/attachments/attach.h"
#include "world/sleep/sleep.h"

#include <string.h>

static bool is_slow(const vvWorld *w, const vv_body *body)
{
    const double most = w->def.solver.sleepSpeed * vv_body_length(w, body);
    bool slow = !body->kinematic;
    for (size_t i = (size_t)body->first; slow && i < (size_t)(body->first + body->count); i++) {
        double way[3];
        vv_sub(w->state.q + 3 * i, w->state.q_previous + 3 * i, way);
        slow = vv_norm(w->state.v + 3 * i) <= most && vv_norm(way) <= most * w->state.span;
    }
    return slow;
}

/* How long each body has been slow. */
static void count_slow(vvWorld *w)
{
    for (int b = 0; b < (int)w->body_count; b++)
        if (!vv_sleep_is(w, b))
            w->state.body_sleep[b].slow = is_slow(w, w->bodies + b) ? w->state.body_sleep[b].slow + w->state.span : 0;
}

static bool is_ready(const vvWorld *w, int b)
{
    static const double ROUNDING = 1e-9;
    return w->state.body_sleep[b].slow >= w->def.solver.sleepAfter * (1 - ROUNDING) && !vv_sleep_is_stirred(w, b);
}

/* Which awake bodies lie together, and what keeps them from sleep. */
static void find_groups(vvWorld *w)
{
    const int count = (int)w->body_count;
    vv_sleep_room *r = &w->sleep;
    vv_groups_clear(r->group, count);
    memset(r->mark, 0, w->body_count);
    for (int a = 0; a < count; a++) {
        if (vv_sleep_is(w, a) || w->bodies[a].frame)
            continue;
        vv_sleep_box(w, a, w->state.q, w->bodies[a].kinematic ? r->ahead : NULL, 0, r->box[a]);
        for (int b = 0; b < a && !w->bodies[a].kinematic; b++)
            if (!vv_sleep_is(w, b) && !w->bodies[b].kinematic && vv_boxes_meet(r->box[a], r->box[b]))
                vv_groups_join(r->group, a, b);
    }
    for (size_t j = 0; j < w->joint_count; j++) {
        const int a = w->joints[j].body[0], b = w->joints[j].body[1];
        if (a >= 0 && b >= 0 && !w->bodies[a].kinematic && !w->bodies[b].kinematic)
            vv_groups_join(r->group, a, b);
    }
}

static bool keeps_up(const vvWorld *w, int b)
{
    if (!is_ready(w, b))
        return true;
    for (int k = 0; k < (int)w->body_count; k++)
        if (w->bodies[k].kinematic && !w->bodies[k].frame && vv_sleep_moves(w, k, w->sleep.ahead) &&
            vv_boxes_meet(w->sleep.box[b], w->sleep.box[k]))
            return true;
    for (size_t o = 0; o < w->obstacle_count; o++)
        if (vv_sleep_obstacle_moves(w, w->obstacles + o) &&
            vv_sleep_reaches(w, w->obstacles + o, w->state.q, w->sleep.ahead, w->sleep.box[b]))
            return true;
    return false;
}

/* What each body's contacts hold, J; half of those with another body that is not kinematic. */
static void share_contact(vvWorld *w)
{
    memset(w->sleep.share, 0, w->body_count * sizeof *w->sleep.share);
    for (int i = 0; i < w->system.energies; i++) {
        vv_energy *e = w->system.energy[i];
        if (e->ops->row != VV_ROW_CONTACT)
            continue;
        vv_energy_update(e, &w->system.par, w->state.q);
        e->ops->value(e, &w->system.par, w->state.q, w->sleep.share);
    }
}

static void let_sleep(vvWorld *w, int b)
{
    w->state.body_sleep[b].asleep = VV_CALLED; /* until the world is made without it */
    w->state.body_sleep[b].elastic = w->state.body_energy[b];
    w->state.body_sleep[b].contact = w->sleep.share[b];
}

static void stop(vvWorld *w, int b)
{
    const vv_body *body = w->bodies + b;
    const size_t at = 3 * (size_t)body->first, bytes = 3 * (size_t)body->count * sizeof *w->state.v;
    w->state.body_sleep[b].asleep = VV_ASLEEP;
    memset(w->state.v + at, 0, bytes);
    memset(w->state.v_previous + at, 0, bytes);
    memcpy(w->state.q_previous + at, w->state.q + at, bytes);
}

/* Those of one group fall asleep at once. Returns how many. */
static int choose(vvWorld *w)
{
    const int count = (int)w->body_count;
    vv_sleep_room *r = &w->sleep;
    int chosen = 0;
    for (int b = 0; b < count; b++)
        if (!vv_sleep_is(w, b) && !w->bodies[b].kinematic && keeps_up(w, b))
            r->mark[vv_groups_find(r->group, b)] = 1;
    for (int b = 0; b < count; b++) {
        if (vv_sleep_is(w, b) || w->bodies[b].kinematic || r->mark[vv_groups_find(r->group, b)])
            continue;
        if (chosen++ == 0)
            share_contact(w);
        let_sleep(w, b);
    }
    return chosen;
}

/* Where nobody has been slow for long enough nothing else is looked at. */
static bool any_ready(const vvWorld *w)
{
    for (int b = 0; b < (int)w->body_count; b++)
        if (!vv_sleep_is(w, b) && !w->bodies[b].kinematic && is_ready(w, b))
            return true;
    return false;
}

/* Those who were to fall asleep stay awake: for good where memory is short, else until the next step begins. */
static void stay_awake(vvWorld *w, bool for_good)
{
    for (int b = 0; b < (int)w->body_count; b++)
        if (w->state.body_sleep[b].asleep == VV_CALLED)
            w->state.body_sleep[b] = (vv_sleep){ .slow = for_good ? 0 : w->state.body_sleep[b].slow };
    w->sleep.waits = !for_good;
}

/* VV_CANCELLED: not yet. */
static vvStatus fall_asleep(vvWorld *w, vvError *error)
{
    vv_sleep_look_ahead(w);
    if (!any_ready(w) || vv_attach_release_waits(w)) /* what is let go of now belongs to the next step */
        return VV_OK;
    find_groups(w);
    const int chosen = choose(w);
    if (chosen == 0)
        return VV_OK;
    const vvStatus status = vv_world_bake(w, error);
    if (status != VV_OK) {
        stay_awake(w, status != VV_CANCELLED);
        return status == VV_CANCELLED ? status : VV_OK;
    }
    for (int b = 0; b < (int)w->body_count; b++)
        if (w->state.body_sleep[b].asleep == VV_CALLED)
            stop(w, b);
    vv_stepper_book_sleep(w->stepper);
    w->events.reloaded = true; /* what they touch is not known while they sleep */
    vv_world_log(w, VV_LOG_INFO, "%d bodies fall asleep", chosen);
    return VV_OK;
}

void vv_sleep_after_step(vvWorld *w)
{
    w->sleep.waits = false;
    if (!(w->def.solver.sleepAfter > 0))
        return;
    count_slow(w);
    if (fall_asleep(w, NULL) == VV_CANCELLED)
        vv_stop_defer(&w->stop);
}

vvStatus vv_sleep_catch_up(vvWorld *w, vvError *error)
{
    bool waits = w->sleep.waits && w->def.solver.sleepAfter > 0;
    w->sleep.waits = false;
    for (int b = 0; waits && b < (int)w->body_count; b++) /* the host may have set one in motion */
        waits = vv_sleep_is(w, b) || w->bodies[b].kinematic || !is_ready(w, b) || is_slow(w, w->bodies + b);
    return waits ? fall_asleep(w, error) : VV_OK;
}

/* ---- for hosts ---- */

bool vvBodyAsleep(const vvWorld *w, vvBodyId id)
{
    const int body = vv_body_read(w, id);
    return body >= 0 && vv_sleep_is(w, body);
}

static vvStatus wake(vvWorld *w, vvBodyId id, vvError *error)
{
    const int body = vv_body_index(w, id);
    if (body < 0)
        return vv_fail(error, VV_ERROR_INPUT, "vvBodyWake: no such body; was it removed before?");
    vvStatus status = vv_world_open(w, "wake a body", error);
    if (status == VV_OK)
        vv_sleep_wake(w, body);
    return status;
}

vvStatus vvBodyWake(vvWorld *w, vvBodyId id, vvError *error) { VV_WORLD_CALL(w, error, wake(w, id, error)); }

/* Who sleeps, and what wakes it. */
#include "world/sleep/sleep.h"

#include "base/error.h"
#include "base/vec.h"

#include <string.h>

bool vv_sleep_any(const vvWorld *w)
{
    for (size_t b = 0; b < w->body_count; b++)
        if (vv_sleep_is(w, (int)b))
            return true;
    return false;
}

bool vv_sleep_differs(const vvWorld *w)
{
    for (size_t b = 0; w->baked && b < w->body_count; b++)
        if (vv_sleep_is(w, (int)b) != w->bodies[b].left_out)
            return true;
    return false;
}

vvStatus vv_sleep_refuse(const vvWorld *w, int body, const char *what, vvError *error)
{
    for (int b = 0; b < (int)w->body_count; b++)
        if (vv_sleep_is(w, b) && (body < 0 || b == body))
            return vv_fail(error, VV_ERROR_INPUT,
                           "%s: body \"%s\" sleeps (solver.sleep_after), and its elements and contacts are left out "
                           "meanwhile; wake it first (vvBodyWake)",
                           what, w->bodies[b].name);
    return VV_OK;
}

/* ---- waking ---- */

static void rouse(vvWorld *w, int body) { w->state.body_sleep[body] = (vv_sleep){ 0 }; }

void vv_sleep_wake_all(vvWorld *w)
{
    for (int b = 0; b < (int)w->body_count; b++)
        if (vv_sleep_is(w, b))
            rouse(w, b);
}

static bool are_joined(const vvWorld *w, int a, int b)
{
    for (size_t j = 0; j < w->joint_count; j++)
        if ((w->joints[j].body[0] == a && w->joints[j].body[1] == b) ||
            (w->joints[j].body[0] == b && w->joints[j].body[1] == a))
            return true;
    return false;
}

/* The next of those that are to wake, or -1. */
static int next_called(const vvWorld *w)
{
    for (int b = 0; b < (int)w->body_count; b++)
        if (w->state.body_sleep[b].asleep == VV_CALLED)
            return b;
    return -1;
}

/* All that sleeps in touch with it, and in touch with that. Without memory of its own: it may be called at any time. */
static void rouse_around(vvWorld *w, int body)
{
    for (int from = body; from >= 0; from = next_called(w)) {
        double box[6], other[6];
        rouse(w, from);
        vv_sleep_box(w, from, w->state.q, NULL, 0, box);
        for (int b = 0; b < (int)w->body_count; b++) {
            if (w->state.body_sleep[b].asleep != VV_ASLEEP)
                continue;
            vv_sleep_box(w, b, w->state.q, NULL, 0, other);
            if (vv_boxes_meet(box, other) || are_joined(w, from, b))
                w->state.body_sleep[b].asleep = VV_CALLED;
        }
    }
}

void vv_sleep_wake(vvWorld *w, int body)
{
    if (!vv_sleep_is(w, body))
        return;
    rouse_around(w, body);
}

void vv_sleep_wake_near(vvWorld *w, int body) { rouse_around(w, body); }

void vv_sleep_wake_at(vvWorld *w, const vv_obstacle *o)
{
    double box[6];
    for (int b = 0; b < (int)w->body_count; b++) {
        if (!vv_sleep_is(w, b))
            continue;
        vv_sleep_box(w, b, w->state.q, NULL, 0, box);
        if (vv_sleep_reaches(w, o, w->state.q, NULL, box))
            vv_sleep_wake(w, b);
    }
}

/* ---- before and in a step ---- */

/* Marks what stands in the way of the others to `to`; whether anything does. wider: m, how far those may miss it. */
static bool find_in_way(vvWorld *w, const double *to, double wider)
{
    double way[6];
    bool any = false;
    memset(w->sleep.mark, 0, w->body_count);
    for (int b = 0; b < (int)w->body_count; b++)
        if (vv_sleep_is(w, b))
            vv_sleep_box(w, b, w->state.q, NULL, 0, w->sleep.box[b]);
    for (int a = 0; a < (int)w->body_count; a++) {
        const vv_body *body = w->bodies + a;
        if (vv_sleep_is(w, a) || body->frame || (body->kinematic && !vv_sleep_moves(w, a, to)))
            continue;
        vv_sleep_box(w, a, w->state.q, to, body->kinematic ? 0 : wider, way);
        for (int b = 0; b < (int)w->body_count; b++)
            if (vv_sleep_is(w, b) && vv_boxes_meet(way, w->sleep.box[b]))
                w->sleep.mark[b] = any = true;
    }
    return any;
}

void vv_sleep_wake_marked(vvWorld *w)
{
    w->sleep.woken = false; /* a try that ends before it looks again is the last */
    for (int b = 0; b < (int)w->body_count; b++)
        if (w->sleep.mark[b])
            vv_sleep_wake(w, b);
}

vvStatus vv_sleep_clear_way(vvWorld *w, int body, const double *positions, vvError *error)
{
    const vv_body *b = w->bodies + body;
    if (!positions || !vv_sleep_any(w))
        return VV_OK;
    if (!vv_sleep_reserve(w))
        return vv_fail_memory(error, "sleep");
    memcpy(w->sleep.ahead, w->state.q, 3 * (size_t)w->nodes * sizeof *positions);
    memcpy(w->sleep.ahead + 3 * (size_t)b->first, positions, 3 * (size_t)b->count * sizeof *positions);
    if (find_in_way(w, w->sleep.ahead, 0))
        vv_sleep_wake_marked(w);
    return VV_OK;
}

static void wake_stirred(vvWorld *w)
{
    for (int b = 0; b < (int)w->body_count; b++)
        if (vv_sleep_is(w, b) && vv_sleep_is_stirred(w, b))
            vv_sleep_wake(w, b);
    for (size_t o = 0; o < w->obstacle_count; o++)
        for (int b = 0; vv_sleep_obstacle_moves(w, w->obstacles + o) && b < (int)w->body_count; b++) {
            double box[6];
            if (!vv_sleep_is(w, b))
                continue;
            vv_sleep_box(w, b, w->state.q, NULL, 0, box);
            if (vv_sleep_reaches(w, w->obstacles + o, w->state.q, w->sleep.ahead, box))
                vv_sleep_wake(w, b);
        }
}

vvStatus vv_sleep_before_step(vvWorld *w, vvError *error)
{
    const bool on = w->def.solver.sleepAfter > 0;
    w->sleep.woken = false;
    if (!on && !vv_sleep_any(w))
        return VV_OK;
    if (!vv_sleep_reserve(w))
        return vv_fail_memory(error, "sleep");
    if (!on)
        vv_sleep_wake_all(w);
    if (!vv_sleep_any(w))
        return VV_OK;
    const double h = w->def.timeStep;
    vv_sleep_look_ahead(w);
    wake_stirred(w);
    if (find_in_way(w, w->sleep.ahead, h * h * vv_norm(w->def.gravity)))
        vv_sleep_wake_marked(w);
    return VV_OK;
}

bool vv_sleep_step_wakes(void *world, const double *q)
{
    vvWorld *w = world;
    w->sleep.woken = vv_sleep_any(w) && find_in_way(w, q, 0);
    return w->sleep.woken;
}

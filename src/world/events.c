/* Contact events: the pairs that touch after a step against those before it; and the points of contact as they are now.
 *
 * The ledger measures the smallest gap after each step anyway: in the same pass vv_contact_min_gap marks the pairs that
 * touch (`near`). Pairs are remembered by their ids, so that they outlive baking and bodies that go. */
#include "base/error.h"
#include "base/memory.h"
#include "world/world.h"

#include <string.h>

static bool push(vv_pairs *p, vvContactPair pair)
{
    if (!vv_grow((void **)&p->list, &p->capacity, p->count + 1, sizeof *p->list))
        return false;
    p->list[p->count++] = pair;
    return true;
}

static void clear_step(vv_events *e)
{
    e->began.count = e->ended.count = 0;
    e->failed = false;
}

/* ---- pairs ---- */

enum { NOW = 1, BEFORE = 2 };

/* Marks the pairs of `touching` as known; those that touch no more go to `ended`. */
static bool find_ended(vvWorld *w)
{
    vv_events *e = &w->events;
    size_t obstacles = (size_t)w->contact.obstacle_count;
    for (size_t i = 0; i < e->touching.count; i++) {
        const vvContactPair *p = e->touching.list + i;
        int body = vv_body_index(w, p->body);
        int obstacle = vv_ids_find(&w->obstacle_ids, p->obstacle.index1, p->obstacle.generation);
        bool there = e->near && body >= 0 && obstacle >= 0;
        unsigned char *mark = there ? e->near + (size_t)body * obstacles + (size_t)obstacle : NULL;
        if (mark && *mark & NOW)
            *mark |= BEFORE;
        else if (!push(&e->ended, *p))
            return false;
    }
    return true;
}

/* Fills `next` with all pairs that touch and `began` with those not marked as known. */
static bool find_began(vvWorld *w)
{
    vv_events *e = &w->events;
    size_t obstacles = (size_t)w->contact.obstacle_count;
    e->next.count = 0;
    for (size_t i = 0; e->near && i < w->body_count * obstacles; i++) {
        if (!(e->near[i] & NOW))
            continue;
        int body = (int)(i / obstacles), obstacle = (int)(i % obstacles);
        vvContactPair p = { .body = vvWorldBody(w, body), .obstacle = vvWorldObstacleAt(w, obstacle) };
        if (!push(&e->next, p) || (!(e->near[i] & BEFORE) && !push(&e->began, p)))
            return false;
    }
    return true;
}

/* From the marks of the last measurement. Without memory the pairs stay those of before, so that nothing is lost. */
static void compare(vvWorld *w)
{
    vv_events *e = &w->events;
    clear_step(e);
    for (size_t i = 0; e->near && i < w->body_count * (size_t)w->contact.obstacle_count; i++)
        e->near[i] &= NOW;
    if (!find_ended(w) || !find_began(w)) {
        clear_step(e);
        e->failed = true;
        return;
    }
    vv_pairs old = e->touching;
    e->touching = e->next;
    e->next = old;
}

vvStatus vv_events_before_step(vvWorld *w, vvError *error)
{
    vv_events *e = &w->events;
    if (!e->reloaded)
        return VV_OK;
    e->touching.count = 0;
    if (w->stepper.step > 0) {
        if (e->near)
            vv_contact_min_gap(&w->contact, w->stepper.q, NULL, NULL, e->near);
        compare(w);
    }
    if (e->failed)
        return vv_fail_memory(error, "the contact events");
    clear_step(e);
    e->reloaded = false;
    return VV_OK;
}

void vv_events_after_step(vvWorld *w) { compare(w); }

void vv_events_reload(vvWorld *w)
{
    clear_step(&w->events);
    w->events.reloaded = true;
}

vvStatus vv_events_bake(vvWorld *w, vvError *error)
{
    w->events.near = vv_alloc(w->body_count * w->obstacle_count, 1);
    return w->events.near ? VV_OK : vv_fail_memory(error, "the contact events");
}

void vv_events_unbake(vvWorld *w)
{
    vv_free(w->events.near);
    w->events.near = NULL;
    if (w->events.failed) /* what was missed comes with the next step */
        clear_step(&w->events);
}

void vv_events_free(vvWorld *w)
{
    vv_events *e = &w->events;
    vv_free(e->touching.list);
    vv_free(e->next.list);
    vv_free(e->began.list);
    vv_free(e->ended.list);
    vv_free(e->points);
}

static vvStatus get_events(vvWorld *w, vvContactEvents *events, vvError *error)
{
    vv_events *e = &w->events;
    if (e->reloaded) {
        vvStatus s = vvWorldBake(w, error);
        if (s == VV_OK)
            s = vv_events_before_step(w, error);
        if (s != VV_OK)
            return s;
    }
    if (e->failed)
        compare(w); /* the marks are still those of the last step */
    if (e->failed)
        return vv_fail_memory(error, "the contact events");
    *events = (vvContactEvents){ (int)e->began.count, (int)e->ended.count, (int)e->touching.count,
                                 e->began.list, e->ended.list, e->touching.list };
    return VV_OK;
}

vvStatus vvWorldContactEvents(vvWorld *w, vvContactEvents *events, vvError *error)
{
    vv_error_clear(error);
    if (!events)
        return vv_fail(error, VV_ERROR_INPUT, "vvWorldContactEvents wants a place for the events, found NULL");
    *events = (vvContactEvents){ 0 };
    vvAllocator outer = vv_memory_use(w->allocator);
    vvStatus status = get_events(w, events, error);
    vv_memory_use(outer);
    return status;
}

/* ---- points ---- */

static bool add_point(vvWorld *w, int v, int o, const double x[3], double d, size_t *count)
{
    vv_events *e = &w->events;
    const vv_barrier_def *def = &w->contact;
    const vv_obstacle *obstacle = def->obstacles + o;
    if (!vv_grow((void **)&e->points, &e->point_capacity, *count + 1, sizeof *e->points))
        return false;
    double b[3];
    int body = def->vertices->body[v], node = def->vertices->node[def->vertices->start[v]];
    vvContactPoint *p = e->points + (*count)++;
    *p = (vvContactPoint){ .side = { vvWorldBody(w, body), 1, { node - w->bodies[body].first }, { 1 } },
                           .obstacle = vvWorldObstacleAt(w, o), .gap = d };
    vv_barrier(d / def->distance, b);
    p->force = def->stiffness * def->vertices->area[v] * -b[1];
    obstacle->ops->distance(obstacle->shape, x, p->normal, NULL);
    for (int k = 0; k < 3; k++)
        p->point[k] = x[k] - d * p->normal[k];
    return true;
}

static vvStatus get_points(vvWorld *w, const vvContactPoint **points, int *count, vvError *error)
{
    vvStatus s = vvWorldBake(w, error);
    if (s != VV_OK)
        return s;
    const vv_barrier_def *def = &w->contact;
    size_t found = 0;
    for (int v = 0; def->vertices && v < def->vertices->count; v++) {
        double x[3];
        vv_vertex_position(def->vertices, v, w->stepper.q, x);
        for (int o = 0; o < def->obstacle_count; o++) {
            const vv_obstacle *obstacle = def->obstacles + o;
            if (!vv_contact_touches(def, v, o))
                continue;
            double d = obstacle->ops->distance(obstacle->shape, x, NULL, NULL);
            if (d < def->distance && !add_point(w, v, o, x, d, &found))
                return vv_fail_memory(error, "the contact points");
        }
    }
    *points = w->events.points;
    *count = (int)found;
    return VV_OK;
}

vvStatus vvWorldContactPoints(vvWorld *w, const vvContactPoint **points, int *count, vvError *error)
{
    vv_error_clear(error);
    if (!points || !count)
        return vv_fail(error, VV_ERROR_INPUT, "vvWorldContactPoints wants places for points and count, found NULL");
    *points = NULL;
    *count = 0;
    vvAllocator outer = vv_memory_use(w->allocator);
    vvStatus status = get_points(w, points, count, error);
    vv_memory_use(outer);
    return status;
}

/* Contact events: the pairs that touch after a step against those before it.
 *
 * The ledger measures the smallest gap after each step anyway: in the same pass contact notes what touches. Here
 * these notes are compared with what touched before. Pairs are stored by their ids, so that they survive baking and
 * the removal of bodies. */
#include "base/error.h"
#include "base/memory.h"
#include "world/world.h"

#include <string.h>

static bool push(vv_touches *p, vvContactPair pair)
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

/* The pair's mark, if it touches now. */
static unsigned *body_mark(vv_contact *c, int a, int b)
{
    vv_near *found = vv_contact_find_near(c, a < b ? a : b, a < b ? b : a);
    return found ? &found->mark : NULL;
}

/* Marks the pair as known; false: it does not touch now. */
static bool mark_known(vvWorld *w, const vvContactPair *p)
{
    vv_contact *c = w->contact;
    int body = vv_body_index(w, p->body), other = vv_body_index(w, p->other);
    if (!c)
        return false;
    if (body >= 0 && other >= 0) {
        unsigned *mark = body_mark(c, body, other);
        if (mark)
            *mark |= BEFORE;
        return mark != NULL;
    }
    int obstacle = vv_ids_find(&w->obstacle_ids, p->obstacle.index1, p->obstacle.generation);
    if (body < 0 || obstacle < 0)
        return false;
    unsigned char *mark = c->near + (size_t)body * w->obstacle_count + (size_t)obstacle;
    *mark |= *mark & NOW ? BEFORE : 0;
    return *mark & NOW;
}

/* Moves pairs of `touching` that no longer touch to `ended`. */
static bool find_ended(vvWorld *w)
{
    vv_events *e = &w->events;
    for (size_t i = 0; i < e->touching.count; i++)
        if (!mark_known(w, e->touching.list + i) && !push(&e->ended, e->touching.list[i]))
            return false;
    return true;
}

static bool touches_now(vv_events *e, vvContactPair p, bool before)
{
    return push(&e->next, p) && (before || push(&e->began, p));
}

/* Fills `next` with all pairs that touch and `began` with those not marked as known. */
static bool find_began(vvWorld *w)
{
    vv_events *e = &w->events;
    const vv_contact *c = w->contact;
    size_t obstacles = w->obstacle_count;
    e->next.count = 0;
    for (size_t i = 0; c && i < w->body_count * obstacles; i++) {
        if (!(c->near[i] & NOW))
            continue;
        int body = (int)(i / obstacles), obstacle = (int)(i % obstacles);
        vvContactPair p = { .body = vvWorldBody(w, body), .obstacle = vvWorldObstacleAt(w, obstacle) };
        if (!touches_now(e, p, c->near[i] & BEFORE))
            return false;
    }
    for (size_t i = 0; c && i < c->touching_count; i++) {
        vvContactPair p = { .body = vvWorldBody(w, c->touching[i].a), .other = vvWorldBody(w, c->touching[i].b) };
        if (!touches_now(e, p, c->touching[i].mark & BEFORE))
            return false;
    }
    return true;
}

/* Uses the marks of the last measurement. If memory is short, the pairs stay as before, so that nothing is lost. */
static void compare(vvWorld *w)
{
    vv_events *e = &w->events;
    vv_contact *c = w->contact;
    clear_step(e);
    for (size_t i = 0; c && i < w->body_count * w->obstacle_count; i++)
        c->near[i] &= NOW;
    for (size_t i = 0; c && i < c->touching_count; i++)
        c->touching[i].mark = NOW;
    if (c && c->missed)
        vv_contact_measure(c, &w->par, w->state.q);
    if ((c && c->missed) || !find_ended(w) || !find_began(w)) {
        clear_step(e);
        e->failed = true;
        return;
    }
    vv_touches old = e->touching;
    e->touching = e->next;
    e->next = old;
}

vvStatus vv_events_before_step(vvWorld *w, vvError *error)
{
    vv_events *e = &w->events;
    if (!e->reloaded)
        return VV_OK;
    e->touching.count = 0;
    if (w->state.clock.step > 0) {
        vv_contact_measure(w->contact, &w->par, w->state.q);
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
    w->events.reloaded = true, w->events.stepped = 0;
}

void vv_events_back(vvWorld *w, const vv_events *before)
{
    vv_events *e = &w->events;
    e->began.count = before->began.count;
    e->ended.count = before->ended.count;
    e->failed = before->failed;
    e->reloaded = before->reloaded;
}

void vv_events_recall(vvWorld *w, const vvContactPair *touching, size_t count)
{
    vv_events *e = &w->events;
    if (count)
        memcpy(e->touching.list, touching, count * sizeof *touching);
    e->touching.count = count;
    clear_step(e);
    e->reloaded = false;
}

void vv_events_unbake(vvWorld *w)
{
    if (w->events.failed) /* what was missed is reported with the next step */
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
    vv_free(e->impulses);
}

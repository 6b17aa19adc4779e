/* The present contact points: vertices against obstacles, and the active pairs between surfaces. And what is too
 * close to start, as the same kind of points. */
#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "contact/pairs/potential.h"
#include "world/world.h"

#include <string.h>

static vvContactPoint *new_point(vvWorld *w, size_t *count)
{
    vv_events *e = &w->events;
    if (!vv_grow((void **)&e->points, &e->point_capacity, *count + 1, sizeof *e->points))
        return NULL;
    return e->points + (*count)++;
}

/* A vertex at x and an obstacle; the force is still 0. */
static vvContactPoint point_of(const vvWorld *w, const vv_barrier_def *def, int v, int o, const double x[3], double d)
{
    vvContactPoint p = { .side = { vvWorldBody(w, def->vertices->body[v]), 1, { def->vertices->label[v] }, { 1 } },
                         .obstacle = vvWorldObstacleAt(w, o),
                         .gap = d };
    vv_contact_gap(def, v, o, x, p.normal, NULL);
    for (int k = 0; k < 3; k++)
        p.point[k] = x[k] - (d + def->vertices->radius[v]) * p.normal[k];
    return p;
}

static bool add_point(vvWorld *w, int v, int o, const double x[3], double d, size_t *count)
{
    const vv_barrier_def *def = &w->contact->barrier;
    vvContactPoint *p = new_point(w, count);
    if (!p)
        return false;
    vv_barrier_sum b;
    *p = point_of(w, def, v, o, x, d);
    if (w->contact->presses) {
        p->force = vv_presses_force(w->contact->presses, v, o, x);
        return true;
    }
    if (!vv_barrier_at(def, v, o, vv_contact_frame(def, o), x, VV_SUM_SLOPE, &b) || !(b.value < INFINITY))
        return true;
    p->force = vv_contact_stiffness(def, v) * def->vertices->area[v] * -b.slope;
    memcpy(p->normal, b.n, sizeof p->normal); /* of a valley: the sum of both sides' forces */
    return true;
}

static vvContactSide side_of(const vvWorld *w, const vv_vertices *vs, const vv_pair *p, const double *w4, int first,
                             int count, double sign)
{
    vvContactSide side = { .body = vvWorldBody(w, vs->body[p->vertex[first]]), .count = count };
    for (int i = 0; i < count; i++) {
        side.vertices[i] = vs->label[p->vertex[first + i]];
        side.weights[i] = sign * w4[first + i];
    }
    return side;
}

/* Two features; the force is still 0, and so is the normal of features that touch. */
static vvContactPoint pair_of(const vvWorld *w, const vv_contact *c, const vv_pair *pair, vv_pair_state *s)
{
    vv_pair_state_at(c->collisions, pair, s);
    int first = pair->kind == VV_STENCIL_EE ? 2 : 1, n = vv_stencil_points(pair->kind);
    vvContactPoint p = { .side = side_of(w, &c->vertices, pair, s->w, 0, first, 1),
                         .other = side_of(w, &c->vertices, pair, s->w, first, n - first, -1) };
    double r[3] = { 0 };
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < n; i++) {
            r[k] += s->w[i] * s->x[i][k];
            p.point[k] -= i >= first ? s->w[i] * s->x[i][k] : 0;
        }
    double distance = vv_norm(r);
    for (int k = 0; k < 3; k++)
        p.normal[k] = distance > 0 ? r[k] / distance : 0;
    p.gap = distance - pair->min_distance;
    if (s->penalty) { /* r goes from the surface inwards */
        p.gap = -distance;
        for (int k = 0; k < 3; k++)
            p.normal[k] = -p.normal[k];
    }
    return p;
}

static bool add_pair(vvWorld *w, const vv_pair *pair, size_t *count)
{
    vvContactPoint *p = new_point(w, count);
    vv_pair_state s;
    if (!p)
        return false;
    *p = pair_of(w, w->contact, pair, &s);
    if (s.penalty) {
        double inwards[3];
        p->force = -vv_pair_force(&s, inwards);
        return true;
    }
    p->force = vv_pair_force(&s, p->normal);
    return true;
}

vvStatus vv_world_find_points(vvWorld *w, size_t *count, vvError *error)
{
    vv_contact *c = w->contact;
    size_t found = 0;
    *count = 0;
    if (c)
        vv_contact_place(&c->barrier, w->state.q);
    for (int v = 0; c && v < c->bound.count; v++) {
        const vv_barrier_def *def = &c->barrier;
        double x[3];
        vv_vertex_position(def->vertices, v, w->state.q, x);
        for (int o = 0; o < def->obstacle_count; o++) {
            if (!vv_contact_touches(def, v, o))
                continue;
            double d = vv_contact_gap_below(def, v, o, x, def->distance);
            if (d < vv_contact_distance(def, v, o) && !add_point(w, v, o, x, d, &found))
                return vv_fail_memory(error, "the contact points");
        }
    }
    vv_collisions *between = c ? c->collisions : NULL;
    if (between && !vv_collisions_update(between, &w->par, w->state.q))
        return vv_contact_status(w->contact, error);
    for (size_t i = 0; between && i < between->count; i++)
        /* corrections of the convergent sum are skipped */
        if (between->pairs[i].weight > 0 && !between->pairs[i].inner && !add_pair(w, between->pairs + i, &found))
            return vv_fail_memory(error, "the contact points");
    *count = found;
    return VV_OK;
}

/* ---- too near to start ---- */

/* Counts all, keeps as many as fit. */
static vvStatus find_too_near(const vvWorld *w, vv_contact *c, const double *q, vvContactPoint *list, int capacity,
                              int *count, vvError *error)
{
    const vv_barrier_def *def = &c->barrier;
    vv_collisions *between = c->collisions;
    vv_contact_place(def, q);
    for (int v = 0; v < c->bound.count; v++) {
        double x[3];
        vv_vertex_position(&c->vertices, v, q, x);
        for (int o = 0; o < def->obstacle_count; o++) {
            double d = vv_contact_touches(def, v, o) ? vv_contact_gap(def, v, o, x, NULL, NULL) : INFINITY;
            if (d <= 0 && !vv_contact_def_presses(&c->def) && (*count)++ < capacity)
                list[*count - 1] = point_of(w, def, v, o, x, d);
        }
    }
    if (between && !vv_collisions_update(between, &w->par, q))
        return vv_contact_status(w->contact, error);
    for (size_t i = 0; between && i < between->count; i++) {
        vv_pair_state s;
        vvContactPoint p = pair_of(w, c, between->pairs + i, &s);
        if (between->pairs[i].weight > 0 && p.gap <= 0 && !s.penalty && (*count)++ < capacity)
            list[*count - 1] = p;
    }
    return VV_OK;
}

static vvStatus too_near(vvWorld *w, vvContactPoint *list, int capacity, int *count, vvError *error)
{
    if (!count || capacity < 0 || (capacity > 0 && !list))
        return vv_fail(error, VV_ERROR_INPUT,
                       "vvWorldFindTooNear needs a pointer for the count and a list of `capacity` elements");
    *count = 0;
    /* none in a world that is not baked (perhaps because it cannot be) */
    vv_contact *c = vv_world_contact_now(w), *made = NULL;
    double *q = vv_alloc(3 * (size_t)w->nodes, sizeof *q);
    vvStatus status = q ? VV_OK : vv_fail_memory(error, "what is too near");
    if (status == VV_OK)
        vv_world_start_positions(w, q);
    if (status == VV_OK && !c)
        status = vv_world_make_contact(w, false, &made, error);
    c = made ? made : c;
    if (status == VV_OK)
        status = find_too_near(w, c, q, list, capacity, count, error);
    vv_contact_destroy(made);
    vv_free(q);
    return status;
}

vvStatus vvWorldFindTooNear(vvWorld *w, vvContactPoint *list, int capacity, int *count, vvError *error)
{
    VV_WORLD_CALL(w, error, too_near(w, list, capacity, count, error));
}

/* The points of contact as they are now: vertices against obstacles, and the active pairs between surfaces. */
#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "contact/local.h"
#include "world/world.h"

static vvContactPoint *new_point(vvWorld *w, size_t *count)
{
    vv_events *e = &w->events;
    if (!vv_grow((void **)&e->points, &e->point_capacity, *count + 1, sizeof *e->points))
        return NULL;
    return e->points + (*count)++;
}

static bool add_point(vvWorld *w, int v, int o, const double x[3], double d, size_t *count)
{
    const vv_barrier_def *def = &w->contact;
    vvContactPoint *p = new_point(w, count);
    if (!p)
        return false;
    double b[3];
    int body = def->vertices->body[v], node = def->vertices->node[def->vertices->start[v]];
    *p = (vvContactPoint){ .side = { vvWorldBody(w, body), 1, { node - w->bodies[body].first }, { 1 } },
                           .obstacle = vvWorldObstacleAt(w, o), .gap = d };
    vv_barrier(d / def->distance, b);
    p->force = def->stiffness * def->vertices->area[v] * -b[1];
    vv_contact_gap(def, v, o, x, p->normal, NULL);
    for (int k = 0; k < 3; k++)
        p->point[k] = x[k] - (d + def->vertices->radius[v]) * p->normal[k];
    return true;
}

static vvContactSide side_of(const vvWorld *w, const vv_pair *p, const double *w4, int first, int count, double sign)
{
    int body = w->vertices.body[p->vertex[first]];
    vvContactSide side = { .body = vvWorldBody(w, body), .count = count };
    for (int i = 0; i < count; i++) {
        side.vertices[i] = w->vertices.node[w->vertices.start[p->vertex[first + i]]] - w->bodies[body].first;
        side.weights[i] = sign * w4[first + i];
    }
    return side;
}

static bool add_pair(vvWorld *w, const vv_pair *pair, size_t *count)
{
    vvContactPoint *p = new_point(w, count);
    vv_pair_state s;
    if (!p)
        return false;
    vv_pair_state_at(w->collisions, pair, &s);
    int first = pair->kind == VV_STENCIL_EE ? 2 : 1, n = vv_stencil_points(pair->kind);
    *p = (vvContactPoint){ .side = side_of(w, pair, s.w, 0, first, 1), .other = side_of(w, pair, s.w, first, n - first, -1) };
    p->force = vv_pair_force(&s, p->normal);
    double r[3] = { 0 };
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < n; i++) {
            r[k] += s.w[i] * s.x[i][k];
            p->point[k] -= i >= first ? s.w[i] * s.x[i][k] : 0;
        }
    p->gap = vv_norm(r) - pair->offset;
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
            if (!vv_contact_touches(def, v, o))
                continue;
            double d = vv_contact_gap(def, v, o, x, NULL, NULL);
            if (d < def->distance && !add_point(w, v, o, x, d, &found))
                return vv_fail_memory(error, "the contact points");
        }
    }
    if (w->collisions && !vv_collisions_update(w->collisions, &w->par, w->stepper.q))
        return vv_fail_memory(error, "the contact points");
    for (size_t i = 0; w->collisions && i < w->collisions->count; i++)
        if (w->collisions->pairs[i].weight > 0 && !add_pair(w, w->collisions->pairs + i, &found)) /* no corrections of a sum */
            return vv_fail_memory(error, "the contact points");
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

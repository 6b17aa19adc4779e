/* Which bodies are connected by contact or by energies: groups that exchange momentum and energy with no other body
 * except through prescribed ones. */
#include "base/groups.h"

#include "contact/contact.h"
#include "contact/pairs/potential.h"

#include <string.h>

void vv_contact_uncouple(vv_contact *c) { vv_groups_clear(c->coupled, c->surface.body_count); }

void vv_contact_couple(vv_contact *c, int a, int b)
{
    if (c->surface.bodies[a].moves && c->surface.bodies[b].moves)
        vv_groups_join(c->coupled, a, b);
}

/* Joins the bodies of the active pairs at q, and marks those that touch a kinematic body. */
static bool join_pairs(vv_contact *c, const vv_parallel *par, const double *q, unsigned char *outside)
{
    vv_collisions *between = c->collisions;
    const vv_surface_body *bodies = c->surface.bodies;
    if (!between)
        return true;
    if (!vv_collisions_update(between, par, q))
        return false;
    for (size_t i = 0; i < between->count; i++) {
        const vv_pair *p = between->pairs + i;
        int a = c->vertices.body[p->vertex[0]], b = c->vertices.body[p->vertex[vv_stencil_points(p->kind) - 1]];
        if (bodies[a].moves && bodies[b].moves)
            vv_groups_join(c->groups, a, b);
        else if (outside)
            outside[bodies[a].moves ? a : b] = 1;
    }
    return true;
}

/* Marks the bodies that touch an obstacle at q. */
static void mark_obstacles(const vv_contact *c, const double *q, unsigned char *outside)
{
    const vv_barrier_def *def = &c->barrier;
    const vv_repulsion *springs = (const vv_repulsion *)c->repulsion;
    for (int i = 0; outside && springs && !springs->def.form->everywhere && i < springs->presses.count; i++)
        outside[def->vertices->body[springs->presses.pair[i].vertex]] = 1;
    vv_contact_place(def, q);
    for (int v = 0; outside && v < def->vertices->count; v++) {
        unsigned char *mark = outside + def->vertices->body[v];
        double x[3];
        if (!*mark)
            vv_vertex_position(def->vertices, v, q, x);
        for (int o = 0; o < def->obstacle_count && !*mark; o++)
            *mark = vv_contact_touches(def, v, o) &&
                    vv_contact_gap_below(def, v, o, x, def->distance) < vv_contact_distance(def, v, o);
    }
}

vvStatus vv_contact_groups(vv_contact *c, const vv_parallel *par, const double *q_a, const double *q_b, int *group,
                           unsigned char *outside)
{
    int count = c->surface.body_count;
    if (count > 0)
        memcpy(c->groups, c->coupled, (size_t)count * sizeof *c->groups);
    if (outside && count > 0)
        memset(outside, 0, (size_t)count);
    for (int k = 0; k < 2; k++) {
        const double *q = k ? q_b : q_a;
        if (q && !join_pairs(c, par, q, outside))
            return VV_ERROR_MEMORY;
        if (q)
            mark_obstacles(c, q, outside);
    }
    for (int b = 0; b < count; b++)
        group[b] = c->surface.bodies[b].moves ? vv_groups_find(c->groups, b) : -1;
    for (int b = 0; outside && b < count; b++) /* to the group's lowest body, then back to all */
        if (outside[b] && group[b] >= 0)
            outside[group[b]] = 1;
    for (int b = 0; outside && b < count; b++)
        outside[b] = group[b] >= 0 && outside[group[b]];
    return VV_OK;
}

/* Work of a kinematic side of a pair along the path dq: force times motion. */
static double pair_work(const vv_contact *c, const vv_pair *p, bool first, const double *q_a, const double *q_b)
{
    vv_pair_state state;
    double g[12], work = 0;
    vv_pair_state_at(c->collisions, p, &state);
    vv_pair_gradient(&state, g);
    for (int i = 0; i < vv_stencil_points(p->kind); i++) {
        double a[3], b[3];
        if ((c->vertices.body[p->vertex[i]] == c->vertices.body[p->vertex[0]]) != first)
            continue;
        vv_vertex_position(&c->vertices, p->vertex[i], q_a, a);
        vv_vertex_position(&c->vertices, p->vertex[i], q_b, b);
        for (int k = 0; k < 3; k++)
            work += g[3 * i + k] * (b[k] - a[k]);
    }
    return work;
}

void vv_contact_pushed(vv_contact *c, const vv_parallel *par, const double *q_a, const double *q_b, double *work)
{
    if (!c)
        return;
    const vv_surface_body *bodies = c->surface.bodies;
    for (int k = 0; k < 2; k++)
        if (c->presses)
            vv_presses_pushed(c->presses, c->frame_body, k ? q_b : q_a, q_a, q_b, 0.5, work);
        else if (!vv_contact_def_presses(&c->def))
            vv_barrier_pushed(&c->barrier, c->frame_body, k ? q_b : q_a, q_a, q_b, 0.5, work);
    for (int k = 0; c->collisions && k < 2; k++) {
        if (!vv_collisions_update(c->collisions, par, k ? q_b : q_a))
            return;
        for (size_t i = 0; i < c->collisions->count; i++) {
            const vv_pair *p = c->collisions->pairs + i;
            int a = c->vertices.body[p->vertex[0]], b = c->vertices.body[p->vertex[vv_stencil_points(p->kind) - 1]];
            if (bodies[a].moves && bodies[b].moves)
                continue;
            double half = 0.5 * pair_work(c, p, !bodies[a].moves, q_a, q_b);
            work[bodies[a].moves ? b : a] -= half;
            work[bodies[a].moves ? a : b] += half;
        }
    }
}

/* Bodies in touch: contact's groups, or in a world without contact those of the components. */
#include "step/bodies/touching.h"

#include "base/groups.h"
#include "base/vec.h"
#include "energy/points/external.h"
#include "energy/points/simple.h"

#include <string.h>

const vvInfo vv_scope_choices[VV_SCOPES] = {
    { "groups", "energy returns only to the group of touching bodies that lost it" },
    { "world", "all bodies share one account, as in A-search: one may receive the energy that another lost" },
};

/* A world without contact: bodies that share components are a group. */
static void group_by_components(const vv_stepper *s, int *group)
{
    const vv_system *y = s->system;
    const vv_components *parts = &s->components;
    for (int b = 0; b < y->bodies; b++)
        group[b] = -1;
    for (int i = 0; i < y->nodes; i++)
        if (y->unknown[i] >= 0)
            group[y->body[i]] = y->body[i];
    for (int i = 0; i < y->nodes; i++)
        if (y->unknown[i] >= 0)
            vv_groups_join(group, y->body[i], y->body[parts->component[parts->of[i]].lead]);
    for (int b = 0; b < y->bodies; b++)
        if (group[b] >= 0)
            group[b] = vv_groups_find(group, b);
}

vvStatus vv_touching_find(const vv_stepper *s, const double *q, int *group, unsigned char *outside)
{
    memset(outside, 0, (size_t)s->bodies);
    if (s->contact)
        return vv_contact_groups(s->contact, &s->system->par, s->state->q, q, group, outside);
    group_by_components(s, group);
    return VV_OK;
}

static void mark(const vv_stepper *s, int node, unsigned char *acted) { acted[s->system->body[node]] = 1; }

void vv_touching_acted_on(const vv_stepper *s, unsigned char *acted)
{
    const vv_contact *c = s->contact;
    const vv_components *parts = &s->components;
    const vv_system *y = s->system;
    const vvLedgerRow *row = &s->state->ledger.row;
    const bool all = row->damping != 0 || row->decay != 0 || row->parts > 1 || (c && c->missed);
    memset(acted, all, (size_t)s->bodies);
    if (s->forced)
        vv_external_mark(s->external, y->body, acted);
    for (size_t k = 0; c && k < c->touching_count; k++)
        acted[c->touching[k].a] = acted[c->touching[k].b] = 1;
    for (int b = 0; c && b < s->bodies; b++)
        for (int o = 0; o < c->barrier.obstacle_count; o++)
            acted[b] |= c->near[b * c->barrier.obstacle_count + o] & 1;
    for (int e = 0; e < y->energies; e++) {
        int count;
        const int *nodes = vv_attachment_nodes(y->energy[e], &count);
        for (int i = 0; i < count; i++)
            mark(s, nodes[i], acted);
    }
    for (int i = 0; i < y->nodes; i++) {
        const int lead = parts->of[i] >= 0 ? parts->component[parts->of[i]].lead : i;
        if (y->unknown[i] < 0 || y->body[lead] != y->body[i])
            mark(s, i, acted), mark(s, lead, acted);
    }
}

/* ---- within reach ---- */

/* A surface that nodes carry reaches beyond them: an affine body's by no more than this for a ball, a box. */
static const double SURFACE = 2;

typedef struct sphere {
    double centre[3], radius, way; /* at the end of the step; how far its farthest node has come */
} sphere;

static sphere sphere_of(const vv_stepper *s, int body)
{
    sphere out = { .radius = 0 };
    const double *q = s->state->q, *before = s->state->q_previous;
    const int first = s->body_start[body], end = s->body_start[body + 1];
    for (int i = first; i < end; i++)
        for (int k = 0; k < 3; k++)
            out.centre[k] += q[3 * (size_t)i + (size_t)k] / (end - first);
    for (int i = first; i < end; i++) {
        double arm[3], way[3];
        vv_sub(q + 3 * (size_t)i, out.centre, arm);
        vv_sub(q + 3 * (size_t)i, before + 3 * (size_t)i, way);
        out.radius = fmax(out.radius, vv_norm(arm));
        out.way = fmax(out.way, vv_norm(way));
    }
    out.radius *= SURFACE;
    return out;
}

bool vv_touching_within_reach(const vv_stepper *s, int body)
{
    if (!s->contact)
        return false;
    const sphere own = sphere_of(s, body);
    if (s->contact->barrier.obstacle_count > 0 && s->state->ledger.row.minGap < 2 * own.way)
        return true;
    for (int b = 0; b < s->bodies; b++) {
        const sphere other = sphere_of(s, b);
        double d[3];
        vv_sub(own.centre, other.centre, d);
        if (b != body && vv_norm(d) < own.radius + other.radius + own.way + other.way + s->contact->def.distance)
            return true;
    }
    return false;
}

/* Repulsion springs when a step begins: which vertices have one, and where (theory §5.12). */
#include "contact/springs/repulsion.h"

#include "base/memory.h"
#include "base/vec.h"

#include <string.h>

/* ---- which vertices have springs ---- */

/* The velocity of vertex v at x relative to the obstacle's material. */
static void velocity_at(const vv_barrier_def *contact, int v, int o, const double x[3], const double *velocities,
                        double u[3])
{
    double wall[3];
    vv_vertex_position(contact->vertices, v, velocities, u);
    vv_frame_velocity(vv_contact_frame(contact, o), x, velocities, wall);
    vv_sub(u, wall, u);
}

/* Whether vertex v at x, outside by the gap d along n, has a spring all the same. One that stays does until the
 * vertex goes away from the obstacle; one that follows is there where the vertex would come inside in this step at
 * twice the speed at which it comes nearer. */
static bool wanted_outside(const vv_repulsion *r, int v, int o, double d, const double x[3], const double n[3],
                           const double *velocities, bool had, double seconds)
{
    double u[3];
    if (!r->def.form->follows && !had)
        return false;
    velocity_at(r->def.contact, v, o, x, velocities, u);
    return r->def.form->follows ? d < 2 * seconds * fmax(0, -vv_dot(n, u)) : vv_dot(n, u) <= 0;
}

/* How far away a vertex may be that has a spring, m: twice the displacement of the fastest; infinite where obstacles
 * move, too. */
static double reach_of(const vv_repulsion *r, const double *velocities, double seconds)
{
    const vv_vertices *vs = r->def.contact->vertices;
    double most = 0, u[3];
    if (!r->def.form->follows)
        return 0;
    if (r->def.contact->frames)
        return INFINITY;
    for (int v = 0; v < vs->count; v++) {
        vv_vertex_position(vs, v, velocities, u);
        most = fmax(most, vv_norm(u));
    }
    double steep = 1;
    for (int o = 0; o < r->def.contact->obstacle_count; o++)
        steep = fmax(steep, vv_obstacle_steepness(r->def.contact->obstacles + o));
    return 2 * seconds * most * steep;
}

bool vv_repulsion_choose(vv_energy *e, const double *q, const double *v, double seconds)
{
    vv_repulsion *r = (vv_repulsion *)e;
    const vv_barrier_def *contact = r->def.contact;
    bool any = r->presses.count > 0;
    if (r->def.form->everywhere) /* they stand as they did */
        return false;
    if (!vv_contact_place(contact, q)) /* an obstacle is flat: springs stay as they are */
        return any;
    const double reach = reach_of(r, v, seconds);
    vv_reach near = vv_reach_of(contact, q, NULL, reach);
    for (int i = 0; i < contact->vertices->count; i++) {
        uint64_t *bits = vv_repulsion_bits(r, i), wanted = r->def.form->keeps ? *bits : 0, now = 0;
        if (vv_reach_at(&near, i))
            for (int k = 0; k < near.count; k++)
                wanted |= UINT64_C(1) << vv_reach_obstacle(&near, k);
        double x[3], n[3];
        if (wanted)
            vv_vertex_position(contact->vertices, i, q, x);
        for (int o = 0; o < contact->obstacle_count && wanted; o++) {
            const uint64_t bit = UINT64_C(1) << o;
            if (!(wanted & bit) || !vv_contact_touches(contact, i, o))
                continue;
            const bool had = r->def.form->keeps && *bits & bit;
            double d = vv_contact_gap_below(contact, i, o, x, reach);
            const bool asked = d >= 0 && (had || (r->def.form->follows && d < reach));
            if (asked)
                d = vv_contact_gap(contact, i, o, x, n, NULL);
            if (d < 0 || (asked && wanted_outside(r, i, o, d, x, n, v, had, seconds)))
                now |= bit;
        }
        *bits = now;
        any = any || now;
    }
    return any;
}

/* Makes the spring of vertex v at x against obstacle o. */
static bool make(vv_repulsion *r, int v, int o, const double x[3])
{
    const vv_barrier_def *contact = r->def.contact;
    const vv_frame *frame = vv_contact_frame(contact, o);
    vv_press *s = vv_presses_add(&r->presses, v, o);
    double y[3] = { x[0], x[1], x[2] };
    if (!s)
        return false;
    if (frame)
        vv_frame_to_rest(frame, x, y);
    s->k = r->def.stiffness * (r->def.per_vertex ? 1 : contact->vertices->area[v]);
    double d = vv_obstacle_distance(contact->obstacles + o, y, s->n, NULL) - contact->vertices->radius[v];
    s->c = vv_dot(s->n, y) - d;
    return true;
}

bool vv_repulsion_place(vv_energy *e, const double *q)
{
    vv_repulsion *r = (vv_repulsion *)e;
    const vv_barrier_def *contact = r->def.contact;
    const bool all = r->def.form->everywhere;
    double x[3];
    vv_presses_clear(&r->presses);
    if (contact->obstacle_count > 0)
        vv_contact_place(contact, q);
    for (int v = 0; v < contact->vertices->count; v++) {
        const uint64_t bits = *vv_repulsion_bits(r, v);
        if (!bits && !all)
            continue;
        vv_vertex_position(contact->vertices, v, q, x);
        for (int o = 0; o < contact->obstacle_count; o++)
            if ((all ? vv_contact_touches(contact, v, o) : bits >> o & 1) && !make(r, v, o, x)) {
                vv_presses_clear(&r->presses);
                return false;
            }
    }
    return true;
}

size_t vv_repulsion_bytes(const vv_energy *e)
{
    return (size_t)((const vv_repulsion *)e)->def.contact->vertices->count * sizeof(uint64_t);
}

void vv_repulsion_save(const vv_energy *e, uint64_t *to)
{
    const vv_repulsion *r = (const vv_repulsion *)e;
    for (int v = 0; v < r->def.contact->vertices->count; v++)
        to[v] = *vv_repulsion_bits(r, v);
}

void vv_repulsion_load(vv_energy *e, const uint64_t *from)
{
    vv_repulsion *r = (vv_repulsion *)e;
    for (int v = 0; v < r->def.contact->vertices->count; v++)
        *vv_repulsion_bits(r, v) = from[v];
}

/* ---- projection ---- */

bool vv_repulsion_projects(const vv_energy *e) { return ((const vv_repulsion *)e)->def.form->projects; }

void vv_repulsion_project(const vv_energy *e, const double *inverse_mass, double *q)
{
    const vv_repulsion *r = (const vv_repulsion *)e;
    const vv_barrier_def *contact = r->def.contact;
    vv_contact_place(contact, q);
    for (int i = 0; i < r->presses.count; i++) {
        const vv_press *s = r->presses.pair + i;
        const double give = vv_vertex_yield(contact->vertices, s->vertex, inverse_mass);
        double x[3], n[3];
        vv_vertex_position(contact->vertices, s->vertex, q, x);
        const double phi = vv_press_phi(&r->presses, s, vv_contact_frame(contact, s->obstacle), x, n, NULL);
        const double square = vv_dot(n, n);
        if (!(phi < 0 && give > 0 && square > 0)) /* a level set has no gradient where all samples around are alike */
            continue;
        const double way = -phi / (give * square);
        vv_vertex_push(contact->vertices, s->vertex, inverse_mass, (double[3]){ way * n[0], way * n[1], way * n[2] },
                       q);
    }
}

/* Repulsion springs when a step begins, which vertices have one and where, and friction on velocities when it ends
 * (theory §5.12). */
#include "contact/repulsion.h"

#include "base/memory.h"
#include "base/vec.h"

#include <string.h>

/* ---- which vertices have springs ---- */

/* The velocity of the obstacle's material at x. */
static void material_velocity(const vv_frame *frame, const double x[3], const double *v, double u[3])
{
    double w[4];
    u[0] = u[1] = u[2] = 0;
    if (!frame)
        return;
    vv_frame_weights(frame, x, w);
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 3; k++)
            u[k] += w[i] * v[3 * ((size_t)frame->node + i) + k];
}

/* The velocity of vertex v at x relative to the obstacle's material. */
static void velocity_at(const vv_barrier_def *contact, int v, int o, const double x[3], const double *velocities,
                        double u[3])
{
    double wall[3];
    vv_vertex_position(contact->vertices, v, velocities, u);
    material_velocity(vv_contact_frame(contact, o), x, velocities, wall);
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

/* How far away a vertex may be that has a spring, m: twice the way of the fastest; infinite where obstacles move,
 * too. */
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

/* Of a form that acts everywhere the bits follow from the filters. */
static void choose_all(vv_repulsion *r)
{
    const vv_barrier_def *contact = r->def.contact;
    for (int v = 0; v < contact->vertices->count; v++) {
        uint64_t *bits = vv_repulsion_bits(r, v);
        *bits = 0;
        for (int o = 0; o < contact->obstacle_count; o++)
            if (vv_contact_touches(contact, v, o))
                *bits |= UINT64_C(1) << o;
    }
}

bool vv_repulsion_choose(vv_energy *e, const double *q, const double *v, double seconds)
{
    vv_repulsion *r = (vv_repulsion *)e;
    const vv_barrier_def *contact = r->def.contact;
    bool any = r->count > 0;
    if (r->def.form->everywhere) { /* they stand as they did */
        for (int i = 0; i < r->count; i++)
            r->springs[i].spent = 0;
        return false;
    }
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

/* The spring of vertex v at x against obstacle o. */
static vv_repulsion_spring make(const vv_repulsion *r, int v, int o, const double x[3])
{
    const vv_barrier_def *contact = r->def.contact;
    const vv_frame *frame = vv_contact_frame(contact, o);
    vv_repulsion_spring s = { .vertex = v,
                              .obstacle = o,
                              .k = r->def.stiffness * (r->def.per_vertex ? 1 : contact->vertices->area[v]) };
    double y[3] = { x[0], x[1], x[2] };
    if (r->def.form->follows)
        s.follows = contact->obstacles + o, s.radius = contact->vertices->radius[v];
    if (frame)
        vv_frame_to_rest(frame, x, y);
    double d = vv_obstacle_distance(contact->obstacles + o, y, s.n, NULL) - contact->vertices->radius[v];
    s.c = vv_dot(s.n, y) - d;
    return s;
}

bool vv_repulsion_place(vv_energy *e, const double *q)
{
    vv_repulsion *r = (vv_repulsion *)e;
    const vv_barrier_def *contact = r->def.contact;
    r->count = 0;
    if (r->def.form->everywhere)
        choose_all(r);
    if (contact->obstacle_count > 0)
        vv_contact_place(contact, q);
    for (int v = 0; v < contact->vertices->count; v++) {
        const uint64_t bits = *vv_repulsion_bits(r, v);
        r->first[v] = bits ? r->count : -1;
        double x[3];
        if (bits)
            vv_vertex_position(contact->vertices, v, q, x);
        for (int o = 0; o < contact->obstacle_count && bits >> o; o++) {
            if (!(bits >> o & 1))
                continue;
            if (!vv_grow((void **)&r->springs, &r->capacity, (size_t)r->count + 1, sizeof *r->springs)) {
                for (int i = 0; i < contact->vertices->count; i++)
                    r->first[i] = -1;
                r->count = 0;
                return false;
            }
            r->springs[r->count++] = make(r, v, o, x);
        }
    }
    return true;
}

size_t vv_repulsion_bytes(const vv_energy *e)
{
    const vv_repulsion *r = (const vv_repulsion *)e;
    return (r->def.form->constrains ? (size_t)r->count : (size_t)r->def.contact->vertices->count) * sizeof(uint64_t);
}

void vv_repulsion_save(const vv_energy *e, uint64_t *to)
{
    const vv_repulsion *r = (const vv_repulsion *)e;
    for (int i = 0; r->def.form->constrains && i < r->count; i++)
        memcpy(to + i, &r->springs[i].pressed, sizeof *to);
    for (int v = 0; !r->def.form->constrains && v < r->def.contact->vertices->count; v++)
        to[v] = *vv_repulsion_bits(r, v);
}

void vv_repulsion_load(vv_energy *e, const uint64_t *from)
{
    vv_repulsion *r = (vv_repulsion *)e;
    for (int i = 0; r->def.form->constrains && i < r->count; i++)
        memcpy(&r->springs[i].pressed, from + i, sizeof *from);
    for (int v = 0; !r->def.form->constrains && v < r->def.contact->vertices->count; v++)
        *vv_repulsion_bits(r, v) = from[v];
}

/* ---- projection ---- */

bool vv_repulsion_projects(const vv_energy *e) { return ((const vv_repulsion *)e)->def.form->projects; }

/* W M^-1 W^T of a vertex, 1/kg; 0: nothing moves it. */
static double yield(const vv_vertices *vs, int v, const double *inverse_mass)
{
    double sum = 0;
    for (int i = vs->start[v]; i < vs->start[v + 1]; i++)
        sum += vs->weight[i] * vs->weight[i] * inverse_mass[vs->node[i]];
    return sum;
}

/* Moves vertex v by p times its yield, each node by its part: the impulse p of a vector that nodes carry. */
static void push(const vv_vertices *vs, int v, const double *inverse_mass, const double p[3], double *of_nodes)
{
    for (int i = vs->start[v]; i < vs->start[v + 1]; i++)
        for (size_t k = 0; k < 3; k++)
            of_nodes[3 * (size_t)vs->node[i] + k] += vs->weight[i] * inverse_mass[vs->node[i]] * p[k];
}

void vv_repulsion_project(const vv_energy *e, const double *inverse_mass, double *q)
{
    const vv_repulsion *r = (const vv_repulsion *)e;
    const vv_barrier_def *contact = r->def.contact;
    vv_contact_place(contact, q);
    for (int i = 0; i < r->count; i++) {
        const vv_repulsion_spring *s = r->springs + i;
        const double give = yield(contact->vertices, s->vertex, inverse_mass);
        double x[3], n[3];
        vv_vertex_position(contact->vertices, s->vertex, q, x);
        const double phi = vv_repulsion_phi(s, vv_contact_frame(contact, s->obstacle), x, n, NULL);
        const double square = vv_dot(n, n);
        if (!(phi < 0 && give > 0 && square > 0)) /* a level set has no gradient where all samples around are alike */
            continue;
        const double way = -phi / (give * square);
        push(contact->vertices, s->vertex, inverse_mass, (double[3]){ way * n[0], way * n[1], way * n[2] }, q);
    }
}

/* ---- friction ---- */

static double coefficient(const vv_barrier_def *contact, int v, int o)
{
    return vv_obstacle_friction(contact->obstacles + o, contact->vertices->friction[v], contact->friction);
}

/* What an impulse p would do at the vertex's prescribed nodes, J: their velocities stay. */
static double driven(const vv_vertices *vs, int v, const double *inverse_mass, const double p[3],
                     const double *velocity)
{
    double sum = 0;
    for (int i = vs->start[v]; i < vs->start[v + 1]; i++)
        if (!(inverse_mass[vs->node[i]] > 0))
            sum += vs->weight[i] * vv_dot(p, velocity + 3 * (size_t)vs->node[i]);
    return sum;
}

bool vv_repulsion_slides(const vv_energy *e, int i, const double *q, double seconds, const double *inverse_mass,
                         const double *v, vv_slide *out)
{
    const vv_repulsion *r = (const vv_repulsion *)e;
    const vv_barrier_def *contact = r->def.contact;
    const vv_repulsion_spring *s = r->springs + i;
    const vv_frame *frame = vv_contact_frame(contact, s->obstacle);
    const double mu = coefficient(contact, s->vertex, s->obstacle);
    double u[3];
    *out = (vv_slide){ .vertex = s->vertex, .give = yield(contact->vertices, s->vertex, inverse_mass) };
    if (!(mu > 0 && out->give > 0))
        return false;
    vv_vertex_position(contact->vertices, s->vertex, q, out->x);
    const double press = vv_repulsion_press(r, s, vv_repulsion_phi(s, frame, out->x, out->n, NULL)),
                 steep = vv_norm(out->n);
    out->most = mu * press * steep * seconds;
    if (!(out->most > 0))
        return false;
    for (int k = 0; k < 3; k++)
        out->n[k] /= steep;
    material_velocity(frame, out->x, v, out->wall);
    vv_vertex_position(contact->vertices, s->vertex, v, u);
    vv_slide_along(out, u, out->u);
    return true;
}

void vv_repulsion_rub(vv_energy *e, const double *q, double seconds, const double *inverse_mass, double *v,
                      double *lost, double *work)
{
    const vv_repulsion *r = (const vv_repulsion *)e;
    if (r->count == 0 || !vv_contact_place(r->def.contact, q))
        return;
    for (int i = 0; i < r->count; i++) {
        vv_slide s;
        if (!vv_repulsion_slides(e, i, q, seconds, inverse_mass, v, &s))
            continue;
        const double speed = vv_norm(s.u), most = s.most - r->springs[i].spent;
        if (!(speed > 0 && most > 0))
            continue;
        const double impulse = fmin(most, speed / s.give);
        const double p[3] = { -impulse * s.u[0] / speed, -impulse * s.u[1] / speed, -impulse * s.u[2] / speed };
        push(r->def.contact->vertices, s.vertex, inverse_mass, p, v);
        *lost += impulse * (speed - 0.5 * impulse * s.give);
        *work += vv_dot(p, s.wall) - driven(r->def.contact->vertices, s.vertex, inverse_mass, p, v);
    }
}

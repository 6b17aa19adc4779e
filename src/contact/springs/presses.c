/* Pairs of vertices and obstacles: their list, friction, the work of obstacles that move, and forces (theory §5.12,
 * §5.14). */
#include "contact/springs/presses.h"

#include "base/memory.h"

#include <string.h>

/* ---- the list ---- */

void vv_presses_clear(vv_presses *p)
{
    for (int v = 0; v < p->contact->vertices->count; v++)
        p->first[v] = -1;
    p->count = 0;
}

bool vv_presses_init(vv_presses *p, const vv_barrier_def *contact, void (*law)(double, double *), bool follows)
{
    const size_t vertices = (size_t)contact->vertices->count;
    *p = (vv_presses){ contact, law, follows, .first = vv_alloc(vertices, sizeof(int)) };
    if (!p->first || !vv_grow((void **)&p->pair, &p->capacity, vertices + 1, sizeof *p->pair))
        return false;
    vv_presses_clear(p);
    return true;
}

void vv_presses_free(vv_presses *p)
{
    vv_free(p->pair);
    vv_free(p->first);
}

vv_press *vv_presses_add(vv_presses *p, int vertex, int obstacle)
{
    if (!vv_grow((void **)&p->pair, &p->capacity, (size_t)p->count + 1, sizeof *p->pair))
        return NULL;
    if (p->first[vertex] < 0)
        p->first[vertex] = p->count;
    p->pair[p->count] = (vv_press){ .vertex = vertex, .obstacle = obstacle };
    return p->pair + p->count++;
}

static double force_of(const vv_presses *p, const vv_press *s, double phi)
{
    double f[3];
    if (!p->law)
        return s->force;
    p->law(phi, f);
    return -s->k * f[1];
}

/* ---- friction ---- */

void vv_frame_velocity(const vv_frame *frame, const double x[3], const double *v, double u[3])
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

double vv_vertex_yield(const vv_vertices *vs, int v, const double *inverse_mass)
{
    double sum = 0;
    for (int i = vs->start[v]; i < vs->start[v + 1]; i++)
        sum += vs->weight[i] * vs->weight[i] * inverse_mass[vs->node[i]];
    return sum;
}

void vv_vertex_push(const vv_vertices *vs, int v, const double *inverse_mass, const double p[3], double *of_nodes)
{
    for (int i = vs->start[v]; i < vs->start[v + 1]; i++)
        for (size_t k = 0; k < 3; k++)
            of_nodes[3 * (size_t)vs->node[i] + k] += vs->weight[i] * inverse_mass[vs->node[i]] * p[k];
}

double vv_presses_coefficient(const vv_presses *p, int i)
{
    const vv_press *s = p->pair + i;
    return vv_obstacle_friction(p->contact->obstacles + s->obstacle, p->contact->vertices->friction[s->vertex],
                                p->contact->friction);
}

double vv_presses_normal(const vv_presses *p, int i, const double *q, double x[3], double n[3])
{
    const vv_press *s = p->pair + i;
    vv_vertex_position(p->contact->vertices, s->vertex, q, x);
    const double press = force_of(p, s, vv_press_phi(p, s, vv_contact_frame(p->contact, s->obstacle), x, n, NULL)),
                 steep = vv_norm(n);
    for (int k = 0; k < 3; k++)
        n[k] /= steep;
    return press * steep;
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

bool vv_presses_slide(const vv_presses *p, int i, const double *q, double seconds, const double *inverse_mass,
                      const double *v, vv_slide *out)
{
    const vv_vertices *vs = p->contact->vertices;
    const vv_press *s = p->pair + i;
    const vv_frame *frame = vv_contact_frame(p->contact, s->obstacle);
    const double mu = vv_presses_coefficient(p, i);
    double u[3];
    *out = (vv_slide){ .vertex = s->vertex, .give = vv_vertex_yield(vs, s->vertex, inverse_mass) };
    if (!(mu > 0 && out->give > 0))
        return false;
    out->most = mu * vv_presses_normal(p, i, q, out->x, out->n) * seconds;
    if (!(out->most > 0))
        return false;
    vv_frame_velocity(frame, out->x, v, out->wall);
    vv_vertex_position(vs, s->vertex, v, u);
    vv_slide_along(out, u, out->u);
    return true;
}

void vv_presses_rub(const vv_presses *p, const double *q, double seconds, const double *inverse_mass, double *v,
                    double *lost, double *work)
{
    const vv_vertices *vs = p->contact->vertices;
    if (p->count == 0 || !vv_contact_place(p->contact, q))
        return;
    for (int i = 0; i < p->count; i++) {
        vv_slide s;
        if (!vv_presses_slide(p, i, q, seconds, inverse_mass, v, &s))
            continue;
        const double speed = vv_norm(s.u), most = s.most - p->pair[i].spent;
        if (!(speed > 0 && most > 0))
            continue;
        const double impulse = fmin(most, speed / s.give);
        const double j[3] = { -impulse * s.u[0] / speed, -impulse * s.u[1] / speed, -impulse * s.u[2] / speed };
        vv_vertex_push(vs, s.vertex, inverse_mass, j, v);
        *lost += impulse * (speed - 0.5 * impulse * s.give);
        *work += vv_dot(j, s.wall) - driven(vs, s.vertex, inverse_mass, j, v);
    }
}

/* ---- the work of obstacles, and forces ---- */

void vv_presses_pushed(const vv_presses *p, const int *frame_body, const double *q, const double *q_a,
                       const double *q_b, double part, double *work)
{
    const vv_barrier_def *contact = p->contact;
    if (!contact->frames || !vv_contact_place(contact, q))
        return;
    for (int i = 0; i < p->count; i++) {
        const vv_press *s = p->pair + i;
        const vv_frame *frame = vv_contact_frame(contact, s->obstacle);
        double x[3], n[3], w[4], done = 0;
        if (!frame)
            continue;
        vv_vertex_position(contact->vertices, s->vertex, q, x);
        const double press = force_of(p, s, vv_press_phi(p, s, frame, x, n, NULL));
        vv_frame_weights(frame, x, w);
        for (size_t j = 0; j < 12; j++)
            done += part * press * n[j % 3] * w[j / 3] *
                    (q_b[3 * (size_t)frame->node + j] - q_a[3 * (size_t)frame->node + j]);
        work[frame_body[s->obstacle]] -= done;
        work[contact->vertices->body[s->vertex]] += done;
    }
}

/* How far the material at the pair's vertex comes along the surface's normal from q_a to q_b, where frames are
 * placed, m. It goes straight there: the mean of the normals at both ends is perpendicular to the path of what only
 * turns. */
static double advance_of(const vv_presses *p, const vv_press *s, const double *q_a, const double *q_b)
{
    const vv_frame *frame = vv_contact_frame(p->contact, s->obstacle);
    double x[3], from[3] = { 0, 0, 0 }, n[3], n_from[3], w[4], sum = 0;
    if (!frame)
        return 0;
    vv_frame before = *frame;
    vv_vertex_position(p->contact->vertices, s->vertex, q_b, x);
    vv_press_phi(p, s, frame, x, n, NULL);
    vv_frame_weights(frame, x, w);
    for (size_t j = 0; j < 12; j++)
        from[j % 3] += w[j / 3] * q_a[3 * (size_t)frame->node + j];
    if (!vv_frame_place(&before, q_a))
        memcpy(n_from, n, sizeof n);
    else
        vv_press_phi(p, s, &before, from, n_from, NULL);
    for (size_t j = 0; j < 12; j++)
        sum += 0.5 * (n[j % 3] + n_from[j % 3]) * w[j / 3] *
               (q_b[3 * (size_t)frame->node + j] - q_a[3 * (size_t)frame->node + j]);
    return sum;
}

/* What vertices that begin inside get on their way out, which is as long as they are deep. */
static double pushed_out(const vv_presses *p, const double *q)
{
    double sum = 0, x[3];
    if (!vv_contact_place(p->contact, q))
        return 0;
    for (const vv_press *s = p->pair; s < p->pair + p->count; s++) {
        if (!(s->force > 0))
            continue;
        vv_vertex_position(p->contact->vertices, s->vertex, q, x);
        sum += s->force * fmax(0, -vv_contact_gap(p->contact, s->vertex, s->obstacle, x, NULL, NULL));
    }
    return sum;
}

double vv_presses_driven(const vv_presses *p, const double *q_a, const double *q_b)
{
    double sum = pushed_out(p, q_a);
    if (!p->contact->frames || !vv_contact_place(p->contact, q_b))
        return sum;
    for (int i = 0; i < p->count; i++)
        if (p->pair[i].force > 0)
            sum += p->pair[i].force * advance_of(p, p->pair + i, q_a, q_b);
    return sum;
}

double vv_presses_force(const vv_presses *p, int v, int o, const double x[3])
{
    for (int i = p->first[v]; i >= 0 && i < p->count && p->pair[i].vertex == v; i++)
        if (p->pair[i].obstacle == o)
            return force_of(p, p->pair + i,
                            vv_press_phi(p, p->pair + i, vv_contact_frame(p->contact, o), x, NULL, NULL));
    return 0;
}

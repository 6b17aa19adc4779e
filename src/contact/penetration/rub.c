/* Friction of vertices inside bodies, on velocities (theory §5.13; Gast, Schroeder 2014, §5.3). The slide of a pair
 * is u = Q sum_i w_i v_i, Q = 1 - n n^T, with w of the vertex +1, of the places on the triangle together -1. An
 * impulse j along it on all nodes, each by its part, changes u by j sum_n c_n^2 / m_n, c_n the part of node n; -u
 * over that sum makes kinetic energy least, and friction does that much or mu f h, whichever is less. So kinetic
 * energy never grows by it. */
#include "contact/pairs/potential.h"
#include "contact/penetration/penetration.h"

#include "base/vec.h"

enum { PARTS = 4 * VV_VERTEX_NODES };

/* A pair as a sum over nodes, each once: sum c_n q_n. */
typedef struct mixture {
    int count, node[PARTS];
    double part[PARTS];
} mixture;

static mixture mix(const vv_vertices *vs, const vv_pair *p, const double w[4])
{
    mixture m = { .count = 0 };
    for (int i = 0; i < 4; i++)
        for (int k = vs->start[p->vertex[i]]; w[i] != 0 && k < vs->start[p->vertex[i] + 1]; k++) {
            int at = 0;
            while (at < m.count && m.node[at] != vs->node[k])
                at++;
            if (at == m.count)
                m.node[m.count++] = vs->node[k], m.part[at] = 0;
            m.part[at] += w[i] * vs->weight[k];
        }
    return m;
}

/* The slide; 0: nothing can slow it down. */
static double slide_of(const mixture *m, const double n[3], const double *inverse_mass, const double *v, double u[3],
                       double *give)
{
    u[0] = u[1] = u[2] = *give = 0;
    for (int i = 0; i < m->count; i++) {
        for (size_t k = 0; k < 3; k++)
            u[k] += m->part[i] * v[3 * (size_t)m->node[i] + k];
        *give += m->part[i] * m->part[i] * inverse_mass[m->node[i]];
    }
    const double away = vv_dot(u, n);
    for (int k = 0; k < 3; k++)
        u[k] -= away * n[k];
    return *give > 0 ? vv_norm(u) : 0;
}

static void rub(const vv_collisions *c, const vv_pair *pair, double seconds, const double *inverse_mass, double *v,
                double *lost, double *work)
{
    const vv_vertices *vs = c->def.surface->vertices;
    const double mu =
        c->penetration->coefficient(c->penetration->user, vs->body[pair->vertex[0]], vs->body[pair->vertex[3]]);
    vv_pair_state s;
    double n[3], u[3], give;
    vv_pair_state_at(c, pair, &s);
    const double most = mu * -vv_pair_force(&s, n) * seconds;
    const mixture m = mix(vs, pair, s.w);
    const double speed = most > 0 ? slide_of(&m, n, inverse_mass, v, u, &give) : 0;
    if (!(speed > 0))
        return;
    const double impulse = fmin(most, speed / give),
                 p[3] = { -impulse * u[0] / speed, -impulse * u[1] / speed, -impulse * u[2] / speed };
    *lost += impulse * (speed - 0.5 * impulse * give);
    for (int i = 0; i < m.count; i++) {
        double *of = v + 3 * (size_t)m.node[i];
        if (!(inverse_mass[m.node[i]] > 0))
            *work -= m.part[i] * vv_dot(p, of);
        for (int k = 0; k < 3; k++)
            of[k] += m.part[i] * inverse_mass[m.node[i]] * p[k];
    }
}

bool vv_penetration_rub(vv_collisions *c, const vv_parallel *par, const double *q, double seconds,
                        const double *inverse_mass, double *v, double *lost, double *work)
{
    if (!c->penetration->coefficient)
        return true;
    if (!vv_collisions_update(c, par, q))
        return false;
    for (size_t i = 0; i < c->count; i++)
        if (!c->pairs[i].inner)
            rub(c, c->pairs + i, seconds, inverse_mass, v, lost, work);
    return true;
}

/* St. Venant-Kirchhoff: a tet material (material.h). */
#ifndef VV_ENERGY_TETS_STVK_H
#define VV_ENERGY_TETS_STVK_H

#include "energy/tets/material.h"

/* psi = mu |G|^2 + la/2 tr^2 G, P = F (2 mu G + la tr G I) */
VV_INLINE void stvk_stress(const vv_strain8 *e, double mu, double la, vv_d8 *psi, vv_d8 p[9])
{
    vv_sym8 s;
    *psi = mu * e->green + 0.125 * la * e->stretch * e->stretch;
    for (int k = 0; k < 3; k++) {
        s.d[k] = mu * e->c.d[k] + 0.5 * la * e->stretch;
        s.o[k] = mu * e->c.o[k];
    }
    vv8_times_symmetric(e->f, &s, p);
}

/* StVK: psi = mu |G|^2 + la/2 tr^2 G, with G = diag (s^2 - 1)/2 */

static inline double stvk_bound(double mu, double la) { return (void)mu, (void)la, 0; }
static inline double stvk_rest(double mu, double la) { return vv_rest_weight(mu, la); }

VV_INLINE void stvk_frame(const vv_d8 s[3], double mu, double la, vv_frame8 *f)
{
    vv_d8 square[3] = { s[0] * s[0], s[1] * s[1], s[2] * s[2] };
    vv_d8 trace = 0.5 * ((square[0] - 1) + (square[1] - 1) + (square[2] - 1));
    for (int k = 0; k < 3; k++) {
        vv_d8 even = mu * (square[VV_I(k)] + square[VV_J(k)] - 1) + la * trace, odd = s[VV_I(k)] * s[VV_J(k)];
        f->p[k] = s[k] * (mu * (square[k] - 1) + la * trace);
        f->h.d[k] = mu * (3 * square[k] - 1) + la * (trace + square[k]);
        f->h.o[k] = la * odd;
        f->minus[k] = even + mu * odd;
        f->plus[k] = even - mu * odd;
    }
}

/* St. Venant-Kirchhoff: with S = 2 mu G + la tr G I, force F S g and second derivatives
 * (g . S g) I + mu |g|^2 F F^T + (mu + la) a a^T ---- */

VV_INLINE void stvk_at_node(const vv_vertex8 *v, vv_d8 mu, vv_d8 la, vv_at_node8 *o)
{
    vv_sym8 c;
    vv_d8 a[3], s[3];
    vv8_gram(v->f, &c);
    for (int k = 0; k < 3; k++)
        c.d[k] -= 1;
    vv_d8 pressure = 0.5 * la * (c.d[0] + c.d[1] + c.d[2]), weight = mu * v->square;
    for (int k = 0; k < 3; k++)
        s[k] =
            pressure * v->g[k] + mu * (c.d[k] * v->g[k] + c.o[VV_J(k)] * v->g[VV_I(k)] + c.o[VV_I(k)] * v->g[VV_J(k)]);
    vv8_times(v->f, v->g, a);
    vv8_times(v->f, s, o->force);
    vv8_diagonal(vv8_dot(v->g, s), &o->h);
    for (int k = 0; k < 3; k++) {
        const vv_d8 *p = v->f + 3 * VV_I(k), *q = v->f + 3 * VV_J(k), *own = v->f + 3 * k;
        o->h.d[k] += weight * (own[0] * own[0] + own[1] * own[1] + own[2] * own[2]);
        o->h.o[k] += weight * (p[0] * q[0] + p[1] * q[1] + p[2] * q[2]);
    }
    vv8_add_square(mu + la, a, &o->h);
}

VV_INLINE void stvk_sweep(const vv_strain8 *e, double mu, double la, vv_sweep8 *s)
{
    stvk_stress(e, mu, la, &s->psi, s->p);
    vv8_copy9(e->f, s->b);
    s->soft = mu * (3 * vv8_most_square(e) - 1) + 0.5 * la * vv8_max(e->stretch, vv8_zero());
    s->bulk = la;
}

#endif

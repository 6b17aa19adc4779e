/* Corotated linear elasticity: a tet material (material.h). */
#ifndef VV_ENERGY_TETS_COROTATED_H
#define VV_ENERGY_TETS_COROTATED_H

#include "energy/tets/material.h"

/* psi = mu |F - R|^2 + la/2 T^2, T = tr (R^T F - I) = R : (F - R) */
VV_INLINE void corotated_stress(const vv_strain8 *e, double mu, double la, vv_d8 *psi, vv_d8 p[9])
{
    vv_d8 row[3];
    vv8_less_rotation(e, p);
    for (int i = 0; i < 3; i++)
        row[i] = e->r[3 * i] * p[3 * i] + e->r[3 * i + 1] * p[3 * i + 1] + e->r[3 * i + 2] * p[3 * i + 2];
    vv_d8 t = row[0] + row[1] + row[2];
    *psi = mu * vv8_square9(p) + 0.5 * la * t * t;
    t *= la;
    for (int i = 0; i < 9; i++)
        p[i] = 2 * mu * p[i] + t * e->r[i];
}

/* Corotated: psi = mu sum (s - 1)^2 + la/2 T^2, T = s0 + s1 + s2 - 3 */

/* T^2 / 3 is the squared distance of F from the matrices with s0 + s1 + s2 = 3: a second projection, F - T/3 R. But
 * where T > 0 and two singular values are so small that R is not that matrix's rotation (s1 + s2 < 2/3 T), the
 * nearest one is farther, and psi stiffer against twist than any constant. */
static inline double corotated_bound(double mu, double la) { return 2 * mu + (la > 0 ? 3 * la : 0); }
static inline double corotated_rest(double mu, double la) { return vv_rest_weight(mu, la); }

VV_INLINE void corotated_frame(const vv_d8 s[3], double mu, double la, vv_frame8 *f)
{
    vv_d8 t = (s[0] - 1) + (s[1] - 1) + (s[2] - 1);
    for (int k = 0; k < 3; k++) {
        f->p[k] = 2 * mu * (s[k] - 1) + la * t;
        f->h.d[k] = vv8_set(2 * mu + la);
        f->h.o[k] = vv8_set(la);
        f->minus[k] = vv8_set(2 * mu);
        f->plus[k] = 2 * mu + (2 * la * t - 4 * mu) / vv_pair_sum(s, k);
    }
}

VV_INLINE void corotated_at_node(const vv_vertex8 *v, vv_d8 mu, vv_d8 la, vv_at_node8 *o)
{
    vv_turn8 turn;
    vv8_turn(v, &turn);
    vv8_turned(v, &turn, 2 * mu, la * turn.t, o);
    vv8_add_square(la, turn.r, &o->h);
}

VV_INLINE void corotated_sweep(const vv_strain8 *e, double mu, double la, vv_sweep8 *s)
{
    vv_d8 t = vv8_zero();
    corotated_stress(e, mu, la, &s->psi, s->p);
    vv8_copy9(e->r, s->b);
    for (int i = 0; i < 9; i++)
        t += s->b[i] * (e->f[i] - s->b[i]);
    s->soft = 2 * mu + la * vv8_max(t, vv8_zero());
    s->bulk = la;
}

#endif

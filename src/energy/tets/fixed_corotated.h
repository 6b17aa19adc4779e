/* Fixed corotated (Stomakhin, Howes, Schroeder, Teran 2012): a tet material (material.h). */
#ifndef VV_ENERGY_TETS_FIXED_COROTATED_H
#define VV_ENERGY_TETS_FIXED_COROTATED_H

#include "energy/tets/material.h"

/* psi = mu |F - R|^2 + la/2 (J - 1)^2 */
VV_INLINE void fixed_corotated_stress(const vv_strain8 *e, double mu, double la, vv_d8 *psi, vv_d8 p[9])
{
    vv_d8 j1 = e->j - 1;
    vv8_less_rotation(e, p);
    *psi = mu * vv8_square9(p) + 0.5 * la * j1 * j1;
    j1 *= la;
    for (int i = 0; i < 9; i++)
        p[i] = 2 * mu * p[i] + j1 * e->cof[i];
}

VV_INLINE void fixed_corotated_volume(vv_d8 j, vv_d8 u[3]) { vv8_square_volume(j, u); }

/* Fixed corotated: psi = mu sum (s - 1)^2 + la/2 (J - 1)^2 */

static inline double fixed_corotated_bound(double mu, double la) { return (void)mu, (void)la, 0; }
static inline double fixed_corotated_rest(double mu, double la) { return vv_rest_weight(mu, la); }

VV_INLINE void fixed_corotated_frame(const vv_d8 s[3], double mu, double la, vv_frame8 *f)
{
    vv_d8 j = s[0] * s[1] * s[2];
    for (int k = 0; k < 3; k++) {
        vv_d8 area = s[VV_I(k)] * s[VV_J(k)]; /* dJ / ds_k */
        f->p[k] = 2 * mu * (s[k] - 1) + la * (j - 1) * area;
        f->h.d[k] = 2 * mu + la * area * area;
        f->h.o[k] = la * s[k] * (2 * j - 1);
        f->minus[k] = 2 * mu - la * (j - 1) * s[k];
        f->plus[k] = 2 * mu - 4 * mu / vv_pair_sum(s, k) + la * (j - 1) * s[k];
    }
}

VV_INLINE void fixed_corotated_at_node(const vv_vertex8 *v, vv_d8 mu, vv_d8 la, vv_at_node8 *o)
{
    vv_turn8 turn;
    vv_d8 pressure = la * (v->j - 1);
    vv8_turn(v, &turn);
    vv8_turned(v, &turn, 2 * mu, vv8_zero(), o);
    for (int k = 0; k < 3; k++)
        o->force[k] += pressure * v->c[k];
    vv8_add_square(la, v->c, &o->h);
}

VV_INLINE void fixed_corotated_sweep(const vv_strain8 *e, double mu, double la, vv_sweep8 *s)
{
    fixed_corotated_stress(e, mu, la, &s->psi, s->p);
    vv8_copy9(e->cof, s->b);
    s->soft = 2 * mu + la * vv8_abs(e->j - 1) * vv8_sqrt(vv8_most_square(e));
    s->bulk = la;
}

#endif

/* As rigid as possible: a tet material (material.h). */
#ifndef VV_ENERGY_TETS_ARAP_H
#define VV_ENERGY_TETS_ARAP_H

#include "energy/tets/material.h"

/* psi = mu |F - R|^2 */
VV_INLINE void arap_stress(const vv_strain8 *e, double mu, double la, vv_d8 *psi, vv_d8 p[9])
{
    (void)la;
    vv8_less_rotation(e, p);
    *psi = mu * vv8_square9(p);
    for (int i = 0; i < 9; i++)
        p[i] *= 2 * mu;
}

/* Arap: psi = mu sum (s - 1)^2 */

/* mu |F - R|^2 is mu times the squared distance of F from the rotations. */
static inline double arap_bound(double mu, double la) { return (void)la, 2 * mu; }
static inline double arap_rest(double mu, double la) { return (void)la, 2 * mu; }

VV_INLINE void arap_frame(const vv_d8 s[3], double mu, double la, vv_frame8 *f)
{
    (void)la;
    for (int k = 0; k < 3; k++) {
        f->p[k] = 2 * mu * (s[k] - 1);
        f->h.d[k] = vv8_set(2 * mu);
        f->h.o[k] = vv8_zero();
        f->minus[k] = vv8_set(2 * mu);
        f->plus[k] = 2 * mu - 4 * mu / vv_pair_sum(s, k);
    }
}

VV_INLINE void arap_at_node(const vv_vertex8 *v, vv_d8 mu, vv_d8 la, vv_at_node8 *o)
{
    vv_turn8 turn;
    (void)la;
    vv8_turn(v, &turn);
    vv8_turned(v, &turn, 2 * mu, vv8_zero(), o);
}

VV_INLINE void arap_sweep(const vv_strain8 *e, double mu, double la, vv_sweep8 *s)
{
    arap_stress(e, mu, la, &s->psi, s->p);
    vv8_copy9(e->f, s->b);
    s->soft = vv8_set(2 * mu);
    s->bulk = 0;
}

#endif

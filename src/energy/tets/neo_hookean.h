/* Neo-Hookean: a tet material (material.h). */
#ifndef VV_ENERGY_TETS_NEO_HOOKEAN_H
#define VV_ENERGY_TETS_NEO_HOOKEAN_H

#include "energy/tets/material.h"

/* psi = mu/2 (I - 3) - mu ln J + la/2 ln^2 J, J > 0; P = mu F + (la ln J - mu) / J cof F. A J of rounding size may
 * come out negative. */
VV_INLINE void neo_hookean_stress(const vv_strain8 *e, double mu, double la, vv_d8 *psi, vv_d8 p[9])
{
    vv_d8 j = vv8_max(e->j, vv8_set(1e-200)), log_j = vv8_log(j), pressure = (la * log_j - mu) / j;
    *psi = 0.5 * mu * e->stretch - mu * log_j + 0.5 * la * log_j * log_j;
    for (int i = 0; i < 9; i++)
        p[i] = mu * e->f[i] + pressure * e->cof[i];
}

VV_INLINE void neo_hookean_volume(vv_d8 j, vv_d8 u[3])
{
    vv_d8 positive = vv8_max(j, vv8_set(1e-200)), log_j = vv8_log(positive), inverse = 1 / positive;
    u[0] = 0.5 * log_j * log_j;
    u[1] = log_j * inverse;
    u[2] = (1 - log_j) * (inverse * inverse);
}

static inline double neo_hookean_bound(double mu, double la) { return (void)mu, (void)la, 0; }
static inline double neo_hookean_rest(double mu, double la) { return vv_rest_weight(mu, la); }

VV_INLINE void neo_hookean_frame(const vv_d8 s[3], double mu, double la, vv_frame8 *f)
{
    vv_d8 smallest = vv8_max(s[2], vv8_set(1e-30)); /* J > 0, but rounding of the singular values may lose it */
    vv_d8 pressure = la * vv8_log(s[0] * s[1] * smallest) - mu;
    vv_d8 inverse[3] = { 1 / s[0], 1 / s[1], 1 / smallest };
    for (int k = 0; k < 3; k++) {
        vv_d8 pair = inverse[VV_I(k)] * inverse[VV_J(k)];
        f->p[k] = mu * s[k] + pressure * inverse[k];
        f->h.d[k] = mu + (la - pressure) * (inverse[k] * inverse[k]);
        f->h.o[k] = la * pair;
        f->minus[k] = mu - pressure * pair;
        f->plus[k] = mu + pressure * pair;
    }
}

/* Where J > e^(1 + mu/la) the second derivative in J is negative, and left out. */
VV_INLINE void neo_hookean_at_node(const vv_vertex8 *v, vv_d8 mu, vv_d8 la, vv_at_node8 *o)
{
    vv_d8 a[3], inverse = 1 / vv8_positive_j(v->j), pressure = la * vv8_log(vv8_positive_j(v->j)) - mu;
    vv8_times(v->f, v->g, a);
    for (int k = 0; k < 3; k++)
        o->force[k] = mu * a[k] + pressure * inverse * v->c[k];
    vv8_diagonal(mu * v->square, &o->h);
    vv8_add_square(vv8_max(la - pressure, vv8_zero()) * (inverse * inverse), v->c, &o->h);
}

#endif

/* Stable Neo-Hookean (Smith, de Goes, Kim 2018): a tet material (material.h). */
#ifndef VV_ENERGY_TETS_STABLE_NEO_HOOKEAN_H
#define VV_ENERGY_TETS_STABLE_NEO_HOOKEAN_H

#include "energy/tets/material.h"

/* psi = m/2 (I - 3) + l/2 (J - alpha)^2 - m/2 ln (I + 1) - psi(identity) with m = 4 mu/3, l = la + 5 mu/6 (so that
 * small strains see mu and la) and l alpha = l + 3 m/4; P = 3/4 m (F - cof F) + m (I - 3) / (4 (I + 1)) F + l (J - 1)
 * cof F. */
VV_INLINE void stable_neo_hookean_stress(const vv_strain8 *e, double mu, double la, vv_d8 *psi, vv_d8 p[9])
{
    double m = 4 * mu / 3, l = la + 5 * mu / 6;
    vv_d8 j1 = e->j - 1; /* (J - alpha)^2 - (1 - alpha)^2 = (J - 1) (J - 1 + 2 (1 - alpha)) */
    *psi = 0.5 * m * (e->stretch - vv8_log(1 + 0.25 * e->stretch)) + 0.5 * j1 * (l * j1 - 1.5 * m);
    vv_d8 shear = 0.25 * m * e->stretch / (e->stretch + 4), volume = l * j1;
    for (int i = 0; i < 9; i++)
        p[i] = 0.75 * m * (e->f[i] - e->cof[i]) + (shear * e->f[i] + volume * e->cof[i]);
}

VV_INLINE void stable_neo_hookean_volume(vv_d8 j, vv_d8 u[3]) { vv8_square_volume(j, u); }

/* Stable Neo-Hookean: psi = m/2 (I - 3) + l/2 (J - alpha)^2 - m/2 ln (I + 1) - psi(identity)
 * with m = 4 mu/3, l = la + 5 mu/6 (so that small strains see mu and la) and l alpha = l + 3 m/4. */

static inline double stable_neo_hookean_bound(double mu, double la) { return (void)mu, (void)la, 0; }
static inline double stable_neo_hookean_rest(double mu, double la) { return vv_rest_weight(mu, la); }

VV_INLINE void stable_neo_hookean_frame(const vv_d8 s[3], double mu, double la, vv_frame8 *f)
{
    double m = 4 * mu / 3, l = la + 5 * mu / 6;
    vv_d8 inverse = 1 / (s[0] * s[0] + s[1] * s[1] + s[2] * s[2] + 1);
    vv_d8 shear = m - m * inverse, bend = 2 * m * inverse * inverse, j = s[0] * s[1] * s[2];
    vv_d8 pressure = l * (j - 1) - 0.75 * m; /* l (J - alpha) */
    for (int k = 0; k < 3; k++) {
        vv_d8 area = s[VV_I(k)] * s[VV_J(k)];
        f->p[k] = shear * s[k] + pressure * area;
        f->h.d[k] = shear + bend * s[k] * s[k] + l * area * area;
        f->h.o[k] = bend * area + s[k] * (l * j + pressure);
        f->minus[k] = shear - pressure * s[k];
        f->plus[k] = shear + pressure * s[k];
    }
}

/* Stable Neo-Hookean: always semidefinite */

VV_INLINE void stable_neo_hookean_at_node(const vv_vertex8 *v, vv_d8 mu, vv_d8 la, vv_at_node8 *o)
{
    vv_d8 a[3], m = mu * (4.0 / 3), l = la + mu * (5.0 / 6), size = vv8_set(1);
    for (int i = 0; i < 9; i++)
        size += v->f[i] * v->f[i];
    vv_d8 inverse = 1 / size, shear = m - m * inverse, pressure = l * (v->j - 1) - 0.75 * m;
    vv8_times(v->f, v->g, a);
    for (int k = 0; k < 3; k++)
        o->force[k] = shear * a[k] + pressure * v->c[k];
    vv8_diagonal(shear * v->square, &o->h);
    vv8_add_square(2 * (m * (inverse * inverse)), a, &o->h);
    vv8_add_square(l, v->c, &o->h);
}

VV_INLINE void stable_neo_hookean_sweep(const vv_strain8 *e, double mu, double la, vv_sweep8 *s)
{
    double l = la + 5 * mu / 6;
    stable_neo_hookean_stress(e, mu, la, &s->psi, s->p);
    vv8_copy9(e->cof, s->b);
    s->soft = mu + (mu + l * vv8_abs(e->j - 1)) * vv8_sqrt(vv8_most_square(e));
    s->bulk = l;
}

#endif

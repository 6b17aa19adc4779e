/* A tet material that is not the library's, tried by tests/energy/tets/test_own_material.c: a Neo-Hookean solid that
 * may invert, psi = mu/2 (I - 3) - mu (J - 1) + l/2 (J - 1)^2 with l = la + mu, so that small strains see mu and la. It
 * is written as src/energy/tets/material.h says, and has the row below in the list. */
#ifndef VV_TESTS_OWN_MATERIAL_H
#define VV_TESTS_OWN_MATERIAL_H

#include "energy/tets/material.h"

#define VV_MORE_TET_MATERIALS(X) X(rubber, "rubber", "mu/2 (I - 3) - mu (J - 1) + (la + mu)/2 (J - 1)^2", 0, 0, 1, 0)

/* P = mu F + (l (J - 1) - mu) cof F */
VV_INLINE void rubber_stress(const vv_strain8 *e, double mu, double la, vv_d8 *psi, vv_d8 p[9])
{
    double l = la + mu;
    vv_d8 j1 = e->j - 1, volume = l * j1;
    *psi = 0.5 * mu * e->stretch - mu * j1 + 0.5 * l * j1 * j1;
    for (int i = 0; i < 9; i++)
        p[i] = mu * (e->f[i] - e->cof[i]) + volume * e->cof[i];
}

static inline double rubber_bound(double mu, double la) { return (void)mu, (void)la, 0; }
static inline double rubber_rest(double mu, double la) { return vv_rest_weight(mu, la); }

VV_INLINE void rubber_frame(const vv_d8 s[3], double mu, double la, vv_frame8 *f)
{
    double l = la + mu;
    vv_d8 j = s[0] * s[1] * s[2], pressure = l * (j - 1) - mu;
    for (int k = 0; k < 3; k++) {
        vv_d8 area = s[VV_I(k)] * s[VV_J(k)]; /* dJ / ds_k */
        f->p[k] = mu * s[k] + pressure * area;
        f->h.d[k] = mu + l * area * area;
        f->h.o[k] = s[k] * (l * j + pressure);
        f->minus[k] = mu - pressure * s[k];
        f->plus[k] = mu + pressure * s[k];
    }
}

VV_INLINE void rubber_at_node(const vv_vertex8 *v, vv_d8 mu, vv_d8 la, vv_at_node8 *o)
{
    vv_d8 a[3], l = la + mu, pressure = l * (v->j - 1) - mu;
    vv8_times(v->f, v->g, a);
    for (int k = 0; k < 3; k++)
        o->force[k] = mu * a[k] + pressure * v->c[k];
    vv8_diagonal(mu * v->square, &o->h);
    vv8_add_square(l, v->c, &o->h);
}

VV_INLINE void rubber_sweep(const vv_strain8 *e, double mu, double la, vv_sweep8 *s)
{
    rubber_stress(e, mu, la, &s->psi, s->p);
    vv8_copy9(e->cof, s->b);
    s->soft = mu + vv8_abs((la + mu) * (e->j - 1) - mu) * vv8_sqrt(vv8_most_square(e));
    s->bulk = la + mu;
}

#endif

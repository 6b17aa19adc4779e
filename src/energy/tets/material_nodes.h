/* The tet materials as functions of one node (theory §6.13): for each row of the list in materials.h
 *   NAME_at_node(v, mu, la, o)  the gradient of psi and its second derivatives in the position of the node
 * Eight tets at once, lane = tet. mu and la may carry a weight: all is linear in them.
 *
 * With g the gradient of the node's shape function, dF = dx (x) g, and
 *   a = F g:  d|F|^2 = 2 a . dx, d2|F|^2 = 2 |g|^2 I        c = cof(F) g:  dJ = c . dx, and J is linear in x
 *   r = R g:  d tr S = r . dx,  d2 tr S = B = [r]x^T K^-1 [r]x,  K = tr(V) I - V,  F = V R
 * where B, K from d(R S) = dF: with w the axial vector of dR R^T, K w = r x dx. K's eigenvalues are the sums s_i +
 * s_j. So no material needs the singular values. */
#ifndef VV_ENERGY_TETS_MATERIAL_NODES_H
#define VV_ENERGY_TETS_MATERIAL_NODES_H

#include "energy/tets/material_stress.h"
#include "energy/tets/materials.h"

typedef struct vv_vertex8 {
    vv_d8 f[9], g[3], square; /* |g|^2 */
    vv_d8 j, c[3];
} vv_vertex8;

typedef struct vv_at_node8 {
    vv_d8 force[3]; /* dE/dx */
    vv_sym8 h;
} vv_at_node8;

VV_INLINE void vv8_times(const vv_d8 m[9], const vv_d8 x[3], vv_d8 y[3])
{
    for (int i = 0; i < 3; i++)
        y[i] = m[3 * i] * x[0] + m[3 * i + 1] * x[1] + m[3 * i + 2] * x[2];
}

/* h = t I */
VV_INLINE void vv8_diagonal(vv_d8 t, vv_sym8 *h)
{
    for (int k = 0; k < 3; k++) {
        h->d[k] = t;
        h->o[k] = vv8_zero();
    }
}

/* h += t v v^T */
VV_INLINE void vv8_add_square(vv_d8 t, const vv_d8 v[3], vv_sym8 *h)
{
    vv_d8 w[3] = { t * v[0], t * v[1], t * v[2] };
    for (int k = 0; k < 3; k++) {
        h->d[k] += w[k] * v[k];
        h->o[k] += w[VV_I(k)] * v[VV_J(k)];
    }
}

/* ---- with the rotation ---- */

typedef struct vv_turn8 {
    vv_d8 r[3], left[3]; /* R g; (F - R) g */
    vv_d8 t;             /* tr S - 3 */
    vv_sym8 b;           /* d2 tr S */
} vv_turn8;

/* Where s_i + s_j is small, B is large, without bound where a tet is flat, and the Hessian with it negative: there
 * K^-1 is replaced by adj K / (0.3 tr^2 S), which is smaller, as det K / tr^2 S is a lower bound of the least s_i +
 * s_j. */
VV_INLINE void vv8_turn(const vv_vertex8 *v, vv_turn8 *o)
{
    vv_d8 r[9], rest[9];
    vv_sym8 k, a;
    vv8_polar_rotation(v->f, r);
    for (int i = 0; i < 9; i++)
        rest[i] = v->f[i] - r[i];
    vv8_times(r, v->g, o->r);
    vv8_times(rest, v->g, o->left);
    o->t = vv8_zero();
    for (int i = 0; i < 3; i++) {
        o->t += r[3 * i] * rest[3 * i] + r[3 * i + 1] * rest[3 * i + 1] + r[3 * i + 2] * rest[3 * i + 2];
        const vv_d8 *p = v->f + 3 * VV_I(i), *q = r + 3 * VV_J(i);
        k.d[i] = v->f[3 * i] * r[3 * i] + v->f[3 * i + 1] * r[3 * i + 1] + v->f[3 * i + 2] * r[3 * i + 2];
        k.o[i] = -(p[0] * q[0] + p[1] * q[1] + p[2] * q[2]);
    }
    vv_d8 trace = k.d[0] + k.d[1] + k.d[2];
    for (int i = 0; i < 3; i++)
        k.d[i] = trace - k.d[i];
    for (int i = 0; i < 3; i++) { /* adjugate */
        a.d[i] = k.d[VV_I(i)] * k.d[VV_J(i)] - k.o[i] * k.o[i];
        a.o[i] = k.o[VV_I(i)] * k.o[VV_J(i)] - k.d[i] * k.o[i];
    }
    vv_d8 det = k.d[0] * a.d[0] + k.o[2] * a.o[2] + k.o[1] * a.o[1];
    vv_d8 inverse = 1 / vv8_max(vv8_max(det, 0.3 * (trace * trace)), vv8_set(1e-200));
    for (int i = 0; i < 3; i++) { /* [r]x^T A [r]x */
        int m = VV_I(i), n = VV_J(i);
        vv_d8 rm = o->r[m], rn = o->r[n], ri = o->r[i];
        o->b.d[i] = inverse * (rn * rn * a.d[m] + rm * rm * a.d[n] - 2 * (rm * rn) * a.o[i]);
        o->b.o[i] = inverse * (ri * (rm * a.o[m] + rn * a.o[n] - ri * a.o[i]) - rm * rn * a.d[i]);
    }
}

/* 2 mu (F - R) g + p R g, and 2 mu |g|^2 I + (p - 2 mu) B: of mu |F - R|^2 + f(tr S) with f' = p, but for f'' */
VV_INLINE void vv8_turned(const vv_vertex8 *v, const vv_turn8 *turn, vv_d8 mu2, vv_d8 p, vv_at_node8 *o)
{
    for (int k = 0; k < 3; k++) {
        o->force[k] = mu2 * turn->left[k] + p * turn->r[k];
        o->h.d[k] = mu2 * v->square + (p - mu2) * turn->b.d[k];
        o->h.o[k] = (p - mu2) * turn->b.o[k];
    }
}

VV_INLINE void arap_at_node(const vv_vertex8 *v, vv_d8 mu, vv_d8 la, vv_at_node8 *o)
{
    vv_turn8 turn;
    (void)la;
    vv8_turn(v, &turn);
    vv8_turned(v, &turn, 2 * mu, vv8_zero(), o);
}

VV_INLINE void corotated_at_node(const vv_vertex8 *v, vv_d8 mu, vv_d8 la, vv_at_node8 *o)
{
    vv_turn8 turn;
    vv8_turn(v, &turn);
    vv8_turned(v, &turn, 2 * mu, la * turn.t, o);
    vv8_add_square(la, turn.r, &o->h);
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

/* ---- St. Venant-Kirchhoff: with S = 2 mu G + la tr G I, force F S g and second derivatives
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

/* ---- Neo-Hookean: where J > e^(1 + mu/la) its second derivative in J is negative, and left out ---- */

/* Lanes of padding may have no J. */
VV_INLINE vv_d8 vv8_positive_j(vv_d8 j) { return vv8_select(vv8_above(j, 0), j, vv8_set(1)); }

VV_INLINE void neo_hookean_at_node(const vv_vertex8 *v, vv_d8 mu, vv_d8 la, vv_at_node8 *o)
{
    vv_d8 a[3], inverse = 1 / vv8_positive_j(v->j), pressure = la * vv8_log(vv8_positive_j(v->j)) - mu;
    vv8_times(v->f, v->g, a);
    for (int k = 0; k < 3; k++)
        o->force[k] = mu * a[k] + pressure * inverse * v->c[k];
    vv8_diagonal(mu * v->square, &o->h);
    vv8_add_square(vv8_max(la - pressure, vv8_zero()) * (inverse * inverse), v->c, &o->h);
}

/* ---- stable Neo-Hookean: always semidefinite ---- */

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

#endif

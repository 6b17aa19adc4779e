/* What a tet material's file is written with (theory §4.2, §4.3, §6.12, §6.13). Eight tets at once, lane = tet.
 *
 * A material is a function psi of F, or of the singular values s of F = U diag(s) V^T (the smallest may be negative).
 * Its file, NAME.h, has for the row of that name in materials.h
 *   NAME_stress(e, mu, la, psi, P)  psi and P = dpsi/dF, 9 entries row-major, from F itself. Near the rest state
 * nothing large cancels: they are sums of what vanishes there, F - R, J - 1, 2 G = F^T F - I. NAME_frame(s, mu, la, f)
 * what first and second derivatives need, in the frame of U and V: p[i] = psi_i = d psi / d s_i, h the 3x3 matrix d2
 * psi / d s_i d s_j, and for the pair {i, j} without k minus[k] = (psi_i - psi_j) / (s_i - s_j), plus[k] = (psi_i +
 * psi_j) / (s_i + s_j), in closed forms without cancellation. NAME_bound(mu, la), NAME_rest(mu, la)  weights of its
 * constant quadratic models w/2 |F - F_0|^2 (energy/quadratic.h), Pa; no bound: 0. What la adds to a bound is taken to
 * hold nearly everywhere only. NAME_at_node(v, mu, la, o)      for block descent: the gradient of psi and its second
 * derivatives in the position of one node. mu and la may carry a weight: all is linear in them. NAME_sweep(e, mu, la,
 * s)        for position-based solvers, where the row says so: psi, P, and that the Hessian is hardly above soft I +
 * bulk b b^T. NAME_volume(j, u)        where the row says so: psi is that of la = 0 and la u[0](J), whose derivatives
 * are u[1] and u[2].
 *
 * With dFhat = U^T dF V, the Hessian of psi is h on the diagonal entries of dFhat, and on the pair (dFhat_ij, dFhat_ji)
 * it has the eigenvalues minus (symmetric: flip) and plus (antisymmetric: twist): Smith, de Goes, Kim 2019.
 *
 * Of one node, with g the gradient of its shape function, dF = dx (x) g, and
 *   a = F g:  d|F|^2 = 2 a . dx, d2|F|^2 = 2 |g|^2 I        c = cof(F) g:  dJ = c . dx, and J is linear in x
 *   r = R g:  d tr S = r . dx,  d2 tr S = B = [r]x^T K^-1 [r]x,  K = tr(V) I - V,  F = V R
 * where B, K from d(R S) = dF: with w the axial vector of dR R^T, K w = r x dx. K's eigenvalues are the sums s_i +
 * s_j. So no material needs the singular values there.
 *
 * Notation: mu, la the Lame parameters; J = det F = s0 s1 s2, cof F = dJ/dF; I = |F|^2; R the rotation of F = R S. */
#ifndef VV_ENERGY_TETS_MATERIAL_H
#define VV_ENERGY_TETS_MATERIAL_H

#include "base/simd/polar8.h"
#include "base/simd/svd8.h"

/* ---- of the stress ---- */

/* What the functions below choose from; the compiler drops what a material does not use. */
typedef struct vv_strain8 {
    vv_d8 f[9], cof[9];
    vv_d8 r[9];    /* R, only where the row asks for it */
    vv_d8 j;       /* det F */
    vv_sym8 c;     /* F^T F - I = 2 G */
    vv_d8 stretch; /* |F|^2 - 3 = 2 tr G, from the entries of G: exact near the rest state */
    vv_d8 green;   /* |G|^2 */
} vv_strain8;

/* The rest of *e, except R, from e->f. */
VV_INLINE void vv8_strain(vv_strain8 *e)
{
    vv_sym8 *c = &e->c;
    vv8_cofactor(e->f, e->cof);
    e->j = e->f[0] * e->cof[0] + e->f[1] * e->cof[1] + e->f[2] * e->cof[2];
    vv8_gram(e->f, c);
    for (int k = 0; k < 3; k++)
        c->d[k] -= 1;
    e->stretch = c->d[0] + c->d[1] + c->d[2];
    e->green = 0.25 * (c->d[0] * c->d[0] + c->d[1] * c->d[1] + c->d[2] * c->d[2] +
                       2 * (c->o[2] * c->o[2] + c->o[1] * c->o[1] + c->o[0] * c->o[0]));
}

/* out = F - R */
VV_INLINE void vv8_less_rotation(const vv_strain8 *e, vv_d8 out[9])
{
    for (int i = 0; i < 9; i++)
        out[i] = e->f[i] - e->r[i];
}

/* u = 1/2 (J - 1)^2 */
VV_INLINE void vv8_square_volume(vv_d8 j, vv_d8 u[3])
{
    u[1] = j - 1;
    u[0] = 0.5 * u[1] * u[1];
    u[2] = vv8_set(1);
}

/* ---- of the frame ---- */

typedef struct vv_frame8 {
    vv_d8 p[3];
    vv_sym8 h; /* h.o[k]: entry of the pair without k */
    vv_d8 minus[3], plus[3];
} vv_frame8;

/* The usual NAME_rest: psi is as stiff in all nine directions of F as against stretching, 2 mu + la. A rotation at rest
 * is not one for a rotated body, so the Hessian at rest itself would be soft where the body is stiff. */
static inline double vv_rest_weight(double mu, double la) { return 2 * mu + la; }

/* The two indices other than k. */
#define VV_I(k) ((k) == 0 ? 1 : 0)
#define VV_J(k) ((k) == 2 ? 1 : 2)

/* s_i + s_j >= 0, or 0 if a flattened tet has no unique best rotation: the twist is then a large negative number. */
VV_INLINE vv_d8 vv_pair_sum(const vv_d8 s[3], int k) { return vv8_max(s[VV_I(k)] + s[VV_J(k)], vv8_set(1e-12)); }

/* ---- of one node ---- */

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

/* Lanes of padding may have no J. */
VV_INLINE vv_d8 vv8_positive_j(vv_d8 j) { return vv8_select(vv8_above(j, 0), j, vv8_set(1)); }

/* ---- of sweeps ---- */

typedef struct vv_sweep8 {
    vv_d8 psi, p[9], b[9], soft;
    double bulk;
} vv_sweep8;

VV_INLINE void vv8_copy9(const vv_d8 a[9], vv_d8 b[9])
{
    for (int i = 0; i < 9; i++)
        b[i] = a[i];
}

/* At least the square of the largest singular value where the others are at least 1. */
VV_INLINE vv_d8 vv8_most_square(const vv_strain8 *e) { return 1 + vv8_max(e->stretch, vv8_zero()); }

#endif

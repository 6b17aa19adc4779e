/* The mechanics of a joint between two edges of a rod, eight at once (theory §4.12; Bergou et al. 2008, 2010).
 *
 * t_i: unit vectors along the edges. (m1, m2): the frame across an edge, m1 the direction of its director, m2 = t x m1.
 *   kb = 2 t_0 x t_1 / chi, chi = 1 + t_0.t_1           |kb| = 2 tan(phi/2), phi the angle of the bend
 *   m: the angle from the first frame, carried over the bend without twist, to the second; tan m = S / C with
 *     S = m2_0.m1_1 - m1_0.m2_1,  C = m1_0.m1_1 + m2_0.m2_1
 *   n_i: where kb points at rest, fixed in the frame of edge i
 *   E = B/4 (|kb - n_0|^2 + |kb - n_1|^2) + T/2 (m - m_rest)^2
 * Without twist  E = B/2 (s - s_rest)^2,  s^2 = |kb|^2 + |kb_rest|^2 / 100: but for the second term, which makes it
 *     smooth where a rod that is
 * curved at rest is straight, the difference of the curvatures.
 *
 * E depends on the rotation between the two frames alone. If they turn by the vectors w_0 and w_1 (exponential
 * coordinates), then up to second order
 *   E + h.d + 1/2 d^T H d - 1/2 h.(w_0 x w_1),  d = w_1 - w_0,
 * with a vector h, the moment, and a symmetric 3x3 matrix H, that follow by the chain rule from those of the products
 * p.r of a vector p of the first frame and a vector r of the second, h = r x p, H = sym(p r^T) - (p.r) 1 with sym(A)
 * = (A + A^T)/2, and of the twist, h = (t_0 + t_1)/chi, H = 1/2 sym(h kb^T). With l_0 = n_0 x t_0 and l_1 = t_1 x
 * n_1, kb.n_0 = 2 l_0.t_1 / chi and kb.n_1 = 2 t_0.l_1 / chi. */
#ifndef VV_ENERGY_RODS_ROD_JOINT_H
#define VV_ENERGY_RODS_ROD_JOINT_H

#include "base/simd/svd8.h"
#include "energy/rods/kernels.h"

/* One edge with its director at u from its middle: u = z t + rho m1. Short lengths are taken as a little longer, so
 * that nothing is divided by 0. */
typedef struct vv_rod_side8 {
    vv_d8 t[3], inverse_length;
    vv_d8 u[3], m1[3], m2[3], z, rho, inverse_rho;
    vv_i8 is; /* it has a direction and, with a director, a frame */
} vv_rod_side8;

typedef struct vv_rod_joint8 {
    vv_d8 value;
    vv_d8 h[3];
    vv_sym8 H;
} vv_rod_joint8;

VV_INLINE void vv8_cross(const vv_d8 a[3], const vv_d8 b[3], vv_d8 out[3])
{
    vv_d8 x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
    out[0] = x, out[1] = y, out[2] = z;
}

VV_INLINE void vv8_rod_side(const vv_d8 from[3], const vv_d8 to[3], const vv_d8 *director, vv_d8 length, vv_d8 radius,
                            vv_rod_side8 *s)
{
    vv_d8 e[3], least = 1e-12 * length + 1e-100;
    for (int k = 0; k < 3; k++)
        e[k] = to[k] - from[k];
    vv_d8 size = vv8_sqrt(vv8_dot(e, e));
    s->is = vv8_less(least, size);
    s->inverse_length = 1 / vv8_max(size, least);
    for (int k = 0; k < 3; k++)
        s->t[k] = s->inverse_length * e[k];
    if (!director)
        return;
    for (int k = 0; k < 3; k++)
        s->u[k] = director[k] - 0.5 * (from[k] + to[k]);
    s->z = vv8_dot(s->t, s->u);
    for (int k = 0; k < 3; k++)
        s->m1[k] = s->u[k] - s->z * s->t[k];
    least = 1e-12 * radius + 1e-100;
    s->rho = vv8_sqrt(vv8_dot(s->m1, s->m1));
    s->is &= vv8_less(least, s->rho);
    s->inverse_rho = 1 / vv8_max(s->rho, least);
    for (int k = 0; k < 3; k++)
        s->m1[k] *= s->inverse_rho;
    vv8_cross(s->t, s->m1, s->m2);
}

/* a += w sym(p r^T) */
VV_INLINE void vv8_add_sym(vv_d8 w, const vv_d8 p[3], const vv_d8 r[3], vv_sym8 *a)
{
    for (int k = 0; k < 3; k++) {
        int i = k == 0 ? 1 : 0, j = k == 2 ? 1 : 2;
        a->d[k] += w * (p[k] * r[k]);
        a->o[k] += 0.5 * w * (p[i] * r[j] + p[j] * r[i]);
    }
}

/* a += w H of the product p.r */
VV_INLINE void vv8_add_product(vv_d8 w, const vv_d8 p[3], const vv_d8 r[3], vv_d8 product, vv_sym8 *a)
{
    vv8_add_sym(w, p, r, a);
    for (int k = 0; k < 3; k++)
        a->d[k] -= w * product;
}

/* What both kinds begin with. */
typedef struct vv_rod_bend8 {
    vv_d8 c, chi, inverse, kb[3], square; /* inverse: 1/chi; square: |kb|^2 */
    vv_i8 is, folded;
} vv_rod_bend8;

VV_INLINE void vv8_rod_bend(const vv_rod_side8 side[2], vv_rod_bend8 *b)
{
    vv_d8 sum[3];
    for (int k = 0; k < 3; k++)
        sum[k] = side[0].t[k] + side[1].t[k];
    b->c = vv8_dot(side[0].t, side[1].t);
    b->chi = 0.5 * vv8_dot(sum, sum); /* 1 + c without cancellation */
    b->is = side[0].is & side[1].is;
    b->folded = b->is & ~vv8_above(b->chi, 0);
    b->chi = vv8_select(b->is, vv8_max(b->chi, vv8_set(1e-60)), vv8_set(2));
    b->inverse = 1 / b->chi;
    vv8_cross(side[0].t, side[1].t, b->kb);
    for (int k = 0; k < 3; k++)
        b->kb[k] *= 2 * b->inverse;
    b->square = vv8_dot(b->kb, b->kb);
}

/* Adds w (h, H) of the function |kb|^2 = 8/chi - 4. */
VV_INLINE void vv8_add_square_of_bend(vv_d8 w, const vv_rod_side8 side[2], const vv_rod_bend8 *b, bool second,
                                      vv_rod_joint8 *j)
{
    for (int k = 0; k < 3; k++)
        j->h[k] += w * 4 * b->inverse * b->kb[k];
    if (second) {
        vv8_add_product(-8 * w * b->inverse * b->inverse, side[0].t, side[1].t, b->c, &j->H);
        vv8_add_sym(4 * w * b->inverse, b->kb, b->kb, &j->H);
    }
}

/* Adds w (h, H) of kb.n = 2 p.r / chi. */
VV_INLINE void vv8_add_along_rest(vv_d8 w, const vv_d8 p[3], const vv_d8 r[3], const vv_rod_side8 side[2],
                                  const vv_rod_bend8 *b, bool second, vv_rod_joint8 *j)
{
    vv_d8 turn[3], product = vv8_dot(p, r), along = 2 * b->inverse * product, twice = 2 * w * b->inverse;
    vv8_cross(r, p, turn);
    for (int k = 0; k < 3; k++)
        j->h[k] += twice * turn[k] + 0.5 * w * along * b->kb[k];
    if (second) {
        vv8_add_product(twice, p, r, product, &j->H);
        vv8_add_sym(twice, turn, b->kb, &j->H);
        vv8_add_sym(0.5 * w * along, b->kb, b->kb, &j->H);
        vv8_add_product(-w * along * b->inverse, side[0].t, side[1].t, b->c, &j->H);
    }
}

/* Joints without a shape, as those of edges without length, have no energy; those that are folded onto themselves an
 * infinite one. */
VV_INLINE void vv8_rod_finish(const vv_rod_bend8 *b, vv_d8 stiffness, bool first, bool second, vv_rod_joint8 *j)
{
    j->value = vv8_select(b->is, j->value, vv8_zero());
    j->value = vv8_select(b->folded & vv8_above(stiffness, 0), vv8_set(INFINITY), j->value);
    for (int k = 0; first && k < 3; k++)
        j->h[k] = vv8_select(b->is, j->h[k], vv8_zero());
    for (int k = 0; second && k < 3; k++) {
        j->H.d[k] = vv8_select(b->is, j->H.d[k], vv8_zero());
        j->H.o[k] = vv8_select(b->is, j->H.o[k], vv8_zero());
    }
}

/* Value, and up to which derivatives are asked for. */
VV_INLINE void vv8_rod_plain(const double *shape, const vv_rod_side8 side[2], bool first, bool second, vv_rod_joint8 *j)
{
    vv_rod_bend8 b;
    *j = (vv_rod_joint8){ .value = vv8_zero() };
    vv8_rod_bend(side, &b);
    vv_d8 stiffness = vv8_load(shape + VV_ROD_BEND * VV_LANES), rest = vv8_load(shape + VV_ROD_SQUARE * VV_LANES);
    vv_d8 s = vv8_sqrt(b.square + 0.01 * rest), at_rest = vv8_sqrt(1.01 * rest),
          inverse = 1 / vv8_max(s, vv8_set(1e-90));
    j->value = 0.5 * stiffness * (s - at_rest) * (s - at_rest);
    if (first)
        vv8_add_square_of_bend(0.5 * stiffness * (1 - at_rest * inverse), side, &b, second, j);
    if (second) /* of the first derivative's factor: 1/4 B s_rest / s^3 h h^T with h = 4 kb / chi */
        vv8_add_sym(4 * stiffness * (at_rest * inverse) * (inverse * inverse) * (b.inverse * b.inverse), b.kb, b.kb,
                    &j->H);
    vv8_rod_finish(&b, stiffness, first, second, j);
}

/* An angle in (-2 pi, 2 pi) as one in [-pi, pi]. */
VV_INLINE vv_d8 vv8_wrap(vv_d8 angle)
{
    const double pi = 3.14159265358979323846;
    angle = vv8_select(vv8_above(angle, pi), angle - 2 * pi, angle);
    return vv8_select(vv8_below(angle, -pi), angle + 2 * pi, angle);
}

VV_INLINE void vv8_rod_twisting(const double *shape, const vv_rod_side8 side[2], bool first, bool second,
                                vv_rod_joint8 *j)
{
    vv_rod_bend8 b;
    *j = (vv_rod_joint8){ .value = vv8_zero() };
    vv8_rod_bend(side, &b);
    vv_d8 bend = vv8_load(shape + VV_ROD_BEND * VV_LANES), twist = vv8_load(shape + VV_ROD_TWIST * VV_LANES);
    vv_d8 n[2][3], off[2] = { vv8_zero(), vv8_zero() };
    for (int i = 0; i < 2; i++) {
        vv_d8 n1 = vv8_load(shape + (VV_ROD_REST + 2 * i) * VV_LANES),
              n2 = vv8_load(shape + (VV_ROD_REST + 2 * i + 1) * VV_LANES);
        for (int k = 0; k < 3; k++) {
            n[i][k] = n1 * side[i].m1[k] + n2 * side[i].m2[k];
            off[i] += (b.kb[k] - n[i][k]) * (b.kb[k] - n[i][k]);
        }
    }
    vv_d8 sine = vv8_dot(side[0].m2, side[1].m1) - vv8_dot(side[0].m1, side[1].m2);
    vv_d8 cosine = vv8_dot(side[0].m1, side[1].m1) + vv8_dot(side[0].m2, side[1].m2);
    vv_d8 m = vv8_wrap(vv8_atan2(sine, cosine) - vv8_load(shape + VV_ROD_REST_TWIST * VV_LANES));
    j->value = 0.25 * bend * (off[0] + off[1]) + 0.5 * twist * m * m;
    if (first) {
        vv_d8 axis[3], l0[3], l1[3], moment = twist * m;
        vv8_cross(n[0], side[0].t, l0);
        vv8_cross(side[1].t, n[1], l1);
        vv8_add_square_of_bend(0.5 * bend, side, &b, second, j);
        vv8_add_along_rest(-0.5 * bend, l0, side[1].t, side, &b, second, j);
        vv8_add_along_rest(-0.5 * bend, side[0].t, l1, side, &b, second, j);
        for (int k = 0; k < 3; k++) {
            axis[k] = b.inverse * (side[0].t[k] + side[1].t[k]);
            j->h[k] += moment * axis[k];
        }
        if (second) {
            vv8_add_sym(twist, axis, axis, &j->H);
            vv8_add_sym(0.5 * moment, axis, b.kb, &j->H);
        }
    }
    vv8_rod_finish(&b, bend + twist, first, second, j);
}

#endif

/* Singular values of eight 3x3 matrices at once, lane = matrix, and the projection of symmetric ones.
 *
 * F = U diag(s) V^T with U, V rotations, s0 >= s1 >= |s2|; the smallest value carries the sign of det F (the
 * convention of Irving, Teran, Fedkiw 2004). Method: one-sided Jacobi (Hestenes) rotates the columns of B = F V until
 * they are orthogonal; Gram-Schmidt on the columns, longest first, gives U, so that U is a rotation whatever the
 * rank. Matrices are row-major, m[3*i + j]. A lane's result does not depend on its neighbours: finished lanes rotate by
 * exactly nothing. Finite for every finite F; its scale is removed by exact powers of two. */
#ifndef VV_BASE_SIMD_SVD8_H
#define VV_BASE_SIMD_SVD8_H

#include "base/simd/simd_math.h"

#include <stddef.h>

typedef struct vv_svd8 {
    vv_d8 u[9], s[3], v[9];
} vv_svd8;

/* c = cos, s = sin of the angle that makes columns with squared lengths alpha, beta and product gamma orthogonal
 * (new p = c p - s q, new q = s p + c q): tan = g / h with g = 2 gamma, h = |d| + sqrt(d^2 + g^2), d = beta - alpha,
 * with the sign of d. Exactly none in finished lanes and where both columns have vanished. *open is set in lanes
 * where the step calls for another sweep: a rotation by more than 1e-8, or a cosine above 1e-8, as the other pairs
 * are then disturbed by more than rounding. */
VV_INLINE void vv8_jacobi_angle(vv_d8 alpha, vv_d8 beta, vv_d8 gamma, vv_i8 done, vv_d8 *c, vv_d8 *s, vv_i8 *open)
{
    vv_d8 d = beta - alpha, g = gamma + gamma, gg = g * g;
    vv_d8 h = vv8_abs(d) + vv8_sqrt(d * d + gg), hh = h * h, square = hh + gg;
    vv_i8 turn = vv8_above(square, 1e-290) & ~done;
    vv_d8 inverse = 1 / vv8_sqrt(vv8_select(turn, square, vv8_set(1)));
    *open |= turn & (vv8_less(1e-16 * hh, gg) | vv8_less(4e-16 * (alpha * beta), gg));
    *c = vv8_select(turn, h * inverse, vv8_set(1));
    *s = (vv_d8)((vv_i8)(vv8_times_sign(g, d) * inverse) & turn);
}

VV_INLINE void vv8_turn_columns(vv_d8 m[9], int p, int q, vv_d8 c, vv_d8 s)
{
    for (int i = 0; i < 9; i += 3) {
        vv_d8 mp = m[i + p], mq = m[i + q];
        m[i + p] = c * mp - s * mq;
        m[i + q] = s * mp + c * mq;
    }
}

VV_INLINE vv_d8 vv8_column_dot(const vv_d8 m[9], int p, int q)
{
    return m[p] * m[q] + m[3 + p] * m[3 + q] + m[6 + p] * m[6 + q];
}

/* Makes columns p and q of b orthogonal, rotating v with them. */
VV_INLINE void vv8_orthogonal_pair(vv_d8 b[9], vv_d8 v[9], int p, int q, vv_i8 done, vv_i8 *open)
{
    vv_d8 c, s;
    vv8_jacobi_angle(vv8_column_dot(b, p, p), vv8_column_dot(b, q, q), vv8_column_dot(b, p, q), done, &c, &s, open);
    vv8_turn_columns(b, p, q, c, s);
    vv8_turn_columns(v, p, q, c, s);
}

/* Makes the columns of b orthogonal, rotating v with them. Two at a time (b1, v1; NULL: one): the chain
 * of square roots and quotients is long, and the second matrix's work hides in the latency of the first. */
VV_INLINE void vv8_orthogonal_columns(vv_d8 *b0, vv_d8 *v0, vv_d8 *b1, vv_d8 *v1)
{
    vv_i8 done0 = { 0 }, done1 = { 0 };
    for (int sweep = 0; sweep < 12; sweep++) {
        vv_i8 open0 = { 0 }, open1 = { 0 };
        for (int pair = 0; pair < 3; pair++) {
            int p = pair == 2, q = 1 + (pair > 0);
            vv8_orthogonal_pair(b0, v0, p, q, done0, &open0);
            if (b1)
                vv8_orthogonal_pair(b1, v1, p, q, done1, &open1);
        }
        done0 |= ~open0;
        done1 |= ~open1;
        if (!vv8_any(b1 ? ~(done0 & done1) : ~done0))
            break;
    }
}

/* f times a power of two such that its largest entry is in [1, 2); returns the inverse factor. */
VV_INLINE vv_d8 vv8_normalise_scale(const vv_d8 f[9], vv_d8 b[9])
{
    vv_d8 largest = vv8_abs(f[0]);
    for (int i = 1; i < 9; i++)
        largest = vv8_max(vv8_abs(f[i]), largest);
    /* zero and subnormal matrices are not scaled; the largest binade leaves a normal inverse */
    largest = vv8_select(vv8_below(largest, 0x1p-1022), vv8_set(1), vv8_min(largest, vv8_set(0x1p1022)));
    vv_i8 exponent = (vv_i8)largest & 0x7ff0000000000000;
    vv_d8 down = (vv_d8)(0x7fe0000000000000 - exponent);
    for (int i = 0; i < 9; i++)
        b[i] = f[i] * down;
    return (vv_d8)exponent;
}

/* Swaps columns p and q if p is the shorter, negating one so that the orientation stays. */
VV_INLINE void vv8_order_columns(vv_d8 b[9], vv_d8 *v, vv_d8 length2[3], int p, int q)
{
    vv_i8 swap = vv8_less(length2[p], length2[q]);
    vv_d8 lp = length2[p], lq = length2[q];
    length2[p] = vv8_select(swap, lq, lp);
    length2[q] = vv8_select(swap, lp, lq);
    for (int i = 0; i < 9; i += 3) {
        vv_d8 bp = b[i + p], bq = b[i + q], vp = v[i + p], vq = v[i + q];
        b[i + p] = vv8_select(swap, bq, bp);
        b[i + q] = vv8_select(swap, -bp, bq);
        v[i + p] = vv8_select(swap, vq, vp);
        v[i + q] = vv8_select(swap, -vp, vq);
    }
}

VV_INLINE vv_d8 vv8_dot(const vv_d8 a[3], const vv_d8 b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* a / |a|, or the fallback if |a| is not above the limit. */
VV_INLINE void vv8_unit(const vv_d8 a[3], double limit, const vv_d8 fallback[3], vv_d8 out[3])
{
    vv_d8 length = vv8_sqrt(vv8_dot(a, a));
    vv_i8 good = vv8_above(length, limit);
    vv_d8 inverse = 1 / vv8_select(good, length, vv8_set(1));
    for (int k = 0; k < 3; k++)
        out[k] = vv8_select(good, a[k] * inverse, fallback[k]);
}

/* Some unit vector perpendicular to the unit vector a. */
VV_INLINE void vv8_perpendicular(const vv_d8 a[3], vv_d8 out[3])
{
    vv_d8 zero = vv8_zero(), axes[3] = { zero, zero, zero };
    vv_i8 flat = vv8_below(vv8_abs(a[0]), 0.6);
    vv_d8 w[3] = { vv8_select(flat, zero, a[2]), vv8_select(flat, -a[2], zero), vv8_select(flat, a[1], -a[0]) };
    vv8_unit(w, 0, axes, out);
}

/* U and the signed values from orthogonal columns, longest first. */
VV_INLINE void vv8_finish_svd(const vv_d8 b[9], vv_svd8 *svd)
{
    const double negligible = 1e-150; /* of the largest entry: its square underflows */
    vv_d8 zero = vv8_zero(), one = vv8_set(1);
    vv_d8 x[3] = { one, zero, zero }, b0[3] = { b[0], b[3], b[6] }, b1[3] = { b[1], b[4], b[7] };
    vv_d8 u0[3], u1[3], perpendicular[3], w[3];
    vv8_unit(b0, negligible, x, u0);
    vv8_perpendicular(u0, perpendicular);
    vv8_unit(b1, negligible, perpendicular, w);
    vv_d8 along = vv8_dot(u0, w);
    for (int k = 0; k < 3; k++)
        w[k] -= along * u0[k];
    vv8_unit(w, 0.5, perpendicular, u1);
    vv_d8 u2[3] = { u0[1] * u1[2] - u0[2] * u1[1], u0[2] * u1[0] - u0[0] * u1[2], u0[0] * u1[1] - u0[1] * u1[0] };
    vv_d8 b2[3] = { b[2], b[5], b[8] };
    for (int k = 0; k < 3; k++) {
        svd->u[3 * k] = u0[k];
        svd->u[3 * k + 1] = u1[k];
        svd->u[3 * k + 2] = u2[k];
    }
    svd->s[0] = vv8_dot(u0, b0);
    svd->s[1] = vv8_dot(u1, b1);
    svd->s[2] = vv8_dot(u2, b2);
}

/* Removes the scale and initialises the columns of V. */
VV_INLINE vv_d8 vv8_start_svd(const vv_d8 f[9], vv_d8 b[9], vv_svd8 *svd)
{
    for (int i = 0; i < 9; i++)
        svd->v[i] = vv8_set(i % 4 == 0);
    return vv8_normalise_scale(f, b);
}

/* Longest column first; U and the values. */
VV_INLINE void vv8_end_svd(vv_d8 b[9], vv_d8 scale, vv_svd8 *svd)
{
    vv_d8 length2[3];
    for (int k = 0; k < 3; k++)
        length2[k] = vv8_column_dot(b, k, k);
    vv8_order_columns(b, svd->v, length2, 0, 1);
    vv8_order_columns(b, svd->v, length2, 0, 2);
    vv8_order_columns(b, svd->v, length2, 1, 2);
    vv8_finish_svd(b, svd);
    for (int k = 0; k < 3; k++)
        svd->s[k] *= scale;
}

VV_INLINE void vv8_svd(const vv_d8 f[9], vv_svd8 *svd)
{
    vv_d8 b[9], scale = vv8_start_svd(f, b, svd);
    vv8_orthogonal_columns(b, svd->v, NULL, NULL);
    vv8_end_svd(b, scale, svd);
}

/* Two independent ones in little more than the time of one. */
VV_INLINE void vv8_svd_two(vv_d8 f[2][9], vv_svd8 svd[2])
{
    vv_d8 b0[9], b1[9], scale0 = vv8_start_svd(f[0], b0, svd), scale1 = vv8_start_svd(f[1], b1, svd + 1);
    vv8_orthogonal_columns(b0, svd[0].v, b1, svd[1].v);
    vv8_end_svd(b0, scale0, svd);
    vv8_end_svd(b1, scale1, svd + 1);
}

VV_INLINE vv_d8 vv8_det(const vv_d8 m[9])
{
    return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
}

/* Symmetric 3x3: d the diagonal, o[k] the entry of row i and column j with {i, j, k} = {0, 1, 2}. */
typedef struct vv_sym8 {
    vv_d8 d[3], o[3];
} vv_sym8;

/* Lanes whose matrix has a negative principal minor. */
VV_INLINE vv_i8 vv8_indefinite(const vv_sym8 *a)
{
    const vv_d8 *d = a->d, *o = a->o;
    vv_d8 m0 = d[1] * d[2] - o[0] * o[0], m1 = d[0] * d[2] - o[1] * o[1], m2 = d[0] * d[1] - o[2] * o[2];
    vv_d8 det = d[0] * m0 - o[2] * (o[2] * d[2] - o[0] * o[1]) + o[1] * (o[2] * o[0] - d[1] * o[1]);
    return vv8_below(vv8_min(vv8_min(vv8_min(d[0], d[1]), vv8_min(d[2], m0)), vv8_min(vv8_min(m1, m2), det)), 0);
}

/* Nearest semidefinite matrix: negative eigenvalues become 0; semidefinite lanes keep their bits. Two-sided Jacobi. */
VV_INLINE void vv8_project_semidefinite(vv_sym8 *a)
{
    vv_i8 wrong = vv8_indefinite(a), done = ~wrong;
    if (!vv8_any(wrong))
        return;
    vv_d8 d[3], o[3], v[9];
    for (int k = 0; k < 3; k++)
        d[k] = a->d[k], o[k] = a->o[k];
    for (int i = 0; i < 9; i++)
        v[i] = vv8_set(i % 4 == 0);
    for (int sweep = 0; sweep < 12 && vv8_any(~done); sweep++) {
        vv_d8 off = o[0] * o[0] + o[1] * o[1] + o[2] * o[2], size = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        done |= vv8_at_most(off, 1e-33 * size);
        for (int k = 2; k >= 0; k--) {
            int p = k == 0 ? 1 : 0, q = k == 2 ? 1 : 2;
            vv_d8 e = d[q] - d[p], g = o[k] + o[k], length = vv8_abs(e) + vv8_sqrt(e * e + g * g);
            length = vv8_select(vv8_above(length, 0), length, vv8_set(1));
            vv_d8 t = (vv_d8)((vv_i8)(vv8_times_sign(g, e) / length) & ~done);
            vv_d8 c = 1 / vv8_sqrt(1 + t * t), s = t * c, op = o[q], oq = o[p]; /* o[q]: entry (p, k); o[p]: (q, k) */
            d[p] -= t * o[k];
            d[q] += t * o[k];
            o[k] = (vv_d8)((vv_i8)o[k] & done);
            o[q] = c * op - s * oq;
            o[p] = s * op + c * oq;
            vv8_turn_columns(v, p, q, c, s);
        }
    }
    for (int k = 0; k < 3; k++)
        d[k] = vv8_max(d[k], vv8_zero());
    for (int k = 0; k < 3; k++) {
        const vv_d8 *r = v + 3 * k, *p = v + (k == 0 ? 3 : 0), *q = v + (k == 2 ? 3 : 6);
        a->d[k] = vv8_select(wrong, d[0] * r[0] * r[0] + d[1] * r[1] * r[1] + d[2] * r[2] * r[2], a->d[k]);
        a->o[k] = vv8_select(wrong, d[0] * p[0] * q[0] + d[1] * p[1] * q[1] + d[2] * p[2] * q[2], a->o[k]);
    }
}

#endif

/* The angle between two triangles that share an edge, eight at once, lane = edge: value, gradient, Hessian (theory
 * §4.10).
 *
 * Corners a, b, c, d: triangles (a, b, c) and (b, a, d), as in a mesh of one orientation. The angle is 0 where the
 * two are flat, and positive where the edge is a ridge seen from the side of the normals, as any edge of a convex
 * surface with normals outwards; pi is a fold onto itself. In place of d may stand any point of a half-plane beside
 * the edge, such as a + w for a director w.
 *
 * t: unit vector from a to b; n_i: unit normals; m_i: unit vectors in the triangles, from the edge to the third
 * corner; h_i: heights over the edge; s_i: where their feet are on it, 0 at a, 1 at b; l = |b - a|. With coefficients
 * of the corners
 *   E = (-1, 1, 0, 0)/l,   U_1 = (1 - s_1, s_1, -1, 0)/h_1,   U_2 = (1 - s_2, s_2, 0, -1)/h_2
 * and the vector (C v) of 12 numbers C_k v at corner k,
 *   gradient  sum_i U_i n_i
 *   Hessian   sum_i sym[(U_i n_i)(U_i m_i)^T - (E n_i)(U_i t)^T + 1/2 (E n_i)(E m_i)^T],   sym[A] = A + A^T
 * (as Tamstorf, Grinspun 2013, "Discrete bending forces and their Jacobians", collected so that every product is
 * symmetrised).
 *
 * Projected: of three summands each has its negative eigenvalues cut off, in closed form, so the sum is semidefinite
 * and no smaller than the Hessian. Two are sym[P Q^T] with P = (U n, E n), Q = (U m, -U t); as P and Q are orthogonal
 * and Q^T Q = |U|^2, the eigenvalues are +- |U| times the roots of those of the 2x2 matrix G = P^T P, whose
 * determinant is 3/(h l)^2. The third, of E alone, is sin(angle) (p p^T - q q^T) with p, q the bisectors in the plane
 * across the edge.
 *
 * An edge, or a triangle's height over it, shorter than some 1e-7 of the triangle has no direction: such an angle is
 * 0, with its derivatives. */
#ifndef VV_ENERGY_SHELLS_DIHEDRAL_H
#define VV_ENERGY_SHELLS_DIHEDRAL_H

#include "energy/batch/lanes.h"

typedef struct vv_dihedral8 {
    vv_d8 angle;
    vv_i8 is; /* false: degenerate. Then all is 0 */
    vv_d8 t[3], n[2][3], m[2][3];
    vv_d8 e;       /* E = (-e, e, 0, 0) */
    vv_d8 u[2][3]; /* U at a, b, and c or d */
    vv_d8 height[2], length;
} vv_dihedral8;

VV_INLINE vv_d8 vv8_dot3(const vv_d8 a[3], const vv_d8 b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

VV_INLINE void vv8_cross3(const vv_d8 a[3], const vv_d8 b[3], vv_d8 out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* x: the corners. */
VV_INLINE void vv8_dihedral(const vv_d8 x[4][3], vv_dihedral8 *d)
{
    vv_d8 edge[3], side[2][3], normal[2][3], square[2], one = vv8_set(1);
    for (int k = 0; k < 3; k++) {
        edge[k] = x[1][k] - x[0][k];
        side[0][k] = x[2][k] - x[0][k];
        side[1][k] = x[3][k] - x[0][k];
    }
    vv8_cross3(edge, side[0], normal[0]);
    vv8_cross3(side[1], edge, normal[1]);
    vv_d8 length2 = vv8_dot3(edge, edge);
    d->is = vv8_above(length2, 1e-60);
    for (int i = 0; i < 2; i++) {
        vv_d8 size2 = length2 + vv8_dot3(side[i], side[i]);
        square[i] = vv8_dot3(normal[i], normal[i]);
        d->is &=
            vv8_below(size2, 1e60) & vv8_less(1e-14 * size2, length2) & vv8_less(1e-14 * (size2 * length2), square[i]);
    }
    d->length = vv8_sqrt(vv8_select(d->is, length2, one));
    /* |n_1 x n_2| along the edge: -l n_1 . side_2, without the cancellation of a product of products */
    vv_d8 sine = -d->length * vv8_dot3(normal[0], side[1]), cosine = vv8_dot3(normal[0], normal[1]);
    d->angle = vv8_atan2(vv8_select(d->is, sine, vv8_zero()), vv8_select(d->is, cosine, one));
    d->e = vv8_select(d->is, 1 / d->length, vv8_zero());
    for (int k = 0; k < 3; k++)
        d->t[k] = edge[k] * d->e;
    for (int i = 0; i < 2; i++) {
        vv_d8 area = vv8_sqrt(vv8_select(d->is, square[i], one)), along = vv8_dot3(side[i], d->t) * d->e;
        vv_d8 inverse = vv8_select(d->is, 1 / area, vv8_zero()), u = inverse * d->length;
        for (int k = 0; k < 3; k++)
            d->n[i][k] = vv8_select(d->is, normal[i][k], vv8_zero()) * inverse;
        vv8_cross3(i ? d->t : d->n[0], i ? d->n[1] : d->t, d->m[i]);
        d->height[i] = vv8_select(d->is, area / d->length, vv8_zero());
        d->u[i][0] = (1 - along) * u;
        d->u[i][1] = along * u;
        d->u[i][2] = -u;
    }
    d->length = vv8_select(d->is, d->length, vv8_zero());
}

/* g[3k + i]: component i at corner k. */
VV_INLINE void vv8_dihedral_gradient(const vv_dihedral8 *d, vv_d8 g[12])
{
    for (int i = 0; i < 3; i++) {
        g[i] = d->u[0][0] * d->n[0][i] + d->u[1][0] * d->n[1][i];
        g[3 + i] = d->u[0][1] * d->n[0][i] + d->u[1][1] * d->n[1][i];
        g[6 + i] = d->u[0][2] * d->n[0][i];
        g[9 + i] = d->u[1][2] * d->n[1][i];
    }
}

/* ---- second derivatives ---- */

/* Blocks of pairs of corners (k, l), k <= l: aa, ab, ac, ad, bb, bc, bd, cc, cd, dd (vv_block_of). Entry (r, s) of a
 * block is at [3 s + r], as in the matrix. */
enum { VV_DIHEDRAL_BLOCKS = 10 };

/* The terms of one triangle, U_k U_l same + E_k U_l mixed + U_k E_l mixed^T, and of the edge, E_k E_l edge. */
typedef struct vv_dihedral_part8 {
    vv_d8 same[9], mixed[9];
} vv_dihedral_part8;

/* m += s (a b^T + b a^T), column-major as all blocks. */
VV_INLINE void vv8_add_sym(vv_d8 s, const vv_d8 a[3], const vv_d8 b[3], vv_d8 m[9])
{
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++)
            m[3 * c + r] += s * (a[r] * b[c] + b[r] * a[c]);
}

/* What makes scale times the terms of triangle i semidefinite: 1/2 |scale| |U| (P G^(-1/2) P^T + Q G^(1/2)
 * Q^T/|U|^2), with G^(1/2) = (G + det I)/root and G^(-1/2) = (adj G + det I)/(det root), det the root of the
 * determinant; and half of the terms. `edge`: the E_k E_l terms. */
VV_INLINE void vv8_dihedral_positive(const vv_dihedral8 *d, int i, vv_d8 scale, vv_dihedral_part8 *part, vv_d8 edge[9])
{
    const vv_d8 *u = d->u[i], one = vv8_set(1), half = 0.5 * vv8_abs(scale);
    vv_d8 uu = u[0] * u[0] + u[1] * u[1] + u[2] * u[2], ue = d->e * (u[1] - u[0]), ee = 2 * (d->e * d->e);
    vv_d8 det = 1.7320508075688772 * d->e * -u[2], size = vv8_sqrt(uu);
    vv_d8 root = vv8_select(d->is, vv8_sqrt(uu + ee + 2 * det), one);
    vv_d8 p = half * size / vv8_select(d->is, det * root, one), q = half / (root * vv8_select(d->is, size, one));
    /* sym counts twice what lies on the diagonal */
    vv8_add_sym(0.5 * p * (ee + det), d->n[i], d->n[i], part->same);
    vv8_add_sym(-0.5 * p * ue, d->n[i], d->n[i], part->mixed);
    vv8_add_sym(0.5 * p * (uu + det), d->n[i], d->n[i], edge);
    vv8_add_sym(0.5 * q * (uu + det), d->m[i], d->m[i], part->same);
    vv8_add_sym(-q * ue, d->m[i], d->t, part->same);
    vv8_add_sym(0.5 * q * (ee + det), d->t, d->t, part->same);
}

/* Of scale times the Hessian. */
VV_INLINE void vv8_dihedral_parts(const vv_dihedral8 *d, vv_d8 scale, int project, vv_dihedral_part8 part[2],
                                  vv_d8 edge[9])
{
    vv_d8 s = project ? 0.5 * scale : scale, sine = vv8_dot3(d->n[0], d->m[1]), across = 0.25 * vv8_abs(scale * sine);
    for (int k = 0; k < 9; k++)
        edge[k] = part[0].same[k] = part[1].same[k] = vv8_zero();
    for (int i = 0; i < 2; i++) {
        for (int c = 0; c < 3; c++)
            for (int r = 0; r < 3; r++)
                part[i].mixed[3 * c + r] = -s * (d->n[i][r] * d->t[c]);
        vv8_add_sym(s, d->n[i], d->m[i], part[i].same);
        vv8_add_sym(0.5 * s, d->n[i], d->m[i], edge);
        if (project) {
            vv8_dihedral_positive(d, i, scale, part + i, edge);
            vv8_add_sym(i ? vv8_zero() : across, d->n[0], d->n[0], edge);
            vv8_add_sym(i ? vv8_zero() : across, d->m[0], d->m[0], edge);
        }
    }
}

/* h = scale d2(angle) + square d(angle) d(angle)^T, as blocks; project: the first is made semidefinite. */
VV_INLINE void vv8_dihedral_hessian(const vv_dihedral8 *d, vv_d8 scale, vv_d8 square, int project,
                                    vv_d8 h[VV_DIHEDRAL_BLOCKS][9])
{
    vv_dihedral_part8 part[2];
    vv_d8 edge[9], g[12];
    vv8_dihedral_parts(d, scale, project, part, edge);
    vv8_dihedral_gradient(d, g);
    for (int k = 0; k < 4; k++)
        for (int l = k; l < 4; l++) {
            vv_d8 *to = h[vv_block_of[k][l]];
            for (int c = 0; c < 3; c++)
                for (int r = 0; r < 3; r++)
                    to[3 * c + r] = square * g[3 * k + r] * g[3 * l + c];
        }
    for (int i = 0; i < 2; i++)
        for (int p = 0; p < 3; p++)
            for (int q = p; q < 3; q++) {
                int k = p < 2 ? p : 2 + i, l = q < 2 ? q : 2 + i;
                vv_d8 *to = h[vv_block_of[k][l]];
                vv_d8 same = d->u[i][p] * d->u[i][q];
                vv_d8 first = p == 0   ? -d->e
                              : p == 1 ? d->e
                                       : vv8_zero(),
                      last = q == 0   ? -d->e
                             : q == 1 ? d->e
                                      : vv8_zero();
                vv_d8 eu = first * d->u[i][q], ue = d->u[i][p] * last;
                for (int c = 0; c < 3; c++)
                    for (int r = 0; r < 3; r++)
                        to[3 * c + r] += same * part[i].same[3 * c + r] + eu * part[i].mixed[3 * c + r] +
                                         ue * part[i].mixed[3 * r + c];
            }
    vv_d8 ee = d->e * d->e;
    for (int k = 0; k < 9; k++) {
        h[0][k] += ee * edge[k];
        h[1][k] -= ee * edge[k];
        h[4][k] += ee * edge[k];
    }
}

/* As above with respect to one corner, 0 to 3, of its own in each lane, projected; h: xx, yy, zz, yz, xz, xy. */
VV_INLINE void vv8_dihedral_corner(const vv_dihedral8 *d, vv_d8 corner, vv_d8 scale, vv_d8 square, vv_d8 g[3],
                                   vv_d8 h[6])
{
    static const int at[6][2] = { { 0, 0 }, { 1, 1 }, { 2, 2 }, { 1, 2 }, { 0, 2 }, { 0, 1 } };
    vv_dihedral_part8 part[2];
    vv_d8 edge[9], u[2], none = vv8_zero();
    vv_i8 first = vv8_below(corner, 0.5), second = vv8_below(corner, 1.5), third = vv8_below(corner, 2.5);
    vv8_dihedral_parts(d, scale, 1, part, edge);
    for (int i = 0; i < 2; i++) {
        vv_d8 last = vv8_select(third, i ? none : d->u[0][2], i ? d->u[1][2] : none);
        u[i] = vv8_select(first, d->u[i][0], vv8_select(second, d->u[i][1], last));
    }
    vv_d8 e = vv8_select(first, -d->e, vv8_select(second, d->e, none));
    for (int k = 0; k < 3; k++)
        g[k] = u[0] * d->n[0][k] + u[1] * d->n[1][k];
    for (int k = 0; k < 6; k++) {
        int r = at[k][0], c = at[k][1];
        h[k] = square * g[r] * g[c] + e * e * edge[3 * c + r];
        for (int i = 0; i < 2; i++)
            h[k] += u[i] * u[i] * part[i].same[3 * c + r] +
                    e * u[i] * (part[i].mixed[3 * c + r] + part[i].mixed[3 * r + c]);
    }
}

/* The difference of two angles, in [-pi, pi]. */
VV_INLINE vv_d8 vv8_angle_between(vv_d8 angle, vv_d8 from)
{
    const double pi = 3.141592653589793;
    vv_d8 way = angle - from;
    return way + vv8_select(vv8_above(way, pi), vv8_set(-2 * pi),
                            vv8_select(vv8_below(way, -pi), vv8_set(2 * pi), vv8_zero()));
}

#endif

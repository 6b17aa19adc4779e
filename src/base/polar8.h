/* The rotation R of the polar decomposition F = R S of eight 3x3 matrices at once, lane = matrix (theory §4.3).
 *
 * S has the signed singular values s0 >= s1 >= |s2| (svd8.h). With C = |F|^2, D = |cof F|^2 and J = det F, its trace t is the
 * largest root of the quartic
 *   p(t) = (t^2 - C)^2 - 8 J t - 4 D,   for (t^2 - C)/2 = s0 s1 + s0 s2 + s1 s2, whose square is D + 2 J t,
 * and R = dt/dF = [(t^2 + C) F + 2 t cof F - 2 F F^T F] / h with h = p'/4 = t (t^2 - C) - 2 J = 2 (s0 + s1) (s0 + s2) (s1 + s2).
 * All roots are real, so Newton's steps from sqrt(3 C) >= t go down to it without passing it. (Lin, Chitalu, Komura 2022,
 * "Isotropic ARAP energy using Cauchy-Green invariants", solve the same quartic in closed form.)
 *
 * An error in t, C, D or J leaves U^T R V diagonal, hence R short of orthogonal; one step R <- R (3 I - R^T R)/2 squares it. So R
 * is as accurate as that of the singular value decomposition, and t need be known to some 1e-8 only.
 *
 * Where h is small beside C^(3/2), R is nearly undetermined: flattened to a line, or inverted with s1 + s2 near 0. There, and where C^2 would
 * leave the range of numbers, the decomposition itself is used: any F gives what U V^T gives. */
#ifndef VV_BASE_POLAR8_H
#define VV_BASE_POLAR8_H

#include "base/svd8.h"

/* out[3i + j] = dJ/dF_ij; J = row 0 of F times row 0 of it. */
VV_INLINE void vv8_cofactor(const vv_d8 f[9], vv_d8 out[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int i1 = 3 * ((i + 1) % 3), i2 = 3 * ((i + 2) % 3), j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            out[3 * i + j] = f[i1 + j1] * f[i2 + j2] - f[i1 + j2] * f[i2 + j1];
        }
}

VV_INLINE vv_d8 vv8_square9(const vv_d8 m[9])
{
    vv_d8 row[3];
    for (int i = 0; i < 3; i++)
        row[i] = m[3 * i] * m[3 * i] + m[3 * i + 1] * m[3 * i + 1] + m[3 * i + 2] * m[3 * i + 2];
    return row[0] + row[1] + row[2];
}

/* F^T F */
VV_INLINE void vv8_gram(const vv_d8 f[9], vv_sym8 *a)
{
    for (int k = 0; k < 3; k++) {
        a->d[k] = vv8_column_dot(f, k, k);
        a->o[k] = vv8_column_dot(f, k == 0 ? 1 : 0, k == 2 ? 1 : 2);
    }
}

/* out = f a with a symmetric */
VV_INLINE void vv8_times_symmetric(const vv_d8 f[9], const vv_sym8 *a, vv_d8 out[9])
{
    for (int i = 0; i < 9; i += 3) {
        out[i] = f[i] * a->d[0] + f[i + 1] * a->o[2] + f[i + 2] * a->o[1];
        out[i + 1] = f[i] * a->o[2] + f[i + 1] * a->d[1] + f[i + 2] * a->o[0];
        out[i + 2] = f[i] * a->o[1] + f[i + 1] * a->o[0] + f[i + 2] * a->d[2];
    }
}

/* r = U V^T in the given lanes. */
__attribute__((noinline, cold, unused)) static void vv8_rotation_by_svd(const vv_d8 f[9], vv_i8 lanes, vv_d8 r[9])
{
    vv_svd8 svd;
    vv8_svd(f, &svd);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r[3 * i + j] = vv8_select(lanes,
                                      svd.u[3 * i] * svd.v[3 * j] + svd.u[3 * i + 1] * svd.v[3 * j + 1] +
                                          svd.u[3 * i + 2] * svd.v[3 * j + 2],
                                      r[3 * i + j]);
}

/* Newton's steps for t; returns the lanes in which it is known. Each lane stops by itself: it does not depend on its neighbours.
 * A step e leaves an error of about e^2/gap with gap = h/C, thus (e/gap)^2 in R, whose square is to be lost in rounding. */
VV_INLINE vv_i8 vv8_trace_of_stretch(vv_d8 c, vv_d8 d, vv_d8 j, vv_d8 least, vv_d8 *trace)
{
    vv_d8 t = vv8_sqrt(3 * c), j2 = j + j;
    vv_i8 open = vv8_above(c, 1e-60) & vv8_below(c, 1e60), known = { 0 };
    for (int step = 0; step < 16; step++) {
        vv_d8 w = t * t - c, h = t * w - j2, p = 0.25 * (w * w) - (d + j2 * t);
        open &= vv8_less(least, h);
        t = vv8_select(open, t - p / h, t);
        vv_i8 last = open & vv8_less(vv8_abs(p) * c, 2e-5 * (h * h));
        known |= last;
        open &= ~last;
        if (!vv8_any(open))
            break;
    }
    *trace = t;
    return known;
}

VV_INLINE void vv8_polar_rotation(const vv_d8 f[9], vv_d8 r[9])
{
    vv_sym8 a;
    vv_d8 cof[9], t;
    vv8_gram(f, &a);
    vv8_cofactor(f, cof);
    vv_d8 c = a.d[0] + a.d[1] + a.d[2], d = vv8_square9(cof), j = f[0] * cof[0] + f[1] * cof[1] + f[2] * cof[2];
    vv_d8 least = 1e-2 * c * vv8_sqrt(c);
    vv_i8 known = vv8_trace_of_stretch(c, d, j, least, &t);
    vv_d8 t2 = t + t, inverse = 1 / vv8_select(known, t * (t * t - c) - (j + j), vv8_set(1));
    for (int k = 0; k < 3; k++) {
        a.d[k] = (t * t + c - 2 * a.d[k]) * inverse;
        a.o[k] = -2 * a.o[k] * inverse;
    }
    t2 *= inverse;
    vv_d8 first[9];
    vv8_times_symmetric(f, &a, first);
    for (int i = 0; i < 9; i++)
        first[i] += t2 * cof[i];
    vv8_gram(first, &a);
    for (int k = 0; k < 3; k++) {
        a.d[k] = 1.5 - 0.5 * a.d[k];
        a.o[k] *= -0.5;
    }
    vv8_times_symmetric(first, &a, r);
    if (vv8_any(~known)) {
        vv_d8 matrix[9], rotation[9]; /* copies, so that the arguments stay in registers */
        for (int i = 0; i < 9; i++)
            matrix[i] = f[i], rotation[i] = r[i];
        vv8_rotation_by_svd(matrix, ~known, rotation);
        for (int i = 0; i < 9; i++)
            r[i] = rotation[i];
    }
}

#endif

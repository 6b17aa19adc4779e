/* The rotation R of the polar decomposition F = R S of eight 3x3 matrices at once, lane = matrix (theory §4.2).
 *
 * S has the signed singular values s0 >= s1 >= |s2| (svd8.h). With C = |F|^2, D = |cof F|^2 and J = det F, its trace
 * t is the largest root of the quartic
 *   p(t) = (t^2 - C)^2 - 8 J t - 4 D,   for (t^2 - C)/2 = s0 s1 + s0 s2 + s1 s2, whose square is D + 2 J t,
 * and R = dt/dF = [(t^2 + C) F + 2 t cof F - 2 F F^T F] / h with h = p'/4 = t (t^2 - C) - 2 J = 2 (s0 + s1) (s0 + s2)
 * (s1 + s2). All roots are real, so Newton's steps from sqrt(3 C) >= t go down to it without passing it. (Lin,
 * Chitalu, Komura 2022, "Isotropic ARAP energy using Cauchy-Green invariants", solve the same quartic in closed
 * form.)
 *
 * An error in t, C, D or J leaves U^T R V diagonal, hence R short of orthogonal; one step R <- R (3 I - R^T R)/2
 * squares it. So R is as accurate as that of the singular value decomposition, and t need be known to some 1e-8 only.
 *
 * Where h is small beside C^(3/2), R is nearly undetermined: flattened to a line, or inverted with s1 + s2 near 0.
 * There, and where C^2 would leave the range of numbers, the decomposition itself is used: any F gives what U V^T
 * gives. */
#ifndef VV_BASE_SIMD_POLAR8_H
#define VV_BASE_SIMD_POLAR8_H

#include "base/simd/svd8.h"

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

/* C, D, J and what is found out about the trace t. */
typedef struct vv_stretch8 {
    vv_sym8 gram;
    vv_d8 cof[9], c, d, j2; /* j2 = 2 J */
    vv_d8 t;
    vv_i8 open, known;
} vv_stretch8;

VV_INLINE void vv8_start_stretch(const vv_d8 f[9], vv_stretch8 *s)
{
    vv8_gram(f, &s->gram);
    vv8_cofactor(f, s->cof);
    s->c = s->gram.d[0] + s->gram.d[1] + s->gram.d[2];
    s->d = vv8_square9(s->cof);
    s->j2 = 2 * (f[0] * s->cof[0] + f[1] * s->cof[1] + f[2] * s->cof[2]);
    s->t = vv8_sqrt(3 * s->c);
    s->open = vv8_above(s->c, 1e-60) & vv8_below(s->c, 1e60);
    s->known = (vv_i8){ 0 };
}

/* A step of Newton's. Each lane stops by itself: it does not depend on its neighbours. A step e leaves an error of
 * about e^2/gap with gap = h/C, thus (e/gap)^2 in R, whose square is to be lost in rounding. */
VV_INLINE void vv8_step_stretch(vv_stretch8 *s)
{
    vv_d8 w = s->t * s->t - s->c, h = s->t * w - s->j2, p = 0.25 * (w * w) - (s->d + s->j2 * s->t), hh = h * h;
    s->open &= vv8_above(h, 0) & vv8_less(1e-4 * (s->c * (s->c * s->c)), hh);
    s->t = vv8_select(s->open, s->t - p / h, s->t);
    vv_i8 last = s->open & vv8_less(vv8_abs(p) * s->c, 2e-5 * hh);
    s->known |= last;
    s->open &= ~last;
}

/* R, from f and the finished *s. */
VV_INLINE void vv8_end_stretch(const vv_d8 f[9], const vv_stretch8 *s, vv_d8 r[9])
{
    vv_d8 first[9], square = s->t * s->t;
    vv_d8 inverse = 1 / vv8_select(s->known, s->t * (square - s->c) - s->j2, vv8_set(1)),
          sum = (square + s->c) * inverse;
    vv_d8 t2 = 2 * s->t * inverse, twice = -2 * inverse;
    vv_sym8 a;
    for (int k = 0; k < 3; k++) {
        a.d[k] = sum + s->gram.d[k] * twice;
        a.o[k] = s->gram.o[k] * twice;
    }
    vv8_times_symmetric(f, &a, first);
    for (int i = 0; i < 9; i++)
        first[i] += t2 * s->cof[i];
    vv8_gram(first, &a);
    for (int k = 0; k < 3; k++) {
        a.d[k] = 1.5 - 0.5 * a.d[k];
        a.o[k] *= -0.5;
    }
    vv8_times_symmetric(first, &a, r);
    if (vv8_any(~s->known)) {
        vv_d8 matrix[9], rotation[9]; /* copies, so that the arguments stay in registers */
        for (int i = 0; i < 9; i++)
            matrix[i] = f[i], rotation[i] = r[i];
        vv8_rotation_by_svd(matrix, ~s->known, rotation);
        for (int i = 0; i < 9; i++)
            r[i] = rotation[i];
    }
}

VV_INLINE void vv8_polar_rotation(const vv_d8 f[9], vv_d8 r[9])
{
    vv_stretch8 s;
    vv8_start_stretch(f, &s);
    for (int step = 0; step < 16 && vv8_any(s.open); step++)
        vv8_step_stretch(&s);
    vv8_end_stretch(f, &s, r);
}

/* Two independent ones in little more than the time of one: the chain of roots and quotients is long, and the second
 * one's work hides in the latency of the first. */
VV_INLINE void vv8_polar_two(const vv_d8 f0[9], const vv_d8 f1[9], vv_d8 r0[9], vv_d8 r1[9])
{
    vv_stretch8 s0, s1;
    vv8_start_stretch(f0, &s0);
    vv8_start_stretch(f1, &s1);
    for (int step = 0; step < 16 && vv8_any(s0.open | s1.open); step++) {
        vv8_step_stretch(&s0);
        vv8_step_stretch(&s1);
    }
    vv8_end_stretch(f0, &s0, r0);
    vv8_end_stretch(f1, &s1, r1);
}

#endif

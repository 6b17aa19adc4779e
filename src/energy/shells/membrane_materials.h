/* The membranes' materials and their strain limit (theory §4.9), eight triangles at once, lane = triangle.
 *
 * psi is a function of C = F^T F, 2x2, or of the singular values s1 >= s2 of F = s1 u1 v1^T + s2 u2 v2^T.
 *   NAME_stress  psi and the second Piola-Kirchhoff stress S = 2 dpsi/dC, from C; dpsi/dF = F S
 *   NAME_frame   what second derivatives need, in the frame of u1, u2, n = u1 x u2 and v1, v2: h = d2psi / ds_i ds_j,
 *       and, in closed
 *                forms without cancellation, minus = (psi_1 - psi_2) / (s1 - s2), plus = (psi_1 + psi_2) / (s1 + s2),
 *                and out[i] = psi_i / s_i, which is the stiffness across: a membrane under pressure has none, it
 *                buckles */
#ifndef VV_ENERGY_SHELLS_MEMBRANE_MATERIALS_H
#define VV_ENERGY_SHELLS_MEMBRANE_MATERIALS_H

#include "base/simd/svd8.h"
#include "energy/shells/membrane_kernels.h"

#include <math.h>

/* Symmetric 2x2: xx, yy, xy. */
typedef struct vv_plane8 {
    vv_d8 xx, yy, xy;
} vv_plane8;

/* det: |f1 x f2|^2, which is not negative and does not cancel. */
typedef struct vv_stretch2 {
    vv_plane8 c;
    vv_d8 det;
} vv_stretch2;

/* Of C: singular values s, and v1 = (cosine, sine), v2 = (-sine, cosine). */
typedef struct vv_principal8 {
    vv_d8 s[2], cosine, sine;
} vv_principal8;

/* A vv_membrane_law in each lane. */
typedef struct vv_law8 {
    vv_d8 mu, lambda, limit, width;
} vv_law8;

typedef struct vv_membrane_frame {
    vv_plane8 h;
    vv_d8 minus, plus, out[2];
} vv_membrane_frame;

VV_INLINE void vv8_principal(const vv_stretch2 *e, vv_principal8 *p)
{
    vv_d8 zero = vv8_zero(), one = vv8_set(1);
    vv_d8 mean = 0.5 * (e->c.xx + e->c.yy), d = 0.5 * (e->c.xx - e->c.yy), xy = e->c.xy, r = vv8_sqrt(d * d + xy * xy);
    vv_d8 large = mean + r,
          small = vv8_select(vv8_above(large, 0), e->det / vv8_select(vv8_above(large, 0), large, one), zero);
    vv_i8 along = ~vv8_below(d, 0); /* of two forms of the vector the longer one */
    vv_d8 x = vv8_select(along, r + d, xy), y = vv8_select(along, xy, r - d), length = vv8_sqrt(x * x + y * y);
    vv_i8 good = vv8_above(length, 0);
    length = vv8_select(good, length, one);
    p->cosine = vv8_select(good, x / length, one);
    p->sine = vv8_select(good, y / length, zero);
    p->s[0] = vv8_sqrt(large);
    p->s[1] = vv8_sqrt(small);
}

/* ---- StVK: psi = mu |G|^2 + la/2 tr^2 G, G = (C - I)/2: finite everywhere
 * ------------------------------------------- */

VV_INLINE void stvk_membrane_stress(const vv_stretch2 *e, const vv_law8 *law, vv_d8 *psi, vv_plane8 *s)
{
    vv_plane8 g = { 0.5 * (e->c.xx - 1), 0.5 * (e->c.yy - 1), 0.5 * e->c.xy };
    vv_d8 trace = g.xx + g.yy;
    *psi = law->mu * (g.xx * g.xx + g.yy * g.yy + 2 * (g.xy * g.xy)) + 0.5 * law->lambda * (trace * trace);
    s->xx = 2 * law->mu * g.xx + law->lambda * trace;
    s->yy = 2 * law->mu * g.yy + law->lambda * trace;
    s->xy = 2 * law->mu * g.xy;
}

VV_INLINE void stvk_membrane_frame(const vv_stretch2 *e, const vv_d8 s[2], const vv_law8 *law, vv_membrane_frame *f)
{
    (void)e;
    vv_d8 a = s[0] * s[0], b = s[1] * s[1], both = s[0] * s[1], pressure = 0.5 * law->lambda * ((a - 1) + (b - 1));
    f->h.xx = law->mu * (3 * a - 1) + pressure + law->lambda * a;
    f->h.yy = law->mu * (3 * b - 1) + pressure + law->lambda * b;
    f->h.xy = law->lambda * both;
    f->minus = law->mu * (a + b + both - 1) + pressure;
    f->plus = law->mu * (a + b - both - 1) + pressure;
    f->out[0] = law->mu * (a - 1) + pressure;
    f->out[1] = law->mu * (b - 1) + pressure;
}

/* ---- Neo-Hookean: psi = mu/2 (tr C - 2) - mu ln J + v(J), J = sqrt(det C): infinite at J = 0
 * -------------------------- v = la/2 ln^2 J. That would be -infinity at J = 0 where la is negative, as Poisson's
 * ratio is then: there v = la (J - 1 - ln J), as stiff at rest, and psi >= (mu + la) (J - 1 - ln J). */

/* det is positive. first: J v'; second: its derivative by ln J. */
VV_INLINE void vv8_membrane_area_part(vv_d8 det, vv_d8 lambda, vv_d8 *ln, vv_d8 *value, vv_d8 *first, vv_d8 *second)
{
    vv_i8 negative = vv8_below(lambda, 0);
    vv_d8 j = vv8_sqrt(det);
    *ln = 0.5 * vv8_log(det);
    *value = lambda * vv8_select(negative, (j - 1) - *ln, 0.5 * *ln * *ln);
    *first = lambda * vv8_select(negative, j - 1, *ln);
    *second = lambda * vv8_select(negative, j, vv8_set(1));
}

/* det is positive. */
VV_INLINE void neo_hookean_membrane_stress(const vv_stretch2 *e, const vv_law8 *law, vv_d8 *psi, vv_plane8 *s)
{
    vv_d8 ln, area, first, second;
    vv8_membrane_area_part(e->det, law->lambda, &ln, &area, &first, &second);
    vv_d8 pressure = (first - law->mu) / e->det;
    *psi = 0.5 * law->mu * ((e->c.xx - 1) + (e->c.yy - 1)) - law->mu * ln + area;
    s->xx = law->mu + pressure * e->c.yy;
    s->yy = law->mu + pressure * e->c.xx;
    s->xy = -(pressure * e->c.xy);
}

VV_INLINE void neo_hookean_membrane_frame(const vv_stretch2 *e, const vv_d8 s[2], const vv_law8 *law,
                                          vv_membrane_frame *f)
{
    vv_d8 ln, area, first, second;
    vv8_membrane_area_part(e->det, law->lambda, &ln, &area, &first, &second);
    vv_d8 pressure = first - law->mu;
    /* rounding may lose them */
    vv_d8 least = vv8_set(1e-150), i = 1 / vv8_max(s[0], least), j = 1 / vv8_max(s[1], least), both = i * j;
    f->h.xx = law->mu + (second - pressure) * (i * i);
    f->h.yy = law->mu + (second - pressure) * (j * j);
    f->h.xy = second * both;
    f->minus = law->mu - pressure * both;
    f->plus = law->mu + pressure * both;
    f->out[0] = law->mu + pressure * (i * i);
    f->out[1] = law->mu + pressure * (j * j);
}

/* ---- the strain limit: k w^2 sum of b(x), b = (1 - x)^3 / x, x = (limit - s) / w, for x in (0, 1]
 * -------------------- with k = 2 mu + la. It has two continuous derivatives at x = 1, where it begins, and a pole at
 * x = 0. A rational function instead of the usual logarithm has divided differences in closed form. */

/* Each x; 1 where the barrier does not act. */
VV_INLINE void vv8_limit_room(const vv_d8 s[2], const vv_law8 *law, vv_d8 x[2])
{
    vv_i8 limited = vv8_above(law->width, 0);
    vv_d8 width = vv8_select(limited, law->width, vv8_set(1));
    for (int i = 0; i < 2; i++)
        x[i] = vv8_select(limited, vv8_min((law->limit - s[i]) / width, vv8_set(1)), vv8_set(1));
}

/* -db/dx */
VV_INLINE vv_d8 vv8_limit_push(vv_d8 x)
{
    vv_d8 y = 1 - x;
    return y * y * (1 + 2 * x) / (x * x);
}

/* All x are positive. */
VV_INLINE void vv8_limit_stress(const vv_principal8 *p, const vv_law8 *law, const vv_d8 x[2], vv_d8 *psi, vv_plane8 *s)
{
    vv_d8 k = (2 * law->mu + law->lambda) * law->width;
    vv_d8 b[2];
    for (int i = 0; i < 2; i++) {
        vv_d8 y = 1 - x[i];
        *psi += k * law->width * (y * y * y / x[i]);
        b[i] = k * vv8_limit_push(x[i]) / vv8_max(p->s[i], vv8_set(1)); /* it acts above 1 only */
    }
    vv_d8 cc = p->cosine * p->cosine, ss = p->sine * p->sine;
    s->xx += b[0] * cc + b[1] * ss;
    s->yy += b[0] * ss + b[1] * cc;
    s->xy += (b[0] - b[1]) * (p->cosine * p->sine);
}

VV_INLINE void vv8_limit_frame(const vv_d8 s[2], const vv_law8 *law, vv_membrane_frame *f)
{
    vv_d8 k = 2 * law->mu + law->lambda;
    vv_d8 x[2], first[2], second[2];
    vv8_limit_room(s, law, x);
    for (int i = 0; i < 2; i++) {
        vv_d8 y = 1 - x[i];
        first[i] = k * law->width * vv8_limit_push(x[i]);
        second[i] = 2 * k * (y * (1 + x[i] + x[i] * x[i])) / (x[i] * x[i] * x[i]);
        f->out[i] += first[i] / vv8_max(s[i], vv8_set(1));
    }
    f->h.xx += second[0];
    f->h.yy += second[1];
    vv_d8 both = x[0] * x[1], apart = s[0] - s[1];
    vv_i8 one = ~vv8_below(x[1], 1); /* of the smaller one there is nothing: no cancellation */
    vv_i8 equal = ~vv8_above(apart, 0);
    vv_d8 alone = vv8_select(equal, second[0], first[0] / vv8_select(equal, vv8_set(1), apart));
    f->minus += vv8_select(one, alone, k * ((x[0] + x[1]) / (both * both) - 2));
    f->plus += (first[0] + first[1]) / vv8_max(s[0] + s[1], vv8_set(1));
}

#endif

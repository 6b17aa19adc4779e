/* The tet materials (theory §4.2, §4.3): one row of the list and a few short functions each. Eight tets at once, lane
 * = tet.
 *
 * A material is a function psi of the singular values s of F = U diag(s) V^T (the smallest may be negative).
 *   NAME_stress   psi and its gradient from F itself, in material_stress.h
 *   NAME_frame    what first and second derivatives need, in the frame of U and V:
 *     p[i] = psi_i = d psi / d s_i, h the 3x3 matrix d2 psi / d s_i d s_j, and for the pair {i, j} without k
 *     minus[k] = (psi_i - psi_j) / (s_i - s_j), plus[k] = (psi_i + psi_j) / (s_i + s_j), in closed forms without
 *     cancellation.
 *   NAME_bound, NAME_rest  weights of its constant quadratic models; what la adds to a bound is taken to hold nearly
 *       everywhere only
 * With dFhat = U^T dF V, the Hessian of psi is h on the diagonal entries of dFhat, and on the pair (dFhat_ij, dFhat_ji)
 * it has the eigenvalues minus (symmetric: flip) and plus (antisymmetric: twist): Smith, de Goes, Kim 2019.
 *
 * Notation: mu, la the Lame parameters; J = s0 s1 s2; I = |F|^2 = s0^2 + s1^2 + s2^2. */
#ifndef VV_ENERGY_TETS_MATERIALS_H
#define VV_ENERGY_TETS_MATERIALS_H

#include "base/simd/svd8.h"

/* X(name in code, "name", "summary", inversion_free, stress needs the rotation R) */
#define VV_TET_MATERIALS(X)                                                                                        \
    X(arap, "arap", "as rigid as possible, mu |F - R|^2: no resistance to volume change of its own", 0, 1)         \
    X(corotated, "corotated", "corotated linear, mu |F - R|^2 + la/2 tr^2(R^T F - I): kinks where inverted", 0, 1) \
    X(fixed_corotated, "fixed-corotated", "mu |F - R|^2 + la/2 (J - 1)^2 (Stomakhin 2012): may invert", 0, 1)      \
    X(stvk, "stvk", "St. Venant-Kirchhoff, mu |G|^2 + la/2 tr^2 G: quartic in the positions", 0, 0)                \
    X(neo_hookean, "neo-hookean", "mu/2 (I - 3) - mu ln J + la/2 ln^2 J: infinite at J = 0, cannot invert", 1, 0)  \
    X(stable_neo_hookean, "stable-neo-hookean", "Smith, de Goes, Kim 2018, remapped to the given moduli", 0, 0)

enum {
#define VV_ROW(name, word, summary, inversion_free, rotation) VV_MATERIAL_##name,
    VV_TET_MATERIALS(VV_ROW)
#undef VV_ROW
        VV_MATERIAL_COUNT
};

typedef struct vv_frame8 {
    vv_d8 p[3];
    vv_sym8 h; /* h.o[k]: entry of the pair without k */
    vv_d8 minus[3], plus[3];
} vv_frame8;

/* w of the constant quadratic models w/2 |F - F_0|^2 (energy/quadratic.h), Pa; NAME_bound 0: it has none. At rest,
 * psi is as stiff in all nine directions of F as against stretching, 2 mu + la. A rotation at rest is not one for a
 * rotated body, so the Hessian at rest itself would be soft where the body is stiff. */
static inline double vv_rest_weight(double mu, double la) { return 2 * mu + la; }

/* The two indices other than k. */
#define VV_I(k) ((k) == 0 ? 1 : 0)
#define VV_J(k) ((k) == 2 ? 1 : 2)

/* s_i + s_j >= 0, or 0 if a flattened tet has no unique best rotation: the twist is then a large negative number. */
VV_INLINE vv_d8 vv_pair_sum(const vv_d8 s[3], int k) { return vv8_max(s[VV_I(k)] + s[VV_J(k)], vv8_set(1e-12)); }

/* ---- arap: psi = mu sum (s - 1)^2 -------------------------------------------------------------------------------- */

/* mu |F - R|^2 is mu times the squared distance of F from the rotations. */
static inline double arap_bound(double mu, double la) { return (void)la, 2 * mu; }
static inline double arap_rest(double mu, double la) { return (void)la, 2 * mu; }

VV_INLINE void arap_frame(const vv_d8 s[3], double mu, double la, vv_frame8 *f)
{
    (void)la;
    for (int k = 0; k < 3; k++) {
        f->p[k] = 2 * mu * (s[k] - 1);
        f->h.d[k] = vv8_set(2 * mu);
        f->h.o[k] = vv8_zero();
        f->minus[k] = vv8_set(2 * mu);
        f->plus[k] = 2 * mu - 4 * mu / vv_pair_sum(s, k);
    }
}

/* ---- corotated: psi = mu sum (s - 1)^2 + la/2 T^2, T = s0 + s1 + s2 - 3 ---------------------------------------- */

/* T^2 / 3 is the squared distance of F from the matrices with s0 + s1 + s2 = 3: a second projection, F - T/3 R. But
 * where T > 0 and two singular values are so small that R is not that matrix's rotation (s1 + s2 < 2/3 T), the
 * nearest one is farther, and psi stiffer against twist than any constant. */
static inline double corotated_bound(double mu, double la) { return 2 * mu + (la > 0 ? 3 * la : 0); }
static inline double corotated_rest(double mu, double la) { return vv_rest_weight(mu, la); }

VV_INLINE void corotated_frame(const vv_d8 s[3], double mu, double la, vv_frame8 *f)
{
    vv_d8 t = (s[0] - 1) + (s[1] - 1) + (s[2] - 1);
    for (int k = 0; k < 3; k++) {
        f->p[k] = 2 * mu * (s[k] - 1) + la * t;
        f->h.d[k] = vv8_set(2 * mu + la);
        f->h.o[k] = vv8_set(la);
        f->minus[k] = vv8_set(2 * mu);
        f->plus[k] = 2 * mu + (2 * la * t - 4 * mu) / vv_pair_sum(s, k);
    }
}

/* ---- fixed corotated: psi = mu sum (s - 1)^2 + la/2 (J - 1)^2 -------------------------------------------------- */

static inline double fixed_corotated_bound(double mu, double la) { return (void)mu, (void)la, 0; }
static inline double fixed_corotated_rest(double mu, double la) { return vv_rest_weight(mu, la); }

VV_INLINE void fixed_corotated_frame(const vv_d8 s[3], double mu, double la, vv_frame8 *f)
{
    vv_d8 j = s[0] * s[1] * s[2];
    for (int k = 0; k < 3; k++) {
        vv_d8 area = s[VV_I(k)] * s[VV_J(k)]; /* dJ / ds_k */
        f->p[k] = 2 * mu * (s[k] - 1) + la * (j - 1) * area;
        f->h.d[k] = 2 * mu + la * area * area;
        f->h.o[k] = la * s[k] * (2 * j - 1);
        f->minus[k] = 2 * mu - la * (j - 1) * s[k];
        f->plus[k] = 2 * mu - 4 * mu / vv_pair_sum(s, k) + la * (j - 1) * s[k];
    }
}

/* ---- StVK: psi = mu |G|^2 + la/2 tr^2 G, with G = diag (s^2 - 1)/2 --------------------------------------------- */

static inline double stvk_bound(double mu, double la) { return (void)mu, (void)la, 0; }
static inline double stvk_rest(double mu, double la) { return vv_rest_weight(mu, la); }

VV_INLINE void stvk_frame(const vv_d8 s[3], double mu, double la, vv_frame8 *f)
{
    vv_d8 square[3] = { s[0] * s[0], s[1] * s[1], s[2] * s[2] };
    vv_d8 trace = 0.5 * ((square[0] - 1) + (square[1] - 1) + (square[2] - 1));
    for (int k = 0; k < 3; k++) {
        vv_d8 even = mu * (square[VV_I(k)] + square[VV_J(k)] - 1) + la * trace, odd = s[VV_I(k)] * s[VV_J(k)];
        f->p[k] = s[k] * (mu * (square[k] - 1) + la * trace);
        f->h.d[k] = mu * (3 * square[k] - 1) + la * (trace + square[k]);
        f->h.o[k] = la * odd;
        f->minus[k] = even + mu * odd;
        f->plus[k] = even - mu * odd;
    }
}

/* ---- Neo-Hookean: psi = mu/2 (I - 3) - mu ln J + la/2 ln^2 J, J > 0 -------------------------------------------- */

static inline double neo_hookean_bound(double mu, double la) { return (void)mu, (void)la, 0; }
static inline double neo_hookean_rest(double mu, double la) { return vv_rest_weight(mu, la); }

VV_INLINE void neo_hookean_frame(const vv_d8 s[3], double mu, double la, vv_frame8 *f)
{
    vv_d8 smallest = vv8_max(s[2], vv8_set(1e-30)); /* J > 0, but rounding of the singular values may lose it */
    vv_d8 pressure = la * vv8_log(s[0] * s[1] * smallest) - mu;
    vv_d8 inverse[3] = { 1 / s[0], 1 / s[1], 1 / smallest };
    for (int k = 0; k < 3; k++) {
        vv_d8 pair = inverse[VV_I(k)] * inverse[VV_J(k)];
        f->p[k] = mu * s[k] + pressure * inverse[k];
        f->h.d[k] = mu + (la - pressure) * (inverse[k] * inverse[k]);
        f->h.o[k] = la * pair;
        f->minus[k] = mu - pressure * pair;
        f->plus[k] = mu + pressure * pair;
    }
}

/* ---- stable Neo-Hookean: psi = m/2 (I - 3) + l/2 (J - alpha)^2 - m/2 ln (I + 1) - psi(identity) -------------------
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

#endif

/* What the kernels of membranes share about eight triangles: stress, the frame of F, its projection, the block of a
 * pair of nodes, and how far the strain limit lets a triangle go (theory §4.9; membrane_kernel.c). */
#ifndef VV_ENERGY_SHELLS_MEMBRANE_GROUP_H
#define VV_ENERGY_SHELLS_MEMBRANE_GROUP_H

#include "energy/batch/lanes.h"
#include "energy/shells/membrane_materials.h"

typedef struct triangle8 {
    vv_d8 f[2][3]; /* columns of F */
    vv_stretch2 e;
} triangle8;

VV_INLINE void stretch_of(vv_d8 f[2][3], vv_stretch2 *e)
{
    vv_d8 cross[3];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        cross[i] = f[0][j] * f[1][k] - f[0][k] * f[1][j];
    }
    e->c.xx = vv8_dot(f[0], f[0]);
    e->c.yy = vv8_dot(f[1], f[1]);
    e->c.xy = vv8_dot(f[0], f[1]);
    e->det = vv8_dot(cross, cross);
}

/* psi and S; outside: lanes where psi is +infinity, and anything else holds nothing of use. model and limited are
 * constants after inlining. */
VV_INLINE void stress_of(const triangle8 *t, const vv_law8 *law, int model, bool limited, vv_d8 *psi, vv_plane8 *s,
                         vv_i8 *outside)
{
    vv_stretch2 e = t->e;
    *outside = (vv_i8){ 0 };
    if (model == VV_MEMBRANE_NEO_HOOKEAN) {
        *outside = ~vv8_above(e.det, 0);
        e.det = vv8_select(*outside, vv8_set(1), e.det);
        neo_hookean_membrane_stress(&e, law, psi, s);
    } else {
        stvk_membrane_stress(&e, law, psi, s);
    }
    if (limited) {
        vv_principal8 p;
        vv_d8 x[2];
        vv8_principal(&t->e, &p);
        vv8_limit_room(p.s, law, x);
        vv_i8 beyond = ~(vv8_above(x[0], 0) & vv8_above(x[1], 0));
        for (int i = 0; i < 2; i++)
            x[i] = vv8_select(beyond, vv8_set(1), x[i]);
        vv8_limit_stress(&p, law, x, psi, s);
        *outside |= beyond;
    }
}

/* u1, u2, n: orthonormal whatever F is. */
VV_INLINE void frame_vectors(const triangle8 *t, const vv_principal8 *p, vv_d8 u[3][3])
{
    const double negligible = 1e-150;
    vv_d8 zero = vv8_zero(), x[3] = { vv8_set(1), zero, zero }, large[3], small[3], across[3], w[3];
    for (int i = 0; i < 3; i++) {
        large[i] = t->f[0][i] * p->cosine + t->f[1][i] * p->sine;
        small[i] = t->f[1][i] * p->cosine - t->f[0][i] * p->sine;
    }
    vv8_unit(large, negligible, x, u[0]);
    vv8_perpendicular(u[0], across);
    vv8_unit(small, negligible, across, w);
    vv_d8 along = vv8_dot(u[0], w);
    for (int i = 0; i < 3; i++)
        w[i] -= along * u[0][i];
    vv8_unit(w, 0.5, across, u[1]);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        u[2][i] = u[0][j] * u[1][k] - u[0][k] * u[1][j];
    }
}

/* The nearest semidefinite matrix. */
VV_INLINE void project_plane(vv_plane8 *h)
{
    vv_d8 mean = 0.5 * (h->xx + h->yy), d = 0.5 * (h->xx - h->yy), r = vv8_sqrt(d * d + h->xy * h->xy);
    vv_d8 large = vv8_max(mean + r, vv8_zero());
    vv_i8 wrong = vv8_below(mean - r, 0), turned = vv8_above(r, 0);
    vv_d8 inverse = 1 / vv8_select(turned, r, vv8_set(1));
    h->xx = vv8_select(wrong, 0.5 * large * (1 + d * inverse), h->xx);
    h->yy = vv8_select(wrong, 0.5 * large * (1 - d * inverse), h->yy);
    h->xy = vv8_select(wrong, 0.5 * large * (h->xy * inverse), h->xy);
}

VV_INLINE void project_frame(vv_membrane_frame *f)
{
    vv_d8 zero = vv8_zero();
    project_plane(&f->h);
    f->minus = vv8_max(f->minus, zero);
    f->plus = vv8_max(f->plus, zero);
    for (int i = 0; i < 2; i++)
        f->out[i] = vv8_max(f->out[i], zero);
}

/* What second derivatives need: the frame of F, and of psi there. */
VV_INLINE void curvature_of(const triangle8 *t, const vv_law8 *law, int model, bool limited, bool project,
                            vv_principal8 *p, vv_d8 u[3][3], vv_membrane_frame *f)
{
    vv8_principal(&t->e, p);
    frame_vectors(t, p, u);
    if (model == VV_MEMBRANE_NEO_HOOKEAN)
        neo_hookean_membrane_frame(&t->e, p->s, law, f);
    else
        stvk_membrane_frame(&t->e, p->s, law, f);
    if (limited)
        vv8_limit_frame(p->s, law, f);
    if (project)
        project_frame(f);
}

/* k[3*s + r] (+)= weight * entry (r, s) of U Khat_ab U^T, column-major. */
VV_INLINE void node_pair(const vv_membrane_frame *f, vv_d8 u[3][3], const vv_d8 ga[2], const vv_d8 gb[2], vv_d8 weight,
                         bool first, vv_d8 k[9])
{
    vv_d8 a = 0.5 * (f->minus + f->plus), b = 0.5 * (f->minus - f->plus), x = ga[0] * gb[0], y = ga[1] * gb[1];
    vv_d8 hat[2][2] = { { f->h.xx * x + a * y, f->h.xy * (ga[0] * gb[1]) + b * (ga[1] * gb[0]) },
                        { f->h.xy * (ga[1] * gb[0]) + b * (ga[0] * gb[1]), f->h.yy * y + a * x } };
    vv_d8 out = weight * (f->out[0] * x + f->out[1] * y);
    for (int s = 0; s < 3; s++) {
        vv_d8 p = weight * (hat[0][0] * u[0][s] + hat[0][1] * u[1][s]),
              q = weight * (hat[1][0] * u[0][s] + hat[1][1] * u[1][s]);
        for (int r = 0; r < 3; r++)
            vv8_accumulate(first, u[0][r] * p + u[1][r] * q + out * (u[2][r] * u[2][s]), k + 3 * s + r);
    }
}

/* The larger singular value of F + t D, given the entries of C as polynomials in t. */
static inline double stretch_at(double c[3][3], double t)
{
    double xx = c[0][0] + t * (c[0][1] + t * c[0][2]), yy = c[1][0] + t * (c[1][1] + t * c[1][2]),
           xy = c[2][0] + t * (c[2][1] + t * c[2][2]);
    double d = 0.5 * (xx - yy), square = 0.5 * (xx + yy) + sqrt(d * d + xy * xy);
    return sqrt(square > 0 ? square : 0);
}

/* The largest t in [0, 1], within 1%, up to which it stays below `most`. It is convex in t, so a chord that begins
 * inside leaves the domain before it does. */
static inline double part_below(double c[3][3], double most)
{
    double lo = 0, at_lo = stretch_at(c, 0), hi = 1, at_hi = stretch_at(c, 1);
    if (at_hi <= most)
        return 1;
    if (!(at_lo < most))
        return 0;
    for (int i = 0; i < 60 && hi - lo > 0.01 * lo; i++) {
        double chord = lo + (hi - lo) * (most - at_lo) / (at_hi - at_lo), middle = 0.5 * (chord + hi);
        double at_chord = stretch_at(c, chord), at_middle = stretch_at(c, middle);
        if (at_chord <= most)
            lo = chord, at_lo = at_chord;
        if (at_middle <= most)
            lo = middle, at_lo = at_middle;
        else
            hi = middle, at_hi = at_middle;
    }
    return lo;
}

#endif

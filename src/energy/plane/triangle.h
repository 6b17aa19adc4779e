/* The fixed corotated energy of one triangle in the plane: psi(F) = mu |F - R|^2 + la/2 (J - 1)^2, F 2x2 (theory
 * §4.16).
 *
 * Every 2x2 matrix is the sum of a multiple of a rotation and one of a reflection, F = s/2 R + d/2 N with s = s1 + s2
 * >= 0 (the smaller singular value s2 carries the sign of J) and d = s1 - s2 >= 0. R is the rotation nearest to F, J
 * = (s^2 - d^2)/4, and in the four orthogonal directions R, N, R' and N' (those two turned by 90 degrees) the second
 * derivatives are
 *
 *   R, N   (2 mu + la (s^2/2 + J - 1), -la s d/2; ., 2 mu + la (d^2/2 - (J - 1)))      stretching
 *   R'     2 mu - 4 mu/s + la (J - 1)                                                  twist
 *   N'     2 mu - la (J - 1)                                                           flip
 *
 * which needs no singular vectors, so that nothing is special about equal, zero or negative values. At s = 0 there is
 * no nearest rotation, and psi has a kink: R is 1 there, and s is kept above 1e-12 where it divides. */
#ifndef VV_ENERGY_PLANE_TRIANGLE_H
#define VV_ENERGY_PLANE_TRIANGLE_H

#include <math.h>
#include <stdbool.h>

typedef struct vv_plane_state {
    double f[2][2]; /* F, by rows */
    double s, d;
    double r[2], n[2]; /* R = (r0, -r1; r1, r0), N = (n0, n1; n1, -n0) */
    double growth;     /* J - 1 */
} vv_plane_state;

/* Eigenvalues of d2psi/dF2 on twist and flip, and its entries on R/sqrt 2 and N/sqrt 2. */
typedef struct vv_plane_curvature {
    double rr, rn, nn, twist, flip;
} vv_plane_curvature;

static inline void vv_plane_unit(double x, double y, double *size, double unit[2])
{
    *size = hypot(x, y);
    unit[0] = *size > 0 ? x / *size : 1;
    unit[1] = *size > 0 ? y / *size : 0;
}

static inline vv_plane_state vv_plane_state_of(double f[2][2])
{
    vv_plane_state p = { .f = { { f[0][0], f[0][1] }, { f[1][0], f[1][1] } },
                         .growth = f[0][0] * f[1][1] - f[0][1] * f[1][0] - 1 };
    vv_plane_unit(f[0][0] + f[1][1], f[1][0] - f[0][1], &p.s, p.r);
    vv_plane_unit(f[0][0] - f[1][1], f[1][0] + f[0][1], &p.d, p.n);
    return p;
}

/* F - R */
static inline void vv_plane_strain(const vv_plane_state *p, double e[2][2])
{
    e[0][0] = p->f[0][0] - p->r[0], e[0][1] = p->f[0][1] + p->r[1];
    e[1][0] = p->f[1][0] - p->r[1], e[1][1] = p->f[1][1] - p->r[0];
}

static inline double vv_plane_psi(const vv_plane_state *p, double mu, double la)
{
    double e[2][2];
    vv_plane_strain(p, e);
    return mu * (e[0][0] * e[0][0] + e[0][1] * e[0][1] + e[1][0] * e[1][0] + e[1][1] * e[1][1]) +
           0.5 * la * p->growth * p->growth;
}

/* P = dpsi/dF = 2 mu (F - R) + la (J - 1) cof F */
static inline void vv_plane_stress(const vv_plane_state *p, double mu, double la, double stress[2][2])
{
    double e[2][2], pressure = la * p->growth;
    vv_plane_strain(p, e);
    stress[0][0] = 2 * mu * e[0][0] + pressure * p->f[1][1], stress[0][1] = 2 * mu * e[0][1] - pressure * p->f[1][0];
    stress[1][0] = 2 * mu * e[1][0] - pressure * p->f[0][1], stress[1][1] = 2 * mu * e[1][1] + pressure * p->f[0][0];
}

/* The nearest semidefinite one of (rr, rn; rn, nn). */
static inline void vv_plane_clamp(vv_plane_curvature *c)
{
    double mean = 0.5 * (c->rr + c->nn), half = 0.5 * (c->rr - c->nn), radius = hypot(half, c->rn);
    if (mean >= radius)
        return;
    /* the positive eigenvalue times its projector */
    double part = mean + radius > 0 ? 0.5 * (mean + radius) / radius : 0;
    *c = (vv_plane_curvature){ part * (radius + half), part * c->rn, part * (radius - half), c->twist, c->flip };
}

static inline vv_plane_curvature vv_plane_curvature_of(const vv_plane_state *p, double mu, double la, bool project)
{
    double pressure = la * p->growth;
    vv_plane_curvature c = { .rr = 2 * mu + 0.5 * la * p->s * p->s + pressure,
                             .rn = -0.5 * la * p->s * p->d,
                             .nn = 2 * mu + 0.5 * la * p->d * p->d - pressure,
                             .twist = 2 * mu - 4 * mu / fmax(p->s, 1e-12) + pressure,
                             .flip = 2 * mu - pressure };
    if (project) {
        vv_plane_clamp(&c);
        c.twist = fmax(c.twist, 0), c.flip = fmax(c.flip, 0);
    }
    return c;
}

/* k += scale times the block (a, b) of the Hessian by the nodes' positions, row-major, from the gradients of the two
 * nodes' shape functions. */
static inline void vv_plane_add_block(const vv_plane_state *p, const vv_plane_curvature *c, const double a[2],
                                      const double b[2], double scale, double k[4])
{
    const double ra[2] = { p->r[0] * a[0] - p->r[1] * a[1], p->r[1] * a[0] + p->r[0] * a[1] };
    const double rb[2] = { p->r[0] * b[0] - p->r[1] * b[1], p->r[1] * b[0] + p->r[0] * b[1] };
    const double na[2] = { p->n[0] * a[0] + p->n[1] * a[1], p->n[1] * a[0] - p->n[0] * a[1] };
    const double nb[2] = { p->n[0] * b[0] + p->n[1] * b[1], p->n[1] * b[0] - p->n[0] * b[1] };
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            double turned = i == j ? 1 : -1; /* R' a = (-(R a)_1, (R a)_0), and so of N */
            double sum = c->rr * ra[i] * rb[j] + c->nn * na[i] * nb[j] + c->rn * (ra[i] * nb[j] + na[i] * rb[j]) +
                         turned * (c->twist * ra[1 - i] * rb[1 - j] + c->flip * na[1 - i] * nb[1 - j]);
            k[2 * i + j] += 0.5 * scale * sum;
        }
}

#endif

/* The tet materials' energy and stress from F itself, without its singular values (theory §4.2): for each row of the
 * list in materials.h one short function
 *   NAME_stress(e, mu, la, psi, P)   psi(F) and P = dpsi/dF, 9 entries row-major
 * Eight tets at once, lane = tet. Near the rest state nothing large cancels: the values are sums of what vanishes
 * there, F - R, J - 1, 2 G = F^T F - I, and stresses are right to rounding of mu and la.
 *
 * Notation: mu, la the Lame parameters; J = det F, cof F = dJ/dF, R the rotation of F = R S. */
#ifndef VV_ENERGY_TETS_MATERIAL_STRESS_H
#define VV_ENERGY_TETS_MATERIAL_STRESS_H

#include "base/simd/polar8.h"

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

/* psi = mu |F - R|^2 */
VV_INLINE void arap_stress(const vv_strain8 *e, double mu, double la, vv_d8 *psi, vv_d8 p[9])
{
    (void)la;
    vv8_less_rotation(e, p);
    *psi = mu * vv8_square9(p);
    for (int i = 0; i < 9; i++)
        p[i] *= 2 * mu;
}

/* psi = mu |F - R|^2 + la/2 T^2, T = tr (R^T F - I) = R : (F - R) */
VV_INLINE void corotated_stress(const vv_strain8 *e, double mu, double la, vv_d8 *psi, vv_d8 p[9])
{
    vv_d8 row[3];
    vv8_less_rotation(e, p);
    for (int i = 0; i < 3; i++)
        row[i] = e->r[3 * i] * p[3 * i] + e->r[3 * i + 1] * p[3 * i + 1] + e->r[3 * i + 2] * p[3 * i + 2];
    vv_d8 t = row[0] + row[1] + row[2];
    *psi = mu * vv8_square9(p) + 0.5 * la * t * t;
    t *= la;
    for (int i = 0; i < 9; i++)
        p[i] = 2 * mu * p[i] + t * e->r[i];
}

/* psi = mu |F - R|^2 + la/2 (J - 1)^2 */
VV_INLINE void fixed_corotated_stress(const vv_strain8 *e, double mu, double la, vv_d8 *psi, vv_d8 p[9])
{
    vv_d8 j1 = e->j - 1;
    vv8_less_rotation(e, p);
    *psi = mu * vv8_square9(p) + 0.5 * la * j1 * j1;
    j1 *= la;
    for (int i = 0; i < 9; i++)
        p[i] = 2 * mu * p[i] + j1 * e->cof[i];
}

/* psi = mu |G|^2 + la/2 tr^2 G, P = F (2 mu G + la tr G I) */
VV_INLINE void stvk_stress(const vv_strain8 *e, double mu, double la, vv_d8 *psi, vv_d8 p[9])
{
    vv_sym8 s;
    *psi = mu * e->green + 0.125 * la * e->stretch * e->stretch;
    for (int k = 0; k < 3; k++) {
        s.d[k] = mu * e->c.d[k] + 0.5 * la * e->stretch;
        s.o[k] = mu * e->c.o[k];
    }
    vv8_times_symmetric(e->f, &s, p);
}

/* psi = mu/2 (I - 3) - mu ln J + la/2 ln^2 J, J > 0; P = mu F + (la ln J - mu) / J cof F. A J of rounding size may
 * come out negative. */
VV_INLINE void neo_hookean_stress(const vv_strain8 *e, double mu, double la, vv_d8 *psi, vv_d8 p[9])
{
    vv_d8 j = vv8_max(e->j, vv8_set(1e-200)), log_j = vv8_log(j), pressure = (la * log_j - mu) / j;
    *psi = 0.5 * mu * e->stretch - mu * log_j + 0.5 * la * log_j * log_j;
    for (int i = 0; i < 9; i++)
        p[i] = mu * e->f[i] + pressure * e->cof[i];
}

/* psi = m/2 (I - 3) + l/2 (J - alpha)^2 - m/2 ln (I + 1) - psi(identity) with m = 4 mu/3, l = la + 5 mu/6 (so that
 * small strains see mu and la) and l alpha = l + 3 m/4; P = 3/4 m (F - cof F) + m (I - 3) / (4 (I + 1)) F + l (J - 1)
 * cof F. */
VV_INLINE void stable_neo_hookean_stress(const vv_strain8 *e, double mu, double la, vv_d8 *psi, vv_d8 p[9])
{
    double m = 4 * mu / 3, l = la + 5 * mu / 6;
    vv_d8 j1 = e->j - 1; /* (J - alpha)^2 - (1 - alpha)^2 = (J - 1) (J - 1 + 2 (1 - alpha)) */
    *psi = 0.5 * m * (e->stretch - vv8_log(1 + 0.25 * e->stretch)) + 0.5 * j1 * (l * j1 - 1.5 * m);
    vv_d8 shear = 0.25 * m * e->stretch / (e->stretch + 4), volume = l * j1;
    for (int i = 0; i < 9; i++)
        p[i] = 0.75 * m * (e->f[i] - e->cof[i]) + (shear * e->f[i] + volume * e->cof[i]);
}

#endif

/* What the kernels of linear and of quadratic tets share at one point of a group of eight: blocks of the (projected)
 * Hessian between the four corners, the step to inversion. Formulas: kernel.c. */
#ifndef VV_ENERGY_TETS_BLOCKS_H
#define VV_ENERGY_TETS_BLOCKS_H

#include "energy/tets/group.h"

#include <math.h>

/* ---- Hessian and gradient -------------------------------------------------------------------------------------- */

/* Derivatives of a group's elements, summed over the samples. Blocks (a, b), a <= b: see vv_block_of. */
typedef struct element_sum {
    vv_d8 force[4][3], k[10][9];
} element_sum;

/* Forces at nodes 1 to 3: U (p_q ghat_a[q])_q */
VV_INLINE void add_forces(const vv_d8 u[9], const vv_d8 p[3], const vv_d8 ghat[3][3], bool first, element_sum *sum)
{
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < 3; i++) {
            vv_d8 f = u[3 * i] * (p[0] * ghat[a][0]) + u[3 * i + 1] * (p[1] * ghat[a][1]) +
                      u[3 * i + 2] * (p[2] * ghat[a][2]);
            vv8_accumulate(first, f, sum->force[a + 1] + i);
        }
}

/* The Hessian of the volume-weighted energy in the frame: h, and (a, b) of each pair. */
typedef struct hessian8 {
    vv_sym8 h;
    vv_d8 a[3], b[3];
} hessian8;

VV_INLINE void frame_hessian(const vv_frame8 *f, vv_d8 weight, bool project, hessian8 *out)
{
    out->h = f->h;
    if (project)
        vv8_project_semidefinite(&out->h);
    for (int k = 0; k < 3; k++) {
        vv_d8 minus = f->minus[k], plus = f->plus[k];
        if (project) {
            minus = vv8_max(minus, vv8_zero());
            plus = vv8_max(plus, vv8_zero());
        }
        out->h.d[k] *= weight;
        out->h.o[k] *= weight;
        out->a[k] = 0.5 * weight * (minus + plus);
        out->b[k] = 0.5 * weight * (minus - plus);
    }
}

/* k[3*s + r] (+)= entry (r, s) of U Khat_ab U^T, column-major; only r <= s is computed where a = b. */
VV_INLINE void node_pair(const hessian8 *h, const vv_d8 u[9], const vv_d8 *ga, const vv_d8 *gb, bool same, bool first,
                         vv_d8 k[9])
{
    vv_d8 hat[9], w[9], product[3];
    for (int p = 0; p < 3; p++)
        product[p] = ga[p] * gb[p];
    for (int p = 0; p < 3; p++)
        for (int q = 0; q < 3; q++) {
            int r = 3 - p - q;
            if (p == q)
                hat[4 * p] =
                    h->h.d[p] * product[p] + h->a[VV_I(p)] * product[VV_J(p)] + h->a[VV_J(p)] * product[VV_I(p)];
            else if (same && p > q)
                hat[3 * p + q] = hat[3 * q + p];
            else
                hat[3 * p + q] = h->h.o[r] * (ga[p] * gb[q]) + h->b[r] * (ga[q] * gb[p]);
        }
    for (int p = 0; p < 3; p++)
        for (int s = 0; s < 3; s++)
            w[3 * p + s] = hat[3 * p] * u[3 * s] + hat[3 * p + 1] * u[3 * s + 1] + hat[3 * p + 2] * u[3 * s + 2];
    for (int s = 0; s < 3; s++)
        for (int r = 0; r < (same ? s + 1 : 3); r++) {
            vv_d8 entry = u[3 * r] * w[s] + u[3 * r + 1] * w[3 + s] + u[3 * r + 2] * w[6 + s];
            vv8_accumulate(first, entry, k + 3 * s + r);
        }
    if (same)
        k[1] = k[3], k[2] = k[6], k[5] = k[7];
}

/* The blocks of nodes 1 to 3. */
VV_INLINE void add_blocks(const hessian8 *h, const vv_d8 u[9], const vv_d8 ghat[3][3], bool first, element_sum *sum)
{
    for (int a = 0; a < 3; a++)
        for (int b = a; b < 3; b++)
            node_pair(h, u, ghat[a], ghat[b], a == b, first, sum->k[vv_block_of[a + 1][b + 1]]);
}

/* Those of node 0. */
VV_INLINE void complete_blocks(vv_d8 k[10][9])
{
    for (int r = 0; r < 3; r++)
        for (int s = 0; s < 3; s++) {
            int rs = 3 * s + r, sr = 3 * r + s; /* entries (r, s) and (s, r) */
            k[1][rs] = -(k[4][rs] + k[5][sr] + k[6][sr]);
            k[2][rs] = -(k[5][rs] + k[7][rs] + k[8][sr]);
            k[3][rs] = -(k[6][rs] + k[8][rs] + k[9][rs]);
        }
    for (int r = 0; r < 3; r++)
        for (int s = r; s < 3; s++) {
            k[0][3 * s + r] = -(k[1][3 * s + r] + k[2][3 * s + r] + k[3][3 * s + r]);
            k[0][3 * r + s] = k[0][3 * s + r];
        }
}

/* The only part that is another one for each material. */
VV_INLINE void frame_of(int material, const vv_d8 s[3], double mu, double la, vv_frame8 *frame)
{
    switch (material) {
#define VV_CASE(name, word, summary, free, rotation, sweeps, split) \
    case VV_MATERIAL_##name: name##_frame(s, mu, la, frame); break;
        VV_TET_MATERIALS(VV_CASE)
#undef VV_CASE
    default: *frame = (vv_frame8){ 0 }; break;
    }
}

/* One sample at one point of a group, whose frame is known; the first one overwrites the sum. shape: of the point. */
VV_INLINE void add_frame(const vv_block *b, const double *shape, const vv_sample *sample, vv_frame8 *frame,
                         const vv_svd8 *svd, bool first, element_sum *sum)
{
    vv_d8 ghat[3][3], volume = vv8_load(shape + 9 * VV_LANES);
    for (int a = 0; a < 3; a++)
        for (int p = 0; p < 3; p++)
            ghat[a][p] = svd->v[p] * vv8_load(shape + 3 * a * VV_LANES) +
                         svd->v[3 + p] * vv8_load(shape + (3 * a + 1) * VV_LANES) +
                         svd->v[6 + p] * vv8_load(shape + (3 * a + 2) * VV_LANES);
    if (b->g) {
        for (int p = 0; p < 3; p++)
            frame->p[p] *= volume * sample->force;
        add_forces(svd->u, frame->p, (const vv_d8(*)[3])ghat, first, sum);
    }
    hessian8 h;
    frame_hessian(frame, volume * sample->stiffness, b->project, &h);
    add_blocks(&h, svd->u, (const vv_d8(*)[3])ghat, first, sum);
}

VV_INLINE void add_sample(const vv_block *b, const double *shape, const vv_sample *sample, int material,
                          const vv_svd8 *svd, bool first, element_sum *sum)
{
    vv_frame8 frame;
    frame_of(material, svd->s, b->law[0], b->law[1], &frame);
    add_frame(b, shape, sample, &frame, svd, first, sum);
}

/* ---- pairs of samples ------------------------------------------------------------------------------------------ */

/* Decompositions are made in pairs, group by group and in it sample by sample; the last of an odd number is paired with
 * itself, and counts once. */
typedef struct two_samples {
    int last, group[2], sample[2]; /* last: 1, or 0: of one */
    vv_d8 f[2][9];
    vv_svd8 svd[2];
} two_samples;

VV_INLINE void number_samples(const vv_block *b, int i, two_samples *two)
{
    two->last = i + 1 < b->groups * b->samples ? 1 : 0;
    for (int n = 0; n < 2; n++) {
        two->group[n] = (i + (n & two->last)) / b->samples;
        two->sample[n] = (i + (n & two->last)) % b->samples;
    }
}

VV_INLINE void decompose(const vv_block *b, two_samples *two)
{
    for (int n = 0; n < 2; n++)
        gradient_of(b, two->group[n], b->sample[two->sample[n]].x, two->f[n]);
    vv8_svd_two(two->f, two->svd);
}

/* What a material's row of the kernels' table has of a derivatives_of_block. */
#define VV_DERIVATIVES(name) \
    static void name##_block_derivatives(const vv_block *b) { derivatives_of_block(b, VV_MATERIAL_##name); }

/* ---- step to inversion ---------------------------------------------------------------------------------------- */

/* Splits the Bernstein coefficients c of [0, 1] at t and keeps the part on its left or right (de Casteljau). */
static inline void split_cubic(double c[4], double t, bool keep_left)
{
    double u = 1 - t, ab = u * c[0] + t * c[1], bc = u * c[1] + t * c[2], cd = u * c[2] + t * c[3];
    double abc = u * ab + t * bc, bcd = u * bc + t * cd, at = u * abc + t * bcd;
    if (keep_left)
        c[1] = ab, c[2] = abc, c[3] = at;
    else
        c[0] = at, c[1] = bcd, c[2] = cd;
}

/* Largest t in [0, 1] up to which the cubic with Bernstein coefficients b on [0, 1] is certainly positive: the piece
 * after [0, left] is halved until its control polygon is positive, then the next is tried at twice the length; ends
 * within 1% of the first root, and never passes it. */
static inline double positive_prefix(const double b[4])
{
    double left = 0, width = 1;
    for (int step = 0; step < 5000; step++) {
        double c[4] = { b[0], b[1], b[2], b[3] }, right = left + width;
        split_cubic(c, right, true);
        split_cubic(c, left / right, false);
        if (c[0] > 0 && c[1] > 0 && c[2] > 0 && c[3] > 0) {
            if (right >= 1 - 1e-15)
                return 1;
            left = right;
            width = 2 * width < 1 - left ? 2 * width : 1 - left;
        } else if (width < 0.01 * left || width < 1e-290) {
            break;
        } else {
            width *= 0.5;
        }
    }
    return left;
}

/* det(F + t dF) = c0 + c1 t + c2 t^2 + c3 t^3 stays above a tenth of c0 up to the returned t, in all lanes. */
VV_INLINE double step_to_inversion(const vv_d8 f[9], const vv_d8 d[9])
{
    double least = 1;
    vv_d8 c1 = vv8_zero(), c2 = vv8_zero();
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int i1 = 3 * ((i + 1) % 3), i2 = 3 * ((i + 2) % 3), j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            c1 += d[3 * i + j] * (f[i1 + j1] * f[i2 + j2] - f[i1 + j2] * f[i2 + j1]);
            c2 += f[3 * i + j] * (d[i1 + j1] * d[i2 + j2] - d[i1 + j2] * d[i2 + j1]);
        }
    vv_d8 b0 = 0.9 * vv8_det(f), b1 = b0 + c1 / 3, b2 = b1 + (c1 + c2) / 3, b3 = b0 + c1 + c2 + vv8_det(d);
    vv_i8 check = ~(vv8_above(b0, 0) & vv8_above(b1, 0) & vv8_above(b2, 0) & vv8_above(b3, 0));
    if (vv8_any(check))
        for (int l = 0; l < VV_LANES; l++)
            if (check[l]) {
                double t = positive_prefix((const double[4]){ b0[l], b1[l], b2[l], b3[l] });
                least = t < least ? t : least;
            }
    return least;
}

#endif

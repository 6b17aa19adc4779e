/* The passes of conjugate gradients over 3x3-block rows; see kernel.h for the letters. */
#include "solve/pcg/kernel.h"

#include "base/sparse/kernel.h"
#include "base/vec.h"

#include <math.h>

/* Lower Cholesky factor of a symmetric 3x3 block, row by row (l00 l10 l11 l20 l21 l22). A pivot that has lost all
 * but 1e-14 of its diagonal entry is rounding, not curvature. */
static bool cholesky_3x3(const double d[9], double l[6])
{
    double d00 = d[0], d11, d22;
    l[0] = sqrt(d00);
    l[1] = d[1] / l[0];
    l[3] = d[2] / l[0];
    d11 = d[4] - l[1] * l[1];
    l[2] = sqrt(d11);
    l[4] = (d[5] - l[3] * l[1]) / l[2];
    d22 = d[8] - l[3] * l[3] - l[4] * l[4];
    l[5] = sqrt(d22);
    /* false for NaN too */
    return d00 > 0 && d11 > 1e-14 * d[4] && d22 > 1e-14 * d[8] && l[0] < INFINITY && l[2] < INFINITY && l[5] < INFINITY;
}

/* Replaces a block that is not positive definite: same eigenvectors, absolute eigenvalues, none below 1e-8 of the
 * largest. */
static void mend_block(const double d[9], double out[9])
{
    double w[3], v[9], top = 0;
    for (int k = 0; k < 9; k++) {
        out[k] = k % 4 == 0 ? 1 : 0;
        if (!(fabs(d[k]) < 1e150))
            return; /* infinite or NaN: the identity; the iteration stops anyway */
    }
    vv_eigen_symmetric(d, w, v);
    for (int k = 0; k < 3; k++)
        top = fmax(top, fabs(w[k]));
    if (!(top > 1e-150))
        return;
    for (int k = 0; k < 3; k++)
        w[k] = fmax(fabs(w[k]), 1e-8 * top);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[3 * i + j] =
                v[3 * i] * w[0] * v[3 * j] + v[3 * i + 1] * w[1] * v[3 * j + 1] + v[3 * i + 2] * w[2] * v[3 * j + 2];
}

static void invert_factor(const double d[9], float w[6])
{
    double l[6], mended[9];
    if (!cholesky_3x3(d, l)) {
        mend_block(d, mended);
        if (!cholesky_3x3(mended, l)) {
            l[0] = l[2] = l[5] = sqrt(mended[0] > 0 ? mended[0] : 1);
            l[1] = l[3] = l[4] = 0;
        }
    }
    double i0 = 1 / l[0], i1 = 1 / l[2], i2 = 1 / l[5], w10 = -l[1] * i0 * i1, w21 = -l[4] * i1 * i2;
    w[0] = (float)i0, w[1] = (float)w10, w[2] = (float)i1;
    w[3] = (float)(-(l[3] * i0 + l[4] * w10) * i2), w[4] = (float)w21, w[5] = (float)i2;
}

/* z = W^T W r; the three parts of r.z = ||W r||^2 go to dot. */
VV_INLINE void precondition(const float w[6], const double r[3], double z[3], double dot[3])
{
    double t0 = w[0] * r[0], t1 = w[1] * r[0] + w[2] * r[1], t2 = w[3] * r[0] + w[4] * r[1] + w[5] * r[2];
    z[0] = w[0] * t0 + w[1] * t1 + w[3] * t2;
    z[1] = w[2] * t1 + w[4] * t2;
    z[2] = w[5] * t2;
    dot[0] += t0 * t0, dot[1] += t1 * t1, dot[2] += t2 * t2;
}

static double start(const vv_pcg *s, int begin, int end)
{
    double dot[3] = { 0, 0, 0 };
    for (int i = begin; i < end; i++) {
        size_t at = 3 * (size_t)i;
        invert_factor(s->a->val + 9 * (size_t)s->a->diag[i], s->w + 2 * at);
        precondition(s->w + 2 * at, s->b + at, s->z + at, dot);
        for (int k = 0; k < 3; k++) {
            s->x[at + (size_t)k] = 0;
            s->r[at + (size_t)k] = s->b[at + (size_t)k];
            s->p[at + (size_t)k] = s->z[at + (size_t)k];
        }
    }
    return dot[0] + dot[1] + dot[2];
}

static double restart(const vv_pcg *s, int begin, int end)
{
    const vv_bsr *a = s->a;
    double dot[3] = { 0, 0, 0 };
    for (int i = begin; i < end; i++) {
        size_t at = 3 * (size_t)i;
        vv_bsr_row(a->col, a->val, s->x, a->row_start[i], a->row_start[i + 1], s->r + at);
    }
    vv_bsr_extra_multiply_rows(a, s->x, s->r, begin, end);
    for (int i = begin; i < end; i++) {
        size_t at = 3 * (size_t)i;
        for (int k = 0; k < 3; k++)
            s->r[at + (size_t)k] = s->b[at + (size_t)k] - s->r[at + (size_t)k];
        precondition(s->w + 2 * at, s->r + at, s->z + at, dot);
        memcpy(s->p + at, s->z + at, 3 * sizeof *s->p);
    }
    return dot[0] + dot[1] + dot[2];
}

#define PRODUCT(name, row, val)                                           \
    static double name(const vv_pcg *s, int begin, int end)               \
    {                                                                     \
        const vv_bsr *a = s->a;                                           \
        const double *p = s->p;                                           \
        double *q = s->q, dot[3] = { 0, 0, 0 };                           \
        for (int i = begin; i < end; i++) {                               \
            size_t at = 3 * (size_t)i;                                    \
            double y[3];                                                  \
            row(a->col, val, p, a->row_start[i], a->row_start[i + 1], y); \
            for (int k = 0; k < 3; k++) {                                 \
                q[at + (size_t)k] = y[k];                                 \
                dot[k] += p[at + (size_t)k] * y[k];                       \
            }                                                             \
        }                                                                 \
        return dot[0] + dot[1] + dot[2];                                  \
    }
PRODUCT(product, vv_bsr_row, a->val)
PRODUCT(product_cheap, vv_bsr_row_float, s->val)

static double product_store(const vv_pcg *s, int begin, int end)
{
    size_t first = 9 * (size_t)s->a->row_start[begin], last = 9 * (size_t)s->a->row_start[end];
    const double *from = s->a->val;
    float *to = s->val;
    for (size_t k = first; k < last; k++)
        to[k] = (float)from[k];
    return product_cheap(s, begin, end);
}

static double update(const vv_pcg *s, double alpha, int begin, int end)
{
    double *restrict x = s->x, *restrict r = s->r, dot[3] = { 0, 0, 0 };
    const double *restrict p = s->p, *restrict q = s->q;
    for (size_t k = 3 * (size_t)begin; k < 3 * (size_t)end; k++) {
        x[k] += alpha * p[k];
        r[k] -= alpha * q[k];
    }
    for (int i = begin; i < end; i++)
        precondition(s->w + 6 * (size_t)i, r + 3 * (size_t)i, s->z + 3 * (size_t)i, dot);
    return dot[0] + dot[1] + dot[2];
}

static void direction(const vv_pcg *s, double beta, int begin, int end)
{
    double *restrict p = s->p;
    const double *restrict z = s->z;
    for (size_t k = 3 * (size_t)begin; k < 3 * (size_t)end; k++)
        p[k] = z[k] + beta * p[k];
}

const vv_pcg_kernels VV_KERNEL(vv_pcg_kernels) = { start,         restart, product,  product_store,
                                                   product_cheap, update,  direction };

/* Passes over the rows of one chunk; see ssor_kernel.h for the arrays and ssor.c for the method. */
#include "solve/pcg/ssor_kernel.h"

#include "solve/pcg/ssor_rows.h"

#include <math.h>

static double factor(const vv_ssor *s, int begin, int end)
{
    int bad = 0;
    for (int i = begin; i < end; i++) {
        const double *d = s->a->val + 9 * (size_t)s->a->diag[s->order[i]];
        double *w = s->w + 12 * (size_t)i;
        double l00 = sqrt(d[0]), l10 = d[1] / l00, l20 = d[2] / l00, d11 = d[4] - l10 * l10;
        double l11 = sqrt(d11), l21 = (d[5] - l20 * l10) / l11, d22 = d[8] - l20 * l20 - l21 * l21, l22 = sqrt(d22);
        /* a pivot that lost all but 1e-12 of its entry is rounding; the bounds keep W within float's range; NaN
         * fails */
        bool good = d[0] > 1e-60 && d11 > 1e-12 * d[4] && d22 > 1e-12 * d[8] && d[4] > 1e-60 && d[8] > 1e-60 &&
                    d[0] < 1e60 && d[4] < 1e60 && d[8] < 1e60;
        bad += !good;
        double w00 = 1 / l00, w11 = 1 / l11, w22 = 1 / l22, w10 = -l10 * w00 * w11, w21 = -l21 * w11 * w22;
        double w20 = -(l20 * w00 + l21 * w10) * w22;
        vv_d4 c0 = { w00, w10, w20, 0 }, c1 = { 0, w11, w21, 0 }, c2 = { 0, 0, w22, 0 };
        vv_ssor_put(w, 0, c0);
        vv_ssor_put(w, 1, c1);
        vv_ssor_put(w, 2, c2);
    }
    return bad;
}

static double scale(const vv_ssor *s, int begin, int end)
{
    for (int i = begin; i < end; i++) {
        const double *wi = s->w + 12 * (size_t)i;
        vv_d4 c0 = vv_ssor_get(wi, 0), c1 = vv_ssor_get(wi, 1), c2 = vv_ssor_get(wi, 2);
        for (int k = s->low.start[i]; k < s->low.start[i + 1]; k++) {
            int from = s->source[k], nnz = s->a->nnz;
            const double *b = from < nnz ? s->a->val + 9 * (size_t)from : s->a->extra.val + 9 * (size_t)(from - nnz);
            const double *wj = s->w + 12 * (size_t)s->low.col[k];
            vv_d4 t0 = c0 * vv_ssor_all(b[0]) + c1 * vv_ssor_all(b[1]) + c2 * vv_ssor_all(b[2]);
            vv_d4 t1 = c0 * vv_ssor_all(b[3]) + c1 * vv_ssor_all(b[4]) + c2 * vv_ssor_all(b[5]);
            vv_d4 t2 = c0 * vv_ssor_all(b[6]) + c1 * vv_ssor_all(b[7]) + c2 * vv_ssor_all(b[8]);
            vv_d4 column_of[3] = { t0 * vv_ssor_all(wj[0]), t0 * vv_ssor_all(wj[1]) + t1 * vv_ssor_all(wj[5]),
                                   t0 * vv_ssor_all(wj[2]) + t1 * vv_ssor_all(wj[6]) + t2 * vv_ssor_all(wj[10]) };
            float *low = s->low.val + 9 * (size_t)k, *up = s->up.val + 9 * (size_t)s->mirror[k];
            for (int c = 0; c < 3; c++)
                for (int r = 0; r < 3; r++)
                    low[3 * c + r] = up[3 * r + c] = (float)column_of[c][r];
        }
    }
    return 0;
}

static double residual(const vv_ssor *s, int begin, int end)
{
    const vv_bsr *a = s->a;
    const vv_bsr_extra *e = &a->extra;
    for (int i = begin; i < end; i++) {
        int old = s->order[i];
        const double *b = s->b + 3 * (size_t)old, *w = s->w + 12 * (size_t)i;
        double y[3], more[3];
        vv_bsr_row(a->col, a->val, s->x, a->row_start[old], a->row_start[old + 1], y);
        if (e->nnz && e->start[old] < e->start[old + 1]) {
            vv_bsr_row(e->col, e->val, s->x, e->start[old], e->start[old + 1], more);
            for (int k = 0; k < 3; k++)
                y[k] += more[k];
        }
        vv_ssor_put(s->t, i,
                    vv_ssor_get(w, 0) * vv_ssor_all(b[0] - y[0]) + vv_ssor_get(w, 1) * vv_ssor_all(b[1] - y[1]) +
                        vv_ssor_get(w, 2) * vv_ssor_all(b[2] - y[2]));
    }
    return 0;
}

static double start(const vv_ssor *s, int begin, int end)
{
    vv_d4 dot = { 0 };
    for (int i = begin; i < end; i++) {
        vv_d4 r = vv_ssor_three(vv_ssor_get(s->t, i) - vv_ssor_row(&s->low, i, s->r));
        vv_ssor_put(s->r, i, r);
        vv_ssor_put(s->v, i, (vv_d4){ 0 });
        vv_ssor_put(s->y, i, (vv_d4){ 0 });
        dot += r * r;
    }
    return vv_ssor_sum3(dot);
}

static double backward(const vv_ssor *s, int begin, int end)
{
    const vv_ssor_half up = s->up;
    const double *r = s->r;
    double *v = s->v, *t = s->t;
    vv_d4 beta = vv_ssor_all(s->beta);
    int last = s->a->n - 1;
    for (int i = end - 1; i >= begin; i--) {
        vv_d4 direction = vv_ssor_get(r, i) + beta * vv_ssor_get(v, i);
        vv_ssor_put(v, i, direction);
        vv_ssor_put(t, i, vv_ssor_three(direction - vv_ssor_row(&up, last - i, t)));
    }
    return 0;
}

static double forward(const vv_ssor *s, int begin, int end)
{
    const vv_ssor_half low = s->low;
    const double *v = s->v, *t = s->t;
    double *u = s->u, *q = s->q;
    vv_d4 dot = { 0 };
    for (int i = begin; i < end; i++) {
        vv_d4 vi = vv_ssor_get(v, i), ti = vv_ssor_get(t, i), ui = vv_ssor_three((vi - ti) - vv_ssor_row(&low, i, u)),
              qi = ti + ui;
        vv_ssor_put(u, i, ui);
        vv_ssor_put(q, i, qi);
        dot += vi * qi;
    }
    return vv_ssor_sum3(dot);
}

static double update(const vv_ssor *s, int begin, int end)
{
    vv_d4 dot = { 0 }, alpha = vv_ssor_all(s->alpha);
    for (int i = begin; i < end; i++) {
        vv_d4 r = vv_ssor_get(s->r, i) - alpha * vv_ssor_get(s->q, i);
        vv_ssor_put(s->y, i, vv_ssor_get(s->y, i) + alpha * vv_ssor_get(s->v, i));
        vv_ssor_put(s->r, i, r);
        dot += r * r;
    }
    return vv_ssor_sum3(dot);
}

static double finish(const vv_ssor *s, int begin, int end)
{
    for (int i = end - 1; i >= begin; i--) {
        vv_d4 t = vv_ssor_three(vv_ssor_get(s->y, i) - vv_ssor_row(&s->up, s->a->n - 1 - i, s->t));
        const double *w = s->w + 12 * (size_t)i;
        double *x = s->x + 3 * (size_t)s->order[i];
        vv_ssor_put(s->t, i, t);
        for (int c = 0; c < 3; c++)
            x[c] += vv_ssor_sum3(vv_ssor_get(w, c) * t);
    }
    return 0;
}

static void pull(const vv_ssor *s, const double *from, double *to, int begin, int end)
{
    for (int i = begin; i < end; i++)
        vv_ssor_put(to, i, vv_ssor_three(vv_ssor_row(&s->low, i, from)));
}

const vv_ssor_kernels VV_KERNEL(vv_ssor_kernels) = { factor,  scale,  residual, start, backward,
                                                     forward, update, finish,   pull };

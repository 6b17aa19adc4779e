/* Passes of the second level; see second_kernel.h for the arrays and second_level.h for the method. Values are single
 * precision, sums double. */
#include "solve/pcg/second_kernel.h"

#include "base/simd/simd_math.h"
#include "solve/pcg/ssor_rows.h"

/* Z of a node: column m is the displacement in mode m, row by row. */
VV_INLINE void rigid_modes(const vv_second_frame *f, const double *x, double z[3][VV_MODES])
{
    const double d[3] = { x[0] - f->centre[0], x[1] - f->centre[1], x[2] - f->centre[2] };
    for (int r = 0; r < 3; r++)
        for (int m = 0; m < 3; m++)
            z[r][m] = r == m;
    for (int m = 0; m < 3; m++) {
        const double *a = f->axis[m];
        z[0][3 + m] = a[1] * d[2] - a[2] * d[1];
        z[1][3 + m] = a[2] * d[0] - a[0] * d[2];
        z[2][3 + m] = a[0] * d[1] - a[1] * d[0];
    }
}

static void modes(const vv_ssor *s, int begin, int end)
{
    const vv_second *v = s->second;
    for (int i = begin; i < end; i++) {
        const double *w = s->w + 12 * (size_t)i;
        /* C = W^-1, lower */
        const double c00 = 1 / w[0], c11 = 1 / w[5], c22 = 1 / w[10];
        const double c10 = -c11 * w[1] * c00, c21 = -c22 * w[6] * c11, c20 = -c22 * (w[2] * c00 + w[6] * c10);
        double z[3][VV_MODES];
        float *to = v->z + 3 * VV_MODE_ROW * (size_t)i;
        rigid_modes(v->frame + v->of[i], v->place + 3 * (size_t)s->order[i], z);
        for (int m = 0; m < VV_MODES; m++) {
            to[m] = (float)(c00 * z[0][m] + c10 * z[1][m] + c20 * z[2][m]);
            to[VV_MODE_ROW + m] = (float)(c11 * z[1][m] + c21 * z[2][m]);
            to[2 * VV_MODE_ROW + m] = (float)(c22 * z[2][m]);
        }
    }
}

typedef struct three_rows {
    vv_d8 r[3];
} three_rows;

VV_INLINE three_rows load_rows(const float *z)
{
    return (three_rows){ { vv_bsr_load_float(z), vv_bsr_load_float(z + VV_MODE_ROW),
                           vv_bsr_load_float(z + 2 * VV_MODE_ROW) } };
}

/* W^ of row i for one aggregate; own: its own */
VV_INLINE three_rows entry(const vv_ssor *s, int i, int aggregate, const three_rows *own)
{
    const vv_second *v = s->second;
    const vv_ssor_half *up = &s->up;
    const int at = s->a->n - 1 - i;
    three_rows sum = { { { 0 } } };
    if (own)
        sum = *own;
    for (int k = up->start[at]; k < up->start[at + 1]; k++) {
        const int j = up->col[k];
        if (v->of[j] != aggregate)
            continue;
        const float *b = up->val + 9 * (size_t)k;
        const three_rows z = load_rows(v->z + 3 * VV_MODE_ROW * (size_t)j);
        for (int r = 0; r < 3; r++)
            sum.r[r] += (z.r[0] * (double)b[r] + z.r[1] * (double)b[3 + r]) + z.r[2] * (double)b[6 + r];
    }
    return sum;
}

static void products(const vv_ssor *s, int aggregate)
{
    const vv_second *v = s->second;
    memset(v->block + VV_MODE_BLOCK * (size_t)v->near_start[aggregate], 0,
           VV_MODE_BLOCK * (size_t)(v->near_start[aggregate + 1] - v->near_start[aggregate]) * sizeof *v->block);
    for (int k = v->first[aggregate]; k < v->first[aggregate + 1]; k++) {
        const int i = v->new_row[v->member[k]];
        const float *z = v->z + 3 * VV_MODE_ROW * (size_t)i;
        const three_rows own = load_rows(z);
        for (int e = v->start[i]; e < v->start[i + 1]; e++) {
            const bool first = e == v->start[i];
            three_rows sum = entry(s, i, v->aggregate[e], first ? &own : NULL);
            float *w = v->w + 18 * (size_t)e;
            for (int m = 0; m < VV_MODES; m++)
                for (int r = 0; r < 3; r++)
                    w[3 * m + r] = (float)sum.r[r][m];
            for (int r = 0; first && r < 3; r++)
                sum.r[r] -= own.r[r] * 0.5;
            double *block = v->block + VV_MODE_BLOCK * (size_t)v->slot[e];
            for (int m = 0; m < VV_MODES; m++) {
                vv_d8 *to = (vv_d8 *)(block + VV_MODE_ROW * m);
                *to += (sum.r[0] * (double)z[m] + sum.r[1] * (double)z[VV_MODE_ROW + m]) +
                       sum.r[2] * (double)z[2 * VV_MODE_ROW + m];
            }
        }
    }
}

/* Two columns of an entry, 0 1 2 and 3 4 5; the last two lanes are what follows. */
VV_INLINE vv_d8 columns(const float *w, int pair) { return vv_bsr_load_float(w + 6 * pair); }

static void gather(const vv_ssor *s, int aggregate)
{
    const vv_second *v = s->second;
    vv_d8 sum[3] = { { 0 } };
    for (int k = v->list_start[aggregate]; k < v->list_start[aggregate + 1]; k++) {
        const float *w = v->w + 18 * (size_t)v->list[k][0];
        const vv_d4 r = vv_ssor_get(s->r, v->list[k][1]); /* its fourth is 0 */
        const vv_d8 twice = __builtin_shufflevector(r, r, 0, 1, 2, 0, 1, 2, 3, 3);
        for (int pair = 0; pair < 3; pair++)
            sum[pair] += columns(w, pair) * twice;
    }
    for (int m = 0; m < VV_MODES; m++) {
        const vv_d8 a = sum[m / 2];
        v->c[VV_MODES * (size_t)aggregate + (size_t)m] = m % 2 ? a[3] + a[4] + a[5] : a[0] + a[1] + a[2];
    }
}

static void widen(const vv_ssor *s, int aggregate)
{
    const vv_second *v = s->second;
    const double *c = v->c + VV_MODES * (size_t)aggregate;
    for (int pair = 0; pair < 3; pair++, c += 2)
        *(vv_d8 *)(v->wide + VV_WIDE * (size_t)aggregate + VV_LANES * pair) =
            (vv_d8){ c[0], c[0], c[0], c[1], c[1], c[1], 0, 0 };
}

/* W^ c, of row i */
VV_INLINE vv_d4 spread(const vv_second *v, int i)
{
    vv_d8 sum = { 0 };
    for (int e = v->start[i]; e < v->start[i + 1]; e++) {
        const float *w = v->w + 18 * (size_t)e;
        const double *c = v->wide + VV_WIDE * (size_t)v->aggregate[e];
        for (int pair = 0; pair < 3; pair++)
            sum += columns(w, pair) * vv8_load(c + VV_LANES * pair);
    }
    const vv_d4 even = __builtin_shufflevector(sum, sum, 0, 1, 2, 6),
                odd = __builtin_shufflevector(sum, sum, 3, 4, 5, 7);
    return vv_ssor_three(even + odd);
}

static double backward(const vv_ssor *s, int begin, int end)
{
    const vv_ssor_half up = s->up;
    const vv_second second = *s->second;
    const double *r = s->r;
    double *v = s->v, *t = s->t;
    vv_d4 beta = vv_ssor_all(s->beta);
    int last = s->a->n - 1;
    for (int i = end - 1; i >= begin; i--) {
        vv_d4 direction = (vv_ssor_get(r, i) + spread(&second, i)) + beta * vv_ssor_get(v, i);
        vv_ssor_put(v, i, direction);
        vv_ssor_put(t, i, vv_ssor_three(direction - vv_ssor_row(&up, last - i, t)));
    }
    return 0;
}

const vv_second_kernels VV_KERNEL(vv_second_kernels) = { modes, products, gather, widen, backward };

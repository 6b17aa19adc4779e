/* Forward and back substitution over panels; see panels.h. */
#include "solve/linear/panels.h"

#include "base/sparse/kernel.h"
#include "base/simd/simd_math.h"

/* Solves each panel's unknowns, then subtracts them from the rows below. */
static void solve(const vv_panels *p, double *x)
{
    for (size_t k = 0; k < p->count; k++) {
        const vv_factor_panel *a = p->panel + k;
        double *d = x + a->column;
        const double *c = p->corner + a->corner;
        for (int j = 0; j < a->width; j++, c += a->width) {
            d[j] *= c[j];
            for (int i = j + 1; i < a->width; i++)
                d[i] -= c[i] * d[j];
        }
        const double *v = p->value + a->value;
        const int *row = p->row + a->row;
        for (size_t g = 0; g < a->groups; g++, row += VV_PANEL_ROWS) {
            vv_d8 s0 = { 0 }, s1 = { 0 }, s2 = { 0 };
            int j = 0;
            for (; j + 3 <= a->width; j += 3, v += 3 * VV_PANEL_ROWS) {
                s0 += vv_bsr_load(v) * vv8_set(d[j]);
                s1 += vv_bsr_load(v + VV_PANEL_ROWS) * vv8_set(d[j + 1]);
                s2 += vv_bsr_load(v + 2 * VV_PANEL_ROWS) * vv8_set(d[j + 2]);
            }
            for (; j < a->width; j++, v += VV_PANEL_ROWS)
                s0 += vv_bsr_load(v) * vv8_set(d[j]);
            s0 += s1 + s2;
            for (int r = 0; r < VV_PANEL_ROWS; r++)
                x[row[r]] -= s0[r];
        }
        x[p->n] = 0;
    }
}

static void solve_transposed(const vv_panels *p, double *x)
{
    x[p->n] = 0;
    for (size_t k = p->count; k-- > 0;) {
        const vv_factor_panel *a = p->panel + k;
        double *d = x + a->column;
        vv_d8 sum[VV_PANEL_WIDTH] = { { 0 } };
        const double *v = p->value + a->value;
        const int *row = p->row + a->row;
        for (size_t g = 0; g < a->groups; g++, row += VV_PANEL_ROWS) {
            vv_d8 y = { x[row[0]], x[row[1]], x[row[2]], x[row[3]], x[row[4]], x[row[5]], x[row[6]], x[row[7]] };
            for (int j = 0; j < a->width; j++, v += VV_PANEL_ROWS)
                sum[j] += vv_bsr_load(v) * y;
        }
        for (int j = a->width - 1; j >= 0; j--) {
            const double *c = p->corner + a->corner + (size_t)(a->width * j);
            double rest = ((sum[j][0] + sum[j][4]) + (sum[j][1] + sum[j][5])) +
                          ((sum[j][2] + sum[j][6]) + (sum[j][3] + sum[j][7]));
            for (int i = j + 1; i < a->width; i++)
                rest += c[i] * d[i];
            d[j] = (d[j] - rest) * c[j];
        }
    }
}

const vv_panel_kernels VV_KERNEL(vv_panel_kernels) = { solve, solve_transposed };

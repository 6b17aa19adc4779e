/* Product with the 3x3-block matrix, once per instruction set. */
#include "base/sparse/kernel.h"

#include "base/sparse/bsr.h"

void VV_KERNEL(vv_bsr_rows)(const vv_bsr *a, const double *x, double *y, int begin, int end)
{
    for (int i = begin; i < end; i++)
        vv_bsr_row(a->col, a->val, x, a->row_start[i], a->row_start[i + 1], y + 3 * (size_t)i);
}

double VV_KERNEL(vv_bsr_extra_rows)(const vv_bsr *a, const double *x, double *y, int begin, int end)
{
    const vv_bsr_extra *e = &a->extra;
    double dot[3] = { 0, 0, 0 };
    for (int k = begin; k < end; k++) {
        size_t at = 3 * (size_t)e->row[k];
        double sum[3];
        vv_bsr_row(e->col, e->val, x, e->start[e->row[k]], e->start[e->row[k] + 1], sum);
        for (size_t c = 0; c < 3; c++) {
            y[at + c] += sum[c];
            dot[c] += x[at + c] * sum[c];
        }
    }
    return dot[0] + dot[1] + dot[2];
}

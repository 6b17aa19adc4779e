/* Product with the 3x3-block matrix, once per instruction set. */
#include "base/bsr_kernel.h"

#include "base/bsr.h"

void VV_KERNEL(vv_bsr_rows)(const vv_bsr *a, const double *x, double *y, int begin, int end)
{
    for (int i = begin; i < end; i++)
        vv_bsr_row(a->col, a->val, x, a->row_start[i], a->row_start[i + 1], y + 3 * (size_t)i);
}

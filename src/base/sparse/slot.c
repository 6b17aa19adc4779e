/* Where a block of the pattern is. */
#include "base/sparse/bsr.h"

int vv_bsr_slot(const vv_bsr *a, int row, int col)
{
    if (row < 0 || col < 0)
        return a->nnz;
    int lo = a->row_start[row], hi = a->row_start[row + 1] - 1;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (a->col[mid] < col)
            lo = mid + 1;
        else
            hi = mid;
    }
    return a->col[lo] == col ? lo : a->nnz;
}

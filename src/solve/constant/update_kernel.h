/* x += W f, the sum over columns that a diagonal update (update.h) applies; one for each instruction set. */
#ifndef VV_SOLVE_CONSTANT_UPDATE_KERNEL_H
#define VV_SOLVE_CONSTANT_UPDATE_KERNEL_H

#include "base/simd/simd.h"

enum { VV_UPDATE_ROWS = 16 }; /* of a block */

/* Rows lie in blocks: row r of the column in place k is column[(r / 16 * room + k) * 16 + r % 16]. */
typedef struct vv_update_sum {
    const float *column;
    int room, rows, count;
    const int *place; /* of the columns that count */
    const float *f;   /* of each of these, x y z */
    double *x;        /* rows x 3 */
} vv_update_sum;

/* For the blocks begin to end. */
typedef void vv_update_fn(const vv_update_sum *s, int begin, int end);
VV_VARIANTS(vv_update_fn, vv_update_add);

#endif

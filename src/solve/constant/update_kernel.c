/* Adds multiples of columns, 16 rows at a time; see update_kernel.h. */
#include "solve/constant/update_kernel.h"

#include "base/simd/simd.h"

#include <stddef.h>
#include <string.h>

typedef float sixteen __attribute__((vector_size(64)));

void VV_KERNEL(vv_update_add)(const vv_update_sum *s, int begin, int end)
{
    for (int b = begin; b < end; b++) {
        const float *block = s->column + (size_t)b * (size_t)s->room * VV_UPDATE_ROWS;
        sixteen sum[3] = { { 0 }, { 0 }, { 0 } };
        for (int k = 0; k < s->count; k++) {
            sixteen w;
            memcpy(&w, block + (size_t)s->place[k] * VV_UPDATE_ROWS, sizeof w);
            for (int c = 0; c < 3; c++)
                sum[c] += w * s->f[3 * k + c];
        }
        const int first = b * VV_UPDATE_ROWS,
                  rows = s->rows - first < VV_UPDATE_ROWS ? s->rows - first : VV_UPDATE_ROWS;
        float out[3][VV_UPDATE_ROWS];
        memcpy(out, sum, sizeof out);
        double *x = s->x + 3 * (size_t)first;
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < 3; c++)
                x[3 * r + c] += (double)out[c][r];
    }
}

/* The order of rows for Gauss-Seidel sweeps that run in parallel and give the same bits on any number of threads. */
#ifndef VV_SOLVE_PCG_SSOR_ORDER_H
#define VV_SOLVE_PCG_SSOR_ORDER_H

#include "solve/pcg/ssor_kernel.h"

enum { VV_SSOR_DOMAINS = 16 };
typedef struct vv_ssor_order {
    int domains;
    int begin[VV_SSOR_DOMAINS + 2]; /* first new row of each domain, then of the separator, then its end: n, or the
                                       first of the coupled rows (solve/pcg/coupled.h) */
} vv_ssor_order;

/* Number of blocks in a triangle, including those outside the fixed pattern. */
size_t vv_ssor_blocks(const vv_bsr *a);
/* Room for so many blocks in a triangle, and where there is none yet for some more; false: no memory, to be released.
 */
bool vv_ssor_reserve(vv_ssor *s, size_t blocks, size_t more);
void vv_ssor_release(vv_ssor *s);
/* Fills *o and the integer arrays of *s, which have room for n rows (`start`: n + 1) and vv_ssor_blocks() blocks, and
 * one more in `source` and low.col. coupled: rows with blocks outside the fixed pattern come last, and the blocks
 * among them are left out. work: 2 n. */
void vv_ssor_order_build(vv_ssor_order *o, vv_ssor *s, const vv_bsr *a, bool coupled, int *work);

#endif

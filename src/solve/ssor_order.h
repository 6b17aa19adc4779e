/* The order of rows for Gauss-Seidel sweeps that run in parallel and give the same bits on any number of threads. */
#ifndef VV_SOLVE_SSOR_ORDER_H
#define VV_SOLVE_SSOR_ORDER_H

#include "solve/ssor_kernel.h"

typedef struct vv_ssor_order {
    int rows;         /* of a chunk */
    int chunks;
    int colours;
    int *begin;       /* chunks + 1: first new row of each chunk, colour by colour */
    int *colour_from; /* colours + 1: first chunk of each colour */
} vv_ssor_order;

/* Fills *o and the integer arrays of *s. False when memory ran out (then free both). */
bool vv_ssor_order_build(vv_ssor_order *o, vv_ssor *s, const vv_bsr *a);
void vv_ssor_order_free(vv_ssor_order *o);

#endif

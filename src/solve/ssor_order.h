/* The order of rows for Gauss-Seidel sweeps that run in parallel and give the same bits on any number of threads. */
#ifndef VV_SOLVE_SSOR_ORDER_H
#define VV_SOLVE_SSOR_ORDER_H

#include "solve/ssor_kernel.h"

enum { VV_SSOR_DOMAINS = 16 };
typedef struct vv_ssor_order {
    int domains;
    int begin[VV_SSOR_DOMAINS + 2]; /* first new row of each domain, then of the separator, then n */
} vv_ssor_order;

/* Fills *o and the integer arrays of *s. False when memory ran out (the caller frees). */
bool vv_ssor_order_build(vv_ssor_order *o, vv_ssor *s, const vv_bsr *a);

#endif

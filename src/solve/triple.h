/* temporary */
#ifndef VV_SOLVE_TRIPLE_H
#define VV_SOLVE_TRIPLE_H
#include "base/parallel.h"
#include "visviva/base.h"
typedef struct vv_triple vv_triple;
vvStatus vv_triple_create(int n, const int *start, const int *row, const vv_parallel *par, bool single, vv_triple **out, vvError *error);
vvStatus vv_triple_create_like(const vv_triple *like, vv_triple **out, vvError *error);
vvStatus vv_triple_factor(vv_triple *t, const double *values, vvError *error);
void vv_triple_solve(const vv_triple *t, const double *b, double *x);
void vv_triple_destroy(vv_triple *t);
#endif

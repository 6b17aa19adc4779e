/* Patterns of symmetric matrices of numbers: one triangle, lower or upper, in compressed columns. Column j has the
 * rows row[start[j]] to row[start[j + 1] - 1]. */
#ifndef VV_SOLVE_CONSTANT_TRIANGLE_H
#define VV_SOLVE_CONSTANT_TRIANGLE_H

#include "visviva/base.h"

#include <stdbool.h>

/* VV_ERROR_INPUT unless it is one triangle, with the whole diagonal, and rows ascend. */
vvStatus vv_triangle_check(int n, const int *start, const int *row, vvError *error);
/* The lower triangle in another order (column: the new number of each old one) into p and i, rows ascending; p, with
 * room for n + 1, holds zeros. place: where each entry went, or NULL. False: out of memory. */
bool vv_triangle_permute(int n, const int *start, const int *row, const int *column, int *p, int *i, int *place);

#endif

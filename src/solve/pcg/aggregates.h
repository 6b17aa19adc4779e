/* Aggregates of rows for the second level of "pcg" (solve/pcg/second_level.h). */
#ifndef VV_SOLVE_PCG_AGGREGATES_H
#define VV_SOLVE_PCG_AGGREGATES_H

#include "base/sparse/bsr.h"

/* Divides each body's rows into compact parts of at most `rows` each and much the same size: slices across the longest
 * side of the box around them, each halved again and again, by a.place; ranges where that is NULL. member: a.n rows by
 * aggregates; first: where each aggregate begins in it, and the end of the last. The parts are a function of the places
 * alone. */
void vv_aggregates_divide(const vv_bsr *a, int rows, int *member, int *first);

#endif

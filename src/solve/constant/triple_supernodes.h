/* Supernodes of a Cholesky factor: neighbouring columns that are stored as one dense block, with zeros where that is
 * cheaper than to keep them apart. Theory §6.11. */
#ifndef VV_SOLVE_CONSTANT_TRIPLE_SUPERNODES_H
#define VV_SOLVE_CONSTANT_TRIPLE_SUPERNODES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct vv_relaxed {
    int count;
    int *first;     /* count + 1: first columns */
    int *parent;    /* a later supernode, or -1 */
    size_t *below;  /* where the rows below it begin in `row` */
    int *rows;      /* how many those are */
    int *row;       /* ascending */
    size_t entries; /* of the factor, without zeros */
} vv_relaxed;

/* Lower triangle with diagonal, in compressed columns, in postorder of its elimination tree. `lanes`: rows are stored
 * in groups of so many. False: out of memory; free it all the same. */
bool vv_relaxed_build(vv_relaxed *r, int n, const int *start, const int *row, int lanes);
void vv_relaxed_free(vv_relaxed *r);

/* What a solve with a supernode costs, both ways, in numbers read. */
double vv_relaxed_cost(int width, int rows_below, int lanes);

#endif

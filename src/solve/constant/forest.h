/* The factor of a block-diagonal constant matrix, one block for each group of unconnected bodies: a vv_triple for each.
 * Blocks outlive the matrix: when a world is baked again, an unchanged body takes its old factor from a store, with the
 * same bits as a new one; a body with only another mass or stiffness keeps at least its order. */
#ifndef VV_SOLVE_CONSTANT_FOREST_H
#define VV_SOLVE_CONSTANT_FOREST_H

#include "solve/constant/triple.h"

#include <stdint.h>

enum { VV_FOREST_KEPT = 64 };

typedef struct vv_forest_block {
    int first, n;     /* rows of the whole matrix */
    bool single;      /* precision */
    int *start, *row; /* its pattern, counted from its first row */
    double *value;    /* of which the factor was made */
    vv_triple *triple;
    vv_parallel par; /* the threads that it shares its work among */
} vv_forest_block;

typedef struct vv_forest {
    vv_forest_block *block;
    size_t count, capacity;
    int made; /* by the last call of vv_forest_factor; the others were there */
    const vv_parallel *par;
} vv_forest;

/* Blocks of matrices that are gone, the oldest first; each with an order of its own, as two blocks of one order are not
 * to be solved at a time. All zero: empty. */
typedef struct vv_forest_store {
    vv_forest_block block[VV_FOREST_KEPT];
    size_t count;
} vv_forest_store;

/* The factor of a matrix of n rows: pattern and values as in vv_triple_create. A forest that has blocks was made of a
 * matrix of that pattern and precision: their order stays, and what has the same values is not made again. Else it
 * takes what it finds in the store (NULL: none), and the orders of `like` (NULL: none), which is of the same pattern.
 * `par` must outlive it. VV_ERROR_SOLVER, VV_ERROR_MEMORY, VV_ERROR_UNSUPPORTED as vv_triple_create and
 * vv_triple_factor; then nothing may be solved until the next success. */
vvStatus vv_forest_factor(vv_forest *f, int n, const int *start, const int *row, const double *value,
                          const vv_parallel *par, bool single, const vv_forest *like, vv_forest_store *store,
                          vvError *error);
/* As vv_triple_solve. */
void vv_forest_solve(const vv_forest *f, const double *b, double *x);
vv_triple_stats vv_forest_get_stats(const vv_forest *f); /* sums */
/* Empties it: into the store, which allocates nothing, or where that is NULL for good. */
void vv_forest_give(vv_forest *f, vv_forest_store *store);
void vv_forest_store_free(vv_forest_store *store);

#endif

/* (A + D)^-1 from the factor of a constant A: D is diagonal, one number >= 0 a node, and may change from step to
 * step, as hands, spring attachments and contact springs come and go (theory §6.10).
 *
 * With few such nodes E, W = A^-1 E is kept, column by column, for as long as A stays: a node that is picked again,
 * or stays in contact, costs nothing. b without its rows at E is solved with A's factor, x~; then the forces f at the
 * nodes of E that remain beside D's are found, (1 + D C) f = b_E - D x~_E,   x = x~ + W f,   C = E^T W, which loses no
 * digits however stiff D is: where D C_ii > 1, x_E = (b_E - f) / D. With more than VV_UPDATE_COLUMNS nodes: conjugate
 * gradients, preconditioned with A's factor. Both end with the same bits whatever was solved before. */
#ifndef VV_SOLVE_CONSTANT_UPDATE_H
#define VV_SOLVE_CONSTANT_UPDATE_H

#include "base/sparse/bsr.h"
#include "solve/constant/forest.h"
#include "solve/system.h"

enum {
    VV_UPDATE_COLUMNS = 128,        /* to make more costs what a factor costs, in small bodies */
    VV_UPDATE_ITERATIONS = 30,      /* of conjugate gradients, at most; */
    VV_UPDATE_ITERATIONS_WITH = 100 /* with C */
};

typedef struct vv_update {
    int n;
    const vv_system *system; /* for its threads and sums */
    /* kept while A stays */
    int room, kept;              /* places for columns; those in use */
    float *column;               /* see update_kernel.h */
    int node[VV_UPDATE_COLUMNS]; /* whose column is in each place */
    uint64_t used[VV_UPDATE_COLUMNS], uses;
    /* D now */
    int count;                     /* of nodes with D > 0, */
    int *at;                       /* ascending; n at most, */
    double *d;                     /* and D there */
    bool iterated;                 /* solved with conjugate gradients */
    int place[VV_UPDATE_COLUMNS];  /* of each one's column */
    double own[VV_UPDATE_COLUMNS]; /* C_ii */
    double *cholesky;              /* of 1 + D^1/2 C D^1/2; lower triangle, row by row, VV_UPDATE_COLUMNS a row */
} vv_update;

/* For matrices of n x n, n = system->unknowns. The system must outlive it. */
vvStatus vv_update_create(vv_update *u, const vv_system *system, vvError *error);
void vv_update_free(vv_update *u);   /* also if all zero, or if its creation failed */
void vv_update_forget(vv_update *u); /* A has another factor */
/* D = diag(d), n numbers; work: n x 3. Makes the columns that are missing. VV_ERROR_MEMORY: nothing may be solved
 * until the next success. */
vvStatus vv_update_set(vv_update *u, const vv_forest *a, const double *d, double *work, vvError *error);
static inline bool vv_update_is_none(const vv_update *u) { return u->count == 0; }
/* x = (A + D)^-1 b, n x 3 each; they may be the same array. work: four of n x 3. Allocates nothing. With conjugate
 * gradients x is where what is left is a hundredth, or their number spent: b.x > 0 in any case, and 1/2 x.(A + D)x -
 * b.x is below 0. Returns how many. */
int vv_update_solve(vv_update *u, const vv_forest *a, const double *b, double *x, double *const work[4]);
/* The same with A + D + C, C semidefinite and as stiff as it likes, always by conjugate gradients, preconditioned
 * with A + D where columns serve; x is where a part `tolerance` of what there was is left, or `most` of them are made.
 * work: five of n x 3. */
int vv_update_solve_with(vv_update *u, const vv_forest *a, const vv_bsr *c, const double *b, double tolerance, int most,
                         double *x, double *const work[5]);

#endif

/* Cholesky factor of a dense symmetric matrix, in square tiles: L L^T = E, below the diagonal and right of the first
 * tile of each row of tiles that is not zero (an envelope: there is no fill before it). Every sum is taken in one
 * order, whatever the number of threads and the instruction set. */
#ifndef VV_SOLVE_PCG_DENSE_TILES_H
#define VV_SOLVE_PCG_DENSE_TILES_H

#include "base/simd/cpu.h"
#include "base/parallel.h"

#include <stddef.h>

enum { VV_TILE = 48 }; /* rows of a tile: of eight times six, eight lanes side by side */

typedef struct vv_dense_tiles {
    int rows;     /* of tiles */
    int *first;   /* rows: the first tile of each */
    size_t *at;   /* rows: which tile in val its first one is */
    double *val;  /* tiles, one row of them after the other, each column-major */
    double flops; /* multiplications with an addition: of a factorisation */
    size_t size;  /* of val, in tiles */
    size_t first_room, at_room, room;
} vv_dense_tiles;

static inline double *vv_dense_tile(const vv_dense_tiles *d, int row, int column)
{
    return d->val + (d->at[row] + (size_t)(column - d->first[row])) * (VV_TILE * VV_TILE);
}

/* Room for so many rows of tiles. False: no memory, and nothing has changed. first[] is the caller's to fill. */
bool vv_dense_tiles_rows(vv_dense_tiles *d, int rows);
/* Lays the tiles out after first[]. False: no memory. */
bool vv_dense_tiles_lay_out(vv_dense_tiles *d);
void vv_dense_tiles_free(vv_dense_tiles *d);

/* E, its lower triangle, becomes L; the diagonal holds the inverse of L's. False: not positive definite, to some 1e-13
 * of what the diagonal was. */
bool vv_dense_tiles_factorise(vv_dense_tiles *d, vv_isa isa, const vv_parallel *par);
/* x = L^-1 x; then x = L^-T x. 64-byte aligned, rows * VV_TILE numbers. */
void vv_dense_tiles_forward(const vv_dense_tiles *d, vv_isa isa, double *x);
void vv_dense_tiles_backward(const vv_dense_tiles *d, vv_isa isa, double *x);

#endif

/* Cholesky factor of a dense symmetric matrix in tiles, column of tiles after column of tiles (left-looking). */
#include "solve/pcg/dense_tiles.h"

#include "base/memory.h"
#include "base/simd/variant.h"
#include "solve/pcg/dense_tiles_kernel.h"

static const double NS_FLOP = 0.15; /* of one thread: below some tiles no second one is woken */

bool vv_dense_tiles_rows(vv_dense_tiles *d, int rows)
{
    bool ok = vv_grow((void **)&d->first, &d->first_room, (size_t)rows, sizeof *d->first) &&
              vv_grow((void **)&d->at, &d->at_room, (size_t)rows, sizeof *d->at);
    d->rows = ok ? rows : 0;
    return ok;
}

bool vv_dense_tiles_lay_out(vv_dense_tiles *d)
{
    const double tile = (double)VV_TILE * VV_TILE * VV_TILE;
    d->size = 0;
    d->flops = 0;
    for (int i = 0; i < d->rows; i++) {
        d->at[i] = d->size;
        d->size += (size_t)(i - d->first[i] + 1);
        for (int j = d->first[i]; j <= i; j++) {
            const int from = d->first[i] > d->first[j] ? d->first[i] : d->first[j];
            d->flops += tile * (j - from + (j < i ? 0.5 : 1.0 / 3));
        }
    }
    return vv_grow((void **)&d->val, &d->room, d->size * (VV_TILE * VV_TILE), sizeof *d->val);
}

void vv_dense_tiles_free(vv_dense_tiles *d)
{
    vv_free(d->first);
    vv_free(d->at);
    vv_free(d->val);
    *d = (vv_dense_tiles){ 0 };
}

typedef struct job {
    const vv_dense_tiles *d;
    const vv_tile_kernels *kernels;
    int column;
} job;

/* The tile at (row, column), less what the columns before it explain. */
static double *less(const job *j, int row, int column)
{
    const vv_dense_tiles *d = j->d;
    double *to = vv_dense_tile(d, row, column);
    for (int k = d->first[row] > d->first[column] ? d->first[row] : d->first[column]; k < column; k++)
        j->kernels->subtract(to, vv_dense_tile(d, row, k), vv_dense_tile(d, column, k));
    return to;
}

static void tile_below(void *arg, int below)
{
    const job *j = arg;
    const int row = j->column + 1 + below;
    if (j->d->first[row] <= j->column)
        j->kernels->divide(less(j, row, j->column), vv_dense_tile(j->d, j->column, j->column));
}

bool vv_dense_tiles_factorise(vv_dense_tiles *d, vv_isa isa, const vv_parallel *par)
{
    job j = { d, VV_VARIANT(isa, vv_tile_kernels), 0 };
    for (; j.column < d->rows; j.column++) {
        double flops = 0;
        for (int i = j.column + 1; i < d->rows; i++)
            if (d->first[i] <= j.column)
                flops += (double)VV_TILE * VV_TILE * VV_TILE * (j.column - d->first[i] + 0.5);
        if (!j.kernels->factorise(less(&j, j.column, j.column)))
            return false;
        vv_for(vv_helpers_for(par, NS_FLOP * flops), d->rows - j.column - 1, tile_below, &j);
    }
    return true;
}

void vv_dense_tiles_forward(const vv_dense_tiles *d, vv_isa isa, double *x)
{
    const vv_tile_kernels *kernels = VV_VARIANT(isa, vv_tile_kernels);
    for (int i = 0; i < d->rows; i++) {
        for (int j = d->first[i]; j < i; j++)
            kernels->below(vv_dense_tile(d, i, j), x + (size_t)j * VV_TILE, x + (size_t)i * VV_TILE);
        kernels->forward(vv_dense_tile(d, i, i), x + (size_t)i * VV_TILE);
    }
}

void vv_dense_tiles_backward(const vv_dense_tiles *d, vv_isa isa, double *x)
{
    const vv_tile_kernels *kernels = VV_VARIANT(isa, vv_tile_kernels);
    for (int i = d->rows - 1; i >= 0; i--) {
        kernels->backward(vv_dense_tile(d, i, i), x + (size_t)i * VV_TILE);
        for (int j = d->first[i]; j < i; j++)
            kernels->above(vv_dense_tile(d, i, j), x + (size_t)i * VV_TILE, x + (size_t)j * VV_TILE);
    }
}

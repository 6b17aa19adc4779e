/* Tiles of a dense Cholesky factor; see dense_tiles_kernel.h. A lane is a row. */
#include "solve/pcg/dense_tiles_kernel.h"

#include "base/simd/simd_math.h"
#include "solve/pcg/dense_tiles.h"

#include <math.h>

enum { GROUPS = VV_TILE / VV_LANES, COLUMNS = 8 };
static const double LOST = 1e-13; /* a pivot that has lost all but this of its entry is rounding */

static void subtract(double *c, const double *a, const double *b)
{
    for (int j = 0; j < VV_TILE; j += COLUMNS)
        for (int g = 0; g < GROUPS; g++) {
            double *to = c + VV_TILE * j + VV_LANES * g;
            vv_d8 sum[COLUMNS];
            for (int m = 0; m < COLUMNS; m++)
                sum[m] = vv8_load(to + VV_TILE * m);
            for (int k = 0; k < VV_TILE; k++) {
                vv_d8 row = vv8_load(a + VV_TILE * k + VV_LANES * g);
                for (int m = 0; m < COLUMNS; m++)
                    sum[m] -= row * b[VV_TILE * k + j + m];
            }
            for (int m = 0; m < COLUMNS; m++)
                *(vv_d8 *)(to + VV_TILE * m) = sum[m];
        }
}

/* Above the diagonal come zeros, so that whole groups of lanes can be read. */
static bool factorise(double *c)
{
    double entry[VV_TILE];
    for (int j = 0; j < VV_TILE; j++)
        entry[j] = c[VV_TILE * j + j];
    for (int j = 0; j < VV_TILE; j++) {
        double *column = c + VV_TILE * j, pivot = column[j];
        if (!(pivot > LOST * entry[j] && pivot < INFINITY))
            return false;
        double inverse = 1 / sqrt(pivot);
        const int g0 = j / VV_LANES;
        for (int g = g0; g < GROUPS; g++)
            *(vv_d8 *)(column + VV_LANES * g) = vv8_load(column + VV_LANES * g) * inverse;
        for (int k = 0; k < j; k++)
            column[k] = 0;
        for (int k = j + 1; k < VV_TILE; k++) {
            double *other = c + VV_TILE * k, factor = column[k];
            for (int g = k / VV_LANES; g < GROUPS; g++)
                *(vv_d8 *)(other + VV_LANES * g) =
                    vv8_load(other + VV_LANES * g) - vv8_load(column + VV_LANES * g) * factor;
        }
        column[j] = inverse;
    }
    return true;
}

static void divide(double *c, const double *l)
{
    for (int g = 0; g < GROUPS; g++)
        for (int j = 0; j < VV_TILE; j++) {
            double *to = c + VV_TILE * j + VV_LANES * g;
            vv_d8 even = vv8_load(to), odd = vv8_zero();
            for (int k = 0; k + 1 < j; k += 2) {
                even -= vv8_load(c + VV_TILE * k + VV_LANES * g) * l[VV_TILE * k + j];
                odd -= vv8_load(c + VV_TILE * (k + 1) + VV_LANES * g) * l[VV_TILE * (k + 1) + j];
            }
            if (j % 2)
                even -= vv8_load(c + VV_TILE * (j - 1) + VV_LANES * g) * l[VV_TILE * (j - 1) + j];
            *(vv_d8 *)to = (even + odd) * l[VV_TILE * j + j];
        }
}

static void forward(const double *l, double *x)
{
    for (int j = 0; j < VV_TILE; j++) {
        const double *column = l + VV_TILE * j;
        const double value = x[j] * column[j];
        for (int g = j / VV_LANES; g < GROUPS; g++)
            *(vv_d8 *)(x + VV_LANES * g) = vv8_load(x + VV_LANES * g) - vv8_load(column + VV_LANES * g) * value;
        x[j] = value;
    }
}

static void backward(const double *l, double *x)
{
    for (int j = VV_TILE - 1; j >= 0; j--) {
        const double *column = l + VV_TILE * j;
        const double rest = x[j];
        vv_d8 sum = vv8_zero();
        x[j] = 0; /* L's diagonal is not there, but its inverse */
        for (int g = j / VV_LANES; g < GROUPS; g++)
            sum += vv8_load(column + VV_LANES * g) * vv8_load(x + VV_LANES * g);
        x[j] = (rest - vv8_sum(sum)) * column[j];
    }
}

static void below(const double *c, const double *x, double *y)
{
    vv_d8 sum[GROUPS];
    for (int g = 0; g < GROUPS; g++)
        sum[g] = vv8_load(y + VV_LANES * g);
    for (int k = 0; k < VV_TILE; k++)
        for (int g = 0; g < GROUPS; g++)
            sum[g] -= vv8_load(c + VV_TILE * k + VV_LANES * g) * x[k];
    for (int g = 0; g < GROUPS; g++)
        *(vv_d8 *)(y + VV_LANES * g) = sum[g];
}

static void above(const double *c, const double *x, double *y)
{
    for (int k = 0; k < VV_TILE; k++) {
        vv_d8 sum = vv8_zero();
        for (int g = 0; g < GROUPS; g++)
            sum += vv8_load(c + VV_TILE * k + VV_LANES * g) * vv8_load(x + VV_LANES * g);
        y[k] -= vv8_sum(sum);
    }
}

const vv_tile_kernels VV_KERNEL(vv_tile_kernels) = { subtract, factorise, divide, forward, backward, below, above };

/* Blocks of a matrix of which some rows and columns move in a part of space only. */
#ifndef VV_BASE_SPARSE_CONFINE_H
#define VV_BASE_SPARSE_CONFINE_H

#include "base/vec.h"

/* block (column-major) = R block C, with R and C symmetric; NULL: the identity. */
static inline void vv_confine_block(const double *row, const double *column, double *block)
{
    double a[9];
    for (int k = 0; k < 9; k++)
        a[k] = block[3 * (k % 3) + k / 3];
    if (row)
        vv_matmul(row, a, a);
    if (column)
        vv_matmul(a, column, a);
    for (int k = 0; k < 9; k++)
        block[3 * (k % 3) + k / 3] = a[k];
}

/* How stiff the block of a node by itself is, where something positive has to stand in for what it may not do. */
static inline double vv_confined_stiffness(const double *block)
{
    const double stiff = (fabs(block[0]) + fabs(block[4]) + fabs(block[8])) / 3;
    return stiff > 0 ? stiff : 1;
}

/* The block of a node by itself that moves along t (a projection) only: elsewhere it is as stiff as `stiff`. */
static inline void vv_confine_own(const double *t, double stiff, double *block)
{
    vv_confine_block(t, t, block);
    for (int k = 0; k < 9; k++) /* symmetric: the order does not matter */
        block[k] += stiff * ((k % 4 == 0) - t[k]);
}

#endif

/* A X = B for three right-hand sides at once, A sparse, symmetric, positive definite and constant: the global solve
 * of the real-time solvers, where A couples nodes and acts alike on x, y and z. Theory §6.11.
 *
 * Ordered and factorised once (CHOLMOD), then solved thousands of times: near the cost of reading the factor once
 * forwards and once backwards. In single precision half as much is read; whoever solves for corrections, x += A^-1 r
 * with r in double, loses no accuracy by it. */
#ifndef VV_SOLVE_CONSTANT_TRIPLE_H
#define VV_SOLVE_CONSTANT_TRIPLE_H

#include "base/parallel.h"
#include "visviva/base.h"

#include <stddef.h>

typedef struct vv_triple vv_triple;

typedef struct vv_triple_stats {
    double analyse_seconds, factor_seconds; /* of the last ones; analyse: of the pattern that it shares */
    size_t entries;                         /* of the factor L, without padding */
    size_t factor_bytes;                    /* of the stored form, with padding */
    size_t read_bytes;                      /* that a solve reads of it, both ways together */
    int supernodes, tasks, levels;
} vv_triple_stats;

/* The pattern of A: one triangle, lower or upper, with the whole diagonal, in compressed columns: column j has the
 * rows row[start[j]] to row[start[j + 1] - 1], ascending. `single`: the factor is in single precision. `par` must
 * outlive the object. VV_ERROR_INPUT: not such a pattern; VV_ERROR_UNSUPPORTED: a build without CHOLMOD;
 * VV_ERROR_MEMORY. *out is NULL then. */
vvStatus vv_triple_create(int n, const int *start, const int *row, const vv_parallel *par, bool single, vv_triple **out,
                          vvError *error);
/* Another factor of the same pattern, in the same precision. The two share order, symbolic factor and scratch memory:
 * so one of them is factorised or solved at a time. They are destroyed in any order. */
vvStatus vv_triple_create_like(vv_triple *t, vv_triple **out, vvError *error);
/* The factor of A with the values of these places. VV_ERROR_SOLVER if A is not positive definite, names the node;
 * VV_ERROR_MEMORY; after either there is no factor until the next success. Memory of the library's own is taken in
 * the first call only. The bits do not depend on the number of threads. */
vvStatus vv_triple_factor(vv_triple *t, const double *values, vvError *error);
/* x = A^-1 b, n x 3 each, in the caller's order; they may be the same array. Needs a factor. Allocates nothing. The
 * bits depend neither on the number of threads nor on the instruction set. In single precision |b_i| / sqrt(A_ii)
 * must be below 1e30. */
void vv_triple_solve(const vv_triple *t, const double *b, double *x);
bool vv_triple_ready(const vv_triple *t); /* whether it has a factor */
bool vv_triple_alone(const vv_triple *t); /* whether no other shares its order */
vv_triple_stats vv_triple_get_stats(const vv_triple *t);
void vv_triple_destroy(vv_triple *t); /* NULL is allowed */

#endif

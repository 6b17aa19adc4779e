/* The largest eigenvalues of a symmetric operator that can only be applied to vectors, with their vectors (theory
 * §7.2).
 *
 * Small problems are made into a dense matrix. Others go to a Krylov method: ARPACK's where the build has it, else
 * subspace iteration. Such a method may see an eigenvalue that occurs several times as fewer; so what it has found is
 * taken out, and it is asked again, until nothing larger than the least of them is left. */
#ifndef VV_SOLVE_EIGEN_EIGENPAIRS_H
#define VV_SOLVE_EIGEN_EIGENPAIRS_H

#include "visviva/base.h"

typedef struct vv_eigen_problem {
    int n;
    vvStatus (*apply)(void *user, const double *x, double *y, vvError *error); /* y = A x; a failure ends the search */
    void *user;
    int apart;             /* so many orthonormal vectors, n values each, whose space is left out: */
    const double *vectors; /* the search runs in what is orthogonal to it */
} vv_eigen_problem;

/* The `count` largest of them, descending, count <= n - apart; vectors: count x n, orthonormal, the first large
 * component positive. The same bits each time. VV_ERROR_SOLVER if they cannot be told apart: far more than `count`
 * share the least value. */
vvStatus vv_eigenpairs(const vv_eigen_problem *problem, int count, double *values, double *vectors, vvError *error);

/* The three methods by themselves: values in any order, vectors of any sign. vv_eigenpairs_arpack is there where the
 * build has ARPACK. */
vvStatus vv_eigenpairs_dense(const vv_eigen_problem *problem, int count, double *values, double *vectors,
                             vvError *error);
vvStatus vv_eigenpairs_subspace(const vv_eigen_problem *problem, int count, double *values, double *vectors,
                                vvError *error);
vvStatus vv_eigenpairs_arpack(const vv_eigen_problem *problem, int count, double *values, double *vectors,
                              vvError *error);

/* What they share: y = P A P x, P the projection beside problem->vectors (x may change within rounding; room: n); x
 * without its parts along `count` orthonormal vectors, taken out twice; a start that is the same each time. */
vvStatus vv_eigen_apply(const vv_eigen_problem *problem, const double *x, double *y, double *room, vvError *error);
void vv_eigen_take_out(int n, int count, const double *vectors, double *x);
void vv_eigen_start(int n, unsigned seed, double *x);
double vv_eigen_dot(int n, const double *a, const double *b);

#endif

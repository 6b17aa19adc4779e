/* Eigenvalues of dense symmetric matrices (3x3: vec.h). */
#ifndef VV_BASE_EIGEN_H
#define VV_BASE_EIGEN_H

enum { VV_EIGEN_MOST = 12 };

/* a: n x n, row-major, symmetric, n <= VV_EIGEN_MOST; overwritten. values[k], in no order, and its unit vector in row k
 * of vectors (n x n). Vectors are orthogonal within rounding, even for equal values. */
void vv_eigen_small(int n, double *a, double *values, double *vectors);
/* The same for any n; room: 4 n numbers, for scratch. The time is that of some 10 n^3 operations. */
void vv_eigen_dense(int n, double *a, double *values, double *vectors, double *room);

#endif

/* Small vectors and 3x3 matrices, scalar. Matrices are row-major: a[3*i + j] = A_ij. */
#ifndef VV_BASE_VEC_H
#define VV_BASE_VEC_H

#include <math.h>
#include <stddef.h>

static inline double vv_dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static inline double vv_norm(const double a[3]) { return sqrt(vv_dot(a, a)); }
static inline void vv_cross(const double a[3], const double b[3], double c[3])
{
    double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
    c[0] = x, c[1] = y, c[2] = z;
}
static inline void vv_sub(const double a[3], const double b[3], double c[3])
{
    for (int k = 0; k < 3; k++)
        c[k] = a[k] - b[k];
}
static inline void vv_matvec(const double a[9], const double x[3], double y[3])
{
    double t[3];
    for (int i = 0; i < 3; i++)
        t[i] = a[3 * i] * x[0] + a[3 * i + 1] * x[1] + a[3 * i + 2] * x[2];
    y[0] = t[0], y[1] = t[1], y[2] = t[2];
}
/* y = A^T x */
static inline void vv_matvec_transposed(const double a[9], const double x[3], double y[3])
{
    double t[3];
    for (int i = 0; i < 3; i++)
        t[i] = a[i] * x[0] + a[3 + i] * x[1] + a[6 + i] * x[2];
    y[0] = t[0], y[1] = t[1], y[2] = t[2];
}
static inline void vv_matmul(const double a[9], const double b[9], double c[9])
{
    double t[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            t[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
    for (int i = 0; i < 9; i++)
        c[i] = t[i];
}
static inline double vv_det(const double a[9])
{
    return a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) + a[2] * (a[3] * a[7] - a[4] * a[6]);
}

/* Of points in a list: x has 3 numbers a point. */
static inline double vv_edge_length(const double *x, int a, int b)
{
    double e[3];
    vv_sub(x + 3 * (size_t)b, x + 3 * (size_t)a, e);
    return vv_norm(e);
}
/* As long as twice the triangle's area. */
static inline void vv_triangle_normal(const double *x, const int v[3], double n[3])
{
    double e[3], f[3];
    vv_sub(x + 3 * (size_t)v[1], x + 3 * (size_t)v[0], e);
    vv_sub(x + 3 * (size_t)v[2], x + 3 * (size_t)v[0], f);
    vv_cross(e, f, n);
}
static inline double vv_triangle_area(const double *x, const int v[3])
{
    double n[3];
    vv_triangle_normal(x, v, n);
    return 0.5 * vv_norm(n);
}

/* R = Rx(d[0]) Ry(d[1]) Rz(d[2]), degrees. */
void vv_euler_degrees(const double d[3], double r[9]);
/* Rotation by `angle` (radians) about the axis (need not be unit; zero axis: identity). */
void vv_axis_angle(const double axis[3], double angle, double r[9]);
/* b = inverse of a; returns det, or 0 (b unchanged) if singular. */
double vv_inverse(const double a[9], double b[9]);
/* Eigenvalues w (ascending) and eigenvectors (columns of v) of a symmetric matrix, by Jacobi. */
void vv_eigen_symmetric(const double a[9], double w[3], double v[9]);
/* x = A^+ b for a positive semidefinite A: eigenvalues below 1e-12 of the largest count as 0. */
void vv_solve_semidefinite(const double a[9], const double b[3], double x[3]);

#endif

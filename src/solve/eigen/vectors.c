/* Vectors of eigenproblems: what the methods that find eigenpairs share (theory §7.2). */
#include "solve/eigen/eigenpairs.h"

#include <string.h>

double vv_eigen_dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

void vv_eigen_take_out(int n, int count, const double *vectors, double *x)
{
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < count; k++) {
            const double *v = vectors + (size_t)k * (size_t)n;
            double along = vv_eigen_dot(n, v, x);
            for (int i = 0; i < n; i++)
                x[i] -= along * v[i];
        }
}

void vv_eigen_start(int n, unsigned seed, double *x)
{
    uint64_t state = seed;
    for (int i = 0; i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        x[i] = (double)(state >> 11) * 0x1p-53 - 0.5;
    }
}

vvStatus vv_eigen_apply(const vv_eigen_problem *p, const double *x, double *y, double *room, vvError *error)
{
    memcpy(room, x, (size_t)p->n * sizeof *room);
    vv_eigen_take_out(p->n, p->apart, p->vectors, room);
    vvStatus status = p->apply(p->user, room, y, error);
    if (status == VV_OK)
        vv_eigen_take_out(p->n, p->apart, p->vectors, y);
    return status;
}

/* Dense symmetric matrices: Householder's tridiagonal form, then QR steps with Wilkinson's shift. */
#include "base/eigen.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

/* z: rows p and q, of length n, rotated by the angle with cosine c and sine s. */
static void turn(double *p, double *q, ptrdiff_t n, double c, double s)
{
    for (ptrdiff_t k = 0; k < n; k++) {
        double x = p[k], y = q[k];
        p[k] = c * x + s * y;
        q[k] = c * y - s * x;
    }
}

/* a = z^T T z with T of diagonal d and off-diagonal e (n - 1 values); a is overwritten. room: 3 n */
static void tridiagonal(ptrdiff_t n, double *a, double *d, double *e, double *z, double *room)
{
    double *v = room, *w = room + n, *along = room + 2 * n;
    for (ptrdiff_t i = 0; i < n * n; i++)
        z[i] = i % (n + 1) == 0;
    for (ptrdiff_t k = 0; k < n - 1; k++) {
        double tail = 0, first = a[n * (k + 1) + k];
        for (ptrdiff_t i = k + 2; i < n; i++)
            tail += a[n * i + k] * a[n * i + k];
        d[k] = a[(n + 1) * k];
        e[k] = first;
        if (tail == 0)
            continue;
        /* the reflection 1 - v v^T that reduces the column to its first value, e */
        e[k] = first > 0 ? -sqrt(first * first + tail) : sqrt(first * first + tail);
        v[k + 1] = first - e[k];
        double size = sqrt(2 / (v[k + 1] * v[k + 1] + tail)), half = 0;
        v[k + 1] *= size;
        for (ptrdiff_t i = k + 2; i < n; i++)
            v[i] = a[n * i + k] * size;
        for (ptrdiff_t i = k + 1; i < n; i++) {
            w[i] = 0;
            for (ptrdiff_t j = k + 1; j < n; j++)
                w[i] += a[n * i + j] * v[j];
            half += 0.5 * w[i] * v[i];
        }
        for (ptrdiff_t i = k + 1; i < n; i++)
            w[i] -= half * v[i];
        for (ptrdiff_t i = k + 1; i < n; i++)
            for (ptrdiff_t j = k + 1; j < n; j++)
                a[n * i + j] -= v[i] * w[j] + w[i] * v[j];
        for (ptrdiff_t j = 0; j < n; j++)
            along[j] = 0;
        for (ptrdiff_t i = k + 1; i < n; i++)
            for (ptrdiff_t j = 0; j < n; j++)
                along[j] += v[i] * z[n * i + j];
        for (ptrdiff_t i = k + 1; i < n; i++)
            for (ptrdiff_t j = 0; j < n; j++)
                z[n * i + j] -= v[i] * along[j];
    }
    d[n - 1] = a[n * n - 1];
}

/* One step on rows low .. high, none of whose e is zero. */
static void qr_step(ptrdiff_t n, int low, int high, double *d, double *e, double *z)
{
    double half = (d[high - 1] - d[high]) / 2, last = e[high - 1], root = sqrt(half * half + last * last);
    double shift = d[high] - last * last / (half + (half < 0 ? -root : root));
    double x = d[low] - shift, y = e[low];
    for (int k = low; k < high; k++) {
        double r = sqrt(x * x + y * y), c = r > 0 ? x / r : 1, s = r > 0 ? y / r : 0;
        double top = d[k], beside = e[k], low_right = d[k + 1], cross = 2 * c * s * beside;
        if (k > low)
            e[k - 1] = r;
        d[k] = c * c * top + cross + s * s * low_right;
        d[k + 1] = s * s * top - cross + c * c * low_right;
        x = e[k] = c * s * (low_right - top) + (c * c - s * s) * beside;
        if (k + 1 < high) {
            y = s * e[k + 1];
            e[k + 1] *= c;
        }
        turn(z + n * k, z + n * (k + 1), n, c, s);
    }
}

void vv_eigen_dense(int size, double *a, double *values, double *vectors, double *room)
{
    ptrdiff_t n = size;
    double *e = room + 3 * n, scale = 0;
    for (ptrdiff_t i = 0; i < n * n; i++)
        scale = fabs(a[i]) <= scale ? scale : fabs(a[i]);
    if (!isfinite(scale) || scale == 0)
        scale = 1;
    for (ptrdiff_t i = 0; i < n * n; i++)
        a[i] /= scale; /* so that squares neither overflow nor underflow */
    tridiagonal(n, a, values, e, vectors, room);
    int high = size - 1;
    for (int step = 0; step < 50 * size && high > 0; step++) { /* two or three per value are usual */
        int low = high;
        while (low > 0 && fabs(e[low - 1]) > 0.5 * DBL_EPSILON * (fabs(values[low - 1]) + fabs(values[low])) + 1e-20)
            low--;
        if (low == high)
            high--;
        else
            qr_step(n, low, high, values, e, vectors);
    }
    for (int i = 0; i < size; i++)
        values[i] *= scale;
}

void vv_eigen_small(int n, double *a, double *values, double *vectors)
{
    double room[4 * VV_EIGEN_MOST];
    vv_eigen_dense(n, a, values, vectors, room);
}

/* Cyclic Jacobi for small symmetric matrices. */
#include "base/eigen.h"

#include <math.h>

/* Rows p and q of m, n long: turned by the angle with cosine c and sine s. */
static void turn_rows(double *m, int n, int p, int q, double c, double s)
{
    for (int k = 0; k < n; k++) {
        double x = m[n * p + k], y = m[n * q + k];
        m[n * p + k] = c * x - s * y;
        m[n * q + k] = s * x + c * y;
    }
}

static void turn_columns(double *m, int n, int p, int q, double c, double s)
{
    for (int k = 0; k < n; k++) {
        double x = m[n * k + p], y = m[n * k + q];
        m[n * k + p] = c * x - s * y;
        m[n * k + q] = s * x + c * y;
    }
}

void vv_eigen_small(int n, double *a, double *values, double *vectors)
{
    for (int i = 0; i < n * n; i++)
        vectors[i] = i % (n + 1) == 0;
    for (int sweep = 0; sweep < 30; sweep++) {
        double all = 0, off = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                all += a[n * i + j] * a[n * i + j];
                off += i == j ? 0 : a[n * i + j] * a[n * i + j];
            }
        if (!(off > 1e-31 * all)) /* what is not a number too */
            break;
        for (int p = 0; p < n - 1; p++)
            for (int q = p + 1; q < n; q++) {
                double apq = a[n * p + q];
                if (apq == 0)
                    continue;
                double theta = (a[n * q + q] - a[n * p + p]) / (2 * apq);
                double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
                double c = 1 / sqrt(t * t + 1), s = t * c;
                turn_columns(a, n, p, q, c, s);
                turn_rows(a, n, p, q, c, s);
                turn_rows(vectors, n, p, q, c, s);
                a[n * p + q] = a[n * q + p] = 0;
            }
    }
    for (int i = 0; i < n; i++)
        values[i] = a[(n + 1) * i];
}

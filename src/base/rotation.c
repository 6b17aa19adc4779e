/* Horn's quaternion: the eigenvector of the largest eigenvalue of a symmetric 4x4 matrix of the sums m X x^T (Horn
 * 1987; theory §1.5). */
#include "base/rotation.h"

#include "base/eigen.h"

#include <math.h>
#include <string.h>

/* The identity's part in the eigenspace is the least of several rotations that are as good. */
void vv_nearest_rotation(const double s[9], double u[4])
{
    double n[16] = { s[0] + s[4] + s[8], s[5] - s[7],        s[6] - s[2],        s[1] - s[3],
                     s[5] - s[7],        s[0] - s[4] - s[8], s[1] + s[3],        s[6] + s[2],
                     s[6] - s[2],        s[1] + s[3],        s[4] - s[0] - s[8], s[5] + s[7],
                     s[1] - s[3],        s[6] + s[2],        s[5] + s[7],        s[8] - s[0] - s[4] };
    double values[4], vectors[16], most = -INFINITY, size = 0, length = 0;
    vv_eigen_small(4, n, values, vectors);
    int best = 0;
    for (int k = 0; k < 4; k++) {
        size = fmax(size, fabs(values[k]));
        if (values[k] > most)
            most = values[k], best = k;
    }
    memset(u, 0, 4 * sizeof *u);
    for (int k = 0; k < 4; k++)
        for (int i = 0; values[k] >= most - 1e-9 * size && i < 4; i++)
            u[i] += vectors[4 * k] * vectors[4 * k + i];
    for (int i = 0; i < 4; i++)
        length += u[i] * u[i];
    if (!(length > 1e-12)) /* half a turn: the identity has no part in it */
        memcpy(u, vectors + 4 * best, 4 * sizeof *u), length = 1;
    for (int i = 0; i < 4; i++)
        u[i] /= sqrt(length);
}

void vv_quaternion_matrix(const double u[4], double r[9])
{
    double a = u[0], b = u[1], c = u[2], d = u[3];
    const double m[9] = { a * a + b * b - c * c - d * d, 2 * (b * c - a * d),           2 * (b * d + a * c),
                          2 * (b * c + a * d),           a * a - b * b + c * c - d * d, 2 * (c * d - a * b),
                          2 * (b * d - a * c),           2 * (c * d + a * b),           a * a - b * b - c * c + d * d };
    memcpy(r, m, sizeof m);
}

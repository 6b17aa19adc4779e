/* Rotations, inverse and symmetric eigenproblem of 3x3 matrices. */
#include "base/vec.h"

#include <string.h>

void vv_axis_angle(const double axis[3], double angle, double r[9])
{
    double n = vv_norm(axis);
    double u[3] = { 0, 0, 0 }, c = cos(angle), s = sin(angle);
    if (n > 0)
        for (int k = 0; k < 3; k++)
            u[k] = axis[k] / n;
    else
        c = 1, s = 0;
    double skew[9] = { 0, -u[2], u[1], u[2], 0, -u[0], -u[1], u[0], 0 };
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r[3 * i + j] = (i == j ? c : 0) + (1 - c) * u[i] * u[j] + s * skew[3 * i + j];
}

void vv_euler_degrees(const double d[3], double r[9])
{
    static const double axes[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    double rx[9], ry[9], rz[9];
    const double rad = 3.14159265358979323846 / 180;
    vv_axis_angle(axes[0], d[0] * rad, rx);
    vv_axis_angle(axes[1], d[1] * rad, ry);
    vv_axis_angle(axes[2], d[2] * rad, rz);
    vv_matmul(rx, ry, r);
    vv_matmul(r, rz, r);
}

double vv_inverse(const double a[9], double b[9])
{
    double det = vv_det(a);
    if (det == 0)
        return 0;
    double t[9] = { a[4] * a[8] - a[5] * a[7], a[2] * a[7] - a[1] * a[8], a[1] * a[5] - a[2] * a[4],
                    a[5] * a[6] - a[3] * a[8], a[0] * a[8] - a[2] * a[6], a[2] * a[3] - a[0] * a[5],
                    a[3] * a[7] - a[4] * a[6], a[1] * a[6] - a[0] * a[7], a[0] * a[4] - a[1] * a[3] };
    for (int i = 0; i < 9; i++)
        b[i] = t[i] / det;
    return det;
}

void vv_eigen_symmetric(const double a[9], double w[3], double v[9])
{
    double s[9];
    memcpy(s, a, sizeof s);
    for (int i = 0; i < 9; i++)
        v[i] = i % 4 == 0;
    for (int sweep = 0; sweep < 30; sweep++) {
        double off = s[1] * s[1] + s[2] * s[2] + s[5] * s[5];
        double diag = s[0] * s[0] + s[4] * s[4] + s[8] * s[8];
        if (off <= 1e-34 * diag || off == 0)
            break;
        for (int p = 0; p < 2; p++)
            for (int q = p + 1; q < 3; q++) {
                double apq = s[3 * p + q];
                if (apq == 0)
                    continue;
                double theta = (s[4 * q] - s[4 * p]) / (2 * apq);
                double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
                double c = 1 / sqrt(t * t + 1), sn = t * c;
                for (int k = 0; k < 3; k++) {
                    double kp = s[3 * k + p], kq = s[3 * k + q];
                    s[3 * k + p] = c * kp - sn * kq;
                    s[3 * k + q] = sn * kp + c * kq;
                }
                for (int k = 0; k < 3; k++) {
                    double pk = s[3 * p + k], qk = s[3 * q + k];
                    s[3 * p + k] = c * pk - sn * qk;
                    s[3 * q + k] = sn * pk + c * qk;
                }
                for (int k = 0; k < 3; k++) {
                    double kp = v[3 * k + p], kq = v[3 * k + q];
                    v[3 * k + p] = c * kp - sn * kq;
                    v[3 * k + q] = sn * kp + c * kq;
                }
            }
    }
    int order[3] = { 0, 1, 2 };
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2 - i; j++)
            if (s[4 * order[j]] > s[4 * order[j + 1]]) {
                int o = order[j];
                order[j] = order[j + 1];
                order[j + 1] = o;
            }
    double sorted[9];
    for (int j = 0; j < 3; j++) {
        w[j] = s[4 * order[j]];
        for (int i = 0; i < 3; i++)
            sorted[3 * i + j] = v[3 * i + order[j]];
    }
    memcpy(v, sorted, sizeof sorted);
}

void vv_solve_semidefinite(const double a[9], const double b[3], double x[3])
{
    double w[3], e[9], sum[3] = { 0 };
    vv_eigen_symmetric(a, w, e);
    for (int j = 0; j < 3; j++) {
        if (w[j] <= 1e-12 * w[2])
            continue;
        double along = (e[j] * b[0] + e[3 + j] * b[1] + e[6 + j] * b[2]) / w[j];
        for (int k = 0; k < 3; k++)
            sum[k] += along * e[3 * k + j];
    }
    for (int k = 0; k < 3; k++)
        x[k] = sum[k];
}

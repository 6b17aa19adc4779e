/* Principal strains of an element, from its rest shape and another one, whatever its material.
 *
 * With the edges from the first node as columns of D0 (at rest) and D, the Gram matrices G0 = D0^T D0 = L L^T and G =
 * D^T D give C = L^-1 G L^-T, which has the eigenvalues of F^T F within the element's line, plane or space: the
 * squares of the principal stretches. No frame is needed for a triangle or an edge (theory §4.13). */
#include "base/vec.h"
#include "mesh/mesh.h"

#include <math.h>

/* n x n in the upper left of 3 x 3. */
static void gram(const double *x, const int *nodes, int n, double g[9])
{
    double d[3][3];
    for (int i = 0; i < n; i++)
        vv_sub(x + 3 * (size_t)nodes[i + 1], x + 3 * (size_t)nodes[0], d[i]);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            g[3 * i + j] = vv_dot(d[i], d[j]);
}

/* False for an element without size. */
static bool factor(const double g[9], int n, double l[9])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double s = g[3 * i + j];
            for (int k = 0; k < j; k++)
                s -= l[3 * i + k] * l[3 * j + k];
            if (i == j && !(s > 1e-24 * g[3 * i + i]))
                return false;
            l[3 * i + j] = i == j ? sqrt(s) : s / l[3 * j + j];
        }
    return true;
}

/* a = L^-1 a of each of its n columns. */
static void solve(const double l[9], int n, double a[9])
{
    for (int c = 0; c < n; c++)
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < i; k++)
                a[3 * i + c] -= l[3 * i + k] * a[3 * k + c];
            a[3 * i + c] /= l[3 * i + i];
        }
}

static void transpose(int n, double a[9])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            double swap = a[3 * i + j];
            a[3 * i + j] = a[3 * j + i];
            a[3 * j + i] = swap;
        }
}

/* Smallest and largest eigenvalue. */
static void extremes(const double c[9], int n, double *least, double *most)
{
    *least = *most = c[0];
    if (n == 2) {
        double mean = 0.5 * (c[0] + c[4]), half = hypot(0.5 * (c[0] - c[4]), 0.5 * (c[1] + c[3]));
        *least = mean - half;
        *most = mean + half;
    } else if (n == 3) {
        double w[3], v[9];
        vv_eigen_symmetric(c, w, v);
        *least = fmin(w[0], fmin(w[1], w[2]));
        *most = fmax(w[0], fmax(w[1], w[2]));
    }
}

bool vvElementStrain(const double *rest, const double *positions, const int *nodes, int nodeCount, double *largest,
                     double *smallest)
{
    double g0[9] = { 0 }, c[9] = { 0 }, l[9] = { 0 }, least, most;
    int n = nodeCount - 1;
    if (!largest || !smallest)
        return false;
    *largest = *smallest = 0;
    if (!rest || !positions || !nodes || n < 1 || n > 3)
        return false;
    gram(rest, nodes, n, g0);
    gram(positions, nodes, n, c);
    if (!factor(g0, n, l))
        return false;
    solve(l, n, c);
    transpose(n, c);
    solve(l, n, c);
    extremes(c, n, &least, &most);
    *largest = sqrt(fmax(most, 0)) - 1;
    *smallest = sqrt(fmax(least, 0)) - 1;
    return true;
}

/* Exact signs of the orientation determinants: a floating-point filter, then expansion arithmetic. */
#include "base/geometry/predicates.h"

#include <math.h>

/* ---- expansions: sums of doubles of growing magnitude that do not overlap; zeros are left out -------------------- */

/* s + *e = a + b exactly. */
static double two_sum(double a, double b, double *e)
{
    double s = a + b, t = s - a;
    *e = (a - (s - t)) + (b - t);
    return s;
}

/* The upper and the lower half of the bits (Veltkamp). */
static void split(double a, double *high, double *low)
{
    double c = 0x1.0000002p27 * a; /* 2^27 + 1 */
    *high = c - (c - a);
    *low = a - *high;
}

/* p + *e = a b exactly (Dekker). */
static double two_product(double a, double b, double *e)
{
    double p = a * b, ah, al, bh, bl;
    split(a, &ah, &al);
    split(b, &bh, &bl);
    *e = al * bl - (((p - ah * bh) - al * bh) - ah * bl);
    return p;
}

/* out = e + b; out may be e. Returns the length, at most n + 1. */
static int grow(const double *e, int n, double b, double *out)
{
    int m = 0;
    for (int i = 0; i < n; i++) {
        double rest;
        b = two_sum(b, e[i], &rest);
        if (rest != 0)
            out[m++] = rest;
    }
    if (b != 0)
        out[m++] = b;
    return m;
}

/* out += sign e; returns the new length. */
static int add(double *out, int m, const double *e, int n, double sign)
{
    for (int i = 0; i < n; i++)
        m = grow(out, m, sign * e[i], out);
    return m;
}

/* out = e f with f of one or two parts; length at most 2 n times theirs. */
static int multiply(const double *e, int n, const double *f, int parts, double *out)
{
    int m = 0;
    for (int j = 0; j < parts; j++)
        for (int i = 0; i < n; i++) {
            double rest, product = two_product(e[i], f[j], &rest);
            m = grow(out, m, rest, out);
            m = grow(out, m, product, out);
        }
    return m;
}

/* a - b as an expansion of at most two parts. */
static int difference(double a, double b, double out[2])
{
    double rest, d = two_sum(a, -b, &rest);
    int n = 0;
    if (rest != 0)
        out[n++] = rest;
    if (d != 0)
        out[n++] = d;
    return n;
}

/* The last part has a larger magnitude than all others together. */
static int sign_of(const double *e, int n) { return n == 0 ? 0 : e[n - 1] > 0 ? 1 : -1; }

/* ---- orientation ------------------------------------------------------------------------------------------------- */

typedef struct number {
    double part[2];
    int count;
} number;

static number subtract(double a, double b)
{
    number n;
    n.count = difference(a, b, n.part);
    return n;
}

/* out = a d - b c; length at most 16. */
static int minor_of(const number *a, const number *b, const number *c, const number *d, double out[16])
{
    double other[8];
    int m = multiply(a->part, a->count, d->part, d->count, out);
    int n = multiply(b->part, b->count, c->part, c->count, other);
    return add(out, m, other, n, -1);
}

int vv_orient2d(const double a[2], const double b[2], const double c[2])
{
    double left = (b[0] - a[0]) * (c[1] - a[1]), right = (b[1] - a[1]) * (c[0] - a[0]), det = left - right;
    /* each difference and product has a relative error below 2^-53, as has the last difference */
    if (fabs(det) > 4.5e-16 * (fabs(left) + fabs(right)))
        return det > 0 ? 1 : -1;
    if (left == 0 && right == 0)
        return 0;
    number bx = subtract(b[0], a[0]), by = subtract(b[1], a[1]), cx = subtract(c[0], a[0]), cy = subtract(c[1], a[1]);
    double exact[16];
    return sign_of(exact, minor_of(&bx, &by, &cx, &cy, exact));
}

static int exact_orient3d(const double a[3], const double b[3], const double c[3], const double d[3])
{
    const double *to[3] = { b, c, d };
    number e[3][3];
    double sum[192], minor[16], term[64];
    int m = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            e[i][k] = subtract(to[i][k], a[k]);
    for (int k = 0; k < 3; k++) {
        int p = (k + 1) % 3, q = (k + 2) % 3;
        int n = minor_of(&e[1][p], &e[1][q], &e[2][p], &e[2][q], minor);
        n = multiply(minor, n, e[0][k].part, e[0][k].count, term);
        m = add(sum, m, term, n, 1);
    }
    return sign_of(sum, m);
}

int vv_orient3d(const double a[3], const double b[3], const double c[3], const double d[3])
{
    double u[3], v[3], w[3], det = 0, magnitude = 0;
    for (int k = 0; k < 3; k++) {
        u[k] = b[k] - a[k];
        v[k] = c[k] - a[k];
        w[k] = d[k] - a[k];
    }
    for (int k = 0; k < 3; k++) {
        int p = (k + 1) % 3, q = (k + 2) % 3;
        double left = v[p] * w[q], right = v[q] * w[p];
        det += u[k] * (left - right);
        magnitude += fabs(u[k]) * (fabs(left) + fabs(right));
    }
    /* at most 8 roundings in each product */
    if (fabs(det) > 1e-15 * magnitude)
        return det > 0 ? 1 : -1;
    if (magnitude == 0) /* each product has a factor that is zero: all points in a plane perpendicular to an axis */
        return 0;
    return exact_orient3d(a, b, c, d);
}

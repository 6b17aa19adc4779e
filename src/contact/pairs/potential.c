/* Derivatives of one pair's barrier.
 *
 * With the nearest points' parameters minimised, the distance |r| has the gradient g = n (x) w (block i is w_i n) and
 *
 *   H = (sum of u u^T over the free tangents) / |r| - sum_k (u_k m_k^T + m_k u_k^T + |r| m_k m_k^T),  u = t (x) w, m =
 * n (x) c.
 *
 * The tangents t_k span the edges along which the nearest points slide, c_k is the change of the weights for a slide by
 * t_k; the free tangents span the rest of the tangent plane. The barrier's derivative E' is negative: without the
 * negative parts, the first sum drops out and each k of the second has one eigenvector, once the t_k are rotated such
 * that the c_k are orthogonal. */
#include "contact/pairs/potential.h"
#include "base/eigen.h"
#include "base/vec.h"
#include "contact/barrier/barrier.h"

#include <string.h>

typedef struct frame {
    double n[3], length; /* r = length n */
    int slides;          /* k < slides <= 2 */
    double t[2][3], c[2][4];
} frame;

static void normal(const vv_pair_state *p, double n[3], double *length)
{
    double r[3] = { 0, 0, 0 };
    for (int i = 1; i < vv_stencil_points(p->kind); i++)
        for (int k = 0; k < 3; k++)
            r[k] += p->w[i] * (p->x[i][k] - p->x[0][k]);
    *length = vv_norm(r);
    for (int k = 0; k < 3; k++)
        n[k] = r[k] / *length;
}

/* Adds to the frame the direction from point `base` to point i, both of one primitive. */
static void add_slide(const vv_pair_state *p, int base, int i, frame *f)
{
    double e[3], c[4] = { 0 }, whole, *t = f->t[f->slides];
    vv_sub(p->x[i], p->x[base], e);
    whole = vv_norm(e);
    c[i] = 1, c[base] = -1;
    double along = vv_dot(e, f->n);
    for (int k = 0; k < 3; k++)
        e[k] -= along * f->n[k];
    if (f->slides == 1) {
        along = vv_dot(e, f->t[0]);
        for (int k = 0; k < 3; k++)
            e[k] -= along * f->t[0][k];
        for (int k = 0; k < 4; k++)
            c[k] -= along * f->c[0][k];
    }
    double rest = vv_norm(e);
    if (!(rest > 1e-13 * whole)) /* parallel: the distance does not change along it */
        return;
    for (int k = 0; k < 3; k++)
        t[k] = e[k] / rest;
    for (int k = 0; k < 4; k++)
        f->c[f->slides][k] = c[k] / rest;
    f->slides++;
}

static void make_frame(const vv_pair_state *p, frame *f)
{
    int split = p->kind == VV_STENCIL_EE ? 2 : 1, points = vv_stencil_points(p->kind), base = -1;
    normal(p, f->n, &f->length);
    f->slides = 0;
    for (int i = 0; i < points; i++) {
        if (i == split)
            base = -1;
        if (p->w[i] == 0)
            continue;
        if (base < 0)
            base = i;
        else if (f->slides < 2)
            add_slide(p, base, i, f);
    }
}

/* Rotates the two slides such that their c are orthogonal. */
static void decouple(frame *f)
{
    double aa = 0, ab = 0, bb = 0;
    for (int i = 0; i < 4; i++) {
        aa += f->c[0][i] * f->c[0][i];
        ab += f->c[0][i] * f->c[1][i];
        bb += f->c[1][i] * f->c[1][i];
    }
    if (ab == 0)
        return;
    double theta = (bb - aa) / (2 * ab);
    double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1), s = t * c;
    for (int i = 0; i < 4; i++) {
        double x = f->c[0][i], y = f->c[1][i];
        f->c[0][i] = c * x - s * y;
        f->c[1][i] = s * x + c * y;
    }
    for (int i = 0; i < 3; i++) {
        double x = f->t[0][i], y = f->t[1][i];
        f->t[0][i] = c * x - s * y;
        f->t[1][i] = s * x + c * y;
    }
}

static const double PENALTY_EPS = 1e-15; /* m^2 */

/* e: k d-hat b and its derivatives by d; zero from d-hat on. Or the penalty and its. */
static void barrier(const vv_pair_state *p, double length, double e[3])
{
    if (p->penalty) {
        const double square = length * length, s = sqrt(square + PENALTY_EPS);
        e[0] = p->stiffness * square * s;
        e[1] = p->stiffness * length * (2 * s + square / s);
        e[2] = p->stiffness * (2 * s + square / s * (5 - square / (s * s)));
        return;
    }
    vv_barrier((length - p->min_distance) / p->activation, e);
    e[0] *= p->stiffness * p->activation;
    e[1] *= p->stiffness;
    e[2] *= p->stiffness / p->activation;
}

/* ---- the mollifier ---- */

static double parallel2(const double x[4][3], double a[3], double b[3])
{
    double u[3];
    vv_sub(x[1], x[0], a);
    vv_sub(x[3], x[2], b);
    vv_cross(a, b, u);
    return vv_dot(u, u);
}

double vv_pair_mollifier(const double rest[4][3])
{
    double a[3], b[3];
    parallel2(rest, a, b);
    return 1e-3 * vv_dot(a, a) * vv_dot(b, b);
}

int vv_pair_mollified(const double x[4][3], double mollifier)
{
    double a[3], b[3];
    return parallel2(x, a, b) < mollifier;
}

/* m and its derivatives by c = |a x b|^2; a and b are the edges. Returns 0 where m = 1 in a neighbourhood. */
static int mollify(const vv_pair_state *p, double m[3], double a[3], double b[3])
{
    m[0] = 1, m[1] = m[2] = 0;
    if (p->kind != VV_STENCIL_EE || !(p->mollifier > 0))
        return 0;
    double s = parallel2(p->x, a, b) / p->mollifier;
    if (!(s < 1))
        return 0;
    m[0] = (2 - s) * s;
    m[1] = 2 * (1 - s) / p->mollifier;
    m[2] = -2 / (p->mollifier * p->mollifier);
    return 1;
}

/* dc/dx = 2 (|b|^2 a - (a.b) b) for the end of a, negated for its start; b likewise. */
static void parallel_gradient(const double a[3], const double b[3], double g[12])
{
    double aa = vv_dot(a, a), ab = vv_dot(a, b), bb = vv_dot(b, b);
    for (int k = 0; k < 3; k++) {
        g[3 + k] = 2 * (bb * a[k] - ab * b[k]);
        g[9 + k] = 2 * (aa * b[k] - ab * a[k]);
        g[k] = -g[3 + k];
        g[6 + k] = -g[9 + k];
    }
}

/* h += scale d2c/dx2 */
static void parallel_hessian(const double a[3], const double b[3], double scale, double h[144])
{
    double aa = vv_dot(a, a), ab = vv_dot(a, b), bb = vv_dot(b, b);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            double sign = (i ^ j) & 1 ? -scale : scale; /* x1 = end of a, x3 = end of b */
            for (int k = 0; k < 3; k++)
                for (int l = 0; l < 3; l++) {
                    double one = k == l, z;
                    if (i < 2 && j < 2)
                        z = bb * one - b[k] * b[l];
                    else if (i >= 2 && j >= 2)
                        z = aa * one - a[k] * a[l];
                    else if (i < 2)
                        z = 2 * a[k] * b[l] - b[k] * a[l] - ab * one;
                    else
                        z = 2 * b[k] * a[l] - a[k] * b[l] - ab * one;
                    h[12 * (3 * i + k) + 3 * j + l] += 2 * sign * z;
                }
        }
}

/* ---- energy, gradient, Hessian ---- */

double vv_pair_energy(const vv_pair_state *p)
{
    double n[3], length, e[3], m[3], a[3], b[3];
    normal(p, n, &length);
    if (!p->penalty && length <= p->min_distance)
        return INFINITY;
    barrier(p, length, e);
    mollify(p, m, a, b);
    return m[0] * e[0];
}

double vv_pair_force(const vv_pair_state *p, double n[3])
{
    double length, e[3], m[3], a[3], b[3];
    normal(p, n, &length);
    barrier(p, length, e);
    mollify(p, m, a, b);
    return -m[0] * e[1];
}

/* g = scale d|r|/dx */
static void distance_gradient(const vv_pair_state *p, const double n[3], double scale, double g[12])
{
    int points = vv_stencil_points(p->kind);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            g[3 * i + k] = i < points ? scale * p->w[i] * n[k] : 0;
}

/* g = dE/dx of a mollified pair; dm: dc/dx */
static void mollified_gradient(const double e[3], const double m[3], const double dd[12], const double dc[12],
                               double g[12])
{
    for (int i = 0; i < 12; i++)
        g[i] = m[0] * e[1] * dd[i] + m[1] * e[0] * dc[i];
}

void vv_pair_gradient(const vv_pair_state *p, double g[12])
{
    double n[3], length, e[3], m[3], a[3], b[3];
    normal(p, n, &length);
    barrier(p, length, e);
    if (!mollify(p, m, a, b)) {
        distance_gradient(p, n, e[1], g);
        return;
    }
    double dd[12], dc[12];
    distance_gradient(p, n, 1, dd);
    parallel_gradient(a, b, dc);
    mollified_gradient(e, m, dd, dc, g);
}

/* h = first g g^T + second H, of the distance */
static void distance_hessian(const vv_pair_state *p, const frame *f, double first, double second, double h[144])
{
    int points = vv_stencil_points(p->kind);
    const double *n = f->n;
    memset(h, 0, 144 * sizeof *h);
    for (int i = 0; i < points; i++)
        for (int j = 0; j < points; j++)
            for (int k = 0; k < 3; k++)
                for (int l = 0; l < 3; l++) {
                    double ww = p->w[i] * p->w[j], free = (k == l) - n[k] * n[l], sum = 0;
                    for (int s = 0; s < f->slides; s++) {
                        const double *t = f->t[s], *c = f->c[s];
                        free -= t[k] * t[l];
                        sum += p->w[i] * c[j] * t[k] * n[l] + c[i] * p->w[j] * n[k] * t[l] +
                               f->length * c[i] * c[j] * n[k] * n[l];
                    }
                    h[12 * (3 * i + k) + 3 * j + l] = first * ww * n[k] * n[l] + second * (ww * free / f->length - sum);
                }
}

/* h and g of a mollified pair */
static void mollified_hessian(const vv_pair_state *p, const frame *f, const double e[3], const double m[3],
                              const double a[3], const double b[3], double g[12], double h[144])
{
    double dd[12], dc[12];
    distance_gradient(p, f->n, 1, dd);
    parallel_gradient(a, b, dc);
    mollified_gradient(e, m, dd, dc, g);
    distance_hessian(p, f, m[0] * e[2], m[0] * e[1], h);
    parallel_hessian(a, b, e[0] * m[1], h);
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++)
            h[12 * i + j] += e[0] * m[2] * dc[i] * dc[j] + e[1] * m[1] * (dc[i] * dd[j] + dd[i] * dc[j]);
}

void vv_pair_hessian(const vv_pair_state *p, double h[144])
{
    double e[3], m[3], a[3], b[3], g[12];
    frame f;
    make_frame(p, &f);
    barrier(p, f.length, e);
    if (mollify(p, m, a, b))
        mollified_hessian(p, &f, e, m, a, b, g, h);
    else
        distance_hessian(p, &f, e[2], e[1], h);
}

/* ---- the semidefinite Hessian ---- */

/* The positive eigenpair of u m^T + m u^T + |r| m m^T, |u| = |w|, as a square. */
static void slide_square(const vv_pair_state *p, const frame *f, int k, double scale, double v[12])
{
    double ww = 0, cc = 0;
    int points = vv_stencil_points(p->kind);
    for (int i = 0; i < points; i++) {
        ww += p->w[i] * p->w[i];
        cc += f->c[k][i] * f->c[k][i];
    }
    double c = sqrt(cc), half = 0.5 * f->length * c;
    double root = half + sqrt(half * half + ww); /* the eigenvalue over |c| */
    double size = sqrt(scale * c * root / (ww + root * root));
    double along = size, across = size * root / c; /* the eigenvector is (|w|, root) in u / |w|, m / |c| */
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 3; j++)
            v[3 * i + j] = i < points ? along * p->w[i] * f->t[k][j] + across * f->c[k][i] * f->n[j] : 0;
}

/* An orthonormal basis for four points less their mean, so that nine values represent twelve. */
static const double differences[3][4] = { { 0.5, 0.5, -0.5, -0.5 },
                                          { 0.5, -0.5, 0.5, -0.5 },
                                          { 0.5, -0.5, -0.5, 0.5 } };

static int positive_part(const double h[144], double v[9][12])
{
    double half[9 * 12], small[81], values[9], vectors[81];
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 12; j++) {
            half[12 * i + j] = 0;
            for (int q = 0; q < 4; q++)
                half[12 * i + j] += differences[i / 3][q] * h[12 * (3 * q + i % 3) + j];
        }
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 9; j++) {
            small[9 * i + j] = 0;
            for (int q = 0; q < 4; q++)
                small[9 * i + j] += differences[j / 3][q] * half[12 * i + 3 * q + j % 3];
        }
    vv_eigen_small(9, small, values, vectors);
    int count = 0;
    for (int k = 0; k < 9; k++) {
        if (!(values[k] > 0))
            continue;
        double size = sqrt(values[k]);
        for (int i = 0; i < 12; i++) {
            v[count][i] = 0;
            for (int q = 0; q < 3; q++)
                v[count][i] += size * differences[q][i / 3] * vectors[9 * k + 3 * q + i % 3];
        }
        count++;
    }
    return count;
}

/* ---- of a mollified pair ---- */

/* Directions of four points: a vector for the first edge, subtracted at its start and added at its end, and one for the
 * second. */
static void along_edges(double scale, const double a[3], const double b[3], double v[12])
{
    for (int k = 0; k < 3; k++) {
        v[3 + k] = scale * a[k], v[k] = -v[3 + k];
        v[9 + k] = scale * b[k], v[6 + k] = -v[9 + k];
    }
}

/* The positive part of x a a^T + y (a b^T + b a^T) + z b b^T as squares; a, b are overwritten. */
static int plane_squares(double x, double y, double z, double a[12], double b[12], double v[][12])
{
    double aa = 0, ab = 0, bb = 0;
    for (int i = 0; i < 12; i++)
        aa += a[i] * a[i], ab += a[i] * b[i];
    const double length = sqrt(aa), shadow = length > 0 ? ab / length : 0;
    for (int i = 0; i < 12; i++) {
        a[i] = length > 0 ? a[i] / length : 0;
        b[i] -= shadow * a[i];
        bb += b[i] * b[i];
    }
    const double height = sqrt(bb);
    /* in an orthonormal basis */
    const double p = length * length * x + 2 * length * shadow * y + shadow * shadow * z,
                 q = height * (length * y + shadow * z), r = height * height * z;
    const double half = 0.5 * (p - r), root = sqrt(half * half + q * q), middle = 0.5 * (p + r);
    int count = 0;
    for (int sign = 1; sign >= -1; sign -= 2) {
        const double value = middle + sign * root;
        if (!(value > 0))
            continue;
        /* the longer of two forms of the eigenvector */
        double c = sign * half >= 0 ? half + sign * root : q, s = sign * half >= 0 ? q : sign * root - half;
        const double size = sqrt(c * c + s * s);
        c = size > 0 ? c / size : sign > 0, s = size > 0 ? s / size : sign < 0;
        const double scale = sqrt(value);
        for (int i = 0; i < 12; i++)
            v[count][i] = scale * (c * a[i] + (height > 0 ? s * b[i] / height : 0));
        count++;
    }
    return count;
}

/* A unit vector across both edges, exactly so of the longer one. */
static void across(const double a[3], const double b[3], double n[3])
{
    const double *longer = vv_dot(a, a) >= vv_dot(b, b) ? a : b;
    const double square = vv_dot(longer, longer);
    vv_cross(a, b, n);
    double length = vv_norm(n);
    if (!(length > 1e-12 * vv_norm(a) * vv_norm(b))) { /* parallel: any across them */
        int k = fabs(longer[0]) < fabs(longer[1]) ? 0 : 1;
        k = fabs(longer[2]) < fabs(longer[k]) ? 2 : k;
        const double axis[3] = { k == 0, k == 1, k == 2 };
        vv_cross(longer, axis, n);
        length = vv_norm(n);
    }
    for (int k = 0; k < 3; k++)
        n[k] = length > 0 ? n[k] / length : k == 0; /* both are points */
    const double along = square > 0 ? vv_dot(longer, n) / square : 0;
    for (int k = 0; k < 3; k++)
        n[k] -= along * longer[k];
    length = vv_norm(n);
    for (int k = 0; k < 3; k++)
        n[k] /= length;
}

/* With s = n . (a x b) of a fixed n, c = s^2 + |a_n b - b_n a|^2, and s is bilinear in the plane across n: two
 * eigenvalues 1, two -1. */
static int mollified_squares(const vv_pair_state *p, frame *f, const double e[3], const double m[3], const double a[3],
                             const double b[3], double v[9][12])
{
    const double zero[3] = { 0, 0, 0 };
    double n[3], bn[3], na[3], u[3], nu[3], ds[12], dd[12], s = 0;
    across(a, b, n);
    vv_cross(b, n, bn);
    vv_cross(n, a, na);
    s = vv_dot(a, bn);
    for (int k = 0; s < 0 && k < 3; k++) /* seen from the other side */
        n[k] = -n[k], bn[k] = -bn[k], na[k] = -na[k];
    s = fabs(s);
    const double aa = vv_dot(a, a), ab = vv_dot(a, b), bb = vv_dot(b, b), bend = 2 * e[0] * m[1];
    along_edges(1, bn, na, ds);
    distance_gradient(p, f->n, 1, dd);
    int count = plane_squares(bend + 4 * s * s * e[0] * m[2], 2 * s * e[1] * m[1], m[0] * e[2], ds, dd, v);
    /* out of the plane: |a_n b - b_n a|^2 */
    const double part = bb > 0 ? ab / bb : 0, side = sqrt(bend * bb), rest = aa - ab * part;
    for (int k = 0; k < 3; k++)
        u[k] = -part * n[k];
    along_edges(side, n, u, v[count++]);
    along_edges(sqrt(bend * (rest > 0 ? rest : 0)), zero, n, v[count++]);
    /* in it: s, in the directions (u, n x u) */
    const double turn = sqrt(fabs(bend * s) / 2), length = sqrt(aa);
    for (int k = 0; k < 3; k++)
        u[k] = length > 0 ? a[k] / length : 0, nu[k] = length > 0 ? na[k] / length : 0; /* a point: s = 0 */
    along_edges(turn, u, nu, v[count++]);
    for (int k = 0; k < 3; k++)
        u[k] = -u[k];
    along_edges(turn, nu, u, v[count++]); /* n x (n x u) = -u */
    if (f->slides == 2)
        decouple(f);
    for (int k = 0; k < f->slides; k++)
        slide_square(p, f, k, -m[0] * e[1], v[count++]);
    return count;
}

int vv_pair_squares(const vv_pair_state *p, double g[12], double v[9][12])
{
    double e[3], m[3], a[3], b[3], h[144];
    frame f;
    make_frame(p, &f);
    barrier(p, f.length, e);
    if (mollify(p, m, a, b)) {
        double dd[12], dc[12];
        distance_gradient(p, f.n, 1, dd);
        parallel_gradient(a, b, dc);
        mollified_gradient(e, m, dd, dc, g);
        return p->stiffness > 0 && e[2] > 0 ? mollified_squares(p, &f, e, m, a, b, v) : 0;
    }
    distance_gradient(p, f.n, e[1], g);
    if (p->penalty) {
        distance_hessian(p, &f, e[2], e[1], h);
        return p->stiffness > 0 ? positive_part(h, v) : 0;
    }
    if (!(p->stiffness > 0) || e[2] == 0)
        return 0;
    distance_gradient(p, f.n, sqrt(e[2]), v[0]);
    if (f.slides == 2)
        decouple(&f);
    for (int k = 0; k < f.slides; k++)
        slide_square(p, &f, k, -e[1], v[1 + k]);
    return 1 + f.slides;
}

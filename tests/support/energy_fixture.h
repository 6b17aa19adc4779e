/* What the tests of element energies share: small meshes, an energy bound to a matrix, dense matrices. */
#ifndef VV_TESTS_ENERGY_FIXTURE_H
#define VV_TESTS_ENERGY_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "base/vec.h"
#include "energy/energy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- random numbers, the same every time ----------------------------------------------------------------------- */

typedef struct rng {
    uint64_t state;
} rng;
/* In [-1, 1]. */
static inline double rng_next(rng *r)
{
    r->state = r->state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(r->state >> 11 << 11) / 9223372036854775808.0;
}
static inline void random_rotation(rng *r, double q[9])
{
    double axis[3] = { rng_next(r), rng_next(r), rng_next(r) };
    vv_axis_angle(axis, 3 * rng_next(r), q);
}
/* U diag(s) V^T with random rotations. */
static inline void random_with_values(rng *r, const double s[3], double f[9])
{
    double u[9], v[9];
    random_rotation(r, u);
    random_rotation(r, v);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            f[3 * i + j] =
                u[3 * i] * s[0] * v[3 * j] + u[3 * i + 1] * s[1] * v[3 * j + 1] + u[3 * i + 2] * s[2] * v[3 * j + 2];
}

/* ---- meshes ---------------------------------------------------------------------------------------------------- */

typedef struct grid {
    int nodes, tets;
    double *x; /* nodes x 3 */
    int *tet;  /* tets x 4 */
} grid;

static inline double tet_volume(const double *x, const int *t)
{
    double e[9];
    for (int a = 0; a < 3; a++)
        vv_sub(x + 3 * t[a + 1], x + 3 * t[0], e + 3 * a);
    return vv_det(e) / 6;
}

/* n^3 cells of size 1/n, six tets a cell, nodes moved by at most jitter cell sizes. */
static inline grid make_grid(int n, double jitter)
{
    static const int order[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    int m = n + 1, stride[3] = { 1, m, m * m };
    grid g = { m * m * m, 6 * n * n * n, NULL, NULL };
    g.x = malloc(3 * (size_t)g.nodes * sizeof *g.x);
    g.tet = malloc(4 * (size_t)g.tets * sizeof *g.tet);
    rng r = { 7 };
    for (int i = 0; i < g.nodes; i++)
        for (int k = 0; k < 3; k++)
            g.x[3 * i + k] = (i / stride[k] % m + jitter * rng_next(&r)) / n;
    int *t = g.tet;
    for (int c = 0; c < n * n * n; c++) {
        int corner = c % n + c / n % n * m + c / n / n * m * m;
        for (int p = 0; p < 6; p++, t += 4) {
            t[0] = corner;
            for (int a = 0; a < 3; a++)
                t[a + 1] = t[a] + stride[order[p][a]];
            if (tet_volume(g.x, t) < 0) {
                int s = t[2];
                t[2] = t[3];
                t[3] = s;
            }
        }
    }
    return g;
}
static inline void free_grid(grid *g)
{
    free(g->x);
    free(g->tet);
}

/* ---- an energy and its matrix ---------------------------------------------------------------------------------- */

typedef struct bound {
    vv_energy *e;
    vv_bsr a;
    int n; /* nodes */
    int *unknown, *slots;
} bound;

/* Takes over e. prescribed: nodes below it are no unknowns. */
static inline bound bind_energy(vv_energy *e, int nodes, int prescribed)
{
    bound b = { e, { 0 }, nodes, malloc((size_t)nodes * sizeof(int)), NULL };
    for (int i = 0; i < nodes; i++)
        b.unknown[i] = i < prescribed ? -1 : i - prescribed;
    vv_pattern p = { .n = nodes - prescribed };
    if (e->ops->pattern)
        e->ops->pattern(e, b.unknown, &p);
    assert_int_equal(vv_bsr_build(&b.a, &p, NULL), VV_OK);
    vv_pattern_free(&p);
    if (e->ops->slots)
        assert_int_equal(e->ops->slots(e, b.unknown, &b.a, &b.slots, NULL), VV_OK);
    return b;
}
static inline void free_bound(bound *b)
{
    b->e->ops->destroy(b->e);
    vv_bsr_free(&b->a);
    vv_free(b->slots);
    free(b->unknown);
}
static inline vv_block_target target_of(bound *b) { return (vv_block_target){ &b->a, b->unknown, b->slots }; }
static const vv_parallel one_thread = { .threads = 1 };
static inline double energy_at(const bound *b, const double *x) { return b->e->ops->value(b->e, &one_thread, x, NULL); }
static inline void gradient_at(const bound *b, const double *x, double *g)
{
    memset(g, 0, 3 * (size_t)b->n * sizeof *g);
    b->e->ops->derivatives(b->e, &one_thread, x, 1, VV_HESSIAN_EXACT, g, NULL);
    /* value and gradient at once: the same ones */
    size_t n = 3 * (size_t)b->n;
    double *both = calloc(n, sizeof *both), value = energy_at(b, x),
           again = vv_energy_value_gradient(b->e, &one_thread, x, 1, NULL, both);
    if (value < INFINITY)
        assert_memory_equal(both, g, n * sizeof *both);
    assert_true(value == again || (isnan(value) && isnan(again)));
    free(both);
}
/* Dense, row-major, 3 a.n square. */
static inline void hessian_at(bound *b, const double *x, vv_hessian_mode mode, double *h)
{
    int n = 3 * b->a.n;
    vv_block_target to = target_of(b);
    vv_bsr_clear(&b->a, &one_thread);
    b->e->ops->derivatives(b->e, &one_thread, x, 1, mode, NULL, &to);
    memset(h, 0, (size_t)n * (size_t)n * sizeof *h);
    for (int row = 0; row < b->a.n; row++)
        for (int k = b->a.row_start[row]; k < b->a.row_start[row + 1]; k++)
            for (int i = 0; i < 9; i++)
                h[(3 * row + i % 3) * n + 3 * b->a.col[k] + i / 3] = b->a.val[9 * k + i];
}

/* ---- dense matrices -------------------------------------------------------------------------------------------- */

static inline double largest(const double *a, int count)
{
    double m = 0;
    for (int i = 0; i < count; i++)
        m = fabs(a[i]) > m || a[i] != a[i] ? fabs(a[i]) : m;
    return m;
}
static inline double largest_difference(const double *a, const double *b, int count)
{
    double m = 0;
    for (int i = 0; i < count; i++)
        if (!(fabs(a[i] - b[i]) <= m))
            m = fabs(a[i] - b[i]);
    return m;
}
/* Eigenvalues w and eigenvectors (columns of v) of the symmetric n x n matrix a, which is lost: cyclic Jacobi. */
static inline void dense_eigen(int n, double *a, double *w, double *v)
{
    for (int i = 0; i < n * n; i++)
        v[i] = i % (n + 1) == 0;
    for (int sweep = 0; sweep < 60; sweep++)
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                double apq = a[p * n + q];
                if (apq == 0)
                    continue;
                double theta = (a[q * n + q] - a[p * n + p]) / (2 * apq);
                double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
                double c = 1 / sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < n; k++) {
                    double kp = a[k * n + p], kq = a[k * n + q];
                    a[k * n + p] = c * kp - s * kq;
                    a[k * n + q] = s * kp + c * kq;
                }
                for (int k = 0; k < n; k++) {
                    double pk = a[p * n + k], qk = a[q * n + k], kp = v[k * n + p], kq = v[k * n + q];
                    a[p * n + k] = c * pk - s * qk;
                    a[q * n + k] = s * pk + c * qk;
                    v[k * n + p] = c * kp - s * kq;
                    v[k * n + q] = s * kp + c * kq;
                }
            }
    for (int i = 0; i < n; i++)
        w[i] = a[i * n + i];
}
/* The nearest semidefinite matrix to the symmetric matrix a, in place. */
static inline void dense_clamp(int n, double *a)
{
    double *w = malloc((size_t)n * sizeof *w), *v = malloc((size_t)(n * n) * sizeof *v);
    dense_eigen(n, a, w, v);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            a[i * n + j] = 0;
            for (int k = 0; k < n; k++)
                a[i * n + j] += v[i * n + k] * (w[k] > 0 ? w[k] : 0) * v[j * n + k];
        }
    free(w);
    free(v);
}
static inline double least_eigenvalue(int n, const double *a)
{
    double *c = malloc((size_t)(n * n) * sizeof *c), *w = malloc((size_t)n * sizeof *w);
    double *v = malloc((size_t)(n * n) * sizeof *v), least = INFINITY;
    memcpy(c, a, (size_t)(n * n) * sizeof *c);
    dense_eigen(n, c, w, v);
    for (int i = 0; i < n; i++)
        least = w[i] < least ? w[i] : least;
    free(c);
    free(w);
    free(v);
    return least;
}

/* Gradient, alone and beside a matrix, against differences of the value, exact Hessian against differences of the
 * gradient, all nodes unknown. Returns the larger relative error; floor: smallest scale that errors are relative to. */
static inline double difference_error(bound *b, const double *x, double step, double floor)
{
    int n = 3 * b->n;
    double *y = malloc((size_t)n * sizeof *y), *g = malloc((size_t)n * sizeof *g), *gp = malloc((size_t)n * sizeof *gp);
    double *gm = malloc((size_t)n * sizeof *gm), *h = malloc((size_t)(n * n) * sizeof *h), error = 0;
    double *beside = calloc((size_t)n, sizeof *beside);
    vv_block_target to = target_of(b);
    memcpy(y, x, (size_t)n * sizeof *y);
    gradient_at(b, x, g);
    hessian_at(b, x, VV_HESSIAN_EXACT, h);
    vv_bsr_clear(&b->a, &one_thread);
    b->e->ops->derivatives(b->e, &one_thread, x, 1, VV_HESSIAN_PROJECTED, beside, &to);
    double gscale = largest(g, n) + floor, hscale = largest(h, n * n) + floor;
    for (int i = 0; i < n; i++) {
        /* fourth order for the value: its rounding asks for a large step */
        double big = 100 * step, e[4];
        for (int k = 0; k < 4; k++) {
            y[i] = x[i] + big * (double[]){ 1, -1, 2, -2 }[k];
            e[k] = energy_at(b, y);
        }
        double slope = (8 * (e[0] - e[1]) - (e[2] - e[3])) / (12 * big);
        error = fmax(error, fmax(fabs(slope - g[i]), fabs(slope - beside[i])) / gscale);
        y[i] = x[i] + step;
        gradient_at(b, y, gp);
        y[i] = x[i] - step;
        gradient_at(b, y, gm);
        y[i] = x[i];
        for (int j = 0; j < n; j++)
            error = fmax(error, fabs((gp[j] - gm[j]) / (2 * step) - h[j * n + i]) / hscale);
    }
    free(y);
    free(g);
    free(beside);
    free(gp);
    free(gm);
    free(h);
    return error;
}

#endif

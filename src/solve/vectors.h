/* Loops over vectors, by name: of n numbers, or (with a system) of node space. Each is one loop in ascending order,
 * so that its bits depend neither on threads nor on the call site; sums distributed over threads are in
 * solve/system.h. Outputs may be inputs, except vv_copy's. */
#ifndef VV_SOLVE_VECTORS_H
#define VV_SOLVE_VECTORS_H

#include "solve/system.h"

#include <math.h>
#include <string.h>

/* Numbers in a node vector, and in a vector of unknowns. */
static inline size_t vv_node_space(const vv_system *s) { return 3 * (size_t)s->nodes; }
static inline size_t vv_unknown_space(const vv_system *s) { return 3 * (size_t)s->unknowns; }

static inline void vv_copy(size_t n, const double *x, double *y) { memcpy(y, x, n * sizeof *y); }
static inline void vv_zero(size_t n, double *y) { memset(y, 0, n * sizeof *y); }

/* y += t x */
static inline void vv_axpy(size_t n, double t, const double *x, double *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] += t * x[i];
}

/* y *= t */
static inline void vv_scale(size_t n, double t, double *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] *= t;
}

/* y = t x */
static inline void vv_scaled(size_t n, double t, const double *x, double *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] = t * x[i];
}

/* y /= d */
static inline void vv_divide(size_t n, double d, double *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] /= d;
}

/* y = -x */
static inline void vv_negative(size_t n, const double *x, double *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] = -x[i];
}

/* y = a - b */
static inline void vv_difference(size_t n, const double *a, const double *b, double *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] = a[i] - b[i];
}

/* y = q + t p */
static inline void vv_along(size_t n, const double *q, double t, const double *p, double *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] = q[i] + t * p[i];
}

/* Length of the longest of the n / 3 vectors; NaN if any has one. */
static inline double vv_longest(size_t n, const double *x)
{
    double most = 0;
    for (size_t i = 0; i < n; i += 3) {
        double square = x[i] * x[i] + x[i + 1] * x[i + 1] + x[i + 2] * x[i + 2];
        most = square > most || isnan(square) ? square : most; /* a NaN stays */
    }
    return sqrt(most);
}

/* ---- node space ---- */

/* y_i = x_i at prescribed nodes, and across rails; all else stays. */
static inline void vv_copy_prescribed(const vv_system *s, const double *x, double *y)
{
    for (size_t i = 0; i < (size_t)s->nodes; i++)
        if (s->unknown[i] < 0)
            memcpy(y + 3 * i, x + 3 * i, 3 * sizeof *y);
    vv_rails_put(s->rails, x, y);
}

/* y_i = t x_i at free nodes, 0 at prescribed ones, and across rails. */
static inline void vv_scale_free(const vv_system *s, double t, const double *x, double *y)
{
    for (size_t i = 0; i < vv_node_space(s); i++)
        y[i] = s->unknown[i / 3] >= 0 ? t * x[i] : 0;
    vv_rails_keep(s->rails, y);
}

/* y_i = a_i - b_i at free nodes, 0 at prescribed ones, and across rails. */
static inline void vv_difference_free(const vv_system *s, const double *a, const double *b, double *y)
{
    for (size_t i = 0; i < vv_node_space(s); i++)
        y[i] = s->unknown[i / 3] >= 0 ? a[i] - b[i] : 0;
    vv_rails_keep(s->rails, y);
}

/* y_i += t x_i at free nodes, x in unknown space. */
static inline void vv_move_free(const vv_system *s, double t, const double *x, double *y)
{
    for (size_t u = 0; u < (size_t)s->unknowns; u++)
        for (size_t k = 0; k < 3; k++)
            y[3 * (size_t)s->node[u] + k] += t * x[3 * u + k];
}

/* y_i *= t / m_i: with `free_only` at free nodes, and along rails, else wherever there is mass; 0 elsewhere. */
static inline void vv_divide_by_mass(const vv_system *s, double t, bool free_only, double *y)
{
    for (size_t i = 0; i < vv_node_space(s); i++)
        y[i] *= (free_only ? s->unknown[i / 3] >= 0 : s->mass[i / 3] > 0) ? t / s->mass[i / 3] : 0;
    if (free_only)
        vv_rails_keep(s->rails, y);
}

#endif

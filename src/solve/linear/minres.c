/* MINRES: the Lanczos process on M^-1 A, whose tridiagonal matrix is factorised by rotations as it grows (Paige and
 * Saunders 1975, SIAM J. Numer. Anal. 12, letters as there; theory §6.15). M = |D|, the diagonal blocks with the
 * sizes of their eigenvalues, is definite whatever A is. Sums are in ascending order: the same bits for any number of
 * threads. */
#include "solve/linear/minres.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "solve/vectors.h"

#include <float.h>
#include <math.h>

enum { VECTORS = 7 };

vvStatus vv_minres_create(vv_minres *m, int n, vvError *error)
{
    *m = (vv_minres){ .n = n,
                      .inverse = vv_alloc(9 * (size_t)n, sizeof *m->inverse),
                      .room = vv_alloc(VECTORS * 3 * (size_t)n + 8, sizeof *m->room) }; /* products read past the end */
    if (m->inverse && m->room)
        return VV_OK;
    vv_minres_free(m);
    return vv_fail_memory(error, "the linear solver");
}

void vv_minres_free(vv_minres *m)
{
    vv_free(m->inverse);
    vv_free(m->room);
    *m = (vv_minres){ 0 };
}

static double dot(size_t n, const double *x, const double *y)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* |D|^-1 of each row; an eigenvalue that is nothing beside the largest counts as a millionth of it. */
static void prepare(vv_minres *m, const vv_bsr *a)
{
    for (int row = 0; row < m->n; row++) {
        double w[3], v[9], *to = m->inverse + 9 * (size_t)row, d[9];
        for (int i = 0; i < 9; i++)
            d[i] = a->val[9 * (size_t)a->diag[row] + (size_t)i];
        vv_eigen_symmetric(d, w, v);
        double floor = 1e-6 * fmax(fmax(fabs(w[0]), fabs(w[1])), fabs(w[2]));
        for (int i = 0; i < 9; i++)
            to[i] = 0;
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 9; i++)
                to[i] += v[i / 3 * 3 + k] * v[i % 3 * 3 + k] / (floor > 0 ? fmax(fabs(w[k]), floor) : 1);
    }
}

static void precondition(const vv_minres *m, const double *r, double *y)
{
    for (int row = 0; row < m->n; row++)
        vv_matvec(m->inverse + 9 * (size_t)row, r + 3 * (size_t)row, y + 3 * (size_t)row);
}

/* The state of the factorisation. */
typedef struct rotations {
    double cosine, sine, dbar, epsilon, phi;
} rotations;

/* One more column (alpha, beta) of the tridiagonal matrix: the new direction in place of the last but one, w[0], and
 * how far x goes along it. False: the matrix is singular within rounding. */
static bool rotate(rotations *q, double alpha, double beta, double scale, size_t n, const double *v, double *w[3],
                   double *step)
{
    double before = q->epsilon, delta = q->cosine * q->dbar + q->sine * alpha,
           gbar = q->sine * q->dbar - q->cosine * alpha;
    double gamma = hypot(gbar, beta);
    if (!(gamma > DBL_EPSILON * scale))
        return false;
    q->epsilon = q->sine * beta, q->dbar = -q->cosine * beta;
    q->cosine = gbar / gamma, q->sine = beta / gamma;
    *step = q->cosine * q->phi;
    q->phi *= q->sine;
    double *oldest = w[0];
    for (size_t i = 0; i < n; i++)
        oldest[i] = (v[i] - before * w[1][i] - delta * w[2][i]) / gamma;
    w[0] = w[1], w[1] = w[2], w[2] = oldest;
    return true;
}

void vv_minres_solve(vv_minres *m, const vv_bsr *a, const vv_parallel *par, const double *b, double *x,
                     double tolerance, int most, vv_linear_stats *stats)
{
    const size_t n = 3 * (size_t)m->n;
    double *r1 = m->room, *r2 = r1 + n, *v = r2 + n, *w[3] = { v + n, v + 2 * n, v + 3 * n }, *y = v + 4 * n;
    *stats = (vv_linear_stats){ .used = "minres" };
    prepare(m, a);
    vv_zero(n, x);
    vv_zero(3 * n, w[0]);
    vv_zero(n, r1);
    vv_copy(n, b, r2);
    precondition(m, r2, y);
    double beta = sqrt(dot(n, r2, y)), first = beta, old = 0, scale = 0;
    rotations q = { .cosine = -1, .phi = beta };
    stats->converged = !(beta > 0);
    while (beta > 0 && !stats->converged && stats->iterations < most) {
        double step;
        vv_scaled(n, 1 / beta, y, v);
        vv_bsr_multiply(a, par, v, y);
        if (stats->iterations > 0)
            vv_axpy(n, -beta / old, r1, y);
        double alpha = dot(n, v, y), *free_one = r1;
        vv_axpy(n, -alpha / beta, r2, y);
        r1 = r2, r2 = free_one;
        vv_copy(n, y, r2);
        precondition(m, r2, y);
        old = beta;
        beta = sqrt(fmax(dot(n, r2, y), 0));
        scale = fmax(scale, fabs(alpha) + beta + old);
        stats->iterations++;
        if (!rotate(&q, alpha, beta, scale, n, v, w, &step))
            break;
        vv_axpy(n, step, w[2], x);
        stats->converged = q.phi <= tolerance * first;
        if (!isfinite(q.phi))
            break;
    }
    stats->residual = first > 0 ? q.phi / first : 0;
}

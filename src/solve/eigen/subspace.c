/* Eigenpairs by subspace iteration (Bathe, Finite Element Procedures, §11.6), for builds without ARPACK: half as many
 * vectors again as are wanted are multiplied by A and made orthonormal, again and again; in their space the
 * eigenproblem is solved exactly. */
#include "base/eigen.h"
#include "base/error.h"
#include "base/memory.h"
#include "solve/eigen/eigenpairs.h"

#include <math.h>
#include <string.h>

enum { LEAST_MORE = 12, ITERATIONS = 400 };
static const double TOLERANCE = 1e-10; /* |A x - lambda x| of the largest value */

typedef struct subspace {
    int n, m;
    double *x, *y, *small, *turn, *values, *room, *scratch;
} subspace;

static bool make(subspace *s, const vv_eigen_problem *p, int count)
{
    int more = count / 2 > LEAST_MORE ? count / 2 : LEAST_MORE;
    *s = (subspace){ .n = p->n, .m = count + more < p->n - p->apart ? count + more : p->n - p->apart };
    size_t n = (size_t)s->n, m = (size_t)s->m;
    s->x = vv_alloc(n * m, sizeof(double)), s->y = vv_alloc(n * m, sizeof(double));
    s->small = vv_alloc(m * m, sizeof(double)), s->turn = vv_alloc(m * m, sizeof(double));
    s->values = vv_alloc(m, sizeof(double)), s->room = vv_alloc(4 * m, sizeof(double)),
    s->scratch = vv_alloc(n, sizeof(double));
    return s->x && s->y && s->small && s->turn && s->values && s->room && s->scratch;
}

static void unmake(subspace *s)
{
    vv_free(s->x);
    vv_free(s->y);
    vv_free(s->small);
    vv_free(s->turn);
    vv_free(s->values);
    vv_free(s->room);
    vv_free(s->scratch);
}

static double *row(double *list, int n, int k) { return list + (size_t)k * (size_t)n; }

/* A vector that lies in the others' space becomes another one. */
static void orthonormalise(subspace *s, const vv_eigen_problem *p, double *x)
{
    for (int k = 0; k < s->m; k++) {
        double *v = row(x, s->n, k), before = sqrt(vv_eigen_dot(s->n, v, v));
        for (int attempt = 0; attempt < 5; attempt++) {
            vv_eigen_take_out(s->n, k, x, v);
            vv_eigen_take_out(s->n, p->apart, p->vectors, v);
            double length = sqrt(vv_eigen_dot(s->n, v, v));
            if (length > 1e-10 * before) {
                for (int i = 0; i < s->n; i++)
                    v[i] /= length;
                break;
            }
            vv_eigen_start(s->n, 1000 + (unsigned)(5 * k + attempt), v);
            before = sqrt(vv_eigen_dot(s->n, v, v));
        }
    }
}

/* y = A x, then x becomes the eigenvectors in its space, by falling value, and y goes along. */
static vvStatus project(subspace *s, const vv_eigen_problem *p, vvError *error)
{
    for (int k = 0; k < s->m; k++) {
        vvStatus status = vv_eigen_apply(p, row(s->x, s->n, k), row(s->y, s->n, k), s->scratch, error);
        if (status != VV_OK)
            return status;
    }
    for (int i = 0; i < s->m; i++)
        for (int j = 0; j < s->m; j++)
            s->small[s->m * i + j] = vv_eigen_dot(s->n, row(s->x, s->n, i), row(s->y, s->n, j));
    for (int i = 0; i < s->m; i++)
        for (int j = 0; j < i; j++)
            s->small[s->m * i + j] = s->small[s->m * j + i] = 0.5 * (s->small[s->m * i + j] + s->small[s->m * j + i]);
    vv_eigen_dense(s->m, s->small, s->values, s->turn, s->room);
    for (int k = 0; k < s->m; k++)
        for (int i = k + 1; i < s->m; i++)
            if (s->values[i] > s->values[k]) {
                double value = s->values[i];
                s->values[i] = s->values[k], s->values[k] = value;
                for (int j = 0; j < s->m; j++) {
                    double *a = s->turn + s->m * i + j, *b = s->turn + s->m * k + j, swap = *a;
                    *a = *b, *b = swap;
                }
            }
    double *lists[2] = { s->x, s->y };
    for (int l = 0; l < 2; l++)
        for (int c = 0; c < s->n; c++) { /* a column of both at a time */
            for (int k = 0; k < s->m; k++)
                s->room[k] = row(lists[l], s->n, k)[c];
            for (int k = 0; k < s->m; k++)
                row(lists[l], s->n, k)[c] = vv_eigen_dot(s->m, s->turn + s->m * k, s->room);
        }
    return VV_OK;
}

static bool converged(const subspace *s, int count)
{
    for (int k = 0; k < count; k++) {
        double sum = 0;
        const double *x = s->x + (size_t)k * (size_t)s->n, *y = s->y + (size_t)k * (size_t)s->n;
        for (int i = 0; i < s->n; i++)
            sum += (y[i] - s->values[k] * x[i]) * (y[i] - s->values[k] * x[i]);
        if (!(sqrt(sum) <= TOLERANCE * fabs(s->values[0])))
            return false;
    }
    return true;
}

vvStatus vv_eigenpairs_subspace(const vv_eigen_problem *p, int count, double *values, double *vectors, vvError *error)
{
    subspace s;
    vvStatus status = make(&s, p, count) ? VV_OK : vv_fail_memory(error, "eigenvalues");
    bool done = false;
    for (int k = 0; k < s.m && status == VV_OK; k++)
        vv_eigen_start(s.n, 7 + (unsigned)k, row(s.x, s.n, k));
    if (status == VV_OK)
        orthonormalise(&s, p, s.x);
    for (int it = 0; it < ITERATIONS && status == VV_OK && !done; it++) {
        status = project(&s, p, error);
        done = status == VV_OK && converged(&s, count);
        if (status == VV_OK && !done) {
            memcpy(s.x, s.y, (size_t)s.m * (size_t)s.n * sizeof *s.x);
            orthonormalise(&s, p, s.x);
        }
    }
    if (status == VV_OK && !done)
        status = vv_fail(error, VV_ERROR_SOLVER,
                         "%d eigenvalues were not found in %d iterations; a build with ARPACK finds more", count,
                         ITERATIONS);
    if (status == VV_OK) {
        memcpy(values, s.values, (size_t)count * sizeof *values);
        memcpy(vectors, s.x, (size_t)count * (size_t)s.n * sizeof *vectors);
    }
    unmake(&s);
    return status;
}

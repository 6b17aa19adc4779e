/* Which method finds eigenpairs, whether all were found, and their order and signs (theory §7.2). */
#include "solve/eigen/eigenpairs.h"

#include "base/eigen.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum {
    DENSE = 400, /* unknowns: below, a dense matrix takes no longer */
    SPARE = 20,  /* a Krylov method needs room for twice what it finds, and these */
    AGAIN = 8,   /* vectors that each further search asks for */
    SEARCHES = 40
};

/* The largest of `total`, of which the rows of `from` are the vectors. */
static void pick(int n, int total, double *from_values, const double *from, int count, double *values, double *vectors)
{
    for (int k = 0; k < count; k++) {
        int best = -1;
        for (int i = 0; i < total; i++)
            if (!isnan(from_values[i]) && (best < 0 || from_values[i] > from_values[best]))
                best = i;
        best = best < 0 ? 0 : best; /* not a number: what there is */
        values[k] = from_values[best];
        from_values[best] = NAN;
        memcpy(vectors + (size_t)k * (size_t)n, from + (size_t)best * (size_t)n, (size_t)n * sizeof *vectors);
    }
}

/* What is left out gets a value below all others. */
vvStatus vv_eigenpairs_dense(const vv_eigen_problem *p, int count, double *values, double *vectors, vvError *error)
{
    size_t n = (size_t)p->n;
    double *a = vv_alloc(n * n, sizeof *a), *all = vv_alloc(n * n, sizeof *all), *found = vv_alloc(n, sizeof *found);
    double *room = vv_alloc(4 * n, sizeof *room), *unit = vv_alloc(n, sizeof *unit), size = 0;
    vvStatus status = a && all && found && room && unit ? VV_OK : vv_fail_memory(error, "eigenvalues");
    for (size_t i = 0; i < n && status == VV_OK; i++) {
        unit[i] = 1;
        status = vv_eigen_apply(p, unit, a + n * i, room, error);
        unit[i] = 0;
    }
    for (size_t i = 0; i < n && status == VV_OK; i++)
        for (size_t j = 0; j <= i; j++) {
            a[n * i + j] = a[n * j + i] = 0.5 * (a[n * i + j] + a[n * j + i]);
            size = fmax(size, fabs(a[n * i + j]));
        }
    for (int k = 0; k < p->apart && status == VV_OK; k++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                a[n * i + j] -= (double)p->n * size * p->vectors[(size_t)k * n + i] * p->vectors[(size_t)k * n + j];
    if (status == VV_OK) {
        vv_eigen_dense(p->n, a, found, all, room);
        pick(p->n, p->n, found, all, count, values, vectors);
    }
    vv_free(a);
    vv_free(all);
    vv_free(found);
    vv_free(room);
    vv_free(unit);
    return status;
}

static vvStatus krylov(const vv_eigen_problem *p, int count, double *values, double *vectors, vvError *error)
{
#if defined(VV_HAVE_ARPACK)
    return vv_eigenpairs_arpack(p, count, values, vectors, error);
#else
    return vv_eigenpairs_subspace(p, count, values, vectors, error);
#endif
}

static void sort(int n, int count, double *values, double *vectors, double *room)
{
    for (int k = 1; k < count; k++)
        for (int i = k; i > 0 && values[i] > values[i - 1]; i--) {
            double *a = vectors + (size_t)i * (size_t)n, *b = a - n, value = values[i];
            values[i] = values[i - 1], values[i - 1] = value;
            memcpy(room, a, (size_t)n * sizeof *a);
            memcpy(a, b, (size_t)n * sizeof *a);
            memcpy(b, room, (size_t)n * sizeof *a);
        }
}

/* Searches beside what was found, and takes in what is larger; all: room for apart + count vectors, and `more` for
 * AGAIN and one. */
static vvStatus look_again(const vv_eigen_problem *p, int count, double *values, double *vectors, double *all,
                           double *more, bool *complete, vvError *error)
{
    size_t n = (size_t)p->n;
    double found[AGAIN];
    int ask = p->n - p->apart - count < AGAIN ? p->n - p->apart - count : AGAIN;
    vv_eigen_problem rest = { p->n, p->apply, p->user, p->apart + count, all };
    if (p->apart)
        memcpy(all, p->vectors, (size_t)p->apart * n * sizeof *all);
    memcpy(all + (size_t)p->apart * n, vectors, (size_t)count * n * sizeof *all);
    vvStatus status = ask > 0 ? krylov(&rest, ask, found, more, error) : VV_OK;
    if (status == VV_OK && ask > 0)
        sort(p->n, ask, found, more, more + AGAIN * n);
    *complete = true;
    for (int k = 0; k < ask && k < count && status == VV_OK; k++)
        if (found[k] > values[count - 1] + 1e-9 * fabs(values[0])) { /* in place of the least */
            values[count - 1] = found[k];
            memcpy(vectors + (size_t)(count - 1) * n, more + (size_t)k * n, n * sizeof *vectors);
            sort(p->n, count, values, vectors, more + AGAIN * n);
            *complete = false;
        }
    return status;
}

static vvStatus search(const vv_eigen_problem *p, int count, double *values, double *vectors, vvError *error)
{
    size_t n = (size_t)p->n;
    double *all = vv_alloc(((size_t)p->apart + (size_t)count) * n, sizeof *all),
           *more = vv_alloc((AGAIN + 1) * n, sizeof *more);
    vvStatus status = all && more ? krylov(p, count, values, vectors, error) : vv_fail_memory(error, "eigenvalues");
    bool complete = false;
    if (status == VV_OK)
        sort(p->n, count, values, vectors, more + AGAIN * n);
    for (int k = 0; k < SEARCHES && status == VV_OK && !complete; k++)
        status = look_again(p, count, values, vectors, all, more, &complete, error);
    if (status == VV_OK && !complete)
        status = vv_fail(error, VV_ERROR_SOLVER,
                         "too many modes share one frequency: %d were requested, and more keep appearing", count);
    vv_free(all);
    vv_free(more);
    return status;
}

vvStatus vv_eigenpairs(const vv_eigen_problem *p, int count, double *values, double *vectors, vvError *error)
{
    int n = p->n;
    if (count < 1 || count > n - p->apart)
        return vv_fail(error, VV_ERROR_INPUT, "%d eigenvalues of %d", count, n - p->apart);
    bool dense = n <= DENSE || 2 * count + SPARE >= n - p->apart;
    vvStatus status =
        dense ? vv_eigenpairs_dense(p, count, values, vectors, error) : search(p, count, values, vectors, error);
    for (int k = 0; k < count && status == VV_OK; k++) {
        double *v = vectors + (size_t)k * (size_t)n, most = 0;
        int first = 0;
        for (int i = 0; i < n; i++)
            most = fmax(most, fabs(v[i]));
        while (first < n - 1 && !(fabs(v[first]) > 0.9 * most))
            first++;
        double sign = v[first] < 0 ? -1 : 1;
        for (int i = 0; i < n; i++)
            v[i] *= sign;
    }
    return status;
}

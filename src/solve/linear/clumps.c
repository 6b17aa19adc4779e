/* Affine bodies' rows as one in iterative solvers (theory §6.4). */
#include "solve/linear/clumps.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/simd/variant.h"
#include "solve/linear/clumps_kernel.h"

#include <math.h>
#include <string.h>

enum { SIZE = 3 * VV_CLUMP, FACTOR = SIZE * SIZE };

void vv_clumps_free(vv_clumps *c)
{
    vv_free(c->a.val);
    vv_free(c->a.extra.val);
    vv_free(c->b);
    vv_free(c->factor);
    vv_free(c->of);
    *c = (vv_clumps){ 0 };
}

static bool reserve(vv_clumps *c, const vv_bsr *a)
{
    size_t n = (size_t)a->n;
    double *val = c->a.val, *extra = c->a.extra.val;
    bool ok = vv_grow((void **)&val, &c->val_room, 9 * ((size_t)a->nnz + 1) + 8, sizeof *val) &&
              vv_grow((void **)&extra, &c->extra_room, 9 * (size_t)a->extra.nnz + 8, sizeof *extra);
    c->a = *a;
    c->a.val = val, c->a.extra.val = extra, c->a.clumps = 0;
    if (!c->of)
        c->of = vv_alloc(n, sizeof *c->of);
    if (!c->b)
        c->b = vv_alloc(3 * n, sizeof *c->b);
    if (!c->factor)
        c->factor = vv_alloc(FACTOR * (size_t)a->clumps, sizeof *c->factor);
    return ok && c->of && c->b && c->factor;
}

/* ---- which, and their factors ---- */

static bool same_columns(const int *start, const int *col, int row, int other)
{
    int count = start[row + 1] - start[row];
    return count == start[other + 1] - start[other] &&
           memcmp(col + start[row], col + start[other], (size_t)count * sizeof *col) == 0;
}

static bool complete(const vv_bsr *a, int row)
{
    bool same = true;
    for (int k = 1; k < VV_CLUMP; k++)
        same = same && same_columns(a->row_start, a->col, row, row + k) &&
               (a->extra.nnz == 0 || same_columns(a->extra.start, a->extra.col, row, row + k));
    return same && a->diag[row] + VV_CLUMP <= a->row_start[row + 1] &&
           a->col[a->diag[row] + VV_CLUMP - 1] == row + VV_CLUMP - 1;
}

/* L, lower; false: not positive definite. */
static bool factorise(const vv_bsr *a, int row, double *l)
{
    for (int i = 0; i < SIZE; i++) {
        const double *block = a->val + 9 * (size_t)(a->diag[row + i / 3] - i / 3);
        for (int j = 0; j <= i; j++) {
            double sum = block[9 * (j / 3) + 3 * (j % 3) + i % 3];
            for (int k = 0; k < j; k++)
                sum -= l[SIZE * i + k] * l[SIZE * j + k];
            if (i == j && !(sum > 0 && sum < INFINITY))
                return false;
            l[SIZE * i + j] = i == j ? sqrt(sum) : sum / l[SIZE * j + j];
        }
    }
    return true;
}

static void find(vv_clumps *c, const vv_bsr *a)
{
    memset(c->of, -1, (size_t)a->n * sizeof *c->of);
    for (int k = 0; k < a->clumps; k++)
        if (complete(a, a->clump[k]) && factorise(a, a->clump[k], c->factor + FACTOR * (size_t)k))
            c->of[a->clump[k]] = k;
}

/* ---- W from the left and from the right ---- */

/* x <- L^-1 x */
static inline void forward(const double *l, double *x)
{
    for (int i = 0; i < SIZE; i++) {
        double sum = x[i];
        for (int k = 0; k < i; k++)
            sum -= l[SIZE * i + k] * x[k];
        x[i] = sum / l[SIZE * i + i];
    }
}

static void left_of_rows(const vv_clump_kernels *kernels, const double *l, const int *start, double *val, int row)
{
    for (int k = 0; k < start[row + 1] - start[row]; k++) {
        double *at[VV_CLUMP];
        for (int i = 0; i < VV_CLUMP; i++)
            at[i] = val + 9 * (size_t)(start[row + i] + k);
        kernels->left(l, at);
    }
}

static void right_of_row(const vv_clump_kernels *kernels, const vv_clumps *c, const int *start, const int *col,
                         double *val, int row)
{
    for (int k = start[row]; k < start[row + 1]; k++)
        if (c->of[col[k]] >= 0)
            kernels->right(c->factor + FACTOR * (size_t)c->of[col[k]], val + 9 * (size_t)k);
}

typedef struct job {
    const vv_clump_kernels *kernels;
    vv_clumps *c;
    const vv_bsr *from;
    const double *b;
} job;

static void copy_chunk(void *arg, int chunk)
{
    const job *j = arg;
    const vv_bsr *a = j->from;
    int begin = chunk * VV_BSR_CHUNK, end = begin + VV_BSR_CHUNK < a->n ? begin + VV_BSR_CHUNK : a->n;
    size_t at = 9 * (size_t)a->row_start[begin], size = 9 * (size_t)a->row_start[end] - at;
    memcpy(j->c->a.val + at, a->val + at, size * sizeof *a->val);
    if (a->extra.nnz > 0) {
        at = 9 * (size_t)a->extra.start[begin], size = 9 * (size_t)a->extra.start[end] - at;
        if (size > 0)
            memcpy(j->c->a.extra.val + at, a->extra.val + at, size * sizeof *a->val);
    }
    memcpy(j->c->b + 3 * (size_t)begin, j->b + 3 * (size_t)begin, 3 * (size_t)(end - begin) * sizeof *j->b);
}

static void left_clump(void *arg, int k)
{
    const job *j = arg;
    vv_clumps *c = j->c;
    const double *l = c->factor + FACTOR * (size_t)k;
    int row = j->from->clump[k];
    if (c->of[row] != k)
        return;
    left_of_rows(j->kernels, l, c->a.row_start, c->a.val, row);
    if (c->a.extra.nnz > 0)
        left_of_rows(j->kernels, l, c->a.extra.start, c->a.extra.val, row);
    forward(l, c->b + 3 * (size_t)row);
}

static void right_chunk(void *arg, int chunk)
{
    const job *j = arg;
    vv_clumps *c = j->c;
    for (int i = chunk * VV_BSR_CHUNK; i < c->a.n && i < (chunk + 1) * VV_BSR_CHUNK; i++) {
        right_of_row(j->kernels, c, c->a.row_start, c->a.col, c->a.val, i);
        if (c->a.extra.nnz > 0)
            right_of_row(j->kernels, c, c->a.extra.start, c->a.extra.col, c->a.extra.val, i);
    }
}

/* Rounding leaves the diagonal blocks next to the identity. */
static void set_identity(vv_clumps *c, int row)
{
    for (int i = 0; i < VV_CLUMP; i++)
        for (int k = 0; k < VV_CLUMP; k++) {
            double *block = c->a.val + 9 * (size_t)(c->a.diag[row + i] - i + k);
            memset(block, 0, 9 * sizeof *block);
            for (int m = 0; i == k && m < 9; m += 4)
                block[m] = 1;
        }
}

vvStatus vv_clumps_apply(vv_clumps *c, const vv_bsr *a, const vv_parallel *par, const double *b, vvError *error)
{
    if (!reserve(c, a))
        return vv_fail_memory(error, "the linear solver");
    job j = { VV_VARIANT(a->isa, vv_clump_kernels), c, a, b };
    const int chunks = (a->n + VV_BSR_CHUNK - 1) / VV_BSR_CHUNK;
    find(c, a);
    vv_for(par, chunks, copy_chunk, &j);
    vv_for(par, a->clumps, left_clump, &j);
    vv_for(par, chunks, right_chunk, &j);
    for (int k = 0; k < a->clumps; k++)
        if (c->of[a->clump[k]] == k)
            set_identity(c, a->clump[k]);
    return VV_OK;
}

void vv_clumps_back(const vv_clumps *c, double *x)
{
    for (int row = 0; row < c->a.n; row++) {
        if (c->of[row] < 0)
            continue;
        const double *l = c->factor + FACTOR * (size_t)c->of[row];
        double *y = x + 3 * (size_t)row;
        for (int i = SIZE - 1; i >= 0; i--) {
            for (int k = i + 1; k < SIZE; k++)
                y[i] -= l[SIZE * k + i] * y[k];
            y[i] /= l[SIZE * i + i];
        }
    }
}

/* The rows in contact, as one block of the preconditioner. */
#include "solve/pcg/coupled.h"

#include "base/error.h"
#include "base/memory.h"
#include "solve/linear/linear_rows.h"

#include <string.h>

void vv_coupled_free(vv_coupled *c)
{
    if (c->cholesky)
        c->cholesky->ops->destroy(c->cholesky);
    vv_bsr_free(&c->sub);
    vv_free(c->source);
    vv_free(c->b);
    vv_free(c->x);
    *c = (vv_coupled){ 0 };
}

#if defined(VV_HAVE_CHOLMOD)
/* Arrays only grow: which rows are in contact changes all the time. */
static bool reserve(vv_coupled *c, size_t n, size_t nnz)
{
    vv_bsr *sub = &c->sub;
    return vv_grow((void **)&sub->row_start, &c->room.row_start, n + 1, sizeof *sub->row_start) &&
           vv_grow((void **)&sub->col, &c->room.col, nnz, sizeof *sub->col) &&
           vv_grow((void **)&sub->diag, &c->room.diag, n, sizeof *sub->diag) &&
           vv_grow((void **)&sub->val, &c->room.val, 9 * (nnz + 1) + 8, sizeof *sub->val) &&
           vv_grow((void **)&c->source, &c->room.source, nnz, sizeof *c->source) &&
           vv_grow((void **)&c->b, &c->room.b, 3 * n, sizeof *c->b) &&
           vv_grow((void **)&c->x, &c->room.x, 3 * n, sizeof *c->x);
}

/* Not in use; its memory stays. */
static void rest(vv_coupled *c)
{
    c->n = 0;
    c->flops = c->entries = 0;
    c->failed = false;
}

/* Rows and columns of A_cc, in A's order. place: of each row of A in A_cc, or -1. */
static void fill_pattern(vv_coupled *c, const vv_bsr *a, const int *place)
{
    const vv_bsr_extra *e = &a->extra;
    vv_bsr *sub = &c->sub;
    int at = 0;
    for (int i = 0; i < sub->n; i++) {
        int row = e->row[i], k = a->row_start[row], l = e->start[row];
        while (k < a->row_start[row + 1] || l < e->start[row + 1]) {
            bool fixed = l == e->start[row + 1] || (k < a->row_start[row + 1] && a->col[k] < e->col[l]);
            int source = fixed ? k : a->nnz + l, col = fixed ? place[a->col[k++]] : place[e->col[l++]];
            if (col < 0)
                continue;
            if (col == i)
                sub->diag[i] = at;
            c->source[at] = source;
            sub->col[at++] = col;
        }
        sub->row_start[i + 1] = at;
    }
    sub->nnz = at;
}

vvStatus vv_coupled_build(vv_coupled *c, const vv_bsr *a, int *work, vvError *error)
{
    rest(c);
    if (a->extra.nnz == 0)
        return VV_OK;
    for (int i = 0; i < a->n; i++)
        work[i] = -1;
    size_t most = (size_t)a->extra.nnz;
    for (int i = 0; i < a->extra.rows; i++) {
        int row = a->extra.row[i];
        work[row] = i;
        most += (size_t)(a->row_start[row + 1] - a->row_start[row]);
    }
    vv_parallel one = { .threads = 1 }; /* its bits must not depend on the number of threads */
    vv_cholesky_cost cost;
    vvStatus status =
        reserve(c, (size_t)a->extra.rows, most) ? VV_OK : vv_fail_memory(error, "the contacts' preconditioner");
    if (status == VV_OK) {
        c->sub.n = a->extra.rows;
        c->sub.isa = a->isa;
        c->sub.row_start[0] = 0;
        fill_pattern(c, a, work);
        if (!c->cholesky)
            status = vv_linear_cholesky.create(&c->sub, &one, &c->cholesky, error);
    }
    if (status == VV_OK) {
        vv_cholesky_forget(c->cholesky, c->sub.n);
        status = vv_cholesky_analyse(c->cholesky, &c->sub, &cost, error);
    }
    if (status == VV_OK && cost.entries > 0) {
        c->n = c->sub.n;
        c->flops = cost.flops;
        c->entries = cost.entries;
        c->first = a->n - c->n;
        return VV_OK;
    }
    rest(c);
    return status;
}

bool vv_coupled_factor(vv_coupled *c, const vv_ssor *s)
{
    const vv_bsr *a = s->a;
    for (int k = 0; k < c->sub.nnz; k++) {
        int from = c->source[k];
        memcpy(c->sub.val + 9 * (size_t)k,
               from < a->nnz ? a->val + 9 * (size_t)from : a->extra.val + 9 * (size_t)(from - a->nnz),
               9 * sizeof(double));
    }
    for (int i = c->first; i < a->n; i++)
        for (int k = 0; k < 12; k++)
            s->w[12 * (size_t)i + (size_t)k] = k % 5 == 0 && k < 11 ? 1 : 0; /* columns are 4 apart */
    unsigned failures = vv_memory_failures();
    bool ok = vv_cholesky_factorise(c->cholesky, &c->sub);
    c->failed = c->failed || vv_memory_failures() != failures;
    return ok;
}

static void solve(vv_coupled *c, bool transposed)
{
    if (!vv_cholesky_half_solve(c->cholesky, transposed, c->b, c->x))
        c->failed = true;
}

double vv_coupled_start(vv_coupled *c, const vv_ssor *s, const vv_ssor_kernels *kernels)
{
    double dot = 0;
    kernels->pull(s, s->r, s->u, c->first, s->a->n);
    for (size_t i = 0; i < (size_t)c->n; i++)
        for (size_t k = 0; k < 3; k++)
            c->b[3 * i + k] = s->t[4 * ((size_t)c->first + i) + k] - s->u[4 * ((size_t)c->first + i) + k];
    solve(c, false);
    for (size_t i = 0; i < (size_t)c->n; i++)
        for (size_t k = 0; k < 4; k++) {
            size_t at = 4 * ((size_t)c->first + i) + k;
            s->r[at] = k < 3 ? c->x[3 * i + k] : 0;
            s->v[at] = s->y[at] = 0;
            dot += s->r[at] * s->r[at];
        }
    return dot;
}

/* t = P^T F^-T of the scaled vector in b */
static void unscale(vv_coupled *c, const vv_ssor *s)
{
    solve(c, true);
    for (size_t i = 0; i < (size_t)c->n; i++)
        for (size_t k = 0; k < 4; k++)
            s->t[4 * ((size_t)c->first + i) + k] = k < 3 ? c->x[3 * i + k] : 0;
}

void vv_coupled_backward(vv_coupled *c, const vv_ssor *s)
{
    for (size_t i = 0; i < (size_t)c->n; i++)
        for (size_t k = 0; k < 3; k++) {
            size_t at = 4 * ((size_t)c->first + i) + k;
            s->v[at] = c->b[3 * i + k] = s->r[at] + s->beta * s->v[at];
        }
    unscale(c, s);
}

double vv_coupled_forward(vv_coupled *c, const vv_ssor *s, const vv_ssor_kernels *kernels)
{
    double dot = 0;
    kernels->pull(s, s->u, s->u, c->first, s->a->n);
    for (size_t i = 0; i < (size_t)c->n; i++)
        memcpy(c->b + 3 * i, s->u + 4 * ((size_t)c->first + i), 3 * sizeof *c->b);
    solve(c, false);
    for (size_t i = 0; i < (size_t)c->n; i++)
        for (size_t k = 0; k < 3; k++) { /* t, scaled, is v: v - t is 0 */
            size_t at = 4 * ((size_t)c->first + i) + k;
            s->q[at] = s->v[at] - c->x[3 * i + k];
            dot += s->v[at] * s->q[at];
        }
    return dot;
}

void vv_coupled_finish(vv_coupled *c, const vv_ssor *s)
{
    for (size_t i = 0; i < (size_t)c->n; i++)
        memcpy(c->b + 3 * i, s->y + 4 * ((size_t)c->first + i), 3 * sizeof *c->b);
    unscale(c, s);
    for (size_t i = 0; i < (size_t)c->n; i++)
        for (size_t k = 0; k < 3; k++)
            s->x[3 * (size_t)s->order[(size_t)c->first + i] + k] += c->x[3 * i + k];
}

#else
vvStatus vv_coupled_build(vv_coupled *c, const vv_bsr *a, int *work, vvError *error)
{
    (void)c, (void)a, (void)work, (void)error;
    return VV_OK;
}
bool vv_coupled_factor(vv_coupled *c, const vv_ssor *s) { return c && s; }
double vv_coupled_start(vv_coupled *c, const vv_ssor *s, const vv_ssor_kernels *kernels)
{
    return 0 * (c && s && kernels);
}
void vv_coupled_backward(vv_coupled *c, const vv_ssor *s) { (void)c, (void)s; }
double vv_coupled_forward(vv_coupled *c, const vv_ssor *s, const vv_ssor_kernels *kernels)
{
    return 0 * (c && s && kernels);
}
void vv_coupled_finish(vv_coupled *c, const vv_ssor *s) { (void)c, (void)s; }
#endif

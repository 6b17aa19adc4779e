/* Pattern, storage and product of the 3x3-block matrix. */
#include "base/sparse/bsr.h"

#include "base/sparse/kernel.h"
#include "base/simd/cpu.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/simd/variant.h"
#include "base/stop.h"

#include <string.h>

void vv_pattern_clique(vv_pattern *p, const int *u, int k)
{
    if (!vv_grow((void **)&p->couplings, &p->capacity, p->count + (size_t)k * (size_t)k, sizeof *p->couplings)) {
        p->failed = 1;
        return;
    }
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++)
            if (u[i] != u[j] && u[i] >= 0 && u[j] >= 0) {
                p->couplings[p->count][0] = u[i];
                p->couplings[p->count++][1] = u[j];
            }
}

void vv_pattern_free(vv_pattern *p)
{
    vv_free(p->couplings);
    *p = (vv_pattern){ 0 };
}

/* Keeps each column of cols[start[i] .. start[i+1]) once, ascending; count[i] becomes the row's length. mark: n
 * entries. */
static void unique_rows(int n, const int *start, int *cols, int *count, int *mark)
{
    for (int i = 0; i < n; i++)
        mark[i] = -1;
    for (int i = 0; i < n; i++) {
        int *row = cols + start[i], len = start[i + 1] - start[i], kept = 0;
        for (int k = 0; k < len; k++) {
            int c = row[k], at = kept;
            if (mark[c] == i)
                continue;
            mark[c] = i;
            for (; at > 0 && row[at - 1] > c; at--) /* rows are short: a node has some 15 neighbours */
                row[at] = row[at - 1];
            row[at] = c;
            kept++;
        }
        count[i] = kept;
    }
}

vvStatus vv_bsr_build(vv_bsr *a, const vv_pattern *pattern, vvError *error)
{
    *a = (vv_bsr){ .n = pattern->n, .isa = vv_cpu_isa() };
    int n = a->n;
    int *start = vv_alloc((size_t)n + 1, sizeof *start), *fill = vv_alloc((size_t)n, sizeof *fill);
    int *mark = vv_alloc((size_t)n, sizeof *mark);
    int *cols = vv_alloc(pattern->count + (size_t)n, sizeof *cols);
    a->row_start = vv_alloc((size_t)n + 1, sizeof *a->row_start);
    a->diag = vv_alloc((size_t)n, sizeof *a->diag);
    vvStatus status = VV_OK;
    if (pattern->failed || !start || !fill || !mark || !cols || !a->row_start || !a->diag || vv_stopped()) {
        status = vv_fail_memory(error, "the sparse matrix");
        goto done;
    }
    for (size_t k = 0; k < pattern->count; k++)
        fill[pattern->couplings[k][0]]++;
    for (int i = 0; i < n; i++)
        start[i + 1] = start[i] + fill[i] + 1;
    for (int i = 0; i < n; i++) {
        fill[i] = start[i];
        cols[fill[i]++] = i;
    }
    for (size_t k = 0; k < pattern->count; k++)
        cols[fill[pattern->couplings[k][0]]++] = pattern->couplings[k][1];
    unique_rows(n, start, cols, fill, mark);
    for (int i = 0; i < n; i++)
        a->row_start[i + 1] = a->row_start[i] + fill[i];
    a->nnz = a->row_start[n];
    a->col = vv_alloc((size_t)a->nnz, sizeof *a->col);
    a->val = vv_alloc(9 * ((size_t)a->nnz + 1) + 8, sizeof *a->val);
    if (!a->col || !a->val || vv_stopped()) {
        status = vv_fail_memory(error, "the sparse matrix");
        goto done;
    }
    for (int i = 0; i < n; i++) {
        memcpy(a->col + a->row_start[i], cols + start[i], (size_t)fill[i] * sizeof *cols);
        a->diag[i] = vv_bsr_slot(a, i, i);
    }
done:
    vv_free(start);
    vv_free(fill);
    vv_free(mark);
    vv_free(cols);
    if (status != VV_OK)
        vv_bsr_free(a);
    return status;
}

void vv_bsr_free(vv_bsr *a)
{
    vv_free(a->row_start);
    vv_free(a->col);
    vv_free(a->diag);
    vv_free(a->val);
    vv_bsr_extra_free(&a->extra);
    *a = (vv_bsr){ 0 };
}

static void clear_chunk(void *arg, int chunk)
{
    vv_bsr *a = arg;
    int n = 9 * (a->nnz + 1), begin = vv_chunk_begin(chunk), end = vv_chunk_end(chunk, n);
    memset(a->val + begin, 0, (size_t)(end - begin) * sizeof *a->val);
}

void vv_bsr_clear(vv_bsr *a, const vv_parallel *par)
{
    vv_for(par, vv_chunks(9 * (a->nnz + 1)), clear_chunk, a);
    vv_bsr_extra_clear(&a->extra);
}

static void multiply_pattern(const vv_bsr *a, const double *x, double *y, int row_begin, int row_end)
{
    VV_VARIANT(a->isa, vv_bsr_rows)(a, x, y, row_begin, row_end);
}

void vv_bsr_multiply_rows(const vv_bsr *a, const double *x, double *y, int row_begin, int row_end)
{
    multiply_pattern(a, x, y, row_begin, row_end);
    vv_bsr_extra_multiply_rows(a, x, y, row_begin, row_end);
}

struct multiply {
    const vv_bsr *a;
    const double *x;
    double *y;
};
static void multiply_chunk(void *arg, int chunk)
{
    const struct multiply *m = arg;
    int begin = chunk * VV_BSR_CHUNK, end = begin + VV_BSR_CHUNK < m->a->n ? begin + VV_BSR_CHUNK : m->a->n;
    vv_bsr_multiply_rows(m->a, m->x, m->y, begin, end);
}

void vv_bsr_multiply(const vv_bsr *a, const vv_parallel *par, const double *x, double *y)
{
    struct multiply m = { a, x, y };
    vv_for(par, (a->n + VV_BSR_CHUNK - 1) / VV_BSR_CHUNK, multiply_chunk, &m);
}

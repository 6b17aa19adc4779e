/* Rows are cut into a few domains, contiguous in the world's order (which follows a space-filling curve, so they are
 * compact). A row coupled to a domain before its own goes to the separator, after all domains: no two domains
 * touch, and a sweep is the domains in parallel and the separator after them (forward) or before them (backward). No
 * coupling is dropped, so it converges almost as fast as one sweep through all rows, and a product needs one parallel
 * region. The number of domains depends on the number of rows only: any number of threads gives the same bits.
 *
 * Blocks outside the fixed pattern count like any other: when they come or go, the order is made again. */
#include "solve/pcg/ssor_order.h"

#include "base/memory.h"

#include <string.h>

/* More domains serve more threads but have larger separators, which one thread sweeps. Below 3000 nodes a sweep is
 * over before a second thread wakes up. */
static int domain_count(int n) { return n < 3000 ? 1 : n < 64000 ? 4 : n < 256000 ? 8 : VV_SSOR_DOMAINS; }

static int domain_of(const vv_ssor_order *o, int n, int row) { return (int)((int64_t)row * o->domains / n); }

static bool has_extra(const vv_bsr *a, int row)
{
    return a->extra.nnz && a->extra.start[row] < a->extra.start[row + 1];
}

static bool in_separator(const vv_ssor_order *o, const vv_bsr *a, int row, bool coupled)
{
    /* columns ascend: the first is in the lowest domain */
    int k = a->row_start[row], first = a->col[k];
    while (coupled && k < a->diag[row] && has_extra(a, a->col[k])) /* the coupled rows come after all domains */
        first = a->col[++k];
    const vv_bsr_extra *e = &a->extra;
    if (has_extra(a, row) && e->col[e->start[row]] < first)
        first = e->col[e->start[row]];
    return domain_of(o, a->n, first) < domain_of(o, a->n, row);
}

static void order_rows(vv_ssor_order *o, int *order, const vv_bsr *a, bool coupled)
{
    int at = 0, last = -1;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < a->n; i++) {
            if (pass == 0 && domain_of(o, a->n, i) > last)
                o->begin[++last] = at;
            if (!(coupled && has_extra(a, i)) && in_separator(o, a, i, coupled) == (pass == 1))
                order[at++] = i;
        }
        if (pass == 0)
            o->begin[o->domains] = at;
    }
    o->begin[o->domains + 1] = at;
    for (int k = 0; coupled && k < a->extra.rows; k++)
        order[at++] = a->extra.row[k];
}

/* Inserts those of the blocks [begin, end) whose new columns are below `most`, sorted, into row i of the lower
 * triangle, which is filled up to `at`; returns the new end. index: of block 0, in `source`. */
static int lower_blocks(vv_ssor *s, const int *place, int i, int at, int begin, int end, const int *col, int index,
                        int most)
{
    int first = s->low.start[i];
    for (int k = begin; k < end; k++) {
        int j = place[col[k]], p = at;
        if (j >= most)
            continue;
        for (; p > first && s->low.col[p - 1] > j; p--) {
            s->low.col[p] = s->low.col[p - 1];
            s->source[p] = s->source[p - 1];
        }
        s->low.col[p] = j;
        s->source[p] = index + k;
        at++;
    }
    return at;
}

/* The lower triangle in the new order, columns ascending in each row, and the upper one, columns descending. coupled:
 * the first of the coupled rows. */
static void split(vv_ssor *s, const vv_bsr *a, int coupled, const int *place, int *fill)
{
    int n = a->n, at = 0;
    memset(s->up.start, 0, ((size_t)n + 1) * sizeof *s->up.start);
    for (int i = 0; i < n; i++) {
        int old = s->order[i], most = i < coupled ? i : coupled;
        at = lower_blocks(s, place, i, at, a->row_start[old], a->row_start[old + 1], a->col, 0, most);
        if (a->extra.nnz)
            at =
                lower_blocks(s, place, i, at, a->extra.start[old], a->extra.start[old + 1], a->extra.col, a->nnz, most);
        for (int k = s->low.start[i]; k < at; k++)
            s->up.start[n - s->low.col[k]]++; /* row n - 1 - col */
        s->low.start[i + 1] = at;
    }
    for (int j = 0; j < n; j++) {
        s->up.start[j + 1] += s->up.start[j];
        fill[j] = s->up.start[j + 1];
    }
    for (int i = 0; i < n; i++)
        for (int k = s->low.start[i]; k < s->low.start[i + 1]; k++) {
            int to = --fill[n - 1 - s->low.col[k]];
            s->up.col[to] = i;
            s->mirror[k] = to;
        }
}

void vv_ssor_release(vv_ssor *s)
{
    void **all[] = { (void **)&s->source,  (void **)&s->mirror, (void **)&s->low.col,
                     (void **)&s->low.val, (void **)&s->up.col, (void **)&s->up.val };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        vv_free(*all[k]);
        *all[k] = NULL;
    }
    s->capacity = 0;
}

bool vv_ssor_reserve(vv_ssor *s, size_t blocks, size_t more)
{
    if (blocks <= s->capacity)
        return true;
    vv_ssor_release(s);
    s->capacity = blocks + more;
    s->source = vv_alloc(s->capacity + 1, sizeof *s->source);
    s->mirror = vv_alloc(s->capacity, sizeof *s->mirror);
    s->low.col = vv_alloc(s->capacity + 1, sizeof *s->low.col);
    s->up.col = vv_alloc(s->capacity, sizeof *s->up.col);
    s->low.val = vv_alloc(9 * s->capacity + 8, sizeof *s->low.val);
    s->up.val = vv_alloc(9 * s->capacity + 8, sizeof *s->up.val);
    return s->source && s->mirror && s->low.col && s->up.col && s->low.val && s->up.val;
}

size_t vv_ssor_blocks(const vv_bsr *a) { return ((size_t)a->nnz - (size_t)a->n) / 2 + (size_t)a->extra.couplings; }

void vv_ssor_order_build(vv_ssor_order *o, vv_ssor *s, const vv_bsr *a, bool coupled, int *work)
{
    *o = (vv_ssor_order){ .domains = domain_count(a->n) };
    order_rows(o, s->order, a, coupled);
    for (int i = 0; i < a->n; i++)
        work[s->order[i]] = i;
    split(s, a, o->begin[o->domains + 1], work, work + a->n);
}

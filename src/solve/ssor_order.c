/* Rows are cut into a few domains, runs of the world's order (which follows a space-filling curve, so they are
 * compact). A row that touches a domain before its own goes to the separator, behind all domains: no two domains
 * touch, and a sweep is the domains in parallel and the separator after them (forth) or before them (back). No
 * coupling is dropped, so it converges almost as one sweep through all rows does, and a product needs one parallel
 * region. The number of domains depends on the number of rows only: any number of threads gives the same bits. */
#include "solve/ssor_order.h"

#include "base/memory.h"

/* More domains serve more threads but have larger separators, which one thread sweeps. Below 3000 nodes a sweep is
 * done before a second thread is awake. */
static int domain_count(int n) { return n < 3000 ? 1 : n < 64000 ? 4 : n < 256000 ? 8 : VV_SSOR_DOMAINS; }

static int domain_of(const vv_ssor_order *o, int n, int row) { return (int)((int64_t)row * o->domains / n); }

static bool in_separator(const vv_ssor_order *o, const vv_bsr *a, int row)
{
    /* columns ascend: the first is in the lowest domain */
    return domain_of(o, a->n, a->col[a->row_start[row]]) < domain_of(o, a->n, row);
}

static void order_rows(vv_ssor_order *o, int *order, const vv_bsr *a)
{
    int at = 0, last = -1;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < a->n; i++) {
            if (pass == 0 && domain_of(o, a->n, i) > last)
                o->begin[++last] = at;
            if (in_separator(o, a, i) == (pass == 1))
                order[at++] = i;
        }
        if (pass == 0)
            o->begin[o->domains] = at;
    }
    o->begin[o->domains + 1] = at;
}

/* The lower triangle in the new order, columns ascending in each row, and the upper one, columns descending. */
static void split(vv_ssor *s, const vv_bsr *a, const int *place, int *fill)
{
    int n = a->n, at = 0;
    for (int i = 0; i < n; i++) {
        int first = at;
        for (int k = a->row_start[s->order[i]]; k < a->row_start[s->order[i] + 1]; k++) {
            int j = place[a->col[k]], p = at;
            if (j >= i)
                continue;
            for (; p > first && s->low.col[p - 1] > j; p--) {
                s->low.col[p] = s->low.col[p - 1];
                s->source[p] = s->source[p - 1];
            }
            s->low.col[p] = j;
            s->source[p] = k;
            s->up.start[n - j]++; /* row n - 1 - j */
            at++;
        }
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

bool vv_ssor_order_build(vv_ssor_order *o, vv_ssor *s, const vv_bsr *a)
{
    size_t n = (size_t)a->n, half = ((size_t)a->nnz - n) / 2;
    *o = (vv_ssor_order){ .domains = domain_count(a->n) };
    s->order = vv_alloc(n, sizeof *s->order);
    s->source = vv_alloc(half + 1, sizeof *s->source); /* one more: split looks at the place behind the last */
    s->mirror = vv_alloc(half, sizeof *s->mirror);
    s->low.start = vv_alloc(n + 1, sizeof(int));
    s->up.start = vv_alloc(n + 1, sizeof(int));
    s->low.col = vv_alloc(half + 1, sizeof(int));
    s->up.col = vv_alloc(half, sizeof(int));
    int *place = vv_alloc(n, sizeof *place), *fill = vv_alloc(n, sizeof *fill);
    bool ok = s->order && s->source && s->mirror && s->low.start && s->up.start && s->low.col && s->up.col && place && fill;
    if (ok) {
        order_rows(o, s->order, a);
        for (int i = 0; i < a->n; i++)
            place[s->order[i]] = i;
        split(s, a, place, fill);
    }
    vv_free(place);
    vv_free(fill);
    return ok;
}

/* Finds supernodes and merges them where that costs less time; see triple_supernodes.h. Column counts: Davis, "Direct
 * methods for sparse linear systems" (2006), 4.4. */
#include "solve/constant/triple_supernodes.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* In numbers read, measured with bench/triple: what a row costs to gather and scatter, a column to begin and end, a
 * supernode as such. */
static const double ROW = 3, COLUMN = 24, SUPERNODE = 500;

void vv_relaxed_free(vv_relaxed *r)
{
    vv_free(r->first);
    vv_free(r->parent);
    vv_free(r->below);
    vv_free(r->rows);
    vv_free(r->row);
    *r = (vv_relaxed){ 0 };
}

double vv_relaxed_cost(int width, int below, int lanes)
{
    double all = (double)((width + below + lanes - 1) / lanes * lanes), forward = all - width / lanes * lanes;
    if (below == 0)
        forward = 0;
    return (all + forward) * (width + ROW) + COLUMN * width + SUPERNODE;
}

/* Elimination tree and the entries of each column below the diagonal. */
static bool count_columns(int n, const int *start, const int *row, int *parent, int *count)
{
    size_t entries = n > 0 ? (size_t)start[n] : 0;
    int *head = vv_alloc((size_t)n + 1, sizeof *head), *left = vv_alloc(entries, sizeof *left),
        *fill = vv_alloc((size_t)n, sizeof *fill);
    int *seen = vv_alloc((size_t)n, sizeof *seen);
    bool ok = head && left && fill && seen;
    if (ok) { /* the entries left of the diagonal, row by row */
        for (int j = 0; j < n; j++)
            for (int k = start[j]; k < start[j + 1]; k++)
                head[row[k] + 1] += row[k] > j;
        for (int i = 0; i < n; i++)
            head[i + 1] += head[i];
        memcpy(fill, head, (size_t)n * sizeof *fill);
        for (int j = 0; j < n; j++)
            for (int k = start[j]; k < start[j + 1]; k++)
                if (row[k] > j)
                    left[fill[row[k]]++] = j;
    }
    for (int i = 0; ok && i < n; i++) {
        parent[i] = -1;
        count[i] = 0;
        seen[i] = i;
        for (int k = head[i]; k < head[i + 1]; k++)
            for (int j = left[k]; seen[j] != i; j = parent[j]) {
                if (parent[j] < 0)
                    parent[j] = i;
                count[j]++;
                seen[j] = i;
            }
    }
    vv_free(head);
    vv_free(left);
    vv_free(fill);
    vv_free(seen);
    return ok;
}

/* Columns with the same rows below them, and the tree of these supernodes. of: room for n. */
static void find_supernodes(vv_relaxed *r, int n, const int *parent, const int *count, int *of)
{
    size_t below = 0;
    r->count = 0;
    for (int j = 0; j < n; j++) {
        r->entries += (size_t)count[j] + 1;
        if (j == 0 || parent[j - 1] != j || count[j - 1] != count[j] + 1)
            r->first[r->count++] = j;
        of[j] = r->count - 1;
    }
    r->first[r->count] = n;
    for (int s = 0; s < r->count; s++) {
        int last = r->first[s + 1] - 1;
        r->parent[s] = parent[last] < 0 ? -1 : of[parent[last]];
        r->rows[s] = count[last];
        r->below[s] = below;
        below += (size_t)count[last];
    }
    r->below[r->count] = below;
}

static int ascending(const void *a, const void *b)
{
    int i = *(const int *)a, j = *(const int *)b;
    return (i > j) - (i < j);
}

static void add_row(vv_relaxed *r, int s, int *filled, int *seen, int i)
{
    if (i >= r->first[s + 1] && seen[i] != s + 1) {
        seen[i] = s + 1;
        r->row[r->below[s] + (size_t)(*filled)++] = i;
    }
}

/* The rows below each supernode: of the matrix, and of its children. seen: n zeros; child, next: room for the
 * supernodes. */
static void find_rows(vv_relaxed *r, const int *start, const int *row, int *seen, int *child, int *next)
{
    for (int s = 0; s < r->count; s++)
        child[s] = -1;
    for (int s = 0; s < r->count; s++) {
        int filled = 0;
        for (int k = start[r->first[s]]; k < start[r->first[s + 1]]; k++)
            add_row(r, s, &filled, seen, row[k]);
        for (int c = child[s]; c >= 0; c = next[c])
            for (int k = 0; k < r->rows[c]; k++)
                add_row(r, s, &filled, seen, r->row[r->below[c] + (size_t)k]);
        qsort(r->row + r->below[s], (size_t)r->rows[s], sizeof *r->row, ascending);
        if (r->parent[s] >= 0) {
            next[s] = child[r->parent[s]];
            child[r->parent[s]] = s;
        }
    }
}

/* Merges a supernode with the one before it while that is its child and the two cost more apart. `of`: where each is
 * now. */
static void merge(vv_relaxed *r, int lanes, int n, int *of)
{
    int kept = 0;
    for (int s = 0; s < r->count; s++) {
        int first = r->first[s], end = r->first[s + 1], rows = r->rows[s];
        double cost = vv_relaxed_cost(end - first, rows, lanes);
        while (kept > 0 && r->rows[kept - 1] > 0 && r->row[r->below[kept - 1]] < end) {
            double apart = cost + vv_relaxed_cost(first - r->first[kept - 1], r->rows[kept - 1], lanes);
            double together = vv_relaxed_cost(end - r->first[kept - 1], rows, lanes);
            if (together > apart)
                break;
            cost = together;
            first = r->first[--kept];
        }
        r->first[kept] = first;
        r->rows[kept] = rows;
        r->below[kept++] = r->below[s];
    }
    r->count = kept;
    r->first[kept] = n;
    for (int s = 0; s < kept; s++)
        for (int j = r->first[s]; j < r->first[s + 1]; j++)
            of[j] = s;
    for (int s = 0; s < kept; s++)
        r->parent[s] = r->rows[s] > 0 ? of[r->row[r->below[s]]] : -1;
}

bool vv_relaxed_build(vv_relaxed *r, int n, const int *start, const int *row, int lanes)
{
    size_t room = (size_t)n + 1;
    int *parent = vv_alloc(room, sizeof *parent), *count = vv_alloc(room, sizeof *count),
        *of = vv_alloc(room, sizeof *of);
    *r = (vv_relaxed){ .first = vv_alloc(room, sizeof *r->first),
                       .parent = vv_alloc(room, sizeof *r->parent),
                       .below = vv_alloc(room, sizeof *r->below),
                       .rows = vv_alloc(room, sizeof *r->rows) };
    bool ok = parent && count && of && r->first && r->parent && r->below && r->rows &&
              count_columns(n, start, row, parent, count);
    if (ok) {
        find_supernodes(r, n, parent, count, of);
        r->row = vv_alloc(r->below[r->count], sizeof *r->row);
        ok = r->row != NULL;
    }
    if (ok) {
        memset(of, 0, room * sizeof *of);
        find_rows(r, start, row, of, parent, count);
        merge(r, lanes, n, of);
    }
    vv_free(parent);
    vv_free(count);
    vv_free(of);
    return ok;
}

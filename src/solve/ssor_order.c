/* Rows are cut into chunks (compact pieces: the world's order follows a space-filling curve), and the graph of chunks is
 * coloured greedily, so that chunks of one colour do not touch (algebraic block multi-colour ordering: Iwashita, Nakashima
 * and Takahashi 2012). A sweep takes colour after colour, the chunks of one colour in parallel, rows of a chunk one by one: no
 * coupling is dropped and nothing depends on the number of threads. Small systems are one chunk: that converges best, and they
 * are done before a second thread is awake. */
#include "solve/ssor_order.h"

#include "base/memory.h"

enum { ONE_CHUNK = 2048, LEAST_ROWS = 128, MOST_ROWS = 1024 };

static int chunk_rows(int n)
{
    if (n <= ONE_CHUNK)
        return n > 0 ? n : 1;
    int rows = LEAST_ROWS;
    while (rows < MOST_ROWS && n / rows > 256)
        rows *= 2;
    return rows;
}

/* The first colour that no chunk touched by chunk c has; `taken` holds the chunk that last saw each colour. */
static int free_colour(const vv_bsr *a, int rows, int c, const int *colour, int *taken)
{
    int end = (c + 1) * rows < a->n ? (c + 1) * rows : a->n, k = 0;
    for (int e = a->row_start[c * rows]; e < a->row_start[end]; e++)
        if (a->col[e] / rows < c)
            taken[colour[a->col[e] / rows]] = c;
    while (taken[k] == c)
        k++;
    return k;
}

static bool colour_chunks(vv_ssor_order *o, vv_ssor *s, const vv_bsr *a)
{
    size_t chunks = (size_t)o->chunks;
    int *colour = vv_alloc(chunks, sizeof *colour), *taken = vv_alloc(chunks + 1, sizeof *taken);
    bool ok = colour && taken;
    for (int c = 0; ok && c <= o->chunks; c++)
        taken[c] = -1;
    for (int c = 0; ok && c < o->chunks; c++) {
        colour[c] = free_colour(a, o->rows, c, colour, taken);
        if (colour[c] >= o->colours)
            o->colours = colour[c] + 1;
    }
    int row = 0, at = 0;
    for (int k = 0; ok && k < o->colours; k++) {
        o->colour_from[k] = at;
        for (int c = 0; c < o->chunks; c++)
            if (colour[c] == k) {
                o->begin[at++] = row;
                for (int i = c * o->rows; i < a->n && i < (c + 1) * o->rows; i++)
                    s->order[row++] = i;
            }
    }
    o->begin[at] = row;
    o->colour_from[o->colours] = at;
    vv_free(colour);
    vv_free(taken);
    return ok;
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
    o->rows = chunk_rows(a->n);
    o->chunks = (a->n + o->rows - 1) / o->rows;
    o->begin = vv_alloc((size_t)o->chunks + 1, sizeof *o->begin);
    o->colour_from = vv_alloc((size_t)o->chunks + 1, sizeof *o->colour_from);
    s->order = vv_alloc(n, sizeof *s->order);
    s->source = vv_alloc(half, sizeof *s->source);
    s->mirror = vv_alloc(half, sizeof *s->mirror);
    s->low.start = vv_alloc(n + 1, sizeof(int));
    s->up.start = vv_alloc(n + 1, sizeof(int));
    s->low.col = vv_alloc(half + 1, sizeof(int)); /* one more: split looks at the place behind the last */
    s->up.col = vv_alloc(half, sizeof(int));
    int *place = vv_alloc(n, sizeof *place), *fill = vv_alloc(n, sizeof *fill);
    bool ok = o->begin && o->colour_from && s->order && s->source && s->mirror && s->low.start && s->up.start && s->low.col &&
              s->up.col && place && fill && colour_chunks(o, s, a);
    if (ok) {
        for (int i = 0; i < a->n; i++)
            place[s->order[i]] = i;
        split(s, a, place, fill);
    }
    vv_free(place);
    vv_free(fill);
    return ok;
}

void vv_ssor_order_free(vv_ssor_order *o)
{
    vv_free(o->begin);
    vv_free(o->colour_from);
    *o = (vv_ssor_order){ 0 };
}

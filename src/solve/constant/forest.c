/* Cuts a matrix into blocks, and finds their factors; see forest.h. */
#include "solve/constant/forest.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

/* Blocks with fewer rows than SMALL are put together, as each costs calls; those from LARGE rows on share their own
 * work among threads, others are solved side by side. */
enum { SMALL = 48, LARGE = 6000 };

static void free_block(vv_forest_block *b)
{
    vv_triple_destroy(b->triple);
    vv_free(b->start);
    vv_free(b->row);
    vv_free(b->value);
    *b = (vv_forest_block){ 0 };
}

/* ---- the store ---- */

static vv_forest_block take_out(vv_forest_store *s, size_t i)
{
    vv_forest_block b = s->block[i];
    memmove(s->block + i, s->block + i + 1, (s->count - i - 1) * sizeof b);
    s->count--;
    return b;
}

static void put_in(vv_forest_store *s, vv_forest_block *b)
{
    if (s->count == VV_FOREST_KEPT) {
        vv_forest_block oldest = take_out(s, 0);
        free_block(&oldest);
    }
    s->block[s->count++] = *b;
    *b = (vv_forest_block){ 0 };
}

void vv_forest_store_free(vv_forest_store *s)
{
    for (size_t i = 0; i < s->count; i++)
        free_block(s->block + i);
    s->count = 0;
}

void vv_forest_give(vv_forest *f, vv_forest_store *store)
{
    for (size_t i = 0; i < f->count; i++)
        if (store && f->block[i].triple && vv_triple_ready(f->block[i].triple) && vv_triple_alone(f->block[i].triple))
            put_in(store, f->block + i);
        else
            free_block(f->block + i);
    vv_free(f->block);
    *f = (vv_forest){ 0 };
}

/* Of the same pattern, for the same threads: others may be gone. */
static bool same_pattern(const vv_forest_block *a, const vv_forest_block *b)
{
    return a->n == b->n && a->par.threads == b->par.threads && a->par.pool == b->par.pool && a->single == b->single &&
           a->start[a->n] == b->start[b->n] && memcmp(a->start, b->start, ((size_t)a->n + 1) * sizeof *a->start) == 0 &&
           memcmp(a->row, b->row, (size_t)a->start[a->n] * sizeof *a->row) == 0;
}

static bool same_values(const vv_forest_block *b, const double *value)
{
    return b->value && memcmp(b->value, value, (size_t)b->start[b->n] * sizeof *value) == 0;
}

/* The block takes over the factor of one of its pattern, the newest, and with `exact` of its values. */
static bool take_kept(vv_forest_store *s, vv_forest_block *b, const double *value, bool exact)
{
    for (size_t i = s->count; i-- > 0;) {
        if (!same_pattern(s->block + i, b) || (exact && !same_values(s->block + i, value)))
            continue;
        vv_forest_block kept = take_out(s, i);
        double *room = b->value;
        b->triple = kept.triple, b->value = kept.value;
        kept.triple = NULL, kept.value = room;
        free_block(&kept);
        return true;
    }
    return false;
}

/* ---- making ---- */

/* Takes rows `first` to `end` of the whole. */
static vvStatus add_block(vv_forest *f, int first, int end, const int *start, const int *row, bool single,
                          vvError *error)
{
    if (!vv_grow((void **)&f->block, &f->capacity, f->count + 1, sizeof *f->block))
        return vv_fail_memory(error, "a constant matrix");
    const int n = end - first, begin = start[first], entries = start[end] - begin;
    vv_forest_block *b = f->block + f->count++;
    *b = (vv_forest_block){ .first = first,
                            .n = n,
                            .single = single,
                            .par = n < LARGE ? (vv_parallel){ .threads = 1 } : *f->par,
                            .start = vv_alloc((size_t)n + 1, sizeof *b->start),
                            .row = vv_alloc((size_t)entries, sizeof *b->row),
                            .value = vv_alloc((size_t)entries, sizeof *b->value) };
    if (!b->start || !b->row || !b->value)
        return vv_fail_memory(error, "a constant matrix");
    for (int j = 0; j <= n; j++)
        b->start[j] = start[first + j] - begin;
    for (int k = 0; k < entries; k++)
        b->row[k] = row[begin + k] - first;
    return VV_OK;
}

/* Where no entry reaches across, a block ends. The pattern is a lower triangle. */
static vvStatus cut(vv_forest *f, int n, const int *start, const int *row, bool single, vvError *error)
{
    vvStatus status = VV_OK;
    int first = 0, reach = 0;
    for (int j = 0; status == VV_OK && j < n; j++) {
        for (int k = start[j]; k < start[j + 1]; k++)
            reach = row[k] > reach ? row[k] : reach;
        if (reach > j || (j + 1 - first < SMALL && j + 1 < n))
            continue;
        status = add_block(f, first, j + 1, start, row, single, error);
        first = reach = j + 1;
    }
    return status;
}

static vvStatus factor_block(vv_forest *f, size_t i, const double *value, const vv_forest *like, vv_forest_store *store,
                             vvError *error)
{
    vv_forest_block *b = f->block + i;
    vvStatus status = VV_OK;
    if (b->triple && vv_triple_ready(b->triple) && same_values(b, value))
        return VV_OK;
    f->made++;
    if (!b->triple && store)
        (void)take_kept(store, b, value, false);
    if (!b->triple && like && i < like->count && like->block[i].triple && same_pattern(like->block + i, b))
        status = vv_triple_create_like(like->block[i].triple, &b->triple, error);
    else if (!b->triple)
        status = vv_triple_create(b->n, b->start, b->row, &b->par, b->single, &b->triple, error);
    if (status == VV_OK)
        memcpy(b->value, value, (size_t)b->start[b->n] * sizeof *value);
    return status == VV_OK ? vv_triple_factor(b->triple, b->value, error) : status;
}

vvStatus vv_forest_factor(vv_forest *f, int n, const int *start, const int *row, const double *value,
                          const vv_parallel *par, bool single, const vv_forest *like, vv_forest_store *store,
                          vvError *error)
{
    f->par = par, f->made = 0;
    vvStatus status = f->count == 0 ? cut(f, n, start, row, single, error) : VV_OK;
    if (status != VV_OK) {
        vv_forest_give(f, NULL);
        return status;
    }
    for (size_t i = 0; store && i < f->count; i++)
        if (!f->block[i].triple)
            (void)take_kept(store, f->block + i, value + start[f->block[i].first], true);
    for (size_t i = 0; status == VV_OK && i < f->count; i++)
        status = factor_block(f, i, value + start[f->block[i].first], like, store, error);
    return status;
}

/* ---- solving ---- */

typedef struct solve {
    const vv_forest *f;
    const double *b;
    double *x;
} solve;

static void solve_block(const solve *s, const vv_forest_block *b)
{
    vv_triple_solve(b->triple, s->b + 3 * (size_t)b->first, s->x + 3 * (size_t)b->first);
}

static void solve_small(void *arg, int i)
{
    const solve *s = arg;
    if (s->f->block[i].n < LARGE)
        solve_block(s, s->f->block + i);
}

static const double NS_A_ROW = 15; /* of a solve, at least */

void vv_forest_solve(const vv_forest *f, const double *b, double *x)
{
    solve s = { f, b, x };
    double small = 0;
    for (size_t i = 0; i < f->count; i++)
        if (f->block[i].n >= LARGE)
            solve_block(&s, f->block + i);
        else
            small += NS_A_ROW * f->block[i].n;
    if (small > 0)
        vv_for(vv_helpers_for(f->par, small), (int)f->count, solve_small, &s);
}

vv_triple_stats vv_forest_get_stats(const vv_forest *f)
{
    vv_triple_stats sum = { 0 };
    for (size_t i = 0; i < f->count; i++) {
        const vv_triple_stats s = vv_triple_get_stats(f->block[i].triple);
        sum.analyse_seconds += s.analyse_seconds, sum.factor_seconds += s.factor_seconds;
        sum.entries += s.entries, sum.factor_bytes += s.factor_bytes, sum.read_bytes += s.read_bytes;
        sum.supernodes += s.supernodes, sum.tasks += s.tasks;
        sum.levels = s.levels > sum.levels ? s.levels : sum.levels;
    }
    return sum;
}

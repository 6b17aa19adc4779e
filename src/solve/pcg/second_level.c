/* The rigid modes of aggregates: which rows belong together, and E. */
#include "solve/pcg/second_level.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/simd/variant.h"
#include "base/vec.h"
#include "solve/pcg/aggregates.h"

#include <math.h>
#include <string.h>

/* Rows of an aggregate. Many small ones make a factor of E that costs as much as MANY in a cube of CUBE rows, where it
 * is a few iterations; a factor's cost grows with the third power of their number, an iteration's with the rows. */
enum { ROWS = 200, MANY = 67, CUBE = 9261, MOST = 600 };
static const double STRAIGHT = 1e-10; /* of the mean square distance from the centre: no distance from an axis */
static const double ENTRIES = 1.7;    /* of W^, a row, in a cube */
static const double PER_EDGE = 1.1, PER_ROOT = 0.5;
static const double NS_ENTRY = 5, NS_ROW = 100; /* of one thread, in a pass */

void vv_second_free(vv_second_level *l)
{
    vv_second *v = &l->v;
    void *all[] = { v->frame, v->of,         v->first,  v->member, v->new_row, v->start,      v->aggregate,
                    v->slot,  v->near_start, v->block,  v->z,      v->w,       v->list_start, v->list,
                    v->c,     v->wide,       l->row_of, l->near,   l->stamp };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        vv_free(all[k]);
    vv_dense_tiles_free(&l->tiles);
    *l = (vv_second_level){ 0 };
}

/* ---- which rows ---- */

/* The number of aggregates with at most so many rows each. *expected: multiplications for the factor of E, if bodies do
 * not touch. */
static int count_aggregates(const vv_bsr *a, int rows, double *expected)
{
    int count = 0;
    *expected = 0;
    for (int begin = 0, end; begin < a->n; begin = end) {
        for (end = begin + 1; end < a->n && a->body[end] == a->body[begin];)
            end++;
        const int parts = (end - begin - 1) / rows + 1;
        const double unknowns = VV_MODES * (double)parts;
        *expected += unknowns * unknowns * unknowns / 3;
        count += parts;
    }
    return count;
}

vvStatus vv_second_create(vv_second_level *l, const vv_bsr *a, const vv_parallel *par, vvError *error)
{
    *l = (vv_second_level){ .kernels = VV_VARIANT(a->isa, vv_second_kernels), .par = *par };
    if (!a->body || a->n == 0)
        return VV_OK;
    const int most = (int)(MANY * cbrt((double)a->n / CUBE)) + 1;
    const int rows = a->n / most > ROWS ? a->n / most : ROWS, count = count_aggregates(a, rows, &l->expected);
    if (count > MOST)
        return VV_OK;
    l->row_of = vv_alloc((size_t)a->n, sizeof *l->row_of);
    l->v.member = vv_alloc((size_t)a->n, sizeof *l->v.member);
    l->v.first = vv_alloc((size_t)count + 1, sizeof *l->v.first);
    if (!l->row_of || !l->v.member || !l->v.first) {
        vv_second_free(l);
        return vv_fail_memory(error, "the linear solver");
    }
    vv_aggregates_divide(a, rows, l->v.member, l->v.first);
    for (int k = 0; k < count; k++)
        for (int i = l->v.first[k]; i < l->v.first[k + 1]; i++)
            l->row_of[l->v.member[i]] = k;
    l->aggregates = count;
    return VV_OK;
}

void vv_second_guess(const vv_second_level *l, vv_pcg_shape *shape)
{
    const double rows = ceil(VV_MODES * (double)l->aggregates / VV_TILE);
    shape->entries = ENTRIES * shape->rows;
    shape->tiles = 0.5 * rows * (rows + 1);
    shape->flops = l->expected;
}

void vv_second_count(const vv_second_level *l, vv_pcg_memory *m, vv_pcg_shape *shape)
{
    shape->entries = l->entries;
    shape->tiles = (double)l->tiles.size;
    shape->flops = l->tiles.flops;
    vv_pcg_know_second(m, shape);
}

double vv_second_plain_rate(const vv_bsr *a)
{
    double most = 0;
    for (int begin = 0, end; begin < a->n; begin = end) {
        double all = 0, diagonal = 0;
        for (end = begin; end < a->n && a->body[end] == a->body[begin]; end++) {
            const double *d = a->val + 9 * (size_t)a->diag[end];
            diagonal += d[0] + d[4] + d[8];
            for (int k = a->row_start[end]; k < a->row_start[end + 1]; k++) {
                const double *b = a->val + 9 * (size_t)k;
                all += b[0] + b[4] + b[8];
            }
        }
        const double by_size = PER_EDGE * cbrt(end - begin);
        const double by_condition = all > 0 ? PER_ROOT * sqrt(diagonal / all) : by_size;
        most = fmax(most, fmin(by_size, by_condition));
    }
    return most;
}

/* ---- for an order of the sweeps ---- */

static bool make(vv_second_level *l, size_t n)
{
    vv_second *v = &l->v;
    const size_t count = (size_t)l->aggregates;
    const int rows = (VV_MODES * l->aggregates + VV_TILE - 1) / VV_TILE;
    v->of = v->of ? v->of : vv_alloc(n, sizeof *v->of);
    v->new_row = v->new_row ? v->new_row : vv_alloc(n, sizeof *v->new_row);
    v->start = v->start ? v->start : vv_alloc(n + 1, sizeof *v->start);
    v->z = v->z ? v->z : vv_alloc(3 * VV_MODE_ROW * n, sizeof *v->z);
    v->frame = v->frame ? v->frame : vv_alloc(count, sizeof *v->frame);
    v->near_start = v->near_start ? v->near_start : vv_alloc(count + 1, sizeof *v->near_start);
    v->list_start = v->list_start ? v->list_start : vv_alloc(count + 2, sizeof *v->list_start);
    v->wide = v->wide ? v->wide : vv_alloc(VV_WIDE * count, sizeof *v->wide);
    v->c = v->c ? v->c : vv_alloc((size_t)rows * VV_TILE, sizeof *v->c);
    l->stamp = l->stamp ? l->stamp : vv_alloc(2 * count, sizeof *l->stamp);
    l->made = v->of && v->new_row && v->start && v->z && v->frame && v->near_start && v->list_start && v->c &&
              v->wide && l->stamp && vv_dense_tiles_rows(&l->tiles, rows);
    return l->made;
}

/* Calls for each entry of row i, its own aggregate first: begins at entry `at`, returns the end. */
static int entries_of_row(const vv_second_level *l, const vv_ssor *s, int i, int at, int *aggregate)
{
    const vv_second *v = &l->v;
    const int own = v->of[i], up = s->a->n - 1 - i;
    l->stamp[own] = i;
    if (aggregate)
        aggregate[at] = own;
    at++;
    for (int k = s->up.start[up]; k < s->up.start[up + 1]; k++) {
        const int g = v->of[s->up.col[k]];
        if (l->stamp[g] == i)
            continue;
        l->stamp[g] = i;
        if (aggregate)
            aggregate[at] = g;
        at++;
    }
    return at;
}

/* Which entries each row has. */
static bool list_entries(vv_second_level *l, const vv_ssor *s)
{
    vv_second *v = &l->v;
    const int n = s->a->n;
    for (int i = 0; i < n; i++) {
        v->of[i] = l->row_of[s->order[i]];
        v->new_row[s->order[i]] = i;
    }
    for (int pass = 0; pass < 2; pass++) {
        int at = 0;
        memset(l->stamp, -1, (size_t)l->aggregates * sizeof *l->stamp);
        for (int i = 0; i < n; i++) {
            v->start[i] = at;
            at = entries_of_row(l, s, i, at, pass ? v->aggregate : NULL);
        }
        v->start[n] = at;
        const size_t count = (size_t)at;
        if (pass == 0 && !(vv_grow((void **)&v->aggregate, &l->room.aggregate, count, sizeof *v->aggregate) &&
                           vv_grow((void **)&v->slot, &l->room.slot, count, sizeof *v->slot) &&
                           vv_grow((void **)&v->list, &l->room.list, count, sizeof *v->list) &&
                           vv_grow((void **)&v->w, &l->room.w, 18 * count + 8, sizeof *v->w)))
            return false;
    }
    l->entries = v->start[n];
    return true;
}

/* The entries of each aggregate, in the order of the sweeps. */
static void list_by_aggregate(vv_second_level *l, int n)
{
    vv_second *v = &l->v;
    int *start = v->list_start;
    memset(start, 0, ((size_t)l->aggregates + 2) * sizeof *start);
    for (int e = 0; e < v->start[n]; e++)
        start[v->aggregate[e] + 2]++;
    for (int k = 0; k < l->aggregates; k++)
        start[k + 2] += start[k + 1];
    for (int i = 0; i < n; i++)
        for (int e = v->start[i]; e < v->start[i + 1]; e++) {
            int *to = v->list[start[v->aggregate[e] + 1]++];
            to[0] = e, to[1] = i;
        }
}

/* Which aggregates meet, and where E's tiles are not zero. */
static bool pair_aggregates(vv_second_level *l)
{
    vv_second *v = &l->v;
    int *seen = l->stamp, *slot = l->stamp + l->aggregates, count = 0;
    memset(seen, -1, (size_t)l->aggregates * sizeof *seen);
    for (int i = 0; i < l->tiles.rows; i++)
        l->tiles.first[i] = i;
    for (int g = 0; g < l->aggregates; g++) {
        v->near_start[g] = count;
        for (int m = v->first[g]; m < v->first[g + 1]; m++) {
            const int i = v->new_row[v->member[m]];
            for (int e = v->start[i]; e < v->start[i + 1]; e++) {
                const int h = v->aggregate[e];
                if (seen[h] != g) {
                    if (!vv_grow((void **)&l->near, &l->room.near, (size_t)count + 1, sizeof *l->near))
                        return false;
                    seen[h] = g;
                    l->near[count] = h;
                    slot[h] = count++;
                }
                v->slot[e] = slot[h];
            }
        }
    }
    v->near_start[l->aggregates] = count;
    for (int g = 0; g < l->aggregates; g++)
        for (int k = v->near_start[g]; k < v->near_start[g + 1]; k++) {
            const int low = g < l->near[k] ? g : l->near[k], high = g < l->near[k] ? l->near[k] : g;
            int *first = l->tiles.first + VV_MODES * high / VV_TILE;
            *first = VV_MODES * low / VV_TILE < *first ? VV_MODES * low / VV_TILE : *first;
        }
    return vv_grow((void **)&v->block, &l->room.block, VV_MODE_BLOCK * (size_t)count, sizeof *v->block) &&
           vv_dense_tiles_lay_out(&l->tiles);
}

vvStatus vv_second_fit(vv_second_level *l, const vv_ssor *s, vvError *error)
{
    l->in_use = false;
    if ((!l->made && !make(l, (size_t)s->a->n)) || !list_entries(l, s) || !pair_aggregates(l))
        return vv_fail_memory(error, "the linear solver's second level");
    list_by_aggregate(l, s->a->n);
    return VV_OK;
}

/* ---- for a matrix ---- */

/* Rotations about the principal axes: where a node lies beside an axis, the mode is as large as a translation. */
static void find_frame(void *arg, int aggregate)
{
    const vv_second *v = &((const vv_second_level *)arg)->v;
    vv_second_frame *f = v->frame + aggregate;
    const int begin = v->first[aggregate], end = v->first[aggregate + 1];
    double spread[9] = { 0 }, square[3], axes[9], sum[3] = { 0 };
    for (int i = begin; i < end; i++)
        for (int k = 0; k < 3; k++)
            sum[k] += v->place[3 * (size_t)v->member[i] + (size_t)k];
    for (int k = 0; k < 3; k++)
        f->centre[k] = sum[k] / (end - begin);
    for (int i = begin; i < end; i++) {
        const double *x = v->place + 3 * (size_t)v->member[i];
        const double d[3] = { x[0] - f->centre[0], x[1] - f->centre[1], x[2] - f->centre[2] };
        for (int k = 0; k < 9; k++)
            spread[k] += d[k / 3] * d[k % 3];
    }
    for (int k = 0; k < 9; k++)
        spread[k] /= end - begin;
    vv_eigen_symmetric(spread, square, axes);
    const double all = spread[0] + spread[4] + spread[8];
    for (int m = 0; m < 3; m++) {
        const double beside = all - square[m], by = all > 0 && beside > STRAIGHT * all ? 1 / sqrt(beside) : 0;
        for (int k = 0; k < 3; k++)
            f->axis[m][k] = by * axes[3 * k + m];
    }
}

static void find_modes(void *arg, int chunk)
{
    const vv_ssor *s = arg;
    const int begin = chunk * VV_BSR_CHUNK, end = begin + VV_BSR_CHUNK < s->a->n ? begin + VV_BSR_CHUNK : s->a->n;
    VV_VARIANT(s->a->isa, vv_second_kernels)->modes(s, begin, end);
}

static void find_products(void *arg, int aggregate)
{
    const vv_ssor *s = arg;
    VV_VARIANT(s->a->isa, vv_second_kernels)->products(s, aggregate);
}

static double *place_of(const vv_dense_tiles *d, int row, int column)
{
    return vv_dense_tile(d, row / VV_TILE, column / VV_TILE) + VV_TILE * (column % VV_TILE) + row % VV_TILE;
}

/* E = B + B^T, from the blocks of B. A mode that moves nothing, and what pads the last tiles, gets 1 for itself. */
static void sum_up(vv_second_level *l)
{
    const vv_dense_tiles *d = &l->tiles;
    memset(d->val, 0, d->size * (VV_TILE * VV_TILE) * sizeof *d->val);
    for (int g = 0; g < l->aggregates; g++)
        for (int k = l->v.near_start[g]; k < l->v.near_start[g + 1]; k++) {
            const double *block = l->v.block + VV_MODE_BLOCK * (size_t)k;
            const int h = l->near[k];
            for (int i = 0; i < VV_MODES; i++)
                for (int j = 0; j < VV_MODES; j++) {
                    const int row = VV_MODES * g + i, column = VV_MODES * h + j;
                    const double b = block[VV_MODE_ROW * i + j];
                    if (row >= column)
                        *place_of(d, row, column) += b;
                    if (row <= column)
                        *place_of(d, column, row) += b;
                }
        }
    for (int i = 0; i < d->rows * VV_TILE; i++)
        if (*place_of(d, i, i) == 0)
            *place_of(d, i, i) = 1;
}

bool vv_second_build(vv_second_level *l, vv_ssor *s)
{
    const int chunks = (s->a->n + VV_BSR_CHUNK - 1) / VV_BSR_CHUNK;
    const vv_parallel *par = vv_helpers_for(&l->par, NS_ROW * s->a->n);
    l->v.place = s->a->place;
    s->second = &l->v;
    vv_for(par, l->aggregates, find_frame, l);
    vv_for(par, chunks, find_modes, s);
    vv_for(par, l->aggregates, find_products, s);
    sum_up(l);
    l->in_use = vv_dense_tiles_factorise(&l->tiles, s->a->isa, &l->par);
    return l->in_use;
}

static void gather(void *arg, int aggregate)
{
    const vv_ssor *s = arg;
    VV_VARIANT(s->a->isa, vv_second_kernels)->gather(s, aggregate);
}

double vv_second_apply(const vv_second_level *l, const vv_ssor *s)
{
    const size_t count = VV_MODES * (size_t)l->aggregates;
    double *c = l->v.c, sum = 0;
    vv_for(vv_helpers_for(&l->par, NS_ENTRY * l->entries), l->aggregates, gather, (void *)s);
    memset(c + count, 0, ((size_t)l->tiles.rows * VV_TILE - count) * sizeof *c);
    vv_dense_tiles_forward(&l->tiles, s->a->isa, c);
    for (size_t k = 0; k < count; k++)
        sum += c[k] * c[k];
    vv_dense_tiles_backward(&l->tiles, s->a->isa, c);
    for (int k = 0; k < l->aggregates; k++)
        l->kernels->widen(s, k);
    return sum;
}

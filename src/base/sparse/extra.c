/* Adding blocks outside the pattern, and their layout in rows.
 *
 * An assembly usually adds almost the same couplings in the same order as the one before, so the places of the last
 * sequence are remembered and compared one by one. Where it differs, some are passed over to where it goes on alike;
 * what is not there is searched for (in the pattern's rows, then in a hash table). Couplings that are no longer added
 * keep their place, as the next assembly may have them again, until they are more than half of all. */
#include "base/sparse/extra.h"

#include "base/sparse/bsr.h"
#include "base/sparse/kernel.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/simd/variant.h"

#include <limits.h>
#include <string.h>

typedef struct key {
    int row, col;      /* row < col */
    uint64_t assembly; /* the last one that added to it */
    bool laid_out;     /* it is in the last layout */
} key;

typedef struct place {
    int row, col;     /* as given to vv_bsr_add */
    int slot, mirror; /* blocks of the pattern; slot < 0: the key ~slot, mirror: 1 if that is the transpose */
} place;

struct vv_bsr_adding {
    key *key;
    double (*val)[9];
    size_t count, key_capacity, val_capacity;
    int *table;        /* hash table of indices + 1; 0: empty */
    size_t table_size; /* a power of two, or 0 */
    /* this assembly's sequence; the last one's, and how much of that has been passed */
    place *place, *last;
    size_t places, place_capacity, lasts, last_capacity, at;
    uint64_t assembly;
    int touched, unknown; /* keys of this assembly; how many of them are not in the last layout */
    /* the last layout; the arrays are in vv_bsr_extra */
    int rows, couplings;
    int *source; /* of each block: 2 * key + (1: transposed) */
    int *sorted; /* work space */
    size_t row_capacity, start_capacity, col_capacity, block_capacity, coupling_capacity, source_capacity,
        sorted_capacity;
};

void vv_bsr_extra_free(vv_bsr_extra *e)
{
    struct vv_bsr_adding *s = e->adding;
    if (s) {
        vv_free(s->key);
        vv_free(s->val);
        vv_free(s->table);
        vv_free(s->place);
        vv_free(s->last);
        vv_free(s->source);
        vv_free(s->sorted);
        vv_free(s);
    }
    vv_free(e->row);
    vv_free(e->start);
    vv_free(e->col);
    vv_free(e->val);
    vv_free(e->coupling);
    *e = (vv_bsr_extra){ 0 };
}

void vv_bsr_extra_clear(vv_bsr_extra *e)
{
    struct vv_bsr_adding *s = e->adding;
    e->rows = e->nnz = e->couplings = 0;
    e->failed = false;
    if (!s)
        return;
    place *room = s->last;
    const size_t capacity = s->last_capacity;
    s->last = s->place, s->lasts = s->places, s->last_capacity = s->place_capacity;
    s->place = room, s->places = 0, s->place_capacity = capacity;
    if (s->count > 2 * (size_t)s->touched + 64) { /* mostly stale */
        s->count = s->lasts = 0;
        s->couplings = 0;
        memset(s->table, 0, s->table_size * sizeof *s->table);
    }
    s->assembly++;
    s->at = 0;
    s->touched = s->unknown = 0;
}

static size_t hash(const struct vv_bsr_adding *s, int row, int col)
{
    uint64_t h = ((uint64_t)(uint32_t)row << 32 | (uint32_t)col) * 0x9e3779b97f4a7c15u;
    return (size_t)(h >> 32) & (s->table_size - 1);
}

static bool rehash(struct vv_bsr_adding *s)
{
    size_t size = s->table_size ? 2 * s->table_size : 64;
    int *table = vv_alloc(size, sizeof *table);
    if (!table)
        return false;
    vv_free(s->table);
    s->table = table;
    s->table_size = size;
    for (size_t k = 0; k < s->count; k++) {
        size_t at = hash(s, s->key[k].row, s->key[k].col);
        while (table[at])
            at = (at + 1) & (size - 1);
        table[at] = (int)k + 1;
    }
    return true;
}

/* Index of the key, a new one if needed; -1: out of memory. */
static int find_key(struct vv_bsr_adding *s, int row, int col)
{
    if (2 * s->count >= s->table_size && !rehash(s))
        return -1;
    size_t at = hash(s, row, col);
    for (; s->table[at]; at = (at + 1) & (s->table_size - 1)) {
        int k = s->table[at] - 1;
        if (s->key[k].row == row && s->key[k].col == col)
            return k;
    }
    if (s->count >= INT_MAX / 4 || !vv_grow((void **)&s->key, &s->key_capacity, s->count + 1, sizeof *s->key) ||
        !vv_grow((void **)&s->val, &s->val_capacity, s->count + 1, sizeof *s->val))
        return -1;
    s->key[s->count] = (key){ .row = row, .col = col };
    s->table[at] = (int)s->count + 1;
    return (int)s->count++;
}

/* Where the block goes; NULL: out of memory. */
enum { AHEAD = 40 }; /* places: four pairs of two edges */
static const place *find_place(vv_bsr *a, int row, int col)
{
    struct vv_bsr_adding *s = a->extra.adding;
    if (!s) {
        s = a->extra.adding = vv_alloc(1, sizeof *s);
        if (!s)
            return NULL;
        s->assembly = 1;
    }
    if (!vv_grow((void **)&s->place, &s->place_capacity, s->places + 1, sizeof *s->place))
        return NULL;
    place *found = s->place + s->places++;
    for (size_t k = s->at; k < s->lasts && k < s->at + AHEAD; k++)
        if (s->last[k].row == row && s->last[k].col == col) {
            s->at = k + 1;
            *found = s->last[k];
            return found;
        }
    *found = (place){ .row = row, .col = col, .slot = vv_bsr_slot(a, row, col) };
    if (found->slot < a->nnz) {
        found->mirror = row == col ? found->slot : vv_bsr_slot(a, col, row);
    } else {
        int k = find_key(s, row < col ? row : col, row < col ? col : row);
        if (k < 0) {
            s->places--;
            return NULL;
        }
        found->slot = ~k;
        found->mirror = row > col;
    }
    return found;
}

static void add_transposed(double *to, const double block[9])
{
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++)
            to[3 * c + r] += block[3 * r + c];
}

void vv_bsr_add(vv_bsr *a, int row, int col, const double block[9])
{
    if (row < 0 || col < 0)
        return;
    const place *p = find_place(a, row, col);
    if (!p) {
        a->extra.failed = true;
        return;
    }
    if (p->slot >= 0) {
        double *to = a->val + 9 * (size_t)p->slot;
        for (int m = 0; m < 9; m++)
            to[m] += block[m];
        if (row != col)
            add_transposed(a->val + 9 * (size_t)p->mirror, block);
        return;
    }
    struct vv_bsr_adding *s = a->extra.adding;
    key *k = s->key + ~p->slot;
    double *to = s->val[~p->slot];
    if (k->assembly != s->assembly) {
        k->assembly = s->assembly;
        s->touched++;
        s->unknown += !k->laid_out;
        memset(to, 0, sizeof s->val[0]);
    }
    if (p->mirror)
        add_transposed(to, block);
    else
        for (int m = 0; m < 9; m++)
            to[m] += block[m];
}

/* Keys of this assembly by row, then column, into s->sorted: counting sort by column, then by row. count: n + 1 */
static void sort_keys(struct vv_bsr_adding *s, int n, int *count)
{
    int *first = s->sorted + s->touched, at = 0;
    for (size_t k = 0; k < s->count; k++) {
        s->key[k].laid_out = s->key[k].assembly == s->assembly;
        if (s->key[k].laid_out)
            s->sorted[at++] = (int)k;
    }
    for (int pass = 0; pass < 2; pass++) {
        const int *from = pass == 0 ? s->sorted : first;
        int *to = pass == 0 ? first : s->sorted;
        memset(count, 0, ((size_t)n + 1) * sizeof *count);
        for (int i = 0; i < at; i++)
            count[(pass == 0 ? s->key[from[i]].col : s->key[from[i]].row) + 1]++;
        for (int i = 0; i < n; i++)
            count[i + 1] += count[i];
        for (int i = 0; i < at; i++)
            to[count[pass == 0 ? s->key[from[i]].col : s->key[from[i]].row]++] = from[i];
    }
}

static bool lay_out(vv_bsr_extra *e, int n)
{
    struct vv_bsr_adding *s = e->adding;
    size_t couplings = (size_t)s->touched, nnz = 2 * couplings;
    s->couplings = 0; /* none, in case memory runs out */
    if (!vv_grow((void **)&e->row, &s->row_capacity, nnz < (size_t)n ? nnz : (size_t)n, sizeof *e->row) ||
        !vv_grow((void **)&e->start, &s->start_capacity, (size_t)n + 2, sizeof *e->start) ||
        !vv_grow((void **)&e->col, &s->col_capacity, nnz, sizeof *e->col) ||
        !vv_grow((void **)&e->val, &s->block_capacity, nnz + 1, 9 * sizeof *e->val) ||
        !vv_grow((void **)&e->coupling, &s->coupling_capacity, couplings, sizeof *e->coupling) ||
        !vv_grow((void **)&s->source, &s->source_capacity, nnz, sizeof *s->source) ||
        !vv_grow((void **)&s->sorted, &s->sorted_capacity, nnz, sizeof *s->sorted))
        return false;
    sort_keys(s, n, e->start);
    int *next = e->start + 1; /* where a row's next block goes; at the end, where the next row starts */
    memset(e->start, 0, ((size_t)n + 2) * sizeof *e->start);
    for (size_t p = 0; p < couplings; p++) {
        e->coupling[p][0] = s->key[s->sorted[p]].row;
        e->coupling[p][1] = s->key[s->sorted[p]].col;
        for (int c = 0; c < 2; c++)
            next[e->coupling[p][c] + 1]++;
    }
    for (int i = 0; i < n; i++)
        next[i + 1] += next[i];
    /* columns come in ascending order: those left of the diagonal are seen first */
    for (size_t p = 0; p < couplings; p++)
        for (int c = 0; c < 2; c++) {
            int at = next[e->coupling[p][c]]++;
            e->col[at] = e->coupling[p][!c];
            s->source[at] = 2 * s->sorted[p] + c;
        }
    s->rows = 0;
    for (int i = 0; i < n; i++)
        if (e->start[i + 1] > e->start[i])
            e->row[s->rows++] = i;
    s->couplings = s->touched;
    return true;
}

void vv_bsr_finish(vv_bsr *a)
{
    vv_bsr_extra *e = &a->extra;
    struct vv_bsr_adding *s = e->adding;
    if (!s || s->touched == 0)
        return;
    if ((s->touched != s->couplings || s->unknown > 0) && !lay_out(e, a->n)) {
        e->failed = true;
        return;
    }
    e->rows = s->rows;
    e->couplings = s->couplings;
    e->nnz = 2 * s->couplings;
    for (int k = 0; k < e->nnz; k++) {
        const double *from = s->val[s->source[k] / 2];
        double *to = e->val + 9 * (size_t)k;
        for (int c = 0; c < 3; c++)
            for (int r = 0; r < 3; r++)
                to[3 * c + r] = from[s->source[k] % 2 ? 3 * r + c : 3 * c + r];
    }
}

vvStatus vv_bsr_status(const vv_bsr *a, vvError *error)
{
    return a->extra.failed ? vv_fail_memory(error, "the contacts' part of the matrix") : VV_OK;
}

/* The first row with blocks that is not below `row`. */
static int lower_bound(const vv_bsr_extra *e, int row)
{
    int lo = 0, hi = e->rows;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (e->row[mid] < row)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

double vv_bsr_extra_multiply_rows(const vv_bsr *a, const double *x, double *y, int row_begin, int row_end)
{
    if (a->extra.nnz == 0)
        return 0;
    int begin = lower_bound(&a->extra, row_begin), end = lower_bound(&a->extra, row_end);
    return VV_VARIANT(a->isa, vv_bsr_extra_rows)(a, x, y, begin, end);
}

bool vv_bsr_couplings_match(const vv_bsr_couplings *couplings, const vv_bsr *a)
{
    size_t count = (size_t)a->extra.couplings;
    return couplings->count == count &&
           (count == 0 || memcmp(couplings->coupling, a->extra.coupling, count * sizeof *couplings->coupling) == 0);
}

bool vv_bsr_couplings_copy(vv_bsr_couplings *couplings, const vv_bsr *a)
{
    size_t count = (size_t)a->extra.couplings;
    couplings->count = 0;
    if (!vv_grow((void **)&couplings->coupling, &couplings->capacity, count, sizeof *couplings->coupling))
        return false;
    if (count > 0)
        memcpy(couplings->coupling, a->extra.coupling, count * sizeof *couplings->coupling);
    couplings->count = count;
    return true;
}

void vv_bsr_couplings_free(vv_bsr_couplings *couplings)
{
    vv_free(couplings->coupling);
    *couplings = (vv_bsr_couplings){ 0 };
}

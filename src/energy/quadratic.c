/* Collects the entries of a constant quadratic model. */
#include "energy/energy.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

bool vv_quadratic_init(vv_quadratic *q, int n, const int *unknown)
{
    *q = (vv_quadratic){ .n = n, .unknown = unknown, .diagonal = vv_alloc((size_t)n, sizeof *q->diagonal) };
    return q->diagonal;
}

void vv_quadratic_free(vv_quadratic *q)
{
    vv_free(q->diagonal);
    vv_free(q->entry);
    *q = (vv_quadratic){ 0 };
}

bool vv_quadratic_reserve(vv_quadratic *q, size_t more)
{
    vv_quadratic_entry *larger = q->entry;
    if (q->count + more > q->capacity) {
        size_t capacity = q->count + more;
        larger = vv_alloc(capacity, sizeof *larger);
        if (!larger) {
            q->failed = true;
            return false;
        }
        if (q->count > 0)
            memcpy(larger, q->entry, q->count * sizeof *larger);
        vv_free(q->entry);
        q->entry = larger;
        q->capacity = capacity;
    }
    return true;
}

bool vv_quadratic_none(const vv_energy *e, vv_quadratic_kind kind, vv_quadratic *to)
{
    (void)e, (void)kind, (void)to;
    return true;
}

bool vv_diagonal_none(const vv_energy *e, double scale, double *d)
{
    (void)e, (void)scale, (void)d;
    return true;
}

/* One pass of a stable sort: by `key` (0: row, 1: col). start: n + 1. */
static void sort_by(const vv_quadratic *q, bool by_column, int *start, const vv_quadratic_entry *from,
                    vv_quadratic_entry *to)
{
    memset(start, 0, ((size_t)q->n + 1) * sizeof *start);
    for (size_t i = 0; i < q->count; i++)
        start[(by_column ? from[i].col : from[i].row) + 1]++;
    for (int i = 0; i < q->n; i++)
        start[i + 1] += start[i];
    for (size_t i = 0; i < q->count; i++)
        to[start[by_column ? from[i].col : from[i].row]++] = from[i];
}

vvStatus vv_quadratic_finish(vv_quadratic *q, vvError *error)
{
    vv_quadratic_entry *other = q->failed ? NULL : vv_alloc(q->count, sizeof *other);
    int *start = vv_alloc((size_t)q->n + 1, sizeof *start);
    bool ok = !q->failed && other && start;
    if (ok && q->count > 0) {
        sort_by(q, false, start, q->entry, other);
        sort_by(q, true, start, other, q->entry);
        size_t last = 0;
        for (size_t i = 1; i < q->count; i++)
            if (q->entry[i].row == q->entry[last].row && q->entry[i].col == q->entry[last].col)
                q->entry[last].value += q->entry[i].value;
            else
                q->entry[++last] = q->entry[i];
        q->count = last + 1;
    }
    vv_free(other);
    vv_free(start);
    return ok ? VV_OK : vv_fail_memory(error, "a constant matrix");
}

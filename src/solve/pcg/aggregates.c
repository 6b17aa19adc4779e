/* Slices across a body's longest side, so that the factor of what couples them is a band, then recursive coordinate
 * bisection of each. */
#include "solve/pcg/aggregates.h"

#include <math.h>

typedef struct cut {
    const double *place;
    int axis;
} cut;

static bool before(const cut *c, int a, int b)
{
    const double x = c->place[3 * (size_t)a + (size_t)c->axis], y = c->place[3 * (size_t)b + (size_t)c->axis];
    return x < y || (x == y && a < b);
}

static void swap(int *a, int *b)
{
    const int t = *a;
    *a = *b;
    *b = t;
}

/* The first `left` of n rows in the order of the cut come first (Hoare's selection). */
static void select_first(const cut *c, int *row, int n, int left)
{
    int low = 0, high = n - 1;
    while (low < high) {
        const int pivot = row[low + (high - low) / 2];
        int i = low, j = high;
        while (i <= j) {
            while (before(c, row[i], pivot))
                i++;
            while (before(c, pivot, row[j]))
                j--;
            if (i <= j)
                swap(row + i++, row + j--);
        }
        if (left <= j)
            high = j;
        else if (left >= i)
            low = i;
        else
            return;
    }
}

/* The box around rows. */
typedef struct box {
    double side[3];
    int longest;
} box;

static box box_of(const double *place, const int *row, int n)
{
    double low[3] = { 0 }, high[3] = { 0 };
    box b = { .longest = 0 };
    for (int i = 0; i < n; i++)
        for (size_t k = 0; k < 3; k++) {
            const double x = place[3 * (size_t)row[i] + k];
            low[k] = i && low[k] < x ? low[k] : x;
            high[k] = i && high[k] > x ? high[k] : x;
        }
    for (int k = 0; k < 3; k++) {
        b.side[k] = high[k] - low[k];
        b.longest = b.side[k] > b.side[b.longest] ? k : b.longest;
    }
    return b;
}

/* Rows [begin, end) of `member` that become so many parts; returns the next free place of `first`. */
typedef struct lot {
    int begin, end, parts;
} lot;

/* Cuts it in two; returns the first. */
static lot halve(const double *place, int *member, lot *l, int axis, int parts)
{
    const int left = (int)((int64_t)(l->end - l->begin) * parts / l->parts);
    const lot first = { l->begin, l->begin + left, parts };
    if (place) {
        const cut c = { place, axis };
        select_first(&c, member + l->begin, l->end - l->begin, left);
    }
    *l = (lot){ first.end, l->end, l->parts - parts };
    return first;
}

/* Across the longest side, again and again: at most 31 levels deep. */
static int *bisect(const double *place, int *member, lot l, int *first)
{
    if (l.parts == 1) {
        *first = l.begin;
        return first + 1;
    }
    const int axis = place ? box_of(place, member + l.begin, l.end - l.begin).longest : 0;
    const lot left = halve(place, member, &l, axis, l.parts / 2);
    first = bisect(place, member, left, first);
    return bisect(place, member, l, first);
}

/* First into slices across one side. */
static int *slice(const double *place, int *member, lot l, int axis, int slices, int *first)
{
    if (slices == 1)
        return bisect(place, member, l, first);
    const lot left = halve(place, member, &l, axis, (int)((int64_t)l.parts * (slices / 2) / slices));
    first = slice(place, member, left, axis, slices / 2, first);
    return slice(place, member, l, axis, slices - slices / 2, first);
}

/* As many slices as make parts as thick as they are wide. */
static int slices_of(const box *b, int parts)
{
    const double length = b->side[b->longest], section = b->side[(b->longest + 1) % 3] * b->side[(b->longest + 2) % 3];
    const double edge = cbrt(length * section / parts), slices = edge > 0 ? rint(length / edge) : 1;
    return slices < 1 ? 1 : slices > parts ? parts : (int)slices;
}

void vv_aggregates_divide(const vv_bsr *a, int rows, int *member, int *first)
{
    for (int i = 0; i < a->n; i++)
        member[i] = i;
    for (int begin = 0, end; begin < a->n; begin = end) {
        for (end = begin + 1; end < a->n && a->body[end] == a->body[begin];)
            end++;
        const lot body = { begin, end, (end - begin - 1) / rows + 1 };
        const box b = a->place ? box_of(a->place, member + begin, end - begin) : (box){ .longest = 0 };
        first = slice(a->place, member, body, b.longest, slices_of(&b, body.parts), first);
    }
    *first = a->n;
}

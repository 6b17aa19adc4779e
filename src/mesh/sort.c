/* Sorting of small integer tuples (faces, edges) by counting, last column first: linear for any input. */
#include "base/memory.h"
#include "base/stop.h"
#include "mesh/mesh.h"

static bool sort_column(const int *tuples, int width, int column, int count, const int *from, int *to, int *start,
                        int range)
{
    for (int r = 0; r <= range; r++)
        start[r] = 0;
    for (int i = 0; i < count; i++)
        start[tuples[(size_t)width * i + column] + 1]++;
    for (int r = 0; r < range; r++)
        start[r + 1] += start[r];
    bool stopped = false;
    for (int i = 0; i < count && !stopped; i++) {
        to[start[tuples[(size_t)width * from[i] + column]]++] = from[i];
        stopped = vv_stopped_in((size_t)i);
    }
    return !stopped;
}

int vv_sort_tuples(const int *tuples, int width, int count, int range, int *order)
{
    int *start = vv_alloc((size_t)range + 1, sizeof *start), *other = vv_alloc((size_t)count, sizeof *other);
    int ok = start && other;
    if (ok) {
        /* so that the last pass ends in `order` */
        int *from = width % 2 ? other : order, *to = width % 2 ? order : other;
        for (int i = 0; i < count; i++)
            from[i] = i;
        for (int column = width - 1; column >= 0 && ok; column--) {
            ok = sort_column(tuples, width, column, count, from, to, start, range);
            int *swap = from;
            from = to;
            to = swap;
        }
    }
    vv_free(start);
    vv_free(other);
    return ok;
}

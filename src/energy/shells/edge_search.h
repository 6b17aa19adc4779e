/* Where an edge is among a body's edges, and among its hinges: both lists ascend by the edges' lower ends, then by
 * the upper ones. In `edges` the lower end comes first; a hinge has its edge's ends as its first two, in either
 * order. */
#ifndef VV_ENERGY_SHELLS_EDGE_SEARCH_H
#define VV_ENERGY_SHELLS_EDGE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

/* Index of the first of `count` entries, of `stride` numbers each, that is of the edge (a, b); -1: none is. */
static inline int vv_search_edge(const int *list, int count, int stride, int a, int b)
{
    int first = 0, last = count, low = a < b ? a : b, high = a < b ? b : a;
    while (first < last) {
        int middle = first + (last - first) / 2;
        const int *e = list + (size_t)stride * (size_t)middle;
        int l = e[0] < e[1] ? e[0] : e[1], h = e[0] < e[1] ? e[1] : e[0];
        if (l < low || (l == low && h < high))
            first = middle + 1;
        else
            last = middle;
    }
    if (first == count)
        return -1;
    const int *e = list + (size_t)stride * (size_t)first;
    return (e[0] == low && e[1] == high) || (e[0] == high && e[1] == low) ? first : -1;
}

static inline int vv_find_edge(const int *edges, int count, int a, int b)
{
    return vv_search_edge(edges, count, 2, a, b);
}

/* The first of them, where the edge has more than two triangles. */
static inline int vv_find_hinge(const int *hinges, int count, int a, int b)
{
    return vv_search_edge(hinges, count, 4, a, b);
}

/* Whether the edge of the first hinge that is found has another, and so more than two triangles. */
static inline bool vv_hinge_is_of_many(const int *hinges, int count, int hinge)
{
    const int *h = hinges + 4 * (size_t)hinge;
    return vv_find_hinge(h + 4, count - hinge - 1, h[0], h[1]) == 0;
}

#endif

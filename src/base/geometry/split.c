/* Quickselect; the pivots are scattered, as sorted input would make any fixed choice slow. */
#include "base/geometry/split.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

static bool before(const vv_split_entry *a, const vv_split_entry *b, int axis)
{
    return a->centre[axis] < b->centre[axis] || (a->centre[axis] == b->centre[axis] && a->item < b->item);
}

int vv_split_axis(const vv_split_entry *e, int count)
{
    double side[3];
    for (int k = 0; k < 3; k++) {
        double low = e[0].centre[k], high = low;
        for (int i = 1; i < count; i++) {
            low = fmin(low, e[i].centre[k]);
            high = fmax(high, e[i].centre[k]);
        }
        side[k] = high - low;
    }
    return side[0] >= side[1] && side[0] >= side[2] ? 0 : side[1] >= side[2] ? 1 : 2;
}

void vv_split_at(vv_split_entry *e, int count, int middle, int axis)
{
    uint32_t random = 0x9e3779b9u;
    int low = 0, high = count - 1;
    while (low < high) {
        random = random * 1664525u + 1013904223u;
        vv_split_entry pivot = e[low + (int)((random >> 8) % (uint32_t)(high - low + 1))];
        int i = low, j = high;
        while (i <= j) {
            while (before(&e[i], &pivot, axis))
                i++;
            while (before(&pivot, &e[j], axis))
                j--;
            if (i <= j) {
                vv_split_entry t = e[i];
                e[i++] = e[j];
                e[j--] = t;
            }
        }
        if (middle <= j)
            high = j;
        else if (middle >= i)
            low = i;
        else
            return;
    }
}

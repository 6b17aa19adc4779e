/* Which bodies stand together as placed: those that may come to rest on each other, and so share one stiffness (theory
 * §5.11). */
#include "base/groups.h"
#include "base/memory.h"
#include "base/vec.h"
#include "world/world.h"

#include <stdlib.h>

typedef struct place {
    double low[3], high[3], size;
    double from, to; /* along the axis on which they are spread most: with its own length on either side */
    int body;
} place;

/* As far apart as the larger one is long it can still fall on the other. */
static bool near_each_other(const place *a, const place *b)
{
    double apart[3];
    for (int k = 0; k < 3; k++)
        apart[k] = fmax(fmax(a->low[k] - b->high[k], b->low[k] - a->high[k]), 0);
    return !(vv_norm(apart) > fmax(a->size, b->size));
}

/* Of all that move; returns how many. */
static int find_places(const vvWorld *w, place *at)
{
    int count = 0;
    for (int b = 0; b < (int)w->body_count; b++) {
        place *p = at + count;
        double across[3];
        if (w->bodies[b].kinematic)
            continue;
        vv_body_bounds(w, b, w->rest, p->low, p->high);
        vv_sub(p->high, p->low, across);
        p->size = vv_norm(across), p->body = b;
        count++;
    }
    return count;
}

static int widest_axis(const place *at, int count)
{
    double spread[3];
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < count; i++)
            low = fmin(low, at[i].low[k]), high = fmax(high, at[i].high[k]);
        spread[k] = high - low;
    }
    return spread[0] >= spread[1] && spread[0] >= spread[2] ? 0 : spread[1] >= spread[2] ? 1 : 2;
}

static int by_from(const void *left, const void *right)
{
    const place *p = left, *q = right;
    return (p->from > q->from) - (p->from < q->from);
}

/* Which are near each other: of those only that reach each other along one axis, as few do among many. */
static void join_near(place *at, int count, int *group)
{
    const int axis = widest_axis(at, count);
    for (int i = 0; i < count; i++)
        at[i].from = at[i].low[axis] - at[i].size, at[i].to = at[i].high[axis] + at[i].size;
    qsort(at, (size_t)count, sizeof *at, by_from);
    for (int i = 0; i < count; i++)
        for (int k = i + 1; k < count && at[k].from <= at[i].to; k++)
            if (near_each_other(at + i, at + k))
                vv_groups_join(group, at[i].body, at[k].body);
}

bool vv_world_find_together(const vvWorld *w, int *group)
{
    const int count = (int)w->body_count;
    place *at = vv_alloc(w->body_count, sizeof *at);
    if (!at)
        return false;
    vv_groups_clear(group, count);
    join_near(at, find_places(w, at), group);
    for (size_t j = 0; j < w->joint_count; j++)
        if (w->joints[j].body[0] >= 0 && w->joints[j].body[1] >= 0)
            vv_groups_join(group, w->joints[j].body[0], w->joints[j].body[1]);
    for (int b = 0; b < count; b++)
        group[b] = vv_groups_find(group, b);
    vv_free(at);
    return true;
}

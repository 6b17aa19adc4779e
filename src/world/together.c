/* Which bodies stand together as they are placed: those that may come to lie on each other, for what is chosen for
 * all of them (theory §5.11). */
#include "base/groups.h"
#include "base/memory.h"
#include "base/vec.h"
#include "world/world.h"

typedef struct place {
    double low[3], high[3], size;
} place;

/* As far apart as the larger one is long it can still fall on the other. */
static bool near_each_other(const place *a, const place *b)
{
    double apart[3];
    for (int k = 0; k < 3; k++)
        apart[k] = fmax(fmax(a->low[k] - b->high[k], b->low[k] - a->high[k]), 0);
    return !(vv_norm(apart) > fmax(a->size, b->size));
}

bool vv_world_find_together(const vvWorld *w, int *group)
{
    const int count = (int)w->body_count;
    place *at = vv_alloc(w->body_count, sizeof *at);
    if (!at)
        return false;
    vv_groups_clear(group, count);
    for (int b = 0; b < count; b++) {
        double across[3];
        vv_body_bounds(w, b, w->rest, at[b].low, at[b].high);
        vv_sub(at[b].high, at[b].low, across);
        at[b].size = vv_norm(across);
    }
    for (int a = 0; a < count; a++)
        for (int b = a + 1; b < count && !w->bodies[a].kinematic; b++)
            if (!w->bodies[b].kinematic && near_each_other(at + a, at + b))
                vv_groups_join(group, a, b);
    for (size_t j = 0; j < w->joint_count; j++)
        if (w->joints[j].body[0] >= 0 && w->joints[j].body[1] >= 0)
            vv_groups_join(group, w->joints[j].body[0], w->joints[j].body[1]);
    for (int b = 0; b < count; b++)
        group[b] = vv_groups_find(group, b);
    vv_free(at);
    return true;
}

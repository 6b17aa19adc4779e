/* The walk of the broad phase down the trees of two bodies at once, or of one with itself, to the elements whose
 * boxes touch. */
#include "contact/broad/patches.h"

enum { ASK_EVERY = 1024 }; /* pairs of elements, whether to stop */

static bool asleep(const vv_broad_walk *w, int level, int group_a, int group_b)
{
    return w->patches && level < 2 && w->pair.a == w->pair.b && vv_patches_sleep(&w->pair, group_a, group_b);
}

static void meet(vv_broad_walk *w, int element, int group, int mask)
{
    if (--w->until_asked <= 0) {
        w->until_asked = ASK_EVERY;
        w->stopped = vv_stop_wanted(w->stop);
    }
    w->meet(w, element, group, mask);
}

/* Groups of one body are on the same level. */
static void compare(vv_broad_walk *w, int level_a, int group_a, int level_b, int group_b)
{
    const vv_broad *b = w->pair.broad;
    const vv_boxes4 *boxes = b->boxes[w->pair.set];
    if (asleep(w, level_a, group_a, group_b))
        return;
    for (int i = 0; i < 4 && !w->stopped; i++) {
        int mask = vv_touch4(&boxes[group_a], i, &boxes[group_b], w->pair.low, w->pair.high);
        if (mask == 0)
            continue;
        if (level_a == 0)
            meet(w, 4 * group_a + i, group_b, mask);
        else if (level_a > level_b)
            compare(w, level_a - 1, b->child[group_a] + i, level_b, group_b);
        else
            for (; mask; mask &= mask - 1)
                compare(w, level_a - 1, b->child[group_a] + i, level_b - 1,
                        b->child[group_b] + __builtin_ctz((unsigned)mask));
    }
}

static void compare_within(vv_broad_walk *w, int level, int group)
{
    const vv_broad *b = w->pair.broad;
    const vv_boxes4 *g = &b->boxes[w->pair.set][group];
    if (asleep(w, level, group, group))
        return;
    for (int i = 0; i < 4 && !w->stopped; i++) {
        if (level && g->low[0][i] <= g->high[0][i])
            compare_within(w, level - 1, b->child[group] + i);
        int mask = vv_touch4(g, i, g, vv_zero4, vv_zero4) & ~((2 << i) - 1);
        if (mask && level == 0)
            meet(w, 4 * group + i, group, mask);
        for (; mask && level; mask &= mask - 1)
            compare(w, level - 1, b->child[group] + i, level - 1, b->child[group] + __builtin_ctz((unsigned)mask));
    }
}

void vv_broad_walk_task(vv_broad_walk *w, const vv_broad_task *t)
{
    if (t->a == t->b && t->group_a == t->group_b)
        compare_within(w, t->level_a, t->group_a);
    else
        compare(w, t->level_a, t->group_a, t->level_b, t->group_b);
}

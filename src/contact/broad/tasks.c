/* What the broad phase has to compare: bodies whose boxes touch, broken down into pairs of groups small enough to
 * distribute. */
#include "contact/broad/broad.h"

#include <math.h>

enum { TASK_LEVEL = 3 }; /* groups of up to 256 elements */

static bool push(vv_broad_task **list, size_t *capacity, int *count, const vv_broad_task *task)
{
    if (!vv_grow((void **)list, capacity, (size_t)*count + 1, sizeof **list))
        return false;
    (*list)[(*count)++] = *task;
    return true;
}

/* ---- bodies --------------------------------------------------------------------------------------------------- */

/* Heap sort by where the hulls begin along `axis`, then by number. */
static bool later(const vv_broad *b, int i, int j, int axis)
{
    double x = b->hull[i][axis], y = b->hull[j][axis];
    return x > y || (x == y && i > j);
}

static void sift(vv_broad *b, int at, int count, int axis)
{
    int *order = b->order, item = order[at];
    for (int child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && later(b, order[child + 1], order[child], axis))
            child++;
        if (!later(b, order[child], item, axis))
            break;
        order[at] = order[child];
    }
    order[at] = item;
}

static void sort_bodies(vv_broad *b, int count, int axis)
{
    for (int i = count / 2 - 1; i >= 0; i--)
        sift(b, i, count, axis);
    for (int i = count - 1; i > 0; i--) {
        int last = b->order[i];
        b->order[i] = b->order[0];
        b->order[0] = last;
        sift(b, 0, i, axis);
    }
}

/* Boxes of the bodies over their whole motion, relative to the mean motion of all bodies: bodies that meet along the
 * path have boxes that touch. Bodies with a box are put into `order`; returns how many. */
static int make_hulls(vv_broad *b)
{
    int count = 0;
    double mean[3] = { 0, 0, 0 };
    for (int i = 0; i < b->surface->body_count; i++)
        for (int k = 0; k < 3; k++)
            mean[k] += b->bodies[i].motion[k] / b->surface->body_count;
    for (int i = 0; i < b->surface->body_count; i++) {
        const vv_broad_body *body = &b->bodies[i];
        bool there = body->levels > 0;
        for (int k = 0; k < 3; k++) {
            double way = body->motion[k] - mean[k];
            double wide = 1e-12 * (fabs(body->centre[k]) + fabs(body->motion[k]) + fabs(way));
            b->hull[i][k] = body->centre[k] + body->low[k] + fmin(way, 0) - wide;
            b->hull[i][3 + k] = body->centre[k] + body->high[k] + fmax(way, 0) + wide;
            there = there && b->hull[i][k] <= b->hull[i][3 + k];
        }
        if (there)
            b->order[count++] = i;
    }
    return count;
}

/* The axis along which the bodies are spread most, relative to their sizes. */
static int sweep_axis(const vv_broad *b, int count)
{
    int best = 0;
    double most = -1;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY, sizes = 0;
        for (int i = 0; i < count; i++) {
            const double *h = b->hull[b->order[i]];
            low = fmin(low, h[k]);
            high = fmax(high, h[3 + k]);
            sizes += h[3 + k] - h[k];
        }
        if ((high - low) / (sizes + b->activation) > most) {
            most = (high - low) / (sizes + b->activation);
            best = k;
        }
    }
    return best;
}

/* Whether the boxes of two bodies touch along the path, seen from the second. */
static bool bodies_meet(const vv_broad *b, int i, int j)
{
    const vv_broad_body *a = &b->bodies[i], *c = &b->bodies[j];
    for (int k = 0; k < 3; k++) {
        if (!(b->hull[i][k] <= b->hull[j][3 + k] && b->hull[j][k] <= b->hull[i][3 + k]))
            return false;
        double at = a->centre[k] - c->centre[k], way = a->motion[k] - c->motion[k];
        double wide = 1e-12 * (fabs(a->centre[k]) + fabs(c->centre[k]) + fabs(way));
        if (!(at + fmin(way, 0) + a->low[k] - wide <= c->high[k] && c->low[k] <= at + fmax(way, 0) + a->high[k] + wide))
            return false;
    }
    return true;
}

static bool push_bodies(vv_broad *b, int i, int j, int *count)
{
    if (!(b->bodies[i].stale || b->bodies[j].stale) || !vv_surface_touches(b->surface, i, j) ||
        (i != j && !bodies_meet(b, i, j)))
        return true;
    /* the first has the taller tree; with equal ones it comes first in the surface */
    if (b->bodies[i].levels < b->bodies[j].levels || (b->bodies[i].levels == b->bodies[j].levels && i > j)) {
        int t = i;
        i = j;
        j = t;
    }
    int top = b->bodies[i].levels - 1, other = b->bodies[j].levels - 1;
    vv_broad_task task = { i, j, b->bodies[i].first[top], b->bodies[j].first[other], top, other };
    return push(&b->stack, &b->stack_capacity, count, &task);
}

static bool pair_bodies(vv_broad *b, int *stacked)
{
    int count = make_hulls(b), axis = sweep_axis(b, count);
    sort_bodies(b, count, axis);
    for (int i = 0; i < count; i++) {
        int first = b->order[i];
        if (!push_bodies(b, first, first, stacked))
            return false;
        for (int j = i + 1; j < count && b->hull[b->order[j]][axis] <= b->hull[first][3 + axis]; j++)
            if (!push_bodies(b, first, b->order[j], stacked))
                return false;
    }
    return true;
}

/* ---- groups --------------------------------------------------------------------------------------------------- */

static bool open_same(vv_broad *b, const vv_broad_task *t, int *stacked)
{
    const vv_boxes4 *g = &b->boxes[b->turns][t->group_a];
    int below = b->child[t->group_a], level = t->level_a - 1;
    for (int i = 0; i < 4; i++) {
        vv_broad_task self = { t->a, t->a, below + i, below + i, level, level };
        if (g->low[0][i] <= g->high[0][i] && !push(&b->stack, &b->stack_capacity, stacked, &self))
            return false;
        int mask = vv_touch4(g, i, g, vv_zero4, vv_zero4);
        for (int j = i + 1; j < 4; j++) {
            vv_broad_task pair = { t->a, t->a, below + i, below + j, level, level };
            if ((mask >> j & 1) && !push(&b->stack, &b->stack_capacity, stacked, &pair))
                return false;
        }
    }
    return true;
}

/* While the first is taller, only it is opened. */
static bool open_pair(vv_broad *b, const vv_broad_task *t, int *stacked)
{
    vv_broad_body_pair pair;
    vv_broad_body_pair_init(b, t->a, t->b, &pair);
    const vv_boxes4 *boxes = b->boxes[pair.set];
    bool both = t->level_a == t->level_b;
    for (int i = 0; i < 4; i++) {
        int mask = vv_touch4(&boxes[t->group_a], i, &boxes[t->group_b], pair.low, pair.high);
        vv_broad_task below = { t->a, t->b, b->child[t->group_a] + i, t->group_b, t->level_a - 1, t->level_b };
        if (mask && !both && !push(&b->stack, &b->stack_capacity, stacked, &below))
            return false;
        for (int j = 0; j < 4 && both; j++) {
            below.group_b = b->child[t->group_b] + j;
            below.level_b = t->level_b - 1;
            if ((mask >> j & 1) && !push(&b->stack, &b->stack_capacity, stacked, &below))
                return false;
        }
    }
    return true;
}

bool vv_broad_plan(vv_broad *b)
{
    int stacked = 0;
    b->task_count = 0;
    if (!pair_bodies(b, &stacked))
        return false;
    while (stacked) {
        vv_broad_task t = b->stack[--stacked];
        bool fine = true;
        if (t.level_a <= TASK_LEVEL)
            fine = push(&b->tasks, &b->task_capacity, &b->task_count, &t);
        else if (t.a == t.b && t.group_a == t.group_b)
            fine = open_same(b, &t, &stacked);
        else
            fine = open_pair(b, &t, &stacked);
        if (!fine)
            return false;
    }
    return true;
}

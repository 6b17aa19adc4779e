/* The tree of boxes: built top down by splitting at the median of the box centres along the longest side of their
 * bounds, so that it is balanced; queries recurse, as deep as the tree. */
#include "base/geometry/bvh.h"

#include "base/memory.h"
#include "base/geometry/split.h"

#include <math.h>

/* ---- boxes --------------------------------------------------------------------------------------------------- */

vv_box vv_box_empty(void) { return (vv_box){ { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } }; }

void vv_box_add(vv_box *box, const double point[3])
{
    for (int k = 0; k < 3; k++) {
        box->low[k] = point[k] < box->low[k] ? point[k] : box->low[k];
        box->high[k] = point[k] > box->high[k] ? point[k] : box->high[k];
    }
}

/* Ignores a box with a NaN, as vv_box_touch does. */
static vv_box joined(const vv_box *a, const vv_box *b)
{
    vv_box j = *a;
    for (int k = 0; k < 3; k++) {
        j.low[k] = !(a->low[k] <= b->low[k]) ? b->low[k] : a->low[k];
        j.high[k] = !(a->high[k] >= b->high[k]) ? b->high[k] : a->high[k];
    }
    return j;
}

bool vv_box_touch(const vv_box *a, const vv_box *b)
{
    return a->low[0] <= b->high[0] && b->low[0] <= a->high[0] && a->low[1] <= b->high[1] && b->low[1] <= a->high[1] &&
           a->low[2] <= b->high[2] && b->low[2] <= a->high[2];
}

static bool usable(const vv_box *b)
{
    return b->low[0] <= b->high[0] && b->low[1] <= b->high[1] && b->low[2] <= b->high[2];
}

/* ---- building ------------------------------------------------------------------------------------------------ */

/* Fills the 2 count - 1 nodes from nodes[at] on; the boxes follow in vv_bvh_refit. */
static void build(vv_bvh *tree, int at, vv_split_entry *e, int count)
{
    if (count == 1) {
        tree->nodes[at] = (vv_bvh_node){ .item = e->item };
        return;
    }
    int half = count / 2;
    vv_split_at(e, count, half, vv_split_axis(e, count));
    tree->nodes[at] = (vv_bvh_node){ .second = at + 2 * half, .item = -1 };
    build(tree, at + 1, e, half);
    build(tree, at + 2 * half, e + half, count - half);
}

int vv_bvh_build(vv_bvh *tree, const vv_box *boxes, int count)
{
    *tree = (vv_bvh){ 0 };
    if (count <= 0)
        return 1;
    vv_split_entry *entries = vv_alloc((size_t)count, sizeof *entries);
    vv_bvh_node *nodes = vv_alloc(2 * (size_t)count - 1, sizeof *nodes);
    if (!entries || !nodes) {
        vv_free(entries);
        vv_free(nodes);
        return 0;
    }
    for (int i = 0; i < count; i++) {
        entries[i].item = i;
        for (int k = 0; k < 3 && usable(&boxes[i]); k++) /* halves first: the sum may overflow */
            entries[i].centre[k] = 0.5 * boxes[i].low[k] + 0.5 * boxes[i].high[k];
        for (int k = 0; k < 3; k++) /* for a box unbounded on both sides */
            entries[i].centre[k] = isfinite(entries[i].centre[k]) ? entries[i].centre[k] : 0;
    }
    *tree = (vv_bvh){ nodes, count };
    build(tree, 0, entries, count);
    vv_free(entries);
    vv_bvh_refit(tree, boxes);
    return 1;
}

void vv_bvh_refit(vv_bvh *tree, const vv_box *boxes)
{
    for (int i = 2 * tree->count - 2; i >= 0; i--) {
        vv_bvh_node *n = &tree->nodes[i];
        if (n->second)
            n->box = joined(&tree->nodes[i + 1].box, &tree->nodes[n->second].box);
        else
            n->box = usable(&boxes[n->item]) ? boxes[n->item] : vv_box_empty();
    }
}

void vv_bvh_free(vv_bvh *tree)
{
    vv_free(tree->nodes);
    *tree = (vv_bvh){ 0 };
}

/* ---- boxes against boxes ------------------------------------------------------------------------------------- */

static bool touching(const vv_bvh *tree, int at, const vv_box *box, vv_bvh_item_fn *fn, void *arg)
{
    const vv_bvh_node *n = &tree->nodes[at];
    if (!vv_box_touch(&n->box, box))
        return true;
    if (!n->second)
        return fn(arg, n->item);
    return touching(tree, at + 1, box, fn, arg) && touching(tree, n->second, box, fn, arg);
}

void vv_bvh_touching(const vv_bvh *tree, const vv_box *box, vv_bvh_item_fn *fn, void *arg)
{
    if (tree->count && usable(box))
        touching(tree, 0, box, fn, arg);
}

typedef struct pair_query {
    const vv_bvh_node *a, *b;
    vv_bvh_overlap_fn *fn;
    void *arg;
} pair_query;

static double extent(const vv_box *b)
{
    return (b->high[0] - b->low[0]) + (b->high[1] - b->low[1]) + (b->high[2] - b->low[2]);
}

/* The larger of the two nodes is opened. */
static bool between(const pair_query *q, int i, int j)
{
    const vv_bvh_node *a = &q->a[i], *b = &q->b[j];
    if (!vv_box_touch(&a->box, &b->box))
        return true;
    if (!a->second && !b->second)
        return q->fn(q->arg, a->item, b->item);
    if (a->second && (!b->second || extent(&a->box) >= extent(&b->box)))
        return between(q, i + 1, j) && between(q, a->second, j);
    return between(q, i, j + 1) && between(q, i, b->second);
}

static bool within(const pair_query *q, int at)
{
    int second = q->a[at].second;
    return !second || (within(q, at + 1) && within(q, second) && between(q, at + 1, second));
}

void vv_bvh_overlaps(const vv_bvh *tree, vv_bvh_overlap_fn *fn, void *arg)
{
    pair_query q = { tree->nodes, tree->nodes, fn, arg };
    if (tree->count)
        within(&q, 0);
}

void vv_bvh_overlaps_between(const vv_bvh *a, const vv_bvh *b, vv_bvh_overlap_fn *fn, void *arg)
{
    pair_query q = { a->nodes, b->nodes, fn, arg };
    if (a->count && b->count)
        between(&q, 0, 0);
}

/* ---- rays ---------------------------------------------------------------------------------------------------- */

typedef struct ray_query {
    const vv_bvh_node *nodes;
    double origin[3], direction[3], inverse[3], limit;
    vv_bvh_ray_fn *fn;
    void *arg;
} ray_query;

/* Where the ray enters the box; infinity if it misses. Widened by more than the rounding of the quotients (three
 * roundings each), so that no box is missed. */
static double enters(const ray_query *q, const vv_box *box)
{
    double first = 0, last = q->limit;
    for (int k = 0; k < 3; k++) {
        if (q->direction[k] == 0) {
            if (!(q->origin[k] >= box->low[k] && q->origin[k] <= box->high[k]))
                return INFINITY;
            continue;
        }
        double a = (box->low[k] - q->origin[k]) * q->inverse[k], b = (box->high[k] - q->origin[k]) * q->inverse[k];
        double near = a < b ? a : b, far = a < b ? b : a;
        near -= 1e-15 * fabs(near);
        far += 1e-15 * fabs(far);
        first = near > first ? near : first;
        last = far < last ? far : last;
        if (box->low[k] > box->high[k])
            return INFINITY;
    }
    return first <= last ? first : INFINITY;
}

static void cast(ray_query *q, int at, double enter)
{
    const vv_bvh_node *n = &q->nodes[at];
    if (!(enter <= q->limit))
        return;
    if (!n->second) {
        q->limit = q->fn(q->arg, n->item, q->limit);
        return;
    }
    double a = enters(q, &q->nodes[at + 1].box), b = enters(q, &q->nodes[n->second].box);
    bool second_nearer = b < a;
    if (isfinite(a) && !second_nearer)
        cast(q, at + 1, a);
    if (isfinite(b))
        cast(q, n->second, b);
    if (isfinite(a) && second_nearer)
        cast(q, at + 1, a);
}

void vv_bvh_ray(const vv_bvh *tree, const double origin[3], const double direction[3], double limit, vv_bvh_ray_fn *fn,
                void *arg)
{
    ray_query q = { .nodes = tree->nodes, .limit = limit, .fn = fn, .arg = arg };
    for (int k = 0; k < 3; k++) {
        q.origin[k] = origin[k];
        q.inverse[k] = 1 / direction[k];
        /* a component so small that its inverse is infinite has no effect */
        q.direction[k] = isfinite(q.inverse[k]) ? direction[k] : 0;
    }
    double enter = tree->count ? enters(&q, &tree->nodes[0].box) : INFINITY;
    if (isfinite(enter))
        cast(&q, 0, enter);
}

/* ---- the nearest item ---------------------------------------------------------------------------------------- */

typedef struct near_query {
    const vv_bvh_node *nodes;
    double point[3], best;
    int item;
    vv_bvh_distance_fn *fn;
    void *arg;
} near_query;

/* A lower bound of any computed distance to a point in the box: reduced a little for rounding. */
static double distance2(const double p[3], const vv_box *box)
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double d = p[k] < box->low[k] ? box->low[k] - p[k] : p[k] > box->high[k] ? p[k] - box->high[k] : 0;
        sum += d * d;
    }
    return sum * (1 - 1e-14);
}

static void nearest(near_query *q, int at)
{
    const vv_bvh_node *n = &q->nodes[at];
    if (!n->second) {
        double d = q->fn(q->arg, n->item);
        if (d < q->best) {
            q->best = d;
            q->item = n->item;
        }
        return;
    }
    double a = distance2(q->point, &q->nodes[at + 1].box), b = distance2(q->point, &q->nodes[n->second].box);
    int first = b < a ? n->second : at + 1, second = b < a ? at + 1 : n->second;
    if (fmin(a, b) < q->best)
        nearest(q, first);
    if (fmax(a, b) < q->best)
        nearest(q, second);
}

int vv_bvh_nearest(const vv_bvh *tree, const double point[3], vv_bvh_distance_fn *fn, void *arg, double *best)
{
    near_query q = { tree->nodes, { point[0], point[1], point[2] }, *best, -1, fn, arg };
    if (tree->count && distance2(point, &tree->nodes[0].box) < q.best)
        nearest(&q, 0);
    *best = q.best;
    return q.item;
}

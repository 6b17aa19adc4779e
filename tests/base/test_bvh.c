/* The tree of boxes finds what a loop over all boxes finds, each item once. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/geometry/bvh.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 400 };

static uint64_t state64 = 7;
static double uniform(void)
{
    state64 ^= state64 << 13;
    state64 ^= state64 >> 7;
    state64 ^= state64 << 17;
    return (double)(state64 >> 11) * 0x1p-53;
}

/* kind 0: scattered; 1: on a small grid, so that many touch exactly; 2: all the same; 3: flat, along a line; 4: some
 * unusable. */
static void make_boxes(vv_box *boxes, int count, int kind)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            double at = uniform(), size = 0.2 * uniform();
            if (kind == 1)
                at = floor(6 * at), size = 1;
            if (kind == 2)
                at = 0.5, size = 0.25;
            if (kind == 3)
                at = k == 1 ? i : 0.5, size = k == 1 ? 1 : 0;
            boxes[i].low[k] = at;
            boxes[i].high[k] = at + size;
            if (kind == 4 && i % 7 == 0)
                boxes[i].high[k] = i % 14 ? NAN : at - 1;
        }
}
enum { KINDS = 5 };
static const int counts[] = { 0, 1, 2, 3, 7, 64, MOST };

typedef struct found {
    int seen[MOST], pairs, total, stop_after;
    char pair[MOST][MOST];
} found;

static bool on_item(void *arg, int item)
{
    found *f = arg;
    f->seen[item]++;
    return ++f->total != f->stop_after;
}

static bool on_pair(void *arg, int a, int b)
{
    found *f = arg;
    f->pair[a][b]++;
    return ++f->pairs != f->stop_after;
}

static void each_case(void (*check)(const vv_bvh *tree, const vv_box *boxes, int count, found *f))
{
    static vv_box boxes[MOST], moved[MOST];
    static found f;
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            vv_bvh tree;
            make_boxes(boxes, counts[c], kind);
            assert_int_equal(vv_bvh_build(&tree, boxes, counts[c]), 1);
            check(&tree, boxes, counts[c], &f);
            make_boxes(moved, counts[c], (kind + 1) % KINDS); /* another arrangement in the same tree */
            vv_bvh_refit(&tree, moved);
            check(&tree, moved, counts[c], &f);
            vv_bvh_free(&tree);
            vv_bvh_free(&tree);
        }
}

static int depth(const vv_bvh *tree, int at)
{
    const vv_bvh_node *n = &tree->nodes[at];
    if (!n->second)
        return 1;
    int a = depth(tree, at + 1), b = depth(tree, n->second);
    return 1 + (a > b ? a : b);
}

static void check_shape(const vv_bvh *tree, const vv_box *boxes, int count, found *f)
{
    int seen[MOST] = { 0 };
    (void)boxes;
    (void)f;
    assert_int_equal(tree->count, count);
    for (int i = 0; i < 2 * count - 1; i++)
        if (!tree->nodes[i].second)
            seen[tree->nodes[i].item]++;
    for (int i = 0; i < count; i++)
        assert_int_equal(seen[i], 1);
    if (count)
        assert_true(depth(tree, 0) <= (int)ceil(log2(count)) + 1);
}

static void check_touching(const vv_bvh *tree, const vv_box *boxes, int count, found *f)
{
    for (int query = 0; query < 30; query++) {
        vv_box box;
        make_boxes(&box, 1, query % 2);
        memset(f, 0, sizeof *f);
        vv_bvh_touching(tree, &box, on_item, f);
        for (int i = 0; i < count; i++)
            assert_int_equal(f->seen[i], vv_box_touch(&boxes[i], &box));
        int all = f->total;
        memset(f, 0, sizeof *f);
        f->stop_after = 1;
        vv_bvh_touching(tree, &box, on_item, f);
        assert_int_equal(f->total, all > 0);
    }
}

static void check_pairs(const vv_bvh *tree, const vv_box *boxes, int count, found *f)
{
    memset(f, 0, sizeof *f);
    vv_bvh_overlaps(tree, on_pair, f);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            assert_int_equal(f->pair[i][j] + f->pair[j][i], vv_box_touch(&boxes[i], &boxes[j]));
    for (int i = 0; i < count; i++)
        assert_int_equal(f->pair[i][i], 0);
    int all = f->pairs;
    memset(f, 0, sizeof *f);
    f->stop_after = 2;
    vv_bvh_overlaps(tree, on_pair, f);
    assert_int_equal(f->pairs, all < 2 ? all : 2);
}

static void check_between(const vv_bvh *tree, const vv_box *boxes, int count, found *f)
{
    vv_box others[50];
    vv_bvh other;
    make_boxes(others, 50, 0);
    assert_int_equal(vv_bvh_build(&other, others, 50), 1);
    memset(f, 0, sizeof *f);
    vv_bvh_overlaps_between(tree, &other, on_pair, f);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < 50; j++)
            assert_int_equal(f->pair[i][j], vv_box_touch(&boxes[i], &others[j]));
    vv_bvh_free(&other);
}

/* ---- rays: an item is hit where the ray enters its box ---- */

typedef struct ray {
    const vv_box *boxes;
    double origin[3], direction[3], nearest;
    int item, seen[MOST];
} ray;

/* t at which the ray enters, computed another way: by clipping with divisions; infinity: missed. */
static double entry_of(const ray *r, const vv_box *b)
{
    double first = 0, last = INFINITY;
    for (int k = 0; k < 3; k++) {
        if (!(b->low[k] <= b->high[k]))
            return INFINITY;
        if (r->direction[k] == 0) {
            if (r->origin[k] < b->low[k] || r->origin[k] > b->high[k])
                return INFINITY;
            continue;
        }
        double s = (b->low[k] - r->origin[k]) / r->direction[k], t = (b->high[k] - r->origin[k]) / r->direction[k];
        first = fmax(first, fmin(s, t));
        last = fmin(last, fmax(s, t));
    }
    return first <= last ? first : INFINITY;
}

static double on_hit(void *arg, int item, double limit)
{
    ray *r = arg;
    double t = entry_of(r, &r->boxes[item]);
    r->seen[item]++;
    if (t < r->nearest) {
        r->nearest = t;
        r->item = item;
    }
    return t < limit ? t : limit;
}

static double on_hit_go_on(void *arg, int item, double limit)
{
    ((ray *)arg)->seen[item]++;
    return limit;
}

static void check_rays(const vv_bvh *tree, const vv_box *boxes, int count, found *f)
{
    (void)f;
    for (int query = 0; query < 60; query++) {
        ray r = { .boxes = boxes, .nearest = INFINITY, .item = -1 };
        for (int k = 0; k < 3; k++) {
            r.origin[k] = query % 3 ? 3 * uniform() - 1 : floor(6 * uniform());
            r.direction[k] = query % 4 == k ? 0 : query % 3 ? uniform() - 0.5 : floor(3 * uniform()) - 1;
        }
        double best = INFINITY, limit = query % 5 ? INFINITY : 1;
        vv_bvh_ray(tree, r.origin, r.direction, limit, on_hit, &r);
        for (int i = 0; i < count; i++)
            best = fmin(best, entry_of(&r, &boxes[i]));
        if (best <= limit)
            assert_true(r.nearest == best);
        memset(r.seen, 0, sizeof r.seen);
        vv_bvh_ray(tree, r.origin, r.direction, limit, on_hit_go_on, &r);
        for (int i = 0; i < count; i++) {
            assert_true(r.seen[i] <= 1);
            double t = entry_of(&r, &boxes[i]);
            if (t <= limit && t < INFINITY)
                assert_int_equal(r.seen[i], 1);
        }
    }
}

/* ---- nearest ---- */

typedef struct near_arg {
    const vv_box *boxes;
    double point[3];
    int asked;
} near_arg;

static double centre_distance2(void *arg, int item)
{
    near_arg *n = arg;
    double d[3];
    n->asked++;
    for (int k = 0; k < 3; k++)
        d[k] = 0.5 * (n->boxes[item].low[k] + n->boxes[item].high[k]) - n->point[k];
    return vv_dot(d, d);
}

static void check_nearest(const vv_bvh *tree, const vv_box *boxes, int count, found *f)
{
    (void)f;
    for (int i = 0; i < count; i++)
        if (!vv_box_touch(&boxes[i], &boxes[i]))
            return; /* unusable boxes have no centre */
    for (int query = 0; query < 30; query++) {
        near_arg n = { .boxes = boxes };
        double best = INFINITY, found2 = query % 4 ? INFINITY : 0.01, limit = found2;
        for (int k = 0; k < 3; k++)
            n.point[k] = 3 * uniform() - 1;
        int item = vv_bvh_nearest(tree, n.point, centre_distance2, &n, &found2);
        for (int i = 0; i < count; i++)
            best = fmin(best, centre_distance2(&n, i));
        if (best < limit) {
            assert_true(item >= 0 && found2 == best && centre_distance2(&n, item) == best);
        } else {
            assert_int_equal(item, -1);
            assert_true(found2 == limit);
        }
    }
}

static void tree_is_balanced(void **state) { (void)state, each_case(check_shape); }
static void boxes_that_touch_a_box(void **state) { (void)state, each_case(check_touching); }
static void pairs_in_one_tree(void **state) { (void)state, each_case(check_pairs); }
static void pairs_between_trees(void **state) { (void)state, each_case(check_between); }
static void boxes_on_a_ray(void **state) { (void)state, each_case(check_rays); }
static void nearest_item(void **state) { (void)state, each_case(check_nearest); }

/* A query far from everything looks at few items. */
static void large_trees_are_quick(void **state)
{
    (void)state;
    enum { SIDE = 256 };
    vv_box *boxes = calloc(SIDE * SIDE, sizeof *boxes);
    vv_bvh tree;
    found *f = calloc(1, sizeof *f);
    assert_non_null(boxes);
    assert_non_null(f);
    for (int i = 0; i < SIDE * SIDE; i++)
        for (int k = 0; k < 3; k++) {
            boxes[i].low[k] = k == 0 ? i % SIDE : k == 1 ? i / SIDE : 0;
            boxes[i].high[k] = boxes[i].low[k] + 0.5;
        }
    assert_int_equal(vv_bvh_build(&tree, boxes, SIDE * SIDE), 1);
    near_arg n = { .boxes = boxes, .point = { 100.3, 20.2, 0.2 } };
    double d = INFINITY;
    assert_int_equal(vv_bvh_nearest(&tree, n.point, centre_distance2, &n, &d), 20 * SIDE + 100);
    assert_true(n.asked < 200);
    vv_bvh_overlaps(&tree, on_pair, f); /* none touch: on_pair would write out of bounds otherwise */
    assert_int_equal(f->pairs, 0);
    vv_bvh_free(&tree);
    free(boxes);
    free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tree_is_balanced),      cmocka_unit_test(boxes_that_touch_a_box),
        cmocka_unit_test(pairs_in_one_tree),     cmocka_unit_test(pairs_between_trees),
        cmocka_unit_test(boxes_on_a_ray),        cmocka_unit_test(nearest_item),
        cmocka_unit_test(large_trees_are_quick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

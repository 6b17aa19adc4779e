/* A static binary tree of axis-aligned boxes: which boxes meet a box, a ray, each other, or those of another tree.
 *
 * Built once in O(n log n); vv_bvh_refit takes new boxes of the same items in O(n). The depth is at most log2 n + 1
 * whatever the boxes are. Items are 0 .. count - 1, in the order of the array of boxes. The order of visits depends
 * only on the boxes. Boxes touch if they share a point; a box with low > high or a NaN meets nothing. */
#ifndef VV_BASE_GEOMETRY_BVH_H
#define VV_BASE_GEOMETRY_BVH_H

#include <stdbool.h>

typedef struct vv_box {
    double low[3], high[3];
} vv_box;

/* An empty box, and enlarged boxes. */
vv_box vv_box_empty(void);
void vv_box_add(vv_box *box, const double point[3]);
bool vv_box_touch(const vv_box *a, const vv_box *b);

/* Depth first: the first child of inner node i is i + 1, the second `second`. A leaf has one item, and second = 0. */
typedef struct vv_bvh_node {
    vv_box box;
    int second, item;
} vv_bvh_node;

typedef struct vv_bvh {
    vv_bvh_node *nodes; /* 2 count - 1 */
    int count;          /* items */
} vv_bvh;

/* 0 when out of memory (the tree is then empty). An empty tree (count 0, or zeroed) may be queried, and meets
 * nothing. */
int vv_bvh_build(vv_bvh *tree, const vv_box *boxes, int count);
void vv_bvh_refit(vv_bvh *tree, const vv_box *boxes);
void vv_bvh_free(vv_bvh *tree);

/* Called for each item found; false ends the query. */
typedef bool vv_bvh_item_fn(void *arg, int item);
typedef bool vv_bvh_overlap_fn(void *arg, int a, int b);
/* Items whose boxes touch `box`. */
void vv_bvh_touching(const vv_bvh *tree, const vv_box *box, vv_bvh_item_fn *fn, void *arg);
/* Pairs of different items whose boxes touch, each once. */
void vv_bvh_overlaps(const vv_bvh *tree, vv_bvh_overlap_fn *fn, void *arg);
/* Pairs of an item of a and one of b. */
void vv_bvh_overlaps_between(const vv_bvh *a, const vv_bvh *b, vv_bvh_overlap_fn *fn, void *arg);

/* Items whose boxes the ray origin + t direction meets for some t in [0, limit], nearer subtrees first. `fn` returns
 * the new limit: its own hit's t to find the nearest, the old limit to go on, a negative number to stop. Boxes that
 * the ray barely misses may be visited; none that it meets is left out. */
typedef double vv_bvh_ray_fn(void *arg, int item, double limit);
void vv_bvh_ray(const vv_bvh *tree, const double origin[3], const double direction[3], double limit, vv_bvh_ray_fn *fn,
                void *arg);

/* The item nearest to a point: `fn` returns the squared distance of an item (infinity: not wanted). Returns the item
 * and sets *distance2; -1 if nothing is nearer than *distance2, which is an upper bound on entry (INFINITY: none). */
typedef double vv_bvh_distance_fn(void *arg, int item);
int vv_bvh_nearest(const vv_bvh *tree, const double point[3], vv_bvh_distance_fn *fn, void *arg, double *distance2);

#endif

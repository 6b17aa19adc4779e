/* The trees of boxes that queries use: one over each body's surface, one over its tets, made when first asked for. */
#include "world/trees.h"

#include "base/memory.h"
#include "base/vec.h"

typedef struct tree {
    vv_bvh bvh;
    vv_box *boxes;
    uint64_t moved; /* the world's count when the boxes were right; 0: never */
} tree;

struct vv_body_trees {
    tree surface, tets;
};

/* Boxes of `count` elements of `corners` nodes each. */
static void fill(const double *x, const int *list, int corners, int count, vv_box *boxes)
{
    vv_box all = vv_box_empty();
    for (int i = 0; i < count; i++) {
        boxes[i] = vv_box_empty();
        for (int k = 0; k < corners; k++) {
            const double *point = x + 3 * (size_t)list[corners * (size_t)i + (size_t)k];
            vv_box_add(boxes + i, point);
            vv_box_add(&all, point);
        }
    }
    double size[3];
    vv_sub(all.high, all.low, size);
    double slack = 1e-14 * vv_norm(size);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            boxes[i].low[k] -= slack;
            boxes[i].high[k] += slack;
        }
}

/* Before the first step anything may have moved the nodes: then every query refits. */
static const vv_bvh *up_to_date(vvWorld *w, tree *t, const int *list, int corners, int count)
{
    if (w->baked && t->moved == w->moved)
        return &t->bvh;
    if (!t->boxes)
        t->boxes = vv_alloc((size_t)count, sizeof *t->boxes);
    if (!t->boxes)
        return NULL;
    fill(vvWorldPositions(w), list, corners, count, t->boxes);
    if (t->bvh.count == count)
        vv_bvh_refit(&t->bvh, t->boxes);
    else if (!vv_bvh_build(&t->bvh, t->boxes, count))
        return NULL;
    t->moved = w->moved;
    return &t->bvh;
}

static const vv_bvh *tree_of(vvWorld *w, int body, bool tets)
{
    if (w->tree_count != w->body_count)
        vv_trees_free(w);
    if (!w->trees)
        w->trees = vv_alloc(w->body_count, sizeof *w->trees);
    if (!w->trees)
        return NULL;
    w->tree_count = w->body_count;
    const vv_body *b = w->bodies + body;
    struct vv_body_trees *t = w->trees + body;
    if (tets)
        return up_to_date(w, &t->tets, b->tets, 4, b->tet_count);
    if (b->point_count)
        return up_to_date(w, &t->surface, b->points, 1, b->point_count);
    return b->triangle_count ? up_to_date(w, &t->surface, b->triangles, 3, b->triangle_count)
                             : up_to_date(w, &t->surface, b->edges, 2, b->edge_count);
}

static const vv_bvh *with_allocator(vvWorld *w, int body, bool tets)
{
    vvAllocator outer = vv_memory_use(w->allocator);
    const vv_bvh *found = tree_of(w, body, tets);
    vv_memory_use(outer);
    return found;
}

const vv_bvh *vv_surface_tree(vvWorld *w, int body) { return with_allocator(w, body, false); }
const vv_bvh *vv_tet_tree(vvWorld *w, int body) { return with_allocator(w, body, true); }

void vv_trees_free(vvWorld *w)
{
    for (size_t b = 0; b < w->tree_count; b++) {
        tree *both[] = { &w->trees[b].surface, &w->trees[b].tets };
        for (int i = 0; i < 2; i++) {
            vv_bvh_free(&both[i]->bvh);
            vv_free(both[i]->boxes);
        }
    }
    vv_free(w->trees);
    w->trees = NULL;
    w->tree_count = 0;
}

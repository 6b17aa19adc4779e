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

static const vv_bvh *tree_of(vvWorld *w, vv_body *b, bool tets)
{
    if (!b->trees)
        b->trees = vv_alloc(1, sizeof *b->trees);
    if (!b->trees)
        return NULL;
    if (tets)
        return up_to_date(w, &b->trees->tets, b->tets, 4, b->tet_count);
    return b->triangle_count ? up_to_date(w, &b->trees->surface, b->triangles, 3, b->triangle_count)
                             : up_to_date(w, &b->trees->surface, b->edges, 2, b->edge_count);
}

static const vv_bvh *with_allocator(vvWorld *w, vv_body *b, bool tets)
{
    vvAllocator outer = vv_memory_use(w->allocator);
    const vv_bvh *found = tree_of(w, b, tets);
    vv_memory_use(outer);
    return found;
}

const vv_bvh *vv_surface_tree(vvWorld *w, vv_body *b) { return with_allocator(w, b, false); }
const vv_bvh *vv_tet_tree(vvWorld *w, vv_body *b) { return with_allocator(w, b, true); }

void vv_body_trees_free(vv_body *b)
{
    if (!b->trees)
        return;
    tree *both[] = { &b->trees->surface, &b->trees->tets };
    for (int i = 0; i < 2; i++) {
        vv_bvh_free(&both[i]->bvh);
        vv_free(both[i]->boxes);
    }
    vv_free(b->trees);
    b->trees = NULL;
}

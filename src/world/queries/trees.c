/* The trees of boxes that queries use: one over each body's surface, one over its tets, made when first asked for. */
#include "world/queries/trees.h"

#include "base/memory.h"
#include "base/vec.h"

typedef struct tree {
    vv_bvh bvh;
    vv_box *boxes;
    double *x;      /* of the vertices of a carried surface that collides */
    uint64_t moved; /* the world's count at the last update of the boxes; 0: never */
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

/* Before the first step anything may have moved the nodes: then every query refits. skin: the list's vertices are its
 * own; or NULL. */
static const vv_bvh *up_to_date(vvWorld *w, tree *t, const vv_body *body, const vv_skin *skin, const int *list,
                                int corners, int count)
{
    if (w->baked && t->moved == w->moved)
        return &t->bvh;
    if (!t->boxes)
        t->boxes = vv_alloc((size_t)count, sizeof *t->boxes);
    if (skin && !t->x)
        t->x = vv_alloc(3 * (size_t)skin->vertex_count, sizeof *t->x);
    if (!t->boxes || (skin && !t->x))
        return NULL;
    if (skin)
        vv_skin_positions(skin, vvWorldPositions(w) + 3 * (size_t)body->first, t->x);
    fill(skin ? t->x : vvWorldPositions(w), list, corners, count, t->boxes);
    if (t->bvh.count == count)
        vv_bvh_refit(&t->bvh, t->boxes);
    else if (!vv_bvh_build(&t->bvh, t->boxes, count))
        return NULL;
    t->moved = w->moved;
    return &t->bvh;
}

static struct vv_body_trees *trees_of(vvWorld *w, int body)
{
    if (w->tree_count != w->body_count)
        vv_trees_free(w);
    if (!w->trees)
        w->trees = vv_alloc(w->body_count, sizeof *w->trees);
    if (!w->trees)
        return NULL;
    w->tree_count = w->body_count;
    return w->trees + body;
}

bool vv_surface_seen(vvWorld *w, int body, vv_seen *s)
{
    const vv_body *b = w->bodies + body;
    struct vv_body_trees *t = trees_of(w, body);
    const vv_skin *skin = b->surface_collides ? &b->skin : NULL;
    if (!t)
        return false;
    *s = (vv_seen){ .base = skin ? 0 : b->first, .solid = b->tet_count > 0 };
    if (skin)
        s->corners = 3, s->count = skin->triangle_count, s->list = skin->triangles;
    else if (b->point_count)
        s->corners = 1, s->count = b->point_count, s->list = b->points;
    else if (b->triangle_count)
        s->corners = 3, s->count = b->triangle_count, s->list = b->triangles;
    else
        s->corners = 2, s->count = b->edge_count, s->list = b->edges;
    s->tree = up_to_date(w, &t->surface, b, skin, s->list, s->corners, s->count);
    s->x = skin ? t->surface.x : vvWorldPositions(w);
    return s->tree != NULL;
}

const vv_bvh *vv_tet_tree(vvWorld *w, int body)
{
    const vv_body *b = w->bodies + body;
    struct vv_body_trees *t = trees_of(w, body);
    return t ? up_to_date(w, &t->tets, b, NULL, b->tets, 4, b->tet_count) : NULL;
}

void vv_trees_free(vvWorld *w)
{
    for (size_t b = 0; b < w->tree_count; b++) {
        tree *both[] = { &w->trees[b].surface, &w->trees[b].tets };
        for (int i = 0; i < 2; i++) {
            vv_bvh_free(&both[i]->bvh);
            vv_free(both[i]->boxes);
            vv_free(both[i]->x);
        }
    }
    vv_free(w->trees);
    w->trees = NULL;
    w->tree_count = 0;
}

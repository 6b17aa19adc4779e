/* Which colliding vertices a node moves, for energies that block descent asks one node at a time (energy/nodes.h). An
 * affine body's vertices hang on all nodes of its clump: such a vertex is visited once, with the clump's first node. */
#ifndef VV_CONTACT_BARRIER_VERTEX_NODES_H
#define VV_CONTACT_BARRIER_VERTEX_NODES_H

#include "contact/surfaces/vertices.h"
#include "energy/nodes.h"

/* *data: a vv_node_items whose items are entries of `node` and `weight` of the vertices. */
static inline vvStatus vv_vertex_items_create(const vv_vertices *vs, const vv_node_order *order, void **data,
                                              vvError *error)
{
    return vv_node_items_create(order, vs->start[vs->count], vs->node, data, error);
}

/* The vertex that an entry belongs to. */
static inline int vv_vertex_of_entry(const vv_vertices *vs, int entry)
{
    int low = 0, high = vs->count; /* start[low] <= entry < start[high] */
    if (vs->start[vs->count] == vs->count)
        return entry;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (vs->start[middle] <= entry)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* A vertex where a batch has its nodes, and how much of a node's motion it makes. */
typedef struct vv_vertex_place {
    int vertex; /* of a clump the weight is 1: see the functions below */
    double weight, x[3];
} vv_vertex_place;

static inline vv_vertex_place vv_vertex_place_of(const vv_vertices *vs, const vv_node_items *items,
                                                 const vv_node_batch *b, int item)
{
    const int entry = items->item[item];
    vv_vertex_place p = { .vertex = vv_vertex_of_entry(vs, entry), .weight = b->cross ? 1 : vs->weight[entry] };
    for (int i = vs->start[p.vertex]; i < vs->start[p.vertex + 1]; i++)
        for (size_t k = 0; k < 3; k++)
            p.x[k] += vs->weight[i] * b->x[4 * (size_t)vs->node[i] + k];
    return p;
}

/* Whether an item is another's vertex again. */
static inline bool vv_vertex_again(const vv_node_batch *b, const vv_node_items *items, int item)
{
    return b->cross && items->lane[item] % VV_CLUMP_NODES != 0;
}

/* Adds derivatives of a function of the place: g with the place's weight, h with its square. */
static inline void vv_vertex_add(const vv_vertices *vs, const vv_node_batch *b, int group, int lane, int vertex,
                                 const double g[3], const double h[9])
{
    if (!b->cross) {
        vv_node_add(b, group, lane, g, h);
        return;
    }
    const int begin = vs->start[vertex], end = vs->start[vertex + 1];
    for (int i = begin; i < end; i++) {
        const double w = vs->weight[i], force[3] = { w * g[0], w * g[1], w * g[2] };
        const int at = vv_clump_lane(b, group, lane, vs->node[i]);
        double own[9];
        for (int k = 0; k < 9; k++)
            own[k] = w * w * h[k];
        vv_node_add(b, group, at, force, own);
        for (int j = begin; j < i; j++)
            vv_clump_add(b, group, at, vv_clump_lane(b, group, lane, vs->node[j]), w * vs->weight[j], h);
    }
}

/* How far the place goes with the batch's moves. */
static inline void vv_vertex_way(const vv_vertices *vs, const vv_node_batch *b, int group, int lane,
                                 const vv_vertex_place *p, double way[3])
{
    const double *moves = b->moves + 24 * (ptrdiff_t)(group - b->begin);
    for (int k = 0; k < 3; k++)
        way[k] = b->cross ? 0 : b->reach * p->weight * moves[8 * k + lane];
    for (int i = vs->start[p->vertex]; b->cross && i < vs->start[p->vertex + 1]; i++)
        for (int k = 0; k < 3; k++)
            way[k] += b->reach * vs->weight[i] * moves[8 * k + vv_clump_lane(b, group, lane, vs->node[i])];
}

#endif

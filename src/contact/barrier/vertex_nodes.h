/* Which colliding vertices a node moves, for energies that block descent asks one node at a time (energy/nodes.h). */
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
    int vertex;
    double weight, x[3];
} vv_vertex_place;

static inline vv_vertex_place vv_vertex_place_of(const vv_vertices *vs, const vv_node_items *items,
                                                 const vv_node_batch *b, int item)
{
    const int entry = items->item[item];
    vv_vertex_place p = { .vertex = vv_vertex_of_entry(vs, entry), .weight = vs->weight[entry] };
    for (int i = vs->start[p.vertex]; i < vs->start[p.vertex + 1]; i++)
        for (size_t k = 0; k < 3; k++)
            p.x[k] += vs->weight[i] * b->x[4 * (size_t)vs->node[i] + k];
    return p;
}

#endif

/* What block descent sees of contact between surfaces in a sweep (theory §6.13): the coupled nodes change, and no order
 * of colours can separate them. So a sweep uses a model with a term for each node, g . dx + 1/2 dx . H dx, made where
 * the sweep begins (dx = 0): nothing in it depends on two nodes, and all may move at once. The nodes of a clump
 * (energy/nodes.h) share a term: it couples them with each other. */
#ifndef VV_CONTACT_PAIRS_NODE_MODEL_H
#define VV_CONTACT_PAIRS_NODE_MODEL_H

#include "contact/surfaces/vertices.h"
#include "energy/nodes.h"

typedef struct vv_node_model {
    const vv_node_order *order; /* the solver's, which lives as long */
    double *x, *g, *h;          /* nodes x 3, x 3, x 6: xx yy zz yz xz xy */
    double *cross;              /* VV_CLUMP_CROSS a clump, in the order of places */
    unsigned char *acts;        /* nodes: something is there */
    void *more;                 /* the maker's work space */
} vv_node_model;

/* *data: `count` models of one order in one piece of memory, with `more` bytes that they share. */
vvStatus vv_node_models_create(const vv_node_order *order, int count, size_t more, void **data, vvError *error);
/* An empty one, where nodes are at x (n x 3). */
void vv_node_model_start(vv_node_model *m, const double *x);
/* Adds a function of points r_i, vertices each, to second order: sum_i g_i . dr_i + 1/2 sum_k (sum_i v_ki . dr_i)^2;
 * g and squares have 3 numbers a point. The squares become a bound with a term for each node that moves: with c_a =
 * |w_a v_ki| of node a in point i, (sum_a w_a v_ki . dx_a)^2 <= (sum_a c_a) sum_a (w_a v_ki . dx_a)^2 / c_a, by
 * convexity; among all such bounds of one square it is the least. A clump's nodes count as one node of twelve numbers,
 * whose vector is the sum over points of their weights times v_ki. */
void vv_node_model_add(vv_node_model *m, const vv_vertices *vs, const int *vertex, int points, const double g[12],
                       double squares[][12], int count);
/* As in vv_node_ops. */
void vv_node_model_blocks(const vv_node_model *m, const vv_node_batch *b);
void vv_node_model_values(const vv_node_model *m, const vv_node_batch *b);

#endif

/* The barrier between surfaces, one node at a time (nodes.c): the functions of its vv_node_ops. */
#ifndef VV_CONTACT_PAIRS_NODES_H
#define VV_CONTACT_PAIRS_NODES_H

#include "contact/pairs/collisions.h"

vvStatus vv_pair_nodes_prepare(const vv_energy *e, const vv_node_order *order, void **data, vvError *error);
/* c: the energy's collisions. False: memory was short, or the host cancelled. */
bool vv_pair_nodes_gather(vv_energy *e, vv_collisions *c, void *data, const vv_parallel *par, const double *x,
                          int view);
void vv_pair_nodes_blocks(const vv_energy *e, const void *data, const vv_node_batch *b);
void vv_pair_nodes_values(const vv_energy *e, const void *data, const vv_node_batch *b);

#endif

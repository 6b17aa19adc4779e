/* The order in which block descent visits nodes (theory §6.13): colours of nodes that no energy couples, in groups of
 * eight, then those of affine bodies (energy/nodes.h). */
#ifndef VV_SOLVE_REALTIME_NODE_COLOURS_H
#define VV_SOLVE_REALTIME_NODE_COLOURS_H

#include "solve/system.h"

typedef struct vv_node_colours {
    vv_node_order order;
    int colours;
    int single; /* of these are of single nodes, the others of clumps */
    int *start; /* colours + 1: first group of each */
} vv_node_colours;

/* Of the unknowns of the system and the couplings of all its energies and dissipations. */
vvStatus vv_node_colours_create(vv_node_colours *c, const vv_system *system, vvError *error);
void vv_node_colours_free(vv_node_colours *c);

#endif

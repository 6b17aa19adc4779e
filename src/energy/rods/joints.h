/* Where the edges of a body go on as others: the joints of rods (theory §4.12). */
#ifndef VV_ENERGY_RODS_JOINTS_H
#define VV_ENERGY_RODS_JOINTS_H

#include "visviva/base.h"

typedef struct vv_joint {
    int nodes[3]; /* a, b, c */
    int edges[2]; /* a b and b c, as indices into the list */
} vv_joint;

/* Where two edges meet they make a joint, however sharp the turn. Where more meet, those pairs that go on most nearly
 * straight make one, the straightest first, each edge in one; if the number is odd, the edge that is left is joined
 * to the one that it goes on from most nearly straight. So the threads of a net go through each other's, and a branch
 * is fixed to what it comes from. edges: pairs of nodes, x: of the nodes. *joints: a new array (vv_alloc), in the
 * order of the nodes b. */
vvStatus vv_joints_find(int edge_count, const int *edges, const double *x, vv_joint **joints, int *count,
                        vvError *error);

#endif

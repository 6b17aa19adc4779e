/* Some groups of one colour under way in block descent: of single nodes (descent_visit.c) or of clumps
 * (descent_clumps.c). */
#ifndef VV_SOLVE_REALTIME_DESCENT_CHUNK_H
#define VV_SOLVE_REALTIME_DESCENT_CHUNK_H

#include "solve/realtime/block_descent.h"

enum { VV_DESCENT_LANES = 8, VV_DESCENT_HALVINGS = 30 };

typedef struct vv_descent_chunk {
    const vv_descent_solve *k;
    vv_node_batch batch;
    int groups;
    _Alignas(64) double blocks[VV_DESCENT_CHUNK * VV_NODE_BLOCK * VV_DESCENT_LANES];
    _Alignas(64) double moves[VV_DESCENT_CHUNK * 3 * VV_DESCENT_LANES];
    _Alignas(64) double start[VV_DESCENT_CHUNK * 3 * VV_DESCENT_LANES];
    /* of the move: omega, or where something ends it */
    _Alignas(64) double part[VV_DESCENT_CHUNK * VV_DESCENT_LANES];
    _Alignas(64) double promise[VV_DESCENT_CHUNK * VV_DESCENT_LANES]; /* -gradient . move */
    _Alignas(64) double before[VV_DESCENT_CHUNK * VV_DESCENT_LANES], after[VV_DESCENT_CHUNK * VV_DESCENT_LANES];
} vv_descent_chunk;

typedef enum vv_descent_asked { VV_DESCENT_BLOCKS, VV_DESCENT_VALUES, VV_DESCENT_LIMITS } vv_descent_asked;

/* Asks all energies at all views; what they add to is in c->batch. */
void vv_descent_ask(vv_descent_chunk *c, vv_descent_asked what);
/* values (groups x 8) = what of g depends on each node, or lanes of a clump added up: on that. */
void vv_descent_values(vv_descent_chunk *c, double *values);
/* q and all views, of the nodes of a chunk after `part` times their moves from `start`. */
void vv_descent_go(const vv_descent_chunk *c);

static inline size_t vv_descent_node(const vv_descent_chunk *c, int group, int lane)
{
    return (size_t)c->batch.node[VV_DESCENT_LANES * (size_t)(c->batch.begin + group) + (size_t)lane];
}

#endif

/* Batches of elements with k nodes: order, groups of eight lanes, blocks, colours, matrix slots.
 *
 * Elements of a body are cut into slabs of which only neighbours share nodes (slabs.h), and within a slab ordered in
 * space (recursive bisection of their centres) and cut into blocks. Slabs are coloured so that two of a colour share
 * no node, which takes two colours: within a colour they run in parallel, each with its blocks in order, and add
 * straight into gradient and matrix, without atomics; colours run one after the other. Nothing here depends on the
 * number of threads, so sums have the same bits for any number. */
#ifndef VV_ENERGY_BATCH_BATCH_H
#define VV_ENERGY_BATCH_BATCH_H

#include "base/simd/simd.h"
#include "energy/energy.h"
#include "mesh/macro.h"

enum { VV_BATCH_MOST = 10 };

typedef struct vv_batch {
    int k; /* nodes per element, at most VV_BATCH_MOST */
    int element_count, group_count, block_count, slab_count, color_count;
    int *block_group;              /* block_count + 1: first group of each block */
    int *block_part;               /* which part (body) of the input a block belongs to */
    int *slab_block;               /* slab_count + 1: first block of each slab */
    int *color_start, *color_slab; /* slabs of colour c: color_slab[color_start[c] .. color_start[c+1]) */
    int *source;                   /* group_count x 8: the element of a lane, ~element in padding lanes */
    int *nodes;                    /* group_count x k x 8 */
    /* where the lanes of a group are the tets of a macro-cell (macro_batch.c), else NULL: its nodes, group_count x
     * VV_MACRO_NODES, -1 past the last; which of them each of `nodes` is */
    int *around;
    unsigned char *place;
    double *partial; /* one number per block, for sums */
} vv_batch;

/* elements: element_count x k node indices, parts one after the other: part p is [part_start[p], part_start[p+1]).
 * position: of the nodes, for locality; NULL: neighbours in space have close indices. */
vvStatus vv_batch_create(vv_batch *batch, int k, int node_count, const double *position, int part_count,
                         const int *part_start, const int *elements, vvError *error);
/* Whether all nodes are there. */
vvStatus vv_batch_check(int k, int node_count, int part_count, const int *part_start, const int *elements,
                        vvError *error);
void vv_batch_free(vv_batch *batch);
/* Colours the slabs of a batch whose groups, blocks and slabs are filled in; the colours' arrays are there, with room
 * for one per slab. */
vvStatus vv_batch_color(vv_batch *batch, int node_count, vvError *error);

/* The same of tets, in macro-cells (mesh/macro.h): a group is one of these, and couples all of its nodes. */
vvStatus vv_batch_create_macros(vv_batch *batch, int node_count, const double *position, int part_count,
                                const int *part_start, const int *tets, vvError *error);

void vv_batch_pattern(const vv_batch *batch, const int *unknown, vv_pattern *pattern);
/* slots: a new array, group_count x vv_batch_slots_of_group; -1 where a node is not an unknown. */
vvStatus vv_batch_slots(const vv_batch *batch, const int *unknown, const vv_bsr *a, int **slots, vvError *error);

/* A group's are 8 x k x k, blocks (a, b) of a lane one after the other; of a macro-cell one for each pair of its nodes.
 */
static inline int vv_batch_slots_of_group(const vv_batch *b)
{
    return b->place ? VV_MACRO_NODES * VV_MACRO_NODES : VV_LANES * b->k * b->k;
}
/* Where that of nodes a and c of a lane is. */
static inline ptrdiff_t vv_batch_slot_at(const vv_batch *b, int lane, int a, int c)
{
    if (!b->place)
        return ((ptrdiff_t)lane * b->k + a) * b->k + c;
    const ptrdiff_t group = lane / VV_LANES;
    const unsigned char *place = b->place + group * b->k * VV_LANES + lane % VV_LANES;
    return (group * VV_MACRO_NODES + place[a * VV_LANES]) * VV_MACRO_NODES + place[c * VV_LANES];
}

typedef void vv_block_fn(void *arg, int block);
/* All blocks, in any order, in parallel. `work`: what an element takes, roughly, in ns (vv_helpers_for). */
void vv_batch_each(const vv_batch *batch, const vv_parallel *par, int work, vv_block_fn *fn, void *arg);
/* All blocks; those that share nodes one after the other, in an order that is always the same. Each colour wakes the
 * threads once. */
void vv_batch_colored(const vv_batch *batch, const vv_parallel *par, int work, vv_block_fn *fn, void *arg);
/* Sum of batch->partial in order, also added to per_body (may be NULL) by body[part]. */
double vv_batch_sum(const vv_batch *batch, const int *body, double *per_body);

/* Hands on the elements of a group, with their nodes and values (8, by lane). */
void vv_batch_group(const vv_batch *batch, int group, const double *values, vv_element_fn *found, void *arg);

#endif

/* What block descent needs of an energy: its dependence on one node at a time (theory §6.13).
 *
 * Nodes are visited in colours, no two nodes of a colour coupled, and within a colour in groups of eight, one node a
 * lane. For each node the elements around it are laid out with this node first, in rows: row r of a group holds the
 * r-th element of each of its eight nodes, so that a kernel reads everything but positions as a stream, loads a
 * node's own position once, and sums up without shuffling lanes. A node with fewer elements than its group's largest
 * gets rows of padding, without weight; groups are made of nodes with like numbers of neighbours, so that these are
 * few.
 *
 * An affine body cannot be bent by moving one of its nodes against the others: its four nodes are visited together, as
 * a clump. A group of clumps holds two, four lanes each, and for these there are the blocks between nodes of a clump,
 * too.
 *
 * Size: a tet with a node is 88 bytes of numbers and 12 of indices, and some 240 instructions for eight of them. */
#ifndef VV_ENERGY_NODES_H
#define VV_ENERGY_NODES_H

#include "visviva/base.h"

#include "base/parallel.h"

#include <stddef.h>

struct vv_energy;
struct vv_batch;

typedef struct vv_node_order {
    int nodes; /* of the world */
    int groups;
    int single; /* groups of single nodes; those after them are of clumps, with 4 or 8 lanes */
    int *node;  /* groups x 8; lanes beyond the group's nodes repeat its first */
    int *lanes; /* groups: how many nodes, 1 to 8; of clumps: all of the first in the last ones, too */
    int *place; /* per node: 8 group + lane, -1: not visited */
} vv_node_order;

enum {
    VV_NODE_BLOCK = 9, /* gradient x, y, z; second derivatives xx, yy, zz, yz, xz, xy */
    VV_CLUMP_NODES = 4,
    VV_CLUMP_CROSS = 6 * 9 /* blocks of the nodes (0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3) of a clump */
};

/* Some groups of one colour, all of single nodes or all of clumps. Arrays of results begin with group `begin` and hold
 * vectors of eight lanes; they are 64-byte aligned. */
typedef struct vv_node_batch {
    int begin, end;
    int view;        /* which of the places where the energy is evaluated: see `gather` */
    const int *node; /* the order's */
    /* n x 4, 32-byte aligned, the fourth numbers are not used: positions, of a dissipation velocities */
    const double *x;
    double gradient, hessian; /* blocks: factors of the derivatives */
    double value;             /* values: of the energy */
    double *blocks;           /* groups x 9 x 8 */
    double *values;           /* groups x 8 */
    double reach;             /* limits: factor of the moves */
    const double *moves;      /* limits: groups x 3 x 8 */
    double *limits;           /* groups x 8 */
    double *cross;            /* groups x 2 x VV_CLUMP_CROSS, of second derivatives; NULL: groups are of single nodes */
} vv_node_batch;

/* An energy's part. Of clumps `blocks` also adds the blocks between their nodes, `values` adds each term that depends
 * on a clump once, to any of its lanes, and `limits` lowers any of its lanes where all its nodes go together. The
 * functions are called for disjoint batches on several threads at once. `data` is what `prepare` gave for the order
 * that the groups are of. */
typedef struct vv_node_ops {
    /* NULL: nothing is needed. Else what the functions read, one piece of memory (vv_alloc) that the caller then
     * owns. */
    vvStatus (*prepare)(const struct vv_energy *e, const vv_node_order *order, void **data, vvError *error);
    /* NULL, or called where a sweep begins, with all nodes at x (n x 3): what couples nodes that come and go, so that
     * no order of colours can keep them apart, may be replaced until the next call by a bound of single nodes made
     * there. False: memory was short, or the host cancelled. */
    bool (*gather)(struct vv_energy *e, void *data, const vv_parallel *par, const double *x, int view);
    /* blocks += derivatives with respect to each node alone. Second derivatives may be replaced by a larger
     * semidefinite matrix. */
    void (*blocks)(const struct vv_energy *e, const void *data, const vv_node_batch *b);
    /* values += the terms that depend on each node, up to a constant; +infinity outside the domain. */
    void (*values)(const struct vv_energy *e, const void *data, const vv_node_batch *b);
    /* NULL: any move is fine. Else limits = min(limits, the t up to which the node may go along reach * t * move, the
     * others staying), with the margin of max_step. */
    void (*limits)(const struct vv_energy *e, const void *data, const vv_node_batch *b);
} vv_node_ops;

/* The elements of a batch around each node. */
typedef struct vv_incidence {
    const int *start;     /* groups + 1: the rows of a group */
    const int *other;     /* rows x (k - 1) x 8: the element's other nodes, ascending corners */
    const double *number; /* rows x numbers x 8 */
} vv_incidence;

/* Writes what a kernel needs of an element (a lane of the batch) around its corner: number i at to[8 i]. */
typedef void vv_incidence_fn(const void *arg, int lane, int corner, double *to);
/* *data: a vv_incidence. Numbers from `weights` on are 0 in padding. */
vvStatus vv_incidence_create(const vv_node_order *order, const struct vv_batch *batch, int numbers, int weights,
                             vv_incidence_fn *fill, const void *arg, void **data, vvError *error);

/* For energies of single nodes: which of `count` nodes are in a group. */
typedef struct vv_node_items {
    const int *start; /* groups + 1 */
    const int *item;  /* index into the nodes */
    const int *lane;
} vv_node_items;
/* *data: a vv_node_items. Nodes that are not visited are left out. */
vvStatus vv_node_items_create(const vv_node_order *order, int count, const int *nodes, void **data, vvError *error);

/* Adds derivatives of a function of one node to its lane: g and the symmetric block h (row-major). */
static inline void vv_node_add(const vv_node_batch *b, int group, int lane, const double g[3], const double h[9])
{
    static const int from[6] = { 0, 4, 8, 5, 2, 1 };
    double *to = b->blocks + 8 * (ptrdiff_t)(VV_NODE_BLOCK * (group - b->begin)) + lane;
    for (int k = 0; k < 3; k++)
        to[8 * k] += b->gradient * g[k];
    for (int k = 0; h && k < 6; k++)
        to[8 * (3 + k)] += b->hessian * h[from[k]];
}

/* Which lane of the clump that `lane` is of has this node; -1: none. */
static inline int vv_clump_lane(const vv_node_batch *b, int group, int lane, int node)
{
    const int first = lane / VV_CLUMP_NODES * VV_CLUMP_NODES;
    for (int l = first; l < first + VV_CLUMP_NODES; l++)
        if (b->node[8 * (ptrdiff_t)group + l] == node)
            return l;
    return -1;
}

/* Adds scale h between two lanes of a clump, not the same: d2/dx_a dx_b, row-major. */
static inline void vv_clump_add(const vv_node_batch *b, int group, int lane, int other, double scale, const double h[9])
{
    static const int pair[4][4] = { { 0, 0, 1, 2 }, { 0, 0, 3, 4 }, { 1, 3, 0, 5 }, { 2, 4, 5, 0 } };
    double *to = b->cross + VV_CLUMP_CROSS * (ptrdiff_t)(2 * (group - b->begin) + lane / VV_CLUMP_NODES) +
                 9 * (ptrdiff_t)pair[lane % VV_CLUMP_NODES][other % VV_CLUMP_NODES];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            to[3 * r + c] += b->hessian * scale * (lane < other ? h[3 * r + c] : h[3 * c + r]);
}

static inline const double *vv_node_position(const vv_node_batch *b, int group, int lane)
{
    return b->x + 4 * (ptrdiff_t)b->node[8 * (ptrdiff_t)group + lane];
}

#endif

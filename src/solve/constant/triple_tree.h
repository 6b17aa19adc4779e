/* The shape of a factor for three right-hand sides: supernodes, and the tasks into which its elimination tree is cut.
 * Follows from the pattern alone. Theory §6.11.
 *
 * A task is a connected part of the tree: a subtree, or the part above some subtrees. Its unknowns are numbered by
 * themselves: first its own columns, then the rows above it, which its parent task knows too, then two unused places:
 * one pads lists, the other receives a supernode's updates of its own last columns. */
#ifndef VV_SOLVE_CONSTANT_TRIPLE_TREE_H
#define VV_SOLVE_CONSTANT_TRIPLE_TREE_H

#include <stdbool.h>
#include <stddef.h>

enum {
    VV_TRIPLE_BLOCK =
        64, /* columns of a block: values are stored by blocks of columns, then groups of rows, then columns */
    VV_TRIPLE_PADS = 2,
};

typedef struct vv_supernode {
    int column, own; /* its first column in the new order, and its number within the task */
    int width, rows; /* columns; rows, its own columns first */
    size_t row;      /* its list in `row`, padded to whole groups */
    size_t value;    /* where its values begin */
} vv_supernode;

typedef struct vv_triple_task {
    int column, columns; /* its own, in the new order */
    int above;           /* rows above it */
    int supernode, supernode_end;
    int parent;           /* -1: none */
    int child, child_end; /* in `child` */
    int level;            /* 0: has no children; otherwise more than each of them */
    size_t place;         /* where its unknowns begin */
    size_t list;          /* its rows above in `above` and `in_parent` */
    double weight;
} vv_triple_task;

typedef struct vv_triple_tree {
    int n, lanes; /* rows of a group */
    int supernodes, tasks, levels, widest;
    int *order; /* new to old */
    vv_supernode *supernode;
    vv_triple_task *task;
    int *row;       /* the task's numbers of supernodes' rows */
    int *above;     /* columns above each task, in the new order */
    int *in_parent; /* their numbers in the parent task */
    int *child;     /* tasks */
    int *level;     /* levels + 1: where each level begins in `by_level` */
    int *by_level;  /* tasks */
    size_t values, places, entries, read;
} vv_triple_tree;

/* Lower triangle of the matrix in compressed columns, its elimination tree postordered. False: out of memory; free it
 * all the same. */
bool vv_triple_tree_build(vv_triple_tree *tree, int n, const int *start, const int *row, int lanes);
void vv_triple_tree_free(vv_triple_tree *tree);

static inline size_t vv_triple_groups(const vv_triple_tree *tree, int rows)
{
    return ((size_t)rows + (size_t)tree->lanes - 1) / (size_t)tree->lanes;
}

#endif

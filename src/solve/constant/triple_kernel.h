/* Inner loops of the solves with three right-hand sides, one set for each type of number and each instruction set. */
#ifndef VV_SOLVE_CONSTANT_TRIPLE_KERNEL_H
#define VV_SOLVE_CONSTANT_TRIPLE_KERNEL_H

#include "base/simd/simd.h"
#include "solve/constant/triple_tree.h"

/* Pointers to void are to numbers of the factor's type. An unknown takes four: x, y, z, 0. */
typedef struct vv_triple_work {
    const vv_triple_tree *tree;
    const void *value;
    const int *node;     /* old of each new column */
    const double *scale; /* of each new column: the factor is that of S A S */
    void *place;         /* the tasks' unknowns */
    void *fresh;         /* of each new column: room for a supernode's results */
    const double *b;
    double *x;
} vv_triple_work;

typedef struct vv_triple_kernels {
    /* A task's share of the upward pass: takes b and what its children pass on, leaves what it passes on. */
    void (*forward)(const vv_triple_work *w, int task);
    /* And of the downward pass: takes from its parent's unknowns, leaves its own, also in x. */
    void (*backward)(const vv_triple_work *w, int task);
    /* The same in parts, for tasks that several threads share: begin_up, then for each supernode that has rows below
     * it `up` for its groups of rows from width / lanes on, in any order; begin_down, then for each supernode, the
     * last one first, `down` for its blocks of columns, in any order, and settle; end_down. The bits are the same. */
    void (*begin_up)(const vv_triple_work *w, int task);
    void (*up)(const vv_triple_work *w, int task, int k, int group, int group_end);
    void (*begin_down)(const vv_triple_work *w, int task);
    void (*down)(const vv_triple_work *w, int task, int k, int block);
    void (*settle)(const vv_triple_work *w, int task, int k);
    void (*end_down)(const vv_triple_work *w, int task);
    /* The stored form of supernode k, from its columns of L: rows x width, column-major. inverse: room for width x
     * (width + 3) numbers; group: for width x lanes. False: the host wants no more (base/stop.h). */
    bool (*store)(const vv_triple_tree *tree, int k, const double *l, double *inverse, double *group, void *value);
} vv_triple_kernels;

/* Rows of a group: 64 bytes. */
enum { VV_TRIPLE_LANES_SINGLE = 16, VV_TRIPLE_LANES_DOUBLE = 8 };

VV_VARIANTS(const vv_triple_kernels, vv_triple_single);
VV_VARIANTS(const vv_triple_kernels, vv_triple_double);

#endif

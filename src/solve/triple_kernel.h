/* Inner loops of the solves with three right-hand sides, one set for each type of number and each instruction set. */
#ifndef VV_SOLVE_TRIPLE_KERNEL_H
#define VV_SOLVE_TRIPLE_KERNEL_H

#include "base/cpu.h"
#include "solve/triple_tree.h"

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
    /* A task's share of the way up: takes b and what its children pass on, leaves what it passes on. */
    void (*forward)(const vv_triple_work *w, int task);
    /* And of the way down: takes from its parent's unknowns, leaves its own, also in x. */
    void (*backward)(const vv_triple_work *w, int task);
    /* The stored form of supernode k, from its columns of L: rows x width, column-major. inverse: room for width x width numbers;
     * group: for width x lanes. */
    void (*store)(const vv_triple_tree *tree, int k, const double *l, double *inverse, double *group, void *value);
} vv_triple_kernels;

/* Rows of a group: 64 bytes. */
enum { VV_TRIPLE_LANES_SINGLE = 16, VV_TRIPLE_LANES_DOUBLE = 8 };

const vv_triple_kernels *vv_triple_kernels_for(vv_isa isa, bool single);
const vv_triple_kernels *vv_triple_single_base(void);
const vv_triple_kernels *vv_triple_single_avx2(void);
const vv_triple_kernels *vv_triple_single_avx512(void);
const vv_triple_kernels *vv_triple_double_base(void);
const vv_triple_kernels *vv_triple_double_avx2(void);
const vv_triple_kernels *vv_triple_double_avx512(void);

#endif

/* Blocks of a vv_bsr outside its fixed pattern: couplings that come and go, such as contact's.
 *
 * Each unordered pair of unknowns is stored once while an assembly adds to it; vv_bsr_finish then lays the blocks out
 * in rows for the product and the solvers. The layout holds exactly the couplings that were added since vv_bsr_clear,
 * sorted: it and all that is computed with it depend neither on the order in which they came nor on earlier
 * assemblies. */
#ifndef VV_BASE_SPARSE_EXTRA_H
#define VV_BASE_SPARSE_EXTRA_H

#include "visviva/base.h"

#include <stdbool.h>
#include <stddef.h>

struct vv_bsr;
struct vv_bsr_adding; /* what an assembly adds to: base/sparse/extra.c */

typedef struct vv_bsr_extra {
    int rows, nnz;      /* rows that have blocks; blocks, of both triangles. 0 between vv_bsr_clear and vv_bsr_finish */
    int *row;           /* those rows, ascending */
    int *start;         /* n + 1, of all rows; undefined while nnz is 0 */
    int *col;           /* nnz, ascending in each row */
    double *val;        /* 9 * nnz, column-major, and padding that 4-wide loads may read */
    int couplings;      /* nnz / 2 */
    int (*coupling)[2]; /* row < col, ascending */
    struct vv_bsr_adding *adding;
    bool failed; /* an addition ran out of memory */
} vv_bsr_extra;

/* Adds the block (column-major) at (row, col) and its transpose at (col, row): one call per unordered pair. If
 * row == col it is added once and must be symmetric. If row or col is negative (a prescribed node), nothing is added.
 * The pair need not be in the pattern. Blocks of one pair are summed in the order of the calls. If memory runs out
 * the block is lost and vv_bsr_status reports it. One thread at a time. */
void vv_bsr_add(struct vv_bsr *a, int row, int col, const double block[9]);
/* Ends an assembly that began with vv_bsr_clear: blocks outside the pattern count in products from here on. */
void vv_bsr_finish(struct vv_bsr *a);
/* VV_ERROR_MEMORY if the assembly lost a block. */
vvStatus vv_bsr_status(const struct vv_bsr *a, vvError *error);

/* y += C x over the rows [row_begin, row_end), C the blocks outside the pattern; returns these rows' part of x.C x. */
double vv_bsr_extra_multiply_rows(const struct vv_bsr *a, const double *x, double *y, int row_begin, int row_end);

/* A copy of the couplings outside the pattern, by which a solver knows whether what it prepared still fits. */
typedef struct vv_bsr_couplings {
    int (*coupling)[2];
    size_t count, capacity;
} vv_bsr_couplings;
bool vv_bsr_couplings_match(const vv_bsr_couplings *couplings, const struct vv_bsr *a);
/* false: out of memory, and the copy is empty */
bool vv_bsr_couplings_copy(vv_bsr_couplings *couplings, const struct vv_bsr *a);
void vv_bsr_couplings_free(vv_bsr_couplings *couplings);

/* for bsr.c */
void vv_bsr_extra_clear(vv_bsr_extra *e);
void vv_bsr_extra_free(vv_bsr_extra *e);

#endif

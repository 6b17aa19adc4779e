/* Square sparse matrix of 3x3 blocks, block compressed rows, full (both triangles) storage.
 *
 * Rows are unknowns: the free nodes, in the world's own order (space-filling curve). Blocks are COLUMN-major: block b
 * holds K_rs at val[9*b + 3*s + r], so that y += K x is three column updates. One spare block at index nnz receives
 * what is added to rows or columns that do not exist (prescribed nodes): assembly needs no branch.
 *
 * The pattern is fixed; couplings that come and go are stored beside it (base/sparse/extra.h) and belong to the matrix
 * too. */
#ifndef VV_BASE_SPARSE_BSR_H
#define VV_BASE_SPARSE_BSR_H

#include "base/sparse/extra.h"
#include "base/simd/cpu.h"
#include "base/parallel.h"
#include "visviva/base.h"

typedef struct vv_bsr {
    int n, nnz;       /* block rows; blocks */
    int *row_start;   /* n + 1 */
    int *col;         /* nnz, ascending in each row */
    int *diag;        /* n: block index of the diagonal block */
    double *val;      /* 9 * (nnz + 1), and padding that 4-wide loads may read */
    vv_isa isa;       /* which kernels run its products; set by vv_bsr_build */
    const int *clump; /* the first of every four rows that belong together (solve/linear/clumps.h); not owned */
    int clumps;
    const int *body; /* n: whose each row is, those of a body side by side; not owned; NULL: not known */
    /* 3 n: where the rows' nodes are, m; before the first assembly: where they were made; not owned; NULL: not known */
    const double *place;
    vv_bsr_extra extra; /* blocks outside the pattern */
} vv_bsr;

/* Collects couplings between unknowns; every row includes its diagonal. */
typedef struct vv_pattern {
    int n;
    int (*couplings)[2];
    size_t count, capacity;
    int failed; /* out of memory: reported by vv_bsr_build */
} vv_pattern;
/* Couples all of the k unknowns with each other; negative ones (prescribed) are skipped. */
void vv_pattern_clique(vv_pattern *pattern, const int *unknowns, int k);
void vv_pattern_free(vv_pattern *pattern);

vvStatus vv_bsr_build(vv_bsr *a, const vv_pattern *pattern, vvError *error);
void vv_bsr_free(vv_bsr *a);
/* Block index of (row, col); the spare block nnz if either is negative or (row, col) is not in the pattern. */
int vv_bsr_slot(const vv_bsr *a, int row, int col);
/* Begins an assembly: all values 0, no blocks outside the pattern. */
void vv_bsr_clear(vv_bsr *a, const vv_parallel *par);
/* y = A x over the rows of chunk c of VV_BSR_CHUNK rows: for callers that fuse loops. */
enum { VV_BSR_CHUNK = 512 };
void vv_bsr_multiply_rows(const vv_bsr *a, const double *x, double *y, int row_begin, int row_end);
void vv_bsr_multiply(const vv_bsr *a, const vv_parallel *par, const double *x, double *y);

#endif

/* Triangular solves with a supernodal factor, for hundreds of solves with one factor (solve/pcg/coupled.h). Whole
 * solves, of a scalar matrix and three right-hand sides: solve/constant/triple.h.
 *
 * L is cut into panels: up to VV_PANEL_WIDTH columns with the same rows below them. The part below a panel's corner
 * is stored in groups of eight rows, column by column, so that either solve reads forwards. In double precision:
 * contact may be 10^6 times stiffer than the rest, which would be lost in single precision. */
#ifndef VV_SOLVE_LINEAR_PANELS_H
#define VV_SOLVE_LINEAR_PANELS_H

#include "base/simd/simd.h"

#include <stdbool.h>
#include <stddef.h>

enum { VV_PANEL_WIDTH = 12, VV_PANEL_ROWS = 8 };

typedef struct vv_factor_panel {
    int column, width;    /* its columns */
    size_t row, groups;   /* where its rows begin in `row`, and its number of groups of VV_PANEL_ROWS */
    size_t value, corner; /* where its values begin */
} vv_factor_panel;

typedef struct vv_panels {
    int n;
    size_t count;
    vv_factor_panel *panel;
    int *row;       /* padded with n */
    double *value;  /* a group's columns of VV_PANEL_ROWS; padded with 0 */
    double *corner; /* width x width, column-major, with the inverse of the diagonal */
    size_t panel_capacity, row_capacity, value_capacity, corner_capacity;
} vv_panels;

/* A supernodal factor in CHOLMOD's layout: supernode k has the columns super[k] to super[k + 1] and the rows s[pi[k]]
 * to s[pi[k + 1]], the first of which are its columns; its values, column-major, begin at x[px[k]]. */
typedef struct vv_supernodes {
    int n, count;
    const int *super, *pi, *px, *s;
    const double *x;
} vv_supernodes;

/* False: out of memory; the previous content is void. */
bool vv_panels_pack(vv_panels *p, const vv_supernodes *l);
void vv_panels_free(vv_panels *p);

/* x = L^-1 x and x = L^-T x; x has n + 1 numbers (the last is padding), all finite. */
typedef struct vv_panel_kernels {
    void (*solve)(const vv_panels *p, double *x);
    void (*solve_transposed)(const vv_panels *p, double *x);
} vv_panel_kernels;

VV_VARIANTS(const vv_panel_kernels, vv_panel_kernels);

#endif

/* Blocks of contacts between affine bodies, summed for each pair of bodies before they go to the matrix.
 *
 * Each vertex of an affine body hangs on the same four nodes, so that all contacts between two of them couple the
 * same eight: their blocks are added up to one 24 x 24 matrix, which costs some 36 additions to the sparse matrix in
 * place of 160 a contact. Contacts come sorted by the body of their first vertex; the sums of that body are kept
 * open, and flushed when it changes. */
#ifndef VV_CONTACT_PAIRS_BODY_SUMS_H
#define VV_CONTACT_PAIRS_BODY_SUMS_H

#include "contact/surfaces/surface.h"
#include "energy/energy.h"

/* K_ab between nodes a <= b of a body, in the order 00, 01, 02, 03, 11, 12, ..., or 4 a + b between the bodies;
 * column-major. K_aa are symmetric but for rounding. */
typedef struct vv_body_sum {
    int second;
    double own[2][10][9], mutual[16][9];
} vv_body_sum;

typedef struct vv_body_sums {
    int first;
    size_t count, capacity;
    vv_body_sum *open;
} vv_body_sums;

void vv_body_sums_free(vv_body_sums *sums);
/* Whether contacts between these bodies can be summed: both are affine, or one is and the other is moved. */
bool vv_body_sums_take(const vv_surface *surface, int a, int b);
/* Adds a contact of `points` vertices, the first `near` of them on one body: block[] between its points i <= j, by
 * rows. False: out of memory, nothing was added. */
bool vv_body_sums_add(vv_body_sums *sums, const vv_surface *surface, const int *vertex, int points, int near,
                      double block[][9], const vv_block_target *to);
/* The same where the block between points i and j is w_i w_j times one symmetric block. */
bool vv_body_sums_add_even(vv_body_sums *sums, const vv_surface *surface, const int *vertex, int points, int near,
                           const double *w, const double block[9], const vv_block_target *to);
/* To the matrix, what is still open. */
void vv_body_sums_flush(vv_body_sums *sums, const vv_surface *surface, const vv_block_target *to);

#endif

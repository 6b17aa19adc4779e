/* Constant quadratic models of energies: what real-time solvers factor once for all steps (theory §6.10).
 *
 * A model of E at any x0 is E(x0) + dE(x0) (x - x0) + 1/2 sum_ab L_ab (x_a - x0_a) . (x_b - x0_b), with one number
 * L_ab per pair of nodes, the same for the three coordinates and for all x0. Of two kinds:
 *   VV_QUADRATIC_BOUND  E lies nowhere above its model (but see `loose`), so a step to the model's minimum never
 *       raises it. This is what projective
 *                       dynamics needs (Bouaziz et al. 2014): with E(x) = min_p w/2 |A x - p|^2 over p in a set, L =
 *                       w A^T A, and the model's gradient w A^T (A x - p(x)) at the local projection p(x) is that of
 *                       E. The local step is the gradient.
 *   VV_QUADRATIC_REST   what E is like near its rest state; E may lie above. For quasi-Newton methods (Liu, Bouaziz,
 *       Kavan 2017). */
#ifndef VV_ENERGY_QUADRATIC_H
#define VV_ENERGY_QUADRATIC_H

#include "visviva/base.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum vv_quadratic_kind { VV_QUADRATIC_BOUND, VV_QUADRATIC_REST } vv_quadratic_kind;

typedef struct vv_quadratic_entry {
    int row, col; /* unknowns, row > col */
    double value;
} vv_quadratic_entry;

/* Sums up L over the unknowns; what concerns prescribed nodes only is dropped. */
typedef struct vv_quadratic {
    int n;
    const int *unknown; /* node -> row, -1: prescribed */
    double *diagonal;   /* n */
    vv_quadratic_entry *entry;
    size_t count, capacity;
    bool failed; /* out of memory */
    /* VV_QUADRATIC_BOUND: an energy lies above its model where elements are stretched a lot and thin; else nowhere */
    bool loose;
} vv_quadratic;

bool vv_quadratic_init(vv_quadratic *q, int n, const int *unknown);
void vv_quadratic_free(vv_quadratic *q);
/* Room for so many more couplings; false, and `failed`, if there is none. */
bool vv_quadratic_reserve(vv_quadratic *q, size_t more);

static inline void vv_quadratic_add_diagonal(vv_quadratic *q, int node, double value)
{
    if (q->unknown[node] >= 0)
        q->diagonal[q->unknown[node]] += value;
}

/* L_ab and L_ba += value, a != b; there must be room. */
static inline void vv_quadratic_add(vv_quadratic *q, int a, int b, double value)
{
    int i = q->unknown[a], j = q->unknown[b];
    if (i >= 0 && j >= 0)
        q->entry[q->count++] = i > j ? (vv_quadratic_entry){ i, j, value } : (vv_quadratic_entry){ j, i, value };
}

/* Sorts the entries by column and row and adds up equal places, in the order in which they were added. */
vvStatus vv_quadratic_finish(vv_quadratic *q, vvError *error);

#endif

/* The second level of the preconditioner of solve/pcg/ssor.c: the rigid modes of aggregates (theory §6.4).
 *
 * Aggregates are compact parts of a body (solve/pcg/aggregates.h). Where a step is long or a body stiff, Gauss-Seidel
 * hardly sees what moves an aggregate as a whole, and the iterations grow with the mesh. With Z the six rigid modes of
 * each aggregate, Z~ = C^T Z in the scaled unknowns of ssor.c, and W^ = (1 + L^T) Z~, E = Z^T A Z = Z~^T W^ + W^T
 * Z~ - Z~^T Z~ needs no product with A, and z = r + W^ E^-1 W^T r is what conjugate gradients take in place of r: the
 * sum of Gauss-Seidel and the exact solution among those modes. */
#ifndef VV_SOLVE_PCG_SECOND_LEVEL_H
#define VV_SOLVE_PCG_SECOND_LEVEL_H

#include "solve/pcg/dense_tiles.h"
#include "solve/linear/linear.h"
#include "solve/pcg/modes.h"
#include "solve/pcg/second_kernel.h"

typedef struct vv_second_level {
    vv_second v;
    int aggregates;       /* 0: there can be none */
    int *row_of;          /* the aggregate of each row, in A's order */
    vv_dense_tiles tiles; /* E, then its factor */
    int *near;            /* of each block of v.block: the other aggregate */
    int *stamp;           /* 2 an aggregate: scratch */
    double entries;       /* of W^, for the present order */
    double expected;      /* as tiles.flops, where no two bodies touch */
    const vv_second_kernels *kernels;
    vv_parallel par;
    struct {
        size_t list, aggregate, slot, w, near, block;
    } room;
    bool made;   /* the arrays whose size is that of the matrix are there */
    bool in_use; /* E is factorised, with the values of this solve */
} vv_second_level;

/* Which rows belong together; `aggregates` is 0 where the matrix does not say whose its rows are, or there would be too
 * many. */
vvStatus vv_second_create(vv_second_level *l, const vv_bsr *a, const vv_parallel *par, vvError *error);
/* Completes the shape with what it will need, as long as nobody knows. */
void vv_second_guess(const vv_second_level *l, vv_pcg_shape *shape);
/* And with what it needs, once it is fitted, for the memory. */
void vv_second_count(const vv_second_level *l, vv_pcg_memory *m, vv_pcg_shape *shape);
/* A guess at the iterations of Gauss-Seidel alone over ln(2/tolerance), from the matrix: the condition number is at
 * least that which a body's translations show, and the iterations hardly more than the body's nodes along an edge. */
double vv_second_plain_rate(const vv_bsr *a);
void vv_second_free(vv_second_level *l);
/* Makes what depends on the order of the sweeps alone. */
vvStatus vv_second_fit(vv_second_level *l, const vv_ssor *s, vvError *error);
/* For the values in s->w and s->up, and the places of its matrix. False, and it is not in use: E is not positive
 * definite. */
bool vv_second_build(vv_second_level *l, vv_ssor *s);
/* E^-1 W^T r into the memory that the backward sweep reads; returns r.W^ E^-1 W^T r. */
double vv_second_apply(const vv_second_level *l, const vv_ssor *s);

#endif

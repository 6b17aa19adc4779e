/* Where nodes may be, as constraints that hold exactly (theory §5.14; Gast, Schroeder 2014, §3.2). A system carries
 * at most one such object. A solver that takes it (vv_solver_ops.constrains) minimises g(P(q)): P moves nodes that are
 * inside something, and held ones, to the surface. Each iteration chooses the held nodes from their positions and
 * forces, and keeps its directions along the surfaces.
 *
 * Positions are in node space, gradients and matrices in unknown space; unknown[node] and node[unknown] as in the
 * system. */
#ifndef VV_ENERGY_FEASIBLE_H
#define VV_ENERGY_FEASIBLE_H

#include "base/sparse/bsr.h"
#include "base/parallel.h"

#include <stdbool.h>

typedef struct vv_feasible vv_feasible;

/* How unknowns and nodes are numbered. */
typedef struct vv_numbering {
    const int *unknown, *node;
} vv_numbering;

typedef struct vv_feasible_ops {
    /* No node is held. */
    void (*release)(vv_feasible *f);
    /* q = P(q), of the free nodes, with obstacles where q has their prescribed nodes. False: a node found no place. */
    bool (*project)(vv_feasible *f, const vv_parallel *par, const vv_numbering *as, double *q);
    /* gradient of g at P(x) -> that of g(P(x)). */
    void (*pull_back)(vv_feasible *f, const vv_parallel *par, const vv_numbering *as, const double *x,
                      double *gradient);
    /* Holds at q, which is P(q), the nodes that touch something and that -gradient presses against it, and no
     * others. */
    void (*choose)(vv_feasible *f, const vv_parallel *par, const vv_numbering *as, const double *q,
                   const double *gradient);
    /* What is held loses its part along the normals: of the gradient, and of the matrix (NULL: none), where something
     * positive takes its place. exact: the matrix also gets what the surfaces' curvature adds. To be called after
     * `choose`, at the same place. */
    void (*reduce)(vv_feasible *f, const vv_numbering *as, double *gradient, vv_bsr *a, bool exact);
    /* q = P(q) with no node held before, after a solve that knew nothing of this; what was moved is held, pressed by
     * its mass times its displacement. False: like project. */
    bool (*put)(vv_feasible *f, const vv_numbering *as, const double *mass, double *q);
    /* What presses where the last choice was made, times `scale`, are the forces, N, that stand until the next time. */
    void (*press)(vv_feasible *f, double scale);
    /* Remembers these forces; back: those that were remembered stand again. */
    void (*remember)(vv_feasible *f, bool back);
    void (*destroy)(vv_feasible *f);
} vv_feasible_ops;

struct vv_feasible {
    const vv_feasible_ops *ops;
    bool after; /* a step's solve is not to know of it: what ends inside is put outside when that is over */
};

#endif

/* What the parts of block descent share: the solver and its solves (block_descent.c), and how a chunk of nodes is
 * visited (descent_visit.c). */
#ifndef VV_SOLVE_REALTIME_BLOCK_DESCENT_H
#define VV_SOLVE_REALTIME_BLOCK_DESCENT_H

#include "solve/realtime/budget.h"
#include "solve/realtime/descent_kernel.h"
#include "solve/realtime/node_colours.h"

enum { VV_DESCENT_CHUNK = 16 /* groups */, VV_DESCENT_VIEWS = VV_MAX_SAMPLES + 2 };
#define VV_DESCENT_ROUNDING 1e-13 /* of g's terms */

typedef struct vv_descent_offer { /* an energy's part */
    uint64_t serial;              /* 0: none */
    void *data;
} vv_descent_offer;

typedef struct vv_block_descent {
    vv_solver base;
    vv_system *system;
    vv_node_colours colours;
    vv_descent_offer energy[VV_MAX_ENERGIES], dissipation[VV_MAX_ENERGIES];
    bool limited;      /* some energy ends moves of nodes, */
    bool filtered;     /* or that of all at a sweep's end */
    bool gathers;      /* some energy is gathered where a sweep begins */
    int *whole;        /* per node of a clump that clump's first, of others -1; NULL: there is no clump */
    double *longest;   /* per chunk of groups of a colour, or group of clumps: square of the longest move, */
    double *stiffness; /* sum of m + tr H / 3, over all colours */
    vv_descent_fn *step;
} vv_block_descent;

/* Where energies are evaluated: at factor q + shift, n x 4 numbers. */
typedef struct vv_descent_view {
    double *x;
    double factor;
    const double *z;
    double divisor; /* of the sum */
    bool dissipative;
    double gradient, hessian, value; /* in g; 0: only moves are limited there */
} vv_descent_view;

typedef struct vv_descent_solve {
    vv_budget b;
    vv_block_descent *s;
    vv_descent_view view[VV_DESCENT_VIEWS];
    int views;
    bool careful;
    double omega;
    int most;  /* sweeps of the solve */
    int first; /* group of the colour under way */
    int end;
} vv_descent_solve;

/* Moves the nodes of chunk `index` of the colour under way, of VV_DESCENT_CHUNK groups; arg: a vv_descent_solve. */
void vv_descent_visit(void *arg, int index);
/* Moves the clumps of group `index` of the colour under way. */
void vv_descent_visit_clumps(void *arg, int index);

#endif

/* How "pcg" preconditions the next solve: by what its ways have cost so far, in counts (theory §6.4).
 *
 * The ways are symmetric Gauss-Seidel alone, with the rows that contact couples as one block (solve/pcg/coupled.h), and
 * with a second level (solve/pcg/second_level.h). A solve costs its start, and so many iterations as ln(2/tolerance)
 * times a rate, of which each mode has a running mean. The cheapest so far is in use. One that looks cheaper by a
 * quarter is tried at once; others are tried again after 8, 16, ... solves, and less often where they would cost
 * several times as much. The clock and the number of threads have no say; all that has is in vv_pcg_memory. */
#ifndef VV_SOLVE_PCG_MODES_H
#define VV_SOLVE_PCG_MODES_H

#include <stdbool.h>
#include <stdint.h>

typedef enum vv_pcg_mode { VV_PCG_PLAIN, VV_PCG_COUPLED, VV_PCG_SECOND, VV_PCG_MODES } vv_pcg_mode;

/* Of one circumstance: either no rows are coupled outside the fixed pattern, or some are. */
typedef struct vv_pcg_memory {
    double rate[VV_PCG_MODES];      /* iterations over ln(2/tolerance), running mean; 0: never tried */
    double start[VV_PCG_MODES];     /* seconds of one core, by counts, when last made: what the mode adds to a solve, */
    double iteration[VV_PCG_MODES]; /* and to an iteration; both 0: never made */
    int32_t mode;                   /* enum vv_pcg_mode: in use */
    int32_t unknowns;               /* rows of the matrix that all this is about */
    int32_t until[VV_PCG_MODES];    /* solves until each is tried again */
    int32_t after[VV_PCG_MODES];    /* and how many it was to be at first */
} vv_pcg_memory;

typedef struct vv_pcg_memories {   /* what "pcg" saves with a run */
    vv_pcg_memory apart, touching; /* while no blocks are outside the fixed pattern, and while some are */
} vv_pcg_memories;

/* What the ways would cost now, in seconds of one core by counts. */
typedef struct vv_pcg_cost {
    double start, iteration;
    double plain; /* an iteration of Gauss-Seidel alone */
    int mode;     /* enum vv_pcg_mode */
    bool available;
} vv_pcg_cost;

/* Counts of a matrix. */
typedef struct vv_pcg_shape {
    double rows, blocks; /* blocks: outside the pattern, too */
    double coupled_rows; /* 0: the second way is not to be had */
    double entries;      /* of W^ (solve/pcg/second_kernel.h); 0: the third way is not to be had */
    double tiles, flops; /* of E's factor (solve/pcg/dense_tiles.h) */
} vv_pcg_shape;

/* Nothing is known yet; this way comes first. */
void vv_pcg_memory_begin(vv_pcg_memory *m, vv_pcg_mode first, int unknowns);
/* Whether it may be one: a saved state may come from anywhere. */
bool vv_pcg_memory_sound(const vv_pcg_memory *m);

/* Costs of all ways: by what they cost when they were last made, or guesses from the shape. */
void vv_pcg_price(const vv_pcg_memory *m, const vv_pcg_shape *shape, vv_pcg_cost cost[VV_PCG_MODES]);
/* What the ways add to a solve and to an iteration, now that it is known what they need. */
void vv_pcg_know_coupled(vv_pcg_memory *m, double rows, double flops, double entries);
void vv_pcg_know_second(vv_pcg_memory *m, const vv_pcg_shape *shape);

/* Of a solve to this tolerance. */
double vv_pcg_expected(const vv_pcg_memory *m, const vv_pcg_cost *cost, vv_pcg_mode mode, double tolerance);
bool vv_pcg_memory_empty(const vv_pcg_memory *m); /* nothing is known yet */
/* Before the first solve: Gauss-Seidel alone may take `rate` times ln(2/tolerance) iterations. */
void vv_pcg_expect(vv_pcg_memory *m, const vv_pcg_cost *cost, double rate, double tolerance);
/* The way for the next solve. */
vv_pcg_mode vv_pcg_choose(const vv_pcg_memory *m, const vv_pcg_cost *cost);
/* Whether another way, whose rate is known, would cost less by a quarter. */
bool vv_pcg_too_dear(const vv_pcg_memory *m, const vv_pcg_cost *cost, vv_pcg_mode mode, double tolerance);
/* This way was not taken: it is tried again later. */
void vv_pcg_put_off(vv_pcg_memory *m, const vv_pcg_cost *cost, vv_pcg_mode mode, double tolerance);
/* It did not serve: what was known of it is forgotten, and it is tried again later. */
void vv_pcg_failed(vv_pcg_memory *m, const vv_pcg_cost *cost, vv_pcg_mode mode, double tolerance);
/* After a solve that took so many iterations to bring the residual to `reached` times its start. */
void vv_pcg_learn(vv_pcg_memory *m, const vv_pcg_cost *cost, vv_pcg_mode mode, int iterations, double reached);

#endif

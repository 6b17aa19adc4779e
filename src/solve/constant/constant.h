/* The constant matrix of real-time solvers (theory §6.10): A = M + s L + d D over the free nodes, one number a pair
 * of nodes, with L the sum of the energies' constant quadratic models (energy/quadratic.h), D that of the
 * dissipations (diagonal or not), and s, d the factors with which an objective's samples and dissipation enter. It
 * changes only with the step's length, the scheme's stage, and the energies; its last few factors are kept, so that a
 * policy may alternate between two schemes. Energies with a changing diagonal (vv_energy_ops.bound_diagonal) are not in
 * it: a solve adds them to its factor (solve/constant/update.h). Nor is contact without such a bound, which a solver
 * may add itself.
 *
 * Factors are in single precision, which is enough for corrections unless A is too far from well-conditioned (bodies
 * some 10^7 times stiffer than their inertia). Each is tested when it is made, and made again in double precision if it
 * fails. */
#ifndef VV_SOLVE_CONSTANT_CONSTANT_H
#define VV_SOLVE_CONSTANT_CONSTANT_H

#include "solve/constant/forest.h"
#include "solve/solver.h"
#include "solve/constant/update.h"

enum { VV_CONSTANT_FACTORS = 4 };

typedef struct vv_constant_factor {
    double s, d;
    uint64_t used;       /* the later, the larger; 0: empty */
    bool precise;        /* in double precision */
    vv_forest forest[2]; /* in single, in double precision; empty: never needed */
    vv_update update;    /* what is added to it now */
} vv_constant_factor;

typedef struct vv_constant {
    vv_system *system;
    vv_quadratic_kind kind;
    const char *solver; /* whose it is, for messages */
    /* serials of what L and D were made of, one after the other; then 0 */
    uint64_t energy[VV_MAX_ENERGIES], dissipation[VV_MAX_ENERGIES];
    uint64_t masses;     /* a hash of those that the factors are of */
    int n, *start, *row; /* the lower triangle, column by column, diagonal first */
    double *l, *d;       /* their values there */
    double *size; /* per unknown, of the lowest one of a group: the diagonal of its box at rest; INFINITY: not known */
    /* per node of the world: the lowest unknown among those that A holds together; -1: prescribed */
    int *group;
    double *value;            /* scratch: A, */
    double *trial[5];         /* n x 3 each */
    double *added, *at_nodes; /* scratch: the diagonal that comes and goes, by unknown and by node */
    bool loose;               /* L bounds the energies nearly everywhere only (energy/quadratic.h) */
    uint64_t uses, made;      /* of factors, so far */
    vv_constant_factor factor[VV_CONSTANT_FACTORS], *now; /* now: the one to solve with */
    vv_assembly contact;                                  /* C */
    bool touches;                                         /* C is in the solves, */
    double tolerance;                                     /* which then leave this part of what there was, */
    int most;                                             /* after at most so many iterations */
} vv_constant;

/* VV_ERROR_UNSUPPORTED, with the energy's name, where one has no model of that kind. VV_QUADRATIC_REST: energies
 * without a model are left out. The system must outlive it. */
vvStatus vv_constant_create(vv_constant *c, vv_system *system, vv_quadratic_kind kind, const char *solver,
                            vvError *error);
void vv_constant_free(vv_constant *c); /* also if all zero, or if its creation failed */
/* Makes it ready to solve for an objective: its factor, made where it is not there yet, and the diagonal that the
 * energies add to it now; they may have been exchanged since. Adds to the stats. */
vvStatus vv_constant_set(vv_constant *c, const vv_objective *o, const vv_solve_options *options, vv_solve_stats *stats,
                         vvError *error);
/* From here on solves are with C too, to a tenth in at most 40 iterations (c->tolerance and c->most may be
 * set): the projected Hessian at q of
 * contact that has no model and may be as stiff as it likes; gradient (unknown space): of the same. vv_constant_set
 * leaves it out again. Of VV_QUADRATIC_REST only. VV_ERROR_MEMORY: it is left out. */
vvStatus vv_constant_touch(vv_constant *c, const vv_objective *o, const double *q, double *gradient, vvError *error);
/* y = C x, unknown space. */
void vv_constant_contact(const vv_constant *c, const double *x, double *y);
/* x = (A + what was added)^-1 b, unknown space; they may be the same array. b.x > 0 unless b = 0. Adds to the stats. */
void vv_constant_solve(vv_constant *c, const double *b, double *x, vv_solve_stats *stats);

#endif

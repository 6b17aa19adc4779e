/* What solvers with a fixed budget of iterations share (theory §6.10): work space, how prescribed nodes get to their
 * places, when to end. */
#ifndef VV_SOLVE_REALTIME_BUDGET_H
#define VV_SOLVE_REALTIME_BUDGET_H

#include "solve/solver.h"

typedef struct vv_budget {
    const char *solver; /* its name, for messages */
    const vv_objective *o;
    const vv_solve_options *options;
    vv_solve_stats *stats;
    double *q;               /* node space: the iterate */
    double *gradient, *step; /* unknown space */
    double *p;               /* node space */
    /* of each node: what moves as one; then momenta must be in balance before a solve ends (solve/balance.h), and
     * `gradient` is that at `q` when steps are judged. NULL: not looked at */
    const int *group;
    int left;      /* iterations */
    int searched;  /* steps of line searches before this solve, in its stats */
    double looked; /* vv_seconds when the last iteration began; 0: none has */
    double before; /* the residual of the iteration before; 0: there is none */
    size_t mark;
} vv_budget;

/* Takes work space and carries prescribed nodes to `target` (NULL: they stay), in one straight piece, or one for each
 * leg of the options: VV_ERROR_SOLVER where contact or an element that must not invert is in the way. vv_budget_end
 * must follow, also after a failure. */
vvStatus vv_budget_begin(vv_budget *b, double *q, const double *target, vvError *error);
void vv_budget_end(vv_budget *b);
/* The same way where something may be in it: prescribed nodes go as far as it is free, then `relax` moves the free
 * ones on from b->q in one iteration, and so on. These iterations come on top of the budget, as what pushes has to
 * get where it must; they are counted. b->p is theirs. lead (may be NULL): b->p is the rest of the path of the
 * prescribed nodes, of which the part `far` is free; adds the steps by which the free ones make room. Without it
 * prescribed nodes go half of what is free. */
typedef struct vv_budget_carrier {
    vvStatus (*relax)(void *user, vvError *error);
    vvStatus (*lead)(void *user, double far, vvError *error);
    void *user;
} vv_budget_carrier;
vvStatus vv_budget_carry(vv_budget *b, const double *target, const vv_budget_carrier *by, vvError *error);
/* Whether another iteration is due; if so, it is counted. False also if the host cancels (*status). */
bool vv_budget_next(vv_budget *b, vvStatus *status, vvError *error);
/* Notes the residual of an iteration: the longest change of a node / h (m/s). True: it ends the solve. What is left
 * is judged by the rate at which residuals shrink, as the short steps of a slow solver say little: with rate r,
 * residual r / (1 - r) is below the tolerance. */
bool vv_budget_short_of(vv_budget *b, double residual);
/* The same of the step in b->step. */
bool vv_budget_short(vv_budget *b);
/* Shortens the step in b->step, group by group (of b->group), where a node would go farther than a quarter of its
 * group's size (of the lowest unknown of each group; m): what a wild step meets on its way takes long to find, and its
 * model holds no farther. What is left of it is for the next iterations. True: any was, and b->stats says so. */
bool vv_budget_cap(vv_budget *b, const double *size);

#endif

/* How far momenta are out of balance where a solve ends. */
#ifndef VV_SOLVE_BALANCE_H
#define VV_SOLVE_BALANCE_H

#include "solve/objective.h"

/* m: by how much a node of a group (-1: none; else below the number of unknowns) would still move in the rigid motion
 * that takes up the resultant force and torque of the gradient (unknown space) at q, with its inertia alone: the
 * largest of all. Exact for what is free. INFINITY: no memory. */
double vv_balance_left(const vv_objective *o, const int *group, const double *q, const double *gradient);

#endif
